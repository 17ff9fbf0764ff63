/*
 * test_observe.c - observations: the set, the layer that they make, and rules that are
 * put into a user's file. What error replies teach is in tests/cases/learn.jsonl.
 */

#include "test.h"

#include "record/insert.h"
#include "record/learn.h"

#define DAY UINT64_C(86400000)
#define NOW UINT64_C(1763224205000) /* 2025-11-15T16:30:05Z */

static void add(cando_observations *o, const char *target, const char *field, const char *value, uint64_t seen, uint64_t expires)
{
    cando_error err = {0};
    cando_observation x = {.target = target, .field = field, .value = value, .evidence = "seen", .seen = seen, .expires = expires};
    if (cando_observations_add(o, &x, &err) != CANDO_OK)
        fail_msg("%s", err.message);
}

static void test_set(void **state)
{
    (void)state;
    cando_observations *o = cando_observations_new(NULL, NULL);
    add(o, "openai/gpt-5", "temperature", "unsupported", NOW, 0);
    add(o, "anthropic/x", "vision", "native", NOW, NOW + DAY);
    add(o, "openai/gpt-5", "max_output", "8192", NOW, NOW + 2 * DAY);
    assert_int_equal(cando_observations_count(o), 3);
    assert_string_equal(cando_observations_get(o, 0).target, "anthropic/x");
    assert_string_equal(cando_observations_get(o, 0).field, "input_image");
    /* newer takes the place of older, whatever the case; older changes nothing */
    add(o, "OpenAI/GPT-5", "supports_temperature", "native", NOW + 1, 0);
    assert_int_equal(cando_observations_count(o), 3);
    assert_string_equal(cando_observations_get(o, 1).value, "native");
    add(o, "openai/gpt-5", "temperature", "unsupported", NOW, 0);
    assert_string_equal(cando_observations_get(o, 1).value, "native");
    assert_int_equal(cando_observations_expire(o, NOW), 0);
    assert_int_equal(cando_observations_expire(o, NOW + DAY), 1);
    assert_int_equal(cando_observations_count(o), 2);
    assert_string_equal(cando_observations_get(o, 9).target, "");
    cando_observations_free(o);
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *field, *value;
        bool ok;
    } rows[] = {
        {"temperature", "native", true}, {"temperature", "emulated", true}, {"temperature", "unsupported", true},
        {"temperature", "unknown", true}, {"temperature", "restricted: only 1 \"one\"", true}, {"temperature", "restricted", false},
        {"temperature", "restricted:  ", false}, {"temperature", "true", false}, {"temperature", "", false},
        {"requires_streaming", "true", true}, {"requires_streaming", "yes", false},
        {"context_window", "200000", true}, {"context_window", "9007199254740991", true}, {"context_window", "9007199254740992", false},
        {"context_window", "-1", false}, {"context_window", "", false}, {"context_window", "99999999999999999999999", false},
        {"token_limit_param", "max-completion-tokens", true}, {"token_limit_param", "max-words", false},
        {"reasoning_efforts", "low  high", true}, {"reasoning_efforts", "low huge", false}, {"reasoning_efforts", " ", false},
        {"display_name", "any text", true}, {"price", "1", false}, {"temprature", "native", false}, {"", "native", false},
    };
    cando_error err = {0};
    cando_observations *o = cando_observations_new(NULL, NULL);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        cando_observation x = {.target = "p/m", .field = rows[i].field, .value = rows[i].value, .seen = i};
        if ((cando_observations_add(o, &x, &err) == CANDO_OK) != rows[i].ok)
            fail_msg("%s = %s", rows[i].field, rows[i].value);
    }
    static const char *const targets[] = {"", "p", "p/", "/m", "p/a\nb", "p/\xff"};
    for (size_t i = 0; i < LENGTH(targets); i++) {
        cando_observation x = {.target = targets[i], .field = "seed", .value = "native"};
        assert_int_equal(cando_observations_add(o, &x, &err), CANDO_BAD_QUESTION);
    }
    cando_observation line = {.target = "p/m", .field = "seed", .value = "native", .evidence = "two\nlines"};
    assert_int_equal(cando_observations_add(o, &line, &err), CANDO_BAD_QUESTION);
    cando_observations_free(o);
}

