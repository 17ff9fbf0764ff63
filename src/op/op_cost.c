/*
 * op_cost.c - cost: what a usage costs, to the last digit.
 *
 * The counts come from `usage` or from a reply, the rates from `pricing` or
 * from the catalog's price of `target`. A reply also tells its model, its
 * service tier and when it was made, where the question does not.
 */
#include "money.h"

#include "request/target_price.h"

static const struct op_arg args[] = {
    {"usage", false, "counts in our units, or in the form that 'usage_form' names"},
    {"usage_form", false, "'cando', or a dialect whose usage object it is: 'openai-chat', 'anthropic-messages', .."},
    {"response", false, "a provider's reply, or the list of its stream's events"},
    {"dialect", false, "the form of the reply; found by its keys if not told"},
    {"provider", false, "who answered"},
    {"target", false, "whose price: \"provider/model\" or {\"provider\":..,\"model\":..}"},
    {"pricing", false, "the price itself: an object with a 'form', or null for no information"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {"at", false, "when: \"2026-11-15T16:30:00Z\", or seconds since 1970"},
    {"service_tier", false, "'batch', 'flex', 'priority', .."},
    {"keep", false, "costs that are known already: {\"input_cost\":..,\"output_cost\":..,\"total_cost\":..}"},
    {0},
};

/* All that one call works on; large, so it lives in the call's arena. */
struct job {
    struct op_call *c;
    bool has_reply, guessed;
    struct reply reply;
    struct usage usage;
    struct str provider, model; /* of the target; empty: there is none */
    struct cost_options options;
    struct pricing pricing;
    const char *no_price;       /* why the target's price is unknown, or NULL */
    struct cost cost;
    struct cost_keep keep;
    struct money at_least;      /* of a stream that was cut */
};

/* -- the question ----------------------------------------------------------------------- */

static bool read_usage_form(struct job *j, const struct json *v, struct str form)
{
    struct usage_error err = {.event = SIZE_MAX};
    enum usage_shape shape;
    struct str provider;
    if (!arg_text(j->c, "provider", &provider))
        return false;
    if (!form.n || str_is(form, "cando")) {
        if (usage_from_units(v, &j->usage, &err))
            return true;
        fail_usage(j->c, STR("/usage"), &err);
        const char *near = unit_near(err.path);
        return near && str_is(str_of(err.what), "is no unit") ? op_hint(j->c, "did you mean '%s'?", near) : false;
    }
    if (!usage_shape_find(form, &shape)) {
        op_fail(j->c, CODE_bad_argument, STR("/usage_form"), "there is no usage form '%.*s'", STR_ARG(str_head(form, 80)));
        return op_hint(j->c, "known: cando, openai-chat, openai-responses, anthropic-messages, gemini, bedrock-converse, mistral-chat, "
                             "ollama-chat, cohere");
    }
    return usage_from_object(v, shape, provider.n ? provider : j->provider, &j->usage, &err) || fail_usage(j->c, STR("/usage"), &err);
}

static bool read_counts(struct job *j)
{
    struct op_call *c = j->c;
    const struct json *usage = json_get(c->args, "usage"), *response = json_get(c->args, "response");
    struct str form;
    if (!arg_text(c, "usage_form", &form))
        return false;
    if (!usage == !response) {
        op_fail(c, usage ? CODE_bad_argument : CODE_missing_argument, STR("/usage"),
                usage ? "there is a 'usage' and a 'response'" : "there is neither 'usage' nor 'response'");
        return op_hint(c, "give one of them");
    }
    if (usage && usage->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, STR("/usage"), "'usage' must be an object, it is %s", json_kind_name(usage));
    if (usage)
        return read_usage_form(j, usage, form);
    if (form.n)
        return op_fail(c, CODE_bad_argument, STR("/usage_form"), "'usage_form' goes with 'usage', the form of a reply is its 'dialect'");
    j->has_reply = true;
    if (!arg_reply(c, j->provider, &j->reply))
        return false;
    j->usage = j->reply.usage;
    return true;
}

static bool read_options(struct job *j)
{
    struct op_call *c = j->c;
    const struct json *at = json_get(c->args, "at"), *tier = json_get(c->args, "service_tier");
    uint64_t seconds;
    if (at && at->kind != JSON_NULL) {
        j->options.dated = at->kind == JSON_STRING ? instant_parse(at->text, &j->options.at)
                                                   : json_uint(at, &seconds) && instant_from_unix(seconds, &j->options.at);
        if (!j->options.dated) {
            op_fail(c, CODE_bad_argument, STR("/at"), "'at' is no point in time");
            return op_hint(c, "write it as 2026-11-15T16:30:00Z, or as seconds since 1970");
        }
    } else if (j->has_reply && j->reply.dated) {
        j->options.dated = true;
        j->options.at = j->reply.at;
    }
    if (tier && tier->kind != JSON_STRING && tier->kind != JSON_NULL)
        return op_fail(c, CODE_bad_argument, STR("/service_tier"), "'service_tier' must be a string, it is %s", json_kind_name(tier));
    if (tier && tier->kind == JSON_STRING)
        j->options.tier = tier->text;
    else
        j->options.tier = j->has_reply && j->reply.service_tier.p ? j->reply.service_tier : STR("");
    return true;
}

static bool keep_member(struct job *j, const char *key, const struct json *v, struct money *out)
{
    if (v->kind == JSON_NULL)
        return true;
    out->known = (v->kind == JSON_STRING || v->kind == JSON_NUMBER) && decimal_parse(v->text, &out->value);
    return out->known || op_fail(j->c, CODE_bad_argument, str_printf(j->c->ar, "/keep/%s", key), "'%s' is no amount of money", key);
}

static bool read_keep(struct job *j)
{
    static const char *const names[] = {"input_cost", "output_cost", "total_cost"};
    struct money *const out[] = {&j->keep.input, &j->keep.output, &j->keep.total};
    const struct json *keep = json_get(j->c->args, "keep");
    if (!keep || keep->kind == JSON_NULL)
        return true;
    if (keep->kind != JSON_OBJECT)
        return op_fail(j->c, CODE_bad_argument, STR("/keep"), "'keep' must be an object, it is %s", json_kind_name(keep));
    for (size_t i = 0; i < keep->n; i++) {
        size_t k = 0;
        while (k < 3 && !str_is(keep->key[i].text, names[k]))
            k++;
        if (k == 3)
            return op_fail(j->c, CODE_unknown_argument, STR("/keep"), "'keep' has input_cost, output_cost and total_cost, not '%.*s'",
                           STR_ARG(str_head(keep->key[i].text, 80)));
        if (!keep_member(j, names[k], &keep->item[i], out[k]))
            return false;
    }
    return true;
}

/* -- the price ------------------------------------------------------------------------------ */

static bool read_pricing(struct job *j, const struct json *v)
{
    struct pricing_error err = {0};
    const struct json *form = v->kind == JSON_OBJECT ? json_get(v, "form") : NULL;
    unsigned f = PRICING_CANDO;
    if (v->kind == JSON_NULL) {
        j->no_price = "there is no price";
        return true;
    }
    if (form) {
        for (f = 0; f < PRICING_FORMS; f++)
            if (form->kind == JSON_STRING && str_is(form->text, pricing_forms[f]))
                break;
        if (f == PRICING_FORMS) {
            op_fail(j->c, CODE_bad_argument, STR("/pricing/form"), "there is no such form of a price list");
            return op_hint(j->c, "known: cando, models.dev, litellm, genai-prices, model_ref");
        }
    }
    if (pricing_read(v, (enum pricing_form)f, &j->options, &j->pricing, &err))
        return true;
    op_fail(j->c, CODE_bad_price, STR("/pricing"), "'%.*s' %s", STR_ARG(str_head(err.key, 80)), err.what);
    return err.near ? op_hint(j->c, "did you mean '%s'?", err.near) : op_hint(j->c, "expected: %s", err.expected);
}

static bool read_target_price(struct job *j)
{
    cando_error err = {0};
    const cando_catalog *cat = arg_catalog(j->c);
    if (!cat)
        return false;
    cando_status status = target_price(cat, j->provider, j->model, &j->pricing, &j->no_price, &err);
    for (unsigned i = 0; i < j->pricing.n; i++) /* the catalog may be gone before the reply is written */
        if (j->pricing.rate[i].key.tier.n)
            j->pricing.rate[i].key.tier = str_dup(j->c->ar, j->pricing.rate[i].key.tier);
    cando_catalog_release(cat);
    for (unsigned i = 0; i < j->pricing.n; i++)
        if (!j->pricing.rate[i].key.tier.p)
            return op_memory(j->c);
    return status == CANDO_OK || op_fail_error(j->c, STR("/target"), &err);
}

/* Who answered, if nobody says: many replies give it away. */
static bool target_of_reply(struct job *j)
{
    if (!arg_text(j->c, "provider", &j->provider))
        return false;
    j->model = j->reply.model.p ? j->reply.model : STR("");
    if (!j->provider.n) {
        j->provider = usage_provider(json_get(j->c->args, "response"), &j->reply);
        j->guessed = true;
    }
    if (!j->model.n) {
        j->no_price = "the reply does not say which model answered";
        return true;
    }
    if (!j->provider.n) {
        j->no_price = "the reply does not say who answered, and a price depends on it";
        return true;
    }
    return read_target_price(j);
}

static bool read_price(struct job *j)
{
    const struct json *pricing = json_get(j->c->args, "pricing"), *target = json_get(j->c->args, "target");
    if (pricing && target) {
        op_fail(j->c, CODE_bad_argument, STR("/pricing"), "there is a 'pricing' and a 'target'");
        return op_hint(j->c, "give one of them");
    }
    if (pricing)
        return read_pricing(j, pricing);
    if (target)
        return read_target_price(j);
    if (j->has_reply)
        return target_of_reply(j);
    op_fail(j->c, CODE_missing_argument, STR("/target"), "there is neither 'target' nor 'pricing'");
    return op_hint(j->c, "say whose price, or give it: {\"input_tokens\":\"3\",\"output_tokens\":\"15\"}");
}

/* -- the answer -------------------------------------------------------------------------------- */

static bool compute(struct job *j)
{
    struct cost_problem p = {0};
    switch (cost_compute(&j->usage, &j->pricing, &j->options, &j->cost, &p)) {
    case COST_OK:
        break;
    case COST_CONTRADICTION:
        if (p.part == UNIT_COUNT)
            op_fail(j->c, CODE_bad_usage, STR("/usage"), "the parts of %s are more than %s", unit_name(p.whole), unit_name(p.whole));
        else
            op_fail(j->c, CODE_bad_usage, STR("/usage"), "%s is larger than %s, which it is a part of", unit_name(p.part),
                    unit_name(p.whole));
        return op_hint(j->c, "counts are inclusive: input_tokens contains the cached ones, output_tokens the reasoning ones");
    case COST_OVERFLOW:
        return op_fail(j->c, CODE_bad_argument, STR("/pricing"), "a number of this bill has more digits than we keep");
    }
    if (j->has_reply && j->reply.partial) { /* what was counted before the cut is the least that it cost */
        j->at_least = j->cost.total;
        j->cost.output.known = j->cost.total.known = false;
    }
    return cost_keep(&j->cost, &j->keep) || op_fail(j->c, CODE_bad_argument, STR("/keep"), "the sum has more digits than we keep");
}

static void write_decimal(struct json_writer *w, const char *key, const struct decimal *d)
{
    char text[DECIMAL_TEXT];
    jw_keyz(w, key);
    jw_str(w, decimal_text(d, text));
}

static void why_rate(struct buf *b, const struct job *j, const struct cost_item *it)
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
        if (j->cost.paid_as[u] == it->unit && u != it->unit)
            buf_printf(b, "; with %s, which has no rate of its own", unit_name(u));
    if (it->rounded)
        buf_putz(b, "; rounded, the quotient does not end");
}

