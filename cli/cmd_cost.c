/*
 * cmd_cost.c - cando cost: what a reply cost, or a log of them, or what a request will.
 *
 * One JSON text is one reply, and its bill is shown line by line, or it is a request
 * and priced in advance (cost_ahead.c); several lines of JSON are a log, and it is
 * summed up by model and by day (cost_log.c).
 */
#define _POSIX_C_SOURCE 200809L
#include "api_words.h"
#include "base/decimal.h"
#include "base/instant.h"
#include "base/limits.h"
#include "cost.h"
#include "request.h"
#include "stream.h"
#include "suggest.h"
#include "table.h"
#include "trail.h"
#include "value.h"
#include "when.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static take_fn take_at, take_bound;

static take_fn take_budget;
static const struct option_row options[] = {
    {TEXT("target", target, "PROVIDER/MODEL",
          "price it as this model, whatever the reply or request says")},
    {COMMAS("provider", providers, n_providers, "LIST",
            "who answered; of several the first that has the model, which is the one that the "
            "reply or request names")},
    {TAKES("at", take_at, "TIME",
           "when: 2026-11-15T16:30:00Z, 2026-11-15, or now; else what the reply says"),
     .at = AT_(ask, at, const char *)},
    {TEXT("tier", tier, "NAME",
          "service tier: batch, flex, priority, ..; else what the reply or request says")},
    {FLAG("request", request, "FILE is a request, even if its members do not tell")},
    {NUMBER("output", output, "TOKENS", "how long the answer to a request is expected to be")},
    {ONE_OF("dialect", api, "NAME", API_ALL_WORDS,
            "the API of the reply or request, where its form does not tell (or --api)"),
     .letter = 'd',
     .also = "api"},
    {COMMAS("compare", compare, n_compare, "MODELS",
            "what the same would cost there: PROVIDER/MODEL,..; may be repeated")},
    {TAKES("since", take_bound, "DAY",
           "of many replies: those of this day or time (or 30d ago), and later ones"),
     .at = AT_(ask, since, const char *)},
    {TAKES("until", take_bound, "DAY", "those up to this day or time, which is still in"),
     .at = AT_(ask, until, const char *)},
    {COMMAS("by", by, n_by, "LIST", "one table, a row for each: " COST_BY_WORDS)},
    {FLAG("csv", csv, "print that table for spreadsheets")},
    {TAKES("budget", take_budget, "USD",
           "the exit code is 1 if it costs more; of a request the high end counts"),
     .at = AT_(ask, budget, const char *)},
    {JSON("print JSON")},
    {.more = engine_options},
};

static bool take_budget(struct call *c, const struct option_row *o, const char *value)
{
    struct decimal d;
    value += *value == '$';
    if (!decimal_parse(str_of(value), &d) || d.negative)
        return option_refuse(o, value, "an amount in US dollars: 5 or 0.25");
    return take_text(c, o, value);
}

int cost_in_budget(struct call *c, const char *cost, int code)
{
    const struct ask *k = c->ask;
    struct decimal is, most;
    char text[DECIMAL_TEXT];
    if (!k->budget || !cost || code > EXIT_NO)
        return code;
    if (!decimal_parse(str_of(cost), &is) || !decimal_parse(str_of(k->budget), &most))
        return code;
    if (decimal_cmp(&is, &most) <= 0)
        return code;
    fflush(stdout);
    out_to(stderr, "over the budget: %s of %s\n", money_text(cost, &c->ar),
           money_text(decimal_text(&most, text).p, &c->ar));
    return EXIT_NO;
}

/* "now" becomes a time: the library has no clock. */
static bool take_at(struct call *c, const struct option_row *o, const char *value)
{
    struct instant now;
    char text[INSTANT_TEXT];
    if (strcmp(value, "now") == 0 && instant_from_unix(asked_now() / 1000, &now))
        value = call_text(c, instant_seconds(&now, text));
    return value && take_text(c, o, value);
}

