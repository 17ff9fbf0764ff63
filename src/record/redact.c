/*
 * redact.c - the engine over catalog/secrets.toml.
 *
 * A text is gone over once. At each place it is asked, in this order:
 *
 *     a private key block            its BEGIN and END lines tell it
 *     a shape of the data            a prefix and a run of characters, at a word boundary
 *     a JSON Web Token               three runs with dots between
 *     a password or key in a URL     scheme://user:password@host
 *     a name that tells of it        DB_PASSWORD=..., "api_key": "...", <password>...</
 *     a word that comes before it    Bearer ..., Basic ...
 *
 * Boundaries are those of regular expressions (\b): between a letter, digit or underscore
 * and anything else. So "task-abc" is no "sk-abc". What an address has escaped counts as what it
 * stands for: "%3Dsk%2Dabc" is "=sk-abc". Under a key that tells of a secret all of
 * the value goes, unless it merely refers to one: ${NAME}, <your key>, os.environ[...].
 */
#include "redact.h"

#include "base/invariant.h"
#include "base/limits.h"
#include "catalog/api.h"
#include "catalog/engine.h"
#include "text/reading.h"

#include <math.h>

/* -- characters -------------------------------------------------------------------------- */

/* What a character is, as bits; the kinds that a hole of a shape may name are sets of them. */
enum {
    C_DIGIT = 1,
    C_HEX = 2, /* a to f */
    C_UPPER = 4,
    C_LOWER = 8,
    C_UNDER = 16,
    C_MINUS = 32,
    C_TOKEN = 64,  /* . ~ + / = */
    C_PATH = 128,  /* : % @ , & ? # */
    C_MARK = 256,  /* ! @ # $ % ^ & * + = ~ ? */
    C_SPACE = 512, /* white space, and all below it */
    C_QUOTE = 1024,

    K_DIGIT = C_DIGIT,
    K_HEX = C_DIGIT | C_HEX,
    K_UPPER = C_DIGIT | C_UPPER,
    K_ALNUM = C_DIGIT | C_UPPER | C_LOWER,
    K_WORD = K_ALNUM | C_UNDER,
    K_DASH = K_WORD | C_MINUS,
    K_TOKEN = K_DASH | C_TOKEN,
    K_PATH = K_TOKEN | C_PATH,
    K_VISIBLE = 2048 /* all but white space and quotes */
};

static const uint16_t characters[256] = {
    [0 ... ' '] = C_SPACE,
    ['!'] = C_MARK | K_VISIBLE,
    ['"'] = C_QUOTE,
    ['#'] = C_PATH | C_MARK | K_VISIBLE,
    ['$'] = C_MARK | K_VISIBLE,
    ['%'] = C_PATH | C_MARK | K_VISIBLE,
    ['&'] = C_PATH | C_MARK | K_VISIBLE,
    ['\''] = C_QUOTE,
    ['('] = K_VISIBLE,
    [')'] = K_VISIBLE,
    ['*'] = C_MARK | K_VISIBLE,
    ['+'] = C_TOKEN | C_MARK | K_VISIBLE,
    [','] = C_PATH | K_VISIBLE,
    ['-'] = C_MINUS | K_VISIBLE,
    ['.'] = C_TOKEN | K_VISIBLE,
    ['/'] = C_TOKEN | K_VISIBLE,
    ['0' ... '9'] = C_DIGIT | K_VISIBLE,
    [':'] = C_PATH | K_VISIBLE,
    [';'] = K_VISIBLE,
    ['<'] = K_VISIBLE,
    ['='] = C_TOKEN | C_MARK | K_VISIBLE,
    ['>'] = K_VISIBLE,
    ['?'] = C_PATH | C_MARK | K_VISIBLE,
    ['@'] = C_PATH | C_MARK | K_VISIBLE,
    ['A' ... 'F'] = C_UPPER | C_HEX | K_VISIBLE,
    ['G' ... 'Z'] = C_UPPER | K_VISIBLE,
    ['['] = K_VISIBLE,
    ['\\'] = K_VISIBLE,
    [']'] = K_VISIBLE,
    ['^'] = C_MARK | K_VISIBLE,
    ['_'] = C_UNDER | K_VISIBLE,
    ['`'] = C_QUOTE,
    ['a' ... 'f'] = C_LOWER | C_HEX | K_VISIBLE,
    ['g' ... 'z'] = C_LOWER | K_VISIBLE,
    ['{'] = K_VISIBLE,
    ['|'] = K_VISIBLE,
    ['}'] = K_VISIBLE,
    ['~'] = C_TOKEN | C_MARK | K_VISIBLE,
    [0x7f] = C_SPACE,
    [0x80 ... 0xff] = K_VISIBLE,
};

static bool is_of(char c, unsigned kind)
{
    return characters[(unsigned char)c] & kind;
}

