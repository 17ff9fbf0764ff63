/*
 * health.c - GET /healthz: it runs; GET /readyz: it answers, by which catalog, and whether the
 * files on disk are those in force.
 */
#include "epoch.h"
#include "http.h"
#include "json.h"
#include "member.h"

#include "base/instant.h"

void route_healthz(struct request *r, struct reply *a)
{
    (void)r;
    a->body = STR("{\"status\":\"ok\"}\n");
    a->is_static = true;
}

static void put_fleet(struct buf *b)
{
    struct fleet_state f;
    if (!member_state(&f))
        return;
    buf_printf(b,
               ",\"fleet\":{\"node\":\"%s\",\"connected\":%s,\"sent\":%ju,\"unsent\":%ju,"
               "\"overlays\":%ju,\"catalog\":",
               f.node, f.connected ? "true" : "false", (uintmax_t)f.sent, (uintmax_t)f.unsent,
               (uintmax_t)f.overlays);
    json_text(b, f.catalog[0] ? f.catalog : NULL);
    buf_putz(b, ",\"problem\":");
    json_text(b, f.problem[0] ? f.problem : NULL);
    buf_putc(b, '}');
}

void route_readyz(struct request *r, struct reply *a)
{
    struct buf b;
    struct epoch_state s;
    char since[INSTANT_TEXT];
    struct epoch *e = epoch_hold();
    epoch_state(&s);
    buf_init_arena(&b, r->ar, 4096);
    bool ending = http_is_ending();
    buf_printf(
        &b,
        "{\"status\":\"%s\",\"version\":\"%s\",\"catalog\":{\"hash\":\"%016jx\",\"epoch\":%ju,"
        "\"since\":\"%s\",\"newest\":",
        ending     ? "ending"
        : s.broken ? "stale"
                   : "ok",
        cando_version(), (uintmax_t)e->hash, (uintmax_t)e->number, instant_text(e->since, since).p);
    json_text(&b, e->newest[0] ? e->newest : NULL);
    buf_printf(&b, "},\"reloads\":%ju,\"failures\":%ju,\"problem\":", (uintmax_t)s.reloads,
               (uintmax_t)s.failures);
    json_text(&b, s.broken ? s.message : NULL);
    put_fleet(&b);
    buf_putz(&b, "}\n");
    epoch_drop(e);
    a->status = ending ? 503 : 200;
    a->body = b.failed ? STR_NONE : str_make(b.p, b.n);
    a->no_pack = true;
    reply_header(a, "Cache-Control", "no-store");
}
