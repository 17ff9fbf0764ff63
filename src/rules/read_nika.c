/*
 * read_nika.c - Nika's two files: capability rules and the provider table.
 *
 *     schema = "nika/model-capabilities@1.0"      schema = "nika/llm-providers@1.0"
 *     [defaults]                                  [[providers]]
 *     [[rules]]                                   id, aliases, api_dialect, ...
 *     name, scope.*, match = { kind = .. },       [[providers.models]]
 *     caps.*                                      id, model, limits
 *
 * Nika checks its files when it is built, and lint says the same: but only
 * what makes a rule impossible to represent is fatal here, because `resolve`
 * takes tables that would not pass Nika's own build.
 *
 * The models of the provider table are offerings, with their limits. They are facts that
 * `extend` what comes behind them: a table before the rules leaves them their turn.
 */
#include "api_words.h"
#include "read.h"

#define APIS NIKA_API_WORDS

/* Nika's program wants a file with its schema line complete, and its lists by convention; what has
 * none is a part of one. */
static bool is_complete(const struct reader *r)
{
    return toml_get(r->root, STR("schema")) != NULL;
}

/* -- rules: match ----------------------------------------------------------------- */

static const struct match_form {
    const char *kind, *key; /* key NULL: none */
    enum match_kind match;
    bool list;
} match_forms[] = {
    {"any", NULL, MATCH_ANY, false},
    {"exact", "model", MATCH_EXACT, false},
    {"exact_any", "models", MATCH_EXACT, true},
    {"prefix_any", "prefixes", MATCH_PREFIX, true},
    {"contains_any", "patterns", MATCH_CONTAINS, true},
};

static const struct match_form *match_form(struct reader *r, const struct toml_entry *match)
{
    struct toml_entry *kind = toml_entry_of(match->value, STR("kind"));
    struct str word;
    if (!kind) {
        READ_FATAL(r, CODE_missing_key, match->value->at, "'match' has no 'kind'");
        READ_HINT(r, "one of: any exact exact_any prefix_any contains_any");
        return NULL;
    }
    if (!read_word(r, kind->key, kind->value, "any exact exact_any prefix_any contains_any",
                   CODE_unknown_word, &word))
        return NULL;
    for (size_t i = 0; i < COUNT_OF(match_forms); i++)
        if (str_is(word, match_forms[i].kind))
            return &match_forms[i];
    return NULL;
}

static void match_patterns(struct reader *r, struct rule_draft *d, const struct toml_entry *e,
                           const struct match_form *form)
{
    if (!form->list && e->value->kind != TOML_STRING)
        read_wrong_type(r, e->key, e->value, "a string");
    else
        draft_patterns(r, d, e, form->match, !form->list);
}

static void rule_match(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (!read_is_table(r, e))
        return;
    const struct match_form *form = match_form(r, e);
    if (!form)
        return;
    bool found = !form->key;
    if (!form->key)
        draft_any(r, d, e->at);
    for (size_t i = 0; i < e->value->n && !r->rs->failed; i++) {
        const struct toml_entry *m = &e->value->entry[i];
        if (str_is(m->key, "kind"))
            continue;
        if (form->key && str_is(m->key, form->key)) {
            found = true;
            match_patterns(r, d, m, form);
            continue;
        }
        read_unknown_key(r, m, "match", NULL, false);
        if (form->key)
            READ_HINT(r, "kind '%s' takes '%s'", form->kind, form->key);
        else
            READ_HINT(r, "kind 'any' takes nothing else");
    }
    if (!found)
        READ_FATAL(r, CODE_missing_key, e->value->at, "'match' of kind '%s' has no '%s'",
                   form->kind, form->key);
}

/* -- rules: scope ------------------------------------------------------------------ */

/* No route knows its region, so a rule for regions never applies. */
static void scope_region(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    struct scope_name *region;
    size_t n;
    if (!read_names(r, e, false, NULL, CODE_region_scope, &region, &n) || n == 0)
        return;
    d->rule.never = true;
    READ_ERROR(r, CODE_region_scope, e->at, "the rule is scoped to regions, and so never matches");
    READ_HINT(r, "region scopes are reserved: leave the list empty");
}

