/*
 * textdiff.h - what changed from one text to another, line by line, as diff -u prints it.
 */
#ifndef CANDO_CLI_TEXTDIFF_H
#define CANDO_CLI_TEXTDIFF_H

#include "base/mem.h"
#include "base/str.h"

/* Prints it to stdout; nothing if the texts are equal. False: no memory. */
bool textdiff_put(struct arena *ar, const char *name, struct str from, struct str to);

#endif
