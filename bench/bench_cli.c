/*
 * bench_cli.c - what a person waits for: whole processes.
 *
 *   cli.show             `cando show openai/gpt-4o`, from start to end, against `jq` that
 *                        takes the same model out of a file of JSON: models.dev's
 *                        api.json if CANDO_BENCH_API names it, else the same facts
 *                        as `cando models --json` exports them
 *   cli.show.time        the first of the two alone
 *   catalog.open.allocs  allocations from nothing to the first answer out of the
 *                        embedded catalog
 */
#define _POSIX_C_SOURCE 200809L
#include "cando.h"
#include "harness.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define PROVIDER "openai"
#define MODEL "gpt-4o"

struct process {
    char *argv[8];
    const char *out; /* where its output goes */
};

/* Runs it to its end; its exit code. */
static uint64_t run(void *ctx)
{
    const struct process *p = ctx;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, p->out, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    if (posix_spawnp(&pid, p->argv[0], &actions, NULL, p->argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "bench: %s failed\n", p->argv[0]);
        exit(1);
    }
    posix_spawn_file_actions_destroy(&actions);
    return (uint64_t)status;
}

static bool file_has(const char *path, const char *word)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    return strstr(text, word) != NULL;
}

/* Both must find the model, or there is nothing to compare. */
static void agree(struct process p, const char *path)
{
    p.out = path;
    run(&p);
    if (!file_has(path, "128,000") && !file_has(path, "128000")) {
        fprintf(stderr, "bench: %s does not find " PROVIDER "/" MODEL "\n", p.argv[0]);
        exit(1);
    }
    unlink(path);
}

static void bench_show(const char *build)
{
    char program[4200], facts[4200], answer[4200];
    const char *api = getenv("CANDO_BENCH_API");
    snprintf(program, sizeof program, "%s/cando", build);
    snprintf(facts, sizeof facts, "%s/bench_models.json", build);
    snprintf(answer, sizeof answer, "%s/bench_answer", build);
    setenv("HOME", "/nonexistent", 1); /* the built-in catalog alone */
    struct process export = {{program, "models", "--no-config", "--json", NULL}, facts};
    struct process show = {{program, "show", PROVIDER "/" MODEL, NULL}, "/dev/null"};
    static char pick[] = ".models[] | select(.provider == \"" PROVIDER "\" and "
                         ".model == \"" MODEL "\")";
    struct process jq = {{"jq", pick, facts, NULL}, "/dev/null"};
    if (api) {
        jq.argv[1] = "." PROVIDER ".models[\"" MODEL "\"]";
        jq.argv[2] = (char *)api;
    } else {
        run(&export);
    }
    agree(show, answer);
    agree(jq, answer);
    struct bench_pair p = bench_compare(run, &show, run, &jq, 1);
    bench_report("cli.show", p.b_ns / p.a_ns, "x",
                 api ? "jq on models.dev's api.json" : "jq on the same facts");
    bench_report("cli.show.time", p.a_ns, "ns", NULL);
    unlink(facts);
}

static void bench_open(void)
{
    cando_profile p;
    uint64_t before = bench_mallocs();
    const cando_catalog *c = cando_catalog_builtin();
    bool ok = cando_resolve(c, PROVIDER "/" MODEL, &p, NULL) == CANDO_OK;
    uint64_t after = bench_mallocs();
    if (!ok || p.identity != CANDO_BY_EXACT ||
        !cando_profile_get(&p, cando_field_find("context_window")).known) {
        fprintf(stderr, "bench: the embedded catalog does not know " PROVIDER "/" MODEL "\n");
        exit(1);
    }
    bench_report("catalog.open.allocs", (double)(after - before), "allocs", NULL);
}

int main(int argc, char **argv)
{
    char build[4096];
    bench_output(argc > 1 ? argv[1] : NULL);
    snprintf(build, sizeof build, "%s", argv[0]);
    char *slash = strrchr(build, '/'); /* build/bench/bench_cli */
    if (slash)
        *slash = '\0';
    slash = strrchr(build, '/');
    if (slash)
        *slash = '\0';
    bench_open();
    bench_show(build);
    return 0;
}
