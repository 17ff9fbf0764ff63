/*
 * tool_request.c - tools about requests: will it run, what would make it so, what does it cost, and
 * what breaks on another model.
 */
#include "tool.h"

#include "schema.h"

#include "base/limits.h"

enum {
    REQUEST_SHOWN = 3000 /* bytes of a rewritten request that are sent without being asked for */
};

static uint64_t number_at(const cando_json *v, const char *key)
{
    cando_json n = cando_json_get(v, key);
    uint64_t out = 0;
    count_of(&n, UINT64_MAX, 0, &out);
    return out;
}

static cando_json ask(struct tool_call *t, const char *op, const char *in, const char *more)
{
    struct buf q;
    ask_begin(t, &q, op, in);
    buf_putz(&q, more);
    return ask_end(t, &q);
}

/* The target that was asked about, or that the request names. */
static struct str target_of(struct tool_call *t, const cando_json *r)
{
    struct str said = text_at(&t->args, "target");
    return said.n ? said : text_at(r, "target");
}

/* "openai/gpt-4o (openai-chat): " */
static void say_whom(struct tool_call *t, const cando_json *r)
{
    struct str whom = target_of(t, r), api = text_at(r, "dialect");
    buf_puts(&t->text, whom.n ? whom : STR("the request"));
    if (api.n)
        buf_printf(&t->text, " (%.*s)", STR_ARG(api));
    buf_putz(&t->text, ": ");
}

/* Findings of a list, and how many are left out. */
static void say_findings(struct tool_call *t, const cando_json *list, const struct cut *cut)
{
    for (struct walk w = walk_of(list); walk_next(&w);)
        if (w.i <= cut->n)
            say_finding(&t->text, &w.value);
}

/* Would a rewrite do for all that is wrong, if it may lose something? */
static bool loss_would_do(const cando_json *findings)
{
    for (struct walk w = walk_of(findings); walk_next(&w);) {
        struct str kind = text_at(&w.value, "fix_kind");
        bool fixed = str_is(kind, "safe") || str_is(kind, "lossy");
        if (str_is(text_at(&w.value, "severity"), "error") && !fixed)
            return false;
    }
    return findings->n > 0;
}

static void say_verdict(struct tool_call *t, const cando_json *r)
{
    cando_json findings = cando_json_get(r, "findings");
    struct str verdict = text_at(r, "verdict");
    buf_putz(&t->text, str_is(verdict, "ok") ? "ok, it will be taken"
                       : str_is(verdict, "rewrite")
                           ? "it would be refused as it is; fix_request repairs it without a loss"
                       : loss_would_do(&findings)
                           ? "it would be refused; fix_request with \"fix\":true repairs it, but "
                             "something is lost"
                           : "it would be refused, and no rewrite can help");
}

/* -- check_request -------------------------------------------------------------------------- */

static bool check_request(struct tool_call *t)
{
    struct cut cut = {"findings", 0, 0};
    if (!arg_count(t, "limit", false, 100, 10, &cut.n))
        return false;
    cando_json r = ask(t, "preflight", t->tool->in, "");
    if (r.kind == CANDO_JSON_NONE)
        return false;
    cando_json findings = cando_json_get(&r, "findings"), tokens = cando_json_get(&r, "tokens");
    uint64_t more = number_at(&r, "more") + (findings.n > cut.n ? findings.n - cut.n : 0);
    say_whom(t, &r);
    say_verdict(t, &r);
    if (tokens.kind == CANDO_JSON_OBJECT)
        buf_printf(&t->text, "; about %ju input tokens", (uintmax_t)number_at(&tokens, "expected"));
    buf_putc(&t->text, '\n');
    say_findings(t, &findings, &cut);
    if (more)
        buf_printf(&t->text, "and %ju more findings: `limit` says how many are listed\n",
                   (uintmax_t)more);
    tell_all(t, 0, &r, &cut);
    if (more) {
        put_key(&t->result, STR("more"));
        buf_printf(&t->result, "%ju", (uintmax_t)more);
    }
    return true;
}

