/*
 * need.c - lists of needs, and the names in them.
 *
 * A name may come from any vocabulary. Names that mean several fields, or that
 * only agent backends tell apart, have slots of their own (planes.h) and are
 * looked for first.
 */
#include "need.h"

/* -- names ------------------------------------------------------------------------------ */

bool need_find(struct str name, uint8_t *kind, uint8_t *slot)
{
    unsigned s = slot_special(name);
    if (s != SLOT_NONE) {
        *kind = NEED_SLOT;
        *slot = (uint8_t)s;
        return true;
    }
    unsigned f = vocab_find_any(name);
    if (f == FIELD_COUNT)
        return false;
    unsigned place[3] = {plane_slot(f), plane_number(f), plane_set(f)};
    for (unsigned k = 0; k < 3; k++)
        if (place[k] != SLOT_NONE) {
            *kind = (uint8_t)k;
            *slot = (uint8_t)place[k];
            return true;
        }
    return false;
}

bool need_name(struct reading *r, struct str name, struct str at, uint8_t *kind, uint8_t *slot)
{
    if (need_find(name, kind, slot))
        return true;
    if (vocab_find_any(name) < FIELD_COUNT)
        return reading_fail(r, CODE_bad_argument, at, "'%.*s' is no capability, limit or closed list", STR_ARG(str_head(name, 80)));
    reading_fail(r, CODE_unknown_field, at, "no capability is called '%.*s'", STR_ARG(str_head(name, 80)));
    for (unsigned v = 0; v < VOCAB_COUNT; v++) {
        struct str near = vocab_suggest((enum vocabulary)v, name);
        if (near.n)
            return reading_hint(r, "did you mean '%.*s'?", STR_ARG(near));
    }
    return reading_hint(r, "'cando help fields' lists them");
}

const char *need_capability(const struct need *n)
{
    if (n->kind == NEED_SLOT)
        return slot_name(n->slot);
    return vocab_row(n->kind == NEED_NUMBER ? number_field(n->slot) : set_field(n->slot))->name;
}

static const char *const level_words[] = {"hard", "preferred", "probed"};
static const char *const min_words[] = {"native", "emulated", "any"};

const char *level_word(unsigned level)
{
    return level < 3 ? level_words[level] : "";
}

const char *min_support_word(unsigned min_support)
{
    return min_support < 3 ? min_words[min_support] : "";
}

bool min_support_find(struct str word, uint8_t *out)
{
    for (uint8_t i = 0; i < 3; i++)
        if (str_is(word, min_words[i])) {
            *out = i;
            return true;
        }
    return false;
}

/* -- lists ------------------------------------------------------------------------------- */

void need_list_init(struct need_list *l)
{
    *l = (struct need_list){0};
}

bool need_add(struct reading *r, struct need_list *l, struct need n)
{
    if (!n.path.p || !n.required_by.p || !ARENA_GROW(r->ar, l->need, l->n, l->cap) ||
        !ARENA_GROW(r->ar, l->key, l->n, l->cap_keys))
        return reading_memory(r);
    l->key[l->n] = (struct need_key){n.slot, (uint8_t)(n.level << 2 | n.min_support)};
    l->need[l->n++] = n;
    l->levels |= (uint8_t)(1u << n.level);
    if (n.kind == NEED_SLOT)
        l->want[n.slot / 64] |= UINT64_C(1) << (n.slot % 64);
    else
        l->others = true;
    return true;
}

/* -- the public object --------------------------------------------------------------------- */

static bool read_any(struct reading *r, const struct json *v, struct need_list *out)
{
    if (!reading_object(r, v, STR(""), "the text") || !reading_keys(r, v, STR(""), "the text", "requirements session work_order required"))
        return false;
    if (v->n != 1) {
        reading_fail(r, v->n ? CODE_bad_argument : CODE_missing_argument, STR(""), "needs come from one source");
        return reading_hint(r, "give one of 'requirements', 'session', 'work_order', 'required'");
    }
    struct str key = v->key[0].text;
    if (str_is(key, "requirements"))
        return need_read_requirements(r, &v->item[0], STR("/requirements"), STR(""), false, out);
    if (str_is(key, "session"))
        return need_read_session(r, &v->item[0], STR("/session"), out);
    if (str_is(key, "required"))
        return need_read_required(r, &v->item[0], STR("/required"), out);
    return need_read_work_order(r, &v->item[0], STR("/work_order"), out);
}

static bool keep_texts(struct reading *r, struct need_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        l->need[i].name = str_dup(r->ar, l->need[i].name);
        l->need[i].required_by = str_dup(r->ar, l->need[i].required_by);
        l->need[i].path = str_dup(r->ar, l->need[i].path);
        if (!l->need[i].name.p || !l->need[i].required_by.p || !l->need[i].path.p)
            return reading_memory(r);
    }
    return true;
}

cando_needs *cando_needs_read(const char *json, size_t len, const cando_allocator *a, cando_error *err)
{
    struct cando_needs *n = mem_alloc(a, sizeof *n);
    if (!n) {
        error_memory(err);
        return NULL;
    }
    n->a = a;
    arena_init(&n->ar, a);
    need_list_init(&n->list);
    struct reading r = {.ar = &n->ar};
    struct json_error bad;
    const struct json *v = json_parse(&n->ar, str_make(json, len), &bad);
    if (v && read_any(&r, v, &n->list) && keep_texts(&r, &n->list))
        return n;
    if (v)
        reading_end(&r, err);
    else if (bad.code == CODE_memory)
        error_memory(err);
    else
        error_set(err, CANDO_BAD_INPUT, bad.code, "line %u, column %u: %s", bad.line, bad.column, bad.message);
    cando_needs_free(n);
    return NULL;
}

void cando_needs_free(cando_needs *n)
{
    if (!n)
        return;
    arena_free(&n->ar);
    mem_free(n->a, n, sizeof *n);
}

size_t cando_needs_count(const cando_needs *n)
{
    return n->list.n;
}

cando_need cando_needs_get(const cando_needs *n, size_t i)
{
    if (i >= n->list.n)
        return (cando_need){.capability = "", .written = "", .required_by = "", .path = ""};
    const struct need *x = &n->list.need[i];
    return (cando_need){need_capability(x), x->name.p, (cando_level)x->level, (cando_min_support)x->min_support, x->minimum,
                        x->required_by.p, x->path.p};
}
