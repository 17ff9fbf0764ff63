/*
 * addon.c - the engine as a library that Node loads: what engine.js calls in place of WebAssembly.
 *
 *     open(catalog)  ──►  engine  ──►  page(engine, bytes), ask(engine, n)  ──►  answer
 *
 * A question is n bytes of the engine's page, which JavaScript owns and writes; its answer is JSON
 * text. What is said of a result (mould.h) stands before it on the page, in the first PAGE_SAID
 * bytes. What fails gives back a list of four texts: code, message, hint and place.
 * Node-API 8 is all that is used, so that one library serves every later version.
 *
 * An engine belongs to the thread that opened it; several threads have several engines. They share
 * the catalog of the package, which is mapped once, as if it were linked in, and stays. The day of
 * asking is each engine's own.
 */
#define _POSIX_C_SOURCE 200809L
#define NAPI_VERSION 8
#include <node_api.h>

#include "bindings/answer.h"
#include "bindings/mould.h"
#include "bindings/overlay.h"
#include "base/instant.h"
#include "catalog/snapshot.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CATALOG_WEIGHT (5 << 20) /* what an engine with a catalog of its own holds, roughly */

#define PAGE_SAID (MOULD_SAID * sizeof(uint32_t))

struct engine {
    cando *cando;
    cando_room *room;
    napi_ref kept; /* holds the page as long as it may be read */
    uint32_t *said;
    char *page;
    size_t space;
    struct moulds moulds;
    uint32_t day; /* that counts as today; 0: the clock's */
    bool heavy;   /* Node was told CATALOG_WEIGHT */
};

/* -- the day of asking ------------------------------------------------------------------------ */

/* The library's day is the whole process's. Here the linker leads to these instead: the day is
 * the thread's, and an engine sets its own before each question. */
static _Thread_local uint32_t today;

uint32_t __real_day_today(void);
uint32_t __wrap_day_today(void);
void __wrap_day_set_today(uint32_t number);

uint32_t __wrap_day_today(void)
{
    return today ? today : __real_day_today();
}

void __wrap_day_set_today(uint32_t number)
{
    today = number;
}

/* -- values ------------------------------------------------------------------------------------ */

static napi_value text_of(napi_env env, const char *p, size_t n)
{
    napi_value out = NULL;
    size_t i = 0;
    uint64_t word, other = 0;
    for (; i + sizeof word <= n; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        other |= word;
    }
    for (; i < n; i++)
        other |= (unsigned char)p[i];
    if (other & UINT64_C(0x8080808080808080))
        napi_create_string_utf8(env, p, n, &out);
    else
        napi_create_string_latin1(env, p, n, &out);
    return out;
}

static napi_value failure_of(napi_env env, const cando_error *err)
{
    const char *const texts[] = {err->code, err->message, err->hint, err->at};
    napi_value out = NULL;
    napi_create_array_with_length(env, 4, &out);
    for (uint32_t i = 0; i < 4; i++)
        napi_set_element(env, out, i, text_of(env, texts[i], strlen(texts[i])));
    return out;
}

/* The engine that is the first of a call's arguments, or NULL; and what stands behind it. */
static struct engine *arguments(napi_env env, napi_callback_info info, napi_value *more)
{
    napi_value args[2];
    size_t n = 2;
    void *e = NULL;
    if (napi_get_cb_info(env, info, &n, args, NULL, NULL) != napi_ok || n != 2)
        return NULL;
    *more = args[1];
    return napi_get_value_external(env, args[0], &e) == napi_ok ? e : NULL;
}

/* -- questions --------------------------------------------------------------------------------- */

