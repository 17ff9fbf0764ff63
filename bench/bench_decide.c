/*
 * bench_decide.c - how fast a decision is.
 *
 *   check.native26, check.mixed26, check.empty26
 *                    26 requirements against a manifest in which all are native, in
 *                    which levels are mixed, and against an empty one; the outcome of
 *                    every requirement is wanted. Beside it the same rules written
 *                    down plainly: a manifest is a list of names and levels, a
 *                    requirement is looked up by its name, and what comes of it goes to
 *                    one of three lists
 *   check.allocs     allocations of all these checks
 *   select.catalog   the ten best of the built-in catalog for some criteria, beside a loop
 *                    that resolves every model, reads its fields and sorts what fits
 *   select.json      the same, JSON in and JSON out
 *   select.allocs    allocations of such a question in a room that was used before
 */
#include "catalog/planes.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const cando_error *err)
{
    fprintf(stderr, "bench: %s: %s\n", what, err->message);
    exit(1);
}

/* -- checks -------------------------------------------------------------------------------- */

#define N 26 /* requirements */

static const char *const names[N] = {
    "streaming",           "tool_read",
    "tool_write",          "tool_edit",
    "tool_bash",           "tool_glob",
    "tool_grep",           "tool_web_search",
    "tool_web_fetch",      "tool_ask_user",
    "session_resume",      "session_fork",
    "checkpointing",       "hooks_pre_tool_use",
    "hooks_post_tool_use", "mcp_client",
    "mcp_server",          "tool_use",
    "extended_thinking",   "structured_output_json_schema",
    "image_input",         "pdf_input",
    "code_execution",      "logprobs",
    "seed_determinism",    "stop_sequences",
};

enum { LEVEL_NATIVE, LEVEL_EMULATED, LEVEL_RESTRICTED, LEVEL_UNSUPPORTED };

/* What a plain program would hold. */
struct plain_entry {
    const char *name, *level, *reason;
};

struct plain_requirement {
    const char *name, *min_support;
};

struct plain_item {
    const char *name, *reason;
};

struct plain_list {
    struct plain_item *item;
    size_t n, cap;
};

struct world {
    struct plain_entry manifest[N];
    size_t n_manifest;
    struct plain_requirement required[N];
    cando_needs *needs;
    cando_claims *claims;
};

static void push(struct plain_list *l, const char *name, const char *reason)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 4;
        l->item = realloc(l->item, l->cap * sizeof *l->item);
        if (!l->item)
            exit(1);
    }
    l->item[l->n++] = (struct plain_item){name, reason};
}

static const struct plain_entry *look_up(const struct world *w, const char *name)
{
    for (size_t i = 0; i < w->n_manifest; i++)
        if (strcmp(w->manifest[i].name, name) == 0)
            return &w->manifest[i];
    return NULL;
}

static uint64_t check_plainly(void *ctx)
{
    const struct world *w = ctx;
    struct plain_list native = {0}, emulated = {0}, unsupported = {0};
    for (size_t i = 0; i < N; i++) {
        const struct plain_requirement *r = &w->required[i];
        const struct plain_entry *e = look_up(w, r->name);
        if (!e)
            push(&unsupported, r->name, "not declared");
        else if (strcmp(e->level, "native") == 0)
            push(&native, r->name, NULL);
        else if (strcmp(e->level, "unsupported") == 0)
            push(&unsupported, r->name, "declared unsupported");
        else if (strcmp(r->min_support, "native") == 0)
            push(&unsupported, r->name, e->level);
        else
            push(&emulated, r->name, e->reason);
    }
    uint64_t sum = native.n * 10000 + emulated.n * 100 + unsupported.n;
    free(native.item);
    free(emulated.item);
    free(unsupported.item);
    return sum;
}

static uint64_t check_packed(void *ctx)
{
    const struct world *w = ctx;
    cando_outcome out[N];
    cando_check_result r =
        cando_check(w->needs, cando_claims_planes(w->claims), CANDO_UNKNOWN_DENY, out);
    return (uint64_t)r.verdict * 100 + r.missing + out[N - 1].have;
}

