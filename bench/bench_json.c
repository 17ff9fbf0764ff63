/*
 * bench_json.c - JSON in and out, beside jansson in the same process.
 *
 *   json.parse.1k        a reply of 1 KB into a tree, against json_loadb
 *   json.parse.compact   the same without white space
 *   json.keep.20k        a question whose body of 20 KB is kept, against json_loadb
 *   json.write.6k        an answer of 6 KB through the writer, against json_dumps
 *   json.value.6k        the same answer from its tree, against json_dumps
 *   json.allocs          allocations of all of these, once they are warm
 *
 * jansson is loaded while this runs and its header is left out: both libraries
 * say JSON_OBJECT and json_equal.
 */
#include "base/limits.h"
#include "harness.h"
#include "text/json.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* -- jansson ------------------------------------------------------------------------ */

#define COMPACT 0x20 /* JSON_COMPACT */

static struct {
    void *(*loadb)(const char *text, size_t n, size_t flags, void *err);
    char *(*dumps)(const void *tree, size_t flags);
    void (*destroy)(void *tree);
} jansson;

static void *symbol(void *library, const char *name)
{
    void *p = library ? dlsym(library, name) : NULL;
    if (!p) {
        fprintf(stderr, "bench: jansson: %s\n", dlerror());
        exit(1);
    }
    return p;
}

static void load_jansson(void)
{
    void *library = dlopen("libjansson.so.4", RTLD_NOW);
    *(void **)&jansson.loadb = symbol(library, "json_loadb");
    *(void **)&jansson.dumps = symbol(library, "json_dumps");
    *(void **)&jansson.destroy = symbol(library, "json_delete");
}

/* -- the texts ------------------------------------------------------------------------ */

static const char reply[] =
    "{\n"
    "  \"id\": \"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\n"
    "  \"object\": \"chat.completion\",\n"
    "  \"created\": 1741569952,\n"
    "  \"model\": \"gpt-4o-2024-08-06\",\n"
    "  \"choices\": [\n"
    "    {\n"
    "      \"index\": 0,\n"
    "      \"message\": {\n"
    "        \"role\": \"assistant\",\n"
    "        \"content\": \"Yes. The model reads pictures and calls tools, also several at "
    "once.\\n\\nIt answers in the form that you ask for if you give it a schema \xe2\x80\x94 then "
    "every answer has the \\\"fields\\\" of the schema.\",\n"
    "        \"refusal\": null,\n"
    "        \"annotations\": []\n"
    "      },\n"
    "      \"logprobs\": null,\n"
    "      \"finish_reason\": \"stop\"\n"
    "    }\n"
    "  ],\n"
    "  \"usage\": {\n"
    "    \"prompt_tokens\": 19,\n"
    "    \"completion_tokens\": 10,\n"
    "    \"total_tokens\": 29,\n"
    "    \"prompt_tokens_details\": {\n"
    "      \"cached_tokens\": 0,\n"
    "      \"audio_tokens\": 0\n"
    "    },\n"
    "    \"completion_tokens_details\": {\n"
    "      \"reasoning_tokens\": 0,\n"
    "      \"audio_tokens\": 0,\n"
    "      \"accepted_prediction_tokens\": 0,\n"
    "      \"rejected_prediction_tokens\": 0\n"
    "    }\n"
    "  },\n"
    "  \"service_tier\": \"default\",\n"
    "  \"system_fingerprint\": \"fp_44709d6fcb\"\n"
    "}\n";

static const char *const field[] = {
    "streaming",         "tool_calling",   "parallel_tool_calls", "tool_choice",  "json_mode",
    "structured_output", "reasoning",      "prompt_caching",      "input_text",   "input_image",
    "input_audio",       "input_video",    "output_text",         "output_image", "embeddings",
    "system_message",    "stop_sequences", "web_search",          "file_search",  "context_window",
    "max_output"};
#define FIELDS (sizeof field / sizeof *field)

