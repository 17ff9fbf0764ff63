/*
 * test_merge.c - who wins, what is kept, and how it is written.
 */
#include "catalog/evidence.h"
#include "facts_case.h"
#include "rules/read.h"

/* A models.dev file with one model of one provider. */
#define MODELS_DEV(provider, id, body) "{\"" provider "\":{\"models\":{\"" id "\":{\"name\":\"M\"," body "}}}}"
#define TEXT "\"modalities\":{\"input\":[\"text\"],\"output\":[\"text\"]}"
#define LITELLM(provider, id, body) "{\"" provider "/" id "\":{\"litellm_provider\":\"" provider "\",\"mode\":\"chat\"," body "}}"
#define GENAI(provider, id, body) "[{\"id\":\"" provider "\",\"models\":[{\"id\":\"" id "\",\"match\":{\"equals\":\"" id "\"}," body "}]}]"

static const struct dispute *dispute_on(const struct facts_case *c, unsigned field, const char *key)
{
    for (size_t i = 0; i < c->m.n_disputes; i++)
        if (c->m.dispute[i].field == field && str_is(c->m.dispute[i].key, key))
            return &c->m.dispute[i];
    return NULL;
}

/* The provider's own word against two catalogs that agree. */
static void test_first_party_wins(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("anthropic", "m", "\"limit\":{\"context\":200000,\"output\":64000},\"structured_output\":true"));
    facts_read(&c, SRC_LITELLM, 20260808, "{\"m\":{\"litellm_provider\":\"anthropic\",\"max_output_tokens\":64000,\"supports_response_schema\":true}}");
    facts_read(&c, SRC_ANTHROPIC, 20260101,
               "{\"data\":[{\"id\":\"m\",\"max_input_tokens\":1000000,\"max_tokens\":128000,\"capabilities\":{\"structured_outputs\":{\"supported\":false}}}]}");
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "anthropic", "m", "context_window"), "1000000");
    assert_string_equal(facts_row(&c, "anthropic", "m", "max_output"), "128000");
    assert_string_equal(facts_row(&c, "anthropic", "m", "structured_output"), "unsupported");
    const struct dispute *d = dispute_on(&c, F_structured_output, "");
    assert_non_null(d);
    assert_int_equal(d->n, 3); /* all that was said is kept */
    facts_end(&c);
}

/* Two voices beat one that is newer; an echo is not a second voice. */
static void test_agreement(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260101, MODELS_DEV("acme", "m", "\"limit\":{\"context\":128000,\"output\":4000}"));
    facts_read(&c, SRC_GENAI_PRICES, 20260102, GENAI("acme", "m", "\"context_window\":128000"));
    facts_read(&c, SRC_RUBY_LLM, 20260819, "[{\"id\":\"m\",\"provider\":\"acme\",\"context_window\":64000,\"metadata\":{}}]");
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("acme", "m", "\"max_output_tokens\":8000"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "context_window"), "128000");
    assert_string_equal(facts_row(&c, "acme", "m", "max_output"), "8000"); /* one against one: newer by months */
    facts_end(&c);

    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "m", "\"limit\":{\"context\":1,\"output\":4000}"));
    facts_read(&c, SRC_RUBY_LLM, 20260702, "[{\"id\":\"m\",\"provider\":\"acme\",\"max_output_tokens\":4000,\"metadata\":{\"source\":\"models.dev\"}}]");
    facts_read(&c, SRC_LITELLM, 20261101, LITELLM("acme", "m", "\"max_output_tokens\":1"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "max_output"), "1");
    facts_end(&c);
}

/* A later word of the same voice replaces the earlier one and is no dispute. */
static void test_last_word(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "m", "\"limit\":{\"context\":9000,\"output\":4000},\"cost\":{\"input\":1,\"output\":2}"));
    facts_read(&c, SRC_RUBY_LLM, 20260819,
               "[{\"id\":\"m\",\"provider\":\"acme\",\"max_output_tokens\":5000,"
               "\"metadata\":{\"source\":\"models.dev\",\"cost\":{\"input\":0.5,\"output\":2}}}]");
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "max_output"), "5000");
    assert_string_equal(facts_row(&c, "acme", "m", "price.input_tokens"), "0.5");
    assert_int_equal(c.m.n_disputes, 0);
    facts_end(&c);
}

