/*
 * reference.c - see reference.h. Nothing here is quick, and nothing is clever:
 * where the library has an index, this has a loop over all rules.
 */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* -- texts -------------------------------------------------------------------------- */

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(const char *a, const char *b)
{
    for (; *a && fold(*a) == fold(*b); a++)
        b++;
    return fold(*a) == fold(*b);
}

static bool begins(const char *text, const char *prefix)
{
    for (; *prefix; prefix++, text++)
        if (fold(*text) != fold(*prefix))
            return false;
    return true;
}

/* -- globs: recursion over the text of the pattern ------------------------------------ */

/* Behind the class that begins at p ("[..]"), or NULL if it is not closed or
 * has a range that runs backwards. */
static const char *class_end(const char *p)
{
    p++;
    if (*p == '!' || *p == '^')
        p++;
    for (bool first = true; *p; first = false) {
        if (*p == ']' && !first)
            return p + 1;
        if (p[1] == '-' && p[2] && p[2] != ']') {
            if (fold(p[2]) < fold(*p))
                return NULL;
            p += 3;
        } else {
            p++;
        }
    }
    return NULL;
}

static bool class_has(const char *p, char c)
{
    bool no = p[1] == '!' || p[1] == '^', in = false;
    const char *end = class_end(p) - 1;
    p += no ? 2 : 1;
    while (p < end) {
        if (p + 2 < end && p[1] == '-') {
            in |= fold(*p) <= c && c <= fold(p[2]);
            p += 3;
        } else {
            in |= fold(*p) == c;
            p++;
        }
    }
    return in != no;
}

static bool well_formed(const char *p)
{
    bool special = false;
    unsigned depth = 0;
    while (*p) {
        special |= *p == '*' || *p == '?' || *p == '[';
        if (*p == '[') {
            p = class_end(p);
            if (!p)
                return false;
            continue;
        }
        if (*p == '{')
            depth++;
        if (*p == '}' && depth-- == 0)
            return false;
        p++;
    }
    return special && depth == 0;
}

/* From inside a brace: behind the `}` that closes it. */
static const char *brace_end(const char *p)
{
    unsigned depth = 1;
    while (depth) {
        if (*p == '[') {
            p = class_end(p);
            continue;
        }
        depth += *p == '{';
        depth -= *p == '}';
        p++;
    }
    return p;
}

/* The next alternative of the brace that p is in, or NULL if there is none. */
static const char *next_alternative(const char *p)
{
    unsigned depth = 1;
    for (;;) {
        if (*p == '[') {
            p = class_end(p);
            continue;
        }
        if (*p == ',' && depth == 1)
            return p + 1;
        depth += *p == '{';
        depth -= *p == '}';
        if (depth == 0)
            return NULL;
        p++;
    }
}

/* `depth` is the number of braces that p is inside of: there a comma ends an
 * alternative, and what follows is behind the brace. */
static bool glob_from(const char *p, const char *t, unsigned depth)
{
    switch (*p) {
    case '\0':
        return *t == '\0';
    case '*':
        for (;; t++) {
            if (glob_from(p + 1, t, depth))
                return true;
            if (!*t)
                return false;
        }
    case '?':
        return *t && glob_from(p + 1, t + 1, depth);
    case '[':
        return *t && class_has(p, fold(*t)) && glob_from(class_end(p), t + 1, depth);
    case '{':
        for (const char *alternative = p + 1; alternative; alternative = next_alternative(alternative))
            if (glob_from(alternative, t, depth + 1))
                return true;
        return false;
    case '}':
        return glob_from(p + 1, t, depth - 1);
    case ',':
        if (depth)
            return glob_from(brace_end(p), t, depth - 1);
        break;
    }
    return *t && fold(*p) == fold(*t) && glob_from(p + 1, t + 1, depth);
}

