/*
 * compile_shape.c - shapes into types and objects; and from these and the places of rules the
 * nodes and ways that a scan goes by.
 *
 * A node is a set of places and a type. Nodes are made from the request on, as far as ways
 * lead: what no request can reach is not compiled, and what many members lead to is compiled
 * once.
 */
#include "compile_request.h"

#include "base/invariant.h"
#include "catalog/evidence.h"

#include <math.h>

#define LIKE_DEPTH 16u
#define TABLE_SPARE 4u /* places of a table of ways, for each of its keys */

/* -- types --------------------------------------------------------------------------------- */

static const struct shape_test no_test = {
    .range = {-INFINITY, INFINITY},
    .length = {0, INFINITY},
    .items = {0, INFINITY},
    .members = {0, INFINITY},
};

static const struct shape_said nobody = {.source = {"", 0}, .confidence = {"spec", 4}};

static uint32_t new_type(struct builder *b, uint32_t kinds)
{
    if (!ARENA_GROW(&b->c->ar, b->type, b->n_types, b->cap_types))
        return builder_failed(b);
    b->type[b->n_types] = (struct type){.kinds = kinds,
                                        .test = no_test,
                                        .object = SNAP_NONE,
                                        .owner = SNAP_NONE,
                                        .name = STR(""),
                                        .said = &nobody,
                                        .number = SNAP_NONE,
                                        .member = SNAP_NONE};
    return (uint32_t)b->n_types++;
}

static uint32_t new_object(struct builder *b, const struct shape_set *set,
                           const struct req_shape *shape)
{
    if (!ARENA_GROW(&b->c->ar, b->object, b->n_objects, b->cap_objects))
        return builder_failed(b);
    b->object[b->n_objects] = (struct object){.set = set, .shape = shape, .rest = SNAP_NONE};
    return (uint32_t)b->n_objects++;
}

static bool bounded(struct shape_range r, double lo)
{
    return r.lo > lo || r.hi < INFINITY;
}

/* What `more` says takes the place of what was said. */
static void add_tests(struct shape_test *t, const struct shape_test *more)
{
    if (more->n_words) {
        t->word = more->word;
        t->n_words = more->n_words;
        t->open = more->open;
    }
    if (more->n_prefixes) {
        t->prefix = more->prefix;
        t->n_prefixes = more->n_prefixes;
    }
    if (more->chars[0].p) {
        t->chars[0] = more->chars[0];
        t->chars[1] = more->chars[1];
    }
    if (bounded(more->range, -INFINITY)) {
        t->range = more->range;
        t->above = more->above;
        t->below = more->below;
    }
    if (bounded(more->length, 0))
        t->length = more->length;
    if (bounded(more->items, 0))
        t->items = more->items;
    if (bounded(more->members, 0))
        t->members = more->members;
    t->base64 |= more->base64;
    if (more->unique.p)
        t->unique = more->unique;
    if (more->key)
        t->key = more->key;
}

static uint32_t type_of_shape(struct builder *b, const struct shape_set *set, struct str name);

/* What an alternative that is a shape adds; tests of its strings only where not every string
 * will do. */
static void add_named(struct builder *b, uint32_t to, const struct shape_kind *k, uint32_t named)
{
    struct type *t = &b->type[to];
    const struct type *n = &b->type[named];
    struct shape_test more = n->test;
    if (k->any_string)
        more.n_words = more.n_prefixes = 0, more.chars[0] = STR_NONE, more.length = no_test.length,
        more.base64 = false;
    if (k->kinds & REQ_NUMBER)
        more.range = no_test.range;
    t->whole |= n->whole && !(k->kinds & REQ_NUMBER);
    t->kinds |= n->kinds;
    /* of two objects, or two arrays, nobody can tell which it is: either may hold anything */
    if (n->kinds & REQ_OBJECT) {
        t->object = t->has_object || (k->kinds & REQ_OBJECT) ? SNAP_NONE : n->object;
        t->has_object = true;
    }
    if (n->kinds & REQ_ARRAY) {
        t->item = t->has_array || (k->kinds & REQ_ARRAY) ? 0 : n->item;
        t->has_array = true;
    }
    if (n->unique)
        t->unique = n->unique;
    if (n->named)
        t->named = n->named;
    add_tests(&t->test, &more);
}

