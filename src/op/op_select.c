/*
 * op_select.c - select: which models fit, in which order, and why the first one.
 */
#include "decide.h"

#include "decide/select.h"

static const struct op_arg args[] = {
    {"request", false, "a request that shall run there: its needs are required, too"},
    {"dialect", false, "the form of the request, if it shall not be found by itself"},
    {"require", false, "capabilities that must be there, known for sure"},
    {"forbid", false, "capabilities that must not be there"},
    {"prefer", false, "providers in order of preference, and capabilities that are welcome"},
    {"minimum", false, "{\"context_window\":n,..}"},
    {"maximum", false, "{\"input_price\":\"1.5\",..} in USD per million tokens"},
    {"providers", false, "only these providers"},
    {"allow", false, "only these: \"openai\", \"openai/gpt-*\""},
    {"deny", false, "none of these; it wins over `allow`"},
    {"sort", false, "'price', 'context', 'release' or 'name' (default)"},
    {"limit", false, "how many matches are listed"},
    {"models", false, "an inline catalog: [{\"provider\":..,\"id\":..,\"capabilities\":{..}}]"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {0},
};

/* One match, with everything that may be said of it. */
struct candidate {
    const struct criteria *c;
    const struct select_source *src;
    const struct select_match *m;
    cando_profile room;
    cando_planes planes;
};

static void open_candidate(struct candidate *x, const struct criteria *c, const struct select_source *src, const struct select_match *m)
{
    x->c = c;
    x->src = src;
    x->m = m;
    select_planes(src, m->index, &x->room, &x->planes);
}

static bool prefer_index(const struct candidate *x, size_t *out)
{
    *out = (size_t)(x->m->rank >> 32);
    return *out < x->c->n_prefer_providers;
}

static void say(struct op_call *c, struct json_writer *w, struct str text)
{
    if (text.p)
        jw_str(w, text);
    else
        c->w->out->failed = true;
}

static struct str price_words(struct op_call *c, const cando_planes *p)
{
    char in[40], out[40];
    if (p->price[0] == CANDO_NO_PRICE || p->price[1] == CANDO_NO_PRICE)
        return STR("its price is unknown");
    price_text(p->price[0], in);
    price_text(p->price[1], out);
    return str_printf(c->ar, "price %s in, %s out (USD per million tokens)", in, out);
}

static struct str sort_words(struct op_call *c, const struct candidate *x)
{
    const struct snap_row *row = &x->src->offers.row[x->m->index];
    switch (x->c->sort) {
    case SORT_PRICE:
        return price_words(c, &x->planes);
    case SORT_CONTEXT:
        if (!(x->planes.number_known >> NUM_context_window & 1))
            return STR("its context window is unknown");
        return str_printf(c->ar, "context_window %llu", (unsigned long long)x->planes.number[NUM_context_window]);
    case SORT_RELEASE:
        if (!row->release)
            return STR("its release is unknown");
        return str_printf(c->ar, "released %04u-%02u-%02u", row->release / 10000, row->release / 100 % 100, row->release % 100);
    default:
        return str_printf(c->ar, "name %.*s/%.*s", STR_ARG(select_provider(x->src, x->m->index)), STR_ARG(select_id(x->src, x->m->index)));
    }
}

static struct str need_words(struct op_call *c, const struct need *n, const cando_planes *p)
{
    if (n->kind == NEED_SET)
        return str_printf(c->ar, "%s has what is asked for", need_capability(n));
    return str_printf(c->ar, "%s %s", need_capability(n), support_name(planes_level(p, n->slot)));
}

static bool has_bound(const struct select_bound *b, const cando_planes *p, uint64_t *value)
{
    if (b->kind == LIMIT_NUMBER_FIELD) {
        *value = p->number[b->number];
        return p->number_known >> b->number & 1;
    }
    *value = p->price[b->kind == LIMIT_OUTPUT_PRICE];
    return *value != CANDO_NO_PRICE;
}

static void write_bounds(struct op_call *c, const struct select_bound *b, size_t n, const cando_planes *p, bool maximum)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v;
        char have[40], want[40];
        if (!has_bound(&b[i], p, &v))
            continue;
        if (b[i].kind == LIMIT_NUMBER_FIELD) {
            say(c, c->w, str_printf(c->ar, "%.*s %llu, %s %llu", STR_ARG(b[i].name), (unsigned long long)v,
                                    maximum ? "at most" : "at least", (unsigned long long)b[i].value));
            continue;
        }
        price_text(v, have);
        price_text(b[i].value, want);
        say(c, c->w, str_printf(c->ar, "%.*s %s, %s %s", STR_ARG(b[i].name), have, maximum ? "at most" : "at least", want));
    }
}

static void write_why(struct op_call *c, const struct candidate *x)
{
    const struct criteria *k = x->c;
    size_t rank;
    jw_keyz(c->w, "why");
    jw_array(c->w);
    if (prefer_index(x, &rank))
        say(c, c->w, str_printf(c->ar, "preferred provider %.*s", STR_ARG(k->prefer_provider[rank])));
    for (size_t i = 0; i < k->require.n; i++)
        say(c, c->w, need_words(c, &k->require.need[i], &x->planes));
    for (size_t i = 0; i < k->prefer.n; i++)
        if (check_need(&k->prefer.need[i], &x->planes, CANDO_UNKNOWN_DENY).effect == CANDO_MET)
            say(c, c->w, str_printf(c->ar, "preferred %s", need_capability(&k->prefer.need[i])));
    write_bounds(c, k->minimum, k->n_minimum, &x->planes, false);
    write_bounds(c, k->maximum, k->n_maximum, &x->planes, true);
    if (k->sort != SORT_NAME)
        say(c, c->w, sort_words(c, x));
    jw_array_end(c->w);
}

