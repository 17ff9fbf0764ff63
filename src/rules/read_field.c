/*
 * read_field.c - the value of a field: from TOML to the internal form.
 *
 * The type comes from the vocabulary, and what may be written for it from the
 * syntax:
 *
 *               cando                             nika         harn
 *     SUPPORT   a level, { restricted = ".." },   true, false  true, false
 *               true, false
 *     FLAG      true, false                       same         same
 *     NUMBER    0 .. LIMIT_NUMBER                 same         same
 *     WORD      one of the words                  same         any, with a finding
 *     LIST      of the words, each once           of words     any, with a finding
 *     TEXT      a string; of some fields a day    same         same
 *     MAP       a table of strings                same         same
 *     cleared   "unknown", for every type         -            -
 *
 * Harn gains words with every version, and a rule with a new one still works,
 * so there the word is kept. "unknown" in our own syntax always clears, also
 * for the few fields that have it as a word: both say that nobody knows.
 */
#include "read.h"

#include "base/instant.h"
#include "catalog/price.h"

static bool own(const struct reader *r)
{
    return r->syntax == CANDO_SYNTAX_CANDO;
}

/* -- support --------------------------------------------------------------------- */

#define SUPPORT_WORDS "native emulated unsupported unknown"

static bool value_restricted(struct reader *r, const struct toml_entry *e, struct rule_value *out)
{
    const struct toml *t = e->value;
    if (t->n != 1 || !str_is(t->entry[0].key, "restricted"))
        return read_wrong_type(r, e->key, t, "a level, or { restricted = \"why\" }");
    if (!read_text(r, t->entry[0].key, t->entry[0].value, &out->text))
        return false;
    if (out->text.n == 0)
        return READ_FATAL(r, CODE_empty_value, t->entry[0].value->at,
                          "'restricted' is empty, expected the reason");
    out->support = CANDO_RESTRICTED;
    return true;
}

static bool value_support(struct reader *r, const struct toml_entry *e, struct rule_value *out)
{
    const struct toml *v = e->value;
    struct str word;
    if (v->kind == TOML_BOOLEAN) {
        out->support = v->boolean ? CANDO_NATIVE : CANDO_UNSUPPORTED;
        return true;
    }
    if (!own(r))
        return read_wrong_type(r, e->key, v, "true or false");
    if (v->kind == TOML_TABLE)
        return value_restricted(r, e, out);
    if (v->kind != TOML_STRING)
        return read_wrong_type(
            r, e->key, v, "\"native\", \"emulated\", \"unsupported\" or { restricted = \"why\" }");
    if (str_is(v->text, "restricted")) {
        READ_FATAL(r, CODE_unknown_word, v->at, "'restricted' needs its reason");
        READ_HINT(r, "write { restricted = \"why\" }");
        return false;
    }
    return read_word(r, e->key, v, SUPPORT_WORDS, CODE_unknown_word, &word) &&
           support_find(word, &out->support);
}

/* -- numbers ---------------------------------------------------------------------- */

/* A window or an answer of no tokens is a mistake, not a limit. */
static bool at_least_one(unsigned field)
{
    return field == F_context_window || field == F_max_input || field == F_max_output;
}

static bool value_number(struct reader *r, unsigned field, const struct toml_entry *e,
                         struct rule_value *out)
{
    const struct toml *v = e->value;
    int64_t least = at_least_one(field);
    if (v->kind != TOML_INTEGER)
        return read_wrong_type(r, e->key, v, "a whole number");
    if (v->integer < least || (uint64_t)v->integer > LIMIT_NUMBER)
        return READ_FATAL(r, CODE_bad_number, v->at, "'%.*s' is %lld, expected %d to %llu",
                          STR_ARG(e->key), (long long)v->integer, (int)least,
                          (unsigned long long)LIMIT_NUMBER);
    out->number = (uint64_t)v->integer;
    return true;
}

/* -- words and lists ----------------------------------------------------------------- */

/* Nika takes three of the efforts. */
static const char *field_words(const struct reader *r, unsigned field)
{
    if (r->syntax == CANDO_SYNTAX_NIKA && field == F_reasoning_efforts)
        return "low high max";
    return vocab_row(field)->words;
}

