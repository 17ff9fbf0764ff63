/*
 * ask_lint.c - lint: what is wrong with these rules?
 */
#include "catalog/engine.h"
#include "text/reading.h"

static cando_status add_input(cando_sources *s, const cando_lint_question *q,
                              const cando_catalog *cat, cando_error *err)
{
    cando_status st;
    if (!q->text.p == !q->path) {
        st = error_set(err, CANDO_BAD_QUESTION, q->path ? CODE_bad_argument : CODE_missing_argument,
                       "'lint' takes either 'text' or 'path'");
        error_at(err, STR("/text"), 0, 0);
        return st;
    }
    if (q->text.p)
        st = cando_sources_add(s, "", q->text.p, q->text.n, q->syntax, CANDO_LAYER_FAMILY, err);
    else
        st = cando_sources_add_path(s, q->path, q->syntax, CANDO_LAYER_FAMILY, err);
    if (st == CANDO_OK)
        st = q->over ? cando_sources_lint_over(s, cat, err) : cando_sources_lint(s, err);
    else if (st != CANDO_INTERNAL)
        error_at(err, q->text.p ? STR("/text") : STR("/path"), 0, 0);
    return st;
}

static const char *own(struct reading *r, const char *text)
{
    return text && *text ? reading_copy(r, str_of(text)) : NULL;
}

/* The counts are of what is listed: the list has a limit, and says so itself. */
static const cando_lint_answer *take_findings(const cando_sources *s, struct reading *r)
{
    size_t n = cando_sources_findings(s);
    cando_lint_answer *a = arena_alloc(r->ar, sizeof *a);
    cando_finding *list = arena_array(r->ar, n, sizeof *list);
    uint64_t count[3] = {0};
    if (!a || !list)
        return reading_memory(r);
    for (size_t i = 0; i < n; i++) {
        cando_finding f = cando_sources_finding(s, i);
        f.file = own(r, f.file);
        f.message = own(r, f.message);
        f.hint = own(r, f.hint);
        f.excerpt = own(r, f.excerpt);
        list[i] = f;
        count[f.severity]++;
    }
    *a = (cando_lint_answer){list, n, count[CANDO_ERROR], count[CANDO_WARNING], count[CANDO_NOTE]};
    return reading_no_memory(r) ? NULL : a;
}

const cando_lint_answer *cando_ask_lint(const cando *c, const cando_lint_question *q,
                                        cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_catalog *cat = room_catalog(room, c);
    cando_sources *s = cat ? cando_sources_new(c->a, err) : NULL;
    if (!cat)
        error_memory(err);
    if (!s)
        return NULL;
    const cando_lint_answer *a = NULL;
    if (add_input(s, q, cat, err) == CANDO_OK) {
        a = take_findings(s, &r);
        if (!a)
            reading_end(&r, err);
    }
    cando_sources_free(s);
    return a;
}