/* A pattern that is none: plain text, with a star at either end. */
static bool literal_fits(const char *p, const char *t)
{
    size_t np = strlen(p), nt = strlen(t);
    bool head = np && p[0] == '*';
    p += head;
    np -= head;
    bool tail = np && p[np - 1] == '*';
    np -= tail;
    for (size_t at = 0; at + np <= nt; at++) {
        if ((!head && at) || (!tail && at + np != nt))
            continue;
        size_t i = 0;
        while (i < np && fold(p[i]) == fold(t[at + i]))
            i++;
        if (i == np)
            return true;
    }
    return false;
}

bool ref_glob(const char *pattern, const char *text)
{
    return well_formed(pattern) ? glob_from(pattern, text, 0) : literal_fits(pattern, text);
}

bool ref_contains(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *t = text;; t++) {
        if (begins(t, word) && (t == text || strchr("-_/.", t[-1])) && (!t[n] || strchr("-_/.@", t[n])))
            return true;
        if (!*t)
            return false;
    }
}

static bool pattern_fits(const struct ref_pattern *p, const char *text)
{
    switch (p->kind) {
    case REF_ANY:
        return true;
    case REF_EXACT:
        return same(p->text, text);
    case REF_PREFIX:
        return begins(text, p->text);
    case REF_GLOB:
        return ref_glob(p->text, text);
    case REF_CONTAINS:
        return ref_contains(text, p->text);
    }
    return false;
}

/* -- versions -------------------------------------------------------------------------- */

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

static bool boundary(char c)
{
    return c == '\0' || strchr("-@:/_", c);
}

static bool version_here(const char *s, unsigned *major, unsigned *minor)
{
    size_t n = digits(s);
    if (n == 0 || n > 3)
        return false;
    *major = (unsigned)strtoul(s, NULL, 10);
    *minor = 0;
    s += n;
    if (*s == '.') {
        n = digits(s + 1);
        if (n > 0 && n <= 3)
            *minor = (unsigned)strtoul(s + 1, NULL, 10);
        return n > 0;
    }
    if (!boundary(*s))
        return false;
    n = *s == '-' ? digits(s + 1) : 0;
    if (n > 0 && n <= 3 && boundary(s[1 + n])) /* four digits are a day, eight a date */
        *minor = (unsigned)strtoul(s + 1, NULL, 10);
    return true;
}

static bool claude_version(const char *id, unsigned *major, unsigned *minor)
{
    for (const char *p = strstr(id, "claude-"); p; p = strstr(p + 1, "claude-")) {
        if (p != id && p[-1] != '/' && p[-1] != '.')
            continue;
        p += strlen("claude-");
        if (digits(p))
            return version_here(p, major, minor);
        const char *tier = strstr(p, "opus-");
        if (tier)
            return version_here(tier + 5, major, minor);
        tier = strstr(p, "sonnet-");
        return tier && version_here(tier + 7, major, minor);
    }
    return false;
}

bool ref_version(const char *id, unsigned *major, unsigned *minor)
{
    char low[1024];
    size_t n = strlen(id);
    if (n >= sizeof low)
        return false;
    for (size_t i = 0; i <= n; i++)
        low[i] = fold(id[i]);
    if (claude_version(low, major, minor))
        return true;
    const char *slash = strrchr(low, '/');
    const char *gpt = strstr(slash ? slash + 1 : low, "gpt-");
    return gpt && version_here(gpt + 4, major, minor);
}

static bool version_fits(const struct ref_rule *r, const char *id)
{
    unsigned v[2];
    if (!r->has_min && !r->has_max)
        return true;
    if (!ref_version(id, &v[0], &v[1]))
        return false;
    if (r->has_min && (v[0] < r->min[0] || (v[0] == r->min[0] && v[1] < r->min[1])))
        return false;
    return !r->has_max || v[0] < r->max[0] || (v[0] == r->max[0] && v[1] <= r->max[1]);
}

/* -- providers ---------------------------------------------------------------------------- */

/* The id behind a name; a name that nobody declared is its own id. */
static const char *canonical(const struct ref_set *set, const char *name)
{
    for (size_t i = 0; i < set->n_providers; i++)
        if (same(set->provider[i].id, name))
            return set->provider[i].id;
    for (size_t i = 0; i < set->n_providers; i++)
        for (size_t k = 0; k < set->provider[i].n_aliases; k++)
            if (same(set->provider[i].alias[k], name))
                return set->provider[i].id;
    return name;
}

