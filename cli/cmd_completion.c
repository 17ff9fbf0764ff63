/*
 * cmd_completion.c - cando completion: the script that makes a shell complete its words.
 */
#include "verb.h"

#include <stdlib.h>

static const char *const names[] = {
    [SHELL_BASH] = "bash", [SHELL_ZSH] = "zsh", [SHELL_FISH] = "fish"};

static int run(struct call *c)
{
    const char *own = getenv("SHELL"), *slash = own ? strrchr(own, '/') : NULL;
    const char *name = c->n ? c->operand[0] : slash ? slash + 1 : "";
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(names[i], name) == 0) {
            complete_script((enum shell)i);
            return EXIT_YES;
        }
    return call_usage(c, "which shell? bash, zsh or fish");
}

const struct verb verb_completion = {
    .name = "completion",
    .summary = "makes your shell complete verbs, options and models",
    .usage = "[bash|zsh|fish]",
    .text = "Prints the script of a shell, or of the one that $SHELL names. It goes into the file "
            "that the shell reads when it begins: ~/.bashrc, ~/.zshrc or "
            "~/.config/fish/config.fish. What was installed as a package has it already.",
    .examples = "source <(cando completion bash)\n"
                "source <(cando completion zsh)\n"
                "cando completion fish | source",
    OPERANDS(0, 1, NULL, "one shell at a time"),
    .run = run,
};
