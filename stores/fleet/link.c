#define _POSIX_C_SOURCE 200809L
#include "link.h"

#include "base/diag.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct link {
    natsOptions *options;
    char *urls; /* with NULs between them */
    natsConnection *nc;
    jsCtx *js;
    natsSubscription *sub[NODE_BUCKETS];
    pthread_mutex_t lock; /* of `problem`, and of nc while it is made or goes */
    _Atomic bool interrupted;
    bool there; /* a server was, the last time */
    void (*hint)(void *ctx, enum node_bucket b);
    void *ctx;
    char problem[LINK_PROBLEM];
};

static _Atomic unsigned links; /* in this process, whose threads of the library are one set */

/* -- options ----------------------------------------------------------------------------------- */

static cando_status bad_option(cando_error *err, const char *what, const char *value,
                               const char *hint)
{
    error_set(err, CANDO_BAD_QUESTION, CODE_bad_option, "%s does not take '%s'", what, value);
    error_hint(err, "%s", hint);
    return CANDO_BAD_QUESTION;
}

static cando_status check_url(const char *url, cando_error *err)
{
    static const char *const known[] = {"nats://", "tls://"};
    const char *colon = strstr(url, "://");
    bool ok = *url && !strchr(url, ' ');
    if (colon) {
        ok = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            ok |= strncmp(url, known[i], strlen(known[i])) == 0 && url[strlen(known[i])];
    }
    return ok ? CANDO_OK
              : bad_option(err, "--nats", url,
                           "nats://HOST:PORT or tls://HOST:PORT, several with commas between them");
}

static cando_status set_servers(struct link *l, const char *url, cando_error *err)
{
    const char *server[LINK_SERVERS];
    int n = 0;
    cando_status st = CANDO_OK;
    l->urls = strdup(url);
    if (!l->urls)
        return error_memory(err);
    for (char *p = l->urls, *comma; p && st == CANDO_OK; p = comma ? comma + 1 : NULL) {
        comma = strchr(p, ',');
        if (comma)
            *comma = '\0';
        st = check_url(p, err);
        if (n == LINK_SERVERS && st == CANDO_OK)
            st = bad_option(err, "--nats", url, "at most sixteen servers");
        if (st == CANDO_OK)
            server[n++] = p;
    }
    if (st == CANDO_OK && natsOptions_SetServers(l->options, server, n) != NATS_OK)
        st = bad_option(err, "--nats", url, "nats://HOST:PORT, several with commas between them");
    return st;
}

static cando_status file_there(const char *option, const char *path, cando_error *err)
{
    if (!path || access(path, R_OK) == 0)
        return CANDO_OK;
    return error_set(err, CANDO_BAD_INPUT, CODE_io, "cannot read %s, which %s names", path, option);
}

static cando_status set_secrets(struct link *l, const struct fleet_options *o, cando_error *err)
{
    cando_status st = file_there("--nats-creds", o->creds, err);
    if (st == CANDO_OK)
        st = file_there("--nats-ca", o->ca, err);
    if (st == CANDO_OK)
        st = file_there("--nats-cert", o->cert, err);
    if (st == CANDO_OK)
        st = file_there("--nats-key", o->key, err);
    if (st == CANDO_OK && !o->cert != !o->key)
        st = error_set(err, CANDO_BAD_QUESTION, CODE_bad_option,
                       "--nats-cert and --nats-key go together");
    if (st != CANDO_OK)
        return st;
    bool tls = o->ca || o->cert || strstr(o->url, "tls://");
    const char *hint = "it has to be a file of PEM";
    if (tls && natsOptions_SetSecure(l->options, true) != NATS_OK)
        return error_memory(err);
    if (o->ca && natsOptions_LoadCATrustedCertificates(l->options, o->ca) != NATS_OK)
        return bad_option(err, "--nats-ca", o->ca, hint);
    if (o->cert && natsOptions_LoadCertificatesChain(l->options, o->cert, o->key) != NATS_OK)
        return bad_option(err, "--nats-cert", o->cert, hint);
    if (o->creds && natsOptions_SetUserCredentialsFromFiles(l->options, o->creds, NULL) != NATS_OK)
        return bad_option(err, "--nats-creds", o->creds, "it has to be a file of nsc or nk");
    return CANDO_OK;
}

