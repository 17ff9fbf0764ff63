/*
 * op_models.c - models: the offerings that fit, as a list.
 *
 * Selection (op_select.c) answers "which one shall I take" and ranks; this is
 * the catalog to look through. An offering is listed if it passes every filter
 * that was given; what nobody knows passes none, unless `unknown` is "include".
 * What allow and deny lists leave out is counted and not listed.
 *
 * The order is total: the sort key, best first (cheapest, largest, newest), what
 * is unknown last, then "provider/id" byte by byte. `reverse` turns the key
 * around and nothing else.
 */
#include "op.h"

#include "base/decimal.h"
#include "base/limits.h"
#include "catalog/price.h"
#include "decide/offer.h"
#include "rules/policy.h"
#include "text/glob.h"

#include <stdlib.h>

static const struct op_arg args[] = {
    {"providers", false, "ids or aliases of providers: a text or a list"},
    {"kinds", false, "kinds of providers: \"first-party\", \"cloud\", \"host\", \"router\", \"local\", ..."},
    {"model", false, "the offerings of one model, under whatever spelling"},
    {"match", false, "a glob over the id or over \"provider/id\", or a list of them"},
    {"like", false, "names that are near to this one, nearest first"},
    {"can", false, "capabilities: names, or {\"capability\":..,\"min_support\":\"native\"}"},
    {"cannot", false, "capabilities that are known to be missing"},
    {"input", false, "kinds of input: \"image\", \"audio\", \"video\", \"pdf\", \"text\""},
    {"output", false, "kinds of output: \"image\", \"audio\", \"video\", \"text\", \"embedding\""},
    {"unknown", false, "'exclude' (default) or 'include' what nobody knows"},
    {"minimum", false, "{\"context_window\":n,\"max_output\":n}"},
    {"maximum", false, "{\"input_price\":\"1.5\",\"output_price\":\"6\"}: USD per million tokens"},
    {"released_after", false, "a day, \"2026-01-15\", or a month: that day or later"},
    {"released_before", false, "a day, or a month: earlier than that"},
    {"status", false, "\"active\", \"preview\", \"deprecated\", \"retired\": a text or a list"},
    {"sort", false, "'name', 'provider', 'context', 'output', 'price', 'input_price', 'output_price' or 'release'"},
    {"reverse", false, "true: the other way round"},
    {"limit", false, "how many at most"},
    {"fields", false, "names of fields to add to each, or \"all\""},
    {"rules", false, "rules to use instead of the catalog"},
    {"overlay", false, "rules on top, in the same shape"},
    {0},
};

enum model_sort { BY_NAME, BY_PROVIDER, BY_CONTEXT, BY_OUTPUT, BY_PRICE, BY_INPUT_PRICE, BY_OUTPUT_PRICE, BY_RELEASE, SORTS };
static const char *const sorts[SORTS] = {
    "name", "provider", "context", "output", "price", "input_price", "output_price", "release",
};
static const char *const statuses[] = {"active", "preview", "deprecated", "retired"};

#define MAX_CAPABILITIES 64
#define MAX_BOUNDS 16
#define MAX_WORDS 256

struct capability {
    uint8_t slot;
    bool native;   /* nothing less is enough */
    bool wanted;   /* else it must be known to be missing */
};

struct bound {
    unsigned field;
    uint64_t least;
};

struct filter {
    struct str provider[MAX_WORDS], kind[MAX_WORDS];
    uint32_t number[MAX_WORDS]; /* of the providers */
    size_t n_providers, n_kinds;
    struct str model;          /* folded */
    struct model_id model_id;
    struct str like;           /* folded */
    struct glob_set glob[MAX_WORDS];
    size_t n_globs;
    struct capability cap[MAX_CAPABILITIES];
    size_t n_caps;
    bool unknown_fits;
    struct bound min[MAX_BOUNDS];
    size_t n_min;
    bool capped[2];            /* input, output */
    struct decimal cap_price[2];
    uint32_t after, before;    /* yyyymmdd; 0: no bound */
    unsigned status;           /* a bit each; 0: any */
    enum model_sort sort;
    bool reverse, all_fields;
    uint64_t limit;
    unsigned field[CANDO_MAX_FIELDS];
    size_t n_fields;
};

