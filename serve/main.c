/*
 * main.c - the daemon: its options, its socket, and the loop that looks after it.
 *
 * Threads of http.c answer. This one waits for signals, for files that change and for time to pass:
 *
 *     SIGHUP, a file has changed     the catalog is compiled anew and put in force (epoch.c)
 *     SIGTERM, SIGINT                no more connections; requests come to their end
 *     each second                    clients that are too slow are dropped, the log is written
 */
#define _GNU_SOURCE
#include "cli/screen.h"
#include "cli/serve.h"
#include "cli/trail.h"
#include "epoch.h"
#include "events.h"
#include "http.h"
#include "listen.h"
#include "member.h"
#include "observe.h"
#include "record.h"
#include "standin.h"
#include "watch.h"
#include "wire.h"

#include "base/file.h"
#include "base/instant.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    FDS_BESIDE = 160, /* descriptors that are no connections */
    REPLY_TIME = 120, /* seconds in which a client has to fetch its answer */
    TOKEN_BYTES = 4096,
    TOKEN_LEAST = 16,
    WAKE_EVERY = 5, /* seconds between two looks of a stream that waits */
};

#define ROUTE(method, path, fn, flags, summary) {method, path, fn, flags, summary},
const struct route routes[] = {
#include "routes.def"
    {0},
};

static unsigned number(cando_number n, unsigned otherwise, unsigned most)
{
    return !n.known ? otherwise : n.value > most ? most : (unsigned)n.value;
}

static unsigned cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > 16 ? 16 : (unsigned)n;
}

/* As many descriptors as there may be connections; fewer connections where that is not allowed. */
static unsigned allow_connections(unsigned wanted)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) != 0)
        return wanted;
    if (l.rlim_cur < wanted + FDS_BESIDE) {
        l.rlim_cur = l.rlim_max < wanted + FDS_BESIDE ? l.rlim_max : wanted + FDS_BESIDE;
        setrlimit(RLIMIT_NOFILE, &l);
    }
    unsigned room = l.rlim_cur > FDS_BESIDE + 16 ? (unsigned)(l.rlim_cur - FDS_BESIDE) : 16;
    return wanted < room ? wanted : room;
}

/* -- the token --------------------------------------------------------------------------------- */

static bool take_token(struct call *c, struct str text, const char *from, const char **out)
{
    while (text.n && (unsigned char)text.p[text.n - 1] <= ' ')
        text.n--;
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] <= ' ' || (unsigned char)text.p[i] >= 0x7f)
            text.n = 0;
    if (text.n < TOKEN_LEAST) {
        fail_with(CANDO_BAD_QUESTION, CODE_http_token,
                  "write one line of at least 16 characters, for example of: openssl rand -hex 32",
                  "there is no good token in %s", from);
        return false;
    }
    *out = call_text(c, text);
    return *out != NULL;
}

static bool read_token(struct call *c, const struct serve_options *o, const char **out)
{
    const char *value = getenv("CANDO_TOKEN");
    char *text;
    size_t n;
    *out = NULL;
    if (!o->token_file)
        return !value || !*value || take_token(c, str_of(value), "CANDO_TOKEN", out);
    if (file_read(o->token_file, TOKEN_BYTES, NULL, &text, &n, &c->err) != CANDO_OK) {
        fail(&c->err);
        return false;
    }
    bool ok = take_token(c, str_make(text, n), o->token_file, out);
    mem_free(NULL, text, n + 1);
    return ok;
}

/* -- looking after it -------------------------------------------------------------------------- */

static void reload(bool only_changed)
{
    struct epoch_state before, after;
    epoch_state(&before);
    listen_notify("RELOADING=1");
    bool ok = only_changed ? epoch_reload_changed() : epoch_reload();
    epoch_state(&after);
    if (ok)
        events_reloaded();
    if (ok || after.failures != before.failures) {
        out_to(stderr, "cando: %s\n",
               ok ? "the catalog was read anew" : "the catalog stays as it was: see above");
        watch_files();
    }
    listen_notify("READY=1");
}

