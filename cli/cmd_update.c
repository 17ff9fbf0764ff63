/*
 * cmd_update.c - cando update: the catalog anew, from what the sources say today.
 *
 *     fetch --> import and merge --> lint --> compile --> check --> replace
 *
 * Everything happens in memory up to the last steps: the new catalog is written beside
 * the old one, the old one is given a second name, and one rename puts the new one in
 * force. So a program that is killed, a disk that is full and a loss of power leave the
 * old catalog or the new one, and never none.
 * One update runs at a time: the others find the lock taken.
 *
 * The new facts lie over those of the built-in catalog. Offerings that it has from
 * these sources alone and that they no longer have are taken out; a field that they
 * do not mention keeps its old value, with its old day.
 */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "base/limits.h"
#include "change.h"
#include "engine.h"
#include "facts.h"
#include "fetch.h"
#include "fleet.h"
#include "trail.h"
#include "trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct ask {
    const struct source *source;
    size_t n_source;
    const char *from;
    bool dry_run, all, undo, force;
    const char *const *push, *const *withdraw;
    size_t n_push, n_withdraw;
    struct config config;
};

static const struct option_row options[] = {
    {SOURCES("NAME[@DAY]=URL|FILE",
             "only from here; without it from where each source is served; may be repeated")},
    {TEXT("from", from, "FILE|URL",
          "take a signed snapshot instead, with the manifest beside it (FILE.signed)")},
    {FLAG("dry-run", dry_run, "show what would change, and change nothing")},
    {FLAG("all", all, "list every change")},
    {JSON("print the changes as JSON")},
    {FLAG("force", force, "take it even if much of what is known is lost")},
    {FLAG("undo", undo, "put the catalog before the last update in force again; twice: this one")},
    NATS_ROWS,
    {TEXTS("push", push, n_push, "FILE",
           "instead, give the fleet this snapshot or this rule file (*.toml); may be repeated")},
    {TEXTS("withdraw", withdraw, n_withdraw, "NAME",
           "take a rule file back from the fleet, or the catalog; may be repeated")},
    {0},
};

enum { SHOWN = 10 }; /* changes of a kind */

static const char *const served[] = {
    "models.dev=https://models.dev/api.json",
    "litellm=https://raw.githubusercontent.com/BerriAI/litellm/main/"
    "model_prices_and_context_window.json",
    "genai-prices=https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/"
    "data.json",
    "ruby_llm=https://raw.githubusercontent.com/crmne/ruby_llm/main/lib/ruby_llm/models.json",
    "openrouter=https://openrouter.ai/api/v1/models",
};

/* -- fetching -- */

