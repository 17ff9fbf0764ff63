/*
 * cmd_models.c - cando models: the catalog, filtered, sorted, as a list.
 *
 * The options become a query; the rest is layout.
 */
#include "base/limits.h"
#include "engine.h"
#include "list.h"
#include "price.h"
#include "suggest.h"
#include "table.h"
#include "value.h"

enum {
    OPTION_PROVIDER = OPTION_LONG,
    OPTION_KIND,
    OPTION_CAN,
    OPTION_CANNOT,
    OPTION_INPUT,
    OPTION_OUTPUT,
    OPTION_MIN_CONTEXT,
    OPTION_MIN_OUTPUT,
    OPTION_MAX_INPUT_PRICE,
    OPTION_MAX_OUTPUT_PRICE,
    OPTION_AFTER,
    OPTION_BEFORE,
    OPTION_STATUS,
    OPTION_MODEL,
    OPTION_OR_UNKNOWN,
    OPTION_SORT,
    OPTION_REVERSE,
    OPTION_LIMIT,
    OPTION_COLUMNS,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
};

static const struct option_row options[] = {
    {OPTION_PROVIDER, "provider", "LIST", NULL, "of these providers; may be repeated"},
    {OPTION_KIND, "kind", "LIST", NULL,
     "of providers of these kinds: first-party, cloud, host, router, local"},
    {OPTION_MODEL, "model", "ID", NULL, "the offerings of one model, under whatever spelling"},
    {OPTION_CAN, "can", "LIST", NULL, "have these capabilities; NAME=native takes nothing less"},
    {OPTION_CANNOT, "cannot", "LIST", NULL, "are known not to have these"},
    {OPTION_INPUT, "input", "LIST", NULL, "take image, audio, video, pdf, text"},
    {OPTION_OUTPUT, "output", "LIST", NULL, "make image, audio, video, text, embedding"},
    {OPTION_MIN_CONTEXT, "min-context", "TOKENS", NULL,
     "context window of at least that: 200000, 200k, 1m"},
    {OPTION_MIN_OUTPUT, "min-output", "TOKENS", NULL, "output limit of at least that"},
    {OPTION_MAX_INPUT_PRICE, "max-input-price", "USD", NULL,
     "at most that per million tokens of input"},
    {OPTION_MAX_OUTPUT_PRICE, "max-output-price", "USD", NULL, "the same for output"},
    {OPTION_AFTER, "released-after", "DAY", NULL, "2026-01-15 or 2026-01: released then or later"},
    {OPTION_BEFORE, "released-before", "DAY", NULL, "released earlier than that"},
    {OPTION_STATUS, "status", "LIST", NULL, "active, preview, deprecated, retired"},
    {OPTION_OR_UNKNOWN, "or-unknown", NULL, NULL, "what nobody knows passes a filter, too"},
    {OPTION_SORT, "sort", "KEY",
     "name provider context output price input-price output-price release",
     "best first, unknown last"},
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
#define MAX_BOUNDS  2 /* fields that options name */

struct models {
    struct arena ar;
    struct list provider, kind, input, output, status, match, column;
    struct wanted can, cannot;
    cando_bound minimum[MAX_BOUNDS], maximum[MAX_BOUNDS];
    cando_query q;
    enum form form;
    struct engine e;
};

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
        return list_refuse("'%s' is no number: write 200000, 200k or 1m", value);
    *out = n * times;
    return true;
}

/* The last word on a field counts. */
static bool set_bound(cando_bound *list, size_t *n, const char *field, const char *value)
{
    size_t i = 0;
    while (i < *n && strcmp(list[i].field, field) != 0)
        i++;
    *n += i == *n;
    list[i] = (cando_bound){field, value};
    return true;
}

static bool add_minimum(struct models *m, const char *field, const char *value)
{
    uint64_t n;
    if (!read_count(value, &n))
        return false;
    struct str digits = str_printf(&m->ar, "%ju", (uintmax_t)n);
    return digits.p && set_bound(m->minimum, &m->q.n_minimum, field, digits.p);
}

static bool add_maximum(struct models *m, const char *side, const char *value)
{
    return set_bound(m->maximum, &m->q.n_maximum, side, *value == '$' ? value + 1 : value);
}

static bool add_columns(struct models *m, const char *value)
{
    size_t before = m->column.n;
    if (!list_split(&m->ar, &m->column, value))
        return false;
    if (m->column.n > MAX_COLUMNS)
        return list_refuse("'%s': too many columns", value);
    for (size_t i = before; i < m->column.n; i++) {
        cando_field f = cando_field_find(m->column.item[i]);
        if (f == CANDO_NO_FIELD)
            return list_refuse("no field is called '%s'; cando help fields lists them",
                               m->column.item[i]);
        m->column.item[i] = cando_field_name(f);
    }
    return true;
}

