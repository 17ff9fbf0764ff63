/*
 * match.c - walks an id through the matchers of a snapshot.
 *
 * One walk down the trie, one run through the automaton; a glob or a version
 * is looked at only where the pattern's plain text was met. The cost follows
 * the length of the id and the rules that match, not the rules there are.
 */
#include "match.h"

#include "text/glob.h"

bool query_init(struct match_query *q, const struct snapshot *s, struct str provider,
                struct str model)
{
    if (provider.n > LIMIT_NAME_BYTES || model.n > LIMIT_NAME_BYTES)
        return false;
    q->s = s;
    q->given = provider;
    q->provider = snapshot_provider(s, provider);
    q->api = q->provider == SNAP_NONE ? SNAP_NONE : snap_provider(s, q->provider).api;
    for (size_t i = 0; i < model.n; i++)
        q->id_room[i] = char_fold(model.p[i]);
    q->id = (struct str){q->id_room, model.n};
    q->parsed = false;
    q->version_known[0] = q->version_known[1] = 0;
    return true;
}

void query_parse(struct match_query *q)
{
    if (q->parsed)
        return;
    struct id_tables t = snapshot_ids(q->s);
    q->parsed = true;
    q->base =
        model_id_parse(q->s->has_ids ? &t : NULL, q->given, q->id, &q->mid) ? q->mid.base : q->id;
}

bool query_version(struct match_query *q, enum version_scheme scheme, uint32_t *major,
                   uint32_t *minor)
{
    if (!q->version_known[scheme])
        q->version_known[scheme] =
            model_version(q->id, scheme, &q->major[scheme], &q->minor[scheme]) ? 2 : 1;
    *major = q->major[scheme];
    *minor = q->minor[scheme];
    return q->version_known[scheme] == 2;
}

static bool api_fits(const struct match_query *q, const struct snap_rule *r)
{
    if (q->api == SNAP_NONE)
        return false;
    for (uint32_t i = 0; i < r->n_apis; i++)
        if (snap_u32(q->s, SEC_RULE_SCOPES, r->scopes + r->n_providers + i) == q->api)
            return true;
    return false;
}

static bool version_fits(struct match_query *q, const struct snap_rule *r)
{
    uint32_t major, minor;
    if (!query_version(q, r->flags & RULEF_SCHEME_ANY ? SCHEME_ANY : SCHEME_HARN, &major, &minor))
        return false;
    uint32_t from[2], to[2];
    snap_rule_bound(q->s, r->bounds, 0, &from[0], &from[1]);
    snap_rule_bound(q->s, r->bounds, 1, &to[0], &to[1]);
    if ((r->flags & RULEF_MIN) && (major < from[0] || (major == from[0] && minor < from[1])))
        return false;
    if ((r->flags & RULEF_MAX) && (major > to[0] || (major == to[0] && minor > to[1])))
        return false;
    return true;
}

enum match_bar query_bar(struct match_query *q, const struct snap_rule *r)
{
    if (r->flags & RULEF_NEVER)
        return BAR_NEVER;
    if (r->n_apis && !api_fits(q, r))
        return BAR_API;
    if ((r->flags & (RULEF_MIN | RULEF_MAX)) && !version_fits(q, r))
        return BAR_VERSION;
    return BAR_NONE;
}

struct walk {
    struct match_query *q;
    struct str text;
    match_visit *visit;
    void *ctx;
};

static bool pattern_fits(const struct snapshot *s, const struct snap_pattern *p, struct str text)
{
    switch (p->kind) {
    case PAT_GLOB:
        return glob_run(snap_str(s, p->program), text);
    case PAT_CONTAINS:
        return word_contains(text, snap_str(s, p->text));
    default: /* met in the trie, so it fits */
        return true;
    }
}

static void meet(struct walk *w, uint32_t postings)
{
    const struct snapshot *s = w->q->s;
    uint32_t n = snap_posting_count(s, postings);
    for (uint32_t i = 1; i <= n; i++) {
        struct snap_pattern p = snap_pattern(s, snap_u32(s, SEC_POSTINGS, postings + i));
        if (!pattern_fits(s, &p, w->text))
            continue;
        struct snap_rule r = snap_rule(s, p.rule);
        if (query_bar(w->q, &r) == BAR_NONE)
            w->visit(w->ctx, p.rule, &r);
    }
}

