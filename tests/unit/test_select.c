/*
 * test_select.c - queries over offerings: against a naive one over the whole built-in
 * catalog, with random criteria; the rows against the records they were packed from; the
 * order.
 */
#include "ask.h"
#include "decide/query.h"

#include <fnmatch.h>

/* Every row is what its record packs to. */
static void test_rows(void **state)
{
    (void)state;
    const cando_catalog *cat = cando_catalog_builtin();
    struct arena ar;
    struct offers o;
    arena_init(&ar, NULL);
    assert_true(offers_open(&o, cat, &ar));
    assert_true(o.n > 100);
    char before[1200] = "";
    for (size_t i = 0; i < o.n; i++) {
        cando_profile p;
        cando_planes full, row;
        offer_profile(&o, &o.row[i], &p);
        cando_profile_pack(&p, &full);
        offer_planes(&o, i, &row);
        for (unsigned s = 0; s < SLOT_COUNT; s++) {
            cando_support have = planes_level(&full, s);
            assert_int_equal(planes_level(&row, s), have == CANDO_RESTRICTED ? CANDO_EMULATED : have);
        }
        assert_int_equal(row.number[NUM_context_window], full.number[NUM_context_window]);
        assert_int_equal(row.number[NUM_max_output], full.number[NUM_max_output]);
        assert_true(row.price[0] == full.price[0] && row.price[1] == full.price[1]);
        /* and the record is what resolving gives */
        struct str provider = offer_provider(&o, &o.row[i]), id = offer_id(&o, &o.row[i]);
        cando_profile asked;
        cando_error err;
        assert_int_equal(cando_resolve_parts(cat, provider.p, provider.n, id.p, id.n, CANDO_AS_WRITTEN, &asked, &err), CANDO_OK);
        assert_ptr_equal(asked.record, p.record);
        char name[1200];
        snprintf(name, sizeof name, "%.*s/%.*s", (int)provider.n, provider.p, (int)id.n, id.p);
        for (char *z = name; *z; z++)
            *z = char_fold(*z);
        assert_true(strcmp(before, name) < 0); /* sorted, each once */
        strcpy(before, name);
    }
    arena_free(&ar);
}

/* A file whose fields are not ours is packed anew, to the same rows and bits. */
static void test_rows_of_another_file(void **state)
{
    (void)state;
    const cando_catalog *cat = cando_catalog_builtin();
    struct cando_catalog *other = malloc(sizeof *other);
    assert_non_null(other);
    memcpy(other, cat, sizeof *other);
    other->snap.same_fields = false;
    struct arena ar;
    struct offers a, b;
    arena_init(&ar, NULL);
    assert_true(offers_open(&a, cat, &ar) && offers_open(&b, other, &ar));
    assert_int_equal(a.n, b.n);
    assert_int_equal(a.n_runs, b.n_runs);
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    assert_ptr_equal(a.row, cat->snap.sec[SEC_ROWS].p); /* ours are not copied */
    assert_ptr_equal(a.dated, cat->snap.sec[SEC_DATED].p);
#endif
    assert_ptr_not_equal(a.row, b.row);
    assert_memory_equal(a.row, b.row, a.n * sizeof *a.row);
    assert_memory_equal(a.run, b.run, a.n_runs * sizeof *a.run);
    assert_int_equal(a.support[0], b.support[0]);
    for (unsigned i = 0; i < SUPPORT_SETS; i++)
        assert_memory_equal(offer_bits(&a, i / SUPPORT_BITS, i % SUPPORT_BITS),
                            offer_bits(&b, i / SUPPORT_BITS, i % SUPPORT_BITS),
                            support_words(a.n) * sizeof *a.support);
    arena_free(&ar);
    free(other);
}

/* -- the naive query: resolve each model, ask it one thing after the other ---------------------- */

static const char *const capabilities[] = {"tool_calling", "streaming",  "reasoning",    "input_image", "input_audio",
                                           "json_mode",    "web_search", "open_weights", "multimodal",  "toolCalling"};
