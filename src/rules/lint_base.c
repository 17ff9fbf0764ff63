/*
 * lint_base.c - patterns that wait for what is taken off before they are asked.
 *
 * A rule on the base of an id never sees the vendor: "qwen/qwen3-32b" is compared as
 * "qwen3-32b" (model_id.h), so a pattern that names the vendor matches nothing. Which words are
 * vendors is in the tables of a catalog; over none nothing is said.
 *
 * An example of the pattern is taken apart as it would be at each provider of the rule. The
 * plain beginning of the pattern must hold the slash: behind a star there may be anything.
 */
#include "lint.h"

#include "catalog/snapshot.h"

/* Does an example lose its vendor, and the pattern with that? */
static bool loses_vendor(const struct id_tables *ids, struct str provider,
                         const struct lint_program *p, struct model_id *out)
{
    char room[LINT_WITNESS_BYTES];
    bool ok;
    struct str id = lint_witness(p, STR("x"), room, &ok);
    if (!ok || str_find_char(p->head, '/') == p->head.n)
        return false;
    if (!model_id_parse(ids, provider, id, out) || !out->vendor.n)
        return false;
    return str_find_char(out->base, '/') == out->base.n && !glob_run(p->code, out->base);
}

/* At each provider of the rule? */
static bool is_dead(const struct lint *l, const struct id_tables *ids, const struct lint_program *p,
                    struct model_id *out)
{
    const struct rule *r = &l->rs->rule[p->rule];
    for (size_t i = 0; i < r->n_providers; i++)
        if (!loses_vendor(ids, r->provider[i].name, p, out))
            return false;
    return r->n_providers || loses_vendor(ids, STR(""), p, out);
}

static void judge(struct lint *l, const struct id_tables *ids, const struct lint_program *p)
{
    const struct pattern *pattern = &l->rs->rule[p->rule].pattern[p->pattern];
    struct diag_list *d = &l->rs->diag;
    struct model_id id;
    if (!is_dead(l, ids, p, &id))
        return;
    diag_add(d, CODE_pattern_vendor, pattern->at,
             "'%.*s' matches no model: the vendor is taken off before ids are compared",
             STR_ARG(pattern->text));
    if (p->whole)
        diag_hint(d, "write \"%.*s\", or add on = \"id\" to compare ids as they are written",
                  STR_ARG(id.base));
    else
        diag_hint(d, "leave the vendor out, or add on = \"id\" to compare ids as they are written");
}

void lint_bases(struct lint *l)
{
    if (!l->rs->base)
        return;
    struct id_tables ids = snapshot_ids(l->rs->base);
    for (size_t i = 0; i < l->n_programs && !l->ar.failed; i++) {
        const struct lint_program *p = &l->program[i];
        bool first = !i || p[-1].rule != p->rule || p[-1].pattern != p->pattern;
        if (first && l->rs->rule[p->rule].on_base) /* alternatives in braces have one vendor */
            judge(l, &ids, p);
    }
}
