/*
 * compile_match.c - scopes and their matchers.
 *
 * Every rule is entered into the matchers of each provider that it names, of
 * each API if it names only APIs, or of everybody. A matcher has three
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
    struct str plain = str_make(head, glob_literal_prefix(program, head, sizeof head, &whole));
    size_t n_longest = whole ? 0 : glob_literal_longest(program, longest, sizeof longest);
    bool star = program.n && program.p[program.n - 1] == GLOB_ANY_RUN;
    *kind = PAT_GLOB;
    if (whole) {
        *kind = PAT_EXACT;
        *slot = SLOT_EXACT;
    } else if (n_longest == 0) {
        if (star && program.n == 1)
            *kind = PAT_ANY;
        *slot = SLOT_ALWAYS;
        return true;
    } else if (plain.n >= n_longest) {
        if (star && plain.n == program.n - 1) /* nothing is left to be tested */
            *kind = PAT_PREFIX;
        *slot = SLOT_PREFIX;
    } else {
        plain = str_make(longest, n_longest);
        *slot = SLOT_ANYWHERE;
    }
    *key = str_dup(&c->ar, plain);
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
    static const struct {
        uint32_t kind;
        enum slot slot;
    } plain[] = {
        [MATCH_ANY] = {PAT_ANY, SLOT_ALWAYS},
        [MATCH_EXACT] = {PAT_EXACT, SLOT_EXACT},
        [MATCH_PREFIX] = {PAT_PREFIX, SLOT_PREFIX},
        [MATCH_CONTAINS] = {PAT_CONTAINS, SLOT_ANYWHERE},
        [MATCH_GLOB] = {PAT_GLOB, SLOT_ALWAYS}, /* classify decides */
    };
    struct compiler *c = m->c;
    enum slot slot = plain[p->kind].slot;
    uint32_t kind = plain[p->kind].kind;
    struct str key = p->kind == MATCH_GLOB || p->kind == MATCH_ANY ? STR("") : p->text;
    if (p->kind == MATCH_GLOB && !classify(c, program, &slot, &key, &kind))
        return;
    uint32_t pattern = c->n_patterns++;
    /* an alternative of a glob that is empty has no program to be known by: it is the exact text ""
     */
    struct str text = p->kind == MATCH_GLOB && program.n == 0 ? STR("") : p->text;
    struct snap_pattern rec = {rule, kind, compile_string(c, text), compile_string(c, program)};
    compile_put(c, SEC_PATTERNS, &rec);
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

/* The parts of a matcher: always, trie, automaton. */
static int part_of(const struct entry *e)
{
    return e->slot == SLOT_ALWAYS ? 0 : e->slot == SLOT_ANYWHERE ? 2 : 1;
}