static uint32_t type_of_kind(struct builder *b, const struct shape_set *set,
                             const struct shape_kind *k, unsigned depth)
{
    uint32_t to = new_type(b, k->kinds);
    if (b->c->failed || depth > LIMIT_TOML_DEPTH)
        return 0;
    b->type[to].whole = k->whole;
    for (unsigned i = 0; i < k->n_names && !b->c->failed; i++) {
        uint32_t named = type_of_shape(b, set, k->name[i]);
        add_named(b, to, k, named);
    }
    if (k->item && !b->type[to].has_array && !b->c->failed) {
        uint32_t item = type_of_kind(b, set, k->item, depth + 1);
        b->type[to].item = item;
    }
    if (k->map && !b->type[to].has_object && !b->c->failed) {
        uint32_t rest = type_of_kind(b, set, k->map, depth + 1), object = new_object(b, set, NULL);
        if (b->c->failed)
            return 0;
        b->object[object].rest = rest;
        b->type[to].object = object;
    }
    return to;
}

/* Who speaks of a value, of the items in it, and of what its names lead to. */
static void name_type(struct builder *b, uint32_t type, uint32_t owner, struct str name,
                      const struct shape_said *said)
{
    for (unsigned i = 0; type && i < LIMIT_TOML_DEPTH; i++) {
        struct type *t = &b->type[type];
        if (t->owner != SNAP_NONE || t->name.n)
            return;
        t->owner = owner;
        t->name = name;
        t->said = said;
        bool map = t->object != SNAP_NONE && !b->object[t->object].shape;
        if (map && t->item)
            name_type(b, b->object[t->object].rest, owner, name, said);
        type = t->item ? t->item : map ? b->object[t->object].rest : 0;
    }
}

/* The type of a shape's name. One that says of itself that it is itself is anything. */
static uint32_t type_of_shape(struct builder *b, const struct shape_set *set, struct str name)
{
    const struct req_shape *s = req_shape_find(set, name);
    if (!s || b->c->failed)
        return 0;
    uint32_t *known = &b->shape_type[s - set->shape];
    if (*known)
        return *known - 1;
    *known = 1; /* anything, until it is known */
    const struct req_shape *is = s;
    for (unsigned i = 0; i < LIKE_DEPTH && is && !is->kind && is->n_members == 0 &&
                         is->n_choices == 0 && is->like.n;
         i++)
        is = req_shape_find(set, is->like);
    uint32_t type;
    if (is && is->kind) {
        type = type_of_kind(b, set, is->kind, 0);
        if (!b->c->failed && is != s)
            add_tests(&b->type[type].test, &is->test);
    } else {
        uint32_t object = new_object(b, set, s);
        type = new_type(b, REQ_OBJECT);
        if (!b->c->failed)
            b->type[type].object = object;
    }
    if (b->c->failed)
        return 0;
    add_tests(&b->type[type].test, &s->test);
    name_type(b, type, SNAP_NONE, s->name, &s->said);
    *known = type + 1;
    return type;
}

/* -- objects -------------------------------------------------------------------------------- */

/* The shape, what it is like, what that is like, ...: the nearest first. */
struct ancestry {
    const struct req_shape *shape[2 * LIKE_DEPTH];
    size_t n;
};

static void add_ancestry(const struct shape_set *set, const struct req_shape *s, struct ancestry *a)
{
    while (s && a->n < LIKE_DEPTH) {
        a->shape[a->n++] = s;
        if (s->before != SNAP_NONE)
            s = &set->shape[s->before];
        else
            s = s->like.n ? req_shape_find(set, s->like) : NULL;
    }
}

static bool says_required(const struct ancestry *a, struct str name)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct req_shape *s = a->shape[i];
        for (size_t k = 0; k < s->n_members; k++)
            if (s->member[k].required && str_eq(s->member[k].name, name))
                return true;
    }
    for (size_t i = 0; i < a->n; i++) {
        const struct req_shape *s = a->shape[i];
        for (size_t k = 0; k < s->n_required; k++)
            if (str_eq(s->required[k], name))
                return true;
        if (s->n_required) /* what it says, it says whole */
            return false;
    }
    return false;
}

static const struct shape_group *next_group(const struct ancestry *a, size_t *i)
{
    for (size_t k = 0, seen = 0; k < a->n; k++)
        for (size_t g = 0; g < a->shape[k]->n_groups; g++)
            if (seen++ == *i) {
                ++*i;
                return &a->shape[k]->group[g];
            }
    return NULL;
}

static bool in_group(const struct ancestry *a, struct str name)
{
    size_t i = 0;
    for (const struct shape_group *g; (g = next_group(a, &i));)
        for (size_t k = 0; k < g->n; k++)
            if (str_eq(g->name[k], name))
                return true;
    return false;
}