/* A word of the field; any text where the field is open. */
static bool field_word(struct reader *r, unsigned field, struct str key, const struct toml *v,
                       struct str *out)
{
    const char *words = field_words(r, field);
    if (!*words)
        return read_text(r, key, v, out);
    if (r->syntax != CANDO_SYNTAX_HARN || v->kind != TOML_STRING)
        return read_word(r, key, v, words, CODE_unknown_word, out);
    size_t fatal = r->rs->fatal;
    if (!read_text(r, key, v, out))
        return false;
    read_word(r, key, v, words, CODE_unknown_word, out);
    r->rs->fatal = fatal;
    return true;
}

static void check_modalities(struct reader *r, unsigned field, const struct toml_entry *e,
                             const struct rule_value *v)
{
    if (r->syntax != CANDO_SYNTAX_NIKA ||
        (field != F_input_modalities && field != F_output_modalities))
        return;
    if (v->n == 0) {
        READ_ERROR(r, CODE_empty_value, e->value->at, "'%.*s' is an empty list", STR_ARG(e->key));
        READ_HINT(r, "name at least one modality, or leave the field out");
        return;
    }
    if (field == F_output_modalities)
        return;
    for (size_t i = 0; i < v->n; i++)
        if (str_is(v->item[i], "text"))
            return;
    READ_ERROR(r, CODE_missing_text_input, e->value->at, "'%.*s' lacks 'text'", STR_ARG(e->key));
    READ_HINT(r, "every model takes text: add \"text\"");
}

/* Is each word behind the one before it, in the alphabet or in the vocabulary? */
static bool is_in_order(unsigned field, struct read_items items, bool alphabet)
{
    for (size_t i = 1; i < items.n; i++) {
        struct str a = items.item[i - 1]->text, b = items.item[i]->text;
        const char *words = vocab_row(field)->words;
        bool before = alphabet ? str_cmp(a, b) < 0 : words_find(words, a) < words_find(words, b);
        if (!before && !str_eq(a, b))
            return false;
    }
    return true;
}

/* Lists of Nika's rules have each word once, by convention; the parameters also have an order, in a
 * file that says what it is: the example of its page does not keep to that. */
static void check_convention(struct reader *r, unsigned field, const struct toml_entry *e,
                             struct read_items items)
{
    enum { LOOKED_AT = 64 }; /* there are fewer words */
    for (size_t i = 1; i < items.n && i < LOOKED_AT; i++)
        for (size_t k = 0; k < i; k++) {
            if (!str_eq(items.item[k]->text, items.item[i]->text))
                continue;
            READ_ERROR(r, CODE_repeated_word, items.item[i]->at, "'%.*s' stands twice in '%.*s'",
                       STR_ARG(items.item[i]->text), STR_ARG(e->key));
            READ_HINT(r, "leave it out");
            break;
        }
    if (field != F_supported_parameters || !toml_get(r->root, STR("schema")))
        return;
    if (is_in_order(field, items, false) || is_in_order(field, items, true))
        return;
    READ_ERROR(r, CODE_unordered_list, e->value->at,
               "'%.*s' is neither in the order of the vocabulary nor of the alphabet",
               STR_ARG(e->key));
    READ_HINT(r, "%s", vocab_row(field)->words);
}

static bool value_list(struct reader *r, unsigned field, const struct toml_entry *e,
                       struct rule_value *out)
{
    struct read_items items;
    if (!read_items(r, e, false, LIMIT_LIST_ITEMS, &items))
        return false;
    out->item = arena_array(r->rs->ar, items.n, sizeof *out->item);
    if (!out->item)
        return read_no_memory(r);
    bool all = true;
    for (size_t i = 0; i < items.n; i++) {
        struct str s;
        if (!field_word(r, field, e->key, items.item[i], &s)) {
            all = false;
            continue;
        }
        if (s.n == 0)
            READ_ERROR(r, CODE_empty_value, items.item[i]->at, "'%.*s' has an empty item",
                       STR_ARG(e->key));
        out->item[out->n++] = s;
    }
    if (own(r))
        read_repeats(r, e->key, items);
    else if (r->syntax == CANDO_SYNTAX_NIKA && all)
        check_convention(r, field, e, items);
    if (all)
        check_modalities(r, field, e, out);
    return all && !r->rs->failed;
}

/* -- days ------------------------------------------------------------------------------ */

