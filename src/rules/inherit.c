#include "inherit.h"

#include <stdlib.h>

/* Where a tier's newest version stands in the record that is kept for it: no model that talks
 * has vectors. */
#define F_TIER_VERSION F_embedding_dimensions

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
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
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
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
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
    struct lineage out = {STR(""), STR(""), 0};
    struct buf b;
    size_t at, n;
    id = undated(id);
    if (!lab.n || !find_version(id, &at, &n, &out.version))
        return out;
    struct str front = str_head(id, at), family = front;
    while (family.n && family.p[family.n - 1] == '-')
        family.n--;
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
        return (struct lineage){STR(""), STR(""), 0};
    out.tier = str_make(room, tier);
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
        m->line.tier = str_dup(ar, m->line.tier);
        m->line.family = str_dup(ar, m->line.family);
        if (!m->line.tier.p || !m->line.family.p)
            return false;
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
        m->newest = m->talks;
        if (!last || !m->line.tier.n || !str_eq(m->line.tier, last->line.tier))
            continue;
        last->newest &= !m->talks;
        bool newer = last->line.version < m->line.version;
        m->before = newer ? last : last->before;
        if (m->before && !m->before->talks)
            m->before = NULL;
    }
    return true;
}

const struct inherit_model *inherit_find(const struct inherit *in, struct str name)
{
    const uint32_t *at = map_get(&in->by_name, name);
    return at ? &in->model[*at] : NULL;
}

/* What the newest three of a model's family agree on, of those up to a version that say anything.
 */
static const struct borrow_said *family_word(const struct inherit *in,
                                             const struct inherit_model *of, uint32_t version,
                                             const struct inherit_model *not_this, size_t field)
{
    const struct borrow_said *newest = NULL;
    unsigned n = 0;
    for (size_t i = of->end; i > of->first && n < 3; i--) {
        const struct inherit_model *m = &in->model[i - 1];
        if (m == not_this || !m->talks || m->line.version > version)
            continue;
        const struct borrow_said *x = &m->word[field];
        if (x->what == SAID_NO)
            return NULL;
        if (x->what == SAID_NOTHING)
            continue;
        newest = newest ? newest : x;
        n++;
    }
    return n > 1 ? newest : NULL;
}

const struct borrow_said *inherit_word(const struct inherit *in, const struct inherit_model *m,
                                       size_t i, uint16_t mask)
{
    if (!m->talks || !m->line.tier.n)
        return NULL;
    if (mask >> BORROW_VERSION & 1 && m->before && m->before->word[i].what == SAID_YES)
        return &m->before->word[i];
    if (mask >> BORROW_FAMILY & 1)
        return family_word(in, m, m->line.version, m, i);
    return NULL;
}

/* -- what is kept for others --------------------------------------------------------------------
 */

static void keep(cando_profile *p, unsigned field, uint32_t value, uint32_t rule)
{
    p->set[field / 64] |= UINT64_C(1) << (field % 64);
    p->value[field] = value;
    p->origin[field] = rule | ORIGIN_BORROWED | ORIGIN_INHERITED;
}

void inherit_keep(struct compiler *c, const struct inherit *in, const unsigned *field,
                  size_t n_fields, const cando_catalog *catalog)
{
    const uint16_t *mask = c->rs->borrow;
    for (size_t i = 0; i < in->n && !c->ar.failed; i++) {
        const struct inherit_model *m = &in->model[i];
        cando_profile tier = {.catalog = catalog}, family = {.catalog = catalog};
        bool last = i + 1 == m->end;
        uint32_t any = SNAP_NONE;
        if (!m->line.tier.n)
            continue;
        for (size_t f = 0; f < n_fields; f++) {
            const struct borrow_said *x = &m->word[f];
            if (!(mask[field[f]] >> BORROW_VERSION & 1) || x->what != SAID_YES)
                continue;
            keep(&tier, field[f], x->value, x->rule);
            any = x->rule;
        }
        if (any != SNAP_NONE && m->newest) {
            keep(&tier, F_TIER_VERSION, VAL(VAL_NUMBER, m->line.version & VAL_PAYLOAD_MAX), any);
            compile_pair_put(c, SNAP_NONE, m->line.tier, m->line.tier, &tier, CANDO_BY_FAMILY);
        }
        for (size_t f = 0; last && f < n_fields; f++) {
            const struct borrow_said *x = mask[field[f]] >> BORROW_FAMILY & 1
                                              ? family_word(in, m, UINT32_MAX, NULL, f)
                                              : NULL;
            if (x)
                keep(&family, field[f], x->value, x->rule);
        }
        if (last)
            compile_pair_put(c, SNAP_NONE, m->line.family, m->line.family, &family,
                             CANDO_BY_FAMILY);
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

/* The tier's record, if the id is not older than its newest version. */
static bool find_tier(const struct snapshot *s, const struct lineage *line, cando_profile *out)
{
    uint32_t value, origin;
    if (!find_record(s, line->tier, out) || !profile_raw(out, F_TIER_VERSION, &value, &origin))
        return false;
    return VAL_PAYLOAD(value) <= line->version;
}

static void take_all(const cando_profile *from, cando_profile *out)
{
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value, origin;
        if (f == F_TIER_VERSION || !profile_raw(from, f, &value, &origin))
            continue;
        struct profile_fact have = profile_fact(out, f);
        if (have.value.known || inherit_refused(&out->catalog->snap, &have))
            continue;
        out->set[f / 64] |= UINT64_C(1) << (f % 64);
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
    if (find_tier(q->s, &line, &from))
        take_all(&from, out);
    if (find_record(q->s, line.family, &from))
        take_all(&from, out);
}