static void add_member(struct builder *b, uint32_t object, const struct ancestry *a,
                       const struct req_shape *s, const struct shape_member *m)
{
    const struct shape_set *set = b->object[object].set;
    bool required = says_required(a, m->name);
    uint32_t type = type_of_kind(b, set, m->kind, 0);
    if (b->c->failed)
        return;
    add_tests(&b->type[type].test, &m->test);
    name_type(b, type, object, m->name, &m->said);
    if (s->nulls && !required)
        b->type[type].kinds |= REQ_NULL;
    struct object *o = &b->object[object];
    struct member n = {
        .name = m->name, .also = m->also, .n_also = m->n_also, .type = type, .bit = WAY_NO_BIT};
    unsigned used = (unsigned)__builtin_popcountll(o->counted);
    if ((required || in_group(a, m->name)) && used < WAY_GROUP_BIT) {
        n.bit = used;
        o->counted |= UINT64_C(1) << used;
        o->required |= required ? UINT64_C(1) << used : 0;
    }
    if (!ARENA_GROW(&b->c->ar, o->member, o->n_members, o->cap_members) ||
        !map_put(&o->by_name, n.name, (uint32_t)o->n_members)) {
        builder_failed(b);
        return;
    }
    o->member[o->n_members++] = n;
    for (size_t i = 0; i < n.n_also; i++)
        if (!map_get(&o->by_name, n.also[i]) &&
            !map_put(&o->by_name, n.also[i], (uint32_t)o->n_members - 1))
            builder_failed(b);
}

/* Those that are counted stand in the list of names by their bits. */
static uint32_t put_names(struct builder *b, const struct object *o)
{
    struct str *name = arena_array(&b->c->ar, o->n_members + 1, sizeof *name);
    size_t next = (size_t)__builtin_popcountll(o->counted);
    if (!name)
        return builder_failed(b);
    for (size_t i = 0; i < o->n_members; i++)
        name[o->member[i].bit != WAY_NO_BIT ? o->member[i].bit : next++] = o->member[i].name;
    return req_put_strings(b->c, name, o->n_members);
}

static uint32_t put_groups(struct builder *b, const struct object *o, const struct ancestry *a)
{
    uint32_t item[256];
    size_t n = 0, i = 0;
    for (const struct shape_group *g; (g = next_group(a, &i)) && n + 2 + g->n <= 256;) {
        size_t head = n;
        item[n] = g->kind;
        n += 2;
        for (size_t k = 0; k < g->n; k++) {
            const uint32_t *m = map_get(&o->by_name, g->name[k]);
            if (m && o->member[*m].bit != WAY_NO_BIT)
                item[n++] = o->member[*m].bit;
        }
        item[head + 1] = (uint32_t)(n - head - 2);
    }
    return n ? req_put_list(b->c, item, n) : SNAP_NONE;
}

static uint32_t put_said(struct builder *b, const struct shape_said *s)
{
    struct compiler *c = b->c;
    bool likely = !evidence_rejects(s->confidence);
    cando_severity severity = s->severe ? s->severity : likely ? CANDO_WARNING : CANDO_ERROR;
    struct snap_req_said rec = {
        .severity = likely && severity == CANDO_ERROR ? CANDO_WARNING : severity,
        .source = compile_string(c, s->source),
        .confidence = compile_string(c, s->confidence),
        .checked = s->checked,
    };
    const struct buf *old = &c->sec[SEC_REQ_SAID];
    for (size_t i = 0; i + sizeof rec <= old->n; i += sizeof rec) {
        struct snap_req_said there;
        memcpy(&there, old->p + i, sizeof there);
        if (snap_le32(there.severity) == rec.severity && snap_le32(there.source) == rec.source &&
            snap_le32(there.confidence) == rec.confidence &&
            snap_le32(there.checked) == rec.checked)
            return (uint32_t)(i / sizeof rec);
    }
    compile_put(c, SEC_REQ_SAID, &rec);
    return compile_count(c, SEC_REQ_SAID) - 1;
}

static void build_object(struct builder *b, uint32_t number)
{
    struct object *o = &b->object[number];
    struct ancestry a = {.n = 0};
    if (o->built)
        return;
    o->built = true;
    map_init(&o->by_name, &b->c->ar, false);
    add_ancestry(o->set, o->shape, &a);
    bool closed_said = false;
    for (size_t i = 0; i < a.n && !b->c->failed; i++) {
        const struct req_shape *s = a.shape[i];
        o = &b->object[number];
        if (!closed_said && s->closed != CLOSED_UNSAID) {
            closed_said = true;
            o->closed = s->closed == CLOSED_YES;
        }
        if (!o->choice && s->n_choices)
            o->choice = s;
        if (o->rest == SNAP_NONE && s->rest) {
            uint32_t rest = type_of_kind(b, o->set, s->rest, 0);
            if (b->c->failed)
                return;
            name_type(b, rest, number, STR("*"), &s->said);
            b->object[number].rest = rest;
        }
        for (size_t k = 0; k < s->n_members && !b->c->failed; k++)
            if (!map_get(&b->object[number].by_name, s->member[k].name))
                add_member(b, number, &a, s, &s->member[k]);
    }
    if (b->c->failed)
        return;
    o = &b->object[number];
    struct snap_req_object rec = {
        .name = compile_string(b->c, o->shape ? o->shape->name : STR("")),
        .said = put_said(b, o->shape ? &o->shape->said : &nobody),
        .names = put_names(b, o),
        .groups = put_groups(b, o, &a),
    };
    o->number = compile_count(b->c, SEC_REQ_OBJECTS);
    o->counted |= rec.groups != SNAP_NONE ? UINT64_C(1) << WAY_GROUP_BIT : 0;
    compile_put(b->c, SEC_REQ_OBJECTS, &rec);
}

