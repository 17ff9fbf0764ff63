/*
 * compile_match.c - scopes and their matchers.
 *
 * Every rule is entered into the matchers of each provider that it names, of
 * each dialect if it names only dialects, or of everybody. A matcher has three
 * parts, and each pattern goes where its plain text is most telling:
 *
 *   always      patterns without plain text (`*`)
 *   trie        patterns that begin with plain text, if that is their longest
 *   automaton   patterns whose longest plain text may stand anywhere
 *
 * A lookup walks the id once through trie and automaton; it meets a pattern
 * only where the pattern's own text stands in the id.
 *
 *          (root)                     radix trie of gpt-4*, gpt-4o, gpt-5
 *             |  gpt-
 *          ( ...... )
 *           4 /   \ 5
 *     [gpt-4*]    [gpt-5]
 *        o |
 *      [gpt-4o]
 */
#include "compile.h"

#include "text/glob.h"

#include <stdlib.h>

enum slot { SLOT_ALWAYS, SLOT_EXACT, SLOT_PREFIX, SLOT_ANYWHERE };

/* A pattern in one matcher. */
struct entry {
    uint32_t scope;
    uint8_t subject; /* 1: the base of the id */
    uint8_t slot;
    struct str key;
    uint32_t pattern;
};

struct matcher {
    struct compiler *c;
    struct entry *entry;
    size_t n, cap;
    uint32_t *defaults; /* rule numbers, in the order of the rules */
    uint32_t *defaults_scope;
    size_t n_defaults, cap_defaults;
};

/* Where a program goes, and under which key. */
static bool classify(struct compiler *c, struct str program, enum slot *slot, struct str *key,
                     uint32_t *kind)
{
    char head[LIMIT_PATTERN_BYTES], longest[LIMIT_PATTERN_BYTES];
    bool whole;
    size_t n_head = glob_literal_prefix(program, head, sizeof head, &whole);
    *kind = PAT_GLOB;
    if (whole) {
        *kind = PAT_EXACT;
        *slot = SLOT_EXACT;
        *key = str_dup(&c->ar, str_make(head, n_head));
        return key->p != NULL;
    }
    if (program.n == 1 && program.p[0] == GLOB_ANY_RUN) {
        *kind = PAT_ANY;
        *slot = SLOT_ALWAYS;
        return true;
    }
    size_t n_longest = glob_literal_longest(program, longest, sizeof longest);
    if (n_longest == 0) {
        *slot = SLOT_ALWAYS;
        return true;
    }
    if (n_head >= n_longest) {
        /* plain text and one `*`: nothing is left to be tested */
        bool plain =
            program.n && program.p[program.n - 1] == GLOB_ANY_RUN && n_head == program.n - 1;
        *kind = plain ? PAT_PREFIX : PAT_GLOB;
        *slot = SLOT_PREFIX;
        *key = str_dup(&c->ar, str_make(head, n_head));
    } else {
        *slot = SLOT_ANYWHERE;
        *key = str_dup(&c->ar, str_make(longest, n_longest));
    }
    return key->p != NULL;
}

static void add_entry(struct matcher *m, uint32_t scope, bool base, enum slot slot, struct str key,
                      uint32_t pattern)
{
    if (!ARENA_GROW(&m->c->ar, m->entry, m->n, m->cap))
        return;
    m->entry[m->n++] = (struct entry){scope, base, (uint8_t)slot, key, pattern};
}

/* The scopes of a rule, one after the other; SNAP_NONE ends them. */
static uint32_t rule_scope(const struct compiler *c, const struct rule *r, size_t i)
{
    if (r->n_providers)
        return i < r->n_providers ? c->provider_scope[*map_get(&c->alias, r->provider[i].name)]
                                  : SNAP_NONE;
    if (r->n_apis)
        return i < r->n_apis ? c->api_scope[*map_get(&c->api, r->api[i].name)] : SNAP_NONE;
    return i == 0 ? SCOPE_ALL : SNAP_NONE;
}