/* Files of the same weeks: the order of the sources decides, not the day. */
static void test_order_decides(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_GENAI_PRICES, 20260821, GENAI("acme", "m", "\"context_window\":64000"));
    facts_read(&c, SRC_MODELS_DEV, 20260801, MODELS_DEV("acme", "m", "\"limit\":{\"context\":1000000,\"output\":8}"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "context_window"), "1000000");
    facts_end(&c);
}

/* Zeros and prices 100,000 times too dear never win, not even alone. */
static void test_never_wins(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260101, MODELS_DEV("wandb", "m", "\"limit\":{\"context\":0,\"output\":0},\"cost\":{\"input\":0.15,\"output\":0.6}"));
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("wandb", "m", "\"max_output_tokens\":8192,\"input_cost_per_token\":0.015,\"output_cost_per_token\":0.06"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "wandb", "m", "price.input_tokens"), "0.15");
    assert_string_equal(facts_row(&c, "wandb", "m", "price.output_tokens"), "0.6");
    assert_string_equal(facts_row(&c, "wandb", "m", "max_output"), "8192");
    assert_string_equal(facts_row(&c, "wandb", "m", "context_window"), "");
    facts_end(&c);

    /* alone, against the median of everything else */
    char text[8000] = "{";
    for (int i = 0; i < 40; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "\"acme/m%d\":{\"litellm_provider\":\"acme\",\"input_cost_per_token\":%s},", i,
                 i == 7 ? "0.0032" : "1e-06");
    }
    text[strlen(text) - 1] = '}';
    facts_begin(&c);
    facts_read(&c, SRC_LITELLM, 20260808, text);
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m6", "price.input_tokens"), "1");
    assert_string_equal(facts_row(&c, "acme", "m7", "price.input_tokens"), "");
    const struct dispute *d = dispute_on(&c, F_price, "input_tokens");
    assert_non_null(d);
    assert_false(d->has_winner);
    facts_end(&c);
}

/* A model that is sold as free costs nothing; another with zeros is unknown. */
static void test_free_models(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702,
               "{\"acme\":{\"models\":{\"m:free\":{\"cost\":{\"input\":0,\"output\":0}},\"m\":{\"cost\":{\"input\":0,\"output\":0}}}}}");
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m:free", "price.input_tokens"), "0");
    assert_string_equal(facts_row(&c, "acme", "m", "price.input_tokens"), "");
    facts_end(&c);
}

/* What describes a model may be told in many ways: that is no dispute. */
static void test_no_dispute_on_words(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702,
               "{\"acme\":{\"models\":{\"m\":{\"name\":\"Em\"}}}}");
    facts_read(&c, SRC_GENAI_PRICES, 20260819, GENAI("acme", "m", "\"name\":\"M of Acme\""));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "display_name"), "Em");
    assert_int_equal(c.m.n_disputes, 0);
    facts_end(&c);
}

