#include "facts.h"

#include "base/file.h"
#include "base/limits.h"
#include "out.h"

#include <time.h>

static bool split(const char *value, struct str *name, struct str *day, const char **path)
{
    struct str s = str_of(value);
    size_t eq = str_find_char(s, '=');
    struct str head = str_head(s, eq);
    size_t at = str_find_char(head, '@');
    *name = str_head(head, at);
    *day = str_from(head, at + 1);
    *path = eq < s.n ? value + eq + 1 : "";
    return eq < s.n && name->n && **path;
}

bool facts_option(struct facts_files *f, const char *value)
{
    struct str name, day;
    const char *path;
    cando_error err;
    if (!split(value, &name, &day, &path)) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--source does not take '%s'", value);
        error_hint(&err, "NAME=FILE or NAME@DAY=FILE, for example models.dev@2026-07-02=api.json");
        out_error(&err);
        return false;
    }
    if (f->n == FACTS_FILES) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "more than %d sources", FACTS_FILES);
        out_error(&err);
        return false;
    }
    f->value[f->n++] = value;
    return true;
}

struct str facts_today(char text[16])
{
    time_t now = time(NULL);
    struct tm *tm = gmtime(&now);
    if (!tm || !strftime(text, 16, "%Y-%m-%d", tm))
        return STR("1970-01-01");
    return str_of(text);
}

cando_status facts_read(const struct facts_files *f, struct facts_texts *out, cando_error *err)
{
    arena_init(&out->ar, NULL);
    for (size_t i = 0; i < f->n; i++) {
        struct str name, day;
        const char *path;
        char *text, day_text[16];
        size_t len;
        split(f->value[i], &name, &day, &path);
        cando_status st = file_read(path, LIMIT_JSON_BYTES, NULL, &text, &len, err);
        if (st != CANDO_OK)
            return st;
        st = facts_add(out, name, day.n ? day : facts_today(day_text), text, len, err);
        if (st != CANDO_OK)
            return st;
    }
    return CANDO_OK;
}

cando_status facts_add(struct facts_texts *t, struct str name, struct str day, char *text,
                       size_t len, cando_error *err)
{
    struct str own = str_dup(&t->ar, name), on = str_dup(&t->ar, day);
    if (!own.p || !on.p) {
        mem_free(NULL, text, len + 1);
        return error_memory(err);
    }
    t->source[t->n++] = (cando_fact_source){own.p, on.p, {text, len}};
    return CANDO_OK;
}

void facts_free(struct facts_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        mem_free(NULL, (char *)t->source[i].text.p, t->source[i].text.n + 1);
    arena_free(&t->ar);
    t->n = 0;
}
