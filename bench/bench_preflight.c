/*
 * bench_preflight.c - the whole verdict on a request, beside a parse of the same
 * bytes.
 *
 *   preflight.1k, .20k, .400k, .4m    scan with full validation, rules, findings,
 *                                     against simdjson building its DOM
 *   preflight.*.jansson               the same against jansson
 *   preflight.4m.memory               share of the speed of reading the same bytes once
 *   preflight.allocs                  allocations of one verdict on each of them
 *   preflight.target                  making a target, and its first verdict, on a short request:
 *                                     done once
 *
 * Bodies are what programs send: a short chat, thirty tools, a long history with
 * tool calls, a picture. They lie at another alignment in each round.
 *
 * What a figure means depends on the processor and on the kernel that simdjson takes for it:
 * both are printed. CANDO_BENCH_SIMDJSON=haswell (or westmere, icelake, fallback) takes
 * another kernel, if the processor can run it.
 */
#include "cando.h"
#include "harness.h"
#include "request/scan_index.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *shim_simdjson_kernel(const char *wanted);
void *shim_simdjson_new(void);
void shim_simdjson_free(void *parser);
int shim_simdjson_parse(void *parser, const char *text, size_t len);
int shim_jansson_parse(const char *text, size_t len);

#define PADDING 128

struct text {
    char *p;
    size_t n, cap;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
    va_list ap;
    if (t->cap - t->n < 65536) {
        t->cap = t->cap * 2 + (1 << 20);
        t->p = realloc(t->p, t->cap);
        if (!t->p)
            abort();
    }
    va_start(ap, fmt);
    t->n += (size_t)vsnprintf(t->p + t->n, t->cap - t->n, fmt, ap);
    va_end(ap);
}

static void words(struct text *t, unsigned n, uint64_t *seed)
{
    static const char *const list[] = {
        "the",  "model",  "answers",  "with",  "a",       "list",  "of",  "values", "that",
        "fit",  "into",   "one",      "table", "because", "every", "row", "has",    "its",
        "own",  "source", "and",      "a",     "date",    "when",  "it",  "was",    "checked",
        "last", "by",     "somebody", "who",   "knew",    "how",   "to",  "read",   "it"};
    for (unsigned i = 0; i < n; i++) {
        const char *word = list[bench_random(seed) % (sizeof list / sizeof *list)],
                   *before = i ? " " : "";
        unsigned kind =
            bench_random(seed) % 64; /* lines end, words are quoted, and not all is ASCII */
        if (kind < 5)
            put(t, "%s%s.\\n", before, word);
        else if (kind == 5)
            put(t, "%s\\\"%s\\\"", before, word);
        else if (kind == 6)
            put(t, " \xe2\x80\x94 %s", word);
        else
            put(t, "%s%s", before, word);
    }
}

static void message(struct text *t, const char *role, unsigned n, uint64_t *seed, bool more)
{
    put(t, "{\"role\":\"%s\",\"content\":\"", role);
    words(t, n, seed);
    put(t, "\"}%s", more ? "," : "");
}

static void tool(struct text *t, unsigned i, uint64_t *seed)
{
    static const char *const types[] = {"string", "integer", "number", "boolean"};
    put(t, "{\"type\":\"function\",\"function\":{\"name\":\"tool_%u\",\"description\":\"", i);
    words(t, 18, seed);
    put(t, "\",\"parameters\":{\"type\":\"object\",\"properties\":{");
    for (unsigned k = 0; k < 4; k++) {
        put(t, "%s\"arg_%u\":{\"type\":\"%s\",\"description\":\"", k ? "," : "", k,
            types[bench_random(seed) % 4]);
        words(t, 8, seed);
        put(t, "\"}");
    }
    put(t, "},\"required\":[\"arg_0\",\"arg_1\"],\"additionalProperties\":false}}}");
}

static struct text short_chat(void)
{
    struct text t = {0};
    uint64_t seed = 1;
    put(&t, "{\"model\":\"gpt-4o\",\"messages\":[");
    message(&t, "system", 45, &seed, true);
    message(&t, "user", 70, &seed, true);
    message(&t, "assistant", 20, &seed, true);
    message(&t, "user", 20, &seed, false);
    put(&t, "],\"temperature\":0.7,\"max_tokens\":500,\"stream\":true}");
    return t;
}

