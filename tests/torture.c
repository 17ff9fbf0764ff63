/*
 * torture.c - what happens if there is no memory, everywhere.
 *
 * Each scenario is run again and again with an allocator that fails its n-th
 * request, for n = 1, 2, 3, ... until it gets through without a failure; once
 * so that only this one request fails, and once so that all later ones do, too.
 * Each time:
 *
 *   - nothing crashes, and every block is given back with its right size
 *   - no block is left over
 *   - the failure is reported as one of memory, or it did not matter: then the
 *     answer is byte by byte the one that it always is
 *   - the same objects work again once there is memory
 *
 *     torture            all of it
 *     torture --quick    some forty values of n for each scenario
 *
 * CANDO_TORTURE_STEP=k tries every k-th n only.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "cando.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIE(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))

/* -- an allocator that fails when told to ------------------------------------------------ */

struct tight {
    size_t live, blocks; /* bytes and blocks that were not given back */
    size_t count;        /* requests so far */
    size_t fail_at;      /* this one fails; 0: none */
    bool and_after;      /* and all that follow */
    bool failed;
};

static struct tight tight;

/* Every block begins with its size. */
#define HEAD ((size_t)16)

static void *tight_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    struct tight *t = user;
    char *block = ptr ? (char *)ptr - HEAD : NULL;
    size_t was = 0;
    if (block)
        memcpy(&was, block, sizeof was);
    if (was != old_size)
        DIE("a block of %zu bytes came back as one of %zu", was, old_size);
    if (new_size == 0) {
        if (!block)
            DIE("nothing was to be freed");
        t->live -= was;
        t->blocks--;
        free(block);
        return NULL;
    }
    t->count++;
    if (t->fail_at && (t->count == t->fail_at || (t->and_after && t->count > t->fail_at))) {
        t->failed = true;
        return NULL;
    }
    char *next = malloc(HEAD + new_size); /* always another place */
    if (!next)
        DIE("out of memory, really");
    memset(next + HEAD, 0xA5, new_size);
    memcpy(next, &new_size, sizeof new_size);
    if (block) {
        memcpy(next + HEAD, ptr, was < new_size ? was : new_size);
        t->live -= was;
        t->blocks--;
        free(block);
    }
    t->live += new_size;
    t->blocks++;
    return next + HEAD;
}

static const cando_allocator allocator = {tight_resize, &tight};

/* -- what a run says ------------------------------------------------------------------------ */

struct transcript {
    char *p;
    size_t n, cap;
};

static void say(struct transcript *t, const void *p, size_t n)
{
    if (t->n + n > t->cap) {
        t->cap = (t->n + n) * 2;
        t->p = realloc(t->p, t->cap);
        if (!t->p)
            DIE("out of memory, really");
    }
    if (n)
        memcpy(t->p + t->n, p, n);
    t->n += n;
}

static void say_text(struct transcript *t, const char *text)
{
    say(t, text, strlen(text) + 1);
}

/* A call failed: was it for want of memory? Says what happened if not. */
static bool only_memory(struct transcript *t, cando_status st, const cando_error *err)
{
    if (st == CANDO_INTERNAL && strcmp(err->code, "memory") == 0)
        return false;
    say(t, &st, sizeof st);
    say_text(t, err->code);
    say_text(t, err->message);
    return true;
}

/* -- material --------------------------------------------------------------------------------- */

static const char own[] =
    "schema = \"cando/rules@1\"\n"
    "[defaults]\nstreaming = \"native\"\n"
    "[provider_defaults.p]\nseed = \"native\"\n"
    "[families]\nq = [\"p\", \"r\"]\n"
    "[[providers]]\nid = \"p\"\nname = \"P\"\naliases = [\"pa\", \"pb\"]\ndialect = \"gemini\"\nkind = \"cloud\"\n"
    "[[providers]]\nid = \"q\"\ndialect = \"openai-chat\"\n"
    "base_urls = [\"https://q.example\", \"https://*.q.example/v1\"]\n"
    "[aliases]\n\"zz/Mine\" = \"p/llama-3.3-70b\"\n\"q:two\" = \"zz:mine\"\n"
    "[policy]\nallow = [\"q\", \"P*\", \"zz\", \"nobody\"]\ndeny = [\"*/{x,y}*\"]\n"
    "[[labs]]\nid = \"meta\"\nname = \"Meta\"\naliases = [\"meta-llama\"]\nfamilies = [\"llama\"]\nmodels = [\"llama-3.3-70b\"]\n"
    "[labs.spellings]\n\"llama-33\" = \"llama-3.3-70b\"\n"
    "[spellings]\n\"q:llama-x\" = \"meta/llama-3.3-70b\"\n"
    "[[rules]]\nname = \"base\"\nmatch = [\"llama-*\", \"*x{y,z}*w\"]\nset = { tool_calling = \"native\", max_output = 9007199254740991 }\n"
    "source = \"https://example.org\"\nevidence = \"catalog\"\nchecked = 2026-11-01\n"
    "[[rules]]\nproviders = [\"P\", \"qx\"]\nmatch = { contains = \"b\", prefix = \"Ab\", exact = [\"e\", \"f\"] }\non = \"id\"\n"
    "set = { tool_search = [\"x\", \"y\"], auto_reasoning_overrides = { agent = \"off\" } }\n"
    "[[rules]]\ndialects = \"gemini\"\nmatch = \"*-abc-[ab]\"\non = \"id\"\nset = { web_fetch = { restricted = \"why\" } }\n"
    "[[rules]]\nmatch = \"claude-*\"\nversion_min = [4, 0]\nversion_max = [4, 9]\nset = { tokenizer = \"claude-v3\" }\n"
    "[[models]]\nprovider = \"q\"\nid = \"llama-3.3-70b\"\nset = { context_window = 128000, input_modalities = [\"text\", \"image\"] }\n"
    "[[models]]\nprovider = \"q\"\nid = \"other\"\n";
