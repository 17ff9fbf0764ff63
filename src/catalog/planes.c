/*
 * planes.c - packs profiles, and names the places.
 *
 * The tables from fields to slots and back come from the vocabulary alone, so
 * a new row of vocab.def has its slot without an edit here.
 */
#include "planes.h"

#include "base/bits.h"
#include "base/instant.h"
#include "price.h"
#include "profile.h"

static const uint8_t slots[FIELD_COUNT] = {
#define FIELD(id, type, group, words, doc, names)                                                  \
    CANDO_##type == CANDO_SUPPORT ? F_##id : CANDO_##type == CANDO_FLAG ? SLOTF_##id : SLOT_NONE,
#include "vocab.def"
#undef FIELD
};

static const uint8_t numbers[FIELD_COUNT] = {
#define FIELD(id, type, group, words, doc, names)                                                  \
    CANDO_##type == CANDO_NUMBER ? NUM_##id : SLOT_NONE,
#include "vocab.def"
#undef FIELD
};

static const uint8_t sets[FIELD_COUNT] = {
#define FIELD(id, type, group, words, doc, names)                                                  \
    CANDO_##type == CANDO_LIST && sizeof(words) > 1 ? SET_##id : SLOT_NONE,
#include "vocab.def"
#undef FIELD
};

struct special {
    const char *name; /* as it is asked for */
    const char *ours; /* as replies write it */
    unsigned field;   /* that it stands for, or FIELD_COUNT */
};

static const struct special specials[] = {
    {"multimodal", "multimodal", FIELD_COUNT},
    {"tool_use", "tool_calling", F_tool_calling},
    {"function_calling", "tool_calling", F_tool_calling},
    {"vision", "input_image", F_input_image},
    {"image_input", "input_image", F_input_image},
};
_Static_assert(COUNT_OF(specials) == SLOT_COUNT - SLOT_multimodal, "a row for each");

unsigned plane_slot(unsigned field)
{
    return field < FIELD_COUNT ? slots[field] : SLOT_NONE;
}

unsigned plane_number(unsigned field)
{
    return field < FIELD_COUNT ? numbers[field] : SLOT_NONE;
}

unsigned plane_set(unsigned field)
{
    return field < FIELD_COUNT ? sets[field] : SLOT_NONE;
}

static unsigned field_behind(const uint8_t *table, unsigned index)
{
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (table[f] == index)
            return f;
    return FIELD_COUNT;
}

unsigned slot_field(unsigned slot)
{
    if (slot >= SLOT_multimodal)
        return slot < SLOT_COUNT ? specials[slot - SLOT_multimodal].field : FIELD_COUNT;
    return slot < SUPPORT_COUNT ? slot : field_behind(slots, slot);
}

unsigned number_field(unsigned number)
{
    return field_behind(numbers, number);
}

unsigned set_field(unsigned set)
{
    return field_behind(sets, set);
}

const char *slot_name(unsigned slot)
{
    if (slot >= SLOT_multimodal)
        return slot < SLOT_COUNT ? specials[slot - SLOT_multimodal].ours : "";
    return vocab_row(slot_field(slot))->name;
}

unsigned slot_special(struct str name)
{
    for (unsigned i = 0; i < COUNT_OF(specials); i++)
        if (str_eq_fold(name, str_of(specials[i].name)))
            return SLOT_multimodal + i;
    return SLOT_NONE;
}

uint32_t set_bit(unsigned field, struct str word)
{
    size_t i = words_find(vocab_row(field)->words, word);
    return i < 32 ? 1u << i : 0;
}

/* -- filling ------------------------------------------------------------------------- */

void planes_clear(cando_planes *p)
{
    memset(p, 0, sizeof *p);
    p->has_levels = true;
    p->price[0] = p->price[1] = CANDO_NO_PRICE;
}

void planes_put(cando_planes *p, unsigned slot, cando_support level)
{
    unsigned w = slot / 64;
    uint64_t bit = UINT64_C(1) << (slot % 64);
    p->level[slot] = (uint8_t)level;
    p->known[w] = level == CANDO_UNKNOWN ? p->known[w] & ~bit : p->known[w] | bit;
    p->native[w] = level == CANDO_NATIVE ? p->native[w] | bit : p->native[w] & ~bit;
    p->usable[w] = level >= CANDO_RESTRICTED ? p->usable[w] | bit : p->usable[w] & ~bit;
    p->restricted[w] = level == CANDO_RESTRICTED ? p->restricted[w] | bit : p->restricted[w] & ~bit;
}

