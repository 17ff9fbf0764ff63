/*
 * cmd_show.c - cando show: what one model can do, on one page.
 *
 * Both forms are made of one answer of the question `resolve`: --json prints it as it is,
 * the page sorts its fields by kind.
 */
#include "base/limits.h"
#include "engine.h"
#include "price.h"
#include "suggest.h"
#include "value.h"

enum { OPTION_JSON = OPTION_LONG, OPTION_VIEW, OPTION_ALL };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation resolve"},
    {OPTION_VIEW, "view", "NAME", "cando nika harn", "use the names and types of another system"},
    {OPTION_ALL, "all", NULL, NULL, "a line for every field of the vocabulary, known or not"},
    ENGINE_OPTIONS,
    {0},
};

struct section {
    const char *title;
    unsigned types; /* a bit for each cando_type */
};

static const struct section sections[] = {
    {"capabilities", 1u << CANDO_SUPPORT},
    {"limits", 1u << CANDO_NUMBER},
    {"settings", 1u << CANDO_WORD | 1u << CANDO_TEXT | 1u << CANDO_LIST | 1u << CANDO_MAP},
    {"flags", 1u << CANDO_FLAG},
};

static const char *const views[] = {"cando", "nika", "harn"};

static const char *identity_words(cando_identity identity)
{
    static const char *const words[] = {
        [CANDO_BY_DEFAULT] = "not known: defaults only",
        [CANDO_BY_FAMILY] = "known by the rules of its family",
        [CANDO_BY_ALIAS] = "known under another spelling",
        [CANDO_BY_EXACT] = "known exactly",
    };
    return words[identity];
}

/* A text behind `before`; false if there is none. */
static bool put_text(const char *before, const char *text)
{
    if (!text || !*text)
        return false;
    fputs(before, stdout);
    out_safe(stdout, str_of(text));
    return true;
}

static const cando_field_value *find(const cando_resolve_answer *a, const char *name)
{
    for (size_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i].name, name) == 0)
            return &a->fields[i];
    return NULL;
}

static const char *text_of(const cando_resolve_answer *a, const char *name)
{
    const cando_field_value *x = find(a, name);
    return x && x->value.known ? x->value.text : NULL;
}

/* What it is called, since when it is there, and how far its life is. */
static void put_about(const cando_resolve_answer *a)
{
    bool any = put_text("", text_of(a, "display_name"));
    any |= put_text(any ? ", released " : "released ", text_of(a, "release_date"));
    any |= put_text(any ? ", " : "", text_of(a, "status"));
    if (any)
        fputc('\n', stdout);
}

/* Where the facts come from: those of the first field that a fact set. */
static void put_source(const cando_resolve_answer *a)
{
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_statement *said = a->fields[i].said;
        if (!said || said->from != CANDO_FROM_FACT || !put_text("source ", said->source))
            continue;
        put_text(", checked ", said->checked);
        fputc('\n', stdout);
        return;
    }
}

static void put_denial(const cando_policy *by)
{
    const char *how = strcmp(by->list, "deny") == 0    ? "denied by a deny list"
                      : strcmp(by->list, "allow") == 0 ? "denied: not in an allow list"
                                                       : "denied: a list cannot be read";
    out_print(stdout, STYLE_BAD, how);
    put_text(": ", by->pattern);
    put_text(" at ", by->file);
    if (by->line)
        printf(":%u", by->line);
    fputc('\n', stdout);
}

static void put_head(const cando_resolve_answer *a, struct buf *b)
{
    buf_clear(b);
    buf_printf(b, "%s%s%s", a->provider, *a->provider ? "/" : "", a->model);
    out_cell(stdout, STYLE_BOLD, str_make(b->p, b->n), 0);
    fputc('\n', stdout);
    put_about(a);
    if (a->policy && a->policy->denial)
        put_denial(a->policy->denial);
    fputs(identity_words(a->identity), stdout);
    if (put_text(", as ", a->canonical))
        fputs("; its price is its own", stdout);
    fputc('\n', stdout);
    put_source(a);
}

static void put_title(const char *title)
{
    fputc('\n', stdout);
    out_print(stdout, STYLE_BOLD, title);
    fputc('\n', stdout);
}

static void put_row(const char *name, const cando_value *value, size_t width, struct buf *b)
{
    fputs("  ", stdout);
    out_cell(stdout, STYLE_PLAIN, str_of(name), width + 2);
    value_print(value, b);
    fputc('\n', stdout);
}

/* -- our own view: the fields in the order of the vocabulary, sorted into sections -- */

struct page {
    const cando_value *value[CANDO_MAX_FIELDS]; /* NULL: it is not shown */
    size_t width;                               /* of the longest name */
    struct buf room;
};

