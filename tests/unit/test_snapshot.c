/*
 * test_snapshot.c - the layout of a snapshot and lookups in it, and what the
 * checker refuses, one promise at a time. Damage at random is in tests/prop/.
 */
#include "catalog_case.h"

static const char rules[] =
    "[defaults]\nseed = \"native\"\n[families]\nq = \"p\"\n"
    "[[providers]]\nid = \"P\"\naliases = [\"pa\"]\ndialect = \"gemini\"\n"
    "base_urls = [\"https://p.example\"]\n"
    "[policy]\ndeny = [\"p/no*\"]\n"
    "[[labs]]\nid = \"meta\"\naliases = [\"meta-llama\"]\n"
    "[[rules]]\nproviders = \"q\"\nmatch = [\"abc*\", \"abd\", \"*xyz*w\", \"a[bc]\"]\non = \"id\"\nset = { max_tools = 1, max_output = 5000000000, tool_search = [\"x\"] }\n"
    "[[models]]\nprovider = \"p\"\nid = \"Fact\"\nset = { tokenizer = \"qwen\" }\n";

static void test_lookups(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(rules);
    const struct snapshot *s = &c->snap;
    uint32_t p = snapshot_provider(s, STR("p"));
    assert_true(p != SNAP_NONE);
    assert_int_equal(snapshot_provider(s, STR("PA")), p);
    assert_int_equal(snapshot_provider(s, STR("nobody")), SNAP_NONE);
    assert_int_equal(snapshot_provider(s, STR("")), SNAP_NONE);
    assert_true(str_is(snap_str(s, snap_provider(s, p).id), "p"));
    assert_true(str_is(snap_str(s, snapshot_name(s, ID_LAB, STR("Meta-Llama"))), "meta"));
    assert_int_equal(snapshot_name(s, ID_FAMILY, STR("meta-llama")), SNAP_NONE); /* each table has its own keys */
    uint32_t at = snapshot_exact(s, p, STR("FACT"));
    assert_true(at != SNAP_NONE);
    assert_int_equal(RECORD_IDENTITY(snap_u32(s, SEC_RECORDS, at)), CANDO_BY_EXACT);
    assert_string_equal(snapshot_exact_key(s, p, STR("fACT")), "fact");
    assert_int_equal(snapshot_exact(s, snapshot_provider(s, STR("q")), STR("fact")), SNAP_NONE);
    assert_null(snapshot_exact_key(s, p, STR("facts")));
    struct id_tables t = snapshot_ids(s);
    struct str value;
    assert_true(t.find(t.ctx, ID_PROVIDER, STR("pa"), &value));
    assert_true(str_is(value, "p"));
    assert_false(t.find(t.ctx, ID_PROVIDER, STR("zz"), &value));
    cando_catalog_release(c);
}

static void test_layout(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(rules);
    const struct snapshot *s = &c->snap;
    assert_memory_equal(s->data, snap_magic, sizeof snap_magic);
    assert_int_equal(s->size % 8, 0);
    for (unsigned id = 1; id < SEC_END; id++) {
        assert_int_equal(s->sec[id].stride, snapshot_record_size((enum snap_section)id));
        assert_int_equal((size_t)(s->sec[id].p - s->data) % 8, 0);
    }
    assert_int_equal(s->n_fields, FIELD_COUNT);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        assert_int_equal(s->field[f], f);
        assert_int_equal(s->file_field[f], f);
    }
    for (size_t i = 1; i < s->sec[SEC_RULES].n; i++) /* by layer, file and line */
        assert_true(snap_rule(s, i - 1).line < snap_rule(s, i).line);
    cando_catalog_release(c);
}

/* -- one broken promise each ----------------------------------------------------------------- */

struct spoiler {
    const cando_catalog *c;
    unsigned char *copy;
};

static struct spoiler spoil_begin(void)
{
    struct spoiler s = {.c = case_catalog(rules)};
    s.copy = malloc(s.c->snap.size);
    memcpy(s.copy, s.c->snap.data, s.c->snap.size);
    return s;
}

/* Member at `offset` of record i. */
static unsigned char *member(struct spoiler *s, enum snap_section sec, size_t i, size_t offset)
{
    const struct snap_view *v = &s->c->snap.sec[sec];
    assert_true(i < v->n);
    return s->copy + (v->p - s->c->snap.data) + i * v->stride + offset;
}