/* The limit of the prompt and the total: what agrees, and what does not. */
static void test_windows(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c); /* they differ by the output: both are right */
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "m", "\"limit\":{\"context\":400000,\"output\":128000}"));
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("acme", "m", "\"max_input_tokens\":272000,\"max_output_tokens\":128000"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "context_window"), "400000");
    assert_string_equal(facts_row(&c, "acme", "m", "max_input"), "272000");
    facts_end(&c);

    facts_begin(&c); /* equal: the total says it all */
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "m", "\"limit\":{\"context\":200000,\"output\":8}"));
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("acme", "m", "\"max_input_tokens\":200000"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "max_input"), "");
    assert_int_equal(c.m.n_disputes, 0);
    facts_end(&c);

    facts_begin(&c); /* equal of one source: no two sides, and another prompt is a dispute */
    facts_read(&c, SRC_MODELS_DEV, 20260702,
               MODELS_DEV("acme", "m", "\"limit\":{\"context\":200000,\"input\":200000}"));
    facts_read(&c, SRC_LITELLM, 20260601, LITELLM("acme", "m", "\"max_input_tokens\":100000"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "context_window"), "200000");
    assert_string_equal(facts_row(&c, "acme", "m", "max_input"), "");
    assert_non_null(dispute_on(&c, F_context_window, ""));
    facts_end(&c);

    facts_begin(&c); /* three windows: one wins, three are kept */
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("deepseek", "deepseek-chat", "\"limit\":{\"context\":1000000,\"output\":384000}"));
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("deepseek", "deepseek-chat", "\"max_input_tokens\":131072,\"max_output_tokens\":8192"));
    facts_read(&c, SRC_GENAI_PRICES, 20260821, GENAI("deepseek", "deepseek-chat", "\"context_window\":64000"));
    facts_merge(&c);
    const struct dispute *d = dispute_on(&c, F_context_window, "");
    assert_non_null(d);
    assert_int_equal(d->n, 3);
    assert_string_equal(facts_row(&c, "deepseek", "deepseek-chat", "context_window"), "1000000");
    assert_string_equal(facts_row(&c, "deepseek", "deepseek-chat", "max_input"), "");
    facts_end(&c);

    facts_begin(&c); /* only the prompt is known: the total stays unknown */
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("acme", "m", "\"max_input_tokens\":131072"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "context_window"), "");
    assert_string_equal(facts_row(&c, "acme", "m", "max_input"), "131072");
    facts_end(&c);

    for (unsigned i = 0; i < 2; i++) { /* a better prompt: a total far above it is no total of it */
        static const char *const prompt[] = {"190000", "189999"};
        char text[100];
        snprintf(text, sizeof text, LITELLM("acme", "m", "\"max_input_tokens\":%s"), prompt[i]);
        facts_begin(&c);
        facts_read(&c, SRC_MODELS_DEV, 20250102,
                   MODELS_DEV("acme", "m", "\"limit\":{\"context\":200000}"));
        facts_read(&c, SRC_LITELLM, 20260808, text);
        facts_merge(&c);
        assert_string_equal(facts_row(&c, "acme", "m", "context_window"), i ? "" : "200000");
        assert_string_equal(facts_row(&c, "acme", "m", "max_input"), prompt[i]);
        facts_end(&c);
    }

    facts_begin(&c); /* an answer longer than the window is not believed */
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "m", "\"limit\":{\"context\":8000,\"output\":16000}"));
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("acme", "m", "\"max_output_tokens\":4000"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "max_output"), "4000");
    facts_end(&c);
}

/* Others add units and service tiers if they agree on the rates, never steps. */
static void test_price_is_one(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "m", "\"cost\":{\"input\":3,\"output\":15,\"context_over_200k\":{\"input\":6,\"output\":22.5}}"));
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("acme", "m", "\"input_cost_per_token\":3e-06,\"output_cost_per_token\":1.5e-05,\"input_cost_per_token_batches\":1.5e-06"));
    facts_read(&c, SRC_GENAI_PRICES, 20260821, GENAI("acme", "m", "\"prices\":{\"input_mtok\":3,\"output_mtok\":15,\"cache_write_1h_mtok\":6}"));
    facts_read(&c, SRC_RUBY_LLM, 20260822,
               "[{\"id\":\"m\",\"provider\":\"acme\",\"metadata\":{},\"pricing\":{\"text_tokens\":{\"standard\":{\"input_per_million\":3,\"cache_read_input_per_million\":9}}}}]");
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "price.input_tokens"), "3");
    assert_string_equal(facts_row(&c, "acme", "m", "price.cache_write_1h_tokens"), "6");
    assert_string_equal(facts_row(&c, "acme", "m", "price.input_tokens @batch"), "1.5");
    assert_string_equal(facts_row(&c, "acme", "m", "price.input_tokens >200000"), ""); /* the newest knows of no tier */
    assert_string_equal(facts_row(&c, "acme", "m", "price.cache_read_tokens"), "");    /* a guess adds nothing */
    assert_int_equal(c.m.row[0].source, SRC_GENAI_PRICES);
    assert_int_equal(c.m.row[0].day, 20260821);
    facts_end(&c);

    facts_begin(&c); /* who disagrees adds nothing */
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "m", "\"cost\":{\"input\":3,\"output\":15}"));
    facts_read(&c, SRC_LITELLM, 20260808, LITELLM("acme", "m", "\"input_cost_per_token\":2e-06,\"output_cost_per_token\":1.5e-05,\"cache_read_input_token_cost\":2e-07"));
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "acme", "m", "price.input_tokens"), "3");
    assert_string_equal(facts_row(&c, "acme", "m", "price.cache_read_tokens"), "");
    facts_end(&c);
}

