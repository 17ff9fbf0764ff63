/*
 * cmd_learn.c - cando learn: what a model refused becomes a rule.
 *
 * The operation `learn` does the thinking; here are the files. A rule file is replaced in
 * one step, under a lock on its folder, so that two of us at once lose nothing.
 */
#define _DEFAULT_SOURCE
#include "base/file.h"
#include "base/instant.h"
#include "base/limits.h"
#include "engine.h"
#include "trail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    OPTION_ERROR = OPTION_LONG,
    OPTION_TARGET,
    OPTION_PROBE,
    OPTION_EVIDENCE,
    OPTION_WRITE,
    OPTION_DAYS,
    OPTION_OBSERVED,
    OPTION_JSON
};

static const struct option_row options[] = {
    {OPTION_ERROR, "from-error", "FILE", NULL,
     "a provider's error reply, JSON or text; - is stdin"},
    {OPTION_TARGET, "target", "PROVIDER/MODEL", NULL, "the model that it was about"},
    {OPTION_PROBE, "probe", "FIELD=VALUE", NULL, "what was seen by trying; may be repeated"},
    {OPTION_EVIDENCE, "evidence", "TEXT", NULL, "what was seen, in one line, for --probe"},
    {OPTION_WRITE, "write", "FILE", NULL, "add the rule to this rule file, for example cando.toml"},
    {OPTION_DAYS, "days", "N", NULL, "for how many days it counts"},
    TRAIL_OPTION,
    {OPTION_OBSERVED, "observed", NULL, NULL,
     "print what the trail has observed, and what still counts, as a rule file"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation learn"},
    {0},
};

#define MAX_PROBES 64

struct learn {
    struct engine e;
    const char *error, *target, *evidence, *write, *days, *store;
    const char *shown; /* the file of `write` as it was named */
    const char *probe[MAX_PROBES];
    size_t n_probes;
    bool json, observed;
    uint64_t now;
};

/* -- the question -------------------------------------------------------------------------- */

/* The provider's reply goes into *text, to be freed. */
static int read_reply(const struct learn *l, char **text, size_t *len)
{
    cando_error err;
    const char *path = l->error && strcmp(l->error, "-") == 0 ? "/dev/stdin" : l->error;
    *text = NULL;
    *len = 0;
    if (!path || file_read(path, LIMIT_REPLY_BYTES, NULL, text, len, &err) == CANDO_OK)
        return EXIT_YES;
    out_error(&err);
    return EXIT_INPUT;
}

static int split_probes(const struct learn *l, struct arena *ar, cando_probe *out)
{
    cando_error err;
    for (size_t i = 0; i < l->n_probes; i++) {
        struct str s = str_of(l->probe[i]);
        size_t eq = str_find_char(s, '=');
        if (eq == s.n || eq == 0) {
            error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--probe does not take '%s'",
                      l->probe[i]);
            error_hint(&err, "FIELD=VALUE, for example input_image=unsupported");
            return engine_failed(&err);
        }
        struct str field = str_dup(ar, str_head(s, eq));
        if (!field.p) {
            error_memory(&err);
            return engine_failed(&err);
        }
        out[i] = (cando_probe){field.p, l->probe[i] + eq + 1, l->evidence};
    }
    return EXIT_YES;
}

/* -- the trail -------------------------------------------------------------------------------- */

/* What was learnt goes into the trail, too. A trail that cannot be written is reported
 * and does not change the answer. */
static void record_all(const struct learn *l, const cando_learn_answer *a)
{
    int code;
    cando_error err;
    struct store *s = trail_open(trail_path(l->store), true, &code);
    if (!s)
        return;
    for (size_t i = 0; i < a->n_observations; i++) {
        const cando_learnt *o = &a->observations[i];
        cando_event e = {.kind = CANDO_EVENT_OBSERVATION,
                         .time = l->now,
                         .change = o->by,
                         .target = o->target,
                         .field = o->field,
                         .value = o->value,
                         .evidence = o->evidence,
                         .expires = o->expires_ms};
        if (s->ops->append(s, &e, 1, &err) != CANDO_OK)
            out_error(&err);
    }
    if (s->ops->flush(s, &err) != CANDO_OK)
        out_error(&err);
    s->ops->close(s);
}

static int print_observed(const struct learn *l)
{
    cando_error err;
    const char *text;
    size_t len;
    int code;
    cando_observations *o = trail_observations(trail_path(l->store), &code);
    if (!o)
        return code;
    if (cando_observations_rules(o, l->now, &text, &len, &err) == CANDO_OK) {
        fwrite(text, 1, len, stdout);
    } else {
        out_error(&err);
        code = EXIT_INTERNAL;
    }
    cando_observations_free(o);
    return code;
}

/* -- the rule file --------------------------------------------------------------------------------
 */

/* Locks the folder of a file; -1 if that cannot be done, and then we go on without. */
static int lock_folder(const char *path)
{
    struct str s = str_of(path);
    while (s.n && s.p[s.n - 1] != '/')
        s.n--;
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", s.n ? (int)(s.n < 4000 ? s.n : 4000) : 1,
             s.n ? s.p : ".");
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int read_rules(const char *path, char **text, size_t *len)
{
    cando_error err;
    *text = NULL;
    *len = 0;
    if (access(path, F_OK) != 0)
        return EXIT_YES;
    if (file_read(path, LIMIT_TOML_BYTES, NULL, text, len, &err) == CANDO_OK) {
        if (utf8_check(str_make(*text, *len)) == *len)
            return EXIT_YES;
        mem_free(NULL, *text, *len + 1);
        *text = NULL;
        error_set(&err, CANDO_BAD_INPUT, CODE_learn_refused, "%s is not UTF-8", path);
    }
    out_error(&err);
    return EXIT_INPUT;
}

