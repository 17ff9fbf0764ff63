/*
 * args.c - reads a verb's options with getopt_long and suggests what was meant.
 *
 * getopt keeps its place in globals, so one verb is read at a time, which is
 * all that a command line needs. Its own messages are switched off: ours name
 * the verb and the nearest option.
 */
#include "verb.h"

#include "base/limits.h"
#include "screen.h"

#include <getopt.h>

enum {
    MAX_OPTIONS = 40,
    LONG = 256
}; /* to getopt an option is LONG and its place, or its letter */

const struct verb *const verbs[] = {
#define VERB(name) &verb_##name,
#include "verbs.def"
#undef VERB
    NULL,
};

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

struct nearest verb_nearest(const char *name)
{
    struct nearest near = nearest_to(str_of(name));
    for (size_t i = 0; verbs[i]; i++)
        nearest_try(&near, str_of(verbs[i]->name));
    return near;
}

static take_fn take_colour;

const struct option_row common_options[] = {
    {.name = "help", .letter = 'h', .help = "print this"},
    {ROW_("color", "WHEN", "colour, also where stdout is no terminal", take_colour),
     .words = COLOUR_WORDS},
    {ROW_("no-pager", NULL, "all of it at once, also on a terminal", take_flag),
     .at = AT_(call, no_pager, bool), .of_call = true},
    {0},
};

const struct option_row *verb_option(const struct verb *v, size_t i)
{
    const struct option_row *o = v->options;
    for (; o && (o->name || o->more); o = o->more ? o->more : o + 1)
        if (!o->more && i-- == 0)
            return o;
    return i + 1 < COUNT_OF(common_options) ? &common_options[i] : NULL;
}

/* -- values -- */

void *option_member(const struct call *c, const struct option_row *o)
{
    return (o->of_call ? (char *)c : (char *)c->ask) + o->at;
}

bool option_refuse(const struct option_row *o, const char *value, const char *hint)
{
    fail_with(CANDO_BAD_QUESTION, CODE_bad_option, hint, "--%s does not take '%s'", o->name, value);
    return false;
}

const char *call_text(struct call *c, struct str text)
{
    const char *own = str_dup(&c->ar, text).p;
    if (!own)
        fail_memory();
    return own;
}

static size_t *length(const struct call *c, const struct option_row *o)
{
    return (size_t *)(void *)((char *)option_member(c, o) - o->at + o->n_at);
}

size_t option_length(const struct call *c, const struct option_row *o)
{
    return *length(c, o);
}

void *option_item(struct call *c, const struct option_row *o, size_t size)
{
    void *member = option_member(c, o);
    size_t *n = length(c, o);
    char *list;
    memcpy(&list, member, sizeof list);
    if ((*n & (*n - 1)) == 0) { /* it is full whenever its length is a power of two */
        char *larger = arena_array(&c->ar, *n ? 2 * *n : 1, size);
        if (!larger) {
            fail_memory();
            return NULL;
        }
        if (*n)
            memcpy(larger, list, *n * size);
        memcpy(member, &larger, sizeof larger);
        list = larger;
    }
    return list + (*n)++ * size;
}

bool take_flag(struct call *c, const struct option_row *o, const char *value)
{
    (void)value;
    *(bool *)option_member(c, o) = true;
    return true;
}

bool take_value(struct call *c, const struct option_row *o, const char *value)
{
    (void)value;
    memcpy(option_member(c, o), &o->value, sizeof o->value);
    return true;
}

/* Which of its words it is; false: none of them, which has been reported. */
static bool find_word(const struct option_row *o, const char *value, unsigned *out)
{
    size_t i = words_find(o->words, str_of(value));
    char hint[400];
    if (i != SIZE_MAX) {
        *out = o->value + (unsigned)i;
        return true;
    }
    snprintf(hint, sizeof hint, "one of: %s", o->words);
    return option_refuse(o, value, hint);
}

bool take_word(struct call *c, const struct option_row *o, const char *value)
{
    unsigned n;
    if (!find_word(o, value, &n))
        return false;
    memcpy(option_member(c, o), &n, sizeof n);
    return true;
}

static bool take_colour(struct call *c, const struct option_row *o, const char *value)
{
    unsigned n;
    (void)c;
    if (!find_word(o, value, &n))
        return false;
    screen_colour((enum colour)n);
    return true;
}

bool take_text(struct call *c, const struct option_row *o, const char *value)
{
    unsigned n;
    if (o->words && !find_word(o, value, &n))
        return false;
    *(const char **)option_member(c, o) = value;
    return true;
}

