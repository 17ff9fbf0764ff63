/*
 * snapshot.h - the compiled catalog: one immutable file, read in place.
 *
 *     header | section table | section | section | ...
 *
 * All numbers are little-endian. A section has an id, a record size and its
 * bytes; a reader passes over ids that it does not know, and steps by the
 * record size that the file states, so that newer writers may append members
 * to a record and older files may lack them (a missing member reads as 0).
 * Fields are numbered by the file's own table (SEC_FIELDS) and mapped to this
 * library's vocabulary by name at open. A change that an old reader would
 * misunderstand raises the major version.
 *
 * Everything that later code follows without looking (offsets, counts, links
 * between nodes) is checked once, in snapshot_check; links only ever point in
 * one direction, so no walk can run in a circle.
 *
 *   strings    u16 length, bytes, NUL; a reference is the offset of the bytes. A long one has
 *              SNAP_LONG there, and its length in an u32 before it
 *   rules      in the order of layer, source, line
 *   scopes     for whom rules were written: everybody, one API, one
 *              provider; each has its own matchers
 *   nodes      of radix tries: patterns that begin with plain text. The
 *              children of a node are neighbours; keys[] has their first bytes
 *   states     of automata (Aho-Corasick): patterns whose plain text may stand
 *              anywhere in the id
 *   postings   u32 count, then pattern numbers
 *   records    the finished profile of each id that a rule or fact names whole
 *   exact      a hash table (provider, folded id) -> record
 *   rows       the offerings of fact rows, packed for selection, in the order of
 *              "provider/id"
 *   runs       which of these rows each provider has
 *   support    what they can do, one bit a row, laid out in planes.h: for each slot the rows
 *              that somebody knows of, those that have it natively and those that have
 *              it at all; then the rows of each status, and those whose status
 *              depends on the day. Rows and bits count only where the file's fields are
 *              this library's (`same_fields`)
 *   dated      the rows whose price depends on the day: theirs is the one before the first
 *              such day, and who asks about a day looks it up in the record
 */
#ifndef CANDO_SNAPSHOT_H
#define CANDO_SNAPSHOT_H

#include "base/diag.h"
#include "base/invariant.h"
#include "model_id.h"
#include "vocab.h"

#define SNAP_MAJOR 9u
#define SNAP_MINOR 0u
#define SNAP_NONE UINT32_MAX

static const unsigned char snap_magic[8] = {'C', 'A', 'N', 'D', 'O', '\r', '\n', 0x1a};

enum snap_section {
    SEC_NONE,
#define SECTION(name, record) SEC_##name,
#include "sections.def"
#undef SECTION
    SEC_END
};

struct snap_header {
    unsigned char magic[8];
    uint16_t major, minor;
    uint32_t header_size, n_sections, flags;
    uint64_t file_size, source_hash, checksum; /* of all bytes but this member */
};

enum snap_flag {
    SNAP_HAS_IDS = 1,   /* identity tables: ids are worth taking apart */
    SNAP_HAS_FACTS = 2, /* fact rows: other spellings are worth a try */
};

struct snap_section_entry {
    uint32_t id, record_size;
    uint64_t offset, size;
};

struct snap_field {
    uint32_t name;
    uint32_t type;
    uint32_t borrow; /* a bit for each word of BORROW_WORDS (rules/borrow.h) */
};

struct snap_file {
    uint32_t name;
    uint32_t layer;  /* cando_layer */
    uint32_t syntax; /* cando_syntax */
    uint32_t first_match;
};

struct snap_family {
    uint32_t child, parent; /* providers */
    uint32_t file, line;
};

struct snap_api {
    uint32_t name;
    uint32_t scope; /* of rules that name only APIs; or SNAP_NONE */
};

struct snap_provider {
    uint32_t id, name, kind;
    uint32_t api;          /* index, or SNAP_NONE */
    uint32_t scope;        /* index, or SNAP_NONE: no rule names it */
    uint32_t walk, n_walk; /* itself first */
    uint32_t apis;         /* in SEC_LISTS: all that it speaks; SNAP_NONE: nobody says */
    uint32_t own_names;    /* 1: what models are called there is everybody's own matter */
};