static void write_match(struct op_call *c, const struct candidate *x)
{
    jw_object(c->w);
    jw_keyz(c->w, "target");
    write_target(c->w, true, select_provider(x->src, x->m->index), select_id(x->src, x->m->index));
    write_why(c, x);
    jw_object_end(c->w);
}

/* What put the first before the second: the first key of the order that differs. */
static void write_runner_up(struct op_call *c, const struct candidate *a, const struct candidate *b)
{
    size_t ra, rb;
    bool pa = prefer_index(a, &ra), pb = prefer_index(b, &rb);
    jw_object(c->w);
    jw_keyz(c->w, "target");
    write_target(c->w, true, select_provider(b->src, b->m->index), select_id(b->src, b->m->index));
    jw_keyz(c->w, "decided_by");
    jw_strz(c->w, ra != rb && (pa || pb)            ? "provider"
                  : a->m->rank != b->m->rank        ? "preferred capabilities"
                  : a->m->value != b->m->value      ? select_sorts[a->c->sort]
                                                    : "name");
    jw_keyz(c->w, "lacks");
    jw_array(c->w);
    if (ra != rb && (pa || pb))
        say(c, c->w, str_printf(c->ar, "its provider is preferred less than %.*s", STR_ARG(a->c->prefer_provider[ra])));
    for (size_t i = 0; i < a->c->prefer.n; i++) {
        const struct need *n = &a->c->prefer.need[i];
        if (check_need(n, &a->planes, CANDO_UNKNOWN_DENY).effect == CANDO_MET &&
            check_need(n, &b->planes, CANDO_UNKNOWN_DENY).effect != CANDO_MET)
            say(c, c->w, str_printf(c->ar, "%s is %s", need_capability(n),
                                    n->kind == NEED_SLOT ? support_name(planes_level(&b->planes, n->slot)) : "less"));
    }
    if (a->m->value != b->m->value) {
        struct str x = sort_words(c, a), y = sort_words(c, b);
        say(c, c->w, x.p && y.p ? str_printf(c->ar, "%.*s against %.*s", STR_ARG(y), STR_ARG(x)) : STR_NONE);
    }
    jw_array_end(c->w);
    jw_object_end(c->w);
}

static bool write_selection(struct op_call *c, const struct criteria *k, const struct select_source *src, const struct selection *s)
{
    struct candidate *x = arena_array(c->ar, 3, sizeof *x);
    if (!x)
        return op_memory(c);
    jw_object(c->w);
    jw_keyz(c->w, "matches");
    jw_array(c->w);
    for (size_t i = 0; i < s->n; i++) {
        struct candidate *at = &x[i < 2 ? i : 2];
        open_candidate(at, k, src, &s->match[i]);
        at->planes.profile = src->offers.cat ? &at->room : NULL;
        write_match(c, at);
    }
    jw_array_end(c->w);
    jw_keyz(c->w, "considered");
    jw_uint(c->w, s->considered);
    jw_keyz(c->w, "matched");
    jw_uint(c->w, s->matched);
    jw_keyz(c->w, "excluded");
    jw_object(c->w);
    for (size_t i = 0; i < s->n_reasons; i++) {
        bool again = false; /* the same criterion twice is one reason */
        for (size_t j = 0; j < i && !again; j++)
            again = str_eq(s->reason[i], s->reason[j]);
        if (again || !s->excluded[i])
            continue;
        jw_key(c->w, s->reason[i]);
        jw_uint(c->w, s->excluded[i]);
    }
    jw_object_end(c->w);
    jw_keyz(c->w, "runner_up");
    if (s->n >= 2)
        write_runner_up(c, &x[0], &x[1]);
    else
        jw_null(c->w);
    jw_object_end(c->w);
    return true;
}

static bool run_with(struct op_call *c, const cando_catalog *cat)
{
    struct reading r = {.ar = c->ar};
    const struct json *models = json_get(c->args, "models");
    struct criteria k;
    struct select_source src;
    struct selection s;
    struct need_list needs;
    if (!criteria_read(&r, c->args, &k))
        return op_fail_need(c, &r);
    if (!arg_needs(c, cat, false, &needs))
        return false;
    if (!criteria_add(&r, &k, &needs) ||
        !(models ? select_inline(&r, models, STR("/models"), &src) : select_catalog(&r, cat, &src)) || !select_run(&r, &k, &src, &s))
        return op_fail_need(c, &r);
    return write_selection(c, &k, &src, &s);
}

static bool run(struct op_call *c)
{
    if (json_get(c->args, "models") && json_get(c->args, "rules"))
        return op_fail(c, CODE_bad_argument, STR("/models"), "'models' and 'rules' are two catalogs: give one");
    const cando_catalog *cat = arg_catalog(c);
    if (!cat)
        return false;
    bool ok = run_with(c, cat);
    cando_catalog_release(cat);
    return ok;
}

const struct op op_select = {.name = "select", .doc = "which models fit, in which order", .arg = args, .run = run};
