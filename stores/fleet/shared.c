/*
 * shared.c - what all nodes share, as it comes from the cluster: catalog, overlays, observations.
 *
 * Bytes from the cluster are a stranger's. A manifest says how long they are and what their hash
 * is; they are put together, unpacked into exactly so much memory, hashed, and a catalog is opened
 * as any snapshot from outside. What does not pass changes nothing: what was in force stays.
 */
#define _POSIX_C_SOURCE 200809L
#include "fleet_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* -- manifests --------------------------------------------------------------------------------- */

#define MANIFEST "cando-gift-1"

bool manifest_key_ok(struct str key)
{
    if (str_is(key, "catalog"))
        return true;
    if (!str_starts(key, STR("overlay.")) || key.n <= 8 || key.n >= FLEET_KEY)
        return false;
    for (size_t i = 8; i < key.n; i++)
        if (!char_is_alpha(key.p[i]) && !char_is_digit(key.p[i]) && key.p[i] != '-' &&
            key.p[i] != '_')
            return false;
    return true;
}

int manifest_write(const struct manifest *m, char out[160])
{
    return snprintf(out, 160, MANIFEST " %s %zu %zu %zu", m->hash, m->bytes, m->packed, m->pieces);
}

bool manifest_read(struct str text, struct manifest *out)
{
    char copy[160], end;
    unsigned char hash[SHA256_BYTES];
    if (!text.n || text.n >= sizeof copy)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    if (sscanf(copy, MANIFEST " %64s %9zu %9zu %6zu%c", out->hash, &out->bytes, &out->packed,
               &out->pieces, &end) != 4)
        return false;
    return sha256_parse(str_of(out->hash), hash) && out->bytes && out->bytes <= FLEET_GIFT_MOST &&
           out->packed && out->packed <= FLEET_GIFT_MOST && out->pieces &&
           out->pieces <= FLEET_PIECES_MOST;
}

void manifest_piece(const char *key, const char *hash, const char *i, char out[256])
{
    snprintf(out, 256, FLEET_SUBJECT(LINK_CATALOG) "piece.%s.%.32s.%s", key, hash, i);
}

/* -- items ------------------------------------------------------------------------------------- */

static void item_free(struct shared_item *i)
{
    if (!i)
        return;
    cando_catalog_release(i->catalog);
    free(i->data);
    free(i);
}

void shared_free(struct shared *s)
{
    for (size_t i = 0; i < s->n; i++)
        item_free(s->item[i]);
    s->n = 0;
}

static size_t find(const struct shared *s, const char *key)
{
    size_t i = 0;
    while (i < s->n && strcmp(s->item[i]->key, key) != 0)
        i++;
    return i;
}

/* `to` with this item instead of what has its key; data NULL: without. Gives what was there. */
static struct shared_item *put(struct shared *to, struct shared_item *item)
{
    size_t at = find(to, item->key), n = to->n;
    struct shared_item *old = at < n ? to->item[at] : NULL;
    if (item->data && (at < n || n < FLEET_ITEMS)) {
        to->item[at] = item;
        to->n += at == n;
    } else if (old) {
        to->item[at] = to->item[--to->n];
    }
    return old;
}

/* The bytes are what they are to be; and a catalog opens. The item owns `data` from here on. */
static struct shared_item *item_new(fleet *f, const char *key, char *data, size_t n)
{
    struct shared_item *i = calloc(1, sizeof *i);
    unsigned char hash[SHA256_BYTES];
    cando_error err;
    if (!i) {
        free(data);
        return NULL;
    }
    snprintf(i->key, sizeof i->key, "%s", key);
    i->data = data;
    i->n = n;
    if (!data)
        return i;
    sha256_of(data, n, hash);
    sha256_hex(hash, i->hash);
    if (strcmp(key, "catalog") != 0)
        return i;
    i->catalog = cando_catalog_open_copy(data, n, NULL, &err);
    if (i->catalog)
        return i;
    fleet_say(f, "the fleet's catalog is not taken: %s", err.message);
    item_free(i);
    return NULL;
}

