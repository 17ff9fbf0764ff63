/*
 * fuzz_preflight.c - verdicts and rewrites of any request.
 *
 * The first byte picks a target and an API, the rest is the request. What must
 * hold: findings come in the order of the text, and the pointer of each leads to
 * the value at its place; a rewrite is JSON, and after a few rounds there is
 * nothing left to be rewritten and nothing that rejects; a refusal is JSON. A report
 * that has judged others before says what a fresh one says.
 */
#include "fuzz.h"

#include "request/preflight.h"
#include "text/json.h"

static const struct {
    const char *provider, *model, *api;
} targets[] = {
    {"openai", "gpt-5", "openai-chat"},
    {"openai", "gpt-4o", "openai-chat"},
    {"openai", "gpt-5.6", "openai-chat"},
    {"deepseek", "deepseek-v4", "openai-chat"},
    {"openai", "o3", "openai-responses"},
    {"anthropic", "claude-sonnet-4-5", "anthropic-messages"},
    {"anthropic", "claude-opus-5", "anthropic-messages"},
    {"google", "gemini-2.5-pro", "gemini"},
    {"amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock-converse"},
    {"mistral", "mistral-large-latest", "mistral-chat"},
    {"ollama", "llama3.2", "ollama-chat"},
    {"", "", "allm"},
    {"openai", "gpt-4o", NULL},
};
#define TARGETS (sizeof targets / sizeof *targets)
#define ROUNDS 6

static void check_findings(const cando_report *r, struct str text)
{
    struct arena ar;
    struct json_error err;
    arena_init(&ar, NULL);
    const struct json *root = json_parse(&ar, text, &err);
    MUST(root && cando_report_findings(r, NULL) <= LIMIT_REQUEST_FINDINGS);
    for (size_t i = 0; i < cando_report_findings(r, NULL); i++) {
        cando_finding f = cando_report_finding(r, i);
        char room[4096];
        size_t n = cando_report_pointer(r, i, room, sizeof room);
        MUST(i == 0 || f.at >= cando_report_finding(r, i - 1).at);
        MUST(f.end <= text.n && f.message[0] && cando_explain(f.code));
        if (n >= sizeof room || !f.rule)
            continue;
        const struct json *v = json_pointer(root, str_make(room, n));
        MUST(v && v->at == f.at && v->end == f.end);
    }
    size_t decided = cando_report_decided(r);
    MUST(decided == SIZE_MAX ||
         (decided < cando_report_findings(r, NULL) && r->verdict != CANDO_ACCEPTED));
    arena_free(&ar);
}

/* What the provider would answer is JSON, and is there wherever something is an error. */
static void check_refusal(const cando_report *r)
{
    char out[CANDO_REFUSAL_ROOM];
    struct arena ar;
    struct json_error err;
    bool errors = false;
    for (size_t i = 0; i < cando_report_findings(r, NULL); i++)
        errors |= cando_report_finding(r, i).severity == CANDO_ERROR;
    cando_refusal said = cando_report_refusal(r, out, sizeof out);
    if (said.status == 0) {
        MUST(!errors || strncmp(r->api, "allm", 4) == 0);
        return;
    }
    MUST(errors && said.status >= 400 && said.length < sizeof out);
    arena_init(&ar, NULL);
    MUST(json_parse(&ar, str_make(out, said.length), &err));
    arena_free(&ar);
}

static void check_fresh(const cando_target *t, const char *api, struct str text, bool lossy,
                        const cando_report *used)
{
    static cando_report fresh;
    memset(&fresh, 0, sizeof fresh);
    MUST(cando_preflight(t, api, text.p, text.n, lossy, &fresh, NULL) == CANDO_OK);
    MUST(fresh.verdict == used->verdict && fresh.more == used->more);
    MUST(fresh.n_findings == used->n_findings && fresh.n_edits == used->n_edits);
    for (size_t i = 0; i < fresh.n_findings; i++) {
        cando_finding a = cando_report_finding(&fresh, i), b = cando_report_finding(used, i);
        MUST(a.at == b.at && a.end == b.end && a.severity == b.severity);
        MUST(strcmp(a.code, b.code) == 0 && strcmp(a.message, b.message) == 0);
    }
    cando_tokens x = cando_report_tokens(&fresh), y = cando_report_tokens(used);
    MUST(x.low == y.low && x.expected == y.expected && x.high == y.high);
}

static char *rewrite(cando_report *r, size_t *len)
{
    size_t n;
    const cando_bytes *piece = cando_report_rewrite(r, &n, len, NULL);
    if (!piece)
        return NULL;
    char *out = malloc(*len + 1), *to = out;
    MUST(out);
    for (size_t i = 0; i < n; i++) {
        memcpy(to, piece[i].p, piece[i].n);
        to += piece[i].n;
    }
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cando_target *target[TARGETS];
    static cando_report report;
    if (size == 0)
        return 0;
    unsigned k = data[0] % 64 % TARGETS;
    bool lossy = data[0] >= 64;
    if (!target[k]) {
        cando_name name = {targets[k].model, targets[k].provider};
        target[k] =
            cando_target_new(cando_catalog_builtin(), name, CANDO_TARGET_FINALIZE, NULL, NULL);
        MUST(target[k]);
    }
    size_t len = size - 1;
    char *text = malloc(len ? len : 1);
    MUST(text);
    memcpy(text, data + 1, len);
    char model[64];
    cando_request_model(text, len, model, sizeof model);
    MUST(strlen(model) < sizeof model);
    for (unsigned round = 0;; round++) {
        cando_status st =
            cando_preflight(target[k], targets[k].api, text, len, lossy, &report, NULL);
        MUST(st == CANDO_OK || (st == CANDO_BAD_INPUT && round == 0));
        if (st != CANDO_OK)
            break;
        check_findings(&report, str_make(text, len));
        check_fresh(target[k], targets[k].api, str_make(text, len), lossy, &report);
        check_refusal(&report);
        MUST(round == 0 || report.verdict != CANDO_REJECTED || report.more);
        if (report.verdict != CANDO_REWRITE)
            break;
        MUST(round < ROUNDS || report.more);
        if (round >= ROUNDS)
            break;
        size_t n = 0;
        char *next = rewrite(&report, &n);
        if (!next)
            break;
        free(text);
        text = next;
        len = n;
    }
    free(text);
    return 0;
}