/* On a terminal it is shown what is going on; "" ends that. */
static void show_step(const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s\033[K", what);
}

static void show_progress(void *ctx, uint64_t bytes, uint64_t total)
{
    const struct source *s = ctx;
    char text[128], of[32] = "";
    if (total)
        snprintf(of, sizeof of, " of %.1f", (double)total / 1e6);
    snprintf(text, sizeof text, "%-14.60s %6.1f MB%s", s->name, (double)bytes / 1e6, of);
    show_step(text);
}

static cando_status read_source(const struct source *s, char **text, size_t *len, cando_error *err)
{
    if (!fetch_is_url(s->from))
        return file_read(s->from, FETCH_BYTES, NULL, text, len, err);
    return facts_fetch(s->from, NULL, show_progress, (void *)s, text, len, err);
}

/* Everything that the sources say; NULL: c->err. */
static const cando_import_answer *import_all(struct call *c)
{
    const struct ask *k = c->ask;
    const cando_import_answer *a = NULL;
    cando_fact_source *sources = facts_read(c, k->source, k->n_source, read_source);
    if (sources) {
        cando_import_question q = {.sources = sources, .n_sources = k->n_source, .files = true};
        show_step("importing and merging");
        a = cando_ask_import(c->engine, &q, c->room, &c->err);
    }
    show_step("");
    facts_free(sources, k->n_source);
    return a;
}

/* -- the new catalog -- */

/* Adds the file of each provider, under names that findings are told apart by. */
static cando_status add_files(cando_sources *s, const cando_import_answer *a, cando_error *err)
{
    for (size_t i = 0; i < a->n_files; i++) {
        const cando_import_file *f = &a->files[i];
        char name[LIMIT_NAME_BYTES + 32];
        snprintf(name, sizeof name, "update/%s.toml", f->provider);
        cando_status st = cando_sources_add(s, name, f->text.p, f->text.n, CANDO_SYNTAX_CANDO,
                                            CANDO_LAYER_FACTS, err);
        if (st != CANDO_OK)
            return st;
    }
    return CANDO_OK;
}

/* Only what the sources say: to know which offerings they have. */
static const cando_catalog *only_new(const cando_import_answer *files, cando_error *err)
{
    cando_sources *s = cando_sources_new(NULL, err);
    const void *data;
    size_t size;
    const cando_catalog *c = NULL;
    if (s && add_files(s, files, err) == CANDO_OK &&
        cando_sources_build(s, &data, &size, err) == CANDO_OK)
        c = cando_catalog_open_copy(data, size, NULL, err);
    cando_sources_free(s);
    return c;
}

/* What both say together cannot be true: then the new one is believed alone. An old window
 * and a new limit of answers, or the other way round, need not fit each other. */
static bool is_contradicted(const cando_catalog *old, const cando_catalog *fresh, cando_model m)
{
    cando_profile before, after;
    uint64_t limit[2];
    if (!change_resolve(old, m, &before) || !change_resolve(fresh, m, &after))
        return false;
    for (int i = 0; i < 2; i++) {
        cando_field f = cando_field_find(i ? "max_output" : "context_window");
        cando_value v = cando_profile_get(&after, f);
        v = v.known ? v : cando_profile_get(&before, f);
        if (!v.known)
            return false;
        limit[i] = v.number;
    }
    return limit[1] > limit[0];
}

/* Takes out of `s` what the built-in catalog has from these sources and they have no longer. */
static cando_status forget_gone(struct call *c, cando_sources *s, const cando_catalog *fresh,
                                const cando_import_answer *read)
{
    struct voices v;
    cando_status st = CANDO_OK;
    const cando_catalog *old = cando_catalog_builtin();
    if (!voices_init(&v, &c->ar, old, fresh, read))
        return error_memory(&c->err);
    for (size_t i = 0; st == CANDO_OK && i < cando_catalog_models(old); i++) {
        cando_model m = cando_catalog_model(old, i);
        bool here = change_has(&v.there, &c->ar, m);
        if (here ? is_contradicted(old, fresh, m) : voices_gone(&v, &c->ar, m))
            st = cando_sources_forget(s, m.provider, m.id, &c->err);
    }
    return st;
}

/* Errors in what was imported; a hundred are enough to see. */
static size_t report_errors(const cando_sources *s)
{
    size_t n = 0;
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding x = cando_sources_finding(s, i);
        if (x.severity != CANDO_ERROR || strncmp(x.file, "update/", 7) != 0)
            continue;
        if (n++ < 100)
            out_finding(stderr, &x);
    }
    return n;
}

static cando_status add_all(struct call *c, cando_sources *s, const cando_import_answer *files,
                            const cando_catalog *fresh)
{
    cando_status st = cando_sources_add_catalog(s, cando_catalog_builtin(), 0, &c->err);
    if (st == CANDO_OK)
        st = forget_gone(c, s, fresh, files);
    if (st == CANDO_OK)
        st = add_files(s, files, &c->err);
    if (st == CANDO_OK)
        st = cando_sources_lint(s, &c->err);
    return st;
}

