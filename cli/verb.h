/*
 * verb.h - what a verb of the command line is, and one call of it.
 *
 * Each verb is one file, cmd_<name>.c, that holds its summary, its options and
 * its code, and exports one `const struct verb verb_<name>`. verbs.def lists
 * them. The reading of the options with all its errors, the help texts, the
 * man page and the completion are made from these tables, so they cannot
 * disagree with each other.
 *
 *     struct ask {
 *         bool all;
 *         cando_resolve_question q;
 *     };
 *     static const struct option_row options[] = {
 *         {FLAG("all", all, "a line for every field")},
 *         {WORD("view", q.view, "NAME", "cando nika harn", "in whose words")},
 *         {.more = engine_options},
 *     };
 *
 * A row names the member of `struct ask`, the verb's own, that the option sets; a row that
 * does not fit its member does not compile. Before `run` is called the options have been
 * read, the operands counted, and the catalog opened that they ask for (engine.h).
 *
 * Exit codes: 0 yes, 1 no, 2 bad question, 3 bad input file, 4 internal.
 */
#ifndef CANDO_CLI_VERB_H
#define CANDO_CLI_VERB_H

#include "out.h"
#include "stores/fleet.h"

enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_QUESTION = 2, EXIT_INPUT = 3, EXIT_INTERNAL = 4 };

struct call;
struct option_row;
/* Takes the value of an option; a mistake has been reported if false. */
typedef bool take_fn(struct call *c, const struct option_row *o, const char *value);

struct option_row {
    const char *name;  /* "json"; a row without a name ends the table */
    const char *also;  /* a second name, or NULL */
    const char *arg;   /* "FILE"; NULL: a switch */
    const char *words; /* the legal values, separated by spaces, or NULL */
    const char *help;
    const char *field; /* for a taker of its own: what the value is of */
    take_fn *take;
    uint16_t at, n_at;             /* of the member, and of the length of a list */
    unsigned value;                /* of a switch; of the first of the words */
    bool of_call;                  /* a member of struct call, not of struct ask */
    char letter;                   /* 'q', or 0 */
    const struct option_row *more; /* instead of all that: the rest is this table */
};

enum opens { OPENS_NOTHING, OPENS_CATALOG, OPENS_PLAIN };

/* What a file looks like that an option names: lines of an example, as they are printed. */
struct file_form {
    const char *option, *example;
};

struct verb {
    const char *name, *summary;
    const char *usage;                /* what follows the name: "[OPTION]... FILE..." */
    const char *text;                 /* paragraphs, separated by empty lines */
    const char *examples;             /* commands, a line each; may be NULL */
    const struct option_row *options; /* may be NULL */
    const struct file_form *files;    /* may be NULL; ends with one that has no option */
    size_t ask;                       /* the size of struct ask, which begins as zeroes */
    int least, most;                  /* operands; most is 0 where there are none, or MANY */
    const char *too_few, *too_many;   /* what to say then */
    enum opens opens;                 /* PLAIN: files that no option names are left out */
    bool paged;                       /* its answer may be longer than a screen */
    bool requests; /* what is known of requests is, also where rules stand instead of the catalog */
    int (*check)(struct call *c); /* or NULL: what is to be known before the catalog is opened */
    int (*run)(struct call *c);   /* both give the exit code */
};
#define MANY 1000000
#define OPERANDS(least_, most_, few, many)                                                         \
    .least = least_, .most = most_, .too_few = few, .too_many = many

/* One call of a verb. */
struct call {
    const struct verb *verb;
    void *ask;      /* the verb's own struct ask */
    char **argv;    /* as it was called, from the verb's name on */
    char **operand; /* n of them */
    int n;
    struct arena ar;    /* what lives as long as the call */
    const char **rules; /* what shared options said */
    size_t n_rules;
    const char **overlay;
    size_t n_overlay;
    const char *observed, *store;
    struct fleet_options nats;
    bool no_builtin, json, no_pager;
    unsigned plain;
    cando *engine;
    cando_room *room; /* what is asked of it is answered here */
    cando_error err;
    int code;
};

#define VERB(name) extern const struct verb verb_##name;
#include "verbs.def"
#undef VERB

/* All verbs in the order of verbs.def; NULL ends the list. */
extern const struct verb *const verbs[];
const struct verb *verb_find(const char *name);
struct nearest verb_nearest(const char *name);
/* The i-th option of a verb, with those of all verbs at the end; NULL after that. */
const struct option_row *verb_option(const struct verb *v, size_t i);
extern const struct option_row common_options[];

/* -- rows -- */

#define AT_(s, m, type)                                                                            \
    (uint16_t)(offsetof(struct s, m) + 0 * sizeof(char[_Generic(((struct s *)0)->m, type : 1)]))
#define WORD_AT_(s, m)                                                                             \
    (uint16_t)(offsetof(struct s, m) +                                                             \
               0 * sizeof(char[sizeof(((struct s *)0)->m) == sizeof(unsigned) ? 1 : -1]))
