/*
 * glob.c - patterns to programs, and programs against texts.
 *
 * A pattern becomes a list of pieces; the pieces become one program for each
 * way through the alternatives. The list is flat, with the braces linked:
 *
 *     a{b,c*}?      open  a  open  b  or  c  run  close  one  close
 *                    |       |_____^___|_________^            |
 *                    |________________________________________^
 *
 * Each `open` and `or` knows in how many ways the alternative behind it can be
 * read, so the number of programs is known before one is made, and the k-th
 * way is found by dividing k down the list, without recursion: braces may be
 * nested as deep as they like. The outermost `open` is the pattern itself.
 *
 * A class can hold any ASCII characters in its bitmap. Single characters
 * beyond ASCII (and short ranges of them) become alternatives; a negated class
 * that names one cannot be written down exactly, so such a pattern counts as
 * one that does not parse.
 *
 * The matcher needs no memory: of all `*` met so far only the last can be the
 * one that has to take more, so it keeps one place to go back to.
 */
#include "glob.h"

#include "glob_token.h"

enum piece_kind {
    PIECE_CHAR,
    PIECE_RUN,
    PIECE_ONE,
    PIECE_CLASS,
    PIECE_OPEN,
    PIECE_OR,
    PIECE_CLOSE
};

struct piece {
    uint8_t kind;
    uint8_t n;       /* CHAR: bytes */
    char byte[4];    /* CHAR */
    char set[17];    /* CLASS: bitmap of ASCII, and whether all else is in it */
    uint32_t ways;   /* OPEN, OR: of the alternative behind it */
    uint32_t next;   /* OPEN, OR: the OR or CLOSE that ends it */
    uint32_t open;   /* OR: its OPEN. OPEN: the one around it */
    uint32_t around; /* OPEN: the OPEN or OR whose alternative it is in */
    uint32_t total;  /* OPEN: ways of all alternatives */
    uint32_t close;  /* OPEN: its CLOSE. CLOSE: (while writing) the way to go on with */
};

enum parse { PARSE_OK, PARSE_NO_GLOB, PARSE_TOO_MANY, PARSE_NO_MEMORY };

#define WAYS_TOO_MANY (GLOB_ALTERNATIVES + 1u) /* where counting stops */
#define PIECES_ON_STACK 96

struct pattern {
    struct arena *ar;
    struct str text;
    size_t at;
    struct piece *piece;
    size_t n, cap;
    uint32_t open;    /* the innermost open brace */
    uint32_t current; /* the OPEN or OR of the alternative that is being read */
};

/* -- reading a pattern ------------------------------------------------------------ */

static struct piece *add(struct pattern *pt, enum piece_kind kind)
{
    if (pt->n >= UINT32_MAX - 1 || !ARENA_GROW(pt->ar, pt->piece, pt->n, pt->cap))
        return NULL;
    struct piece *pc = &pt->piece[pt->n++];
    memset(pc, 0, sizeof *pc);
    pc->kind = (uint8_t)kind;
    return pc;
}

static bool add_char(struct pattern *pt, const char *p, unsigned n)
{
    struct piece *pc = add(pt, PIECE_CHAR);
    if (!pc)
        return false;
    pc->n = (uint8_t)n;
    memcpy(pc->byte, p, n);
    return true;
}

static uint32_t ways_add(uint32_t a, uint32_t b)
{
    return a + b < WAYS_TOO_MANY ? a + b : WAYS_TOO_MANY;
}

static uint32_t ways_times(uint32_t a, uint32_t b)
{
    return a * b < WAYS_TOO_MANY ? a * b : WAYS_TOO_MANY; /* both are at most 257 */
}

static bool add_open(struct pattern *pt)
{
    struct piece *pc = add(pt, PIECE_OPEN);
    if (!pc)
        return false;
    pc->ways = 1;
    pc->open = pt->open;
    pc->around = pt->current;
    pt->open = pt->current = (uint32_t)(pt->n - 1);
    return true;
}

/* Ends the alternative that is being read with the piece that was just added. */
static void end_alternative(struct pattern *pt)
{
    struct piece *open = &pt->piece[pt->open], *current = &pt->piece[pt->current];
    current->next = (uint32_t)(pt->n - 1);
    open->total = ways_add(open->total, current->ways);
}

