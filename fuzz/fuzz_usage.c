/*
 * fuzz_usage.c - any JSON as a reply, in every shape and for every provider
 * that counts in its own way.
 *
 * What must hold: counts that are written are read back as the same counts;
 * what is not known has no number; no count is negative; a refusal says why.
 */
#include "fuzz.h"

#include "request/ask_cost.h"

static void check_written(struct reading *r, const struct reply *reply)
{
    struct buf b;
    struct usage again;
    const struct usage *u = &reply->usage;
    const cando_usage_answer *a = reply_answer(&(struct texts){.r = r}, reply);
    buf_init(&b, NULL, 1u << 20);
    MUST(a);
    for (size_t i = 0; i < a->n_usage; i++)
        buf_printf(&b, "%s\"%s\":%s", i ? "," : "{", a->usage[i].unit,
                   a->usage[i].quantity ? a->usage[i].quantity : "null");
    buf_putz(&b, a->n_usage ? "}" : "{}");
    MUST(!b.failed);
    const struct json *v = json_parse(r->ar, str_make(b.p, b.n), NULL);
    /* sums of counts may be over the limit of a single one */
    if (v && usage_from_units(r, v, STR(""), &again))
        for (unsigned i = 0; i < UNIT_COUNT; i++) {
            MUST(again.state[i] == u->state[i]);
            MUST(decimal_cmp(&again.count[i], &u->count[i]) == 0);
        }
    buf_free(&b);
}

static void check_counts(const struct usage *u)
{
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        MUST(u->state[i] <= COUNT_KNOWN);
        MUST(u->state[i] == COUNT_KNOWN || decimal_is_zero(&u->count[i]));
        MUST(!u->count[i].negative);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const providers[] = {"", "xai", "perplexity", "openai"};
    struct arena ar;
    struct json_error bad;
    if (size > 1u << 16)
        return 0;
    arena_init(&ar, NULL);
    const struct json *v = json_parse(&ar, str_make((const char *)data, size), &bad);
    for (unsigned p = 0; v && p < 4; p++)
        for (unsigned shape = 0; shape <= REPLY_COUNT; shape++) {
            struct reply reply;
            struct reading r = {.ar = &ar};
            struct usage u;
            if (usage_from_reply(&r, v, STR("/response"), (enum usage_shape)shape,
                                 str_of(providers[p]), &reply)) {
                check_counts(&reply.usage);
                check_written(&r, &reply);
                MUST(usage_provider(v, &reply));
            } else {
                MUST(r.error.message[0]);
            }
            if (shape < REPLY_COUNT && usage_from_object(&r, v, STR(""), (enum usage_shape)shape,
                                                         str_of(providers[p]), &u))
                check_counts(&u);
        }
    struct usage u;
    struct reading r = {.ar = &ar};
    if (v && v->kind == JSON_OBJECT && usage_from_units(&r, v, STR(""), &u))
        check_counts(&u);
    arena_free(&ar);
    return 0;
}
