/*
 * pattern.c - regular expressions as JSON Schemas have them: does a text match, and one that does.
 *
 * A pattern becomes a small program for a machine that tries one way after the other:
 *
 *     ab*c    CHAR a | SPLIT 2,4 | CHAR b | JUMP 1 | CHAR c | DONE
 *
 * A text is made by the same program: at each fork the way out is taken, unless the text is too
 * short yet. What is not understood (back references, what stands behind, properties of characters)
 * has no program, and the answer is unsure. Steps and depth are bounded: patterns that take for
 * ever are unsure, too.
 */
#include "schema.h"

#define CODE_MOST 1000u
#define RANGES_MOST 400u
#define STEPS_MOST 40000u
#define DEPTH_MOST 1500u
#define REPEAT_MOST 200u
#define NESTED_MOST 16u
#define MAKE_TRIES 6u
#define WAYS_MOST 100u /* of one choice */

enum op { CHAR, CLASS, SPLIT, JUMP, BEGIN, END, EDGE, AHEAD, DONE };

struct step {
    uint8_t op;
    bool no;       /* CLASS, EDGE, AHEAD: the opposite */
    uint16_t a, b; /* SPLIT: ways, the first tried first. JUMP: a. AHEAD: goes on at a. CLASS:
                      ranges from a to b */
    uint16_t out;  /* SPLIT: the way that is taken to be done */
    uint32_t c;    /* CHAR */
};

struct range {
    uint32_t low, high;
};

struct program {
    struct step code[CODE_MOST];
    struct range range[RANGES_MOST];
    size_t n, n_ranges;
    struct str rest; /* of the pattern */
    unsigned depth;
    bool failed;
};

/* -- reading ---------------------------------------------------------------------------------- */

static uint32_t take_char(struct str *s)
{
    const unsigned char *u = (const unsigned char *)s->p;
    unsigned n = s->n ? utf8_step(s->p, s->n) : 0;
    uint32_t c = n == 1   ? u[0]
                 : n == 2 ? (u[0] & 31u) << 6 | (u[1] & 63u)
                 : n == 3 ? (u[0] & 15u) << 12 | (u[1] & 63u) << 6 | (u[2] & 63u)
                 : n == 4
                     ? (u[0] & 7u) << 18 | (u[1] & 63u) << 12 | (u[2] & 63u) << 6 | (u[3] & 63u)
                     : 0;
    *s = str_from(*s, n ? n : 1);
    return c;
}

static size_t emit(struct program *p, struct step s)
{
    if (p->n == CODE_MOST) {
        p->failed = true;
        return 0;
    }
    p->code[p->n] = s;
    return p->n++;
}

static void add_range(struct program *p, uint32_t low, uint32_t high)
{
    if (p->n_ranges == RANGES_MOST)
        p->failed = true;
    else
        p->range[p->n_ranges++] = (struct range){low, high};
}

static bool next_is(const struct program *p, const char *text)
{
    return str_starts(p->rest, str_of(text));
}

static bool skip(struct program *p, const char *text)
{
    if (!next_is(p, text))
        return false;
    p->rest = str_from(p->rest, strlen(text));
    return true;
}

/* \d, \w, \s; false: it is none of these. */
static bool add_set(struct program *p, uint32_t c)
{
    switch (c) {
    case 'd':
        add_range(p, '0', '9');
        return true;
    case 'w':
        add_range(p, 'a', 'z');
        add_range(p, 'A', 'Z');
        add_range(p, '0', '9');
        add_range(p, '_', '_');
        return true;
    case 's':
        add_range(p, ' ', ' ');
        add_range(p, '\t', '\r');
        add_range(p, 0xA0, 0xA0);
        add_range(p, 0x2028, 0x2029);
        add_range(p, 0xFEFF, 0xFEFF);
        return true;
    default:
        return false;
    }
}

static uint32_t read_hex(struct program *p, unsigned digits)
{
    uint32_t c = 0;
    for (unsigned i = 0; i < digits; i++) {
        char h = p->rest.n ? char_fold(p->rest.p[0]) : 'x';
        if (!char_is_digit(h) && (h < 'a' || h > 'f'))
            p->failed = true;
        c = c << 4 | (uint32_t)(char_is_digit(h) ? h - '0' : h - 'a' + 10);
        p->rest = str_from(p->rest, 1);
    }
    return c;
}