#define S struct rule_draft
static const struct read_key scope_key[] = {
    KEY_NAMES("providers", rule.provider, rule.n_providers),
    KEY_NAMES("api_dialect", rule.api, rule.n_apis, .flags = READ_ALONE, .words = APIS,
              .code = CODE_unknown_api),
    READ_KEY("region", scope_region),
};
static const struct read_keys scope_keys = READ_KEYS("scope", scope_key, NULL);

/* -- rules: the rest ---------------------------------------------------------------- */

static const struct read_key rule_key[] = {
    READ_KEY("name", read_rule_name),
    KEY_TABLE("scope", &scope_keys),
    READ_KEY_("match", READ_BY_FUNCTION, .read = rule_match, .flags = READ_NEEDED),
    READ_KEY_("caps", READ_BY_FUNCTION, .read = read_rule_fields, .flags = READ_WANTED),
    KEY_CHECKED("routing_complete", READ_FLAG),
};
#undef S
static const struct read_keys rule_keys = READ_KEYS_OF("[[rules]]", "the rule", rule_key, NULL);

static void read_rule(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct rule_draft d;
    draft_begin(r, &d, RULE_MATCH, t->at);
    read_table(r, t, &rule_keys, &d);
    if (is_complete(r))
        read_wants(r, t, "the rule", STR("name"), false);
    draft_end(r, &d);
}

/* Every field that Nika's struct must have a value for. */
static void check_defaults(struct reader *r)
{
    static const char required[] =
        "token_limit_param supports_temperature supports_stop_sequences reasoning "
        "input_modalities output_modalities supported_parameters supports_system_messages";
    const struct toml *t = toml_get(r->root, STR("defaults"));
    const char *cursor = required;
    struct str word;
    char missing[sizeof required] = "";
    size_t used = 0;
    while (words_next(&cursor, &word)) {
        if (t && toml_entry_of(t, word))
            continue;
        if (used)
            missing[used++] = ' ';
        memcpy(missing + used, word.p, word.n);
        used += word.n;
    }
    if (used == 0)
        return;
    READ_ERROR(r, CODE_missing_key, t ? t->at : r->root->at, "[defaults] lacks: %.*s", (int)used,
               missing);
    READ_HINT(r, "a field without a default has no value where no rule sets it");
}

static const struct read_key rules_file_key[] = {
    READ_KEY("schema", NULL),
    READ_KEY("resolution", read_resolution),
    READ_KEY("defaults", read_defaults),
    KEY_EACH("rules", "[[rules]]", read_rule),
};
static const struct read_keys rules_file_keys = READ_KEYS("the file", rules_file_key, NULL);

/* -- providers: models -------------------------------------------------------------- */

static void model_text(struct reader *r, const struct toml_entry *e)
{
    struct str s;
    if (e->value->kind == TOML_STRING && e->value->text.n == 0)
        READ_ERROR(r, CODE_empty_value, e->value->at, "'%.*s' is empty", STR_ARG(e->key));
    else
        read_name(r, e->key, e->value, &s);
}

static void model_name(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    model_text(r, e);
}

/* The wire id: by this it is offered. */
static void model_wire(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    model_text(r, e);
    if (e->value->kind != TOML_STRING || !e->value->text.n)
        return;
    if (draft_patterns(r, d, e, MATCH_EXACT, true) && d->rule.n_patterns == 1)
        d->rule.id = e->value->text;
}

static void model_limit(struct reader *r, const struct toml_entry *e, void *to)
{
    const struct toml *v = e->value;
    if (v->kind != TOML_INTEGER)
        read_wrong_type(r, e->key, v, "a whole number");
    else if (v->integer < 1 || (uint64_t)v->integer > LIMIT_NUMBER)
        READ_ERROR(r, CODE_bad_number, v->at, "'%.*s' is %lld, expected at least 1",
                   STR_ARG(e->key), (long long)v->integer);
    else
        draft_field(r, to, e);
}

