/*
 * read_part.c - the parts that rule files are made of, whatever the syntax:
 * tables with known keys, names, lists, patterns, versions, and the draft of
 * a rule that they are put into.
 *
 * Every text that ends up in the set goes through read_text: TOML can write a
 * NUL ("\u0000"), which would cut the text where it leaves as a C string.
 */
#include "catalog/api.h"
#include "read.h"

#include "text/glob.h"

bool read_wrong_type(struct reader *r, struct str key, const struct toml *v, const char *expected)
{
    return READ_FATAL(r, CODE_wrong_type, v->at, "'%.*s' is %s, expected %s", STR_ARG(key),
                      toml_kind_name(v->kind), expected);
}

/* -- tables -------------------------------------------------------------------- */

static const struct read_key *find_key(const struct read_keys *keys, struct str name)
{
    for (size_t i = 0; i < keys->n; i++)
        if (str_eq(keys->key[i].key, name))
            return &keys->key[i];
    return NULL;
}

static void names_row(struct reader *r, const struct read_key *k, const struct toml_entry *e,
                      char *base)
{
    struct scope_name **name = (void *)(base + k->at);
    size_t *n = (void *)(base + k->n_at);
    if (!read_names(r, e, k->flags & READ_ALONE, k->words, k->code, name, n))
        return;
    if (*n || !(k->flags & READ_FILLED))
        return;
    READ_FATAL(r, CODE_empty_value, e->value->at, "'%.*s' is an empty list", STR_ARG(k->key));
    READ_HINT(r, "leave the key out for every %.*s", (int)k->key.n - 1, k->key.p);
}

/* The kinds that are one text. */
static bool text_row(struct reader *r, const struct read_key *k, const struct toml *v,
                     struct str *out)
{
    switch (k->kind) {
    case READ_TEXT:
        return read_text(r, k->key, v, out);
    case READ_NAME:
        return read_name(r, k->key, v, out);
    case READ_FOLDED:
        return read_name_fold(r, k->key, v, out);
    default:
        return read_word(r, k->key, v, k->words, k->code, out);
    }
}

static void read_row(struct reader *r, const struct read_key *k, const struct toml_entry *e,
                     void *to)
{
    char *base = to;
    bool keep = !(k->flags & READ_CHECKED), flag = false;
    struct str text;
    switch ((enum read_kind)k->kind) {
    case READ_BY_FUNCTION:
        if (k->read)
            k->read(r, e, to);
        break;
    case READ_FLAG:
        if (read_bool(r, e, &flag) && keep)
            *(bool *)(base + k->at) = flag;
        break;
    case READ_TEXT:
    case READ_NAME:
    case READ_FOLDED:
    case READ_WORD:
        if (text_row(r, k, e->value, &text) && keep)
            *(struct str *)(void *)(base + k->at) = text;
        break;
    case READ_NAMES:
        names_row(r, k, e, base);
        break;
    case READ_VERSION:
        draft_version(r, to, e, (void *)(base + k->at));
        break;
    case READ_PATTERNS:
        draft_patterns(r, to, e, k->match, true);
        break;
    case READ_TABLE:
        if (read_is_table(r, e))
            read_table(r, e->value, k->keys, to);
        break;
    case READ_ENTRIES:
        read_entries(r, e, k->read, to);
        break;
    case READ_EACH:
        read_each(r, e, k->words, k->each, to);
        break;
    }
}

void read_table(struct reader *r, const struct toml *t, const struct read_keys *keys, void *to)
{
    for (size_t i = 0; i < t->n && !r->rs->failed && !r->full; i++) {
        const struct toml_entry *e = &t->entry[i];
        const struct read_key *k = find_key(keys, e->key);
        if (k)
            read_row(r, k, e, to);
        else if (!keys->rest || !keys->rest(r, e, to))
            read_unknown_key(r, e, keys->what, keys, keys->rest != NULL);
    }
    for (size_t i = 0; i < keys->n; i++) {
        const struct read_key *k = &keys->key[i];
        if (!(k->flags & (READ_NEEDED | READ_WANTED)))
            continue;
        if (!read_wants(r, t, keys->self, k->key, k->flags & READ_NEEDED) && k->hint)
            READ_HINT(r, "%s", k->hint);
    }
}

