/*
 * ask_stand_in.c - stand_in: what a provider would answer, without asking it.
 *
 * The address tells whom it goes to, preflight judges it. What the provider would refuse is refused
 * in its own form; all else is answered by a short reply that is made up (request/standin.h), with
 * what it would have used and cost.
 */
#include "base/limits.h"
#include "catalog/engine.h"
#include "catalog/profile.h"
#include "request/preflight.h"
#include "request/standin.h"
#include "text/reading.h"

static const char *const judged[] = {"findings", "more", "tokens"};

struct job {
    const cando_stand_in_question *q;
    const cando *c;
    cando_room *room;
    const cando_catalog *cat;
    cando_stand_in_answer *a;
    cando_route route;
    const struct api_route *row;
    struct standin s;
};

/* -- the address ------------------------------------------------------------------------------ */

/* A path alone is one at a host of nobody's. */
static struct str whole_url(struct job *j)
{
    struct str url = str_of(j->q->url);
    return str_starts(url, STR("/")) ? str_join(&j->room->ar, STR("http://stand-in"), url, STR(""))
                                     : url;
}

static bool read_headers(struct job *j, const struct json **out, cando_error *err)
{
    static const struct json none = {.kind = JSON_OBJECT};
    struct reading r = {.ar = &j->room->ar};
    *out = j->q->headers.p ? reading_json(&r, j->q->headers, STR("/headers")) : &none;
    if (*out)
        return true;
    reading_end(&r, err);
    return false;
}

static bool find_route(struct job *j, cando_error *err)
{
    const cando_stand_in_question *q = j->q;
    cando_stand_in_answer *a = j->a;
    struct str url = whole_url(j);
    if (!url.p)
        return no_memory(err);
    const struct json *get = NULL;
    if (!q->request.p && !read_headers(j, &get, err))
        return false;
    a->reason = route_stand_in(j->cat, url, q->provider, STR_IN(q->request), get,
                               &j->route, &j->row);
    if (!a->reason && !j->row->lists && !j->route.judged)
        a->reason = "there are no rules for requests of this API";
    a->known = !a->reason;
    if (!a->known)
        return true;
    struct str model = str_dup(&j->room->ar, str_of(j->route.model));
    struct str provider = str_dup(&j->room->ar, str_of(j->route.provider));
    if (!model.p || !provider.p)
        return no_memory(err);
    a->provider = provider.p;
    a->api = j->route.api;
    a->model = model.n ? model.p : NULL;
    a->stream = j->route.stream;
    j->s.ar = &j->room->ar;
    j->s.api = api_find(str_of(j->route.api));
    j->s.model = model;
    j->s.seed = str_hash(STR_IN(q->request), str_hash(str_of(q->seed), 0));
    return true;
}

/* -- replies ---------------------------------------------------------------------------------- */

#define HEADERS_MOST 3

static cando_stand_in_reply *new_reply(struct job *j, uint32_t status, const char *type)
{
    cando_stand_in_reply *r = arena_alloc(&j->room->ar, sizeof *r);
    cando_guard_header *h = arena_array(&j->room->ar, HEADERS_MOST, sizeof *h);
    const char *id = standin_request_id(&j->s);
    if (!r || !h || !id)
        return NULL;
    r->status = status;
    r->headers = h;
    h[r->n_headers++] = (cando_guard_header){"content-type", type};
    if (j->s.api->id_header.n)
        h[r->n_headers++] = (cando_guard_header){j->s.api->id_header.p, id};
    j->a->reply = r;
    return r;
}

static bool refuse(struct job *j, const cando_finding *finding, size_t n, size_t more,
                   cando_error *err)
{
    struct buf body;
    buf_init_arena(&body, &j->room->ar, CANDO_REFUSAL_ROOM);
    cando_refusal r = refusal_write(j->route.api, finding, n, more, &body);
    cando_stand_in_reply *reply = new_reply(j, r.status, "application/json");
    if (!reply || body.failed)
        return no_memory(err);
    if (r.header)
        ((cando_guard_header *)reply->headers)[reply->n_headers++] =
            (cando_guard_header){r.header, r.value};
    reply->body = (cando_bytes){body.p, body.n};
    j->a->stream = false;
    return true;
}

/* The body is none that can be judged: every provider refuses that. */
static bool refuse_broken(struct job *j, cando_error *err)
{
    struct str code = str_dup(&j->room->ar, str_of(err->code));
    struct str message = str_dup(&j->room->ar, str_of(err->message));
    if (!code.p || !message.p)
        return no_memory(err);
    const cando_finding f = {
        .code = code.p, .severity = CANDO_ERROR, .message = message.p, .path = ""};
    return refuse(j, &f, 1, 0, err);
}

