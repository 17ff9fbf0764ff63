/*
 * test_lint.c - each finding of the lint, where it must stand and where not.
 *
 * A case is a text and the whole list of its findings above a note, in order,
 * each with code, line, column and a part of the hint. So every case is also a
 * negative one for all that it does not list.
 */
#include "read_case.h"

#define MOST 8

struct want {
    enum code code;
    unsigned line, column;
    const char *hint; /* a part of it, or NULL */
};

struct lint_case {
    const char *text;
    struct want want[MOST]; /* ends at line 0 */
};

static void compare_findings(const struct ruleset *rs, const struct want *want, const char *text)
{
    size_t n = 0;
    bool right = true;
    for (size_t i = 0; i < rs->diag.n; i++) {
        const struct finding *f = &rs->diag.item[i];
        if (f->severity == CANDO_NOTE)
            continue;
        const struct want *w = &want[n++];
        right = right && n <= MOST && w->line && f->code == w->code && f->at.line == w->line && f->at.column == w->column &&
                (!w->hint || str_has(f->hint, w->hint));
        if (!right)
            break;
    }
    right = right && (n == MOST || want[n].line == 0);
    if (!right) {
        print_message("---\n%s\n--- found:\n", text);
        show_findings(rs);
    }
    assert_true(right);
}

static void check_case(const char *before, const struct lint_case *c, cando_syntax syntax)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "%s%s", before, c->text);
    assert_in_range(n, 0, sizeof text - 1);
    struct set s;
    set_open(&s);
    set_read(&s, text, syntax);
    ruleset_lint(&s.rs);
    assert_false(s.rs.failed);
    assert_true(s.rs.linted);
    compare_findings(&s.rs, c->want, text);
    set_close(&s);
}

#define CHECK_CASES(before, list, syntax)                        \
    for (size_t i_ = 0; i_ < sizeof(list) / sizeof *(list); i_++) \
    check_case(before, &(list)[i_], syntax)

#define OWN "schema = \"cando/rules@1\"\n"
#define FIRST OWN "resolution = \"first-match\"\n"
/* One rule a line, so that lines are easy to count. */
#define SET "set = {seed = true}"

/* -- first match ------------------------------------------------------------------ */

static void shadowed_rules(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        /* one glob covers another */
        {"rules = [\n{name = 'a', match = 'gpt-4*', " SET "},\n{name = 'b', match = 'gpt-4o*', " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, "'a' (a.toml:4) comes first"}}},
        {"rules = [\n{name = 'a', match = 'gpt-4o*', " SET "},\n{name = 'b', match = 'gpt-4*', " SET "},\n]\n", {{0}}},
        /* a rule without a name is told by its place */
        {"rules = [\n{match = 'gpt-4*', " SET "},\n{match = 'gpt-4o', " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, "the rule at a.toml:4 comes first"}}},
        /* two together, none of them alone */
        {"rules = [\n{name = 'a', match = 'x[!a]*', " SET "},\n{name = 'b', match = 'xa*', " SET "},\n"
         "{name = 'c', match = 'x', " SET "},\n{name = 'd', match = 'x*', " SET "},\n]\n",
         {{CODE_rule_shadowed, 7, 1, "'a' (a.toml:4), with others, comes first"}}},
        {"rules = [\n{name = 'a', match = 'x[!a]*', " SET "},\n{name = 'b', match = 'xa*', " SET "},\n"
         "{name = 'd', match = 'x*', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'o1*', " SET "},\n{match = 'o3*', " SET "},\n{match = 'o[13]-mini', " SET "},\n]\n",
         {{CODE_rule_shadowed, 6, 1, "the rule at a.toml:4, with others, comes first"}}},
        /* the rule that extends hides nobody, and can be hidden */
        {"rules = [\n{match = 'gpt-*', extends = true, " SET "},\n{match = 'gpt-4', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'gpt-*', " SET "},\n{match = 'gpt-4', extends = true, " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, "a.toml:4"}}},
        /* prefixes, words and exact ids */
        {"rules = [\n{match = {prefix = 'claude-'}, " SET "},\n{match = {exact = 'claude-3'}, " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, "a.toml:4"}}},
        {"rules = [\n{match = {contains = 'mini'}, " SET "},\n{match = '*-mini', " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, "a.toml:4"}}},
        {"rules = [\n{match = {contains = 'mini'}, " SET "},\n{match = '*mini', " SET "},\n]\n", {{0}}},
        /* the id as written and its base are not the same text */
        {"rules = [\n{match = 'gpt-*', " SET "},\n{match = 'gpt-4', on = 'id', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'gpt-*', on = 'id', " SET "},\n{match = 'gpt-4', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'gpt-*', on = 'id', " SET "},\n{match = 'gpt-4', on = 'id', " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, NULL}}},
        /* rows of models are asked in their turn, too */
        {"models = [\n{provider = 'p', id = 'x', " SET "},\n]\nrules = [\n{match = 'x', on = 'id', providers = 'p', " SET "},\n]\n",
         {{CODE_rule_shadowed, 7, 1, "'p/x' (a.toml:4) comes first"}}},
    };
    CHECK_CASES(FIRST, cases, CANDO_SYNTAX_CANDO);
}

