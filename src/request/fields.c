/*
 * fields.c - fields: what an API takes, from the shapes of its requests.
 *
 * A path goes through the same graph as a request does. Items of arrays are stepped into by
 * themselves; where a word decides which of several objects one is, that word is a step, too:
 *
 *     messages.user.content.image_url
 *
 * A member that only some of these have is found without it: the first that has it counts.
 */
#include "base/buf.h"
#include "catalog/api.h"
#include "catalog/engine.h"
#include "member_rules.h"
#include "text/reading.h"

#include <math.h>
#include <stdlib.h>

#define SENTENCE_BYTES (1u << 16)

struct seeker {
    struct reading r;
    const struct snapshot *s;
    struct str path; /* as far as it has been gone */
};

/* -- the graph -------------------------------------------------------------------------------- */

static bool is_way(const struct seeker *k, uint32_t way)
{
    return way >= WAY_FIRST && way < k->s->sec[SEC_REQ_WAYS].n;
}

/* A way of a table; of a free place it is WAY_FREE, which has no key. */
static uint32_t way_at(const struct seeker *k, uint32_t table, uint32_t i)
{
    return snap_req_place(k->s->sec[SEC_REQ_TABLES].p, (size_t)table + i);
}

/* The way by this key in a table of ways; SNAP_NONE: there is none. */
static uint32_t way_in(const struct seeker *k, uint32_t table, uint32_t places, struct str key)
{
    uint32_t size = snap_req_table(k->s, table, places);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t way = way_at(k, table, i), name = snap_req_way(k->s, way).key;
        if (name != SNAP_NONE && str_eq(snap_str(k->s, name), key))
            return way;
    }
    return SNAP_NONE;
}

/* The node behind a way, through all arrays; SNAP_NONE: nobody looks inside. */
static uint32_t node_behind(const struct seeker *k, uint32_t way)
{
    uint32_t node = SNAP_NONE;
    for (unsigned depth = 0; depth < 8 && is_way(k, way); depth++) {
        struct snap_req_way w = snap_req_way(k->s, way);
        node = w.node;
        if (node == SNAP_NONE || (w.info & REQ_OBJECT) || !(w.info & REQ_ARRAY))
            return node;
        way = snap_req_node(k->s, node).item;
    }
    return is_way(k, way) ? node : SNAP_NONE;
}

/* Both an object and an array of such: what is in the array is meant where the object is nothing.
 */
static uint32_t inner_node(const struct seeker *k, uint32_t way)
{
    uint32_t node = node_behind(k, way);
    if (node == SNAP_NONE)
        return node;
    struct snap_req_node n = snap_req_node(k->s, node);
    if (n.object != SNAP_NONE || n.choice != SNAP_NONE || !is_way(k, n.item))
        return node;
    return node_behind(k, n.item);
}

/* One step; SNAP_NONE: there is none such. */
static uint32_t step(const struct seeker *k, uint32_t node, struct str name, unsigned depth)
{
    struct snap_req_node n = snap_req_node(k->s, node);
    if (n.choice == SNAP_NONE || depth > 1) {
        uint32_t way = way_in(k, n.table, n.places, name);
        if (way == SNAP_NONE && is_way(k, n.star))
            way = n.star;
        return way == SNAP_NONE ? SNAP_NONE : inner_node(k, way);
    }
    struct snap_req_choice c = snap_req_choice(k->s, n.choice);
    uint32_t way = way_in(k, c.table, c.places, name);
    if (way != SNAP_NONE)
        return snap_req_way(k->s, way).node;
    uint32_t size = snap_req_table(k->s, c.table, c.places);
    for (uint32_t i = 0; i < size; i++) {
        struct snap_req_way w = snap_req_way(k->s, way_at(k, c.table, i));
        uint32_t found = w.key == SNAP_NONE || w.node == SNAP_NONE
                             ? SNAP_NONE
                             : step(k, w.node, name, depth + 1);
        if (found != SNAP_NONE)
            return found;
    }
    return SNAP_NONE;
}

/* -- one member ------------------------------------------------------------------------------- */

