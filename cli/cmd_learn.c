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
#include "pull.h"
#include "trail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { OPTION_ERROR = OPTION_LONG, OPTION_TARGET, OPTION_PROBE, OPTION_EVIDENCE, OPTION_WRITE, OPTION_DAYS, OPTION_OBSERVED, OPTION_JSON };

static const struct option_row options[] = {
    {OPTION_ERROR, "from-error", "FILE", NULL, "a provider's error reply, JSON or text; - is stdin"},
    {OPTION_TARGET, "target", "PROVIDER/MODEL", NULL, "the model that it was about"},
    {OPTION_PROBE, "probe", "FIELD=VALUE", NULL, "what was seen by trying; may be repeated"},
    {OPTION_EVIDENCE, "evidence", "TEXT", NULL, "what was seen, in one line, for --probe"},
    {OPTION_WRITE, "write", "FILE", NULL, "add the rule to this rule file, for example cando.toml"},
    {OPTION_DAYS, "days", "N", NULL, "for how many days it counts"},
    TRAIL_OPTION,
    {OPTION_OBSERVED, "observed", NULL, NULL, "print what the trail has observed, and what still counts, as a rule file"},
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

static bool put_reply(struct buf *q, const char *path)
{
    char *text;
    size_t len;
    cando_error err;
    if (file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, LIMIT_REPLY_BYTES, NULL, &text, &len, &err) != CANDO_OK) {
        out_error(&err);
        return false;
    }
    buf_putz(q, ",\"error\":");
    out_quoted(q, str_make(text, len));
    mem_free(NULL, text, len + 1);
    return true;
}

static bool put_probes(struct buf *q, const struct learn *l)
{
    for (size_t i = 0; i < l->n_probes; i++) {
        struct str s = str_of(l->probe[i]);
        size_t eq = str_find_char(s, '=');
        if (eq == s.n || eq == 0) {
            cando_error err;
            error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--probe does not take '%s'", l->probe[i]);
            error_hint(&err, "FIELD=VALUE, for example input_image=unsupported");
            out_error(&err);
            return false;
        }
        buf_putz(q, i ? ",{\"field\":" : ",\"probe\":[{\"field\":");
        out_quoted(q, str_head(s, eq));
        buf_putz(q, ",\"value\":");
        out_quoted(q, str_from(s, eq + 1));
        if (l->evidence) {
            buf_putz(q, ",\"evidence\":");
            out_quoted(q, str_of(l->evidence));
        }
        buf_putc(q, '}');
    }
    if (l->n_probes)
        buf_putc(q, ']');
    return true;
}

/* All but the closing brace; EXIT_YES, or it has been reported. */
static int put_question(struct buf *q, const struct learn *l)
{
    char time[INSTANT_TEXT];
    buf_putz(q, "{\"op\":\"learn\",\"target\":");
    out_quoted(q, str_of(l->target));
    buf_printf(q, ",\"now\":\"%s\"", instant_text(l->now, time).p);
    if (l->days)
        buf_printf(q, ",\"days\":%s", l->days);
    if (l->error && !put_reply(q, l->error))
        return EXIT_INPUT;
    return put_probes(q, l) ? EXIT_YES : EXIT_QUESTION;
}

/* -- the trail -------------------------------------------------------------------------------- */

/* What was learnt goes into the trail, too. A trail that cannot be written is reported
 * and does not change the answer. */