/* -- reading the arguments -------------------------------------------------------------- */

static struct str at_name(struct op_call *c, const char *name)
{
    return str_printf(c->ar, "/%s", name);
}

/* The texts of a text or a list of texts, one after the other. False at the end or
 * with an error set; `*i` counts. */
static bool next_text(struct op_call *c, const char *name, size_t *i, struct str *out)
{
    const struct json *v = json_get(c->args, name);
    if (!v || (v->kind == JSON_ARRAY ? *i >= v->n : *i > 0))
        return false;
    const struct json *item = v->kind == JSON_ARRAY ? &v->item[*i] : v;
    struct str at = v->kind == JSON_ARRAY ? str_printf(c->ar, "/%s/%zu", name, *i) : at_name(c, name);
    if (item->kind != JSON_STRING || item->text.n == 0 || item->text.n > LIMIT_NAME_BYTES)
        return op_fail(c, CODE_bad_argument, at, "'%s' takes texts of 1 to %u bytes", name, LIMIT_NAME_BYTES);
    if (*i >= MAX_WORDS)
        return op_fail(c, CODE_too_long, at, "'%s' takes at most %d texts", name, MAX_WORDS);
    ++*i;
    *out = item->text;
    return true;
}

static bool failed(const struct op_call *c)
{
    return c->error.code != 0 || c->error.message.p;
}

static bool read_providers(struct op_call *c, const struct snapshot *s, struct filter *f)
{
    struct str name;
    for (size_t i = 0; next_text(c, "providers", &i, &name);) {
        uint32_t number = snapshot_provider(s, name);
        if (number == SNAP_NONE) {
            struct nearest near = nearest_to(name);
            for (uint32_t p = 0; p < s->sec[SEC_PROVIDERS].n; p++)
                nearest_try(&near, snap_str(s, snap_provider(s, p).id));
            op_fail(c, CODE_unknown_provider, at_name(c, "providers"), "no provider is called '%.*s'", STR_ARG(str_head(name, 80)));
            return near.name.n ? op_hint(c, "did you mean '%.*s'?", STR_ARG(near.name)) : false;
        }
        f->number[f->n_providers++] = number;
    }
    for (size_t i = 0; !failed(c) && next_text(c, "kinds", &i, &name);)
        f->kind[f->n_kinds++] = name;
    return !failed(c);
}

static bool read_names(struct op_call *c, const struct snapshot *s, struct filter *f)
{
    struct str text;
    if (!arg_text(c, "model", &text) || !arg_text(c, "like", &f->like))
        return false;
    if (text.n > LIMIT_NAME_BYTES || f->like.n > LIMIT_NAME_BYTES)
        return op_fail(c, CODE_too_long, at_name(c, text.n > LIMIT_NAME_BYTES ? "model" : "like"), "a name has at most %u bytes",
                       LIMIT_NAME_BYTES);
    f->model = str_dup_fold(c->ar, text);
    f->like = str_dup_fold(c->ar, f->like);
    if (!f->model.p || !f->like.p)
        return op_memory(c);
    struct id_tables ids = snapshot_ids(s);
    if (f->model.n && !model_id_parse(s->has_ids ? &ids : NULL, STR(""), f->model, &f->model_id))
        f->model_id.canonical = STR("");
    for (size_t i = 0; next_text(c, "match", &i, &text);) {
        bool too_many = false;
        if (glob_compile(c->ar, text, &f->glob[f->n_globs], &too_many))
            f->n_globs++;
        else if (too_many)
            return op_fail(c, CODE_bad_argument, at_name(c, "match"), "the pattern has too many alternatives");
        else
            return op_memory(c);
    }
    return !failed(c);
}

