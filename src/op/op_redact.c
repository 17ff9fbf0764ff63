/*
 * op_redact.c - redact: a value without its secrets.
 */
#include "op.h"

#include "record/redact.h"

static const struct op_arg args[] = {
    {"value", true, "any JSON value"},
    {0},
};

static bool run(struct op_call *c)
{
    jw_object(c->w);
    jw_keyz(c->w, "value");
    size_t n = redact_value(c->w, json_get(c->args, "value"), STR(""), c->a);
    jw_keyz(c->w, "redacted");
    jw_uint(c->w, n);
    jw_object_end(c->w);
    return true;
}

const struct op op_redact = {"redact", "a value without its secrets", args, run};
