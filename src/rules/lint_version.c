/*
 * lint_version.c - version bounds: which contain which, and which are empty.
 *
 * A bound excludes every id that has no version, so bounds never cover a rule
 * without bounds, except where the id is known whole and can be asked.
 *
 * `version-impossible` wants a proof that no id of the rule has a version inside
 * of its bounds:
 *
 *     version_min above version_max
 *     an exact id without a version, or with one outside
 *     a pattern whose plain beginning holds the version already: behind
 *       "claude-opus-4-5-" nothing changes it any more
 *     in Harn's scheme, a pattern that no id with "claude-" or "gpt-" matches
 *
 * For the third, the beginning is read with a set of endings behind it; if one
 * of them changes the version, nothing is said. The one thing not weighed is a
 * second model's name further behind, which no real id has.
 *
 * A version is read from the id as written. The base of an id keeps it, so a rule
 * on the base is judged by the versions that its patterns show; but what shows
 * none there is left alone.
 */
#include "lint.h"

static bool bound_less(const struct version_bound *a, const struct version_bound *b)
{
    return a->major != b->major ? a->major < b->major : a->minor < b->minor;
}

static bool has_bounds(const struct rule *r)
{
    return r->min.set || r->max.set;
}

bool lint_version_covers(const struct rule *a, const struct rule *b)
{
    if (!has_bounds(a))
        return true;
    if (a->scheme != b->scheme)
        return false;
    if (a->min.set && (!b->min.set || bound_less(&b->min, &a->min)))
        return false;
    return !a->max.set || (b->max.set && !bound_less(&a->max, &b->max));
}

bool lint_version_takes(const struct rule *r, struct str id)
{
    struct version_bound v = {.set = true};
    if (!has_bounds(r))
        return true;
    if (!model_version(id, r->scheme, &v.major, &v.minor))
        return false;
    return !(r->min.set && bound_less(&v, &r->min)) && !(r->max.set && bound_less(&r->max, &v));
}

/* -- can it ever be met? ------------------------------------------------------------ */

/* Does every ending leave the version of `head` as it is? */
static bool version_settled(struct str head, enum version_scheme scheme, uint32_t *major,
                            uint32_t *minor)
{
    static const char *const endings[] = {"0",  "9",  "99",        "-",  "-9",   "-9-9",
                                          ".9", "a",  "b",         "-a", "-a-9", "@9",
                                          ":9", "_9", "-20250929", "p9", "9b",   "-9b"};
    char text[LIMIT_NAME_BYTES];
    if (head.n + 16 > sizeof text || !model_version(head, scheme, major, minor))
        return false;
    memcpy(text, head.p, head.n);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        struct str ending = str_of(endings[i]);
        uint32_t a, b;
        memcpy(text + head.n, ending.p, ending.n);
        if (!model_version(str_make(text, head.n + ending.n), scheme, &a, &b) || a != *major ||
            b != *minor)
            return false;
    }
    return true;
}

/* Does any id that the program matches have a version in Harn's scheme? */
static bool may_have_version(struct lint *l, const struct lint_program *p)
{
    static const struct str need[] = {STR("\x01"
                                          "claude-"
                                          "\x01"),
                                      STR("\x01"
                                          "gpt-"
                                          "\x01")};
    if (l->rs->rule[p->rule].scheme != SCHEME_HARN)
        return true;
    for (size_t i = 0; i < COUNT_OF(need); i++) {
        struct lint_program family = {.code = need[i], .head = STR("")};
        if (lint_overlap(l, &family, p))
            return true;
    }
    return false;
}

static bool program_impossible(struct lint *l, const struct lint_program *p)
{
    const struct rule *r = &l->rs->rule[p->rule];
    struct version_bound v = {.set = true};
    if (p->whole && r->on_base && !model_version(p->head, r->scheme, &v.major, &v.minor))
        return false;
    if (p->whole)
        return !lint_version_takes(r, p->head);
    if (version_settled(p->head, r->scheme, &v.major, &v.minor))
        return (r->min.set && bound_less(&v, &r->min)) || (r->max.set && bound_less(&r->max, &v));
    return !r->on_base && !may_have_version(l, p);
}

/* Marks the patterns of which no way can match; returns how many. */
static size_t find_impossible(struct lint *l, uint32_t rule, bool *dead)
{
    const struct lint_rule *lr = &l->rule[rule];
    size_t n = 0;
    for (uint32_t k = 0; k < lr->n_programs;) {
        uint32_t pattern = l->program[lr->program + k].pattern;
        bool all = true;
        for (; k < lr->n_programs && l->program[lr->program + k].pattern == pattern; k++)
            all = all && program_impossible(l, &l->program[lr->program + k]);
        dead[pattern] = all;
        n += all;
    }
    return n;
}

static const char *version_hint(const struct rule *r)
{
    return r->scheme == SCHEME_HARN
               ? "versions are read behind claude- and gpt-; drop the bound, or widen the pattern"
               : "drop the bound, or widen the pattern";
}

static void report_patterns(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    struct diag_list *d = &l->rs->diag;
    const struct version_bound *bound = r->min.set ? &r->min : &r->max;
    bool *dead = arena_array(&l->ar, r->n_patterns, sizeof *dead);
    if (!dead)
        return;
    size_t n = find_impossible(l, rule, dead);
    if (n && n == r->n_patterns) {
        diag_add(d, CODE_version_impossible, bound->at,
                 "no id that the rule matches has a version inside of its bounds");
        diag_hint(d, "%s", version_hint(r));
        return;
    }
    for (size_t i = 0; n && i < r->n_patterns; i++)
        if (dead[i]) {
            diag_add(d, CODE_version_impossible, r->pattern[i].at,
                     "no id that '%.*s' matches has a version inside of the rule's bounds",
                     STR_ARG(r->pattern[i].text));
            diag_hint(d, "%s", version_hint(r));
        }
}

void lint_versions(struct lint *l)
{
    for (size_t i = 0; i < l->rs->n_rules && !l->ar.failed; i++) {
        const struct rule *r = &l->rs->rule[i];
        if (!has_bounds(r) || l->rule[i].n_programs == 0)
            continue;
        if (r->min.set && r->max.set && bound_less(&r->max, &r->min)) {
            diag_add(&l->rs->diag, CODE_version_impossible, r->max.at,
                     "version_max [%u, %u] is below version_min [%u, %u]", (unsigned)r->max.major,
                     (unsigned)r->max.minor, (unsigned)r->min.major, (unsigned)r->min.minor);
            diag_hint(&l->rs->diag, "both ends belong to the range; swap them");
            continue;
        }
        report_patterns(l, (uint32_t)i);
    }
}
