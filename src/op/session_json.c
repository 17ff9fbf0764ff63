/*
 * session_json.c - the state of a session as JSON:
 *
 *     {"target":{"provider":..,"model":..},     what is in force
 *      "choices":{"openai":"gpt-4o",..},        the last model at each provider
 *      "unknown":"warn",
 *      "session":{..},                          the parts, as `negotiate` takes them
 *      "params":[..]}
 */
#include "decide.h"

#include "base/limits.h"
#include "decide/session.h"

#define S cando_name
static const struct shape_member pair[] = {
    TEXT(provider, NEEDED, "who serves it"),
    TEXT(model, NEEDED, "its id there"),
};
#undef S
static const struct shape pair_shape = SHAPE("a target", cando_name, pair);

#define S struct session_state
static const struct shape_member state[] = {
    OBJECT(target, &pair_shape, NEEDED, "what is in force"),
    MAP(choices, &pair_shape, NONE, "the last model at each provider"),
    WORD(unknown, &unknown_words, NONE, "what an unknown capability does to a hard need"),
    OBJECT(session, &op_session, NONE, "its parts"),
    LIST(params, &op_param, NONE, "its parameters"),
};
#undef S
static const struct shape state_shape = SHAPE("a state", struct session_state, state);

cando_status cando_session_state(const cando_session *s, cando_room *room, cando_bytes *out,
                                 cando_error *err)
{
    struct buf b;
    struct json_writer w;
    buf_init_arena(&b, &room->ar, LIMIT_JSON_BYTES);
    jw_init(&w, &b, false);
    shape_write(&w, &state_shape, &s->state);
    return op_give(&b, out, err);
}

cando_session *cando_session_restore(const cando *c, const char *text, size_t len, cando_error *err)
{
    struct session_state read = {0};
    cando_session *s = NULL;
    cando_room *room = cando_room_new(c->a, err);
    if (!room)
        return NULL;
    if (op_decode(&state_shape, (cando_bytes){text, len}, room, &read, err))
        s = session_open(c, read, room, err);
    cando_room_free(room);
    return s;
}
