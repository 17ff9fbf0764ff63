/*
 * cmd_models.c - cando models: the catalog, filtered, sorted, as a list.
 *
 * The options become a query; the rest is layout.
 */
#include "base/limits.h"
#include "brief.h"
#include "query.h"
#include "screen.h"
#include "suggest.h"
#include "table.h"
#include "value.h"

enum form { FORM_TEXT, FORM_JSON, FORM_CSV, FORM_MARKDOWN, FORM_BRIEF };
enum { MAX_COLUMNS = 40 };

struct ask {
    cando_query q;
    enum form form;
    bool any_provider;
};

static const struct option_row options[] = {
    {COMMAS("columns", q.fields, q.n_fields, "LIST", "more columns: names of fields")},
    {SETS("json", form, FORM_JSON, "print the reply of the operation models, with all fields")},
    {SETS("csv", form, FORM_CSV, "print a table for spreadsheets")},
    {SETS("brief", form, FORM_BRIEF,
          "a line each: with one --provider the id and what it does, else provider/id alone")},
    {SETS("markdown", form, FORM_MARKDOWN, "print a table for documents")},
    {FLAG("any-provider", any_provider, "as for cando pick; here all are listed anyway")},
    {.more = query_options},
};

/* The columns by the names of the vocabulary. */
static int check(struct call *c)
{
    struct ask *k = c->ask;
    const char **name = arena_array(&c->ar, k->q.n_fields + 1, sizeof *name);
    if (!name)
        return fail_memory();
    for (size_t i = 0; i < k->q.n_fields; i++) {
        cando_field f = field_meant(k->q.fields[i]);
        struct nearest near = nearest_field(k->q.fields[i], false);
        if (f == CANDO_NO_FIELD)
            return fail_unknown(CODE_unknown_field, "no field is called '%s'", k->q.fields[i],
                                &near, "did you mean %s?", "cando help fields lists them");
        name[i] = cando_field_name(f);
    }
    if (k->q.n_fields > MAX_COLUMNS)
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "more than %d columns",
                         MAX_COLUMNS);
    if (!k->q.n_fields && k->form == FORM_JSON)
        name[k->q.n_fields++] = "all";
    k->q.fields = name;
    if (k->form == FORM_BRIEF)
        k->q.fields = brief_fields(&k->q.n_fields);
    return EXIT_YES;
}

static bool is_plain(const char *word)
{
    return !strpbrk(word, "*?[");
}

/* Words without wildcards are all looked for anywhere in the name; of patterns one must match. */
static bool add_patterns(struct call *c, cando_query *q)
{
    const char **word = arena_array(&c->ar, (size_t)c->n, sizeof *word);
    const char **match = arena_array(&c->ar, (size_t)c->n, sizeof *match);
    if (!word || !match)
        return false;
    for (int i = 0; i < c->n; i++)
        if (is_plain(c->operand[i]))
            word[q->n_words++] = c->operand[i];
        else
            match[q->n_match++] = c->operand[i];
    q->words = word;
    q->match = match;
    return true;
}

/* Is the word the name of a capability, in whatever vocabulary? */
static bool is_capability(const char *word)
{
    cando_field f = cando_field_find(word);
    return f != CANDO_NO_FIELD && cando_field_type(f) == CANDO_SUPPORT;
}

/* No name has all of the words: those that are capabilities are meant as such. NULL: there are
 * none, or no memory. */
static const cando_models_answer *ask_for_capabilities(struct call *c, cando_query q)
{
    const char **word = arena_array(&c->ar, q.n_words, sizeof *word);
    cando_wanted *can = arena_array(&c->ar, q.n_can + q.n_words, sizeof *can);
    size_t n = 0, before = q.n_can;
    if (!word || !can)
        return NULL;
    for (size_t i = 0; i < q.n_can; i++)
        can[i] = q.can[i];
    for (size_t i = 0; i < q.n_words; i++)
        if (is_capability(q.words[i]))
            can[q.n_can++] = (cando_wanted){.capability = q.words[i]};
        else
            word[n++] = q.words[i];
    if (q.n_can == before)
        return NULL;
    q.words = word;
    q.n_words = n;
    q.can = can;
    const cando_models_answer *r = cando_ask_models(c->engine, &q, c->room, &c->err);
    for (size_t i = before; r && r->matched && i < q.n_can; i++)
        out_notef(stderr, 6, "note: no name has '%s'; it is taken as the capability: --can %s",
               can[i].capability, can[i].capability);
    return r;
}

/* Some names have the word, but what can do it may be meant. */
static void tell_of_capabilities(const cando_query *q)
{
    for (size_t i = 0; i < q->n_words; i++)
        if (is_capability(q->words[i]))
            out_notef(stderr, 6, "note: '%s' was looked for in names; what can do it: --can %s",
                   q->words[i], q->words[i]);
}