static void build_world(struct world *w, int kind)
{
    static const char *const words[] = {"native", "emulated", "restricted", "unsupported"};
    char needs[4096] = "{\"required\":[", manifest[4096] = "{";
    size_t n = strlen(needs), m = strlen(manifest);
    cando_error err = {0};
    memset(w, 0, sizeof *w);
    for (int i = 0; i < N; i++) {
        const char *min = kind == 1 && i % 3 == 0 ? "native" : "emulated";
        int level = kind == 1 ? i % 4 : LEVEL_NATIVE;
        w->required[i] = (struct plain_requirement){names[i], min};
        n += (size_t)snprintf(needs + n, sizeof needs - n,
                              "%s{\"capability\":\"%s\",\"min_support\":\"%s\"}", i ? "," : "",
                              names[i], min);
        if (kind == 2)
            continue;
        w->manifest[w->n_manifest++] = (struct plain_entry){
            names[i], words[level], level == LEVEL_RESTRICTED ? "sandbox" : NULL};
        const char *form = level == LEVEL_RESTRICTED ? "%s\"%s\":{\"%s\":{\"reason\":\"sandbox\"}}"
                                                     : "%s\"%s\":\"%s\"";
        m += (size_t)snprintf(manifest + m, sizeof manifest - m, form, i ? "," : "", names[i],
                              words[level]);
    }
    n += (size_t)snprintf(needs + n, sizeof needs - n, "]}");
    m += (size_t)snprintf(manifest + m, sizeof manifest - m, "}");
    w->needs = cando_needs_read(needs, n, NULL, &err);
    w->claims = w->needs ? cando_claims_read("manifest", manifest, m, NULL, &err) : NULL;
    if (!w->claims)
        die("check", &err);
}

/* Both sides agree on what is missing, or the comparison is worth nothing. */
static void agree(struct world *w)
{
    cando_outcome out[N];
    unsigned count[3] = {0};
    cando_check(w->needs, cando_claims_planes(w->claims), CANDO_UNKNOWN_DENY, out);
    for (int i = 0; i < N; i++)
        count[out[i].effect != CANDO_MET ? 2 : out[i].have == CANDO_NATIVE ? 0 : 1]++;
    if (check_plainly(w) != count[0] * 10000u + count[1] * 100u + count[2]) {
        fprintf(stderr, "bench: the two checks disagree\n");
        exit(1);
    }
}

static void bench_checks(void)
{
    static const char *const bench[] = {"check.native26", "check.mixed26", "check.empty26"};
    for (int kind = 0; kind < 3; kind++) {
        struct world w;
        build_world(&w, kind);
        agree(&w);
        struct bench_pair p = bench_compare(check_packed, &w, check_plainly, &w, 1);
        bench_report(bench[kind], p.b_ns / p.a_ns, "x", "names looked up in a list");
        bench_report(kind == 0   ? "check.native26.time"
                     : kind == 1 ? "check.mixed26.time"
                                 : "check.empty26.time",
                     p.a_ns, "ns", NULL);
        cando_claims_free(w.claims);
        cando_needs_free(w.needs);
    }
}

static void bench_allocs(void)
{
    cando_error err = {0};
    const char *json = "{\"requirements\":[{\"name\":\"tool_calling\",\"level\":\"hard\"},"
                       "{\"name\":\"context_window\",\"level\":\"hard\",\"minimum\":64000},"
                       "{\"name\":\"prompt_caching\",\"level\":\"preferred\"},{\"name\":"
                       "\"reasoning\",\"level\":\"probed\"}]}";
    cando_needs *needs = cando_needs_read(json, strlen(json), NULL, &err);
    cando_profile p;
    cando_planes planes;
    if (!needs || cando_resolve(cando_catalog_builtin(), "openai/gpt-4o", &p, &err) != CANDO_OK)
        die("allocs", &err);
    cando_profile_pack(&p, &planes);
    uint64_t before = bench_mallocs();
    cando_outcome out[4];
    for (int i = 0; i < 1000; i++)
        cando_check(needs, &planes, (cando_unknown)(i % 3), out);
    bench_report("check.allocs", (double)(bench_mallocs() - before), "allocs", NULL);
    cando_needs_free(needs);
}

/* -- selection ----------------------------------------------------------------------------- */

struct choice {
    cando *c;
    cando_room *room;
};

static const char request[] = "{\"op\":\"select\",\"require\":[\"tool_calling\",\"input_image\","
                              "\"structured_output\"],\"forbid\":[\"input_audio\"],"
                              "\"minimum\":{\"context_window\":100000},\"maximum\":{\"input_"
                              "price\":\"3\"},\"sort\":\"price\",\"limit\":10}";

static uint64_t select_json(void *ctx)
{
    struct choice *x = ctx;
    cando_bytes reply;
    if (cando_call_in(x->c, request, sizeof request - 1, x->room, &reply) != CANDO_OK)
        exit(1);
    uint64_t sum = reply.n;
    cando_room_clear(x->room);
    return sum;
}