static bool is_word(char c)
{
    return is_of(c, K_WORD);
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static unsigned kind_of(struct str name)
{
    static const struct {
        const char *name;
        unsigned kind;
    } kinds[] = {
        {"digit", K_DIGIT}, {"hex", K_HEX},   {"upper", K_UPPER}, {"alnum", K_ALNUM},
        {"word", K_WORD},   {"dash", K_DASH}, {"token", K_TOKEN}, {"path", K_PATH},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_is(name, kinds[i].name))
            return kinds[i].kind;
    return K_VISIBLE;
}

/* What %XX at `at` stands for, of visible ASCII; NUL: nothing does. */
static char escaped_at(struct str s, size_t at)
{
    if (at + 2 >= s.n || s.p[at] != '%')
        return '\0';
    int high = char_hex(s.p[at + 1]), low = char_hex(s.p[at + 2]);
    return high < 2 || high > 7 || low < 0 ? '\0' : (char)(high << 4 | low);
}

/* Does a word go on at `at`? */
static bool in_word(struct str s, size_t at)
{
    if (at == 0 || !is_word(s.p[at - 1]))
        return false;
    char before = at > 2 ? escaped_at(s, at - 3) : '\0';
    return !before || is_word(before);
}

static bool begins_word(struct str s, size_t at)
{
    return is_word(s.p[at]) && !in_word(s, at);
}

static size_t run_of_most(struct str s, size_t at, unsigned kind, size_t most)
{
    size_t n = 0;
    while (n < most && at + n < s.n && is_of(s.p[at + n], kind))
        n++;
    return n;
}

static size_t run_of(struct str s, size_t at, unsigned kind)
{
    return run_of_most(s, at, kind, SIZE_MAX);
}

/* As many as there are, escaped ones too. */
static size_t run_with_escapes(struct str s, size_t at, unsigned kind)
{
    size_t n = run_of(s, at, kind);
    while (is_of(escaped_at(s, at + n), kind))
        n += 3 + run_of(s, at + n + 3, kind);
    return n;
}

static struct str slice(struct str s, size_t from, size_t to)
{
    return str_make(s.p + from, to - from);
}

static bool starts_fold(struct str s, struct str word)
{
    return s.n >= word.n && str_eq_fold(str_head(s, word.n), word);
}

/* -- what looks random ---------------------------------------------------------------------- */

/* Bits a character, by the frequencies in the run itself. */
static double entropy(struct str s)
{
    unsigned count[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < s.n; i++)
        count[(unsigned char)s.p[i]]++;
    for (unsigned i = 0; i < 256; i++)
        if (count[i])
            bits -= count[i] * log2((double)count[i] / (double)s.n);
    return bits / (double)s.n;
}

struct looks {
    unsigned digits, lower, upper, marks, other; /* marks: !@#$%^&*+=~? */
    bool turns;                                  /* a capital behind a small letter */
};

static struct looks look_at(struct str s)
{
    struct looks l = {0};
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool upper = is_of(c, C_UPPER);
        l.digits += is_of(c, C_DIGIT);
        l.lower += is_of(c, C_LOWER);
        l.upper += upper;
        l.marks += is_of(c, C_MARK);
        l.other += !is_of(c, K_ALNUM);
        l.turns |= upper && i > 0 && is_of(s.p[i - 1], C_LOWER);
    }
    return l;
}

#define SHAPES_MOST 512
#define RANDOM_LEAST 16 /* characters */
#define RANDOM_BITS 3.0 /* a character; English words have less in so short a run */

static bool looks_random(struct str s)
{
    if (s.n < RANDOM_LEAST)
        return false;
    struct looks l = look_at(s);
    return (l.digits || (l.lower && l.upper)) && entropy(s) >= RANDOM_BITS;
}

/* No word of a sentence: "hunter2", "P@ss", "aBcd"; not "required", "12-16", "8". */
static bool looks_made_up(struct str s)
{
    struct looks l = look_at(s);
    unsigned letters = l.lower + l.upper;
    if (s.n < 4)
        return false;
    if (letters)
        return l.digits || l.marks || l.turns;
    return l.digits == s.n;
}

/* -- shapes ------------------------------------------------------------------------------------ */

/* {kind least-most!}: reads it from its brace on, and steps over it. */
struct hole {
    unsigned kind;
    size_t least, most;
    bool random;
};

static size_t read_number(struct str *s)
{
    uint64_t n;
    *s = str_from(*s, str_number(*s, 18, &n));
    return (size_t)n;
}

static struct hole read_hole(struct str *pattern)
{
    struct hole h = {.most = SIZE_MAX};
    *pattern = str_from(*pattern, 1);
    struct str kind = str_head(*pattern, str_find_char(*pattern, ' '));
    h.kind = kind_of(kind);
    *pattern = str_from(*pattern, kind.n + 1);
    h.least = read_number(pattern);
    if (str_starts(*pattern, STR("-"))) {
        *pattern = str_from(*pattern, 1);
        h.most = read_number(pattern);
    }
    h.random = str_starts(*pattern, STR("!"));
    *pattern = str_from(*pattern, h.random ? 2 : 1);
    return h;
}

