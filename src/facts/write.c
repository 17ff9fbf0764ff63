/*
 * write.c - merged rows as TOML.
 */
#include "write.h"

#include "catalog/evidence.h"
#include "text/toml_write.h"

#include <stdlib.h>

static void put_value(struct toml_writer *w, const struct claim *c)
{
    const struct rule_value *v = &c->value;
    switch (vocab_row(c->field)->type) {
    case CANDO_SUPPORT:
        tw_str(w, str_of(support_name(v->support)));
        break;
    case CANDO_FLAG:
        tw_plain(w, v->flag ? "true" : "false");
        break;
    case CANDO_NUMBER:
        tw_plain(w, "%llu", (unsigned long long)v->number);
        break;
    case CANDO_LIST:
        tw_list(w);
        for (size_t i = 0; i < v->n; i++)
            tw_str(w, v->item[i]);
        tw_list_end(w);
        break;
    default:
        tw_str(w, v->text);
    }
}

/* -- fields ------------------------------------------------------------------------------ */

static const struct claim *fact_of(const struct import *im, const struct merged_row *row,
                                   unsigned field)
{
    for (size_t i = 0; i < row->n_facts; i++)
        if (im->claim[row->fact[i]].field == field)
            return &im->claim[row->fact[i]];
    return NULL;
}

static const struct modality {
    const char *word;
    uint16_t list, field;
    bool optional; /* the list is complete without it */
} modalities[] = {
    {"text", F_input_modalities, F_input_text, false},
    {"image", F_input_modalities, F_input_image, false},
    {"audio", F_input_modalities, F_input_audio, false},
    {"video", F_input_modalities, F_input_video, false},
    {"pdf", F_input_modalities, F_input_pdf, false},
    {"text", F_output_modalities, F_output_text, false},
    {"image", F_output_modalities, F_output_image, false},
    {"audio", F_output_modalities, F_output_audio, false},
    {"video", F_output_modalities, F_output_video, false},
    {"embedding", F_output_modalities, F_embeddings, true},
};

/* Is every field of a list known, so that the list says it all? */
static bool listable(const struct import *im, const struct merged_row *row, unsigned list)
{
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(modalities); i++) {
        if (modalities[i].list != list)
            continue;
        const struct claim *c = fact_of(im, row, modalities[i].field);
        if (!c && !modalities[i].optional)
            return false;
        any |= c && c->value.support == CANDO_NATIVE;
    }
    return any;
}

static bool in_list(unsigned field, const bool listed[2])
{
    for (size_t i = 0; i < COUNT_OF(modalities); i++)
        if (modalities[i].field == field)
            return listed[modalities[i].list == F_output_modalities];
    return false;
}

static void put_modalities(struct toml_writer *w, const struct import *im,
                           const struct merged_row *row, unsigned list)
{
    tw_list(w);
    for (size_t i = 0; i < COUNT_OF(modalities); i++) {
        const struct claim *c =
            modalities[i].list == list ? fact_of(im, row, modalities[i].field) : NULL;
        if (c && c->value.support == CANDO_NATIVE)
            tw_str(w, str_of(modalities[i].word));
    }
    tw_list_end(w);
}

/* -- prices and claims ------------------------------------------------------------------------ */

struct pair {
    struct str key, value;
};

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct pair *)a)->key, ((const struct pair *)b)->key);
}

static void put_pairs(struct toml_writer *w, struct pair *pair, size_t n,
                      int (*order)(const void *, const void *))
{
    qsort(pair, n, sizeof *pair, order);
    tw_table(w);
    for (size_t i = 0; i < n; i++)
        tw_pair(w, pair[i].key, pair[i].value);
    tw_table_end(w);
}

/* Input before output before all else, and plain rates first. */
static int by_unit(const void *a, const void *b)
{
    struct str x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;
    size_t nx = str_find_char(x, ' '), ny = str_find_char(y, ' ');
    unsigned ux = unit_find(str_head(x, nx)), uy = unit_find(str_head(y, ny));
    if ((nx == x.n) != (ny == y.n))
        return nx == x.n ? -1 : 1;
    if (ux != uy)
        return ux < uy ? -1 : 1;
    return str_cmp(x, y);
}