bool read_number(const char *text, uint64_t *out)
{
    uint64_t n;
    const char *p = text + str_number(str_of(text), 18, &n);
    char unit = char_fold(*p);
    uint64_t times = unit == 'k' ? 1000 : unit == 'm' ? 1000000 : 1;
    if (p == text || (*p && times == 1) || (*p && p[1]) || n > LIMIT_NUMBER / times)
        return false;
    *out = n * times;
    return true;
}

bool take_number(struct call *c, const struct option_row *o, const char *value)
{
    cando_number *n = option_member(c, o);
    n->known = read_number(value, &n->value);
    return n->known || option_refuse(o, value, WHOLE_NUMBER);
}

bool take_texts(struct call *c, const struct option_row *o, const char *value)
{
    const char **item = option_item(c, o, sizeof *item);
    if (item)
        *item = value;
    return item != NULL;
}

/* The next part of "a,b" that is not empty. */
static bool next_part(struct str *s, struct str *part)
{
    do {
        *part = str_head(*s, str_find_char(*s, ','));
        *s = str_from(*s, part->n + 1);
    } while (!part->n && s->n);
    return part->n != 0;
}

bool take_commas(struct call *c, const struct option_row *o, const char *value)
{
    struct str part;
    for (struct str s = str_of(value); next_part(&s, &part);) {
        const char *own = call_text(c, part);
        if (!own || !take_texts(c, o, own))
            return false;
    }
    return true;
}

/* "tool_calling,reasoning=native" */
bool take_wanted(struct call *c, const struct option_row *o, const char *value)
{
    struct str part;
    for (struct str s = str_of(value); next_part(&s, &part);) {
        size_t eq = str_find_char(part, '=');
        bool native = str_is(str_from(part, eq + 1), "native");
        if (eq < part.n && !native && !str_is(str_from(part, eq + 1), "emulated"))
            return option_refuse(o, value, "a level is native or emulated");
        const char *own = call_text(c, str_head(part, eq));
        cando_wanted *item = own ? option_item(c, o, sizeof *item) : NULL;
        if (!item)
            return false;
        item->capability = own;
        item->min_support = native ? CANDO_MIN_NATIVE : CANDO_MIN_EMULATED;
    }
    return true;
}

/* -- options -- */

/* An option that says more between the same first and last word: max-input-price for max-price. */
static const char *longer_option(const struct verb *v, struct str name)
{
    const struct option_row *o;
    size_t cut = str_find_char(name, '-');
    if (cut + 1 >= name.n)
        return NULL;
    for (size_t i = 0; (o = verb_option(v, i)); i++)
        if (str_starts(str_of(o->name), str_head(name, cut + 1)) &&
            str_ends(str_of(o->name), str_from(name, cut)))
            return o->name;
    return NULL;
}

static bool has_option(const struct verb *v, const char *name)
{
    const struct option_row *o;
    for (size_t i = 0; (o = verb_option(v, i)); i++)
        if (strcmp(o->name, name) == 0)
            return true;
    return false;
}

/* What other programs have as an option, and how it is asked for here; NULL: nobody knows. */
static const char *other_way(const struct verb *v, struct str name)
{
    static const struct {
        const char *name, *instead; /* for verbs that have this option or are called so */
        const char *hint;
    } ways[] = {
        {"fix", "check", "cando fix repairs what can be repaired"},
        {"batch", "tier", "--tier batch prices it as part of a batch"},
        {"cheapest", "sort", "--sort price has the cheapest first, as cando pick has"},
        {"free", "max-input-price", "--max-input-price 0 lists what costs nothing"},
        {"format", "json", "--json prints it for programs"},
        {"verbose", "all", "--all tells more"},
        {"verbose", "why", "--why tells more"},
    };
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        if (str_is(name, ways[i].name) &&
            (has_option(v, ways[i].instead) || strcmp(v->name, ways[i].instead) == 0))
            return ways[i].hint;
    return NULL;
}

/* Is it a capability, which such a verb has another word for? */
static bool is_capability(const struct verb *v, struct str name)
{
    char own[64];
    snprintf(own, sizeof own, "%.*s", STR_ARG(str_head(name, sizeof own - 1)));
    cando_field f = cando_field_find(own);
    return has_option(v, "can") && f != CANDO_NO_FIELD && cando_field_type(f) == CANDO_SUPPORT;
}