/* page(engine, bytes): where questions are written from now on; undefined: it cannot be kept. */
static napi_value set_page(napi_env env, napi_callback_info info)
{
    void *p = NULL;
    size_t n = 0;
    napi_typedarray_type type;
    napi_value bytes;
    napi_ref kept;
    struct engine *e = arguments(env, info, &bytes);
    if (!e || napi_get_typedarray_info(env, bytes, &type, &n, &p, NULL, NULL) != napi_ok)
        return NULL;
    if (type != napi_uint8_array || n <= PAGE_SAID || (uintptr_t)p % sizeof(uint32_t))
        return NULL;
    if (napi_create_reference(env, bytes, 1, &kept) != napi_ok)
        return NULL;
    if (e->kept)
        napi_delete_reference(env, e->kept);
    e->kept = kept;
    e->said = p;
    e->page = (char *)p + PAGE_SAID;
    e->space = n - PAGE_SAID;
    return bytes;
}

/* The engine that is asked, with n bytes of a question on its page, or NULL. */
static struct engine *asked(napi_env env, napi_callback_info info, uint32_t *n)
{
    napi_value count;
    struct engine *e = arguments(env, info, &count);
    if (!e || !e->cando || napi_get_value_uint32(env, count, n) != napi_ok)
        return NULL;
    return *n < e->space ? e : NULL;
}

/* The engine that has answered, or NULL. */
static struct engine *answer_to(napi_env env, napi_callback_info info, cando_bytes *answer)
{
    uint32_t n;
    struct engine *e = asked(env, info, &n);
    if (!e)
        return NULL;
    today = e->day;
    cando_room_clear(e->room);
    return cando_call_in(e->cando, e->page, n, e->room, answer) == CANDO_OK ? e : NULL;
}

/* ask(engine, n): the answer; undefined: there was no memory. */
static napi_value ask(napi_env env, napi_callback_info info)
{
    cando_bytes answer;
    return answer_to(env, info, &answer) ? text_of(env, answer.p, answer.n) : NULL;
}

/* result(engine, n): the result alone; what is none comes whole, as a list of one. */
static napi_value result(napi_env env, napi_callback_info info)
{
    cando_bytes answer;
    napi_value list = NULL;
    struct engine *e = answer_to(env, info, &answer);
    if (!e)
        return NULL;
    if (binding_result(&answer)) {
        mould_say(&e->moulds, answer, e->said);
        return text_of(env, answer.p, answer.n);
    }
    napi_create_array_with_length(env, 1, &list);
    napi_set_element(env, list, 0, text_of(env, answer.p, answer.n));
    return list;
}

/* -- what an engine is ------------------------------------------------------------------------- */

static void weigh(napi_env env, struct engine *e, bool heavy)
{
    int64_t all;
    if (heavy != e->heavy)
        napi_adjust_external_memory(env, heavy ? CATALOG_WEIGHT : -CATALOG_WEIGHT, &all);
    e->heavy = heavy;
}

static void engine_empty(napi_env env, struct engine *e)
{
    if (e->cando)
        cando_free(e->cando);
    cando_room_free(e->room);
    if (e->kept)
        napi_delete_reference(env, e->kept);
    weigh(env, e, false);
    *e = (struct engine){0};
}

static void engine_free(napi_env env, void *engine, void *hint)
{
    (void)hint;
    engine_empty(env, engine);
    free(engine);
}

/* close(engine): its memory is given back, it answers nothing any more. */
static napi_value close_engine(napi_env env, napi_callback_info info)
{
    napi_value args[1];
    size_t n = 1;
    void *e = NULL;
    if (napi_get_cb_info(env, info, &n, args, NULL, NULL) != napi_ok || n != 1)
        return NULL;
    if (napi_get_value_external(env, args[0], &e) == napi_ok)
        engine_empty(env, e);
    return NULL;
}

/* overlay(engine, n): puts a rule file on top; a failure, or undefined. */
static napi_value overlay(napi_env env, napi_callback_info info)
{
    uint32_t n;
    cando_error err = {0};
    struct engine *e = asked(env, info, &n);
    if (!e) {
        error_memory(&err);
        return failure_of(env, &err);
    }
    const cando_catalog *base = cando_get_catalog(e->cando);
    const cando_catalog *next = binding_overlay(base, "overlay", e->page, n, &err);
    cando_catalog_release(base);
    if (!next)
        return failure_of(env, &err);
    cando_set_catalog(e->cando, next);
    cando_catalog_release(next);
    weigh(env, e, true);
    return NULL;
}

