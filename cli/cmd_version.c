/*
 * cmd_version.c - cando version: the program's version, its catalogs, and of which day they are.
 */
#include "base/instant.h"
#include "engine.h"

#include <unistd.h>

enum { SOURCES = 32 };

static const struct option_row options[] = {
    {JSON("print one JSON object")},
    {0},
};

static const char *source_name(const cando_catalog_source *s)
{
    if (s->name)
        return s->name;
    return *s->url ? s->url : "read by hand";
}

/* How many days ago that was; false: nobody knows, or it is to come. */
static bool age_of(const char *day, unsigned *out)
{
    int32_t then, now;
    char today[16];
    if (!day_parse(str_of(day), &then) ||
        !day_parse(str_of(day_dashed(day_today(), today)), &now) || then > now)
        return false;
    *out = (unsigned)(now - then);
    return true;
}

/* "today", "12 days old", "86 days old (3 months)": as one would say it. */
static const char *age_words(const char *day, char text[48])
{
    enum { MONTHS_FROM = 45, YEARS_FROM = 730 };
    unsigned days;
    if (!age_of(day, &days))
        return "";
    if (days < 2)
        return days ? "yesterday" : "today";
    bool years = days >= YEARS_FROM;
    int n = snprintf(text, 48, "%u days old", days);
    if (days >= MONTHS_FROM)
        snprintf(text + n, 48 - (size_t)n, years ? " (%u years)" : " (%u months)",
                 years ? days / 365 : (days * 10 + 152) / 304);
    return text;
}

static void put_catalog(const char *what, const cando_catalog *c)
{
    cando_catalog_info info;
    cando_catalog_source s[SOURCES];
    size_t n = cando_catalog_sources(c, s, SOURCES);
    cando_catalog_describe(c, &info);
    out("%s: ", what);
    out_catalog(&info, info.bytes);
    for (size_t i = 0; i < n; i++) {
        char age[48];
        const char *day = *s[i].checked ? s[i].checked : "?";
        out("  %-14s %-10s  %-23s  %'6u model" PLURAL "\n", source_name(&s[i]), day,
            age_words(day, age), s[i].models);
    }
}

/* Members of an object that is open. */
static void json_catalog(const cando_catalog *c)
{
    cando_catalog_info info;
    cando_catalog_source s[SOURCES];
    char hash[20];
    size_t n = cando_catalog_sources(c, s, SOURCES);
    cando_catalog_describe(c, &info);
    snprintf(hash, sizeof hash, "%016jx", info.source_hash);
    json("'format_version':%u,'rules':%u,'models':%u,'providers':%u,'fields':%u,'bytes':%ju,"
         "'source_hash':%s,'sources':[",
         info.format_version, info.rules, info.models, info.providers, cando_field_count(),
         info.bytes, hash);
    for (size_t i = 0; i < n; i++) {
        if (i)
            json(",");
        unsigned days;
        json("{'source':%s,'day':%s,", source_name(&s[i]), *s[i].checked ? s[i].checked : NULL);
        if (age_of(s[i].checked, &days))
            json("'days_old':%u,", days);
        json("'models':%u}", s[i].models);
    }
    json("]");
}

/* The catalog that `cando update` made, or NULL. */
static const cando_catalog *open_updated(struct call *c, struct config *config)
{
    if (config_init(config, &c->ar, &c->err) != CANDO_OK || !config->catalog)
        return NULL;
    if (access(config->catalog, R_OK) != 0)
        return NULL;
    return cando_catalog_open_file(config->catalog, NULL, NULL);
}

static int run(struct call *c)
{
    struct config config = {0};
    const cando_catalog *updated = open_updated(c, &config);
    if (c->json) {
        json("{'version':%s,", cando_version());
        json_catalog(cando_catalog_builtin());
        if (updated) {
            json(",'updated':{'file':%s,", config.catalog);
            json_catalog(updated);
            json("}");
        }
        json("}\n");
    } else {
        out("cando %s\n", cando_version());
        put_catalog("built-in catalog", cando_catalog_builtin());
        if (updated)
            put_catalog(config.catalog, updated);
    }
    cando_catalog_release(updated);
    return EXIT_YES;
}

const struct verb verb_version = {
    .name = "version",
    .summary = "the version, and how old the catalog is",
    .usage = "[OPTION]...",
    .text =
        "Prints the version of the program, the size of the catalog that is linked into it, and "
        "of each source of its facts the last day, and how long ago that was. If cando update has "
        "made a newer one, the same of that.",
    .examples = "cando version",
    .options = options,
    OPERANDS(0, 0, NULL, "takes no operands"),
    .run = run,
};
