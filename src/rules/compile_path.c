/*
 * compile_path.c - the places that paths of request rules lead to, and the sets of them that
 * one value may be in.
 *
 * A schema (`~`) is a place that holds itself: its keys lead to places of their own, so that
 * rules can speak of the keys, and what these hold leads back to it.
 */
#include "compile_request.h"

/* -- places ----------------------------------------------------------------------------- */

uint32_t new_place(struct builder *b)
{
    if (!ARENA_GROW(&b->c->ar, b->place, b->n_places, b->cap_places))
        return builder_failed(b);
    b->place[b->n_places] = (struct place_of_path){.item = SNAP_NONE, .too = SNAP_NONE};
    return (uint32_t)b->n_places++;
}

static uint32_t edge_to(struct builder *b, uint32_t from, struct str key)
{
    for (size_t i = 0; i < b->place[from].n_edges; i++)
        if (str_eq(b->place[from].edge[i].key, key))
            return b->place[from].edge[i].place;
    uint32_t at = new_place(b);
    struct place_of_path *p = &b->place[from]; /* may have moved */
    if (b->c->failed || !ARENA_GROW(&b->c->ar, p->edge, p->n_edges, p->cap_edges))
        return builder_failed(b);
    p->edge[p->n_edges++] = (struct edge){key, at};
    return at;
}

static bool same_known(const struct star *s, const struct str *known, size_t n)
{
    if (s->n_known != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!str_eq(s->known[i], known[i]))
            return false;
    return true;
}

/* `to` SNAP_NONE: a new place. */
static uint32_t star_to(struct builder *b, uint32_t from, const struct str *known, size_t n,
                        uint32_t to)
{
    for (size_t i = 0; i < b->place[from].n_stars; i++)
        if (same_known(&b->place[from].star[i], known, n))
            return b->place[from].star[i].place;
    uint32_t at = to == SNAP_NONE ? new_place(b) : to;
    struct place_of_path *p = &b->place[from];
    if (b->c->failed || !ARENA_GROW(&b->c->ar, p->star, p->n_stars, p->cap_stars))
        return builder_failed(b);
    p->star[p->n_stars++] = (struct star){known, n, at};
    return at;
}

/* The place of all schemas in the value at `at`, itself among them. By which keys a schema
 * holds others: as a table of them, as a list, as one. */
static uint32_t make_schema(struct builder *b, uint32_t at)
{
    static const char *const tables[] = {"properties", "$defs", "definitions", "patternProperties",
                                         "dependentSchemas"},
                             *const lists[] = {"anyOf", "oneOf", "allOf", "prefixItems"},
                             *const single[] = {
                                 "items",    "additionalProperties", "not", "if", "then", "else",
                                 "contains", "propertyNames"};
    if (b->place[at].too != SNAP_NONE)
        return b->place[at].too;
    uint32_t loop = new_place(b);
    if (b->c->failed)
        return 0;
    b->place[at].too = loop;
    b->place[loop].loop = true;
    b->place[loop].item = loop; /* items may be a list of schemas */
    for (size_t i = 0; i < COUNT_OF(tables) && !b->c->failed; i++)
        star_to(b, edge_to(b, loop, str_of(tables[i])), NULL, 0, loop);
    for (size_t i = 0; i < COUNT_OF(lists) && !b->c->failed; i++) {
        uint32_t to = edge_to(b, loop, str_of(lists[i]));
        b->place[to].item = loop;
    }
    for (size_t i = 0; i < COUNT_OF(single) && !b->c->failed; i++) {
        uint32_t to = edge_to(b, loop, str_of(single[i]));
        b->place[to].too = loop;
    }
    return loop;
}

static uint32_t item_of(struct builder *b, uint32_t from)
{
    if (b->place[from].item == SNAP_NONE) {
        uint32_t to = new_place(b);
        if (b->c->failed)
            return 0;
        b->place[from].item = to;
    }
    return b->place[from].item;
}

uint32_t walk_path(struct builder *b, uint32_t at, struct str path, const struct str *known,
                   size_t n_known)
{
    struct req_step step;
    if (path.n && path.p[0] == '@') {
        at = PLACE_BESIDE;
        path = str_from(path, 1);
    }
    while (!b->c->failed && req_step(&path, &step) && step.kind != STEP_END) {
        if (step.kind == STEP_KEY)
            at = edge_to(b, at, step.key);
        else if (step.kind == STEP_ITEM)
            at = item_of(b, at);
        else
            at = star_to(b, at, known, n_known, SNAP_NONE);
        if (step.schema && !b->c->failed)
            at = make_schema(b, at);
    }
    return b->c->failed ? 0 : at;
}

/* -- sets --------------------------------------------------------------------------------- */

#define SET_MAX 64u /* places of one value */

struct gathered {
    uint32_t place[SET_MAX];
    size_t n;
    bool full;
};

/* In their order, each once, with what they bring along. */
static void gather(const struct builder *b, struct gathered *g, uint32_t place)
{
    while (place != SNAP_NONE) {
        size_t i = 0;
        while (i < g->n && g->place[i] < place)
            i++;
        if (i < g->n && g->place[i] == place)
            return;
        if (g->n == SET_MAX) {
            g->full = true;
            return;
        }
        memmove(g->place + i + 1, g->place + i, (g->n - i) * sizeof *g->place);
        g->place[i] = place;
        g->n++;
        place = b->place[place].too;
    }
}

