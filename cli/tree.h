/*
 * tree.h - the text files below a path, for verbs that look through a whole source tree.
 *
 * In a git work tree git itself says what belongs to it: its rules of what is ignored come
 * from nested files, negations, the index, the repository and the user's own settings, and
 * nobody else gets all of them right. It is asked without the settings and hooks by which
 * a repository could make it run something. Where there is no git, or no work tree, every
 * file counts but those below .git. Links are not followed, and what has a NUL among its first
 * bytes is no text.
 */
#ifndef CANDO_CLI_TREE_H
#define CANDO_CLI_TREE_H

#include "base/buf.h"
#include "base/diag.h"

#define TREE_FILES 2000000u        /* below one path */
#define TREE_DEPTH 128u            /* folders in folders, without git */
#define TREE_FILE_BYTES (8u << 20) /* larger files of a tree are left out */

struct tree {
    struct arena *ar;
    const char **file; /* paths, in their order */
    size_t n, cap;
    bool named;     /* the path is a file itself, or "-" */
    bool git_asked; /* what git ignores is not among them */
};

/* What there is to read at `path`. */
cando_status tree_list(struct tree *t, const char *path, struct arena *ar, cando_error *err);

#endif
