/*
 * test_rewrite.c - what a rewrite promises, on random requests of every API:
 * it is JSON, it passes its own check, what it does not change is the same bytes,
 * and its JSON Patch, applied to the request, gives the same value.
 */

#include "test.h"

#include "request/preflight.h"
#include "text/json.h"

struct member {
    const char *key;
    const char *values[6];
};

struct world {
    const char *provider, *model, *api;
    const struct member *member;
};

static const struct member chat[] = {
    {"messages",
     {"[{\"role\":\"user\",\"content\":\"say json\"}]",
      "[ {\"role\":\"system\",\"content\":\"a\"}, {\"content\":\"b\",\"role\":\"developer\"} ]",
      "[{\"role\":\"system\",\"content\":\"x\"},{\"role\":\"system\",\"content\":\"y\"},{\"role\":"
      "\"user\",\"content\":[{\"type\":\"image_url\","
      "\"image_url\":{\"url\":\"data:,\",\"detail\":\"fine\"}}]}]"}},
    {"temperature", {"0", "1", "3.5", "-1", "null"}},
    {"top_p", {"0.5", "1.5", "1", "-0.1"}},
    {"max_tokens", {"100", "0", "999999999"}},
    {"max_completion_tokens", {"100", "16"}},
    {"presence_penalty", {"0", "3", "-7"}},
    {"frequency_penalty", {"1", "2.5"}},
    {"logit_bias", {"{}", "{ \"50256\" : -100 }"}},
    {"stop", {"\"x\"", "[ \"a\" , \"b\" ]"}},
    {"n", {"1", "0", "200"}},
    {"logprobs", {"true", "false"}},
    {"top_logprobs", {"3", "50"}},
    {"reasoning_effort", {"\"low\"", "\"minimal\"", "\"none\""}},
    {"stream_options", {"{\"include_usage\":true}"}},
    {"stream", {"true", "false"}},
    {"parallel_tool_calls", {"true", "false"}},
    {"tools", {"[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]", "[]"}},
    {"seed", {"1"}},
    {"service_tier", {"\"flex\"", "\"priority\""}},
    {0},
};
static const struct member messages[] = {
    {"messages",
     {"[{\"role\":\"user\",\"content\":\"x\"}]",
      "[{\"role\":\"user\",\"content\":\"\\\"quoted\\\" \\\\\"}]"}},
    {"max_tokens", {"100", "999999999", "-5"}},
    {"temperature", {"0.5", "1", "7"}},
    {"top_p", {"0.5", "9"}},
    {"top_k", {"5", "-5"}},
    {"output_format", {"{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\"}}"}},
    {"thinking", {"{\"type\":\"enabled\",\"budget_tokens\":7}", "{ \"type\" : \"adaptive\" }"}},
    {"output_config",
     {"{\"effort\":\"low\"}", "{\"effort\":\"max\"}",
      "{ \"task_budget\" : { \"total\" : 5 } , \"effort\" : \"xhigh\" }"}},
    {"seed", {"1"}},
    {"n", {"1"}},
    {"stop", {"[]", "\"x\""}},
    {"stop_sequences", {"[ \"y\" ]"}},
    {"max_completion_tokens", {"9"}},
    {"tools",
     {"[{\"type\":\"tool_search_tool_bm25_20251119\",\"name\":\"s\",\"defer_loading\":true},{"
      "\"name\":\"f\",\"input_schema\":{\"type\":\"object\"}}]"}},
    {"speed", {"\"fast\""}},
    {"system",
     {"[{\"type\":\"text\",\"text\":\"x\",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"9h\"}"
      "}]"}},
    {0},
};
static const struct member responses[] = {
    {"input",
     {"\"hi\"", "[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"image_url\":\"data:,"
                "\",\"detail\":\"fine\"}]}]"}},
    {"max_output_tokens", {"100", "3", "999999999"}},
    {"max_tokens", {"100"}},
    {"max_completion_tokens", {"100"}},
    {"temperature", {"0", "1", "3.5"}},
    {"top_p", {"0.5", "1.5"}},
    {"stop", {"[\"x\"]"}},
    {"seed", {"1"}},
    {"n", {"2"}},
    {"reasoning",
     {"{\"effort\":\"low\",\"summary\":\"long\"}", "{ \"effort\" : \"none\" }",
      "{\"mode\":\"odd\",\"summary\":\"auto\"}"}},
    {"service_tier", {"\"ultrafast\""}},
    {"context_management", {"[{\"type\":\"compaction\",\"compact_threshold\":5}]"}},
    {"truncation", {"\"auto\""}},
    {0},
};
static const struct member gemini[] = {
    {"contents", {"[{\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]}]"}},
    {"generationConfig",
     {"{\"temperature\":3,\"topK\":4,\"candidateCount\":0}",
      "{\"thinkingConfig\":{\"thinkingBudget\":0}}",
      "{ \"thinkingConfig\" : { \"thinkingLevel\" : \"low\" , \"thinkingBudget\" : 99999 } , "
      "\"topP\" : 7 }"}},
    {"labels", {"{}"}},
    {"serviceTier", {"\"flex\""}},
    {0},
};
static const struct member bedrock[] = {
    {"messages", {"[{\"role\":\"user\",\"content\":[{\"text\":\"x\"}]}]"}},
    {"inferenceConfig",
     {"{\"temperature\":2,\"topP\":0.1,\"seed\":1,\"topK\":2}",
      "{ \"seed\":1 , \"topK\":2 , \"maxTokens\":5 }", "{\"maxTokens\":0}"}},
    {"seed", {"1"}},
    {0},
};
static const struct member neutral[] = {
    {"messages", {"[]"}},
    {"tools", {"[{\"name\":\"f\"}]", "[]"}},
    {"response_format", {"{\"type\":\"json_schema\"}", "null"}},
    {"structured_finalize", {"false", "true", "null"}},
    {0},
};