static void shadowed_in_scopes(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        /* a wider scope covers, a narrower does not */
        {"rules = [\n{match = 'x*', " SET "},\n{match = 'x1', providers = 'a', " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, NULL}}},
        {"rules = [\n{match = 'x*', providers = 'a', " SET "},\n{match = 'x1', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'x*', providers = 'a', " SET "},\n{match = 'x1', providers = 'b', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'x*', providers = 'a', " SET "},\n{match = 'x1', providers = ['a', 'b'], " SET "},\n]\n", {{0}}},
        /* each provider by another rule */
        {"rules = [\n{match = 'x*', providers = ['a', 'c'], " SET "},\n{match = '*1', providers = 'b', " SET "},\n"
         "{match = 'x1', providers = ['a', 'b'], " SET "},\n]\n",
         {{CODE_rule_shadowed, 6, 1, "the rule at a.toml:4, with others, comes first"}}},
        /* APIs */
        {"rules = [\n{match = 'x*', dialects = ['openai-chat', 'gemini'], " SET "},\n"
         "{match = 'x1', dialects = 'gemini', " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, NULL}}},
        {"rules = [\n{match = 'x*', dialects = 'gemini', " SET "},\n{match = 'x1', dialects = ['openai-chat', 'gemini'], " SET "},\n]\n",
         {{0}}},
        {"rules = [\n{match = 'x*', dialects = 'gemini', " SET "},\n{match = 'x*', dialects = 'openai-chat', " SET "},\n"
         "{match = 'x1', dialects = ['openai-chat', 'gemini'], " SET "},\n]\n",
         {{CODE_rule_shadowed, 6, 1, NULL}}},
        {"rules = [\n{match = 'x*', dialects = 'gemini', " SET "},\n{match = 'x1', providers = 'a', " SET "},\n]\n", {{0}}},
        /* a provider that is declared with the API meets the API's scope ... */
        {"providers = [{id = 'a', dialect = 'gemini'}]\nrules = [\n{match = 'x*', dialects = 'gemini', " SET "},\n"
         "{match = 'x1', providers = 'a', " SET "},\n]\n",
         {{CODE_rule_shadowed, 6, 1, NULL}}},
        /* ... unless another one falls through to it and brings its own */
        {"families.b = 'a'\nproviders = [{id = 'a', dialect = 'gemini'}]\nrules = [\n{match = 'x*', dialects = 'gemini', " SET "},\n"
         "{match = 'x1', providers = 'a', " SET "},\n]\n",
         {{0}}},
        /* an alias is its provider */
        {"providers = [{id = 'google', aliases = ['vertex']}]\nrules = [\n{match = 'x*', providers = 'vertex', " SET "},\n"
         "{match = 'x1', providers = 'google', " SET "},\n]\n",
         {{CODE_rule_shadowed, 6, 1, NULL}}},
    };
    CHECK_CASES(FIRST, cases, CANDO_SYNTAX_CANDO);
}

static void shadowed_by_version(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {"[[provider.p]]\nmodel_match = 'claude-*'\nversion_min = [4, 0]\nvision = true\n"
         "[[provider.p]]\nmodel_match = 'claude-opus-*'\nversion_min = [4, 5]\nvision = true\n",
         {{CODE_rule_shadowed, 5, 12, "the rule at a.toml:1 comes first"}}},
        {"[[provider.p]]\nmodel_match = 'claude-*'\nversion_min = [4, 5]\nvision = true\n"
         "[[provider.p]]\nmodel_match = 'claude-opus-*'\nversion_min = [4, 0]\nvision = true\n",
         {{0}}},
        /* a bound lets ids without a version through to the next rule */
        {"[[provider.p]]\nmodel_match = 'claude-*'\nversion_min = [0, 0]\nvision = true\n"
         "[[provider.p]]\nmodel_match = 'claude-*'\nvision = true\n",
         {{0}}},
        {"[[provider.p]]\nmodel_match = 'claude-*'\nvision = true\n"
         "[[provider.p]]\nmodel_match = 'claude-*'\nversion_min = [4, 5]\nvision = true\n",
         {{CODE_rule_shadowed, 4, 12, NULL}}},
        /* a whole id has one version or none */
        {"[[provider.p]]\nmodel_match = 'claude-*'\nversion_min = [4, 5]\nvision = true\n"
         "[[provider.p]]\nmodel_match = 'claude-opus-4-6'\nvision = true\n",
         {{CODE_rule_shadowed, 5, 12, NULL}}},
        {"[[provider.p]]\nmodel_match = 'claude-*'\nversion_min = [4, 5]\nvision = true\n"
         "[[provider.p]]\nmodel_match = 'claude-opus-4-1'\nvision = true\n",
         {{0}}},
        /* a malformed bound never matches, so it hides nothing */
        {"[[provider.p]]\nmodel_match = 'gpt-*'\nversion_min = [4]\nvision = true\n"
         "[[provider.p]]\nmodel_match = 'gpt-4'\nvision = true\n",
         {{CODE_version_malformed, 3, 15, NULL}}},
    };
    CHECK_CASES("", cases, CANDO_SYNTAX_HARN);
    static const struct lint_case both_ends[] = {
        {"rules = [\n{match = 'x*', version_min = [1, 0], version_max = [3, 0], " SET "},\n"
         "{match = 'x*', version_min = [1, 5], version_max = [3, 0], " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, NULL}}},
        {"rules = [\n{match = 'x*', version_min = [1, 0], version_max = [3, 0], " SET "},\n"
         "{match = 'x*', version_min = [1, 5], version_max = [3, 1], " SET "},\n]\n",
         {{0}}},
        {"rules = [\n{match = 'x*', version_max = [3, 0], " SET "},\n{match = 'x*', version_min = [1, 0], " SET "},\n]\n", {{0}}},
    };
    CHECK_CASES(FIRST, both_ends, CANDO_SYNTAX_CANDO);
}