static const char *why_unknown(enum cost_reason r)
{
    switch (r) {
    case COST_NO_RATE:
        return "no rate, its own or an enclosing one";
    case COST_NO_COUNT:
        return "the count is not known";
    case COST_NO_THRESHOLD:
        return "the rate depends on the input, whose count is not known";
    }
    return "";
}

static void write_item(struct json_writer *w, const struct job *j, const struct cost_item *it, struct buf *b)
{
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
        why_rate(b, j, it);
    for (unsigned i = 0; !it->rate && i < j->cost.n_unknown; i++)
        if (j->cost.unknown[i].unit == it->unit)
            buf_putz(b, why_unknown((enum cost_reason)j->cost.unknown[i].reason));
    jw_str(w, str_make(b->p, b->n));
    jw_object_end(w);
}

static void write_unknown(struct json_writer *w, const char *unit, const char *reason)
{
    jw_object(w);
    jw_keyz(w, "unit");
    jw_strz(w, unit);
    jw_keyz(w, "reason");
    jw_strz(w, reason);
    jw_object_end(w);
}

static void write_unknowns(struct json_writer *w, const struct job *j)
{
    jw_keyz(w, "unknown");
    jw_array(w);
    if (j->no_price)
        write_unknown(w, NULL, j->no_price);
    if (j->has_reply && j->reply.partial)
        write_unknown(w, "output_tokens", "the stream was cut before its usage was complete");
    for (unsigned i = 0; i < j->cost.n_unknown; i++)
        write_unknown(w, unit_name(j->cost.unknown[i].unit), why_unknown((enum cost_reason)j->cost.unknown[i].reason));
    jw_array_end(w);
}

