/*
 * cmd_key.c - cando key: keys, roots, and whose signatures count here.
 *
 *     new      a pair of keys
 *     root     a root: whose keys count for what; or the next version of one
 *     sign     one more signature of the last document of a file
 *     trust    pins a root
 *     show     what is pinned, or what is in a signed file
 */
#include "base/instant.h"
#include "config.h"
#include "trail.h"
#include "trust.h"

enum { ROOT_DAYS = 365 };

struct ask {
    const char *const *role[ROLES]; /* files of public keys */
    size_t n_role[ROLES];
    unsigned threshold[ROLES]; /* 0: as it was, or 1 */
    const char *const *key;
    size_t n_key;
    cando_number days;
    bool replace;
    int (*action)(struct call *c);
    const char *path; /* the operand, or NULL */
    struct config config;
};

static take_fn take_threshold;

static const struct option_row options[] = {
    {TEXTS("sign", key, n_key, "KEY", "root, sign: with this secret key; may be repeated")},
    {TEXTS("root", role[0], n_role[0], "KEY.pub", "root: a key that signs roots; may be repeated")},
    {TEXTS("catalog", role[1], n_role[1], "KEY.pub", "root: a key that signs catalogs")},
    {TEXTS("audit", role[2], n_role[2], "KEY.pub", "root: a key that signs heads of audit trails")},
    {TAKES("threshold", take_threshold, "ROLE=N",
           "root: how many keys of root, catalog or audit must sign (1)")},
    {NUMBER("days", days, "N", "root: for how many days it holds (365)")},
    {FLAG("replace", replace, "trust: pin it in place of the one that is pinned")},
    {JSON("show: print JSON")},
    {0},
};

static bool take_threshold(struct call *c, const struct option_row *o, const char *value)
{
    struct ask *k = c->ask;
    struct str s = str_of(value);
    size_t eq = str_find_char(s, '=');
    unsigned role = role_find(str_head(s, eq));
    uint64_t n;
    if (role == ROLES || eq + 1 >= s.n || !read_number(value + eq + 1, &n) || !n || n > SIGNED_KEYS)
        return option_refuse(o, value, "ROLE=N, with ROLE one of: " ROLE_WORDS);
    k->threshold[role] = (unsigned)n;
    return true;
}

/* -- new -- */

static int run_new(struct call *c)
{
    const struct ask *k = c->ask;
    unsigned char key[ED25519_KEY];
    char hex[SHA256_HEX];
    if (key_make(k->path, key, &c->err) != CANDO_OK)
        return fail(&c->err);
    sha256_hex(key, hex);
    out("%s is secret, %s.pub is public: %s\n", k->path, k->path, hex);
    return EXIT_YES;
}

/* -- root and sign -- */

/* The keys of a role: those of the files, else those that it had. */
static cando_status fill_role(const struct ask *k, unsigned role, struct role *r, cando_error *err)
{
    if (k->n_role[role] > SIGNED_KEYS)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "a role has at most %d keys",
                         SIGNED_KEYS);
    if (k->n_role[role])
        *r = (struct role){.threshold = 1};
    for (size_t i = 0; i < k->n_role[role]; i++) {
        cando_status st = key_read_public(k->role[role][i], r->key[r->n], err);
        if (st != CANDO_OK)
            return st;
        r->n++;
    }
    if (k->threshold[role])
        r->threshold = k->threshold[role];
    return CANDO_OK;
}

static void put_role(struct buf *b, unsigned role, const struct role *r)
{
    char hex[SHA256_HEX];
    if (!r->n)
        return;
    buf_printf(b, ",\"%s\":{\"threshold\":%u,\"keys\":[", role_words[role], r->threshold);
    for (unsigned i = 0; i < r->n; i++) {
        sha256_hex(r->key[i], hex);
        buf_printf(b, "%s\"%s\"", i ? "," : "", hex);
    }
    buf_putz(b, "]}");
}

/* The root that follows `before`, which may be none. */
static cando_status make_root(struct call *c, const struct trust *before, struct document *out)
{
    const struct ask *k = c->ask;
    struct buf b;
    char expires[INSTANT_TEXT];
    buf_init_arena(&b, &c->ar, SIGNED_LINE_BYTES);
    buf_printf(&b, "{\"cando\":\"root\",\"version\":%ju,\"expires\":\"%s\"",
               (uintmax_t)(before->has_root ? before->root.version + 1 : 1),
               signed_expires(trail_now(), k->days.known ? k->days.value : ROOT_DAYS, expires));
    for (unsigned i = 0; i < ROLES; i++) {
        struct role r = before->has_root ? before->root.role[i] : (struct role){0};
        cando_status st = fill_role(k, i, &r, &c->err);
        if (st != CANDO_OK)
            return st;
        put_role(&b, i, &r);
    }
    buf_putc(&b, '}');
    if (!buf_cstr(&b))
        return error_memory(&c->err);
    return signed_make(STR_IN(b), &c->ar, out, &c->err);
}

