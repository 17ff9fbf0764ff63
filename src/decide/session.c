/*
 * session.c - the object behind cando_session.
 */
#include "session.h"

#include "base/limits.h"
#include "claims.h"
#include "diagnostic.h"

#include <time.h>

/* -- copies ---------------------------------------------------------------------------- */

/* Everything that a state points to, into an arena. */
struct copier {
    struct arena *ar;
    bool failed;
};

/* A list as it is: what its items point to is still the old. */
static void *copy_items(struct copier *k, const void *list, size_t n, size_t size)
{
    void *own = list ? arena_copy(k->ar, list, n * size) : NULL;
    k->failed |= list && !own;
    return own;
}

static const char *copy_text(struct copier *k, const char *text)
{
    return text ? copy_items(k, text, strlen(text) + 1, 1) : NULL;
}

static const char *const *copy_texts(struct copier *k, const char *const *list, size_t n)
{
    const char **own = copy_items(k, list, n, sizeof *list);
    for (size_t i = 0; own && i < n; i++)
        own[i] = copy_text(k, list[i]);
    return own;
}

static const cando_requirement *copy_needs(struct copier *k, const cando_requirement *list,
                                           size_t n)
{
    cando_requirement *own = copy_items(k, list, n, sizeof *list);
    for (size_t i = 0; own && i < n; i++) {
        own[i].name = copy_text(k, list[i].name);
        own[i].includes = copy_texts(k, list[i].includes, list[i].n_includes);
        own[i].required_by = copy_text(k, list[i].required_by);
    }
    return own;
}

static const cando_state_machine *copy_state_machine(struct copier *k, const cando_state_machine *m)
{
    cando_state_machine *own = copy_items(k, m, 1, sizeof *m);
    if (own) {
        own->id = copy_text(k, m->id);
        own->needs = copy_needs(k, m->needs, m->n_needs);
    }
    return own;
}

static const cando_context_provider *copy_providers(struct copier *k,
                                                    const cando_context_provider *list, size_t n)
{
    cando_context_provider *own = copy_items(k, list, n, sizeof *list);
    for (size_t i = 0; own && i < n; i++) {
        own[i].id = copy_text(k, list[i].id);
        own[i].produces = copy_texts(k, list[i].produces, list[i].n_produces);
        own[i].needs = copy_needs(k, list[i].needs, list[i].n_needs);
    }
    return own;
}

static const cando_hook *copy_hooks(struct copier *k, const cando_hook *list, size_t n)
{
    cando_hook *own = copy_items(k, list, n, sizeof *list);
    for (size_t i = 0; own && i < n; i++) {
        own[i].id = copy_text(k, list[i].id);
        own[i].on = copy_text(k, list[i].on);
        own[i].needs = copy_needs(k, list[i].needs, list[i].n_needs);
    }
    return own;
}

static const cando_security_mode *copy_security(struct copier *k, const cando_security_mode *m)
{
    cando_security_mode *own = copy_items(k, m, 1, sizeof *m);
    if (own)
        own->kind = copy_text(k, m->kind);
    return own;
}

static const cando_session_parts *copy_parts(struct copier *k, const cando_session_parts *s)
{
    cando_session_parts *own = copy_items(k, s, 1, sizeof *s);
    if (!own)
        return NULL;
    own->state_machine = copy_state_machine(k, s->state_machine);
    own->context_providers = copy_providers(k, s->context_providers, s->n_context_providers);
    own->hooks = copy_hooks(k, s->hooks, s->n_hooks);
    own->security_mode = copy_security(k, s->security_mode);
    own->inherited = copy_needs(k, s->inherited, s->n_inherited);
    return own;
}

static const cando_param *copy_params(struct copier *k, const cando_param *list, size_t n)
{
    cando_param *own = copy_items(k, list, n, sizeof *list);
    for (size_t i = 0; own && i < n; i++) {
        own[i].path = copy_texts(k, list[i].path, list[i].n_path);
        own[i].value.p = copy_items(k, list[i].value.p, list[i].value.n, 1);
    }
    return own;
}

