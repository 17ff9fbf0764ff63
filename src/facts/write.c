/*
 * write.c - merged rows as TOML.
 */
#include "write.h"

#include <stdio.h>
#include <stdlib.h>

const char *day_dashed(uint32_t day, char text[16])
{
    snprintf(text, 16, "%04u-%02u-%02u", day / 10000 % 10000, day / 100 % 100, day % 100);
    return text;
}

/* -- TOML ------------------------------------------------------------------------------ */

static void put_string(struct buf *b, struct str s)
{
    buf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(b, "\\u%04X", c);
        else
            buf_putc(b, (char)c);
    }
    buf_putc(b, '"');
}

static void put_key(struct buf *b, struct str key)
{
    bool bare = key.n > 0;
    for (size_t i = 0; i < key.n; i++)
        bare &= char_is_digit(key.p[i]) || char_is_alpha(key.p[i]) || key.p[i] == '_' ||
                key.p[i] == '-';
    if (bare)
        buf_puts(b, key);
    else
        put_string(b, key);
}

static void put_value(struct buf *b, const struct claim *c)
{
    const struct rule_value *v = &c->value;
    switch (vocab_row(c->field)->type) {
    case CANDO_SUPPORT:
        put_string(b, str_of(support_name(v->support)));
        break;
    case CANDO_FLAG:
        buf_putz(b, v->flag ? "true" : "false");
        break;
    case CANDO_NUMBER:
        buf_printf(b, "%llu", (unsigned long long)v->number);
        break;
    case CANDO_LIST:
        buf_putc(b, '[');
        for (size_t i = 0; i < v->n; i++) {
            if (i)
                buf_putz(b, ", ");
            put_string(b, v->item[i]);
        }
        buf_putc(b, ']');
        break;
    default:
        put_string(b, v->text);
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
    uint16_t list, field;
    const char *word;
    bool optional; /* the list is complete without it */
} modalities[] = {
    {F_input_modalities, F_input_text, "text", false},
    {F_input_modalities, F_input_image, "image", false},
    {F_input_modalities, F_input_audio, "audio", false},
    {F_input_modalities, F_input_video, "video", false},
    {F_input_modalities, F_input_pdf, "pdf", false},
    {F_output_modalities, F_output_text, "text", false},
    {F_output_modalities, F_output_image, "image", false},
    {F_output_modalities, F_output_audio, "audio", false},
    {F_output_modalities, F_output_video, "video", false},
    {F_output_modalities, F_embeddings, "embedding", true},
};
#define N_MODALITIES (sizeof modalities / sizeof *modalities)

/* Is every field of a list known, so that the list says it all? */
static bool listable(const struct import *im, const struct merged_row *row, unsigned list)
{
    bool any = false;
    for (size_t i = 0; i < N_MODALITIES; i++) {
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
    for (size_t i = 0; i < N_MODALITIES; i++)
        if (modalities[i].field == field)
            return listed[modalities[i].list == F_output_modalities];
    return false;
}

static void put_modalities(struct buf *b, const struct import *im, const struct merged_row *row,
                           unsigned list)
{
    bool first = true;
    buf_putc(b, '[');
    for (size_t i = 0; i < N_MODALITIES; i++) {
        const struct claim *c =
            modalities[i].list == list ? fact_of(im, row, modalities[i].field) : NULL;
        if (!c || c->value.support != CANDO_NATIVE)
            continue;
        buf_putz(b, first ? "" : ", ");
        put_string(b, str_of(modalities[i].word));
        first = false;
    }
    buf_putc(b, ']');
}

/* -- prices and claims ------------------------------------------------------------------------ */

struct pair {
    struct str key, value;
};

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct pair *)a)->key, ((const struct pair *)b)->key);
}

static void put_pairs(struct buf *b, struct pair *pair, size_t n)
{
    qsort(pair, n, sizeof *pair, by_key);
    buf_putz(b, "{ ");
    for (size_t i = 0; i < n; i++) {
        buf_putz(b, i ? ", " : "");
        put_key(b, pair[i].key);
        buf_putz(b, " = ");
        put_string(b, pair[i].value);
    }
    buf_putz(b, " }");
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

static void put_price(struct buf *b, struct import *im, const struct merged_row *row)
{
    struct pair *pair = arena_array(im->ar, row->n_prices, sizeof *pair);
    if (!pair) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < row->n_prices; i++)
        pair[i] = (struct pair){im->claim[row->price[i]].key, im->claim[row->price[i]].value.text};
    qsort(pair, row->n_prices, sizeof *pair, by_unit);
    buf_putz(b, "{ ");
    for (size_t i = 0; i < row->n_prices; i++) {
        buf_putz(b, i ? ", " : "");
        put_key(b, pair[i].key);
        buf_putz(b, " = ");
        put_string(b, pair[i].value);
    }
    buf_putz(b, " }");
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
    for (size_t i = 0; i < N_MODALITIES; i++)
        if (modalities[i].field == field && in_list(field, listed))
            return modalities[i].list;
    return field;
}

/* Fields of the row that a source gave; a list goes to whoever gave its last item. */
static struct str fields_by(struct import *im, const struct merged_row *row, uint8_t source,
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
    for (uint8_t s = 0; s < FACT_SOURCES; s++) {
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

/* -- rows ---------------------------------------------------------------------------------------
 */

static void put_set(struct buf *b, struct import *im, const struct merged *m,
                    const struct merged_row *row)
{
    struct claims claims = {0};
    bool listed[2] = {listable(im, row, F_input_modalities),
                      listable(im, row, F_output_modalities)};
    const char *comma = "";
    buf_putz(b, "set = { ");
    if (!disputed_claims(im, m, row, &claims) || !other_sources(im, row, listed, &claims))
        b->failed = true;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const struct claim *c = fact_of(im, row, f);
        bool list = f == F_input_modalities ? listed[0] : f == F_output_modalities && listed[1];
        bool price = f == F_price && row->n_prices, said = f == F_claims && claims.n;
        if (!list && !price && !said && (!c || in_list(f, listed)))
            continue;
        buf_printf(b, "%s%s = ", comma, vocab_row(f)->name);
        comma = ", ";
        if (list)
            put_modalities(b, im, row, f);
        else if (price)
            put_price(b, im, row);
        else if (said)
            put_pairs(b, claims.pair, claims.n);
        else
            put_value(b, c);
    }
    buf_putz(b, " }\n");
}

static void put_row(struct buf *b, struct import *im, const struct merged *m,
                    const struct merged_row *row)
{
    const struct offering *o = &im->offering[row->offering];
    char day[16];
    buf_putz(b, "\n[[models]]\nprovider = ");
    put_string(b, o->provider);
    buf_putz(b, "\nid = ");
    put_string(b, o->id);
    buf_putc(b, '\n');
    put_set(b, im, m, row);
    buf_printf(b, "source = \"%s\"\nevidence = \"%s\"\nchecked = %s\n",
               fact_source_row(row->source)->url, evidence_name((enum evidence)row->evidence),
               day_dashed(row->day, day));
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
    for (size_t i = from; i < to && !b->failed; i++) {
        if (!row_is_written(&m->row[i]))
            continue;
        if (!n++)
            put_header(b, im, im->offering[m->row[i].offering].provider);
        put_row(b, im, m, &m->row[i]);
    }
    return n;
}
