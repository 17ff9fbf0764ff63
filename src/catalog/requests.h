/*
 * requests.h - request rules as a snapshot holds them.
 *
 *     rules of one API                       one pass over the request
 *     "max_tokens" present          ──compile──►  trie of paths ──► bits
 *     "tools" not empty                           bits ──► rules that fire
 *
 * Every condition of a rule is a *slot*: a path and a test that values there
 * may pass. A slot is a bit. The slots know the rules that they can set off (each
 * rule hangs on one of its slots), so that a request costs what is in it and not
 * what could be.
 *
 * A *subject* is the value that a rule speaks of: the whole request, or each item
 * of an array ("messages[]"). Its bits are one word (the request's are several)
 * which is emptied when an item begins and judged when it ends.
 *
 * Paths and shapes are one graph. A *way* leads to a value: by a key, to an item,
 * to the request. It says which kinds the value may be of, which slots look at it
 * (the *watch*, a set of places that some paths meet in), what the shapes say of
 * it (the *member*), and to which *node* it leads, from which the next ways go:
 *
 *     node ──way "role"──► kinds, watch ──► slots of rules
 *      │                   member ──► type: words, range, length, ...
 *      └───way "content"─► node ──item──► ...
 *
 * Nothing of the graph depends on the model: a target has its own list of what to
 * do at a watch, and shares all the rest.
 *
 * Everything is 32-bit little-endian numbers; lists are in SEC_REQ_WORDS as a
 * count and its numbers.
 */
#ifndef CANDO_REQUESTS_H
#define CANDO_REQUESTS_H

#include "snapshot.h"

/* Kinds of values, as bits. */
enum req_kind {
    REQ_NULL = 1,
    REQ_FALSE = 2,
    REQ_TRUE = 4,
    REQ_NUMBER = 8,
    REQ_STRING = 16,
    REQ_ARRAY = 32,
    REQ_OBJECT = 64,
    REQ_KINDS = 127, /* all of them */
};

enum req_test {
    TEST_KIND,      /* arg: mask of kinds                                          */
    TEST_WORD,      /* a string that is this word; lo: its first eight bytes, hi: its length and the
                       first      four of the tail of struct req_key; arg: a list of it alone */
    TEST_WORDS,     /* a string that is one of the list                            */
    TEST_NOT_WORDS, /* a string that is none of them                               */
    TEST_PREFIX,    /* a string that begins with one of the list                   */
    TEST_NOT_PREFIX,
    TEST_INSIDE,    /* a number in [lo, hi]                                        */
    TEST_OUTSIDE,   /* a number that is not                                        */
    TEST_NOT_WHOLE, /* a number with a fraction                                    */
    TEST_LENGTH,    /* characters of a string, items of an array or object: in [lo, hi] */
    TEST_NOT_LENGTH,
    TEST_NOT_CHARS,   /* a string with a character outside of two classes, of its first and of the
                         rest; arg: a list   of two bitmaps of ASCII, four numbers each   */
    TEST_ABOVE_FACT,  /* a number, or items, above a number of the profile; arg: field */
    TEST_NOT_IN_FACT, /* a string that a known set of the profile lacks; arg: field  */
    TEST_ENDS_SPACE,  /* a string that ends in white space                           */
    TEST_KEY_LENGTH,  /* a member whose name has a length that is not in [lo, hi]    */
    TEST_KEY_CHARS,   /* a member whose name has a character outside of two classes  */
    TEST_SIDE,        /* an image in the request, a side of which is not in [lo, hi] */
    TEST_NOT_JSON,    /* a string whose text is no JSON                              */
    TEST_MEASURE,     /* no bit: counts towards the size; arg: enum req_measure      */
    TEST_BLANK,       /* a string that is nothing but white space                    */
    TEST_HOLDS,       /* a string with one of the list in it                         */
    TEST_COUNT
};