/* `n` times 'x', and at `at` the text: a member of an observation. */
static const char *long_text(char *room, size_t n, size_t at, const char *text)
{
    memset(room, 'x', n);
    memcpy(room + at, text, strlen(text));
    room[n] = '\0';
    return room;
}

static void test_lengths(void **state)
{
    (void)state;
    char room[2 * LIMIT_NAME_BYTES + 8];
    enum { LAST_DAY = 2932896 }; /* 9999-12-31 */
    for (unsigned over = 0; over < 2; over++) { /* as long as it may be, and longer by one */
        const cando_observation rows[] = {
            {.target = "p/m", .value = long_text(room, LIMIT_EVIDENCE_BYTES + over, 0, "")},
            {.evidence = room, .target = "p/m", .value = "v"},
            {.by = long_text(room + LIMIT_EVIDENCE_BYTES + 2, 64 + over, 0, ""),
             .target = "p/m",
             .value = "v"},
            {.target = "p/m", .value = "v", .seen = (LAST_DAY + over) * DAY},
            {.target = "p/m", .value = "v", .expires = (LAST_DAY + over) * DAY},
        };
        cando_error err = {0};
        cando_observations *o = cando_observations_new(NULL, NULL);
        for (size_t i = 0; i < LENGTH(rows); i++) {
            cando_observation x = rows[i];
            x.field = "display_name";
            if ((cando_observations_add(o, &x, &err) == CANDO_OK) == (over > 0))
                fail_msg("row %zu, %u over", i, over);
        }
        for (size_t slash = 1; slash <= LIMIT_NAME_BYTES; slash += LIMIT_NAME_BYTES - 1) {
            size_t at = slash == 1 ? 1 : slash + over; /* a long model, then a long provider */
            size_t n = at + 1 + (slash == 1 ? LIMIT_NAME_BYTES + over : 1);
            cando_observation x = {
                .target = long_text(room, n, at, "/"), .field = "display_name", .value = "v"};
            if ((cando_observations_add(o, &x, &err) == CANDO_OK) == (over > 0))
                fail_msg("slash at %zu of %zu", at, n);
        }
        cando_observations_free(o);
    }
    static const struct {
        const char *text;
        bool ok;
    } lines[] = {{"a\x1f", false}, {"a ", true},         {"a~", true},
                 {"a\x7f", false}, {"\xc3\xa9", true}, {"\xc3", false}};
    cando_observations *o = cando_observations_new(NULL, NULL);
    for (size_t i = 0; i < LENGTH(lines); i++) {
        cando_observation x = {
            .target = "p/m", .field = "seed", .value = "native", .evidence = lines[i].text};
        assert_int_equal(cando_observations_add(o, &x, NULL),
                         lines[i].ok ? CANDO_OK : CANDO_BAD_QUESTION);
    }
    cando_observations_free(o);
}

/* What is full takes nothing new, but what is newer; and a reply has an end. */
static void test_full(void **state)
{
    (void)state;
    char target[32];
    cando_error err = {0};
    size_t learnt = 9;
    cando_observations *o = cando_observations_new(NULL, NULL);
    for (unsigned i = 0; i < LIMIT_OBSERVATIONS; i++) {
        snprintf(target, sizeof target, "p/m%07u", i);
        add(o, target, "seed", "native", NOW, 0);
    }
    cando_observation x = {.target = "p/n", .field = "seed", .value = "native", .seen = NOW};
    assert_int_equal(cando_observations_add(o, &x, &err), CANDO_BAD_QUESTION);
    assert_string_equal(err.code, "too-long");
    add(o, target, "seed", "unsupported", NOW + 1, 0);
    assert_int_equal(cando_observations_count(o), LIMIT_OBSERVATIONS);
    cando_observations_free(o);
    char *reply = calloc(1, (size_t)LIMIT_REPLY_BYTES + 2);
    assert_non_null(reply);
    o = cando_observations_new(NULL, NULL);
    memset(reply, ' ', (size_t)LIMIT_REPLY_BYTES + 1);
    size_t most = LIMIT_REPLY_BYTES;
    assert_int_equal(cando_observations_learn(o, "p/m", reply, most + 1, NOW, 0, &learnt, &err),
                     CANDO_BAD_QUESTION);
    assert_string_equal(err.code, "too-long");
    assert_int_equal(learnt, 0);
    assert_int_equal(cando_observations_learn(o, "p/m", reply, most, NOW, 0, &learnt, &err),
                     CANDO_OK);
    cando_observations_free(o);
    free(reply);
}

