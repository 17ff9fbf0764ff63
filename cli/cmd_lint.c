/*
 * cmd_lint.c - cando lint: judges rule files, alone and together.
 *
 * All files of one call are one set: a rule in one file can shadow a rule in
 * another. Findings are the result, so they go to stdout, each with its line
 * and a caret; the summary goes to stderr.
 */
#include "base/limits.h"
#include "request.h"

struct ask {
    cando_syntax syntax;
    bool strict;
    cando_severity least;
};

static const struct option_row options[] = {
    {WORD("dialect", syntax, "NAME", "auto cando nika harn",
          "what kind of file it is, where it does not say so itself"),
     .letter = 'd'},
    {WORD("syntax", syntax, "NAME", "auto cando nika harn", "the same as --dialect")},
    {FLAG("strict", strict, "warnings count as errors")},
    {SETS("quiet", least, CANDO_WARNING, "leave notes out"), .letter = 'q'},
    {JSON("print the findings as one JSON object")},
    {0},
};

static void put_json(const cando_sources *s, cando_severity least)
{
    bool any = false;
    json("{'findings':[");
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding x = cando_sources_finding(s, i);
        if (x.severity < least)
            continue;
        if (any)
            json(",");
        any = true;
        json("{'code':%s,'severity':%s,'file':%s,'message':%s,'hint':%s,'line':%u,'column':%u}",
             x.code, severity_name(x.severity), x.file, x.message, x.hint ? x.hint : "", x.line,
             x.column);
    }
    json("],'errors':%zu,'warnings':%zu}\n", cando_sources_count(s, CANDO_ERROR),
         cando_sources_count(s, CANDO_WARNING));
}

static int add(struct call *c, cando_sources *s, const char *path)
{
    const struct ask *k = c->ask;
    struct request_file f;
    if (strcmp(path, "-") != 0) {
        if (sources_add_tree(s, path, k->syntax, &c->err) == CANDO_OK)
            return EXIT_YES;
        return fail(&c->err);
    }
    int code = request_read(&f, path, LIMIT_TOML_BYTES);
    if (code != EXIT_YES)
        return code;
    cando_status st =
        cando_sources_add(s, f.path, f.text, f.len, k->syntax, CANDO_LAYER_FAMILY, &c->err);
    request_free(&f);
    return st == CANDO_OK ? EXIT_YES : fail(&c->err);
}

static void put_page(const cando_sources *s, cando_severity least)
{
    sources_report(stdout, s, least);
    fflush(stdout);
    out_counts(stderr, cando_sources_count(s, CANDO_ERROR), cando_sources_count(s, CANDO_WARNING),
               least > CANDO_NOTE ? 0 : cando_sources_count(s, CANDO_NOTE));
    fputc('\n', stderr);
}

static int judge(struct call *c, cando_sources *s)
{
    const struct ask *k = c->ask;
    for (int i = 0; i < c->n; i++) {
        int code = add(c, s, c->operand[i]);
        if (code != EXIT_YES)
            return code;
    }
    if (cando_sources_lint_over(s, cando_catalog_builtin(), &c->err) != CANDO_OK)
        return fail(&c->err);
    (c->json ? put_json : put_page)(s, k->least);
    bool bad =
        cando_sources_count(s, CANDO_ERROR) || (k->strict && cando_sources_count(s, CANDO_WARNING));
    return bad ? EXIT_NO : EXIT_YES;
}

static int run(struct call *c)
{
    cando_sources *s = sources_new(&c->err);
    int code = s ? judge(c, s) : fail(&c->err);
    cando_sources_free(s);
    return code;
}

const struct verb verb_lint = {
    .name = "lint",
    .summary = "judges rule files",
    .usage = "[OPTION]... FILE...",
    .text =
        "Reads rule files (or all *.toml below a folder; - is the standard input) and judges "
        "them as one set: syntax, keys, types, closed lists of words, and what the rules mean "
        "together, such as rules that can never decide anything. The providers and vendors of the "
        "built-in catalog are known.\n\n"
        "The exit code is 1 if there are errors, with --strict also if there are warnings. "
        "cando explain CODE says more about a finding.",
    .examples = "cando lint cando.toml",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(1, MANY, "which files?", NULL),
    .paged = true,
    .run = run,
};
