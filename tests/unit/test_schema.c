/*
 * test_schema.c - JSON Schemas: a row a keyword and what it says of values on both sides of its
 * limit, and the values that are made.
 */
#include "test.h"

#include "base/buf.h"
#include "base/limits.h"
#include "text/schema.h"

static const char *word_of(enum schema_says it)
{
    return it == SCHEMA_YES ? "yes" : it == SCHEMA_NO ? "no" : "unsure";
}

static enum schema_says says(const char *schema, const char *value, unsigned steps)
{
    const struct json *s = json_of(schema);
    struct schema_work w = {s, steps};
    return schema_check(&w, s, json_of(value));
}

struct row {
    const char *schema, *yes, *no, *unsure; /* values, parted by spaces */
};

static void expect_each(const char *schema, const char *values, enum schema_says want)
{
    for (const char *at = values; at && *at;) {
        char one[200];
        size_t n = strcspn(at, " ");
        assert_true(n < sizeof one);
        memcpy(one, at, n);
        one[n] = '\0';
        enum schema_says have = says(schema, one, LIMIT_INSTANCE_STEPS);
        if (have != want)
            fail_msg("%s on %s: want %s, have %s", schema, one, word_of(want), word_of(have));
        at += n + (at[n] == ' ');
    }
}

static void expect_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        expect_each(rows[i].schema, rows[i].yes, SCHEMA_YES);
        expect_each(rows[i].schema, rows[i].no, SCHEMA_NO);
        expect_each(rows[i].schema, rows[i].unsure, SCHEMA_UNSURE);
    }
}

static void test_kinds_and_words(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"true", "1 null {}", "", ""},
        {"false", "", "1 null {}", ""},
        {"{}", "1 \"a\" []", "", ""},
        {"7", "", "", "1"},
        {"{\"type\":\"null\"}", "null", "false 0 \"\"", ""},
        {"{\"type\":\"boolean\"}", "true false", "null 0", ""},
        {"{\"type\":\"integer\"}", "1 -2 3.0 1e2", "1.5 \"1\"", ""},
        {"{\"type\":\"number\"}", "1 1.5", "\"1\" null", ""},
        {"{\"type\":\"string\"}", "\"\"", "1 [] {}", ""},
        {"{\"type\":\"array\"}", "[] [1]", "{} 1", ""},
        {"{\"type\":\"OBJECT\"}", "{}", "[] 1", ""},
        {"{\"type\":[\"string\",\"null\"]}", "null \"\"", "1", ""},
        {"{\"type\":[7,\"null\"]}", "null", "1", ""},
        {"{\"type\":\"zebra\"}", "", "", "1 null"},
        {"{\"type\":\"string\",\"nullable\":true}", "null \"\"", "1", ""},
        {"{\"type\":\"string\",\"nullable\":false}", "\"\"", "null 1", ""},
        {"{\"enum\":[1,\"a\",null]}", "1 1.0 \"a\" null", "2 \"b\" false", ""},
        {"{\"enum\":[]}", "", "1", ""},
        {"{\"enum\":7}", "", "7", ""},
        {"{\"const\":{\"a\":[1]}}", "{\"a\":[1]}", "{\"a\":[2]} {} 1", ""},
        {"{\"const\":10}", "10 1e1 10.0", "1 \"10\"", ""},
    };
    expect_rows(rows, LENGTH(rows));
}