static bool add_kinds(struct seeker *k, uint32_t kinds, bool whole, cando_api_field *out)
{
    const struct {
        uint32_t kinds;
        const char *name;
    } rows[] = {
        {REQ_STRING, "string"},
        {REQ_NUMBER, whole ? "integer" : "number"},
        {REQ_TRUE | REQ_FALSE, "boolean"},
        {REQ_OBJECT, "object"},
        {REQ_ARRAY, "array"},
        {REQ_NULL, "null"},
    };
    const char **list = arena_array(k->r.ar, 6, sizeof *list);
    if (!list)
        return reading_memory(&k->r);
    for (size_t i = 0; i < 6; i++)
        if (kinds & rows[i].kinds)
            list[out->n_kinds++] = rows[i].name;
    out->kinds = list;
    return true;
}

/* The end of a range as a text; NULL: there is none, or no memory. */
static const char *bound(struct seeker *k, const uint32_t word[2])
{
    double d = snap_double(word);
    if (isinf(d))
        return NULL;
    const char *text = str_printf(k->r.ar, "%.15g", d).p;
    if (!text)
        reading_memory(&k->r);
    return text;
}

static bool add_words(struct seeker *k, uint32_t list, const char *const **out, size_t *n)
{
    *n = snap_req_count(k->s, list);
    const char **words = arena_array(k->r.ar, *n, sizeof *words);
    if (!words)
        return reading_memory(&k->r);
    for (size_t i = 0; i < *n; i++)
        words[i] = snap_str(k->s, snap_req_item(k->s, list, (uint32_t)i)).p;
    *out = words;
    return true;
}

/* The name of the object that it is, or that its items are. */
static const char *object_name(const struct seeker *k, uint32_t way)
{
    uint32_t node = inner_node(k, way);
    if (node == SNAP_NONE)
        return NULL;
    struct snap_req_node n = snap_req_node(k->s, node);
    uint32_t object = n.choice == SNAP_NONE ? n.object : snap_req_choice(k->s, n.choice).object;
    struct str name =
        object == SNAP_NONE ? STR("") : snap_str(k->s, snap_req_object(k->s, object).name);
    return name.n ? name.p : NULL;
}

/* "string": what the items of an array are, if they are of one plain kind. */
static const char *item_kind(const struct seeker *k, uint32_t node)
{
    uint32_t item = node == SNAP_NONE ? SNAP_NONE : snap_req_node(k->s, node).item;
    uint32_t kinds = is_way(k, item) ? snap_req_way(k->s, item).info & 127u : 0;
    return kinds == REQ_STRING   ? "string"
           : kinds == REQ_NUMBER ? "number"
           : kinds == REQ_OBJECT ? "object"
                                 : NULL;
}

static bool add_field(struct seeker *k, const struct snap_req_node *n, struct str name,
                      cando_api_field *out)
{
    uint32_t way = way_in(k, n->table, n->places, name);
    *out = (cando_api_field){.name = name.p};
    if (way == SNAP_NONE)
        return add_kinds(k, 0, false, out);
    struct snap_req_way w = snap_req_way(k->s, way);
    unsigned bit = WAY_BIT(w.info);
    out->required = bit < WAY_GROUP_BIT && (n->required[bit / 32] >> (bit % 32) & 1);
    out->of = object_name(k, way);
    if (!out->of && w.info & REQ_ARRAY)
        out->of = item_kind(k, w.node);
    uint32_t member = snap_req_way_member(k->s, way);
    bool typed = member != SNAP_NONE;
    struct snap_req_member m = typed ? snap_req_member(k->s, member) : (struct snap_req_member){0};
    struct snap_req_type t = typed ? snap_req_type(k->s, m.type) : (struct snap_req_type){0};
    if (!add_kinds(k, typed ? t.kinds : w.info & 127u, t.flags & TYPEF_WHOLE, out))
        return false;
    if (!typed)
        return true;
    struct snap_req_said said = snap_req_said(k->s, m.said);
    out->source = snap_str(k->s, said.source).p;
    out->warns = said.severity < CANDO_ERROR;
    out->open = t.flags & TYPEF_OPEN;
    if (t.kinds & REQ_NUMBER) {
        out->least = bound(k, t.range.lo);
        out->most = bound(k, t.range.hi);
    }
    const struct snap_req_range *size = t.kinds & REQ_ARRAY    ? &t.items
                                        : t.kinds & REQ_STRING ? &t.length
                                                               : &t.members;
    if (t.kinds & (REQ_ARRAY | REQ_STRING | REQ_OBJECT)) {
        out->fewest = snap_double(size->lo) > 0 ? bound(k, size->lo) : NULL;
        out->longest = bound(k, size->hi);
    }
    if (t.words != SNAP_NONE && !add_words(k, t.words, &out->values, &out->n_values))
        return false;
    return !reading_no_memory(&k->r);
}

