/*
 * cmd_build.c - cando build: rule files to one snapshot.
 *
 * The snapshot is written beside its target and renamed over it, so a reader
 * sees the old file or the new one, never a part. The same sources give the
 * same bytes, which is what --check relies on.
 */
#include "base/file.h"
#include "base/instant.h"
#include "base/limits.h"
#include "engine.h"
#include "trail.h"
#include "trust.h"

struct layered {
    cando_layer layer;
    const char *path;
};

struct ask {
    const char *output;
    bool check, force, quiet;
    cando_syntax syntax;
    const struct layered *layers;
    size_t n_layers;
    const char *const *sign;
    size_t n_sign;
    const char *root;
    cando_number release, days;
};

enum { MANIFEST_DAYS = 30 };

static take_fn take_layer;

static const struct option_row options[] = {
    {TEXT("output", output, "FILE", "where the snapshot goes (cando.snap)"), .letter = 'o'},
    {FLAG("check", check, "write nothing; end with 1 if FILE is not what the sources give")},
    {TAKES("layer", take_layer, "NAME=PATH", "put the files at PATH into a layer: " LAYER_WORDS),
     LIST_(layers, n_layers, const struct layered *)},
    {WORD("dialect", syntax, "NAME", "auto cando nika harn",
          "what kind of files they are, where they do not say so themselves"),
     .letter = 'd'},
    {WORD("syntax", syntax, "NAME", "auto cando nika harn", "the same as --dialect")},
    {FLAG("force", force, "build in spite of lint errors")},
    {TEXTS("sign", sign, n_sign, "KEY",
           "write FILE.signed as well, signed with this key (cando key); may be repeated")},
    {TEXT("root", root, "FILE",
          "put these roots before the manifest, for those who have older ones")},
    {NUMBER("release", release, "N",
            "the version of the manifest, which only rises (the time, as 20261117163005)")},
    {NUMBER("days", days, "N", "for how many days the manifest holds (30)")},
    {FLAG("quiet", quiet, "print errors only"), .letter = 'q'},
    {0},
};

static bool take_layer(struct call *c, const struct option_row *o, const char *value)
{
    struct str s = str_of(value);
    size_t eq = str_find_char(s, '=');
    cando_layer layer;
    if (eq + 1 >= s.n || !layer_find(str_head(s, eq), &layer))
        return option_refuse(o, value, "NAME=PATH, with NAME one of: " LAYER_WORDS);
    struct layered *item = option_item(c, o, sizeof *item);
    if (item)
        *item = (struct layered){layer, value + eq + 1};
    return item != NULL;
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
    if (old != fresh)
        out("  %-10s %'ju -> %'ju\n", what, old, fresh);
}

/* Says how the file differs from what the sources give. */
static void put_difference(const char *path, struct str old, struct str fresh)
{
    cando_catalog_info was = {0}, is = {0};
    cando_error err;
    size_t at = 0;
    while (at < old.n && at < fresh.n && old.p[at] == fresh.p[at])
        at++;
    out("%s: stale, the sources give another snapshot\n", path);
    if (describe(fresh.p, fresh.n, &is, &err) != CANDO_OK)
        return;
    if (describe(old.p, old.n, &was, &err) != CANDO_OK) {
        out("  %s\n", err.message);
        return;
    }
    put_change("rules", was.rules, is.rules);
    put_change("models", was.models, is.models);
    put_change("providers", was.providers, is.providers);
    put_change("bytes", old.n, fresh.n);
    put_change("format", was.format_version, is.format_version);
    out("  first difference at byte %zu\n", at);
}

static int check(const char *path, struct str fresh)
{
    char *text;
    size_t len;
    cando_error err;
    if (file_read(path, LIMIT_SNAPSHOT_BYTES, NULL, &text, &len, &err) != CANDO_OK)
        return fail(&err);
    bool same = str_eq(str_make(text, len), fresh);
    if (!same)
        put_difference(path, str_make(text, len), fresh);
    mem_free(NULL, text, len + 1);
    return same ? EXIT_YES : EXIT_NO;
}

/* Shows the findings; false if they forbid the build. */
static bool judge(const struct ask *k, const cando_sources *s)
{
    size_t errors = cando_sources_count(s, CANDO_ERROR),
           warnings = cando_sources_count(s, CANDO_WARNING);
    sources_report(stderr, s, k->quiet ? CANDO_ERROR : CANDO_WARNING);
    if (errors || (warnings && !k->quiet)) {
        out_counts(stderr, errors, warnings, 0);
        fputc('\n', stderr);
    }
    if (!errors || k->force)
        return true;
    fputs("cando: nothing was built; mend the errors, or try --force\n", stderr);
    return false;
}

/* -- the manifest -- */

/* 20261117163005 */
static uint64_t release_of_now(void)
{
    char text[INSTANT_TEXT];
    uint64_t n = 0;
    instant_text(trail_now(), text);
    for (size_t i = 0; i < sizeof "2026-11-17T16:30:05" - 1; i++)
        if (char_is_digit(text[i]))
            n = n * 10 + (uint64_t)(text[i] - '0');
    return n;
}

