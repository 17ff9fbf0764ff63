/*
 * tool_model.c - tools about models: what one can do, which one fits, which ones end.
 */
#include "tool.h"

#include "schema.h"

#include "base/limits.h"

/* -- can_it --------------------------------------------------------------------------------- */

enum { NAMES = 40 };

struct asked {
    const char *name[NAMES]; /* of fields, in our own vocabulary */
    size_t n;
};

/* Has the field a word of the name? "audio_input" is near input_audio. */
static bool shares_word(struct str field, struct str name)
{
    enum { LEAST = 4 };
    for (size_t n; name.n; name = str_from(name, n + 1)) {
        n = str_find_char(name, '_');
        if (n >= LEAST && str_find(field, str_head(name, n)) != SIZE_MAX)
            return true;
    }
    return false;
}

static bool unknown_field(struct tool_call *t, struct str name)
{
    enum { MOST = 6 };
    struct nearest near = nearest_to(name);
    struct buf hint;
    size_t n = 0;
    buf_init_arena(&hint, &t->ar, sizeof t->err.hint);
    for (unsigned i = 0; i < cando_field_count(); i++)
        nearest_try(&near, str_of(cando_field_name((cando_field)i)));
    if (near.name.n)
        buf_printf(&hint, "%s%.*s", n++ ? ", " : "did you mean ", STR_ARG(near.name));
    bool slip = near.name.n && nearest_is_slip(&near);
    for (unsigned i = 0; i < cando_field_count() && n < MOST && !slip; i++) {
        struct str field = str_of(cando_field_name((cando_field)i));
        if (!str_eq(field, near.name) && shares_word(field, name))
            buf_printf(&hint, "%s%s", n++ ? ", " : "did you mean ", field.p);
    }
    buf_printf(&hint, "%sthe resource cando://fields lists all names", n ? "? " : "");
    return arg_fail(t, "capabilities", buf_cstr(&hint), "nothing is called '%.*s'",
                    STR_ARG(str_head(name, 60)));
}

/* By its name in any vocabulary, also as people say it: "function calling". */
static cando_field field_find(struct str name)
{
    char key[64];
    if (!name.n || name.n >= sizeof key)
        return CANDO_NO_FIELD;
    for (size_t i = 0; i < name.n; i++)
        key[i] = name.p[i] == ' ' || name.p[i] == '-' ? '_' : name.p[i];
    key[name.n] = '\0';
    return strlen(key) == name.n ? cando_field_find(key) : CANDO_NO_FIELD;
}

static bool read_names(struct tool_call *t, struct asked *a)
{
    cando_json list = cando_json_get(&t->args, "capabilities");
    bool none = list.kind == CANDO_JSON_NONE;
    if (!none && (list.kind != CANDO_JSON_LIST || list.n > NAMES))
        return arg_fail(t, "capabilities", "[\"tool_calling\",\"context_window\"]",
                        "'capabilities' is a list of at most %d names", NAMES);
    for (struct walk w = walk_of(&list); walk_next(&w);) {
        struct str name = text_of(&w.value);
        cando_field f = field_find(name);
        if (f == CANDO_NO_FIELD)
            return unknown_field(t, name);
        a->name[a->n++] = cando_field_name(f);
    }
    return true;
}

/* Members of an object: those that are asked for, or else those that are known. */
static void tell_fields(struct tool_call *t, const cando_json *answer, const char *member,
                        const struct asked *a)
{
    cando_json all = cando_json_get(answer, member),
               schema = cando_json_get(t->schema[0], "properties");
    struct buf *b = &t->result;
    schema = cando_json_get(&schema, member);
    schema = cando_json_get(&schema, "additionalProperties");
    put_key(b, str_of(member));
    buf_putc(b, '{');
    for (struct walk w = walk_of(&all); !a->n && walk_next(&w);) {
        if (w.value.kind == CANDO_JSON_NULL || str_is(w.key, "claims"))
            continue;
        put_key(b, w.key);
        schema_put(b, &w.value, &schema);
    }
    for (size_t i = 0; i < a->n; i++) {
        cando_json v = cando_json_get(&all, a->name[i]);
        bool said = v.kind != CANDO_JSON_NONE;
        if (!said && strcmp(member, "fields") != 0)
            continue;
        put_key(b, str_of(a->name[i]));
        if (said)
            schema_put(b, &v, &schema);
        else
            buf_putz(b, "null");
    }
    buf_putc(b, '}');
}

