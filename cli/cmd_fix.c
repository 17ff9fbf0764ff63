/*
 * cmd_fix.c - cando fix: the same request, repaired.
 *
 * The repaired request is the result and goes to stdout or into a file, all bytes
 * that are not changed as they were; what was changed goes to stderr. What cannot be
 * repaired keeps nothing else from it: the exit code tells whether it would be taken.
 */
#include "base/file.h"
#include "request.h"
#include "suggest.h"
#include "textdiff.h"
#include "when.h"

#include <unistd.h>

struct ask {
    cando_preflight_question q;
    const char *const *headers;
    size_t n_headers;
    const char *output;
    bool in_place, dry, diff;
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
    {DAY_AHEAD("at", q.at, "DAY",
               "whether a model has ended is judged as of this day, or so far ahead: 90d")},
    {TEXT("output", output, "FILE", "write here instead of to stdout"), .letter = 'o'},
    {FLAG("in-place", in_place, "write into the file itself")},
    {FLAG("dry-run", dry, "write nothing: print what would be changed, a line each")},
    {FLAG("diff", diff, "write nothing: print the changes as a unified diff")},
    {JSON("print the reply of the operation preflight instead of the request")},
    {.more = engine_options},
};

/* "move /max_tokens to /max_completion_tokens", a line a change. */
static void put_changes(FILE *f, const cando_preflight_answer *a)
{
    for (size_t i = 0; i < a->n_changes; i++) {
        const cando_patch *x = &a->changes[i];
        out_to(f, "  %s " MAYBE("%s to ") "%s%s", x->op, x->from, x->path, x->value.p ? " = " : "");
        out_safe(f, STR_IN(x->value));
        fputc('\n', f);
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

/* The file with the new request in it; what stands around it stays. */
static struct str new_text(struct call *c, const struct request_file *f,
                           const cando_preflight_answer *a)
{
    struct str old = str_make(f->text, f->len);
    size_t before = 0, behind = old.n;
    if (!a->request.p)
        return old;
    while (before < old.n && char_is_space(old.p[before]))
        before++;
    while (behind > before && char_is_space(old.p[behind - 1]))
        behind--;
    return str_join(&c->ar, str_head(old, before), STR_IN(a->request), str_from(old, behind));
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

static size_t count_errors(const cando_finding *list, size_t n)
{
    size_t errors = 0;
    for (size_t i = 0; i < n; i++)
        errors += list[i].severity == CANDO_ERROR;
    return errors;
}

/* What was changed, or would be, and what is left. */
static void put_report(const struct ask *k, const struct request_file *f,
                       const cando_preflight_answer *a)
{
    bool changed = a->n_changes, refused = a->verdict == CANDO_REJECTED, try = k->dry || k->diff;
    const cando_finding *left = changed ? a->left : a->findings;
    size_t n = changed ? a->n_left : a->n_findings, errors = count_errors(left, n);
    out_to(stderr, "%s: %s", f->path,
           changed   ? try ? "would be changed" : "changed"
           : refused ? "not repaired"
                     : "nothing to repair");
    if (refused)
        out_to(stderr, ", and would %sbe refused: %zu error" PLURAL " left",
               changed ? "still " : "", errors);
    fputc('\n', stderr);
    if (!k->diff)
        put_changes(k->dry ? stdout : stderr, a);
    fflush(stdout);
    bool stays = put_left(k, left, n, changed || refused, refused ? CANDO_WARNING : CANDO_NOTE);
    if (refused && !stays && !k->q.fix)
        out_to(stderr, "  --lossy would do all of it\n");
}

/* Nothing is written of a request that is refused as it was. */
static int put_answer(struct call *c, const struct request_file *f, const cando_preflight_answer *a)
{
    const struct ask *k = c->ask;
    bool refused = a->verdict == CANDO_REJECTED, dry = k->dry || k->diff;
    const char *output = k->in_place ? f->path : k->output;
    struct str text = new_text(c, f, a);
    if (!text.p)
        return fail_memory();
    if (call_page(c, "preflight", a))
        put_report(k, f, a);
    if (k->diff && !c->json && !textdiff_put(&c->ar, f->path, str_make(f->text, f->len), text))
        return fail_memory();
    bool writes = !dry && (output || !c->json) && (a->n_changes || !refused);
    int code = writes ? put_request(text, output) : EXIT_YES;
    return code == EXIT_YES ? call_end(c, !refused) : code;
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
    k->q.partial = true;
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
    code = a ? put_answer(c, &f, a) : c->code;
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
        "the reason; it keeps nothing else from being repaired.\n\n"
        "The exit code is 0 if the request that is written would be taken, 1 if it would still "
        "be refused. If nothing can be repaired then, nothing is written.",
    .examples = "cando fix request.json -o fixed.json\n"
                "cando fix --diff request.json\n"
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
