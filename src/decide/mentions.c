#include "mentions.h"

#include "base/limits.h"

enum grade { GRADE_CLEAR, GRADE_QUOTED, GRADE_WORD };

/* What a token can mean, whatever stands around it. */
struct meaning {
    uint32_t row; /* the first that has the id; SNAP_NONE: it is no model's */
    uint32_t own; /* the row of the lab's own provider; SNAP_NONE: none, or anybody may serve it */
    bool named;   /* the token says whose: `row`; `own` is the first that has all of it as its id */
    uint8_t grade;
};

static const struct meaning no_meaning = {SNAP_NONE, SNAP_NONE, false, GRADE_WORD};

/* -- the index -- */

static unsigned start_class(struct str s, size_t i)
{
    char c = i < s.n ? char_fold(s.p[i]) : '-';
    if (char_is_alpha(c))
        return (unsigned)(c - 'a');
    return char_is_digit(c) ? 26u + (unsigned)(c - '0') : 36;
}

static unsigned start_of(struct str s)
{
    return (start_class(s, 0) * 38 + start_class(s, 1)) * 38 + start_class(s, 2);
}

static void add_start(struct mentions *m, struct str s)
{
    unsigned at = start_of(s);
    m->starts[at / 32] |= 1u << at % 32;
}

static bool may_start(const struct mentions *m, struct str s)
{
    unsigned at = start_of(s);
    return m->starts[at / 32] >> at % 32 & 1;
}

/* Families begin spellings that no row has; what follows their word may be anything. */
static void add_families(struct mentions *m)
{
    const struct snapshot *s = &m->offers->cat->snap;
    for (size_t i = 0; i < s->sec[SEC_NAMES].n; i++) {
        struct snap_name name = snap_name(s, i);
        if (name.key == SNAP_NONE || name.table != ID_FAMILY)
            continue;
        char head[3];
        struct str word = str_head(snap_str(s, name.key), sizeof head);
        memcpy(head, word.p, word.n);
        for (unsigned c = 0; word.n < sizeof head && c < 37; c++) {
            head[word.n] = (char)(c < 26 ? 'a' + c : c < 36 ? '0' + (c - 26) : '-');
            add_start(m, str_make(head, word.n + 1));
        }
        if (word.n == sizeof head)
            add_start(m, word);
    }
}

bool mentions_open(struct mentions *m, const struct offers *o, uint32_t day, struct arena *ar)
{
    static const char others[] = "-._:/@";
    *m = (struct mentions){.offers = o, .ar = ar, .day = day};
    map_init(&m->ids, ar, true);
    map_init(&m->seen, ar, false);
    m->next = arena_array(ar, o->n + 1, sizeof *m->next);
    m->named = arena_alloc(ar, o->cat->snap.sec[SEC_PROVIDERS].n + 1);
    if (!m->next || !m->named)
        return false;
    for (size_t i = o->n; i-- > 0;) { /* so that chains are in the order of rows */
        struct str id = offer_id(o, &o->row[i]);
        uint32_t *have = map_get(&m->ids, id);
        m->next[i] = have ? *have : SNAP_NONE;
        if (!map_put(&m->ids, id, (uint32_t)i))
            return false;
        add_start(m, id);
    }
    add_families(m);
    for (unsigned c = 0; c < 256; c++)
        m->of_token[c] = char_is_alpha((char)c) || char_is_digit((char)c) ||
                         (c && memchr(others, (int)c, sizeof others - 1));
    return true;
}

static uint32_t first_row(const struct mentions *m, struct str id)
{
    uint32_t *row = id.n && may_start(m, id) ? map_get(&m->ids, id) : NULL;
    return row ? *row : SNAP_NONE;
}

uint32_t mentions_row(const struct mentions *m, uint32_t provider, struct str id)
{
    uint32_t row = first_row(m, id);
    while (row != SNAP_NONE && m->offers->row[row].provider != provider)
        row = m->next[row];
    return row;
}

/* -- what a token means -- */

