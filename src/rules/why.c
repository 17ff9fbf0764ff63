/*
 * why.c - which rules spoke, which of them won, and which nearly did.
 *
 * The matches come from the resolver's own walk, told as it happens. Near
 * misses come from a pass over all rules, which is slow and may be: a rule is
 * near if only one thing kept it away (its provider, API or version), or if
 * its pattern shares most of its plain text with the id.
 */
#include "why.h"

#include "inherit.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t why_value(const struct snapshot *s, uint32_t rule, unsigned field)
{
    struct snap_rule r = snap_rule(s, rule);
    for (uint32_t i = r.n_assigns; i > 0; i--) {
        struct snap_assign a = snap_assign_at(s, r.assigns + i - 1);
        if (s->field[a.field] == field)
            return a.value;
    }
    return 0;
}

static void on_match(void *ctx, uint32_t rule, uint32_t step)
{
    struct why *w = ctx;
    (void)step;
    if (w->failed || !ARENA_GROW(w->ar, w->matched, w->n_matched, w->cap_matched)) {
        w->failed = true;
        return;
    }
    w->matched[w->n_matched++] = (struct why_rule){.rule = rule};
}

static int strongest_first(const void *x, const void *y)
{
    const struct why_rule *a = x, *b = y;
    if (a->prec != b->prec)
        return a->prec > b->prec ? -1 : 1;
    return a->rule < b->rule ? -1 : a->rule > b->rule;
}

static void add_defaults(struct why *w)
{
    const struct snapshot *s = w->q->s;
    for (uint32_t i = 0; i < s->sec[SEC_RULES].n; i++) {
        struct snap_rule r = snap_rule(s, i);
        if (!(r.flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT)))
            return; /* defaults have the smallest numbers */
        bool ours = r.flags & RULEF_DEFAULT;
        if (!ours && w->q->provider != SNAP_NONE && r.n_providers)
            ours = snap_u32(s, SEC_RULE_SCOPES, r.scopes) == w->q->provider;
        if (ours)
            on_match(w, i, 0);
    }
}

/* Why a rule that matched gave nothing to the answer at all, or STR_NONE. */
static struct str lost_reason(const struct snapshot *s, cando_resolution how,
                              const struct snap_rule *r, uint32_t bar)
{
    if (r->flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT))
        return STR("a rule set it");
    if (resolve_first_match(s, how, resolve_stage_of(r, how)))
        return r->prec[how] < bar ? STR("an earlier match answered first")
                                  : STR("an earlier match set it");
    return STR("a later rule set it");
}

static void order_matches(struct why *w, cando_resolution how)
{
    const struct snapshot *s = w->q->s;
    size_t n = 0;
    for (size_t i = 0; i < w->n_matched; i++)
        w->matched[i].prec = snap_rule_prec(s, w->matched[i].rule, how);
    if (w->n_matched)
        qsort(w->matched, w->n_matched, sizeof *w->matched, strongest_first);
    for (size_t i = 0; i < w->n_matched; i++)
        if (n == 0 || w->matched[n - 1].rule != w->matched[i].rule)
            w->matched[n++] = w->matched[i];
    w->n_matched = n;
    uint32_t bar = 0;
    for (size_t i = 0; i < n; i++) {
        struct snap_rule r = snap_rule(s, w->matched[i].rule);
        bool is_default = r.flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT);
        if (!is_default && !bar && !(r.flags & RULEF_EXTENDS) &&
            resolve_first_match(s, how, resolve_stage_of(&r, how)))
            bar = w->matched[i].prec;
        w->matched[i].reason = lost_reason(s, how, &r, bar);
    }
}

/* -- near misses ----------------------------------------------------------------- */

static bool was_matched(const struct why *w, uint32_t rule)
{
    for (size_t i = 0; i < w->n_matched; i++)
        if (w->matched[i].rule == rule)
            return true;
    return false;
}

static bool names_provider(const struct why *w, const struct snap_rule *r)
{
    const struct snapshot *s = w->q->s;
    if (r->n_providers == 0)
        return true;
    if (w->q->provider == SNAP_NONE)
        return false;
    struct snap_provider p = snap_provider(s, w->q->provider);
    for (uint32_t i = 0; i < r->n_providers; i++)
        for (uint32_t k = 0; k < p.n_walk; k++)
            if (snap_u32(s, SEC_RULE_SCOPES, r->scopes + i) == snap_u32(s, SEC_WALKS, p.walk + k))
                return true;
    return false;
}

/* How many bytes of its plain beginning a pattern shares with the id, and how
 * long that beginning is. */
