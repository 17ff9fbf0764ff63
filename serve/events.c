#include "events.h"

#include "cli/trail.h"
#include "epoch.h"
#include "http.h"

#include <pthread.h>
#include <stdlib.h>

enum { PING_MS = 15000 };

struct kept {
    char *text; /* NUL-terminated */
    size_t n;
    cando_event_kind kind;
};

static struct {
    pthread_mutex_t lock;
    cando_events *events;
    uint64_t life; /* tells the numbers of one run of the daemon from those of another */
    uint64_t next; /* the number of the next event; the first is 1 */
    struct kept kept[EVENTS_KEPT];
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .next = 1};

/* Called by the library, inside of the lock. */
static void keep(void *user, const cando_event *e)
{
    char *text;
    size_t n;
    (void)user;
    if (cando_event_encode(e, NULL, &text, &n, NULL) != CANDO_OK)
        return;
    struct kept *k = &ring.kept[ring.next++ % EVENTS_KEPT];
    cando_event_free_text(NULL, k->text, k->n);
    *k = (struct kept){text, n, e->kind};
}

void events_start(void)
{
    ring.life = trail_now();
    ring.events = cando_events_new(NULL, NULL);
    if (ring.events)
        cando_events_subscribe(ring.events, CANDO_EVERY_EVENT, keep, NULL, NULL);
}

void events_stop(void)
{
    for (size_t i = 0; i < EVENTS_KEPT; i++)
        if (ring.kept[i].text)
            cando_event_free_text(NULL, ring.kept[i].text, ring.kept[i].n);
    cando_events_free(ring.events);
    ring.events = NULL;
}

void events_tell(const cando_event *e)
{
    pthread_mutex_lock(&ring.lock);
    if (ring.events)
        cando_events_emit(ring.events, e, NULL);
    pthread_mutex_unlock(&ring.lock);
    http_wake_streams();
}

void events_decided(const char *op, struct str reply)
{
    if (!op || strcmp(op, "negotiate") != 0)
        return;
    cando_room *room = cando_room_new(NULL, NULL);
    const cando_negotiate_answer *a =
        room ? cando_negotiate_read(reply.p, reply.n, room, NULL) : NULL;
    pthread_mutex_lock(&ring.lock);
    if (a && ring.events)
        cando_events_diagnostic(ring.events, CANDO_EVENT_SWITCH, trail_now(), NULL, "switch", a,
                                NULL);
    pthread_mutex_unlock(&ring.lock);
    cando_room_free(room);
    http_wake_streams();
}

/* -- who listens ------------------------------------------------------------------------------- */

struct listener {
    struct stream s;
    uint64_t next;   /* what it wants next */
    bool missed;     /* it had more than is still kept */
    uint64_t spoken; /* when it was told something last */
};

static void put_event(struct buf *out, uint64_t n)
{
    const struct kept *k = &ring.kept[n % EVENTS_KEPT];
    buf_printf(out, "id: %jx-%ju\nevent: %s\ndata: ", (uintmax_t)ring.life, (uintmax_t)n,
               cando_event_kind_name(k->kind));
    buf_put(out, k->text, k->n);
    buf_putz(out, "\n\n");
}

static uint64_t oldest(void)
{
    return ring.next > EVENTS_KEPT ? ring.next - EVENTS_KEPT : 1;
}

static void put_all(struct listener *l, struct buf *out)
{
    pthread_mutex_lock(&ring.lock);
    if (l->next < oldest()) {
        l->missed = true;
        l->next = oldest();
    }
    if (l->missed)
        buf_putz(out, "event: missed\ndata: {}\n\n");
    l->missed = false;
    for (; l->next < ring.next; l->next++)
        put_event(out, l->next);
    pthread_mutex_unlock(&ring.lock);
}

static enum stream_state next_events(struct stream *s, struct buf *out)
{
    struct listener *l = (struct listener *)s;
    put_all(l, out);
    if (!out->n && trail_now() - l->spoken >= PING_MS)
        buf_putz(out, l->spoken ? ": nothing new\n\n" : ": hello\nretry: 2000\n\n");
    if (!out->n)
        return STREAM_WAIT;
    l->spoken = trail_now();
    return STREAM_MORE;
}

static void free_listener(struct stream *s)
{
    free(s);
}

/* "18c3f-17": what comes behind it. Another run's: all that there is. */
static void resume(struct listener *l, const char *id)
{
    char *end;
    uint64_t life = strtoull(id, &end, 16);
    uint64_t n = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;
    bool ours = life == ring.life && n < l->next;
    l->next = ours ? n + 1 : 1;
    l->missed = !ours;
}

void route_events(struct request *r, struct reply *a)
{
    struct listener *l = calloc(1, sizeof *l);
    if (!l) {
        reply_error(r, a, 503, CODE_memory, NULL, "there is no memory for one more listener");
        return;
    }
    const char *id = request_header(r, "Last-Event-ID");
    l->s = (struct stream){.next = next_events, .free = free_listener};
    pthread_mutex_lock(&ring.lock);
    l->next = ring.next;
    if (id)
        resume(l, id);
    pthread_mutex_unlock(&ring.lock);
    a->stream = &l->s;
    a->type = "text/event-stream";
    reply_header(a, "Cache-Control", "no-store");
    reply_header(a, "X-Accel-Buffering", "no");
}

void events_reloaded(void)
{
    char hash[17];
    struct epoch *e = epoch_hold();
    snprintf(hash, sizeof hash, "%016jx", (uintmax_t)e->hash);
    const cando_event event = {
        .kind = CANDO_EVENT_CATALOG, .time = trail_now(), .target = hash, .change = "reload"};
    epoch_drop(e);
    events_tell(&event);
}
