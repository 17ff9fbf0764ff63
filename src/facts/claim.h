/*
 * claim.h - what the world says of models, before anybody decides who is right.
 *
 *     file of a source --import_*.c--> claims --merge.c--> rows --write.c--> TOML
 *                            |                    |
 *                            +--> skipped records +--> disputes --conflicts.c--> answer
 *
 * A claim is one value for one field of one offering (provider and model id as
 * that provider writes it), with who said it, when, on what kind of evidence,
 * and where it stands in the source. Importers only translate: names and units
 * of a source into ours, and what it leaves open into no claim at all. They
 * never fill a gap. Each record of a file ends as imported or as skipped with
 * its reason and its place; a value that cannot be read is reported and left
 * out, and the rest of its record counts.
 *
 * A price is one claim for each of its keys (docs/prices.md), as exact decimal
 * text in dollars per the unit's own measure.
 *
 * Some sources repeat others: RubyLLM takes most rows from models.dev. `voice`
 * is who spoke first, so that an echo is never counted as a second opinion.
 */
#ifndef CANDO_CLAIM_H
#define CANDO_CLAIM_H

#include "catalog/model_id.h"
#include "catalog/price.h"
#include "rules/rule.h"
#include "text/json.h"

/* In the order of preference where all else is equal. */
enum fact_source {
    SRC_ANTHROPIC,
    SRC_GOOGLE,
    SRC_OPENAI,
    SRC_XAI,
    SRC_OPENROUTER,
    SRC_VLLM,
    SRC_LMSTUDIO,
    SRC_OLLAMA,
    SRC_LLAMACPP,
    SRC_MODELS_DEV,
    SRC_LITELLM,
    SRC_GENAI_PRICES,
    SRC_RUBY_LLM,
    SRC_CATWALK,
    SRC_MASTRA,
    FACT_SOURCES
};

enum evidence {
    EVIDENCE_INFERRED,
    EVIDENCE_CATALOG,
    EVIDENCE_PROVIDER_DOCS,
    EVIDENCE_PROVIDER_API
};
const char *evidence_name(enum evidence e); /* as rule files write it */

struct import;
struct fact_source_row { /* their licences: NOTICE */
    const char *name;    /* "models.dev" */
    const char *url;     /* where it is served, and what `cando why` shows */
    enum evidence evidence;
    void (*read)(struct import *im, const struct json *root);
    bool repeats; /* it may be given several times: each reply is of some models */
};
const struct fact_source_row *fact_source_row(unsigned source); /* source < FACT_SOURCES */
/* FACT_SOURCES if there is none of this name. */
unsigned fact_source_find(struct str name);

enum claim_flag {
    CLAIM_PLACEHOLDER = 1, /* 0 where 0 means that nobody filled it in */
    CLAIM_ABSURD = 2,      /* a rate out of all proportion (set by the merge) */
    CLAIM_OLD = 4,         /* the same voice has said something later (merge) */
};

struct claim {
    uint32_t offering;
    uint32_t day; /* yyyymmdd */
    uint16_t field;
    uint8_t source, voice, evidence, flags;
    struct str key;          /* a price's key; else empty */
    struct rule_value value; /* a rate is text */
    struct str at;           /* JSON Pointer of the record */
};

/* Bounds on what may be said of one offering, far above what anybody says; the
 * merge compares everything with everything. */
#define IMPORT_RECORDS 64u
#define IMPORT_RATES 512u

struct offering {
    struct str provider;     /* canonical id */
    struct str id;           /* as the provider writes it */
    bool established;        /* some source lists the id itself, not only a pattern */
    uint16_t records, rates; /* so far */
};

/* Why a record is not in the catalog; docs/catalog.md has a sentence for each word. */
enum skip_reason {
    SKIP_BAD_RECORD,
    SKIP_NO_ID,
    SKIP_UNKNOWN_PROVIDER,
    SKIP_NOT_A_MODEL,
    SKIP_WILDCARD,
    SKIP_PRICE_CLASS,
    SKIP_REGION,
    SKIP_COMMITMENT,
    SKIP_SIZE,
    SKIP_TOOL,
    SKIP_PATTERN,
    SKIP_NAME,
    SKIP_REPEATED,
    SKIP_REASONS,
    BAD_VALUE = SKIP_REASONS
};
const char *skip_word(enum skip_reason r);

/* A record that was left out; or, by itself, a value that could not be read and
 * whose record was imported without it. */
struct skip {
    uint8_t source, reason;
    struct str at, detail;
};

struct import_count {
    bool given;
    uint32_t day;
    size_t read, imported, skipped[SKIP_REASONS], bad_values;
};

struct weak_record {
    uint8_t source;
    uint32_t offering;
    struct str at;
};

struct import {
    struct arena *ar; /* that it failed ends an import */
    const struct id_tables *ids;
    struct claim *claim;
    size_t n_claims, cap_claims;
    struct offering *offering;
    size_t n_offerings, cap_offerings;
    struct map by_offering; /* "provider\nid", folded -> offering */
    struct skip *skip;
    size_t n_skips, cap_skips;
    struct skip *bad; /* values */
    size_t n_bad, cap_bad;
    struct weak_record *weak;
    size_t n_weak, cap_weak;
    struct import_count count[FACT_SOURCES];
    /* of the record that is being read */
    uint8_t source, voice, evidence;
    uint32_t day, current;
    struct str at;
    struct str key;      /* its own, in an object of records */
    struct str provider; /* whose list it stands in, for sources that have one a provider */
};

void import_init(struct import *im, struct arena *ar, const struct id_tables *ids);

/* Reads one source's file. `day` is yyyymmdd. False with `err` if the text is
 * not JSON or there is no memory; whatever else is wrong is skipped, with its
 * reason. The text must live as long as the arena. */