static bool unknown_capability(struct op_call *c, struct str at, struct str name)
{
    op_fail(c, CODE_unknown_field, at, "no capability is called '%.*s'", STR_ARG(str_head(name, 80)));
    struct str near = vocab_suggest(VOCAB_CANDO, name);
    return near.n ? op_hint(c, "did you mean '%.*s'?", STR_ARG(near)) : false;
}

static bool add_capability(struct op_call *c, struct filter *f, struct str at, struct str name, bool native, bool wanted)
{
    unsigned field = vocab_find_any(name), slot = field < FIELD_COUNT ? plane_slot(field) : slot_special(name);
    if (slot == SLOT_NONE && field < FIELD_COUNT)
        return op_fail(c, CODE_bad_argument, at, "'%s' is no capability: it is neither there nor missing", vocab_row(field)->name);
    if (slot == SLOT_NONE)
        return unknown_capability(c, at, name);
    if (f->n_caps == MAX_CAPABILITIES)
        return op_fail(c, CODE_too_long, at, "more than %d capabilities", MAX_CAPABILITIES);
    f->cap[f->n_caps++] = (struct capability){(uint8_t)slot, native, wanted};
    return true;
}

static bool read_capability(struct op_call *c, struct filter *f, const struct json *v, struct str at, bool wanted)
{
    if (v->kind == JSON_STRING)
        return add_capability(c, f, at, v->text, false, wanted);
    const struct json *name = v->kind == JSON_OBJECT ? json_get(v, "capability") : NULL;
    const struct json *min = v->kind == JSON_OBJECT ? json_get(v, "min_support") : NULL;
    if (!name || name->kind != JSON_STRING || v->n > (min ? 2u : 1u) || !wanted)
        return op_fail(c, CODE_bad_argument, at, "a capability is its name%s", wanted ? ", or {\"capability\":..,\"min_support\":..}" : "");
    if (min && (min->kind != JSON_STRING || (!str_is(min->text, "native") && !str_is(min->text, "emulated"))))
        return op_fail(c, CODE_bad_argument, at, "'min_support' is \"native\" or \"emulated\"");
    return add_capability(c, f, at, name->text, min && str_is(min->text, "native"), wanted);
}

static bool read_capabilities(struct op_call *c, struct filter *f, const char *name, bool wanted)
{
    const struct json *v = json_get(c->args, name);
    if (!v)
        return true;
    if (v->kind != JSON_ARRAY)
        return read_capability(c, f, v, at_name(c, name), wanted);
    for (size_t i = 0; i < v->n; i++)
        if (!read_capability(c, f, &v->item[i], str_printf(c->ar, "/%s/%zu", name, i), wanted))
            return false;
    return true;
}

static bool read_modalities(struct op_call *c, struct filter *f, const char *side)
{
    struct str word;
    for (size_t i = 0; next_text(c, side, &i, &word);) {
        bool vectors = str_is(word, "embedding") || str_is(word, "embeddings");
        struct str name = vectors && side[0] == 'o' ? STR("embeddings") : str_printf(c->ar, "%s_%.*s", side, STR_ARG(str_head(word, 80)));
        if (!name.p)
            return op_memory(c);
        if (vocab_find(VOCAB_CANDO, name) == FIELD_COUNT) {
            op_fail(c, CODE_bad_argument, at_name(c, side), "'%.*s' is no kind of %s", STR_ARG(str_head(word, 80)), side);
            return op_hint(c, side[0] == 'i' ? "known: text, image, audio, video, pdf" : "known: text, image, audio, video, embedding");
        }
        if (!add_capability(c, f, at_name(c, side), name, false, true))
            return false;
    }
    return !failed(c);
}

