/*
 * cmd_show.c - cando show: what one model can do, on one page.
 *
 * Both forms are made of one answer of the question `resolve`: --json prints it as it is,
 * the page sorts its fields by kind.
 */
#include "base/limits.h"
#include "engine.h"
#include "suggest.h"
#include "value.h"

static const char *const views[] = {"cando", "nika", "harn", "manifest", "claims", "model_ref"};

struct ask {
    bool all;
    cando_view view;
    cando_resolution resolution;
};

static const struct option_row options[] = {
    {JSON("print the reply of the operation resolve")},
    {WORD("view", view, "NAME", "cando nika harn manifest claims model_ref",
          "use the names and types of another system")},
    {WORD("resolution", resolution, "NAME", "as-written layered first-match",
          "how rules combine, whatever the files say")},
    {FLAG("all", all, "a line for every field of the vocabulary, known or not")},
    {.more = engine_options},
};

static const struct section {
    const char *title;
    unsigned types; /* a bit for each cando_type */
} sections[] = {
    {"capabilities", 1u << CANDO_SUPPORT},
    {"limits", 1u << CANDO_NUMBER},
    {"settings", 1u << CANDO_WORD | 1u << CANDO_TEXT | 1u << CANDO_LIST | 1u << CANDO_MAP},
    {"flags", 1u << CANDO_FLAG},
};

static const char *const identities[] = {
    [CANDO_BY_DEFAULT] = "not known: defaults only",
    [CANDO_BY_FAMILY] = "known by the rules of its family",
    [CANDO_BY_ALIAS] = "known under another spelling",
    [CANDO_BY_EXACT] = "known exactly",
};

static const cando_value *find(const cando_resolve_answer *a, const char *name)
{
    for (size_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i].name, name) == 0 && a->fields[i].value.known)
            return &a->fields[i].value;
    return NULL;
}

static const char *text_of(const cando_resolve_answer *a, const char *name)
{
    const cando_value *v = find(a, name);
    return v && v->text && *v->text ? v->text : NULL;
}

/* What it is called, since when it is there, how far its life is, and when it ends. */
static void put_about(const cando_resolve_answer *a)
{
    const char *name = text_of(a, "display_name"), *day = text_of(a, "release_date");
    const char *status = text_of(a, "status"), *end = text_of(a, "retires_on");
    const char *instead = text_of(a, "replaced_by");
    if (name || day || status)
        out("%s%s" MAYBE("released %s") "%s%s\n", name, name && day ? ", " : "", day,
            (name || day) && status ? ", " : "", status);
    if (end)
        out(WARN "%s %s" END MAYBE(", instead: %s") "\n",
            status && strcmp(status, "retired") == 0 ? "ended on" : "ends on", end, instead);
}

/* Where the facts come from: those of the first field that a fact set. */
static void put_source(const cando_resolve_answer *a)
{
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_statement *said = a->fields[i].said;
        if (!said || said->from != CANDO_FROM_FACT || !said->source || !*said->source)
            continue;
        out("source %s" MAYBE(", checked %s") "\n", said->source, said->checked);
        return;
    }
}

static void put_denial(const cando_policy *by)
{
    out(BAD "%s" END MAYBE(": %s") MAYBE(" at %s"),
        strcmp(by->list, "deny") == 0    ? "denied by a deny list"
        : strcmp(by->list, "allow") == 0 ? "denied: not in an allow list"
                                         : "denied: a list cannot be read",
        by->pattern, by->file);
    if (by->line)
        out(":%u", by->line);
    out("\n");
}

/* What a project's file says stands above what is known of the model: that is told. */
static void put_project(const cando_resolve_answer *a)
{
    const char *file = NULL;
    size_t n = 0;
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_statement *said = a->fields[i].said;
        if (!a->fields[i].value.known || !said || !said->layer)
            continue;
        if (strcmp(said->layer, "project") != 0)
            continue;
        file = file ? file : said->file;
        n++;
    }
    if (n)
        out(WARN "%'zu field" PLURAL " decided by the project's file %s" END "\n", n, file);
}

static void put_head(const cando_resolve_answer *a)
{
    out(BOLD "%s%s%s" END "\n", a->provider, *a->provider ? "/" : "", a->model);
    put_about(a);
    if (a->policy && a->policy->denial)
        put_denial(a->policy->denial);
    out("%s" MAYBE(", as %s; its price is its own") "\n", identities[a->identity], a->canonical);
    put_project(a);
    put_source(a);
}

/* Do sources disagree on the field? Then each has a claim of its own. */
static bool is_contested(const cando_value *claims, const char *name)
{
    size_t n = strlen(name);
    for (uint32_t i = 0; claims && i < claims->count; i++) {
        const char *item = cando_value_item(claims, i); /* "input_pdf|litellm|2026-08-08=native" */
        if (strncmp(item, name, n) == 0 && item[n] == '|')
            return true;
    }
    return false;
}

/* What is less than somebody's plain word is marked. */
static const char *mark_of(const cando_resolve_answer *a, const cando_field_value *f)
{
    if (!f->value.known || !f->said)
        return NULL;
    if (f->said->from == CANDO_FROM_BORROWED)
        return "inferred from its other offerings";
    if (f->said->from == CANDO_FROM_INHERITED)
        return "inferred from earlier models";
    if (f->said->evidence && strcmp(f->said->evidence, "inferred") == 0)
        return "inferred from its family";
    return is_contested(find(a, "claims"), f->name) ? "sources disagree" : NULL;
}

