/*
 * snapshot_check.c - believes nothing in a snapshot.
 *
 * What passes here can be followed without looking: every reference is inside
 * its section, every count ends inside it, every value fits the type of its
 * field, every hash table has a free slot, and links between nodes only lead
 * forward (children) or backward (fail links), so that every walk ends. A
 * damaged file that still passes gives wrong answers at worst.
 */
#include "snapshot.h"

#include "base/limits.h"
#include "planes.h"
#include "requests.h"
#include "text/glob.h"

struct checker {
    const struct snapshot *s;
    const char *what; /* the first thing that is wrong */
};

static bool fail(struct checker *c, const char *what)
{
    if (!c->what)
        c->what = what;
    return false;
}

static size_t count(const struct checker *c, enum snap_section sec)
{
    return c->s->sec[sec].n;
}

static bool range_ok(uint64_t at, uint64_t n, size_t size)
{
    return at <= size && n <= size - at;
}

static bool list_ok(const struct checker *c, uint32_t at)
{
    size_t n = count(c, SEC_LISTS);
    if (at >= n)
        return false;
    uint32_t items = snap_u32(c->s, SEC_LISTS, at);
    if (!range_ok((uint64_t)at + 1, items, n))
        return false;
    for (uint32_t i = 0; i < items; i++)
        if (!snap_str_ok(c->s, snap_u32(c->s, SEC_LISTS, at + 1 + i)))
            return false;
    return true;
}

static bool value_ok(const struct checker *c, uint32_t type, uint32_t v)
{
    uint32_t payload = VAL_PAYLOAD(v);
    switch (VAL_TAG(v)) {
    case VAL_CLEARED:
        return true;
    case VAL_SUPPORT:
        return type == CANDO_SUPPORT && (payload & 7) >= CANDO_UNSUPPORTED &&
               (payload & 7) <= CANDO_NATIVE &&
               (payload >> 3 == 0 || snap_str_ok(c->s, payload >> 3));
    case VAL_FLAG:
        return type == CANDO_FLAG && payload <= 1;
    case VAL_NUMBER:
        return type == CANDO_NUMBER;
    case VAL_BIG:
        return type == CANDO_NUMBER && payload < count(c, SEC_NUMBERS);
    case VAL_TEXT:
        return (type == CANDO_WORD || type == CANDO_TEXT) && snap_str_ok(c->s, payload);
    case VAL_LIST:
        return (type == CANDO_LIST || type == CANDO_MAP) && list_ok(c, payload);
    default:
        return false;
    }
}

static bool postings_ok(const struct checker *c, uint32_t at, size_t limit)
{
    size_t n = count(c, SEC_POSTINGS);
    if (at >= n)
        return false;
    uint32_t items = snap_posting_count(c->s, at);
    if (!range_ok((uint64_t)at + 1, items, n))
        return false;
    for (uint32_t i = 0; i < items; i++)
        if (snap_u32(c->s, SEC_POSTINGS, at + 1 + i) >= limit)
            return false;
    return true;
}

static bool check_tables(struct checker *c)
{
    for (size_t i = 0; i < count(c, SEC_FILES); i++) {
        struct snap_file f = snap_file(c->s, i);
        if (!snap_str_ok(c->s, f.name) || f.layer >= CANDO_LAYER_COUNT ||
            f.syntax > CANDO_SYNTAX_HARN || f.first_match > 1)
            return fail(c, "its table of files");
    }
    for (size_t i = 0; i < count(c, SEC_FAMILIES); i++) {
        struct snap_family f = snap_family(c->s, i);
        if (f.child >= count(c, SEC_PROVIDERS) || f.parent >= count(c, SEC_PROVIDERS) ||
            f.file >= count(c, SEC_FILES))
            return fail(c, "its provider families");
    }
    for (size_t i = 0; i < count(c, SEC_APIS); i++) {
        struct snap_api d = snap_api(c->s, i);
        if (!snap_str_ok(c->s, d.name) || (d.scope != SNAP_NONE && d.scope >= count(c, SEC_SCOPES)))
            return fail(c, "its table of dialects");
    }
    for (size_t i = 0; i < count(c, SEC_WALKS); i++)
        if (snap_u32(c->s, SEC_WALKS, i) >= count(c, SEC_PROVIDERS))
            return fail(c, "its provider families");
    for (size_t i = 0; i < count(c, SEC_PROVIDERS); i++) {
        struct snap_provider p = snap_provider(c->s, i);
        if (!snap_str_ok(c->s, p.id) || !snap_str_ok(c->s, p.name) || !snap_str_ok(c->s, p.kind) ||
            (p.api != SNAP_NONE && p.api >= count(c, SEC_APIS)) ||
            (p.scope != SNAP_NONE && p.scope >= count(c, SEC_SCOPES)) ||
            (p.apis != SNAP_NONE && !list_ok(c, p.apis)) || p.own_names > 1 ||
            p.n_walk > LIMIT_FAMILY_DEPTH || !range_ok(p.walk, p.n_walk, count(c, SEC_WALKS)))
            return fail(c, "its table of providers");
    }
    for (size_t i = 0; i < count(c, SEC_BASES); i++) {
        struct snap_base b = snap_base(c->s, i);
        if (!snap_str_ok(c->s, b.host) || !snap_str_ok(c->s, b.path) ||
            b.provider >= count(c, SEC_PROVIDERS))
            return fail(c, "its addresses of providers");
    }
    return true;
}

