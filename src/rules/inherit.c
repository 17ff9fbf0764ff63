#include "inherit.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <stdlib.h>

/* Where the newest version stands in the record that is kept for a tier or a family, and the words
 * of names that say no (";coder reasoning;"): no model that talks has vectors, no family a name for
 * people. */
#define F_LINE_VERSION F_embedding_dimensions
#define F_LINE_DENIES F_display_name
#define DENIES_ROOM 4096u

/* -- names ------------------------------------------------------------------------------------ */

static bool digit_at(struct str s, size_t i)
{
    return i < s.n && char_is_digit(s.p[i]);
}

static size_t digits_at(struct str s, size_t i)
{
    size_t n = 0;
    while (digit_at(s, i + n))
        n++;
    return n;
}

static uint32_t number_at(struct str s, size_t i, size_t n)
{
    uint32_t v = 0;
    for (size_t k = 0; k < n && k < 5; k++)
        v = v * 10 + (uint32_t)(s.p[i + k] - '0');
    return v < 0xffff ? v : 0xffff;
}

struct str model_undated(struct str s)
{
    static const char *const forms[] = {"-20dddddd", "-20dd-dd-dd", "-dd-20dd"};
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        size_t n = strlen(forms[i]), k = 0;
        if (n >= s.n)
            continue;
        struct str end = str_from(s, s.n - n);
        while (k < n && (forms[i][k] == 'd' ? digit_at(end, k) : end.p[k] == forms[i][k]))
            k++;
        if (k == n)
            return str_head(s, s.n - n);
    }
    return s;
}

/* Without what is said of one release: a date, -preview, -latest. */
static struct str undated(struct str s)
{
    static const struct str words[] = {STR("-preview"), STR("-exp"), STR("-latest")};
    s = model_undated(s);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (s.n > words[i].n && str_ends(s, words[i]))
            return str_head(s, s.n - words[i].n);
    return s;
}

/* The first number that is no size: its place and length, 3.5 and 3-5 included. */
static bool find_version(struct str s, size_t *at, size_t *n, uint32_t *version)
{
    for (size_t i = 0; i < s.n; i += digits_at(s, i) + 1) {
        size_t major = digits_at(s, i), minor = 0, end = i + major;
        if (!major)
            continue;
        if (end < s.n && s.p[end] == 'b' && (end + 1 == s.n || s.p[end + 1] == '-'))
            continue; /* 70b */
        if (end < s.n && (s.p[end] == '.' || s.p[end] == 'p'))
            minor = digits_at(s, end + 1);
        if (end < s.n && s.p[end] == '-') {
            size_t more = digits_at(s, end + 1), behind = end + 1 + more;
            bool word = behind == s.n || s.p[behind] == '-';
            minor = more <= 2 && word ? more : 0;
        }
        *at = i;
        *n = minor ? major + 1 + minor : major;
        *version = number_at(s, i, major) << 16 | (minor ? number_at(s, end + 1, minor) : 0);
        return true;
    }
    return false;
}

struct lineage lineage_of(struct str lab, struct str id, char room[LINEAGE_ROOM])
{
    struct lineage out = {STR(""), STR(""), STR(""), 0};
    struct buf b;
    size_t at, n;
    id = undated(id);
    if (!lab.n || !find_version(id, &at, &n, &out.version))
        return out;
    struct str front = str_head(id, at), family = front;
    for (family.n = 0; family.n < front.n && char_is_alpha(front.p[family.n]);)
        family.n++;
    buf_init_lent(&b, room, LINEAGE_ROOM);
    buf_puts(&b, lab);
    buf_putc(&b, '/');
    buf_puts(&b, front);
    buf_putc(&b, '#');
    buf_puts(&b, str_from(id, at + n));
    size_t tier = b.n;
    buf_puts(&b, lab);
    buf_putz(&b, "/#");
    buf_puts(&b, family);
    if (b.failed || !family.n)
        return (struct lineage){STR(""), STR(""), STR(""), 0};
    out.tier = str_make(room, tier);
    out.rest = str_from(out.tier, lab.n + 1 + family.n);
    out.family = str_make(room + tier, b.n - tier);
    return out;
}

