#include "facts.h"

#include "base/file.h"
#include "base/instant.h"
#include "base/limits.h"
#include "trail.h"

bool take_source(struct call *c, const struct option_row *o, const char *value)
{
    struct str s = str_of(value), head = str_head(s, str_find_char(s, '='));
    size_t at = str_find_char(head, '@');
    char today[INSTANT_TEXT];
    if (!at || head.n + 1 >= s.n)
        return option_refuse(o, value,
                             strstr(o->arg, "URL")
                                 ? "NAME=URL or NAME=FILE, for example models.dev=api.json"
                                 : "NAME=FILE or NAME@DAY=FILE, for example "
                                   "models.dev@2026-07-02=api.json");
    struct str day = str_from(head, at + 1);
    if (!day.n)
        day = str_head(instant_text(asked_now(), today), 10);
    struct source *item = option_item(c, o, sizeof *item);
    if (!item)
        return false;
    *item =
        (struct source){call_text(c, str_head(head, at)), call_text(c, day), value + head.n + 1};
    return item->name && item->day;
}

cando_status facts_fetch(const char *url, const char *body, fetch_progress *progress, void *ctx,
                         char **text, size_t *len, cando_error *err)
{
    struct buf b;
    buf_init(&b, NULL, (size_t)FETCH_BYTES + 1);
    cando_status st = fetch_url(url, body, &b, progress, ctx, err);
    *text = st == CANDO_OK && buf_cstr(&b) ? mem_resize(NULL, b.p, b.cap, b.n + 1) : NULL;
    *len = b.n;
    if (*text)
        return CANDO_OK;
    buf_free(&b);
    return st == CANDO_OK ? error_memory(err) : st;
}

cando_status facts_here(const struct source *s, char **text, size_t *len, cando_error *err)
{
    if (!fetch_is_url(s->from))
        return file_read(s->from, LIMIT_JSON_BYTES, NULL, text, len, err);
    if (!fetch_is_local(s->from)) {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_option,
                  "%s is not read: only servers on this machine are", s->from);
        error_hint(err, "cando update fetches from elsewhere");
        return CANDO_BAD_QUESTION;
    }
    const char *model = strchr(s->from, '#');
    char url[512], body[512];
    size_t n = model ? (size_t)(model - s->from) : strlen(s->from);
    snprintf(url, sizeof url, "%.*s", (int)(n < sizeof url ? n : sizeof url - 1), s->from);
    if (model && strpbrk(model, "\"\\"))
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_option, "no model is called %s",
                         model + 1);
    snprintf(body, sizeof body, "{\"model\":\"%.400s\"}", model ? model + 1 : "");
    return facts_fetch(url, model ? body : NULL, NULL, NULL, text, len, err);
}

cando_fact_source *facts_read(struct call *c, const struct source *s, size_t n,
                              read_source_fn *read)
{
    cando_fact_source *list = arena_array(&c->ar, n, sizeof *list);
    if (!list)
        error_memory(&c->err);
    for (size_t i = 0; list && i < n; i++) {
        char *text;
        size_t len;
        if ((read ? read : facts_here)(&s[i], &text, &len, &c->err) != CANDO_OK) {
            facts_free(list, i);
            return NULL;
        }
        list[i] = (cando_fact_source){s[i].name, s[i].day, {text, len}};
    }
    return list;
}

void facts_free(cando_fact_source *list, size_t n)
{
    for (size_t i = 0; list && i < n; i++)
        mem_free(NULL, (char *)list[i].text.p, list[i].text.n + 1);
}
