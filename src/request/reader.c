/*
 * reader.c - a reply that goes by in pieces: what its usage is read from is kept.
 *
 *     whole     one text                                   all of it
 *     lines     a JSON text a line                         | the first event, those that
 *     events    what stands behind "data:" up to an empty  | have counts, and the last,
 *               line                                       | as one list
 *     frames    AWS's event streams: the length of all, of |
 *               the headers, a checksum, headers, payload, |
 *               a checksum                                 |
 *
 * The pieces may be cut anywhere; of one line or frame only as much is put by as has not ended.
 * All that is kept together is bounded, and whoever passes a reply on is never held up: what
 * cannot be read leaves a reason and nothing else.
 */
#include "base/buf.h"
#include "base/diag.h"

enum form { FORM_WHOLE, FORM_LINES, FORM_EVENTS, FORM_FRAMES };
enum { FRAME_HEAD = 12, FRAME_LEAST = 16, FRAME_TEXT = 7 };

struct cando_reader {
    const cando_allocator *a;
    enum form form;
    size_t limit;
    struct buf rest; /* of a line or a frame that has not ended */
    struct buf data; /* of an event that has not ended */
    struct buf kept; /* the text, or the list without its last event and its bracket */
    struct buf last; /* the newest event, if it is not in the list */
    bool any;        /* an event was seen */
    bool after_cr;   /* a line feed would belong to the line end before it */
    bool done;       /* the list was closed */
    const char *why; /* nothing can be read */
};

/* -- what is kept ----------------------------------------------------------------------------- */

static void give_up(cando_reader *r, const char *why)
{
    r->why = why;
    buf_clear(&r->rest);
    buf_clear(&r->data);
    buf_clear(&r->kept);
    buf_clear(&r->last);
}

static void add(cando_reader *r, struct buf *b, struct str s)
{
    if (r->why)
        return;
    if (s.n > r->limit - (r->rest.n + r->data.n + r->kept.n + r->last.n))
        return give_up(r, "the reply has more to keep than the limit allows");
    buf_puts(b, s);
    if (b->failed)
        give_up(r, "there is no memory to keep the reply");
}

/* "usage":{ or "prompt_usage_details": [ and the like. */
static bool has_counts(struct str s)
{
    for (size_t i = 1; i + 4 < s.n; i++) {
        const char *p = memchr(s.p + i, 's', s.n - 4 - i);
        if (!p)
            return false;
        i = (size_t)(p - s.p);
        if (memcmp(p, "sage", 4) != 0 || (p[-1] | 0x20) != 'u')
            continue;
        size_t k = i + 4;
        while (k < s.n && (char_is_alpha(s.p[k]) || char_is_digit(s.p[k]) || s.p[k] == '_'))
            k++;
        if (k == s.n || s.p[k++] != '"')
            continue;
        while (k < s.n && (s.p[k] == ' ' || s.p[k] == ':'))
            k++;
        if (k < s.n && (s.p[k] == '{' || s.p[k] == '['))
            return true;
    }
    return false;
}

/* One event: JSON text. `name` is put around it: {"name":text}. */
static void take_event(cando_reader *r, struct str name, struct str text)
{
    bool wanted = !r->any || has_counts(text);
    struct buf *b = wanted ? &r->kept : &r->last;
    buf_clear(&r->last);
    if (wanted)
        add(r, b, r->any ? STR(",") : STR("["));
    if (name.n) {
        add(r, b, STR("{\""));
        add(r, b, name);
        add(r, b, STR("\":"));
    }
    add(r, b, text);
    if (name.n)
        add(r, b, STR("}"));
    r->any = true;
}

/* -- lines ------------------------------------------------------------------------------------ */

/* The end of an event; "[DONE]" and "ping" are none. */
static void end_event(cando_reader *r)
{
    struct str text = str_trim(STR_IN(r->data));
    if (text.n && text.p[0] == '{')
        take_event(r, STR_NONE, text);
    if (!r->why)
        buf_clear(&r->data);
}

static void take_line(cando_reader *r, struct str line)
{
    if (r->form == FORM_LINES) {
        line = str_trim(line);
        if (line.n)
            take_event(r, STR_NONE, line);
    } else if (!line.n) {
        end_event(r);
    } else if (str_starts(line, STR("data:"))) {
        if (r->data.n)
            add(r, &r->data, STR("\n"));
        add(r, &r->data, str_from(line, 5));
    }
}

static size_t line_end(struct str s)
{
    const char *lf = memchr(s.p, '\n', s.n);
    size_t n = lf ? (size_t)(lf - s.p) : s.n;
    const char *cr = memchr(s.p, '\r', n);
    return cr ? (size_t)(cr - s.p) : n;
}

/* A line that began in another piece is put together first. */
static void see_lines(cando_reader *r, struct str s)
{
    while (s.n && !r->why) {
        if (r->after_cr && s.p[0] == '\n') {
            r->after_cr = false;
            s = str_from(s, 1);
            continue;
        }
        r->after_cr = false;
        size_t n = line_end(s);
        struct str line = str_head(s, n);
        if (n == s.n)
            return add(r, &r->rest, line);
        if (r->rest.n) {
            add(r, &r->rest, line);
            line = STR_IN(r->rest);
        }
        take_line(r, line);
        if (!r->why)
            buf_clear(&r->rest);
        r->after_cr = s.p[n] == '\r';
        s = str_from(s, n + 1);
    }
}

