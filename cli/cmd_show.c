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
    bool all, requests;
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
    {FLAG("requests", requests, "instead: what cando check may say of requests for such a model")},
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
    [CANDO_BY_FAMILY] = "not in the catalog; this is by the rules of its family",
    [CANDO_BY_ALIAS] = "known under another spelling",
    [CANDO_BY_EXACT] = "known exactly",
};

static const char *text_of(const cando_resolve_answer *a, const char *name)
{
    const cando_value *v = value_find(a, name);
    return v && v->text && *v->text ? v->text : NULL;
}

/* What it is called, since when it is there, how far its life is, and when it ends. */
static void put_about(struct call *c, const cando_resolve_answer *a)
{
    struct buf b;
    const char *name = text_of(a, "display_name"), *day = text_of(a, "release_date");
    const char *status = text_of(a, "status"), *end = text_of(a, "retires_on");
    const char *until = text_of(a, "knowledge_cutoff"), *instead = text_of(a, "replaced_by");
    if (status && strcmp(status, "unlisted") == 0)
        status = "named by one price list and nobody else";
    const char *part[] = {name, day, status, until};
    static const char *const before[] = {"", "released ", "", "knows until "};
    buf_init_arena(&b, &c->ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < COUNT_OF(part); i++)
        if (part[i])
            buf_printf(&b, "%s%s%s", b.n ? ", " : "", before[i], part[i]);
    if (b.n)
        out_note(stdout, STR_IN(b), 0, 0);
    if (end)
        out(WARN "%s %s" END MAYBE(", instead: %s") "\n",
            status && strcmp(status, "retired") == 0 ? "ended on" : "ends on", end, instead);
}

/* Where the facts come from: those of the first field that a fact set. */
static void put_source(struct call *c, const cando_resolve_answer *a)
{
    struct buf b;
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_statement *said = a->fields[i].said;
        if (!said || said->from != CANDO_FROM_FACT || !said->source || !*said->source)
            continue;
        buf_init_arena(&b, &c->ar, LIMIT_JSON_BYTES);
        buf_printf(&b, "source %s", source_name(c, said->source));
        if (said->checked)
            buf_printf(&b, ", checked %s", said->checked);
        buf_putz(&b, "; cando why tells more");
        out(DIM);
        out_note(stdout, STR_IN(b), 0, 0);
        out(END);
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

static void put_head(struct call *c, const cando_resolve_answer *a)
{
    out(BOLD "%s%s%s" END "\n", a->provider, *a->provider ? "/" : "", a->model);
    put_about(c, a);
    if (a->policy && a->policy->denial)
        put_denial(a->policy->denial);
    if (a->identity != CANDO_BY_EXACT)
        out("%s" MAYBE(", as %s (but for the price)") "\n", identities[a->identity], a->canonical);
    put_project(a);
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

#define DISPUTED "sources disagree"

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
    return is_contested(value_find(a, "claims"), f->name) ? DISPUTED : NULL;
}

static void put_row(const cando_field_value *f, size_t width, const char *mark, struct arena *ar)
{
    out("  %-*s", (int)width + 2, f->name);
    value_print(&f->value, ar);
    if (mark)
        out(DIM "  (%s)" END, mark);
    out("\n");
}

/* -- our own view, on one screen: what one wants to know first, and lists -- */

enum { LABEL_WIDTH = 12 };

/* A list behind a label, broken to fit the page. */
static void put_list(const char *label, enum style style, struct buf *b)
{
    if (b->n) {
        out("%c%-*s" END, style, LABEL_WIDTH, label);
        out_wrapped(stdout, STR_IN(*b), LABEL_WIDTH, LABEL_WIDTH);
    }
    buf_clear(b);
}

/* With words of its own an item ends in a semicolon: they may have commas. */
static void add_item(struct buf *b, const char *name, const char *words, const char *mark)
{
    const char *comma = words ? "; " : ", ";
    buf_printf(b, "%s%s%s%s%s", b->n ? comma : "", name, words ? " " : "", words ? words : "",
               mark);
}

/* "*" is inferred, "!" is disputed. */
static const char *short_mark(const cando_resolve_answer *a, const cando_field_value *f)
{
    const char *mark = mark_of(a, f);
    return !mark ? "" : strcmp(mark, DISPUTED) == 0 ? "!" : "*";
}

/* Has the head it, or a line or a list of its own, or tells the name as much? */
static bool shown_elsewhere(const char *name)
{
    static const char names[] =
        "display_name release_date status retires_on replaced_by deprecated_on price "
        "claims knowledge_cutoff context_window max_output input_modalities "
        "output_modalities model_kind input_text output_text batch_discount_percent "
        "batch_cached_tokens model_family";
    return words_have(names, str_of(name));
}

static void put_limits(const cando_resolve_answer *a, struct arena *ar)
{
    static const cando_value unknown = {.known = false};
    const cando_value *context = value_find(a, "context_window"),
                      *most = value_find(a, "max_output");
    const cando_value *in = value_find(a, "input_modalities"),
                      *made = value_find(a, "output_modalities");
    out("%-*s%s%s", LABEL_WIDTH, "context", value_words(context ? context : &unknown, ar),
        context ? " tokens" : "");
    out(MAYBE(", at most %s of them output") "\n", most ? value_words(most, ar) : NULL);
    if (in || made)
        out("%-*s%s; gives %s" MAYBE(" (%s)") "\n", LABEL_WIDTH, "takes",
            value_words(in ? in : &unknown, ar), value_words(made ? made : &unknown, ar),
            text_of(a, "model_kind"));
}

/* Capabilities of one level; of a restricted one the reason is told. */
static void put_level(const cando_resolve_answer *a, const char *label, enum style style,
                      cando_support level, struct arena *ar)
{
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_field_value *f = &a->fields[i];
        if (f->value.type != CANDO_SUPPORT || shown_elsewhere(f->name))
            continue;
        if (f->value.known && f->value.support == level)
            add_item(&b, f->name, level == CANDO_RESTRICTED ? f->value.text : NULL,
                     short_mark(a, f));
    }
    put_list(label, style, &b);
}

