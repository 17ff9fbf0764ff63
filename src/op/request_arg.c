/*
 * request_arg.c - see request_arg.h.
 *
 * The scan is that of preflight, for a target that reports every demand whatever the
 * model has. A rule about single messages may fire often, and a report has a limit:
 * then the rules that were heard are silenced and the request is scanned again, so
 * that no demand is lost behind the many of another.
 */
#include "request_arg.h"

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

bool arg_request(struct op_call *c, struct request_arg *out)
{
    const struct json *v = json_get(c->args, "request");
    const char *key;
    struct str api;
    *out = (struct request_arg){0};
    if (v->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, STR("/request"), "'request' must be an object, it is %s", json_kind_name(v));
    if (!arg_text(c, "dialect", &api))
        return false;
    out->body = unwrap(v, &key);
    out->batch = key != NULL;
    out->at = key ? str_printf(c->ar, "/request/%s", key) : STR("/request");
    out->text = str_make(c->text.p + out->body->at, out->body->end - out->body->at);
    struct str own = str_dup(c->ar, api); /* with its NUL */
    if (!own.p || !out->at.p)
        return op_memory(c);
    out->told = api.n ? own.p : NULL;
    return true;
}

/* -- the scan ----------------------------------------------------------------------------- */

/* What a scan needs, large: it lives in the call's arena. */
struct probe {
    cando_target target;
    cando_report report;
};

static bool scan_failed(struct op_call *c, const cando_catalog *cat, cando_status st, const struct request_arg *r, const cando_error *err)
{
    op_fail_error(c, st == CANDO_BAD_QUESTION ? STR("/dialect") : r->at, err);
    if (cat->snap.sec[SEC_REQ_APIS].n == 0)
        op_hint(c, "these rules have no request rules: put them on top of the catalog's, as an overlay");
    return false;
}

static void add_demand(struct request_arg *r, struct demand d)
{
    unsigned i;
    for (i = 0; i < r->n_demands; i++)
        if (r->demand[i].slot == d.slot) {
            if (r->demand[i].at <= d.at)
                return;
            for (; i + 1 < r->n_demands; i++)
                r->demand[i] = r->demand[i + 1];
            r->n_demands--;
        }
    for (i = r->n_demands++; i > 0 && r->demand[i - 1].at > d.at; i--)
        r->demand[i] = r->demand[i - 1];
    r->demand[i] = d;
}

static void take_size(const cando_report *report, struct request_arg *r)
{
    r->tokens = (struct fit_range){report->tokens_low, report->tokens_expected, report->tokens_high};
    r->output = report->output;
    for (uint32_t i = 0; i < report->n_findings; i++)
        if (report->finding[i].number == SNAP_NONE) /* of the window: it points to the answer's limit */
            r->output_at = report->finding[i].at;
}

static void take_demands(struct probe *p, struct request_arg *r)
{
    for (uint32_t i = 0; i < p->report.n_findings; i++) {
        const cando_request_finding *f = &p->report.finding[i];
        if (f->number == SNAP_NONE)
            continue;
        p->target.live[f->number / 64] &= ~(UINT64_C(1) << (f->number % 64));
        if (f->capability < FIELD_COUNT && plane_slot(f->capability) != SLOT_NONE)
            add_demand(r, (struct demand){plane_slot(f->capability), f->at, f->rule});
    }
}

static bool scan_once(struct op_call *c, const cando_catalog *cat, const char *api, struct probe *p, const struct request_arg *r)
{
    cando_error err = {0};
    cando_status st = cando_preflight(&p->target, api, r->text.p, r->text.n, false, &p->report, &err);
    return st == CANDO_OK || scan_failed(c, cat, st, r, &err);
}

static bool scan_all(struct op_call *c, const cando_catalog *cat, struct probe *p, struct request_arg *r)
{
    if (!scan_once(c, cat, r->told, p, r))
        return false;
    r->api = p->report.api;
    take_size(&p->report, r);
    take_demands(p, r);
    while (p->report.more > 0 && p->report.n_findings > 0) {
        if (!scan_once(c, cat, r->api, p, r))
            return false;
        take_demands(p, r);
    }
    return true;
}