static const char own_bad[] =
    "schema = \"cando/rules@1\"\nresolution = \"first-match\"\n"
    "[families]\na = \"b\"\nb = \"a\"\nc = \"nobody\"\n"
    "[[providers]]\nid = \"a\"\naliases = [\"z\", \"y\"]\n"
    "[[providers]]\nid = \"b\"\naliases = [\"y\"]\n"
    "[[rules]]\nname = \"one\"\nproviders = \"aa\"\nmatch = \"claude-*\"\nset = { streaming = true }\n"
    "[[rules]]\nname = \"one\"\nmatch = \"*\"\nset = { streaming = false, max_output = 5, context_window = 4 }\n"
    "[[rules]]\nmatch = [\"gpt-4o\", \"gpt-4o\", \"gpt[\"]\nversion_min = [5, 0]\nset = { streming = true, tool_calls = true }\n"
    "[[rules]]\nmatch = { glob = \"x*\", blob = 1 }\nversion_max = [1]\nset = { tokenizer = \"o200\", max_tools = -1, seed = \"native\" }\n"
    "[[rules]]\nmatch = \"xy*\"\nset = {}\n"
    "[[models]]\nprovider = \"a\"\nset = { context_window = \"many\" }\n"
    "[spellings]\nnone = \"x\"\n";
static const char own_syntax[] = "schema = \"cando/rules@1\"\n[[rules]\nmatch = 1\n";
static const char own_layered[] =
    "schema = \"cando/rules@1\"\n[[providers]]\nid = \"a\"\n"
    "[[rules]]\nmatch = \"ab*\"\nset = { streaming = true }\n[[rules]]\nmatch = \"a*\"\nset = { streaming = false }\n"
    "[[rules]]\nproviders = \"a\"\nmatch = { contains = \"k\" }\nset = { seed = true }\n[[rules]]\nmatch = { any = true }\nset = { seed = false }\n";
static const char nika[] =
    "schema = \"nika/model-capabilities@1.0\"\n"
    "[defaults]\ntoken_limit_param = \"max-tokens\"\nsupports_temperature = true\nsupports_stop_sequences = true\nreasoning = false\n"
    "input_modalities = [\"text\"]\noutput_modalities = [\"text\"]\nsupported_parameters = []\nsupports_system_messages = true\n"
    "[[rules]]\nname = \"a\"\nscope.providers = [\"openai\"]\nmatch = { kind = \"prefix_any\", prefixes = [\"gpt-5\", \"o3\"] }\ncaps.reasoning = true\n"
    "[[rules]]\nname = \"b\"\nscope.api_dialect = \"openai-chat\"\nmatch = { kind = \"contains_any\", patterns = [\"mini\"] }\ncaps.tokenizer = \"o200k\"\n";
static const char nika_bad[] =
    "schema = \"nika/model-capabilities@1.0\"\n[defaults]\nreasoning = 1\n"
    "[[rules]]\nscope.providers = [\"opnai\", \"google\"]\nscope.region = [\"eu\"]\nmatch = { kind = \"prefix\", prefixes = [] }\ncaps = {}\n"
    "[[rules]]\nname = \"\"\nmatch = { kind = \"exact_any\", models = [] }\ncaps.input_modalities = [\"image\"]\ncaps.tokenizer = \"x\"\n"
    "[[rules]]\nname = \"x\"\nmatch = { kind = \"any\" }\ncaps.reasoning = true\n"
    "[[rules]]\nname = \"y\"\nmatch = { kind = \"any\" }\ncaps.reasoning = false\nextra = 1\n";
static const char nika_providers[] =
    "schema = \"nika/llm-providers@1.0\"\n"
    "[[providers]]\nid = \"openai\"\nname = \"O\"\naliases = [\"oai\"]\nenv_var = \"\"\nrequires_key = true\ndefault_model = \"x\"\ncheap_model = \"y\"\n"
    "description = \"d\"\napi_dialect = \"openai-chat\"\ntags = [\"b\", \"a\"]\n"
    "[[providers.models]]\nid = \"m\"\nmodel = \"mm\"\ncontext_window_tokens = 1\nmax_output_tokens = 2\n"
    "[[providers.models]]\nid = \"m\"\nmodel = \"mm\"\ncontext_window_tokens = 0\nmax_output_tokens = 2\n";
static const char harn[] =
    "[provider_family]\nr = \"q\"\n[provider_defaults.q]\nprompt_caching = true\n[provider_limits.q]\nrpm = 1\n"
    "[[provider.r]]\nmodel_match = [\"gpt-{4,5}*\", \"abc\"]\nversion_min = [4, 1]\nextends = true\nmax_tools = 7\n"
    "[[provider.q]]\nmodel_match = \"*\"\nserver_parser = \"x\"\npreserve_thinking = true\nthinking_modes = [\"adaptive\"]\n";
static const char harn_bad[] =
    "[provider_family]\nr = \"q\"\nq = \"r\"\nz = \"nobody\"\n"
    "[[provider.openrouter]]\nmodel_match = \"gpt-*\"\nreasoning_required_for_tools = true\nauto_reasoning_overrides = { agent = \"off\" }\n"
    "[[provider.openrouter]]\nmodel_match = \"gpt-5*\"\npreferred_tool_format = \"native\"\nversion_min = [4]\nbogus = 1\n"
    "[[provider.q]]\nmodel_match = [\"*\", \"*\"]\nallowed_tool_choice_modes = [\"any\"]\nmessage_wire_format = \"x\"\n"
    "[[provider.q]]\nmodel_match = \"\"\n[[provider.q]]\nmax_tools = \"x\"\n";

