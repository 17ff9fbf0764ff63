/*
 * catalog_case.h - catalogs from a few lines of rules, for tests.
 */
#ifndef CATALOG_CASE_H
#define CATALOG_CASE_H

#include "test.h"

#include "catalog/profile.h"

static inline cando_sources *case_sources(const char *text, cando_syntax syntax, cando_layer layer)
{
    cando_error err = {0};
    cando_sources *s = cando_sources_new(NULL, &err);
    assert_non_null(s);
    assert_int_equal(cando_sources_add(s, "case.toml", text, strlen(text), syntax, layer, &err), CANDO_OK);
    return s;
}

/* Builds, opens with all checks, frees the sources. */
static inline const cando_catalog *case_open(cando_sources *s)
{
    const void *bytes = NULL;
    size_t n = 0;
    cando_error err = {0};
    if (cando_sources_build(s, &bytes, &n, &err) != CANDO_OK)
        fail_msg("%s:%u: %s", err.at, err.line, err.message);
    const cando_catalog *cat = cando_catalog_open_copy(bytes, n, NULL, &err);
    if (!cat)
        fail_msg("%s", err.message);
    cando_sources_free(s);
    return cat;
}

/* Rules in our own API, without the schema line. */
static inline const cando_catalog *case_catalog(const char *rules)
{
    char text[8192];
    assert_true(strlen(rules) + 100 < sizeof text);
    strcpy(text, "schema = \"cando/rules@1\"\n");
    strcat(text, rules);
    return case_open(case_sources(text, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY));
}

static inline cando_profile case_resolve(const cando_catalog *cat, const char *provider, const char *model, cando_resolution how)
{
    cando_profile p;
    cando_error err = {0};
    assert_int_equal(cando_resolve_parts(cat, provider, strlen(provider), model, strlen(model), how, &p, &err), CANDO_OK);
    return p;
}

static inline cando_value case_get(const cando_profile *p, unsigned field)
{
    return cando_profile_get(p, (cando_field)field);
}

/* -- numbers of a snapshot, to be spoilt -------------------------------------------------- */

static inline void put32(unsigned char *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

static inline uint32_t get32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void put64(unsigned char *p, uint64_t v)
{
    put32(p, (uint32_t)v);
    put32(p + 4, (uint32_t)(v >> 32));
}

static inline uint64_t get64(const unsigned char *p)
{
    return (uint64_t)get32(p) | (uint64_t)get32(p + 4) << 32;
}

#endif