static void put_price(struct toml_writer *w, struct import *im, const struct merged_row *row)
{
    struct pair *pair = arena_array(im->ar, row->n_prices, sizeof *pair);
    if (!pair) {
        w->out->failed = true;
        return;
    }
    for (size_t i = 0; i < row->n_prices; i++)
        pair[i] = (struct pair){im->claim[row->price[i]].key, im->claim[row->price[i]].value.text};
    put_pairs(w, pair, row->n_prices, by_unit);
}

struct claims {
    struct pair *pair;
    size_t n, cap;
};

static bool claims_add(struct import *im, struct claims *list, struct str key, struct str value)
{
    if (!key.p || !value.p || !ARENA_GROW(im->ar, list->pair, list->n, list->cap))
        return false;
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->pair[i].key, key))
            return true; /* a source that contradicts itself: the first word */
    list->pair[list->n++] = (struct pair){key, value};
    return true;
}

/* All that was said where sources disagree. */
static bool disputed_claims(struct import *im, const struct merged *m, const struct merged_row *row,
                            struct claims *list)
{
    for (size_t i = row->dispute; i < row->dispute + row->n_disputes; i++) {
        const struct dispute *d = &m->dispute[i];
        if (d->silent != FACT_SOURCES)
            continue;
        size_t said = 0;
        for (size_t k = 0; k < d->n; k++)
            said += !(im->claim[d->claim[k]].flags & CLAIM_PLACEHOLDER);
        for (size_t k = 0; k < d->n && said > d->has_winner; k++) {
            const struct claim *c = &im->claim[d->claim[k]];
            char day[16];
            if (c->flags & CLAIM_PLACEHOLDER)
                continue;
            struct str key = str_printf(im->ar, "%s%s%.*s|%s|%s", vocab_row(c->field)->name,
                                        c->key.n ? "." : "", STR_ARG(c->key),
                                        fact_source_row(c->source)->name, day_dashed(c->day, day));
            if (!claims_add(im, list, key, claim_text(im->ar, c)))
                return false;
        }
    }
    return true;
}

/* The name under which the row has a field: its own, or that of the list. */
static unsigned written_as(unsigned field, const bool listed[2])
{
    for (size_t i = 0; i < COUNT_OF(modalities); i++)
        if (modalities[i].field == field && in_list(field, listed))
            return modalities[i].list;
    return field;
}

/* Fields of the row that a source gave; a list goes to whoever gave its last item. */
static struct str fields_by(struct import *im, const struct merged_row *row, unsigned source,
                            const bool listed[2], uint32_t *day)
{
    struct str names = STR("");
    for (unsigned f = 0; f < FIELD_COUNT && names.p; f++) {
        const struct claim *said = NULL;
        for (size_t i = 0; i < row->n_facts; i++) {
            const struct claim *c = &im->claim[row->fact[i]];
            if (written_as(c->field, listed) == f && (!said || c->field > said->field))
                said = c;
        }
        for (size_t i = 0; f == F_price && i < row->n_prices; i++)
            if (im->claim[row->price[i]].source == source)
                said = &im->claim[row->price[i]];
        if (!said || said->source != source || vocab_row(f)->type == CANDO_TEXT)
            continue;
        *day = said->day;
        names =
            str_printf(im->ar, "%.*s%s%s", STR_ARG(names), names.n ? " " : "", vocab_row(f)->name);
    }
    return names;
}

/* Who said what the row's source did not. */
static bool other_sources(struct import *im, const struct merged_row *row, const bool listed[2],
                          struct claims *list)
{
    for (unsigned s = 0; s < FACT_SOURCES; s++) {
        uint32_t day = 0;
        char text[16];
        struct str names = s == row->source ? STR("") : fields_by(im, row, s, listed, &day);
        if (!names.p)
            return false;
        if (names.n && !claims_add(im, list,
                                   str_printf(im->ar, "*|%s|%s", fact_source_row(s)->name,
                                              day_dashed(day, text)),
                                   names))
            return false;
    }
    return true;
}

