/*
 * cmd_matrix.c - cando matrix: who can do what, at a glance.
 *
 * Rows are models (named whole, or found by a pattern or a filter), agent
 * backends, or providers with the share of their models that can. Columns are
 * capabilities: those of general interest, or those that --can names.
 */
#include "base/limits.h"
#include "engine.h"
#include "matrix.h"
#include "pull.h"
#include "suggest.h"

enum {
    OPTION_PROVIDERS = OPTION_LONG, OPTION_BACKENDS, OPTION_PROVIDER, OPTION_KIND, OPTION_CAN, OPTION_ALL, OPTION_MARKDOWN, OPTION_HTML,
};

static const struct option_row options[] = {
    {OPTION_PROVIDERS, "providers", NULL, NULL, "rows are providers"},
    {OPTION_BACKENDS, "backends", NULL, NULL, "rows are agent backends"},
    {OPTION_PROVIDER, "provider", "LIST", NULL, "only of these providers; may be repeated"},
    {OPTION_KIND, "kind", "LIST", NULL, "only of providers of these kinds: first-party, cloud, host, router, local"},
    {OPTION_CAN, "can", "LIST", NULL, "columns: these capabilities, in this order"},
    {OPTION_ALL, "all", NULL, NULL, "a column for every capability that somebody said something of"},
    {OPTION_MARKDOWN, "markdown", NULL, NULL, "print a table for documents"},
    {OPTION_HTML, "html", NULL, NULL, "print a page for a browser"},
    ENGINE_OPTIONS,
    {0},
};

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_HTML };

struct ask {
    struct matrix m;
    struct engine e;
    struct buf providers, kinds;
    bool backends, all;
    enum form form;
};

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

/* -- columns ---------------------------------------------------------------------------- */

static bool add_column(struct matrix *m, cando_field f)
{
    for (size_t i = 0; i < m->columns; i++)
        if (strcmp(m->column[i], cando_field_name(f)) == 0)
            return true;
    if (m->columns < MATRIX_COLUMNS)
        m->column[m->columns++] = cando_field_name(f);
    return true;
}

static bool add_named(struct matrix *m, const char *list)
{
    for (struct str s = str_of(list); s.n;) {
        size_t cut = str_find_char(s, ',');
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)cut, s.p);
        cando_field f = cando_field_find(name);
        if (f == CANDO_NO_FIELD || cando_field_type(f) != CANDO_SUPPORT) {
            cando_error err;
            struct nearest near = nearest_to(str_of(name));
            for (unsigned i = 0; i < cando_field_count(); i++)
                if (cando_field_type((cando_field)i) == CANDO_SUPPORT)
                    nearest_try(&near, str_of(cando_field_name((cando_field)i)));
            error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_field, "no capability is called '%s'", name);
            if (near.name.n)
                error_hint(&err, "did you mean %.*s?", STR_ARG(near.name));
            out_error(&err);
            return false;
        }
        add_column(m, f);
        s = str_from(s, cut + 1);
    }
    return true;
}

/* What an offering of this kind is asked for most; the order is that of a page. */
static const char general[] = "tool_calling parallel_tool_calls structured_output json_mode reasoning reasoning_effort prompt_caching "
                              "input_image input_pdf input_audio input_video output_image output_audio streaming system_message "
                              "assistant_prefill temperature top_p stop_sequences web_search code_execution computer_use citations batch";

static void default_columns(struct ask *a)
{
    if (a->all || a->backends) { /* columns of nothing but unknowns are dropped later */
        for (unsigned f = 0; f < cando_field_count(); f++)
            if (cando_field_type((cando_field)f) == CANDO_SUPPORT)
                add_column(&a->m, (cando_field)f);
        return;
    }
    for (struct str s = str_of(general); s.n;) {
        size_t cut = str_find_char(s, ' ');
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)cut, s.p);
        add_column(&a->m, cando_field_find(name));
        s = str_from(s, cut + 1);
    }
}

static void drop_column(struct matrix *m, size_t c)
{
    m->columns--;
    memmove(&m->column[c], &m->column[c + 1], (m->columns - c) * sizeof *m->column);
    for (size_t i = 0; i < m->n; i++)
        memmove(&m->row[i].cell[c], &m->row[i].cell[c + 1], (m->columns - c) * sizeof *m->row[i].cell);
}

