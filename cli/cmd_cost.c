/*
 * cmd_cost.c - cando cost: what a reply cost, or a log of them, or what a request will.
 *
 * One JSON text is one reply, and its bill is shown line by line, or it is a request
 * and priced in advance (cost_ahead.c); several lines of JSON are a log, and it is
 * summed up by model and by day (cost_log.c).
 */
#define _POSIX_C_SOURCE 200809L
#include "api_words.h"
#include "base/limits.h"
#include "cost_ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum {
    OPTION_TARGET = OPTION_LONG,
    OPTION_PROVIDER,
    OPTION_AT,
    OPTION_TIER,
    OPTION_COMPARE,
    OPTION_REQUEST,
    OPTION_OUTPUT,
    OPTION_JSON,
};

static const struct option_row options[] = {
    {OPTION_TARGET, "target", "PROVIDER/MODEL", NULL,
     "price it as this model, whatever the reply or request says"},
    {OPTION_PROVIDER, "provider", "NAME", NULL,
     "who answered; the model is the one that the reply or request names"},
    {OPTION_AT, "at", "TIME", NULL,
     "when: 2026-11-15T16:30:00Z, 2026-11-15, or now; else what the reply says"},
    {OPTION_TIER, "tier", "NAME", NULL,
     "service tier: batch, flex, priority, ..; else what the reply or request says"},
    {OPTION_REQUEST, "request", NULL, NULL, "FILE is a request, even if its members do not tell"},
    {OPTION_OUTPUT, "output", "TOKENS", NULL, "how long the answer to a request is expected to be"},
    {'d', "dialect", "NAME", API_ALL_WORDS,
     "the API of the reply or request, where its form does not tell"},
    {OPTION_COMPARE, "compare", "PROVIDER/MODEL", NULL,
     "what the same would cost there; may be repeated"},
    {OPTION_JSON, "json", NULL, NULL, "print JSON"},
    ENGINE_OPTIONS,
    {0},
};

/* -- one reply ---------------------------------------------------------------------------- */

static void put_text(const char *text, size_t width, enum style style)
{
    out_cell(stdout, style, str_of(text ? text : "unknown"), width);
}

static void put_amount(const char *name, const char *amount)
{
    printf("  %-14s%s", name, amount ? "$" : "");
    put_text(amount, 0, amount ? STYLE_BOLD : STYLE_WARN);
    fputc('\n', stdout);
}

static void put_item(const cando_cost_item *it)
{
    char text[32];
    fputs("  ", stdout);
    put_text(it->unit, 26, STYLE_PLAIN);
    printf("%14.*s  ", STR_ARG(cost_count(it->quantity, text)));
    if (it->rate)
        printf("at $%s for %s  ", it->rate, out_number(it->per, text).p);
    fputs(it->cost ? "= $" : "= ", stdout);
    put_text(it->cost, 0, STYLE_PLAIN);
    fputs("  ", stdout);
    put_text(it->why, 0, STYLE_DIM);
    fputc('\n', stdout);
}

static void put_unknown(const cando_cost_unknown *x)
{
    fputs("  note: ", stdout);
    if (x->unit)
        printf("%s: ", x->unit);
    put_text(x->reason, 0, STYLE_PLAIN);
    fputc('\n', stdout);
}

static void show_bill(const cando_cost_answer *a)
{
    put_text(a->target ? a->target : a->reply->model, 0, STYLE_BOLD);
    if (a->target_from)
        fputs(" (provider found by the form of the reply)", stdout);
    fputs("\n\n", stdout);
    for (size_t i = 0; i < a->n_items; i++)
        put_item(&a->items[i]);
    fputc('\n', stdout);
    put_amount("input", a->input_cost);
    put_amount("output", a->output_cost);
    put_amount("total", a->total_cost);
    if (a->at_least)
        put_amount("at least", a->at_least);
    if (a->reply->reported_cost)
        put_amount("reported", a->reply->reported_cost);
    for (size_t i = 0; i < a->n_unknown; i++)
        put_unknown(&a->unknown[i]);
}

