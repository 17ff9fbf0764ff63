#include "node.h"

#include <string.h>

/* xorshift64*: chance that spreads, not secrets. */
static uint64_t chance(struct node *n, uint64_t below)
{
    n->chance ^= n->chance >> 12;
    n->chance ^= n->chance << 25;
    n->chance ^= n->chance >> 27;
    return below ? (n->chance * 0x2545f4914f6cdd1dull >> 33) % below : 0;
}

/* From half of the distance to all of it. */
static uint64_t distance(struct node *n, unsigned failures)
{
    uint64_t most = NODE_RETRY;
    while (failures-- > 1 && most < NODE_RETRY_MOST)
        most *= 2;
    if (most > NODE_RETRY_MOST)
        most = NODE_RETRY_MOST;
    return most / 2 + chance(n, most / 2 + 1);
}

static void look_later(struct node *n, unsigned b, uint64_t now)
{
    n->look[b].words = 0;
    n->look[b].failures = 0;
    n->look[b].at = now + NODE_LOOK_EVERY * 3 / 4 + chance(n, NODE_LOOK_EVERY / 2);
}

void node_init(struct node *n, uint64_t seed, uint64_t now)
{
    memset(n, 0, sizeof *n);
    n->chance = seed ? seed : 1;
    for (int i = 0; i < 8; i++)
        chance(n, 0);
    n->retry_at = now;
}

void node_spool(struct node *n, uint64_t newest, uint64_t now)
{
    if (newest <= n->newest)
        return;
    if (n->newest <= n->sent) {
        n->send_at = now + NODE_GATHER;
        if (n->send_at < n->calm_until)
            n->send_at = n->calm_until;
    }
    n->newest = newest;
}

void node_hint(struct node *n, enum node_bucket b, uint64_t now)
{
    uint64_t at = now + NODE_LOOK_SOON + chance(n, NODE_LOOK_SOON);
    n->look[b].words = NODE_LOOKS;
    n->look[b].distance = NODE_LOOK_SOON;
    if (at < n->look[b].at)
        n->look[b].at = at;
}

static void fail(struct node *n, uint64_t now)
{
    n->failures++;
    n->retry_at = now + distance(n, n->failures);
}

void node_cut(struct node *n, uint64_t now)
{
    n->connected = false;
    n->synced = false;
    n->silent = 0;
    fail(n, now);
}

static void sooner(uint64_t *least, uint64_t at)
{
    if (at < *least)
        *least = at;
}

struct node_step node_next(const struct node *n, uint64_t now)
{
    struct node_step wait = {.act = NODE_WAIT, .until = UINT64_MAX};
    if (!n->connected) {
        wait.until = n->retry_at;
        return now >= n->retry_at ? (struct node_step){.act = NODE_CONNECT} : wait;
    }
    for (unsigned b = 0; b < NODE_BUCKETS; b++) {
        if (now >= n->look[b].at)
            return (struct node_step){.act = NODE_LOOK, .bucket = b};
        sooner(&wait.until, n->look[b].at);
    }
    uint64_t at = n->retry_at > n->send_at ? n->retry_at : n->send_at;
    if (!n->synced)
        at = n->retry_at;
    else if (n->newest <= n->sent)
        return wait;
    if (now >= at)
        return (struct node_step){.act = n->synced ? NODE_SEND : NODE_SYNC};
    sooner(&wait.until, at);
    return wait;
}

static void end_connect(struct node *n, enum node_result r, uint64_t now)
{
    if (r != NODE_DONE) {
        fail(n, now);
        return;
    }
    n->connected = true;
    n->silent = 0;
    n->retry_at = now;
    for (unsigned b = 0; b < NODE_BUCKETS; b++)
        n->look[b].at = now; /* what has changed while nobody listened */
}

static void end_send(struct node *n, struct node_step s, enum node_result r, uint64_t last,
                     uint64_t now)
{
    if (r == NODE_DONE) {
        n->failures = 0;
        n->synced = true;
        n->sent = last;
        n->retry_at = now;
        if (s.act == NODE_SEND)
            n->calm_until = now + NODE_SEND_EVERY;
        return;
    }
    n->synced = false;
    if (r == NODE_CONFLICT && !n->failures)
        n->failures = 1; /* once it is asked at once; a second conflict waits like any failure */
    else
        fail(n, now);
}

static void end_look(struct node *n, unsigned b, enum node_result r, uint64_t now)
{
    bool answered = r == NODE_DONE || r == NODE_NOTHING;
    if (answered && n->look[b].words > 1) { /* what was found need not be what the word was of */
        n->look[b].words--;
        n->look[b].failures = 0;
        n->look[b].distance *= NODE_LOOK_AGAIN;
        n->look[b].at = now + n->look[b].distance + chance(n, NODE_LOOK_SOON);
    } else if (answered) {
        look_later(n, b, now);
    } else {
        n->look[b].failures++;
        n->look[b].at = now + distance(n, n->look[b].failures);
    }
}

void node_end(struct node *n, struct node_step s, enum node_result r, uint64_t last, uint64_t now)
{
    if (s.act == NODE_CONNECT)
        end_connect(n, r, now);
    else if (s.act == NODE_LOOK)
        end_look(n, s.bucket, r, now);
    else if (s.act != NODE_WAIT)
        end_send(n, s, r, last, now);
    if (s.act == NODE_WAIT || s.act == NODE_CONNECT)
        return;
    n->silent = r == NODE_SILENT ? n->silent + 1 : 0;
    if (r == NODE_CUT || n->silent >= NODE_SILENT_MOST)
        node_cut(n, now);
}