/* -- what it uses and costs ------------------------------------------------------------------- */

static enum fit_family family_of(const struct job *j)
{
    cando_profile p;
    cando_error err;
    struct str provider = str_of(j->a->provider), model = j->s.model;
    if (cando_resolve_parts(j->cat, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN, &p,
                            &err) != CANDO_OK)
        return FIT_OTHER;
    cando_value tokenizer = profile_fact(&p, F_tokenizer).value;
    return fit_family_of(str_of(tokenizer.text));
}

static bool add_cost(struct job *j, cando_error *err)
{
    char text[100];
    struct buf b;
    const struct standin *s = &j->s;
    const cando_name target = {.model = j->a->model, .provider = j->a->provider};
    struct str tier = api_text(s->request, s->api->tier);
    cando_cost_question q = {.target = &target, .at = j->q->at};
    if (!j->a->model)
        return true;
    buf_init_lent(&b, text, sizeof text);
    buf_printf(&b, "{\"input_tokens\":%llu,\"output_tokens\":%llu}", (unsigned long long)s->input,
               (unsigned long long)s->output);
    q.usage = (cando_bytes){b.p, b.n};
    q.service_tier = tier.n ? tier.p : NULL;
    const cando_cost_answer *cost = cando_ask_cost(j->c, &q, j->room, err);
    if (cost)
        j->a->cost = cost->total_cost;
    return cost || err->status != CANDO_INTERNAL;
}

static bool use(struct job *j, cando_error *err)
{
    const cando_tokens *tokens = j->a->judged->tokens;
    cando_number limit = {0};
    if (tokens) {
        j->s.input = tokens->expected;
        limit = tokens->output;
    }
    if (!standin_read(&j->s, limit, family_of(j)))
        return no_memory(err);
    j->a->input_tokens = (cando_number){j->s.input, true};
    j->a->output_tokens = (cando_number){j->s.output, true};
    j->a->doubt = j->s.doubt;
    return add_cost(j, err);
}

/* -- a good request --------------------------------------------------------------------------- */

static bool keeps_turns(void *ctx, struct str key)
{
    const struct job *j = ctx;
    return str_eq(key, j->s.api->turns);
}

static bool read_body(struct job *j, cando_error *err)
{
    static const struct json nothing = {.kind = JSON_OBJECT};
    struct json_error bad;
    struct str body = STR_IN(j->q->request);
    j->s.request = json_parse_keeping(&j->room->ar, body, keeps_turns, j, &bad);
    if (!j->s.request && bad.code == CODE_memory)
        return no_memory(err);
    if (!j->s.request) /* a key that stands there twice: many take that */
        j->s.request = &nothing;
    return true;
}

/* The day alone, unless a time was said: the same question gets the same answer. */
static void now(const struct job *j, struct instant *out)
{
    char text[16];
    if (j->q->at && instant_parse(str_of(j->q->at), out))
        return;
    *out = (struct instant){0};
    day_parse(str_of(day_dashed(day_today(), text)), &out->day);
}

static enum stream_frame frame_of(const struct job *j)
{
    struct str url = str_of(j->q->url);
    struct str query = str_from(url, str_find_char(url, '?'));
    if (j->row->frame != FRAME_OWN)
        return (enum stream_frame)j->row->frame;
    if (j->s.api->sse_query.n && str_find(query, j->s.api->sse_query) != SIZE_MAX)
        return FRAME_SSE;
    return (enum stream_frame)j->s.api->frame;
}

static bool reply(struct job *j, cando_error *err)
{
    enum stream_frame frame = frame_of(j);
    cando_stand_in_reply *r =
        new_reply(j, 200, j->a->stream ? standin_stream_type(frame) : "application/json");
    if (!r)
        return no_memory(err);
    struct standin_events events = {0};
    struct buf body;
    buf_init_arena(&body, &j->room->ar, LIMIT_STAND_IN_BYTES);
    bool ok = j->a->stream ? standin_stream(&j->s, frame, &events)
                           : standin_write(&j->s, STR("reply"), &body);
    if (!ok && !j->room->ar.failed) {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "the reply is larger than %u bytes",
                  LIMIT_STAND_IN_BYTES);
        error_at(err, STR("/request"), 0, 0);
        return false;
    }
    if (!ok)
        return no_memory(err);
    if (j->a->stream) {
        r->events = events.item;
        r->n_events = events.n;
        r->base64 = standin_is_binary(frame);
    } else {
        r->body = (cando_bytes){body.p, body.n};
    }
    return true;
}

