/*
 * test_lineage.c - where in an id the version stands, and what that makes of its tier and family.
 */
#include "catalog_case.h"

#include "rules/inherit.h"

#define VERSION(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor))

static void test_versions(void **state)
{
    (void)state;
    static const struct {
        const char *id, *tier, *family;
        uint32_t version;
    } rows[] = {
        {"kimi-k2", "lab/kimi-k#", "lab/#kimi", VERSION(2, 0)},
        {"kimi-k2.7-code", "lab/kimi-k#-code", "lab/#kimi", VERSION(2, 7)},
        {"llama-v3p1-chat", "lab/llama-v#-chat", "lab/#llama", VERSION(3, 1)},
        {"claude-3-5", "lab/claude-#", "lab/#claude", VERSION(3, 5)},
        {"claude-3-5-opus", "lab/claude-#-opus", "lab/#claude", VERSION(3, 5)},
        {"claude-3-15-opus", "lab/claude-#-opus", "lab/#claude", VERSION(3, 15)},
        {"claude-3-155-opus", "lab/claude-#-155-opus", "lab/#claude", VERSION(3, 0)},
        {"claude-3-155", "lab/claude-#-155", "lab/#claude", VERSION(3, 0)},
        {"claude-3-5x", "lab/claude-#-5x", "lab/#claude", VERSION(3, 0)},
        {"claude-3-8b-it", "lab/claude-#-8b-it", "lab/#claude", VERSION(3, 0)},
        {"claude-3-opus", "lab/claude-#-opus", "lab/#claude", VERSION(3, 0)},
        {"claude-3-", "lab/claude-#-", "lab/#claude", VERSION(3, 0)},
        {"claude-3.", "lab/claude-#.", "lab/#claude", VERSION(3, 0)},
        /* a size is no version, unless it is no size */
        {"llama-70b-3", "lab/llama-70b-#", "lab/#llama", VERSION(3, 0)},
        {"llama-70b", "", "", 0},
        {"llama-4bit", "lab/llama-#bit", "lab/#llama", VERSION(4, 0)},
        /* what is said of one release goes */
        {"gpt-5-preview", "lab/gpt-#", "lab/#gpt", VERSION(5, 0)},
        {"gpt-5-latest", "lab/gpt-#", "lab/#gpt", VERSION(5, 0)},
        {"gpt-5-exp", "lab/gpt-#", "lab/#gpt", VERSION(5, 0)},
        {"gpt-5-2025-08-07", "lab/gpt-#", "lab/#gpt", VERSION(5, 0)},
        /* no version, no family: no line */
        {"sonar", "", "", 0},
        {"5-gpt", "", "", 0},
        {"", "", "", 0},
    };
    char room[LINEAGE_ROOM];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lineage line = lineage_of(STR("lab"), str_of(rows[i].id), room);
        if (!str_is(line.tier, rows[i].tier) || !str_is(line.family, rows[i].family) ||
            line.version != rows[i].version)
            fail_msg("%s: %.*s %.*s %u.%u", rows[i].id, STR_ARG(line.tier), STR_ARG(line.family),
                     line.version >> 16, line.version & 0xffff);
    }
    assert_int_equal(lineage_of(STR(""), STR("gpt-5"), room).tier.n, 0); /* nobody's */
}

#define MODEL(id, tools)                                                                           \
    "[[models]]\nprovider = \"acme\"\nid = \"" id "\"\nset = { tool_calling = \"" tools          \
    "\", reasoning = \"native\" }\n"

/* What a family keeps for itself is no fact of the model that takes the family's word. */
static void test_notes_stay(void **state)
{
    (void)state;
    const cando_catalog *cat = case_catalog(
        "[[labs]]\nid = \"acme\"\nfamilies = [\"acme\"]\n"
        "models = [\"acme-2.5-lite\", \"acme-3-lite\", \"acme-3.5\", \"acme-4\"]\n"
        "[[providers]]\nid = \"acme\"\nkind = \"first-party\"\n"
        "[[providers]]\nid = \"host\"\nkind = \"host\"\n"
        "[borrow]\ntool_calling = [\"lab\", \"family\"]\nreasoning = [\"lab\", \"family\"]\n" MODEL(
            "acme-2.5-lite", "unsupported") MODEL("acme-3-lite", "unsupported")
            MODEL("acme-3.5", "native") MODEL("acme-4", "native"));
    cando_profile p = case_resolve(cat, "host", "acme-5-lite", CANDO_AS_WRITTEN);
    assert_int_equal(p.identity, CANDO_BY_FAMILY);
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        assert_int_equal(case_get(&p, f).known, f == F_reasoning);
    cando_catalog_release(cat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_notes_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
