/*
 * crowd.c - findings that wait for what is around them, where there is no room for all.
 */
#include "scan.h"

/* There is no room for so many of a rule: where the first one is, is kept. What becomes of them is
 * told in the end, or at the end of the item around. */
void scan_crowd_add(struct scan *s, struct scan_crowd *c, const struct scan_found *first,
                    uint32_t count)
{
    uint32_t i = 0;
    while (i < c->n && c->first[i].rule != first->rule)
        i++;
    if (i == SCAN_CROWD) {
        s->events_lost = true;
        return;
    }
    if (i == c->n) {
        c->first[i] = *first;
        c->count[i] = 0;
        c->n++;
    }
    c->count[i] += count;
}

bool scan_is_looked_at(const struct snap_req_rule *rule)
{
    return req_reads_schema(rule->check) || rule->effect == REQ_SILENT;
}

/* Is a list of findings that wait full for this rule? It is so before others have no room, once it
 * has more than can be told of. */
static bool is_enough(const struct snap_req_rule *rule, const struct scan_found *list, uint32_t n,
                      const struct scan_crowd *c, uint32_t number)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->first[i].rule == number)
            return true;
    if (n == SCAN_PENDING || scan_is_looked_at(rule))
        return n == SCAN_PENDING;
    for (uint32_t i = 0; i < n; i++)
        same += list[i].rule == number;
    return same >= SCAN_FOUND;
}

void scan_put_off(struct scan *s, const struct snap_req_rule *rule, const struct scan_found *f,
                  struct scan_found *list, uint32_t *n, struct scan_crowd *c)
{
    if (*n >= SCAN_FOUND && is_enough(rule, list, *n, c, f->rule))
        scan_crowd_add(s, c, f, 1);
    else
        list[(*n)++] = *f;
}