/* -- one object ------------------------------------------------------------------------------- */

/* "at least one of content, tool_calls" */
static bool add_groups(struct seeker *k, const struct snap_req_object *o, cando_fields_answer *a)
{
    static const char *const words[] = {"at least one", "at most one", "exactly one"};
    uint32_t n = snap_req_count(k->s, o->groups);
    const char **list = arena_array(k->r.ar, n, sizeof *list);
    if (!list)
        return reading_memory(&k->r);
    for (uint32_t at = 0; at + 1 < n;) {
        uint32_t kind = snap_req_item(k->s, o->groups, at);
        uint32_t bits = snap_req_item(k->s, o->groups, at + 1);
        struct buf b;
        buf_init_arena(&b, k->r.ar, SENTENCE_BYTES);
        buf_printf(&b, "%s of ", words[kind < GROUP_COUNT ? kind : GROUP_SOME]);
        for (uint32_t i = 0; i < bits; i++) {
            uint32_t bit = snap_req_item(k->s, o->groups, at + 2 + i);
            buf_printf(&b, "%s%s", i ? ", " : "",
                       snap_str(k->s, snap_req_item(k->s, o->names, bit)).p);
        }
        list[a->n_groups] = buf_cstr(&b);
        if (!list[a->n_groups++])
            return reading_memory(&k->r);
        at += 2 + bits;
    }
    a->groups = list;
    return true;
}

/* What is required comes first. */
static int by_name(const void *a, const void *b)
{
    const cando_api_field *x = a, *y = b;
    return x->required != y->required ? y->required - x->required : strcmp(x->name, y->name);
}

static bool add_object(struct seeker *k, uint32_t node, cando_fields_answer *a)
{
    struct snap_req_node n = snap_req_node(k->s, node);
    if (n.choice != SNAP_NONE) {
        struct snap_req_choice c = snap_req_choice(k->s, n.choice);
        a->by = snap_str(k->s, c.by).p;
        return add_words(k, c.words, &a->cases, &a->n_cases);
    }
    if (n.object == SNAP_NONE)
        return true;
    struct snap_req_object o = snap_req_object(k->s, n.object);
    uint32_t count = snap_req_count(k->s, o.names);
    cando_api_field *list = arena_array(k->r.ar, count, sizeof *list);
    if (!list)
        return reading_memory(&k->r);
    for (uint32_t i = 0; i < count; i++) {
        struct str name = snap_str(k->s, snap_req_item(k->s, o.names, i));
        if (!add_field(k, &n, name, &list[a->n_fields]))
            return false;
        a->n_fields +=
            list[a->n_fields].source != NULL; /* else it is only of rules that it is known */
    }
    if (a->n_fields)
        qsort(list, a->n_fields, sizeof *list, by_name);
    a->object = snap_str(k->s, o.name).p;
    /* a rule about keys that are not known leads on from a closed object, too */
    a->closed = !(snap_req_way(k->s, n.star).info & REQ_KINDS);
    a->fields = list;
    return add_groups(k, &o, a);
}

/* -- the way there ---------------------------------------------------------------------------- */

/* "[]" behind a name is of no meaning: arrays are stepped into. */
static struct str next_step(struct str *path)
{
    size_t end = 0;
    while (end < path->n && path->p[end] != '.' && path->p[end] != '/')
        end++;
    struct str name = str_head(*path, end);
    *path = end < path->n ? str_from(*path, end + 1) : STR("");
    if (str_ends(name, STR("[]")))
        name.n -= 2;
    return name;
}

