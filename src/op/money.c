/*
 * money.c - replies as an argument and as a result.
 */
#include "money.h"

#include <stdio.h>

void write_money(struct json_writer *w, const char *key, const struct money *m)
{
    char text[DECIMAL_TEXT];
    jw_keyz(w, key);
    if (m->known)
        jw_str(w, decimal_text(&m->value, text));
    else
        jw_null(w);
}

void write_instant(struct json_writer *w, const char *key, const struct instant *t)
{
    char day[16], text[64];
    day_text(t->day, day);
    snprintf(text, sizeof text, "%sT%02d:%02d:%02dZ", day, (int)(t->second / 3600), (int)(t->second / 60 % 60), (int)(t->second % 60));
    jw_keyz(w, key);
    jw_strz(w, text);
}

bool fail_usage(struct op_call *c, struct str at, const struct usage_error *err)
{
    if (err->event != SIZE_MAX)
        at = str_printf(c->ar, "%.*s/%zu", STR_ARG(at), err->event);
    if (err->path.n)
        op_fail(c, CODE_bad_usage, at, "'%.*s' %s", STR_ARG(str_head(err->path, 120)), err->what);
    else
        op_fail(c, CODE_bad_usage, at, "this %s", err->what);
    return false;
}

static bool arg_shape(struct op_call *c, enum usage_shape *out)
{
    struct str api;
    *out = REPLY_COUNT;
    if (!arg_text(c, "dialect", &api))
        return false;
    if (!api.n || usage_shape_find(api, out))
        return true;
    op_fail(c, CODE_bad_argument, STR("/dialect"), "no reply has the form '%.*s'", STR_ARG(str_head(api, 80)));
    return op_hint(c, "known: openai-chat, openai-responses, anthropic-messages, gemini, bedrock-converse, mistral-chat, ollama-chat, "
                      "cohere; or leave it out");
}

bool arg_reply(struct op_call *c, struct str fallback, struct reply *out)
{
    struct str provider;
    enum usage_shape shape;
    struct usage_error err = {0};
    if (!arg_shape(c, &shape) || !arg_text(c, "provider", &provider))
        return false;
    if (usage_from_reply(json_get(c->args, "response"), shape, provider.n ? provider : fallback, out, &err))
        return true;
    fail_usage(c, STR("/response"), &err);
    return op_hint(c, "a reply has a 'usage' (Gemini: 'usageMetadata'); a stream is the list of its events; what is yet to be "
                      "sent is a request");
}

static void write_text_or_null(struct json_writer *w, const char *key, struct str s)
{
    jw_keyz(w, key);
    if (s.p)
        jw_str(w, s);
    else
        jw_null(w);
}

void write_reply(struct json_writer *w, const struct reply *r)
{
    write_text_or_null(w, "model", r->model);
    jw_keyz(w, "dialect");
    jw_strz(w, usage_shape_name(r->shape));
    jw_keyz(w, "usage");
    usage_write(w, &r->usage);
    jw_keyz(w, "partial");
    jw_bool(w, r->partial);
    if (r->service_tier.p)
        write_text_or_null(w, "service_tier", r->service_tier);
    if (r->dated)
        write_instant(w, "created", &r->at);
    if (r->reported.known)
        write_money(w, "reported_cost", &r->reported);
}
