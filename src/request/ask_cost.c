/*
 * ask_cost.c - cost: what a usage costs, to the last digit.
 *
 * The counts come from `usage` or from a reply, the rates from `pricing` or
 * from the catalog's price of `target`. A reply also tells its model, its
 * service tier and when it was made, where the question does not. A request is
 * priced in advance (ask_cost_ahead.c).
 */
#include "ask_cost.h"

#include "catalog/offered.h"
#include "target_price.h"

/* -- the question ----------------------------------------------------------------------- */

static bool given(const char *text)
{
    return text && *text;
}

/* One of the three that can be priced. */
static bool one_source(struct cost_job *j)
{
    static const char *const names[] = {"usage", "response", "request"};
    const cando_bytes *const source[] = {&j->q->usage, &j->q->response, &j->q->request};
    const char *first = NULL;
    for (unsigned i = 0; i < 3; i++) {
        if (!source[i]->p)
            continue;
        if (first) {
            reading_fail(&j->r, CODE_bad_argument, reading_at(&j->r, STR(""), first),
                         "there is a '%s' and a '%s'", first, names[i]);
            return reading_hint(&j->r, "give one of them");
        }
        first = names[i];
    }
    if (first)
        return true;
    reading_fail(&j->r, CODE_missing_argument, STR("/usage"),
                 "there is no 'usage', no 'response' and no 'request'");
    return reading_hint(&j->r, "give one of them");
}

/* A usage may have its costs already; null is none. */
static bool read_cost(struct cost_job *j, const struct json *usage, const char *name,
                      struct money *out)
{
    const struct json *v = json_get(usage, name);
    bool text = v && (v->kind == JSON_STRING || v->kind == JSON_NUMBER);
    out->known = v && v->kind != JSON_NULL;
    if (!out->known || (text && decimal_parse(v->text, &out->value)))
        return true;
    return reading_fail(&j->r, CODE_bad_usage, reading_at(&j->r, STR("/usage"), name),
                        "'%s' is no amount of money", name);
}

static bool read_costs(struct cost_job *j, const struct json *usage)
{
    return read_cost(j, usage, "input_cost", &j->keep.input) &&
           read_cost(j, usage, "output_cost", &j->keep.output) &&
           read_cost(j, usage, "total_cost", &j->keep.total);
}

static bool read_usage(struct cost_job *j, struct usage *out)
{
    const struct json *v = reading_json(&j->r, j->q->usage, STR("/usage"));
    struct str form = str_of(j->q->usage_form);
    if (!v || !reading_object(&j->r, v, STR("/usage"), "'usage'"))
        return false;
    if (!form.n || str_is(form, "cando"))
        return usage_from_units(&j->r, v, STR("/usage"), out) && read_costs(j, v);
    const struct api_form *f = usage_form_find(form);
    if (!f) {
        reading_fail(&j->r, CODE_bad_argument, STR("/usage_form"), "there is no usage form '%.*s'",
                     STR_ARG(str_head(form, 80)));
        return reading_hint(&j->r, "known: cando, " API_REPLY_LIST);
    }
    struct str provider = given(j->q->provider) ? str_of(j->q->provider) : j->provider;
    return usage_from_object(&j->r, v, STR("/usage"), f, provider, out);
}

/* What the question does not say and the envelope of a logged reply does. */
struct envelope {
    struct str provider;
    const char *at, *service_tier;
};

static const char *envelope_text(struct cost_job *j, const struct json *v, const char *key)
{
    const struct json *x = json_get(v, key);
    return x && (x->kind == JSON_STRING || x->kind == JSON_NUMBER) ? reading_copy(&j->r, x->text)
                                                                   : NULL;
}

