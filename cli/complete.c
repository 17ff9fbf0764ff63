/*
 * complete.c - completion: what may stand where the cursor is.
 *
 * The scripts of the shells are a few lines each: they hand over the words that have been typed,
 * and print back what this file finds. So every shell knows the same: verbs, options, the words
 * of an option, and the names of the built-in catalog, models and providers and capabilities.
 */
#include "verb.h"

/* What an option or an operand takes. */
enum takes { TAKES_FILES, TAKES_MODELS, TAKES_PROVIDERS, TAKES_CAPABILITIES, TAKES_FIELDS };

struct typed {
    const char *word; /* the word at the cursor, */
    size_t head;      /* and what of it stands before the part that is completed */
};

/* A candidate, if it begins as the word does. */
static void offer(const struct typed *t, const char *name, const char *end)
{
    const char *part = t->word + t->head;
    if (strncmp(name, part, strlen(part)) == 0)
        printf("%.*s%s%s\n", (int)t->head, t->word, name, end);
}

static void offer_words(const struct typed *t, const char *words)
{
    struct str word;
    char name[64];
    while (words_next(&words, &word)) {
        snprintf(name, sizeof name, "%.*s", STR_ARG(word));
        offer(t, name, "");
    }
}

static void offer_fields(const struct typed *t, bool capabilities)
{
    for (unsigned f = 0; f < cando_field_count(); f++)
        if (!capabilities || cando_field_type((cando_field)f) == CANDO_SUPPORT)
            offer(t, cando_field_name((cando_field)f), "");
}

/* Providers, each once; `end` is put behind them. */
static void offer_providers(const struct typed *t, const char *end)
{
    const cando_catalog *c = cando_catalog_builtin();
    const char *last = "";
    for (size_t i = 0; i < cando_catalog_models(c); i++) {
        const char *name = cando_catalog_model(c, i).provider;
        if (strcmp(name, last) != 0)
            offer(t, name, end);
        last = name;
    }
}

/* There are thousands of models: first the provider, then its own. */
static void offer_models(const struct typed *t)
{
    const cando_catalog *c = cando_catalog_builtin();
    struct typed id = {.word = t->word, .head = t->head + strcspn(t->word + t->head, "/") + 1};
    if (!strchr(t->word + t->head, '/')) {
        offer_providers(t, "/");
        return;
    }
    size_t n = id.head - t->head - 1;
    for (size_t i = 0; i < cando_catalog_models(c); i++) {
        cando_model m = cando_catalog_model(c, i);
        if (strlen(m.provider) == n && strncmp(m.provider, t->word + t->head, n) == 0)
            offer(&id, m.id, "");
    }
}

static void offer_all(const struct typed *t, enum takes what)
{
    if (what == TAKES_MODELS)
        offer_models(t);
    else if (what == TAKES_PROVIDERS)
        offer_providers(t, "");
    else if (what != TAKES_FILES)
        offer_fields(t, what == TAKES_CAPABILITIES);
}

/* -- options -- */

static enum takes option_takes(const struct option_row *o)
{
    struct str name = str_of(o->name);
    if (words_have("PROVIDER/MODEL TARGET", str_of(o->arg)))
        return TAKES_MODELS;
    if (words_have("provider keys allow deny", name))
        return TAKES_PROVIDERS;
    if (words_have("can cannot without prefer need want", name))
        return TAKES_CAPABILITIES;
    return words_have("columns probe min max", name) ? TAKES_FIELDS : TAKES_FILES;
}

/* The option that the word before the cursor names, if it wants a value. */
static const struct option_row *waiting(const struct verb *v, const char *word)
{
    const struct option_row *o;
    if (word[0] != '-')
        return NULL;
    for (size_t i = 0; (o = verb_option(v, i)); i++) {
        bool named = word[1] == '-' ? strcmp(word + 2, o->name) == 0
                                    : word[1] && word[1] == o->letter && !word[2];
        if (named)
            return o->arg ? o : NULL;
    }
    return NULL;
}

