/*
 * bench_engine.c - how fast an answer is, and what it costs to get ready.
 *
 *   resolve.unknown.rules2000   an id that no rule names whole, against the
 *                               naive resolver of the tests, same rules, same ids
 *   resolve.flat                the same ids with 500 and with 50,000 rules
 *   resolve.exact               an id that is named whole, against one lookup of
 *                               the same key in a plain hash map
 *   resolve.allocs              allocations of all of these answers
 *   toml.parse, snapshot.open   getting ready
 */
#include "cando.h"
#include "harness.h"
#include "reference.h"
#include "rules.h"
#include "text/toml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *what, const cando_error *err)
{
    fprintf(stderr, "bench: %s: %s\n", what, err->message);
    exit(1);
}

static const cando_catalog *compile(const char *text, size_t len)
{
    cando_error err = {0};
    const void *bytes = NULL;
    size_t n = 0;
    cando_sources *s = cando_sources_new(NULL, &err);
    if (!s ||
        cando_sources_add(s, "bench.toml", text, len, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY,
                          &err) != CANDO_OK ||
        cando_sources_build(s, &bytes, &n, &err) != CANDO_OK)
        die("build", &err);
    const cando_catalog *c = cando_catalog_open_copy(bytes, n, NULL, &err);
    if (!c)
        die("open", &err);
    cando_sources_free(s);
    return c;
}

/* The same rules for both resolvers, and the questions. */
struct world {
    struct bench_rule *rule;
    size_t n;
    char *text;
    size_t len;
    const cando_catalog *cat;
    struct bench_id id[BENCH_IDS];
    struct ref_rule *ref_rule;
    struct ref_pattern *ref_pattern;
    struct ref_assign *ref_assign;
    struct ref_source ref_source;
    struct ref_set ref;
};

static void *need(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

static const char *const field_order[REF_FIELDS] = {
    "max_tools",        "max_output",           "context_window",     "max_input",
    "cache_min_tokens", "embedding_dimensions", "batch_max_requests", "max_thinking_budget",
};

static unsigned ref_field(const char *name)
{
    unsigned f = 0;
    while (strcmp(field_order[f], name) != 0)
        f++;
    return f;
}

static void reference_init(struct world *w)
{
    static const enum ref_match kinds[] = {REF_PREFIX, REF_GLOB, REF_CONTAINS, REF_EXACT};
    w->ref_rule = need(w->n, sizeof *w->ref_rule);
    w->ref_pattern = need(w->n, sizeof *w->ref_pattern);
    w->ref_assign = need(w->n, sizeof *w->ref_assign);
    for (size_t i = 0; i < w->n; i++) {
        const struct bench_rule *r = &w->rule[i];
        w->ref_pattern[i] = (struct ref_pattern){kinds[r->kind], r->pattern};
        w->ref_assign[i] = (struct ref_assign){ref_field(r->field), r->field};
        w->ref_rule[i] = (struct ref_rule){
            .kind = REF_RULE,
            .line = (unsigned)i + 1,
            .name = "",
            .provider = r->provider < 0 ? NULL : &bench_provider[r->provider],
            .n_providers = r->provider >= 0,
            .pattern = &w->ref_pattern[i],
            .n_patterns = 1,
            .assign = &w->ref_assign[i],
            .n_assigns = 1,
        };
    }
    w->ref_source = (struct ref_source){.layer = CANDO_LAYER_FAMILY};
    w->ref = (struct ref_set){
        .source = &w->ref_source, .n_sources = 1, .rule = w->ref_rule, .n_rules = w->n};
}

static void world_init(struct world *w, size_t n)
{
    w->n = n;
    w->rule = need(n, sizeof *w->rule);
    bench_rules(w->rule, n);
    bench_ids(w->id);
    w->text = bench_toml(w->rule, n, &w->len);
    w->cat = compile(w->text, w->len);
    reference_init(w);
}

static void world_free(struct world *w)
{
    cando_catalog_release(w->cat);
    free(w->text);
    free(w->rule);
    free(w->ref_rule);
    free(w->ref_pattern);
    free(w->ref_assign);
}

static void resolve_one(const struct world *w, const struct bench_id *id, cando_profile *out)
{
    const char *provider = bench_provider[id->provider];
    cando_resolve_parts(w->cat, provider, strlen(provider), id->model, strlen(id->model),
                        CANDO_AS_WRITTEN, out, NULL);
}

static uint64_t resolve_ids(void *ctx)
{
    const struct world *w = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < BENCH_IDS; i++) {
        cando_profile p;
        resolve_one(w, &w->id[i], &p);
        sum += p.set[1] + p.identity;
    }
    return sum;
}

