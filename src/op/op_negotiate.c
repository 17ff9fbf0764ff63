/*
 * op_negotiate.c - negotiate: may a session go to this model?
 */
#include "decide.h"

static const struct op_arg args[] = {
    {"requirements", false, "[{\"name\":..,\"level\":\"hard|preferred|probed\",\"minimum\"?:n,\"required_by\"?:..}]"},
    {"session", false, "a session's sources: state_machine, context_providers, hooks, security_mode, inherited"},
    {"request", false, "a request whose needs they are, in the form of a provider's own API"},
    {"dialect", false, "the form of the request, if it shall not be found by itself"},
    {"target", false, "\"provider/model\": where to"},
    {"profile", false, "claims given inline; beside a target they are claims of that target"},
    {"profile_form", false, "'claims', 'manifest', 'model_ref' or 'cando'"},
    {"previous", false, "the target that is in force"},
    {"params", false, "[{\"path\":[..],\"value\":..,\"layer\":\"defaultParams|launch|/params\"}]"},
    {"history", false, "the conversation so far: {\"dialect\"?:..,\"messages\"|\"contents\"|\"input\":[..]}"},
    {"unknown", false, "'warn', 'allow' or 'deny': what an unknown capability does to a hard need"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {0},
};

static bool read_args(struct op_call *c, struct negotiation *n)
{
    if (!arg_needs(c, n->cat, false, &n->needs) || !arg_target_maybe(c, "target", &n->provider, &n->model, &n->has_target) ||
        !arg_profile(c, &n->claims, &n->has_claims) ||
        !arg_target_maybe(c, "previous", &n->previous_provider, &n->previous_model, &n->has_previous) || !arg_unknown(c, &n->unknown))
        return false;
    if (!n->has_target && !n->has_claims) {
        op_fail(c, CODE_missing_argument, STR("/target"), "there is nothing to negotiate with");
        return op_hint(c, "give a 'target' or a 'profile'");
    }
    struct reading r = {.ar = c->ar};
    const struct json *params = json_get(c->args, "params");
    return !params || negotiate_params(&r, params, STR("/params"), n) || op_fail_need(c, &r);
}

static bool run(struct op_call *c)
{
    struct negotiation *n = arena_alloc(c->ar, sizeof *n);
    if (!n)
        return op_memory(c);
    n->cat = arg_catalog(c);
    if (!n->cat)
        return false;
    struct reading r = {.ar = c->ar};
    struct hist_findings found;
    bool ok = read_args(c, n) &&
              (negotiate_history(&r, n, json_get(c->args, "history"), STR("/history"), &found) || op_fail_need(c, &r));
    if (ok && !write_negotiation(c->w, n, &found, "ProviderCapability/MissingCapability", c->a))
        ok = op_memory(c);
    cando_catalog_release(n->cat);
    return ok;
}

const struct op op_negotiate = {.name = "negotiate", .doc = "may a session go to this model?", .arg = args, .run = run};
