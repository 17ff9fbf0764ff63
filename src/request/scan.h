/*
 * scan.h - one pass over a request: is it JSON, and what does it hold of what
 * the rules of an API ask for?
 *
 *     marks ──► grammar ──► trie of paths ──► slots (bits, places, numbers)
 *                                └─ an item ends ──► its rules are judged
 *
 * No tree is built and nothing is allocated: a `struct scan` holds all there is,
 * and its parts are as large as their named limits. The text is accepted or
 * refused exactly as text/json.h does, with one exception: the search for equal
 * keys remembers SCAN_KEYS_NEAR keys of an object exactly and SCAN_KEYS_SPILT more
 * of all open objects in a table of fixed size; what is beyond that goes unseen.
 */
#ifndef CANDO_SCAN_H
#define CANDO_SCAN_H

#include "base/limits.h"
#include "catalog/planes.h"
#include "catalog/requests.h"
#include "fit.h"
#include "scan_index.h"
#include "watch.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define SCAN_KEYS_NEAR 16u
#define SCAN_FRAMES_NEAR 24u /* so deep each container has room for its keys; */
#define SCAN_KEYS_DEEP 128u  /* deeper ones share this */
#define SCAN_KEYS (SCAN_FRAMES_NEAR * (SCAN_KEYS_NEAR + 1) + SCAN_KEYS_DEEP)
#define SCAN_KEYS_SPILT 1024u /* places of the table for objects with more */
#define SCAN_KEY_ROOM 17u     /* a quote and 16 bytes */
#define SCAN_KEY_TEXT 32u     /* bytes of a key, its quotes and what is behind it that are kept */
#define SCAN_EVENTS 1024u
#define SCAN_ALIASES 16u
#define SCAN_FOUND 96u    /* findings of one request */
#define SCAN_LATER 32u    /* rules about the last item of an array, or about the next one */
#define SCAN_PENDING 256u /* findings about items that wait for the item around, or the request */
#define SCAN_CROWD 8u     /* rules of findings that there was no room for among those */
#define SCAN_NAMED 256u   /* strings that must differ from each other */
#define SCAN_TURNS 32u    /* steps of keys behind the one that decides what their object is */
#define SCAN_WORD_BITS 5  /* words whose tests are remembered: two a place */
#define SCAN_WORDS (2u << SCAN_WORD_BITS)
#define SCAN_SETS 64u /* sets of bits of items that are: a bit each of scan.sets_kept */

#define WATCH_NO_SUBJECT 0xffu
/* cando_watch.actions */
#define WATCH_TEXT 1u      /* a string is prompt text */
#define WATCH_TURN 2u      /* it is a message */
#define WATCH_WORDS 4u     /* strings are compared with words, */
#define WATCH_MORE 8u      /* and not only with these; or other values are tested */
#define WATCH_OUTER 16u    /* there are tests of the subject around */
#define WATCH_SUBJECTS 32u /* there is more than one subject */
#define WATCH_EACH 64u     /* what a string does is not settled by its text alone */

/* Of cando_watch.initials, by a string's first byte. */
static inline unsigned watch_letter(unsigned char first)
{
    return 1u << (first & 7);
}
#define WATCH_NO_BIT 0xffffu

/* What the scan needs to know of the target; target.c makes it. */
struct scan_target {
    const struct snapshot *s;
    const cando_planes *planes;
    const cando_profile *profile;    /* NULL: there is none                          */
    const uint64_t *may_fire;        /* a bit a rule: it may fire,                   */
    const uint64_t *only_warns;      /* and only warn                                */
    const struct cando_watch *watch; /* what some rule that may fire asks for */
    const struct cando_watch_op *op;
    const uint64_t *pivot; /* by word of bits: those that rules hang on which may fire */
    uint64_t id; /* no other target ever had it; 0: what is known of its requests is not kept */
    enum image_rule images;
    enum fit_family family;
    uint32_t provider; /* SNAP_NONE: nobody, or nobody known */
    bool shapes;       /* what they say is of interest */
    bool once; /* of the rules that need one capability only the first place is of interest */
    struct scan_trial *trial; /* what happens is only noted here; NULL: it is found */
};

