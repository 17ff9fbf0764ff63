/*
 * session.c - the object behind cando_session.
 *
 * The whole state of a session is one JSON text:
 *
 *     {"target":{"provider":..,"model":..},     what is in force
 *      "choices":{"openai":"gpt-4o",..},        the last model at each provider
 *      "unknown":"warn",
 *      "session":{..},                          the sources, as `negotiate` takes them
 *      "params":[..]}
 *
 * A change writes a new text beside the old one, reads the needs out of it with the
 * reader that the operations use, and negotiates. If that is accepted the texts are
 * swapped, and if not the new one is dropped: the old one was never touched, so that
 * a rejection cannot leave a trace. The catalog is the one that the engine has in
 * force at that moment.
 */
#include "decide.h"

#include "base/limits.h"

struct cando_session {
    const cando *c;
    struct buf state;
    struct buf history; /* the conversation so far; no part of the state, which holds no prompt text */
};

enum edit_kind { EDIT_NONE, EDIT_ATTACH, EDIT_DETACH, EDIT_PROVIDE, EDIT_HOOK, EDIT_SECURE, EDIT_PARAMS, EDIT_UNKNOWN, EDIT_CHOICE };

struct edit {
    enum edit_kind kind;
    const struct json *value;    /* of the part that is added or replaced */
    struct str provider, model;  /* the target from now on; CHOICE: the choice */
    cando_unknown unknown;
};

static const char *const unknown_words[] = {"warn", "allow", "deny"};

/* What one call works with. */
struct step {
    struct cando_session *s;
    struct arena ar;
    struct reading r;
    const cando_catalog *cat;
    const struct json *state;   /* the old one */
    struct buf next;            /* the new one */
};

/* -- reading and writing the state ----------------------------------------------------------- */

static const struct json *parse(struct reading *r, struct str text, const char *what)
{
    struct json_error bad;
    const struct json *v = json_parse(r->ar, text, &bad);
    if (v)
        return v;
    if (bad.code == CODE_memory)
        reading_memory(r);
    else
        reading_fail(r, bad.code, STR(""), "%s: line %u, column %u: %s", what, bad.line, bad.column, bad.message);
    return NULL;
}

static bool state_target(struct reading *r, const struct json *state, struct str *provider, struct str *model)
{
    const struct json *t = json_get(state, "target");
    struct str at = STR("/target");
    if (!t)
        return reading_fail(r, CODE_missing_argument, at, "the state has no target");
    return reading_object(r, t, at, "a target") && reading_keys(r, t, at, "a target", "provider model") &&
           reading_text(r, t, at, "provider", true, provider) && reading_text(r, t, at, "model", true, model);
}

static void write_pair(struct json_writer *w, struct str provider, struct str model)
{
    jw_object(w);
    jw_keyz(w, "provider");
    jw_str(w, provider);
    jw_keyz(w, "model");
    jw_str(w, model);
    jw_object_end(w);
}

static void write_choices(struct json_writer *w, const struct json *old, struct str provider, struct str model)
{
    bool found = false;
    jw_object(w);
    for (size_t i = 0; old && i < old->n; i++) {
        bool same = str_eq(old->key[i].text, provider);
        jw_key(w, old->key[i].text);
        jw_str(w, same ? model : old->item[i].text);
        found |= same;
    }
    if (!found) {
        jw_key(w, provider);
        jw_str(w, model);
    }
    jw_object_end(w);
}

/* A list with one part more; a part with the same id is replaced. */
static void write_list(struct json_writer *w, const char *key, const struct json *old, const struct json *add)
{
    const struct json *id = add ? json_get(add, "id") : NULL;
    if (!old && !add)
        return;
    jw_keyz(w, key);
    jw_array(w);
    bool placed = false;
    for (size_t i = 0; old && i < old->n; i++) {
        const struct json *other = json_get(&old->item[i], "id");
        bool same = id && other && json_equal(id, other);
        jw_value(w, same ? add : &old->item[i]);
        placed |= same;
    }
    if (add && !placed)
        jw_value(w, add);
    jw_array_end(w);
}

