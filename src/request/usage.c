/*
 * usage.c - counts from replies and streams.
 *
 *     reply or events --find the body--> object with a usage --shape--> counts
 *
 * Providers' counters only ever grow within one stream, and some events repeat
 * them in part, so the events of a stream are merged by the larger count.
 * Replies of a realtime session are bills of their own and are added up.
 *
 * Two providers leave the reasoning out of what they call the completion: xAI
 * (unless its total shows that it did not) and Perplexity (always, and its
 * citations too). Our output contains both.
 */
#include "usage.h"

enum path_how { ADD, SET };

struct path_row {
    uint8_t shape, unit, how;
    const char *path;
};

static const struct path_row paths[] = {
#define REPLY(id, name)
#define PATH(shape, path, unit, how) {REPLY_##shape, UNIT_##unit, how, path},
#include "usage_paths.def"
#undef REPLY
#undef PATH
};
#define N_PATHS (sizeof paths / sizeof *paths)

static const char *const shape_names[REPLY_COUNT] = {
#define REPLY(id, name) name,
#define PATH(shape, path, unit, how)
#include "usage_paths.def"
#undef REPLY
#undef PATH
};

const char *usage_shape_name(enum usage_shape shape)
{
    return shape < REPLY_COUNT ? shape_names[shape] : NULL;
}

bool usage_shape_find(struct str api, enum usage_shape *out)
{
    for (unsigned i = 0; i < REPLY_COUNT; i++)
        if (str_is(api, shape_names[i])) {
            *out = (enum usage_shape)i;
            return true;
        }
    *out = REPLY_chat;
    return str_is(api, "mistral-chat") || str_is(api, "openai-embeddings");
}

static bool usage_fail(struct usage_error *err, const char *what, struct str path)
{
    err->what = what;
    err->path = path;
    return false;
}

static const struct json *member(const struct json *v, const char *key, enum json_kind kind)
{
    const struct json *m = v && v->kind == JSON_OBJECT ? json_get(v, key) : NULL;
    return m && m->kind == kind ? m : NULL;
}

static struct str member_text(const struct json *v, const char *key)
{
    const struct json *m = member(v, key, JSON_STRING);
    return m ? m->text : STR_NONE;
}

static const struct json *get(const struct json *v, struct str key)
{
    for (size_t i = 0; i < v->n; i++)
        if (str_eq(v->key[i].text, key))
            return &v->item[i];
    return NULL;
}

/* -- one count ---------------------------------------------------------------------------- */

static bool count_parse(const struct json *v, unsigned unit, struct decimal *out)
{
    uint64_t n;
    if (v->kind != JSON_NUMBER)
        return false;
    if (unit_is_duration(unit))
        return decimal_parse(v->text, out) && !out->negative;
    if (!json_uint(v, &n))
        return false;
    *out = decimal_from(n);
    return true;
}

static bool usage_add(struct usage *u, unsigned unit, const struct decimal *n)
{
    u->state[unit] = COUNT_KNOWN;
    return decimal_add(&u->count[unit], n, &u->count[unit]);
}

static bool add_count(struct usage *u, const struct path_row *row, const struct json *v, struct usage_error *err)
{
    struct decimal n;
    if (v->kind == JSON_NULL || (row->how == SET && u->state[row->unit] == COUNT_KNOWN))
        return true;
    if (!count_parse(v, row->unit, &n))
        return usage_fail(err, "is not a count", str_of(row->path));
    return usage_add(u, row->unit, &n) || usage_fail(err, "is too large", str_of(row->path));
}

/* Follows the rest of a path; what is absent or null ends it in silence, what
 * is of another type is an error. */
static bool follow(struct usage *u, const struct path_row *row, struct str rest, const struct json *v, struct usage_error *err);