/* Fields that the head, or a block of their own, has. */
static bool shown_elsewhere(const char *name)
{
    static const char *const names[] = {
        "display_name", "release_date", "status", "price", "claims",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void page_fill(struct page *p, const cando_resolve_answer *a, bool all)
{
    static const cando_value unknown = {.known = false};
    p->width = sizeof "unknown" - 1;
    for (unsigned f = 0; f < cando_field_count(); f++)
        p->value[f] = all ? &unknown : NULL;
    for (size_t i = 0; i < a->n_fields; i++)
        p->value[a->fields[i].field] = &a->fields[i].value;
    for (unsigned f = 0; f < cando_field_count(); f++) {
        const char *name = cando_field_name((cando_field)f);
        if ((all || (p->value[f] && p->value[f]->known)) && strlen(name) > p->width)
            p->width = strlen(name);
        if (shown_elsewhere(name))
            p->value[f] = NULL;
    }
}

/* The fields of a section: what is known a line each, then what is not in one
 * go; with `all` a line for every field there is. */
static void put_section(struct page *p, const struct section *s, bool all)
{
    struct buf unknown;
    bool titled = false;
    buf_init(&unknown, NULL, LIMIT_JSON_BYTES);
    for (unsigned f = 0; f < cando_field_count(); f++) {
        const char *name = cando_field_name((cando_field)f);
        if (!p->value[f] || !(s->types >> cando_field_type((cando_field)f) & 1))
            continue;
        if (!titled)
            put_title(s->title);
        titled = true;
        if (all || p->value[f]->known)
            put_row(name, p->value[f], p->width, &p->room);
        else
            buf_printf(&unknown, "%s%s", unknown.n ? ", " : "", name);
    }
    if (unknown.n) {
        fputs("  ", stdout);
        out_cell(stdout, STYLE_DIM, STR("unknown"), p->width + 2);
        out_wrapped(stdout, str_make(unknown.p, unknown.n), p->width + 4, p->width + 4);
    }
    buf_free(&unknown);
}

static void put_price(const cando_resolve_answer *a)
{
    const cando_field_value *price = find(a, "price");
    put_title("price");
    if (price && price->value.known) {
        price_page(&price->value, 2);
        return;
    }
    fputs("  ", stdout);
    out_print(stdout, STYLE_DIM, "unknown");
    fputc('\n', stdout);
}

/* -- another system's view: as it comes -- */

static void put_plain(const cando_resolve_answer *a, const char *title, struct buf *b)
{
    size_t width = 0;
    for (size_t i = 0; i < a->n_fields; i++)
        width = strlen(a->fields[i].name) > width ? strlen(a->fields[i].name) : width;
    put_title(title);
    for (size_t i = 0; i < a->n_fields; i++)
        put_row(a->fields[i].name, &a->fields[i].value, width, b);
}

/* A name that is not known may be mistyped. */
static void put_notes(const struct engine *e, const cando_resolve_answer *a)
{
    if (a->identity != CANDO_BY_DEFAULT && a->identity != CANDO_BY_FAMILY)
        return;
    fflush(stdout);
    if (a->identity == CANDO_BY_DEFAULT)
        fputs("note: no rule and no fact is about this model; "
              "check the spelling of provider and model\n",
              stderr);
    suggest_near(e, a->provider, a->model);
}

static void show_page(const struct engine *e, const cando_resolve_answer *a, cando_view view,
                      bool all)
{
    struct page p;
    buf_init(&p.room, NULL, LIMIT_JSON_BYTES);
    put_head(a, &p.room);
    if (view == CANDO_VIEW_CANDO) {
        page_fill(&p, a, all);
        for (size_t s = 0; s < sizeof sections / sizeof *sections; s++)
            put_section(&p, &sections[s], all);
        put_price(a);
    } else {
        put_plain(a, views[view], &p.room);
    }
    put_notes(e, a);
    buf_free(&p.room);
}

static int ask(struct engine *e, const char *target, cando_view view, bool json, bool all)
{
    cando_error err;
    cando_name name = {.model = target};
    cando_resolve_question q = {.target = &name, .view = view};
    if (!json && view == CANDO_VIEW_CANDO)
        q.why = CANDO_WHY_SAID;
    const cando_resolve_answer *a = cando_ask_resolve(e->c, &q, e->room, &err);
    if (!a)
        return engine_failed(&err);
    if (json)
        return engine_json(e, "resolve", a);
    show_page(e, a, view, all);
    return EXIT_YES;
}

static cando_view find_view(const char *name)
{
    unsigned v = sizeof views / sizeof *views;
    while (v && strcmp(views[--v], name) != 0) {
    }
    return (cando_view)v;
}

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false, all = false;
    cando_view view = CANDO_VIEW_CANDO;
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            json = true;
        else if (id == OPTION_ALL)
            all = true;
        else if (id == OPTION_VIEW && args_word(&a, id))
            view = find_view(a.value);
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest != 1)
        return args_usage(&a, a.n_rest ? "one model at a time" : "which model?");
    int code = engine_open(&e);
    if (code == EXIT_YES && suggest_offerings(&e, a.rest[0]))
        code = EXIT_QUESTION;
    else if (code == EXIT_YES)
        code = ask(&e, a.rest[0], view, json, all);
    engine_close(&e);
    return code;
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
    .run = run,
};
