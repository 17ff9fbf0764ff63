/*
 * query_read.c - the words of a question become a query.
 *
 * Names are looked up, texts become numbers and patterns, and what a request needs is
 * added. A place in the question is put together only where something is wrong with it.
 */
#include "query.h"

#include "base/decimal.h"
#include "base/instant.h"
#include "base/limits.h"
#include "claims.h"

#include <stdlib.h>

/* -- texts --------------------------------------------------------------------------------- */

static struct str place(struct reading *r, const char *key, size_t i)
{
    return str_printf(r->ar, "/%s/%zu", key, i);
}

static bool check_text(struct reading *r, const char *key, size_t i, struct str text)
{
    if (text.n && text.n <= LIMIT_NAME_BYTES)
        return true;
    return reading_fail(r, CODE_bad_argument, place(r, key, i), "a name has 1 to %u bytes",
                        LIMIT_NAME_BYTES);
}

static bool read_texts(struct reading *r, const char *key, const char *const *list, size_t n,
                       const struct str **out)
{
    struct str *text = arena_array(r->ar, n, sizeof *text);
    if (!text)
        return reading_memory(r);
    for (size_t i = 0; i < n; i++) {
        text[i] = str_of(list[i]);
        if (!check_text(r, key, i, text[i]))
            return false;
    }
    *out = text;
    return true;
}

static bool read_patterns(struct reading *r, const char *key, const char *const *list, size_t n,
                          const struct query_pattern **out)
{
    struct query_pattern *p = arena_array(r->ar, n, sizeof *p);
    if (!p)
        return reading_memory(r);
    for (size_t i = 0; i < n; i++) {
        struct str text = str_of(list[i]);
        bool too_many = false;
        if (!check_text(r, key, i, text))
            return false;
        p[i].whole = str_find_char(text, '/') == text.n;
        if (glob_compile(r->ar, text, &p[i].glob, &too_many))
            continue;
        if (!too_many)
            return reading_memory(r);
        return reading_fail(r, CODE_bad_argument, place(r, key, i),
                            "the pattern has too many alternatives");
    }
    *out = p;
    return true;
}

/* -- who serves it, and what it is called -------------------------------------------------- */

static bool unknown_provider(struct reading *r, const struct snapshot *s, size_t i, struct str name)
{
    reading_fail(r, CODE_unknown_provider, place(r, "providers", i), "no provider is called '%.*s'",
                 STR_ARG(str_head(name, 80)));
    return reading_suggest(r, offered_near_provider(s, name), NULL);
}

static bool read_providers(struct reading *r, const cando_query *q, struct query *x)
{
    if (!read_texts(r, "providers", q->providers, q->n_providers, &x->provider))
        return false;
    x->n_providers = q->n_providers;
    x->has_providers = x->lists ? q->n_providers != 0 : q->providers != NULL;
    for (size_t i = 0; x->lists && i < x->n_providers; i++)
        if (snapshot_provider(&x->from.offers.cat->snap, x->provider[i]) == SNAP_NONE)
            return unknown_provider(r, &x->from.offers.cat->snap, i, x->provider[i]);
    x->n_kinds = q->n_kinds;
    return read_texts(r, "kinds", q->kinds, q->n_kinds, &x->kind);
}

static bool check_name(struct reading *r, const char *key, struct str name)
{
    if (name.n <= LIMIT_NAME_BYTES)
        return true;
    return reading_fail(r, CODE_too_long, reading_at(r, STR(""), key),
                        "a name has at most %u bytes", LIMIT_NAME_BYTES);
}

static bool read_words(struct reading *r, const cando_query *q, struct query *x)
{
    struct str *word = arena_array(r->ar, q->n_words, sizeof *word);
    if (!word)
        return reading_memory(r);
    for (size_t i = 0; i < q->n_words; i++) {
        word[i] = str_dup_fold(r->ar, str_of(q->words[i]));
        if (!word[i].p)
            return reading_memory(r);
        if (!check_text(r, "words", i, word[i]))
            return false;
    }
    x->words = word;
    x->n_words = q->n_words;
    return true;
}

