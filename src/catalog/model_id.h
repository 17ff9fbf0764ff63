/*
 * model_id.h - one parser for the spellings of a model's id.
 *
 *     us.anthropic.claude-opus-4-6-v1:0      amazon-bedrock
 *     claude-opus-4-6@default                google-vertex
 *     anthropic/claude-opus-4.6:nitro        openrouter
 *
 * are three offerings of one model: `anthropic/claude-opus-4-6`. The parser
 * says what a spelling consists of (provider, vendor, base, version, date,
 * region, suffix), in which steps it was taken apart, and which model it is.
 * What no rule and no table can know stays unknown: a deployment name is free
 * text, and so is half of what catalogs list as models.
 *
 * Identity may be borrowed across spellings, and capabilities with it, marked
 * as inferred. A price never is.
 *
 * The tables (aliases of providers and labs, the labs' own ids) are data; they
 * come through a lookup, so that a snapshot can serve it without any memory.
 */
#ifndef CANDO_MODEL_ID_H
#define CANDO_MODEL_ID_H

#include "base/limits.h"
#include "base/str.h"

enum id_table {
    ID_PROVIDER, /* a provider's id or alias, folded -> its canonical id                     */
    ID_LAB,      /* a lab's id or alias ("meta-llama"), folded -> lab id                      */
    ID_FAMILY,   /* a leading word of ids ("claude", "gpt", "llama") -> lab id                */
    ID_MODEL,    /* "lab/id", folded -> the id as the lab writes it                           */
    ID_SPELLING, /* "lab/other-spelling", or "provider:id", folded -> "lab/id"                */
};

struct id_tables {
    const void *ctx;
    /* False if the key is not there. `key` is folded. No memory is taken. */
    bool (*find)(const void *ctx, enum id_table table, struct str key, struct str *value);
};

#define ID_STEPS 16

struct model_id {
    struct str provider; /* canonical, or as given; empty if nobody said         */
    struct str vendor;   /* the lab, canonical ("anthropic"); empty if unknown   */
    struct str base;     /* folded id without vendor, region, date, suffix       */
    bool has_version;
    uint32_t major, minor;
    struct str date;            /* digits as they stood: "20250929", "2024-08-06"       */
    struct str region;          /* "us", "us-gov", "eu-west-1", "global"                */
    struct str suffix;          /* "free", "thinking:low", "v1:0", "128k", ...          */
    struct str canonical;       /* "lab/model", or empty: nobody can know               */
    const char *step[ID_STEPS]; /* static texts, in order                         */
    size_t n_steps;
    char room[6 * LIMIT_NAME_BYTES]; /* where the texts live                      */
    size_t used;
};

/* Takes `model` apart. `provider` may be empty. False if a name is over
 * LIMIT_NAME_BYTES. Allocates nothing; the texts point into `out` (do not copy
 * the struct), into the input or into the tables. `t` may be NULL. */
bool model_id_parse(const struct id_tables *t, struct str provider, struct str model,
                    struct model_id *out);

/* The id that an ARN is the address of; empty if it is none, or the address of something else. */
struct str model_id_in_arn(struct str id);

/* The version that an id carries. SCHEME_HARN reads only the Anthropic scheme
 * (claude-..., also behind a slash or a dot) and else the OpenAI one (gpt-...);
 * SCHEME_ANY also other families (gemini-2.5, llama-3.3, qwen3, grok-4,
 * glm-4.6, kimi-k2.5, deepseek-v3.2, ...). Dates and four-digit snapshots are
 * never a version. `id` is folded by the reader itself. */
enum version_scheme { SCHEME_HARN, SCHEME_ANY };
bool model_version(struct str id, enum version_scheme scheme, uint32_t *major, uint32_t *minor);

#endif
