/*
 * refuse.c - findings as the provider itself would tell them: the status and the body of its
 * error reply, so that a client raises the exception that its users know.
 *
 * The form is data (`rejects` and `reject_body` of catalog/apis): a text in which words with a $
 * are replaced by JSON.
 */
#include "catalog/api.h"
#include "preflight.h"

#define MESSAGE_BYTES 2000u /* a longer one is cut */
#define PLACE_BYTES 1000u   /* a longer one is not told */

struct refusal {
    const struct api_reject *row;
    const cando_finding *finding;
    size_t more; /* errors besides */
};

/* -- places ----------------------------------------------------------------------------------- */

/* Takes the first token off a JSON Pointer. */
static bool next_token(struct str *pointer, struct str *token)
{
    if (!pointer->n)
        return false;
    *pointer = str_from(*pointer, 1);
    *token = str_head(*pointer, str_find_char(*pointer, '/'));
    *pointer = str_from(*pointer, token->n);
    return true;
}

static void put_token(struct buf *b, struct str token)
{
    for (size_t i = 0; i < token.n; i++) {
        bool escaped = token.p[i] == '~' && i + 1 < token.n;
        buf_putc(b, !escaped ? token.p[i] : token.p[++i] == '0' ? '~' : '/');
    }
}

/* What is missing is no place of the request: its name is in the message, "max_tokens is
 * required". */
static struct str missing(const cando_finding *f)
{
    struct str s = str_of(f->message);
    size_t end = str_find(s, STR(" is required"));
    if (strcmp(f->code, code_name(CODE_parameter_required)) != 0 || end == SIZE_MAX)
        return STR("");
    s = str_head(s, end);
    if (s.n > 1 && s.p[0] == '"' && s.p[s.n - 1] == '"')
        s = str_make(s.p + 1, s.n - 2);
    return str_find_char(s, ' ') == s.n ? s : STR("");
}

/* "messages[0].content", or with dots alone "messages.0.content". */
static struct str place_of(const cando_finding *f, bool dots, char *room)
{
    struct buf b;
    struct str pointer = str_of(f->path), token, name = missing(f);
    buf_init_lent(&b, room, PLACE_BYTES);
    while (next_token(&pointer, &token)) {
        bool index = !dots && str_is_digits(token);
        if (b.n && !index)
            buf_putc(&b, '.');
        if (index)
            buf_putc(&b, '[');
        put_token(&b, token);
        if (index)
            buf_putc(&b, ']');
    }
    if (b.n && name.n)
        buf_putc(&b, '.');
    buf_puts(&b, name);
    return b.failed ? STR("") : STR_IN(b);
}

/* The same as a list, ["body","messages",0]. */
static void put_loc(struct json_writer *w, const cando_finding *f)
{
    char room[PLACE_BYTES];
    struct str pointer = str_of(f->path), token, name = missing(f);
    jw_array(w);
    jw_str(w, STR("body"));
    while (next_token(&pointer, &token)) {
        struct buf b;
        buf_init_lent(&b, room, sizeof room);
        put_token(&b, token);
        if (str_is_digits(token) && token.n < 10)
            jw_raw(w, token);
        else
            jw_str(w, STR_IN(b));
    }
    if (name.n)
        jw_str(w, name);
    jw_array_end(w);
}

/* -- words ------------------------------------------------------------------------------------ */

/* As much of a text as there is room for, whole characters. */
static void put_cut(struct buf *b, struct str s)
{
    size_t room = b->max - b->n, n = s.n < room ? s.n : room;
    while (n && n < s.n && ((unsigned char)s.p[n] & 0xC0) == 0x80)
        n--;
    buf_put(b, s.p, n);
}

/* One sentence: what is wrong, what to do, and how much more there is. */
static struct str message_of(const struct refusal *r, struct str place, char *room)
{
    struct buf b;
    const cando_finding *f = r->finding;
    buf_init_lent(&b, room, MESSAGE_BYTES);
    if (place.n) {
        put_cut(&b, place);
        put_cut(&b, STR(": "));
    }
    put_cut(&b, str_of(f->message));
    if (f->hint) {
        put_cut(&b, STR("; "));
        put_cut(&b, str_of(f->hint));
    }
    if (r->more) {
        char more[40];
        struct buf n;
        buf_init_lent(&n, more, sizeof more);
        buf_printf(&n, " (and %zu more)", r->more);
        put_cut(&b, STR_IN(n));
    }
    return STR_IN(b);
}

