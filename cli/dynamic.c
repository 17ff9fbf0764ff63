#include "dynamic.h"

#if defined(__wasm__) || defined(CANDO_STATIC)

bool dynamic_load(const char *const *names, const char *const *symbols, void **const *slots,
                  size_t n)
{
    (void)names, (void)symbols, (void)slots, (void)n;
    return false;
}

#else

#include <dlfcn.h>

bool dynamic_load(const char *const *names, const char *const *symbols, void **const *slots,
                  size_t n)
{
    void *lib = NULL;
    for (; *names && !lib; names++)
        lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; lib && i < n; i++)
        if (!(*slots[i] = dlsym(lib, symbols[i])))
            return false;
    return lib != NULL;
}

#endif
