/*
 * history.c - which API a history is in, and its frame.
 *
 * The API is told, or found by the signs that catalog/apis gives. Plain messages (a role
 * and a text each) are the same in five APIs; they are read as the API of the model that
 * was in force, or as the plain one.
 */
#include "history.h"

#include "base/map.h"
#include "catalog/snapshot.h"

static const struct api *with_turns(const struct api *a)
{
    return a && a->turns.n ? a : NULL;
}

const struct api *hist_api_of(const cando_catalog *cat, struct str provider)
{
    const struct snapshot *s = &cat->snap;
    uint32_t number = provider.n ? snapshot_provider(s, provider) : SNAP_NONE;
    uint32_t d = number == SNAP_NONE ? SNAP_NONE : snap_provider(s, number).api;
    return d == SNAP_NONE ? NULL : with_turns(api_find(snap_str(s, snap_api(s, d).name)));
}

/* -- the form -------------------------------------------------------------------------- */

static bool has_part(const struct api *a, const struct json *p)
{
    const struct json *type = p->kind == JSON_OBJECT ? json_get(p, "type") : NULL;
    if (api_signs(a->part_signs, a->n_part_signs, p))
        return true;
    for (size_t i = 0; type && type->kind == JSON_STRING && i < a->n_hosted; i++)
        if (str_eq(type->text, a->hosted[i].type))
            return true;
    return false;
}

/* The API that a turn is of, among those that have their turns in the same member as
 * `plain`: by its own members, then by the first part that tells. What is special is asked
 * before what is general. NULL: any. */
static const struct api *turn_api(const struct json *m, const struct api *plain)
{
    const struct json *content = json_get(m, "content");
    for (const struct api *a = apis + API_COUNT; a-- > apis;)
        if (str_eq(a->turns, plain->turns) && api_signs(a->turn_signs, a->n_turn_signs, m))
            return a;
    for (size_t i = 0; content && content->kind == JSON_ARRAY && i < content->n; i++)
        for (const struct api *a = apis + API_COUNT; a-- > apis;)
            if (str_eq(a->turns, plain->turns) && has_part(a, &content->item[i]))
                return a;
    return NULL;
}

static const struct api *find_form(const struct json *root, const struct api *guess)
{
    const struct api *plain = api_find(STR(API_PLAIN));
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        if (a->turns.n && !str_eq(a->turns, plain->turns) && json_member(root, a->turns))
            return a;
    const struct json *list = json_member(root, plain->turns);
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++) {
        const struct json *m = &list->item[i];
        const struct api *a = m->kind == JSON_OBJECT ? turn_api(m, plain) : NULL;
        if (a)
            return guess && guess->like == a ? guess : a;
    }
    for (const struct api *a = apis + API_COUNT; a-- > apis;)
        if (api_signs(a->root_signs, a->n_root_signs, root))
            return a;
    return guess && str_eq(guess->turns, plain->turns) ? guess : plain;
}

/* -- calls and their results ----------------------------------------------------------- */

/* Calls by id, or by name where the API has no ids, as stacks: the map holds the
 * newest call that waits for its result, `next` the one before. */
struct pairing {
    struct history *h;
    struct map ids, names;
    uint32_t window; /* without ids a result answers a call from here on */
    uint32_t asked;  /* the last turn in which the user spoke */
    bool by_name, failed;
};

#define NO_PART UINT32_MAX

static void push_call(struct pairing *x, uint32_t i)
{
    struct hist_part *p = &x->h->part[i];
    bool keyed = p->keyed && !x->by_name;
    uint32_t *head = map_get(keyed ? &x->ids : &x->names, keyed ? p->id : p->name);
    p->next = head ? *head : NO_PART;
    if (head)
        *head = i;
    else if (!map_put(keyed ? &x->ids : &x->names, keyed ? p->id : p->name, i))
        x->failed = true;
}

static void take_call(struct pairing *x, uint32_t i)
{
    struct hist_part *p = &x->h->part[i];
    bool keyed = p->keyed && !x->by_name;
    if (!keyed && p->name.n == 0) { /* it names nobody: it may be for any that waits */
        for (; x->window < i; x->window++)
            x->h->part[x->window].paired |= x->h->part[x->window].kind == PART_CALL;
        p->paired = true;
        return;
    }
    uint32_t *head = map_get(keyed ? &x->ids : &x->names, keyed ? p->id : p->name);
    if (!head || *head == NO_PART || (!keyed && *head < x->window))
        return;
    struct hist_part *call = &x->h->part[*head];
    call->paired = p->paired = true;
    p->late = x->asked != NO_PART && x->asked > call->turn && x->asked < p->turn;
    *head = call->next;
}

static bool pair_up(struct reading *r, struct history *h)
{
    struct pairing x = {.h = h, .asked = NO_PART, .by_name = h->api->paired_by_name};
    map_init(&x.ids, r->ar, false);
    map_init(&x.names, r->ar, false);
    for (uint32_t k = 0; k < h->n_turns; k++) {
        const struct hist_turn *t = &h->turn[k];
        if (t->role == ROLE_USER && !t->results) {
            x.window = t->part;
            x.asked = k;
        }
        for (uint32_t i = t->part; i < t->part + t->n_parts; i++) {
            if (h->part[i].kind == PART_CALL)
                push_call(&x, i);
            else if (h->part[i].kind == PART_RESULT)
                take_call(&x, i);
        }
    }
    h->tail = h->n_turns;
    while (h->tail > 0) {
        const struct hist_turn *t = &h->turn[h->tail - 1];
        if (!t->calls && !t->results && (t->text || t->role != ROLE_ASSISTANT))
            break;
        h->tail--;
    }
    return !x.failed || reading_memory(r);
}

/* -- the frame ------------------------------------------------------------------------- */

static bool find_api(struct reading *r, const struct json *v, struct str at,
                     const struct api *guess, const struct api **out)
{
    const struct json *told = json_get(v, "dialect");
    if (!told) {
        *out = find_form(v, guess);
        return true;
    }
    struct str where = reading_at(r, at, "dialect");
    if (told->kind != JSON_STRING)
        return reading_fail(r, CODE_bad_argument, where, "'dialect' is a string, not %s",
                            json_kind_name(told));
    *out = with_turns(api_find(told->text));
    if (*out)
        return true;
    reading_fail(r, CODE_unknown_api, where, "a history has no dialect '%.*s'",
                 STR_ARG(str_head(told->text, 60)));
    return reading_hint(r, "known: " API_HISTORY_LIST);
}

bool history_read(struct reading *r, const struct json *v, struct str at, const struct api *guess,
                  struct history *out)
{
    *out = (struct history){0};
    if (!reading_object(r, v, at, "a history") || !find_api(r, v, at, guess, &out->api))
        return false;
    const struct json *list = json_member(v, out->api->turns);
    if (!list) {
        reading_fail(r, CODE_missing_argument, at, "a history in %s has '%s'", out->api->name.p,
                     out->api->turns.p);
        return reading_hint(r, "without 'dialect' it is found by the shape");
    }
    return hist_read_list(r, out, v, list, at) && pair_up(r, out);
}

struct str hist_pointer(struct reading *r, const struct hist_at *at)
{
    if (!at)
        return STR("");
    struct str up = hist_pointer(r, at->up);
    return at->key.p ? str_join(r->ar, up, STR("/"), at->key) : reading_at_index(r, up, at->index);
}