static const cando_name *copy_names(struct copier *k, const cando_name *list, size_t n)
{
    cando_name *own = copy_items(k, list, n, sizeof *list);
    for (size_t i = 0; own && i < n; i++)
        own[i] = (cando_name){copy_text(k, list[i].model), copy_text(k, list[i].provider)};
    return own;
}

/* A copy of a state in an arena of its own. False: no memory, and there is none. */
static bool copy_state(const struct cando_session *s, const struct session_state *next,
                       struct arena *ar, struct session_state *out)
{
    struct copier k = {.ar = ar};
    arena_init(ar, s->c->a);
    const struct session_state own = {
        .target = copy_names(&k, next->target, 1),
        .choices = copy_names(&k, next->choices, next->n_choices),
        .n_choices = next->n_choices,
        .unknown = next->unknown,
        .session = copy_parts(&k, next->session),
        .params = copy_params(&k, next->params, next->n_params),
        .n_params = next->n_params,
    };
    if (k.failed) {
        arena_free(ar);
        return false;
    }
    *out = own;
    return true;
}

static void forget_event(struct cando_session *s)
{
    cando_event_free_text(s->c->a, s->waiting_event, s->n_waiting_event);
    s->waiting_event = NULL;
}

static void forget_waiting(struct cando_session *s)
{
    if (s->waiting.target)
        arena_free(&s->waiting_ar);
    s->waiting = (struct session_state){0};
    forget_event(s);
}

/* Puts a state in force. False: no memory, and the old one still is. */
static bool commit(struct cando_session *s, const struct session_state *next)
{
    struct arena ar;
    struct session_state own;
    if (!copy_state(s, next, &ar, &own))
        return false;
    arena_free(&s->ar);
    s->ar = ar;
    s->state = own;
    return true;
}

/* -- who is told ------------------------------------------------------------------------ */

static const char *change_word(cando_change_kind kind)
{
    switch (kind) {
    case CANDO_CHANGE_TARGET:
    case CANDO_CHANGE_MODEL:
    case CANDO_CHANGE_PROVIDER:
        return "switch";
    case CANDO_CHANGE_ATTACH:
        return "attach";
    case CANDO_CHANGE_PROVIDE:
        return "provide";
    case CANDO_CHANGE_HOOK:
        return "hook";
    case CANDO_CHANGE_SECURE:
        return "secure";
    case CANDO_CHANGE_RELOAD:
        return "reload";
    default:
        return NULL; /* is not negotiated */
    }
}

static uint64_t clock_of(const cando *c)
{
    return c->now ? c->now(c->now_user) : (uint64_t)time(NULL) * 1000;
}

static cando_event event_of(const struct cando_session *s, struct diagnostic *d,
                            cando_event_kind kind, const char *change,
                            const cando_negotiate_answer *a)
{
    cando_event e = diagnostic_event(d, kind, a);
    e.session = s->id;
    e.change = change;
    e.time = clock_of(s->c);
    return e;
}

static void tell(const struct cando_session *s, cando_event_kind kind, const char *change,
                 const cando_negotiate_answer *a)
{
    struct diagnostic d;
    if (!s->c->events || !change)
        return;
    cando_event e = event_of(s, &d, kind, change, a);
    cando_events_emit(s->c->events, &e, NULL);
}

/* What is to be told when a change that waits gets its yes. False: no memory. */
static bool keep_event(struct cando_session *s, const char *change, const cando_negotiate_answer *a)
{
    struct diagnostic d;
    if (!s->c->events)
        return true;
    cando_event e = event_of(s, &d, CANDO_EVENT_SWITCH, change, a);
    return cando_event_encode(&e, s->c->a, &s->waiting_event, &s->n_waiting_event, NULL) !=
           CANDO_INTERNAL;
}

void cando_set_events(cando *c, cando_events *events, cando_clock_fn *now, void *user)
{
    c->events = events;
    c->now = now;
    c->now_user = user;
}