static uint32_t intern_set(struct builder *b, const struct gathered *g)
{
    struct compiler *c = b->c;
    struct str key = str_make((const char *)g->place, g->n * sizeof *g->place);
    c->too_large |= g->full;
    const uint32_t *old = map_get(&b->by_places, key);
    if (old)
        return *old;
    uint32_t *place = arena_copy(&c->ar, g->place, key.n);
    if (!place || !ARENA_GROW(&c->ar, b->set, b->n_sets, b->cap_sets) ||
        !map_put(&b->by_places, str_make((const char *)place, key.n), (uint32_t)b->n_sets))
        return builder_failed(b);
    bool watched = false;
    for (size_t i = 0; i < g->n; i++)
        watched |= b->place[place[i]].n_slots || b->place[place[i]].n_subjects;
    b->set[b->n_sets] = (struct place_set){place, g->n, watched ? ++b->n_watches : 0};
    return (uint32_t)b->n_sets++;
}

uint32_t set_of_place(struct builder *b, uint32_t place)
{
    struct gathered g = {.n = 0};
    gather(b, &g, place);
    return intern_set(b, &g);
}

/* The next character of a key in snake_case, 0 behind its end; `half` tells that the underline
 * before a capital was given already. */
static char snake_next(struct str key, size_t *i, bool *half)
{
    if (*i == key.n)
        return 0;
    char c = key.p[*i];
    bool capital = c >= 'A' && c <= 'Z';
    if (capital && *i && !*half) {
        *half = true;
        return '_';
    }
    *half = false;
    ++*i;
    return (char)(capital ? c | 0x20 : c);
}

/* Whether two keys are one to the API: a rule may spell it either way, as a request may. */
static bool same_key(const struct builder *b, struct str one, struct str other)
{
    if (!b->snake)
        return str_eq(one, other);
    size_t i = 0, k = 0;
    bool half_one = false, half_other = false;
    char c;
    do {
        c = snake_next(one, &i, &half_one);
        if (c != snake_next(other, &k, &half_other))
            return false;
    } while (c);
    return true;
}

static bool has_key(const struct builder *b, const struct str *key, size_t n, struct str want)
{
    for (size_t i = 0; i < n; i++)
        if (same_key(b, key[i], want))
            return true;
    return false;
}

uint32_t set_by_key(struct builder *b, uint32_t set, struct str key)
{
    struct gathered g = {.n = 0};
    const struct place_set *s = &b->set[set];
    for (size_t i = 0; i < s->n; i++) {
        const struct place_of_path *p = &b->place[s->place[i]];
        for (size_t k = 0; k < p->n_edges; k++)
            if (same_key(b, p->edge[k].key, key))
                gather(b, &g, p->edge[k].place);
        for (size_t k = 0; k < p->n_stars; k++)
            if (!has_key(b, p->star[k].known, p->star[k].n_known, key))
                gather(b, &g, p->star[k].place);
    }
    return intern_set(b, &g);
}

uint32_t set_by_star(struct builder *b, uint32_t set)
{
    struct gathered g = {.n = 0};
    const struct place_set *s = &b->set[set];
    for (size_t i = 0; i < s->n; i++) {
        const struct place_of_path *p = &b->place[s->place[i]];
        for (size_t k = 0; k < p->n_stars; k++)
            gather(b, &g, p->star[k].place);
    }
    return intern_set(b, &g);
}

uint32_t set_by_item(struct builder *b, uint32_t set)
{
    struct gathered g = {.n = 0};
    const struct place_set *s = &b->set[set];
    for (size_t i = 0; i < s->n; i++)
        gather(b, &g, b->place[s->place[i]].item);
    return intern_set(b, &g);
}

static bool add_key(struct builder *b, struct key_list *out, struct str key)
{
    if (!ARENA_GROW(&b->c->ar, out->item, out->n, out->cap))
        return builder_failed(b);
    out->item[out->n++] = key;
    return true;
}

bool set_keys(struct builder *b, uint32_t set, struct key_list *out)
{
    const struct place_set *s = &b->set[set];
    for (size_t i = 0; i < s->n; i++) {
        const struct place_of_path *p = &b->place[s->place[i]];
        for (size_t k = 0; k < p->n_edges; k++)
            if (!add_key(b, out, p->edge[k].key))
                return false;
        for (size_t k = 0; k < p->n_stars; k++)
            for (size_t w = 0; w < p->star[k].n_known; w++)
                if (!add_key(b, out, p->star[k].known[w]))
                    return false;
    }
    return true;
}

/* -- names ---------------------------------------------------------------------------------- */

struct str snake_of(struct builder *b, struct str key)
{
    size_t capitals = 0, used = 0;
    for (size_t i = 0; i < key.n; i++)
        capitals += key.p[i] >= 'A' && key.p[i] <= 'Z';
    if (capitals == 0)
        return key;
    char *text = arena_alloc(&b->c->ar, key.n + capitals + 1);
    if (!text) {
        builder_failed(b);
        return STR_NONE;
    }
    for (size_t i = 0; i < key.n; i++) {
        char c = key.p[i];
        bool capital = c >= 'A' && c <= 'Z';
        if (capital && used)
            text[used++] = '_';
        text[used++] = (char)(capital ? c | 0x20 : c);
    }
    return str_make(text, used);
}