/* A price belongs to one spelling at one provider. */
static void test_price_never_crosses(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702,
               "{\"openai\":{\"models\":{\"gpt-x\":{\"cost\":{\"input\":2,\"output\":8}},\"gpt-x-2026-01-01\":{\"limit\":{\"context\":5,\"output\":5}}}},"
               "\"azure\":{\"models\":{\"gpt-x\":{\"limit\":{\"context\":5,\"output\":5}}}}}");
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "openai", "gpt-x", "price.input_tokens"), "2");
    assert_string_equal(facts_row(&c, "openai", "gpt-x-2026-01-01", "price.input_tokens"), "");
    assert_string_equal(facts_row(&c, "azure", "gpt-x", "price.input_tokens"), "");
    facts_end(&c);
}

/* OpenRouter's own list is complete: what it no longer names is gone. */
static void test_gone(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702,
               "{\"openrouter\":{\"models\":{\"a/old\":{\"tool_call\":true},\"a/m\":{\"tool_call\":true}}},\"acme\":{\"models\":{\"a/old\":{\"tool_call\":true}}}}");
    facts_read(&c, SRC_OPENROUTER, 20260805, "{\"data\":[{\"id\":\"a/m\",\"context_length\":10}]}");
    facts_merge(&c);
    assert_int_equal(c.m.n_rows, 3);
    for (size_t i = 0; i < c.m.n_rows; i++) {
        const struct offering *o = &c.im.offering[c.m.row[i].offering];
        assert_int_equal(c.m.row[i].gone, str_is(o->provider, "openrouter") && str_is(o->id, "a/old"));
    }
    facts_end(&c);
}

/* LiteLLM alone, at a host that models.dev lists too: chat models are old. */
static void test_old(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "b", "\"tool_call\":true"));
    facts_read(&c, SRC_LITELLM, 20260808,
               "{\"acme/a\":{\"litellm_provider\":\"acme\",\"max_output_tokens\":9,\"mode\":\"chat\"},\"acme/b\":{\"litellm_provider\":\"acme\",\"mode\":\"chat\"},"
               "\"acme/c\":{\"litellm_provider\":\"acme\",\"mode\":\"embedding\"},\"wandb/d\":{\"litellm_provider\":\"wandb\",\"max_output_tokens\":9}}");
    facts_merge(&c);
    assert_int_equal(c.m.n_rows, 4);
    assert_int_equal(merge_mark_old(&c.im, &c.m, 0, 3), 1);
    assert_int_equal(merge_mark_old(&c.im, &c.m, 3, 4), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(row_is_written(&c.m.row[i]), i != 0);
    facts_end(&c);
}

/* A file that says the same of one model ten thousand times is cut short. */
static void test_bounds(void **state)
{
    (void)state;
    struct facts_case c;
    struct buf b;
    facts_begin(&c);
    buf_init(&b, NULL, 1u << 20);
    buf_putz(&b, "{\"data\":[");
    for (unsigned i = 0; i < 2 * IMPORT_RECORDS; i++)
        buf_printf(&b, "%s{\"id\":\"m\"}", i ? "," : "");
    buf_putz(&b, "]}");
    facts_read(&c, SRC_OPENAI, 20260805, buf_cstr(&b));
    facts_check_counts(&c, SRC_OPENAI, 2 * IMPORT_RECORDS, IMPORT_RECORDS);
    assert_int_equal(facts_skipped(&c, SRC_OPENAI, SKIP_REPEATED), IMPORT_RECORDS);
    buf_clear(&b);
    buf_putz(&b, "{\"acme/m\":{\"litellm_provider\":\"acme\"");
    for (unsigned i = 0; i < IMPORT_RATES + 5; i++)
        buf_printf(&b, ",\"input_cost_per_token_above_%uk_tokens\":1", i + 1);
    buf_putz(&b, "}}");
    facts_read(&c, SRC_LITELLM, 20260805, buf_cstr(&b));
    assert_int_equal(c.im.n_claims, IMPORT_RATES);
    assert_int_equal(c.im.count[SRC_LITELLM].bad_values, 5);
    facts_merge(&c);
    buf_free(&b);
    facts_end(&c);
}

