/*
 * warm.c - models that were asked for last, by name, in memory that all workers share and that a
 * reload keeps.
 *
 * What a request is judged by is made ready once for a model and worker, in about 50 microseconds,
 * and then lies in the worker's own memory. It holds pointers into the catalog of its process, so
 * names are what is shared: a worker that begins makes those models ready before the first request
 * comes, from the catalog that is in force then. What was kept is therefore never stale.
 */
#include "module.h"

enum { NAMES = 32, NAME_BYTES = 256, SEEN = 256 };

struct warm {
    ngx_uint_t next; /* the place that is written next */
    char name[NAMES][NAME_BYTES];
};

static ngx_int_t zone_ready(ngx_shm_zone_t *zone, void *before)
{
    ngx_slab_pool_t *pool = (ngx_slab_pool_t *)zone->shm.addr;
    if (before) {
        zone->data = before;
        return NGX_OK;
    }
    if (zone->shm.exists) {
        zone->data = pool->data;
        return NGX_OK;
    }
    zone->data = pool->data = ngx_slab_calloc(pool, sizeof(struct warm));
    return zone->data ? NGX_OK : NGX_ERROR;
}

char *warm_zone(ngx_conf_t *cf, ngx_str_t *value, ngx_shm_zone_t **out)
{
    u_char *colon = ngx_strlchr(value->data, value->data + value->len, ':');
    if (!colon)
        return "wants NAME:SIZE";
    ngx_str_t name = {(size_t)(colon - value->data), value->data};
    ngx_str_t digits = {value->len - name.len - 1, colon + 1};
    ssize_t size = ngx_parse_size(&digits);
    if (!name.len || size == NGX_ERROR)
        return "wants NAME:SIZE";
    if (size < (ssize_t)(8 * ngx_pagesize))
        return "is too small: 64k will do";
    *out = ngx_shared_memory_add(cf, &name, (size_t)size, &ngx_http_cando_module);
    if (!*out)
        return NGX_CONF_ERROR;
    (*out)->init = zone_ready;
    return NGX_CONF_OK;
}

/* Under the lock. */
static bool has_name(const struct warm *w, const char *name)
{
    for (ngx_uint_t i = 0; i < NAMES; i++)
        if (ngx_strcmp(w->name[i], name) == 0)
            return true;
    return false;
}

void warm_note(ngx_shm_zone_t *zone, const ngx_str_t *provider, const ngx_str_t *model)
{
    static uint32_t seen[SEEN]; /* by this worker; what two names share is only told again */
    char name[NAME_BYTES];
    size_t n = provider->len + 1 + model->len;
    if (!provider->len || !model->len || n >= sizeof name)
        return;
    *ngx_sprintf((u_char *)name, "%V/%V", provider, model) = 0;
    uint32_t hash = ngx_crc32_short((u_char *)name, n) | 1;
    if (seen[hash % SEEN] == hash)
        return;
    seen[hash % SEEN] = hash;
    struct warm *w = zone->data;
    ngx_slab_pool_t *pool = (ngx_slab_pool_t *)zone->shm.addr;
    ngx_shmtx_lock(&pool->mutex);
    if (!has_name(w, name))
        ngx_memcpy(w->name[w->next++ % NAMES], name, n + 1);
    ngx_shmtx_unlock(&pool->mutex);
}

void warm_start(ngx_shm_zone_t *zone, const cando *engine, ngx_log_t *log)
{
    struct warm copy;
    ngx_uint_t n = 0;
    ngx_slab_pool_t *pool = (ngx_slab_pool_t *)zone->shm.addr;
    ngx_shmtx_lock(&pool->mutex);
    copy = *(struct warm *)zone->data;
    ngx_shmtx_unlock(&pool->mutex);
    for (ngx_uint_t i = 0; i < NAMES; i++) {
        cando_name name = {.model = copy.name[i]};
        const cando_target *t = *name.model ? cando_target_of(engine, name, 0, NULL) : NULL;
        n += t != NULL;
        cando_target_release(t);
    }
    ngx_log_error(NGX_LOG_INFO, log, 0, "cando: %ui models are ready", n);
}