static bool read_minimum(struct op_call *c, struct filter *f)
{
    const struct json *v = json_get(c->args, "minimum");
    if (!v)
        return true;
    if (v->kind != JSON_OBJECT || v->n > MAX_BOUNDS)
        return op_fail(c, CODE_bad_argument, STR("/minimum"), "'minimum' is an object of numbers");
    for (size_t i = 0; i < v->n; i++) {
        struct str name = v->key[i].text;
        unsigned field = vocab_find_any(name);
        uint64_t n;
        if (field == FIELD_COUNT)
            return unknown_capability(c, STR("/minimum"), name);
        if (vocab_row(field)->type != CANDO_NUMBER)
            return op_fail(c, CODE_bad_argument, STR("/minimum"), "'%s' is no number", vocab_row(field)->name);
        if (!json_uint(&v->item[i], &n))
            return op_fail(c, CODE_bad_argument, STR("/minimum"), "the minimum of '%s' is a whole number", vocab_row(field)->name);
        f->min[f->n_min++] = (struct bound){field, n};
    }
    return true;
}

static bool read_maximum(struct op_call *c, struct filter *f)
{
    static const char *const sides[] = {"input_price", "output_price"};
    const struct json *v = json_get(c->args, "maximum");
    if (!v)
        return true;
    if (v->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, STR("/maximum"), "'maximum' is an object of prices");
    for (size_t i = 0; i < v->n; i++) {
        unsigned side = str_is(v->key[i].text, sides[0]) ? 0 : 1;
        const struct json *p = &v->item[i];
        if (!str_is(v->key[i].text, sides[side])) {
            op_fail(c, CODE_unknown_argument, STR("/maximum"), "'maximum' has no '%.*s'", STR_ARG(str_head(v->key[i].text, 80)));
            return op_hint(c, "known: 'input_price', 'output_price'");
        }
        if ((p->kind != JSON_STRING && p->kind != JSON_NUMBER) || price_rate_parse(p->text, &f->cap_price[side]))
            return op_fail(c, CODE_bad_argument, STR("/maximum"), "'%s' is a decimal number of US dollars: \"1.5\"", sides[side]);
        f->capped[side] = true;
    }
    return true;
}

/* A day or a month as a number that compares with a row's; a month is its day 0,
 * so that "after 2026-05" takes all of May in, and models that only tell May. */
static bool read_day(struct op_call *c, const char *name, uint32_t *out)
{
    struct str s;
    int32_t day;
    if (!arg_text(c, name, &s) || !json_get(c->args, name))
        return !failed(c);
    bool month = s.n == 7, year = s.n == 4;
    struct str whole = month  ? str_printf(c->ar, "%.*s-01", STR_ARG(s))
                       : year ? str_printf(c->ar, "%.*s-01-01", STR_ARG(s))
                              : s;
    if (!whole.p)
        return op_memory(c);
    if (!day_parse(whole, &day))
        return op_fail(c, CODE_bad_argument, at_name(c, name), "'%s' is a day, 2026-01-15, or a month, 2026-01", name);
    for (size_t i = 0; i < whole.n; i++)
        if (char_is_digit(whole.p[i]))
            *out = *out * 10 + (uint32_t)(whole.p[i] - '0');
    if (month)
        *out -= 1;
    if (year)
        *out -= 101;
    return true;
}

static bool read_status(struct op_call *c, struct filter *f)
{
    struct str word;
    for (size_t i = 0; next_text(c, "status", &i, &word);) {
        unsigned k = 0;
        while (k < 4 && !str_is(word, statuses[k]))
            k++;
        if (k == 4) {
            op_fail(c, CODE_bad_argument, at_name(c, "status"), "no status is called '%.*s'", STR_ARG(str_head(word, 80)));
            return op_hint(c, "known: active, preview, deprecated, retired");
        }
        f->status |= 1u << k;
    }
    return !failed(c);
}