/* What rules would do, were all of them about the target. */
struct scan_trial {
    uint64_t *fired; /* a bit a rule */
    double
        most[CANDO_MAX_NUMBERS]; /* by number of the planes: the largest that is held against it */
    uint32_t sets;               /* of the planes: a word is looked for there */
};

/* What there is to know of a value before it is looked at. */
struct scan_step {
    const struct snap_req_node *of;   /* what it stands in */
    const struct snap_req_way *way;   /* that leads to it */
    uint64_t others;                  /* the bits of scan_frame.need but for its own */
    uint64_t mask;                    /* the bit that a string sets, or 0: none, */
    uint64_t literal_mask;            /* and the bits that `literal` sets */
    uint8_t home, literal_home;       /* their words */
    uint8_t literal;                  /* REQ_TRUE or REQ_FALSE, which does nothing else, or 0 */
    uint8_t subject;                  /* if it stands in one of this word, or WATCH_NO_SUBJECT */
    uint8_t string;                   /* enum scan_string */
    uint8_t most;                     /* bytes of a string that is of the type by its length, */
    uint8_t least;                    /* and how few (0 or 1) */
    const struct snap_req_type *type; /* of a string, if it is a plain one; or NULL */
    uint64_t where;                   /* see struct scan_word */
    const struct scan_word *word;     /* the last one here, mostly; any other if it is not */
};

/* What is to be done about a string. */
enum scan_string {
    STRING_QUIET, /* nothing: it is allowed, and nobody tests or watches it */
    STRING_HITS,  /* it sets a bit */
    STRING_TEXT,  /* the same, and is prompt text */
    STRING_WORD,  /* it is one of those that struct scan_word is for */
    STRING_NAMED, /* it is taken down, to be held against others */
    STRING_TYPED, /* its shape has more to say of it, and nobody else has */
    STRING_OTHER,
    STRING_NEW,  /* nobody knows: it is the first one here, */
    STRING_SEEN, /* or the second, and from now on it is worth knowing */
};

/* A key, and all up to its value, which is known by its bytes: those of `text` that `bits` has a
 * bit for. Behind the last key of an object is one that none is equal to. */
struct scan_key {
    unsigned char text[SCAN_KEY_TEXT]; /* from its quote on */
    uint32_t bits;
    uint32_t span;         /* bytes from its quote to its value; 0: more than there is room for */
    struct scan_step step; /* of the node that its object was when it was put here */
    uint64_t id;           /* no other key has it */
    uint32_t at;           /* its quote, in the object that it was seen in last */
    uint32_t hash_high;    /* the upper half of its hash */
};

/* The same key in an object that was decided to be another node. */
struct scan_turn {
    uint64_t key; /* scan_key.id */
    struct scan_step step;
};

/* An open container. Objects that follow each other at one depth tend to have the same keys in
 * the same order: while one does as the last one did, its keys are neither looked up nor held
 * against each other. Its keys are those up to `next` then, and those from there to `end` are
 * what is expected. */
struct scan_frame {
    const struct snap_req_node *node;  /* NULL: nobody looks inside */
    const struct snap_req_node *first; /* the same as it began: that of `way` */
    const struct snap_req_node *last;  /* that of the object whose keys are kept, as it began */
    const struct snap_req_way *way;    /* to it, and to the last one; NULL: there was none */
    struct scan_step item;             /* of an array */
    const struct cando_watch *watch;
    struct scan_key *keys;       /* of scan.key: where its keys begin, */
    struct scan_key *next, *end; /* see above */
    struct scan_key *full;       /* up to here there is room; further keys go into the table */
    uint64_t bloom;              /* of its keys; 0: it has been as the last one so far */
    uint64_t saved;              /* bits of its subject before */
    uint64_t calm;               /* such as set off nothing when the last one on this way ended */
    uint64_t need;               /* of the members that are counted, those that are yet to come */
    uint32_t at;                 /* of the bracket */
    uint32_t count;              /* values so far */
    unsigned char kind;          /* of enum req_kind */
    unsigned char ends;          /* the bracket that will; SCAN_NO_END: outside of everything */
    bool plain;         /* when an object on this way ends, its subject does, and that is all */
    bool flat;          /* the object whose keys are kept may have held strings only: scan_flat.h */
    unsigned char vain; /* how often that was tried since it was so last */
};
#define SCAN_NO_END ' ' /* no mark is at a space */

struct scan_spilt_key {
    uint32_t hash_high, at, serial;
};

