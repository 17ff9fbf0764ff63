/*
 * test_conflicts.c - disagreements are found, told apart and put in order, from
 * files and from the claims of a catalog alike.
 */
#include "facts_case.h"

#include "rules/sources.h"

#define MODELS_DEV                                                                                                              \
    "{\"wandb\":{\"models\":{\"m\":{\"cost\":{\"input\":0.15,\"output\":0.6}}}},"                                               \
    "\"deepseek\":{\"models\":{\"deepseek-chat\":{\"limit\":{\"context\":1000000,\"output\":384000}}}},"                        \
    "\"anthropic\":{\"models\":{\"claude-z\":{\"limit\":{\"context\":200000,\"output\":64000}}}},"                              \
    "\"openai\":{\"models\":{\"round\":{\"limit\":{\"context\":128000,\"output\":4096},\"tool_call\":true},"                    \
    "\"split\":{\"limit\":{\"context\":400000,\"output\":128000}},\"zero\":{\"limit\":{\"context\":9000,\"output\":0}},"        \
    "\"same\":{\"limit\":{\"context\":9000,\"output\":10}}}}}"
#define LITELLM                                                                                                                 \
    "{\"wandb/m\":{\"litellm_provider\":\"wandb\",\"input_cost_per_token\":0.015,\"output_cost_per_token\":0.06},"              \
    "\"deepseek/deepseek-chat\":{\"litellm_provider\":\"deepseek\",\"max_input_tokens\":131072,\"max_output_tokens\":8192},"    \
    "\"claude-z\":{\"litellm_provider\":\"anthropic\",\"supports_response_schema\":true},"                                      \
    "\"round\":{\"litellm_provider\":\"openai\",\"max_input_tokens\":131072,\"supports_function_calling\":false},"              \
    "\"split\":{\"litellm_provider\":\"openai\",\"max_input_tokens\":272000},"                                                  \
    "\"zero\":{\"litellm_provider\":\"openai\",\"max_output_tokens\":4096},"                                                    \
    "\"same\":{\"litellm_provider\":\"openai\",\"max_input_tokens\":9000,\"max_output_tokens\":10}}"
#define GENAI "[{\"id\":\"deepseek\",\"models\":[{\"id\":\"deepseek-chat\",\"match\":{\"equals\":\"deepseek-chat\"},\"context_window\":64000}]}]"

static const struct conflict *find(const struct conflict_list *l, const char *model, const char *field)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_is(l->item[i].model, model) && str_is(l->item[i].field, field))
            return &l->item[i];
    return NULL;
}

static void assert_kind(const struct conflict_list *l, const char *model, const char *field, cando_conflict_kind kind, size_t claims)
{
    const struct conflict *x = find(l, model, field);
    if (!x)
        fail_msg("no conflict on %s of %s", field, model);
    assert_string_equal(conflict_words[x->kind], conflict_words[kind]);
    assert_int_equal(x->n, claims);
}

static void read_all(struct facts_case *c)
{
    facts_begin(c);
    facts_read(c, SRC_MODELS_DEV, 20260702, MODELS_DEV);
    facts_read(c, SRC_LITELLM, 20260808, LITELLM);
    facts_read(c, SRC_GENAI_PRICES, 20260821, GENAI);
    facts_merge(c);
}

static void test_kinds(void **state)
{
    (void)state;
    struct facts_case c;
    struct conflict_list l;
    read_all(&c);
    conflicts_init(&l, &c.ar);
    conflicts_from_merge(&l, &c.im, &c.m);
    assert_false(l.ar->failed);
    assert_kind(&l, "m", "price.input_tokens", CANDO_CONFLICT_ABSURD, 2);
    assert_kind(&l, "m", "price.output_tokens", CANDO_CONFLICT_ABSURD, 2);
    assert_kind(&l, "deepseek-chat", "context_window", CANDO_CONFLICT_REAL, 3);
    assert_kind(&l, "deepseek-chat", "max_output", CANDO_CONFLICT_REAL, 2);
    assert_kind(&l, "claude-z", "structured_output", CANDO_CONFLICT_SILENT, 2);
    assert_kind(&l, "round", "context_window", CANDO_CONFLICT_ROUNDING, 2);
    assert_kind(&l, "round", "tool_calling", CANDO_CONFLICT_REAL, 2);
    assert_kind(&l, "split", "context_window", CANDO_CONFLICT_INPUT_WINDOW, 2);
    assert_kind(&l, "zero", "max_output", CANDO_CONFLICT_PLACEHOLDER, 2);
    assert_null(find(&l, "same", "context_window"));
    assert_null(find(&l, "same", "max_output"));
    facts_end(&c);
}

