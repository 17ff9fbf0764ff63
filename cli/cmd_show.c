/*
 * cmd_show.c - cando show: what one model can do, on one page.
 *
 * Both forms of the answer are made of one reply of the operation `resolve`:
 * --json prints its result as it is, the page sorts its fields by kind.
 */
#include "base/limits.h"
#include "engine.h"
#include "price.h"
#include "pull.h"
#include "suggest.h"
#include "value.h"
#include "verb.h"

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

static const char *identity_words(struct str identity)
{
    if (str_is(identity, "exact"))
        return "known exactly";
    if (str_is(identity, "alias"))
        return "known under another spelling";
    if (str_is(identity, "family"))
        return "known by the rules of its family";
    return "not known: defaults only";
}

/* A text member decoded behind `before`; false if there is none. */
static bool put_text(const char *before, struct str v, struct buf *b)
{
    buf_clear(b);
    if (!pull_string(v, b) || !b->n)
        return false;
    fputs(before, stdout);
    out_safe(stdout, str_make(b->p, b->n));
    return true;
}

/* What it is called, since when it is there, and how far its life is. */
static void put_about(struct str fields, struct buf *b)
{
    bool any = put_text("", pull_get(fields, "display_name"), b);
    any |= put_text(any ? ", released " : "released ", pull_get(fields, "release_date"), b);
    any |= put_text(any ? ", " : "", pull_get(fields, "status"), b);
    if (any)
        fputc('\n', stdout);
}

/* Where the facts come from: those of the first field that a fact set. */
static void put_source(struct str why, struct buf *b)
{
    for (struct str at = why, k, o; pull_next(&at, &k, &o);) {
        if (!str_is(pull_get(o, "from"), "\"fact\"") || pull_kind(pull_get(o, "source")) != PULL_STRING)
            continue;
        put_text("source ", pull_get(o, "source"), b);
        put_text(", checked ", pull_get(o, "checked"), b);
        fputc('\n', stdout);
        return;
    }
}

static void put_policy(struct str policy, struct buf *b)
{
    uint64_t line = 0;
    if (pull_kind(pull_get(policy, "allowed")) != PULL_FALSE)
        return;
    struct str list = pull_get(policy, "list");
    out_print(stdout, STYLE_BAD, str_is(list, "\"deny\"")    ? "denied by a deny list"
                                 : str_is(list, "\"allow\"") ? "denied: not in an allow list"
                                                             : "denied: a list cannot be read");
    put_text(": ", pull_get(policy, "pattern"), b);
    put_text(" at ", pull_get(policy, "file"), b);
    if (pull_number(pull_get(policy, "line"), &line) && line)
        printf(":%ju", (uintmax_t)line);
    fputc('\n', stdout);
}

static void put_head(struct str result, struct buf *b)
{
    static const char *const parts[] = {"provider", "model"};
    buf_clear(b);
    for (size_t i = 0; i < 2; i++) {
        size_t before = b->n;
        pull_string(pull_get(result, parts[i]), b);
        if (i == 0 && b->n != before)
            buf_putc(b, '/');
    }
    out_cell(stdout, STYLE_BOLD, str_make(b->p, b->n), 0);
    fputc('\n', stdout);
    put_about(pull_get(result, "fields"), b);
    put_policy(pull_get(result, "policy"), b);
    buf_clear(b);
    pull_string(pull_get(result, "identity"), b);
    fputs(identity_words(str_make(b->p, b->n)), stdout);
    struct str canonical = pull_get(result, "canonical");
    if (put_text(", as ", canonical, b))
        fputs("; its price is its own", stdout);
    fputc('\n', stdout);
    put_source(pull_get(result, "why"), b);
}

static void put_row(struct str name, struct str value, size_t width, struct buf *b)
{
    fputs("  ", stdout);
    out_cell(stdout, STYLE_PLAIN, name, width + 2);
    enum style style = value_words(value, b);
    out_cell(stdout, style, str_make(b->p, b->n), 0);
    fputc('\n', stdout);
}