static bool open_envelope(struct cost_job *j, const struct json *v, struct envelope *out)
{
    const struct json *inner = v->kind == JSON_OBJECT ? json_get(v, "response") : NULL;
    if (!j->q->logged || !inner || (inner->kind != JSON_OBJECT && inner->kind != JSON_ARRAY))
        return true;
    if (!j->q->target) { /* who is told by the log itself wins over what holds for all of it */
        const char *target = envelope_text(j, v, "target");
        const char *provider = target ? NULL : envelope_text(j, v, "provider");
        if (target && !name_split((cando_name){.model = target}, &j->provider, &j->model,
                                  STR("/response/target"), &j->r.error))
            return false;
        if (given(provider))
            out->provider = str_of(provider);
    }
    out->at = envelope_text(j, v, "at");
    out->service_tier = envelope_text(j, v, "service_tier");
    return j->r.error.status == CANDO_OK;
}

static bool read_instant(const char *text, struct instant *out)
{
    struct decimal d;
    uint64_t seconds;
    if (instant_parse(str_of(text), out))
        return true;
    return decimal_parse(str_of(text), &d) && decimal_whole(&d, &seconds) &&
           instant_from_unix(seconds, out);
}

bool cost_options(struct cost_job *j, const struct instant *at, const char *when, struct str tier)
{
    if (j->q->at)
        when = j->q->at;
    if (when && !read_instant(when, &j->options.at)) {
        reading_fail(&j->r, CODE_bad_argument, STR("/at"), "'at' is no point in time");
        return reading_hint(&j->r, "write it as 2026-11-15T16:30:00Z, or as seconds since 1970");
    }
    if (!when && at)
        j->options.at = *at;
    j->options.dated = when || at;
    j->options.tier = j->q->service_tier ? str_of(j->q->service_tier) : tier;
    return true;
}

/* -- the price ------------------------------------------------------------------------------ */

bool cost_price_given(struct cost_job *j)
{
    const struct json *v = reading_json(&j->r, j->q->pricing, STR("/pricing"));
    const struct json *form = v && v->kind == JSON_OBJECT ? json_get(v, "form") : NULL;
    unsigned f = PRICING_CANDO;
    if (!v)
        return false;
    if (v->kind == JSON_NULL) {
        j->no_price = "there is no price";
        j->pricing->n = 0;
        return true;
    }
    if (form) {
        for (f = 0; f < PRICING_FORMS; f++)
            if (form->kind == JSON_STRING && str_is(form->text, pricing_forms[f]))
                break;
        if (f == PRICING_FORMS) {
            reading_fail(&j->r, CODE_bad_argument, STR("/pricing/form"),
                         "there is no such form of a price list");
            return reading_hint(&j->r,
                                "known: cando, models.dev, litellm, genai-prices, model_ref");
        }
    }
    j->referred = f == PRICING_MODEL_REF;
    return pricing_read(&j->r, v, STR("/pricing"), (enum pricing_form)f, &j->options, j->pricing);
}

/* Who says what the tier costs less. */
static bool tell_discount(struct cost_job *j, const struct batch_discount *from)
{
    cando_discount *d = arena_alloc(&j->room->ar, sizeof *d);
    if (!d)
        return reading_memory(&j->r);
    *d = (cando_discount){.tier = "batch",
                          .percent = from->percent,
                          .cached = from->cached,
                          .rule = from->origin.rule,
                          .file = from->origin.file,
                          .source = from->origin.source,
                          .checked = reading_copy(&j->r, str_of(from->origin.checked)),
                          .evidence = from->origin.evidence};
    j->a->discount = d;
    return d->checked != NULL;
}

bool cost_price_of_target(struct cost_job *j)
{
    char tier[40];
    struct target_rates rates = {.pricing = j->pricing};
    if (!target_price(&j->r, j->cat, j->provider, j->model, cost_tier(j->options.tier, tier),
                      &rates))
        return false;
    j->no_price = rates.unknown;
    return !rates.discounted || tell_discount(j, &rates.discount);
}