static bool read_names(struct reading *r, const cando_catalog *cat, const cando_query *q,
                       struct query *x)
{
    struct str model = str_of(q->model), like = str_of(q->like);
    if (!check_name(r, "model", model) || !check_name(r, "like", like))
        return false;
    x->like = str_dup_fold(r->ar, like);
    if (!x->like.p)
        return reading_memory(r);
    if (model.n) {
        x->model = arena_alloc(r->ar, sizeof *x->model);
        if (!x->model)
            return reading_memory(r);
        offered_begin(x->model, &cat->snap, model);
    }
    x->has_allow = q->allow != NULL;
    x->n_allow = q->n_allow;
    x->n_deny = q->n_deny;
    x->n_match = q->n_match;
    return read_words(r, q, x) && read_patterns(r, "allow", q->allow, q->n_allow, &x->allow) &&
           read_patterns(r, "deny", q->deny, q->n_deny, &x->deny) &&
           read_patterns(r, "match", q->match, q->n_match, &x->match);
}

static bool read_status(struct reading *r, const cando_query *q, struct query *x)
{
    if (!reading_day(r, q->at, &x->from.offers.day))
        return false;
    for (size_t i = 0; i < q->n_status; i++) {
        struct str word = str_of(q->status[i]);
        unsigned k = row_status_find(word);
        if (k == ROW_STATUSES) {
            reading_fail(r, CODE_bad_argument, place(r, "status", i), "no status is called '%.*s'",
                         STR_ARG(str_head(word, 80)));
            return reading_hint(r, "known: active, preview, unlisted, deprecated, retired");
        }
        x->status |= 1u << k;
    }
    return true;
}

static bool read_purpose(struct reading *r, const cando_query *q, struct query *x)
{
    x->n_purpose = q->n_purpose;
    if (!read_texts(r, "for", q->purpose, q->n_purpose, &x->purpose))
        return false;
    for (size_t i = 0; i < x->n_purpose; i++) {
        if (vocab_word(F_model_kind, x->purpose[i]))
            continue;
        reading_fail(r, CODE_unknown_word, place(r, "for", i), "no model is for '%.*s'",
                     STR_ARG(str_head(x->purpose[i], 80)));
        return reading_hint(r, "known: %s", vocab_rows[F_model_kind].words);
    }
    return true;
}

/* -- capabilities -------------------------------------------------------------------------- */

static bool add_test(struct reading *r, struct query *x, struct query_test t)
{
    if (t.word == TEST_PREFER) {
        if (!ARENA_GROW(r->ar, x->prefer, x->n_prefer, x->cap_prefer))
            return reading_memory(r);
        x->prefer[x->n_prefer++] = t;
        return true;
    }
    if (!ARENA_GROW(r->ar, x->test, x->n_tests, x->cap_tests))
        return reading_memory(r);
    x->test[x->n_tests++] = t;
    return true;
}

static bool read_includes(struct reading *r, const char *key, size_t i, const cando_wanted *w,
                          struct query_test *t)
{
    for (size_t k = 0; k < w->n_includes; k++) {
        struct str word = str_of(w->includes[k]);
        uint32_t bit = t->kind == TEST_SET ? set_bit(set_field(t->slot), word) : 0;
        if (!bit)
            return reading_fail(r, CODE_unknown_word,
                                str_printf(r->ar, "/%s/%zu/includes/%zu", key, i, k),
                                "'%.*s' has no such word", STR_ARG(t->name));
        t->set |= bit;
    }
    return true;
}

