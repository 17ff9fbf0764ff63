/*
 * snapshot.c - opens a snapshot and looks things up in it.
 *
 * Opening finds the sections and maps the file's fields to ours; its cost does
 * not grow with the file. Checking (snapshot_check.c) does, and is done once
 * for every snapshot that did not come out of our own hands.
 */
#include "snapshot.h"

#include "base/limits.h"
#include "requests.h"

static const uint32_t record_size[SEC_END] = {
#define SECTION(name, record) [SEC_##name] = sizeof(record),
#include "sections.def"
#undef SECTION
};

uint32_t snapshot_record_size(enum snap_section sec)
{
    return record_size[sec];
}

static cando_status bad(cando_error *err, const char *what)
{
    error_set(err, CANDO_BAD_INPUT, CODE_snapshot_bad, "not a usable snapshot: %s", what);
    error_hint(err, "build it again with 'cando build'");
    return CANDO_BAD_INPUT;
}

static uint16_t le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t le32(const unsigned char *p)
{
    return (uint32_t)le16(p) | (uint32_t)le16(p + 2) << 16;
}

static uint64_t le64(const unsigned char *p)
{
    return (uint64_t)le32(p) | (uint64_t)le32(p + 4) << 32;
}

uint64_t snapshot_checksum(const void *data, size_t size)
{
    const char *p = data;
    size_t at = offsetof(struct snap_header, checksum);
    uint64_t h = str_hash((struct str){p, at}, 1);
    return str_hash((struct str){p + at + 8, size - at - 8}, h);
}

/* Members have fixed places, so the header is read byte by byte: it is the one
 * part that we look at before we know anything about the file. */
static cando_status open_header(const unsigned char *p, size_t size, uint32_t *header,
                                uint32_t *sections, uint64_t *hash, cando_error *err)
{
    if (size < sizeof(struct snap_header) || memcmp(p, snap_magic, sizeof snap_magic) != 0)
        return bad(err, "it does not begin like one");
    uint16_t major = le16(p + offsetof(struct snap_header, major));
    if (major > SNAP_MAJOR) {
        error_set(err, CANDO_BAD_INPUT, CODE_snapshot_newer,
                  "the snapshot has format %u, this library reads %u", major, SNAP_MAJOR);
        return CANDO_BAD_INPUT;
    }
    if (major < SNAP_MAJOR)
        return bad(err, "it has the format of an older version");
    *header = le32(p + offsetof(struct snap_header, header_size));
    *sections = le32(p + offsetof(struct snap_header, n_sections));
    *hash = le64(p + offsetof(struct snap_header, source_hash));
    if (le64(p + offsetof(struct snap_header, file_size)) != size)
        return bad(err, "its length is not the one that it states");
    if (*header < sizeof(struct snap_header) || *header % 8 || *header > size || *sections > 256 ||
        *sections * sizeof(struct snap_section_entry) > size - *header)
        return bad(err, "its section table is out of bounds");
    return CANDO_OK;
}

static cando_status open_section(struct snapshot *s, const unsigned char *entry, uint32_t table_end,
                                 cando_error *err)
{
    uint32_t id = le32(entry), stride = le32(entry + 4);
    uint64_t offset = le64(entry + 8), size = le64(entry + 16);
    if (offset % 8 || offset < table_end || offset > s->size || size > s->size - offset)
        return bad(err, "a section lies outside of the file");
    if (id == 0 || id >= SEC_END)
        return CANDO_OK; /* from a newer writer */
    if (s->sec[id].p)
        return bad(err, "a section stands twice");
    if (stride < record_size[id] || size % stride ||
        (stride != record_size[id] && (record_size[id] <= 4 || (stride - record_size[id]) % 4)))
        return bad(err, "a section has the wrong record size");
    if (size / stride >= SNAP_NONE)
        return bad(err, "a section has too many records");
    s->sec[id] = (struct snap_view){s->data + offset, (size_t)(size / stride), stride};
    return CANDO_OK;
}

