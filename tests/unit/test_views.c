/*
 * test_views.c - one profile, six views: over every model of the built-in catalog no two of
 * them contradict each other. The rows below say by hand which names mean the same.
 */
#include "ask.h"
#include "catalog_case.h"
#include "decide/offer.h"
#include "rules/view.h"

static const char *const view_names[] = {"cando",    "nika",   "harn",
                                         "manifest", "claims", "model_ref"};
enum { VIEWS = 6 };

/* One fact, by its name in each view; NULL: it has none there. */
static const struct same {
    const char *name[VIEWS];
} supports[] = {
    {{"streaming", "streaming", NULL, "streaming", "streaming", "capabilities/streaming/text"}},
    {{"tool_calling", "tool_calling", "native_tools", "tool_use", "toolCalling",
      "capabilities/tools/enabled"}},
    {{"parallel_tool_calls", "parallel_tool_calls", "supports_parallel_tool_calls", NULL, NULL,
      "capabilities/tools/parallel"}},
    {{"structured_output", NULL, NULL, "structured_output_json_schema", "structuredOutput",
      "capabilities/json_native"}},
    {{"reasoning", "reasoning", NULL, "extended_thinking", "reasoning",
      "capabilities/reasoning/enabled"}},
    {{"input_image", NULL, "vision", "image_input", "multimodal/image",
      "capabilities/vision/enabled"}},
    {{"input_image", NULL, "vision_supported", "vision", "multimodal/image", NULL}},
    {{"input_audio", NULL, "audio_supported", "audio", "multimodal/audio", NULL}},
    {{"input_video", NULL, "video_supported", NULL, "multimodal/video", NULL}},
    {{"input_pdf", NULL, "pdf_supported", "pdf_input", NULL, NULL}},
    {{"prompt_caching", NULL, "prompt_caching", "cache_control", "promptCaching", NULL}},
    {{"output_image", NULL, NULL, "image_generation", NULL, "capabilities/images_enabled"}},
    {{"embeddings", NULL, NULL, "embeddings", NULL, "capabilities/embeddings_enabled"}},
    {{"system_message", "supports_system_messages", NULL, "system_message", NULL, NULL}},
    {{"temperature", "supports_temperature", "temperature_supported", "temperature", NULL, NULL}},
    {{"stop_sequences", "supports_stop_sequences", "stop_supported", "stop_sequences", NULL, NULL}},
    {{"seed", NULL, "seed_supported", "seed_determinism", NULL, NULL}},
    {{"top_k", NULL, "top_k_supported", "top_k", NULL, NULL}},
    {{"batch", NULL, "batch_api", "batch_mode", NULL, NULL}},
    {{"reasoning_effort", NULL, "reasoning_effort_supported", NULL, NULL, NULL}},
    {{"responses_api", NULL, "responses_api", NULL, NULL, NULL}},
};

static const struct same numbers[] = {
    {{"context_window", "context_window_tokens", NULL, NULL, "contextWindow", "limits/context"}},
    {{"max_output", "max_output_tokens", NULL, NULL, NULL, "limits/output"}},
};

struct six {
    struct view v[VIEWS];
    const char *model;
};

static const cando_value *find(const struct six *x, unsigned view, const char *name)
{
    for (size_t i = 0; i < x->v[view].n; i++)
        if (strcmp(x->v[view].field[i].name, name) == 0)
            return &x->v[view].field[i].value;
    return NULL;
}

static bool is_word(const cando_value *v, const char *word)
{
    return v && v->known && v->type == CANDO_WORD && strcmp(v->text, word) == 0;
}

static bool has(const cando_value *list, const char *word)
{
    for (uint32_t i = 0; list && list->known && i < list->count; i++)
        if (strcmp(cando_value_item(list, i), word) == 0)
            return true;
    return false;
}

/* -1: no, 0: unknown, 1: yes */
static int says(const cando_value *v)
{
    if (!v || !v->known || is_word(v, "probed"))
        return 0;
    bool yes = v->type == CANDO_FLAG ? v->flag : v->support > CANDO_UNSUPPORTED;
    return yes ? 1 : -1;
}

static void contradiction(const struct six *x, unsigned view, const char *name, const char *ours)
{
    fail_msg("%s: '%s' of the view %s contradicts our '%s'", x->model, name, view_names[view],
             ours);
}

static void compare(const struct six *x)
{
    for (size_t i = 0; i < sizeof supports / sizeof *supports; i++)
        for (unsigned v = 1; v < VIEWS; v++) {
            const struct same *s = &supports[i];
            if (s->name[v] && says(find(x, v, s->name[v])) != says(find(x, 0, s->name[0])))
                contradiction(x, v, s->name[v], s->name[0]);
        }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (unsigned v = 1; v < VIEWS; v++) {
            const struct same *s = &numbers[i];
            if (!s->name[v])
                continue;
            const cando_value *a = find(x, 0, s->name[0]), *b = find(x, v, s->name[v]);
            bool known = b && b->known && b->type == CANDO_NUMBER;
            if (known != a->known || (known && a->number != b->number))
                contradiction(x, v, s->name[v], s->name[0]);
        }
}