/* Builds and checks. The bytes lie in `s`. */
static const cando_catalog *make_catalog(struct call *c, const cando_import_answer *files,
                                         const cando_catalog *fresh, cando_sources *s,
                                         const void **data, size_t *size)
{
    show_step("compiling");
    cando_status st = add_all(c, s, files, fresh);
    if (st == CANDO_OK)
        st = cando_sources_build(s, data, size, &c->err);
    show_step("");
    if ((st == CANDO_OK || st == CANDO_BAD_INPUT) && report_errors(s))
        st = error_set(&c->err, CANDO_BAD_INPUT, CODE_update_refused,
                       "what was imported has errors; the old catalog stays");
    return st == CANDO_OK ? cando_catalog_open(*data, *size, NULL, &c->err) : NULL;
}

/* -- putting it in force -- */

static cando_status fail_io(cando_error *err, const char *what, const char *path)
{
    return error_set(err, CANDO_INTERNAL, CODE_io, "cannot %s %s: %s", what, path, strerror(errno));
}

/* The file beside the catalog whose name ends so. */
static bool beside(const struct config *c, const char *end, char out[PATH_MAX])
{
    return snprintf(out, PATH_MAX, "%s.%s", c->catalog, end) < PATH_MAX;
}

/* Of an update or an undo that was ended half-way: what stood aside while another took its place
 * is the one before, and what was not put in force is gone. */
static void sweep(const struct config *c)
{
    char path[PATH_MAX];
    struct stat aside, in_force;
    if (beside(c, "before", path) && lstat(path, &aside) == 0) {
        bool same = stat(c->catalog, &in_force) == 0 && aside.st_ino == in_force.st_ino;
        if (same || rename(path, c->previous) != 0)
            unlink(path);
    }
    DIR *d = opendir(c->data);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        const char *tail = strncmp(e->d_name, "catalog.snap.", 13) == 0 ? e->d_name + 13 : "";
        size_t n = strncmp(tail, "new", 3) == 0 ? 3 : 0; /* and as file_replace names it */
        bool written = n ? true : strchr(tail, '-') != NULL;
        if (written && !tail[n + strspn(tail + n, ".0123456789-")] && beside(c, tail, path))
            unlink(path);
    }
    closedir(d);
}

/* Held until the program ends. */
static cando_status take_lock(const struct config *c, cando_error *err)
{
    char path[PATH_MAX];
    if (!c->data)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_option,
                         "there is no home folder: HOME is not set");
    if (!catalog_folder(c->data) ||
        snprintf(path, sizeof path, "%s/update.lock", c->data) >= (int)sizeof path)
        return fail_io(err, "make", c->data);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_io(err, "open", path);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_option, "another update is running");
    }
    sweep(c);
    return CANDO_OK;
}

/* `fresh` becomes the catalog, and what was the catalog the one before; where that is the built-in
 * one, there is none. Until the one rename that counts all is as it was, and after it nothing can
 * fail: a name that is not given now is given by the next update. */
static cando_status put_in_force(const struct config *c, const char *fresh, cando_error *err)
{
    char aside[PATH_MAX];
    bool in_force = access(c->catalog, F_OK) == 0;
    if (!beside(c, "before", aside))
        return error_set(err, CANDO_BAD_INPUT, CODE_too_long, "%s is too long", c->catalog);
    if (in_force && link(c->catalog, aside) != 0)
        return fail_io(err, "keep", c->catalog);
    file_sync_folder(c->catalog);
    if (rename(fresh, c->catalog) != 0) {
        fail_io(err, "put in force", fresh);
        unlink(aside);
        return err->status;
    }
    file_sync_folder(c->catalog);
    if (in_force && rename(aside, c->previous) == 0)
        unlink(aside); /* two names of one file: rename left both */
    file_sync_folder(c->catalog);
    return CANDO_OK;
}

static cando_status install(const struct config *c, const void *data, size_t size, cando_error *err)
{
    char fresh[PATH_MAX];
    if (!beside(c, "new", fresh))
        return error_set(err, CANDO_BAD_INPUT, CODE_too_long, "%s is too long", c->catalog);
    cando_status st = file_replace(fresh, data, size, NULL, err);
    if (st != CANDO_OK)
        return st;
    if (access(c->catalog, F_OK) != 0 && unlink(c->previous) != 0 && errno != ENOENT)
        st = fail_io(err, "remove", c->previous);
    else
        st = put_in_force(c, fresh, err);
    if (st != CANDO_OK)
        unlink(fresh);
    return st;
}

