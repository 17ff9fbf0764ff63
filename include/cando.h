/*
 * cando.h - can it do this?
 *
 * The whole public interface of libcando, to be read from top to bottom:
 *
 *   1. what every call shares        status, error, allocator, limits
 *   2. the short way                 cando_new, cando_call: JSON in, JSON out
 *   3. catalogs                      open a snapshot, share it, close it
 *   4. profiles                      resolve one model, read its fields
 *   5. sources                       rule files in, findings or a snapshot out
 *   6. deciding                      needs against a profile
 *   7. recording                     events, the audit trail, observations
 *   8. requests                      will it be taken, and what would make it so
 *   9. questions and answers         every operation as a function; sessions
 *
 * Conventions, which hold for every function that does not say otherwise.
 *
 * The library never prints, exits, reads the environment or the network by itself.
 * Whoever fails returns a cando_status other than CANDO_OK, or NULL, and fills the
 * cando_error it was given.
 *
 * Owner. An object that a function makes or retains is the caller's, to be given back
 * once to the _free or _release of its type; every other pointer that comes back lies
 * in the object, the room or the catalog that it was asked of, and lives as long.
 * Objects keep copies of what they are given, but for what is said to be retained.
 *
 * NULL. For a cando_error, for an allocator (malloc) and for what is freed or
 * released NULL is legal; no other pointer may be NULL. Strings come with their
 * length where they come from outside; what the library returns is also
 * NUL-terminated.
 *
 * Threads. An object that a function takes as const may be used by any number of
 * threads at once, any other by one at a time; different objects never share anything
 * that can be seen. Retaining and releasing is safe from any thread.
 */
#ifndef CANDO_H
#define CANDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CANDO_SHARED) && defined(__GNUC__)
#define CANDO_API __attribute__((visibility("default")))
#else
#define CANDO_API
#endif

#define CANDO_VERSION "0.1.0"
#define CANDO_VERSION_MAJOR 0
#define CANDO_VERSION_MINOR 1
#define CANDO_VERSION_PATCH 0

/* ------------------------------------------------------------------------
 * 1. What every call shares
 * --------------------------------------------------------------------- */

/* The numbers are the command line's exit codes too: 1 is a "no", which is an
 * answer and never the status of a failed call. */
typedef enum cando_status {
    CANDO_OK = 0,
    CANDO_BAD_QUESTION = 2, /* the call's own arguments are wrong           */
    CANDO_BAD_INPUT = 3,    /* a rule file, snapshot or JSON text is wrong   */
    CANDO_INTERNAL = 4,     /* out of memory, an I/O error, a broken promise */
} cando_status;

/* What went wrong and where. Owned by the caller, no pointers inside, so it
 * can be copied, kept and compared. All texts are NUL-terminated and cut to
 * fit. `code` is stable and known to cando_explain. */
typedef struct cando_error {
    cando_status status;
    char code[40];
    char message[480];
    char hint[480];
    char at[480];          /* a JSON Pointer, or a file name */
    uint32_t line, column; /* 1-based; 0 where there is no line */
} cando_error;

/* All memory comes from here. `resize(user, NULL, 0, n)` allocates, `resize(
 * user, p, old, 0)` frees and returns NULL, anything else resizes; it may
 * fail by returning NULL, and the old block then stays as it was. Must be
 * safe to call from every thread that uses the objects made with it. A NULL
 * allocator means malloc. The struct must outlive the objects. */
typedef struct cando_allocator {
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t new_size);
    void *user;
} cando_allocator;

/* Bytes of any kind; of a JSON text where it says so. None: p is NULL. */
typedef struct cando_bytes {
    const char *p;
    size_t n;
} cando_bytes;

/* A whole number that may be unknown, or absent. */
typedef struct cando_number {
    uint64_t value;
    bool known;
} cando_number;

/* A model at a provider: {"gpt-5", "openai"}, or {"openai/gpt-5"}. */
typedef struct cando_name {
    const char *model;    /* NULL: none is named */
    const char *provider; /* NULL: it stands before the first '/' or ':' of `model` */
} cando_name;

/* The version of the library that runs, which may be newer than the header. */
CANDO_API const char *cando_version(void);

/* The long text of a finding's or an error's code ("rule-shadowed"), or NULL
 * if there is no such code. The text is static. */
CANDO_API const char *cando_explain(const char *code);

/* ------------------------------------------------------------------------
 * 2. The short way: one engine, JSON in, JSON out
 * --------------------------------------------------------------------- */

typedef struct cando cando;
typedef struct cando_catalog cando_catalog;

/* An engine over `catalog` (retained; NULL means the built-in one). */
CANDO_API cando *cando_new(const cando_catalog *catalog, const cando_allocator *a,
                           cando_error *err);
CANDO_API void cando_free(cando *c);

/* Puts another catalog in force. Calls that run finish on the old one. */
CANDO_API void cando_set_catalog(cando *c, const cando_catalog *catalog);
/* The catalog in force, retained for the caller. */
CANDO_API const cando_catalog *cando_get_catalog(const cando *c);

/* Memory for answers. Whatever a question is answered with lives in the room that came
 * with it, until the room is cleared: nothing is freed singly, and a room that is
 * cleared and used again allocates nothing. One thread at a time. */
typedef struct cando_room cando_room;
CANDO_API cando_room *cando_room_new(const cando_allocator *a, cando_error *err);
CANDO_API void cando_room_clear(cando_room *room);
CANDO_API void cando_room_free(cando_room *room); /* NULL is legal */

/* One operation: `question` is a JSON object with "op", an optional "id" and
 * the operation's arguments; docs/ops.md lists them. `*answer` is a JSON
 * object, to be freed with cando_free_text. A bad question is an answer with
 * "ok":false, not a failure: the status is CANDO_OK for every answer that
 * could be written, CANDO_INTERNAL (and *answer NULL) if there was no memory.
 * Safe to call from many threads on one engine. */
CANDO_API cando_status cando_call(const cando *c, const char *question, size_t question_len,
                                  char **answer, size_t *answer_len);
CANDO_API void cando_free_text(const cando *c, char *text, size_t len);
/* The same with an answer that lives in `room`, for callers who ask often. */
CANDO_API cando_status cando_call_in(const cando *c, const char *question, size_t question_len,
                                     cando_room *room, cando_bytes *answer);
/* The same with the operation's name beside the question, which need not have it then (NULL: it
 * does), for doors that have it in an address. Of an answer with "ok":false the status is
 * CANDO_BAD_QUESTION, and `err` says what the answer does. */
CANDO_API cando_status cando_call_op(const cando *c, const char *op, const char *question,
                                     size_t question_len, cando_room *room, cando_bytes *answer,
                                     cando_error *err);

/* The same without JSON: section 9 has a question and an answer struct for each
 * operation, and a function cando_ask_<operation> that leads from one to the other. */

/* An answer of cando_ask_<op> as the JSON that cando_call has as its "result". */
CANDO_API cando_status cando_encode(const char *op, const void *answer, cando_room *room,
                                    cando_bytes *out, cando_error *err);

/* Sets one member of a question of cando_ask_<op> from JSON, as cando_call would. */
CANDO_API cando_status cando_decode(const char *op, const char *member, const char *json,
                                    size_t len, cando_room *room, void *question, cando_error *err);

/* The JSON Schema (2020-12) of an operation's question and answer, as
 * {"question":..,"answer":..}; without an operation those of all, by name. Of documents that
 * questions take, "work_order", "session" and "manifest", the schema itself. */
CANDO_API cando_status cando_schema(const char *op, cando_room *room, cando_bytes *out,
                                    cando_error *err);

/* JSON that a program reads for itself, as strictly as cando_call reads a question: no key
 * twice, valid UTF-8, a limit on its depth. A value is a view into the text, which must stay as
 * it is, and into the room. What is not there is a value of kind CANDO_JSON_NONE; to ask for its
 * members is legal and gives the same. */
typedef enum cando_json_kind {
    CANDO_JSON_NONE = 0,
    CANDO_JSON_NULL,
    CANDO_JSON_BOOL,
    CANDO_JSON_NUMBER,
    CANDO_JSON_STRING,
    CANDO_JSON_LIST,
    CANDO_JSON_OBJECT,
} cando_json_kind;
typedef struct cando_json {
    cando_json_kind kind;
    cando_bytes bytes; /* as it stands in the text */
    cando_bytes text;  /* of a string: decoded, which may have a NUL inside */
    size_t n;          /* of a list or an object: how many */
    const void *of;    /* (private) */
} cando_json;
CANDO_API cando_status cando_json_read(const char *text, size_t len, cando_room *room,
                                       cando_json *out, cando_error *err);
/* The member of an object, and the i-th of a list or an object, there with its key. */
CANDO_API cando_json cando_json_get(const cando_json *v, const char *key);
CANDO_API cando_json cando_json_item(const cando_json *v, size_t i, cando_bytes *key);

/* ------------------------------------------------------------------------
 * 3. Catalogs: immutable snapshots, shared by reference count
 * --------------------------------------------------------------------- */

/* The catalog that is linked into the library. Never fails, never freed;
 * retain and release on it do nothing. */
CANDO_API const cando_catalog *cando_catalog_builtin(void);

/* Opens a snapshot that the caller keeps alive and unchanged until the last
 * release (a static array, a map of a file that nobody writes to). Everything in it is
 * bounds-checked once, here; what passes cannot make later calls read outside of it. */
CANDO_API const cando_catalog *cando_catalog_open(const void *data, size_t size,
                                                  const cando_allocator *a, cando_error *err);
/* The same from a copy, and from a file, which is read into a copy: what happens
 * to the file afterwards is no matter. */
CANDO_API const cando_catalog *cando_catalog_open_copy(const void *data, size_t size,
                                                       const cando_allocator *a, cando_error *err);
CANDO_API const cando_catalog *cando_catalog_open_file(const char *path, const cando_allocator *a,
                                                       cando_error *err);

CANDO_API const cando_catalog *cando_catalog_retain(const cando_catalog *c);
CANDO_API void cando_catalog_release(const cando_catalog *c);

/* Counts, for people and tests. */
typedef struct cando_catalog_info {
    uint32_t format_version, rules, models, providers, fields;
    uint64_t bytes, source_hash;
} cando_catalog_info;
CANDO_API void cando_catalog_describe(const cando_catalog *c, cando_catalog_info *out);

/* Who says so, and of which day that is. */
typedef struct cando_catalog_source {
    const char *name; /* "models.dev"; NULL: it is none that cando imports */
    const char *url;  /* lies in the catalog; "": pages that were read by hand */
    char checked[11]; /* the last day of its facts, "2026-11-15"; "": nobody says */
    uint32_t models;  /* how many rows are its own */
} cando_catalog_source;
/* Fills `out` with at most `max` sources of facts; how many. */
CANDO_API size_t cando_catalog_sources(const cando_catalog *c, cando_catalog_source *out,
                                       size_t max);