static bool follow_list(struct usage *u, const struct path_row *row, struct str filter, struct str rest, const struct json *list,
                        struct usage_error *err)
{
    size_t cut = str_find_char(filter, '=');
    struct str key = str_head(filter, cut), word = str_from(filter, cut + 1);
    if (list->kind != JSON_ARRAY)
        return usage_fail(err, "is not a list", str_of(row->path));
    for (size_t i = 0; i < list->n; i++) {
        const struct json *item = &list->item[i];
        if (item->kind != JSON_OBJECT)
            return usage_fail(err, "has an item that is no object", str_of(row->path));
        const struct json *k = get(item, key);
        if (k && k->kind == JSON_STRING && str_eq(k->text, word) && !follow(u, row, rest, item, err))
            return false;
    }
    return true;
}

static bool follow(struct usage *u, const struct path_row *row, struct str rest, const struct json *v, struct usage_error *err)
{
    while (rest.n) {
        if (v->kind == JSON_NULL)
            return true;
        if (v->kind != JSON_OBJECT)
            return usage_fail(err, "is not an object", str_of(row->path));
        struct str step = str_head(rest, str_find_char(rest, '/'));
        size_t bracket = str_find_char(step, '[');
        rest = str_from(rest, step.n + 1);
        v = get(v, str_head(step, bracket));
        if (!v)
            return true;
        if (bracket < step.n && v->kind != JSON_NULL)
            return follow_list(u, row, str_make(step.p + bracket + 1, step.n - bracket - 2), rest, v, err);
    }
    return add_count(u, row, v, err);
}

/* -- what some providers do otherwise ------------------------------------------------------- */

static bool is_xai(struct str p)
{
    return str_eq_fold(p, STR("xai")) || str_eq_fold(p, STR("x-ai")) || str_eq_fold(p, STR("grok"));
}

/* Reasoning that stands beside the completion: is it inside or not? */
static bool reasoning_outside(const struct json *v, const struct usage *u, struct str provider)
{
    const struct json *total = member(v, "total_tokens", JSON_NUMBER);
    struct decimal sum, all;
    if (provider.n && !is_xai(provider))
        return false;
    if (!decimal_add(&u->count[UNIT_input_tokens], &u->count[UNIT_output_tokens], &sum))
        return false;
    if (!total || !decimal_parse(total->text, &all))
        return is_xai(provider);
    if (is_xai(provider))
        return decimal_cmp(&all, &sum) != 0;
    return decimal_add(&sum, &u->count[UNIT_output_reasoning_tokens], &sum) && decimal_cmp(&all, &sum) == 0;
}

static bool chat_extras(const struct json *v, struct str provider, struct usage *u)
{
    bool perplexity = str_eq_fold(provider, STR("perplexity")) ||
                      (!provider.n && (json_get(v, "citation_tokens") || json_get(v, "num_search_queries")));
    if (u->state[UNIT_output_tokens] != COUNT_KNOWN)
        return true;
    if (perplexity) { /* what stands in the details of the completion is a part of it, here too */
        const struct json *beside = member(v, "reasoning_tokens", JSON_NUMBER);
        return (!beside || usage_add(u, UNIT_output_tokens, &u->count[UNIT_output_reasoning_tokens])) &&
               usage_add(u, UNIT_output_tokens, &u->count[UNIT_output_citation_tokens]);
    }
    if (!decimal_is_zero(&u->count[UNIT_output_reasoning_tokens]) && reasoning_outside(v, u, provider))
        return usage_add(u, UNIT_output_tokens, &u->count[UNIT_output_reasoning_tokens]);
    return true;
}

/* Both lifetimes without their sum. */
static bool anthropic_extras(struct usage *u)
{
    static const uint8_t parts[] = {UNIT_cache_write_5m_tokens, UNIT_cache_write_1h_tokens};
    if (u->state[UNIT_cache_write_tokens] == COUNT_KNOWN || u->state[UNIT_input_tokens] != COUNT_KNOWN)
        return true;
    for (unsigned i = 0; i < 2; i++)
        if (u->state[parts[i]] == COUNT_KNOWN && (!usage_add(u, UNIT_cache_write_tokens, &u->count[parts[i]]) ||
                                                  !usage_add(u, UNIT_input_tokens, &u->count[parts[i]])))
            return false;
    return true;
}

static void usage_clear(struct usage *u)
{
    memset(u, 0, sizeof *u);
}