struct scan_far_open {
    uint32_t serial, depth, at; /* its number, its frame, and its bracket */
};

struct scan_place {
    uint32_t at, end; /* the value's bytes */
};

struct scan_event {
    uint32_t event;
    uint32_t turn; /* index of the item of the outermost array */
    struct scan_place place;
};

/* What comes beside the body of a request. */
struct scan_beside {
    bool known; /* else nobody can say which features are on */
    const struct str *beta;
    size_t n_betas;
    struct str version; /* of the API, or empty */
};

/* A key that is taken for another one: the text as it will be. */
struct scan_alias {
    uint32_t at; /* its quote */
    struct str name;
};

/* What a rule wants of the item around its own: bits of one word that are set, and that are not. */
struct scan_outer {
    uint64_t all, none;
    uint32_t word;
};

/* `rule` SNAP_NONE: a shape's, and `wrong` and those behind it say which. One of scan.inner has
 * `outer` instead. */
struct scan_found {
    uint32_t rule;
    struct scan_place place, other; /* `other`: a second place; at == UINT32_MAX: none */
    union {
        struct {
            uint32_t wrong;  /* enum req_wrong */
            uint32_t member; /* or SNAP_NONE */
            uint32_t object; /* or SNAP_NONE */
            uint32_t bit;    /* which of the object's members is missing, or which group */
            uint32_t severity;
        };
        struct scan_outer outer;
    };
};
/* scan_found.bit of a group, or of a choice: where its list is, beyond this. */
#define SHAPE_GROUP 0x40000000u
#define SHAPE_CHOICE 0x80000000u

/* A short string that was tested where its way leads to, and what came of it: the bits that it
 * sets, and what its object is by it. The next time it is known by its text (struct req_key)
 * alone. */
struct scan_word {
    uint64_t head, tail;
    uint64_t where; /* the number of its way and 1, or if it decides what its object is, of the node
                       that is not decided yet and WORD_CHOOSES; 0: this is no word */
    uint64_t mask;  /* the bits, if all of them are of the word `home`; */
    const struct snap_req_node *node; /* NULL: it decides nothing */
    uint64_t need;                    /* see struct scan_frame */
    uint8_t home; /* else it is a word that has none ever, and one that is not there */
    uint8_t n_bits;
    uint16_t bit[7];
};

#define WORD_CHOOSES (UINT64_C(1) << 32)

/* Items of an array are much alike, and most set off nothing. Which rules have all their
 * conditions met depends on the bits of the item alone: they are kept with the bits, and no rule
 * is looked at for the next item of the same. */
struct scan_set {
    uint64_t hits;
    uint16_t subject, n;
    struct scan_met {
        const struct snap_req_rule *rule; /* in the snapshot; NULL: only its number is known */
        uint16_t number;
        uint16_t which; /* see bits_fit() of watch.c, or WATCH_NO_BIT */
        uint16_t place; /* the bit whose place is shown, or WATCH_NO_BIT: the item's, */
        bool always;    /* if it does not matter where the item stands; */
        bool waits;     /* and all that comes of it waits for the item around: */
        struct scan_outer outer;
    } met[3];
};

/* Findings that there was no room for: of each rule the first, and how many they are. */
struct scan_crowd {
    uint32_t n, count[SCAN_CROWD];
    struct scan_found first[SCAN_CROWD];
};

/* A string that must be another one than those of the same number in one array. */
struct scan_named {
    uint32_t number;
    uint32_t hash; /* the upper half of that of its text */
    struct scan_place place;
};

/* By what a request told its API: the shape that it has, and where. */
struct scan_told {
    struct str shape;
    uint32_t at;
};