static bool add_or(struct pattern *pt)
{
    struct piece *pc = add(pt, PIECE_OR);
    if (!pc)
        return false;
    pc->ways = 1;
    pc->open = pt->open;
    end_alternative(pt);
    pt->current = (uint32_t)(pt->n - 1);
    return true;
}

static bool add_close(struct pattern *pt)
{
    if (!add(pt, PIECE_CLOSE))
        return false;
    end_alternative(pt);
    struct piece *open = &pt->piece[pt->open];
    open->close = (uint32_t)(pt->n - 1);
    if (pt->open == 0)
        return true; /* the pattern itself */
    pt->current = open->around;
    pt->open = open->open;
    pt->piece[pt->current].ways = ways_times(pt->piece[pt->current].ways, open->total);
    return true;
}

/* The code point at pt->at; false at the end of the text or where it is not
 * UTF-8. */
static bool take_code_point(struct pattern *pt, uint32_t *out)
{
    if (pt->at >= pt->text.n)
        return false;
    const unsigned char *u = (const unsigned char *)pt->text.p + pt->at;
    unsigned step = utf8_step((const char *)u, pt->text.n - pt->at);
    if (step == 0)
        return false;
    uint32_t cp = step == 1 ? u[0] : u[0] & (0x7Fu >> step);
    for (unsigned i = 1; i < step; i++)
        cp = cp << 6 | (u[i] & 0x3Fu);
    pt->at += step;
    *out = cp;
    return true;
}

/* Characters beyond ASCII as alternatives of a brace that is opened for the
 * first of them. */
static enum parse add_beyond(struct pattern *pt, uint32_t low, uint32_t high, bool *opened)
{
    if (high - low >= GLOB_ALTERNATIVES)
        return PARSE_TOO_MANY;
    for (uint32_t cp = low; cp <= high; cp++) {
        char byte[4];
        unsigned n = utf8_put(cp, byte);
        if (n == 0)
            continue; /* a surrogate is no character */
        if (!(*opened ? add_or(pt) : add_open(pt)) || !add_char(pt, byte, n))
            return PARSE_NO_MEMORY;
        *opened = true;
    }
    return PARSE_OK;
}

static enum parse end_class(struct pattern *pt, const char set[17], bool opened)
{
    unsigned members = 0;
    char only = 0;
    for (unsigned c = 0; c < 0x80; c++)
        if (glob_class_has(set, (unsigned char)c)) {
            members++;
            only = (char)c;
        }
    if (members || set[16]) {
        if (opened && !add_or(pt))
            return PARSE_NO_MEMORY;
        if (members == 1 && !set[16]) {
            if (!add_char(pt, &only, 1))
                return PARSE_NO_MEMORY;
        } else {
            struct piece *pc = add(pt, PIECE_CLASS);
            if (!pc)
                return PARSE_NO_MEMORY;
            memcpy(pc->set, set, sizeof pc->set);
        }
    }
    return opened && !add_close(pt) ? PARSE_NO_MEMORY : PARSE_OK;
}

/* A class; pt->at is behind its bracket. A `]` that comes first is a member,
 * as is a `-` that stands at either end. */
static enum parse read_class(struct pattern *pt)
{
    char set[17] = {0};
    bool opened = false, negated = false;
    if (pt->at < pt->text.n && (pt->text.p[pt->at] == '!' || pt->text.p[pt->at] == '^')) {
        negated = true;
        pt->at++;
    }
    for (bool first = true;; first = false) {
        uint32_t low, high;
        if (!first && pt->at < pt->text.n && pt->text.p[pt->at] == ']')
            break;
        if (!take_code_point(pt, &low))
            return PARSE_NO_GLOB;
        high = low;
        if (pt->text.n - pt->at >= 2 && pt->text.p[pt->at] == '-' &&
            pt->text.p[pt->at + 1] != ']') {
            pt->at++;
            if (!take_code_point(pt, &high) || high < low)
                return PARSE_NO_GLOB;
        }
        for (uint32_t c = low; c <= high && c < 0x80; c++)
            set[c >> 3] = (char)((unsigned char)set[c >> 3] | 1u << (c & 7));
        if (high >= 0x80) {
            enum parse got =
                negated ? PARSE_NO_GLOB : add_beyond(pt, low < 0x80 ? 0x80 : low, high, &opened);
            if (got != PARSE_OK)
                return got;
        }
    }
    pt->at++;
    for (unsigned i = 0; negated && i < 16; i++)
        set[i] = (char)~set[i];
    set[16] = negated;
    return end_class(pt, set, opened);
}