/* -- the layer ------------------------------------------------------------------------------ */

static const char base[] =
    "schema = \"cando/rules@1\"\n[[providers]]\nid = \"openai\"\n[[rules]]\nproviders = [\"openai\"]\nmatch = \"gpt-*\"\n"
    "set = { temperature = \"native\", seed = \"native\", context_window = 400000 }\nsource = \"https://example.org\"\n";

static const cando_catalog *with_observed(cando_observations *o, uint64_t now)
{
    cando_error err = {0};
    const char *text;
    size_t len, size;
    const void *data;
    cando_sources *s = cando_sources_new(NULL, &err);
    if (cando_observations_rules(o, now, &text, &len, &err) != CANDO_OK ||
        cando_sources_add(s, "base.toml", base, strlen(base), CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY, &err) != CANDO_OK ||
        cando_sources_add(s, "observed", text, len, CANDO_SYNTAX_CANDO, CANDO_LAYER_OBSERVED, &err) != CANDO_OK ||
        cando_sources_lint(s, &err) != CANDO_OK || cando_sources_build(s, &data, &size, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding f = cando_sources_finding(s, i);
        if (f.severity == CANDO_ERROR)
            fail_msg("%s:%u: %s\n%s", f.file, f.line, f.message, text);
    }
    const cando_catalog *c = cando_catalog_open_copy(data, size, NULL, &err);
    assert_non_null(c);
    cando_sources_free(s);
    return c;
}

static cando_profile profile_of(const cando_catalog *c, const char *model)
{
    cando_profile p;
    assert_int_equal(cando_resolve_parts(c, "openai", 6, model, strlen(model), CANDO_AS_WRITTEN, &p, NULL), CANDO_OK);
    return p;
}

static void test_layer(void **state)
{
    (void)state;
    size_t learnt;
    cando_error err = {0};
    cando_observations *o = cando_observations_new(NULL, NULL);
    static const char reply[] = "{\"error\":{\"message\":\"Unsupported parameter: 'temperature' is not supported with this model.\"}}";
    assert_int_equal(cando_observations_learn(o, "openai/gpt-5", reply, strlen(reply), NOW, NOW + DAY, &learnt, &err), CANDO_OK);
    assert_int_equal(learnt, 1);
    add(o, "openai/gpt-5", "input_image", "restricted: only \"PNG\" \\ under 1 MB", NOW, 0);
    add(o, "openai/gpt-5", "reasoning_efforts", "low high", NOW, 0);
    add(o, "openai/gpt-5", "context_window", "8192", NOW, 0);
    const cando_catalog *c = with_observed(o, NOW);
    cando_profile p = profile_of(c, "GPT-5");
    cando_field temperature = cando_field_find("temperature");
    assert_int_equal(cando_profile_get(&p, temperature).support, CANDO_UNSUPPORTED);
    assert_int_equal(cando_profile_get(&p, cando_field_find("seed")).support, CANDO_NATIVE);
    assert_int_equal(cando_profile_get(&p, cando_field_find("context_window")).number, 8192);
    assert_string_equal(cando_profile_get(&p, cando_field_find("input_image")).text, "only \"PNG\" \\ under 1 MB");
    assert_int_equal(cando_profile_get(&p, cando_field_find("reasoning_efforts")).count, 2);
    cando_origin why = cando_profile_why(&p, temperature);
    assert_string_equal(why.layer, "observed");
    assert_string_equal(why.evidence, "live-test");
    assert_string_equal(why.checked, "2025-11-15");
    assert_string_equal(why.source, "an error reply: Unsupported parameter: 'temperature' is not supported with this model.");
    /* this model and no other */
    p = profile_of(c, "gpt-5-mini");
    assert_int_equal(cando_profile_get(&p, temperature).support, CANDO_NATIVE);
    cando_catalog_release(c);
    /* and when it has expired, what was there before */
    c = with_observed(o, NOW + DAY);
    p = profile_of(c, "gpt-5");
    assert_int_equal(cando_profile_get(&p, temperature).support, CANDO_NATIVE);
    assert_int_equal(cando_profile_get(&p, cando_field_find("context_window")).number, 8192);
    cando_catalog_release(c);
    cando_observations_free(o);
}

/* Whatever a reply says, the rule file that comes of it can be read. */
static void test_hostile_replies(void **state)
{
    (void)state;
    static const char *const replies[] = {
        "Unsupported parameter: 'temperature' is not supported with this model.\n[[rules]]\nname = \"evil\"",
        "this model does not support \"image input\" \\ \" ''' \"\"\" # x\r\n[defaults]\n",
        "\x1b]0;title\x07 this model does not support tools\x01\x02",
        "this model does not support tools, key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
        "this model does not support tools \xff\xfe\xf0\x9f",
    };
    for (size_t i = 0; i < LENGTH(replies); i++) {
        size_t learnt;
        cando_observations *o = cando_observations_new(NULL, NULL);
        assert_int_equal(cando_observations_learn(o, "openai/m\"\\]", replies[i], strlen(replies[i]), NOW, 0, &learnt, NULL), CANDO_OK);
        assert_int_equal(learnt, 1);
        assert_null(strstr(cando_observations_get(o, 0).evidence, "sk-proj"));
        cando_catalog_release(with_observed(o, NOW));
        cando_observations_free(o);
    }
}

/* -- into a file ---------------------------------------------------------------------------------- */

static cando_status put(const char *file, const cando_observations *o, struct buf *out, struct insert_result *r, cando_error *err)
{
    buf_init(out, NULL, 1 << 20);
    return insert_rules(out, str_of(file), o, NOW, r, err);
}

#define RULE_1 "# learnt 2025-11-15 from a probe:\n# seen\n[[rules]]\nname = \"observed-openai-gpt-5-temperature\"\nproviders = [\"openai\"]\n" \
               "match = { exact = \"gpt-5\" }\non = \"id\"\nextends = true\nset = { temperature = \"unsupported\" }\nsource = \"a probe: seen\"\n" \
               "evidence = \"live-test\"\nchecked = 2025-11-15\n"

static void test_insert(void **state)
{
    (void)state;
    static const struct {
        const char *file, *want;
    } rows[] = {
        {"", "schema = \"cando/rules@1\"\n\n" RULE_1},
        {" \n\t\n", "schema = \"cando/rules@1\"\n\n" RULE_1},
        {"\r", "schema = \"cando/rules@1\"\n\n" RULE_1}, /* no line end: none that is kept */
        {"schema = \"cando/rules@1\"\n", "schema = \"cando/rules@1\"\n\n" RULE_1},
        {"schema = \"cando/rules@1\" # mine", "schema = \"cando/rules@1\" # mine\n\n" RULE_1},
        {"# a\nschema = \"cando/rules@1\"\n[defaults]\nseed = true # b\n  # c",
         "# a\nschema = \"cando/rules@1\"\n[defaults]\nseed = true # b\n  # c\n\n" RULE_1},
        /* in first-match order it goes before the first rule and its comment */
        {"schema = \"cando/rules@1\"\nresolution = \"first-match\"\n\n# mine\n# "
         "too\n[[rules]]\nmatch = \"*\"\nset = { seed = true }\n",
         "schema = \"cando/rules@1\"\nresolution = \"first-match\"\n\n" RULE_1
         "\n# mine\n# too\n[[rules]]\nmatch = \"*\"\nset = { seed = true }\n"},
        {"schema = \"cando/rules@1\"\nresolution = \"first-match\"\n",
         "schema = \"cando/rules@1\"\nresolution = \"first-match\"\n\n" RULE_1},
    };
    cando_observations *o = cando_observations_new(NULL, NULL);
    add(o, "openai/gpt-5", "temperature", "unsupported", NOW, 0);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct buf out, again;
        struct insert_result r;
        cando_error err = {0};
        if (put(rows[i].file, o, &out, &r, &err) != CANDO_OK)
            fail_msg("row %zu: %s", i, err.message);
        assert_string_equal(out.p, rows[i].want);
        assert_int_equal(r.added, 1);
        /* a second time nothing is added */
        assert_int_equal(put(out.p, o, &again, &r, &err), CANDO_OK);
        assert_string_equal(again.p, out.p);
        assert_int_equal(r.added, 0);
        assert_int_equal(r.present, 1);
        buf_free(&out);
        buf_free(&again);
    }
    cando_observations_free(o);
}