static void shadowed_patterns(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {"rules = [\n{name = 'a', match = 'gpt-4*', " SET "},\n{name = 'b', match = ['gpt-5', 'gpt-4o'], " SET "},\n]\n",
         {{CODE_pattern_shadowed, 5, 32, "'a' (a.toml:4) comes first"}}},
        /* all of them dead: that is the rule's finding, and no pattern's */
        {"rules = [\n{name = 'a', match = 'gpt-*', " SET "},\n{name = 'b', match = ['gpt-5', 'gpt-4o'], " SET "},\n]\n",
         {{CODE_rule_shadowed, 5, 1, NULL}}},
        /* by another pattern of the same rule, whichever stands first */
        {"rules = [\n{match = ['gpt-4*', 'gpt-4o'], " SET "},\n]\n",
         {{CODE_pattern_shadowed, 4, 21, "another pattern of the same rule"}}},
        {"rules = [\n{match = ['gpt-4o', 'gpt-4*'], " SET "},\n]\n",
         {{CODE_pattern_shadowed, 4, 11, "another pattern of the same rule"}}},
        /* of two that mean the same, the second */
        {"rules = [\n{match = ['x**', 'x*'], " SET "},\n]\n", {{CODE_pattern_shadowed, 4, 18, NULL}}},
        {"rules = [\n{match = {any = true, prefix = 'x'}, " SET "},\n]\n", {{CODE_pattern_shadowed, 4, 32, NULL}}},
        /* also where the rule extends */
        {"rules = [\n{match = ['gpt-4o', 'gpt-4*'], extends = true, " SET "},\n]\n", {{CODE_pattern_shadowed, 4, 11, NULL}}},
        /* by both kinds together */
        {"rules = [\n{match = 'x[!a]*', " SET "},\n{match = ['xa*', 'x?*', 'y'], " SET "},\n]\n",
         {{CODE_pattern_shadowed, 5, 18, "with others, comes first"}}},
        {"rules = [\n{match = ['gpt-4', 'gpt-5'], " SET "},\n]\n", {{0}}},
        /* every way of a pattern with alternatives must be covered */
        {"rules = [\n{match = 'a*', " SET "},\n{match = ['{a,b}?', 'c'], " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'a*', " SET "},\n{match = ['{a,ab}?', 'c'], " SET "},\n]\n", {{CODE_pattern_shadowed, 5, 11, NULL}}},
    };
    CHECK_CASES(FIRST, cases, CANDO_SYNTAX_CANDO);
}

static void any_first(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {"rules = [\n{name = 'all', match = {any = true}, " SET "},\n{name = 'b', match = 'x', " SET "},\n"
         "{name = 'c', match = 'y*', providers = 'p', " SET "},\n]\n",
         {{CODE_any_before_narrower, 4, 1, "the first is 'b' (a.toml:5)"},
          {CODE_rule_shadowed, 5, 1, "'all' (a.toml:4)"},
          {CODE_rule_shadowed, 6, 1, "'all' (a.toml:4)"}}},
        {"rules = [\n{match = '*', on = 'id', " SET "},\n{match = 'x', " SET "},\n]\n",
         {{CODE_any_before_narrower, 4, 1, NULL}, {CODE_rule_shadowed, 5, 1, NULL}}},
        {"rules = [\n{match = 'x', " SET "},\n{match = {any = true}, " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = {any = true}, extends = true, " SET "},\n{match = 'x', " SET "},\n]\n", {{0}}},
        /* the same again is not narrower; the same for one provider is */
        {"rules = [\n{match = {any = true}, " SET "},\n{match = {any = true}, " SET "},\n]\n", {{CODE_rule_shadowed, 5, 1, NULL}}},
        {"rules = [\n{match = {any = true}, " SET "},\n{match = {any = true}, providers = 'p', " SET "},\n]\n",
         {{CODE_any_before_narrower, 4, 1, "a.toml:5"}, {CODE_rule_shadowed, 5, 1, NULL}}},
        /* only for its own provider */
        {"rules = [\n{match = {any = true}, providers = 'p', " SET "},\n{match = 'x', providers = ['p', 'q'], " SET "},\n]\n", {{0}}},
    };
    CHECK_CASES(FIRST, cases, CANDO_SYNTAX_CANDO);
    static const struct lint_case nika[] = {
        {"[[rules]]\nname = \"all\"\nscope.providers = [\"openai\"]\nmatch = { kind = \"any\" }\ncaps.reasoning = true\n"
         "[[rules]]\nname = \"o1\"\nscope.providers = [\"openai\"]\nmatch = { kind = \"exact\", model = \"o1\" }\ncaps.reasoning = true\n",
         {{CODE_any_before_narrower, 12, 3, "'o1' (a.toml:17)"}, {CODE_rule_shadowed, 17, 3, "'all' (a.toml:12)"}}},
    };
    CHECK_CASES("schema = \"nika/model-capabilities@1.0\"\nresolution = \"first-match\"\n[defaults]\n"
                "token_limit_param = \"max-tokens\"\nsupports_temperature = true\nsupports_stop_sequences = true\n"
                "reasoning = false\ninput_modalities = [\"text\"]\noutput_modalities = [\"text\"]\n"
                "supported_parameters = []\nsupports_system_messages = true\n",
                nika, CANDO_SYNTAX_NIKA);
}

