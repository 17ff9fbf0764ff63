/*
 * cmd_matrix.c - cando matrix: who can do what, at a glance.
 *
 * Rows are models (named whole, or found by a pattern or a filter), agent
 * backends, or providers with the share of their models that can. Columns are
 * capabilities: those of general interest, or those that --can names.
 */
#include "engine.h"
#include "matrix.h"
#include "suggest.h"
#include "value.h"

enum form { FORM_TEXT, FORM_MARKDOWN, FORM_HTML };

struct ask {
    struct matrix m;
    const char *const *providers, *const *kinds, *const *can;
    size_t n_providers, n_kinds, n_can;
    bool backends, all, retired;
    cando_number limit;
    size_t n_retired, n_more; /* that are left out */
    enum form form;
};

static const struct option_row options[] = {
    {FLAG("providers", m.counts, "rows are providers")},
    {FLAG("backends", backends, "rows are agent backends")},
    {COMMAS("provider", providers, n_providers, "LIST",
            "only of these providers; may be repeated")},
    {COMMAS("kind", kinds, n_kinds, "LIST",
            "only of providers of these kinds: first-party, cloud, host, router, local")},
    {COMMAS("can", can, n_can, "LIST", "columns: these capabilities, in this order")},
    {FLAG("all", all, "a column for every capability that somebody said something of")},
    {FLAG("retired", retired, "also models that have ended, where they are not named whole")},
    {NUMBER("limit", limit, "N", "no more than N rows"), .letter = 'n'},
    {SETS("markdown", form, FORM_MARKDOWN, "print a table for documents")},
    {SETS("html", form, FORM_HTML, "print a page for a browser")},
    {.more = engine_options},
};

/* -- columns -- */

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

static int add_named(struct ask *a)
{
    for (size_t i = 0; i < a->n_can; i++) {
        cando_field f = cando_field_find(a->can[i]);
        struct nearest near = nearest_field(a->can[i], true);
        if (f == CANDO_NO_FIELD || cando_field_type(f) != CANDO_SUPPORT)
            return fail_unknown(CODE_unknown_field, "no capability is called '%s'", a->can[i],
                                &near, "did you mean %s?", "cando help fields lists them");
        add_column(&a->m, f);
    }
    return EXIT_YES;
}

/* What an offering of this kind is asked for most; the order is that of a page. */
static const char general[] =
    "tool_calling parallel_tool_calls structured_output json_mode reasoning reasoning_effort "
    "prompt_caching input_image input_pdf input_audio input_video output_image output_audio "
    "streaming system_message assistant_prefill temperature top_p stop_sequences web_search "
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

/* -- rows -- */

