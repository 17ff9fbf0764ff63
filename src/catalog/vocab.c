/*
 * vocab.c - lookups in the vocabulary.
 *
 * The rows are constant data, so a lookup is a scan; what reads whole files
 * makes itself a map first (vocab_index).
 */
#include "vocab.h"

const struct vocab_row vocab_rows[FIELD_COUNT] = {
#define GROUP_MAIN true
#define GROUP_WIRE false
#define FIELD(id, type, group, words, doc, names) {#id, CANDO_##type, GROUP_##group, words, doc, names, sizeof #id - 1},
#include "vocab.def"
#undef FIELD
};

static const char *const vocabulary_names[VOCAB_COUNT] = {
    [VOCAB_CANDO] = "cando",         [VOCAB_NIKA] = "nika",     [VOCAB_HARN] = "harn",
    [VOCAB_STUD] = "stud",           [VOCAB_ABP] = "abp",       [VOCAB_ALLM] = "allm",
    [VOCAB_LITELLM] = "litellm",     [VOCAB_MODELS_DEV] = "models.dev",
    [VOCAB_OPENROUTER] = "openrouter", [VOCAB_WIRE] = "wire",
};

const char *vocabulary_name(enum vocabulary v)
{
    return v < VOCAB_COUNT ? vocabulary_names[v] : "";
}

static char name_fold(char c)
{
    return c == '-' ? '_' : char_fold(c);
}

static bool name_eq(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (name_fold(a.p[i]) != name_fold(b.p[i]))
            return false;
    return true;
}

/* The next name that vocabulary v has for a field; our own has one. */
static bool next_name(enum vocabulary v, unsigned field, const char **cursor, struct str *name)
{
    if (v == VOCAB_CANDO) {
        if (*cursor)
            return false;
        *name = str_of(vocab_rows[field].name);
        *cursor = vocab_rows[field].name;
        return true;
    }
    if (!*cursor)
        *cursor = vocab_rows[field].names;
    struct str want = str_of(vocabulary_names[v]), word;
    while (words_next(cursor, &word)) {
        size_t colon = str_find_char(word, ':');
        if (str_eq(str_head(word, colon), want)) {
            *name = str_from(word, colon + 1);
            return true;
        }
    }
    return false;
}

static unsigned find_own(struct str name)
{
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (vocab_rows[f].length == name.n && name_eq(str_make(vocab_rows[f].name, name.n), name))
            return f;
    return FIELD_COUNT;
}

unsigned vocab_find(enum vocabulary v, struct str name)
{
    if (v == VOCAB_CANDO)
        return find_own(name);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *cursor = NULL;
        struct str s;
        while (next_name(v, f, &cursor, &s))
            if (name_eq(s, name))
                return f;
    }
    return FIELD_COUNT;
}

unsigned vocab_find_any(struct str name)
{
    for (unsigned v = 0; v < VOCAB_COUNT; v++) {
        unsigned f = vocab_find((enum vocabulary)v, name);
        if (f < FIELD_COUNT)
            return f;
    }
    return FIELD_COUNT;
}

struct str vocab_name(enum vocabulary v, unsigned field)
{
    const char *cursor = NULL;
    struct str s;
    return next_name(v, field, &cursor, &s) ? s : STR("");
}

bool vocab_index(enum vocabulary v, struct arena *ar, struct map *out)
{
    map_init(out, ar, true);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *cursor = NULL;
        struct str s;
        while (next_name(v, f, &cursor, &s))
            if (!map_put(out, s, f))
                return false;
    }
    return true;
}

bool vocab_word(unsigned field, struct str word)
{
    const char *cursor = vocab_rows[field].words;
    struct str s;
    if (!*cursor)
        return true;
    while (words_next(&cursor, &s))
        if (str_eq(s, word))
            return true;
    return false;
}

struct str vocab_suggest(enum vocabulary v, struct str name)
{
    struct nearest near = nearest_to(name);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *cursor = NULL;
        struct str s;
        while (next_name(v, f, &cursor, &s))
            nearest_try(&near, s);
    }
    return near.name;
}

struct str vocab_suggest_word(unsigned field, struct str word)
{
    struct nearest near = nearest_to(word);
    const char *cursor = vocab_rows[field].words;
    struct str s;
    while (words_next(&cursor, &s))
        nearest_try(&near, s);
    return near.name;
}

static const char *const support_names[] = {
    [CANDO_UNKNOWN] = "unknown",       [CANDO_UNSUPPORTED] = "unsupported", [CANDO_RESTRICTED] = "restricted",
    [CANDO_EMULATED] = "emulated",     [CANDO_NATIVE] = "native",
};

const char *support_name(cando_support s)
{
    return (unsigned)s <= CANDO_NATIVE ? support_names[s] : "unknown";
}

bool support_find(struct str name, cando_support *out)
{
    for (unsigned s = CANDO_UNKNOWN; s <= CANDO_NATIVE; s++)
        if (str_is(name, support_names[s])) {
            *out = (cando_support)s;
            return true;
        }
    return false;
}

/* -- the public names ------------------------------------------------------- */

unsigned cando_field_count(void)
{
    return FIELD_COUNT;
}

cando_field cando_field_find(const char *name)
{
    unsigned f = name ? vocab_find_any(str_of(name)) : FIELD_COUNT;
    return f < FIELD_COUNT ? (cando_field)f : CANDO_NO_FIELD;
}

const char *cando_field_name(cando_field f)
{
    return f < FIELD_COUNT ? vocab_rows[f].name : "";
}

const char *cando_field_doc(cando_field f)
{
    return f < FIELD_COUNT ? vocab_rows[f].doc : "";
}

cando_type cando_field_type(cando_field f)
{
    return f < FIELD_COUNT ? vocab_rows[f].type : CANDO_TEXT;
}
