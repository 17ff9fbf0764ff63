/*
 * cmd_fix.c - cando fix: the same request, repaired.
 *
 * The repaired request is the result and goes to stdout or into a file, all bytes
 * that are not changed as they were; what was changed goes to stderr.
 */
#include "base/file.h"
#include "request.h"
#include "suggest.h"

#include <unistd.h>

struct ask {
    cando_preflight_question q;
    const char *const *headers;
    size_t n_headers;
    const char *output;
    bool in_place;
};

static const struct option_row options[] = {
    {REQUEST_API(q.api)},
    {REQUEST_PROVIDER(q.provider)},
    {FLAG("lossy", q.fix,
          "also repairs that lose something: parameters dropped, numbers moved into their range")},
    {COMMAS("allow", q.allow, q.n_allow, "CODE",
            "only such repairs as mend findings with this code; several with commas")},
    {REQUEST_BETA(q.betas, q.n_betas)},
    {REQUEST_HEADER(headers, n_headers)},
    {TEXT("at", q.at, "DAY", "whether a model has ended is judged as of this day")},
    {TEXT("output", output, "FILE", "write here instead of to stdout"), .letter = 'o'},
    {FLAG("in-place", in_place, "write into the file itself")},
    {.more = engine_options},
};

/* "move /max_tokens to /max_completion_tokens", a line a change. */
static void put_changes(const char *path, const cando_preflight_answer *a)
{
    out_to(stderr, "%s: changed\n", path);
    for (size_t i = 0; i < a->n_changes; i++) {
        const cando_patch *x = &a->changes[i];
        out_to(stderr, "  %s " MAYBE("%s to ") "%s%s", x->op, x->from, x->path,
               x->value.p ? " = " : "");
        out_safe(stderr, str_make(x->value.p, x->value.n));
        fputc('\n', stderr);
    }
}

static bool is_named(const struct ask *k, const char *code)
{
    for (size_t i = 0; i < k->q.n_allow; i++)
        if (strcmp(k->q.allow[i], code) == 0)
            return true;
    return false;
}

/* Why it was not repaired; NULL: it was. */
static const char *why_left(const cando_finding *x, bool after)
{
    static const char none[] = "no repair is known";
    switch (x->fix) {
    case CANDO_FIX_NONE:
    case CANDO_FIX_ADVICE:
        return x->hint ? x->hint : none;
    case CANDO_FIX_LOSSY:
        return "--allow";
    default:
        return x->severity == CANDO_NOTE ? "--allow" : after ? none : NULL;
    }
}

/* "  left /top_k: the model takes no top_k; --allow parameter-unsupported would do it", a line for
 * all that is not repaired. Is there an error that nothing mends? */
static bool put_left(const struct ask *k, const cando_finding *list, size_t n, bool after,
                     cando_severity least)
{
    bool stays = false;
    for (size_t i = 0; i < n; i++) {
        const cando_finding *x = &list[i];
        const char *why = why_left(x, after);
        bool allow = why && strcmp(why, "--allow") == 0;
        if (!why || (allow && (k->q.fix || is_named(k, x->code))) || x->severity < least)
            continue;
        stays |= x->severity == CANDO_ERROR && !allow;
        char text[2000];
        snprintf(text, sizeof text, "%s: %s; %s%s%s%s", *x->path ? x->path : "the request itself",
                 x->message, why, allow ? " " : "", allow ? x->code : "",
                 allow ? " would do it" : "");
        fputs("  left ", stderr);
        out_note(stderr, str_of(text), 6, 7);
    }
    return stays;
}

static int put_request(struct str text, const char *output)
{
    cando_error err;
    if (output)
        return file_replace(output, text.p, text.n, NULL, &err) == CANDO_OK ? EXIT_YES : fail(&err);
    fwrite(text.p, 1, text.n, stdout);
    if (text.n == 0 || text.p[text.n - 1] != '\n')
        fputc('\n', stdout);
    return EXIT_YES;
}

