/*
 * check_native.c - the checks that rules name because no path can say them:
 * calls and their answers, the order of cache marks, a word in the prompt.
 *
 * They work on the events that other rules of the API logged (which id
 * stands where), so that none of them reads the request again, but for the one
 * that looks for a word. If there were more events than the log holds, they say
 * nothing, since half a log would make findings of its own, and the report has a
 * note that they did not.
 */
#include "preflight.h"

#include "catalog/profile.h"

static const struct scan_place nowhere = {UINT32_MAX, UINT32_MAX};

/* An id may be written with escapes on one side and without on the other: texts are compared, not
 * their spellings. */
static uint64_t hash_of(const struct scan *s, const struct scan_event *e)
{
    const unsigned char *p = s->x.p + e->place.at;
    size_t n = e->place.end - e->place.at;
    uint64_t hash = 0;
    for (size_t at = 0; at < n;)
        hash = (hash ^ scan_char(p, n, &at)) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

static bool same_text(const struct scan *s, const struct scan_event *a, const struct scan_event *b)
{
    const unsigned char *p = s->x.p + a->place.at, *q = s->x.p + b->place.at;
    size_t n = a->place.end - a->place.at, m = b->place.end - b->place.at, i = 0, k = 0;
    if (n == m && memcmp(p, q, n) == 0)
        return true;
    while (i < n && k < m)
        if (scan_char(p, n, &i) != scan_char(q, m, &k))
            return false;
    return i == n && k == m;
}

/* Is the string at `a` this text, which has no quotes? */
static bool same_bytes(const struct scan *s, struct scan_place a, struct str text)
{
    const unsigned char *p = s->x.p + a.at + 1, *q = (const unsigned char *)text.p;
    size_t n = a.end - a.at - 2, i = 0, k = 0;
    while (i < n && k < text.n)
        if (scan_char(p, n, &i) != scan_char(q, text.n, &k))
            return false;
    return i == n && k == text.n;
}

/* May `b` be the other half of `a`, by where they stand? */
static bool fits(uint32_t check, const struct scan_event *call, const struct scan_event *answer)
{
    switch (check) {
    case CHECK_PAIRS_FOLLOW:
    case CHECK_SERVER_ANSWERS:
        return answer->turn >= call->turn;
    case CHECK_PAIRS_NEXT:
        return answer->turn == call->turn + 1;
    default:
        return true;
    }
}

/* Which events a check pairs. Servers and their tools have their own, so that a name
 * is never taken for the id of a call. */
static enum req_event call_of(uint32_t check)
{
    return check == CHECK_PAIRS_SERVERS    ? EVENT_SERVER
           : check == CHECK_SERVER_ANSWERS ? EVENT_SERVER_CALL
                                           : EVENT_CALL;
}

static enum req_event answer_of(uint32_t check)
{
    return check == CHECK_PAIRS_SERVERS    ? EVENT_TOOLSET
           : check == CHECK_SERVER_ANSWERS ? EVENT_SERVER_ANSWER
                                           : EVENT_ANSWER;
}

#define PAIR_HEADS (2 * SCAN_EVENTS) /* a power of two */

static void check_pairs(struct scan *s, uint32_t number, const struct snap_req_rule *r)
{
    uint16_t head[PAIR_HEADS] = {0}, next[SCAN_EVENTS]; /* chains of event numbers + 1, by text */
    uint64_t hash[SCAN_EVENTS];
    uint32_t calls = call_of(r->check), answers = answer_of(r->check);
    for (uint32_t i = 0; i < s->n_events; i++) {
        hash[i] = hash_of(s, &s->event[i]);
        next[i] = head[hash[i] & (PAIR_HEADS - 1)];
        head[hash[i] & (PAIR_HEADS - 1)] = (uint16_t)(i + 1);
    }
    for (uint32_t i = 0; i < s->n_events; i++) {
        const struct scan_event *e = &s->event[i];
        bool call = e->event == calls, paired = false;
        if ((!call && e->event != answers) ||
            (call && r->check == CHECK_SERVER_ANSWERS)) /* a call may still be at work */
            continue;
        for (uint32_t k = head[hash[i] & (PAIR_HEADS - 1)]; k && !paired; k = next[k - 1]) {
            const struct scan_event *o = &s->event[k - 1];
            paired = hash[k - 1] == hash[i] && o->event == (call ? answers : calls) &&
                     fits(r->check, call ? e : o, call ? o : e) && same_text(s, e, o);
        }
        if (!paired)
            scan_add_found(s, number, e->place, nowhere);
    }
}

/* Events of one turn come together, since they come in the order of the text. */
static uint32_t count_turn(const struct scan *s, uint32_t turn, uint32_t event, uint32_t *last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_events; i++)
        if (s->event[i].turn == turn && s->event[i].event == event) {
            n++;
            *last = i;
        }
    return n;
}