/* The member behind a path of names, from the items of a type on. */
static uint32_t member_type(struct builder *b, uint32_t type, struct str path)
{
    while (path.n && !b->c->failed) {
        size_t dot = str_find_char(path, '.');
        uint32_t object = b->type[type].object;
        if (object == SNAP_NONE)
            return SNAP_NONE;
        build_object(b, object);
        if (b->c->failed)
            return SNAP_NONE;
        const struct object *o = &b->object[object];
        const uint32_t *m = map_get(&o->by_name, str_head(path, dot));
        if (!m)
            return SNAP_NONE;
        type = o->member[*m].type;
        path = dot < path.n ? str_from(path, dot + 1) : STR("");
    }
    return type;
}

/* An array whose items must differ: what makes the difference is taken down under a number. */
static void wire_unique(struct builder *b, uint32_t type)
{
    struct type *t = &b->type[type];
    if (!t->test.unique.p || t->unique || !t->item)
        return;
    uint32_t to = member_type(b, t->item, t->test.unique);
    if (to == SNAP_NONE || b->c->failed)
        return;
    if (!b->type[to].named)
        b->type[to].named = ++b->n_named;
    b->type[type].unique = b->type[to].named;
}

/* -- types, written ------------------------------------------------------------------------- */

static void put_range(struct shape_range r, struct snap_req_range *out)
{
    req_put_double(r.lo, out->lo);
    req_put_double(r.hi, out->hi);
}

static bool tests_scalars(const struct type *t)
{
    const struct shape_test *s = &t->test;
    return t->whole || s->n_words || s->n_prefixes || s->chars[0].p || s->base64 ||
           bounded(s->range, -INFINITY) || bounded(s->length, 0) || t->named || t->key;
}

static bool tests_containers(const struct type *t)
{
    return bounded(t->test.items, 0) || bounded(t->test.members, 0) || t->unique || t->key;
}

static bool has_tests(const struct type *t)
{
    return tests_scalars(t) || tests_containers(t);
}

static uint32_t put_type_record(struct builder *b, const struct type *t, uint32_t key)
{
    struct compiler *c = b->c;
    const struct shape_test *s = &t->test;
    struct snap_req_type rec = {
        .kinds = t->kinds,
        .flags = (t->whole ? TYPEF_WHOLE : 0u) | (s->above ? TYPEF_ABOVE : 0u) |
                 (s->below ? TYPEF_BELOW : 0u) | (s->open ? TYPEF_OPEN : 0u) |
                 (s->base64 ? TYPEF_BASE64 : 0u),
        .words = s->n_words ? req_put_strings(c, s->word, s->n_words) : SNAP_NONE,
        .prefixes = s->n_prefixes ? req_put_strings(c, s->prefix, s->n_prefixes) : SNAP_NONE,
        .chars = s->chars[0].p ? req_put_classes(c, s->chars) : SNAP_NONE,
        .key = key,
        .named = t->named,
        .unique = t->unique,
    };
    put_range(s->range, &rec.range);
    put_range(s->length, &rec.length);
    put_range(s->items, &rec.items);
    put_range(s->members, &rec.members);
    return req_put_type(c, &rec);
}

/* Types without tests are one for each set of kinds. */
static uint32_t put_type(struct builder *b, uint32_t type)
{
    struct type *t = &b->type[type];
    if (t->number != SNAP_NONE)
        return t->number;
    uint32_t *plain = has_tests(t) ? NULL : &b->plain[t->kinds & 127];
    if (plain && *plain)
        return t->number = *plain - 1;
    uint32_t key = SNAP_NONE;
    if (t->key) {
        struct type k = {.kinds = REQ_STRING, .test = *t->key};
        key = put_type_record(b, &k, SNAP_NONE);
    }
    t->number = put_type_record(b, t, key);
    if (plain)
        *plain = t->number + 1;
    return t->number;
}

