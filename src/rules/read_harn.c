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

#define S struct rule_draft
static const struct read_key rule_key[] = {
    KEY_PATTERNS("model_match", MATCH_GLOB, .flags = READ_NEEDED,
                 .hint = "write model_match = \"*\" for every model"),
    KEY_VERSION("version_min", rule.min),
    KEY_FLAG("extends", rule.extends),
};
#undef S

static bool rule_field(struct reader *r, const struct toml_entry *e, void *to)
{
    return draft_field(r, to, e);
}

static const struct read_keys rule_keys =
    READ_KEYS_OF("[[provider.NAME]]", "the rule", rule_key, rule_field);

static void read_rule(struct reader *r, const struct toml *t, void *to)
{
    const struct str *provider = to;
    struct rule_draft d;
    draft_begin(r, &d, RULE_MATCH, t->at);
    if (!draft_provider(r, &d, *provider, t->at))
        return;
    read_table(r, t, &rule_keys, &d);
    draft_end(r, &d);
}

static void read_provider_rules(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str provider;
    if (read_key_name(r, e, &provider))
        read_each(r, e, "[[provider.NAME]]", read_rule, &provider);
}

static const struct read_key file_key[] = {
    KEY_ENTRIES("provider", read_provider_rules),
    KEY_ENTRIES("provider_family", read_family),
    KEY_ENTRIES("provider_defaults", read_provider_default),
    READ_KEY("provider_limits", NULL),
};
static const struct read_keys file_keys = READ_KEYS("the file", file_key, NULL);
static const struct read_keys section_keys = READ_KEYS("[capabilities]", file_key, NULL);

void read_harn(struct reader *r)
{
    struct toml_entry *section = toml_entry_of(r->root, STR("capabilities"));
    r->rs->source[r->source].first_match = true;
    r->rs->source[r->source].overrides = section != NULL;
    if (!section)
        read_table(r, r->root, &file_keys, NULL);
    else if (read_is_table(r, section))
        read_table(r, section->value, &section_keys, NULL);
    if (!r->rs->failed)
        read_mock_family(r);
}
