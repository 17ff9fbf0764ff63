/*
 * planes.h - a profile packed for checking.
 *
 * A support field or a flag is a slot: one bit in each of four planes of 128
 * bits. The planes say of a slot
 *
 *     known       somebody said something, yes or no
 *     native      first-class
 *     usable      native, emulated or restricted
 *     restricted  usable with a reservation (its reason is kept elsewhere)
 *
 * so that "are these forty things there" is a few operations on words, and the
 * level of each stands in a byte as well, for those who want to know singly. Behind
 * the fields come slots for names that mean several fields, or that another
 * vocabulary tells apart where we do not:
 *
 *     multimodal                       any of image, audio and video input
 *     tool_use, function_calling       two capabilities of agent backends,
 *     vision, image_input              one field each here
 *
 * Numbers and sets of words (lists with a closed vocabulary) stand beside the
 * planes, prices as whole numbers of 10^-12 USD per million tokens.
 */
#ifndef CANDO_PLANES_H
#define CANDO_PLANES_H

#include "snapshot.h"

#define CANDO_MAX_NUMBERS 24
#define CANDO_MAX_SETS 16
#define CANDO_NO_PRICE UINT64_MAX

struct cando_planes {
    uint64_t known[2], native[2], usable[2], restricted[2];
    uint8_t level[128]; /* cando_support of each bit; valid if has_levels */
    bool has_levels;
    uint64_t number[CANDO_MAX_NUMBERS];
    uint32_t set[CANDO_MAX_SETS];
    uint32_t number_known, set_known;
    uint64_t price[2]; /* input, output: 10^-12 USD per million tokens, or CANDO_NO_PRICE, */
    bool dated;        /* until the first day on which another one begins */
    const cando_profile *profile;
    const struct cando_reason {
        uint32_t slot, len;
        const char *text;
    } * reason;
    uint32_t n_reasons;
};

/* Rows of one kind are numbered in the order of the vocabulary: an enumerator
 * of another kind takes no number. */
enum {
    SLOTF_first = SUPPORT_COUNT - 1,
#define FIELD(id, type, group, words, doc, names)                                                  \
    SLOTF_##id, SLOTF_end_##id = SLOTF_##id - 1 + (CANDO_##type == CANDO_FLAG),
#include "vocab.def"
#undef FIELD
    SLOT_multimodal,
    SLOT_tool_use,
    SLOT_function_calling,
    SLOT_vision,
    SLOT_image_input,
    SLOT_COUNT
};

enum {
    NUM_first = -1,
#define FIELD(id, type, group, words, doc, names)                                                  \
    NUM_##id, NUM_end_##id = NUM_##id - 1 + (CANDO_##type == CANDO_NUMBER),
#include "vocab.def"
#undef FIELD
    NUM_COUNT
};

enum {
    SET_first = -1,
#define FIELD(id, type, group, words, doc, names)                                                  \
    SET_##id, SET_end_##id = SET_##id - 1 + (CANDO_##type == CANDO_LIST && sizeof(words) > 1),
#include "vocab.def"
#undef FIELD
    SET_COUNT
};

#define SLOT_NONE 255u

_Static_assert(SLOT_COUNT <= 128, "widen the planes");
_Static_assert(NUM_COUNT <= CANDO_MAX_NUMBERS, "raise CANDO_MAX_NUMBERS");
_Static_assert(SET_COUNT <= CANDO_MAX_SETS, "raise CANDO_MAX_SETS");

/* By field number: its slot, number or set, or SLOT_NONE. */
unsigned plane_slot(unsigned field);
unsigned plane_number(unsigned field);
unsigned plane_set(unsigned field);
/* The field behind a slot; FIELD_COUNT for those that have none of their own. */
unsigned slot_field(unsigned slot);
unsigned number_field(unsigned number);
unsigned set_field(unsigned set);
/* Our name of a slot: "tool_calling", "multimodal". */
const char *slot_name(unsigned slot);
/* A slot that has no field of its own, by name (any case), or SLOT_NONE. */
unsigned slot_special(struct str name);

/* The bit of a word in a set field's vocabulary; 0 if it is no word of it. */
uint32_t set_bit(unsigned field, struct str word);

void planes_clear(cando_planes *p);
void planes_put(cando_planes *p, unsigned slot, cando_support level);
cando_support planes_level(const cando_planes *p, unsigned slot);
void planes_put_number(cando_planes *p, unsigned number, uint64_t value);
/* What a profile says of one field, as cando_profile_pack puts it; planes_finish follows. */
void planes_take(cando_planes *p, const cando_profile *profile, unsigned field);
/* Fills the slots without a field from the fields, where they say nothing yet. */
void planes_finish(cando_planes *p);

/* Why a slot is restricted; "" if nobody said. */
struct str planes_reason(const cando_planes *p, unsigned slot);

/* -- many profiles, one bit each ----------------------------------------------------------- */

/* A day, yyyymmdd; then where each set of bits begins; then the sets, support_words(profiles) words
 * each, where equal ones may stand once: of each slot three, one of each status, and one of rows
 * with a day. The status is that of this day, and the rows with a day are those whose status
 * changes behind it: what ended long ago is settled. Of an earlier day the bits say nothing. */
enum { BITS_KNOWN, BITS_NATIVE, BITS_USABLE, SUPPORT_BITS };
#define SUPPORT_SETS ((size_t)SLOT_COUNT * SUPPORT_BITS + ROW_STATUSES + 1)
#define SUPPORT_HEAD (1 + SUPPORT_SETS)

static inline size_t support_words(size_t profiles)
{
    return (profiles + 31) / 32;
}

/* With room for every set. */
static inline size_t support_size(size_t profiles)
{
    return SUPPORT_HEAD + SUPPORT_SETS * support_words(profiles);
}

/* To be called first, for memory that is clear. */
static inline void support_begin(uint32_t *support, size_t profiles)
{
    for (size_t i = 0; i < SUPPORT_SETS; i++)
        support[1 + i] = (uint32_t)(SUPPORT_HEAD + i * support_words(profiles));
}

/* The day is that of the newest release, since the catalog is not older than that: to be called for
 * each row before support_put() is. */
static inline void support_settle(uint32_t *support, const struct snap_row *row)
{
    support[0] = row->release > support[0] ? row->release : support[0];
}

/* Where the bits of a slot begin. */
static inline size_t support_at(const uint32_t *support, unsigned slot, unsigned bits)
{
    return support[1 + (size_t)slot * SUPPORT_BITS + bits];
}

/* The same of a status. */
static inline size_t support_status(const uint32_t *support, unsigned status)
{
    return support_at(support, SLOT_COUNT, status);
}

/* Puts sets that are equal in one place; gives the new size. */
size_t support_pack(uint32_t *support, size_t profiles);

/* Adds what the planes of profile `i` say, and its row, to bits that are still clear. */
void support_put(uint32_t *support, size_t i, const cando_planes *p, const struct snap_row *row);

/* A decimal text as 10^-12 units, rounded up; false if it is none or too large. */
bool price_parse(struct str text, uint64_t *out);
/* The rate of a unit in a price, without a tier or a threshold and at any time, that is in force on
 * a day (yyyymmdd): the newest list that has begun by then replaces those before it whole, as in
 * a bill. Empty: there is none. */
struct str price_on(const cando_value *price, unsigned unit, uint32_t day);
/* The shortest decimal text of such a number. */
struct str price_text(uint64_t price, char out[40]);

#endif