static uint32_t put_member(struct builder *b, uint32_t type)
{
    struct type *t = &b->type[type];
    if (type == 0 || b->c->failed)
        return SNAP_NONE;
    if (t->member != SNAP_NONE)
        return t->member;
    struct snap_req_member rec = {
        .object = t->owner == SNAP_NONE ? SNAP_NONE : b->object[t->owner].number,
        .name = compile_string(b->c, t->name),
        .type = put_type(b, type),
        .said = put_said(b, t->said),
    };
    compile_put(b->c, SEC_REQ_MEMBERS, &rec);
    return t->member = compile_count(b->c, SEC_REQ_MEMBERS) - 1;
}

/* -- nodes ---------------------------------------------------------------------------------- */

static bool looks_inside(const struct type *t)
{
    return t->object != SNAP_NONE || t->item || bounded(t->test.items, 0) ||
           bounded(t->test.members, 0) || t->test.key || t->unique;
}

static uint32_t node_of(struct builder *b, uint32_t set, uint32_t type)
{
    struct compiler *c = b->c;
    uint32_t pair[2] = {set, looks_inside(&b->type[type]) ? type : 0};
    const uint32_t *old = map_get(&b->by_set_type, str_make((const char *)pair, sizeof pair));
    if (old)
        return *old;
    uint32_t *key = arena_copy(&c->ar, pair, sizeof pair);
    if (!key || !ARENA_GROW(&c->ar, b->node, b->n_nodes, b->cap_nodes) ||
        !map_put(&b->by_set_type, str_make((const char *)key, sizeof pair), (uint32_t)b->n_nodes))
        return builder_failed(b);
    b->node[b->n_nodes] = (struct node){.set = set, .type = pair[1]};
    return (uint32_t)b->n_nodes++;
}

/* Where a value leads; SNAP_NONE: nobody looks inside. */
static uint32_t node_behind(struct builder *b, uint32_t set, uint32_t type)
{
    if (set == 0 && !looks_inside(&b->type[type]))
        return SNAP_NONE;
    uint32_t node = node_of(b, set, type);
    return b->first_node + node;
}

static struct snap_req_way way_to(struct builder *b, uint32_t set, uint32_t type, uint32_t bit)
{
    wire_unique(b, type);
    const struct type *t = &b->type[type];
    uint32_t watch = b->set[set].watch;
    uint32_t info = t->kinds | (tests_scalars(t) ? WAY_TESTS : 0u) |
                    (tests_containers(t) ? WAY_COUNTS : 0u) | bit << 8 |
                    (watch ? b->first_watch + watch : 0) << 17;
    return (struct snap_req_way){
        .key = SNAP_NONE, .n = SNAP_NONE, .node = node_behind(b, set, type), .info = info};
}

static void put_key(struct builder *b, struct snap_req_way *way, struct str name)
{
    struct req_key key = req_key((const unsigned char *)name.p, name.n);
    snap_put64(way->head, key.head);
    snap_put64(way->tail, key.tail);
    way->key = compile_string(b->c, name);
    way->n = (uint32_t)key.n;
}

/* The way, with what the shapes say of its value, and the number it has or gets. */
static uint32_t put_way(struct builder *b, const struct snap_req_way *way, uint32_t member)
{
    struct compiler *c = b->c;
    struct {
        struct snap_req_way way;
        uint32_t member;
    } both = {*way, member};
    struct str bytes = str_make((const char *)&both, sizeof both);
    const uint32_t *have = map_get(&b->by_way, bytes);
    if (have)
        return *have;
    uint32_t number = compile_count(c, SEC_REQ_WAYS);
    bytes = str_dup(&c->ar, bytes);
    if (!bytes.p || !map_put(&b->by_way, bytes, number))
        builder_failed(b);
    c->too_large |= number >= REQ_MAX_WAYS;
    req_put_way(c, way, member);
    return number;
}

/* The ways of one node, while they are made. */
struct table {
    struct keyed_way {
        struct req_key key;
        uint32_t way;
    } * item;
    size_t n, max;
    struct map there;
};

static void table_put(struct builder *b, struct table *t, struct str name, struct snap_req_way way,
                      uint32_t member)
{
    invariant(t->n < t->max);
    put_key(b, &way, name);
    t->item[t->n++] = (struct keyed_way){.key = req_key((const unsigned char *)name.p, name.n),
                                         .way = put_way(b, &way, member)};
    if (!map_put(&t->there, name, 0))
        builder_failed(b);
}