/* The offerings that a catalog has facts about, in the order of their names. */
typedef struct cando_model {
    const char *provider, *id; /* lie in the catalog; the id as it was written */
} cando_model;
CANDO_API size_t cando_catalog_models(const cando_catalog *c);
/* The i-th of them; both texts are NULL behind the last. */
CANDO_API cando_model cando_catalog_model(const cando_catalog *c, size_t i);

/* What allow and deny lists say of a model: docs/overlays.md. Only files of one's
 * own have such lists; without any everything is allowed. */
typedef struct cando_policy {
    bool allowed;
    const char *list;    /* "deny"; "allow": it is not in the list; "closed": a list
                            could not be read; NULL if it is allowed */
    const char *pattern; /* of the deny list; else NULL */
    const char *file;
    uint32_t line;
} cando_policy;
CANDO_API cando_policy cando_catalog_policy(const cando_catalog *c, const char *provider,
                                            size_t provider_len, const char *model,
                                            size_t model_len);
/* The providers, or patterns "provider/model", that somebody has keys for: `keys` of the last
 * file of one's own that has such a list. At most `max`; gives how many. */
CANDO_API size_t cando_catalog_keys(const cando_catalog *c, const char **out, size_t max);

/* ------------------------------------------------------------------------
 * 4. Profiles: what one offering can do, and who says so
 * --------------------------------------------------------------------- */

/* A field of the vocabulary: "tool_calling", "context_window", ... A number
 * below cando_field_count(), stable within one version of the library. */
typedef uint16_t cando_field;
#define CANDO_NO_FIELD ((cando_field)0xffff)

typedef enum cando_type {
    CANDO_SUPPORT, /* native, emulated, restricted, unsupported, unknown */
    CANDO_FLAG,    /* true, false, unknown                               */
    CANDO_NUMBER,  /* a whole number, or unknown                         */
    CANDO_WORD,    /* one of a closed list of words                      */
    CANDO_TEXT,    /* any text                                           */
    CANDO_LIST,    /* words or texts, in order                           */
    CANDO_MAP,     /* word = word                                        */
} cando_type;

CANDO_API unsigned cando_field_count(void);
/* By a name in any vocabulary that cando speaks; CANDO_NO_FIELD if nobody
 * calls anything so. */
CANDO_API cando_field cando_field_find(const char *name);
CANDO_API const char *cando_field_name(cando_field f);
CANDO_API const char *cando_field_doc(cando_field f);
CANDO_API cando_type cando_field_type(cando_field f);

typedef enum cando_support {
    CANDO_UNKNOWN = 0, /* nobody said: never read it as "no" */
    CANDO_UNSUPPORTED,
    CANDO_RESTRICTED,
    CANDO_EMULATED,
    CANDO_NATIVE,
} cando_support;

/* One field's value. `known` is false for "nobody said" and for "cleared on
 * purpose"; everything else in the struct then means nothing. Pointers lie in
 * the catalog and live as long as it does. */
typedef struct cando_value {
    bool known;
    bool flag; /* CANDO_FLAG                                 */
    cando_type type;
    cando_support support; /* CANDO_SUPPORT                              */
    uint32_t count;        /* CANDO_LIST, CANDO_MAP: number of items     */
    uint64_t number;       /* CANDO_NUMBER                               */
    const char *text;      /* CANDO_WORD, CANDO_TEXT; the reason of a
                              restriction; else NULL                     */
    const void *items;     /* (private) where they are,                  */
    uint32_t list;         /* (private) and which of them                */
} cando_value;

/* Item `i` of a list ("image") or of a map ("agent=off"); NULL behind the last. */
CANDO_API const char *cando_value_item(const cando_value *v, uint32_t i);
/* How many bytes of item `i` of a map are its key; behind it stands '=', then the value. */
CANDO_API size_t cando_value_key(const cando_value *v, uint32_t i);

typedef enum cando_resolution {
    CANDO_AS_WRITTEN = 0, /* as the rule files say */
    CANDO_LAYERED,
    CANDO_FIRST_MATCH,
} cando_resolution;

typedef enum cando_identity {
    CANDO_BY_DEFAULT, /* nothing matched: defaults only                   */
    CANDO_BY_FAMILY,  /* rules matched, no fact row                       */
    CANDO_BY_ALIAS,   /* a fact row under another spelling                */
    CANDO_BY_EXACT,   /* a fact row                                       */
} cando_identity;

#define CANDO_MAX_FIELDS 192

/* The answer of cando_resolve: caller-owned, no heap behind it, valid while
 * the catalog is retained. Treat the members as private. */
typedef struct cando_profile {
    const cando_catalog *catalog;
    cando_identity identity;
    cando_resolution how;
    uint32_t day;                        /* as of then, 20261115; 0: today               */
    uint32_t provider;                   /* index in the catalog, or UINT32_MAX          */
    const char *canonical;               /* CANDO_BY_ALIAS: the id of the fact row; else NULL */
    const uint32_t *record;              /* a row of the catalog, or NULL: then the      */
    uint64_t set[CANDO_MAX_FIELDS / 64]; /* fields are in these             */
    uint32_t value[CANDO_MAX_FIELDS];
    uint32_t origin[CANDO_MAX_FIELDS];
} cando_profile;

/* What `catalog` says of a model at a provider: "openai/gpt-5". Unknown providers
 * and models are no error: the profile then holds what general rules and defaults
 * say. Allocates nothing. Fails (CANDO_BAD_QUESTION) only if no provider is named, or
 * a name is longer than the limits allow. */
CANDO_API cando_status cando_resolve(const cando_catalog *catalog, const char *name,
                                     cando_profile *out, cando_error *err);
/* The same of a name in its parts, and in the order of rules that one likes.
 * `provider` may be empty. */
CANDO_API cando_status cando_resolve_parts(const cando_catalog *catalog, const char *provider,
                                           size_t provider_len, const char *model, size_t model_len,
                                           cando_resolution how, cando_profile *out,
                                           cando_error *err);

/* From now on this day ("2026-11-15") counts as today, in all threads of the process,
 * wherever no other is asked about; NULL: the clock's day again. For tests, and for
 * answers that shall be the same tomorrow. Any thread may call it. */
CANDO_API cando_status cando_set_today(const char *day, cando_error *err);

CANDO_API cando_value cando_profile_get(const cando_profile *p, cando_field f);

/* Who said it. Texts lie in the catalog; "" where there is nothing to say. */
typedef struct cando_origin {
    bool known;    /* false: nobody set this field                     */
    bool derived;  /* concluded from `via`, which the rule did set      */
    bool borrowed; /* the rule speaks of another offering of the same model */
    cando_field via;
    const char *layer; /* "defaults", "family", "facts", ..., "project"    */
    const char *rule, *file, *source, *evidence;
    char checked[11]; /* "2026-11-15", or ""                               */
    uint32_t line;
} cando_origin;
CANDO_API cando_origin cando_profile_why(const cando_profile *p, cando_field f);

/* ------------------------------------------------------------------------
 * 5. Sources: rule files in, findings or a snapshot out
 * --------------------------------------------------------------------- */

typedef enum cando_syntax {
    CANDO_SYNTAX_AUTO = 0, /* by the file's own `schema` key and shape */
    CANDO_SYNTAX_CANDO,
    CANDO_SYNTAX_NIKA,
    CANDO_SYNTAX_HARN,
} cando_syntax;

/* Later layers overwrite earlier ones, field by field. */
typedef enum cando_layer {
    CANDO_LAYER_DEFAULTS = 0,
    CANDO_LAYER_FAMILY,
    CANDO_LAYER_FACTS,
    CANDO_LAYER_CURATED,
    CANDO_LAYER_USER,
    CANDO_LAYER_PROJECT,
    CANDO_LAYER_OBSERVED,
    CANDO_LAYER_COUNT,
} cando_layer;

typedef enum cando_severity { CANDO_NOTE = 0, CANDO_WARNING, CANDO_ERROR } cando_severity;

/* What can be done about it. */
typedef enum cando_fix {
    CANDO_FIX_NONE = 0,
    CANDO_FIX_ADVICE, /* a person must do it                                 */
    CANDO_FIX_SAFE,   /* a rewrite does it and keeps the meaning             */
    CANDO_FIX_LOSSY,  /* a rewrite does it and loses something: only when asked for */
} cando_fix;

/* One thing that is wrong, or worth knowing, with a rule file, a request or a
 * conversation. Texts are NULL or empty where there is nothing to say. */
typedef struct cando_finding {
    const char *code; /* known to cando_explain */
    cando_severity severity;
    const char *message;
    const char *hint; /* what to do about it, */
    cando_fix fix;    /* and who can */
    /* in a file */
    const char *file;
    uint32_t line, column, width; /* 1-based; column and width in characters; 0: none */
    const char *excerpt;          /* the line of text */
    /* in JSON */
    const char *path; /* a JSON Pointer */
    uint32_t at, end; /* the bytes of the value in question */
    /* why */
    const char *capability; /* "tool_calling" */
    const char *rule;       /* its name, */
    const char *source, *confidence;
    const char *evidence; /* where it rests on a fact of the model: what that rests on */
} cando_finding;

/* A set of sources on its way to be linted or built. One thread at a time. */
typedef struct cando_sources cando_sources;
CANDO_API cando_sources *cando_sources_new(const cando_allocator *a, cando_error *err);
CANDO_API void cando_sources_free(cando_sources *s);

/* Adds one text under `name` (for messages and provenance). The text is
 * copied. Broken TOML and wrong keys are findings, not failures: the status
 * is CANDO_OK unless memory ran out or the text is over the size limit. A
 * snapshot is taken for the rules in it; a broken one is CANDO_BAD_INPUT. */
CANDO_API cando_status cando_sources_add(cando_sources *s, const char *name, const char *text,
                                         size_t len, cando_syntax syntax, cando_layer layer,
                                         cando_error *err);
/* The same from a file, or from all *.toml below a folder in the order of
 * their names. */
CANDO_API cando_status cando_sources_add_path(cando_sources *s, const char *path,
                                              cando_syntax syntax, cando_layer layer,
                                              cando_error *err);

/* All that a catalog holds, to be built together with what is added after it. Must
 * come first. The catalog is retained. `without` is a set of layers to leave out, a
 * bit each (1u << CANDO_LAYER_FACTS), or 0. */
CANDO_API cando_status cando_sources_add_catalog(cando_sources *s, const cando_catalog *c,
                                                 uint32_t without, cando_error *err);
/* Adds only what a catalog says of requests, unless something was added that speaks of them, so
 * that rules which stand instead of a catalog can still be asked about them. */
CANDO_API cando_status cando_sources_add_requests(cando_sources *s, const cando_catalog *c,
                                                  cando_error *err);

/* Takes back what was added so far as facts about one model; layers above that of facts stay. */
CANDO_API cando_status cando_sources_forget(cando_sources *s, const char *provider, const char *id,
                                            cando_error *err);

/* Judges all that was added: single files, and the rules together. Call it
 * once, after the last add; until then there are only the readers' findings. */
