/*
 * overlay.c - rules of one's own over the built-in catalog, put in force in a running engine.
 *
 * Later layers overwrite earlier ones, field by field. A mistake in a file is a finding with
 * its place; whether it stops the program is the caller's decision. docs/rules.md has all
 * that a rule file may say, docs/overlays.md how the command line finds such files.
 */
#include <cando.h>
#include <stdio.h>
#include <string.h>

static const char mine[] =
    "schema = \"cando/rules@1\"\n"
    "[[rules]]\n"
    "providers = [\"openai\"]\n"
    "match = \"gpt-4o*\"\n"
    "set = { context_window = 64000 }\n"; /* our proxy has a limit; lint will want a `source` */

static int failed(const cando_error *err)
{
    fprintf(stderr, "%s:%u: %s\n", err->at, (unsigned)err->line, err->message);
    return 1;
}

/* All of it compiled into one catalog, or NULL. */
static const cando_catalog *build(cando_sources *s, cando_error *err)
{
    if (cando_sources_add_catalog(s, cando_catalog_builtin(), 0, err) != CANDO_OK)
        return NULL;
    if (cando_sources_add(s, "mine.toml", mine, strlen(mine), CANDO_SYNTAX_CANDO, CANDO_LAYER_USER,
                          err) != CANDO_OK)
        return NULL;
    if (cando_sources_lint(s, err) != CANDO_OK)
        return NULL;
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding f = cando_sources_finding(s, i);
        printf("%s:%u: %s [%s]\n", f.file, (unsigned)f.line, f.message, f.code);
    }
    const void *snapshot;
    size_t len;
    if (cando_sources_build(s, &snapshot, &len, err) != CANDO_OK)
        return NULL;
    return cando_catalog_open_copy(snapshot, len, NULL, err); /* `snapshot` goes with `s` */
}

static int print(const cando *c)
{
    cando_error err;
    cando_profile p;
    cando_field field = cando_field_find("context_window");
    const cando_catalog *catalog = cando_get_catalog(c); /* to be released */
    cando_status status = cando_resolve(catalog, "openai/gpt-4o", &p, &err);
    if (status != CANDO_OK) {
        cando_catalog_release(catalog);
        return failed(&err);
    }
    cando_value v = cando_profile_get(&p, field);
    cando_origin o = cando_profile_why(&p, field);
    if (v.known)
        printf("window: %llu, says %s\n", (unsigned long long)v.number, o.file);
    else
        printf("window: unknown\n");
    cando_catalog_release(catalog);
    return 0;
}

int main(void)
{
    cando_error err;
    cando *c = cando_new(NULL, NULL, &err);
    cando_sources *s = c ? cando_sources_new(NULL, &err) : NULL;
    const cando_catalog *catalog = s ? build(s, &err) : NULL;
    int code = catalog ? print(c) : failed(&err);
    if (!code) {
        cando_set_catalog(c, catalog); /* questions that other threads ask end on the old one */
        code = print(c);
    }
    cando_catalog_release(catalog); /* the engine has its own reference */
    cando_sources_free(s);
    cando_free(c);
    return code;
}
