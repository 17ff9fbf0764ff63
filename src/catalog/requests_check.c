/*
 * requests_check.c - believes nothing in the request rules of a snapshot.
 *
 * The graph of ways may have cycles (schemas hold schemas, and so do shapes): a walk
 * follows the request, whose depth is bounded, so that it ends all the same. Everything
 * else that a scan indexes with is checked here: ways, nodes, slots, bits, members, lists.
 */
#include "requests.h"

#include "base/limits.h"
#include "base/pack.h"
#include "text/glob.h"

static size_t count(const struct snapshot *s, enum snap_section sec)
{
    return s->sec[sec].n;
}

static bool range_ok(uint64_t at, uint64_t n, size_t size)
{
    return at <= size && n <= size - at;
}

static bool list_ok(const struct snapshot *s, uint32_t at)
{
    size_t n = count(s, SEC_REQ_WORDS);
    return at < n && range_ok((uint64_t)at + 1, snap_u32(s, SEC_REQ_WORDS, at), n);
}

/* A list whose items are all below `limit`. */
static bool numbers_ok(const struct snapshot *s, uint32_t at, uint64_t limit)
{
    if (!list_ok(s, at))
        return false;
    for (uint32_t i = 0; i < snap_req_count(s, at); i++)
        if (snap_req_item(s, at, i) >= limit)
            return false;
    return true;
}

static bool strings_from_ok(const struct snapshot *s, uint32_t at, uint32_t first)
{
    for (uint32_t i = first; i < snap_req_count(s, at); i++)
        if (!snap_str_ok(s, snap_req_item(s, at, i)))
            return false;
    return true;
}

static bool strings_ok(const struct snapshot *s, uint32_t at, uint32_t multiple)
{
    return list_ok(s, at) && snap_req_count(s, at) % multiple == 0 && strings_from_ok(s, at, 0);
}

static bool maybe_ok(uint32_t v, size_t limit)
{
    return v == SNAP_NONE || v < limit;
}

static bool own_ok(uint32_t v, uint32_t first, uint32_t n)
{
    return v >= first && v - first < n;
}

/* The ways that every API has, or its own. */
static bool way_number_ok(const struct snap_req_api *d, uint32_t way)
{
    return way < WAY_FIRST || own_ok(way, d->ways, d->n_ways);
}

static bool node_number_ok(const struct snap_req_api *d, uint32_t node)
{
    return own_ok(node, d->nodes, d->n_nodes);
}

static bool way_ok(const struct snapshot *s, uint32_t i, const struct snap_req_api *d)
{
    struct snap_req_way w = snap_req_way(s, i);
    uint32_t watch = WAY_WATCH(w.info);
    if ((w.node != SNAP_NONE && !node_number_ok(d, w.node)) ||
        (watch && !own_ok(watch, d->watches, d->n_watches)) ||
        !maybe_ok(snap_req_way_member(s, i), count(s, SEC_REQ_MEMBERS)))
        return false;
    if (w.n == SNAP_NONE)
        return true;
    if (!snap_str_ok(s, w.key) || snap_str(s, w.key).n != w.n)
        return false;
    struct req_key want = req_key((const unsigned char *)snap_str(s, w.key).p, w.n);
    return snap_u64(w.head) == want.head && snap_u64(w.tail) == want.tail;
}

uint32_t snap_req_table(const struct snapshot *s, uint32_t table, uint32_t places)
{
    const struct snap_view *v = &s->sec[SEC_REQ_TABLES];
    if (places == 0 || !range_ok(table, places, v->n))
        return 0;
    for (size_t i = (size_t)table + places - 1; i < v->n; i++)
        if (snap_req_place(v->p, i) == WAY_FREE)
            return (uint32_t)(i + 1 - table);
    return 0;
}

static struct snap_req_way table_way(const struct snapshot *s, size_t i)
{
    return snap_req_way(s, snap_req_place(s->sec[SEC_REQ_TABLES].p, i));
}