/* Where a provider is reached. Hosts with a `*` come first, then the others in order of their
 * bytes; of one host the longer paths come first. */
struct snap_base {
    uint32_t host, path, provider; /* "localhost:1234", "/api/coding" */
};

/* `hash` is the upper half; a free slot has key == SNAP_NONE. */
struct snap_name {
    uint32_t hash, table, key, value;
};

#define NAME_ALIAS 65u /* key: "provider/id", value: string "provider/model" */
#define NAME_PROVIDER_INDEX                                                                        \
    64u /* value: provider number; the other tables are enum id_table, value: string */

enum snap_rule_flag {
    RULEF_FACT = 1,
    RULEF_DEFAULT = 2,
    RULEF_PROVIDER_DEFAULT = 4,
    RULEF_EXTENDS = 8,
    RULEF_NEVER = 16,
    RULEF_ON_BASE = 32,
    RULEF_SCHEME_ANY = 64,
    RULEF_MIN = 128,
    RULEF_MAX = 256,
};
#define RULEF_AGREED 9 /* from this bit on: fields that independent sources agree on: evidence.h */

struct snap_rule {
    uint32_t name, origin, evidence;
    uint32_t checked;
    uint32_t file, line;
    uint32_t flags;
    uint32_t layer, stage;
    uint32_t prec[3]; /* by cando_resolution: larger wins */
    uint32_t bounds;  /* in SEC_NUMBERS, one behind: the versions from and to; 0: no bounds */
    uint32_t scopes, n_providers, n_apis; /* in SEC_RULE_SCOPES */
    uint32_t patterns, n_patterns;
    uint32_t assigns, n_assigns;
    uint32_t id; /* of a fact: string with its capital letters; 0: it has none */
};

/* The same in the file, where there are thousands: what is small shares a word. In a layered
 * resolution the later rule wins, so that its number is its precedence. */
struct snap_rule_packed {
    uint32_t name, origin, evidence, checked, file, line, flags;
    uint32_t as_written, first_match; /* precedence by these two */
    uint32_t bounds, scopes, patterns, assigns, id;
    uint32_t counts; /* of patterns, 16 bits, and of providers */
    uint32_t kinds;  /* how many assignments and APIs, 8 bits each; layer, 4; stage, 12 */
};
#define SNAP_RULE_MAX_PATTERNS 0xffffu
#define SNAP_RULE_MAX_PROVIDERS 0xffffu
#define SNAP_RULE_MAX_APIS 0xffu
#define SNAP_RULE_MAX_STAGE 0xfffu

/* In the file, and there are very many: the value, then a byte for the field. */
struct snap_assign {
    uint32_t value;
    uint8_t field;
};
#define SNAP_ASSIGN_SIZE 5u
_Static_assert(CANDO_MAX_FIELDS <= 256, "a field is told by a byte");

enum snap_pattern_kind { PAT_ANY, PAT_EXACT, PAT_PREFIX, PAT_GLOB, PAT_CONTAINS };

struct snap_pattern {
    uint32_t rule, kind;
    uint32_t text;    /* as written, folded; a glob's program is below */
    uint32_t program; /* GLOB */
};

/* Matchers of one scope. Index 0: compared with the id as written; 1: with its
 * base. Root nodes are SNAP_NONE where there is nothing; postings 0 are empty. */
struct snap_scope {
    uint32_t always[2]; /* postings: ANY, and globs without plain text */
    uint32_t trie[2];
    uint32_t automaton[2];
    uint32_t defaults; /* postings of rule numbers: [provider_defaults] */
};
#define SCOPE_ALL 0u /* the first scope: rules for everybody; its defaults are [defaults] */

struct snap_node {
    uint32_t child;          /* first child; children come after their parent */
    uint32_t n_children;     /* at most 256 */
    uint32_t label, n_label; /* the bytes of the edge to here */
    uint32_t exact;          /* postings that match where the id ends here */
    uint32_t prefix;         /* postings that may match once we are here */
};

struct snap_state {
    uint32_t child, n_children;
    uint32_t fail;   /* an earlier state; SNAP_NONE for a root */
    uint32_t output; /* the nearest state on the fail path that has postings */
    uint32_t postings;
};