/* Behind a backslash, what stands for one character. */
static uint32_t read_escape(struct program *p)
{
    static const char from[] = "tnrfv0", to[] = "\t\n\r\f\v";
    p->failed |= !p->rest.n;
    uint32_t c = take_char(&p->rest);
    const char *at = c && c < 128 ? strchr(from, (int)c) : NULL;
    if (at)
        return (unsigned char)to[at - from];
    if (c == 'x')
        return read_hex(p, 2);
    if (c == 'u' && !next_is(p, "{"))
        return read_hex(p, 4);
    if (c < 128 && (char_is_alpha((char)c) || char_is_digit((char)c)))
        p->failed = true; /* \p, \k, \1 and what we do not know */
    return c;
}

/* [a-z_], from behind the bracket. */
static void read_class(struct program *p)
{
    struct step s = {.op = CLASS, .no = skip(p, "^"), .a = (uint16_t)p->n_ranges};
    while (!skip(p, "]") && !p->failed) {
        uint32_t low, high;
        if (!p->rest.n)
            p->failed = true;
        bool escaped = skip(p, "\\");
        if (escaped && p->rest.n && add_set(p, (unsigned char)p->rest.p[0])) {
            p->rest = str_from(p->rest, 1);
            continue;
        }
        low = high = escaped && skip(p, "b") ? '\b'
                     : escaped               ? read_escape(p)
                                             : take_char(&p->rest);
        if (next_is(p, "-") && !next_is(p, "-]")) {
            skip(p, "-");
            high = skip(p, "\\") ? read_escape(p) : take_char(&p->rest);
        }
        p->failed |= high < low;
        add_range(p, low, high);
    }
    s.b = (uint16_t)p->n_ranges;
    emit(p, s);
}

static void read_any(struct program *p);

static void read_group(struct program *p)
{
    bool ahead = skip(p, "?=") || next_is(p, "?!"), no = skip(p, "?!");
    size_t at = ahead ? emit(p, (struct step){.op = AHEAD, .no = no}) : 0;
    if (!ahead && next_is(p, "?") && !skip(p, "?:")) {
        bool named = next_is(p, "?<") && !next_is(p, "?<=") && !next_is(p, "?<!");
        p->rest = str_from(p->rest, named ? str_find_char(p->rest, '>') + 1 : 0);
        p->failed |= !named;
    }
    p->failed |= ++p->depth > NESTED_MOST;
    read_any(p);
    p->depth--;
    p->failed |= !skip(p, ")");
    if (!ahead)
        return;
    emit(p, (struct step){.op = DONE});
    p->code[at].a = (uint16_t)p->n;
}

static void read_atom(struct program *p)
{
    if (skip(p, "(")) {
        read_group(p);
    } else if (skip(p, "[")) {
        read_class(p);
    } else if (skip(p, ".")) {
        struct step s = {.op = CLASS, .no = true, .a = (uint16_t)p->n_ranges};
        add_range(p, '\n', '\n');
        add_range(p, '\r', '\r');
        s.b = (uint16_t)p->n_ranges;
        emit(p, s);
    } else if (skip(p, "^")) {
        emit(p, (struct step){.op = BEGIN});
    } else if (skip(p, "$")) {
        emit(p, (struct step){.op = END});
    } else if (skip(p, "\\b") || next_is(p, "\\B")) {
        emit(p, (struct step){.op = EDGE, .no = skip(p, "\\B")});
    } else if (skip(p, "\\")) {
        struct step s = {.op = CLASS, .a = (uint16_t)p->n_ranges};
        char c = p->rest.n ? p->rest.p[0] : '\0';
        s.no = c >= 'A' && c <= 'Z';
        if (add_set(p, (unsigned char)char_fold(c))) {
            p->rest = str_from(p->rest, 1);
            s.b = (uint16_t)p->n_ranges;
            emit(p, s);
        } else {
            emit(p, (struct step){.op = CHAR, .c = read_escape(p)});
        }
    } else {
        emit(p, (struct step){.op = CHAR, .c = take_char(&p->rest)});
    }
}

/* {2}, {2,}, {2,5}; `most` is SIZE_MAX for no end. False: it is a brace. */
static bool read_counts(struct program *p, size_t *least, size_t *most)
{
    size_t n[2] = {0, SIZE_MAX}, k = 0, digits = 0;
    struct str s = str_from(p->rest, 1);
    for (;; s = str_from(s, 1)) {
        char c = s.n ? s.p[0] : '\0';
        if (char_is_digit(c) && (k == 0 || n[1] != SIZE_MAX || digits == 0)) {
            n[k] = (digits ? n[k] * 10 : 0) + (size_t)(c - '0');
            if (++digits > 6)
                return false;
        } else if (c == ',' && k == 0 && digits) {
            k = 1;
            digits = 0;
        } else if (c == '}' && (digits || k == 1)) {
            break;
        } else {
            return false;
        }
    }
    *least = n[0];
    *most = k == 0 ? n[0] : n[1];
    p->rest = str_from(s, 1);
    return true;
}