/* -- who came before whom --------------------------------------------------------------------- */

static int by_version(const struct inherit_model *x, const struct inherit_model *y)
{
    if (x->line.version != y->line.version)
        return x->line.version < y->line.version ? -1 : 1;
    return str_cmp(x->name, y->name);
}

static int by_family(const void *a, const void *b)
{
    const struct inherit_model *x = a, *y = b;
    int c = str_cmp(x->line.family, y->line.family);
    return c ? c : by_version(x, y);
}

static int by_tier(const void *a, const void *b)
{
    const struct inherit_model *x = *(struct inherit_model *const *)a;
    const struct inherit_model *y = *(struct inherit_model *const *)b;
    int c = str_cmp(x->line.tier, y->line.tier);
    return c ? c : by_version(x, y);
}

static uint32_t major_of(const struct lineage *line)
{
    return line->version >> 16;
}

bool inherit_link(struct inherit *in, struct arena *ar)
{
    struct inherit_model **order = arena_array(ar, in->n, sizeof *order);
    char room[LINEAGE_ROOM];
    if (!order)
        return false;
    for (size_t i = 0; i < in->n; i++) {
        struct inherit_model *m = &in->model[i];
        size_t cut = str_find_char(m->name, '/');
        m->line = lineage_of(str_head(m->name, cut), str_from(m->name, cut + 1), room);
        size_t rest = m->line.rest.n;
        m->line.tier = str_dup(ar, m->line.tier);
        m->line.family = str_dup(ar, m->line.family);
        if (!m->line.tier.p || !m->line.family.p)
            return false;
        m->line.rest = str_from(m->line.tier, m->line.tier.n - rest);
    }
    qsort(in->model, in->n, sizeof *in->model, by_family);
    for (size_t i = 0; i < in->n; i++)
        order[i] = &in->model[i];
    qsort(order, in->n, sizeof *order, by_tier);
    map_init(&in->by_name, ar, false);
    for (size_t i = 0, from = 0; i < in->n; i++) {
        if (!str_eq(in->model[i].line.family, in->model[from].line.family))
            from = i;
        in->model[i].first = from;
        in->model[from].end = i + 1;
        if (!map_put(&in->by_name, in->model[i].name, (uint32_t)i))
            return false;
    }
    for (size_t i = 0; i < in->n; i++)
        in->model[i].end = in->model[in->model[i].first].end;
    for (size_t i = 0; i < in->n; i++) {
        struct inherit_model *m = order[i], *last = i ? order[i - 1] : NULL;
        m->newest = m->last = m->lends;
        if (!last || !m->line.tier.n || !str_eq(m->line.tier, last->line.tier))
            continue;
        last->newest &= !m->lends;
        last->last &= !m->lends || major_of(&last->line) != major_of(&m->line);
        bool newer = last->line.version < m->line.version;
        m->before = newer && last->lends ? last : last->before;
    }
    return true;
}

const struct inherit_model *inherit_find(const struct inherit *in, struct str name)
{
    const uint32_t *at = map_get(&in->by_name, name);
    return at ? &in->model[*at] : NULL;
}

/* The next word of a name but its first, without those that have digits: sizes, dates. */
static bool next_word(struct str *rest, struct str *word)
{
    while (rest->n) {
        bool digits = false;
        size_t end = 0;
        for (; end < rest->n && rest->p[end] != '-' && rest->p[end] != '#'; end++)
            digits |= char_is_digit(rest->p[end]);
        *word = str_head(*rest, end);
        *rest = str_from(*rest, end < rest->n ? end + 1 : end);
        if (word->n && !digits)
            return true;
    }
    return false;
}

