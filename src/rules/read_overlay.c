/*
 * read_overlay.c - what mostly stands in the files of one's own: other names
 * for models, and lists of what is allowed.
 *
 *     [aliases]
 *     "azure/my-deployment" = "openai/gpt-4o"
 *
 *     [policy]
 *     allow = ["openai", "anthropic/claude-*"]
 *     deny = ["groq", "openai/o1-*"]
 *     keys = ["openai", "anthropic"]
 *
 * A list closes when it cannot be read. Everywhere else in a rule file a
 * mistake is fatal and the set is not compiled; here the set is compiled and
 * denies everything, so that a program which goes on after a finding cannot go
 * on with half of a list.
 */
#include "read.h"

#include "text/glob.h"

/* -- aliases --------------------------------------------------------------------- */

/* Where the provider of "provider/model" or "provider:model" ends, or 0. */
static size_t provider_end(struct str s)
{
    size_t slash = str_find_char(s, '/'), colon = str_find_char(s, ':');
    size_t cut = slash < colon ? slash : colon;
    return cut + 1 < s.n ? cut : 0;
}

static void add_alias(struct reader *r, const struct toml_entry *e, struct str key, size_t cut,
                      struct str target)
{
    struct ruleset *rs = r->rs;
    struct model_alias a = {
        .provider = str_head(key, cut),
        .id = str_from(key, cut + 1),
        .written = str_from(e->key, cut + 1),
        .target = target,
        .at = read_place(r, e->at),
        .source = r->source,
    };
    if (read_full(r, rs->n_aliases, LIMIT_ALIASES, "aliases", a.at))
        return;
    if (ARENA_GROW(rs->ar, rs->alias, rs->n_aliases, rs->cap_aliases))
        rs->alias[rs->n_aliases++] = a;
    else
        read_no_memory(r);
}

void read_alias(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str key, target;
    if (!read_key_name(r, e, &key) || !read_name_fold(r, e->key, e->value, &target))
        return;
    size_t cut = provider_end(key), at = provider_end(target);
    if (!cut) {
        READ_FATAL(r, CODE_alias_target, e->at, "'%.*s' is not of the form provider/id",
                   STR_ARG(e->key));
        READ_HINT(r, "write \"azure/my-deployment\" = \"openai/gpt-4o\"");
        return;
    }
    if (!at) {
        READ_FATAL(r, CODE_alias_target, e->value->at, "'%.*s' is not of the form provider/model",
                   STR_ARG(target));
        READ_HINT(r, "write \"%.*s\" = \"openai/gpt-4o\"", STR_ARG(e->key));
        return;
    }
    if (target.p[at] == ':') {
        struct str slashed = str_dup(r->rs->ar, target);
        if (!slashed.p) {
            read_no_memory(r);
            return;
        }
        ((char *)slashed.p)[at] = '/';
        target = slashed;
    }
    add_alias(r, e, key, cut, target);
}

/* -- allow and deny ---------------------------------------------------------------- */

static void add_policy(struct reader *r, enum policy_kind kind, struct str text, struct toml_pos at)
{
    struct ruleset *rs = r->rs;
    if (!ARENA_GROW(rs->ar, rs->policy, rs->n_policies, rs->cap_policies)) {
        read_no_memory(r);
        return;
    }
    rs->policy[rs->n_policies++] = (struct policy_entry){kind, text, r->source, read_place(r, at)};
}

/* What was said of `at` is an error, and from here on nothing is allowed. */
static void close_policy(struct reader *r, struct toml_pos at, const char *what)
{
    READ_ERROR(r, CODE_policy_malformed, at, "%s, so everything is denied", what);
    READ_HINT(r, "write allow = [\"openai\", \"anthropic/claude-*\"] or deny = [..]");
    add_policy(r, POLICY_CLOSED, STR(""), at);
}

/* Was it meant as more than plain text? */
static bool has_wild(struct str s)
{
    return memchr(s.p, '*', s.n) || memchr(s.p, '?', s.n) || memchr(s.p, '[', s.n) ||
           memchr(s.p, '{', s.n);
}

/* NULL if this is one pattern, or what is wrong with it. */
static const char *pattern_wrong(struct reader *r, struct str text)
{
    if (text.n == 0)
        return "a pattern is empty";
    if (text.n > LIMIT_PATTERN_BYTES)
        return "a pattern is too long";
    if (memchr(text.p, 0, text.n))
        return "a pattern contains a NUL";
    if (text.p[0] == ' ' || text.p[text.n - 1] == ' ')
        return "a pattern begins or ends with a space";
    struct str part[2] = {str_head(text, str_find_char(text, '/')),
                          str_from(text, str_find_char(text, '/') + 1)};
    for (unsigned i = 0; i < 2; i++) {
        struct glob_set set;
        bool too_many = false;
        if (part[i].n == 0 && i == 1 && str_find_char(text, '/') == text.n)
            break;
        if (part[i].n == 0)
            return i ? "a pattern has nothing behind its slash"
                     : "a pattern has nothing before its slash";
        if (!glob_compile(r->rs->ar, part[i], &set, &too_many)) {
            r->rs->failed |= !too_many;
            return "a pattern has too many alternatives";
        }
        if (set.literal && has_wild(part[i]))
            return memchr(part[i].p, '{', part[i].n)
                       ? "a pattern with braces needs a * or ? beside them"
                       : "a pattern is not well formed";
        if (set.n > POLICY_ALTERNATIVES)
            return "a pattern has too many alternatives";
    }
    return NULL;
}