static bool set_manners(struct link *l, const char *name)
{
    return natsOptions_SetName(l->options, name) == NATS_OK &&
           natsOptions_SetAllowReconnect(l->options, false) == NATS_OK &&
           natsOptions_SetTimeout(l->options, LINK_CONNECT_WAIT) == NATS_OK &&
           natsOptions_SetPingInterval(l->options, 4000) == NATS_OK &&
           natsOptions_SetMaxPingsOut(l->options, 2) == NATS_OK;
}

static void __attribute__((format(printf, 2, 3)))
set_problem(struct link *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    pthread_mutex_lock(&l->lock);
    vsnprintf(l->problem, sizeof l->problem, fmt, ap);
    for (char *p = l->problem; *p; p++) /* a server's words may reach a terminal */
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    pthread_mutex_unlock(&l->lock);
    va_end(ap);
}

/* Errors that concern no call, such as a subject that may not be subscribed to: kept to be told. */
static void take_error(natsConnection *nc, natsSubscription *sub, natsStatus s, void *closure)
{
    struct link *l = closure;
    const char *text = NULL;
    (void)sub;
    natsConnection_GetLastError(nc, &text);
    set_problem(l, "%.180s", text && *text ? text : natsStatus_GetText(s));
}

struct link *link_new(const struct fleet_options *o, const char *name, cando_error *err)
{
    struct link *l = calloc(1, sizeof *l);
    if (!l) {
        error_memory(err);
        return NULL;
    }
    pthread_mutex_init(&l->lock, NULL);
    atomic_fetch_add(&links, 1);
    cando_status st = natsOptions_Create(&l->options) == NATS_OK && set_manners(l, name) &&
                              natsOptions_SetErrorHandler(l->options, take_error, l) == NATS_OK
                          ? CANDO_OK
                          : error_memory(err);
    if (st == CANDO_OK)
        st = set_servers(l, o->url, err);
    if (st == CANDO_OK)
        st = set_secrets(l, o, err);
    if (st == CANDO_OK)
        return l;
    link_free(l);
    return NULL;
}

void link_on_hint(struct link *l, void (*hint)(void *ctx, enum node_bucket b), void *ctx)
{
    l->hint = hint;
    l->ctx = ctx;
}

void link_free(struct link *l)
{
    if (!l)
        return;
    bool called = l->hint != NULL;
    link_disconnect(l);
    natsOptions_Destroy(l->options);
    /* until nobody is in `hint` any more; and the last one leaves nothing on its way behind */
    if (atomic_fetch_sub(&links, 1) == 1 || called)
        nats_CloseAndWait(LINK_WAIT);
    pthread_mutex_destroy(&l->lock);
    free(l->urls);
    free(l);
}

void link_problem(struct link *l, char out[LINK_PROBLEM])
{
    pthread_mutex_lock(&l->lock);
    memcpy(out, l->problem, LINK_PROBLEM);
    pthread_mutex_unlock(&l->lock);
}

/* -- results ----------------------------------------------------------------------------------- */

bool link_is_cut(struct link *l)
{
    return !l->nc || l->interrupted || natsConnection_Status(l->nc) != NATS_CONN_STATUS_CONNECTED;
}

bool link_was_there(const struct link *l)
{
    return l->there;
}

static void say_problem(struct link *l, const char *what, natsStatus s)
{
    const char *more = nats_GetLastError(NULL);
    set_problem(l, "%s: %s%s%.120s", what, natsStatus_GetText(s), more && *more ? ", " : "",
                more && *more ? more : "");
}

/* What a call came to. A server that says no says why by a code. */
static enum node_result result(struct link *l, const char *what, natsStatus s, jsErrCode code)
{
    if (s == NATS_OK)
        return NODE_DONE;
    if (code == JSStreamWrongLastSequenceErr)
        return NODE_CONFLICT;
    if (s == NATS_NOT_FOUND)
        return NODE_NOTHING;
    say_problem(l, what, s);
    if (link_is_cut(l))
        return NODE_CUT;
    return code || s == NATS_INVALID_ARG || s == NATS_MAX_PAYLOAD ? NODE_REFUSED : NODE_SILENT;
}

/* -- stream and buckets ------------------------------------------------------------------------ */

