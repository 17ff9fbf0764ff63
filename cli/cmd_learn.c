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
#include "fleet.h"
#include "request.h"
#include "suggest.h"
#include "trail.h"
#include "value.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

struct ask {
    const char *error, *target, *evidence, *write;
    cando_learn_question q;
    bool observed;
    uint64_t now;
};

static take_fn take_probe;

static const struct option_row options[] = {
    {TEXT("from-error", error, "FILE", "a provider's error reply, JSON or text; - is stdin")},
    {TEXT("target", target, "PROVIDER/MODEL", "the model that it was about")},
    {TAKES("probe", take_probe, "FIELD=VALUE", "what was seen by trying; may be repeated"),
     LIST_(q.probe, q.n_probe, const cando_probe *)},
    {TEXT("evidence", evidence, "TEXT", "what was seen, in one line, for --probe")},
    {TEXT("write", write, "FILE", "add the rule to this rule file, for example cando.toml")},
    {NUMBER("days", q.days, "N", "for how many days it counts")},
    {STORE},
    NATS_ROWS,
    {FLAG("observed", observed,
          "print what the trail has observed, and what still counts, as a rule file")},
    {JSON("print the reply of the operation learn")},
    {0},
};

static bool take_probe(struct call *c, const struct option_row *o, const char *value)
{
    struct str s = str_of(value);
    size_t eq = str_find_char(s, '=');
    if (eq == s.n || eq == 0)
        return option_refuse(o, value, "FIELD=VALUE, for example input_image=unsupported");
    const char *field = call_text(c, str_head(s, eq));
    cando_probe *item = field ? option_item(c, o, sizeof *item) : NULL;
    if (item)
        *item = (cando_probe){.field = field, .value = value + eq + 1};
    return item != NULL;
}

/* -- the trail -- */

/* What was learnt goes into the trail, too. A trail that cannot be written is reported
 * and does not change the answer. */
static void record_all(struct call *c, const cando_learn_answer *a)
{
    const struct ask *k = c->ask;
    int code;
    cando_store *s = fleet_trail(c, true, 0, &code);
    if (!s)
        return;
    for (size_t i = 0; i < a->n_observations; i++) {
        cando_event e = trail_event(&a->observations[i], k->now);
        if (s->ops->append(s, &e, 1, &c->err) != CANDO_OK)
            fail(&c->err);
    }
    if (s->ops->flush(s, &c->err) != CANDO_OK)
        fail(&c->err);
    s->ops->close(s);
}

static int print_observed(struct call *c)
{
    const char *text;
    size_t len;
    int code;
    cando_observations *o = trail_observed(fleet_trail(c, false, 0, &code), &code);
    if (!o)
        return code;
    if (cando_observations_rules(o, asked_now(), &text, &len, &c->err) == CANDO_OK)
        fwrite(text, 1, len, stdout);
    else
        code = fail(&c->err);
    cando_observations_free(o);
    return code;
}

/* -- the rule file -- */

/* Locks the folder of a file; -1 if that cannot be done, and then we go on without. */
static int lock_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The file as it is, if it is there. */
static int read_rules(struct request_file *f, const char *path)
{
    *f = (struct request_file){.path = path};
    if (access(path, F_OK) != 0)
        return EXIT_YES;
    int code = request_read(f, path, LIMIT_TOML_BYTES);
    if (code != EXIT_YES || utf8_check(str_make(f->text, f->len)) == f->len)
        return code;
    request_free(f);
    return fail_with(CANDO_BAD_INPUT, CODE_learn_refused, NULL, "%s is not UTF-8", path);
}

/* Would lint object to what is to be written? Then that is told, and nothing is. */
static int judge_rules(struct call *c, const char *path, const cando_learn_answer *a)
{
    cando_sources *s = sources_new(&c->err);
    cando_status st = s ? cando_sources_add(s, path, a->text.p, a->text.n, CANDO_SYNTAX_AUTO,
                                            CANDO_LAYER_PROJECT, &c->err)
                        : c->err.status;
    if (st == CANDO_OK)
        st = cando_sources_lint(s, &c->err);
    int code = st == CANDO_OK ? EXIT_YES : fail(&c->err);
    if (code == EXIT_YES && sources_report(stderr, s, CANDO_ERROR)) {
        out_to(stderr, "%s is left as it is\n", path);
        code = EXIT_INPUT;
    }
    cando_sources_free(s);
    return code;
}

static int write_rules(struct call *c, const char *path, const cando_learn_answer *a)
{
    const struct ask *k = c->ask;
    int code = a->added.value ? judge_rules(c, path, a) : EXIT_YES;
    if (code != EXIT_YES)
        return code;
    if (a->added.value && file_replace(path, a->text.p, a->text.n, NULL, &c->err) != CANDO_OK)
        return fail(&c->err);
    if (c->json)
        return EXIT_YES;
    out("%s: added %'ju rule" PLURAL, k->write, a->added.value);
    if (a->present.value)
        out(", %ju there already", a->present.value);
    out("\n");
    return EXIT_YES;
}