struct scan {
    struct scan_target t;
    struct scan_told told; /* the caller's: a run that looks for it finds it in `found` */
    struct snap_req_api d;
    const struct snap_req_way *root; /* NULL: nobody watches anything */
    scan_fill *refill;
    struct scan_index x;
    const uint32_t *last, *safe;           /* of the marks; see refill() */
    struct scan_alias alias[SCAN_ALIASES]; /* the caller's, with their number set before scan_run */
    uint32_t n_alias;
    const struct scan_beside *beside; /* the caller's; NULL: nothing */
    /* of whose requests frames, words and sets are known already; the caller's, 0 at first */
    uint64_t kept_of;
    uint32_t kept_api;
    bool marked; /* x has all marks of the text that is run over next; the caller's, as kept_of */
    /* grammar */
    const struct scan_frame *in; /* what the value that is looked at stands in, */
    uint32_t count;              /* and if it is a container, how many it holds */
    uint32_t digits;             /* if it is a number of a few digits: these, */
    int places;                  /* and how many are behind the point; -1: it is another number */
    struct scan_frame *known;    /* the deepest frame that has been in use, if it is a near one */
    struct scan_step step;       /* of the last key that there was no room for */
    uint64_t n_keys;             /* that were put into `key`, ever */
    const struct snap_req_way *list_way;   /* of the last container that counts, */
    const struct snap_req_type *list_type; /* and what the shapes say of it */
    uint32_t serial;
    bool dollars;     /* there were keys that begin with one, here or in a text before */
    size_t short_end; /* before it 16 bytes can be read behind a quote */
    bool short_keys;  /* those of up to 16 bytes need no closer look */
    bool far_used;
    uint32_t n_far_open;
    /* watching */
    const struct snap_req_way *way; /* NULL: they are of another size */
    const unsigned char *ways, *nodes, *tables;
    size_t way_size, node_size;
    const unsigned char *slots;
    size_t slot_size;
    const uint64_t *pivot;                                   /* of the API */
    uint64_t hits[REQ_MAX_WORDS + 1], before[REQ_MAX_WORDS]; /* the last of `hits` is 0 */
    uint64_t sets_kept;                                      /* places of `set` in use */
    bool whole_kept;                                         /* and so is `whole` */
    uint64_t waits; /* words whose next end something of `later`, `inner` waits for */
    bool counting;
    uint64_t counted[REQ_MAX_WORDS]; /* bits whose `passed` is valid; valid itself once something is
                                        counted */
    struct fit fit;
    uint32_t n_found, more, n_events, n_later, n_inner, n_pending, n_named;
    size_t plain_at; /* a string whose characters were found to be of the classes at `plain_set`, */
    const unsigned char *plain_set; /* if there is one */
    size_t read_again;              /* bytes, by checks that must */
    struct scan_place
        no_dollar; /* bytes that were looked through for a dollar sign, and have none */
    bool events_lost;
    bool more_errors,
        more_lossy; /* findings beyond the limit that cannot be mended, or not without loss */
    bool cuts;      /* what does not fit will be cut off */
    /* what went wrong */
    enum code error;
    size_t error_at;
    /* large parts, none of them cleared; the order keeps those that are used together from
     * lying a multiple of 4096 bytes apart, where a processor takes one for the other */
    struct scan_frame frame[LIMIT_JSON_DEPTH + 1]; /* [0]: outside of everything */
    struct scan_found found[SCAN_FOUND];
    struct scan_found later[SCAN_LATER];
    struct scan_found inner[SCAN_PENDING];
    struct scan_found pending[SCAN_PENDING];
    struct scan_crowd inner_crowd, crowd; /* of those that had no room in the last two */
    struct scan_named named[SCAN_NAMED];
    struct scan_turn turn[SCAN_TURNS];
    struct scan_word word[SCAN_WORDS];
    struct scan_set set[SCAN_SETS];
    struct scan_set whole; /* the same for the request itself, */
    uint64_t whole_hits[REQ_MAX_WORDS];
    struct scan_key key[SCAN_KEYS];
    struct scan_place place[REQ_MAX_BITS];
    uint32_t passed[REQ_MAX_BITS]; /* of slots that want several: the request's own */
    struct scan_event event[SCAN_EVENTS];
    struct scan_spilt_key spilt[SCAN_KEYS_SPILT];
    struct scan_far_open far_open[LIMIT_JSON_DEPTH + 1]; /* objects with keys in the table */
};

/* Runs over `text` with the rules of `api` (SNAP_NONE: only the grammar).
 * False: s->error and s->error_at say why and where. Findings are in s->found,
 * in the order of the text; s->more counts those beyond the limit. */
bool scan_run(struct scan *s, const struct scan_target *t, uint32_t api, struct str text,
              enum scan_path path);

/* Makes the marks of a text ahead: scan_run over these same bytes takes them, if it is the next.
 * False: they do not fit into the list, or the text is no JSON. */