static bool write_target(struct job *j)
{
    struct json_writer *w = j->c->w;
    if (!j->provider.n || !j->model.n)
        return true;
    struct str target = str_printf(j->c->ar, "%.*s/%.*s", STR_ARG(j->provider), STR_ARG(j->model));
    if (!target.p)
        return op_memory(j->c);
    jw_keyz(w, "target");
    jw_str(w, target);
    if (j->guessed) {
        jw_keyz(w, "target_from");
        jw_strz(w, "the form of the reply");
    }
    return true;
}

static bool write_answer(struct job *j)
{
    struct json_writer *w = j->c->w;
    struct buf b;
    jw_object(w);
    if (!write_target(j))
        return false;
    jw_keyz(w, "currency");
    jw_strz(w, "USD");
    write_money(w, "input_cost", &j->cost.input);
    write_money(w, "output_cost", &j->cost.output);
    write_money(w, "total_cost", &j->cost.total);
    if (j->at_least.known)
        write_money(w, "at_least", &j->at_least);
    if (j->has_reply)
        write_reply(w, &j->reply);
    if (j->options.dated)
        write_instant(w, "at", &j->options.at);
    jw_keyz(w, "items");
    jw_array(w);
    buf_init(&b, j->c->a, 1u << 16);
    for (unsigned i = 0; i < j->cost.n; i++)
        write_item(w, j, &j->cost.item[i], &b);
    bool ok = !b.failed;
    buf_free(&b);
    jw_array_end(w);
    write_unknowns(w, j);
    jw_object_end(w);
    return ok || op_memory(j->c);
}

static bool run(struct op_call *c)
{
    struct job *j = arena_alloc(c->ar, sizeof *j);
    if (!j)
        return op_memory(c);
    j->c = c;
    j->provider = j->model = STR("");
    if (json_get(c->args, "target") && !arg_target(c, "target", &j->provider, &j->model))
        return false;
    return read_counts(j) && read_options(j) && read_keep(j) && read_price(j) && compute(j) && write_answer(j);
}

const struct op op_cost = {"cost", "what a usage costs, to the last digit", args, run};