static const char own_requests[] =
    "schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\nroot = \"r\"\nalso_snake = true\n"
    "[measure]\ntext = [\"messages[].content\"]\njson = [\"tools\"]\noutput = [\"max_tokens\"]\nturn = [\"messages[]\"]\n"
    "[[rules]]\nname = \"tools\"\nkind = \"demand\"\nwhen = { path = \"tools\", length = [1, inf] }\nneeds = \"tool_calling\"\n"
    "source = \"https://example.org\"\n"
    "[[rules]]\nname = \"old\"\nkind = \"rename\"\nwhen = \"old\"\nmessage = \"m\"\nsource = \"s\"\nfix = { rename = \"a.new\" }\n"
    "[[rules]]\nname = \"heat\"\nkind = \"range\"\nwhen = { path = \"temperature\", outside = [0, 1] }\nmessage = \"m\"\n"
    "source = \"s\"\nfix = { clamp = [0, 1], lossy = true }\n"
    "[shape.r]\nclosed = true\nsource = \"s\"\n[shape.r.members]\n"
    "messages = { is = \"message[]\", unique = \"role\", items = [2, 9] }\n"
    "temperature = { is = \"number?\", range = [0, 2] }\nmaxTokens = \"integer\"\n"
    "[shape.message]\nby = \"role\"\nmissing = \"user\"\nsource = \"s\"\n"
    "cases = { user = \"user\" }\n[shape.user]\nexactly = [[\"a\", \"b\"]]\nsource = \"s\"\n"
    "members = { role = \"string\", a = \"string{}\", b = [\"x\", \"y\"] }\n"
    "[[adjust]]\nname = \"soft\"\nof = \"user\"\nseverity = \"warning\"\nsource = \"s\"\n";

/* -- scenarios: requests ------------------------------------------------------------------------ */

/* %1 .. %9 stand for the texts above, as JSON strings, and %Q for the request rules. */
static const char *const material[] = {own, own_bad, own_syntax, own_layered, nika, nika_bad, nika_providers, harn, harn_bad};

