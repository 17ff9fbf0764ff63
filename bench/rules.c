#include "rules.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_provider[BENCH_PROVIDERS] = {
    "anthropic",  "openai",     "google",    "mistral",  "groq",      "deepseek",
    "xai",        "openrouter", "azure",     "bedrock",  "vertex",    "cohere",
    "perplexity", "together",   "fireworks", "cerebras", "sambanova", "deepinfra",
    "databricks", "nvidia",     "ollama",    "vllm",     "lmstudio",  "mock",
};

static const char *const family[] = {"claude", "gpt",  "gemini",  "llama",
                                     "qwen",   "grok", "mistral", "deepseek"};
static const char *const tier[] = {"opus",  "sonnet", "mini",  "pro",
                                   "flash", "large",  "coder", "vision"};
#define N_FAMILY (sizeof family / sizeof family[0])
#define N_TIER (sizeof tier / sizeof tier[0])

static const char *const fields[] = {
    "max_tools",        "max_output",           "context_window",     "max_input",
    "cache_min_tokens", "embedding_dimensions", "batch_max_requests", "max_thinking_budget"};
#define N_FIELDS (sizeof fields / sizeof fields[0])

static void core_pattern(struct bench_rule *r, uint64_t *seed)
{
    const char *f = family[bench_random(seed) % N_FAMILY], *t = tier[bench_random(seed) % N_TIER];
    unsigned v = bench_random(seed) % 10, w = bench_random(seed) % 10;
    switch (r->kind) {
    case BENCH_PREFIX:
        snprintf(r->pattern, sizeof r->pattern,
                 v < 6   ? "%s-%s"
                 : v < 9 ? "%s-%s-%u"
                         : "%s-%s-%u.%u",
                 f, t, v, w);
        break;
    case BENCH_GLOB:
        snprintf(r->pattern, sizeof r->pattern, v < 5 ? "%s-*-%u.*" : "%s-*-?.?-preview", f, w);
        break;
    case BENCH_CONTAINS:
        snprintf(r->pattern, sizeof r->pattern, "%s-%u", t, v);
        break;
    case BENCH_EXACT:
        snprintf(r->pattern, sizeof r->pattern, "%s-%s-%u.%u-exact", f, t, v, w);
        break;
    }
}

/* About other models, with the same first words. */
static void further_pattern(struct bench_rule *r, size_t i, uint64_t *seed)
{
    const char *f = family[bench_random(seed) % N_FAMILY], *t = tier[bench_random(seed) % N_TIER];
    switch (r->kind) {
    case BENCH_PREFIX:
        snprintf(r->pattern, sizeof r->pattern, "%s-%s-x%zu", f, t, i);
        break;
    case BENCH_GLOB:
        snprintf(r->pattern, sizeof r->pattern, "%s-x%zu-*-%s", f, i, t);
        break;
    case BENCH_CONTAINS:
        snprintf(r->pattern, sizeof r->pattern, "%s-x%zu", t, i);
        break;
    case BENCH_EXACT:
        snprintf(r->pattern, sizeof r->pattern, "%s-%s-x%zu-exact", f, t, i);
        break;
    }
}

void bench_rules(struct bench_rule *out, size_t n)
{
    uint64_t seed = 42;
    for (size_t i = 0; i < n; i++) {
        struct bench_rule *r = &out[i];
        unsigned k = bench_random(&seed) % 20, scope = bench_random(&seed) % 3;
        *r = (struct bench_rule){
            .provider = scope ? (int)(bench_random(&seed) % BENCH_PROVIDERS) : -1,
            .kind = k < 10   ? BENCH_PREFIX
                    : k < 14 ? BENCH_GLOB
                    : k < 16 ? BENCH_CONTAINS
                             : BENCH_EXACT,
            .field = fields[bench_random(&seed) % N_FIELDS],
            .number = 1 + bench_random(&seed) % 100000,
        };
        if (i < CORE_RULES)
            core_pattern(r, &seed);
        else
            further_pattern(r, i, &seed);
    }
}

void bench_ids(struct bench_id *out)
{
    uint64_t seed = 7;
    for (size_t i = 0; i < BENCH_IDS; i++) {
        out[i].provider = (int)(bench_random(&seed) % BENCH_PROVIDERS);
        snprintf(out[i].model, sizeof out[i].model, "%s-%s-%u.%u%s",
                 family[bench_random(&seed) % N_FAMILY], tier[bench_random(&seed) % N_TIER],
                 bench_random(&seed) % 10, bench_random(&seed) % 10,
                 i % 3 == 0   ? "-preview"
                 : i % 3 == 1 ? "-20260201"
                              : "");
    }
}

char *bench_toml(const struct bench_rule *rule, size_t n, size_t *len)
{
    static const char *const kinds[] = {"prefix", "glob", "contains", "exact"};
    size_t cap = 64 + n * 320, at = 0;
    char *text = malloc(cap);
    if (!text)
        abort();
    at += (size_t)snprintf(text, cap, "schema = \"cando/rules@1\"\n");
    for (size_t i = 0; i < n; i++) {
        const struct bench_rule *r = &rule[i];
        at += (size_t)snprintf(text + at, cap - at, "\n[[rules]]\nname = \"r%zu\"\n", i);
        if (r->provider >= 0)
            at += (size_t)snprintf(text + at, cap - at, "providers = [\"%s\"]\n",
                                   bench_provider[r->provider]);
        at += (size_t)snprintf(text + at, cap - at,
                               "match = { %s = \"%s\" }\non = \"id\"\nset = { %s = %u }\n"
                               "source = \"https://example.com/models\"\nchecked = 2026-11-01\n",
                               kinds[r->kind], r->pattern, r->field, r->number);
    }
    *len = at;
    return text;
}