static void offer_value(struct typed *t, const struct option_row *o)
{
    const char *comma = strrchr(t->word, ',');
    t->head = comma ? (size_t)(comma - t->word) + 1 : 0;
    if (o->words)
        offer_words(t, o->words);
    else
        offer_all(t, option_takes(o));
}

static void offer_options(struct typed *t, const struct verb *v)
{
    const struct option_row *o;
    t->head = strspn(t->word, "-") > 1 ? 2 : 0;
    for (size_t i = 0; (o = verb_option(v, i)); i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", t->head ? "" : "--", o->name);
        offer(t, name, "");
    }
}

/* -- operands, as the usage of the verb has them -- */

static void offer_verbs(const struct typed *t)
{
    for (size_t i = 0; verbs[i]; i++)
        offer(t, verbs[i]->name, "");
}

static void offer_operand(const struct typed *t, const struct verb *v, int before)
{
    bool first = before == 0;
    if (strstr(v->usage, "[VERB"))
        offer_verbs(t);
    else if (strstr(v->usage, "CODE"))
        for (unsigned i = 0; i < CODE_COUNT; i++)
            offer(t, code_name((enum code)i), "");
    else if (strstr(v->usage, "CAPABILITY"))
        offer_all(t, TAKES_CAPABILITIES);
    else if (strstr(v->usage, "[FIELD]") && !first)
        offer_all(t, TAKES_FIELDS);
    else if (strstr(v->usage, "PROVIDER/MODEL") && (first || !strstr(v->usage, "FILE")))
        offer_all(t, TAKES_MODELS);
}

void complete_words(char *const *word, int n)
{
    struct typed t = {.word = n ? word[n - 1] : ""};
    const struct verb *v = n > 1 ? verb_find(word[0]) : NULL;
    if (n <= 1)
        offer_verbs(&t);
    if (!v)
        return;
    const struct option_row *o = n > 2 ? waiting(v, word[n - 2]) : NULL;
    int operands = 0;
    for (int i = 1; i + 1 < n; i++)
        operands += word[i][0] != '-' && !waiting(v, word[i - 1]);
    if (o)
        offer_value(&t, o);
    else if (t.word[0] == '-')
        offer_options(&t, v);
    else
        offer_operand(&t, v, operands);
}

/* -- the scripts -- */

static const char bash[] =
    "# bash completion of cando; made by `cando help --bash`\n"
    "_cando()\n{\n"
    "    local IFS=$'\\n'\n"
    "    COMPREPLY=($(cando help --complete -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null))\n"
    "    [[ ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -o default -F _cando cando\n";

static const char zsh[] =
    "#compdef cando\n"
    "# zsh completion of cando; made by `cando help --zsh`\n"
    "_cando() {\n"
    "    local -a found open\n"
    "    found=(${(f)\"$(cando help --complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
    "    open=(${(M)found:#*/})\n"
    "    (( ${#found} )) || { _files; return }\n"
    "    (( ${#open} )) && { compadd -S '' -- $open; return }\n"
    "    compadd -- $found\n"
    "}\n"
    "if [[ $funcstack[1] == _cando ]]; then _cando \"$@\"; else compdef _cando cando; fi\n";

static const char fish[] = "# fish completion of cando; made by `cando help --fish`\n"
                           "function __cando_complete\n"
                           "    set -l words (commandline -opc)\n"
                           "    set -e words[1]\n"
                           "    set -l last (commandline -ct)\n"
                           "    cando help --complete -- $words \"$last\" 2>/dev/null\n"
                           "end\n"
                           "complete -c cando -a '(__cando_complete)'\n";

void complete_script(enum shell shell)
{
    static const char *const scripts[] = {
        [SHELL_BASH] = bash, [SHELL_ZSH] = zsh, [SHELL_FISH] = fish};
    fputs(scripts[shell], stdout);
}
