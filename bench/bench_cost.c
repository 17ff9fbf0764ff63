/*
 * bench_cost.c - what a reply cost, from its bytes to the items of the bill, beside
 * jansson parsing the same bytes.
 *
 *   cost.reply             the typed question about OpenAI's and Anthropic's replies of 1 KB
 *   cost.reply.openai, .anthropic   each of them, in nanoseconds
 *   cost.reply.allocs      allocations of one such question in a room that was cleared
 *   door.cost              the same replies as a question in JSON, answered in JSON
 */
#include "cando.h"
#include "harness.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char openai[] =
    "{\n"
    "  \"id\": \"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\n"
    "  \"object\": \"chat.completion\",\n"
    "  \"created\": 1741569952,\n"
    "  \"model\": \"gpt-4o-2024-08-06\",\n"
    "  \"choices\": [\n"
    "    {\n"
    "      \"index\": 0,\n"
    "      \"message\": {\n"
    "        \"role\": \"assistant\",\n"
    "        \"content\": \"Here is the plan:\\n\\n1. Read the table once and keep the rows that "
    "match.\\n2. Sort them by the day they were checked; the newest wins.\\n3. Write "
    "\\\"unknown\\\" where nobody said anything \\u2014 never a zero.\",\n"
    "        \"refusal\": null,\n"
    "        \"annotations\": []\n"
    "      },\n"
    "      \"logprobs\": null,\n"
    "      \"finish_reason\": \"stop\"\n"
    "    }\n"
    "  ],\n"
    "  \"usage\": {\n"
    "    \"prompt_tokens\": 1117,\n"
    "    \"completion_tokens\": 346,\n"
    "    \"total_tokens\": 1463,\n"
    "    \"prompt_tokens_details\": {\n"
    "      \"cached_tokens\": 1024,\n"
    "      \"audio_tokens\": 0\n"
    "    },\n"
    "    \"completion_tokens_details\": {\n"
    "      \"reasoning_tokens\": 0,\n"
    "      \"audio_tokens\": 0,\n"
    "      \"accepted_prediction_tokens\": 0,\n"
    "      \"rejected_prediction_tokens\": 0\n"
    "    }\n"
    "  },\n"
    "  \"service_tier\": \"default\",\n"
    "  \"system_fingerprint\": \"fp_fc9f1d7035\"\n"
    "}\n";

static const char anthropic[] =
    "{\"id\":\"msg_01XFDUDYJgAACzvnptvVoYEL\",\"type\":\"message\",\"role\":\"assistant\",\"mod"
    "el\":\"claude-opus-4-5-20251101\",\"content\":[{\"type\":\"text\",\"text\":\"I looked at b"
    "oth files. The first one reads every row and keeps those whose key matches, which is what "
    "the test wants.\\n\\nThe second one stops at the first match, so that a later row never ov"
    "errides an earlier one: that is the mistake. I'd change the loop to go on to the end and k"
    "eep the last row it saw, and add a case with two rows of the same key to the tests.\"},{\""
    "type\":\"tool_use\",\"id\":\"toolu_01A09q90qw90lq917835lq9\",\"name\":\"edit_file\",\"inpu"
    "t\":{\"path\":\"src/table.c\",\"line\":118,\"text\":\"        last = row;\"}}],\"stop_reas"
    "on\":\"tool_use\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":412,\"cache_creation_"
    "input_tokens\":188,\"cache_read_input_tokens\":9216,\"cache_creation\":{\"ephemeral_5m_inp"
    "ut_tokens\":188,\"ephemeral_1h_input_tokens\":0},\"output_tokens\":203,\"service_tier\":\""
    "standard\"}}";

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

static uint64_t door(void *ctx)
{
    struct side *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < s->texts; i++) {
        char *answer;
        size_t len;
        cando_status st = cando_call(s->c, s->text[i], s->n[i], &answer, &len);
        if (st != CANDO_OK || !strstr(answer, "\"ok\":true")) {
            fprintf(stderr, "bench: cando_call failed\n");
            exit(1);
        }
        sum += len;
        cando_free_text(s->c, answer, len);
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

static char *question(const char *reply, size_t n, size_t *len)
{
    char *q = malloc(n + 64);
    if (!q)
        exit(1);
    *len = (size_t)sprintf(q, "{\"op\":\"cost\",\"id\":1,\"response\":%.*s}", (int)n, reply);
    return q;
}

int main(int argc, char **argv)
{
    cando_error err;
    bench_output(argc > 1 ? argv[1] : NULL);
    struct side replies = {.text = {openai, anthropic}, .texts = 2};
    struct side asked = {.texts = 2};
    replies.n[0] = sizeof openai - 1;
    replies.n[1] = sizeof anthropic - 1;
    replies.c = asked.c = cando_new(NULL, NULL, &err);
    replies.room = cando_room_new(NULL, &err);
    if (!replies.c || !replies.room)
        return 1;
    for (size_t i = 0; i < 2; i++)
        asked.text[i] = question(replies.text[i], replies.n[i], &asked.n[i]);

    struct bench_pair p = bench_compare(typed, &replies, parsed, &replies, 2);
    bench_report("cost.reply", p.b_ns / p.a_ns, "x", "jansson parsing it");
    bench_report("cost.reply.parse", p.b_ns, "ns", "jansson");
    static const char *const names[] = {"cost.reply.openai", "cost.reply.anthropic"};
    for (size_t i = 0; i < 2; i++) {
        struct side one = replies;
        one.text[0] = replies.text[i];
        one.n[0] = replies.n[i];
        one.texts = 1;
        bench_report(names[i], bench_time(typed, &one, 1), "ns", "");
    }
    uint64_t before = bench_mallocs();
    typed(&replies);
    bench_report("cost.reply.allocs", (double)(bench_mallocs() - before), "allocs", "");
    p = bench_compare(door, &asked, parsed, &replies, 2);
    bench_report("door.cost", p.b_ns / p.a_ns, "x", "jansson parsing the reply");
    bench_report("door.cost.ns", p.a_ns, "ns", "");
    for (size_t i = 0; i < 2; i++)
        free((char *)asked.text[i]);
    cando_room_free(replies.room);
    cando_free(replies.c);
    return 0;
}