/* -- rows -------------------------------------------------------------------------------- */

static void put_set(struct toml_writer *w, struct import *im, const struct merged *m,
                    const struct merged_row *row)
{
    struct claims claims = {0};
    bool listed[2] = {listable(im, row, F_input_modalities),
                      listable(im, row, F_output_modalities)};
    if (!disputed_claims(im, m, row, &claims) || !other_sources(im, row, listed, &claims))
        w->out->failed = true;
    tw_key(w, STR("set"));
    tw_table(w);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const struct claim *c = fact_of(im, row, f);
        bool list = f == F_input_modalities ? listed[0] : f == F_output_modalities && listed[1];
        bool price = f == F_price && row->n_prices, said = f == F_claims && claims.n;
        bool unlisted = f == F_status && !c && row->unlisted;
        if (!list && !price && !said && !unlisted && (!c || in_list(f, listed)))
            continue;
        tw_key(w, str_of(vocab_row(f)->name));
        if (list)
            put_modalities(w, im, row, f);
        else if (price)
            put_price(w, im, row);
        else if (said)
            put_pairs(w, claims.pair, claims.n, by_key);
        else if (unlisted)
            tw_str(w, STR("unlisted"));
        else
            put_value(w, c);
    }
    tw_table_end(w);
}

/* Fields that two catalogs state independently. */
static void put_agreed(struct toml_writer *w, uint32_t agreed)
{
    if (!agreed)
        return;
    tw_key(w, STR("agreed"));
    tw_list(w);
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (agreed & agreed_bit(f))
            tw_str(w, str_of(vocab_row(f)->name));
    tw_list_end(w);
}

static void put_row(struct toml_writer *w, struct import *im, const struct merged *m,
                    const struct merged_row *row)
{
    const struct offering *o = &im->offering[row->offering];
    char day[16];
    tw_line(w, "");
    tw_line(w, "[[models]]");
    tw_pair(w, STR("provider"), o->provider);
    tw_pair(w, STR("id"), o->id);
    put_set(w, im, m, row);
    tw_pair(w, STR("source"), str_of(fact_source_row(row->source)->url));
    tw_pair(w, STR("evidence"), str_of(evidence_name((enum evidence)row->evidence)));
    put_agreed(w, row->agreed);
    tw_key(w, STR("checked"));
    tw_plain(w, "%s", day_dashed(row->day, day));
}

static void put_header(struct buf *b, const struct import *im, struct str provider)
{
    buf_printf(b, "# Offerings of %.*s: limits, prices and what was claimed of each.\n",
               STR_ARG(provider));
    buf_putz(b, "# Written by `cando import`; corrections go to catalog/curated/. docs/catalog.md "
                "tells how sources are weighed.\n"
                "# Sources:");
    const char *comma = " ";
    for (unsigned s = 0; s < FACT_SOURCES; s++) {
        char day[16];
        if (!im->count[s].given)
            continue;
        buf_printf(b, "%s%s (%s)", comma, fact_source_row(s)->name,
                   day_dashed(im->count[s].day, day));
        comma = ", ";
    }
    buf_putz(b, "; NOTICE has their licences.\nschema = \"cando/rules@1\"\n");
}

bool row_is_written(const struct merged_row *row)
{
    return row->substantial && !row->gone && !row->old;
}

size_t write_rows(struct buf *b, struct import *im, const struct merged *m, size_t from, size_t to)
{
    size_t n = 0;
    struct toml_writer w;
    tw_init(&w, b, "\n");
    for (size_t i = from; i < to && !b->failed; i++) {
        if (!row_is_written(&m->row[i]))
            continue;
        if (!n++)
            put_header(b, im, im->offering[m->row[i].offering].provider);
        put_row(&w, im, m, &m->row[i]);
    }
    return n;
}
