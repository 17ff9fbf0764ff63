/*
 * requests_check.c - believes nothing in the request rules of a snapshot.
 *
 * The graph of paths may have cycles (schemas hold schemas): a walk follows the
 * request, whose depth is bounded, so that it ends all the same. Everything else
 * that a scan indexes with is checked here: nodes, edges, slots, bits, lists.
 */
#include "requests.h"

#include "base/limits.h"
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

static bool strings_ok(const struct snapshot *s, uint32_t at, uint32_t multiple)
{
    if (!list_ok(s, at) || snap_req_count(s, at) % multiple)
        return false;
    for (uint32_t i = 0; i < snap_req_count(s, at); i++)
        if (!snap_str_ok(s, snap_req_item(s, at, i)))
            return false;
    return true;
}

static bool maybe_ok(uint32_t v, size_t limit)
{
    return v == SNAP_NONE || v < limit;
}

static bool node_ok(const struct snapshot *s, uint32_t i, uint32_t words)
{
    struct snap_req_node n = snap_req_node(s, i);
    size_t nodes = count(s, SEC_REQ_NODES);
    if ((n.n_edges & (n.n_edges - 1)) || n.n_edges > 2 * LIMIT_REQUEST_NODES ||
        !range_ok(n.edges, n.n_edges, count(s, SEC_REQ_EDGES)) || !maybe_ok(n.star, nodes) ||
        !maybe_ok(n.item, nodes) || !range_ok(n.slots, n.n_slots, count(s, SEC_REQ_SLOTS)) ||
        !maybe_ok(n.home, words))
        return false;
    uint32_t used = 0;
    for (uint32_t k = 0; k < n.n_edges; k++) {
        struct snap_req_edge e = snap_req_edge(s, n.edges + k);
        if (e.node == SNAP_NONE && e.n != SNAP_NONE)
            return false;
        if (e.node == SNAP_NONE)
            continue;
        used++;
        if (e.node >= nodes || !snap_str_ok(s, e.key) || snap_str(s, e.key).n != e.n)
            return false;
        struct req_key want = req_key((const unsigned char *)snap_str(s, e.key).p, e.n);
        if (snap_u64(e.head) != want.head || snap_u64(e.tail) != want.tail)
            return false;
    }
    return n.n_edges == 0 || used < n.n_edges;
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

static bool rule_ok(const struct snapshot *s, uint32_t i, const struct snap_req_api *d)
{
    struct snap_req_rule r = snap_req_rule(s, i);
    if (!snap_str_ok(s, r.name) || !snap_str_ok(s, r.code) || !snap_str_ok(s, r.confidence) ||
        !snap_str_ok(s, r.message) || !snap_str_ok(s, r.advice) || !snap_str_ok(s, r.source) ||
        r.file >= count(s, SEC_FILES) || r.severity > CANDO_ERROR || r.effect >= REQ_EFFECT_COUNT ||
        r.fix >= FIX_COUNT || r.check >= CHECK_COUNT || r.event >= EVENT_COUNT ||
        r.home * UINT64_C(64) > d->n_bits || !maybe_ok(r.field, s->n_fields) ||
        !maybe_ok(r.fix_field, s->n_fields) || !maybe_ok(r.point, d->n_bits))
        return false;
    if (!bits_ok(s, r.all, d) || !bits_ok(s, r.none, d) || !bits_ok(s, r.any, d) ||
        !bits_ok(s, r.prev, d) || r.pivots == SNAP_NONE || !bits_ok(s, r.pivots, d) ||
        !facts_ok(s, r.facts))
        return false;
    if (r.fix == FIX_ADD || r.fix == FIX_MAP
            ? !strings_ok(s, r.fix_text, 2) || snap_req_count(s, r.fix_text) == 0
            : !snap_str_ok(s, r.fix_text))
        return false;
    return (r.providers == SNAP_NONE || numbers_ok(s, r.providers, count(s, SEC_PROVIDERS))) &&
           range_ok(r.patterns, r.n_patterns, count(s, SEC_REQ_PATTERNS)) &&
           range_ok(r.excepts, r.n_excepts, count(s, SEC_REQ_PATTERNS));
}

/* All nodes and slots of an API are those from its root on, up to the next
 * API's; the last one's go to the end. */
static bool api_ok(const struct snapshot *s, uint32_t i, uint32_t *words, uint32_t *rules)
{
    struct snap_req_api d = snap_req_api(s, i);
    size_t n = count(s, SEC_REQ_APIS), nodes = count(s, SEC_REQ_NODES), end = nodes;
    if (!snap_str_ok(s, d.name) || d.root >= nodes || d.n_bits % 64 || d.n_bits > 1024 ||
        d.root_words * UINT64_C(64) > d.n_bits || d.base != *words || d.rules != *rules ||
        !range_ok(d.rules, d.n_rules, count(s, SEC_REQ_RULES)) || !list_ok(s, d.bits) ||
        snap_req_count(s, d.bits) != d.n_bits || !maybe_ok(d.vendor, count(s, SEC_PROVIDERS)))
        return false;
    *words += d.n_bits / 64;
    *rules += d.n_rules;
    if (*words > LIMIT_REQUEST_WORDS || *rules > LIMIT_REQUEST_RULES)
        return false;
    if (i + 1 < n)
        end = snap_req_api(s, i + 1).root;
    if (end < d.root || end > nodes)
        return false;
    for (uint32_t k = d.root; k < end; k++) {
        if (!node_ok(s, k, d.n_bits / 64))
            return false;
        struct snap_req_node node = snap_req_node(s, k);
        for (uint32_t t = node.slots; t < node.slots + node.n_slots; t++)
            if (!slot_ok(s, t, d.n_bits))
                return false;
        /* a walk stays in its API, whose bits these are */
        if ((node.star != SNAP_NONE && (node.star < d.root || node.star >= end)) ||
            (node.item != SNAP_NONE && (node.item < d.root || node.item >= end)))
            return false;
        for (uint32_t e = 0; e < node.n_edges; e++) {
            uint32_t to = snap_req_edge(s, node.edges + e).node;
            if (to != SNAP_NONE && (to < d.root || to >= end))
                return false;
        }
    }
    for (uint32_t k = 0; k < d.n_bits;
         k++) { /* a slot that no node has counts as well: its rules are read */
        uint32_t slot = snap_req_item(s, d.bits, k);
        if (slot != SNAP_NONE && (slot >= count(s, SEC_REQ_SLOTS) || !slot_ok(s, slot, d.n_bits)))
            return false;
    }
    for (uint32_t k = d.rules; k < d.rules + d.n_rules; k++)
        if (!rule_ok(s, k, &d))
            return false;
    return true;
}

bool requests_check(const struct snapshot *s)
{
    uint32_t words = 0, rules = 0;
    if (count(s, SEC_REQ_NODES) > LIMIT_REQUEST_NODES ||
        count(s, SEC_REQ_SLOTS) > LIMIT_REQUEST_NODES)
        return false;
    for (uint32_t i = 0; i < count(s, SEC_REQ_TEXTS); i++) {
        struct snap_req_text t = snap_req_text(s, i);
        if (t.file >= count(s, SEC_FILES) || !snap_str_ok(s, t.text))
            return false;
    }
    for (uint32_t i = 0; i < count(s, SEC_REQ_PATTERNS); i++) {
        struct snap_req_pattern p = snap_req_pattern(s, i);
        if (p.kind > PAT_CONTAINS || !snap_str_ok(s, p.text) || !snap_str_ok(s, p.program) ||
            (p.kind == PAT_GLOB && !glob_valid(snap_str(s, p.program))))
            return false;
    }
    /* every node is some API's */
    if (count(s, SEC_REQ_NODES) && (count(s, SEC_REQ_APIS) == 0 || snap_req_api(s, 0).root != 0))
        return false;
    for (uint32_t i = 0; i < count(s, SEC_REQ_APIS); i++)
        if (!api_ok(s, i, &words, &rules))
            return false;
    return rules == count(s, SEC_REQ_RULES);
}
