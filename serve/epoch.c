#define _GNU_SOURCE
#include "epoch.h"

#include "cli/trail.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

struct held {
    struct epoch e;
    cando *engine;
    _Atomic uint32_t held;
};

/* What a file was when it was read. */
struct mark {
    const char *path;
    struct timespec changed;
    off_t size;
    ino_t inode;
};

static struct {
    pthread_mutex_t lock; /* of `now` and `state`; a few instructions */
    struct held *now;
    struct epoch_state state;
    _Atomic bool freed;      /* an epoch, or what one was read by, since epoch_trim */
    pthread_mutex_t reading; /* of all that follows: who reloads */
    struct call call;        /* the options */
    struct call read;        /* as they were read the last time, with the texts of: */
    struct config config;    /* the files in force */
    struct arena marks;      /* stay where the files cannot even be found */
    struct mark *mark;
    size_t n_marks;
    size_t n_files; /* that engine_config found */
    char *observed;
    size_t n_observed;
    struct shared {
        const cando_catalog *catalog; /* or NULL */
        struct config_file *file;
        size_t n;
        struct arena ar; /* where the files are */
    } shared;
} in = {.lock = PTHREAD_MUTEX_INITIALIZER, .reading = PTHREAD_MUTEX_INITIALIZER};

/* -- holding ----------------------------------------------------------------------------------- */

struct epoch *epoch_hold(void)
{
    pthread_mutex_lock(&in.lock);
    struct held *h = in.now;
    atomic_fetch_add_explicit(&h->held, 1, memory_order_relaxed);
    pthread_mutex_unlock(&in.lock);
    return &h->e;
}

void epoch_drop(struct epoch *e)
{
    struct held *h = (struct held *)e;
    if (atomic_fetch_sub_explicit(&h->held, 1, memory_order_acq_rel) != 1)
        return;
    cando_free(h->engine);
    free(h);
    atomic_store(&in.freed, true);
}

void epoch_trim(void)
{
    if (atomic_exchange(&in.freed, false))
        malloc_trim(0);
}

static void newest_day(const cando_catalog *catalog, char out[11])
{
    enum { SOURCES = 32 };
    cando_catalog_source s[SOURCES];
    size_t n = cando_catalog_sources(catalog, s, SOURCES);
    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        if (*s[i].url && strcmp(s[i].checked, out) > 0)
            memcpy(out, s[i].checked, 11);
}

static struct held *epoch_new(const cando_catalog *catalog, cando_error *err)
{
    struct held *h = calloc(1, sizeof *h);
    cando_catalog_info info;
    if (h)
        h->engine = cando_new(catalog, NULL, err);
    if (!h || !h->engine) {
        free(h);
        error_memory(err);
        return NULL;
    }
    cando_catalog_describe(catalog, &info);
    h->e.engine = h->engine;
    h->e.hash = info.source_hash;
    h->e.since = trail_now();
    newest_day(catalog, h->e.newest);
    atomic_init(&h->held, 1);
    return h;
}

static void put_in_force(struct held *h)
{
    pthread_mutex_lock(&in.lock);
    struct held *old = in.now;
    h->e.number = old ? old->e.number + 1 : 1;
    in.now = h;
    in.state.reloads += old != NULL;
    in.state.broken = false;
    in.state.message[0] = '\0';
    pthread_mutex_unlock(&in.lock);
    if (old)
        epoch_drop(&old->e);
}

/* -- reading ----------------------------------------------------------------------------------- */

static struct mark mark_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return (struct mark){.path = path};
    return (struct mark){path, st.st_mtim, st.st_size, st.st_ino};
}