CANDO_API cando_status cando_sources_lint(cando_sources *s, cando_error *err);
/* The same, and what the files that are meant to lie over others contradict there: rules of our
 * own form, and a project's overrides in Harn's, on top of a catalog. */
CANDO_API cando_status cando_sources_lint_over(cando_sources *s, const cando_catalog *c,
                                               cando_error *err);
CANDO_API size_t cando_sources_findings(const cando_sources *s);
CANDO_API cando_finding cando_sources_finding(const cando_sources *s, size_t i);
CANDO_API size_t cando_sources_count(const cando_sources *s, cando_severity severity);

/* Compiles to a snapshot: identical sources give identical bytes. Refused
 * (CANDO_BAD_INPUT) while there are syntax errors; lint errors do not refuse,
 * the caller decides. `*out` is owned by `s`. */
CANDO_API cando_status cando_sources_build(cando_sources *s, const void **out, size_t *out_len,
                                           cando_error *err);

/* ------------------------------------------------------------------------
 * 6. Deciding: needs against a profile
 * --------------------------------------------------------------------- */

/* A profile packed for checking: a bit a capability in each plane. It points to the
 * profile that it was packed from (for the words of a restriction), which must live as
 * long. */
typedef struct cando_planes cando_planes;
CANDO_API size_t cando_planes_size(void);
/* Into memory of cando_planes_size() bytes that is aligned for anything. */
CANDO_API void cando_profile_pack(const cando_profile *profile, cando_planes *out);

/* Claims that were given as JSON: "claims" (session negotiation), "manifest"
 * (agent backends), "model_ref" (catalog references) or "cando" (our own, as
 * `resolve` writes it). Freed with cando_claims_free; the planes live as long. */
typedef struct cando_claims cando_claims;
CANDO_API cando_claims *cando_claims_read(const char *form, const char *json, size_t len,
                                          const cando_allocator *a, cando_error *err);
CANDO_API const cando_planes *cando_claims_planes(const cando_claims *c);
CANDO_API void cando_claims_free(cando_claims *c);

/* The same where a question has them. */
typedef enum cando_claim_form {
    CANDO_FORM_ANY = 0, /* by its looks */
    CANDO_FORM_CLAIMS,
    CANDO_FORM_MANIFEST,
    CANDO_FORM_MODEL_REF,
    CANDO_FORM_CANDO,
} cando_claim_form;

typedef enum cando_level { CANDO_HARD = 0, CANDO_PREFERRED, CANDO_PROBED } cando_level;
/* What is enough: native, emulated or restricted; native alone; anything declared. */
typedef enum cando_min_support {
    CANDO_MIN_EMULATED = 0,
    CANDO_MIN_NATIVE,
    CANDO_MIN_ANY
} cando_min_support;
/* What an unknown capability does to a hard need. */
typedef enum cando_unknown {
    CANDO_UNKNOWN_WARN = 0,
    CANDO_UNKNOWN_ALLOW,
    CANDO_UNKNOWN_DENY
} cando_unknown;
/* What all findings come to. */
typedef enum cando_verdict {
    CANDO_ACCEPTED = 0,
    CANDO_DEGRADED, /* accepted, and there is a warning            */
    CANDO_REWRITE,  /* not as it is: a rewrite would be accepted   */
    CANDO_REJECTED,
} cando_verdict;

typedef struct cando_need {
    const char *capability; /* our name: "tool_calling"                     */
    const char *written;    /* as it was asked for: "toolCalling"           */
    cando_type type;        /* CANDO_SUPPORT; CANDO_NUMBER; CANDO_LIST      */
    cando_level level;
    cando_min_support min_support; /* CANDO_SUPPORT                          */
    cando_number minimum;          /* CANDO_NUMBER                                 */
    const char *required_by;       /* "state_machine", ...; NULL: nobody is named  */
    const char *path;              /* JSON Pointer into the question               */
} cando_need;

/* Needs, gathered once and checked often; immutable. The question is that of
 * cando_ask_needs; nothing of it has to stay. */
typedef struct cando_needs cando_needs;
struct cando_needs_question;
CANDO_API cando_needs *cando_needs_new(const cando *c, const struct cando_needs_question *q,
                                       cando_error *err);
/* The same from JSON: an object with one of "requirements", "session", "work_order",
 * "required" and "request", as the operation `needs` takes it. */
CANDO_API cando_needs *cando_needs_read(const char *json, size_t len, const cando_allocator *a,
                                        cando_error *err);
CANDO_API void cando_needs_free(cando_needs *n);
CANDO_API size_t cando_needs_count(const cando_needs *n);
CANDO_API cando_need cando_needs_get(const cando_needs *n, size_t i);

/* What came of one need. */
typedef enum cando_effect {
    CANDO_MET = 0,
    CANDO_MISSING, /* a hard need is not met: rejects           */
    CANDO_UNMET,   /* a preferred need is not met: warns        */
    CANDO_PENDING, /* nobody knows until it is tried: warns     */
} cando_effect;
typedef struct cando_outcome {
    uint8_t effect; /* cando_effect */
    uint8_t have;   /* cando_support; of a number or a set CANDO_NATIVE: enough,
                       CANDO_UNSUPPORTED: too little, CANDO_UNKNOWN */
} cando_outcome;
typedef struct cando_check_result {
    cando_verdict verdict;
    uint32_t missing, warnings;
} cando_check_result;

/* Checks every need and folds the verdict. `out` has room for all of them, or is
 * NULL. Allocates nothing. */
CANDO_API cando_check_result cando_check(const cando_needs *needs, const cando_planes *planes,
                                         cando_unknown unknown, cando_outcome *out);

/* ------------------------------------------------------------------------
 * 7. Recording: events, the audit trail, observations
 * --------------------------------------------------------------------- */

typedef enum cando_event_kind {
    CANDO_EVENT_SWITCH = 0,  /* a change was accepted, and nothing is missing     */
    CANDO_EVENT_DOWNGRADE,   /* a change was accepted with less than was wanted   */
    CANDO_EVENT_REJECTION,   /* a change was refused; all stays as it was         */
    CANDO_EVENT_SPAWN,       /* a child session was started                       */
    CANDO_EVENT_CATALOG,     /* another catalog came into force                   */
    CANDO_EVENT_OBSERVATION, /* a model did, or refused, something                */
    CANDO_EVENT_RETENTION,   /* (a store's own) the oldest records were dropped   */
    CANDO_EVENT_LOST,        /* (a store's own) it could not keep some records    */
    CANDO_EVENT_BREAK,       /* (a store's own) its end is not what was known     */
    CANDO_EVENT_ACKNOWLEDGE, /* (a store's own) somebody has seen the break       */
    CANDO_EVENT_KINDS,
} cando_event_kind;

/* What happened. Names and codes only: there is no place here for the text of a
 * prompt or an answer, and texts that are not of the shape said are refused. NULL
 * and "" mean: none. */
typedef struct cando_event {
    cando_event_kind kind;
    uint64_t time;        /* the caller's clock: milliseconds since 1970-01-01T00:00:00Z */
    const char *session;  /* its id: up to 128 bytes without white space      */
    const char *change;   /* what was tried: "switch", "attach", "spawn", ... */
    const char *target;   /* "provider/model"; a catalog's hash               */
    const char *previous; /* what was in force before                         */
    bool decided;         /* is there a verdict?                              */
    cando_verdict verdict;
    const char *const *missing; /* capabilities that are missing or not known  */
    size_t n_missing;
    const char *const *required_by; /* who needs each of them, "" where nobody is named; or NULL.
                                     * What several need is missing once for each of them */
    const char *const *findings; /* codes: "preferred-unmet"                    */
    size_t n_findings;
    const char *suggestion; /* what would fit, after a rejection                */
    const struct cando_param_affected *params_affected; /* of these path, reason, layer and a value
                                                         * that is a number or a word are kept */
    size_t n_params_affected;
    const char *field, *value; /* OBSERVATION: "temperature", "unsupported"   */
    const char *evidence;      /* OBSERVATION: what the provider said; BREAK: what is wrong;
                                * ACKNOWLEDGE: who has seen it; a line */
    uint64_t expires;          /* OBSERVATION: milliseconds; 0: never         */
    uint64_t count;            /* RETENTION: through which record; LOST: how many;
                                * BREAK: what the head named; ACKNOWLEDGE: which break */
    const char *hash;          /* RETENTION: its hash                         */
} cando_event;

CANDO_API const char *cando_event_kind_name(
    cando_event_kind kind); /* "switch"; "" if there is none */

/* Subscribers in this process. One thread at a time. A subscriber may subscribe
 * and unsubscribe while it is called, itself too; it must not free the object. */
typedef struct cando_events cando_events;
typedef void cando_event_fn(void *user, const cando_event *event);
#define CANDO_EVENT_BIT(kind) (1u << (kind))
#define CANDO_EVERY_EVENT UINT32_MAX

CANDO_API cando_events *cando_events_new(const cando_allocator *a, cando_error *err);
CANDO_API void cando_events_free(cando_events *e);
/* `kinds` is made of CANDO_EVENT_BIT. Gives a number for unsubscribe; 0: no memory. */
CANDO_API uint32_t cando_events_subscribe(cando_events *e, uint32_t kinds, cando_event_fn *fn,
                                          void *user, cando_error *err);
CANDO_API void cando_events_unsubscribe(cando_events *e, uint32_t subscription);
/* Checks the event and calls every subscriber that wants its kind, in the order in
 * which they came. The event is theirs for the length of the call. */
CANDO_API cando_status cando_events_emit(cando_events *e, const cando_event *event,
                                         cando_error *err);
/* From now on the sessions of this engine tell `events` what they decide: each change that is
 * negotiated (one that waits for a yes, when it gets that), and each child. NULL: nobody is told.
 * `now` gives the time in milliseconds; NULL: the machine's clock, in seconds. To be set before
 * there are sessions, which then are one thread's, as the events are; these outlive the engine. */
typedef uint64_t cando_clock_fn(void *user);
CANDO_API void cando_set_events(cando *c, cando_events *events, cando_clock_fn *now, void *user);
/* The canonical text of an event: one JSON object, keys in a fixed order, no white
 * space, secrets replaced. The same event gives the same bytes. Freed with
 * cando_event_free_text. */
CANDO_API cando_status cando_event_encode(const cando_event *event, const cando_allocator *a,
                                          char **out, size_t *len, cando_error *err);
/* An event from its text, or from a record of it. */
CANDO_API cando_status cando_event_decode(const char *text, size_t len, cando_room *room,
                                          cando_event *out, cando_error *err);
CANDO_API void cando_event_free_text(const cando_allocator *a, char *text, size_t len);

/* The chain of a trail. A record is an event's text with its number and the hash of
 * the record before it, and its hash is the SHA-256 of these bytes; so whoever
 * changes one has to change all that follow. A chain of zeros is an empty one. */
#define CANDO_HASH_BYTES 32
#define CANDO_RECORD_ROOM 128 /* bytes that a record has more than its event */
typedef struct cando_chain {
    uint64_t n; /* of the newest record */
    unsigned char hash[CANDO_HASH_BYTES];
} cando_chain;