/* The state machine as it was given, and attached. */
static void write_attached(struct json_writer *w, const struct json *sm)
{
    jw_object(w);
    jw_keyz(w, "attached");
    jw_bool(w, true);
    for (size_t i = 0; i < sm->n; i++) {
        if (str_is(sm->key[i].text, "attached"))
            continue;
        jw_key(w, sm->key[i].text);
        jw_value(w, &sm->item[i]);
    }
    jw_object_end(w);
}

static void write_session(struct json_writer *w, const struct json *old, const struct edit *e)
{
    const struct json *sm = old ? json_get(old, "state_machine") : NULL, *sec = old ? json_get(old, "security_mode") : NULL,
                      *in = old ? json_get(old, "inherited") : NULL;
    jw_object(w);
    if (e->kind == EDIT_ATTACH) {
        jw_keyz(w, "state_machine");
        write_attached(w, e->value);
    } else if (sm && e->kind != EDIT_DETACH) {
        jw_keyz(w, "state_machine");
        jw_value(w, sm);
    }
    write_list(w, "context_providers", old ? json_get(old, "context_providers") : NULL, e->kind == EDIT_PROVIDE ? e->value : NULL);
    write_list(w, "hooks", old ? json_get(old, "hooks") : NULL, e->kind == EDIT_HOOK ? e->value : NULL);
    if (e->kind == EDIT_SECURE)
        sec = e->value;
    if (sec) {
        jw_keyz(w, "security_mode");
        jw_value(w, sec);
    }
    if (in) {
        jw_keyz(w, "inherited");
        jw_value(w, in);
    }
    jw_object_end(w);
}

static void write_state(struct buf *out, const struct json *old, struct str provider, struct str model, const struct edit *e)
{
    struct json_writer w;
    const struct json *params = e->kind == EDIT_PARAMS ? e->value : old ? json_get(old, "params") : NULL;
    const struct json *unknown = old ? json_get(old, "unknown") : NULL;
    bool choice = e->kind == EDIT_CHOICE;
    jw_init(&w, out, false);
    jw_object(&w);
    jw_keyz(&w, "target");
    write_pair(&w, provider, model);
    jw_keyz(&w, "choices");
    write_choices(&w, old ? json_get(old, "choices") : NULL, choice ? e->provider : provider, choice ? e->model : model);
    jw_keyz(&w, "unknown");
    if (e->kind == EDIT_UNKNOWN || !unknown)
        jw_strz(&w, unknown_words[e->unknown]);
    else
        jw_str(&w, unknown->text);
    jw_keyz(&w, "session");
    write_session(&w, old ? json_get(old, "session") : NULL, e);
    jw_keyz(&w, "params");
    if (params) {
        jw_value(&w, params);
    } else {
        jw_array(&w);
        jw_array_end(&w);
    }
    jw_object_end(&w);
}

/* Everything in a state that later steps take for granted. */
static bool check_state(struct reading *r, const struct json *v, struct negotiation *n)
{
    const struct json *choices, *unknown, *session, *params;
    if (!reading_object(r, v, STR(""), "a state") || !reading_keys(r, v, STR(""), "a state", "target choices unknown session params") ||
        !state_target(r, v, &n->provider, &n->model))
        return false;
    choices = json_get(v, "choices");
    unknown = json_get(v, "unknown");
    session = json_get(v, "session");
    params = json_get(v, "params");
    if (choices && !reading_object(r, choices, STR("/choices"), "'choices'"))
        return false;
    for (size_t i = 0; choices && i < choices->n; i++)
        if (choices->item[i].kind != JSON_STRING || choices->item[i].text.n > LIMIT_NAME_BYTES ||
            choices->key[i].text.n > LIMIT_NAME_BYTES)
            return reading_fail(r, CODE_bad_argument, STR("/choices"), "a choice is the name of a model");
    n->unknown = CANDO_UNKNOWN_WARN;
    for (unsigned i = 0; unknown; i++) {
        if (i == 3 || unknown->kind != JSON_STRING)
            return reading_fail(r, CODE_bad_argument, STR("/unknown"), "'unknown' is 'warn', 'allow' or 'deny'");
        if (str_is(unknown->text, unknown_words[i])) {
            n->unknown = (cando_unknown)i;
            break;
        }
    }
    n->has_target = true;
    need_list_init(&n->needs);
    return (!session || need_read_session(r, session, STR("/session"), &n->needs)) &&
           (!params || negotiate_params(r, params, STR("/params"), n));
}