const struct tool tool_check_request = {
    .name = "check_request",
    .title = "Will this request run?",
    .text = "Judges the JSON body of a request to a model API (OpenAI Chat or Responses, "
            "Anthropic Messages, Gemini, Bedrock Converse, Mistral, Ollama) without sending it: "
            "wrong or renamed parameters, limits, what the model cannot do, retired models. Each "
            "finding has its place as a JSON Pointer, and a fix. Use it before a request is sent "
            "or when code that builds one is written or gets a 400.",
    .op = "preflight",
    .in = "request target dialect provider headers strict",
    .own = "{" LIMIT_ARG("10") "}",
    .needed = "request",
    .part = {{"preflight", "verdict dialect findings tokens target more",
              "rule confidence evidence capability at"}},
    .run = check_request,
};

/* -- fix_request ---------------------------------------------------------------------------- */

static void say_change(struct buf *b, const cando_json *c)
{
    struct str from = text_at(c, "from");
    cando_json value = cando_json_get(c, "value");
    buf_printf(b, "- %.*s ", STR_ARG(text_at(c, "op")));
    if (from.n)
        buf_printf(b, "%.*s to ", STR_ARG(from));
    buf_puts(b, text_at(c, "path"));
    if (value.kind != CANDO_JSON_NONE) {
        buf_putz(b, ": ");
        buf_puts(b, str_head(bytes_str(value.bytes), 200));
        buf_putz(b, value.bytes.n > 200 ? ".." : "");
    }
    buf_putc(b, '\n');
}

