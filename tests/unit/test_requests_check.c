/*
 * test_requests_check.c - one broken promise each in the request rules of the built-in snapshot:
 * every number that is used to find something is refused at the first value that leads nowhere.
 */
#include "test.h"

#include "base/limits.h"
#include "catalog/engine.h"
#include "catalog/requests.h"

static const cando_catalog *cat;
static struct snapshot snap; /* of a copy that may be written to */
static unsigned char *copy;

static int open_copy(void **state)
{
    (void)state;
    cat = cando_catalog_builtin();
    snap = cat->snap;
    copy = malloc(snap.size);
    assert_non_null(copy);
    memcpy(copy, snap.data, snap.size);
    for (size_t i = 0; i < LENGTH(snap.sec); i++)
        if (snap.sec[i].n)
            snap.sec[i].p = copy + (snap.sec[i].p - snap.data);
    snap.data = copy;
    assert_true(requests_check(&snap));
    return 0;
}

static int close_copy(void **state)
{
    (void)state;
    assert_true(requests_check(&snap)); /* all was put back */
    free(copy);
    cando_catalog_release(cat);
    return 0;
}

static unsigned char *record(enum snap_section sec, size_t i)
{
    const struct snap_view *v = &snap.sec[sec];
    assert_true(i < v->n);
    return copy + (v->p - copy) + i * v->stride;
}

static void refused(unsigned char *at, uint32_t bad, const char *what)
{
    uint32_t was;
    memcpy(&was, at, sizeof was);
    bad = snap_le32(bad);
    memcpy(at, &bad, sizeof bad);
    bool taken = requests_check(&snap);
    memcpy(at, &was, sizeof was);
    if (taken)
        fail_msg("%s may be %u", what, (unsigned)snap_le32(bad));
}

/* The first, the last and one between, from `from` on. */
static void refused_in(enum snap_section sec, size_t from, size_t offset, uint64_t bad,
                       const char *what)
{
    size_t n = snap.sec[sec].n;
    assert_true(n > from + 2 && bad < SNAP_NONE);
    refused(record(sec, from) + offset, (uint32_t)bad, what);
    refused(record(sec, from + (n - from) / 2) + offset, (uint32_t)bad, what);
    refused(record(sec, n - 1) + offset, (uint32_t)bad, what);
}

#define N(section) (snap.sec[section].n)
#define BAD(type, sec, from, member, bad)                                                          \
    refused_in(sec, from, offsetof(struct type, member), bad, #type "." #member)

static void test_shapes(void **state)
{
    (void)state;
    uint64_t strings = N(SEC_STRINGS), words = N(SEC_REQ_WORDS);
    BAD(snap_req_said, SEC_REQ_SAID, 0, severity, CANDO_ERROR + 1);
    BAD(snap_req_said, SEC_REQ_SAID, 0, source, strings);
    BAD(snap_req_said, SEC_REQ_SAID, 0, confidence, strings);
    BAD(snap_req_type, SEC_REQ_TYPES, 0, words, words);
    BAD(snap_req_type, SEC_REQ_TYPES, 0, prefixes, words);
    BAD(snap_req_type, SEC_REQ_TYPES, 0, chars, words);
    BAD(snap_req_type, SEC_REQ_TYPES, 0, key, N(SEC_REQ_TYPES));
    BAD(snap_req_object, SEC_REQ_OBJECTS, 0, name, strings);
    BAD(snap_req_object, SEC_REQ_OBJECTS, 0, said, N(SEC_REQ_SAID));
    BAD(snap_req_object, SEC_REQ_OBJECTS, 0, names, words);
    BAD(snap_req_object, SEC_REQ_OBJECTS, 0, groups, words);
    BAD(snap_req_member, SEC_REQ_MEMBERS, 0, object, N(SEC_REQ_OBJECTS));
    BAD(snap_req_member, SEC_REQ_MEMBERS, 0, name, strings);
    BAD(snap_req_member, SEC_REQ_MEMBERS, 0, type, N(SEC_REQ_TYPES));
    BAD(snap_req_member, SEC_REQ_MEMBERS, 0, said, N(SEC_REQ_SAID));
    BAD(snap_req_text, SEC_REQ_TEXTS, 0, file, N(SEC_FILES));
    BAD(snap_req_text, SEC_REQ_TEXTS, 1, text, 4); /* all of them have one text */
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, by, strings);
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, table, N(SEC_REQ_TABLES));
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, places, 0);
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, places, REQ_MAX_PLACES + 1);
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, other, N(SEC_REQ_NODES));
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, missing, N(SEC_REQ_NODES));
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, free, N(SEC_REQ_NODES));
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, object, N(SEC_REQ_OBJECTS));
    BAD(snap_req_choice, SEC_REQ_CHOICES, 0, words, words);
}

