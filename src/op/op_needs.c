/* op_needs.c - the tables of `needs`, and needs from JSON. */
#include "decide.h"

#define S cando_needs_question
static const struct shape_member question[] = {
    JSON(request, NONE, "a request, in the form of the provider's own API"),
    TEXT_AS(
        api, "dialect", NONE,
        "its form, if it shall not be found by itself: 'openai-chat', 'anthropic-messages', .."),
    LIST(requirements, &op_requirement, NONE, "what is needed, one by one"),
    OBJECT(session, &op_session, NONE, "the parts of a session, each of which needs something"),
    OBJECT(work_order, &op_work_order, NONE, "a work order for an agent backend"),
    LIST(required, &op_order_need, NONE, "the requirements of a work order"),
};
#undef S

static void write_min_support(struct json_writer *w, const void *object)
{
    const cando_need *n = object;
    jw_strz(w, n->type == CANDO_SUPPORT ? min_support_words.word[n->min_support] : NULL);
}

static const struct shape_other min_support = {
    write_min_support,
    "{\"enum\":[\"native\",\"emulated\",\"any\",null],\"description\":\"what is enough, of a "
    "capability\"}",
};

#define S cando_need
static const struct shape_member need[] = {
    TEXT(capability, NEEDED, "our name of it"),
    WORD(level, &level_words, NEEDED, "how strongly"),
    OTHER("min_support", &min_support, NONE, "what is enough, of a capability"),
    NUMBER(minimum, NONE, "of a limit"),
    TEXT(required_by, NONE, "who needs it"),
    TEXT(path, NEEDED, "where the need stands in the question"),
};
#undef S
static const struct shape need_shape = SHAPE("a need", cando_need, need);

#define S cando_needs_answer
static const struct shape_member answer[] = {
    LIST(needs, &need_shape, NEEDED, "in the order of who needs them; nothing is merged"),
};
#undef S

OP(needs, "what a request, a session or an order asks for, and who", OP_RULES,
   "{\"op\":\"needs\",\"session\":{\"hooks\":[{\"id\":\"tone\",\"kind\":\"guard\",\"on\":\"token\"}"
   "]}}")

cando_needs *cando_needs_read(const char *json, size_t len, const cando_allocator *a,
                              cando_error *err)
{
    struct cando own;
    cando_needs_question q = {0};
    cando_needs *n = NULL;
    cando_room *room = cando_room_new(a, err);
    if (!room)
        return NULL;
    if (op_decode(&op_needs.question, (cando_bytes){json, len}, room, &q, err)) {
        engine_borrow(&own, cando_catalog_builtin(), a);
        n = cando_needs_new(&own, &q, err);
    }
    cando_room_free(room);
    return n;
}