/* A day or a month as it is, a time as replies have it: such texts compare as they stand. */
static bool take_bound(struct call *c, const struct option_row *o, const char *value)
{
    struct instant at;
    char text[INSTANT_TEXT], day[16];
    int32_t n;
    if (when_moved(value, true, &n))
        return take_day(c, o, value);
    snprintf(day, sizeof day, "%.10s%s", value, strlen(value) == 7 ? "-01" : "");
    if (strlen(value) <= 10 && day_parse(str_of(day), &n))
        return take_text(c, o, value);
    if (strlen(value) <= 10 || !instant_parse(str_of(value), &at))
        return option_refuse(o, value,
                             "a day, a month or a time: 2026-11-15, 2026-11, "
                             "2026-11-15T16:30:00Z; or so long ago: " WHEN_SPANS);
    value = call_text(c, instant_seconds(&at, text));
    return value && take_text(c, o, value);
}

/* -- questions -- */

static bool is_priced(const cando_cost_answer *a)
{
    return a->total_cost || a->at_least;
}

/* Of several providers the first that has a price for the model counts, else the first. */
static const cando_cost_answer *ask(struct call *c, const char *target, cando_cost_question q)
{
    const struct ask *k = c->ask;
    cando_name name = {.model = target};
    q.at = k->at;
    q.service_tier = k->tier;
    if (target)
        q.target = &name;
    size_t n = target ? 0 : k->n_providers;
    q.provider = n ? k->providers[0] : NULL;
    const cando_cost_answer *a = cando_ask_cost(c->engine, &q, c->room, &c->err);
    for (size_t i = 1; a && !is_priced(a) && i < n; i++) {
        q.provider = k->providers[i];
        const cando_cost_answer *other = cando_ask_cost(c->engine, &q, c->room, &c->err);
        a = !other || is_priced(other) ? other : a;
    }
    if (!a && k->file && str_starts(str_of(c->err.code), STR("json-"))) {
        struct str message = str_dup(&c->ar, str_of(c->err.message));
        error_set(&c->err, CANDO_BAD_INPUT, CODE_json_syntax, "%.400s: %s", k->file,
                  message.p ? message.p : "no JSON");
        request_quotes(&c->err);
    }
    return a;
}

const cando_cost_answer *cost_reply(struct call *c, const char *target, struct str text)
{
    const struct ask *k = c->ask;
    return ask(c, target,
               (cando_cost_question){.response = {text.p, text.n}, .logged = true, .api = k->api});
}

const cando_cost_answer *cost_request(struct call *c, const char *target, const char *api,
                                      struct str text)
{
    const struct ask *k = c->ask;
    cando_cost_question q = {.request = {text.p, text.n}, .api = api, .output_tokens = k->output};
    return ask(c, target, q);
}

/* -- the same elsewhere -- */

const cando_cost_answer **cost_compared(struct call *c, const char *api, struct str text)
{
    const struct ask *k = c->ask;
    const cando_cost_answer **list = arena_array(&c->ar, k->n_compare + 1, sizeof(*list));
    if (!list)
        c->code = fail_memory();
    for (size_t i = 0; list && i < k->n_compare; i++) {
        list[i] =
            api ? cost_request(c, k->compare[i], api, text) : cost_reply(c, k->compare[i], text);
        if (!list[i]) {
            c->code = fail(&c->err);
            return NULL;
        }
    }
    return list;
}

bool cost_all_known(const struct call *c, const cando_cost_answer *const *compared)
{
    const struct ask *k = c->ask;
    bool known = true;
    for (size_t i = 0; i < k->n_compare; i++) {
        known = known && compared[i]->total_cost;
        for (size_t end = 0; compared[i]->estimate && end < 3; end++)
            known = known && cost_bill(compared[i], end)->total_cost;
    }
    return known;
}

int cost_json(struct call *c, const cando_cost_answer *a, const cando_cost_answer *const *compared)
{
    const struct ask *k = c->ask;
    struct buf b;
    cando_bytes text;
    buf_init_arena(&b, &c->ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i <= k->n_compare; i++) {
        if (cando_encode("cost", i ? compared[i - 1] : a, c->room, &text, &c->err) != CANDO_OK)
            return fail(&c->err);
        bool open = !i && k->n_compare; /* its end comes behind the others */
        buf_putz(&b, i > 1 ? "," : "");
        buf_puts(&b, str_make(text.p, text.n - open));
        buf_putz(&b, open ? ",\"compare\":[" : i == k->n_compare && i ? "]}" : "");
    }
    if (b.failed)
        return fail_memory();
    out_line(STR_IN(b));
    return EXIT_YES;
}