cando_support planes_level(const cando_planes *p, unsigned slot)
{
    unsigned w = slot / 64, b = slot % 64;
    if (!(p->known[w] >> b & 1))
        return CANDO_UNKNOWN;
    if (p->native[w] >> b & 1)
        return CANDO_NATIVE;
    if (!(p->usable[w] >> b & 1))
        return CANDO_UNSUPPORTED;
    return p->restricted[w] >> b & 1 ? CANDO_RESTRICTED : CANDO_EMULATED;
}

void planes_put_number(cando_planes *p, unsigned number, uint64_t value)
{
    p->number[number] = value;
    p->number_known |= 1u << number;
}

void support_put(uint32_t *support, size_t i, const cando_planes *p, const struct snap_row *row)
{
    uint32_t day = support[0];
    struct profile_life life = {row->status, row->deprecated, row->retires};
    support[support_status(support, life_status(&life, day)) + i / 32] |= 1u << (i % 32);
    if (row->deprecated > day || row->retires > day)
        support[support_status(support, ROW_STATUSES) + i / 32] |= 1u << (i % 32);
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        unsigned w = slot / 64, bit = slot % 64;
        uint64_t of[SUPPORT_BITS] = {p->known[w], p->native[w], p->usable[w]};
        for (unsigned b = 0; b < SUPPORT_BITS; b++)
            support[support_at(support, slot, b) + i / 32] |= (uint32_t)(of[b] >> bit & 1)
                                                              << (i % 32);
    }
}

/* Which of the first `n` sets is this one? */
static size_t same_set(const uint32_t *support, size_t n, const uint32_t *set, size_t words)
{
    size_t i = 0;
    while (i < n && memcmp(support + support[1 + i], set, words * sizeof *set) != 0)
        i++;
    return i;
}

size_t support_pack(uint32_t *support, size_t profiles)
{
    size_t words = support_words(profiles), end = SUPPORT_HEAD;
    for (size_t i = 0; i < SUPPORT_SETS; i++) {
        const uint32_t *set = support + support[1 + i];
        size_t same = same_set(support, i, set, words);
        if (same < i) {
            support[1 + i] = support[1 + same];
            continue;
        }
        memmove(support + end, set, words * sizeof *set);
        support[1 + i] = (uint32_t)end;
        end += words;
    }
    return end;
}

/* The better of two levels; a "no" is known only if both say so. */
static cando_support either(cando_support a, cando_support b)
{
    if (a > CANDO_UNSUPPORTED || b > CANDO_UNSUPPORTED)
        return a > b ? a : b;
    return a == CANDO_UNKNOWN || b == CANDO_UNKNOWN ? CANDO_UNKNOWN : CANDO_UNSUPPORTED;
}

void planes_finish(cando_planes *p)
{
    static const uint8_t modal[] = {F_input_image, F_input_audio, F_input_video};
    for (unsigned s = SLOT_tool_use; s < SLOT_COUNT; s++) {
        unsigned f = specials[s - SLOT_multimodal].field;
        if (!bit_get(p->known, s))
            planes_put(p, s, planes_level(p, f));
    }
    if (planes_level(p, SLOT_multimodal) != CANDO_UNKNOWN)
        return;
    cando_support all = CANDO_UNSUPPORTED;
    for (unsigned i = 0; i < sizeof modal; i++)
        all = either(all, planes_level(p, modal[i]));
    planes_put(p, SLOT_multimodal, all);
}

struct str planes_reason(const cando_planes *p, unsigned slot)
{
    for (uint32_t i = 0; i < p->n_reasons; i++)
        if (p->reason[i].slot == slot)
            return str_make(p->reason[i].text, p->reason[i].len);
    unsigned f = slot_field(slot);
    if (p->profile && f < FIELD_COUNT) {
        cando_value v = profile_fact(p->profile, f).value;
        if (v.known && v.type == CANDO_SUPPORT && v.text)
            return str_of(v.text);
    }
    return STR("");
}

/* Does the item of a price begin with this unit? */
static bool begins_with(struct str item, unsigned unit)
{
    size_t n = unit_rows[unit].name_bytes;
    if (item.n <= n || (item.p[n] != ' ' && item.p[n] != '='))
        return false;
    return memcmp(item.p, unit_rows[unit].name, n) == 0;
}

