/*
 * session.c - a session that moves between models, and a subscriber that hears of it.
 *
 * A change is negotiated: what the session needs against what the model has. One that is
 * rejected leaves everything as it was; nothing is ever picked or downgraded by itself.
 */
#include <cando.h>
#include <stdio.h>

static int failed(const cando_error *err)
{
    fprintf(stderr, "%s: %s\n", err->code, err->message);
    return 1;
}

static void on_event(void *user, const cando_event *event)
{
    printf("%s hears: %s, %s\n", (const char *)user, event->change,
           cando_event_kind_name(event->kind));
}

/* Tries a change, and prints what came of it; the session tells the subscribers itself. */
static int change(cando_session *s, const cando_change *to, const char *what, cando_room *room)
{
    static const char *const verdict[] = {
        [CANDO_ACCEPTED] = "accepted", [CANDO_DEGRADED] = "degraded", [CANDO_REJECTED] = "rejected",
    };
    cando_error err;
    const cando_negotiate_answer *a = cando_session_change(s, to, room, &err);
    if (!a) /* a question without sense; a rejection is an answer */
        return failed(&err);
    printf("%s %s: %s, %s is in force\n", what, a->target, verdict[a->verdict], a->active);
    for (size_t i = 0; i < a->n_missing; i++)
        printf("  missing: %s for %s\n", a->missing[i].capability, a->missing[i].required_by);
    for (size_t i = 0; i < a->n_warnings; i++)
        printf("  %s: %s\n", a->warnings[i].reason, a->warnings[i].capability);
    if (a->suggestion)
        printf("  there is a model that would do\n"); /* a->suggestion names it */
    cando_room_clear(room);
    return 0;
}

static int run(cando_session *s, cando_room *room)
{
    static const cando_requirement stream = {.name = "streaming", .level = CANDO_PREFERRED};
    static const cando_state_machine machine = { /* needs tool calling, by being one */
        .attached = true, .id = "review", .needs = &stream, .n_needs = 1};
    const cando_change attach = {.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine};
    if (change(s, &attach, "attach", room))
        return 1;
    static const char *const models[] = {"openai/text-embedding-3-small", "openai/o1-pro",
                                         "openai/gpt-4.1"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const cando_change to = {.kind = CANDO_CHANGE_TARGET, .target.model = models[i]};
        if (change(s, &to, "switch", room))
            return 1;
    }
    return 0;
}

int main(void)
{
    cando_error err;
    cando *c = cando_new(NULL, NULL, &err);
    cando_room *room = c ? cando_room_new(NULL, &err) : NULL;
    cando_events *events = room ? cando_events_new(NULL, &err) : NULL;
    cando_session *s = NULL;
    if (events && cando_events_subscribe(events, CANDO_EVERY_EVENT, on_event, "the log", &err)) {
        cando_set_events(c, events, NULL, NULL);
        s = cando_session_new(c, (cando_name){.model = "openai/gpt-4o"}, &err);
    }
    if (s)
        cando_session_name(s, "s-1", &err); /* in each event */
    int code = s ? run(s, room) : failed(&err);
    cando_session_free(s);
    cando_events_free(events);
    cando_room_free(room);
    cando_free(c);
    return code;
}