bool cost_whole(const char *decimal, uint64_t *out)
{
    struct decimal d;
    return decimal && decimal_parse(str_of(decimal), &d) && decimal_whole(&d, out);
}

const char *cost_count(const char *decimal, char text[32])
{
    uint64_t n;
    return cost_whole(decimal, &n) ? out_number(n, text).p : decimal ? decimal : "unknown";
}

bool cost_is_value(struct str s)
{
    size_t depth = 0;
    bool quoted = false;
    if (!s.n || (s.p[0] != '{' && s.p[0] != '['))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '{' || c == '['))
            depth++;
        else if (!quoted && (c == '}' || c == ']') && --depth == 0)
            return i + 1 == s.n;
    }
    return false;
}

/* -- one reply -- */

void cost_money(struct table *t, const char *amount, enum style style)
{
    table_cell(t, amount ? style : STYLE_WARN, "%s",
               amount ? money_text(amount, t->ar) : "unknown");
}

/* What is not as usual about a rate. */
static const char *rate_note(const char *why)
{
    static const char usual[] = "its own rate";
    size_t n = sizeof usual - 1;
    if (!why || strncmp(why, usual, n) != 0)
        return why;
    return why + n + strspn(why + n, ",; ");
}

/* Where its first clause ends; the others have no room in a table, nor has a long one. */
static size_t first_clause(const char *note)
{
    enum { CLAUSE_WIDE = 24 };
    const char *end = note ? strstr(note, "; ") : NULL;
    size_t n = end ? (size_t)(end - note) : note ? strlen(note) : 0;
    return n > CLAUSE_WIDE ? 0 : n;
}

static void add_item(struct table *t, const cando_cost_item *it)
{
    char text[32];
    const char *note = it->cost ? rate_note(it->why) : "";
    table_cell(t, STYLE_PLAIN, "  %s", it->unit);
    table_cell(t, STYLE_PLAIN, "%s", cost_count(it->quantity, text));
    if (it->rate) {
        cost_money(t, it->rate, STYLE_PLAIN);
        table_cell(t, STYLE_DIM, "%s", out_number(it->per, text).p);
    } else {
        table_cell(t, STYLE_PLAIN, "%s", "");
        table_cell(t, STYLE_PLAIN, "%s", "");
    }
    cost_money(t, it->cost, STYLE_PLAIN);
    table_cell(t, STYLE_DIM, "%.*s", (int)first_clause(note), note);
}

/* What the table had no room for. */
static void put_rest(const cando_cost_item *it)
{
    const char *note = it->cost ? rate_note(it->why) : "";
    size_t n = first_clause(note);
    if (note && note[n])
        out_notef(stdout, 4, "  note: %s: %s", it->unit, note + (n ? n + 2 : 0));
}

void cost_discount(const cando_cost_answer *a)
{
    const cando_discount *d = a->discount;
    if (!d)
        return;
    bool rule = !d->source || !*d->source;
    out_notef(stdout, 4, "  %s: %ju%% off, says %s%s%s%s", d->tier, (uintmax_t)d->percent,
              rule ? d->file : d->source, *d->checked ? " (" : "", d->checked,
              *d->checked ? ")" : "");
}

void cost_note(const char *where, const cando_cost_unknown *x)
{
    out_notef(stdout, 4, "  note: %s%s%s%s", where, x->unit ? x->unit : "", x->unit ? ": " : "",
              x->reason);
}

/* A line with a name and an amount, or with nothing at all. */
static void add_sum(struct table *t, const char *name, const char *amount, enum style style)
{
    table_cell(t, STYLE_PLAIN, "%s%s", *name ? "  " : "", name);
    for (int i = 0; i < 3; i++)
        table_cell(t, STYLE_PLAIN, "%s", "");
    if (*name)
        cost_money(t, amount, style);
    else
        table_cell(t, STYLE_PLAIN, "%s", "");
    table_cell(t, STYLE_PLAIN, "%s", "");
}