/* A provider has offerings that others have, too: its own alone may be meant. */
static void tell_of_providers(struct call *c, const cando_models_answer *r)
{
    const struct ask *k = c->ask;
    if (k->q.n_providers || k->q.n_words != 1)
        return;
    cando_query q = {.providers = k->q.words, .n_providers = 1, .limit = {1, true}};
    const cando_models_answer *own = cando_ask_models(c->engine, &q, c->room, NULL);
    bool is_one = own && own->n_models && strcmp(own->models[0].provider, k->q.words[0]) == 0;
    if (is_one && own->matched < r->matched)
        out_notef(stderr, 6, "note: '%s' was looked for in names; its own alone: --provider %s",
                  k->q.words[0], k->q.words[0]);
}

/* Is there anything where one of the words is another, or none? */
static bool finds(struct call *c, const cando_query *q, size_t at, const char *word)
{
    const char **words = arena_array(&c->ar, q->n_words, sizeof *words);
    cando_query other = *q;
    if (!words)
        return false;
    memcpy(words, q->words, q->n_words * sizeof *words);
    words[at] = word ? word : words[q->n_words - 1];
    other.words = words;
    other.n_words -= !word;
    other.limit = (cando_number){1, true};
    const cando_models_answer *r = cando_ask_models(c->engine, &other, c->room, NULL);
    return r && r->matched;
}

/* The i-th word that differs by one slip: a letter too many, two in the wrong order, one that
 * is missing; i = 0 leaves the first letter out, which nobody does. False: there are no more. */
static bool slip(const char *word, size_t i, char out[64])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    size_t n = strlen(word), kinds = sizeof letters - 1;
    if (n < 3 || n > 60)
        return false;
    memcpy(out, word, n + 1);
    if (i < n) {
        memmove(out + i, out + i + 1, n - i);
        return true;
    }
    i -= n;
    if (i < n - 1) {
        out[i] = word[i + 1];
        out[i + 1] = word[i];
        return true;
    }
    i -= n - 1;
    size_t at = 1 + i / kinds;
    if (at > n)
        return false;
    memmove(out + at + 1, out + at, n - at + 1);
    out[at] = letters[i % kinds];
    return true;
}

/* Several words of which one is mistyped: what there is with one slip less. */
static void suggest_word(struct call *c, const cando_query *q)
{
    char meant[64];
    for (size_t at = 0; at < q->n_words; at++) {
        bool culprit = finds(c, q, at, NULL); /* without it there are some */
        for (size_t i = 1; culprit && slip(q->words[at], i, meant); i++)
            if (finds(c, q, at, meant)) {
                out_notef(stderr, 6, "note: nothing has '%s' as well; did you mean '%s'?",
                          q->words[at], meant);
                return;
            }
    }
}

/* -- the table -- */

static const struct column {
    const char *people, *programs; /* titles; NULL: it is not there */
    unsigned how;
} columns[] = {
    {NULL, "provider", COLUMN_LEFT},
    {"model", "model", COLUMN_LEFT},
    {NULL, "name", COLUMN_LEFT},
    {"context", "context_window", COLUMN_RIGHT},
    {"output", "max_output", COLUMN_RIGHT | COLUMN_SPARE},
    {"in/M", "input_price", COLUMN_POINT},
    {"out/M", "output_price", COLUMN_POINT},
    {"released", "release_date", COLUMN_SPARE},
    {"status", "status", COLUMN_SPARE},
};

/* Unknown is empty for programs and "?" for people. */
static void add_text(struct table *t, const char *text, bool people)
{
    table_cell(t, text ? STYLE_PLAIN : STYLE_DIM, "%s", text ? text : people ? "?" : "");
}

static void add_value(struct table *t, const cando_value *v, bool people)
{
    if (!v->known) {
        add_text(t, NULL, people);
    } else if (!people && v->type == CANDO_NUMBER) { /* without commas */
        table_cell(t, STYLE_PLAIN, "%ju", v->number);
    } else if (!people && v->type == CANDO_FLAG) {
        add_text(t, v->flag ? "true" : "false", people);
    } else {
        const char *words = value_words(v, t->ar);
        enum style style = value_style(v, words);
        table_cell(t, style == STYLE_DIM ? STYLE_PLAIN : style, "%s", words);
    }
}

static void add_number(struct table *t, cando_number n, bool people)
{
    cando_value v = {.known = n.known, .type = CANDO_NUMBER, .number = n.value};
    add_value(t, &v, people);
}

