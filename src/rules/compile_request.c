/*
 * compile_request.c - request rules into tries of paths, slots and records.
 *
 * All paths of one dialect become one graph:
 *
 *     (request) ──messages──► ( ) ──[]──► (home) ──role──► slots: is "tool", ...
 *         │                                  └──content──► ( ) ──[]──► (home) ...
 *         └──temperature──► slots: present, outside [0, 2]
 *
 * It is a tree but for schemas: a step with `~` adds the edges by which one JSON
 * schema holds others, and these lead back to the same node.
 *
 * Equal conditions of one home share a slot. Bits are numbered so that every home
 * but the request itself has one word of its own.
 */
#include "compile.h"
#include "request.h"

struct edge {
    struct str key;
    uint32_t node;
};

struct node {
    struct edge *edge;
    size_t n_edges, cap_edges;
    uint32_t star, item, home; /* SNAP_NONE */
    uint32_t like; /* a node whose edges, items, home and slots are also its own; SNAP_NONE */
    bool schema;
    uint32_t *slot; /* in builder.slot */
    size_t n_slots, cap_slots;
};

struct slot {
    uint32_t node, home; /* home: index into builder.home */
    struct req_cond cond;
    uint32_t bit;
    uint32_t *rule; /* that hang on it */
    size_t n_rules, cap_rules;
    uint32_t number; /* in the snapshot */
};

struct home {
    uint32_t node;
    uint32_t n_slots, word;
};

struct builder {
    struct compiler *c;
    struct str api;
    struct node *node;
    size_t n_nodes, cap_nodes;
    struct slot *slot;
    size_t n_slots, cap_slots;
    struct home *home; /* [0] is the request */
    size_t n_homes, cap_homes;
    uint32_t first_node; /* of this dialect, in the snapshot */
    uint32_t root_words, n_words;
};

/* The slots of a rule's conditions. */
struct wired {
    uint32_t home;
    uint32_t *slot[4]; /* all, none, any, prev */
    size_t n[4];
    uint32_t *pivot; /* slots that it hangs on */
    size_t n_pivots;
    uint32_t point;
};

static void failed(struct builder *b)
{
    b->c->failed = true;
}

/* -- the graph -------------------------------------------------------------------------- */

static uint32_t new_node(struct builder *b)
{
    if (!ARENA_GROW(&b->c->ar, b->node, b->n_nodes, b->cap_nodes)) {
        failed(b);
        return 0;
    }
    b->node[b->n_nodes] =
        (struct node){.star = SNAP_NONE, .item = SNAP_NONE, .home = SNAP_NONE, .like = SNAP_NONE};
    return (uint32_t)b->n_nodes++;
}

static uint32_t edge_to(struct builder *b, uint32_t from, struct str key, uint32_t to)
{
    for (size_t i = 0; i < b->node[from].n_edges; i++)
        if (str_eq(b->node[from].edge[i].key, key))
            return b->node[from].edge[i].node;
    uint32_t at = to == SNAP_NONE ? new_node(b) : to;
    struct node *n = &b->node[from]; /* may have moved */
    if (b->c->failed || !ARENA_GROW(&b->c->ar, n->edge, n->n_edges, n->cap_edges)) {
        failed(b);
        return 0;
    }
    n->edge[n->n_edges++] = (struct edge){key, at};
    return at;
}

/* By which keys a schema holds others: as a table of them, as a list, as one. Each
 * key has a node of its own, so that rules can speak of the key itself. */
static void make_schema(struct builder *b, uint32_t at)
{
    static const char *const tables[] = {"properties", "$defs", "definitions", "patternProperties",
                                         "dependentSchemas"},
                             *const lists[] = {"anyOf", "oneOf", "allOf", "prefixItems"},
                             *const single[] = {
                                 "items",    "additionalProperties", "not", "if", "then", "else",
                                 "contains", "propertyNames"};
    if (b->node[at].schema)
        return;
    b->node[at].schema = true;
    b->node[at].item = at; /* items may be a list of schemas */
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !b->c->failed; i++) {
        uint32_t to = edge_to(b, at, str_of(tables[i]), SNAP_NONE); /* first: the nodes may move */
        b->node[to].star = at;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !b->c->failed; i++) {
        uint32_t to = edge_to(b, at, str_of(lists[i]), SNAP_NONE);
        b->node[to].item = at;
    }
    for (size_t i = 0; i < sizeof single / sizeof *single && !b->c->failed; i++) {
        uint32_t to = edge_to(b, at, str_of(single[i]), SNAP_NONE);
        b->node[to].like = at;
    }
}

