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
 * The level is hard unless the source says otherwise. Unknown keys are errors: a
 * misspelt one would drop a need without a word.
 */
#include "base/limits.h"
#include "need.h"

/* -- shapes ----------------------------------------------------------------------------- */

static bool read_flag(struct reading *r, const struct json *v, struct str at, const char *key, bool absent, bool *out)
{
    const struct json *m = json_get(v, key);
    *out = m ? m->kind == JSON_TRUE : absent;
    return !m || m->kind == JSON_TRUE || m->kind == JSON_FALSE ||
           reading_fail(r, CODE_bad_argument, reading_at(r, at, key), "'%s' must be true or false, it is %s", key, json_kind_name(m));
}

static bool read_minimum(struct reading *r, const struct json *v, struct str at, const char *key, uint64_t *out)
{
    const struct json *m = json_get(v, key);
    *out = 0;
    if (!m || (m->kind == JSON_NUMBER && json_uint(m, out) && *out >= 1))
        return true;
    return reading_fail(r, CODE_bad_argument, reading_at(r, at, key), "'%s' must be a whole number of at least 1", key);
}

static bool read_level(struct reading *r, const struct json *v, struct str at, bool required, uint8_t *out)
{
    struct str word;
    if (!reading_text(r, v, at, "level", required, &word))
        return false;
    *out = CANDO_HARD;
    if (!json_get(v, "level"))
        return true;
    for (uint8_t l = CANDO_HARD; l <= CANDO_PROBED; l++)
        if (str_is(word, level_word(l))) {
            *out = l;
            return true;
        }
    reading_fail(r, CODE_bad_argument, reading_at(r, at, "level"), "no level is called '%.*s'", STR_ARG(str_head(word, 80)));
    return reading_hint(r, "known: 'hard', 'preferred', 'probed'");
}

/* -- requirements ------------------------------------------------------------------------- */

static bool read_includes(struct reading *r, const struct json *v, struct str at, struct need *n)
{
    const struct json *list = json_get(v, "includes");
    if (!list)
        return true;
    struct str here = reading_at(r, at, "includes");
    if (n->kind != NEED_SET)
        return reading_fail(r, CODE_bad_argument, here, "'%.*s' is no list: 'includes' does not apply", STR_ARG(n->name));
    if (!reading_array(r, list, here, "'includes'"))
        return false;
    for (size_t i = 0; i < list->n; i++) {
        uint32_t bit = list->item[i].kind == JSON_STRING ? set_bit(set_field(n->slot), list->item[i].text) : 0;
        if (!bit) {
            reading_fail(r, CODE_unknown_word, reading_at_index(r, here, i), "'%s' has no such word", need_capability(n));
            return reading_hint(r, "known: %s", vocab_row(set_field(n->slot))->words);
        }
        n->set |= bit;
    }
    return true;
}

static bool read_min_support(struct reading *r, const struct json *v, struct str at, bool required, uint8_t *out)
{
    struct str word;
    if (!reading_text(r, v, at, "min_support", required, &word))
        return false;
    *out = CANDO_MIN_EMULATED;
    if (!json_get(v, "min_support") || min_support_find(word, out))
        return true;
    reading_fail(r, CODE_bad_argument, reading_at(r, at, "min_support"), "no threshold is called '%.*s'", STR_ARG(str_head(word, 80)));
    return reading_hint(r, "known: 'native', 'emulated', 'any'");
}

/* `who` is the source whose need this is; a requirement may name another. */
static struct str contributor(struct reading *r, struct str who, struct str named)
{
    if (!named.n)
        return who;
    if (!who.n)
        return named;
    return str_is(who, "inherited") ? str_printf(r->ar, "inherited:%.*s", STR_ARG(named)) : named;
}

/* `lenient`: inside of a session, where the level is hard if nothing is said. */
static bool read_requirement(struct reading *r, const struct json *v, struct str at, struct str by, bool lenient,
                             struct need_list *out)
{
    struct need n = {.path = at};
    struct str named;
    if (!reading_object(r, v, at, "a requirement") ||
        !reading_keys(r, v, at, "a requirement", "name level minimum min_support includes required_by") ||
        !reading_text(r, v, at, "name", true, &n.name) || !need_name(r, n.name, reading_at(r, at, "name"), &n.kind, &n.slot) ||
        !read_level(r, v, at, !lenient, &n.level) || !read_minimum(r, v, at, "minimum", &n.minimum) ||
        !read_min_support(r, v, at, false, &n.min_support) || !read_includes(r, v, at, &n) ||
        !reading_text(r, v, at, "required_by", false, &named))
        return false;
    if (n.minimum && n.kind != NEED_NUMBER)
        return reading_fail(r, CODE_bad_argument, reading_at(r, at, "minimum"), "'%.*s' is no number: 'minimum' does not apply",
                         STR_ARG(n.name));
    n.required_by = contributor(r, by, named);
    return need_add(r, out, n);
}

