/*
 * bench_door.c - whole questions: JSON in, JSON out, beside jansson reading the same body.
 *
 *   door.preflight.1k     a request of 1 KB judged for a known model: at least 3 times as fast
 *                         as the body is parsed
 *   door.cost             what OpenAI's reply of 1 KB cost, item by item: at least as fast as
 *   door.cost.anthropic   it is parsed; the same of Anthropic's
 *   door.*.ns             the question alone
 *   door.*.allocs         its allocations, once it is warm
 *
 * A question is asked as a server would: of one engine, into a room that is cleared after
 * each answer.
 */
#include "cando.h"
#include "harness.h"
#include "replies.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct door {
    cando *c;
    cando_room *room;
    const char *question, *body;
};

static uint64_t run_question(void *ctx)
{
    const struct door *d = ctx;
    cando_bytes reply;
    if (cando_call_in(d->c, d->question, strlen(d->question), d->room, &reply) != CANDO_OK ||
        !strstr(reply.p, "\"ok\":true")) {
        fprintf(stderr, "bench: %s\n%s\n", d->question, reply.p ? reply.p : "no memory");
        exit(1);
    }
    cando_room_clear(d->room);
    return reply.n;
}

static uint64_t run_jansson(void *ctx)
{
    const struct door *d = ctx;
    json_error_t err;
    json_t *v = json_loadb(d->body, strlen(d->body), 0, &err);
    uint64_t n = v ? json_object_size(v) : 0;
    json_decref(v);
    return n;
}

static void report(const char *name, const char *kind, double value, const char *unit,
                   const char *against)
{
    char full[64];
    snprintf(full, sizeof full, "door.%s%s", name, kind);
    bench_report(full, value, unit, against);
}

/* Asks `question`, which has `body` in it; `name` is what comes behind "door.". */
static void measure(cando *c, const char *name, const char *question, const char *body)
{
    struct door d = {c, cando_room_new(NULL, NULL), question, body};
    if (!d.room)
        exit(1);
    struct bench_pair p = bench_compare(run_question, &d, run_jansson, &d, 1);
    uint64_t before = bench_mallocs();
    run_question(&d);
    uint64_t mallocs = bench_mallocs() - before;
    report(name, "", p.b_ns / p.a_ns, "x", "jansson parsing the body");
    report(name, ".ns", p.a_ns, "ns", NULL);
    report(name, ".allocs", (double)mallocs, "allocs", NULL);
    cando_room_free(d.room);
}

/* -- preflight ----------------------------------------------------------------------------- */

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

static void preflight(cando *c)
{
    static char question[2048];
    snprintf(question, sizeof question,
             "{\"op\":\"preflight\",\"id\":1,\"target\":\"openai/gpt-4o\",\"request\":%s}", chat);
    measure(c, "preflight.1k", question, chat);
}

/* -- cost ------------------------------------------------------------------------------------ */

static void cost(cando *c, const char *name, const char *reply)
{
    static char question[2048];
    snprintf(question, sizeof question, "{\"op\":\"cost\",\"id\":1,\"response\":%s}", reply);
    measure(c, name, question, reply);
}

int main(int argc, char **argv)
{
    bench_output(argc > 1 ? argv[1] : NULL);
    cando *c = cando_new(NULL, NULL, NULL);
    if (!c)
        return 1;
    preflight(c);
    cost(c, "cost", openai_reply);
    cost(c, "cost.anthropic", anthropic_reply);
    cando_free(c);
    return 0;
}
