/*
 * glob.h - the patterns of rules.
 *
 * A glob is compared with a whole model id: `*` is any run of characters
 * (slashes too), `?` one character, `[abc]`, `[a-z]`, `[!a]` or `[^a]` one of
 * a class. `{a,b}` is either, but only in a pattern that has one of the others
 * as well: `{` is a plain character in ids. What does not parse is compared
 * literally, with a `*` at its very start or end still meaning "ends with" and
 * "begins with". Everything is folded to lower case first (ASCII).
 *
 * A pattern is compiled to programs without alternatives, which are plain
 * bytes and can be stored in a snapshot:
 *
 *     0x01              any run, also empty
 *     0x02              any one character (a whole UTF-8 sequence)
 *     0x03 b[16] x      one character of a class: a bitmap of ASCII, and
 *                       whether characters beyond ASCII are in it (0 or 1)
 *     0x04 c            the character c, where it is one of these four
 *     anything else     itself
 */
#ifndef CANDO_GLOB_H
#define CANDO_GLOB_H

#include "base/str.h"

#define GLOB_ANY_RUN 0x01
#define GLOB_ANY_ONE 0x02
#define GLOB_CLASS 0x03
#define GLOB_QUOTE 0x04
#define GLOB_CLASS_BYTES 18

struct glob_set {
    struct str *program;
    size_t n;
    bool literal; /* the text was no glob: it is compared as it stands */
};

/* False if there was no memory or the alternatives multiply beyond
 * GLOB_ALTERNATIVES (`too_many` tells which). */
#define GLOB_ALTERNATIVES 256
bool glob_compile(struct arena *ar, struct str pattern, struct glob_set *out, bool *too_many);

/* A program for: exactly this text; text that begins with it; text that has it
 * between word ends (start or one of - _ / . before, end or one of - _ / . @
 * behind: gives four programs). Folded. */
bool glob_exact(struct arena *ar, struct str text, struct glob_set *out);
bool glob_prefix(struct arena *ar, struct str text, struct glob_set *out);
bool glob_contains(struct arena *ar, struct str text, struct glob_set *out);

/* Does the program match the whole of `text` (folded already)? Needs no
 * memory; time is at most len(program) * len(text). */
bool glob_run(struct str program, struct str text);

/* Does one of the programs? */
bool glob_run_any(const struct glob_set *set, struct str text);

/* Is every byte sequence inside a program well-formed? For snapshots. */
bool glob_valid(struct str program);

/* The plain bytes that every match begins with, decoded into out (at most
 * `size`); returns how many. `*whole` is set if the program is nothing else. */
size_t glob_literal_prefix(struct str program, char *out, size_t size, bool *whole);
/* The longest run of plain bytes that every match contains, decoded into out;
 * returns how many (0 if there is none). */
size_t glob_literal_longest(struct str program, char *out, size_t size);

/* Is every text that `b` matches also matched by one of a[0..n)? Exact: it
 * searches the product of the automata for a counter-example. Gives up with
 * `false` after GLOB_COVER_STATES steps or without memory: "not proven". */
#define GLOB_COVER_STATES 20000
bool glob_covered(struct arena *scratch, struct str b, const struct str *a, size_t n);
/* May both match some text? Exact within the same bound; `true` if not proven. */
bool glob_overlap(struct arena *scratch, struct str a, struct str b);

/* Contains, as rules mean it: `needle` in `text` between word ends. Both folded. */
bool word_contains(struct str text, struct str needle);

#endif
