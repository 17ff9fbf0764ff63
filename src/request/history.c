/*
 * history.c - which API a history is in, and its frame.
 *
 * The API is told, or found by the shape. Plain messages (a role and a text
 * each) are the same in five APIs; they are read as the API of the model
 * that was in force, or as openai-chat.
 */
#include "history.h"

#include "base/map.h"
#include "catalog/snapshot.h"

static const char *const names[HIST_APIS] = {
    [HIST_OPENAI_CHAT] = "openai-chat",      [HIST_RESPONSES] = "openai-responses",
    [HIST_ANTHROPIC] = "anthropic-messages", [HIST_GEMINI] = "gemini",
    [HIST_BEDROCK] = "bedrock-converse",     [HIST_MISTRAL] = "mistral-chat",
    [HIST_OLLAMA] = "ollama-chat",
};

static const struct {
    uint8_t api;
    enum part_kind kind;
    const char *type;
    unsigned field;
} items[] = {
#define HOSTED(api, type, field) {HIST_##api, PART_HOSTED, type, field},
#define STATE(api, type) {HIST_##api, PART_STATE, type, FIELD_COUNT},
#include "history_items.def"
#undef HOSTED
#undef STATE
};

const char *hist_api_name(enum hist_api d)
{
    return names[d];
}

static enum hist_api hist_api_find(struct str name)
{
    for (unsigned d = 1; d < HIST_APIS; d++)
        if (str_is(name, names[d]))
            return (enum hist_api)d;
    return HIST_NO_API;
}

enum hist_api hist_api_of(const cando_catalog *cat, struct str provider)
{
    const struct snapshot *s = &cat->snap;
    uint32_t number = provider.n ? snapshot_provider(s, provider) : SNAP_NONE;
    uint32_t d = number == SNAP_NONE ? SNAP_NONE : snap_provider(s, number).api;
    return d == SNAP_NONE ? HIST_NO_API : hist_api_find(snap_str(s, snap_api(s, d).name));
}

enum part_kind hist_item(enum hist_api d, struct str type, unsigned *field)
{
    *field = FIELD_COUNT;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (items[i].api == d && str_is(type, items[i].type)) {
            *field = items[i].field;
            return items[i].kind;
        }
    return PART_OTHER;
}

/* -- the shape ------------------------------------------------------------------------- */

static bool has(const struct json *v, const char *key)
{
    return json_get(v, key) != NULL;
}

static bool type_in(const struct json *part, const char *const *types)
{
    const struct json *t = json_get(part, "type");
    if (!t || t->kind != JSON_STRING)
        return false;
    for (; *types; types++)
        if (str_is(t->text, *types))
            return true;
    return false;
}

static enum hist_api part_shape(const struct json *p)
{
    static const char *const bedrock[] = {"toolUse", "toolResult", "reasoningContent", "cachePoint",
                                          "guardContent"};
    static const char *const anthropic[] = {"tool_use",          "tool_result",   "thinking",
                                            "redacted_thinking", "image",         "document",
                                            "server_tool_use",   "search_result", NULL};
    static const char *const openai[] = {"image_url", "input_audio", "file",
                                         "refusal",   "video_url",   NULL};
    static const char *const mistral[] = {"document_url", NULL};
    unsigned field;
    if (p->kind != JSON_OBJECT)
        return HIST_NO_API;
    for (size_t i = 0; i < sizeof bedrock / sizeof *bedrock; i++)
        if (has(p, bedrock[i]))
            return HIST_BEDROCK;
    if (!has(p, "type"))
        return has(p, "text") || has(p, "image") || has(p, "document") || has(p, "video")
                   ? HIST_BEDROCK
                   : HIST_NO_API;
    if (type_in(p, mistral))
        return HIST_MISTRAL;
    if (type_in(p, openai))
        return HIST_OPENAI_CHAT;
    const struct json *type = json_get(p, "type");
    if (type_in(p, anthropic) &&
        !(type->kind == JSON_STRING && str_is(type->text, "thinking") && json_get(p, "thinking") &&
          json_get(p, "thinking")->kind == JSON_ARRAY))
        return HIST_ANTHROPIC;
    if (type_in(p, anthropic))
        return HIST_MISTRAL; /* its thinking is a list of chunks */
    return type->kind == JSON_STRING && hist_item(HIST_ANTHROPIC, type->text, &field) != PART_OTHER
               ? HIST_ANTHROPIC
               : HIST_NO_API;
}