/* How long the hole is at `at`, 0 if it does not fit; at the end of a shape it ends at a word. */
static size_t fill_hole(const struct hole *h, struct str s, size_t at, bool last)
{
    size_t n = h->most == SIZE_MAX ? run_with_escapes(s, at, h->kind)
                                   : run_of_most(s, at, h->kind, h->most + 1);
    if (n > h->most)
        n = last ? 0 : h->most;
    if (last && h->kind != K_VISIBLE)
        while (n && !is_word(s.p[at + n - 1]))
            n--;
    if (n < h->least || n == 0)
        return 0;
    if (h->random && !looks_random(str_make(s.p + at, n)))
        return 0;
    if (last && is_word(s.p[at + n - 1]) && at + n < s.n && is_word(s.p[at + n]))
        return 0;
    return n;
}

static size_t shape_length(const struct secret_shape *shape, struct str s, size_t at, size_t *keep)
{
    struct str pattern = shape->pattern;
    size_t from = at;
    *keep = 0;
    while (pattern.n) {
        if (pattern.p[0] == '{') {
            struct hole h = read_hole(&pattern);
            size_t n = fill_hole(&h, s, at, pattern.n == 0);
            if (n == 0)
                return 0;
            at += n;
            continue;
        }
        if (pattern.p[0] == '|') {
            *keep = at - from;
        } else {
            if (at >= s.n)
                return 0;
            char have = shape->fold ? char_fold(s.p[at]) : s.p[at];
            bool same = have == (shape->fold ? char_fold(pattern.p[0]) : pattern.p[0]);
            if (!same && escaped_at(s, at) != pattern.p[0])
                return 0;
            at += same ? 1 : 3;
        }
        pattern = str_from(pattern, 1);
    }
    return at - from - *keep;
}

/* The shapes by their first character, as chains of their numbers from 1 on; those that begin
 * with a hole are in the chain of 0. Made for each text: there are few, and no globals. */
struct index {
    uint16_t first[256], next[2 * SHAPES_MOST], shape[2 * SHAPES_MOST], n;
};

static void index_put(struct index *x, char first, size_t shape)
{
    unsigned char c = (unsigned char)first;
    if (x->n + 1 >= 2 * SHAPES_MOST)
        return;
    x->n++;
    x->shape[x->n] = (uint16_t)shape;
    x->next[x->n] = x->first[c];
    x->first[c] = x->n;
}

static void index_shapes(struct index *x)
{
    memset(x->first, 0, sizeof x->first);
    x->n = 0;
    invariant(secrets.n_shapes < SHAPES_MOST);
    for (size_t i = secrets.n_shapes; i-- > 0;) { /* so that the first of a chain comes first */
        char first = secrets.shapes[i].pattern.p[0];
        bool upper = secrets.shapes[i].fold && char_is_alpha(first);
        index_put(x, first == '{' ? '\0' : first, i);
        if (upper)
            index_put(x, (char)(first ^ 0x20), i);
    }
}

#define PLAIN_WORD_MOST 32

/* Is it one of the words that have the shape of a secret and are none? */
static bool is_plain_word(struct str s)
{
    char plain[PLAIN_WORD_MOST];
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = escaped_at(s, i);
        if (n == sizeof plain)
            return false;
        plain[n++] = c ? c : s.p[i];
        i += c ? 2 : 0;
    }
    return words_have(secrets.plain, str_make(plain, n));
}

static size_t shape_of_chain(const struct index *x, char first, struct str s, size_t at,
                             size_t *keep)
{
    for (unsigned i = x->first[(unsigned char)first]; i; i = x->next[i]) {
        size_t n = shape_length(&secrets.shapes[x->shape[i]], s, at, keep);
        if (n && !is_plain_word(str_make(s.p + at, *keep + n)))
            return n;
    }
    return 0;
}

static size_t shape_at(const struct index *x, struct str s, size_t at, size_t *keep)
{
    if (is_word(s.p[at]) && in_word(s, at))
        return 0;
    size_t n = s.p[at] ? shape_of_chain(x, s.p[at], s, at, keep) : 0;
    return n || !is_word(s.p[at]) ? n : shape_of_chain(x, '\0', s, at, keep);
}

/* -- single forms ---------------------------------------------------------------------------- */

/* A block from -----BEGIN ... PRIVATE KEY to the end of its END line; without one, to
 * the end of the text. */
static size_t private_key(struct str s, size_t at)
{
    struct str rest = str_from(s, at);
    if (!str_starts(rest, STR("-----BEGIN ")))
        return 0;
    size_t head = str_find(str_from(rest, 11), STR("-----"));
    if (head == SIZE_MAX || head > 64)
        return 0;
    struct str title = str_make(rest.p + 11, head);
    if (str_find(title, STR("PRIVATE KEY")) == SIZE_MAX)
        return 0;
    size_t body = 11 + head + 5, end = str_find(str_from(rest, body), STR("-----END "));
    if (end == SIZE_MAX)
        return rest.n;
    size_t close = str_find(str_from(rest, body + end + 9), STR("-----"));
    return close == SIZE_MAX ? rest.n : body + end + 9 + close + 5;
}