static void drop_unknown(struct matrix *m)
{
    for (size_t c = m->columns; c-- > 0;) {
        bool any = false;
        for (size_t i = 0; i < m->n && !any; i++)
            any = m->row[i].cell[c].level != LEVEL_UNKNOWN || m->row[i].cell[c].known;
        if (!any)
            drop_column(m, c);
    }
}

/* -- rows ----------------------------------------------------------------------------------- */

static struct matrix_row *add_row(struct matrix *m, struct str name)
{
    if (!ARENA_GROW(&m->ar, m->row, m->n, m->cap))
        goto failed;
    struct matrix_row *row = &m->row[m->n];
    *row = (struct matrix_row){.name = str_dup(&m->ar, name), .about = STR(""),
                               .cell = arena_array(&m->ar, m->columns, sizeof *row->cell)};
    if (!row->name.p || !row->cell)
        goto failed;
    m->n++;
    return row;
failed:
    m->failed = true;
    return NULL;
}

static enum level level_of(struct str v)
{
    if (pull_kind(v) == PULL_OBJECT)
        return LEVEL_RESTRICTED;
    return str_is(v, "\"native\"")        ? LEVEL_NATIVE
           : str_is(v, "\"emulated\"")    ? LEVEL_EMULATED
           : str_is(v, "\"unsupported\"") ? LEVEL_NO
                                          : LEVEL_UNKNOWN;
}

static void fill_cells(struct matrix *m, struct matrix_row *row, struct str fields)
{
    for (size_t c = 0; c < m->columns; c++) {
        struct str v = pull_get(fields, m->column[c]);
        struct matrix_cell *x = &row->cell[c];
        enum level level = level_of(v);
        if (m->counts) {
            x->can += level > LEVEL_NO;
            x->known += level != LEVEL_UNKNOWN;
            continue;
        }
        x->level = level;
        struct buf b;
        buf_init(&b, NULL, LIMIT_JSON_BYTES);
        if (level == LEVEL_RESTRICTED && pull_string(pull_get(pull_get(v, "restricted"), "reason"), &b))
            x->reason = str_dup(&m->ar, str_make(b.p, b.n));
        buf_free(&b);
    }
    row->models++;
}

static void take_model(struct matrix *m, struct str x, struct buf *b)
{
    struct matrix_row *row = m->n ? &m->row[m->n - 1] : NULL;
    buf_clear(b);
    pull_string(pull_get(x, "provider"), b);
    if (!m->counts) {
        buf_putc(b, '/');
        pull_string(pull_get(x, "model"), b);
    }
    if (!m->counts || !row || !str_eq(row->name, str_make(b->p, b->n))) /* offerings of a provider stand together */
        row = add_row(m, str_make(b->p, b->n));
    if (row)
        fill_cells(m, row, pull_get(x, "fields"));
}

static int add_models(struct ask *a, const char *pattern)
{
    struct buf q, b;
    struct str reply, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"models\",\"fields\":[");
    for (size_t i = 0; i < a->m.columns; i++)
        buf_printf(&q, "%s\"%s\"", i ? "," : "", a->m.column[i]);
    buf_putc(&q, ']');
    if (a->providers.n)
        buf_printf(&q, ",\"providers\":[%.*s]", (int)a->providers.n, a->providers.p);
    if (a->backends)
        buf_putz(&q, ",\"kinds\":\"backend\"");
    else if (a->kinds.n)
        buf_printf(&q, ",\"kinds\":[%.*s]", (int)a->kinds.n, a->kinds.p);
    if (pattern) {
        buf_putz(&q, ",\"match\":");
        out_quoted(&q, str_of(pattern));
    }
    buf_putc(&q, '}');
    int code = engine_ask(&a->e, str_make(q.p, q.n), &reply, &result);
    if (code == EXIT_YES)
        for (struct str at = pull_get(result, "models"), x; pull_next(&at, NULL, &x);)
            take_model(&a->m, x, &b);
    engine_done(&a->e, reply);
    buf_free(&q);
    buf_free(&b);
    return code;
}