/* A value in 32 bits: three of tag, 29 of payload. */
enum val_tag {
    VAL_CLEARED = 1, /* said to be unknown */
    VAL_SUPPORT,     /* level | reason << 3 */
    VAL_FLAG,
    VAL_NUMBER,
    VAL_BIG,  /* index into SEC_NUMBERS */
    VAL_TEXT, /* string */
    VAL_LIST, /* index into SEC_LISTS */
};
#define VAL(tag, payload) ((uint32_t)(tag) | (uint32_t)(payload) << 3)
#define VAL_TAG(v) ((v)&7u)
#define VAL_PAYLOAD(v) ((v) >> 3)
#define VAL_PAYLOAD_MAX ((1u << 29) - 1)
#define VAL_REASON_MAX ((1u << 26) - 1)

/* A record: identity and how many origins, the rule of the row itself, then a bit a field (the
 * file's numbers), then the values of these fields, the origins (rule numbers; few rules say all of
 * a profile), and which of these each value has: a byte each, filled up to whole words. What the
 * row's own rule says is not repeated: a field without a bit is as it has it. */
#define RECORD_BITS (CANDO_MAX_FIELDS / 32)
#define RECORD_OWN 1 /* SNAP_NONE: there is none */
#define RECORD_FIELDS 2
#define RECORD_HEAD (RECORD_FIELDS + RECORD_BITS)
#define RECORD_IDENTITY(word) ((word)&255u)
#define RECORD_ORIGINS(word) ((word) >> 8)
#define RECORD_MAX_WORDS (RECORD_HEAD + 2 * CANDO_MAX_FIELDS + CANDO_MAX_FIELDS / 4)
_Static_assert(CANDO_MAX_FIELDS < 256, "an origin of a record is told by a byte");
/* Set in an origin: the rule speaks of another offering of the same model (borrow.h). */
#define ORIGIN_BORROWED (UINT32_C(1) << 31)
/* Beside it: of an earlier version, or of the family's newest (inherit.h). */
#define ORIGIN_INHERITED (UINT32_C(1) << 30)
#define ORIGIN_MARKS (ORIGIN_BORROWED | ORIGIN_INHERITED)

struct snap_exact {
    uint32_t hash;     /* upper half; a free slot has record == SNAP_NONE */
    uint32_t provider; /* SNAP_NONE: the key is "lab/model", the record what may be borrowed */
    uint32_t key;      /* string: folded id */
    uint32_t record;   /* offset in SEC_RECORDS, in words */
};

/* An offering for a linear scan. 64-bit numbers are two words, the lower first. */
struct snap_row {
    uint32_t context_window[2], max_output[2]; /* 0: unknown */
    uint32_t price[2][2];           /* input, output, as in planes.h; all ones: unknown */
    uint32_t provider, key, record; /* as in snap_exact */
    uint32_t release;               /* yyyymmdd, 0 if unknown */
    uint32_t status;                /* enum row_status, whatever the day */
    uint32_t deprecated, retires;   /* the day from which it is, yyyymmdd; 0: no such day */
    uint32_t id;                    /* string: as it was written */
};

/* The lower half first. */
static inline void snap_put64(uint32_t out[2], uint64_t v)
{
    out[0] = (uint32_t)v;
    out[1] = (uint32_t)(v >> 32);
}

enum row_status {
    ROW_ACTIVE,
    ROW_PREVIEW,
    ROW_UNLISTED, /* a price list names it, and nobody else */
    ROW_DEPRECATED,
    ROW_RETIRED,
    ROW_STATUSES
};

/* A provider's rows: from where the run before it ends. */
struct snap_run {
    uint32_t provider, end;
};

/* One pattern of an allow or deny list. `provider` is a number where an alias of
 * it is meant; else SNAP_NONE, and its name is compared with `provider_glob`. */
struct snap_policy {
    uint32_t kind; /* enum policy_kind of rules/rule.h */
    uint32_t file, line;
    uint32_t text; /* as written */
    uint32_t provider, provider_glob, model_glob;
};
#define SNAP_POLICY_KINDS 5u