/* The keys of a table as "a, b, c". */
static void hint_keys(struct reader *r, const struct read_keys *keys)
{
    char text[400];
    size_t used = 0;
    for (size_t i = 0; i < keys->n && used + keys->key[i].key.n + 3 < sizeof text; i++) {
        if (i) {
            text[used++] = ',';
            text[used++] = ' ';
        }
        memcpy(text + used, keys->key[i].key.p, keys->key[i].key.n);
        used += keys->key[i].key.n;
    }
    READ_HINT(r, "known here: %.*s", (int)used, text);
}

void read_unknown_key(struct reader *r, const struct toml_entry *e, const char *what,
                      const struct read_keys *keys, bool fields)
{
    READ_FATAL(r, CODE_unknown_key, e->at, "no %s '%.*s' in %s", fields ? "field" : "key",
               STR_ARG(e->key), what);
    if (!read_hints(r->rs))
        return;
    struct nearest near = nearest_to(e->key);
    for (size_t i = 0; keys && i < keys->n; i++)
        nearest_try(&near, keys->key[i].key);
    if (fields) {
        unsigned f = vocab_find_any(e->key);
        struct str ours = f < FIELD_COUNT ? vocab_name(r->vocab, f) : STR("");
        if (ours.n && !near.name.n) {
            READ_HINT(r, "%s calls it '%.*s'", vocabulary_name(r->vocab), STR_ARG(ours));
            return;
        }
        struct str name = vocab_suggest(r->vocab, e->key);
        if (name.n)
            nearest_try(&near, name);
    }
    if (near.name.n)
        READ_HINT(r, "did you mean '%.*s'?", STR_ARG(near.name));
    else if (keys && !fields)
        hint_keys(r, keys);
}

void read_each(struct reader *r, const struct toml_entry *e, const char *what, read_table_fn *fn,
               void *to)
{
    const struct toml *v = e->value;
    if (v->kind != TOML_ARRAY) {
        read_wrong_type(r, e->key, v, "an array of tables");
        READ_HINT(r, "write %s", what);
        return;
    }
    for (size_t i = 0; i < v->n && !r->rs->failed && !r->full; i++)
        if (v->item[i]->kind == TOML_TABLE)
            fn(r, v->item[i], to);
        else
            read_wrong_type(r, e->key, v->item[i], "a table");
}

bool read_is_table(struct reader *r, const struct toml_entry *e)
{
    if (e->value->kind == TOML_TABLE)
        return true;
    return read_wrong_type(r, e->key, e->value, "a table");
}

void read_entries(struct reader *r, const struct toml_entry *e, read_entry_fn *fn, void *to)
{
    if (!read_is_table(r, e))
        return;
    for (size_t i = 0; i < e->value->n && !r->rs->failed && !r->full; i++)
        fn(r, &e->value->entry[i], to);
}

bool read_wants(struct reader *r, const struct toml *t, const char *what, struct str key,
                bool fatal)
{
    if (toml_entry_of(t, key))
        return true;
    r->rs->fatal += fatal;
    READ_ERROR(r, CODE_missing_key, t->at, "%s has no '%.*s'", what, STR_ARG(key));
    return false;
}

/* -- values --------------------------------------------------------------------- */

bool read_bool(struct reader *r, const struct toml_entry *e, bool *out)
{
    if (e->value->kind != TOML_BOOLEAN)
        return read_wrong_type(r, e->key, e->value, "true or false");
    *out = e->value->boolean;
    return true;
}

bool read_text(struct reader *r, struct str key, const struct toml *v, struct str *out)
{
    if (v->kind != TOML_STRING)
        return read_wrong_type(r, key, v, "a string");
    if (str_find_char(v->text, '\0') != v->text.n)
        return READ_FATAL(r, CODE_wrong_type, v->at, "'%.*s' has a NUL character, expected text",
                          STR_ARG(key));
    *out = v->text;
    return true;
}