static void check_counts(struct scan *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->n_events; i++) {
        const struct scan_event *e = &s->event[i];
        uint32_t last = i, other = i;
        if (e->event != EVENT_CALL && e->event != EVENT_ANSWER)
            continue;
        if (i && s->event[i - 1].turn == e->turn && s->event[i - 1].event == e->event)
            continue;
        uint32_t n = count_turn(s, e->turn, e->event, &last);
        bool call = e->event == EVENT_CALL;
        if (!call && e->turn == 0) {
            scan_add_found(s, number, e->place, nowhere);
            continue;
        }
        uint32_t m = count_turn(s, call ? e->turn + 1 : e->turn - 1,
                                call ? EVENT_ANSWER : EVENT_CALL, &other);
        if ((call && n != m) || (!call && m == 0)) /* a wrong number is said once, at the calls */
            scan_add_found(s, number, s->event[last].place, nowhere);
    }
}

static bool is_cache(uint32_t event)
{
    return event >= EVENT_CACHE_TOOLS && event <= EVENT_CACHE_MESSAGES;
}

static void check_cache_count(struct scan *s, uint32_t number)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_events; i++)
        if (is_cache(s->event[i].event) && ++n == 5)
            scan_add_found(s, number, s->event[i].place, nowhere);
}

/* Is one of those with a name not deferred? */
static void check_loaded(struct scan *s, uint32_t number)
{
    const struct scan_event *first = NULL;
    uint32_t deferred = 0, named = 0;
    for (uint32_t i = 0; i < s->n_events; i++) {
        const struct scan_event *e = &s->event[i];
        named += e->event == EVENT_NAME;
        if (e->event == EVENT_DEFERRED && deferred++ == 0)
            first = e;
    }
    if (first && deferred >= named)
        scan_add_found(s, number, first->place, nowhere);
}

/* Is there a string `word` among the n bytes of sound JSON? */
static bool has_string(const unsigned char *p, size_t n, struct str word)
{
    for (size_t at = 0; at < n;) {
        if (p[at++] != '"')
            continue;
        size_t same = 0;
        while (at < n && p[at] != '"') {
            uint32_t c = scan_char(p, n, &at);
            same = same < word.n && c == (unsigned char)word.p[same] ? same + 1 : SIZE_MAX - 1;
        }
        at++;
        if (same == word.n)
            return true;
    }
    return false;
}

/* A mark without a lifetime lives five minutes. */
static bool lives_long(const struct scan *s, const struct scan_event *e)
{
    return has_string(s->x.p + e->place.at, e->place.end - e->place.at, STR("1h"));
}

/* The provider reads tools, then system, then messages, whatever the order of
 * the text is; and within these in the order of the text. */
static void check_cache_order(struct scan *s, uint32_t number)
{
    bool seen_short = false;
    for (uint32_t part = EVENT_CACHE_TOOLS; part <= EVENT_CACHE_MESSAGES; part++)
        for (uint32_t i = 0; i < s->n_events; i++) {
            if (s->event[i].event != part)
                continue;
            if (!lives_long(s, &s->event[i]))
                seen_short = true;
            else if (seen_short) {
                scan_add_found(s, number, s->event[i].place, nowhere);
                return;
            }
        }
}

