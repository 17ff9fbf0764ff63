/*
 * cost_log.c - prices a log of replies, one a line, and sums it up.
 *
 * One pass, one line at a time: what is kept is a row for each model and each
 * day, and there is a limit to both, beyond which they share one row. So the
 * memory does not depend on the length of the log. All sums are exact.
 *
 * A line is a reply, or the list of a stream's events, or an envelope with the
 * reply in "response" and, where the log says so, its "target", "provider",
 * "service_tier" and "at".
 */
#define _POSIX_C_SOURCE 200809L
#include "cost_log.h"

#include "base/decimal.h"
#include "base/limits.h"
#include "base/map.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    MODELS_MAX = 2000,
    DAYS_MAX = 4000,
    BROKEN_SHOWN = 5, /* lines that could not be priced, shown one by one */
    PROGRESS_LINES = 8192,
};

struct row {
    struct str name;
    uint64_t replies, unknown;
    uint64_t input, output; /* tokens */
    struct decimal cost;    /* of those that are known */
};

struct table {
    struct row *row;
    size_t n, cap, max;
    struct map index;
};

struct cost_sums {
    struct engine *e;
    const struct cost_ask *ask;
    const char *name;
    struct arena ar;
    struct table models, days;
    struct row all, reported, compare[COST_COMPARE_MAX];
    uint64_t line, broken, partial;
    uint64_t bytes, size;
    struct buf out;
    bool failed, progress;
};

/* -- questions ------------------------------------------------------------------------- */

bool cost_is_value(struct str s)
{
    size_t depth = 0;
    bool quoted = false;
    if (!s.n || (s.p[0] != '{' && s.p[0] != '['))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (--depth == 0)
                return i + 1 == s.n;
        }
    }
    return false;
}

const cando_cost_answer *cost_reply(const struct engine *e, const struct cost_ask *ask,
                                    const char *target, struct str text, cando_error *err)
{
    cando_name name = {.model = target};
    cando_cost_question q = {.response = {text.p, text.n},
                             .logged = true,
                             .api = ask->api,
                             .at = ask->at,
                             .service_tier = ask->tier};
    if (target)
        q.target = &name;
    else
        q.provider = ask->provider;
    return cando_ask_cost(e->c, &q, e->room, err);
}

/* -- counts ------------------------------------------------------------------------------ */

static bool is_whole(const char *text, uint64_t *out)
{
    struct decimal d;
    return text && decimal_parse(str_of(text), &d) && decimal_whole(&d, out);
}

struct str cost_count(const char *decimal, char text[32])
{
    uint64_t n;
    if (is_whole(decimal, &n))
        return out_number(n, text);
    return str_of(decimal ? decimal : "unknown");
}

/* -- sums ------------------------------------------------------------------------------- */

static struct row *find_row(struct cost_sums *s, struct table *t, struct str name)
{
    uint32_t *at = map_get(&t->index, name);
    if (at)
        return &t->row[*at];
    if (t->n == t->max) { /* the last row takes all further names */
        t->row[t->n - 1].name = STR("(others)");
        return &t->row[t->n - 1];
    }
    struct str own = str_dup(&s->ar, name);
    if (!own.p || !ARENA_GROW(&s->ar, t->row, t->n, t->cap) ||
        !map_put(&t->index, own, (uint32_t)t->n)) {
        s->failed = true;
        return NULL;
    }
    t->row[t->n] = (struct row){.name = own};
    return &t->row[t->n++];
}

struct amount {
    bool known;
    struct decimal cost;
    uint64_t input, output;
};

static void add_row(struct cost_sums *s, struct row *r, const struct amount *a)
{
    if (!r)
        return;
    r->replies++;
    r->input += a->input;
    r->output += a->output;
    if (!a->known)
        r->unknown++;
    else if (!decimal_add(&r->cost, &a->cost, &r->cost))
        s->failed = true;
}

/* How many of a unit the reply counts; 0 if it does not say. */
static uint64_t count_of(const cando_usage_answer *reply, const char *unit)
{
    uint64_t n = 0;
    for (size_t i = 0; i < reply->n_usage; i++)
        if (strcmp(reply->usage[i].unit, unit) == 0)
            is_whole(reply->usage[i].quantity, &n);
    return n;
}