static void test_insert_other_value(void **state)
{
    (void)state;
    struct buf one, two, three;
    struct insert_result r;
    cando_error err = {0};
    cando_observations *o = cando_observations_new(NULL, NULL);
    add(o, "openai/gpt-5", "temperature", "unsupported", NOW, 0);
    assert_int_equal(put("", o, &one, &r, &err), CANDO_OK);
    add(o, "openai/gpt-5", "temperature", "native", NOW + 1, 0);
    assert_int_equal(put(one.p, o, &two, &r, &err), CANDO_OK);
    assert_int_equal(r.added, 1);
    assert_non_null(strstr(two.p, "name = \"observed-openai-gpt-5-temperature-2\""));
    assert_memory_equal(two.p, one.p, one.n);
    assert_int_equal(put(two.p, o, &three, &r, &err), CANDO_OK);
    assert_int_equal(r.present, 1);
    assert_string_equal(three.p, two.p);
    buf_free(&one);
    buf_free(&two);
    buf_free(&three);
    cando_observations_free(o);
}

static void test_insert_keeps_line_ends(void **state)
{
    (void)state;
    struct buf out;
    struct insert_result r;
    cando_observations *o = cando_observations_new(NULL, NULL);
    add(o, "openai/gpt-5", "temperature", "unsupported", NOW, 0);
    assert_int_equal(put("schema = \"cando/rules@1\"\r\n", o, &out, &r, NULL), CANDO_OK);
    for (size_t i = 0; i < out.n; i++)
        if (out.p[i] == '\n')
            assert_int_equal(out.p[i - 1], '\r');
    buf_free(&out);
    cando_observations_free(o);
}