static struct matrix_row *add_row(struct matrix *m, struct str name)
{
    struct matrix_row row = {.name = str_dup(m->ar, name),
                             .cell = arena_array(m->ar, m->columns, sizeof *row.cell)};
    if (!row.name.p || !row.cell || !ARENA_GROW(m->ar, m->row, m->n, m->cap)) {
        m->failed = true;
        return NULL;
    }
    m->row[m->n] = row;
    return &m->row[m->n++];
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

/* What is asked of a model besides what it can do. */
static void take_facts(struct matrix *m, struct matrix_row *row, const cando_offering *x)
{
    char number[32];
    if (x->context_window.known)
        row->fact[FACT_WINDOW] = str_dup(m->ar, out_number(x->context_window.value, number)).p;
    if (x->input_price)
        row->fact[FACT_INPUT] = money_text(x->input_price, m->ar);
    if (x->output_price)
        row->fact[FACT_OUTPUT] = money_text(x->output_price, m->ar);
    if (x->status)
        row->fact[FACT_STATUS] = str_dup(m->ar, str_of(x->status)).p;
}

static void take_model(struct matrix *m, const cando_offering *x)
{
    struct matrix_row *row = m->n ? &m->row[m->n - 1] : NULL;
    struct str name =
        m->counts ? str_of(x->provider) : str_printf(m->ar, "%s/%s", x->provider, x->model);
    if (!m->counts || !row || !str_eq(row->name, name)) /* offerings of a provider stand together */
        row = add_row(m, name);
    for (size_t c = 0; row && c < m->columns; c++)
        fill_cell(m, &row->cell[c], &x->fields[c].value);
    if (row && !m->counts)
        take_facts(m, row, x);
    if (row)
        row->models++;
}

static int add_models(struct call *c, const char *pattern)
{
    static const char *const backend[] = {"backend"};
    struct ask *a = c->ask;
    cando_query q = {
        .fields = a->m.column,
        .n_fields = a->m.columns,
        .providers = a->providers,
        .n_providers = a->n_providers,
        .kinds = a->backends ? backend : a->kinds,
        .n_kinds = a->backends ? 1 : a->n_kinds,
        .match = &pattern,
        .n_match = pattern != NULL,
    };
    const cando_models_answer *r = cando_ask_models(c->engine, &q, c->room, &c->err);
    if (!r)
        return fail(&c->err);
    for (size_t i = 0; i < r->n_models; i++) {
        const char *status = r->models[i].status;
        if (!a->m.counts && !a->retired && status && strcmp(status, "retired") == 0)
            a->n_retired++;
        else if (!a->m.counts && a->limit.known && a->m.n >= a->limit.value)
            a->n_more++;
        else
            take_model(&a->m, &r->models[i]);
    }
    return EXIT_YES;
}

/* One that is named whole need not be in the catalog. */
static int add_target(struct call *c, const char *target)
{
    struct ask *a = c->ask;
    cando_name name = {.model = target};
    cando_resolve_question q = {.target = &name};
    name.model = suggest_target(c, target);
    if (!name.model)
        return EXIT_QUESTION;
    const cando_resolve_answer *r = cando_ask_resolve(c->engine, &q, c->room, &c->err);
    if (!r)
        return fail(&c->err);
    struct matrix_row *row = add_row(&a->m, str_of(name.model));
    for (size_t i = 0; row && i < a->m.columns; i++) {
        cando_value v = cando_profile_get(r->profile, a->m.field[i]);
        fill_cell(&a->m, &row->cell[i], &v);
    }
    cando_query of = {.allow = &name.model, .n_allow = 1};
    const cando_models_answer *list = row ? cando_ask_models(c->engine, &of, c->room, NULL) : NULL;
    for (size_t i = 0; list && i < list->n_models; i++)
        if (strcmp(list->models[i].model, r->model) == 0)
            take_facts(&a->m, row, &list->models[i]);
    return EXIT_YES;
}

static int add_rows(struct call *c)
{
    const struct ask *a = c->ask;
    int code = c->n ? EXIT_YES : add_models(c, NULL);
    for (int i = 0; code == EXIT_YES && i < c->n; i++) {
        bool whole = !a->m.counts && !strpbrk(c->operand[i], "*?[");
        code = (whole ? add_target : add_models)(c, c->operand[i]);
    }
    return code == EXIT_YES && a->m.failed ? fail_memory() : code;
}

static void put_left_out(const struct ask *a)
{
    fflush(stdout);
    if (a->n_retired)
        out_to(stderr, "%'zu retired model" PLURAL " left out; --retired shows them\n",
               a->n_retired);
    if (a->n_more)
        out_to(stderr, "%'zu more; --limit N shows more of them\n", a->n_more);
}

static int check(struct call *c)
{
    struct ask *a = c->ask;
    if (!c->n && !a->m.counts && !a->backends && !a->n_providers && !a->n_kinds)
        return call_usage(
            c, "which models? name some, or a --provider, or take --providers or --backends");
    return add_named(a);
}

static int run(struct call *c)
{
    struct ask *a = c->ask;
    a->m.ar = &c->ar;
    a->m.title = a->m.counts   ? "Providers and what their models can do"
                 : a->backends ? "Agent backends and what they can do"
                               : "Models and what they can do";
    a->m.facts = !a->n_can && !a->backends;
    if (!a->n_can)
        default_columns(a);
    int code = add_rows(c);
    if (code != EXIT_YES)
        return code;
    if (!a->n_can)
        drop_unknown(&a->m);
    if (a->m.counts && a->limit.known && a->m.n > a->limit.value) {
        a->n_more = a->m.n - a->limit.value;
        a->m.n = a->limit.value;
    }
    if (a->m.n == 0) {
        fputs("no model fits\n", stderr);
        put_left_out(a);
        return EXIT_NO;
    }
    if (a->form != FORM_HTML)
        code = (a->form == FORM_MARKDOWN ? matrix_markdown : matrix_print)(&a->m);
    else
        matrix_html(&a->m);
    put_left_out(a);
    return code;
}

const struct verb verb_matrix = {
    .name = "matrix",
    .summary = "who can do what: a table of models and capabilities",
    .usage = "[OPTION]... [PROVIDER/MODEL | PATTERN]...",
    .text = "Shows models against capabilities, a few of them also with window and price. A row is "
            "a model that is named whole, one that a pattern (openai/gpt-5*) finds, an agent "
            "backend, or with --providers a provider, whose cells are the share of its models that "
            "can. What has ended is left out where it is not named whole. Many columns have a "
            "letter each, and the letters are explained "
            "above the table.\n\n"
            "cando matrix --provider anthropic,openai --html > matrix.html makes a page that needs "
            "nothing but itself.",
    .examples = "cando matrix openai/gpt-4o openai/gpt-5 anthropic/claude-opus-5\n"
                "cando matrix --provider anthropic --can tools,vision,reasoning",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .opens = OPENS_CATALOG,
    .check = check,
    .paged = true,
    .run = run,
};