enum req_measure {
    MEASURE_TEXT,   /* prompt text                               */
    MEASURE_JSON,   /* tools and schemas: all bytes of the value */
    MEASURE_IMAGE,  /* an image: data URL, base64 or a link      */
    MEASURE_MEDIA,  /* audio, video or a document: unknown size  */
    MEASURE_OUTPUT, /* the largest answer that is asked for      */
    MEASURE_TURN,   /* a message: what frames it                 */
    MEASURE_COUNT
};

enum req_fix {
    FIX_NONE,
    FIX_RENAME, /* the member gets another name; with a dot it moves into an object of its own */
    FIX_SET,    /* the value becomes another one            */
    FIX_ADD,    /* a member of the subject is set or added     */
    FIX_DROP,   /* the member goes                          */
    FIX_CLAMP,  /* the number goes to the nearest legal one */
    FIX_MAP,    /* a word becomes its equivalent            */
    FIX_COUNT
};

enum req_check {
    CHECK_NONE,
    CHECK_PAIRS_FOLLOW,   /* each call is answered later, each answer has a call before it */
    CHECK_PAIRS_NEXT,     /* the same, in the very next message                             */
    CHECK_PAIRS_ANY,      /* each name stands on both sides, anywhere                       */
    CHECK_COUNTS_NEXT,    /* as many answers in the next message as calls in this one       */
    CHECK_CACHE_COUNT,    /* at most four cache marks                                       */
    CHECK_CACHE_ORDER,    /* no long-lived cache mark behind a short-lived one              */
    CHECK_JSON_WORD,      /* the prompt has the word json                                   */
    CHECK_NOT_LESS,       /* the first number is not less than the second                   */
    CHECK_PAIRS_SERVERS,  /* each server has its toolset, each toolset its server         */
    CHECK_SERVER_ANSWERS, /* each answer of a server tool has its call before it          */
    CHECK_UNIQUE,         /* no two events `name` have the same text                      */
    CHECK_COVERS,         /* `required` names each of the keys of `properties`            */
    CHECK_KNOWN,          /* `required` names keys of `properties` only                   */
    CHECK_REFS,           /* each `$ref` of the schema leads somewhere                    */
    CHECK_FITS,           /* the schema is not too deep, and has not too many names       */
    CHECK_ANSWERED_ONCE,  /* no two events `answer` have the same text                    */
    CHECK_CALLED_ONCE,    /* no two events `call` have the same text                      */
    CHECK_CHOSEN,         /* each event `chosen` has the text of an event `name`            */
    CHECK_ANSWERS_RUN,    /* before an answer comes its call, or another answer             */
    CHECK_LISTED,         /* each string of an array is in a list of the profile          */
    CHECK_NOT_LISTED,     /* none is                                                      */
    CHECK_SAYS,           /* a text of the profile stands somewhere in the request        */
    CHECK_ACYCLIC,        /* no `$ref` of the schema leads to what it is a part of          */
    CHECK_OFF,            /* an adjustment: it is not said at all, and has no word        */
    CHECK_GRAMMAR,        /* the schema has not too many optional keys, or of two types     */
    CHECK_SHORT,          /* the schema's text is not too long                              */
    CHECK_LOADED,         /* fewer events `deferred` than events `name`                     */
    CHECK_COUNT
};

/* Checks of one schema, which is read again once all that the rule wants beside it holds. */
static inline bool req_reads_schema(unsigned check)
{
    return check == CHECK_COVERS || check == CHECK_KNOWN;
}

enum req_event {
    EVENT_NONE,
    EVENT_CALL,
    EVENT_ANSWER,
    EVENT_CACHE_TOOLS,
    EVENT_CACHE_SYSTEM,
    EVENT_CACHE_MESSAGES,
    EVENT_SERVER,
    EVENT_TOOLSET,
    EVENT_SERVER_CALL,
    EVENT_SERVER_ANSWER,
    EVENT_NAME,
    EVENT_CUT, /* what does not fit will be cut off; not logged, remembered */
    EVENT_CHOSEN,
    EVENT_DEFERRED,
    EVENT_COUNT
};

enum req_effect {
    REQ_FINDING,
    REQ_NEEDS,
    REQ_EVENT,
    REQ_SHAPE,
    REQ_SILENT,
    REQ_ADJUST, /* changes the severity of what shapes find */
    REQ_EFFECT_COUNT
};