static void check_json_word(struct scan *s, uint32_t number, struct scan_place place)
{
    const unsigned char *p = s->x.p;
    uint32_t last = 0; /* four characters, in lower case */
    for (size_t at = 0, from = 0; at < s->x.n;) {
        uint32_t c = p[at];
        from = at;
        if (c == '\\')
            c = scan_char(p, s->x.n, &at);
        else
            at++;
        last = last << 8 | (c < 0x80 ? c | 0x20 : 0);
        if (last != ('j' << 24 | 's' << 16 | 'o' << 8 | 'n'))
            continue;
        if (from < place.at || from >= place.end) /* the format's own name does not count */
            return;
    }
    scan_add_found(s, number, place, nowhere);
}

static void check_not_less(struct scan *s, uint32_t number, const struct snap_req_rule *r,
                           struct scan_place place)
{
    if (snap_req_count(s->t.s, r->all) < 2)
        return;
    struct scan_place a = s->place[snap_req_item(s->t.s, r->all, 0)],
                      b = s->place[snap_req_item(s->t.s, r->all, 1)];
    if (scan_number(s->x.p + a.at, a.end - a.at) >= scan_number(s->x.p + b.at, b.end - b.at))
        scan_add_found(s, number, place, b);
}

/* No two events of a kind have the same text. */
static void check_unique(struct scan *s, uint32_t number, uint32_t event)
{
    for (uint32_t i = 1; i < s->n_events; i++)
        for (uint32_t k = 0; k < i && s->event[i].event == event; k++)
            if (s->event[k].event == event && same_text(s, &s->event[k], &s->event[i])) {
                scan_add_found(s, number, s->event[i].place, s->event[k].place);
                break;
            }
}

/* In the turn before an answer is a call, or another answer. The first of all has none before it:
 * whether it has a call is asked elsewhere. */
static void check_run(struct scan *s, uint32_t number)
{
    uint32_t turn = UINT32_MAX;
    for (uint32_t i = 0; i < s->n_events; i++) {
        const struct scan_event *e = &s->event[i];
        if (e->event != EVENT_CALL && e->event != EVENT_ANSWER)
            continue;
        if (e->event == EVENT_ANSWER && turn != UINT32_MAX && e->turn > turn + 1)
            scan_add_found(s, number, e->place, nowhere);
        turn = e->turn;
    }
}

/* What is chosen by its name is one of those that are named. */
static void check_chosen(struct scan *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->n_events; i++) {
        bool met = s->event[i].event != EVENT_CHOSEN;
        for (uint32_t k = 0; k < s->n_events && !met; k++)
            met = s->event[k].event == EVENT_NAME && same_text(s, &s->event[k], &s->event[i]);
        if (!met)
            scan_add_found(s, number, s->event[i].place, nowhere);
    }
}

#define COVERS_NAMES 512u       /* of one schema */
#define COVERS_BYTES (1u << 22) /* read again for all schemas of a request */

/* The strings of the array at `list`; COVERS_NAMES of them are too many. */
static uint32_t list_names(struct str text, struct scan_place list, struct scan_place *name)
{
    struct scan_place v;
    struct str key;
    uint32_t n = 0;
    for (size_t at = list.at + 1; n < COVERS_NAMES && locate_next(text, &at, &key, &v);)
        if (text.p[v.at] == '"')
            name[n++] = v;
    return n;
}

/* `properties` and `required` of a schema, held against each other: each key of the one stands in
 * the other (`known`: each name of the other is a key of the one). The finding points to
 * `required`, or to the schema that has none, and beside it to the first that is missing. A schema
 * is read again for this, and an outer one with all that is in it: there is an end to that. */
static void check_covers(struct scan *s, uint32_t number, struct scan_place subject, bool known)
{
    struct str text = str_make((const char *)s->x.p, s->x.n), key;
    struct scan_place properties, required, v, name[COVERS_NAMES];
    bool met[COVERS_NAMES] = {false};
    s->read_again += subject.end - subject.at;
    if (s->read_again > COVERS_BYTES ||
        !locate_member(text, subject.at, STR("properties"), &properties) ||
        text.p[properties.at] != '{')
        return;
    bool list =
        locate_member(text, subject.at, STR("required"), &required) && text.p[required.at] == '[';
    uint32_t n = list ? list_names(text, required, name) : 0;
    if (n == COVERS_NAMES)
        return;
    for (size_t at = properties.at + 1; locate_next(text, &at, &key, &v);) {
        uint32_t i = 0;
        while (i < n && !same_bytes(s, name[i], key))
            i++;
        if (i < n) {
            met[i] = true;
        } else if (!known) {
            scan_add_found(s, number, list ? required : subject, v);
            return;
        }
    }
    for (uint32_t i = 0; i < n && known; i++)
        if (!met[i]) {
            scan_add_found(s, number, required, name[i]);
            return;
        }
}

