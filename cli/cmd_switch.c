/*
 * cmd_switch.c - cando switch: may a session go to this model?
 */
#include "base/limits.h"
#include "request.h"
#include "suggest.h"

#include <stdlib.h>

struct ask {
    const char *session, *request, *params, *history, *claims;
    const char *const *need, *const *want;
    size_t n_need, n_want;
    bool strict;
    cando_name from;
    cando_negotiate_question q;
};

static const struct option_row options[] = {
    {TEXT("session", session, "FILE", "the session's sources, as JSON; \"-\" is stdin")},
    {TEXT("request", request, "FILE", "instead: a request that shall run there, as JSON")},
    {REQUEST_API(q.api)},
    {COMMAS("need", need, n_need, "LIST",
            "hard needs, NAME=N with a least number; may be repeated")},
    {COMMAS("want", want, n_want, "LIST", "the same, but only preferred")},
    {TEXT("from", from.model, "PROVIDER/MODEL", "the model that is in force now, as FROM")},
    {TEXT("params", params, "FILE", "the session's parameters, as a JSON object")},
    {TEXT("history", history, "FILE", "the conversation so far, as JSON of any dialect")},
    {TEXT("claims", claims, "FILE", "what the provider claims of the model, as JSON")},
    {WORD("claims-form", q.profile_form, "FORM", "claims manifest model_ref cando",
          "the form of these claims"),
     .value = 1},
    {WORD("unknown", q.unknown, "WORD", "warn allow deny",
          "what an unknown capability does to a hard need")},
    {FLAG("strict", strict, "a provider or a model that is not known is rejected, too")},
    {FLAG("spawn", q.spawn, "the session is a child that is about to begin there")},
    {JSON("print the reply of the operation negotiate")},
    {.more = engine_options},
};

/* NAME, or NAME=N. */
static cando_status put_requirement(struct call *c, const char *spec, cando_level level,
                                    cando_requirement *out)
{
    struct str text = str_of(spec),
               name = str_dup(&c->ar, str_head(text, str_find_char(text, '=')));
    *out = (cando_requirement){.name = name.p, .level = level, .required_by = "command line"};
    if (!name.p)
        return error_memory(&c->err);
    if (name.n == text.n)
        return CANDO_OK;
    const char *digits = spec + name.n + 1;
    char *end;
    out->minimum = (cando_number){strtoull(digits, &end, 10), true};
    if (char_is_digit(*digits) && !*end && out->minimum.value && out->minimum.value <= LIMIT_NUMBER)
        return CANDO_OK;
    return error_set(&c->err, CANDO_BAD_QUESTION, CODE_bad_argument,
                     "'minimum' must be a whole number of at least 1");
}

/* The needs of the command line. */
static cando_status put_requirements(struct call *c, struct ask *k)
{
    size_t n = k->n_need + k->n_want;
    cando_requirement *list = arena_array(&c->ar, n, sizeof *list);
    cando_status st = list ? CANDO_OK : error_memory(&c->err);
    for (size_t i = 0; st == CANDO_OK && i < n; i++) {
        bool hard = i < k->n_need;
        st = put_requirement(c, hard ? k->need[i] : k->want[i - k->n_need],
                             hard ? CANDO_HARD : CANDO_PREFERRED, &list[i]);
    }
    k->q.requirements = n ? list : NULL;
    k->q.n_requirements = n;
    return st;
}

static int put_files(struct call *c, struct ask *k)
{
    const struct {
        const char *member, *path;
    } file[] = {
        {"session", k->session}, {"request", k->request}, {"params", k->params},
        {"history", k->history}, {"profile", k->claims},
    };
    int code = EXIT_YES;
    for (size_t i = 0; code == EXIT_YES && i < COUNT_OF(file); i++)
        code = request_member(c, "negotiate", file[i].member, file[i].path, &k->q);
    return code;
}