static void test_worst_first(void **state)
{
    (void)state;
    struct facts_case c;
    struct conflict_list l;
    read_all(&c);
    conflicts_init(&l, &c.ar);
    conflicts_from_merge(&l, &c.im, &c.m);
    conflicts_sort(&l);
    assert_true(l.n > 5);
    assert_int_equal(l.item[0].kind, CANDO_CONFLICT_ABSURD);
    assert_true(str_is(l.item[0].field, "price.input_tokens"));
    assert_int_equal(l.item[l.n - 1].kind, CANDO_CONFLICT_PLACEHOLDER);
    for (size_t i = 1; i < l.n; i++)
        assert_true(l.item[i - 1].score >= l.item[i].score);
    /* the winner is marked, and what each said is there */
    const struct conflict *x = find(&l, "deepseek-chat", "context_window");
    assert_true(str_is(x->value, "1000000"));
    for (size_t i = 0; i < x->n; i++) {
        assert_int_equal(x->claim[i].wins, str_is(x->claim[i].source, "models.dev"));
        if (str_is(x->claim[i].source, "litellm")) {
            assert_true(str_is(x->claim[i].on, "max_input"));
            assert_true(str_is(x->claim[i].value, "131072"));
            assert_true(str_is(x->claim[i].day, "2026-08-08"));
        }
    }
    facts_end(&c);
}

/* What weighs the same stands by provider, then by model, then by field. */
static void test_equally_bad(void **state)
{
    (void)state;
    static const char *const want[][2] = {{"acme", "z"}, {"openai", "a"}, {"openai", "b"}};
    static const char said[] = "{\"openai\":{\"models\":{\"b\":{\"tool_call\":true},"
                               "\"a\":{\"tool_call\":true}}},"
                               "\"acme\":{\"models\":{\"z\":{\"tool_call\":true}}}}";
    static const char denied[] =
        "{\"a\":{\"litellm_provider\":\"openai\",\"supports_function_calling\":false},"
        "\"b\":{\"litellm_provider\":\"openai\",\"supports_function_calling\":false},"
        "\"z\":{\"litellm_provider\":\"acme\",\"supports_function_calling\":false}}";
    struct facts_case c;
    struct conflict_list l;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, said);
    facts_read(&c, SRC_LITELLM, 20260808, denied);
    facts_merge(&c);
    conflicts_init(&l, &c.ar);
    conflicts_from_merge(&l, &c.im, &c.m);
    conflicts_sort(&l);
    assert_int_equal(l.n, LENGTH(want));
    for (size_t i = 0; i < l.n; i++) {
        assert_true(str_is(l.item[i].provider, want[i][0]));
        assert_true(str_is(l.item[i].model, want[i][1]));
    }
    facts_end(&c);
}