/* The member or item that one step of a JSON Pointer leads to. A step that has escapes of its own
 * is not followed: it is taken to lead somewhere. */
static bool step_into(struct str text, struct scan_place *here, struct str step)
{
    struct scan_place v;
    struct str key;
    if (text.p[here->at] == '{')
        return locate_member(text, here->at, step, here);
    if (text.p[here->at] != '[')
        return false;
    uint64_t index, i = 0;
    if (str_number(step, 9, &index) < step.n)
        return false;
    for (size_t at = here->at + 1; step.n && locate_next(text, &at, &key, &v); i++)
        if (i == index) {
            *here = v;
            return true;
        }
    return false;
}

/* Does a reference lead somewhere? Only pointers into the schema itself are followed. `here` is
 * the schema, and then where the reference leads; nowhere, if it was not followed. */
static bool ref_leads(struct scan *s, struct str text, struct scan_place *here, struct str ref)
{
    if (str_is(ref, "#"))
        return true;
    bool followed = ref.n >= 2 && ref.p[0] == '#' && ref.p[1] == '/' &&
                    !memchr(ref.p, '~', ref.n) && !memchr(ref.p, '%', ref.n) &&
                    !memchr(ref.p, '\\', ref.n);
    for (size_t at = 2; followed && at <= ref.n;) {
        size_t end = at;
        while (end < ref.n && ref.p[end] != '/')
            end++;
        s->read_again += here->end - here->at;
        followed = s->read_again <= COVERS_BYTES;
        if (followed && !step_into(text, here, str_make(ref.p + at, end - at)))
            return false;
        at = end + 1;
    }
    if (!followed)
        *here = nowhere;
    return true;
}

#define REF_BYTES 256u

/* A reference without JSON's escapes, in `own` if it has any; one that is too long stays as it is,
 * and is not followed. */
static struct str plain_ref(struct str ref, char own[REF_BYTES])
{
    size_t n = 0;
    if (!memchr(ref.p, '\\', ref.n))
        return ref;
    for (size_t at = 0; at < ref.n;) {
        if (n + 4 > REF_BYTES)
            return ref;
        n += utf8_put(scan_char((const unsigned char *)ref.p, ref.n, &at), own + n);
    }
    return str_make(own, n);
}

/* A request has many tools, and few of them a dollar sign: the next one is looked for further on,
 * and what lies before it is known to have none. */
#define DOLLAR_AHEAD 65536u

static bool has_dollar(struct scan *s, struct scan_place root)
{
    struct scan_place *none = &s->no_dollar;
    if (root.at < none->at || root.end > none->end) {
        size_t left = s->x.n - root.at, n = left < DOLLAR_AHEAD ? left : DOLLAR_AHEAD;
        const unsigned char *p = s->x.p + root.at, *found = memchr(p, '$', n);
        *none = (struct scan_place){root.at, root.at + (uint32_t)(found ? (size_t)(found - p) : n)};
    }
    return root.end > none->end;
}

/* Is there a "$ref" at all? Where no letter is spelt by its number it is written as it is. */
static bool may_have_ref(struct scan *s, struct scan_place root)
{
    const unsigned char *p = s->x.p + root.at, *end = s->x.p + root.end;
    if (s->x.spelt)
        return true;
    if (!s->dollars || !has_dollar(s, root))
        return false;
    while ((p = memchr(p, '$', (size_t)(end - p))) != NULL) {
        if (end - p >= 5 && memcmp(p, "$ref\"", 5) == 0)
            return true;
        p++;
    }
    return false;
}

/* Each `$ref` of the schema at `root`, at whatever depth, leads somewhere; or (`acyclic`) to
 * something that it is no part of. */
