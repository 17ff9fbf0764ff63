/*
 * taken_out.c - preloaded into the daemon: whoever takes the descriptor that is listened to out of
 * a set of epoll comes second, and is told that it is not there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

enum { LISTENING = 3 };

static long ask(long number, const long a[6])
{
    static long (*next)(long, ...);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    long rc = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number != SYS_epoll_ctl || a[1] != EPOLL_CTL_DEL || a[2] != LISTENING)
        return rc;
    errno = ENOENT;
    return -1;
}

long syscall(long number, ...)
{
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    return ask(number, a);
}

int epoll_ctl(int set, int what, int fd, struct epoll_event *event)
{
    return (int)ask(SYS_epoll_ctl, (long[]){set, what, fd, (long)event, 0, 0});
}