static bool check_names(struct checker *c)
{
    size_t n = count(c, SEC_NAMES), used = 0;
    if (n & (n - 1))
        return fail(c, "its table of names");
    for (size_t i = 0; i < n; i++) {
        struct snap_name row = snap_name(c->s, i);
        if (row.key == SNAP_NONE)
            continue;
        used++;
        if (!snap_str_ok(c->s, row.key) ||
            (row.table == NAME_PROVIDER_INDEX ? row.value >= count(c, SEC_PROVIDERS)
                                              : !snap_str_ok(c->s, row.value)))
            return fail(c, "its table of names");
    }
    return n == 0 || used < n ? true : fail(c, "its table of names is full");
}

static bool check_rule(struct checker *c, size_t i)
{
    struct snap_rule r = snap_rule(c->s, i);
    if (!snap_str_ok(c->s, r.name) || !snap_str_ok(c->s, r.origin) ||
        !snap_str_ok(c->s, r.evidence) || (r.id && !snap_str_ok(c->s, r.id)) ||
        r.file >= count(c, SEC_FILES) || r.layer >= CANDO_LAYER_COUNT ||
        r.stage >= count(c, SEC_STAGES) ||
        !range_ok(r.scopes, (uint64_t)r.n_providers + r.n_apis, count(c, SEC_RULE_SCOPES)) ||
        !range_ok(r.patterns, r.n_patterns, count(c, SEC_PATTERNS)) ||
        !range_ok(r.assigns, r.n_assigns, count(c, SEC_ASSIGNS)) ||
        (r.bounds && !range_ok(r.bounds - 1, 2, count(c, SEC_NUMBERS))))
        return fail(c, "its table of rules");
    for (uint32_t k = 0; k < r.n_providers + r.n_apis; k++)
        if (snap_u32(c->s, SEC_RULE_SCOPES, r.scopes + k) >=
            count(c, k < r.n_providers ? SEC_PROVIDERS : SEC_APIS))
            return fail(c, "the scope of a rule");
    for (uint32_t k = 0; k < r.n_assigns; k++) {
        struct snap_assign a = snap_assign_at(c->s, r.assigns + k);
        if (a.field >= c->s->n_fields || !value_ok(c, snap_field(c->s, a.field).type, a.value))
            return fail(c, "a value of a rule");
    }
    return true;
}

static bool check_patterns(struct checker *c)
{
    for (size_t i = 0; i < count(c, SEC_PATTERNS); i++) {
        struct snap_pattern p = snap_pattern(c->s, i);
        if (p.rule >= count(c, SEC_RULES) || p.kind > PAT_CONTAINS || !snap_str_ok(c->s, p.text) ||
            !snap_str_ok(c->s, p.program) || !glob_valid(snap_str(c->s, p.program)))
            return fail(c, "its table of patterns");
    }
    return true;
}

