/*
 * posix.h - what the command line asks of a system that the C library for WASI does not declare.
 *
 * Included before every file of the command line, so that none of them has to know where it runs.
 * bindings/wasm/posix.c says how each is done.
 */
#ifndef CANDO_WASM_POSIX_H
#define CANDO_WASM_POSIX_H

#include <sys/types.h>

struct winsize {
    unsigned short ws_row, ws_col;
};
#define TIOCGWINSZ 0x5413

#define WIFEXITED(status) ((status) >= 0)
#define WEXITSTATUS(status) (status)

typedef struct {
    int out; /* where its output goes */
} posix_spawn_file_actions_t;

uid_t geteuid(void);
int fchown(int fd, uid_t owner, gid_t group);
int fchmod(int fd, mode_t mode);
char *realpath(const char *restrict path, char *restrict out);
int dup(int fd);
int dup2(int from, int to);
int pipe(int ends[2]);
int pipe2(int ends[2], int flags);
pid_t fork(void);
pid_t waitpid(pid_t pid, int *status, int options);
int execl(const char *path, const char *arg, ...);
int execv(const char *path, char *const argv[]);
int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                 const posix_spawn_file_actions_t *actions, const void *restrict attributes,
                 char *const argv[restrict], char *const env[restrict]);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *a);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *a);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *a, int from, int to);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict a, int fd,
                                     const char *restrict path, int flags, mode_t mode);

#endif
