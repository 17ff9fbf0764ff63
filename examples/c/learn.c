/*
 * learn.c - a provider's refusal becomes knowledge: from now on the profile has it.
 *
 * Catalogs are late; an error reply is not. What is learnt is the top layer of a catalog,
 * and expires. Where it is kept is up to the program: cando_observations_rules gives a rule
 * file, and an event (CANDO_EVENT_OBSERVATION) can go to the audit trail.
 */
#include <cando.h>
#include <stdio.h>
#include <string.h>

#define MODEL "openai/gpt-4o"
#define DAY UINT64_C(86400000)

static int failed(const cando_error *err)
{
    fprintf(stderr, "%s: %s\n", err->code, err->message);
    return 1;
}

/* The built-in catalog with what was observed on top; NULL: `err` says why. */
static const cando_catalog *build(cando_sources *s, cando_observations *seen, uint64_t now,
                                  cando_error *err)
{
    const char *rules;
    const void *snapshot;
    size_t len;
    if (cando_observations_rules(seen, now, &rules, &len, err) != CANDO_OK)
        return NULL;
    if (cando_sources_add_catalog(s, cando_catalog_builtin(), 0, err) != CANDO_OK)
        return NULL;
    if (cando_sources_add(s, "observed", rules, len, CANDO_SYNTAX_CANDO, CANDO_LAYER_OBSERVED,
                          err) != CANDO_OK)
        return NULL;
    if (cando_sources_build(s, &snapshot, &len, err) != CANDO_OK)
        return NULL;
    return cando_catalog_open_copy(snapshot, len, NULL, err);
}

static int print(const cando_catalog *catalog, const char *when)
{
    cando_error err;
    cando_profile p;
    cando_field field = cando_field_find("temperature");
    if (cando_resolve(catalog, MODEL, &p, &err) != CANDO_OK)
        return failed(&err);
    cando_value v = cando_profile_get(&p, field);
    cando_origin o = cando_profile_why(&p, field);
    bool refused = v.known && v.support == CANDO_UNSUPPORTED;
    printf("%s: temperature is %s\n", when, refused ? "refused" : "not refused");
    if (refused)
        printf("  %s: %s\n", o.layer, o.source);
    return 0;
}

int main(void)
{
    static const char reply[] =
        "{\"error\":{\"message\":\"Unsupported parameter: 'temperature' is not supported with this "
        "model.\",\"param\":\"temperature\",\"code\":\"unsupported_parameter\"}}";
    const uint64_t now = 1795000000000; /* milliseconds since 1970, the caller's */
    cando_error err;
    cando_observations *seen = cando_observations_new(NULL, &err);
    cando_sources *s = seen ? cando_sources_new(NULL, &err) : NULL;
    const cando_catalog *catalog = NULL;
    if (s && cando_observations_learn(seen, MODEL, reply, strlen(reply), now, now + 30 * DAY, NULL,
                                      &err) == CANDO_OK)
        catalog = build(s, seen, now, &err);
    int code = catalog ? print(cando_catalog_builtin(), "before") : failed(&err);
    if (!code)
        code = print(catalog, "after"); /* cando_set_catalog puts it in force in an engine */
    cando_catalog_release(catalog);
    cando_sources_free(s);
    cando_observations_free(seen);
    return code;
}
