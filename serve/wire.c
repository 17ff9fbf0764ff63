#define _GNU_SOURCE
#include "wire.h"

#include "http.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct wire {
    _Atomic bool live;
    bool answered;    /* the refusal has been sent */
    atomic_flag busy; /* held while it is ended, so that its descriptor is still the same */
    struct strict strict;
    _Atomic uint32_t reading, replying; /* since when, in seconds; 0: not */
    _Atomic uint32_t fresh;             /* the same: nothing has come of it yet */
    _Atomic bool answering;             /* a request of it is being answered, */
    _Atomic bool sending;               /* and the answer has begun to go out */
};

static struct {
    struct wire *of;
    size_t n;
    _Atomic size_t top; /* no descriptor in use is higher */
    unsigned read_time, reply_time;
    _Atomic uint64_t refused, slow;
    _Atomic bool no_waves;   /* these are no TCP connections */
    _Atomic unsigned taking; /* threads that may have a connection which is none of these yet */
} wires;

static uint32_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint32_t)t.tv_sec + 1; /* never 0 */
}

bool wire_init(size_t fds, unsigned read_time, unsigned reply_time)
{
    wires.of = calloc(fds, sizeof *wires.of);
    wires.n = wires.of ? fds : 0;
    wires.read_time = read_time;
    wires.reply_time = reply_time;
    return wires.of != NULL;
}

void wire_free(void)
{
    free(wires.of);
    wires.of = NULL;
    wires.n = 0;
}

static struct wire *wire_of(int fd)
{
    return fd >= 0 && (size_t)fd < wires.n ? &wires.of[fd] : NULL;
}

static void wire_lock(struct wire *w)
{
    while (atomic_flag_test_and_set_explicit(&w->busy, memory_order_acquire))
        ;
}

static void wire_unlock(struct wire *w)
{
    atomic_flag_clear_explicit(&w->busy, memory_order_release);
}

static _Thread_local bool taking;

static void taken(void)
{
    if (taking)
        atomic_fetch_sub(&wires.taking, 1);
    taking = false;
}

/* Who stops listening has to know of a connection from the moment on in which it is taken: the HTTP
 * library tells of it only later. */
int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags)
{
    taken();
    taking = true;
    atomic_fetch_add(&wires.taking, 1);
    long got = syscall(SYS_accept4, fd, address, size, flags);
    if (got < 0)
        taken();
    return (int)got;
}

static bool open_wire(int fd)
{
    struct wire *w = wire_of(fd);
    size_t top = atomic_load(&wires.top);
    if (!w)
        return false;
    strict_init(&w->strict);
    w->answered = false;
    atomic_store(&w->fresh, now());
    atomic_store(&w->reading, 0);
    atomic_store(&w->replying, 0);
    atomic_store(&w->answering, false);
    atomic_store(&w->sending, false);
    atomic_store(&w->live, true);
    while ((size_t)fd > top && !atomic_compare_exchange_weak(&wires.top, &top, (size_t)fd))
        ;
    return true;
}

bool wire_open(int fd)
{
    bool ok = open_wire(fd);
    taken();
    return ok;
}

void wire_close(int fd)
{
    struct wire *w = wire_of(fd);
    if (!w)
        return;
    wire_lock(w);
    atomic_store(&w->live, false);
    wire_unlock(w);
}

void wire_asked(int fd)
{
    struct wire *w = wire_of(fd);
    if (w)
        atomic_store_explicit(&w->answering, true, memory_order_relaxed);
}

void wire_reply(int fd, bool begins, bool no_limit)
{
    struct wire *w = wire_of(fd);
    if (!w)
        return;
    if (!begins)
        atomic_store_explicit(&w->answering, false, memory_order_relaxed);
    atomic_store_explicit(&w->sending, begins, memory_order_relaxed);
    atomic_store_explicit(&w->replying, begins && !no_limit ? now() : 0, memory_order_relaxed);
}

