/*
 * cmd_why.c - cando why: who says so, what it overrode, what nearly applied.
 *
 * The page is made of one answer of the question `resolve`, whose evidence comes from
 * the same matcher that gave the answer.
 */
#include "base/limits.h"
#include "engine.h"
#include "facts.h"
#include "suggest.h"
#include "value.h"

struct ask {
    bool all;
    bool one; /* only of */
    cando_field field;
    cando_resolution resolution;
};

static const struct option_row options[] = {
    {FLAG("all", all, "without a field: for each of them, what it overrode and what nearly did")},
    {JSON("print the reply of the operation resolve with \"why\":\"all\"")},
    {WORD("resolution", resolution, "NAME", "as-written layered first-match",
          "how rules combine, whatever the files say")},
    {.more = engine_options},
};

#define LABEL "    " DIM "%-10s" END " "
/* A line with a text, where there is one; labels have ten columns. */
#define LINE(label, before) MAYBE("    " DIM label END before "%s\n")

/* "rule claude-4 at catalog/rules/anthropic.toml:12 (family)", as far as it is said. */
static void origin_words(struct buf *b, const cando_statement *x)
{
    bool fact = x->from == CANDO_FROM_FACT || x->from == CANDO_FROM_BORROWED;
    buf_putz(b, fact ? "fact" : x->from == CANDO_FROM_DEFAULT ? "default" : "rule");
    if (x->rule && *x->rule)
        buf_printf(b, " %s", x->rule);
    if (x->file && *x->file)
        buf_printf(b, " at %s", x->file);
    if (x->line.known)
        buf_printf(b, ":%ju", (uintmax_t)x->line.value);
    if (x->layer && *x->layer)
        buf_printf(b, " (%s)", x->layer);
}

/* A text behind a label, on as many lines as a terminal needs. */
static void put_labelled(const char *label, struct buf *b)
{
    out(LABEL, label);
    out_note(stdout, STR_IN(*b), 15, 15);
}

/* Statements that do not hold; with `values` also what they say. */
static void put_others(const cando_statement *list, size_t n, const char *label, bool values,
                       struct arena *ar)
{
    for (size_t i = 0; i < n; i++) {
        struct buf b;
        buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
        if (values)
            buf_printf(&b, "%s by ", value_words(&list[i].value, ar));
        origin_words(&b, &list[i]);
        if (list[i].reason && *list[i].reason)
            buf_printf(&b, ": %s", list[i].reason);
        put_labelled(label, &b);
    }
}

static void put_field(const char *name, const cando_value *value, const cando_statement *said,
                      struct arena *ar)
{
    struct buf b;
    out(BOLD "%s" END "  ", name);
    if (value->known && strcmp(name, "price") == 0)
        price_page(value, 7, 7, true);
    else
        out_note(stdout, str_of(value_words(value, ar)), 4, strlen(name) + 2);
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    if (said)
        origin_words(&b, said);
    else
        buf_putz(&b, "nobody");
    put_labelled("said by", &b);
    if (!said)
        return;
    out(LINE("derived", "    from "), said->via);
    buf_clear(&b);
    buf_putz(&b, said->source ? said->source : "");
    if (b.n)
        put_labelled("source", &b);
    out(LINE("evidence", "   ") LINE("checked", "    "), said->evidence, said->checked);
    put_others(said->overrode, said->n_overrode, "overrode", true, ar);
    put_others(said->near_misses, said->n_near_misses, "near miss", true, ar);
}

/* -- a summary: who said what, each once -- */

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Do two statements stand in one place, with one source? */
static bool same_origin(const cando_statement *a, const cando_statement *b)
{
    return same_text(a->file, b->file) && a->line.value == b->line.value &&
           same_text(a->source, b->source) && same_text(a->evidence, b->evidence);
}

static void put_origin_of(struct call *c, const cando_resolve_answer *a, size_t first)
{
    const cando_statement *said = a->fields[first].said;
    struct buf b;
    buf_init_arena(&b, &c->ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < first; i++)
        if (a->fields[i].said && same_origin(a->fields[i].said, said))
            return; /* told already */
    for (size_t i = first; i < a->n_fields; i++)
        if (a->fields[i].said && same_origin(a->fields[i].said, said))
            buf_printf(&b, "%s%s", b.n ? ", " : "", a->fields[i].name);
    struct buf origin;
    buf_init_arena(&origin, &c->ar, LIMIT_JSON_BYTES);
    origin_words(&origin, said);
    if (said->evidence && *said->evidence)
        buf_printf(&origin, ", %s", said->evidence);
    if (said->checked && *said->checked)
        buf_printf(&origin, ", checked %s", said->checked);
    out_note(stdout, STR_IN(origin), 2, 0);
    out(MAYBE("  " DIM "%s" END "\n") "  ", said->source ? source_name(c, said->source) : NULL);
    out_wrapped(stdout, STR_IN(b), 2, 2);
}

static void put_summary(struct call *c, const cando_resolve_answer *a)
{
    struct buf b;
    buf_init_arena(&b, &c->ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < a->n_fields; i++)
        if (a->fields[i].said)
            put_origin_of(c, a, i);
        else
            buf_printf(&b, "%s%s", b.n ? ", " : "", a->fields[i].name);
    if (b.n) {
        out("nobody\n  ");
        out_wrapped(stdout, STR_IN(b), 2, 2);
    }
    if (a->n_near_misses) {
        enum { NEAREST = 3 };
        size_t n = a->n_near_misses < NEAREST ? a->n_near_misses : NEAREST;
        out("nearly applied\n");
        put_others(a->near_misses, n, "near miss", false, &c->ar);
        if (n < a->n_near_misses)
            out("    " DIM "and %zu more: --all" END "\n", a->n_near_misses - n);
    }
    out(DIM "cando why MODEL FIELD tells what a value overrode; --all does so for each" END "\n");
}