/* "(fact, checked 2026-08-22, https://..)" */
static void say_who(struct buf *b, const cando_json *why)
{
    struct str day = text_at(why, "checked"), source = text_at(why, "source");
    struct str via = text_at(why, "via"), file = text_at(why, "file");
    if (why->kind != CANDO_JSON_OBJECT)
        return;
    buf_printf(b, " (%.*s", STR_ARG(text_at(why, "from")));
    if (via.n)
        buf_printf(b, " from %.*s", STR_ARG(via));
    if (source.n)
        buf_printf(b, ", %.*s", STR_ARG(source));
    else if (file.n)
        buf_printf(b, ", %.*s", STR_ARG(file));
    if (day.n)
        buf_printf(b, ", checked %.*s", STR_ARG(day));
    buf_putc(b, ')');
}

static void say_asked(struct tool_call *t, const cando_json *fields, const cando_json *why,
                      const struct asked *a)
{
    for (size_t i = 0; i < a->n; i++) {
        cando_json v = cando_json_get(fields, a->name[i]), who = cando_json_get(why, a->name[i]);
        bool known = v.kind != CANDO_JSON_NONE && v.kind != CANDO_JSON_NULL;
        buf_printf(&t->text, "%s: ", a->name[i]);
        put_words(&t->text, &v);
        if (known)
            say_who(&t->text, &who);
        else
            buf_putz(&t->text, " (nobody has said: neither yes nor no)");
        buf_putc(&t->text, '\n');
    }
}

enum { CAN, CANNOT, UNSAID, GROUPS };

/* Of a field that is a capability: to which group it belongs; else GROUPS. */
static unsigned group_of(struct str name, const cando_json *v)
{
    cando_field f = name.n < LIMIT_NAME_BYTES ? cando_field_find(name.p) : CANDO_NO_FIELD;
    if (v->kind == CANDO_JSON_NULL)
        return UNSAID;
    if (f == CANDO_NO_FIELD || cando_field_type(f) != CANDO_SUPPORT)
        return GROUPS;
    return str_is(text_of(v), "unsupported") ? CANNOT : CAN;
}

static void say_all(struct tool_call *t, const cando_json *fields)
{
    static const char *const titles[] = {"can", "cannot", "unknown"};
    struct buf *b = &t->text;
    for (unsigned g = 0; g < GROUPS; g++) {
        unsigned n = 0;
        for (struct walk w = walk_of(fields); walk_next(&w);) {
            if (group_of(w.key, &w.value) != g)
                continue;
            bool plain = g != CAN || str_is(text_of(&w.value), "native");
            buf_printf(b, "%s%s%.*s", n ? ", " : titles[g], n ? "" : ": ", STR_ARG(w.key));
            n++;
            if (plain)
                continue;
            buf_putz(b, " (");
            put_words(b, &w.value);
            buf_putc(b, ')');
        }
        buf_putz(b, n ? "\n" : "");
    }
    for (struct walk w = walk_of(fields); walk_next(&w);) {
        if (group_of(w.key, &w.value) != GROUPS || str_is(w.key, "claims"))
            continue;
        buf_printf(b, "%.*s: ", STR_ARG(w.key));
        put_words(b, &w.value);
        buf_putc(b, '\n');
    }
    buf_putz(b, "With \"capabilities\" it is told who says so.\n");
}

