/*
 * read_cando.c - our own rule files, schema "cando/rules@1".
 *
 *     [defaults]             field = value, below all rules
 *     [provider_defaults.X]  the same for one provider
 *     [families]             provider = parent, or a list of parents
 *     [[providers]]          id, name, aliases, dialect, kind
 *     [[rules]]              who, which models, which versions: set = { .. }
 *     [[models]]             facts: one model at one provider
 *     [[labs]] [spellings]   who made what, and how else it is written
 *
 * Any file may have any of them. The format is strict, since a misspelt key
 * would silently do nothing: each table has a list of its keys below.
 */
#include "api_words.h"
#include "read.h"

#define APIS API_SPOKEN_WORDS " anthropic ai21 bedrock voyage mock"
#define KINDS "first-party cloud host router local test backend"
#define EVIDENCE "provider-api provider-docs live-test catalog inferred"

/* -- what rules and facts have in common --------------------------------------- */

static void key_name(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    struct str name;
    if (e->value->kind == TOML_STRING && e->value->text.n == 0) {
        READ_ERROR(r, CODE_empty_value, e->value->at, "'name' is empty");
        READ_HINT(r, "name the rule, or leave the key out");
    } else if (read_name(r, e->key, e->value, &name)) {
        d->rule.name = name;
    }
}

static void key_source(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (read_text(r, e->key, e->value, &d->rule.origin) && d->rule.origin.n == 0)
        READ_ERROR(r, CODE_empty_value, e->value->at, "'source' is empty");
}

static void key_evidence(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    struct str word;
    if (read_word(r, e->key, e->value, EVIDENCE, CODE_unknown_word, &word))
        d->rule.evidence = word;
}

/* TOML has checked that 2026-11-15 is a day. */
static void key_checked(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    const struct toml *v = e->value;
    if (v->kind != TOML_LOCAL_DATE) {
        READ_ERROR(r, CODE_bad_date, v->at, "'checked' is %s, expected a date",
                   toml_kind_name(v->kind));
        READ_HINT(r, "write it as 2026-11-15, without quotes");
        return;
    }
    uint32_t date = 0;
    for (size_t i = 0; i < v->text.n; i++)
        if (char_is_digit(v->text.p[i]))
            date = date * 10 + (uint32_t)(v->text.p[i] - '0');
    d->rule.checked = date;
}

static void key_set(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (!read_is_table(r, e))
        return;
    draft_fields(r, d, e->value, "set");
    if (e->value->n == 0 && d->rule.kind == RULE_MATCH) {
        READ_ERROR(r, CODE_empty_rule, e->at, "the rule sets nothing");
        READ_HINT(r, "set a field, or delete the rule");
    }
}

static void note_source(struct reader *r, const struct toml *t)
{
    if (toml_entry_of(t, STR("source")))
        return;
    READ_ERROR(r, CODE_no_source, t->at, "the rule does not say where it comes from");
    READ_HINT(r, "add source = \"https://...\" and checked = 2026-11-15");
}

/* -- rules ------------------------------------------------------------------------ */

static void match_glob(struct reader *r, const struct toml_entry *e, void *to)
{
    draft_patterns(r, to, e, MATCH_GLOB, true);
}

static void match_exact(struct reader *r, const struct toml_entry *e, void *to)
{
    draft_patterns(r, to, e, MATCH_EXACT, true);
}

static void match_prefix(struct reader *r, const struct toml_entry *e, void *to)
{
    draft_patterns(r, to, e, MATCH_PREFIX, true);
}

static void match_contains(struct reader *r, const struct toml_entry *e, void *to)
{
    draft_patterns(r, to, e, MATCH_CONTAINS, true);
}

static void match_any(struct reader *r, const struct toml_entry *e, void *to)
{
    bool any = false;
    if (read_bool(r, e, &any) && any)
        draft_any(r, to, e->at);
}

static const struct read_key match_key[] = {
    READ_KEY("glob", match_glob),     READ_KEY("exact", match_exact),
    READ_KEY("prefix", match_prefix), READ_KEY("contains", match_contains),
    READ_KEY("any", match_any),
};
static const struct read_keys match_keys = READ_KEYS("match", match_key, NULL);