static void pack_price(const cando_value *v, cando_planes *out)
{
    for (uint32_t i = 0; v->known && i < v->count; i++) {
        struct str item = value_item_of(v, i);
        int side = begins_with(item, UNIT_input_tokens)    ? 0
                   : begins_with(item, UNIT_output_tokens) ? 1
                                                           : -1;
        if (side < 0)
            continue;
        size_t cut = str_find_char(item, '=');
        uint64_t price;
        if (str_find_char(item, ' ') < cut)
            out->dated |= str_find(item, STR(" from=")) != SIZE_MAX;
        else if (price_parse(str_from(item, cut + 1), &price))
            out->price[side] = price;
    }
}

static void pack_field(const cando_value *v, unsigned f, cando_planes *out)
{
    if (!v->known)
        return;
    if (numbers[f] != SLOT_NONE) {
        planes_put_number(out, numbers[f], v->number);
    } else if (sets[f] != SLOT_NONE) {
        out->set_known |= 1u << sets[f];
        for (uint32_t i = 0; i < v->count; i++)
            out->set[sets[f]] |= set_bit(f, value_item_of(v, i));
    } else if (slots[f] != SLOT_NONE) {
        cando_support flag = v->flag ? CANDO_NATIVE : CANDO_UNSUPPORTED;
        planes_put(out, slots[f], v->type == CANDO_FLAG ? flag : v->support);
    }
}

void planes_take(cando_planes *out, const cando_profile *profile, unsigned field)
{
    cando_value v = profile_fact(profile, field).value;
    pack_field(&v, field, out);
}

size_t cando_planes_size(void)
{
    return sizeof(cando_planes);
}

void cando_profile_pack(const cando_profile *profile, cando_planes *out)
{
    struct profile_fact fact[FIELD_COUNT];
    planes_clear(out);
    profile_facts(profile, fact);
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        pack_field(&fact[f].value, f, out);
    pack_price(&fact[F_price].value, out);
    out->profile = profile;
    planes_finish(out);
}

/* -- prices ----------------------------------------------------------------------------- */

#define PRICE_DIGITS 12

bool price_parse(struct str text, uint64_t *out)
{
    uint64_t value = 0;
    int places = -1;
    bool digits = false, rest = false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '.' && places < 0) {
            places = 0;
            continue;
        }
        if (!char_is_digit(c))
            return false;
        digits = true;
        if (places >= PRICE_DIGITS) {
            rest |= c != '0';
            continue;
        }
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(c - '0'), &value))
            return false;
        places += places >= 0;
    }
    for (int i = places < 0 ? 0 : places; i < PRICE_DIGITS; i++)
        if (__builtin_mul_overflow(value, UINT64_C(10), &value))
            return false;
    if (!digits || value >= CANDO_NO_PRICE - 1)
        return false;
    *out = value + rest;
    return true;
}

struct str price_on(const cando_value *price, unsigned unit, uint32_t day)
{
    struct str found = STR("");
    int32_t newest = PRICE_NO_DAY;
    for (uint32_t i = 0; price->known && i < price->count; i++) {
        struct str item = value_item_of(price, i);
        struct price_key k;
        char text[16];
        if (!begins_with(item, unit))
            continue;
        size_t cut = item.n - 1; /* a rate has no '=' */
        while (cut && item.p[cut] != '=')
            cut--;
        if (price_key_parse(str_head(item, cut), &k))
            continue;
        if (k.tier.n || k.begin != -1 || k.from < newest)
            continue;
        if (k.from != PRICE_NO_DAY && day_number(day_text(k.from, text)) > day)
            continue;
        if (k.from > newest)
            found = STR("");
        newest = k.from;
        if (k.step == PRICE_FLAT)
            found = str_from(item, cut + 1);
    }
    return found;
}

struct str price_text(uint64_t price, char out[40])
{
    char digits[32];
    size_t n = 0, at = 0, low = 0; /* `low` digits are zeros behind the last one that is none */
    for (; low < PRICE_DIGITS && price % 10000 == 0; price /= 10000)
        low += 4;
    for (; low < PRICE_DIGITS && price % 10 == 0; price /= 10)
        low++;
    for (n = low; price || n <= PRICE_DIGITS; price /= 10)
        digits[n++] = (char)('0' + price % 10);
    for (size_t i = n; i > PRICE_DIGITS; i--)
        out[at++] = digits[i - 1];
    if (low < PRICE_DIGITS)
        out[at++] = '.';
    for (size_t i = PRICE_DIGITS; i > low; i--)
        out[at++] = digits[i - 1];
    out[at] = '\0';
    return str_make(out, at);
}
