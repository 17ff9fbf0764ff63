#include "engine.h"

#include "base/limits.h"
#include "base/spin.h"

/* Without it a catalog could be freed between the reading of its pointer and the taking of a
 * reference. */
void engine_lock(const cando *c)
{
    spin_lock(&((struct cando *)c)->lock);
}

void engine_unlock(const cando *c)
{
    spin_unlock(&((struct cando *)c)->lock);
}

void engine_borrow(struct cando *out, const cando_catalog *catalog, const cando_allocator *a)
{
    *out = (struct cando){.a = a, .borrowed = true, .catalog = catalog};
    atomic_init(&out->lock, 0);
}

cando *cando_new(const cando_catalog *catalog, const cando_allocator *a, cando_error *err)
{
    struct cando *c = mem_alloc(a, sizeof *c);
    if (!c)
        return no_memory(err);
    engine_borrow(c, cando_catalog_retain(catalog ? catalog : cando_catalog_builtin()), a);
    c->borrowed = false;
    return c;
}

static void release_all(struct ruled *const *ruled, void (*release)(struct ruled *))
{
    for (unsigned i = 0; i < ENGINE_RULED && ruled[i]; i++)
        release(ruled[i]);
}

void cando_free(cando *c)
{
    if (!c)
        return;
    while (c->idle) {
        struct cando_room *next = c->idle->next;
        cando_room_free(c->idle);
        c->idle = next;
    }
    if (c->targets)
        c->free_targets(c->targets, c->a);
    release_all(c->ruled, c->release_ruled);
    cando_catalog_release(c->catalog);
    mem_free(c->a, c, sizeof *c);
}

void cando_set_catalog(cando *c, const cando_catalog *catalog)
{
    const cando_catalog *next = cando_catalog_retain(catalog ? catalog : cando_catalog_builtin());
    struct ruled *ruled[ENGINE_RULED];
    engine_lock(c);
    const cando_catalog *old = c->catalog;
    struct targets *targets = c->targets;
    void (*free_targets)(struct targets *, const cando_allocator *) = c->free_targets;
    void (*release_ruled)(struct ruled *) = c->release_ruled;
    memcpy(ruled, c->ruled, sizeof ruled);
    memset(c->ruled, 0, sizeof c->ruled);
    c->catalog = next;
    c->targets = NULL;
    engine_unlock(c);
    if (targets)
        free_targets(targets, c->a);
    release_all(ruled, release_ruled);
    cando_catalog_release(old);
}

const cando_catalog *cando_get_catalog(const cando *c)
{
    engine_lock(c);
    const cando_catalog *catalog = cando_catalog_retain(c->catalog);
    engine_unlock(c);
    return catalog;
}

/* -- rooms ------------------------------------------------------------------------------------ */

cando_room *cando_room_new(const cando_allocator *a, cando_error *err)
{
    struct cando_room *room = mem_alloc(a, sizeof *room);
    if (!room)
        return no_memory(err);
    *room = (struct cando_room){.a = a};
    arena_init(&room->ar, a);
    return room;
}

void cando_room_clear(cando_room *room)
{
    for (size_t i = 0; i < room->n_held; i++)
        cando_catalog_release(room->held[i]);
    room->held = NULL;
    room->n_held = room->cap_held = 0;
    arena_clear(&room->ar);
}

void cando_room_free(cando_room *room)
{
    if (!room)
        return;
    cando_room_clear(room);
    arena_free(&room->ar);
    for (unsigned i = 0; i < ROOM_USES; i++)
        mem_free(room->a, room->scratch[i].p, room->scratch[i].size);
    mem_free(room->a, room, sizeof *room);
}

const cando_catalog *room_catalog(struct cando_room *room, const cando *c)
{
    if (!ARENA_GROW(&room->ar, room->held, room->n_held, room->cap_held))
        return NULL;
    const cando_catalog *catalog = cando_get_catalog(c);
    room->held[room->n_held++] = catalog;
    return catalog;
}

void *room_scratch(struct cando_room *room, enum room_use use, size_t size, size_t head)
{
    if (size <= room->scratch[use].size)
        return room->scratch[use].p;
    void *p = mem_alloc(room->a, size);
    if (!p)
        return NULL;
    memset(p, 0, head);
    mem_free(room->a, room->scratch[use].p, room->scratch[use].size);
    room->scratch[use].p = p;
    room->scratch[use].size = size;
    return p;
}

struct cando_room *engine_room(const cando *c)
{
    struct cando *own = (struct cando *)c;
    engine_lock(c);
    struct cando_room *room = own->idle;
    if (room) {
        own->idle = room->next;
        own->n_idle--;
    }
    engine_unlock(c);
    return room ? room : cando_room_new(c->a, NULL);
}

void engine_room_back(const cando *c, struct cando_room *room)
{
    struct cando *own = (struct cando *)c;
    cando_room_clear(room);
    engine_lock(c);
    bool keep = own->n_idle < ENGINE_ROOMS;
    if (keep) {
        room->next = own->idle;
        own->idle = room;
        own->n_idle++;
    }
    engine_unlock(c);
    if (!keep)
        cando_room_free(room);
}

/* -- names ------------------------------------------------------------------------------------- */

/* arn:partition:service:...: the service serves it, and all of it is the name. Empty: none. */
static struct str arn_service(struct str name)
{
    if (!str_starts(name, STR("arn:")))
        return STR("");
    for (unsigned i = 0; i < 2; i++) {
        size_t colon = str_find_char(name, ':');
        name = str_from(name, colon + (colon < name.n));
    }
    return str_head(name, str_find_char(name, ':'));
}

bool name_split(cando_name name, struct str *provider, struct str *model, struct str at,
                cando_error *err)
{
    struct str whole = str_of(name.model ? name.model : "");
    *provider = str_of(name.provider ? name.provider : "");
    *model = whole;
    if (!name.provider && !(*provider = arn_service(whole)).n) {
        size_t cut = str_find_char(whole, '/'), colon = str_find_char(whole, ':');
        if (colon < cut)
            cut = colon;
        if (cut == whole.n || cut == 0) {
            error_set(err, CANDO_BAD_QUESTION, CODE_unknown_target,
                      "'%.*s' does not name a provider", STR_ARG(str_head(whole, 80)));
            error_hint(err, "write it as provider/model, for example openai/gpt-4o");
            error_at(err, at, 0, 0);
            return false;
        }
        *provider = str_head(whole, cut);
        *model = str_from(whole, cut + 1);
    }
    if (provider->n <= LIMIT_NAME_BYTES && model->n <= LIMIT_NAME_BYTES)
        return true;
    error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "a name has at most %u bytes",
              LIMIT_NAME_BYTES);
    error_at(err, at, 0, 0);
    return false;
}