/* The size of a table, 0 if it is none: its ways are those of its API and have keys. */
static uint32_t table_size(const struct snapshot *s, uint32_t table, uint32_t places,
                           const struct snap_req_api *d)
{
    uint32_t size = places <= REQ_MAX_PLACES ? snap_req_table(s, table, places) : 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t way = snap_req_place(s->sec[SEC_REQ_TABLES].p, (size_t)table + i);
        if (way != WAY_FREE &&
            (!own_ok(way, d->ways, d->n_ways) || snap_req_way(s, way).n == SNAP_NONE))
            return 0;
    }
    return size;
}

static bool is_undecided(const struct snapshot *s, uint32_t node)
{
    return snap_req_node(s, node).choice != SNAP_NONE;
}

static bool choice_ok(const struct snapshot *s, uint32_t at, const struct snap_req_api *d)
{
    if (at >= count(s, SEC_REQ_CHOICES))
        return false;
    struct snap_req_choice c = snap_req_choice(s, at);
    uint32_t size = table_size(s, c.table, c.places, d);
    if (!snap_str_ok(s, c.by) || size == 0 || c.object >= count(s, SEC_REQ_OBJECTS) ||
        (c.other != CHOICE_REFUSED && !node_number_ok(d, c.other)) ||
        (c.missing != CHOICE_REFUSED && !node_number_ok(d, c.missing)) ||
        !node_number_ok(d, c.free) || !strings_ok(s, c.words, 1))
        return false;
    for (uint32_t i = 0; i < size; i++) {
        struct snap_req_way w = table_way(s, (size_t)c.table + i);
        if (w.n != SNAP_NONE && (w.node == SNAP_NONE || is_undecided(s, w.node)))
            return false;
    }
    return !is_undecided(s, c.free) && (c.other == CHOICE_REFUSED || !is_undecided(s, c.other)) &&
           (c.missing == CHOICE_REFUSED || !is_undecided(s, c.missing));
}

/* Ways that decide, or ask for a decision, go from nodes that are not decided alone. */
static bool decides_ok(const struct snapshot *s, const struct snap_req_node *n, uint32_t size)
{
    const uint32_t both = WAY_CHOOSES | WAY_ASKS;
    bool undecided = n->choice != SNAP_NONE;
    for (uint32_t i = 0; i < size; i++)
        if ((table_way(s, (size_t)n->table + i).info & both) && !undecided)
            return false;
    uint32_t star = snap_req_way(s, n->star).info;
    if ((star & WAY_CHOOSES) || (snap_req_way(s, n->item).info & both))
        return false;
    return ((star & WAY_ASKS) != 0) == undecided;
}

static bool node_ok(const struct snapshot *s, uint32_t i, const struct snap_req_api *d)
{
    struct snap_req_node n = snap_req_node(s, i);
    uint64_t counted = snap_u64(n.counted), required = snap_u64(n.required);
    uint32_t size = n.places ? table_size(s, n.table, n.places, d) : 0;
    if ((n.places && size == 0) || !way_number_ok(d, n.star) || !way_number_ok(d, n.item) ||
        !maybe_ok(n.object, count(s, SEC_REQ_OBJECTS)) || (required & ~counted) ||
        (counted >> WAY_NO_BIT & 1) || !decides_ok(s, &n, size))
        return false;
    if (n.object == SNAP_NONE)
        return !counted && n.choice == SNAP_NONE && n.star != WAY_CLOSED;
    if (n.choice != SNAP_NONE)
        return counted == 1 && required == 1 && choice_ok(s, n.choice, d);
    /* each bit has a name */
    uint64_t bits = counted & ~(UINT64_C(1) << WAY_GROUP_BIT);
    struct snap_req_object o = snap_req_object(s, n.object);
    if ((bits && snap_req_count(s, o.names) < 64u - (uint32_t)__builtin_clzll(bits)) ||
        ((counted >> WAY_GROUP_BIT & 1) && o.groups == SNAP_NONE))
        return false;
    return true;
}

static bool watch_ok(const struct snapshot *s, uint32_t i, uint32_t words)
{
    struct snap_req_watch w = snap_req_watch(s, i);
    return range_ok(w.slots, w.n_slots, count(s, SEC_REQ_SLOTS)) && maybe_ok(w.subject, words) &&
           (w.subjects == SNAP_NONE ||
            (w.subject != SNAP_NONE && numbers_ok(s, w.subjects, words)));
}

