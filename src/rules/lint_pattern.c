/*
 * lint_pattern.c - patterns as glob programs, and what can be proven of two.
 *
 * Most questions about patterns have a cheap answer, and the proof itself is
 * kept for the rest:
 *
 *     gpt-4*  before  gpt-4o*       the head of one begins the head of the other
 *     *       before  anything      the same, with an empty head
 *     gpt-4o  behind  gpt-*         a whole id: just match it
 *     *-mini  behind  gpt-*         a witness that only the second matches: no
 *
 * A witness is a text that a program matches, made from it by putting something
 * in place of its stars, question marks and classes. The characters put there
 * are ones that hardly any pattern names, so a rule that matches the witness
 * probably covers the program, and if no rule does, nothing does.
 */
#include "lint.h"

#define GRAM_BYTES 8u
#define RARE '\x7f' /* in no sane pattern, and yet one character of text */

/* -- programs ------------------------------------------------------------------- */

/* The bytes of the step of a program at `at`. */
static size_t step_size(struct str code, size_t at)
{
    size_t n = code.p[at] == GLOB_CLASS ? GLOB_CLASS_BYTES : code.p[at] == GLOB_QUOTE ? 2 : 1;
    return n < code.n - at ? n : code.n - at;
}

static uint64_t letter_bit(char c)
{
    unsigned u = (unsigned char)c;
    if (u >= 'a' && u <= 'z')
        return UINT64_C(1) << (u - 'a');
    if (u >= '0' && u <= '9')
        return UINT64_C(1) << (26 + u - '0');
    return UINT64_C(1) << (36 + u % 28);
}

uint64_t lint_letters(struct str text)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < text.n; i++)
        bits |= letter_bit(text.p[i]);
    return bits;
}

static uint64_t code_letters(struct str code)
{
    uint64_t bits = 0;
    for (size_t at = 0; at < code.n; at += step_size(code, at)) {
        char c = code.p[at];
        if (c == GLOB_QUOTE && at + 1 < code.n)
            c = code.p[at + 1];
        else if (c == GLOB_ANY_RUN || c == GLOB_ANY_ONE || c == GLOB_CLASS)
            continue;
        bits |= letter_bit(c);
    }
    return bits;
}

/* Is the program its head and one star? Plain bytes that are opcodes are quoted,
 * so a head without them is as long as its code. */
static bool code_open(struct str code, size_t head)
{
    return code.n == head + 1 && code.p[head] == GLOB_ANY_RUN;
}

static bool program_add(struct lint *l, uint32_t rule, uint32_t pattern, struct str code)
{
    if (l->n_programs >= LINT_PROGRAMS)
        return true;
    if (!ARENA_GROW(&l->ar, l->program, l->n_programs, l->cap_programs))
        return false;
    char *head = arena_alloc(&l->ar, code.n + 1), gram[LINT_WITNESS_BYTES];
    if (!head)
        return false;
    struct lint_program *p = &l->program[l->n_programs++];
    *p = (struct lint_program){
        .code = code, .rule = rule, .pattern = pattern, .letters = code_letters(code)};
    p->head = str_make(head, glob_literal_prefix(code, head, code.n, &p->whole));
    p->open = code_open(code, p->head.n);
    if (p->head.n == 0 && !p->whole) {
        struct str run = str_make(gram, glob_literal_longest(code, gram, sizeof gram));
        p->gram = str_make(head, run.n < GRAM_BYTES ? run.n : GRAM_BYTES);
        memcpy(head, gram, p->gram.n);
    }
    return true;
}

/* The programs of a pattern that is no glob. */
static bool pattern_compile(struct lint *l, const struct pattern *p, struct glob_set *out)
{
    switch (p->kind) {
    case MATCH_ANY:
        return glob_prefix(&l->ar, STR(""), out);
    case MATCH_EXACT:
        return glob_exact(&l->ar, p->text, out);
    case MATCH_PREFIX:
        return glob_prefix(&l->ar, p->text, out);
    case MATCH_CONTAINS:
        return glob_contains(&l->ar, p->text, out);
    case MATCH_GLOB:
        break;
    }
    *out = (struct glob_set){.program = p->program, .n = p->n_programs};
    return true;
}

