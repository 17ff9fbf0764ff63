/*
 * cmd_schema.c - cando schema: the JSON Schema of questions and answers.
 */
#include "verb.h"

static int run(struct call *c)
{
    cando_bytes text;
    if (cando_schema(c->n ? c->operand[0] : NULL, c->room, &text, &c->err) != CANDO_OK)
        return fail(&c->err);
    out_line(str_make(text.p, text.n));
    return EXIT_YES;
}

const struct verb verb_schema = {
    .name = "schema",
    .summary = "the JSON Schema of an operation",
    .usage = "[OPERATION | work_order | session | manifest]",
    .text = "Prints {\"question\":..,\"answer\":..}, JSON Schemas (2020-12) of what cando batch "
            "and the library's cando_call take and give for one operation; without one an object "
            "with those of all, by name. Of the documents that questions take, work_order, "
            "session and manifest, it prints the schema itself.",
    OPERANDS(0, 1, NULL, "one operation at a time"),
    .run = run,
};