static bool add_wanted(struct reading *r, struct query *x, enum test_word word, const char *key,
                       size_t i, const cando_wanted *w)
{
    struct query_test t = {.word = (uint8_t)word,
                           .name = str_of(w->capability),
                           .most = UINT64_MAX,
                           .min_support = (uint8_t)w->min_support};
    if (!check_text(r, key, i, t.name))
        return false;
    if (!need_find(t.name, &t.kind, &t.slot))
        return need_name(r, t.name, place(r, key, i), &t.kind, &t.slot);
    if (t.kind == TEST_NUMBER)
        return reading_fail(r, CODE_bad_argument, place(r, key, i),
                            "'%.*s' is a number: put it under 'minimum'", STR_ARG(t.name));
    if (t.kind == TEST_SET && (word == TEST_FORBID || word == TEST_CANNOT))
        return reading_fail(r, CODE_bad_argument, place(r, key, i), "'%.*s' is no capability",
                            STR_ARG(t.name));
    return read_includes(r, key, i, w, &t) && add_test(r, x, t);
}

static bool read_wanted(struct reading *r, struct query *x, enum test_word word, const char *key,
                        const cando_wanted *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!add_wanted(r, x, word, key, i, &list[i]))
            return false;
    return true;
}

/* "image" of input is the capability input_image. */
static bool read_modalities(struct reading *r, struct query *x, bool output,
                            const char *const *list, size_t n)
{
    const char *side = output ? "output" : "input";
    for (size_t i = 0; i < n; i++) {
        struct str word = str_of(list[i]);
        if (!check_text(r, side, i, word))
            return false;
        bool vectors = output && (str_is(word, "embedding") || str_is(word, "embeddings"));
        struct str name = vectors ? STR("embeddings")
                                  : str_printf(r->ar, "%s_%.*s", side, STR_ARG(str_head(word, 80)));
        if (!name.p)
            return reading_memory(r);
        unsigned field = vocab_find(VOCAB_CANDO, name);
        if (field == FIELD_COUNT || plane_slot(field) == SLOT_NONE) {
            reading_fail(r, CODE_bad_argument, place(r, side, i), "'%.*s' is no kind of %s",
                         STR_ARG(str_head(word, 80)), side);
            return reading_hint(r, "known: text, image, audio, video, %s",
                                output ? "embedding" : "pdf");
        }
        if (!add_test(r, x,
                      (struct query_test){.word = TEST_REQUIRE,
                                          .kind = TEST_SLOT,
                                          .slot = (uint8_t)plane_slot(field),
                                          .min_support = CANDO_MIN_EMULATED,
                                          .name = name}))
            return false;
    }
    return true;
}

static bool is_provider(const struct query *x, struct str name)
{
    if (x->from.offers.cat)
        return snapshot_provider(&x->from.offers.cat->snap, name) != SNAP_NONE;
    for (size_t i = 0; i < x->from.offers.n; i++)
        if (str_eq_fold(x->from.own[i].provider, name))
            return true;
    return false;
}

/* Capabilities, or else providers. A name that is almost a capability is taken for a
 * mistake. */
static bool read_prefer(struct reading *r, const cando_query *q, struct query *x)
{
    struct str *favourite = arena_array(r->ar, q->n_prefer, sizeof *favourite);
    if (!favourite)
        return reading_memory(r);
    x->favourite = favourite;
    for (size_t i = 0; i < q->n_prefer; i++) {
        const cando_wanted *w = &q->prefer[i];
        struct str name = str_of(w->capability);
        uint8_t kind, slot;
        if (!check_text(r, "prefer", i, name))
            return false;
        bool capability = w->min_support || w->n_includes || need_find(name, &kind, &slot);
        if (!capability && !is_provider(x, name))
            capability = vocab_suggest(VOCAB_CANDO, name).n;
        if (!capability)
            favourite[x->n_favourites++] = name;
        else if (!add_wanted(r, x, TEST_PREFER, "prefer", i, w))
            return false;
    }
    return true;
}

/* -- numbers ------------------------------------------------------------------------------- */

