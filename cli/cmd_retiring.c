/*
 * cmd_retiring.c - cando retiring: what has stopped, what will, when, and what to take instead.
 *
 * Finding ids in texts is the operation's work; here files are read and answers laid out.
 * Many small files are asked about at once, and a large one in pieces that end with a line:
 *
 *     [ file | file | ... | file ] --retiring--> answer --+
 *     [ piece of a log           ] --retiring--> answer --+--> one answer, or lines
 */
#define _GNU_SOURCE
#include "engine.h"
#include "screen.h"
#include "tree.h"
#include "value.h"
#include "when.h"
#include "base/instant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PILE_BYTES = 32 << 20, /* asked about at once */
    PILE_FILES = 8192,
    SNIFFED = 8000,  /* bytes in which a NUL tells that a file is no text, as with git */
    SHOWN = 5,       /* places of a model */
    WITHIN = 90,     /* days */
    FOREVER = 36500, /* days: everything that has a day */
    PAGE = 80,
};

struct ask {
    cando_retiring_question q;
    bool all, strict;
};

/* What is asked about together, and what has been answered so far. */
struct pile {
    struct call *c;
    char *bytes;
    size_t n;
    cando_text *text;
    size_t n_texts;
    cando_retiring_answer sum;
    cando_retiring *item;
    size_t n_items, cap_items;
    uint64_t files, large, binary; /* read; left out */
};

/* 90, 90d, 12w */
static bool take_days(struct call *c, const struct option_row *o, const char *value)
{
    cando_number *days = option_member(c, o);
    char text[16];
    int32_t then, now;
    if (when_moved(value, false, &then) && day_parse(str_of(day_dashed(day_today(), text)), &now)) {
        *days = (cando_number){(uint64_t)(then - now), true};
        return true;
    }
    bool plain = value[strspn(value, "0123456789")] == '\0'; /* days */
    days->known = plain && read_number(value, &days->value) && days->value <= FOREVER;
    return days->known || option_refuse(o, value, "a number of days, or a span: 90, " WHEN_SPANS);
}

static const struct option_row options[] = {
    {TAKES("within", take_days, "DAYS",
           "what ends in so many days: 90d (the default), 12w, 6m, 1y"),
     .at = AT_(ask, q.within, cando_number)},
    {COMMAS("provider", q.providers, q.n_providers, "LIST",
            "of these providers; ids in files are taken for theirs")},
    {DAY_AHEAD("at", q.at, "DAY", "as of this day instead of today, or so far ahead: 90d")},
    {FLAG("strict", strict, "the exit code is 1 also for what ends in so many days")},
    {FLAG("all", all, "list every place, and all that the catalog has")},
    {JSON("print the reply of the operation retiring")},
    {.more = engine_options},
};

/* -- several answers as one -- */

static cando_retiring *item_of(struct pile *p, const cando_retiring *e)
{
    for (size_t i = 0; i < p->n_items; i++)
        if (strcmp(p->item[i].model, e->model) == 0 &&
            strcmp(p->item[i].provider, e->provider) == 0)
            return &p->item[i];
    return NULL;
}

static bool add_places(struct pile *p, cando_retiring *to, const cando_retiring *e)
{
    size_t n = to->n_places + e->n_places;
    cando_place *list = arena_array(&p->c->ar, n, sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < n; i++)
        list[i] = i < to->n_places ? to->places[i] : e->places[i - to->n_places];
    to->places = list;
    to->n_places = n;
    to->mentions += e->mentions;
    return true;
}

static bool add_answer(struct pile *p, const cando_retiring_answer *a)
{
    p->sum = *a;
    for (size_t i = 0; i < a->n_retiring; i++) {
        cando_retiring *have = item_of(p, &a->retiring[i]);
        if (have) {
            if (!add_places(p, have, &a->retiring[i]))
                return false;
            continue;
        }
        if (!ARENA_GROW(&p->c->ar, p->item, p->n_items, p->cap_items))
            return false;
        p->item[p->n_items++] = a->retiring[i];
    }
    return true;
}