static void add_amount(struct buf *b, const char *before, const cando_amount *a)
{
    char digits[32];
    buf_putz(b, before);
    if (!a->known)
        buf_putz(b, "unknown");
    else if (a->type == CANDO_NUMBER)
        buf_puts(b, out_number(a->number, digits));
    else if (a->type == CANDO_SUPPORT)
        buf_putz(b, a->level);
    else if (!a->n_words)
        buf_putz(b, "none");
    for (size_t i = 0; a->known && i < a->n_words; i++)
        buf_printf(b, "%s%s", i ? ", " : "", a->words[i]);
}

/* A name, and what is to be said of it, on as many lines as a terminal needs. */
static void put_named(const char *name, enum style style, struct buf *b)
{
    enum { AT = 23 };
    size_t n = strlen(name);
    out("  %c%-20s" END " ", style, name);
    out_note(stdout, STR_IN(*b), AT, n > AT - 3 ? n + 3 : AT);
}

static void put_unmet(const cando_unmet *x, bool missing, struct arena *ar)
{
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    add_amount(&b, "needs at least ", &x->need);
    add_amount(&b, ", has ", &x->have);
    if (x->required_by && *x->required_by)
        buf_printf(&b, "; required by %s", x->required_by);
    if (!missing && x->reason && *x->reason)
        buf_printf(&b, "; %s", x->reason);
    put_named(x->capability, missing ? STYLE_BAD : STYLE_WARN, &b);
}

static void put_param(const cando_param_affected *x, struct arena *ar)
{
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < x->n_param_path; i++)
        buf_printf(&b, "%s%s", i ? "." : "", x->param_path[i]);
    buf_printf(&b, " will not apply: %s (from %s)", x->reason, x->source_layer);
    out("  ");
    out_note(stdout, STR_IN(b), 4, 2);
}

static void put_finding(const cando_finding *x, struct arena *ar)
{
    struct buf b;
    bool hint = x->hint && *x->hint;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    buf_printf(&b, "%s: %s%s%s", x->path[0] ? x->path : "the whole", x->message, hint ? "; " : "",
               hint ? x->hint : "");
    put_named(x->code,
              x->severity == CANDO_ERROR     ? STYLE_BAD
              : x->severity == CANDO_WARNING ? STYLE_WARN
                                             : STYLE_DIM,
              &b);
}

static void put_page(const cando_negotiate_answer *a, struct arena *ar)
{
    static const enum style styles[] = {
        [CANDO_ACCEPTED] = STYLE_GOOD, [CANDO_DEGRADED] = STYLE_WARN, [CANDO_REJECTED] = STYLE_BAD};
    out("%c%s" END ": %s\n", styles[a->verdict], verdict_word(a->verdict), a->target);
    for (size_t i = 0; i < a->n_missing; i++)
        put_unmet(&a->missing[i], true, ar);
    for (size_t i = 0; i < a->n_warnings; i++)
        put_unmet(&a->warnings[i], false, ar);
    for (size_t i = 0; i < a->n_findings; i++)
        put_finding(&a->findings[i], ar);
    for (size_t i = 0; i < a->n_params_affected; i++)
        put_param(&a->params_affected[i], ar);
    if (a->verdict == CANDO_REJECTED)
        out(MAYBE("still on %s\n"), a->active);
    out(MAYBE("would fit: %s\n"), a->suggestion);
}

/* Without a need any model will do, which is worth saying. */
static void put_unasked(const struct ask *k)
{
    const cando_negotiate_question *q = &k->q;
    if (k->session || k->request || k->history || k->params || k->claims || q->n_requirements)
        return;
    fflush(stdout);
    out_to(stderr,
           "note: nothing was asked: --request, --history, --session or --need says what\n");
    if (k->from.model)
        out_to(stderr, "      cando diff %s %s compares the two\n", k->from.model,
               q->target->model);
}

/* A provider or a model that is not known degrades, or rejects if one is strict; one that has
 * ended or is denied rejects. With a request there is a finding about it already. */
