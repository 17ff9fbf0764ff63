#define _GNU_SOURCE
#include "listen.h"

#include "cli/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024, ACTIVATED = 3 /* where systemd puts the first socket */ };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
    struct sockaddr_storage room;
};

static int io_failed(const char *what, const char *where)
{
    return fail_with(CANDO_BAD_INPUT, CODE_io,
                     errno == EADDRINUSE ? "--listen takes another" : NULL, "cannot %s %s: %s",
                     what, where, strerror(errno));
}

static bool is_loopback(const union address *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

/* What the socket is: its name, and who can reach it. */
static int describe(struct listening *l, bool has_token)
{
    union address a;
    socklen_t n = sizeof a;
    char host[INET6_ADDRSTRLEN] = "";
    memset(&a, 0, sizeof a);
    if (getsockname(l->fd, &a.any, &n) != 0)
        return io_failed("look at", "the socket");
    if (a.any.sa_family == AF_UNIX) {
        snprintf(l->name, sizeof l->name, "unix:%s", a.local.sun_path);
        return EXIT_YES;
    }
    bool v6 = a.any.sa_family == AF_INET6;
    inet_ntop(a.any.sa_family, v6 ? (void *)&a.v6.sin6_addr : (void *)&a.v4.sin_addr, host,
              sizeof host);
    snprintf(l->name, sizeof l->name, v6 ? "http://[%s]:%u" : "http://%s:%u", host,
             ntohs(v6 ? a.v6.sin6_port : a.v4.sin_port));
    l->loopback = is_loopback(&a);
    if (l->loopback || has_token)
        return EXIT_YES;
    return fail_with(CANDO_BAD_QUESTION, CODE_http_token,
                     "--token-file FILE, or CANDO_TOKEN; or listen on 127.0.0.1 or unix:PATH",
                     "other machines can reach %s, and nobody would need a token", l->name);
}

/* -- a socket of our own ----------------------------------------------------------------------- */

/* A socket that nobody listens on any more is in the way. */
static void remove_stale(const union address *a, socklen_t n)
{
    struct stat st;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (lstat(a->local.sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
        connect(fd, &a->any, n) != 0 && errno == ECONNREFUSED)
        unlink(a->local.sun_path);
    close(fd);
}

static int open_local(const char *path, struct listening *l)
{
    union address a;
    size_t n = strlen(path);
    memset(&a, 0, sizeof a);
    a.local.sun_family = AF_UNIX;
    if (!n || n >= sizeof a.local.sun_path)
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL,
                         "the path of a Unix socket has 1 to %zu bytes",
                         sizeof a.local.sun_path - 1);
    memcpy(a.local.sun_path, path, n);
    remove_stale(&a, sizeof a.local);
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t before = umask(0177);
    bool ok = l->fd >= 0 && bind(l->fd, &a.any, sizeof a.local) == 0;
    umask(before);
    if (!ok)
        return io_failed("listen on", path);
    memcpy(l->path, path, n + 1);
    return EXIT_YES;
}

/* "127.0.0.1:80", "[::1]:80", "localhost:80", ":80" */
static int split(const char *where, char *host, size_t size, const char **port)
{
    const char *colon = strrchr(where, ':');
    struct str s = str_of(where);
    if (!colon || !colon[1])
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option,
                         "ADDRESS:PORT, for example 127.0.0.1:" SERVE_PORT ", or unix:PATH",
                         "--listen does not take '%s'", where);
    *port = colon + 1;
    s = str_head(s, (size_t)(colon - where));
    if (s.n > 1 && s.p[0] == '[' && s.p[s.n - 1] == ']')
        s = str_make(s.p + 1, s.n - 2);
    snprintf(host, size, "%.*s", STR_ARG(s));
    return EXIT_YES;
}

static int open_tcp(const char *where, struct listening *l)
{
    char host[256];
    const char *port = NULL;
    const int on = 1;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list = NULL;
    int code = split(where, host, sizeof host, &port);
    if (code != EXIT_YES)
        return code;
    int bad = getaddrinfo(host[0] ? host : NULL, port, &hints, &list);
    if (bad)
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL, "--listen %s: %s", where,
                         gai_strerror(bad));
    l->fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd >= 0)
        setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    bool ok = l->fd >= 0 && bind(l->fd, list->ai_addr, list->ai_addrlen) == 0;
    freeaddrinfo(list);
    return ok ? EXIT_YES : io_failed("listen on", where);
}

/* -- a socket that was given to us ------------------------------------------------------------- */

static bool is_activated(void)
{
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    return pid && fds && strtol(pid, NULL, 10) == (long)getpid() && strtol(fds, NULL, 10) >= 1;
}

int listen_open(const char *where, bool has_token, struct listening *out)
{
    int code = EXIT_YES;
    *out = (struct listening){.fd = -1, .given = is_activated()};
    if (out->given)
        out->fd = ACTIVATED;
    else if (where && strncmp(where, "unix:", 5) == 0)
        code = open_local(where + 5, out);
    else
        code = open_tcp(where ? where : "127.0.0.1:" SERVE_PORT, out);
    if (code == EXIT_YES)
        code = describe(out, has_token);
    if (code == EXIT_YES && !out->given && listen(out->fd, BACKLOG) != 0)
        code = io_failed("listen on", out->name);
    if (code != EXIT_YES && out->fd >= 0)
        close(out->fd);
    return code;
}

void listen_close(struct listening *l)
{
    if (l->path[0])
        unlink(l->path);
}

void listen_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    size_t n = path ? strlen(path) : 0;
    if (n < 2 || n >= sizeof a.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(a.sun_path, path, n);
    if (a.sun_path[0] == '@')
        a.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&a,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
}
