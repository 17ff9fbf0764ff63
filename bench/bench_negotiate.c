/*
 * bench_negotiate.c - may a session go to this model? JSON in, JSON out, beside jansson
 * printing the same answer.
 *
 *   door.negotiate            four requirements against a known model, which has them all
 *   door.negotiate.rejected   one that it has not: the catalog is looked through for another
 *   door.negotiate.session    the parts of a session instead, in another vocabulary
 *   door.negotiate.*.ns       the question alone
 *   door.negotiate.*.allocs   its allocations, once it is warm
 */
#include "cando.h"
#include "harness.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct door {
    cando *c;
    cando_room *room;
    const char *question;
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

static uint64_t run_jansson(void *ctx)
{
    const struct door *d = ctx;
    char *text = json_dumps(d->reply, JSON_COMPACT);
    uint64_t n = strlen(text);
    free(text);
    return n;
}

static void measure(cando *c, const char *name, const char *question)
{
    struct door d = {c, cando_room_new(NULL, NULL), question, NULL};
    char full[64];
    if (!d.room)
        exit(1);
    cando_bytes reply = ask(&d);
    d.reply = json_loadb(reply.p, reply.n, 0, NULL);
    struct bench_pair p = bench_compare(run_question, &d, run_jansson, &d, 1);
    uint64_t before = bench_mallocs();
    run_question(&d);
    uint64_t mallocs = bench_mallocs() - before;
    bench_report(name, p.b_ns / p.a_ns, "x", "jansson printing the answer");
    snprintf(full, sizeof full, "%s.ns", name);
    bench_report(full, p.a_ns, "ns", NULL);
    snprintf(full, sizeof full, "%s.allocs", name);
    bench_report(full, (double)mallocs, "allocs", NULL);
    json_decref(d.reply);
    cando_room_free(d.room);
}

#define ASK "{\"op\":\"negotiate\",\"id\":1,\"target\":\"anthropic/claude-opus-4-5\","

int main(int argc, char **argv)
{
    bench_output(argc > 1 ? argv[1] : NULL);
    cando *c = cando_new(NULL, NULL, NULL);
    if (!c)
        return 1;
    measure(c, "door.negotiate",
            ASK "\"requirements\":[{\"name\":\"tool_calling\",\"level\":\"hard\"},"
                "{\"name\":\"context_window\",\"level\":\"hard\",\"minimum\":100000},"
                "{\"name\":\"prompt_caching\",\"level\":\"preferred\"},{\"name\":\"streaming\","
                "\"level\":\"hard\"}]}");
    measure(c, "door.negotiate.rejected",
            ASK "\"requirements\":[{\"name\":\"input_audio\",\"level\":\"hard\"},"
                "{\"name\":\"context_window\",\"level\":\"hard\",\"minimum\":100000}]}");
    measure(c, "door.negotiate.session",
            ASK "\"session\":{\"state_machine\":{\"needs\":[\"streaming\",{\"name\":"
                "\"promptCaching\",\"level\":\"preferred\"}]},"
                "\"context_providers\":[{\"id\":\"repo\",\"produces\":[\"tool-hint\"],\"min_"
                "context\":64000}],"
                "\"hooks\":[{\"id\":\"tone\",\"kind\":\"guard\",\"on\":\"token\"}]}}");
    cando_free(c);
    return 0;
}