static bool said_ok(const struct snapshot *s, uint32_t i)
{
    struct snap_req_said x = snap_req_said(s, i);
    return x.severity <= CANDO_ERROR && snap_str_ok(s, x.source) && snap_str_ok(s, x.confidence);
}

static bool type_ok(const struct snapshot *s, uint32_t i)
{
    struct snap_req_type t = snap_req_type(s, i);
    return (t.words == SNAP_NONE || strings_ok(s, t.words, 1)) &&
           (t.prefixes == SNAP_NONE || strings_ok(s, t.prefixes, 1)) &&
           (t.chars == SNAP_NONE || (list_ok(s, t.chars) && snap_req_count(s, t.chars) == 8)) &&
           maybe_ok(t.key, count(s, SEC_REQ_TYPES));
}

static bool groups_ok(const struct snapshot *s, uint32_t at, uint32_t names)
{
    if (at == SNAP_NONE)
        return true;
    if (!list_ok(s, at))
        return false;
    uint32_t n = snap_req_count(s, at);
    for (uint32_t i = 0; i < n;) {
        if (n - i < 2 || snap_req_item(s, at, i) >= GROUP_COUNT)
            return false;
        uint32_t size = snap_req_item(s, at, i + 1);
        if (size > n - i - 2 || size > WAY_GROUP_BIT)
            return false;
        for (uint32_t k = 0; k < size; k++)
            if (snap_req_item(s, at, i + 2 + k) >= names ||
                snap_req_item(s, at, i + 2 + k) >= WAY_GROUP_BIT)
                return false;
        i += 2 + size;
    }
    return n < SHAPE_LISTS;
}

static bool shapes_ok(const struct snapshot *s)
{
    for (uint32_t i = 0; i < count(s, SEC_REQ_SAID); i++)
        if (!said_ok(s, i))
            return false;
    for (uint32_t i = 0; i < count(s, SEC_REQ_TYPES); i++)
        if (!type_ok(s, i))
            return false;
    for (uint32_t i = 0; i < count(s, SEC_REQ_OBJECTS); i++) {
        struct snap_req_object o = snap_req_object(s, i);
        if (!snap_str_ok(s, o.name) || o.said >= count(s, SEC_REQ_SAID) ||
            !strings_ok(s, o.names, 1) || !groups_ok(s, o.groups, snap_req_count(s, o.names)))
            return false;
    }
    for (uint32_t i = 0; i < count(s, SEC_REQ_MEMBERS); i++) {
        struct snap_req_member m = snap_req_member(s, i);
        if (!maybe_ok(m.object, count(s, SEC_REQ_OBJECTS)) || !snap_str_ok(s, m.name) ||
            m.type >= count(s, SEC_REQ_TYPES) || m.said >= count(s, SEC_REQ_SAID))
            return false;
    }
    return count(s, SEC_REQ_MEMBERS) < SHAPE_NUMBERS && count(s, SEC_REQ_OBJECTS) < SHAPE_NUMBERS &&
           count(s, SEC_REQ_CHOICES) < SHAPE_LISTS;
}

static bool word_ok(const struct snap_req_slot *t, struct str word)
{
    struct req_key k = req_key((const unsigned char *)word.p, word.n);
    return t->hi[0] == k.n && snap_u64(t->lo) == k.head && t->hi[1] == (uint32_t)k.tail;
}

static bool slot_ok(const struct snapshot *s, uint32_t i, uint32_t bits)
{
    struct snap_req_slot t = snap_req_slot(s, i);
    if (t.test >= TEST_COUNT || !maybe_ok(t.bit, bits) ||
        (t.bit == SNAP_NONE) != (t.test == TEST_MEASURE) || t.at_least == 0 ||
        !numbers_ok(s, t.rules, count(s, SEC_REQ_RULES)))
        return false;
    switch (t.test) {
    case TEST_KIND:
        return t.arg <= 127;
    case TEST_MEASURE:
        return t.arg < MEASURE_COUNT;
    case TEST_ABOVE_FACT:
    case TEST_NOT_IN_FACT:
        return t.arg < s->n_fields;
    case TEST_WORD:
        return strings_ok(s, t.arg, 1) && snap_req_count(s, t.arg) == 1 &&
               word_ok(&t, snap_str(s, snap_req_item(s, t.arg, 0)));
    case TEST_NOT_CHARS:
    case TEST_KEY_CHARS:
        return list_ok(s, t.arg) && snap_req_count(s, t.arg) == 8;
    default:
        return strings_ok(s, t.arg, 1);
    }
}

