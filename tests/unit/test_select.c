/*
 * test_select.c - selection: against a naive one over the whole built-in catalog, with
 * random criteria; the rows against the records they were packed from; the order.
 */
#include "ask.h"
#include "decide/select.h"

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
        offer_planes(&o.row[i], &row);
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

/* A file without rows gives the same ones. */
static void test_rows_of_an_older_file(void **state)
{
    (void)state;
    const cando_catalog *cat = cando_catalog_builtin();
    struct cando_catalog *old = malloc(sizeof *old);
    assert_non_null(old);
    memcpy(old, cat, sizeof *old);
    old->snap.sec[SEC_ROWS].n = 0;
    struct arena ar;
    struct offers a, b;
    arena_init(&ar, NULL);
    assert_true(offers_open(&a, cat, &ar) && offers_open(&b, old, &ar));
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++) {
        assert_memory_equal(a.row[i].known, b.row[i].known, sizeof a.row[i].known);
        assert_memory_equal(a.row[i].native, b.row[i].native, sizeof a.row[i].native);
        assert_memory_equal(a.row[i].usable, b.row[i].usable, sizeof a.row[i].usable);
        assert_memory_equal(a.row[i].price, b.row[i].price, sizeof a.row[i].price);
        assert_int_equal(a.row[i].key, b.row[i].key);
        assert_int_equal(a.row[i].record, b.row[i].record);
    }
    arena_free(&ar);
    free(old);
}

/* -- the naive selection --------------------------------------------------------------------- */

static const char *const capabilities[] = {"tool_calling", "streaming", "reasoning", "input_image", "input_audio", "structured_output",
                                           "prompt_caching", "web_search", "open_weights", "multimodal"};
#define N_CAPS 10

struct wish {
    unsigned require, forbid, prefer; /* bits of capabilities */
    unsigned window, dear;            /* minimum; maximum input price in cents, 0: none */
    const char *provider;             /* preferred, or NULL */
    unsigned sort;
};

struct entry {
    char name[1100], folded[1100];
    uint64_t key[3];
};

static bool naive_yes(const cando_profile *p, unsigned cap)
{
    if (cap == N_CAPS - 1) {
        static const char *const kinds[] = {"input_image", "input_audio", "input_video"};
        for (unsigned i = 0; i < 3; i++) {
            cando_value v = cando_profile_get(p, cando_field_find(kinds[i]));
            if (v.known && v.support > CANDO_UNSUPPORTED)
                return true;
        }
        return false;
    }
    cando_value v = cando_profile_get(p, cando_field_find(capabilities[cap]));
    return v.known && (v.type == CANDO_FLAG ? v.flag : v.support > CANDO_UNSUPPORTED);
}

static bool naive_price(const cando_profile *p, const char *unit, uint64_t *out)
{
    cando_value v = cando_profile_get(p, cando_field_find("price"));
    for (uint32_t i = 0; v.known && i < v.count; i++) {
        const char *item = cando_value_item(&v, i);
        size_t n = strlen(unit);
        if (strncmp(item, unit, n) == 0 && item[n] == '=')
            return price_parse(str_of(item + n + 1), out);
    }
    return false;
}

static bool naive_fits(const cando_profile *p, const struct wish *w)
{
    uint64_t price;
    cando_value status = cando_profile_get(p, cando_field_find("status")), window = cando_profile_get(p, cando_field_find("context_window"));
    if (status.known && strcmp(status.text, "retired") == 0)
        return false;
    for (unsigned c = 0; c < N_CAPS; c++)
        if ((w->require >> c & 1 && !naive_yes(p, c)) || (w->forbid >> c & 1 && naive_yes(p, c)))
            return false;
    if (w->window && (!window.known || window.number < w->window))
        return false;
    return !w->dear || (naive_price(p, "input_tokens", &price) && price <= w->dear * UINT64_C(10000000000));
}

static int entry_cmp(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    for (unsigned i = 0; i < 3; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return strcmp(x->folded, y->folded);
}

static size_t naive_select(const struct offers *o, const struct wish *w, struct entry *out)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++) {
        struct str provider = offer_provider(o, &o->row[i]), id = offer_id(o, &o->row[i]);
        cando_profile p;
        cando_error err;
        if (str_is(provider, "backend"))
            continue;
        cando_resolve_parts(o->cat, provider.p, provider.n, id.p, id.n, CANDO_AS_WRITTEN, &p, &err);
        if (!naive_fits(&p, w))
            continue;
        struct entry *e = &out[n++];
        uint64_t in, outp, liked = 0;
        bool priced = naive_price(&p, "input_tokens", &in) && naive_price(&p, "output_tokens", &outp);
        cando_value window = cando_profile_get(&p, cando_field_find("context_window"));
        for (unsigned c = 0; c < N_CAPS; c++)
            liked += (w->prefer >> c & 1) && naive_yes(&p, c);
        snprintf(e->name, sizeof e->name, "%.*s/%.*s", (int)provider.n, provider.p, (int)id.n, id.p);
        for (size_t k = 0; k <= strlen(e->name); k++)
            e->folded[k] = char_fold(e->name[k]);
        e->key[0] = w->provider && str_is(provider, w->provider) ? 0 : 1;
        e->key[1] = 100 - liked;
        e->key[2] = w->sort == SORT_PRICE ? (priced ? in + outp : UINT64_MAX) : w->sort == SORT_CONTEXT ? (window.known ? UINT64_MAX - window.number : UINT64_MAX) : 0;
    }
    qsort(out, n, sizeof *out, entry_cmp);
    return n;
}

