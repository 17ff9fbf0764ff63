/*
 * demand.c - see demand.h.
 *
 * The scan is that of preflight, for a target that reports every demand whatever the
 * model has. A rule about single messages may fire often, and a report has a limit:
 * then the rules that were heard are silenced and the request is scanned again, so
 * that no demand is lost behind the many of another.
 */
#include "demand.h"

#include "catalog/profile.h"

/* -- the argument ---------------------------------------------------------------------- */

/* A line of a batch job: the request stands in an envelope that names it. */
static const struct json *unwrap(const struct json *v, const char **key)
{
    static const char *const names[] = {"custom_id", "key"}, *const inner[] = {"body", "params", "request"};
    bool named = false;
    for (size_t i = 0; i < 2; i++) {
        const struct json *x = json_get(v, names[i]);
        named |= x && x->kind == JSON_STRING;
    }
    for (size_t i = 0; named && i < 3; i++) {
        const struct json *x = json_get(v, inner[i]);
        if (x && x->kind == JSON_OBJECT) {
            *key = inner[i];
            return x;
        }
    }
    *key = NULL;
    return v;
}

bool demands_read(struct reading *r, cando_bytes request, const char *api, struct str at, struct demands *out)
{
    const char *key;
    const struct json *v = reading_json(r, request, at);
    *out = (struct demands){0};
    if (!v)
        return false;
    if (v->kind != JSON_OBJECT)
        return reading_fail(r, CODE_bad_argument, at, "a request must be an object, it is %s", json_kind_name(v));
    out->body = unwrap(v, &key);
    out->batch = key != NULL;
    out->at = key ? reading_at(r, at, key) : at;
    out->text = str_make(request.p + out->body->at, out->body->end - out->body->at);
    out->told = api;
    return out->at.p || reading_memory(r);
}

/* -- the scan ----------------------------------------------------------------------------- */

/* What a scan needs, large: it lives in the call's arena. */
struct probe {
    cando_target target;
    cando_report report;
};

static bool scan_failed(struct reading *r, const cando_catalog *cat, cando_status st, const struct demands *d, const cando_error *err)
{
    reading_error(r, st == CANDO_BAD_QUESTION ? STR("/dialect") : d->at, err);
    if (cat->snap.sec[SEC_REQ_APIS].n == 0)
        reading_hint(r, "these rules have no request rules: put them on top of the catalog's, as an overlay");
    return false;
}

static void add_demand(struct demands *d, struct demand x)
{
    unsigned i;
    for (i = 0; i < d->n_demands; i++)
        if (d->demand[i].slot == x.slot) {
            if (d->demand[i].at <= x.at)
                return;
            for (; i + 1 < d->n_demands; i++)
                d->demand[i] = d->demand[i + 1];
            d->n_demands--;
        }
    for (i = d->n_demands++; i > 0 && d->demand[i - 1].at > x.at; i--)
        d->demand[i] = d->demand[i - 1];
    d->demand[i] = x;
}

static void take_size(const cando_report *report, struct demands *d)
{
    d->tokens = (struct fit_range){report->tokens_low, report->tokens_expected, report->tokens_high};
    d->output = report->output;
    for (uint32_t i = 0; i < report->n_findings; i++)
        if (report->finding[i].number == SNAP_NONE) /* of the window: it points to the answer's limit */
            d->output_at = report->finding[i].at;
}

static void take_demands(struct probe *p, struct demands *d)
{
    for (uint32_t i = 0; i < p->report.n_findings; i++) {
        const cando_request_finding *f = &p->report.finding[i];
        if (f->number == SNAP_NONE)
            continue;
        p->target.live[f->number / 64] &= ~(UINT64_C(1) << (f->number % 64));
        if (f->capability < FIELD_COUNT && plane_slot(f->capability) != SLOT_NONE)
            add_demand(d, (struct demand){plane_slot(f->capability), f->at, f->rule});
    }
}

static bool scan_once(struct reading *r, const cando_catalog *cat, const char *api, struct probe *p, const struct demands *d)
{
    cando_error err = {0};
    cando_status st = cando_preflight(&p->target, api, d->text.p, d->text.n, false, &p->report, &err);
    return st == CANDO_OK || scan_failed(r, cat, st, d, &err);
}

static bool scan_all(struct reading *r, const cando_catalog *cat, struct probe *p, struct demands *d)
{
    if (!scan_once(r, cat, d->told, p, d))
        return false;
    d->api = p->report.api;
    take_size(&p->report, d);
    take_demands(p, d);
    while (p->report.more > 0 && p->report.n_findings > 0) {
        if (!scan_once(r, cat, d->api, p, d))
            return false;
        take_demands(p, d);
    }
    return true;
}

/* The neutral form has the texts where OpenAI's chat has them. */
static bool scan_neutral(struct reading *r, const cando_catalog *cat, struct probe *p, struct demands *d)
{
    if (strcmp(d->api, "allm") != 0 || snapshot_req_api(&cat->snap, STR("openai-chat")) == SNAP_NONE)
        return true;
    if (!scan_once(r, cat, "openai-chat", p, d))
        return false;
    take_size(&p->report, d);
    return true;
}

bool demands_scan(struct reading *r, const cando_catalog *cat, struct str provider, struct str model, struct demands *d)
{
    struct probe *p = arena_alloc(r->ar, sizeof *p);
    cando_error err = {0};
    if (!p)
        return reading_memory(r);
    if (cando_target_init(&p->target, cat, provider.p, provider.n, model.p, model.n, CANDO_TARGET_NEEDS, &err) != CANDO_OK)
        return reading_error(r, STR("/target"), &err);
    d->planes = p->target.planes;
    d->tokenizer = p->target.tokenizer;
    d->n_demands = 0;
    d->output_at = 0;
    /* into a window of no size nothing fits: so the report tells where the answer's limit stands */
    planes_put_number(&p->target.planes, NUM_context_window, 0);
    return scan_all(r, cat, p, d) && scan_neutral(r, cat, p, d);
}

bool demands_has(const struct demands *d, unsigned slot)
{
    for (unsigned i = 0; i < d->n_demands; i++)
        if (d->demand[i].slot == slot)
            return true;
    return false;
}

struct str demands_vendor(const cando_catalog *cat, const struct demands *d)
{
    const struct snapshot *s = &cat->snap;
    uint32_t api = snapshot_req_api(s, str_of(d->api));
    uint32_t vendor = api == SNAP_NONE ? SNAP_NONE : snap_req_api(s, api).vendor;
    return vendor == SNAP_NONE ? STR("") : snap_str(s, snap_provider(s, vendor).id);
}

struct str demands_place(struct reading *r, const struct demands *d, uint32_t at)
{
    size_t n = locate_pointer(d->text, at, NULL, 0);
    char *room = arena_alloc(r->ar, d->at.n + n + 1);
    if (!room)
        return STR_NONE;
    memcpy(room, d->at.p, d->at.n);
    locate_pointer(d->text, at, room + d->at.n, n + 1);
    return str_make(room, d->at.n + n);
}