static uint64_t reference_ids(void *ctx)
{
    const struct world *w = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < BENCH_IDS; i++) {
        struct ref_answer a;
        ref_resolve(&w->ref, bench_provider[w->id[i].provider], w->id[i].model, w->id[i].model,
                    REF_AS_WRITTEN, &a);
        sum += a.matched;
    }
    return sum;
}

/* Both must say the same, or the ratio means nothing. */
static void agree(const struct world *w)
{
    unsigned set = 0;
    for (size_t i = 0; i < BENCH_IDS; i++) {
        cando_profile p;
        struct ref_answer a;
        resolve_one(w, &w->id[i], &p);
        ref_resolve(&w->ref, bench_provider[w->id[i].provider], w->id[i].model, w->id[i].model,
                    REF_AS_WRITTEN, &a);
        for (unsigned f = 0; f < 8; f++) {
            cando_origin o = cando_profile_why(&p, cando_field_find(field_order[f]));
            char name[32] = "";
            if (a.rule[f])
                snprintf(name, sizeof name, "r%u", a.rule[f]->line - 1);
            if (o.known != (a.rule[f] != NULL) || strcmp(o.rule, name) != 0) {
                fprintf(stderr, "bench: the two resolvers disagree on %s: %s and %s\n",
                        w->id[i].model, o.rule, name);
                exit(1);
            }
            set += o.known;
        }
    }
    if (set < BENCH_IDS) {
        fprintf(stderr, "bench: only %u fields are set, the rules hardly match\n", set);
        exit(1);
    }
}

/* -- one plain hash map ------------------------------------------------------------ */

struct plain_slot {
    const char *key;
    size_t len;
    const void *value;
};

/* Power of two, linear probing, FNV-1a: what one would write without a thought. */
struct plain_map {
    struct plain_slot *slot;
    size_t size;
};

static uint64_t plain_hash(const char *p, size_t n)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)p[i]) * UINT64_C(1099511628211);
    return h;
}

static struct plain_slot *plain_find(const struct plain_map *m, const char *key, size_t len)
{
    size_t i = (size_t)plain_hash(key, len) & (m->size - 1);
    while (m->slot[i].key && (m->slot[i].len != len || memcmp(m->slot[i].key, key, len) != 0))
        i = (i + 1) & (m->size - 1);
    return &m->slot[i];
}

struct exact_world {
    const cando_catalog *cat;
    struct plain_map map;
    struct exact_key {
        char provider[32], model[64], key[100];
        size_t n_provider, n_model, n_key;
    } * key;
    size_t n;
};

#define EXACT_MODELS 4000

static void exact_init(struct exact_world *w)
{
    uint64_t seed = 99;
    size_t cap = EXACT_MODELS * 200 + 64, at = 0;
    char *text = need(cap, 1);
    w->n = EXACT_MODELS;
    w->key = need(w->n, sizeof *w->key);
    w->map.size = 16384;
    w->map.slot = need(w->map.size, sizeof *w->map.slot);
    at += (size_t)snprintf(text, cap, "schema = \"cando/rules@1\"\n");
    for (size_t i = 0; i < w->n; i++) {
        struct exact_key *k = &w->key[i];
        snprintf(k->provider, sizeof k->provider, "%s", bench_provider[i % BENCH_PROVIDERS]);
        snprintf(k->model, sizeof k->model, "model-%zu-%u.%u-instruct", i, bench_random(&seed) % 10,
                 bench_random(&seed) % 10);
        snprintf(k->key, sizeof k->key, "%s/%s", k->provider, k->model);
        k->n_provider = strlen(k->provider);
        k->n_model = strlen(k->model);
        k->n_key = strlen(k->key);
        *plain_find(&w->map, k->key, k->n_key) = (struct plain_slot){k->key, k->n_key, k};
        at += (size_t)snprintf(
            text + at, cap - at,
            "\n[[models]]\nprovider = \"%s\"\nid = \"%s\"\nset = { max_output = %zu }\n",
            k->provider, k->model, i + 1);
    }
    w->cat = compile(text, at);
    free(text);
}