static int write_rules(const struct learn *l, const cando_learn_answer *a)
{
    cando_error err;
    if (a->added.value && file_replace(l->write, a->text.p, a->text.n, NULL, &err) != CANDO_OK) {
        out_error(&err);
        return EXIT_INPUT;
    }
    if (l->json)
        return EXIT_YES;
    out_safe(stdout, str_of(l->shown));
    fputs(": added ", stdout);
    out_count(stdout, a->added.value, "rule", a->present.value ? ", " : "\n");
    if (a->present.value)
        printf("%ju there already\n", (uintmax_t)a->present.value);
    return EXIT_YES;
}

/* -- all of it
 * --------------------------------------------------------------------------------------- */

static int answer(const struct learn *l, const cando_learn_answer *a)
{
    if (l->json)
        engine_json(&l->e, "learn", a);
    if (!a->n_observations) {
        if (!l->json)
            fprintf(stderr, "cando: nothing was learnt: %s\n", a->why_not ? a->why_not : "");
        return EXIT_NO;
    }
    if (trail_path(l->store))
        record_all(l, a);
    if (l->write)
        return write_rules(l, a);
    if (!l->json)
        fputs(a->rule, stdout);
    return EXIT_YES;
}

static int ask_with(struct learn *l, struct arena *ar, cando_bytes reply)
{
    char time[INSTANT_TEXT], *old = NULL;
    size_t old_len = 0;
    cando_error err;
    cando_probe probe[MAX_PROBES];
    cando_name target = {l->target, NULL};
    cando_learn_question q = {.target = &target,
                              .error = reply,
                              .probe = probe,
                              .n_probe = l->n_probes,
                              .now = instant_text(l->now, time).p};
    if (l->days)
        q.days = (cando_number){strtoull(l->days, NULL, 10), true};
    int code = split_probes(l, ar, probe);
    if (code == EXIT_YES && l->write)
        code = read_rules(l->write, &old, &old_len);
    if (code == EXIT_YES) {
        if (l->write)
            q.into = (cando_bytes){old ? old : "", old_len};
        const cando_learn_answer *a = cando_ask_learn(l->e.c, &q, l->e.room, &err);
        code = a ? answer(l, a) : engine_failed(&err);
    }
    if (old)
        mem_free(NULL, old, old_len + 1);
    return code;
}

static int ask(struct learn *l)
{
    struct arena ar;
    char *text;
    size_t len;
    int code = read_reply(l, &text, &len);
    if (code != EXIT_YES)
        return code;
    int lock = l->write ? lock_folder(l->write) : -1;
    arena_init(&ar, NULL);
    code = ask_with(l, &ar, (cando_bytes){text, len});
    arena_free(&ar);
    if (lock >= 0)
        close(lock);
    if (text)
        mem_free(NULL, text, len + 1);
    return code;
}

static bool take_option(struct learn *l, const struct args *a, int id)
{
    switch (id) {
    case OPTION_ERROR:
        l->error = a->value;
        return true;
    case OPTION_TARGET:
        l->target = a->value;
        return true;
    case OPTION_PROBE:
        if (l->n_probes == MAX_PROBES)
            return false;
        l->probe[l->n_probes++] = a->value;
        return true;
    case OPTION_EVIDENCE:
        l->evidence = a->value;
        return true;
    case OPTION_WRITE:
        l->write = a->value;
        return true;
    case OPTION_DAYS:
        l->days = a->value;
        return true;
    case OPTION_STORE:
        l->store = a->value;
        return true;
    case OPTION_OBSERVED:
        l->observed = true;
        return true;
    case OPTION_JSON:
        l->json = true;
        return true;
    default:
        return false;
    }
}

/* A link stays a link: what it leads to is replaced. */
static void follow_link(struct learn *l, char room[4096])
{
    l->shown = l->write;
    char *real = l->write ? realpath(l->write, NULL) : NULL;
    if (real && strlen(real) < 4096) {
        memcpy(room, real, strlen(real) + 1);
        l->write = room;
    }
    free(real);
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct learn l = {.now = trail_now()};
    char room[4096];
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;)
        if (!take_option(&l, &a, id))
            return args_stop(&a, id);
    if (a.n_rest)
        return args_usage(&a, "takes no operands");
    if (l.observed)
        return print_observed(&l);
    if (!l.target || (!l.error && !l.n_probes))
        return args_usage(&a,
                          "of which model (--target), and from what (--from-error or --probe)?");
    for (const char *d = l.days; d && *d; d++)
        if (!char_is_digit(*d) || d - l.days > 5)
            return args_usage(&a, "--days is a whole number");
    if (l.days && !*l.days)
        return args_usage(&a, "--days is a whole number");
    follow_link(&l, room);
    engine_init(&l.e);
    l.e.plain = true; /* the operation needs no catalog */
    int code = engine_open(&l.e);
    if (code == EXIT_YES)
        code = ask(&l);
    engine_close(&l.e);
    return code;
}

const struct verb verb_learn = {
    .name = "learn",
    .summary = "turns a provider's error reply into a rule",
    .usage = "--target PROVIDER/MODEL --from-error FILE [OPTION]...",
    .text = "Reads what a provider said when it refused a request (\"Unsupported parameter: "
            "'temperature' is not supported with this "
            "model.\") and prints the rule that follows from it, with the evidence. What holds "
            "under a condition only, or "
            "is a matter of the account, is not learnt; the exit code is 1 then.\n\n"
            "With --write the rule is added to a rule file, which stays as it is otherwise. With "
            "--store, or CANDO_STORE set, the "
            "observation is recorded in the audit trail; --observed prints all of the trail's that "
            "still count as a rule file.",
    .options = options,
    .run = run,
};