/* -- one step ------------------------------------------------------------------------------------ */

static bool step_begin(struct step *x, struct cando_session *s)
{
    x->s = s;
    arena_init(&x->ar, s->c->a);
    x->r = (struct reading){.ar = &x->ar};
    x->cat = cando_get_catalog(s->c);
    buf_init(&x->next, s->c->a, LIMIT_JSON_BYTES);
    x->state = parse(&x->r, str_make(s->state.p, s->state.n), "the state");
    return x->state != NULL;
}

static cando_status step_end(struct step *x, bool ok, cando_error *err)
{
    cando_status st = ok ? CANDO_OK : reading_end(&x->r, err);
    buf_free(&x->next);
    cando_catalog_release(x->cat);
    arena_free(&x->ar);
    return st;
}

/* The provider's canonical id where the catalog knows it. */
static struct str canonical(const cando_catalog *cat, struct str provider)
{
    uint32_t number = snapshot_provider(&cat->snap, provider);
    return number == SNAP_NONE ? provider : snap_str(&cat->snap, snap_provider(&cat->snap, number).id);
}

static bool give_diagnostic(struct step *x, const struct negotiation *n, const struct hist_findings *found, const char *error,
                            char **out, size_t *len)
{
    struct buf b;
    struct json_writer w;
    if (!out)
        return true;
    buf_init(&b, x->s->c->a, LIMIT_JSON_BYTES);
    jw_init(&w, &b, false);
    char *text = NULL;
    if (write_negotiation(&w, n, found, error, x->s->c->a) && buf_cstr(&b))
        text = mem_resize(b.a, b.p, b.cap, b.n + 1);
    if (!text) {
        buf_free(&b);
        return reading_memory(&x->r);
    }
    *out = text;
    if (len)
        *len = b.n;
    return true;
}

/* The text ends with a NUL that does not count. */
static bool seal(struct buf *b)
{
    return !b->failed && buf_cstr(b) != NULL;
}

/* Writes the edited state into x->next and negotiates for it. Where the session goes
 * to another model, the history has to survive there. */
static struct negotiation *propose(struct step *x, struct str provider, struct str model, const struct edit *e,
                                   struct hist_findings *found)
{
    struct negotiation *n = arena_alloc(&x->ar, sizeof *n);
    write_state(&x->next, x->state, provider, model, e);
    if (!n || !seal(&x->next)) {
        reading_memory(&x->r);
        return NULL;
    }
    const struct json *next = parse(&x->r, str_make(x->next.p, x->next.n), "the state");
    n->cat = x->cat;
    if (!next || !check_state(&x->r, next, n))
        return NULL;
    n->has_previous = true;
    const struct json *history = NULL;
    if (e->kind == EDIT_NONE && x->s->history.n) {
        history = parse(&x->r, str_make(x->s->history.p, x->s->history.n), "the history");
        if (!history)
            return NULL;
    }
    if (!state_target(&x->r, x->state, &n->previous_provider, &n->previous_model) ||
        !negotiate_history(&x->r, n, history, STR(""), found))
        return NULL;
    return n;
}

static void commit(struct step *x)
{
    struct buf old = x->s->state;
    x->s->state = x->next;
    x->next = old;
}

