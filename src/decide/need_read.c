/*
 * need_read.c - requirements, sessions and work orders become needs.
 *
 * A session contributes in a fixed order, one need for each contribution, and
 * nothing is merged, so that every contributor is named in what comes of it:
 *
 *     an attached state machine     tool_calling, then its own needs
 *     a context provider            tool_calling if it produces tool hints or
 *                                   resource bindings, context_window if it has
 *                                   a minimum, then its own needs
 *     a guard or transform hook     streaming if it is on tokens, then its own
 *     an allowlist for tools        tool_calling
 *     the parent's set              as it was
 *
 * The level is hard unless the source says otherwise.
 */
#include "need.h"

#include "base/limits.h"
#include "text/shape.h"

/* -- members --------------------------------------------------------------------------- */

static bool take_text(struct reading *r, const char *text, bool needed, struct str at,
                      const char *key, struct str *out)
{
    *out = str_of(text ? text : "");
    if (!text && needed)
        return reading_fail(r, CODE_missing_argument, reading_at(r, at, key), "'%s' is missing",
                            key);
    if (out->n > LIMIT_NAME_BYTES)
        return reading_fail(r, CODE_too_long, reading_at(r, at, key), "a name has at most %u bytes",
                            LIMIT_NAME_BYTES);
    return true;
}

bool need_word(struct reading *r, unsigned value, const struct shape_words *words, struct str at,
               const char *key)
{
    if (value < words->n)
        return true;
    return reading_fail(r, CODE_bad_argument, reading_at(r, at, key), "%u is no value of '%s'",
                        value, key);
}

static bool read_minimum(struct reading *r, cando_number number, struct str at, const char *key,
                         uint64_t *out)
{
    *out = number.known ? number.value : 0;
    if (*out || !number.known)
        return true;
    return reading_fail(r, CODE_bad_argument, reading_at(r, at, key),
                        "'%s' must be a whole number of at least 1", key);
}

/* -- requirements ---------------------------------------------------------------------- */

static bool read_name(struct reading *r, const cando_requirement *q, struct str at, struct need *n)
{
    if (!take_text(r, q->name, true, at, "name", &n->name))
        return false;
    if (need_find(n->name, &n->kind, &n->slot))
        return true;
    bool alone =
        !q->level && !q->minimum.known && !q->min_support && !q->includes && !q->required_by;
    return need_name(r, n->name, alone ? at : reading_at(r, at, "name"), &n->kind, &n->slot);
}

static bool read_includes(struct reading *r, const cando_requirement *q, struct str at,
                          struct need *n)
{
    if (!q->includes)
        return true;
    struct str here = reading_at(r, at, "includes");
    if (n->kind != NEED_SET)
        return reading_fail(r, CODE_bad_argument, here,
                            "'%.*s' is no list: 'includes' does not apply", STR_ARG(n->name));
    for (size_t i = 0; i < q->n_includes; i++) {
        uint32_t bit = set_bit(set_field(n->slot), str_of(q->includes[i]));
        if (!bit) {
            reading_fail(r, CODE_unknown_word, reading_at_index(r, here, i),
                         "'%s' has no such word", need_capability(n));
            return reading_hint(r, "known: %s", vocab_row(set_field(n->slot))->words);
        }
        n->set |= bit;
    }
    return true;
}

/* `who` is the source whose need this is; a requirement may name another. */
static struct str contributor(struct reading *r, struct str who, struct str named)
{
    if (!named.n)
        return who;
    return str_is(who, "inherited") ? str_join(r->ar, who, STR(":"), named) : named;
}

static bool read_requirement(struct reading *r, const cando_requirement *q, struct str at,
                             struct str by, struct need_list *out)
{
    struct need n = {
        .level = (uint8_t)q->level, .min_support = (uint8_t)q->min_support, .path = at};
    struct str named;
    if (!read_name(r, q, at, &n))
        return false;
    if (!need_word(r, q->level, &level_words, at, "level"))
        return false;
    if (!read_minimum(r, q->minimum, at, "minimum", &n.minimum))
        return false;
    if (!need_word(r, q->min_support, &min_support_words, at, "min_support"))
        return false;
    if (!read_includes(r, q, at, &n))
        return false;
    if (!take_text(r, q->required_by, false, at, "required_by", &named))
        return false;
    if (n.minimum && n.kind != NEED_NUMBER)
        return reading_fail(r, CODE_bad_argument, reading_at(r, at, "minimum"),
                            "'%.*s' is no number: 'minimum' does not apply", STR_ARG(n.name));
    n.required_by = contributor(r, by, named);
    return need_add(r, out, n);
}

