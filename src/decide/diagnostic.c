#include "diagnostic.h"

/* Is there room for a text of so many bytes? As JSON it may have twice as many, and names stand
 * around it: so an event of a diagnostic can always be encoded. */
static bool has_room(struct diagnostic *d, size_t bytes)
{
    if (d->bytes + bytes > LIMIT_EVENT_BYTES / 4)
        return false;
    d->bytes += bytes;
    return true;
}

/* Each code once. */
static void add_code(struct diagnostic *d, const char *code)
{
    size_t i = 0;
    while (i < d->n_findings && strcmp(d->findings[i], code) != 0)
        i++;
    if (i == d->n_findings && i < LIMIT_EVENT_NAMES)
        d->findings[d->n_findings++] = code;
}

/* Each pair once; somebody without a name adds nothing to what others need. */
static void add_missing(struct diagnostic *d, const char *capability, const char *by)
{
    size_t i = 0, n = d->n_missing;
    while (i < n &&
           (strcmp(d->missing[i], capability) != 0 || (*by && strcmp(d->required_by[i], by) != 0)))
        i++;
    if (i < n || n == LIMIT_EVENT_NAMES || !has_room(d, strlen(capability) + strlen(by)))
        return;
    d->missing[n] = capability;
    d->required_by[n] = by;
    d->n_missing++;
}

static void add_unmet(struct diagnostic *d, const cando_unmet *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].reason)
            add_code(d, list[i].reason);
        const char *by = list[i].required_by;
        if (list[i].capability)
            add_missing(d, list[i].capability, by && event_is_name(by) ? by : "");
    }
}

static void add_param(struct diagnostic *d, const cando_param_affected *p)
{
    bool named = p->n_param_path > 0 && d->n_params < LIMIT_EVENT_NAMES;
    size_t bytes = 128;
    for (size_t i = 0; named && i < p->n_param_path; i++) {
        named = p->param_path[i] && event_is_name(p->param_path[i]);
        bytes += named ? strlen(p->param_path[i]) + 8 : 0;
    }
    if (!named || !has_room(d, bytes + (p->reason ? strlen(p->reason) : 0)))
        return;
    d->params[d->n_params++] = (cando_param_affected){
        .param_path = p->param_path,
        .n_param_path = p->n_param_path,
        .reason = p->reason && event_is_name(p->reason) ? p->reason : NULL,
        .current_value = event_is_value(p->current_value) ? p->current_value : (cando_bytes){0},
        .source_layer = p->source_layer && event_is_name(p->source_layer) ? p->source_layer : NULL,
    };
}

bool diagnostic_downgrades(const cando_negotiate_answer *a)
{
    bool goes = !a->previous || !a->target || strcmp(a->previous, a->target) != 0;
    return a->verdict == CANDO_DEGRADED ||
           (a->verdict == CANDO_ACCEPTED && goes && a->n_params_affected);
}

cando_event diagnostic_event(struct diagnostic *d, cando_event_kind kind,
                             const cando_negotiate_answer *a)
{
    d->n_missing = d->n_findings = d->n_params = d->bytes = 0;
    if (a->verdict == CANDO_REJECTED)
        kind = CANDO_EVENT_REJECTION;
    else if (diagnostic_downgrades(a))
        kind = CANDO_EVENT_DOWNGRADE;
    if (a->n_missing)
        add_code(d, code_name(CODE_missing_capability));
    add_unmet(d, a->missing, a->n_missing);
    add_unmet(d, a->warnings, a->n_warnings);
    for (size_t i = 0; i < a->n_findings; i++)
        if (a->findings[i].code)
            add_code(d, a->findings[i].code);
    for (size_t i = 0; i < a->n_params_affected; i++)
        add_param(d, &a->params_affected[i]);
    return (cando_event){
        .kind = kind,
        .target = a->target ? a->target : "",
        .previous = a->previous ? a->previous : "",
        .decided = true,
        .verdict = a->verdict,
        .missing = d->missing,
        .n_missing = d->n_missing,
        .required_by = d->required_by,
        .findings = d->findings,
        .n_findings = d->n_findings,
        .suggestion = a->suggestion,
        .params_affected = d->params,
        .n_params_affected = d->n_params,
    };
}

cando_status cando_events_diagnostic(cando_events *e, cando_event_kind kind, uint64_t time,
                                     const char *session, const char *change,
                                     const cando_negotiate_answer *a, cando_error *err)
{
    struct diagnostic d;
    cando_event event = diagnostic_event(&d, kind, a);
    event.time = time;
    event.session = session;
    event.change = change;
    return cando_events_emit(e, &event, err);
}