static const char *const requests[] = {
    /* resolve */
    "{\"op\":\"resolve\",\"id\":[1,{\"a\":null}],\"target\":\"q/llama-3.3-70b\"}",
    "{\"op\":\"resolve\",\"target\":{\"provider\":\"pa\",\"model\":\"llama-x\"},\"why\":true}",
    "{\"op\":\"resolve\",\"target\":\"q:llama-x\",\"why\":\"all\"}",
    "{\"op\":\"resolve\",\"target\":\"p/claude-opus-3-5\",\"why\":\"all\",\"view\":\"nika\",\"resolution\":\"layered\"}",
    "{\"op\":\"resolve\",\"target\":\"q/abc-abc-a\",\"why\":\"all\",\"view\":\"harn\",\"resolution\":\"first-match\"}",
    "{\"op\":\"resolve\",\"target\":\"q/llama-9-abc-c\",\"why\":\"all\",\"overlay\":{\"dialect\":\"cando\",\"text\":%1,\"name\":\"over\"}}",
    "{\"op\":\"resolve\",\"target\":\"r/gpt-5\",\"why\":\"all\",\"view\":\"harn\",\"rules\":{\"dialect\":\"harn\",\"text\":%8}}",
    "{\"op\":\"resolve\",\"target\":\"openai/o3-mini\",\"why\":\"all\",\"view\":\"nika\",\"rules\":[{\"text\":%5},{\"text\":%7}],\"overlay\":[{\"text\":%4}]}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"rules\":{\"text\":%2}}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"rules\":{\"text\":%3}}",
    /* lint */
    "{\"op\":\"lint\",\"text\":%1}",
    "{\"op\":\"lint\",\"text\":%2,\"dialect\":\"cando\"}",
    "{\"op\":\"lint\",\"text\":%3}",
    "{\"op\":\"lint\",\"text\":%4}",
    "{\"op\":\"lint\",\"text\":%5}",
    "{\"op\":\"lint\",\"text\":%6,\"dialect\":\"nika\"}",
    "{\"op\":\"lint\",\"text\":%7}",
    "{\"op\":\"lint\",\"text\":%8,\"dialect\":\"harn\"}",
    "{\"op\":\"lint\",\"text\":%9}",
    "{\"op\":\"lint\",\"path\":\"%F\"}",
    "{\"op\":\"lint\",\"path\":\"%F/none\"}",
    /* lists */
    "{\"op\":\"models\"}",
    "{\"op\":\"models\",\"rules\":{\"text\":%1},\"fields\":\"all\",\"sort\":\"price\"}",
    "{\"op\":\"models\",\"rules\":{\"text\":%1},\"providers\":[\"q\",\"pa\"],\"kinds\":\"cloud\",\"match\":[\"llama*\",\"{x,y}*\"],\"can\":[\"tool_calling\"],"
    "\"cannot\":\"seed\",\"input\":\"image\",\"minimum\":{\"context_window\":1},\"maximum\":{\"input_price\":\"1\"},\"released_after\":\"2026-01\"}",
    "{\"op\":\"models\",\"rules\":{\"text\":%1},\"model\":\"llama-3.3-70b\",\"fields\":[\"price\"]}",
    "{\"op\":\"models\",\"rules\":{\"text\":%1},\"like\":\"lama-3.3-70b\"}",
    "{\"op\":\"models\",\"providers\":\"zzz\"}",
    "{\"op\":\"select\",\"rules\":{\"text\":%1},\"require\":[\"tool_calling\",{\"capability\":\"reasoning_efforts\",\"includes\":[\"low\"]}],"
    "\"prefer\":[\"q\",\"reasoning\"],\"allow\":[\"q/*\"],\"minimum\":{\"max_tools\":1},\"unknown\":\"include\",\"sort\":\"release\"}",
    "{\"op\":\"select\",\"models\":[{\"provider\":\"p\",\"id\":\"b\",\"capabilities\":{\"tools\":true}},{\"provider\":\"p\",\"id\":\"a\"}],\"prefer\":[\"tools\"]}",
    "{\"op\":\"select\",\"prefer\":[\"tool_caling\"]}",
    "{\"op\":\"match\",\"required\":[{\"capability\":\"tool_read\",\"min_support\":\"native\"}],\"rank\":true}",
    "{\"op\":\"match\",\"required\":[{\"capability\":\"tool_read\",\"min_support\":\"native\"}],\"manifest\":{\"tool_read\":{\"restricted\":{\"reason\":\"x\"}}}}",
    "{\"op\":\"match\",\"required\":[],\"backend\":\"cluade\"}",
    "{\"op\":\"diff\",\"a\":\"q/llama-3.3-70b\",\"b\":{\"profile\":{\"reasoning_efforts\":[\"low\"]},\"profile_form\":\"cando\"}}",
    "{\"op\":\"diff\",\"a\":\"llama-3.3-70b\",\"b\":\"q/other\"}",
    "{\"op\":\"models\",\"can\":\"zzz\"}",
    "{\"op\":\"models\",\"sort\":\"zzz\"}",
    "{\"op\":\"resolve\",\"target\":\"zz/mine\",\"why\":\"all\",\"rules\":{\"text\":%1}}",
    "{\"op\":\"resolve\",\"target\":\"llama-3.3-70b\"}",
    /* the others */
    "{\"op\":\"model_id\",\"provider\":\"amazon-bedrock\",\"model\":\"us.anthropic.claude-opus-4-6-v1:0\"}",
    "{\"op\":\"model_id\",\"model\":\"meta-llama/llama-33:free\"}",
    "{\"op\":\"explain\",\"code\":\"rule_shadowed\"}",
    "{\"op\":\"explain\",\"code\":\"rule-shadowd\"}",
    "{\"op\":\"explain\",\"code\":\"zzzzzzzz\"}",
    /* learn */
    "{\"op\":\"learn\",\"target\":\"q/m\",\"error\":{\"error\":{\"message\":\"Unsupported parameter: 'temperature' is not supported with this model.\"}},"
    "\"now\":\"2026-11-15\",\"days\":3,\"into\":%1}",
    "{\"op\":\"learn\",\"target\":\"q/m\",\"probe\":[{\"field\":\"vision\",\"value\":\"restricted: x\"}],\"into\":%3}",
    "{\"op\":\"learn\",\"target\":\"q/m\",\"probe\":{\"field\":\"visoin\",\"value\":\"native\"}}",
    /* requests as needs, and in advance */
    "{\"op\":\"needs\",\"dialect\":\"openai-chat\",\"rules\":{\"text\":%Q},\"request\":{\"messages\":[{\"content\":\"hello you\"}],\"tools\":[1],\"max_tokens\":9}}",
    "{\"op\":\"select\",\"dialect\":\"openai-chat\",\"overlay\":[{\"text\":%Q},{\"text\":%1}],\"minimum\":{\"context_window\":1},"
    "\"request\":{\"custom_id\":\"x\",\"body\":{\"messages\":[{\"content\":\"hello you\"}],\"tools\":[1]}}}",
    "{\"op\":\"cost\",\"dialect\":\"openai-chat\",\"rules\":[{\"text\":%Q},{\"text\":%1}],\"provider\":\"q\",\"pricing\":{\"input_tokens\":\"3\",\"output_tokens\":\"5\"},"
    "\"request\":{\"model\":\"llama-3.3-70b\",\"messages\":[{\"content\":\"hello you\"}],\"tools\":[1],\"n\":2}}",
    "{\"op\":\"cost\",\"rules\":{\"text\":%1},\"target\":\"q/other\",\"request\":{\"messages\":[]}}",
    "{\"op\":\"cost\",\"provider\":\"q\",\"pricing\":{\"form\":\"litellm\",\"input_cost_per_token\":3e-6},"
    "\"response\":{\"model\":\"x\",\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}}",
    "{\"op\":\"cost\",\"logged\":true,\"response\":{\"target\":\"q/x\",\"response\":{\"usage\":{\"prompt_tokens\":-1}}}}",
    "{\"op\":\"usage\",\"response\":[{\"type\":\"message_start\",\"message\":{\"model\":\"a\\n\",\"usage\":{\"input_tokens\":9}}}]}",
    "{\"op\":\"usage\",\"response\":{\"usage\":{\"prompt_tokens\":1,}}}",
    /* negotiation */
    "{\"op\":\"needs\",\"session\":{\"state_machine\":{\"needs\":[\"streaming\"]},"
    "\"context_providers\":[{\"id\":\"c\",\"produces\":[\"tool-hint\"],\"min_context\":9}],"
    "\"hooks\":[{\"id\":\"h\",\"kind\":\"guard\",\"on\":\"token\"}],"
    "\"inherited\":[{\"name\":\"reasoning_efforts\",\"includes\":[\"low\"],\"required_by\":\"x\"}]}}",
    "{\"op\":\"needs\",\"required\":[{\"capability\":\"zzz\",\"min_support\":\"any\"}]}",
    "{\"op\":\"negotiate\",\"target\":\"q/llama-x\",\"previous\":\"pa/llama-x\",\"rules\":{\"text\":%1},"
    "\"requirements\":[{\"name\":\"seed\",\"level\":\"hard\",\"min_support\":\"native\"},"
    "{\"name\":\"context_window\",\"level\":\"preferred\",\"minimum\":9000000},"
    "{\"name\":\"reasoning_efforts\",\"level\":\"probed\",\"includes\":[\"low\"],\"required_by\":\"me\"}],"
    "\"params\":[{\"path\":[\"a\",\"temperature\"],\"value\":\"sk-abc123\",\"layer\":\"launch\"}]}",
    "{\"op\":\"negotiate\",\"target\":\"q/llama-x\",\"unknown\":\"deny\",\"profile\":{\"contextWindow\":900000000,"
    "\"multimodal\":{\"image\":true}},\"requirements\":[{\"name\":\"multimodal\",\"level\":\"hard\"},"
    "{\"name\":\"json_mode\",\"level\":\"hard\"}]}",
    "{\"op\":\"negotiate\",\"target\":\"q/llama-x\",\"history\":{\"messages\":[{\"role\":\"user\",\"content\":"
    "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]}]}}",
    "{\"op\":\"negotiate\",\"profile\":{\"streaming\":\"perhaps\"}}",
    /* preflight */
    "{\"op\":\"preflight\",\"dialect\":\"openai-chat\",\"target\":\"q/llama-3.3-70b\",\"fix\":true,"
    "\"request\":{\"messages\":[{\"content\":\"hello you\"}],\"tools\":[1],\"old\":1,\"temperature\":7}}",
    "{\"op\":\"preflight\",\"dialect\":\"openai-chat\",\"target\":\"q/other\",\"rules\":[{\"text\":%Q},{\"text\":%1}],"
    "\"only\":[\"findings\",\"tokens\"],\"request\":{\"messages\":[],\"temperature\":7}}",
    "{\"op\":\"preflight\",\"dialect\":\"openai-chat\",\"profile\":{\"tool_calling\":\"unsupported\",\"context_window\":1},"
    "\"adapter\":{\"requires_structured_finalize\":true},\"request\":{\"messages\":[{\"content\":\"hello you\"}],\"tools\":[1]}}",
    "{\"op\":\"preflight\",\"profile\":{\"tool_calling\":\"perhaps\"},\"request\":{}}",
    "{\"op\":\"preflight\",\"dialect\":\"gemini\",\"request\":{}}",
    "{\"op\":\"preflight\",\"target\":\"llama-3.3-70b\",\"request\":{}}",
    "{\"op\":\"preflight\",\"only\":\"verdicts\",\"request\":{}}",
    "{\"op\":\"preflight\",\"only\":[\"verdicts\"],\"request\":{}}",
    "{\"op\":\"preflight\",\"request\":[]}",
    /* guard */
    "{\"op\":\"guard\",\"mode\":\"repair\",\"url\":\"https://q.example/v1/chat/completions\","
    "\"request\":{\"model\":\"llama-3.3-70b\",\"old\":1,"
    "\"messages\":[{\"content\":\"hello you\"}]}}",
    "{\"op\":\"guard\",\"mode\":\"reject\",\"url\":\"https://a.q.example/v1/chat/completions\","
    "\"request\":{\"model\":\"llama-3.3-70b\",\"temperature\":7,"
    "\"messages\":[{\"content\":\"hello you\"}]}}",
    "{\"op\":\"guard\",\"provider\":\"q\",\"url\":\"https://mine.example/api/chat\","
    "\"request\":[]}",
    "{\"op\":\"guard\",\"url\":\"https://nobody.example/\",\"request\":{}}",
    "{\"op\":\"guard\",\"request\":{}}",
    /* stand_in */
    "{\"op\":\"stand_in\",\"url\":\"https://q.example/v1/chat/completions\","
    "\"at\":\"2026-11-16\",\"request\":{\"model\":\"llama-3.3-70b\",\"stream\":true,"
    "\"messages\":[{\"content\":\"hello\"}],\"tools\":[{\"function\":{\"name\":\"f\","
    "\"parameters\":{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"object\","
    "\"required\":[\"a\"],\"properties\":{\"a\":{\"pattern\":\"^x{2}$\"}}}]}}}],"
    "\"tool_choice\":\"required\"}}",
    "{\"op\":\"stand_in\",\"url\":\"/api/chat\",\"provider\":\"q\",\"at\":\"2026-11-16\","
    "\"request\":{\"model\":\"llama-3.3-70b\",\"messages\":[{\"content\":\"hello\"}],"
    "\"stream\":false,\"format\":{\"type\":\"array\",\"minItems\":2,"
    "\"uniqueItems\":true,\"items\":{\"type\":\"number\"}}}}",
    "{\"op\":\"stand_in\",\"url\":\"/model/m/converse-stream\",\"provider\":\"q\","
    "\"at\":\"2026-11-16\",\"request\":{\"messages\":[]}}",
    "{\"op\":\"stand_in\",\"url\":\"/v1/chat/completions\",\"provider\":\"q\","
    "\"request\":[]}",
    "{\"op\":\"stand_in\",\"url\":\"/v1/models\",\"provider\":\"q\","
    "\"headers\":{\"a\":\"b\"}}",
    "{\"op\":\"stand_in\",\"url\":\"/v1/models/none\",\"provider\":\"q\"}",
    /* bad questions */
    "",
    "{\"op\":\"resolve\",",
    "[]",
    "{}",
    "{\"op\":1}",
    "{\"op\":\"resolv\",\"id\":\"x\"}",
    "{\"op\":\"qqqqqqqqqqq\"}",
    "{\"op\":\"resolve\"}",
    "{\"op\":\"resolve\",\"target\":1}",
    "{\"op\":\"resolve\",\"target\":\"x\"}",
    "{\"op\":\"resolve\",\"target\":{\"provider\":\"x\"}}",
    "{\"op\":\"resolve\",\"target\":{\"provider\":\"x\",\"model\":1}}",
    "{\"op\":\"resolve\",\"target\":{\"provider\":\"x\",\"model\":\"y\",\"z\":1}}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"vew\":\"x\"}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"a~/b\":\"x\"}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"view\":\"x\"}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"view\":1}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"why\":1}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"rules\":1}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"rules\":{}}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"rules\":[{\"text\":1}]}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"rules\":[{\"text\":\"\",\"dialect\":\"x\"}]}",
    "{\"op\":\"resolve\",\"target\":\"a/b\",\"overlay\":[{\"text\":\"\",\"more\":\"x\"}]}",
    "{\"op\":\"lint\"}",
    "{\"op\":\"lint\",\"text\":1}",
    "{\"op\":\"lint\",\"text\":\"\",\"dialect\":\"x\"}",
    "{\"op\":\"model_id\"}",
};
#define N_REQUESTS (sizeof requests / sizeof *requests)

