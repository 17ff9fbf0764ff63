/*
 * fuzz_usage.c - any JSON as a reply, in every shape and for every provider
 * that counts in its own way.
 *
 * What must hold: counts that are written are read back as the same counts;
 * what is not known has no number; no count is negative; a refusal says why.
 */
#include "fuzz.h"

#include "request/usage.h"

static void check_written(struct arena *ar, const struct usage *u)
{
    struct buf b;
    struct json_writer w;
    struct usage again;
    struct usage_error err;
    struct json_error bad;
    buf_init(&b, NULL, 1u << 20);
    jw_init(&w, &b, false);
    usage_write(&w, u);
    MUST(!b.failed);
    const struct json *v = json_parse(ar, str_make(b.p, b.n), &bad);
    if (v && usage_from_units(v, &again, &err)) /* sums of counts may be over the limit of a single one */
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
            struct reply r;
            struct usage_error err;
            if (usage_from_reply(v, (enum usage_shape)shape, str_of(providers[p]), &r, &err)) {
                check_counts(&r.usage);
                check_written(&ar, &r.usage);
                usage_provider(v, &r);
            } else {
                MUST(err.what);
            }
            struct usage u;
            if (shape < REPLY_COUNT && usage_from_object(v, (enum usage_shape)shape, str_of(providers[p]), &u, &err))
                check_counts(&u);
        }
    struct usage u;
    struct usage_error err;
    if (v && v->kind == JSON_OBJECT && usage_from_units(v, &u, &err))
        check_counts(&u);
    arena_free(&ar);
    return 0;
}