static enum grade grade_of(struct str id)
{
    size_t digits = 0, parts = 1, run = 0, longest = 0;
    for (size_t i = 0; i < id.n; i++) {
        bool digit = char_is_digit(id.p[i]);
        run = digit ? run + 1 : 0;
        longest = run > longest ? run : longest;
        digits += digit;
        parts += !digit && !char_is_alpha(id.p[i]);
    }
    if (id.n <= 3 || (!digits && parts == 1))
        return GRADE_WORD;
    if (id.n >= 8 && longest >= 4)
        return GRADE_CLEAR;
    return id.n >= 10 && digits && (digits >= 2 || parts >= 3) ? GRADE_CLEAR : GRADE_QUOTED;
}

static bool has_capitals(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != char_fold(s.p[i]))
            return true;
    return false;
}

/* Weights that anybody may serve go on elsewhere. */
static bool is_open(const struct mentions *m, uint32_t row)
{
    cando_profile p;
    offer_profile(m->offers, &m->offers->row[row], &p);
    cando_value v = profile_fact(&p, F_open_weights).value;
    return v.known && v.flag;
}

/* The one of the rows from `row` on that is the lab's own. */
static uint32_t own_row(const struct mentions *m, uint32_t row, struct str id)
{
    const struct snapshot *s = &m->offers->cat->snap;
    struct id_tables ids = snapshot_ids(s);
    struct model_id parts;
    struct str lab;
    if (!model_id_parse(&ids, STR(""), id, &parts) || !parts.vendor.n)
        return SNAP_NONE;
    for (; row != SNAP_NONE; row = m->next[row]) {
        struct str provider = offer_provider(m->offers, &m->offers->row[row]);
        if (ids.find(ids.ctx, ID_LAB, provider, &lab) && str_eq_fold(lab, parts.vendor))
            return is_open(m, row) ? SNAP_NONE : row;
    }
    return SNAP_NONE;
}

/* An id as some provider writes it. */
static bool as_written(struct mentions *m, struct str token, struct meaning *out)
{
    uint32_t row = first_row(m, token);
    if (row == SNAP_NONE)
        return false;
    *out = (struct meaning){row, own_row(m, row, token), false, (uint8_t)grade_of(token)};
    bool same = str_eq(offer_id(m->offers, &m->offers->row[row]), token);
    if (!same && has_capitals(token)) /* "GPT-4-Turbo" is how people call it */
        out->grade++;
    return out->grade <= GRADE_WORD;
}

/* What the provider has under this id, or another spelling of it. */
static uint32_t row_at(struct mentions *m, uint32_t provider, struct str id)
{
    const struct snapshot *s = &m->offers->cat->snap;
    struct str name = snap_str(s, snap_provider(s, provider).id);
    uint32_t row = mentions_row(m, provider, id);
    cando_profile p;
    if (row != SNAP_NONE || !may_start(m, id))
        return row;
    if (cando_resolve_parts(m->offers->cat, name.p, name.n, id.p, id.n, CANDO_AS_WRITTEN, &p,
                            NULL) != CANDO_OK ||
        !p.canonical)
        return SNAP_NONE;
    row = mentions_row(m, provider, str_of(p.canonical));
    if (row != SNAP_NONE)
        return row;
    struct str to = str_of(p.canonical);
    size_t cut = str_find_char(to, '/');
    uint32_t there = snapshot_provider(s, str_head(to, cut));
    return there == SNAP_NONE ? SNAP_NONE : mentions_row(m, there, str_from(to, cut + 1));
}

/* provider/model, provider:model */
static bool of_provider(struct mentions *m, struct str token, struct meaning *out)
{
    size_t cut = 0;
    while (cut < token.n && token.p[cut] != '/' && token.p[cut] != ':')
        cut++;
    if (cut + 1 >= token.n)
        return false;
    uint32_t provider = snapshot_provider(&m->offers->cat->snap, str_head(token, cut));
    uint32_t row = SNAP_NONE;
    if (provider != SNAP_NONE)
        row = row_at(m, provider, str_from(token, cut + 1));
    if (row == SNAP_NONE)
        return false;
    *out = (struct meaning){row, SNAP_NONE, true, GRADE_CLEAR};
    return true;
}

/* .../models/gemini-1.5-pro:generateContent, model/anthropic.claude-v2/invoke */
static bool of_path(struct mentions *m, struct str token, struct meaning *out)
{
    static const struct str folders[] = {STR("models/"), STR("model/")};
    for (size_t i = 0; i < 2; i++) {
        size_t at = str_find(token, folders[i]);
        if (at == SIZE_MAX || (at && token.p[at - 1] != '/'))
            continue;
        struct str rest = str_from(token, at + folders[i].n);
        for (int cut = 0; cut < 3 && rest.n; cut++) {
            if (as_written(m, rest, out))
                return out->grade == GRADE_CLEAR;
            size_t n = str_find_char(rest, '/');
            rest = str_head(rest, n < rest.n ? n : str_find_char(rest, ':'));
        }
    }
    return false;
}