static bool read_fields(struct op_call *c, struct filter *f)
{
    const struct json *v = json_get(c->args, "fields");
    struct str name;
    if (v && v->kind == JSON_STRING && str_is(v->text, "all")) {
        f->all_fields = true;
        return true;
    }
    for (size_t i = 0; next_text(c, "fields", &i, &name);) {
        unsigned field = vocab_find_any(name);
        if (field == FIELD_COUNT)
            return unknown_capability(c, at_name(c, "fields"), name);
        if (f->n_fields < CANDO_MAX_FIELDS)
            f->field[f->n_fields++] = field;
    }
    return !failed(c);
}

static bool read_order(struct op_call *c, struct filter *f)
{
    static const char *const unknowns[] = {"exclude", "include"};
    unsigned sort, unknown;
    const struct json *reverse = json_get(c->args, "reverse"), *limit = json_get(c->args, "limit");
    if (!arg_word(c, "sort", sorts, SORTS, BY_NAME, &sort) || !arg_word(c, "unknown", unknowns, 2, 0, &unknown))
        return false;
    if (reverse && reverse->kind != JSON_TRUE && reverse->kind != JSON_FALSE)
        return op_fail(c, CODE_bad_argument, STR("/reverse"), "'reverse' is true or false");
    f->limit = UINT64_MAX;
    if (limit && !json_uint(limit, &f->limit))
        return op_fail(c, CODE_bad_argument, STR("/limit"), "'limit' is a whole number");
    f->sort = (enum model_sort)sort;
    f->unknown_fits = unknown == 1;
    f->reverse = reverse && reverse->kind == JSON_TRUE;
    return true;
}

static bool filter_read(struct op_call *c, const struct snapshot *s, struct filter *f)
{
    return read_providers(c, s, f) && read_names(c, s, f) && read_capabilities(c, f, "can", true) &&
           read_capabilities(c, f, "cannot", false) && read_modalities(c, f, "input") && read_modalities(c, f, "output") &&
           read_minimum(c, f) && read_maximum(c, f) && read_day(c, "released_after", &f->after) &&
           read_day(c, "released_before", &f->before) && read_status(c, f) && read_fields(c, f) && read_order(c, f);
}

/* -- one offering against the filter ------------------------------------------------------ */

struct listed {
    uint32_t row;
    bool known;         /* the sort key */
    uint64_t key;       /* smaller is better */
};

struct lister {
    const struct filter *f;
    const struct snapshot *s;
    struct offers offers;
    struct id_tables ids;
    struct model_id scratch;
};

/* The flat rate of a unit in the price of a profile, or an empty text. */
static struct str flat_price(const struct snapshot *s, const cando_profile *p, const char *unit)
{
    cando_value v = profile_fact(p, F_price).value;
    for (uint32_t i = 0; v.known && i < v.count; i++) {
        struct str item = value_item(s, v, i);
        size_t cut = price_item_cut(item);
        if (str_is(str_head(item, cut), unit))
            return str_from(item, cut + 1);
    }
    return STR("");
}

static const char *const price_units[] = {"input_tokens", "output_tokens"};

/* Is it the model that was asked for, in this or another spelling? */
static bool is_model(struct lister *l, const struct snap_row *row)
{
    const struct filter *f = l->f;
    struct str key = snap_str(l->s, row->key), canonical = f->model_id.canonical;
    if (str_eq(key, f->model) || (str_ends(key, f->model) && key.p[key.n - f->model.n - 1] == '/'))
        return true;
    if (!canonical.n || !model_id_parse(l->s->has_ids ? &l->ids : NULL, offer_provider(&l->offers, row), key, &l->scratch))
        return false;
    return str_eq_fold(l->scratch.canonical, canonical);
}