static cando_status make_manifest(struct call *c, struct str snapshot, struct document *out)
{
    const struct ask *k = c->ask;
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX], expires[INSTANT_TEXT];
    uint64_t version = k->release.known ? k->release.value : release_of_now();
    sha256_of(snapshot.p, snapshot.n, hash);
    sha256_hex(hash, hex);
    struct str line = str_printf(
        &c->ar,
        "{\"cando\":\"catalog\",\"version\":%ju,\"expires\":\"%s\",\"bytes\":%zu,\"sha256\":\"%"
        "s\"}",
        (uintmax_t)version,
        signed_expires(trail_now(), k->days.known ? k->days.value : MANIFEST_DAYS, expires),
        snapshot.n, hex);
    cando_status st = line.p ? signed_make(line, &c->ar, out, &c->err) : error_memory(&c->err);
    return st == CANDO_OK ? signed_sign_by(out, k->sign, k->n_sign, &c->ar, &c->err) : st;
}

/* FILE.signed: the roots, if there are any, and the manifest. */
static cando_status sign(struct call *c, const char *output, struct str snapshot)
{
    const struct ask *k = c->ask;
    struct signed_file roots = {0};
    struct document manifest;
    struct buf b;
    cando_status st = k->root ? signed_read(k->root, false, &c->ar, &roots, &c->err) : CANDO_OK;
    if (st == CANDO_OK)
        st = make_manifest(c, snapshot, &manifest);
    struct str path = str_printf(&c->ar, "%s.signed", output);
    if (st == CANDO_OK && !path.p)
        st = error_memory(&c->err);
    if (st != CANDO_OK)
        return st;
    buf_init_arena(&b, &c->ar, SIGNED_BYTES);
    for (size_t i = 0; i < roots.n; i++)
        if (roots.document[i].kind == SIGNED_ROOT)
            signed_write(&b, &roots.document[i]);
    signed_write(&b, &manifest);
    st = b.failed ? error_memory(&c->err) : file_replace(path.p, b.p, b.n, NULL, &c->err);
    if (st == CANDO_OK && !k->quiet)
        out("%s: version %ju\n", path.p, manifest.version);
    return st;
}

static cando_status add_all(struct call *c, cando_sources *s)
{
    const struct ask *k = c->ask;
    cando_status st = CANDO_OK;
    for (size_t i = 0; st == CANDO_OK && i < k->n_layers; i++)
        st = cando_sources_add_path(s, k->layers[i].path, k->syntax, k->layers[i].layer, &c->err);
    for (int i = 0; st == CANDO_OK && i < c->n; i++)
        st = sources_add_tree(s, c->operand[i], k->syntax, &c->err);
    return st == CANDO_OK ? cando_sources_lint(s, &c->err) : st;
}

static int build(struct call *c, cando_sources *s)
{
    const struct ask *k = c->ask;
    const char *output = k->output ? k->output : "cando.snap";
    const void *data;
    size_t size;
    cando_catalog_info info = {0};
    if (add_all(c, s) != CANDO_OK)
        return fail(&c->err);
    if (!judge(k, s))
        return EXIT_INPUT;
    cando_status st = cando_sources_build(s, &data, &size, &c->err);
    if (st == CANDO_BAD_INPUT && cando_sources_count(s, CANDO_ERROR)) {
        fputs("cando: nothing was built; with such errors there is nothing to force\n", stderr);
        return EXIT_INPUT;
    }
    if (st == CANDO_OK)
        st = describe(data, size, &info, &c->err);
    if (st == CANDO_OK && !k->check)
        st = file_replace(output, data, size, NULL, &c->err);
    if (st == CANDO_OK && k->n_sign)
        st = sign(c, output, str_make(data, size));
    if (st != CANDO_OK)
        return fail(&c->err);
    int code = k->check ? check(output, str_make(data, size)) : EXIT_YES;
    if (code != EXIT_YES || k->quiet)
        return code;
    out("%s: %s", output, k->check ? "fresh, " : "");
    out_catalog(&info, size);
    return EXIT_YES;
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    if (!c->n && !k->n_layers)
        return call_usage(c, "which files?");
    if (k->check && k->n_sign)
        return call_usage(c, "--check writes nothing, and --sign does");
    if (!k->n_sign && (k->root || k->release.known || k->days.known))
        return call_usage(c, "--root, --release and --days go with --sign KEY");
    cando_sources *s = cando_sources_new(NULL, &c->err);
    int code = s ? build(c, s) : fail(&c->err);
    cando_sources_free(s);
    return code;
}

const struct verb verb_build = {
    .name = "build",
    .summary = "compiles rule files into one snapshot",
    .usage = "[OPTION]... PATH...",
    .text = "Reads each file, and all *.toml below each folder, and writes one snapshot that cando "
            "and the library can open. Identical sources give identical bytes. The file is "
            "replaced in one step: whoever reads it sees the old one or the new one.\n\n"
            "Below a folder, a file or folder that has the name of a layer (facts/openai.toml, "
            "defaults.toml) goes into that layer; all else is rules of families. A later layer "
            "overwrites an earlier one field by field.\n\n"
            "With --sign a manifest is written beside it (FILE.signed): version, expiry, length "
            "and hash, signed. cando update --from FILE takes both where a root is pinned that "
            "has the key (cando key).",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .run = run,
};