/* A decimal number, with an exponent or without. */
static bool parse_price(struct str text, uint64_t *out)
{
    struct decimal d;
    char plain[DECIMAL_TEXT];
    if (price_parse(text, out))
        return true;
    return decimal_parse(text, &d) && !d.negative && price_parse(decimal_text(&d, plain), out);
}

static bool parse_count(struct str text, uint64_t *out)
{
    struct decimal d;
    return decimal_parse(text, &d) && decimal_whole(&d, out) && *out <= LIMIT_NUMBER;
}

static bool no_number(struct reading *r, const struct query *x, struct str name, struct str at,
                      bool maximum)
{
    enum code code = !x->lists                            ? CODE_unknown_field
                     : maximum                            ? CODE_unknown_argument
                     : vocab_find_any(name) < FIELD_COUNT ? CODE_bad_argument
                                                          : CODE_unknown_field;
    reading_fail(r, code, at, "'%.*s' is no number", STR_ARG(str_head(name, 80)));
    struct str near = code == CODE_unknown_field ? vocab_suggest(VOCAB_CANDO, name) : STR("");
    return reading_suggest(
        r, near, "for example 'context_window', 'max_output', 'input_price', 'output_price'");
}

static bool read_bound(struct reading *r, struct query *x, const cando_bound *b, bool maximum)
{
    struct str name = str_of(b->field), text = str_of(b->value);
    bool in = str_is(name, "input_price"), price = in || str_is(name, "output_price");
    struct query_test t = {.word = maximum ? TEST_MAXIMUM : TEST_MINIMUM,
                           .kind = TEST_PRICE,
                           .slot = !in,
                           .name = name,
                           .most = UINT64_MAX};
    const char *key = maximum ? "maximum" : "minimum";
    uint64_t *bound = maximum ? &t.most : &t.least;
    if (!price && (!need_find(name, &t.kind, &t.slot) || t.kind != TEST_NUMBER))
        return no_number(r, x, name,
                         str_printf(r->ar, "/%s/%.*s", key, STR_ARG(str_head(name, 80))), maximum);
    if (price ? parse_price(text, bound) : parse_count(text, bound))
        return add_test(r, x, t);
    struct str at = str_printf(r->ar, "/%s/%.*s", key, STR_ARG(name));
    if (!price)
        return reading_fail(r, CODE_bad_argument, at, "a %s of '%.*s' is a whole number", key,
                            STR_ARG(name));
    reading_fail(r, CODE_bad_argument, at, "a price is a decimal number that is not negative");
    return reading_hint(r, "in USD per million tokens: \"1.5\"");
}

static bool read_bounds(struct reading *r, struct query *x, const cando_bound *list, size_t n,
                        bool maximum)
{
    for (size_t i = 0; i < n; i++)
        if (!read_bound(r, x, &list[i], maximum))
            return false;
    return true;
}

/* A day or a month as a number that compares with a row's; a month is its day 0, so that
 * "after 2026-05" takes all of May in, and models that only tell May; a year likewise. */
static bool read_day(struct reading *r, const char *key, const char *text, uint64_t *out)
{
    struct str s = str_of(text), whole = s;
    int32_t day;
    bool month = s.n == 7, year = s.n == 4;
    if (!text)
        return true;
    if (month || year)
        whole = str_printf(r->ar, "%.*s%s", STR_ARG(s), month ? "-01" : "-01-01");
    if (!whole.p)
        return reading_memory(r);
    if (!day_parse(whole, &day))
        return reading_fail(r, CODE_bad_argument, reading_at(r, STR(""), key),
                            "'%s' is a day, 2026-01-15, or a month, 2026-01", key);
    *out = day_number(whole) - (month ? 1u : year ? 101u : 0u);
    return true;
}

static bool read_released(struct reading *r, const cando_query *q, struct query *x)
{
    uint64_t before = UINT32_MAX;
    struct query_test t = {.word = TEST_RELEASED, .kind = TEST_DAY};
    if (!q->released_after && !q->released_before)
        return true;
    if (!read_day(r, "released_after", q->released_after, &t.least) ||
        !read_day(r, "released_before", q->released_before, &before))
        return false;
    t.most = before - 1;
    return add_test(r, x, t);
}