/* The way by the key `name`, which leads where `like` does. */
static void add_way(struct builder *b, struct table *t, const struct node *n, uint32_t object,
                    struct str name, struct str like)
{
    if (map_get(&t->there, name))
        return;
    uint32_t set = set_by_key(b, n->set, like), type = 0, bit = WAY_NO_BIT;
    bool unknown = false;
    if (object != SNAP_NONE) {
        const struct object *o = &b->object[object];
        const uint32_t *m = map_get(&o->by_name, like);
        type = m ? o->member[*m].type : o->rest != SNAP_NONE ? o->rest : 0;
        bit = m ? o->member[*m].bit : WAY_NO_BIT;
        unknown = !m && o->rest == SNAP_NONE && o->closed;
    }
    struct snap_req_way way = way_to(b, set, type, bit);
    uint32_t member = put_member(b, type);
    if (unknown)
        way.info &= ~(uint32_t)127;
    table_put(b, t, name, way, member);
}

static bool table_init(struct builder *b, struct table *t, size_t keys)
{
    struct compiler *c = b->c;
    *t = (struct table){.max = keys, .item = arena_array(&c->ar, keys, sizeof *t->item)};
    map_init(&t->there, &c->ar, false);
    if (!t->item)
        builder_failed(b);
    c->too_large |= keys > REQ_MAX_KEYS;
    return t->item && !c->too_large;
}

/* Lays the ways out over so many places, and behind them; the size of the table. How often one
 * looks for all of its keys is told by `looks`. */
static uint32_t table_lay(const struct table *t, uint32_t places, uint16_t *at, size_t *looks)
{
    uint32_t size = places;
    memset(at, 0, (places + t->n + 1) * sizeof *at);
    *looks = 0;
    for (size_t i = 0; i < t->n; i++) {
        uint32_t k = req_key_place(&t->item[i].key, places);
        for (++*looks; at[k] != WAY_FREE; k++)
            ++*looks;
        at[k] = (uint16_t)t->item[i].way;
    }
    while (at[size - 1] != WAY_FREE)
        size++;
    return size;
}

/* Writes the table, or finds one that is equal to it: many nodes differ in nothing that their
 * keys lead to. By `places` as many as few keys have to share one, if that is not too many. */
static uint32_t table_write(struct builder *b, const struct table *t, uint32_t *places)
{
    struct compiler *c = b->c;
    uint32_t most = TABLE_SPARE * (uint32_t)t->n, first = compile_count(c, SEC_REQ_TABLES);
    uint16_t *at = arena_array(&c->ar, most + t->n + 1, sizeof *at);
    if (!at) {
        builder_failed(b);
        return first;
    }
    size_t looks;
    *places = (uint32_t)t->n;
    uint32_t size = table_lay(t, *places, at, &looks);
    while (4 * looks > 5 * t->n && *places < most) {
        *places += 1 + *places / 32;
        *places = *places < most ? *places : most;
        size = table_lay(t, *places, at, &looks);
    }
    struct str bytes = str_make((const char *)at, size * sizeof *at);
    const uint32_t *have = map_get(&b->by_ways, bytes);
    if (have)
        return *have;
    if (!map_put(&b->by_ways, bytes, first))
        builder_failed(b);
    for (uint32_t i = 0; i < size; i++) {
        buf_putc(&c->sec[SEC_REQ_TABLES], (char)(at[i] & 255));
        buf_putc(&c->sec[SEC_REQ_TABLES], (char)(at[i] >> 8));
    }
    return first;
}

static bool all_keys(struct builder *b, const struct node *n, uint32_t object,
                     struct key_list *keys)
{
    if (!set_keys(b, n->set, keys))
        return false;
    const struct object *o = object == SNAP_NONE ? NULL : &b->object[object];
    for (size_t i = 0; o && i < o->n_members; i++)
        for (size_t k = 0; k <= o->member[i].n_also; k++) {
            if (!ARENA_GROW(&b->c->ar, keys->item, keys->n, keys->cap))
                return builder_failed(b);
            keys->item[keys->n++] = k ? o->member[i].also[k - 1] : o->member[i].name;
        }
    return true;
}

/* How many keys there are, each counted once. */
static size_t count_keys(struct builder *b, const struct key_list *keys)
{
    struct map there;
    size_t n = 0;
    map_init(&there, &b->c->ar, false);
    for (size_t i = 0; i < keys->n && !b->c->failed; i++) {
        struct str snake = b->snake ? snake_of(b, keys->item[i]) : keys->item[i];
        const struct str name[2] = {keys->item[i], snake.p ? snake : keys->item[i]};
        for (size_t k = 0; k < 2; k++) {
            if (map_get(&there, name[k]))
                continue;
            if (!map_put(&there, name[k], 0))
                builder_failed(b);
            n++;
        }
    }
    return n;
}

