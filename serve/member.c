#include "member.h"

#include "cli/fleet.h"
#include "cli/trail.h"
#include "epoch.h"
#include "events.h"
#include "record.h"

enum { LAST_MS = 3000 }; /* to send what is left, at the end */

static struct {
    const struct fleet_calls *calls;
    fleet *node;
    bool runs;
} member;

static bool share(const cando_catalog *catalog, const struct fleet_rules *rules, size_t n)
{
    if (!epoch_share(catalog, rules, n))
        return false;
    if (member.runs)
        events_reloaded();
    return true;
}

static void say(const char *line)
{
    out_to(stderr, "cando: %s\n", line);
}

int member_start(struct call *c)
{
    const struct fleet_hooks hooks = {.share = share, .observe = record_observed, .say = say};
    const char *store = trail_path(c->store);
    if (!c->nats.url)
        return EXIT_YES;
    if (!store)
        return fail_with(CANDO_BAD_QUESTION, CODE_missing_argument,
                         "give --store FILE, too: what the fleet has not got yet waits there",
                         "a node of a fleet needs an audit trail of its own");
    member.calls = fleet_load(&c->err);
    if (member.calls)
        member.node = member.calls->open(&c->nats, store, &hooks, &c->err);
    return member.node ? EXIT_YES : fail(&c->err);
}

bool member_run(void)
{
    member.runs = member.node != NULL;
    return !member.node || member.calls->start(member.node);
}

void member_wake(void)
{
    if (member.node)
        member.calls->wake(member.node);
}

void member_stop(void)
{
    if (member.node)
        member.calls->stop(member.node, LAST_MS);
    member.node = NULL;
}

bool member_state(struct fleet_state *out)
{
    if (member.node)
        member.calls->state(member.node, out);
    return member.node != NULL;
}