/* Where sources disagree on the field: what each of them says, as cando conflicts has it. */
static void put_conflicts(struct call *c, const cando_name *name, const char *field)
{
    cando_conflicts_question q = {.target = name, .field = field};
    const cando_conflicts_answer *a = cando_ask_conflicts(c->engine, &q, c->room, NULL);
    for (size_t i = 0; a && i < a->n_conflicts; i++) {
        out(LABEL, i ? "" : "disagree");
        conflict_print(&a->conflicts[i], 15, &c->ar);
    }
}

/* -- what a request is told -- */

/* "error      rule openai-chat-temp (openai-chat): the model takes no temperature but 1" */
static void put_rule(const cando_member_rule *x, struct arena *ar)
{
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    buf_printf(&b, "rule %s (%s): %s [%s]", x->rule ? x->rule : "without a name", x->api,
               x->message, x->code);
    put_labelled(severity_name(x->severity), &b);
    buf_clear(&b);
    buf_printf(&b, "%s:%ju", x->file ? x->file : "", (uintmax_t)x->line);
    if (x->confidence && *x->confidence)
        buf_printf(&b, ", %s", x->confidence);
    put_labelled("", &b);
    buf_clear(&b);
    buf_putz(&b, x->source ? x->source : "");
    if (b.n)
        put_labelled("", &b);
}

/* The rules about a member of requests that the model wakes: why check refuses it. */
static const cando_fields_answer *rules_about(struct call *c, const char *target,
                                              const char *member)
{
    const cando_fields_question q = {.api = target, .member = member};
    return cando_ask_fields(c->engine, &q, c->room, NULL);
}

static void put_rules(const cando_fields_answer *a, struct arena *ar)
{
    size_t notes = 0;
    if (a && a->n_rules)
        out("    " DIM "what cando check may say of it in a request:" END "\n");
    for (size_t i = 0; a && i < a->n_rules; i++) {
        notes += a->rules[i].severity == CANDO_NOTE;
        if (a->rules[i].severity != CANDO_NOTE)
            put_rule(&a->rules[i], ar);
    }
    for (size_t i = 0; notes && notes == a->n_rules && i < a->n_rules; i++)
        put_rule(&a->rules[i], ar);
}

/* All fields that somebody set, or the one that was asked for. */
static void put_page(const cando_resolve_answer *a, const struct ask *k, struct arena *ar)
{
    static const cando_value unknown = {.known = false};
    bool found = false, said = false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_field_value *x = &a->fields[i];
        if (k->one ? x->field != k->field : !x->said)
            continue;
        put_field(x->name, &x->value, x->said, ar);
        found = true;
        said |= x->said != NULL;
    }
    if (k->one && !found)
        put_field(cando_field_name(k->field), &unknown, NULL, ar);
    if (!k->one && a->n_near_misses)
        out("\nnearly applied\n");
    if (!k->one || !said)
        put_others(a->near_misses, a->n_near_misses, "near miss", k->one, ar);
}

static int check(struct call *c)
{
    struct ask *k = c->ask;
    k->one = c->n == 2;
    if (k->one)
        k->field = field_meant(c->operand[1]);
    return EXIT_YES;
}

/* A member of requests that is no field: its rules are all there is to say. */
static int run_member(struct call *c, const char *target)
{
    const cando_fields_answer *a = rules_about(c, target, c->operand[1]);
    if (!a || !a->n_rules)
        return fail_field(c, c->operand[1]);
    if (!call_page(c, "fields", a))
        return c->code;
    out(BOLD "%s" END "  a member of requests\n", c->operand[1]);
    put_rules(a, &c->ar);
    return c->code;
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    cando_name name = {.model = c->operand[0]};
    cando_resolve_question q = {.target = &name, .why = CANDO_WHY_ALL, .resolution = k->resolution};
    if (k->one && k->field != CANDO_NO_FIELD)
        q.field = cando_field_name(k->field);
    name.model = suggest_target(c, name.model);
    if (!name.model)
        return EXIT_QUESTION;
    if (k->one && k->field == CANDO_NO_FIELD)
        return run_member(c, name.model);
    const cando_resolve_answer *a = cando_ask_resolve(c->engine, &q, c->room, &c->err);
    if (!call_page(c, "resolve", a))
        return c->code;
    if (k->one || k->all)
        put_page(a, k, &c->ar);
    else
        put_summary(c, a);
    if (k->one) {
        put_conflicts(c, &name, q.field);
        put_rules(rules_about(c, name.model, c->operand[1]), &c->ar);
    }
    return c->code;
}

const struct verb verb_why = {
    .name = "why",
    .summary = "who says so: source, file and line, and what nearly applied",
    .usage = "[OPTION]... PROVIDER/MODEL [FIELD]",
    .text =
        "For one field, by its name in any vocabulary: the layer, file, line and rule that set "
        "it, its source and when that was checked, the values that it overrode, and the rules "
        "that nearly applied with the reason why they did not; then the rules by which cando check "
        "refuses or warns of it in requests. A member of requests that is no field (n, "
        "service_tier) has these alone. Without a field it is a summary: who said which of them.",
    .examples = "cando why openai/gpt-5\n"
                "cando why openai/gpt-5 temperature",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(1, 2, "which model?", "one model, and at most one field"),
    .opens = OPENS_CATALOG,
    .check = check,
    .paged = true,
    .run = run,
};