bool lint_programs_add(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    struct lint_rule *lr = &l->rule[rule];
    lr->program = (uint32_t)l->n_programs;
    for (size_t i = 0; i < r->n_patterns; i++) {
        struct glob_set set = {0};
        if (!pattern_compile(l, &r->pattern[i], &set))
            return false;
        for (size_t k = 0; k < set.n; k++)
            if (!program_add(l, rule, (uint32_t)i, set.program[k]))
                return false;
        if (set.n == 0 || l->n_programs >= LINT_PROGRAMS) {
            l->n_programs = lr->program; /* not wholly known: out of the judgement */
            return true;
        }
    }
    lr->n_programs = (uint32_t)(l->n_programs - lr->program);
    return true;
}

/* -- witnesses --------------------------------------------------------------------- */

struct writing {
    char *p;
    size_t n;
    bool full;
};

static void write_bytes(struct writing *w, const char *p, size_t n)
{
    if (w->full || n > LINT_WITNESS_BYTES - w->n) {
        w->full = true;
        return;
    }
    if (n)
        memcpy(w->p + w->n, p, n);
    w->n += n;
}

/* One character of a class, the rare one if it may be. */
static void write_class(struct writing *w, const char *set)
{
    for (unsigned i = 0; i < 128; i++) {
        unsigned c = 127 - i; /* RARE is the last */
        if ((c < 'A' || c > 'Z') && ((unsigned char)set[c >> 3] >> (c & 7) & 1)) {
            char byte = (char)c;
            write_bytes(w, &byte, 1);
            return;
        }
    }
    write_bytes(w, "\xc3\xbf", 2);
}

struct str lint_witness(const struct lint_program *p, struct str run, char room[LINT_WITNESS_BYTES],
                        bool *ok)
{
    static const char rare = RARE;
    struct writing w = {room, 0, false};
    for (size_t at = 0; at < p->code.n; at += step_size(p->code, at)) {
        const char *c = p->code.p + at;
        size_t size = step_size(p->code, at);
        if (*c == GLOB_ANY_RUN)
            write_bytes(&w, run.p, run.n);
        else if (*c == GLOB_ANY_ONE)
            write_bytes(&w, &rare, 1);
        else if (*c == GLOB_CLASS && size == GLOB_CLASS_BYTES)
            write_class(&w, c + 1);
        else
            write_bytes(&w, c + size - 1, 1);
    }
    struct str text = str_make(room, w.n);
    *ok = !w.full && glob_run(p->code, text);
    return text;
}

/* -- proofs ---------------------------------------------------------------------------- */

bool lint_union_covers(struct lint *l, const struct str *a, size_t n, const struct lint_program *b)
{
    if (n == 0 || l->memory.bytes >= LINT_PROOF_BYTES)
        return false;
    struct arena scratch;
    arena_init(&scratch, &l->proof);
    bool covered = glob_covered(&scratch, b->code, a, n);
    arena_free(&scratch);
    return covered;
}

bool lint_one_covers(struct lint *l, const struct lint_program *a, const struct lint_program *b)
{
    if (str_eq(a->code, b->code))
        return true;
    if (a->open)
        return str_starts(b->head, a->head);
    if (b->whole)
        return glob_run(a->code, b->head);
    if (a->whole || (a->letters & ~b->letters))
        return false;
    return lint_union_covers(l, &a->code, 1, b);
}

bool lint_overlap(struct lint *l, const struct lint_program *a, const struct lint_program *b)
{
    size_t n = a->head.n < b->head.n ? a->head.n : b->head.n;
    if (n && memcmp(a->head.p, b->head.p, n) != 0)
        return false;
    if (a->whole)
        return glob_run(b->code, a->head);
    if (b->whole)
        return glob_run(a->code, b->head);
    if ((a->open && str_starts(b->head, a->head)) || l->memory.bytes >= LINT_PROOF_BYTES)
        return true;
    struct arena scratch;
    arena_init(&scratch, &l->proof);
    bool overlap = glob_overlap(&scratch, a->code, b->code);
    arena_free(&scratch);
    return overlap;
}
