/*
 * check.c - the tables behind check.h, and the loop over them.
 *
 * Most checks are uniform: everything is native, or nothing was ever declared.
 * The planes tell so in two operations on words; the loop is for the others, and
 * costs two table lookups a need.
 */
#include "check.h"

/* By min_support and cando_support. */
static const bool enough[3][5] = {
    [CANDO_MIN_NATIVE] = {[CANDO_NATIVE] = true},
    [CANDO_MIN_EMULATED] = {[CANDO_NATIVE] = true, [CANDO_EMULATED] = true, [CANDO_RESTRICTED] = true},
    [CANDO_MIN_ANY] = {[CANDO_NATIVE] = true, [CANDO_EMULATED] = true, [CANDO_RESTRICTED] = true, [CANDO_UNSUPPORTED] = true},
};

enum answer { ANSWER_ENOUGH, ANSWER_SHORT, ANSWER_UNKNOWN };

/* By cando_unknown, cando_level and answer. */
static const uint8_t effects[3][3][3] = {
    [CANDO_UNKNOWN_WARN] = {{CANDO_MET, CANDO_MISSING, CANDO_PENDING},
                            {CANDO_MET, CANDO_UNMET, CANDO_PENDING},
                            {CANDO_PENDING, CANDO_PENDING, CANDO_PENDING}},
    [CANDO_UNKNOWN_ALLOW] = {{CANDO_MET, CANDO_MISSING, CANDO_MET},
                             {CANDO_MET, CANDO_UNMET, CANDO_PENDING},
                             {CANDO_PENDING, CANDO_PENDING, CANDO_PENDING}},
    [CANDO_UNKNOWN_DENY] = {{CANDO_MET, CANDO_MISSING, CANDO_MISSING},
                            {CANDO_MET, CANDO_UNMET, CANDO_PENDING},
                            {CANDO_PENDING, CANDO_PENDING, CANDO_PENDING}},
};

bool check_enough(cando_support have, unsigned min_support)
{
    return enough[min_support][have];
}

static cando_outcome judge(const struct need *n, enum answer answer, cando_support have, cando_unknown unknown)
{
    return (cando_outcome){effects[unknown][n->level][answer], (uint8_t)have};
}

static cando_outcome check_slot(const struct need *n, const cando_planes *p, cando_unknown unknown)
{
    /* known, native, usable, restricted -> level */
    static const uint8_t levels[16] = {
        [1] = CANDO_UNSUPPORTED, [1 | 4] = CANDO_EMULATED, [1 | 4 | 8] = CANDO_RESTRICTED, [1 | 2 | 4] = CANDO_NATIVE,
    };
    unsigned w = n->slot / 64, b = n->slot % 64;
    unsigned have = levels[(p->known[w] >> b & 1) | (p->native[w] >> b & 1) << 1 | (p->usable[w] >> b & 1) << 2 |
                           (p->restricted[w] >> b & 1) << 3];
    enum answer a = have == CANDO_UNKNOWN ? ANSWER_UNKNOWN : enough[n->min_support][have] ? ANSWER_ENOUGH : ANSWER_SHORT;
    return judge(n, a, (cando_support)have, unknown);
}

cando_outcome check_need(const struct need *n, const cando_planes *p, cando_unknown unknown)
{
    if (n->kind == NEED_SLOT)
        return check_slot(n, p, unknown);
    bool number = n->kind == NEED_NUMBER;
    if (!((number ? p->number_known : p->set_known) >> n->slot & 1))
        return judge(n, ANSWER_UNKNOWN, CANDO_UNKNOWN, unknown);
    bool ok = number ? p->number[n->slot] >= n->minimum : (n->set & ~p->set[n->slot]) == 0;
    return judge(n, ok ? ANSWER_ENOUGH : ANSWER_SHORT, ok ? CANDO_NATIVE : CANDO_UNSUPPORTED, unknown);
}

static cando_check_result fold(const uint32_t count[4])
{
    cando_check_result r = {.missing = count[CANDO_MISSING], .warnings = count[CANDO_UNMET] + count[CANDO_PENDING]};
    r.verdict = r.missing ? CANDO_REJECTED : r.warnings ? CANDO_DEGRADED : CANDO_ACCEPTED;
    return r;
}

/* All needs have the same answer: nothing is left but to write it down. */
static cando_check_result all_native(const struct need_list *l, cando_outcome *out)
{
    if (out)
        for (size_t i = 0; i < l->n; i++)
            out[i] = (cando_outcome){CANDO_MET, CANDO_NATIVE};
    return (cando_check_result){.verdict = CANDO_ACCEPTED};
}

cando_check_result check_needs(const struct need_list *l, const cando_planes *p, cando_unknown unknown, cando_outcome *out)
{
    uint64_t lacking = (l->want[0] & ~p->native[0]) | (l->want[1] & ~p->native[1]);
    if (lacking == 0 && l->only_slots)
        return all_native(l, out);
    uint32_t count[4] = {0};
    for (size_t i = 0; i < l->n; i++) {
        cando_outcome o = check_need(&l->need[i], p, unknown);
        count[o.effect]++;
        if (out)
            out[i] = o;
    }
    return fold(count);
}

cando_check_result cando_check(const cando_needs *needs, const cando_planes *planes, cando_unknown unknown, cando_outcome *out)
{
    return check_needs(&needs->list, planes, (unsigned)unknown <= CANDO_UNKNOWN_DENY ? unknown : CANDO_UNKNOWN_DENY, out);
}

enum code check_code(unsigned effect)
{
    static const enum code codes[] = {CODE_COUNT, CODE_missing_capability, CODE_preferred_unmet, CODE_probe_pending};
    return effect <= CANDO_PENDING ? codes[effect] : CODE_COUNT;
}

const char *verdict_word(cando_verdict v)
{
    static const char *const words[] = {"accepted", "degraded", "rejected"};
    return (unsigned)v <= CANDO_REJECTED ? words[v] : "";
}