static void add_pattern(struct matcher *m, const struct rule *r, uint32_t rule,
                        const struct pattern *p, struct str program)
{
    struct compiler *c = m->c;
    enum slot slot = SLOT_ALWAYS;
    struct str key = STR("");
    uint32_t kind = PAT_ANY;
    bool ok = true;
    switch (p->kind) {
    case MATCH_ANY:
        break;
    case MATCH_EXACT:
        kind = PAT_EXACT;
        slot = SLOT_EXACT;
        key = p->text;
        break;
    case MATCH_PREFIX:
        kind = PAT_PREFIX;
        slot = SLOT_PREFIX;
        key = p->text;
        break;
    case MATCH_CONTAINS:
        kind = PAT_CONTAINS;
        slot = SLOT_ANYWHERE;
        key = p->text;
        break;
    case MATCH_GLOB:
        ok = classify(c, program, &slot, &key, &kind);
        break;
    }
    if (!ok)
        return;
    uint32_t pattern = c->n_patterns++;
    /* an alternative of a glob that is empty has no program to be known by: it is the exact text ""
     */
    struct str text = p->kind == MATCH_GLOB && program.n == 0 ? STR("") : p->text;
    struct snap_pattern rec = {rule, kind, compile_string(c, text), compile_string(c, program)};
    compile_put(c, SEC_PATTERNS, &rec, sizeof rec / 4);
    if (r->never)
        return;
    uint32_t scope;
    for (size_t i = 0; (scope = rule_scope(c, r, i)) != SNAP_NONE && !c->ar.failed; i++)
        add_entry(m, scope, r->on_base, slot, key, pattern);
}

static void add_rule(struct matcher *m, uint32_t number, const struct rule *r)
{
    struct compiler *c = m->c;
    if (r->kind == RULE_DEFAULT || r->kind == RULE_PROVIDER_DEFAULT) {
        for (size_t i = 0; i < r->n_patterns; i++) /* keeps the count of patterns right */
            add_pattern(m, &(struct rule){.never = true}, number, &r->pattern[i], STR(""));
        size_t cap = m->cap_defaults;
        if (!ARENA_GROW(&c->ar, m->defaults, m->n_defaults, m->cap_defaults) ||
            !ARENA_GROW(&c->ar, m->defaults_scope, m->n_defaults, cap))
            return;
        m->defaults_scope[m->n_defaults] = rule_scope(c, r, 0);
        m->defaults[m->n_defaults++] = number;
        return;
    }
    for (size_t i = 0; i < r->n_patterns && !c->ar.failed; i++) {
        const struct pattern *p = &r->pattern[i];
        if (p->kind != MATCH_GLOB)
            add_pattern(m, r, number, p, STR(""));
        else
            for (size_t k = 0; k < p->n_programs && !c->ar.failed; k++)
                add_pattern(m, r, number, p, p->program[k]);
    }
}

/* -- tries and automata --------------------------------------------------------------- */

static int entry_cmp(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    bool anywhere_a = a->slot == SLOT_ANYWHERE, anywhere_b = b->slot == SLOT_ANYWHERE;
    if (anywhere_a != anywhere_b)
        return anywhere_a ? 1 : -1;
    bool always_a = a->slot == SLOT_ALWAYS, always_b = b->slot == SLOT_ALWAYS;
    if (always_a != always_b)
        return always_a ? -1 : 1;
    int k = str_cmp(a->key, b->key);
    if (k)
        return k;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return a->pattern < b->pattern ? -1 : a->pattern > b->pattern;
}

/* Postings of the entries [from, to) that have this slot. */
static uint32_t postings_of(struct matcher *m, size_t from, size_t to, enum slot slot)
{
    struct compiler *c = m->c;
    uint32_t *list = arena_array(&c->ar, to - from, 4);
    size_t n = 0;
    if (!list)
        return 0;
    for (size_t i = from; i < to; i++)
        if (m->entry[i].slot == slot && (n == 0 || list[n - 1] != m->entry[i].pattern))
            list[n++] = m->entry[i].pattern;
    return compile_postings(c, list, n);
}

/* A node that still has to be written: its entries share `depth` bytes. */
struct todo {
    size_t from, to, depth, label_from;
};

struct queue {
    struct todo *item;
    size_t n, cap;
};

static bool queue_add(struct compiler *c, struct queue *q, struct todo t)
{
    if (!ARENA_GROW(&c->ar, q->item, q->n, q->cap))
        return false;
    q->item[q->n++] = t;
    return true;
}

/* Groups the entries from `at` on that share their byte at `depth`. */
static size_t group_end(const struct matcher *m, size_t at, size_t to, size_t depth)
{
    size_t end = at + 1;
    while (end < to && m->entry[end].key.p[depth] == m->entry[at].key.p[depth])
        end++;
    return end;
}

