/*
 * ask_needs.c - the question `needs`, and needs that are kept.
 */
#include "catalog/engine.h"
#include "need.h"

static const char sources[] =
    "give 'request', 'requirements', 'session', 'work_order' or 'required'";

/* `n` has its texts where the result shall live. */
static cando_need need_out(const struct need *n)
{
    return (cando_need){
        .capability = need_capability(n),
        .written = n->name.p,
        .type = n->kind == NEED_SLOT     ? CANDO_SUPPORT
                : n->kind == NEED_NUMBER ? CANDO_NUMBER
                                         : CANDO_LIST,
        .level = (cando_level)n->level,
        .min_support = (cando_min_support)n->min_support,
        .minimum = {n->minimum, n->minimum != 0},
        .required_by = n->required_by.n ? n->required_by.p : NULL,
        .path = n->path.p,
    };
}

/* The question's texts are the caller's. */
static bool keep_texts(struct reading *r, struct need_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        struct need *n = &l->need[i];
        n->name = str_dup(r->ar, n->name);
        n->required_by = str_dup(r->ar, n->required_by);
        if (!n->name.p || !n->required_by.p)
            return reading_memory(r);
    }
    return true;
}

const cando_needs_answer *cando_ask_needs(const cando *c, const cando_needs_question *q,
                                          cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    struct need_list needs;
    const cando_catalog *cat = room_catalog(room, c);
    cando_needs_answer *a = cat ? arena_alloc(r.ar, sizeof *a) : NULL;
    if (!a)
        return no_memory(err);
    if (!need_read_question(&r, cat, q, sources, &needs)) {
        reading_end(&r, err);
        return NULL;
    }
    cando_need *list = arena_array(r.ar, needs.n, sizeof *list);
    if (!list || !keep_texts(&r, &needs))
        return no_memory(err);
    for (size_t i = 0; i < needs.n; i++)
        list[i] = need_out(&needs.need[i]);
    *a = (cando_needs_answer){list, needs.n};
    return a;
}

/* -- needs that are kept --------------------------------------------------------------- */

cando_needs *cando_needs_new(const cando *c, const cando_needs_question *q, cando_error *err)
{
    struct cando_needs *n = mem_alloc(c->a, sizeof *n);
    if (!n)
        return no_memory(err);
    n->a = c->a;
    arena_init(&n->ar, c->a);
    struct reading r = {.ar = &n->ar};
    const cando_catalog *cat = cando_get_catalog(c);
    bool ok = need_read_question(&r, cat, q, sources, &n->list) && keep_texts(&r, &n->list);
    cando_catalog_release(cat);
    if (ok)
        return n;
    reading_end(&r, err);
    cando_needs_free(n);
    return NULL;
}

void cando_needs_free(cando_needs *n)
{
    if (!n)
        return;
    arena_free(&n->ar);
    mem_free(n->a, n, sizeof *n);
}

size_t cando_needs_count(const cando_needs *n)
{
    return n->list.n;
}

cando_need cando_needs_get(const cando_needs *n, size_t i)
{
    if (i < n->list.n)
        return need_out(&n->list.need[i]);
    return (cando_need){.capability = "", .written = "", .path = ""};
}