static void rule_match(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (e->value->kind == TOML_STRING || e->value->kind == TOML_ARRAY) {
        draft_patterns(r, d, e, MATCH_GLOB, true);
        return;
    }
    if (e->value->kind != TOML_TABLE) {
        read_wrong_type(r, e->key, e->value, "a pattern, a list of patterns, or a table");
        return;
    }
    size_t fatal = r->rs->fatal;
    read_table(r, e->value, &match_keys, d);
    if (d->rule.n_patterns == 0 && r->rs->fatal == fatal) {
        READ_FATAL(r, CODE_empty_value, e->value->at, "'match' has no pattern");
        READ_HINT(r, "write match = { any = true } for every model");
    }
}

static void rule_providers(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (!read_names(r, e, true, NULL, CODE_unknown_provider, &d->rule.provider,
                    &d->rule.n_providers))
        return;
    if (d->rule.n_providers == 0) {
        READ_FATAL(r, CODE_empty_value, e->value->at, "'providers' is an empty list");
        READ_HINT(r, "leave the key out for every provider");
    }
}

static void rule_apis(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (!read_names(r, e, true, APIS, CODE_unknown_api, &d->rule.api, &d->rule.n_apis))
        return;
    if (d->rule.n_apis == 0) {
        READ_FATAL(r, CODE_empty_value, e->value->at, "'dialects' is an empty list");
        READ_HINT(r, "leave the key out for every dialect");
    }
}

static void rule_on(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    struct str word;
    if (read_word(r, e->key, e->value, "base id", CODE_unknown_word, &word))
        d->rule.on_base = str_is(word, "base");
}

static void rule_version_min(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    draft_version(r, d, e, &d->rule.min);
}

static void rule_version_max(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    draft_version(r, d, e, &d->rule.max);
}

static void rule_extends(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    read_bool(r, e, &d->rule.extends);
}

static const struct read_key rule_key[] = {
    READ_KEY("name", key_name),
    READ_KEY("providers", rule_providers),
    READ_KEY("dialects", rule_apis),
    READ_KEY("match", rule_match),
    READ_KEY("on", rule_on),
    READ_KEY("version_min", rule_version_min),
    READ_KEY("version_max", rule_version_max),
    READ_KEY("extends", rule_extends),
    READ_KEY("set", key_set),
    READ_KEY("source", key_source),
    READ_KEY("evidence", key_evidence),
    READ_KEY("checked", key_checked),
};
static const struct read_keys rule_keys = READ_KEYS("[[rules]]", rule_key, NULL);

static void read_rule(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct rule_draft d;
    draft_begin(r, &d, RULE_MATCH, t->at);
    d.rule.on_base = true;
    read_table(r, t, &rule_keys, &d);
    if (!read_wants(r, t, "the rule", STR("match"), true))
        READ_HINT(r, "write match = \"claude-*\", or match = { any = true } for every model");
    if (!read_wants(r, t, "the rule", STR("set"), false))
        READ_HINT(r, "write set = { tool_calling = \"native\" }");
    note_source(r, t);
    draft_end(r, &d);
}

/* -- facts -------------------------------------------------------------------------- */

static void model_provider(struct reader *r, const struct toml_entry *e, void *to)
{
    struct str name;
    if (read_name_fold(r, e->key, e->value, &name))
        draft_provider(r, to, name, e->value->at);
}

static void model_id(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (e->value->kind != TOML_STRING)
        read_wrong_type(r, e->key, e->value, "a string");
    else if (draft_patterns(r, d, e, MATCH_EXACT, true) && d->rule.n_patterns == 1 &&
             !str_eq(d->rule.pattern[0].text, e->value->text))
        d->rule.id =
            e->value->text; /* hosts compare ids as they are written; we only find them folded */
}

