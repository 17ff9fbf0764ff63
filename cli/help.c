/*
 * help.c - the papers: help texts and the manual page.
 */
#include "engine.h"

static const char *const exit_codes[] = {
    "yes",
    "no",
    "the question was bad",
    "an input file was bad",
    "internal: no memory, or an output error",
};

static const char *const exit_words[] = {"yes", "no", "bad question", "bad input file", "internal"};

/* "-o, --output FILE" */
static void option_words(const struct option_row *o, char *out, size_t size)
{
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(out, size, "%s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
}

static void put_indented(const char *lines, const char *indent)
{
    for (struct str rest = str_of(lines), line; rest.n;) {
        line = str_head(rest, str_find_char(rest, '\n'));
        printf("%s%.*s\n", indent, STR_ARG(line));
        rest = str_from(rest, line.n < rest.n ? line.n + 1 : line.n);
    }
}

void help_verb(const struct verb *v)
{
    enum { HELP_AT = 28 };
    const struct option_row *o;
    char words[80], help[600];
    snprintf(help, sizeof help, "cando %s %s", v->name, v->usage);
    out("usage: ");
    out_wrapped(stdout, str_of(help), 7, 7);
    fputc('\n', stdout);
    out_wrapped(stdout, str_of(v->text), 0, 0);
    bool shared = false;
    for (size_t i = 0; (o = verb_option(v, i)); i++) {
        bool now = shared || o == engine_options || o == common_options;
        if (!i || now != shared)
            fputs(now ? "\noptions that other verbs have, too:\n" : "\noptions:\n", stdout);
        shared = now;
        option_words(o, words, sizeof words);
        out("  " BOLD "%-24s" END "  ", words);
        snprintf(help, sizeof help, "%s%s%s", o->help, o->words ? ": " : "",
                 o->words ? o->words : "");
        out_wrapped(stdout, str_of(help), HELP_AT,
                    strlen(words) > 24 ? strlen(words) + 4 : HELP_AT);
    }
    if (v->files)
        fputs("\nfiles, by an example:\n", stdout);
    for (const struct file_form *f = v->files; f && f->option; f++) {
        out("  " BOLD "--%s" END "\n", f->option);
        put_indented(f->example, "      ");
    }
    if (v->examples) {
        fputs("\nfor example:\n", stdout);
        put_indented(v->examples, "  ");
    }
}

/* The verbs, and what groups of them are for. */
static const struct {
    const char *title;
    const struct verb *verb;
} overview[] = {
#define GROUP(title) {title, NULL},
#define VERB(name) {NULL, &verb_##name},
#include "verbs.def"
#undef VERB
};

void help_overview(FILE *f)
{
    out_to(f, "cando: will this request run, on which model, and what does it cost?\n"
              "usage: cando VERB [OPTION]...; cando help VERB, or help fields, tells more\n");
    for (size_t i = 0; i < COUNT_OF(overview); i++)
        if (overview[i].title)
            out_to(f, "\n" BOLD "%s" END "\n", overview[i].title);
        else
            out_to(f, "  %-12s%s\n", overview[i].verb->name, overview[i].verb->summary);
    out_to(f, "\n" BOLD "for example" END "\n"
              "  cando check request.json\n"
              "  cando cost --provider openai log.jsonl --by month,model\n"
              "  cando pick tool_calling input_image --min-context 200k\n"
              "\n"
              "exit code:");
    for (size_t i = 0; i < COUNT_OF(exit_codes); i++)
        fprintf(f, "%s %zu %s", i ? "," : "", i, exit_words[i]);
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
    out("\ncando fields --help tells of the verb fields\n");
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
    for (const struct file_form *f = v->files; f && f->option; f++) {
        printf("A file for --%s:\n\n```\n", f->option);
        put_indented(f->example, "");
        fputs("```\n\n", stdout);
    }
    if (v->examples) {
        fputs("For example:\n\n```\n", stdout);
        put_indented(v->examples, "");
        fputs("```\n\n", stdout);
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
          "has none, either, where it goes to no terminal; --color says otherwise\n\n"
          "*PAGER*\n\tshows what is longer than a screen, on a terminal; less if it is not set, "
          "and none if it is empty or cat\n\n"
          "# EXAMPLES\n\n```\n"
          "cando show anthropic/claude-opus-4-5\n"
          "cando why anthropic/claude-opus-4-5 tool_calling\n"
          "cando lint rules.toml\n"
          "echo '{\"op\":\"resolve\",\"target\":\"openai/gpt-5\"}' | cando batch\n```\n",
          stdout);
}