/* Asks about all that lies in the pile. */
static bool ask(struct pile *p)
{
    struct ask *k = p->c->ask;
    cando_retiring_question q = k->q;
    q.within = (cando_number){FOREVER, true};
    q.texts = p->text;
    q.n_texts = p->n_texts;
    if (!p->n_texts)
        return true;
    const cando_retiring_answer *a = cando_ask_retiring(p->c->engine, &q, p->c->room, &p->c->err);
    p->n = p->n_texts = 0;
    if (!a)
        return false;
    if (add_answer(p, a))
        return true;
    return no_memory(&p->c->err);
}

static const char *last_day(const cando_retiring *e)
{
    return e->ending == CANDO_NOT_BEFORE ? e->retires_not_before : e->retires_on;
}

static int by_ending(const void *a, const void *b)
{
    const cando_retiring *x = a, *y = b;
    const char *one = last_day(x), *two = last_day(y);
    if (x->ending != y->ending)
        return x->ending < y->ending ? -1 : 1;
    int days = strcmp(one ? one : "", two ? two : "");
    if (days)
        return x->ending == CANDO_STOPPED ? -days : days;
    int who = strcmp(x->provider, y->provider);
    return who ? who : strcmp(x->model, y->model);
}

/* Counts, and leaves out what ends too late to be asked about. */
static const cando_retiring_answer *finish(struct pile *p)
{
    const struct ask *k = p->c->ask;
    uint64_t within = k->q.within.known ? k->q.within.value : WITHIN;
    cando_retiring_answer *a = &p->sum;
    size_t n = 0;
    a->stopped = a->stopping = a->not_before = a->deprecated = a->later = 0;
    for (size_t i = 0; i < p->n_items; i++) {
        const cando_retiring *e = &p->item[i];
        const char *day = last_day(e);
        bool ahead = e->days.known && e->ending != CANDO_STOPPED && strcmp(day, a->day) > 0;
        if (ahead && e->days.value > within) {
            a->later += e->ending == CANDO_STOPS;
            continue;
        }
        a->stopped += e->ending == CANDO_STOPPED;
        a->stopping += e->ending == CANDO_STOPS;
        a->not_before += e->ending == CANDO_NOT_BEFORE;
        a->deprecated += e->ending == CANDO_DEPRECATED;
        p->item[n++] = *e;
    }
    if (n)
        qsort(p->item, n, sizeof *p->item, by_ending);
    a->retiring = p->item;
    a->n_retiring = p->n_items = n;
    return a;
}

/* -- reading -- */

static ssize_t read_some(int fd, char *to, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t more = read(fd, to + got, n - got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        got += (size_t)more;
    }
    return (ssize_t)got;
}

static void add_text(struct pile *p, const char *name, size_t n, uint64_t line)
{
    p->text[p->n_texts++] = (cando_text){name, {p->bytes + p->n, n}, {line, true}};
    p->n += n;
}

static uint64_t count_lines(const char *at, size_t n)
{
    uint64_t lines = 0;
    for (const char *end = at + n, *nl; (nl = memchr(at, '\n', (size_t)(end - at))); at = nl + 1)
        lines++;
    return lines;
}

static bool fail_read(struct pile *p, const char *path)
{
    error_set(&p->c->err, CANDO_BAD_INPUT, CODE_io, "cannot read %.400s: %s", path,
              strerror(errno));
    return false;
}

/* A file that was named, however large: piece by piece, each up to the end of a line. */
static bool read_pieces(struct pile *p, const char *path, int fd)
{
    uint64_t line = 1;
    for (size_t kept = 0;;) {
        if (!ask(p))
            return false;
        ssize_t more = read_some(fd, p->bytes + kept, PILE_BYTES - kept);
        if (more < 0)
            return fail_read(p, path);
        size_t have = kept + (size_t)more;
        const char *nl = more ? memrchr(p->bytes, '\n', have) : NULL;
        size_t n = nl && have == PILE_BYTES ? (size_t)(nl - p->bytes) + 1 : have;
        if (n) {
            add_text(p, path, n, line);
            line += count_lines(p->bytes, n);
        }
        if (have < PILE_BYTES)
            return true;
        if (!ask(p))
            return false;
        kept = have - n;
        memmove(p->bytes, p->bytes + n, kept);
    }
}

