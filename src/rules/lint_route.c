/*
 * lint_route.c - judges what rules, families and defaults say together.
 *
 * A row that looks innocent can be half of a contradiction whose other half
 * stands in the provider's defaults, in the rule that it extends, or in the
 * family that it falls through to. So each rule is judged by the route that it
 * stands for: an example id that its pattern matches (a witness, see
 * lint_pattern.c) is resolved at each provider of its scope; for a rule without
 * one, at a provider that nobody knows and at those that have defaults,
 *
 *     [defaults] < defaults of the family < of the provider
 *                < stage 1 < stage 2 < ...
 *
 * and the fields that can contradict each other are looked at. An example is a
 * counter-example: what is reported happens for that id.
 *
 * In first-match order the rule is taken to be the one that is asked first,
 * whether others shadow it or not: that is a finding of its own. In layered
 * order all rules that match the example count, and a finding must have to do
 * with the rule at hand; the others have their own turn.
 *
 * A finding stands at the strongest of the statements that contradict each
 * other, for that is the line that made it so, and stands once.
 *
 * The pin of OpenRouter routes is asked for where OpenRouter ends up with a rule
 * that was not written for it, too: a rule for everybody, or for a provider that
 * it falls through to. There a rule of OpenRouter's own that pins any part of
 * these models is enough to say nothing.
 */
#include "lint.h"

#include "base/invariant.h"
#include "catalog/profile.h"

#include <stdio.h>
#include <stdlib.h>

/* The fields that can contradict each other. */
static const uint8_t watched[] = {
    F_reasoning_required_for_tools,
    F_auto_reasoning_overrides,
    F_openrouter_provider_order,
    F_preferred_tool_format,
    F_allowed_tool_choice_modes,
    F_tool_calling,
    F_reasoning,
    F_thinking_modes,
    F_legacy_thinking,
    F_reasoning_efforts,
    F_reasoning_effort,
    F_thinking_budget,
    F_max_thinking_budget,
    F_max_output,
    F_context_window,
};

#define NO_FIELD FIELD_COUNT

/* Who says what about one watched field. */
struct said {
    const struct assign *assign; /* NULL: nobody */
    uint32_t rule;
    uint64_t strength; /* of the rule: larger wins; the same only within one rule */
};

struct route {
    struct said said[FIELD_COUNT];
    uint32_t focus;    /* the rule that is judged, LINT_NONE for defaults alone */
    uint32_t provider; /* a name, or everybody */
    bool reached;      /* the focus took part */
    bool fell;         /* nobody wrote the focus for this provider */
};

/* A rule that matches the example, and at which step of the walk. */
struct met {
    uint64_t rank; /* in the order of the walk */
    uint32_t rule, step;
};

struct router {
    struct lint *l;
    struct lint_index all;
    struct lint_mask mask;         /* the watched fields */
    bool harn[FIELD_COUNT];        /* fields that a rule of Harn's answers alone */
    struct said base[FIELD_COUNT]; /* [defaults] */
    uint32_t *default_of;          /* name -> the last rule of its defaults, or LINT_NONE */
    uint32_t *default_next;        /* rule -> the one before it */
    bool defaults;                 /* some default sets a watched field */
    uint32_t special[LINT_ROUTE_PROVIDERS]; /* providers whose own defaults do, and everybody */
    size_t n_special;
    uint32_t openrouter; /* a name, or LINT_NONE */
    uint32_t *pins;      /* rules of openrouter's own that pin */
    size_t n_pins, cap_pins;
    size_t pin_work; /* comparisons with them that are left */
    uint32_t *stamp; /* rule -> the example that met it last */
    uint32_t now;
    struct met met[LINT_ROUTE_RULES];
    size_t n_met;
    struct map told; /* code and place */
};

/* -- defaults ------------------------------------------------------------------------ */