/* -- putting in force -------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct fleet_rules *)a)->name, ((const struct fleet_rules *)b)->name);
}

static bool put_in_force(fleet *f, const struct shared *s)
{
    struct fleet_rules rules[FLEET_ITEMS];
    const cando_catalog *catalog = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct shared_item *item = s->item[i];
        if (item->catalog)
            catalog = item->catalog;
        else
            rules[n++] =
                (struct fleet_rules){item->key + sizeof "overlay." - 1, {item->data, item->n}};
    }
    qsort(rules, n, sizeof *rules, by_key);
    if (f->hooks.share && !f->hooks.share(catalog, rules, n))
        return false;
    size_t at = find(s, "catalog");
    pthread_mutex_lock(&f->lock);
    snprintf(f->state.catalog, sizeof f->state.catalog, "%s", at < s->n ? s->item[at]->hash : "");
    f->state.overlays = n;
    pthread_mutex_unlock(&f->lock);
    return true;
}

/* All of the changes at once, or, where that cannot be put in force, each that can. */
static void apply(fleet *f, struct shared *change)
{
    struct shared all = f->shared, old = {0};
    bool together = true;
    for (size_t i = 0; i < change->n; i++)
        put(&all, change->item[i]);
    together = put_in_force(f, &all);
    outbox_begin(&f->outbox);
    for (size_t i = 0; i < change->n; i++) {
        struct shared_item *item = change->item[i], *was;
        struct shared one = f->shared;
        char key[FLEET_KEY + 8];
        was = put(&one, item);
        if (!together && (change->n == 1 || !put_in_force(f, &one))) {
            fleet_say(f, "%s of the fleet is not taken, and what was before stays", item->key);
            old.item[old.n++] = item;
            continue;
        }
        f->shared = one;
        if (was)
            old.item[old.n++] = was;
        snprintf(key, sizeof key, "set.%s", item->key);
        outbox_keep(&f->outbox, key, str_make(item->data, item->data ? item->n : 0));
        if (!item->data)
            old.item[old.n++] = item;
        if (old.n > FLEET_ITEMS - 2)
            shared_free(&old);
    }
    outbox_commit(&f->outbox);
    shared_free(&old);
    change->n = 0;
}

static void take_kept(void *ctx, const char *key, struct str data)
{
    fleet *f = ctx;
    char *own = malloc(data.n + 1);
    if (!own || !manifest_key_ok(str_of(key + 4))) {
        free(own);
        return;
    }
    memcpy(own, data.p, data.n);
    struct shared_item *i = item_new(f, key + 4, own, data.n);
    if (i)
        item_free(put(&f->shared, i));
}

static void take_observation(void *ctx, const char *key, struct str data)
{
    fleet *f = ctx;
    (void)key;
    buf_put(&f->lines, data.p, data.n);
    buf_putc(&f->lines, '\n');
}

void shared_begin(fleet *f)
{
    outbox_kept(&f->outbox, "set.", take_kept, f);
    if (f->shared.n && !put_in_force(f, &f->shared))
        shared_free(&f->shared);
    buf_clear(&f->lines);
    outbox_kept(&f->outbox, "observed.", take_observation, f);
    if (f->lines.n && !f->lines.failed && f->hooks.observe)
        f->hooks.observe((cando_bytes){f->lines.p, f->lines.n});
}

/* -- reading a bucket --------------------------------------------------------------------------
 *
 * A bucket is read from where it was read to. But a bucket can count from lower again: somebody has
 * made it anew, or servers that were killed have lost its end, or one that leads since a moment ago
 * does not know all yet. Who went on behind what he has read would wait for ever; who began anew
 * would take the old for new, as an answer may come from a server that is late. So it is read from
 * its beginning, and what is not above all that was ever seen must be newer than that. */

static const struct bucket {
    const char *stream, *like;
} buckets[NODE_BUCKETS] = {
    {FLEET_BUCKET(LINK_CATALOG), FLEET_SUBJECT(LINK_CATALOG) "set.>"},
    {FLEET_BUCKET(LINK_OBSERVED), FLEET_SUBJECT(LINK_OBSERVED) ">"},
};

/* The next message behind `at` that was not seen; moves `at`. */
static enum node_result next_unseen(fleet *f, enum node_bucket b, struct outbox_read *at,
                                    struct link_message *m)
{
    enum node_result r;
    bool seen = true;
    while (seen) {
        r = link_next(f->link, buckets[b].stream, buckets[b].like, at->revision + 1, m);
        if (r != NODE_DONE)
            return r;
        seen = m->seq <= at->highest && m->time <= at->time;
        at->revision = m->seq;
        at->highest = m->seq > at->highest ? m->seq : at->highest;
        at->time = m->time > at->time ? m->time : at->time;
    }
    return r;
}

/* Nothing is behind what was read, and there should be: does it end before? Then it is read again.
 */