/* -- lists ------------------------------------------------------------------------------------ */

static bool no_such_model(struct job *j, cando_error *err)
{
    const cando_finding f = {.code = code_name(CODE_model_unknown),
                             .severity = CANDO_ERROR,
                             .message = "there is no such model",
                             .path = ""};
    return refuse(j, &f, 1, 0, err);
}

/* Without those that are no longer served. */
static bool keep_living(struct job *j, const cando_models_answer *m)
{
    cando_offering *living = arena_array(&j->room->ar, m->n_models, sizeof *living);
    if (!living)
        return false;
    for (size_t i = 0; i < m->n_models; i++)
        if (!m->models[i].status || strcmp(m->models[i].status, "retired") != 0)
            living[j->s.n_models++] = m->models[i];
    j->s.models = living;
    return true;
}

/* All models of the provider, or the one that the address names. */
static bool list(struct job *j, cando_error *err)
{
    static const char *const fields[] = {"all"};
    const char *const providers[] = {j->a->provider}, *const names[] = {j->a->model};
    bool one = j->a->model != NULL;
    const cando_query q = {
        .providers = providers,
        .n_providers = 1,
        .match = one ? names : NULL,
        .n_match = one,
        .fields = fields,
        .n_fields = 1,
    };
    const cando_models_answer *m = cando_ask_models(j->c, &q, j->room, err);
    struct buf body;
    if (!m)
        return false;
    if (!keep_living(j, m))
        return no_memory(err);
    if (one && j->s.n_models == 0)
        return no_such_model(j, err);
    j->a->stream = false;
    j->s.request = &(struct json){.kind = JSON_OBJECT};
    cando_stand_in_reply *r = new_reply(j, 200, "application/json");
    buf_init_arena(&body, &j->room->ar, LIMIT_STAND_IN_BYTES);
    if (!r || !standin_write(&j->s, one ? STR("model") : STR("models"), &body))
        return no_memory(err);
    r->body = (cando_bytes){body.p, body.n};
    return true;
}

/* -- the answer ------------------------------------------------------------------------------- */

static bool judge(struct job *j, cando_error *err)
{
    const cando_stand_in_question *q = j->q;
    const cando_name target = {.model = j->route.model, .provider = j->route.provider};
    cando_preflight_question p = {
        .request = q->request,
        .api = j->route.api,
        .headers = q->headers,
        .at = q->at,
        .strict = q->strict,
        .betas = q->betas,
        .n_betas = q->n_betas,
        .only = judged,
        .n_only = COUNT_OF(judged),
    };
    if (*j->route.model)
        p.target = &target;
    else
        p.provider = j->route.provider;
    j->a->judged = cando_ask_preflight(j->c, &p, j->room, err);
    return j->a->judged != NULL;
}

static bool has_error(const cando_preflight_answer *p)
{
    for (size_t i = 0; i < p->n_findings; i++)
        if (p->findings[i].severity == CANDO_ERROR)
            return true;
    return false;
}

static bool answer(struct job *j, cando_error *err)
{
    if (!find_route(j, err))
        return false;
    if (!j->a->known)
        return true;
    if (j->row->lists)
        return list(j, err);
    if (!judge(j, err)) {
        bool of_body = err->status != CANDO_INTERNAL && strcmp(err->at, "/request") == 0;
        return of_body && refuse_broken(j, err);
    }
    const cando_preflight_answer *p = j->a->judged;
    if (has_error(p))
        return refuse(j, p->findings, p->n_findings, p->more, err);
    now(j, &j->s.at);
    return read_body(j, err) && use(j, err) && reply(j, err);
}

const cando_stand_in_answer *cando_ask_stand_in(const cando *c, const cando_stand_in_question *q,
                                                cando_room *room, cando_error *err)
{
    cando_error own;
    struct job j = {.q = q, .c = c, .room = room};
    err = err ? err : &own;
    if (!q->url) {
        error_set(err, CANDO_BAD_QUESTION, CODE_missing_argument, "there is no url");
        error_at(err, STR("/url"), 0, 0);
        return NULL;
    }
    j.cat = room_catalog(room, c);
    j.a = j.cat ? arena_alloc(&room->ar, sizeof *j.a) : NULL;
    if (!j.a)
        return no_memory(err);
    return answer(&j, err) ? j.a : NULL;
}