/* Whatever else is known, and what is not. */
static void put_others(const cando_resolve_answer *a, struct arena *ar)
{
    struct buf known, unknown;
    buf_init_arena(&known, ar, LIMIT_JSON_BYTES);
    buf_init_arena(&unknown, ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_field_value *f = &a->fields[i];
        if (shown_elsewhere(f->name))
            continue;
        if (!f->value.known)
            add_item(&unknown, f->name, NULL, "");
        else if (f->value.type != CANDO_SUPPORT)
            add_item(&known, f->name, value_words(&f->value, ar), short_mark(a, f));
    }
    put_list("settings", STYLE_PLAIN, &known);
    put_list("unknown", STYLE_DIM, &unknown);
}

static bool has_mark(const cando_resolve_answer *a, char mark)
{
    for (size_t i = 0; i < a->n_fields; i++)
        if (short_mark(a, &a->fields[i])[0] == mark && !shown_elsewhere(a->fields[i].name))
            return true;
    return false;
}

/* -- what requests are told -- */

/* The rules of requests that are about such models; NULL: nobody knows how it is asked. */
static const cando_fields_answer *rules_of(struct call *c, const char *target, cando_error *err)
{
    const cando_fields_question q = {.api = target, .member = "*"};
    return cando_ask_fields(c->engine, &q, c->room, err);
}

/* Several rules may say the same. */
static bool is_told(const cando_fields_answer *a, size_t at)
{
    const cando_member_rule *x = &a->rules[at];
    for (size_t i = 0; i < at; i++)
        if (strcmp(a->rules[i].api, x->api) == 0 && strcmp(a->rules[i].message, x->message) == 0)
            return true;
    return false;
}

static void put_rules_of(const cando_fields_answer *a, const char *api)
{
    bool titled = false;
    for (size_t i = 0; i < a->n_rules; i++) {
        const cando_member_rule *x = &a->rules[i];
        if (strcmp(x->api, api) != 0 || is_told(a, i))
            continue;
        if (!titled)
            out("\n" BOLD "requests of %s" END "\n", api);
        titled = true;
        out("  %c%-9s" END, out_severity(x->severity), severity_name(x->severity));
        out_note(stdout, str_of(x->message), 11, 11);
    }
}

/* API by API, its own first. */
static int put_requests(struct call *c, const char *target)
{
    const cando_fields_answer *a = rules_of(c, target, NULL);
    if (!a || !a->n_rules) {
        out("\nno rule of requests is about such models\n");
        return EXIT_YES;
    }
    put_rules_of(a, a->api);
    for (size_t i = 0; i < a->n_rules; i++) {
        const char *api = a->rules[i].api;
        bool told = strcmp(api, a->api) == 0;
        for (size_t k = 0; k < i; k++)
            told |= strcmp(a->rules[k].api, api) == 0;
        if (!told)
            put_rules_of(a, api);
    }
    out("\n" DIM "cando why %s MEMBER, such as temperature, tells who says so" END "\n", target);
    return EXIT_YES;
}

static void put_screen(struct call *c, const cando_resolve_answer *a, const char *target)
{
    struct arena *ar = &c->ar;
    const cando_fields_answer *rules = rules_of(c, target, NULL);
    const cando_value *price = value_find(a, "price"),
                      *less = value_find(a, "batch_discount_percent");
    out("\n");
    put_limits(a, ar);
    out("%-*s", LABEL_WIDTH, "price");
    if (price)
        price_page(price, LABEL_WIDTH, LABEL_WIDTH, false);
    else
        out(DIM "unknown" END "\n");
    if (price && less)
        out("%-*sa batch: %ju%% off\n", LABEL_WIDTH, "", (uintmax_t)less->number);
    put_level(a, "can", STYLE_GOOD, CANDO_NATIVE, ar);
    put_level(a, "emulated", STYLE_WARN, CANDO_EMULATED, ar);
    put_level(a, "restricted", STYLE_WARN, CANDO_RESTRICTED, ar);
    put_level(a, "cannot", STYLE_BAD, CANDO_UNSUPPORTED, ar);
    put_others(a, ar);
    out("\n");
    put_source(c, a);
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    buf_printf(&b, "%s%s--all: every field", has_mark(a, '*') ? "* inferred; " : "",
               has_mark(a, '!') ? "! " DISPUTED "; " : "");
    if (rules && rules->n_rules)
        buf_printf(&b, "; --requests: %zu rules", rules->n_rules);
    out(DIM);
    out_note(stdout, STR_IN(b), 0, 0);
    out(END);
}