static bool has_word(struct str rest, struct str word)
{
    struct str w;
    while (next_word(&rest, &w))
        if (str_eq(w, word))
            return true;
    return false;
}

static bool has_words(struct str rest, struct str words)
{
    struct str w;
    while (next_word(&words, &w))
        if (!has_word(rest, w))
            return false;
    return true;
}

/* Those of a model's family that are asked: up to a version, and not it itself; where there are
 * such, only those that have no words but its own: a -vl or a -coder does not speak for all. */
struct elders {
    const struct inherit *in;
    const struct inherit_model *of;
    uint32_t version;
    const struct inherit_model *not_this;
    bool plain;
};

/* The newest of them before `at` that says anything of a field and, if one is given, has a word in
 * its name. */
static const struct inherit_model *elder(const struct elders *e, size_t *at, size_t field,
                                         struct str word)
{
    while (*at > e->of->first) {
        const struct inherit_model *m = &e->in->model[--*at];
        if (m == e->not_this || !m->lends || m->line.version > e->version)
            continue;
        if (e->plain && !has_words(e->of->line.rest, m->line.rest))
            continue;
        if (m->word[field].what != SAID_NOTHING && (!word.n || has_word(m->line.rest, word)))
            return m;
    }
    return NULL;
}

/* Does the newest that has this word in its name say no? qwen3-coder does not think, as little as
 * the coders before it. */
static bool word_denies(const struct elders *e, size_t field, struct str word)
{
    size_t at = e->of->end;
    const struct inherit_model *m = elder(e, &at, field, word);
    return m && m->word[field].what == SAID_NO;
}

/* What the newest two of a family agree on, unless a word of `rest` denies it. */
static const struct borrow_said *family_word(const struct elders *e, size_t field, struct str rest)
{
    struct str word;
    size_t at = e->of->end;
    const struct inherit_model *first = elder(e, &at, field, STR(""));
    if (!first || first->word[field].what == SAID_NO)
        return NULL;
    const struct inherit_model *second = elder(e, &at, field, STR(""));
    if (second && second->word[field].what == SAID_NO)
        return NULL;
    while (next_word(&rest, &word))
        if (word_denies(e, field, word))
            return NULL;
    return &first->word[field];
}

const struct borrow_said *inherit_word(const struct inherit *in, const struct inherit_model *m,
                                       size_t i, uint16_t mask)
{
    if (!m->talks || !m->line.tier.n)
        return NULL;
    if (mask >> BORROW_VERSION & 1 && m->before && m->before->word[i].what == SAID_YES)
        return &m->before->word[i];
    if (!(mask >> BORROW_FAMILY & 1))
        return NULL;
    struct elders e = {in, m, m->line.version, m, true};
    size_t at = m->end;
    e.plain = elder(&e, &at, i, STR("")) != NULL;
    return family_word(&e, i, m->line.rest);
}

/* -- what is kept for others --------------------------------------------------------------------
 */

static void keep(cando_profile *p, unsigned field, uint32_t value, uint32_t rule)
{
    bit_put(p->set, field);
    p->value[field] = value;
    p->origin[field] = rule | ORIGIN_BORROWED | ORIGIN_INHERITED;
}

static void keep_version(cando_profile *p, uint32_t version, uint32_t rule)
{
    keep(p, F_LINE_VERSION, VAL(VAL_NUMBER, version & VAL_PAYLOAD_MAX), rule);
}

/* The name of a tier's models with one first number. */
static struct str major_key(struct buf *b, const struct lineage *line)
{
    buf_printf(b, "%.*s %u", STR_ARG(line->tier), (unsigned)major_of(line));
    return b->failed ? STR("") : STR_IN(*b);
}

