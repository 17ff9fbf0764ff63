/*
 * ask_guard.c - guard: what to do with a request that is on its way to a provider.
 *
 * The address tells whom it goes to, preflight judges it, and the mode says what follows. What is
 * not recognised passes: a guard that stands in the way of other requests is taken out again.
 */
#include "catalog/engine.h"
#include "request/preflight.h"
#include "text/json.h"

/* What is told of a verdict; the last two only if they are sent. */
static const char *const judged[] = {"findings", "more", "tokens", "request", "changes"};
enum { JUDGED_PLAIN = 3, JUDGED_ALL = 5 };

struct job {
    const cando_guard_question *q;
    cando_room *room;
    cando_guard_answer *a;
    cando_report *report; /* preflight's */
    cando_route route;
};

/* Why a body is none that can be judged; NULL: it may be. */
static const char *not_judged(const struct job *j)
{
    struct str body = STR_IN(j->q->request);
    size_t first = locate_space(body, 0);
    if (!j->route.judged)
        return "there are no rules for requests of this API";
    if (first == body.n || body.p[first] != '{')
        return "the request is no JSON object";
    return NULL;
}

static bool judge(struct job *j, const cando *c, cando_error *err)
{
    const cando_guard_question *q = j->q;
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
        .n_only = q->mode == CANDO_GUARD_REPAIR ? JUDGED_ALL : JUDGED_PLAIN,
    };
    if (*j->route.model)
        p.target = &target;
    else
        p.provider = j->route.provider;
    j->a->judged = cando_ask_preflight(c, &p, j->room, err);
    return j->a->judged != NULL;
}

static bool refuse(struct job *j, cando_error *err)
{
    const cando_preflight_answer *p = j->a->judged;
    struct buf body;
    buf_init_arena(&body, &j->room->ar, CANDO_REFUSAL_ROOM);
    cando_refusal r = refusal_write(j->route.api, p->findings, p->n_findings, p->more, &body);
    if (!r.status)
        return true;
    cando_guard_reply *reply = arena_alloc(&j->room->ar, sizeof *reply);
    cando_guard_header *header = arena_array(&j->room->ar, 2, sizeof *header);
    if (!reply || !header || body.failed)
        return no_memory(err);
    header[0] = (cando_guard_header){"content-type", "application/json"};
    header[1] = (cando_guard_header){r.header, r.value};
    *reply = (cando_guard_reply){r.status, header, r.header ? 2 : 1, {body.p, body.n}};
    j->a->reply = reply;
    j->a->action = CANDO_GUARD_REFUSE;
    return true;
}

/* What follows from the verdict. */
static bool act(struct job *j, cando_error *err)
{
    cando_guard_answer *a = j->a;
    if (j->q->mode == CANDO_GUARD_REJECT)
        return refuse(j, err);
    if (j->q->mode == CANDO_GUARD_REPAIR && a->judged->request.p)
        a->action = CANDO_GUARD_SEND;
    return true;
}

static bool answer(struct job *j, const cando *c, const cando_catalog *cat, cando_error *err)
{
    const cando_guard_question *q = j->q;
    cando_guard_answer *a = j->a;
    const size_t size = route_kept_size();
    struct route_kept *kept = room_scratch(j->room, ROOM_ROUTE, size, size);
    if (!kept)
        return no_memory(err);
    a->reason = route_find(kept, cat, str_of(q->url), q->provider, STR_IN(q->request), j->report,
                           &j->route);
    a->known = a->reason == NULL;
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
    a->reason = not_judged(j);
    if (a->reason)
        return true;
    return judge(j, c, err) && act(j, err);
}

const cando_guard_answer *cando_ask_guard(const cando *c, const cando_guard_question *q,
                                          cando_room *room, cando_error *err)
{
    struct job j; /* route_find clears what is to be clear of the route */
    j.q = q;
    j.room = room;
    if (!q->url) {
        error_set(err, CANDO_BAD_QUESTION, CODE_missing_argument, "there is no url");
        error_at(err, STR("/url"), 0, 0);
        return NULL;
    }
    const cando_catalog *cat = room_catalog(room, c);
    j.a = cat ? arena_alloc(&room->ar, sizeof *j.a) : NULL;
    j.report = j.a ? report_room(room) : NULL;
    if (!j.report)
        return no_memory(err);
    bool ok = answer(&j, c, cat, err);
    report_unmark(j.report);
    return ok ? j.a : NULL;
}
