/*
 * test_lint_property.c - what lint says of random rules, against brute force.
 *
 * Small sets of rules over the letters a and b are read and linted, and then
 * every id of up to five letters (a, b, and c for all that no pattern names) is
 * resolved at every provider by the plainest code that can do it: walk the list,
 * compare, stop. It shares nothing with the library but the text of the rules.
 *
 *   soundness      a rule or pattern that lint calls dead never decides, a value
 *                  that it calls overwritten is never seen
 *   completeness   lint finds all of them, but for layered rules with scopes
 *                  and families, of which it may miss a few
 *
 * The seed is fixed: a failure is the same failure tomorrow.
 */
#include "test.h"

#include "rules/rule.h"

#define RULES 6
#define PATTERNS 2
#define ID_LETTERS 5

struct toy_rule {
    char pattern[PATTERNS][8];
    unsigned n_patterns;
    unsigned providers; /* bits of p and q; 0: everybody */
    bool extends;
    unsigned fields;    /* bits of two fields */
};

struct toy {
    struct toy_rule rule[RULES];
    unsigned n;
    bool first_match;
    bool family;    /* q falls through to p */
    unsigned split; /* the rules from here on are a file of a higher layer */
};

static uint64_t seed;

static unsigned pick(unsigned below)
{
    return dice(&seed, below);
}

/* -- toys ------------------------------------------------------------------------ */

static void make_pattern(char out[8])
{
    static const char *const part[] = {"a", "b", "a", "b", "*", "*", "?", "[ab]", "[!a]"};
    unsigned n = 1 + pick(3);
    char text[32] = "";
    for (unsigned i = 0; i < n; i++) {
        const char *p = part[pick(sizeof part / sizeof *part)];
        if (strlen(text) + strlen(p) < 8)
            strcat(text, p);
    }
    strcpy(out, text);
}

static struct toy make_toy(bool first_match, bool scopes)
{
    struct toy t = {.n = 2 + pick(RULES - 1), .first_match = first_match, .family = scopes && pick(2)};
    t.split = pick(3) ? t.n : 1 + pick(t.n);
    for (unsigned i = 0; i < t.n; i++) {
        struct toy_rule *r = &t.rule[i];
        r->n_patterns = 1 + (pick(3) == 0);
        for (unsigned k = 0; k < r->n_patterns; k++)
            make_pattern(r->pattern[k]);
        if (r->n_patterns == 2 && strcmp(r->pattern[0], r->pattern[1]) == 0)
            r->n_patterns = 1;
        r->providers = scopes ? pick(4) : 0;
        r->extends = pick(5) == 0;
        r->fields = 1 + pick(3);
    }
    return t;
}

/* The file of rules from..to. */
static size_t write_toy(const struct toy *t, unsigned from, unsigned to, char *out, size_t size)
{
    static const char *const providers[] = {"", "providers = \"p\"\n", "providers = \"q\"\n", "providers = [\"p\", \"q\"]\n"};
    static const char *const fields[] = {"", "seed = true", "top_k = true", "seed = true, top_k = true"};
    size_t n = (size_t)snprintf(out, size, "schema = \"cando/rules@1\"\n%s%s", t->first_match ? "resolution = \"first-match\"\n" : "",
                                t->family && from == 0 ? "families.q = \"p\"\n" : "");
    for (unsigned i = from; i < to; i++) {
        const struct toy_rule *r = &t->rule[i];
        n += (size_t)snprintf(out + n, size - n, "[[rules]]\n%smatch = [\"%s\"%s%s%s]\non = \"id\"\n%sset = {%s}\n",
                              providers[r->providers], r->pattern[0], r->n_patterns > 1 ? ", \"" : "",
                              r->n_patterns > 1 ? r->pattern[1] : "", r->n_patterns > 1 ? "\"" : "",
                              r->extends ? "extends = true\n" : "", fields[r->fields]);
    }
    assert_true(n < size);
    return n;
}

/* -- brute force ------------------------------------------------------------------- */

static bool matches(const char *p, const char *s)
{
    if (!*p)
        return !*s;
    if (*p == '*')
        return matches(p + 1, s) || (*s && matches(p, s + 1));
    if (!*s)
        return false;
    if (*p == '[') {
        const char *end = strchr(p, ']');
        bool not = p[1] == '!', in = false;
        for (const char *c = p + 1 + not; c < end; c++)
            in |= *c == *s;
        return in != not && matches(end + 1, s + 1);
    }
    return (*p == '?' || *p == *s) && matches(p + 1, s + 1);
}