static const char *const provider_names[] = {"anthropic", "openai", "google", "amazon-bedrock", "openrouter", "backend"};
static const char *const kind_names[] = {"first-party", "cloud", "host", "router"};
static const char *const pattern_names[] = {"openai", "*/claude*", "google/gemini-2*", "a*", "openrouter/*"};
static const char *const glob_names[] = {"*gpt*", "claude-*", "openai/*", "*mini*"};
static const char *const status_names[] = {"active", "preview", "deprecated", "retired"};
static const char *const input_names[] = {"image", "audio", "pdf", "text"};
static const char *const effort_names[] = {"low", "medium", "high"};
static const char *const number_names[] = {"context_window", "max_output", "max_tools", "cache_min_tokens"};
static const char *const number_values[] = {"1", "4096", "8192", "100000", "128000", "1000000"};
static const char *const price_values[] = {"0", "0.15", "1", "2.50", "15"};
static const char *const days[] = {"2025", "2025-06", "2025-06-15", "2024-12-01"};
#define COUNT(list) (uint32_t)LENGTH(list)
#define ANY_OF(seed, list) (list)[dice(seed, COUNT(list))]

struct wish {
    cando_query q;
    const char *text[8][3];
    cando_wanted wanted[5][3];
    cando_bound bound[2][2];
};

static size_t wish_texts(uint64_t *seed, const char **out, const char *const *from, uint32_t n, unsigned one_in,
                         const char *const **list)
{
    size_t count = dice(seed, one_in) == 0 ? 1 + dice(seed, 3) : 0;
    for (size_t i = 0; i < count; i++)
        out[i] = from[dice(seed, n)];
    *list = count ? out : NULL;
    return count;
}

static size_t wish_wanted(uint64_t *seed, cando_wanted *out, unsigned one_in, bool levels, const cando_wanted **list)
{
    size_t count = dice(seed, one_in) == 0 ? 1 + dice(seed, 3) : 0;
    for (size_t i = 0; i < count; i++) {
        out[i] = (cando_wanted){.capability = ANY_OF(seed, capabilities)};
        out[i].min_support = levels && dice(seed, 4) == 0 ? CANDO_MIN_NATIVE : CANDO_MIN_EMULATED;
        if (levels && dice(seed, 8) == 0)
            out[i] = (cando_wanted){.capability = "reasoning_efforts", .includes = &effort_names[dice(seed, 2)], .n_includes = 2};
    }
    *list = out;
    return count;
}

static size_t wish_bounds(uint64_t *seed, cando_bound *out, const cando_bound **list)
{
    size_t count = dice(seed, 4) == 0 ? 1 + dice(seed, 2) : 0;
    for (size_t i = 0; i < count; i++)
        out[i] = dice(seed, 2) ? (cando_bound){ANY_OF(seed, number_names), ANY_OF(seed, number_values)}
                               : (cando_bound){dice(seed, 2) ? "input_price" : "output_price", ANY_OF(seed, price_values)};
    *list = out;
    return count;
}

#define TEXTS_OF(row, member, names, one_in) \
    w->q.n_##member = wish_texts(seed, w->text[row], names, COUNT(names), one_in, &w->q.member)

