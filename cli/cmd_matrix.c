/*
 * cmd_matrix.c - cando matrix: who can do what, at a glance.
 *
 * Rows are models (named whole, or found by a pattern or a filter), agent
 * backends, or providers with the share of their models that can. Columns are
 * capabilities: those of general interest, or those that --can names.
 */
#include "engine.h"
#include "list.h"
#include "matrix.h"
#include "suggest.h"

enum {
    OPTION_PROVIDERS = OPTION_LONG,
    OPTION_BACKENDS,
    OPTION_PROVIDER,
    OPTION_KIND,
    OPTION_CAN,
    OPTION_ALL,
    OPTION_MARKDOWN,
    OPTION_HTML,
};

static const struct option_row options[] = {
    {OPTION_PROVIDERS, "providers", NULL, NULL, "rows are providers"},
    {OPTION_BACKENDS, "backends", NULL, NULL, "rows are agent backends"},
    {OPTION_PROVIDER, "provider", "LIST", NULL, "only of these providers; may be repeated"},
    {OPTION_KIND, "kind", "LIST", NULL,
     "only of providers of these kinds: first-party, cloud, host, router, local"},
    {OPTION_CAN, "can", "LIST", NULL, "columns: these capabilities, in this order"},
    {OPTION_ALL, "all", NULL, NULL,
     "a column for every capability that somebody said something of"},
    {OPTION_MARKDOWN, "markdown", NULL, NULL, "print a table for documents"},
    {OPTION_HTML, "html", NULL, NULL, "print a page for a browser"},
    ENGINE_OPTIONS,
    {0},
};

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_HTML };

struct ask {
    struct matrix m;
    struct engine e;
    struct list providers, kinds;
    bool backends, all;
    enum form form;
};

/* -- columns ------------------------------------------------------------------------------- */

static void add_column(struct matrix *m, cando_field f)
{
    for (size_t i = 0; i < m->columns; i++)
        if (m->field[i] == f)
            return;
    if (m->columns == MATRIX_COLUMNS)
        return;
    m->field[m->columns] = f;
    m->column[m->columns++] = cando_field_name(f);
}

static bool unknown_capability(const char *name)
{
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

static bool add_named(struct matrix *m, const char *value)
{
    struct list names = {0};
    if (!list_split(&m->ar, &names, value))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        cando_field f = cando_field_find(names.item[i]);
        if (f == CANDO_NO_FIELD || cando_field_type(f) != CANDO_SUPPORT)
            return unknown_capability(names.item[i]);
        add_column(m, f);
    }
    return true;
}

/* What an offering of this kind is asked for most; the order is that of a page. */
static const char general[] = "tool_calling parallel_tool_calls structured_output json_mode "
                              "reasoning reasoning_effort prompt_caching "
                              "input_image input_pdf input_audio input_video output_image "
                              "output_audio streaming system_message "
                              "assistant_prefill temperature top_p stop_sequences web_search "
                              "code_execution computer_use citations batch";

static void default_columns(struct ask *a)
{
    if (a->all || a->backends) { /* columns of nothing but unknowns are dropped later */
        for (unsigned f = 0; f < cando_field_count(); f++)
            if (cando_field_type((cando_field)f) == CANDO_SUPPORT)
                add_column(&a->m, (cando_field)f);
        return;
    }
    struct str word;
    for (const char *at = general; words_next(&at, &word);) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", STR_ARG(word));
        add_column(&a->m, cando_field_find(name));
    }
}

static void drop_column(struct matrix *m, size_t c)
{
    m->columns--;
    memmove(&m->column[c], &m->column[c + 1], (m->columns - c) * sizeof *m->column);
    memmove(&m->field[c], &m->field[c + 1], (m->columns - c) * sizeof *m->field);
    for (size_t i = 0; i < m->n; i++)
        memmove(&m->row[i].cell[c], &m->row[i].cell[c + 1],
                (m->columns - c) * sizeof *m->row[i].cell);
}

static void drop_unknown(struct matrix *m)
{
    for (size_t c = m->columns; c-- > 0;) {
        bool any = false;
        for (size_t i = 0; i < m->n && !any; i++)
            any = m->row[i].cell[c].level != CANDO_UNKNOWN || m->row[i].cell[c].known;
        if (!any)
            drop_column(m, c);
    }
}

/* -- rows ---------------------------------------------------------------------------------- */

static struct matrix_row *add_row(struct matrix *m, struct str name)
{
    if (!ARENA_GROW(&m->ar, m->row, m->n, m->cap))
        goto failed;
    struct matrix_row *row = &m->row[m->n];
    *row = (struct matrix_row){.name = str_dup(&m->ar, name),
                               .cell = arena_array(&m->ar, m->columns, sizeof *row->cell)};
    if (!row->name.p || !row->cell)
        goto failed;
    m->n++;
    return row;
failed:
    m->failed = true;
    return NULL;
}