static void judge_name(struct call *c, const struct ask *k, cando_negotiate_answer *a)
{
    cando_severity grave = CANDO_NOTE;
    size_t i = 0;
    while (i < a->n_findings && !suggest_is_of_model(&a->findings[i]))
        i++;
    if (i == a->n_findings && !k->claims)
        grave = suggest_of_model(c, k->q.target->model, k->strict);
    else if (i < a->n_findings && a->findings[i].severity > CANDO_NOTE && k->strict)
        grave = CANDO_ERROR;
    cando_verdict least = grave == CANDO_ERROR     ? CANDO_REJECTED
                          : grave == CANDO_WARNING ? CANDO_DEGRADED
                                                   : CANDO_ACCEPTED;
    if (a->verdict >= least)
        return;
    a->verdict = least;
    a->active = least == CANDO_REJECTED ? a->previous : a->target;
}

/* A conversation among the models. */
static int no_model(const char *operand)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_target, "'%.200s' is a file, and no model",
              operand);
    error_hint(&err, "--history %.200s if it is a conversation, --request if a request", operand);
    return fail(&err);
}

static int check(struct call *c)
{
    struct ask *k = c->ask;
    for (int i = 0; i < c->n; i++)
        if (str_ends(str_of(c->operand[i]), STR(".json")))
            return no_model(c->operand[i]);
    if (c->n == 2 && k->from.model)
        return call_usage(c, "--from and two models: which is the one in force now?");
    if (c->n == 2)
        k->from.model = c->operand[0];
    return EXIT_YES;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    const char *from = k->from.model;
    cando_name target = {.model = c->operand[c->n - 1]};
    if (from)
        k->from.model = suggest_target(c, from);
    if (!k->claims && (!from || k->from.model)) /* what is claimed needs no catalog */
        target.model = suggest_target(c, target.model);
    if (!target.model || (from && !k->from.model))
        return EXIT_QUESTION;
    if (put_requirements(c, k) != CANDO_OK)
        return fail(&c->err);
    int code = put_files(c, k);
    if (code != EXIT_YES)
        return code;
    k->q.target = &target;
    k->q.previous = k->from.model ? &k->from : NULL;
    const cando_negotiate_answer *said = cando_ask_negotiate(c->engine, &k->q, c->room, &c->err);
    cando_negotiate_answer a = {0};
    if (said) {
        a = *said;
        judge_name(c, k, &a);
    }
    if (call_page(c, "negotiate", said)) {
        put_page(&a, &c->ar);
        put_unasked(k);
    }
    return call_end(c, said && a.verdict != CANDO_REJECTED);
}

static const struct file_form files[] = {
    {"session", "{\"state_machine\":{\"id\":\"review\",\"needs\":[\"structured_output\"]},\n"
                " \"hooks\":[{\"id\":\"mask\",\"kind\":\"guard\",\"on\":\"token\"}],\n"
                " \"security_mode\":{\"kind\":\"allowlist\"}}"},
    {"params", "{\"temperature\":0.2,\"reasoning\":{\"effort\":\"high\"}}"},
    {"history", "{\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}"},
    {"claims", "{\"toolCalling\":\"hard\",\"contextWindow\":200000}"},
    {NULL, NULL},
};

const struct verb verb_switch = {
    .name = "switch",
    .summary = "may a conversation go on with another model, and what is lost?",
    .usage = "[OPTION]... [FROM] PROVIDER/MODEL",
    .text = "Negotiates what a session needs against what the model has. Rejected (exit code 1) "
            "if a hard need is not met; degraded, and still accepted, if a preferred one is not "
            "or nobody knows. With --history also what of the conversation the model would "
            "refuse (rejected) or lose (degraded). With --request its needs, and all that cando "
            "check says of it: what rejects it there rejects. If the model's own API is another "
            "one, also what of the request that API has no member for.\n\n"
            "Nothing is picked by itself: a model that would fit is only named. Nothing is "
            "recorded by itself, either, also where $CANDO_STORE is set: cando audit add reads "
            "what --json prints.",
    .examples = "cando switch openai/gpt-4o anthropic/claude-opus-5 --request request.json\n"
                "cando switch anthropic/claude-opus-5 --history conversation.json\n"
                "cando switch groq/llama-3.3-70b-versatile --need tool_calling",
    .options = options,
    .files = files,
    .ask = sizeof(struct ask),
    OPERANDS(1, 2, "to which model?", "from one model to one other"),
    .opens = OPENS_CATALOG,
    .requests = true,
    .check = check,
    .run = run,
};
