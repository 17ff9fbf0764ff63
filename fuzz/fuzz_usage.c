/*
 * fuzz_usage.c - any JSON as a reply, in every shape and for every provider
 * that counts in its own way.
 *
 * What must hold: counts that are written are read back as the same counts;
 * what is not known has no number; no count is negative; a refusal says why; a reply of
 * which only the wanted members were read says the same as all of it.
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

/* Reads the reply from the tree of its wanted members, too. */
static void check_picked(struct reading *r, const struct json *picked,
                         const struct api_form *form, struct str provider,
                         const struct json *whole, const struct reply *want)
{
    struct reading own = {.ar = r->ar};
    struct reply have;
    bool ok = usage_from_reply(&own, picked, STR("/response"), form, provider, &have);
    MUST(ok == (want != NULL));
    if (!ok) {
        MUST(strcmp(own.error.message, r->error.message) == 0);
        return;
    }
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        MUST(have.usage.state[i] == want->usage.state[i]);
        MUST(decimal_cmp(&have.usage.count[i], &want->usage.count[i]) == 0);
    }
    MUST(have.form == want->form && have.partial == want->partial && have.dated == want->dated);
    MUST(!have.dated || memcmp(&have.at, &want->at, sizeof have.at) == 0);
    MUST(str_eq(have.model, want->model) && str_eq(have.service_tier, want->service_tier));
    MUST(have.reported.known == want->reported.known);
    MUST(str_eq(usage_provider(picked, &have), usage_provider(whole, want)));
}

/* `form` is NULL: it shall be found. */
static void check_form(struct arena *ar, const struct json *v, const struct json *picked,
                       const struct api_form *form)
{
    static const char *const providers[] = {"", "xai", "perplexity", "openai"};
    for (unsigned p = 0; p < 4; p++) {
        struct reply reply;
        struct reading r = {.ar = ar};
        struct usage u;
        struct str provider = str_of(providers[p]);
        if (usage_from_reply(&r, v, STR("/response"), form, provider, &reply)) {
            check_counts(&reply.usage);
            check_written(&r, &reply);
            check_picked(&r, picked, form, provider, v, &reply);
        } else {
            MUST(r.error.message[0]);
            check_picked(&r, picked, form, provider, v, NULL);
        }
        if (form && usage_from_object(&r, v, STR(""), form, provider, &u))
            check_counts(&u);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena ar;
    struct json_error bad;
    if (size > 1u << 16)
        return 0;
    arena_init(&ar, NULL);
    struct str text = str_make((const char *)data, size);
    const struct json *v = json_parse(&ar, text, &bad);
    const struct json *picked = json_parse_picking(&ar, text, usage_picks, USAGE_PICKS, &bad);
    MUST(!v == !picked);
    for (const struct api *a = apis; v && a < apis + API_COUNT; a++)
        for (size_t i = 0; i < a->n_usage; i++)
            check_form(&ar, v, picked, &a->usage[i]);
    if (v)
        check_form(&ar, v, picked, NULL);
    struct usage u;
    struct reading r = {.ar = &ar};
    if (v && v->kind == JSON_OBJECT && usage_from_units(&r, v, STR(""), &u))
        check_counts(&u);
    arena_free(&ar);
    return 0;
}