static enum node_result begin_again(fleet *f, enum node_bucket b)
{
    struct outbox_read at = f->outbox.read[b];
    uint64_t newest = 0;
    enum node_result r = link_newest(f->link, buckets[b].stream, &newest);
    if (r != NODE_DONE)
        return r;
    f->doubt[b] = false;
    if (newest >= at.revision)
        return NODE_NOTHING;
    at.revision = 0;
    outbox_revise(&f->outbox, b, at);
    return NODE_DONE;
}

/* -- looking at the catalog -------------------------------------------------------------------- */

static enum node_result fetch_pieces(fleet *f, const char *key, const struct manifest *m,
                                     struct buf *packed)
{
    struct link_message piece = {.data = &f->value};
    for (size_t i = 0; i < m->pieces; i++) {
        char subject[256], number[24];
        snprintf(number, sizeof number, "%zu", i);
        manifest_piece(key, m->hash, number, subject);
        enum node_result r = link_next(f->link, FLEET_BUCKET(LINK_CATALOG), subject, 0, &piece);
        if (r == NODE_NOTHING) { /* not there yet, or no longer: there is a newer one then */
            f->why = "not all pieces of what the fleet was given are there yet";
            return NODE_REFUSED;
        }
        if (r != NODE_DONE)
            return r;
        buf_puts(packed, str_make(f->value.p, f->value.n));
    }
    f->why = packed->failed ? "there is no memory for what the fleet was given" : NULL;
    return packed->failed ? NODE_REFUSED : NODE_DONE;
}

static char *unpack(const struct manifest *m, const struct buf *packed)
{
    uLongf n = m->bytes;
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX], *data = malloc(m->bytes);
    if (!data)
        return NULL;
    int rc = packed->n == m->packed
                 ? uncompress((Bytef *)data, &n, (const Bytef *)packed->p, packed->n)
                 : Z_DATA_ERROR;
    sha256_of(data, rc == Z_OK ? n : 0, hash);
    sha256_hex(hash, hex);
    if (rc == Z_OK && n == m->bytes && strcmp(hex, m->hash) == 0)
        return data;
    free(data);
    return NULL;
}

/* `*out` NULL with DONE: it is not to be taken, now or later. */
static enum node_result fetch(fleet *f, const char *key, const struct manifest *m,
                              struct shared_item **out)
{
    struct buf packed;
    buf_init(&packed, NULL, FLEET_GIFT_MOST);
    enum node_result r = fetch_pieces(f, key, m, &packed);
    char *data = r == NODE_DONE ? unpack(m, &packed) : NULL;
    buf_free(&packed);
    *out = NULL;
    if (r != NODE_DONE)
        return r;
    if (data)
        *out = item_new(f, key, data, m->bytes);
    else
        fleet_say(f, "%s of the fleet is damaged, and is not taken", key);
    return NODE_DONE;
}

/* A removal is an item without data, and `put` would take that for an order. */
static void add_change(struct shared *change, struct shared_item *item)
{
    size_t at = find(change, item->key);
    if (at < change->n)
        item_free(change->item[at]);
    else
        change->n++;
    change->item[at] = item;
}

static enum node_result take_manifest(fleet *f, const struct link_message *msg,
                                      struct shared *change)
{
    struct manifest m;
    struct shared_item *item = NULL;
    struct str key = str_from(str_of(msg->subject), sizeof FLEET_SUBJECT(LINK_CATALOG) "set." - 1);
    char name[FLEET_KEY];
    if (!manifest_key_ok(key))
        return NODE_DONE;
    memcpy(name, key.p, key.n + 1);
    bool known = find(&f->shared, name) < f->shared.n || find(change, name) < change->n;
    if (!known && f->shared.n + change->n >= FLEET_ITEMS) {
        fleet_say(f, "%s of the fleet is not taken: there are more than %d", name, FLEET_ITEMS);
        return NODE_DONE;
    }
    if (msg->deleted) {
        item = item_new(f, name, NULL, 0);
    } else if (!manifest_read(str_make(msg->data->p, msg->data->n), &m)) {
        fleet_say(f, "%s of the fleet has no manifest that this version reads", name);
        return NODE_DONE;
    } else {
        size_t at = find(&f->shared, name);
        if (at < f->shared.n && strcmp(f->shared.item[at]->hash, m.hash) == 0)
            return NODE_DONE;
        enum node_result r = fetch(f, name, &m, &item);
        if (r != NODE_DONE)
            return r;
    }
    if (item)
        add_change(change, item);
    return NODE_DONE;
}

