/*
 * standin_write.c - the forms of replies and events, filled in.
 */
#include "standin.h"

#include "base/limits.h"

#define PIECES 4u      /* of a text in a stream */
#define FORM_DEPTH 12u /* forms in forms */
#define ID_MOST 64u

struct writing {
    const struct standin *s;
    struct buf *b;
    struct standin_events *events; /* NULL: it is no stream */
    enum stream_frame frame;
    unsigned depth;
    size_t choice, piece, pieces, model;
    size_t at, of; /* in the innermost loop */
};

/* -- what is asked of the answer ------------------------------------------------------------- */

static bool is_so(const struct writing *w, struct str word)
{
    const struct standin *s = w->s;
    bool no = str_starts(word, STR("!")), so;
    word = str_from(word, no);
    if (str_is(word, "call"))
        so = s->name.n > 0;
    else if (str_is(word, "cut"))
        so = s->cut;
    else if (str_is(word, "empty"))
        so = s->said.n == 0;
    else if (str_is(word, "last"))
        so = w->at + 1 == w->of;
    else
        so = s->name.n && str_eq(s->kind, word);
    return so != no;
}

static bool fits(const struct writing *w, const struct api_said *row)
{
    const char *words = row->is;
    struct str word;
    while (words_next(&words, &word))
        if (!is_so(w, word))
            return false;
    return !row->n_when || api_signs(row->when, row->n_when, w->s->request);
}

/* The row that counts; NULL: none of that name does. */
static const struct api_said *find_row(const struct writing *w, struct str name, bool any)
{
    for (const struct api *a = w->s->api; a; a = a->like)
        for (size_t i = 0; i < a->n_said; i++)
            if (str_eq(a->said[i].name, name) && (any || fits(w, &a->said[i])))
                return &a->said[i];
    return NULL;
}

/* -- words ----------------------------------------------------------------------------------- */

static void put_id(const struct writing *w, struct str label, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    uint64_t x = str_hash(label, w->s->seed);
    if (!str_is(label, "id"))
        x += w->choice;
    for (size_t i = 0; i < n && i < ID_MOST; i++) {
        x += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        buf_putc(w->b, letters[(z ^ (z >> 31)) % (sizeof letters - 1)]);
    }
}

static size_t piece_at(struct str s, size_t i, size_t n)
{
    size_t at = s.n / n * i;
    if (i == n)
        return s.n;
    while (at && ((unsigned char)s.p[at] & 0xC0) == 0x80)
        at--;
    return at;
}

static struct str piece(const struct writing *w)
{
    struct str s = w->s->said;
    size_t from = piece_at(s, w->piece, w->pieces);
    return str_make(s.p + from, piece_at(s, w->piece + 1, w->pieces) - from);
}

enum word {
    CREATED,
    CREATED_AT,
    MODEL,
    TEXT,
    ARGS,
    PIECE,
    NAME,
    INDEX,
    INPUT,
    OUTPUT,
    TOTAL,
    SEQ,
    /* of a model in a list */
    LISTED,
    BARE, /* the same, to be put between quotes */
    OWNER,
    TITLE,
    RELEASED,
    RELEASED_AT,
    WINDOW,
    MOST,
    CAN,
    PRICES,
    LIFE
};
static const char *const words[] = {
    [CREATED] = "created",   [CREATED_AT] = "created_at",
    [MODEL] = "model",       [TEXT] = "text",
    [ARGS] = "args",         [PIECE] = "piece",
    [NAME] = "name",         [INDEX] = "index",
    [INPUT] = "input",       [OUTPUT] = "output",
    [TOTAL] = "total",       [SEQ] = "seq",
    [LISTED] = "listed",     [BARE] = "bare",
    [OWNER] = "owner",       [TITLE] = "title",
    [RELEASED] = "released", [RELEASED_AT] = "released_at",
    [WINDOW] = "window",     [MOST] = "most",
    [CAN] = "can",           [PRICES] = "prices",
    [LIFE] = "life",
};
#define WORDS_N COUNT_OF(words)

static uint64_t seconds(const struct instant *t)
{
    return (uint64_t)t->day * 86400 + (uint64_t)t->second;
}

static void put_number(struct json_writer *j, cando_number n)
{
    if (n.known)
        jw_uint(j, n.value);
    else
        jw_null(j);
}

