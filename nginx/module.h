/*
 * module.h - the nginx module: what its parts share.
 *
 *     module.c      directives, the engine, the start of a worker
 *     request.c     reads the body, judges it, passes, repairs or refuses
 *     reply.c       sees the reply go by
 *     variables.c   $cando_...
 *     warm.c        models that were asked for, in shared memory
 */
#ifndef CANDO_NGINX_MODULE_H
#define CANDO_NGINX_MODULE_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include <cando.h>
#include <stdbool.h>

enum { MODE_OFF, MODE_REPORT, MODE_REPAIR, MODE_REJECT };

struct main_conf {
    ngx_str_t catalog;     /* a snapshot in place of the built-in one */
    ngx_array_t overlays;  /* ngx_str_t: rule files on top of it */
    ngx_shm_zone_t *zone;  /* or NULL */
    cando *engine;
    bool sees_replies; /* somebody asks for what is read from them */
};

struct place_conf {
    ngx_uint_t mode;
    ngx_http_complex_value_t *provider; /* NULL: by the host of proxy_pass */
    size_t body_limit, reply_limit;     /* larger ones pass unread */
    ngx_flag_t strict;
};

/* One request. Texts are in its pool; those that are empty have nothing to say. */
struct guarded {
    ngx_int_t status; /* what the phase answers when it is asked again */
    ngx_str_t verdict, action, findings, provider, api, model, reason;
    uint64_t tokens; /* expected; 0: not known */
    /* refused */
    ngx_uint_t refusal;
    ngx_str_t refusal_body, refusal_header, refusal_value;
    /* the reply */
    cando_reader *reader;
    void *inflating; /* z_stream */
    bool ended, priced;
    ngx_str_t estimate, cost, input_tokens, output_tokens;
};

extern ngx_module_t ngx_http_cando_module;

/* Memory for answers, one a process, cleared by whoever used it. NULL: there is none. */
cando_room *worker_room(void);
/* A copy in the pool, with a NUL behind it; false: no memory. NULL and "" give an empty text. */
bool keep_text(ngx_pool_t *pool, const char *text, ngx_str_t *out);

ngx_int_t request_phase(ngx_http_request_t *r);
/* All of the body as it is sent on, in one piece, until the next one is asked for; why not, or NULL. */
const char *request_body(ngx_http_request_t *r, size_t limit, ngx_str_t *out);

void reply_install(void);
/* What the reply cost, once it has ended. */
void reply_price(ngx_http_request_t *r, struct guarded *g);

ngx_int_t variables_add(ngx_conf_t *cf);
/* Can somebody ask for a variable that is read from the reply? */
bool variables_want_reply(ngx_cycle_t *cycle);

/* "NAME:SIZE"; an error text, or NULL. */
char *warm_zone(ngx_conf_t *cf, ngx_str_t *value, ngx_shm_zone_t **out);
/* This model was asked for. */
void warm_note(ngx_shm_zone_t *zone, const ngx_str_t *provider, const ngx_str_t *model);
/* A worker that begins makes those ready that others were asked for. */
void warm_start(ngx_shm_zone_t *zone, const cando *engine, ngx_log_t *log);

#endif