static bool spoilt_is_refused(struct spoiler *s)
{
    cando_error err = {0};
    put64(s->copy + offsetof(struct snap_header, checksum), snapshot_checksum(s->copy, s->c->snap.size));
    const cando_catalog *c = cando_catalog_open_copy(s->copy, s->c->snap.size, NULL, &err);
    cando_catalog_release(c);
    if (!c)
        assert_string_equal(err.code, "snapshot-bad");
    memcpy(s->copy, s->c->snap.data, s->c->snap.size);
    return c == NULL;
}

static void test_check(void **state)
{
    (void)state;
    struct spoiler s = spoil_begin();
    const struct snapshot *snap = &s.c->snap;
#define AT(type, sec, i, name) member(&s, sec, i, offsetof(struct type, name))
#define REFUSED(where, value) (put32(where, value), assert_true(spoilt_is_refused(&s)))
    assert_false(spoilt_is_refused(&s));
    uint32_t n_rules = (uint32_t)snap->sec[SEC_RULES].n, n_strings = (uint32_t)snap->sec[SEC_STRINGS].n;
    size_t rule = n_rules - 1;
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, name), n_strings);
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, name), 3);
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, file), 1);
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, patterns), UINT32_MAX);
    struct snap_rule_packed last = snap_rule_packed(snap, rule);
    uint32_t kinds = last.kinds, counts = last.counts;
    uint32_t no_layer = (kinds & ~0xf0000u) | CANDO_LAYER_COUNT << 16;
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, kinds), no_layer);
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, kinds), kinds | 1u << 20); /* a stage that there is not */
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, kinds), kinds | 0xffu);    /* assignments */
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, kinds), kinds | 0xff00u);  /* APIs */
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, counts), counts | 0xffffu);
    REFUSED(AT(snap_rule_packed, SEC_RULES, rule, counts), counts | 0xffff0000u);
    REFUSED(AT(snap_assign, SEC_ASSIGNS, 0, field), CANDO_MAX_FIELDS);
    REFUSED(AT(snap_assign, SEC_ASSIGNS, 0, value), VAL(VAL_TEXT, 4));   /* not of the field's type */
    REFUSED(AT(snap_assign, SEC_ASSIGNS, 0, value), VAL(VAL_SUPPORT, 7)); /* no such level */
    REFUSED(AT(snap_assign, SEC_ASSIGNS, 0, value), 0);
    REFUSED(AT(snap_pattern, SEC_PATTERNS, 0, rule), n_rules);
    REFUSED(AT(snap_pattern, SEC_PATTERNS, 0, kind), PAT_CONTAINS + 1);
    REFUSED(AT(snap_scope, SEC_SCOPES, 0, defaults), (uint32_t)snap->sec[SEC_POSTINGS].n);
    REFUSED(AT(snap_scope, SEC_SCOPES, 1, trie), (uint32_t)snap->sec[SEC_NODES].n);
    REFUSED(AT(snap_scope, SEC_SCOPES, 1, automaton), (uint32_t)snap->sec[SEC_STATES].n);
    REFUSED(AT(snap_node, SEC_NODES, 0, n_children), 257);
    REFUSED(AT(snap_node, SEC_NODES, 0, child), 0); /* a walk in a circle */
    size_t node = 1, st = 1;                        /* and one that does not go through the root */
    while (!snap_node(snap, node).n_children)
        node++;
    REFUSED(AT(snap_node, SEC_NODES, node, child), (uint32_t)node);
    while (!snap_state(snap, st).n_children)
        st++;
    REFUSED(AT(snap_state, SEC_STATES, st, child), (uint32_t)st);
    REFUSED(AT(snap_node, SEC_NODES, 1, n_label), 0);
    REFUSED(AT(snap_state, SEC_STATES, 1, fail), 1);
    REFUSED(AT(snap_state, SEC_STATES, 1, output), 2);
    REFUSED(AT(snap_state, SEC_STATES, 0, child), 0);
    REFUSED(AT(snap_provider, SEC_PROVIDERS, 0, api), 1);
    REFUSED(AT(snap_provider, SEC_PROVIDERS, 0, n_walk), 17);
    REFUSED(AT(snap_provider, SEC_PROVIDERS, 0, walk), UINT32_MAX);
    REFUSED(AT(snap_family, SEC_FAMILIES, 0, parent), UINT32_MAX);
    REFUSED(AT(snap_file, SEC_FILES, 0, layer), CANDO_LAYER_COUNT);
    REFUSED(AT(snap_file, SEC_FILES, 0, syntax), CANDO_SYNTAX_HARN + 1);
    REFUSED(AT(snap_api, SEC_APIS, 0, scope), (uint32_t)snap->sec[SEC_SCOPES].n);
    REFUSED(member(&s, SEC_WALKS, 0, 0), (uint32_t)snap->sec[SEC_PROVIDERS].n);
    REFUSED(member(&s, SEC_POSTINGS, 0, 0), 1); /* the empty list */
    REFUSED(member(&s, SEC_LISTS, 0, 0), UINT32_MAX);
    REFUSED(member(&s, SEC_LISTS, 1, 0), n_strings); /* an item that is no string */
    REFUSED(AT(snap_field, SEC_FIELDS, 0, type), CANDO_MAP + 1);
    cando_catalog_release(s.c);
    free(s.copy);
}