/* -- a snapshot that is open ------------------------------------------------------ */

struct snap_view {
    const unsigned char *p;
    size_t n; /* records */
    uint32_t stride;
};

struct snapshot {
    const unsigned char *data;
    size_t size;
    struct snap_view sec[SEC_END];
    uint32_t n_fields;                     /* of the file */
    uint16_t field[CANDO_MAX_FIELDS];      /* file's number -> ours, or FIELD_COUNT */
    uint16_t file_field[CANDO_MAX_FIELDS]; /* ours -> file's, or CANDO_MAX_FIELDS */
    uint64_t source_hash;
    bool has_base;    /* some rule looks at the base of an id */
    bool has_ids;     /* there are identity tables */
    bool has_facts;   /* there are fact rows */
    bool same_fields; /* the file's fields are exactly ours */
};

/* Finds the sections and builds the field maps. Fast; trusts the rest. */
cando_status snapshot_open(struct snapshot *s, const void *data, size_t size, cando_error *err);
/* Checks every offset, count and link of an open snapshot. */
cando_status snapshot_check(const struct snapshot *s, cando_error *err);
/* The checksum that the header must carry. */
uint64_t snapshot_checksum(const void *data, size_t size);
/* The size of a record in this version: for the writer. */
uint32_t snapshot_record_size(enum snap_section sec);

static inline uint32_t snap_le32(uint32_t v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap32(v);
#else
    return v;
#endif
}

static inline uint32_t snap_u32(const struct snapshot *s, enum snap_section sec, size_t i)
{
    uint32_t v;
    invariant(i < s->sec[sec].n);
    memcpy(&v, s->sec[sec].p + i * 4, 4);
    return snap_le32(v);
}

#define SNAP_LONG 0xffffu
#define SNAP_EMPTY 2u /* the first string is empty */

/* The length of the string that begins here. */
static inline uint32_t snap_length(const unsigned char *p)
{
    uint32_t n = (uint32_t)p[-2] | (uint32_t)p[-1] << 8;
    if (__builtin_expect(n == SNAP_LONG, 0)) {
        memcpy(&n, p - 6, 4);
        n = snap_le32(n);
    }
    return n;
}

static inline struct str snap_str(const struct snapshot *s, uint32_t ref)
{
    const unsigned char *p = s->sec[SEC_STRINGS].p + ref;
    return (struct str){(const char *)p, snap_length(p)};
}

/* Is `ref` a string that lies wholly inside of its section? */
static inline bool snap_str_ok(const struct snapshot *s, uint32_t ref)
{
    size_t n = s->sec[SEC_STRINGS].n;
    const unsigned char *p = s->sec[SEC_STRINGS].p;
    if (ref < SNAP_EMPTY || ref >= n)
        return false;
    if (p[ref - 2] == 0xff && p[ref - 1] == 0xff && ref < 6)
        return false;
    size_t len = snap_str(s, ref).n;
    return len < n - ref && s->sec[SEC_STRINGS].p[ref + len] == 0;
}

/* A copy of record i; members that an older file lacks are 0. */
#define SNAP_GET(name, section)                                                                    \
    static inline struct snap_##name snap_##name(const struct snapshot *s, size_t i)               \
    {                                                                                              \
        struct snap_##name r;                                                                      \
        snap_record(s, section, i, &r, sizeof r, sizeof r / 4);                                    \
        return r;                                                                                  \
    }

static inline void snap_record(const struct snapshot *s, enum snap_section sec, size_t i, void *out,
                               size_t size, size_t words)
{
    const struct snap_view *v = &s->sec[sec];
    invariant(i < v->n);
    if (__builtin_expect(v->stride >= size, 1)) {
        memcpy(out, v->p + i * v->stride, size);
    } else {
        memset(out, 0, size);
        memcpy(out, v->p + i * v->stride, v->stride);
    }
    uint32_t *w = out;
    for (size_t k = 0; k < words; k++)
        w[k] = snap_le32(w[k]);
}

/* Record i where it lies; a copy in `room` (snap_peek) or NULL (snap_find) where the machine's
 * numbers are not the file's, or the file is older and has less. */