enum req_rule_flag {
    REQF_FIRST = 1, /* only the first item of its array                      */
    REQF_LAST = 2,  /* only the last one                                     */
    REQF_LOSSY = 4, /* the fix loses something: only when asked for          */
    REQF_ON_BASE = 8,
    REQF_MIN = 16,
    REQF_MAX = 32,
    REQF_FINALIZE = 64, /* only if the adapter wants structured_finalize         */
    REQF_NEVER = 128,
    REQF_OTHERS = 256,   /* all providers but those of the list */
    REQF_COMPARES = 512, /* a condition compares with the profile: above, not_in */
    REQF_GENERAL = 1024, /* of `uses`: any other rule about the same value says it better */
    REQF_LATER = 2048,   /* any item behind it that meets all of `next`, or one of `next_none`,
                            takes it back */
    /* of its `beside`: */
    REQF_BEHIND = 4096,  /* conditions of the item before */
    REQF_AHEAD = 8192,   /* of those that come behind it */
    REQF_AROUND = 16384, /* of the item around its own */
    REQF_WHOLE = 32768,  /* of the request, for a rule about an item */
};

/* A source itself, to be compiled again with an overlay. All of them, one after the other, are one
 * packed text (base/pack.h), since they are much alike; each names it. */
struct snap_req_text {
    uint32_t file, text;
    uint32_t size; /* of this source */
};

struct snap_req_api {
    uint32_t name;
    uint32_t ways, n_ways, nodes, n_nodes, watches, n_watches; /* its own */
    uint32_t root;                                             /* way */
    uint32_t roots;   /* list of pairs: a provider whose shapes are others, and its way */
    uint32_t outside; /* way of what is not in the body ("@betas[]"), or SNAP_NONE */
    uint32_t rules, n_rules, n_adjusts; /* the last ones are adjustments */
    uint32_t bits, n_bits;              /* in words: the slot behind each bit, or SNAP_NONE */
    uint32_t root_words;                /* words of the request's own bits                  */
    uint32_t base;                      /* of its words among those of all APIs         */
    uint32_t vendor;                    /* provider whose API it is, or SNAP_NONE           */
};

/* A key of up to 16 bytes is known by its length, head and tail alone. */
struct snap_req_way {
    uint32_t head[2], tail[2]; /* see struct req_key */
    uint32_t key, n;           /* string, and its length; a way without a key has SNAP_NONE: no
                                  key is as long */
    uint32_t node;             /* where it leads; SNAP_NONE: nobody looks inside */
    uint32_t info;
};

/* snap_req_way.info: the kinds, and */
#define WAY_TESTS 128u                    /* of a scalar there is more to test than the kind, */
#define WAY_BIT(info) ((info) >> 8 & 63u) /* which of its object's counted members it is; */
#define WAY_NO_BIT 63u                    /* none; */
#define WAY_GROUP_BIT 62u                 /* there are groups to be looked at when it ends */
#define WAY_CHOOSES 0x4000u               /* its word decides which node the object is */
#define WAY_ASKS 0x8000u                  /* of all other keys while that is not decided */
#define WAY_COUNTS 0x10000u               /* and of a container */
#define WAY_WATCH(info) ((info) >> 17)    /* 0: nobody */
#define WAY_MAX_WATCH 0x7fffu
#define REQ_MAX_KEYS 1024u /* of a table of ways */
#define REQ_MAX_PLACES (4 * REQ_MAX_KEYS)
#define REQ_MAX_WAYS 65536u /* of a snapshot: a table has two bytes for one */

/* The first ways of the section: anything, which nobody looks at; and what must not be there. */
enum { WAY_FREE, WAY_CLOSED, WAY_FIRST };

/* A table of ways is numbers of them in SEC_REQ_TABLES, hashed: a key stands at its place among
 * the first `places`, or in the next one behind it that was free; a search ends at a free one,
 * which has the number WAY_FREE. There is no way round: the table goes on behind its last
 * place, up to the first free one from there. */