/* -- frames ----------------------------------------------------------------------------------- */

static uint32_t big_endian(const char *at)
{
    const unsigned char *p = (const unsigned char *)at;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The value of ":event-type"; empty: it is not there, or headers are not as they should be. */
static struct str event_type(struct str headers)
{
    while (headers.n) {
        size_t n = (unsigned char)headers.p[0];
        struct str name = str_head(str_from(headers, 1), n), rest = str_from(headers, 1 + n);
        if (rest.n < 3 || rest.p[0] != FRAME_TEXT)
            break; /* all headers that matter are texts */
        size_t len = (size_t)(unsigned char)rest.p[1] << 8 | (unsigned char)rest.p[2];
        struct str value = str_head(str_from(rest, 3), len);
        if (value.n < len)
            break;
        if (str_is(name, ":event-type"))
            return value;
        headers = str_from(rest, 3 + len);
    }
    return STR_NONE;
}

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!char_is_alpha(s.p[i]) && !char_is_digit(s.p[i]) && s.p[i] != '_' && s.p[i] != '-')
            return false;
    return s.n > 0;
}

/* The first frame of `s`, if all of it is there; its length. 0: it is not. */
static size_t take_frame(cando_reader *r, struct str s)
{
    if (s.n < FRAME_LEAST)
        return 0;
    size_t all = big_endian(s.p), headers = big_endian(s.p + 4);
    if (all < FRAME_LEAST || headers > all - FRAME_LEAST) {
        give_up(r, "the reply is no event stream");
        return 0;
    }
    if (s.n < all)
        return 0;
    struct str name = event_type(str_make(s.p + FRAME_HEAD, headers));
    size_t payload = FRAME_HEAD + headers;
    if (is_name(name))
        take_event(r, name, str_make(s.p + payload, all - 4 - payload));
    return all;
}

static void see_frames(cando_reader *r, struct str s)
{
    if (r->rest.n) {
        add(r, &r->rest, s);
        s = STR_IN(r->rest);
    }
    struct str from = s;
    size_t n;
    while (!r->why && (n = take_frame(r, s)) != 0)
        s = str_from(s, n);
    if (r->why)
        return;
    if (from.p == r->rest.p) {
        memmove(r->rest.p, s.p, s.n);
        r->rest.n = s.n;
    } else {
        add(r, &r->rest, s);
    }
}

/* -- the reader ------------------------------------------------------------------------------- */

static bool says(struct str type, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= type.n; i++)
        if (char_fold(type.p[i]) == word[0] && str_eq_fold(str_make(type.p + i, n), str_of(word)))
            return true;
    return false;
}

static enum form form_of(struct str type)
{
    static const char *const lines[] = {"ndjson", "jsonl", "json-seq", "stream+json"};
    if (says(type, "text/event-stream"))
        return FORM_EVENTS;
    if (says(type, "amazon.eventstream"))
        return FORM_FRAMES;
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        if (says(type, lines[i]))
            return FORM_LINES;
    return FORM_WHOLE;
}

cando_reader *cando_reader_new(const char *type, size_t limit, const cando_allocator *a,
                               cando_error *err)
{
    cando_reader *r = mem_alloc(a, sizeof *r);
    if (!r)
        return no_memory(err);
    *r = (cando_reader){.a = a, .limit = limit, .form = form_of(str_of(type ? type : ""))};
    buf_init(&r->rest, a, limit + 1);
    buf_init(&r->data, a, limit + 1);
    buf_init(&r->kept, a, limit + 2); /* and a bracket */
    buf_init(&r->last, a, limit + 1);
    return r;
}

void cando_reader_free(cando_reader *r)
{
    if (!r)
        return;
    buf_free(&r->rest);
    buf_free(&r->data);
    buf_free(&r->kept);
    buf_free(&r->last);
    mem_free(r->a, r, sizeof *r);
}

void cando_reader_see(cando_reader *r, const void *bytes, size_t n)
{
    struct str s = str_make(bytes, n);
    if (r->why || r->done || !n)
        return;
    if (r->form == FORM_WHOLE)
        add(r, &r->kept, s);
    else if (r->form == FORM_FRAMES)
        see_frames(r, s);
    else
        see_lines(r, s);
}

/* What did not end with a line end, or an empty line, ended with the reply. */
static void finish(cando_reader *r)
{
    r->done = true;
    if (r->form == FORM_WHOLE)
        return;
    if (r->form != FORM_FRAMES && r->rest.n)
        take_line(r, STR_IN(r->rest));
    if (r->form == FORM_EVENTS && !r->why)
        end_event(r);
    if (!r->why && r->last.n) {
        buf_putc(&r->kept, ',');
        buf_puts(&r->kept, STR_IN(r->last));
    }
    if (!r->why && r->any)
        buf_putc(&r->kept, ']');
}

cando_bytes cando_reader_end(cando_reader *r, const char **why)
{
    if (!r->done)
        finish(r);
    if (!r->why && r->kept.failed)
        give_up(r, "the reply has more to keep than the limit allows");
    if (!r->why && !r->kept.n)
        r->why = "there was nothing to read in the reply";
    if (why)
        *why = r->why;
    return r->why ? (cando_bytes){NULL, 0} : (cando_bytes){r->kept.p, r->kept.n};
}