static bool read_requirements(struct reading *r, const cando_requirement *list, size_t n,
                              struct str at, struct str by, struct need_list *out)
{
    for (size_t i = 0; i < n; i++) {
        struct str here = reading_at_index(r, at, i);
        if (!here.p)
            return reading_memory(r);
        if (!read_requirement(r, &list[i], here, by, out))
            return false;
    }
    return true;
}

/* -- sessions -------------------------------------------------------------------------- */

static bool add_need(struct reading *r, struct need_list *out, unsigned field, cando_level level,
                     struct str by, struct str at, bool strict)
{
    struct need n = {
        .strict = strict,
        .slot = (uint8_t)plane_slot(field),
        .level = (uint8_t)level,
        .name = str_of(vocab_row(field)->name),
        .required_by = by,
        .path = at,
    };
    return need_add(r, out, n);
}

static bool own_needs(struct reading *r, const cando_requirement *list, size_t n, struct str at,
                      struct str by, struct need_list *out)
{
    return n == 0 || read_requirements(r, list, n, reading_at(r, at, "needs"), by, out);
}

static bool read_state_machine(struct reading *r, const cando_state_machine *m,
                               struct need_list *out)
{
    struct str by = STR("state_machine"), at = STR("/session/state_machine"), id;
    struct need_list idle;
    if (!take_text(r, m->id, false, at, "id", &id))
        return false;
    need_list_init(&idle);
    if (!m->attached) /* what it would need is still looked at for mistakes */
        return own_needs(r, m->needs, m->n_needs, at, by, &idle);
    /* the stages end by calls that can be parsed: what is emulated may not be */
    if (!add_need(r, out, F_tool_calling, CANDO_HARD, by, at, true))
        return false;
    return own_needs(r, m->needs, m->n_needs, at, by, out);
}

/* A word that is nearly one that means something would silently ask for nothing. */
static bool check_word(struct reading *r, struct str word, const char *known, struct str at)
{
    struct nearest near = nearest_to(word);
    struct str one;
    for (const char *list = known; words_next(&list, &one);) {
        if (str_eq(word, one))
            return true;
        nearest_try(&near, one);
    }
    if (!near.name.n)
        return true; /* another one, which needs nothing of a model */
    reading_fail(r, CODE_unknown_word, at, "'%.*s' means nothing here",
                 STR_ARG(str_head(word, 80)));
    return reading_suggest(r, near.name, NULL);
}

static bool check_produces(struct reading *r, const cando_context_provider *p, struct str at)
{
    struct str here = reading_at(r, at, "produces");
    for (size_t i = 0; i < p->n_produces; i++)
        if (!check_word(r, str_of(p->produces[i]), "tool-hint resource-binding",
                        reading_at_index(r, here, i)))
            return false;
    return true;
}

static bool produces_tools(const cando_context_provider *p)
{
    for (size_t i = 0; i < p->n_produces; i++) {
        struct str kind = str_of(p->produces[i]);
        if (str_is(kind, "tool-hint") || str_is(kind, "resource-binding"))
            return true;
    }
    return false;
}

static bool read_context_provider(struct reading *r, const void *item, struct str at,
                                  struct need_list *out)
{
    const cando_context_provider *p = item;
    struct str id;
    struct need window = {.kind = NEED_NUMBER,
                          .slot = NUM_context_window,
                          .level = (uint8_t)p->level,
                          .name = STR("context_window"),
                          .path = at};
    if (!take_text(r, p->id, true, at, "id", &id))
        return false;
    if (!need_word(r, p->level, &level_words, at, "level"))
        return false;
    if (!read_minimum(r, p->min_context, at, "min_context", &window.minimum))
        return false;
    if (!check_produces(r, p, at))
        return false;
    struct str by = str_join(r->ar, STR("context_provider"), STR(":"), id);
    if (produces_tools(p) && !add_need(r, out, F_tool_calling, p->level, by, at, false))
        return false;
    window.required_by = by;
    if (window.minimum && !need_add(r, out, window))
        return false;
    return own_needs(r, p->needs, p->n_needs, at, by, out);
}

static bool read_hook(struct reading *r, const void *item, struct str at, struct need_list *out)
{
    const cando_hook *h = item;
    struct str id, on;
    if (!take_text(r, h->id, true, at, "id", &id))
        return false;
    if (!need_word(r, h->kind, &hook_kind_words, at, "kind"))
        return false;
    if (!take_text(r, h->on, true, at, "on", &on))
        return false;
    if (!need_word(r, h->level, &level_words, at, "level"))
        return false;
    if (!check_word(r, on, "token", reading_at(r, at, "on")))
        return false;
    struct str by = str_join(r->ar, STR("hook"), STR(":"), id);
    bool acts = h->kind != CANDO_HOOK_OBSERVER && str_is(on, "token");
    if (acts && !add_need(r, out, F_streaming, h->level, by, at, false))
        return false;
    return own_needs(r, h->needs, h->n_needs, at, by, out);
}