/* -- the needs of somebody else ------------------------------------------------------------ */

static unsigned strictness(unsigned min_support)
{
    return min_support == CANDO_MIN_NATIVE ? 2 : min_support == CANDO_MIN_EMULATED;
}

static bool is_required(const struct query *x, const struct need *n)
{
    for (size_t i = 0; i < x->n_tests; i++) {
        const struct query_test *t = &x->test[i];
        if (t->word == TEST_REQUIRE && t->kind == n->kind && t->slot == n->slot &&
            strictness(t->min_support) >= strictness(n->min_support) && (t->set & n->set) == n->set)
            return true;
    }
    return false;
}

/* A bound that is there is raised: one criterion, one reason. */
static bool raise_minimum(struct query *x, const struct need *n)
{
    for (size_t i = 0; i < x->n_tests; i++) {
        struct query_test *t = &x->test[i];
        if (t->word != TEST_MINIMUM || t->kind != TEST_NUMBER || t->slot != n->slot)
            continue;
        t->least = t->least > n->minimum ? t->least : n->minimum;
        return true;
    }
    return false;
}

static bool add_need(struct reading *r, struct query *x, const struct need *n, enum test_word word)
{
    return add_test(r, x,
                    (struct query_test){.word = (uint8_t)word,
                                        .kind = n->kind,
                                        .slot = n->slot,
                                        .min_support = n->min_support,
                                        .set = n->set,
                                        .least = n->minimum,
                                        .most = UINT64_MAX,
                                        .name = n->name});
}

/* `numbers`: these alone; else all but them. */
static bool add_needs(struct reading *r, struct query *x, const struct need_list *needs,
                      bool numbers)
{
    for (size_t i = 0; i < needs->n; i++) {
        const struct need *n = &needs->need[i];
        enum test_word word = n->level == CANDO_PREFERRED ? TEST_PREFER
                              : numbers                   ? TEST_MINIMUM
                                                          : TEST_REQUIRE;
        if (n->level == CANDO_PROBED || (n->kind == NEED_NUMBER) != numbers)
            continue;
        if (word == TEST_MINIMUM ? raise_minimum(x, n) : word == TEST_REQUIRE && is_required(x, n))
            continue;
        if (!add_need(r, x, n, word))
            return false;
    }
    return true;
}

bool query_add_needs(struct reading *r, struct query *x, const struct need_list *needs)
{
    return add_needs(r, x, needs, false) && add_needs(r, x, needs, true);
}

/* -- inline models ------------------------------------------------------------------------- */

/* As the rows of a catalog are ordered: in lower case; then as they are written. */
static int by_name(const void *a, const void *b)
{
    struct str x = ((const struct inline_model *)a)->name,
               y = ((const struct inline_model *)b)->name;
    for (size_t i = 0; i < x.n && i < y.n; i++) {
        unsigned char p = (unsigned char)char_fold(x.p[i]), q = (unsigned char)char_fold(y.p[i]);
        if (p != q)
            return p < q ? -1 : 1;
    }
    return x.n != y.n ? (x.n < y.n ? -1 : 1) : str_cmp(x, y);
}

static bool read_model(struct reading *r, const struct json *v, struct str at,
                       struct inline_model *out)
{
    if (!reading_object(r, v, at, "a model") ||
        !reading_text(r, v, at, "provider", &out->provider) ||
        !reading_text(r, v, at, "id", &out->id) ||
        !claims_read(r, FORM_MODEL_REF, v, at, &out->planes))
        return false;
    out->name = str_printf(r->ar, "%.*s/%.*s", STR_ARG(out->provider), STR_ARG(out->id));
    const struct json *day = json_get(v, "release_date");
    if (day && day->kind == JSON_STRING)
        out->release = day_number(str_head(day->text, 10));
    return out->name.p || reading_memory(r);
}

