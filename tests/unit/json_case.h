/*
 * json_case.h - JSON texts for property tests: those of tests/cases/json, and what
 * becomes of them by small edits.
 *
 * CANDO_TESTS names the tests folder; "tests" if it is not set.
 */
#ifndef TEST_JSON_CASE_H
#define TEST_JSON_CASE_H

#include "test.h"

#include "base/file.h"

struct json_texts {
    struct arena ar;
    struct str *text;
    size_t n;
    uint64_t seed;
};

static inline uint32_t json_dice(struct json_texts *t, size_t n)
{
    return dice(&t->seed, (uint32_t)n);
}

/* Texts that are too long to be edited often are left out. */
#define JSON_CASE_BYTES 2000

static inline void json_texts_read(struct json_texts *t)
{
    const char *tests = getenv("CANDO_TESTS");
    char folder[2000];
    struct str *path;
    size_t n;
    cando_error err;
    *t = (struct json_texts){.seed = 1};
    arena_init(&t->ar, NULL);
    snprintf(folder, sizeof folder, "%s/cases/json", tests && *tests ? tests : "tests");
    if (file_list(folder, ".json", &t->ar, &path, &n, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    t->text = arena_array(&t->ar, n, sizeof *t->text);
    assert_non_null(t->text);
    for (size_t i = 0; i < n; i++) {
        char *text;
        size_t size;
        if (file_read(path[i].p, 32 << 20, NULL, &text, &size, &err) != CANDO_OK)
            fail_msg("%s", err.message);
        if (size <= JSON_CASE_BYTES)
            t->text[t->n++] = str_dup(&t->ar, str_make(text, size));
        mem_free(NULL, text, size + 1);
    }
    assert_true(t->n > 250);
}

static inline void json_texts_free(struct json_texts *t)
{
    arena_free(&t->ar);
}

static inline void json_insert(struct buf *b, size_t at, struct str s)
{
    buf_zero(b, s.n);
    assert_false(b->failed);
    memmove(b->p + at + s.n, b->p + at, b->n - s.n - at);
    memcpy(b->p + at, s.p, s.n);
}

/* One of the texts, alone or as the member of an object, with up to three edits; in
 * a malloc of its own size, so that the sanitizers see a byte too far. */
static inline struct str json_text_edited(struct json_texts *t)
{
    static const char byte[] = "\"\\{}[]:,019-+.eEtfnu \n\t\x01\x80\xC3\xA9\xF0\x9F\xED";
    static const char *const word[] = {
        "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\\n", "\\\"", "\xC3\xA9", "\xE2\x82\xAC", "null",
        "true", "1.5e-3", "{}", "[]", "{\"a\":1,\"a\":2}", "                    ", "\"key\": 1,",
        "a row of text that is longer than a stride", "{\"x\":[{\"y\":\"z\"}]}"};
    struct buf b;
    buf_init(&b, NULL, 1 << 20);
    buf_puts(&b, t->text[json_dice(t, t->n)]);
    if (json_dice(t, 2)) {
        json_insert(&b, 0, STR("{\"op\": \"x\", \"body\": "));
        buf_putz(&b, ", \"b\\u006fdies\": {\"n\": [1]}, \"no\": -1e3 }\n");
    }
    for (uint32_t edits = json_dice(t, 4); edits; edits--) {
        size_t at = json_dice(t, b.n + 1);
        switch (json_dice(t, 5)) {
        case 0:
            json_insert(&b, at, str_make(&byte[json_dice(t, sizeof byte - 1)], 1));
            break;
        case 1:
            json_insert(&b, at, str_of(word[json_dice(t, sizeof word / sizeof *word)]));
            break;
        case 2:
            if (at < b.n)
                b.p[at] = byte[json_dice(t, sizeof byte - 1)];
            break;
        case 3:
            if (at < b.n)
                memmove(b.p + at, b.p + at + 1, --b.n - at);
            break;
        default:
            if (json_dice(t, 4) == 0)
                b.n = at;
        }
    }
    char *exact = malloc(b.n ? b.n : 1);
    assert_non_null(exact);
    if (b.n)
        memcpy(exact, b.p, b.n);
    struct str s = str_make(exact, b.n);
    buf_free(&b);
    return s;
}

static inline void json_text_free(struct str s)
{
    free((void *)(uintptr_t)s.p);
}

#endif