static char folder[64]; /* with rule files and a snapshot */

static void say_json(struct transcript *t, const char *text)
{
    say(t, "\"", 1);
    for (; *text; text++)
        if (*text == '\n')
            say(t, "\\n", 2);
        else if (*text == '"' || *text == '\\')
            say(t, (char[]){'\\', *text}, 2);
        else
            say(t, text, 1);
    say(t, "\"", 1);
}

static struct transcript request_text(const char *form)
{
    struct transcript t = {0};
    for (; *form; form++)
        if (form[0] == '%' && form[1] >= '1' && form[1] <= '9')
            say_json(&t, material[*++form - '1']);
        else if (form[0] == '%' && form[1] == 'Q')
            say_json(&t, own_requests), form++;
        else if (form[0] == '%' && form[1] == 'F')
            say(&t, folder, strlen(folder)), form++;
        else
            say(&t, form, 1);
    return t;
}

static struct transcript request; /* of the scenario that runs */
static const cando_catalog *base;

static bool ask(const cando *c, struct transcript *out)
{
    char *reply;
    size_t len;
    cando_status st = cando_call(c, request.p ? request.p : "", request.n, &reply, &len);
    if (st != CANDO_OK) {
        if (st != CANDO_INTERNAL || reply || len)
            DIE("a call that failed left a reply, or another status: %d", (int)st);
        return false;
    }
    if (strlen(reply) != len)
        DIE("a reply that does not end where it says");
    say(out, reply, len);
    cando_free_text(c, reply, len);
    return true;
}

