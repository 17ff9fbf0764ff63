/*
 * schema_make.c - a short value that fits a JSON Schema.
 *
 * A value has to fit a set of schemas: the one that is given, what it refers to, all of `allOf`,
 * and one branch of each `anyOf` and `oneOf`. When the set is complete, it says which kinds and
 * limits there are; a value is made of them, and for each member or item a set of its own. What was
 * chosen is checked, and if it does not fit the next branch or kind is tried, as long as there are
 * steps left. In the end the whole is checked, so that nothing is claimed that was not seen to
 * hold.
 */
#include "schema.h"

#include "base/invariant.h"
#include "base/limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define SET_MOST 40u      /* schemas that hold of one value */
#define CHOICES_MOST 10u  /* of these that leave a choice */
#define MEMBERS_MOST 512u /* of one object */
#define EXTRA_DEPTH 3u    /* down to here lists have an item even if they need none */

struct make {
    struct arena *ar;
    struct schema_work w;
    size_t bytes;   /* that are left */
    size_t variant; /* which of several that must differ this is */
};

struct set {
    const struct json *all[SET_MOST], *choice[CHOICES_MOST];
    size_t n, n_choices;
    bool full; /* there was more than there is room for, or nothing can fit */
};

static const struct json *make_value(struct make *m, const struct set *set, unsigned depth);

/* -- the set ---------------------------------------------------------------------------------- */

static void add_choice(struct set *set, const struct json *some)
{
    if (!some || some->kind != JSON_ARRAY)
        return;
    if (set->n_choices == CHOICES_MOST)
        set->full = true;
    else
        set->choice[set->n_choices++] = some;
}

/* A schema and all that holds with it. */
static void add(struct make *m, struct set *set, const struct json *schema)
{
    if (schema->kind == JSON_TRUE || set->full)
        return;
    for (size_t i = 0; i < set->n; i++)
        if (set->all[i] == schema)
            return;
    if (schema->kind != JSON_OBJECT || set->n == SET_MOST) {
        set->full = true;
        return;
    }
    set->all[set->n++] = schema;
    const struct json *ref = json_get(schema, "$ref"), *all = json_get(schema, "allOf");
    const struct json *to = NULL;
    if (ref && ref->kind == JSON_STRING)
        to = schema_follow(&m->w, ref->text);
    if (to)
        add(m, set, to);
    for (size_t i = 0; all && all->kind == JSON_ARRAY && i < all->n; i++)
        add(m, set, &all->item[i]);
    add_choice(set, json_get(schema, "oneOf"));
    add_choice(set, json_get(schema, "anyOf"));
}

static enum schema_says fits(struct make *m, const struct set *set, const struct json *v)
{
    enum schema_says all = SCHEMA_YES;
    for (size_t i = 0; i < set->n && all != SCHEMA_NO; i++) {
        enum schema_says one = schema_check(&m->w, set->all[i], v);
        all = one < all ? one : all;
    }
    return all;
}

/* The keyword of the i-th schema, or NULL. */
static const struct json *says(const struct set *set, size_t i, const char *keyword)
{
    invariant(i < set->n);
    return json_get(set->all[i], keyword);
}

/* The largest or smallest number that a keyword has in the set. */
static bool limit(const struct set *set, const char *keyword, bool largest, double *out)
{
    bool any = false;
    for (size_t i = 0; i < set->n; i++) {
        const struct json *v = says(set, i, keyword);
        double d;
        if (!v || !schema_number(v, &d))
            continue;
        *out = !any ? d : largest ? fmax(*out, d) : fmin(*out, d);
        any = true;
    }
    return any;
}

/* -- values ----------------------------------------------------------------------------------- */

static struct json *new_value(struct make *m, enum json_kind kind)
{
    if (m->bytes < 8)
        return NULL;
    m->bytes -= 8;
    struct json *v = arena_alloc(m->ar, sizeof *v);
    if (v)
        v->kind = kind;
    return v;
}

static struct json *new_text(struct make *m, enum json_kind kind, struct str text)
{
    if (m->bytes < text.n)
        return NULL;
    m->bytes -= text.n;
    struct json *v = new_value(m, kind);
    if (!v)
        return NULL;
    v->text = str_dup(m->ar, text);
    return v->text.p ? v : NULL;
}

static struct json *new_number(struct make *m, double d)
{
    char text[40];
    if (!isfinite(d))
        return NULL;
    snprintf(text, sizeof text, "%.15g", d == 0 ? 0 : d);
    for (char *p = text; *p; p++)
        if (*p == ',') /* of some locales */
            *p = '.';
    return new_text(m, JSON_NUMBER, str_of(text));
}