static void make_wish(uint64_t *seed, struct wish *w)
{
    memset(w, 0, sizeof *w);
    TEXTS_OF(0, providers, provider_names, 5);
    TEXTS_OF(1, kinds, kind_names, 8);
    TEXTS_OF(2, allow, pattern_names, 8);
    TEXTS_OF(3, deny, pattern_names, 8);
    TEXTS_OF(4, match, glob_names, 8);
    TEXTS_OF(5, status, status_names, 6);
    TEXTS_OF(6, input, input_names, 6);
    w->q.n_require = wish_wanted(seed, w->wanted[0], 2, true, &w->q.require);
    w->q.n_can = wish_wanted(seed, w->wanted[1], 5, true, &w->q.can);
    w->q.n_forbid = wish_wanted(seed, w->wanted[2], 4, false, &w->q.forbid);
    w->q.n_cannot = wish_wanted(seed, w->wanted[3], 6, false, &w->q.cannot);
    w->q.n_prefer = wish_wanted(seed, w->wanted[4], 3, true, &w->q.prefer);
    if (w->q.n_prefer > 1)
        w->wanted[4][0] = (cando_wanted){.capability = ANY_OF(seed, provider_names)};
    w->q.n_minimum = wish_bounds(seed, w->bound[0], &w->q.minimum);
    w->q.n_maximum = wish_bounds(seed, w->bound[1], &w->q.maximum);
    w->q.released_after = dice(seed, 6) == 0 ? ANY_OF(seed, days) : NULL;
    w->q.released_before = dice(seed, 6) == 0 ? ANY_OF(seed, days) : NULL;
    w->q.unknown = dice(seed, 3) == 0 ? CANDO_INCLUDE_UNKNOWN : CANDO_EXCLUDE_UNKNOWN;
    w->q.sort = (cando_sort)dice(seed, CANDO_SORT_RELEASE + 1);
    w->q.reverse = dice(seed, 4) == 0;
    w->q.limit = (cando_number){dice(seed, 2) ? dice(seed, 12) : 64 + dice(seed, 3), dice(seed, 3) != 0};
}

/* Yes, no, or unknown (-1). */
static int naive_has(const cando_profile *p, const cando_wanted *x)
{
    if (strcmp(x->capability, "multimodal") == 0) {
        static const char *const kinds[] = {"input_image", "input_audio", "input_video"};
        int best = 0;
        for (unsigned i = 0; i < 3; i++) {
            int has = naive_has(p, &(cando_wanted){.capability = kinds[i], .min_support = x->min_support});
            best = has == 1 || best == 1 ? 1 : has < best ? has : best;
        }
        return best;
    }
    cando_value v = cando_profile_get(p, cando_field_find(x->capability));
    if (!v.known)
        return -1;
    if (v.type == CANDO_LIST) {
        for (size_t k = 0; k < x->n_includes; k++) {
            bool found = false;
            for (uint32_t i = 0; i < v.count && !found; i++)
                found = strcmp(cando_value_item(&v, i), x->includes[k]) == 0;
            if (!found)
                return 0;
        }
        return 1;
    }
    return v.type == CANDO_FLAG ? v.flag : v.support >= (x->min_support == CANDO_MIN_NATIVE ? CANDO_NATIVE : CANDO_RESTRICTED);
}

/* The plain rate, or the one behind " from=" that began last: as the catalog's lists are, which
 * are replaced whole. */
static bool naive_price(const cando_profile *p, const char *unit, double *out)
{
    cando_value v = cando_profile_get(p, cando_field_find("price"));
    uint32_t newest = 0;
    bool found = false;
    for (uint32_t i = 0; v.known && i < v.count; i++) {
        const char *item = cando_value_item(&v, i), *rest = item + strlen(unit);
        uint32_t from = 0;
        uint64_t units;
        if (strncmp(item, unit, strlen(unit)) != 0)
            continue;
        if (strncmp(rest, " from=", 6) == 0) {
            from = day_number(str_make(rest + 6, 10));
            rest += 16;
        }
        if (*rest != '=' || from > day_today() || (found && from < newest))
            continue;
        found = price_parse(str_of(rest + 1), &units);
        *out = (double)units;
        newest = from;
    }
    return found;
}

static bool naive_number(const cando_profile *p, const char *name, double *out)
{
    if (strcmp(name, "input_price") == 0)
        return naive_price(p, "input_tokens", out);
    if (strcmp(name, "output_price") == 0)
        return naive_price(p, "output_tokens", out);
    cando_value v = cando_profile_get(p, cando_field_find(name));
    *out = (double)v.number;
    return v.known;
}

