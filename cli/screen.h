/*
 * screen.h - the terminal that stdout is: how wide, with colour or not, and a pager.
 *
 * What goes to a terminal and is longer than it is shown by a pager, as git does: $PAGER, or
 * less if that is there. PAGER=cat or --no-pager switches it off. In a pipe there is none, and
 * nothing is cut.
 */
#ifndef CANDO_CLI_SCREEN_H
#define CANDO_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
#define COLOUR_WORDS "auto always never" /* in the order of these */

/* Looks at the two streams and the environment, once. */
void screen_init(void);
void screen_colour(enum colour when);
bool screen_is_coloured(bool stderr_too);

/* Columns of the terminal that stdout is, or 0 if it is none. */
size_t screen_room(void);
/* The same, or $COLUMNS: columns in which lines of text are broken; 0: they are left whole. */
size_t screen_lines(void);
/* The same of what goes to stderr, which may be the terminal where stdout is none. */
size_t screen_notes(void);

/* Work that takes longer than a second tells how far it is, on a terminal, in one line that is
 * written over. True: it is time to write that line to stderr, without an end. */
bool screen_progress_due(void);
/* And that line is gone. */
void screen_progress_end(void);

/* From here on a pager shows stdout, if it is a terminal; */
void screen_pager(void);
/* and what is left of it is awaited: stdout must have been flushed. */
void screen_end(void);

#endif