/* To a target (or, with an empty provider, where it is) with an edit. */
static cando_status change(struct step *x, const struct edit *e, cando_verdict *verdict, char **diagnostic, size_t *len,
                           cando_error *err)
{
    struct str provider = canonical(x->cat, e->provider), model = e->model;
    struct negotiation *n;
    struct hist_findings found;
    bool ok = (e->provider.n && e->kind != EDIT_CHOICE) || state_target(&x->r, x->state, &provider, &model);
    ok = ok && (n = propose(x, provider, model, e, &found)) != NULL;
    ok = ok && give_diagnostic(x, n, &found, "ProviderCapability/MissingCapability", diagnostic, len);
    if (ok) {
        if (verdict)
            *verdict = n->result.verdict;
        if (n->result.verdict != CANDO_REJECTED)
            commit(x);
    }
    return step_end(x, ok, err);
}

static void clear_outputs(cando_verdict *verdict, char **diagnostic, size_t *len)
{
    if (verdict)
        *verdict = CANDO_REJECTED;
    if (diagnostic)
        *diagnostic = NULL;
    if (len)
        *len = 0;
}

static cando_status change_part(cando_session *s, enum edit_kind kind, const char *json, const char *what, cando_verdict *verdict,
                                char **diagnostic, size_t *len, cando_error *err)
{
    struct step x;
    struct edit e = {.kind = kind};
    clear_outputs(verdict, diagnostic, len);
    if (!step_begin(&x, s) || !(e.value = parse(&x.r, str_of(json), what)) || !reading_object(&x.r, e.value, STR(""), what))
        return step_end(&x, false, err);
    return change(&x, &e, verdict, diagnostic, len, err);
}

/* -- targets ---------------------------------------------------------------------------------------- */

static bool split_target(struct reading *r, struct str target, struct str *provider, struct str *model)
{
    size_t cut = str_find_char(target, '/'), colon = str_find_char(target, ':');
    if (colon < cut)
        cut = colon;
    if (cut == 0 || cut >= target.n) {
        reading_fail(r, CODE_unknown_target, STR(""), "'%.*s' does not name a provider", STR_ARG(str_head(target, 80)));
        return reading_hint(r, "write it as provider/model, for example openai/gpt-4o");
    }
    *provider = str_head(target, cut);
    *model = str_from(target, cut + 1);
    if (provider->n <= LIMIT_NAME_BYTES && model->n <= LIMIT_NAME_BYTES)
        return true;
    return reading_fail(r, CODE_too_long, STR(""), "a name has at most %u bytes", LIMIT_NAME_BYTES);
}

static struct cando_session *session_new(const cando *c, cando_error *err)
{
    struct cando_session *s = mem_alloc(c->a, sizeof *s);
    if (!s) {
        error_memory(err);
        return NULL;
    }
    s->c = c;
    buf_init(&s->state, c->a, LIMIT_JSON_BYTES);
    buf_init(&s->history, c->a, LIMIT_JSON_BYTES);
    return s;
}

void cando_session_free(cando_session *s)
{
    if (!s)
        return;
    buf_free(&s->state);
    buf_free(&s->history);
    mem_free(s->c->a, s, sizeof *s);
}

cando_session *cando_session_start(const cando *c, const char *target, cando_error *err)
{
    struct cando_session *s = session_new(c, err);
    if (!s)
        return NULL;
    struct arena ar;
    arena_init(&ar, c->a);
    struct reading r = {.ar = &ar};
    const cando_catalog *cat = cando_get_catalog(c);
    struct edit none = {.kind = EDIT_NONE};
    struct str provider, model;
    bool ok = split_target(&r, str_of(target ? target : ""), &provider, &model);
    if (ok) {
        write_state(&s->state, NULL, canonical(cat, provider), model, &none);
        ok = seal(&s->state) || reading_memory(&r);
    }
    if (!ok) {
        reading_end(&r, err);
        cando_session_free(s);
        s = NULL;
    }
    cando_catalog_release(cat);
    arena_free(&ar);
    return s;
}

