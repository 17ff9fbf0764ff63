/*
 * cmd_build.c - cando build: rule files to one snapshot.
 *
 * The snapshot is written beside its target and renamed over it, so a reader
 * sees the old file or the new one, never a part. The same sources give the
 * same bytes, which is what --check relies on.
 */
#include "base/file.h"
#include "base/limits.h"
#include "engine.h"

enum { OPTION_CHECK = OPTION_LONG, OPTION_FORCE, OPTION_LAYER };

static const struct option_row options[] = {
    {'o', "output", "FILE", NULL, "where the snapshot goes (cando.snap)"},
    {OPTION_CHECK, "check", NULL, NULL,
     "write nothing; end with 1 if FILE is not what the sources give"},
    {OPTION_LAYER, "layer", "NAME=PATH", NULL, "put the files at PATH into a layer: " LAYER_WORDS},
    {OPTION_FORCE, "force", NULL, NULL, "build in spite of lint errors"},
    {'q', "quiet", NULL, NULL, "print errors only"},
    {0},
};

struct build {
    const char *output;
    bool check, force, quiet;
    cando_sources *s;
    cando_error err; /* no code in it: whatever it was has been reported */
};

static cando_status add_layer(struct build *b, const char *text)
{
    struct str s = str_of(text);
    size_t eq = str_find_char(s, '=');
    cando_layer layer;
    if (eq == s.n || eq + 1 == s.n || !layer_find(str_head(s, eq), &layer)) {
        error_set(&b->err, CANDO_BAD_QUESTION, CODE_bad_option, "--layer does not take '%s'", text);
        error_hint(&b->err, "NAME=PATH, with NAME one of: %s", LAYER_WORDS);
        return CANDO_BAD_QUESTION;
    }
    return cando_sources_add_path(b->s, text + eq + 1, CANDO_SYNTAX_AUTO, layer, &b->err);
}

static cando_status describe(const void *data, size_t size, cando_catalog_info *out,
                             cando_error *err)
{
    const cando_catalog *c = cando_catalog_open(data, size, NULL, err);
    if (!c)
        return err->status;
    cando_catalog_describe(c, out);
    cando_catalog_release(c);
    return CANDO_OK;
}

static void put_change(const char *what, uint64_t old, uint64_t fresh)
{
    char a[32], b[32];
    if (old != fresh)
        printf("  %-10s %s -> %s\n", what, out_number(old, a).p, out_number(fresh, b).p);
}

/* Says how the file differs from what the sources give. */
static void put_difference(const struct build *b, struct str old, struct str fresh)
{
    cando_catalog_info was = {0}, is = {0};
    cando_error err;
    size_t at = 0;
    while (at < old.n && at < fresh.n && old.p[at] == fresh.p[at])
        at++;
    out_safe(stdout, str_of(b->output));
    fputs(": stale, the sources give another snapshot\n", stdout);
    if (describe(fresh.p, fresh.n, &is, &err) != CANDO_OK)
        return;
    if (describe(old.p, old.n, &was, &err) != CANDO_OK) {
        printf("  %s\n", err.message);
        return;
    }
    put_change("rules", was.rules, is.rules);
    put_change("models", was.models, is.models);
    put_change("providers", was.providers, is.providers);
    put_change("bytes", old.n, fresh.n);
    put_change("format", was.format_version, is.format_version);
    printf("  first difference at byte %zu\n", at);
}

static cando_status check(struct build *b, struct str fresh, bool *same)
{
    char *text;
    size_t len;
    cando_status st = file_read(b->output, LIMIT_SNAPSHOT_BYTES, NULL, &text, &len, &b->err);
    if (st != CANDO_OK)
        return st;
    *same = str_eq(str_make(text, len), fresh);
    if (!*same)
        put_difference(b, str_make(text, len), fresh);
    mem_free(NULL, text, len + 1);
    return CANDO_OK;
}

