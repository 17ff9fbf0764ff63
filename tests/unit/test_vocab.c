/*
 * test_vocab.c - the vocabulary: every name leads to its field, and to one only.
 */

#include "test.h"

#include "catalog/vocab.h"

static void test_rows(void **state)
{
    (void)state;
    assert_int_equal(cando_field_count(), FIELD_COUNT);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const struct vocab_row *row = vocab_row(f);
        assert_int_equal(row->type == CANDO_SUPPORT, f < SUPPORT_COUNT); /* SUPPORT rows come first */
        assert_string_equal(cando_field_name((cando_field)f), row->name);
        assert_string_equal(cando_field_doc((cando_field)f), row->doc);
        assert_int_equal(cando_field_type((cando_field)f), row->type);
        assert_true(row->doc[0]);
        assert_int_equal(cando_field_find(row->name), f);
        if (row->type == CANDO_NUMBER) /* less is better, or nothing is said */
            assert_true(!row->words[0] || strcmp(row->words, "less") == 0);
        else if (row->type != CANDO_WORD && row->type != CANDO_LIST)
            assert_string_equal(row->words, "");
        if (row->type == CANDO_WORD)
            assert_true(row->words[0]); /* a word of an open list would be a text */
        for (const char *p = row->name; *p; p++)
            assert_true((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '_');
    }
    assert_int_equal(cando_field_find("no_such_field"), CANDO_NO_FIELD);
    assert_int_equal(cando_field_find(NULL), CANDO_NO_FIELD);
    assert_string_equal(cando_field_name(CANDO_NO_FIELD), "");
}

static bool known_vocabulary(struct str name)
{
    for (unsigned v = 1; v < VOCAB_COUNT; v++)
        if (str_is(name, vocabulary_name((enum vocabulary)v)))
            return true;
    return false;
}

/* "nika:tool_calling" is found in that vocabulary, and only there does it have to
 * be unambiguous. */
static void test_names(void **state)
{
    (void)state;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *cursor = vocab_row(f)->names;
        struct str word;
        while (words_next(&cursor, &word)) {
            size_t colon = str_find_char(word, ':');
            struct str vocabulary = str_head(word, colon), name = str_from(word, colon + 1);
            assert_true(colon < word.n && name.n > 0);
            if (!known_vocabulary(vocabulary))
                fail_msg("'%.*s': no such vocabulary", STR_ARG(word));
            for (unsigned v = 0; v < VOCAB_COUNT; v++)
                if (str_is(vocabulary, vocabulary_name((enum vocabulary)v)) && vocab_find((enum vocabulary)v, name) != f)
                    fail_msg("'%.*s' leads to another field than %s", STR_ARG(word), vocab_row(f)->name);
            assert_true(vocab_find_any(name) < FIELD_COUNT);
        }
    }
}

static void test_index(void **state)
{
    (void)state;
    for (unsigned v = 0; v < VOCAB_COUNT; v++) {
        struct arena ar;
        struct map m;
        arena_init(&ar, NULL);
        assert_true(vocab_index((enum vocabulary)v, &ar, &m));
        size_t named = 0;
        for (unsigned f = 0; f < FIELD_COUNT; f++) {
            struct str name = vocab_name((enum vocabulary)v, f);
            if (!name.n)
                continue;
            named++;
            assert_int_equal(*map_get(&m, name), f);
            assert_int_equal(vocab_find((enum vocabulary)v, name), f);
        }
        assert_true(named > 0 && m.n >= named);
        arena_free(&ar);
    }
}

static void test_find(void **state)
{
    (void)state;
    assert_int_equal(vocab_find(VOCAB_HARN, STR("native_tools")), F_tool_calling);
    assert_int_equal(vocab_find(VOCAB_CANDO, STR("native_tools")), FIELD_COUNT);
    assert_int_equal(vocab_find_any(STR("native_tools")), F_tool_calling);
    assert_int_equal(vocab_find(VOCAB_CANDO, STR("Tool-Calling")), F_tool_calling);
    assert_int_equal(vocab_find(VOCAB_STUD, STR("toolcalling")), F_tool_calling);
    assert_int_equal(vocab_find(VOCAB_CANDO, STR("")), FIELD_COUNT);
    assert_true(str_is(vocab_name(VOCAB_NIKA, F_temperature), "supports_temperature"));
    assert_int_equal(vocab_name(VOCAB_NIKA, F_web_fetch).n, 0);
}

static void test_words(void **state)
{
    (void)state;
    assert_true(vocab_word(F_tokenizer, STR("o200k")));
    assert_false(vocab_word(F_tokenizer, STR("O200K")));
    assert_false(vocab_word(F_tokenizer, STR("")));
    assert_true(vocab_word(F_tool_search, STR("anything"))); /* open */
    assert_true(str_is(vocab_suggest_word(F_tokenizer, STR("o20k")), "o200k"));
    assert_int_equal(vocab_suggest_word(F_tokenizer, STR("zzzzzz")).n, 0);
    assert_true(str_is(vocab_suggest(VOCAB_CANDO, STR("streming")), "streaming"));
    assert_int_equal(vocab_suggest(VOCAB_CANDO, STR("zzzzzzzzzz")).n, 0);
    for (unsigned f = 0; f < FIELD_COUNT; f++) { /* no word stands twice */
        const char *cursor = vocab_row(f)->words;
        struct str word;
        while (words_next(&cursor, &word)) {
            const char *rest = cursor;
            struct str other;
            while (words_next(&rest, &other))
                assert_false(str_eq(word, other));
        }
    }
}

static void test_support(void **state)
{
    (void)state;
    for (unsigned s = CANDO_UNKNOWN; s <= CANDO_NATIVE; s++) {
        cando_support back;
        assert_true(support_find(str_of(support_name((cando_support)s)), &back));
        assert_int_equal(back, s);
    }
    cando_support none;
    assert_false(support_find(STR("Native"), &none));
    assert_string_equal(support_name((cando_support)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_names), cmocka_unit_test(test_index),
        cmocka_unit_test(test_find), cmocka_unit_test(test_words), cmocka_unit_test(test_support),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
