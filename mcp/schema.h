/*
 * schema.h - schemas of tools, cut out of those of the operations, and answers held to them.
 *
 *     cando_schema("preflight") ──► question: the members that are arguments, with their words
 *                               └─► answer:   the members that are told, without words
 *
 * Words are left out of answers since they are for whoever writes a program, and a list of tools is
 * read by a model each time. Of the forms that an argument may have the first is named, which is
 * the plain one; the operation takes the others as well.
 */
#ifndef CANDO_MCP_SCHEMA_H
#define CANDO_MCP_SCHEMA_H

#include "put.h"

/* The members of an object schema's "properties" that `members` lists, one behind the other. Of
 * those that are any JSON for the operation, the words of `objects` are objects. */
void schema_members(struct buf *b, const cando_json *schema, const char *members,
                    const char *objects);
/* An answer's schema with these members, and without those of `inner` inside of them. */
void schema_answer(struct buf *b, const cando_json *schema, const char *members, const char *inner);

/* The value without what the schema does not have. */
void schema_put(struct buf *b, const cando_json *v, const cando_json *schema);

#endif