static bool read_security(struct reading *r, const cando_security_mode *m, struct need_list *out)
{
    struct str at = STR("/session/security_mode"), kind;
    if (!take_text(r, m->kind, true, at, "kind", &kind))
        return false;
    if (!need_word(r, m->level, &level_words, at, "level"))
        return false;
    if (!check_word(r, kind, "allowlist", reading_at(r, at, "kind")))
        return false;
    if (!m->tool_oriented || !str_is(kind, "allowlist"))
        return true;
    return add_need(r, out, F_tool_calling, m->level, STR("security_mode"), at, false);
}

typedef bool read_part(struct reading *, const void *, struct str, struct need_list *);

static bool read_each(struct reading *r, const void *list, size_t n, size_t size, struct str at,
                      read_part *one, struct need_list *out)
{
    for (size_t i = 0; i < n; i++) {
        struct str here = reading_at_index(r, at, i);
        if (!here.p)
            return reading_memory(r);
        if (!one(r, (const char *)list + i * size, here, out))
            return false;
    }
    return true;
}

bool need_read_session(struct reading *r, const cando_session_parts *s, struct need_list *out)
{
    if (s->state_machine && !read_state_machine(r, s->state_machine, out))
        return false;
    if (!read_each(r, s->context_providers, s->n_context_providers, sizeof *s->context_providers,
                   STR("/session/context_providers"), read_context_provider, out))
        return false;
    if (!read_each(r, s->hooks, s->n_hooks, sizeof *s->hooks, STR("/session/hooks"), read_hook,
                   out))
        return false;
    if (s->security_mode && !read_security(r, s->security_mode, out))
        return false;
    return read_requirements(r, s->inherited, s->n_inherited, STR("/session/inherited"),
                             STR("inherited"), out);
}

/* -- work orders ----------------------------------------------------------------------- */

static bool read_order_need(struct reading *r, const void *item, struct str at,
                            struct need_list *out)
{
    const cando_order_need *q = item;
    struct need n = {
        .min_support = (uint8_t)q->min_support, .required_by = STR("work_order"), .path = at};
    if (!take_text(r, q->capability, true, at, "capability", &n.name))
        return false;
    if (!need_find(n.name, &n.kind, &n.slot))
        return need_name(r, n.name, reading_at(r, at, "capability"), &n.kind, &n.slot);
    if (!need_word(r, q->min_support, &min_support_words, at, "min_support"))
        return false;
    if (n.kind != NEED_SLOT)
        return reading_fail(r, CODE_bad_argument, reading_at(r, at, "capability"),
                            "'%.*s' has no support level", STR_ARG(n.name));
    return need_add(r, out, n);
}

static bool read_required(struct reading *r, const cando_order_need *list, size_t n, struct str at,
                          struct need_list *out)
{
    return read_each(r, list, n, sizeof *list, at, read_order_need, out);
}

/* -- whichever it is ------------------------------------------------------------------- */

bool need_read_question(struct reading *r, const cando_catalog *cat, const cando_needs_question *q,
                        const char *hint, struct need_list *out)
{
    static const char *const names[] = {"requirements", "session", "work_order", "required",
                                        "request"};
    const void *const source[] = {q->requirements, q->session, q->work_order, q->required,
                                  q->request.p};
    const cando_order_needs *order;
    unsigned which = 5;
    need_list_init(out);
    for (unsigned i = 0; i < 5; i++) {
        if (!source[i])
            continue;
        if (which == 0 && i == 1) { /* a session, and what is needed besides */
            which = i;
            continue;
        }
        if (which < 5) {
            reading_fail(r, CODE_bad_argument, reading_at(r, STR(""), names[i]),
                         "'%s' and '%s' exclude each other", names[which], names[i]);
            return reading_hint(r, "needs come from one source");
        }
        which = i;
    }
    if (which == 5 && hint) {
        reading_fail(r, CODE_missing_argument, STR(""), "there is nothing that needs anything");
        return reading_hint(r, "%s", hint);
    }
    if (q->api && !q->request.p)
        return reading_fail(r, CODE_bad_argument, STR("/dialect"), "'dialect' goes with 'request'");
    switch (which) {
    case 0:
        return read_requirements(r, q->requirements, q->n_requirements, STR("/requirements"),
                                 STR(""), out);
    case 1:
        return need_read_session(r, q->session, out) &&
               read_requirements(r, q->requirements, q->n_requirements, STR("/requirements"),
                                 STR(""), out);
    case 2:
        order = q->work_order->requirements;
        return !order || read_required(r, order->required, order->n_required,
                                       STR("/work_order/requirements/required"), out);
    case 3:
        return read_required(r, q->required, q->n_required, STR("/required"), out);
    case 4:
        return need_read_request(r, cat, q->request, q->api, hint != NULL, out);
    default:
        return true;
    }
}