/* The file's fields by name to ours. A field that this library does not know,
 * or knows with another type, is left out of every answer. */
static cando_status map_fields(struct snapshot *s, cando_error *err)
{
    s->n_fields = (uint32_t)s->sec[SEC_FIELDS].n;
    if (s->n_fields > CANDO_MAX_FIELDS)
        return bad(err, "it has more fields than this library can hold");
    for (unsigned f = 0; f < CANDO_MAX_FIELDS; f++) {
        s->field[f] = FIELD_COUNT;
        s->file_field[f] = CANDO_MAX_FIELDS;
    }
    for (uint32_t i = 0; i < s->n_fields; i++) {
        struct snap_field row = snap_field(s, i);
        if (!snap_str_ok(s, row.name) || row.type > CANDO_MAP)
            return bad(err, "its table of fields is damaged");
        struct str name = snap_str(s, row.name);
        /* the same library wrote it, as a rule: then the numbers agree */
        unsigned f =
            i < FIELD_COUNT && str_is(name, vocab_row(i)->name) ? i : vocab_find(VOCAB_CANDO, name);
        if (f < FIELD_COUNT && vocab_row(f)->type == (cando_type)row.type &&
            s->file_field[f] == CANDO_MAX_FIELDS) {
            s->field[i] = (uint16_t)f;
            s->file_field[f] = (uint16_t)i;
        }
    }
    s->same_fields = s->n_fields == FIELD_COUNT;
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        s->same_fields &= s->file_field[f] == f;
    return CANDO_OK;
}

cando_status snapshot_open(struct snapshot *s, const void *data, size_t size, cando_error *err)
{
    memset(s, 0, sizeof *s);
    s->data = data;
    s->size = size;
    if ((uintptr_t)data % 8)
        return bad(err, "its address is not a multiple of eight");
    uint32_t header = 0, sections = 0;
    cando_status st = open_header(data, size, &header, &sections, &s->source_hash, err);
    uint32_t table_end = header + sections * (uint32_t)sizeof(struct snap_section_entry);
    for (uint32_t i = 0; st == CANDO_OK && i < sections; i++)
        st = open_section(s, s->data + header + i * sizeof(struct snap_section_entry), table_end,
                          err);
    if (st != CANDO_OK)
        return st;
    for (unsigned id = 1; id < SEC_END; id++)
        if (!s->sec[id].p)
            s->sec[id] = (struct snap_view){s->data, 0, record_size[id]};
    if (s->sec[SEC_STRINGS].n <= SNAP_EMPTY || s->sec[SEC_SCOPES].n < 1 ||
        s->sec[SEC_POSTINGS].n < 1 || snap_u32(s, SEC_POSTINGS, 0) != 0)
        return bad(err, "a section is missing");
    st = map_fields(s, err);
    if (st != CANDO_OK)
        return st;
    for (size_t i = 0; i < s->sec[SEC_SCOPES].n && !s->has_base; i++) {
        struct snap_scope sc = snap_scope(s, i);
        s->has_base = sc.always[1] != 0 || sc.trie[1] != SNAP_NONE || sc.automaton[1] != SNAP_NONE;
    }
    uint32_t flags = le32(s->data + offsetof(struct snap_header, flags));
    s->has_ids = flags & SNAP_HAS_IDS;
    s->has_facts = flags & SNAP_HAS_FACTS;
    return CANDO_OK;
}

/* -- lookups ------------------------------------------------------------------- */

/* A member of a record where it lies; for tables that are looked through often. */
static inline uint32_t member_at(const unsigned char *row, size_t at)
{
    uint32_t v;
    memcpy(&v, row + at, 4);
    return snap_le32(v);
}
#define MEMBER(row, type, member) member_at(row, offsetof(type, member))