/* us.anthropic.claude-v2:1: what follows a region is an id of that host. */
static bool of_region(struct mentions *m, struct str token, struct meaning *out)
{
    size_t cut = str_find_char(token, '.');
    if (cut == 0 || cut > 8 || cut + 1 >= token.n || !as_written(m, str_from(token, cut + 1), out))
        return false;
    struct id_tables ids = snapshot_ids(&m->offers->cat->snap);
    struct model_id parts;
    return out->grade == GRADE_CLEAR && model_id_parse(&ids, STR(""), token, &parts) &&
           parts.region.n == cut;
}

/* Another way to write a lab's own id, with nothing cut off at its end. */
static bool as_spelled(struct mentions *m, struct str token, struct meaning *out)
{
    const struct snapshot *s = &m->offers->cat->snap;
    struct id_tables ids = snapshot_ids(s);
    struct model_id parts;
    if (grade_of(token) != GRADE_CLEAR || has_capitals(token) ||
        str_find_char(token, '/') < token.n || !model_id_parse(&ids, STR(""), token, &parts))
        return false;
    if (!parts.canonical.n || parts.suffix.n || parts.date.n || parts.region.n)
        return false;
    size_t cut = str_find_char(parts.canonical, '/');
    uint32_t lab = snapshot_provider(s, str_head(parts.canonical, cut));
    uint32_t row =
        lab == SNAP_NONE ? SNAP_NONE : mentions_row(m, lab, str_from(parts.canonical, cut + 1));
    if (row == SNAP_NONE || is_open(m, row))
        return false;
    *out = (struct meaning){row, SNAP_NONE, true, GRADE_CLEAR};
    return true;
}

/* Is it worth the thought? */
static bool may_be_spelled(const struct mentions *m, struct str token)
{
    bool digit = false;
    for (size_t i = 0; i < token.n && !digit; i++)
        digit = char_is_digit(token.p[i]);
    return digit && may_start(m, token);
}

static struct meaning think(struct mentions *m, struct str token)
{
    struct meaning out = no_meaning, other;
    bool parted = memchr(token.p, '/', token.n) || memchr(token.p, ':', token.n);
    bool written = as_written(m, token, &out);
    /* "openai/gpt-4" is a router's id as well: it is the provider's unless the router is meant */
    if (parted && of_provider(m, token, &other)) {
        if (written)
            other.own = out.row;
        return other;
    }
    if (written)
        return out;
    if ((parted && of_path(m, token, &out)) || of_region(m, token, &out))
        return out;
    return may_be_spelled(m, token) && as_spelled(m, token, &out) ? out : no_meaning;
}

/* -- what stands around it -- */

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

/* In quotes of one kind, also where these are escaped. */
static bool is_quoted(struct str text, size_t at, size_t n)
{
    if (at == 0 || at + n >= text.n || !is_quote(text.p[at - 1]))
        return false;
    char end = text.p[at + n];
    return end == text.p[at - 1] || end == '\\';
}

/* "command": what stands before a colon names something else. */
static bool is_key(struct str text, size_t at, size_t n)
{
    size_t i = at + n;
    while (i < text.n && (is_quote(text.p[i]) || char_is_space(text.p[i])))
        i++;
    return i < text.n && text.p[i] == ':';
}

/* model: X, "model_name": "X", MODEL=X, --model X */
static bool is_models_value(struct str text, size_t at)
{
    size_t i = at, end;
    while (i && (is_quote(text.p[i - 1]) || char_is_space(text.p[i - 1]) || text.p[i - 1] == '\\'))
        i--;
    bool sign = i && (text.p[i - 1] == ':' || text.p[i - 1] == '=');
    if (sign)
        i--;
    while (i && (is_quote(text.p[i - 1]) || text.p[i - 1] == ' ' || text.p[i - 1] == '\\'))
        i--;
    end = i;
    while (i && end - i < 64 && char_is_name(text.p[i - 1]))
        i--;
    struct str key = str_make(text.p + i, end - i);
    if (!sign && !str_starts(key, STR("--")))
        return false;
    for (size_t k = 0; k + 5 <= key.n; k++)
        if (str_eq_fold(str_make(key.p + k, 5), STR("model")))
            return true;
    return false;
}

