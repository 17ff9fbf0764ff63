/*
 * fuzz_snapshot.c - bytes that claim to be a snapshot.
 *
 * Random bytes hardly ever get past the header, so the input mostly is a list
 * of edits to a small snapshot that this program builds itself: eight bytes
 * each, saying in which section, where, and what to write there. With an odd
 * first byte the rest of the input is the snapshot itself. Magic, version,
 * length and checksum are then made to fit, since they would stop everything.
 *
 *     mode | section kind index(2) value(4) | section kind ...
 *
 * What is opened must be usable to its end: resolved and read; and, as further bits of
 * the first byte say, asked (with its aliases, its policy and its request rules), or
 * imported into a set that is compiled again and opened again. That costs a hundred
 * times as much, so one in sixty-four does.
 */
#include "fuzz.h"

#include "rules/sources.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
static const char own[] =
    "schema = \"cando/rules@1\"\n"
    "[defaults]\nstreaming = \"native\"\n[provider_defaults.p]\nseed = \"native\"\n[families]\nq = "
    "[\"p\", \"r\"]\n"
    "[[providers]]\nid = \"p\"\naliases = [\"pa\"]\ndialect = \"gemini\"\n[[providers]]\nid = "
    "\"q\"\ndialect = \"openai-chat\"\n"
    "[[labs]]\nid = \"meta\"\nfamilies = [\"llama\"]\nmodels = "
    "[\"llama-3.3-70b\"]\n[spellings]\n\"q:llama-x\" = \"meta/llama-3.3-70b\"\n"
    "[[rules]]\nname = \"base\"\nmatch = [\"llama-*\", \"*x*y\"]\nset = { tool_calling = "
    "\"native\", max_output = 9007199254740991 }\n"
    "[[rules]]\nproviders = \"p\"\nmatch = { contains = \"b\", prefix = \"ab\" }\non = \"id\"\nset "
    "= { tool_search = [\"x\", \"y\"] }\n"
    "[[rules]]\ndialects = \"gemini\"\nmatch = \"*-abc-[ab]\"\non = \"id\"\nset = { web_fetch = { "
    "restricted = \"why\" } }\n"
    "[[rules]]\nmatch = \"claude-*\"\nversion_min = [4, 0]\nset = { auto_reasoning_overrides = { "
    "agent = \"off\" } }\n"
    "[aliases]\n\"zz/mine\" = \"q/llama-3.3-70b\"\n\"q:two\" = \"zz:mine\"\n"
    "[policy]\nallow = [\"q\", \"p*\", \"zz\", \"r\"]\ndeny = [\"*/{secret,hidden}*\"]\n"
    "[[models]]\nprovider = \"q\"\nid = \"llama-3.3-70b\"\nset = { context_window = 128000, "
    "input_modalities = [\"text\"], price = { input_tokens = \"1\", \"input_tokens @batch\" = "
    "\"0.5\" } }\n";
static const char asked[] =
    "schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\nroot = \"r\"\nalso_snake = true\n"
    "[measure]\ntext = [\"messages[].content\"]\njson = [\"tools\"]\noutput = [\"max_tokens\"]\n"
    "turn = [\"messages[]\"]\n"
    "[[rules]]\nname = \"tools\"\nkind = \"demand\"\nwhen = { path = \"tools\", length = [1, inf] "
    "}\n"
    "needs = \"tool_calling\"\nsource = \"s\"\n"
    "[[rules]]\nname = \"old\"\nkind = \"rename\"\nwhen = \"old\"\nmessage = \"m\"\nsource = "
    "\"s\"\n"
    "fix = { rename = \"a.new\" }\n"
    "[[rules]]\nname = \"heat\"\nkind = \"range\"\nwhen = { path = \"temperature\", outside = [0, "
    "1] }\n"
    "message = \"m\"\nsource = \"s\"\nfix = { clamp = [0, 1], lossy = true }\n"
    "[shape.r]\nclosed = true\nsource = \"s\"\n[shape.r.members]\n"
    "messages = { is = \"message[]\", unique = \"role\", items = [2, 9] }\n"
    "temperature = { is = \"number?\", range = [0, 2] }\nmaxTokens = \"integer\"\n"
    "[shape.message]\nby = \"role\"\nmissing = \"user\"\nsource = \"s\"\n"
    "cases = { user = \"user\" }\n[shape.user]\nexactly = [[\"a\", \"b\"]]\nsource = \"s\"\n"
    "members = { role = \"string\", a = \"string{}\", b = [\"x\", \"y\"] }\n"
    "[[adjust]]\nname = \"soft\"\nof = \"user\"\nseverity = \"warning\"\nsource = \"s\"\n";