static enum node_result look_at_catalog(fleet *f)
{
    struct buf data;
    struct link_message m = {.data = &data};
    struct shared change = {0};
    struct outbox_read at = f->outbox.read[NODE_CATALOG];
    uint64_t from = at.revision;
    enum node_result r;
    buf_init(&data, NULL, LINK_VALUE_MOST);
    while ((r = next_unseen(f, NODE_CATALOG, &at, &m)) == NODE_DONE &&
           (r = take_manifest(f, &m, &change)) == NODE_DONE)
        ;
    buf_free(&data);
    if (r == NODE_NOTHING && change.n)
        apply(f, &change);
    bool any = r == NODE_NOTHING && at.revision != from;
    if (any)
        outbox_revise(&f->outbox, NODE_CATALOG, at);
    shared_free(&change);
    return any ? NODE_DONE : r;
}

/* -- observations ------------------------------------------------------------------------------ */

static bool is_observation(fleet *f, struct str text, cando_event *e)
{
    cando_room_clear(f->room);
    return text.n && cando_event_decode(text.p, text.n, f->room, e, NULL) == CANDO_OK &&
           e->kind == CANDO_EVENT_OBSERVATION && !memchr(text.p, '\n', text.n);
}

static enum node_result look_at_observed(fleet *f)
{
    const size_t begin = sizeof FLEET_SUBJECT(LINK_OBSERVED) - 1;
    struct link_message m = {.data = &f->value};
    struct outbox_read at = f->outbox.read[NODE_OBSERVED];
    uint64_t from = at.revision;
    enum node_result r;
    cando_event e;
    buf_clear(&f->lines);
    outbox_begin(&f->outbox);
    while ((r = next_unseen(f, NODE_OBSERVED, &at, &m)) == NODE_DONE) {
        struct str text = str_make(f->value.p, f->value.n);
        char key[80];
        snprintf(key, sizeof key, "observed.%.64s",
                 strlen(m.subject) > begin ? m.subject + begin : "");
        if (m.deleted)
            outbox_keep(&f->outbox, key, STR_NONE);
        if (m.deleted || !is_observation(f, text, &e))
            continue;
        outbox_keep(&f->outbox, key, text);
        buf_puts(&f->lines, text);
        buf_putc(&f->lines, '\n');
    }
    bool any = at.revision != from;
    if (any) /* as far as it went */
        outbox_revise(&f->outbox, NODE_OBSERVED, at);
    outbox_commit(&f->outbox);
    if (f->lines.n && !f->lines.failed && f->hooks.observe)
        f->hooks.observe((cando_bytes){f->lines.p, f->lines.n});
    return r == NODE_NOTHING && any ? NODE_DONE : r;
}

static enum node_result look(fleet *f, enum node_bucket b)
{
    return b == NODE_CATALOG ? look_at_catalog(f) : look_at_observed(f);
}

enum node_result shared_look(fleet *f, enum node_bucket b)
{
    enum node_result r = look(f, b);
    if (r == NODE_DONE)
        f->doubt[b] = false;
    if (r != NODE_NOTHING || !f->doubt[b])
        return r;
    r = begin_again(f, b);
    return r == NODE_DONE ? look(f, b) : r;
}

/* One key for each target and field. The newest of all nodes stays, whoever comes last. */
static enum node_result put_observation(fleet *f, const char *subject, struct str line,
                                        uint64_t time)
{
    struct link_message m = {.data = &f->value};
    cando_event there;
    enum node_result r = NODE_CONFLICT;
    for (int i = 0; i < 5 && r == NODE_CONFLICT; i++) {
        r = link_last(f->link, FLEET_BUCKET(LINK_OBSERVED), subject, &m);
        if (r == NODE_NOTHING)
            m.seq = 0;
        else if (r != NODE_DONE)
            return r;
        else if (is_observation(f, str_make(f->value.p, f->value.n), &there) && there.time >= time)
            return NODE_DONE;
        r = link_put(f->link, subject, NULL, m.seq, line.p, line.n, NULL);
    }
    return r;
}

enum node_result shared_observe(fleet *f, struct str line)
{
    struct sha256 h;
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX], subject[128];
    cando_event e;
    if (!is_observation(f, line, &e) || !e.target || !e.field)
        return NODE_DONE;
    sha256_init(&h);
    sha256_put(&h, e.target, strlen(e.target) + 1);
    sha256_put(&h, e.field, strlen(e.field));
    sha256_end(&h, hash);
    sha256_hex(hash, hex);
    snprintf(subject, sizeof subject, FLEET_SUBJECT(LINK_OBSERVED) "%.32s", hex);
    return put_observation(f, subject, line, e.time);
}