cando_session *cando_session_restore(const cando *c, const char *state, size_t len, cando_error *err)
{
    struct cando_session *s = session_new(c, err);
    if (!s)
        return NULL;
    struct arena ar;
    arena_init(&ar, c->a);
    struct reading r = {.ar = &ar};
    struct edit none = {.kind = EDIT_NONE};
    struct negotiation *n = arena_alloc(&ar, sizeof *n);
    bool ok = n || reading_memory(&r);
    const struct json *v = ok ? parse(&r, str_make(state, len), "the state") : NULL;
    ok = v && check_state(&r, v, n);
    if (ok) {
        write_state(&s->state, v, n->provider, n->model, &none);
        ok = seal(&s->state) || reading_memory(&r);
    }
    if (!ok) {
        reading_end(&r, err);
        cando_session_free(s);
        s = NULL;
    }
    arena_free(&ar);
    return s;
}

const char *cando_session_state(const cando_session *s, size_t *len)
{
    if (len)
        *len = s->state.n;
    return s->state.p;
}

/* -- the triggers -------------------------------------------------------------------------------------- */

cando_status cando_session_attach(cando_session *s, const char *json, cando_verdict *verdict, char **diagnostic, size_t *len,
                                  cando_error *err)
{
    return change_part(s, EDIT_ATTACH, json, "a state machine", verdict, diagnostic, len, err);
}

cando_status cando_session_provide(cando_session *s, const char *json, cando_verdict *verdict, char **diagnostic, size_t *len,
                                   cando_error *err)
{
    return change_part(s, EDIT_PROVIDE, json, "a context provider", verdict, diagnostic, len, err);
}

cando_status cando_session_hook(cando_session *s, const char *json, cando_verdict *verdict, char **diagnostic, size_t *len,
                                cando_error *err)
{
    return change_part(s, EDIT_HOOK, json, "a hook", verdict, diagnostic, len, err);
}

cando_status cando_session_secure(cando_session *s, const char *json, cando_verdict *verdict, char **diagnostic, size_t *len,
                                  cando_error *err)
{
    return change_part(s, EDIT_SECURE, json, "a security mode", verdict, diagnostic, len, err);
}

/* Changes that need no negotiation: they ask for nothing more. */
static cando_status change_quietly(struct step *x, const struct edit *e, cando_error *err)
{
    struct str provider, model;
    struct negotiation *n = arena_alloc(&x->ar, sizeof *n);
    bool ok = (n || reading_memory(&x->r)) && state_target(&x->r, x->state, &provider, &model);
    if (ok) {
        write_state(&x->next, x->state, provider, model, e);
        ok = seal(&x->next) || reading_memory(&x->r);
    }
    const struct json *next = ok ? parse(&x->r, str_make(x->next.p, x->next.n), "the state") : NULL;
    ok = next && check_state(&x->r, next, n);
    if (ok)
        commit(x);
    return step_end(x, ok, err);
}

cando_status cando_session_detach(cando_session *s, cando_error *err)
{
    struct step x;
    struct edit e = {.kind = EDIT_DETACH};
    return step_begin(&x, s) ? change_quietly(&x, &e, err) : step_end(&x, false, err);
}

cando_status cando_session_set_params(cando_session *s, const char *json, cando_error *err)
{
    struct step x;
    struct edit e = {.kind = EDIT_PARAMS};
    if (!step_begin(&x, s) || !(e.value = parse(&x.r, str_of(json), "the parameters")))
        return step_end(&x, false, err);
    return change_quietly(&x, &e, err);
}

cando_status cando_session_set_unknown(cando_session *s, cando_unknown unknown, cando_error *err)
{
    struct step x;
    struct edit e = {.kind = EDIT_UNKNOWN, .unknown = unknown};
    if ((unsigned)unknown > CANDO_UNKNOWN_DENY)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "no such policy");
    return step_begin(&x, s) ? change_quietly(&x, &e, err) : step_end(&x, false, err);
}