bool need_read_requirements(struct reading *r, const struct json *v, struct str at, struct str by, bool names,
                            struct need_list *out)
{
    if (!reading_array(r, v, at, "requirements"))
        return false;
    for (size_t i = 0; i < v->n; i++) {
        struct str here = reading_at_index(r, at, i);
        if (!here.p)
            return reading_memory(r);
        if (!names || v->item[i].kind != JSON_STRING) {
            if (!read_requirement(r, &v->item[i], here, by, names, out))
                return false;
            continue;
        }
        struct need n = {.min_support = CANDO_MIN_EMULATED, .name = v->item[i].text, .required_by = by, .path = here};
        if (!need_name(r, n.name, here, &n.kind, &n.slot) || !need_add(r, out, n))
            return false;
    }
    return true;
}

/* -- sessions -------------------------------------------------------------------------------- */

static bool add_slot(struct reading *r, struct need_list *out, unsigned field, uint8_t level, struct str by, struct str at)
{
    struct need n = {
        .slot = (uint8_t)plane_slot(field),
        .level = level,
        .min_support = CANDO_MIN_EMULATED,
        .name = str_of(vocab_row(field)->name),
        .required_by = by,
        .path = at,
    };
    return need_add(r, out, n);
}

static bool own_needs(struct reading *r, const struct json *v, struct str at, struct str by, struct need_list *out)
{
    const struct json *needs = json_get(v, "needs");
    return !needs || need_read_requirements(r, needs, reading_at(r, at, "needs"), by, true, out);
}

static bool read_state_machine(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    bool attached;
    struct str by = STR("state_machine"), id;
    if (v->kind == JSON_NULL)
        return true;
    if (!reading_object(r, v, at, "a state machine") || !reading_keys(r, v, at, "a state machine", "attached id needs") ||
        !reading_text(r, v, at, "id", false, &id) || !read_flag(r, v, at, "attached", true, &attached))
        return false;
    struct need_list idle;
    need_list_init(&idle);
    if (!attached) /* what it would need is still looked at for mistakes */
        return own_needs(r, v, at, by, &idle);
    return add_slot(r, out, F_tool_calling, CANDO_HARD, by, at) && own_needs(r, v, at, by, out);
}

/* Does the list of words have one of two? */
static bool produces(struct reading *r, const struct json *v, struct str at, bool *tools)
{
    const struct json *list = json_get(v, "produces");
    *tools = false;
    if (!list)
        return true;
    struct str here = reading_at(r, at, "produces");
    if (!reading_array(r, list, here, "'produces'"))
        return false;
    for (size_t i = 0; i < list->n; i++) {
        if (list->item[i].kind != JSON_STRING)
            return reading_fail(r, CODE_bad_argument, reading_at_index(r, here, i), "a kind of content is a string, this is %s",
                             json_kind_name(&list->item[i]));
        *tools |= str_is(list->item[i].text, "tool-hint") || str_is(list->item[i].text, "resource-binding");
    }
    return true;
}

static bool read_context_provider(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    struct str id;
    bool tools;
    uint8_t level;
    struct need window = {.kind = NEED_NUMBER, .slot = NUM_context_window, .min_support = CANDO_MIN_EMULATED};
    if (!reading_object(r, v, at, "a context provider") ||
        !reading_keys(r, v, at, "a context provider", "id produces min_context level needs") ||
        !reading_text(r, v, at, "id", true, &id) || !produces(r, v, at, &tools) || !read_level(r, v, at, false, &level) ||
        !read_minimum(r, v, at, "min_context", &window.minimum))
        return false;
    struct str by = str_printf(r->ar, "context_provider:%.*s", STR_ARG(id));
    if (tools && !add_slot(r, out, F_tool_calling, level, by, at))
        return false;
    window.level = level;
    window.name = STR("context_window");
    window.required_by = by;
    window.path = at;
    return (!window.minimum || need_add(r, out, window)) && own_needs(r, v, at, by, out);
}

