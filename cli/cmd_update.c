/*
 * cmd_update.c - cando update: the catalog anew, from what the sources say today.
 *
 *     fetch --> import and merge --> lint --> compile --> check --> replace
 *
 * Everything happens in memory up to the last step, which is one rename; the
 * catalog before it has been given a second name by then, so a program that is
 * killed at any moment leaves the old catalog or the new one, and never none.
 * One update runs at a time: the others find the lock taken.
 *
 * The new facts lie over those of the built-in catalog. Offerings that the
 * sources no longer have are taken out, for providers that they speak of; a
 * field that they do not mention keeps its old value, with its old day.
 */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "base/limits.h"
#include "base/map.h"
#include "catalog.h"
#include "change.h"
#include "engine.h"
#include "facts.h"
#include "fetch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { OPTION_SOURCE = OPTION_LONG, OPTION_DRY_RUN, OPTION_ALL, OPTION_JSON, OPTION_UNDO };

static const struct option_row options[] = {
    {OPTION_SOURCE, "source", "NAME[@DAY]=URL|FILE", NULL,
     "only from here; without it from where each source is served; may be repeated"},
    {OPTION_DRY_RUN, "dry-run", NULL, NULL, "show what would change, and change nothing"},
    {OPTION_ALL, "all", NULL, NULL, "list every change"},
    {OPTION_JSON, "json", NULL, NULL, "print the changes as JSON"},
    {OPTION_UNDO, "undo", NULL, NULL, "put the catalog before the last update in force again"},
    {0},
};

#define MAX_SOURCES 32
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

struct update {
    const char *source[MAX_SOURCES];
    size_t n;
    bool dry_run, all, json, undo;
    struct config config;
    struct engine e;
    bool terminal; /* progress is shown */
    char label[64];
};

/* -- fetching --------------------------------------------------------------------------- */

static void show_progress(void *ctx, uint64_t bytes, uint64_t total)
{
    struct update *u = ctx;
    if (!u->terminal)
        return;
    fprintf(stderr, "\r%-14s %6.1f MB", u->label, (double)bytes / 1e6);
    if (total)
        fprintf(stderr, " of %.1f", (double)total / 1e6);
    fputs("\033[K", stderr);
}

static void step(const struct update *u, const char *what)
{
    if (u->terminal)
        fprintf(stderr, "\r%s\033[K", what);
}

static void steps_end(const struct update *u)
{
    if (u->terminal)
        fputs("\r\033[K", stderr);
}

static cando_status read_source(struct update *u, const char *from, struct buf *text,
                                cando_error *err)
{
    char *bytes;
    size_t len;
    if (fetch_is_url(from))
        return fetch_url(from, text, show_progress, u, err);
    cando_status st = file_read(from, FETCH_BYTES, NULL, &bytes, &len, err);
    if (st != CANDO_OK)
        return st;
    buf_put(text, bytes, len);
    mem_free(NULL, bytes, len + 1);
    return text->failed ? error_memory(err) : CANDO_OK;
}

/* "NAME[@DAY]=URL|FILE" as a source of facts. */
static cando_status fetch_source(struct update *u, const char *value, struct facts_texts *out,
                                 cando_error *err)
{
    struct str s = str_of(value), head = str_head(s, str_find_char(s, '='));
    size_t at = str_find_char(head, '@');
    struct str day = str_from(head, at + 1);
    char today[16], *own = NULL;
    struct buf text;
    snprintf(u->label, sizeof u->label, "%.*s", (int)(at < 60 ? at : 60), head.p);
    buf_init(&text, NULL, (size_t)FETCH_BYTES + 1);
    cando_status st = read_source(u, value + head.n + 1, &text, err);
    if (st == CANDO_OK && buf_cstr(&text))
        own = mem_resize(NULL, text.p, text.cap, text.n + 1);
    if (st == CANDO_OK && own)
        return facts_add(out, str_head(head, at), day.n ? day : facts_today(today), own, text.n,
                         err);
    buf_free(&text);
    return st == CANDO_OK ? error_memory(err) : st;
}

