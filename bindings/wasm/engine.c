/*
 * engine.c - the engine as a WebAssembly module: what JavaScript calls.
 *
 *     open(snapshot)  ──►  engine  ──►  call(engine, question)  ──►  answer
 *
 * All numbers are addresses and lengths in the module's memory. A question is written to
 * where ask() says, and its answer lies at answer.p until the next call: one room serves all,
 * so that a call which has been made before allocates nothing. The module has one thread.
 */
#include "bindings/answer.h"
#include "bindings/mould.h"
#include "bindings/overlay.h"

#include "catalog/snapshot.h"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

static cando_error error;
static cando_bytes answer;
static cando_room *room;
static char *question;
static struct moulds moulds;
static uint32_t said[MOULD_SAID]; /* of the last answer that is a result alone: mould.h */

/* Of the last failure: its code, its message, a hint and a place, by their number. */
EXPORT("error") const char *wasm_error(unsigned which)
{
    const char *const text[] = {error.code, error.message, error.hint, error.at};
    return text[which % 4];
}

EXPORT("answer") const cando_bytes *wasm_answer(void)
{
    return &answer;
}

EXPORT("said") const uint32_t *wasm_said(void)
{
    return said;
}

/* Room for n bytes of a question, in place of what there was; 0 if there is none. Questions are
 * written there until the next call of this. */
EXPORT("ask") char *wasm_ask(size_t n)
{
    free(question);
    question = malloc(n);
    return question;
}

/* Memory that the module keeps: for a snapshot. */
EXPORT("keep") void *wasm_keep(size_t n)
{
    return aligned_alloc(64, (n + 63) & ~(size_t)63);
}

/* An engine over the snapshot, which lies where keep() said; 0: error() says why. One that came
 * with this module is trusted: its checks would be most of the time until the first answer. */
EXPORT("open") cando *wasm_open(void *snapshot, size_t n, int trusted)
{
    const cando_catalog *catalog = trusted ? catalog_open_trusted(snapshot, n, NULL, &error)
                                           : cando_catalog_open(snapshot, n, NULL, &error);
    if (!catalog)
        return NULL;
    cando *c = cando_new(catalog, NULL, &error);
    cando_catalog_release(catalog);
    return c;
}

/* Puts the rule file of n bytes, in the question's place, on top; 0: error() says why not. */
EXPORT("overlay") int wasm_overlay(cando *c, size_t n)
{
    const cando_catalog *base = cando_get_catalog(c);
    const cando_catalog *next = binding_overlay(base, "overlay", question, n, &error);
    cando_catalog_release(base);
    if (!next)
        return 0;
    cando_set_catalog(c, next);
    cando_catalog_release(next);
    return 1;
}

EXPORT("close") void wasm_close(cando *c)
{
    cando_free(c);
}

/* The day that counts as today, in the question's place; 0: error() says why not. */
EXPORT("today") int wasm_today(size_t n)
{
    question[n] = '\0';
    return cando_set_today(n ? question : NULL, &error) == CANDO_OK;
}

/* Answers the question of n bytes: 1, or 0 if there was no memory. With `bare` its result alone is
 * the answer, and 2 says so; whatever is no result stays whole. */
EXPORT("call") int wasm_call(const cando *c, size_t n, int bare)
{
    if (!room)
        room = cando_room_new(NULL, &error);
    if (!room)
        return 0;
    cando_room_clear(room);
    if (cando_call_in(c, question, n, room, &answer) != CANDO_OK)
        return 0;
    if (!bare || !binding_result(&answer))
        return 1;
    mould_say(&moulds, answer, said);
    return 2;
}