/* Three parts of base64url with dots between, the first an object: "eyJ". */
static size_t web_token(struct str s, size_t at)
{
    if (!str_starts(str_from(s, at), STR("eyJ")))
        return 0;
    size_t n = run_of(s, at, K_DASH);
    unsigned parts = 1;
    while (parts < 5 && at + n < s.n && s.p[at + n] == '.') {
        size_t more = run_of(s, at + n + 1, K_DASH);
        if (more == 0 && parts < 2)
            return 0;
        n += 1 + more;
        parts++;
    }
    return parts >= 3 || (parts == 1 && n >= 40) || (parts == 2 && n >= 20) ? n : 0;
}

#define URL_USER_MOST 512

/* scheme://user:password@host, and scheme://key@host. A password may have a / in it, if what
 * stands before it is no port. */
static size_t url_password(struct str s, size_t at, size_t *keep)
{
    size_t from = at + 3, colon = 0, sign = 0, path = 0, port = 0;
    if (!str_starts(str_from(s, at), STR("://")))
        return 0;
    for (size_t i = from; i < s.n && i < from + URL_USER_MOST; i++) {
        char c = s.p[i];
        if (char_is_space(c) || is_one_of(c, "\"'`<>"))
            break;
        if (c == '@' && (!path || colon > 0))
            sign = i;
        if (sign && (c == '/' || c == '?' || c == '#'))
            break;
        if (c == '/' || c == '?' || c == '#') {
            if (!path && (!colon || port == i - colon - 1))
                return 0;
            path = i;
        }
        if (c == ':' && !colon)
            colon = i;
        else if (colon && !path)
            port += char_is_digit(c);
    }
    if (!sign)
        return 0;
    if (colon && colon < sign) {
        bool key = looks_random(slice(s, from, colon));
        *keep = key ? 3 : colon + 1 - at;
        return sign - at - *keep;
    }
    *keep = 3;
    return looks_random(slice(s, from, sign)) ? sign - from : 0;
}

/* -- names ------------------------------------------------------------------------------------ */

enum telling { TELLS_NOT, TELLS_RANDOM, TELLS_SURE };

#define PLAIN_MOST 128

/* How many bytes the letter at `at` has, if it is none of ASCII; 0: it is no letter. Told by the
 * first bytes of blocks: signs have C2, E2, E3 80, EF and F0. */
static size_t other_letter(struct str s, size_t at)
{
    unsigned char c = at < s.n ? (unsigned char)s.p[at] : 0;
    if (c < 0xc3 || c == 0xe2 || c > 0xed)
        return 0;
    size_t n = c < 0xe0 ? 2 : 3;
    if (n > s.n - at || (c == 0xe3 && s.p[at + 1] == '\x80'))
        return 0;
    return n;
}

static size_t name_run(struct str s, size_t at, size_t most)
{
    size_t n = 0, more;
    do {
        more = run_of_most(s, at + n, K_DASH, most - n);
        more += other_letter(s, at + n + more);
        n += more;
    } while (more && n < most);
    return n;
}

/* The letters and digits of a name, in lower case those of ASCII; of a long one its end. */
static struct str plain_name(struct str name, char plain[PLAIN_MOST])
{
    size_t n = 0;
    if (name.n > PLAIN_MOST)
        name = str_from(name, name.n - PLAIN_MOST);
    for (size_t i = 0; i < name.n; i++) {
        size_t letter = other_letter(name, i);
        if (letter) {
            memcpy(plain + n, name.p + i, letter);
            n += letter;
            i += letter - 1;
        } else if (is_of(name.p[i], K_ALNUM)) {
            plain[n++] = char_fold(name.p[i]);
        }
    }
    return str_make(plain, n);
}

static bool has_any_of(const char *words, struct str s)
{
    struct str one;
    while (words_next(&words, &one))
        if (str_find(s, one) != SIZE_MAX)
            return true;
    return false;
}

static bool ends_with_any_of(const char *words, struct str s)
{
    struct str one;
    while (words_next(&words, &one))
        if (str_ends(s, one))
            return true;
    return false;
}

static bool starts_with_any_of(const char *words, struct str s)
{
    struct str one;
    while (words_next(&words, &one))
        if (starts_fold(s, one))
            return true;
    return false;
}

/* Does the name tell of a secret? "max_tokens" and "token_count" do not. */
static enum telling name_tells(struct str name)
{
    char plain[PLAIN_MOST];
    struct str k = plain_name(name, plain);
    if (!k.n)
        return TELLS_NOT;
    if (words_have(secrets.sure_whole, k))
        return TELLS_SURE;
    enum telling tells = TELLS_NOT;
    if (has_any_of(secrets.sure, k) || has_any_of(secrets.foreign, k))
        tells = TELLS_SURE;
    else if (words_have(secrets.other_whole, k) || ends_with_any_of(secrets.other_ends, k))
        tells = TELLS_RANDOM;
    if (tells == TELLS_NOT || has_any_of(secrets.never, k))
        return TELLS_NOT;
    return ends_with_any_of(secrets.never_ends, k) ? TELLS_NOT : tells;
}