static void test_numbers_and_texts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"minimum\":2}", "2 3 \"a\"", "1 1.9", ""},
        {"{\"minimum\":\"2\"}", "2", "1", ""},
        {"{\"minimum\":2,\"exclusiveMinimum\":true}", "3", "2 1", ""},
        {"{\"minimum\":2,\"exclusiveMinimum\":false}", "3 2", "1", ""},
        {"{\"maximum\":2}", "2 1 \"a\"", "3 2.1", ""},
        {"{\"maximum\":2,\"exclusiveMaximum\":true}", "1", "2 3", ""},
        {"{\"exclusiveMinimum\":2}", "3 2.1 \"a\"", "2 1", ""},
        {"{\"exclusiveMaximum\":2}", "1 1.9 \"a\"", "2 3", ""},
        {"{\"multipleOf\":3}", "0 3 -6 \"a\"", "1 4 2.9", ""},
        {"{\"multipleOf\":0.01}", "0.07 1.15", "0.075", ""},
        {"{\"multipleOf\":0}", "\"a\"", "", "1"},
        {"{\"multipleOf\":-1}", "", "", "1"},
        {"{\"multipleOf\":1e-300}", "", "", "1e300"},
        {"{\"minLength\":2}", "\"ab\" \"\xC3\xA4\xC3\xA4\" 1", "\"a\" \"\xC3\xA4\"", ""},
        {"{\"maxLength\":2}", "\"ab\" \"\xC3\xA4\xC3\xA4\" 1", "\"abc\"", ""},
        {"{\"pattern\":\"^a\"}", "\"ab\" 1", "\"ba\"", ""},
        {"{\"pattern\":\"(?<=a)b\"}", "1", "", "\"ab\""},
        {"{\"pattern\":7}", "\"a\"", "", ""},
    };
    expect_rows(rows, LENGTH(rows));
}

static void test_lists(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"items\":{\"type\":\"integer\"}}", "[] [1,2] {}", "[1,\"a\"] [\"a\",1]", ""},
        {"{\"items\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", "[] [1] [1,\"a\",null] 1",
         "[\"a\"] [1,2]", ""},
        {"{\"items\":[true],\"additionalItems\":{\"type\":\"integer\"}}", "[\"a\",1] [\"a\"]",
         "[1,\"a\"] [1,1,null]", ""},
        {"{\"items\":true,\"additionalItems\":false}", "[1,2]", "", ""},
        {"{\"additionalItems\":false}", "[1,2]", "", ""},
        {"{\"prefixItems\":[{\"type\":\"integer\"}],\"items\":{\"type\":\"string\"}}",
         "[] [1] [1,\"a\"]", "[\"a\"] [1,2]", ""},
        {"{\"minItems\":2}", "[1,2] {}", "[1] []", ""},
        {"{\"maxItems\":2}", "[1,2] [] {}", "[1,2,3]", ""},
        {"{\"uniqueItems\":true}", "[] [1,2] [1,\"1\"] {}", "[1,1.0] [2,1,2] [{},{}]", ""},
        {"{\"uniqueItems\":false}", "[1,1]", "", ""},
        {"{\"contains\":{\"const\":7}}", "[7] [1,7] {}", "[] [1]", ""},
        {"{\"contains\":{\"const\":7},\"minContains\":2}", "[7,7] [7,7,7]", "[7] [1]", ""},
        {"{\"contains\":{\"const\":7},\"maxContains\":2}", "[7] [7,1,7]", "[7,7,7] []", ""},
        {"{\"contains\":{\"const\":7},\"minContains\":0}", "[] [1]", "", ""},
        {"{\"contains\":{\"$ref\":\"x\"}}", "", "[]", "[1]"},
        {"{\"contains\":{\"$ref\":\"x\"},\"minContains\":0,\"maxContains\":1}", "[] [1]", "",
         "[1,2]"},
        {"{\"unevaluatedItems\":false}", "[]", "", "[1]"},
        {"{\"unevaluatedItems\":true}", "[] [1]", "", ""},
    };
    expect_rows(rows, LENGTH(rows));
}

