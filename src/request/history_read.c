/*
 * history_read.c - the wire formats of conversations, read into turns and parts.
 *
 * openai-chat, mistral-chat and ollama-chat are one family and have one reader: a
 * member that only one of them has does not occur in the others. The readers
 * are generous: a member of the wrong type, or a part of no known type, is no
 * reason to refuse the question. Only the frame (a list of objects) must hold.
 */
#include "history.h"

#include "base/limits.h"

/* -- building -------------------------------------------------------------------------- */

static const struct hist_at *place(struct hist_reader *x, const struct hist_at *up, const char *key,
                                   size_t index)
{
    struct hist_at *at = arena_alloc(x->r->ar, sizeof *at);
    if (!at) {
        x->failed = true;
        reading_memory(x->r);
        return up;
    }
    *at = (struct hist_at){up, key, (uint32_t)index};
    return at;
}

static const struct hist_at *at_key(struct hist_reader *x, const struct hist_at *up,
                                    const char *key)
{
    return place(x, up, key, 0);
}

static const struct hist_at *at_index(struct hist_reader *x, const struct hist_at *up, size_t i)
{
    return place(x, up, NULL, i);
}

static struct hist_turn *now(struct hist_reader *x)
{
    return &x->h->turn[x->h->n_turns - 1];
}

static bool turn_begin(struct hist_reader *x, const struct hist_at *at, enum turn_role role,
                       struct str role_name)
{
    struct history *h = x->h;
    if (x->failed || !ARENA_GROW(x->r->ar, h->turn, h->n_turns, h->cap_turns)) {
        x->failed = true;
        return reading_memory(x->r);
    }
    h->turn[h->n_turns++] = (struct hist_turn){.at = at,
                                               .role_name = role_name,
                                               .part = (uint32_t)h->n_parts,
                                               .role = (uint8_t)role,
                                               .empty = true};
    return true;
}

static struct hist_part *add(struct hist_reader *x, enum part_kind kind, const struct hist_at *at)
{
    struct history *h = x->h;
    if (x->failed || !ARENA_GROW(x->r->ar, h->part, h->n_parts, h->cap_parts)) {
        x->failed = true;
        reading_memory(x->r);
        return &x->nowhere;
    }
    struct hist_turn *t = now(x);
    t->empty = false;
    t->n_parts++;
    t->calls |= kind == PART_CALL;
    t->results |= kind == PART_RESULT;
    struct hist_part *p = &h->part[h->n_parts++];
    *p = (struct hist_part){
        .at = at, .turn = (uint32_t)(h->n_turns - 1), .kind = (uint8_t)kind, .field = FIELD_COUNT};
    return p;
}

static struct str text_at(const struct json *v, const char *key)
{
    const struct json *m = v->kind == JSON_OBJECT ? json_get(v, key) : NULL;
    return m && m->kind == JSON_STRING ? m->text : STR("");
}

static const struct json *member(const struct json *v, const char *key, enum json_kind kind)
{
    const struct json *m = v && v->kind == JSON_OBJECT ? json_get(v, key) : NULL;
    return m && m->kind == kind ? m : NULL;
}

/* -- counting -------------------------------------------------------------------------- */

static void count_text(struct hist_reader *x, struct str s)
{
    struct history *h = x->h;
    h->text_bytes += s.n;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        h->wide += c >> 7;
        h->tails += (c & 0xC0) == 0x80;
    }
}

static void put_text(struct hist_reader *x, struct str s)
{
    count_text(x, s);
    if (s.n == 0)
        return;
    now(x)->text = true;
    now(x)->empty = false;
}

static void count_json(struct hist_reader *x, const struct json *v)
{
    if (v && v->kind == JSON_STRING)
        count_text(x, v->text);
    else if (v)
        x->h->json_bytes += v->end - v->at;
}

/* -- media ----------------------------------------------------------------------------- */

/* False: of a type that is plain text, or that nobody knows. */
static bool kind_of_mime(struct str mime, enum part_kind *out)
{
    if (str_starts(mime, STR("image/")))
        *out = PART_IMAGE;
    else if (str_starts(mime, STR("audio/")))
        *out = PART_AUDIO;
    else if (str_starts(mime, STR("video/")))
        *out = PART_VIDEO;
    else if (str_starts(mime, STR("application/pdf")))
        *out = PART_PDF;
    else
        return false;
    return true;
}