static void put_row(const cando_field_value *f, size_t width, const char *mark, struct arena *ar)
{
    out("  %-*s", (int)width + 2, f->name);
    value_print(&f->value, ar);
    if (mark)
        out(DIM "  (%s)" END, mark);
    out("\n");
}

/* -- our own view: the fields in the order of the vocabulary, sorted into sections -- */

struct page {
    const cando_resolve_answer *a;
    cando_field_value value[CANDO_MAX_FIELDS]; /* name NULL: it is not shown */
    size_t width;                              /* of the longest name */
    struct arena *ar;
};

/* Fields that the head, or a block of their own, has. */
static bool shown_elsewhere(const char *name)
{
    struct str word;
    const char *names = "display_name release_date status retires_on replaced_by price claims";
    while (words_next(&names, &word))
        if (str_is(word, name))
            return true;
    return false;
}

static void page_fill(struct page *p, const cando_resolve_answer *a, bool all)
{
    p->a = a;
    p->width = sizeof "unknown" - 1;
    for (unsigned f = 0; f < cando_field_count() && all; f++)
        p->value[f].name = cando_field_name((cando_field)f);
    for (size_t i = 0; i < a->n_fields; i++)
        p->value[a->fields[i].field] = a->fields[i];
    for (unsigned f = 0; f < cando_field_count(); f++) {
        const char *name = p->value[f].name;
        if (name && (all || p->value[f].value.known) && strlen(name) > p->width)
            p->width = strlen(name);
        if (name && shown_elsewhere(name))
            p->value[f].name = NULL;
    }
}

/* The fields of a section: what is known a line each, then what is not in one
 * go; with `all` a line for every field there is. */
static void put_section(struct page *p, const struct section *s, bool all)
{
    struct buf unknown;
    bool titled = false;
    buf_init_arena(&unknown, p->ar, LIMIT_JSON_BYTES);
    for (unsigned f = 0; f < cando_field_count(); f++) {
        const cando_field_value *v = &p->value[f];
        if (!v->name || !(s->types >> cando_field_type((cando_field)f) & 1))
            continue;
        if (!titled)
            out("\n" BOLD "%s" END "\n", s->title);
        titled = true;
        if (all || v->value.known)
            put_row(v, p->width, mark_of(p->a, v), p->ar);
        else
            buf_printf(&unknown, "%s%s", unknown.n ? ", " : "", v->name);
    }
    if (!unknown.n)
        return;
    out("  " DIM "%-*s" END, (int)p->width + 2, "unknown");
    out_wrapped(stdout, str_make(unknown.p, unknown.n), p->width + 4, p->width + 4);
}

static void put_sections(const cando_resolve_answer *a, bool all, struct arena *ar)
{
    struct page p = {.ar = ar};
    const cando_value *price = find(a, "price");
    page_fill(&p, a, all);
    for (size_t s = 0; s < COUNT_OF(sections); s++)
        put_section(&p, &sections[s], all);
    out("\n" BOLD "price" END "\n");
    if (price)
        price_page(price, 2);
    else
        out("  " DIM "unknown" END "\n");
}

/* -- another system's view: as it comes -- */

static void put_plain(const cando_resolve_answer *a, const char *title, struct arena *ar)
{
    size_t width = 0;
    for (size_t i = 0; i < a->n_fields; i++)
        width = strlen(a->fields[i].name) > width ? strlen(a->fields[i].name) : width;
    out("\n" BOLD "%s" END "\n", title);
    for (size_t i = 0; i < a->n_fields; i++)
        put_row(&a->fields[i], width, NULL, ar);
}

/* A name that is not known may be mistyped. */
static void put_notes(struct call *c, const cando_resolve_answer *a)
{
    if (a->identity != CANDO_BY_DEFAULT && a->identity != CANDO_BY_FAMILY)
        return;
    fflush(stdout);
    if (a->identity == CANDO_BY_DEFAULT)
        fputs("note: no rule and no fact is about this model; "
              "check the spelling of provider and model\n",
              stderr);
    suggest_near(c, a->provider, a->model);
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    bool ours = k->view == CANDO_VIEW_CANDO;
    cando_name name = {.model = c->operand[0]};
    cando_resolve_question q = {.target = &name, .view = k->view, .resolution = k->resolution};
    if (suggest_offerings(c, name.model))
        return EXIT_QUESTION;
    if (!c->json && ours)
        q.why = CANDO_WHY_SAID;
    const cando_resolve_answer *a = cando_ask_resolve(c->engine, &q, c->room, &c->err);
    if (!call_page(c, "resolve", a))
        return c->code;
    put_head(a);
    if (ours)
        put_sections(a, k->all, &c->ar);
    else
        put_plain(a, views[k->view], &c->ar);
    put_notes(c, a);
    return EXIT_YES;
}

const struct verb verb_show = {
    .name = "show",
    .summary = "what a model can do, on one page",
    .usage = "[OPTION]... PROVIDER/MODEL",
    .text = "Resolves one model at one provider and shows every field that is always of interest, "
            "and the others where somebody said something. What nobody said is unknown, which is "
            "neither yes nor no.\n\n"
            "The provider ends at the first slash or colon: "
            "bedrock/us.anthropic.claude-opus-4-5-v1:0.",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(1, 1, "which model?", "one model at a time"),
    .opens = OPENS_CATALOG,
    .run = run,
};