static const struct world worlds[] = {
    {"openai", "gpt-5", "openai-chat", chat},
    {"openai", "gpt-4o", "openai-chat", chat},
    {"openai", "gpt-5.6", "openai-chat", chat},
    {"openai", "o3-mini", "openai-chat", chat},
    {"deepseek", "deepseek-v4-pro", "openai-chat", chat},
    {"moonshotai", "kimi-k2.5", "openai-chat", chat},
    {"mistral", "mistral-large-latest", "mistral-chat", chat},
    {"ollama", "llama3.2", "ollama-chat", chat},
    {"ollama-cloud", "gpt-oss:120b", "ollama-chat", chat},
    {"xai", "grok-4", "openai-chat", chat},
    {"zai", "glm-5.3", "openai-chat", chat},
    {"alibaba", "qwen-plus", "openai-chat", chat},
    {"nvidia", "nvidia/nemotron-3-nano-30b-a3b", "openai-chat", chat},
    {"openai", "gpt-5", "openai-responses", responses},
    {"openai", "gpt-4.1", "openai-responses", responses},
    {"openai", "gpt-5.6-sol", "openai-responses", responses},
    {"ollama", "llama3.2", "openai-responses", responses},
    {"anthropic", "claude-sonnet-4-5", "anthropic-messages", messages},
    {"anthropic", "claude-opus-5", "anthropic-messages", messages},
    {"anthropic", "claude-opus-4-5", "anthropic-messages", messages},
    {"anthropic", "claude-sonnet-4-6", "anthropic-messages", messages},
    {"google", "gemini-2.5-pro", "gemini", gemini},
    {"google", "gemini-2.5-flash", "gemini", gemini},
    {"google-vertex", "gemini-2.5-flash-lite", "gemini", gemini},
    {"google", "gemini-3-flash-preview", "gemini", gemini},
    {"amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock-converse", bedrock},
    {"", "", "allm", neutral},
};

/* Some of the members, in any order, with or without space. */
static void make_request(struct buf *b, const struct world *w, uint64_t *seed)
{
    static const char *const spaces[] = {"", " ", "\n  "};
    unsigned n = 0, first = 0;
    while (w->member[n].key)
        n++;
    const char *space = spaces[dice(seed, 3)];
    unsigned from = dice(seed, n);
    buf_clear(b);
    buf_printf(b, "%s{", dice(seed, 4) ? "" : " ");
    for (unsigned i = 0; i < n; i++) {
        const struct member *m = &w->member[(from + i) % n];
        if (m != w->member && dice(seed, 3))
            continue;
        unsigned values = 0;
        while (values < 6 && m->values[values])
            values++;
        buf_printf(b, "%s%s\"%s\"%s:%s%s", first++ ? "," : "", space, m->key,
                   dice(seed, 2) ? "" : " ", dice(seed, 2) ? "" : " ",
                   m->values[dice(seed, values)]);
    }
    buf_printf(b, "%s}", space);
    assert_false(b->failed);
}