cando_status cando_session_name(cando_session *s, const char *id, cando_error *err)
{
    struct str name = str_of(id);
    if (!event_is_id(id))
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument,
                         "the id of a session has at most %u bytes and no white space",
                         LIMIT_SESSION_BYTES);
    memcpy(s->id, name.p, name.n);
    s->id[name.n] = '\0';
    return CANDO_OK;
}

/* -- the next state -------------------------------------------------------------------- */

/* What a change works with; all of it lives in the room. */
struct step {
    struct reading r;
    const cando_catalog *cat;
    struct session_state next;
    cando_session_parts parts; /* of `next` */
};

/* The provider's canonical id where the catalog knows it. */
static struct str canonical(const cando_catalog *cat, struct str provider)
{
    uint32_t number = snapshot_provider(&cat->snap, provider);
    return number == SNAP_NONE ? provider
                               : snap_str(&cat->snap, snap_provider(&cat->snap, number).id);
}

static bool make_name(struct step *x, struct str provider, struct str model, cando_name *out)
{
    *out = (cando_name){str_dup(x->r.ar, model).p, str_dup(x->r.ar, canonical(x->cat, provider)).p};
    return (out->model && out->provider) || reading_memory(&x->r);
}

/* "provider/model" of a change. */
static bool take_name(struct step *x, cando_name name, cando_name *out)
{
    struct str provider, model;
    if (!negotiate_name(&x->r, x->cat, name, STR("/target"), &provider, &model))
        return false;
    return make_name(x, provider, model, out);
}

/* The model is its provider's choice from now on. */
static bool put_choice(struct step *x, const cando_name *name)
{
    struct session_state *s = &x->next;
    cando_name *own = arena_array(x->r.ar, s->n_choices + 1, sizeof *own);
    size_t at = 0;
    if (!own)
        return reading_memory(&x->r);
    if (s->n_choices)
        memcpy(own, s->choices, s->n_choices * sizeof *own);
    while (at < s->n_choices && strcmp(own[at].provider, name->provider) != 0)
        at++;
    own[at] = *name;
    s->n_choices += at == s->n_choices;
    s->choices = own;
    return true;
}

static struct step *step_begin(const cando *c, const struct session_state *now, cando_room *room,
                               cando_error *err)
{
    struct step *x = arena_alloc(&room->ar, sizeof *x);
    if (x)
        x->cat = room_catalog(room, c);
    if (!x || !x->cat)
        return no_memory(err);
    x->r.ar = &room->ar;
    x->next = *now;
    if (now->session)
        x->parts = *now->session;
    x->next.session = &x->parts;
    return x;
}

/* Negotiates for the next state; `previous` is in force until then. */
static const cando_negotiate_answer *propose(struct step *x, const cando_name *previous,
                                             cando_bytes history, const cando_planes *claims,
                                             const char *error)
{
    const cando_name *to = x->next.target;
    struct negotiation *n = arena_alloc(x->r.ar, sizeof *n);
    if (!n)
        return reading_memory(&x->r);
    *n = (struct negotiation){
        .cat = x->cat,
        .unknown = x->next.unknown,
        .has_target = true,
        .has_previous = true,
        .provider = str_of(to->provider),
        .model = str_of(to->model),
        .previous_provider = str_of(previous->provider),
        .previous_model = str_of(previous->model),
        .param = x->next.params,
        .n_params = x->next.n_params,
        .history = history,
        .history_at = STR(""),
        .claims = claims,
        .error = error,
    };
    if (!need_read_session(&x->r, &x->parts, &n->needs))
        return NULL;
    return negotiate_answer(&x->r, n);
}

/* The answer to what is not negotiated. */
static const cando_negotiate_answer *agree(struct step *x)
{
    const cando_name *t = x->next.target;
    cando_negotiate_answer *a = arena_alloc(x->r.ar, sizeof *a);
    struct str target =
        a ? str_join(x->r.ar, str_of(t->provider), STR("/"), str_of(t->model)) : STR_NONE;
    if (!target.p)
        return reading_memory(&x->r);
    *a = (cando_negotiate_answer){.target = target.p, .previous = target.p, .active = target.p};
    return a;
}