static bool name_fits(struct reader *r, struct str key, struct str s, struct toml_pos at,
                      size_t max)
{
    if (s.n == 0)
        return READ_FATAL(r, CODE_empty_value, at, "'%.*s' is empty", STR_ARG(key));
    if (s.n > max)
        return READ_FATAL(r, CODE_too_long, at, "'%.*s' has %zu bytes, expected at most %zu",
                          STR_ARG(key), s.n, max);
    return true;
}

bool read_name(struct reader *r, struct str key, const struct toml *v, struct str *out)
{
    return read_text(r, key, v, out) && name_fits(r, key, *out, v->at, LIMIT_NAME_BYTES);
}

bool read_fold(struct reader *r, struct str s, struct str *out)
{
    size_t i = 0;
    while (i < s.n && s.p[i] == char_fold(s.p[i]))
        i++;
    *out = i == s.n ? s : str_dup_fold(r->rs->ar, s);
    return out->p || s.n == 0 || read_no_memory(r);
}

bool read_name_fold(struct reader *r, struct str key, const struct toml *v, struct str *out)
{
    struct str s;
    return read_name(r, key, v, &s) && read_fold(r, s, out);
}

bool read_key_name(struct reader *r, const struct toml_entry *e, struct str *out)
{
    if (str_find_char(e->key, '\0') != e->key.n)
        return READ_FATAL(r, CODE_wrong_type, e->at, "the name has a NUL character, expected text");
    struct str called = e->key.n > 64 ? STR("the name") : e->key;
    if (!name_fits(r, called, e->key, e->at, LIMIT_NAME_BYTES))
        return false;
    return read_fold(r, e->key, out);
}

bool read_word(struct reader *r, struct str key, const struct toml *v, const char *words,
               enum code code, struct str *out)
{
    if (!read_text(r, key, v, out))
        return false;
    if (words_have(words, *out))
        return true;
    READ_FATAL(r, code, v->at, "'%.*s' is no word for '%.*s'", STR_ARG(*out), STR_ARG(key));
    if (read_hints(r->rs)) {
        struct nearest near = nearest_to(*out);
        nearest_try_words(&near, words);
        if (near.name.n)
            READ_HINT(r, "did you mean '%.*s'?", STR_ARG(near.name));
        else
            READ_HINT(r, "expected one of: %s", words);
    }
    return false;
}

bool read_items(struct reader *r, const struct toml_entry *e, bool single, size_t max,
                struct read_items *out)
{
    struct toml *v = e->value;
    *out = (struct read_items){.one = v};
    if (v->kind == TOML_ARRAY) {
        if (v->n > max)
            return READ_FATAL(r, CODE_too_long, v->at, "'%.*s' has %zu items, expected at most %zu",
                              STR_ARG(e->key), v->n, max);
        out->item = v->item;
        out->n = v->n;
        return true;
    }
    if (!single || v->kind != TOML_STRING)
        return read_wrong_type(r, e->key, v,
                               single ? "a string or a list of strings" : "a list of strings");
    out->item = &out->one;
    out->n = 1;
    return true;
}

bool read_names(struct reader *r, const struct toml_entry *e, bool single, const char *words,
                enum code code, struct scope_name **out, size_t *n)
{
    struct read_items items;
    if (!read_items(r, e, single, LIMIT_LIST_ITEMS, &items))
        return false;
    struct scope_name *name = arena_array(r->rs->ar, items.n, sizeof *name);
    if (!name)
        return read_no_memory(r);
    size_t used = 0;
    bool all = true;
    for (size_t i = 0; i < items.n; i++) {
        struct str s;
        bool ok = words ? read_word(r, e->key, items.item[i], words, code, &s)
                        : read_name_fold(r, e->key, items.item[i], &s);
        if (ok)
            name[used++] = (struct scope_name){s, read_place(r, items.item[i]->at)};
        all &= ok;
    }
    *out = name;
    *n = used;
    return all && !r->rs->failed;
}

#define REPEATS_PLAIN 16 /* up to here, comparing each with each is quicker than a map */

static bool stands_before(const struct read_items *items, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (items->item[k]->kind == TOML_STRING &&
            str_eq_fold(items->item[k]->text, items->item[i]->text))
            return true;
    return false;
}