static void walk_trie(struct walk *w, uint32_t node)
{
    const struct snapshot *s = w->q->s;
    const unsigned char *keys = s->sec[SEC_KEYS].p, *labels = s->sec[SEC_LABELS].p;
    size_t at = 0;
    for (;;) {
        struct snap_node n = snap_node(s, node);
        if (n.n_label > w->text.n - at || memcmp(labels + n.label, w->text.p + at, n.n_label) != 0)
            return;
        at += n.n_label;
        if (n.prefix)
            meet(w, n.prefix);
        if (at == w->text.n) {
            if (n.exact)
                meet(w, n.exact);
            return;
        }
        const unsigned char *hit =
            n.n_children ? memchr(keys + n.child, (unsigned char)w->text.p[at], n.n_children)
                         : NULL;
        if (!hit)
            return;
        node = (uint32_t)(hit - keys);
    }
}

static void walk_automaton(struct walk *w, uint32_t root)
{
    const struct snapshot *s = w->q->s;
    const unsigned char *keys = s->sec[SEC_STATE_KEYS].p;
    uint32_t at = root;
    struct snap_state st = snap_state(s, at);
    for (size_t i = 0; i < w->text.n; i++) {
        const unsigned char *hit;
        while (!(hit = st.n_children
                           ? memchr(keys + st.child, (unsigned char)w->text.p[i], st.n_children)
                           : NULL) &&
               st.fail != SNAP_NONE) {
            at = st.fail;
            st = snap_state(s, at);
        }
        if (!hit)
            continue;
        at = (uint32_t)(hit - keys);
        st = snap_state(s, at);
        if (st.postings)
            meet(w, st.postings);
        for (uint32_t out = st.output; out != SNAP_NONE;) {
            struct snap_state o = snap_state(s, out);
            meet(w, o.postings);
            out = o.output;
        }
    }
}

void match_scope(struct match_query *q, uint32_t scope, match_visit *visit, void *ctx)
{
    struct snap_scope sc = snap_scope(q->s, scope);
    for (int base = 0; base < 2; base++) {
        if (!sc.always[base] && sc.trie[base] == SNAP_NONE && sc.automaton[base] == SNAP_NONE)
            continue;
        if (base)
            query_parse(q);
        struct walk w = {q, base ? q->base : q->id, visit, ctx};
        if (sc.always[base])
            meet(&w, sc.always[base]);
        if (sc.trie[base] != SNAP_NONE)
            walk_trie(&w, sc.trie[base]);
        if (sc.automaton[base] != SNAP_NONE)
            walk_automaton(&w, sc.automaton[base]);
    }
}

bool match_pattern(struct match_query *q, const struct snap_rule *r, uint32_t pattern)
{
    const struct snapshot *s = q->s;
    struct snap_pattern p = snap_pattern(s, pattern);
    if (r->flags & RULEF_ON_BASE)
        query_parse(q);
    struct str text = r->flags & RULEF_ON_BASE ? q->base : q->id, want = snap_str(s, p.text);
    switch (p.kind) {
    case PAT_ANY:
        return true;
    case PAT_EXACT: /* a glob that turned out to be plain still has its program */
        return snap_str(s, p.program).n ? glob_run(snap_str(s, p.program), text)
                                        : str_eq(text, want);
    case PAT_PREFIX:
        return snap_str(s, p.program).n ? glob_run(snap_str(s, p.program), text)
                                        : str_starts(text, want);
    default:
        return pattern_fits(s, &p, text);
    }
}

uint32_t query_steps(const struct match_query *q)
{
    if (q->provider == SNAP_NONE)
        return 1;
    uint32_t n = snap_provider(q->s, q->provider).n_walk;
    return n ? n : 1;
}

unsigned query_scopes(const struct match_query *q, uint32_t step, uint32_t scope[3],
                      unsigned *named)
{
    const struct snapshot *s = q->s;
    unsigned n = 0;
    if (step == 0)
        scope[n++] = SCOPE_ALL;
    if (step == 0 && q->api != SNAP_NONE) {
        uint32_t d = snap_api(s, q->api).scope;
        if (d != SNAP_NONE)
            scope[n++] = d;
    }
    *named = n;
    if (q->provider == SNAP_NONE)
        return n;
    struct snap_provider p = snap_provider(s, q->provider);
    if (step >= p.n_walk)
        return n;
    struct snap_provider at = snap_provider(s, snap_u32(s, SEC_WALKS, p.walk + step));
    if (at.scope != SNAP_NONE)
        scope[n++] = at.scope;
    return n;
}