/* -- changes --------------------------------------------------------------------------- */

static bool missing_part(struct step *x, const char *key)
{
    return reading_fail(&x->r, CODE_missing_argument, reading_at(&x->r, STR(""), key),
                        "the change has no '%s'", key);
}

static bool to_model(struct step *x, const cando_change *c, cando_name *out)
{
    struct str model = str_of(c->target.model);
    if (model.n == 0 || model.n > LIMIT_NAME_BYTES)
        return reading_fail(&x->r, CODE_bad_argument, STR("/target"),
                            "a model has a name of 1 to %u bytes", LIMIT_NAME_BYTES);
    *out = (cando_name){c->target.model, x->next.target->provider};
    return true;
}

static bool to_provider(struct step *x, const cando_change *c, cando_name *out)
{
    struct str provider = canonical(x->cat, str_of(c->target.provider ? c->target.provider : ""));
    for (size_t i = 0; i < x->next.n_choices; i++)
        if (str_eq_fold(str_of(x->next.choices[i].provider), provider)) {
            *out = x->next.choices[i];
            return true;
        }
    reading_fail(&x->r, CODE_no_choice, STR("/target"), "no model of '%.*s' was chosen yet",
                 STR_ARG(str_head(provider, 80)));
    return reading_hint(&x->r, "name one: %.*s/MODEL", STR_ARG(str_head(provider, 80)));
}

static bool attach(struct step *x, const cando_change *c)
{
    if (!c->state_machine)
        return missing_part(x, "state_machine");
    cando_state_machine *m = arena_copy(x->r.ar, c->state_machine, sizeof *m);
    if (!m)
        return reading_memory(&x->r);
    m->attached = true;
    x->parts.state_machine = m;
    return true;
}

/* The id of an item of a list is its first member. */
static bool has_id(const void *item, const char *id)
{
    return id && strcmp(*(const char *const *)item, id) == 0;
}

/* Puts an item, which the change calls `key`, into a list or, with `goes`, takes the one with its
 * id out; one with the same id is replaced. */
static bool edit_list(struct step *x, const void **list, size_t *n, size_t size, const void *item,
                      const char *key, bool goes)
{
    if (!item)
        return missing_part(x, key);
    char *own = arena_array(x->r.ar, *n + 1, size);
    const char *id = *(const char *const *)item;
    size_t at = 0;
    if (!own)
        return reading_memory(&x->r);
    if (*n)
        memcpy(own, *list, *n * size);
    while (at < *n && !has_id(own + at * size, id))
        at++;
    if (goes && at == *n)
        return reading_fail(&x->r, CODE_bad_argument, reading_at(&x->r, STR(""), key),
                            "the session has none of that id");
    if (goes) {
        memmove(own + at * size, own + (at + 1) * size, (*n - at - 1) * size);
        --*n;
    } else {
        memcpy(own + at * size, item, size);
        *n += at == *n;
    }
    *list = own;
    return true;
}

static bool edit_providers(struct step *x, const cando_context_provider *item, bool goes)
{
    const void *list = x->parts.context_providers;
    bool ok = edit_list(x, &list, &x->parts.n_context_providers, sizeof *item, item,
                        "context_provider", goes);
    x->parts.context_providers = list;
    return ok;
}

static bool edit_hooks(struct step *x, const cando_hook *item, bool goes)
{
    const void *list = x->parts.hooks;
    bool ok = edit_list(x, &list, &x->parts.n_hooks, sizeof *item, item, "hook", goes);
    x->parts.hooks = list;
    return ok;
}

/* What is inherited stays: it is the parent's. */
static bool reload(struct step *x, const cando_change *c)
{
    if (!c->session)
        return missing_part(x, "session");
    cando_session_parts old = x->parts;
    x->parts = *c->session;
    if (!x->parts.inherited) {
        x->parts.inherited = old.inherited;
        x->parts.n_inherited = old.n_inherited;
    }
    return true;
}