static void fill_cell(const struct matrix *m, struct matrix_cell *x, const cando_value *v)
{
    cando_support level = v->known ? v->support : CANDO_UNKNOWN;
    if (m->counts) {
        x->can += level > CANDO_UNSUPPORTED;
        x->known += level != CANDO_UNKNOWN;
        return;
    }
    x->level = level;
    x->reason = level == CANDO_RESTRICTED ? v->text : NULL;
}

static void take_model(struct matrix *m, const cando_offering *x)
{
    struct matrix_row *row = m->n ? &m->row[m->n - 1] : NULL;
    struct str name =
        m->counts ? str_of(x->provider) : str_printf(&m->ar, "%s/%s", x->provider, x->model);
    if (!m->counts || !row || !str_eq(row->name, name)) /* offerings of a provider stand together */
        row = add_row(m, name);
    for (size_t c = 0; row && c < m->columns; c++)
        fill_cell(m, &row->cell[c], &x->fields[c].value);
    if (row)
        row->models++;
}

static int add_models(struct ask *a, const char *pattern)
{
    static const char *const backend[] = {"backend"};
    cando_error err;
    cando_query q = {
        .fields = a->m.column,
        .n_fields = a->m.columns,
        .providers = a->providers.item,
        .n_providers = a->providers.n,
        .kinds = a->backends ? backend : a->kinds.item,
        .n_kinds = a->backends ? 1 : a->kinds.n,
        .match = &pattern,
        .n_match = pattern != NULL,
    };
    const cando_models_answer *r = cando_ask_models(a->e.c, &q, a->e.room, &err);
    if (!r)
        return engine_failed(&err);
    for (size_t i = 0; i < r->n_models; i++)
        take_model(&a->m, &r->models[i]);
    return EXIT_YES;
}

/* One that is named whole need not be in the catalog. */
static int add_target(struct ask *a, const char *target)
{
    cando_error err;
    cando_name name = {target, NULL};
    if (suggest_offerings(&a->e, target))
        return EXIT_QUESTION;
    const cando_resolve_answer *r =
        cando_ask_resolve(a->e.c, &(cando_resolve_question){.target = &name}, a->e.room, &err);
    if (!r)
        return engine_failed(&err);
    struct matrix_row *row = add_row(&a->m, str_of(target));
    for (size_t c = 0; row && c < a->m.columns; c++) {
        cando_value v = cando_profile_get(r->profile, a->m.field[c]);
        fill_cell(&a->m, &row->cell[c], &v);
    }
    return EXIT_YES;
}

static int add_rows(struct ask *a, char **names, int n)
{
    int code = EXIT_YES;
    if (n == 0)
        return add_models(a, NULL);
    for (int i = 0; code == EXIT_YES && i < n; i++)
        code = !a->m.counts && !strpbrk(names[i], "*?[") ? add_target(a, names[i])
                                                         : add_models(a, names[i]);
    return code;
}

static int show(struct ask *a, char **names, int n)
{
    a->m.title = a->m.counts   ? "Providers and what their models can do"
                 : a->backends ? "Agent backends and what they can do"
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
    struct args args = args_begin(self, argc, argv);
    bool stopped = false;
    for (int id; !stopped && (id = args_next(&args)) != ARGS_END;) {
        if (id == OPTION_PROVIDERS)
            a.m.counts = true;
        else if (id == OPTION_BACKENDS)
            a.backends = true;
        else if (id == OPTION_PROVIDER)
            list_split(&a.m.ar, &a.providers, args.value);
        else if (id == OPTION_KIND)
            list_split(&a.m.ar, &a.kinds, args.value);
        else if (id == OPTION_ALL)
            a.all = true;
        else if (id == OPTION_MARKDOWN || id == OPTION_HTML)
            a.form = id == OPTION_HTML ? FORM_HTML : FORM_MARKDOWN;
        else if (id == OPTION_CAN ? !add_named(&a.m, args.value)
                                  : !engine_option(&a.e, id, args.value)) {
            code = args_stop(&args, id);
            stopped = true;
        }
    }
    if (!stopped && !args.n_rest && !a.m.counts && !a.backends && !a.providers.n && !a.kinds.n) {
        code = args_usage(
            &args, "which models? name some, or a --provider, or take --providers or --backends");
        stopped = true;
    }
    if (!stopped && (code = engine_open(&a.e)) == EXIT_YES)
        code = show(&a, args.rest, args.n_rest);
    engine_close(&a.e);
    arena_free(&a.m.ar);
    return code;
}

const struct verb verb_matrix = {
    .name = "matrix",
    .summary = "who can do what, at a glance: text, Markdown or a page",
    .usage = "[OPTION]... [PROVIDER/MODEL | PATTERN]...",
    .text = "Shows models against capabilities. A row is a model that is named whole, one that a "
            "pattern (openai/gpt-5*) finds, an agent "
            "backend, or with --providers a provider, whose cells are the share of its models that "
            "can.\n\n"
            "cando matrix --provider anthropic,openai --html > matrix.html makes a page that needs "
            "nothing but itself.",
    .options = options,
    .run = run,
};
