/*
 * cmd_models.c - cando models: the catalog, filtered, sorted, as a list.
 *
 * The options become the arguments of the operation `models`; the rest is
 * layout.
 */
#include "base/limits.h"
#include "engine.h"
#include "price.h"
#include "pull.h"
#include "suggest.h"
#include "table.h"

enum {
    OPTION_PROVIDER = OPTION_LONG, OPTION_KIND, OPTION_CAN, OPTION_CANNOT, OPTION_INPUT, OPTION_OUTPUT, OPTION_MIN_CONTEXT,
    OPTION_MIN_OUTPUT, OPTION_MAX_INPUT_PRICE, OPTION_MAX_OUTPUT_PRICE, OPTION_AFTER, OPTION_BEFORE, OPTION_STATUS, OPTION_MODEL,
    OPTION_OR_UNKNOWN, OPTION_SORT, OPTION_REVERSE, OPTION_LIMIT, OPTION_COLUMNS, OPTION_JSON, OPTION_CSV, OPTION_MARKDOWN,
};

static const struct option_row options[] = {
    {OPTION_PROVIDER, "provider", "LIST", NULL, "of these providers; may be repeated"},
    {OPTION_KIND, "kind", "LIST", NULL, "of providers of these kinds: first-party, cloud, host, router, local"},
    {OPTION_MODEL, "model", "ID", NULL, "the offerings of one model, under whatever spelling"},
    {OPTION_CAN, "can", "LIST", NULL, "have these capabilities; NAME=native takes nothing less"},
    {OPTION_CANNOT, "cannot", "LIST", NULL, "are known not to have these"},
    {OPTION_INPUT, "input", "LIST", NULL, "take image, audio, video, pdf, text"},
    {OPTION_OUTPUT, "output", "LIST", NULL, "make image, audio, video, text, embedding"},
    {OPTION_MIN_CONTEXT, "min-context", "TOKENS", NULL, "context window of at least that: 200000, 200k, 1m"},
    {OPTION_MIN_OUTPUT, "min-output", "TOKENS", NULL, "output limit of at least that"},
    {OPTION_MAX_INPUT_PRICE, "max-input-price", "USD", NULL, "at most that per million tokens of input"},
    {OPTION_MAX_OUTPUT_PRICE, "max-output-price", "USD", NULL, "the same for output"},
    {OPTION_AFTER, "released-after", "DAY", NULL, "2026-01-15 or 2026-01: released then or later"},
    {OPTION_BEFORE, "released-before", "DAY", NULL, "released earlier than that"},
    {OPTION_STATUS, "status", "LIST", NULL, "active, preview, deprecated, retired"},
    {OPTION_OR_UNKNOWN, "or-unknown", NULL, NULL, "what nobody knows passes a filter, too"},
    {OPTION_SORT, "sort", "KEY", "name provider context output price input-price output-price release", "best first, unknown last"},
    {OPTION_REVERSE, "reverse", NULL, NULL, "worst first, unknown still last"},
    {OPTION_LIMIT, "limit", "N", NULL, "no more than that"},
    {OPTION_COLUMNS, "columns", "LIST", NULL, "more columns: names of fields"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation models, with all fields"},
    {OPTION_CSV, "csv", NULL, NULL, "print a table for spreadsheets"},
    {OPTION_MARKDOWN, "markdown", NULL, NULL, "print a table for documents"},
    ENGINE_OPTIONS,
    {0},
};

enum form { FORM_TEXT, FORM_JSON, FORM_CSV, FORM_MARKDOWN };

#define MAX_COLUMNS 40

struct models {
    struct buf list[OPTION_COLUMNS - OPTION_LONG + 1]; /* by option: "a","b" */
    struct buf minimum, maximum, match;
    const char *model, *after, *before, *sort;
    char column[MAX_COLUMNS][64];
    size_t n_columns;
    bool or_unknown, reverse;
    uint64_t limit;
    bool has_limit;
    enum form form;
    struct engine e;
};

static bool report(const char *fmt, const char *value)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "%s", "");
    snprintf(err.message, sizeof err.message, fmt, value);
    out_error(&err);
    return false;
}