static uint64_t select_packed(void *ctx)
{
    static const cando_wanted require[] = {{.capability = "tool_calling"},
                                           {.capability = "input_image"},
                                           {.capability = "structured_output"}};
    static const cando_wanted forbid[] = {{.capability = "input_audio"}};
    static const cando_bound minimum[] = {{"context_window", "100000"}},
                             maximum[] = {{"input_price", "3"}};
    static const cando_query q = {.require = require,
                                  .n_require = 3,
                                  .forbid = forbid,
                                  .n_forbid = 1,
                                  .minimum = minimum,
                                  .n_minimum = 1,
                                  .maximum = maximum,
                                  .n_maximum = 1,
                                  .sort = CANDO_SORT_PRICE,
                                  .limit = {10, true}};
    struct choice *x = ctx;
    cando_error err;
    const cando_select_answer *a = cando_ask_select(x->c, &q, x->room, &err);
    if (!a)
        die("select", &err);
    uint64_t sum = a->matched;
    cando_room_clear(x->room);
    return sum;
}

struct found {
    cando_model model;
    double price;
};

static int by_price(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    int c = strcmp(x->model.provider, y->model.provider);
    return c ? c : strcmp(x->model.id, y->model.id);
}

static bool says_yes(const cando_profile *p, const char *name)
{
    cando_value v = cando_profile_get(p, cando_field_find(name));
    return v.known && v.support > CANDO_UNSUPPORTED;
}

static double price_of(const cando_profile *p, const char *unit)
{
    cando_value v = cando_profile_get(p, cando_field_find("price"));
    size_t n = strlen(unit);
    for (uint32_t i = 0; v.known && i < v.count; i++) {
        const char *item = cando_value_item(&v, i);
        if (strncmp(item, unit, n) == 0 && item[n] == '=')
            return strtod(item + n + 1, NULL);
    }
    return -1;
}

static uint64_t select_plainly(void *ctx)
{
    (void)ctx;
    const cando_catalog *cat = cando_catalog_builtin();
    size_t all = cando_catalog_models(cat), n = 0;
    struct found *list = malloc(all * sizeof *list);
    if (!list)
        exit(1);
    for (size_t i = 0; i < all; i++) {
        cando_profile p;
        cando_model m = cando_catalog_model(cat, i);
        cando_resolve_parts(cat, m.provider, strlen(m.provider), m.id, strlen(m.id),
                            CANDO_AS_WRITTEN, &p, NULL);
        cando_value window = cando_profile_get(&p, cando_field_find("context_window"));
        double in = price_of(&p, "input_tokens"), out = price_of(&p, "output_tokens");
        if (says_yes(&p, "tool_calling") && says_yes(&p, "input_image") &&
            says_yes(&p, "structured_output") && !says_yes(&p, "input_audio") && window.known &&
            window.number >= 100000 && in >= 0 && in <= 3)
            list[n++] = (struct found){m, out < 0 ? 1e300 : in + out};
    }
    qsort(list, n, sizeof *list, by_price);
    uint64_t sum = n + strlen(list[0].model.id);
    free(list);
    return sum;
}

static void bench_select(void)
{
    struct choice x = {0};
    cando_error err = {0};
    x.c = cando_new(NULL, NULL, &err);
    x.room = x.c ? cando_room_new(NULL, &err) : NULL;
    if (!x.room)
        die("select", &err);
    struct bench_pair p = bench_compare(select_packed, &x, select_plainly, &x, 1);
    bench_report("select.catalog", p.b_ns / p.a_ns, "x", "resolving every model");
    bench_report("select.catalog.time", p.a_ns, "ns", NULL);
    p = bench_compare(select_json, &x, select_plainly, &x, 1);
    bench_report("select.json", p.b_ns / p.a_ns, "x", "resolving every model");
    bench_report("select.json.time", p.a_ns, "ns", NULL);
    uint64_t before = bench_mallocs();
    for (int i = 0; i < 1000; i++)
        select_packed(&x);
    bench_report("select.allocs", (double)(bench_mallocs() - before), "allocs", NULL);
    cando_room_free(x.room);
    cando_free(x.c);
}

int main(int argc, char **argv)
{
    bench_output(argc > 1 ? argv[1] : NULL);
    bench_checks();
    bench_allocs();
    bench_select();
    return 0;
}