static const char *api_of(const struct ref_set *set, const char *provider)
{
    for (size_t i = 0; i < set->n_providers; i++)
        if (same(set->provider[i].id, provider))
            return set->provider[i].syntax;
    return "";
}

struct walk {
    const char *step[REF_STEPS];
    size_t n;
};

static void walk_from(const struct ref_set *set, const char *provider, struct walk *w)
{
    provider = canonical(set, provider);
    for (size_t i = 0; i < w->n; i++)
        if (same(w->step[i], provider))
            return;
    if (w->n == REF_STEPS)
        return;
    w->step[w->n++] = provider;
    for (size_t i = 0; i < set->n_families; i++)
        if (same(canonical(set, set->family[i].child), provider))
            for (size_t k = 0; k < set->family[i].n_parents; k++)
                walk_from(set, set->family[i].parent[k], w);
}

/* -- one question --------------------------------------------------------------------------- */

struct question {
    const struct ref_set *set;
    const char *id, *base, *syntax;
    struct walk walk;
    const struct ref_rule **rule; /* by layer, source, line */
    size_t n_rules;
};

static bool names_step(const struct question *q, const struct ref_rule *r, size_t step)
{
    for (size_t i = 0; i < r->n_providers; i++)
        if (same(canonical(q->set, r->provider[i]), q->walk.step[step]))
            return true;
    return false;
}

/* Does the rule apply at this step of the walk? */
static bool applies(const struct question *q, const struct ref_rule *r, size_t step)
{
    if (r->never || (r->n_providers ? !names_step(q, r, step) : step != 0))
        return false;
    bool spoken = r->n_apis == 0, fits = false;
    for (size_t i = 0; i < r->n_apis; i++)
        spoken |= *q->syntax && same(r->syntax[i], q->syntax);
    for (size_t i = 0; i < r->n_patterns; i++)
        fits |= pattern_fits(&r->pattern[i], r->on_base ? q->base : q->id);
    return spoken && fits && version_fits(r, q->id);
}

static unsigned layer_of(const struct question *q, const struct ref_rule *r)
{
    return q->set->source[r->source].layer;
}

static void set_fields(struct ref_answer *a, const struct ref_rule *r, bool overwrite)
{
    for (size_t i = 0; i < r->n_assigns; i++) {
        unsigned f = r->assign[i].field;
        if (a->rule[f] && !overwrite)
            continue;
        a->rule[f] = r;
        a->value[f] = r->assign[i].value;
    }
}

static void note_match(const struct question *q, const struct ref_rule *r, struct ref_answer *out)
{
    out->matched = true;
    out->fact |= r->kind == REF_FACT && applies(q, r, 0);
}

/* How far the walk of a layer gets: to the first step with a matching rule that
 * names the provider and does not extend. */
static size_t layer_steps(const struct question *q, unsigned layer, size_t from, size_t to)
{
    for (size_t step = 0; step < q->walk.n; step++)
        for (size_t i = from; i < to; i++) {
            const struct ref_rule *r = q->rule[i];
            if (layer_of(q, r) == layer && r->n_providers && !r->extends && applies(q, r, step))
                return step + 1;
        }
    return q->walk.n;
}

static size_t layered(const struct question *q, size_t from, size_t to, struct ref_answer *out)
{
    size_t steps[REF_LAYERS], most = 0;
    for (unsigned layer = 0; layer < REF_LAYERS; layer++) {
        steps[layer] = layer_steps(q, layer, from, to);
        if (steps[layer] > most)
            most = steps[layer];
    }
    for (size_t i = from; i < to; i++) {
        const struct ref_rule *r = q->rule[i];
        bool met = false;
        for (size_t step = 0; step < steps[layer_of(q, r)] && !met; step++)
            met = applies(q, r, step);
        if (met) {
            note_match(q, r, out);
            set_fields(out, r, true);
        }
    }
    return most;
}