/* -- is it news? -- */

static bool says(const cando_value *v, const char *words, const char *value)
{
    if (v->type == CANDO_NUMBER)
        return v->number == strtoull(value, NULL, 10);
    return strcmp(words, value) == 0;
}

/* What the catalog says of it. */
static void tell_known(struct call *c, const cando_learnt *x)
{
    cando_name name = {.model = x->target};
    cando_resolve_question q = {.target = &name};
    const cando_resolve_answer *r = cando_ask_resolve(c->engine, &q, c->room, &c->err);
    cando_field f = cando_field_find(x->field);
    const cando_value *v = NULL;
    for (size_t i = 0; r && i < r->n_fields; i++)
        if (strcmp(r->fields[i].name, x->field) == 0)
            v = &r->fields[i].value;
    if (!v || f == CANDO_NO_FIELD)
        return;
    cando_origin o = cando_profile_why(r->profile, f);
    const char *words = value_words(v, &c->ar);
    const char *how = says(v, words, x->value) ? "so already" : "otherwise, the rule overrules it";
    fflush(stdout);
    if (!v->known)
        out_to(stderr, "note: this is new: nobody has said %s of %s\n", x->field, x->target);
    else
        out_to(stderr, "note: the catalog says %s: %s %s (%s" MAYBE(", %s") ")\n", how, x->field,
               words, o.evidence ? o.evidence : "unknown", o.checked[0] ? o.checked : NULL);
}

/* -- all of it -- */

static int answer(struct call *c, const char *path, const cando_learn_answer *a)
{
    if (!call_page(c, "learn", a) && c->code != EXIT_YES)
        return c->code;
    if (!a->n_observations) {
        if (!c->json)
            out_to(stderr, "cando: nothing was learnt: %s\n", a->why_not);
        return EXIT_NO;
    }
    if (trail_path(c->store) || c->nats.url)
        record_all(c, a);
    int code = path ? write_rules(c, path, a) : EXIT_YES;
    if (!path && !c->json)
        fputs(a->rule, stdout);
    for (size_t i = 0; i < a->n_observations && code == EXIT_YES && !c->json; i++)
        tell_known(c, &a->observations[i]);
    return code;
}

/* `path` is the rule file, or NULL. */
static int ask(struct call *c, const char *path)
{
    struct ask *k = c->ask;
    struct request_file reply = {0}, old = {0};
    int code = k->error ? request_read(&reply, k->error, LIMIT_REPLY_BYTES) : EXIT_YES;
    int lock = path ? lock_folder(path) : -1;
    if (code == EXIT_YES && path)
        code = read_rules(&old, path);
    if (code == EXIT_YES) {
        k->q.error = (cando_bytes){reply.text, reply.len};
        if (path)
            k->q.into = (cando_bytes){old.text ? old.text : "", old.len};
        code = answer(c, path, cando_ask_learn(c->engine, &k->q, c->room, &c->err));
    }
    request_free(&old);
    if (lock >= 0)
        close(lock);
    request_free(&reply);
    return code;
}

static int check(struct call *c)
{
    struct ask *k = c->ask;
    if (c->n)
        k->target = c->operand[0];
    if (!k->observed && (!k->target || (!k->error && !k->q.n_probe)))
        return call_usage(c, "of which model, and from what (--from-error or --probe)?");
    return EXIT_YES;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    const char *own = k->target ? suggest_own(c, k->target) : NULL;
    cando_name target = {.model = own ? own : k->target};
    char now[INSTANT_TEXT];
    if (k->observed)
        return print_observed(c);
    k->now = asked_now();
    k->q.now = instant_text(k->now, now).p;
    k->q.target = &target;
    for (size_t i = 0; i < k->q.n_probe; i++)
        ((cando_probe *)k->q.probe)[i].evidence = k->evidence;
    /* a link stays a link: what it leads to is replaced */
    char *real = k->write ? realpath(k->write, NULL) : NULL;
    int code = ask(c, real ? real : k->write);
    free(real);
    return code;
}

const struct verb verb_learn = {
    .name = "learn",
    .summary = "turns a provider's error reply into a rule",
    .usage = "PROVIDER/MODEL --from-error FILE [OPTION]...",
    .text = "Reads what a provider said when it refused a request (\"Unsupported parameter: "
            "'temperature' is not supported with this model.\") and prints the rule that follows "
            "from it, with the evidence. What holds under a condition only, or is a matter of the "
            "account, is not learnt; the exit code is 1 then.\n\n"
            "With --write the rule is added to a rule file, which stays as it is otherwise. With "
            "--store, or CANDO_STORE set, the observation is recorded in the audit trail; "
            "--observed prints all of the trail's that still count as a rule file. With --nats, "
            "too, every node of the fleet learns it.",
    .examples = "cando learn openai/gpt-5 --from-error reply.json\n"
                "cando learn openai/gpt-5 --from-error reply.json --write cando.toml",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 1, NULL, "the error reply is given by --from-error FILE"),
    .opens = OPENS_PLAIN,
    .check = check,
    .run = run,
};
