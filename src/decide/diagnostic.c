/*
 * diagnostic.c - what a negotiation came to, as an event.
 */
#include "base/limits.h"
#include "record/event.h"

struct names {
    const char *item[LIMIT_EVENT_NAMES];
    size_t n;
};

/* Each name once; what is over the limit is left out. */
static void add_name(struct names *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->item[i], name) == 0)
            return;
    if (list->n < LIMIT_EVENT_NAMES)
        list->item[list->n++] = name;
}

static void add_unmet(struct names *missing, struct names *findings, const cando_unmet *list,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].capability)
            add_name(missing, list[i].capability);
        if (list[i].reason)
            add_name(findings, list[i].reason);
    }
}

cando_status cando_events_diagnostic(cando_events *e, cando_event_kind kind, uint64_t time,
                                     const char *session, const char *change,
                                     const cando_negotiate_answer *d, cando_error *err)
{
    struct names missing = {.n = 0}, findings = {.n = 0};
    if (d->verdict == CANDO_REJECTED)
        kind = CANDO_EVENT_REJECTION;
    else if (d->verdict == CANDO_DEGRADED || d->n_params_affected)
        kind = CANDO_EVENT_DOWNGRADE;
    if (d->n_missing)
        add_name(&findings, code_name(CODE_missing_capability));
    add_unmet(&missing, &findings, d->missing, d->n_missing);
    add_unmet(&missing, &findings, d->warnings, d->n_warnings);
    for (size_t i = 0; i < d->n_findings; i++)
        if (d->findings[i].code)
            add_name(&findings, d->findings[i].code);
    const cando_event event = {
        .kind = kind,
        .time = time,
        .session = session,
        .change = change,
        .target = d->target ? d->target : "",
        .previous = d->previous ? d->previous : "",
        .decided = true,
        .verdict = d->verdict,
        .missing = missing.item,
        .n_missing = missing.n,
        .findings = findings.item,
        .n_findings = findings.n,
    };
    return cando_events_emit(e, &event, err);
}