static enum parse read_piece(struct pattern *pt)
{
    char c = pt->text.p[pt->at];
    bool inside = pt->open != 0, ok = true;
    unsigned n = 1;
    switch (c) {
    case '*':
        ok = (pt->n && pt->piece[pt->n - 1].kind == PIECE_RUN) || add(pt, PIECE_RUN);
        break;
    case '?':
        ok = add(pt, PIECE_ONE);
        break;
    case '[':
        pt->at++;
        return read_class(pt);
    case '{':
        ok = add_open(pt);
        break;
    case '}':
        if (!inside)
            return PARSE_NO_GLOB;
        ok = add_close(pt);
        break;
    default:
        if (c == ',' && inside) {
            ok = add_or(pt);
        } else {
            n = glob_char_size(pt->text, pt->at);
            ok = add_char(pt, pt->text.p + pt->at, n);
        }
    }
    pt->at += n;
    return ok ? PARSE_OK : PARSE_NO_MEMORY;
}

static enum parse read_pattern(struct pattern *pt)
{
    bool special = false;
    for (size_t i = 0; i < pt->text.n && !special; i++)
        special = pt->text.p[i] == '*' || pt->text.p[i] == '?' || pt->text.p[i] == '[';
    if (!special)
        return PARSE_NO_GLOB;
    if (!add_open(pt))
        return PARSE_NO_MEMORY;
    enum parse got = PARSE_OK;
    while (got == PARSE_OK && pt->at < pt->text.n)
        got = read_piece(pt);
    if (got == PARSE_OK && pt->open != 0)
        got = PARSE_NO_GLOB;
    if (got == PARSE_OK && !add_close(pt))
        got = PARSE_NO_MEMORY;
    if (got == PARSE_OK && pt->piece[0].total >= WAYS_TOO_MANY)
        got = PARSE_TOO_MANY;
    return got;
}

/* -- writing programs --------------------------------------------------------------- */

static size_t put_char(char *out, const char *p, size_t n)
{
    if (n == 1 && *p >= GLOB_ANY_RUN && *p <= GLOB_QUOTE) {
        out[0] = GLOB_QUOTE;
        out[1] = *p;
        return 2;
    }
    memcpy(out, p, n);
    return n;
}

static size_t put_text(char *out, struct str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += put_char(out + n, s.p + i, 1);
    return n;
}

static size_t put_piece(char *out, size_t n, const struct piece *pc)
{
    switch (pc->kind) {
    case PIECE_CHAR:
        return n + put_char(out + n, pc->byte, pc->n);
    case PIECE_RUN:
        out[n] = GLOB_ANY_RUN;
        return n + 1;
    case PIECE_ONE:
        out[n] = GLOB_ANY_ONE;
        return n + 1;
    default:
        out[n] = GLOB_CLASS;
        memcpy(out + n + 1, pc->set, sizeof pc->set);
        return n + GLOB_CLASS_BYTES;
    }
}

/* Writes the way number `way` through the pieces; returns its length. */
static size_t put_way(struct piece *piece, size_t n_pieces, uint32_t way, char *out)
{
    size_t n = 0, i = 0;
    bool after_run = false;
    while (i < n_pieces) {
        struct piece *pc = &piece[i];
        if (pc->kind == PIECE_OPEN) {
            piece[pc->close].close = way / pc->total;
            way %= pc->total;
            while (way >= piece[i].ways) {
                way -= piece[i].ways;
                i = piece[i].next;
            }
            i++;
        } else if (pc->kind == PIECE_OR) {
            i = piece[pc->open].close;
        } else if (pc->kind == PIECE_CLOSE) {
            way = pc->close;
            i++;
        } else {
            bool run = pc->kind == PIECE_RUN;
            if (!run || !after_run) /* alternatives can bring two runs together */
                n = put_piece(out, n, pc);
            after_run = run;
            i++;
        }
    }
    return n;
}

static bool set_has(const struct glob_set *set, struct str program)
{
    for (size_t i = 0; i < set->n; i++)
        if (str_eq(set->program[i], program))
            return true;
    return false;
}