static void record_all(const struct learn *l, struct str observations)
{
    int code;
    struct trail_texts t;
    cando_error err;
    struct store *s = trail_open(trail_path(l->store), true, &code);
    if (!s)
        return;
    trail_texts_init(&t);
    for (struct str at = observations, o; pull_next(&at, NULL, &o);) {
        cando_event e = {.kind = CANDO_EVENT_OBSERVATION, .time = l->now, .change = trail_decode(o, "by", &t.by),
                         .target = trail_decode(o, "target", &t.target), .field = trail_decode(o, "field", &t.field),
                         .value = trail_decode(o, "value", &t.value), .evidence = trail_decode(o, "evidence", &t.evidence),
                         .expires = trail_decode_time(o, "expires", &t.time)};
        if (s->ops->append(s, &e, 1, &err) != CANDO_OK)
            out_error(&err);
    }
    if (s->ops->flush(s, &err) != CANDO_OK)
        out_error(&err);
    trail_texts_free(&t);
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

/* -- the rule file -------------------------------------------------------------------------------- */

/* Locks the folder of a file; -1 if that cannot be done, and then we go on without. */
static int lock_folder(const char *path)
{
    struct str s = str_of(path);
    while (s.n && s.p[s.n - 1] != '/')
        s.n--;
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", s.n ? (int)(s.n < 4000 ? s.n : 4000) : 1, s.n ? s.p : ".");
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

static int write_rules(const char *path, struct str result)
{
    struct buf text;
    cando_error err;
    uint64_t added = 0;
    int code = EXIT_YES;
    pull_number(pull_get(result, "added"), &added);
    buf_init(&text, NULL, LIMIT_TOML_BYTES);
    pull_string(pull_get(result, "text"), &text);
    if (text.failed) {
        error_memory(&err);
        out_error(&err);
        code = EXIT_INTERNAL;
    } else if (added && file_replace(path, text.p, text.n, NULL, &err) != CANDO_OK) {
        out_error(&err);
        code = EXIT_INPUT;
    }
    buf_free(&text);
    return code;
}

/* -- all of it --------------------------------------------------------------------------------------- */

static void put_text(struct str json, FILE *f)
{
    struct buf b;
    buf_init(&b, NULL, LIMIT_TOML_BYTES);
    if (pull_string(json, &b) && b.n)
        fwrite(b.p, 1, b.n, f);
    buf_free(&b);
}

static int answer(const struct learn *l, struct str result)
{
    struct str at = pull_get(result, "observations"), list = at, first;
    bool learnt = pull_next(&at, NULL, &first);
    if (l->json)
        out_line(result);
    if (!learnt) {
        if (!l->json) {
            fputs("cando: nothing was learnt: ", stderr);
            put_text(pull_get(result, "why_not"), stderr);
            fputc('\n', stderr);
        }
        return EXIT_NO;
    }
    if (trail_path(l->store))
        record_all(l, list);
    if (!l->write) {
        if (!l->json)
            put_text(pull_get(result, "rule"), stdout);
        return EXIT_YES;
    }
    int code = write_rules(l->write, result);
    uint64_t added = 0, present = 0;
    pull_number(pull_get(result, "added"), &added);
    pull_number(pull_get(result, "present"), &present);
    if (code == EXIT_YES && !l->json) {
        out_safe(stdout, str_of(l->shown));
        fputs(": added ", stdout);
        out_count(stdout, added, "rule", present ? ", " : "\n");
        if (present)
            printf("%ju there already\n", (uintmax_t)present);
    }
    return code;
}

static int ask(struct learn *l)
{
    struct buf q;
    char *old = NULL;
    size_t old_len = 0;
    int lock = -1;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    int code = put_question(&q, l);
    if (code == EXIT_YES && l->write) {
        lock = lock_folder(l->write);
        code = read_rules(l->write, &old, &old_len);
        if (code == EXIT_YES) {
            buf_putz(&q, ",\"into\":");
            out_quoted(&q, str_make(old, old_len));
        }
    }
    buf_putc(&q, '}');
    if (code == EXIT_YES) {
        struct str reply, result;
        code = engine_ask(&l->e, str_make(q.p, q.n), &reply, &result);
        if (code == EXIT_YES)
            code = answer(l, result);
        engine_done(&l->e, reply);
    }
    if (old)
        mem_free(NULL, old, old_len + 1);
    if (lock >= 0)
        close(lock);
    buf_free(&q);
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
        return args_usage(&a, "of which model (--target), and from what (--from-error or --probe)?");
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
    .text = "Reads what a provider said when it refused a request (\"Unsupported parameter: 'temperature' is not supported with this "
            "model.\") and prints the rule that follows from it, with the evidence. What holds under a condition only, or "
            "is a matter of the account, is not learnt; the exit code is 1 then.\n\n"
            "With --write the rule is added to a rule file, which stays as it is otherwise. With --store, or CANDO_STORE set, the "
            "observation is recorded in the audit trail; --observed prints all of the trail's that still count as a rule file.",
    .options = options,
    .run = run,
};
