/*
 * cmd_why.c - cando why: who says so, what it overrode, what nearly applied.
 *
 * The page is made of one answer of the question `resolve`, whose evidence comes from
 * the same matcher that gave the answer.
 */
#include "engine.h"
#include "suggest.h"
#include "value.h"

struct ask {
    bool one; /* only of */
    cando_field field;
    cando_resolution resolution;
};

static const struct option_row options[] = {
    {JSON("print the reply of the operation resolve with \"why\":\"all\"")},
    {WORD("resolution", resolution, "NAME", "as-written layered first-match",
          "how rules combine, whatever the files say")},
    {.more = engine_options},
};

#define LABEL "    " DIM "%-10s" END " "
/* A line with a text, where there is one; labels have ten columns. */
#define LINE(label, before) MAYBE("    " DIM label END before "%s\n")

/* "rule claude-4 at catalog/rules/anthropic.toml:12 (family)", as far as it is said. */
static void put_origin(const cando_statement *x)
{
    bool fact = x->from == CANDO_FROM_FACT || x->from == CANDO_FROM_BORROWED;
    out("%s" MAYBE(" %s") MAYBE(" at %s"),
        fact                            ? "fact"
        : x->from == CANDO_FROM_DEFAULT ? "default"
                                        : "rule",
        x->rule, x->file);
    if (x->line.known)
        out(":%ju", x->line.value);
    out(MAYBE(" (%s)"), x->layer);
}

/* Statements that do not hold; without the arena it does not matter what they say. */
static void put_others(const cando_statement *list, size_t n, const char *label, struct arena *ar)
{
    for (size_t i = 0; i < n; i++) {
        out(LABEL, label);
        if (ar) {
            value_print(&list[i].value, ar);
            out(" by ");
        }
        put_origin(&list[i]);
        out(MAYBE(": %s") "\n", list[i].reason);
    }
}

static void put_field(const char *name, const cando_value *value, const cando_statement *said,
                      struct arena *ar)
{
    out(BOLD "%s" END "  ", name);
    value_print(value, ar);
    out("\n" LABEL, "said by");
    if (!said) {
        out("nobody\n");
        return;
    }
    put_origin(said);
    out("\n" LINE("derived", "    from ") LINE("source", "     ") LINE("evidence", "   ")
            LINE("checked", "    "),
        said->via, said->source, said->evidence, said->checked);
    put_others(said->overrode, said->n_overrode, "overrode", ar);
    put_others(said->near_misses, said->n_near_misses, "near miss", ar);
}

/* All fields that somebody set, or the one that was asked for. */
static void put_page(const cando_resolve_answer *a, const struct ask *k, struct arena *ar)
{
    static const cando_value unknown = {.known = false};
    bool found = false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_field_value *x = &a->fields[i];
        if (k->one ? x->field != k->field : !x->said)
            continue;
        put_field(x->name, &x->value, x->said, ar);
        found = true;
    }
    if (k->one && !found)
        put_field(cando_field_name(k->field), &unknown, NULL, ar);
    if (!k->one && a->n_near_misses) {
        out("\nnearly applied\n");
        put_others(a->near_misses, a->n_near_misses, "near miss", NULL);
    }
}

static int check(struct call *c)
{
    struct ask *k = c->ask;
    k->one = c->n == 2;
    if (k->one)
        k->field = cando_field_find(c->operand[1]);
    if (!k->one || k->field != CANDO_NO_FIELD)
        return EXIT_YES;
    struct nearest near = nearest_field(c->operand[1], false);
    return fail_unknown(CODE_unknown_field, "no field is called '%s'", c->operand[1], &near,
                        "did you mean %s?", "cando help fields lists them");
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    cando_name name = {.model = c->operand[0]};
    cando_resolve_question q = {
        .target = &name, .why = CANDO_WHY_ALL, .resolution = k->resolution};
    if (suggest_offerings(c, c->operand[0]))
        return EXIT_QUESTION;
    const cando_resolve_answer *a = cando_ask_resolve(c->engine, &q, c->room, &c->err);
    if (call_page(c, "resolve", a))
        put_page(a, c->ask, &c->ar);
    return c->code;
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
    .ask = sizeof(struct ask),
    OPERANDS(1, 2, "which model?", "one model, and at most one field"),
    .opens = OPENS_CATALOG,
    .check = check,
    .run = run,
};