/* -- values ------------------------------------------------------------------------------------ */

/* One character and no other: "****", "xxxx". */
static bool is_filler(struct str v)
{
    for (size_t i = 1; i < v.n; i++)
        if (char_fold(v.p[i]) != char_fold(v.p[0]))
            return false;
    return v.n > 1 || !is_word(v.p[0]);
}

/* <..>, {..}, [..], %..%, $NAME, ${..}, $(..). */
static bool is_bracketed(struct str v)
{
    static const char open[] = "<{[%", close[] = ">}]%";
    char first = v.p[0], last = v.p[v.n - 1];
    const char *mate = strchr(open, first);
    if (mate && v.n > 1 && last == close[mate - open])
        return true;
    if (first != '$' || v.n < 2)
        return false;
    if (v.p[1] == '{' || v.p[1] == '(')
        return last == '}' || last == ')';
    struct str name = str_from(v, v.p[1] == '_' || char_is_alpha(v.p[1]) ? 1 : v.n);
    return name.n && run_of(name, 0, K_WORD) == name.n;
}

/* Something of the program's own: api_key, args.password, MY_API_KEY, getpass(), Optional[str]. */
static bool is_expression(struct str v, struct str name)
{
    struct looks l = look_at(v);
    char last = v.p[v.n - 1];
    if (l.digits || l.marks)
        return false;
    if (str_eq_fold(v, name))
        return true;
    if (is_one_of(last, ")]") || str_find_char(v, '(') < v.n || str_find_char(v, '[') < v.n)
        return true;
    return l.other && name_tells(v) == TELLS_SURE;
}

/* Does the value merely stand for a secret, or for none? */
static bool is_no_value(struct str v, struct str name)
{
    char fold[32];
    if (!v.n)
        return true;
    if (v.n < sizeof fold) {
        for (size_t i = 0; i < v.n; i++)
            fold[i] = char_fold(v.p[i]);
        if (words_have(secrets.no_values, str_make(fold, v.n)))
            return true;
    }
    if (str_find(v, STR("://")) != SIZE_MAX || starts_with_any_of(secrets.references, v))
        return true;
    return is_filler(v) || is_bracketed(v) || is_expression(v, name);
}

/* The word before a credential, and the space behind it; 0: it begins with none. */
static size_t scheme_length(struct str s)
{
    const char *words = secrets.schemes;
    struct str one;
    while (words_next(&words, &one)) {
        if (!starts_fold(s, one))
            continue;
        size_t n = one.n;
        while (n < s.n && is_one_of(s.p[n], " \t"))
            n++;
        if (n > one.n && n < s.n)
            return n;
    }
    return 0;
}

/* Does what stands under this name go, all of it but its first *keep bytes? */
static bool value_goes(struct str v, struct str name, size_t *keep)
{
    *keep = 0;
    enum telling tells = name_tells(name);
    if (tells == TELLS_RANDOM)
        return looks_random(v) && run_of(v, 0, K_TOKEN) == v.n;
    if (tells == TELLS_NOT)
        return false;
    *keep = scheme_length(v);
    return !is_no_value(str_from(v, *keep), name);
}

/* -- names inside of a text ---------------------------------------------------------------------
 */

#define NAME_MOST 64

/* How a name and its value are held together, and where the value stands. */
struct pair {
    struct str name, value;
    enum telling tells;
    char join;    /* = : > i (is), or a space behind --name */
    bool loose;   /* white space stands between */
    char quote;   /* 0: none */
    bool at_end;  /* nothing follows the value on its line */
    bool query;   /* it may be the name of an address's secret */
    bool inner;   /* the name is a step of a path: a:secret:b */
    bool foreign; /* the name begins with a letter that is none of ASCII */
};

static size_t skip_of(struct str s, size_t at, const char *set, size_t most)
{
    size_t n = 0;
    while (n < most && at + n < s.n && is_one_of(s.p[at + n], set))
        n++;
    return n;
}

/* How long the = or : at `at` is, as it stands or as an address, JSON or full-width type writes
 * it; 0: there is none. */
static size_t join_at(struct str s, size_t at, char *join)
{
    static const char *const as[] = {"=%3d", "=\\u003d", "=\xef\xbc\x9d",
                                     ":%3a", ":\\u003a", ":\xef\xbc\x9a"};
    if (at < s.n && is_one_of(s.p[at], "=:")) {
        *join = s.p[at];
        return 1;
    }
    for (size_t i = 0; i < COUNT_OF(as); i++)
        if (starts_fold(str_from(s, at), str_of(as[i] + 1))) {
            *join = as[i][0];
            return strlen(as[i]) - 1;
        }
    return 0;
}

