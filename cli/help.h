/*
 * help.h - the papers: help texts, the manual page, the completion.
 *
 * All are made from the tables of the verbs, the vocabulary and the codes, so
 * none of them is written twice. The manual is scdoc source.
 */
#ifndef CANDO_CLI_HELP_H
#define CANDO_CLI_HELP_H

#include <stdio.h>

void help_overview(FILE *f);
void help_fields(void);
void help_man(void);
void help_bash(void);

#endif