void read_repeats(struct reader *r, struct str key, struct read_items items)
{
    struct map seen;
    map_init(&seen, r->rs->ar, true);
    if (items.n == 1)
        return;
    for (size_t i = 0; i < items.n; i++) {
        const struct toml *v = items.item[i];
        if (v->kind != TOML_STRING)
            continue;
        bool twice =
            items.n <= REPEATS_PLAIN ? stands_before(&items, i) : map_get(&seen, v->text) != NULL;
        if (twice)
            READ_ERROR(r, CODE_duplicate_item, v->at, "'%.*s' stands twice in '%.*s'",
                       STR_ARG(v->text), STR_ARG(key));
        else if (items.n > REPEATS_PLAIN && !map_put(&seen, v->text, 0)) {
            read_no_memory(r);
            return;
        }
    }
}

void read_sorted(struct reader *r, struct str key, struct read_items items)
{
    for (size_t i = 1; i < items.n; i++) {
        const struct toml *a = items.item[i - 1], *b = items.item[i];
        if (a->kind == TOML_STRING && b->kind == TOML_STRING && str_cmp(a->text, b->text) > 0) {
            READ_ERROR(r, CODE_not_sorted, b->at, "'%.*s' is not sorted", STR_ARG(key));
            READ_HINT(r, "'%.*s' goes before '%.*s'", STR_ARG(b->text), STR_ARG(a->text));
            return;
        }
    }
}

/* -- the draft of a rule ------------------------------------------------------------ */

void draft_begin(struct reader *r, struct rule_draft *d, enum rule_kind kind, struct toml_pos at)
{
    *d =
        (struct rule_draft){.rule = {
                                .kind = kind,
                                .source = r->source,
                                .name = STR(""),
                                .at = read_place(r, at),
                                .origin = STR(""),
                                .evidence = STR(""),
                                .scheme = r->syntax == CANDO_SYNTAX_HARN ? SCHEME_HARN : SCHEME_ANY,
                            }};
}

static bool add_pattern(struct reader *r, struct rule_draft *d, struct pattern p)
{
    struct rule *rule = &d->rule;
    if (rule->n_patterns >= LIMIT_PATTERNS_PER_RULE) {
        r->rs->fatal++;
        diag_add(&r->rs->diag, CODE_too_long, p.at, "the rule has more than %u patterns",
                 LIMIT_PATTERNS_PER_RULE);
        return false;
    }
    if (!ARENA_GROW(r->rs->ar, rule->pattern, rule->n_patterns, d->cap_patterns))
        return read_no_memory(r);
    rule->pattern[rule->n_patterns++] = p;
    return true;
}

/* A text without any of these is meant literally; one with them that is
 * compared literally all the same has an unclosed bracket. */
static bool wants_to_be_glob(struct str s)
{
    return str_find_char(s, '*') != s.n || str_find_char(s, '?') != s.n ||
           str_find_char(s, '[') != s.n;
}

static bool compile_glob(struct reader *r, struct pattern *p, const struct toml *v)
{
    struct glob_set set = {0};
    bool too_many = false;
    if (!glob_compile(r->rs->ar, p->text, &set, &too_many)) {
        if (!too_many)
            return read_no_memory(r);
        READ_FATAL(r, CODE_too_long, v->at,
                   "the alternatives of the pattern multiply to more than %d", GLOB_ALTERNATIVES);
        READ_HINT(r, "write a list of patterns");
        return false;
    }
    p->program = set.program;
    p->n_programs = set.n;
    p->literal = set.literal && wants_to_be_glob(p->text);
    if (p->literal) {
        READ_ERROR(r, CODE_pattern_literal, v->at,
                   "'%.*s' is not a well-formed glob: it is compared as it stands",
                   STR_ARG(v->text));
        READ_HINT(r, "close the bracket, or write [[] for a plain one");
    }
    return true;
}

