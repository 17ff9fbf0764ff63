/*
 * help.c - the papers: help texts, the manual page, the completion.
 */
#include "verb.h"

static const char *const exit_codes[] = {
    "yes",
    "no",
    "the question was bad",
    "an input file was bad",
    "internal: no memory, or an output error",
};

/* "-o, --output FILE" */
static void option_words(const struct option_row *o, char *out, size_t size)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(out, size, "%s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
}

void help_verb(const struct verb *v)
{
    enum { HELP_AT = 28 };
    const struct option_row *o;
    char words[80], help[600];
    printf("usage: cando %s %s\n\n", v->name, v->usage);
    out_wrapped(stdout, str_of(v->text), 0, 0);
    fputs("\noptions:\n", stdout);
    for (size_t i = 0; (o = verb_option(v, i)); i++) {
        option_words(o, words, sizeof words);
        out("  " BOLD "%-24s" END "  ", words);
        snprintf(help, sizeof help, "%s%s%s", o->help, o->words ? ": " : "",
                 o->words ? o->words : "");
        out_wrapped(stdout, str_of(help), HELP_AT,
                    strlen(words) > 24 ? strlen(words) + 4 : HELP_AT);
    }
}

void help_overview(FILE *f)
{
    fputs("cando: what a language model can do at a provider, and who says so\n\n"
          "usage: cando VERB [OPTION]...\n\n",
          f);
    for (size_t i = 0; verbs[i]; i++)
        out_to(f, "  " BOLD "%-10s" END "%s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\ncando help VERB tells more of a verb, cando help fields lists the vocabulary.\n"
          "exit code:",
          f);
    for (size_t i = 0; i < COUNT_OF(exit_codes); i++)
        fprintf(f, "%s %zu %.*s", i ? "," : "", i, (int)strcspn(exit_codes[i], ":"), exit_codes[i]);
    fputc('\n', f);
}

void help_fields(void)
{
    static const char *const types[] = {"support", "flag", "number", "word", "text", "list", "map"};
    size_t width = 0;
    for (unsigned f = 0; f < cando_field_count(); f++) {
        size_t n = strlen(cando_field_name((cando_field)f));
        width = n > width ? n : width;
    }
    for (unsigned i = 0; i < cando_field_count(); i++) {
        cando_field f = (cando_field)i;
        out(BOLD "%-*s" END DIM "%-9s" END, (int)width + 2, cando_field_name(f),
            types[cando_field_type(f)]);
        out_wrapped(stdout, str_of(cando_field_doc(f)), width + 11, width + 11);
    }
}

/* -- the manual -- */

/* Text with what scdoc would read as markup escaped. */
static void scd_text(const char *z)
{
    for (; *z; z++) {
        if (strchr("_*\\#[]|`<>", *z))
            putchar('\\');
        putchar(*z);
    }
}

static void scd_verb(const struct verb *v)
{
    const struct option_row *o;
    char words[80];
    printf("## cando %s %s\n\n", v->name, v->usage); /* scdoc takes headings as they are */
    scd_text(v->text);
    fputs("\n\n", stdout);
    for (size_t i = 0; (o = verb_option(v, i)); i++) {
        option_words(o, words, sizeof words);
        fputc('*', stdout);
        scd_text(words + strspn(words, " "));
        fputs("*\n\t", stdout);
        scd_text(o->help);
        scd_text(o->words ? ": " : "");
        scd_text(o->words ? o->words : "");
        fputs("\n\n", stdout);
    }
}

void help_man(void)
{
    fputs("cando(1)\n\n# NAME\n\n"
          "cando - what a language model can do at a provider, and who says so\n\n# SYNOPSIS\n\n"
          "*cando* _VERB_ \\[_OPTION_\\]...\n\n# DESCRIPTION\n\n"
          "*cando* answers what one model at one provider can do, from rules and facts that each "
          "say where they come from. Results go to the standard output, everything else to the "
          "standard error.\n\n# VERBS\n\n",
          stdout);
    for (size_t i = 0; verbs[i]; i++)
        scd_verb(verbs[i]);
    fputs("# EXIT STATUS\n\n", stdout);
    for (size_t i = 0; i < COUNT_OF(exit_codes); i++)
        printf("*%zu*\n\t%s\n\n", i, exit_codes[i]);
    fputs("# ENVIRONMENT\n\n*NO\\_COLOR*\n\tif set and not empty, the output has no colour; it "
          "never has where it goes to no terminal\n\n"
          "# EXAMPLES\n\n```\n"
          "cando show anthropic/claude-opus-4-5\n"
          "cando why anthropic/claude-opus-4-5 tool_calling\n"
          "cando lint rules.toml\n"
          "echo '{\"op\":\"resolve\",\"target\":\"openai/gpt-5\"}' | cando batch\n```\n",
          stdout);
}

/* -- the completion -- */

static void bash_verb(const struct verb *v)
{
    const struct option_row *o;
    printf("    %s)\n        case $prev in\n", v->name);
    for (size_t i = 0; (o = verb_option(v, i)); i++) {
        if (!o->arg)
            continue;
        printf("        --%s", o->name);
        if (o->letter)
            printf("|-%c", o->letter);
        if (o->words)
            printf(") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", o->words);
        else
            fputs(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", stdout);
    }
    fputs("        esac\n        options='", stdout);
    for (size_t i = 0; (o = verb_option(v, i)); i++)
        printf("%s--%s", i ? " " : "", o->name);
    fputs("' ;;\n", stdout);
}

static void bash_words(const char *name, const char *(*at)(unsigned), unsigned n)
{
    printf("    local %s='", name);
    for (unsigned i = 0; i < n; i++)
        printf("%s%s", i ? " " : "", at(i));
    fputs("'\n", stdout);
}

static const char *verb_at(unsigned i)
{
    return verbs[i]->name;
}

static const char *field_at(unsigned i)
{
    return cando_field_name((cando_field)i);
}

static const char *code_at(unsigned i)
{
    return code_name((enum code)i);
}

void help_bash(void)
{
    unsigned n = 0;
    while (verbs[n])
        n++;
    fputs("# bash completion of cando; made by `cando help --bash`\n_cando()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
          "verb=${COMP_WORDS[1]} options=''\n",
          stdout);
    bash_words("verbs", verb_at, n);
    bash_words("fields", field_at, cando_field_count());
    bash_words("codes", code_at, CODE_COUNT);
    fputs("    if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"$verbs\" -- "
          "\"$cur\")); return; fi\n"
          "    case $verb in\n",
          stdout);
    for (size_t i = 0; verbs[i]; i++)
        bash_verb(verbs[i]);
    fputs("    esac\n    if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- "
          "\"$cur\")); return; fi\n"
          "    case $verb in\n"
          "    why) [ \"$COMP_CWORD\" -gt 2 ] && COMPREPLY=($(compgen -W \"$fields\" -- \"$cur\")) "
          ";;\n"
          "    explain) COMPREPLY=($(compgen -W \"$codes\" -- \"$cur\")) ;;\n"
          "    help) COMPREPLY=($(compgen -W \"$verbs fields\" -- \"$cur\")) ;;\n"
          "    lint|build) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
          "    esac\n}\ncomplete -o filenames -F _cando cando\n",
          stdout);
}