static void test_objects(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":false}}", "{} {\"a\":1} {\"c\":0} []",
         "{\"a\":\"x\"} {\"a\":1,\"b\":1}", ""},
        {"{\"properties\":7}", "{\"a\":1}", "", ""},
        {"{\"patternProperties\":{\"^i\":{\"type\":\"integer\"}}}", "{} {\"i\":1} {\"x\":\"a\"} []",
         "{\"i\":\"a\"} {\"x\":1,\"ib\":null}", ""},
        {"{\"patternProperties\":{\"\\\\p{L}\":{\"type\":\"integer\"}}}", "{} {\"a\":1}", "",
         "{\"a\":\"x\"}"},
        {"{\"patternProperties\":7}", "{\"a\":1}", "", ""},
        {"{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{} {\"a\":1} []",
         "{\"b\":1} {\"a\":1,\"b\":1}", ""},
        {"{\"patternProperties\":{\"^a\":true},\"additionalProperties\":{\"type\":\"null\"}}",
         "{\"ab\":1} {\"b\":null}", "{\"b\":1}", ""},
        {"{\"patternProperties\":{\"\\\\p{L}\":true},\"additionalProperties\":{\"type\":\"null\"}}",
         "{\"b\":null}", "", "{\"b\":1}"},
        {"{\"properties\":7,\"patternProperties\":7,\"additionalProperties\":false}", "{}",
         "{\"b\":1}", ""},
        {"{\"required\":[\"a\",\"b\",7]}", "{\"a\":1,\"b\":1} []", "{\"a\":1} {\"b\":1} {}", ""},
        {"{\"required\":7}", "{}", "", ""},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{} {\"b\":1} {\"a\":1,\"b\":1} []",
         "{\"a\":1}", ""},
        {"{\"dependentSchemas\":{\"a\":{\"maxProperties\":1}}}", "{\"a\":1} {\"b\":1,\"c\":1}",
         "{\"a\":1,\"b\":1}", ""},
        {"{\"dependencies\":{\"a\":[\"b\"],\"c\":{\"maxProperties\":1}}}", "{\"c\":1} []",
         "{\"a\":1} {\"c\":1,\"d\":1}", ""},
        {"{\"dependencies\":7}", "{\"a\":1}", "", ""},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{} {\"a\":1} []", "{\"a\":1,\"bc\":1}", ""},
        {"{\"minProperties\":2}", "{\"a\":1,\"b\":1} []", "{\"a\":1} {}", ""},
        {"{\"maxProperties\":1}", "{\"a\":1} {} [1,2]", "{\"a\":1,\"b\":1}", ""},
        {"{\"unevaluatedProperties\":false}", "{}", "", "{\"a\":1}"},
    };
    expect_rows(rows, LENGTH(rows));
}

static void test_schemas_of_schemas(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "1 3", "0 4", ""},
        {"{\"allOf\":[{\"$ref\":\"x\"},{\"maximum\":3}]}", "", "4", "1"},
        {"{\"allOf\":7}", "1", "", ""},
        {"{\"anyOf\":[{\"const\":1},{\"const\":2}]}", "1 2", "3", ""},
        {"{\"anyOf\":[{\"$ref\":\"x\"},{\"const\":2}]}", "2", "", "3"},
        {"{\"anyOf\":[]}", "", "1", ""},
        {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":3}]}", "0 4", "1 3", ""},
        {"{\"oneOf\":[{\"const\":1},{\"const\":2}]}", "1 2", "3", ""},
        {"{\"oneOf\":[{\"$ref\":\"x\"},{\"const\":2}]}", "", "", "2 3"},
        {"{\"oneOf\":[{\"$ref\":\"x\"},true,true]}", "", "2", ""},
        {"{\"not\":{\"const\":1}}", "2", "1", ""},
        {"{\"not\":{\"$ref\":\"x\"}}", "", "", "1"},
        {"{\"if\":{\"const\":1},\"then\":false,\"else\":true}", "2", "1", ""},
        {"{\"if\":{\"const\":1},\"else\":false}", "1", "2", ""},
        {"{\"if\":{\"const\":1}}", "1 2", "", ""},
        {"{\"if\":{\"$ref\":\"x\"},\"then\":false}", "", "", "1"},
        {"{\"if\":{\"$ref\":\"x\"},\"then\":false,\"else\":false}", "", "1", ""},
        {"{\"if\":{\"$ref\":\"x\"}}", "1", "", ""},
        {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"integer\"}}}", "1", "\"a\"", ""},
        {"{\"$ref\":\"#\",\"type\":\"integer\"}", "", "\"a\"", "1"},
        {"{\"$ref\":\"#anchor\"}", "", "", "1"},
        {"{\"$ref\":\"other.json\"}", "", "", "1"},
        {"{\"$ref\":\"#/none\"}", "", "", "1"},
        {"{\"$ref\":7}", "", "", "1"},
        {"{\"$dynamicRef\":\"#\"}", "", "", "1"},
        {"{\"$recursiveRef\":\"#\",\"type\":\"null\"}", "", "1", "null"},
    };
    expect_rows(rows, LENGTH(rows));
}

static void expect_number(const char *text, bool good, double want)
{
    double have = -99;
    const struct json v = {.kind = JSON_STRING, .text = str_of(text)};
    bool is = schema_number(&v, &have);
    if (is != good || (good && have != want))
        fail_msg("'%s' is %s, %g", text, is ? "a number" : "none", have);
}