/* Makes the next record of an event's text and moves the chain on. `out` has room
 * for len + CANDO_RECORD_ROOM bytes. Gives the record's length; 0: the text is not
 * an event's, and the chain stays. */
CANDO_API size_t cando_chain_append(cando_chain *c, const char *event, size_t len, char *out);
/* Is this the next record? Then the chain moves on, and NULL comes back; else what
 * is wrong with it (a static text). */
CANDO_API const char *cando_chain_follow(cando_chain *c, const char *record, size_t len,
                                         const unsigned char hash[CANDO_HASH_BYTES]);

/* Observations: what was seen on use. They are the top layer of a profile:
 *
 *     cando_observations_rules(o, now, &text, &len, &err);
 *     cando_sources_add(s, "observed", text, len, CANDO_SYNTAX_CANDO, CANDO_LAYER_OBSERVED, &err);
 *
 * after which resolve answers with them, and why names their evidence. */
typedef struct cando_observation {
    const char *target;     /* "provider/model"                                    */
    const char *field;      /* a capability or limit, in any vocabulary            */
    const char *value;      /* "native", "unsupported", "restricted: reason", "true",
                               "8192", a word, words separated by spaces; "unknown" */
    const char *evidence;   /* one line: what was seen                             */
    const char *by;         /* "probe" or "error-reply"                            */
    uint64_t seen, expires; /* milliseconds since 1970; expires 0: never         */
} cando_observation;

typedef struct cando_observations cando_observations;
CANDO_API cando_observations *cando_observations_new(const cando_allocator *a, cando_error *err);
CANDO_API void cando_observations_free(cando_observations *o);
/* The result of a probe. It takes the place of an older one of the same target and
 * field; one that is older than what is there changes nothing. */
CANDO_API cando_status cando_observations_add(cando_observations *o,
                                              const cando_observation *observation,
                                              cando_error *err);
/* What a provider's error reply (JSON or plain text) tells about the target.
 * `*learnt` (may be NULL) is how many fields; none is no failure. */
CANDO_API cando_status cando_observations_learn(cando_observations *o, const char *target,
                                                const char *reply, size_t len, uint64_t seen,
                                                uint64_t expires, size_t *learnt, cando_error *err);
/* Drops what has expired at `now`; how many. */
CANDO_API size_t cando_observations_expire(cando_observations *o, uint64_t now);
CANDO_API size_t cando_observations_count(const cando_observations *o);
/* In the order of target and field; valid until the next change. */
CANDO_API cando_observation cando_observations_get(const cando_observations *o, size_t i);
/* What holds at `now` as a rule file. The text belongs to `o`, until the next call. */
CANDO_API cando_status cando_observations_rules(cando_observations *o, uint64_t now,
                                                const char **text, size_t *len, cando_error *err);

/* ------------------------------------------------------------------------
 * 8. Requests: will it be taken, and what would make it so
 * --------------------------------------------------------------------- */

/* A target made ready: its profile, and which request rules are about it. Made once,
 * used for any number of requests and by any number of threads. */
typedef struct cando_target cando_target;

enum {
    CANDO_TARGET_FINALIZE = 1, /* the adapter wants structured_finalize for tools with a schema */
};

/* A model that is not named is nobody's: the request is judged as its API's own vendor would.
 * NULL: `err` says why. To be released. */
CANDO_API const cando_target *cando_target_new(const cando_catalog *catalog, cando_name name,
                                               unsigned flags, const cando_allocator *a,
                                               cando_error *err);
/* The same from the engine, for the catalog in force. An engine keeps those that were asked
 * for last, so that this is for every request: it takes some nanoseconds and allocates
 * nothing. */
CANDO_API const cando_target *cando_target_of(const cando *c, cando_name name, unsigned flags,
                                              cando_error *err);
CANDO_API void cando_target_release(const cando_target *t); /* NULL is legal */
/* The same in memory of the caller's, of so many bytes and aligned for anything; valid
 * while the catalog is retained, not to be copied, and nothing to release. */
CANDO_API size_t cando_target_size(const cando_catalog *catalog);
CANDO_API cando_target *cando_target_init(void *memory, const cando_catalog *catalog,
                                          cando_name name, unsigned flags, cando_error *err);
/* With claims in place of a model. */
CANDO_API cando_target *cando_target_init_planes(void *memory, const cando_catalog *catalog,
                                                 const cando_planes *planes, unsigned flags);

/* A verdict, and the memory that it is worked out in, about 600 KB; used again and again,
 * by one thread at a time. It is quickest with requests for the target that it had last. */
typedef struct cando_report cando_report;
CANDO_API cando_report *cando_report_new(const cando_allocator *a, cando_error *err);
CANDO_API void cando_report_free(cando_report *r); /* NULL is legal */
/* In memory of the caller's, of so many bytes and aligned for anything; nothing to free. */
CANDO_API size_t cando_report_size(void);
CANDO_API cando_report *cando_report_init(void *memory);

/* Judges a request (JSON, any bytes) in the API's own form. `api` is "openai-chat",
 * "anthropic-messages", ...; NULL: found by its shape. With `lossy` the verdict is REWRITE
 * where a lossy fix would help. Allocates nothing. CANDO_BAD_INPUT: not JSON, or of no known
 * shape; `err` has the place as line and column. The target and the request must stay as they
 * are while the report is read. */
CANDO_API cando_status cando_preflight(const cando_target *target, const char *api,
                                       const char *request, size_t len, bool lossy,
                                       cando_report *out, cando_error *err);

CANDO_API cando_verdict cando_report_verdict(const cando_report *r);
CANDO_API const char *cando_report_api(const cando_report *r);

typedef struct cando_tokens {
    uint64_t low, expected, high; /* of the input, estimated */
    cando_number output;          /* the largest answer that the request asks for */
} cando_tokens;
CANDO_API cando_tokens cando_report_tokens(const cando_report *r);

/* Findings in the order of the request; `*more` (may be NULL) is how many there are besides. */
CANDO_API size_t cando_report_findings(const cando_report *r, size_t *more);
/* The i-th, without the words that have to be made: `message` and `hint` are the rule's own,
 * `path` is NULL. */
CANDO_API cando_finding cando_report_finding(const cando_report *r, size_t i);
/* Which of them decided the verdict: the first that rejects, is repaired or warns. SIZE_MAX:
 * none that is listed. */
CANDO_API size_t cando_report_decided(const cando_report *r);
/* The JSON Pointer of a finding; how many bytes it has (more than `size`: cut). */
CANDO_API size_t cando_report_pointer(const cando_report *r, size_t i, char *out, size_t size);
/* All of them in words, and with their pointers. They live in the room as long as the
 * catalog is there. NULL: no memory. */
CANDO_API const cando_finding *cando_report_words(const cando_report *r, cando_room *room,
                                                  size_t *n, cando_error *err);

/* The rewritten request as pieces of the old one and of the new: everything that is not
 * changed stays as it was, byte for byte. For a report whose verdict is REWRITE; NULL:
 * it has nothing to rewrite. Pieces point into the request, the catalog and the report,
 * until the report is used again. `*length` is that of all together. */
CANDO_API const cando_bytes *cando_report_rewrite(cando_report *r, size_t *n, size_t *length,
                                                  cando_error *err);

/* The model that a request names, before there is a target; how many bytes its name has (more
 * than `size`: cut), 0 if there is none. The text need not be sound. */
CANDO_API size_t cando_request_model(const char *request, size_t len, char *out, size_t size);
/* The name of the API that it is written for, by its shape alone; 32 bytes are enough. */
CANDO_API cando_status cando_request_api(const cando *c, const char *request, size_t len,
                                         cando_report *work, char *out, size_t size,
                                         cando_error *err);

/* Whom an HTTP request goes to. */
typedef struct cando_route {
    const char *provider; /* its id; lies in the catalog, or is the one that was given */
    const char *api;      /* static: "openai-chat" */
    char model[513];      /* by the path, or by the body; "": it is not told, or too long */
    bool stream;          /* it will be answered by a stream */
    bool judged;          /* there are rules for requests of that API */
} cando_route;
/* By its address and its body (any bytes; NULL: not at hand). `provider`, if it is not NULL, is
 * asked at an address of one's own. Allocates nothing. NULL comes back if it is known; else why
 * not, a static text. */
CANDO_API const char *cando_route_find(const cando_catalog *catalog, const char *url,
                                       size_t url_len, const char *provider, const char *body,
                                       size_t len, cando_route *out);

/* A refusal in the form of the API itself. */
typedef struct cando_refusal {
    unsigned status;            /* 400, ..; 0: there is nothing to refuse */
    const char *header, *value; /* one besides "content-type: application/json"; or NULL */
    size_t length;              /* of the body, which is JSON */
} cando_refusal;
/* Writes the body of what the provider would answer to a request that has errors, if `size` is
 * enough for it; CANDO_REFUSAL_ROOM always is. Allocates nothing. */
#define CANDO_REFUSAL_ROOM 16384
CANDO_API cando_refusal cando_report_refusal(const cando_report *r, char *out, size_t size);

/* ------------------------------------------------------------------------
 * 9. Questions and answers: every operation as a function
 *
 *     const cando_explain_question q = {.code = "memory"};
 *     const cando_explain_answer *a = cando_ask_explain(c, &q, room, &err);
 *
 * A question is zeroed before its members are set; what is zero is not asked. An answer
 * lives in the room and so does all that it points to; NULL: `err` says why, with the
 * JSON Pointer that the culprit has in the question as JSON in `at`. Questions may be
 * asked from many threads on one engine, each with a room of its own.
 *
 * A text that is NULL is absent or unknown; a list is a pointer and its n_.
 * --------------------------------------------------------------------- */

/* -- resolve: what a model does, and who says so -- */
typedef enum cando_view {
    CANDO_VIEW_CANDO = 0,
    CANDO_VIEW_NIKA,
    CANDO_VIEW_HARN,
    CANDO_VIEW_MANIFEST,  /* of an agent backend: only what is known */
    CANDO_VIEW_CLAIMS,    /* of a provider, to a session             */
    CANDO_VIEW_MODEL_REF, /* a catalog's reference: only what is known */
} cando_view;
typedef enum cando_why {
    CANDO_WHY_NOT = 0,
    CANDO_WHY_SAID, /* who said what holds                           */
    CANDO_WHY_ALL,  /* and what it overrode, and what nearly applied */
} cando_why;
typedef struct cando_resolve_question {
    const cando_name *target;
    cando_view view; /* in whose names and types */
    cando_resolution resolution;
    cando_why why;
    const char *at; /* the day that is asked about: what was retired then? NULL: today */
    const char *field; /* WHY_ALL: what nearly matched is what speaks of this one; NULL: of any */
} cando_resolve_question;

