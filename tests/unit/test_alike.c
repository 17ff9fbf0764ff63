/*
 * test_alike.c - what is found in a tool among others is what is found in it alone.
 *
 * Objects that are like the one before are judged by what is remembered of it: keys, words, the
 * bits that a literal sets, rules that are met. None of that may show: tools by chance, good and
 * bad, are judged alone by a report that has seen nothing, then several in one request by a report
 * that has seen all requests before.
 */
#include "test.h"

#include "base/buf.h"
#include "request/preflight.h"

#define ROUNDS 1500
#define TOOLS 6

static uint64_t seed = 20261;

static unsigned any(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

/* One of those, of which the first stands for nothing at all. */
static void put_any(struct buf *b, const char *key, const char *const *values, unsigned n)
{
    const char *value = values[any(n)];
    if (value)
        buf_printf(b, "\"%s\":%s%s,", key, any(8) ? "" : " ", value);
}
#define ANY(b, key, ...)                                                                           \
    put_any(b, key, (const char *const[]){__VA_ARGS__},                                            \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* The comma behind the last member, if there is one, becomes the bracket. */
static void end_object(struct buf *b)
{
    if (b->p[b->n - 1] == ',')
        b->n--;
    buf_putc(b, '}');
}

static void put_properties(struct buf *b)
{
    static const char *const text[] = {"\"of it\"", "\"a \\u2014 b\"", "\"\\n\"", "\"\"", "7"};
    buf_putz(b, "\"properties\":{");
    for (unsigned i = 0, n = any(5); i < n; i++) {
        buf_printf(b, "\"arg_%u\":{", i);
        ANY(b, "type", NULL, "\"string\"", "\"integer\"", "\"number\"", "\"boolean\"", "\"strin\"",
            "[\"string\",\"null\"]");
        ANY(b, "description", NULL, text[any(5)], text[any(3)]);
        ANY(b, "$ref", NULL, NULL, NULL, NULL, NULL, "\"#/$defs/none\"", "\"#\"");
        ANY(b, "additionalProperties", NULL, NULL, NULL, "false", "true");
        end_object(b);
        buf_putc(b, ',');
    }
    end_object(b);
    buf_putc(b, ',');
}

/* The members in an order of its own, and hardly one that is always there. */
static void put_schema(struct buf *b)
{
    buf_putz(b, "\"parameters\":{");
    for (unsigned i = 0, first = any(4); i < 4; i++)
        switch ((first + i) % 4) {
        case 0:
            ANY(b, "type", "\"object\"", "\"object\"", "\"object\"", "\"array\"", NULL);
            break;
        case 1:
            put_properties(b);
            break;
        case 2:
            ANY(b, "required", NULL, "[]", "[\"arg_0\"]", "[\"arg_0\",\"arg_1\"]",
                "[\"arg_0\",\"arg_0\"]", "[\"arg_9\"]", "[\"arg_0\",\"arg_1\",\"arg_2\",\"arg_3\"]",
                "[1]");
            break;
        default:
            ANY(b, "additionalProperties", NULL, "false", "false", "true", "null", "0",
                "{\"type\":\"string\"}");
        }
    end_object(b);
    buf_putc(b, ',');
}

static void put_tool(struct buf *b, unsigned number)
{
    buf_putz(b, "{\"type\":\"function\",\"function\":{");
    switch (any(8)) {
    case 0:
        buf_printf(b, "\"name\":\"not a name %u\",", number);
        break;
    case 1:
        buf_printf(b, "\"name\":\"f%069u\",", number);
        break;
    default:
        buf_printf(b, "\"name\":\"tool_%u\",", number);
    }
    ANY(b, "description", NULL, "\"what it does\"", "\"what it does\"", "\"\"", "null");
    unsigned strict = any(4); /* before the schema, behind it, or not at all */
    if (strict == 0)
        ANY(b, "strict", NULL, "true", "false", "null", "\"true\"");
    if (any(8))
        put_schema(b);
    if (strict == 1)
        ANY(b, "strict", NULL, "false", "true", "true");
    end_object(b);
    end_object(b);
}

#define BEGIN "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"tools\":["

/* What is found in request[from..to). Not by which rule: one about the whole request tells of the
 * first tool alone, and another one, or the shape, of the rest. */
struct said {
    uint32_t at, severity;
};

static uint32_t said_of(const cando_report *r, uint32_t from, uint32_t to, struct said *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_findings; i++) {
        const struct report_finding *f = &r->finding[i];
        if (f->at >= from && f->at < to)
            out[n++] = (struct said){f->at - from, f->severity};
    }
    return n;
}

static void judge(const cando_target *t, const struct buf *b, cando_report *r)
{
    cando_error err = {0};
    if (cando_preflight(t, "openai-chat", b->p, b->n, false, r, &err) != CANDO_OK)
        fail_msg("%s: %.*s", err.message, (int)b->n, b->p);
}

static void assert_same(const struct buf *text, const struct said *alone, uint32_t n_alone,
                        const struct said *among, uint32_t n_among)
{
    for (uint32_t i = 0; i < n_alone && i < n_among; i++)
        if (memcmp(&alone[i], &among[i], sizeof *alone) != 0)
            fail_msg("%u (%u) alone, %u (%u) among others: %.*s", alone[i].at, alone[i].severity,
                     among[i].at, among[i].severity, (int)text->n, text->p);
    if (n_alone != n_among)
        fail_msg("%u findings alone, %u among others: %.*s", n_alone, n_among, (int)text->n,
                 text->p);
}

/* `used` has judged all requests so far. */
static uint32_t compare(const cando_target *t, cando_report *used, cando_report *fresh)
{
    static struct said alone[TOOLS][LIMIT_REQUEST_FINDINGS], among[LIMIT_REQUEST_FINDINGS];
    uint32_t n_alone[TOOLS], from[TOOLS + 1], sum = 0;
    struct buf all, one;
    buf_init(&all, NULL, 1 << 20);
    buf_init(&one, NULL, 1 << 20);
    buf_putz(&all, BEGIN);
    for (unsigned i = 0; i < TOOLS; i++) {
        buf_clear(&one);
        buf_putz(&one, BEGIN);
        from[i] = (uint32_t)all.n;
        uint32_t begin = (uint32_t)one.n;
        put_tool(&one, i);
        uint32_t end = (uint32_t)one.n;
        buf_put(&all, one.p + begin, end - begin);
        buf_putz(&all, i + 1 < TOOLS ? "," : "]}");
        buf_putz(&one, "]}");
        memset(fresh, 0xA5, sizeof *fresh);
        cando_report_init(fresh);
        judge(t, &one, fresh);
        n_alone[i] = said_of(fresh, begin, end, alone[i]);
        sum += n_alone[i];
    }
    from[TOOLS] = (uint32_t)all.n;
    judge(t, &all, used);
    for (unsigned i = 0; i < TOOLS; i++)
        assert_same(&all, alone[i], n_alone[i], among, said_of(used, from[i], from[i + 1], among));
    buf_free(&all);
    buf_free(&one);
    return sum;
}

static void test_tools(void **state)
{
    (void)state;
    static const char *const model[] = {"gpt-4o", "gpt-5.6", "o3"};
    static cando_report used, fresh;
    uint32_t found = 0;
    for (size_t m = 0; m < LENGTH(model); m++) {
        const cando_target *t = cando_target_new(cando_catalog_builtin(),
                                                 (cando_name){model[m], "openai"}, 0, NULL, NULL);
        assert_non_null(t);
        for (unsigned i = 0; i < ROUNDS / LENGTH(model); i++)
            found += compare(t, &used, &fresh);
        cando_target_release(t);
    }
    assert_true(found > ROUNDS); /* else nothing was looked at */
}

int main(void)
{
    cando_set_today("2023-01-01", NULL); /* nothing has ended yet */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tools)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
