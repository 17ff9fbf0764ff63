/*
 * mould.h - answers that differ in their values alone.
 *
 * Answers to questions of one kind have the same members in the same order, and other numbers and
 * texts. What is left without these is the mould of an answer:
 *
 *     {"verdict":"ok","more":2}      an answer,
 *     {"verdict":"","more":}         its mould, and its values: ok and 2
 *
 * The last moulds are kept, each with the values of the answer that it was made of. Who has made an
 * object of that one (bindings/js/mould.js) can make that of another one from the same mould by
 * filling in the values that differ, in less than half the time that it takes to parse the text. An
 * answer has no mould if one of its texts has an escape or is not ASCII, or a number is not whole,
 * or large: whatever is rare is parsed.
 */
#ifndef CANDO_BINDING_MOULD_H
#define CANDO_BINDING_MOULD_H

#include "cando.h"

#include "text/json_scan.h"

#define MOULDS 16u
#define MOULD_TEXT 1024u
#define MOULD_VALUES 127u
#define MOULD_ANSWER 65534u /* the longest answer: places are of 16 bits */
#define MOULD_PATIENCE 8u   /* of so many answers that have no known mould, one gives a new one */
#define MOULD_DIGITS 9
#define MOULD_LONG UINT16_MAX /* a text for which there was no room */

struct mould {
    uint32_t n, used;                  /* values, and bytes of `text` */
    uint16_t before[MOULD_VALUES + 1]; /* bytes of `text` before each, and behind the last */
    bool number[MOULD_VALUES];         /* and no text */
    uint32_t first[MOULD_VALUES];      /* a number of the first answer, or how long a text is */
    char text[MOULD_TEXT];             /* all that is no value */
    uint32_t kept;                     /* bytes of: */
    char texts[MOULD_TEXT];            /* the first answer's, one after the other */
};

struct moulds {
    struct mould mould[MOULDS];
    uint8_t order[MOULDS]; /* numbers of those in use, the one that was needed last first */
    uint32_t n, missed;
};

/* What is said of an answer: the number of its mould and 1, or 0; with MOULD_NEW the mould was made
 * of this very answer. Of one that was known before the values follow: MOULD_SAME if it is that of
 * the answer that the mould was made of; a number as it is; of a text where it begins, and, in the
 * upper 16 bits, where it ends. */
#define MOULD_NEW 0x100u
#define MOULD_SAME UINT32_MAX
#define MOULD_SAID (MOULD_VALUES + 1)

/* The first byte from p on that cannot stand in a plain text: its quote if all goes well. */
static inline const char *mould_text_end(const char *p, const char *end)
{
    for (; end - p >= 8; p += 8) {
        uint64_t special = word_special(str_le64(p));
        if (special)
            return p + word_first(special);
    }
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p - 0x20u < 0x60)
        p++;
    return p;
}

/* A whole number of a few digits: its end, or where it should begin. */
static inline const char *mould_number(const char *p, const char *end, uint32_t *out)
{
    const char *from = p;
    for (*out = 0; p < end && char_is_digit(*p); p++)
        *out = *out * 10 + (uint32_t)(*p - '0');
    return p - from <= MOULD_DIGITS ? p : from;
}

/* Is the answer of this mould? Its values go to `out`. */
static inline bool mould_fits(const struct mould *m, cando_bytes answer, uint32_t *out)
{
    const char *p = answer.p, *end = p + answer.n, *text = m->text, *same = m->texts;
    for (uint32_t i = 0;; i++) {
        size_t n = m->before[i];
        if ((size_t)(end - p) < n || (n && !str_same(p, text, n)))
            return false;
        p += n;
        text += n;
        if (i == m->n)
            return p == end;
        const char *from = p;
        uint32_t first = m->first[i];
        if (m->number[i]) {
            p = mould_number(p, end, &out[i]);
            if (p == from)
                return false;
            out[i] = out[i] == first ? MOULD_SAME : out[i];
            continue;
        }
        if (first == MOULD_LONG || (size_t)(end - p) <= first || p[first] != '"' ||
            (first && !str_same(p, same, first))) {
            p = mould_text_end(p, end);
            out[i] = (uint32_t)(from - answer.p) | (uint32_t)(p - answer.p) << 16;
        } else {
            p += first;
            out[i] = MOULD_SAME;
        }
        same += first == MOULD_LONG ? 0 : first;
    }
}

