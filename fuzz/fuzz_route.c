/*
 * fuzz_route.c - whose endpoint any address is, with any body.
 *
 * The address ends at the first NUL, the rest is the body; the first byte is whether a provider is
 * named. What must hold: what is known is known whole, and the model's name is text.
 */
#include "fuzz.h"

#include "base/str.h"
#include "catalog/api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cando_route r;
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size_t n = size - 1, cut = str_find_char(str_make(text, n), '\0');
    const char *body = cut < n ? text + cut + 1 : NULL;
    const char *why =
        cando_route_find(cando_catalog_builtin(), text, cut, data[0] & 1 ? "azure" : NULL, body,
                         body ? n - cut - 1 : 0, &r);
    if (why) {
        MUST(*why);
        return 0;
    }
    MUST(r.provider && *r.provider && api_find(str_of(r.api)));
    struct str model = str_of(r.model);
    MUST(model.n < sizeof r.model && utf8_check(model) == model.n);
    return 0;
}