static void put_table(struct builder *b, const struct node *n, uint32_t object,
                      struct snap_req_node *rec)
{
    struct key_list keys = {0};
    struct table t;
    if (!all_keys(b, n, object, &keys) || keys.n == 0)
        return;
    if (!table_init(b, &t, count_keys(b, &keys)))
        return;
    /* The API's own spelling first: it knows the member that a rule's snake_case means. */
    for (size_t i = 0; b->snake && i < keys.n && !b->c->failed; i++) {
        struct str snake = snake_of(b, keys.item[i]);
        if (snake.p && !str_eq(snake, keys.item[i]))
            add_way(b, &t, n, object, snake, keys.item[i]);
    }
    for (size_t i = 0; i < keys.n && !b->c->failed; i++)
        add_way(b, &t, n, object, keys.item[i], keys.item[i]);
    if (!b->c->failed)
        rec->table = table_write(b, &t, &rec->places);
}

/* The way of all other keys. */
static uint32_t put_star(struct builder *b, const struct node *n, uint32_t object)
{
    uint32_t set = set_by_star(b, n->set), type = 0;
    bool closed = false;
    if (object != SNAP_NONE) {
        const struct object *o = &b->object[object];
        closed = o->closed && o->rest == SNAP_NONE;
        type = o->rest != SNAP_NONE ? o->rest : 0;
    }
    if (set == 0 && type == 0)
        return closed ? WAY_CLOSED : WAY_FREE;
    if (type)
        b->type[type].key = b->type[n->type].test.key;
    struct snap_req_way way = way_to(b, set, type, WAY_NO_BIT);
    if (closed)
        way.info &= ~(uint32_t)127;
    return put_way(b, &way, put_member(b, type));
}

static uint32_t put_item(struct builder *b, const struct node *n)
{
    uint32_t set = set_by_item(b, n->set), type = b->type[n->type].item;
    if (set == 0 && type == 0)
        return WAY_FREE;
    struct snap_req_way way = way_to(b, set, type, WAY_NO_BIT);
    return put_way(b, &way, put_member(b, type));
}

/* What a word leads to: a node, and which bit the word's own member has there. Where that is a
 * choice as well, by the same member, the word chooses again. */
struct chosen {
    uint32_t node, bit;
};

static struct chosen choose(struct builder *b, const struct node *n, const struct shape_set *set,
                            struct str shape, struct str by, struct str word)
{
    uint32_t object = SNAP_NONE, type = 0;
    for (unsigned depth = 0; depth < LIKE_DEPTH && !b->c->failed; depth++) {
        type = type_of_shape(b, set, shape);
        object = b->c->failed ? SNAP_NONE : b->type[type].object;
        if (object == SNAP_NONE)
            break;
        build_object(b, object);
        const struct req_shape *again = b->c->failed ? NULL : b->object[object].choice;
        if (!again)
            break;
        size_t i = 0;
        while (i < again->n_choices && !str_eq(again->choice[i].word, word))
            i++;
        if (!str_eq(again->by, by) || i == again->n_choices) {
            object = SNAP_NONE; /* nobody can tell */
            type = 0;
            break;
        }
        shape = again->choice[i].shape;
    }
    uint32_t node = node_of(b, n->set, type), bit = WAY_NO_BIT;
    if (b->c->failed)
        return (struct chosen){0, 0};
    const uint32_t *m = object == SNAP_NONE ? NULL : map_get(&b->object[object].by_name, by);
    if (m)
        bit = b->object[object].member[*m].bit;
    return (struct chosen){b->first_node + node, bit};
}

/* The words of a choice, as a table of ways to their nodes. */
static void put_cases(struct builder *b, const struct node *n, const struct shape_set *set,
                      const struct req_shape *s, struct snap_req_choice *rec)
{
    struct table t;
    struct str *word = arena_array(&b->c->ar, s->n_choices, sizeof *word);
    if (!word) {
        builder_failed(b);
        return;
    }
    if (!table_init(b, &t, s->n_choices))
        return;
    for (size_t i = 0; i < s->n_choices && !b->c->failed; i++) {
        struct chosen to = choose(b, n, set, s->choice[i].shape, s->by, s->choice[i].word);
        struct snap_req_way way = {.node = to.node, .info = to.bit << 8};
        word[i] = s->choice[i].word;
        if (!map_get(&t.there, word[i]))
            table_put(b, &t, word[i], way, SNAP_NONE);
    }
    if (b->c->failed)
        return;
    rec->words = req_put_strings(b->c, word, s->n_choices);
    rec->table = table_write(b, &t, &rec->places);
}