/* Who has signed a root; those of the one before are wanted, too. */
static int put_signed(struct call *c, const struct trust *before, const struct document *d,
                      const char *path)
{
    const struct document *by[] = {d, before->has_root ? &before->root : NULL};
    for (size_t i = 0; i < COUNT_OF(by) && by[i]; i++) {
        unsigned good;
        const struct role *r = &by[i]->role[SIGNED_ROOT];
        if (signed_count(d, r, &good, &c->err) != CANDO_OK)
            return fail(&c->err);
        if (good < r->threshold)
            out("version %ju lacks signatures: %u of %u by the keys of version %ju; "
                "cando key sign %s adds one\n",
                d->version, good, r->threshold, by[i]->version, path);
    }
    return EXIT_YES;
}

static int run_root(struct call *c)
{
    const struct ask *k = c->ask;
    struct signed_file f;
    struct trust before = {0};
    struct document d;
    cando_status st = signed_read(k->path, true, &c->ar, &f, &c->err);
    if (st == CANDO_OK && f.n)
        st = trust_follow(&before, &f, true, &c->err);
    if (st == CANDO_OK)
        st = make_root(c, &before, &d);
    if (st == CANDO_OK)
        st = signed_sign_by(&d, k->key, k->n_key, &c->ar, &c->err);
    if (st == CANDO_OK && !ARENA_GROW(&c->ar, f.document, f.n, f.cap))
        st = error_memory(&c->err);
    if (st != CANDO_OK)
        return fail(&c->err);
    f.document[f.n++] = d;
    if (signed_save(&f, &c->err) != CANDO_OK)
        return fail(&c->err);
    out("%s: version %ju of the root\n", k->path, d.version);
    return put_signed(c, &before, &d, k->path);
}

static int run_sign(struct call *c)
{
    const struct ask *k = c->ask;
    struct signed_file f;
    cando_status st = signed_read(k->path, false, &c->ar, &f, &c->err);
    if (st == CANDO_OK && !f.n)
        st = error_set(&c->err, CANDO_BAD_INPUT, CODE_signed_file, "%s has no document in it",
                       k->path);
    if (st == CANDO_OK)
        st = signed_sign_by(&f.document[f.n - 1], k->key, k->n_key, &c->ar, &c->err);
    if (st == CANDO_OK)
        st = signed_save(&f, &c->err);
    if (st != CANDO_OK)
        return fail(&c->err);
    out("%s: version %ju has %zu signature" PLURAL "\n", k->path, f.document[f.n - 1].version,
        f.document[f.n - 1].n);
    return EXIT_YES;
}

/* -- trust and show -- */

/* "2027-11-17T00:00:00Z", and whether that is over. */
static void put_expiry(const struct document *d)
{
    char text[INSTANT_TEXT];
    bool over = latest_now() >= d->expires;
    out("  %c%s %.10s" END "\n", over ? STYLE_BAD : STYLE_PLAIN, over ? "EXPIRED" : "holds until",
        instant_text(d->expires, text).p);
}

static void put_roles(const struct document *d)
{
    char hex[SHA256_HEX];
    for (unsigned i = 0; i < ROLES; i++) {
        const struct role *r = &d->role[i];
        if (r->n)
            out("    %-8s %u of", role_words[i], r->threshold);
        for (unsigned j = 0; j < r->n; j++) {
            sha256_hex(r->key[j], hex);
            out(" %.16s", hex);
        }
        out(r->n ? "\n" : "");
    }
}

static void put_document(const struct document *d)
{
    char hex[SHA256_HEX], text[INSTANT_TEXT];
    out(BOLD "%s" END " %ju", kind_words[d->kind], d->version);
    sha256_hex(d->hash, hex);
    if (d->kind == SIGNED_HEAD)
        out("  %s  of %s\n", hex, instant_text(d->expires, text).p);
    else
        put_expiry(d);
    if (d->kind == SIGNED_ROOT)
        put_roles(d);
    if (d->kind == SIGNED_CATALOG)
        out("    %'ju bytes, sha256 %s\n", d->bytes, hex);
}

/* Its lines are JSON already. */
static void put_line(const struct document *d, const char *after)
{
    fwrite(d->line.p, 1, d->line.n, stdout);
    fputs(after, stdout);
}

static int put_file(struct call *c, const char *path)
{
    struct signed_file f;
    if (signed_read(path, false, &c->ar, &f, &c->err) != CANDO_OK)
        return fail(&c->err);
    json(c->json ? "{'documents':[" : "");
    for (size_t i = 0; i < f.n; i++)
        if (c->json)
            put_line(&f.document[i], i + 1 < f.n ? "," : "");
        else
            put_document(&f.document[i]);
    json(c->json ? "]}\n" : "");
    return EXIT_YES;
}

