/*
 * cmd_check.c - cando check: will this request be taken by that model?
 *
 * Findings are the result and go to stdout, each with its line and a caret; the
 * summary goes to stderr. The exit code is the answer.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/limits.h"
#include "request.h"

#include <unistd.h>

struct ask {
    cando_preflight_question q;
    cando_number warnings; /* so many are fine; unknown: all */
    cando_severity least;
};

static const struct option_row options[] = {
    {REQUEST_API(q.api)},
    {TEXT("provider", q.provider, "NAME",
          "without a model: who has the one that the request names")},
    {REQUEST_BETA(q.betas, q.n_betas)},
    {TEXT("at", q.at, "DAY", "whether a model has ended is judged as of this day")},
    {FLAG("strict", q.strict, "warnings count as errors")},
    {NUMBER("max-warnings", warnings, "N", "more warnings than this count as an error")},
    {SETS("quiet", least, CANDO_WARNING, "leave notes out"), .letter = 'q'},
    {JSON("print the reply of the operation preflight")},
    {.more = engine_options},
};

static void put_summary(const char *path, const cando_tokens *t, const size_t count[3],
                        cando_severity least)
{
    fflush(stdout);
    out_to(stderr, "%s: ", path);
    out_counts(stderr, count[CANDO_ERROR], count[CANDO_WARNING],
               least > CANDO_NOTE ? 0 : count[CANDO_NOTE]);
    if (t->expected)
        out_to(stderr, "; about %'ju tokens (%'ju to %'ju)", t->expected, t->low, t->high);
    fputc('\n', stderr);
}

/* Is it fine, as far as the options go? */
static bool passes(const struct ask *k, const cando_preflight_answer *a, const size_t count[3])
{
    if (a->verdict == CANDO_REJECTED || count[CANDO_ERROR])
        return false;
    if (k->q.strict && count[CANDO_WARNING])
        return false;
    return !k->warnings.known || count[CANDO_WARNING] <= k->warnings.value;
}

static int check_file(struct call *c, const char *path)
{
    const struct ask *k = c->ask;
    struct request_file f;
    size_t count[3];
    int code = request_read(&f, path, LIMIT_LINE_BYTES);
    if (code != EXIT_YES)
        return code;
    const cando_preflight_answer *a = request_ask(c, &f, k->q);
    if (a) {
        request_findings(c->json ? NULL : stdout, &f, a, k->least, count);
        if (call_page(c, "preflight", a))
            put_summary(f.path, a->tokens, count, k->least);
        code = call_end(c, passes(k, a, count));
    }
    cando_room_clear(c->room);
    request_free(&f);
    return a ? code : c->code;
}

/* What is there is a request, and so is what is called like one; else it is a model. */
static bool is_model(const char *operand)
{
    struct str s = str_of(operand);
    if (access(operand, F_OK) == 0 || str_ends(s, STR(".json")))
        return false;
    return str_find_char(s, '/') < s.n || str_find_char(s, ':') < s.n;
}

static int check(struct call *c)
{
    if (c->n == 0 && isatty(STDIN_FILENO))
        return call_usage(c, "which request?");
    return EXIT_YES;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    cando_name name = {.model = c->n ? c->operand[0] : ""};
    bool model = c->n && is_model(c->operand[0]);
    bool nobody = c->n > 1 && strcmp(c->operand[0], "-") == 0;
    int code = EXIT_YES, first = model || nobody;
    if (model)
        k->q.target = &name;
    if (first == c->n)
        return check_file(c, "-");
    for (int i = first; i < c->n && code <= EXIT_NO; i++) {
        int one = check_file(c, c->operand[i]);
        code = one > code ? one : code;
    }
    return code;
}

const struct verb verb_check = {
    .name = "check",
    .summary = "will a request be taken by a model, and if not, why and where",
    .usage = "[OPTION]... [PROVIDER/MODEL] [FILE...]",
    .text = "Reads a request in the form that it would be sent in (- is the standard input) "
            "and says everything that would go wrong, each with its line and a hint. The API "
            "is found by the request's shape.\n\n"
            "Without a model it is the one that the request names, at --provider, or at the API's "
            "own vendor if that has it. An operand that is a file is a request, whatever it looks "
            "like.\n\n"
            "The exit code is 1 if the request would be refused as it is, with --strict also "
            "if there are warnings, with --max-warnings if there are more. cando fix repairs what "
            "can be repaired; cando explain "
            "CODE says more about a finding.",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .opens = OPENS_CATALOG,
    .check = check,
    .run = run,
};