static bool take_sort(struct models *m, const struct args *a)
{
    static const char *const words[] = {"name",  "provider",    "context",      "output",
                                        "price", "input-price", "output-price", "release"};
    if (!args_word(a, OPTION_SORT))
        return false;
    while (strcmp(words[m->q.sort], a->value) != 0)
        m->q.sort++;
    return true;
}

static bool take_option(struct models *m, const struct args *a, int id)
{
    switch (id) {
    case OPTION_PROVIDER:
        return list_split(&m->ar, &m->provider, a->value);
    case OPTION_KIND:
        return list_split(&m->ar, &m->kind, a->value);
    case OPTION_INPUT:
        return list_split(&m->ar, &m->input, a->value);
    case OPTION_OUTPUT:
        return list_split(&m->ar, &m->output, a->value);
    case OPTION_STATUS:
        return list_split(&m->ar, &m->status, a->value);
    case OPTION_CAN:
        return wanted_split(&m->ar, &m->can, a->value);
    case OPTION_CANNOT:
        return wanted_split(&m->ar, &m->cannot, a->value);
    case OPTION_MIN_CONTEXT:
        return add_minimum(m, "context_window", a->value);
    case OPTION_MIN_OUTPUT:
        return add_minimum(m, "max_output", a->value);
    case OPTION_MAX_INPUT_PRICE:
        return add_maximum(m, "input_price", a->value);
    case OPTION_MAX_OUTPUT_PRICE:
        return add_maximum(m, "output_price", a->value);
    case OPTION_AFTER:
        m->q.released_after = a->value;
        return true;
    case OPTION_BEFORE:
        m->q.released_before = a->value;
        return true;
    case OPTION_MODEL:
        m->q.model = a->value;
        return true;
    case OPTION_SORT:
        m->q.sort = CANDO_SORT_NAME;
        return take_sort(m, a);
    case OPTION_LIMIT:
        m->q.limit.known = true;
        return read_count(a->value, &m->q.limit.value);
    case OPTION_COLUMNS:
        return add_columns(m, a->value);
    case OPTION_OR_UNKNOWN:
        m->q.unknown = CANDO_INCLUDE_UNKNOWN;
        return true;
    case OPTION_REVERSE:
        return m->q.reverse = true;
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
static bool add_pattern(struct models *m, const char *word)
{
    bool plain = !strpbrk(word, "*?[");
    struct str text = str_printf(&m->ar, plain ? "*%s*" : "%s", word);
    return text.p && list_add(&m->ar, &m->match, text);
}

#define PUT(member, list) (m->q.member = (list).item, m->q.n_##member = (list).n)

static void finish_query(struct models *m)
{
    static const char *const all[] = {"all"};
    PUT(providers, m->provider);
    PUT(kinds, m->kind);
    PUT(input, m->input);
    PUT(output, m->output);
    PUT(status, m->status);
    PUT(match, m->match);
    PUT(can, m->can);
    PUT(cannot, m->cannot);
    PUT(fields, m->column);
    m->q.minimum = m->minimum;
    m->q.maximum = m->maximum;
    if (!m->column.n && m->form == FORM_JSON) {
        m->q.fields = all;
        m->q.n_fields = 1;
    }
}

/* -- the table ----------------------------------------------------------------------------- */

/* Unknown is empty for programs and "?" for people. */
static void add_unknown(struct table *t, bool people)
{
    table_add(t, people ? STR("?") : STR(""), STYLE_DIM);
}

static void add_text(struct table *t, const char *text, bool people)
{
    if (text)
        table_add(t, str_of(text), STYLE_PLAIN);
    else
        add_unknown(t, people);
}

static void add_value(struct table *t, const cando_value *v, bool people, struct buf *b)
{
    char digits[32];
    if (!v->known) {
        add_unknown(t, people);
    } else if (!people && v->type == CANDO_NUMBER) { /* without commas */
        snprintf(digits, sizeof digits, "%ju", (uintmax_t)v->number);
        table_add(t, str_of(digits), STYLE_PLAIN);
    } else if (!people && v->type == CANDO_FLAG) {
        table_add(t, v->flag ? STR("true") : STR("false"), STYLE_PLAIN);
    } else {
        enum style style = value_words(v, b);
        table_add(t, str_make(b->p, b->n), style == STYLE_DIM ? STYLE_PLAIN : style);
    }
}

static void add_number(struct table *t, cando_number n, bool people, struct buf *b)
{
    cando_value v = {.known = n.known, .type = CANDO_NUMBER, .number = n.value};
    add_value(t, &v, people, b);
}

static void add_price(struct table *t, const char *price, bool people, struct buf *b)
{
    if (!price || !people) {
        add_text(t, price, people);
        return;
    }
    buf_clear(b);
    price_words(str_of(price), b);
    table_add(t, str_make(b->p, b->n), STYLE_PLAIN);
}

static void add_row(struct table *t, const cando_offering *x, bool people, struct buf *b)
{
    if (people) {
        buf_clear(b);
        buf_printf(b, "%s/%s", x->provider, x->model);
        table_add(t, str_make(b->p, b->n), STYLE_PLAIN);
    } else {
        table_add(t, str_of(x->provider), STYLE_PLAIN);
        table_add(t, str_of(x->model), STYLE_PLAIN);
        table_add(t, str_of(x->name ? x->name : ""), STYLE_PLAIN);
    }
    add_number(t, x->context_window, people, b);
    add_number(t, x->max_output, people, b);
    add_price(t, x->input_price, people, b);
    add_price(t, x->output_price, people, b);
    add_text(t, x->release_date, people);
    add_text(t, people && !x->status ? "" : x->status, people);
    for (size_t i = 0; i < x->n_fields; i++)
        add_value(t, &x->fields[i].value, people, b);
}

static void put_table(const struct models *m, const cando_models_answer *r)
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
    for (size_t i = 0; i < m->column.n; i++)
        table_column(&t, m->column.item[i], false, false);
    for (size_t i = 0; i < r->n_models; i++)
        add_row(&t, &r->models[i], people, &b);
    if (m->form == FORM_CSV)
        table_csv(&t);
    else if (m->form == FORM_MARKDOWN)
        table_markdown(&t);
    else if (t.n)
        table_print(&t, table_room());
    buf_free(&b);
    table_free(&t);
}

static void put_counts(const cando_models_answer *r)
{
    char digits[32];
    if (r->n_models < r->matched)
        fprintf(stderr, "%s of ", out_number(r->n_models, digits).p);
    out_count(stderr, r->matched, "model", "");
    if (r->denied)
        fprintf(stderr, "; %s more denied by a policy: see cando where",
                out_number(r->denied, digits).p);
    fputc('\n', stderr);
}

static int ask(const struct models *m, const char *only_word)
{
    cando_error err;
    const cando_models_answer *r = cando_ask_models(m->e.c, &m->q, m->e.room, &err);
    if (!r)
        return engine_failed(&err);
    int code = m->form == FORM_JSON ? engine_json(&m->e, "models", r) : EXIT_YES;
    if (m->form != FORM_JSON)
        put_table(m, r);
    fflush(stdout);
    if (m->form != FORM_JSON && m->form != FORM_CSV)
        put_counts(r);
    if (r->matched)
        return code;
    if (only_word)
        suggest_near(&m->e, "", only_word);
    return EXIT_NO;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct models m = {.form = FORM_TEXT};
    int code = EXIT_YES;
    engine_init(&m.e);
    arena_init(&m.ar, NULL);
    struct args a = args_begin(self, argc, argv);
    bool stopped = false;
    for (int id; !stopped && (id = args_next(&a)) != ARGS_END;)
        if (!take_option(&m, &a, id)) {
            code = args_stop(&a, id);
            stopped = true;
        }
    for (int i = 0; !stopped && i < a.n_rest; i++)
        if (!add_pattern(&m, a.rest[i])) {
            code = EXIT_INTERNAL;
            stopped = true;
        }
    finish_query(&m);
    if (!stopped && (code = engine_open(&m.e)) == EXIT_YES)
        code = ask(&m, a.n_rest == 1 && !strpbrk(a.rest[0], "*?[") ? a.rest[0] : NULL);
    engine_close(&m.e);
    arena_free(&m.ar);
    return code;
}

const struct verb verb_models = {
    .name = "models",
    .summary = "the models that fit, as a list",
    .usage = "[OPTION]... [PATTERN]...",
    .text = "Lists the offerings that the catalog has facts about: one model at one provider a "
            "line. A pattern is compared with the "
            "id and with provider/id; * stands for anything, and a word without * is looked for "
            "anywhere in the name. A list is separated "
            "by commas, and most options may be repeated.\n\n"
            "What nobody knows is shown as ? and passes no filter, unless --or-unknown is given. "
            "Prices are in USD per million tokens. "
            "The order is that of --sort, then that of the names.\n\n"
            "The exit code is 1 if there is none.",
    .options = options,
    .run = run,
};