static void say_policy(struct buf *b, const cando_json *policy)
{
    cando_json allowed = cando_json_get(policy, "allowed");
    struct str file = text_at(policy, "file");
    if (allowed.kind != CANDO_JSON_BOOL || is_true(&allowed))
        return;
    buf_printf(b, "NOT ALLOWED by a list of this project%s%.*s\n", file.n ? ": " : "",
               STR_ARG(file));
}

static bool can_it(struct tool_call *t)
{
    struct asked a = {.n = 0};
    struct buf q;
    if (!read_names(t, &a))
        return false;
    ask_begin(t, &q, "resolve", t->tool->in);
    buf_putz(&q, a.n ? ",\"why\":true" : "");
    cando_json r = ask_end(t, &q);
    if (r.kind == CANDO_JSON_NONE)
        return false;
    cando_json fields = cando_json_get(&r, "fields"), why = cando_json_get(&r, "why");
    cando_json policy = cando_json_get(&r, "policy");
    struct str canonical = text_at(&r, "canonical");
    buf_printf(&t->text, "%.*s/%.*s", STR_ARG(text_at(&r, "provider")),
               STR_ARG(text_at(&r, "model")));
    if (canonical.n)
        buf_printf(&t->text, ", in the catalog as %.*s", STR_ARG(canonical));
    buf_putc(&t->text, '\n');
    say_state(t, &r);
    say_policy(&t->text, &policy);
    if (a.n)
        say_asked(t, &fields, &why, &a);
    else
        say_all(t, &fields);
    static const char *const plain[] = {"provider", "model", "identity", "canonical", "policy"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        tell(t, 0, &r, plain[i], NULL);
    tell_fields(t, &r, "fields", &a);
    if (a.n)
        tell_fields(t, &r, "why", &a);
    return true;
}

const struct tool tool_can_it = {
    .name = "can_it",
    .title = "Can this model do it?",
    .text = "What one model at one provider can do, its limits and prices, and who says so. Use it "
            "for \"does X support tools / images / structured output / reasoning?\", \"how large "
            "is its context?\", \"what does it cost per token?\". Name the capabilities you care "
            "about to get each with its source and date; without them you get an overview.",
    .op = "resolve",
    .in = "target at",
    .own = "{\"capabilities\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":40,"
           "\"description\":\"names of capabilities, limits or settings, e.g. tool_calling, "
           "input_image, context_window, max_output, price\"}}",
    .needed = "target",
    .part = {{"resolve", "provider model identity canonical policy fields why",
              "overrode near_misses layer rule"}},
    .run = can_it,
};

/* -- which_model ---------------------------------------------------------------------------- */

enum { KEYS = 256 };

/* Who has said which providers there are keys for means those, unless others are named. */
static void usual_providers(struct tool_call *t, struct buf *q, const char **key)
{
    cando_json any = cando_json_get(&t->args, "any_provider");
    cando_json said = cando_json_get(&t->args, "providers");
    const cando_catalog *catalog = cando_get_catalog(t->r->engine);
    size_t n =
        is_true(&any) || said.kind != CANDO_JSON_NONE ? 0 : cando_catalog_keys(catalog, key, KEYS);
    for (size_t i = 0; i < n; i++) {
        buf_putz(q, i ? "," : ",\"allow\":[");
        put_string(q, str_of(key[i]));
    }
    buf_putz(q, n ? "]" : "");
    if (n)
        buf_printf(&t->text, "of the providers that there are keys for\n");
    cando_catalog_release(catalog);
}

/* A model for a conversation is meant, unless something else is asked for. */
static void usual_order(struct tool_call *t, struct buf *q, uint64_t limit)
{
    cando_json purpose = cando_json_get(&t->args, "for"), sort = cando_json_get(&t->args, "sort");
    cando_json output = cando_json_get(&t->args, "output");
    cando_json request = cando_json_get(&t->args, "request");
    bool other = output.kind != CANDO_JSON_NONE || request.kind != CANDO_JSON_NONE;
    if (purpose.kind == CANDO_JSON_NONE && !other)
        buf_putz(q, ",\"for\":[\"chat\"]");
    if (sort.kind == CANDO_JSON_NONE)
        buf_putz(q, ",\"sort\":\"price\"");
    buf_printf(q, ",\"limit\":%ju", (uintmax_t)limit);
}

static void say_excluded(struct buf *b, const cando_json *excluded)
{
    for (struct walk w = walk_of(excluded); walk_next(&w);) {
        buf_printf(b, "%s%.*s: ", w.i > 1 ? ", " : "excluded by ", STR_ARG(w.key));
        put_count(b, &w.value);
    }
    buf_putz(b, excluded->n ? "\n" : "");
}

static void say_offering(struct buf *b, const cando_json *m)
{
    cando_json context = cando_json_get(m, "context_window");
    cando_json output = cando_json_get(m, "max_output");
    struct str in = text_at(m, "input_price"), out = text_at(m, "output_price");
    struct str day = text_at(m, "release_date");
    buf_printf(b, "- %.*s/%.*s: context ", STR_ARG(text_at(m, "provider")),
               STR_ARG(text_at(m, "model")));
    put_words(b, &context);
    buf_putz(b, ", output ");
    put_words(b, &output);
    if (in.n)
        buf_printf(b, ", $%.*s in", STR_ARG(in));
    if (out.n)
        buf_printf(b, "%s$%.*s out", in.n ? " / " : ", ", STR_ARG(out));
    buf_putz(b, in.n || out.n ? " per million tokens" : ", price unknown");
    if (day.n)
        buf_printf(b, ", released %.*s", STR_ARG(day));
    buf_putc(b, '\n');
}

static bool is_of(const cando_json *m, struct str target)
{
    struct str provider = text_at(m, "provider"), model = text_at(m, "model");
    return target.n == provider.n + 1 + model.n && str_starts(target, provider) &&
           target.p[provider.n] == '/' && str_ends(target, model);
}

/* The rows of the matches, in their order. */
static bool tell_matches(struct tool_call *t, const cando_json *matches, const struct cut *cut)
{
    struct buf q;
    cando_json known = cando_json_get(t->schema[1], "properties");
    known = cando_json_get(&known, "models");
    known = cando_json_get(&known, "items");
    ask_begin(t, &q, "models", "");
    buf_putz(&q, ",\"allow\":[");
    for (struct walk w = walk_of(matches); walk_next(&w);) {
        put_comma(&q);
        put_string(&q, text_at(&w.value, "target"));
    }
    buf_putc(&q, ']');
    cando_json rows = {.kind = CANDO_JSON_NONE};
    if (matches->n) {
        rows = ask_end(t, &q);
        if (rows.kind == CANDO_JSON_NONE)
            return false;
    }
    rows = cando_json_get(&rows, "models");
    put_key(&t->result, STR("models"));
    buf_putc(&t->result, '[');
    for (struct walk w = walk_of(matches); walk_next(&w);) {
        struct str target = text_at(&w.value, "target");
        for (struct walk k = walk_of(&rows); w.i > cut->from && walk_next(&k);) {
            if (!is_of(&k.value, target))
                continue;
            put_comma(&t->result);
            schema_put(&t->result, &k.value, &known);
            say_offering(&t->text, &k.value);
            break;
        }
    }
    buf_putc(&t->result, ']');
    return true;
}

static bool which_model(struct tool_call *t)
{
    struct cut cut = {"models", 0, 0};
    const char **key = arena_array(&t->ar, KEYS, sizeof *key);
    struct buf q;
    if (!key)
        return error_memory(&t->err), false;
    if (!arg_count(t, "limit", false, 100, 5, &cut.n) ||
        !arg_count(t, "offset", true, 100000, 0, &cut.from))
        return false;
    ask_begin(t, &q, "select", t->tool->in);
    usual_providers(t, &q, key);
    usual_order(t, &q, cut.from + cut.n);
    cando_json r = ask_end(t, &q);
    if (r.kind == CANDO_JSON_NONE)
        return false;
    cando_json matches = cando_json_get(&r, "matches"), excluded = cando_json_get(&r, "excluded");
    cando_json matched = cando_json_get(&r, "matched"), all = cando_json_get(&r, "considered");
    uint64_t n = 0;
    count_of(&matched, UINT64_MAX, 0, &n);
    put_words(&t->text, &matched);
    buf_putz(&t->text, " of ");
    put_words(&t->text, &all);
    buf_putz(&t->text, n ? " fit, the best first:\n" : " fit\n");
    if (!tell_matches(t, &matches, &cut))
        return false;
    say_more(&t->text, n, &cut);
    if (!n)
        say_excluded(&t->text, &excluded);
    tell_all(t, 0, &r, NULL);
    return true;
}

const struct tool tool_which_model = {
    .name = "which_model",
    .title = "Which model fits?",
    .text = "Models that are known to meet all criteria, the cheapest first (or by `sort`), each "
            "with context, output limit, price and release date. Use it to choose a model, to find "
            "a cheaper or newer one, or, with `request`, those that would take that request as it "
            "is. Retired and deprecated models are left out. What is unknown does not count as a "
            "yes.",
    .op = "select",
    .in = "require forbid prefer providers kinds minimum maximum released_after for output request "
          "sort",
    .own = "{" LIMIT_ARG(
        "5") "," OFFSET_ARG
             ",\"any_provider\":{\"type\":\"boolean\",\"description\":\"also providers that the "
             "user's files name no key for\"}}",
    .needed = "",
    .part = {{"select", "matched considered excluded", ""},
             {"models", "models", "alias_of fields canonical inferred contested"}},
    .run = which_model,
};

/* -- what_retires --------------------------------------------------------------------------- */

static void say_ending(struct buf *b, const cando_json *m)
{
    struct str kind = text_at(m, "ending"), use = text_at(m, "use");
    struct str end = text_at(m, "retires_on"), not_before = text_at(m, "retires_not_before");
    cando_json places = cando_json_get(m, "places");
    buf_printf(b, "- %.*s/%.*s: ", STR_ARG(text_at(m, "provider")), STR_ARG(text_at(m, "model")));
    if (str_is(kind, "stopped"))
        buf_printf(b, "stopped%s%.*s", end.n ? " on " : "", STR_ARG(end));
    else if (str_is(kind, "stops"))
        buf_printf(b, "stops on %.*s", STR_ARG(end));
    else if (not_before.n)
        buf_printf(b, "will not stop before %.*s", STR_ARG(not_before));
    else
        buf_putz(b, "deprecated, no day is known");
    if (use.n)
        buf_printf(b, "; use %.*s", STR_ARG(use));
    for (struct walk w = walk_of(&places); walk_next(&w);) {
        cando_json line = cando_json_get(&w.value, "line");
        struct str file = text_at(&w.value, "name");
        if (file.n)
            buf_printf(b, "%s%.*s:%.*s", w.i > 1 ? ", " : "; in ", STR_ARG(file),
                       STR_ARG(bytes_str(line.bytes)));
    }
    buf_putc(b, '\n');
}

/* The names as a text of which each is a line. */
static bool put_names(struct tool_call *t, struct buf *q, const cando_json *names)
{
    if (names->kind == CANDO_JSON_NONE)
        return true;
    if (names->kind != CANDO_JSON_LIST)
        return arg_fail(t, "models", "[\"openai/gpt-4o\"]", "'models' is a list of names");
    struct buf lines;
    buf_init_arena(&lines, &t->ar, LIMIT_JSON_BYTES);
    for (struct walk w = walk_of(names); walk_next(&w);) {
        if (w.value.kind != CANDO_JSON_STRING)
            return arg_fail(t, "models", "[\"openai/gpt-4o\"]", "'models' is a list of names");
        put_string(&lines, text_of(&w.value)); /* in quotes it is a name, whatever it looks like */
        buf_putc(&lines, '\n');
    }
    put_key(q, STR("texts"));
    buf_putz(q, "[{\"text\":");
    put_string(q, str_make(lines.p, lines.n));
    buf_putz(q, "}]");
    return !lines.failed || (error_memory(&t->err), false);
}

/* Of the whole catalog what has stopped is the larger part, and the least news. */
enum { AHEAD = 100001 };

static bool what_retires(struct tool_call *t)
{
    struct cut cut = {"retiring", 0, 0};
    cando_json names = cando_json_get(&t->args, "models"),
               texts = cando_json_get(&t->args, "texts");
    struct buf q;
    if (!arg_count(t, "limit", false, 100, 15, &cut.n) ||
        !arg_count(t, "offset", true, AHEAD, AHEAD, &cut.from))
        return false;
    bool whole = names.kind == CANDO_JSON_NONE && texts.kind == CANDO_JSON_NONE;
    if (names.kind != CANDO_JSON_NONE && texts.kind != CANDO_JSON_NONE)
        return arg_fail(t, "models", NULL, "give 'models' or 'texts', not both");
    ask_begin(t, &q, "retiring", t->tool->in);
    buf_putz(&q, ",\"places\":5");
    if (!put_names(t, &q, &names))
        return false;
    cando_json r = ask_end(t, &q);
    if (r.kind == CANDO_JSON_NONE)
        return false;
    static const struct {
        const char *member, *word;
    } counts[] = {{"stopped", "stopped"},
                  {"stopping", "stop soon"},
                  {"not_before", "not before a day"},
                  {"deprecated", "deprecated without a day"},
                  {"later", "stop later than that"}};
    cando_json list = cando_json_get(&r, "retiring"), past = cando_json_get(&r, "stopped");
    if (cut.from == AHEAD && (!whole || !count_of(&past, LIMIT_NUMBER, 0, &cut.from)))
        cut.from = 0;
    buf_printf(&t->text, "as of %.*s:", STR_ARG(text_at(&r, "day")));
    unsigned said = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cando_json n = cando_json_get(&r, counts[i].member);
        if (n.kind != CANDO_JSON_NUMBER || n.bytes.p[0] == '0')
            continue;
        buf_putz(&t->text, said++ ? ", " : " ");
        put_words(&t->text, &n);
        buf_printf(&t->text, " %s", counts[i].word);
    }
    buf_putz(&t->text, said ? "\n" : " no end is known of any of these\n");
    if (whole && cut.from)
        buf_printf(&t->text, "the first %ju of the list are passed over: \"offset\":0\n",
                   (uintmax_t)cut.from);
    for (struct walk w = walk_of(&list); walk_next(&w);)
        if (w.i > cut.from && w.i <= cut.from + cut.n)
            say_ending(&t->text, &w.value);
    say_more(&t->text, list.n, &cut);
    tell_all(t, 0, &r, &cut);
    return true;
}

const struct tool tool_what_retires = {
    .name = "what_retires",
    .title = "What retires, and what to use instead?",
    .text = "Models that have stopped or will, when, and what their provider names instead. Give "
            "`models` (names from a config) or `texts` (source files, to be looked through for "
            "model names; each answer has file and line), or neither for the whole catalog, best "
            "with `providers`. Use it before you keep or write a model name in code.",
    .op = "retiring",
    .in = "texts providers within at",
    .own =
        "{\"models\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"names "
        "to look up, with or without provider\"}," LIMIT_ARG("15") "," OFFSET_ARG "}",
    .needed = "",
    .part = {{"retiring", "day retiring stopped stopping not_before deprecated later", "column"}},
    .run = what_retires,
};