static size_t common_prefix(struct str a, struct str b)
{
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n])
        n++;
    return n;
}

/* Sorted entries [from, to) become a radix trie, breadth first, so that the
 * children of a node are neighbours and come after it. */
static uint32_t build_trie(struct matcher *m, size_t from, size_t to)
{
    struct compiler *c = m->c;
    if (from == to)
        return SNAP_NONE;
    uint32_t root = (uint32_t)c->sec[SEC_KEYS].n;
    struct queue q = {0};
    queue_add(c, &q, (struct todo){from, to, 0, 0});
    for (size_t i = 0; i < q.n && !c->ar.failed; i++) {
        struct todo t = q.item[i];
        size_t own = t.from;
        while (own < t.to && m->entry[own].key.n == t.depth)
            own++;
        struct snap_node node = {
            .child = root + (uint32_t)q.n,
            .label = (uint32_t)c->sec[SEC_LABELS].n,
            .n_label = (uint32_t)(t.depth - t.label_from),
            .exact = postings_of(m, t.from, own, SLOT_EXACT),
            .prefix = postings_of(m, t.from, own, SLOT_PREFIX),
        };
        struct str key = m->entry[t.from].key;
        buf_put(&c->sec[SEC_LABELS], key.p + t.label_from, node.n_label);
        buf_putc(&c->sec[SEC_KEYS], node.n_label ? key.p[t.label_from] : 0);
        for (size_t at = own; at < t.to && !c->ar.failed; node.n_children++) {
            size_t end = group_end(m, at, t.to, t.depth);
            size_t depth = common_prefix(m->entry[at].key, m->entry[end - 1].key);
            queue_add(c, &q, (struct todo){at, end, depth, t.depth});
            at = end;
        }
        compile_put(c, SEC_NODES, &node, sizeof node / 4);
    }
    return root;
}

/* The child of state `at` for byte `b` in the arrays of an automaton under
 * construction, or SNAP_NONE. */
static uint32_t state_child(const struct snap_state *st, const unsigned char *key, uint32_t at,
                            unsigned char b)
{
    for (uint32_t k = 0; k < st[at].n_children; k++)
        if (key[st[at].child + k] == b)
            return st[at].child + k;
    return SNAP_NONE;
}

/* Fail links, breadth first: where to go on when the next byte does not fit. */
static void link_states(struct snap_state *st, const unsigned char *key, const uint32_t *parent,
                        size_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t f = st[parent[i]].fail;
        uint32_t to = SNAP_NONE;
        while (f != SNAP_NONE && (to = state_child(st, key, f, key[i])) == SNAP_NONE)
            f = st[f].fail;
        st[i].fail = to == SNAP_NONE ? 0 : to;
        uint32_t fail = st[i].fail;
        st[i].output = st[fail].postings ? fail : st[fail].output;
    }
}

struct automaton {
    struct snap_state *state;
    unsigned char *key;
    uint32_t *parent;
    size_t n, cap, cap_key, cap_parent;
};

static bool automaton_grow(struct compiler *c, struct automaton *a)
{
    if (ARENA_GROW(&c->ar, a->state, a->n, a->cap) &&
        ARENA_GROW(&c->ar, a->key, a->n, a->cap_key) &&
        ARENA_GROW(&c->ar, a->parent, a->n, a->cap_parent))
        return true;
    c->ar.failed = true;
    return false;
}

static uint32_t build_automaton(struct matcher *m, size_t from, size_t to)
{
    struct compiler *c = m->c;
    if (from == to)
        return SNAP_NONE;
    uint32_t root = (uint32_t)c->sec[SEC_STATE_KEYS].n;
    struct automaton a = {0};
    struct queue q = {0};
    if (!automaton_grow(c, &a) || !queue_add(c, &q, (struct todo){from, to, 0, 0}))
        return SNAP_NONE;
    a.n = 1;
    for (size_t i = 0; i < q.n && !c->ar.failed; i++) {
        struct todo t = q.item[i];
        size_t own = t.from;
        while (own < t.to && m->entry[own].key.n == t.depth)
            own++;
        struct snap_state st = {.child = (uint32_t)a.n,
                                .fail = SNAP_NONE,
                                .output = SNAP_NONE,
                                .postings = postings_of(m, t.from, own, SLOT_ANYWHERE)};
        for (size_t at = own; at < t.to && !c->ar.failed; st.n_children++) {
            size_t end = group_end(m, at, t.to, t.depth);
            if (!queue_add(c, &q, (struct todo){at, end, t.depth + 1, t.depth}) ||
                !automaton_grow(c, &a))
                return SNAP_NONE;
            a.key[a.n] = (unsigned char)m->entry[at].key.p[t.depth];
            a.parent[a.n++] = (uint32_t)i;
            at = end;
        }
        a.state[i] = st;
    }
    if (c->ar.failed)
        return SNAP_NONE;
    link_states(a.state, a.key, a.parent, a.n);
    for (size_t i = 0; i < a.n; i++) {
        struct snap_state st = a.state[i];
        st.child += root;
        st.fail = i == 0 ? SNAP_NONE : st.fail + root;
        st.output = st.output == SNAP_NONE ? SNAP_NONE : st.output + root;
        compile_put(c, SEC_STATES, &st, sizeof st / 4);
    }
    buf_put(&c->sec[SEC_STATE_KEYS], a.key, a.n);
    return root;
}