/* What is known of its capabilities, as yes or no. */
static void put_can(struct json_writer *j, const cando_offering *m)
{
    jw_object(j);
    for (size_t i = 0; i < m->n_fields; i++) {
        const cando_value *v = &m->fields[i].value;
        if (!v->known || v->type != CANDO_SUPPORT)
            continue;
        jw_keyz(j, m->fields[i].name);
        jw_bool(j, v->support > CANDO_UNSUPPORTED);
    }
    jw_object_end(j);
}

static void put_prices(struct json_writer *j, const cando_offering *m)
{
    jw_object(j);
    jw_lit(j, "currency");
    jw_str(j, STR("USD"));
    jw_lit(j, "per_tokens");
    jw_uint(j, 1000000);
    jw_lit(j, "input");
    jw_strz(j, m->input_price);
    jw_lit(j, "output");
    jw_strz(j, m->output_price);
    jw_object_end(j);
}

static void put_life(struct json_writer *j, const cando_offering *m)
{
    static const unsigned dates[] = {F_deprecated_on, F_retires_on, F_replaced_by};
    jw_object(j);
    jw_lit(j, "status");
    jw_strz(j, m->status);
    for (size_t k = 0; k < COUNT_OF(dates); k++) {
        const cando_value *v = NULL;
        for (size_t i = 0; i < m->n_fields && !v; i++)
            if (m->fields[i].field == dates[k] && m->fields[i].value.known)
                v = &m->fields[i].value;
        jw_keyz(j, cando_field_name(dates[k]));
        jw_strz(j, v ? v->text : NULL);
    }
    jw_object_end(j);
}

static void put_bare(struct buf *b, const char *text)
{
    struct json_writer j;
    size_t from = b->n;
    jw_init(&j, b, false);
    jw_str(&j, str_of(text));
    if (b->failed)
        return;
    b->n -= 2;
    memmove(b->p + from, b->p + from + 1, b->n - from);
}

static struct instant released(const cando_offering *m)
{
    struct instant t = {0};
    if (!m->release_date || !day_parse(str_of(m->release_date), &t.day) || t.day < 0)
        t.day = 0;
    return t;
}

static void put_listed(const struct writing *w, struct json_writer *j, enum word word)
{
    static const cando_offering none = {0};
    const struct standin *s = w->s;
    const cando_offering *m = w->model < s->n_models ? &s->models[w->model] : &none;
    struct instant t = released(m);
    char room[INSTANT_TEXT];
    switch (word) {
    case LISTED:
        jw_strz(j, m->model);
        break;
    case BARE:
        put_bare(w->b, m->model);
        break;
    case OWNER:
        jw_strz(j, m->provider);
        break;
    case TITLE:
        jw_strz(j, m->name ? m->name : m->model);
        break;
    case RELEASED:
        jw_uint(j, seconds(&t));
        break;
    case RELEASED_AT:
        jw_str(j, instant_seconds(&t, room));
        break;
    case WINDOW:
        put_number(j, m->context_window);
        break;
    case MOST:
        put_number(j, m->max_output);
        break;
    case CAN:
        put_can(j, m);
        break;
    case PRICES:
        put_prices(j, m);
        break;
    default:
        put_life(j, m);
    }
}

static void put_value(const struct writing *w, enum word word)
{
    const struct standin *s = w->s;
    char room[INSTANT_TEXT];
    struct json_writer j;
    jw_init(&j, w->b, false);
    switch (word) {
    case CREATED:
        jw_uint(&j, seconds(&s->at));
        break;
    case CREATED_AT:
        jw_str(&j, instant_seconds(&s->at, room));
        break;
    case MODEL:
        jw_str(&j, s->model);
        break;
    case TEXT: /* of a call: its arguments as text */
        jw_str(&j, s->said);
        break;
    case ARGS:
        jw_raw(&j, s->said);
        break;
    case PIECE:
        jw_str(&j, piece(w));
        break;
    case NAME:
        jw_str(&j, s->name);
        break;
    case INDEX:
        jw_uint(&j, w->choice);
        break;
    case INPUT:
        jw_uint(&j, s->input);
        break;
    case OUTPUT:
        jw_uint(&j, s->output);
        break;
    case TOTAL:
        jw_uint(&j, s->input + s->output);
        break;
    case SEQ:
        jw_uint(&j, w->events ? w->events->n : 0);
        break;
    default:
        put_listed(w, &j, word);
    }
}