/* One that is named whole need not be in the catalog. */
static int add_target(struct ask *a, const char *target)
{
    struct buf q;
    struct str reply, result;
    if (suggest_offerings(&a->e, target))
        return EXIT_QUESTION;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"resolve\",\"target\":");
    out_quoted(&q, str_of(target));
    buf_putc(&q, '}');
    int code = engine_ask(&a->e, str_make(q.p, q.n), &reply, &result);
    struct matrix_row *row = code == EXIT_YES ? add_row(&a->m, str_of(target)) : NULL;
    if (row)
        fill_cells(&a->m, row, pull_get(result, "fields"));
    engine_done(&a->e, reply);
    buf_free(&q);
    return code;
}

static int add_rows(struct ask *a, char **names, int n)
{
    int code = EXIT_YES;
    if (n == 0)
        return add_models(a, NULL);
    for (int i = 0; code == EXIT_YES && i < n; i++)
        code = !a->m.counts && !strpbrk(names[i], "*?[") ? add_target(a, names[i]) : add_models(a, names[i]);
    return code;
}

static int show(struct ask *a, char **names, int n)
{
    a->m.title = a->m.counts ? "Providers and what their models can do" : a->backends ? "Agent backends and what they can do"
                                                                                       : "Models and what they can do";
    bool given = a->m.columns != 0;
    if (!given)
        default_columns(a);
    int code = add_rows(a, names, n);
    if (code != EXIT_YES)
        return code;
    if (a->m.failed) {
        cando_error err;
        error_memory(&err);
        out_error(&err);
        return EXIT_INTERNAL;
    }
    if (!given)
        drop_unknown(&a->m);
    if (a->m.n == 0) {
        fputs("no model fits\n", stderr);
        return EXIT_NO;
    }
    if (a->form == FORM_HTML)
        matrix_html(&a->m);
    else if (a->form == FORM_MARKDOWN)
        matrix_markdown(&a->m);
    else
        matrix_print(&a->m);
    return EXIT_YES;
}

static int run(const struct verb *self, int argc, char **argv)
{
    static struct ask a; /* of one call */
    int code = EXIT_YES;
    arena_init(&a.m.ar, NULL);
    engine_init(&a.e);
    buf_init(&a.providers, NULL, 1u << 20);
    buf_init(&a.kinds, NULL, 1u << 20);
    struct args args = args_begin(self, argc, argv);
    bool stopped = false;
    for (int id; !stopped && (id = args_next(&args)) != ARGS_END;) {
        if (id == OPTION_PROVIDERS)
            a.m.counts = true;
        else if (id == OPTION_BACKENDS)
            a.backends = true;
        else if (id == OPTION_PROVIDER)
            add_list(&a.providers, args.value);
        else if (id == OPTION_KIND)
            add_list(&a.kinds, args.value);
        else if (id == OPTION_ALL)
            a.all = true;
        else if (id == OPTION_MARKDOWN || id == OPTION_HTML)
            a.form = id == OPTION_HTML ? FORM_HTML : FORM_MARKDOWN;
        else if (id == OPTION_CAN ? !add_named(&a.m, args.value) : !engine_option(&a.e, id, args.value)) {
            code = args_stop(&args, id);
            stopped = true;
        }
    }
    if (!stopped && !args.n_rest && !a.m.counts && !a.backends && !a.providers.n && !a.kinds.n) {
        code = args_usage(&args, "which models? name some, or a --provider, or take --providers or --backends");
        stopped = true;
    }
    if (!stopped && (code = engine_open(&a.e)) == EXIT_YES)
        code = show(&a, args.rest, args.n_rest);
    engine_close(&a.e);
    buf_free(&a.providers);
    buf_free(&a.kinds);
    arena_free(&a.m.ar);
    return code;
}

const struct verb verb_matrix = {
    .name = "matrix",
    .summary = "who can do what, at a glance: text, Markdown or a page",
    .usage = "[OPTION]... [PROVIDER/MODEL | PATTERN]...",
    .text = "Shows models against capabilities. A row is a model that is named whole, one that a pattern (openai/gpt-5*) finds, an agent "
            "backend, or with --providers a provider, whose cells are the share of its models that can.\n\n"
            "cando matrix --provider anthropic,openai --html > matrix.html makes a page that needs nothing but itself.",
    .options = options,
    .run = run,
};
