/*
 * cmd_batch.c - cando batch: one JSON question a line, one reply a line.
 *
 *     stdin --read--> [ part of a line | line \n line \n ] --cando_call--> stdout
 *
 * Replies are flushed whenever no more input is waiting, so that a program can
 * hold a conversation over two pipes, while a file runs at full speed. A line
 * over the limit gets an error reply and is passed over up to its end.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/limits.h"
#include "engine.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { OPTION_CONFIG = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_CONFIG, "config", NULL, NULL,
     "take the user's and the project's files into account: see cando where"},
    ENGINE_OPTIONS,
    {0},
};

struct batch {
    struct engine e;
    struct buf in; /* what was read and not yet answered */
    uint64_t line_no;
    bool skipping; /* inside of a line that is too long */
};

static bool is_blank(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\r')
            return false;
    return true;
}

static int answer(struct batch *b, struct str line)
{
    b->line_no++;
    if (is_blank(line))
        return EXIT_YES;
    if (line.p[line.n - 1] == '\r')
        line.n--;
    cando_bytes reply;
    if (cando_call_in(b->e.c, line.p, line.n, b->e.room, &reply) != CANDO_OK) {
        cando_error err;
        error_memory(&err);
        out_error(&err);
        return EXIT_INTERNAL;
    }
    out_line(str_make(reply.p, reply.n));
    cando_room_clear(b->e.room);
    return EXIT_YES;
}

static void refuse_long(struct batch *b)
{
    b->line_no++;
    printf("{\"id\":null,\"ok\":false,\"error\":{\"code\":\"%s\",\"message\":\"line %ju is longer "
           "than the limit of %u bytes\","
           "\"hint\":\"split the question\"}}\n",
           code_name(CODE_too_long), (uintmax_t)b->line_no, LIMIT_LINE_BYTES);
}

/* Answers all whole lines in the buffer, from `fresh` on where a line end may
 * be, and keeps the rest. */
static int answer_lines(struct batch *b, size_t fresh)
{
    size_t start = 0;
    int code = EXIT_YES;
    for (size_t from = fresh; code == EXIT_YES;) {
        struct str rest = str_from(str_make(b->in.p, b->in.n), from);
        size_t n = str_find_char(rest, '\n');
        if (n == rest.n)
            break;
        if (!b->skipping && from + n - start <= LIMIT_LINE_BYTES)
            code = answer(b, str_make(b->in.p + start, from + n - start));
        else if (!b->skipping)
            refuse_long(b);
        b->skipping = false;
        start = from = from + n + 1;
    }
    size_t left = b->skipping ? 0 : b->in.n - start;
    if (left)
        memmove(b->in.p, b->in.p + start, left);
    b->in.n = left;
    if (left > LIMIT_LINE_BYTES) {
        refuse_long(b);
        b->skipping = true;
        b->in.n = 0;
    }
    return code;
}

static bool input_waits(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

static int serve(struct batch *b)
{
    enum { CHUNK = 1 << 16 };
    for (;;) {
        if (!input_waits() && fflush(stdout) != 0)
            return EXIT_INTERNAL; /* out_finish says why */
        if (!buf_reserve(&b->in, CHUNK)) {
            cando_error err;
            error_memory(&err);
            out_error(&err);
            return EXIT_INTERNAL;
        }
        ssize_t got = read(STDIN_FILENO, b->in.p + b->in.n, CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            cando_error err;
            error_set(&err, CANDO_BAD_INPUT, CODE_io, "cannot read the standard input: %s",
                      strerror(errno));
            out_error(&err);
            return EXIT_INPUT;
        }
        if (got == 0)
            break;
        size_t fresh = b->in.n;
        b->in.n += (size_t)got;
        int code = answer_lines(b, fresh);
        if (code != EXIT_YES)
            return code;
    }
    return b->in.n ? answer(b, str_make(b->in.p, b->in.n)) : EXIT_YES;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct batch b = {0};
    engine_init(&b.e);
    b.e.plain = true;
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_CONFIG)
            b.e.plain = false;
        else if (!engine_option(&b.e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest)
        return args_usage(&a, "questions come from the standard input");
    setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* flushed when no input waits */
    buf_init(&b.in, NULL, (size_t)LIMIT_LINE_BYTES + (1u << 20));
    int code = engine_open(&b.e);
    if (code == EXIT_YES)
        code = serve(&b);
    engine_close(&b.e);
    buf_free(&b.in);
    return code;
}

const struct verb verb_batch = {
    .name = "batch",
    .summary = "answers questions in JSON, one a line",
    .usage = "[OPTION]...",
    .text = "Reads one JSON object a line, "
            "{\"op\":\"resolve\",\"id\":7,\"target\":\"anthropic/claude-opus-4-5\"}, and writes "
            "one reply a "
            "line in the same order: {\"id\":7,\"ok\":true,\"result\":{..}}. A question that is "
            "wrong gets a reply with \"ok\":false, "
            "and the next line is read. Replies are flushed whenever no more input is waiting. "
            "docs/ops.md lists the operations.\n\n"
            "What it answers depends on its options alone: without --config the user's and the "
            "project's files are left out, and so "
            "is the catalog of an update.\n\n"
            "The exit code says whether all questions could be read and answered, not what the "
            "answers were.",
    .options = options,
    .run = run,
};
