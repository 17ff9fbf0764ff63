/*
 * shape.c - reads and writes structs by their tables.
 *
 * Where a value stands is kept as a chain of steps on the C stack while reading, and
 * becomes a JSON Pointer only when there is something to complain about. Shapes do not
 * contain themselves, so the depth of both is that of the tables.
 */
#include "shape.h"

#include "base/limits.h"

/* -- places -------------------------------------------------------------------------------- */

struct step {
    const struct step *up;
    struct str key; /* p is NULL: an item of a list */
    size_t index;
};

struct reader {
    struct reading *r;
    struct str text;
};

static void put_steps(struct buf *b, const struct step *s)
{
    if (!s)
        return;
    put_steps(b, s->up);
    buf_putc(b, '/');
    if (s->key.p)
        json_pointer_token(b, str_head(s->key, 200));
    else
        buf_printf(b, "%zu", s->index);
}

static struct str pointer(const struct reader *x, const struct step *s)
{
    struct buf b;
    buf_init_arena(&b, x->r->ar, 1 << 16);
    put_steps(&b, s);
    return buf_cstr(&b) ? STR_IN(b) : STR_NONE;
}

/* -- reading ----------------------------------------------------------------------------------- */

static bool read_object(struct reader *x, const struct shape *s, const struct json *v,
                        const struct step *at, const char *also, void *out);

static bool wrong_kind(struct reader *x, const struct step *at, const char *wanted,
                       const struct json *v)
{
    struct str name = at && at->key.p ? at->key : STR("an item");
    return reading_fail(x->r, CODE_bad_argument, pointer(x, at), "'%.*s' must be %s, it is %s",
                        STR_ARG(str_head(name, 80)), wanted, json_kind_name(v));
}

static bool read_text(struct reader *x, const struct shape_member *m, const struct json *v,
                      const struct step *at, const char **out)
{
    bool number = v->kind == JSON_NUMBER && (m->kind == SHAPE_MONEY || m->flags & NUMBERS);
    if (v->kind != JSON_STRING && !number)
        return wrong_kind(x, at, m->flags & NUMBERS ? "a string or a number" : "a string", v);
    if (memchr(v->text.p, '\0', v->text.n))
        return reading_fail(x->r, CODE_bad_argument, pointer(x, at),
                            "there is a NUL character in this text");
    *out = v->text.p;
    return true;
}

static bool unknown_word(struct reader *x, const struct shape_member *m, struct str word,
                         const struct step *at)
{
    const struct shape_words *words = m->of;
    struct nearest near = nearest_to(word);
    struct buf known;
    buf_init_arena(&known, x->r->ar, 4096);
    for (unsigned i = 0; i < words->n; i++) {
        if (!words->word[i])
            continue;
        nearest_try(&near, str_of(words->word[i]));
        buf_printf(&known, "%s'%s'", known.n ? ", " : "", words->word[i]);
    }
    if (known.failed)
        return reading_memory(x->r);
    reading_fail(x->r, CODE_bad_argument, pointer(x, at), "'%.*s' is no value of '%s'",
                 STR_ARG(str_head(word, 80)), m->name);
    if (near.name.n)
        return reading_hint(x->r, "did you mean '%.*s'? known: %.*s", STR_ARG(near.name),
                            (int)known.n, known.p);
    return reading_hint(x->r, "known: %.*s", (int)known.n, known.n ? known.p : "");
}

static bool read_word(struct reader *x, const struct shape_member *m, const struct json *v,
                      const struct step *at, uint32_t *out)
{
    const struct shape_words *words = m->of;
    if (m->flags & BOOLS && (v->kind == JSON_FALSE || v->kind == JSON_TRUE)) {
        *out = v->kind == JSON_TRUE;
        return true;
    }
    if (v->kind != JSON_STRING)
        return wrong_kind(x, at, "a word", v);
    for (unsigned i = 0; i < words->n; i++)
        if (words->word[i] && str_is(v->text, words->word[i])) {
            *out = i;
            return true;
        }
    return unknown_word(x, m, v->text, at);
}

