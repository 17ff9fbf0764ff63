/*
 * test_import_ruby_llm.c - the traps of RubyLLM's file.
 */
#include "facts_case.h"

static const char file[] =
    "[{\"id\":\"m\",\"name\":\"M\",\"provider\":\"openai\",\"family\":\"gpt\",\"created_at\":\"2026-06-07 00:00:00 UTC\",\"context_window\":200000,"
    "\"max_output_tokens\":64000,\"knowledge_cutoff\":null,\"modalities\":{\"input\":[\"text\",\"image\"],\"output\":[\"text\"]},"
    "\"capabilities\":[\"function_calling\",\"citations\"],\"pricing\":{\"text_tokens\":{\"standard\":{\"input_per_million\":99}}},"
    "\"metadata\":{\"source\":\"models.dev\",\"temperature\":false,\"limit\":{\"input\":136000},\"cost\":{\"input\":2,\"output\":10,"
    "\"input_audio\":6.5,\"tiers\":[{\"input\":4,\"tier\":{\"type\":\"context\",\"size\":200000}}]}}},"
    "{\"id\":\"guess\",\"name\":\"guess\",\"provider\":\"openai\",\"context_window\":128000,\"max_output_tokens\":400000,"
    "\"modalities\":{\"input\":[],\"output\":[]},\"capabilities\":[],\"pricing\":{\"text_tokens\":{\"standard\":{\"input_per_million\":1.25}}},\"metadata\":{}},"
    "{\"id\":\"a/b\",\"name\":\"B\",\"provider\":\"openrouter\",\"context_window\":1000,\"modalities\":{\"input\":[\"text\",\"file\"],\"output\":[\"text\"]},"
    "\"capabilities\":[],\"pricing\":{\"text_tokens\":{\"standard\":{\"input_per_million\":3},\"long_context\":{\"input_per_million\":4},"
    "\"long_context_threshold\":128000}},\"metadata\":{}},"
    "{\"id\":\"x\",\"provider\":\"nobody\"},{\"id\":\"x\"},7]";

#define SAID(provider, model, field) facts_said(&c, SRC_RUBY_LLM, provider, model, field)

static void test_fields(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_RUBY_LLM, 20260819, file);
    assert_string_equal(SAID("openai", "m", "context_window"), "200000");
    assert_string_equal(SAID("openai", "m", "max_input"), "136000");
    assert_string_equal(SAID("openai", "m", "tool_calling"), "native");
    assert_string_equal(SAID("openai", "m", "structured_output"), ""); /* not named is unknown */
    assert_string_equal(SAID("openai", "m", "input_audio"), "unsupported");
    assert_string_equal(SAID("openai", "m", "temperature"), "unsupported");
    assert_string_equal(SAID("openai", "m", "release_date"), "2026-06-07");
    assert_string_equal(SAID("openai", "m", "price.input_tokens >200000"), "4");
    assert_string_equal(SAID("openai", "m", "price.input_audio_tokens"), "6.5");
    assert_string_equal(SAID("openai", "guess", "input_image"), ""); /* an empty list says nothing */
    assert_string_equal(SAID("openrouter", "a/b", "input_pdf"), "native");
    assert_string_equal(SAID("openai", "m", "price.input_tokens"), "2"); /* models.dev's, not the guess beside it */
    assert_string_equal(SAID("openrouter", "a/b", "price.input_tokens >128000"), "4");
    facts_check_counts(&c, SRC_RUBY_LLM, 6, 3);
    facts_end(&c);
}

static void test_voices(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_RUBY_LLM, 20260819, file);
    for (size_t i = 0; i < c.im.n_claims; i++) {
        const struct claim *x = &c.im.claim[i];
        struct str id = c.im.offering[x->offering].id;
        if (str_is(id, "m")) {
            assert_int_equal(x->voice, SRC_MODELS_DEV); /* which has no word for citations */
            assert_int_equal(x->evidence, x->field == F_citations ? EVIDENCE_INFERRED : EVIDENCE_CATALOG);
        } else if (str_is(id, "guess")) {
            assert_int_equal(x->voice, SRC_RUBY_LLM);
            assert_int_equal(x->evidence, EVIDENCE_INFERRED);
        } else {
            assert_int_equal(x->voice, SRC_OPENROUTER);
        }
    }
    facts_merge(&c); /* what is guessed from a name never wins */
    assert_string_equal(facts_row(&c, "openai", "guess", "context_window"), "");
    assert_string_equal(facts_row(&c, "openai", "guess", "price.input_tokens"), "");
    assert_string_equal(facts_row(&c, "openai", "guess", "display_name"), "guess");
    facts_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_voices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