/* A file of a tree. What is gone, or cannot be read, is no part of it. */
static bool read_whole(struct pile *p, const char *path, int fd, size_t size)
{
    if ((p->n + size > PILE_BYTES || p->n_texts == PILE_FILES) && !ask(p))
        return false;
    ssize_t n = read_some(fd, p->bytes + p->n, size);
    if (n <= 0)
        return true;
    if (memchr(p->bytes + p->n, 0, n < SNIFFED ? (size_t)n : SNIFFED)) {
        p->binary++;
        return true;
    }
    p->files++;
    add_text(p, path, (size_t)n, 1);
    return true;
}

static bool read_of_tree(struct pile *p, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = true;
    if (fd < 0)
        return true;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (st.st_size > (off_t)TREE_FILE_BYTES)
            p->large++;
        else
            ok = read_whole(p, path, fd, (size_t)st.st_size);
    }
    close(fd);
    return ok;
}

static bool read_named(struct pile *p, const char *path)
{
    bool input = strcmp(path, "-") == 0;
    int fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_read(p, path);
    p->files++;
    bool ok = read_pieces(p, input ? "(input)" : path, fd);
    if (!input)
        close(fd);
    return ok;
}

static bool read_path(struct pile *p, const char *path)
{
    struct tree t;
    if (tree_list(&t, path, &p->c->ar, &p->c->err) != CANDO_OK) {
        if (access(path, F_OK) != 0)
            error_hint(&p->c->err, "it looks through files and folders; when a model ends: cando "
                                   "show PROVIDER/MODEL");
        return false;
    }
    for (size_t i = 0; i < t.n; i++) {
        if (!(t.named ? read_named(p, t.file[i]) : read_of_tree(p, t.file[i])))
            return false;
        if (screen_progress_due())
            out_to(stderr, "%'zu of %'zu files", i + 1, t.n);
    }
    screen_progress_end();
    return true;
}

/* The answer about all the paths; NULL: c->err. */
static const cando_retiring_answer *look_through(struct call *c, struct pile *p)
{
    bool ok = true;
    p->bytes = malloc(PILE_BYTES);
    p->text = arena_array(&c->ar, PILE_FILES, sizeof *p->text);
    if (!p->bytes || !p->text) {
        error_memory(&c->err);
        ok = false;
    } else { /* an empty text, so that there is an answer where there is no file */
        add_text(p, "", 0, 1);
    }
    for (int i = 0; ok && i < c->n; i++)
        ok = read_path(p, c->operand[i]);
    ok = ok && ask(p);
    free(p->bytes);
    return ok ? finish(p) : NULL;
}

/* -- words -- */

static const struct {
    const char *word;
    enum style style;
} endings[] = {
    [CANDO_STOPPED] = {"stopped", STYLE_BAD},
    [CANDO_STOPS] = {"stops", STYLE_WARN},
    [CANDO_NOT_BEFORE] = {"not before", STYLE_NOTE},
    [CANDO_DEPRECATED] = {"deprecated", STYLE_NOTE},
};

static const char *text_of(const cando_resolve_answer *a, const char *name)
{
    const cando_value *v = value_find(a, name);
    return v ? v->text : NULL;
}

/* "gpt-audio-mini (ends on 2027-01-20, then gpt-audio-1.5)": what is to be had instead, and whether
 * that lasts; from one that ends it goes on to what replaces it. */
