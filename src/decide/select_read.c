/*
 * select_read.c - criteria, and models that are given inline.
 */
#include "base/limits.h"
#include "select.h"
#include "text/glob.h"

#include <stdlib.h>

const char *const select_sorts[SORT_COUNT] = {"name", "price", "context", "release"};

/* -- lists of names ------------------------------------------------------------------------ */

static const struct json *list_arg(struct reading *r, const struct json *args, const char *key, bool *ok)
{
    const struct json *v = json_get(args, key);
    struct str at = reading_at(r, STR(""), key);
    *ok = true;
    if (v && !reading_array(r, v, at, key))
        *ok = false;
    return *ok ? v : NULL;
}

static bool text_item(struct reading *r, const struct json *v, struct str at, struct str *out)
{
    if (v->kind != JSON_STRING)
        return reading_fail(r, CODE_bad_argument, at, "a name must be a string, this is %s", json_kind_name(v));
    if (v->text.n == 0 || v->text.n > LIMIT_NAME_BYTES)
        return reading_fail(r, CODE_bad_argument, at, "a name has 1 to %u bytes", LIMIT_NAME_BYTES);
    *out = v->text;
    return true;
}

/* A capability alone, or {"capability","min_support"?,"includes"?}. */
static bool read_wanted(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    struct need n = {.min_support = CANDO_MIN_EMULATED, .required_by = STR(""), .path = at};
    if (v->kind != JSON_OBJECT) {
        if (!text_item(r, v, at, &n.name) || !need_name(r, n.name, at, &n.kind, &n.slot))
            return false;
        if (n.kind == NEED_NUMBER)
            return reading_fail(r, CODE_bad_argument, at, "'%.*s' is a number: put it under 'minimum'", STR_ARG(n.name));
        return need_add(r, out, n);
    }
    struct str word;
    if (!reading_keys(r, v, at, "a capability", "capability min_support includes") ||
        !reading_text(r, v, at, "capability", true, &n.name) || !need_name(r, n.name, at, &n.kind, &n.slot) ||
        !reading_text(r, v, at, "min_support", false, &word))
        return false;
    if (n.kind == NEED_NUMBER)
        return reading_fail(r, CODE_bad_argument, at, "'%.*s' is a number: put it under 'minimum'", STR_ARG(n.name));
    if (json_get(v, "min_support") && (!min_support_find(word, &n.min_support) || n.min_support == CANDO_MIN_ANY)) {
        reading_fail(r, CODE_bad_argument, at, "no threshold is called '%.*s'", STR_ARG(str_head(word, 80)));
        return reading_hint(r, "known: 'native', 'emulated'");
    }
    const struct json *inc = json_get(v, "includes");
    for (size_t i = 0; inc && i < inc->n; i++) {
        uint32_t bit = n.kind == NEED_SET && inc->kind == JSON_ARRAY && inc->item[i].kind == JSON_STRING
                           ? set_bit(set_field(n.slot), inc->item[i].text)
                           : 0;
        if (!bit)
            return reading_fail(r, CODE_unknown_word, at, "'%.*s' has no such word", STR_ARG(n.name));
        n.set |= bit;
    }
    return need_add(r, out, n);
}

static bool read_wanted_list(struct reading *r, const struct json *args, const char *key, struct need_list *out)
{
    bool ok;
    const struct json *v = list_arg(r, args, key, &ok);
    need_list_init(out);
    for (size_t i = 0; v && i < v->n; i++)
        if (!read_wanted(r, &v->item[i], reading_at_index(r, reading_at(r, STR(""), key), i), out))
            return false;
    return ok;
}

/* A capability, or else a provider. A name that is almost a capability is taken for
 * a mistake. */