static void test_numbers_as_texts(void **state)
{
    (void)state;
    double d;
    const struct json flag = {.kind = JSON_TRUE, .text = STR("1")};
    expect_number("12", true, 12);
    expect_number("-1.25", true, -1.25);
    expect_number("0.5", true, 0.5);
    expect_number("1.5e3", true, 1500);
    expect_number("2E-1", true, 0.2);
    expect_number("12.50e+1", true, 125);
    expect_number("", false, 0);
    expect_number("many", false, 0);
    expect_number("1e", true, 1); /* no JSON, and harmless */
    expect_number("1e5x", false, 0);
    expect_number("1e999", false, 0);
    expect_number("000000000000000000000000000000000000000000000000000000000012", true, 12);
    expect_number("0000000000000000000000000000000000000000000000000000000000012", false, 0);
    assert_false(schema_number(&flag, &d));
}

/* So many steps are sure, one fewer is not. */
static void costs(const char *schema, const char *value, unsigned steps)
{
    assert_int_equal(says(schema, value, steps), SCHEMA_YES);
    assert_int_equal(says(schema, value, steps - 1), SCHEMA_UNSURE);
}

static void test_steps(void **state)
{
    (void)state;
    costs("{}", "1", 1);
    costs("{\"enum\":[1,2,3]}", "3", 4);
    costs("{\"uniqueItems\":true}", "[1,2,3]", 4);
    costs("{\"pattern\":\"a\"}", "\"a\"", 21);
    costs("{\"not\":false}", "1", 1);
    costs("{\"properties\":{\"a\":{}}}", "{\"a\":1}", 2);
}

/* A schema in so many others. */
static enum schema_says nested(unsigned depth)
{
    struct buf b;
    buf_init_arena(&b, &arena, 1 << 16);
    for (unsigned i = 0; i < depth; i++)
        buf_puts(&b, STR("{\"allOf\":["));
    buf_puts(&b, STR("{}"));
    for (unsigned i = 0; i < depth; i++)
        buf_puts(&b, STR("]}"));
    assert_non_null(buf_cstr(&b));
    return says(b.p, "1", LIMIT_INSTANCE_STEPS);
}

static void test_depth(void **state)
{
    (void)state;
    assert_int_equal(nested(LIMIT_INSTANCE_DEPTH), SCHEMA_YES);
    assert_int_equal(nested(LIMIT_INSTANCE_DEPTH + 1), SCHEMA_UNSURE);
}

/* `want` begins with ? if it may not fit. */
static void makes(const char *schema, const char *want)
{
    const char *doubt = NULL;
    const struct json *v = schema_make(&arena, json_of(schema), &doubt);
    struct buf b;
    struct json_writer j;
    buf_init_arena(&b, &arena, 1 << 20);
    jw_init(&j, &b, false);
    if (v)
        jw_value(&j, v);
    assert_non_null(buf_cstr(&b));
    bool doubted = *want == '?';
    if (strcmp(v ? b.p : "none", want + doubted) != 0)
        fail_msg("%s: want %s, have %s (%s)", schema, want, v ? b.p : "none", doubt);
    assert_int_equal(doubt == NULL, v && !doubted);
}