static natsStatus add(struct link *l, const char *name, const char *subject, bool bucket,
                      jsErrCode *code)
{
    jsStreamConfig c;
    const char *subjects[] = {subject};
    jsStreamConfig_Init(&c);
    c.Name = name;
    c.Subjects = subjects;
    c.SubjectsLen = 1;
    c.Storage = js_FileStorage;
    c.Replicas = LINK_REPLICAS;
    c.Duplicates = (int64_t)LINK_DUPLICATES * 1000000000;
    c.AllowDirect = true;
    if (bucket) { /* as the command line of NATS makes them */
        c.MaxMsgsPerSubject = 1;
        c.AllowRollup = true;
        c.DenyDelete = true;
        c.Discard = js_DiscardNew;
    }
    *code = 0;
    natsStatus s = js_AddStream(NULL, l->js, &c, NULL, code);
    if (*code != JSStreamReplicasNotSupportedErr)
        return s;
    c.Replicas = 1; /* one server, on its own, on purpose */
    *code = 0;
    return js_AddStream(NULL, l->js, &c, NULL, code);
}

/* One that is there stays as somebody has made it: limits, replicas, placement. */
static enum node_result ensure(struct link *l, const char *name, const char *subject, bool bucket)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&info, l->js, name, NULL, &code);
    jsStreamInfo_Destroy(info);
    if (s == NATS_NOT_FOUND || code == JSStreamNotFoundErr) {
        s = add(l, name, subject, bucket, &code);
        if (code == JSStreamNameExistErr) /* another node was faster */
            s = NATS_OK;
    }
    return result(l, name, s, s == NATS_OK ? 0 : code);
}

static enum node_result ensure_all(struct link *l)
{
    enum node_result r = ensure(l, LINK_AUDIT, LINK_AUDIT_SUBJECT "*", false);
    if (r == NODE_DONE)
        r = ensure(l, "KV_" LINK_CATALOG, "$KV." LINK_CATALOG ".>", true);
    if (r == NODE_DONE)
        r = ensure(l, "KV_" LINK_OBSERVED, "$KV." LINK_OBSERVED ".>", true);
    return r;
}

/* -- connecting -------------------------------------------------------------------------------- */

static void take_catalog(natsConnection *nc, natsSubscription *sub, natsMsg *m, void *closure)
{
    struct link *l = closure;
    (void)nc;
    (void)sub;
    natsMsg_Destroy(m);
    l->hint(l->ctx, NODE_CATALOG);
}

static void take_observed(natsConnection *nc, natsSubscription *sub, natsMsg *m, void *closure)
{
    struct link *l = closure;
    (void)nc;
    (void)sub;
    natsMsg_Destroy(m);
    l->hint(l->ctx, NODE_OBSERVED);
}

/* A plain subscription to the subjects that writers of a bucket write to: it costs the cluster
 * next to nothing, where a consumer for each node would be work for it. Pieces are left out. */
static natsStatus listen_to(struct link *l)
{
    if (!l->hint)
        return NATS_OK;
    natsStatus s = natsConnection_Subscribe(&l->sub[NODE_CATALOG], l->nc,
                                            "$KV." LINK_CATALOG ".set.>", take_catalog, l);
    if (s == NATS_OK)
        s = natsConnection_Subscribe(&l->sub[NODE_OBSERVED], l->nc, "$KV." LINK_OBSERVED ".>",
                                     take_observed, l);
    return s;
}

enum node_result link_connect(struct link *l)
{
    jsOptions o;
    natsConnection *nc = NULL;
    link_disconnect(l);
    natsStatus s = natsConnection_Connect(&nc, l->options);
    pthread_mutex_lock(&l->lock);
    l->nc = nc;
    pthread_mutex_unlock(&l->lock);
    l->there = s == NATS_OK;
    if (s == NATS_OK)
        s = jsOptions_Init(&o);
    if (s == NATS_OK) {
        o.Wait = LINK_WAIT;
        s = natsConnection_JetStream(&l->js, l->nc, &o);
    }
    if (s == NATS_OK)
        s = listen_to(l);
    enum node_result r = result(l, "connecting", s, 0);
    if (r == NODE_DONE)
        r = ensure_all(l);
    if (r == NODE_DONE)
        set_problem(l, "%s", "");
    else
        link_disconnect(l);
    return r;
}