bool import_read(struct import *im, unsigned source, struct str text, uint32_t day,
                 struct json_error *err);

/* After the last source: records whose id nobody lists become skipped ones. */
void import_finish(struct import *im);

/* -- for the importers -------------------------------------------------------------- */

/* The canonical id of a provider by any name of it, or an empty text. */
struct str import_provider(const struct import *im, struct str name);
/* The JSON Pointer of a member of what stands at `at`. */
struct str import_at(struct import *im, struct str at, struct str key);
/* A string member, or "". A list, or an empty one. */
struct str import_text(const struct json *object, const char *key);
const struct json *import_list(const struct json *object, const char *key);

/* Calls fn for every record of a list or of an object, with its place; im->key is its key.
 * What is no object is skipped. So is `list` itself if it is not of this kind. */
typedef void import_record_fn(struct import *im, const struct json *m, struct str at);
void import_each(struct import *im, const struct json *list, enum json_kind kind, struct str at,
                 const char *otherwise, import_record_fn *fn);

/* The same for the member `key` of what stands at `at`: a list of models. */
void import_models(struct import *im, const struct json *object, struct str at, const char *key,
                   import_record_fn *fn);

/* The provider whose own list is read: the source has its name. */
static inline struct str import_own(const struct import *im)
{
    return str_of(fact_source_row(im->source)->name);
}
/* Counts a record and opens its offering for the claims that follow. False if
 * it was skipped. `weak`: the id stands for a pattern; its claims count only if
 * some other source lists the id itself. */
bool record_begin(struct import *im, struct str provider, struct str id, struct str at, bool weak);
/* A second id of the record just begun, which the source names as well. */
bool record_also(struct import *im, struct str provider, struct str id, bool weak);
void record_skip(struct import *im, enum skip_reason reason, struct str at, struct str detail);
/* The record just begun names no id but its weak one: if nobody lists that, the
 * record is skipped in the end (import_finish). */
void record_weak(struct import *im);
void record_bad_value(struct import *im, struct str name, const struct json *v,
                      const char *expected);

/* Claims about the open offering. A NULL or null value says nothing; a value of
 * the wrong kind is reported. */

/* The value at a path of keys ("limit/context") by the type of the field: true or
 * false, a whole number (0 is a placeholder), a text, or the day, month or year that
 * a text begins with. */
void say(struct import *im, unsigned field, const struct json *object, const char *path);
void say_value(struct import *im, unsigned field, struct str key, const struct json *v);
/* Rows of what a source calls our fields. */
struct fact_key {
    const char *path;
    uint16_t field;
};
void say_keys(struct import *im, const struct json *object, const struct fact_key *row, size_t n);
#define SAY_KEYS(im, object, rows) say_keys(im, object, rows, COUNT_OF(rows))
/* Each word of a list that is a row's is a yes. */
void say_words(struct import *im, const struct json *list, const struct fact_key *row, size_t n);
#define SAY_WORDS(im, list, rows) say_words(im, list, rows, COUNT_OF(rows))
void say_support(struct import *im, unsigned field, bool yes);
void say_word(struct import *im, unsigned field, const char *word);
/* Those of the field's words that a list names, or that an object has as supported. */
void say_choices(struct import *im, unsigned field, const struct json *v);
/* Lists of modalities that are complete: what is missing is unsupported. */
void say_modalities(struct import *im, const struct json *in, const struct json *out);
bool import_has_word(const struct json *list, struct str word);
/* Rows of what a source calls the kinds of models. */
struct import_kind {
    const char *word, *kind;
};
void say_kind(struct import *im, struct str word, const struct import_kind *row, size_t n);
#define SAY_KIND(im, word, rows) say_kind(im, word, rows, COUNT_OF(rows))

/* A rate: a number or a decimal string, times 10^shift, in dollars for each one
 * of the unit, or for the unit's measure (a million tokens). `when` is empty or
 * the conditions behind the unit. */
enum rate_for { FOR_EACH, FOR_MEASURE };
void say_rate(struct import *im, unsigned unit, const char *when, const struct json *v,
              enum rate_for per, int shift);
/* Rows of what a source calls the rates of units. */
struct rate_key {
    const char *key;
    enum unit unit;
};
void say_rates(struct import *im, const struct json *object, const struct rate_key *row, size_t n,
               const char *when, enum rate_for per);
#define SAY_RATES(im, object, rows, when, per)                                                     \
    say_rates(im, object, rows, COUNT_OF(rows), when, per)
/* The condition of a price for more than so many tokens. */
#define WHEN_TEXT 40
const char *when_above(char when[WHEN_TEXT], uint64_t tokens);

/* What models.dev has and RubyLLM repeats: `reasoning_options`, `cost`, and whether
 * the family is one of embeddings. */
void say_reasoning_options(struct import *im, const struct json *list);
void say_models_dev_cost(struct import *im, const struct json *cost);
void say_models_dev_rates(struct import *im, const struct json *object, const char *when);
bool import_embeds(const struct json *m);

void import_models_dev(struct import *im, const struct json *root);
void import_litellm(struct import *im, const struct json *root);
void import_genai_prices(struct import *im, const struct json *root);
void import_ruby_llm(struct import *im, const struct json *root);
void import_catwalk(struct import *im, const struct json *root);
void import_mastra(struct import *im, const struct json *root);
void import_openrouter(struct import *im, const struct json *root);
void import_anthropic(struct import *im, const struct json *root);
void import_google(struct import *im, const struct json *root);
void import_openai(struct import *im, const struct json *root);
void import_xai(struct import *im, const struct json *root);
void import_local(struct import *im, const struct json *root);

#endif
