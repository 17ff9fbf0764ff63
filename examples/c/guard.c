/*
 * guard.c - what a proxy or an HTTP client asks before it sends a request on: whom does it go to,
 * will it be taken there, and if not, what would that provider answer?
 *
 * All of it in memory that is made once: nothing here allocates for a request.
 */
#include <cando.h>
#include <stdio.h>
#include <string.h>

static int failed(const cando_error *err)
{
    fprintf(stderr, "%s: %s\n", err->code, err->message);
    return 1;
}

static int guard(const cando *c, const cando_catalog *catalog, cando_report *report,
                 const char *url, const char *body)
{
    cando_error err;
    cando_route to;
    size_t len = strlen(body);
    const char *why = cando_route_find(catalog, url, strlen(url), NULL, body, len, &to);
    printf("%s\n", url);
    if (why || !to.judged || !to.model[0]) { /* somebody else's, or another endpoint: let it pass */
        printf("  passes: %s\n", why ? why : "it is not judged");
        return 0;
    }
    printf("  %s at %s, by %s%s\n", to.model, to.provider, to.api, to.stream ? ", streamed" : "");
    const cando_name name = {.provider = to.provider, .model = to.model};
    const cando_target *target = cando_target_of(c, name, 0, &err);
    if (!target)
        return failed(&err);
    cando_status status = cando_preflight(target, to.api, body, len, false, report, &err);
    if (status == CANDO_OK) {
        char answer[CANDO_REFUSAL_ROOM];
        cando_refusal no = cando_report_refusal(report, answer, sizeof answer);
        if (no.status)
            printf("  refused: %u %.*s\n", no.status, (int)no.length, answer);
        else
            printf("  passes\n");
    }
    cando_target_release(target);
    return status == CANDO_OK ? 0 : failed(&err);
}

int main(void)
{
    static const char *const sent[][2] = {
        {"https://api.openai.com/v1/chat/completions",
         "{\"model\":\"o3\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]"
         "}"},
        {"https://bedrock-runtime.eu-west-1.amazonaws.com/model/"
         "eu.anthropic.claude-opus-4-5-20251101-v1%3A0/converse-stream",
         "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"},
        {"https://api.openai.com/v1/embeddings", "{\"model\":\"text-embedding-3-small\"}"},
    };
    cando_error err;
    cando *c = cando_new(NULL, NULL, &err);
    cando_report *report = c ? cando_report_new(NULL, &err) : NULL;
    int code = report ? 0 : failed(&err);
    cando_set_today("2026-01-15", NULL); /* what has ended since then is still there */
    const cando_catalog *catalog = code ? NULL : cando_get_catalog(c);
    for (size_t i = 0; i < sizeof sent / sizeof *sent && !code; i++)
        code = guard(c, catalog, report, sent[i][0], sent[i][1]);
    if (catalog)
        cando_catalog_release(catalog);
    cando_report_free(report);
    if (c)
        cando_free(c);
    return code;
}
