/*
 * cmd_check.c - cando check: will this request be taken by that model?
 *
 * Findings are the result and go to stdout, each with its line and a caret; the
 * summary goes to stderr. The exit code is the answer.
 */
#include "base/limits.h"
#include "request.h"

struct ask {
    const char *api;
    bool strict;
    cando_severity least;
};

static const struct option_row options[] = {
    {REQUEST_API(api)},
    {FLAG("strict", strict, "warnings count as errors")},
    {SETS("quiet", least, CANDO_WARNING, "leave notes out"), .letter = 'q'},
    {JSON("print the reply of the operation preflight")},
    {.more = engine_options},
};

static void put_summary(const cando_tokens *t, const size_t count[3], cando_severity least)
{
    fflush(stdout);
    out_counts(stderr, count[CANDO_ERROR], count[CANDO_WARNING],
               least > CANDO_NOTE ? 0 : count[CANDO_NOTE]);
    if (t->expected)
        out_to(stderr, "; about %'ju tokens (%'ju to %'ju)", (uintmax_t)t->expected,
               (uintmax_t)t->low, (uintmax_t)t->high);
    fputc('\n', stderr);
}

static int check_file(struct call *c, const char *path)
{
    const struct ask *k = c->ask;
    struct request_file f;
    size_t count[3];
    int code = request_read(&f, path, LIMIT_LINE_BYTES);
    if (code != EXIT_YES)
        return code;
    const cando_preflight_answer *a = request_ask(c, &f, c->operand[0], k->api, false);
    if (a) {
        request_findings(c->json ? NULL : stdout, &f, a, k->least, count);
        if (call_page(c, "preflight", a))
            put_summary(a->tokens, count, k->least);
        code = call_end(c, a->verdict != CANDO_REJECTED && !count[CANDO_ERROR] &&
                               !(k->strict && count[CANDO_WARNING]));
    }
    cando_room_clear(c->room);
    request_free(&f);
    return a ? code : c->code;
}

static int check(struct call *c)
{
    return c->n == 1 ? call_usage(c, "which file?") : EXIT_YES;
}

static int run(struct call *c)
{
    int code = EXIT_YES;
    for (int i = 1; i < c->n && code <= EXIT_NO; i++) {
        int one = check_file(c, c->operand[i]);
        code = one > code ? one : code;
    }
    return code;
}

const struct verb verb_check = {
    .name = "check",
    .summary = "will a request be taken by a model, and if not, why and where",
    .usage = "[OPTION]... PROVIDER/MODEL FILE...",
    .text = "Reads a request in the form that it would be sent in (- is the standard input) "
            "and says everything that would go wrong, each with its line and a hint. The API "
            "is found by the request's shape.\n\n"
            "With - in place of the model the request is judged as its API's own vendor would "
            "judge it, whatever the model.\n\n"
            "The exit code is 1 if the request would be refused as it is, with --strict also "
            "if there are warnings. cando fix repairs what can be repaired; cando explain "
            "CODE says more about a finding.",
    .options = options,
    .ask = sizeof(struct ask),
    .least = 1,
    .most = MANY,
    .too_few = "which model, and which file?",
    .opens = OPENS_CATALOG,
    .check = check,
    .run = run,
};
