/*
 * bill.c - a bill in words: its items, why each has its rate, what is unknown and why.
 */
#include "ask_cost.h"

#include "base/buf.h"

#define TEXTS 1024u /* bytes that are taken at a time */

/* Room for n bytes, of which took() takes what was used; NULL: no memory. */
static char *room(struct texts *t, size_t n)
{
    if (t->left >= n)
        return t->p;
    size_t more = n > TEXTS ? n : TEXTS;
    t->p = arena_alloc_raw(t->r->ar, more);
    t->left = t->p ? more : 0;
    if (!t->p)
        reading_memory(t->r);
    return t->p;
}

static const char *took(struct texts *t, size_t n)
{
    const char *text = t->p;
    t->p += n;
    t->left -= n;
    return text;
}

const char *text_money(struct texts *t, const struct money *m)
{
    char *text = m->known ? room(t, DECIMAL_TEXT) : NULL;
    return text ? took(t, decimal_text(&m->value, text).n + 1) : NULL;
}

const char *text_count(struct texts *t, const struct usage *u, unsigned unit)
{
    char *text = u->state[unit] == COUNT_KNOWN ? room(t, DECIMAL_TEXT) : NULL;
    return text ? took(t, decimal_text(&u->count[unit], text).n + 1) : NULL;
}

const char *text_join(struct texts *t, struct str a, struct str b, struct str c)
{
    char *text = room(t, a.n + b.n + c.n + 1);
    if (!text)
        return NULL;
    memcpy(text, a.p, a.n);
    if (b.n)
        memcpy(text + a.n, b.p, b.n);
    if (c.n)
        memcpy(text + a.n + b.n, c.p, c.n);
    text[a.n + b.n + c.n] = '\0';
    return took(t, a.n + b.n + c.n + 1);
}

/* -- items ----------------------------------------------------------------------------- */

static void put_number(struct buf *b, uint64_t n)
{
    struct decimal d = decimal_from(n);
    char text[DECIMAL_TEXT];
    buf_puts(b, decimal_text(&d, text));
}

static void put_conditions(struct buf *b, const struct price_key *k, unsigned off, bool dated)
{
    char day[16];
    if (k->tier.n) {
        buf_putz(b, ", tier ");
        buf_puts(b, k->tier);
    }
    if (off) {
        buf_putz(b, ": ");
        put_number(b, off);
        buf_putz(b, "% off");
    }
    if (k->step != PRICE_FLAT) {
        buf_putz(b, k->step == PRICE_ABOVE ? ", for an input above " : ", for what is above ");
        put_number(b, k->threshold);
    }
    if (k->from != PRICE_NO_DAY) {
        buf_putz(b, ", from ");
        buf_puts(b, day_text(k->from, day));
        buf_putz(b, dated ? " on" : " on (the latest, since 'at' is not given)");
    }
    if (k->begin != -1)
        buf_putz(b, ", at this time of day");
}

static void put_guests(struct buf *b, const struct cost *c, unsigned unit)
{
    for (unsigned i = 0; i < c->n_guests; i++)
        if (c->guest[i].payer == unit && c->guest[i].unit != unit) {
            buf_putz(b, "; with ");
            buf_putz(b, unit_name(c->guest[i].unit));
            buf_putz(b, ", which has no rate of its own");
        }
}

static const char *why_rate(struct texts *t, const struct cost *c, const struct cost_item *it,
                            bool dated)
{
    struct buf b;
    struct str own = STR("its own rate");
    buf_init_arena(&b, t->r->ar, 1u << 16);
    put_conditions(&b, &it->rate->key, it->rate->off, dated);
    put_guests(&b, c, it->unit);
    if (it->rounded)
        buf_putz(&b, "; rounded, the quotient does not end");
    if (b.failed)
        reading_memory(t->r);
    struct str more = STR_IN(b), of = str_of(unit_name(it->rate_unit));
    if (it->rate_unit != it->unit)
        return text_join(t, STR("no rate of its own, at that of "), of, more);
    return more.n ? text_join(t, own, more, STR("")) : own.p;
}

static const char *why_unknown(const struct cost_unknown *x, const struct bill_words *words)
{
    switch ((enum cost_reason)x->reason) {
    case COST_NO_RATE:
        return "no rate, its own or an enclosing one";
    case COST_NO_COUNT:
        if (x->unit == UNIT_input_tokens && words->no_input)
            return words->no_input;
        if (x->unit == UNIT_output_tokens && words->no_output)
            return words->no_output;
        return "the count is not known";
    case COST_NO_THRESHOLD:
        return "the rate depends on the input, whose count is not known";
    case COST_UNSAID:
        return "nobody says whether the discount of a batch holds for cached tokens";
    }
    return "";
}

static const char *why_none(const struct cost *c, unsigned unit, const struct bill_words *words)
{
    for (unsigned i = 0; i < c->n_unknown; i++)
        if (c->unknown[i].unit == unit)
            return why_unknown(&c->unknown[i], words);
    return "";
}

static void write_item(struct texts *t, const struct cost *c, const struct cost_item *it,
                       const struct bill_words *words, cando_cost_item *out)
{
    out->unit = unit_name(it->unit);
    out->quantity = text_money(t, &it->quantity);
    out->per = unit_per(it->rate ? it->rate_unit : it->unit);
    out->cost = text_money(t, &it->cost);
    if (it->rate) {
        const struct money rate = {true, it->rate->rate};
        out->rate = text_money(t, &rate);
        out->why = why_rate(t, c, it, words->dated);
    } else {
        out->why = why_none(c, it->unit, words);
    }
}

static void write_unknowns(const struct cost *c, const struct bill_words *words,
                           cando_cost_unknown *list, size_t *n)
{
    if (words->no_price)
        list[(*n)++] = (cando_cost_unknown){NULL, words->no_price};
    if (words->cut)
        list[(*n)++] = (cando_cost_unknown){unit_name(UNIT_output_tokens),
                                            "the stream was cut before its usage was complete"};
    for (unsigned i = 0; i < c->n_unknown; i++)
        list[(*n)++] =
            (cando_cost_unknown){unit_name(c->unknown[i].unit), why_unknown(&c->unknown[i], words)};
}

bool bill_write(struct texts *t, const struct cost *c, const struct bill_words *words,
                cando_bill *out)
{
    struct reading *r = t->r;
    cando_cost_item *items = arena_array(r->ar, c->n, sizeof *items);
    cando_cost_unknown *unknown = arena_array(r->ar, c->n_unknown + 2, sizeof *unknown);
    if (!items || !unknown)
        return reading_memory(r);
    for (unsigned i = 0; i < c->n; i++)
        write_item(t, c, &c->item[i], words, &items[i]);
    out->items = items;
    out->n_items = c->n;
    out->unknown = unknown;
    write_unknowns(c, words, unknown, &out->n_unknown);
    out->input_cost = text_money(t, &c->input);
    out->output_cost = text_money(t, &c->output);
    out->total_cost = text_money(t, &c->total);
    return r->error.status == CANDO_OK;
}