/* -- our own view, whole: the fields in the order of the vocabulary, sorted into sections -- */

static void put_sections(struct call *c, const cando_resolve_answer *a)
{
    cando_field_value value[CANDO_MAX_FIELDS];
    const cando_value *price = value_find(a, "price");
    size_t width = 0;
    for (unsigned f = 0; f < cando_field_count(); f++) {
        value[f] = (cando_field_value){.name = cando_field_name((cando_field)f)};
        width = strlen(value[f].name) > width ? strlen(value[f].name) : width;
    }
    for (size_t i = 0; i < a->n_fields; i++)
        value[a->fields[i].field] = a->fields[i];
    for (size_t s = 0; s < COUNT_OF(sections); s++) {
        out("\n" BOLD "%s" END "\n", sections[s].title);
        for (unsigned f = 0; f < cando_field_count(); f++)
            if (sections[s].types >> cando_field_type((cando_field)f) & 1 &&
                strcmp(value[f].name, "price") != 0 && strcmp(value[f].name, "claims") != 0)
                put_row(&value[f], width, mark_of(a, &value[f]), &c->ar);
    }
    out("\n" BOLD "price" END "\n");
    if (price)
        price_page(price, 2, 0, true);
    else
        out("  " DIM "unknown" END "\n");
    out("\n");
    put_source(c, a);
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
    if (a->identity == CANDO_BY_DEFAULT)
        out_notef(stderr, 6,
                  "note: no rule and no fact is about this model; check the spelling "
                  "of provider and model");
    suggest_near(c, a->provider, a->model);
}

static bool knows_any(const cando_resolve_answer *a)
{
    for (size_t i = 0; i < a->n_fields; i++)
        if (a->fields[i].value.known)
            return true;
    return false;
}

/* "openai gpt-5" is one model, in two words. */
static int check(struct call *c)
{
    cando_error err;
    if (c->n < 2)
        return EXIT_YES;
    if (field_meant(c->operand[1]) != CANDO_NO_FIELD) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_missing_argument, "show: one model at a time");
        error_hint(&err, "cando why %.200s %.80s tells of one field", c->operand[0], c->operand[1]);
        return fail(&err);
    }
    if (strpbrk(c->operand[0], "/:"))
        return call_usage(c, "one model at a time");
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_target, "'%.80s' and '%.80s' are two words",
              c->operand[0], c->operand[1]);
    error_hint(&err,
               "cando models %.80s %.80s lists what has both in its name; a model is shown as "
               "provider/model: cando show %.80s/%.80s",
               c->operand[0], c->operand[1], c->operand[0], c->operand[1]);
    return fail(&err);
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    bool ours = k->view == CANDO_VIEW_CANDO;
    cando_name name = {.model = c->operand[0]};
    cando_resolve_question q = {.target = &name, .view = k->view, .resolution = k->resolution};
    name.model = suggest_target(c, name.model);
    if (!name.model)
        return EXIT_QUESTION;
    if (c->json && k->requests) {
        call_page(c, "fields", rules_of(c, name.model, &c->err));
        return c->code;
    }
    if (!c->json && ours)
        q.why = CANDO_WHY_SAID;
    const cando_resolve_answer *a = cando_ask_resolve(c->engine, &q, c->room, &c->err);
    if (!call_page(c, "resolve", a))
        return c->code;
    put_notes(c, a);
    put_head(c, a);
    if (k->requests)
        return put_requests(c, name.model);
    if (ours && !k->all && a->identity == CANDO_BY_DEFAULT && !knows_any(a))
        return EXIT_YES; /* a page of unknowns would hide the notes */
    if (ours && k->all)
        put_sections(c, a);
    else if (ours)
        put_screen(c, a, name.model);
    else
        put_plain(a, views[k->view], &c->ar);
    return EXIT_YES;
}

const struct verb verb_show = {
    .name = "show",
    .summary = "what a model can do, its limits and prices, on one screen",
    .usage = "[OPTION]... PROVIDER/MODEL",
    .text =
        "Shows what is known of one model at one provider: window, price, what it can and cannot "
        "do. What nobody said is unknown, which is neither yes nor no. With --all there is a "
        "line for every field, and all prices; with --requests what cando check may hold against "
        "a request because it is for this model.\n\n"
        "The provider ends at the first slash or colon: "
        "bedrock/us.anthropic.claude-opus-4-5-v1:0.",
    .examples = "cando show openai/gpt-5\n"
                "cando show openai/gpt-5 --requests\n"
                "cando show openai/gpt-5 --json",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(1, 2, "which model?", "one model at a time"),
    .check = check,
    .opens = OPENS_CATALOG,
    .paged = true,
    .run = run,
};
