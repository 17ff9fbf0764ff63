/*
 * op_needs.c - needs: what does this request, session, order or list of requirements ask for?
 */
#include "decide.h"

static const struct op_arg args[] = {
    {"request", false, "a request, in the form of the provider's own API"},
    {"dialect", false, "its form, if it shall not be found by itself: 'openai-chat', 'anthropic-messages', .."},
    {"requirements", false, "[{\"name\":..,\"level\":\"hard|preferred|probed\",\"minimum\"?:n,\"required_by\"?:..}]"},
    {"session", false, "a session's sources: state_machine, context_providers, hooks, security_mode, inherited"},
    {"work_order", false, "{\"requirements\":{\"required\":[{\"capability\":..,\"min_support\":..}]}}"},
    {"required", false, "[{\"capability\":..,\"min_support\":\"native|emulated|any\"}]"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {0},
};

static void write_need(struct json_writer *w, const struct need *x)
{
    jw_object(w);
    jw_keyz(w, "capability");
    jw_strz(w, need_capability(x));
    jw_keyz(w, "level");
    jw_strz(w, level_word(x->level));
    jw_keyz(w, "min_support");
    jw_strz(w, x->kind == NEED_SLOT ? min_support_word(x->min_support) : NULL);
    jw_keyz(w, "minimum");
    if (x->minimum)
        jw_uint(w, x->minimum);
    else
        jw_null(w);
    jw_keyz(w, "required_by");
    if (x->required_by.n)
        jw_str(w, x->required_by);
    else
        jw_null(w);
    jw_keyz(w, "path");
    jw_str(w, x->path);
    jw_object_end(w);
}

static bool run(struct op_call *c)
{
    struct need_list needs;
    const cando_catalog *cat = arg_catalog(c);
    if (!cat)
        return false;
    bool ok = arg_needs(c, cat, true, &needs);
    cando_catalog_release(cat);
    if (!ok)
        return c->error.code == CODE_missing_argument && !c->error.hint.n
                   ? op_hint(c, "give 'request', 'requirements', 'session', 'work_order' or 'required'")
                   : false;
    jw_object(c->w);
    jw_keyz(c->w, "needs");
    jw_array(c->w);
    for (size_t i = 0; i < needs.n; i++)
        write_need(c->w, &needs.need[i]);
    jw_array_end(c->w);
    jw_object_end(c->w);
    return true;
}

const struct op op_needs = {.name = "needs", .doc = "what a request, a session or an order asks for, and who", .arg = args, .run = run};