/* The two change places, so that a second time puts back what the first took away. What is not
 * there is the built-in catalog. */
static cando_status change_places(const struct config *c, bool before, cando_error *err)
{
    if (before)
        return put_in_force(c, c->previous, err);
    if (rename(c->catalog, c->previous) != 0 && errno != ENOENT)
        return fail_io(err, "keep", c->previous);
    file_sync_folder(c->catalog);
    return CANDO_OK;
}

static cando_status undo(const struct config *c, cando_error *err)
{
    cando_status st = take_lock(c, err);
    if (st != CANDO_OK)
        return st;
    bool before = access(c->previous, F_OK) == 0;
    const cando_catalog *ok = before ? cando_catalog_open_file(c->previous, NULL, err) : NULL;
    if (before && !ok)
        return err->status;
    cando_catalog_release(ok);
    st = change_places(c, before, err);
    if (st != CANDO_OK)
        return st;
    if (before)
        out("%s is in force again\n", c->catalog);
    else
        out("the built-in catalog is in force\n");
    return CANDO_OK;
}

/* -- the verb -- */

static void put_result(const struct call *c, const struct change_list *l, const cando_catalog *new)
{
    const struct ask *k = c->ask;
    cando_catalog_info info;
    cando_catalog_describe(new, &info);
    if (c->json) {
        json("{'models':%zu,'providers':%u,'bytes':%ju,'installed':%d,'changes':",
             cando_catalog_models(new), info.providers, info.bytes, !k->dry_run);
        change_json(l);
        json("}\n");
        return;
    }
    change_print(l, k->all ? SIZE_MAX : SHOWN);
    if (k->dry_run)
        out("nothing was changed; it would be ");
    else
        out("%s: ", k->config.catalog);
    out("%'zu model" PLURAL ", %'u provider" PLURAL "\n", cando_catalog_models(new),
        info.providers);
}

/* A source that loses this much is broken more often than the world is. */
static cando_status check_losses(struct call *c, const struct change_list *l,
                                 const cando_catalog *old, const cando_catalog *fresh,
                                 const cando_import_answer *read)
{
    const struct ask *k = c->ask;
    struct voices v;
    if (!read) /* it is whole and signed: whoever did so has seen what is lost */
        return CANDO_OK;
    if (!voices_init(&v, &c->ar, old, fresh, read))
        return error_memory(&c->err);
    fflush(stdout);
    size_t lost = change_losses(l, &v);
    if (!lost || k->force)
        return CANDO_OK;
    error_set(&c->err, CANDO_BAD_INPUT, CODE_update_refused,
              "much of what is known of %zu provider%s would be lost; the old catalog stays", lost,
              lost == 1 ? "" : "s");
    error_hint(&c->err, "--dry-run --all shows all that would change, --force takes it");
    return CANDO_BAD_INPUT;
}

/* To all nodes of a fleet, if there is one. */
static cando_status give(struct call *c, const void *data, size_t size)
{
    const struct fleet_gift gift = {.key = "catalog", .data = {data, size}};
    const struct fleet_calls *f = c->nats.url ? fleet_load(&c->err) : NULL;
    if (!f)
        return c->nats.url ? c->err.status : CANDO_OK;
    return f->give(&c->nats, &gift, 1, &c->err);
}

/* Shows what is different in the new catalog, and puts it in force. `read` is NULL where it did
 * not come from sources. */