static bool read_prefer(struct reading *r, const struct json *args, struct criteria *out)
{
    bool ok;
    const struct json *v = list_arg(r, args, "prefer", &ok);
    need_list_init(&out->prefer);
    if (!v)
        return ok;
    out->prefer_provider = arena_array(r->ar, v->n, sizeof *out->prefer_provider);
    if (!out->prefer_provider)
        return reading_memory(r);
    for (size_t i = 0; i < v->n; i++) {
        struct str at = reading_at_index(r, STR("/prefer"), i);
        uint8_t kind, slot;
        const struct json *x = &v->item[i];
        if (x->kind == JSON_OBJECT || (x->kind == JSON_STRING && need_find(x->text, &kind, &slot))) {
            if (!read_wanted(r, x, at, &out->prefer))
                return false;
            continue;
        }
        if (!text_item(r, x, at, &out->prefer_provider[out->n_prefer_providers]))
            return false;
        out->n_prefer_providers++;
    }
    return true;
}

static bool read_providers(struct reading *r, const struct json *args, struct criteria *out)
{
    bool ok;
    const struct json *v = list_arg(r, args, "providers", &ok);
    if (!v)
        return ok;
    out->has_providers = true;
    out->provider = arena_array(r->ar, v->n, sizeof *out->provider);
    if (!out->provider)
        return reading_memory(r);
    for (size_t i = 0; i < v->n; i++)
        if (!text_item(r, &v->item[i], reading_at_index(r, STR("/providers"), i), &out->provider[out->n_providers++]))
            return false;
    return true;
}

static bool read_patterns(struct reading *r, const struct json *args, const char *key, struct select_pattern **out, size_t *n)
{
    bool ok;
    const struct json *v = list_arg(r, args, key, &ok);
    *out = NULL;
    *n = 0;
    if (!v)
        return ok;
    *out = arena_array(r->ar, v->n, sizeof **out);
    if (!*out)
        return reading_memory(r);
    for (size_t i = 0; i < v->n; i++) {
        struct select_pattern *p = &(*out)[(*n)++];
        struct str at = reading_at_index(r, reading_at(r, STR(""), key), i);
        struct glob_set set;
        bool too_many = false;
        if (!text_item(r, &v->item[i], at, &p->text))
            return false;
        p->whole = str_find_char(p->text, '/') == p->text.n;
        if (!glob_compile(r->ar, p->text, &set, &too_many))
            return too_many ? reading_fail(r, CODE_bad_argument, at, "the pattern has too many alternatives") : reading_memory(r);
        p->glob = (struct glob_programs){set.program, set.n};
    }
    return true;
}

/* -- bounds -------------------------------------------------------------------------------------- */

static bool read_bound(struct reading *r, struct str key, const struct json *v, struct str at, bool maximum,
                       struct select_bound *out)
{
    uint8_t kind, slot;
    *out = (struct select_bound){.name = key};
    bool in = str_is(key, "input_price"), price = in || str_is(key, "output_price");
    if (price) {
        out->kind = in ? LIMIT_INPUT_PRICE : LIMIT_OUTPUT_PRICE;
        if ((v->kind != JSON_STRING && v->kind != JSON_NUMBER) || !price_parse(v->text, &out->value)) {
            reading_fail(r, CODE_bad_argument, at, "a price is a decimal number that is not negative");
            return reading_hint(r, "in USD per million tokens: \"1.5\"");
        }
        return true;
    }
    if (!need_find(key, &kind, &slot) || kind != NEED_NUMBER) {
        reading_fail(r, CODE_unknown_field, at, "'%.*s' is no number", STR_ARG(str_head(key, 80)));
        return reading_hint(r, "for example 'context_window', 'max_output', 'input_price', 'output_price'");
    }
    out->kind = LIMIT_NUMBER_FIELD;
    out->number = slot;
    if (v->kind != JSON_NUMBER || !json_uint(v, &out->value))
        return reading_fail(r, CODE_bad_argument, at, "a %s is a whole number, this is %s", maximum ? "maximum" : "minimum",
                         json_kind_name(v));
    return true;
}

