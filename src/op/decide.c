/*
 * decide.c - shapes of what needs something.
 */
#include "decide.h"

#include "decide/negotiate.h"

#define S cando_requirement
#define REQUIREMENT(level_flags)                                                                   \
    TEXT(name, NEEDED, "a capability, a limit or a list, in any vocabulary"),                      \
        WORD(level, &level_words, level_flags,                                                     \
             "'hard': without it nothing runs; 'preferred'; 'probed'"),                            \
        NUMBER(minimum, OMIT, "of a limit: at least so much"),                                     \
        WORD(min_support, &min_support_words, OMIT,                                                \
             "what is enough, of a capability; 'emulated' if it is not said"),                     \
        TEXTS(includes, OMIT, "of a closed list: words that must be in it"),                       \
        TEXT(required_by, OMIT, "who needs it")
static const struct shape_member requirement[] = {REQUIREMENT(NEEDED)},
                                 part_need[] = {REQUIREMENT(NONE)};
#undef S
const struct shape op_requirement = SHAPE("a requirement", cando_requirement, requirement);
/* Inside of a session the level is hard if nothing is said. */
static const struct shape part_need_shape = SHAPE("a requirement", cando_requirement, part_need);

#define NEEDS LIST(needs, &part_need_shape, NAMED | OMIT, "further needs of its own")
#define LEVEL WORD(level, &level_words, OMIT, "of what it needs; 'hard' if it is not said")

#define S cando_state_machine
static const struct shape_member state_machine[] = {
    FLAG(attached, ON, "false: it needs nothing; true if it is not said"),
    TEXT(id, OMIT, "its name"),
    NEEDS,
};
#undef S
static const struct shape state_machine_shape =
    SHAPE("a state machine", cando_state_machine, state_machine);

#define S cando_context_provider
static const struct shape_member context_provider[] = {
    TEXT(id, NEEDED, "its name"),
    TEXTS(produces, OMIT, "kinds of content; 'tool-hint' and 'resource-binding' need tool_calling"),
    NUMBER(min_context, OMIT, "the least context_window"),
    LEVEL,
    NEEDS,
};
#undef S
static const struct shape context_provider_shape =
    SHAPE("a context provider", cando_context_provider, context_provider);

#define S cando_hook
static const struct shape_member hook[] = {
    TEXT(id, NEEDED, "its name"),
    WORD(kind, &hook_kind_words, NEEDED, "an observer needs nothing"),
    TEXT(on, NEEDED, "what it hears; 'token' needs streaming"),
    LEVEL,
    NEEDS,
};
#undef S
static const struct shape hook_shape = SHAPE("a hook", cando_hook, hook);

#define S cando_security_mode
static const struct shape_member security_mode[] = {
    TEXT(kind, NEEDED, "'allowlist', .."),
    FLAG(tool_oriented, OMIT, "an allowlist of tools needs tool_calling"),
    LEVEL,
};
#undef S
static const struct shape security_mode_shape =
    SHAPE("a security mode", cando_security_mode, security_mode);

#define S cando_session_parts
static const struct shape_member session[] = {
    OBJECT(state_machine, &state_machine_shape, NULLS | OMIT, "needs tool_calling"),
    LIST(context_providers, &context_provider_shape, OMIT, "what puts something into the context"),
    LIST(hooks, &hook_shape, OMIT, "what acts while an answer comes"),
    OBJECT(security_mode, &security_mode_shape, NULLS | OMIT, "what tools may be used"),
    LIST(inherited, &part_need_shape, NAMED | OMIT, "needs of the session that spawned this one"),
};
#undef S
const struct shape op_session = SHAPE("a session", cando_session_parts, session);

#define S cando_order_need
static const struct shape_member order_need[] = {
    TEXT(capability, NEEDED, "in any vocabulary"),
    WORD(min_support, &min_support_words, NEEDED, "what is enough"),
};
#undef S
const struct shape op_order_need = SHAPE("a requirement", cando_order_need, order_need);

#define S cando_order_needs
static const struct shape_member order_needs[] = {
    LIST(required, &op_order_need, NONE, "one by one")};
#undef S
static const struct shape order_needs_shape =
    SHAPE("'requirements'", cando_order_needs, order_needs);

#define S cando_work_order
static const struct shape_member work_order[] = {
    OBJECT(requirements, &order_needs_shape, NONE,
           "what the order needs; the rest of an order is its own"),
};
#undef S
const struct shape op_work_order = SHAPE_OPEN("a work order", cando_work_order, work_order);

#define S cando_param
static const struct shape_member param[] = {
    TEXTS(path, NEEDED, "[\"reasoning\",\"effort\"]"),
    JSON(value, NEEDED, "any JSON value"),
    WORD(layer, &param_layer_words, NEEDED, "where it was set"),
};
#undef S
const struct shape op_param = SHAPE("a parameter", cando_param, param);

bool op_decode(const struct shape *s, cando_bytes text, cando_room *room, void *out,
               cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const struct json *v = reading_json(&r, text, STR(""));
    if (v && shape_read(&r, s, v, STR_IN(text), "", out))
        return true;
    reading_end(&r, err);
    return false;
}
