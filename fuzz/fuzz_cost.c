/*
 * fuzz_cost.c - any counts at any price.
 *
 * The input is a byte (the form of the price list, whether there is a date)
 * and a JSON list: the usage in our units, the price list, a service tier, an
 * instant. What must hold of a bill: the items are its sums; what is unknown
 * has a reason; no quantity and no cost is negative; price keys that were read
 * are written as they would be read again.
 */
#include "fuzz.h"

#include "request/usage.h"

static struct str text_of(const struct json *list, size_t i)
{
    return i < list->n && list->item[i].kind == JSON_STRING ? list->item[i].text : STR("");
}

static void check_bill(const struct cost *c)
{
    struct decimal sum[3] = {DECIMAL_ZERO, DECIMAL_ZERO, DECIMAL_ZERO};
    const struct money *pot[3] = {&c->other, &c->input, &c->output};
    unsigned unknown = 0;
    for (unsigned i = 0; i < c->n; i++) {
        const struct cost_item *it = &c->item[i];
        MUST(!it->quantity.value.negative && !it->cost.value.negative);
        unknown += !it->cost.known;
        if (it->cost.known)
            MUST(it->rate && decimal_add(&sum[unit_direction(it->unit)], &it->cost.value,
                                         &sum[unit_direction(it->unit)]));
        else
            MUST(!pot[unit_direction(it->unit)]->known);
    }
    MUST(unknown == c->n_unknown);
    for (unsigned i = 0; i < 3; i++)
        MUST(!pot[i]->known || decimal_cmp(&pot[i]->value, &sum[i]) == 0);
    MUST(c->total.known == (unknown == 0));
}

static void check_keys(const struct pricing *p)
{
    struct buf b;
    buf_init(&b, NULL, 4096);
    for (unsigned i = 0; i < p->n; i++) {
        struct price_key again;
        const struct price_key *k = &p->rate[i].key;
        buf_clear(&b);
        price_key_write(&b, k);
        MUST(!b.failed && !price_key_parse(str_make(b.p, b.n), &again));
        MUST(again.unit == k->unit && again.step == k->step && again.threshold == k->threshold &&
             again.from == k->from && again.begin == k->begin && again.end == k->end &&
             str_eq(again.tier, k->tier));
        buf_putc(&b, '=');
        size_t cut = b.n - 1;
        buf_putz(&b, "1.5");
        MUST(price_item_cut(str_make(b.p, b.n)) == cut);
    }
    buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cost bill;
    static struct pricing price;
    struct arena ar;
    struct json_error bad;
    if (size < 2 || size > 1u << 16)
        return 0;
    arena_init(&ar, NULL);
    const struct json *v = json_parse(&ar, str_make((const char *)data + 1, size - 1), &bad);
    if (v && v->kind == JSON_ARRAY && v->n >= 2 && v->item[0].kind == JSON_OBJECT) {
        struct cost_options o = {.tier = text_of(v, 2)};
        struct usage u;
        struct reading r = {.ar = &ar};
        o.dated = data[0] & 8 && instant_parse(text_of(v, 3), &o.at);
        if (pricing_read(&r, &v->item[1], STR("/pricing"),
                         (enum pricing_form)((data[0] & 7u) % PRICING_FORMS), &o, &price)) {
            check_keys(&price);
            if (usage_from_units(&r, &v->item[0], STR("/usage"), &u) &&
                cost_compute(&r, &u, &price, &o, &bill))
                check_bill(&bill);
        } else {
            MUST(r.error.message[0]);
        }
    }
    arena_free(&ar);
    return 0;
}