/* today(engine, n): the day that counts as today, none: the clock's; a failure, or undefined. */
static napi_value set_today(napi_env env, napi_callback_info info)
{
    uint32_t n;
    cando_error err = {0};
    struct engine *e = asked(env, info, &n);
    if (!e) {
        error_memory(&err);
        return failure_of(env, &err);
    }
    e->page[n] = '\0';
    if (cando_set_today(n ? e->page : NULL, &err) != CANDO_OK)
        return failure_of(env, &err);
    e->day = today;
    return NULL;
}

/* The catalog of the package: a file that is as much ours as this code, and trusted as such. It
 * is mapped by whoever asks first, and never released. NULL: err says why. */
static const cando_catalog *shared_catalog(const char *path, cando_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const cando_catalog *kept;
    pthread_mutex_lock(&lock);
    int fd = kept ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    void *p = size <= 0 ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p != MAP_FAILED) {
        kept = catalog_open_trusted(p, (size_t)size, NULL, err);
        if (!kept)
            munmap(p, (size_t)size);
    }
    if (fd >= 0)
        close(fd);
    const cando_catalog *out = cando_catalog_retain(kept);
    pthread_mutex_unlock(&lock);
    if (!out && !err->code[0])
        error_set(err, CANDO_BAD_INPUT, CODE_io, "cannot read %s", path);
    return out;
}

/* The catalog that open() is given: the path of the package's, or the bytes of another. */
static const cando_catalog *catalog_of(napi_env env, napi_value given, bool *own, cando_error *err)
{
    char path[4096];
    void *p = NULL;
    size_t n = 0;
    napi_typedarray_type type;
    *own = false;
    if (napi_get_value_string_utf8(env, given, path, sizeof path, &n) == napi_ok)
        return shared_catalog(path, err);
    *own = true;
    if (napi_get_typedarray_info(env, given, &type, &n, &p, NULL, NULL) == napi_ok && n > 0)
        return cando_catalog_open_copy(p, n, NULL, err);
    error_set(err, CANDO_BAD_INPUT, CODE_io, "a catalog of no bytes");
    return NULL;
}

static bool engine_fill(struct engine *e, const cando_catalog *catalog, cando_error *err)
{
    e->room = cando_room_new(NULL, err);
    if (!e->room)
        return false;
    e->cando = cando_new(catalog, NULL, err);
    return e->cando != NULL;
}

/* open(catalog): an engine, or a failure. */
static napi_value open_engine(napi_env env, napi_callback_info info)
{
    napi_value args[1], out = NULL;
    size_t n = 1;
    bool own, filled;
    cando_error err = {0};
    if (napi_get_cb_info(env, info, &n, args, NULL, NULL) != napi_ok || n != 1)
        return NULL;
    const cando_catalog *catalog = catalog_of(env, args[0], &own, &err);
    if (!catalog)
        return failure_of(env, &err);
    struct engine *e = calloc(1, sizeof *e);
    filled = e && engine_fill(e, catalog, &err);
    cando_catalog_release(catalog);
    if (filled)
        weigh(env, e, own);
    if (filled && napi_create_external(env, e, engine_free, NULL, &out) == napi_ok)
        return out;
    if (!err.code[0])
        error_memory(&err);
    if (e)
        engine_free(env, e, NULL);
    return failure_of(env, &err);
}

NAPI_MODULE_EXPORT int32_t node_api_module_get_api_version_v1(void); /* the macro does not */
NAPI_MODULE_INIT()
{
    static const struct {
        const char *name;
        napi_callback call;
    } functions[] = {
        {"open", open_engine},   {"page", set_page},   {"ask", ask},
        {"result", result},      {"overlay", overlay}, {"today", set_today},
        {"close", close_engine},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        napi_value f;
        if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].call, NULL,
                                 &f) != napi_ok)
            return NULL;
        if (napi_set_named_property(env, exports, functions[i].name, f) != napi_ok)
            return NULL;
    }
    return exports;
}