#define ROW_(name_, arg_, help_, take_) .name = name_, .arg = arg_, .help = help_, .take = take_

/* A switch: a bool becomes true, */
#define FLAG(name, m, help) ROW_(name, NULL, help, take_flag), .at = AT_(ask, m, bool)
/* or an enum this value. */
#define SETS(name, m, v, help)                                                                     \
    ROW_(name, NULL, help, take_value), .at = WORD_AT_(ask, m), .value = v
#define TEXT(name, m, arg, help) ROW_(name, arg, help, take_text), .at = AT_(ask, m, const char *)
/* One of some words, as a text, */
#define ONE_OF(name, m, arg, words_, help) TEXT(name, m, arg, help), .words = words_
/* or as an enum that counts them; it counts from .value on. */
#define WORD(name, m, arg, words_, help)                                                           \
    ROW_(name, arg, help, take_word), .at = WORD_AT_(ask, m), .words = words_
/* A whole number, also as 200k or 1m. */
#define NUMBER(name, m, arg, help)                                                                 \
    ROW_(name, arg, help, take_number), .at = AT_(ask, m, cando_number)
/* A list, a pointer and its n_: of all that were given, */
#define LIST_(m, n, type) .at = AT_(ask, m, type), .n_at = AT_(ask, n, size_t)
#define TEXTS(name, m, n, arg, help)                                                               \
    ROW_(name, arg, help, take_texts), LIST_(m, n, const char *const *)
/* also of several with commas between them, */
#define COMMAS(name, m, n, arg, help)                                                              \
    ROW_(name, arg, help, take_commas), LIST_(m, n, const char *const *)
/* or of capabilities: with commas between them, and levels. */
#define WANTED(name, m, n, arg, help)                                                              \
    ROW_(name, arg, help, take_wanted), LIST_(m, n, const cando_wanted *)
/* Anything else. */
#define TAKES(name, take, arg, help) ROW_(name, arg, help, take)

#define JSON(help) ROW_("json", NULL, help, take_flag), .at = AT_(call, json, bool), .of_call = true
#define STORE                                                                                      \
    ROW_("store", "FILE", "the audit trail (else $CANDO_STORE)", take_text),                       \
        .at = AT_(call, store, const char *), .of_call = true

#define NATS_(name, m, arg, help)                                                                  \
    {ROW_(name, arg, help, take_text), .at = AT_(call, nats.m, const char *), .of_call = true}
/* The fleet that a verb takes part in: rows of its table. */
#define NATS_ROWS                                                                                  \
    NATS_("nats", url, "URL", "the fleet's servers, nats://HOST:PORT,..."),                        \
        NATS_("nats-creds", creds, "FILE", "who we are there: a user's credentials"),              \
        NATS_("nats-ca", ca, "FILE", "who may vouch for the servers, by TLS"),                     \
        NATS_("nats-cert", cert, "FILE", "our own certificate, for TLS"),                          \
        NATS_("nats-key", key, "FILE", "and its key")

take_fn take_flag, take_value, take_text, take_word, take_number, take_texts, take_commas,
    take_wanted;

/* For takers of one's own: where the member is, */
void *option_member(const struct call *c, const struct option_row *o);
/* how long a list of such is, */
size_t option_length(const struct call *c, const struct option_row *o);
/* one more item of it, zeroed; NULL: no memory, which has been reported, */
void *option_item(struct call *c, const struct option_row *o, size_t size);
/* and `--name does not take 'value'`; false. */
bool option_refuse(const struct option_row *o, const char *value, const char *hint);
/* A text that lives as long as the call; NULL: no memory, which has been reported. */
const char *call_text(struct call *c, struct str text);
/* 200000, 200k, 1m */
#define WHOLE_NUMBER "a whole number: 200000, 200k or 1m"
bool read_number(const char *text, uint64_t *out);

/* -- in a call -- */

/* Reads the options and operands. False: that was all, with c->code. */
bool call_read(struct call *c, int argc, char **argv);
/* Something is missing, or too much: shows the usage. Gives the exit code. */
int call_usage(const struct call *c, const char *message);
/* An answer of cando_ask_<op>, or NULL with c->err. True: it is to be laid out for people;
 * else it has been printed as JSON, or the failure reported. c->code is the exit code. */
bool call_page(struct call *c, const char *op, const void *answer);
/* The exit code after that; `yes` is what the answer said. */
int call_end(const struct call *c, bool yes);
/* The answer as a line of JSON; gives the exit code. */
int call_json(struct call *c, const char *op, const void *answer);

/* -- the papers (help.c) --
 *
 * All are made from the tables of the verbs, the vocabulary and the codes, so none of them
 * is written twice. The manual is scdoc source. */
void help_verb(const struct verb *v);
void help_overview(FILE *f);
void help_fields(void);
void help_man(void);

/* -- completion (complete.c) -- */
enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };
/* The script of a shell, which asks for */
void complete_script(enum shell shell);
/* what may stand where the last of these words is: a candidate a line. */
void complete_words(char *const *word, int n);

#endif