/* Of a node that is not decided yet: one key decides, and all others ask. */
static void put_undecided(struct builder *b, const struct node *n, uint32_t object,
                          struct snap_req_node *node)
{
    const struct shape_set *set = b->object[object].set;
    const struct req_shape *s = b->object[object].choice;
    uint32_t open = node_of(b, n->set, 0);
    struct snap_req_choice rec = {
        .by = compile_string(b->c, s->by),
        .free = b->first_node + open,
        .object = b->object[object].number,
        .other = CHOICE_REFUSED,
        .missing = CHOICE_REFUSED,
    };
    if (str_is(s->other, "open"))
        rec.other = rec.free;
    else if (s->other.n && !str_is(s->other, "closed"))
        rec.other = choose(b, n, set, s->other, s->by, STR("")).node;
    if (str_is(s->missing, "open"))
        rec.missing = rec.free;
    else if (s->missing.n)
        rec.missing = choose(b, n, set, s->missing, s->by, STR("")).node;
    put_cases(b, n, set, s, &rec);
    struct table t;
    struct str names[2] = {s->by, b->snake ? snake_of(b, s->by) : s->by};
    uint32_t places = set_by_key(b, n->set, s->by);
    struct snap_req_way way = way_to(b, places, 0, 0);
    way.info = (way.info & ~(uint32_t)127) | REQ_STRING | WAY_TESTS | WAY_COUNTS | WAY_CHOOSES;
    if (b->c->failed || !names[1].p || !table_init(b, &t, 2))
        return;
    table_put(b, &t, names[0], way, SNAP_NONE);
    if (!str_eq(names[0], names[1]))
        table_put(b, &t, names[1], way, SNAP_NONE);
    node->table = table_write(b, &t, &node->places);
    struct snap_req_way asks = {.key = SNAP_NONE,
                                .n = SNAP_NONE,
                                .node = SNAP_NONE,
                                .info = 127 | WAY_NO_BIT << 8 | WAY_ASKS};
    node->star = put_way(b, &asks, SNAP_NONE);
    node->object = b->object[object].number;
    node->counted[0] = node->required[0] = 1;
    node->choice = compile_count(b->c, SEC_REQ_CHOICES);
    compile_put(b->c, SEC_REQ_CHOICES, &rec);
}

static void build_node(struct builder *b, uint32_t number)
{
    struct node n = b->node[number]; /* the list grows on the way */
    uint32_t object = b->type[n.type].object;
    struct snap_req_node rec = {.object = SNAP_NONE, .choice = SNAP_NONE};
    if (object != SNAP_NONE)
        build_object(b, object);
    if (b->c->failed)
        return;
    const struct object *o = object == SNAP_NONE ? NULL : &b->object[object];
    if (o && o->choice) {
        put_undecided(b, &n, object, &rec);
    } else {
        if (o) {
            rec.object = o->number;
            snap_put64(rec.counted, o->counted);
            snap_put64(rec.required, o->required);
        }
        put_table(b, &n, object, &rec);
        rec.star = put_star(b, &n, object);
    }
    rec.item = put_item(b, &n);
    b->node[number].rec = rec;
}

uint32_t compile_root(struct builder *b, uint32_t set, const struct shape_set *shapes)
{
    uint32_t type = 0;
    if (shapes) {
        b->shape_type = arena_array(&b->c->ar, shapes->n, sizeof *b->shape_type);
        if (!b->shape_type)
            return builder_failed(b);
        type = type_of_shape(b, shapes, shapes->root);
    }
    if (b->c->failed)
        return 0;
    size_t from = b->n_nodes;
    struct snap_req_way way = way_to(b, set, type, WAY_NO_BIT);
    for (size_t i = from; i < b->n_nodes && !b->c->failed && !b->c->too_large; i++)
        build_node(b, (uint32_t)i);
    return put_way(b, &way, put_member(b, type));
}

void compile_nodes_begin(struct builder *b)
{
    map_init(&b->by_set_type, &b->c->ar, false);
    map_init(&b->by_way, &b->c->ar, false);
    map_init(&b->by_ways, &b->c->ar, false);
    new_type(b, 127); /* anything */
    if (b->c->failed)
        return;
    uint32_t leaf = node_of(b, 0, 0);
    if (!b->c->failed)
        b->node[leaf].rec = (struct snap_req_node){
            .star = WAY_FREE, .item = WAY_FREE, .object = SNAP_NONE, .choice = SNAP_NONE};
}

void compile_nodes_end(struct builder *b)
{
    for (size_t i = 0; i < b->n_nodes && !b->c->failed; i++)
        compile_put(b->c, SEC_REQ_NODES, &b->node[i].rec);
}
