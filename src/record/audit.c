#include "audit.h"

#include "base/instant.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "catalog/engine.h"
#include "redact.h"
#include "text/shape.h"

#include <stdio.h>

_Static_assert(CANDO_HASH_BYTES == SHA256_BYTES, "the chain is one of SHA-256");

/* -- an event's text ------------------------------------------------------------------- */

struct encoder {
    struct json_writer w;
    struct buf clean; /* a text without its secrets */
};

static void put_clean(struct encoder *e, const char *key, const char *text)
{
    buf_clear(&e->clean);
    redact_text(&e->clean, str_of(text), str_of(key));
    if (e->clean.failed)
        e->w.out->failed = true;
    jw_str(&e->w, str_make(e->clean.p, e->clean.n));
}

static void put_text(struct encoder *e, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    jw_keyz(&e->w, key);
    put_clean(e, key, text);
}

static void put_list(struct encoder *e, const char *key, const char *const *item, size_t n)
{
    if (!n)
        return;
    jw_keyz(&e->w, key);
    jw_array(&e->w);
    for (size_t i = 0; i < n; i++)
        put_clean(e, key, item[i]);
    jw_array_end(&e->w);
}

static void put_event(struct encoder *e, const cando_event *v)
{
    char time[INSTANT_TEXT];
    jw_object(&e->w);
    jw_keyz(&e->w, "time");
    jw_str(&e->w, instant_text(v->time, time));
    jw_keyz(&e->w, "kind");
    jw_strz(&e->w, cando_event_kind_name(v->kind));
    put_text(e, "session", v->session);
    put_text(e, "change", v->change);
    put_text(e, "target", v->target);
    put_text(e, "previous", v->previous);
    if (v->decided) {
        jw_keyz(&e->w, "verdict");
        jw_strz(&e->w, verdict_word(v->verdict));
    }
    put_list(e, "missing", v->missing, v->n_missing);
    put_list(e, "findings", v->findings, v->n_findings);
    put_text(e, "field", v->field);
    put_text(e, "value", v->value);
    put_text(e, "evidence", v->evidence);
    if (v->expires) {
        jw_keyz(&e->w, "expires");
        jw_str(&e->w, instant_text(v->expires, time));
    }
    if (v->count) {
        jw_keyz(&e->w, v->kind == CANDO_EVENT_RETENTION ? "through" : "count");
        jw_uint(&e->w, v->count);
    }
    if (v->hash && *v->hash) {
        jw_keyz(&e->w, "through_hash");
        jw_strz(&e->w, v->hash);
    }
    jw_object_end(&e->w);
}

cando_status cando_event_encode(const cando_event *event, const cando_allocator *a, char **out,
                                size_t *len, cando_error *err)
{
    *out = NULL;
    *len = 0;
    cando_status st = event_check(event, err);
    if (st != CANDO_OK)
        return st;
    struct buf b;
    struct encoder e;
    buf_init(&b, a, LIMIT_EVENT_BYTES);
    buf_init(&e.clean, a, LIMIT_EVENT_BYTES);
    jw_init(&e.w, &b, false);
    put_event(&e, event);
    buf_free(&e.clean);
    char *text = buf_cstr(&b) ? mem_resize(a, b.p, b.cap, b.n + 1) : NULL;
    if (!text) {
        bool large = b.n + LIMIT_NAME_BYTES * 3 > LIMIT_EVENT_BYTES;
        buf_free(&b);
        if (large)
            return error_set(err, CANDO_BAD_QUESTION, CODE_too_long,
                             "an event has at most %u bytes as text", LIMIT_EVENT_BYTES);
        return error_memory(err);
    }
    *out = text;
    *len = b.n;
    return CANDO_OK;
}

void cando_event_free_text(const cando_allocator *a, char *text, size_t len)
{
    if (text)
        mem_free(a, text, len + 1);
}

/* -- and back -------------------------------------------------------------------------- */

struct event_text {
    const char *time, *kind, *session, *change, *target, *previous, *verdict;
    const char *const *missing, *const *findings;
    size_t n_missing, n_findings;
    const char *field, *value, *evidence, *expires;
    uint64_t count, through;
    const char *through_hash;
};