static const char harn[] = "[provider_family]\nr = \"q\"\n"
                           "[[provider.r]]\nmodel_match = [\"gpt-{4,5}*\", \"abc\"]\nversion_min = "
                           "[4, 1]\nextends = true\nmax_tools = 7\n"
                           "[[provider.q]]\nmodel_match = \"*\"\nserver_parser = \"x\"\n";

static unsigned char *seed;
static size_t seed_size;
static cando *engine; /* asks of one catalog after the other */

static void add(cando_sources *s, const char *name, const char *text, size_t n, cando_syntax how,
                cando_layer layer)
{
    MUST(cando_sources_add(s, name, text, n, how, layer, NULL) == CANDO_OK);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const void *bytes;
    cando_sources *s = cando_sources_new(NULL, NULL);
    MUST(s);
    add(s, "own", own, sizeof own - 1, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    add(s, "asked", asked, sizeof asked - 1, CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY);
    add(s, "harn", harn, sizeof harn - 1, CANDO_SYNTAX_HARN, CANDO_LAYER_USER);
    MUST(cando_sources_build(s, &bytes, &seed_size, NULL) == CANDO_OK);
    seed = malloc(seed_size);
    MUST(seed);
    memcpy(seed, bytes, seed_size);
    cando_sources_free(s);
    engine = cando_new(cando_catalog_builtin(), NULL, NULL);
    MUST(engine);
    return 0;
}

static void put_le(unsigned char *p, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t get_le(const unsigned char *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* One edit. Section 0 is the table of sections. */
static void edit(unsigned char *p, const uint8_t *e)
{
    size_t at = sizeof(struct snap_header),
           size = (SEC_END - 1) * sizeof(struct snap_section_entry);
    unsigned id = e[0] % SEC_END;
    if (id) {
        const unsigned char *entry = seed + at + (id - 1) * sizeof(struct snap_section_entry);
        at = (size_t)get_le(entry + 8, 8);
        size = (size_t)get_le(entry + 16, 8);
    }
    size_t words = size / 4, i = (size_t)get_le(e + 2, 2);
    uint32_t v = (uint32_t)get_le(e + 4, 4);
    if (e[1] % 5 == 1 && size)
        p[at + i % size] = (unsigned char)v;
    if (words == 0 || e[1] % 5 == 1)
        return;
    unsigned char *word = p + at + i % words * 4;
    switch (e[1] % 5) {
    case 0:
        put_le(word, v, 4);
        break;
    case 2:
        memmove(word, p + at + v % words * 4, 4);
        break;
    case 3:
        put_le(word, get_le(word, 4) + (uint32_t)(int8_t)v, 4);
        break;
    case 4:
        put_le(word, v % 64, 4);
        break;
    }
}

/* The snapshot that the input means; to be freed. */
static unsigned char *snapshot_from(const uint8_t *data, size_t size, size_t *n)
{
    unsigned char *p;
    if (data[0] & 1) {
        *n = size - 1 < sizeof(struct snap_header) ? sizeof(struct snap_header) : size - 1;
        p = calloc(1, *n);
        if (!p)
            abort();
        memcpy(p, data + 1, size - 1);
        memcpy(p, snap_magic, sizeof snap_magic);
        put_le(p + offsetof(struct snap_header, major), SNAP_MAJOR, 2);
        put_le(p + offsetof(struct snap_header, file_size), *n, 8);
    } else {
        *n = seed_size;
        p = malloc(*n);
        if (!p)
            abort();
        memcpy(p, seed, *n);
        for (size_t at = 1; at + 8 <= size; at += 8)
            edit(p, data + at);
    }
    put_le(p + offsetof(struct snap_header, checksum), snapshot_checksum(p, *n), 8);
    return p;
}

static volatile size_t sink;

static void read_all(const cando_profile *p)
{
    for (unsigned f = 0; f < cando_field_count(); f++) {
        cando_value v = cando_profile_get(p, (cando_field)f);
        cando_origin o = cando_profile_why(p, (cando_field)f);
        sink += strlen(o.layer) + strlen(o.rule) + strlen(o.file) + strlen(o.source) +
                strlen(o.evidence);
        if (v.known && v.text)
            sink += strlen(v.text);
        for (uint32_t i = 0; v.known && i < v.count; i++)
            sink += strlen(cando_value_item(&v, i));
    }
}

static void resolve_some(const cando_catalog *cat)
{
    static const char *const ids[] = {"llama-3.3-70b", "llama-x",         "x-b-y",   "abc",
                                      "gpt-5",         "claude-opus-4-5", "q-abc-a", ""};
    static const char *const names[] = {"p", "q", "R", "zz"};
    cando_profile p;
    for (unsigned i = 0; i < 8; i++) {
        const char *id = ids[i % 8], *name = names[i / 2 % 4];
        if (cando_resolve_parts(cat, name, strlen(name), id, strlen(id), (cando_resolution)(i % 3),
                                &p, NULL) != CANDO_OK)
            abort();
        if (i == 0) /* slow, and much the same for each */
            read_all(&p);
    }
}

/* One question of each input. */
static void call_one(const cando_catalog *cat, unsigned which)
{
    static const char *const requests[] = {
        "{\"op\":\"resolve\",\"target\":\"q/llama-x\",\"why\":\"all\"}",
        "{\"op\":\"resolve\",\"target\":\"pa/"
        "x-b-y\",\"why\":\"all\",\"view\":\"nika\",\"resolution\":\"layered\"}",
        "{\"op\":\"resolve\",\"target\":\"r/"
        "gpt-5\",\"why\":\"all\",\"view\":\"harn\",\"resolution\":\"first-match\"}",
        "{\"op\":\"model_id\",\"provider\":\"q\",\"model\":\"llama-x:free\"}",
        "{\"op\":\"resolve\",\"target\":\"zz/mine\",\"why\":\"all\"}",
        "{\"op\":\"resolve\",\"target\":\"q/secret-1\"}",
        "{\"op\":\"preflight\",\"target\":\"q/"
        "two\",\"request\":{\"messages\":[{\"a\":{\"k\":\"v\"}},"
        "{\"role\":\"user\",\"b\":\"z\"}],\"tools\":[1],\"old\":1,\"temperature\":1.5,\"zz\":{}}}",
        "{\"op\":\"cost\",\"target\":\"q/llama-3.3-70b\",\"usage\":{\"input_tokens\":5}}",
        "{\"op\":\"models\",\"require\":[\"streaming\"],\"limit\":3}",
    };
    char *reply;
    size_t n;
    const char *text = requests[which % (sizeof requests / sizeof *requests)];
    cando_set_catalog(engine, cat);
    MUST(cando_call(engine, text, strlen(text), &reply, &n) == CANDO_OK);
    cando_free_text(engine, reply, n);
    cando_set_catalog(engine, cando_catalog_builtin());
}

static void import_again(const cando_catalog *cat)
{
    static const char overlay[] = "schema = \"cando/rules@1\"\n[[providers]]\nid = \"q\"\n"
                                  "[[rules]]\nmatch = \"*\"\nset = { batch = true }\n";
    cando_sources *s = cando_sources_new(NULL, NULL);
    const void *bytes;
    size_t n;
    if (!s || sources_add_catalog(s, cat, NULL) != CANDO_OK ||
        cando_sources_add(s, "over", overlay, sizeof overlay - 1, CANDO_SYNTAX_CANDO,
                          CANDO_LAYER_PROJECT, NULL) != CANDO_OK)
        abort();
    if (cando_sources_build(s, &bytes, &n, NULL) == CANDO_OK) {
        const cando_catalog *again = cando_catalog_open_copy(bytes, n, NULL, NULL);
        if (!again)
            abort(); /* what we write ourselves we must be able to read */
        resolve_some(again);
        cando_catalog_release(again);
    }
    cando_sources_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t n;
    unsigned char *p = snapshot_from(data, size, &n);
    const cando_catalog *cat = cando_catalog_open_copy(p, n, NULL, NULL);
    free(p);
    if (!cat)
        return 0;
    cando_catalog_info info;
    cando_catalog_describe(cat, &info);
    unsigned what = data[0] >> 1;
    if (what % 4 == 0)
        resolve_some(cat);
    else if (what % 64 == 1)
        import_again(cat);
    else
        call_one(cat, what);
    cando_catalog_release(cat);
    return 0;
}