static bool mark_is(const struct mark *a, const struct mark *b)
{
    return a->size == b->size && a->inode == b->inode && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

static void add_mark(const char *path)
{
    const char *own = path && in.mark ? str_dup(&in.marks, str_of(path)).p : NULL;
    if (own)
        in.mark[in.n_marks++] = mark_of(own);
}

/* Marks are taken before the files are read: what changes while they are is seen the next time. */
static void take_marks(struct call *c, const struct config *config)
{
    arena_clear(&in.marks);
    in.n_marks = 0;
    in.n_files = config->n;
    in.mark = arena_array(&in.marks, config->n + 3, sizeof *in.mark);
    for (size_t i = 0; i < config->n; i++)
        if (!config->file[i].text.p)
            add_mark(config->file[i].path);
    if (!c->plain && !config->bare) {
        add_mark(config->catalog);
        add_mark(config->rules);
    }
}

static bool add_text(struct config *config, struct config_file f)
{
    if (!ARENA_GROW(config->ar, config->file, config->n, config->cap))
        return false;
    config->file[config->n++] = f;
    return true;
}

/* What comes from elsewhere than from files. */
static bool add_texts(struct config *config)
{
    bool ok = true;
    config->base = config->bare ? NULL : in.shared.catalog;
    for (size_t i = 0; i < in.shared.n && ok; i++)
        ok = add_text(config, in.shared.file[i]);
    if (!in.n_observed || !ok)
        return ok;
    return add_text(config, (struct config_file){.path = "observed",
                                                 .layer = CANDO_LAYER_OBSERVED,
                                                 .text = str_make(in.observed, in.n_observed)});
}

static struct held *read_all(struct call *c)
{
    cando_status st = engine_config(c, &in.config);
    if (st == CANDO_OK)
        take_marks(c, &in.config);
    if (st == CANDO_OK && !add_texts(&in.config))
        st = error_memory(&c->err);
    const cando_catalog *catalog = st == CANDO_OK ? engine_catalog(c, &in.config) : NULL;
    struct held *h = catalog ? epoch_new(catalog, &c->err) : NULL;
    cando_catalog_release(catalog);
    return h;
}

static void shared_free(struct shared *s)
{
    cando_catalog_release(s->catalog);
    arena_free(&s->ar);
    *s = (struct shared){0};
}

static void say_broken(const cando_error *err)
{
    pthread_mutex_lock(&in.lock);
    in.state.failures++;
    in.state.broken = true;
    memcpy(in.state.message, err->message, sizeof in.state.message);
    if (!err->code[0])
        strcpy(in.state.message, "a rule file is broken; the log says which");
    pthread_mutex_unlock(&in.lock);
}

static bool read_anew(void)
{
    arena_free(&in.read.ar);
    in.read = in.call;
    arena_init(&in.read.ar, NULL);
    struct held *h = read_all(&in.read);
    if (h)
        put_in_force(h);
    atomic_store(&in.freed, true); /* what it took, though somebody may still hold the one before */
    if (h)
        return true;
    if (in.read.err.code[0])
        fail(&in.read.err);
    say_broken(&in.read.err);
    return false;
}

int epoch_start(struct call *c)
{
    in.call = *c;
    arena_init(&in.marks, NULL);
    arena_init(&in.read.ar, NULL);
    bool ok = read_anew();
    if (!ok && (in.shared.catalog || in.shared.n)) { /* what a fleet gave must not keep it down */
        shared_free(&in.shared);
        ok = read_anew();
    }
    return ok ? EXIT_YES : EXIT_INPUT;
}

void epoch_stop(void)
{
    if (in.now)
        epoch_drop(&in.now->e);
    in.now = NULL;
    arena_free(&in.read.ar);
    arena_free(&in.marks);
    free(in.observed);
    in.observed = NULL;
    shared_free(&in.shared);
}

bool epoch_reload(void)
{
    pthread_mutex_lock(&in.reading);
    bool ok = read_anew();
    pthread_mutex_unlock(&in.reading);
    return ok;
}

/* Of files that are there or were, and of those that would be found now. */
static bool have_changed(void)
{
    struct call look = in.call;
    struct config config;
    bool changed = false;
    arena_init(&look.ar, NULL);
    if (engine_config(&look, &config) == CANDO_OK)
        changed = config.n != in.n_files;
    else
        changed = !in.state.broken;
    for (size_t i = 0; i < in.n_marks; i++) {
        struct mark now = mark_of(in.mark[i].path);
        changed |= !mark_is(&now, &in.mark[i]);
    }
    arena_free(&look.ar);
    return changed;
}

bool epoch_reload_changed(void)
{
    pthread_mutex_lock(&in.reading);
    bool ok = have_changed() && read_anew();
    pthread_mutex_unlock(&in.reading);
    return ok;
}

bool epoch_observe(struct str rules, bool reload)
{
    char *own = rules.n ? malloc(rules.n) : NULL;
    if (rules.n && !own)
        return false;
    if (own)
        memcpy(own, rules.p, rules.n);
    pthread_mutex_lock(&in.reading);
    bool same = in.n_observed == rules.n && (!own || memcmp(in.observed, own, rules.n) == 0);
    free(in.observed);
    in.observed = own;
    in.n_observed = rules.n;
    bool ok = !reload || same || read_anew();
    pthread_mutex_unlock(&in.reading);
    return ok;
}

static bool copy_rules(struct shared *s, const struct fleet_rules *rules, size_t n)
{
    arena_init(&s->ar, NULL);
    s->file = arena_array(&s->ar, n + 1, sizeof *s->file);
    for (size_t i = 0; s->file && i < n; i++) {
        struct str text = str_dup(&s->ar, str_make(rules[i].text.p, rules[i].text.n));
        const char *path = str_printf(&s->ar, "fleet/%s.toml", rules[i].name).p;
        if (!text.p || !path)
            return false;
        s->file[s->n++] =
            (struct config_file){.path = path, .layer = CANDO_LAYER_USER, .text = text};
    }
    return s->file != NULL;
}

bool epoch_share(const cando_catalog *catalog, const struct fleet_rules *rules, size_t n)
{
    struct shared next = {.catalog = cando_catalog_retain(catalog)};
    if (!copy_rules(&next, rules, n)) {
        shared_free(&next);
        return false;
    }
    pthread_mutex_lock(&in.reading);
    struct shared before = in.shared;
    in.shared = next;
    bool ok = !in.now || read_anew();
    if (!ok) {
        in.shared = before;
        before = next;
    }
    pthread_mutex_unlock(&in.reading);
    shared_free(&before);
    return ok;
}

void epoch_state(struct epoch_state *out)
{
    pthread_mutex_lock(&in.lock);
    *out = in.state;
    pthread_mutex_unlock(&in.lock);
}

void epoch_files(void (*fn)(void *ctx, const char *path), void *ctx)
{
    pthread_mutex_lock(&in.reading);
    for (size_t i = 0; i < in.n_marks; i++)
        fn(ctx, in.mark[i].path);
    pthread_mutex_unlock(&in.reading);
}
