/*
 * history_read.c - conversations of any API, read into turns and parts.
 *
 * What a turn and a part may hold, and where, is said by the rows of the API (struct
 * api_part); this is what makes parts of them. The reader is generous: a member of the
 * wrong type, or a part of no known type, is no reason to refuse the question. Only the
 * frame (a list of objects) must hold.
 */
#include "history.h"

struct hist_reader {
    struct reading *r;
    struct history *h;
    bool failed;              /* no memory, or r->error is set */
    struct hist_part nowhere; /* what is written after a failure; never read */
};

/* -- building -------------------------------------------------------------------------- */

static const struct hist_at *place(struct hist_reader *x, const struct hist_at *up, struct str key,
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

/* `key` may be a path. */
static const struct hist_at *at_key(struct hist_reader *x, const struct hist_at *up, struct str key)
{
    return place(x, up, key, 0);
}

static const struct hist_at *at_index(struct hist_reader *x, const struct hist_at *up, size_t i)
{
    return place(x, up, STR_NONE, i);
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

/* -- counting -------------------------------------------------------------------------- */

static void put_text(struct hist_reader *x, struct str s)
{
    fit_text(&x->h->text, s);
    if (s.n == 0)
        return;
    now(x)->text = true;
    now(x)->empty = false;
}

static void count_json(struct hist_reader *x, const struct json *v)
{
    if (v && v->kind == JSON_STRING)
        fit_text(&x->h->text, v->text);
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
    for (size_t i = 0; !str_starts(data, STR("data:")) && i < COUNT_OF(plain); i++)
        if (str_ends(name, str_of(plain[i])) && !file) {
            now(x)->empty = false;
            return;
        }
    put_media(x, kind, at, data, file, in_result);
}

/* A file with a MIME type; a link may tell without one. */
static void put_mime(struct hist_reader *x, const struct api_part *row, const struct json *p,
                     const struct hist_at *at, bool in_result)
{
    struct str data = api_text(p, row->data);
    bool link = row->own_links.n > 0;
    enum part_kind kind;
    if (!kind_of_mime(api_text(p, row->mime), &kind)) {
        if (!link || str_find(data, row->video_links) == SIZE_MAX) {
            now(x)->empty = false;
            return;
        }
        kind = PART_VIDEO;
    }
    /* an uploaded file or one in a bucket; any other link is a link */
    bool kept =
        link && (str_find(data, row->own_links) != SIZE_MAX || !str_starts(data, STR("http")));
    put_media(x, kind, at, data, kept, in_result);
}

/* -- parts ----------------------------------------------------------------------------- */

static void put_parts(struct hist_reader *x, const struct json *p, const char *paths,
                      const struct hist_at *at, bool in_result);

static struct str type_of(const struct json *v)
{
    const struct json *type = v->kind == JSON_OBJECT ? json_get(v, "type") : NULL;
    return type && type->kind == JSON_STRING ? type->text : STR("");
}

/* Is there anything in it? */
static bool is_filled(const struct json *v)
{
    if (v && v->kind == JSON_STRING)
        return v->text.n > 0;
    return v && (v->kind != JSON_ARRAY || v->n > 0);
}

/* A part that only its own API knows, or nobody. */
static void put_item(struct hist_reader *x, const struct json *p, const struct hist_at *at)
{
    const struct api *a = x->h->api;
    struct str type = type_of(p);
    if (!type.n && p->kind == JSON_OBJECT && p->n)
        type = p->key[0].text;
    struct hist_part *part = add(x, PART_OTHER, at);
    part->name = type;
    if (words_have(a->state, type))
        part->kind = PART_STATE;
    for (size_t i = 0; i < a->n_hosted; i++)
        if (str_eq(a->hosted[i].type, type)) {
            part->kind = PART_HOSTED;
            part->field = a->hosted[i].field;
        }
}

/* A call, or a result and what is in it. */
static void put_use(struct hist_reader *x, const struct api_part *row, const struct json *p,
                    const struct hist_at *at, bool in_result)
{
    struct hist_part *part = add(x, (enum part_kind)row->is, at);
    const struct json *id = api_value(p, row->id, &part->id_at);
    part->id = id && id->kind == JSON_STRING ? id->text : STR("");
    part->keyed = part->id.n > 0;
    part->name = api_text(p, row->name);
    part->has_signature = api_text(p, row->signature).n > 0;
    if (row->is == PART_CALL)
        fit_text(&x->h->text, part->name);
    count_json(x, api_value(p, row->json, NULL));
    if (row->is == PART_RESULT && !in_result)
        put_parts(x, p, row->parts, at, true);
}

static void put_reasoning(struct hist_reader *x, const struct api_part *row, const struct json *p,
                          const struct hist_at *at)
{
    bool is_signed = !*row->signature || api_text(p, row->signature).n > 0;
    add(x, PART_REASONING, at)->reasoning =
        (uint8_t)(is_signed ? row->reasoning : row->unsigned_reasoning);
}

/* `member` is the one by which the row fits, if any. */
static void put_row(struct hist_reader *x, const struct api_part *row, const struct json *p,
                    const struct hist_at *at, struct str member, bool in_result)
{
    switch ((enum part_kind)row->is) {
    case PART_PASSED:
        now(x)->empty = false;
        put_text(x, api_text(p, row->text));
        count_json(x, api_value(p, row->json, NULL));
        break;
    case PART_TEXT:
        put_text(x, api_text(p, row->text));
        break;
    case PART_PARTS:
        put_parts(x, p, row->parts, at, in_result);
        break;
    case PART_MEDIA:
        put_mime(x, row, p, at, in_result);
        break;
    case PART_FILE:
        put_file(x, at, api_text(p, row->data), api_text(p, row->file_name),
                 is_filled(api_value(p, row->file, NULL)), in_result);
        break;
    case PART_CALL:
    case PART_RESULT:
        put_use(x, row, p, at, in_result);
        break;
    case PART_REASONING:
        put_reasoning(x, row, p, at);
        break;
    case PART_HOSTED:
    case PART_STATE:
    case PART_OTHER:
        add(x, (enum part_kind)row->is, at)->name = member;
        break;
    default:
        put_media(x, (enum part_kind)row->is, at, api_text(p, row->data),
                  is_filled(api_value(p, row->file, NULL)), in_result);
    }
}

/* Does the row speak of this part, or of a member of this turn? */
static bool fits(const struct api_part *row, const struct json *p, struct str *member)
{
    struct str type = type_of(p);
    *member = STR("");
    const struct json *v = api_value(p, row->members, member);
    bool typed = type.n && words_have(row->types, type);
    if (!typed && !v && (*row->types || *row->members))
        return false;
    if (row->inside && !is_filled(v))
        return false;
    return !row->n_when || api_signs(row->when, row->n_when, p);
}

static void put_each(struct hist_reader *x, const struct api_part *row, const struct json *p,
                     const struct hist_at *at, struct str member, bool in_result)
{
    const struct json *list = api_value(p, row->members, NULL);
    if (list->kind != JSON_ARRAY)
        return;
    const struct hist_at *inner = at_key(x, at, member);
    for (size_t i = 0; i < list->n && !x->failed; i++)
        put_row(x, row, &list->item[i], at_index(x, inner, i), member, in_result);
}

/* All rows that fit, or the first of them that is alone; false: none. */
static bool put_rows(struct hist_reader *x, const struct api_part *row, size_t n, bool all,
                     const struct json *p, const struct hist_at *at, bool in_result)
{
    bool any = false;
    for (size_t i = 0; i < n && !x->failed; i++, row++) {
        struct str member;
        if (!fits(row, p, &member))
            continue;
        any = true;
        bool of_result = in_result || (all && now(x)->results);
        if (row->each)
            put_each(x, row, p, at, member, of_result);
        else
            put_row(x, row, p, row->inside ? at_key(x, at, member) : at, member, of_result);
        if (!all && !row->also)
            break;
    }
    return any;
}

/* A text, or a list of parts. */
static void put_parts(struct hist_reader *x, const struct json *p, const char *paths,
                      const struct hist_at *at, bool in_result)
{
    const struct api *a = x->h->api->turns_of ? x->h->api->turns_of : x->h->api;
    struct str path;
    const struct json *v = api_value(p, paths, &path);
    if (a->parts_of)
        a = a->parts_of;
    if (v && v->kind == JSON_STRING)
        put_text(x, v->text);
    if (!v || v->kind != JSON_ARRAY || !v->n)
        return;
    const struct hist_at *list = at_key(x, at, path);
    for (size_t i = 0; i < v->n && !x->failed; i++) {
        const struct json *part = &v->item[i];
        const struct hist_at *here = at_index(x, list, i);
        if (part->kind == JSON_STRING)
            put_text(x, part->text);
        else if (!put_rows(x, a->parts, a->n_parts, false, part, here, in_result))
            put_item(x, part, here);
    }
}

/* -- turns ----------------------------------------------------------------------------- */

static enum turn_role role_of(const struct api *a, const struct json *m, struct str name)
{
    static const struct {
        const char *name;
        enum turn_role role;
    } roles[] = {
        {"user", ROLE_USER},         {"assistant", ROLE_ASSISTANT}, {"model", ROLE_ASSISTANT},
        {"system", ROLE_SYSTEM},     {"developer", ROLE_DEVELOPER}, {"tool", ROLE_TOOL},
        {"function", ROLE_FUNCTION},
    };
    if (!name.n && a->typed_turns && str_ends(type_of(m), STR("_output")))
        return ROLE_TOOL;
    if (!name.n)
        return (enum turn_role)a->no_role;
    if (a->function_is_tool && str_is(name, "function"))
        return ROLE_TOOL;
    for (size_t i = 0; i < COUNT_OF(roles); i++)
        if (str_is(name, roles[i].name))
            return roles[i].role;
    return ROLE_OTHER;
}

static void read_turn(struct hist_reader *x, const struct json *m, const struct hist_at *at)
{
    const struct api *a = x->h->api, *rows = a->turns_of ? a->turns_of : a;
    struct str role = api_text(m, "role");
    if (!turn_begin(x, at, role_of(a, m, role), role))
        return;
    now(x)->prefix = json_is_true(json_get(m, "prefix"));
    if (!put_rows(x, rows->turn, rows->n_turn, true, m, at, false) && a->typed_turns)
        put_item(x, m, at);
    if (now(x)->results && now(x)->role == ROLE_TOOL)
        now(x)->text = false; /* in a result's message the result is what counts */
}

/* What stands beside the list: instructions, tools, what the provider keeps. */
static void read_beside(struct hist_reader *x, const struct json *root)
{
    const struct api *a = x->h->api;
    struct str path;
    const struct json *text = api_value(root, a->instructions, &path),
                      *tools = json_get(root, "tools");
    if (is_filled(text)) {
        x->h->system = at_key(x, NULL, path);
        count_json(x, text);
    }
    if (tools && tools->kind == JSON_ARRAY)
        count_json(x, tools);
    bool begun = false;
    for (size_t i = 0; i < a->n_kept; i++) {
        const struct json *v = json_member(root, a->kept[i].member);
        if (!v || v->kind == JSON_NULL)
            continue;
        if (!begun && !turn_begin(x, NULL, ROLE_SYSTEM, STR("")))
            return;
        begun = true;
        add(x, PART_STATE, at_key(x, NULL, a->kept[i].member))->name = a->kept[i].member;
    }
}

bool hist_read_list(struct reading *r, struct history *h, const struct json *root,
                    const struct json *list, struct str where)
{
    struct hist_reader x = {.r = r, .h = h};
    const struct api *a = h->api;
    h->list = at_key(&x, NULL, a->turns);
    read_beside(&x, root);
    if (x.failed)
        return false;
    if (list->kind == JSON_STRING && a->typed_turns) {
        if (turn_begin(&x, h->list, ROLE_USER, STR("user")))
            put_text(&x, list->text);
        return !x.failed;
    }
    where = reading_at(r, where, a->turns.p);
    if (!reading_array(r, list, where, "the list of messages"))
        return false;
    for (size_t i = 0; i < list->n && !x.failed; i++) {
        if (list->item[i].kind != JSON_OBJECT)
            return reading_fail(r, CODE_bad_argument, reading_at_index(r, where, i),
                                "a message is an object, not %s", json_kind_name(&list->item[i]));
        read_turn(&x, &list->item[i], at_index(&x, h->list, i));
    }
    return !x.failed;
}
