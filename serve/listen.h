/*
 * listen.h - where the daemon listens, and what it tells the one who started it.
 *
 * The socket is made here, or comes from systemd ($LISTEN_FDS). Whoever is not on this machine
 * needs a token: without one there is no socket but a loopback one, or one with a name in the file
 * system.
 */
#ifndef CANDO_SERVE_LISTEN_H
#define CANDO_SERVE_LISTEN_H

#include <stdbool.h>

struct listening {
    int fd;
    bool given;     /* by systemd, which has it, too */
    bool loopback;  /* TCP on this machine alone: then the Host of a request matters */
    char name[256]; /* "http://127.0.0.1:22636" or "unix:PATH" */
    char path[108]; /* of a Unix socket that is ours to remove, or "" */
};

/* `where` may be NULL. Gives the exit code; anything but EXIT_YES has been reported. */
int listen_open(const char *where, bool has_token, struct listening *out);
void listen_close(struct listening *l);
/* To $NOTIFY_SOCKET, if there is one: "READY=1". */
void listen_notify(const char *state);

#endif