uint32_t snapshot_name(const struct snapshot *s, uint32_t table, struct str key)
{
    size_t n = s->sec[SEC_NAMES].n;
    if (n == 0)
        return SNAP_NONE;
    uint64_t h = name_hash(table, key);
    for (size_t i = (size_t)h & (n - 1);; i = (i + 1) & (n - 1)) {
        const unsigned char *row = s->sec[SEC_NAMES].p + i * s->sec[SEC_NAMES].stride;
        uint32_t name = MEMBER(row, struct snap_name, key);
        if (name == SNAP_NONE)
            return SNAP_NONE;
        if (MEMBER(row, struct snap_name, hash) == (uint32_t)(h >> 32) &&
            MEMBER(row, struct snap_name, table) == table && str_eq_fold(snap_str(s, name), key))
            return MEMBER(row, struct snap_name, value);
    }
}

uint32_t snapshot_provider(const struct snapshot *s, struct str name)
{
    return name.n ? snapshot_name(s, NAME_PROVIDER_INDEX, name) : SNAP_NONE;
}

/* The row of (provider, id), or NULL. */
static const unsigned char *exact_row(const struct snapshot *s, uint32_t provider, struct str id)
{
    size_t n = s->sec[SEC_EXACT].n;
    if (n == 0)
        return NULL;
    uint64_t h = exact_hash(provider, id);
    for (size_t i = (size_t)h & (n - 1);; i = (i + 1) & (n - 1)) {
        const unsigned char *row = s->sec[SEC_EXACT].p + i * s->sec[SEC_EXACT].stride;
        if (MEMBER(row, struct snap_exact, record) == SNAP_NONE)
            return NULL;
        if (MEMBER(row, struct snap_exact, hash) == (uint32_t)(h >> 32) &&
            MEMBER(row, struct snap_exact, provider) == provider &&
            str_eq_fold(snap_str(s, MEMBER(row, struct snap_exact, key)), id))
            return row;
    }
}

uint32_t snapshot_exact(const struct snapshot *s, uint32_t provider, struct str id)
{
    const unsigned char *row = exact_row(s, provider, id);
    return row ? MEMBER(row, struct snap_exact, record) : SNAP_NONE;
}

const char *snapshot_exact_key(const struct snapshot *s, uint32_t provider, struct str id)
{
    const unsigned char *row = exact_row(s, provider, id);
    return row ? snap_str(s, MEMBER(row, struct snap_exact, key)).p : NULL;
}

const char *snapshot_alias(const struct snapshot *s, uint32_t provider, struct str id)
{
    char key[2 * LIMIT_NAME_BYTES + 1];
    if (provider == SNAP_NONE)
        return NULL;
    struct str name = snap_str(s, snap_provider(s, provider).id);
    if (name.n > LIMIT_NAME_BYTES || id.n > LIMIT_NAME_BYTES)
        return NULL;
    memcpy(key, name.p, name.n);
    key[name.n] = '/';
    memcpy(key + name.n + 1, id.p, id.n);
    uint32_t ref = snapshot_name(s, NAME_ALIAS, str_make(key, name.n + 1 + id.n));
    return ref == SNAP_NONE ? NULL : snap_str(s, ref).p;
}

static bool find_id(const void *ctx, enum id_table table, struct str key, struct str *value)
{
    const struct snapshot *s = ctx;
    uint32_t ref = snapshot_name(s, (uint32_t)table, key);
    if (ref == SNAP_NONE)
        return false;
    *value = snap_str(s, ref);
    return true;
}

uint32_t snapshot_req_api(const struct snapshot *s, struct str name)
{
    for (uint32_t i = 0; i < s->sec[SEC_REQ_APIS].n; i++)
        if (str_eq(snap_str(s, snap_req_api(s, i).name), name))
            return i;
    return SNAP_NONE;
}

struct id_tables snapshot_ids(const struct snapshot *s)
{
    return (struct id_tables){s, find_id};
}