struct bounds {
    double low, high;
    bool above, below; /* the ends do not count */
};

static struct bounds read_bounds(const struct set *set)
{
    struct bounds b = {.low = -DBL_MAX, .high = DBL_MAX};
    double v;
    if (limit(set, "minimum", true, &v))
        b.low = v;
    if (limit(set, "maximum", false, &v))
        b.high = v;
    for (size_t i = 0; i < set->n; i++) { /* draft 4 */
        b.above |= json_is_true(says(set, i, "exclusiveMinimum"));
        b.below |= json_is_true(says(set, i, "exclusiveMaximum"));
    }
    if (limit(set, "exclusiveMinimum", true, &v) && v >= b.low) {
        b.low = v;
        b.above = true;
    }
    if (limit(set, "exclusiveMaximum", false, &v) && v <= b.high) {
        b.high = v;
        b.below = true;
    }
    return b;
}

static bool inside(const struct bounds *b, double v)
{
    return (b->above ? v > b->low : v >= b->low) && (b->below ? v < b->high : v <= b->high);
}

/* What numbers are multiples of; 0: of nothing. */
static double read_step(const struct set *set, const struct bounds *b, bool whole)
{
    double step = 0, times = 1;
    limit(set, "multipleOf", true, &step);
    if (step <= 0)
        return whole || b->high - b->low > 2 ? 1 : 0;
    if (!whole || step == floor(step))
        return step;
    if (fabs(1 / step - round(1 / step)) <= 1e-9 / step)
        return 1;
    while (times < 1000 && fabs(step * times - round(step * times)) > 1e-9)
        times++;
    return round(step * times);
}

/* 1 if it may be, else 0, else what is next to one of the bounds. */
static struct json *make_number(struct make *m, const struct set *set, bool whole)
{
    struct bounds b = read_bounds(set);
    double step = read_step(set, &b, whole), more = (double)(int64_t)m->variant;
    if (step == 0) {
        double part = b.above || b.below || more > 0 ? (more + 1) / (more + 2) : 0;
        return new_number(m, b.low + (b.high - b.low) * part);
    }
    if (inside(&b, step))
        return new_number(m, step * (1 + more));
    if (inside(&b, 0))
        return new_number(m, -step * more);
    double first = b.low > 0 ? ceil(b.low / step) * step : floor(b.high / step) * step;
    double by = b.low > 0 ? step : -step;
    if (!inside(&b, first))
        first += by;
    return new_number(m, first + by * more);
}

static const struct {
    const char *format, *text;
} samples[] = {
    {"date-time", "2026-01-15T12:00:00Z"},
    {"date", "2026-01-15"},
    {"time", "12:00:00Z"},
    {"duration", "P1D"},
    {"email", "user@example.com"},
    {"idn-email", "user@example.com"},
    {"hostname", "example.com"},
    {"idn-hostname", "example.com"},
    {"ipv4", "192.0.2.1"},
    {"ipv6", "2001:db8::1"},
    {"uri", "https://example.com/"},
    {"url", "https://example.com/"},
    {"uri-reference", "/"},
    {"iri", "https://example.com/"},
    {"iri-reference", "/"},
    {"uri-template", "/{id}"},
    {"uuid", "123e4567-e89b-42d3-a456-426614174000"},
    {"json-pointer", "/a"},
    {"relative-json-pointer", "0"},
    {"regex", "a"},
    {"byte", "dGV4dA=="},
};

static struct str sample(const struct set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct json *f = says(set, i, "format");
        for (size_t k = 0; f && f->kind == JSON_STRING && k < COUNT_OF(samples); k++)
            if (str_is(f->text, samples[k].format))
                return str_of(samples[k].text);
    }
    return STR("");
}

/* A text with the pattern of the set, if it has one that is understood. */
static struct json *make_pattern(struct make *m, const struct set *set)
{
    double least = 0;
    limit(set, "minLength", true, &least);
    if (least > LIMIT_NAME_BYTES || least < 0)
        return NULL;
    for (size_t i = 0; i < set->n; i++) {
        const struct json *p = says(set, i, "pattern");
        struct buf b;
        buf_init_arena(&b, m->ar, LIMIT_NAME_BYTES);
        if (p && p->kind == JSON_STRING && pattern_make(p->text, (size_t)least, &b) && !b.failed)
            return new_text(m, JSON_STRING, b.n ? STR_IN(b) : STR(""));
    }
    return NULL;
}