static const char *use_words(struct call *c, const cando_retiring *e)
{
    enum { STEPS = 8 };
    const struct ask *k = c->ask;
    struct buf b;
    const char *id = e->use;
    size_t step = 0;
    buf_init_arena(&b, &c->ar, 4096);
    buf_printf(&b, "%s", id ? id : "");
    for (; id && step < STEPS; step++) {
        cando_name name = {.model = id, .provider = e->provider};
        cando_resolve_question q = {.target = &name, .at = k->q.at};
        const cando_resolve_answer *a = cando_ask_resolve(c->engine, &q, c->room, NULL);
        const char *open = step ? ", " : " (";
        if (step)
            buf_printf(&b, ", then %s", id);
        if (!a || a->identity < CANDO_BY_ALIAS) {
            buf_printf(&b, "%s%snot in the catalog", open, step ? "which is " : "");
            id = NULL;
            step++;
            break;
        }
        const char *end = text_of(a, "retires_on"), *status = text_of(a, "status");
        bool old = status && strcmp(status, "deprecated") == 0;
        if (!end && !old)
            break;
        buf_printf(&b, end ? "%sends on %s" : "%sdeprecated", open, end);
        id = text_of(a, "replaced_by");
        if (id && (strcmp(id, e->model) == 0 || strcmp(id, e->use) == 0))
            id = NULL; /* they name each other */
    }
    if (step)
        buf_putz(&b, ")");
    return buf_cstr(&b) && b.n ? b.p : NULL;
}

/* "stopped     2026-10-23  openai/gpt-4  -> gpt-5.6-sol" */
static void put_ending(struct call *c, const cando_retiring *e, const char *provider, size_t indent)
{
    const char *use = use_words(c, e);
    const char *day = last_day(e), *slash = *provider ? "/" : "";
    out("%*s%c%-10s" END "  %-10s  " BOLD "%s%s%s" END, (int)indent, "", endings[e->ending].style,
        endings[e->ending].word, day ? day : "?", provider, slash, e->model);
    size_t column = indent + 24 + strlen(provider) + strlen(slash) + out_width(str_of(e->model));
    if (e->inferred) {
        out(DIM "  (inferred)" END);
        column += 12;
    }
    if (!use || column + 5 + out_width(str_of(use)) <= PAGE) {
        out(MAYBE("  -> %s") "\n", use);
        return;
    }
    size_t behind = indent + 24 + 3;
    out("\n%*s-> ", (int)behind - 3, "");
    out_wrapped(stdout, str_of(use), behind, behind);
}

static void put_places(const cando_retiring *e, size_t most)
{
    for (size_t i = 0; i < e->n_places && i < most; i++) {
        const cando_place *x = &e->places[i];
        bool other = !str_ends(str_of(x->as), str_of(e->model));
        out("    %s:%ju:%ju" MAYBE("  as %s") "\n", x->name, x->line, x->column,
            other ? x->as : NULL);
    }
    if (e->mentions > most || e->mentions > e->n_places) {
        size_t shown = e->n_places < most ? e->n_places : most;
        out("    " DIM "and %'ju more place" PLURAL END "\n", e->mentions - shown);
    }
}

static void put_found(struct call *c, const cando_retiring_answer *a, size_t most)
{
    for (size_t i = 0; i < a->n_retiring; i++) {
        put_ending(c, &a->retiring[i], a->retiring[i].provider, 0);
        put_places(&a->retiring[i], most);
    }
}

/* What of a provider is shown: what has a day near enough, or everything. */
static bool is_shown(const struct ask *k, const cando_retiring *e)
{
    uint64_t within = k->q.within.known ? k->q.within.value : WITHIN;
    return k->all || (e->days.known && (e->ending != CANDO_STOPPED || e->days.value <= within));
}

/* The items of one provider; they are marked as done by their model. */
static void put_provider(struct call *c, const cando_retiring_answer *a, const char *provider)
{
    const struct ask *k = c->ask;
    uint64_t old = 0, dayless = 0, shown = 0;
    for (size_t i = 0; i < a->n_retiring; i++) {
        const cando_retiring *e = &a->retiring[i];
        if (strcmp(e->provider, provider) != 0)
            continue;
        if (!is_shown(k, e)) {
            old += e->ending == CANDO_STOPPED;
            dayless += e->ending == CANDO_DEPRECATED;
            continue;
        }
        if (!shown++)
            out(BOLD "%s" END "\n", provider);
        put_ending(c, e, "", 2);
    }
    if (!shown && !k->q.n_providers)
        return;
    if (!shown)
        out(BOLD "%s" END "\n", provider);
    if (old)
        out("  " DIM "%'ju more stopped before that" END "\n", old);
    if (dayless)
        out("  " DIM "%'ju more will stop, without a day" END "\n", dayless);
}

