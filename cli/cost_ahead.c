/*
 * cost_ahead.c - a request priced in advance, as a page: what it costs at least, usually
 * and at most, and what was assumed to say so.
 *
 * A comparison asks anew for each model, since each has its own tokenizer and its own
 * longest answer; only the form of the request stays the one that was found first.
 */
#include "cost_ahead.h"

#include "base/limits.h"
#include "pull.h"
#include "table.h"

static const char *const ends[] = {"low", "expected", "high"};
#define ENDS 3

bool cost_is_request(struct str text)
{
    static const char *const replies[] = {"response", "result", "choices", "candidates", "output", "usageMetadata", "error"};
    static const char *const requests[] = {"messages", "contents", "input", "prompt"};
    if (!text.n || text.p[0] != '{')
        return false;
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++)
        if (pull_get(text, replies[i]).n)
            return false;
    struct str usage = pull_get(text, "usage"); /* a router's requests may ask for it */
    if (usage.n && !pull_get(usage, "include").n)
        return false;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (pull_get(text, requests[i]).n)
            return true;
    /* a line of a batch job */
    bool named = pull_get(text, "custom_id").n || pull_get(text, "key").n;
    return named && (pull_kind(pull_get(text, "body")) == PULL_OBJECT || pull_kind(pull_get(text, "params")) == PULL_OBJECT ||
                     pull_kind(pull_get(text, "request")) == PULL_OBJECT);
}

/* -- the question ------------------------------------------------------------------------ */

static void put_member(struct buf *b, const char *key, const char *value)
{
    if (!value)
        return;
    buf_printf(b, ",\"%s\":", key);
    out_quoted(b, str_of(value));
}

static int ask_one(struct engine *e, const struct cost_ask *ask, const char *target, struct str api, struct str text,
                   struct str *reply, struct str *result)
{
    struct buf q;
    *reply = *result = STR_NONE;
    buf_init(&q, NULL, 2u * LIMIT_LINE_BYTES);
    buf_putz(&q, "{\"op\":\"cost\",\"request\":");
    buf_puts(&q, text);
    put_member(&q, "target", target);
    put_member(&q, "provider", target ? NULL : ask->provider);
    put_member(&q, "at", ask->at);
    put_member(&q, "service_tier", ask->tier);
    if (api.n) {
        buf_putz(&q, ",\"dialect\":");
        buf_puts(&q, api);
    } else {
        put_member(&q, "dialect", ask->api);
    }
    if (ask->output)
        buf_printf(&q, ",\"output_tokens\":%s", ask->output);
    buf_putc(&q, '}');
    int code = EXIT_INTERNAL;
    if (!q.failed) {
        code = engine_ask(e, str_make(q.p, q.n), reply, result);
    } else {
        cando_error err;
        error_memory(&err);
        out_error(&err);
    }
    buf_free(&q);
    return code;
}

/* -- the page ------------------------------------------------------------------------------- */

static void add_count(struct table *t, struct str v)
{
    uint64_t n;
    char text[32];
    bool known = pull_number(v, &n);
    table_add(t, known ? out_number(n, text) : pull_kind(v) == PULL_NUMBER ? v : STR("unknown"), known ? STYLE_PLAIN : STYLE_WARN);
}

static void add_money(struct table *t, struct str v, enum style style, struct buf *b)
{
    buf_clear(b);
    buf_putc(b, '$');
    bool known = pull_string(v, b);
    table_add(t, known ? str_make(b->p, b->n) : STR("unknown"), known ? style : STYLE_WARN);
}

static bool put_ends(struct str estimate, struct buf *b)
{
    static const char *const rows[][2] = {
        {"  input tokens", "input_tokens"}, {"  output tokens", "output_tokens"}, {"  input", "input_cost"},
        {"  output", "output_cost"},        {"  total", "total_cost"},
    };
    struct table t;
    table_init(&t);
    table_column(&t, "", false, false);
    for (size_t k = 0; k < ENDS; k++)
        table_column(&t, ends[k], true, false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table_add(&t, str_of(rows[i][0]), STYLE_PLAIN);
        for (size_t k = 0; k < ENDS; k++) {
            struct str v = pull_get(pull_get(estimate, ends[k]), rows[i][1]);
            if (i < 2)
                add_count(&t, v);
            else
                add_money(&t, v, i == 4 ? STYLE_BOLD : STYLE_PLAIN, b);
        }
    }
    bool ok = table_print(&t, 0);
    table_free(&t);
    return ok;
}

