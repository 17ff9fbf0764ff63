/*
 * cmd_why.c - cando why: who says so, what it overrode, what nearly applied.
 *
 * The page is made of one answer of the question `resolve`, whose evidence comes from
 * the same matcher that gave the answer.
 */
#include "base/limits.h"
#include "engine.h"
#include "suggest.h"
#include "value.h"

enum { OPTION_JSON = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL,
     "print the reply of the operation resolve with \"why\":\"all\""},
    ENGINE_OPTIONS,
    {0},
};

static void put_part(const char *before, const char *text)
{
    if (!text)
        return;
    fputs(before, stdout);
    out_safe(stdout, str_of(text));
}

/* "rule claude-4 at catalog/rules/anthropic.toml:12 (family)", as far as it is said. */
static void put_origin(const cando_statement *x)
{
    bool fact = x->from == CANDO_FROM_FACT || x->from == CANDO_FROM_BORROWED;
    fputs(fact ? "fact" : x->from == CANDO_FROM_DEFAULT ? "default" : "rule", stdout);
    put_part(" ", x->rule);
    put_part(" at ", x->file);
    if (x->line.known)
        printf(":%ju", (uintmax_t)x->line.value);
    if (x->layer)
        printf(" (%s)", x->layer);
}

static void put_label(const char *label)
{
    fputs("    ", stdout);
    out_cell(stdout, STYLE_DIM, str_of(label), 10);
    fputc(' ', stdout);
}

static void put_line(const char *label, const char *before, const char *text)
{
    if (!text)
        return;
    put_label(label);
    put_part(before, text);
    fputc('\n', stdout);
}

/* Statements that do not hold; `b` is NULL where it does not matter what they say. */
static void put_others(const cando_statement *list, size_t n, const char *label, struct buf *b)
{
    for (size_t i = 0; i < n; i++) {
        put_label(label);
        if (b) {
            value_print(&list[i].value, b);
            fputs(" by ", stdout);
        }
        put_origin(&list[i]);
        put_part(": ", list[i].reason);
        fputc('\n', stdout);
    }
}

static void put_field(const char *name, const cando_value *value, const cando_statement *said,
                      struct buf *b)
{
    out_print(stdout, STYLE_BOLD, name);
    fputs("  ", stdout);
    value_print(value, b);
    fputc('\n', stdout);
    put_label("said by");
    if (!said) {
        fputs("nobody\n", stdout);
        return;
    }
    put_origin(said);
    fputc('\n', stdout);
    put_line("derived", "from ", said->via);
    put_line("source", "", said->source);
    put_line("evidence", "", said->evidence);
    put_line("checked", "", said->checked);
    put_others(said->overrode, said->n_overrode, "overrode", b);
    put_others(said->near_misses, said->n_near_misses, "near miss", b);
}

/* All fields that somebody set, or the one that was asked for. */
static void why_page(const cando_resolve_answer *a, cando_field field)
{
    static const cando_value unknown = {.known = false};
    struct buf b;
    bool found = false;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_field_value *x = &a->fields[i];
        if (field == CANDO_NO_FIELD ? !x->said : x->field != field)
            continue;
        put_field(x->name, &x->value, x->said, &b);
        found = true;
    }
    if (field != CANDO_NO_FIELD && !found)
        put_field(cando_field_name(field), &unknown, NULL, &b);
    if (field == CANDO_NO_FIELD && a->n_near_misses) {
        fputs("\nnearly applied\n", stdout);
        put_others(a->near_misses, a->n_near_misses, "near miss", NULL);
    }
    buf_free(&b);
}

static cando_field find_field(const char *name)
{
    cando_field f = cando_field_find(name);
    if (f != CANDO_NO_FIELD)
        return f;
    struct nearest near = nearest_to(str_of(name));
    for (unsigned i = 0; i < cando_field_count(); i++)
        nearest_try(&near, str_of(cando_field_name((cando_field)i)));
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_field, "no field is called '%s'", name);
    if (near.name.n)
        error_hint(&err, "did you mean %s?", near.name.p);
    else
        error_hint(&err, "cando help fields lists them");
    out_error(&err);
    return CANDO_NO_FIELD;
}

static int ask(struct engine *e, const char *target, cando_field field, bool json)
{
    cando_error err;
    cando_name name = {.model = target};
    cando_resolve_question q = {.target = &name, .why = CANDO_WHY_ALL};
    const cando_resolve_answer *a = cando_ask_resolve(e->c, &q, e->room, &err);
    if (!a)
        return engine_failed(&err);
    if (json)
        return engine_json(e, "resolve", a);
    why_page(a, field);
    return EXIT_YES;
}

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false;
    cando_field field = CANDO_NO_FIELD;
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            json = true;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest < 1 || a.n_rest > 2)
        return args_usage(&a, a.n_rest ? "one model, and at most one field" : "which model?");
    if (a.n_rest == 2 && (field = find_field(a.rest[1])) == CANDO_NO_FIELD)
        return EXIT_QUESTION;
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = suggest_offerings(&e, a.rest[0]) ? EXIT_QUESTION : ask(&e, a.rest[0], field, json);
    engine_close(&e);
    return code;
}

const struct verb verb_why = {
    .name = "why",
    .summary = "who says so: rule, file, line, source, and what nearly applied",
    .usage = "[OPTION]... PROVIDER/MODEL [FIELD]",
    .text = "For each field that somebody set (or for one field, by its name in any vocabulary): "
            "the layer, file, line and rule that set it, its source and when that was checked, "
            "the values that it overrode, and the rules that nearly applied with the reason why "
            "they did not.",
    .options = options,
    .run = run,
};