static bool nul_in_name(struct reader *x, const struct step *at)
{
    return reading_fail(x->r, CODE_bad_argument, pointer(x, at),
                        "there is a NUL character in this name");
}

static void put_list(char *out, const struct shape_member *m, void *list, size_t n)
{
    memcpy(out + m->at, &list, sizeof list);
    memcpy(out + m->n_at, &n, sizeof n);
}

/* An object, or (NAMED) the name that stands for it. */
static bool read_named(struct reader *x, const struct shape_member *m, const struct json *v,
                       const struct step *at, void *out)
{
    const struct shape *s = m->of;
    if (m->flags & NAMED && v->kind == JSON_STRING)
        return read_text(x, &s->member[0], v, at, (const char **)((char *)out + s->member[0].at));
    if (v->kind != JSON_OBJECT)
        return wrong_kind(x, at, m->flags & NAMED ? "a string or an object" : "an object", v);
    return read_object(x, s, v, at, "", out);
}

static void *fresh(struct reader *x, size_t n, size_t size)
{
    void *p = arena_array(x->r->ar, n ? n : 1, size);
    if (!p)
        reading_memory(x->r);
    return p;
}

/* What goes over the values inside of an object that are none themselves, or lie too deep to be
 * anybody's parameters; `list` is NULL: they are counted. */
#define LEAF_DEPTH 16
struct leaves {
    const struct shape *s;
    char *list;
    size_t n, depth;
    struct str path[LEAF_DEPTH];
};

static bool put_leaf(struct reader *x, struct leaves *l, const struct json *v)
{
    char *item = l->list + l->n * l->s->size;
    const char **path = (const char **)(void *)fresh(x, l->depth, sizeof *path);
    if (!path)
        return false;
    for (size_t i = 0; i < l->depth; i++)
        path[i] = l->path[i].p;
    put_list(item, &l->s->member[0], path, l->depth);
    *(cando_bytes *)(void *)(item + l->s->member[1].at) =
        (cando_bytes){x->text.p + v->at, v->end - v->at};
    return true;
}

static bool take_leaves(struct reader *x, struct leaves *l, const struct json *v,
                        const struct step *at)
{
    if (v->kind != JSON_OBJECT || l->depth == LEAF_DEPTH) {
        bool ok = !l->list || put_leaf(x, l, v);
        l->n++;
        return ok;
    }
    for (size_t i = 0; i < v->n; i++) {
        struct step here = {.up = at, .key = v->key[i].text};
        if (memchr(here.key.p, '\0', here.key.n))
            return nul_in_name(x, &here);
        l->path[l->depth++] = here.key;
        if (!take_leaves(x, l, &v->item[i], &here))
            return false;
        l->depth--;
    }
    return true;
}

static bool read_leaves(struct reader *x, const struct shape_member *m, const struct json *v,
                        const struct step *at, char *out)
{
    struct leaves l = {.s = m->of};
    if (!take_leaves(x, &l, v, at))
        return false;
    l.list = fresh(x, l.n, l.s->size);
    l.n = 0;
    if (!l.list || !take_leaves(x, &l, v, at))
        return false;
    put_list(out, m, l.list, l.n);
    return true;
}

static bool read_list(struct reader *x, const struct shape_member *m, const struct json *v,
                      const struct step *at, char *out)
{
    const struct shape *s = m->of;
    if (m->flags & LEAVES && v->kind == JSON_OBJECT)
        return read_leaves(x, m, v, at, out);
    size_t size = s ? s->size : sizeof(char *);
    bool alone = m->flags & ALONE && v->kind != JSON_ARRAY;
    if (v->kind != JSON_ARRAY && !alone)
        return wrong_kind(x, at, m->flags & LEAVES ? "an object or a list" : "a list", v);
    size_t n = alone ? 1 : v->n;
    char *list = fresh(x, n, size);
    if (!list)
        return false;
    static const struct shape_member text = {.kind = SHAPE_TEXT};
    for (size_t i = 0; i < n; i++) {
        struct step here = {.up = at, .index = i};
        const struct step *place = alone ? at : &here;
        const struct json *item = alone ? v : &v->item[i];
        bool ok = s ? read_named(x, m, item, place, list + i * size)
                    : read_text(x, &text, item, place, (const char **)(void *)(list + i * size));
        if (!ok)
            return false;
    }
    put_list(out, m, list, n);
    return true;
}

