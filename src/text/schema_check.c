/*
 * schema_check.c - does a value fit a JSON Schema?
 *
 * One row a keyword; a schema's members are looked up one by one, and the worst answer counts.
 */
#include "schema.h"

#include "base/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PATTERN_STEPS 20u /* what a pattern counts as */

struct check {
    struct schema_work *w;
    const struct json *schema; /* that the keyword stands in, */
    const struct json *says;   /* and its value there */
    const struct json *v;
    unsigned depth;
};

static enum schema_says check_at(struct schema_work *w, const struct json *schema,
                                 const struct json *v, unsigned depth);

static enum schema_says worse(enum schema_says a, enum schema_says b)
{
    return a < b ? a : b;
}

static bool spend(struct schema_work *w, unsigned steps)
{
    bool enough = w->steps >= steps;
    w->steps -= enough ? steps : w->steps;
    return enough;
}

enum schema_says schema_pattern(struct schema_work *w, struct str pattern, struct str text)
{
    return spend(w, PATTERN_STEPS) ? pattern_check(pattern, text) : SCHEMA_UNSURE;
}

static enum schema_says yes_if(bool b)
{
    return b ? SCHEMA_YES : SCHEMA_NO;
}

static enum schema_says below(const struct check *c, const struct json *schema,
                              const struct json *v)
{
    return check_at(c->w, schema, v, c->depth + 1);
}

/* strtod gets digits and an exponent alone: what stands for the decimal point depends on the
 * locale. */