/* What a rule says counts where what was said before is weaker than `than`. */
static void say(const struct router *rt, struct said said[FIELD_COUNT], uint32_t rule,
                uint64_t strength, uint64_t than)
{
    const struct rule *r = &rt->l->rs->rule[rule];
    for (size_t i = 0; i < r->n_assigns; i++) {
        unsigned f = r->assign[i].field;
        invariant(f < FIELD_COUNT);
        if (lint_mask_has(rt->mask, f) && said[f].strength < than)
            said[f] = (struct said){&r->assign[i], rule, strength};
    }
    if (!rule_is_alone(rt->l->rs, rule, rt->l->rule[rule].stage))
        return;
    for (size_t i = 0; i < sizeof watched; i++)
        if (rt->harn[watched[i]] && said[watched[i]].strength < than)
            said[watched[i]] = (struct said){NULL, rule, strength};
}

static void say_default(const struct router *rt, struct said said[FIELD_COUNT], uint32_t rule,
                        uint64_t strength)
{
    say(rt, said, rule, strength, strength + 1);
}

/* Defaults of later layers and sources overwrite earlier ones; below all rules. */
#define SOURCES (UINT64_C(1) << 20)
static uint64_t default_strength(const struct lint *l, uint32_t rule)
{
    uint32_t source = l->rs->rule[rule].source;
    return 1 + SOURCES * (uint64_t)l->rs->source[source].layer + source % SOURCES;
}

#define PROVIDER_DEFAULTS (UINT64_C(1) << 24) /* times the place in the walk, from its end */
#define STAGES (UINT64_C(1) << 33)            /* times the stage, from 1 */

static void chain_default(struct router *rt, uint32_t name, uint32_t rule)
{
    rt->default_next[rule] = rt->default_of[name];
    rt->default_of[name] = rule;
}

static bool find_defaults(struct router *rt)
{
    struct lint *l = rt->l;
    rt->default_of = arena_array(&l->ar, l->n_names + 1, sizeof *rt->default_of);
    rt->default_next = arena_array(&l->ar, l->rs->n_rules, sizeof *rt->default_next);
    rt->special[rt->n_special++] = lint_everybody(l);
    if (!rt->default_of || !rt->default_next)
        return false;
    for (size_t i = 0; i <= l->n_names; i++)
        rt->default_of[i] = LINT_NONE;
    for (uint32_t i = 0; i < l->rs->n_rules; i++) {
        const struct rule *r = &l->rs->rule[i];
        if (!rule_is_default(r) || l->rs->source[r->source].broken)
            continue;
        bool matters = lint_mask_any(lint_mask_and(l->rule[i].fields, rt->mask));
        rt->defaults |= matters;
        if (r->kind == RULE_DEFAULT) {
            say_default(rt, rt->base, i, default_strength(l, i));
        } else if (l->rule[i].n_scopes) {
            uint32_t name = l->scope[l->rule[i].scope];
            chain_default(rt, name, i);
            if (matters && rt->n_special < LINT_ROUTE_PROVIDERS)
                rt->special[rt->n_special++] = name;
        }
    }
    return true;
}

/* Below whatever rules said. */
static void say_defaults(const struct router *rt, struct route *route, const uint32_t *walk,
                         size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (uint32_t r = rt->default_of[walk[i]]; r != LINT_NONE; r = rt->default_next[r])
            say_default(rt, route->said, r,
                        PROVIDER_DEFAULTS * (n - i) + default_strength(rt->l, r));
    for (size_t i = 0; i < sizeof watched; i++)
        if (!route->said[watched[i]].strength)
            route->said[watched[i]] = rt->base[watched[i]];
}

/* -- which rules match the example ------------------------------------------------------ */

struct example {
    struct str text, base; /* as it is written, and without who made it */
    unsigned api;
    const struct rule *of; /* its version bounds hold for the example */
};

static bool example_version(const struct example *e, const struct rule *r)
{
    if ((e->of->min.set || e->of->max.set) && r->scheme == e->of->scheme) {
        struct rule at = *e->of; /* the version that the example is taken to have */
        if (at.min.set)
            at.max = at.min;
        else
            at.min = at.max;
        return lint_version_covers(r, &at);
    }
    return lint_version_takes(r, e->text);
}

