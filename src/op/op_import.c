/*
 * op_import.c - the question and the answer of `import`.
 */
#include "op.h"

#define S cando_import_question
static const struct shape_member question[] = {
    LIST(sources, &op_fact_source, NEEDED, "files as other catalogs serve them"),
    TEXTS(providers, NONE, "ids of providers to write files for; without it all"),
    FLAG(skipped, NONE, "list every record that was not imported, with its reason"),
    FLAG(files, ON, "give the texts; false: only count"),
    FLAG(current, NONE, "leave chat models of hosts out that only the oldest list has"),
};
#undef S

#define S cando_import_count
static const struct shape_member source[] = {
    TEXT(source, NEEDED, "whose file"),
    TEXT(day, NEEDED, "the day that it is of"),
    COUNT(read, NEEDED, "records in it"),
    COUNT(imported, NEEDED, "records that were taken"),
    MAP(reasons, &op_tally, NEEDED, "why records were not, and how many"),
    COUNT(skipped, NEEDED, "all of these"),
    COUNT(bad_values, NEEDED, "single values that could not be read"),
    MAP(providers, &op_tally, NEEDED, "of whose models it says something, and of how many"),
};
#undef S
static const struct shape source_shape = SHAPE("a source", cando_import_count, source);

#define S cando_import_skip
static const struct shape_member skip[] = {
    TEXT(source, NEEDED, "whose file"),
    TEXT(at, NONE, "JSON Pointer into it"),
    TEXT(reason, NEEDED, "why"),
    TEXT(detail, NONE, "what stands there"),
};
#undef S
static const struct shape skip_shape = SHAPE("a record", cando_import_skip, skip);

#define S cando_import_file
static const struct shape_member file[] = {
    TEXT(provider, NEEDED, "whose models"),
    COUNT(models, NEEDED, "how many"),
    STRING(text, OMIT, "the rule file"),
};
#undef S
static const struct shape file_shape = SHAPE("a file", cando_import_file, file);

#define S cando_import_answer
static const struct shape_member answer[] = {
    LIST(sources, &source_shape, NEEDED, "what became of each file"),
    LIST(skipped, &skip_shape, OMIT, "what was not imported"),
    LIST(files, &file_shape, NEEDED, "one a provider"),
    COUNT(models, NEEDED, "with facts"),
    COUNT(providers, NEEDED, "of these"),
    COUNT(bare, NEEDED, "models that are only known to exist"),
    COUNT(gone, NEEDED, "models that are no longer on their provider's own list"),
    COUNT(old, NEEDED, "left out because of `current`"),
};
#undef S

OP(import, "files of other catalogs in, our own rule files out", 0,
   "{\"op\":\"import\",\"files\":false,\"sources\":[{\"source\":\"models.dev\",\"day\":\"2026-07-"
   "02\",\"text\":\"{}\"}]}")