static void read_policy_item(struct reader *r, const struct toml *v, enum policy_kind kind)
{
    struct str folded;
    if (v->kind != TOML_STRING) {
        close_policy(r, v->at, "an item of the list is no string");
        return;
    }
    const char *wrong = pattern_wrong(r, v->text);
    if (r->rs->failed)
        return;
    if (wrong)
        close_policy(r, v->at, wrong);
    else if (read_fold(r, v->text, &folded))
        add_policy(r, kind, folded, v->at);
}

static void read_policy_list(struct reader *r, const struct toml_entry *e, enum policy_kind kind)
{
    if (e->value->kind != TOML_ARRAY) {
        close_policy(r, e->value->at,
                     kind == POLICY_DENY   ? "'deny' is no list"
                     : kind == POLICY_KEYS ? "'keys' is no list"
                                           : "'allow' is no list");
        return;
    }
    if (e->value->n > LIMIT_POLICIES || r->rs->n_policies > LIMIT_POLICIES) {
        close_policy(r, e->value->at, "the list is too long");
        return;
    }
    if (kind == POLICY_ALLOW)
        add_policy(r, POLICY_ALLOW_LIST, STR(""), e->at);
    for (size_t i = 0; i < e->value->n && !r->rs->failed; i++)
        read_policy_item(r, e->value->item[i], kind);
}

void read_policy(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    if (e->value->kind != TOML_TABLE) {
        close_policy(r, e->value->at, "[policy] is no table");
        return;
    }
    for (size_t i = 0; i < e->value->n && !r->rs->failed; i++) {
        const struct toml_entry *k = &e->value->entry[i];
        if (str_is(k->key, "allow"))
            read_policy_list(r, k, POLICY_ALLOW);
        else if (str_is(k->key, "deny"))
            read_policy_list(r, k, POLICY_DENY);
        else if (str_is(k->key, "keys"))
            read_policy_list(r, k, POLICY_KEYS);
        else
            close_policy(r, k->at, "[policy] has an unknown key");
    }
}

/* -- the set as a whole --------------------------------------------------------------- */

static bool known_provider(struct ruleset *rs, struct str pattern)
{
    struct glob_set set;
    bool too_many = false;
    const uint32_t *exact = map_get(&rs->by_provider, pattern);
    if (exact)
        return true;
    if (!glob_compile(rs->ar, pattern, &set, &too_many)) {
        rs->failed |= !too_many;
        return true;
    }
    for (size_t i = 0; i < rs->n_providers; i++)
        for (size_t k = 0; k <= rs->provider[i].n_aliases; k++)
            if (glob_run_any(&set, k ? rs->provider[i].alias[k - 1].name : rs->provider[i].id))
                return true;
    return false;
}

static void check_policy_entry(struct ruleset *rs, const struct policy_entry *p)
{
    struct str provider = str_head(p->text, str_find_char(p->text, '/'));
    bool list = p->kind == POLICY_ALLOW || p->kind == POLICY_DENY || p->kind == POLICY_KEYS;
    if (p->at.line == 0 || !list || known_provider(rs, provider))
        return;
    diag_add(&rs->diag, CODE_policy_unknown, p->at, "no provider is called '%.*s'",
             STR_ARG(provider));
    struct nearest near = nearest_to(provider);
    for (size_t i = 0; i < rs->n_providers && read_hints(rs); i++)
        nearest_try(&near, rs->provider[i].id);
    diag_suggest(&rs->diag, near.name,
                 "a pattern for models of every provider is written */pattern");
}

static void check_alias_entry(struct ruleset *rs, const struct model_alias *a)
{
    if (a->at.line == 0)
        return;
    for (size_t i = 0; i < rs->n_aliases; i++) {
        const struct model_alias *b = &rs->alias[i];
        if (a->target.n != b->provider.n + 1 + b->id.n || !str_starts(a->target, b->provider) ||
            a->target.p[b->provider.n] != '/' || !str_ends(a->target, b->id))
            continue;
        diag_add(&rs->diag, CODE_alias_target, a->at, "'%.*s' is an alias itself",
                 STR_ARG(a->target));
        diag_hint(&rs->diag, "name the model: '%.*s'", STR_ARG(b->target));
        return;
    }
}

void ruleset_check_overlay(struct ruleset *rs)
{
    for (size_t i = 0; i < rs->n_policies && !rs->failed; i++)
        check_policy_entry(rs, &rs->policy[i]);
    for (size_t i = 0; i < rs->n_aliases && i < LIMIT_LIST_ITEMS && !rs->failed; i++)
        check_alias_entry(rs, &rs->alias[i]);
}