typedef enum cando_from {
    CANDO_FROM_RULE = 0,
    CANDO_FROM_FACT,
    CANDO_FROM_DEFAULT,
    CANDO_FROM_OVERLAY,  /* a rule or a fact of the user's, the project's or the observed layer */
    CANDO_FROM_DERIVED,  /* concluded from the field `via` */
    CANDO_FROM_BORROWED, /* a fact of another offering of the same model */
    CANDO_FROM_INHERITED, /* a fact of the version before it, or of the newest of its family */
} cando_from;
/* What somebody said of a field. */
typedef struct cando_statement {
    cando_from from;
    const char *layer, *rule, *file;
    cando_number line;
    const char *source, *checked, *evidence; /* checked: "2026-11-15" */
    const char *via;
    cando_value value;  /* of those that do not hold: what they say, */
    const char *reason; /* and why it does not hold                  */
    const struct cando_statement *overrode, *near_misses; /* WHY_ALL */
    size_t n_overrode, n_near_misses;
} cando_statement;
typedef struct cando_field_value {
    const char *name;  /* in the words of the view */
    cando_field field; /* CANDO_NO_FIELD: the view concludes it from others */
    cando_value value;
    const cando_statement *said; /* NULL: nobody said it, or nobody asked */
} cando_field_value;
typedef struct cando_allowance {
    bool allowed;
    const cando_policy *denial; /* NULL if it is allowed */
} cando_allowance;
typedef struct cando_resolve_answer {
    const char *provider, *model;
    cando_identity identity;
    const char *canonical;         /* by alias: what it is another name of */
    const cando_allowance *policy; /* NULL: there are no lists of what is allowed */
    const cando_profile *profile;
    const cando_field_value *fields; /* the view, in its order */
    size_t n_fields;
    const cando_field_value *why;       /* `fields` again if it was asked why, else NULL */
    const cando_statement *near_misses; /* WHY_ALL: of any field, without values */
    size_t n_near_misses;
} cando_resolve_answer;
CANDO_API const cando_resolve_answer *cando_ask_resolve(const cando *c,
                                                        const cando_resolve_question *q,
                                                        cando_room *room, cando_error *err);

/* -- explain: what a finding's code means -- */
typedef struct cando_explain_question {
    const char *code;
} cando_explain_question;
typedef struct cando_explain_answer {
    const char *code;
    cando_severity severity;
    const char *summary, *text;
} cando_explain_answer;
CANDO_API const cando_explain_answer *cando_ask_explain(const cando *c,
                                                        const cando_explain_question *q,
                                                        cando_room *room, cando_error *err);

/* -- fields: what an API takes -- */
typedef struct cando_fields_question {
    const char *api;      /* "openai-chat"; or a provider or a model, for the API that it speaks */
    const char *path;     /* "messages.user.content"; NULL: the request itself */
    const char *provider; /* as this one has it; NULL: as the API's own vendor has */
    const char *member;   /* with a model for `api`: the rules about this member, too; "*": all
                             that are about such models; or NULL */
} cando_fields_question;
/* A rule about a member of requests that a model wakes: what preflight would say of it. */
typedef struct cando_member_rule {
    const char *api, *rule, *code;
    cando_severity severity;
    const char *message, *advice; /* advice, source, confidence: NULL: nobody says */
    const char *file;
    uint64_t line;
    const char *source, *confidence;
} cando_member_rule;
typedef struct cando_api_field {
    const char *name;
    const char *const *kinds; /* "string", "integer", ..; none: any */
    size_t n_kinds;
    const char *of;            /* the name of the object, or of those in the array; or NULL */
    const char *const *values; /* words that are taken */
    size_t n_values;
    const char *least, *most;     /* of a number, as a text; NULL: no bound */
    const char *fewest, *longest; /* items of an array, else characters, else members */
    const char *source;           /* who says so */
    bool required, open, warns;   /* other words may be taken; what breaks it only warns */
} cando_api_field;
typedef struct cando_fields_answer {
    const char *api, *path;
    const char *object;       /* the name of what is there; NULL: nothing is known of it */
    const char *by;           /* the member whose word decides what it is; or NULL */
    const char *const *cases; /* these words */
    size_t n_cases;
    const cando_api_field *fields;
    size_t n_fields;
    const char *const *groups; /* "at least one of content, tool_calls" */
    size_t n_groups;
    bool closed; /* other members are refused */
    const cando_member_rule *rules; /* about `member`, of all APIs in which the model is asked */
    size_t n_rules;
} cando_fields_answer;
CANDO_API const cando_fields_answer *cando_ask_fields(const cando *c,
                                                      const cando_fields_question *q,
                                                      cando_room *room, cando_error *err);

/* -- lint: what is wrong with these rules -- */
typedef struct cando_lint_question {
    cando_bytes text; /* of a rule file, or */
    const char *path; /* a file, or a folder of *.toml */
    cando_syntax syntax;
    bool over; /* judged on top of the catalog, too */
} cando_lint_question;
typedef struct cando_lint_answer {
    const cando_finding *findings;
    size_t n_findings;
    uint64_t errors, warnings, notes; /* of what is listed */
} cando_lint_answer;
CANDO_API const cando_lint_answer *cando_ask_lint(const cando *c, const cando_lint_question *q,
                                                  cando_room *room, cando_error *err);

/* -- learn: what an error reply or a probe tells about a model -- */
typedef struct cando_probe {
    const char *field, *value, *evidence;
} cando_probe;
typedef struct cando_learn_question {
    const cando_name *target;
    cando_bytes error; /* the provider's error reply: JSON, or any text */
    const cando_probe *probe;
    size_t n_probe;
    const char *now;   /* "2026-11-15T16:30:05Z"; without it nothing is dated */
    cando_number days; /* for how many it counts */
    cando_bytes into;  /* a rule file: the answer has it with the rule in it */
} cando_learn_question;
typedef struct cando_learnt {
    const char *target, *field, *value, *evidence, *by, *seen, *expires;
    uint64_t expires_ms; /* milliseconds since 1970; 0: never */
} cando_learnt;
typedef struct cando_learn_answer {
    const cando_learnt *observations;
    size_t n_observations;
    const char *rule;            /* NULL: nothing was learnt, */
    const char *why_not;         /* for this reason */
    cando_number added, present; /* with `into`: rules */
    cando_bytes text;
} cando_learn_answer;
CANDO_API const cando_learn_answer *cando_ask_learn(const cando *c, const cando_learn_question *q,
                                                    cando_room *room, cando_error *err);

/* -- import: files of other catalogs in, our own rule files out -- */
typedef struct cando_fact_source {
    const char *source, *day; /* "models.dev", "2026-07-02" */
    cando_bytes text;         /* the file */
} cando_fact_source;
typedef struct cando_import_question {
    const cando_fact_source *sources;
    size_t n_sources;
    const char *const *providers; /* to write files for; none: all */
    size_t n_providers;
    bool skipped; /* list every record that was not imported */
    bool files;   /* give the texts of the files */
    bool current; /* leave chat models of hosts out that only the oldest list has */
} cando_import_question;
typedef struct cando_tally {
    const char *name;
    uint64_t n;
} cando_tally;
typedef struct cando_import_count {
    const char *source, *day;
    uint64_t read, imported, skipped, bad_values;
    const cando_tally *reasons;
    size_t n_reasons;
    const cando_tally *providers; /* of whose models it says something, and of how many */
    size_t n_providers;
} cando_import_count;
typedef struct cando_import_skip {
    const char *source, *at, *reason, *detail;
} cando_import_skip;
typedef struct cando_import_file {
    const char *provider;
    uint64_t models;
    cando_bytes text;
} cando_import_file;
typedef struct cando_import_answer {
    const cando_import_count *sources;
    size_t n_sources;
    const cando_import_skip *skipped;
    size_t n_skipped;
    const cando_import_file *files;
    size_t n_files;
    uint64_t models, providers;
    uint64_t bare; /* only known to exist */
    uint64_t gone; /* no longer on the provider's own list */
    uint64_t old;  /* left out because of `current` */
} cando_import_answer;
CANDO_API const cando_import_answer *cando_ask_import(const cando *c,
                                                      const cando_import_question *q,
                                                      cando_room *room, cando_error *err);

/* -- conflicts: where sources disagree, what each said and which won -- */
typedef enum cando_conflict_kind { /* from harmless to bad */
                                   CANDO_ANY_CONFLICT = 0,
                                   CANDO_CONFLICT_PLACEHOLDER,
                                   CANDO_CONFLICT_SILENT,
                                   CANDO_CONFLICT_ROUNDING,
                                   CANDO_CONFLICT_INPUT_WINDOW,
                                   CANDO_CONFLICT_REAL,
                                   CANDO_CONFLICT_ABSURD,
} cando_conflict_kind;
typedef struct cando_conflicts_question {
    const cando_name *target;
    const char *provider, *field, *source;
    cando_conflict_kind kind;
    cando_number limit;
    const cando_fact_source *sources; /* compare these files; NULL: the catalog's claims */
    size_t n_sources;
} cando_conflicts_question;
typedef struct cando_claim {
    const char *source, *day;
    const char *value; /* NULL: it lists the model and says nothing */
    const char *on;    /* the field it spoke of, where that is another */
    bool wins;
} cando_claim;
typedef struct cando_conflict {
    const char *provider, *model, *field;
    cando_conflict_kind kind;
    const char *value; /* in force */
    const cando_claim *claims;
    size_t n_claims;
} cando_conflict;
typedef struct cando_score {
    uint64_t won, lost;
} cando_score;
typedef struct cando_source_score {
    const char *name;
    const cando_score *score;
} cando_source_score;
typedef struct cando_conflicts_answer {
    const cando_conflict *conflicts;
    size_t n_conflicts;
    uint64_t total;
    const cando_tally *by_kind, *by_field;
    const cando_source_score *by_source;
    size_t n_by_kind, n_by_field, n_by_source;
} cando_conflicts_answer;
CANDO_API const cando_conflicts_answer *cando_ask_conflicts(const cando *c,
                                                            const cando_conflicts_question *q,
                                                            cando_room *room, cando_error *err);

/* -- model_id: what a spelling of an id consists of -- */
typedef struct cando_model_id_question {
    const char *model, *provider;
} cando_model_id_question;
typedef struct cando_model_id_answer {
    const char *provider, *vendor, *base;
    cando_number major, minor; /* of its version */
    const char *date, *region, *suffix, *canonical;
    const char *const *steps; /* what was taken off, in order */
    size_t n_steps;
} cando_model_id_answer;
CANDO_API const cando_model_id_answer *cando_ask_model_id(const cando *c,
                                                          const cando_model_id_question *q,
                                                          cando_room *room, cando_error *err);

/* -- usage: what a reply says was used -- */
typedef struct cando_usage_question {
    cando_bytes response; /* JSON: a reply, or the list of its stream's events */
    const char *api;      /* whose form it has; NULL: found by its members */
    const char *provider; /* who answered */
} cando_usage_question;
typedef struct cando_count {
    const char *unit;     /* "input_tokens", which contains the cached ones */
    const char *quantity; /* a decimal number; NULL: not known */
} cando_count;
typedef struct cando_usage_answer {
    const char *model, *api; /* NULL: the reply does not say */
    const cando_count *usage;
    size_t n_usage;
    bool partial; /* the stream was cut before its usage was complete */
    const char *service_tier, *created;
    const char *reported_cost; /* the provider's own account */
} cando_usage_answer;
CANDO_API const cando_usage_answer *cando_ask_usage(const cando *c, const cando_usage_question *q,
                                                    cando_room *room, cando_error *err);