static void write_why(struct json_writer *w, unsigned i)
{
    bool fact = i % 4 != 0;
    jw_object(w);
    jw_lit(w, "from");
    jw_strz(w, fact ? "fact" : "rule");
    jw_lit(w, "layer");
    jw_strz(w, fact ? "facts" : "family");
    jw_lit(w, "rule");
    jw_strz(w, fact ? "openai/gpt-4o" : "gpt");
    jw_lit(w, "file");
    jw_strz(w, fact ? "catalog/facts/openai.toml" : "catalog/family/openai.toml");
    jw_lit(w, "line");
    jw_uint(w, fact ? 294 : 4);
    jw_lit(w, "source");
    jw_strz(w, fact ? "https://raw.githubusercontent.com/pydantic/genai-prices/main/data.json"
                    : "https://platform.openai.com/docs/models");
    jw_lit(w, "checked");
    jw_strz(w, "2026-08-21");
    jw_lit(w, "evidence");
    jw_strz(w, fact ? "catalog" : "inferred");
    jw_object_end(w);
}

static void write_answer(struct json_writer *w)
{
    jw_object(w);
    jw_lit(w, "id");
    jw_null(w);
    jw_lit(w, "ok");
    jw_bool(w, true);
    jw_lit(w, "result");
    jw_object(w);
    jw_lit(w, "provider");
    jw_strz(w, "openai");
    jw_lit(w, "model");
    jw_strz(w, "gpt-4o");
    jw_lit(w, "fields");
    jw_object(w);
    for (unsigned i = 0; i < FIELDS; i++) {
        jw_keyz(w, field[i]);
        if (i + 2 < FIELDS)
            jw_strz(w, i % 5 ? "native" : "unsupported");
        else
            jw_uint(w, 16384u << i % 4);
    }
    jw_object_end(w);
    jw_lit(w, "notes");
    jw_array(w);
    jw_strz(w, "images are read as \"low\" or \"high\" detail \xe2\x80\x94 the price differs");
    jw_strz(w, "tools are called one at a time\nif 'strict' is set");
    jw_array_end(w);
    jw_lit(w, "why");
    jw_object(w);
    for (unsigned i = 0; i < FIELDS; i++) {
        jw_keyz(w, field[i]);
        write_why(w, i);
    }
    jw_object_end(w);
    jw_object_end(w);
    jw_object_end(w);
}

static char *compact_of(const char *text)
{
    void *tree = jansson.loadb(text, strlen(text), 0, NULL);
    char *out = tree ? jansson.dumps(tree, COMPACT) : NULL;
    if (!out)
        abort();
    jansson.destroy(tree);
    return out;
}

/* A question about a request of about 20 KB. */
static char *question(void)
{
    static const char words[] =
        "The model answers with a list of values that fit into one table.\\nEvery row has "
        "\\\"its own\\\" source and a date when it was checked by somebody who knew to read it.";
    char *text = malloc(40000);
    if (!text)
        abort();
    size_t n = (size_t)sprintf(text, "{\"op\":\"preflight\",\"target\":\"openai/gpt-4o\","
                                     "\"request\":{\"model\":\"gpt-4o\",\"messages\":[");
    for (unsigned i = 0; n < 20000; i++)
        n += (size_t)sprintf(text + n, "%s{\"role\":\"%s\",\"content\":\"%s\"}", i ? "," : "",
                             i % 2 ? "assistant" : "user", words);
    sprintf(text + n, "]},\"api\":\"openai-chat\"}");
    return text;
}

/* -- what is measured ------------------------------------------------------------------- */

struct job {
    struct arena ar; /* cleared before each use */
    struct buf out;
    struct str text;
    const struct json *tree;
    void *theirs;
};

static const struct json *need(const struct json *v)
{
    if (!v) {
        fprintf(stderr, "bench: the text is refused\n");
        exit(1);
    }
    return v;
}

static uint64_t parse_ours(void *ctx)
{
    struct job *j = ctx;
    struct json_error err;
    arena_clear(&j->ar);
    return need(json_parse(&j->ar, j->text, &err))->n;
}