/* What was judged is not what the request says, and that stays. */
static void put_judged(const struct ask *k, const struct request_file *f,
                       const cando_preflight_answer *a)
{
    char other[LIMIT_NAME_BYTES + 1];
    if (k->q.target && request_names(f, k->q.target->model, other))
        out_notef(stderr, 4, "%s: the request names %s, which stays, and was judged for %s as %s",
                  f->path, other, k->q.target->model, a->api);
}

static int put_answer(const struct ask *k, const struct request_file *f,
                      const cando_preflight_answer *a)
{
    if (a->verdict == CANDO_REJECTED) {
        out_to(stderr, "%s: not repaired\n", f->path);
        bool stays = put_left(k, a->findings, a->n_findings, false, CANDO_ERROR);
        stays |= put_left(k, a->left, a->n_left, true, CANDO_ERROR);
        if (!stays && !k->q.fix)
            out_to(stderr, "  --lossy would do all of it\n");
        return EXIT_NO;
    }
    const char *output = k->in_place ? f->path : k->output;
    bool changed = a->verdict == CANDO_REWRITE;
    if (changed)
        put_changes(f->path, a);
    else
        out_to(stderr, "%s: nothing to repair\n", f->path);
    put_left(k, changed ? a->left : a->findings, changed ? a->n_left : a->n_findings, changed,
             CANDO_NOTE);
    return put_request(changed ? str_make(a->request.p, a->request.n) : str_make(f->text, f->len),
                       output);
}

static int check(struct call *c)
{
    const struct ask *k = c->ask;
    if (k->in_place && (k->output || strcmp(c->operand[c->n - 1], "-") == 0))
        return call_usage(c, "--in-place needs a file, and no --output");
    if (c->n == 2 && access(c->operand[0], F_OK) == 0)
        return call_usage(c, "one file at a time, and the model before it");
    if (c->n == 2 && strcmp(c->operand[0], "-") != 0 && !request_may_be_model(c->operand[0]))
        return request_no_file(c, c->operand[0]);
    return EXIT_YES;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    struct request_file f;
    int code = request_headers(c, k->headers, k->n_headers, &k->q.headers);
    if (code == EXIT_YES)
        code = request_read(&f, c->operand[c->n - 1], LIMIT_LINE_BYTES);
    if (code != EXIT_YES)
        return code;
    cando_name name = {.model = c->operand[0]};
    if (c->n == 2 && strcmp(name.model, "-") != 0) {
        name.model = suggest_target(c, name.model);
        k->q.target = &name;
    }
    if (!name.model) {
        request_free(&f);
        return EXIT_QUESTION;
    }
    const cando_preflight_answer *a = request_ask(c, &f, k->q);
    if (a)
        put_judged(k, &f, a);
    code = a ? put_answer(k, &f, a) : c->code;
    request_free(&f);
    return code;
}

const struct verb verb_fix = {
    .name = "fix",
    .summary = "repairs a request, and says what was changed",
    .usage = "[OPTION]... [PROVIDER/MODEL] FILE",
    .text =
        "Writes the request with what can be repaired repaired: parameters under the name "
        "that the model takes, roles and words replaced by their equivalents. Everything "
        "else stays as it is, byte for byte. The changes are listed on stderr. Without a model it "
        "is the one that the request names, as for cando check.\n\n"
        "Only what keeps the meaning is changed, and with --allow CODE what loses something "
        "for findings with that code, with --lossy for all. What is left is listed, each with "
        "the reason. If the request would be refused all the same, nothing is written and the "
        "exit code is 1.",
    .examples = "cando fix request.json -o fixed.json\n"
                "cando fix openai/gpt-5 request.json --in-place\n"
                "cando fix --lossy request.json",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(1, 2, "which file?", "one file at a time"),
    .opens = OPENS_CATALOG,
    .requests = true,
    .check = check,
    .run = run,
};