static const struct read_key model_key[] = {
    READ_KEY_("id", READ_BY_FUNCTION, .read = model_name, .flags = READ_WANTED),
    READ_KEY_("model", READ_BY_FUNCTION, .read = model_wire, .flags = READ_WANTED),
    READ_KEY_("context_window_tokens", READ_BY_FUNCTION, .read = model_limit, .flags = READ_WANTED),
    READ_KEY_("max_output_tokens", READ_BY_FUNCTION, .read = model_limit, .flags = READ_WANTED),
};
static const struct read_keys model_keys =
    READ_KEYS_OF("[[providers.models]]", "the model", model_key, NULL);

/* A provider on its way, with what its models are called. */
struct provider_draft {
    struct provider p;
    const struct toml *of; /* its table */
    struct map nickname, wire;
};

/* False: it is the second of that name, or there is no memory. */
static bool unique_model(struct reader *r, const struct toml *t, struct str key, struct map *seen)
{
    const struct toml *v = toml_get(t, key);
    if (!v || v->kind != TOML_STRING)
        return true;
    if (!map_get(seen, v->text))
        return map_put(seen, v->text, 0) || read_no_memory(r);
    READ_ERROR(r, CODE_duplicate_item, v->at, "two models of the provider have the %s '%.*s'",
               str_is(key, "id") ? "nickname" : "wire id", STR_ARG(v->text));
    return false;
}

/* Puts it under the provider of the table around it, if that has an id. */
static void offer_model(struct reader *r, const struct toml *provider, struct rule_draft *fact)
{
    const struct toml *id = toml_get(provider, STR("id"));
    if (!fact->rule.n_patterns || !id || id->kind != TOML_STRING || !id->text.n)
        return;
    struct str name = str_dup_fold(r->rs->ar, id->text);
    const uint32_t *known = name.p ? map_get(&r->rs->by_provider, name) : NULL;
    if (known && r->rs->provider[*known].source == r->source && r->rs->provider[*known].at.line)
        return; /* a second table of the same provider, which is a finding by itself */
    if (!name.p)
        read_no_memory(r);
    else if (draft_provider(r, fact, name, id->at))
        draft_end(r, fact);
}

static void read_model(struct reader *r, const struct toml *t, void *to)
{
    struct provider_draft *d = to;
    struct rule_draft fact;
    draft_begin(r, &fact, RULE_FACT, t->at);
    fact.rule.extends = true;
    read_table(r, t, &model_keys, &fact);
    unique_model(r, t, STR("id"), &d->nickname);
    bool first = unique_model(r, t, STR("model"), &d->wire);
    const struct toml *window = toml_get(t, STR("context_window_tokens")),
                      *output = toml_get(t, STR("max_output_tokens"));
    if (window && output && window->kind == TOML_INTEGER && output->kind == TOML_INTEGER &&
        window->integer > 0 && output->integer > window->integer)
        READ_ERROR(r, CODE_output_above_window, output->at,
                   "the output limit %lld is above the context window %lld",
                   (long long)output->integer, (long long)window->integer);
    else if (first)
        offer_model(r, d->of, &fact);
}

/* -- providers ------------------------------------------------------------------------ */

static void provider_texts(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct read_items items;
    struct str s;
    if (read_items(r, e, false, LIMIT_LIST_ITEMS, &items))
        for (size_t i = 0; i < items.n; i++)
            read_text(r, e->key, items.item[i], &s);
}

static void provider_tags(struct reader *r, const struct toml_entry *e, void *to)
{
    struct read_items items;
    provider_texts(r, e, to);
    if (e->value->kind == TOML_ARRAY && read_items(r, e, false, SIZE_MAX, &items)) {
        read_repeats(r, e->key, items);
        read_sorted(r, e->key, items);
    }
}