/* -- scopes ----------------------------------------------------------------------------- */

static void number_scopes(struct compiler *c)
{
    c->n_scopes = 1;
    for (uint32_t i = 0; i < c->providers.n; i++)
        c->provider_scope[i] = SNAP_NONE;
    for (uint32_t i = 0; i < c->n_apis; i++)
        c->api_scope[i] = SNAP_NONE;
    for (size_t i = 0; i < c->rs->n_rules; i++) {
        const struct rule *r = &c->rs->rule[c->order.rule[i]];
        for (size_t k = 0; k < r->n_providers; k++) {
            uint32_t *scope = &c->provider_scope[*map_get(&c->alias, r->provider[k].name)];
            if (*scope == SNAP_NONE)
                *scope = c->n_scopes++;
        }
        for (size_t k = 0; k < r->n_apis && r->n_providers == 0; k++) {
            uint32_t *scope = &c->api_scope[*map_get(&c->api, r->api[k].name)];
            if (*scope == SNAP_NONE)
                *scope = c->n_scopes++;
        }
    }
}

/* The end of the run of entries from `at` that belong to one part of a matcher. */
static size_t part_end(const struct matcher *m, size_t at, uint32_t scope, unsigned subject,
                       int part)
{
    while (at < m->n && m->entry[at].scope == scope && m->entry[at].subject == subject) {
        int own = m->entry[at].slot == SLOT_ALWAYS ? 0 : m->entry[at].slot == SLOT_ANYWHERE ? 2 : 1;
        if (own != part)
            break;
        at++;
    }
    return at;
}

static uint32_t scope_defaults(struct matcher *m, uint32_t scope)
{
    struct compiler *c = m->c;
    size_t n = 0;
    for (size_t i = 0; i < m->n_defaults; i++)
        n += m->defaults_scope[i] == scope;
    uint32_t *list = arena_array(&c->ar, n, 4);
    if (!list)
        return 0;
    n = 0;
    for (size_t i = 0; i < m->n_defaults; i++)
        if (m->defaults_scope[i] == scope)
            list[n++] = m->defaults[i];
    return compile_postings(c, list, n);
}

void compile_matchers(struct compiler *c)
{
    struct matcher m = {.c = c};
    number_scopes(c);
    for (uint32_t i = 0; i < c->rs->n_rules && !c->ar.failed; i++)
        add_rule(&m, i, &c->rs->rule[c->order.rule[i]]);
    if (c->ar.failed)
        return;
    if (m.n)
        qsort(m.entry, m.n, sizeof *m.entry, entry_cmp);
    size_t at = 0;
    for (uint32_t scope = 0; scope < c->n_scopes && !c->ar.failed; scope++) {
        struct snap_scope rec = {.defaults = scope_defaults(&m, scope)};
        for (unsigned subject = 0; subject < 2; subject++) {
            size_t always = part_end(&m, at, scope, subject, 0);
            size_t trie = part_end(&m, always, scope, subject, 1);
            size_t anywhere = part_end(&m, trie, scope, subject, 2);
            rec.always[subject] = postings_of(&m, at, always, SLOT_ALWAYS);
            rec.trie[subject] = build_trie(&m, always, trie);
            rec.automaton[subject] = build_automaton(&m, trie, anywhere);
            at = anywhere;
        }
        compile_put(c, SEC_SCOPES, &rec, sizeof rec / 4);
    }
}
