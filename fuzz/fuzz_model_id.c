/*
 * fuzz_model_id.c - libFuzzer target of the model id parser and the versions.
 *
 * The first byte chooses what the tables know, the next line is the provider,
 * the rest is the id. The tables are not a list: they answer by a rule from the
 * key, so that every path behind a successful lookup is reached, also with
 * answers that are empty or longer than any name. Whatever comes, the parser
 * stays within its struct, its texts lie where the header says, steps are few,
 * a second parse gives the same answer, and a name over the limit is refused.
 */
#include "fuzz.h"

#include "catalog/model_id.h"

#define CHECK(x) ((x) ? (void)0 : abort())

static const char long_name[2 * LIMIT_NAME_BYTES] = {'x'};

struct rule {
    uint8_t mask; /* which tables answer */
    uint8_t kind; /* how */
};

static bool find(const void *ctx, enum id_table table, struct str key, struct str *value)
{
    const struct rule *r = ctx;
    CHECK(key.n > 0 && key.n <= 2 * LIMIT_NAME_BYTES + 1);
    for (size_t i = 0; i < key.n; i++)
        CHECK(key.p[i] == char_fold(key.p[i]));
    if (!(r->mask >> table & 1) || (str_hash(key, r->kind) & 3) != 0)
        return false;
    switch (r->kind & 3) {
    case 0:
        *value = STR("lab/model-1.5");
        return true;
    case 1:
        *value = STR_NONE;
        return true;
    case 2:
        *value = str_make(long_name, sizeof long_name);
        return true;
    default:
        *value = STR("openai");
        return true;
    }
}

static bool inside(struct str s, const void *from, size_t n)
{
    const char *p = from;
    return s.n == 0 || (s.p >= p && s.p + s.n <= p + n);
}

static void check(const struct model_id *id, struct str provider)
{
    CHECK(id->used <= sizeof id->room);
    CHECK(id->n_steps <= ID_STEPS);
    for (size_t i = 0; i < id->n_steps; i++)
        CHECK(id->step[i] && id->step[i][0]);
    CHECK(inside(id->base, id->room, id->used));
    CHECK(inside(id->date, id->room, id->used));
    CHECK(inside(id->region, id->room, id->used));
    CHECK(inside(id->suffix, id->room, id->used));
    CHECK(id->base.n <= LIMIT_NAME_BYTES);
    CHECK(provider.n == 0 || id->provider.n > 0 || id->provider.p != provider.p);
    for (size_t i = 0; i < id->date.n; i++)
        CHECK(char_is_digit(id->date.p[i]) || id->date.p[i] == '-');
    CHECK(!id->has_version || (id->major < 1000 && id->minor < 1000));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct rule rule = {data[0], data[1]};
    struct id_tables tables = {&rule, find};
    struct str rest = str_make((const char *)data + 2, size - 2);
    size_t line = str_find_char(rest, '\n');
    struct str provider = str_head(rest, line), model = str_from(rest, line + 1);

    static struct model_id id, again;
    bool small = provider.n <= LIMIT_NAME_BYTES && model.n <= LIMIT_NAME_BYTES;
    CHECK(model_id_parse(&tables, provider, model, &id) == small);
    if (!small)
        return 0;
    check(&id, provider);
    memset(again.room, 0xA5, sizeof again.room);
    CHECK(model_id_parse(&tables, provider, model, &again));
    CHECK(str_eq(id.base, again.base) && str_eq(id.canonical, again.canonical) &&
          str_eq(id.suffix, again.suffix));
    CHECK(id.n_steps == again.n_steps && id.has_version == again.has_version);
    CHECK(model_id_parse(NULL, provider, model, &id));
    check(&id, provider);
    CHECK(id.canonical.n == 0 && id.vendor.n == 0);

    uint32_t a[2], b[2];
    bool harn = model_version(model, SCHEME_HARN, &a[0], &a[1]);
    bool any = model_version(model, SCHEME_ANY, &b[0], &b[1]);
    CHECK(!harn || (any && a[0] == b[0] && a[1] == b[1]));
    return 0;
}