/* What is neither input nor output: searches, calls of tools, seconds. The lines above the total
 * make it up. */
static void add_rest(struct table *t, const cando_cost_answer *a)
{
    struct decimal total, input, output;
    char text[DECIMAL_TEXT];
    if (!a->total_cost || !a->input_cost || !a->output_cost)
        return;
    if (!decimal_parse(str_of(a->total_cost), &total) ||
        !decimal_parse(str_of(a->input_cost), &input) ||
        !decimal_parse(str_of(a->output_cost), &output) ||
        !decimal_sub(&total, &input, &total) || !decimal_sub(&total, &output, &total))
        return;
    if (!decimal_is_zero(&total))
        add_sum(t, "other", decimal_text(&total, text).p, STYLE_PLAIN);
}

static int put_bill(struct call *c, const cando_cost_answer *a)
{
    struct table t = {.ar = &c->ar};
    const char *name = a->target ? a->target : a->reply->model;
    out(BOLD "%s" END "%s\n\n", name ? name : "unknown",
        a->target_from ? " (provider found by the form of the reply)" : "");
    table_column(&t, "", COLUMN_LEFT);
    table_column(&t, "quantity", COLUMN_RIGHT);
    table_column(&t, "rate", COLUMN_POINT);
    table_column(&t, "for", COLUMN_RIGHT);
    table_column(&t, "cost", COLUMN_POINT);
    table_column(&t, "", COLUMN_SPARE);
    for (size_t i = 0; i < a->n_items; i++)
        add_item(&t, &a->items[i]);
    add_sum(&t, "", NULL, STYLE_PLAIN);
    add_sum(&t, "input", a->input_cost, STYLE_PLAIN);
    add_sum(&t, "output", a->output_cost, STYLE_PLAIN);
    add_rest(&t, a);
    add_sum(&t, "total", a->total_cost, STYLE_BOLD);
    if (a->at_least)
        add_sum(&t, "at least", a->at_least, STYLE_BOLD);
    if (a->reply->reported_cost)
        add_sum(&t, "reported", a->reply->reported_cost, STYLE_PLAIN);
    int code = table_print(&t, 0);
    if (a->discount)
        out("\n");
    cost_discount(a);
    for (size_t i = 0; i < a->n_items; i++)
        put_rest(&a->items[i]);
    /* if the price is unknown altogether, the first reason has no unit: that is enough */
    size_t notes = a->n_unknown && !a->unknown[0].unit ? 1 : a->n_unknown;
    for (size_t i = 0; i < notes; i++)
        cost_note("", &a->unknown[i]);
    if (notes && !a->unknown[0].unit && !a->target)
        out("  hint: --provider NAME says who answered, --target PROVIDER/MODEL also what\n");
    return code;
}

static int put_compared(struct call *c, const cando_cost_answer *const *compared)
{
    const struct ask *k = c->ask;
    struct table t = {.ar = &c->ar};
    table_column(&t, "  the same reply at", COLUMN_LEFT);
    table_column(&t, "cost", COLUMN_POINT);
    for (size_t i = 0; i < k->n_compare; i++) {
        table_cell(&t, STYLE_PLAIN, "  %s", k->compare[i]);
        cost_money(&t, compared[i]->total_cost, STYLE_PLAIN);
    }
    if (!t.n)
        return EXIT_YES;
    out("\n");
    return table_print(&t, 0);
}

/* The bill, and the same usage elsewhere: a line each. */
static int cost_one(struct call *c, struct str text)
{
    const struct ask *k = c->ask;
    const cando_cost_answer *a = cost_reply(c, k->target, text);
    if (!a)
        return fail(&c->err);
    bool known = a->total_cost != NULL;
    const char *cost = known ? a->total_cost : a->at_least;
    const cando_cost_answer **compared = cost_compared(c, NULL, text);
    if (!compared)
        return c->code;
    if (c->json) {
        c->code = cost_json(c, a, compared);
    } else {
        if (a->target && !known)
            suggest_unknown(c, a->target);
        c->code = put_bill(c, a);
        if (c->code == EXIT_YES)
            c->code = put_compared(c, compared);
    }
    known = known && cost_all_known(c, compared);
    return cost_in_budget(c, cost, call_end(c, known));
}

