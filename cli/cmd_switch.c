/*
 * cmd_switch.c - cando switch: may a session go to this model?
 */
#include "base/limits.h"
#include "decide.h"
#include "request.h"

#include <stdlib.h>

enum {
    OPTION_JSON = OPTION_LONG,
    OPTION_SESSION,
    OPTION_REQUEST,
    OPTION_NEED,
    OPTION_WANT,
    OPTION_FROM,
    OPTION_PARAMS,
    OPTION_HISTORY,
    OPTION_CLAIMS,
    OPTION_FORM,
    OPTION_UNKNOWN,
};

static const struct option_row options[] = {
    {OPTION_SESSION, "session", "FILE", NULL, "the session's sources, as JSON; \"-\" is stdin"},
    {OPTION_REQUEST, "request", "FILE", NULL, "instead: a request whose needs they are, as JSON"},
    {'d', "dialect", "NAME", REQUEST_API_WORDS, "the API that the request is for, where its shape does not tell"},
    {OPTION_NEED, "need", "NAME", NULL, "a hard need, NAME=N with a least number; may be repeated"},
    {OPTION_WANT, "want", "NAME", NULL, "the same, but only preferred"},
    {OPTION_FROM, "from", "TARGET", NULL, "the model that is in force now"},
    {OPTION_PARAMS, "params", "FILE", NULL, "the session's parameters, as JSON"},
    {OPTION_HISTORY, "history", "FILE", NULL, "the conversation so far, as JSON of any dialect"},
    {OPTION_CLAIMS, "claims", "FILE", NULL, "what the provider claims of the model, as JSON"},
    {OPTION_FORM, "claims-form", "FORM", "claims manifest model_ref cando", "the form of these claims"},
    {OPTION_UNKNOWN, "unknown", "WORD", "warn allow deny", "what an unknown capability does to a hard need"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation negotiate"},
    ENGINE_OPTIONS,
    {0},
};

struct ask {
    const char *session, *request, *api, *from, *params, *history, *claims, *form, *unknown;
    struct values need, want;
    bool json;
};

static void put_requirement(struct buf *q, const char *spec, const char *level, bool *more)
{
    const char *eq = strchr(spec, '=');
    buf_putz(q, *more ? "," : "");
    *more = true;
    buf_putz(q, "{\"name\":");
    out_quoted(q, str_make(spec, eq ? (size_t)(eq - spec) : strlen(spec)));
    buf_printf(q, ",\"level\":\"%s\"", level);
    if (eq) {
        bool number = eq[1] != '\0';
        for (const char *z = eq + 1; *z; z++)
            number &= char_is_digit(*z);
        buf_putz(q, ",\"minimum\":");
        if (number)
            buf_printf(q, "%llu", strtoull(eq + 1, NULL, 10));
        else
            out_quoted(q, str_of(eq + 1));
    }
    buf_putz(q, ",\"required_by\":\"command line\"}");
}

static int build(const struct engine *e, const struct ask *a, const char *target, struct buf *q)
{
    int code = EXIT_YES;
    buf_putz(q, "{\"op\":\"negotiate\",\"target\":");
    out_quoted(q, str_of(target));
    if (a->need.n || a->want.n) {
        bool more = false;
        buf_putz(q, ",\"requirements\":[");
        for (size_t i = 0; i < a->need.n; i++)
            put_requirement(q, a->need.v[i], "hard", &more);
        for (size_t i = 0; i < a->want.n; i++)
            put_requirement(q, a->want.v[i], "preferred", &more);
        buf_putc(q, ']');
    }
    if (a->session)
        code = put_file(e, q, "session", a->session);
    if (code == EXIT_YES && a->request)
        code = put_file(e, q, "request", a->request);
    if (a->api)
        buf_printf(q, ",\"dialect\":\"%s\"", a->api);
    if (code == EXIT_YES && a->params)
        code = put_file(e, q, "params", a->params);
    if (code == EXIT_YES && a->history)
        code = put_file(e, q, "history", a->history);
    if (code == EXIT_YES && a->claims)
        code = put_file(e, q, "profile", a->claims);
    if (a->form)
        buf_printf(q, ",\"profile_form\":\"%s\"", a->form);
    if (a->from) {
        buf_putz(q, ",\"previous\":");
        out_quoted(q, str_of(a->from));
    }
    if (a->unknown)
        buf_printf(q, ",\"unknown\":\"%s\"", a->unknown);
    return code;
}

static void put_item(struct str item, const char *tail, enum style style, struct buf *b)
{
    fputs("  ", stdout);
    out_cell(stdout, style, text_of(item, "capability", b), 20);
    fputs(" needs at least ", stdout);
    pull_words(pull_get(item, "need"), b);
    out_safe(stdout, str_make(b->p, b->n));
    fputs(", has ", stdout);
    pull_words(pull_get(item, "have"), b);
    out_safe(stdout, str_make(b->p, b->n));
    struct str by = text_of(item, "required_by", b);
    if (by.n) {
        fputs("; required by ", stdout);
        out_safe(stdout, by);
    }
    if (tail) {
        fputs("; ", stdout);
        out_safe(stdout, text_of(item, tail, b));
    }
    fputc('\n', stdout);
}

static void put_param(struct str item, struct buf *b)
{
    fputs("  ", stdout);
    bool first = true;
    for (struct str at = pull_get(item, "param_path"), v; pull_next(&at, NULL, &v); first = false) {
        if (!first)
            fputc('.', stdout);
        buf_clear(b);
        pull_string(v, b);
        out_safe(stdout, str_make(b->p ? b->p : "", b->n));
    }
    fputs(" will not apply: ", stdout);
    out_safe(stdout, text_of(item, "reason", b));
    fputs(" (from ", stdout);
    out_safe(stdout, text_of(item, "source_layer", b));
    fputs(")\n", stdout);
}

static void put_finding(struct str item, struct buf *b)
{
    bool bad = str_is(text_of(item, "severity", b), "error");
    fputs("  ", stdout);
    out_cell(stdout, bad ? STYLE_BAD : STYLE_WARN, text_of(item, "code", b), 20);
    fputc(' ', stdout);
    struct str path = text_of(item, "path", b);
    out_safe(stdout, path.n ? path : STR("the history"));
    fputs(": ", stdout);
    out_safe(stdout, text_of(item, "message", b));
    struct str fix = text_of(item, "fix", b);
    if (fix.n) {
        fputs("; ", stdout);
        out_safe(stdout, fix);
    }
    fputc('\n', stdout);
}

static int put_page(struct str result, struct buf *b)
{
    struct str verdict = text_of(result, "verdict", b);
    bool rejected = str_is(verdict, "rejected");
    out_cell(stdout, rejected ? STYLE_BAD : str_is(verdict, "degraded") ? STYLE_WARN : STYLE_GOOD, verdict, 0);
    fputs(": ", stdout);
    out_safe(stdout, text_of(result, "target", b));
    fputc('\n', stdout);
    for (struct str at = pull_get(result, "missing"), v; pull_next(&at, NULL, &v);)
        put_item(v, NULL, STYLE_BAD, b);
    for (struct str at = pull_get(result, "warnings"), v; pull_next(&at, NULL, &v);)
        put_item(v, "reason", STYLE_WARN, b);
    for (struct str at = pull_get(result, "findings"), v; pull_next(&at, NULL, &v);)
        put_finding(v, b);
    for (struct str at = pull_get(result, "params_affected"), v; pull_next(&at, NULL, &v);)
        put_param(v, b);
    struct str active = text_of(result, "active", b);
    if (rejected && active.n) {
        fputs("still on ", stdout);
        out_safe(stdout, active);
        fputc('\n', stdout);
    }
    struct str suggestion = text_of(result, "suggestion", b);
    if (suggestion.n) {
        fputs("would fit: ", stdout);
        out_safe(stdout, suggestion);
        fputc('\n', stdout);
    }
    return rejected ? EXIT_NO : EXIT_YES;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct ask k = {0};
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            k.json = true;
        else if (id == OPTION_SESSION)
            k.session = a.value;
        else if (id == OPTION_REQUEST)
            k.request = a.value;
        else if (id == 'd' && args_word(&a, id))
            k.api = a.value;
        else if (id == OPTION_FROM)
            k.from = a.value;
        else if (id == OPTION_PARAMS)
            k.params = a.value;
        else if (id == OPTION_HISTORY)
            k.history = a.value;
        else if (id == OPTION_CLAIMS)
            k.claims = a.value;
        else if (id == OPTION_FORM && args_word(&a, id))
            k.form = a.value;
        else if (id == OPTION_UNKNOWN && args_word(&a, id))
            k.unknown = a.value;
        else if (id == OPTION_NEED && values_add(&k.need, a.value))
            continue;
        else if (id == OPTION_WANT && values_add(&k.want, a.value))
            continue;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest != 1)
        return args_usage(&a, a.n_rest ? "one target at a time" : "to which model?");
    int code = engine_open(&e);
    if (code != EXIT_YES) {
        engine_close(&e);
        return code;
    }
    struct buf q, b;
    struct str reply = STR_NONE, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    code = build(&e, &k, a.rest[0], &q);
    if (code == EXIT_YES)
        code = decide_ask(&e, &q, k.json, &reply, &result);
    if (code == EXIT_YES)
        code = k.json ? (str_is(text_of(result, "verdict", &b), "rejected") ? EXIT_NO : EXIT_YES) : put_page(result, &b);
    engine_done(&e, reply);
    buf_free(&q);
    buf_free(&b);
    engine_close(&e);
    return code;
}

const struct verb verb_switch = {
    .name = "switch",
    .summary = "may a session go to this model, and what would it lose?",
    .usage = "[OPTION]... PROVIDER/MODEL",
    .text = "Negotiates what a session needs against what the model has. Rejected (exit code 1) if a hard need is not met; degraded, and "
            "still accepted, if a preferred one is not or nobody knows. With --history also what of the conversation the model would "
            "refuse (rejected) or lose (degraded).\n\n"
            "Nothing is picked by itself: a model that would fit is only named.",
    .options = options,
    .run = run,
};