static bool read_member(struct reader *x, const struct shape_member *m, const struct json *v,
                        const struct step *at, char *out);

static bool read_map(struct reader *x, const struct shape_member *m, const struct json *v,
                     const struct step *at, char *out)
{
    const struct shape *s = m->of;
    if (v->kind != JSON_OBJECT)
        return wrong_kind(x, at, "an object", v);
    char *list = fresh(x, v->n, s->size);
    if (!list)
        return false;
    for (size_t i = 0; i < v->n; i++) {
        struct step here = {.up = at, .key = v->key[i].text};
        char *item = list + i * s->size;
        if (memchr(v->key[i].text.p, '\0', v->key[i].text.n))
            return nul_in_name(x, &here);
        *(const char **)(void *)(item + s->member[0].at) = v->key[i].text.p;
        if (!read_member(x, &s->member[1], &v->item[i], &here, item))
            return false;
    }
    put_list(out, m, list, v->n);
    return true;
}

static bool read_number(struct reader *x, const struct json *v, const struct step *at,
                        uint64_t most, uint64_t *out)
{
    if (v->kind != JSON_NUMBER || !json_uint(v, out) || *out > most)
        return wrong_kind(x, at, "a whole number that is not negative", v);
    return true;
}

static bool read_member(struct reader *x, const struct shape_member *m, const struct json *v,
                        const struct step *at, char *out)
{
    char *to = out + m->at;
    uint64_t n;
    if (v->kind == JSON_RAW && m->kind != SHAPE_JSON)
        return reading_fail(x->r, CODE_internal, pointer(x, at), "this was not read");
    if (v->kind == JSON_NULL && m->flags & NULLS)
        return true;
    switch ((enum shape_kind)m->kind) {
    case SHAPE_TEXT:
    case SHAPE_MONEY:
        return read_text(x, m, v, at, (const char **)(void *)to);
    case SHAPE_STRING:
        if (v->kind != JSON_STRING)
            return wrong_kind(x, at, "a string", v);
        *(cando_bytes *)(void *)to = (cando_bytes){v->text.p, v->text.n};
        return true;
    case SHAPE_FLAG:
        if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
            return wrong_kind(x, at, "true or false", v);
        *(bool *)(void *)to = v->kind == JSON_TRUE;
        return true;
    case SHAPE_COUNT:
        return read_number(x, v, at, UINT64_MAX, (uint64_t *)(void *)to);
    case SHAPE_COUNT32:
        if (!read_number(x, v, at, UINT32_MAX, &n))
            return false;
        *(uint32_t *)(void *)to = (uint32_t)n;
        return true;
    case SHAPE_NUMBER:
        ((cando_number *)(void *)to)->known = true;
        return read_number(x, v, at, UINT64_MAX, &((cando_number *)(void *)to)->value);
    case SHAPE_WORD:
        return read_word(x, m, v, at, (uint32_t *)(void *)to);
    case SHAPE_JSON: {
        struct str bytes = str_make(x->text.p + v->at, v->end - v->at);
        if (!(m->flags & NULLS && str_is(bytes, "null")))
            *(cando_bytes *)(void *)to = (cando_bytes){bytes.p, bytes.n};
        return true;
    }
    case SHAPE_OBJECT: {
        void *object = fresh(x, 1, ((const struct shape *)m->of)->size);
        if (!object)
            return false;
        memcpy(to, &object, sizeof object);
        return read_named(x, m, v, at, object);
    }
    case SHAPE_LIST:
    case SHAPE_TEXTS:
        return read_list(x, m, v, at, out);
    case SHAPE_MAP:
        return read_map(x, m, v, at, out);
    case SHAPE_SPREAD:
    case SHAPE_OTHER:
        break;
    }
    return reading_fail(x->r, CODE_unknown_argument, pointer(x, at), "'%s' is part of answers only",
                        m->name);
}

