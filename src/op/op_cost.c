/*
 * op_cost.c - cost: what a usage costs, to the last digit.
 *
 * The counts come from `usage` or from a reply, the rates from `pricing` or
 * from the catalog's price of `target`. A reply also tells its model, its
 * service tier and when it was made, where the question does not. A request is
 * priced in advance (cost_ahead.c).
 */
#include "cost_job.h"

#include "request/target_price.h"

static const struct op_arg args[] = {
    {"usage", false, "counts in our units, or in the form that 'usage_form' names"},
    {"usage_form", false, "'cando', or a dialect whose usage object it is: 'openai-chat', 'anthropic-messages', .."},
    {"response", false, "a provider's reply, or the list of its stream's events"},
    {"request", false, "a request, priced in advance: low, expected, high"},
    {"dialect", false, "the form of the reply or request; found by its keys if not told"},
    {"output_tokens", false, "how long the answer to the request is expected to be"},
    {"provider", false, "who answered, or shall answer"},
    {"target", false, "whose price: \"provider/model\" or {\"provider\":..,\"model\":..}"},
    {"pricing", false, "the price itself: an object with a 'form', or null for no information"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {"at", false, "when: \"2026-11-15T16:30:00Z\", or seconds since 1970"},
    {"service_tier", false, "'batch', 'flex', 'priority', .."},
    {"keep", false, "costs that are known already: {\"input_cost\":..,\"output_cost\":..,\"total_cost\":..}"},
    {0},
};

/* -- the question ----------------------------------------------------------------------- */

static bool read_usage_form(struct cost_job *j, const struct json *v, struct str form)
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

/* One of the three that can be priced. */
static bool one_source(struct op_call *c)
{
    static const char *const names[] = {"usage", "response", "request"};
    const char *first = NULL;
    for (unsigned i = 0; i < 3; i++) {
        if (!json_get(c->args, names[i]))
            continue;
        if (first) {
            op_fail(c, CODE_bad_argument, str_printf(c->ar, "/%s", first), "there is a '%s' and a '%s'", first, names[i]);
            return op_hint(c, "give one of them");
        }
        first = names[i];
    }
    if (first)
        return true;
    op_fail(c, CODE_missing_argument, STR("/usage"), "there is no 'usage', no 'response' and no 'request'");
    return op_hint(c, "give one of them");
}

static bool read_counts(struct cost_job *j)
{
    struct op_call *c = j->c;
    const struct json *usage = json_get(c->args, "usage");
    struct str form;
    if (!arg_text(c, "usage_form", &form))
        return false;
    if (json_get(c->args, "output_tokens"))
        return op_fail(c, CODE_bad_argument, STR("/output_tokens"), "'output_tokens' goes with 'request'");
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

bool cost_options(struct cost_job *j, const struct instant *at, struct str tier)
{
    struct op_call *c = j->c;
    const struct json *when = json_get(c->args, "at"), *asked = json_get(c->args, "service_tier");
    uint64_t seconds;
    if (when && when->kind != JSON_NULL) {
        j->options.dated = when->kind == JSON_STRING ? instant_parse(when->text, &j->options.at)
                                                     : json_uint(when, &seconds) && instant_from_unix(seconds, &j->options.at);
        if (!j->options.dated) {
            op_fail(c, CODE_bad_argument, STR("/at"), "'at' is no point in time");
            return op_hint(c, "write it as 2026-11-15T16:30:00Z, or as seconds since 1970");
        }
    } else if (at) {
        j->options.dated = true;
        j->options.at = *at;
    }
    if (asked && asked->kind != JSON_STRING && asked->kind != JSON_NULL)
        return op_fail(c, CODE_bad_argument, STR("/service_tier"), "'service_tier' must be a string, it is %s", json_kind_name(asked));
    j->options.tier = asked && asked->kind == JSON_STRING ? asked->text : tier;
    return true;
}

static bool read_options(struct cost_job *j)
{
    const struct reply *r = &j->reply;
    return cost_options(j, j->has_reply && r->dated ? &r->at : NULL, j->has_reply && r->service_tier.p ? r->service_tier : STR(""));
}

static bool keep_member(struct cost_job *j, const char *key, const struct json *v, struct money *out)
{
    if (v->kind == JSON_NULL)
        return true;
    out->known = (v->kind == JSON_STRING || v->kind == JSON_NUMBER) && decimal_parse(v->text, &out->value);
    return out->known || op_fail(j->c, CODE_bad_argument, str_printf(j->c->ar, "/keep/%s", key), "'%s' is no amount of money", key);
}

static bool read_keep(struct cost_job *j)
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

bool cost_pricing(struct cost_job *j, const struct json *v)
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

bool cost_catalog(struct cost_job *j)
{
    if (!j->cat)
        j->cat = arg_catalog(j->c);
    return j->cat != NULL;
}

bool cost_target_price(struct cost_job *j)
{
    cando_error err = {0};
    return cost_catalog(j) && (target_price(j->cat, j->provider, j->model, &j->pricing, &j->no_price, &err) == CANDO_OK ||
                               op_fail_error(j->c, STR("/target"), &err));
}

/* Who answered, if nobody says: many replies give it away. */
static bool target_of_reply(struct cost_job *j)
{
    if (!arg_text(j->c, "provider", &j->provider))
        return false;
    j->model = j->reply.model.p ? j->reply.model : STR("");
    if (!j->provider.n) {
        j->provider = usage_provider(json_get(j->c->args, "response"), &j->reply);
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
    return cost_target_price(j);
}

static bool read_price(struct cost_job *j)
{
    const struct json *pricing = json_get(j->c->args, "pricing"), *target = json_get(j->c->args, "target");
    if (pricing && target) {
        op_fail(j->c, CODE_bad_argument, STR("/pricing"), "there is a 'pricing' and a 'target'");
        return op_hint(j->c, "give one of them");
    }
    if (pricing)
        return cost_pricing(j, pricing);
    if (target)
        return cost_target_price(j);
    if (j->has_reply)
        return target_of_reply(j);
    op_fail(j->c, CODE_missing_argument, STR("/target"), "there is neither 'target' nor 'pricing'");
    return op_hint(j->c, "say whose price, or give it: {\"input_tokens\":\"3\",\"output_tokens\":\"15\"}");
}

/* -- the answer -------------------------------------------------------------------------------- */

static bool compute(struct cost_job *j)
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

static bool write_answer(struct cost_job *j)
{
    static const struct cost_excuse none = {0};
    struct json_writer *w = j->c->w;
    jw_object(w);
    if (!write_cost_target(j))
        return false;
    jw_keyz(w, "currency");
    jw_strz(w, "USD");
    write_costs(w, &j->cost);
    if (j->at_least.known)
        write_money(w, "at_least", &j->at_least);
    if (j->has_reply)
        write_reply(w, &j->reply);
    if (j->options.dated)
        write_instant(w, "at", &j->options.at);
    if (!write_items(j, &j->cost, &none))
        return false;
    write_unknowns(j, &j->cost, &none);
    jw_object_end(w);
    return true;
}

static bool answer(struct cost_job *j)
{
    if (!one_source(j->c) || (json_get(j->c->args, "target") && !arg_target(j->c, "target", &j->provider, &j->model)))
        return false;
    if (json_get(j->c->args, "request"))
        return cost_ahead(j);
    return read_counts(j) && read_options(j) && read_keep(j) && read_price(j) && compute(j) && write_answer(j);
}

static bool run(struct op_call *c)
{
    struct cost_job *j = arena_alloc(c->ar, sizeof *j);
    if (!j)
        return op_memory(c);
    j->c = c;
    j->provider = j->model = STR("");
    bool ok = answer(j);
    cando_catalog_release(j->cat);
    return ok;
}

const struct op op_cost = {.name = "cost", .doc = "what a usage, a reply or a request costs, to the last digit", .arg = args, .run = run};