bool schema_number(const struct json *v, double *out)
{
    char text[80];
    size_t n = 0, exponent = v->text.n;
    long scale = 0;
    if ((v->kind != JSON_NUMBER && v->kind != JSON_STRING) || !v->text.n || v->text.n > 60)
        return false;
    for (size_t i = 0; i < v->text.n && exponent == v->text.n; i++) {
        char c = v->text.p[i];
        if (c == 'e' || c == 'E')
            exponent = i;
        else if (c != '.')
            text[n++] = c;
        else
            scale = (long)i;
    }
    scale = scale ? scale + 1 - (long)exponent : 0;
    char *end;
    if (exponent < v->text.n) {
        scale += strtol(v->text.p + exponent + 1, &end, 10);
        if (end != v->text.p + v->text.n)
            return false;
    }
    snprintf(text + n, sizeof text - n, "e%ld", scale);
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

const struct json *schema_follow(const struct schema_work *w, struct str ref)
{
    if (!str_starts(ref, STR("#")))
        return NULL;
    struct str pointer = str_from(ref, 1);
    if (pointer.n && pointer.p[0] != '/')
        return NULL;
    return json_pointer(w->root, pointer);
}

/* -- kinds ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    unsigned kinds;
} kind_words[] = {
    {"null", KIND_NULL},       {"boolean", KIND_BOOLEAN}, {"string", KIND_STRING},
    {"integer", KIND_INTEGER}, {"array", KIND_ARRAY},     {"number", KIND_NUMBER | KIND_INTEGER},
    {"object", KIND_OBJECT},
};

unsigned schema_kinds(const struct json *type)
{
    unsigned kinds = 0;
    for (size_t i = 0; type->kind == JSON_ARRAY && i < type->n; i++)
        if (type->item[i].kind == JSON_STRING)
            kinds |= schema_kinds(&type->item[i]);
    for (size_t i = 0; type->kind == JSON_STRING && i < COUNT_OF(kind_words); i++)
        if (str_eq_fold(type->text, str_of(kind_words[i].name)))
            kinds |= kind_words[i].kinds;
    return kinds;
}

static unsigned kinds_of(const struct json *v)
{
    double d;
    switch (v->kind) {
    case JSON_NULL:
        return KIND_NULL;
    case JSON_STRING:
        return KIND_STRING;
    case JSON_ARRAY:
        return KIND_ARRAY;
    case JSON_OBJECT:
        return KIND_OBJECT;
    case JSON_NUMBER:
        return schema_number(v, &d) && d == floor(d) ? KIND_INTEGER | KIND_NUMBER : KIND_NUMBER;
    default:
        return KIND_BOOLEAN;
    }
}

static enum schema_says check_type(const struct check *c)
{
    unsigned wanted = schema_kinds(c->says);
    if (json_is_true(json_get(c->schema, "nullable")))
        wanted |= KIND_NULL;
    if (!wanted)
        return SCHEMA_UNSURE;
    return yes_if(wanted & kinds_of(c->v));
}

static bool same(const struct json *a, const struct json *b)
{
    double x, y;
    if (a->kind == JSON_NUMBER && b->kind == JSON_NUMBER)
        return schema_number(a, &x) && schema_number(b, &y) && x == y;
    return json_equal(a, b);
}

static enum schema_says check_enum(const struct check *c)
{
    for (size_t i = 0; c->says->kind == JSON_ARRAY && i < c->says->n; i++) {
        if (!spend(c->w, 1))
            return SCHEMA_UNSURE;
        if (same(&c->says->item[i], c->v))
            return SCHEMA_YES;
    }
    return SCHEMA_NO;
}

static enum schema_says check_const(const struct check *c)
{
    return yes_if(same(c->says, c->v));
}

/* -- numbers ---------------------------------------------------------------------------------- */

static bool numbers(const struct check *c, double *limit, double *v)
{
    return c->v->kind == JSON_NUMBER && schema_number(c->says, limit) && schema_number(c->v, v);
}

/* Draft 4 has a flag beside the limit. */
static bool is_exclusive(const struct check *c, const char *flag)
{
    return json_is_true(json_get(c->schema, flag));
}

static enum schema_says check_minimum(const struct check *c)
{
    double limit, v;
    if (!numbers(c, &limit, &v))
        return SCHEMA_YES;
    return yes_if(v > limit || (v == limit && !is_exclusive(c, "exclusiveMinimum")));
}

static enum schema_says check_maximum(const struct check *c)
{
    double limit, v;
    if (!numbers(c, &limit, &v))
        return SCHEMA_YES;
    return yes_if(v < limit || (v == limit && !is_exclusive(c, "exclusiveMaximum")));
}

static enum schema_says check_above(const struct check *c)
{
    double limit, v;
    return yes_if(!numbers(c, &limit, &v) || v > limit);
}

static enum schema_says check_below(const struct check *c)
{
    double limit, v;
    return yes_if(!numbers(c, &limit, &v) || v < limit);
}

static enum schema_says check_multiple(const struct check *c)
{
    double step, v;
    if (!numbers(c, &step, &v))
        return SCHEMA_YES;
    if (step <= 0)
        return SCHEMA_UNSURE;
    double times = v / step;
    if (!isfinite(times))
        return SCHEMA_UNSURE;
    return yes_if(fabs(times - round(times)) <= 1e-9 * fmax(1, fabs(times)));
}

/* -- texts ------------------------------------------------------------------------------------ */

static bool counted(const struct check *c, enum json_kind kind, double *limit)
{
    return c->v->kind == kind && schema_number(c->says, limit);
}

static enum schema_says check_min_length(const struct check *c)
{
    double limit;
    return yes_if(!counted(c, JSON_STRING, &limit) || (double)str_utf8_len(c->v->text) >= limit);
}

static enum schema_says check_max_length(const struct check *c)
{
    double limit;
    return yes_if(!counted(c, JSON_STRING, &limit) || (double)str_utf8_len(c->v->text) <= limit);
}

static enum schema_says check_pattern(const struct check *c)
{
    if (c->v->kind != JSON_STRING || c->says->kind != JSON_STRING)
        return SCHEMA_YES;
    return schema_pattern(c->w, c->says->text, c->v->text);
}

/* -- lists ------------------------------------------------------------------------------------ */

static enum schema_says check_tuple(const struct check *c)
{
    enum schema_says all = SCHEMA_YES;
    for (size_t i = 0; c->v->kind == JSON_ARRAY && i < c->v->n && i < c->says->n; i++)
        all = worse(all, below(c, &c->says->item[i], &c->v->item[i]));
    return all;
}

static enum schema_says check_rest(const struct check *c, size_t from)
{
    enum schema_says all = SCHEMA_YES;
    for (size_t i = from; c->v->kind == JSON_ARRAY && i < c->v->n && all != SCHEMA_NO; i++)
        all = worse(all, below(c, c->says, &c->v->item[i]));
    return all;
}

static enum schema_says check_items(const struct check *c)
{
    const struct json *first = json_get(c->schema, "prefixItems");
    if (c->says->kind == JSON_ARRAY)
        return check_tuple(c);
    return check_rest(c, first && first->kind == JSON_ARRAY ? first->n : 0);
}

static enum schema_says check_additional_items(const struct check *c)
{
    const struct json *items = json_get(c->schema, "items");
    if (!items || items->kind != JSON_ARRAY)
        return SCHEMA_YES;
    return check_rest(c, items->n);
}

static enum schema_says check_min_items(const struct check *c)
{
    double limit;
    return yes_if(!counted(c, JSON_ARRAY, &limit) || (double)c->v->n >= limit);
}

static enum schema_says check_max_items(const struct check *c)
{
    double limit;
    return yes_if(!counted(c, JSON_ARRAY, &limit) || (double)c->v->n <= limit);
}

static enum schema_says check_unique(const struct check *c)
{
    if (c->says->kind != JSON_TRUE || c->v->kind != JSON_ARRAY)
        return SCHEMA_YES;
    for (size_t i = 0; i < c->v->n; i++)
        for (size_t k = 0; k < i; k++) {
            if (!spend(c->w, 1))
                return SCHEMA_UNSURE;
            if (same(&c->v->item[i], &c->v->item[k]))
                return SCHEMA_NO;
        }
    return SCHEMA_YES;
}

static enum schema_says check_contains(const struct check *c)
{
    const struct json *least = json_get(c->schema, "minContains"),
                      *most = json_get(c->schema, "maxContains");
    double low = 1, high = INFINITY;
    size_t sure = 0, unsure = 0;
    if (c->v->kind != JSON_ARRAY)
        return SCHEMA_YES;
    if (least)
        schema_number(least, &low);
    if (most)
        schema_number(most, &high);
    for (size_t i = 0; i < c->v->n; i++) {
        enum schema_says one = below(c, c->says, &c->v->item[i]);
        sure += one == SCHEMA_YES;
        unsure += one == SCHEMA_UNSURE;
    }
    if ((double)(sure + unsure) < low || (double)sure > high)
        return SCHEMA_NO;
    return (double)sure >= low && (double)(sure + unsure) <= high ? SCHEMA_YES : SCHEMA_UNSURE;
}

/* -- objects ---------------------------------------------------------------------------------- */

static enum schema_says check_properties(const struct check *c)
{
    enum schema_says all = SCHEMA_YES;
    if (c->v->kind != JSON_OBJECT || c->says->kind != JSON_OBJECT)
        return SCHEMA_YES;
    for (size_t i = 0; i < c->says->n && all != SCHEMA_NO; i++) {
        const struct json *v = json_member(c->v, c->says->key[i].text);
        if (v)
            all = worse(all, below(c, &c->says->item[i], v));
    }
    return all;
}

static enum schema_says check_patterns(const struct check *c)
{
    enum schema_says all = SCHEMA_YES;
    if (c->v->kind != JSON_OBJECT || c->says->kind != JSON_OBJECT)
        return SCHEMA_YES;
    for (size_t i = 0; i < c->says->n; i++)
        for (size_t k = 0; k < c->v->n; k++) {
            enum schema_says named = schema_pattern(c->w, c->says->key[i].text, c->v->key[k].text);
            if (named == SCHEMA_NO)
                continue;
            enum schema_says fits = below(c, &c->says->item[i], &c->v->item[k]);
            all = worse(all, named == SCHEMA_YES || fits == SCHEMA_YES ? fits : SCHEMA_UNSURE);
        }
    return all;
}

/* Is the member spoken of, by its name or by a pattern? */
static enum schema_says is_named(const struct check *c, struct str key)
{
    const struct json *named = json_get(c->schema, "properties"),
                      *patterns = json_get(c->schema, "patternProperties");
    enum schema_says best = SCHEMA_NO;
    if (named && named->kind == JSON_OBJECT && json_member(named, key))
        return SCHEMA_YES;
    for (size_t i = 0; patterns && patterns->kind == JSON_OBJECT && i < patterns->n; i++) {
        enum schema_says one = schema_pattern(c->w, patterns->key[i].text, key);
        best = one > best ? one : best;
    }
    return best;
}

static enum schema_says check_additional(const struct check *c)
{
    enum schema_says all = SCHEMA_YES;
    for (size_t i = 0; c->v->kind == JSON_OBJECT && i < c->v->n && all != SCHEMA_NO; i++) {
        enum schema_says named = is_named(c, c->v->key[i].text);
        if (named == SCHEMA_YES)
            continue;
        enum schema_says fits = below(c, c->says, &c->v->item[i]);
        all = worse(all, named == SCHEMA_NO || fits == SCHEMA_YES ? fits : SCHEMA_UNSURE);
    }
    return all;
}

static bool has_all(const struct json *v, const struct json *names)
{
    for (size_t i = 0; names->kind == JSON_ARRAY && i < names->n; i++)
        if (names->item[i].kind == JSON_STRING && !json_member(v, names->item[i].text))
            return false;
    return true;
}

static enum schema_says check_required(const struct check *c)
{
    return yes_if(c->v->kind != JSON_OBJECT || has_all(c->v, c->says));
}

/* What one member demands of the others: a list of them, or a schema. */
static enum schema_says check_dependent(const struct check *c)
{
    enum schema_says all = SCHEMA_YES;
    if (c->v->kind != JSON_OBJECT || c->says->kind != JSON_OBJECT)
        return SCHEMA_YES;
    for (size_t i = 0; i < c->says->n; i++) {
        const struct json *what = &c->says->item[i];
        if (!json_member(c->v, c->says->key[i].text))
            continue;
        if (what->kind == JSON_ARRAY)
            all = worse(all, yes_if(has_all(c->v, what)));
        else
            all = worse(all, below(c, what, c->v));
    }
    return all;
}

static enum schema_says check_names(const struct check *c)
{
    enum schema_says all = SCHEMA_YES;
    for (size_t i = 0; c->v->kind == JSON_OBJECT && i < c->v->n; i++) {
        const struct json name = {.kind = JSON_STRING, .text = c->v->key[i].text};
        all = worse(all, below(c, c->says, &name));
    }
    return all;
}

static enum schema_says check_min_properties(const struct check *c)
{
    double limit;
    return yes_if(!counted(c, JSON_OBJECT, &limit) || (double)c->v->n >= limit);
}

static enum schema_says check_max_properties(const struct check *c)
{
    double limit;
    return yes_if(!counted(c, JSON_OBJECT, &limit) || (double)c->v->n <= limit);
}

/* -- schemas of schemas ----------------------------------------------------------------------- */

static enum schema_says check_all(const struct check *c)
{
    enum schema_says all = SCHEMA_YES;
    for (size_t i = 0; c->says->kind == JSON_ARRAY && i < c->says->n && all != SCHEMA_NO; i++)
        all = worse(all, below(c, &c->says->item[i], c->v));
    return all;
}

static enum schema_says check_any(const struct check *c)
{
    enum schema_says best = SCHEMA_NO;
    for (size_t i = 0; c->says->kind == JSON_ARRAY && i < c->says->n && best != SCHEMA_YES; i++) {
        enum schema_says one = below(c, &c->says->item[i], c->v);
        best = one > best ? one : best;
    }
    return best;
}

static enum schema_says check_one(const struct check *c)
{
    size_t sure = 0, unsure = 0;
    for (size_t i = 0; c->says->kind == JSON_ARRAY && i < c->says->n; i++) {
        enum schema_says one = below(c, &c->says->item[i], c->v);
        sure += one == SCHEMA_YES;
        unsure += one == SCHEMA_UNSURE;
    }
    if (sure > 1 || sure + unsure == 0)
        return SCHEMA_NO;
    return unsure ? SCHEMA_UNSURE : SCHEMA_YES;
}

static enum schema_says check_not(const struct check *c)
{
    enum schema_says it = below(c, c->says, c->v);
    return it == SCHEMA_YES ? SCHEMA_NO : it == SCHEMA_NO ? SCHEMA_YES : SCHEMA_UNSURE;
}

static enum schema_says check_if(const struct check *c)
{
    const struct json *then = json_get(c->schema, "then"), *other = json_get(c->schema, "else");
    enum schema_says it = below(c, c->says, c->v), yes = then ? below(c, then, c->v) : SCHEMA_YES,
                     no = other ? below(c, other, c->v) : SCHEMA_YES;
    if (it == SCHEMA_UNSURE)
        return yes == no ? yes : SCHEMA_UNSURE;
    return it == SCHEMA_YES ? yes : no;
}

static enum schema_says check_ref(const struct check *c)
{
    const struct json *to =
        c->says->kind == JSON_STRING ? schema_follow(c->w, c->says->text) : NULL;
    return to ? below(c, to, c->v) : SCHEMA_UNSURE;
}

static enum schema_says check_unknown(const struct check *c)
{
    (void)c;
    return SCHEMA_UNSURE;
}

/* What is left over by all others: sure where there is nothing, or anything may be. */
static enum schema_says check_left_over(const struct check *c)
{
    bool any = c->says->kind == JSON_TRUE;
    return any || c->v->n == 0 ? SCHEMA_YES : SCHEMA_UNSURE;
}

static const struct {
    const char *name;
    enum schema_says (*check)(const struct check *c);
} keywords[] = {
    {"type", check_type},
    {"enum", check_enum},
    {"const", check_const},
    {"properties", check_properties},
    {"required", check_required},
    {"additionalProperties", check_additional},
    {"items", check_items},
    {"$ref", check_ref},
    {"anyOf", check_any},
    {"oneOf", check_one},
    {"allOf", check_all},
    {"not", check_not},
    {"if", check_if},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"exclusiveMinimum", check_above},
    {"exclusiveMaximum", check_below},
    {"multipleOf", check_multiple},
    {"minLength", check_min_length},
    {"maxLength", check_max_length},
    {"pattern", check_pattern},
    {"minItems", check_min_items},
    {"maxItems", check_max_items},
    {"uniqueItems", check_unique},
    {"prefixItems", check_tuple},
    {"additionalItems", check_additional_items},
    {"contains", check_contains},
    {"patternProperties", check_patterns},
    {"propertyNames", check_names},
    {"minProperties", check_min_properties},
    {"maxProperties", check_max_properties},
    {"dependentRequired", check_dependent},
    {"dependentSchemas", check_dependent},
    {"dependencies", check_dependent},
    {"unevaluatedProperties", check_left_over},
    {"unevaluatedItems", check_left_over},
    {"$dynamicRef", check_unknown},
    {"$recursiveRef", check_unknown},
};

static enum schema_says check_at(struct schema_work *w, const struct json *schema,
                                 const struct json *v, unsigned depth)
{
    enum schema_says all = SCHEMA_YES;
    if (schema->kind == JSON_TRUE || schema->kind == JSON_FALSE)
        return yes_if(schema->kind == JSON_TRUE);
    if (schema->kind != JSON_OBJECT || depth > LIMIT_INSTANCE_DEPTH || !spend(w, 1))
        return SCHEMA_UNSURE;
    struct check c = {.w = w, .schema = schema, .v = v, .depth = depth};
    for (size_t i = 0; i < schema->n && all != SCHEMA_NO; i++)
        for (size_t k = 0; k < COUNT_OF(keywords); k++) {
            if (!str_is(schema->key[i].text, keywords[k].name))
                continue;
            c.says = &schema->item[i];
            all = worse(all, keywords[k].check(&c));
            break;
        }
    return all;
}

enum schema_says schema_check(struct schema_work *w, const struct json *schema,
                              const struct json *value)
{
    return check_at(w, schema, value, 0);
}