/* "a/b|null": the request's own, or what is written behind the bar. */
static void put_own(const struct writing *w, struct str what)
{
    size_t bar = str_find_char(what, '|');
    char path[64];
    struct json_writer j;
    struct buf p;
    buf_init_lent(&p, path, sizeof path);
    buf_puts(&p, str_head(what, bar));
    const char *z = buf_cstr(&p);
    const struct json *v = z ? api_value(w->s->request, z, NULL) : NULL;
    jw_init(&j, w->b, false);
    if (v)
        jw_value(&j, v);
    else
        buf_puts(w->b, str_from(what, bar + 1));
}

/* -- events ---------------------------------------------------------------------------------- */

static uint32_t crc32(struct str s)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < s.n; i++) {
        crc ^= (unsigned char)s.p[i];
        for (unsigned k = 0; k < 8; k++)
            crc = (crc >> 1) ^ (UINT32_C(0xEDB88320) & -(crc & 1));
    }
    return ~crc;
}

static void put_base64(struct buf *b, struct str s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < s.n; i += 3) {
        uint32_t v = 0;
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (i + k < s.n ? (unsigned char)s.p[i + k] : 0u);
        buf_putc(b, digits[v >> 18]);
        buf_putc(b, digits[v >> 12 & 63]);
        buf_putc(b, i + 1 < s.n ? digits[v >> 6 & 63] : '=');
        buf_putc(b, i + 2 < s.n ? digits[v & 63] : '=');
    }
}

static void put_be32(struct buf *b, size_t v)
{
    for (unsigned shift = 32; shift > 0; shift -= 8)
        buf_putc(b, (char)(v >> (shift - 8) & 255));
}

static void put_aws_header(struct buf *b, struct str name, struct str value)
{
    buf_putc(b, (char)name.n);
    buf_puts(b, name);
    buf_putc(b, 7); /* a string, */
    buf_putc(b, 0); /* of less than 256 bytes */
    buf_putc(b, (char)value.n);
    buf_puts(b, value);
}

/*
 * A message of AWS's event stream, in base64; numbers with the highest byte first:
 *
 *     length of all | length of headers | CRC of these two | headers | payload | CRC of all
 */
static void put_aws(struct arena *ar, struct buf *out, struct str event, struct str payload)
{
    struct buf head, b;
    buf_init_arena(&head, ar, LIMIT_NAME_BYTES);
    put_aws_header(&head, STR(":event-type"), event);
    put_aws_header(&head, STR(":content-type"), STR("application/json"));
    put_aws_header(&head, STR(":message-type"), STR("event"));
    buf_init_arena(&b, ar, LIMIT_STAND_IN_BYTES);
    put_be32(&b, 16 + head.n + payload.n);
    put_be32(&b, head.n);
    put_be32(&b, crc32(STR_IN(b)));
    buf_put(&b, head.p, head.n);
    buf_puts(&b, payload);
    put_be32(&b, crc32(STR_IN(b)));
    put_base64(out, STR_IN(b));
    out->failed |= head.failed || b.failed;
}

static void put_aws_bytes(struct arena *ar, struct buf *out, struct str payload)
{
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_STAND_IN_BYTES);
    buf_putz(&b, "{\"bytes\":\"");
    put_base64(&b, payload);
    buf_putz(&b, "\"}");
    put_aws(ar, out, STR("chunk"), STR_IN(b));
    out->failed |= b.failed;
}

static void put_frame(struct writing *w, struct buf *out, struct str event, struct str text)
{
    struct arena *ar = w->s->ar;
    switch (w->frame) {
    case FRAME_LINES:
        buf_puts(out, text);
        buf_putc(out, '\n');
        break;
    case FRAME_ARRAY:
        buf_putz(out, w->events->n ? ",\r\n" : "[");
        buf_puts(out, text);
        break;
    case FRAME_AWS:
        put_aws(ar, out, event, text);
        break;
    case FRAME_AWS_BYTES:
        put_aws_bytes(ar, out, text);
        break;
    default:
        if (event.n)
            buf_putz(out, "event: ");
        buf_puts(out, event);
        buf_putz(out, event.n ? "\ndata: " : "data: ");
        buf_puts(out, text);
        buf_putz(out, "\n\n");
    }
}

static void add_event(struct writing *w, struct str event, struct str text)
{
    struct standin_events *e = w->events;
    struct buf out;
    buf_init_arena(&out, w->s->ar, LIMIT_STAND_IN_BYTES);
    put_frame(w, &out, event, text);
    const char *z = buf_cstr(&out);
    if (!z || !ARENA_GROW(w->s->ar, e->item, e->n, e->cap)) {
        w->b->failed = true;
        return;
    }
    e->item[e->n++] = z;
}

/* -- forms ----------------------------------------------------------------------------------- */

