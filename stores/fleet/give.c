/*
 * give.c - gives a catalog or a rule file to all nodes.
 *
 * The pieces are written first, under the hash of what they make together, then the manifest that
 * names it, and only behind the manifest that was there when this began: of two who give at the
 * same time one is told so. A node that looks in between finds the old manifest and its pieces;
 * these go when the new one is in place.
 */
#define _POSIX_C_SOURCE 200809L
#include "fleet_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { PATIENCE = 20000, PAUSE = 300 }; /* milliseconds: as long as a leader may be away */

cando_status fleet_fail(struct link *l, const char *what, cando_error *err)
{
    char problem[LINK_PROBLEM];
    link_problem(l, problem);
    error_set(err, CANDO_INTERNAL, CODE_fleet, "cannot %s: %s", what, problem);
    error_hint(err, "are the servers of --nats there, with JetStream, and may this user use it?");
    return CANDO_INTERNAL;
}

bool fleet_again(struct link *l, enum node_result r, uint64_t until)
{
    const struct timespec pause = {.tv_nsec = PAUSE * 1000000l};
    if (r != NODE_SILENT && r != NODE_CUT)
        return false;
    while (fleet_clock() < until) {
        if (!link_is_cut(l) || link_connect(l) == NODE_DONE)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

struct link *fleet_connect(const struct fleet_options *o, uint64_t *until, cando_error *err)
{
    struct link *l = link_new(o, "cando", err);
    *until = fleet_clock() + PATIENCE;
    if (!l)
        return NULL;
    enum node_result r = link_connect(l);
    if (r == NODE_DONE || (link_was_there(l) && fleet_again(l, NODE_CUT, *until)))
        return l;
    fleet_fail(l, "use the fleet", err);
    link_free(l);
    return NULL;
}

static char *pack(const struct fleet_gift *g, struct manifest *m)
{
    unsigned char hash[SHA256_BYTES];
    uLongf n = compressBound(g->data.n);
    char *packed = malloc(n);
    if (!packed || compress2((Bytef *)packed, &n, (const Bytef *)g->data.p, g->data.n, 6) != Z_OK) {
        free(packed);
        return NULL;
    }
    sha256_of(g->data.p, g->data.n, hash);
    sha256_hex(hash, m->hash);
    m->bytes = g->data.n;
    m->packed = n;
    return packed;
}

/* What has no answer is sent again: the same bytes under the same key are the same. */
static enum node_result put_surely(struct link *l, uint64_t until, const char *subject,
                                   const void *data, size_t n)
{
    enum node_result r;
    do
        r = link_put(l, subject, NULL, LINK_ANY, data, n, NULL);
    while (fleet_again(l, r, until));
    return r;
}

static enum node_result put_pieces(struct link *l, uint64_t until, const char *key,
                                   struct manifest *m, const char *packed)
{
    size_t room = link_room(l);
    enum node_result r = NODE_DONE;
    m->pieces = 0;
    for (size_t at = 0; at < m->packed && r == NODE_DONE; at += room, m->pieces++) {
        char subject[256], number[24];
        size_t n = m->packed - at < room ? m->packed - at : room;
        snprintf(number, sizeof number, "%zu", m->pieces);
        manifest_piece(key, m->hash, number, subject);
        r = put_surely(l, until, subject, packed + at, n);
    }
    return r;
}

static enum node_result last_surely(struct link *l, uint64_t until, const char *subject,
                                    struct link_message *m)
{
    enum node_result r;
    do
        r = link_last(l, FLEET_BUCKET(LINK_CATALOG), subject, m);
    while (fleet_again(l, r, until));
    return r;
}

/* After an answer that got lost a conflict may be with ourselves: is what is there now ours? */
static enum node_result put_manifest(struct link *l, uint64_t until, const char *subject,
                                     uint64_t last, struct str text, struct link_message *there)
{
    enum node_result r;
    bool again = false, more;
    do {
        r = link_put(l, subject, NULL, last, text.p, text.n, NULL);
        if (r == NODE_CONFLICT && again && last_surely(l, until, subject, there) == NODE_DONE &&
            str_eq(str_make(there->data->p, there->data->n), text))
            r = NODE_DONE;
        more = fleet_again(l, r, until);
        again = true;
    } while (more);
    return r;
}

static void drop_pieces(struct link *l, const char *key, const struct link_message *there,
                        const struct manifest *now)
{
    struct manifest old;
    char subject[256];
    if (!manifest_read(str_make(there->data->p, there->data->n), &old))
        return;
    if (now && strcmp(old.hash, now->hash) == 0)
        return;
    manifest_piece(key, old.hash, "*", subject);
    (void)link_purge(l, FLEET_BUCKET(LINK_CATALOG), subject); /* else they only take room */
}

static enum node_result give(struct link *l, uint64_t until, const struct fleet_gift *g,
                             const char *packed, struct manifest *m, struct link_message *there)
{
    char subject[128], text[160];
    struct buf other;
    struct link_message again = {.data = &other};
    snprintf(subject, sizeof subject, FLEET_SUBJECT(LINK_CATALOG) "set.%s", g->key);
    enum node_result r = last_surely(l, until, subject, there);
    if (r == NODE_NOTHING)
        there->seq = 0;
    else if (r != NODE_DONE)
        return r;
    if (!packed)
        return r == NODE_DONE && !there->deleted ? link_delete(l, subject) : NODE_NOTHING;
    r = put_pieces(l, until, g->key, m, packed);
    if (r != NODE_DONE)
        return r;
    buf_init(&other, NULL, LINK_VALUE_MOST);
    int n = manifest_write(m, text);
    r = put_manifest(l, until, subject, there->seq, str_make(text, (size_t)n), &again);
    buf_free(&other);
    return r;
}

static cando_status give_one(struct link *l, uint64_t until, const struct fleet_gift *g,
                             cando_error *err)
{
    struct manifest m = {0};
    struct buf data;
    struct link_message there = {.data = &data};
    char what[FLEET_KEY + 24];
    if (!manifest_key_ok(str_of(g->key)) || g->data.n > FLEET_GIFT_MOST)
        return error_set(err, CANDO_BAD_INPUT, CODE_fleet,
                         "'%.80s' cannot be given to a fleet: it has more than %d MB, or its name "
                         "more than letters, digits, - and _",
                         g->key, FLEET_GIFT_MOST >> 20);
    char *packed = g->data.n ? pack(g, &m) : NULL;
    if (g->data.n && !packed)
        return error_memory(err);
    buf_init(&data, NULL, LINK_VALUE_MOST);
    enum node_result r = give(l, until, g, packed, &m, &there);
    if (r == NODE_DONE)
        drop_pieces(l, g->key, &there, packed ? &m : NULL);
    buf_free(&data);
    snprintf(what, sizeof what, "give %s to the fleet", g->key);
    free(packed);
    if (r == NODE_DONE)
        return CANDO_OK;
    if (r == NODE_NOTHING)
        return error_set(err, CANDO_BAD_QUESTION, CODE_fleet, "the fleet has no %s", g->key);
    if (r != NODE_CONFLICT)
        return fleet_fail(l, what, err);
    error_set(err, CANDO_BAD_INPUT, CODE_fleet,
              "cannot %s: somebody else has given it another one at the same time", what);
    error_hint(err, "look what is in force now, then try again");
    return CANDO_BAD_INPUT;
}

cando_status fleet_give(const struct fleet_options *o, const struct fleet_gift *g, size_t n,
                        cando_error *err)
{
    uint64_t until;
    struct link *l = fleet_connect(o, &until, err);
    cando_status st = l ? CANDO_OK : err->status;
    for (size_t i = 0; i < n && st == CANDO_OK; i++)
        st = give_one(l, until, &g[i], err);
    link_free(l);
    return st;
}