static bool read_bounds(struct reading *r, const struct json *args, const char *key, struct select_bound **out, size_t *n)
{
    const struct json *v = json_get(args, key);
    struct str at = reading_at(r, STR(""), key);
    *out = NULL;
    *n = 0;
    if (!v)
        return true;
    if (!reading_object(r, v, at, key))
        return false;
    *out = arena_array(r->ar, v->n, sizeof **out);
    if (!*out)
        return reading_memory(r);
    for (size_t i = 0; i < v->n; i++) {
        struct str here = str_printf(r->ar, "%.*s/%.*s", STR_ARG(at), STR_ARG(str_head(v->key[i].text, 80)));
        if (!read_bound(r, v->key[i].text, &v->item[i], here, key[1] == 'a', &(*out)[(*n)++]))
            return false;
    }
    return true;
}

static bool read_order(struct reading *r, const struct json *args, struct criteria *out)
{
    struct str word;
    const struct json *limit = json_get(args, "limit");
    uint64_t n;
    out->limit = SIZE_MAX;
    if (limit) {
        if (limit->kind != JSON_NUMBER || !json_uint(limit, &n))
            return reading_fail(r, CODE_bad_argument, STR("/limit"), "'limit' is a whole number");
        out->limit = (size_t)n;
    }
    if (!reading_text(r, args, STR(""), "sort", false, &word))
        return false;
    if (!json_get(args, "sort"))
        return true;
    for (unsigned i = 0; i < SORT_COUNT; i++)
        if (str_is(word, select_sorts[i])) {
            out->sort = (enum select_sort)i;
            return true;
        }
    reading_fail(r, CODE_bad_argument, STR("/sort"), "'%.*s' is no order", STR_ARG(str_head(word, 80)));
    return reading_hint(r, "known: 'price', 'context', 'release', 'name'");
}

bool criteria_read(struct reading *r, const struct json *args, struct criteria *out)
{
    memset(out, 0, sizeof *out);
    if (!read_wanted_list(r, args, "require", &out->require) || !read_wanted_list(r, args, "forbid", &out->forbid) ||
        !read_prefer(r, args, out) || !read_providers(r, args, out) ||
        !read_patterns(r, args, "allow", &out->allow, &out->n_allow) ||
        !read_patterns(r, args, "deny", &out->deny, &out->n_deny) ||
        !read_bounds(r, args, "minimum", &out->minimum, &out->n_minimum) ||
        !read_bounds(r, args, "maximum", &out->maximum, &out->n_maximum) || !read_order(r, args, out))
        return false;
    out->has_allow = json_get(args, "allow") != NULL;
    for (size_t i = 0; i < out->forbid.n; i++)
        if (out->forbid.need[i].kind != NEED_SLOT)
            return reading_fail(r, CODE_bad_argument, STR("/forbid"), "'%.*s' is no capability", STR_ARG(out->forbid.need[i].name));
    return true;
}

static bool is_required(const struct criteria *c, const struct need *n)
{
    for (size_t i = 0; i < c->require.n; i++) {
        const struct need *x = &c->require.need[i];
        if (x->kind == n->kind && x->slot == n->slot && x->min_support <= n->min_support && (x->set & n->set) == n->set)
            return true;
    }
    return false;
}

/* A bound that is there is raised: one criterion, one reason. */
static void add_minimum(struct criteria *c, const struct need *n)
{
    for (size_t i = 0; i < c->n_minimum; i++) {
        struct select_bound *b = &c->minimum[i];
        if (b->kind != LIMIT_NUMBER_FIELD || b->number != n->slot)
            continue;
        if (b->value < n->minimum)
            b->value = n->minimum;
        return;
    }
    c->minimum[c->n_minimum++] = (struct select_bound){LIMIT_NUMBER_FIELD, n->slot, n->minimum, n->name};
}

bool criteria_add(struct reading *r, struct criteria *c, const struct need_list *needs)
{
    struct select_bound *bounds = arena_array(r->ar, c->n_minimum + needs->n, sizeof *bounds);
    if (!bounds)
        return reading_memory(r);
    if (c->n_minimum)
        memcpy(bounds, c->minimum, c->n_minimum * sizeof *bounds);
    c->minimum = bounds;
    for (size_t i = 0; i < needs->n; i++) {
        const struct need *n = &needs->need[i];
        if (n->kind == NEED_NUMBER)
            add_minimum(c, n);
        else if (!is_required(c, n) && !need_add(r, &c->require, *n))
            return false;
    }
    return true;
}