static struct str name_of(const struct shape_member *m)
{
    return str_make(m->name, m->length);
}

const struct shape_member *shape_find(const struct shape *s, struct str key)
{
    for (unsigned i = 0; i < s->n; i++)
        if (str_eq(key, name_of(&s->member[i])))
            return &s->member[i];
    return NULL;
}

static bool unknown_member(struct reader *x, const struct shape *s, struct str key,
                           const struct step *here)
{
    struct nearest near = nearest_to(key);
    struct buf known;
    buf_init_arena(&known, x->r->ar, 4096);
    for (unsigned i = 0; i < s->n; i++) {
        nearest_try(&near, name_of(&s->member[i]));
        buf_printf(&known, "%s%s", i ? ", " : "", s->member[i].name);
    }
    if (known.failed)
        return reading_memory(x->r);
    reading_fail(x->r, CODE_unknown_argument, pointer(x, here), "%s has no '%.*s'", s->what,
                 STR_ARG(str_head(key, 80)));
    if (near.name.n)
        reading_hint(x->r, "did you mean '%.*s'?", STR_ARG(near.name));
    else
        reading_hint(x->r, "it has: %.*s", (int)known.n, known.n ? known.p : "");
    return false;
}

/* In an object that may have members of its own: is this one of ours, but for a slip of the pen? */
static bool is_slip(const struct shape *s, struct str key, const struct json *v)
{
    struct nearest near = nearest_to(key);
    for (unsigned i = 0; i < s->n; i++)
        nearest_try(&near, name_of(&s->member[i]));
    return near.name.n && nearest_is_slip(&near) && !json_member(v, near.name);
}

static bool read_object(struct reader *x, const struct shape *s, const struct json *v,
                        const struct step *at, const char *also, void *out)
{
    uint64_t seen = 0; /* a bit each; no shape has more than 64 members */
    for (size_t i = 0; i < v->n; i++) {
        struct step here = {.up = at, .key = v->key[i].text};
        const struct shape_member *m = shape_find(s, here.key);
        if (!m && (s->open ? !is_slip(s, here.key, v) : words_have(also, here.key)))
            continue;
        if (!m)
            return unknown_member(x, s, here.key, &here);
        if (!read_member(x, m, &v->item[i], &here, out))
            return false;
        seen |= UINT64_C(1) << (m - s->member);
    }
    for (unsigned i = 0; i < s->n; i++) {
        if (s->member[i].flags & ON && !(seen >> i & 1))
            *(bool *)(void *)((char *)out + s->member[i].at) = true;
        if (!(s->member[i].flags & NEEDED) || seen >> i & 1)
            continue;
        struct step here = {.up = at, .key = name_of(&s->member[i])};
        reading_fail(x->r, CODE_missing_argument, pointer(x, &here), "%s needs '%s'", s->what,
                     s->member[i].name);
        return reading_hint(x->r, "%s", s->member[i].doc);
    }
    return true;
}

bool shape_read(struct reading *r, const struct shape *s, const struct json *v, struct str text,
                const char *also, void *out)
{
    struct reader x = {.r = r, .text = text};
    if (v->kind != JSON_OBJECT)
        return reading_fail(r, CODE_bad_argument, STR(""), "%s is an object, this is %s", s->what,
                            json_kind_name(v));
    return read_object(&x, s, v, NULL, also, out);
}

bool shape_read_member(struct reading *r, const struct shape *s, const char *member,
                       const struct json *v, struct str text, void *out)
{
    struct reader x = {.r = r, .text = text};
    struct step here = {.key = str_of(member)};
    const struct shape_member *m = shape_find(s, here.key);
    return m ? read_member(&x, m, v, &here, out) : unknown_member(&x, s, here.key, &here);
}

/* -- writing -------------------------------------------------------------------------------------
 */