static struct json *make_string(struct make *m, const struct set *set)
{
    double least = 0, most = DBL_MAX;
    struct str text = sample(set);
    struct json *v = text.n && !m->variant ? new_text(m, JSON_STRING, text) : NULL;
    if (v && fits(m, set, v) != SCHEMA_NO)
        return v;
    v = make_pattern(m, set);
    if (v && fits(m, set, v) == SCHEMA_YES)
        return v;
    limit(set, "minLength", true, &least);
    limit(set, "maxLength", false, &most);
    if (least > LIMIT_INSTANCE_BYTES || most < 0)
        return NULL;
    struct buf b;
    buf_init_arena(&b, m->ar, LIMIT_INSTANCE_BYTES + 64);
    buf_puts(&b, text.n ? text : STR("text"));
    if (m->variant)
        buf_printf(&b, "%zu", m->variant);
    while (b.n < least && !b.failed)
        buf_putc(&b, 'x');
    if (b.failed)
        return NULL;
    if (b.n > most) /* its end, which has the number of the variant */
        return new_text(m, JSON_STRING, str_from(STR_IN(b), b.n - (size_t)most));
    return new_text(m, JSON_STRING, STR_IN(b));
}

/* -- lists ------------------------------------------------------------------------------------ */

/* What the schemas say of the i-th item. */
static void item_set(struct make *m, const struct set *set, size_t i, struct set *out)
{
    *out = (struct set){.n = 0};
    for (size_t k = 0; k < set->n; k++) {
        const struct json *first = says(set, k, "prefixItems"), *items = says(set, k, "items"),
                          *more = says(set, k, "additionalItems");
        if (!first && items && items->kind == JSON_ARRAY) {
            first = items;
            items = more;
        }
        if (first && first->kind == JSON_ARRAY && i < first->n)
            items = &first->item[i];
        if (items)
            add(m, out, items);
    }
}

static bool is_unique(const struct set *set)
{
    for (size_t i = 0; i < set->n; i++)
        if (json_is_true(says(set, i, "uniqueItems")))
            return true;
    return false;
}

/* How many items have to be of the kind that `contains` says, and which. */
static const struct json *contained(const struct set *set, double *n)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct json *v = says(set, i, "contains"), *least = says(set, i, "minContains");
        *n = 1;
        if (v && least)
            schema_number(least, n);
        if (v)
            return v;
    }
    *n = 0;
    return NULL;
}

static struct json *make_items(struct make *m, const struct set *set, size_t n, unsigned depth)
{
    struct json *v = new_value(m, JSON_ARRAY);
    size_t was = m->variant;
    double of_these;
    const struct json *contains = contained(set, &of_these);
    bool unique = is_unique(set);
    if (v)
        v->item = arena_array(m->ar, n ? n : 1, sizeof *v->item);
    if (!v || !v->item)
        return NULL;
    for (; v->n < n; v->n++) {
        struct set items;
        item_set(m, set, v->n, &items);
        if (contains && (double)v->n < of_these)
            add(m, &items, contains);
        m->variant = unique ? v->n : 0;
        const struct json *item = make_value(m, &items, depth + 1);
        m->variant = was;
        if (!item)
            return NULL;
        v->item[v->n] = *item;
    }
    return v;
}

static struct json *make_array(struct make *m, const struct set *set, unsigned depth)
{
    double least = 0, most = DBL_MAX, of_these;
    limit(set, "minItems", true, &least);
    limit(set, "maxItems", false, &most);
    if (contained(set, &of_these))
        least = fmax(least, of_these);
    if (least > LIMIT_INSTANCE_BYTES / 2 || least > most)
        return NULL;
    if (least == 0 && most >= 1 && depth < EXTRA_DEPTH) {
        struct json *v = make_items(m, set, 1, depth);
        if (v && fits(m, set, v) != SCHEMA_NO)
            return v;
    }
    return make_items(m, set, (size_t)ceil(least), depth);
}

/* -- objects ---------------------------------------------------------------------------------- */

/* What the schemas say of a member. */
static void member_set(struct make *m, const struct set *set, struct str key, struct set *out)
{
    *out = (struct set){.n = 0};
    for (size_t k = 0; k < set->n; k++) {
        const struct json *named = says(set, k, "properties"),
                          *patterns = says(set, k, "patternProperties"),
                          *rest = says(set, k, "additionalProperties"), *one;
        bool spoken = false;
        one = named && named->kind == JSON_OBJECT ? json_member(named, key) : NULL;
        if (one) {
            add(m, out, one);
            spoken = true;
        }
        for (size_t i = 0; patterns && patterns->kind == JSON_OBJECT && i < patterns->n; i++)
            if (schema_pattern(&m->w, patterns->key[i].text, key) == SCHEMA_YES) {
                add(m, out, &patterns->item[i]);
                spoken = true;
            }
        if (!spoken && rest)
            add(m, out, rest);
    }
}

