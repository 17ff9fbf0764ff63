/*
 * check.c - the tables behind check.h, and the loop over them.
 *
 * Most checks are uniform: everything is native, or nothing was ever declared.
 * The planes tell so in a few operations on words; the loop is for the others, and
 * costs two table lookups a need.
 */
#include "check.h"

#include "text/shape.h"

enum answer { ANSWER_ENOUGH, ANSWER_SHORT, ANSWER_UNKNOWN };

/* The rules themselves, as constant expressions; everything below is made of them.
 * Levels of support are ordered: unknown, unsupported, restricted, emulated, native. */
#define LEAST(min)                                                                                 \
    ((min) == CANDO_MIN_NATIVE     ? CANDO_NATIVE                                                  \
     : (min) == CANDO_MIN_EMULATED ? CANDO_RESTRICTED                                              \
                                   : CANDO_UNSUPPORTED)
#define ANSWER(min, have)                                                                          \
    ((have) == CANDO_UNKNOWN ? ANSWER_UNKNOWN : (have) >= LEAST(min) ? ANSWER_ENOUGH : ANSWER_SHORT)
#define IF_UNKNOWN(unknown)                                                                        \
    ((unknown) == CANDO_UNKNOWN_WARN    ? CANDO_PENDING                                            \
     : (unknown) == CANDO_UNKNOWN_ALLOW ? CANDO_MET                                                \
                                        : CANDO_MISSING)
#define EFFECT(unknown, level, answer)                                                             \
    ((level) == CANDO_PROBED      ? CANDO_PENDING                                                  \
     : (answer) == ANSWER_ENOUGH  ? CANDO_MET                                                      \
     : (level) == CANDO_PREFERRED ? ((answer) == ANSWER_SHORT ? CANDO_UNMET : CANDO_PENDING)       \
     : (answer) == ANSWER_SHORT   ? CANDO_MISSING                                                  \
                                  : IF_UNKNOWN(unknown))

#define CELL(u, level, min, have)                                                                  \
    {                                                                                              \
        EFFECT(u, level, ANSWER(min, have)), have                                                  \
    }
#define ROW(u, level, min)                                                                         \
    [(level) << 2 | (min)] = {CELL(u, level, min, 0), CELL(u, level, min, 1),                      \
                              CELL(u, level, min, 2), CELL(u, level, min, 3),                      \
                              CELL(u, level, min, 4)}
#define ROWS_OF(u, level) ROW(u, level, 0), ROW(u, level, 1), ROW(u, level, 2)
#define ROWS(u)                                                                                    \
    {                                                                                              \
        ROWS_OF(u, CANDO_HARD), ROWS_OF(u, CANDO_PREFERRED), ROWS_OF(u, CANDO_PROBED)              \
    }

/* By cando_unknown, need_key.rule and cando_support. */
static const cando_outcome outcomes[3][11][5] = {
    ROWS(CANDO_UNKNOWN_WARN), ROWS(CANDO_UNKNOWN_ALLOW), ROWS(CANDO_UNKNOWN_DENY)};

cando_outcome check_need(const struct need *n, const cando_planes *p, cando_unknown unknown)
{
    unsigned rule = (unsigned)n->level << 2 | n->min_support;
    if (n->kind == NEED_SLOT)
        return outcomes[n->general ? CANDO_UNKNOWN_ALLOW : unknown][rule][planes_level(p, n->slot)];
    bool number = n->kind == NEED_NUMBER;
    unsigned have = CANDO_UNKNOWN;
    /* enough is native here, and too little unsupported */
    rule = (unsigned)n->level << 2 | CANDO_MIN_NATIVE;
    if ((number ? p->number_known : p->set_known) >> n->slot & 1) {
        bool ok = number ? p->number[n->slot] >= n->minimum : (n->set & ~p->set[n->slot]) == 0;
        have = ok ? CANDO_NATIVE : CANDO_UNSUPPORTED;
    }
    return outcomes[unknown][rule][have];
}

static cando_check_result fold(uint32_t missing, uint32_t warnings)
{
    cando_verdict accepted = warnings ? CANDO_DEGRADED : CANDO_ACCEPTED;
    return (cando_check_result){missing ? CANDO_REJECTED : accepted, missing, warnings};
}

/* All needs came out the same: nothing is left but to write it down, four at a time. */
static cando_check_result all_same(const struct need_list *l, cando_outcome o, cando_outcome *out)
{
    _Static_assert(sizeof(cando_outcome) == 2, "four outcomes in a word");
    size_t i = 0;
    if (out) {
        cando_outcome four[4] = {o, o, o, o};
        for (; i + 4 <= l->n; i += 4)
            memcpy(&out[i], four, sizeof four);
        for (; i < l->n; i++)
            out[i] = o;
    }
    uint32_t n = (uint32_t)l->n;
    return fold(o.effect == CANDO_MISSING ? n : 0, o.effect > CANDO_MISSING ? n : 0);
}

/* Nothing but slots: what to look up and what to make of it lie side by side. */
static cando_check_result check_slots(const struct need_list *l, const cando_planes *p,
                                      cando_unknown unknown, cando_outcome *out)
{
    uint32_t missing = 0, warnings = 0;
    const cando_outcome(*table)[5] = outcomes[unknown];
    for (size_t i = 0; i < l->n; i++) {
        cando_outcome o = table[l->key[i].rule][p->level[l->key[i].slot]];
        missing += o.effect == CANDO_MISSING;
        warnings += o.effect > CANDO_MISSING;
        if (out)
            out[i] = o;
    }
    return fold(missing, warnings);
}

cando_check_result check_needs(const struct need_list *l, const cando_planes *p,
                               cando_unknown unknown, cando_outcome *out)
{
    bool one_level = (l->levels & (l->levels - 1)) == 0;
    if (!l->others && one_level) {
        unsigned level = l->levels >> 1; /* 1, 2, 4 -> 0, 1, 2 */
        if (((l->want[0] & ~p->native[0]) | (l->want[1] & ~p->native[1])) == 0)
            return all_same(l, outcomes[unknown][level << 2][CANDO_NATIVE], out);
        if (((l->want[0] & p->known[0]) | (l->want[1] & p->known[1])) == 0)
            return all_same(l, outcomes[unknown][level << 2][CANDO_UNKNOWN], out);
    }
    if (!l->others && p->has_levels)
        return check_slots(l, p, unknown, out);
    uint32_t missing = 0, warnings = 0;
    for (size_t i = 0; i < l->n; i++) {
        cando_outcome o = check_need(&l->need[i], p, unknown);
        missing += o.effect == CANDO_MISSING;
        warnings += o.effect > CANDO_MISSING;
        if (out)
            out[i] = o;
    }
    return fold(missing, warnings);
}

cando_check_result cando_check(const cando_needs *needs, const cando_planes *planes,
                               cando_unknown unknown, cando_outcome *out)
{
    return check_needs(&needs->list, planes,
                       (unsigned)unknown <= CANDO_UNKNOWN_DENY ? unknown : CANDO_UNKNOWN_DENY, out);
}

enum code check_code(unsigned effect)
{
    static const enum code codes[] = {CODE_COUNT, CODE_missing_capability, CODE_preferred_unmet,
                                      CODE_probe_pending};
    return effect <= CANDO_PENDING ? codes[effect] : CODE_COUNT;
}

static const char *const unknowns[] = {"warn", "allow", "deny"};
const struct shape_words unknown_words = WORDS(unknowns);