/* -- writing ------------------------------------------------------------------------- */

static const char written[] =
    "# Offerings of deepseek: limits, prices and what was claimed of each.\n"
    "# Written by `cando import`; corrections go to catalog/curated/. docs/catalog.md tells how sources are weighed.\n"
    "# Sources: models.dev (2026-07-02), litellm (2026-08-08); NOTICE has their licences.\n"
    "schema = \"cando/rules@1\"\n"
    "\n"
    "[[models]]\n"
    "provider = \"deepseek\"\n"
    "id = \"Chat\\\"1\"\n"
    "set = { tool_calling = \"native\", context_window = 1000000, max_output = 384000, input_modalities = [\"text\"], "
    "output_modalities = [\"text\"], price = { input_tokens = \"0.14\", output_tokens = \"0.28\", "
    "\"input_tokens @batch\" = \"0.07\" }, claims = { \"*|models.dev|2026-07-02\" = \"context_window max_output "
    "input_modalities output_modalities\", "
    "\"context_window|models.dev|2026-07-02\" = \"1000000\", \"max_input|litellm|2026-08-08\" = \"131072\" }, display_name = \"M\", model_kind = \"chat\" }\n"
    "source = \"https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json\"\n"
    "evidence = \"catalog\"\nagreed = [\"output_text\"]\n"
    "checked = 2026-08-08\n";

static void test_write(void **state)
{
    (void)state;
    struct facts_case c;
    struct buf b;
    struct ruleset rs;
    facts_begin(&c);
    buf_init(&b, NULL, 1u << 20);
    facts_read(&c, SRC_MODELS_DEV, 20260702,
               MODELS_DEV("deepseek", "Chat\\\"1", TEXT ",\"limit\":{\"context\":1000000,\"output\":384000},\"cost\":{\"input\":0.14,\"output\":0.28}"));
    facts_read(&c, SRC_LITELLM, 20260808,
               LITELLM("deepseek", "chat\\\"1",
                       "\"max_input_tokens\":131072,\"supports_function_calling\":true,\"input_cost_per_token\":1.4e-07,"
                       "\"output_cost_per_token\":2.8e-07,\"input_cost_per_token_batches\":7e-08"));
    facts_merge(&c);
    assert_int_equal(c.m.n_rows, 1); /* ids compare with case folded */
    assert_int_equal(write_rows(&b, &c.im, &c.m, 0, c.m.n_rows), 1);
    assert_string_equal(buf_cstr(&b), written);
    ruleset_init(&rs, &c.ar); /* and our own reader takes it */
    ruleset_read(&rs, STR("deepseek.toml"), str_make(b.p, b.n), CANDO_SYNTAX_AUTO, CANDO_LAYER_FACTS);
    assert_int_equal(rs.fatal, 0);
    assert_int_equal(rs.diag.count[CANDO_ERROR], 0);
    assert_int_equal(rs.n_rules, 1);
    buf_free(&b);
    facts_end(&c);
}

/* What is said by a list is not said one by one, be the other list known or not. */
static void test_write_list(void **state)
{
    (void)state;
    struct facts_case c;
    struct buf b;
    facts_begin(&c);
    buf_init(&b, NULL, 1u << 20);
    facts_read(&c, SRC_MODELS_DEV, 20260702,
               MODELS_DEV("acme", "m",
                          "\"tool_call\":true,\"modalities\":{\"input\":[\"text\",\"image\"]}"));
    facts_merge(&c);
    assert_int_equal(write_rows(&b, &c.im, &c.m, 0, c.m.n_rows), 1);
    assert_non_null(strstr(buf_cstr(&b), "input_modalities = [\"text\", \"image\"]"));
    assert_null(strstr(buf_cstr(&b), "input_image"));
    buf_free(&b);
    facts_end(&c);
}