static enum hist_api message_shape(const struct json *m)
{
    const struct json *calls = json_get(m, "tool_calls"), *content = json_get(m, "content"),
                      *role = json_get(m, "role");
    if (has(m, "images") || has(m, "tool_name") ||
        (has(m, "thinking") && json_get(m, "thinking")->kind == JSON_STRING))
        return HIST_OLLAMA;
    if (has(m, "prefix"))
        return HIST_MISTRAL;
    if (calls && calls->kind == JSON_ARRAY && calls->n) {
        const struct json *f = json_get(&calls->item[0], "function"),
                          *a = f ? json_get(f, "arguments") : NULL;
        return a && a->kind == JSON_OBJECT ? HIST_OLLAMA : HIST_OPENAI_CHAT;
    }
    if (has(m, "tool_call_id") || has(m, "function_call") || has(m, "reasoning_content") ||
        has(m, "reasoning_details"))
        return HIST_OPENAI_CHAT;
    for (size_t i = 0; content && content->kind == JSON_ARRAY && i < content->n; i++) {
        enum hist_api d = part_shape(&content->item[i]);
        if (d != HIST_NO_API)
            return d;
    }
    return role && role->kind == JSON_STRING && str_is(role->text, "developer") ? HIST_OPENAI_CHAT
                                                                                : HIST_NO_API;
}

static enum hist_api hist_shape(const struct json *root, enum hist_api guess)
{
    const struct json *list = json_get(root, "messages"), *system = json_get(root, "system");
    if (has(root, "contents"))
        return HIST_GEMINI;
    if (has(root, "input"))
        return HIST_RESPONSES;
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++) {
        enum hist_api d =
            list->item[i].kind == JSON_OBJECT ? message_shape(&list->item[i]) : HIST_NO_API;
        if (d == HIST_OPENAI_CHAT && guess == HIST_MISTRAL)
            return HIST_MISTRAL;
        if (d != HIST_NO_API)
            return d;
    }
    if (system && system->kind == JSON_ARRAY && system->n && !has(&system->item[0], "type"))
        return HIST_BEDROCK;
    if (system)
        return HIST_ANTHROPIC;
    return guess == HIST_NO_API || guess == HIST_GEMINI || guess == HIST_RESPONSES
               ? HIST_OPENAI_CHAT
               : guess;
}

/* -- calls and their results ----------------------------------------------------------- */

/* Calls by id, or by name where the API has no ids, as stacks: the map holds the
 * newest call that waits for its result, `next` the one before. */
struct pairing {
    struct history *h;
    struct map ids, names;
    uint32_t window; /* without ids a result answers a call from here on */
    uint32_t asked;  /* the last turn in which the user spoke */
    bool by_name, failed;
};

#define NO_PART UINT32_MAX

static void push_call(struct pairing *x, uint32_t i)
{
    struct hist_part *p = &x->h->part[i];
    bool keyed = p->keyed && !x->by_name;
    uint32_t *head = map_get(keyed ? &x->ids : &x->names, keyed ? p->id : p->name);
    p->next = head ? *head : NO_PART;
    if (head)
        *head = i;
    else if (!map_put(keyed ? &x->ids : &x->names, keyed ? p->id : p->name, i))
        x->failed = true;
}

