/*
 * brief.h - models in a line each, for people who look for one and for other programs.
 */
#ifndef CANDO_CLI_BRIEF_H
#define CANDO_CLI_BRIEF_H

#include "engine.h"

/* The fields that the lines are made of. */
const char *const *brief_fields(size_t *n);
/* "gpt-4o  streaming · tools · json=schema", or with `told` false "openai/gpt-4o". */
int brief_print(const cando_models_answer *r, bool told);

#endif