static const cando_target *target;
static cando_report report;
static const cando_bytes *piece;
static size_t n_pieces, all_pieces;

/* A value that was moved stands behind its new name; all else of the old text is in its order. */
static bool is_moved(size_t i, const char *p, size_t n)
{
    const cando_bytes *before = i ? &piece[i - 1] : NULL;
    bool old = before && before->p >= p && before->p < p + n;
    return before && !old && before->n == 1 && *before->p == ':';
}

/* All pieces that lie in the old text, in order, and nothing of it twice. */
static void check_pieces(const char *p, size_t n)
{
    size_t at = 0, length = 0;
    for (size_t i = 0; i < n_pieces; i++) {
        const cando_bytes *x = &piece[i];
        length += x->n;
        if (x->p < p || x->p >= p + n)
            continue;
        size_t from = (size_t)(x->p - p);
        assert_true(from + x->n <= n);
        for (size_t k = 0; k < i; k++)
            assert_true(piece[k].p + piece[k].n <= x->p || piece[k].p >= x->p + x->n);
        if (is_moved(i, p, n))
            continue;
        assert_true(from >= at);
        at = from + x->n;
    }
    assert_int_equal(length, all_pieces);
}

static void rewrite_until_done(const struct world *w, struct buf *text, bool lossy)
{
    for (unsigned round = 0;; round++) {
        cando_error err = {0};
        assert_int_equal(cando_preflight(target, w->api, text->p, text->n, lossy, &report, &err),
                         CANDO_OK);
        if (round && report.verdict == CANDO_REJECTED)
            fail_msg("%s/%s: the rewrite is rejected (%s): %.*s", w->provider, w->model,
                     cando_report_finding(&report, 0).rule, (int)text->n, text->p);
        if (report.verdict != CANDO_REWRITE)
            return;
        if (round == 4)
            fail_msg("%s/%s: no end (%s): %.*s", w->provider, w->model,
                     cando_report_finding(&report, 0).rule, (int)text->n, text->p);
        piece = cando_report_rewrite(&report, &n_pieces, &all_pieces, &err);
        assert_non_null(piece);
        check_pieces(text->p, text->n);
        struct buf next;
        struct arena ar;
        struct json_error bad;
        buf_init(&next, NULL, 1 << 20);
        for (size_t i = 0; i < n_pieces; i++)
            buf_put(&next, piece[i].p, piece[i].n);
        arena_init(&ar, NULL);
        if (!json_parse(&ar, str_make(next.p, next.n), &bad))
            fail_msg("%s: %.*s became %.*s", bad.message, (int)text->n, text->p, (int)next.n,
                     next.p);
        arena_free(&ar);
        buf_free(text);
        *text = next;
    }
}

static void test_rewrites(void **state)
{
    (void)state;
    uint64_t seed = 7;
    struct buf text;
    buf_init(&text, NULL, 1 << 20);
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        const struct world *w = &worlds[k];
        cando_target_release(target);
        target = cando_target_new(cando_catalog_builtin(), (cando_name){w->model, w->provider},
                                  CANDO_TARGET_FINALIZE, NULL, NULL);
        assert_non_null(target);
        for (unsigned i = 0; i < 1500; i++) {
            make_request(&text, w, &seed);
            rewrite_until_done(w, &text, i % 3 != 0);
        }
    }
    buf_free(&text);
}

/* -- JSON Patch ---------------------------------------------------------------------------- */

/* Applies what our patches use: add, replace, remove and move of members. The
 * tree is changed in place. */
static struct json *parent_of(struct json *root, struct str pointer, struct str *name)
{
    size_t cut = pointer.n;
    while (cut > 0 && pointer.p[cut - 1] != '/')
        cut--;
    *name = str_from(pointer, cut);
    return (struct json *)json_pointer(root, str_head(pointer, cut ? cut - 1 : 0));
}