/* -- inline models ----------------------------------------------------------------------------------- */

struct inline_model {
    struct str name, provider, id;
    cando_planes planes;
    uint32_t release;
};

/* As the rows of a catalog are ordered: in lower case; then as they are written. */
static int by_name(const void *a, const void *b)
{
    struct str x = ((const struct inline_model *)a)->name, y = ((const struct inline_model *)b)->name;
    for (size_t i = 0; i < x.n && i < y.n; i++) {
        unsigned char p = (unsigned char)char_fold(x.p[i]), q = (unsigned char)char_fold(y.p[i]);
        if (p != q)
            return p < q ? -1 : 1;
    }
    return x.n != y.n ? (x.n < y.n ? -1 : 1) : str_cmp(x, y);
}

static bool read_model(struct reading *r, const struct json *v, struct str at, struct inline_model *out)
{
    if (!reading_object(r, v, at, "a model") || !reading_text(r, v, at, "provider", true, &out->provider) ||
        !reading_text(r, v, at, "id", true, &out->id) || !claims_read(r, FORM_MODEL_REF, v, at, &out->planes))
        return false;
    out->name = str_printf(r->ar, "%.*s/%.*s", STR_ARG(out->provider), STR_ARG(out->id));
    const struct json *day = json_get(v, "release_date");
    for (size_t i = 0, digits = 0; day && day->kind == JSON_STRING && i < day->text.n && digits < 8; i++)
        if (char_is_digit(day->text.p[i])) {
            out->release = out->release * 10 + (uint32_t)(day->text.p[i] - '0');
            digits++;
        }
    return out->name.p || reading_memory(r);
}

static void inline_row(const struct inline_model *m, struct snap_row *row)
{
    const uint64_t *plane[3] = {m->planes.known, m->planes.native, m->planes.usable};
    uint32_t *out[3] = {row->known, row->native, row->usable};
    for (unsigned k = 0; k < 3; k++)
        for (unsigned w = 0; w < 4; w++)
            out[k][w] = (uint32_t)(plane[k][w / 2] >> (w % 2 ? 32 : 0));
    uint64_t number[4] = {m->planes.number[NUM_context_window], m->planes.number[NUM_max_output], m->planes.price[0], m->planes.price[1]};
    uint32_t *place[4] = {row->context_window, row->max_output, row->price[0], row->price[1]};
    for (unsigned k = 0; k < 4; k++) {
        place[k][0] = (uint32_t)number[k];
        place[k][1] = (uint32_t)(number[k] >> 32);
    }
    row->release = m->release;
}

bool select_inline(struct reading *r, const struct json *models, struct str at, struct select_source *out)
{
    memset(out, 0, sizeof *out);
    if (!reading_array(r, models, at, "'models'"))
        return false;
    size_t n = models->n;
    struct inline_model *m = arena_array(r->ar, n, sizeof *m);
    struct snap_row *row = arena_array(r->ar, n, sizeof *row);
    cando_planes *planes = arena_array(r->ar, n, sizeof *planes);
    out->provider = arena_array(r->ar, n, sizeof *out->provider);
    out->id = arena_array(r->ar, n, sizeof *out->id);
    if (!m || !row || !planes || !out->provider || !out->id)
        return reading_memory(r);
    for (size_t i = 0; i < n; i++)
        if (!read_model(r, &models->item[i], reading_at_index(r, at, i), &m[i]))
            return false;
    if (n)
        qsort(m, n, sizeof *m, by_name);
    for (size_t i = 0; i < n; i++) {
        inline_row(&m[i], &row[i]);
        planes[i] = m[i].planes;
        out->provider[i] = m[i].provider;
        out->id[i] = m[i].id;
    }
    out->offers.row = row;
    out->offers.n = n;
    out->planes = planes;
    return true;
}

bool select_catalog(struct reading *r, const cando_catalog *cat, struct select_source *out)
{
    memset(out, 0, sizeof *out);
    return offers_open(&out->offers, cat, r->ar) || reading_memory(r);
}