static void shared_prefix(struct str pattern, struct str id, size_t *same, size_t *plain)
{
    *plain = 0;
    while (*plain < pattern.n && !memchr("*?[{", pattern.p[*plain], 4))
        ++*plain;
    *same = 0;
    while (*same < *plain && *same < id.n && pattern.p[*same] == id.p[*same])
        ++*same;
}

/* A reason that could not be written is one of memory, not one that is missing. */
static struct str said(struct why *w, struct str reason)
{
    if (!reason.p)
        w->failed = true;
    return reason;
}

static struct str pattern_reason(struct why *w, const struct snap_rule *r, uint32_t *score)
{
    const struct snapshot *s = w->q->s;
    struct str id = r->flags & RULEF_ON_BASE ? w->q->base : w->q->id, best = STR("");
    size_t best_same = 0;
    for (uint32_t k = 0; k < r->n_patterns; k++) {
        struct str text = snap_str(s, snap_pattern(s, r->patterns + k).text);
        size_t same, plain;
        shared_prefix(text, id, &same, &plain);
        if (same >= 4 && same * 3 >= plain * 2 && same > best_same) {
            best_same = same;
            best = text;
        }
    }
    if (best_same == 0)
        return STR_NONE;
    *score = (uint32_t)best_same;
    return said(w, str_printf(w->ar, "the pattern '%.*s' does not match '%.*s'", STR_ARG(best),
                              STR_ARG(id)));
}

static struct str provider_reason(struct why *w, const struct snap_rule *r)
{
    const struct snapshot *s = w->q->s;
    struct str first = snap_str(s, snap_provider(s, snap_u32(s, SEC_RULE_SCOPES, r->scopes)).id);
    if (r->n_providers == 1)
        return said(w, str_printf(w->ar, "it is for the provider %.*s", STR_ARG(first)));
    return said(w, str_printf(w->ar, "it is for %u other providers, %.*s first", r->n_providers,
                              STR_ARG(first)));
}

static struct str version_reason(struct why *w, const struct snap_rule *r)
{
    uint32_t major, minor, from[2], to[2];
    char need[64];
    snap_rule_bound(w->q->s, r->bounds, 0, &from[0], &from[1]);
    snap_rule_bound(w->q->s, r->bounds, 1, &to[0], &to[1]);
    if ((r->flags & RULEF_MIN) && (r->flags & RULEF_MAX))
        snprintf(need, sizeof need, "%u.%u to %u.%u", from[0], from[1], to[0], to[1]);
    else if (r->flags & RULEF_MIN)
        snprintf(need, sizeof need, "%u.%u or later", from[0], from[1]);
    else
        snprintf(need, sizeof need, "%u.%u or earlier", to[0], to[1]);
    if (!query_version(w->q, r->flags & RULEF_SCHEME_ANY ? SCHEME_ANY : SCHEME_HARN, &major,
                       &minor))
        return said(w, str_printf(w->ar, "it is for version %s, and the id has none", need));
    return said(w, str_printf(w->ar, "it is for version %s, the id has %u.%u", need, major, minor));
}

/* A pattern on the base of ids that would match the id as it is written. */
static struct str vendor_reason(struct why *w, const struct snap_rule *r, uint32_t *score)
{
    struct snap_rule whole = *r;
    whole.flags &= ~(uint32_t)RULEF_ON_BASE;
    for (uint32_t k = 0; k < r->n_patterns && whole.flags != r->flags; k++) {
        if (!match_pattern(w->q, &whole, r->patterns + k))
            continue;
        *score = 900;
        return said(
            w, str_printf(w->ar,
                          "its pattern '%.*s' is compared with '%.*s', without vendor and "
                          "date; on = \"id\" compares the id as written",
                          STR_ARG(snap_str(w->q->s, snap_pattern(w->q->s, r->patterns + k).text)),
                          STR_ARG(w->q->base)));
    }
    return STR_NONE;
}

/* The one thing that kept a rule away, or STR_NONE if it was more. */
static struct str miss_reason(struct why *w, const struct snap_rule *r, uint32_t *score)
{
    bool pattern = false, named = names_provider(w, r), plain = false;
    for (uint32_t k = 0; k < r->n_patterns && !pattern; k++) {
        pattern = match_pattern(w->q, r, r->patterns + k);
        plain = pattern && snap_pattern(w->q->s, r->patterns + k).kind == PAT_ANY;
    }
    if (!pattern && !named)
        return STR_NONE;
    if (!pattern) {
        struct str reason = vendor_reason(w, r, score);
        return reason.n ? reason : pattern_reason(w, r, score);
    }
    enum match_bar bar = query_bar(w->q, r);
    *score = bar == BAR_VERSION ? 1000 : 500;
    if (!named)
        return bar == BAR_NONE && !plain ? provider_reason(w, r) : STR_NONE;
    switch (bar) {
    case BAR_VERSION:
        return version_reason(w, r);
    case BAR_API:
        return STR("it is for another API dialect");
    case BAR_NEVER:
        return STR("its version bound is malformed, so that it never matches");
    case BAR_NONE:
        break;
    }
    return STR("a nearer provider of the family had a match"); /* the walk did not get there */
}