/* -- cost: what a usage, a reply or a request costs, to the last digit -- */
typedef struct cando_cost_keep {
    const char *input_cost, *output_cost, *total_cost;
} cando_cost_keep;
typedef struct cando_cost_question {
    cando_bytes usage;      /* JSON: counts, in our units or those of `usage_form`; or */
    cando_bytes response;   /* JSON: a reply, or the list of its stream's events; or */
    cando_bytes request;    /* JSON: what shall be sent */
    const char *usage_form; /* the API whose usage object it is */
    const char *api;        /* of the reply or request; NULL: found by its members */
    bool logged; /* the reply may stand in an envelope, {"response":..}, whose "target" or
                    "provider", "at" and "service_tier" hold where this question says nothing */
    cando_number output_tokens; /* of the answer to the request, as far as one can tell */
    const char *provider;       /* who answered, or shall answer */
    const cando_name *target;   /* whose price it is, or */
    cando_bytes pricing;        /* JSON: the price itself; null: nobody knows it */
    const char *at;             /* "2026-11-15T16:30:00Z", or seconds since 1970 */
    const char *service_tier;
    const cando_cost_keep *keep; /* what is known already */
} cando_cost_question;
typedef struct cando_cost_item {
    const char *unit, *quantity; /* quantity, rate, cost NULL: not known */
    const char *rate;
    uint64_t per; /* how many the rate is for */
    const char *cost;
    const char *why; /* this rate, or none */
} cando_cost_item;
typedef struct cando_cost_unknown {
    const char *unit; /* NULL: all of them */
    const char *reason;
} cando_cost_unknown;
typedef struct cando_bill {
    const char *input_tokens, *output_tokens; /* NULL: not known */
    const char *input_cost, *output_cost, *total_cost;
    const cando_cost_item *items;
    size_t n_items;
    const cando_cost_unknown *unknown;
    size_t n_unknown;
} cando_bill;
typedef struct cando_estimate {
    const char *model, *api, *service_tier; /* of the request */
    const cando_tokens *tokens;
    cando_number output_limit;
    const char *output_limit_from; /* "request", "model" */
    uint64_t choices;              /* answers */
    uint64_t assumed_output_tokens;
    const char *why; /* so many */
    const char *const *assumes;
    size_t n_assumes;
    const cando_bill *low, *expected, *high;
} cando_estimate;
/* What a service tier costs less than the standard one, where the provider says that once for all
 * its models, and who said so. */
typedef struct cando_discount {
    const char *tier;
    uint64_t percent;
    const char *cached; /* tokens: "discounted", "standard", "input"; NULL: nobody said */
    const char *rule, *file, *source, *checked, *evidence;
} cando_discount;
typedef struct cando_cost_answer {
    const char *target, *target_from; /* NULL: it was said; else how it was found */
    const char *currency;
    const char *input_cost, *output_cost, *total_cost; /* NULL: not known */
    const char *at_least;                              /* of a stream that was cut */
    const cando_usage_answer *reply;                   /* or NULL */
    const cando_estimate *estimate; /* of a request, or NULL; the costs are the expected ones */
    const char *at;
    const cando_cost_item *items;
    size_t n_items;
    const cando_cost_unknown *unknown;
    size_t n_unknown;
    const cando_discount *discount; /* that the rates were made with, or NULL */
} cando_cost_answer;
CANDO_API const cando_cost_answer *cando_ask_cost(const cando *c, const cando_cost_question *q,
                                                  cando_room *room, cando_error *err);
/* Is this JSON a request, and not what came back? By its members; whether it is a good
 * one is another question. */
CANDO_API bool cando_is_request(const char *json, size_t len);

/* A reply that goes by in pieces, whole or streamed: of it is kept what usage and cost are read
 * from, at most `limit` bytes, so that whoever passes it on need not hold it. `type` is its
 * content type (server-sent events, JSON lines, AWS's event streams; anything else is one JSON
 * text), without which (NULL) it is one text. */
typedef struct cando_reader cando_reader;
CANDO_API cando_reader *cando_reader_new(const char *type, size_t limit, const cando_allocator *a,
                                         cando_error *err);
CANDO_API void cando_reader_free(cando_reader *r);
/* The next bytes, cut wherever they were. Never fails: what cannot be kept is told at the end. */
CANDO_API void cando_reader_see(cando_reader *r, const void *bytes, size_t n);
/* It has ended: JSON for `response` of cando_ask_usage and cando_ask_cost, which lives in the
 * reader. None if there is nothing to read; `*why` (which may be NULL) then says why, in words. */
CANDO_API cando_bytes cando_reader_end(cando_reader *r, const char **why);

/* -- preflight: will a request be taken, and what would make it so -- */
typedef struct cando_adapter {
    bool requires_structured_finalize;
} cando_adapter;
typedef struct cando_preflight_question {
    cando_bytes request;      /* JSON, in the form of the provider's own API */
    const char *api;          /* NULL: found by its shape */
    const cando_name *target; /* NULL: the model that the request names, */
    const char *provider;     /* there; NULL: at its API's own vendor, if that has it */
    cando_bytes profile;      /* JSON: claims in place of a target */
    cando_claim_form profile_form;
    const cando_adapter *adapter;
    bool fix;                 /* rewrite also where something is lost: all of it, */
    const char *const *allow; /* or for findings with these codes */
    size_t n_allow;
    bool strict;             /* a provider or model that nobody knows is an error */
    const char *at;          /* the day that is asked about; NULL: today */
    const char *const *only; /* members of the answer; none: all that there are */
    size_t n_only;
    const char *const *betas; /* features that are switched on for this request */
    size_t n_betas;
    cando_bytes headers; /* JSON: an object; "anthropic-beta" names such features, too */
    bool partial;        /* rewrite also what is rejected all the same, as far as it goes */
} cando_preflight_question;
typedef struct cando_patch { /* an operation of JSON Patch */
    const char *op, *from, *path;
    cando_bytes value; /* JSON */
} cando_patch;
typedef struct cando_preflight_answer {
    cando_verdict verdict; /* always there; all others only if they are asked for */
    const char *api;
    const cando_finding *findings; /* in the order of the request */
    size_t n_findings;
    uint32_t more;              /* findings that are not listed */
    cando_bytes request;        /* REWRITE: as it should be (`partial`: as far as it goes), and */
    const cando_patch *changes; /* what was changed */
    size_t n_changes;
    const cando_tokens *tokens;
    size_t decided;            /* which finding made the verdict; SIZE_MAX: none that is listed */
    const cando_finding *left; /* of the request as it was rewritten: what there is still to say */
    size_t n_left;
    const char *target; /* "provider/model": whom the request itself names; NULL: nobody in
                         * particular, or the question did */
    const char *api_by; /* by what the API was told; NULL: the question names it */
} cando_preflight_answer;
/* Does a header of this name switch features on? Its value then is one of the `betas`. */
CANDO_API bool cando_is_beta_header(const char *name, size_t len);
CANDO_API const cando_preflight_answer *cando_ask_preflight(const cando *c,
                                                            const cando_preflight_question *q,
                                                            cando_room *room, cando_error *err);

/* -- guard: what to do with a request that is on its way -- */
typedef enum cando_guard_mode {
    CANDO_GUARD_REPORT = 0, /* only tell                                          */
    CANDO_GUARD_REPAIR,     /* send what keeps the meaning and is taken           */
    CANDO_GUARD_REJECT,     /* refuse what the provider would refuse, in its form */
} cando_guard_mode;
typedef enum cando_guard_action {
    CANDO_GUARD_PASS = 0, /* send it as it is */
    CANDO_GUARD_SEND,     /* send the request of `judged` instead */
    CANDO_GUARD_REFUSE,   /* send nothing: `reply` is the answer */
} cando_guard_action;
typedef struct cando_guard_question {
    const char *url;
    cando_bytes request; /* JSON: the body */
    cando_guard_mode mode;
    const char *provider; /* whose API it is, at an address of one's own */
    cando_bytes headers;  /* these four are preflight's */
    const char *at;
    bool strict;
    const char *const *betas;
    size_t n_betas;
} cando_guard_question;
typedef struct cando_guard_header {
    const char *name, *value;
} cando_guard_header;
typedef struct cando_guard_reply {
    uint32_t status;
    const cando_guard_header *headers;
    size_t n_headers;
    cando_bytes body; /* JSON */
} cando_guard_reply;
typedef struct cando_guard_answer {
    bool known; /* by its address; if not, `reason` says why, and there is only the action */
    const char *provider, *api, *model;
    bool stream;
    cando_guard_action action;
    const char *reason;                   /* why it was not judged */
    const cando_preflight_answer *judged; /* NULL: it was not; with SEND it has the `request` */
    const cando_guard_reply *reply;       /* REFUSE */
} cando_guard_answer;
CANDO_API const cando_guard_answer *cando_ask_guard(const cando *c, const cando_guard_question *q,
                                                    cando_room *room, cando_error *err);

/* -- stand_in: what a provider would answer, without asking it -- */
typedef struct cando_stand_in_question {
    const char *url;      /* a path, which may begin with a provider's id, or a whole address */
    cando_bytes request;  /* the body, which need not be sound; none: a GET, of a list of models */
    const char *provider; /* whose rules hold, whatever the address says */
    cando_bytes headers;  /* these four are preflight's */
    const char *at;
    bool strict;
    const char *const *betas;
    size_t n_betas;
    const char *seed; /* other ids; NULL: the same for the same request */
} cando_stand_in_question;
typedef struct cando_stand_in_reply {
    uint32_t status;
    const cando_guard_header *headers;
    size_t n_headers;
    cando_bytes body;          /* JSON; or */
    const char *const *events; /* of a stream: what is sent, one after the other, */
    size_t n_events;
    bool base64; /* which are in base64, since they are no texts */
} cando_stand_in_reply;
typedef struct cando_stand_in_answer {
    bool known; /* by its address; if not, `reason` says why, and there is nothing else */
    const char *reason;
    const char *provider, *api, *model;
    bool stream;
    const cando_preflight_answer *judged;     /* NULL: the body is no JSON object */
    cando_number input_tokens, output_tokens; /* that the reply tells, estimated */
    const char *cost;                         /* of these, in USD; NULL: not known */
    const char *doubt; /* what of the reply may not be as the request wants it, or NULL */
    const cando_stand_in_reply *reply;
} cando_stand_in_answer;
CANDO_API const cando_stand_in_answer *cando_ask_stand_in(const cando *c,
                                                          const cando_stand_in_question *q,
                                                          cando_room *room, cando_error *err);