/* Written as a catalog, compiled, and asked again. */
static void test_from_catalog(void **state)
{
    (void)state;
    static const char providers[] = "schema = \"cando/rules@1\"\n[[providers]]\nid = \"wandb\"\n[[providers]]\nid = \"deepseek\"\n"
                                    "[[providers]]\nid = \"anthropic\"\n[[providers]]\nid = \"openai\"\n";
    struct facts_case c;
    struct conflict_list l;
    struct buf b;
    cando_error err;
    read_all(&c);
    buf_init(&b, NULL, 1u << 20);
    assert_int_equal(write_rows(&b, &c.im, &c.m, 0, c.m.n_rows), 7);
    cando_sources *s = cando_sources_new(NULL, &err);
    assert_non_null(s);
    assert_int_equal(cando_sources_add(s, "p.toml", providers, sizeof providers - 1, CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY, &err), CANDO_OK);
    assert_int_equal(cando_sources_add(s, "f.toml", b.p, b.n, CANDO_SYNTAX_AUTO, CANDO_LAYER_FACTS, &err), CANDO_OK);
    const cando_catalog *cat = sources_open(s, &err);
    if (!cat)
        fail_msg("%s:%u: %s", err.at, err.line, err.message);
    conflicts_init(&l, &c.ar);
    conflicts_from_catalog(&l, cat);
    conflicts_sort(&l);
    assert_kind(&l, "m", "price.input_tokens", CANDO_CONFLICT_ABSURD, 2);
    assert_kind(&l, "deepseek-chat", "context_window", CANDO_CONFLICT_REAL, 3);
    assert_kind(&l, "round", "context_window", CANDO_CONFLICT_ROUNDING, 2);
    assert_kind(&l, "round", "tool_calling", CANDO_CONFLICT_REAL, 2);
    assert_null(find(&l, "zero", "max_output")); /* a zero is not worth keeping */
    assert_true(str_is(find(&l, "m", "price.input_tokens")->value, "0.15"));
    assert_true(str_is(find(&l, "deepseek-chat", "context_window")->value, "1000000"));
    cando_catalog_release(cat);
    cando_sources_free(s);
    buf_free(&b);
    facts_end(&c);
}

/* Where the window itself is unknown, the limit of the prompt is in force for it, and for no other
 * field. What a claim says of a field that nothing is in force for is a conflict of its own. */
static void test_in_force(void **state)
{
    (void)state;
    static const char text[] =
        "schema = \"cando/rules@1\"\n[[providers]]\nid = \"p\"\n"
        "[[models]]\nprovider = \"p\"\nid = \"a\"\nset = { max_input = 1000, claims = {"
        "\"context_window|litellm|2026-08-08\" = \"1020\","
        "\"max_input|models.dev|2026-07-02\" = \"1000\" } }\nsource = \"s\"\n"
        "[[models]]\nprovider = \"p\"\nid = \"b\"\nset = { max_input = 1000, claims = {"
        "\"max_output|litellm|2026-08-08\" = \"1020\","
        "\"max_output|models.dev|2026-07-02\" = \"1000\" } }\nsource = \"s\"\n"
        "[[models]]\nprovider = \"p\"\nid = \"c\"\nset = { context_window = 900, max_input = 800,"
        " claims = { \"context_window|litellm|2026-08-08\" = \"900\","
        "\"max_input|models.dev|2026-07-02\" = \"800\" } }\nsource = \"s\"\n";
    struct arena ar;
    struct conflict_list l;
    cando_error err;
    const struct conflict *x;
    arena_init(&ar, NULL);
    cando_sources *s = cando_sources_new(NULL, &err);
    assert_non_null(s);
    assert_int_equal(cando_sources_add(s, "p.toml", text, sizeof text - 1, CANDO_SYNTAX_AUTO,
                                       CANDO_LAYER_FACTS, &err),
                     CANDO_OK);
    const cando_catalog *cat = sources_open(s, &err);
    if (!cat)
        fail_msg("%s:%u: %s", err.at, err.line, err.message);
    conflicts_init(&l, &ar);
    conflicts_from_catalog(&l, cat);
    assert_int_equal(l.n, 3);
    assert_kind(&l, "a", "context_window", CANDO_CONFLICT_ROUNDING, 2);
    x = find(&l, "a", "context_window");
    assert_true(str_is(x->value, "1000"));
    assert_true(str_is(x->claim[0].on, "max_input") && x->claim[0].wins);
    assert_true(str_is(x->claim[1].on, "") && !x->claim[1].wins);
    assert_kind(&l, "b", "max_output", CANDO_CONFLICT_REAL, 2);
    x = find(&l, "b", "max_output");
    assert_null(x->value.p);
    assert_false(x->claim[0].wins || x->claim[1].wins || x->claim[0].absurd);
    assert_true(str_is(find(&l, "c", "context_window")->value, "900"));
    cando_catalog_release(cat);
    cando_sources_free(s);
    arena_free(&ar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_worst_first),
        cmocka_unit_test(test_equally_bad),
        cmocka_unit_test(test_from_catalog),
        cmocka_unit_test(test_in_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