struct members {
    struct str key[MEMBERS_MOST];
    size_t n;
};

static void want(struct members *to, struct str key)
{
    for (size_t i = 0; i < to->n; i++)
        if (str_eq(to->key[i], key))
            return;
    if (to->n < MEMBERS_MOST)
        to->key[to->n++] = key;
}

static void want_all(struct members *to, const struct json *names)
{
    for (size_t i = 0; names && names->kind == JSON_ARRAY && i < names->n; i++)
        if (names->item[i].kind == JSON_STRING)
            want(to, names->item[i].text);
}

/* What must be there, and what must be beside it. */
static void want_required(const struct set *set, struct members *to)
{
    static const char *const beside[] = {"dependentRequired", "dependencies"};
    for (size_t i = 0; i < set->n; i++)
        want_all(to, says(set, i, "required"));
    for (size_t k = 0; k < to->n; k++)
        for (size_t i = 0; i < set->n; i++)
            for (size_t b = 0; b < 2; b++) {
                const struct json *v = says(set, i, beside[b]);
                if (v && v->kind == JSON_OBJECT)
                    want_all(to, json_member(v, to->key[k]));
            }
}

/* So many more: properties that are named, then names of our own. */
static bool want_more(struct make *m, const struct set *set, struct members *to, double least)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct json *named = says(set, i, "properties");
        for (size_t k = 0; named && named->kind == JSON_OBJECT && k < named->n; k++)
            if ((double)to->n < least)
                want(to, named->key[k].text);
    }
    for (size_t i = 0; (double)to->n < least && to->n < MEMBERS_MOST && i < MEMBERS_MOST; i++) {
        struct str key = str_printf(m->ar, "key%zu", i);
        if (!key.p)
            return false;
        want(to, key);
    }
    return (double)to->n >= least;
}

static struct json *make_object(struct make *m, const struct set *set, unsigned depth)
{
    double least = 0;
    struct members *names = arena_alloc(m->ar, sizeof *names);
    struct json *v = names ? new_value(m, JSON_OBJECT) : NULL;
    if (!v)
        return NULL;
    want_required(set, names);
    limit(set, "minProperties", true, &least);
    if (!want_more(m, set, names, least))
        return NULL;
    v->item = arena_array(m->ar, names->n ? names->n : 1, sizeof *v->item);
    v->key = arena_array(m->ar, names->n ? names->n : 1, sizeof *v->key);
    if (!v->item || !v->key)
        return NULL;
    size_t was = m->variant;
    for (; v->n < names->n; v->n++) {
        struct set member;
        member_set(m, set, names->key[v->n], &member);
        if (m->bytes < names->key[v->n].n)
            return NULL;
        m->bytes -= names->key[v->n].n;
        const struct json *one = make_value(m, &member, depth + 1);
        if (!one)
            break;
        v->item[v->n] = *one;
        v->key[v->n].text = names->key[v->n];
    }
    m->variant = was;
    return v->n == names->n ? v : NULL;
}

/* -- any value -------------------------------------------------------------------------------- */

static unsigned wanted_kinds(const struct set *set)
{
    unsigned kinds = KIND_ANY;
    for (size_t i = 0; i < set->n; i++) {
        const struct json *type = says(set, i, "type");
        unsigned one = type ? schema_kinds(type) : 0;
        if (one && json_is_true(says(set, i, "nullable")))
            one |= KIND_NULL;
        kinds &= one ? one : KIND_ANY;
    }
    return kinds;
}

/* What the keywords of a schema without a type are about. */
static unsigned likely_kinds(const struct set *set)
{
    static const struct {
        const char *keyword;
        unsigned kind;
    } about[] = {
        {"properties", KIND_OBJECT},    {"required", KIND_OBJECT},
        {"minProperties", KIND_OBJECT}, {"additionalProperties", KIND_OBJECT},
        {"items", KIND_ARRAY},          {"prefixItems", KIND_ARRAY},
        {"minItems", KIND_ARRAY},       {"contains", KIND_ARRAY},
        {"minimum", KIND_INTEGER},      {"maximum", KIND_INTEGER},
        {"multipleOf", KIND_INTEGER},   {"pattern", KIND_STRING},
        {"minLength", KIND_STRING},     {"maxLength", KIND_STRING},
        {"format", KIND_STRING},
    };
    unsigned kinds = 0;
    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < COUNT_OF(about); k++)
            if (says(set, i, about[k].keyword))
                kinds |= about[k].kind;
    return kinds;
}

