/*
 * cmd_where.c - cando where: which files are in force, in order.
 *
 * Each line lies over those before it. Everything is read anew and judged, so
 * that this is also the place to look when an answer is a surprise.
 */
#include "base/limits.h"
#include "catalog.h"
#include "engine.h"

enum { OPTION_JSON = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL, "print JSON"},
    {OPTION_OVERLAY, "overlay", "FILE", NULL,
     "as if it had been given to another verb; may be repeated"},
    {OPTION_NO_CONFIG, "no-config", NULL, NULL, "the same"},
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
    cando_sources *sources;
    bool json;
    size_t errors;
};

static const char *layer_word(cando_layer layer)
{
    return layer == CANDO_LAYER_USER ? "user" : "project";
}

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

static cando_status fill(struct page *p, const struct config *c, cando_error *err)
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
            (struct line){.layer = layer_word(c->file[i].layer), .path = c->file[i].path};
    const cando_catalog *cat = catalog_in_force(c, count_problems, p, err);
    if (!cat)
        p->errors += p->errors == 0;
    bool told = !cat && p->errors && err->status == CANDO_BAD_INPUT;
    cando_catalog_release(cat);
    return cat || told ? CANDO_OK : err->status;
}

static void put_problems(const struct line *l)
{
    if (l->problems[CANDO_ERROR] + l->problems[CANDO_WARNING] == 0) {
        out_print(stdout, STYLE_GOOD, "ok");
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%u error%s, %u warning%s", l->problems[CANDO_ERROR],
             l->problems[CANDO_ERROR] == 1 ? "" : "s", l->problems[CANDO_WARNING],
             l->problems[CANDO_WARNING] == 1 ? "" : "s");
    out_print(stdout, l->problems[CANDO_ERROR] ? STYLE_BAD : STYLE_WARN, text);
}

static void put_page(const struct page *p, const struct config *c)
{
    size_t width = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t n = out_width(str_of(p->line[i].path));
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < p->n; i++) {
        const struct line *l = &p->line[i];
        bool replaced = l->is_catalog && i + 1 < p->n && p->line[i + 1].is_catalog;
        printf("%2zu  ", i + 1);
        out_cell(stdout, STYLE_DIM, str_of(l->layer), 9);
        out_cell(stdout, replaced ? STYLE_DIM : STYLE_BOLD, str_of(l->path), width + 2);
        if (!l->is_catalog) {
            put_problems(l);
        } else {
            out_count(stdout, l->info.models, "model", ", ");
            out_count(stdout, l->info.providers, "provider", ", ");
            out_count(stdout, l->info.rules, "rule", replaced ? " (replaced by the next)" : "");
        }
        fputc('\n', stdout);
    }
    fputs("\nlater ones overwrite earlier ones, field by field; looked for in\n", stdout);
    printf("    %s\n    %s/*.toml\n    cando.toml, from here upwards\n",
           c->catalog ? c->catalog : "(no home folder)", c->rules ? c->rules : "(no home folder)");
}

static void put_json(const struct page *p)
{
    struct buf b;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    buf_putz(&b, "{\"files\":[");
    for (size_t i = 0; i < p->n; i++) {
        const struct line *l = &p->line[i];
        buf_printf(&b, "%s{\"layer\":\"%s\",\"path\":", i ? "," : "", l->layer);
        out_quoted(&b, str_of(l->path));
        if (l->is_catalog)
            buf_printf(&b, ",\"models\":%u,\"providers\":%u,\"rules\":%u}", l->info.models,
                       l->info.providers, l->info.rules);
        else
            buf_printf(&b, ",\"errors\":%u,\"warnings\":%u}", l->problems[CANDO_ERROR],
                       l->problems[CANDO_WARNING]);
    }
    buf_putz(&b, "]}");
    out_line(str_make(b.p, b.n));
    buf_free(&b);
}

static int run(const struct verb *self, int argc, char **argv)
{
    static struct page p; /* too large for the stack */
    struct engine e;
    struct config c;
    cando_error err = {.status = CANDO_OK};
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            p.json = true;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest)
        return args_usage(&a, "takes no operand");
    cando_status st = config_init(&c) ? CANDO_OK : error_memory(&err);
    if (st == CANDO_OK && !e.plain)
        st = config_find(&c, &err);
    for (size_t i = 0; st == CANDO_OK && i < e.n_overlays; i++)
        st = config_add(&c, e.overlay[i], CANDO_LAYER_PROJECT, true, &err);
    if (st == CANDO_OK)
        st = fill(&p, &c, &err);
    if (st != CANDO_OK)
        out_error(&err);
    else if (p.json)
        put_json(&p);
    else
        put_page(&p, &c);
    config_free(&c);
    return st != CANDO_OK ? (int)st : p.errors ? EXIT_INPUT : EXIT_YES;
}

const struct verb verb_where = {
    .name = "where",
    .summary = "which files are in force, in order, and what is wrong with them",
    .usage = "[OPTION]...",
    .text = "Lists the catalog and the rule files that show, models, pick and the other verbs for "
            "people look at: the built-in catalog, the one of the last update, the user's files, "
            "the project's cando.toml, and --overlay. Each lies over those before it.\n\n"
            "Findings of the user's and the project's files go to the standard error; with an "
            "error among them the exit code is 3.",
    .options = options,
    .run = run,
};