#define S struct provider_draft
static const struct read_key provider_key[] = {
    KEY_FOLDED("id", p.id),
    KEY_TEXT("name", p.name, .flags = READ_WANTED),
    KEY_NAMES("aliases", p.alias, p.n_aliases),
    KEY_CHECKED("env_var", READ_TEXT, | READ_WANTED),
    READ_KEY("key_prefixes", provider_texts),
    KEY_CHECKED("default_model", READ_TEXT, | READ_WANTED),
    KEY_CHECKED("cheap_model", READ_TEXT, | READ_WANTED),
    KEY_CHECKED("requires_key", READ_FLAG, | READ_WANTED),
    KEY_CHECKED("description", READ_TEXT, | READ_WANTED),
    KEY_WORD("api_dialect", p.api, APIS, CODE_unknown_api),
    READ_KEY("tags", provider_tags),
    READ_KEY("extra_tags", provider_tags),
    KEY_EACH("models", "[[providers.models]]", read_model),
};
#undef S
static const struct read_keys provider_keys = READ_KEYS("[[providers]]", provider_key, NULL);

static void check_model_ref(struct reader *r, const struct toml *t, struct str key,
                            const struct map *wire)
{
    const struct toml *v = toml_get(t, key);
    if (!v || v->kind != TOML_STRING || map_get(wire, v->text))
        return;
    READ_ERROR(r, CODE_bad_model_ref, v->at,
               "'%.*s' is '%.*s', which is not the wire id of one of the provider's models",
               STR_ARG(key), STR_ARG(v->text));
    READ_HINT(r, "the wire id is the `model` of a [[providers.models]] table");
}

static void check_provider(struct reader *r, const struct toml *t, const struct provider_draft *d)
{
    const struct toml *models = toml_get(t, STR("models"));
    if (!models || (models->kind == TOML_ARRAY && models->n == 0)) {
        READ_ERROR(r, CODE_missing_key, t->at, "the provider has no models");
        READ_HINT(r, "add a [[providers.models]] table");
    }
    check_model_ref(r, t, STR("default_model"), &d->wire);
    check_model_ref(r, t, STR("cheap_model"), &d->wire);
    const struct toml *requires = toml_get(t, STR("requires_key")),
                      *variable = toml_get(t, STR("env_var"));
    if (requires && requires->kind == TOML_BOOLEAN && requires->boolean &&
        (!variable || (variable->kind == TOML_STRING && variable->text.n == 0)))
        READ_ERROR(r, CODE_missing_key_variable, requires->at,
                   "the provider requires a key but names no 'env_var'");
}

static void read_provider_table(struct reader *r, const struct toml *t, void *to)
{
    (void)to;
    struct provider_draft d = {.p = read_provider_begin(r, t), .of = t};
    map_init(&d.nickname, r->rs->ar, true);
    map_init(&d.wire, r->rs->ar, true);
    read_table(r, t, &provider_keys, &d);
    check_provider(r, t, &d);
    if (read_wants(r, t, "[[providers]]", STR("id"), true) && d.p.id.n && !r->rs->failed)
        read_provider(r, &d.p);
}

static const struct read_key providers_file_key[] = {
    READ_KEY("schema", NULL),
    KEY_EACH("providers", "[[providers]]", read_provider_table),
};
static const struct read_keys providers_file_keys = READ_KEYS("the file", providers_file_key, NULL);

/* -- the file ----------------------------------------------------------------------------- */

/* Without a schema, a file with [[providers]] is the provider table. */
static bool is_provider_file(const struct toml *root)
{
    const struct toml *schema = toml_get(root, STR("schema"));
    if (schema)
        return str_starts(schema->text, STR("nika/llm-providers@"));
    return toml_get(root, STR("providers")) && !toml_get(root, STR("rules"));
}

void read_nika(struct reader *r)
{
    if (is_provider_file(r->root)) {
        read_table(r, r->root, &providers_file_keys, NULL);
        return;
    }
    read_table(r, r->root, &rules_file_keys, NULL);
    if (is_complete(r))
        check_defaults(r);
}