/* There is one: who is not the newest comes before one that lends, in the same family. */
static const struct inherit_model *newest_of(const struct inherit *in,
                                             const struct inherit_model *m)
{
    const struct inherit_model *x = &in->model[m->first];
    while (!x->newest || !str_eq(x->line.tier, m->line.tier)) {
        x++;
        invariant(x < in->model + m->end);
    }
    return x;
}

/* Of the last one before another first number only what the newest of the tier has as well. */
static void keep_tier(struct compiler *c, const struct inherit *in, const struct inherit_model *m,
                      const unsigned *field, size_t n_fields, cando_profile *tier)
{
    uint32_t any = SNAP_NONE;
    const struct inherit_model *newest = m->newest ? m : newest_of(in, m);
    struct str key = m->line.tier;
    struct buf b;
    buf_init_arena(&b, &c->ar, LINEAGE_ROOM);
    if (!m->newest)
        key = major_key(&b, &m->line);
    for (size_t f = 0; f < n_fields; f++) {
        const struct borrow_said *x = &m->word[f];
        if (!(c->rs->borrow[field[f]] >> BORROW_VERSION & 1) || x->what != SAID_YES ||
            newest->word[f].what != SAID_YES)
            continue;
        keep(tier, field[f], x->value, x->rule);
        any = x->rule;
    }
    if (any == SNAP_NONE || !key.n)
        return;
    keep_version(tier, m->line.version, any);
    compile_pair_put(c, SNAP_NONE, key, key, tier, CANDO_BY_FAMILY);
}

/* Adds the fields of a family's record that a word denies. */
static void keep_denials(struct buf *b, const struct elders *e, struct str word,
                         const unsigned *field, size_t n_fields, const cando_profile *family)
{
    for (size_t f = 0; f < n_fields; f++)
        if (bit_get(family->set, field[f]) && word_denies(e, f, word))
            buf_printf(b, "%.*s %s;", STR_ARG(word), vocab_row(field[f])->name);
}

/* Has a newer one of the family this word? Then it is done. */
static bool is_done(const struct elders *e, size_t at, struct str word)
{
    while (++at < e->of->end)
        if (has_word(e->in->model[at].line.rest, word))
            return true;
    return false;
}

/* The version of the second of its family's newest that lend; of the first, if there is one. */
static uint32_t second_version(const struct inherit *in, const struct inherit_model *m)
{
    uint32_t version = 0;
    unsigned n = 0;
    for (size_t i = m->end; i > m->first && n < 2; i--) {
        if (!in->model[i - 1].lends)
            continue;
        version = in->model[i - 1].line.version;
        n++;
    }
    return version;
}

/* `m` is the last of its family. */
static void keep_family(struct compiler *c, const struct inherit *in, const struct inherit_model *m,
                        const unsigned *field, size_t n_fields, cando_profile *family)
{
    const struct elders e = {in, m, UINT32_MAX, NULL, false};
    char room[DENIES_ROOM];
    struct buf denies;
    uint32_t any = SNAP_NONE;
    for (size_t f = 0; f < n_fields; f++) {
        const struct borrow_said *x =
            c->rs->borrow[field[f]] >> BORROW_FAMILY & 1 ? family_word(&e, f, STR("")) : NULL;
        if (!x)
            continue;
        keep(family, field[f], x->value, x->rule);
        any = x->rule;
    }
    if (any == SNAP_NONE)
        return;
    buf_init_lent(&denies, room, sizeof room);
    buf_putc(&denies, ';');
    for (size_t i = m->end; i > m->first; i--) {
        struct str rest = in->model[i - 1].line.rest, word;
        while (next_word(&rest, &word))
            if (!is_done(&e, i - 1, word))
                keep_denials(&denies, &e, word, field, n_fields, family);
    }
    if (denies.failed) /* a family of so many words is none */
        return;
    keep_version(family, second_version(in, m), any);
    if (denies.n > 1)
        keep(family, F_LINE_DENIES, VAL(VAL_TEXT, compile_string(c, STR_IN(denies))), any);
    compile_pair_put(c, SNAP_NONE, m->line.family, m->line.family, family, CANDO_BY_FAMILY);
}