/* Makes the change in the next state. */
static bool edit(struct step *x, const cando_change *c, cando_name *target)
{
    switch (c->kind) {
    case CANDO_CHANGE_TARGET:
        return take_name(x, c->target, target);
    case CANDO_CHANGE_MODEL:
        return to_model(x, c, target);
    case CANDO_CHANGE_PROVIDER:
        return to_provider(x, c, target);
    case CANDO_CHANGE_ATTACH:
        return attach(x, c);
    case CANDO_CHANGE_PROVIDE:
        return edit_providers(x, c->context_provider, false);
    case CANDO_CHANGE_HOOK:
        return edit_hooks(x, c->hook, false);
    case CANDO_CHANGE_SECURE:
        x->parts.security_mode = c->security_mode;
        return c->security_mode || missing_part(x, "security_mode");
    case CANDO_CHANGE_DETACH:
        x->parts.state_machine = NULL;
        return true;
    case CANDO_CHANGE_PARAMS:
        x->next.params = c->params;
        x->next.n_params = c->n_params;
        return negotiate_params(&x->r, c->params, c->n_params);
    case CANDO_CHANGE_UNKNOWN:
        x->next.unknown = c->unknown;
        return need_word(&x->r, c->unknown, &unknown_words, STR(""), "unknown");
    case CANDO_CHANGE_CHOOSE: {
        cando_name name;
        return take_name(x, c->target, &name) && put_choice(x, &name);
    }
    case CANDO_CHANGE_WITHDRAW:
        return edit_providers(x, c->context_provider, true);
    case CANDO_CHANGE_UNHOOK:
        return edit_hooks(x, c->hook, true);
    case CANDO_CHANGE_RELOAD:
        return reload(x, c);
    case CANDO_CHANGE_HISTORY:
        break;
    }
    return reading_fail(&x->r, CODE_bad_argument, STR("/kind"), "there is no such change");
}

static bool keep_history(struct step *x, struct cando_session *s, cando_bytes text)
{
    struct history h;
    struct buf copy;
    buf_init(&copy, s->c->a, LIMIT_JSON_BYTES);
    if (text.p) {
        const struct api *api = hist_api_of(x->cat, str_of(s->state.target->provider));
        const struct json *v = reading_json(&x->r, text, STR("/history"));
        if (!v || !history_read(&x->r, v, STR("/history"), api, &h))
            return false;
        buf_put(&copy, text.p, text.n);
        if (copy.failed) {
            buf_free(&copy);
            return reading_memory(&x->r);
        }
    }
    buf_free(&s->history);
    s->history = copy;
    return true;
}

/* What the provider claims; NULL where it claims nothing, or with an error. */
static const cando_planes *read_claims(struct step *x, const cando_change *c)
{
    cando_planes *claims = c->claims.p ? arena_alloc_raw(x->r.ar, sizeof *claims) : NULL;
    if (c->claims.p && !claims)
        reading_memory(&x->r);
    if (claims && !claims_read_text(&x->r, c->claims_form, c->claims, STR("/claims"), claims))
        return NULL;
    return claims;
}

/* A degraded change waits where the user is to be asked; else it is made. */
static const cando_negotiate_answer *settle(struct step *x, struct cando_session *s,
                                            const cando_change *c, const cando_negotiate_answer *a)
{
    if (!a || a->verdict == CANDO_REJECTED)
        return a;
    if (!c->ask || !diagnostic_downgrades(a)) {
        if (commit(s, &x->next))
            return a;
        return reading_memory(&x->r);
    }
    cando_negotiate_answer *later = arena_copy(x->r.ar, a, sizeof *a);
    if (!later || !keep_event(s, change_word(c->kind), a) ||
        !copy_state(s, &x->next, &s->waiting_ar, &s->waiting)) {
        forget_event(s);
        return reading_memory(&x->r);
    }
    later->active = a->previous;
    return later;
}