static cando_status replace(struct call *c, const cando_catalog *new, const cando_catalog *fresh,
                            const cando_import_answer *read, const void *data, size_t size)
{
    const struct ask *k = c->ask;
    const char *path = k->config.catalog;
    const cando_catalog *old = NULL;
    struct change_list changes = {.ar = &c->ar};
    if (access(path, R_OK) == 0)
        old = cando_catalog_open_file(path, NULL, NULL);
    const cando_catalog *before = old ? old : cando_catalog_builtin();
    change_find(&changes, before, new);
    cando_status st = changes.failed ? error_memory(&c->err) : CANDO_OK;
    if (st == CANDO_OK)
        st = check_losses(c, &changes, before, fresh, read);
    if (st == CANDO_BAD_INPUT && !c->json)
        change_print(&changes, k->all ? SIZE_MAX : SHOWN);
    if (st == CANDO_OK && !k->dry_run)
        st = install(&k->config, data, size, &c->err);
    if (st == CANDO_OK && !k->dry_run)
        st = give(c, data, size);
    if (st == CANDO_OK)
        put_result(c, &changes, new);
    cando_catalog_release(old);
    return st;
}

static cando_status update(struct call *c)
{
    const struct ask *k = c->ask;
    const void *data;
    size_t size;
    cando_status st = k->dry_run ? CANDO_OK : take_lock(&k->config, &c->err);
    const cando_import_answer *files = st == CANDO_OK ? import_all(c) : NULL;
    const cando_catalog *fresh = files ? only_new(files, &c->err) : NULL;
    cando_sources *s = fresh ? cando_sources_new(NULL, &c->err) : NULL;
    const cando_catalog *new = s ? make_catalog(c, files, fresh, s, &data, &size) : NULL;
    st = new ? replace(c, new, fresh, files, data, size) : c->err.status;
    cando_catalog_release(new);
    cando_catalog_release(fresh);
    cando_sources_free(s);
    return st;
}

/* -- a signed one -- */

static cando_status read_manifest(struct call *c, const char *path, struct signed_file *out)
{
    char *text;
    size_t len;
    const struct source from = {.name = "manifest", .from = path};
    cando_status st = read_source(&from, &text, &len, &c->err);
    if (st != CANDO_OK)
        return st;
    struct str own = str_dup(&c->ar, str_make(text, len));
    mem_free(NULL, text, len + 1);
    if (!own.p)
        return error_memory(&c->err);
    if (own.n > SIGNED_BYTES)
        return error_set(&c->err, CANDO_BAD_INPUT, CODE_too_long, "%s is larger than %u MB", path,
                         SIGNED_BYTES >> 20);
    return signed_parse(own, path, &c->ar, out, &c->err);
}

/* A root that was followed is kept, also where what comes behind it is refused: whose keys count
 * no more is known from then on. */
static cando_status follow_roots(struct call *c, const struct signed_file *f, struct trust *t)
{
    const struct ask *k = c->ask;
    cando_error other;
    uint64_t pinned = t->root.version;
    cando_status st = trust_follow(t, f, false, &c->err);
    if (k->dry_run || t->root.version == pinned)
        return st;
    cando_status kept = trust_save(k->config.trust, t, &other);
    if (st != CANDO_OK || kept == CANDO_OK)
        return st;
    c->err = other;
    return kept;
}

static cando_status judge_manifest(struct call *c, const char *path, struct trust *t)
{
    const struct ask *k = c->ask;
    struct signed_file f;
    uint64_t now = latest_now();
    cando_status st = trust_read(k->config.trust, &c->ar, t, &c->err);
    if (st == CANDO_OK)
        st = read_manifest(c, path, &f);
    if (st == CANDO_OK)
        st = follow_roots(c, &f, t);
    if (st == CANDO_OK)
        st = trust_fresh(t, now, &c->err);
    return st == CANDO_OK ? trust_catalog(t, &f, now, &c->err) : st;
}

/* What was taken is remembered before it is in force: a program that is ended between the two
 * leaves an old catalog and the same one to be taken again, never a way back. */
