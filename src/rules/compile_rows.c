/*
 * compile_rows.c - offerings packed for selection.
 *
 * Choosing among all offerings looks at every one of them, so what most choices
 * ask for is laid out in the order of their names: windows, prices, release and status
 * in rows of fixed width, and what they can do in bits, one a row. A scan in that order
 * needs no sorting when the name decides. Everything else is still in the record.
 */
#include "compile.h"

#include "base/instant.h"
#include "catalog/profile.h"

#include <stdlib.h>

void compile_row(struct compiler *c, struct row_list *l, uint32_t provider, struct str id,
                 struct str written, uint32_t record, const cando_profile *p)
{
    struct str name =
        str_printf(&c->ar, "%.*s/%.*s", STR_ARG(c->providers.id[provider]), STR_ARG(id));
    if (!name.p || !ARENA_GROW(&c->ar, l->item, l->n, l->cap))
        return;
    cando_value release = profile_fact(p, F_release_date).value;
    struct profile_life life = profile_life(p);
    struct compile_row *x = &l->item[l->n++];
    *x = (struct compile_row){
        .row = {.provider = provider,
                .key = compile_string(c, id),
                .record = record,
                .status = life.status,
                .deprecated = life.deprecated,
                .retires = life.retires,
                .id = compile_string(c, written)},
        .name = name,
    };
    cando_profile_pack(p, &x->planes);
    snap_put64(x->row.context_window, x->planes.number[NUM_context_window]);
    snap_put64(x->row.max_output, x->planes.number[NUM_max_output]);
    snap_put64(x->row.price[0], x->planes.price[0]);
    snap_put64(x->row.price[1], x->planes.price[1]);
    if (release.known)
        x->row.release = day_number(str_of(release.text));
}

void compile_row_forget(struct row_list *l, uint32_t provider, uint32_t key)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->item[i].row.provider == provider && l->item[i].row.key == key)
            l->item[i--] = l->item[--l->n];
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct compile_row *)a)->name, ((const struct compile_row *)b)->name);
}

void compile_rows(struct compiler *c, struct row_list *l)
{
    if (l->n)
        qsort(l->item, l->n, sizeof *l->item, by_name);
    uint32_t *support = arena_array(&c->ar, support_size(l->n), sizeof *support);
    if (!support)
        return;
    support_begin(support, l->n);
    for (size_t i = 0; i < l->n; i++)
        support_settle(support, &l->item[i].row);
    for (size_t i = 0; i < l->n; i++) {
        compile_put(c, SEC_ROWS, &l->item[i].row);
        support_put(support, i, &l->item[i].planes, &l->item[i].row);
        uint32_t number = (uint32_t)i;
        if (l->item[i].planes.dated)
            compile_put(c, SEC_DATED, &number);
        struct snap_run run = {l->item[i].row.provider, (uint32_t)i + 1};
        if (i + 1 == l->n || l->item[i + 1].row.provider != run.provider)
            compile_put(c, SEC_RUNS, &run);
    }
    compile_words(c, SEC_SUPPORT, support, support_pack(support, l->n));
}