/* What points into another table: one behind its end is refused, wherever it stands. */
static void test_bounds(void **state)
{
    (void)state;
#define POINTS(type, sec, name, into) {sec, into, offsetof(struct type, name), #type "." #name}
    static const struct {
        enum snap_section of, into;
        size_t offset;
        const char *name;
    } pointers[] = {
        POINTS(snap_file, SEC_FILES, name, SEC_STRINGS),
        POINTS(snap_family, SEC_FAMILIES, child, SEC_PROVIDERS),
        POINTS(snap_family, SEC_FAMILIES, parent, SEC_PROVIDERS),
        POINTS(snap_family, SEC_FAMILIES, file, SEC_FILES),
        POINTS(snap_api, SEC_APIS, name, SEC_STRINGS),
        POINTS(snap_api, SEC_APIS, scope, SEC_SCOPES),
        POINTS(snap_provider, SEC_PROVIDERS, id, SEC_STRINGS),
        POINTS(snap_provider, SEC_PROVIDERS, name, SEC_STRINGS),
        POINTS(snap_provider, SEC_PROVIDERS, kind, SEC_STRINGS),
        POINTS(snap_provider, SEC_PROVIDERS, api, SEC_APIS),
        POINTS(snap_provider, SEC_PROVIDERS, scope, SEC_SCOPES),
        POINTS(snap_provider, SEC_PROVIDERS, walk, SEC_WALKS),
        POINTS(snap_provider, SEC_PROVIDERS, apis, SEC_LISTS),
        POINTS(snap_base, SEC_BASES, host, SEC_STRINGS),
        POINTS(snap_base, SEC_BASES, path, SEC_STRINGS),
        POINTS(snap_base, SEC_BASES, provider, SEC_PROVIDERS),
        POINTS(snap_rule_packed, SEC_RULES, name, SEC_STRINGS),
        POINTS(snap_rule_packed, SEC_RULES, origin, SEC_STRINGS),
        POINTS(snap_rule_packed, SEC_RULES, evidence, SEC_STRINGS),
        POINTS(snap_rule_packed, SEC_RULES, id, SEC_STRINGS),
        POINTS(snap_rule_packed, SEC_RULES, file, SEC_FILES),
        POINTS(snap_rule_packed, SEC_RULES, bounds, SEC_NUMBERS),
        POINTS(snap_rule_packed, SEC_RULES, assigns, SEC_ASSIGNS),
        POINTS(snap_pattern, SEC_PATTERNS, rule, SEC_RULES),
        POINTS(snap_pattern, SEC_PATTERNS, text, SEC_STRINGS),
        POINTS(snap_pattern, SEC_PATTERNS, program, SEC_STRINGS),
        POINTS(snap_node, SEC_NODES, child, SEC_NODES),
        POINTS(snap_node, SEC_NODES, exact, SEC_POSTINGS),
        POINTS(snap_node, SEC_NODES, prefix, SEC_POSTINGS),
        POINTS(snap_state, SEC_STATES, child, SEC_STATES),
        POINTS(snap_state, SEC_STATES, postings, SEC_POSTINGS),
        POINTS(snap_scope, SEC_SCOPES, always[0], SEC_POSTINGS),
        POINTS(snap_scope, SEC_SCOPES, always[1], SEC_POSTINGS),
        POINTS(snap_scope, SEC_SCOPES, trie[1], SEC_NODES),
        POINTS(snap_scope, SEC_SCOPES, automaton[1], SEC_STATES),
        POINTS(snap_scope, SEC_SCOPES, defaults, SEC_POSTINGS),
        POINTS(snap_row, SEC_ROWS, key, SEC_STRINGS),
        POINTS(snap_row, SEC_ROWS, id, SEC_STRINGS),
        POINTS(snap_row, SEC_ROWS, provider, SEC_PROVIDERS),
        POINTS(snap_row, SEC_ROWS, record, SEC_RECORDS),
        POINTS(snap_run, SEC_RUNS, provider, SEC_PROVIDERS),
        POINTS(snap_policy, SEC_POLICY, file, SEC_FILES),
        POINTS(snap_policy, SEC_POLICY, text, SEC_STRINGS),
        POINTS(snap_policy, SEC_POLICY, provider, SEC_PROVIDERS),
        POINTS(snap_policy, SEC_POLICY, provider_glob, SEC_STRINGS),
        POINTS(snap_policy, SEC_POLICY, model_glob, SEC_STRINGS),
    };
    struct spoiler s = spoil_begin();
    const struct snapshot *snap = &s.c->snap;
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        uint32_t end = (uint32_t)snap->sec[pointers[i].into].n;
        put32(member(&s, pointers[i].of, 0, pointers[i].offset), end);
        if (!spoilt_is_refused(&s))
            fail_msg("%s may point behind its table", pointers[i].name);
    }
    size_t i = 0;
    while (snap_exact(snap, i).record == SNAP_NONE)
        i++;
    REFUSED(AT(snap_exact, SEC_EXACT, i, provider), (uint32_t)snap->sec[SEC_PROVIDERS].n);
    uint32_t record = snap_exact(snap, i).record;
    uint32_t n_rules = (uint32_t)snap->sec[SEC_RULES].n, origin = record + RECORD_HEAD;
    REFUSED(member(&s, SEC_RECORDS, record + RECORD_OWN, 0), n_rules);
    for (uint32_t w = 0; w < RECORD_BITS; w++) /* behind the values are the rules they are of */
        origin += (uint32_t)__builtin_popcount(
            snap_u32(snap, SEC_RECORDS, record + RECORD_FIELDS + w));
    assert_true(RECORD_ORIGINS(snap_u32(snap, SEC_RECORDS, record)) > 0);
    REFUSED(member(&s, SEC_RECORDS, origin, 0), n_rules);
    REFUSED(AT(snap_row, SEC_ROWS, 0, status), ROW_RETIRED + 1);
    REFUSED(AT(snap_run, SEC_RUNS, 0, end), (uint32_t)snap->sec[SEC_ROWS].n + 1);
    REFUSED(AT(snap_policy, SEC_POLICY, 0, kind), SNAP_POLICY_KINDS);
    REFUSED(AT(snap_file, SEC_FILES, 0, first_match), 2);
    REFUSED(AT(snap_provider, SEC_PROVIDERS, 0, own_names), 2);
    cando_catalog_release(s.c);
    free(s.copy);
}

