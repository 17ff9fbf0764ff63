/*
 * cmd_schema.c - cando schema: the JSON Schema of questions and answers.
 */
#include "engine.h"

static int run(const struct verb *self, int argc, char **argv)
{
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;)
        return args_stop(&a, id);
    if (a.n_rest > 1)
        return args_usage(&a, "one operation at a time");
    cando_error err;
    cando_bytes text;
    cando_room *room = cando_room_new(NULL, &err);
    if (!room)
        return engine_failed(&err);
    cando_status st = cando_schema(a.n_rest ? a.rest[0] : NULL, room, &text, &err);
    if (st == CANDO_OK)
        out_line(str_make(text.p, text.n));
    int code = st == CANDO_OK ? EXIT_YES : engine_failed(&err);
    cando_room_free(room);
    return code;
}

const struct verb verb_schema = {
    .name = "schema",
    .summary = "the JSON Schema of an operation's question and answer",
    .usage = "[OPERATION]",
    .text = "Prints {\"question\":..,\"answer\":..}, JSON Schemas (2020-12) of what cando batch "
            "and the library's cando_call take and "
            "give for one operation; without one an object with those of all, by name.",
    .run = run,
};
