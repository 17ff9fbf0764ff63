/*
 * facts_case.h - what the tests of the importers and the merge share: a small
 * table of providers, sources from texts, and questions to the claims.
 */
#ifndef FACTS_CASE_H
#define FACTS_CASE_H

#include "test.h"

#include "facts/conflicts.h"
#include "facts/merge.h"
#include "facts/write.h"

static const struct {
    const char *name, *id;
} facts_providers[] = {
    {"openai", "openai"},         {"anthropic", "anthropic"},   {"google", "google"},
    {"gemini", "google"},         {"google-vertex", "google-vertex"}, {"vertex_ai", "google-vertex"},
    {"xai", "xai"},               {"x-ai", "xai"},              {"openrouter", "openrouter"},
    {"bedrock", "amazon-bedrock"}, {"bedrock_converse", "amazon-bedrock"}, {"azure", "azure"},
    {"azure_ai", "azure"},        {"deepseek", "deepseek"},     {"wandb", "wandb"},
    {"together_ai", "togetherai"}, {"fireworks_ai", "fireworks-ai"}, {"cohere", "cohere"},
    {"huggingface_nebius", "huggingface"}, {"acme", "acme"},    {"tavily", "tavily"},
    {"vllm", "vllm"},             {"lmstudio", "lmstudio"},     {"ollama", "ollama"},
    {"llamacpp", "llamacpp"},
};

static inline bool facts_find(const void *ctx, enum id_table table, struct str key, struct str *value)
{
    (void)ctx;
    if (table != ID_PROVIDER)
        return false;
    for (size_t i = 0; i < sizeof facts_providers / sizeof *facts_providers; i++)
        if (str_is(key, facts_providers[i].name)) {
            *value = str_of(facts_providers[i].id);
            return true;
        }
    return false;
}

static const struct id_tables facts_tables = {NULL, facts_find};

struct facts_case {
    struct arena ar;
    struct import im;
    struct merged m;
};

static inline void facts_begin(struct facts_case *c)
{
    arena_init(&c->ar, NULL);
    import_init(&c->im, &c->ar, &facts_tables);
}

static inline void facts_end(struct facts_case *c)
{
    arena_free(&c->ar);
}

static inline void facts_read(struct facts_case *c, enum fact_source source, uint32_t day, const char *text)
{
    struct json_error err;
    if (!import_read(&c->im, source, str_of(text), day, &err))
        fail_msg("%s at line %u, column %u: %s", code_name(err.code), err.line, err.column, err.message);
}

static inline void facts_merge(struct facts_case *c)
{
    assert_true(merge_claims(&c->im, &c->m));
}

/* The text of the last claim of this source, "" if it makes none. A price's key
 * follows a dot: "price.input_tokens >200000". */
static inline const char *facts_said(struct facts_case *c, enum fact_source source, const char *provider, const char *model,
                                     const char *field)
{
    const char *said = "";
    for (size_t i = 0; i < c->im.n_claims; i++) {
        const struct claim *x = &c->im.claim[i];
        const struct offering *o = &c->im.offering[x->offering];
        char name[200];
        snprintf(name, sizeof name, "%s%s%.*s", vocab_row(x->field)->name, x->key.n ? "." : "", STR_ARG(x->key));
        if (x->source == source && str_is(o->provider, provider) && str_is(o->id, model) && strcmp(name, field) == 0)
            said = str_dup(&c->ar, claim_text(&c->ar, x)).p;
    }
    return said;
}

/* What the row says after the merge, "" if nothing. */
static inline const char *facts_row(struct facts_case *c, const char *provider, const char *model, const char *field)
{
    for (size_t i = 0; i < c->m.n_rows; i++) {
        const struct merged_row *row = &c->m.row[i];
        const struct offering *o = &c->im.offering[row->offering];
        if (!str_is(o->provider, provider) || !str_is(o->id, model))
            continue;
        for (size_t k = 0; k < row->n_facts + row->n_prices; k++) {
            const struct claim *x = &c->im.claim[k < row->n_facts ? row->fact[k] : row->price[k - row->n_facts]];
            char name[200];
            snprintf(name, sizeof name, "%s%s%.*s", vocab_row(x->field)->name, x->key.n ? "." : "", STR_ARG(x->key));
            if (strcmp(name, field) == 0)
                return str_dup(&c->ar, claim_text(&c->ar, x)).p;
        }
    }
    return "";
}

static inline size_t facts_skipped(const struct facts_case *c, enum fact_source source, enum skip_reason reason)
{
    return c->im.count[source].skipped[reason];
}

/* Every record is imported or skipped, and each skipped one is listed. */
static inline void facts_check_counts(const struct facts_case *c, enum fact_source source, size_t read, size_t imported)
{
    const struct import_count *n = &c->im.count[source];
    size_t skipped = 0, listed = 0;
    for (unsigned i = 0; i < SKIP_REASONS; i++)
        skipped += n->skipped[i];
    for (size_t i = 0; i < c->im.n_skips; i++)
        listed += c->im.skip[i].source == source;
    assert_int_equal(n->read, read);
    assert_int_equal(n->imported, imported);
    assert_int_equal(n->imported + skipped, n->read);
    assert_int_equal(listed, skipped);
}

#endif
