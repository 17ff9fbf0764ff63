/*
 * price_names.c - rates under the names that other lists have for them.
 */
#include "api.h"

/* Takes `end` off. */
static bool cut_end(struct str *s, const char *end)
{
    if (!str_ends(*s, str_of(end)))
        return false;
    s->n -= strlen(end);
    return true;
}

/* Takes "_above_200k_tokens" off the end. */
static bool cut_threshold(struct str *s, uint64_t *out)
{
    struct str t = *s, mark = STR("_above_");
    if (!cut_end(&t, "_tokens") || t.n < 2)
        return false;
    uint64_t unit = t.p[t.n - 1] == 'k' ? 1000 : t.p[t.n - 1] == 'm' ? 1000000 : 0, n;
    size_t at = t.n - 1;
    while (at > 0 && char_is_digit(t.p[at - 1]) && t.n - at < 9)
        at--;
    str_number(str_from(t, at), 9, &n);
    t.n = at;
    if (!unit || !n || !str_ends(t, mark))
        return false;
    s->n = t.n - mark.n;
    *out = n * unit;
    return true;
}

/* "_priority" off the end of a name; the tier that it is for. */
static struct str cut_tier(struct str *name)
{
    static const struct {
        const char *end;
        struct str tier;
    } tiers[] = {
        {"_flex", {"flex", 4}}, {"_priority", {"priority", 8}}, {"_batches", {"batch", 5}}};
    for (size_t i = 0; i < COUNT_OF(tiers); i++)
        if (cut_end(name, tiers[i].end))
            return tiers[i].tier;
    return STR("");
}

bool price_key_litellm(struct str name, struct str mode, bool list, struct price_key *out)
{
    uint64_t threshold = 0;
    struct str tier = cut_tier(&name);
    bool above = cut_threshold(&name, &threshold);
    for (size_t i = 0; i < price_names.n_litellm; i++) {
        const struct price_name *row = &price_names.litellm[i];
        if (!str_eq(name, row->name) || (row->list_only && !list))
            continue;
        if (*row->modes && !words_have(row->modes, mode))
            continue;
        *out = price_key_plain(row->unit);
        out->tier = tier;
        out->step = above ? PRICE_ABOVE : PRICE_FLAT;
        out->threshold = threshold;
        return true;
    }
    return false;
}
