/*
 * ask_import.c - import: files of other catalogs in, our own rule files out.
 *
 * Nothing is fetched and nothing is written here: texts come with the question
 * and go with the answer. `cando import` and `cando update` are doors to it.
 */
#include "ask.h"

#include "base/instant.h"
#include "base/limits.h"
#include "write.h"

/* -- the sources ----------------------------------------------------------------------------- */

static bool unknown_source(struct reading *r, struct str at, const char *name)
{
    struct buf list;
    buf_init(&list, r->ar->a, 1024);
    for (unsigned i = 0; i < FACT_SOURCES; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", fact_source_row(i)->name);
    reading_fail(r, CODE_bad_argument, at, "there is no source '%.80s'", name);
    if (!list.failed)
        reading_hint(r, "known: %.*s", (int)list.n, list.p);
    buf_free(&list);
    return false;
}

static bool read_source(struct reading *r, struct import *im, const cando_fact_source *x,
                        struct str at)
{
    struct json_error bad;
    uint32_t day = day_number(str_of(x->day));
    unsigned source = fact_source_find(str_of(x->source));
    if (source == FACT_SOURCES)
        return unknown_source(r, at, x->source);
    if (day % 100 == 0)
        return reading_fail(r, CODE_bad_date, at, "'%.40s' is not a day", x->day);
    if (im->count[source].given && !fact_source_row(source)->repeats)
        return reading_fail(r, CODE_bad_argument, at, "the source '%s' is given twice", x->source);
    if (import_read(im, source, STR_IN(x->text), day, &bad))
        return true;
    if (bad.code == CODE_memory)
        return reading_memory(r);
    return reading_fail(r, bad.code, at, "%s: line %u, column %u: %s", x->source, bad.line,
                        bad.column, bad.message);
}

bool ask_sources(struct reading *r, const cando_fact_source *list, size_t n,
                 const struct id_tables *ids, struct import *im)
{
    import_init(im, r->ar, ids);
    for (size_t i = 0; i < n; i++)
        if (!read_source(r, im, &list[i], reading_at_index(r, STR("/sources"), i)))
            return false;
    return true;
}

/* -- the answer -------------------------------------------------------------------------------- */

static void count_source(struct reading *r, const struct import_count *n, unsigned source,
                         cando_import_count *out)
{
    char day[16];
    cando_tally *reasons = arena_array(r->ar, SKIP_REASONS, sizeof *reasons);
    *out = (cando_import_count){
        .source = fact_source_row(source)->name,
        .day = reading_copy(r, str_of(day_dashed(n->day, day))),
        .read = n->read,
        .imported = n->imported,
        .bad_values = n->bad_values,
        .reasons = reasons,
    };
    if (!reasons)
        reading_memory(r);
    for (unsigned k = 0; reasons && k < SKIP_REASONS; k++) {
        out->skipped += n->skipped[k];
        if (n->skipped[k])
            reasons[out->n_reasons++] =
                (cando_tally){skip_word((enum skip_reason)k), n->skipped[k]};
    }
}

/* Whose models the source says something of, in the order of its claims. Those of one offering
 * stand together. */
static bool list_providers(struct reading *r, const struct import *im, unsigned source,
                           cando_import_count *out)
{
    struct map seen;
    cando_tally *list = NULL;
    size_t cap = 0, last = SIZE_MAX;
    map_init(&seen, r->ar, false);
    for (size_t i = 0; i < im->n_claims; i++) {
        if (im->claim[i].source != source || im->claim[i].offering == last)
            continue;
        last = im->claim[i].offering;
        struct str id = im->offering[last].provider;
        uint32_t *have = map_get(&seen, id);
        if (have) {
            list[*have].n++;
            continue;
        }
        if (!map_put(&seen, id, (uint32_t)out->n_providers) ||
            !ARENA_GROW(r->ar, list, out->n_providers, cap))
            return reading_memory(r);
        list[out->n_providers++] = (cando_tally){reading_copy(r, id), 1};
    }
    out->providers = list;
    return true;
}

static bool take_counts(struct reading *r, const struct import *im, cando_import_answer *a)
{
    cando_import_count *list = arena_array(r->ar, FACT_SOURCES, sizeof *list);
    if (!list)
        return reading_memory(r);
    for (unsigned s = 0; s < FACT_SOURCES; s++)
        if (im->count[s].given)
            count_source(r, &im->count[s], s, &list[a->n_sources++]);
    for (size_t i = 0; i < a->n_sources; i++)
        if (!list_providers(r, im, fact_source_find(str_of(list[i].source)), &list[i]))
            return false;
    a->sources = list;
    return !reading_no_memory(r);
}

static bool take_skipped(struct reading *r, const struct import *im, cando_import_answer *a)
{
    size_t n = im->n_skips + im->n_bad;
    cando_import_skip *list = arena_array(r->ar, n, sizeof *list);
    if (!list)
        return reading_memory(r);
    for (size_t i = 0; i < n; i++) {
        const struct skip *x = i < im->n_skips ? &im->skip[i] : &im->bad[i - im->n_skips];
        list[i] =
            (cando_import_skip){fact_source_row(x->source)->name, reading_copy(r, x->at),
                                skip_word((enum skip_reason)x->reason), reading_copy(r, x->detail)};
    }
    a->skipped = list;
    a->n_skipped = n;
    return !reading_no_memory(r);
}

static bool wanted(const cando_import_question *q, struct str id)
{
    for (size_t i = 0; i < q->n_providers; i++)
        if (str_eq_fold(str_of(q->providers[i]), id))
            return true;
    return q->providers == NULL;
}

/* Hosts change what they serve by the week, and say so nowhere. */
static bool is_host(const cando_catalog *cat, struct str id)
{
    const struct snapshot *s = &cat->snap;
    uint32_t p = snapshot_provider(s, id);
    return p != SNAP_NONE && str_is(snap_str(s, snap_provider(s, p).kind), "host");
}

/* One file a provider; counts models and providers that have rows. */
static bool take_files(struct reading *r, const cando_import_question *q, const cando_catalog *cat,
                       struct import *im, struct merged *m, cando_import_answer *a)
{
    cando_import_file *list = NULL;
    size_t cap = 0;
    struct buf b;
    buf_init(&b, r->ar->a, LIMIT_TOML_BYTES);
    bool ok = true;
    for (size_t from = 0, to; from < m->n_rows && ok; from = to) {
        struct str id = im->offering[m->row[from].offering].provider;
        for (to = from; to < m->n_rows && str_eq(im->offering[m->row[to].offering].provider, id);
             to++)
            continue;
        if (!wanted(q, id))
            continue;
        if (q->current && is_host(cat, id))
            a->old += merge_mark_old(im, m, from, to);
        merge_mark_unlisted(m, from, to);
        buf_clear(&b);
        size_t n = write_rows(&b, im, m, from, to);
        ok = !b.failed && !im->ar->failed;
        if (!n || !ok)
            continue;
        ok = ARENA_GROW(r->ar, list, a->n_files, cap);
        if (!ok)
            break;
        cando_import_file *f = &list[a->n_files++];
        *f = (cando_import_file){.provider = reading_copy(r, id), .models = n};
        if (q->files)
            f->text = (cando_bytes){reading_copy(r, STR_IN(b)), b.n};
        a->models += n;
    }
    buf_free(&b);
    a->files = list;
    a->providers = a->n_files;
    return (ok && !reading_no_memory(r)) || reading_memory(r);
}

static bool answer(struct reading *r, const cando_import_question *q, const cando_catalog *cat,
                   cando_import_answer *a)
{
    struct id_tables ids = snapshot_ids(&cat->snap);
    struct import *im = arena_alloc(r->ar, sizeof *im);
    struct merged m;
    if (!im)
        return reading_memory(r);
    if (!ask_sources(r, q->sources, q->n_sources, &ids, im))
        return false;
    if (!take_counts(r, im, a)) /* of claims in the order in which they were made */
        return false;
    if (!merge_claims(im, &m))
        return reading_memory(r);
    if (q->skipped && !take_skipped(r, im, a))
        return false;
    if (!take_files(r, q, cat, im, &m, a))
        return false;
    for (size_t i = 0; i < m.n_rows; i++) {
        a->gone += m.row[i].gone;
        a->bare += !m.row[i].gone && !m.row[i].substantial;
    }
    return true;
}

const cando_import_answer *cando_ask_import(const cando *c, const cando_import_question *q,
                                            cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_catalog *cat = room_catalog(room, c);
    cando_import_answer *a = cat ? arena_alloc(&room->ar, sizeof *a) : NULL;
    if (!a)
        error_memory(&r.error);
    else if (answer(&r, q, cat, a))
        return a;
    reading_end(&r, err);
    return NULL;
}