static void put_text(struct str v, struct buf *b)
{
    buf_clear(b);
    if (pull_string(v, b))
        out_safe(stdout, str_make(b->p, b->n));
}

static void put_assumptions(struct str estimate, const struct cost_ask *ask, struct buf *b)
{
    uint64_t tokens = 0, choices = 1;
    char text[32];
    pull_number(pull_get(estimate, "assumed_output_tokens"), &tokens);
    pull_number(pull_get(estimate, "choices"), &choices);
    fputs("  expected: ", stdout);
    if (choices > 1)
        printf("%s times ", out_number(choices, text).p);
    printf("%s tokens of output; ", out_number(tokens, text).p);
    put_text(pull_get(estimate, "why"), b);
    fputs(tokens && !ask->output ? " (--output N if you know better)\n" : "\n", stdout);
    for (struct str at = pull_get(estimate, "assumes"), v; pull_next(&at, NULL, &v);) {
        fputs("  ", stdout);
        put_text(v, b);
        fputc('\n', stdout);
    }
    struct str from = pull_get(estimate, "output_limit_from");
    if (pull_number(pull_get(estimate, "output_limit"), &tokens)) {
        printf("  high: an answer of %s tokens is the longest that ", out_number(tokens, text).p);
        fputs(str_is(from, "\"request\"") ? "the request allows" : "the model gives", stdout);
        if (choices > 1)
            printf(", %s times", out_number(choices, text).p);
        fputc('\n', stdout);
    }
}

static bool has_item(struct str list, struct str item)
{
    for (struct str at = list, v; pull_next(&at, NULL, &v);)
        if (str_eq(v, item))
            return true;
    return false;
}

static void put_note(const char *where, struct str item, struct buf *b)
{
    struct str unit = pull_get(item, "unit");
    printf("  note: %s%s", where, *where ? ": " : "");
    put_text(unit, b);
    fputs(pull_kind(unit) == PULL_STRING ? ": " : "", stdout);
    put_text(pull_get(item, "reason"), b);
    fputc('\n', stdout);
}

/* What is unknown, once, and at which ends. Without a price nothing has a rate: that
 * there is none is enough. */
static void put_notes(struct str estimate, bool priced, struct buf *b)
{
    struct str list[ENDS];
    for (size_t k = 0; k < ENDS; k++)
        list[k] = pull_get(pull_get(estimate, ends[k]), "unknown");
    for (struct str at = list[2], v; pull_next(&at, NULL, &v);) {
        if (!priced && pull_kind(pull_get(v, "unit")) == PULL_STRING)
            continue;
        put_note(has_item(list[0], v) ? "" : has_item(list[1], v) ? "expected and high" : "high", v, b);
    }
    for (struct str at = list[1], v; priced && pull_next(&at, NULL, &v);)
        if (!has_item(list[2], v))
            put_note("expected", v, b);
}

/* Is the price unknown altogether? Then the first reason has no unit. */
static bool is_priced(struct str result)
{
    struct str at = pull_get(result, "unknown"), v;
    return !pull_next(&at, NULL, &v) || pull_kind(pull_get(v, "unit")) == PULL_STRING;
}