/* "2026-11-15", "2026-11" or "2026"; a day without quotes is one as well. */
static bool value_date(struct reader *r, const struct toml_entry *e, struct rule_value *out)
{
    const struct toml *v = e->value;
    if (v->kind == TOML_LOCAL_DATE)
        out->text = v->text;
    else if (!read_text(r, e->key, v, &out->text))
        return false;
    if (day_number(out->text))
        return true;
    READ_FATAL(r, CODE_bad_date, v->at, "'%.*s' is \"%.*s\", expected a day", STR_ARG(e->key),
               STR_ARG(str_head(out->text, 40)));
    READ_HINT(r, "write it as \"2026-11-15\", or \"2026-11\" if the day is not known; "
                 "\"unknown\" says that nobody knows");
    return false;
}

/* -- maps ---------------------------------------------------------------------------- */

/* A price: its keys have a grammar of their own, its values are decimals. */
static bool check_price(struct reader *r, const struct toml_entry *e, struct str rate)
{
    const char *wrong = price_wrong(e->key, rate);
    if (!wrong)
        return true;
    READ_FATAL(r, CODE_bad_price, e->at, "'%.*s' = \"%.*s\" is no price: %s",
               STR_ARG(str_head(e->key, 80)), STR_ARG(str_head(rate, 40)), wrong);
    diag_suggest(&r->rs->diag, unit_near(str_head(e->key, str_find_char(e->key, ' '))), NULL);
    return false;
}

static bool map_item(struct reader *r, unsigned field, const struct toml_entry *e, struct str *out)
{
    struct str value;
    if (!read_text(r, e->key, e->value, &value))
        return false;
    if (field == F_price) {
        if (!check_price(r, e, value))
            return false;
    } else if (e->key.n == 0 || str_find_char(e->key, '=') != e->key.n ||
               str_find_char(e->key, '\0') != e->key.n)
        return READ_FATAL(r, CODE_wrong_type, e->at,
                          "the key '%.*s' is empty or has a '=', expected a word", STR_ARG(e->key));
    size_t n = e->key.n + 1 + value.n;
    char *p = arena_alloc(r->rs->ar, n + 1);
    if (!p)
        return read_no_memory(r);
    memcpy(p, e->key.p, e->key.n);
    p[e->key.n] = '=';
    if (value.n)
        memcpy(p + e->key.n + 1, value.p, value.n);
    *out = str_make(p, n);
    return true;
}

static bool value_map(struct reader *r, unsigned field, const struct toml_entry *e,
                      struct rule_value *out)
{
    const struct toml *t = e->value;
    if (t->kind != TOML_TABLE)
        return read_wrong_type(r, e->key, t, "a table of strings");
    if (t->n > LIMIT_LIST_ITEMS)
        return READ_FATAL(r, CODE_too_long, t->at, "'%.*s' has %zu keys, expected at most %u",
                          STR_ARG(e->key), t->n, LIMIT_LIST_ITEMS);
    out->item = arena_array(r->rs->ar, t->n, sizeof *out->item);
    if (!out->item)
        return read_no_memory(r);
    bool all = true;
    for (size_t i = 0; i < t->n; i++)
        if (map_item(r, field, &t->entry[i], &out->item[out->n]))
            out->n++;
        else
            all = false;
    return all && !r->rs->failed;
}

/* -- all ------------------------------------------------------------------------------ */

bool read_value(struct reader *r, unsigned field, const struct toml_entry *e,
                struct rule_value *out)
{
    *out = (struct rule_value){.text = STR("")};
    if (own(r) && e->value->kind == TOML_STRING && str_is(e->value->text, "unknown")) {
        out->cleared = true;
        return true;
    }
    switch (vocab_row(field)->type) {
    case CANDO_SUPPORT:
        return value_support(r, e, out);
    case CANDO_FLAG:
        return read_bool(r, e, &out->flag);
    case CANDO_NUMBER:
        return value_number(r, field, e, out);
    case CANDO_WORD:
        return field_word(r, field, e->key, e->value, &out->text);
    case CANDO_TEXT:
        if (vocab_is_date(field))
            return value_date(r, e, out);
        return read_text(r, e->key, e->value, &out->text);
    case CANDO_LIST:
        return value_list(r, field, e, out);
    case CANDO_MAP:
        return value_map(r, field, e, out);
    }
    return false;
}