/* Who answered, if nobody says: many replies give it away. */
static bool target_of_reply(struct cost_job *j, const struct json *v, const struct reply *reply,
                            struct str told)
{
    j->provider = told;
    j->model = reply->model.p ? reply->model : STR("");
    j->pricing->n = 0;
    if (!j->provider.n) {
        j->provider = usage_provider(v, reply);
        j->target_from = "the form of the reply";
    }
    if (!j->model.n) {
        j->no_price = "the reply does not say which model answered";
        return true;
    }
    if (!j->provider.n) {
        j->no_price = "the reply does not say who answered, and a price depends on it";
        return true;
    }
    return cost_price_of_target(j);
}

static bool read_price(struct cost_job *j)
{
    if (j->q->pricing.p && j->q->target) {
        reading_fail(&j->r, CODE_bad_argument, STR("/pricing"),
                     "there is a 'pricing' and a 'target'");
        return reading_hint(&j->r, "give one of them");
    }
    if (j->q->pricing.p)
        return cost_price_given(j);
    if (j->provider.n)
        return cost_price_of_target(j);
    reading_fail(&j->r, CODE_missing_argument, STR("/target"),
                 "there is neither 'target' nor 'pricing'");
    return reading_hint(&j->r, "say whose price, or give it: "
                               "{\"input_tokens\":\"3\",\"output_tokens\":\"15\"}");
}

/* -- the answer -------------------------------------------------------------------------------- */

/* What the question keeps goes before what the usage has. */
static bool keep_one(struct cost_job *j, const char *name, const char *text, struct money *out)
{
    out->known |= text != NULL;
    if (!text || decimal_parse(str_of(text), &out->value))
        return true;
    return reading_fail(&j->r, CODE_bad_argument, reading_at(&j->r, STR("/keep"), name),
                        "'%s' is no amount of money", name);
}

static bool keep_costs(struct cost_job *j, struct cost *c)
{
    static const cando_cost_keep none;
    const cando_cost_keep *q = j->q->keep ? j->q->keep : &none;
    if (!keep_one(j, "input_cost", q->input_cost, &j->keep.input))
        return false;
    if (!keep_one(j, "output_cost", q->output_cost, &j->keep.output))
        return false;
    if (!keep_one(j, "total_cost", q->total_cost, &j->keep.total))
        return false;
    return cost_keep(c, &j->keep) || reading_fail(&j->r, CODE_bad_argument, STR("/keep"),
                                                  "the sum has more digits than we keep");
}

bool cost_answer(struct cost_job *j, const cando_bill *bill)
{
    char text[INSTANT_TEXT];
    cando_cost_answer *a = j->a;
    if (j->provider.n && j->model.n) {
        a->target = text_join(&j->t, j->provider, STR("/"), j->model);
        a->target_from = j->target_from;
    }
    a->currency = "USD";
    a->input_cost = bill->input_cost;
    a->output_cost = bill->output_cost;
    a->total_cost = bill->total_cost;
    if (j->options.dated && !a->at)
        a->at = reading_copy(&j->r, instant_seconds(&j->options.at, text));
    a->items = bill->items;
    a->n_items = bill->n_items;
    a->unknown = bill->unknown;
    a->n_unknown = bill->n_unknown;
    return j->r.error.status == CANDO_OK;
}

