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

struct event_text {
    const char *time, *kind, *session, *change, *target, *previous, *verdict;
    const char *const *missing, *const *required_by, *const *findings;
    size_t n_missing, n_required_by, n_findings;
    const char *suggestion;
    const cando_param_affected *params_affected;
    size_t n_params_affected;
    const char *field, *value, *evidence, *expires;
    uint64_t count, through;
    const char *through_hash;
};

#define S cando_param_affected
static const struct shape_member param_members[] = {
    TEXTS(param_path, NEEDED, ""),
    TEXT(reason, OMIT, ""),
    JSON(current_value, OMIT, ""),
    TEXT(source_layer, OMIT, ""),
};
#undef S
static const struct shape param_shape =
    SHAPE_OPEN("a parameter", cando_param_affected, param_members);

/* In the order of the text, which is hashed. */
#define S struct event_text
static const struct shape_member event_members[] = {
    TEXT(time, NEEDED, "when"),   TEXT(kind, NEEDED, "what"),
    TEXT(session, OMIT, ""),      TEXT(change, OMIT, ""),
    TEXT(target, OMIT, ""),       TEXT(previous, OMIT, ""),
    TEXT(verdict, OMIT, ""),      TEXTS(missing, OMIT, ""),
    TEXTS(required_by, OMIT, ""), TEXTS(findings, OMIT, ""),
    TEXT(suggestion, OMIT, ""),   LIST(params_affected, &param_shape, OMIT, ""),
    TEXT(field, OMIT, ""),        TEXT(value, OMIT, ""),
    TEXT(evidence, OMIT, ""),     TEXT(expires, OMIT, ""),
    COUNT(count, OMIT, ""),       COUNT(through, OMIT, ""),
    TEXT(through_hash, OMIT, ""),
};
#undef S
static const struct shape event_shape = SHAPE_OPEN("an event", struct event_text, event_members);

/* Texts without their secrets. */
struct cleaner {
    struct arena *ar;
    bool failed;
};

static const char *clean(struct cleaner *c, const char *key, const char *text)
{
    struct buf b;
    if (!text || !*text)
        return NULL;
    buf_init_arena(&b, c->ar, LIMIT_EVENT_BYTES);
    redact_text(&b, str_of(text), str_of(key));
    const char *own = buf_cstr(&b);
    c->failed |= !own;
    return own;
}

static const char *const *clean_list(struct cleaner *c, const char *key, const char *const *item,
                                     size_t n)
{
    const char **own = n ? arena_array(c->ar, n, sizeof *own) : NULL;
    c->failed |= n && !own;
    for (size_t i = 0; own && i < n; i++) {
        own[i] = clean(c, key, item[i]);
        own[i] = own[i] ? own[i] : "";
    }
    return own;
}

/* NULL: nobody is named at all. */
static const char *const *clean_names(struct cleaner *c, const cando_event *e)
{
    bool any = false;
    for (size_t i = 0; e->required_by && i < e->n_missing; i++)
        any |= e->required_by[i] && *e->required_by[i];
    return any ? clean_list(c, "required_by", e->required_by, e->n_missing) : NULL;
}

/* Nothing, if it is no word for everybody: a step of the path alone may say that it is a secret. */
static cando_bytes clean_value(struct cleaner *c, const cando_param_affected *p)
{
    struct str v = STR_IN(p->current_value);
    for (size_t i = 0; i < p->n_param_path; i++)
        if (redact_tells(str_of(p->param_path[i])))
            return (cando_bytes){0};
    if (v.n < 2 || v.p[0] != '"')
        return p->current_value;
    const char *text = str_dup(c->ar, str_make(v.p + 1, v.n - 2)).p;
    const char *own = text ? clean(c, p->param_path[p->n_param_path - 1], text) : NULL;
    c->failed |= !text;
    return own && strcmp(own, text) == 0 ? p->current_value : (cando_bytes){0};
}