/* What a subscriber does with the session while it is told is done after the change: nothing of
 * the session is looked at from there on. */
static void tell_kept(const cando *c, char *text, size_t n, cando_room *room, cando_event *e)
{
    e->time = clock_of(c);
    cando_events_emit(c->events, e, NULL);
    engine_room_back(c, room);
    cando_event_free_text(c->a, text, n);
}

cando_status cando_session_accept(cando_session *s, cando_error *err)
{
    const cando *c = s->c;
    cando_event e;
    char *text = c->events ? s->waiting_event : NULL;
    if (!s->waiting.target)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "no change waits for a yes");
    cando_room *room = text ? engine_room(c) : NULL;
    if (text && !room)
        return error_memory(err);
    if (text && cando_event_decode(text, s->n_waiting_event, room, &e, err) != CANDO_OK) {
        engine_room_back(c, room);
        return CANDO_INTERNAL;
    }
    arena_free(&s->ar);
    s->ar = s->waiting_ar;
    s->state = s->waiting;
    s->waiting = (struct session_state){0};
    if (!text) {
        forget_event(s);
        return CANDO_OK;
    }
    s->waiting_event = NULL;
    tell_kept(c, text, s->n_waiting_event, room, &e);
    return CANDO_OK;
}

static const cando_negotiate_answer *change(struct step *x, struct cando_session *s,
                                            const cando_change *c)
{
    cando_name target = *s->state.target;
    cando_bytes history = {0};
    forget_waiting(s);
    if (c->kind == CANDO_CHANGE_HISTORY)
        return keep_history(x, s, c->history) ? agree(x) : NULL;
    if (!edit(x, c, &target))
        return NULL;
    x->next.target = &target;
    if (c->kind != CANDO_CHANGE_CHOOSE && !put_choice(x, &target))
        return NULL;
    bool goes = c->kind <= CANDO_CHANGE_PROVIDER;
    if (goes && s->history.n)
        history = (cando_bytes){s->history.p, s->history.n};
    if (c->kind > CANDO_CHANGE_SECURE && c->kind != CANDO_CHANGE_RELOAD)
        return settle(x, s, c, agree(x));
    const cando_planes *claims = goes ? read_claims(x, c) : NULL;
    if (goes && c->claims.p && !claims)
        return NULL;
    return settle(
        x, s, c,
        propose(x, s->state.target, history, claims, "ProviderCapability/MissingCapability"));
}

const cando_negotiate_answer *cando_session_change(cando_session *s, const cando_change *c,
                                                   cando_room *room, cando_error *err)
{
    struct step *x = step_begin(s->c, &s->state, room, err);
    const cando_negotiate_answer *a = x ? change(x, s, c) : NULL;
    if (x && !a)
        reading_end(&x->r, err);
    if (a && !s->waiting.target)
        tell(s, CANDO_EVENT_SWITCH, change_word(c->kind), a);
    return a;
}

/* -- sessions -------------------------------------------------------------------------- */

static struct cando_session *session_make(const cando *c, const struct session_state *state)
{
    struct cando_session *s = mem_alloc(c->a, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct cando_session){.c = c};
    arena_init(&s->ar, c->a);
    buf_init(&s->history, c->a, LIMIT_JSON_BYTES);
    if (commit(s, state))
        return s;
    cando_session_free(s);
    return NULL;
}

void cando_session_free(cando_session *s)
{
    if (!s)
        return;
    buf_free(&s->history);
    forget_waiting(s);
    arena_free(&s->ar);
    mem_free(s->c->a, s, sizeof *s);
}

static bool check_state(struct step *x)
{
    struct need_list needs;
    need_list_init(&needs);
    if (!need_word(&x->r, x->next.unknown, &unknown_words, STR(""), "unknown"))
        return false;
    for (size_t i = 0; i < x->next.n_choices; i++)
        if (strlen(x->next.choices[i].provider) > LIMIT_NAME_BYTES ||
            strlen(x->next.choices[i].model) > LIMIT_NAME_BYTES)
            return reading_fail(&x->r, CODE_bad_argument, STR("/choices"),
                                "a choice is the name of a model");
    if (!need_read_session(&x->r, &x->parts, &needs))
        return false;
    return negotiate_params(&x->r, x->next.params, x->next.n_params) &&
           put_choice(x, x->next.target);
}