static bool facts_ok(const struct snapshot *s, uint32_t at)
{
    if (at == SNAP_NONE)
        return true;
    if (!list_ok(s, at) || snap_req_count(s, at) % 3)
        return false;
    for (uint32_t i = 0; i < snap_req_count(s, at); i += 3)
        if (snap_req_item(s, at, i) >= s->n_fields || snap_req_item(s, at, i + 1) >= FACT_COUNT ||
            !snap_str_ok(s, snap_req_item(s, at, i + 2)))
            return false;
    return true;
}

/* Bits that some slot can set. */
static bool bits_ok(const struct snapshot *s, uint32_t at, const struct snap_req_api *d)
{
    if (at == SNAP_NONE)
        return true;
    if (!numbers_ok(s, at, d->n_bits))
        return false;
    for (uint32_t i = 0; i < snap_req_count(s, at); i++)
        if (snap_req_item(s, d->bits, snap_req_item(s, at, i)) == SNAP_NONE)
            return false;
    return true;
}

/* Are all bits of the list of this word? */
static bool are_of(const struct snapshot *s, uint32_t at, uint32_t word)
{
    for (uint32_t i = 0; i < snap_req_count(s, at); i++)
        if (snap_req_item(s, at, i) / 64 != word)
            return false;
    return true;
}

/* What is around the item, if the rule's flags say that it wants any of it. */
static bool beside_ok(const struct snapshot *s, const struct snap_req_rule *r,
                      const struct snap_req_api *d)
{
    const uint32_t wanting = REQF_BEHIND | REQF_AHEAD | REQF_AROUND | REQF_WHOLE;
    if (r->beside == SNAP_NONE)
        return !(r->flags & (wanting | REQF_LATER));
    if (r->beside >= count(s, SEC_REQ_BESIDES))
        return false;
    struct snap_req_beside b = snap_req_beside(s, r->beside);
    const uint32_t lists[] = {b.prev,       b.prev_none, b.next,      b.next_none, b.outer_all,
                              b.outer_none, b.root_all,  b.root_none, b.root_any};
    for (size_t k = 0; k < COUNT_OF(lists); k++)
        if (!bits_ok(s, lists[k], d))
            return false;
    if (!(r->flags & REQF_AROUND))
        return maybe_ok(b.outer, d->n_bits / 64);
    return b.outer < d->n_bits / 64 && are_of(s, b.outer_all, b.outer) &&
           are_of(s, b.outer_none, b.outer);
}

static bool adjusts_ok(const struct snapshot *s, uint32_t at)
{
    if (at == SNAP_NONE)
        return true;
    return list_ok(s, at) && snap_req_count(s, at) && strings_from_ok(s, at, 1);
}

/* What a fix needs, and where it takes it from. */
static bool fix_ok(const struct snapshot *s, const struct snap_req_rule *r)
{
    uint32_t place = r->fix_from & FIX_PLACE;
    if (r->fix == FIX_ADD || r->fix == FIX_MAP) {
        if (!strings_ok(s, r->fix_text, 2) || snap_req_count(s, r->fix_text) == 0)
            return false;
    } else if (!snap_str_ok(s, r->fix_text)) {
        return false;
    }
    if (r->fix_from < FIX_RANGE)
        return r->fix_from < s->n_fields;
    if (r->fix != FIX_CLAMP)
        return r->fix_from == SNAP_NONE;
    return r->fix_from < FIX_TYPE && list_ok(s, place) && snap_req_count(s, place) == 4;
}