/* -- redact: a value without its secrets -- */
typedef struct cando_redact_question {
    cando_bytes value; /* JSON */
} cando_redact_question;
typedef struct cando_redact_answer {
    cando_bytes value; /* JSON */
    uint64_t redacted; /* how many places */
} cando_redact_answer;
CANDO_API const cando_redact_answer *cando_ask_redact(const cando *c,
                                                      const cando_redact_question *q,
                                                      cando_room *room, cando_error *err);

/* -- models: the offerings that fit, as a list; select: which of them to take -- */
typedef struct cando_wanted {
    const char *capability; /* a name of any vocabulary */
    cando_min_support min_support;
    const char *const *includes; /* of a closed list: words that must be in it */
    size_t n_includes;
} cando_wanted;
typedef struct cando_bound {
    const char *field; /* a number of the vocabulary, "input_price" or "output_price" */
    const char *value; /* a whole number, or USD per million tokens: "1.5" */
} cando_bound;
typedef enum cando_sort {
    CANDO_SORT_NAME = 0, /* "provider/id" in lower case, byte by byte; the last resort of all */
    CANDO_SORT_PROVIDER,
    CANDO_SORT_CONTEXT, /* the largest first */
    CANDO_SORT_OUTPUT,
    CANDO_SORT_PRICE, /* of input and output together, the cheapest first */
    CANDO_SORT_INPUT_PRICE,
    CANDO_SORT_OUTPUT_PRICE,
    CANDO_SORT_RELEASE, /* the newest first */
} cando_sort;
typedef enum cando_or_unknown { CANDO_EXCLUDE_UNKNOWN = 0, CANDO_INCLUDE_UNKNOWN } cando_or_unknown;

/* Criteria for offerings. Each excludes or orders; what nobody knows passes none of them,
 * unless `unknown` lets it. */
typedef struct cando_query {
    const char *const *providers; /* ids or aliases; NULL: any */
    size_t n_providers;
    const char *const *kinds; /* of providers: "first-party", "cloud", "host", .. */
    size_t n_kinds;
    const char *const *allow, *const *deny; /* "openai", "openai/gpt-*"; `deny` wins */
    size_t n_allow, n_deny;
    const char *model;        /* the offerings of one model, under whatever spelling */
    const char *const *match; /* globs over the id, or over "provider/id" */
    size_t n_match;
    const char *like;                  /* near to this name, the nearest first */
    const cando_wanted *require, *can; /* must be there: two names of one thing */
    const cando_wanted *forbid;        /* must not be there, as far as anybody knows */
    const cando_wanted *cannot;        /* must be known to be missing */
    const cando_wanted *prefer;        /* is welcome; a name that is no capability is a provider */
    size_t n_require, n_can, n_forbid, n_cannot, n_prefer;
    const char *const *input, *const *output; /* "image", "audio", "video", "pdf", .. */
    size_t n_input, n_output;
    const cando_bound *minimum, *maximum;
    size_t n_minimum, n_maximum;
    const char *released_after, *released_before; /* "2026-01-15", "2026-01", "2026" */
    const char *const *status;                    /* "active", "preview", "unlisted", .. */
    size_t n_status;
    const char *at; /* the day that is asked about; NULL: today */
    cando_or_unknown unknown;
    cando_bytes request; /* JSON: what it needs is required, and that preflight lets it pass */
    const char *api;     /* of the request; NULL: found by its shape */
    bool refused;        /* select: list what preflight excludes, too */
    cando_view view;     /* select: in whose words each match is described; CANDO_VIEW_CANDO: not */
    cando_sort sort;
    bool reverse;              /* the other way round; what is unknown stays last */
    cando_number limit;        /* how many are listed */
    const char *const *fields; /* models: names of fields to add to each; "all" */
    size_t n_fields;
    cando_bytes
        models; /* select: JSON, [{"provider","id","capabilities",..}], instead of the catalog */
    const char *const *purpose; /* what they are for: "chat", "embedding", "image", .. */
    size_t n_purpose;
    const char *const *words; /* all of them stand somewhere in "provider/id" */
    size_t n_words;
    bool marks; /* models: whose model each is, and which of its fields are in doubt */
} cando_query;
typedef cando_query cando_models_question, cando_select_question;

typedef struct cando_offering {
    const char *provider, *model;
    const char *alias_of; /* "provider/model" */
    const char *name;
    cando_number context_window, max_output;
    const char *input_price, *output_price; /* USD per million tokens, whatever the conditions */
    const char *release_date, *status;
    const cando_field_value *fields;
    size_t n_fields;
    const char *canonical; /* with `marks`: "lab/model"; NULL: nobody can know */
    const char *const *inferred, *const *contested; /* with `marks`: names of fields */
    size_t n_inferred, n_contested;
} cando_offering;
typedef struct cando_models_answer {
    const cando_offering *models;
    size_t n_models;
    uint64_t matched, considered;
    uint64_t denied; /* would fit, but a policy leaves them out */
} cando_models_answer;
CANDO_API const cando_models_answer *cando_ask_models(const cando *c,
                                                      const cando_models_question *q,
                                                      cando_room *room, cando_error *err);

typedef struct cando_choice {
    const char *target;     /* "provider/model" */
    const char *const *why; /* a line each */
    size_t n_why;
    const cando_field_value *fields; /* in the words of `view` */
    size_t n_fields;
} cando_choice;
typedef struct cando_excluded {
    const char *reason; /* "require tools" */
    uint64_t count;
} cando_excluded;
typedef struct cando_refused {
    const char *target;                /* "provider/model" */
    const char *code, *path, *message; /* the finding that decided; a place in the request */
} cando_refused;
typedef struct cando_runner_up {
    const char *target, *decided_by;
    const char *const *lacks;
    size_t n_lacks;
} cando_runner_up;
typedef struct cando_select_answer {
    const cando_choice *matches; /* the best first */
    size_t n_matches;
    uint64_t considered, matched;
    const cando_excluded *excluded; /* by the first criterion that each fails */
    size_t n_excluded;
    const cando_runner_up *runner_up; /* the second; NULL: there is none */
    const cando_refused *refused;     /* would have fit, but would refuse the request */
    size_t n_refused;
} cando_select_answer;
CANDO_API const cando_select_answer *cando_ask_select(const cando *c,
                                                      const cando_select_question *q,
                                                      cando_room *room, cando_error *err);

/* -- retiring: what has stopped, what will, when, and what to take instead -- */
typedef struct cando_text { /* to be looked through for ids of models */
    const char *name;       /* a file's, for the answer */
    cando_bytes text;
    cando_number line; /* the number of its first line; 1 if it is not said */
} cando_text;
typedef struct cando_retiring_question {
    const cando_text *texts; /* NULL: the whole catalog is asked about */
    size_t n_texts;
    const char *const *providers; /* ids or aliases: only theirs; ids in texts are theirs, too */
    size_t n_providers;
    cando_number within; /* days: ends that come later are only counted; 90 */
    cando_number places; /* how many of each are listed; 100 */
    const char *at;      /* the day that is asked about; NULL: today */
} cando_retiring_question;

typedef enum cando_ending {
    CANDO_STOPPED = 0, /* it is no longer served */
    CANDO_STOPS,       /* on a day that is known */
    CANDO_NOT_BEFORE,  /* not before a day; nobody has said that it ends then */
    CANDO_DEPRECATED,  /* its end is announced without a day */
} cando_ending;
typedef struct cando_place {
    const char *name; /* of the text */
    uint64_t line, column;
    const char *as; /* how it is written there */
} cando_place;
typedef struct cando_retiring {
    const char *provider, *model;
    cando_ending ending;
    const char *deprecated_on, *retires_on, *retires_not_before;
    cando_number days;       /* since it stopped, or until it does */
    const char *replaced_by; /* what its provider names */
    const char *use;         /* the first of that and of what replaces it that lives; an id there */
    bool inferred;           /* nobody says so: it is missing where it would be */
    const char *source, *checked;
    uint64_t mentions; /* in the texts */
    const cando_place *places;
    size_t n_places;
} cando_retiring;
typedef struct cando_retiring_answer {
    const char *day;                /* that was asked about */
    const cando_retiring *retiring; /* by ending, then in the order of days */
    size_t n_retiring;
    uint64_t stopped, stopping, not_before, deprecated; /* how many of each */
    uint64_t later;                                     /* that stop after `within` */
    uint64_t considered;                                /* offerings, of these providers */
} cando_retiring_answer;
CANDO_API const cando_retiring_answer *cando_ask_retiring(const cando *c,
                                                          const cando_retiring_question *q,
                                                          cando_room *room, cando_error *err);

/* -- needs: what a request, a session, an order or a list of requirements asks for -- */
typedef struct cando_requirement {
    const char *name; /* a capability, a limit or a list, in any vocabulary */
    cando_level level;
    cando_number minimum;          /* of a limit; at least 1 */
    cando_min_support min_support; /* of a capability */
    const char *const *includes;   /* of a list: words that must be in it */
    size_t n_includes;
    const char *required_by;
} cando_requirement;

typedef struct cando_state_machine {
    bool attached; /* if it is not it needs nothing */
    const char *id;
    const cando_requirement *needs; /* besides tool_calling */
    size_t n_needs;
} cando_state_machine;

typedef struct cando_context_provider {
    const char *id;
    const char *const *produces; /* "tool-hint", "resource-binding": needs tool_calling */
    size_t n_produces;
    cando_number min_context; /* tokens; at least 1 */
    cando_level level;        /* of what follows from the members above */
    const cando_requirement *needs;
    size_t n_needs;
} cando_context_provider;

typedef enum cando_hook_kind {
    CANDO_HOOK_GUARD = 0,
    CANDO_HOOK_TRANSFORM,
    CANDO_HOOK_OBSERVER
} cando_hook_kind;
typedef struct cando_hook {
    const char *id;
    cando_hook_kind kind;
    const char *on; /* "token": a guard or a transform needs streaming */
    cando_level level;
    const cando_requirement *needs;
    size_t n_needs;
} cando_hook;

typedef struct cando_security_mode {
    const char *kind;   /* "allowlist", .. */
    bool tool_oriented; /* an allowlist that is needs tool_calling */
    cando_level level;
} cando_security_mode;

/* Who in a session needs something. */
typedef struct cando_session_parts {
    const cando_state_machine *state_machine;
    const cando_context_provider *context_providers;
    size_t n_context_providers;
    const cando_hook *hooks;
    size_t n_hooks;
    const cando_security_mode *security_mode;
    const cando_requirement *inherited; /* from the session that spawned this one */
    size_t n_inherited;
} cando_session_parts;

typedef struct cando_order_need {
    const char *capability;
    cando_min_support min_support;
} cando_order_need;
typedef struct cando_order_needs {
    const cando_order_need *required;
    size_t n_required;
} cando_order_needs;
typedef struct cando_work_order {
    const cando_order_needs *requirements;
} cando_work_order;

