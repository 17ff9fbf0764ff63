/*
 * serve.h - what `cando serve` is told, for the two programs that read it: cando, which starts the
 * daemon, and the daemon itself (serve/main.c).
 */
#ifndef CANDO_CLI_SERVE_H
#define CANDO_CLI_SERVE_H

#include "verb.h"

#define SERVE_PORT "22636" /* what "cando" is on the keys of a telephone */
#define SERVE_PROGRAM "cando-serve"

struct serve_options {
    const char *listen, *token_file, *log;
    const char *const *allow_host;
    size_t n_allow_host;
    cando_number threads, connections, body, idle, time, drain, pace;
    bool cost_names, strict;
};

extern const struct verb verb_serve;

#endif