/* A model of which nothing is known but what describes it makes no row. */
static void test_write_no_description(void **state)
{
    (void)state;
    static const char *const said[] = {
        MODELS_DEV("acme", "m", "\"family\":\"em\""),
        MODELS_DEV("acme", "m", "\"knowledge\":\"2025-01\""),
        MODELS_DEV("acme", "m", "\"status\":\"deprecated\""),
        MODELS_DEV("acme", "m", "\"release_date\":\"2025-01-01\""),
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct facts_case c;
        struct buf b;
        facts_begin(&c);
        buf_init(&b, NULL, 1u << 20);
        facts_read(&c, SRC_MODELS_DEV, 20260702, said[i]);
        facts_merge(&c);
        assert_int_equal(c.m.n_rows, 1);
        assert_true(c.m.row[0].n_facts > 0);
        assert_int_equal(write_rows(&b, &c.im, &c.m, 0, c.m.n_rows), 0);
        buf_free(&b);
        facts_end(&c);
    }
}

/* What is yes or no is written as a word of TOML, and nothing behind it. */
static void test_write_flag(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct facts_case c;
        struct buf b;
        const char *want = i ? "open_weights = true }" : "open_weights = false }";
        facts_begin(&c);
        buf_init(&b, NULL, 1u << 20);
        facts_read(&c, SRC_MODELS_DEV, 20260702,
                   i ? MODELS_DEV("acme", "m", "\"tool_call\":true,\"open_weights\":true")
                     : MODELS_DEV("acme", "m", "\"tool_call\":true,\"open_weights\":false"));
        facts_merge(&c);
        assert_int_equal(write_rows(&b, &c.im, &c.m, 0, c.m.n_rows), 1);
        if (!strstr(buf_cstr(&b), want))
            fail_msg("%s", buf_cstr(&b));
        buf_free(&b);
        facts_end(&c);
    }
}

#define SAYS_NO                                                                                    \
    MODELS_DEV("acme", "m",                                                                        \
               TEXT ",\"tool_call\":false,\"limit\":{\"context\":128000,\"output\":4000}")

/* Who repeats another confirms nothing. */
static void test_agreed(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, SAYS_NO);
    facts_read(&c, SRC_RUBY_LLM, 20260702,
               "[{\"id\":\"m\",\"provider\":\"acme\",\"max_output_tokens\":4000,"
               "\"metadata\":{\"source\":\"models.dev\"}}]");
    facts_read(&c, SRC_GENAI_PRICES, 20260702, GENAI("acme", "m", "\"context_window\":128000"));
    facts_merge(&c);
    assert_int_equal(c.m.row[0].agreed, 0);
    facts_end(&c);

    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, SAYS_NO);
    facts_read(&c, SRC_LITELLM, 20260808,
               LITELLM("acme", "m",
                       "\"supports_function_calling\":false,\"max_input_tokens\":124000,"
                       "\"max_output_tokens\":4000"));
    facts_merge(&c);
    uint32_t agreed = c.m.row[0].agreed;
    assert_true(agreed & agreed_bit(F_tool_calling));
    assert_true(agreed & agreed_bit(F_max_output));
    assert_true(agreed & agreed_bit(F_context_window)); /* prompt and answer make the window */
    assert_false(agreed & agreed_bit(F_input_image));
    facts_end(&c);
}