static uint32_t walk_path(struct builder *b, uint32_t at, struct str path)
{
    struct req_step step;
    while (!b->c->failed && req_step(&path, &step) && step.kind != STEP_END) {
        if (step.kind == STEP_KEY) {
            at = edge_to(b, at, step.key, SNAP_NONE);
        } else {
            uint32_t next = step.kind == STEP_ITEM ? b->node[at].item : b->node[at].star;
            if (next == SNAP_NONE) {
                next = new_node(b);
                if (b->c->failed)
                    return 0;
                if (step.kind == STEP_ITEM)
                    b->node[at].item = next;
                else
                    b->node[at].star = next;
            }
            at = next;
        }
        if (step.schema)
            make_schema(b, at);
    }
    return at;
}

static uint32_t home_of(struct builder *b, struct str path)
{
    uint32_t node = walk_path(b, 0, path);
    for (uint32_t i = 0; i < b->n_homes; i++)
        if (b->home[i].node == node)
            return i;
    if (b->c->failed || !ARENA_GROW(&b->c->ar, b->home, b->n_homes, b->cap_homes)) {
        failed(b);
        return 0;
    }
    b->home[b->n_homes] = (struct home){.node = node};
    return (uint32_t)b->n_homes++;
}

/* -- slots -------------------------------------------------------------------------------- */

static bool same_test(const struct req_cond *a, const struct req_cond *b)
{
    if (a->test != b->test || a->kinds != b->kinds || a->n_words != b->n_words ||
        a->field != b->field || a->measure != b->measure || a->at_least != b->at_least ||
        memcmp(&a->lo, &b->lo, sizeof a->lo) != 0 || memcmp(&a->hi, &b->hi, sizeof a->hi) != 0)
        return false;
    for (size_t i = 0; i < a->n_words; i++)
        if (!str_eq(a->word[i], b->word[i]))
            return false;
    return true;
}

static uint32_t slot_for(struct builder *b, uint32_t home, const struct req_cond *c)
{
    uint32_t node = walk_path(b, b->home[home].node, c->path);
    if (b->c->failed)
        return 0;
    for (size_t i = 0; i < b->node[node].n_slots; i++) {
        struct slot *s = &b->slot[b->node[node].slot[i]];
        if (s->home == home && same_test(&s->cond, c))
            return b->node[node].slot[i];
    }
    struct node *n = &b->node[node];
    if (!ARENA_GROW(&b->c->ar, b->slot, b->n_slots, b->cap_slots) ||
        !ARENA_GROW(&b->c->ar, n->slot, n->n_slots, n->cap_slots)) {
        failed(b);
        return 0;
    }
    b->slot[b->n_slots] = (struct slot){.node = node, .home = home, .cond = *c, .bit = SNAP_NONE};
    n->slot[n->n_slots++] = (uint32_t)b->n_slots;
    if (c->test != TEST_MEASURE)
        b->home[home].n_slots++;
    return (uint32_t)b->n_slots++;
}

static bool wire_conds(struct builder *b, const struct req_conds *conds, struct wired *w,
                       unsigned which)
{
    w->slot[which] = arena_array(&b->c->ar, conds->n + 1, sizeof *w->slot[which]);
    if (!w->slot[which]) {
        failed(b);
        return false;
    }
    for (size_t i = 0; i < conds->n && !b->c->failed; i++) {
        uint32_t s = slot_for(b, w->home, &conds->item[i]);
        w->slot[which][w->n[which]++] = s;
        if (conds->item[i].point && which != 1)
            w->point = s;
    }
    return !b->c->failed;
}