static size_t member_index(const struct json *o, struct str name)
{
    size_t i = 0;
    if (o->kind == JSON_ARRAY)
        return (size_t)atoi(name.p);
    while (i < o->n && !str_eq(o->key[i].text, name))
        i++;
    return i;
}

static void put_member(struct arena *ar, struct json *o, struct str name, struct json v)
{
    size_t i = member_index(o, name);
    if (i == o->n) {
        struct json *item = arena_array(ar, o->n + 1, sizeof *item);
        struct json_key *key = arena_array(ar, o->n + 1, sizeof *key);
        assert_true(item && key);
        if (o->n) {
            memcpy(item, o->item, o->n * sizeof *item);
            memcpy(key, o->key, o->n * sizeof *key);
        }
        key[o->n].text = name;
        o->item = item;
        o->key = key;
        o->n++;
    }
    o->item[i] = v;
}

static struct json take_member(struct json *o, struct str name)
{
    size_t i = member_index(o, name);
    assert_true(i < o->n && o->kind == JSON_OBJECT);
    struct json v = o->item[i];
    memmove(o->item + i, o->item + i + 1, (o->n - i - 1) * sizeof *o->item);
    memmove(o->key + i, o->key + i + 1, (o->n - i - 1) * sizeof *o->key);
    o->n--;
    return v;
}

static void apply(struct arena *ar, struct json *root, const struct json *change)
{
    struct str op = json_get(change, "op")->text, path = json_get(change, "path")->text, name;
    struct json *o = parent_of(root, path, &name), v = {0};
    assert_non_null(o);
    if (str_is(op, "remove")) {
        take_member(o, name);
        return;
    }
    if (str_is(op, "move")) {
        struct str from = json_get(change, "from")->text, old;
        struct json *source = parent_of(root, from, &old);
        v = take_member(source, old);
        o = parent_of(root, path, &name);
    } else {
        v = *json_get(change, "value");
    }
    put_member(ar, o, name, v);
}

static void test_patches(void **state)
{
    (void)state;
    uint64_t seed = 11;
    struct buf text, q;
    unsigned rewritten = 0;
    buf_init(&text, NULL, 1 << 20);
    buf_init(&q, NULL, 1 << 20);
    cando *c = cando_new(NULL, NULL, NULL);
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++)
        for (unsigned i = 0; i < 60; i++) {
            const struct world *w = &worlds[k];
            char *reply;
            size_t len;
            make_request(&text, w, &seed);
            buf_clear(&q);
            buf_printf(&q,
                       "{\"op\":\"preflight\",\"fix\":true,\"adapter\":{\"requires_structured_"
                       "finalize\":true},\"dialect\":\"%s\",",
                       w->api);
            if (*w->provider)
                buf_printf(&q, "\"target\":{\"provider\":\"%s\",\"model\":\"%s\"},", w->provider,
                           w->model);
            buf_putz(&q, "\"request\":");
            buf_put(&q, text.p, text.n);
            buf_putc(&q, '}');
            assert_int_equal(cando_call(c, q.p, q.n, &reply, &len), CANDO_OK);
            struct arena ar;
            struct json_error bad;
            arena_init(&ar, NULL);
            const struct json *r = json_parse(&ar, str_make(reply, len), &bad);
            assert_non_null(r);
            const struct json *result = json_get(r, "result");
            if (!result)
                fail_msg("%s", reply);
            const struct json *now = json_get(result, "request"),
                              *changes = json_get(result, "changes");
            if (now) {
                struct json *old = json_parse(&ar, str_make(text.p, text.n), &bad);
                assert_true(old && changes && changes->n);
                for (size_t x = 0; x < changes->n; x++)
                    apply(&ar, old, &changes->item[x]);
                if (!json_equal(old, now))
                    fail_msg("the patch does not give the rewrite: %s -> %s", text.p, reply);
                rewritten++;
            }
            arena_free(&ar);
            cando_free_text(c, reply, len);
        }
    assert_true(rewritten > 200);
    cando_free(c);
    buf_free(&text);
    buf_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rewrites),
                                       cmocka_unit_test(test_patches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
