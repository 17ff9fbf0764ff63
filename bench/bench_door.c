/*
 * bench_door.c - whole questions: JSON in, JSON out, beside jansson.
 *
 *   door.preflight.1k          a request of 1 KB judged for a known model: at least 3 times as
 *                              fast as its body is parsed
 *   door.cost                  what OpenAI's reply of 1 KB cost, item by item: at least as fast
 *   door.cost.anthropic        as it is parsed; the same of Anthropic's
 *   door.resolve               all that is known of a model, and
 *   door.negotiate             four requirements against a known model that has them all: at
 *                              least as fast as the answer is printed
 *   door.negotiate.rejected    one that it has not: the catalog is looked through for another
 *   door.negotiate.session     the parts of a session instead, in another vocabulary
 *   door.*.ns                  the question alone
 *   door.*.allocs              its allocations, once it is warm
 *   batch.*                    the same questions, a line each, through `cando batch`: its time
 *                              for a line, start included
 *
 * A question is asked as a server would: of one engine, into a room that is cleared after
 * each answer.
 */
#define _POSIX_C_SOURCE 200809L
#include "cando.h"
#include "harness.h"
#include "replies.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct door {
    cando *c;
    cando_room *room;
    const char *question, *body;
    json_t *reply;
};

static cando_bytes ask(const struct door *d)
{
    cando_bytes reply;
    cando_room_clear(d->room);
    cando_status st = cando_call_in(d->c, d->question, strlen(d->question), d->room, &reply);
    if (st != CANDO_OK || !strstr(reply.p, "\"ok\":true")) {
        fprintf(stderr, "bench: %s\n%s\n", d->question, reply.p ? reply.p : "no memory");
        exit(1);
    }
    return reply;
}

static uint64_t run_question(void *ctx)
{
    return ask(ctx).n;
}

static uint64_t parse_body(void *ctx)
{
    const struct door *d = ctx;
    json_error_t err;
    json_t *v = json_loadb(d->body, strlen(d->body), 0, &err);
    uint64_t n = v ? json_object_size(v) : 0;
    json_decref(v);
    return n;
}

static uint64_t print_answer(void *ctx)
{
    const struct door *d = ctx;
    char *text = json_dumps(d->reply, JSON_COMPACT);
    uint64_t n = strlen(text);
    free(text);
    return n;
}

static void report(const char *name, const char *kind, double value, const char *unit,
                   const char *against)
{
    char full[64];
    snprintf(full, sizeof full, "door.%s%s", name, kind);
    bench_report(full, value, unit, against);
}

/* Asks `question`; `body` is in it, or NULL: then the answer is what is printed beside it.
 * `name` is what comes behind "door.". */
static void measure(cando *c, const char *name, const char *question, const char *body)
{
    struct door d = {c, cando_room_new(NULL, NULL), question, body, NULL};
    if (!d.room)
        exit(1);
    cando_bytes reply = ask(&d);
    d.reply = json_loadb(reply.p, reply.n, 0, NULL);
    struct bench_pair p = bench_compare(run_question, &d, body ? parse_body : print_answer, &d, 1);
    uint64_t before = bench_mallocs();
    run_question(&d);
    uint64_t mallocs = bench_mallocs() - before;
    report(name, "", p.b_ns / p.a_ns, "x",
           body ? "jansson parsing the body" : "jansson printing the answer");
    report(name, ".ns", p.a_ns, "ns", NULL);
    report(name, ".allocs", (double)mallocs, "allocs", NULL);
    json_decref(d.reply);
    cando_room_free(d.room);
}

/* -- the same as lines ----------------------------------------------------------------------- */

#define LINES 4000

struct batch {
    char program[4200], lines[4200];
};

static uint64_t run_batch(void *ctx)
{
    const struct batch *b = ctx;
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (freopen(b->lines, "r", stdin) && freopen("/dev/null", "w", stdout))
            execl(b->program, b->program, "batch", (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "bench: cando batch failed\n");
        exit(1);
    }
    return 0;
}

/* `name` is what comes behind "batch.". The question may have line breaks in it. */
static void measure_batch(const struct batch *b, const char *name, const char *question)
{
    char full[64];
    FILE *f = fopen(b->lines, "w");
    if (!f)
        exit(1);
    for (int i = 0; i < LINES; i++) {
        for (const char *p = question; *p; p++)
            putc(*p == '\n' ? ' ' : *p, f);
        putc('\n', f);
    }
    if (fclose(f) != 0)
        exit(1);
    snprintf(full, sizeof full, "batch.%s.ns", name);
    bench_report(full, bench_time(run_batch, (void *)b, LINES), "ns", NULL);
    unlink(b->lines);
}

/* -- the questions --------------------------------------------------------------------------- */