static bool check_nodes(struct checker *c)
{
    size_t n = count(c, SEC_NODES), patterns = count(c, SEC_PATTERNS);
    if (count(c, SEC_KEYS) != n)
        return fail(c, "its tries");
    for (size_t i = 0; i < n; i++) {
        struct snap_node node = snap_node(c->s, i);
        if (node.n_children > 256 || !range_ok(node.child, node.n_children, n) ||
            (node.n_children && node.child <= i) ||
            !range_ok(node.label, node.n_label, count(c, SEC_LABELS)) ||
            !postings_ok(c, node.exact, patterns) || !postings_ok(c, node.prefix, patterns))
            return fail(c, "its tries");
        for (uint32_t k = 0; k < node.n_children; k++)
            if (snap_node(c->s, node.child + k).n_label == 0)
                return fail(c, "its tries");
    }
    return true;
}

static bool check_states(struct checker *c)
{
    size_t n = count(c, SEC_STATES);
    if (count(c, SEC_STATE_KEYS) != n)
        return fail(c, "its automata");
    for (size_t i = 0; i < n; i++) {
        struct snap_state st = snap_state(c->s, i);
        if (st.n_children > 256 || !range_ok(st.child, st.n_children, n) ||
            (st.n_children && st.child <= i) || (st.fail != SNAP_NONE && st.fail >= i) ||
            (st.output != SNAP_NONE && st.output >= i) ||
            !postings_ok(c, st.postings, count(c, SEC_PATTERNS)))
            return fail(c, "its automata");
    }
    return true;
}

static bool root_ok(uint32_t root, size_t n)
{
    return root == SNAP_NONE || root < n;
}

static bool check_scopes(struct checker *c)
{
    for (size_t i = 0; i < count(c, SEC_SCOPES); i++) {
        struct snap_scope sc = snap_scope(c->s, i);
        for (int k = 0; k < 2; k++)
            if (!postings_ok(c, sc.always[k], count(c, SEC_PATTERNS)) ||
                !root_ok(sc.trie[k], count(c, SEC_NODES)) ||
                !root_ok(sc.automaton[k], count(c, SEC_STATES)))
                return fail(c, "its scopes");
        if (!postings_ok(c, sc.defaults, count(c, SEC_RULES)))
            return fail(c, "its defaults");
    }
    return true;
}

static bool check_record(struct checker *c, uint32_t at)
{
    size_t n = count(c, SEC_RECORDS);
    uint32_t head = range_ok(at, RECORD_HEAD, n) ? snap_u32(c->s, SEC_RECORDS, at) : UINT32_MAX;
    uint32_t origins = RECORD_ORIGINS(head);
    if (RECORD_IDENTITY(head) > CANDO_BY_EXACT || origins > CANDO_MAX_FIELDS)
        return fail(c, "a finished profile");
    uint32_t own = snap_u32(c->s, SEC_RECORDS, at + RECORD_OWN);
    if (own != SNAP_NONE && own >= count(c, SEC_RULES))
        return fail(c, "a finished profile");
    uint32_t fields[CANDO_MAX_FIELDS], set = 0;
    for (uint32_t w = 0; w < RECORD_BITS; w++)
        for (uint32_t bits = snap_u32(c->s, SEC_RECORDS, at + RECORD_FIELDS + w); bits;
             bits &= bits - 1)
            fields[set++] = w * 32 + (uint32_t)__builtin_ctz(bits);
    if (set && fields[set - 1] >= c->s->n_fields)
        return fail(c, "a finished profile");
    uint32_t values = at + RECORD_HEAD, rules = values + set, which = rules + origins;
    if (!range_ok((uint64_t)values, (uint64_t)set + origins + (set + 3) / 4, n))
        return fail(c, "a finished profile");
    for (uint32_t k = 0; k < origins; k++)
        if ((snap_u32(c->s, SEC_RECORDS, rules + k) & ~ORIGIN_MARKS) >= count(c, SEC_RULES))
            return fail(c, "a finished profile");
    const unsigned char *origin = c->s->sec[SEC_RECORDS].p + (size_t)which * 4;
    for (uint32_t k = 0; k < set; k++)
        if (!value_ok(c, snap_field(c->s, fields[k]).type,
                      snap_u32(c->s, SEC_RECORDS, values + k)) ||
            origin[k] >= origins)
            return fail(c, "a finished profile");
    return true;
}