static void put_media(struct hist_reader *x, enum part_kind kind, const struct hist_at *at,
                      struct str data, bool file, bool in_result)
{
    struct hist_part *p = add(x, kind, at);
    p->data = data;
    p->by_file = file;
    p->by_url = !file && (str_starts(data, STR("http://")) || str_starts(data, STR("https://")));
    p->in_result = in_result;
}

/* A file of some type: by its data URL, by its name, or else a PDF. */
static void put_file(struct hist_reader *x, const struct hist_at *at, struct str data,
                     struct str name, bool file, bool in_result)
{
    enum part_kind kind = PART_PDF;
    if (str_starts(data, STR("data:")) && !kind_of_mime(str_from(data, 5), &kind)) {
        now(x)->empty = false;
        return;
    }
    static const char *const plain[] = {".txt", ".md", ".csv", ".json", ".html"};
    for (size_t i = 0; !str_starts(data, STR("data:")) && i < sizeof plain / sizeof *plain; i++)
        if (str_ends(name, str_of(plain[i])) && !file) {
            now(x)->empty = false;
            return;
        }
    put_media(x, kind, at, data, file, in_result);
}

/* -- calls, results, the rest ---------------------------------------------------------- */

static void put_call(struct hist_reader *x, const struct hist_at *at, struct str id,
                     struct str name, const struct json *input)
{
    struct hist_part *p = add(x, PART_CALL, at);
    p->id = id;
    p->name = name;
    p->keyed = id.n > 0;
    count_text(x, name);
    count_json(x, input);
}

static void put_result(struct hist_reader *x, const struct hist_at *at, struct str id,
                       struct str name)
{
    struct hist_part *p = add(x, PART_RESULT, at);
    p->id = id;
    p->name = name;
    p->keyed = id.n > 0;
}

static void put_reasoning(struct hist_reader *x, const struct hist_at *at, enum reasoning_kind what)
{
    add(x, PART_REASONING, at)->reasoning = (uint8_t)what;
}

static void put_item(struct hist_reader *x, const struct hist_at *at, struct str type)
{
    unsigned field;
    enum part_kind kind = hist_item(x->h->api, type, &field);
    struct hist_part *p = add(x, kind, at);
    p->name = type;
    p->field = field;
}

/* -- openai-chat, mistral-chat, ollama-chat; also the content of openai-responses ------ */

static struct str url_of(const struct json *part, const char *key)
{
    const struct json *v = json_get(part, key);
    if (v && v->kind == JSON_OBJECT)
        v = json_get(v, "url");
    return v && v->kind == JSON_STRING ? v->text : STR("");
}

static bool is_any(struct str s, const char *a, const char *b, const char *c)
{
    return str_is(s, a) || (b && str_is(s, b)) || (c && str_is(s, c));
}

static void chat_part(struct hist_reader *x, const struct json *p, const struct hist_at *at,
                      bool in_result)
{
    struct str type = text_at(p, "type"), id = text_at(p, "file_id");
    const struct json *f = member(p, "file", JSON_OBJECT);
    if (p->kind == JSON_STRING) {
        put_text(x, p->text);
    } else if (is_any(type, "text", "input_text", "output_text") ||
               is_any(type, "summary_text", NULL, NULL)) {
        put_text(x, text_at(p, "text"));
    } else if (str_is(type, "refusal")) {
        put_text(x, text_at(p, "refusal"));
    } else if (str_is(type, "image_url") || str_is(type, "input_image")) {
        put_media(x, PART_IMAGE, at, url_of(p, "image_url"), id.n > 0, in_result);
    } else if (str_is(type, "input_audio") || str_is(type, "audio_url")) {
        const struct json *a = json_get(p, "input_audio");
        put_media(x, PART_AUDIO, at,
                  a && a->kind == JSON_OBJECT
                      ? text_at(a, "data")
                      : url_of(p, type.n == 9 ? "audio_url" : "input_audio"),
                  false, in_result);
    } else if (is_any(type, "video_url", "input_video", "video")) {
        put_media(x, PART_VIDEO, at, url_of(p, "video_url"), false, in_result);
    } else if (str_is(type, "document_url")) {
        put_media(x, PART_PDF, at, url_of(p, "document_url"), false, in_result);
    } else if (str_is(type, "input_file") || (str_is(type, "file") && !f)) {
        struct str data = text_at(p, "file_data");
        put_file(x, at, data.n ? data : text_at(p, "file_url"), text_at(p, "filename"), id.n > 0,
                 in_result);
    } else if (f) {
        put_file(x, at, text_at(f, "file_data"), text_at(f, "filename"),
                 text_at(f, "file_id").n > 0, in_result);
    } else if (str_is(type, "thinking")) {
        put_reasoning(x, at, REASON_PLAIN);
    } else if (str_is(type, "reference")) {
        now(x)->empty = false;
    } else {
        put_item(x, at, type);
    }
}