static void meet(struct router *rt, const struct example *e, uint32_t program, uint32_t step)
{
    struct lint *l = rt->l;
    const struct lint_program *p = &l->program[program];
    if (rt->stamp[p->rule] == rt->now || rt->n_met > LINT_ROUTE_RULES)
        return;
    uint64_t apis = l->rule[p->rule].apis;
    bool fits = !apis || (e->api < LINT_NO_API && (apis >> e->api & 1));
    const struct rule *r = &l->rs->rule[p->rule];
    if (!fits || !glob_run(p->code, r->on_base ? e->base : e->text) || !example_version(e, r))
        return;
    rt->stamp[p->rule] = rt->now;
    if (rt->n_met < LINT_ROUTE_RULES)
        rt->met[rt->n_met] = (struct met){0, p->rule, step};
    rt->n_met++; /* one above the limit: too many */
}

/* All that match; false if there are too many to judge. */
static bool meet_all(struct router *rt, const struct example *e, const uint32_t *walk,
                     size_t n_walk)
{
    size_t work = rt->l->rule_work, spellings = str_eq(e->text, e->base) ? 1 : 2;
    const struct str spelt[2] = {e->text, e->base};
    rt->now++;
    rt->n_met = 0;
    for (size_t i = 0; i < n_walk * spellings; i++) {
        struct lint_cursor c;
        struct str text = spelt[i % spellings];
        size_t step = i / spellings;
        lint_cursor_init(&c, &rt->all, text, walk[step], step == 0, &work);
        for (uint32_t p; (p = lint_cursor_next(&c)) != LINT_NONE;) {
            lint_charge(&work, rt->l->program[p].code, text);
            meet(rt, e, p, (uint32_t)step);
        }
    }
    return work > 0 && rt->n_met <= LINT_ROUTE_RULES;
}

/* -- how they combine ---------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct met *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static uint32_t stage_of(const struct lint *l, uint32_t rule)
{
    return l->rule[rule].stage;
}

static const struct rule_source *source_of(const struct lint *l, uint32_t rule)
{
    return &l->rs->source[l->rs->rule[rule].source];
}

/* By stage, then as the walk takes them: first match by step and order, layered
 * by layer, step and order (the smaller order is the stronger one). */
static uint64_t walk_rank(const struct lint *l, struct met m)
{
    const struct rule_source *s = source_of(l, m.rule);
    uint64_t layer = s->first_match ? 0 : (uint64_t)s->layer;
    return (uint64_t)stage_of(l, m.rule) << 44 | layer << 40 | (uint64_t)m.step << 34 |
           l->rule[m.rule].order;
}

static uint64_t strength_of(const struct lint *l, uint32_t rule)
{
    return STAGES * (1 + (uint64_t)stage_of(l, rule)) + (UINT32_MAX - l->rule[rule].order);
}

/* One stage, or in layered order one layer of it: m[0..n). Returns the step at
 * which the walk ended, or UINT32_MAX. */
static uint32_t run_walk(const struct router *rt, struct route *route, const struct met *m,
                         size_t n, bool assume)
{
    const struct lint *l = rt->l;
    const struct rule_source *s = source_of(l, m[0].rule);
    uint64_t floor = STAGES * (1 + (uint64_t)stage_of(l, m[0].rule));
    size_t from = 0;
    uint32_t stop = UINT32_MAX;
    for (size_t i = 0; assume && s->first_match && i < n; i++)
        if (m[i].rule == route->focus)
            from = i;
    for (size_t i = from; i < n && m[i].step <= stop; i++) {
        uint32_t rule = m[i].rule;
        bool extends = l->rs->rule[rule].extends;
        route->reached |= rule == route->focus;
        /* First match: what an earlier rule of the walk said is not said again. Since a
         * parent's rule may stand before the provider's own, that is not the order of
         * strengths; so the first to speak in a stage is remembered. */
        uint64_t strength = strength_of(l, rule);
        say(rt, route->said, rule, strength, s->first_match ? floor : strength + 1);
        if (extends)
            continue;
        if (s->first_match)
            return m[i].step;
        if (l->rule[rule].n_scopes)
            stop = m[i].step;
    }
    return stop;
}

/* Resolves the example at a provider. `assume`: the focus is reached, whoever
 * stands before it. False if that could not be worked out. A layered stage asks
 * all steps (some layer always goes on), so only a set that is first match
 * throughout can end before the defaults of the last one. */