static bool is_request(void *ctx, struct str key)
{
    (void)ctx;
    return str_is(key, "request");
}

static uint64_t keep_ours(void *ctx)
{
    struct job *j = ctx;
    struct json_error err;
    arena_clear(&j->ar);
    return need(json_parse_keeping(&j->ar, j->text, is_request, NULL, &err))->n;
}

static uint64_t parse_theirs(void *ctx)
{
    struct job *j = ctx;
    void *tree = jansson.loadb(j->text.p, j->text.n, 0, NULL);
    if (!tree)
        abort();
    jansson.destroy(tree);
    return j->text.n;
}

static uint64_t write_ours(void *ctx)
{
    struct job *j = ctx;
    struct json_writer w;
    arena_clear(&j->ar);
    buf_init_arena(&j->out, &j->ar, LIMIT_JSON_BYTES);
    jw_init(&w, &j->out, false);
    write_answer(&w);
    return j->out.n;
}

static uint64_t value_ours(void *ctx)
{
    struct job *j = ctx;
    struct json_writer w;
    arena_clear(&j->ar);
    buf_init_arena(&j->out, &j->ar, LIMIT_JSON_BYTES);
    jw_init(&w, &j->out, false);
    jw_value(&w, j->tree);
    return j->out.n;
}

static uint64_t write_theirs(void *ctx)
{
    struct job *j = ctx;
    char *text = jansson.dumps(j->theirs, COMPACT);
    if (!text)
        abort();
    uint64_t first = (unsigned char)text[0];
    free(text);
    return first;
}

/* The allocations of one use, once the arena is warm. */
static uint64_t mallocs_of(bench_fn *fn, struct job *j)
{
    for (unsigned i = 0; i < 4; i++)
        fn(j);
    uint64_t before = bench_mallocs();
    fn(j);
    return bench_mallocs() - before;
}

static uint64_t compare(const char *name, bench_fn *ours, bench_fn *theirs, struct job *j)
{
    char more[64];
    struct bench_pair t = bench_compare(ours, j, theirs, j, 1);
    bench_report(name, t.b_ns / t.a_ns, "x", "jansson");
    snprintf(more, sizeof more, "%s.time", name);
    bench_report(more, t.a_ns, "ns", NULL);
    return mallocs_of(ours, j);
}

int main(int argc, char **argv)
{
    struct arena keep;
    struct json_error err;
    uint64_t mallocs = 0;
    bench_output(argc > 1 ? argv[1] : NULL);
    load_jansson();
    arena_init(&keep, NULL);

    struct job j = {.text = str_make(reply, sizeof reply - 1)};
    arena_init(&j.ar, NULL);
    mallocs += compare("json.parse.1k", parse_ours, parse_theirs, &j);
    j.text = str_of(compact_of(reply));
    mallocs += compare("json.parse.compact", parse_ours, parse_theirs, &j);
    free((void *)(uintptr_t)j.text.p);
    j.text = str_of(question());
    mallocs += compare("json.keep.20k", keep_ours, parse_theirs, &j);
    free((void *)(uintptr_t)j.text.p);

    write_ours(&j);
    struct str answer = str_dup(&keep, str_make(j.out.p, j.out.n));
    j.tree = need(json_parse(&keep, answer, &err));
    j.theirs = jansson.loadb(answer.p, answer.n, 0, NULL);
    char *same = j.theirs ? jansson.dumps(j.theirs, COMPACT) : NULL;
    if (!same || !str_is(answer, same)) {
        fprintf(stderr, "bench: the two do not write the same answer\n");
        return 1;
    }
    mallocs += compare("json.write.6k", write_ours, write_theirs, &j);
    mallocs += compare("json.value.6k", value_ours, write_theirs, &j);
    bench_report("json.allocs", (double)mallocs, "allocs", NULL);
    free(same);
    jansson.destroy(j.theirs);
    arena_free(&j.ar);
    arena_free(&keep);
    return 0;
}