static bool run_request(struct transcript *out)
{
    cando_error err = {0};
    cando *c = cando_new(base, &allocator, &err);
    if (!c)
        return only_memory(out, err.status, &err);
    bool ok = ask(c, out);
    if (!ok) { /* it still works */
        struct tight was = tight;
        struct transcript again = {0};
        tight.fail_at = 0;
        if (!ask(c, &again) || again.n == 0)
            DIE("the engine did not recover");
        free(again.p);
        tight.fail_at = was.fail_at;
    }
    cando_free(c);
    return ok;
}

/* A verdict from the engine's own targets, in words and rewritten. */
static bool judge(struct transcript *out, const cando *c, cando_report *r, cando_room *room)
{
    static const char body[] = "{\"messages\":[{\"content\":\"hello you\"}],\"old\":1,\"temperature\":7}";
    cando_error err = {0};
    size_t n, length;
    const cando_target *t = cando_target_of(c, (cando_name){"q/other", NULL}, 0, &err);
    if (!t)
        return only_memory(out, err.status, &err);
    cando_status st = cando_preflight(t, "openai-chat", body, sizeof body - 1, true, r, &err);
    if (st != CANDO_OK)
        DIE("a verdict allocates nothing: %s", err.message);
    const cando_finding *f = cando_report_words(r, room, &n, &err);
    for (size_t i = 0; f && i < n; i++) {
        say_text(out, f[i].path);
        say_text(out, f[i].hint ? f[i].hint : f[i].message);
    }
    const cando_bytes *piece = cando_report_rewrite(r, &n, &length, NULL);
    for (size_t i = 0; piece && i < n; i++)
        say(out, piece[i].p, piece[i].n);
    cando_target_release(t);
    return f || only_memory(out, err.status, &err);
}

static bool run_targets(struct transcript *out)
{
    cando_error err = {0};
    cando *c = cando_new(base, &allocator, &err);
    cando_report *r = c ? cando_report_new(&allocator, &err) : NULL;
    cando_room *room = r ? cando_room_new(&allocator, &err) : NULL;
    bool ok = room ? judge(out, c, r, room) && judge(out, c, r, room) : only_memory(out, err.status, &err);
    cando_room_free(room);
    cando_report_free(r);
    cando_free(c);
    return ok;
}

/* -- scenarios: the other functions ---------------------------------------------------------------- */

static bool say_findings(struct transcript *out, const cando_sources *s)
{
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding f = cando_sources_finding(s, i);
        say_text(out, f.code);
        say_text(out, f.file);
        say_text(out, f.message);
        say_text(out, f.hint);
        say_text(out, f.excerpt);
        say(out, &f.line, sizeof f.line);
    }
    return true;
}

static bool add_text(struct transcript *out, cando_sources *s, const char *name, const char *text, cando_layer layer)
{
    cando_error err = {0};
    cando_status st = cando_sources_add(s, name, text, strlen(text), CANDO_SYNTAX_AUTO, layer, &err);
    return st == CANDO_OK || only_memory(out, st, &err);
}

static void say_profile(struct transcript *out, const cando_catalog *cat)
{
    cando_profile p;
    if (cando_resolve_parts(cat, "q", 1, "llama-x", 7, CANDO_AS_WRITTEN, &p, NULL) != CANDO_OK)
        DIE("resolving failed");
    for (unsigned f = 0; f < cando_field_count(); f++) {
        cando_value v = cando_profile_get(&p, (cando_field)f);
        cando_origin o = cando_profile_why(&p, (cando_field)f);
        say_text(out, v.known && v.text ? v.text : "");
        say_text(out, o.rule);
        for (uint32_t i = 0; v.known && i < v.count; i++)
            say_text(out, cando_value_item(&v, i));
    }
    cando_catalog_info info;
    cando_catalog_describe(cat, &info);
    say(out, &info.rules, sizeof info.rules);
}