/* Fields that the head, or a block of their own, has. */
static bool shown_elsewhere(const char *name)
{
    static const char *const names[] = {"display_name", "release_date", "status", "price", "claims"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool in_section(const struct section *s, unsigned f)
{
    return !shown_elsewhere(cando_field_name((cando_field)f)) && s->types >> cando_field_type((cando_field)f) & 1;
}

/* The fields of a section: what is known a line each, then what is not in one
 * go; with `all` a line for every field there is. */
static void put_section(const struct section *s, struct str fields, bool all, size_t width, struct buf *b)
{
    struct buf unknown;
    bool titled = false;
    buf_init(&unknown, NULL, LIMIT_JSON_BYTES);
    for (unsigned f = 0; f < cando_field_count(); f++) {
        const char *name = cando_field_name((cando_field)f);
        struct str value = pull_get(fields, name);
        if (!in_section(s, f) || (!value.n && !all))
            continue;
        if (!titled) {
            fputc('\n', stdout);
            out_print(stdout, STYLE_BOLD, s->title);
            fputc('\n', stdout);
        }
        titled = true;
        if (all || pull_kind(value) != PULL_NULL)
            put_row(str_of(name), value, width, b);
        else
            buf_printf(&unknown, "%s%s", unknown.n ? ", " : "", name);
    }
    if (unknown.n) {
        fputs("  ", stdout);
        out_cell(stdout, STYLE_DIM, STR("unknown"), width + 2);
        out_wrapped(stdout, str_make(unknown.p, unknown.n), width + 4, width + 4);
    }
    buf_free(&unknown);
}

/* Our own view: the fields in the order of the vocabulary, sorted into sections. */
static void put_sections(struct str fields, bool all, struct buf *b)
{
    size_t width = sizeof "unknown" - 1;
    for (unsigned f = 0; f < cando_field_count(); f++) {
        const char *name = cando_field_name((cando_field)f);
        struct str value = pull_get(fields, name);
        if (all || (value.n && pull_kind(value) != PULL_NULL))
            width = strlen(name) > width ? strlen(name) : width;
    }
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++)
        put_section(&sections[s], fields, all, width, b);
}

/* What the vocabulary does not list, or another system's names: as they come. */
static void put_others(struct str fields, const char *title, bool ours, struct buf *b)
{
    size_t width = 0;
    bool titled = false;
    struct str k, v;
    for (int pass = 0; pass < 2; pass++)
        for (struct str at = fields; pull_next(&at, &k, &v);) {
            char name[128];
            snprintf(name, sizeof name, "%.*s", (int)(k.n < 2 ? 0 : k.n - 2), k.n < 2 ? "" : k.p + 1);
            cando_field f = cando_field_find(name);
            if (ours && f != CANDO_NO_FIELD && strcmp(cando_field_name(f), name) == 0)
                continue;
            if (pass == 0) {
                width = strlen(name) > width ? strlen(name) : width;
                continue;
            }
            if (!titled) {
                fputc('\n', stdout);
                out_print(stdout, STYLE_BOLD, title);
                fputc('\n', stdout);
            }
            titled = true;
            put_row(str_of(name), v, width, b);
        }
}

static void put_price(struct str fields)
{
    struct str price = pull_get(fields, "price");
    fputc('\n', stdout);
    out_print(stdout, STYLE_BOLD, "price");
    fputc('\n', stdout);
    if (pull_kind(price) == PULL_OBJECT) {
        price_page(price, 2);
        return;
    }
    fputs("  ", stdout);
    out_print(stdout, STYLE_DIM, "unknown");
    fputc('\n', stdout);
}

/* A name that is not known may be mistyped. */
static void put_notes(const struct engine *e, struct str result, struct buf *b)
{
    char provider[LIMIT_NAME_BYTES + 1], model[LIMIT_NAME_BYTES + 1];
    struct str identity = pull_get(result, "identity");
    if (!str_is(identity, "\"default\"") && !str_is(identity, "\"family\""))
        return;
    fflush(stdout);
    if (str_is(identity, "\"default\""))
        fputs("note: no rule and no fact is about this model; check the spelling of provider and model\n", stderr);
    buf_clear(b);
    pull_string(pull_get(result, "provider"), b);
    snprintf(provider, sizeof provider, "%.*s", (int)b->n, b->n ? b->p : "");
    buf_clear(b);
    pull_string(pull_get(result, "model"), b);
    snprintf(model, sizeof model, "%.*s", (int)b->n, b->n ? b->p : "");
    suggest_near(e, str_of(provider), str_of(model));
}

static void show_page(const struct engine *e, struct str result, const char *view, bool all)
{
    struct buf b;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    struct str fields = pull_get(result, "fields");
    put_head(result, &b);
    if (strcmp(view, "cando") == 0) {
        put_sections(fields, all, &b);
        put_price(fields);
        put_others(fields, "more", true, &b);
    } else {
        put_others(fields, view, false, &b);
    }
    put_notes(e, result, &b);
    buf_free(&b);
}

static int ask(struct engine *e, const char *target, const char *view, bool json, bool all)
{
    struct buf q;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"resolve\",\"target\":");
    out_quoted(&q, str_of(target));
    buf_printf(&q, ",\"view\":\"%s\"", view);
    if (!json && strcmp(view, "cando") == 0)
        buf_putz(&q, ",\"why\":true");
    buf_putc(&q, '}');
    struct str reply, result;
    int code = engine_ask(e, str_make(q.p, q.n), &reply, &result);
    if (code == EXIT_YES && json)
        out_line(result);
    else if (code == EXIT_YES)
        show_page(e, result, view, all);
    engine_done(e, reply);
    buf_free(&q);
    return code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false, all = false;
    const char *view = "cando";
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            json = true;
        else if (id == OPTION_ALL)
            all = true;
        else if (id == OPTION_VIEW && args_word(&a, id))
            view = a.value;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest != 1)
        return args_usage(&a, a.n_rest ? "one model at a time" : "which model?");
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = suggest_offerings(&e, a.rest[0]) ? EXIT_QUESTION : ask(&e, a.rest[0], view, json, all);
    engine_close(&e);
    return code;
}

const struct verb verb_show = {
    .name = "show",
    .summary = "what a model can do, on one page",
    .usage = "[OPTION]... PROVIDER/MODEL",
    .text = "Resolves one model at one provider and shows every field that is always of interest, and the others where somebody "
            "said something. What nobody said is unknown, which is neither yes nor no.\n\n"
            "The provider ends at the first slash or colon: bedrock/us.anthropic.claude-opus-4-5-v1:0.",
    .options = options,
    .run = run,
};