/* What joins a name that ends at `at` with its value; where the value begins, 0: nothing does. */
static size_t read_join(struct str s, size_t from, size_t at, struct pair *p)
{
    if (at >= s.n)
        return 0;
    if (s.p[at] == '>' && from > 0 && s.p[from - 1] == '<') {
        p->join = '>';
        return at + 1;
    }
    if (starts_fold(str_from(s, at), STR(" is "))) {
        p->join = 'i';
        return at + 4;
    }
    if (s.p[at] == ' ' && from > 1 && s.p[from - 1] == '-' && s.p[from - 2] == '-') {
        p->join = ' ';
        return at + 1;
    }
    size_t sign = join_at(s, at, &p->join);
    if (!sign) {
        at += skip_of(s, at, " \t\"'`\\", 8);
        sign = join_at(s, at, &p->join);
    }
    if (!sign)
        return 0;
    at += sign;
    if (at < s.n && is_one_of(s.p[at], "=>"))
        p->join = s.p[at++] == '>' ? '=' : p->join;
    size_t space = starts_fold(str_from(s, at), STR("%20")) ? 3 : skip_of(s, at, " \t", 8);
    p->loose = space > 0 || s.p[at - 1] == '\x9a'; /* a full-width colon has its space in it */
    return at + space;
}

/* Ends a value that has no quotes: a ; , or & ends it only if another name or space follows,
 * since passwords have them, too. */
static bool ends_here(struct str s, size_t i)
{
    if (char_is_space(s.p[i]) || is_one_of(s.p[i], "\"'`<>"))
        return true;
    if (!is_one_of(s.p[i], ",;&"))
        return false;
    size_t next = i + 1 + run_of(s, i + 1, K_DASH);
    if (i + 1 == s.n || char_is_space(s.p[i + 1]))
        return true;
    return next < s.n && s.p[next] == '=';
}

static bool line_ends(struct str s, size_t at)
{
    at += skip_of(s, at, " \t,;.)]}\"'", SIZE_MAX);
    return at >= s.n || s.p[at] == '\n' || s.p[at] == '\r' || s.p[at] == '<';
}

/* So much of a value is looked at; what is longer goes with it. */
#define VALUE_MOST 256

/* Where a value without quotes ends at the latest, if its name is of another script: passwords are
 * mostly of Latin letters, and what is not goes on about them. */
static size_t script_ends(struct str s, const struct pair *p, size_t at, size_t end)
{
    if (!p->foreign)
        return end;
    while (at < end && (unsigned char)s.p[at] < 0xcd)
        at++;
    return at;
}

/* False: nothing under this name is looked for. */
static bool read_value(struct str s, size_t at, struct pair *p)
{
    char plain[PLAIN_MOST];
    size_t to = at;
    p->tells = name_tells(p->name);
    p->query = p->join == '=' && !p->loose && words_have(secrets.query, plain_name(p->name, plain));
    if (p->tells == TELLS_NOT && !p->query)
        return false;
    size_t slashes = skip_of(s, at, "\\", 8); /* JSON within JSON escapes its quotes again */
    bool escaped = slashes && at + slashes < s.n && is_one_of(s.p[at + slashes], "\"'");
    at += escaped ? slashes : 0;
    char close = p->join == '>' ? '<' : '\0';
    if (at < s.n && p->join != '>' && is_one_of(s.p[at], "\"'`"))
        close = p->quote = s.p[at++];
    to = at;
    size_t end = s.n - at > VALUE_MOST ? at + VALUE_MOST : s.n;
    if (close) {
        while (to < end && s.p[to] != close && s.p[to] != '\n')
            to++;
        while (escaped && to > at && s.p[to - 1] == '\\')
            to--;
    } else {
        end = script_ends(s, p, at, end);
        bool open = at < s.n && is_one_of(s.p[at], "$<{%"); /* ${{ a b }} is one value */
        while (to < end && s.p[to] != '\n' && (open || !ends_here(s, to))) {
            if (open && is_one_of(s.p[to], "}>)") && (to + 1 >= s.n || s.p[to + 1] != s.p[to]))
                open = false;
            to++;
        }
        while (to > at && is_one_of(s.p[to - 1], ",;.)]}"))
            to--;
        size_t balance = to; /* what was opened inside of it is closed inside of it */
        if (balance < s.n && is_one_of(s.p[balance], ")]}")) {
            static const char shut[] = ")]}", opens[] = "([{";
            char mate = opens[strchr(shut, s.p[balance]) - shut];
            while (str_find_char(slice(s, at, to), mate) < to - at && balance < s.n &&
                   is_one_of(s.p[balance], ")]}"))
                balance++;
            to = balance;
        }
    }
    p->value = slice(s, at, to);
    p->at_end = line_ends(s, to);
    return p->value.n > 0;
}

/* A name at `at` of up to three words ("Secret Access Key"), what joins it and its value. */
static bool read_pair(struct str s, size_t at, struct pair *p)
{
    size_t end = at;
    for (unsigned words = 0; words < 3; words++) {
        size_t n = name_run(s, end, NAME_MOST + 1);
        if (n == 0 || end + n - at > NAME_MOST)
            return false;
        end += n;
        *p = (struct pair){.name = slice(s, at, end), .foreign = other_letter(s, at) > 0};
        size_t value = read_join(s, at, end, p);
        if (value)
            return read_value(s, value, p);
        if (end >= s.n || s.p[end] != ' ')
            return false;
        end++;
    }
    return false;
}

