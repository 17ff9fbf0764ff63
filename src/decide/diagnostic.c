#include "diagnostic.h"

/* Each name once: its number, or LIMIT_EVENT_NAMES. */
static size_t add_name(const char **list, size_t *n, const char *name)
{
    size_t i = 0;
    while (i < *n && strcmp(list[i], name) != 0)
        i++;
    if (i == *n && i < LIMIT_EVENT_NAMES)
        list[(*n)++] = name;
    return i;
}

static void add_unmet(struct diagnostic *d, const cando_unmet *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].reason)
            add_name(d->findings, &d->n_findings, list[i].reason);
        if (!list[i].capability)
            continue;
        size_t had = d->n_missing, at = add_name(d->missing, &d->n_missing, list[i].capability);
        const char *by = list[i].required_by;
        if (at == had && at < LIMIT_EVENT_NAMES) /* the first who needs it */
            d->required_by[at] = by && event_is_name(by) ? by : "";
    }
}

static void add_param(struct diagnostic *d, const cando_param_affected *p)
{
    bool named = p->n_param_path > 0 && d->n_params < LIMIT_EVENT_NAMES;
    for (size_t i = 0; i < p->n_param_path; i++)
        named = named && p->param_path[i] && event_is_name(p->param_path[i]);
    if (!named)
        return;
    d->params[d->n_params++] = (cando_param_affected){
        .param_path = p->param_path,
        .n_param_path = p->n_param_path,
        .reason = p->reason && event_is_name(p->reason) ? p->reason : NULL,
        .current_value = event_is_value(p->current_value) ? p->current_value : (cando_bytes){0},
        .source_layer =
            p->source_layer && event_is_name(p->source_layer) ? p->source_layer : NULL,
    };
}

cando_event diagnostic_event(struct diagnostic *d, cando_event_kind kind,
                             const cando_negotiate_answer *a)
{
    d->n_missing = d->n_findings = d->n_params = 0;
    if (a->verdict == CANDO_REJECTED)
        kind = CANDO_EVENT_REJECTION;
    else if (a->verdict == CANDO_DEGRADED || a->n_params_affected)
        kind = CANDO_EVENT_DOWNGRADE;
    if (a->n_missing)
        add_name(d->findings, &d->n_findings, code_name(CODE_missing_capability));
    add_unmet(d, a->missing, a->n_missing);
    add_unmet(d, a->warnings, a->n_warnings);
    for (size_t i = 0; i < a->n_findings; i++)
        if (a->findings[i].code)
            add_name(d->findings, &d->n_findings, a->findings[i].code);
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