static bool is_absent(const struct shape_member *m, const char *object)
{
    const char *from = object + m->at;
    switch ((enum shape_kind)m->kind) {
    case SHAPE_STRING:
    case SHAPE_JSON:
        return !((const cando_bytes *)(const void *)from)->p;
    case SHAPE_FLAG:
        return !*(const bool *)(const void *)from;
    case SHAPE_COUNT:
        return !*(const uint64_t *)(const void *)from;
    case SHAPE_COUNT32:
        return !*(const uint32_t *)(const void *)from;
    case SHAPE_NUMBER:
        return !((const cando_number *)(const void *)from)->known;
    case SHAPE_WORD:
        return !((const struct shape_words *)m->of)->word[*(const uint32_t *)(const void *)from];
    case SHAPE_OTHER:
        return m->at && !*(const void *const *)(const void *)from;
    default:
        return !*(const void *const *)(const void *)from;
    }
}

static void write_present(struct json_writer *w, const struct shape_member *m, const char *object);

/* What is absent is null, but for what is empty then. */
static void write_value(struct json_writer *w, const struct shape_member *m, const char *object,
                        bool absent)
{
    const unsigned empty = 1u << SHAPE_FLAG | 1u << SHAPE_COUNT | 1u << SHAPE_COUNT32 |
                           1u << SHAPE_LIST | 1u << SHAPE_TEXTS | 1u << SHAPE_MAP;
    if (absent && !(empty >> m->kind & 1))
        jw_null(w);
    else
        write_present(w, m, object);
}

static void write_items(struct json_writer *w, const struct shape_member *m, const char *object)
{
    const struct shape *s = m->of;
    const char *list;
    size_t n;
    memcpy(&list, object + m->at, sizeof list);
    memcpy(&n, object + m->n_at, sizeof n);
    if (m->kind == SHAPE_MAP)
        jw_object(w);
    else
        jw_array(w);
    for (size_t i = 0; i < n; i++) {
        const char *item = list + i * (s ? s->size : sizeof(char *));
        if (m->kind == SHAPE_MAP) {
            bool absent = is_absent(&s->member[1], item);
            if (s->member[1].flags & OMIT && absent)
                continue;
            jw_keyz(w, *(const char *const *)(const void *)(item + s->member[0].at));
            write_value(w, &s->member[1], item, absent);
        } else if (s) {
            shape_write(w, s, item);
        } else {
            jw_strz(w, *(const char *const *)(const void *)item);
        }
    }
    if (m->kind == SHAPE_MAP)
        jw_object_end(w);
    else
        jw_array_end(w);
}

static void write_present(struct json_writer *w, const struct shape_member *m, const char *object)
{
    const char *from = object + m->at;
    const cando_bytes *bytes = (const cando_bytes *)(const void *)from;
    switch ((enum shape_kind)m->kind) {
    case SHAPE_TEXT:
    case SHAPE_MONEY:
        if (m->flags & NUMBERS) /* a number of any size, as it is written */
            jw_raw(w, str_of(*(const char *const *)(const void *)from));
        else
            jw_strz(w, *(const char *const *)(const void *)from);
        break;
    case SHAPE_STRING:
        jw_str(w, STR_IN(*bytes));
        break;
    case SHAPE_FLAG:
        jw_bool(w, *(const bool *)(const void *)from);
        break;
    case SHAPE_COUNT:
        jw_uint(w, *(const uint64_t *)(const void *)from);
        break;
    case SHAPE_COUNT32:
        jw_uint(w, *(const uint32_t *)(const void *)from);
        break;
    case SHAPE_NUMBER:
        jw_uint(w, ((const cando_number *)(const void *)from)->value);
        break;
    case SHAPE_WORD:
        jw_strz(w,
                ((const struct shape_words *)m->of)->word[*(const uint32_t *)(const void *)from]);
        break;
    case SHAPE_JSON:
        jw_raw(w, STR_IN(*bytes));
        break;
    case SHAPE_OBJECT:
        shape_write(w, m->of, *(const void *const *)(const void *)from);
        break;
    case SHAPE_LIST:
    case SHAPE_TEXTS:
    case SHAPE_MAP:
        write_items(w, m, object);
        break;
    case SHAPE_OTHER:
        ((const struct shape_other *)m->of)->write(w, object + m->n_at);
        break;
    case SHAPE_SPREAD:
        break;
    }
}