struct snap_req_node {
    uint32_t table, places;           /* of ways, by key; places 0: there is none */
    uint32_t star, item;              /* ways of any other key, and of items */
    uint32_t object;                  /* SNAP_NONE: no shape */
    uint32_t counted[2], required[2]; /* members of which note is taken: bits of `info` */
    uint32_t choice;                  /* or SNAP_NONE: which node it is, a word decides */
};

/* Which of several objects one is, by the word of a member. The node that is not decided yet
 * has one key, this member's. */
struct snap_req_choice {
    uint32_t by;            /* string: the member */
    uint32_t table, places; /* of words, as of keys; each leads to its node, and its bit is that
                               of the member there */
    uint32_t other;         /* node for other words; CHOICE_REFUSED */
    uint32_t missing;       /* node if the member is not there; CHOICE_REFUSED */
    uint32_t free;          /* node where the member cannot be seen in time */
    uint32_t object;
    uint32_t words; /* list of strings: all of them */
};
#define CHOICE_REFUSED (SNAP_NONE - 1)

/* A set of places that paths of rules meet in. */
struct snap_req_watch {
    uint32_t slots, n_slots;
    uint32_t subject;  /* word of its bits, or SNAP_NONE */
    uint32_t subjects; /* list of further ones, none of which holds itself; or SNAP_NONE */
};

struct snap_req_slot {
    uint32_t bit;          /* SNAP_NONE: a measure */
    uint32_t test, arg;    /* arg: mask, field, measure, or a list of strings in words */
    uint32_t at_least;     /* how many values must pass */
    uint32_t lo[2], hi[2]; /* doubles */
    uint32_t rules;        /* list of the rules that hang on it */
    uint32_t outer;        /* 1: it stands where a subject of the same bits ends, and is of the one
                              around it */
};

/* What shapes say of a value; by way. */
struct snap_req_member {
    uint32_t object; /* whose member it is */
    uint32_t name;
    uint32_t type;
    uint32_t said;
};

enum req_type_flag {
    TYPEF_WHOLE = 1, /* a number without a fraction */
    TYPEF_ABOVE = 2, /* the bound itself is left out */
    TYPEF_BELOW = 4,
    TYPEF_OPEN = 8, /* other words may come */
    TYPEF_BASE64 = 16,
};

/* Doubles; infinite where there is no bound. */
struct snap_req_range {
    uint32_t lo[2], hi[2];
};

/* Tests of a value, by its kind. Lists are SNAP_NONE where there is none. */
struct snap_req_type {
    uint32_t kinds, flags;
    uint32_t words, prefixes, chars;
    struct snap_req_range range, length, items, members;
    uint32_t key;    /* type of a member's name, or SNAP_NONE */
    uint32_t named;  /* a string that is taken down under this number; 0: none */
    uint32_t unique; /* an array in which no two strings of this number are equal; 0: none */
};

struct snap_req_object {
    uint32_t name;
    uint32_t said;
    uint32_t names;  /* list of strings: all members; those that are counted first, by their bits */
    uint32_t groups; /* list: enum req_group, number of bits, bits; and so on; or SNAP_NONE */
};

enum req_group { GROUP_SOME, GROUP_ONE, GROUP_EXACTLY, GROUP_COUNT };

/* Who says so, and how loudly. */
struct snap_req_said {
    uint32_t severity;
    uint32_t source, confidence; /* strings */
    uint32_t checked;            /* yyyymmdd, 0: nobody said */
};

/* Findings tell members, objects and lists by numbers below these. */
#define SHAPE_NUMBERS (1u << 26)
#define SHAPE_LISTS (1u << 30)

/* What a shape finds. */
enum req_wrong {
    WRONG_NOTHING,
    WRONG_UNKNOWN,
    WRONG_REQUIRED,
    WRONG_KIND,
    WRONG_ENUM,
    WRONG_RANGE,
    WRONG_SIZE,
    WRONG_CHARS,
    WRONG_UNIQUE,
    WRONG_ONE,
    WRONG_COUNT
};
#define WRONG_WORDS "unknown required kind enum range size chars unique one"

