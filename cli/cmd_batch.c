/*
 * cmd_batch.c - cando batch: one JSON question a line, one reply a line.
 *
 * Replies are flushed whenever no more input is waiting (lines.h). A line over the limit
 * gets an error reply and is passed over up to its end.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/limits.h"
#include "engine.h"
#include "lines.h"

#include <unistd.h>

static const struct option_row options[] = {
    {ROW_("config", NULL, "take the user's and the project's files into account: see cando where",
          take_value),
     .at = AT_(call, plain, unsigned), .of_call = true, .value = false},
    {.more = engine_options},
};

/* Is it one JSON object, or was it refused for not being one? */
static bool was_read(struct str line, struct str reply)
{
    size_t at = strspn(line.p, " \t");
    return line.p[at] == '{' &&
           !str_starts(reply, STR("{\"id\":null,\"ok\":false,\"error\":{\"code\":\"json-"));
}

static int answer(struct call *c, struct str line)
{
    cando_bytes reply;
    if (!line.n)
        return EXIT_YES;
    if (cando_call_in(c->engine, line.p, line.n, c->room, &reply) != CANDO_OK)
        return fail_memory();
    struct str text = STR_IN(reply);
    bool read = was_read(line, text);
    out_line(text);
    cando_room_clear(c->room);
    return read ? EXIT_YES : EXIT_INPUT;
}

static int serve(struct call *c, struct lines *l)
{
    struct str line;
    int worst = EXIT_YES;
    for (;;) {
        int code = EXIT_YES;
        switch (lines_next(l, &line)) {
        case LINE_TEXT:
            code = answer(c, line);
            break;
        case LINE_LONG:
            printf("{\"id\":null,\"ok\":false,\"error\":{\"code\":\"%s\",\"message\":\"line %ju is "
                   "longer than the limit of %u bytes\",\"hint\":\"split the question\"}}\n",
                   code_name(CODE_too_long), l->number, LIMIT_LINE_BYTES);
            code = EXIT_INPUT;
            break;
        case LINE_FAILED:
            return lines_failed(l);
        case LINE_NONE:
            return worst;
        }
        if (code == EXIT_INTERNAL)
            return code;
        worst = code == EXIT_YES ? worst : code;
    }
}

static int run(struct call *c)
{
    struct lines l;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* flushed when no input waits */
    lines_init(&l, STDIN_FILENO);
    int code = serve(c, &l);
    lines_free(&l);
    return code;
}

const struct verb verb_batch = {
    .name = "batch",
    .summary = "answers questions in JSON, one a line",
    .usage = "[OPTION]...",
    .text =
        "Reads one JSON object a line, "
        "{\"op\":\"resolve\",\"id\":7,\"target\":\"anthropic/claude-opus-4-5\"}, and writes "
        "one reply a line in the same order: {\"id\":7,\"ok\":true,\"result\":{..}}. A "
        "question that is wrong gets a reply with \"ok\":false, and the next line is read. "
        "Replies are flushed whenever no more input is waiting. cando schema --list names the "
        "operations, cando schema NAME says what one takes.\n\n"
        "What it answers depends on its options alone: without --config the user's and the "
        "project's files are left out, and so is the catalog of an update.\n\n"
        "The exit code is 3 if a line could not be read: it is longer than the limit, or no JSON "
        "object. What the answers were does not matter to it.",
    .examples = "echo '{\"op\":\"resolve\",\"target\":\"openai/gpt-5\"}' | cando batch",
    .options = options,
    OPERANDS(0, 0, NULL, "questions come from the standard input"),
    .opens = OPENS_PLAIN,
    .requests = true,
    .run = run,
};