static bool read_pattern(struct reader *r, struct str key, const struct toml *v,
                         enum match_kind kind, struct pattern *out)
{
    *out = (struct pattern){.kind = kind, .at = read_place(r, v->at)};
    struct str s;
    if (!read_text(r, key, v, &s))
        return false;
    if (!name_fits(r, key, s, v->at, LIMIT_PATTERN_BYTES))
        return false;
    if (!read_fold(r, s, &out->text))
        return false;
    return kind != MATCH_GLOB || compile_glob(r, out, v);
}

bool draft_patterns(struct reader *r, struct rule_draft *d, const struct toml_entry *e,
                    enum match_kind kind, bool single)
{
    struct read_items items;
    if (!read_items(r, e, single, LIMIT_PATTERNS_PER_RULE, &items))
        return false;
    if (items.n == 0)
        return READ_FATAL(r, CODE_empty_value, e->value->at,
                          "'%.*s' is an empty list, which matches nothing", STR_ARG(e->key));
    for (size_t i = 0; i < items.n && !r->rs->failed; i++) {
        struct pattern p;
        if (read_pattern(r, e->key, items.item[i], kind, &p) && !add_pattern(r, d, p))
            return false;
    }
    if (r->syntax != CANDO_SYNTAX_NIKA)
        read_repeats(r, e->key, items);
    return !r->rs->failed;
}

bool draft_any(struct reader *r, struct rule_draft *d, struct toml_pos at)
{
    return add_pattern(
        r, d, (struct pattern){.kind = MATCH_ANY, .text = STR(""), .at = read_place(r, at)});
}

bool draft_provider(struct reader *r, struct rule_draft *d, struct str folded, struct toml_pos at)
{
    struct scope_name *s = arena_alloc(r->rs->ar, sizeof *s);
    if (!s)
        return read_no_memory(r);
    *s = (struct scope_name){folded, read_place(r, at)};
    d->rule.provider = s;
    d->rule.n_providers = 1;
    return true;
}

static bool version_number(const struct toml *v, uint32_t *out)
{
    if (v->kind != TOML_INTEGER || v->integer < 0 || v->integer > UINT32_MAX)
        return false;
    *out = (uint32_t)v->integer;
    return true;
}

void draft_version(struct reader *r, struct rule_draft *d, const struct toml_entry *e,
                   struct version_bound *out)
{
    const struct toml *v = e->value;
    struct version_bound b = {.set = true, .at = read_place(r, v->at)};
    if (v->kind == TOML_ARRAY && v->n == 2 && version_number(v->item[0], &b.major) &&
        version_number(v->item[1], &b.minor)) {
        *out = b;
        return;
    }
    d->rule.never = true;
    READ_ERROR(r, CODE_version_malformed, v->at,
               "'%.*s' is not two whole numbers, so the rule never matches", STR_ARG(e->key));
    READ_HINT(r, "write [major, minor], as in [4, 5]");
}

/* -- fields ------------------------------------------------------------------------- */

/* Names are compared as TOML compares keys: case counts. The map folds, and
 * none of the three vocabularies has a name with capital letters. */
static bool find_field(const struct reader *r, struct str key, unsigned *field)
{
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] != char_fold(key.p[i]))
            return false;
    const uint32_t *f = map_get(&r->field, key);
    if (f)
        *field = *f;
    return f != NULL;
}

bool draft_field(struct reader *r, struct rule_draft *d, const struct toml_entry *e)
{
    struct rule *rule = &d->rule;
    struct assign a = {.at = read_place(r, e->at)};
    if (!find_field(r, e->key, &a.field))
        return false;
    if (!read_value(r, a.field, e, &a.value))
        return true;
    for (size_t i = 0; i < rule->n_assigns; i++)
        if (rule->assign[i].field == a.field) {
            /* two names of one field: the vocabulary's first one counts */
            if (str_eq(vocab_name(r->vocab, a.field), e->key))
                rule->assign[i] = a;
            return true;
        }
    if (!ARENA_GROW(r->rs->ar, rule->assign, rule->n_assigns, d->cap_assigns))
        read_no_memory(r);
    else
        rule->assign[rule->n_assigns++] = a;
    return true;
}

static const struct assign *assign_of(const struct rule *rule, unsigned field)
{
    for (size_t i = 0; i < rule->n_assigns; i++)
        if (rule->assign[i].field == field && !rule->assign[i].value.cleared)
            return &rule->assign[i];
    return NULL;
}