static void test_graph(void **state)
{
    (void)state;
    BAD(snap_req_text, SEC_REQ_TEXTS, 0, file, N(SEC_FILES));
    BAD(snap_req_text, SEC_REQ_TEXTS, 0, text, N(SEC_STRINGS));
    BAD(snap_req_text, SEC_REQ_TEXTS, 0, size, 1);
    BAD(snap_req_way, SEC_REQ_WAYS, WAY_FIRST, node, N(SEC_REQ_NODES));
    BAD(snap_req_way, SEC_REQ_WAYS, WAY_FIRST, info, 0x7fffu << 17);
    BAD(snap_req_way, SEC_REQ_WAYS, 0, n, 1u << 20);
    BAD(snap_req_way, SEC_REQ_WAYS, 0, node, 0);
    refused_in(SEC_REQ_WAY_MEMBERS, WAY_FIRST, 0, N(SEC_REQ_MEMBERS), "a way's member");
    refused(record(SEC_REQ_WAY_MEMBERS, WAY_FREE), 0, "the member of the free way");
    refused(record(SEC_REQ_WAYS, WAY_FREE) + offsetof(struct snap_req_way, info), 0, "free");
    refused(record(SEC_REQ_WAYS, WAY_CLOSED) + offsetof(struct snap_req_way, info), 1, "closed");
    BAD(snap_req_node, SEC_REQ_NODES, 0, places, REQ_MAX_PLACES + 1);
    BAD(snap_req_node, SEC_REQ_NODES, 0, star, N(SEC_REQ_WAYS));
    BAD(snap_req_node, SEC_REQ_NODES, 0, item, N(SEC_REQ_WAYS));
    BAD(snap_req_node, SEC_REQ_NODES, 0, object, N(SEC_REQ_OBJECTS));
    BAD(snap_req_node, SEC_REQ_NODES, 0, choice, N(SEC_REQ_CHOICES));
    BAD(snap_req_node, SEC_REQ_NODES, 0, counted[1], 1u << 31);
    BAD(snap_req_node, SEC_REQ_NODES, 0, required[1], 1u << 31);
    BAD(snap_req_watch, SEC_REQ_WATCHES, 1, slots, N(SEC_REQ_SLOTS) + 1);
    BAD(snap_req_watch, SEC_REQ_WATCHES, 1, n_slots, N(SEC_REQ_SLOTS) + 1);
    BAD(snap_req_watch, SEC_REQ_WATCHES, 1, subject, REQ_MAX_BITS / 64);
    BAD(snap_req_watch, SEC_REQ_WATCHES, 1, subjects, N(SEC_REQ_WORDS));
    refused(record(SEC_REQ_WATCHES, 0) + offsetof(struct snap_req_watch, n_slots), 1, "no watch");
    refused(record(SEC_REQ_WATCHES, 0) + offsetof(struct snap_req_watch, subject), 0, "no watch");
    refused(record(SEC_REQ_WATCHES, 0) + offsetof(struct snap_req_watch, subjects), 0, "no watch");
}

