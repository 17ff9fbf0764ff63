/*
 * cmd_check.c - cando check: will these requests be taken by that model?
 *
 * Findings are the result and go to stdout, each with its line and a caret, or in a form for
 * programs; the summary goes to stderr. The exit code is the answer.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/map.h"
#include "format.h"
#include "requests.h"
#include "suggest.h"
#include "when.h"

#include <unistd.h>

struct ask {
    cando_preflight_question q;
    const char *const *headers;
    size_t n_headers;
    bool nobody;           /* that is what was asked for */
    cando_number warnings; /* so many are fine; unknown: all */
    struct formatter out;
    struct requests from;
    size_t requests, left_out, count[3]; /* of all; by severity */
    struct map ids;                      /* of the lines of a batch job, */
    const char *ids_of;                  /* which this file is */
    struct {
        const char *path;
        size_t lines; /* of this file that are of no known API; */
        bool told;    /* the first of them has been reported */
    } strange;
    const char *nobody_in; /* the last file that does not say whose model it asks for */
};

static const struct option_row options[] = {
    {REQUEST_API(q.api)},
    {REQUEST_PROVIDER(q.provider)},
    {REQUEST_BETA(q.betas, q.n_betas)},
    {REQUEST_HEADER(headers, n_headers)},
    {DAY_AHEAD("at", q.at, "DAY",
               "whether a model has ended is judged as of this day, or so far ahead: 90d")},
    {FLAG("strict", q.strict, "warnings count as errors")},
    {NUMBER("max-warnings", warnings, "N", "more warnings than this count as an error")},
    {SETS("quiet", out.least, CANDO_WARNING, "leave notes out"), .letter = 'q'},
    {FLAG("lines", from.lines, "each line is a request, whatever the file is called")},
    {WORD("format", out.format, "NAME", FORMAT_WORDS,
          "the form of the findings: for people, or for programs, SARIF, GitHub's annotations")},
    {JSON("print the reply of the operation preflight, a line a request")},
    {.more = engine_options},
};

/* "a.json", or "a.jsonl:3" */
static void put_name(const struct requests *r)
{
    out_to(stderr, "%s", r->file.path);
    if (r->a_line)
        out_to(stderr, ":%u", r->file.line);
}

static void put_summary(const struct ask *k, const struct requests *r,
                        const cando_preflight_answer *a, const size_t count[3])
{
    const cando_tokens *t = a->tokens;
    fflush(stdout);
    put_name(r);
    out_to(stderr, ": ");
    out_counts(stderr, count[CANDO_ERROR], count[CANDO_WARNING],
               k->out.least > CANDO_NOTE ? 0 : count[CANDO_NOTE]);
    if (t->expected)
        out_to(stderr, "; about %'ju tokens (%'ju to %'ju)", t->expected, t->low, t->high);
    const char *whom = k->q.target ? k->q.target->model : k->q.provider ? a->target : NULL;
    if (whom) {
        char other[LIMIT_NAME_BYTES + 1];
        fputs(isatty(STDERR_FILENO) ? "\n  " : "; ", stderr);
        out_to(stderr, "judged for %s", whom);
        if (k->q.target && request_names(&r->file, whom, other))
            out_to(stderr, " as %s (it names %s)", a->api, other);
    }
    fputc('\n', stderr);
}

/* Which API it was taken for, where nobody said, and why. */
static void put_guess(const struct ask *k, const cando_preflight_answer *a)
{
    if (!a->api_by || k->out.least > CANDO_NOTE)
        return;
    out_notef(stderr, 4, "  read as %s: %s", a->api, a->api_by);
}

