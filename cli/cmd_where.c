/*
 * cmd_where.c - cando where: which files are in force, in order.
 *
 * Each line lies over those before it. Everything is read anew and judged, so
 * that this is also the place to look when an answer is a surprise.
 */
#include "engine.h"
#include "screen.h"

static const struct option_row options[] = {
    {JSON("print JSON")},
    {ROW_("overlay", "FILE", "as if it had been given to another verb; may be repeated",
          take_texts),
     .at = AT_(call, overlay, const char **), .n_at = AT_(call, n_overlay, size_t),
     .of_call = true},
    {ROW_("no-config", NULL, "the same", take_value), .at = AT_(call, plain, unsigned),
     .of_call = true, .value = true},
    {0},
};

/* What a compiled catalog says that it was made of, and what lint says of a file. */
struct line {
    const char *layer, *path;
    bool is_catalog;
    cando_catalog_info info; /* of a catalog */
    uint32_t problems[3];    /* by severity */
};

struct page {
    struct line line[CONFIG_FILES + 2];
    size_t n;
    bool json;
    size_t errors;
};

static struct line *line_of(struct page *p, const char *path)
{
    for (size_t i = 0; i < p->n; i++)
        if (!p->line[i].is_catalog && strcmp(p->line[i].path, path) == 0)
            return &p->line[i];
    return NULL;
}

/* Findings in the files themselves; what a catalog brought along is its maker's. */
static void count_problems(void *ctx, cando_sources *s)
{
    struct page *p = ctx;
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding x = cando_sources_finding(s, i);
        struct line *l = line_of(p, x.file);
        if (!l)
            continue;
        l->problems[x.severity]++;
        p->errors += x.severity == CANDO_ERROR;
        if (x.severity >= CANDO_WARNING && !p->json)
            out_finding(stderr, &x);
    }
}

static void add_catalog(struct page *p, const char *path, const cando_catalog *c)
{
    struct line *l = &p->line[p->n++];
    *l = (struct line){.layer = "catalog", .path = path, .is_catalog = true};
    cando_catalog_describe(c, &l->info);
}

static cando_status fill(struct page *p, struct config *c, cando_error *err)
{
    add_catalog(p, "built-in", cando_catalog_builtin());
    if (c->has_catalog) {
        const cando_catalog *cat = cando_catalog_open_file(c->catalog, NULL, NULL);
        if (cat) /* one that is damaged is reported by catalog_in_force */
            add_catalog(p, c->catalog, cat);
        cando_catalog_release(cat);
    }
    for (size_t i = 0; i < c->n; i++)
        p->line[p->n++] =
            (struct line){.layer = c->file[i].layer == CANDO_LAYER_USER ? "user" : "project",
                          .path = c->file[i].path};
    const cando_catalog *cat = catalog_in_force(c, count_problems, p, err);
    if (!cat)
        p->errors += p->errors == 0;
    bool told = !cat && p->errors && err->status == CANDO_BAD_INPUT;
    cando_catalog_release(cat);
    return cat || told ? CANDO_OK : err->status;
}

static void put_problems(const struct line *l)
{
    unsigned errors = l->problems[CANDO_ERROR], warnings = l->problems[CANDO_WARNING];
    if (errors + warnings == 0)
        out(GOOD "ok" END "\n");
    else
        out("%c%u error" PLURAL ", %u warning" PLURAL END "\n", errors ? STYLE_BAD : STYLE_WARN,
            errors, warnings);
}

static void put_page(const struct page *p, const struct config *c)
{
    enum { WORDS_WIDE = 45 }; /* "4,610 models, 137 providers, 480 rules" */
    size_t width = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t n = out_width(str_of(p->line[i].path));
        width = n > width ? n : width;
    }
    bool wide = screen_lines() && width + 15 + WORDS_WIDE > screen_lines();
    for (size_t i = 0; i < p->n; i++) {
        const struct line *l = &p->line[i];
        bool replaced = l->is_catalog && i + 1 < p->n && p->line[i + 1].is_catalog;
        out("%2zu  " DIM "%-9s" END "%c%-*s" END, i + 1, l->layer,
            replaced ? STYLE_DIM : STYLE_BOLD, wide ? 0 : (int)width + 2, l->path);
        out(wide ? "\n             " : ""); /* what is said of it has a line of its own */
        if (!l->is_catalog) {
            put_problems(l);
            continue;
        }
        out("%'u model" PLURAL ", %'u provider" PLURAL ", %'u rule" PLURAL "%s\n", l->info.models,
            l->info.providers, l->info.rules, replaced ? " (replaced by the next)" : "");
    }
    out("\nlater ones overwrite earlier ones, field by field; looked for in\n"
        "    %s\n    %s/*.toml\n    cando.toml, from here upwards\n",
        c->catalog ? c->catalog : "(no home folder)", c->rules ? c->rules : "(no home folder)");
}

static void put_json(const struct page *p)
{
    json("{'files':[");
    for (size_t i = 0; i < p->n; i++) {
        const struct line *l = &p->line[i];
        if (i)
            json(",");
        json("{'layer':%s,'path':%s", l->layer, l->path);
        if (l->is_catalog)
            json(",'models':%u,'providers':%u,'rules':%u}", l->info.models, l->info.providers,
                 l->info.rules);
        else
            json(",'errors':%u,'warnings':%u}", l->problems[CANDO_ERROR],
                 l->problems[CANDO_WARNING]);
    }
    json("]}\n");
}

static int run(struct call *c)
{
    struct page *p = arena_alloc(&c->ar, sizeof *p);
    struct config config;
    if (!p)
        return fail_memory();
    p->json = c->json;
    cando_status st = engine_config(c, &config);
    if (st == CANDO_OK)
        st = fill(p, &config, &c->err);
    if (st != CANDO_OK)
        fail(&c->err);
    else if (c->json)
        put_json(p);
    else
        put_page(p, &config);
    return st != CANDO_OK ? (int)st : p->errors ? EXIT_INPUT : EXIT_YES;
}

const struct verb verb_where = {
    .name = "where",
    .summary = "which files are in force, and what is wrong with them",
    .usage = "[OPTION]...",
    .text = "Lists the catalog and the rule files that show, models, pick and the other verbs for "
            "people look at: the built-in catalog, the one of the last update, the user's files, "
            "the project's cando.toml, and --overlay. Each lies over those before it.\n\n"
            "Findings of the user's and the project's files go to the standard error; with an "
            "error among them the exit code is 3.",
    .options = options,
    OPERANDS(0, 0, NULL, "takes no operand"),
    .paged = true,
    .run = run,
};
