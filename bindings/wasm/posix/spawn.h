/* spawn.h - see posix.h, which has it all. */
