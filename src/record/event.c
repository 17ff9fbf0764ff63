#include "event.h"

#include "base/limits.h"
#include "catalog/vocab.h"

static const char *const kind_names[CANDO_EVENT_KINDS] = {
    "switch",      "downgrade", "rejection", "spawn", "catalog",
    "observation", "retention", "lost",      "break", "acknowledge",
};

const char *cando_event_kind_name(cando_event_kind kind)
{
    return (unsigned)kind < CANDO_EVENT_KINDS ? kind_names[kind] : "";
}

/* -- shapes ---------------------------------------------------------------------------- */

/* One line of valid UTF-8, with or without spaces. */
static bool is_line(struct str s, size_t max, bool spaces)
{
    if (s.n > max || utf8_check(s) != s.n)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x20 || c == 0x7f || (c == ' ' && !spaces))
            return false;
    }
    return true;
}

/* "preferred-unmet", "switch": lower case words without spaces. */
static bool is_word(struct str s)
{
    if (s.n == 0 || s.n > 64)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!(c >= 'a' && c <= 'z') && !char_is_digit(c) && c != '-' && c != '_' && c != '.')
            return false;
    }
    return true;
}

/* The old name of image, audio and video together is no field, and is reported. */
static bool is_capability(struct str s)
{
    return s.n <= LIMIT_NAME_BYTES &&
           (vocab_find_any(s) < FIELD_COUNT || str_eq_fold(s, STR("multimodal")));
}

bool event_is_name(const char *text)
{
    return is_line(str_of(text), LIMIT_NAME_BYTES, true);
}

bool event_is_id(const char *text)
{
    return is_line(str_of(text), LIMIT_SESSION_BYTES, false);
}

bool event_is_value(cando_bytes json)
{
    struct str s = STR_IN(json);
    if (s.n == 0 || s.n > 64 || s.p[0] == '{' || s.p[0] == '[')
        return false;
    return s.p[0] != '"' || (s.n > 2 && is_word(str_make(s.p + 1, s.n - 2)));
}

static cando_status refuse(cando_error *err, const char *member, const char *wanted)
{
    error_set(err, CANDO_BAD_QUESTION, CODE_bad_event, "'%s' of the event is not %s", member,
              wanted);
    error_at(err, str_of(member), 0, 0);
    return CANDO_BAD_QUESTION;
}

static cando_status check_lists(const cando_event *e, cando_error *err)
{
    if (e->n_missing > LIMIT_EVENT_NAMES || e->n_findings > LIMIT_EVENT_NAMES)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long,
                         "an event names at most %u capabilities and codes", LIMIT_EVENT_NAMES);
    for (size_t i = 0; i < e->n_missing; i++)
        if (!e->missing[i] || !is_capability(str_of(e->missing[i])))
            return refuse(err, "missing", "a list of capabilities");
    for (size_t i = 0; i < e->n_missing && e->required_by; i++)
        if (!event_is_name(e->required_by[i]))
            return refuse(err, "required_by", "a list of names of one line");
    for (size_t i = 0; i < e->n_findings; i++)
        if (!e->findings[i] || !is_word(str_of(e->findings[i])))
            return refuse(err, "findings", "a list of codes");
    return CANDO_OK;
}

static cando_status check_params(const cando_event *e, cando_error *err)
{
    if (e->n_params_affected > LIMIT_EVENT_NAMES)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long,
                         "an event names at most %u parameters", LIMIT_EVENT_NAMES);
    for (size_t i = 0; i < e->n_params_affected; i++) {
        const cando_param_affected *p = &e->params_affected[i];
        bool value = !p->current_value.p || event_is_value(p->current_value);
        bool ok = p->n_param_path > 0 && value && event_is_name(p->reason) &&
                  event_is_name(p->source_layer);
        for (size_t k = 0; k < p->n_param_path; k++)
            ok = ok && p->param_path[k] && event_is_name(p->param_path[k]);
        if (!ok)
            return refuse(err, "params_affected", "a list of paths, reasons and short values");
    }
    return CANDO_OK;
}