/* What cannot be asked of a reply. */
static int option_error(const char *name, const char *what)
{
    return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "%s: %s", name, what);
}

static int cost_text(struct call *c, const char *name, struct str text)
{
    struct ask *k = c->ask;
    k->file = name;
    if (k->request || cando_is_request(text.p, text.n))
        return cost_of_request(c, text);
    if (k->output.known)
        return option_error(name, "--output is for a request, and this looks like a reply; "
                                  "--request says that it is one");
    return cost_one(c, text);
}

/* -- one or many -- */

/* What several files or lines are: replies, or requests. One of the two, once it is known. */
struct many {
    struct cost_log *log;
    struct cost_plan *plan;
};

static int many_begin(struct call *c, struct many *m, bool requests)
{
    if (requests ? m->log != NULL : m->plan != NULL)
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, "one after the other",
                         "requests and replies are not summed up together");
    if (m->log || m->plan)
        return EXIT_YES;
    return requests ? cost_plan_begin(c, &m->plan) : cost_log_begin(c, &m->log);
}

static int many_end(struct call *c, struct many *m)
{
    int code = m->plan ? EXIT_YES : many_begin(c, m, false);
    if (code != EXIT_YES)
        return code;
    return m->plan ? cost_plan_end(m->plan) : cost_log_end(m->log);
}

static bool is_request(const struct ask *k, struct str text)
{
    return k->request || cando_is_request(text.p, text.n);
}

static int input_error(const char *name, const char *what)
{
    return fail_with(CANDO_BAD_INPUT, CODE_io, NULL, "%s: %s", name, what);
}

static int no_file(struct call *c, const char *path)
{
    if (errno == ENOENT)
        return request_no_file(c, path);
    return input_error(path, strerror(errno));
}

static struct str trimmed(struct str s)
{
    while (s.n && (unsigned char)s.p[0] <= ' ')
        s = str_from(s, 1);
    return s;
}

/* -- a prompt -- */

/* Text that is no JSON, and was not meant to be. */
static bool is_prompt(struct str text)
{
    return text.n && text.p[0] != '{' && text.p[0] != '[' && utf8_check(text) == text.n;
}

static void put_string(struct buf *b, struct str s)
{
    buf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ')
            buf_printf(b, "\\u%04x", (unsigned)(unsigned char)s.p[i]);
        else if (s.p[i] == '"' || s.p[i] == '\\')
            buf_printf(b, "\\%c", s.p[i]);
        else
            buf_putc(b, s.p[i]);
    buf_putc(b, '"');
}

/* A text by itself is a request with one message. */
static int cost_prompt(struct call *c, const char *name, struct str text)
{
    struct ask *k = c->ask;
    struct buf b;
    if (!k->target)
        return fail_with(CANDO_BAD_INPUT, CODE_io,
                         "a text by itself is priced as a prompt if a model is named: cando cost "
                         "PROVIDER/MODEL FILE",
                         "%.400s: is no JSON", name);
    buf_init(&b, NULL, 8 * (size_t)LIMIT_LINE_BYTES);
    buf_putz(&b, "{\"messages\":[{\"role\":\"user\",\"content\":");
    put_string(&b, text);
    buf_putz(&b, "}]}");
    k->request = true;
    if (!k->api)
        k->api = API_PLAIN;
    out_to(stderr, "note: %s is no JSON: it is priced in advance as the text of a prompt\n", name);
    int code = b.failed ? fail_memory() : cost_text(c, name, STR_IN(b));
    buf_free(&b);
    return code;
}

