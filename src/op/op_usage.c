/*
 * op_usage.c - usage: what a reply says was used.
 */
#include "op.h"

#include "money.h"

static const struct op_arg args[] = {
    {"response", true, "a provider's reply, or the list of its stream's events"},
    {"dialect", false, "the form of the reply: 'openai-chat', 'anthropic-messages', ..; found by its keys if not told"},
    {"provider", false, "who answered"},
    {0},
};

static bool run(struct op_call *c)
{
    struct reply *r = arena_alloc(c->ar, sizeof *r);
    if (!r)
        return op_memory(c);
    if (!arg_reply(c, STR(""), r))
        return false;
    jw_object(c->w);
    write_reply(c->w, r);
    jw_object_end(c->w);
    return true;
}

const struct op op_usage = {.name = "usage", .doc = "what a reply says was used", .arg = args, .run = run};