cando_status cando_session_set_history(cando_session *s, const char *json, size_t len, cando_error *err)
{
    struct step x;
    struct history h;
    struct str provider, model;
    struct buf copy;
    if (!json) {
        buf_free(&s->history);
        buf_init(&s->history, s->c->a, LIMIT_JSON_BYTES);
        return CANDO_OK;
    }
    bool ok = step_begin(&x, s) && state_target(&x.r, x.state, &provider, &model);
    const struct json *v = ok ? parse(&x.r, str_make(json, len), "the history") : NULL;
    ok = v && history_read(&x.r, v, STR(""), hist_api_of(x.cat, provider), &h);
    buf_init(&copy, s->c->a, LIMIT_JSON_BYTES);
    if (ok) {
        buf_put(&copy, json, len);
        ok = !copy.failed || reading_memory(&x.r);
    }
    if (ok) {
        struct buf old = s->history;
        s->history = copy;
        copy = old;
    }
    buf_free(&copy);
    return step_end(&x, ok, err);
}

cando_status cando_session_choose(cando_session *s, const char *target, cando_error *err)
{
    struct step x;
    struct edit e = {.kind = EDIT_CHOICE};
    if (!step_begin(&x, s) || !split_target(&x.r, str_of(target), &e.provider, &e.model))
        return step_end(&x, false, err);
    e.provider = canonical(x.cat, e.provider);
    return change_quietly(&x, &e, err);
}

cando_status cando_session_switch_target(cando_session *s, const char *target, cando_verdict *verdict, char **diagnostic, size_t *len,
                                         cando_error *err)
{
    struct step x;
    struct edit e = {.kind = EDIT_NONE};
    clear_outputs(verdict, diagnostic, len);
    if (!step_begin(&x, s) || !split_target(&x.r, str_of(target), &e.provider, &e.model))
        return step_end(&x, false, err);
    return change(&x, &e, verdict, diagnostic, len, err);
}

cando_status cando_session_switch_model(cando_session *s, const char *model, cando_verdict *verdict, char **diagnostic, size_t *len,
                                        cando_error *err)
{
    struct step x;
    struct edit e = {.kind = EDIT_NONE};
    struct str now;
    clear_outputs(verdict, diagnostic, len);
    if (!step_begin(&x, s) || !state_target(&x.r, x.state, &e.provider, &now))
        return step_end(&x, false, err);
    e.model = str_of(model);
    if (e.model.n == 0 || e.model.n > LIMIT_NAME_BYTES) {
        reading_fail(&x.r, CODE_bad_argument, STR(""), "a model has a name of 1 to %u bytes", LIMIT_NAME_BYTES);
        return step_end(&x, false, err);
    }
    return change(&x, &e, verdict, diagnostic, len, err);
}

cando_status cando_session_switch_provider(cando_session *s, const char *provider, cando_verdict *verdict, char **diagnostic,
                                           size_t *len, cando_error *err)
{
    struct step x;
    struct edit e = {.kind = EDIT_NONE};
    clear_outputs(verdict, diagnostic, len);
    if (!step_begin(&x, s))
        return step_end(&x, false, err);
    e.provider = canonical(x.cat, str_of(provider));
    const struct json *choices = json_get(x.state, "choices");
    for (size_t i = 0; choices && i < choices->n; i++)
        if (str_eq_fold(choices->key[i].text, e.provider))
            e.model = choices->item[i].text;
    if (!e.model.p) {
        reading_fail(&x.r, CODE_no_choice, STR(""), "no model of '%.*s' was chosen yet", STR_ARG(str_head(e.provider, 80)));
        reading_hint(&x.r, "name one: %.*s/MODEL", STR_ARG(str_head(e.provider, 80)));
        return step_end(&x, false, err);
    }
    return change(&x, &e, verdict, diagnostic, len, err);
}

/* -- children ----------------------------------------------------------------------------------------------- */