static cando_status take_snapshot(struct call *c, const struct trust *t, const void *data,
                                  size_t size)
{
    const struct ask *k = c->ask;
    cando_status st = trust_snapshot(&t->catalog, data, size, &c->err);
    const cando_catalog *new =
        st == CANDO_OK ? cando_catalog_open(data, size, NULL, &c->err) : NULL;
    if (!new)
        return c->err.status;
    if (!k->dry_run)
        st = trust_save(k->config.trust, t, &c->err);
    if (st == CANDO_OK)
        st = replace(c, new, NULL, NULL, data, size);
    cando_catalog_release(new);
    return st;
}

static cando_status update_signed(struct call *c)
{
    const struct ask *k = c->ask;
    struct trust t;
    char *data;
    size_t size;
    struct str path = str_printf(&c->ar, "%s.signed", k->from);
    if (!path.p)
        return error_memory(&c->err);
    cando_status st = k->dry_run ? CANDO_OK : take_lock(&k->config, &c->err);
    if (st == CANDO_OK)
        st = judge_manifest(c, path.p, &t);
    if (st == CANDO_OK)
        st = read_source(&(struct source){.name = "snapshot", .from = k->from}, &data, &size,
                         &c->err);
    show_step("");
    if (st != CANDO_OK)
        return st;
    st = take_snapshot(c, &t, data, size);
    mem_free(NULL, data, size + 1);
    return st;
}

/* Without --source all that are served. */
static int check(struct call *c)
{
    const struct ask *k = c->ask;
    bool gives = k->n_push || k->n_withdraw, none = !k->n_source && !k->from && !gives;
    if (gives && !c->nats.url)
        return call_usage(c, "which fleet? --nats URL");
    if (k->from && (k->n_source || k->undo))
        return call_usage(c,
                          "--from takes a whole catalog: it goes with neither --source nor --undo");
    for (size_t i = 0; none && i < COUNT_OF(served); i++)
        if (!take_source(c, &options[0], served[i]))
            return EXIT_INTERNAL;
    return EXIT_YES;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    if (k->n_push || k->n_withdraw)
        return fleet_give_files(c, k->push, k->n_push, k->withdraw, k->n_withdraw);
    if (config_init(&k->config, &c->ar, &c->err) != CANDO_OK)
        return fail(&c->err);
    if (!k->config.catalog)
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "HOME is not set");
    cando_status st = k->undo ? undo(&k->config, &c->err) : k->from ? update_signed(c) : update(c);
    return st == CANDO_OK ? EXIT_YES : fail(&c->err);
}

const struct verb verb_update = {
    .name = "update",
    .summary = "brings the catalog up to date",
    .usage = "[OPTION]...",
    .text = "Fetches models.dev, litellm, genai-prices, ruby_llm and openrouter over HTTPS, or the "
            "files and addresses of --source, weighs what they say as cando import does, shows "
            "which models came and went and which prices and limits changed, and puts the new "
            "catalog in force for the verbs for people. Nothing else of cando uses the "
            "network.\n\n"
            "The catalog is one file, replaced in one step; the one before is kept beside it, and "
            "--undo puts it back; a second --undo takes that back. An update that fails, or is "
            "ended half-way, leaves the old one in force. cando where tells where it is.\n\n"
            "What loses most of a provider's models, or all that a source had of it, or lets many "
            "of its limits or prices collapse, is refused, with what would change; --force takes "
            "it.\n\n"
            "With --from a snapshot is taken that somebody else has built (cando build --sign), "
            "whole, if "
            "the manifest beside it is signed by keys of the root that is pinned here (cando key), "
            "has not expired, is not older than the last one that was taken, and names these very "
            "bytes.\n\n"
            "The lists that providers serve to their customers (anthropic, google, openai, xai) "
            "want a key: fetch them yourself and give the files.\n\n"
            "With --nats the new catalog goes to all nodes of a fleet as well.",
    .examples = "cando update --dry-run\n"
                "cando update",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 0, NULL, "sources are given with --source NAME=URL or NAME=FILE"),
    .opens = OPENS_PLAIN,
    .check = check,
    .run = run,
};