static const cando_param_affected *clean_params(struct cleaner *c, const cando_event *e)
{
    size_t n = e->n_params_affected;
    cando_param_affected *own = n ? arena_array(c->ar, n, sizeof *own) : NULL;
    c->failed |= n && !own;
    for (size_t i = 0; own && i < n; i++) {
        const cando_param_affected *p = &e->params_affected[i];
        own[i] = (cando_param_affected){
            .param_path = clean_list(c, "param_path", p->param_path, p->n_param_path),
            .n_param_path = p->n_param_path,
            .reason = clean(c, "reason", p->reason),
            .current_value = clean_value(c, p),
            .source_layer = clean(c, "source_layer", p->source_layer),
        };
    }
    return own;
}

static void put_event(struct json_writer *w, const cando_event *e, struct cleaner *c)
{
    char time[INSTANT_TEXT], expires[INSTANT_TEXT];
    bool retained = e->kind == CANDO_EVENT_RETENTION;
    const char *const *required_by = clean_names(c, e);
    const struct event_text t = {
        .time = instant_text(e->time, time).p,
        .kind = cando_event_kind_name(e->kind),
        .session = clean(c, "session", e->session),
        .change = clean(c, "change", e->change),
        .target = clean(c, "target", e->target),
        .previous = clean(c, "previous", e->previous),
        .verdict = e->decided ? verdict_word(e->verdict) : NULL,
        .missing = clean_list(c, "missing", e->missing, e->n_missing),
        .n_missing = e->n_missing,
        .required_by = required_by,
        .n_required_by = required_by ? e->n_missing : 0,
        .findings = clean_list(c, "findings", e->findings, e->n_findings),
        .n_findings = e->n_findings,
        .suggestion = clean(c, "suggestion", e->suggestion),
        .params_affected = clean_params(c, e),
        .n_params_affected = e->n_params_affected,
        .field = clean(c, "field", e->field),
        .value = clean(c, "value", e->value),
        .evidence = clean(c, "evidence", e->evidence),
        .expires = e->expires ? instant_text(e->expires, expires).p : NULL,
        .count = retained ? 0 : e->count,
        .through = retained ? e->count : 0,
        .through_hash = e->hash && *e->hash ? e->hash : NULL,
    };
    if (!c->failed)
        shape_write(w, &event_shape, &t);
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
    struct arena ar;
    struct json_writer w;
    struct cleaner c = {.ar = &ar};
    arena_init(&ar, a);
    buf_init(&b, a, LIMIT_EVENT_BYTES);
    jw_init(&w, &b, false);
    put_event(&w, event, &c);
    arena_free(&ar);
    char *text = !c.failed && buf_cstr(&b) ? mem_resize(a, b.p, b.cap, b.n + 1) : NULL;
    if (!text) {
        bool large = !c.failed && b.n + LIMIT_NAME_BYTES * 3 > LIMIT_EVENT_BYTES;
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
    if (!v || !shape_read(&r, &event_shape, v, str_make(text, len), "", &t))
        return reading_end(&r, err);
    *out = (cando_event){
        .kind = 0,
        .time = time_of(t.time),
        .session = t.session,
        .change = t.change,
        .target = t.target,
        .previous = t.previous,
        .decided = t.verdict != NULL,
        .missing = t.missing,
        .n_missing = t.n_missing,
        .required_by = t.n_required_by == t.n_missing ? t.required_by : NULL,
        .findings = t.findings,
        .n_findings = t.n_findings,
        .suggestion = t.suggestion,
        .params_affected = t.params_affected,
        .n_params_affected = t.n_params_affected,
        .field = t.field,
        .value = t.value,
        .evidence = t.evidence,
        .expires = time_of(t.expires),
        .count = t.count ? t.count : t.through,
        .hash = t.through_hash,
    };
    /* a word that there is none of is found by the check */
    while (out->kind < CANDO_EVENT_KINDS && strcmp(cando_event_kind_name(out->kind), t.kind) != 0)
        out->kind++;
    while (t.verdict && out->verdict <= CANDO_REJECTED &&
           strcmp(verdict_word(out->verdict), t.verdict) != 0)
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