static void test_apis(void **state)
{
    (void)state;
    BAD(snap_req_api, SEC_REQ_APIS, 0, name, N(SEC_STRINGS));
    BAD(snap_req_api, SEC_REQ_APIS, 0, ways, N(SEC_REQ_WAYS) + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, n_ways, N(SEC_REQ_WAYS));
    BAD(snap_req_api, SEC_REQ_APIS, 0, nodes, N(SEC_REQ_NODES) + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, n_nodes, N(SEC_REQ_NODES) + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, watches, N(SEC_REQ_WATCHES) + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, n_watches, N(SEC_REQ_WATCHES) + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, root, N(SEC_REQ_WAYS));
    BAD(snap_req_api, SEC_REQ_APIS, 0, roots, N(SEC_REQ_WORDS));
    BAD(snap_req_api, SEC_REQ_APIS, 0, outside, N(SEC_REQ_WAYS));
    BAD(snap_req_api, SEC_REQ_APIS, 0, rules, N(SEC_REQ_RULES) + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, n_rules, N(SEC_REQ_RULES) + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, n_adjusts, N(SEC_REQ_RULES));
    BAD(snap_req_api, SEC_REQ_APIS, 0, bits, N(SEC_REQ_WORDS));
    BAD(snap_req_api, SEC_REQ_APIS, 0, n_bits, 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, n_bits, REQ_MAX_BITS + 64);
    BAD(snap_req_api, SEC_REQ_APIS, 0, root_words, REQ_MAX_BITS / 64 + 1);
    BAD(snap_req_api, SEC_REQ_APIS, 0, base, LIMIT_REQUEST_WORDS);
    BAD(snap_req_api, SEC_REQ_APIS, 0, vendor, N(SEC_PROVIDERS));
}

static void test_rules(void **state)
{
    (void)state;
    uint64_t strings = N(SEC_STRINGS), words = N(SEC_REQ_WORDS);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, name, strings);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, file, N(SEC_FILES));
    BAD(snap_req_rule, SEC_REQ_RULES, 0, code, strings);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, severity, CANDO_ERROR + 1);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, confidence, strings);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, field, snap.n_fields);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, message, strings);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, advice, strings);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, source, strings);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, effect, REQ_EFFECT_COUNT);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, subject, REQ_MAX_BITS / 64 + 1);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, all, words);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, none, words);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, any, words);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, beside, N(SEC_REQ_BESIDES));
    BAD(snap_req_rule, SEC_REQ_RULES, 0, bounds, N(SEC_NUMBERS));
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, prev, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, prev_none, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, next, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, next_none, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, outer_all, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, outer_none, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, outer, REQ_MAX_BITS / 64);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, root_all, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, root_none, words);
    BAD(snap_req_beside, SEC_REQ_BESIDES, 0, root_any, words);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, pivots, words);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, point, REQ_MAX_BITS);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, fix, FIX_COUNT);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, fix_text, SNAP_NONE - 1);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, fix_from, snap.n_fields);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, check, CHECK_COUNT);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, event, EVENT_COUNT);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, providers, words);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, patterns, N(SEC_REQ_PATTERNS) + 1);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, n_patterns, N(SEC_REQ_PATTERNS) + 1);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, n_excepts, N(SEC_REQ_PATTERNS) + 1);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, facts, words);
    BAD(snap_req_rule, SEC_REQ_RULES, 0, adjusts, words);
    BAD(snap_req_pattern, SEC_REQ_PATTERNS, 0, kind, PAT_CONTAINS + 1);
    BAD(snap_req_pattern, SEC_REQ_PATTERNS, 0, text, strings);
    BAD(snap_req_pattern, SEC_REQ_PATTERNS, 0, program, strings);
}

/* A rule that wants something of what is around its item says where that stands. */
static void test_flags_of_what_is_around(void **state)
{
    static const uint32_t wanting[] = {REQF_BEHIND, REQF_AHEAD, REQF_AROUND, REQF_WHOLE,
                                       REQF_LATER};
    uint32_t alone = 0, inside = 0;
    (void)state;
    while (snap_req_rule(&snap, alone).beside != SNAP_NONE)
        alone++;
    for (size_t i = 0; i < LENGTH(wanting); i++)
        refused(record(SEC_REQ_RULES, alone) + offsetof(struct snap_req_rule, flags),
                snap_req_rule(&snap, alone).flags | wanting[i], "flags without what they want");
    while (!(snap_req_rule(&snap, inside).flags & REQF_AROUND))
        inside++;
    uint32_t around = snap_req_rule(&snap, inside).beside;
    refused(record(SEC_REQ_BESIDES, around) + offsetof(struct snap_req_beside, outer), SNAP_NONE,
            "an item around it that is none");
}