static const struct read_key model_key[] = {
    READ_KEY("provider", model_provider), READ_KEY("id", model_id),
    READ_KEY("name", key_name),           READ_KEY("set", key_set),
    READ_KEY("source", key_source),       READ_KEY("evidence", key_evidence),
    READ_KEY("checked", key_checked),
};
static const struct read_keys model_keys = READ_KEYS("[[models]]", model_key, NULL);

static void read_model(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct rule_draft d;
    draft_begin(r, &d, RULE_FACT, t->at);
    read_table(r, t, &model_keys, &d);
    read_wants(r, t, "[[models]]", STR("provider"), true);
    read_wants(r, t, "[[models]]", STR("id"), true);
    note_source(r, t);
    if (d.rule.n_providers == 1)
        draft_end(r, &d);
}

/* -- providers ----------------------------------------------------------------------- */

static void provider_id(struct reader *r, const struct toml_entry *e, void *to)
{
    struct provider *p = to;
    read_name_fold(r, e->key, e->value, &p->id);
}

static void provider_name(struct reader *r, const struct toml_entry *e, void *to)
{
    struct provider *p = to;
    read_name(r, e->key, e->value, &p->name);
}

static void provider_aliases(struct reader *r, const struct toml_entry *e, void *to)
{
    struct provider *p = to;
    struct read_items items;
    if (!read_names(r, e, false, NULL, CODE_unknown_provider, &p->alias, &p->n_aliases) ||
        !read_items(r, e, false, LIMIT_LIST_ITEMS, &items))
        return;
    read_sorted(r, e->key, items);
}

static void provider_api(struct reader *r, const struct toml_entry *e, void *to)
{
    struct provider *p = to;
    struct str word;
    if (read_word(r, e->key, e->value, APIS, CODE_unknown_api, &word))
        p->api = word;
}

static void provider_kind(struct reader *r, const struct toml_entry *e, void *to)
{
    struct provider *p = to;
    struct str word;
    if (read_word(r, e->key, e->value, KINDS, CODE_unknown_word, &word))
        p->kind = word;
}

static const struct read_key provider_key[] = {
    READ_KEY("id", provider_id),           READ_KEY("name", provider_name),
    READ_KEY("aliases", provider_aliases), READ_KEY("dialect", provider_api),
    READ_KEY("kind", provider_kind),
};
static const struct read_keys provider_keys = READ_KEYS("[[providers]]", provider_key, NULL);

static void read_provider_table(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct provider p = {.id = STR(""),
                         .name = STR(""),
                         .api = STR(""),
                         .kind = STR(""),
                         .at = read_place(r, t->at)};
    size_t fatal = r->rs->fatal;
    read_table(r, t, &provider_keys, &p);
    if (read_wants(r, t, "[[providers]]", STR("id"), true) && r->rs->fatal == fatal &&
        !r->rs->failed)
        read_provider(r, &p);
}

/* -- labs and spellings ---------------------------------------------------------------- */

/* Every string of a list, as rows of one table. The value is the lab's id, or
 * for models the text itself. */
static void lab_list(struct reader *r, const struct toml_entry *e, struct str lab,
                     enum id_table table)
{
    struct read_items items;
    struct str s;
    /* a lab may have made any number of models, so the file's size is the limit */
    if (!read_items(r, e, false, SIZE_MAX, &items))
        return;
    if (table != ID_MODEL) /* there two spellings of one id clash by themselves */
        read_repeats(r, e->key, items);
    for (size_t i = 0; i < items.n && !r->rs->failed; i++)
        if (read_name(r, e->key, items.item[i], &s))
            read_id(r, table, table == ID_MODEL ? lab : STR(""), s, table == ID_MODEL ? s : lab,
                    items.item[i]->at);
}

static void lab_aliases(struct reader *r, const struct toml_entry *e, void *to)
{
    lab_list(r, e, *(struct str *)to, ID_LAB);
}

static void lab_families(struct reader *r, const struct toml_entry *e, void *to)
{
    lab_list(r, e, *(struct str *)to, ID_FAMILY);
}

static void lab_models(struct reader *r, const struct toml_entry *e, void *to)
{
    lab_list(r, e, *(struct str *)to, ID_MODEL);
}