static bool resolve(struct router *rt, const struct example *e, struct route *route, bool assume)
{
    const struct lint *l = rt->l;
    uint32_t walk[LIMIT_FAMILY_DEPTH];
    struct met *m = rt->met;
    size_t n_walk = family_walk(&l->families, route->provider, walk);
    if (n_walk > LIMIT_FAMILY_DEPTH)
        n_walk = LIMIT_FAMILY_DEPTH;
    if (!meet_all(rt, e, walk, n_walk))
        return false;
    size_t n = rt->n_met;
    for (size_t i = 0; i < n; i++)
        m[i].rank = walk_rank(l, m[i]);
    if (n)
        qsort(m, n, sizeof *m, by_rank);
    uint32_t stop = UINT32_MAX;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && m[to].rank >> 40 == m[from].rank >> 40;)
            to++;
        stop = run_walk(rt, route, m + from, to - from, assume);
    }
    bool ended =
        l->rules.n_stages == 1 && n && source_of(l, m[0].rule)->first_match && stop < n_walk;
    say_defaults(rt, route, walk, ended ? stop + 1 : n_walk);
    return true;
}

/* -- what may be wrong with a route ------------------------------------------------------- */

static const struct rule_value *known(const struct route *r, unsigned w)
{
    const struct assign *a = r->said[w].assign;
    return a && !a->value.cleared ? &a->value : NULL;
}

static bool is_true(const struct route *r, unsigned w)
{
    const struct rule_value *v = known(r, w);
    return v && v->flag;
}

static bool is_supported(const struct route *r, unsigned w)
{
    const struct rule_value *v = known(r, w);
    return v && v->support > CANDO_UNSUPPORTED;
}

static bool has_items(const struct route *r, unsigned w)
{
    const struct rule_value *v = known(r, w);
    return v && v->n > 0;
}

/* A restriction is still a native tool call. */
static bool has_native_tools(const struct route *r)
{
    const struct rule_value *v = known(r, F_tool_calling);
    return v && (v->support == CANDO_NATIVE || v->support == CANDO_RESTRICTED);
}

/* The task that uses tools and has its reasoning turned off; empty if none. */
static struct str task_turned_off(const struct route *r)
{
    static const struct str tasks[] = {STR("agent"), STR("code"), STR("verify")};
    const struct rule_value *v = known(r, F_auto_reasoning_overrides);
    for (size_t i = 0; v && i < v->n; i++) {
        size_t eq = str_find_char(v->item[i], '=');
        for (size_t k = 0; k < COUNT_OF(tasks); k++)
            if (str_eq_fold(str_head(v->item[i], eq), tasks[k]) &&
                str_eq_fold(str_from(v->item[i], eq + 1), STR("off")))
                return tasks[k];
    }
    return STR("");
}

/* Says somebody that it does not reason, and nobody later the opposite? A mode
 * of thinking says so too (see derive.def); within one rule the direct word
 * counts. */
static unsigned who_denies_reasoning(const struct route *r)
{
    static const unsigned words[] = {F_reasoning, F_thinking_modes, F_legacy_thinking};
    unsigned best = NO_FIELD;
    bool yes = false;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        unsigned w = words[i];
        const struct rule_value *v = known(r, w);
        if (!v || (best != NO_FIELD && r->said[w].strength < r->said[best].strength))
            continue;
        bool says = w == F_reasoning        ? v->support > CANDO_UNSUPPORTED
                    : w == F_thinking_modes ? v->n > 0
                                            : v->flag;
        bool same = best != NO_FIELD && r->said[w].strength == r->said[best].strength;
        if (same && best == F_reasoning)
            continue;
        yes = says || (same && yes);
        best = w;
    }
    return yes ? NO_FIELD : best;
}

/* What presupposes reasoning on this route; NO_FIELD if nothing does. */
static unsigned who_wants_reasoning(const struct route *r)
{
    const struct rule_value *efforts = known(r, F_reasoning_efforts),
                            *budget = known(r, F_max_thinking_budget);
    for (size_t i = 0; efforts && i < efforts->n; i++)
        if (!str_eq_fold(efforts->item[i], STR("none")))
            return F_reasoning_efforts;
    if (has_items(r, F_thinking_modes))
        return F_thinking_modes;
    if (is_supported(r, F_reasoning_effort))
        return F_reasoning_effort;
    if (is_supported(r, F_thinking_budget))
        return F_thinking_budget;
    return budget && budget->number > 0 ? F_max_thinking_budget : NO_FIELD;
}

