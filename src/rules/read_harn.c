/*
 * read_harn.c - Harn's capability matrix, and the overrides of a harn.toml.
 *
 *     [[provider.NAME]]         one rule: model_match, version_min, extends,
 *                               and any number of fields
 *     [provider_family]         sibling = "family"
 *     [provider_defaults.NAME]  fields that no rule of the provider set
 *     [provider_limits.NAME]    rates: no capability, passed over
 *
 * The first rule that matches answers alone. In a harn.toml the same tables
 * stand below [capabilities]; all else there is the project's own business
 * and not ours to judge.
 */
#include "read.h"

static void rule_match(struct reader *r, const struct toml_entry *e, void *to)
{
    draft_patterns(r, to, e, MATCH_GLOB, true);
}

static void rule_version(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    draft_version(r, d, e, &d->rule.min);
}

static void rule_extends(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    read_bool(r, e, &d->rule.extends);
}

static bool rule_field(struct reader *r, const struct toml_entry *e, void *to)
{
    return draft_field(r, to, e);
}

static const struct read_key rule_key[] = {
    READ_KEY("model_match", rule_match),
    READ_KEY("version_min", rule_version),
    READ_KEY("extends", rule_extends),
};
static const struct read_keys rule_keys = READ_KEYS("[[provider.NAME]]", rule_key, rule_field);

static void read_rule(struct reader *r, const struct toml *t, void *to)
{
    const struct str *provider = to;
    struct rule_draft d;
    draft_begin(r, &d, RULE_MATCH, t->at);
    if (!draft_provider(r, &d, *provider, t->at))
        return;
    read_table(r, t, &rule_keys, &d);
    if (!read_wants(r, t, "the rule", STR("model_match"), true))
        READ_HINT(r, "write model_match = \"*\" for every model");
    draft_end(r, &d);
}

static void file_provider(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n && !r->rs->failed && !r->full; i++) {
        const struct toml_entry *p = &e->value->entry[i];
        struct str provider;
        if (read_key_name(r, p, &provider))
            read_each(r, p, "[[provider.NAME]]", read_rule, &provider);
    }
}

static const struct read_key file_key[] = {
    READ_KEY("provider", file_provider),
    READ_KEY("provider_family", read_families),
    READ_KEY("provider_defaults", read_provider_defaults),
    READ_KEY("provider_limits", NULL),
};
static const struct read_keys file_keys = READ_KEYS("the file", file_key, NULL);
static const struct read_keys section_keys = READ_KEYS("[capabilities]", file_key, NULL);

void read_harn(struct reader *r)
{
    struct toml_entry *section = toml_entry_of(r->root, STR("capabilities"));
    r->rs->source[r->source].first_match = true;
    if (!section)
        read_table(r, r->root, &file_keys, NULL);
    else if (read_is_table(r, section))
        read_table(r, section->value, &section_keys, NULL);
    if (!r->rs->failed)
        read_mock_family(r);
}