static struct json *make_kind(struct make *m, const struct set *set, unsigned kind, unsigned depth)
{
    switch (kind) {
    case KIND_OBJECT:
        return make_object(m, set, depth);
    case KIND_ARRAY:
        return make_array(m, set, depth);
    case KIND_STRING:
        return make_string(m, set);
    case KIND_INTEGER:
    case KIND_NUMBER:
        return make_number(m, set, kind == KIND_INTEGER);
    case KIND_BOOLEAN:
        return new_value(m, m->variant % 2 ? JSON_FALSE : JSON_TRUE);
    default:
        return new_value(m, JSON_NULL);
    }
}

/* The better of two, the first if they are as good. */
static bool take(struct make *m, const struct set *set, const struct json *v,
                 const struct json **best)
{
    enum schema_says it = v ? fits(m, set, v) : SCHEMA_NO;
    if (it == SCHEMA_YES || (it == SCHEMA_UNSURE && !*best))
        *best = v;
    return it == SCHEMA_YES;
}

/* A value that a schema itself has: one of its words, an example, or what counts if there is none.
 */
static const struct json *make_given(struct make *m, const struct set *set, bool only,
                                     const struct json **best)
{
    static const char *const lists[] = {"enum", "examples"}, *const ones[] = {"const", "default"};
    for (size_t i = 0; i < set->n; i++) {
        const struct json *list = says(set, i, lists[!only]), *one = says(set, i, ones[!only]);
        size_t n = list && list->kind == JSON_ARRAY ? list->n : 0, skip = only ? m->variant : 0;
        if (one && (only || one->kind != JSON_NULL) && take(m, set, one, best))
            return *best;
        for (size_t k = 0; k < n && m->w.steps; k++)
            if (take(m, set, &list->item[(k + skip) % n], best))
                return *best;
    }
    return NULL;
}

static bool has_words(const struct set *set)
{
    for (size_t i = 0; i < set->n; i++)
        if (says(set, i, "enum") || says(set, i, "const"))
            return true;
    return false;
}

static const struct json *make_leaf(struct make *m, const struct set *set, unsigned depth)
{
    static const unsigned order[] = {KIND_OBJECT, KIND_ARRAY,   KIND_STRING, KIND_INTEGER,
                                     KIND_NUMBER, KIND_BOOLEAN, KIND_NULL};
    const struct json *best = NULL;
    if (make_given(m, set, true, &best) || has_words(set))
        return best;
    if (!m->variant && make_given(m, set, false, &best))
        return best;
    unsigned wanted = wanted_kinds(set), likely = wanted & likely_kinds(set);
    if (wanted == KIND_ANY && !likely)
        likely = depth ? KIND_STRING : KIND_OBJECT;
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = 0; i < COUNT_OF(order); i++) {
            unsigned kind = order[i];
            if (!(kind & wanted) || (bool)(kind & likely) == (round == 1))
                continue;
            if (take(m, set, make_kind(m, set, kind, depth), &best))
                return best;
        }
    return best;
}

static const struct json *make_value(struct make *m, const struct set *set, unsigned depth)
{
    const struct json *best = NULL;
    if (set->full || depth > LIMIT_INSTANCE_DEPTH || m->w.steps == 0 || m->ar->failed)
        return NULL;
    m->w.steps--;
    if (!set->n_choices)
        return make_leaf(m, set, depth);
    const struct json *choice = set->choice[set->n_choices - 1];
    for (size_t i = 0; i < choice->n; i++) {
        struct set next = *set;
        next.n_choices--;
        add(m, &next, &choice->item[i]);
        if (take(m, set, make_value(m, &next, depth), &best))
            return best;
    }
    return best;
}

const struct json *schema_make(struct arena *ar, const struct json *schema, const char **doubt)
{
    struct make m = {.ar = ar, .w = {schema, LIMIT_INSTANCE_STEPS}, .bytes = LIMIT_INSTANCE_BYTES};
    struct set set = {.n = 0};
    add(&m, &set, schema);
    const struct json *v = make_value(&m, &set, 0);
    m.w.steps = LIMIT_INSTANCE_STEPS;
    enum schema_says it = v ? schema_check(&m.w, schema, v) : SCHEMA_NO;
    *doubt = it == SCHEMA_YES      ? NULL
             : it == SCHEMA_UNSURE ? "it uses more of JSON Schema than is understood"
                                   : "no value was found that fits";
    return it == SCHEMA_NO ? NULL : v;
}
