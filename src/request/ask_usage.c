/*
 * ask_usage.c - usage: what a reply says was used.
 */
#include "ask_cost.h"

const struct json *reply_parse(struct reading *r, cando_bytes response)
{
    if (response.p)
        return reading_picked(r, response, STR("/response"), usage_picks, USAGE_PICKS);
    reading_fail(r, CODE_missing_argument, STR("/response"), "there is no 'response'");
    return NULL;
}

bool reply_read(struct reading *r, const struct json *v, const char *api, struct str provider,
                struct reply *out)
{
    const struct api_form *form = api ? usage_form_find(str_of(api)) : NULL;
    if (api && *api && !form) {
        reading_fail(r, CODE_bad_argument, STR("/dialect"), "no reply has the form '%.80s'", api);
        return reading_hint(r, "known: " API_REPLY_LIST "; or leave it out");
    }
    if (usage_from_reply(r, v, STR("/response"), form, provider, out))
        return true;
    return reading_hint(r,
                        "a reply has a 'usage' (Gemini: 'usageMetadata'); a stream is the list of "
                        "its events; what is yet to be sent is a request");
}

const cando_usage_answer *reply_answer(struct texts *t, const struct reply *reply)
{
    struct reading *r = t->r;
    char text[INSTANT_TEXT];
    const struct usage *u = &reply->usage;
    size_t n = 0;
    for (unsigned i = unit_next(u->state, 0); i < UNIT_COUNT; i = unit_next(u->state, i + 1))
        n++;
    cando_usage_answer *a = arena_alloc(r->ar, sizeof *a);
    cando_count *counts = arena_array(r->ar, n, sizeof *counts);
    if (!a || !counts)
        return reading_memory(r);
    a->usage = counts;
    for (unsigned i = unit_next(u->state, 0); i < UNIT_COUNT; i = unit_next(u->state, i + 1))
        counts[a->n_usage++] = (cando_count){unit_name(i), text_count(t, u, i)};
    a->model = reply->model.p;
    a->api = reply->form ? reply->form->name.p : NULL;
    a->partial = reply->partial;
    a->service_tier = reply->service_tier.p;
    if (reply->dated)
        a->created = reading_copy(r, instant_seconds(&reply->at, text));
    a->reported_cost = text_money(t, &reply->reported);
    return r->error.status == CANDO_OK ? a : NULL;
}

const cando_usage_answer *cando_ask_usage(const cando *c, const cando_usage_question *q,
                                          cando_room *room, cando_error *err)
{
    (void)c;
    struct reading r = {.ar = &room->ar};
    struct reply reply;
    const cando_usage_answer *a = NULL;
    const struct json *v = reply_parse(&r, q->response);
    if (v && reply_read(&r, v, q->api, str_of(q->provider), &reply))
        a = reply_answer(&(struct texts){.r = &r}, &reply);
    if (!a)
        reading_end(&r, err);
    return a;
}