/* The neutral form has the texts where OpenAI's chat has them. */
static bool scan_neutral(struct op_call *c, const cando_catalog *cat, struct probe *p, struct request_arg *r)
{
    if (strcmp(r->api, "allm") != 0 || snapshot_req_api(&cat->snap, STR("openai-chat")) == SNAP_NONE)
        return true;
    if (!scan_once(c, cat, "openai-chat", p, r))
        return false;
    take_size(&p->report, r);
    return true;
}

bool request_scan(struct op_call *c, const cando_catalog *cat, struct str provider, struct str model, struct request_arg *r)
{
    struct probe *p = arena_alloc(c->ar, sizeof *p);
    cando_error err = {0};
    if (!p)
        return op_memory(c);
    if (cando_target_init(&p->target, cat, provider.p, provider.n, model.p, model.n, CANDO_TARGET_NEEDS, &err) != CANDO_OK)
        return op_fail_error(c, STR("/target"), &err);
    r->planes = p->target.planes;
    r->tokenizer = p->target.tokenizer;
    r->n_demands = 0;
    r->output_at = 0;
    /* into a window of no size nothing fits: so the report tells where the answer's limit stands */
    planes_put_number(&p->target.planes, NUM_context_window, 0);
    return scan_all(c, cat, p, r) && scan_neutral(c, cat, p, r);
}

bool request_demands(const struct request_arg *r, unsigned slot)
{
    for (unsigned i = 0; i < r->n_demands; i++)
        if (r->demand[i].slot == slot)
            return true;
    return false;
}

struct str request_vendor(const cando_catalog *cat, const struct request_arg *r)
{
    uint32_t d = snapshot_req_api(&cat->snap, str_of(r->api));
    uint32_t vendor = d == SNAP_NONE ? SNAP_NONE : snap_req_api(&cat->snap, d).vendor;
    return vendor == SNAP_NONE ? STR("") : snap_str(&cat->snap, snap_provider(&cat->snap, vendor).id);
}

/* -- needs ------------------------------------------------------------------------------------ */

/* The pointer of a byte of the request, in the question. */
static struct str place(struct op_call *c, const struct request_arg *r, uint32_t at)
{
    size_t n = locate_pointer(r->text, at, NULL, 0);
    char *room = arena_alloc(c->ar, r->at.n + n + 1);
    if (!room)
        return STR_NONE;
    memcpy(room, r->at.p, r->at.n);
    locate_pointer(r->text, at, room + r->at.n, n + 1);
    return str_make(room, r->at.n + n);
}

static bool add_number(struct reading *rd, struct need_list *out, unsigned number, uint64_t minimum, struct str path)
{
    struct need n = {.kind = NEED_NUMBER, .slot = (uint8_t)number, .level = CANDO_HARD, .min_support = CANDO_MIN_EMULATED,
                     .minimum = minimum, .required_by = STR("request"), .path = path};
    n.name = str_of(need_capability(&n));
    return minimum == 0 || need_add(rd, out, n);
}

static bool add_needs(struct op_call *c, struct reading *rd, const struct request_arg *r, struct need_list *out)
{
    for (unsigned i = 0; i < r->n_demands; i++) {
        const struct demand *d = &r->demand[i];
        struct need n = {.kind = NEED_SLOT, .slot = (uint8_t)d->slot, .level = CANDO_HARD, .min_support = CANDO_MIN_EMULATED,
                         .required_by = str_printf(c->ar, "rule:%s", d->rule), .path = place(c, r, d->at)};
        n.name = str_of(need_capability(&n));
        if (!need_add(rd, out, n))
            return false;
    }
    struct str limit = r->output_at ? place(c, r, r->output_at) : r->at;
    return add_number(rd, out, NUM_context_window, r->tokens.low + r->output, r->at) &&
           add_number(rd, out, NUM_max_output, r->output, limit);
}

bool request_needs(struct op_call *c, const cando_catalog *cat, struct need_list *out)
{
    struct request_arg *r = arena_alloc(c->ar, sizeof *r);
    struct reading rd = {.ar = c->ar};
    if (!r)
        return op_memory(c);
    return arg_request(c, r) && request_scan(c, cat, STR(""), STR(""), r) && (add_needs(c, &rd, r, out) || op_memory(c));
}
