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
        day = str_head(instant_text(trail_now(), today), 10);
    struct source *item = option_item(c, o, sizeof *item);
    if (!item)
        return false;
    *item =
        (struct source){call_text(c, str_head(head, at)), call_text(c, day), value + head.n + 1};
    return item->name && item->day;
}

static cando_status read_file(const struct source *s, char **text, size_t *len, cando_error *err)
{
    return file_read(s->from, LIMIT_JSON_BYTES, NULL, text, len, err);
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
        if ((read ? read : read_file)(&s[i], &text, &len, &c->err) != CANDO_OK) {
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