/* One of them; NULL: it is none of these. */
typedef struct cando_needs_question {
    cando_bytes request; /* JSON, in the form of an API: */
    const char *api;     /* "openai-chat", ..; NULL: found by its shape */
    const cando_requirement *requirements;
    size_t n_requirements;
    const cando_session_parts *session;
    const cando_work_order *work_order;
    const cando_order_need *required; /* of a work order */
    size_t n_required;
} cando_needs_question;
typedef struct cando_needs_answer {
    const cando_need *needs;
    size_t n_needs;
} cando_needs_answer;
CANDO_API const cando_needs_answer *cando_ask_needs(const cando *c, const cando_needs_question *q,
                                                    cando_room *room, cando_error *err);

/* -- negotiate: may a session go to this model? -- */
typedef enum cando_param_layer {
    CANDO_PARAM_DEFAULT = 0, /* "defaultParams" */
    CANDO_PARAM_LAUNCH,      /* "launch"        */
    CANDO_PARAM_SESSION,     /* "/params"       */
} cando_param_layer;
typedef struct cando_param {
    const char *const *path; /* {"reasoning", "effort"} */
    size_t n_path;
    cando_bytes value; /* JSON */
    cando_param_layer layer;
} cando_param;

typedef struct cando_negotiate_question {
    const cando_requirement
        *requirements; /* needs come from one of these three, or there are none */
    size_t n_requirements;
    const cando_session_parts *session;
    cando_bytes request;      /* JSON, which preflight must not reject; in the form of an API: */
    const char *api;          /* or NULL */
    const cando_name *target; /* where to; NULL: to whatever has the profile */
    cando_bytes profile;      /* JSON: claims; beside a target they are claims of that target */
    cando_claim_form profile_form;
    const cando_name *previous; /* what is in force; NULL: nothing */
    const cando_param *params;
    size_t n_params;
    cando_bytes history; /* JSON: {"dialect"?:..,"messages"|"contents"|"input":[..]} */
    cando_unknown unknown;
    bool spawn; /* a child's: a rejection is Subagent/ModelCapabilityMismatch */
} cando_negotiate_question;

/* How much: of a capability a level, of a limit a number, of a list its words. */
typedef struct cando_amount {
    cando_type type; /* CANDO_SUPPORT, CANDO_NUMBER, CANDO_LIST */
    bool known;
    const char *level; /* "native", "emulated", "restricted", "unsupported", "any" */
    uint64_t number;
    const char *const *words;
    size_t n_words;
} cando_amount;

typedef struct cando_unmet {
    const char *capability;
    const char *reason; /* why it warns: a code */
    const char *required_by;
    cando_level level;
    cando_amount need, have;
    const char *path; /* of the need in the question */
} cando_unmet;

typedef struct cando_param_affected {
    const char *const *param_path;
    size_t n_param_path;
    const char *reason;          /* "unsupported: temperature" */
    const char *active_model_id; /* that it does not apply to */
    cando_bytes current_value;   /* JSON, without secrets */
    const char *source_layer;    /* as it is written */
} cando_param_affected;

typedef struct cando_overstated {
    const char *capability;
    cando_amount claimed, known;
} cando_overstated;

typedef struct cando_negotiate_answer {
    cando_verdict verdict;
    const char *error;          /* the name of the rejection */
    const cando_unmet *missing; /* reject */
    size_t n_missing;
    const cando_unmet *warnings; /* degrade */
    size_t n_warnings;
    const char *target;            /* "provider/model" */
    const char *identity;          /* how well it is known: "exact", "alias", "family", "default" */
    const char *previous, *active; /* `active` is in force from now on */
    const char *suggestion;        /* what would fit, after a rejection */
    const cando_param_affected *params_affected;
    size_t n_params_affected;
    const cando_overstated *overstated; /* claims that the catalog knows better */
    size_t n_overstated;
    const cando_finding *findings; /* what of the history does not survive, then of the request */
    size_t n_findings;
} cando_negotiate_answer;
CANDO_API const cando_negotiate_answer *cando_ask_negotiate(const cando *c,
                                                            const cando_negotiate_question *q,
                                                            cando_room *room, cando_error *err);

/* An answer that was kept as JSON, or the reply around it; only what an event says of it is
 * read again. */
CANDO_API const cando_negotiate_answer *cando_negotiate_read(const char *json, size_t len,
                                                             cando_room *room, cando_error *err);
/* What was decided as an event for the subscribers: a rejection, a downgrade, or else `kind`. */
CANDO_API cando_status cando_events_diagnostic(cando_events *e, cando_event_kind kind,
                                               uint64_t time, const char *session,
                                               const char *change,
                                               const cando_negotiate_answer *diagnostic,
                                               cando_error *err);

/* -- sessions: what is needed, by whom, and which model is in force --
 *
 * Every change is negotiated; one that is rejected leaves the session as it was, byte for
 * byte, and nothing is ever picked or downgraded by itself. One thread at a time. The
 * engine must outlive its sessions; a session keeps copies of what it is given. */
typedef struct cando_session cando_session;

/* With nothing attached. */
CANDO_API cando_session *cando_session_new(const cando *c, cando_name target, cando_error *err);
CANDO_API void cando_session_free(cando_session *s);
/* The id that its events have: up to 128 bytes without white space. A child has none at first. */
CANDO_API cando_status cando_session_name(cando_session *s, const char *id, cando_error *err);

typedef enum cando_change_kind {
    CANDO_CHANGE_TARGET = 0, /* to `target`                                                   */
    CANDO_CHANGE_MODEL,      /* to another model of the same provider: target.model           */
    CANDO_CHANGE_PROVIDER,   /* to target.provider's current choice: the model that was last in
                                force there, or that CHOOSE named; none is a bad question     */
    CANDO_CHANGE_ATTACH,     /* a state machine                                               */
    CANDO_CHANGE_PROVIDE,    /* a context provider; it replaces the one with its id           */
    CANDO_CHANGE_HOOK,       /* likewise                                                      */
    CANDO_CHANGE_SECURE,     /* a security mode                                               */
    /* the rest is not negotiated: nothing more is asked for */
    CANDO_CHANGE_DETACH, /* the state machine                                             */
    CANDO_CHANGE_PARAMS, /* replaces them                                                 */
    CANDO_CHANGE_UNKNOWN,
    CANDO_CHANGE_CHOOSE,  /* `target` is its provider's choice from now on                 */
    CANDO_CHANGE_HISTORY, /* the conversation so far; none drops it. It has to survive where
                             the session goes, and is no part of its state                 */
    CANDO_CHANGE_WITHDRAW, /* the context provider with the id of `context_provider`        */
    CANDO_CHANGE_UNHOOK,   /* the hook with the id of `hook`                                */
    CANDO_CHANGE_RELOAD,   /* all parts at once: `session` in their place; negotiated       */
} cando_change_kind;

typedef struct cando_change {
    cando_change_kind kind;
    cando_name target; /* each member is of the kind that its name tells */
    const cando_state_machine *state_machine;
    const cando_context_provider *context_provider;
    const cando_hook *hook;
    const cando_security_mode *security_mode;
    const cando_param *params;
    size_t n_params;
    cando_unknown unknown;
    cando_bytes history; /* JSON, as cando_negotiate_question has it */
    const cando_session_parts *session;
    cando_bytes claims; /* JSON: what the provider claims of the target, at a switch; hints only */
    cando_claim_form claims_form;
    bool ask; /* a change that would degrade, or a switch that lets parameters fall away, waits for
                 cando_session_accept; `active` is still the model before it */
} cando_change;
CANDO_API const cando_negotiate_answer *cando_session_change(cando_session *s,
                                                             const cando_change *change,
                                                             cando_room *room, cando_error *err);
/* Makes the change that waits; without one it is a bad question. Any other change, and a
 * rejected one too, forgets it. */
CANDO_API cando_status cando_session_accept(cando_session *s, cando_error *err);
/* A child with this session's needs, on `target` or (NULL) on its model. Rejected: *child
 * is NULL. The parent never changes. */
CANDO_API const cando_negotiate_answer *cando_session_spawn(const cando_session *s,
                                                            const cando_name *target,
                                                            cando_room *room, cando_session **child,
                                                            cando_error *err);
/* The whole state as JSON, and a session from it. */
CANDO_API cando_status cando_session_state(const cando_session *s, cando_room *room,
                                           cando_bytes *out, cando_error *err);
CANDO_API cando_session *cando_session_restore(const cando *c, const char *state, size_t len,
                                               cando_error *err);

/* -- match: does an agent backend satisfy this work order? -- */
typedef struct cando_match_question {
    const cando_work_order *work_order; /* or its requirements: */
    const cando_order_need *required;
    size_t n_required;
    cando_bytes manifest; /* JSON; held against the order is one of these four */
    const char *backend;  /* of the catalog: "claude" */
    const cando_name *target;
    bool rank; /* every backend of the catalog */
} cando_match_question;
typedef struct cando_matched_need {
    const char *capability; /* as the order wrote it */
    const char *strategy;   /* how it is made up for; NULL: it is not */
    const char *reason;     /* of a restriction, or why it is not enough; or NULL */
} cando_matched_need;
/* In the order of the requirements. */
typedef struct cando_matched {
    const char *backend, *target; /* in a ranking */
    bool satisfied;
    const char *const *native;
    size_t n_native;
    const cando_matched_need *emulated, *unsupported;
    size_t n_emulated, n_unsupported;
} cando_matched;
typedef struct cando_match_answer {
    const cando_matched *match;   /* NULL: there is a ranking */
    const cando_matched *ranking; /* the best first; NULL: nobody asked for one */
    size_t n_ranking;
} cando_match_answer;
CANDO_API const cando_match_answer *cando_ask_match(const cando *c, const cando_match_question *q,
                                                    cando_room *room, cando_error *err);

/* -- diff: what a switch from one to the other gains and loses -- */
typedef struct cando_side {
    const char *model, *provider; /* as in cando_name, or one of: */
    const char *backend;
    cando_bytes manifest, profile; /* JSON */
    cando_claim_form profile_form;
} cando_side;
typedef struct cando_diff_question {
    const cando_side *a, *b;
} cando_diff_question;
typedef enum cando_step {
    CANDO_STEP_GAIN = 0, /* a better level, a higher limit */
    CANDO_STEP_LOSS,
    CANDO_STEP_CHANGE,  /* neither better nor worse */
    CANDO_STEP_KNOWN,   /* of b alone */
    CANDO_STEP_UNKNOWN, /* of a alone */
} cando_step;
typedef struct cando_difference {
    const char *field; /* of prices each rate: "price.input_tokens @batch" */
    cando_value a, b;
    cando_step change;
} cando_difference;
typedef struct cando_diff_answer {
    const char *a, *b; /* "provider/model", the name of a backend, "manifest" or "profile" */
    const char *const *gains, *const *losses; /* fields */
    size_t n_gains, n_losses;
    const cando_difference *changes;
    size_t n_changes;
} cando_diff_answer;
CANDO_API const cando_diff_answer *cando_ask_diff(const cando *c, const cando_diff_question *q,
                                                  cando_room *room, cando_error *err);

#ifdef __cplusplus
}
#endif
#endif
