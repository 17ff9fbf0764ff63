/*
 * cmd_fix.c - cando fix: the same request, repaired.
 *
 * The repaired request is the result and goes to stdout or into a file, all bytes
 * that are not changed as they were; what was changed goes to stderr.
 */
#include "base/file.h"
#include "base/limits.h"
#include "request.h"

struct ask {
    const char *api, *output;
    bool lossy, in_place;
};

static const struct option_row options[] = {
    {REQUEST_API(api)},
    {FLAG("lossy", lossy,
          "also repairs that lose something: parameters dropped, numbers moved into their range")},
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

/* Would --lossy repair it? Only if there is a repair for every error. */
static bool lossy_helps(const cando_preflight_answer *a)
{
    for (size_t i = 0; i < a->n_findings; i++) {
        const cando_finding *x = &a->findings[i];
        if (x->severity == CANDO_ERROR && x->fix != CANDO_FIX_SAFE && x->fix != CANDO_FIX_LOSSY)
            return false;
    }
    return true;
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

static int put_answer(const struct ask *k, const struct request_file *f,
                      const cando_preflight_answer *a)
{
    size_t count[3];
    if (a->verdict == CANDO_REJECTED) {
        request_findings(stderr, f, a, CANDO_ERROR, count);
        out_to(stderr, "%s: not repaired%s\n", f->path,
               k->lossy || !lossy_helps(a) ? "" : "; --lossy would do it");
        return EXIT_NO;
    }
    const char *output = k->in_place ? f->path : k->output;
    if (a->verdict == CANDO_REWRITE) {
        put_changes(f->path, a);
        return put_request(str_make(a->request.p, a->request.n), output);
    }
    out_to(stderr, "%s: nothing to repair\n", f->path);
    return put_request(str_make(f->text, f->len), output);
}

static int check(struct call *c)
{
    const struct ask *k = c->ask;
    if (k->in_place && (k->output || strcmp(c->operand[1], "-") == 0))
        return call_usage(c, "--in-place needs a file, and no --output");
    return EXIT_YES;
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    struct request_file f;
    int code = request_read(&f, c->operand[1], LIMIT_LINE_BYTES);
    if (code != EXIT_YES)
        return code;
    cando_name name = {.model = c->operand[0]};
    cando_preflight_question q = {.api = k->api, .fix = k->lossy};
    if (strcmp(name.model, "-") != 0)
        q.target = &name;
    const cando_preflight_answer *a = request_ask(c, &f, q);
    code = a ? put_answer(k, &f, a) : c->code;
    request_free(&f);
    return code;
}

const struct verb verb_fix = {
    .name = "fix",
    .summary = "repairs a request for a model and says what was changed",
    .usage = "[OPTION]... PROVIDER/MODEL FILE",
    .text = "Writes the request with what can be repaired repaired: parameters under the name "
            "that the model takes, roles and words replaced by their equivalents. Everything "
            "else stays as it is, byte for byte. The changes are listed on stderr.\n\n"
            "Without --lossy only what keeps the meaning is changed. If the request would be "
            "refused all the same, nothing is written and the exit code is 1.",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(2, 2, "which model, and which file?", "one file at a time"),
    .opens = OPENS_CATALOG,
    .check = check,
    .run = run,
};
