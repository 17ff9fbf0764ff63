/*
 * watch.h - have the files in force changed? By inotify, on the folders that they lie in, since
 * editors replace files. Several changes within a moment are one.
 */
#ifndef CANDO_SERVE_WATCH_H
#define CANDO_SERVE_WATCH_H

#include <stdbool.h>

/* Watches what is in force now. Where that cannot be done, SIGHUP is left. */
void watch_files(void);
void watch_stop(void);
int watch_fd(void); /* -1: there is none */
/* Something has happened, */
void watch_read(void);
/* and what it was is not clear yet; */
bool watch_is_pending(void);
/* or it is a while ago: the files are to be looked at. True once. */
bool watch_is_due(void);

#endif