static bool no_such(struct seeker *k, uint32_t node, struct str name)
{
    struct snap_req_node n = snap_req_node(k->s, node);
    struct nearest near = nearest_to(name);
    uint32_t names = n.choice != SNAP_NONE   ? snap_req_choice(k->s, n.choice).words
                     : n.object != SNAP_NONE ? snap_req_object(k->s, n.object).names
                                             : SNAP_NONE;
    for (uint32_t i = 0; i < snap_req_count(k->s, names); i++) {
        struct str other = snap_str(k->s, snap_req_item(k->s, names, i));
        if (!str_eq(other, name)) /* it is there, and nobody looks inside */
            nearest_try(&near, other);
    }
    reading_fail(&k->r, CODE_bad_argument, STR("/path"), "there is nothing to look into at '%.*s'",
                 STR_ARG(str_head(name, 80)));
    return reading_suggest(&k->r, near.name, "without a path the members of a request are listed");
}

static bool follow(struct seeker *k, struct str path, uint32_t *node)
{
    while (path.n) {
        struct str name = next_step(&path);
        if (name.n == 0)
            continue;
        uint32_t next = step(k, *node, name, 0);
        if (next == SNAP_NONE)
            return no_such(k, *node, name);
        *node = next;
    }
    return true;
}

static uint32_t root_of(struct seeker *k, const struct snap_req_api *d, const char *provider)
{
    uint32_t number = provider ? snapshot_provider(k->s, str_of(provider)) : d->vendor;
    for (uint32_t i = 0; number != SNAP_NONE && i + 1 < snap_req_count(k->s, d->roots); i += 2)
        if (snap_req_item(k->s, d->roots, i) == number)
            return snap_req_item(k->s, d->roots, i + 1);
    return d->root;
}

/* The API of that name, or the one that a provider or a model's provider speaks; its name becomes
 * *provider, if nobody is asked about. */
static uint32_t api_of(const struct seeker *k, const char *name, const char **provider)
{
    uint32_t api = snapshot_req_api(k->s, str_of(name));
    struct str whole = str_of(name), host = str_head(whole, str_find_char(whole, '/'));
    uint32_t number = api == SNAP_NONE ? snapshot_provider(k->s, host) : SNAP_NONE;
    uint32_t spoken = number == SNAP_NONE ? SNAP_NONE : snap_provider(k->s, number).api;
    if (spoken == SNAP_NONE)
        return api;
    if (!*provider)
        *provider = snap_str(k->s, snap_provider(k->s, number).id).p;
    return snapshot_req_api(k->s, snap_str(k->s, snap_api(k->s, spoken).name));
}

static bool answer(struct seeker *k, const cando_fields_question *q, cando_fields_answer *a)
{
    const char *provider = q->provider;
    uint32_t api = q->api ? api_of(k, q->api, &provider) : SNAP_NONE;
    if (api == SNAP_NONE || strcmp(q->api, "shape") == 0) {
        reading_fail(&k->r, q->api ? CODE_unknown_api : CODE_missing_argument, STR("/dialect"),
                     "there is no request dialect '%.60s' in this catalog", q->api ? q->api : "");
        return reading_hint(&k->r, "known: " API_REQUEST_LIST);
    }
    struct snap_req_api d = snap_req_api(k->s, api);
    uint32_t way = root_of(k, &d, provider);
    uint32_t node = is_way(k, way) ? snap_req_way(k->s, way).node : SNAP_NONE;
    a->api = snap_str(k->s, d.name).p;
    a->path = reading_copy(&k->r, str_of(q->path ? q->path : ""));
    if (node == SNAP_NONE)
        return true;
    return follow(k, str_of(q->path ? q->path : ""), &node) && add_object(k, node, a) &&
           !reading_no_memory(&k->r);
}

static bool add_rules(struct seeker *k, const cando_catalog *cat, const cando_fields_question *q,
                      cando_fields_answer *a)
{
    struct str provider, model;
    const cando_name name = {.model = q->api};
    return name_split(name, &provider, &model, STR("/dialect"), &k->r.error) &&
           member_rules(&k->r, cat, provider, model, str_of(q->member), &a->rules, &a->n_rules);
}

const cando_fields_answer *cando_ask_fields(const cando *c, const cando_fields_question *q,
                                            cando_room *room, cando_error *err)
{
    const cando_catalog *cat = room_catalog(room, c);
    cando_fields_answer *a = arena_alloc(&room->ar, sizeof *a);
    if (!cat || !a)
        return no_memory(err);
    struct seeker k = {.r = {.ar = &room->ar}, .s = &cat->snap};
    if (answer(&k, q, a) && (!q->member || add_rules(&k, cat, q, a)))
        return a;
    reading_end(&k.r, err);
    return NULL;
}
