#define _DEFAULT_SOURCE
#include "screen.h"

#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 20, COLUMNS_MOST = 1000 };

static bool colour[2];     /* of stdout and stderr */
static size_t room, lines; /* of the terminal; and of text, if it is none */
static size_t notes;       /* of the terminal that stderr is, or as lines */
static pid_t pager;
static bool in_progress; /* its line stands there */

void screen_init(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    struct winsize w;
    bool plain = (no && *no) || (term && strcmp(term, "dumb") == 0);
    colour[0] = !plain && isatty(STDOUT_FILENO) == 1;
    colour[1] = !plain && isatty(STDERR_FILENO) == 1;
    if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
        room = w.ws_col;
    if (isatty(STDERR_FILENO) == 1 && ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0)
        notes = w.ws_col;
    const char *columns = getenv("COLUMNS");
    long n = columns ? strtol(columns, NULL, 10) : 0;
    lines = room ? room : n >= COLUMNS_LEAST && n < COLUMNS_MOST ? (size_t)n : 0;
    notes = notes ? notes : lines;
}

void screen_colour(enum colour when)
{
    if (when != COLOUR_AUTO)
        colour[0] = colour[1] = when == COLOUR_ALWAYS;
}

bool screen_is_coloured(bool stderr_too)
{
    return colour[stderr_too];
}

size_t screen_room(void)
{
    return room;
}

size_t screen_lines(void)
{
    return lines;
}

size_t screen_notes(void)
{
    return notes;
}

/* -- progress -- */

enum { FIRST_MS = 1000, AGAIN_MS = 200 };

bool screen_progress_due(void)
{
    static int64_t due = -1; /* ms; 0: never */
    struct timespec now;
    if (due == 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return false;
    int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (due < 0) {
        const char *first = getenv("CANDO_PROGRESS_MS"); /* for tests, which do not wait */
        due = ms + (first && *first ? atoi(first) : FIRST_MS);
        const char *term = getenv("TERM");
        if (isatty(STDERR_FILENO) != 1 || pager > 0 || (term && strcmp(term, "dumb") == 0))
            due = 0;
    }
    if (due == 0 || ms < due)
        return false;
    due = ms + AGAIN_MS;
    in_progress = true;
    fputs("\r\033[K", stderr);
    return true;
}

void screen_progress_end(void)
{
    if (in_progress)
        fputs("\r\033[K", stderr);
    in_progress = false;
}

/* -- the pager -- */

/* Is this program in one of the folders of $PATH? */
static bool is_installed(const char *name)
{
    char path[PATH_MAX];
    for (const char *at = getenv("PATH"); at && *at; at += *at == ':') {
        size_t n = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)n, at, name);
        if (access(path, X_OK) == 0)
            return true;
        at += n;
    }
    return false;
}

/* Shows what comes from `in`: all options of less that it needs are in its variable. */
static void be_pager(const char *command, int in)
{
    dup2(in, STDIN_FILENO);
    close(in);
    setenv("LESS", "FRX", 0);
    signal(SIGINT, SIG_IGN); /* less takes it as a command */
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void screen_pager(void)
{
    const char *own = getenv("PAGER"), *term = getenv("TERM");
    const char *command = own ? own : "less";
    int end[2];
    if (!room || !isatty(STDIN_FILENO) || (term && strcmp(term, "dumb") == 0))
        return;
    if (!*command || strcmp(command, "cat") == 0 || (!own && !is_installed(command)))
        return;
    if (pipe(end) != 0)
        return;
    fflush(stdout);
    pager = fork();
    if (pager == 0) {
        close(end[1]);
        be_pager(command, end[0]);
    }
    if (pager > 0) {
        signal(SIGINT, SIG_IGN); /* the pager would be left behind on the terminal */
        dup2(end[1], STDOUT_FILENO);
        if (isatty(STDERR_FILENO)) /* in the order in which they are written */
            dup2(end[1], STDERR_FILENO);
    }
    close(end[0]);
    close(end[1]);
}

void screen_end(void)
{
    if (pager <= 0)
        return;
    fflush(stderr);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    while (waitpid(pager, NULL, 0) < 0)
        ;
    pager = 0;
}