void inherit_keep(struct compiler *c, const struct inherit *in, const unsigned *field,
                  size_t n_fields, const cando_catalog *catalog)
{
    for (size_t i = 0; i < in->n && !c->ar.failed; i++) {
        const struct inherit_model *m = &in->model[i];
        cando_profile tier = {.catalog = catalog}, family = {.catalog = catalog};
        if (!m->line.tier.n)
            continue;
        if (m->newest || m->last)
            keep_tier(c, in, m, field, n_fields, &tier);
        if (i + 1 == m->end)
            keep_family(c, in, m, field, n_fields, &family);
    }
}

/* -- for what nobody has listed -----------------------------------------------------------------
 */

static bool find_record(const struct snapshot *s, struct str key, cando_profile *out)
{
    uint32_t at = key.n ? snapshot_exact(s, SNAP_NONE, key) : SNAP_NONE;
    if (at == SNAP_NONE)
        return false;
    out->record = (const uint32_t *)(const void *)(s->sec[SEC_RECORDS].p + (size_t)at * 4);
    out->identity = CANDO_BY_FAMILY;
    return true;
}

/* The record of a tier or a family, if the id is not older than its newest versions. */
static bool find_line(const struct snapshot *s, struct str key, uint32_t version,
                      cando_profile *out)
{
    uint32_t value, origin;
    if (!find_record(s, key, out) || !profile_raw(out, F_LINE_VERSION, &value, &origin))
        return false;
    return VAL_PAYLOAD(value) <= version;
}

/* Is ";word field;" among what a family's record denies? */
static bool is_denied(const cando_profile *from, unsigned field, struct str rest)
{
    char room[LIMIT_NAME_BYTES * 2];
    uint32_t value, origin;
    struct str word;
    if (!profile_raw(from, F_LINE_DENIES, &value, &origin))
        return false;
    struct str denies = snap_str(&from->catalog->snap, VAL_PAYLOAD(value));
    while (next_word(&rest, &word)) {
        struct buf b;
        buf_init_lent(&b, room, sizeof room);
        buf_printf(&b, ";%.*s %s;", STR_ARG(word), vocab_row(field)->name);
        if (b.failed || str_find(denies, STR_IN(b)) < denies.n)
            return true;
    }
    return false;
}

static void take_all(const cando_profile *from, const struct lineage *line, cando_profile *out)
{
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value, origin;
        if (f == F_LINE_VERSION || f == F_LINE_DENIES || !profile_raw(from, f, &value, &origin))
            continue;
        struct profile_fact have = profile_fact(out, f);
        if (have.value.known || inherit_refused(&out->catalog->snap, &have) ||
            is_denied(from, f, line->rest))
            continue;
        bit_put(out->set, f);
        out->value[f] = value;
        out->origin[f] = origin;
        if (out->identity == CANDO_BY_DEFAULT)
            out->identity = CANDO_BY_FAMILY;
    }
}

void inherit_apply(struct match_query *q, cando_profile *out)
{
    char room[LINEAGE_ROOM];
    cando_value kind = profile_fact(out, F_model_kind).value;
    if (kind.known && strcmp(kind.text, "chat") != 0)
        return;
    query_parse(q);
    struct lineage line = lineage_of(q->mid.vendor, q->mid.base, room);
    cando_profile from = {.catalog = out->catalog};
    char earlier[LINEAGE_ROOM];
    struct buf b;
    buf_init_lent(&b, earlier, sizeof earlier);
    if (find_line(q->s, line.tier, line.version, &from) ||
        (line.tier.n && find_line(q->s, major_key(&b, &line), line.version, &from)))
        take_all(&from, &line, out);
    if (find_line(q->s, line.family, line.version, &from))
        take_all(&from, &line, out);
}