static inline bool mould_put(struct mould *m, const char *p, size_t n)
{
    if (n > MOULD_TEXT - m->used)
        return false;
    memcpy(m->text + m->used, p, n);
    m->used += (uint32_t)n;
    m->before[m->n] = (uint16_t)(m->before[m->n] + n);
    return true;
}

static inline bool mould_value(struct mould *m, bool number, uint32_t first)
{
    if (m->n == MOULD_VALUES)
        return false;
    m->first[m->n] = first;
    m->number[m->n++] = number;
    m->before[m->n] = 0;
    return true;
}

static inline bool mould_text(struct mould *m, const char *p, size_t n)
{
    if (n > MOULD_TEXT - m->kept)
        return mould_value(m, false, MOULD_LONG);
    memcpy(m->texts + m->kept, p, n);
    m->kept += (uint32_t)n;
    return mould_value(m, false, (uint32_t)n);
}

/* A key, or a text that is a value, from its quote on. What ends it stands in the mould, so that
 * one which ends otherwise does not fit. */
static inline const char *mould_string(struct mould *m, const char *p, const char *end)
{
    const char *quote = mould_text_end(p + 1, end);
    if (quote == end || *quote != '"')
        return NULL;
    bool key = quote + 1 < end && quote[1] == ':';
    size_t n = (size_t)(quote - p);
    bool ok = key ? mould_put(m, p, n) : mould_put(m, "\"", 1) && mould_text(m, p + 1, n - 1);
    return ok && mould_put(m, "\"", 1) ? quote + 1 : NULL;
}

/* Takes the mould of an answer; false: it has none. */
static inline bool mould_take(struct mould *m, cando_bytes answer)
{
    const char *p = answer.p, *end = p + answer.n;
    m->n = m->used = m->kept = m->before[0] = 0;
    while (p && p < end) {
        const char *from = p;
        uint32_t number;
        if (*p == '"') {
            p = mould_string(m, p, end);
        } else if (char_is_digit(*p)) {
            p = mould_number(p, end, &number);
            bool whole = p > from && (p == end || *p == ',' || *p == '}' || *p == ']');
            p = whole && mould_value(m, true, number) ? p : NULL;
        } else {
            bool known = *p > ' ' && *p != '-';
            p = known && mould_put(m, p, 1) ? p + 1 : NULL;
        }
    }
    return p != NULL;
}

/* The i-th in order comes first. */
static inline uint32_t mould_first(struct moulds *all, uint32_t i)
{
    uint8_t number = all->order[i];
    memmove(all->order + 1, all->order, i);
    all->order[0] = number;
    return number;
}

/* Says of which mould an answer is, to `said`, which has room for MOULD_SAID. */
static inline void mould_say(struct moulds *all, cando_bytes answer, uint32_t *said)
{
    *said = 0;
    if (answer.n > MOULD_ANSWER)
        return;
    for (uint32_t i = 0; i < all->n; i++)
        if (mould_fits(&all->mould[all->order[i]], answer, said + 1)) {
            *said = mould_first(all, i) + 1;
            return;
        }
    if (all->missed++ % MOULD_PATIENCE)
        return;
    uint32_t last = all->n < MOULDS ? all->n : MOULDS - 1;
    if (last == all->n)
        all->order[last] = (uint8_t)all->n++;
    if (mould_take(&all->mould[all->order[last]], answer))
        *said = (mould_first(all, last) + 1) | MOULD_NEW;
    else
        all->mould[all->order[last]].before[0] = UINT16_MAX; /* fits nothing */
}

#endif