static size_t index_of_record(const struct snapshot *s)
{
    size_t i = 0;
    while (snap_exact(s, i).record == SNAP_NONE)
        i++;
    return i;
}

static void test_check_tables(void **state)
{
    (void)state;
    struct spoiler s = spoil_begin();
    const struct snapshot *snap = &s.c->snap;
    size_t i = index_of_record(snap);
    REFUSED(AT(snap_exact, SEC_EXACT, i, key), SNAP_EMPTY - 1);
    REFUSED(member(&s, SEC_SUPPORT, 1, 0), (uint32_t)snap->sec[SEC_SUPPORT].n);
    REFUSED(AT(snap_exact, SEC_EXACT, i, provider), 1000);
    REFUSED(AT(snap_exact, SEC_EXACT, i, record), (uint32_t)snap->sec[SEC_RECORDS].n);
    /* a table without a free slot would be searched for ever */
    for (size_t k = 0; k < snap->sec[SEC_EXACT].n; k++)
        put32(AT(snap_exact, SEC_EXACT, k, record), snap_exact(snap, i).record),
            put32(AT(snap_exact, SEC_EXACT, k, key), snap_exact(snap, i).key);
    assert_true(spoilt_is_refused(&s));
    for (size_t k = 0; k < snap->sec[SEC_NAMES].n; k++)
        if (snap_name(snap, k).key == SNAP_NONE) {
            put32(AT(snap_name, SEC_NAMES, k, key), 4);
            put32(AT(snap_name, SEC_NAMES, k, value), 4);
            put32(AT(snap_name, SEC_NAMES, k, table), 0);
        }
    assert_true(spoilt_is_refused(&s));
    size_t record = snap_exact(snap, i).record;
    REFUSED(member(&s, SEC_RECORDS, record, 0), CANDO_BY_EXACT + 1);
    REFUSED(member(&s, SEC_RECORDS, record + RECORD_HEAD - 1, 0), 1u << 31); /* a field beyond the last */
    /* a program that is not one, also where the pattern is filed as plain text */
    for (size_t k = 0; k < snap->sec[SEC_PATTERNS].n; k++)
        if (snap_str(snap, snap_pattern(snap, k).program).n) {
            unsigned char *text = s.copy + (snap->sec[SEC_STRINGS].p - snap->data) + snap_pattern(snap, k).program;
            text[snap_str(snap, snap_pattern(snap, k).program).n - 1] = 0x04; /* a quote with nothing behind it */
            assert_true(spoilt_is_refused(&s));
        }
    assert_true(get32(s.copy + 12) == sizeof(struct snap_header));
    cando_catalog_release(s.c);
    free(s.copy);
}