/* Among equals: who has more voices, then who is newer by months, then the order of the sources. */
static void test_among_equals(void **state)
{
    (void)state;
    static const struct {
        uint32_t models_dev, genai, catwalk; /* their days; 0: silent */
        const char *window;                  /* catwalk says 64000, the others 128000 */
    } rows[] = {
        {20260101, 20260102, 20261101, "128000"}, /* two voices beat one that is newer */
        {20260101, 0, 20260101, "128000"},
        {20260101, 0, 20260301, "128000"}, /* 59 days */
        {20260101, 0, 20260302, "64000"},
        {20260301, 0, 20260101, "128000"},
        {0, 20260301, 20260101, "128000"},
        {0, 20260302, 20260101, "128000"},
        {0, 20260101, 20260302, "64000"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct facts_case c;
        facts_begin(&c);
        if (rows[i].genai)
            facts_read(&c, SRC_GENAI_PRICES, rows[i].genai,
                       GENAI("acme", "m", "\"context_window\":128000"));
        if (rows[i].models_dev)
            facts_read(&c, SRC_MODELS_DEV, rows[i].models_dev,
                       MODELS_DEV("acme", "m", "\"limit\":{\"context\":128000}"));
        facts_read(&c, SRC_CATWALK, rows[i].catwalk,
                   "[{\"id\":\"acme\",\"models\":[{\"id\":\"m\",\"context_window\":64000}]}]");
        facts_merge(&c);
        const char *got = facts_row(&c, "acme", "m", "context_window");
        if (strcmp(got, rows[i].window) != 0)
            fail_msg("row %zu: %s", i, got);
        facts_end(&c);
    }
}

/* What does not reason has no settings for it; who says nothing of it keeps them. */
static void test_idle_settings(void **state)
{
    (void)state;
    static const char *const said[] = {"true", "false", "null"};
    for (unsigned i = 0; i < LENGTH(said); i++) {
        char text[500];
        struct facts_case c;
        snprintf(text, sizeof text,
                 MODELS_DEV("acme", "m",
                            "\"reasoning\":%s,\"temperature\":true,\"reasoning_options\":["
                            "{\"type\":\"effort\",\"values\":[\"low\",\"high\"]},"
                            "{\"type\":\"budget_tokens\",\"max\":9000},{\"type\":\"toggle\"}]"),
                 said[i]);
        facts_begin(&c);
        facts_read(&c, SRC_MODELS_DEV, 20260702, text);
        facts_merge(&c);
        bool idle = i == 1;
        assert_string_equal(facts_row(&c, "acme", "m", "temperature"), "native");
        assert_string_equal(facts_row(&c, "acme", "m", "reasoning_effort"), idle ? "" : "native");
        assert_string_equal(facts_row(&c, "acme", "m", "reasoning_efforts"),
                            idle ? "" : "low high");
        assert_string_equal(facts_row(&c, "acme", "m", "thinking_budget"), idle ? "" : "native");
        assert_string_equal(facts_row(&c, "acme", "m", "max_thinking_budget"), idle ? "" : "9000");
        facts_end(&c);
    }
}

/* A source that lists a model without the flag, where another says that it has it. */
static void test_silence(void **state)
{
    (void)state;
    static const struct {
        const char *listed, *other;
        bool silent;
    } rows[] = {
        {"\"tool_call\":true", "true", true},
        {"\"tool_call\":true", "false", false},
        {"\"structured_output\":true", "true", false},
        {"\"structured_output\":false", "true", false},
        {NULL, "true", false},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[200];
        struct facts_case c;
        bool silent = false;
        facts_begin(&c);
        snprintf(text, sizeof text,
                 MODELS_DEV("acme", "%s", "%s"), rows[i].listed ? "m" : "other",
                 rows[i].listed ? rows[i].listed : "\"tool_call\":true");
        facts_read(&c, SRC_MODELS_DEV, 20260702, text);
        snprintf(text, sizeof text, LITELLM("acme", "m", "\"supports_response_schema\":%s"),
                 rows[i].other);
        facts_read(&c, SRC_LITELLM, 20260808, text);
        facts_merge(&c);
        for (size_t k = 0; k < c.m.n_disputes; k++)
            silent |= c.m.dispute[k].silent == SRC_MODELS_DEV;
        if (silent != rows[i].silent)
            fail_msg("row %zu", i);
        facts_end(&c);
    }
}

/* Of those who agree on the rates, who knows but one of them agrees as well, and the newest that
 * knows both tells the tiers. */
static void test_price_of_whom(void **state)
{
    (void)state;
    static const struct {
        const char *genai;
        uint32_t day;
        enum fact_source source;
    } rows[] = {
        {"\"input_mtok\":3,\"output_mtok\":15", 20260821, SRC_GENAI_PRICES},
        {"\"input_mtok\":3,\"output_mtok\":15", 20260702, SRC_MODELS_DEV},
        {"\"input_mtok\":3,\"output_mtok\":15", 20260701, SRC_MODELS_DEV},
        {"\"input_mtok\":3", 20260821, SRC_MODELS_DEV}, /* but half of it */
        {"\"output_mtok\":15", 20260821, SRC_MODELS_DEV},
        {"\"input_mtok\":3,\"output_mtok\":16", 20260821, SRC_MODELS_DEV},
        {"\"input_mtok\":4,\"output_mtok\":15", 20260821, SRC_MODELS_DEV},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[300];
        struct facts_case c;
        facts_begin(&c);
        facts_read(&c, SRC_MODELS_DEV, 20260702,
                   MODELS_DEV("acme", "m", "\"cost\":{\"input\":3,\"output\":15}"));
        snprintf(text, sizeof text, GENAI("acme", "m", "\"prices\":{%s}"), rows[i].genai);
        facts_read(&c, SRC_GENAI_PRICES, rows[i].day, text);
        facts_merge(&c);
        assert_string_equal(facts_row(&c, "acme", "m", "price.input_tokens"), "3");
        assert_string_equal(facts_row(&c, "acme", "m", "price.output_tokens"), "15");
        if (c.m.row[0].source != rows[i].source)
            fail_msg("row %zu: %d", i, c.m.row[0].source);
        facts_end(&c);
    }
}

/* LiteLLM alone keeps what is no chat model: nobody else lists those. */
static void test_old_is_chat(void **state)
{
    (void)state;
    static const char *const mode[] = {"chat", "embedding", "rerank", "image_generation"};
    for (size_t i = 0; i < LENGTH(mode); i++) {
        char text[200];
        struct facts_case c;
        facts_begin(&c);
        facts_read(&c, SRC_MODELS_DEV, 20260702, MODELS_DEV("acme", "b", "\"tool_call\":true"));
        snprintf(text, sizeof text,
                 "{\"acme/a\":{\"litellm_provider\":\"acme\",\"max_output_tokens\":9,"
                 "\"mode\":\"%s\"}}",
                 mode[i]);
        facts_read(&c, SRC_LITELLM, 20260808, text);
        facts_merge(&c);
        assert_int_equal(merge_mark_old(&c.im, &c.m, 0, 2), i == 0);
        facts_end(&c);
    }
}

/* -- memory ---------------------------------------------------------------------------- */

static bool whole_way(const cando_allocator *a)
{
    struct arena ar;
    struct import im;
    struct merged m;
    struct conflict_list l;
    struct buf b;
    struct json_error err;
    arena_init(&ar, a);
    buf_init(&b, a, 1u << 20);
    import_init(&im, &ar, &facts_tables);
    conflicts_init(&l, &ar);
    bool ok = import_read(&im, SRC_MODELS_DEV, STR(MODELS_DEV("acme", "m", TEXT ",\"limit\":{\"context\":9,\"output\":4},\"cost\":{\"input\":1,\"output\":2}")),
                          20260702, &err) &&
              import_read(&im, SRC_LITELLM, STR(LITELLM("acme", "m", "\"max_input_tokens\":7,\"input_cost_per_token\":2e-06")), 20260808, &err) &&
              import_read(&im, SRC_GENAI_PRICES, STR(GENAI("acme", "m", "\"prices\":{\"input_mtok\":3}")), 20260808, &err) &&
              merge_claims(&im, &m);
    if (ok) {
        conflicts_from_merge(&l, &im, &m);
        conflicts_sort(&l);
        ok = !l.ar->failed && l.n > 0 && write_rows(&b, &im, &m, 0, m.n_rows) == 1 && !b.failed;
    }
    buf_free(&b);
    arena_free(&ar);
    return ok;
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t n = 0;; n++) {
        struct failing s = failing_after(n);
        cando_allocator a = {failing_resize, &s};
        assert_true(n < 10000);
        if (whole_way(&a))
            break;
        assert_true(s.calls > n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_party_wins), cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_among_equals),
        cmocka_unit_test(test_idle_settings),
        cmocka_unit_test(test_silence),
        cmocka_unit_test(test_price_of_whom),
        cmocka_unit_test(test_old_is_chat),    cmocka_unit_test(test_last_word),
        cmocka_unit_test(test_order_decides),    cmocka_unit_test(test_never_wins),   cmocka_unit_test(test_free_models),
        cmocka_unit_test(test_no_dispute_on_words),
        cmocka_unit_test(test_windows),          cmocka_unit_test(test_price_is_one), cmocka_unit_test(test_price_never_crosses),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_old),
        cmocka_unit_test(test_gone),             cmocka_unit_test(test_write),
        cmocka_unit_test(test_write_no_description),
        cmocka_unit_test(test_write_flag), cmocka_unit_test(test_write_list),
        cmocka_unit_test(test_agreed),        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