static void check_refs(struct scan *s, uint32_t number, struct scan_place root, bool acyclic)
{
    struct str text = str_make((const char *)s->x.p, s->x.n);
    s->read_again += root.end - root.at;
    if (!may_have_ref(s, root))
        return;
    for (size_t at = root.at; at < root.end && s->read_again <= COVERS_BYTES;) {
        if (text.p[at] != '"') {
            at++;
            continue;
        }
        struct scan_place key = {(uint32_t)at, (uint32_t)locate_end(text, at)};
        at = locate_space(text, key.end);
        if (at >= root.end || text.p[at] != ':' ||
            !same_bytes(s, key, STR("$ref")))
            continue;
        at = locate_space(text, at + 1);
        if (at >= root.end || text.p[at] != '"')
            continue;
        struct scan_place v = {(uint32_t)at, (uint32_t)locate_end(text, at)};
        at = v.end;
        struct scan_place to = root;
        char own[REF_BYTES];
        struct str ref = plain_ref(str_make(text.p + v.at + 1, v.end - v.at - 2), own);
        bool leads = ref_leads(s, text, &to, ref);
        bool within = leads && to.at <= v.at && v.at < to.end;
        if (acyclic ? within : !leads)
            scan_add_found(s, number, v, nowhere);
    }
}

#define FITS_LEVELS 10u /* what OpenAI's guide to structured outputs allows a schema */
#define FITS_PROPERTIES 5000u
#define FITS_ENUMS 1000u
#define FITS_NAMES 120000u

#define GRAMMAR_OPTIONAL 24u /* what Anthropic makes a grammar of: keys that may be left out, */
#define GRAMMAR_UNIONS 16u   /* and those that are of one type or another                     */

/* What the values of a key of a schema are, and the size of all that was met of it. */
enum sized {
    SIZED_OTHER,
    SIZED_SCHEMA,
    SIZED_PROPERTIES,
    SIZED_DEFS,
    SIZED_ENUM,
    SIZED_CONST,
    SIZED_REQUIRED,
    SIZED_TYPE,
    SIZED_UNION /* schemas, one of which holds */
};

struct measure {
    uint8_t part[LIMIT_JSON_DEPTH + 1], level[LIMIT_JSON_DEPTH + 1];
    uint32_t depth, levels, properties, enums, enum_size, names, required, unions;
};

