/*
 * cmd_why.c - cando why: who says so, what it overrode, what nearly applied.
 *
 * The page is made of one reply of the operation `resolve` with "why":"all",
 * which comes from the same matcher that gave the answer.
 */
#include "base/limits.h"
#include "engine.h"
#include "pull.h"
#include "suggest.h"
#include "value.h"

enum { OPTION_JSON = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation resolve with \"why\":\"all\""},
    ENGINE_OPTIONS,
    {0},
};

/* A text member of an object, decoded into b; empty if there is none. */
static struct str text_of(struct str object, const char *key, struct buf *b)
{
    buf_clear(b);
    pull_string(pull_get(object, key), b);
    return str_make(b->p, b->n);
}

static void put_part(const char *before, struct str object, const char *key, struct buf *b)
{
    struct str s = text_of(object, key, b);
    if (!s.n)
        return;
    fputs(before, stdout);
    out_safe(stdout, s);
}

/* "rule claude-4 at catalog/rules/anthropic.toml:12 (family)", as far as it is said. */
static void put_origin(struct str o, struct buf *b)
{
    uint64_t line;
    struct str from = text_of(o, "from", b);
    if (str_is(from, "default"))
        fputs("default", stdout);
    else if (str_is(from, "fact"))
        fputs("fact", stdout);
    else
        fputs("rule", stdout);
    put_part(" ", o, "rule", b);
    put_part(" at ", o, "file", b);
    if (pull_number(pull_get(o, "line"), &line) && line)
        printf(":%ju", (uintmax_t)line);
    if (text_of(o, "layer", b).n) {
        put_part(" (", o, "layer", b);
        fputc(')', stdout);
    }
}

static void put_label(const char *label)
{
    fputs("    ", stdout);
    out_cell(stdout, STYLE_DIM, str_of(label), 10);
    fputc(' ', stdout);
}

static void put_list(struct str list, const char *label, struct buf *b)
{
    for (struct str at = list, o; pull_next(&at, NULL, &o);) {
        put_label(label);
        struct str value = pull_get(o, "value");
        if (value.n) {
            enum style style = value_words(value, b);
            out_cell(stdout, style, str_make(b->p, b->n), 0);
            fputs(" by ", stdout);
        }
        put_origin(o, b);
        put_part(": ", o, "reason", b);
        fputc('\n', stdout);
    }
}

static void put_field(struct str key, struct str value, struct str why, struct buf *b)
{
    out_cell(stdout, STYLE_BOLD, str_make(key.p + 1, key.n - 2), 0);
    fputs("  ", stdout);
    enum style style = value_words(value, b);
    out_cell(stdout, style, str_make(b->p, b->n), 0);
    fputc('\n', stdout);
    if (pull_kind(why) != PULL_OBJECT) {
        put_label("said by");
        fputs("nobody\n", stdout);
        return;
    }
    put_label("said by");
    put_origin(why, b);
    fputc('\n', stdout);
    if (text_of(why, "via", b).n) {
        put_label("derived");
        put_part("from ", why, "via", b);
        fputc('\n', stdout);
    }
    static const char *const parts[] = {"source", "evidence", "checked"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (text_of(why, parts[i], b).n) {
            put_label(parts[i]);
            put_part("", why, parts[i], b);
            fputc('\n', stdout);
        }
    put_list(pull_get(why, "overrode"), "overrode", b);
    put_list(pull_get(why, "near_misses"), "near miss", b);
}

/* All fields that somebody set, or the one that was asked for. */
static void why_page(struct str result, const char *field)
{
    struct buf b;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    struct str fields = pull_get(result, "fields"), why = pull_get(result, "why"), k, v;
    if (field) {
        char key[80];
        snprintf(key, sizeof key, "\"%s\"", field);
        struct str value = pull_get(fields, field);
        put_field(str_of(key), value, pull_get(why, field), &b);
    } else {
        for (struct str at = why; pull_next(&at, &k, &v);) {
            char name[80];
            snprintf(name, sizeof name, "%.*s", (int)(k.n - 2), k.p + 1);
            put_field(k, pull_get(fields, name), v, &b);
        }
    }
    struct str missed = pull_get(result, "near_misses");
    struct str at = missed;
    if (!field && pull_next(&at, NULL, &v)) {
        fputs("\nnearly applied\n", stdout);
        put_list(missed, "near miss", &b);
    }
    buf_free(&b);
}

static const char *find_field(const char *name)
{
    cando_field f = cando_field_find(name);
    if (f != CANDO_NO_FIELD)
        return cando_field_name(f);
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
    return NULL;
}

static int ask(struct engine *e, const char *target, const char *field, bool json)
{
    struct buf q;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"resolve\",\"why\":\"all\",\"target\":");
    out_quoted(&q, str_of(target));
    buf_putc(&q, '}');
    struct str reply, result;
    int code = engine_ask(e, str_make(q.p, q.n), &reply, &result);
    if (code == EXIT_YES && json)
        out_line(result);
    else if (code == EXIT_YES)
        why_page(result, field);
    engine_done(e, reply);
    buf_free(&q);
    return code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false;
    const char *field = NULL;
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
    if (a.n_rest == 2 && !(field = find_field(a.rest[1])))
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
    .text = "For each field that somebody set (or for one field, by its name in any vocabulary): the layer, file, line and rule that "
            "set it, its source and when that was checked, the values that it overrode, and the rules that nearly applied "
            "with the reason why they did not.",
    .options = options,
    .run = run,
};