static size_t put_caps(char *out, size_t room, const char *key, unsigned bits, const char *more)
{
    size_t n = (size_t)snprintf(out, room, ",\"%s\":[", key);
    bool first = true;
    if (more) {
        n += (size_t)snprintf(out + n, room - n, "\"%s\"", more);
        first = false;
    }
    for (unsigned c = 0; c < N_CAPS; c++)
        if (bits >> c & 1) {
            n += (size_t)snprintf(out + n, room - n, "%s\"%s\"", first ? "" : ",", capabilities[c]);
            first = false;
        }
    return n + (size_t)snprintf(out + n, room - n, "]");
}

static void test_against_naive(void **state)
{
    struct asker *a = *state;
    static const char *const sorts[] = {"name", "price", "context"};
    static const char *const providers[] = {NULL, "anthropic", "openai", "google"};
    struct arena ar;
    struct offers o;
    arena_init(&ar, NULL);
    assert_true(offers_open(&o, cando_catalog_builtin(), &ar));
    struct entry *want = calloc(o.n, sizeof *want);
    assert_non_null(want);
    uint64_t seed = 3;
    for (unsigned round = 0; round < 25; round++) {
        struct wish w = {.sort = dice(&seed, 3), .provider = providers[dice(&seed, 4)]};
        for (unsigned c = 0; c < N_CAPS; c++) {
            unsigned d = dice(&seed, 12);
            w.require |= (unsigned)(d < 2) << c;
            w.forbid |= (unsigned)(d == 2) << c;
            w.prefer |= (unsigned)(d == 3) << c;
        }
        w.window = dice(&seed, 2) ? 1000u << dice(&seed, 10) : 0;
        w.dear = dice(&seed, 3) == 0 ? 1 + dice(&seed, 300) : 0;
        char q[2000];
        size_t n = 0;
        n += put_caps(q + n, sizeof q - n, "require", w.require, NULL);
        n += put_caps(q + n, sizeof q - n, "forbid", w.forbid, NULL);
        n += put_caps(q + n, sizeof q - n, "prefer", w.prefer, w.provider);
        if (w.window)
            n += (size_t)snprintf(q + n, sizeof q - n, ",\"minimum\":{\"context_window\":%u}", w.window);
        if (w.dear)
            n += (size_t)snprintf(q + n, sizeof q - n, ",\"maximum\":{\"input_price\":\"%u.%02u\"}", w.dear / 100, w.dear % 100);
        size_t count = naive_select(&o, &w, want);
        bool few = dice(&seed, 2);
        if (few)
            snprintf(q + n, sizeof q - n, ",\"limit\":7");
        const struct json *r = ask(a, "{\"op\":\"select\",\"sort\":\"%s\"%s}", sorts[w.sort], q);
        const struct json *list = at(r, "/matches");
        assert_int_equal(list->n, few && count > 7 ? 7 : count);
        uint64_t considered = 0, matched = 0, excluded = 0, v;
        assert_true(json_uint(at(r, "/considered"), &considered) && json_uint(at(r, "/matched"), &matched));
        assert_int_equal(matched, count);
        const struct json *ex = at(r, "/excluded");
        for (size_t i = 0; i < ex->n; i++)
            excluded += json_uint(&ex->item[i], &v) ? v : 0;
        assert_int_equal(considered, matched + excluded);
        for (size_t i = 0; i < list->n; i++) {
            const struct json *t = json_get(&list->item[i], "target");
            if (!str_is(t->text, want[i].name))
                fail_msg("round %u, place %zu: want %s, have %.*s (%s)", round, i, want[i].name, (int)t->text.n, t->text.p, q);
        }
    }
    free(want);
    arena_free(&ar);
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

static int begin(void **state)
{
    static struct asker a;
    ask_begin(&a);
    *state = &a;
    return 0;
}

static int end(void **state)
{
    ask_end(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_rows_of_an_older_file), cmocka_unit_test(test_against_naive),
        cmocka_unit_test(test_inline), cmocka_unit_test(test_reasons),               cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