/* Everything that the sources say; NULL: it has been reported, and *code is set. */
static const cando_import_answer *import_all(struct update *u, int *code)
{
    cando_error err;
    cando_status st = CANDO_OK;
    struct facts_texts texts = {0};
    const cando_import_answer *a = NULL;
    arena_init(&texts.ar, NULL);
    for (size_t i = 0; st == CANDO_OK && i < u->n; i++)
        st = fetch_source(u, u->source[i], &texts, &err);
    steps_end(u);
    if (st == CANDO_OK) {
        cando_import_question q = {.sources = texts.source, .n_sources = texts.n, .files = true};
        step(u, "importing and merging");
        a = cando_ask_import(u->e.c, &q, u->e.room, &err);
        steps_end(u);
    }
    *code = a ? EXIT_YES : engine_failed(&err);
    facts_free(&texts);
    return a;
}

/* -- the new catalog ---------------------------------------------------------------------- */

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

/* Takes out of `s` what the built-in catalog has of providers that the sources speak
 * of, and the sources have not. */
static cando_status forget_gone(cando_sources *s, const cando_catalog *fresh, cando_error *err)
{
    struct arena ar;
    struct map there, spoken;
    cando_status st = CANDO_OK;
    const cando_catalog *old = cando_catalog_builtin();
    arena_init(&ar, NULL);
    map_init(&there, &ar, true);
    map_init(&spoken, &ar, true);
    for (size_t i = 0; st == CANDO_OK && i < cando_catalog_models(fresh); i++) {
        cando_model m = cando_catalog_model(fresh, i);
        struct str name = str_printf(&ar, "%s/%s", m.provider, m.id);
        if (!name.p || !map_put(&there, name, 1) || !map_put(&spoken, str_of(m.provider), 1))
            st = error_memory(err);
    }
    for (size_t i = 0; st == CANDO_OK && i < cando_catalog_models(old); i++) {
        cando_model m = cando_catalog_model(old, i);
        struct str name = str_printf(&ar, "%s/%s", m.provider, m.id);
        if (!name.p)
            st = error_memory(err);
        else if (map_get(&spoken, str_of(m.provider)) && !map_get(&there, name))
            st = cando_sources_forget(s, m.provider, m.id, err);
    }
    arena_free(&ar);
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

/* Builds and checks. The bytes lie in `*s`, to be freed with it. */
static cando_status make_catalog(struct update *u, const cando_import_answer *files,
                                 cando_sources **s, const void **data, size_t *size,
                                 const cando_catalog **out, cando_error *err)
{
    const cando_catalog *fresh = only_new(files, err);
    *s = fresh ? cando_sources_new(NULL, err) : NULL;
    cando_status st = *s ? CANDO_OK : err->status;
    step(u, "compiling");
    if (st == CANDO_OK)
        st = cando_sources_add_catalog(*s, cando_catalog_builtin(), 0, err);
    if (st == CANDO_OK)
        st = forget_gone(*s, fresh, err);
    if (st == CANDO_OK)
        st = add_files(*s, files, err);
    if (st == CANDO_OK)
        st = cando_sources_lint(*s, err);
    if (st == CANDO_OK)
        st = cando_sources_build(*s, data, size, err);
    steps_end(u);
    if (*s && (st == CANDO_OK || st == CANDO_BAD_INPUT) && report_errors(*s))
        st = error_set(err, CANDO_BAD_INPUT, CODE_update_refused,
                       "what was imported has errors; the old catalog stays");
    if (st == CANDO_OK) {
        *out = cando_catalog_open(*data, *size, NULL, err);
        st = *out ? CANDO_OK : err->status;
    }
    cando_catalog_release(fresh);
    return st;
}

/* -- putting it in force ---------------------------------------------------------------------- */

static cando_status fail_io(cando_error *err, const char *what, const char *path)
{
    return error_set(err, CANDO_INTERNAL, CODE_io, "cannot %s %s: %s", what, path, strerror(errno));
}

/* Temporary files of an update that was killed: "catalog.snap." and six letters. */
static void sweep(const struct config *c)
{
    DIR *d = opendir(c->data);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        char path[PATH_MAX];
        const char *tail = strncmp(e->d_name, "catalog.snap.", 13) == 0 ? e->d_name + 13 : "";
        if (strlen(tail) == 6 &&
            snprintf(path, sizeof path, "%s/%s", c->data, e->d_name) < (int)sizeof path)
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

static bool previous_path(const struct config *c, char *out, size_t size)
{
    int n = snprintf(out, size, "%s.1", c->catalog);
    return n > 0 && (size_t)n < size;
}

/* Gives the catalog in force a second name, in one step and without a copy. */
static cando_status keep_previous(const struct config *c, cando_error *err)
{
    char previous[PATH_MAX], beside[PATH_MAX];
    if (access(c->catalog, F_OK) != 0)
        return CANDO_OK;
    if (!previous_path(c, previous, sizeof previous) ||
        snprintf(beside, sizeof beside, "%s.before", c->catalog) >= (int)sizeof beside)
        return error_set(err, CANDO_INTERNAL, CODE_io, "the path is too long: %s", c->catalog);
    unlink(beside);
    if (link(c->catalog, beside) != 0 || rename(beside, previous) != 0)
        return fail_io(err, "keep", previous);
    unlink(beside); /* two names of one file: rename left both */
    return CANDO_OK;
}

static cando_status install(const struct config *c, const void *data, size_t size, cando_error *err)
{
    cando_status st = keep_previous(c, err);
    return st == CANDO_OK ? file_replace(c->catalog, data, size, NULL, err) : st;
}

/* The two change places; without one before, the built-in catalog is in force. */
static cando_status undo(const struct config *c, cando_error *err)
{
    char previous[PATH_MAX];
    cando_status st = take_lock(c, err);
    if (st != CANDO_OK)
        return st;
    if (!previous_path(c, previous, sizeof previous))
        return fail_io(err, "read", c->catalog);
    if (access(previous, F_OK) == 0) {
        const cando_catalog *ok = cando_catalog_open_file(previous, NULL, err);
        if (!ok)
            return err->status;
        cando_catalog_release(ok);
        if (rename(previous, c->catalog) != 0)
            return fail_io(err, "put back", previous);
        printf("%s is in force again\n", c->catalog);
        return CANDO_OK;
    }
    if (unlink(c->catalog) != 0 && errno != ENOENT)
        return fail_io(err, "remove", c->catalog);
    puts("the built-in catalog is in force");
    return CANDO_OK;
}

/* -- the verb ------------------------------------------------------------------------------------
 */

static void put_result(const struct update *u, const struct change_list *l, const cando_catalog *c)
{
    cando_catalog_info info;
    cando_catalog_describe(c, &info);
    if (u->json) {
        struct buf b;
        buf_init(&b, NULL, LIMIT_JSON_BYTES);
        buf_printf(&b,
                   "{\"models\":%zu,\"providers\":%u,\"bytes\":%ju,\"installed\":%s,\"changes\":",
                   cando_catalog_models(c), info.providers, (uintmax_t)info.bytes,
                   u->dry_run ? "false" : "true");
        change_json(l, &b);
        buf_putc(&b, '}');
        out_line(str_make(b.p, b.n));
        buf_free(&b);
        return;
    }
    change_print(l, u->all ? SIZE_MAX : SHOWN);
    printf(u->dry_run ? "nothing was changed; it would be " : "%s: ", u->config.catalog);
    out_count(stdout, cando_catalog_models(c), "model", ", ");
    out_count(stdout, info.providers, "provider", "\n");
}

static cando_status replace(struct update *u, const cando_import_answer *files, cando_error *err)
{
    cando_sources *s = NULL;
    const void *data = NULL;
    size_t size = 0;
    const cando_catalog *new = NULL, *old = NULL;
    struct change_list changes;
    cando_status st = make_catalog(u, files, &s, &data, &size, &new, err);
    if (st == CANDO_OK) {
        if (access(u->config.catalog, R_OK) == 0)
            old = cando_catalog_open_file(u->config.catalog, NULL, NULL);
        change_find(&changes, old ? old : cando_catalog_builtin(), new);
        if (changes.failed)
            st = error_memory(err);
        if (st == CANDO_OK && !u->dry_run)
            st = install(&u->config, data, size, err);
        if (st == CANDO_OK)
            put_result(u, &changes, new);
        change_free(&changes);
    }
    cando_catalog_release(old);
    cando_catalog_release(new);
    cando_sources_free(s);
    return st;
}

static int update(struct update *u)
{
    cando_error err;
    cando_status st = u->config.catalog
                          ? CANDO_OK
                          : error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "HOME is not set");
    if (st == CANDO_OK && u->undo)
        st = undo(&u->config, &err);
    else if (st == CANDO_OK && !u->dry_run)
        st = take_lock(&u->config, &err);
    int code = (int)st;
    if (st == CANDO_OK && !u->undo) {
        code = engine_open(&u->e);
        const cando_import_answer *files = code == EXIT_YES ? import_all(u, &code) : NULL;
        if (!files)
            return code;
        code = (int)(st = replace(u, files, &err));
    }
    if (st != CANDO_OK)
        out_error(&err);
    return code;
}

static bool add_source(struct update *u, const char *value)
{
    cando_error err;
    struct str s = str_of(value);
    size_t eq = str_find_char(s, '=');
    if (eq == 0 || eq + 1 >= s.n) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--source does not take '%s'", value);
        error_hint(&err, "NAME=URL or NAME=FILE, for example models.dev=api.json");
    } else if (u->n == MAX_SOURCES) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "more than %d sources", MAX_SOURCES);
    } else {
        u->source[u->n++] = value;
        return true;
    }
    out_error(&err);
    return false;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct update *u = mem_alloc(NULL, sizeof *u);
    cando_error err;
    if (!u || (memset(u, 0, sizeof *u), !config_init(&u->config))) {
        error_memory(&err);
        out_error(&err);
        return EXIT_INTERNAL;
    }
    int code = EXIT_YES;
    bool stopped = false;
    engine_init(&u->e);
    u->e.plain = true;
    u->terminal = isatty(STDERR_FILENO);
    struct args a = args_begin(self, argc, argv);
    for (int id; !stopped && (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_DRY_RUN)
            u->dry_run = true;
        else if (id == OPTION_ALL)
            u->all = true;
        else if (id == OPTION_JSON)
            u->json = true;
        else if (id == OPTION_UNDO)
            u->undo = true;
        else if (id != OPTION_SOURCE || !add_source(u, a.value)) {
            code = args_stop(&a, id);
            stopped = true;
        }
    }
    if (!stopped && a.n_rest) {
        code = args_usage(&a, "sources are given with --source NAME=URL or NAME=FILE");
        stopped = true;
    }
    for (size_t i = 0; !u->n && i < sizeof served / sizeof *served; i++)
        u->source[i] = served[i];
    if (!u->n)
        u->n = sizeof served / sizeof *served;
    if (!stopped)
        code = update(u);
    engine_close(&u->e);
    config_free(&u->config);
    mem_free(NULL, u, sizeof *u);
    return code;
}

const struct verb verb_update = {
    .name = "update",
    .summary = "makes the catalog anew from what its sources say today",
    .usage = "[OPTION]...",
    .text =
        "Fetches models.dev, litellm, genai-prices, ruby_llm and openrouter over HTTPS, or the "
        "files and addresses of --source, "
        "weighs what they say as cando import does, shows which models came and went and which "
        "prices and limits changed, and puts the "
        "new catalog in force for the verbs for people. Nothing else of cando uses the network.\n\n"
        "The catalog is one file, replaced in one step; the one before is kept beside it, and "
        "--undo puts it back. An update "
        "that fails, or is ended half-way, leaves the old one in force. cando where tells where it "
        "is.\n\n"
        "The lists that providers serve to their customers (anthropic, google, openai, xai) want a "
        "key: fetch them yourself and give "
        "the files.",
    .options = options,
    .run = run,
};
