#define _GNU_SOURCE
#include "watch.h"

#include "cli/trail.h"
#include "epoch.h"

#include <limits.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { QUIET_MS = 150 };

static struct {
    int fd;
    uint64_t last; /* milliseconds since 1970; 0: nothing has happened */
} watch = {.fd = -1};

static void watch_one(void *ctx, const char *path)
{
    char folder[PATH_MAX];
    const uint32_t events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE |
                            IN_ONLYDIR | IN_EXCL_UNLINK;
    const char *slash = strrchr(path, '/');
    (void)ctx;
    snprintf(folder, sizeof folder, "%.*s", slash > path ? (int)(slash - path) : 1,
             slash ? path : ".");
    inotify_add_watch(watch.fd, folder, events); /* again is the same watch */
    inotify_add_watch(watch.fd, path, events);   /* a folder of the user's rules */
}

int watch_fd(void)
{
    if (watch.fd < 0)
        watch.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return watch.fd;
}

void watch_files(void)
{
    if (watch_fd() < 0)
        return;
    epoch_files(watch_one, NULL);
    watch.last = trail_now(); /* what has changed since they were read has made no event */
}

void watch_stop(void)
{
    if (watch.fd >= 0)
        close(watch.fd);
    watch.fd = -1;
}

void watch_read(void)
{
    char events[4096] __attribute__((aligned(8)));
    while (read(watch.fd, events, sizeof events) > 0)
        watch.last = trail_now();
}

bool watch_is_pending(void)
{
    return watch.last != 0;
}

bool watch_is_due(void)
{
    bool due = watch.last && trail_now() - watch.last >= QUIET_MS;
    if (due)
        watch.last = 0;
    return due;
}
