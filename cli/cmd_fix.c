/*
 * cmd_fix.c - cando fix: the same request, repaired.
 *
 * The repaired request is the result and goes to stdout or into a file, all bytes
 * that are not changed as they were; what was changed goes to stderr.
 */
#include "base/file.h"
#include "request.h"
#include "verb.h"

enum { OPTION_LOSSY = OPTION_LONG, OPTION_IN_PLACE };

static const struct option_row options[] = {
    {'d', "dialect", "NAME", API_REQUEST_WORDS,
     "the API that the request is for, where its shape does not tell"},
    {OPTION_LOSSY, "lossy", NULL, NULL,
     "also repairs that lose something: parameters dropped, numbers moved into their range"},
    {'o', "output", "FILE", NULL, "write here instead of to stdout"},
    {OPTION_IN_PLACE, "in-place", NULL, NULL, "write into the file itself"},
    ENGINE_OPTIONS,
    {0},
};

/* "move /max_tokens to /max_completion_tokens", a line a change. */
static void put_changes(const char *path, const cando_preflight_answer *a)
{
    fprintf(stderr, "%s: changed\n", path);
    for (size_t i = 0; i < a->n_changes; i++) {
        const cando_patch *x = &a->changes[i];
        fprintf(stderr, "  %s ", x->op);
        if (x->from) {
            out_safe(stderr, str_of(x->from));
            fputs(" to ", stderr);
        }
        out_safe(stderr, str_of(x->path));
        if (x->value.p) {
            fputs(" = ", stderr);
            out_safe(stderr, str_make(x->value.p, x->value.n));
        }
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
    if (!output) {
        fwrite(text.p, 1, text.n, stdout);
        if (text.n == 0 || text.p[text.n - 1] != '\n')
            fputc('\n', stdout);
        return EXIT_YES;
    }
    cando_status st = file_replace(output, text.p, text.n, NULL, &err);
    if (st == CANDO_OK)
        return EXIT_YES;
    out_error(&err);
    return (int)st;
}

static int fix_file(struct engine *e, const char *target, const char *api, bool lossy,
                    const char *path, const char *output)
{
    struct request_file f;
    const cando_preflight_answer *a;
    size_t count[3];
    int code = request_read(&f, path);
    if (code != EXIT_YES)
        return code;
    code = request_ask(e, &f, target, api, lossy, &a);
    if (code == EXIT_YES && a->verdict == CANDO_REJECTED) {
        request_findings(stderr, &f, a, CANDO_ERROR, count);
        fprintf(stderr, "%s: not repaired%s\n", f.path,
                lossy || !lossy_helps(a) ? "" : "; --lossy would do it");
        code = EXIT_NO;
    } else if (code == EXIT_YES) {
        bool rewritten = a->verdict == CANDO_REWRITE;
        if (rewritten)
            put_changes(f.path, a);
        else
            fprintf(stderr, "%s: nothing to repair\n", f.path);
        code = put_request(
            rewritten ? str_make(a->request.p, a->request.n) : str_make(f.text, f.len), output);
    }
    request_free(&f);
    return code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct engine e;
    const char *api = NULL, *output = NULL;
    bool lossy = false, in_place = false;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_LOSSY)
            lossy = true;
        else if (id == OPTION_IN_PLACE)
            in_place = true;
        else if (id == 'o')
            output = a.value;
        else if (id == 'd' && args_word(&a, id))
            api = a.value;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest != 2)
        return args_usage(&a, a.n_rest < 2 ? "which model, and which file?" : "one file at a time");
    if (in_place && (output || strcmp(a.rest[1], "-") == 0))
        return args_usage(&a, "--in-place needs a file, and no --output");
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = fix_file(&e, strcmp(a.rest[0], "-") == 0 ? NULL : a.rest[0], api, lossy, a.rest[1],
                        in_place ? a.rest[1] : output);
    engine_close(&e);
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
    .run = run,
};
