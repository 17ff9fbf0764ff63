/*
 * fuzz_history.c - conversations of any shape, against targets of every API.
 *
 * The first byte picks the target and whether a previous one is told, the rest is the
 * history. A reply must come and be JSON; each finding's path must point into the
 * history; and a rejection by the history alone must have an error among its findings.
 */
#include "fuzz.h"

#include "text/json.h"

static const char *const targets[] = {
    "openai/gpt-4o",
    "anthropic/claude-opus-4-6",
    "google/gemini-3-pro-preview",
    "mistral/mistral-large-latest",
    "deepseek/deepseek-chat",
    "ollama/llama3",
    "nobody/knows",
    "amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
};

static void check_findings(const struct json *result, const struct json *history)
{
    const struct json *found = json_get(result, "findings"), *verdict = json_get(result, "verdict");
    bool error = false;
    for (size_t i = 0; i < found->n; i++) {
        const struct json *path = json_get(&found->item[i], "path"),
                          *severity = json_get(&found->item[i], "severity");
        if (path->text.n && !json_pointer(history, path->text))
            abort();
        error |= str_is(severity->text, "error");
    }
    if (error != str_is(verdict->text, "rejected"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cando *c;
    if (!c && !(c = cando_new(NULL, NULL, NULL)))
        abort();
    if (size < 1 || size > 20000)
        return 0;
    struct buf q;
    struct arena ar;
    struct json_error bad;
    char *reply;
    size_t len;
    buf_init(&q, NULL, 1 << 20);
    arena_init(&ar, NULL);
    buf_printf(&q, "{\"op\":\"negotiate\",\"target\":\"%s\",%s\"history\":", targets[data[0] % 8],
               data[0] & 8 ? "\"previous\":\"anthropic/claude-sonnet-4-5\"," : "");
    buf_put(&q, data + 1, size - 1);
    buf_putc(&q, '}');
    if (cando_call(c, q.p, q.n, &reply, &len) != CANDO_OK)
        abort();
    const struct json *v = json_parse(&ar, str_make(reply, len), &bad),
                      *asked = json_parse(&ar, str_make(q.p, q.n), &bad);
    if (!v || !json_get(v, "ok"))
        abort();
    /* the text after the history may hold other arguments, needs among them */
    if (asked && asked->n == (data[0] & 8 ? 4u : 3u) && json_get(v, "result") &&
        json_get(asked, "history")->kind == JSON_OBJECT)
        check_findings(json_get(v, "result"), json_get(asked, "history"));
    cando_free_text(c, reply, len);
    arena_free(&ar);
    buf_free(&q);
    return 0;
}