static void write_members(struct json_writer *w, const struct shape *s, const char *object)
{
    for (unsigned i = 0; i < s->n; i++) {
        const struct shape_member *m = &s->member[i];
        bool absent = is_absent(m, object);
        if (m->kind == SHAPE_SPREAD) {
            if (!absent)
                write_members(w, m->of, *(const char *const *)(const void *)(object + m->at));
            continue;
        }
        bool first =
            m->kind == SHAPE_WORD && *(const uint32_t *)(const void *)(object + m->at) == 0;
        if (m->flags & OMIT && (absent || first))
            continue;
        jw_key_plain(w, name_of(m));
        write_value(w, m, object, absent);
    }
}

void shape_write(struct json_writer *w, const struct shape *s, const void *object)
{
    jw_object(w);
    write_members(w, s, object);
    jw_object_end(w);
}

/* -- schemas --------------------------------------------------------------------------------------
 */

static void write_kind(struct json_writer *w, const char *kind, bool null)
{
    jw_keyz(w, "type");
    if (!null) {
        jw_strz(w, kind);
        return;
    }
    jw_array(w);
    jw_strz(w, kind);
    jw_strz(w, "null");
    jw_array_end(w);
}

static void schema_object(struct json_writer *w, const struct shape *s, bool question, bool null,
                          const char *also);

static bool said_before(const struct shape_words *words, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (words->word[k] && strcmp(words->word[k], words->word[i]) == 0)
            return true;
    return false;
}

static void schema_words(struct json_writer *w, const struct shape_member *m, bool null)
{
    const struct shape_words *words = m->of;
    jw_keyz(w, "enum");
    jw_array(w);
    for (unsigned i = 0; i < words->n; i++) /* values may share a word: it stands here once */
        if (words->word[i] && !said_before(words, i))
            jw_strz(w, words->word[i]);
    if (m->flags & BOOLS) {
        jw_bool(w, false);
        jw_bool(w, true);
    }
    if (null)
        jw_null(w);
    jw_array_end(w);
}

/* An object, or what may stand for it: its name. */
static void schema_named(struct json_writer *w, const struct shape_member *m, bool question,
                         bool null)
{
    if (!question || !(m->flags & NAMED)) {
        schema_object(w, m->of, question, null, NULL);
        return;
    }
    jw_keyz(w, "anyOf");
    jw_array(w);
    jw_object(w);
    write_kind(w, "string", null);
    jw_object_end(w);
    jw_object(w);
    schema_object(w, m->of, question, false, NULL);
    jw_object_end(w);
    jw_array_end(w);
}

static void schema_item(struct json_writer *w, const struct shape_member *m, bool question)
{
    jw_object(w);
    if (!m->of) {
        write_kind(w, "string", false);
    } else {
        schema_named(w, m, question, false);
    }
    jw_object_end(w);
}

static void schema_list(struct json_writer *w, const struct shape_member *m, bool question,
                        bool null)
{
    bool alone = question && m->flags & ALONE, leaves = question && m->flags & LEAVES;
    if (alone || leaves) {
        jw_keyz(w, "anyOf");
        jw_array(w);
        jw_object(w);
    }
    write_kind(w, "array", null);
    jw_keyz(w, "items");
    schema_item(w, m, question);
    if (alone || leaves) {
        jw_object_end(w);
        if (leaves)
            jw_raw(w, STR("{\"type\":\"object\"}"));
        else
            schema_item(w, m, question);
        jw_array_end(w);
    }
}

