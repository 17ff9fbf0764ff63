/*
 * cmd_check.c - cando check: will this request be taken by that model?
 *
 * Findings are the result and go to stdout, each with its line and a caret; the
 * summary goes to stderr. The exit code is the answer.
 */
#include "request.h"
#include "verb.h"

enum { OPTION_JSON = OPTION_LONG, OPTION_STRICT };

static const struct option_row options[] = {
    {'d', "dialect", "NAME", API_REQUEST_WORDS,
     "the API that the request is for, where its shape does not tell"},
    {OPTION_STRICT, "strict", NULL, NULL, "warnings count as errors"},
    {'q', "quiet", NULL, NULL, "leave notes out"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation preflight"},
    ENGINE_OPTIONS,
    {0},
};

struct job {
    struct engine e;
    const char *target, *api;
    bool json, strict;
    cando_severity least;
};

static void put_summary(const cando_tokens *t, const size_t count[3], cando_severity least)
{
    out_counts(stderr, count[CANDO_ERROR], count[CANDO_WARNING],
               least > CANDO_NOTE ? 0 : count[CANDO_NOTE]);
    if (t->expected) {
        char a[32], b[32], c[32];
        fprintf(stderr, "; about %s tokens (%s to %s)", out_number(t->expected, a).p,
                out_number(t->low, b).p, out_number(t->high, c).p);
    }
    fputc('\n', stderr);
}

static int put_answer(const struct job *j, const struct request_file *f,
                      const cando_preflight_answer *a)
{
    size_t count[3];
    request_findings(j->json ? NULL : stdout, f, a, j->least, count);
    int code = j->json ? engine_json(&j->e, "preflight", a) : EXIT_YES;
    if (!j->json) {
        fflush(stdout);
        put_summary(a->tokens, count, j->least);
    }
    bool bad =
        a->verdict == CANDO_REJECTED || count[CANDO_ERROR] || (j->strict && count[CANDO_WARNING]);
    return code == EXIT_YES && bad ? EXIT_NO : code;
}

static int check_file(struct job *j, const char *path)
{
    struct request_file f;
    const cando_preflight_answer *a;
    int code = request_read(&f, path);
    if (code != EXIT_YES)
        return code;
    code = request_ask(&j->e, &f, j->target, j->api, false, &a);
    if (code == EXIT_YES)
        code = put_answer(j, &f, a);
    cando_room_clear(j->e.room);
    request_free(&f);
    return code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct job j = {.least = CANDO_NOTE};
    engine_init(&j.e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            j.json = true;
        else if (id == OPTION_STRICT)
            j.strict = true;
        else if (id == 'q')
            j.least = CANDO_WARNING;
        else if (id == 'd' && args_word(&a, id))
            j.api = a.value;
        else if (!engine_option(&j.e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest < 2)
        return args_usage(&a, a.n_rest ? "which file?" : "which model, and which file?");
    j.target = strcmp(a.rest[0], "-") == 0 ? NULL : a.rest[0];
    int code = engine_open(&j.e);
    for (int i = 1; i < a.n_rest && code <= EXIT_NO; i++) {
        int one = check_file(&j, a.rest[i]);
        code = one > code ? one : code;
    }
    engine_close(&j.e);
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
    .run = run,
};