/* Opens in both ways; `data` is aligned. */
static bool open_both(struct transcript *out, const void *data, size_t len)
{
    cando_error err = {0};
    const cando_catalog *copy = cando_catalog_open_copy(data, len, &allocator, &err);
    if (!copy)
        return only_memory(out, err.status, &err);
    say_profile(out, copy);
    const cando_catalog *cat = cando_catalog_open(data, len, &allocator, &err);
    bool ok = cat || only_memory(out, err.status, &err);
    cando *c = cat ? cando_new(cat, &allocator, &err) : NULL;
    if (cat && !c)
        ok = only_memory(out, err.status, &err);
    if (c) {
        cando_set_catalog(c, copy);
        const cando_catalog *now = cando_get_catalog(c);
        if (now != copy)
            DIE("another catalog than the one that was set");
        cando_catalog_release(now);
        cando_set_catalog(c, NULL);
        cando_free(c);
    }
    cando_catalog_release(cando_catalog_retain(cat));
    cando_catalog_release(cat);
    cando_catalog_release(copy);
    return ok;
}

static bool build_and_open(struct transcript *out, cando_sources *s)
{
    cando_error err = {0};
    const void *data;
    size_t len;
    cando_status st = cando_sources_build(s, &data, &len, &err);
    if (st != CANDO_OK)
        return only_memory(out, st, &err);
    say(out, data, len);
    return open_both(out, data, len);
}

static bool run_sources(struct transcript *out)
{
    cando_error err = {0};
    cando_sources *s = cando_sources_new(&allocator, &err);
    if (!s)
        return only_memory(out, err.status, &err);
    bool ok = add_text(out, s, "own.toml", own, CANDO_LAYER_FAMILY) && build_and_open(out, s) &&
              add_text(out, s, "harn.toml", harn, CANDO_LAYER_USER) && add_text(out, s, "nika.toml", nika, CANDO_LAYER_PROJECT) &&
              build_and_open(out, s);
    cando_status st = ok ? cando_sources_lint(s, &err) : CANDO_OK;
    if (st != CANDO_OK)
        ok = only_memory(out, st, &err);
    if (ok)
        say_findings(out, s);
    cando_sources_free(s);
    return ok;
}

/* What was added without memory cannot be built as if it were whole. */
static bool run_unfinished(struct transcript *out)
{
    cando_error err = {0};
    const void *data;
    size_t len;
    cando_sources *s = cando_sources_new(&allocator, &err);
    if (!s)
        return only_memory(out, err.status, &err);
    bool ok = add_text(out, s, "own.toml", own, CANDO_LAYER_FAMILY);
    size_t at = tight.fail_at;
    if (!ok)
        tight.fail_at = 0;
    cando_status st = cando_sources_build(s, &data, &len, &err);
    bool built = st == CANDO_OK;
    if (!built && (st != CANDO_INTERNAL || strcmp(err.code, "memory") != 0))
        DIE("building from less than all: %s", err.message);
    if (built)
        say(out, data, len);
    tight.fail_at = at;
    cando_sources_free(s);
    return ok && built;
}

static bool run_path(struct transcript *out)
{
    cando_error err = {0};
    cando_sources *s = cando_sources_new(&allocator, &err);
    if (!s)
        return only_memory(out, err.status, &err);
    cando_status st = cando_sources_add_path(s, folder, CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY, &err);
    bool ok = st == CANDO_OK ? build_and_open(out, s) : only_memory(out, st, &err);
    if (ok && cando_sources_lint(s, &err) == CANDO_OK)
        say_findings(out, s);
    else
        ok = false;
    cando_sources_free(s);
    return ok;
}

static bool run_open_file(struct transcript *out)
{
    cando_error err = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/base.snap", folder);
    const cando_catalog *cat = cando_catalog_open_file(path, &allocator, &err);
    if (!cat)
        return only_memory(out, err.status, &err);
    say_profile(out, cat);
    cando_catalog_release(cat);
    snprintf(path, sizeof path, "%s/b.toml", folder); /* no snapshot */
    cat = cando_catalog_open_file(path, &allocator, &err);
    if (cat)
        DIE("a text was taken for a snapshot");
    return only_memory(out, err.status, &err);
}

static bool run_write_file(struct transcript *out)
{
    cando_error err = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/written", folder);
    cando_status st = file_replace(path, own, sizeof own, &allocator, &err);
    if (st != CANDO_OK)
        return only_memory(out, st, &err);
    char *text;
    size_t len;
    st = file_read(path, 1 << 20, &allocator, &text, &len, &err);
    if (st != CANDO_OK)
        return only_memory(out, st, &err);
    say(out, text, len);
    allocator.resize(allocator.user, text, len + 1, 0);
    return true;
}

/* A session through all that it knows; what fails leaves it as it was. */
static bool change(struct transcript *out, cando_session *s, cando_change c)
{
    cando_error err = {0};
    cando_bytes text;
    cando_room *room = cando_room_new(&allocator, &err);
    if (!room)
        return only_memory(out, err.status, &err);
    const cando_negotiate_answer *a = cando_session_change(s, &c, room, &err);
    bool ok = a || only_memory(out, err.status, &err);
    if (ok) {
        say(out, &a->verdict, sizeof a->verdict);
        say_text(out, a->suggestion ? a->suggestion : "");
        cando_status st = cando_session_state(s, room, &text, &err);
        ok = st == CANDO_OK || only_memory(out, st, &err);
        if (st == CANDO_OK)
            say(out, text.p, text.n);
    }
    cando_room_free(room);
    return ok;
}

static bool run_child(struct transcript *out, const cando *c, const cando_session *s)
{
    cando_error err = {0};
    cando_bytes text;
    cando_session *child = NULL, *again = NULL;
    cando_room *room = cando_room_new(&allocator, &err);
    bool ok = room && cando_session_spawn(s, NULL, room, &child, &err) && child;
    ok = ok && cando_session_state(child, room, &text, &err) == CANDO_OK;
    if (ok)
        again = cando_session_restore(c, text.p, text.n, &err);
    if (ok && again)
        say(out, text.p, text.n);
    else
        ok = only_memory(out, err.status, &err);
    cando_session_free(again);
    cando_session_free(child);
    cando_room_free(room);
    return ok;
}