cando_session *session_open(const cando *c, struct session_state state, cando_room *room,
                            cando_error *err)
{
    struct step *x = step_begin(c, &state, room, err);
    struct str provider, model;
    if (!x)
        return NULL;
    struct cando_session *s = NULL;
    if (name_split(*state.target, &provider, &model, STR("/target"), &x->r.error) &&
        check_state(x)) {
        s = session_make(c, &x->next);
        if (!s)
            reading_memory(&x->r);
    }
    if (!s)
        reading_end(&x->r, err);
    return s;
}

cando_session *cando_session_new(const cando *c, cando_name target, cando_error *err)
{
    cando_room *room = cando_room_new(c->a, err);
    cando_session *s = NULL;
    cando_name name;
    struct session_state state = {.target = &name};
    struct step *x = room ? step_begin(c, &state, room, err) : NULL;
    if (x && take_name(x, target, &name))
        s = session_open(c, state, room, err);
    else if (x)
        reading_end(&x->r, err);
    cando_room_free(room);
    return s;
}

/* -- children -------------------------------------------------------------------------- */

/* A need of the parent as one that the child inherits. */
static bool inherit(struct step *x, const struct need *n, cando_requirement *out)
{
    struct str by = n->required_by;
    while (str_starts(by, STR("inherited:")))
        by = str_from(by, 10);
    *out = (cando_requirement){
        .name = need_capability(n),
        .level = (cando_level)n->level,
        .minimum = {n->minimum, n->minimum != 0},
        .min_support = (cando_min_support)n->min_support,
        .required_by = by.n && !str_is(by, "inherited") ? by.p : NULL,
    };
    return !n->set || need_set_words(&x->r, n->slot, n->set, &out->includes, &out->n_includes);
}

/* The parent's needs become the only part of the child. */
static bool inherit_all(struct step *x)
{
    struct need_list needs;
    need_list_init(&needs);
    if (!need_read_session(&x->r, &x->parts, &needs))
        return false;
    cando_requirement *list = arena_array(x->r.ar, needs.n, sizeof *list);
    if (!list)
        return reading_memory(&x->r);
    for (size_t i = 0; i < needs.n; i++)
        if (!inherit(x, &needs.need[i], &list[i]))
            return false;
    x->parts = (cando_session_parts){.inherited = list, .n_inherited = needs.n};
    x->next.choices = NULL;
    x->next.params = NULL;
    x->next.n_choices = x->next.n_params = 0;
    return true;
}

static const cando_negotiate_answer *spawn(struct step *x, const cando_session *s,
                                           const cando_name *target, cando_session **child)
{
    cando_name name = *s->state.target;
    if (target && !take_name(x, *target, &name))
        return NULL;
    x->next.target = &name;
    if (!inherit_all(x) || !put_choice(x, &name))
        return NULL;
    const cando_negotiate_answer *a =
        propose(x, s->state.target, (cando_bytes){0}, NULL, "Subagent/ModelCapabilityMismatch");
    if (!a || a->verdict == CANDO_REJECTED)
        return a;
    *child = session_make(s->c, &x->next);
    if (!*child)
        reading_memory(&x->r);
    return *child ? a : NULL;
}

const cando_negotiate_answer *cando_session_spawn(const cando_session *s, const cando_name *target,
                                                  cando_room *room, cando_session **child,
                                                  cando_error *err)
{
    *child = NULL;
    struct step *x = step_begin(s->c, &s->state, room, err);
    const cando_negotiate_answer *a = x ? spawn(x, s, target, child) : NULL;
    if (x && !a)
        reading_end(&x->r, err);
    if (a)
        tell(s, CANDO_EVENT_SPAWN, "spawn", a);
    return a;
}