/* `reply`: or NULL. */
static bool cost_of(struct cost_job *j, const struct usage *u, const struct reply *reply)
{
    struct cost c;
    cando_bill bill = {0};
    struct bill_words words = {.no_price = j->no_price, .dated = j->options.dated};
    if (!cost_compute(&j->r, u, j->pricing, &j->options, &c))
        return false;
    if (reply && reply->partial) { /* what was counted before the cut is the least that it cost */
        words.cut = true;
        j->a->at_least = text_money(&j->t, &c.total);
        c.output.known = c.total.known = false;
    } else if (reply && !c.total.known && c.input.known && c.output.known) {
        struct money tokens = {true, DECIMAL_ZERO}; /* a tool's calls have no rate: not nothing */
        if (!decimal_add(&c.input.value, &c.output.value, &tokens.value))
            return reading_fail(&j->r, CODE_bad_argument, STR("/usage"), "the sum is too large");
        j->a->at_least = text_money(&j->t, &tokens);
    }
    if (!keep_costs(j, &c) || !bill_write(&j->t, &c, &words, &bill))
        return false;
    if (reply && !(j->a->reply = reply_answer(&j->t, reply)))
        return false;
    if (reply && reply->dated && memcmp(&reply->at, &j->options.at, sizeof reply->at) == 0)
        j->a->at = j->a->reply->created;
    return cost_answer(j, &bill);
}

/* Where prices come with a model reference, a count that is not there is not known. */
static void leave_unknown(struct usage *u)
{
    static const uint8_t units[] = {UNIT_input_tokens, UNIT_output_tokens};
    for (unsigned i = 0; i < sizeof units; i++)
        if (u->state[units[i]] == COUNT_ABSENT)
            u->state[units[i]] = COUNT_UNKNOWN;
}

static bool cost_of_usage(struct cost_job *j)
{
    struct usage usage;
    if (!read_usage(j, &usage) || !cost_options(j, NULL, NULL, STR("")))
        return false;
    if (!read_price(j))
        return false;
    if (j->referred)
        leave_unknown(&usage);
    return cost_of(j, &usage, NULL);
}

static bool cost_of_reply(struct cost_job *j)
{
    struct reply reply;
    struct envelope e = {.provider = str_of(j->q->provider)};
    const struct json *v = reply_parse(&j->r, j->q->response);
    if (given(j->q->usage_form))
        return reading_fail(&j->r, CODE_bad_argument, STR("/usage_form"),
                            "'usage_form' goes with 'usage', the form of a reply is its 'dialect'");
    if (!v || !open_envelope(j, v, &e))
        return false;
    if (!reply_read(&j->r, v, j->q->api, e.provider.n ? e.provider : j->provider, &reply))
        return false;
    struct str tier = e.service_tier         ? str_of(e.service_tier)
                      : reply.service_tier.p ? reply.service_tier
                                             : STR("");
    if (!cost_options(j, reply.dated ? &reply.at : NULL, e.at, tier))
        return false;
    bool told = j->q->pricing.p || j->provider.n;
    if (told ? !read_price(j) : !target_of_reply(j, v, &reply, e.provider))
        return false;
    return cost_of(j, &reply.usage, &reply);
}

static bool answer(struct cost_job *j)
{
    const cando_name *target = j->q->target;
    if (!one_source(j))
        return false;
    if (target && !name_split(*target, &j->provider, &j->model, STR("/target"), &j->r.error)) {
        if (!target->provider)
            offered_hint(j->cat, str_of(target->model), &j->r.error);
        return false;
    }
    if (j->q->request.p)
        return cost_ahead(j);
    if (j->q->output_tokens.known)
        return reading_fail(&j->r, CODE_bad_argument, STR("/output_tokens"),
                            "'output_tokens' goes with 'request'");
    return j->q->usage.p ? cost_of_usage(j) : cost_of_reply(j);
}

const cando_cost_answer *cando_ask_cost(const cando *c, const cando_cost_question *q,
                                        cando_room *room, cando_error *err)
{
    struct pricing pricing;
    struct cost_job j = {.c = c, .room = room, .q = q, .r = {.ar = &room->ar}, .pricing = &pricing};
    j.provider = j.model = STR("");
    j.t.r = &j.r;
    j.cat = room_catalog(room, c);
    j.a = j.cat ? arena_alloc(&room->ar, sizeof *j.a) : NULL;
    if ((j.a || reading_memory(&j.r)) && answer(&j))
        return j.a;
    reading_end(&j.r, err);
    return NULL;
}
