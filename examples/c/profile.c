/*
 * profile.c - one model, field by field, and who says so: profile [PROVIDER/MODEL [SNAPSHOT]]
 *
 * The fastest way to know something: nothing is allocated, and a catalog may be read by any
 * number of threads at once. Values and texts lie in the catalog and live as long as it does.
 */
#include <cando.h>
#include <stdio.h>

static void print_value(cando_value v)
{
    static const char *const support[] = {
        [CANDO_UNKNOWN] = "unknown",       [CANDO_UNSUPPORTED] = "unsupported",
        [CANDO_RESTRICTED] = "restricted", [CANDO_EMULATED] = "emulated",
        [CANDO_NATIVE] = "native",
    };
    if (!v.known) { /* nobody said: never read it as "no" */
        printf("unknown");
        return;
    }
    switch (v.type) {
    case CANDO_SUPPORT:
        printf("%s%s%s", support[v.support], v.text ? ": " : "", v.text ? v.text : "");
        break;
    case CANDO_FLAG:
        printf("%s", v.flag ? "yes" : "no");
        break;
    case CANDO_NUMBER:
        printf("%llu", (unsigned long long)v.number);
        break;
    case CANDO_WORD:
    case CANDO_TEXT:
        printf("%s", v.text);
        break;
    case CANDO_LIST:
    case CANDO_MAP:
        for (uint32_t i = 0; i < v.count; i++)
            printf("%s%s", i ? ", " : "", cando_value_item(&v, i));
        break;
    }
}

static void print_field(const cando_profile *p, const char *name)
{
    cando_field field = cando_field_find(name); /* by any name that it has anywhere */
    printf("%-18s ", cando_field_name(field));
    print_value(cando_profile_get(p, field));
    cando_origin o = cando_profile_why(p, field);
    if (o.known)
        printf("  (%s:%u, %s, checked %s)", o.file, (unsigned)o.line, o.source, o.checked);
    putchar('\n');
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "anthropic/claude-opus-4-5";
    cando_error err;
    const cando_catalog *catalog = cando_catalog_builtin();
    if (argc > 2) /* one that `cando build` has made */
        catalog = cando_catalog_open_file(argv[2], NULL, &err);
    if (!catalog) {
        fprintf(stderr, "%s: %s\n", argv[2], err.message);
        return 1;
    }
    cando_profile p;
    if (cando_resolve(catalog, name, &p, &err) != CANDO_OK) {
        fprintf(stderr, "%s%s%s\n", err.message, err.hint[0] ? "; " : "", err.hint);
        cando_catalog_release(catalog);
        return 1;
    }
    static const char *const fields[] = {"tools", "vision", "context_window", "reasoning_efforts",
                                         "json_mode"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        print_field(&p, fields[i]);
    cando_catalog_release(catalog); /* of the built-in one it does nothing */
    return 0;
}
