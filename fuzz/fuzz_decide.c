/*
 * fuzz_decide.c - the deciding operations, with whatever arguments.
 *
 * The first byte picks the operation, the rest is the inside of a JSON object. A
 * reply must come, be JSON, and hold no secret of a known shape where the operation is
 * `redact`; what a session accepts as its state must survive being read again.
 */
#include "fuzz.h"

#include "text/json.h"

static const char *const ops[] = {"needs", "negotiate", "match", "select", "redact", "diff"};

static void check_reply(const char *op, const char *text, size_t len)
{
    struct arena ar;
    struct json_error bad;
    arena_init(&ar, NULL);
    const struct json *v = json_parse(&ar, str_make(text, len), &bad);
    if (!v || !json_get(v, "ok"))
        abort();
    const struct json *result = json_get(v, "result");
    if (result && strcmp(op, "redact") == 0) {
        const struct json *value = json_get(result, "value");
        if (!value || (value->kind == JSON_STRING &&
                       (str_is(value->text, "sk-a") || str_starts(value->text, STR("ghp_a")))))
            abort();
    }
    arena_free(&ar);
}

static void same_state(const cando_session *s, cando_room *room, cando_bytes want)
{
    cando_bytes have;
    if (cando_session_state(s, room, &have, NULL) != CANDO_OK || have.n != want.n ||
        memcmp(have.p, want.p, want.n) != 0)
        abort();
}

static void try_session(cando *c, const uint8_t *data, size_t size)
{
    static cando_room *room;
    cando_bytes state;
    cando_session *s = cando_session_restore(c, (const char *)data, size, NULL);
    if (!s)
        return;
    if (!room && !(room = cando_room_new(NULL, NULL)))
        abort();
    if (cando_session_state(s, room, &state, NULL) != CANDO_OK)
        abort();
    cando_session *again = cando_session_restore(c, state.p, state.n, NULL);
    if (!again)
        abort();
    same_state(again, room, state);
    const cando_change go = {.target = {"openai/gpt-4o", NULL}};
    const cando_negotiate_answer *a = cando_session_change(again, &go, room, NULL);
    if (!a || a->verdict == CANDO_REJECTED)
        same_state(again, room, state);
    cando_session *child = NULL;
    cando_session_spawn(s, NULL, room, &child, NULL);
    same_state(s, room, state);
    cando_session_free(child);
    cando_session_free(again);
    cando_session_free(s);
    cando_room_clear(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cando *c;
    if (!c && !(c = cando_new(NULL, NULL, NULL)))
        abort();
    if (size < 1 || size > 20000)
        return 0;
    unsigned which = data[0] % 7;
    if (which == 6) {
        try_session(c, data + 1, size - 1);
        return 0;
    }
    struct buf q;
    char *reply;
    size_t len;
    buf_init(&q, NULL, 1 << 20);
    buf_printf(&q, "{\"op\":\"%s\",", ops[which]);
    buf_put(&q, data + 1, size - 1);
    buf_putc(&q, '}');
    if (cando_call(c, q.p, q.n, &reply, &len) != CANDO_OK)
        abort();
    check_reply(ops[which], reply, len);
    cando_free_text(c, reply, len);
    buf_free(&q);
    return 0;
}