struct snap_req_rule {
    uint32_t name, file, line;
    uint32_t code, severity, confidence; /* texts but for the severity */
    uint32_t field;                      /* of the file's fields, or SNAP_NONE */
    uint32_t message, advice, source;
    uint32_t effect, flags, subject;
    uint32_t all, none, any; /* lists of bits; SNAP_NONE: no such list */
    uint32_t beside;         /* in SEC_REQ_BESIDES, or SNAP_NONE: few have any of it */
    uint32_t pivots;         /* list of the bits that it hangs on: one of `all`, or each of `any` */
    uint32_t point;          /* the bit whose place is shown; SNAP_NONE: the subject itself */
    uint32_t fix, fix_text;  /* the new name, the JSON value; FIX_ADD, FIX_MAP: list of pairs of
                                strings; FIX_NONE: the member that is missing, or "" */
    uint32_t fix_from;       /* a field of the profile, FIX_RANGE, or SNAP_NONE */
    uint32_t check, event;
    uint32_t providers;            /* list of provider numbers, or SNAP_NONE: every one */
    uint32_t patterns, n_patterns; /* none: every model */
    uint32_t n_excepts;            /* behind these: models that are left out after all */
    uint32_t bounds;               /* as of a rule: struct snap_rule */
    uint32_t facts;                /* list: field, enum req_fact, text; three a condition */
    uint32_t adjusts; /* REQ_ADJUST: list of bits of enum req_wrong, and of strings, shapes and
                         members; else SNAP_NONE */
};

/* snap_req_rule.fix_from: where a fix takes its number or list from, if not from a field. */
#define FIX_RANGE 0x40000000u /* | a list of four: the two doubles of a range */
#define FIX_TYPE 0x80000000u  /* | a type that has the range; of shapes, in no file */
#define FIX_PLACE (FIX_RANGE - 1)

/* What a rule wants besides of what is around its item: lists of bits, SNAP_NONE: no such list. */
struct snap_req_beside {
    uint32_t prev, prev_none, next, next_none; /* of the neighbours */
    uint32_t outer_all, outer_none, outer;     /* of the item around its own; word of its bits */
    uint32_t root_all, root_none, root_any;    /* of the request */
};

/* What a rule wants of the profile. */
enum req_fact {
    FACT_IS,    /* its value, as a text: "unsupported", "max-completion-tokens", "true" */
    FACT_HAS,   /* a list that has this word  */
    FACT_LACKS, /* a known list that has not  */
    FACT_KNOWN,
    FACT_UNKNOWN, /* nobody says   */
    FACT_COUNT
};

struct snap_req_pattern {
    uint32_t kind, text, program; /* enum snap_pattern_kind */
};

SNAP_GET(req_text, SEC_REQ_TEXTS)
SNAP_GET(req_api, SEC_REQ_APIS)
SNAP_GET(req_node, SEC_REQ_NODES)
SNAP_GET(req_way, SEC_REQ_WAYS)
SNAP_GET(req_watch, SEC_REQ_WATCHES)
SNAP_GET(req_member, SEC_REQ_MEMBERS)
SNAP_GET(req_type, SEC_REQ_TYPES)
SNAP_GET(req_object, SEC_REQ_OBJECTS)
SNAP_GET(req_said, SEC_REQ_SAID)
SNAP_GET(req_choice, SEC_REQ_CHOICES)
SNAP_GET(req_slot, SEC_REQ_SLOTS)
SNAP_GET(req_rule, SEC_REQ_RULES)
SNAP_GET(req_beside, SEC_REQ_BESIDES)
SNAP_PEEK(req_beside, SEC_REQ_BESIDES)
SNAP_GET(req_pattern, SEC_REQ_PATTERNS)