/* A text that is one reply or request; or one of many. */
static int cost_value(struct call *c, struct many *m, const char *name, struct str text)
{
    const struct ask *k = c->ask;
    text = trimmed(text);
    if (!cost_is_value(text) && !m && is_prompt(text))
        return cost_prompt(c, name, text);
    if (!cost_is_value(text))
        return input_error(name, "is neither one JSON reply or request, nor one in each line, nor "
                                 "a stream of events");
    if (!m)
        return cost_text(c, name, text);
    bool request = is_request(k, text);
    if (!request && k->output.known)
        return option_error(name, "--output is for requests, and this looks like a reply");
    int code = many_begin(c, m, request);
    if (code != EXIT_YES)
        return code;
    if (request)
        cost_plan_add(m->plan, name, 0, text);
    else
        cost_log_add(m->log, name, 0, text);
    return EXIT_YES;
}

/* Captured streams: one of them is one reply. */
static int cost_streams(struct call *c, struct many *m, const char *name, struct str text)
{
    struct buf list, ahead;
    struct many own = {NULL, NULL}, *of = m;
    int code = EXIT_YES;
    buf_init(&list, NULL, 2 * (size_t)LIMIT_LINE_BYTES);
    buf_init(&ahead, NULL, 2 * (size_t)LIMIT_LINE_BYTES);
    bool any = stream_next(&text, &list), more = any && stream_next(&text, &ahead);
    if (any && more && !m)
        of = &own;
    while (any && code == EXIT_YES && !list.failed && !ahead.failed) {
        code = cost_value(c, of, name, STR_IN(list));
        if (!of)
            break;
        struct buf last = list;
        list = ahead;
        ahead = last;
        any = more;
        more = any && stream_next(&text, &ahead);
    }
    if (list.failed || ahead.failed)
        code = fail_memory();
    else if (of == &own && code == EXIT_YES)
        code = many_end(c, of);
    buf_free(&list);
    buf_free(&ahead);
    return code;
}

/* Several lines of JSON: what the first is they all are. */
static int cost_each(struct call *c, struct many *m, const char *name, struct lines *l)
{
    const struct ask *k = c->ask;
    struct many own = {NULL, NULL}, *of = m ? m : &own;
    bool request = is_request(k, trimmed(lines_last(l)));
    if (!request && k->output.known)
        return option_error(name, "--output is for requests, and these look like replies");
    int code = many_begin(c, of, request);
    if (code == EXIT_YES)
        code = request ? cost_plan_lines(of->plan, name, l) : cost_log_lines(of->log, name, l);
    return code == EXIT_YES && !m ? many_end(c, of) : code;
}

/* A first line that is a whole value, with something behind it: many. */
static int cost_lines(struct call *c, struct many *m, const char *name, struct lines *l)
{
    struct str text = STR_NONE;
    enum line got;
    do
        got = lines_next(l, &text);
    while (got == LINE_TEXT && !text.n);
    if (got == LINE_LONG)
        return input_error(name, "has a line over the limit");
    if (got == LINE_FAILED)
        return input_error(name, lines_error(l));
    bool stream = got == LINE_TEXT && stream_begins(text);
    if (!stream && cost_is_value(trimmed(text)) && lines_more(l))
        return cost_each(c, m, name, l);
    if (got == LINE_TEXT && lines_rest(l, &text) != LINE_TEXT)
        return input_error(name, "cannot be read, or is over the limit");
    return (stream ? cost_streams : cost_value)(c, m, name, text);
}

static int cost_file(struct call *c, struct many *m, const char *path)
{
    struct lines l;
    struct stat st;
    bool standard = strcmp(path, "-") == 0;
    if (standard)
        request_on_terminal();
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return no_file(c, path);
    if (!standard && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return fail_with(CANDO_BAD_INPUT, CODE_io, "name the files in it: FOLDER/*.json",
                         "%.400s: is a folder", path);
    }
    int code = lines_init_packed(&l, fd)
                   ? cost_lines(c, m, standard ? "(standard input)" : path, &l)
                   : fail_memory();
    lines_free(&l);
    if (!standard)
        close(fd);
    return code;
}

/* Several files, or what only makes sense of many replies. A file that cannot be read is
 * reported, and the others follow. */