static struct text many_tools(void)
{
    struct text t = {0};
    uint64_t seed = 2;
    put(&t, "{\"model\":\"gpt-4o\",\"messages\":[");
    message(&t, "system", 120, &seed, true);
    message(&t, "user", 80, &seed, false);
    put(&t, "],\"tools\":[");
    for (unsigned i = 0; i < 30; i++) {
        put(&t, "%s", i ? "," : "");
        tool(&t, i, &seed);
    }
    put(&t, "],\"tool_choice\":\"auto\",\"temperature\":0.2,\"max_tokens\":1000}");
    return t;
}

static struct text long_history(void)
{
    struct text t = {0};
    uint64_t seed = 3;
    put(&t, "{\"model\":\"gpt-4o\",\"messages\":[");
    message(&t, "system", 200, &seed, true);
    for (unsigned i = 0; t.n < 395000; i++) {
        message(&t, "user", 120, &seed, true);
        put(&t,
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_%06u\","
            "\"type\":\"function\","
            "\"function\":{\"name\":"
            "\"search\",\"arguments\":\"{\\\"query\\\": \\\"",
            i);
        words(&t, 6, &seed);
        put(&t,
            "\\\", \\\"limit\\\": "
            "10}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"call_%06u\",\"content\":\"```"
            "python\\ndef f(x):\\n"
            "    return x + 1\\n```\\n",
            i);
        words(&t, 150, &seed);
        put(&t, "\"},");
        message(&t, "assistant", 200, &seed, true);
    }
    message(&t, "user", 10, &seed, false);
    put(&t, "],\"tools\":[");
    tool(&t, 1, &seed);
    put(&t, "],\"max_tokens\":2000}");
    return t;
}

static struct text picture(void)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct text t = {0};
    uint64_t seed = 4;
    put(&t, "{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
            "\"text\",\"text\":\"what is in this picture?\"},"
            "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/"
            "png;base64,iVBORw0KGgoAAAANSUhEUgAABAAAAAMA");
    while (t.n < 4190000) {
        char line[65];
        for (unsigned i = 0; i < 64; i++)
            line[i] = digits[bench_random(&seed) & 63];
        line[64] = '\0';
        put(&t, "%s", line);
    }
    put(&t, "\"}}]}],\"max_tokens\":300}");
    return t;
}

struct job {
    const cando_target *target;
    cando_report *report;
    void *simdjson;
    char *room;
    const char *p;
    size_t n;
    unsigned round;
    struct text text;
};

/* Another place within a page each time: copies and loads differ by it. */
static void move(struct job *j)
{
    size_t shift = j->round++ * 1000 % 4096;
    memcpy(j->room + shift, j->text.p, j->text.n);
    memset(j->room + shift + j->text.n, ' ', PADDING);
    j->p = j->room + shift;
    j->n = j->text.n;
}

static uint64_t run_preflight(void *ctx)
{
    struct job *j = ctx;
    cando_error err;
    if (cando_preflight(j->target, "openai-chat", j->p, j->n, false, j->report, &err) != CANDO_OK) {
        fprintf(stderr, "bench: %s\n", err.message);
        exit(1);
    }
    return cando_report_findings(j->report, NULL) + cando_report_tokens(j->report).expected;
}

static uint64_t run_simdjson(void *ctx)
{
    struct job *j = ctx;
    return (uint64_t)shim_simdjson_parse(j->simdjson, j->p, j->n);
}

static uint64_t run_jansson(void *ctx)
{
    struct job *j = ctx;
    return (uint64_t)shim_jansson_parse(j->p, j->n);
}

/* The C library's search for a byte that is not there: every byte, at full speed. */
static uint64_t run_read(void *ctx)
{
    struct job *j = ctx;
    return memchr(j->p, 1, j->n) != NULL;
}

static const cando_name gpt = {"openai/gpt-4o", NULL};

/* A target is ready for an API when the first request of that API comes: with a short one. */
struct target_job {
    void *memory;
    cando_report *report;
};

static uint64_t run_target(void *ctx)
{
    static const char hi[] =
        "{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    struct target_job *j = ctx;
    cando_target *t = cando_target_init(j->memory, cando_catalog_builtin(), gpt, 0, NULL);
    return t ? cando_preflight(t, "openai-chat", hi, sizeof hi - 1, false, j->report, NULL) : 1;
}