static void write_inherited(struct json_writer *w, const struct need *n)
{
    struct str by = n->required_by;
    while (str_starts(by, STR("inherited:")))
        by = str_from(by, 10);
    jw_object(w);
    jw_keyz(w, "name");
    jw_strz(w, need_capability(n));
    jw_keyz(w, "level");
    jw_strz(w, level_word(n->level));
    if (n->minimum) {
        jw_keyz(w, "minimum");
        jw_uint(w, n->minimum);
    }
    if (n->min_support != CANDO_MIN_EMULATED) {
        jw_keyz(w, "min_support");
        jw_strz(w, min_support_word(n->min_support));
    }
    if (n->set) {
        const char *cursor = vocab_row(set_field(n->slot))->words;
        struct str word;
        jw_keyz(w, "includes");
        jw_array(w);
        for (unsigned i = 0; i < 32 && words_next(&cursor, &word); i++)
            if (n->set >> i & 1)
                jw_str(w, word);
        jw_array_end(w);
    }
    if (by.n && !str_is(by, "inherited")) {
        jw_keyz(w, "required_by");
        jw_str(w, by);
    }
    jw_object_end(w);
}

/* The child's first state: the parent's needs as its inherited set. */
static void write_child(struct buf *out, const struct negotiation *parent, struct str provider, struct str model)
{
    struct json_writer w;
    jw_init(&w, out, false);
    jw_object(&w);
    jw_keyz(&w, "target");
    write_pair(&w, provider, model);
    jw_keyz(&w, "choices");
    write_choices(&w, NULL, provider, model);
    jw_keyz(&w, "unknown");
    jw_strz(&w, unknown_words[parent->unknown]);
    jw_keyz(&w, "session");
    jw_object(&w);
    jw_keyz(&w, "inherited");
    jw_array(&w);
    for (size_t i = 0; i < parent->needs.n; i++)
        write_inherited(&w, &parent->needs.need[i]);
    jw_array_end(&w);
    jw_object_end(&w);
    jw_keyz(&w, "params");
    jw_array(&w);
    jw_array_end(&w);
    jw_object_end(&w);
}

/* Negotiates for the child whose state lies in x->next. */
static struct negotiation *spawn(struct step *x, const char *target)
{
    struct negotiation *parent = arena_alloc(&x->ar, sizeof *parent), *n = arena_alloc(&x->ar, sizeof *n);
    struct str provider, model;
    if (!parent || !n) {
        reading_memory(&x->r);
        return NULL;
    }
    if (!check_state(&x->r, x->state, parent))
        return NULL;
    provider = parent->provider;
    model = parent->model;
    if (target && !split_target(&x->r, str_of(target), &provider, &model))
        return NULL;
    write_child(&x->next, parent, canonical(x->cat, provider), model);
    if (!seal(&x->next)) {
        reading_memory(&x->r);
        return NULL;
    }
    const struct json *state = parse(&x->r, str_make(x->next.p, x->next.n), "the child's state");
    n->cat = x->cat;
    if (!state || !check_state(&x->r, state, n))
        return NULL;
    n->has_previous = true;
    n->previous_provider = parent->provider;
    n->previous_model = parent->model;
    return negotiate_run(&x->r, n) ? n : NULL;
}

cando_status cando_session_spawn(const cando_session *s, const char *target, cando_session **child, cando_verdict *verdict,
                                 char **diagnostic, size_t *len, cando_error *err)
{
    struct step x;
    clear_outputs(verdict, diagnostic, len);
    *child = NULL;
    struct negotiation *n = NULL;
    bool ok = step_begin(&x, (struct cando_session *)s) && (n = spawn(&x, target)) != NULL;
    struct cando_session *made = NULL;
    if (ok && n->result.verdict != CANDO_REJECTED) {
        made = session_new(s->c, err);
        ok = made || reading_memory(&x.r);
    }
    ok = ok && give_diagnostic(&x, n, NULL, "Subagent/ModelCapabilityMismatch", diagnostic, len);
    if (ok && verdict)
        *verdict = n->result.verdict;
    if (ok && made) {
        made->state = x.next;
        buf_init(&x.next, s->c->a, LIMIT_JSON_BYTES);
        *child = made;
    } else if (made) {
        cando_session_free(made);
    }
    return step_end(&x, ok, err);
}