#define BODY_MOST (CODE_MOST / 4)

/* Steps that were taken out of the program, to be put back elsewhere. */
struct body {
    struct step step[BODY_MOST];
    size_t from, n;
};

static bool cut(struct program *p, size_t from, struct body *out)
{
    out->from = from;
    out->n = p->n - from;
    if (out->n > BODY_MOST) {
        p->failed = true;
        return false;
    }
    memcpy(out->step, p->code + from, out->n * sizeof *out->step);
    p->n = from;
    return true;
}

/* Its jumps are moved with it. */
static void put(struct program *p, const struct body *b)
{
    size_t by = p->n - b->from;
    for (size_t i = 0; i < b->n && !p->failed; i++) {
        struct step s = b->step[i];
        if (s.op == SPLIT || s.op == JUMP || s.op == AHEAD) {
            s.a = (uint16_t)(s.a + by);
            s.out = (uint16_t)(s.out + by);
        }
        if (s.op == SPLIT)
            s.b = (uint16_t)(s.b + by);
        emit(p, s);
    }
}

/* From least to most times: body body (body (body)?)?, or body body body*. */
static void repeat(struct program *p, size_t from, size_t least, size_t most, bool lazy)
{
    struct body body;
    size_t splits[REPEAT_MOST], n = 0;
    bool open = most == SIZE_MAX;
    size_t times = open ? least + 1 : most;
    p->failed |= times > REPEAT_MOST || least > times;
    if (p->failed || !cut(p, from, &body))
        return;
    for (size_t i = 0; i < times && !p->failed; i++) {
        if (i >= least)
            splits[n++] = emit(p, (struct step){.op = SPLIT});
        put(p, &body);
        if (open && i >= least)
            emit(p, (struct step){.op = JUMP, .a = (uint16_t)splits[n - 1]});
    }
    for (size_t i = 0; i < n && !p->failed; i++) {
        struct step *s = &p->code[splits[i]];
        uint16_t in = (uint16_t)(splits[i] + 1), out = (uint16_t)p->n;
        s->a = lazy ? out : in;
        s->b = lazy ? in : out;
        s->out = out;
    }
}

static void read_repeated(struct program *p)
{
    size_t from = p->n, least = 1, most = 1;
    read_atom(p);
    if (skip(p, "*"))
        least = 0, most = SIZE_MAX;
    else if (skip(p, "+"))
        most = SIZE_MAX;
    else if (skip(p, "?"))
        least = 0;
    else if (!next_is(p, "{") || !read_counts(p, &least, &most))
        return;
    repeat(p, from, least, most, skip(p, "?"));
}

static void read_way(struct program *p)
{
    while (p->rest.n && !next_is(p, "|") && !next_is(p, ")") && !p->failed)
        read_repeated(p);
}

/* a|b|c: SPLIT a, (SPLIT b, c), and jumps to the end. */
static void read_any(struct program *p)
{
    size_t from = p->n, jumps[WAYS_MOST], n = 0;
    struct body way;
    read_way(p);
    while (!p->failed && skip(p, "|")) {
        p->failed |= n == WAYS_MOST;
        if (p->failed || !cut(p, from, &way))
            return;
        emit(p, (struct step){.op = SPLIT});
        put(p, &way);
        jumps[n++] = emit(p, (struct step){.op = JUMP});
        struct step *fork = &p->code[from];
        fork->a = fork->out = (uint16_t)(from + 1);
        fork->b = (uint16_t)p->n;
        from = p->n;
        read_way(p);
    }
    for (size_t i = 0; i < n && !p->failed; i++)
        p->code[jumps[i]].a = (uint16_t)p->n;
}

static bool compile(struct program *p, struct str pattern)
{
    p->n = p->n_ranges = 0;
    p->depth = 0;
    p->failed = utf8_check(pattern) != pattern.n;
    p->rest = pattern;
    read_any(p);
    emit(p, (struct step){.op = DONE});
    return !p->failed && !p->rest.n;
}

/* -- matching --------------------------------------------------------------------------------- */

struct matching {
    const struct program *p;
    struct str text;
    size_t steps, depth;
};

static bool in_class(const struct program *p, const struct step *s, uint32_t c)
{
    for (size_t i = s->a; i < s->b; i++)
        if (c >= p->range[i].low && c <= p->range[i].high)
            return !s->no;
    return s->no;
}

