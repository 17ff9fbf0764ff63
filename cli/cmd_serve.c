/*
 * cmd_serve.c - cando serve: the daemon, which is a program of its own.
 *
 * It stands apart because it needs libmicrohttpd and has the page in it; this program stays
 * small. Its options are here, so that help, manual and completion have them; serve/main.c reads
 * them by the same table.
 */
#define _GNU_SOURCE
#include "serve.h"

#include "engine.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct ask {
    struct serve_options o;
};

static const struct option_row options[] = {
    {TEXT("listen", o.listen, "ADDRESS:PORT",
          "where to listen, or unix:PATH (127.0.0.1:" SERVE_PORT ")")},
    {TEXT("token-file", o.token_file, "FILE",
          "who asks has to know what is in this file (else $CANDO_TOKEN)")},
    {TEXTS("allow-host", o.allow_host, o.n_allow_host, "NAME",
           "take this name as Host, too; may be repeated")},
    {STORE},
    NATS_ROWS,
    {FLAG("strict", o.strict, "where it stands in for a provider: refuse what is not known")},
    {NUMBER("pace", o.pace, "MS", "and let so much time pass before each event of a stream (0)")},
    {TEXT("log", o.log, "FILE", "write a line of JSON for each request; - is stdout")},
    {FLAG("cost-names", o.cost_names, "tell costs in the log under names that are still a draft")},
    {NUMBER("threads", o.threads, "N", "how many threads answer (one for each core)")},
    {NUMBER("max-connections", o.connections, "N", "how many clients at once (2000)")},
    {NUMBER("max-body", o.body, "BYTES", "how large a body may be (32m)")},
    {NUMBER("idle", o.idle, "SECONDS", "how long a connection may be silent (75)")},
    {NUMBER("time", o.time, "SECONDS", "how long a request may take to come in (20)")},
    {NUMBER("drain", o.drain, "SECONDS", "how long requests may take to end after SIGTERM (10)")},
    {.more = engine_options},
};

/* Runs it with the words of this call, if it is there. */
static void start(const char *path, struct call *c)
{
    if (access(path, X_OK) == 0)
        execv(path, c->argv);
}

static int run(struct call *c)
{
    char own[PATH_MAX], path[PATH_MAX + 64];
    char *slash = realpath("/proc/self/exe", own) ? strrchr(own, '/') : NULL;
    if (slash) {
        *slash = '\0';
        snprintf(path, sizeof path, "%s/" SERVE_PROGRAM, own);
        start(path, c);
        snprintf(path, sizeof path, "%s/../libexec/cando/" SERVE_PROGRAM, own);
        start(path, c);
    }
    return fail_with(CANDO_BAD_INPUT, CODE_io,
                     "the package " SERVE_PROGRAM " has it; who has the sources installs "
                     "libmicrohttpd-dev and runs make",
                     "the daemon is a program of its own, " SERVE_PROGRAM
                     ", and not beside this one");
}

const struct verb verb_serve = {
    .name = "serve",
    .summary = "answers over HTTP: operations, the page",
    .usage = "[OPTION]...",
    .text =
        "Listens on 127.0.0.1:" SERVE_PORT " and says so in the first line of stderr. There is the "
        "page at /, every operation at POST /op/NAME (one JSON object, or JSON lines), their "
        "description at /openapi.json, events at /events, numbers for Prometheus at /metrics, and "
        "/healthz and /readyz.\n\n"
        "The daemon is a second program, " SERVE_PROGRAM ", which lies beside cando or in "
        "../libexec/cando; on Debian the package of that name has it.\n\n"
        "Other machines can reach it only with a token, from --token-file or $CANDO_TOKEN; a Unix "
        "socket has the rights of its file. TLS is left to a proxy.\n\n"
        "The catalog and the files over it are read again when they change, and on SIGHUP; a "
        "request that runs is answered by what it began with. Files that are broken change "
        "nothing. SIGTERM lets requests come to their end.\n\n"
        "With --store records and observations go to an audit trail: POST /audit and POST /learn. "
        "No prompt is kept or logged anywhere.",
    .examples =
        "cando serve\n"
        "curl -d '{\"target\":\"openai/gpt-5\"}' http://127.0.0.1:" SERVE_PORT "/op/resolve\n"
        "cando serve --listen 0.0.0.0:8080 --token-file token.txt --log -\n"
        "cando serve --listen unix:cando.sock",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 0, NULL, "takes no operand; --listen says where"),
    .run = run,
};