/* Who names nobody that is known is judged as the API's own vendor would, whatever the model. */
static void put_nobody(struct ask *k, const struct requests *r, const cando_preflight_answer *a)
{
    if (k->q.target || k->nobody || a->target || k->out.least > CANDO_NOTE)
        return;
    const char *last = k->nobody_in;
    k->nobody_in = r->file.path;
    if (r->a_line && last == r->file.path)
        return; /* what is said of one line is not said of each */
    char model[LIMIT_NAME_BYTES + 1] = "", line[16] = "";
    if (r->a_line)
        snprintf(line, sizeof line, ":%u", r->file.line);
    if (request_names(&r->file, "", model))
        out_notef(stderr, 4,
                  "%.999s%s: note: it asks for '%.400s' and does not say at which provider: it is "
                  "judged by the rules of %s alone",
                  r->file.path, line, model, a->api);
    else
        out_notef(stderr, 4,
                  "%.999s%s: note: it does not say whose model it asks for: it is judged by the "
                  "rules of %s alone",
                  r->file.path, line, a->api);
    if (last)
        return;
    out_to(stderr, NOTE "  hint: " END);
    if (strchr(model, '/')) /* as routers call models of others */
        out_note(stderr,
                 STR("--provider NAME says whose router it goes to; cando check PROVIDER/MODEL "
                     "FILE judges it for that model"),
                 8, 8);
    else
        out_note(stderr,
                 STR("cando check PROVIDER/MODEL FILE names one; what your own gateway calls its "
                     "models goes into cando.toml (cando init); -d says that it is of another API"),
                 8, 8);
}

/* Is it fine, as far as the options go? More warnings than are allowed are counted at the end. */
static bool passes(const struct ask *k, const cando_preflight_answer *a, const size_t count[3])
{
    if (a->verdict == CANDO_REJECTED || count[CANDO_ERROR])
        return false;
    return !k->q.strict || !count[CANDO_WARNING];
}

/* Lines of no known API are told together, when the next file begins or all are read. */
static void end_strange(struct ask *k)
{
    size_t n = k->strange.lines;
    if (n && !k->strange.told)
        out_to(stderr, "%s: %'zu line" PLURAL " left out: of no known API\n", k->strange.path, n);
    else if (n > 1)
        out_to(stderr, "%s: %'zu more line" PLURAL " of no known API\n", k->strange.path, n - 1);
    k->strange.lines = 0;
    k->strange.path = NULL;
}

/* Is there nothing more to say of this line than was said of others? */
static bool is_told(struct ask *k, const struct requests *r)
{
    if (!r->a_line || k->out.format != FORMAT_TEXT)
        return false;
    k->strange.path = r->file.path;
    k->strange.told = !r->found;
    return k->strange.lines++ > 0 || r->found;
}

/* What is no request at all is no mistake where a folder was named. */
static int put_failure(struct call *c, struct ask *k, const struct requests *r)
{
    bool strange = strcmp(c->err.code, code_name(CODE_unknown_shape)) == 0;
    bool told = strange && is_told(k, r);
    if (strange && r->found) {
        k->left_out++;
        if (!told) {
            put_name(r);
            out_to(stderr, ": left out: it is a request of no known API\n");
        }
        return EXIT_YES;
    }
    if (told)
        return EXIT_INPUT;
    if (k->out.format != FORMAT_TEXT)
        format_failure(&k->out, &r->file, &c->err);
    bool of_file = str_starts(str_of(c->err.at), STR("/request"));
    if (strcmp(c->err.code, code_name(CODE_json_syntax)) == 0 && !c->err.hint[0])
        error_hint(&c->err, "a request is JSON, as it is sent: the body alone");
    if (of_file)
        error_at(&c->err, str_of(r->file.path), r->file.line, 1);
    int code = fail(&c->err);
    return of_file ? EXIT_INPUT : code;
}

/* The text of a string, from its quote on, without its quotes. */
static struct str quoted(struct str s)
{
    size_t end = 1;
    while (end < s.n && s.p[end] != '"')
        end += s.p[end] == '\\' ? 2 : 1;
    return str_head(str_from(s, 1), end - 1);
}