static struct amount amount_of(const cando_cost_answer *a)
{
    struct amount x = {0};
    x.known = a && a->total_cost && decimal_parse(str_of(a->total_cost), &x.cost);
    return x;
}

static void add_reply(struct cost_sums *s, const cando_cost_answer *a)
{
    struct amount x = amount_of(a), theirs = {.known = true};
    const char *name = a->target ? a->target : a->reply->model;
    struct str day = a->at ? str_head(str_of(a->at), 10) : STR("(no date)");
    x.input = count_of(a->reply, "input_tokens");
    x.output = count_of(a->reply, "output_tokens");
    add_row(s, &s->all, &x);
    add_row(s, find_row(s, &s->models, str_of(name ? name : "(no model)")), &x);
    add_row(s, find_row(s, &s->days, day), &x);
    s->partial += a->reply->partial;
    if (a->reply->reported_cost && decimal_parse(str_of(a->reply->reported_cost), &theirs.cost))
        add_row(s, &s->reported, &theirs);
}

/* -- lines ---------------------------------------------------------------------------------- */

static void broken_line(struct cost_sums *s, const char *message)
{
    if (++s->broken > BROKEN_SHOWN)
        return;
    fprintf(stderr, "%s:%ju: ", s->name, (uintmax_t)s->line);
    out_safe(stderr, str_head(str_of(message), 300));
    fputc('\n', stderr);
}

static void price_line(struct cost_sums *s, struct str line)
{
    cando_error err;
    cando_room_clear(s->e->room);
    const cando_cost_answer *a = cost_reply(s->e, s->ask, s->ask->target, line, &err);
    if (!a && err.status == CANDO_INTERNAL)
        s->failed = true;
    else if (!a)
        broken_line(s,
                    cost_is_value(line) ? err.message : "this line is not one JSON object or list");
    if (!a)
        return;
    add_reply(s, a);
    for (unsigned i = 0; i < s->ask->n_compare; i++) {
        a = cost_reply(s->e, s->ask, s->ask->compare[i], line, &err);
        s->failed |= !a && err.status == CANDO_INTERNAL;
        struct amount x = amount_of(a);
        add_row(s, &s->compare[i], &x);
    }
}

static struct str trim(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t' || s.p[0] == '\r' || s.p[0] == '\n'))
        s = str_from(s, 1);
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r' ||
                   s.p[s.n - 1] == '\n'))
        s.n--;
    return s;
}

static void show_progress(const struct cost_sums *s, bool end)
{
    char n[32];
    if (!s->progress)
        return;
    fprintf(stderr, "\r\033[K");
    if (!end && s->size)
        fprintf(stderr, "%s replies, %u%%", out_number(s->all.replies, n).p,
                (unsigned)(s->bytes * 100 / s->size));
    else if (!end)
        fprintf(stderr, "%s replies", out_number(s->all.replies, n).p);
    fflush(stderr);
}

/* All whole lines of the buffer; at the end of the input the rest, too. */
static void price_lines(struct cost_sums *s, struct buf *in, bool end)
{
    size_t start = 0;
    while (start < in->n && !s->failed) {
        struct str rest = str_make(in->p + start, in->n - start);
        size_t n = str_find_char(rest, '\n');
        if (n == rest.n && !end)
            break;
        struct str line = trim(str_head(rest, n));
        s->line++;
        if (line.n)
            price_line(s, line);
        if (s->line % PROGRESS_LINES == 0)
            show_progress(s, false);
        start += n + 1;
    }
    size_t left = start < in->n ? in->n - start : 0;
    if (left)
        memmove(in->p, in->p + start, left);
    in->n = left;
}

