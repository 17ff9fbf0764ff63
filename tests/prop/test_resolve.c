/*
 * test_resolve.c - the compiled resolver equals the reference on random rules.
 *
 * For every set: what the matchers find, what the finished records say, what a
 * catalog says that was imported and compiled again, and what an overlay on a
 * compiled catalog says, all must be what the reference resolver says, field by
 * field, with the rule, file and line that it comes from.
 *
 * CANDO_ROUNDS sets how many sets there are (3000; 600 with ASan), CANDO_SEED the
 * first one.
 */

#include "unit/catalog_case.h"

#include "generate.h"
#include "rules/sources.h"
#include "rules/why.h"

#define QUERIES 40
#ifdef CANDO_SANITIZED
#define ROUNDS 600 /* some five times as slow */
#else
#define ROUNDS 3000
#endif

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

/* -- a catalog from generated sources ------------------------------------------------------ */

static cando_sources *sources_of(const cando_catalog *base)
{
    cando_error err;
    cando_sources *s = cando_sources_new(NULL, &err);
    assert_non_null(s);
    if (base)
        assert_int_equal(sources_add_catalog(s, base, &err), CANDO_OK);
    return s;
}

static void add_range(cando_sources *s, const struct gen *g, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct gen_source *src = &g->source[i];
        assert_int_equal(cando_sources_add(s, src->name, src->text, src->len, (cando_syntax)src->syntax,
                                           (cando_layer)src->layer, NULL), CANDO_OK);
    }
}

/* -- answers side by side --------------------------------------------------------------------- */

static unsigned field_of[GEN_FIELDS];

static int find_fields(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GEN_FIELDS; i++) {
        field_of[i] = vocab_find(VOCAB_CANDO, str_of(gen_fields[i].cando));
        assert_true(field_of[i] < FIELD_COUNT);
    }
    return 0;
}

/* As the reference writes values. */
static void render(cando_value v, char *out, size_t size)
{
    size_t n = 0;
    if (!v.known) {
        snprintf(out, size, "%s", "");
        return;
    }
    switch (v.type) {
    case CANDO_SUPPORT:
        snprintf(out, size, v.support == CANDO_RESTRICTED ? "%s: %s" : "%s", support_name(v.support), v.text ? v.text : "");
        break;
    case CANDO_FLAG:
        snprintf(out, size, "%s", v.flag ? "true" : "false");
        break;
    case CANDO_NUMBER:
        snprintf(out, size, "%llu", (unsigned long long)v.number);
        break;
    case CANDO_WORD:
    case CANDO_TEXT:
        snprintf(out, size, "%s", v.text);
        break;
    case CANDO_LIST:
    case CANDO_MAP:
        n += (size_t)snprintf(out, size, "[");
        for (uint32_t i = 0; i < v.count; i++)
            n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "," : "", cando_value_item(&v, i));
        snprintf(out + n, size - n, "]");
        break;
    }
}

struct trial {
    struct gen *g;
    uint64_t seed;
    const char *what;
    const cando_catalog *cat;
    const char *provider, *id;
    cando_resolution how;
};

static void report(const struct trial *t, const cando_profile *p, const struct ref_answer *want)
{
    for (size_t i = 0; i < t->g->n_sources; i++)
        fprintf(stderr, "---- %s (layer %u)\n%s", t->g->source[i].name, t->g->source[i].layer, t->g->source[i].text);
    print_message("---- seed %llu, %s: provider '%s', id '%s', way %d, identity %d, canonical '%s'\n", (unsigned long long)t->seed,
                  t->what, t->provider, t->id, (int)t->how, (int)p->identity, p->canonical ? p->canonical : "");
    for (unsigned i = 0; i < GEN_FIELDS; i++) {
        char text[128];
        render(cando_profile_get(p, (cando_field)field_of[i]), text, sizeof text);
        cando_origin o = cando_profile_why(p, (cando_field)field_of[i]);
        const struct ref_rule *r = want->rule[i];
        if (!o.known && !r)
            continue;
        print_message("%-26s library %s '%s' by '%s' %s:%u, reference %s '%s' by '%s' %s:%u\n", gen_fields[i].cando,
                      o.known ? "says" : "----", text, o.rule, o.file, o.line, r ? "says" : "----", r ? want->value[i] : "",
                      r ? r->name : "", r ? t->g->source[r->source].name : "", r ? r->line : 0);
    }
}