/* The option as it was typed, "--jsno" or "-x", for messages. */
static void report_unknown(const struct verb *v, char **argv)
{
    const struct option_row *o;
    char hint[80];
    snprintf(hint, sizeof hint, "cando %s --help lists its options", v->name);
    if (optopt && optopt < LONG) {
        fail_with(CANDO_BAD_QUESTION, CODE_bad_option, hint, "%s has no option -%c", v->name,
                  optopt);
        return;
    }
    struct str typed = str_of(argv[optind - 1]);
    struct str name = str_head(typed, str_find_char(typed, '='));
    if (optopt) { /* a switch was given a value */
        fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "%.*s takes no value", STR_ARG(name));
        return;
    }
    struct nearest near = nearest_to(str_from(name, 2));
    for (size_t i = 0; (o = verb_option(v, i)); i++)
        nearest_try(&near, str_of(o->name));
    const char *meant = near.name.n ? near.name.p : longer_option(v, near.wanted);
    const char *other = other_way(v, near.wanted);
    if (other)
        snprintf(hint, sizeof hint, "%s", other);
    else if (is_capability(v, near.wanted))
        snprintf(hint, sizeof hint, "it is a capability: --can %.*s",
                 STR_ARG(str_head(near.wanted, 40)));
    else if (meant)
        snprintf(hint, sizeof hint, "did you mean --%s?", meant);
    else if (str_is(near.wanted, "model") && strstr(v->usage, "PROVIDER/MODEL"))
        snprintf(hint, sizeof hint, "the model is no option: cando %s PROVIDER/MODEL", v->name);
    fail_with(CANDO_BAD_QUESTION, CODE_bad_option, hint, "%s has no option %.*s", v->name,
              STR_ARG(name));
}

/* What getopt is to know of the verb's options; `row` is what it gives for each. */
static size_t list_options(const struct verb *v, struct option *longs, char *shorts,
                           const struct option_row **row)
{
    size_t n = 0;
    *shorts++ = ':';
    for (; n < MAX_OPTIONS && (row[n] = verb_option(v, n)); n++) {
        bool arg = row[n]->arg != NULL;
        *longs++ = (struct option){row[n]->name, arg, NULL, LONG + (int)n};
        if (row[n]->also)
            *longs++ = (struct option){row[n]->also, arg, NULL, LONG + (int)n};
        if (!row[n]->letter)
            continue;
        *shorts++ = row[n]->letter;
        if (arg)
            *shorts++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
    return n;
}

/* Which row it is; n: none. */
static size_t row_of(const struct option_row **row, size_t n, int id)
{
    size_t i = 0;
    while (i < n && id != LONG + (int)i && id != row[i]->letter)
        i++;
    return i;
}

/* An option with one value that was given before: which of them is meant? Lists may be repeated. */
static bool is_repeated(const struct option_row *o, bool *seen)
{
    bool again = *seen && o->arg && (!o->n_at || o->field);
    *seen = true;
    if (again)
        fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "--%s was given twice", o->name);
    return again;
}

/* One option. False: that was all, with c->code. */
static bool take(struct call *c, const struct option_row *o)
{
    c->code = EXIT_QUESTION;
    if (o->take)
        return o->take(c, o, optarg);
    help_verb(c->verb);
    c->code = EXIT_YES;
    return false;
}

bool call_read(struct call *c, int argc, char **argv)
{
    struct option longs[2 * MAX_OPTIONS + 1];
    char shorts[2 * MAX_OPTIONS + 2];
    const struct option_row *row[MAX_OPTIONS + 1], *o;
    bool seen[MAX_OPTIONS + 1] = {false};
    const struct verb *v = c->verb;
    size_t n = list_options(v, longs, shorts, row);
    optind = 0; /* glibc: start over, and forget a half-read group of letters */
    opterr = 0;
    for (int id; (id = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        size_t i = row_of(row, n, id == ':' ? optopt : id);
        o = i < n ? row[i] : NULL;
        c->code = EXIT_QUESTION;
        if (!o)
            report_unknown(v, argv);
        else if (id == ':')
            fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "--%s wants a value: --%s %s",
                      o->name, o->name, o->arg);
        if (!o || id == ':' || is_repeated(o, &seen[i]) || !take(c, o))
            return false;
    }
    c->operand = argv + optind;
    c->n = argc - optind;
    c->code = EXIT_YES;
    if (c->n < v->least || c->n > v->most)
        c->code = call_usage(c, c->n < v->least ? v->too_few : v->too_many);
    return c->code == EXIT_YES;
}

int call_usage(const struct call *c, const char *message)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_missing_argument, "%s: %s", c->verb->name, message);
    error_hint(&err, "usage: cando %s %s", c->verb->name, c->verb->usage);
    return fail(&err);
}
