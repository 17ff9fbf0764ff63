/*
 * vocab.c - lookups in the vocabulary.
 *
 * Names of our own and names of any vocabulary are looked for in a table of all of them,
 * for that is what questions do. What reads whole files in another vocabulary makes itself
 * a map of that (vocab_index).
 */
#include "vocab.h"

#include <stdatomic.h>

const struct vocab_row vocab_rows[FIELD_COUNT] = {
#define GROUP_MAIN true
#define GROUP_WIRE false
#define FIELD(id, type, group, words, doc, names)                                                  \
    {#id, CANDO_##type, GROUP_##group, words, doc, names, sizeof #id - 1},
#include "vocab.def"
#undef FIELD
};

static const char *const vocabulary_names[VOCAB_COUNT] = {
    [VOCAB_CANDO] = "cando",
    [VOCAB_NIKA] = "nika",
    [VOCAB_HARN] = "harn",
    [VOCAB_STUD] = "stud",
    [VOCAB_ABP] = "abp",
    [VOCAB_ALLM] = "allm",
    [VOCAB_LITELLM] = "litellm",
    [VOCAB_MODELS_DEV] = "models.dev",
    [VOCAB_OPENROUTER] = "openrouter",
    [VOCAB_WIRE] = "wire",
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
    if (str_eq(a, b))
        return true;
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

/* -- all names ------------------------------------------------------------------------- */

/* A table that whoever asks first fills, and that never changes again; those who come
 * meanwhile wait for the few microseconds. */
struct alias {
    struct str name; /* p is NULL: free */
    uint8_t vocabulary, field;
};

_Static_assert(FIELD_COUNT <= UINT8_MAX, "widen struct alias");

#define ALIASES 1024u /* less than half of them are used */

static uint32_t name_hash(struct str name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.n; i++)
        h = (h ^ (unsigned char)name_fold(name.p[i])) * 16777619u;
    return h ^ h >> 15;
}

/* The place of a name, or the free one where it belongs. */
static struct alias *alias_at(struct alias *table, struct str name)
{
    uint32_t i = name_hash(name) % ALIASES;
    while (table[i].name.p && !name_eq(table[i].name, name))
        i = (i + 1) % ALIASES;
    return &table[i];
}

/* Of several fields with one name that of the first vocabulary counts. */
static void fill_aliases(struct alias *table)
{
    struct str word;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        word = str_make(vocab_rows[f].name, vocab_rows[f].length);
        *alias_at(table, word) = (struct alias){word, VOCAB_CANDO, (uint8_t)f};
    }
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *cursor = vocab_rows[f].names;
        while (words_next(&cursor, &word)) {
            size_t colon = str_find_char(word, ':');
            unsigned v = VOCAB_CANDO + 1;
            while (v < VOCAB_COUNT && !str_is(str_head(word, colon), vocabulary_names[v]))
                v++;
            struct alias *a = alias_at(table, str_from(word, colon + 1));
            if (v < VOCAB_COUNT && (!a->name.p || v < a->vocabulary))
                *a = (struct alias){str_from(word, colon + 1), (uint8_t)v, (uint8_t)f};
        }
    }
}

static const struct alias *alias_find(struct str name)
{
    enum { UNFILLED, FILLING, FILLED };
    static struct alias table[ALIASES];
    static atomic_int state = UNFILLED;
    int expected = UNFILLED;
    if (atomic_load_explicit(&state, memory_order_acquire) == FILLED)
        return alias_at(table, name);
    if (atomic_compare_exchange_strong(&state, &expected, FILLING)) {
        fill_aliases(table);
        atomic_store_explicit(&state, FILLED, memory_order_release);
    }
    while (atomic_load_explicit(&state, memory_order_acquire) != FILLED) {
    }
    return alias_at(table, name);
}

/* -- lookups --------------------------------------------------------------------------- */

unsigned vocab_find(enum vocabulary v, struct str name)
{
    if (v == VOCAB_CANDO) {
        const struct alias *a = alias_find(name);
        return a->name.p && a->vocabulary == VOCAB_CANDO ? a->field : FIELD_COUNT;
    }
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *cursor = NULL;
        struct str s;
        while (next_name(v, f, &cursor, &s))
            if (name_eq(s, name))
                return f;
    }
    return FIELD_COUNT;
}

bool vocab_is_date(unsigned field)
{
    return field == F_release_date || field == F_knowledge_cutoff || field == F_deprecated_on ||
           field == F_retires_on || field == F_retires_not_before;
}

unsigned vocab_find_any(struct str name)
{
    const struct alias *a = alias_find(name);
    return a->name.p ? a->field : FIELD_COUNT;
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

bool vocab_less(unsigned field)
{
    return vocab_rows[field].type == CANDO_NUMBER && *vocab_rows[field].words;
}

bool vocab_word(unsigned field, struct str word)
{
    const char *words = vocab_rows[field].words;
    return !*words || words_have(words, word);
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
    [CANDO_UNKNOWN] = "unknown",       [CANDO_UNSUPPORTED] = "unsupported",
    [CANDO_RESTRICTED] = "restricted", [CANDO_EMULATED] = "emulated",
    [CANDO_NATIVE] = "native",
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

/* -- the public names ------------------------------------------------------------------ */

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