static bool run_session(struct transcript *out)
{
    static const char *const path[] = {"temperature"};
    const cando_requirement need = {.name = "tool_calling"};
    const cando_state_machine machine = {.id = "m", .needs = &need, .n_needs = 1};
    const cando_hook hook = {.id = "h", .on = "token", .level = CANDO_PROBED};
    const cando_context_provider provider = {.id = "c", .min_context = {1u << 30, true}};
    const cando_param param = {.path = path, .n_path = 1, .value = {"1", 1}};
    const char *history = "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    cando_error err = {0};
    cando *c = cando_new(base, &allocator, &err);
    cando_session *s = c ? cando_session_new(c, (cando_name){"q/llama-x", NULL}, &err) : NULL;
    bool ok = s || only_memory(out, err.status, &err);
    ok = ok && change(out, s, (cando_change){.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine});
    ok = ok && change(out, s, (cando_change){.kind = CANDO_CHANGE_HOOK, .hook = &hook});
    ok = ok && change(out, s, (cando_change){.kind = CANDO_CHANGE_PROVIDE, .context_provider = &provider});
    ok = ok && change(out, s, (cando_change){.kind = CANDO_CHANGE_PARAMS, .params = &param, .n_params = 1});
    ok = ok && change(out, s, (cando_change){.kind = CANDO_CHANGE_HISTORY, .history = {history, strlen(history)}});
    ok = ok && change(out, s, (cando_change){.target = {"llama-3.3-70b", "pa"}});
    ok = ok && run_child(out, c, s);
    cando_session_free(s);
    cando_free(c);
    return ok;
}

/* -- the rack ------------------------------------------------------------------------------------------ */

static bool quick;

static size_t step_for(size_t requests_of_one)
{
    const char *text = getenv("CANDO_TORTURE_STEP");
    size_t step = text && *text ? (size_t)strtoul(text, NULL, 10) : quick ? requests_of_one / 40 + 1 : 1;
    return step ? step : 1;
}

/* One run with the n-th request failing; 0: none. True if nothing was said to
 * have failed. */
static bool run_once(const char *name, bool (*scenario)(struct transcript *), size_t n, bool and_after, struct transcript *out)
{
    tight = (struct tight){.fail_at = n, .and_after = and_after};
    out->n = 0;
    bool ok = scenario(out);
    if (tight.live || tight.blocks)
        DIE("%s, request %zu%s: %zu bytes in %zu blocks were left over", name, n, and_after ? " and after" : "", tight.live, tight.blocks);
    return ok;
}

static size_t torture(const char *name, bool (*scenario)(struct transcript *))
{
    struct transcript whole = {0}, part = {0};
    size_t runs = 0;
    if (!run_once(name, scenario, 0, false, &whole))
        DIE("%s: fails even with memory", name);
    size_t step = step_for(tight.count);
    for (int and_after = 0; and_after < 2; and_after++)
        for (size_t n = 1;; n += step, runs++) {
            bool ok = run_once(name, scenario, n, and_after, &part);
            if (!tight.failed)
                break;
            if (ok && (part.n != whole.n || memcmp(part.p, whole.p, whole.n) != 0))
                DIE("%s, request %zu%s: another answer for want of memory:\n%.*s\ninstead of\n%.*s", name, n, and_after ? " and after" : "",
                    (int)part.n, part.p ? part.p : "", (int)whole.n, whole.p ? whole.p : "");
        }
    free(whole.p);
    free(part.p);
    return runs;
}

static void write_file(const char *name, const void *data, size_t len)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, len, f) != len || fclose(f) != 0)
        DIE("cannot write %s", path);
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void make_material(void)
{
    const void *data;
    size_t len;
    cando_error err;
    strcpy(folder, "/tmp/cando-torture-XXXXXX");
    if (!mkdtemp(folder))
        DIE("no folder for files");
    cando_sources *s = cando_sources_new(NULL, &err);
    if (!s || cando_sources_add(s, "own.toml", own, sizeof own - 1, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY, &err) != CANDO_OK ||
        cando_sources_add(s, "own_requests.toml", own_requests, sizeof own_requests - 1, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY,
                          &err) != CANDO_OK ||
        cando_sources_build(s, &data, &len, &err) != CANDO_OK || !(base = cando_catalog_open_copy(data, len, NULL, &err)))
        DIE("no catalog: %s", err.message);
    write_file("base.snap", data, len);
    write_file("a.toml", own, sizeof own - 1);
    write_file("b.toml", harn, sizeof harn - 1);
    cando_sources_free(s);
}

static void drop_material(void)
{
    static const char *const files[] = {"base.snap", "a.toml", "b.toml", "written"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        remove_file(files[i]);
    rmdir(folder);
    cando_catalog_release(base);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*run)(struct transcript *);
    } scenarios[] = {
        {"sources, build, open, engine", run_sources}, {"sources that are not whole", run_unfinished}, {"a folder of sources", run_path},
        {"a snapshot file", run_open_file},            {"replacing a file", run_write_file},
        {"a session", run_session},
        {"targets that are kept", run_targets},
    };
    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    make_material();
    size_t passed = 0, runs = 0;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++, passed++)
        runs += torture(scenarios[i].name, scenarios[i].run);
    for (size_t i = 0; i < N_REQUESTS; i++, passed++) {
        request = request_text(requests[i]);
        runs += torture(requests[i], run_request);
        free(request.p);
    }
    drop_material();
    printf("%zu runs without memory\n%zu passed, 0 failed\n", runs, passed);
    return 0;
}