/* What a number is moved into: a range of the file, or a number of the profile. */
static void test_ranges_of_fixes(void **state)
{
    uint32_t clamp = 0, other = 0;
    (void)state;
    while (snap_req_rule(&snap, clamp).fix != FIX_CLAMP ||
           !(snap_req_rule(&snap, clamp).fix_from & FIX_RANGE))
        clamp++;
    while (snap_req_rule(&snap, other).fix != FIX_DROP)
        other++;
    unsigned char *from = record(SEC_REQ_RULES, clamp) + offsetof(struct snap_req_rule, fix_from);
    uint32_t range = snap_req_rule(&snap, clamp).fix_from, list = range & FIX_PLACE;
    refused(from, SNAP_NONE, "a number that is moved nowhere");
    refused(from, FIX_TYPE, "the range of a shape");
    refused(from, FIX_RANGE | (uint32_t)N(SEC_REQ_WORDS), "a range beyond the lists");
    refused(record(SEC_REQ_WORDS, list), 3, "half a range");
    refused(record(SEC_REQ_RULES, other) + offsetof(struct snap_req_rule, fix_from), range,
            "a range where nothing is moved");
}

static void test_slots(void **state)
{
    (void)state;
    bool seen[TEST_COUNT] = {false};
    BAD(snap_req_slot, SEC_REQ_SLOTS, 0, test, TEST_COUNT);
    BAD(snap_req_slot, SEC_REQ_SLOTS, 0, bit, REQ_MAX_BITS);
    BAD(snap_req_slot, SEC_REQ_SLOTS, 0, at_least, 0);
    BAD(snap_req_slot, SEC_REQ_SLOTS, 0, rules, N(SEC_REQ_WORDS));
    for (uint32_t i = 0; i < N(SEC_REQ_SLOTS); i++) {
        struct snap_req_slot t = snap_req_slot(&snap, i);
        unsigned char *at = record(SEC_REQ_SLOTS, i);
        uint32_t bad = t.test == TEST_KIND      ? 128u
                       : t.test == TEST_MEASURE ? (uint32_t)MEASURE_COUNT
                       : t.test == TEST_ABOVE_FACT || t.test == TEST_NOT_IN_FACT
                           ? (uint32_t)snap.n_fields
                           : (uint32_t)N(SEC_REQ_WORDS);
        if (seen[t.test])
            continue;
        seen[t.test] = true;
        refused(at + offsetof(struct snap_req_slot, arg), bad, "snap_req_slot.arg");
        refused(at + offsetof(struct snap_req_slot, bit), t.test == TEST_MEASURE ? 0 : SNAP_NONE,
                "snap_req_slot.bit");
        if (t.test == TEST_WORD) {
            refused(at + offsetof(struct snap_req_slot, lo), t.lo[0] + 1, "a word's head");
            refused(at + offsetof(struct snap_req_slot, hi), t.hi[0] + 1, "a word's length");
            refused(at + offsetof(struct snap_req_slot, hi) + 4, t.hi[1] + 1, "a word's tail");
        }
        if (t.test == TEST_NOT_CHARS || t.test == TEST_KEY_CHARS)
            refused(record(SEC_REQ_WORDS, t.arg), 7, "a list of characters");
    }
    assert_true(seen[TEST_KIND] && seen[TEST_MEASURE] && seen[TEST_WORD] && seen[TEST_NOT_CHARS]);
    assert_true(seen[TEST_ABOVE_FACT] && seen[TEST_NOT_IN_FACT]);
}

