/*
 * compile_rows.c - offerings packed for selection.
 *
 * Choosing among all offerings looks at every one of them, so what most choices
 * ask for (support levels, windows, prices, release, status) is laid out in rows
 * of fixed width, in the order of their names: a scan in that order needs no
 * sorting when the name decides. Everything else is still in the record.
 */
#include "compile.h"

#include "catalog/planes.h"
#include "catalog/profile.h"

#include <stdlib.h>

static void put64(uint32_t out[2], uint64_t v)
{
    out[0] = (uint32_t)v;
    out[1] = (uint32_t)(v >> 32);
}

static void put_plane(uint32_t out[4], const uint64_t plane[2])
{
    put64(out, plane[0]);
    put64(out + 2, plane[1]);
}

/* "2026-11-15" or "2026-11" as a number that sorts; 0 if it is neither. */
static uint32_t day_number(const char *text)
{
    uint32_t n = 0, digits = 0;
    for (; *text && digits < 8; text++) {
        if (*text == '-')
            continue;
        if (!char_is_digit(*text))
            return 0;
        n = n * 10 + (uint32_t)(*text - '0');
        digits++;
    }
    return digits == 8 ? n : digits == 6 ? n * 100 : digits == 4 ? n * 10000 : 0;
}

static uint32_t status_of(const cando_profile *p)
{
    static const char *const words[] = {"active", "preview", "deprecated", "retired"};
    cando_value v = profile_fact(p, F_status).value;
    for (uint32_t i = 0; v.known && i < 4; i++)
        if (strcmp(v.text, words[i]) == 0)
            return i;
    return ROW_ACTIVE;
}

void compile_row(struct compiler *c, struct row_list *l, uint32_t provider, struct str id,
                 struct str written, uint32_t record, const cando_profile *p)
{
    struct str name =
        str_printf(&c->ar, "%.*s/%.*s", STR_ARG(c->providers.id[provider]), STR_ARG(id));
    if (!name.p || !ARENA_GROW(&c->ar, l->item, l->n, l->cap))
        return;
    cando_planes planes;
    cando_profile_pack(p, &planes);
    cando_value release = profile_fact(p, F_release_date).value;
    struct compile_row *x = &l->item[l->n++];
    *x = (struct compile_row){
        .row = {.provider = provider,
                .key = compile_string(c, id),
                .record = record,
                .status = status_of(p),
                .id = compile_string(c, written)},
        .name = name,
    };
    put_plane(x->row.known, planes.known);
    put_plane(x->row.native, planes.native);
    put_plane(x->row.usable, planes.usable);
    put64(x->row.context_window, planes.number[NUM_context_window]);
    put64(x->row.max_output, planes.number[NUM_max_output]);
    put64(x->row.price[0], planes.price[0]);
    put64(x->row.price[1], planes.price[1]);
    if (release.known)
        x->row.release = day_number(release.text);
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
    for (size_t i = 0; i < l->n; i++)
        compile_put(c, SEC_ROWS, &l->item[i].row, sizeof l->item[i].row / 4);
}