static double naive_bound(const cando_bound *b)
{
    uint64_t units = 0;
    if (!strstr(b->field, "price"))
        return atof(b->value);
    assert_true(price_parse(str_of(b->value), &units));
    return (double)units;
}

static double naive_day(const char *text)
{
    char digits[9] = "00000000";
    for (size_t n = 0; *text && n < 8; text++)
        if (char_is_digit(*text))
            digits[n++] = *text;
    return atof(digits);
}

static bool naive_release(const cando_profile *p, double *out)
{
    cando_value v = cando_profile_get(p, cando_field_find("release_date"));
    *out = v.known ? naive_day(v.text) : 0;
    return v.known;
}

static bool in_texts(const char *const *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static bool in_globs(const char *const *list, size_t n, const char *a, const char *b, const char *provider)
{
    for (size_t i = 0; i < n; i++) {
        bool whole = provider && !strchr(list[i], '/');
        if (fnmatch(list[i], whole ? provider : a, 0) == 0 || (b && fnmatch(list[i], b, 0) == 0))
            return true;
    }
    return false;
}

struct offering {
    const char *provider, *kind;
    char name[1100], folded[1100];
    const char *id; /* in `folded` */
    cando_profile p;
};

static bool naive_wanted(const struct wish *w, const struct offering *o)
{
    const cando_query *q = &w->q;
    bool include = q->unknown == CANDO_INCLUDE_UNKNOWN;
    for (size_t i = 0; i < q->n_require + q->n_can; i++) {
        int has = naive_has(&o->p, i < q->n_require ? &q->require[i] : &q->can[i - q->n_require]);
        if (has == 0 || (has < 0 && !include))
            return false;
    }
    for (size_t i = 0; i < q->n_input; i++) {
        char name[40];
        snprintf(name, sizeof name, "input_%s", q->input[i]);
        int has = naive_has(&o->p, &(cando_wanted){.capability = name});
        if (has == 0 || (has < 0 && !include))
            return false;
    }
    for (size_t i = 0; i < q->n_forbid; i++)
        if (naive_has(&o->p, &q->forbid[i]) == 1)
            return false;
    for (size_t i = 0; i < q->n_cannot; i++) {
        int has = naive_has(&o->p, &q->cannot[i]);
        if (has == 1 || (has < 0 && !include))
            return false;
    }
    return true;
}

static bool naive_numbers(const struct wish *w, const struct offering *o)
{
    const cando_query *q = &w->q;
    bool include = q->unknown == CANDO_INCLUDE_UNKNOWN;
    double v;
    for (size_t i = 0; i < q->n_minimum; i++)
        if (naive_number(&o->p, q->minimum[i].field, &v) ? v < naive_bound(&q->minimum[i]) : !include)
            return false;
    for (size_t i = 0; i < q->n_maximum; i++)
        if (naive_number(&o->p, q->maximum[i].field, &v) ? v > naive_bound(&q->maximum[i]) : !include)
            return false;
    if (!q->released_after && !q->released_before)
        return true;
    if (!naive_release(&o->p, &v))
        return include;
    return (!q->released_after || v >= naive_day(q->released_after)) && (!q->released_before || v < naive_day(q->released_before));
}

static bool naive_fits(const struct wish *w, const struct offering *o, bool lists)
{
    const cando_query *q = &w->q;
    cando_value status = cando_profile_get(&o->p, cando_field_find("status"));
    const char *now = status.known ? status.text : "active";
    if (q->providers && !in_texts(q->providers, q->n_providers, o->provider))
        return false;
    if (q->kinds && !in_texts(q->kinds, q->n_kinds, o->kind))
        return false;
    if (!q->kinds && strcmp(o->kind, "backend") == 0 && !in_texts(q->providers, q->n_providers, o->provider))
        return false;
    if (in_globs(q->deny, q->n_deny, o->folded, NULL, o->provider))
        return false;
    if (q->allow && !in_globs(q->allow, q->n_allow, o->folded, NULL, o->provider))
        return false;
    if (q->match && !in_globs(q->match, q->n_match, o->id, o->folded, NULL))
        return false;
    bool by_default = !lists && !q->n_status;
    if (q->status && !in_texts(q->status, q->n_status, now))
        return false;
    if (!lists && strcmp(now, "retired") == 0)
        return false;
    if (by_default && (strcmp(now, "deprecated") == 0 || strcmp(now, "unlisted") == 0))
        return false;
    return naive_wanted(w, o) && naive_numbers(w, o);
}

struct entry {
    const struct offering *o;
    double key[4]; /* provider, liked less, unknown, value: smaller is better */
    bool by_name;  /* backwards */
};

static int entry_cmp(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    for (unsigned i = 0; i < 4; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return x->by_name ? strcmp(y->o->folded, x->o->folded) : strcmp(x->o->folded, y->o->folded);
}

static struct entry naive_entry(const struct wish *w, const struct offering *o)
{
    static const char *const fields[] = {[CANDO_SORT_CONTEXT] = "context_window", [CANDO_SORT_OUTPUT] = "max_output",
                                         [CANDO_SORT_INPUT_PRICE] = "input_price", [CANDO_SORT_OUTPUT_PRICE] = "output_price"};
    const cando_query *q = &w->q;
    struct entry e = {.o = o, .key = {99}};
    bool known = true, large = q->sort == CANDO_SORT_CONTEXT || q->sort == CANDO_SORT_OUTPUT || q->sort == CANDO_SORT_RELEASE;
    double v = 0, in = 0, out = 0;
    for (size_t i = 0; i < q->n_prefer; i++) {
        if (i == 0 && cando_field_find(q->prefer[0].capability) == CANDO_NO_FIELD && strcmp(q->prefer[0].capability, "multimodal"))
            e.key[0] = strcmp(o->provider, q->prefer[0].capability) == 0 ? 0 : 99;
        else
            e.key[1] -= naive_has(&o->p, &q->prefer[i]) == 1;
    }
    e.by_name = q->reverse && q->sort <= CANDO_SORT_PROVIDER;
    if (q->sort == CANDO_SORT_RELEASE) {
        known = naive_release(&o->p, &v);
    } else if (q->sort == CANDO_SORT_PRICE) {
        known = naive_price(&o->p, "input_tokens", &in) && naive_price(&o->p, "output_tokens", &out);
        v = in + out;
    } else if (q->sort > CANDO_SORT_PROVIDER) {
        known = naive_number(&o->p, fields[q->sort], &v);
    }
    e.key[2] = !known;
    e.key[3] = !known ? 0 : large == q->reverse ? v : -v;
    return e;
}

static size_t naive_query(const struct wish *w, bool lists, const struct offering *all, size_t n, struct entry *out)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (naive_fits(w, &all[i], lists))
            out[found++] = naive_entry(w, &all[i]);
    qsort(out, found, sizeof *out, entry_cmp);
    return found;
}

static struct offering *all_offerings(size_t *n)
{
    const cando_catalog *cat = cando_catalog_builtin();
    *n = cando_catalog_models(cat);
    struct offering *all = calloc(*n, sizeof *all);
    assert_non_null(all);
    for (size_t i = 0; i < *n; i++) {
        cando_model m = cando_catalog_model(cat, i);
        struct offering *o = &all[i];
        o->provider = m.provider;
        uint32_t number = snapshot_provider(&cat->snap, str_of(m.provider));
        o->kind = snap_str(&cat->snap, snap_provider(&cat->snap, number).kind).p;
        snprintf(o->name, sizeof o->name, "%s/%s", m.provider, m.id);
        for (size_t k = 0; o->name[k]; k++)
            o->folded[k] = char_fold(o->name[k]);
        o->id = o->folded + strlen(m.provider) + 1;
        cando_resolve_parts(cat, m.provider, strlen(m.provider), m.id, strlen(m.id), CANDO_AS_WRITTEN, &o->p, NULL);
    }
    return all;
}

static void same_names(unsigned round, const char *have, const struct entry *want)
{
    if (strcmp(have, want->o->name) != 0)
        fail_msg("round %u: want %s, have %s", round, want->o->name, have);
}

static void test_against_naive(void **state)
{
    struct asker *a = *state;
    size_t n;
    struct offering *all = all_offerings(&n);
    struct entry *want = calloc(n, sizeof *want);
    cando_error err = {0};
    cando_room *room = cando_room_new(NULL, &err);
    assert_true(want && room);
    uint64_t seed = 3;
    for (unsigned round = 0; round < 60; round++) {
        struct wish w;
        make_wish(&seed, &w);
        size_t fit = naive_query(&w, false, all, n, want), shown = w.q.limit.known && w.q.limit.value < fit ? w.q.limit.value : fit;
        const cando_select_answer *s = cando_ask_select(a->c, &w.q, room, &err);
        assert_non_null(s);
        assert_int_equal(s->matched, fit);
        assert_int_equal(s->n_matches, shown);
        uint64_t excluded = 0;
        for (size_t i = 0; i < s->n_excluded; i++)
            excluded += s->excluded[i].count;
        assert_int_equal(s->considered, fit + excluded);
        for (size_t i = 0; i < shown; i++)
            same_names(round, s->matches[i].target, &want[i]);
        fit = naive_query(&w, true, all, n, want);
        shown = w.q.limit.known && w.q.limit.value < fit ? w.q.limit.value : fit;
        const cando_models_answer *m = cando_ask_models(a->c, &w.q, room, &err);
        assert_non_null(m);
        assert_int_equal(m->matched, fit);
        assert_int_equal(m->n_models, shown);
        for (size_t i = 0; i < shown; i++) {
            char name[1100];
            snprintf(name, sizeof name, "%s/%s", m->models[i].provider, m->models[i].model);
            same_names(round, name, &want[i]);
        }
        cando_room_clear(room);
    }
    cando_room_free(room);
    free(want);
    free(all);
}

#define MODELS                                                                                                         \
    "\"models\":[{\"provider\":\"p\",\"id\":\"b\",\"capabilities\":{\"chat\":true,\"tools\":{\"enabled\":true}},\"limits\":{\"context\":100},\"pricing\":{\"input\":2,\"output\":2}}," \
    "{\"provider\":\"p\",\"id\":\"a\",\"capabilities\":{\"chat\":true},\"limits\":{\"context\":300},\"pricing\":{\"input\":\"1.5\",\"output\":3.5}}," \
    "{\"provider\":\"q\",\"id\":\"c\",\"capabilities\":{\"chat\":true,\"vision\":true,\"tools\":true}}," \
    "{\"provider\":\"q\",\"id\":\"d\",\"capabilities\":null}]"

static void test_inline(void **state)
{
    struct asker *a = *state;
    static const struct {
        const char *criteria, *want;
    } rows[] = {
        {"\"require\":[\"chat\"]", "p/a p/b q/c"},
        {"\"sort\":\"name\"", "p/a p/b q/c q/d"},
        {"\"sort\":\"price\"", "p/b p/a q/c q/d"},
        {"\"sort\":\"context\"", "p/a p/b q/c q/d"},
        {"\"require\":[\"chat\"],\"prefer\":[\"q\"]", "q/c p/a p/b"},
        {"\"prefer\":[\"vision\"]", "q/c p/a p/b q/d"},
        {"\"prefer\":[\"tools\"],\"sort\":\"context\"", "p/b q/c p/a q/d"},
        {"\"require\":[\"toolCalling\"],\"forbid\":[\"vision\"]", "p/b"},
        {"\"forbid\":[\"chat\"]", "q/d"},
        {"\"minimum\":{\"context_window\":100}", "p/a p/b"},
        {"\"minimum\":{\"context_window\":101}", "p/a"},
        {"\"maximum\":{\"input_price\":\"1.5\"}", "p/a"},
        {"\"maximum\":{\"input_price\":1.49}", ""},
        {"\"maximum\":{\"output_price\":\"2\"}", "p/b"},
        {"\"providers\":[\"q\"]", "q/c q/d"},
        {"\"providers\":[]", ""},
        {"\"providers\":[\"nope\"]", ""},
        {"\"allow\":[\"q\",\"p/a*\"]", "p/a q/c q/d"},
        {"\"allow\":[\"q\"],\"deny\":[\"q/c\"]", "q/d"},
        {"\"deny\":[\"*\"]", ""},
        {"\"allow\":[]", ""},
        {"\"limit\":2", "p/a p/b"},
        {"\"limit\":0", ""},
        {"\"require\":[{\"capability\":\"tools\",\"min_support\":\"native\"}]", "p/b q/c"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct json *r = ask(a, "{\"op\":\"select\"," MODELS ",%s}", rows[i].criteria);
        char have[200] = "";
        const struct json *list = at(r, "/matches");
        for (size_t k = 0; k < list->n; k++) {
            const struct json *t = json_get(&list->item[k], "target");
            snprintf(have + strlen(have), sizeof have - strlen(have), "%s%.*s", k ? " " : "", (int)t->text.n, t->text.p);
        }
        if (strcmp(have, rows[i].want) != 0)
            fail_msg("%s: want '%s', have '%s'", rows[i].criteria, rows[i].want, have);
    }
}

static void test_reasons(void **state)
{
    struct asker *a = *state;
    const struct json *r = ask(a, "{\"op\":\"select\"," MODELS ",\"require\":[\"chat\",\"tools\"],\"sort\":\"price\"}");
    is_count(r, "/excluded", 2);
    assert_non_null(json_get(at(r, "/excluded"), "require chat"));
    assert_non_null(json_get(at(r, "/excluded"), "require tools"));
    is_text(r, "/matches/0/why/1", "tool_calling native");
    is_text(r, "/runner_up/target", "q/c");
    is_text(r, "/runner_up/decided_by", "price");
    is_text(r, "/runner_up/lacks/0", "its price is unknown against price 2 in, 2 out (USD per million tokens)");
    r = ask(a, "{\"op\":\"select\"," MODELS ",\"prefer\":[\"q\"]}");
    is_text(r, "/runner_up/decided_by", "name");
    r = ask(a, "{\"op\":\"select\"," MODELS ",\"prefer\":[\"p\"],\"providers\":[\"p\",\"q\"],\"require\":[\"tools\"]}");
    is_text(r, "/runner_up/decided_by", "provider");
}

static void test_refusals(void **state)
{
    struct asker *a = *state;
    static const char *const rows[][2] = {
        {"\"require\":[\"tolls\"]", "unknown-field"},          {"\"require\":\"tools\"", "bad-argument"},
        {"\"require\":[\"context_window\"]", "bad-argument"},  {"\"minimum\":{\"tools\":1}", "unknown-field"},
        {"\"minimum\":{\"context_window\":\"x\"}", "bad-argument"}, {"\"maximum\":{\"input_price\":-1}", "bad-argument"},
        {"\"sort\":\"beauty\"", "bad-argument"},               {"\"limit\":-1", "bad-argument"},
        {"\"limit\":1.5", "bad-argument"},                     {"\"models\":{}", "bad-argument"},
        {"\"models\":[{\"id\":\"x\"}]", "missing-argument"},   {"\"allow\":[1]", "bad-argument"},
        {"\"prefers\":[]", "unknown-argument"},                {"\"forbid\":[\"reasoning_efforts\"]", "bad-argument"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(ask(a, "{\"op\":\"select\",%s}", rows[i][0]));
        refused(a, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_rows_of_another_file), cmocka_unit_test(test_against_naive),
        cmocka_unit_test(test_inline), cmocka_unit_test(test_reasons),               cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, ask_setup, ask_teardown);
}
