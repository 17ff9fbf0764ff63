/*
 * cmd_lint.c - cando lint: judges rule files, alone and together.
 *
 * All files of one call are one set: a rule in one file can shadow a rule in
 * another. Findings are the result, so they go to stdout, each with its line
 * and a caret; the summary goes to stderr.
 */
#include "base/file.h"
#include "base/limits.h"
#include "engine.h"

enum { OPTION_JSON = OPTION_LONG, OPTION_STRICT };

static const struct option_row options[] = {
    {'d', "dialect", "NAME", SYNTAX_WORDS,
     "what kind of file it is, where it does not say so itself"},
    {OPTION_STRICT, "strict", NULL, NULL, "warnings count as errors"},
    {'q', "quiet", NULL, NULL, "leave notes out"},
    {OPTION_JSON, "json", NULL, NULL, "print the findings as one JSON object"},
    {0},
};

static void put_finding_json(struct buf *b, const cando_finding *x)
{
    const struct {
        const char *key, *value;
    } texts[] = {
        {"code", x->code}, {"severity", severity_name(x->severity)},
        {"file", x->file}, {"message", x->message},
        {"hint", x->hint},
    };
    buf_putc(b, '{');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        buf_printf(b, "\"%s\":", texts[i].key);
        out_quoted(b, str_of(texts[i].value));
        buf_putc(b, ',');
    }
    buf_printf(b, "\"line\":%u,\"column\":%u}", x->line, x->column);
}

static bool put_json(const cando_sources *s, cando_severity least)
{
    struct buf b;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    buf_putz(&b, "{\"findings\":[");
    bool first = true;
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding x = cando_sources_finding(s, i);
        if (x.severity < least)
            continue;
        if (!first)
            buf_putc(&b, ',');
        first = false;
        put_finding_json(&b, &x);
    }
    buf_printf(&b, "],\"errors\":%zu,\"warnings\":%zu}", cando_sources_count(s, CANDO_ERROR),
               cando_sources_count(s, CANDO_WARNING));
    bool ok = !b.failed;
    if (ok)
        out_line(str_make(b.p, b.n));
    buf_free(&b);
    return ok;
}

static cando_status add(cando_sources *s, const char *path, cando_syntax syntax, cando_error *err)
{
    if (strcmp(path, "-") != 0)
        return sources_add_tree(s, path, syntax, CANDO_LAYER_FAMILY, err);
    char *text;
    size_t len;
    cando_status st = file_read("/dev/stdin", LIMIT_TOML_BYTES, NULL, &text, &len, err);
    if (st != CANDO_OK)
        return st;
    st = cando_sources_add(s, "<stdin>", text, len, syntax, CANDO_LAYER_FAMILY, err);
    mem_free(NULL, text, len + 1);
    return st;
}

static void put_page(const cando_sources *s, cando_severity least)
{
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding x = cando_sources_finding(s, i);
        if (x.severity >= least)
            out_finding(stdout, &x);
    }
    fflush(stdout);
    out_counts(stderr, cando_sources_count(s, CANDO_ERROR), cando_sources_count(s, CANDO_WARNING),
               least > CANDO_NOTE ? 0 : cando_sources_count(s, CANDO_NOTE));
    fputc('\n', stderr);
}

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false, strict = false;
    cando_syntax syntax = CANDO_SYNTAX_AUTO;
    cando_severity least = CANDO_NOTE;
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            json = true;
        else if (id == OPTION_STRICT)
            strict = true;
        else if (id == 'q')
            least = CANDO_WARNING;
        else if (id == 'd' && args_word(&a, id))
            syntax_find(a.value, &syntax);
        else
            return args_stop(&a, id);
    }
    if (a.n_rest == 0)
        return args_usage(&a, "which files?");
    cando_error err;
    cando_sources *s = cando_sources_new(NULL, &err);
    cando_status st = s ? CANDO_OK : err.status;
    for (int i = 0; st == CANDO_OK && i < a.n_rest; i++)
        st = add(s, a.rest[i], syntax, &err);
    if (st == CANDO_OK)
        st = cando_sources_lint(s, &err);
    if (st == CANDO_OK && json && !put_json(s, least))
        st = error_memory(&err);
    int code = (int)st;
    if (st != CANDO_OK) {
        out_error(&err);
    } else {
        if (!json)
            put_page(s, least);
        bool bad = cando_sources_count(s, CANDO_ERROR) ||
                   (strict && cando_sources_count(s, CANDO_WARNING));
        code = bad ? EXIT_NO : EXIT_YES;
    }
    cando_sources_free(s);
    return code;
}

const struct verb verb_lint = {
    .name = "lint",
    .summary = "judges rule files, with the place and a hint for each finding",
    .usage = "[OPTION]... FILE...",
    .text = "Reads rule files (or all *.toml below a folder; - is the standard input) and judges "
            "them as one set: syntax, keys, types, "
            "closed lists of words, and what the rules mean together, such as rules that can never "
            "decide anything.\n\n"
            "The exit code is 1 if there are errors, with --strict also if there are warnings. "
            "cando explain CODE says more "
            "about a finding.",
    .options = options,
    .run = run,
};