/* The part of a provider's id that a text would have: "bedrock" of "amazon-bedrock". */
static struct str plain_name(struct str id)
{
    struct str best = STR("");
    while (id.n) {
        struct str part = str_head(id, str_find_char(id, '-'));
        if (part.n >= best.n)
            best = part;
        id = str_from(id, part.n + 1);
    }
    return best;
}

static bool is_upper(char c)
{
    return char_is_alpha(c) && c != char_fold(c);
}

/* A word by itself, or one of an identifier's: AzureOpenAI, groq_client; not "coherent". */
static bool is_word(struct str text, size_t at, size_t n)
{
    char first = text.p[at], last = text.p[at + n - 1];
    char before = at ? text.p[at - 1] : ' ', after = at + n < text.n ? text.p[at + n] : ' ';
    if (char_is_alpha(before) && (!is_upper(first) || is_upper(before)))
        return false;
    return !char_is_alpha(after) || (is_upper(after) && !is_upper(last));
}

static bool holds(struct str text, struct str word)
{
    const char lower = word.p[0];
    const char upper = char_is_alpha(lower) ? (char)(lower - ('a' - 'A')) : lower;
    for (size_t i = 0; i + word.n <= text.n; i++) {
        if ((text.p[i] == lower || text.p[i] == upper) &&
            str_eq_fold(str_make(text.p + i, word.n), word) && is_word(text, i, word.n))
            return true;
    }
    return false;
}

/* Does the text name who serves this row? */
static bool is_named(struct mentions *m, struct str text, uint32_t row)
{
    enum { NAMED = 1, UNNAMED };
    const struct snap_row *r = &m->offers->row[row];
    uint8_t *known = &m->named[r->provider];
    struct str word = plain_name(offer_provider(m->offers, r));
    if (!*known)
        *known = word.n && holds(text, word) ? NAMED : UNNAMED;
    return *known == NAMED;
}

/* -- which offering -- */

/* How long it lives: 0 has ended, then the day on which it ends, then an end without a day, and
 * no end at all. */
static uint32_t lives_until(const struct mentions *m, uint32_t row)
{
    enum row_status status = offer_status_on(m->offers, row, m->day);
    uint32_t retires = m->offers->row[row].retires;
    if (status == ROW_RETIRED)
        return 0;
    if (retires)
        return retires;
    return status == ROW_DEPRECATED ? UINT32_MAX - 1 : UINT32_MAX;
}

static uint32_t longer_lived(const struct mentions *m, uint32_t best, uint32_t row)
{
    return best == SNAP_NONE || lives_until(m, row) > lives_until(m, best) ? row : best;
}

/* An end that nobody named a day of was concluded, as that of open weights from a lab that does
 * not serve them: as long as anybody serves the id, it is no end. */
static uint32_t doubted(const struct mentions *m, const struct meaning *x, uint32_t best)
{
    if (best == SNAP_NONE || m->only || lives_until(m, best) || m->offers->row[best].retires)
        return best;
    for (uint32_t r = x->named ? x->own : x->row; r != SNAP_NONE; r = m->next[r])
        best = longer_lived(m, best, r);
    return best;
}

/* Of those that may be meant the one that lives longest; SNAP_NONE: nobody can say. */
static uint32_t meant(struct mentions *m, const struct meaning *x, struct str text, bool slash)
{
    uint32_t best = x->own;
    if (x->named) {
        best = x->row;
        for (uint32_t r = x->own; r != SNAP_NONE; r = m->next[r])
            if (is_named(m, text, r))
                best = longer_lived(m, best, r);
        return m->only && !m->only[m->offers->row[best].provider] ? SNAP_NONE : best;
    }
    bool single = m->next[x->row] == SNAP_NONE && !slash;
    if (m->only)
        best = SNAP_NONE;
    for (uint32_t r = x->row; r != SNAP_NONE; r = m->next[r])
        if (m->only ? m->only[m->offers->row[r].provider] != 0
                    : r != x->own && (single || is_named(m, text, r)))
            best = longer_lived(m, best, r);
    return best;
}