static void put_form(struct writing *w, struct str form);

static void put_row(struct writing *w, struct str name)
{
    const struct api_said *row = find_row(w, name, false);
    size_t before = w->b->n;
    if (!row || w->depth == FORM_DEPTH)
        return;
    w->depth++;
    put_form(w, row->form);
    w->depth--;
    if (!row->chunk && !row->event.n)
        return;
    if (w->events && !w->b->failed)
        add_event(w, row->event, str_make(w->b->p + before, w->b->n - before));
    w->b->n = before;
}

static void put_rows(struct writing *w, struct str name)
{
    const struct api_said *first = find_row(w, name, true);
    if (!first)
        return;
    if (first->each == EACH_ONCE) {
        put_row(w, name);
        return;
    }
    const size_t times[] = {
        [EACH_CHOICE] = w->s->choices, [EACH_PIECE] = w->pieces, [EACH_MODEL] = w->s->n_models};
    size_t *const count[] = {
        [EACH_CHOICE] = &w->choice, [EACH_PIECE] = &w->piece, [EACH_MODEL] = &w->model};
    size_t was = *count[first->each], was_at = w->at, was_of = w->of;
    w->of = times[first->each];
    for (w->at = 0; w->at < w->of && !w->b->failed; w->at++) {
        *count[first->each] = w->at;
        if (w->at)
            buf_putc(w->b, ',');
        put_row(w, name);
    }
    *count[first->each] = was;
    w->at = was_at;
    w->of = was_of;
}

/* "name", "name24" */
static void put_word(struct writing *w, struct str word)
{
    size_t n = word.n;
    uint64_t width;
    while (n && char_is_digit(word.p[n - 1]))
        n--;
    str_number(str_from(word, n), 18, &width);
    if (width) {
        put_id(w, str_head(word, n), (size_t)width);
        return;
    }
    for (unsigned i = 0; i < WORDS_N; i++)
        if (str_is(word, words[i])) {
            put_value(w, (enum word)i);
            return;
        }
    put_rows(w, word);
}

static bool is_word(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

static void put_form(struct writing *w, struct str form)
{
    while (form.n && !w->b->failed) {
        size_t cut = str_find_char(form, '$'), end = cut + 1;
        buf_puts(w->b, str_head(form, cut));
        if (end < form.n && form.p[end] == '<') {
            struct str own = str_from(form, end + 1);
            own = str_head(own, str_find_char(own, '>'));
            put_own(w, own);
            end += own.n + 2;
        } else if (cut < form.n) {
            while (end < form.n && is_word(form.p[end]))
                end++;
            put_word(w, str_make(form.p + cut + 1, end - cut - 1));
        }
        form = str_from(form, end);
    }
}

static void write_form(const struct standin *s, struct str name, struct buf *out,
                       struct standin_events *events, enum stream_frame frame)
{
    struct writing w = {.s = s, .b = out, .events = events, .frame = frame, .of = 1};
    w.pieces = s->said.n < PIECES ? s->said.n : PIECES;
    put_rows(&w, name);
    if (events && frame == FRAME_ARRAY && !out->failed) {
        w.frame = FRAME_LINES;
        add_event(&w, STR(""), STR("]"));
    }
}

bool standin_write(const struct standin *s, struct str form, struct buf *out)
{
    write_form(s, form, out, NULL, FRAME_OWN);
    return !out->failed;
}

bool standin_stream(const struct standin *s, enum stream_frame frame, struct standin_events *out)
{
    struct buf b;
    buf_init_arena(&b, s->ar, LIMIT_STAND_IN_BYTES);
    write_form(s, STR("stream"), &b, out, frame);
    return !b.failed;
}

const char *standin_stream_type(enum stream_frame frame)
{
    switch (frame) {
    case FRAME_LINES:
        return "application/x-ndjson";
    case FRAME_ARRAY:
        return "application/json";
    case FRAME_AWS:
    case FRAME_AWS_BYTES:
        return "application/vnd.amazon.eventstream";
    default:
        return "text/event-stream; charset=utf-8";
    }
}

bool standin_is_binary(enum stream_frame frame)
{
    return frame == FRAME_AWS || frame == FRAME_AWS_BYTES;
}

const char *standin_request_id(const struct standin *s)
{
    struct buf b;
    buf_init_arena(&b, s->ar, ID_MOST);
    struct writing w = {.s = s, .b = &b};
    buf_putz(&b, "req_");
    put_id(&w, STR("request"), 24);
    return buf_cstr(&b);
}
