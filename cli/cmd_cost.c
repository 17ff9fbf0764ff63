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
#include "cost.h"
#include "trail.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static take_fn take_at;

static const struct option_row options[] = {
    {TEXT("target", target, "PROVIDER/MODEL",
          "price it as this model, whatever the reply or request says")},
    {TEXT("provider", provider, "NAME",
          "who answered; the model is the one that the reply or request names")},
    {TAKES("at", take_at, "TIME",
           "when: 2026-11-15T16:30:00Z, 2026-11-15, or now; else what the reply says"),
     .at = AT_(ask, at, const char *)},
    {TEXT("tier", tier, "NAME",
          "service tier: batch, flex, priority, ..; else what the reply or request says")},
    {FLAG("request", request, "FILE is a request, even if its members do not tell")},
    {NUMBER("output", output, "TOKENS", "how long the answer to a request is expected to be")},
    {ONE_OF("dialect", api, "NAME", API_ALL_WORDS,
            "the API of the reply or request, where its form does not tell"),
     .letter = 'd'},
    {TEXTS("compare", compare, n_compare, "PROVIDER/MODEL",
           "what the same would cost there; may be repeated")},
    {JSON("print JSON")},
    {.more = engine_options},
};

/* "now" becomes a time: the library has no clock. */
static bool take_at(struct call *c, const struct option_row *o, const char *value)
{
    struct instant now;
    char text[INSTANT_TEXT];
    if (strcmp(value, "now") == 0 && instant_from_unix(trail_now() / 1000, &now))
        value = call_text(c, instant_seconds(&now, text));
    return value && take_text(c, o, value);
}

/* -- questions ---------------------------------------------------------------------------- */

static const cando_cost_answer *ask(struct call *c, const char *target, cando_cost_question q)
{
    const struct ask *k = c->ask;
    cando_name name = {.model = target};
    q.at = k->at;
    q.service_tier = k->tier;
    if (target)
        q.target = &name;
    else
        q.provider = k->provider;
    return cando_ask_cost(c->engine, &q, c->room, &c->err);
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
    return ask(
        c, target,
        (cando_cost_question){.request = {text.p, text.n}, .api = api, .output_tokens = k->output});
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

/* -- one reply ---------------------------------------------------------------------------- */

static void put_amount(const char *name, const char *amount)
{
    out("  %-14s%s%c%s" END "\n", name, amount ? "$" : "", amount ? STYLE_BOLD : STYLE_WARN,
        amount ? amount : "unknown");
}

static void put_item(const cando_cost_item *it)
{
    char text[32];
    out("  %-26s%14s  ", it->unit, cost_count(it->quantity, text));
    if (it->rate)
        out("at $%s for %'ju  ", it->rate, (uintmax_t)it->per);
    out("= %s%s  " DIM "%s" END "\n", it->cost ? "$" : "", it->cost ? it->cost : "unknown",
        it->why ? it->why : "unknown");
}

static void put_bill(const cando_cost_answer *a)
{
    const char *name = a->target ? a->target : a->reply->model;
    out(BOLD "%s" END "%s\n\n", name ? name : "unknown",
        a->target_from ? " (provider found by the form of the reply)" : "");
    for (size_t i = 0; i < a->n_items; i++)
        put_item(&a->items[i]);
    out("\n");
    put_amount("input", a->input_cost);
    put_amount("output", a->output_cost);
    put_amount("total", a->total_cost);
    if (a->at_least)
        put_amount("at least", a->at_least);
    if (a->reply->reported_cost)
        put_amount("reported", a->reply->reported_cost);
    for (size_t i = 0; i < a->n_unknown; i++)
        out("  note: %s%s%s\n", a->unknown[i].unit, a->unknown[i].unit ? ": " : "",
            a->unknown[i].reason);
}

/* The bill, and the same usage elsewhere: a line each. */
static int cost_one(struct call *c, struct str text)
{
    const struct ask *k = c->ask;
    const cando_cost_answer *a = cost_reply(c, k->target, text);
    bool known = a && a->total_cost;
    if (call_page(c, "cost", a))
        put_bill(a);
    if (k->n_compare && !c->json && a)
        out("\n  the same reply at\n");
    for (size_t i = 0; i < k->n_compare && c->code == EXIT_YES; i++) {
        a = cost_reply(c, k->compare[i], text);
        if (call_page(c, "cost", a))
            out("  %-40s%s%s\n", k->compare[i], a->total_cost ? "$" : "",
                a->total_cost ? a->total_cost : "unknown");
    }
    return call_end(c, known);
}

/* What cannot be asked of a reply. */
static int option_error(const char *name, const char *what)
{
    return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "%s: %s", name, what);
}

static int cost_text(struct call *c, const char *name, struct str text)
{
    const struct ask *k = c->ask;
    if (k->request || cando_is_request(text.p, text.n))
        return cost_ahead(c, text);
    if (k->output.known)
        return option_error(name, "--output is for a request, and this looks like a reply; "
                                  "--request says that it is one");
    return cost_one(c, text);
}

/* -- one or many ----------------------------------------------------------------------------- */

static int input_error(const char *name, const char *what)
{
    return fail_with(CANDO_BAD_INPUT, CODE_io, NULL, "%s: %s", name, what);
}

static struct str trimmed(struct str s)
{
    while (s.n && (unsigned char)s.p[0] <= ' ')
        s = str_from(s, 1);
    return s;
}

/* A first line that is a whole value, with something behind it: a log. */
static int cost_lines(struct call *c, const char *name, struct lines *l)
{
    const struct ask *k = c->ask;
    struct str text = STR_NONE;
    enum line got;
    do
        got = lines_next(l, &text);
    while (got == LINE_TEXT && !text.n);
    if (got == LINE_LONG || got == LINE_FAILED)
        return input_error(name, "cannot be read, or has a line over the limit");
    if (cost_is_value(trimmed(text))) {
        if (!lines_more(l))
            return cost_text(c, name, trimmed(lines_last(l)));
        if (k->request || k->output.known)
            return option_error(name, "several lines of JSON are a log of replies, not a request");
        return cost_log(c, name, l);
    }
    if (got == LINE_TEXT && lines_rest(l, &text) != LINE_TEXT)
        return input_error(name, "cannot be read, or is over the limit");
    if (!cost_is_value(trimmed(text)))
        return input_error(name, "is neither one JSON reply or request, nor a reply in each line");
    return cost_text(c, name, trimmed(text));
}

static int run(struct call *c)
{
    struct lines l;
    const char *path = c->n && strcmp(c->operand[0], "-") != 0 ? c->operand[0] : NULL;
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd < 0)
        return input_error(path, strerror(errno));
    lines_init(&l, fd);
    int code = cost_lines(c, path ? path : "(standard input)", &l);
    lines_free(&l);
    if (path)
        close(fd);
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
    .ask = sizeof(struct ask),
    .most = 1,
    .too_many = "one file at a time",
    .opens = OPENS_CATALOG,
    .run = run,
};