static bool is_edge(struct str text, size_t at)
{
    bool before = at > 0 && (char_is_alpha(text.p[at - 1]) || char_is_digit(text.p[at - 1]) ||
                             text.p[at - 1] == '_'),
         behind = at < text.n &&
                  (char_is_alpha(text.p[at]) || char_is_digit(text.p[at]) || text.p[at] == '_');
    return before != behind;
}

static enum schema_says run(struct matching *m, size_t pc, size_t at)
{
    enum schema_says it = SCHEMA_UNSURE;
    if (m->depth == DEPTH_MOST)
        return SCHEMA_UNSURE;
    m->depth++;
    for (;;) {
        const struct step *s = &m->p->code[pc];
        struct str rest = str_from(m->text, at);
        uint32_t c;
        if (m->steps == 0)
            break;
        m->steps--;
        pc++;
        if (s->op == DONE) {
            it = SCHEMA_YES;
            break;
        }
        bool holds = true;
        if (s->op == JUMP) {
            pc = s->a;
        } else if (s->op == SPLIT) {
            it = run(m, s->a, at);
            if (it != SCHEMA_NO)
                break;
            pc = s->b;
        } else if (s->op == AHEAD) {
            enum schema_says sub = run(m, pc, at);
            it = SCHEMA_UNSURE;
            if (sub == SCHEMA_UNSURE)
                break;
            holds = (sub == SCHEMA_YES) != s->no;
            pc = s->a;
        } else if (s->op == BEGIN || s->op == END) {
            holds = s->op == BEGIN ? at == 0 : at == m->text.n;
        } else if (s->op == EDGE) {
            holds = is_edge(m->text, at) != s->no;
        } else {
            holds = rest.n > 0;
            c = holds ? take_char(&rest) : 0;
            at = m->text.n - rest.n;
            holds = holds && (s->op == CHAR ? c == s->c : in_class(m->p, s, c));
        }
        it = SCHEMA_UNSURE;
        if (!holds) {
            it = SCHEMA_NO;
            break;
        }
    }
    m->depth--;
    return it;
}

static enum schema_says check(const struct program *p, struct str text)
{
    struct matching m = {.p = p, .text = text, .steps = STEPS_MOST};
    for (size_t at = 0; at <= text.n; at++) {
        if (at < text.n && ((unsigned char)text.p[at] & 0xC0) == 0x80)
            continue;
        enum schema_says it = run(&m, 0, at);
        if (it != SCHEMA_NO)
            return it;
    }
    return SCHEMA_NO;
}

enum schema_says pattern_check(struct str pattern, struct str text)
{
    struct program p;
    return compile(&p, pattern) ? check(&p, text) : SCHEMA_UNSURE;
}

/* -- making ----------------------------------------------------------------------------------- */

/* A character of the class; `turn` tells which of the likely ones is tried first. */
static uint32_t some_of(const struct program *p, const struct step *s, size_t turn)
{
    static const char likely[] = "a0A_-. ";
    size_t n = sizeof likely - 1;
    for (size_t i = 0; i < n; i++)
        if (in_class(p, s, (unsigned char)likely[(i + turn) % n]))
            return (unsigned char)likely[(i + turn) % n];
    for (uint32_t c = '!'; c < 0x3000; c++)
        if (c != 0x7F && in_class(p, s, c))
            return c;
    return 0;
}

/* The shortest way through; what looks ahead is not asked. */
static bool make(const struct program *p, size_t least, size_t turn, bool mixed, struct buf *out)
{
    size_t pc = 0, from = out->n;
    for (size_t steps = 0; p->code[pc].op != DONE; steps++) {
        const struct step *s = &p->code[pc++];
        char c[4];
        if (steps == STEPS_MOST || out->failed)
            return false;
        if (s->op == JUMP || s->op == AHEAD)
            pc = s->a;
        else if (s->op == SPLIT)
            pc = out->n - from < least && s->out == s->b ? s->a : s->out;
        else if (s->op == CHAR)
            buf_put(out, c, utf8_put(s->c, c));
        else if (s->op == CLASS)
            buf_put(out, c, utf8_put(some_of(p, s, mixed ? out->n + turn : turn), c));
    }
    struct str text = out->n > from ? str_make(out->p + from, out->n - from) : STR("");
    return check(p, text) == SCHEMA_YES;
}

bool pattern_make(struct str pattern, size_t least, struct buf *out)
{
    struct program p;
    size_t from = out->n;
    if (!compile(&p, pattern))
        return false;
    for (size_t i = 0; i < MAKE_TRIES && !out->failed; i++) {
        out->n = from;
        if (make(&p, least, i / 2, i % 2, out))
            return true;
    }
    return false;
}
