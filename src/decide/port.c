/*
 * port.c - a request of one API that goes to a model whose own API is another: what that one
 * cannot say.
 *
 * What a request uses is known by its rules (demand.h) and, for what is no capability, by the
 * rows `says` of its API; what the other API cannot say by its `lacks` and `says`. Both are data
 * (catalog/apis/), so that all pairs of APIs are covered. The conversation is read as a history.
 */
#include "port.h"

#include "catalog/api.h"
#include "request/demand.h"

#define LOST_MAX 256u /* findings; more of them tell nobody anything */

struct porting {
    struct reading *r;
    struct negotiation *n;
    const struct api *to;
};

static bool told(const cando_finding *list, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].path, path) == 0)
            return true;
    return false;
}

/* False: no memory. */
static bool add(struct porting *p, cando_finding f)
{
    struct negotiation *n = p->n;
    if (p->r->ar->failed)
        return reading_memory(p->r);
    if (told(n->refused, n->n_refused, f.path) || told(n->lost, n->n_lost, f.path))
        return true;
    f.severity = CANDO_NOTE;
    if (n->n_lost < LOST_MAX)
        n->lost[n->n_lost++] = f;
    return true;
}

static const char *no_member(struct porting *p, struct str what)
{
    return str_printf(p->r->ar, "its own API, %.*s, has no member for %.*s", STR_ARG(p->to->name),
                      STR_ARG(what))
        .p;
}

/* The place of a byte in the request, whose own place in the question is no part of it. */
static const char *place(struct porting *p, const struct demands *d, uint32_t at)
{
    struct str s = demands_place(p->r, d, at);
    return s.p ? str_from(s, d->at.n).p : NULL;
}

static bool lost_capabilities(struct porting *p, const struct demands *d)
{
    for (unsigned i = 0; i < d->n_demands; i++) {
        const char *name = vocab_row(slot_field(d->demand[i].slot))->name;
        if (!words_have(p->to->lacks, str_of(name)))
            continue;
        cando_finding f = {.code = code_name(CODE_not_in_api),
                           .path = place(p, d, d->demand[i].at),
                           .capability = name,
                           .message = no_member(p, STR("it"))};
        if (!add(p, f))
            return false;
    }
    return true;
}

static bool can_say(const struct api *to, struct str what)
{
    for (size_t i = 0; i < to->n_says; i++)
        if (str_eq(to->says[i].what, what))
            return true;
    return false;
}

/* The member by which a row's sign holds, as a pointer. */
static const char *member_of(struct porting *p, const struct api_says *row, const struct json *v)
{
    for (size_t i = 0; i < row->n_when; i++) {
        const struct api_sign *s = &row->when[i];
        if (s->no || !api_at(s, v))
            continue;
        struct str at = STR("");
        for (unsigned k = 0; k < s->n_steps && at.p; k++)
            at = str_printf(p->r->ar, "%.*s/%.*s", STR_ARG(at), STR_ARG(s->step[k]));
        return at.p;
    }
    return "";
}

static bool lost_members(struct porting *p, const struct api *from, const struct demands *d)
{
    for (size_t i = 0; i < from->n_says; i++) {
        const struct api_says *row = &from->says[i];
        if (!api_signs(row->when, row->n_when, d->body) || can_say(p->to, row->what))
            continue;
        cando_finding f = {.code = code_name(CODE_not_in_api),
                           .path = member_of(p, row, d->body),
                           .message = no_member(p, row->what)};
        if (!add(p, f))
            return false;
    }
    return true;
}

/* Reads the conversation and judges it for the target: so the API is found in which that will be
 * asked. False: there is no conversation, or no memory (then r->error is set). */
static bool judge_turns(struct porting *p, const struct api *from, const struct demands *d,
                        struct hist_findings *out)
{
    const struct negotiation *n = p->n;
    struct history h;
    struct reading own = {.ar = p->r->ar};
    struct hist_target t = {.cat = n->cat,
                            .provider = n->provider,
                            .model = n->model,
                            .profile = n->claims ? NULL : n->profile,
                            .planes = n->planes};
    if (n->has_previous) {
        t.from_provider = n->previous_provider;
        t.from_model = n->previous_model;
    }
    if (!history_read(&own, d->body, STR(""), from, &h))
        return own.error.status == CANDO_INTERNAL && reading_memory(p->r);
    return history_check(p->r, &h, &t, out);
}

static bool lost_turns(struct porting *p, const struct hist_findings *found)
{
    for (size_t i = 0; i < found->n; i++) {
        const struct hist_finding *x = &found->item[i];
        cando_finding f = {.code = code_name(x->code),
                           .path = hist_pointer(p->r, x->at).p,
                           .capability = x->field < FIELD_COUNT ? vocab_row(x->field)->name : NULL,
                           .message = x->message.p,
                           .hint = x->fix.n ? x->fix.p : NULL};
        bool known = x->severity != CANDO_NOTE && x->code != CODE_probe_pending;
        if (known && !add(p, f))
            return false;
    }
    return true;
}

bool port_request(struct reading *r, struct negotiation *n)
{
    struct demands d;
    struct hist_findings found = {0};
    struct porting p = {.r = r, .n = n};
    if (!demands_read(r, n->request, n->request_api, &d) ||
        !demands_scan(r, n->cat, STR(""), STR(""), &d))
        return false;
    const struct api *from = api_find(str_of(d.api));
    if (!from || !judge_turns(&p, from, &d, &found))
        return r->error.status == CANDO_OK;
    p.to = found.to;
    if (!p.to || p.to == from || !*p.to->lacks)
        return true;
    n->lost = arena_array(r->ar, LOST_MAX, sizeof *n->lost);
    if (!n->lost)
        return reading_memory(r);
    if (!lost_members(&p, from, &d) || !lost_capabilities(&p, &d))
        return false;
    return n->history.p || lost_turns(&p, &found); /* a history was judged by itself */
}
