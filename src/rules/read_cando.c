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
 *     [borrow]               what offerings of one model have in common: borrow.h
 *
 * Any file may have any of them. The format is strict, since a misspelt key
 * would silently do nothing: each table has a list of its keys below.
 */
#include "api_words.h"
#include "read.h"

#include "base/instant.h"
#include "borrow.h"
#include "catalog/evidence.h"

#define APIS API_PROVIDER_WORDS
#define KINDS "first-party cloud host router local test backend"

/* -- what rules and facts have in common --------------------------------------- */

static void key_source(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (read_text(r, e->key, e->value, &d->rule.origin) && d->rule.origin.n == 0)
        READ_ERROR(r, CODE_empty_value, e->value->at, "'source' is empty");
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
    d->rule.checked = day_number(v->text);
}

/* Fields of the rule that another source confirms, by their names. */
static void key_agreed(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    struct read_items items;
    struct str name;
    if (!read_items(r, e, false, LIMIT_LIST_ITEMS, &items))
        return;
    for (size_t i = 0; i < items.n; i++) {
        if (!read_text(r, e->key, items.item[i], &name))
            continue;
        unsigned field = vocab_find(VOCAB_CANDO, name);
        if (field < FIELD_COUNT)
            d->rule.agreed |= agreed_bit(field); /* of some fields it is not kept */
        else
            READ_ERROR(r, CODE_unknown_key, items.item[i]->at, "no field '%.*s'", STR_ARG(name));
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

static void match_any(struct reader *r, const struct toml_entry *e, void *to)
{
    bool any = false;
    if (read_bool(r, e, &any) && any)
        draft_any(r, to, e->at);
}

static const struct read_key match_key[] = {
    KEY_PATTERNS("glob", MATCH_GLOB),     KEY_PATTERNS("exact", MATCH_EXACT),
    KEY_PATTERNS("prefix", MATCH_PREFIX), KEY_PATTERNS("contains", MATCH_CONTAINS),
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

#define S struct rule_draft
static const struct read_key rule_key[] = {
    READ_KEY("name", read_rule_name),
    KEY_NAMES("providers", rule.provider, rule.n_providers, .flags = READ_ALONE | READ_FILLED),
    KEY_NAMES("dialects", rule.api, rule.n_apis, .flags = READ_ALONE | READ_FILLED, .words = APIS,
              .code = CODE_unknown_api),
    READ_KEY_("match", READ_BY_FUNCTION, .read = rule_match, .flags = READ_NEEDED,
              .hint = "write match = \"claude-*\", or match = { any = true } for every model"),
    READ_KEY("on", read_rule_on),
    KEY_VERSION("version_min", rule.min),
    KEY_VERSION("version_max", rule.max),
    KEY_FLAG("extends", rule.extends),
    READ_KEY_("set", READ_BY_FUNCTION, .read = read_rule_fields, .flags = READ_WANTED,
              .hint = "write set = { tool_calling = \"native\" }"),
    READ_KEY("source", key_source),
    KEY_WORD("evidence", rule.evidence, EVIDENCE_OF_FACTS, CODE_unknown_word),
    READ_KEY("agreed", key_agreed),
    READ_KEY("checked", key_checked),
};
static const struct read_keys rule_keys = READ_KEYS_OF("[[rules]]", "the rule", rule_key, NULL);

static void read_rule(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct rule_draft d;
    draft_begin(r, &d, RULE_MATCH, t->at);
    d.rule.on_base = true;
    read_table(r, t, &rule_keys, &d);
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
    READ_KEY_("provider", READ_BY_FUNCTION, .read = model_provider, .flags = READ_NEEDED),
    READ_KEY_("id", READ_BY_FUNCTION, .read = model_id, .flags = READ_NEEDED),
    READ_KEY("name", read_rule_name),
    READ_KEY("set", read_rule_fields),
    READ_KEY("source", key_source),
    KEY_WORD("evidence", rule.evidence, EVIDENCE_OF_FACTS, CODE_unknown_word),
    READ_KEY("agreed", key_agreed),
    READ_KEY("checked", key_checked),
};
#undef S
static const struct read_keys model_keys = READ_KEYS("[[models]]", model_key, NULL);

static void read_model(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct rule_draft d;
    draft_begin(r, &d, RULE_FACT, t->at);
    read_table(r, t, &model_keys, &d);
    note_source(r, t);
    if (d.rule.n_providers == 1)
        draft_end(r, &d);
}

/* -- providers ----------------------------------------------------------------------- */

static void provider_aliases(struct reader *r, const struct toml_entry *e, void *to)
{
    struct provider *p = to;
    struct read_items items;
    if (!read_names(r, e, false, NULL, CODE_unknown_provider, &p->alias, &p->n_aliases) ||
        !read_items(r, e, false, LIMIT_LIST_ITEMS, &items))
        return;
    read_sorted(r, e->key, items);
}

/* "https://api.example.com/v1/" is kept as "api.example.com/v1". A `*` stands for a part of the
 * host without a dot, or for one step of the path. */
static bool read_base(struct str *base)
{
    struct str s = *base;
    bool plain = str_starts(s, STR("http://"));
    if (!plain && !str_starts(s, STR("https://")))
        return false;
    s = str_from(s, plain ? strlen("http://") : strlen("https://"));
    while (str_ends(s, STR("/")))
        s.n--;
    *base = s;
    struct str host = str_head(s, str_find_char(s, '/'));
    return host.n && !str_is(host, "*") && str_made_of(host, ".-_*:[]") &&
           str_made_of(str_from(s, host.n), "/.-_*~");
}

static void provider_bases(struct reader *r, const struct toml_entry *e, void *to)
{
    struct provider *p = to;
    if (!read_names(r, e, false, NULL, CODE_wrong_type, &p->base, &p->n_bases))
        return;
    for (size_t i = 0; i < p->n_bases; i++)
        if (!read_base(&p->base[i].name))
            READ_FATAL(r, CODE_wrong_type, e->value->item[i]->at,
                       "'%.*s' is no address such as https://api.example.com/v1",
                       STR_ARG(p->base[i].name));
}

#define S struct provider
static const struct read_key provider_key[] = {
    KEY_FOLDED("id", id, .flags = READ_NEEDED),
    KEY_NAME("name", name),
    READ_KEY("aliases", provider_aliases),
    KEY_WORD("dialect", api, APIS, CODE_unknown_api),
    KEY_NAMES("dialects", spoken, n_spoken, .flags = READ_FILLED, .words = APIS,
              .code = CODE_unknown_api),
    KEY_FLAG("own_names", own_names),
    READ_KEY("base_urls", provider_bases),
    KEY_WORD("kind", kind, KINDS, CODE_unknown_word),
};
#undef S
static const struct read_keys provider_keys = READ_KEYS("[[providers]]", provider_key, NULL);

static void read_provider_table(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct provider p = read_provider_begin(r, t);
    size_t fatal = r->rs->fatal;
    read_table(r, t, &provider_keys, &p);
    if (r->rs->fatal == fatal && !r->rs->failed)
        read_provider(r, &p);
}

/* -- labs and spellings ---------------------------------------------------------------- */

/* Every string of a list, as rows of one table. The value is the lab's id, or
 * for models the text itself. */
static void lab_list(struct reader *r, const struct toml_entry *e, void *to)
{
    struct str lab = *(struct str *)to, s;
    struct read_items items;
    bool models = str_is(e->key, "models");
    enum id_table table = models ? ID_MODEL : str_is(e->key, "families") ? ID_FAMILY : ID_LAB;
    /* a lab may have made any number of models, so the file's size is the limit */
    if (!read_items(r, e, false, SIZE_MAX, &items))
        return;
    if (!models) /* there two spellings of one id clash by themselves */
        read_repeats(r, e->key, items);
    for (size_t i = 0; i < items.n && !r->rs->failed; i++)
        if (read_name(r, e->key, items.item[i], &s))
            read_id(r, table, models ? lab : STR(""), s, models ? s : lab,
                    read_place(r, items.item[i]->at));
}

static void lab_spelling(struct reader *r, const struct toml_entry *e, void *to)
{
    struct str lab = *(struct str *)to, spelling, model;
    if (!read_key_name(r, e, &spelling) || !read_name(r, e->key, e->value, &model))
        return;
    struct str value = str_printf(r->rs->ar, "%.*s/%.*s", STR_ARG(lab), STR_ARG(model));
    if (!value.p)
        read_no_memory(r);
    else
        read_id(r, ID_SPELLING, lab, spelling, value, read_place(r, e->at));
}

static const struct read_key lab_key[] = {
    READ_KEY("id", NULL),          KEY_CHECKED("name", READ_NAME),
    READ_KEY("aliases", lab_list), READ_KEY("families", lab_list),
    READ_KEY("models", lab_list),  KEY_ENTRIES("spellings", lab_spelling),
};
static const struct read_keys lab_keys = READ_KEYS("[[labs]]", lab_key, NULL);

static void read_lab(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct str lab;
    struct toml_entry *id = toml_entry_of(t, STR("id"));
    if (!read_wants(r, t, "[[labs]]", STR("id"), true) ||
        !read_name_fold(r, id->key, id->value, &lab) ||
        !read_id(r, ID_LAB, STR(""), lab, lab, read_place(r, id->value->at)))
        return;
    read_table(r, t, &lab_keys, &lab);
}

/* Something on both sides of the first `c`. */
static bool has_both_sides(struct str s, char c)
{
    size_t at = str_find_char(s, c);
    return at > 0 && at + 1 < s.n;
}

static void read_spelling(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str key, model;
    if (!read_key_name(r, e, &key) || !read_name(r, e->key, e->value, &model))
        return;
    if (!has_both_sides(key, ':') && !has_both_sides(key, '/'))
        READ_FATAL(r, CODE_wrong_type, e->at, "'%.*s' is not of the form provider:id",
                   STR_ARG(e->key));
    else if (!has_both_sides(model, '/'))
        READ_FATAL(r, CODE_wrong_type, e->value->at, "'%.*s' is not of the form lab/model",
                   STR_ARG(model));
    else
        read_id(r, ID_SPELLING, STR(""), key, model, read_place(r, e->at));
}

/* input_image = ["lab", "hosts"] */
static void read_borrow(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str word;
    struct read_items items;
    unsigned field = vocab_find(VOCAB_CANDO, e->key);
    if (field >= FIELD_COUNT || profile_is_price(field)) {
        READ_FATAL(r, CODE_unknown_field, e->at, "'%.*s' is nothing that can be borrowed",
                   STR_ARG(e->key));
        return;
    }
    if (!read_items(r, e, false, SIZE_MAX, &items))
        return;
    r->rs->borrow[field] = 0; /* what a later file says counts */
    for (size_t i = 0; i < items.n; i++) {
        if (!read_word(r, e->key, items.item[i], BORROW_WORDS, CODE_unknown_word, &word))
            return;
        r->rs->borrow[field] |= (uint16_t)(1u << borrow_word(word));
    }
}

/* -- the file ---------------------------------------------------------------------------- */

static const struct read_key file_key[] = {
    READ_KEY("schema", NULL),
    READ_KEY("resolution", read_resolution),
    READ_KEY("defaults", read_defaults),
    KEY_ENTRIES("provider_defaults", read_provider_default),
    KEY_ENTRIES("families", read_family),
    KEY_EACH("providers", "[[providers]]", read_provider_table),
    KEY_EACH("rules", "[[rules]]", read_rule),
    KEY_EACH("models", "[[models]]", read_model),
    KEY_EACH("labs", "[[labs]]", read_lab),
    KEY_ENTRIES("spellings", read_spelling),
    KEY_ENTRIES("aliases", read_alias),
    KEY_ENTRIES("borrow", read_borrow),
    READ_KEY("policy", read_policy),
};
static const struct read_keys file_keys = READ_KEYS("the file", file_key, NULL);

void read_cando(struct reader *r)
{
    read_table(r, r->root, &file_keys, NULL);
}