static uint64_t exact_resolve(void *ctx)
{
    const struct exact_world *w = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->n; i += 7) {
        const struct exact_key *k = &w->key[i];
        cando_profile p;
        cando_resolve_parts(w->cat, k->provider, k->n_provider, k->model, k->n_model,
                            CANDO_AS_WRITTEN, &p, NULL);
        sum += (uint64_t)(uintptr_t)p.record;
    }
    return sum;
}

static uint64_t exact_lookup(void *ctx)
{
    const struct exact_world *w = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->n; i += 7)
        sum += (uint64_t)(uintptr_t)plain_find(&w->map, w->key[i].key, w->key[i].n_key)->value;
    return sum;
}

static void exact_agree(const struct exact_world *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct exact_key *k = &w->key[i];
        cando_profile p;
        cando_resolve_parts(w->cat, k->provider, k->n_provider, k->model, k->n_model,
                            CANDO_AS_WRITTEN, &p, NULL);
        if (p.identity != CANDO_BY_EXACT ||
            cando_profile_get(&p, cando_field_find("max_output")).number != i + 1) {
            fprintf(stderr, "bench: %s was not found\n", k->key);
            exit(1);
        }
    }
}

/* -- getting ready -------------------------------------------------------------------- */

struct bytes {
    const void *p;
    size_t n;
};

static uint64_t parse_toml(void *ctx)
{
    const struct bytes *b = ctx;
    struct arena ar;
    enum code code;
    struct toml_pos at;
    char message[200];
    arena_init(&ar, NULL);
    struct toml *root = toml_parse(&ar, str_make(b->p, b->n), &code, &at, message, sizeof message);
    uint64_t n = root ? root->n : 0;
    arena_free(&ar);
    return n;
}

static uint64_t open_snapshot(void *ctx)
{
    const struct bytes *b = ctx;
    const cando_catalog *c = cando_catalog_open(b->p, b->n, NULL, NULL);
    if (!c)
        abort();
    cando_catalog_release(c);
    return 1;
}

static void ready(const struct world *w)
{
    cando_error err = {0};
    cando_sources *s = cando_sources_new(NULL, &err);
    const void *bytes = NULL;
    size_t n = 0;
    if (!s ||
        cando_sources_add(s, "bench.toml", w->text, w->len, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY,
                          &err) != CANDO_OK ||
        cando_sources_build(s, &bytes, &n, &err) != CANDO_OK)
        die("build", &err);
    struct bytes text = {w->text, w->len}, snap = {bytes, n};
    bench_report("toml.parse", (double)text.n / bench_time(parse_toml, &text, 1) * 1e3, "MB/s",
                 NULL);
    bench_report("snapshot.open", (double)snap.n / bench_time(open_snapshot, &snap, 1) * 1e3,
                 "MB/s", NULL);
    cando_sources_free(s);
}

int main(int argc, char **argv)
{
    struct world small, middle, large;
    struct exact_world exact;
    bench_output(argc > 1 ? argv[1] : NULL);
    world_init(&small, 500);
    world_init(&middle, 2000);
    world_init(&large, 50000);
    exact_init(&exact);
    agree(&small);
    agree(&middle);
    agree(&large);
    exact_agree(&exact);

    struct bench_pair p = bench_compare(resolve_ids, &middle, reference_ids, &middle, BENCH_IDS);
    bench_report("resolve.unknown.rules2000", p.b_ns / p.a_ns, "x", "reference resolver");
    bench_report("resolve.unknown.time", p.a_ns, "ns", NULL);
    p = bench_compare(resolve_ids, &small, resolve_ids, &large, BENCH_IDS);
    bench_report("resolve.flat", p.a_ns / p.b_ns, "x", "the same ids, 500 rules over 50,000");
    p = bench_compare(exact_resolve, &exact, exact_lookup, &exact, (EXACT_MODELS + 6) / 7);
    bench_report("resolve.exact", p.b_ns / p.a_ns, "x", "one lookup in a plain hash map");
    bench_report("resolve.exact.time", p.a_ns, "ns", NULL);

    uint64_t before = bench_mallocs();
    resolve_ids(&small);
    resolve_ids(&large);
    exact_resolve(&exact);
    bench_report("resolve.allocs", (double)(bench_mallocs() - before), "allocs", NULL);

    ready(&middle);
    world_free(&small);
    world_free(&middle);
    world_free(&large);
    cando_catalog_release(exact.cat);
    free(exact.key);
    free(exact.map.slot);
    return 0;
}