static const char one_alias[] =
    "[[providers]]\nid = \"p\"\n[[models]]\nprovider = \"p\"\nid = \"m\"\n"
    "set = { tool_calling = \"native\" }\nsource = \"x\"\n[aliases]\n\"p/a\" = \"p/m\"\n";

/* What two ids say alike is there once. */
static void test_shared(void **state)
{
    (void)state;
    char text[400];
    snprintf(text, sizeof text, "%s\"p/b\" = \"p/m\"\n", one_alias);
    const cando_catalog *one = case_catalog(one_alias), *two = case_catalog(text);
    assert_int_equal(two->snap.sec[SEC_RECORDS].n, one->snap.sec[SEC_RECORDS].n);
    assert_int_equal(case_resolve(two, "p", "b", CANDO_AS_WRITTEN).identity,
                     case_resolve(two, "p", "a", CANDO_AS_WRITTEN).identity);
    cando_catalog_release(one);
    cando_catalog_release(two);
}

static void test_header(void **state)
{
    (void)state;
    struct spoiler s = spoil_begin();
    uint32_t size = (uint32_t)s.c->snap.size;
    REFUSED(s.copy, 0);
    REFUSED(s.copy + offsetof(struct snap_header, file_size), size - 8);
    REFUSED(s.copy + offsetof(struct snap_header, header_size), 8);
    REFUSED(s.copy + offsetof(struct snap_header, header_size), size);
    REFUSED(s.copy + offsetof(struct snap_header, n_sections), 257);
    REFUSED(s.copy + offsetof(struct snap_header, n_sections), 2); /* sections are missing */
    unsigned char *entry = s.copy + sizeof(struct snap_header);
    REFUSED(entry, SEC_FIELDS); /* stands twice, and the texts are missing */
    REFUSED(entry + 4, 0);
    REFUSED(entry + 4, 3);
    REFUSED(entry + 8, 4); /* offset */
    REFUSED(entry + 8, size + 8);
    REFUSED(entry + 16, UINT32_MAX);
    /* a plain number has nothing behind it that a newer writer could have added */
    size_t n_plain = 0;
    for (uint32_t i = 0; i < get32(s.copy + offsetof(struct snap_header, n_sections)); i++) {
        unsigned char *e = entry + i * sizeof(struct snap_section_entry);
        if (get32(e + 4) != 4 || get64(e + 16) == 0 || get64(e + 16) % 8)
            continue;
        put32(e + 4, 8);
        put64(s.copy + offsetof(struct snap_header, checksum),
              snapshot_checksum(s.copy, s.c->snap.size));
        cando_error err = {0};
        assert_null(cando_catalog_open_copy(s.copy, s.c->snap.size, NULL, &err));
        assert_non_null(strstr(err.message, "wrong record size"));
        put32(e + 4, 4);
        n_plain++;
    }
    assert_true(n_plain > 0);
    cando_catalog_release(s.c);
    free(s.copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups),      cmocka_unit_test(test_layout), cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_tables), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_shared), cmocka_unit_test(test_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