/* A header's value with its scheme: what stays is the scheme. */
static size_t after_scheme(struct str s, const struct pair *p, size_t at, size_t *keep)
{
    size_t from = (size_t)(p->value.p - s.p);
    struct str rest = p->quote ? p->value : str_from(s, from);
    size_t scheme = scheme_length(rest);
    if (!scheme)
        return 0;
    struct str v = str_from(rest, scheme);
    v.n = run_of(v, 0, K_VISIBLE);
    while (v.n && is_one_of(v.p[v.n - 1], ",;"))
        v.n--;
    if (is_no_value(v, p->name))
        return 0;
    *keep = from + scheme - at;
    return v.n;
}

/* Is the value one that goes, where the name is sure? */
static bool sure_goes(const struct pair *p)
{
    if (is_no_value(p->value, p->name))
        return false;
    if (p->join == 'i')
        return looks_made_up(p->value) && p->value.n >= 6;
    if (p->join != ':' || p->quote)
        return true;
    if (!p->loose && p->inner)
        return false;
    /* after a colon prose may follow */
    return looks_made_up(p->value) || (p->loose && p->at_end);
}

/* All of a value of which only the begin was looked at. */
static size_t whole_value(struct str s, const struct pair *p)
{
    size_t from = (size_t)(p->value.p - s.p);
    if (p->value.n < VALUE_MOST)
        return p->value.n;
    return p->value.n + run_of(s, from + p->value.n, K_VISIBLE);
}

/* "DB_PASSWORD=...", "api_key": "...", <password>..., "the password is ...". */
static size_t assignment(struct str s, size_t at, size_t *keep)
{
    char plain[PLAIN_MOST];
    struct pair p;
    if (!read_pair(s, at, &p))
        return 0;
    p.inner = at > 0 && is_one_of(s.p[at - 1], ":/");
    *keep = (size_t)(p.value.p - s.p) - at;
    struct str name = plain_name(p.name, plain);
    if (p.join == ':' && words_have(secrets.lines, name)) {
        size_t n = p.quote ? p.value.n : str_find_char(str_from(s, at + *keep), '\n');
        return is_no_value(str_make(p.value.p, n), p.name) ? 0 : n;
    }
    if (p.tells == TELLS_SURE) {
        size_t n = after_scheme(s, &p, at, keep);
        if (n)
            return n;
        *keep = (size_t)(p.value.p - s.p) - at;
        return sure_goes(&p) ? whole_value(s, &p) : 0;
    }
    bool address = p.query && at > 0 && is_one_of(s.p[at - 1], "?&#;");
    struct looks l = look_at(p.value);
    if (address && p.value.n >= 8 && l.digits && l.lower + l.upper)
        return whole_value(s, &p);
    return looks_random(p.value) && !is_no_value(p.value, p.name) ? whole_value(s, &p) : 0;
}

/* What stands behind "Bearer " and the like. */
static size_t credentials(const struct index *x, struct str s, size_t at, size_t *keep)
{
    size_t scheme = scheme_length(str_from(s, at));
    if (!scheme)
        return 0;
    size_t n = run_of(s, at + scheme, K_TOKEN);
    struct str v = str_make(s.p + at + scheme, n);
    /* prose goes on in short plain words */
    bool random = look_at(v).digits > 0;
    bool header = char_fold(s.p[at]) == 'b' && n >= 20;
    if (is_no_value(v, STR("")) || !(random ? n >= 8 : header))
        return 0;
    if (char_fold(s.p[at]) != 'b' && !looks_random(v))
        return 0;
    if (shape_at(x, s, at + scheme, keep)) /* which is longer than that */
        return 0;
    *keep = scheme;
    return n;
}

/* Does a name of another script begin here? Some have no spaces before their words. */
static bool begins_foreign(struct str s, size_t at)
{
    if (!other_letter(s, at))
        return false;
    bool inside = at > 0 && ((s.p[at - 1] & 0x80) || in_word(s, at));
    return !inside || starts_with_any_of(secrets.foreign, str_from(s, at));
}

/* -- all of it -------------------------------------------------------------------------------- */

/* How long the secret at `at` is; 0: there is none. `*keep` bytes before it stay. */
static size_t secret_at(const struct index *x, struct str s, size_t at, size_t *keep)
{
    size_t n;
    *keep = 0;
    if (s.p[at] == '-' && (n = private_key(s, at)))
        return n;
    if (s.p[at] == ':')
        return url_password(s, at, keep);
    if ((n = shape_at(x, s, at, keep)))
        return n;
    *keep = 0;
    if (begins_foreign(s, at))
        return assignment(s, at, keep);
    if (!begins_word(s, at))
        return 0;
    if ((n = web_token(s, at)))
        return n;
    if ((n = assignment(s, at, keep)))
        return n;
    return credentials(x, s, at, keep);
}