static bool rule_ok(const struct snapshot *s, uint32_t i, const struct snap_req_api *d)
{
    struct snap_req_rule r = snap_req_rule(s, i);
    if (!snap_str_ok(s, r.name) || !snap_str_ok(s, r.code) || !snap_str_ok(s, r.confidence) ||
        !snap_str_ok(s, r.message) || !snap_str_ok(s, r.advice) || !snap_str_ok(s, r.source) ||
        r.file >= count(s, SEC_FILES) || r.severity > CANDO_ERROR || r.effect >= REQ_EFFECT_COUNT ||
        r.fix >= FIX_COUNT || r.check >= CHECK_COUNT || r.event >= EVENT_COUNT ||
        r.subject * UINT64_C(64) > d->n_bits || !maybe_ok(r.field, s->n_fields) || !fix_ok(s, &r) ||
        !maybe_ok(r.point, d->n_bits))
        return false;
    const uint32_t lists[] = {r.all, r.none, r.any, r.pivots};
    for (size_t k = 0; k < COUNT_OF(lists); k++)
        if (!bits_ok(s, lists[k], d))
            return false;
    if ((r.pivots == SNAP_NONE) != (r.effect == REQ_ADJUST) || !facts_ok(s, r.facts) ||
        !beside_ok(s, &r, d) || (r.bounds && !range_ok(r.bounds - 1, 2, count(s, SEC_NUMBERS))))
        return false;
    if ((r.adjusts == SNAP_NONE) != (r.effect != REQ_ADJUST) || !adjusts_ok(s, r.adjusts))
        return false;
    return (r.providers == SNAP_NONE || numbers_ok(s, r.providers, count(s, SEC_PROVIDERS))) &&
           range_ok(r.patterns, (uint64_t)r.n_patterns + r.n_excepts, count(s, SEC_REQ_PATTERNS));
}

/* Around a request there is nothing to be decided. */
static bool root_ok(const struct snapshot *s, const struct snap_req_api *d, uint32_t way)
{
    return way_number_ok(d, way) && !(snap_req_way(s, way).info & (WAY_CHOOSES | WAY_ASKS));
}

static bool roots_ok(const struct snapshot *s, const struct snap_req_api *d)
{
    if (!root_ok(s, d, d->root) || !list_ok(s, d->roots) || snap_req_count(s, d->roots) % 2 ||
        (d->outside != SNAP_NONE && !root_ok(s, d, d->outside)))
        return false;
    for (uint32_t i = 0; i < snap_req_count(s, d->roots); i += 2)
        if (!root_ok(s, d, snap_req_item(s, d->roots, i + 1)))
            return false;
    return true;
}

/* A walk stays in its API, whose bits these are. */
static bool graph_ok(const struct snapshot *s, const struct snap_req_api *d)
{
    if (!range_ok(d->ways, d->n_ways, count(s, SEC_REQ_WAYS)) ||
        !range_ok(d->nodes, d->n_nodes, count(s, SEC_REQ_NODES)) ||
        !range_ok(d->watches, d->n_watches, count(s, SEC_REQ_WATCHES)) || !roots_ok(s, d))
        return false;
    for (uint32_t i = d->ways; i < d->ways + d->n_ways; i++)
        if (!way_ok(s, i, d))
            return false;
    for (uint32_t i = d->nodes; i < d->nodes + d->n_nodes; i++)
        if (!node_ok(s, i, d))
            return false;
    for (uint32_t i = d->watches; i < d->watches + d->n_watches; i++) {
        if (!watch_ok(s, i, d->n_bits / 64))
            return false;
        struct snap_req_watch w = snap_req_watch(s, i);
        for (uint32_t k = w.slots; k < w.slots + w.n_slots; k++)
            if (!slot_ok(s, k, d->n_bits))
                return false;
    }
    return true;
}

