/*
 * vocab.h - the vocabulary as the program sees it; the rows are in vocab.def.
 */
#ifndef CANDO_VOCAB_H
#define CANDO_VOCAB_H

#include "base/map.h"

enum field {
#define FIELD(id, type, group, words, doc, names) F_##id,
#include "vocab.def"
#undef FIELD
    FIELD_COUNT
};

/* Support fields come first; their number bounds the packed levels. */
enum {
    SUPPORT_COUNT = 0
#define FIELD(id, type, group, words, doc, names) +(CANDO_##type == CANDO_SUPPORT)
#include "vocab.def"
#undef FIELD
};

_Static_assert(FIELD_COUNT <= CANDO_MAX_FIELDS, "raise CANDO_MAX_FIELDS");

enum vocabulary {
    VOCAB_CANDO,
    VOCAB_NIKA,
    VOCAB_HARN,
    VOCAB_STUD,
    VOCAB_ABP,
    VOCAB_ALLM,
    VOCAB_LITELLM,
    VOCAB_MODELS_DEV,
    VOCAB_OPENROUTER,
    VOCAB_WIRE,
    VOCAB_COUNT
};

struct vocab_row {
    const char *name;
    cando_type type;
    bool main;         /* always shown */
    const char *words; /* separated by spaces; "" if open */
    const char *doc;
    const char *names;
    size_t length; /* of the name */
};

extern const struct vocab_row vocab_rows[FIELD_COUNT];
static inline const struct vocab_row *vocab_row(unsigned field) /* field < FIELD_COUNT */
{
    return &vocab_rows[field];
}

/* The field that a vocabulary calls `name`; FIELD_COUNT if none. Case is
 * folded, and "-" is "_". */
unsigned vocab_find(enum vocabulary v, struct str name);
/* In any vocabulary, ours first. `multimodal` and the like, which mean several
 * fields, are not found here. */
unsigned vocab_find_any(struct str name);
/* The name of a field in a vocabulary (the first, where there are several), or
 * an empty text. */
struct str vocab_name(enum vocabulary v, unsigned field);
const char *vocabulary_name(enum vocabulary v);
/* Is its text a day, or a month, or a year? */
bool vocab_is_date(unsigned field);

/* All names of one vocabulary as a map to field numbers; for readers of whole
 * files. False if there was no memory. */
bool vocab_index(enum vocabulary v, struct arena *ar, struct map *out);

/* Of a number: is a smaller one better? */
bool vocab_less(unsigned field);
/* Is `word` one of the field's legal words? True for open fields. */
bool vocab_word(unsigned field, struct str word);
/* The nearest name of a vocabulary, or an empty text if none is near. */
struct str vocab_suggest(enum vocabulary v, struct str name);
struct str vocab_suggest_word(unsigned field, struct str word);

/* How levels are written: native, emulated, restricted, unsupported. */
const char *support_name(cando_support s);
bool support_find(struct str name, cando_support *out);

#endif