static bool fits_glob(struct lister *l, const struct snap_row *row)
{
    char room[2 * LIMIT_NAME_BYTES + 1];
    struct str provider = offer_provider(&l->offers, row), key = snap_str(l->s, row->key);
    if (provider.n > LIMIT_NAME_BYTES || key.n > LIMIT_NAME_BYTES)
        return false;
    memcpy(room, provider.p, provider.n);
    room[provider.n] = '/';
    memcpy(room + provider.n + 1, key.p, key.n);
    for (size_t i = 0; i < l->f->n_globs; i++)
        for (size_t k = 0; k < l->f->glob[i].n; k++)
            if (glob_run(l->f->glob[i].program[k], key) ||
                glob_run(l->f->glob[i].program[k], str_make(room, provider.n + 1 + key.n)))
                return true;
    return false;
}

static bool fits_provider(const struct lister *l, const struct snap_row *row)
{
    const struct filter *f = l->f;
    bool ok = f->n_providers == 0;
    for (size_t i = 0; i < f->n_providers && !ok; i++)
        ok = f->number[i] == row->provider;
    if (ok && !f->n_kinds && !f->n_providers && offer_is_backend(&l->offers, row->provider))
        return false; /* no model, but what runs one: only where it is asked for */
    if (!ok || f->n_kinds == 0)
        return ok;
    struct str kind = snap_str(l->s, snap_provider(l->s, row->provider).kind);
    for (size_t i = 0; i < f->n_kinds; i++)
        if (str_eq_fold(f->kind[i], kind))
            return true;
    return false;
}

static bool fits_capabilities(const struct lister *l, const struct snap_row *row)
{
    cando_planes planes;
    if (l->f->n_caps == 0)
        return true;
    offer_planes(row, &planes);
    for (size_t i = 0; i < l->f->n_caps; i++) {
        const struct capability *cap = &l->f->cap[i];
        cando_support have = planes_level(&planes, cap->slot);
        if (have == CANDO_UNKNOWN) {
            if (!l->f->unknown_fits)
                return false;
            continue;
        }
        bool there = cap->native ? have == CANDO_NATIVE : have > CANDO_UNSUPPORTED;
        if (there != cap->wanted)
            return false;
    }
    return true;
}

static bool fits_numbers(const struct lister *l, const cando_profile *p)
{
    for (size_t i = 0; i < l->f->n_min; i++) {
        cando_value v = profile_fact(p, l->f->min[i].field).value;
        if (v.known ? v.number < l->f->min[i].least : !l->f->unknown_fits)
            return false;
    }
    for (unsigned side = 0; side < 2; side++) {
        struct decimal price;
        if (!l->f->capped[side])
            continue;
        struct str text = flat_price(l->s, p, price_units[side]);
        if (!text.n || !decimal_parse(text, &price)) {
            if (!l->f->unknown_fits)
                return false;
        } else if (decimal_cmp(&price, &l->f->cap_price[side]) > 0) {
            return false;
        }
    }
    return true;
}

static bool fits_day(const struct filter *f, uint32_t release)
{
    if (!f->after && !f->before)
        return true;
    if (!release)
        return f->unknown_fits;
    return release >= f->after && (!f->before || release < f->before);
}

static bool fits(struct lister *l, const struct snap_row *row)
{
    const struct filter *f = l->f;
    cando_profile p;
    if (!fits_provider(l, row) || (f->model.n && !is_model(l, row)) || (f->n_globs && !fits_glob(l, row)) ||
        (f->status && !(f->status >> row->status & 1)) || !fits_day(f, row->release) || !fits_capabilities(l, row))
        return false;
    if (!f->n_min && !f->capped[0] && !f->capped[1])
        return true;
    offer_profile(&l->offers, row, &p);
    return fits_numbers(l, &p);
}

/* -- the order ------------------------------------------------------------------------------- */

/* Edits from what was typed to an id, or to what stands behind its last slash. */
static unsigned distance(struct str like, struct str key, unsigned max)
{
    unsigned d = str_distance(like, key, max);
    size_t slash = key.n;
    while (slash > 0 && key.p[slash - 1] != '/')
        slash--;
    if (slash && d) {
        unsigned tail = str_distance(like, str_from(key, slash), max);
        d = tail < d ? tail : d;
    }
    return d;
}