static const char chat[] =
    "{\"model\":\"gpt-4o\",\"messages\":["
    "{\"role\":\"system\",\"content\":\"You answer with a list of values that fit into one "
    "table, because every row has its own source and a date when it was checked last by "
    "somebody who knew how to read it.\\nQuote \\\"the source\\\" where there is one "
    "\xe2\x80\x94 and say so where there is none.\"},"
    "{\"role\":\"user\",\"content\":\"Which of these models take images, and since when?\\nThe "
    "list is from last week: the first one was checked by hand, all others come from a catalog "
    "that is made once a day. It has a row for each model and a column for each thing that it "
    "may be asked to do, and where nobody knows, the field is empty. Please say for each of "
    "them who says so.\"},"
    "{\"role\":\"assistant\",\"content\":\"The first one does, since June. Of the others I "
    "know of two.\"},"
    "{\"role\":\"user\",\"content\":\"Then list these two, with their sources and the days on "
    "which they were checked, the newest first.\"}],"
    "\"temperature\":0.7,\"max_tokens\":500,\"stream\":true}";

#define RESOLVE "{\"op\":\"resolve\",\"id\":1,\"target\":\"anthropic/claude-opus-4-5\"}"
#define NEGOTIATE "{\"op\":\"negotiate\",\"id\":1,\"target\":\"anthropic/claude-opus-4-5\","
#define FOUR                                                                                       \
    NEGOTIATE "\"requirements\":[{\"name\":\"tool_calling\",\"level\":\"hard\"},"                  \
              "{\"name\":\"context_window\",\"level\":\"hard\",\"minimum\":100000},"               \
              "{\"name\":\"prompt_caching\",\"level\":\"preferred\"},"                             \
              "{\"name\":\"streaming\",\"level\":\"hard\"}]}"
#define REJECTED                                                                                   \
    NEGOTIATE "\"requirements\":[{\"name\":\"input_audio\",\"level\":\"hard\"},"                   \
              "{\"name\":\"context_window\",\"level\":\"hard\",\"minimum\":100000}]}"
#define SESSION                                                                                    \
    NEGOTIATE "\"session\":{\"state_machine\":{\"needs\":[\"streaming\","                          \
              "{\"name\":\"promptCaching\",\"level\":\"preferred\"}]},"                            \
              "\"context_providers\":[{\"id\":\"repo\",\"produces\":[\"tool-hint\"],"              \
              "\"min_context\":64000}],"                                                           \
              "\"hooks\":[{\"id\":\"tone\",\"kind\":\"guard\",\"on\":\"token\"}]}}"
#define SELECT                                                                                     \
    "{\"op\":\"select\",\"id\":1,\"require\":[\"tool_calling\",\"input_image\","                   \
    "\"structured_output\"],\"forbid\":[\"input_audio\"],\"minimum\":{\"context_window\":100000}," \
    "\"maximum\":{\"input_price\":\"3\"},\"sort\":\"price\",\"limit\":10}"

int main(int argc, char **argv)
{
    static char preflight[2048], cost[2048], anthropic[2048];
    struct batch b;
    int folder = (int)(strrchr(argv[0], '/') ? strrchr(argv[0], '/') - argv[0] : 0);
    bench_output(argc > 1 ? argv[1] : NULL);
    cando *c = cando_new(NULL, NULL, NULL);
    if (!c || !folder)
        return 1;
    snprintf(b.program, sizeof b.program, "%.*s/../cando", folder, argv[0]);
    snprintf(b.lines, sizeof b.lines, "%.*s/batch_lines", folder, argv[0]);
    snprintf(preflight, sizeof preflight,
             "{\"op\":\"preflight\",\"id\":1,\"target\":\"openai/gpt-4o\",\"request\":%s}", chat);
    snprintf(cost, sizeof cost, "{\"op\":\"cost\",\"id\":1,\"response\":%s}", openai_reply);
    snprintf(anthropic, sizeof anthropic, "{\"op\":\"cost\",\"id\":1,\"response\":%s}",
             anthropic_reply);
    measure(c, "preflight.1k", preflight, chat);
    measure(c, "cost", cost, openai_reply);
    measure(c, "cost.anthropic", anthropic, anthropic_reply);
    measure(c, "resolve", RESOLVE, NULL);
    measure(c, "negotiate", FOUR, NULL);
    measure(c, "negotiate.rejected", REJECTED, NULL);
    measure(c, "negotiate.session", SESSION, NULL);
    measure_batch(&b, "preflight", preflight);
    measure_batch(&b, "cost", cost);
    measure_batch(&b, "resolve", RESOLVE);
    measure_batch(&b, "negotiate", FOUR);
    measure_batch(&b, "select", SELECT);
    cando_free(c);
    return 0;
}