/* Of the first rule that has such a list, item k becomes a bad one. */
#define BAD_ITEM(type, sec, get, member, k, bad)                                                   \
    do {                                                                                           \
        size_t i_ = 0;                                                                             \
        while (get(&snap, i_).member == SNAP_NONE)                                                 \
            assert_true(++i_ < N(sec));                                                            \
        uint32_t list_ = get(&snap, i_).member;                                                    \
        refused(record(SEC_REQ_WORDS, list_ + 1 + (k)), (uint32_t)(bad), #type "." #member);       \
    } while (0)

static void test_lists(void **state)
{
    (void)state;
    uint64_t strings = N(SEC_STRINGS);
#define BAD_RULE(member, k, bad)                                                                   \
    BAD_ITEM(snap_req_rule, SEC_REQ_RULES, snap_req_rule, member, k, bad)
    BAD_RULE(facts, 0, snap.n_fields);
    BAD_RULE(facts, 1, FACT_COUNT);
    BAD_RULE(facts, 2, strings);
    BAD_RULE(facts, -1, 2); /* how many there are */
    BAD_RULE(all, 0, REQ_MAX_BITS);
    BAD_RULE(none, 0, REQ_MAX_BITS);
    BAD_RULE(any, 0, REQ_MAX_BITS);
    BAD_ITEM(snap_req_beside, SEC_REQ_BESIDES, snap_req_beside, prev, 0, REQ_MAX_BITS);
    BAD_ITEM(snap_req_beside, SEC_REQ_BESIDES, snap_req_beside, root_all, 0, REQ_MAX_BITS);
    BAD_ITEM(snap_req_beside, SEC_REQ_BESIDES, snap_req_beside, root_none, 0, REQ_MAX_BITS);
    BAD_RULE(pivots, 0, REQ_MAX_BITS);
    BAD_RULE(providers, 0, N(SEC_PROVIDERS));
    BAD_RULE(adjusts, 1, strings);
    BAD_RULE(adjusts, -1, 0);
    BAD_ITEM(snap_req_slot, SEC_REQ_SLOTS, snap_req_slot, rules, 0, N(SEC_REQ_RULES));
    BAD_ITEM(snap_req_object, SEC_REQ_OBJECTS, snap_req_object, names, 0, strings);
    BAD_ITEM(snap_req_object, SEC_REQ_OBJECTS, snap_req_object, groups, 0, GROUP_COUNT);
    BAD_ITEM(snap_req_object, SEC_REQ_OBJECTS, snap_req_object, groups, 1, WAY_GROUP_BIT + 1);
    BAD_ITEM(snap_req_object, SEC_REQ_OBJECTS, snap_req_object, groups, 2, WAY_GROUP_BIT);
    BAD_ITEM(snap_req_object, SEC_REQ_OBJECTS, snap_req_object, groups, -1, 1);
    BAD_ITEM(snap_req_type, SEC_REQ_TYPES, snap_req_type, words, 0, strings);
    BAD_ITEM(snap_req_type, SEC_REQ_TYPES, snap_req_type, prefixes, 0, strings);
    BAD_ITEM(snap_req_type, SEC_REQ_TYPES, snap_req_type, chars, -1, 7);
    BAD_ITEM(snap_req_choice, SEC_REQ_CHOICES, snap_req_choice, words, 0, strings);
    BAD_ITEM(snap_req_api, SEC_REQ_APIS, snap_req_api, bits, 0, N(SEC_REQ_SLOTS));
    for (size_t i = 0; i < N(SEC_REQ_RULES); i++) {
        struct snap_req_rule r = snap_req_rule(&snap, i);
        if (r.fix != FIX_ADD && r.fix != FIX_MAP)
            continue;
        refused(record(SEC_REQ_WORDS, r.fix_text), 0, "no pair of a fix");
        refused(record(SEC_REQ_WORDS, r.fix_text), 1, "half a pair of a fix");
        refused(record(SEC_REQ_WORDS, r.fix_text + 1), (uint32_t)strings, "a text of a fix");
        return;
    }
    fail();
}

/* Sections of other sizes than there may be. */
static void test_sizes(void **state)
{
    (void)state;
    static const enum snap_section some[] = {SEC_REQ_WAYS,  SEC_REQ_WATCHES, SEC_REQ_WAY_MEMBERS,
                                             SEC_REQ_RULES, SEC_REQ_WORDS,   SEC_REQ_SLOTS,
                                             SEC_REQ_NODES, SEC_REQ_OBJECTS, SEC_REQ_TYPES};
    for (size_t i = 0; i < LENGTH(some); i++) {
        size_t was = snap.sec[some[i]].n;
        snap.sec[some[i]].n = was - 1;
        bool taken = requests_check(&snap);
        snap.sec[some[i]].n = 0;
        taken |= requests_check(&snap);
        snap.sec[some[i]].n = was;
        assert_false(taken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_apis),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_flags_of_what_is_around),
        cmocka_unit_test(test_ranges_of_fixes),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, open_copy, close_copy);
}