/* -- findings -------------------------------------------------------------------------------- */

/* The strongest of two statements, the first if they are of one rule; the other
 * may be NO_FIELD or unsaid. */
static unsigned strongest(const struct route *r, unsigned a, unsigned b)
{
    if (b == NO_FIELD || !r->said[b].assign)
        return a;
    return r->said[b].strength > r->said[a].strength ? b : a;
}

/* Is it this route's to report? Not if only other rules are to blame. */
static bool concerns(const struct router *rt, const struct route *r, unsigned a, unsigned b)
{
    const struct lint *l = rt->l;
    if (r->said[a].rule == r->focus ||
        (b != NO_FIELD && r->said[b].assign && r->said[b].rule == r->focus))
        return true;
    bool first_match = r->focus == LINT_NONE || source_of(l, r->focus)->first_match;
    return first_match && rule_is_default(&l->rs->rule[r->said[strongest(r, a, b)].rule]);
}

static bool told_before(struct router *rt, enum code code, struct place at)
{
    const uint32_t key[4] = {(uint32_t)code, at.file, at.line, at.column};
    struct str s = str_make((const char *)key, sizeof key);
    if (map_get(&rt->told, s))
        return true;
    s.p = arena_copy(&rt->l->ar, key, sizeof key);
    return !s.p || !map_put(&rt->told, s, 0);
}

/* " on the route of 'x' (f:3) at 'groq'", as far as the place does not say it. */
static struct str route_words(struct router *rt, const struct route *r, uint32_t stands_in)
{
    struct lint *l = rt->l;
    if (r->fell)
        return str_printf(&l->ar, " at '%.*s', which uses this rule",
                          STR_ARG(l->name[r->provider].text));
    if (r->focus == LINT_NONE || r->focus == stands_in)
        return STR("");
    struct str label = lint_label(l, r->focus);
    return str_printf(&l->ar, " on the route of %.*s", STR_ARG(label));
}

/* What the other statement is and who made it, for the hint. */
static struct str other_words(struct router *rt, const struct route *r, unsigned here,
                              unsigned there)
{
    struct lint *l = rt->l;
    if (there == NO_FIELD || !r->said[there].assign || r->said[there].rule == r->said[here].rule)
        return STR("");
    struct str field = lint_field_name(l, r->said[there].rule, there);
    struct str label = lint_label(l, r->said[there].rule);
    return str_printf(&l->ar, "; '%.*s' comes from %.*s", STR_ARG(field), STR_ARG(label));
}

static void report(struct router *rt, const struct route *r, enum code code, unsigned a, unsigned b,
                   const char *what, const char *advice)
{
    struct lint *l = rt->l;
    if (!concerns(rt, r, a, b))
        return;
    unsigned here = strongest(r, a, b), there = here == a ? b : a;
    struct place at = r->said[here].assign->at;
    if (told_before(rt, code, at))
        return;
    struct str where = route_words(rt, r, r->said[here].rule),
               other = other_words(rt, r, here, there);
    diag_add(&l->rs->diag, code, at, "%s%.*s", what, STR_ARG(where));
    diag_hint(&l->rs->diag, "%s%.*s", advice, STR_ARG(other));
}

/* Contradictions of two things that were both said. */
static void judge_said(struct router *rt, const struct route *r)
{
    char text[120];
    struct str task = task_turned_off(r);
    if (is_true(r, F_reasoning_required_for_tools) && task.n) {
        snprintf(text, sizeof text, "reasoning is required for tools, and turned off for '%.*s'",
                 STR_ARG(task));
        report(rt, r, CODE_reasoning_contradiction, F_auto_reasoning_overrides,
               F_reasoning_required_for_tools, text,
               "drop the override, or the flag: such a route never calls a tool");
    }
    unsigned no = who_denies_reasoning(r), want = who_wants_reasoning(r);
    if (no != NO_FIELD && want != NO_FIELD && no != want) {
        snprintf(text, sizeof text, "'%s' is set, and the model does not reason",
                 vocab_row(want)->name);
        report(rt, r, CODE_effort_without_reasoning, want, no, text,
               "set reasoning as well, or drop the setting");
    }
    const struct rule_value *out = known(r, F_max_output), *window = known(r, F_context_window);
    if (out && window && out->number > window->number &&
        r->said[F_max_output].rule != r->said[F_context_window].rule) {
        snprintf(text, sizeof text, "the output limit %llu is above the context window %llu",
                 (unsigned long long)out->number, (unsigned long long)window->number);
        report(rt, r, CODE_output_above_window, F_max_output, F_context_window, text,
               "the window counts input and output together");
    }
}

