/* first.c - the shortest way in: one model, one field. */
#include <cando.h>
#include <stdio.h>

int main(void)
{
    cando_profile model;
    cando_error err;
    if (cando_resolve(cando_catalog_builtin(), "openai/gpt-4o", &model, &err) != CANDO_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    cando_value tools = cando_profile_get(&model, cando_field_find("tool_calling"));
    if (!tools.known)
        puts("nobody has said whether it calls tools");
    else
        puts(tools.support == CANDO_UNSUPPORTED ? "it calls no tools" : "it calls tools");
    return 0;
}
