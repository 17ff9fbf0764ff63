/*
 * cmd_fields.c - cando fields: what an API takes, a line a member.
 */
#include "api_words.h"
#include "engine.h"
#include "suggest.h"

#define PAGE 80

struct ask {
    cando_fields_question q;
};

static const struct option_row options[] = {
    {TEXT("provider", q.provider, "NAME", "as this one has it, where several speak the API")},
    {JSON("print the reply of the operation fields")},
    {.more = engine_options},
};

static void join(struct buf *b, const char *text)
{
    if (b->n)
        buf_putz(b, ", ");
    buf_putz(b, text);
}

/* "string or null", "array of message" */
static void put_kinds(struct buf *b, const cando_api_field *x)
{
    for (size_t i = 0; i < x->n_kinds; i++) {
        bool last = i + 1 == x->n_kinds;
        bool array = strcmp(x->kinds[i], "array") == 0, object = strcmp(x->kinds[i], "object") == 0;
        buf_printf(b, "%s%s",
                   i == 0 ? ""
                   : last ? " or "
                          : ", ",
                   object && x->of ? x->of : x->kinds[i]);
        if (array && x->of)
            buf_printf(b, " of %s", x->of);
    }
    if (!x->n_kinds)
        buf_putz(b, "anything");
}

/* "from 0 to 2, one of auto, none" */
static void put_limits(struct buf *b, const cando_api_field *x)
{
    if (x->least && x->most)
        buf_printf(b, "%s to %s", x->least, x->most);
    else if (x->least || x->most)
        buf_printf(b, x->least ? "at least %s" : "at most %s", x->least ? x->least : x->most);
    const char *unit = "members";
    for (size_t i = 0; i < x->n_kinds; i++) {
        if (strcmp(x->kinds[i], "string") == 0 && strcmp(unit, "items") != 0)
            unit = "characters";
        if (strcmp(x->kinds[i], "array") == 0)
            unit = "items";
    }
    if (x->fewest || x->longest) {
        join(b, "");
        if (x->fewest && x->longest)
            buf_printf(b, "%s to %s %s", x->fewest, x->longest, unit);
        else if (x->fewest && strcmp(x->fewest, "1") == 0)
            buf_putz(b, "not empty");
        else
            buf_printf(b, x->fewest ? "at least %s %s" : "at most %s %s",
                       x->fewest ? x->fewest : x->longest, unit);
    }
    for (size_t i = 0; i < x->n_values; i++)
        join(b, x->values[i]);
    if (x->open)
        join(b, "..");
    if (x->warns)
        join(b, "only warns");
}

static size_t longest_name(const cando_fields_answer *a)
{
    size_t width = 0;
    for (size_t i = 0; i < a->n_fields; i++) {
        size_t n = strlen(a->fields[i].name);
        width = n > width ? n : width;
    }
    return width < 30 ? width : 30;
}

/* All of them, or the one of that name alone; so many were there. */
static size_t put_fields(struct call *c, const cando_fields_answer *a, const char *only)
{
    size_t width = only ? strlen(only) : longest_name(a), shown = 0;
    for (size_t i = 0; i < a->n_fields; i++) {
        const cando_api_field *x = &a->fields[i];
        if (only && strcmp(only, x->name) != 0)
            continue;
        shown++;
        struct buf b;
        buf_init_arena(&b, &c->ar, 1u << 16);
        put_kinds(&b, x);
        if (x->required)
            buf_putz(&b, ", required");
        struct buf limits;
        buf_init_arena(&limits, &c->ar, 1u << 16);
        put_limits(&limits, x);
        if (limits.n)
            buf_printf(&b, ": %.*s", (int)limits.n, limits.p);
        out("%c%-*s" END "  ", x->required ? STYLE_BOLD : STYLE_PLAIN, (int)width, x->name);
        struct str text = STR_IN(b);
        size_t room = PAGE - width - 2;
        bool cut = out_width(text) > room;
        if (only)
            out_wrapped(stdout, text, width + 2, width + 2);
        else
            out("%.*s%s\n", (int)(cut ? room - 2 : text.n), text.p, cut ? ".." : "");
    }
    return shown;
}

/* What has nothing in it is told as its parent tells it. */
static void put_leaf(struct call *c, const char *path)
{
    struct ask *k = c->ask;
    size_t cut = strlen(path);
    while (cut && path[cut - 1] != '.' && path[cut - 1] != '/')
        cut--;
    k->q.path = cut ? str_dup(&c->ar, str_make(path, cut - 1)).p : NULL;
    const cando_fields_answer *a = cando_ask_fields(c->engine, &k->q, c->room, &c->err);
    if (!a || !put_fields(c, a, path + cut))
        out("nothing is said of what is in it\n");
}

static void put_page(struct call *c, const cando_fields_answer *a)
{
    out(BOLD "%s%s%s" END, a->api, *a->path ? " " : "", a->path);
    if (a->object)
        out(": %s", a->object);
    out(a->closed ? ", no other members\n" : "\n");
    if (a->by)
        out("'%s' decides; a step further:\n", a->by);
    for (size_t i = 0; i < a->n_cases; i++)
        out("  %s\n", a->cases[i]);
    put_fields(c, a, NULL);
    for (size_t i = 0; i < a->n_groups; i++)
        out("%s\n", a->groups[i]);
    if (!a->by && !a->n_fields)
        put_leaf(c, a->path);
    const struct ask *k = c->ask;
    if (strchr(k->q.api, '/'))
        out(DIM "this is what the API takes; cando show %s: what the model does with it" END "\n",
            k->q.api);
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    const char *own = suggest_own(c, c->operand[0]); /* of a model without its provider */
    k->q.api = own ? own : c->operand[0];
    k->q.path = c->n > 1 ? c->operand[1] : NULL;
    const cando_fields_answer *a = cando_ask_fields(c->engine, &k->q, c->room, &c->err);
    if (call_page(c, "fields", a))
        put_page(c, a);
    return c->code;
}

const struct verb verb_fields = {
    .name = "fields",
    .summary = "what an API takes: the members of its requests",
    .usage = "[OPTION]... API | PROVIDER/MODEL [PATH]",
    .text = "Lists the members of a request, of a message, a tool or whatever a path such as "
            "messages.user.content leads to: its kind, whether it is required, and what it may "
            "be. Arrays are stepped into by themselves; where a word decides what an object is "
            "(a role, a type), that word is a step, too. Of a model the API counts that its "
            "provider speaks.\n\n"
            "APIs: " API_REQUEST_LIST ".",
    .examples = "cando fields openai-chat\n"
                "cando fields openai-chat messages.user.content\n"
                "cando fields anthropic/claude-opus-4-5 tools",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(1, 2, "of which API, or which model?", "one path at a time"),
    .opens = OPENS_CATALOG,
    .paged = true,
    .run = run,
};