static bool api_ok(const struct snapshot *s, uint32_t i, uint32_t *words, uint32_t *rules)
{
    struct snap_req_api d = snap_req_api(s, i);
    if (!snap_str_ok(s, d.name) || d.n_bits % 64 || d.n_bits > REQ_MAX_BITS ||
        d.root_words * UINT64_C(64) > d.n_bits || d.base != *words || d.rules != *rules ||
        !range_ok(d.rules, d.n_rules, count(s, SEC_REQ_RULES)) || d.n_adjusts > d.n_rules ||
        !list_ok(s, d.bits) || snap_req_count(s, d.bits) != d.n_bits ||
        !maybe_ok(d.vendor, count(s, SEC_PROVIDERS)))
        return false;
    *words += d.n_bits / 64;
    *rules += d.n_rules;
    if (*words > LIMIT_REQUEST_WORDS || *rules > LIMIT_REQUEST_RULES || !graph_ok(s, &d))
        return false;
    for (uint32_t k = 0; k < d.n_bits;
         k++) { /* a slot that no watch has counts as well: its rules are read */
        uint32_t slot = snap_req_item(s, d.bits, k);
        if (slot != SNAP_NONE && (slot >= count(s, SEC_REQ_SLOTS) || !slot_ok(s, slot, d.n_bits)))
            return false;
    }
    for (uint32_t k = d.rules; k < d.rules + d.n_rules; k++) {
        if (!rule_ok(s, k, &d))
            return false;
        bool adjusts = snap_req_rule(s, k).effect == REQ_ADJUST;
        if (adjusts != (k >= d.rules + d.n_rules - d.n_adjusts))
            return false;
    }
    return true;
}

/* The ways and the watch that come before those of all APIs. */
static bool first_ok(const struct snapshot *s)
{
    if (count(s, SEC_REQ_WAYS) < WAY_FIRST || count(s, SEC_REQ_WATCHES) == 0)
        return false;
    for (uint32_t i = 0; i < WAY_FIRST; i++) {
        struct snap_req_way w = snap_req_way(s, i);
        if (w.n != SNAP_NONE || w.node != SNAP_NONE || WAY_WATCH(w.info) ||
            (w.info & 127) != (i == WAY_FREE ? 127u : 0u) || (w.info & WAY_TESTS) ||
            snap_req_way_member(s, i) != SNAP_NONE)
            return false;
    }
    struct snap_req_watch none = snap_req_watch(s, 0);
    return none.n_slots == 0 && none.subject == SNAP_NONE && none.subjects == SNAP_NONE;
}

static bool texts_ok(const struct snapshot *s)
{
    uint32_t n = count(s, SEC_REQ_TEXTS);
    struct snap_req_text first = {0};
    if (!n)
        return true;
    first = snap_req_text(s, 0);
    for (uint32_t i = 0; i < n; i++) {
        struct snap_req_text t = snap_req_text(s, i);
        if (t.file >= count(s, SEC_FILES) || t.text != first.text)
            return false;
    }
    return snap_str_ok(s, first.text) &&
           unpack_text(snap_str(s, first.text), NULL, snap_req_texts_size(s));
}

bool requests_check(const struct snapshot *s)
{
    uint32_t words = 0, rules = 0;
    if (count(s, SEC_REQ_APIS) > LIMIT_REQUEST_APIS ||
        count(s, SEC_REQ_NODES) > LIMIT_REQUEST_NODES ||
        count(s, SEC_REQ_SLOTS) > LIMIT_REQUEST_SLOTS ||
        count(s, SEC_REQ_WATCHES) > WAY_MAX_WATCH || count(s, SEC_REQ_WAYS) > REQ_MAX_WAYS ||
        count(s, SEC_REQ_WAY_MEMBERS) != count(s, SEC_REQ_WAYS))
        return false;
    if (count(s, SEC_REQ_APIS) && !first_ok(s))
        return false;
    if (!texts_ok(s))
        return false;
    for (uint32_t i = 0; i < count(s, SEC_REQ_PATTERNS); i++) {
        struct snap_req_pattern p = snap_req_pattern(s, i);
        if (p.kind > PAT_CONTAINS || !snap_str_ok(s, p.text) || !snap_str_ok(s, p.program) ||
            (p.kind == PAT_GLOB && !glob_valid(snap_str(s, p.program))))
            return false;
    }
    if (!shapes_ok(s))
        return false;
    for (uint32_t i = 0; i < count(s, SEC_REQ_APIS); i++)
        if (!api_ok(s, i, &words, &rules))
            return false;
    return rules == count(s, SEC_REQ_RULES);
}