static void put_catalog(struct call *c, const cando_retiring_answer *a)
{
    const char **names = arena_array(&c->ar, a->n_retiring, sizeof *names);
    for (size_t i = 0; names && i < a->n_retiring; i++)
        names[i] = a->retiring[i].provider;
    if (names && a->n_retiring)
        qsort(names, a->n_retiring, sizeof *names, text_order);
    for (size_t i = 0; names && i < a->n_retiring; i++)
        if (!i || strcmp(names[i], names[i - 1]) != 0)
            put_provider(c, a, names[i]);
}

static void put_counts(const struct call *c, const cando_retiring_answer *a, const struct pile *p)
{
    const struct ask *k = c->ask;
    uint64_t within = k->q.within.known ? k->q.within.value : WITHIN;
    fflush(stdout);
    out_to(stderr, "%'ju stopped, %'ju will within %ju day" PLURAL, a->stopped, a->stopping,
           within);
    if (a->later)
        out_to(stderr, ", %'ju later", a->later);
    if (a->not_before)
        out_to(stderr, ", %'ju may", a->not_before);
    if (a->deprecated)
        out_to(stderr, ", %'ju without a day", a->deprecated);
    if (!c->n) {
        if (!k->all)
            fputs(isatty(STDERR_FILENO) ? "\n--all lists all of them" : "; --all lists all of them",
                  stderr);
        fputc('\n', stderr);
        return;
    }
    out_to(stderr, "; %'ju file" PLURAL " read\n", p->files);
    if (p->large)
        out_to(stderr, "%'ju file" PLURAL " over %u MB left out; name one to have it read\n",
               p->large, TREE_FILE_BYTES >> 20);
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    struct pile p = {.c = c};
    k->q.places = (cando_number){k->all || c->json ? 100000 : SHOWN, true};
    const cando_retiring_answer *a =
        c->n ? look_through(c, &p) : cando_ask_retiring(c->engine, &k->q, c->room, &c->err);
    if (call_page(c, "retiring", a)) {
        if (c->n)
            put_found(c, a, k->all ? SIZE_MAX : SHOWN);
        else
            put_catalog(c, a);
        put_counts(c, a, &p);
    }
    return a ? call_end(c, !a->stopped && !(k->strict && a->stopping)) : c->code;
}

const struct verb verb_retiring = {
    .name = "retiring",
    .summary = "which models have stopped or will, in the catalog or in your code",
    .usage = "[OPTION]... [PATH]...",
    .text =
        "Looks through files and whole source trees, configuration and logs for ids of models, and "
        "says which of these have stopped, which will, on which day, and which model is to be had "
        "instead: what the provider names, and where that has stopped as well, what replaced it; "
        "one that ends itself, or that the catalog does not know, is told as such. "
        "Without a path it lists what the catalog knows, by provider.\n\n"
        "Of a git work tree the files count that git does not ignore; binary files, links and very "
        "large files of a tree are left out, a file that is named is read whatever its size. - is "
        "the standard input. Short ids and plain words (gpt-4, sonar) count where they are quoted, "
        "are the value of a key that says model, or stand behind their provider: openai/gpt-4. An "
        "id that several providers have is the lab's own, and that of the providers that the file "
        "names; it has stopped where all of these have.\n\n"
        "\"not before\" is a day up to which a model is promised; nobody has said that it ends "
        "then.\n\n"
        "The exit code is 1 if anything has stopped; with --strict also if anything will within "
        "the days of --within.",
    .examples = "cando retiring .\n"
                "cando retiring src config.yaml --within 180d --strict\n"
                "cando retiring --provider openai",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .opens = OPENS_CATALOG,
    .run = run,
};