/* The id of a line of a batch job, as it is written; empty: it has none. The line is JSON. */
static struct str line_id(struct str line)
{
    size_t depth = 0;
    for (size_t i = 0; i < line.n; i++) {
        char ch = line.p[i];
        depth += ch == '{' || ch == '[';
        depth -= ch == '}' || ch == ']';
        if (ch != '"')
            continue;
        struct str key = quoted(str_from(line, i));
        i += key.n + 1;
        if (depth != 1 || !str_is(key, "custom_id"))
            continue;
        struct str rest = str_trim(str_from(line, i + 1));
        rest = rest.n && rest.p[0] == ':' ? str_trim(str_from(rest, 1)) : STR("");
        return rest.n && rest.p[0] == '"' ? quoted(rest) : STR("");
    }
    return STR("");
}

/* Results are told apart by their ids: a line whose id another line has is a finding. */
static bool add_repeated(struct call *c, const struct requests *r, cando_preflight_answer *a)
{
    struct ask *k = c->ask;
    struct str id = r->a_line ? line_id(r->file.body) : STR("");
    if (!id.n)
        return true;
    if (k->ids_of != r->file.path)
        map_init(&k->ids, &c->ar, false);
    k->ids_of = r->file.path;
    uint32_t *other = map_get(&k->ids, id);
    struct str own = str_dup(&c->ar, id);
    if (!other)
        return own.p && map_put(&k->ids, own, r->file.line);
    cando_finding *list = arena_array(&c->ar, a->n_findings + 1, sizeof *list);
    struct str message = str_printf(&c->ar, "line %u has this custom_id, too", *other);
    if (!list || !message.p)
        return false;
    uint32_t at = (uint32_t)(id.p - r->file.body.p);
    list[0] = (cando_finding){
        .code = code_name(CODE_duplicate_item),
        .severity = CANDO_ERROR,
        .message = message.p,
        .hint = "each request of a batch has an id of its own",
        .fix = CANDO_FIX_ADVICE,
        .path = "/custom_id",
        .at = at - 1,
        .end = at + (uint32_t)id.n + 1,
    };
    for (size_t i = 0; i < a->n_findings; i++)
        list[i + 1] = a->findings[i];
    a->findings = list;
    a->n_findings++;
    a->verdict = CANDO_REJECTED;
    return true;
}

static int check_request(struct call *c, const struct requests *r)
{
    struct ask *k = c->ask;
    size_t count[3];
    bool text = !c->json && k->out.format == FORMAT_TEXT;
    if (k->strange.path != r->file.path)
        end_strange(k);
    const cando_preflight_answer *a = request_judge(c, &r->file, k->q);
    int code;
    if (!a) {
        code = put_failure(c, k, r);
        cando_room_clear(c->room);
        return code;
    }
    cando_preflight_answer named = *a;
    if (!named.target && k->q.target)
        named.target = k->q.target->model;
    if (!add_repeated(c, r, &named))
        return fail_memory();
    a = &named;
    k->requests++;
    request_findings(text ? stdout : NULL, &r->file, a, k->out.least, count);
    for (size_t i = 0; i < 3; i++)
        k->count[i] += count[i];
    if (k->out.format != FORMAT_TEXT && !c->json)
        format_answer(&k->out, &r->file, a);
    if (call_page(c, "preflight", a) && k->out.format == FORMAT_TEXT) {
        put_nobody(k, r, a);
        if (!(r->found || r->a_line) || a->n_findings) {
            put_summary(k, r, a, count);
            put_guess(k, a);
        }
    }
    code = call_end(c, passes(k, a, count));
    cando_room_clear(c->room);
    return code;
}

/* "12 requests: 2 errors; 1 file left out" */
static void put_total(const struct ask *k)
{
    fflush(stdout);
    out_to(stderr, "%zu request" PLURAL ": ", k->requests);
    out_counts(stderr, k->count[CANDO_ERROR], k->count[CANDO_WARNING],
               k->out.least > CANDO_NOTE ? 0 : k->count[CANDO_NOTE]);
    if (k->left_out)
        out_to(stderr, "; %zu left out", k->left_out);
    fputc('\n', stderr);
}

