/*
 * scan_flat.h - objects of strings that are like the last one. A part of scan.c, which includes it
 * after word_at(), is_word(), sets_off() and node_bits().
 *
 * Most objects of a request are small, come in numbers, and nothing comes of them: a property of a
 * schema, a message, a part of one. So each is looked at ahead, as far as its bracket. If it has
 * the keys of the last one at this depth, with strings that are known words or that nobody tests,
 * and if the bits that they set are such as set off no rule, then the object is done with: no frame
 * is opened, and no place of a bit is taken down. If any of that is not so, nothing has happened.
 */
#ifndef CANDO_SCAN_FLAT_H
#define CANDO_SCAN_FLAT_H

#include "scan_keys.h"

/* What an object would set of its own subject; false if of another one there is more to set than
 * is set already. */
static inline bool add_hits(const struct scan *s, uint32_t subject, uint32_t home, uint64_t mask,
                            uint64_t *hits)
{
    if (home != subject)
        return !(mask & ~s->hits[home]);
    *hits |= mask;
    return true;
}

/* Where objects differ, it is tried for one in eight. */
static inline bool is_worth_it(struct scan_frame *f)
{
    f->vain++;
    return f->vain < 4 || f->vain % 8 == 0;
}

/* The object that begins in f, if it is one of strings with the keys of the last one there: the
 * mark of its bracket. Else NULL. `mark` is that of its first key, and there are as many as there
 * are keys. Adds what it would set of its own subject to `*hits`, and to `*text` the bytes of its
 * prompt text. */
__attribute__((always_inline)) static inline const uint32_t *flat_object(
    struct scan *s, struct scan_frame *f, const uint32_t *mark, uint64_t *hits, size_t *text)
{
    const unsigned char *const p = s->x.p;
    const struct snap_req_node *node = f->first;
    const uint32_t subject = f->watch->subject;
    uint64_t need = node_bits(node->counted), head, tail;
    bool last = false;
    for (struct scan_key *key = f->keys; !last; key++, mark += 2) {
        size_t at = mark[1], next = mark[2];
        if (!is_expected(key, p, mark[0], mark[1]))
            return NULL;
        const struct scan_step *step = step_of(s, key, node);
        if (__builtin_expect(!step, 0))
            return NULL;
        unsigned string = step->string, pair = pair_at(p + next - 2);
        if (p[at] != '"' || string > STRING_WORD) {
            f->flat = p[at] == '"' && string >= STRING_NEW;
            return NULL;
        }
        last = pair != PAIR('"', ',');
        if (last && pair >> 8 != '"')
            return NULL;
        need &= step->others;
        if (string != STRING_WORD) {
            if (!add_hits(s, subject, step->home, step->mask, hits))
                return NULL;
            if (string == STRING_TEXT)
                *text += next - at - 3 + last;
            continue;
        }
        size_t n = next - at - 3 + last;
        if (n > 16) /* so many can be read: the marks of the object are all before s->safe */
            return NULL;
        scan_short(p + at + 1, n, &head, &tail);
        const struct scan_word *word = word_at(s, step->where, head, tail);
        if (!is_word(word, step->where, head, tail))
            return NULL;
        if (!add_hits(s, subject, word->home, word->mask, hits))
            return NULL;
        if (word->node) {
            node = word->node;
            need = word->need;
        }
    }
    return p[*mark] == '}' && !need ? mark : NULL;
}

/* The object that begins in f, if it is flat and its subject sets nothing off, and those like it
 * that follow: behind the bracket of the last one. NULL, if it is not, and nothing has happened.
 * `mark` is that of its first key. */
__attribute__((noinline)) static const uint32_t *flat(struct scan *s, struct scan_frame *f,
                                                      const uint32_t *mark)
{
    const unsigned char *const p = s->x.p;
    const struct cando_watch *const w = f->watch;
    const uint32_t subject = w->subject;
    struct scan_frame *const around = f - 1;
    struct scan_key *next = around->next;
    const ptrdiff_t marks = 2 * (f->end - f->keys) + 4; /* of one, with what is around it */
    const uint32_t *behind = NULL;
    size_t text = 0;
    uint64_t own = 0, hits, sound = 0, others = UINT64_MAX;
    uint32_t n = 0;
    if ((w->kinds & REQ_OBJECT) &&
        !add_hits(s, subject, w->bit / 64, UINT64_C(1) << (w->bit % 64), &own))
        return NULL;
    if (subject != WATCH_NO_SUBJECT && (s->waits >> subject & 1))
        return NULL;
    if (s->safe - mark <= marks)
        return NULL;
    const uint32_t *const stop = s->safe - marks;
    while (mark < stop) {
        size_t more = 0;
        hits = own;
        mark = flat_object(s, f, mark, &hits, &more);
        if (!mark)
            break;
        if (hits != f->calm && subject != WATCH_NO_SUBJECT && sets_off(s, subject, hits))
            break;
        if (n && around->ends == '}') { /* its key */
            others &= step_of(s, next, around->node)->others;
            next++;
        }
        n++;
        sound = hits;
        text += more;
        size_t at = *mark++;
        behind = mark;
        if (mark[0] != at + 2 || p[at + 1] != ',')
            break;
        if (around->ends == '}') {
            if (mark >= stop || !is_expected(next, p, mark[0], mark[1]))
                break;
            const struct scan_step *step = step_of(s, next, around->node);
            if (!step || step->way != f->way)
                break;
            next->at = mark[0];
            mark++;
        }
        if (p[mark[0]] != '{' || mark[1] != mark[0] + 1 || around->ends == SCAN_NO_END)
            break;
        mark++;
    }
    if (!n)
        return NULL;
    if (subject != WATCH_NO_SUBJECT) {
        s->before[subject] = sound;
        if (s->counting)
            s->counted[subject] = 0;
    }
    s->fit.text_bytes += text;
    s->fit.turns += w->actions & WATCH_TURN ? n : 0;
    around->count += n - 1;
    if (around->ends == '}') {
        around->next = next;
        around->need &= others;
    }
    return behind;
}

#endif