#define SNAP_PEEK(name, section)                                                                   \
    static inline const struct snap_##name *snap_find_##name(const struct snapshot *s, size_t i)   \
    {                                                                                              \
        const struct snap_view *v = &s->sec[section];                                              \
        invariant(i < v->n);                                                                       \
        const struct snap_##name *r = (const void *)(v->p + i * v->stride);                        \
        return __builtin_expect(snap_le32(1) == 1 && v->stride >= sizeof *r, 1) ? r : NULL;        \
    }                                                                                              \
    static inline const struct snap_##name *snap_peek_##name(const struct snapshot *s, size_t i,   \
                                                             struct snap_##name *room)             \
    {                                                                                              \
        const struct snap_##name *r = snap_find_##name(s, i);                                      \
        if (__builtin_expect(r != NULL, 1))                                                        \
            return r;                                                                              \
        snap_record(s, section, i, room, sizeof *room, sizeof *room / 4);                          \
        return room;                                                                               \
    }

SNAP_GET(field, SEC_FIELDS)
SNAP_GET(file, SEC_FILES)
SNAP_GET(family, SEC_FAMILIES)
SNAP_GET(api, SEC_APIS)
SNAP_GET(provider, SEC_PROVIDERS)
SNAP_GET(name, SEC_NAMES)
SNAP_GET(rule_packed, SEC_RULES)
SNAP_GET(pattern, SEC_PATTERNS)
SNAP_GET(scope, SEC_SCOPES)
SNAP_GET(node, SEC_NODES)
SNAP_GET(state, SEC_STATES)
SNAP_GET(exact, SEC_EXACT)
SNAP_GET(row, SEC_ROWS)
SNAP_GET(run, SEC_RUNS)
SNAP_GET(policy, SEC_POLICY)
SNAP_GET(base, SEC_BASES)

static inline struct snap_assign snap_assign_at(const struct snapshot *s, size_t i)
{
    uint32_t v;
    invariant(i < s->sec[SEC_ASSIGNS].n);
    const unsigned char *p = s->sec[SEC_ASSIGNS].p + i * s->sec[SEC_ASSIGNS].stride;
    memcpy(&v, p, 4);
    return (struct snap_assign){snap_le32(v), p[4]};
}

static inline uint64_t snap_number(const struct snapshot *s, size_t i)
{
    uint32_t w[2];
    invariant(i < s->sec[SEC_NUMBERS].n);
    memcpy(w, s->sec[SEC_NUMBERS].p + i * s->sec[SEC_NUMBERS].stride, 8);
    return (uint64_t)snap_le32(w[1]) << 32 | snap_le32(w[0]);
}

/* Our number of a field by the file's, or FIELD_COUNT. */
static inline unsigned snap_our_field(const struct snapshot *s, uint32_t field)
{
    return field < CANDO_MAX_FIELDS ? s->field[field] : FIELD_COUNT;
}

/* A version from which (`end` 0) or up to which (1) a rule with such bounds holds. */
static inline void snap_rule_bound(const struct snapshot *s, uint32_t bounds, unsigned end,
                                   uint32_t *major, uint32_t *minor)
{
    uint64_t v = bounds ? snap_number(s, bounds - 1 + end) : 0;
    *major = (uint32_t)(v >> 32);
    *minor = (uint32_t)v;
}

static inline struct snap_rule snap_rule(const struct snapshot *s, size_t i)
{
    struct snap_rule_packed p = snap_rule_packed(s, i);
    return (struct snap_rule){
        .name = p.name,
        .origin = p.origin,
        .evidence = p.evidence,
        .checked = p.checked,
        .file = p.file,
        .line = p.line,
        .flags = p.flags,
        .layer = p.kinds >> 16 & 15u,
        .stage = p.kinds >> 20,
        .prec = {[CANDO_AS_WRITTEN] = p.as_written,
                 [CANDO_LAYERED] = (uint32_t)i + 1,
                 [CANDO_FIRST_MATCH] = p.first_match},
        .bounds = p.bounds,
        .scopes = p.scopes,
        .n_providers = p.counts >> 16,
        .n_apis = p.kinds >> 8 & 0xffu,
        .patterns = p.patterns,
        .n_patterns = p.counts & 0xffffu,
        .assigns = p.assigns,
        .n_assigns = p.kinds & 0xffu,
        .id = p.id,
    };
}