/* What the version before denies, and nobody says of the id itself: a no is not inherited.
 * STR_NONE: there is nothing of the kind. */
static struct str denied_before(struct why *w, const struct snap_rule *r)
{
    struct buf b;
    size_t n = 0;
    buf_init_arena(&b, w->ar, 1 << 14);
    buf_putz(&b, "it is of the version before, and says no to");
    for (uint32_t i = 0; i < r->n_assigns; i++) {
        struct snap_assign a = snap_assign_at(w->q->s, r->assigns + i);
        unsigned field = w->q->s->field[a.field];
        if (field < FIELD_COUNT && a.value == VAL(VAL_SUPPORT, CANDO_UNSUPPORTED) &&
            !profile_fact(w->p, field).value.known)
            buf_printf(&b, "%s %s", n++ ? "," : "", vocab_row(field)->name);
    }
    buf_putz(&b, "; only a yes is taken over");
    w->failed |= n && !buf_cstr(&b);
    return n && !w->failed ? STR_IN(b) : STR_NONE;
}

/* The version of which a provider's row speaks, if it is of the same tier and before the id's;
 * else 0. */
static uint32_t version_before(const struct why *w, const struct snap_rule *r,
                               const struct lineage *line)
{
    char room[LINEAGE_ROOM];
    if (!(r->flags & RULEF_FACT) || !r->n_patterns || !names_provider(w, r))
        return 0;
    struct str id = snap_str(w->q->s, snap_pattern(w->q->s, r->patterns).text);
    for (size_t cut; (cut = str_find_char(id, '/')) < id.n;)
        id = str_from(id, cut + 1);
    struct lineage other = lineage_of(w->q->mid.vendor, id, room);
    bool before = other.version < line->version && str_eq(other.tier, line->tier);
    return before ? other.version : 0;
}

static void keep_near(struct why *w, struct why_rule miss)
{
    size_t at = w->n_near;
    while (at > 0 && w->near[at - 1].prec < miss.prec)
        at--;
    if (at >= WHY_NEAR)
        return;
    size_t n = w->n_near < WHY_NEAR ? w->n_near : WHY_NEAR - 1;
    memmove(&w->near[at + 1], &w->near[at], (n - at) * sizeof *w->near);
    w->near[at] = miss;
    w->n_near = n + 1;
}

static bool collect_near(struct why *w)
{
    const struct snapshot *s = w->q->s;
    w->near = arena_array(w->ar, WHY_NEAR + 1, sizeof *w->near);
    if (!w->near)
        return false;
    query_parse(w->q);
    char room[LINEAGE_ROOM];
    const struct lineage line = lineage_of(w->q->mid.vendor, w->q->mid.base, room);
    uint32_t newest = 0;
    struct why_rule before = {.prec = 2000, .whole = true};
    for (uint32_t i = 0; i < s->sec[SEC_RULES].n; i++) {
        struct snap_rule r = snap_rule(s, i);
        if (w->field < FIELD_COUNT && !why_value(s, i, w->field))
            continue;
        uint32_t score = 0, version = line.tier.n ? version_before(w, &r, &line) : 0;
        if (version > newest) {
            newest = version;
            before.rule = i;
        }
        if ((r.flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT)) || was_matched(w, i))
            continue;
        if ((r.flags & RULEF_FACT) && w->p->identity == CANDO_BY_EXACT)
            continue; /* the id's siblings: it has a row of its own */
        struct str reason = miss_reason(w, &r, &score);
        if (reason.n)
            keep_near(w, (struct why_rule){.rule = i, .prec = score, .reason = reason});
    }
    if (newest) {
        struct snap_rule r = snap_rule(s, before.rule);
        before.reason = denied_before(w, &r);
        if (before.reason.n)
            keep_near(w, before);
    }
    return !w->failed;
}

bool why_collect(struct why *w, struct arena *ar, struct match_query *q, const cando_profile *p,
                 cando_resolution how, unsigned field)
{
    *w = (struct why){.ar = ar, .q = q, .p = p, .field = field};
    resolve_walk(q, p->catalog, how, &w->walked, on_match, w);
    add_defaults(w);
    if (w->failed)
        return false;
    order_matches(w, how);
    return collect_near(w);
}