/* -- the body --------------------------------------------------------------------------------- */

static void put_text(struct json_writer *w, struct str s)
{
    if (s.n)
        jw_str(w, s);
    else
        jw_null(w);
}

static void put_word(struct json_writer *w, const struct refusal *r, struct str word)
{
    char place[PLACE_BYTES], room[MESSAGE_BYTES];
    const cando_finding *f = r->finding;
    bool of_model = strncmp(f->code, "model-", strlen("model-")) == 0;
    if (str_is(word, "message"))
        jw_str(w, message_of(r, STR(""), room));
    else if (str_is(word, "said"))
        jw_str(w, message_of(r, place_of(f, true, place), room));
    else if (str_is(word, "param"))
        put_text(w, of_model ? STR("") : place_of(f, false, place));
    else if (str_is(word, "loc"))
        put_loc(w, f);
    else if (str_is(word, "type"))
        put_text(w, r->row->type);
    else if (str_is(word, "code"))
        put_text(w, r->row->code);
    else if (str_is(word, "status"))
        jw_uint(w, r->row->status);
}

static void put_body(struct buf *out, const struct refusal *r, struct str form)
{
    while (form.n) {
        size_t cut = str_find_char(form, '$'), end = cut + 1;
        buf_puts(out, str_head(form, cut));
        while (end < form.n && char_is_alpha(form.p[end]))
            end++;
        struct json_writer w;
        jw_init(&w, out, false);
        if (cut < form.n)
            put_word(&w, r, str_make(form.p + cut + 1, end - cut - 1));
        form = str_from(form, end);
    }
}

static const struct api_reject *row_for(const struct api *api, const char *code)
{
    for (size_t i = 0; i < api->n_rejects; i++)
        if (!*api->rejects[i].codes || words_have(api->rejects[i].codes, str_of(code)))
            return &api->rejects[i];
    return NULL;
}

cando_refusal refusal_write(const char *api, const cando_finding *finding, size_t n, size_t more,
                            struct buf *out)
{
    const struct api *a = api_find(str_of(api));
    struct refusal r = {.more = more};
    for (size_t i = 0; i < n; i++) {
        if (finding[i].severity != CANDO_ERROR)
            continue;
        r.more += r.finding != NULL;
        r.finding = r.finding ? r.finding : &finding[i];
    }
    r.row = a && r.finding ? row_for(a, r.finding->code) : NULL;
    if (!r.row)
        return (cando_refusal){0};
    size_t before = out->n;
    put_body(out, &r, r.row->body.n ? r.row->body : a->reject_body);
    return (cando_refusal){
        .status = r.row->status,
        .header = a->reject_header.n ? a->reject_header.p : NULL,
        .value = a->reject_header.n ? r.row->type.p : NULL,
        .length = out->n - before,
    };
}

/* -- of a report --------------------------------------------------------------------------------
 */

/* Memory that is the caller's, and never given back singly. */
struct lent {
    char *p;
    size_t left;
};

static void *lent_resize(void *user, void *old, size_t old_size, size_t size)
{
    struct lent *m = user;
    size_t whole = (size + 15) & ~(size_t)15;
    if (size == 0 || whole < size || whole > m->left)
        return NULL;
    void *p = m->p;
    m->p += whole;
    m->left -= whole;
    if (old)
        memcpy(p, old, old_size < size ? old_size : size);
    return p;
}

cando_refusal cando_report_refusal(const cando_report *r, char *out, size_t size)
{
    _Alignas(16) char room[16384];
    struct lent lent = {room, sizeof room};
    const cando_allocator from = {lent_resize, &lent};
    struct arena ar;
    struct buf b;
    uint32_t i = 0;
    while (i < r->n_findings && r->finding[i].severity != CANDO_ERROR)
        i++;
    if (i == r->n_findings)
        return (cando_refusal){0};
    size_t more = r->more;
    for (uint32_t k = i + 1; k < r->n_findings; k++)
        more += r->finding[k].severity == CANDO_ERROR;
    cando_finding f;
    arena_init(&ar, &from);
    if (!report_words(&ar, r, i, &f)) {
        f = cando_report_finding(r, i); /* the rule's own words are short */
        f.path = "";
    }
    buf_init_lent(&b, out, size);
    return refusal_write(r->api, &f, 1, more, &b);
}