bool scan_mark(struct scan *s, struct str text);
/* The same with the marks of a text that another scan, or this one, has run over just now, if it
 * has all of them still. */
void scan_take_marks(struct scan *s, const struct scan *from);

/* Where a text that is not JSON goes wrong; for texts that scan_run refused. */
enum code scan_error(struct str text, size_t *at, char *message, size_t size);

/* -- inside of request/ ------------------------------------------------------------ */

/* A value that ended: tests the slots of its node. (watch.c) */
void watch_value(struct scan *s, const struct cando_watch *w, unsigned kind, size_t at, size_t end);
/* The same for a container of s->count values. */
void watch_container(struct scan *s, const struct cando_watch *w, unsigned kind, size_t at,
                     size_t end);
/* A number in the container f: what its shape says of it is tested as well. */
void watch_number(struct scan *s, struct scan_frame *f, const struct snap_req_way *way, size_t at,
                  size_t end);
/* The same for a string that is compared with words, or decides what its object is; it is to be
 * remembered as `word`, which has its text, unless that is NULL. */
void watch_word(struct scan *s, struct scan_frame *f, const struct snap_req_way *way, size_t at,
                size_t end, struct scan_word *word);
/* The same for a string whose tests concern strings. */
void watch_text(struct scan *s, const struct cando_watch *w, size_t at, size_t end);
/* Those of the subject around, once that is in force again. */
void watch_outer(struct scan *s, const struct cando_watch *w, unsigned kind, size_t at, size_t end);
/* What comes beside the request: tests of rules about "@betas[]". */
void watch_beside(struct scan *s);
/* An item has ended, or another thing that has bits of its own: the rules that these set off. */
void watch_item(struct scan *s, uint32_t word, struct scan_place item, uint32_t index);
/* The same for one with the bits of a set that is kept. */
void watch_again(struct scan *s, const struct scan_set *set, struct scan_place item,
                 uint32_t index);
/* Before that, what waits for its end. */
void watch_waiting(struct scan *s, uint32_t word, uint32_t index);
/* The request has ended. */
void watch_end(struct scan *s);

/* Puts a finding that waits into a list, or among those that had no room there. */
void scan_put_off(struct scan *s, const struct snap_req_rule *rule, const struct scan_found *f,
                  struct scan_found *list, uint32_t *n, struct scan_crowd *c);
void scan_crowd_add(struct scan *s, struct scan_crowd *c, const struct scan_found *first,
                    uint32_t count);
/* Is it of interest where each finding of the rule is? */
bool scan_is_looked_at(const struct snap_req_rule *rule);

/* The number at p, as both rules and requests are read. (text_number.c) */
double scan_number(const unsigned char *p, size_t n);

/* Files of later versions may have longer records. */
static inline const struct snap_req_way *scan_way(const struct scan *s, size_t i)
{
    return (const struct snap_req_way *)(const void *)(s->ways + i * s->way_size);
}

static inline const struct snap_req_node *scan_node(const struct scan *s, size_t i)
{
    return (const struct snap_req_node *)(const void *)(s->nodes + i * s->node_size);
}

/* Is the key of this way? Short ones need no closer look. */
static inline bool scan_has_hash(const struct snap_req_way *w, const struct req_key *k)
{
    uint32_t head[2] = {snap_le32(w->head[0]), snap_le32(w->head[1])};
    uint32_t tail[2] = {snap_le32(w->tail[0]), snap_le32(w->tail[1])};
    if (snap_u64(head) != k->head || snap_u64(tail) != k->tail)
        return false;
    return snap_le32(w->n) == (uint32_t)k->n; /* no request is as long as 32 bits can tell */
}

/* Has a shape more to say of a string than that it is one? What it chooses does not count. */
static inline bool scan_tests_string(uint32_t info)
{
    return (info & (REQ_STRING | WAY_TESTS)) != REQ_STRING && !(info & WAY_CHOOSES);
}