static void put_pinned(const struct call *c, const struct trust *t)
{
    if (c->json) {
        json("{'root':");
        t->has_root ? put_line(&t->root, "") : json("null");
        json(",'catalog':");
        t->has_catalog ? put_line(&t->catalog, "") : json("null");
        json("}\n");
        return;
    }
    if (!t->has_root)
        out("no root is pinned; cando key trust ROOT pins one\n");
    else
        put_document(&t->root);
    if (t->has_catalog)
        put_document(&t->catalog);
}

static cando_status open_trust(struct call *c, struct trust *out)
{
    struct ask *k = c->ask;
    cando_status st = config_init(&k->config, &c->ar, &c->err);
    if (st == CANDO_OK && !k->config.trust)
        return error_set(&c->err, CANDO_BAD_QUESTION, CODE_bad_option,
                         "there is no home folder: HOME is not set");
    return st == CANDO_OK ? trust_read(k->config.trust, &c->ar, out, &c->err) : st;
}

static int run_show(struct call *c)
{
    const struct ask *k = c->ask;
    struct trust t;
    if (k->path)
        return put_file(c, k->path);
    if (open_trust(c, &t) != CANDO_OK)
        return fail(&c->err);
    put_pinned(c, &t);
    return t.has_root ? EXIT_YES : EXIT_NO;
}

static int run_trust(struct call *c)
{
    struct ask *k = c->ask;
    struct trust t;
    struct signed_file f;
    cando_status st = open_trust(c, &t);
    if (st == CANDO_OK && k->replace)
        t = (struct trust){0};
    if (st == CANDO_OK)
        st = signed_read(k->path, false, &c->ar, &f, &c->err);
    if (st == CANDO_OK)
        st = trust_follow(&t, &f, true, &c->err);
    if (st == CANDO_OK)
        st = trust_fresh(&t, latest_now(), &c->err);
    if (st == CANDO_OK && !catalog_folder(k->config.data))
        st = error_set(&c->err, CANDO_INTERNAL, CODE_io, "cannot make %s", k->config.data);
    if (st == CANDO_OK)
        st = trust_save(k->config.trust, &t, &c->err);
    if (st != CANDO_OK)
        return fail(&c->err);
    out("pinned in %s\n", k->config.trust);
    put_document(&t.root);
    return EXIT_YES;
}

/* -- the verb -- */

static int check(struct call *c)
{
    static const struct {
        const char *name;
        int (*run)(struct call *c);
        bool signs;
    } actions[] = {{"show", run_show, false},
                   {"new", run_new, false},
                   {"root", run_root, true},
                   {"sign", run_sign, true},
                   {"trust", run_trust, false}};
    struct ask *k = c->ask;
    bool signs = false;
    for (size_t i = 0; i < COUNT_OF(actions); i++)
        if (strcmp(actions[i].name, c->n ? c->operand[0] : "show") == 0) {
            k->action = actions[i].run;
            signs = actions[i].signs;
        }
    k->path = c->n > 1 ? c->operand[1] : NULL;
    if (!k->action)
        return call_usage(c, c->verb->too_many);
    if (k->action != run_show && !k->path)
        return call_usage(c, "which file?");
    if (signs && !k->n_key)
        return call_usage(c, "with which secret key? --sign KEY");
    return EXIT_YES;
}

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    return k->action(c);
}

const struct verb verb_key = {
    .name = "key",
    .summary = "keys that sign catalogs, and whose count here",
    .usage = "[OPTION]... [show [FILE] | new FILE | root FILE | sign FILE | trust FILE]",
    .text =
        "new makes a pair of ed25519 keys: FILE is secret, FILE.pub is public.\n\n"
        "root makes a root, which says whose keys count for roots, for catalogs and for heads "
        "of audit trails, how many of each must sign, and until when it holds. If FILE is "
        "there, the next version is added to it: what is not said stays as it was, and it must be "
        "signed by keys of the version before and of its own. sign adds a signature to the last "
        "document of a file, for keys that are not in one place.\n\n"
        "trust pins a root on this machine; get it another way than the catalogs. Later "
        "versions come with the catalogs. show, which needs no word, tells what is pinned and "
        "when it expires, or what is in a signed file.",
    .examples = "cando key new a.key\n"
                "cando key new b.key\n"
                "cando key root root.jsonl --root a.key.pub --catalog b.key.pub --sign a.key\n"
                "cando key trust root.jsonl",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 2, NULL, "one of show, new, root, sign, trust, and a file"),
    .check = check,
    .run = run,
};