void link_disconnect(struct link *l)
{
    for (unsigned b = 0; b < NODE_BUCKETS; b++) {
        natsSubscription_Destroy(l->sub[b]);
        l->sub[b] = NULL;
    }
    jsCtx_Destroy(l->js);
    l->js = NULL;
    pthread_mutex_lock(&l->lock);
    natsConnection *nc = l->nc;
    l->nc = NULL;
    pthread_mutex_unlock(&l->lock);
    natsConnection_Destroy(nc);
}

void link_interrupt(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    l->interrupted = true;
    if (l->nc)
        natsConnection_Close(l->nc);
    pthread_mutex_unlock(&l->lock);
}

size_t link_room(const struct link *l)
{
    int64_t most = l->nc ? natsConnection_GetMaxPayload(l->nc) : 0;
    if (most <= 8192)
        return 4096;
    return most / 2 < LINK_BATCH ? (size_t)most / 2 : LINK_BATCH;
}

/* -- reading ----------------------------------------------------------------------------------- */

/* A marker's header is KV-Operation: DEL or PURGE. Lengths are a stranger's. */
static enum node_result take_message(struct link *l, natsMsg *msg, uint64_t seq,
                                     const char *subject, struct link_message *m)
{
    const char *op = NULL;
    int n = natsMsg_GetDataLength(msg);
    buf_clear(m->data);
    m->seq = seq;
    m->time = (uint64_t)natsMsg_GetTime(msg) / 1000;
    snprintf(m->subject, sizeof m->subject, "%s", subject ? subject : "");
    m->deleted = natsMsgHeader_Get(msg, "KV-Operation", &op) == NATS_OK && op && *op;
    if (n > LINK_VALUE_MOST) {
        set_problem(l, "message %ju has %d bytes, which is none of ours", (uintmax_t)seq, n);
        return NODE_REFUSED;
    }
    if (n > 0)
        buf_put(m->data, natsMsg_GetData(msg), (size_t)n);
    return m->data->failed ? NODE_REFUSED : NODE_DONE;
}

enum node_result link_last(struct link *l, const char *stream, const char *subject,
                           struct link_message *m)
{
    natsMsg *msg = NULL;
    jsErrCode code = 0;
    if (!l->js)
        return NODE_CUT;
    natsStatus s = js_GetLastMsg(&msg, l->js, stream, subject, NULL, &code);
    enum node_result r = code == JSNoMessageFoundErr ? NODE_NOTHING : result(l, stream, s, code);
    if (r == NODE_DONE)
        r = take_message(l, msg, natsMsg_GetSequence(msg), subject, m);
    natsMsg_Destroy(msg);
    return r;
}

enum node_result link_next(struct link *l, const char *stream, const char *like, uint64_t seq,
                           struct link_message *m)
{
    jsDirectGetMsgOptions o;
    natsMsg *msg = NULL;
    if (!l->js)
        return NODE_CUT;
    jsDirectGetMsgOptions_Init(&o);
    o.Sequence = seq ? seq : 1;
    o.NextBySubject = like;
    natsStatus s = js_DirectGetMsg(&msg, l->js, stream, NULL, &o);
    enum node_result r = result(l, stream, s, 0);
    if (r == NODE_DONE)
        r = take_message(l, msg, natsMsg_GetSequence(msg), natsMsg_GetSubject(msg), m);
    natsMsg_Destroy(msg);
    return r;
}

enum node_result link_newest(struct link *l, const char *stream, uint64_t *seq)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    if (!l->js)
        return NODE_CUT;
    natsStatus s = js_GetStreamInfo(&info, l->js, stream, NULL, &code);
    if (s == NATS_OK)
        *seq = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    return result(l, stream, s, code);
}