static int cost_files(struct call *c)
{
    struct many m = {NULL, NULL};
    int worst = EXIT_YES, code = EXIT_YES;
    for (int i = 0; i < c->n || (!c->n && !i); i++) {
        code = cost_file(c, &m, c->n ? c->operand[i] : "-");
        if (code == EXIT_QUESTION || code == EXIT_INTERNAL)
            return code;
        worst = code > worst ? code : worst;
    }
    code = many_end(c, &m);
    return code > worst ? code : worst;
}

/* Models among the files: the first is the one that is priced, further ones are compared. */
static int more_models(const char *operand)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option,
              "one model is priced, and files follow it");
    error_hint(&err, "what the same would cost at others: --compare %.200s,..", operand);
    return fail(&err);
}

/* The models that were named, each with its provider. */
static int find_models(struct call *c)
{
    struct ask *k = c->ask;
    if (c->n > 1 && !k->target && request_may_be_model(c->operand[0])) {
        k->target = *c->operand++;
        c->n--;
    }
    for (int i = 0; i < c->n; i++)
        if (request_is_model(c->operand[i]) && (k->target || c->n > 1))
            return more_models(c->operand[i]);
    if (k->target && !(k->target = suggest_target(c, k->target)))
        return EXIT_QUESTION;
    const char **compare = arena_array(&c->ar, k->n_compare, sizeof *compare);
    if (!compare)
        return fail_memory();
    for (size_t i = 0; i < k->n_compare; i++) {
        compare[i] = suggest_target(c, k->compare[i]);
        if (!compare[i])
            return EXIT_QUESTION;
        suggest_unknown(c, compare[i]);
    }
    k->compare = compare;
    return EXIT_YES;
}

static int check(struct call *c)
{
    if (c->n == 0 && isatty(STDIN_FILENO))
        return call_usage(c, "of which request, reply or log?");
    return EXIT_YES;
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    int code = find_models(c);
    if (code != EXIT_YES)
        return code;
    if (c->n > 1 || k->since || k->until || k->n_by || k->csv)
        return cost_files(c);
    return cost_file(c, NULL, c->n ? c->operand[0] : "-");
}

const struct verb verb_cost = {
    .name = "cost",
    .summary = "what a request will cost, what a reply or a log of them did",
    .usage = "[OPTION]... [PROVIDER/MODEL] [FILE]...",
    .text =
        "Reads a provider's reply from FILE or the standard input and shows what it cost, item by "
        "item, in exact decimals. A captured stream (lines of data: {..}), or the list of its "
        "events, is a reply. Several files, or several lines of JSON, are a log: it is read "
        "once, in constant memory, and summed up by model and by day, or as --by says. Files "
        "may be packed by gzip.\n\n"
        "A line of a log may also be an envelope, {\"provider\":..,\"response\":{..}}, with "
        "\"target\", \"provider\", \"service_tier\" and \"at\" as it likes; what it says of "
        "the provider wins over --provider. A price belongs to a provider and a model: where "
        "nobody says who answered, the cost is unknown.\n\n"
        "A request is priced in advance, and so are several, in files or a line each, also in the "
        "envelope of a batch job; a plain text is a prompt if a model is named. Low is the "
        "smallest prompt that it can be and no "
        "answer, high the largest and the longest answer allowed, expected the usual one and "
        "an answer of 500 tokens, unless --output says otherwise. With --compare each model "
        "counts with its own tokenizer.\n\n"
        "The exit code is 0 if the whole cost is known, 1 if part of it is not or it is over "
        "--budget, 3 if something could not be read.",
    .examples = "cando cost request.json --compare anthropic/claude-haiku-4-5,openai/gpt-5-mini\n"
                "cando cost batch.jsonl\n"
                "cando cost openai/gpt-5 prompt.txt --output 300\n"
                "cando cost --provider openai reply.json\n"
                "cando cost --provider openai log.jsonl --by month,model\n"
                "cando cost --provider openai log.jsonl --since 2026-11-01 --budget 50",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .opens = OPENS_CATALOG,
    .check = check,
    .run = run,
};