/* "a,b" as "a","b" behind what is there. */
static void add_list(struct buf *b, const char *value)
{
    for (struct str s = str_of(value); s.n;) {
        size_t cut = str_find_char(s, ',');
        if (cut) {
            buf_putz(b, b->n ? "," : "");
            out_quoted(b, str_head(s, cut));
        }
        s = str_from(s, cut + 1);
    }
}

/* "tool_calling,reasoning=native" */
static bool add_capabilities(struct buf *b, const char *value)
{
    for (struct str s = str_of(value); s.n;) {
        size_t cut = str_find_char(s, ',');
        struct str one = str_head(s, cut);
        size_t eq = str_find_char(one, '=');
        if (eq < one.n && !str_is(str_from(one, eq + 1), "native") && !str_is(str_from(one, eq + 1), "emulated"))
            return report("'%s': a level is native or emulated", value);
        if (one.n) {
            buf_putz(b, b->n ? ",{\"capability\":" : "{\"capability\":");
            out_quoted(b, str_head(one, eq));
            if (eq < one.n) {
                buf_putz(b, ",\"min_support\":");
                out_quoted(b, str_from(one, eq + 1));
            }
            buf_putc(b, '}');
        }
        s = str_from(s, cut + 1);
    }
    return true;
}

/* 200000, 200k, 1m */
static bool read_count(const char *value, uint64_t *out)
{
    uint64_t n = 0;
    const char *p = value;
    for (; char_is_digit(*p) && n < LIMIT_NUMBER; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    char unit = char_fold(*p);
    uint64_t times = unit == 'k' ? 1000 : unit == 'm' ? 1000000 : 1;
    if (p == value || (*p && times == 1) || (*p && p[1]) || n > LIMIT_NUMBER / times)
        return report("'%s' is no number: write 200000, 200k or 1m", value);
    *out = n * times;
    return true;
}

static bool add_minimum(struct models *m, const char *field, const char *value)
{
    uint64_t n;
    if (!read_count(value, &n))
        return false;
    buf_printf(&m->minimum, "%s\"%s\":%ju", m->minimum.n ? "," : "", field, (uintmax_t)n);
    return true;
}

static bool add_maximum(struct models *m, const char *side, const char *value)
{
    buf_printf(&m->maximum, "%s\"%s\":", m->maximum.n ? "," : "", side);
    out_quoted(&m->maximum, str_of(*value == '$' ? value + 1 : value));
    return true;
}

static bool add_columns(struct models *m, const char *value)
{
    for (struct str s = str_of(value); s.n;) {
        size_t cut = str_find_char(s, ',');
        if (m->n_columns == MAX_COLUMNS)
            return report("'%s': too many columns", value);
        char *name = m->column[m->n_columns];
        snprintf(name, sizeof m->column[0], "%.*s", (int)cut, s.p);
        cando_field f = cando_field_find(name);
        if (f == CANDO_NO_FIELD)
            return report("no field is called '%s'; cando help fields lists them", name);
        snprintf(name, sizeof m->column[0], "%s", cando_field_name(f));
        m->n_columns++;
        s = str_from(s, cut + 1);
    }
    return true;
}

static bool take_option(struct models *m, const struct args *a, int id)
{
    switch (id) {
    case OPTION_PROVIDER:
    case OPTION_KIND:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
    case OPTION_STATUS:
    case OPTION_CANNOT:
        add_list(&m->list[id - OPTION_LONG], a->value);
        return true;
    case OPTION_CAN:
        return add_capabilities(&m->list[id - OPTION_LONG], a->value);
    case OPTION_MIN_CONTEXT:
        return add_minimum(m, "context_window", a->value);
    case OPTION_MIN_OUTPUT:
        return add_minimum(m, "max_output", a->value);
    case OPTION_MAX_INPUT_PRICE:
        return add_maximum(m, "input_price", a->value);
    case OPTION_MAX_OUTPUT_PRICE:
        return add_maximum(m, "output_price", a->value);
    case OPTION_AFTER:
        m->after = a->value;
        return true;
    case OPTION_BEFORE:
        m->before = a->value;
        return true;
    case OPTION_MODEL:
        m->model = a->value;
        return true;
    case OPTION_SORT:
        m->sort = a->value;
        return args_word(a, id);
    case OPTION_LIMIT:
        m->has_limit = true;
        return read_count(a->value, &m->limit);
    case OPTION_COLUMNS:
        return add_columns(m, a->value);
    case OPTION_OR_UNKNOWN:
        return m->or_unknown = true;
    case OPTION_REVERSE:
        return m->reverse = true;
    case OPTION_JSON:
        m->form = FORM_JSON;
        return true;
    case OPTION_CSV:
        m->form = FORM_CSV;
        return true;
    case OPTION_MARKDOWN:
        m->form = FORM_MARKDOWN;
        return true;
    default:
        return engine_option(&m->e, id, a->value);
    }
}

/* A word without wildcards is looked for anywhere in the name. */
static void add_pattern(struct models *m, const char *word)
{
    bool plain = !strpbrk(word, "*?[");
    buf_putz(&m->match, m->match.n ? "," : "");
    struct buf text;
    buf_init(&text, NULL, 1u << 16);
    buf_printf(&text, plain ? "*%s*" : "%s", word);
    out_quoted(&m->match, str_make(text.p, text.n));
    buf_free(&text);
}

static void put_member(struct buf *q, const char *name, const struct buf *value, char open, char close)
{
    if (value->n)
        buf_printf(q, ",\"%s\":%c%.*s%c", name, open, (int)value->n, value->p, close);
}

static void put_text_member(struct buf *q, const char *name, const char *value)
{
    if (!value)
        return;
    buf_printf(q, ",\"%s\":", name);
    out_quoted(q, str_of(value));
}

static void put_request(const struct models *m, struct buf *q)
{
    static const struct {
        int option;
        const char *name;
    } lists[] = {
        {OPTION_PROVIDER, "providers"}, {OPTION_KIND, "kinds"},     {OPTION_CAN, "can"},       {OPTION_CANNOT, "cannot"},
        {OPTION_INPUT, "input"},        {OPTION_OUTPUT, "output"}, {OPTION_STATUS, "status"},
    };
    buf_putz(q, "{\"op\":\"models\"");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        put_member(q, lists[i].name, &m->list[lists[i].option - OPTION_LONG], '[', ']');
    put_member(q, "minimum", &m->minimum, '{', '}');
    put_member(q, "maximum", &m->maximum, '{', '}');
    put_member(q, "match", &m->match, '[', ']');
    put_text_member(q, "model", m->model);
    put_text_member(q, "released_after", m->after);
    put_text_member(q, "released_before", m->before);
    char sort[32] = "name";
    for (size_t i = 0; m->sort && i < sizeof sort - 1 && (i == 0 || m->sort[i - 1]); i++)
        sort[i] = m->sort[i] == '-' ? '_' : m->sort[i];
    put_text_member(q, "sort", sort);
    if (m->or_unknown)
        buf_putz(q, ",\"unknown\":\"include\"");
    if (m->reverse)
        buf_putz(q, ",\"reverse\":true");
    if (m->has_limit)
        buf_printf(q, ",\"limit\":%ju", (uintmax_t)m->limit);
    if (m->n_columns) {
        for (size_t i = 0; i < m->n_columns; i++)
            buf_printf(q, "%s\"%s\"", i ? "," : ",\"fields\":[", m->column[i]);
        buf_putc(q, ']');
    } else if (m->form == FORM_JSON) {
        buf_putz(q, ",\"fields\":\"all\"");
    }
    buf_putc(q, '}');
}

/* -- the table ----------------------------------------------------------------------------- */

static void add_text(struct table *t, struct str v, enum style style, struct buf *b)
{
    buf_clear(b);
    pull_string(v, b);
    table_add(t, str_make(b->p, b->n), style);
}

/* A number for people has commas, one for programs has none; unknown is empty
 * there and "?" here. */
static void add_value(struct table *t, struct str v, bool people, struct buf *b)
{
    bool known = v.n && pull_kind(v) != PULL_NULL;
    enum style style = STYLE_DIM;
    buf_clear(b);
    if (!known) {
        buf_putz(b, people ? "?" : "");
    } else if (people || pull_kind(v) > PULL_STRING) {
        style = pull_words(v, b);
    } else if (!pull_string(v, b)) {
        buf_puts(b, v);
        style = STYLE_PLAIN;
    }
    table_add(t, str_make(b->p, b->n), known && pull_kind(v) == PULL_STRING && style == STYLE_DIM ? STYLE_PLAIN : style);
}

static void add_price(struct table *t, struct str v, bool people, struct buf *b)
{
    struct buf words;
    if (!people || pull_kind(v) != PULL_STRING) {
        add_value(t, v, people, b);
        return;
    }
    buf_init(&words, NULL, LIMIT_JSON_BYTES);
    buf_clear(b);
    pull_string(v, b);
    price_words(str_make(b->p, b->n), &words);
    table_add(t, str_make(words.p, words.n), STYLE_PLAIN);
    buf_free(&words);
}

static void add_row(const struct models *m, struct table *t, struct str x, struct buf *b)
{
    bool people = m->form != FORM_CSV;
    buf_clear(b);
    pull_string(pull_get(x, "provider"), b);
    if (people)
        buf_putc(b, '/');
    else
        table_add(t, str_make(b->p, b->n), STYLE_PLAIN);
    if (!people)
        buf_clear(b);
    pull_string(pull_get(x, "model"), b);
    table_add(t, str_make(b->p, b->n), STYLE_PLAIN);
    if (!people)
        add_text(t, pull_get(x, "name"), STYLE_PLAIN, b);
    add_value(t, pull_get(x, "context_window"), people, b);
    add_value(t, pull_get(x, "max_output"), people, b);
    add_price(t, pull_get(x, "input_price"), people, b);
    add_price(t, pull_get(x, "output_price"), people, b);
    add_value(t, pull_get(x, "release_date"), people, b);
    struct str status = pull_get(x, "status");
    if (people && pull_kind(status) != PULL_STRING)
        table_add(t, STR(""), STYLE_PLAIN);
    else
        add_value(t, status, people, b);
    struct str fields = pull_get(x, "fields");
    for (size_t i = 0; i < m->n_columns; i++)
        add_value(t, pull_get(fields, m->column[i]), people, b);
}

static void put_table(const struct models *m, struct str result)
{
    struct table t;
    struct buf b;
    bool people = m->form != FORM_CSV;
    table_init(&t);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    if (!people)
        table_column(&t, "provider", false, false);
    table_column(&t, "model", false, false);
    if (!people)
        table_column(&t, "name", false, false);
    table_column(&t, people ? "context" : "context_window", true, false);
    table_column(&t, people ? "output" : "max_output", true, true);
    table_column(&t, people ? "in/M" : "input_price", true, false);
    table_column(&t, people ? "out/M" : "output_price", true, false);
    table_column(&t, people ? "released" : "release_date", false, true);
    table_column(&t, "status", false, true);
    for (size_t i = 0; i < m->n_columns; i++)
        table_column(&t, m->column[i], false, false);
    for (struct str at = pull_get(result, "models"), x; pull_next(&at, NULL, &x);)
        add_row(m, &t, x, &b);
    if (m->form == FORM_CSV)
        table_csv(&t);
    else if (m->form == FORM_MARKDOWN)
        table_markdown(&t);
    else if (t.n)
        table_print(&t, table_room());
    buf_free(&b);
    table_free(&t);
}

static uint64_t number_of(struct str result, const char *key)
{
    uint64_t n = 0;
    pull_number(pull_get(result, key), &n);
    return n;
}

static void put_counts(const struct models *m, struct str result)
{
    uint64_t matched = number_of(result, "matched"), denied = number_of(result, "denied");
    uint64_t shown = m->has_limit && m->limit < matched ? m->limit : matched;
    char digits[32];
    if (shown < matched) {
        fprintf(stderr, "%s of ", out_number(shown, digits).p);
        out_count(stderr, matched, "model", "");
    } else {
        out_count(stderr, matched, "model", "");
    }
    if (denied)
        fprintf(stderr, "; %s more denied by a policy: see cando where", out_number(denied, digits).p);
    fputc('\n', stderr);
}

static int ask(const struct models *m, const char *only_word)
{
    struct buf q;
    struct str reply, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    put_request(m, &q);
    int code = engine_ask(&m->e, str_make(q.p, q.n), &reply, &result);
    if (code == EXIT_YES) {
        if (m->form == FORM_JSON)
            out_line(result);
        else
            put_table(m, result);
        fflush(stdout);
        if (m->form != FORM_JSON && m->form != FORM_CSV)
            put_counts(m, result);
        if (number_of(result, "matched") == 0) {
            code = EXIT_NO;
            if (only_word)
                suggest_near(&m->e, STR(""), str_of(only_word));
        }
    }
    engine_done(&m->e, reply);
    buf_free(&q);
    return code;
}

static void free_all(struct models *m)
{
    for (size_t i = 0; i < sizeof m->list / sizeof *m->list; i++)
        buf_free(&m->list[i]);
    buf_free(&m->minimum);
    buf_free(&m->maximum);
    buf_free(&m->match);
    engine_close(&m->e);
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct models m = {.form = FORM_TEXT};
    int code = EXIT_YES;
    engine_init(&m.e);
    for (size_t i = 0; i < sizeof m.list / sizeof *m.list; i++)
        buf_init(&m.list[i], NULL, 1u << 20);
    buf_init(&m.minimum, NULL, 1u << 20);
    buf_init(&m.maximum, NULL, 1u << 20);
    buf_init(&m.match, NULL, 1u << 20);
    struct args a = args_begin(self, argc, argv);
    bool stopped = false;
    for (int id; !stopped && (id = args_next(&a)) != ARGS_END;)
        if (!take_option(&m, &a, id)) {
            code = args_stop(&a, id);
            stopped = true;
        }
    for (int i = 0; !stopped && i < a.n_rest; i++)
        add_pattern(&m, a.rest[i]);
    if (!stopped && (code = engine_open(&m.e)) == EXIT_YES)
        code = ask(&m, a.n_rest == 1 && !strpbrk(a.rest[0], "*?[") ? a.rest[0] : NULL);
    free_all(&m);
    return code;
}

const struct verb verb_models = {
    .name = "models",
    .summary = "the models that fit, as a list",
    .usage = "[OPTION]... [PATTERN]...",
    .text = "Lists the offerings that the catalog has facts about: one model at one provider a line. A pattern is compared with the "
            "id and with provider/id; * stands for anything, and a word without * is looked for anywhere in the name. A list is separated "
            "by commas, and most options may be repeated.\n\n"
            "What nobody knows is shown as ? and passes no filter, unless --or-unknown is given. Prices are in USD per million tokens. "
            "The order is that of --sort, then that of the names.\n\n"
            "The exit code is 1 if there is none.",
    .options = options,
    .run = run,
};