static void each_second(void)
{
    static unsigned n;
    wire_sweep();
    observe_flush();
    epoch_trim();
    listen_notify("WATCHDOG=1");
    if (++n % WAKE_EVERY == 0)
        http_wake_streams();
}

/* Until a signal says that it is enough. */
static void look_after(int signals)
{
    struct pollfd p[] = {{.fd = signals, .events = POLLIN}, {.fd = watch_fd(), .events = POLLIN}};
    uint64_t next = trail_now() + 1000;
    for (;;) {
        uint64_t now = trail_now();
        int wait = now >= next ? 0 : next - now > 1000 ? 1000 : (int)(next - now);
        int n = poll(p, 2, watch_is_pending() && wait > 100 ? 100 : wait);
        if (n > 0 && p[0].revents & POLLIN) {
            struct signalfd_siginfo info;
            if (read(signals, &info, sizeof info) != sizeof info)
                continue;
            if (info.ssi_signo != SIGHUP)
                return;
            observe_reopen();
            reload(false);
        }
        if (n > 0 && p[1].revents & POLLIN)
            watch_read();
        else if (watch_is_due())
            reload(true);
        if (trail_now() < next)
            continue;
        next = trail_now() + 1000;
        each_second();
    }
}

static int take_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* -- starting ---------------------------------------------------------------------------------- */

static int serve(struct call *c, const struct serve_options *o)
{
    struct listening l;
    struct http_options h = {
        .threads = number(o->threads, cores(), 64),
        .connections = allow_connections(number(o->connections, 2000, 100000)),
        .body = o->body.known ? (size_t)o->body.value : (size_t)32 << 20,
        .idle = number(o->idle, 75, 3600),
        .host = (const char **)o->allow_host,
        .n_hosts = o->n_allow_host,
    };
    int signals = take_signals();
    if (!read_token(c, o, &h.token))
        return EXIT_QUESTION;
    int code = listen_open(o->listen, h.token != NULL, &l);
    if (code != EXIT_YES)
        return code;
    h.socket = l.fd;
    h.given = l.given;
    h.any_host = !l.loopback;
    code = record_start(trail_path(c->store));
    if (code == EXIT_YES)
        code = member_start(c);
    if (code == EXIT_YES)
        code = epoch_start(c);
    standin_start(o->strict, number(o->pace, 0, STANDIN_PACE));
    if (code == EXIT_YES && !observe_start(o->log, o->cost_names))
        code = EXIT_INPUT;
    if (code != EXIT_YES)
        return code;
    events_start();
    if (!wire_init(h.connections + FDS_BESIDE + 64, number(o->time, 20, 3600), REPLY_TIME) ||
        !record_run() || !member_run() || !http_start(&h))
        return fail_with(CANDO_INTERNAL, CODE_io, NULL, "the HTTP library does not start");
    fprintf(stderr, "cando: listening on %s\n", l.name);
    watch_files();
    listen_notify("READY=1");
    look_after(signals);
    listen_notify("STOPPING=1");
    http_stop(number(o->drain, 10, 3600));
    record_stop();
    member_stop();
    events_stop();
    openapi_stop();
    observe_stop();
    watch_stop();
    epoch_stop();
    wire_free();
    listen_close(&l);
    close(signals);
    return EXIT_YES;
}

int main(int argc, char **argv)
{
    struct call c = {.verb = &verb_serve};
    screen_init();
    arena_init(&c.ar, NULL);
    c.ask = arena_alloc(&c.ar, verb_serve.ask);
    if (!c.ask)
        return fail_memory();
    int code = call_read(&c, argc, argv) ? engine_today() : c.code;
    if (code == EXIT_YES && c.operand)
        code = serve(&c, c.ask);
    arena_free(&c.ar);
    return out_finish(code);
}