bool candidates_inline(struct reading *r, const struct json *models, struct str at,
                       struct candidates *out)
{
    memset(out, 0, sizeof *out);
    if (!reading_array(r, models, at, "'models'"))
        return false;
    size_t n = models->n;
    struct inline_model *m = arena_array(r->ar, n, sizeof *m);
    struct snap_row *row = arena_array(r->ar, n, sizeof *row);
    uint32_t *support = arena_array(r->ar, support_size(n), sizeof *support);
    if (!m || !row || !support)
        return reading_memory(r);
    support_begin(support, n);
    for (size_t i = 0; i < n; i++)
        if (!read_model(r, &models->item[i], reading_at_index(r, at, i), &m[i]))
            return false;
    if (n)
        qsort(m, n, sizeof *m, by_name);
    for (size_t i = 0; i < n; i++) {
        offer_put(i, &m[i].planes, row, support);
        row[i].release = m[i].release;
    }
    out->own = m;
    out->offers.row = row;
    out->offers.support = support;
    out->offers.n = n;
    return true;
}

static bool open_candidates(struct reading *r, const cando_catalog *cat, const cando_query *q,
                            struct candidates *out)
{
    if (!q->models.p)
        return offers_open(&out->offers, cat, r->ar) || reading_memory(r);
    const struct json *v = reading_json(r, q->models, STR("/models"));
    return v && candidates_inline(r, v, STR("/models"), out);
}

/* -- all of it ----------------------------------------------------------------------------- */

static bool read_request(struct reading *r, const cando_catalog *cat, const cando_query *q,
                         struct need_list *out, struct query *x)
{
    need_list_init(out);
    if (!q->request.p && (q->api || q->refused))
        return reading_fail(r, CODE_bad_argument, q->api ? STR("/dialect") : STR("/refused"),
                            "'%s' goes with 'request'", q->api ? "dialect" : "refused");
    if (!q->request.p)
        return true;
    if (!need_read_request(r, cat, q->request, q->api, false, out))
        return false;
    x->wants_refused = q->refused;
    x->verdicts = verdicts_open(r, cat, q->request, q->api, x->from.offers.day);
    return x->verdicts != NULL;
}

static bool read_tests(struct reading *r, const cando_query *q, const struct need_list *needs,
                       struct query *x)
{
    return read_wanted(r, x, TEST_REQUIRE, "require", q->require, q->n_require) &&
           read_wanted(r, x, TEST_REQUIRE, "can", q->can, q->n_can) &&
           read_modalities(r, x, false, q->input, q->n_input) &&
           read_modalities(r, x, true, q->output, q->n_output) && add_needs(r, x, needs, false) &&
           read_wanted(r, x, TEST_FORBID, "forbid", q->forbid, q->n_forbid) &&
           read_wanted(r, x, TEST_CANNOT, "cannot", q->cannot, q->n_cannot) &&
           read_bounds(r, x, q->minimum, q->n_minimum, false) && add_needs(r, x, needs, true) &&
           read_bounds(r, x, q->maximum, q->n_maximum, true) && read_released(r, q, x);
}

bool query_read(struct reading *r, const cando_catalog *cat, const cando_query *q, bool lists,
                struct query *out)
{
    struct need_list needs;
    *out = (struct query){.lists = lists,
                          .include_unknown = q->unknown == CANDO_INCLUDE_UNKNOWN,
                          .sort = q->sort,
                          .reverse = q->reverse,
                          .limit = q->limit.known ? (size_t)q->limit.value : SIZE_MAX};
    return open_candidates(r, cat, q, &out->from) && read_providers(r, q, out) &&
           read_names(r, cat, q, out) && read_status(r, q, out) && read_purpose(r, q, out) &&
           read_request(r, cat, q, &needs, out) && read_tests(r, q, &needs, out) &&
           read_prefer(r, q, out);
}