/* Asks the rules of one layer in turn; true if one of them ended the search. */
static bool ask_layer(const struct question *q, unsigned layer, size_t step, size_t from, size_t to, struct ref_answer *stage)
{
    for (size_t i = from; i < to; i++) {
        const struct ref_rule *r = q->rule[i];
        if (layer_of(q, r) != layer || !applies(q, r, step))
            continue;
        note_match(q, r, stage);
        set_fields(stage, r, false);
        if (!r->extends)
            return true;
    }
    return false;
}

static size_t first_match(const struct question *q, size_t from, size_t to, struct ref_answer *out)
{
    struct ref_answer stage = {0};
    size_t steps = 0;
    bool done = false;
    for (size_t step = 0; step < q->walk.n && !done; step++, steps++)
        for (unsigned layer = REF_LAYERS; layer-- > 0 && !done;)
            done = ask_layer(q, layer, step, from, to, &stage);
    for (unsigned f = 0; f < REF_FIELDS; f++)
        if (stage.rule[f]) {
            out->rule[f] = stage.rule[f];
            out->value[f] = stage.value[f];
        }
    out->matched |= stage.matched;
    for (size_t i = from; i < to; i++) /* a row is there, whoever answers */
        out->fact |= q->rule[i]->kind == REF_FACT && applies(q, q->rule[i], 0);
    return steps;
}

/* What a rule of Harn's left open, a default of Harn's fills. */
static void set_default(const struct question *q, struct ref_answer *out, const struct ref_rule *r)
{
    const struct ref_source *source = q->set->source;
    for (size_t i = 0; i < r->n_assigns && source[r->source].harn; i++) {
        unsigned f = r->assign[i].field;
        if (out->rule[f] && !*out->value[f] && source[out->rule[f]->source].harn)
            out->rule[f] = NULL;
    }
    set_fields(out, r, false);
}

static void fill_defaults(const struct question *q, size_t steps, struct ref_answer *out)
{
    for (size_t step = 0; step <= steps; step++)
        for (unsigned layer = REF_LAYERS; layer-- > 0;)
            for (size_t i = q->set->n_rules; i-- > 0;) {
                const struct ref_rule *r = &q->set->rule[i];
                bool now = step < steps ? r->kind == REF_PROVIDER_DEFAULT && names_step(q, r, step) : r->kind == REF_DEFAULT;
                if (now && layer_of(q, r) == layer)
                    set_default(q, out, r);
            }
}

static void sort_rules(struct question *q)
{
    for (unsigned layer = 0; layer < REF_LAYERS; layer++)
        for (size_t i = 0; i < q->set->n_rules; i++) {
            const struct ref_rule *r = &q->set->rule[i];
            if (layer_of(q, r) == layer && (r->kind == REF_RULE || r->kind == REF_FACT))
                q->rule[q->n_rules++] = r;
        }
}

void ref_resolve(const struct ref_set *set, const char *provider, const char *id, const char *base, enum ref_way way,
                 struct ref_answer *out)
{
    memset(out, 0, sizeof *out);
    struct question q = {.set = set, .id = id, .base = base};
    q.rule = calloc(set->n_rules + 1, sizeof *q.rule);
    if (!q.rule)
        abort();
    walk_from(set, provider, &q.walk);
    q.syntax = api_of(set, q.walk.step[0]);
    sort_rules(&q);
    size_t steps = 0;
    for (size_t from = 0, to; from < q.n_rules || from == 0; from = to) {
        bool first = way == REF_FIRST_MATCH;
        to = q.n_rules;
        if (way == REF_AS_WRITTEN && q.n_rules) { /* a stage: a run of one kind */
            first = set->source[q.rule[from]->source].first_match;
            for (to = from; to < q.n_rules && set->source[q.rule[to]->source].first_match == first;)
                to++;
        }
        size_t n = first ? first_match(&q, from, to, out) : layered(&q, from, to, out);
        if (n > steps)
            steps = n;
        if (to == 0)
            break;
    }
    fill_defaults(&q, steps, out);
    free(q.rule);
}