static enum node_result read_through(struct link *l, natsSubscription *sub, uint64_t newest,
                                     uint64_t *seq,
                                     bool (*fn)(void *ctx, const struct link_message *m), void *ctx,
                                     struct link_message *m)
{
    enum node_result r = NODE_DONE;
    for (bool more = true; more && r == NODE_DONE && *seq < newest;) {
        natsMsg *msg = NULL;
        jsMsgMetaData *meta = NULL;
        natsStatus s = natsSubscription_NextMsg(&msg, sub, 2 * LINK_WAIT);
        if (s == NATS_OK)
            s = natsMsg_GetMetaData(&meta, msg);
        r = result(l, LINK_AUDIT, s, 0);
        if (r == NODE_DONE)
            r = take_message(l, msg, meta->Sequence.Stream, natsMsg_GetSubject(msg), m);
        if (r == NODE_DONE) {
            more = fn(ctx, m);
            *seq = m->seq;
        }
        jsMsgMetaData_Destroy(meta);
        natsMsg_Destroy(msg);
    }
    return r;
}

enum node_result link_read(struct link *l, uint64_t *seq,
                           bool (*fn)(void *ctx, const struct link_message *m), void *ctx)
{
    jsSubOptions o;
    jsErrCode code = 0;
    natsSubscription *sub = NULL;
    uint64_t newest = 0;
    struct buf data;
    struct link_message m = {.data = &data};
    enum node_result r = link_newest(l, LINK_AUDIT, &newest);
    if (r != NODE_DONE || newest <= *seq)
        return r;
    jsSubOptions_Init(&o);
    o.Ordered = true;
    o.Stream = LINK_AUDIT;
    if (*seq) {
        o.Config.DeliverPolicy = js_DeliverByStartSequence;
        o.Config.OptStartSeq = *seq + 1;
    }
    natsStatus s =
        js_SubscribeSync(&sub, l->js, LINK_AUDIT_SUBJECT "*", NULL, &o, &code);
    buf_init(&data, NULL, LINK_VALUE_MOST);
    r = result(l, LINK_AUDIT, s, code);
    if (r == NODE_DONE)
        r = read_through(l, sub, newest, seq, fn, ctx, &m);
    natsSubscription_Destroy(sub);
    buf_free(&data);
    return r;
}

/* -- writing ----------------------------------------------------------------------------------- */

static natsStatus make_message(natsMsg **msg, const char *subject, const void *data, size_t n,
                               uint64_t last)
{
    char number[24];
    natsStatus s = natsMsg_Create(msg, subject, NULL, data, (int)n);
    snprintf(number, sizeof number, "%ju", (uintmax_t)last);
    if (s == NATS_OK && last != LINK_ANY)
        s = natsMsgHeader_Set(*msg, "Nats-Expected-Last-Subject-Sequence", number);
    return s;
}

static enum node_result publish(struct link *l, natsMsg *msg, natsStatus s, const char *subject,
                                const char *id, uint64_t *seq)
{
    jsPubOptions o;
    jsPubAck *ack = NULL;
    jsErrCode code = 0;
    jsPubOptions_Init(&o);
    o.MaxWait = LINK_WAIT;
    o.MsgId = id;
    if (s == NATS_OK)
        s = js_PublishMsg(&ack, l->js, msg, &o, &code);
    if (s == NATS_OK && seq)
        *seq = ack->Sequence;
    jsPubAck_Destroy(ack);
    natsMsg_Destroy(msg);
    return result(l, subject, s, code);
}

enum node_result link_put(struct link *l, const char *subject, const char *id, uint64_t last,
                          const void *data, size_t n, uint64_t *seq)
{
    natsMsg *msg = NULL;
    if (!l->js)
        return NODE_CUT;
    natsStatus s = make_message(&msg, subject, data, n, last);
    return publish(l, msg, s, subject, id, seq);
}

enum node_result link_delete(struct link *l, const char *subject)
{
    natsMsg *msg = NULL;
    if (!l->js)
        return NODE_CUT;
    natsStatus s = make_message(&msg, subject, NULL, 0, LINK_ANY);
    if (s == NATS_OK)
        s = natsMsgHeader_Set(msg, "KV-Operation", "DEL");
    return publish(l, msg, s, subject, NULL, NULL);
}

enum node_result link_purge(struct link *l, const char *stream, const char *like)
{
    jsOptions o;
    jsErrCode code = 0;
    if (!l->js)
        return NODE_CUT;
    jsOptions_Init(&o);
    o.Stream.Purge.Subject = like;
    natsStatus s = js_PurgeStream(l->js, stream, &o, &code);
    return result(l, stream, s, code);
}