/* 1: it is an id; 0: it is none; -1: that depends on the rest of the text. */
static int judge(struct mentions *m, const struct meaning *x, struct str text, size_t at,
                 struct str token, uint32_t row)
{
    if (x->grade == GRADE_CLEAR || is_models_value(text, at))
        return 1;
    if (!is_quoted(text, at, token.n))
        return 0;
    if (x->grade == GRADE_QUOTED)
        return 1;
    if (is_key(text, at, token.n))
        return 0;
    if (is_named(m, text, row))
        return 1;
    bool digit = false;
    for (size_t i = 0; i < token.n; i++)
        digit |= char_is_digit(token.p[i]);
    return digit ? -1 : 0;
}

/* -- the pass -- */

static const struct meaning *meaning_of(struct mentions *m, struct str token)
{
    uint32_t *known = map_get(&m->seen, token);
    if (known)
        return &m->meaning[*known];
    if (!ARENA_GROW(m->ar, m->meaning, m->n_meanings, m->cap_meanings) ||
        !map_put(&m->seen, token, (uint32_t)m->n_meanings))
        return NULL;
    m->meaning[m->n_meanings] = think(m, token);
    return &m->meaning[m->n_meanings++];
}

/* May there be an id in it? Cheap: most tokens of any text are words of it. */
static bool is_candidate(const struct mentions *m, struct str token)
{
    if (token.n < 2 || token.n > LIMIT_NAME_BYTES)
        return false;
    if (may_start(m, token))
        return true;
    for (size_t i = 1; i + 1 < token.n; i++) {
        char c = token.p[i];
        if ((c == '/' || c == ':' || c == '.') && may_start(m, str_from(token, i + 1)))
            return true;
    }
    return false;
}

static bool is_edge(char c)
{
    return c == '-' || c == '.' || c == ':' || c == '/';
}

/* The token at `at` without what cannot begin or end an id. "model:gpt-4" is a key first. */
static struct str trim(struct str token)
{
    while (token.n && is_edge(token.p[0]))
        token = str_from(token, 1);
    while (token.n && (is_edge(token.p[token.n - 1]) || token.p[token.n - 1] == '@'))
        token.n--;
    size_t colon = str_find_char(token, ':');
    if (colon >= 5 && colon + 1 < token.n &&
        str_eq_fold(str_make(token.p + colon - 5, 5), STR("model")))
        token = str_from(token, colon + 1);
    return token;
}

static bool keep_for_later(struct mentions *m, struct mention x)
{
    if (!ARENA_GROW(m->ar, m->later, m->n_later, m->cap_later))
        return false;
    m->later[m->n_later++] = x;
    return true;
}

/* One token; counts in *clear those that are ids beyond doubt. */
static bool look_at(struct mentions *m, struct str text, struct str token, size_t *clear,
                    mention_fn *fn, void *ctx)
{
    token = trim(token);
    if (!is_candidate(m, token))
        return true;
    const struct meaning *x = meaning_of(m, token);
    if (!x)
        return false;
    if (x->row == SNAP_NONE)
        return true;
    *clear += x->grade == GRADE_CLEAR;
    uint32_t row = doubted(m, x, meant(m, x, text, memchr(token.p, '/', token.n) != NULL));
    if (row == SNAP_NONE)
        return true;
    struct mention found = {(size_t)(token.p - text.p), token, row};
    int is = judge(m, x, text, found.at, token, row);
    if (is < 0)
        return keep_for_later(m, found);
    if (is > 0)
        fn(ctx, &found);
    return true;
}

bool mentions_find(struct mentions *m, struct str text, mention_fn *fn, void *ctx)
{
    size_t clear = 0;
    m->n_later = 0;
    memset(m->named, 0, m->offers->cat->snap.sec[SEC_PROVIDERS].n);
    for (size_t i = 0; i < text.n;) {
        size_t from = i;
        while (i < text.n && m->of_token[(unsigned char)text.p[i]])
            i++;
        if (i > from + 1 && !look_at(m, text, str_make(text.p + from, i - from), &clear, fn, ctx))
            return false;
        while (i < text.n && !m->of_token[(unsigned char)text.p[i]])
            i++;
    }
    for (size_t i = 0; clear && i < m->n_later; i++)
        fn(ctx, &m->later[i]);
    return !m->ar->failed;
}
