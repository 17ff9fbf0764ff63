/*
 * ask.h - questions in tests: a request in, the parsed result out.
 */
#ifndef TEST_ASK_H
#define TEST_ASK_H

#include "test.h"

struct asker {
    cando *c;
    struct arena ar;
    char *text;      /* the last reply */
    size_t len;
    const struct json *reply;
};

static inline void ask_begin(struct asker *a)
{
    cando_error err = {0};
    *a = (struct asker){0};
    a->c = cando_new(NULL, NULL, &err);
    assert_non_null(a->c);
    arena_init(&a->ar, NULL);
}

static inline void ask_end(struct asker *a)
{
    if (a->text)
        cando_free_text(a->c, a->text, a->len);
    arena_free(&a->ar);
    cando_free(a->c);
}

/* For a group of tests: `*state` is the asker. */
static inline int ask_setup(void **state)
{
    static struct asker a;
    ask_begin(&a);
    *state = &a;
    return 0;
}

static inline int ask_teardown(void **state)
{
    ask_end(*state);
    return 0;
}

/* The reply's result, or NULL if it was refused. Valid until the next question. */
static inline const struct json *ask(struct asker *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline const struct json *ask(struct asker *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char request[16384];
    int n = vsnprintf(request, sizeof request, fmt, ap);
    va_end(ap);
    assert_true(n > 0 && (size_t)n < sizeof request);
    if (a->text)
        cando_free_text(a->c, a->text, a->len);
    arena_free(&a->ar);
    arena_init(&a->ar, NULL);
    assert_int_equal(cando_call(a->c, request, (size_t)n, &a->text, &a->len), CANDO_OK);
    struct json_error bad;
    a->reply = json_parse(&a->ar, str_make(a->text, a->len), &bad);
    assert_non_null(a->reply);
    return json_get(a->reply, "result");
}

/* What a JSON Pointer points to, which must be there. */
static inline const struct json *at(const struct json *v, const char *pointer)
{
    assert_non_null(v);
    const struct json *x = json_pointer(v, str_of(pointer));
    if (!x)
        fail_msg("nothing at %s", pointer);
    return x;
}

static inline void is_text(const struct json *v, const char *pointer, const char *want)
{
    const struct json *x = at(v, pointer);
    assert_int_equal(x->kind, JSON_STRING);
    if (!str_is(x->text, want))
        fail_msg("at %s: want '%s', have '%.*s'", pointer, want, (int)x->text.n, x->text.p);
}

static inline void is_count(const struct json *v, const char *pointer, size_t want)
{
    const struct json *x = at(v, pointer);
    assert_true(x->kind == JSON_ARRAY || x->kind == JSON_OBJECT);
    if (x->n != want)
        fail_msg("at %s: want %zu items, have %zu", pointer, want, x->n);
}

static inline bool is_true(const struct json *v, const char *pointer)
{
    return at(v, pointer)->kind == JSON_TRUE;
}

/* The question was refused with this code. */
static inline void refused(struct asker *a, const char *code)
{
    assert_int_equal(at(a->reply, "/ok")->kind, JSON_FALSE);
    is_text(a->reply, "/error/code", code);
}

#endif