#define S struct event_text
static const struct shape_member event_members[] = {
    TEXT(time, NEEDED, "when"),   TEXT(kind, NEEDED, "what"), TEXT(session, NONE, ""),
    TEXT(change, NONE, ""),       TEXT(target, NONE, ""),     TEXT(previous, NONE, ""),
    TEXT(verdict, NONE, ""),      TEXTS(missing, NONE, ""),   TEXTS(findings, NONE, ""),
    TEXT(field, NONE, ""),        TEXT(value, NONE, ""),      TEXT(evidence, NONE, ""),
    TEXT(expires, NONE, ""),      COUNT(count, NONE, ""),     COUNT(through, NONE, ""),
    TEXT(through_hash, NONE, ""),
};
#undef S
static const struct shape event_shape = SHAPE_OPEN("an event", struct event_text, event_members);

static uint64_t time_of(const char *text)
{
    struct instant t;
    uint64_t ms;
    return text && instant_parse(str_of(text), &t) && instant_to_ms(&t, &ms) ? ms : 0;
}

cando_status cando_event_decode(const char *text, size_t len, cando_room *room, cando_event *out,
                                cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    struct event_text t = {0};
    const struct json *v = reading_json(&r, (cando_bytes){text, len}, STR(""));
    if (!v || !shape_read(&r, &event_shape, v, str_make(text, len), STR(""), "", &t))
        return reading_end(&r, err);
    *out = (cando_event){
        .kind = CANDO_EVENT_KINDS,
        .time = time_of(t.time),
        .session = t.session,
        .change = t.change,
        .target = t.target,
        .previous = t.previous,
        .decided = t.verdict != NULL,
        .missing = t.missing,
        .n_missing = t.n_missing,
        .findings = t.findings,
        .n_findings = t.n_findings,
        .field = t.field,
        .value = t.value,
        .evidence = t.evidence,
        .expires = time_of(t.expires),
        .count = t.count ? t.count : t.through,
        .hash = t.through_hash,
    };
    for (unsigned k = 0; k < CANDO_EVENT_KINDS; k++)
        if (strcmp(cando_event_kind_name((cando_event_kind)k), t.kind) == 0)
            out->kind = (cando_event_kind)k;
    while (t.verdict && strcmp(verdict_word(out->verdict), t.verdict) != 0 &&
           out->verdict <= CANDO_REJECTED)
        out->verdict++;
    return event_check(out, err);
}

/* -- the chain ------------------------------------------------------------------------- */

size_t audit_head(const cando_chain *before, char out[CANDO_RECORD_ROOM])
{
    char hex[SHA256_HEX];
    sha256_hex(before->hash, hex);
    int n = snprintf(out, CANDO_RECORD_ROOM, "{\"n\":%ju,\"prev\":\"%s\",",
                     (uintmax_t)before->n + 1, hex);
    return n < 0 ? 0 : (size_t)n;
}

size_t cando_chain_append(cando_chain *c, const char *event, size_t len, char *out)
{
    char head[CANDO_RECORD_ROOM];
    if (len < 3 || event[0] != '{' || event[1] != '"' || event[len - 1] != '}' ||
        c->n >= LIMIT_NUMBER)
        return 0;
    size_t n = audit_head(c, head);
    memcpy(out, head, n);
    memcpy(out + n, event + 1, len - 1);
    n += len - 1;
    sha256_of(out, n, c->hash);
    c->n++;
    return n;
}

const char *cando_chain_follow(cando_chain *c, const char *record, size_t len,
                               const unsigned char hash[CANDO_HASH_BYTES])
{
    char head[CANDO_RECORD_ROOM];
    unsigned char own[SHA256_BYTES];
    size_t n = audit_head(c, head);
    sha256_of(record, len, own);
    if (memcmp(own, hash, sizeof own) != 0)
        return "its text does not have its hash";
    if (len < n || memcmp(record, head, n) != 0)
        return "it does not name the number and the hash of the record before it";
    memcpy(c->hash, own, sizeof own);
    c->n++;
    return NULL;
}