static void add_price(struct table *t, const char *price, bool people)
{
    struct buf b;
    buf_init_arena(&b, t->ar, LIMIT_JSON_BYTES);
    if (price && people)
        price_words(str_of(price), &b);
    add_text(t, b.n ? buf_cstr(&b) : price, people);
}

void offering_row(struct table *t, const cando_offering *x, bool people)
{
    if (people) {
        table_cell(t, STYLE_PLAIN, "%s/%s", x->provider, x->model);
    } else {
        add_text(t, x->provider, false);
        add_text(t, x->model, false);
        add_text(t, x->name, false);
    }
    add_number(t, x->context_window, people);
    add_number(t, x->max_output, people);
    add_price(t, x->input_price, people);
    add_price(t, x->output_price, people);
    add_text(t, x->release_date, people);
    add_text(t, people && !x->status ? "" : x->status, people);
    for (size_t i = 0; i < x->n_fields; i++)
        add_value(t, &x->fields[i].value, people);
}

void offering_columns(struct table *t, bool people)
{
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        const char *title = people ? columns[i].people : columns[i].programs;
        if (title)
            table_column(t, title, columns[i].how);
    }
}

static int put_table(struct call *c, const struct ask *k, const cando_models_answer *r)
{
    struct table t = {.ar = &c->ar, .whole = "--csv"};
    bool people = k->form != FORM_CSV;
    offering_columns(&t, people);
    for (size_t i = 0; i < k->q.n_fields; i++)
        table_column(&t, k->q.fields[i], COLUMN_LEFT);
    for (size_t i = 0; i < r->n_models; i++)
        offering_row(&t, &r->models[i], people);
    if (k->form == FORM_CSV)
        return table_csv(&t);
    if (k->form == FORM_MARKDOWN)
        return table_markdown(&t);
    return t.n ? table_print(&t, screen_room()) : EXIT_YES;
}

static void put_counts(const cando_models_answer *r)
{
    fflush(stdout);
    if (r->n_models < r->matched)
        out_to(stderr, "%'zu of ", r->n_models);
    out_to(stderr, "%'ju model" PLURAL, r->matched);
    if (r->denied)
        out_to(stderr, "; %'ju more denied by a policy: see cando where", r->denied);
    fputc('\n', stderr);
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    query_sort(&k->q, CANDO_SORT_NAME);
    if (!add_patterns(c, &k->q))
        return fail_memory();
    const cando_models_answer *r = cando_ask_models(c->engine, &k->q, c->room, &c->err), *other;
    if (!r)
        return fail(&c->err);
    bool named = r->matched != 0;
    other = named ? NULL : ask_for_capabilities(c, k->q);
    if (other)
        r = other;
    int code = k->form == FORM_JSON    ? call_json(c, "models", r)
               : k->form == FORM_BRIEF ? brief_print(r, k->q.n_providers == 1)
                                       : put_table(c, k, r);
    if (k->form == FORM_TEXT || k->form == FORM_MARKDOWN)
        put_counts(r);
    if (named && k->form == FORM_TEXT)
        tell_of_capabilities(&k->q);
    if (named && k->form == FORM_TEXT)
        tell_of_providers(c, r);
    if (k->form == FORM_TEXT && k->q.sort == CANDO_SORT_PRICE && r->n_models > 1 &&
        !r->models[0].output_price)
        out_to(stderr, "note: none has both prices; --sort input-price goes by one\n");
    if (r->matched)
        return code;
    fflush(stdout);
    if (c->n == 1 && is_plain(c->operand[0]))
        suggest_near(c, "", c->operand[0]);
    else if (!r->denied)
        suggest_word(c, &k->q);
    return EXIT_NO;
}

const struct verb verb_models = {
    .name = "models",
    .summary = "the models that fit, as a list",
    .usage = "[OPTION]... [WORD | PATTERN]...",
    .text = "Lists the offerings that the catalog has facts about: one model at one provider a "
            "line. Words are looked for anywhere in the name: claude sonnet means both of them. A "
            "word that no name has, but that is a capability, is meant as --can. A "
            "word with a * is a pattern for the id or for provider/id, and of several patterns one "
            "must match. A list is separated by commas, and such options may be repeated.\n\n"
            "What nobody knows is shown as ? and passes no filter, unless --or-unknown is given. "
            "Prices are in USD per million tokens. The order is that of --sort, then that of the "
            "names.\n\n"
            "The exit code is 1 if there is none.",
    .examples = "cando models claude sonnet\n"
                "cando models --provider openai --sort price\n"
                "cando models --can tools --input image --max-input-price 1 --csv",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .opens = OPENS_CATALOG,
    .check = check,
    .paged = true,
    .run = run,
};