/* -- refusing ---------------------------------------------------------------------------------- */

static ssize_t plain_recv(int fd, void *p, size_t n, int flags)
{
    return syscall(SYS_recvfrom, fd, p, n, flags, NULL, NULL);
}

/* Nothing else is being sent when this is: the library reads only when it has answered all before.
 */
static void answer(int fd, unsigned status, const char *code, const char *why)
{
    char body[512], text[1024];
    int n = snprintf(body, sizeof body,
                     "{\"id\":null,\"ok\":false,\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}",
                     code, why);
    n = snprintf(text, sizeof text,
                 "HTTP/1.1 %u %s\r\nContent-Type: application/json\r\nConnection: close\r\n"
                 "Content-Length: %d\r\n\r\n%s",
                 status, http_reason(status), n, body);
    if (send(fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        return; /* who does not listen is not told */
}

/* What was sent is read, as far as it has come: a socket that is closed with bytes in it resets the
 * connection, and the answer with it. */
static void drain(int fd)
{
    char rest[4096];
    for (unsigned i = 0; i < 64 && plain_recv(fd, rest, sizeof rest, MSG_DONTWAIT) > 0; i++)
        ;
}

static ssize_t refuse(struct wire *w, int fd)
{
    if (!w->answered) {
        w->answered = true;
        atomic_fetch_add(&wires.refused, 1);
        answer(fd, w->strict.status, code_name(CODE_http_request), w->strict.why);
        drain(fd);
    }
    return 0; /* as if the client had gone */
}

/* What the HTTP library calls. Behind a shutdown there is an event, so that it calls again once it
 * has answered what came before. */
ssize_t recv(int fd, void *p, size_t n, int flags)
{
    struct wire *w = wire_of(fd);
    if (!w || !atomic_load_explicit(&w->live, memory_order_relaxed))
        return plain_recv(fd, p, n, flags);
    if (w->strict.status)
        return refuse(w, fd);
    ssize_t got = plain_recv(fd, p, n, flags);
    if (got == 0 && strict_is_inside(&w->strict)) {
        errno = ECONNRESET; /* half a request: nobody waits for the rest */
        return -1;
    }
    if (got <= 0)
        return got;
    if (atomic_load_explicit(&w->fresh, memory_order_relaxed))
        atomic_store_explicit(&w->fresh, 0, memory_order_relaxed);
    size_t passed = strict_feed(&w->strict, p, (size_t)got);
    bool inside = strict_is_inside(&w->strict);
    if (!inside)
        atomic_store_explicit(&w->reading, 0, memory_order_relaxed);
    else if (!atomic_load_explicit(&w->reading, memory_order_relaxed))
        atomic_store_explicit(&w->reading, now(), memory_order_relaxed);
    if (passed == (size_t)got)
        return got;
    if (passed == 0)
        return refuse(w, fd);
    shutdown(fd, SHUT_RD);
    return (ssize_t)passed;
}

/* -- answers of one wave --
 *
 * When many ask at once, each answer that goes out alone wakes its reader alone, and to wake one
 * takes as long as a third of the answer. So while a thread of the HTTP library has more than one
 * connection at hand, the kernel is told with each answer that more follows (MSG_MORE), and all
 * are let go before the thread waits again, or when there are HELD of them, or the first is old.
 * Nothing is kept here: the kernel has the bytes, and sends them on its own if nobody says so.
 * Sockets that are not TCP know none of this, send at once, and are not asked again. */

enum { HELD = 16, HELD_NS = 250000 };

static _Thread_local struct {
    int fd[HELD];
    unsigned n;
    uint64_t since; /* nanoseconds */
    bool many;      /* connections have something for this thread */
} wave;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A descriptor that was closed meanwhile has sent what it had; who has its number now loses
 * nothing. */
void wire_push(void)
{
    int on = 1;
    for (unsigned i = 0; i < wave.n; i++)
        if (setsockopt(wave.fd[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 &&
            errno == EOPNOTSUPP)
            atomic_store(&wires.no_waves, true);
    wave.n = 0;
}

static bool hold(int fd)
{
    struct wire *w = wire_of(fd);
    if (!wave.many || !w || atomic_load_explicit(&wires.no_waves, memory_order_relaxed) ||
        !atomic_load_explicit(&w->live, memory_order_relaxed))
        return false;
    if (wave.n == HELD || (wave.n && now_ns() - wave.since > HELD_NS))
        wire_push();
    if (!wave.n)
        wave.since = now_ns();
    wave.fd[wave.n++] = fd;
    return true;
}

/* What the HTTP library calls. */
ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    return syscall(SYS_sendmsg, fd, m, hold(fd) ? flags | MSG_MORE : flags);
}

int epoll_wait(int fd, struct epoll_event *out, int most, int timeout)
{
    wire_push();
    taken(); /* and let go again, if it is */
    int n = epoll_pwait(fd, out, most, timeout, NULL);
    wave.many = n > 1;
    return n;
}

/* When it stops to listen, a thread of the library and the one that stops it take the same
 * descriptor out of the same set, and whoever comes second ends the program (seen in 0.9.75, open
 * in later ones). What is not there any more has been taken out. */
int epoll_ctl(int set, int what, int fd, struct epoll_event *event)
{
    long rc = syscall(SYS_epoll_ctl, set, what, fd, event);
    return rc != 0 && what == EPOLL_CTL_DEL && errno == ENOENT ? 0 : (int)rc;
}

/* -- those who are slow ------------------------------------------------------------------------ */

static bool is_late(uint32_t since, unsigned time)
{
    return since && now() - since > time;
}

/* The client has closed and nothing of it is left to read, but the HTTP library waits for an event:
 * that came together with the last bytes, and comes once. */
static bool has_gone(struct wire *w, int fd)
{
    char byte;
    if (atomic_load(&w->answering) && !atomic_load(&w->reading))
        return false; /* it may have closed its half, and wait */
    return plain_recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* Its answer, if one is being sent, is cut off: nobody fetched it in all that time. */
static bool end_late(struct wire *w, int fd)
{
    bool reading = is_late(atomic_load(&w->reading), wires.read_time);
    bool replying = is_late(atomic_load(&w->replying), wires.reply_time);
    wire_lock(w);
    bool live = atomic_load(&w->live), late = live && (reading || replying);
    atomic_fetch_add(&wires.slow, late); /* before it is told: who is may look */
    if (late && reading && !atomic_load(&w->sending))
        answer(fd, 408, code_name(CODE_http_time), "the request did not come to its end in time");
    if (late || (live && has_gone(w, fd)))
        shutdown(fd, SHUT_RDWR);
    if (late) {
        atomic_store(&w->reading, 0);
        atomic_store(&w->replying, 0);
    }
    wire_unlock(w);
    return late;
}

unsigned wire_sweep(void)
{
    unsigned n = 0;
    size_t top = atomic_load(&wires.top);
    for (size_t i = 0; i <= top && i < wires.n; i++)
        if (atomic_load(&wires.of[i].live))
            n += end_late(&wires.of[i], (int)i);
    return n;
}

/* One that was just taken is about to ask. */
static bool is_inside(const struct wire *w)
{
    uint32_t fresh = atomic_load(&w->fresh);
    if (!atomic_load(&w->live))
        return false;
    return atomic_load(&w->reading) || (fresh && !is_late(fresh, 1));
}

unsigned wire_inside(void)
{
    unsigned n = atomic_load(&wires.taking);
    size_t top = atomic_load(&wires.top);
    for (size_t i = 0; i <= top && i < wires.n; i++)
        n += is_inside(&wires.of[i]);
    return n;
}

uint64_t wire_refused(void)
{
    return atomic_load(&wires.refused);
}

uint64_t wire_slow(void)
{
    return atomic_load(&wires.slow);
}