static bool fix_request(struct tool_call *t)
{
    const struct cut all = {"left", 0, 100};
    cando_json r = ask(t, "preflight", t->tool->in, "");
    if (r.kind == CANDO_JSON_NONE)
        return false;
    cando_json changes = cando_json_get(&r, "changes"), left = cando_json_get(&r, "left");
    cando_json fixed = cando_json_get(&r, "request"), full = cando_json_get(&t->args, "full");
    bool rewritten = fixed.kind != CANDO_JSON_NONE;
    bool shown = rewritten && (fixed.bytes.n <= REQUEST_SHOWN || is_true(&full));
    say_whom(t, &r);
    if (rewritten)
        buf_printf(&t->text, "repaired in %zu step%s", changes.n, changes.n == 1 ? "" : "s");
    else
        say_verdict(t, &r);
    buf_putc(&t->text, '\n');
    for (struct walk w = walk_of(&changes); walk_next(&w);)
        say_change(&t->text, &w.value);
    cando_json findings = rewritten ? left : cando_json_get(&r, "findings");
    if (findings.n)
        buf_putz(&t->text, rewritten ? "still to say:\n" : "findings:\n");
    say_findings(t, &findings, &all);
    if (shown) {
        buf_putz(&t->text, "the request as it should be:\n");
        buf_puts(&t->text, bytes_str(fixed.bytes));
    } else if (rewritten) {
        buf_printf(
            &t->text,
            "the request has %zu bytes and is left out here: apply the changes (JSON Patch), "
            "or ask with \"full\":true\n",
            fixed.bytes.n);
    }
    static const char *const told[] = {"verdict", "dialect", "target", "changes", "left"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        tell(t, 0, &r, told[i], NULL);
    if (!rewritten)
        tell(t, 0, &r, "findings", NULL);
    if (shown)
        tell(t, 0, &r, "request", NULL);
    return true;
}

const struct tool tool_fix_request = {
    .name = "fix_request",
    .title = "Repair this request",
    .text = "Rewrites the body of a request so that the model takes it: renamed parameters, wrong "
            "places, forms of another version. Only what keeps the meaning is changed; with "
            "\"fix\":true also what loses something. Gives the changes as JSON Patch, the new "
            "request if it is short, and what is left to do by hand.",
    .op = "preflight",
    .in = "request target dialect provider headers fix",
    .own = "{\"full\":{\"type\":\"boolean\",\"description\":\"give the new request also if it is "
           "long\"}}",
    .needed = "request",
    .part = {{"preflight", "verdict dialect target request changes left findings",
              "rule confidence evidence capability at source"}},
    .run = fix_request,
};

/* -- what_cost ------------------------------------------------------------------------------ */

static void say_money(struct buf *b, struct str amount)
{
    if (amount.n)
        buf_printf(b, "$%.*s", STR_ARG(amount));
    else
        buf_putz(b, "unknown");
}

static void say_estimate(struct buf *b, const cando_json *e)
{
    static const char *const names[] = {"low", "expected", "high"};
    cando_json assumes = cando_json_get(e, "assumes");
    for (size_t i = 0; i < 3; i++) {
        cando_json bill = cando_json_get(e, names[i]);
        cando_json in = cando_json_get(&bill, "input_tokens");
        cando_json out = cando_json_get(&bill, "output_tokens");
        buf_printf(b, "- %s: ", names[i]);
        say_money(b, text_at(&bill, "total_cost"));
        buf_putz(b, " for ");
        put_words(b, &in);
        buf_putz(b, " tokens in, ");
        put_words(b, &out);
        buf_putz(b, " out\n");
    }
    buf_printf(b, "expected output: %.*s (`output_tokens` if you know better)\n",
               STR_ARG(text_at(e, "why")));
    for (struct walk w = walk_of(&assumes); walk_next(&w);)
        buf_printf(b, "%.*s\n", STR_ARG(text_of(&w.value)));
}

static void say_items(struct buf *b, const cando_json *items)
{
    for (struct walk w = walk_of(items); walk_next(&w);) {
        cando_json n = cando_json_get(&w.value, "quantity");
        struct str rate = text_at(&w.value, "rate");
        buf_putz(b, "- ");
        put_words(b, &n);
        buf_printf(b, " %.*s: ", STR_ARG(text_at(&w.value, "unit")));
        say_money(b, text_at(&w.value, "cost"));
        if (rate.n) {
            cando_json per = cando_json_get(&w.value, "per");
            buf_printf(b, " at $%.*s per ", STR_ARG(rate));
            put_words(b, &per);
        }
        buf_putc(b, '\n');
    }
}

static bool what_cost(struct tool_call *t)
{
    cando_json r = ask(t, "cost", t->tool->in, "");
    if (r.kind == CANDO_JSON_NONE)
        return false;
    cando_json estimate = cando_json_get(&r, "estimate"), items = cando_json_get(&r, "items");
    cando_json unknown = cando_json_get(&r, "unknown");
    struct str least = text_at(&r, "at_least"), from = text_at(&r, "target_from");
    buf_printf(&t->text, "%.*s: ", STR_ARG(text_at(&r, "target")));
    say_money(&t->text, text_at(&r, "total_cost"));
    buf_putz(&t->text, " = input ");
    say_money(&t->text, text_at(&r, "input_cost"));
    buf_putz(&t->text, " + output ");
    say_money(&t->text, text_at(&r, "output_cost"));
    buf_putz(&t->text, estimate.kind == CANDO_JSON_OBJECT ? " (expected)\n" : "\n");
    if (least.n)
        buf_printf(&t->text, "at least $%.*s: the stream was cut\n", STR_ARG(least));
    if (estimate.kind == CANDO_JSON_OBJECT)
        say_estimate(&t->text, &estimate);
    else
        say_items(&t->text, &items);
    for (struct walk w = walk_of(&unknown); walk_next(&w);) {
        struct str unit = text_at(&w.value, "unit");
        buf_printf(&t->text, "not known: %.*s%s%.*s\n", STR_ARG(unit), unit.n ? ": " : "",
                   STR_ARG(text_at(&w.value, "reason")));
    }
    if (from.n)
        buf_printf(&t->text, "whose price it is was concluded (%.*s): `target` says another\n",
                   STR_ARG(from));
    tell_all(t, 0, &r, NULL);
    return true;
}

const struct tool tool_what_cost = {
    .name = "what_cost",
    .title = "What does it cost?",
    .text =
        "The exact price in USD of one of: `usage` (token counts), `response` (a reply of an "
        "API, or its list of stream events), or, in advance, `request` (least, expected, most). "
        "Knows cached, batch and long-context rates. Use it instead of multiplying prices from "
        "memory. Example: {\"target\":\"openai/gpt-4o\",\"usage\":{\"input_tokens\":1000,"
        "\"output_tokens\":200}}.",
    .op = "cost",
    .in = "target usage response request output_tokens provider dialect at service_tier",
    .needed = "",
    .part = {{"cost",
              "target target_from currency input_cost output_cost total_cost at_least usage "
              "estimate items unknown",
              "items unknown service_tier model api output_limit_from choices"}},
    .run = what_cost,
};

/* -- what_breaks ---------------------------------------------------------------------------- */

/* Needs by their names. */
static bool put_needs(struct tool_call *t, struct buf *q)
{
    cando_json need = cando_json_get(&t->args, "need");
    if (need.kind == CANDO_JSON_NONE)
        return true;
    put_key(q, STR("requirements"));
    buf_putc(q, '[');
    for (struct walk w = walk_of(&need); walk_next(&w);) {
        put_comma(q);
        buf_putz(q, "{\"level\":\"hard\",\"name\":");
        put_json(q, &w.value);
        buf_putc(q, '}');
    }
    buf_putc(q, ']');
    return need.kind == CANDO_JSON_LIST ||
           arg_fail(t, "need", "[\"tool_calling\"]", "'need' is a list of capabilities");
}

static cando_json ask_switch(struct tool_call *t, const cando_json *from, const cando_json *to)
{
    struct buf q;
    ask_begin(t, &q, "negotiate", t->tool->in);
    put_key(&q, STR("previous"));
    put_json(&q, from);
    put_key(&q, STR("target"));
    put_json(&q, to);
    return put_needs(t, &q) ? ask_end(t, &q) : (cando_json){.kind = CANDO_JSON_NONE};
}

static cando_json ask_diff(struct tool_call *t, const cando_json *from, const cando_json *to)
{
    struct buf q;
    ask_begin(t, &q, "diff", "");
    put_key(&q, STR("a"));
    put_json(&q, from);
    put_key(&q, STR("b"));
    put_json(&q, to);
    return ask_end(t, &q);
}

static cando_json ask_about(struct tool_call *t, const cando_json *target)
{
    struct buf q;
    ask_begin(t, &q, "resolve", "");
    put_key(&q, STR("target"));
    put_json(&q, target);
    return ask_end(t, &q);
}

static void say_unmet(struct buf *b, const char *what, const cando_json *list)
{
    for (struct walk w = walk_of(list); walk_next(&w);) {
        cando_json need = cando_json_get(&w.value, "need"), have = cando_json_get(&w.value, "have");
        buf_printf(b, "- %s %.*s: needs at least ", what, STR_ARG(text_at(&w.value, "capability")));
        put_words(b, &need);
        buf_putz(b, ", has ");
        put_words(b, &have);
        buf_putc(b, '\n');
    }
}

static void say_switch(struct tool_call *t, const cando_json *r)
{
    const struct cut first = {"findings", 0, 15};
    cando_json missing = cando_json_get(r, "missing"), warnings = cando_json_get(r, "warnings");
    cando_json findings = cando_json_get(r, "findings");
    struct str instead = text_at(r, "suggestion");
    say_unmet(&t->text, "missing", &missing);
    say_unmet(&t->text, "warning", &warnings);
    say_findings(t, &findings, &first);
    if (findings.n > first.n)
        buf_printf(&t->text, "and %zu more findings\n", findings.n - (size_t)first.n);
    if (instead.n)
        buf_printf(&t->text, "would fit: %.*s\n", STR_ARG(instead));
}

/* What changes, without prices of special tiers and names, which change always. */
static bool is_minor(struct str field)
{
    return str_find_char(field, '@') < field.n ||
           is_word_of("display_name model_family release_date knowledge_cutoff claims tokenizer "
                      "status deprecated_on retires_on retires_not_before replaced_by",
                      field);
}

static void say_diff(struct buf *b, const cando_json *changes, const char *kind, const char *title)
{
    enum { MOST = 12 };
    size_t n = 0;
    for (struct walk w = walk_of(changes); walk_next(&w);) {
        struct str field = text_at(&w.value, "field");
        if (!str_is(text_at(&w.value, "change"), kind) || is_minor(field) || ++n > MOST)
            continue;
        cando_json before = cando_json_get(&w.value, "a"), after = cando_json_get(&w.value, "b");
        buf_printf(b, "%s%.*s (", n == 1 ? title : ", ", STR_ARG(field));
        put_words(b, &before);
        buf_putz(b, " -> ");
        put_words(b, &after);
        buf_putc(b, ')');
    }
    if (n > MOST)
        buf_printf(b, " and %zu more", n - MOST);
    buf_putz(b, n ? "\n" : "");
}

static bool what_breaks(struct tool_call *t)
{
    cando_json from = cando_json_get(&t->args, "from"), to = cando_json_get(&t->args, "to");
    struct cut cut = {"changes", 0, 0};
    if (!arg_count(t, "limit", false, 100, 40, &cut.n))
        return false;
    cando_json r = ask_switch(t, &from, &to);
    if (r.kind == CANDO_JSON_NONE)
        return false;
    cando_json d = ask_diff(t, &from, &to);
    if (d.kind == CANDO_JSON_NONE)
        return false;
    cando_json changes = cando_json_get(&d, "changes");
    buf_printf(&t->text, "%.*s: %.*s to %.*s\n", STR_ARG(text_at(&r, "verdict")),
               STR_ARG(text_at(&d, "a")), STR_ARG(text_at(&d, "b")));
    cando_json known = ask_about(t, &to);
    say_state(t, &known);
    say_switch(t, &r);
    say_diff(&t->text, &changes, "loss", "loses: ");
    say_diff(&t->text, &changes, "unknown", "no longer known: ");
    say_diff(&t->text, &changes, "gain", "gains: ");
    say_diff(&t->text, &changes, "change", "differs: ");
    cando_json request = cando_json_get(&t->args, "request");
    cando_json history = cando_json_get(&t->args, "history");
    cando_json need = cando_json_get(&t->args, "need");
    if (request.kind + history.kind + need.kind == 0)
        buf_putz(&t->text, "Only the two models were compared: `need`, `request` or `history` say "
                           "what must go on working.\n");
    tell_all(t, 0, &r, NULL);
    tell_all(t, 1, &d, &cut);
    return true;
}

const struct tool tool_what_breaks = {
    .name = "what_breaks",
    .title = "What breaks on a switch to another model?",
    .text = "Compares two models and judges a switch: what is lost and gained, prices, and whether "
            "what you `need`, a `request` (the body as the new provider would get it) or a "
            "conversation so far (`history`) survives on the new one, with a model that would "
            "fit if not. Use it before you change a model name or a provider.",
    .op = "negotiate",
    .in = "request dialect history unknown",
    .own = "{\"from\":{\"type\":\"string\",\"description\":\"the model in use, "
           "\\\"provider/model\\\"\"},\"to\":{\"type\":\"string\",\"description\":\"the new one\"},"
           "\"need\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":"
           "\"capabilities that must be there, e.g. tool_calling\"}," LIMIT_ARG("40") "}",
    .needed = "from to",
    .part = {{"negotiate", "verdict missing warnings findings params_affected suggestion identity",
              "required_by path rule confidence evidence at source"},
             {"diff", "a b gains losses changes", ""}},
    .run = what_breaks,
};
