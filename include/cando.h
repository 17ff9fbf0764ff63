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
 *
 * Conventions. The library never prints, exits, reads the environment or the
 * network by itself. It has no global state: objects that are marked const
 * here may be used by any number of threads at once. Strings come with their
 * length where they come from outside; what the library returns is also
 * NUL-terminated. Every function that can fail returns a cando_status (or
 * NULL) and fills the cando_error it was given; passing NULL for it is legal.
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
    char message[320];
    char hint[240];
    char at[160]; /* a JSON Pointer, or a file name */
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
CANDO_API cando *cando_new(const cando_catalog *catalog, const cando_allocator *a, cando_error *err);
CANDO_API void cando_free(cando *c);

/* Puts another catalog in force. Calls that run finish on the old one. */
CANDO_API void cando_set_catalog(cando *c, const cando_catalog *catalog);
/* The catalog in force, retained for the caller. */
CANDO_API const cando_catalog *cando_get_catalog(const cando *c);

/* One operation: `request` is a JSON object with "op", an optional "id" and
 * the operation's arguments; docs/ops.md lists them. `*reply` is a JSON
 * object, to be freed with cando_free_text. A bad question is a reply with
 * "ok":false, not a failure: the status is CANDO_OK for every reply that
 * could be written, CANDO_INTERNAL (and *reply NULL) if there was no memory.
 * Safe to call from many threads on one engine. */
CANDO_API cando_status cando_call(const cando *c, const char *request, size_t request_len,
                                  char **reply, size_t *reply_len);
CANDO_API void cando_free_text(const cando *c, char *text, size_t len);

/* ------------------------------------------------------------------------
 * 3. Catalogs: immutable snapshots, shared by reference count
 * --------------------------------------------------------------------- */

/* The catalog that is linked into the library. Never fails, never freed;
 * retain and release on it do nothing. */
CANDO_API const cando_catalog *cando_catalog_builtin(void);

/* Opens a snapshot that the caller keeps alive and unchanged until the last
 * release (an mmap, a static array). Everything in it is bounds-checked once,
 * here; what passes cannot make later calls read outside of it. */
CANDO_API const cando_catalog *cando_catalog_open(const void *data, size_t size,
                                                  const cando_allocator *a, cando_error *err);
/* The same from a copy, and from a file. */
CANDO_API const cando_catalog *cando_catalog_open_copy(const void *data, size_t size,
                                                       const cando_allocator *a, cando_error *err);
CANDO_API const cando_catalog *cando_catalog_open_file(const char *path,
                                                       const cando_allocator *a, cando_error *err);

CANDO_API const cando_catalog *cando_catalog_retain(const cando_catalog *c);
CANDO_API void cando_catalog_release(const cando_catalog *c);

/* Counts, for people and tests. */
typedef struct cando_catalog_info {
    uint32_t format_version, rules, models, providers, fields;
    uint64_t bytes, source_hash;
} cando_catalog_info;
CANDO_API void cando_catalog_describe(const cando_catalog *c, cando_catalog_info *out);

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
    cando_type type;
    cando_support support; /* CANDO_SUPPORT                              */
    bool flag;             /* CANDO_FLAG                                 */
    uint64_t number;       /* CANDO_NUMBER                               */
    const char *text;      /* CANDO_WORD, CANDO_TEXT; the reason of a
                              restriction; else NULL                     */
    uint32_t count;        /* CANDO_LIST, CANDO_MAP: number of items     */
    uint32_t list;         /* for cando_catalog_item                     */
} cando_value;

/* Item `i` of a list ("image") or of a map ("agent=off"). */
CANDO_API const char *cando_catalog_item(const cando_catalog *c, cando_value v, uint32_t i);

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
    uint32_t provider;      /* index in the catalog, or UINT32_MAX          */
    const char *canonical;  /* CANDO_BY_ALIAS: the id of the fact row; else NULL */
    const uint32_t *record; /* a row of the catalog, or NULL: then the      */
    uint64_t set[CANDO_MAX_FIELDS / 64]; /* fields are in these             */
    uint32_t value[CANDO_MAX_FIELDS];
    uint32_t origin[CANDO_MAX_FIELDS];
} cando_profile;

/* What `catalog` says of `model` at `provider`. Unknown providers and models
 * are no error: the profile then holds what general rules and defaults say.
 * Allocates nothing. Fails (CANDO_BAD_QUESTION) only if a name is longer than
 * the limits allow. `provider` may be empty. */
CANDO_API cando_status cando_resolve(const cando_catalog *catalog,
                                     const char *provider, size_t provider_len,
                                     const char *model, size_t model_len,
                                     cando_resolution how, cando_profile *out, cando_error *err);

CANDO_API cando_value cando_profile_get(const cando_profile *p, cando_field f);

/* Who said it. Texts lie in the catalog; "" where there is nothing to say. */
typedef struct cando_origin {
    bool known;       /* false: nobody set this field                     */
    bool derived;     /* concluded from `via`, which the rule did set      */
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

typedef enum cando_dialect {
    CANDO_DIALECT_AUTO = 0, /* by the file's own `schema` key and shape */
    CANDO_DIALECT_CANDO,
    CANDO_DIALECT_NIKA,
    CANDO_DIALECT_HARN,
} cando_dialect;

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

typedef struct cando_finding {
    const char *code;
    cando_severity severity;
    const char *file;
    uint32_t line, column, width; /* 1-based; column and width in characters */
    const char *message, *hint;   /* hint may be "" */
    const char *excerpt;          /* the line of text, or "" */
} cando_finding;

/* A set of sources on its way to be linted or built. One thread at a time. */
typedef struct cando_sources cando_sources;
CANDO_API cando_sources *cando_sources_new(const cando_allocator *a, cando_error *err);
CANDO_API void cando_sources_free(cando_sources *s);

/* Adds one text under `name` (for messages and provenance). The text is
 * copied. Broken TOML and wrong keys are findings, not failures: the status
 * is CANDO_OK unless memory ran out or the text is over the size limit. */
CANDO_API cando_status cando_sources_add(cando_sources *s, const char *name, const char *text, size_t len,
                                         cando_dialect dialect, cando_layer layer, cando_error *err);
/* The same from a file, or from all *.toml below a folder in the order of
 * their names. */
CANDO_API cando_status cando_sources_add_path(cando_sources *s, const char *path,
                                              cando_dialect dialect, cando_layer layer, cando_error *err);

/* Judges all that was added: single files, and the rules together. Call it
 * once, after the last add; until then there are only the readers' findings. */
CANDO_API cando_status cando_sources_lint(cando_sources *s, cando_error *err);
CANDO_API size_t cando_sources_findings(const cando_sources *s);
CANDO_API cando_finding cando_sources_finding(const cando_sources *s, size_t i);
CANDO_API size_t cando_sources_count(const cando_sources *s, cando_severity severity);

/* Compiles to a snapshot: identical sources give identical bytes. Refused
 * (CANDO_BAD_INPUT) while there are syntax errors; lint errors do not refuse,
 * the caller decides. `*out` is owned by `s`. */
CANDO_API cando_status cando_sources_build(cando_sources *s, const void **out, size_t *out_len, cando_error *err);

#ifdef __cplusplus
}
#endif
#endif