static bool wire_rule(struct builder *b, const struct req_rule *q, uint32_t number, struct wired *w)
{
    *w = (struct wired){.home = home_of(b, q->home), .point = SNAP_NONE};
    if (b->c->failed || !wire_conds(b, &q->all, w, 0) || !wire_conds(b, &q->none, w, 1) ||
        !wire_conds(b, &q->any, w, 2) || !wire_conds(b, &q->prev, w, 3))
        return false;
    for (size_t i = 0; i < q->n_known && !b->c->failed; i++)
        edge_to(b, b->home[w->home].node, q->known[i], SNAP_NONE);
    if (w->n[0] + w->n[2] == 0) { /* it hangs on the home itself */
        struct req_cond there = {.path = STR(""), .test = TEST_KIND, .kinds = 127, .at_least = 1};
        w->slot[0][w->n[0]++] = slot_for(b, w->home, &there);
        if (b->c->failed)
            return false;
    } else if (w->point == SNAP_NONE && w->n[0]) {
        w->point = w->slot[0][0];
    }
    w->pivot = w->slot[0];
    w->n_pivots = 1;
    if (w->n[0] == 0) { /* on each of the alternatives */
        w->pivot = w->slot[2];
        w->n_pivots = w->n[2];
    } else { /* on a condition that says more than that something is there, if there is one */
        for (size_t i = w->n[0]; i-- > 0;)
            if (b->slot[w->slot[0][i]].cond.test != TEST_KIND)
                w->pivot = &w->slot[0][i];
    }
    for (size_t i = 0; i < w->n_pivots; i++) {
        struct slot *pivot = &b->slot[w->pivot[i]];
        if (!ARENA_GROW(&b->c->ar, pivot->rule, pivot->n_rules, pivot->cap_rules)) {
            failed(b);
            return false;
        }
        pivot->rule[pivot->n_rules++] = number;
    }
    return true;
}

/* The request's own bits first, then a word for each other home. */
static bool number_bits(struct builder *b)
{
    b->root_words = b->home[0].n_slots ? (b->home[0].n_slots + 63) / 64 : 1;
    b->n_words = b->root_words;
    for (size_t i = 1; i < b->n_homes; i++) {
        b->home[i].word = b->n_words++;
        if (b->home[i].n_slots > 64)
            return false;
        b->node[b->home[i].node].home = b->home[i].word;
    }
    uint32_t *next = arena_array(&b->c->ar, b->n_homes, sizeof *next);
    if (!next) {
        failed(b);
        return false;
    }
    for (size_t i = 0; i < b->n_slots; i++) {
        struct slot *s = &b->slot[i];
        if (s->cond.test == TEST_MEASURE)
            continue;
        uint32_t k = next[s->home]++;
        s->bit = (s->home ? b->home[s->home].word * 64 : 0) + k;
    }
    return b->n_words <= 16;
}

/* -- writing ---------------------------------------------------------------------------------- */

static uint32_t count_of(const struct compiler *c, enum snap_section sec, size_t size)
{
    return (uint32_t)(c->sec[sec].n / size);
}

static uint32_t words_here(const struct compiler *c)
{
    return count_of(c, SEC_REQ_WORDS, 4);
}

