/*
 * api.c - what of a wire API is asked of values: signs and paths.
 */
#include "api.h"

const struct api *api_find(struct str name)
{
    for (size_t i = 0; i < API_COUNT; i++)
        if (str_eq(apis[i].name, name))
            return &apis[i];
    return NULL;
}

bool api_lists_provider(const char *words, struct str name)
{
    struct str word;
    while (words_next(&words, &word))
        if (str_is(word, "*") || str_eq_fold(word, name))
            return true;
    return false;
}

enum image_rule api_images(struct str lab, struct str model)
{
    for (size_t i = 0; i < API_COUNT; i++) {
        const struct api *a = &apis[i];
        const char *words = a->small_models;
        struct str part;
        if (!a->images || !str_eq(a->lab, lab))
            continue;
        while (words_next(&words, &part))
            if (str_find(model, part) != SIZE_MAX)
                return (enum image_rule)a->small_images;
        return (enum image_rule)a->images;
    }
    return IMAGES_UNKNOWN;
}

/* -- signs ------------------------------------------------------------------------------- */

static bool is_there(const struct json *v)
{
    if (v->kind == JSON_STRING)
        return v->text.n > 0;
    return v->kind == JSON_ARRAY ? v->n > 0 : v->kind != JSON_NULL;
}

static bool is_word(const struct json *v, struct str word)
{
    switch (v->kind) {
    case JSON_STRING:
    case JSON_NUMBER:
        return str_eq(v->text, word);
    case JSON_TRUE:
        return str_is(word, "true");
    case JSON_ARRAY:
        return v->n == 0 && str_is(word, "[]");
    default:
        return false;
    }
}

static bool passes(const struct api_sign *s, const struct json *v)
{
    const char *words = s->words;
    struct str word;
    switch ((enum api_test)s->test) {
    case SIGN_THERE:
        return is_there(v);
    case SIGN_EXISTS:
        return true;
    case SIGN_KIND:
        return v->kind == (enum json_kind)s->kind;
    case SIGN_IS:
        while (words_next(&words, &word))
            if (is_word(v, word))
                return true;
        break;
    case SIGN_STARTS:
        while (v->kind == JSON_STRING && words_next(&words, &word))
            if (str_starts(v->text, word))
                return true;
        break;
    }
    return false;
}

/* As json_member, but this is asked of every reply. */
static inline const struct json *member(const struct json *v, struct str key)
{
    if (v->kind != JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < v->n; i++)
        if (v->key[i].text.n == key.n && str_same(v->key[i].text.p, key.p, key.n))
            return &v->item[i];
    return NULL;
}

static bool holds(const struct api_sign *s, const struct json *v, unsigned step)
{
    if (step == s->n_steps)
        return passes(s, v);
    const struct json *m = member(v, s->step[step]);
    if (!m)
        return false;
    if (!(s->each >> step & 1))
        return holds(s, m, step + 1);
    for (size_t i = 0; m->kind == JSON_ARRAY && i < m->n; i++)
        if (holds(s, &m->item[i], step + 1))
            return true;
    return false;
}

const struct json *api_at(const struct api_sign *sign, const struct json *v)
{
    for (unsigned i = 0; v && i < sign->n_steps; i++)
        v = member(v, sign->step[i]);
    return v;
}

bool api_signs(const struct api_sign *sign, size_t n, const struct json *v)
{
    for (size_t i = 0; i < n; i++) {
        bool all = true;
        for (;; i++) {
            all = all && holds(&sign[i], v, 0) != sign[i].no;
            if (!sign[i].more)
                break;
        }
        if (all)
            return true;
    }
    return false;
}

/* -- paths ------------------------------------------------------------------------------- */

static const struct json *follow(const struct json *v, struct str path)
{
    if (str_is(path, "."))
        return v;
    while (v && path.n) {
        size_t cut = str_find_char(path, '/');
        v = v->kind == JSON_OBJECT ? json_member(v, str_head(path, cut)) : NULL;
        path = str_from(path, cut + 1);
    }
    return v;
}

const struct json *api_value(const struct json *v, const char *paths, struct str *path)
{
    struct str one;
    while (words_next(&paths, path ? path : &one)) {
        const struct json *x = follow(v, path ? *path : one);
        if (x && x->kind != JSON_NULL)
            return x;
    }
    return NULL;
}

struct str api_text(const struct json *v, const char *paths)
{
    struct str path;
    while (words_next(&paths, &path)) {
        const struct json *x = follow(v, path);
        if (x && x->kind == JSON_STRING && x->text.n)
            return x->text;
    }
    return STR("");
}