static bool sort_key(struct lister *l, const struct snap_row *row, struct listed *out)
{
    const struct filter *f = l->f;
    out->known = true;
    out->key = 0;
    if (f->like.n) {
        unsigned near = str_near(f->like.n), d = distance(f->like, snap_str(l->s, row->key), near);
        out->key = d;
        return d <= near;
    }
    uint64_t v = 0;
    switch (f->sort) {
    case BY_CONTEXT:
        v = row_u64(row->context_window);
        break;
    case BY_OUTPUT:
        v = row_u64(row->max_output);
        break;
    case BY_RELEASE:
        v = row->release;
        break;
    case BY_PRICE:
    case BY_INPUT_PRICE:
    case BY_OUTPUT_PRICE:
        v = f->sort == BY_PRICE ? row_price(row) : row_u64(row->price[f->sort - BY_INPUT_PRICE]);
        out->known = v != CANDO_NO_PRICE;
        out->key = f->reverse ? ~v : v;
        return true;
    default: /* the rows are in the order of names */
        out->key = f->reverse ? ~(uint64_t)out->row : out->row;
        return true;
    }
    out->known = v != 0;
    out->key = f->reverse ? v : ~v;
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    if (x->known != y->known)
        return x->known ? -1 : 1;
    if (x->known && x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* -- the reply --------------------------------------------------------------------------------- */

static void write_known(struct json_writer *w, const char *key, const struct snapshot *s, const cando_profile *p, unsigned field)
{
    jw_keyz(w, key);
    struct profile_fact fact = profile_fact(p, field);
    (void)s;
    op_value(w, &fact.value);
}

static void write_all(struct json_writer *w, const cando_profile *p)
{
    struct profile_fact fact[FIELD_COUNT];
    profile_facts(p, fact);
    jw_object(w);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (!vocab_row(f)->main && !fact[f].set)
            continue;
        jw_keyz(w, vocab_row(f)->name);
        op_value(w, &fact[f].value);
    }
    jw_object_end(w);
}

static void write_model(struct json_writer *w, struct lister *l, const struct snap_row *row)
{
    const struct filter *f = l->f;
    cando_profile p;
    offer_profile(&l->offers, row, &p);
    jw_object(w);
    jw_keyz(w, "provider");
    jw_str(w, offer_provider(&l->offers, row));
    jw_keyz(w, "model");
    jw_str(w, offer_id(&l->offers, row));
    const char *alias = snapshot_alias(l->s, row->provider, snap_str(l->s, row->key));
    if (alias) {
        jw_keyz(w, "alias_of");
        jw_strz(w, alias);
    }
    write_known(w, "name", l->s, &p, F_display_name);
    write_known(w, "context_window", l->s, &p, F_context_window);
    write_known(w, "max_output", l->s, &p, F_max_output);
    for (unsigned side = 0; side < 2; side++) {
        struct str price = flat_price(l->s, &p, price_units[side]);
        jw_keyz(w, side ? "output_price" : "input_price");
        if (price.n)
            jw_str(w, price);
        else
            jw_null(w);
    }
    write_known(w, "release_date", l->s, &p, F_release_date);
    write_known(w, "status", l->s, &p, F_status);
    if (f->all_fields || f->n_fields) {
        jw_keyz(w, "fields");
        if (f->all_fields) {
            write_all(w, &p);
        } else {
            jw_object(w);
            for (size_t i = 0; i < f->n_fields; i++)
                write_known(w, vocab_row(f->field[i])->name, l->s, &p, f->field[i]);
            jw_object_end(w);
        }
    }
    jw_object_end(w);
}

static bool list_all(struct op_call *c, struct lister *l, struct listed **out, size_t *n, size_t *denied)
{
    bool policy = policy_any(l->s);
    *out = arena_array(c->ar, l->offers.n, sizeof **out);
    if (!*out)
        return op_memory(c);
    for (size_t i = 0; i < l->offers.n; i++) {
        const struct snap_row *row = &l->offers.row[i];
        struct listed x = {.row = (uint32_t)i};
        if (!fits(l, row) || !sort_key(l, row, &x))
            continue;
        if (policy && !policy_check(l->s, row->provider, STR(""), snap_str(l->s, row->key), NULL).allowed)
            ++*denied;
        else
            (*out)[(*n)++] = x;
    }
    if (*n)
        qsort(*out, *n, sizeof **out, by_key);
    return true;
}

static bool write_list(struct op_call *c, const cando_catalog *cat, const struct filter *f)
{
    struct lister *l = arena_alloc(c->ar, sizeof *l);
    struct listed *list;
    size_t n = 0, denied = 0;
    if (!l)
        return op_memory(c);
    l->f = f;
    l->s = &cat->snap;
    l->ids = snapshot_ids(l->s);
    if (!offers_open(&l->offers, cat, c->ar))
        return op_memory(c);
    if (!list_all(c, l, &list, &n, &denied))
        return false;
    jw_object(c->w);
    jw_keyz(c->w, "models");
    jw_array(c->w);
    for (size_t i = 0; i < n && i < f->limit; i++)
        write_model(c->w, l, &l->offers.row[list[i].row]);
    jw_array_end(c->w);
    jw_keyz(c->w, "matched");
    jw_uint(c->w, n);
    jw_keyz(c->w, "considered");
    jw_uint(c->w, l->offers.n);
    jw_keyz(c->w, "denied");
    jw_uint(c->w, denied);
    jw_object_end(c->w);
    return true;
}

static bool run(struct op_call *c)
{
    const cando_catalog *cat = arg_catalog(c);
    struct filter *f = arena_alloc(c->ar, sizeof *f);
    bool ok = cat != NULL;
    if (ok && !f)
        ok = op_memory(c);
    ok = ok && filter_read(c, &cat->snap, f) && write_list(c, cat, f);
    cando_catalog_release(cat);
    return ok;
}

const struct op op_models = {.name = "models", .doc = "the offerings that fit, as a list", .arg = args, .run = run};

/* -- a target without its provider -------------------------------------------------------- */

bool models_target_hint(struct op_call *c, struct str model)
{
    struct filter *f = arena_alloc(c->ar, sizeof *f);
    struct lister *l = arena_alloc(c->ar, sizeof *l);
    struct buf b;
    size_t n = 0;
    if (!f || !l)
        return op_memory(c);
    l->f = f;
    l->s = &c->catalog->snap;
    l->ids = snapshot_ids(l->s);
    f->model = str_dup_fold(c->ar, str_head(model, LIMIT_NAME_BYTES));
    if (!f->model.p || !offers_open(&l->offers, c->catalog, c->ar))
        return op_memory(c);
    if (!f->model.n || !model_id_parse(l->s->has_ids ? &l->ids : NULL, STR(""), f->model, &f->model_id))
        f->model_id.canonical = STR("");
    buf_init(&b, c->a, 8 * LIMIT_NAME_BYTES + 256);
    for (size_t i = 0; f->model.n && i < l->offers.n; i++) {
        const struct snap_row *row = &l->offers.row[i];
        if (!is_model(l, row) || ++n > 4)
            continue;
        buf_printf(&b, "%s%.*s/%.*s", n > 1 ? ", " : "", STR_ARG(offer_provider(&l->offers, row)),
                   STR_ARG(offer_id(&l->offers, row)));
    }
    if (n > 4)
        buf_printf(&b, " and %zu more", n - 4);
    if (b.failed)
        op_memory(c);
    else if (n)
        op_hint(c, "it is offered as %.*s", (int)b.n, b.p);
    else
        op_hint(c, "write it as provider/model, for example openai/gpt-4o");
    buf_free(&b);
    return false;
}
