/*
 * days.c - of which day a catalog is: what its sources of facts say last.
 */
#include "claim.h"

#include "base/instant.h"
#include "catalog/snapshot.h"

static const char *name_of(struct str url)
{
    for (unsigned i = 0; i < FACT_SOURCES; i++)
        if (str_is(url, fact_source_row(i)->url))
            return fact_source_row(i)->name;
    return NULL;
}

/* The place of a source in the list, which grows as long as there is room. */
static size_t place_of(cando_catalog_source *out, size_t *n, size_t max, struct str url)
{
    for (size_t i = 0; i < *n; i++)
        if (str_is(url, out[i].url))
            return i;
    if (*n == max)
        return max;
    out[*n] = (cando_catalog_source){.name = name_of(url), .url = url.p};
    return (*n)++;
}

size_t cando_catalog_sources(const cando_catalog *c, cando_catalog_source *out, size_t max)
{
    const struct snapshot *s = &c->snap;
    size_t n = 0, at = 0;
    uint32_t last = SNAP_NONE, day = 0; /* most rules have the source of the one before */
    for (uint32_t i = 0; i < s->sec[SEC_RULES].n; i++) {
        struct snap_rule r = snap_rule(s, i);
        bool by_hand = r.layer == CANDO_LAYER_CURATED;
        if (!(r.flags & RULEF_FACT) || (r.layer != CANDO_LAYER_FACTS && !by_hand))
            continue;
        uint32_t origin = by_hand ? 0 : r.origin; /* 0 is no text's */
        if (origin != last) {
            at = place_of(out, &n, max, by_hand ? STR("") : snap_str(s, origin));
            day = at < n ? day_number(str_of(out[at].checked)) : 0;
            last = origin;
        }
        if (at == n)
            continue;
        out[at].models++;
        if (r.checked % 100 && r.checked > day) {
            day = r.checked;
            day_dashed(day, out[at].checked);
        }
    }
    return n;
}
