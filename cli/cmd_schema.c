/*
 * cmd_schema.c - cando schema: the JSON Schema of questions and answers.
 */
#include "verb.h"

struct ask {
    bool list;
};

static const struct option_row options[] = {
    {FLAG("list", list, "name the operations, and what each is for")},
    {0},
};

/* Which operation a verb of this program asks, where it has another name. */
static const char *const asked[][2] = {
    {"check", "preflight"}, {"fix", "preflight"},  {"show", "resolve"},    {"why", "resolve"},
    {"pick", "select"},     {"matrix", "resolve"}, {"switch", "negotiate"}};

static int list_operations(struct call *c)
{
    cando_bytes text, name;
    cando_json all;
    if (cando_schema(NULL, c->room, &text, &c->err) != CANDO_OK ||
        cando_json_read(text.p, text.n, c->room, &all, &c->err) != CANDO_OK)
        return fail(&c->err);
    for (size_t i = 0; i < all.n; i++) {
        cando_json v = cando_json_item(&all, i, &name);
        v = cando_json_get(&v, "question");
        v = cando_json_get(&v, "description");
        out(BOLD "%-12.*s" END "%s\n", (int)name.n, name.p, v.text.p);
    }
    return EXIT_YES;
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    cando_bytes text;
    if (k->list)
        return c->n ? call_usage(c, "--list names all of them") : list_operations(c);
    if (cando_schema(c->n ? c->operand[0] : NULL, c->room, &text, &c->err) != CANDO_OK) {
        for (size_t i = 0; i < COUNT_OF(asked); i++)
            if (strcmp(asked[i][0], c->operand[0]) == 0)
                error_hint(&c->err,
                           "cando %s asks the operation '%s'; cando schema --list names all",
                           asked[i][0], asked[i][1]);
        return fail(&c->err);
    }
    out_line(STR_IN(text));
    return EXIT_YES;
}

const struct verb verb_schema = {
    .name = "schema",
    .summary = "the JSON Schema of an operation",
    .usage = "[OPTION]... [OPERATION | work_order | session | manifest]",
    .text = "Prints {\"question\":..,\"answer\":..}, JSON Schemas (2020-12) of what cando batch "
            "and the library's cando_call take and give for one operation; without one an object "
            "with those of all, by name. Of the documents that questions take, work_order, "
            "session and manifest, it prints the schema itself.",
    .examples = "cando schema --list\n"
                "cando schema preflight",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 1, NULL, "one operation at a time"),
    .run = run,
};