static bool show_page(struct str result, const struct cost_ask *ask)
{
    struct buf b;
    struct str estimate = pull_get(result, "estimate"), name = pull_get(result, "target");
    bool priced = is_priced(result);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    if (!pull_string(name.n ? name : pull_get(result, "model"), &b))
        buf_putz(&b, "an unnamed model");
    out_cell(stdout, STYLE_BOLD, str_make(b.p, b.n), 0);
    fputs(": what this request will cost (", stdout);
    put_text(pull_get(result, "dialect"), &b);
    if (pull_get(result, "service_tier").n) {
        fputs(", service tier ", stdout);
        put_text(pull_get(result, "service_tier"), &b);
    }
    fputs(")\n\n", stdout);
    bool ok = put_ends(estimate, &b);
    fputc('\n', stdout);
    put_assumptions(estimate, ask, &b);
    put_notes(estimate, priced, &b);
    if (pull_get(result, "target_from").n)
        fputs("  note: nobody said who shall answer, so it is the one whose API this is; --provider or --target says another\n", stdout);
    else if (!priced && !ask->target)
        fputs("  hint: --target PROVIDER/MODEL says who shall answer\n", stdout);
    buf_free(&b);
    return ok;
}

/* -- elsewhere --------------------------------------------------------------------------------- */

static void add_row(struct table *t, const char *name, struct str result, struct buf *b)
{
    struct str estimate = pull_get(result, "estimate");
    buf_clear(b);
    buf_printf(b, "  %s", name);
    table_add(t, str_make(b->p, b->n), STYLE_PLAIN);
    add_count(t, pull_get(pull_get(estimate, "expected"), "input_tokens"));
    for (size_t k = 0; k < ENDS; k++)
        add_money(t, pull_get(pull_get(estimate, ends[k]), "total_cost"), STYLE_PLAIN, b);
}

/* Why a row has no price, to be said below the table. */
static void add_reason(const char *name, struct str result, struct buf *b, struct buf *reasons)
{
    struct str at = pull_get(pull_get(pull_get(result, "estimate"), ends[ENDS - 1]), "unknown"), v;
    buf_clear(b);
    if (pull_next(&at, NULL, &v) && pull_string(pull_get(v, "reason"), b))
        buf_printf(reasons, "  note: %s: %.*s\n", name, (int)b->n, b->p);
}

static int compare(struct engine *e, const struct cost_ask *ask, struct str api, struct str text)
{
    struct table t;
    struct buf b, reasons;
    int code = EXIT_YES;
    if (!ask->n_compare)
        return code;
    table_init(&t);
    table_column(&t, "  the same request at", false, false);
    table_column(&t, "input tokens", true, true);
    for (size_t k = 0; k < ENDS; k++)
        table_column(&t, ends[k], true, false);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    buf_init(&reasons, NULL, LIMIT_JSON_BYTES);
    for (unsigned i = 0; i < ask->n_compare && code == EXIT_YES; i++) {
        struct str reply, result;
        code = ask_one(e, ask, ask->compare[i], api, text, &reply, &result);
        if (code == EXIT_YES && ask->json) {
            out_line(result);
        } else if (code == EXIT_YES) {
            add_row(&t, ask->compare[i], result, &b);
            add_reason(ask->compare[i], result, &b, &reasons);
        }
        engine_done(e, reply);
    }
    if (code == EXIT_YES && !ask->json) {
        fputc('\n', stdout);
        if (!table_print(&t, 0))
            code = EXIT_INTERNAL;
        if (reasons.n)
            printf("\n%.*s", (int)reasons.n, reasons.p);
    }
    buf_free(&b);
    buf_free(&reasons);
    table_free(&t);
    return code;
}

static bool all_known(struct str result)
{
    struct str estimate = pull_get(result, "estimate");
    for (size_t k = 0; k < ENDS; k++)
        if (pull_kind(pull_get(pull_get(estimate, ends[k]), "total_cost")) != PULL_STRING)
            return false;
    return true;
}

int cost_ahead(struct engine *e, const struct cost_ask *ask, struct str text)
{
    struct str reply, result;
    int code = ask_one(e, ask, ask->target, STR(""), text, &reply, &result);
    if (code == EXIT_YES) {
        bool known = all_known(result), shown = true;
        if (ask->json)
            out_line(result);
        else
            shown = show_page(result, ask);
        code = shown ? compare(e, ask, pull_get(result, "dialect"), text) : EXIT_INTERNAL;
        if (code == EXIT_YES && !known)
            code = EXIT_NO;
    }
    engine_done(e, reply);
    return code;
}