static void check_limits(struct reader *r, const struct rule *rule)
{
    const struct assign *window = assign_of(rule, F_context_window),
                        *output = assign_of(rule, F_max_output);
    if (!window || !output || output->value.number <= window->value.number)
        return;
    diag_add(&r->rs->diag, CODE_output_above_window, output->at,
             "the output limit %llu is above the context window %llu",
             (unsigned long long)output->value.number, (unsigned long long)window->value.number);
    READ_HINT(r, "the answer counts inside the window");
}

void draft_fields(struct reader *r, struct rule_draft *d, const struct toml *t, const char *what)
{
    for (size_t i = 0; i < t->n && !r->rs->failed; i++)
        if (!draft_field(r, d, &t->entry[i]))
            read_unknown_key(r, &t->entry[i], what, NULL, true);
    check_limits(r, &d->rule);
}

struct str read_api(struct str word)
{
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        if (a->nika.n && str_eq(a->nika, word))
            return a->name;
    return word;
}

void draft_end(struct reader *r, struct rule_draft *d)
{
    struct ruleset *rs = r->rs;
    for (size_t i = 0; i < d->rule.n_apis; i++)
        d->rule.api[i].name = read_api(d->rule.api[i].name);
    if (rs->failed || r->full || d->rule.n_patterns == 0)
        return;
    if (read_full(r, rs->n_rules, LIMIT_RULES, "rules", d->rule.at))
        return;
    if (ARENA_GROW(rs->ar, rs->rule, rs->n_rules, rs->cap_rules))
        rs->rule[rs->n_rules++] = d->rule;
    else
        rs->failed = true;
}

void read_resolution(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str word;
    if (read_word(r, e->key, e->value, "layered first-match", CODE_unknown_word, &word))
        r->rs->source[r->source].first_match = str_is(word, "first-match");
}

/* -- what two syntaxes write alike ----------------------------------------------------- */

void read_rule_name(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    struct str name;
    if (e->value->kind == TOML_STRING && e->value->text.n == 0) {
        READ_ERROR(r, CODE_empty_value, e->value->at, "'name' is empty");
        if (r->syntax == CANDO_SYNTAX_CANDO)
            READ_HINT(r, "name the rule, or leave the key out");
    } else if (read_name(r, e->key, e->value, &name)) {
        d->rule.name = name;
    }
}

void read_rule_on(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    struct str word;
    if (read_word(r, e->key, e->value, "base id", CODE_unknown_word, &word))
        d->rule.on_base = str_is(word, "base");
}

void read_rule_fields(struct reader *r, const struct toml_entry *e, void *to)
{
    struct rule_draft *d = to;
    if (!read_is_table(r, e))
        return;
    draft_fields(r, d, e->value, e->key.p);
    if (e->value->n || d->rule.kind != RULE_MATCH)
        return;
    READ_ERROR(r, CODE_empty_rule, e->at, "the rule sets nothing");
    READ_HINT(r, "set a field%s, or delete the rule",
              r->syntax == CANDO_SYNTAX_NIKA ? " of caps" : "");
}

/* With a folded `provider` the defaults of one. */
static void add_defaults(struct reader *r, const struct toml_entry *e, struct str provider,
                         const char *what)
{
    struct rule_draft d;
    if (!read_is_table(r, e))
        return;
    draft_begin(r, &d, provider.n ? RULE_PROVIDER_DEFAULT : RULE_DEFAULT, e->at);
    if (provider.n && !draft_provider(r, &d, provider, e->at))
        return;
    draft_fields(r, &d, e->value, what);
    if (d.rule.n_assigns && draft_any(r, &d, e->at))
        draft_end(r, &d);
}

void read_defaults(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    add_defaults(r, e, STR(""), "[defaults]");
}

void read_provider_default(struct reader *r, const struct toml_entry *e, void *to)
{
    (void)to;
    struct str provider;
    if (read_key_name(r, e, &provider))
        add_defaults(r, e, provider, "[provider_defaults.NAME]");
}
