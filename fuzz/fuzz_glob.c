/*
 * fuzz_glob.c - globs against any bytes.
 *
 * The input is lines: a pattern a, a pattern b, a needle, and texts. What must
 * hold: compiled programs are valid; every match has the literals that its
 * program promises; a claim that b is covered by a, or that two programs do
 * not overlap, is true of every text in the input; contains as programs and as
 * a function agree. The raw lines are also run as programs, for a snapshot may
 * hold anything.
 */
#include "fuzz.h"

#include "text/glob.h"

#define LINE_BYTES 200 /* longer ones find nothing more and take their time */
#define PROGRAMS 6

static struct str take_line(struct str *rest)
{
    struct str line = str_head(*rest, str_find_char(*rest, '\n'));
    *rest = str_from(*rest, line.n + 1);
    return str_head(line, LINE_BYTES);
}

static bool set_matches(const struct glob_set *set, struct str text)
{
    for (size_t i = 0; i < set->n; i++)
        if (glob_run(set->program[i], text))
            return true;
    return false;
}

static void check_literals(struct str program, struct str text)
{
    char lit[2 * LINE_BYTES];
    bool whole;
    if (!glob_run(program, text))
        return;
    size_t n = glob_literal_prefix(program, lit, sizeof lit, &whole);
    MUST(str_starts(text, str_make(lit, n)));
    MUST(!whole || n == text.n);
    n = glob_literal_longest(program, lit, sizeof lit);
    MUST(str_find(text, str_make(lit, n)) != SIZE_MAX);
}

struct claims {
    bool covered[PROGRAMS];
    bool apart[PROGRAMS][PROGRAMS];
};

static void make_claims(struct arena *ar, struct claims *c, const struct glob_set *a,
                        const struct glob_set *b)
{
    for (size_t i = 0; i < b->n && i < PROGRAMS; i++) {
        c->covered[i] = glob_covered(ar, b->program[i], a->program, a->n);
        for (size_t k = 0; k < a->n && k < PROGRAMS; k++)
            c->apart[i][k] = !glob_overlap(ar, a->program[k], b->program[i]);
    }
    MUST(glob_covered(ar, a->program[a->n - 1], a->program, a->n));
}

static void check_text(const struct claims *c, const struct glob_set *a, const struct glob_set *b,
                       struct str text)
{
    bool in_a = set_matches(a, text);
    for (size_t i = 0; i < b->n && i < PROGRAMS; i++) {
        check_literals(b->program[i], text);
        if (!glob_run(b->program[i], text))
            continue;
        MUST(in_a || !c->covered[i]);
        for (size_t k = 0; k < a->n && k < PROGRAMS; k++)
            MUST(!c->apart[i][k] || !glob_run(a->program[k], text));
    }
}

static bool compile(struct arena *ar, struct str pattern, struct glob_set *set)
{
    bool too_many;
    if (!glob_compile(ar, pattern, set, &too_many)) {
        MUST(too_many);
        return false;
    }
    MUST(set->n >= 1 && set->n <= GLOB_ALTERNATIVES);
    for (size_t i = 0; i < set->n; i++)
        MUST(glob_valid(set->program[i]));
    return true;
}

/* The lines as programs: mostly broken ones. */
static void run_raw(struct arena *ar, struct str a, struct str b)
{
    (void)glob_run(a, b);
    (void)glob_overlap(ar, a, b);
    (void)glob_covered(ar, b, &a, 1);
    if (glob_valid(a))
        check_literals(a, b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena ar;
    struct str rest = str_make((const char *)data, size);
    struct str line_a = take_line(&rest), line_b = take_line(&rest), needle = take_line(&rest);
    struct glob_set a, b, words;
    struct claims claims = {0};
    arena_init(&ar, NULL);
    run_raw(&ar, line_a, line_b);
    needle = str_dup_fold(&ar, needle);
    MUST(glob_contains(&ar, needle, &words) && words.n == 4);
    if (compile(&ar, line_a, &a) && compile(&ar, line_b, &b)) {
        make_claims(&ar, &claims, &a, &b);
        for (unsigned i = 0; i < 8 && (i == 0 || rest.n); i++) {
            struct str text = str_dup_fold(&ar, take_line(&rest));
            check_text(&claims, &a, &b, text);
            if (utf8_check(text) == text.n && utf8_check(needle) == needle.n)
                MUST(set_matches(&words, text) == word_contains(text, needle));
        }
        check_text(&claims, &a, &b, str_dup_fold(&ar, line_a));
        check_text(&claims, &a, &b, str_dup_fold(&ar, line_b));
    }
    arena_free(&ar);
    return 0;
}