/* The best of several places in memory. */
static struct bench_pair compare(struct job *j, bench_fn *other)
{
    struct bench_pair best = {1e300, 1e300};
    for (unsigned i = 0; i < 3; i++) {
        move(j);
        struct bench_pair p = bench_compare(run_preflight, j, other, j, 1);
        best.a_ns = p.a_ns < best.a_ns ? p.a_ns : best.a_ns;
        best.b_ns = p.b_ns < best.b_ns ? p.b_ns : best.b_ns;
    }
    return best;
}

static void report(const char *size, const char *kind, double value, const char *unit,
                   const char *against)
{
    char name[64];
    snprintf(name, sizeof name, "preflight.%s%s", size, kind);
    bench_report(name, value, unit, against);
}

/* The processor's name for itself. */
static void processor(char *out, size_t size)
{
    char line[512];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(out, size, "unknown processor");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            const char *name = strchr(line, ':') + 1;
            snprintf(out, size, "%.*s", (int)strcspn(name + 1, "\n"), name + 1);
            break;
        }
    if (f)
        fclose(f);
}

static const char *own_kernel(void)
{
    scan_fill *fill = scan_fill_for(SCAN_BEST);
#if defined(__x86_64__)
    if (fill == scan_fill_avx512)
        return "AVX-512";
    if (fill == scan_fill_avx2)
        return "AVX2";
    if (fill == scan_fill_128)
        return "SSE2";
#endif
    return fill == scan_fill_plain ? "plain C" : "unknown";
}

int main(int argc, char **argv)
{
    cando_set_today("2026-10-01", NULL); /* when the model that is asked had no end yet */
    static const char *const sizes[] = {"1k", "20k", "400k", "4m"};
    struct text (*const make[])(void) = {short_chat, many_tools, long_history, picture};
    cando_error err;
    uint64_t mallocs = 0;
    char cpu[128], dom_name[64];
    bench_output(argc > 1 ? argv[1] : NULL);
    const char *wanted = getenv("CANDO_BENCH_SIMDJSON"), *kernel = shim_simdjson_kernel(wanted);
    if (!kernel) {
        fprintf(stderr, "bench: simdjson has no kernel '%s' for this processor\n", wanted);
        return 1;
    }
    processor(cpu, sizeof cpu);
    snprintf(dom_name, sizeof dom_name, "simdjson %s", kernel);
    printf("%s; preflight with %s, %s\n", cpu, own_kernel(), dom_name);
    const cando_target *target = cando_target_new(cando_catalog_builtin(), gpt, 0, NULL, &err);
    cando_report *verdict = cando_report_new(NULL, &err);
    void *memory = malloc(cando_target_size(cando_catalog_builtin()));
    if (!target || !verdict || !memory) {
        fprintf(stderr, "bench: %s\n", err.message);
        return 1;
    }
    for (unsigned i = 0; i < 4; i++) {
        struct job j = {.target = target,
                        .report = verdict,
                        .simdjson = shim_simdjson_new(),
                        .text = make[i]()};
        j.room = malloc(j.text.n + 4096 + PADDING);
        if (!j.room)
            return 1;
        move(&j);
        uint64_t before = bench_mallocs();
        run_preflight(&j);
        mallocs += bench_mallocs() - before;
        struct bench_pair dom = compare(&j, run_simdjson);
        report(sizes[i], "", dom.b_ns / dom.a_ns, "x", dom_name);
        report(sizes[i], ".speed", (double)j.n * 1e3 / dom.a_ns, "MB/s", NULL);
        report(sizes[i], ".simdjson", (double)j.n * 1e3 / dom.b_ns, "MB/s", NULL);
        struct bench_pair slow = compare(&j, run_jansson);
        report(sizes[i], ".jansson", slow.b_ns / slow.a_ns, "x", "jansson");
        if (i == 3) {
            struct bench_pair read = compare(&j, run_read);
            report(sizes[i], ".memory", read.b_ns / read.a_ns, "x", "reading the same bytes once");
        }
        shim_simdjson_free(j.simdjson);
        free(j.room);
        free(j.text.p);
    }
    struct target_job ready = {memory, verdict};
    bench_report("preflight.target", bench_time(run_target, &ready, 1), "ns", NULL);
    bench_report("preflight.allocs", (double)mallocs, "allocs", NULL);
    free(memory);
    cando_report_free(verdict);
    cando_target_release(target);
    return 0;
}