/* Shows the findings; false if they forbid the build. */
static bool judge(struct build *b)
{
    size_t errors = cando_sources_count(b->s, CANDO_ERROR),
           warnings = cando_sources_count(b->s, CANDO_WARNING);
    sources_report(b->s, b->quiet ? CANDO_ERROR : CANDO_WARNING);
    if (errors || (warnings && !b->quiet)) {
        out_counts(stderr, errors, warnings, 0);
        fputc('\n', stderr);
    }
    if (!errors || b->force)
        return true;
    fputs("cando: nothing was built; mend the errors, or try --force\n", stderr);
    return false;
}

static int make(struct build *b)
{
    const void *data;
    size_t size;
    bool same = true;
    cando_status st = cando_sources_lint(b->s, &b->err);
    if (st != CANDO_OK)
        return (int)st;
    if (!judge(b))
        return EXIT_INPUT;
    if ((st = cando_sources_build(b->s, &data, &size, &b->err)) != CANDO_OK) {
        if (st == CANDO_BAD_INPUT && cando_sources_count(b->s, CANDO_ERROR)) {
            fputs("cando: nothing was built; with such errors there is nothing to force\n", stderr);
            b->err.code[0] = '\0';
        }
        return (int)st;
    }
    cando_catalog_info info = {0};
    if ((st = describe(data, size, &info, &b->err)) != CANDO_OK)
        return (int)st;
    st = b->check ? check(b, str_make(data, size), &same)
                  : file_replace(b->output, data, size, NULL, &b->err);
    if (st != CANDO_OK || !same || b->quiet)
        return st != CANDO_OK ? (int)st : same ? EXIT_YES : EXIT_NO;
    out_safe(stdout, str_of(b->output));
    fputs(b->check ? ": fresh, " : ": ", stdout);
    out_count(stdout, info.rules, "rule", ", ");
    out_count(stdout, info.models, "model", ", ");
    out_count(stdout, info.providers, "provider", ", ");
    out_count(stdout, size, "byte", "\n");
    return EXIT_YES;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct build b = {.output = "cando.snap", .err = {.status = CANDO_OK}};
    cando_status st = CANDO_OK;
    size_t layers = 0;
    b.s = cando_sources_new(NULL, &b.err);
    if (!b.s) {
        out_error(&b.err);
        return (int)b.err.status;
    }
    struct args a = args_begin(self, argc, argv);
    int code = EXIT_YES;
    for (int id; st == CANDO_OK && (id = args_next(&a)) != ARGS_END;) {
        if (id == 'o')
            b.output = a.value;
        else if (id == OPTION_CHECK)
            b.check = true;
        else if (id == OPTION_FORCE)
            b.force = true;
        else if (id == 'q')
            b.quiet = true;
        else if (id == OPTION_LAYER && ++layers)
            st = add_layer(&b, a.value);
        else {
            code = args_stop(&a, id);
            cando_sources_free(b.s);
            return code;
        }
    }
    if (st == CANDO_OK && a.n_rest == 0 && layers == 0) {
        cando_sources_free(b.s);
        return args_usage(&a, "which files?");
    }
    for (int i = 0; st == CANDO_OK && i < a.n_rest; i++)
        st = sources_add_tree(b.s, a.rest[i], CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY, &b.err);
    code = st == CANDO_OK ? make(&b) : (int)st;
    if (code >= EXIT_QUESTION && b.err.code[0])
        out_error(&b.err);
    cando_sources_free(b.s);
    return code;
}

const struct verb verb_build = {
    .name = "build",
    .summary = "compiles rule files into one snapshot",
    .usage = "[OPTION]... PATH...",
    .text = "Reads each file, and all *.toml below each folder, and writes one snapshot that cando "
            "and the library can open. Identical "
            "sources give identical bytes. The file is replaced in one step: whoever reads it sees "
            "the old one or the new one.\n\n"
            "Below a folder, a file or folder that has the name of a layer (facts/openai.toml, "
            "defaults.toml) goes into that "
            "layer; all else is rules of families. A later layer overwrites an earlier one field "
            "by field.",
    .options = options,
    .run = run,
};