static bool read_hook(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    struct str id, kind, on;
    uint8_t level;
    if (!reading_object(r, v, at, "a hook") || !reading_keys(r, v, at, "a hook", "id kind on level needs") ||
        !reading_text(r, v, at, "id", true, &id) || !reading_text(r, v, at, "kind", true, &kind) ||
        !reading_text(r, v, at, "on", true, &on) || !read_level(r, v, at, false, &level))
        return false;
    bool acts = str_is(kind, "guard") || str_is(kind, "transform");
    if (!acts && !str_is(kind, "observer")) {
        reading_fail(r, CODE_bad_argument, reading_at(r, at, "kind"), "no kind of hook is called '%.*s'", STR_ARG(str_head(kind, 80)));
        return reading_hint(r, "known: 'guard', 'transform', 'observer'");
    }
    struct str by = str_printf(r->ar, "hook:%.*s", STR_ARG(id));
    if (acts && str_is(on, "token") && !add_slot(r, out, F_streaming, level, by, at))
        return false;
    return own_needs(r, v, at, by, out);
}

static bool read_security(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    struct str kind;
    bool tools;
    uint8_t level;
    if (v->kind == JSON_NULL)
        return true;
    if (!reading_object(r, v, at, "a security mode") || !reading_keys(r, v, at, "a security mode", "kind tool_oriented level") ||
        !reading_text(r, v, at, "kind", true, &kind) || !read_flag(r, v, at, "tool_oriented", false, &tools) ||
        !read_level(r, v, at, false, &level))
        return false;
    return !tools || !str_is(kind, "allowlist") || add_slot(r, out, F_tool_calling, level, STR("security_mode"), at);
}

typedef bool read_part(struct reading *, const struct json *, struct str, struct need_list *);

static bool read_each(struct reading *r, const struct json *v, struct str at, const char *what, read_part *one,
                      struct need_list *out)
{
    if (!reading_array(r, v, at, what))
        return false;
    for (size_t i = 0; i < v->n; i++) {
        struct str here = reading_at_index(r, at, i);
        if (!here.p)
            return reading_memory(r);
        if (!one(r, &v->item[i], here, out))
            return false;
    }
    return true;
}

bool need_read_session(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    if (!reading_object(r, v, at, "a session") ||
        !reading_keys(r, v, at, "a session", "state_machine context_providers hooks security_mode inherited"))
        return false;
    const struct json *sm = json_get(v, "state_machine"), *cp = json_get(v, "context_providers"), *h = json_get(v, "hooks"),
                      *sec = json_get(v, "security_mode"), *in = json_get(v, "inherited");
    return (!sm || read_state_machine(r, sm, reading_at(r, at, "state_machine"), out)) &&
           (!cp || read_each(r, cp, reading_at(r, at, "context_providers"), "'context_providers'", read_context_provider, out)) &&
           (!h || read_each(r, h, reading_at(r, at, "hooks"), "'hooks'", read_hook, out)) &&
           (!sec || read_security(r, sec, reading_at(r, at, "security_mode"), out)) &&
           (!in || need_read_requirements(r, in, reading_at(r, at, "inherited"), STR("inherited"), true, out));
}

/* -- work orders ------------------------------------------------------------------------------- */

static bool read_order_need(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    struct need n = {.level = CANDO_HARD, .required_by = STR("work_order"), .path = at};
    if (!reading_object(r, v, at, "a requirement") || !reading_keys(r, v, at, "a requirement", "capability min_support") ||
        !reading_text(r, v, at, "capability", true, &n.name) ||
        !need_name(r, n.name, reading_at(r, at, "capability"), &n.kind, &n.slot) ||
        !read_min_support(r, v, at, true, &n.min_support))
        return false;
    if (n.kind != NEED_SLOT)
        return reading_fail(r, CODE_bad_argument, reading_at(r, at, "capability"), "'%.*s' has no support level", STR_ARG(n.name));
    return need_add(r, out, n);
}

bool need_read_required(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    return read_each(r, v, at, "'required'", read_order_need, out);
}

bool need_read_work_order(struct reading *r, const struct json *v, struct str at, struct need_list *out)
{
    if (!reading_object(r, v, at, "a work order"))
        return false;
    const struct json *req = json_get(v, "requirements");
    struct str here = reading_at(r, at, "requirements");
    if (!req)
        return true;
    if (!reading_object(r, req, here, "'requirements'") || !reading_keys(r, req, here, "'requirements'", "required"))
        return false;
    const struct json *list = json_get(req, "required");
    return !list || need_read_required(r, list, reading_at(r, here, "required"), out);
}