static void chat_content(struct hist_reader *x, const struct json *v, const struct hist_at *at,
                         const char *key, bool in_result)
{
    if (!v)
        return;
    if (v->kind == JSON_STRING)
        put_text(x, v->text);
    if (v->kind != JSON_ARRAY)
        return;
    const struct hist_at *list = v->n ? at_key(x, at, key) : at;
    for (size_t i = 0; i < v->n && !x->failed; i++)
        chat_part(x, &v->item[i], at_index(x, list, i), in_result);
}

static void chat_calls(struct hist_reader *x, const struct json *m, const struct hist_at *at)
{
    const struct json *calls = member(m, "tool_calls", JSON_ARRAY),
                      *old = member(m, "function_call", JSON_OBJECT);
    const struct hist_at *list = calls ? at_key(x, at, "tool_calls") : at;
    for (size_t i = 0; calls && i < calls->n && !x->failed; i++) {
        const struct json *c = &calls->item[i], *f = member(c, "function", JSON_OBJECT),
                          *custom = member(c, "custom", JSON_OBJECT);
        const struct json *what = f ? f : custom ? custom : c;
        put_call(x, at_index(x, list, i), text_at(c, "id"), text_at(what, "name"),
                 what->kind == JSON_OBJECT ? json_get(what, f ? "arguments" : "input") : NULL);
    }
    if (old)
        put_call(x, at_key(x, at, "function_call"), STR(""), text_at(old, "name"),
                 json_get(old, "arguments"));
}

/* What stands beside the content of an answer. */
static void chat_beside(struct hist_reader *x, const struct json *m, const struct hist_at *at)
{
    const struct json *details = member(m, "reasoning_details", JSON_ARRAY),
                      *images = member(m, "images", JSON_ARRAY),
                      *audio = member(m, "audio", JSON_OBJECT),
                      *ran = member(m, "executed_tools", JSON_ARRAY);
    if (text_at(m, "reasoning_content").n)
        put_reasoning(x, at_key(x, at, "reasoning_content"), REASON_FIELD);
    if (details && details->n)
        put_reasoning(x, at_key(x, at, "reasoning_details"), REASON_DETAILS);
    else if (text_at(m, "reasoning").n)
        put_reasoning(x, at_key(x, at, "reasoning"), REASON_FIELD);
    if (text_at(m, "thinking").n)
        put_reasoning(x, at_key(x, at, "thinking"), REASON_PLAIN);
    if (audio && text_at(audio, "id").n)
        add(x, PART_STATE, at_key(x, at, "audio"))->name = STR("audio");
    if (ran && ran->n)
        add(x, PART_HOSTED, at_key(x, at, "executed_tools"))->name = STR("executed_tools");
    const struct hist_at *list = images ? at_key(x, at, "images") : at;
    for (size_t i = 0; images && i < images->n && !x->failed; i++)
        put_media(x, PART_IMAGE, at_index(x, list, i),
                  images->item[i].kind == JSON_STRING ? images->item[i].text
                                                      : url_of(&images->item[i], "image_url"),
                  false, now(x)->role == ROLE_TOOL);
}