static void test_values_that_are_made(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *value;
    } rows[] = {
        {"{}", "{}"},
        {"{\"type\":\"integer\",\"minimum\":5}", "5"},
        {"{\"type\":\"integer\",\"exclusiveMinimum\":5}", "6"},
        {"{\"type\":\"integer\",\"minimum\":5,\"exclusiveMinimum\":5}", "6"},
        {"{\"type\":\"integer\",\"minimum\":5,\"exclusiveMinimum\":true}", "6"},
        {"{\"type\":\"integer\",\"maximum\":-5}", "-5"},
        {"{\"type\":\"integer\",\"exclusiveMaximum\":-5}", "-6"},
        {"{\"type\":\"integer\",\"maximum\":-5,\"exclusiveMaximum\":true}", "-6"},
        {"{\"type\":\"integer\",\"maximum\":-5,\"exclusiveMaximum\":-5}", "-6"},
        {"{\"type\":\"integer\",\"maximum\":0}", "0"},
        {"{\"type\":\"integer\",\"multipleOf\":7,\"minimum\":8}", "14"},
        {"{\"type\":\"integer\",\"multipleOf\":2.5}", "5"},
        {"{\"type\":\"integer\",\"multipleOf\":0.5}", "1"},
        {"{\"type\":\"number\",\"minimum\":0.25,\"maximum\":0.75}", "0.25"},
        {"{\"type\":\"number\",\"exclusiveMinimum\":0,\"exclusiveMaximum\":1}", "0.5"},
        {"{\"type\":\"number\",\"minimum\":0,\"exclusiveMaximum\":2}", "1"},
        {"{\"type\":\"number\",\"multipleOf\":0.01,\"minimum\":3.005}", "4"},
        {"{\"allOf\":[{\"minimum\":3},{\"minimum\":7},{\"minimum\":5},{\"type\":\"integer\"}]}",
         "7"},
        {"{\"allOf\":[{\"maximum\":-3},{\"maximum\":-7},{\"type\":\"integer\"}]}", "-7"},
        {"{\"type\":\"array\",\"minItems\":3,\"uniqueItems\":true,\"items\":{\"type\":\"integer\""
         "}}",
         "[1,2,3]"},
        {"{\"type\":\"array\",\"minItems\":3,\"uniqueItems\":true,\"items\":{\"type\":\"integer\""
         ",\"maximum\":0}}",
         "[0,-1,-2]"},
        {"{\"type\":\"array\",\"minItems\":3,\"uniqueItems\":true,\"items\":{\"type\":\"integer\""
         ",\"minimum\":9}}",
         "[9,10,11]"},
        {"{\"type\":\"array\",\"minItems\":3,\"uniqueItems\":true,\"items\":{\"type\":\"number\","
         "\"minimum\":0,\"maximum\":1}}",
         "[1,0.666666666666667,0.75]"},
        {"{\"type\":\"array\",\"minItems\":2,\"uniqueItems\":true,\"items\":{\"type\":\"boolean\""
         "}}",
         "[true,false]"},
        {"{\"type\":\"array\",\"minItems\":3,\"uniqueItems\":true,\"items\":{\"enum\":[4,5,6]}}",
         "[4,5,6]"},
        {"{\"type\":\"array\",\"minItems\":2,\"uniqueItems\":true,\"items\":{\"type\":\"string\"}"
         "}",
         "[\"text\",\"text1\"]"},
        {"{\"type\":\"array\",\"minItems\":2,\"uniqueItems\":true,\"items\":{\"type\":\"string\","
         "\"format\":\"date\"}}",
         "[\"2026-01-15\",\"2026-01-151\"]"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}", "[1]"},
        {"{\"type\":\"array\",\"maxItems\":0}", "[]"},
        {"{\"type\":\"array\",\"prefixItems\":[{\"type\":\"null\"},{\"type\":\"integer\"}],\"item"
         "s\":{\"type\":\"boolean\"},\"minItems\":3}",
         "[null,1,true]"},
        {"{\"type\":\"array\",\"items\":[{\"type\":\"null\"},{\"type\":\"integer\"}],\"additional"
         "Items\":{\"type\":\"boolean\"},\"minItems\":3}",
         "[null,1,true]"},
        {"{\"type\":\"array\",\"contains\":{\"const\":7},\"minItems\":2}", "[7,\"text\"]"},
        {"{\"type\":\"array\",\"contains\":{\"const\":7},\"minContains\":2}", "[7,7]"},
        {"{\"type\":\"string\",\"minLength\":6}", "\"textxx\""},
        {"{\"type\":\"string\",\"maxLength\":2}", "\"xt\""},
        {"{\"type\":\"string\",\"maxLength\":0}", "\"\""},
        {"{\"type\":\"string\",\"minLength\":4,\"maxLength\":4}", "\"text\""},
        {"{\"type\":\"string\",\"minLength\":3,\"maxLength\":2}", "none"},
        {"{\"type\":\"array\",\"items\":false}", "[]"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"null\"}}", "[null]"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"null\"},\"not\":{\"minItems\":1}}", "[]"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"null\"},\"not\":{\"contains\":{}}}", "[]"},
        {"{\"type\":\"string\",\"format\":\"date\"}", "\"2026-01-15\""},
        {"{\"type\":\"string\",\"format\":\"uuid\"}", "\"123e4567-e89b-42d3-a456-426614174000\""},
        {"{\"type\":\"string\",\"format\":\"email\",\"maxLength\":5}", "\"e.com\""},
        {"{\"type\":\"string\",\"format\":\"zebra\"}", "\"text\""},
        {"{\"type\":\"string\",\"pattern\":\"^[a-z]+$\",\"minLength\":7}", "\"aaaaaaa\""},
        {"{\"type\":\"string\",\"pattern\":\"^z\",\"format\":\"date\"}", "\"z\""},
        {"{\"type\":\"string\",\"pattern\":\"(?<=a)b\"}", "?\"text\""},
        {"{\"type\":\"object\",\"required\":[\"a\",\"b\",\"a\"],\"properties\":{\"a\":{\"type\":"
         "\"null\"},\"c\":{}}}",
         "{\"a\":null,\"b\":\"text\"}"},
        {"{\"type\":\"object\",\"minProperties\":2,\"properties\":{\"a\":{\"type\":\"null\"}}}",
         "{\"a\":null,\"key0\":\"text\"}"},
        {"{\"type\":\"object\",\"required\":[\"a\"],\"dependentRequired\":{\"a\":[\"b\"],\"b\":["
         "\"c\"]}}",
         "{\"a\":\"text\",\"b\":\"text\",\"c\":\"text\"}"},
        {"{\"type\":\"object\",\"required\":[\"a\"],\"dependencies\":{\"a\":[\"b\"],\"x\":[\"y\"]"
         "}}",
         "{\"a\":\"text\",\"b\":\"text\"}"},
        {"{\"type\":\"object\",\"required\":[\"i_1\",\"x\"],\"patternProperties\":{\"^i_\":{\"typ"
         "e\":\"null\"}},\"additionalProperties\":{\"type\":\"integer\"}}",
         "{\"i_1\":null,\"x\":1}"},
        {"{\"type\":\"object\",\"required\":[\"a\"],\"additionalProperties\":false}", "none"},
        {"{\"enum\":[3,4],\"minimum\":4}", "4"},
        {"{\"const\":null}", "null"},
        {"{\"type\":\"string\",\"default\":\"zebra\"}", "\"zebra\""},
        {"{\"type\":\"string\",\"default\":null,\"examples\":[7,\"seven\"]}", "\"seven\""},
        {"{\"anyOf\":[{\"type\":\"string\",\"minLength\":9,\"maxLength\":3},{\"type\":\"integer\""
         "}]}",
         "1"},
        {"{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\",\"minimum\":2}]}", "1"},
        {"{\"type\":[\"null\",\"string\"]}", "\"text\""},
        {"{\"type\":\"string\",\"nullable\":true,\"not\":{\"type\":\"string\"}}", "null"},
        {"{\"minLength\":3}", "\"text\""},
        {"{\"minimum\":3}", "3"},
        {"{\"items\":{\"type\":\"null\"}}", "[null]"},
        {"{\"required\":[\"a\"]}", "{\"a\":\"text\"}"},
        {"{\"not\":{\"type\":\"object\"}}", "[\"text\"]"},
        {"{\"type\":\"boolean\"}", "true"},
        {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"integer\",\"minimum\":2}}}", "2"},
        {"{\"$ref\":\"#/none\"}", "?{}"},
        {"{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"$ref\":\"#\"}}}",
         "none"},
        {"false", "none"},
        {"true", "{}"},
        {"{\"type\":\"string\",\"minLength\":1000000}", "none"},
        {"{\"type\":\"object\",\"minProperties\":513}", "none"},
        {"{\"type\":\"array\",\"minItems\":100000}", "none"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        makes(rows[i].schema, rows[i].value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_ARENA(test_kinds_and_words),
        TEST_WITH_ARENA(test_numbers_and_texts),
        TEST_WITH_ARENA(test_lists),
        TEST_WITH_ARENA(test_objects),
        TEST_WITH_ARENA(test_schemas_of_schemas),
        TEST_WITH_ARENA(test_numbers_as_texts),
        TEST_WITH_ARENA(test_steps),
        TEST_WITH_ARENA(test_depth),
        TEST_WITH_ARENA(test_values_that_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
