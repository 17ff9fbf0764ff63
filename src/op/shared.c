/*
 * shared.c - shapes and words that several operations have.
 */
#include "op.h"

#include "catalog/price.h"
#include "catalog/profile.h"

static const char *const severities[] = {"note", "warning", "error"};
const struct shape_words op_severities = WORDS(severities);

static const char *const syntaxes[] = {"auto", "cando", "nika", "harn"};
const struct shape_words op_syntaxes = WORDS(syntaxes);

#define S cando_name
static const struct shape_member name[] = {
    TEXT(model, NEEDED, "its id there, in any spelling"),
    TEXT(provider, NEEDED, "who serves it"),
};
#undef S
const struct shape op_name = SHAPE("a target", cando_name, name);

static const char *const fixes[] = {NULL, "advice", "safe", "lossy"};
static const struct shape_words fix_words = WORDS(fixes);

#define S cando_finding
static const struct shape_member finding[] = {
    TEXT(code, NEEDED, "stable; the operation explain has its long text"),
    TEXT(path, NEEDED, "where, as a JSON Pointer"),
    TEXT(capability, NONE, "what the model would have to have"),
    WORD(severity, &op_severities, NEEDED, "how bad it is"),
    TEXT(message, NEEDED, "what is wrong"),
    TEXT_AS(hint, "fix", NONE, "what to do"),
    WORD_AS(fix, "fix_kind", &fix_words, NONE,
            "\"safe\": a rewrite does it; \"lossy\": only with fix; \"advice\": somebody has to"),
    TEXT(rule, NONE, "the name of the rule that says so"),
    TEXT(source, NONE, "where that is documented"),
    TEXT(confidence, NONE, "what the rule rests on: \"spec\", \"observed\", \"catalog\", .."),
    TEXT(evidence, NONE, "what the fact about the model rests on, if it is about one"),
    COUNT(at, NEEDED, "the first byte of the value in question"),
};
#undef S
const struct shape op_finding = SHAPE("a finding", cando_finding, finding);

#define S cando_tokens
static const struct shape_member tokens[] = {
    COUNT(low, NEEDED, "of the prompt, the fewest"),
    COUNT(expected, NEEDED, "the usual number"),
    COUNT(high, NEEDED, "the most that is likely"),
    NUMBER(output, NONE, "the longest answer that the request asks for"),
};
#undef S
const struct shape op_tokens = SHAPE("tokens", cando_tokens, tokens);

#define S cando_tally
static const struct shape_member tally[] = {
    TEXT(name, NEEDED, "what is counted"),
    COUNT(n, NEEDED, "how many"),
};
#undef S
const struct shape op_tally = SHAPE("a count", cando_tally, tally);

#define S cando_fact_source
static const struct shape_member fact_source[] = {
    TEXT(source, NEEDED, "whose file: \"models.dev\", \"litellm\", .."),
    TEXT(day, NEEDED, "the day that it is of"),
    STRING(text, NEEDED, "the file"),
};
#undef S
const struct shape op_fact_source = SHAPE("a source", cando_fact_source, fact_source);

/* -- values of fields ------------------------------------------------------------------------- */

static void write_items(struct json_writer *w, const cando_value *v)
{
    jw_array(w);
    for (uint32_t i = 0; i < v->count; i++)
        jw_str(w, value_item_of(v, i));
    jw_array_end(w);
}

static void write_pairs(struct json_writer *w, const cando_value *v)
{
    jw_object(w);
    for (uint32_t i = 0; i < v->count; i++) {
        struct str item = value_item_of(v, i);
        size_t cut = price_item_cut(item);
        jw_key(w, str_head(item, cut));
        jw_str(w, str_from(item, cut + 1));
    }
    jw_object_end(w);
}

static void write_restricted(struct json_writer *w, const char *reason)
{
    jw_object(w);
    jw_keyz(w, "restricted");
    jw_object(w);
    jw_keyz(w, "reason");
    jw_strz(w, reason ? reason : "");
    jw_object_end(w);
    jw_object_end(w);
}

static void write_value(struct json_writer *w, const void *value)
{
    const cando_value *v = value;
    if (!v->known) {
        jw_null(w);
        return;
    }
    switch (v->type) {
    case CANDO_SUPPORT:
        if (v->support == CANDO_RESTRICTED)
            write_restricted(w, v->text);
        else
            jw_strz(w, support_name(v->support));
        break;
    case CANDO_FLAG:
        jw_bool(w, v->flag);
        break;
    case CANDO_NUMBER:
        jw_uint(w, v->number);
        break;
    case CANDO_WORD:
    case CANDO_TEXT:
        jw_strz(w, v->text);
        break;
    case CANDO_LIST:
        write_items(w, v);
        break;
    case CANDO_MAP:
        write_pairs(w, v);
        break;
    }
}

const struct shape_other op_value = {
    write_value,
    "{\"anyOf\":[{\"type\":[\"string\",\"integer\",\"boolean\",\"null\"]},"
    "{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
    "{\"type\":\"object\",\"properties\":{\"restricted\":"
    "{\"type\":\"object\",\"properties\":{\"reason\":{\"type\":\"string\"}}}},"
    "\"required\":[\"restricted\"]}],\"description\":\"null: nobody knows\"}",
};

#define S cando_field_value
static const struct shape_member field_value[] = {
    TEXT(name, NEEDED, "of the field"),
    OTHER_IN(value, &op_value, NONE, ""),
};
#undef S
const struct shape op_field_value = SHAPE("a field", cando_field_value, field_value);

/* -- fields of a view ----------------------------------------------------------------------- */

/* Members of `a` with the name "a/b" stand together. */
static struct str parent_of(struct str path)
{
    size_t cut = str_behind_last(path, '/');
    return str_head(path, cut ? cut - 1 : 0);
}

static bool lies_in(struct str path, struct str folder)
{
    return !folder.n ||
           (str_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/'));
}

void op_put_fields(struct json_writer *w, const cando_field_value *field, size_t n_fields)
{
    struct str at = STR("");
    jw_object(w);
    for (size_t i = 0; i < n_fields; i++) {
        struct str path = str_of(field[i].name), in = parent_of(path);
        for (; !lies_in(in, at); at = parent_of(at))
            jw_object_end(w);
        while (at.n < in.n) {
            size_t from = at.n ? at.n + 1 : 0;
            size_t n = str_find_char(str_from(in, from), '/');
            jw_key(w, str_make(in.p + from, n));
            jw_object(w);
            at = str_head(in, from + n);
        }
        jw_key(w, str_from(path, in.n ? in.n + 1 : 0));
        write_value(w, &field[i].value);
    }
    for (; at.n; at = parent_of(at))
        jw_object_end(w);
    jw_object_end(w);
}