/* The modalities are what the capabilities of the same name are. */
static void compare_lists(const struct six *x)
{
    static const char *const rows[][2] = {{"text", "input_text"},
                                          {"image", "input_image"},
                                          {"audio", "input_audio"},
                                          {"video", "input_video"},
                                          {"pdf", "input_pdf"}};
    const cando_value *ours = find(x, 0, "input_modalities"),
                      *nika = find(x, 1, "input_modalities");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int said = says(find(x, 0, rows[i][1]));
        if (nika->known && said && (said > 0) != has(nika, rows[i][0]))
            contradiction(x, 1, "input_modalities", rows[i][1]);
        if (ours && ours->known && said && (said > 0) != has(ours, rows[i][0]))
            contradiction(x, 0, "input_modalities", rows[i][1]);
    }
}

/* What one word of a view says in several of ours. */
static void compare_words(const struct six *x)
{
    const cando_value *json = find(x, 1, "json_mode"), *schema = find(x, 2, "structured_output"),
                      *modes = find(x, 2, "thinking_modes"),
                      *param = find(x, 1, "token_limit_param");
    int structured = says(find(x, 0, "structured_output")), reasons = says(find(x, 0, "reasoning")),
        completion = says(find(x, 2, "requires_completion_tokens")),
        caches = says(find(x, 0, "prompt_caching"));
    if (is_word(json, "schema") != (structured > 0) ||
        (is_word(json, "object") && says(find(x, 0, "json_mode")) < 1))
        contradiction(x, 1, "json_mode", "structured_output");
    if (is_word(schema, "none") != (structured < 0) || (structured == 0 && schema->known))
        contradiction(x, 2, "structured_output", "structured_output");
    if (modes->known && reasons && (modes->count > 0) != (reasons > 0))
        contradiction(x, 2, "thinking_modes", "reasoning");
    if (completion && (completion > 0) != is_word(param, "max-completion-tokens"))
        contradiction(x, 2, "requires_completion_tokens", "token_limit_param");
    if (caches && (caches < 0) != is_word(find(x, 1, "caching"), "none"))
        contradiction(x, 1, "caching", "prompt_caching");
}

static void test_all_models(void **state)
{
    (void)state;
    const cando_catalog *cat = cando_catalog_builtin();
    struct arena ar, room;
    struct offers o;
    struct six *x = malloc(sizeof *x);
    arena_init(&ar, NULL);
    arena_init(&room, NULL);
    assert_non_null(x);
    assert_true(offers_open(&o, cat, &ar));
    assert_true(o.n > 100);
    for (size_t i = 0; i < o.n; i++) {
        cando_profile p;
        struct str provider = offer_provider(&o, &o.row[i]), id = offer_id(&o, &o.row[i]);
        offer_profile(&o, &o.row[i], &p);
        x->model = str_printf(&room, "%.*s/%.*s", STR_ARG(provider), STR_ARG(id)).p;
        for (unsigned v = 0; v < VIEWS; v++)
            assert_true(view_make(&x->v[v], &room, &p, (cando_view)v, provider, id));
        compare(x);
        compare_lists(x);
        compare_words(x);
        arena_clear(&room);
    }
    arena_free(&room);
    arena_free(&ar);
    free(x);
}

/* A matrix in Harn's form answers with its defaults for what it does not match; from the layer of
 * the user on it only overrides. */
static void test_harn_defaults(void **state)
{
    (void)state;
    for (unsigned layer = CANDO_LAYER_FAMILY; layer <= CANDO_LAYER_PROJECT; layer++) {
        const cando_catalog *cat = case_open(
            case_sources("[[provider.acme]]\nmodel_match = \"rocket-*\"\nnative_tools = true\n",
                         CANDO_SYNTAX_HARN, (cando_layer)layer));
        struct six *x = calloc(1, sizeof *x);
        struct arena ar;
        cando_profile p = case_resolve(cat, "acme", "other", CANDO_AS_WRITTEN);
        arena_init(&ar, NULL);
        assert_non_null(x);
        assert_true(view_make(&x->v[2], &ar, &p, (cando_view)2, STR("acme"), STR("other")));
        assert_int_equal(is_word(find(x, 2, "server_parser"), "none"), layer < CANDO_LAYER_USER);
        p = case_resolve(cat, "acme", "rocket-1", CANDO_AS_WRITTEN);
        assert_true(view_make(&x->v[2], &ar, &p, (cando_view)2, STR("acme"), STR("rocket-1")));
        assert_true(is_word(find(x, 2, "server_parser"), "none")); /* its own rule has answered */
        arena_free(&ar);
        free(x);
        cando_catalog_release(cat);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_models),
                                       cmocka_unit_test(test_harn_defaults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