static void test_insert_refuses(void **state)
{
    (void)state;
    static const char *const files[] = {
        "x = = 1\n",
        "[[rules]]\nmatch = \"*\"\n",
        "schema = \"nika/model-capabilities@1.0\"\n",
        "schema = \"cando/rules@1\"\nrules = [{ match = \"*\", set = { seed = true } }]\n",
        "schema = \"cando/rules@1\"\nrules = 1\n",
    };
    cando_observations *o = cando_observations_new(NULL, NULL);
    add(o, "openai/gpt-5", "temperature", "unsupported", NOW, 0);
    for (size_t i = 0; i < LENGTH(files); i++) {
        struct buf out;
        struct insert_result r;
        cando_error err = {0};
        if (put(files[i], o, &out, &r, &err) != CANDO_BAD_INPUT)
            fail_msg("was taken: %s", files[i]);
        assert_int_not_equal(err.message[0], 0);
        buf_free(&out);
    }
    cando_observations_free(o);
}

/* -- no memory ---------------------------------------------------------------------------------------- */

static void test_no_memory(void **state)
{
    (void)state;
    static const char reply[] = "{\"error\":{\"message\":\"x\",\"metadata\":{\"raw\":\"{\\\"message\\\":\\\"This model doesn't support tool use.\\\"}\"}}}";
    bool all = false;
    for (size_t n = 1; !all; n++) {
        struct failing f = {.fail_at = n};
        cando_allocator a = {failing_resize, &f};
        cando_error err = {0};
        const char *text;
        size_t len, learnt = 0;
        struct buf out;
        struct insert_result r;
        buf_init(&out, &a, 1 << 20);
        cando_observations *o = cando_observations_new(&a, &err);
        cando_status st = o ? cando_observations_learn(o, "p/m", reply, strlen(reply), NOW, 0, &learnt, &err) : CANDO_INTERNAL;
        if (st == CANDO_OK)
            st = cando_observations_rules(o, NOW, &text, &len, &err);
        if (st == CANDO_OK)
            st = insert_rules(&out, STR("schema = \"cando/rules@1\"\n[[rules]]\nname = \"observed-p-m-tool_calling\"\nmatch = \"m\"\nset = { seed = true }\n"),
                              o, NOW, &r, &err);
        all = !f.failed;
        if (st != (all ? CANDO_OK : CANDO_INTERNAL))
            fail_msg("request %zu: %s", n, err.message);
        assert_string_equal(all ? "memory" : err.code, "memory");
        buf_free(&out);
        cando_observations_free(o);
        assert_int_equal(f.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_layer),
        cmocka_unit_test(test_hostile_replies),
        cmocka_unit_test(test_insert),
        cmocka_unit_test(test_insert_other_value),
        cmocka_unit_test(test_insert_keeps_line_ends),
        cmocka_unit_test(test_insert_refuses),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