/* The bytes of all sources together. */
static inline size_t snap_req_texts_size(const struct snapshot *s)
{
    size_t size = 0;
    for (size_t i = 0; i < s->sec[SEC_REQ_TEXTS].n; i++)
        size += snap_req_text(s, i).size;
    return size;
}
SNAP_PEEK(req_watch, SEC_REQ_WATCHES)
SNAP_PEEK(req_member, SEC_REQ_MEMBERS)
SNAP_PEEK(req_type, SEC_REQ_TYPES)
SNAP_PEEK(req_choice, SEC_REQ_CHOICES)
SNAP_PEEK(req_slot, SEC_REQ_SLOTS)
SNAP_PEEK(req_rule, SEC_REQ_RULES)

static inline uint64_t snap_u64(const uint32_t w[2])
{
    return (uint64_t)w[1] << 32 | w[0];
}

static inline double snap_double(const uint32_t w[2])
{
    uint64_t u = snap_u64(w);
    double d;
    memcpy(&d, &u, 8);
    return d;
}

/* Item i of the list at `at`; lists begin with their count. */
static inline uint32_t snap_req_count(const struct snapshot *s, uint32_t at)
{
    return at == SNAP_NONE ? 0 : snap_u32(s, SEC_REQ_WORDS, at);
}

static inline uint32_t snap_req_item(const struct snapshot *s, uint32_t at, uint32_t i)
{
    return snap_u32(s, SEC_REQ_WORDS, at + 1 + i);
}

/* Bits of one API. A word's number fits a byte, with one to spare. */
#define REQ_MAX_BITS 4096u
#define REQ_MAX_WORDS (REQ_MAX_BITS / 64)

/* A way of a table. */
static inline uint32_t snap_req_place(const unsigned char *tables, size_t i)
{
    uint16_t way;
    memcpy(&way, tables + 2 * i, sizeof way);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    way = __builtin_bswap16(way);
#endif
    return way;
}

/* How many places there are up to the end of a table; 0: it has none. */
uint32_t snap_req_table(const struct snapshot *s, uint32_t table, uint32_t places);

/* What the shapes say of the value that a way leads to, or SNAP_NONE. */
static inline uint32_t snap_req_way_member(const struct snapshot *s, uint32_t way)
{
    return snap_u32(s, SEC_REQ_WAY_MEMBERS, way);
}

/* Checks all of it; for snapshot_check. */
bool requests_check(const struct snapshot *s);

/* The API's number, or SNAP_NONE. */
uint32_t snapshot_req_api(const struct snapshot *s, struct str name);

/* A key: its length, its first eight bytes, and the next eight (of one longer than
 * 16 bytes the last eight), zeros where there are less; and a hash of these, whose
 * upper bits are the better ones. Two keys of one hash may differ; two longer than
 * 16 bytes may even agree in all of it and differ. */
struct req_key {
    uint64_t head, tail, n, hash;
};

static inline struct req_key req_key_of(uint64_t head, uint64_t tail, uint64_t n)
{
    uint64_t mixed = head ^ (tail << 23 | tail >> 41) ^ n << 56;
    return (struct req_key){head, tail, n, mixed * UINT64_C(0xA0761D6478BD642F)};
}

/* Where to look first in a table of so many places, 4096 at most. */
static inline uint32_t req_key_place(const struct req_key *k, uint32_t places)
{
    return (uint32_t)((k->hash >> 52) * places >> 12);
}

/* Up to eight bytes as a little-endian number. */
static inline uint64_t req_load(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    if (n == 8)
        memcpy(&v, p, 8);
    else
        for (size_t i = 0; i < n; i++)
            ((unsigned char *)&v)[i] = p[i];
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* Is one of eight bytes a backslash? */
static inline bool req_has_backslash(uint64_t v)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    v ^= ones * '\\';
    return ((v - ones) & ~v & ones << 7) != 0;
}

#define REQ_WORD 12u /* bytes of a word that TEST_WORD knows by its numbers alone */

static inline struct req_key req_key(const unsigned char *p, size_t n)
{
    if (n < 8)
        return req_key_of(req_load(p, n), 0, n);
    return req_key_of(req_load(p, 8), n > 16 ? req_load(p + n - 8, 8) : req_load(p + 8, n - 8), n);
}

#endif
