/*
 * cost_write.c - bills as JSON: the items, why each has its rate, what is unknown.
 */
#include "cost_job.h"

static void write_decimal(struct json_writer *w, const char *key, const struct decimal *d)
{
    char text[DECIMAL_TEXT];
    jw_keyz(w, key);
    jw_str(w, decimal_text(d, text));
}

void write_costs(struct json_writer *w, const struct cost *c)
{
    write_money(w, "input_cost", &c->input);
    write_money(w, "output_cost", &c->output);
    write_money(w, "total_cost", &c->total);
}

bool write_cost_target(struct cost_job *j)
{
    struct json_writer *w = j->c->w;
    if (!j->provider.n || !j->model.n)
        return true;
    struct str target = str_printf(j->c->ar, "%.*s/%.*s", STR_ARG(j->provider), STR_ARG(j->model));
    if (!target.p)
        return op_memory(j->c);
    jw_keyz(w, "target");
    jw_str(w, target);
    if (j->target_from) {
        jw_keyz(w, "target_from");
        jw_strz(w, j->target_from);
    }
    return true;
}

/* -- items ----------------------------------------------------------------------------- */

static void why_rate(struct buf *b, const struct cost_job *j, const struct cost *c, const struct cost_item *it)
{
    const struct price_key *k = &it->rate->key;
    char day[16];
    if (it->rate_unit != it->unit)
        buf_printf(b, "no rate of its own, at that of %s", unit_name(it->rate_unit));
    else
        buf_putz(b, "its own rate");
    if (k->tier.n)
        buf_printf(b, ", tier %.*s", STR_ARG(k->tier));
    if (k->step == PRICE_ABOVE)
        buf_printf(b, ", for an input above %llu", (unsigned long long)k->threshold);
    if (k->step == PRICE_GRADUATED)
        buf_printf(b, ", for what is above %llu", (unsigned long long)k->threshold);
    if (k->from != PRICE_NO_DAY)
        buf_printf(b, ", from %s on%s", day_text(k->from, day).p, j->options.dated ? "" : " (the latest, since 'at' is not given)");
    if (k->begin != -1)
        buf_putz(b, ", at this time of day");
    for (unsigned u = 0; u < UNIT_COUNT; u++)
        if (c->paid_as[u] == it->unit && u != it->unit)
            buf_printf(b, "; with %s, which has no rate of its own", unit_name(u));
    if (it->rounded)
        buf_putz(b, "; rounded, the quotient does not end");
}

static const char *why_unknown(const struct cost_unknown *x, const struct cost_excuse *excuse)
{
    switch ((enum cost_reason)x->reason) {
    case COST_NO_RATE:
        return "no rate, its own or an enclosing one";
    case COST_NO_COUNT:
        if (x->unit == UNIT_input_tokens && excuse->input)
            return excuse->input;
        if (x->unit == UNIT_output_tokens && excuse->output)
            return excuse->output;
        return "the count is not known";
    case COST_NO_THRESHOLD:
        return "the rate depends on the input, whose count is not known";
    }
    return "";
}

static bool write_item(const struct cost_job *j, const struct cost *c, const struct cost_excuse *excuse, const struct cost_item *it,
                       struct buf *b)
{
    struct json_writer *w = j->c->w;
    char text[DECIMAL_TEXT];
    jw_object(w);
    jw_keyz(w, "unit");
    jw_strz(w, unit_name(it->unit));
    jw_keyz(w, "quantity");
    if (it->quantity_known)
        jw_raw(w, decimal_text(&it->quantity, text));
    else
        jw_null(w);
    if (it->rate) {
        write_decimal(w, "rate", &it->rate->rate);
    } else {
        jw_keyz(w, "rate");
        jw_null(w);
    }
    jw_keyz(w, "per");
    jw_uint(w, unit_per(it->rate ? it->rate_unit : it->unit));
    write_money(w, "cost", &it->cost);
    jw_keyz(w, "why");
    buf_clear(b);
    if (it->rate)
        why_rate(b, j, c, it);
    for (unsigned i = 0; !it->rate && i < c->n_unknown; i++)
        if (c->unknown[i].unit == it->unit)
            buf_putz(b, why_unknown(&c->unknown[i], excuse));
    jw_str(w, str_make(b->p, b->n));
    jw_object_end(w);
    return !b->failed;
}

bool write_items(const struct cost_job *j, const struct cost *c, const struct cost_excuse *excuse)
{
    struct json_writer *w = j->c->w;
    struct buf b;
    bool ok = true;
    jw_keyz(w, "items");
    jw_array(w);
    buf_init(&b, j->c->a, 1u << 16);
    for (unsigned i = 0; i < c->n && ok; i++)
        ok = write_item(j, c, excuse, &c->item[i], &b);
    buf_free(&b);
    jw_array_end(w);
    return ok || op_memory(j->c);
}

/* -- what is unknown -------------------------------------------------------------------- */

static void write_unknown(struct json_writer *w, const char *unit, const char *reason)
{
    jw_object(w);
    jw_keyz(w, "unit");
    jw_strz(w, unit);
    jw_keyz(w, "reason");
    jw_strz(w, reason);
    jw_object_end(w);
}

void write_unknowns(const struct cost_job *j, const struct cost *c, const struct cost_excuse *excuse)
{
    struct json_writer *w = j->c->w;
    jw_keyz(w, "unknown");
    jw_array(w);
    if (j->no_price)
        write_unknown(w, NULL, j->no_price);
    if (j->has_reply && j->reply.partial)
        write_unknown(w, "output_tokens", "the stream was cut before its usage was complete");
    for (unsigned i = 0; i < c->n_unknown; i++)
        write_unknown(w, unit_name(c->unknown[i].unit), why_unknown(&c->unknown[i], excuse));
    jw_array_end(w);
}