static bool write_programs(struct pattern *pt, struct glob_set *out)
{
    size_t longest = 1;
    for (size_t i = 0; i < pt->n; i++)
        longest += pt->piece[i].kind == PIECE_CLASS ? GLOB_CLASS_BYTES : pt->piece[i].n + 1u;
    uint32_t ways = pt->piece[0].total;
    char *room = arena_alloc(pt->ar, longest);
    out->program = arena_array(pt->ar, ways, sizeof *out->program);
    if (!room || !out->program)
        return false;
    for (uint32_t way = 0; way < ways; way++) {
        struct str program = str_make(room, put_way(pt->piece, pt->n, way, room));
        if (set_has(out, program))
            continue;
        program = str_dup(pt->ar, program);
        if (!program.p)
            return false;
        out->program[out->n++] = program;
    }
    return true;
}

/* One program: these bytes of `text` with something before and behind. */
static bool write_one(struct arena *ar, struct glob_set *out, struct str before, struct str text,
                      struct str behind)
{
    size_t size = mem_size(text.n, 2, before.n + behind.n + 1);
    char *p = size ? arena_alloc(ar, size) : NULL;
    if (!p)
        return false;
    size_t n = 0;
    if (before.n)
        memcpy(p, before.p, before.n);
    n += before.n;
    n += put_text(p + n, text);
    if (behind.n)
        memcpy(p + n, behind.p, behind.n);
    n += behind.n;
    out->program[out->n++] = str_make(p, n);
    return true;
}

static bool set_init(struct arena *ar, struct glob_set *out, size_t n)
{
    *out = (struct glob_set){.program = arena_array(ar, n, sizeof *out->program)};
    return out->program != NULL;
}

static const struct str any_run = {"\x01", 1};

/* What is no glob: a star at either end still counts. */
static bool write_literal(struct arena *ar, struct str text, struct glob_set *out)
{
    struct str before = STR_NONE, behind = STR_NONE;
    if (text.n && text.p[0] == '*') {
        before = any_run;
        text = str_from(text, 1);
    }
    if (text.n && text.p[text.n - 1] == '*') {
        behind = any_run;
        text.n--;
    }
    if (!set_init(ar, out, 1))
        return false;
    out->literal = true;
    return write_one(ar, out, before, text, behind);
}

bool glob_compile(struct arena *ar, struct str pattern, struct glob_set *out, bool *too_many)
{
    struct piece few[PIECES_ON_STACK];
    struct pattern pt = {
        .ar = ar, .text = str_dup_fold(ar, pattern), .piece = few, .cap = PIECES_ON_STACK};
    *out = (struct glob_set){0};
    if (too_many)
        *too_many = false;
    if (!pt.text.p)
        return false;
    switch (read_pattern(&pt)) {
    case PARSE_OK:
        return write_programs(&pt, out);
    case PARSE_NO_GLOB:
        return write_literal(ar, pt.text, out);
    case PARSE_TOO_MANY:
        if (too_many)
            *too_many = true;
        return false;
    default:
        return false;
    }
}

bool glob_exact(struct arena *ar, struct str text, struct glob_set *out)
{
    text = str_dup_fold(ar, text);
    if (!text.p || !set_init(ar, out, 1))
        return false;
    out->literal = true;
    return write_one(ar, out, STR_NONE, text, STR_NONE);
}

bool glob_prefix(struct arena *ar, struct str text, struct glob_set *out)
{
    text = str_dup_fold(ar, text);
    return text.p && set_init(ar, out, 1) && write_one(ar, out, STR_NONE, text, any_run);
}

/* -- words ------------------------------------------------------------------------------ */

static bool ends_word_before(char c)
{
    return c == '-' || c == '_' || c == '/' || c == '.';
}

static bool ends_word_behind(char c)
{
    return ends_word_before(c) || c == '@';
}

bool glob_contains(struct arena *ar, struct str text, struct glob_set *out)
{
    char before[1 + GLOB_CLASS_BYTES] = {GLOB_ANY_RUN, GLOB_CLASS}; /* run, class */
    char behind[GLOB_CLASS_BYTES + 1] = {GLOB_CLASS};               /* class, run */
    behind[GLOB_CLASS_BYTES] = GLOB_ANY_RUN;
    for (unsigned c = 0; c < 0x80; c++) {
        unsigned bit = 1u << (c & 7);
        if (ends_word_before((char)c))
            before[2 + (c >> 3)] = (char)((unsigned char)before[2 + (c >> 3)] | bit);
        if (ends_word_behind((char)c))
            behind[1 + (c >> 3)] = (char)((unsigned char)behind[1 + (c >> 3)] | bit);
    }
    struct str b = str_make(before, sizeof before), e = str_make(behind, sizeof behind);
    text = str_dup_fold(ar, text);
    return text.p && set_init(ar, out, 4) && write_one(ar, out, STR_NONE, text, STR_NONE) &&
           write_one(ar, out, STR_NONE, text, e) && write_one(ar, out, b, text, STR_NONE) &&
           write_one(ar, out, b, text, e);
}