static enum turn_role role_of(struct str s)
{
    static const struct {
        const char *name;
        enum turn_role role;
    } roles[] = {
        {"user", ROLE_USER},         {"assistant", ROLE_ASSISTANT}, {"model", ROLE_ASSISTANT},
        {"system", ROLE_SYSTEM},     {"developer", ROLE_DEVELOPER}, {"tool", ROLE_TOOL},
        {"function", ROLE_FUNCTION},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (str_is(s, roles[i].name))
            return roles[i].role;
    return ROLE_OTHER;
}

static void chat_message(struct hist_reader *x, const struct json *m, const struct hist_at *at)
{
    struct str role = text_at(m, "role"), name = text_at(m, "tool_name");
    const struct json *prefix = json_get(m, "prefix");
    if (!turn_begin(x, at, role_of(role), role))
        return;
    now(x)->prefix = prefix && prefix->kind == JSON_TRUE;
    bool result = now(x)->role == ROLE_TOOL || now(x)->role == ROLE_FUNCTION;
    if (result)
        put_result(x, at, text_at(m, "tool_call_id"), name.n ? name : text_at(m, "name"));
    if (now(x)->role == ROLE_ASSISTANT)
        chat_beside(x, m, at);
    else if (member(m, "images", JSON_ARRAY))
        chat_beside(x, m, at);
    chat_content(x, json_get(m, "content"), at, "content", result);
    chat_calls(x, m, at);
}

/* -- anthropic-messages ---------------------------------------------------------------- */

static void anthropic_media(struct hist_reader *x, enum part_kind kind, const struct json *p,
                            const struct hist_at *at, bool in_result)
{
    const struct json *s = member(p, "source", JSON_OBJECT);
    struct str type = s ? text_at(s, "type") : STR("");
    if (kind == PART_PDF && is_any(type, "text", "content", NULL)) {
        const struct json *inner = json_get(s, "content");
        put_text(x, text_at(s, "data"));
        if (str_is(type, "content")) {
            now(x)->empty = false;
            count_json(x, inner);
        }
        return;
    }
    struct str data = s ? text_at(s, str_is(type, "url") ? "url" : "data") : STR("");
    put_media(x, kind, at, data, str_is(type, "file"), in_result);
}

static void anthropic_content(struct hist_reader *x, const struct json *v, const struct hist_at *at,
                              bool in_result);

static void anthropic_block(struct hist_reader *x, const struct json *p, const struct hist_at *at,
                            bool in_result)
{
    struct str type = text_at(p, "type");
    if (str_is(type, "text")) {
        put_text(x, text_at(p, "text"));
    } else if (str_is(type, "image")) {
        anthropic_media(x, PART_IMAGE, p, at, in_result);
    } else if (str_is(type, "document")) {
        anthropic_media(x, PART_PDF, p, at, in_result);
    } else if (str_is(type, "thinking")) {
        put_reasoning(x, at, text_at(p, "signature").n ? REASON_SIGNED : REASON_PLAIN);
    } else if (str_is(type, "redacted_thinking")) {
        put_reasoning(x, at, REASON_SIGNED);
    } else if (str_is(type, "tool_use")) {
        put_call(x, at, text_at(p, "id"), text_at(p, "name"), json_get(p, "input"));
    } else if (str_is(type, "tool_result")) {
        put_result(x, at, text_at(p, "tool_use_id"), STR(""));
        if (!in_result)
            anthropic_content(x, json_get(p, "content"), at, true);
    } else if (str_is(type, "search_result")) {
        now(x)->empty = false;
        count_json(x, json_get(p, "content"));
    } else {
        put_item(x, at, type);
    }
}

static void anthropic_content(struct hist_reader *x, const struct json *v, const struct hist_at *at,
                              bool in_result)
{
    if (v && v->kind == JSON_STRING)
        put_text(x, v->text);
    if (!v || v->kind != JSON_ARRAY)
        return;
    const struct hist_at *list = v->n ? at_key(x, at, "content") : at;
    for (size_t i = 0; i < v->n && !x->failed; i++)
        if (v->item[i].kind == JSON_OBJECT)
            anthropic_block(x, &v->item[i], at_index(x, list, i), in_result);
}

/* -- bedrock-converse ------------------------------------------------------------------ */

static struct str bedrock_data(const struct json *media, bool *file)
{
    const struct json *s = member(media, "source", JSON_OBJECT);
    *file = s && member(s, "s3Location", JSON_OBJECT);
    return s ? text_at(s, "bytes") : STR("");
}

static bool bedrock_media(struct hist_reader *x, const struct json *p, const struct hist_at *at,
                          bool in_result)
{
    static const struct {
        const char *key;
        enum part_kind kind;
    } kinds[] = {{"image", PART_IMAGE},
                 {"document", PART_PDF},
                 {"video", PART_VIDEO},
                 {"audio", PART_AUDIO}};
    for (unsigned i = 0; i < 4; i++) {
        const struct json *m = member(p, kinds[i].key, JSON_OBJECT);
        bool file;
        if (!m)
            continue;
        struct str data = bedrock_data(m, &file), format = text_at(m, "format");
        if (kinds[i].kind != PART_PDF || format.n == 0 || str_is(format, "pdf"))
            put_media(x, kinds[i].kind, at, data, file, in_result);
        else
            now(x)->empty = false;
        return true;
    }
    return false;
}

static void bedrock_result(struct hist_reader *x, const struct json *v, const struct hist_at *at)
{
    const struct json *list = member(v, "content", JSON_ARRAY);
    put_result(x, at, text_at(v, "toolUseId"), STR(""));
    const struct hist_at *inner =
        list && list->n ? at_key(x, at_key(x, at, "toolResult"), "content") : at;
    for (size_t i = 0; list && i < list->n && !x->failed; i++) {
        const struct json *p = &list->item[i];
        if (!bedrock_media(x, p, at_index(x, inner, i), true)) {
            put_text(x, text_at(p, "text"));
            count_json(x, p->kind == JSON_OBJECT ? json_get(p, "json") : NULL);
        }
    }
}

static void bedrock_part(struct hist_reader *x, const struct json *p, const struct hist_at *at)
{
    const struct json *use = member(p, "toolUse", JSON_OBJECT),
                      *result = member(p, "toolResult", JSON_OBJECT),
                      *reason = member(p, "reasoningContent", JSON_OBJECT),
                      *cited = member(p, "citationsContent", JSON_OBJECT);
    if (json_get(p, "text")) {
        put_text(x, text_at(p, "text"));
    } else if (use) {
        put_call(x, at, text_at(use, "toolUseId"), text_at(use, "name"), json_get(use, "input"));
    } else if (result) {
        bedrock_result(x, result, at);
    } else if (reason) {
        const struct json *text = member(reason, "reasoningText", JSON_OBJECT);
        put_reasoning(x, at, !text || text_at(text, "signature").n ? REASON_SIGNED : REASON_PLAIN);
    } else if (cited || json_get(p, "searchResult")) {
        now(x)->empty = false;
        count_json(x, cited ? json_get(cited, "content") : json_get(p, "searchResult"));
    } else if (!bedrock_media(x, p, at, false) && !json_get(p, "cachePoint") && p->n) {
        put_item(x, at, p->key[0].text);
    }
}

/* -- gemini ---------------------------------------------------------------------------- */

/* Both spellings are taken: camelCase and snake_case. */
static const struct json *either(const struct json *v, const char *a, const char *b)
{
    const struct json *m = json_get(v, a);
    return m ? m : json_get(v, b);
}

static void gemini_media(struct hist_reader *x, const struct json *v, const struct hist_at *at,
                         bool file, bool in_result)
{
    const struct json *mime = v->kind == JSON_OBJECT ? either(v, "mimeType", "mime_type") : NULL;
    const struct json *data = v->kind == JSON_OBJECT
                                  ? (file ? either(v, "fileUri", "file_uri") : json_get(v, "data"))
                                  : NULL;
    struct str text = data && data->kind == JSON_STRING ? data->text : STR("");
    enum part_kind kind = PART_PDF;
    bool known = mime && mime->kind == JSON_STRING && kind_of_mime(mime->text, &kind);
    if (file && !known && str_find(text, STR("youtu")) != SIZE_MAX)
        kind = PART_VIDEO;
    else if (!known) {
        now(x)->empty = false;
        return;
    }
    /* an uploaded file or one in a bucket; any other link is a link */
    bool kept = file && (str_find(text, STR("generativelanguage.googleapis.com")) != SIZE_MAX ||
                         !str_starts(text, STR("http")));
    put_media(x, kind, at, text, kept, in_result);
}

static void gemini_result(struct hist_reader *x, const struct json *v, const struct hist_at *at)
{
    const struct json *list = member(v, "parts", JSON_ARRAY);
    put_result(x, at, text_at(v, "id"), text_at(v, "name"));
    count_json(x, v->kind == JSON_OBJECT ? json_get(v, "response") : NULL);
    const struct hist_at *inner =
        list && list->n ? at_key(x, at_key(x, at, "functionResponse"), "parts") : at;
    for (size_t i = 0; list && i < list->n && !x->failed; i++) {
        const struct json *p = &list->item[i], *d = p->kind == JSON_OBJECT
                                                        ? either(p, "inlineData", "inline_data")
                                                        : NULL;
        const struct json *f = p->kind == JSON_OBJECT ? either(p, "fileData", "file_data") : NULL;
        if (d || f)
            gemini_media(x, d ? d : f, at_index(x, inner, i), !d, true);
    }
}

static void gemini_part(struct hist_reader *x, const struct json *p, const struct hist_at *at)
{
    const struct json *call = either(p, "functionCall", "function_call"),
                      *result = either(p, "functionResponse", "function_response"),
                      *data = either(p, "inlineData", "inline_data"),
                      *file = either(p, "fileData", "file_data"),
                      *sig = either(p, "thoughtSignature", "thought_signature"),
                      *thought = json_get(p, "thought");
    bool is_signed = sig && sig->kind == JSON_STRING && sig->text.n,
         thinks = thought && thought->kind == JSON_TRUE;
    if (is_signed)
        put_reasoning(
            x,
            at_key(x, at,
                   json_get(p, "thoughtSignature") ? "thoughtSignature" : "thought_signature"),
            REASON_THOUGHT);
    else if (thinks)
        put_reasoning(x, at, REASON_PLAIN);
    if (json_get(p, "text")) {
        if (!thinks)
            put_text(x, text_at(p, "text"));
    } else if (call) {
        put_call(x, at, text_at(call, "id"), text_at(call, "name"),
                 call->kind == JSON_OBJECT ? json_get(call, "args") : NULL);
        if (!x->failed)
            x->h->part[x->h->n_parts - 1].has_signature = is_signed;
    } else if (result) {
        gemini_result(x, result, at);
    } else if (data || file) {
        gemini_media(x, data ? data : file, at, !data, false);
    } else if (p->n && !is_signed) {
        put_item(x, at, p->key[0].text);
    }
}

/* -- openai-responses ------------------------------------------------------------------ */

static void responses_item(struct hist_reader *x, const struct json *v, const struct hist_at *at)
{
    struct str type = text_at(v, "type"), role = text_at(v, "role");
    bool call = is_any(type, "function_call", "custom_tool_call", NULL),
         result = is_any(type, "function_call_output", "custom_tool_call_output", NULL);
    enum turn_role who = role.n                                     ? role_of(role)
                         : result || str_ends(type, STR("_output")) ? ROLE_TOOL
                                                                    : ROLE_ASSISTANT;
    if (!turn_begin(x, at, who, role))
        return;
    if (call) {
        put_call(x, at, text_at(v, "call_id"), text_at(v, "name"),
                 json_get(v, str_is(type, "function_call") ? "arguments" : "input"));
    } else if (result) {
        put_result(x, at, text_at(v, "call_id"), STR(""));
        chat_content(x, json_get(v, "output"), at, "output", true);
    } else if (str_is(type, "reasoning")) {
        put_reasoning(x, at, text_at(v, "encrypted_content").n ? REASON_SEALED : REASON_ITEM);
    } else if (str_is(type, "message") || (type.n == 0 && role.n)) {
        chat_content(x, json_get(v, "content"), at, "content", false);
    } else {
        put_item(x, at, type);
    }
}

/* -- the list -------------------------------------------------------------------------- */

static void read_blocks(struct hist_reader *x, const struct json *m, const struct hist_at *at,
                        const char *key,
                        void (*part)(struct hist_reader *, const struct json *,
                                     const struct hist_at *))
{
    const struct json *list = member(m, key, JSON_ARRAY);
    struct str role = text_at(m, "role");
    enum turn_role who = role.n ? role_of(role) : ROLE_USER;
    if (who == ROLE_FUNCTION && x->h->api == HIST_GEMINI)
        who = ROLE_TOOL;
    if (!turn_begin(x, at, who, role) || !list)
        return;
    const struct hist_at *inner = at_key(x, at, key);
    for (size_t i = 0; i < list->n && !x->failed; i++)
        if (list->item[i].kind == JSON_OBJECT)
            part(x, &list->item[i], at_index(x, inner, i));
}

static void read_message(struct hist_reader *x, const struct json *m, const struct hist_at *at)
{
    switch (x->h->api) {
    case HIST_RESPONSES:
        responses_item(x, m, at);
        break;
    case HIST_GEMINI:
        read_blocks(x, m, at, "parts", gemini_part);
        break;
    case HIST_BEDROCK:
        read_blocks(x, m, at, "content", bedrock_part);
        break;
    case HIST_ANTHROPIC: {
        struct str role = text_at(m, "role");
        if (turn_begin(x, at, role_of(role), role))
            anthropic_content(x, json_get(m, "content"), at, false);
        break;
    }
    default:
        chat_message(x, m, at);
    }
    if (x->h->n_turns &&
        x->h->api != HIST_RESPONSES) { /* in a result's message the result is what counts */
        struct hist_turn *t = now(x);
        if (t->results && t->role == ROLE_TOOL)
            t->text = false;
    }
}

/* What stands beside the list: instructions, tools, what the provider keeps. */
static void read_beside(struct hist_reader *x, const struct json *root)
{
    static const char *const texts[] = {"system", "instructions", "systemInstruction",
                                        "system_instruction"};
    static const char *const kept[] = {"previous_response_id", "conversation", "cachedContent",
                                       "container"};
    for (size_t i = 0; i < 4; i++) {
        const struct json *v = json_get(root, texts[i]);
        if (!v || v->kind == JSON_NULL || (v->kind == JSON_STRING && v->text.n == 0) ||
            (v->kind == JSON_ARRAY && v->n == 0))
            continue;
        x->h->system = at_key(x, NULL, texts[i]);
        count_json(x, v);
    }
    count_json(x, member(root, "tools", JSON_ARRAY));
    bool begun = false;
    for (size_t i = 0; i < 4; i++) {
        const struct json *v = json_get(root, kept[i]);
        if (!v || v->kind == JSON_NULL || (!begun && !turn_begin(x, NULL, ROLE_SYSTEM, STR(""))))
            continue;
        begun = true;
        add(x, PART_STATE, at_key(x, NULL, kept[i]))->name = str_of(kept[i]);
    }
}

bool hist_read_list(struct hist_reader *x, const struct json *root, const struct json *list,
                    const char *key)
{
    x->h->list = at_key(x, NULL, key);
    read_beside(x, root);
    if (x->failed)
        return false;
    if (list->kind == JSON_STRING && x->h->api == HIST_RESPONSES) {
        if (turn_begin(x, x->h->list, ROLE_USER, STR("user")))
            put_text(x, list->text);
        return !x->failed;
    }
    if (!reading_array(x->r, list, reading_at(x->r, x->where, key), "the list of messages"))
        return false;
    for (size_t i = 0; i < list->n && !x->failed; i++) {
        if (list->item[i].kind != JSON_OBJECT)
            return reading_fail(x->r, CODE_bad_argument,
                                reading_at_index(x->r, reading_at(x->r, x->where, key), i),
                                "a message is an object, not %s", json_kind_name(&list->item[i]));
        read_message(x, &list->item[i], at_index(x, x->h->list, i));
    }
    return !x->failed;
}