/* One word of a rule without copying the rest. */
static inline uint32_t snap_rule_word(const struct snapshot *s, uint32_t rule, size_t offset)
{
    uint32_t v;
    const struct snap_view *view = &s->sec[SEC_RULES];
    invariant(rule < view->n);
    memcpy(&v, view->p + (size_t)rule * view->stride + offset, 4);
    return snap_le32(v);
}

static inline uint32_t snap_rule_prec(const struct snapshot *s, uint32_t rule, unsigned how)
{
    if (how == CANDO_LAYERED)
        return rule + 1;
    return snap_rule_word(s, rule,
                          how == CANDO_AS_WRITTEN ? offsetof(struct snap_rule_packed, as_written)
                                                  : offsetof(struct snap_rule_packed, first_match));
}

static inline uint32_t snap_provider_kind(const struct snapshot *s, uint32_t provider)
{
    uint32_t v;
    const struct snap_view *view = &s->sec[SEC_PROVIDERS];
    memcpy(&v, view->p + provider * view->stride + offsetof(struct snap_provider, kind), 4);
    return snap_le32(v);
}

/* Does the provider serve agents rather than models? They declare what they can do, and resemble
 * no model. */
static inline bool snap_is_backend(const struct snapshot *s, uint32_t provider)
{
    return provider != SNAP_NONE && str_is(snap_str(s, snap_provider_kind(s, provider)), "backend");
}

/* Where its assignments begin, and how many there are. */
static inline uint32_t snap_rule_assigns(const struct snapshot *s, uint32_t rule, uint32_t *n)
{
    *n = snap_rule_word(s, rule, offsetof(struct snap_rule_packed, kinds)) & 0xffu;
    return snap_rule_word(s, rule, offsetof(struct snap_rule_packed, assigns));
}

/* Postings: count, then numbers from index + 1. */
static inline uint32_t snap_posting_count(const struct snapshot *s, uint32_t at)
{
    return snap_u32(s, SEC_POSTINGS, at);
}

/* A value of an identity table or SNAP_NONE. `key` is folded. */
uint32_t snapshot_name(const struct snapshot *s, uint32_t table, struct str key);
/* The provider's number by id or alias (any case), or SNAP_NONE. */
uint32_t snapshot_provider(const struct snapshot *s, struct str name);
/* The record of (provider number, id in any case), in words of SEC_RECORDS, or SNAP_NONE. */
uint32_t snapshot_exact(const struct snapshot *s, uint32_t provider, struct str id);
/* The key of that record as it is stored (folded), or NULL. */
const char *snapshot_exact_key(const struct snapshot *s, uint32_t provider, struct str id);
/* What (provider number, id in any case) is an alias of: "provider/model", or NULL. */
const char *snapshot_alias(const struct snapshot *s, uint32_t provider, struct str id);
/* The identity tables as model_id.h wants them. */
struct id_tables snapshot_ids(const struct snapshot *s);

/* Hashes of the two tables; shared with the writer. */
static inline uint64_t name_hash(uint32_t table, struct str key_any_case)
{
    return str_hash_fold(key_any_case, UINT64_C(0xA5A5) + table);
}

static inline uint64_t exact_hash(uint32_t provider, struct str id_any_case)
{
    return str_hash_fold(id_any_case, (uint64_t)provider * UINT64_C(0x9E3779B97F4A7C15));
}

/* -- the handle behind cando_catalog ------------------------------------------------ */

struct cando_catalog {
    struct snapshot snap;
    const cando_allocator *a;
    void *owned; /* a copy of the bytes, or NULL */
    size_t owned_size;
    _Atomic uint32_t refs; /* UINT32_MAX: static, never freed */
};

/* For the compiler: opens bytes that it just wrote, without the checks. */
const cando_catalog *catalog_open_trusted(void *owned, size_t size, const cando_allocator *a,
                                          cando_error *err);

#endif