/* The random runs of a text under a name that tells of a secret. */
static size_t random_at(struct str s, size_t at)
{
    if (at > 0 && is_of(s.p[at - 1], K_TOKEN))
        return 0;
    size_t n = run_of(s, at, K_TOKEN);
    return looks_random(str_make(s.p + at, n)) ? n : 0;
}

size_t redact_text(struct buf *out, struct str text, struct str key)
{
    size_t found = 0, from = 0, keep;
    enum telling tells = name_tells(key);
    if (tells != TELLS_NOT && text.n && value_goes(text, key, &keep)) {
        buf_put(out, text.p, keep);
        buf_putz(out, REDACTED);
        return 1;
    }
    struct index x;
    index_shapes(&x);
    for (size_t at = 0; at < text.n;) {
        size_t n = secret_at(&x, text, at, &keep);
        if (n == 0 && tells == TELLS_RANDOM)
            n = random_at(text, at);
        if (n == 0) {
            at++;
            continue;
        }
        buf_put(out, text.p + from, at + keep - from);
        buf_putz(out, REDACTED);
        at += keep + n;
        from = at;
        found++;
    }
    if (from < text.n)
        buf_put(out, text.p + from, text.n - from);
    return found;
}

bool redact_tells(struct str key)
{
    return name_tells(key) == TELLS_SURE;
}

static void put_string(struct buf *out, struct str s)
{
    struct json_writer one;
    jw_init(&one, out, false);
    jw_str(&one, s);
}

static size_t put_redacted(struct buf *out, struct str text, struct str key, struct buf *scratch)
{
    buf_clear(scratch);
    size_t found = redact_text(scratch, text, key);
    out->failed |= scratch->failed;
    put_string(out, STR_IN(*scratch));
    return found;
}

/* {"name":"DB_PASSWORD","value":..}: the name of the value stands beside it. */
static struct str named_beside(const struct json *v, struct str key)
{
    static const char *const names[] = {"name", "key", "header", "field"};
    if (!str_is(key, "value"))
        return key;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct json *name = json_get(v, names[i]);
        if (name && name->kind == JSON_STRING && redact_tells(name->text))
            return name->text;
    }
    return key;
}

/* Text, not a writer's calls: a value may be nested deeper than a writer goes. */
static size_t redact_json(struct buf *out, const struct json *v, struct str key,
                          struct buf *scratch)
{
    size_t found = 0, keys = 0;
    bool object = v->kind == JSON_OBJECT;
    if (v->kind == JSON_STRING)
        return put_redacted(out, v->text, key, scratch);
    if (v->kind == JSON_NUMBER && redact_tells(key)) {
        put_string(out, STR(REDACTED));
        return 1;
    }
    if (!object && v->kind != JSON_ARRAY) {
        struct json_writer one;
        jw_init(&one, out, false);
        jw_value(&one, v);
        return 0;
    }
    buf_putc(out, object ? '{' : '[');
    for (size_t i = 0; i < v->n; i++) {
        if (i)
            buf_putc(out, ',');
        if (object) {
            buf_clear(scratch);
            size_t n = redact_text(scratch, v->key[i].text, STR(""));
            if (n && ++keys > 1) /* two of them stay two */
                buf_printf(scratch, " %zu", keys);
            out->failed |= scratch->failed;
            put_string(out, STR_IN(*scratch));
            buf_putc(out, ':');
            found += n;
        }
        struct str name = object ? named_beside(v, v->key[i].text) : key;
        found += redact_json(out, &v->item[i], name, scratch);
    }
    buf_putc(out, object ? '}' : ']');
    return found;
}

size_t redact_value(struct json_writer *w, const struct json *v, struct str key,
                    const cando_allocator *a)
{
    struct buf text, scratch;
    buf_init(&text, a, LIMIT_JSON_BYTES);
    buf_init(&scratch, a, LIMIT_JSON_BYTES);
    size_t found = redact_json(&text, v, key, &scratch);
    if (text.failed)
        w->out->failed = true;
    else
        jw_raw(w, STR_IN(text));
    buf_free(&text);
    buf_free(&scratch);
    return found;
}

/* -- the question ------------------------------------------------------------------------------ */

const cando_redact_answer *cando_ask_redact(const cando *c, const cando_redact_question *q,
                                            cando_room *room, cando_error *err)
{
    (void)c;
    struct reading r = {.ar = &room->ar};
    struct buf out;
    struct json_writer w;
    const struct json *v = reading_json(&r, q->value, STR("/value"));
    if (!v) {
        reading_end(&r, err);
        return NULL;
    }
    cando_redact_answer *a = arena_alloc(&room->ar, sizeof *a);
    buf_init(&out, room->a, LIMIT_JSON_BYTES);
    jw_init(&w, &out, false);
    size_t n = redact_value(&w, v, STR(""), room->a);
    struct str own = out.failed ? STR_NONE : str_dup(&room->ar, STR_IN(out));
    buf_free(&out);
    if (!a || !own.p)
        return no_memory(err);
    *a = (cando_redact_answer){{own.p, own.n}, n};
    return a;
}