/* Things that lack what they need. */
static void judge_lacks(struct router *rt, const struct route *r)
{
    const struct rule_value *format = known(r, F_preferred_tool_format);
    if (format && str_is(format->text, "native") && !has_native_tools(r))
        report(rt, r, CODE_tool_format_without_tools, F_preferred_tool_format, F_tool_calling,
               "the native tool format is preferred, and there are no native tools",
               "say that there are, or prefer text");
    if (has_items(r, F_allowed_tool_choice_modes) && !has_native_tools(r))
        report(rt, r, CODE_tool_choice_without_tools, F_allowed_tool_choice_modes, F_tool_calling,
               "tool choice modes are given, and there are no native tools",
               "say that there are, or drop the modes");
}

static void judge_pin(struct router *rt, const struct route *r)
{
    if (is_true(r, F_reasoning_required_for_tools) && !has_items(r, F_openrouter_provider_order))
        report(rt, r, CODE_route_unpinned, F_reasoning_required_for_tools,
               F_openrouter_provider_order,
               "tools need the reasoning channel, and the route is pinned to no upstream",
               "list upstreams that are known to be clean in openrouter_provider_order");
}

/* -- one rule -------------------------------------------------------------------------- */

static unsigned example_api(const struct lint *l, uint32_t rule, uint32_t provider)
{
    uint64_t apis = l->rule[rule].apis;
    if (l->name[provider].api < LINT_NO_API || !apis)
        return l->name[provider].api;
    unsigned d = 0;
    while (!(apis >> d & 1))
        d++;
    return d;
}

/* Does OpenRouter pin some of the rule's models? Yes, if it takes too long to say. */
static bool pinned_elsewhere(struct router *rt, uint32_t rule)
{
    struct lint *l = rt->l;
    const struct lint_rule *r = &l->rule[rule];
    for (size_t i = 0; i < rt->n_pins; i++) {
        const struct lint_rule *pin = &l->rule[rt->pins[i]];
        size_t pairs = (size_t)pin->n_programs * r->n_programs;
        if (pairs > rt->pin_work)
            return true;
        rt->pin_work -= pairs;
        for (uint32_t a = 0; a < pin->n_programs; a++)
            for (uint32_t b = 0; b < r->n_programs; b++)
                if (lint_overlap(l, &l->program[pin->program + a], &l->program[r->program + b]))
                    return true;
    }
    return false;
}

/* OpenRouter's pin where it was not the rule's own provider. */
static void judge_fallen(struct router *rt, struct example e, uint32_t rule)
{
    struct lint *l = rt->l;
    if (rt->openrouter == LINT_NONE || lint_rule_names(l, rule, rt->openrouter) ||
        !lint_mask_has(l->rule[rule].fields, F_reasoning_required_for_tools))
        return;
    struct route r = {.focus = rule, .provider = rt->openrouter, .fell = true};
    e.api = l->name[rt->openrouter].api;
    if (resolve(rt, &e, &r, false) && r.reached &&
        r.said[F_reasoning_required_for_tools].rule == rule && !pinned_elsewhere(rt, rule))
        judge_pin(rt, &r);
}

static void judge_example(struct router *rt, uint32_t rule, struct str text)
{
    struct lint *l = rt->l;
    const struct lint_rule *lr = &l->rule[rule];
    const struct rule *of = &l->rs->rule[rule];
    /* of facts, sources know the names */
    size_t slash = of->kind == RULE_FACT ? 0 : str_behind_last(text, '/');
    struct example e = {.text = text, .base = str_from(text, slash), .of = of};
    const uint32_t *provider = lr->n_scopes ? l->scope + lr->scope : rt->special;
    size_t n = lr->n_scopes ? lr->n_scopes : rt->n_special;
    for (size_t i = 0; i < n && i < LINT_ROUTE_PROVIDERS && !l->ar.failed; i++) {
        struct route r = {.focus = rule, .provider = provider[i]};
        e.api = example_api(l, rule, r.provider);
        if (!resolve(rt, &e, &r, true) || !r.reached)
            continue;
        judge_said(rt, &r);
        judge_lacks(rt, &r);
        if (r.provider == rt->openrouter &&
            (lr->n_scopes || r.said[F_reasoning_required_for_tools].rule != rule))
            judge_pin(rt, &r);
    }
    judge_fallen(rt, e, rule);
}