static int entry_cmp(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    if (a->subject != b->subject)
        return a->subject < b->subject ? -1 : 1;
    if (part_of(a) != part_of(b))
        return part_of(a) - part_of(b);
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

/* The nodes of a tree, breadth first, so that the children of a node are neighbours and
 * come after it. The entries [from, to) of a node share `depth` bytes; those before
 * `own` end there. */
struct tree_node {
    size_t from, own, to, depth;
    size_t label_from; /* the depth of its parent */
    uint32_t parent, child, n_children;
};

struct tree {
    struct tree_node *node;
    size_t n, cap;
};

static bool tree_add(struct compiler *c, struct tree *t, struct tree_node n)
{
    if (!ARENA_GROW(&c->ar, t->node, t->n, t->cap))
        return false;
    t->node[t->n++] = n;
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

/* Of sorted entries [from, to). With `radix` a node without a choice is no node. */
static bool tree_make(struct matcher *m, size_t from, size_t to, bool radix, struct tree *t)
{
    struct compiler *c = m->c;
    *t = (struct tree){.n = 0};
    if (from == to || !tree_add(c, t, (struct tree_node){.from = from, .to = to}))
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        struct tree_node n = t->node[i];
        for (n.own = n.from; n.own < n.to && m->entry[n.own].key.n == n.depth;)
            n.own++;
        n.child = (uint32_t)t->n;
        for (size_t at = n.own, end; at < n.to; at = end, n.n_children++) {
            end = group_end(m, at, n.to, n.depth);
            size_t depth =
                radix ? common_prefix(m->entry[at].key, m->entry[end - 1].key) : n.depth + 1;
            if (!tree_add(c, t, (struct tree_node){at, 0, end, depth, n.depth, i, 0, 0}))
                return false;
        }
        t->node[i] = n;
    }
    return true;
}

static uint32_t build_trie(struct matcher *m, size_t from, size_t to)
{
    struct compiler *c = m->c;
    struct tree t;
    uint32_t root = compile_count(c, SEC_KEYS);
    if (!tree_make(m, from, to, true, &t))
        return SNAP_NONE;
    for (size_t i = 0; i < t.n; i++) {
        const struct tree_node *n = &t.node[i];
        const char *label = m->entry[n->from].key.p + n->label_from;
        struct snap_node node = {
            .child = root + n->child,
            .n_children = n->n_children,
            .label = compile_count(c, SEC_LABELS),
            .n_label = (uint32_t)(n->depth - n->label_from),
            .exact = postings_of(m, n->from, n->own, SLOT_EXACT),
            .prefix = postings_of(m, n->from, n->own, SLOT_PREFIX),
        };
        buf_put(&c->sec[SEC_LABELS], label, node.n_label);
        buf_putc(&c->sec[SEC_KEYS], node.n_label ? *label : 0);
        compile_put(c, SEC_NODES, &node);
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
static void link_states(struct snap_state *st, const unsigned char *key, const struct tree *t)
{
    for (uint32_t i = 1; i < t->n; i++) {
        uint32_t f = st[t->node[i].parent].fail;
        uint32_t to = SNAP_NONE;
        while (f != SNAP_NONE && (to = state_child(st, key, f, key[i])) == SNAP_NONE)
            f = st[f].fail;
        st[i].fail = to == SNAP_NONE ? 0 : to;
        uint32_t fail = st[i].fail;
        st[i].output = st[fail].postings ? fail : st[fail].output;
    }
}

static uint32_t build_automaton(struct matcher *m, size_t from, size_t to)
{
    struct compiler *c = m->c;
    struct tree t;
    uint32_t root = compile_count(c, SEC_STATE_KEYS);
    if (!tree_make(m, from, to, false, &t))
        return SNAP_NONE;
    struct snap_state *state = arena_array(&c->ar, t.n, sizeof *state);
    unsigned char *key = arena_array(&c->ar, t.n, 1);
    if (!state || !key)
        return SNAP_NONE;
    for (size_t i = 0; i < t.n; i++) {
        const struct tree_node *n = &t.node[i];
        state[i] = (struct snap_state){.child = n->child,
                                       .n_children = n->n_children,
                                       .fail = SNAP_NONE,
                                       .output = SNAP_NONE,
                                       .postings = postings_of(m, n->from, n->own, SLOT_ANYWHERE)};
        if (i)
            key[i] = (unsigned char)m->entry[n->from].key.p[n->depth - 1];
    }
    link_states(state, key, &t);
    for (size_t i = 0; i < t.n; i++) {
        struct snap_state st = state[i];
        st.child += root;
        st.fail = i == 0 ? SNAP_NONE : st.fail + root;
        st.output = st.output == SNAP_NONE ? SNAP_NONE : st.output + root;
        compile_put(c, SEC_STATES, &st);
    }
    buf_put(&c->sec[SEC_STATE_KEYS], key, t.n);
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
    while (at < m->n && m->entry[at].scope == scope && m->entry[at].subject == subject &&
           part_of(&m->entry[at]) == part)
        at++;
    return at;
}

static uint32_t scope_defaults(struct matcher *m, uint32_t scope)
{
    uint32_t *list = arena_array(&m->c->ar, m->n_defaults, 4);
    size_t n = 0;
    for (size_t i = 0; list && i < m->n_defaults; i++)
        if (m->defaults_scope[i] == scope)
            list[n++] = m->defaults[i];
    return compile_postings(m->c, list, n);
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
        compile_put(c, SEC_SCOPES, &rec);
    }
}