bool word_contains(struct str text, struct str needle)
{
    for (size_t i = 0; i <= text.n && needle.n <= text.n - i; i++) {
        if (i && !ends_word_before(text.p[i - 1]))
            continue;
        size_t end = i + needle.n;
        if (end < text.n && !ends_word_behind(text.p[end]))
            continue;
        if (needle.n == 0 || memcmp(text.p + i, needle.p, needle.n) == 0)
            return true;
    }
    return false;
}

/* -- running ------------------------------------------------------------------------------- */

/* Does one step of the program take the character at text.p[t]? Gives the size
 * of the step, or 0, and in *taken the length of the character. */
static size_t take_one(struct str program, size_t p, struct str text, size_t t, unsigned *taken)
{
    struct glob_token tok = glob_token_at(program, p);
    unsigned n = *taken = glob_char_size(text, t);
    switch (tok.kind) {
    case GLOB_T_ONE:
        return tok.size;
    case GLOB_T_CLASS:
        return glob_class_has(tok.p, (unsigned char)text.p[t]) ? tok.size : 0;
    case GLOB_T_CHAR:
        return tok.n == n && memcmp(tok.p, text.p + t, n) == 0 ? tok.size : 0;
    default:
        return 0;
    }
}

bool glob_run(struct str program, struct str text)
{
    size_t p = 0, t = 0, back_p = SIZE_MAX, back_t = 0;
    for (;;) {
        if (p < program.n && program.p[p] == GLOB_ANY_RUN) {
            if (++p == program.n)
                return true;
            back_p = p;
            back_t = t;
            continue;
        }
        if (t == text.n)
            return p == program.n;
        unsigned char c = p < program.n ? (unsigned char)program.p[p] : GLOB_QUOTE;
        if (c > GLOB_QUOTE && c < 0x80) { /* nearly all steps of nearly all programs */
            if (program.p[p] == text.p[t]) {
                p++;
                t++;
                continue;
            }
        } else {
            unsigned taken;
            size_t step = take_one(program, p, text, t, &taken);
            if (step) {
                p += step;
                t += taken;
                continue;
            }
        }
        if (back_p == SIZE_MAX)
            return false;
        back_t += glob_char_size(text, back_t);
        p = back_p;
        t = back_t;
    }
}

bool glob_run_any(const struct glob_set *set, struct str text)
{
    for (size_t i = 0; i < set->n; i++)
        if (glob_run(set->program[i], text))
            return true;
    return false;
}

bool glob_valid(struct str program)
{
    for (size_t at = 0; at < program.n;) {
        struct glob_token tok = glob_token_at(program, at);
        if (tok.kind == GLOB_T_BROKEN)
            return false;
        at += tok.size;
    }
    return true;
}

/* The plain bytes from program.p[at] on; *end is where they stop. */
static size_t plain_run(struct str program, size_t at, char *out, size_t size, size_t *end)
{
    size_t n = 0;
    for (;;) {
        struct glob_token tok = glob_token_at(program, at);
        if (tok.kind != GLOB_T_CHAR)
            break;
        for (unsigned i = 0; i < tok.n; i++, n++)
            if (out && n < size)
                out[n] = tok.p[i];
        at += tok.size;
    }
    *end = at;
    return n;
}

size_t glob_literal_prefix(struct str program, char *out, size_t size, bool *whole)
{
    size_t end, n = plain_run(program, 0, out, size, &end);
    if (whole)
        *whole = end == program.n && n <= size;
    return n < size ? n : size;
}

size_t glob_literal_longest(struct str program, char *out, size_t size)
{
    size_t best = 0, best_at = 0, end;
    for (size_t at = 0; at < program.n;) {
        size_t n = plain_run(program, at, NULL, 0, &end);
        if (n > best) {
            best = n;
            best_at = at;
        }
        at = end;
        at += glob_token_at(program, at).size;
    }
    if (best == 0)
        return 0;
    plain_run(program, best_at, out, size, &end);
    return best < size ? best : size;
}