/* Which patterns of the rule match. */
static unsigned rule_matches(const struct toy_rule *r, const char *id)
{
    unsigned bits = 0;
    for (unsigned k = 0; k < r->n_patterns; k++)
        bits |= (unsigned)matches(r->pattern[k], id) << k;
    return bits;
}

struct seen {
    bool rule[RULES];
    bool pattern[RULES][PATTERNS]; /* the only one of its rule that matched, and it was reached */
    bool value[RULES][2];
};

/* Is the rule asked at this step of a provider's walk? Providers: bit 1 is p,
 * bit 2 is q, 0 is somebody else. */
static bool asked_at(const struct toy_rule *r, unsigned provider, unsigned step)
{
    if (step == 0)
        return r->providers == 0 || (r->providers & provider);
    return r->providers & 1; /* the only parent is p */
}

static void see_first_match(const struct toy *t, unsigned provider, const char *id, struct seen *s)
{
    unsigned steps = t->family && provider == 2 ? 2 : 1;
    for (unsigned step = 0; step < steps; step++)
        for (unsigned turn = 0; turn < t->n; turn++) {
            unsigned i = (t->split + turn) % t->n; /* the higher layer first */
            const struct toy_rule *r = &t->rule[i];
            unsigned bits = asked_at(r, provider, step) ? rule_matches(r, id) : 0;
            if (!bits)
                continue;
            s->rule[i] = true;
            for (unsigned k = 0; k < r->n_patterns; k++)
                s->pattern[i][k] |= bits == 1u << k;
            if (!r->extends)
                return;
        }
}

/* The walk of one layer. */
static void see_layer(const struct toy *t, unsigned from, unsigned to, unsigned provider, const char *id, struct seen *s,
                      int winner[2])
{
    unsigned steps = t->family && provider == 2 ? 2 : 1;
    bool stop = false;
    for (unsigned step = 0; step < steps && !stop; step++)
        for (unsigned i = from; i < to; i++) {
            const struct toy_rule *r = &t->rule[i];
            unsigned bits = asked_at(r, provider, step) ? rule_matches(r, id) : 0;
            if (!bits)
                continue;
            for (unsigned k = 0; k < r->n_patterns; k++)
                s->pattern[i][k] |= bits == 1u << k;
            for (int f = 0; f < 2; f++)
                if ((r->fields >> f & 1) && (int)i > winner[f])
                    winner[f] = (int)i;
            stop |= r->providers && !r->extends;
        }
}

static void see_layered(const struct toy *t, unsigned provider, const char *id, struct seen *s)
{
    int winner[2] = {-1, -1};
    see_layer(t, 0, t->split, provider, id, s, winner);
    see_layer(t, t->split, t->n, provider, id, s, winner);
    for (int f = 0; f < 2; f++)
        if (winner[f] >= 0)
            s->value[winner[f]][f] = true;
}

static void see_all(const struct toy *t, struct seen *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned length = 0; length <= ID_LETTERS; length++) {
        unsigned count = 1;
        for (unsigned i = 0; i < length; i++)
            count *= 3;
        for (unsigned n = 0; n < count; n++) {
            char id[ID_LETTERS + 1] = "";
            for (unsigned i = 0, rest = n; i < length; i++, rest /= 3)
                id[i] = "abc"[rest % 3];
            for (unsigned provider = 0; provider < 3; provider++)
                (t->first_match ? see_first_match : see_layered)(t, provider, id, s);
        }
    }
}

/* -- the comparison ------------------------------------------------------------------ */

struct tally {
    unsigned dead, found; /* rules, patterns or values that never count, and those reported */
};

static bool found_at(const struct ruleset *rs, enum code code, struct place at)
{
    for (size_t i = 0; i < rs->diag.n; i++) {
        const struct finding *f = &rs->diag.item[i];
        if (f->code == code && f->at.file == at.file && f->at.line == at.line && f->at.column == at.column)
            return true;
    }
    return false;
}

static void compare(const char *text, const char *what, bool seen, bool reported, struct tally *tally)
{
    if (seen && reported) {
        print_error("%s is reported, and yet it counts:\n%s", what, text);
        fail();
    }
    tally->dead += !seen;
    tally->found += reported;
}