static void lab_name(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str name;
    read_name(r, e->key, e->value, &name);
}

static void lab_spellings(struct reader *r, const struct toml_entry *e, void *to)
{
    struct str lab = *(struct str *)to, spelling, model;
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n && !r->rs->failed; i++) {
        const struct toml_entry *s = &e->value->entry[i];
        if (!read_key_name(r, s, &spelling) || !read_name(r, s->key, s->value, &model))
            continue;
        struct str value = str_printf(r->rs->ar, "%.*s/%.*s", STR_ARG(lab), STR_ARG(model));
        if (!value.p)
            read_no_memory(r);
        else
            read_id(r, ID_SPELLING, lab, spelling, value, s->at);
    }
}

static const struct read_key lab_key[] = {
    READ_KEY("id", NULL),
    READ_KEY("name", lab_name),
    READ_KEY("aliases", lab_aliases),
    READ_KEY("families", lab_families),
    READ_KEY("models", lab_models),
    READ_KEY("spellings", lab_spellings),
};
static const struct read_keys lab_keys = READ_KEYS("[[labs]]", lab_key, NULL);

static void read_lab(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct str lab;
    struct toml_entry *id = toml_entry_of(t, STR("id"));
    if (!read_wants(r, t, "[[labs]]", STR("id"), true) ||
        !read_name_fold(r, id->key, id->value, &lab) ||
        !read_id(r, ID_LAB, STR(""), lab, lab, id->value->at))
        return;
    read_table(r, t, &lab_keys, &lab);
}

/* Something on both sides of the first `c`. */
static bool has_both_sides(struct str s, char c)
{
    size_t at = str_find_char(s, c);
    return at > 0 && at + 1 < s.n;
}

static void read_spellings(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n && !r->rs->failed; i++) {
        const struct toml_entry *s = &e->value->entry[i];
        struct str key, model;
        if (!read_key_name(r, s, &key) || !read_name(r, s->key, s->value, &model))
            continue;
        if (!has_both_sides(key, ':') && !has_both_sides(key, '/')) {
            READ_FATAL(r, CODE_wrong_type, s->at, "'%.*s' is not of the form provider:id",
                       STR_ARG(s->key));
            continue;
        }
        if (!has_both_sides(model, '/')) {
            READ_FATAL(r, CODE_wrong_type, s->value->at, "'%.*s' is not of the form lab/model",
                       STR_ARG(model));
            continue;
        }
        read_id(r, ID_SPELLING, STR(""), key, model, s->at);
    }
}

/* -- the file ---------------------------------------------------------------------------- */

static void file_defaults(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    read_defaults(r, e, STR(""), "[defaults]");
}

static void file_providers(struct reader *r, const struct toml_entry *e, void *to)
{
    read_each(r, e, "[[providers]]", read_provider_table, to);
}

static void file_rules(struct reader *r, const struct toml_entry *e, void *to)
{
    read_each(r, e, "[[rules]]", read_rule, to);
}

static void file_models(struct reader *r, const struct toml_entry *e, void *to)
{
    read_each(r, e, "[[models]]", read_model, to);
}

static void file_labs(struct reader *r, const struct toml_entry *e, void *to)
{
    read_each(r, e, "[[labs]]", read_lab, to);
}

static const struct read_key file_key[] = {
    READ_KEY("schema", NULL),
    READ_KEY("resolution", read_resolution),
    READ_KEY("defaults", file_defaults),
    READ_KEY("provider_defaults", read_provider_defaults),
    READ_KEY("families", read_families),
    READ_KEY("providers", file_providers),
    READ_KEY("rules", file_rules),
    READ_KEY("models", file_models),
    READ_KEY("labs", file_labs),
    READ_KEY("spellings", read_spellings),
    READ_KEY("aliases", read_aliases),
    READ_KEY("policy", read_policy),
};
static const struct read_keys file_keys = READ_KEYS("the file", file_key, NULL);

void read_cando(struct reader *r)
{
    read_table(r, r->root, &file_keys, NULL);
}
