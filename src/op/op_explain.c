/*
 * op_explain.c - explain: what does this finding's code mean?
 */
#include "op.h"

static const struct op_arg args[] = {
    {"code", true, "the code of a finding or an error, for example \"rule-shadowed\""},
    {0},
};

static struct str nearest_code(struct str name)
{
    struct nearest near = nearest_to(name);
    for (unsigned i = 0; i < CODE_COUNT; i++)
        nearest_try(&near, str_of(code_name((enum code)i)));
    return near.name;
}

static bool run(struct op_call *c)
{
    struct str name;
    if (!arg_text(c, "code", &name))
        return false;
    enum code code = code_find(name);
    if (code == CODE_COUNT) {
        op_fail(c, CODE_unknown_code, STR("/code"), "there is no code '%.*s'", STR_ARG(str_head(name, 80)));
        struct str near = nearest_code(name);
        return near.n ? op_hint(c, "did you mean '%.*s'?", STR_ARG(near)) : op_hint(c, "docs/codes.md lists them");
    }
    struct json_writer *w = c->w;
    jw_object(w);
    jw_keyz(w, "code");
    jw_strz(w, code_name(code));
    jw_keyz(w, "severity");
    jw_strz(w, severity_name(code_severity(code)));
    jw_keyz(w, "summary");
    jw_strz(w, code_text(code));
    jw_keyz(w, "text");
    jw_strz(w, code_explanation(code));
    jw_object_end(w);
    return true;
}

const struct op op_explain = {"explain", "what a finding's code means", args, run};
