/*
 * compile_overlay.c - allow and deny lists, and aliases of models.
 *
 * A pattern of a list is stored as two programs, for the provider's name and
 * for the model's id. Where the name is an alias of a provider ("bedrock"), or
 * a glob that only an alias fits, a second row has the provider's number: a
 * list must not be evaded by the other name.
 *
 * An alias gets a finished profile like every id that is named whole: that of
 * the model it stands for, without its price. The compiler asks a complete
 * draft for it, since the model may itself be known by another spelling.
 */
#include "compile.h"
#include "read.h"
#include "resolve.h"
#include "text/glob.h"

/* -- allow and deny ---------------------------------------------------------------- */

struct policy_parts {
    struct glob_set provider, model;
};

static bool split_pattern(struct compiler *c, struct str text, struct policy_parts *out)
{
    size_t cut = str_find_char(text, '/');
    bool too_many;
    struct str model = cut < text.n ? str_from(text, cut + 1) : STR("*");
    return glob_compile(&c->ar, str_head(text, cut), &out->provider, &too_many) &&
           glob_compile(&c->ar, model, &out->model, &too_many);
}

static void put_policy(struct compiler *c, const struct policy_entry *p, uint32_t provider,
                       struct str name, struct str model)
{
    struct snap_policy rec = {
        .kind = (uint32_t)p->kind,
        .file = p->source,
        .line = p->at.line,
        .text = compile_string(c, p->text),
        .provider = provider,
        .provider_glob = compile_string(c, name),
        .model_glob = compile_string(c, model),
    };
    compile_put(c, SEC_POLICY, &rec);
}

static void compile_pattern(struct compiler *c, const struct policy_entry *p)
{
    struct policy_parts parts;
    if (!split_pattern(c, p->text, &parts))
        return;
    for (size_t m = 0; m < parts.model.n; m++) {
        for (size_t k = 0; k < parts.provider.n; k++)
            put_policy(c, p, SNAP_NONE, parts.provider.program[k], parts.model.program[m]);
        for (size_t i = 0; i < c->providers.n_names; i++)
            if (glob_run_any(&parts.provider, c->providers.name[i].name) &&
                !glob_run_any(&parts.provider, c->providers.id[c->providers.name[i].provider]))
                put_policy(c, p, c->providers.name[i].provider, STR(""), parts.model.program[m]);
    }
}

void compile_policy(struct compiler *c)
{
    for (size_t i = 0; i < c->rs->n_policies && !c->ar.failed; i++) {
        const struct policy_entry *p = &c->rs->policy[i];
        if (p->kind == POLICY_ALLOW || p->kind == POLICY_DENY)
            compile_pattern(c, p);
        else
            put_policy(c, p, SNAP_NONE, STR(""), STR(""));
    }
}

/* -- aliases ------------------------------------------------------------------------- */

static uint64_t alias_rank(const struct ruleset *rs, const struct model_alias *a)
{
    return (uint64_t)rs->source[a->source].layer << 32 | a->source;
}

/* "provider/id" with the provider's own id, or an empty text without memory. */
static struct str alias_key(struct compiler *c, const struct model_alias *a)
{
    struct str id = c->providers.id[*map_get(&c->alias, a->provider)];
    struct str key = str_printf(&c->ar, "%.*s/%.*s", STR_ARG(id), STR_ARG(a->id));
    if (!key.p)
        c->ar.failed = true;
    return key;
}

/* Each name once: of two entries that of the higher layer counts, then the later. */
bool compile_alias_list(struct compiler *c)
{
    const struct ruleset *rs = c->rs;
    struct map seen;
    map_init(&seen, &c->ar, false);
    c->alias_of = arena_array(&c->ar, rs->n_aliases, sizeof *c->alias_of);
    if (!c->alias_of)
        return false;
    for (size_t i = 0; i < rs->n_aliases; i++) {
        struct str key = alias_key(c, &rs->alias[i]);
        uint32_t *have = c->ar.failed ? NULL : map_get(&seen, key);
        if (have && alias_rank(rs, c->alias_of[*have].alias) <= alias_rank(rs, &rs->alias[i]))
            c->alias_of[*have].alias = &rs->alias[i];
        if (have)
            continue;
        if (c->ar.failed || !map_put(&seen, key, (uint32_t)c->n_alias_of))
            return false;
        c->alias_of[c->n_alias_of++] = (struct compile_alias){key, &rs->alias[i]};
    }
    return true;
}

void compile_aliases(struct compiler *c, const cando_catalog *draft)
{
    for (size_t i = 0; i < c->n_alias_of && !c->ar.failed; i++) {
        const struct model_alias *a = c->alias_of[i].alias;
        uint32_t provider = *map_get(&c->alias, a->provider);
        cando_profile p;
        resolve_alias(draft, c->providers.id[provider], a->id, a->target, CANDO_AS_WRITTEN, &p);
        compile_pair_put(c, provider, a->id, a->written, &p, CANDO_BY_ALIAS);
    }
    compile_pairs_end(c);
}
