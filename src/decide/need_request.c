/*
 * need_request.c - what a request demands becomes needs.
 */
#include "need.h"

#include "request/demand.h"

static bool add_number(struct reading *rd, struct need_list *out, unsigned number, uint64_t minimum,
                       struct str path)
{
    struct need n = {.kind = NEED_NUMBER,
                     .slot = (uint8_t)number,
                     .level = CANDO_HARD,
                     .min_support = CANDO_MIN_EMULATED,
                     .minimum = minimum,
                     .required_by = STR("request"),
                     .path = path};
    n.name = str_of(need_capability(&n));
    return minimum == 0 || need_add(rd, out, n);
}

/* The envelope of a batch job. */
static bool add_batch(struct reading *rd, const struct demands *r, struct need_list *out)
{
    struct need n = {.kind = NEED_SLOT,
                     .slot = (uint8_t)plane_slot(F_batch),
                     .level = CANDO_HARD,
                     .min_support = CANDO_MIN_EMULATED,
                     .general = true,
                     .required_by = STR("request"),
                     .path = r->at};
    n.name = str_of(need_capability(&n));
    return need_add(rd, out, n);
}

static bool add_needs(struct reading *rd, const struct demands *r, bool all, struct need_list *out)
{
    for (unsigned i = 0; i < r->n_demands; i++) {
        const struct demand *d = &r->demand[i];
        if (d->general && !all)
            continue;
        struct need n = {.kind = NEED_SLOT,
                         .slot = (uint8_t)d->slot,
                         .level = CANDO_HARD,
                         .min_support = CANDO_MIN_EMULATED,
                         .general = d->general,
                         .required_by = str_printf(rd->ar, "rule:%s", d->rule),
                         .path = demands_place(rd, r, d->at)};
        n.name = str_of(need_capability(&n));
        if (!need_add(rd, out, n))
            return false;
    }
    if (r->batch && all && !add_batch(rd, r, out))
        return false;
    struct str limit = r->output_at ? demands_place(rd, r, r->output_at) : r->at;
    return add_number(rd, out, NUM_context_window, r->tokens.low + r->output, r->at) &&
           add_number(rd, out, NUM_max_output, r->output, limit);
}

bool need_read_request(struct reading *r, const cando_catalog *cat, cando_bytes request,
                       const char *api, bool all, struct need_list *out)
{
    struct demands *d = arena_alloc(r->ar, sizeof *d);
    if (!d)
        return reading_memory(r);
    return demands_read(r, request, api, d) && demands_scan(r, cat, STR(""), STR(""), d) &&
           add_needs(r, d, all, out);
}