static bool field_agrees(const struct trial *t, const cando_profile *p, const struct ref_answer *want, unsigned i)
{
    char text[128];
    cando_origin o = cando_profile_why(p, (cando_field)field_of[i]);
    const struct ref_rule *r = want->rule[i];
    if (!r)
        return !o.known && !cando_profile_get(p, (cando_field)field_of[i]).known;
    render(cando_profile_get(p, (cando_field)field_of[i]), text, sizeof text);
    return o.known && !o.derived && strcmp(text, want->value[i]) == 0 && strcmp(o.rule, r->name) == 0 &&
           strcmp(o.file, t->g->source[r->source].name) == 0 && o.line == r->line;
}

static void compare(const struct trial *t, const cando_profile *p, const struct ref_answer *want, cando_identity identity)
{
    bool good = p->identity == identity;
    for (unsigned i = 0; i < GEN_FIELDS; i++)
        good &= field_agrees(t, p, want, i);
    if (good)
        return;
    report(t, p, want);
    fail_msg("seed %llu, %s: the answers differ (identity %d, expected %d)", (unsigned long long)t->seed, t->what,
             (int)p->identity, (int)identity);
}

static cando_identity identity_of(const struct ref_answer *a)
{
    return a->fact ? CANDO_BY_EXACT : a->matched ? CANDO_BY_FAMILY : CANDO_BY_DEFAULT;
}

/* The reference does not take ids apart; the parser has tests of its own. */
static void ask_reference(const struct trial *t, const char *id, struct ref_answer *out)
{
    static struct match_query q;
    char base[LIMIT_NAME_BYTES + 1];
    assert_true(query_init(&q, &t->cat->snap, str_of(t->provider), str_of(id)));
    query_parse(&q);
    memcpy(base, q.base.p, q.base.n);
    base[q.base.n] = '\0';
    ref_resolve(&t->g->set, t->provider, id, base, (enum ref_way)t->how, out);
}

static void resolve(const struct trial *t, const char *id, cando_profile *p)
{
    cando_error err;
    assert_int_equal(cando_resolve_parts(t->cat, t->provider, strlen(t->provider), id, strlen(id), t->how, p, &err), CANDO_OK);
}

/* An id may stand for a fact row that is spelt otherwise: then the answer is
 * that row's. */
static void try_resolve(const struct trial *t)
{
    struct ref_answer want;
    cando_profile p;
    resolve(t, t->id, &p);
    ask_reference(t, p.canonical ? p.canonical : t->id, &want);
    if (p.canonical && (!want.fact || str_eq_fold(str_of(p.canonical), str_of(t->id)))) {
        report(t, &p, &want);
        fail_msg("seed %llu: '%s' is no other spelling of a fact", (unsigned long long)t->seed, p.canonical);
    }
    compare(t, &p, &want, p.canonical ? CANDO_BY_ALIAS : identity_of(&want));
    if (want.fact && t->how == CANDO_AS_WRITTEN)
        assert_non_null(p.record); /* that is what records are for */
}

/* Finished records, matchers and the trace behind `why` give the same. */
static void try_walk(const struct trial *t)
{
    static struct match_query q;
    static struct why why;
    cando_profile record, walked;
    struct ref_answer want;
    resolve(t, t->id, &record);
    const char *id = record.canonical ? record.canonical : t->id;
    assert_true(query_init(&q, &t->cat->snap, str_of(t->provider), str_of(id)));
    resolve_walk(&q, t->cat, t->how, &walked, NULL, NULL);
    ask_reference(t, id, &want);
    compare(t, &walked, &want, identity_of(&want));
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value[2] = {0}, rule[2] = {0};
        bool set = profile_raw(&record, f, &value[0], &rule[0]);
        assert_int_equal(set, profile_raw(&walked, f, &value[1], &rule[1]));
        assert_int_equal(value[0], value[1]);
        assert_int_equal(rule[0], rule[1]);
    }
    struct arena ar;
    arena_init(&ar, NULL);
    assert_true(why_collect(&why, &ar, &q, &record, t->how, FIELD_COUNT));
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value, rule;
        if (!profile_raw(&record, f, &value, &rule))
            continue;
        bool told = snap_rule(&t->cat->snap, rule).flags & RULEF_PROVIDER_DEFAULT; /* of a parent */
        for (size_t i = 0; i < why.n_matched; i++)
            told |= why.matched[i].rule == rule && why_value(&t->cat->snap, rule, f) == value;
        assert_true(told);
    }
    arena_free(&ar);
}