bool usage_from_object(const struct json *v, enum usage_shape shape, struct str provider, struct usage *out, struct usage_error *err)
{
    bool ok = true;
    usage_clear(out);
    if (v->kind != JSON_OBJECT)
        return usage_fail(err, "is not an object", STR(""));
    for (size_t i = 0; i < N_PATHS && ok; i++)
        if (paths[i].shape == shape)
            ok = follow(out, &paths[i], str_of(paths[i].path), v, err);
    if (!ok)
        return false;
    if (shape == REPLY_chat)
        ok = chat_extras(v, provider, out);
    else if (shape == REPLY_anthropic)
        ok = anthropic_extras(out);
    return ok || usage_fail(err, "is too large", STR(""));
}

/* -- our own units ------------------------------------------------------------------------------ */

/* Names that other neutral forms have for our units. */
static unsigned unit_alias(struct str key)
{
    static const struct {
        const char *name;
        uint8_t unit;
    } alias[] = {
        {"reasoning_tokens", UNIT_output_reasoning_tokens},
        {"cached_tokens", UNIT_cache_read_tokens},
        {"cached_input_tokens", UNIT_cache_read_tokens},
        {"cache_creation_tokens", UNIT_cache_write_tokens},
    };
    for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
        if (str_is(key, alias[i].name))
            return alias[i].unit;
    return UNIT_COUNT;
}

bool usage_from_units(const struct json *v, struct usage *out, struct usage_error *err)
{
    usage_clear(out);
    for (size_t i = 0; i < v->n; i++) {
        struct str key = v->key[i].text;
        const struct json *x = &v->item[i];
        unsigned unit = unit_find(key);
        if (unit == UNIT_COUNT)
            unit = unit_alias(key);
        if (unit == UNIT_COUNT && str_is(key, "total_tokens"))
            continue; /* the sum of two others, whatever it says */
        if (unit == UNIT_COUNT)
            return usage_fail(err, "is no unit", key);
        if (out->state[unit] != COUNT_ABSENT)
            return usage_fail(err, "names a unit a second time", key);
        out->state[unit] = x->kind == JSON_NULL ? COUNT_UNKNOWN : COUNT_KNOWN;
        if (x->kind != JSON_NULL && !count_parse(x, unit, &out->count[unit]))
            return usage_fail(err, "is not a count", key);
    }
    return true;
}

void usage_write(struct json_writer *w, const struct usage *u)
{
    char text[DECIMAL_TEXT];
    jw_object(w);
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        if (u->state[i] == COUNT_ABSENT)
            continue;
        jw_keyz(w, unit_name(i));
        if (u->state[i] == COUNT_KNOWN)
            jw_raw(w, decimal_text(&u->count[i], text));
        else
            jw_null(w);
    }
    jw_object_end(w);
}

/* -- the body of a reply -------------------------------------------------------------------------- */

enum { BODY_DEPTH = 4 };

/* Something that is there and not null. */
static bool says(const struct json *v, const char *key)
{
    const struct json *m = json_get(v, key);
    return m && m->kind != JSON_NULL;
}

static bool has_usage(const struct json *v)
{
    const struct json *meta = member(v, "meta", JSON_OBJECT);
    return says(v, "usage") || says(v, "usageMetadata") || says(v, "usage_metadata") || says(v, "eval_count") ||
           says(v, "prompt_eval_count") || (meta && says(meta, "billed_units")) ||
           member(member(v, "x_groq", JSON_OBJECT), "usage", JSON_OBJECT);
}

/* The object that has the usage: the reply itself, or what its envelope
 * holds. NULL if there is none. */