static int read_log(struct cost_sums *s, struct buf *in, FILE *f)
{
    enum { CHUNK = 1 << 16 };
    for (;;) {
        price_lines(s, in, false);
        if (s->failed || in->n > LIMIT_LINE_BYTES || !buf_reserve(in, CHUNK))
            break;
        size_t got = fread(in->p + in->n, 1, CHUNK, f);
        in->n += got;
        s->bytes += got;
        if (got == 0 && ferror(f))
            return EXIT_INPUT;
        if (got == 0) {
            price_lines(s, in, true);
            return s->failed ? EXIT_INTERNAL : EXIT_YES;
        }
    }
    cando_error err;
    if (in->n > LIMIT_LINE_BYTES)
        error_set(&err, CANDO_BAD_INPUT, CODE_too_long, "%s:%ju: the line is longer than %u bytes",
                  s->name, (uintmax_t)s->line + 1, LIMIT_LINE_BYTES);
    else
        error_memory(&err);
    out_error(&err);
    return in->n > LIMIT_LINE_BYTES ? EXIT_INPUT : EXIT_INTERNAL;
}

/* -- the answer ------------------------------------------------------------------------------- */

static int by_cost(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = decimal_cmp(&y->cost, &x->cost);
    return c ? c : str_cmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void put_row(const struct row *r, struct str name, size_t width)
{
    char n[32], money[DECIMAL_TEXT];
    fputs("  ", stdout);
    out_cell(stdout, STYLE_PLAIN, name, width + 2);
    printf("%12s", out_number(r->replies, n).p);
    printf("%16s", out_number(r->input, n).p);
    printf("%16s", out_number(r->output, n).p);
    printf("  $%s", decimal_text(&r->cost, money).p);
    if (r->unknown)
        printf("  and %s unknown", out_number(r->unknown, n).p);
    fputc('\n', stdout);
}

static void put_table(const char *title, const struct table *t)
{
    size_t width = strlen(title);
    for (size_t i = 0; i < t->n; i++)
        width = out_width(t->row[i].name) > width ? out_width(t->row[i].name) : width;
    fputs("  ", stdout);
    out_cell(stdout, STYLE_BOLD, str_of(title), width + 2);
    printf("%12s%16s%16s  cost\n", "replies", "input", "output");
    for (size_t i = 0; i < t->n; i++)
        put_row(&t->row[i], t->row[i].name, width);
    fputc('\n', stdout);
}

static void put_compare(const struct cost_sums *s)
{
    char money[DECIMAL_TEXT], n[32];
    size_t width = 0;
    for (unsigned i = 0; i < s->ask->n_compare; i++)
        width = strlen(s->ask->compare[i]) > width ? strlen(s->ask->compare[i]) : width;
    if (s->ask->n_compare)
        fputs("\n  the same replies at\n", stdout);
    for (unsigned i = 0; i < s->ask->n_compare; i++) {
        fputs("  ", stdout);
        out_cell(stdout, STYLE_PLAIN, str_of(s->ask->compare[i]), width + 2);
        printf("$%s", decimal_text(&s->compare[i].cost, money).p);
        if (s->compare[i].unknown)
            printf("  and %s unknown", out_number(s->compare[i].unknown, n).p);
        fputc('\n', stdout);
    }
}

static void put_page(const struct cost_sums *s)
{
    char n[32], money[DECIMAL_TEXT];
    put_table("model", &s->models);
    put_table("day", &s->days);
    printf("  %s replies cost ", out_number(s->all.replies, n).p);
    if (s->all.unknown || s->broken)
        fputs("at least ", stdout);
    snprintf(money, sizeof money, "$%s", decimal_text(&s->all.cost, (char[DECIMAL_TEXT]){0}).p);
    out_print(stdout, STYLE_BOLD, money);
    fputc('\n', stdout);
    if (s->all.unknown)
        printf("  %s of them have a cost that is not known\n", out_number(s->all.unknown, n).p);
    if (s->partial)
        printf("  %s streams were cut\n", out_number(s->partial, n).p);
    if (s->broken)
        printf("  %s lines could not be read\n", out_number(s->broken, n).p);
    if (s->reported.replies)
        printf("  %s say themselves what they cost: $%s\n", out_number(s->reported.replies, n).p,
               decimal_text(&s->reported.cost, money).p);
    put_compare(s);
}

static void json_row(struct buf *b, const char *key, const struct row *r, struct str name)
{
    char money[DECIMAL_TEXT];
    buf_printf(b, "{\"%s\":", key);
    out_quoted(b, name);
    buf_printf(b,
               ",\"replies\":%ju,\"unknown\":%ju,\"input_tokens\":%ju,\"output_tokens\":%ju,"
               "\"known_cost\":\"%s\",\"total_cost\":",
               (uintmax_t)r->replies, (uintmax_t)r->unknown, (uintmax_t)r->input,
               (uintmax_t)r->output, decimal_text(&r->cost, money).p);
    if (r->unknown)
        buf_putz(b, "null}");
    else
        buf_printf(b, "\"%s\"}", money);
}

static void json_table(struct buf *b, const char *list, const char *key, const struct table *t)
{
    buf_printf(b, ",\"%s\":[", list);
    for (size_t i = 0; i < t->n; i++) {
        if (i)
            buf_putc(b, ',');
        json_row(b, key, &t->row[i], t->row[i].name);
    }
    buf_putc(b, ']');
}

static void put_json(struct cost_sums *s)
{
    char money[DECIMAL_TEXT];
    struct buf *b = &s->out;
    bool whole = !s->all.unknown && !s->broken;
    buf_clear(b);
    buf_printf(b,
               "{\"currency\":\"USD\",\"replies\":%ju,\"unknown\":%ju,\"broken\":%ju,"
               "\"partial\":%ju,\"known_cost\":\"%s\",\"total_cost\":",
               (uintmax_t)s->all.replies, (uintmax_t)s->all.unknown, (uintmax_t)s->broken,
               (uintmax_t)s->partial, decimal_text(&s->all.cost, money).p);
    if (whole)
        buf_printf(b, "\"%s\"", money);
    else
        buf_putz(b, "null");
    if (s->reported.replies)
        buf_printf(b, ",\"reported\":{\"replies\":%ju,\"cost\":\"%s\"}",
                   (uintmax_t)s->reported.replies, decimal_text(&s->reported.cost, money).p);
    json_table(b, "models", "model", &s->models);
    json_table(b, "days", "day", &s->days);
    buf_putz(b, ",\"compare\":[");
    for (unsigned i = 0; i < s->ask->n_compare; i++) {
        if (i)
            buf_putc(b, ',');
        json_row(b, "target", &s->compare[i], str_of(s->ask->compare[i]));
    }
    buf_putz(b, "]}");
    out_line(str_make(b->p, b->n));
}

int cost_log(struct engine *e, const struct cost_ask *ask, const char *name, struct buf *head,
             FILE *in)
{
    struct cost_sums s = {
        .e = e, .ask = ask, .name = name, .bytes = head->n, .progress = isatty(STDERR_FILENO) == 1};
    arena_init(&s.ar, NULL);
    buf_init(&s.out, NULL, LIMIT_JSON_BYTES);
    s.models.max = MODELS_MAX;
    s.days.max = DAYS_MAX;
    map_init(&s.models.index, &s.ar, false);
    map_init(&s.days.index, &s.ar, false);
    long here = ftell(in); /* of a file the whole size is known */
    if (here >= 0 && fseek(in, 0, SEEK_END) == 0) {
        long size = ftell(in);
        s.size = size > 0 ? (uint64_t)size : 0;
        if (fseek(in, here, SEEK_SET) != 0)
            s.failed = true;
    }
    int code = read_log(&s, head, in);
    show_progress(&s, true);
    if (code == EXIT_YES) {
        qsort(s.models.row, s.models.n, sizeof *s.models.row, by_cost);
        qsort(s.days.row, s.days.n, sizeof *s.days.row, by_name);
        if (s.broken > BROKEN_SHOWN)
            fprintf(stderr, "%s: and %ju more lines that could not be priced\n", name,
                    (uintmax_t)(s.broken - BROKEN_SHOWN));
        if (ask->json)
            put_json(&s);
        else
            put_page(&s);
        code = s.broken ? EXIT_INPUT : s.all.unknown ? EXIT_NO : EXIT_YES;
    }
    buf_free(&s.out);
    arena_free(&s.ar);
    return code;
}