/* The number at s->x.p + at: that of the value which is looked at. */
static inline double scan_value_number(const struct scan *s, size_t at, size_t end)
{
    static const double places[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    return s->places == 0  ? s->digits
           : s->places > 0 ? s->digits / places[s->places]
                           : scan_number(s->x.p + at, end - at);
}

/* The same for texts that are the same without their escapes; the upper bits are the better. */
uint64_t scan_text_hash(const unsigned char *p, size_t n);

/* The way of a key from a node. */
const struct snap_req_way *scan_way_of(const struct scan *s, const struct snap_req_node *n,
                                       struct str key);

static inline uint32_t scan_way_number(const struct scan *s, const struct snap_req_way *way)
{
    if (__builtin_expect(s->way != NULL, 1))
        return (uint32_t)(way - s->way);
    return (uint32_t)((size_t)((const unsigned char *)way - s->ways) / s->way_size);
}

/* The head and tail of struct req_key for a text of up to 16 bytes, where 16 bytes can
 * be read; false if it has a backslash. Without a branch on its length. */
static inline bool scan_short(const unsigned char *p, size_t n, uint64_t *head, uint64_t *tail)
{
#if defined(__SSE2__) || defined(__wasm_simd128__)
    static const char keep[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                  -1, -1, -1, -1, -1, -1, -1, -1}; /* and 16 zeros */
#endif
#if defined(__SSE2__)
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)p);
    text = _mm_and_si128(text, _mm_loadu_si128((const __m128i *)(const void *)(keep + 16 - n)));
    *head = (uint64_t)_mm_cvtsi128_si64(text);
    *tail = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(text, text));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('\\'))) == 0;
#elif defined(__wasm_simd128__)
    v128_t text = wasm_v128_and(wasm_v128_load(p), wasm_v128_load(keep + 16 - n));
    *head = (uint64_t)wasm_i64x2_extract_lane(text, 0);
    *tail = (uint64_t)wasm_i64x2_extract_lane(text, 1);
    return !wasm_v128_any_true(wasm_i8x16_eq(text, wasm_i8x16_splat('\\')));
#else
    struct req_key k = req_key(p, n);
    *head = k.head;
    *tail = k.tail;
    return !req_has_backslash(k.head) && !req_has_backslash(k.tail);
#endif
}

static inline bool scan_is_hit(const struct scan *s, unsigned bit)
{
    return s->hits[bit / 64] >> (bit % 64) & 1;
}

static inline void scan_hit(struct scan *s, unsigned bit, size_t at, size_t end)
{
    s->hits[bit / 64] |= UINT64_C(1) << (bit % 64);
    s->place[bit] = (struct scan_place){(uint32_t)at, (uint32_t)end};
}

/* The keys of f end at `end`. */
static inline void scan_end_keys(struct scan_frame *f, struct scan_key *end)
{
    end->bits = UINT32_MAX;
    end->span = 0;
    f->end = end;
}

/* The place of `set` for these bits, and whether they are there. */
static inline unsigned scan_set_place(uint32_t subject, uint64_t hits)
{
    return (unsigned)((hits + subject) * UINT64_C(0xA0761D6478BD642F) >> 58);
}

static inline bool scan_has_set(const struct scan *s, unsigned place, uint32_t subject,
                                uint64_t hits)
{
    const struct scan_set *set = &s->set[place];
    return (s->sets_kept >> place & 1) && set->hits == hits && set->subject == subject;
}

void scan_add_found(struct scan *s, uint32_t rule, struct scan_place place,
                    struct scan_place other);
void scan_put_found(struct scan *s, const struct scan_found *f);

/* -- scan_shape.c ------------------------------------------------------------------------- */

/* A value in the container f whose way does not allow its kind, or has more tests than that; or
 * null. `count`: of a container's values. True: nothing came of it, nor of an equal string. */
bool scan_shape_value(struct scan *s, struct scan_frame *f, const struct snap_req_way *way,
                      unsigned kind, size_t at, size_t end, uint32_t count);
/* The same for a string. */
bool scan_shape_string(struct scan *s, struct scan_frame *f, const struct snap_req_way *way,
                       size_t at, size_t end);
/* The container f ended, whose way is one of those that count. */
void scan_shape_container(struct scan *s, struct scan_frame *f, size_t end);
/* A string is taken down under a number. */
void scan_shape_name(struct scan *s, uint32_t number, size_t at, size_t end);
/* For a step whose way and `string` are known: the type of strings there, if it has no tests but
 * those of most. */