static void take_call(struct pairing *x, uint32_t i)
{
    struct hist_part *p = &x->h->part[i];
    bool keyed = p->keyed && !x->by_name;
    if (!keyed && p->name.n == 0) { /* it names nobody: it may be for any that waits */
        for (; x->window < i; x->window++)
            x->h->part[x->window].paired |= x->h->part[x->window].kind == PART_CALL;
        p->paired = true;
        return;
    }
    uint32_t *head = map_get(keyed ? &x->ids : &x->names, keyed ? p->id : p->name);
    if (!head || *head == NO_PART || (!keyed && *head < x->window))
        return;
    struct hist_part *call = &x->h->part[*head];
    call->paired = p->paired = true;
    p->late = x->asked != NO_PART && x->asked > call->turn && x->asked < p->turn;
    *head = call->next;
}

static bool pair_up(struct reading *r, struct history *h)
{
    struct pairing x = {
        .h = h, .asked = NO_PART, .by_name = h->api == HIST_GEMINI || h->api == HIST_OLLAMA};
    map_init(&x.ids, r->ar, false);
    map_init(&x.names, r->ar, false);
    for (uint32_t k = 0; k < h->n_turns; k++) {
        const struct hist_turn *t = &h->turn[k];
        if (t->role == ROLE_USER && !t->results) {
            x.window = t->part;
            x.asked = k;
        }
        for (uint32_t i = t->part; i < t->part + t->n_parts; i++) {
            if (h->part[i].kind == PART_CALL)
                push_call(&x, i);
            else if (h->part[i].kind == PART_RESULT)
                take_call(&x, i);
        }
    }
    h->tail = h->n_turns;
    while (h->tail > 0) {
        const struct hist_turn *t = &h->turn[h->tail - 1];
        if (!t->calls && !t->results && (t->text || t->role != ROLE_ASSISTANT))
            break;
        h->tail--;
    }
    return !x.failed || reading_memory(r);
}

/* -- the frame ------------------------------------------------------------------------- */

static bool find_api(struct reading *r, const struct json *v, struct str at, enum hist_api guess,
                     enum hist_api *out)
{
    const struct json *told = json_get(v, "dialect");
    if (!told) {
        *out = hist_shape(v, guess);
        return true;
    }
    *out = told->kind == JSON_STRING ? hist_api_find(told->text) : HIST_NO_API;
    if (*out != HIST_NO_API)
        return true;
    struct str where = reading_at(r, at, "dialect");
    if (told->kind != JSON_STRING)
        return reading_fail(r, CODE_bad_argument, where, "'dialect' is a string, not %s",
                            json_kind_name(told));
    reading_fail(r, CODE_unknown_api, where, "a history has no dialect '%.*s'",
                 STR_ARG(str_head(told->text, 60)));
    return reading_hint(
        r, "known: openai-chat, openai-responses, anthropic-messages, gemini, bedrock-converse, "
           "mistral-chat, ollama-chat");
}

bool history_read(struct reading *r, const struct json *v, struct str at, enum hist_api guess,
                  struct history *out)
{
    *out = (struct history){0};
    if (!reading_object(r, v, at, "a history") || !find_api(r, v, at, guess, &out->api))
        return false;
    const char *key = out->api == HIST_GEMINI      ? "contents"
                      : out->api == HIST_RESPONSES ? "input"
                                                   : "messages";
    const struct json *list = json_get(v, key);
    if (!list) {
        reading_fail(r, CODE_missing_argument, at, "a history in %s has '%s'", names[out->api],
                     key);
        return reading_hint(r, "without 'dialect' it is found by the shape");
    }
    struct hist_reader x = {.r = r, .h = out, .where = at};
    return hist_read_list(&x, v, list, key) && !x.failed && pair_up(r, out);
}

struct str hist_pointer(struct reading *r, const struct hist_at *at)
{
    if (!at)
        return STR("");
    struct str up = hist_pointer(r, at->up);
    return at->key ? reading_at(r, up, at->key) : reading_at_index(r, up, at->index);
}