/* The same usage elsewhere: a line each. */
static int compare_one(struct engine *e, const struct cost_ask *ask, struct str text)
{
    int code = EXIT_YES;
    cando_error err;
    if (ask->n_compare && !ask->json)
        fputs("\n  the same reply at\n", stdout);
    for (unsigned i = 0; i < ask->n_compare && code == EXIT_YES; i++) {
        const cando_cost_answer *a = cost_reply(e, ask, ask->compare[i], text, &err);
        if (!a)
            return engine_failed(&err);
        if (ask->json) {
            code = engine_json(e, "cost", a);
            continue;
        }
        fputs("  ", stdout);
        out_cell(stdout, STYLE_PLAIN, str_of(ask->compare[i]), 40);
        fputs(a->total_cost ? "$" : "", stdout);
        put_text(a->total_cost, 0, STYLE_PLAIN);
        fputc('\n', stdout);
    }
    return code;
}

static int cost_one(struct engine *e, const struct cost_ask *ask, struct str text)
{
    cando_error err;
    int code = EXIT_YES;
    const cando_cost_answer *a = cost_reply(e, ask, ask->target, text, &err);
    if (!a)
        return engine_failed(&err);
    if (ask->json)
        code = engine_json(e, "cost", a);
    else
        show_bill(a);
    if (code == EXIT_YES)
        code = compare_one(e, ask, text);
    return code == EXIT_YES && !a->total_cost ? EXIT_NO : code;
}

/* What cannot be asked of a reply. */
static int option_error(const char *name, const char *what)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "%s: %s", name, what);
    out_error(&err);
    return EXIT_QUESTION;
}

static int cost_text(struct engine *e, const struct cost_ask *ask, const char *name,
                     struct str text)
{
    if (ask->request || cando_is_request(text.p, text.n))
        return cost_ahead(e, ask, text);
    if (ask->output.known)
        return option_error(name, "--output is for a request, and this looks like a reply; "
                                  "--request says that it is one");
    return cost_one(e, ask, text);
}

/* -- one or many ----------------------------------------------------------------------------- */

static struct str trimmed(const struct buf *b, size_t n)
{
    struct str s = str_make(b->p, n);
    while (s.n && (unsigned char)s.p[0] <= ' ')
        s = str_from(s, 1);
    while (s.n && (unsigned char)s.p[s.n - 1] <= ' ')
        s.n--;
    return s;
}

/* Reads on until `in` has a whole first line of text, or the input ends. */
static bool read_line(struct buf *in, FILE *f, size_t *line)
{
    size_t from = 0;
    for (;;) {
        struct str rest = str_make(in->p ? in->p + from : "", in->n - from);
        size_t n = str_find_char(rest, '\n');
        if (n < rest.n && trimmed(in, from + n).n) {
            *line = from + n;
            return true;
        }
        from += n < rest.n ? n + 1 : n;
        if (n < rest.n)
            continue;
        from -= n;
        if (in->n > LIMIT_LINE_BYTES || !buf_reserve(in, 1 << 16))
            return false;
        size_t got = fread(in->p + in->n, 1, 1 << 16, f);
        in->n += got;
        if (got == 0) {
            *line = in->n;
            return !ferror(f);
        }
    }
}

static bool read_rest(struct buf *in, FILE *f)
{
    for (size_t got = 1; got && in->n <= LIMIT_LINE_BYTES && buf_reserve(in, 1 << 16); in->n += got)
        got = fread(in->p + in->n, 1, 1 << 16, f);
    return in->n <= LIMIT_LINE_BYTES && !ferror(f);
}

static int input_error(const char *name, const char *what)
{
    cando_error err;
    error_set(&err, CANDO_BAD_INPUT, CODE_io, "%s: %s", name, what);
    out_error(&err);
    return EXIT_INPUT;
}

/* A first line that is a whole value, with something behind it: a log. */
static int cost_stream(struct engine *e, const struct cost_ask *ask, const char *name,
                       struct buf *in, FILE *f)
{
    size_t line;
    if (!read_line(in, f, &line))
        return input_error(name, "cannot be read, or has a line over the limit");
    struct str first = trimmed(in, line);
    if (cost_is_value(first)) {
        if (line == in->n && line > 0 && !feof(f)) { /* is there more? */
            int c = fgetc(f);
            if (c != EOF && ungetc(c, f) == EOF)
                return input_error(name, "cannot be read");
        }
        if (trimmed(in, in->n).n != first.n || !feof(f))
            return ask->request || ask->output.known
                       ? option_error(name,
                                      "several lines of JSON are a log of replies, not a request")
                       : cost_log(e, ask, name, in, f);
        return cost_text(e, ask, name, first);
    }
    if (!read_rest(in, f))
        return input_error(name, "cannot be read, or is over the limit");
    struct str all = trimmed(in, in->n);
    if (!cost_is_value(all))
        return input_error(name, "is neither one JSON reply or request, nor a reply in each line");
    return cost_text(e, ask, name, all);
}

