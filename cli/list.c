#include "list.h"

#include "out.h"

bool list_refuse(const char *fmt, const char *value)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "%s", "");
    snprintf(err.message, sizeof err.message, fmt, value);
    out_error(&err);
    return false;
}

static bool no_memory(void)
{
    cando_error err;
    error_memory(&err);
    out_error(&err);
    return false;
}

bool list_add(struct arena *ar, struct list *l, struct str text)
{
    const char *own = str_dup(ar, text).p;
    if (!own || !ARENA_GROW(ar, l->item, l->n, l->cap))
        return no_memory();
    l->item[l->n++] = own;
    return true;
}

/* The next part of "a,b" that is not empty. */
static bool next_part(struct str *s, struct str *part)
{
    do {
        *part = str_head(*s, str_find_char(*s, ','));
        *s = str_from(*s, part->n + 1);
    } while (!part->n && s->n);
    return part->n != 0;
}

bool list_split(struct arena *ar, struct list *l, const char *value)
{
    struct str part;
    for (struct str s = str_of(value); next_part(&s, &part);)
        if (!list_add(ar, l, part))
            return false;
    return true;
}

static bool add_wanted(struct arena *ar, struct wanted *l, struct str name, cando_min_support least)
{
    const char *own = str_dup(ar, name).p;
    if (!own || !ARENA_GROW(ar, l->item, l->n, l->cap))
        return no_memory();
    l->item[l->n++] = (cando_wanted){.capability = own, .min_support = least};
    return true;
}

bool wanted_add(struct arena *ar, struct wanted *l, const char *name)
{
    return add_wanted(ar, l, str_of(name), CANDO_MIN_EMULATED);
}

bool wanted_split(struct arena *ar, struct wanted *l, const char *value)
{
    struct str part;
    for (struct str s = str_of(value); next_part(&s, &part);) {
        size_t eq = str_find_char(part, '=');
        bool native = str_is(str_from(part, eq + 1), "native");
        if (eq < part.n && !native && !str_is(str_from(part, eq + 1), "emulated"))
            return list_refuse("'%s': a level is native or emulated", value);
        if (!add_wanted(ar, l, str_head(part, eq), native ? CANDO_MIN_NATIVE : CANDO_MIN_EMULATED))
            return false;
    }
    return true;
}