static enum sized sized_of(const struct scan *s, struct scan_place key)
{
    static const struct {
        const char *key;
        enum sized part;
    } parts[] = {
        {"properties", SIZED_PROPERTIES}, {"$defs", SIZED_DEFS},   {"definitions", SIZED_DEFS},
        {"items", SIZED_SCHEMA},          {"anyOf", SIZED_UNION},  {"oneOf", SIZED_UNION},
        {"allOf", SIZED_SCHEMA},          {"enum", SIZED_ENUM},    {"const", SIZED_CONST},
        {"required", SIZED_REQUIRED},     {"type", SIZED_TYPE},
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (same_bytes(s, key, str_of(parts[i].key)))
            return parts[i].part;
    return SIZED_OTHER;
}

/* The name of a member; what its value will be. */
static enum sized measure_key(const struct scan *s, struct measure *m, struct scan_place key)
{
    enum sized around = m->part[m->depth];
    if (around == SIZED_SCHEMA)
        return sized_of(s, key);
    if (around != SIZED_PROPERTIES && around != SIZED_DEFS)
        return SIZED_OTHER;
    m->names += key.end - key.at - 2;
    m->properties += around == SIZED_PROPERTIES;
    return SIZED_SCHEMA;
}

static void measure_open(struct measure *m, enum sized part)
{
    uint8_t level = part == SIZED_DEFS ? 0 : m->level[m->depth];
    if (m->depth < LIMIT_JSON_DEPTH)
        m->depth++;
    if (part == SIZED_PROPERTIES && level < UINT8_MAX)
        level++;
    if (level > m->levels)
        m->levels = level;
    m->enum_size = 0;
    m->part[m->depth] = (uint8_t)part;
    m->level[m->depth] = level;
}

/* A schema within `anyOf` and the like is one of a list: a list is what its items are. A level is
 * an object with properties within one; what a definition adds where it is used is not counted, so
 * that a schema that is refused may pass, but none that is taken fails. */
static void check_fits(struct scan *s, uint32_t number, struct scan_place root, bool grammar)
{
    struct str text = str_make((const char *)s->x.p, s->x.n);
    struct measure m = {.part = {SIZED_SCHEMA}};
    enum sized next = SIZED_SCHEMA;
    s->read_again += root.end - root.at;
    if (s->read_again > COVERS_BYTES)
        return;
    for (size_t at = root.at; at < root.end;) {
        char c = text.p[at];
        if (c == '{' || c == '[') {
            m.unions += c == '[' && (next == SIZED_TYPE || next == SIZED_UNION) && m.depth > 1 &&
                        m.part[m.depth - 1] == SIZED_PROPERTIES;
            measure_open(&m, next == SIZED_UNION ? SIZED_SCHEMA : next);
            at++;
        } else if (c == '}' || c == ']') {
            if (m.part[m.depth] == SIZED_ENUM && m.enum_size <= FITS_ENUMS)
                m.enums += m.enum_size; /* a larger one is said by itself */
            m.depth -= m.depth > 0;
            at++;
        } else if (c == ',' || c == ':' || locate_space(text, at) != at) {
            at++;
            continue;
        } else {
            struct scan_place v = {(uint32_t)at, (uint32_t)locate_end(text, at)};
            size_t behind = locate_space(text, v.end);
            at = v.end;
            if (c == '"' && behind < root.end && text.p[behind] == ':') {
                next = measure_key(s, &m, v);
                continue;
            }
            m.enum_size += m.part[m.depth] == SIZED_ENUM;
            m.required += m.part[m.depth] == SIZED_REQUIRED;
            if (c == '"' && (m.part[m.depth] == SIZED_ENUM || next == SIZED_CONST))
                m.names += v.end - v.at - 2;
        }
        next = m.part[m.depth] == SIZED_SCHEMA ? SIZED_SCHEMA : SIZED_OTHER;
    }
    if (grammar ? m.properties > m.required + GRAMMAR_OPTIONAL || m.unions > GRAMMAR_UNIONS
                : m.levels > FITS_LEVELS || m.properties > FITS_PROPERTIES ||
                      m.enums > FITS_ENUMS || m.names > FITS_NAMES)
        scan_add_found(s, number, root, nowhere);
}

#define SHORT_CHARACTERS 5000u

/* White space between its parts is not counted, and an escape is one character: who counts
 * otherwise counts more. */
static void check_short(struct scan *s, uint32_t number, struct scan_place root)
{
    struct str text = str_make((const char *)s->x.p, root.end);
    size_t n = 0;
    s->read_again += root.end - root.at;
    if (s->read_again > COVERS_BYTES)
        return;
    for (size_t at = root.at; at < root.end; at = locate_space(text, at)) {
        size_t end = text.p[at] == '"' ? locate_end(text, at) : at + 1;
        while (at < end) {
            scan_char(s->x.p, end, &at);
            n++;
        }
    }
    if (n > SHORT_CHARACTERS)
        scan_add_found(s, number, root, nowhere);
}

/* -- against the profile ------------------------------------------------------------------- */

/* Names of upstreams are written with capital letters here and without there. */
static bool same_name(const struct scan *s, struct scan_place a, struct str name)
{
    const unsigned char *p = s->x.p + a.at + 1;
    size_t n = a.end - a.at - 2, i = 0, k = 0;
    while (i < n && k < name.n) {
        uint32_t c = scan_char(p, n, &i), d = scan_char((const unsigned char *)name.p, name.n, &k);
        if (c != d && ((c ^ d) != 0x20 || (c | 0x20) < 'a' || (c | 0x20) > 'z'))
            return false;
    }
    return i == n && k == name.n;
}

/* What the profile says of the rule's field. */
static cando_value fact_of(const struct scan *s, const struct snap_req_rule *r)
{
    unsigned f = snap_our_field(s->t.s, r->field);
    if (!s->t.profile || f >= FIELD_COUNT)
        return (cando_value){0};
    return profile_fact(s->t.profile, f).value;
}

static void check_listed(struct scan *s, uint32_t number, const struct snap_req_rule *r,
                         struct scan_place place)
{
    struct str text = str_make((const char *)s->x.p, s->x.n), key;
    cando_value list = fact_of(s, r);
    struct scan_place v;
    if (!list.known || text.p[place.at] != '[')
        return;
    for (size_t at = place.at + 1; locate_next(text, &at, &key, &v);) {
        bool listed = false;
        for (uint32_t i = 0; i < list.count && text.p[v.at] == '"'; i++)
            listed |= same_name(s, v, value_item(s->t.s, list, i));
        if (text.p[v.at] == '"' && listed == (r->check == CHECK_NOT_LISTED))
            scan_add_found(s, number, r->fix == FIX_SET ? place : v, nowhere);
    }
}

/* Escapes of the request are decoded, so that "\/" is a slash. */
static void check_says(struct scan *s, uint32_t number, const struct snap_req_rule *r,
                       struct scan_place place)
{
    cando_value v = fact_of(s, r);
    struct str want = str_of(v.text);
    const unsigned char *p = s->x.p;
    for (size_t at = 0; want.n && at < s->x.n;) {
        size_t i = at, same = 0;
        while (i < s->x.n && same < want.n &&
               scan_char(p, s->x.n, &i) == (unsigned char)want.p[same])
            same++;
        if (same == want.n)
            return;
        scan_char(p, s->x.n, &at);
    }
    if (want.n)
        scan_add_found(s, number, place, nowhere);
}

void scan_check(struct scan *s, uint32_t number, const struct snap_req_rule *r,
                struct scan_place place, struct scan_place subject)
{
    bool logged = (r->check < CHECK_LISTED && r->check != CHECK_JSON_WORD &&
                   r->check != CHECK_NOT_LESS && r->check != CHECK_REFS &&
                   r->check != CHECK_FITS && !req_reads_schema(r->check)) ||
                  r->check == CHECK_LOADED;
    if (s->events_lost && logged)
        return;
    switch (r->check) {
    case CHECK_LISTED:
    case CHECK_NOT_LISTED:
        check_listed(s, number, r, place);
        break;
    case CHECK_SAYS:
        check_says(s, number, r, place);
        break;
    case CHECK_PAIRS_FOLLOW:
    case CHECK_PAIRS_NEXT:
    case CHECK_PAIRS_ANY:
    case CHECK_PAIRS_SERVERS:
    case CHECK_SERVER_ANSWERS:
        check_pairs(s, number, r);
        break;
    case CHECK_COUNTS_NEXT:
        check_counts(s, number);
        break;
    case CHECK_CACHE_COUNT:
        check_cache_count(s, number);
        break;
    case CHECK_CACHE_ORDER:
        check_cache_order(s, number);
        break;
    case CHECK_JSON_WORD:
        check_json_word(s, number, place);
        break;
    case CHECK_NOT_LESS:
        check_not_less(s, number, r, place);
        break;
    case CHECK_UNIQUE:
        check_unique(s, number, EVENT_NAME);
        break;
    case CHECK_ANSWERED_ONCE:
        check_unique(s, number, EVENT_ANSWER);
        break;
    case CHECK_CALLED_ONCE:
        check_unique(s, number, EVENT_CALL);
        break;
    case CHECK_CHOSEN:
        check_chosen(s, number);
        break;
    case CHECK_ANSWERS_RUN:
        check_run(s, number);
        break;
    case CHECK_COVERS:
    case CHECK_KNOWN:
        check_covers(s, number, subject, r->check == CHECK_KNOWN);
        break;
    case CHECK_REFS:
    case CHECK_ACYCLIC:
        check_refs(s, number, place, r->check == CHECK_ACYCLIC);
        break;
    case CHECK_FITS:
    case CHECK_GRAMMAR:
        check_fits(s, number, place, r->check == CHECK_GRAMMAR);
        break;
    case CHECK_SHORT:
        check_short(s, number, place);
        break;
    case CHECK_LOADED:
        check_loaded(s, number);
        break;
    default:
        break;
    }
}