static int cost_file(struct engine *e, const struct cost_ask *ask, const char *path)
{
    bool standard = !path || strcmp(path, "-") == 0;
    const char *name = standard ? "(standard input)" : path;
    FILE *f = standard ? stdin : fopen(path, "rb");
    struct buf in;
    if (!f)
        return input_error(name, strerror(errno));
    buf_init(&in, NULL, (size_t)LIMIT_LINE_BYTES + (1u << 20));
    int code = cost_stream(e, ask, name, &in, f);
    buf_free(&in);
    if (!standard)
        fclose(f);
    return code;
}

/* "now" becomes a time: the library has no clock. */
static const char *at_text(const char *value, char text[32])
{
    time_t t = time(NULL);
    struct tm tm;
    if (strcmp(value, "now") != 0 || !gmtime_r(&t, &tm) ||
        !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
        return value;
    return text;
}

static bool is_count(const char *z)
{
    size_t n = strspn(z, "0123456789");
    return n > 0 && n < 16 && !z[n] && (z[0] != '0' || n == 1);
}

static bool take_option(struct cost_ask *ask, int id, const char *value, char at[32])
{
    switch (id) {
    case OPTION_TARGET:
        ask->target = value;
        return true;
    case OPTION_PROVIDER:
        ask->provider = value;
        return true;
    case OPTION_AT:
        ask->at = at_text(value, at);
        return true;
    case OPTION_TIER:
        ask->tier = value;
        return true;
    case OPTION_JSON:
        ask->json = true;
        return true;
    case OPTION_REQUEST:
        ask->request = true;
        return true;
    case OPTION_COMPARE:
        if (ask->n_compare == COST_COMPARE_MAX)
            return false;
        ask->compare[ask->n_compare++] = value;
        return true;
    }
    return false;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct cost_ask ask = {0};
    struct engine e;
    char at[32];
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_COMPARE && ask.n_compare == COST_COMPARE_MAX)
            return args_usage(&a, "at most 16 models can be compared");
        if (id == 'd' && args_word(&a, id))
            ask.api = a.value;
        else if (id == OPTION_OUTPUT && is_count(a.value))
            ask.output = (cando_number){strtoull(a.value, NULL, 10), true};
        else if (id == OPTION_OUTPUT)
            return args_usage(&a, "--output takes a whole number of tokens");
        else if (!take_option(&ask, id, a.value, at) && !engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest > 1)
        return args_usage(&a, "one file at a time");
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = cost_file(&e, &ask, a.n_rest ? a.rest[0] : NULL);
    engine_close(&e);
    return code;
}

const struct verb verb_cost = {
    .name = "cost",
    .summary = "what a reply cost, or a log of them, or what a request will",
    .usage = "[OPTION]... [FILE]",
    .text = "Reads a provider's reply (or the list of its stream's events) from FILE or the "
            "standard input and shows what it cost, item by item, in exact decimals. Several "
            "lines of JSON are a log: it is read once, in constant memory, and summed up by model "
            "and by day.\n\n"
            "A line of a log may also be an envelope, {\"provider\":..,\"response\":{..}}, with "
            "\"target\", \"provider\", \"service_tier\" and \"at\" as it likes. A price belongs "
            "to a provider and a model: where neither the options nor the reply say who answered, "
            "the cost is unknown.\n\n"
            "A request is priced in advance: low is the smallest prompt that it can be and no "
            "answer, high the largest and the longest answer allowed, expected the usual one and "
            "an answer of 500 tokens, unless --output says otherwise. With --compare each model "
            "counts with its own tokenizer.\n\n"
            "The exit code is 0 if the whole cost is known, 1 if part of it is not, 3 if "
            "something could not be read.",
    .options = options,
    .run = run,
};