static bool check_exact(struct checker *c)
{
    size_t n = count(c, SEC_EXACT), used = 0;
    if (n & (n - 1))
        return fail(c, "its index of ids");
    for (size_t i = 0; i < n; i++) {
        struct snap_exact row = snap_exact(c->s, i);
        if (row.record == SNAP_NONE)
            continue;
        used++;
        if (!snap_str_ok(c->s, row.key) ||
            (row.provider != SNAP_NONE && row.provider >= count(c, SEC_PROVIDERS)))
            return fail(c, "its index of ids");
        if (!check_record(c, row.record))
            return false;
    }
    return n == 0 || used < n ? true : fail(c, "its index of ids is full");
}

static bool check_rows(struct checker *c)
{
    for (size_t i = 0; i < count(c, SEC_ROWS); i++) {
        struct snap_row row = snap_row(c->s, i);
        if (!snap_str_ok(c->s, row.key) || !snap_str_ok(c->s, row.id) ||
            row.provider >= count(c, SEC_PROVIDERS) || row.status > ROW_RETIRED)
            return fail(c, "its rows for selection");
        if (!check_record(c, row.record))
            return false;
    }
    return true;
}

/* Sets of bits are followed without a look, where the file's fields are ours. */
static bool check_support(struct checker *c)
{
    size_t n = count(c, SEC_SUPPORT), words = support_words(count(c, SEC_ROWS));
    if (!c->s->same_fields || n < SUPPORT_HEAD)
        return true;
    for (size_t i = 1; i < SUPPORT_HEAD; i++)
        if (!range_ok(snap_u32(c->s, SEC_SUPPORT, i), (uint32_t)words, n))
            return fail(c, "its bits of rows");
    return true;
}

static bool check_dated(struct checker *c)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count(c, SEC_DATED); i++) {
        uint32_t row = snap_u32(c->s, SEC_DATED, i);
        if (row < next || row >= count(c, SEC_ROWS))
            return fail(c, "its rows with dated prices");
        next = row + 1;
    }
    return true;
}

static bool check_runs(struct checker *c)
{
    uint32_t end = 0;
    for (size_t i = 0; i < count(c, SEC_RUNS); i++) {
        struct snap_run run = snap_run(c->s, i);
        if (run.provider >= count(c, SEC_PROVIDERS) || run.end <= end)
            return fail(c, "the providers of its rows");
        end = run.end;
    }
    return end == count(c, SEC_ROWS) || fail(c, "the providers of its rows");
}

static bool check_policy(struct checker *c)
{
    for (size_t i = 0; i < count(c, SEC_POLICY); i++) {
        struct snap_policy p = snap_policy(c->s, i);
        if (p.kind >= SNAP_POLICY_KINDS || p.file >= count(c, SEC_FILES) ||
            !snap_str_ok(c->s, p.text) ||
            (p.provider != SNAP_NONE && p.provider >= count(c, SEC_PROVIDERS)) ||
            !snap_str_ok(c->s, p.provider_glob) || !snap_str_ok(c->s, p.model_glob) ||
            !glob_valid(snap_str(c->s, p.provider_glob)) ||
            !glob_valid(snap_str(c->s, p.model_glob)))
            return fail(c, "its lists of what is allowed");
    }
    return true;
}

static bool check_all(struct checker *c)
{
    if (!snap_str_ok(c->s, SNAP_EMPTY))
        return fail(c, "its texts");
    if (!check_tables(c) || !check_names(c))
        return false;
    for (size_t i = 0; i < count(c, SEC_RULES); i++)
        if (!check_rule(c, i))
            return false;
    if (!requests_check(c->s))
        return fail(c, "its request rules");
    return check_patterns(c) && check_nodes(c) && check_states(c) && check_scopes(c) &&
           check_exact(c) && check_rows(c) && check_support(c) && check_dated(c) && check_runs(c) &&
           check_policy(c);
}

cando_status snapshot_check(const struct snapshot *s, cando_error *err)
{
    uint64_t sum;
    memcpy(&sum, s->data + offsetof(struct snap_header, checksum), 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    sum = __builtin_bswap64(sum);
#endif
    struct checker c = {.s = s};
    if (sum != snapshot_checksum(s->data, s->size))
        c.what = "its checksum";
    else
        check_all(&c);
    if (!c.what)
        return CANDO_OK;
    error_set(err, CANDO_BAD_INPUT, CODE_snapshot_bad, "the snapshot is damaged: %s does not hold",
              c.what);
    error_hint(err, "build it again with 'cando build'");
    return CANDO_BAD_INPUT;
}