void scan_shape_step(const struct scan *s, struct scan_step *step);
/* Has that type, which there is, nothing to say of the string? Else scan_shape_string must see. */
bool scan_shape_fits(struct scan *s, const struct scan_step *step, size_t at, size_t end);
/* Has a way that allows numbers nothing to say of this one? */
bool scan_shape_takes(const struct scan *s, const struct snap_req_way *way, double d);
/* An object ended that lacks members, or has groups of them. */
void scan_shape_object(struct scan *s, struct scan_frame *f, size_t end);
/* The member that decides which node the object of f is has ended. True: nothing is wrong with
 * it. */
bool scan_shape_choose(struct scan *s, struct scan_frame *f, unsigned kind, size_t at, size_t end);
/* A key came before the one that decides which node the object of f is: `at` is its quote. It is
 * decided now. */
void scan_shape_ask(struct scan *s, struct scan_frame *f, size_t at);
/* Whose member a finding is about, and which; empty where there is none. */
void scan_shape_names(const struct snapshot *s, const struct scan_found *f, struct str *object,
                      struct str *member);

/* Is it known already that there is no "$ref" in a value? Where no letter is spelt by its number
 * it is written as it is. */
static inline bool scan_has_no_ref(const struct scan *s, struct scan_place v)
{
    bool none = v.at >= s->no_dollar.at && v.end <= s->no_dollar.end;
    return !s->x.spelt && (none || !s->dollars);
}

/* The checks that rules name. (check_native.c) */
void scan_check(struct scan *s, uint32_t number, const struct snap_req_rule *r,
                struct scan_place place, struct scan_place subject);

/* Characters of a JSON string's text (between the quotes), escapes counted once. (text_chars.c) */
size_t scan_length(const unsigned char *p, size_t n);
/* The next of them; moves *at. */
uint32_t scan_char(const unsigned char *p, size_t n, size_t *at);
/* Is it this word, does it begin so, is the word somewhere in it? A word has no escapes. */
bool scan_text_is(const unsigned char *p, size_t n, struct str word);
bool scan_text_begins(const unsigned char *p, size_t n, struct str word);
bool scan_text_has(const unsigned char *p, size_t n, struct str word);
/* Is it plain to see that it has between `lo` and `hi` characters? One has 1 to 12 bytes. */
static inline bool scan_length_plain(size_t n, const uint32_t lo[2], const uint32_t hi[2])
{
    return snap_double(lo) <= (n > 0) && (double)(int64_t)n <= snap_double(hi);
}
/* Are its characters of the two classes of a list: the first, and all others? Classes of ASCII
 * characters are a bit each, 16 bytes a class. False: it is not plain to see. */
static inline bool scan_chars_plain(const struct snapshot *s, const unsigned char *p, size_t n,
                                    uint32_t list)
{
    const unsigned char *set = s->sec[SEC_REQ_WORDS].p + ((size_t)list + 1) * 4;
    /* by the upper two bits of a byte: no class has bytes beyond ASCII */
    const uint64_t first[4] = {req_load(set, 8), req_load(set + 8, 8)};
    const uint64_t rest[4] = {req_load(set + 16, 8), req_load(set + 24, 8)};
    const uint64_t backslash = UINT64_C(1) << ('\\' - 64);
    if (n == 0)
        return true;
    if ((first[1] | rest[1]) & backslash)
        return false; /* an escape is not what it looks like */
    uint64_t fits = first[p[0] / 64] >> (p[0] % 64);
    for (size_t i = 1; i < n; i++)
        fits &= rest[p[i] / 64] >> (p[i] % 64);
    return fits & 1;
}
/* The same for the n bytes of the string at `at`. Rules ask what shapes have asked before. */
static inline bool scan_chars_known(struct scan *s, size_t at, size_t n, uint32_t list)
{
    const unsigned char *set = s->t.s->sec[SEC_REQ_WORDS].p + ((size_t)list + 1) * 4;
    if (s->plain_set && s->plain_at == at &&
        (s->plain_set == set || memcmp(s->plain_set, set, 32) == 0))
        return true;
    if (!scan_chars_plain(s->t.s, s->x.p + at + 1, n, list))
        return false;
    s->plain_at = at;
    s->plain_set = set;
    return true;
}

/* The same, however it is spelt. */
bool scan_chars_fit(const struct snapshot *s, const unsigned char *p, size_t n, uint32_t list);
/* Does it hold JSON, or nothing? (text_json.c) */
bool scan_holds_json(const unsigned char *p, size_t n);

#endif