/* Neither a file nor a model in its place, which is before all files: a folder that is mistyped,
 * a model behind them, or one without its provider and without a file. */
static bool is_misplaced(const struct call *c, int at)
{
    const char *operand = c->operand[at];
    struct str s = str_of(operand);
    if (strcmp(operand, "-") == 0 || access(operand, F_OK) == 0)
        return false;
    if (str_ends(s, STR(".json")) || str_ends(s, STR(".jsonl")))
        return false; /* it is reported when its turn comes, and the others follow */
    return at > 0 || !(c->n > 1 ? request_may_be_model : request_is_model)(operand);
}

static int check(struct call *c)
{
    if (c->n == 0 && isatty(STDIN_FILENO))
        return call_usage(c, "which request?");
    for (int i = 0; i < c->n; i++)
        if (is_misplaced(c, i))
            return request_no_file(c, c->operand[i]);
    return EXIT_YES;
}

static int run(struct call *c)
{
    static char *standard[] = {"-"};
    struct ask *k = c->ask;
    cando_name name = {.model = c->n ? c->operand[0] : ""};
    bool model = c->n && request_may_be_model(c->operand[0]);
    if (model && c->n == 1 && !suggest_knows_provider(c, name.model))
        return request_no_file(c, name.model); /* rather than to wait for a request */
    if (model)
        name.model = suggest_target(c, name.model);
    if (!name.model)
        return EXIT_QUESTION;
    k->nobody = c->n > 1 && strcmp(c->operand[0], "-") == 0;
    int first = model || k->nobody, n = c->n - first;
    if (model)
        k->q.target = &name;
    int code = request_headers(c, k->headers, k->n_headers, &k->q.headers);
    if (code != EXIT_YES)
        return code;
    k->out.strict = k->q.strict;
    if (!c->json)
        format_begin(&k->out);
    code = n ? requests_each(c, &k->from, c->operand + first, n, check_request)
             : requests_each(c, &k->from, standard, 1, check_request);
    end_strange(k);
    if (!c->json)
        format_end(&k->out);
    if (k->requests + k->left_out > 1)
        put_total(k);
    else if (code == EXIT_YES && !k->requests && !k->left_out)
        code = fail_with(CANDO_BAD_QUESTION, CODE_io,
                         "a folder stands for the .json and .jsonl files below it",
                         "no request found in %.400s", n ? c->operand[first] : "the input");
    if (k->warnings.known && k->count[CANDO_WARNING] > k->warnings.value && code == EXIT_YES)
        code = EXIT_NO;
    return code;
}

const struct verb verb_check = {
    .name = "check",
    .summary = "will a request be taken, and if not, why and where",
    .usage = "[OPTION]... [PROVIDER/MODEL] [FILE...]",
    .text = "Reads requests in the form that they would be sent in (- is the standard input) "
            "and says everything that would go wrong, each with its line and a hint. The API "
            "is found by the request's members, and where these fit several by the model's "
            "provider; the last line says which and why. A file that ends in .jsonl has a request "
            "on each line, also in the envelope of a batch job; a folder stands for the .json and "
            ".jsonl files below it.\n\n"
            "Without a model it is the one that the request names, at --provider, or at the API's "
            "own vendor if that has it. An operand that is a file is a request, whatever it looks "
            "like.\n\n"
            "The exit code is 0 if all would be taken, 1 if one would be refused as it is (with "
            "--strict also if there are warnings, with --max-warnings if there are more in all), "
            "2 if there is none, 3 if one cannot be read. cando fix repairs what can be repaired; "
            "cando explain CODE says more about a finding.",
    .examples = "cando check request.json\n"
                "cando check anthropic/claude-sonnet-5 request.json\n"
                "my-app --dump-request | cando check -\n"
                "cando check --format github --strict prompts/",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .opens = OPENS_CATALOG,
    .requests = true,
    .check = check,
    .run = run,
};