static void judge_rule(struct router *rt, uint32_t rule)
{
    struct lint *l = rt->l;
    const struct lint_rule *lr = &l->rule[rule];
    bool sets = lint_mask_any(lint_mask_and(lr->fields, rt->mask));
    bool first_match = source_of(l, rule)->first_match;
    if (!sets && !(first_match && (rt->defaults || l->rs->rule[rule].extends)))
        return;
    unsigned examples = 0;
    for (uint32_t i = 0; i < lr->n_programs && examples < LINT_ROUTE_PATTERNS && !l->ar.failed;
         i++) {
        const struct lint_program *p = &l->program[lr->program + i];
        char room[LINT_WITNESS_BYTES];
        bool ok;
        if (i && p->pattern == p[-1].pattern)
            continue;
        struct str text = lint_witness(p, STR("\x7f\x7f\x7f"), room, &ok);
        if (!ok)
            continue;
        judge_example(rt, rule, text);
        examples++;
    }
}

/* What models get that no rule knows: only what was said twice is judged, for
 * the rules that add the rest are not in sight. */
static void judge_defaults_of(struct router *rt, uint32_t name)
{
    uint32_t walk[LIMIT_FAMILY_DEPTH];
    struct route r = {.focus = LINT_NONE, .provider = name};
    size_t n = family_walk(&rt->l->families, name, walk);
    say_defaults(rt, &r, walk, n < LIMIT_FAMILY_DEPTH ? n : LIMIT_FAMILY_DEPTH);
    judge_said(rt, &r);
}

static void judge_defaults(struct router *rt)
{
    struct lint *l = rt->l;
    judge_defaults_of(rt, lint_everybody(l));
    for (uint32_t n = 0; n < l->n_names && !l->ar.failed; n++)
        if (rt->default_of[n] != LINT_NONE)
            judge_defaults_of(rt, n);
}

static bool router_init(struct router *rt, struct lint *l)
{
    *rt = (struct router){
        .l = l, .openrouter = lint_name_find(l, STR("openrouter")), .pin_work = LINT_PIN_WORK};
    for (size_t i = 0; i < sizeof watched; i++)
        lint_mask_set(&rt->mask, watched[i]);
    profile_harn_fields(rt->harn);
    map_init(&rt->told, &l->ar, false);
    rt->stamp = arena_array(&l->ar, l->rs->n_rules, sizeof *rt->stamp);
    if (!rt->stamp || !find_defaults(rt) || !lint_index_init(&rt->all, l, true))
        return false;
    for (uint32_t i = 0; i < l->rs->n_rules && !l->ar.failed; i++) {
        if (l->rule[i].n_programs == 0)
            continue;
        lint_index_add(&rt->all, i);
        const struct rule *r = &l->rs->rule[i];
        for (size_t k = 0; rt->openrouter != LINT_NONE && k < r->n_assigns; k++) {
            if (r->assign[k].field != F_openrouter_provider_order || r->assign[k].value.n == 0 ||
                !lint_rule_names(l, i, rt->openrouter))
                continue;
            if (!ARENA_GROW(&l->ar, rt->pins, rt->n_pins, rt->cap_pins))
                return false;
            rt->pins[rt->n_pins++] = i;
        }
    }
    return true;
}

void lint_routes(struct lint *l)
{
    struct router *rt = arena_alloc(&l->ar, sizeof *rt);
    if (!rt || !router_init(rt, l))
        return;
    if (rt->defaults)
        judge_defaults(rt);
    for (uint32_t i = 0; i < l->rs->n_rules && !l->ar.failed; i++)
        if (l->rule[i].n_programs && rt->all.in[i])
            judge_rule(rt, i);
}
