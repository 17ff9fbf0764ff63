/*
 * bench_cost.c - what a reply cost, from its bytes to the items of the bill, beside
 * jansson parsing the same bytes.
 *
 *   cost.reply             the typed question about OpenAI's and Anthropic's replies of 1 KB
 *   cost.reply.openai, .anthropic   each of them, in nanoseconds
 *   cost.reply.allocs      allocations of one such question in a room that was cleared
 */
#include "cando.h"
#include "harness.h"
#include "replies.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    const char *text[2];
    size_t n[2], texts;
    cando *c;
    cando_room *room;
};

static uint64_t typed(void *ctx)
{
    struct side *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < s->texts; i++) {
        cando_error err;
        cando_cost_question q = {.response = {s->text[i], s->n[i]}};
        cando_room_clear(s->room);
        const cando_cost_answer *a = cando_ask_cost(s->c, &q, s->room, &err);
        if (!a || !a->total_cost) {
            fprintf(stderr, "bench: no cost: %s\n", a ? a->unknown[0].reason : err.message);
            exit(1);
        }
        sum += a->n_items + (uint64_t)a->total_cost[0];
    }
    return sum;
}

static uint64_t parsed(void *ctx)
{
    struct side *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < s->texts; i++) {
        json_t *v = json_loadb(s->text[i], s->n[i], JSON_REJECT_DUPLICATES, NULL);
        if (!v)
            exit(1);
        sum += json_object_size(v);
        json_decref(v);
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"cost.reply.openai", "cost.reply.anthropic"};
    bench_output(argc > 1 ? argv[1] : NULL);
    struct side replies = {.text = {openai_reply, anthropic_reply}, .texts = 2};
    replies.n[0] = sizeof openai_reply - 1;
    replies.n[1] = sizeof anthropic_reply - 1;
    replies.c = cando_new(NULL, NULL, NULL);
    replies.room = cando_room_new(NULL, NULL);
    if (!replies.c || !replies.room)
        return 1;
    struct bench_pair p = bench_compare(typed, &replies, parsed, &replies, 2);
    bench_report("cost.reply", p.b_ns / p.a_ns, "x", "jansson parsing it");
    for (size_t i = 0; i < 2; i++) {
        struct side one = replies;
        one.text[0] = replies.text[i];
        one.n[0] = replies.n[i];
        one.texts = 1;
        bench_report(names[i], bench_time(typed, &one, 1), "ns", NULL);
    }
    uint64_t before = bench_mallocs();
    typed(&replies);
    bench_report("cost.reply.allocs", (double)(bench_mallocs() - before), "allocs", NULL);
    cando_room_free(replies.room);
    cando_free(replies.c);
    return 0;
}