static uint32_t put_strings(struct compiler *c, const struct str *s, size_t n)
{
    uint32_t *ref = arena_array(&c->ar, n, 4);
    if (!ref) {
        c->failed = true;
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        ref[i] = compile_string(c, s[i]);
    uint32_t at = words_here(c);
    compile_u32(c, SEC_REQ_WORDS, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        compile_u32(c, SEC_REQ_WORDS, ref[i]);
    return at;
}

static void put_double(double d, uint32_t out[2])
{
    uint64_t u;
    memcpy(&u, &d, 8);
    out[0] = (uint32_t)u;
    out[1] = (uint32_t)(u >> 32);
}

/* A class is written as in a bracket of a glob: "A-Za-z0-9_-"; a minus at its end
 * is itself. */
static void put_class(struct compiler *c, struct str set)
{
    uint32_t bits[4] = {0};
    for (size_t i = 0; i < set.n; i++) {
        unsigned char from = (unsigned char)set.p[i], to = from;
        if (i + 2 < set.n && set.p[i + 1] == '-') {
            to = (unsigned char)set.p[i + 2];
            i += 2;
        }
        for (unsigned k = from; k <= to && k < 128; k++)
            bits[k / 32] |= 1u << (k % 32);
    }
    for (unsigned i = 0; i < 4; i++)
        compile_u32(c, SEC_REQ_WORDS, bits[i]);
}

static void put_slot(struct builder *b, struct slot *s)
{
    struct compiler *c = b->c;
    const struct req_cond *q = &s->cond;
    struct snap_req_slot rec = {
        .bit = s->bit, .test = q->test, .at_least = q->at_least ? q->at_least : 1};
    put_double(q->lo, rec.lo);
    put_double(q->hi, rec.hi);
    rec.rules = words_here(c);
    compile_u32(c, SEC_REQ_WORDS, (uint32_t)s->n_rules);
    for (size_t i = 0; i < s->n_rules; i++)
        compile_u32(c, SEC_REQ_WORDS, s->rule[i]);
    switch (q->test) {
    case TEST_KIND:
        rec.arg = q->kinds;
        break;
    case TEST_ABOVE_FACT:
    case TEST_NOT_IN_FACT:
        rec.arg = q->field;
        break;
    case TEST_MEASURE:
        rec.arg = q->measure;
        break;
    case TEST_NOT_CHARS:
        rec.arg = words_here(c);
        compile_u32(c, SEC_REQ_WORDS, 8);
        put_class(c, q->word[0]);
        put_class(c, q->word[1]);
        break;
    case TEST_WORDS:
        rec.arg = put_strings(c, q->word, q->n_words);
        if (q->n_words == 1 && q->word[0].n) {
            struct req_key key = req_key((const unsigned char *)q->word[0].p, q->word[0].n);
            rec.test = TEST_WORD;
            rec.lo[0] = (uint32_t)key.head;
            rec.lo[1] = (uint32_t)(key.head >> 32);
            rec.hi[0] = (uint32_t)key.n;
            rec.hi[1] = (uint32_t)key.tail;
        }
        break;
    default:
        rec.arg = put_strings(c, q->word, q->n_words);
    }
    s->number = count_of(c, SEC_REQ_SLOTS, sizeof rec);
    compile_put(c, SEC_REQ_SLOTS, &rec, sizeof rec / 4);
}

static uint32_t put_edges(struct builder *b, const struct node *n, uint32_t *size)
{
    struct compiler *c = b->c;
    uint32_t at = count_of(c, SEC_REQ_EDGES, sizeof(struct snap_req_edge));
    *size = 0;
    if (n->n_edges == 0)
        return at;
    uint32_t cap = 2;
    while (cap < n->n_edges * 2)
        cap *= 2;
    struct snap_req_edge *table = arena_array(&c->ar, cap, sizeof *table);
    if (!table) {
        failed(b);
        return 0;
    }
    for (uint32_t i = 0; i < cap; i++)
        table[i].node = table[i].n = SNAP_NONE;
    for (size_t i = 0; i < n->n_edges; i++) {
        struct req_key key = req_key((const unsigned char *)n->edge[i].key.p, n->edge[i].key.n);
        uint32_t k = req_key_place(&key, cap);
        while (table[k].node != SNAP_NONE)
            k = (k + 1) & (cap - 1);
        table[k] = (struct snap_req_edge){
            .head = {(uint32_t)key.head, (uint32_t)(key.head >> 32)},
            .tail = {(uint32_t)key.tail, (uint32_t)(key.tail >> 32)},
            .key = compile_string(c, n->edge[i].key),
            .n = (uint32_t)key.n,
            .node = b->first_node + n->edge[i].node,
        };
    }
    for (uint32_t i = 0; i < cap; i++)
        compile_put(c, SEC_REQ_EDGES, &table[i], sizeof *table / 4);
    *size = cap;
    return at;
}

static uint32_t node_number(const struct builder *b, uint32_t node)
{
    return node == SNAP_NONE ? SNAP_NONE : b->first_node + node;
}

static void put_nodes(struct builder *b)
{
    struct compiler *c = b->c;
    b->first_node = count_of(c, SEC_REQ_NODES, sizeof(struct snap_req_node));
    for (size_t i = 0; i < b->n_nodes && !c->failed; i++) {
        const struct node *n = &b->node[i], *like = n->like == SNAP_NONE ? n : &b->node[n->like];
        struct snap_req_node rec = {
            .star = node_number(b, like->star),
            .item = node_number(b, like->item),
            .slots = count_of(c, SEC_REQ_SLOTS, sizeof(struct snap_req_slot)),
            .n_slots = (uint32_t)(n->n_slots + (like == n ? 0 : like->n_slots)),
            .home = like->home,
        };
        rec.edges = put_edges(b, like, &rec.n_edges);
        for (size_t k = 0; k < n->n_slots; k++)
            put_slot(b, &b->slot[n->slot[k]]);
        for (size_t k = 0; like != n && k < like->n_slots; k++)
            put_slot(b, &b->slot[like->slot[k]]);
        compile_put(c, SEC_REQ_NODES, &rec, sizeof rec / 4);
    }
}

static uint32_t put_bits(struct builder *b, const uint32_t *slot, size_t n)
{
    if (n == 0)
        return SNAP_NONE;
    uint32_t at = words_here(b->c);
    compile_u32(b->c, SEC_REQ_WORDS, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        compile_u32(b->c, SEC_REQ_WORDS, b->slot[slot[i]].bit);
    return at;
}

static uint32_t put_providers(struct compiler *c, const struct rule *r)
{
    if (r->n_providers == 0)
        return SNAP_NONE;
    uint32_t at = words_here(c), n = 0;
    for (size_t i = 0; i < r->n_providers; i++)
        n += map_get(&c->alias, r->provider[i].name) != NULL;
    compile_u32(c, SEC_REQ_WORDS, n);
    for (size_t i = 0; i < r->n_providers; i++) {
        const uint32_t *p = map_get(&c->alias, r->provider[i].name);
        if (p)
            compile_u32(c, SEC_REQ_WORDS, *p);
    }
    return at;
}

static uint32_t put_patterns(struct compiler *c, const struct rule *r, uint32_t *n)
{
    static const uint32_t kinds[] = {PAT_ANY, PAT_EXACT, PAT_PREFIX, PAT_GLOB, PAT_CONTAINS};
    uint32_t at = count_of(c, SEC_REQ_PATTERNS, sizeof(struct snap_req_pattern));
    *n = 0;
    for (size_t i = 0; i < r->n_patterns; i++) {
        const struct pattern *p = &r->pattern[i];
        size_t programs = p->kind == MATCH_GLOB ? p->n_programs : 1;
        for (size_t k = 0; k < programs; k++, ++*n) {
            struct snap_req_pattern rec = {
                kinds[p->kind], compile_string(c, p->text),
                compile_string(c, p->kind == MATCH_GLOB ? p->program[k] : STR(""))};
            compile_put(c, SEC_REQ_PATTERNS, &rec, sizeof rec / 4);
        }
    }
    return at;
}

static uint32_t put_facts(struct compiler *c, const struct req_rule *q)
{
    uint32_t *text = arena_array(&c->ar, q->n_facts, 4);
    if (q->n_facts == 0)
        return SNAP_NONE;
    if (!text) {
        c->failed = true;
        return SNAP_NONE;
    }
    for (size_t i = 0; i < q->n_facts; i++)
        text[i] = compile_string(c, q->fact[i].text);
    uint32_t at = words_here(c);
    compile_u32(c, SEC_REQ_WORDS, (uint32_t)q->n_facts * 3);
    for (size_t i = 0; i < q->n_facts; i++) {
        compile_u32(c, SEC_REQ_WORDS, q->fact[i].field);
        compile_u32(c, SEC_REQ_WORDS, q->fact[i].fact);
        compile_u32(c, SEC_REQ_WORDS, text[i]);
    }
    return at;
}

static void put_rule(struct builder *b, const struct req_rule *q, const struct wired *w)
{
    struct compiler *c = b->c;
    const struct rule *r = &q->scope.rule;
    struct snap_req_rule rec = {
        .name = compile_string(c, r->name),
        .file = r->source,
        .line = r->at.line,
        .code = compile_string(c, q->code),
        .severity = q->severity,
        .confidence = compile_string(c, q->confidence),
        .field = q->field < FIELD_COUNT ? q->field : SNAP_NONE,
        .message = compile_string(c, q->message),
        .advice = compile_string(c, q->advice),
        .source = compile_string(c, r->origin),
        .effect = q->effect,
        .flags = q->flags | (r->on_base ? REQF_ON_BASE : 0u) | (r->min.set ? REQF_MIN : 0u) |
                 (r->max.set ? REQF_MAX : 0u) | (r->never ? REQF_NEVER : 0u),
        .home = w->home ? b->home[w->home].word : 0,
        .point = w->point == SNAP_NONE ? SNAP_NONE : b->slot[w->point].bit,
        .fix = q->fix,
        .fix_field = q->fix_field < FIELD_COUNT ? q->fix_field : SNAP_NONE,
        .check = q->check,
        .event = q->event,
        .min_major = r->min.major,
        .min_minor = r->min.minor,
        .max_major = r->max.major,
        .max_minor = r->max.minor,
    };
    rec.all = put_bits(b, w->slot[0], w->n[0]);
    rec.none = put_bits(b, w->slot[1], w->n[1]);
    rec.any = put_bits(b, w->slot[2], w->n[2]);
    rec.prev = put_bits(b, w->slot[3], w->n[3]);
    rec.pivots = put_bits(b, w->pivot, w->n_pivots);
    rec.fix_text = q->fix == FIX_ADD || q->fix == FIX_MAP
                       ? put_strings(c, q->fix_pair, q->n_fix_pairs * 2)
                       : compile_string(c, q->fix_text);
    put_double(q->fix_lo, rec.fix_lo);
    put_double(q->fix_hi, rec.fix_hi);
    rec.providers = put_providers(c, r);
    rec.patterns = put_patterns(c, r, &rec.n_patterns);
    rec.excepts = put_patterns(c, &q->except.rule, &rec.n_excepts);
    rec.facts = put_facts(c, q);
    compile_put(c, SEC_REQ_RULES, &rec, sizeof rec / 4);
}

static uint32_t put_bit_slots(struct builder *b)
{
    struct compiler *c = b->c;
    uint32_t n = b->n_words * 64, *slot = arena_array(&c->ar, n, 4), at = words_here(c);
    if (!slot) {
        failed(b);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++)
        slot[i] = SNAP_NONE;
    for (size_t i = 0; i < b->n_slots; i++)
        if (b->slot[i].bit != SNAP_NONE)
            slot[b->slot[i].bit] = b->slot[i].number;
    compile_u32(c, SEC_REQ_WORDS, n);
    for (uint32_t i = 0; i < n; i++)
        compile_u32(c, SEC_REQ_WORDS, slot[i]);
    return at;
}

/* Whose API it is: the provider that the dialect's files name. */
static uint32_t vendor_of(const struct compiler *c, struct str api)
{
    const struct ruleset_requests *all = c->rs->requests;
    for (size_t i = all->n_texts; i-- > 0;)
        if (str_eq(all->text[i].api, api) && all->text[i].vendor.n) {
            const uint32_t *p = map_get(&c->alias, all->text[i].vendor);
            return p ? *p : SNAP_NONE;
        }
    return SNAP_NONE;
}

/* One dialect. `base` counts the words of all of them. */
static void compile_api(struct compiler *c, struct str api, uint32_t *base)
{
    const struct ruleset_requests *all = c->rs->requests;
    struct builder b = {.c = c, .api = api};
    struct wired *wired = arena_array(&c->ar, all->n, sizeof *wired);
    uint32_t first = count_of(c, SEC_REQ_RULES, sizeof(struct snap_req_rule)), n = 0;
    new_node(&b);
    home_of(&b, STR(""));
    if (!wired || c->failed) {
        failed(&b);
        return;
    }
    for (size_t i = 0; i < all->n_measures && !c->failed; i++)
        if (str_eq(all->measure[i].api, api))
            slot_for(&b, 0, &all->measure[i].cond);
    for (size_t i = 0; i < all->n && !c->failed; i++)
        if (str_eq(all->rule[i].api, api) && wire_rule(&b, &all->rule[i], first + n, &wired[i]))
            n++;
    if (c->failed)
        return;
    if (!number_bits(&b)) {
        c->too_large = !c->failed; /* or there was no memory */
        return;
    }
    put_nodes(&b);
    for (size_t i = 0; i < all->n && !c->failed; i++)
        if (str_eq(all->rule[i].api, api))
            put_rule(&b, &all->rule[i], &wired[i]);
    struct snap_req_api rec = {
        .name = compile_string(c, api),
        .root = b.first_node,
        .rules = first,
        .n_rules = n,
        .n_bits = b.n_words * 64,
        .root_words = b.root_words,
        .base = *base,
        .vendor = vendor_of(c, api),
    };
    rec.bits = put_bit_slots(&b);
    *base += b.n_words;
    if (*base > LIMIT_REQUEST_WORDS ||
        count_of(c, SEC_REQ_NODES, sizeof(struct snap_req_node)) > LIMIT_REQUEST_NODES ||
        count_of(c, SEC_REQ_SLOTS, sizeof(struct snap_req_slot)) > LIMIT_REQUEST_NODES)
        c->too_large = true;
    compile_put(c, SEC_REQ_APIS, &rec, sizeof rec / 4);
}

void compile_requests(struct compiler *c)
{
    const struct ruleset_requests *all = c->rs->requests;
    const char *cursor = REQUEST_APIS;
    struct str api;
    uint32_t base = 0;
    if (!all)
        return;
    for (size_t i = 0; i < all->n_texts; i++) {
        struct snap_req_text rec = {all->text[i].source, compile_string(c, all->text[i].text)};
        compile_put(c, SEC_REQ_TEXTS, &rec, sizeof rec / 4);
    }
    while (words_next(&cursor, &api) && !c->failed && !c->too_large) {
        bool any = false;
        for (size_t i = 0; i < all->n && !any; i++)
            any = str_eq(all->rule[i].api, api);
        for (size_t i = 0; i < all->n_measures && !any; i++)
            any = str_eq(all->measure[i].api, api);
        if (any)
            compile_api(c, api, &base);
    }
}
