/*
 * fuzz_preflight.c - verdicts and rewrites of any request.
 *
 * The first byte picks a target and an API, the rest is the request. What must
 * hold: findings come in the order of the text, and the pointer of each leads to
 * the value at its place; a rewrite is JSON, and after a few rounds there is
 * nothing left to be rewritten and nothing that rejects.
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
    MUST(root && r->n_findings <= CANDO_MAX_REQUEST_FINDINGS);
    for (uint32_t i = 0; i < r->n_findings; i++) {
        const cando_request_finding *f = &r->finding[i];
        char room[4096];
        size_t n = cando_report_pointer(r, i, text.p, text.n, room, sizeof room);
        MUST(i == 0 || f->at >= r->finding[i - 1].at);
        MUST(f->end <= text.n && f->message[0] && cando_explain(f->code));
        if (n >= sizeof room || f->rule[0] == '\0')
            continue;
        const struct json *v = json_pointer(root, str_make(room, n));
        MUST(v && v->at == f->at && v->end == f->end);
    }
    arena_free(&ar);
}

static char *rewrite(const cando_target *t, const cando_report *r, struct str text, size_t *len)
{
    static cando_rewrite plan;
    if (cando_rewrite_plan(t, r, text.p, text.n, &plan, NULL) != CANDO_OK)
        return NULL;
    char *out = malloc(plan.length + 1), *to = out;
    MUST(out);
    for (uint32_t i = 0; i < plan.n_pieces; i++) {
        memcpy(to, plan.piece[i].p, plan.piece[i].n);
        to += plan.piece[i].n;
    }
    *len = plan.length;
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cando_target target[TARGETS];
    static bool ready[TARGETS];
    static cando_report report;
    if (size == 0)
        return 0;
    unsigned k = data[0] % 64 % TARGETS;
    bool lossy = data[0] >= 64;
    if (!ready[k]) {
        const char *p = targets[k].provider, *m = targets[k].model;
        MUST(cando_target_init(&target[k], cando_catalog_builtin(), p, strlen(p), m, strlen(m), CANDO_TARGET_FINALIZE, NULL) == CANDO_OK);
        ready[k] = true;
    }
    size_t len = size - 1;
    char *text = malloc(len ? len : 1);
    MUST(text);
    memcpy(text, data + 1, len);
    for (unsigned round = 0;; round++) {
        cando_status st = cando_preflight(&target[k], targets[k].api, text, len, lossy, &report, NULL);
        MUST(st == CANDO_OK || (st == CANDO_BAD_INPUT && round == 0));
        if (st != CANDO_OK)
            break;
        check_findings(&report, str_make(text, len));
        MUST(round == 0 || report.answer != CANDO_REQUEST_REJECT || report.more);
        if (report.answer != CANDO_REQUEST_REWRITE)
            break;
        MUST(round < ROUNDS || report.more);
        if (round >= ROUNDS)
            break;
        size_t n = 0;
        char *next = rewrite(&target[k], &report, str_make(text, len), &n);
        if (!next)
            break;
        free(text);
        text = next;
        len = n;
    }
    free(text);
    return 0;
}