/* Higher layers are asked first; stages of another kind lie between. */
static void layers_in_first_match(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read_in(&s, "base", FIRST "rules = [{name = 'low', match = 'gpt-4', " SET "}]\n", CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    set_read_in(&s, "over", FIRST "rules = [{name = 'high', match = 'gpt-*', " SET "}]\n", CANDO_SYNTAX_CANDO, CANDO_LAYER_PROJECT);
    ruleset_lint(&s.rs);
    const struct want want[MOST] = {{CODE_rule_shadowed, 3, 10, "'high' (over:3) comes first"}};
    compare_findings(&s.rs, want, "two layers");
    assert_int_equal(s.rs.diag.item[0].at.file, 0);
    set_close(&s);

    set_open(&s);
    set_read_in(&s, "base", FIRST "rules = [{name = 'low', match = 'gpt-*4', " SET "}]\n", CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    set_read_in(&s, "mid", OWN "rules = [{name = 'mid', match = 'x', " SET "}]\n", CANDO_SYNTAX_CANDO, CANDO_LAYER_FACTS);
    set_read_in(&s, "over", FIRST "rules = [{name = 'high', match = ['gpt-*4', 'x-4'], " SET "}]\n", CANDO_SYNTAX_CANDO,
                CANDO_LAYER_PROJECT);
    ruleset_lint(&s.rs);
    assert_clean(&s.rs);
    set_close(&s);
}

/* What one scheme reads from an id says nothing of the other. */
static void versions_of_two_schemes(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read_in(&s, "base", FIRST "rules = [{match = 'x-*', on = 'id', providers = 'p', version_min = [2, 0], " SET "}]\n",
                CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    set_read_in(&s, "over", "[[provider.p]]\nmodel_match = 'x*'\nversion_min = [1, 0]\nvision = true\n", CANDO_SYNTAX_HARN,
                CANDO_LAYER_PROJECT);
    ruleset_lint(&s.rs);
    assert_clean(&s.rs);
    set_close(&s);
}

/* -- layered ---------------------------------------------------------------------- */

static void overwritten_values(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        {"rules = [\n{name = 'a', match = 'gpt-4', set = {seed = true, top_k = true}},\n{name = 'b', match = 'gpt-*', set = {seed = false}},\n]\n",
         {{CODE_value_overwritten, 3, 38, "'b' (a.toml:4) sets it for every model"}}},
        {"rules = [\n{match = 'gpt-*', " SET "},\n{match = 'gpt-4', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'gpt-4', " SET "},\n{match = 'gpt-*', set = {top_k = true}},\n]\n", {{0}}},
        /* clearing overwrites */
        {"rules = [\n{match = 'gpt-4', " SET "},\n{match = 'gpt-*', set = {seed = 'unknown'}},\n]\n",
         {{CODE_value_overwritten, 3, 26, NULL}}},
        /* the union of later rules */
        {"rules = [\n{match = 'o[13]', " SET "},\n{match = 'o1*', " SET "},\n{match = 'o3*', " SET "},\n]\n",
         {{CODE_value_overwritten, 3, 26, "and others set it"}}},
        {"rules = [\n{match = 'o[13]', " SET "},\n{match = 'o1*', " SET "},\n{match = 'o3*', set = {top_k = true}},\n]\n", {{0}}},
        /* scopes */
        {"rules = [\n{match = 'x', providers = ['a', 'b'], " SET "},\n{match = 'x', providers = 'a', " SET "},\n]\n", {{0}}},
        {"rules = [\n{match = 'x', providers = ['a', 'b'], " SET "},\n{match = 'x', providers = 'b', " SET "},\n"
         "{match = 'x*', providers = 'a', " SET "},\n]\n",
         {{CODE_value_overwritten, 3, 46, NULL}}},
        /* defaults lie below and overwrite nothing, and are there to be overwritten */
        {"defaults = {seed = true}\nprovider_defaults.p = {seed = true}\nrules = [\n{match = {any = true}, " SET "},\n]\n", {{0}}},
        /* a pattern that does nothing does nothing in any order */
        {"rules = [\n{match = ['gpt-4', 'gpt-*'], " SET "},\n]\n", {{CODE_pattern_shadowed, 3, 11, NULL}}},
        /* no rule is dead here */
        {"rules = [\n{match = '*', " SET "},\n{match = 'x', set = {top_k = true}},\n]\n", {{0}}},
    };
    CHECK_CASES(OWN, cases, CANDO_SYNTAX_CANDO);
}

static void overwritten_across_layers(void **state)
{
    (void)state;
    struct set s;
    static const char low[] = OWN "families.q = 'p'\nrules = [{match = 'x', providers = 'p', " SET "}]\n";
    static const char plain[] = OWN "rules = [{match = 'x', providers = 'p', " SET "}]\n";
    static const char high[] = OWN "rules = [{match = 'x*', providers = 'p', " SET "}]\n";
    static const char all[] = OWN "rules = [{match = 'x*', " SET "}]\n";
    static const struct {
        const char *low, *high;
        bool found;
    } cases[] = {
        {plain, high, true},
        /* q may have a rule of its own in the higher layer and see the lower one */
        {low, high, false},
        {low, all, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_open(&s);
        set_read_in(&s, "low", cases[i].low, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
        set_read_in(&s, "high", cases[i].high, CANDO_SYNTAX_CANDO, CANDO_LAYER_USER);
        ruleset_lint(&s.rs);
        assert_int_equal(s.rs.diag.count[CANDO_WARNING], cases[i].found);
        set_close(&s);
    }
    /* a row of facts that a higher layer corrects is no mistake; in one layer it is */
    static const char fact[] = OWN "models = [{provider = 'p', id = 'x', " SET "}]\n";
    static const char more[] = OWN "models = [{provider = 'p', id = 'x', name = 'again', " SET "}]\n";
    for (int same = 0; same < 2; same++) {
        set_open(&s);
        set_read_in(&s, "low", fact, CANDO_SYNTAX_CANDO, CANDO_LAYER_FACTS);
        set_read_in(&s, "high", more, CANDO_SYNTAX_CANDO, same ? CANDO_LAYER_FACTS : CANDO_LAYER_CURATED);
        ruleset_lint(&s.rs);
        assert_int_equal(s.rs.diag.count[CANDO_ERROR], 0);
        assert_int_equal(s.rs.diag.count[CANDO_WARNING], same);
        set_close(&s);
    }
}

/* -- families and names --------------------------------------------------------------- */

static void families(void **state)
{
    (void)state;
#define P "[[rules]]\nproviders = 'p'\nmatch = '*'\n" SET "\n"
    static const struct lint_case cases[] = {
        {"[families]\na = 'b'\nb = 'a'\n", {{CODE_family_cycle, 4, 1, "2 providers"}}},
        {"[families]\na = 'a'\n", {{CODE_family_cycle, 3, 1, "1 provider;"}}},
        {"[families]\na = 'b'\nb = 'c'\nc = ['p', 'a']\n" P, {{CODE_family_cycle, 5, 11, "3 providers"}}},
        /* two ways to one parent are no circle */
        {"[families]\na = ['b', 'c']\nb = 'p'\nc = 'p'\n" P, {{0}}},
        /* two circles, each once */
        {"[families]\na = 'b'\nb = 'a'\nc = 'd'\nd = 'c'\n", {{CODE_family_cycle, 4, 1, NULL}, {CODE_family_cycle, 6, 1, NULL}}},
        {"[families]\na = 'nobody'\n" P, {{CODE_family_unknown, 3, 1, "name a provider that has rules"}}},
        {"[families]\na = 'openia'\n[[rules]]\nproviders = 'openai'\nmatch = '*'\n" SET "\n",
         {{CODE_family_unknown, 3, 1, "did you mean 'openai'?"}}},
        {"[families]\na = 'b'\n[provider_defaults.b]\nseed = true\n", {{0}}},
        {"providers = [{id = 'b'}, {id = 'a'}]\n[families]\na = 'b'\n", {{0}}},
        {"[families]\nb = 'c'\nc = 'd'\nd = 'e'\ne = 'f'\nf = 'g'\ng = 'h'\nh = 'i'\ni = 'j'\nj = 'k'\nk = 'l'\nl = 'm'\nm = 'n'\n"
         "n = 'o'\no = 'q'\nq = 'p'\n" P, {{0}}},
        {"[families]\nz = 'a'\na = 'b'\nb = 'c'\nc = 'd'\nd = 'e'\ne = 'f'\nf = 'g'\ng = 'h'\nh = 'i'\ni = 'j'\nj = 'k'\nk = 'l'\nl = 'm'\n"
         "m = 'n'\nn = 'o'\no = 'q'\nq = 'p'\n" P,
         {{CODE_too_long, 4, 1, "16"}}},
    };
    CHECK_CASES(OWN, cases, CANDO_SYNTAX_CANDO);
    static const struct lint_case harn[] = {
        {"[provider_family]\na = \"b\"\nb = \"a\"\n", {{CODE_family_cycle, 3, 1, NULL}}},
        /* what Harn does with `mock` is written nowhere, so it is not reported */
        {"[[provider.x]]\nmodel_match = \"*\"\nvision = true\n", {{0}}},
    };
    CHECK_CASES("", harn, CANDO_SYNTAX_HARN);
}

static void near_names(void **state)
{
    (void)state;
#define H(name, id) "[[provider." name "]]\nmodel_match = \"" id "\"\nvision = true\n"
    static const struct lint_case harn[] = {
        {H("openai", "a") H("openai", "b") H("openai", "c") H("opneai", "d"), {{CODE_near_miss_name, 10, 12, "did you mean 'openai'?"}}},
        /* not if it is used twice, not if the other is rare, not if it is far away */
        {H("openai", "a") H("openai", "b") H("openai", "c") H("opneai", "d") H("opneai", "e"), {{0}}},
        {H("openai", "a") H("openai", "b") H("opneai", "d"), {{0}}},
        {H("openai", "a") H("openai", "b") H("openai", "c") H("groq", "d"), {{0}}},
        /* a number or a word behind it is meant */
        {H("openai", "a") H("openai", "b") H("openai", "c") H("openai2", "d") H("openai-x", "d"), {{0}}},
        {H("openai", "a") H("openai", "b") H("openai", "c") "[provider_family]\nopenrouter = \"opneai\"\n",
         {{CODE_family_unknown, 11, 1, "did you mean 'openai'?"}}},
    };
    CHECK_CASES("", harn, CANDO_SYNTAX_HARN);
#define C(name, id) "{match = '" id "', providers = '" name "', " SET "},\n"
    static const struct lint_case own[] = {
        {"rules = [\n" C("openai", "a") C("openai", "b") C("openai", "c") C("opnai", "d") "]\n",
         {{CODE_near_miss_name, 6, 27, "did you mean 'openai'?"}}},
        /* with declared providers it is an error already */
        {"providers = [{id = 'openai'}]\nrules = [\n" C("opnai", "d") "]\n", {{CODE_unknown_provider, 4, 27, NULL}}},
        {"providers = [{id = 'openai'}]\n[families]\nopnai = 'openai'\n", {{CODE_near_miss_name, 4, 1, "did you mean 'openai'?"}}},
    };
    CHECK_CASES(OWN, own, CANDO_SYNTAX_CANDO);
}

/* -- versions --------------------------------------------------------------------------- */

static void impossible_versions(void **state)
{
    (void)state;
#define V(id, bound) "[[provider.p]]\nmodel_match = " id "\n" bound "\nvision = true\n"
    static const struct lint_case harn[] = {
        {V("'o3'", "version_min = [1, 0]"), {{CODE_version_impossible, 3, 15, "behind claude- and gpt-"}}},
        {V("'o3?'", "version_min = [1, 0]"), {{CODE_version_impossible, 3, 15, NULL}}},
        /* a star may bring a claude- behind a slash */
        {V("'o3*'", "version_min = [1, 0]"), {{0}}},
        {V("'claude-opus-4-5'", "version_min = [4, 6]"), {{CODE_version_impossible, 3, 15, NULL}}},
        {V("'claude-opus-4-5'", "version_min = [4, 5]"), {{0}}},
        {V("'claude-opus-4-5-*'", "version_min = [4, 6]"), {{CODE_version_impossible, 3, 15, NULL}}},
        {V("'claude-opus-4-5-*'", "version_min = [4, 5]"), {{0}}},
        /* 4-5 may go on as 4-50 */
        {V("'claude-opus-4-5*'", "version_min = [4, 6]"), {{0}}},
        {V("'claude-opus-4-*'", "version_min = [4, 6]"), {{0}}},
        {V("'claude-*'", "version_min = [4, 6]"), {{0}}},
        {V("'gpt-4.1-*'", "version_min = [5, 0]"), {{CODE_version_impossible, 3, 15, NULL}}},
        {V("'gpt-4o'", "version_min = [4, 0]"), {{CODE_version_impossible, 3, 15, NULL}}},
        /* one pattern of several */
        {V("['o3', 'gpt-*']", "version_min = [4, 0]"), {{CODE_version_impossible, 2, 16, NULL}}},
        {V("['o3', 'gpt-4.1']", "version_min = [5, 0]"), {{CODE_version_impossible, 3, 15, NULL}}},
    };
    CHECK_CASES("", harn, CANDO_SYNTAX_HARN);
#define M(match, bounds) "[[rules]]\nmatch = " match "\n" bounds "\n" SET "\n"
    static const struct lint_case own[] = {
        {M("'x*'", "version_min = [4, 6]\nversion_max = [4, 5]"), {{CODE_version_impossible, 5, 15, "swap them"}}},
        {M("'x*'", "version_min = [4, 5]\nversion_max = [4, 5]"), {{0}}},
        {M("{exact = 'gemini-2.5-pro'}", "version_min = [3, 0]"), {{CODE_version_impossible, 4, 15, NULL}}},
        {M("{exact = 'gemini-2.5-pro'}", "version_max = [2, 0]"), {{CODE_version_impossible, 4, 15, NULL}}},
        {M("{exact = 'gemini-2.5-pro'}", "version_min = [2, 5]\nversion_max = [3, 0]"), {{0}}},
        /* the base need not show what the id does */
        {M("{exact = 'x'}", "version_min = [1, 0]"), {{0}}},
        {M("{exact = 'x'}\non = 'id'", "version_min = [1, 0]"), {{CODE_version_impossible, 5, 15, NULL}}},
    };
    CHECK_CASES(OWN, own, CANDO_SYNTAX_CANDO);
}

/* -- routes ------------------------------------------------------------------------------- */

static void harn_routes(void **state)
{
    (void)state;
#define ROW(p, m) "[[provider." p "]]\nmodel_match = \"" m "\"\n"
    static const struct lint_case cases[] = {
        /* rows by themselves */
        {ROW("p", "x") "reasoning_required_for_tools = true\nauto_reasoning_overrides = {agent = \"off\"}\n",
         {{CODE_reasoning_contradiction, 4, 1, "never calls a tool"}}},
        {ROW("p", "x") "reasoning_required_for_tools = true\nauto_reasoning_overrides = {chat = \"off\", code = \"low\"}\n", {{0}}},
        {ROW("p", "x") "reasoning_required_for_tools = false\nauto_reasoning_overrides = {verify = \"off\"}\n", {{0}}},
        {ROW("openrouter", "v/x") "reasoning_required_for_tools = true\n", {{CODE_route_unpinned, 3, 1, "openrouter_provider_order"}}},
        {ROW("openrouter", "v/x") "reasoning_required_for_tools = true\nopenrouter_provider_order = []\n",
         {{CODE_route_unpinned, 3, 1, NULL}}},
        {ROW("openrouter", "v/x") "reasoning_required_for_tools = true\nopenrouter_provider_order = [\"Groq\"]\n", {{0}}},
        {ROW("p", "x") "reasoning_required_for_tools = true\n", {{0}}},
        {ROW("p", "x") "preferred_tool_format = \"native\"\n", {{CODE_tool_format_without_tools, 3, 1, "prefer text"}}},
        {ROW("p", "x") "preferred_tool_format = \"native\"\nnative_tools = false\n", {{CODE_tool_format_without_tools, 3, 1, NULL}}},
        {ROW("p", "x") "preferred_tool_format = \"native\"\nnative_tools = true\n", {{0}}},
        {ROW("p", "x") "preferred_tool_format = \"text\"\n", {{0}}},
        {ROW("p", "x") "allowed_tool_choice_modes = [\"auto\"]\n", {{CODE_tool_choice_without_tools, 3, 1, "drop the modes"}}},
        {ROW("p", "x") "allowed_tool_choice_modes = []\n", {{0}}},
        {ROW("p", "x") "allowed_tool_choice_modes = [\"auto\"]\nnative_tools = true\n", {{0}}},
        /* the first match answers alone: a later rule does not help */
        {ROW("p", "x") "preferred_tool_format = \"native\"\n" ROW("p", "*") "native_tools = true\n",
         {{CODE_tool_format_without_tools, 3, 1, NULL}}},
        /* with `extends` it does */
        {ROW("p", "x") "extends = true\npreferred_tool_format = \"native\"\n" ROW("p", "*") "native_tools = true\n", {{0}}},
        {ROW("p", "x") "extends = true\nauto_reasoning_overrides = {code = \"off\"}\n" ROW("p", "*") "reasoning_required_for_tools = true\n",
         {{CODE_reasoning_contradiction, 4, 1, "'reasoning_required_for_tools' comes from the rule at a.toml:5"}}},
        /* what stands between and does not extend ends it */
        {ROW("p", "x") "extends = true\nauto_reasoning_overrides = {code = \"off\"}\n" ROW("p", "x*") "vision = true\n"
         ROW("p", "*") "reasoning_required_for_tools = true\n", {{0}}},
        /* the provider's defaults fill what rules leave open */
        {"[provider_defaults.p]\nnative_tools = true\n" ROW("p", "x") "preferred_tool_format = \"native\"\n", {{0}}},
        {"[provider_defaults.p]\nreasoning_required_for_tools = true\n" ROW("p", "x") "auto_reasoning_overrides = {agent = \"off\"}\n",
         {{CODE_reasoning_contradiction, 5, 1, "comes from the provider's defaults (a.toml:1)"}}},
        {"[provider_defaults.openrouter]\nreasoning_required_for_tools = true\n" ROW("openrouter", "x") "vision = true\n"
         ROW("openrouter", "y") "openrouter_provider_order = [\"Groq\"]\n",
         {{CODE_route_unpinned, 2, 1, NULL}}},
        {"[provider_defaults.q]\nnative_tools = true\n[provider_family]\np = \"q\"\n" ROW("p", "x") "preferred_tool_format = \"native\"\n"
         ROW("q", "y") "vision = true\n",
         {{CODE_tool_format_without_tools, 7, 1, NULL}}}, /* the walk stopped before q */
        /* openrouter uses the rules of its family where it has none of its own */
        {"[provider_family]\nopenrouter = \"openai\"\n" ROW("openai", "gpt-oss*") "reasoning_required_for_tools = true\n",
         {{CODE_route_unpinned, 5, 1, NULL}}},
        {"[provider_family]\nopenrouter = \"openai\"\n" ROW("openai", "gpt-oss*") "reasoning_required_for_tools = true\n"
         ROW("openrouter", "gpt-oss*") "vision = true\n", {{0}}},
        {"[provider_family]\nopenrouter = \"openai\"\n" ROW("openai", "*gpt-oss*") "reasoning_required_for_tools = true\n"
         ROW("openrouter", "openai/gpt-oss*") "openrouter_provider_order = [\"Groq\"]\n", {{0}}},
        {"[provider_family]\ngroq = \"openai\"\n" ROW("openai", "gpt-oss*") "reasoning_required_for_tools = true\n", {{0}}},
        /* reasoning that is not there */
        {ROW("p", "x") "thinking_modes = []\nreasoning_effort_supported = true\n", {{CODE_effort_without_reasoning, 4, 1, "set reasoning"}}},
        {ROW("p", "x") "thinking_modes = [\"effort\"]\nreasoning_effort_supported = true\n", {{0}}},
        {ROW("p", "x") "reasoning_effort_supported = true\n", {{0}}},
    };
    CHECK_CASES("", cases, CANDO_SYNTAX_HARN);
}

static void layered_routes(void **state)
{
    (void)state;
    static const struct lint_case cases[] = {
        /* halves in two rules; the finding stands at the later one */
        {"rules = [\n{match = 'x*', set = {context_window = 1000}},\n{match = 'x-big', set = {max_output = 2000}},\n]\n",
         {{CODE_output_above_window, 4, 26, "'context_window' comes from the rule at a.toml:3"}}},
        {"rules = [\n{match = 'x-big', set = {max_output = 2000}},\n{match = 'x*', set = {context_window = 1000}},\n]\n",
         {{CODE_output_above_window, 4, 23, "'max_output' comes from the rule at a.toml:3"}}},
        /* a later rule mends it */
        {"rules = [\n{match = 'x*', set = {context_window = 1000}},\n{match = 'x-big', set = {max_output = 2000}},\n"
         "{match = 'x-b*', set = {context_window = 4000}},\n]\n",
         {{0}}},
        {"rules = [\n{match = 'x*', set = {context_window = 1000}},\n{match = 'x-big', set = {max_output = 2000, context_window = 'unknown'}},\n]\n",
         {{0}}},
        {"defaults = {context_window = 1000}\nrules = [\n{match = 'x', set = {max_output = 1001}},\n]\n",
         {{CODE_output_above_window, 4, 22, "'context_window' comes from [defaults] (a.toml:2)"}}},
        {"defaults = {context_window = 1000}\nrules = [\n{match = 'x', set = {max_output = 1000}},\n]\n", {{0}}},
        {"defaults = {context_window = 1000}\nprovider_defaults.p = {max_output = 1001}\n",
         {{CODE_output_above_window, 3, 24, NULL}}},
        /* a rule for everybody meets the defaults of one provider */
        {"provider_defaults.p = {context_window = 1000}\nrules = [\n{match = 'x', set = {max_output = 1001}},\n]\n",
         {{CODE_output_above_window, 4, 22, NULL}}},
        /* another provider's rule is not met */
        {"rules = [\n{match = 'x*', providers = 'p', set = {context_window = 1000}},\n{match = 'x', providers = 'q', set = {max_output = 2000}},\n]\n",
         {{0}}},
        {"families.q = 'p'\nrules = [\n{match = 'x*', providers = 'p', set = {context_window = 1000}},\n"
         "{match = 'x', providers = 'q', extends = true, set = {max_output = 2000}},\n]\n",
         {{CODE_output_above_window, 5, 55, NULL}}},
        {"families.q = 'p'\nrules = [\n{match = 'x*', providers = 'p', set = {context_window = 1000}},\n"
         "{match = 'x', providers = 'q', set = {max_output = 2000}},\n]\n",
         {{0}}},
        /* tools */
        {"rules = [\n{match = 'x*', set = {tool_calling = 'native'}},\n{match = 'x', set = {allowed_tool_choice_modes = ['auto']}},\n]\n", {{0}}},
        {"rules = [\n{match = 'x*', set = {tool_calling = {restricted = 'beta'}}},\n{match = 'x', set = {preferred_tool_format = 'native'}},\n]\n",
         {{0}}},
        {"rules = [\n{match = 'x*', set = {allowed_tool_choice_modes = ['auto']}},\n{match = 'x', set = {tool_calling = false}},\n]\n",
         {{CODE_tool_choice_without_tools, 3, 23, NULL}, {CODE_tool_choice_without_tools, 4, 22, "comes from the rule at a.toml:3"}}},
        /* reasoning: the later word counts, and a mode of thinking is one */
        {"rules = [\n{match = 'x*', set = {reasoning = false}},\n{match = 'x', set = {reasoning_efforts = ['low']}},\n]\n",
         {{CODE_effort_without_reasoning, 4, 22, "'reasoning' comes from the rule at a.toml:3"}}},
        {"rules = [\n{match = 'x*', set = {reasoning = false}},\n{match = 'x', set = {thinking_modes = ['enabled']}},\n]\n", {{0}}},
        {"rules = [\n{match = 'x*', set = {thinking_modes = ['enabled']}},\n{match = 'x', set = {reasoning = false}},\n]\n",
         {{CODE_effort_without_reasoning, 4, 22, NULL}}},
        {"rules = [\n{match = 'x', set = {reasoning = false, thinking_modes = ['enabled']}},\n]\n",
         {{CODE_effort_without_reasoning, 3, 41, NULL}}},
        {"rules = [\n{match = 'x', set = {reasoning = false, reasoning_efforts = ['none']}},\n]\n", {{0}}},
        {"rules = [\n{match = 'x', set = {reasoning = false, max_thinking_budget = 5}},\n]\n", {{CODE_effort_without_reasoning, 3, 41, NULL}}},
        /* a rule for everybody is openrouter's too, once somebody names it */
        {"rules = [\n{match = 'x', set = {reasoning_required_for_tools = true}},\n{match = 'y', providers = 'openrouter', " SET "},\n]\n",
         {{CODE_route_unpinned, 3, 22, NULL}}},
        {"rules = [\n{match = 'x', set = {reasoning_required_for_tools = true}},\n]\n", {{0}}},
        {"rules = [\n{match = 'x*', set = {reasoning_required_for_tools = true}},\n"
         "{match = 'x-1', providers = 'openrouter', set = {openrouter_provider_order = ['Groq']}},\n]\n",
         {{0}}},
        /* versions: the example has the version that the rule asks for */
        {"rules = [\n{match = 'x*', version_min = [5, 0], set = {context_window = 1000}},\n"
         "{match = 'x*', version_min = [6, 0], set = {max_output = 2000}},\n]\n",
         {{CODE_output_above_window, 4, 45, NULL}}},
        {"rules = [\n{match = 'x*', version_min = [5, 0], set = {context_window = 1000}},\n"
         "{match = 'x*', version_max = [4, 0], set = {max_output = 2000}},\n]\n",
         {{0}}},
    };
    CHECK_CASES(OWN, cases, CANDO_SYNTAX_CANDO);
}

/* A stage of another kind lies above: it overwrites field by field. */
static void routes_across_stages(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read_in(&s, "base", OWN "rules = [{match = 'x*', set = {tool_calling = 'native', context_window = 1000}}]\n", CANDO_SYNTAX_CANDO,
                CANDO_LAYER_FAMILY);
    set_read_in(&s, "over", FIRST "rules = [{match = 'x', on = 'id', set = {preferred_tool_format = 'native', max_output = 2000}}]\n",
                CANDO_SYNTAX_CANDO, CANDO_LAYER_PROJECT);
    ruleset_lint(&s.rs);
    const struct want want[MOST] = {{CODE_output_above_window, 3, 76, "comes from the rule at base:2"}};
    compare_findings(&s.rs, want, "two stages");
    set_close(&s);
}

/* -- the whole --------------------------------------------------------------------------------- */

/* Half a file proves nothing about the other half. */
static void broken_sources_take_no_part(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read_in(&s, "a", FIRST "rules = [{match = 'x', providers = 'p', " SET "}]\nfamilies.q = 'r'\n", CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    set_read_in(&s, "b", FIRST "rules = [{match = '*', " SET "}]\n[[rules\n", CANDO_SYNTAX_CANDO, CANDO_LAYER_PROJECT);
    ruleset_lint(&s.rs);
    assert_int_equal(s.rs.diag.count[CANDO_WARNING], 0);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 1);
    set_close(&s);
}

static void once_and_sorted(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    ruleset_lint(&s.rs);
    assert_true(s.rs.linted);
    assert_clean(&s.rs);
    set_close(&s);

    set_open(&s);
    set_read(&s, FIRST "families.a = 'a'\nrules = [\n{match = '*', " SET "},\n{match = 'x', bad = 1, " SET "},\n]\n", CANDO_SYNTAX_CANDO);
    ruleset_lint(&s.rs);
    size_t n = s.rs.diag.n;
    ruleset_lint(&s.rs);
    assert_int_equal(s.rs.diag.n, n);
    for (size_t i = 1; i < n; i++)
        assert_true(s.rs.diag.item[i - 1].at.line <= s.rs.diag.item[i].at.line);
    set_close(&s);
}

/* Many rules with nothing to find but what is planted. */
static void many_rules(void **state)
{
    (void)state;
    struct text t = {0};
    struct set s;
    for (unsigned i = 0; i < 3000; i++)
        text_add(&t, "[[provider.p%u]]\nmodel_match = \"*m%u-*\"\nvision = true\n", i % 7, i);
    text_add(&t, "[[provider.p3]]\nmodel_match = \"x-m17-y\"\nvision = true\n");
    set_open(&s);
    ruleset_read(&s.rs, STR("many"), str_make(t.p, t.n), CANDO_SYNTAX_HARN, CANDO_LAYER_FAMILY);
    ruleset_lint(&s.rs);
    const struct want want[MOST] = {{CODE_rule_shadowed, 9001, 12, "the rule at many:52 comes first"}};
    compare_findings(&s.rs, want, "many");
    set_close(&s);
    free(t.p);
}

static const char everything[] =
    FIRST "[families]\nopenrouter = 'openai'\na = 'b'\nb = 'a'\nc = 'nobody'\n"
          "[defaults]\ncontext_window = 1000\n[provider_defaults.openai]\nreasoning_required_for_tools = true\n"
          "[[rules]]\nname = 'one'\nmatch = ['x[!a]*', 'xa*', 'xab']\nset = {max_output = 2000}\n"
          "[[rules]]\nmatch = 'x?*'\nset = {preferred_tool_format = 'native'}\n"
          "[[rules]]\nproviders = ['openai', 'openrouter']\nmatch = '*a*'\nset = {auto_reasoning_overrides = {agent = 'off'}}\n"
          "[[rules]]\nproviders = 'opneai'\nversion_min = [5, 0]\nmatch = {exact = 'claude-4-5'}\nset = {seed = true}\n"
          "[[rules]]\nmatch = '*'\nset = {seed = true}\n[[rules]]\nmatch = {contains = 'z'}\nset = {seed = true}\n";
static const char above[] = OWN "[[rules]]\nmatch = 'o[13]'\nset = {seed = true}\n[[rules]]\nmatch = 'o1*'\nset = {seed = true}\n"
                                "[[rules]]\nmatch = 'o3*'\nset = {seed = true}\n";

static bool lint_in(struct failing *scarce, size_t *findings)
{
    cando_allocator a = {failing_resize, scarce};
    struct arena ar;
    struct ruleset rs;
    arena_init(&ar, &a);
    ruleset_init(&rs, &ar);
    ruleset_read(&rs, STR("a"), STR(everything), CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    ruleset_read(&rs, STR("b"), STR(above), CANDO_SYNTAX_CANDO, CANDO_LAYER_USER);
    ruleset_lint(&rs);
    bool failed = rs.failed;
    *findings = rs.diag.n;
    arena_free(&ar);
    assert_int_equal(scarce->live, 0);
    return failed;
}

static void memory_runs_out(void **state)
{
    (void)state;
    struct failing plenty = {0};
    size_t all, n;
    assert_false(lint_in(&plenty, &all));
    assert_true(all >= 10);
    for (size_t at = 0; at < plenty.calls; at++) {
        struct failing scarce = failing_after(at);
        assert_true(lint_in(&scarce, &n));
        assert_true(n <= all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shadowed_rules),
        cmocka_unit_test(shadowed_in_scopes),
        cmocka_unit_test(shadowed_by_version),
        cmocka_unit_test(shadowed_patterns),
        cmocka_unit_test(any_first),
        cmocka_unit_test(layers_in_first_match),
        cmocka_unit_test(versions_of_two_schemes),
        cmocka_unit_test(overwritten_values),
        cmocka_unit_test(overwritten_across_layers),
        cmocka_unit_test(families),
        cmocka_unit_test(near_names),
        cmocka_unit_test(impossible_versions),
        cmocka_unit_test(harn_routes),
        cmocka_unit_test(layered_routes),
        cmocka_unit_test(routes_across_stages),
        cmocka_unit_test(broken_sources_take_no_part),
        cmocka_unit_test(once_and_sorted),
        cmocka_unit_test(many_rules),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