static void try_other_case(const struct trial *t)
{
    char upper[LIMIT_NAME_BYTES];
    size_t n = strlen(t->id);
    for (size_t i = 0; i <= n; i++)
        upper[i] = t->id[i] >= 'a' && t->id[i] <= 'z' ? (char)(t->id[i] - 'a' + 'A') : t->id[i];
    cando_profile a, b;
    resolve(t, t->id, &a);
    resolve(t, upper, &b);
    assert_int_equal(a.identity, b.identity);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value[2] = {0}, rule[2] = {0};
        assert_int_equal(profile_raw(&a, f, &value[0], &rule[0]), profile_raw(&b, f, &value[1], &rule[1]));
        assert_int_equal(value[0], value[1]);
        assert_int_equal(rule[0], rule[1]);
    }
}

/* -- the tests -------------------------------------------------------------------------------------- */

static void ask_all(struct gen *g, uint64_t seed, const char *what, const cando_catalog *cat, int queries)
{
    struct trial t = {.g = g, .seed = seed, .what = what, .cat = cat};
    for (int i = 0; i < queries; i++) {
        t.provider = gen_ask_provider(g);
        t.id = gen_ask_id(g);
        t.how = (cando_resolution)(i % 4 == 3 ? 0 : i % 4);
        try_resolve(&t);
        try_walk(&t);
        try_other_case(&t);
    }
}

/* Where an overlay may stand: above all that is compiled already. */
static size_t overlay_from(const struct gen *g)
{
    size_t n = g->n_sources;
    unsigned lowest = g->source[n - 1].layer;
    for (size_t cut = n - 1; cut > 0; cut--) {
        bool above = true;
        if (g->source[cut].layer < lowest)
            lowest = g->source[cut].layer;
        for (size_t i = 0; i < cut; i++)
            above &= g->source[i].layer < lowest;
        if (above)
            return cut;
    }
    return n;
}

static void one_round(uint64_t seed)
{
    struct gen g;
    gen_make(&g, seed);
    cando_sources *s = sources_of(NULL);
    add_range(s, &g, 0, g.n_sources);
    const cando_catalog *cat = case_open(s);
    ask_all(&g, seed, "built", cat, QUERIES);

    const cando_catalog *again = case_open(sources_of(cat));
    ask_all(&g, seed, "imported", again, QUERIES / 4);
    const cando_catalog *twice = case_open(sources_of(again));
    ask_all(&g, seed, "imported twice", twice, QUERIES / 8);
    cando_catalog_release(twice);
    cando_catalog_release(again);
    cando_catalog_release(cat);

    size_t cut = overlay_from(&g);
    if (cut < g.n_sources) {
        s = sources_of(NULL);
        add_range(s, &g, 0, cut);
        cat = case_open(s);
        s = sources_of(cat);
        add_range(s, &g, cut, g.n_sources);
        again = case_open(s);
        ask_all(&g, seed, "with an overlay", again, QUERIES / 4);
        cando_catalog_release(again);
        cando_catalog_release(cat);
    }
    gen_free(&g);
}

static void test_random(void **state)
{
    (void)state;
    uint64_t first = setting("CANDO_SEED", 1), rounds = setting("CANDO_ROUNDS", ROUNDS);
    for (uint64_t i = 0; i < rounds; i++)
        one_round(first + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, find_fields, NULL);
}
