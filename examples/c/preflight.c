/*
 * preflight.c - will this request be taken, and what would make it so?
 *
 * The request is judged as it will be sent, in the form of the provider's own API, before a
 * token is bought. Nothing of it is kept. For the fastest way (no allocation, a verdict in
 * microseconds) see cando_target_of, cando_report and cando_preflight in section 8 of cando.h.
 */
#include <cando.h>
#include <stdio.h>
#include <string.h>

static int failed(const cando_error *err)
{
    fprintf(stderr, "%s: %s at line %u\n", err->code, err->message, (unsigned)err->line);
    return 1;
}

static int judge(const cando *c, const char *target, const char *request, cando_room *room)
{
    static const char *const verdict[] = {
        [CANDO_ACCEPTED] = "accepted", [CANDO_DEGRADED] = "accepted, with warnings",
        [CANDO_REWRITE] = "accepted if it is rewritten", [CANDO_REJECTED] = "rejected",
    };
    static const char *const severity[] = {
        [CANDO_NOTE] = "note", [CANDO_WARNING] = "warning", [CANDO_ERROR] = "error",
    };
    cando_error err;
    const cando_name name = {.model = target};
    const cando_preflight_question q = {
        .request = {request, strlen(request)},
        .target = &name, /* without it: the model that the request names, at its API's own vendor */
        .api = NULL,     /* found by the request's shape */
    };
    const cando_preflight_answer *a = cando_ask_preflight(c, &q, room, &err);
    if (!a) /* not JSON, or of no API that is known; a rejection is an answer */
        return failed(&err);
    printf("%s at %s: %s\n", a->api, target, verdict[a->verdict]);
    for (size_t i = 0; i < a->n_findings; i++) {
        const cando_finding *f = &a->findings[i];
        printf("  %s at %s: %s [%s]\n", severity[f->severity], f->path, f->message, f->code);
    }
    if (a->verdict == CANDO_REWRITE) /* what is not changed stays as it was, byte for byte */
        printf("  send %.*s\n", (int)a->request.n, a->request.p);
    cando_room_clear(room);
    return 0;
}

int main(void)
{
    static const char *const requests[] = {
        "{\"model\":\"o3\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
        "{\"model\":\"o3\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
        "{\"model\":\"o3\",\"n\":0,\"messages\":[]}",
    };
    cando_error err;
    cando *c = cando_new(NULL, NULL, &err);
    cando_room *room = c ? cando_room_new(NULL, &err) : NULL;
    int code = room ? 0 : failed(&err);
    cando_set_today("2026-01-15", NULL); /* what has ended since then is still there */
    for (size_t i = 0; i < sizeof requests / sizeof *requests && !code; i++)
        code = judge(c, "openai/o3", requests[i], room);
    cando_room_free(room);
    cando_free(c);
    return code;
}