cando_status event_check(const cando_event *e, cando_error *err)
{
    if ((unsigned)e->kind >= CANDO_EVENT_KINDS)
        return refuse(err, "kind", "one that there is");
    if (e->decided && (unsigned)e->verdict > CANDO_REJECTED)
        return refuse(err, "verdict", "one that there is");
    if (e->time / 1000 / 86400 > 2932896 || e->expires / 1000 / 86400 > 2932896)
        return refuse(err, "time", "before the year 10000, in milliseconds");
    if (!event_is_id(e->session))
        return refuse(err, "session", "an id of at most 128 bytes without white space");
    if (e->change && *e->change && !is_word(str_of(e->change)))
        return refuse(err, "change", "a word");
    if (!is_line(str_of(e->target), 2 * LIMIT_NAME_BYTES + 1, true))
        return refuse(err, "target", "a name of one line");
    if (!is_line(str_of(e->previous), 2 * LIMIT_NAME_BYTES + 1, true))
        return refuse(err, "previous", "a name of one line");
    if (!is_line(str_of(e->suggestion), 2 * LIMIT_NAME_BYTES + 1, true))
        return refuse(err, "suggestion", "a name of one line");
    if (e->field && *e->field && !is_capability(str_of(e->field)))
        return refuse(err, "field", "a field of the vocabulary");
    if (!is_line(str_of(e->value), LIMIT_EVIDENCE_BYTES, true))
        return refuse(err, "value", "a value of one line");
    if (!is_line(str_of(e->evidence), LIMIT_EVIDENCE_BYTES, true))
        return refuse(err, "evidence", "one line of at most 400 bytes");
    bool has_evidence = e->kind == CANDO_EVENT_OBSERVATION || e->kind == CANDO_EVENT_BREAK ||
                        e->kind == CANDO_EVENT_ACKNOWLEDGE;
    if (e->evidence && *e->evidence && !has_evidence)
        return refuse(err, "evidence", "a member of this kind: only observations have any");
    if (e->hash && *e->hash &&
        (!is_word(str_of(e->hash)) || strlen(e->hash) != 2 * CANDO_HASH_BYTES))
        return refuse(err, "hash", "a hash in lower case hex");
    cando_status st = check_lists(e, err);
    return st == CANDO_OK ? check_params(e, err) : st;
}

/* -- subscribers ----------------------------------------------------------------------- */

struct subscriber {
    uint32_t id; /* 0: has left, and is swept when nobody is being called */
    uint32_t kinds;
    cando_event_fn *fn;
    void *user;
};

struct cando_events {
    const cando_allocator *a;
    struct subscriber *list;
    size_t n, cap;
    uint32_t last_id;
    unsigned depth; /* emits that are under way, in each other */
    bool left;      /* somebody has left meanwhile */
};

cando_events *cando_events_new(const cando_allocator *a, cando_error *err)
{
    struct cando_events *e = mem_alloc(a, sizeof *e);
    if (!e)
        return no_memory(err);
    *e = (struct cando_events){.a = a};
    return e;
}

void cando_events_free(cando_events *e)
{
    if (!e)
        return;
    if (e->list)
        mem_free(e->a, e->list, e->cap * sizeof *e->list);
    mem_free(e->a, e, sizeof *e);
}

uint32_t cando_events_subscribe(cando_events *e, uint32_t kinds, cando_event_fn *fn, void *user,
                                cando_error *err)
{
    if (e->n >= LIMIT_SUBSCRIBERS || e->last_id == UINT32_MAX) {
        error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "at most %u subscribers",
                  LIMIT_SUBSCRIBERS);
        return 0;
    }
    if (e->n == e->cap) {
        size_t cap = e->cap ? e->cap * 2 : 4, size = sizeof *e->list;
        void *list = e->list ? mem_resize(e->a, e->list, e->cap * size, cap * size)
                             : mem_alloc(e->a, cap * size);
        if (!list) {
            error_memory(err);
            return 0;
        }
        e->list = list;
        e->cap = cap;
    }
    e->list[e->n++] = (struct subscriber){++e->last_id, kinds, fn, user};
    return e->last_id;
}

static void sweep(struct cando_events *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->n; i++)
        if (e->list[i].id)
            e->list[kept++] = e->list[i];
    e->n = kept;
    e->left = false;
}

void cando_events_unsubscribe(cando_events *e, uint32_t subscription)
{
    for (size_t i = 0; subscription && i < e->n; i++)
        if (e->list[i].id == subscription) {
            e->list[i].id = 0;
            e->left = true;
        }
    if (e->left && !e->depth)
        sweep(e);
}

cando_status cando_events_emit(cando_events *e, const cando_event *event, cando_error *err)
{
    cando_status st = event_check(event, err);
    if (st != CANDO_OK)
        return st;
    if (e->depth >= LIMIT_EMIT_DEPTH)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_event,
                         "subscribers emit events in each other, more than %u deep",
                         LIMIT_EMIT_DEPTH);
    size_t n = e->n; /* who comes meanwhile hears of the next one */
    e->depth++;
    for (size_t i = 0; i < n; i++) {
        struct subscriber s = e->list[i]; /* the list may move while it is called */
        if (s.id && s.kinds >> event->kind & 1)
            s.fn(s.user, event);
    }
    if (--e->depth == 0 && e->left)
        sweep(e);
    return CANDO_OK;
}