static const struct json *find_body(const struct json *v, unsigned depth)
{
    static const char *const envelopes[] = {"response", "body", "result", "message", "metadata", "delta", "data"};
    if (v->kind != JSON_OBJECT)
        return NULL;
    if (has_usage(v))
        return v;
    for (size_t i = 0; depth > 0 && i < sizeof envelopes / sizeof *envelopes; i++) {
        const struct json *inner = member(v, envelopes[i], JSON_OBJECT);
        const struct json *found = inner ? find_body(inner, depth - 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* The usage object of a body and its shape. */
static const struct json *usage_object(const struct json *body, enum usage_shape told, enum usage_shape *shape)
{
    const struct json *u = json_get(body, "usage"), *m;
    *shape = told;
    bool ollama = !says(body, "usage") && (says(body, "eval_count") || says(body, "prompt_eval_count"));
    if (told == REPLY_ollama || (told == REPLY_COUNT && ollama)) {
        *shape = REPLY_ollama;
        return body;
    }
    if ((m = json_get(body, "usageMetadata")) || (m = json_get(body, "usage_metadata"))) {
        *shape = told == REPLY_COUNT ? REPLY_gemini : told;
        return m;
    }
    if ((m = member(member(body, "meta", JSON_OBJECT), "billed_units", JSON_OBJECT)) ||
        (m = member(u, "billed_units", JSON_OBJECT))) {
        if (told == REPLY_COUNT || told == REPLY_cohere) {
            *shape = REPLY_cohere;
            return m;
        }
    }
    if (!u || u->kind == JSON_NULL)
        u = member(member(body, "x_groq", JSON_OBJECT), "usage", JSON_OBJECT);
    return u;
}

static enum usage_shape shape_of(const struct json *body, const struct json *u)
{
    if (json_get(u, "inputTokens") || json_get(u, "outputTokens"))
        return REPLY_bedrock;
    if (json_get(u, "tokens"))
        return REPLY_cohere_tokens;
    if (json_get(u, "prompt_tokens") || json_get(u, "completion_tokens"))
        return REPLY_chat;
    if (json_get(u, "promptTokenCount") || json_get(u, "candidatesTokenCount"))
        return REPLY_gemini;
    if (json_get(u, "input_tokens_details") || json_get(u, "input_token_details"))
        return REPLY_responses;
    struct str type = member_text(body, "type");
    if (json_get(u, "cache_creation_input_tokens") || json_get(u, "cache_read_input_tokens") || json_get(u, "cache_creation") ||
        str_is(type, "message") || str_is(type, "message_delta"))
        return REPLY_anthropic;
    if (json_get(u, "input_tokens") || json_get(u, "output_tokens"))
        return REPLY_responses;
    return json_get(u, "total_tokens") ? REPLY_total : REPLY_COUNT;
}

/* -- what else a reply says ------------------------------------------------------------------------ */

static void read_time(const struct json *v, struct reply *out)
{
    static const char *const keys[] = {"created", "created_at", "createTime", "create_time"};
    uint64_t seconds;
    for (size_t i = 0; i < 4 && !out->dated; i++) {
        const struct json *t = json_get(v, keys[i]);
        if (t && t->kind == JSON_STRING)
            out->dated = instant_parse(t->text, &out->at);
        else if (t && json_uint(t, &seconds) && seconds > 0)
            out->dated = instant_from_unix(seconds, &out->at);
    }
}

/* The provider's own account: OpenRouter and others in dollars, Perplexity in
 * an object, xAI in ticks of 10^-10 dollars. */
static void read_reported(const struct json *usage, struct reply *out)
{
    const struct json *cost = json_get(usage, "cost"), *ticks = json_get(usage, "cost_in_usd_ticks");
    struct decimal d;
    if (cost && cost->kind == JSON_OBJECT)
        cost = json_get(cost, "total_cost");
    if (!cost)
        cost = json_get(usage, "estimated_cost");
    bool ok = false;
    if (cost && cost->kind == JSON_NUMBER)
        ok = decimal_parse(cost->text, &d);
    else if (ticks && ticks->kind == JSON_NUMBER)
        ok = decimal_parse(ticks->text, &d) && decimal_shift(&d, -10, &d);
    if (ok && !d.negative)
        out->reported = (struct money){true, d};
}

static void read_about(const struct json *v, struct reply *out)
{
    struct str model = member_text(v, "model"), tier = member_text(v, "service_tier");
    if (!model.p)
        model = member_text(v, "modelVersion");
    if (!out->model.p)
        out->model = model;
    if (tier.p)
        out->service_tier = tier;
    read_time(v, out);
}

/* -- streams ------------------------------------------------------------------------------------------ */

static bool any_finished(const struct json *list, const char *key)
{
    for (size_t i = 0; list && i < list->n; i++)
        if (list->item[i].kind == JSON_OBJECT && says(&list->item[i], key))
            return true;
    return false;
}

/* Does this event end its stream? A whole reply does. */
static bool ends_stream(const struct json *e, const struct json *body)
{
    static const char *const last[] = {"message_stop", "response.completed", "response.incomplete", "response.failed", "response.done",
                                       "message-end", "message"};
    struct str type = member_text(e, "type"), object = member_text(e, "object");
    const struct json *choices = member(e, "choices", JSON_ARRAY), *done = json_get(e, "done");
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        if (str_is(type, last[i]))
            return true;
    if (str_is(type, "message_delta"))
        return says(e, "usage") && member(e, "delta", JSON_OBJECT) && says(json_get(e, "delta"), "stop_reason");
    if (done)
        return done->kind == JSON_TRUE;
    if (any_finished(choices, "finish_reason") || any_finished(member(e, "candidates", JSON_ARRAY), "finishReason"))
        return true;
    if (choices && body && choices->n == 0)
        return true;
    return body == json_get(e, "metadata") ? body != NULL : str_is(object, "chat.completion") || str_is(object, "response");
}

/* The event itself, out of {"event":..,"data":{..}}. */
static const struct json *event_data(const struct json *e)
{
    const struct json *data = member(e, "data", JSON_OBJECT);
    return data && !has_usage(e) && !json_get(e, "type") && !json_get(e, "object") ? data : e;
}

static bool merge(struct usage *into, const struct usage *u, bool sum)
{
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        if (u->state[i] != COUNT_KNOWN)
            continue;
        if (sum) {
            if (!usage_add(into, i, &u->count[i]))
                return false;
        } else if (into->state[i] != COUNT_KNOWN || decimal_cmp(&u->count[i], &into->count[i]) > 0) {
            into->state[i] = COUNT_KNOWN;
            into->count[i] = u->count[i];
        }
    }
    return true;
}

/* One reply or one event: adds what it says to *out. */
static bool read_one(const struct json *e, enum usage_shape told, struct str provider, struct reply *out, bool *found,
                     struct usage_error *err)
{
    const struct json *body = find_body(e, BODY_DEPTH);
    struct usage counts;
    enum usage_shape shape;
    *found = false;
    if (body && body != e)
        read_about(body, out);
    read_about(e, out);
    if (!body) { /* an event without counts may still name its model */
        const struct json *inner = member(e, "message", JSON_OBJECT);
        if (!inner)
            inner = member(e, "response", JSON_OBJECT);
        if (inner)
            read_about(inner, out);
        return true;
    }
    const struct json *u = usage_object(body, told, &shape);
    if (!u || u->kind != JSON_OBJECT)
        return usage_fail(err, "is not an object", STR("usage"));
    if (shape == REPLY_COUNT)
        shape = out->shape != REPLY_COUNT ? out->shape : shape_of(body, u);
    if (shape == REPLY_COUNT)
        return usage_fail(err, "has no counts that we know", STR("usage"));
    if (!usage_from_object(u, shape, provider, &counts, err))
        return false;
    struct str tier = member_text(u, "service_tier");
    if (tier.p)
        out->service_tier = tier;
    read_reported(u, out);
    *found = true;
    out->shape = shape;
    return merge(&out->usage, &counts, str_is(member_text(e, "type"), "response.done")) || usage_fail(err, "is too large", STR("usage"));
}

/* Input and output that a finished reply of this shape always has: if they are
 * not there they are unknown, not nothing. */
static void settle_usage(struct reply *r, bool answered)
{
    static const uint8_t both[] = {UNIT_input_tokens, UNIT_output_tokens};
    bool embedding = r->shape == REPLY_total || r->shape == REPLY_cohere || r->shape == REPLY_gemini ||
                     (r->shape == REPLY_chat && !answered);
    for (unsigned i = 0; i < 2; i++)
        if (r->usage.state[both[i]] == COUNT_ABSENT && (r->partial || !embedding))
            r->usage.state[both[i]] = COUNT_UNKNOWN;
}

static bool nothing_counted(const struct usage *u)
{
    for (unsigned i = 0; i < UNIT_COUNT; i++)
        if (u->state[i] == COUNT_KNOWN)
            return false;
    return true;
}

static bool read_events(const struct json *list, enum usage_shape told, struct str provider, struct reply *out, struct usage_error *err)
{
    bool ended = false, counted = false, found;
    if (list->n == 0)
        return usage_fail(err, "is an empty list", STR(""));
    for (size_t i = 0; i < list->n; i++) {
        const struct json *e = &list->item[i];
        err->event = i;
        if (e->kind != JSON_OBJECT)
            return usage_fail(err, "is not an event", STR(""));
        e = event_data(e);
        if (!read_one(e, told, provider, out, &found, err))
            return false;
        counted = counted || found;
        ended = ended || ends_stream(e, found ? find_body(e, BODY_DEPTH) : NULL);
    }
    out->partial = !(ended && counted);
    settle_usage(out, true);
    return true;
}

bool usage_from_reply(const struct json *reply, enum usage_shape told, struct str provider, struct reply *out, struct usage_error *err)
{
    bool found;
    memset(out, 0, sizeof *out);
    out->shape = REPLY_COUNT;
    *err = (struct usage_error){.event = SIZE_MAX};
    if (reply->kind == JSON_ARRAY)
        return read_events(reply, told, provider, out, err);
    if (reply->kind != JSON_OBJECT)
        return usage_fail(err, "is neither an object nor a list of events", STR(""));
    if (!read_one(reply, told, provider, out, &found, err))
        return false;
    if (!found)
        return usage_fail(err, "has no usage", STR(""));
    if (nothing_counted(&out->usage))
        return usage_fail(err, "has none of the counts of its form", STR("usage"));
    out->partial = str_is(member_text(reply, "type"), "message_start");
    settle_usage(out, json_get(reply, "choices") != NULL);
    return true;
}

/* -- who answered ------------------------------------------------------------------------------------ */

static bool openai_model(struct str m)
{
    static const char *const starts[] = {"gpt-", "o1", "o3", "o4", "chatgpt-", "text-embedding-"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (str_starts(m, str_of(starts[i])))
            return true;
    return false;
}

struct str usage_provider(const struct json *reply, const struct reply *r)
{
    const struct json *first = reply->kind == JSON_ARRAY && reply->n ? event_data(&reply->item[0]) : reply;
    const struct json *body = find_body(first, BODY_DEPTH);
    struct str id = member_text(body ? body : first, "id"), model = r->model.p ? r->model : STR("");
    if (!body)
        body = first;
    switch (r->shape) {
    case REPLY_anthropic:
        return str_starts(id, STR("msg_bdrk_"))   ? STR("amazon-bedrock")
               : str_starts(id, STR("msg_vrtx_")) ? STR("google-vertex")
               : str_starts(id, STR("msg_"))      ? STR("anthropic")
                                                  : STR("");
    case REPLY_gemini: {
        const struct json *u = member(body, "usageMetadata", JSON_OBJECT);
        return u && json_get(u, "trafficType") ? STR("google-vertex") : STR("google");
    }
    case REPLY_bedrock:
        return STR("amazon-bedrock");
    case REPLY_ollama:
        return STR("ollama");
    case REPLY_cohere:
    case REPLY_cohere_tokens:
        return STR("cohere");
    case REPLY_responses:
        return str_starts(id, STR("resp_")) && openai_model(model) ? STR("openai") : STR("");
    case REPLY_chat:
        if (body->kind != JSON_OBJECT)
            return STR("");
        if (json_get(body, "x_groq"))
            return STR("groq");
        if (json_get(body, "prompt_filter_results"))
            return STR("azure");
        if (str_starts(id, STR("gen-")))
            return STR("openrouter");
        return str_starts(id, STR("chatcmpl-")) && openai_model(model) ? STR("openai") : STR("");
    default:
        return STR("");
    }
}