static void schema_kind(struct json_writer *w, const struct shape_member *m, bool question)
{
    bool null = question ? m->flags & NULLS : !(m->flags & (OMIT | NEEDED));
    switch ((enum shape_kind)m->kind) {
    case SHAPE_TEXT:
    case SHAPE_MONEY:
    case SHAPE_STRING:
        if (!question && m->flags & NUMBERS) {
            write_kind(w, "number", null);
        } else if (m->flags & NUMBERS || (question && m->kind == SHAPE_MONEY)) {
            jw_keyz(w, "type");
            jw_raw(w,
                   null ? STR("[\"string\",\"number\",\"null\"]") : STR("[\"string\",\"number\"]"));
        } else {
            write_kind(w, "string", null);
        }
        break;
    case SHAPE_FLAG:
        write_kind(w, "boolean", question && null);
        break;
    case SHAPE_COUNT:
    case SHAPE_COUNT32:
    case SHAPE_NUMBER:
        write_kind(w, "integer", null && (question || m->kind == SHAPE_NUMBER));
        jw_keyz(w, "minimum");
        jw_uint(w, 0);
        break;
    case SHAPE_WORD:
        schema_words(w, m, null);
        break;
    case SHAPE_OBJECT:
        schema_named(w, m, question, null);
        break;
    case SHAPE_LIST:
    case SHAPE_TEXTS:
        schema_list(w, m, question, question && null);
        break;
    case SHAPE_MAP:
        write_kind(w, "object", question && null);
        jw_keyz(w, "additionalProperties");
        shape_schema_member(w, &((const struct shape *)m->of)->member[1], question);
        break;
    case SHAPE_JSON:
    case SHAPE_OTHER:
    case SHAPE_SPREAD:
        break;
    }
}

void shape_schema_member(struct json_writer *w, const struct shape_member *m, bool question)
{
    if (m->kind == SHAPE_OTHER) {
        jw_raw(w, str_of(((const struct shape_other *)m->of)->schema));
        return;
    }
    jw_object(w);
    schema_kind(w, m, question);
    if (m->doc[0]) {
        jw_keyz(w, "description");
        jw_strz(w, m->doc);
    }
    jw_object_end(w);
}

/* Is a member of that name among the first n, or spread by one of them? */
static bool has_name(const struct shape *s, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++) {
        const struct shape *spread = s->member[i].of;
        bool is = s->member[i].kind == SHAPE_SPREAD ? has_name(spread, spread->n, name)
                                                    : strcmp(s->member[i].name, name) == 0;
        if (is)
            return true;
    }
    return false;
}

/* Spread shapes may have the same names, one at a time: they are written once. `around`:
 * where they are spread, behind its first `n` members; or NULL. */
static void schema_members(struct json_writer *w, const struct shape *s, bool question,
                           const struct shape *around, unsigned n)
{
    for (unsigned i = 0; i < s->n; i++) {
        const struct shape_member *m = &s->member[i];
        if (m->kind == SHAPE_SPREAD) {
            schema_members(w, m->of, question, s, i);
            continue;
        }
        if (around && has_name(around, n, m->name))
            continue;
        jw_keyz(w, m->name);
        shape_schema_member(w, m, question);
    }
}

static void schema_object(struct json_writer *w, const struct shape *s, bool question, bool null,
                          const char *also)
{
    write_kind(w, "object", null);
    jw_keyz(w, "properties");
    jw_object(w);
    schema_members(w, s, question, NULL, 0);
    if (also)
        jw_raw(w, str_of(also));
    jw_object_end(w);
    jw_keyz(w, "required");
    jw_array(w);
    for (unsigned i = 0; i < s->n; i++)
        if (s->member[i].flags & NEEDED ||
            (!question && !(s->member[i].flags & OMIT) && s->member[i].kind != SHAPE_SPREAD))
            jw_strz(w, s->member[i].name);
    jw_array_end(w);
    if (!s->open) {
        jw_keyz(w, "additionalProperties");
        jw_bool(w, false);
    }
}

void shape_schema(struct json_writer *w, const struct shape *s, bool question, const char *also)
{
    schema_object(w, s, question, false, also);
}