static void judge(const struct toy *t, struct tally *rules, struct tally *patterns, struct tally *values)
{
    static char text[4096];
    struct arena ar;
    struct ruleset rs;
    struct seen seen;
    arena_init(&ar, NULL);
    ruleset_init(&rs, &ar);
    size_t n = write_toy(t, 0, t->split, text, sizeof text);
    ruleset_read(&rs, STR("toy"), str_make(text, n), CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    if (t->split < t->n) {
        size_t more = write_toy(t, t->split, t->n, text + n, sizeof text - n);
        ruleset_read(&rs, STR("high"), str_make(text + n, more), CANDO_SYNTAX_CANDO, CANDO_LAYER_USER);
    }
    ruleset_lint(&rs);
    assert_false(rs.failed);
    assert_int_equal(rs.diag.count[CANDO_ERROR], 0);
    assert_int_equal(rs.n_rules, t->n);
    see_all(t, &seen);
    for (unsigned i = 0; i < t->n; i++) {
        const struct rule *r = &rs.rule[i];
        bool dead = found_at(&rs, CODE_rule_shadowed, r->at);
        if (t->first_match)
            compare(text, "a rule", seen.rule[i], dead, rules);
        else
            for (size_t k = 0; k < r->n_assigns; k++) {
                unsigned f = r->assign[k].field == F_top_k;
                bool over = found_at(&rs, CODE_value_overwritten, r->assign[k].at);
                compare(text, "a value", seen.value[i][f], over, values);
            }
        /* Two patterns that cover each other are both never alone, and one of them is kept. */
        bool shadowed[PATTERNS] = {false};
        unsigned alone = 0;
        for (unsigned k = 0; k < r->n_patterns; k++) {
            shadowed[k] = found_at(&rs, CODE_pattern_shadowed, r->pattern[k].at);
            alone += seen.pattern[i][k];
        }
        assert_false(dead && (shadowed[0] || shadowed[1]));
        if (r->n_patterns == 2 && !dead && alone > 0)
            for (unsigned k = 0; k < 2; k++)
                compare(text, "a pattern", seen.pattern[i][k], shadowed[k], patterns);
        else if (r->n_patterns == 2 && shadowed[0])
            assert_false(shadowed[1]);
    }
    arena_free(&ar);
}

static void run(bool first_match, bool scopes, unsigned sets, struct tally tally[3])
{
    seed = UINT64_C(0x9e3779b97f4a7c15) + first_match * 2 + scopes;
    memset(tally, 0, 3 * sizeof *tally);
    for (unsigned i = 0; i < sets; i++) {
        struct toy t = make_toy(first_match, scopes);
        judge(&t, &tally[0], &tally[1], &tally[2]);
    }
}

#define SETS 1500

static void first_match_is_exact_without_scopes(void **state)
{
    struct tally t[3];
    (void)state;
    run(true, false, SETS, t);
    assert_true(t[0].dead > 500 && t[1].dead > 50);
    assert_int_equal(t[0].found, t[0].dead);
    assert_int_equal(t[1].found, t[1].dead);
}

static void first_match_is_exact_with_scopes(void **state)
{
    struct tally t[3];
    (void)state;
    run(true, true, SETS, t);
    assert_true(t[0].dead > 200 && t[1].dead > 50);
    assert_int_equal(t[0].found, t[0].dead);
    assert_int_equal(t[1].found, t[1].dead);
}

static void layered_is_exact_without_scopes(void **state)
{
    struct tally t[3];
    (void)state;
    run(false, false, SETS, t);
    assert_true(t[2].dead > 500 && t[1].dead > 50);
    assert_int_equal(t[2].found, t[2].dead);
    assert_int_equal(t[1].found, t[1].dead);
}

static void layered_is_sound_with_scopes(void **state)
{
    struct tally t[3];
    (void)state;
    run(false, true, SETS, t);
    assert_true(t[2].dead > 200);
    assert_true(t[2].found * 100 >= t[2].dead * 95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_match_is_exact_without_scopes),
        cmocka_unit_test(first_match_is_exact_with_scopes),
        cmocka_unit_test(layered_is_exact_without_scopes),
        cmocka_unit_test(layered_is_sound_with_scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
