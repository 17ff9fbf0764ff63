/*
 * test_model_id.c - the parser of model ids against a small table of its own.
 *
 * The table below is a cut of what the catalog holds: enough that the right
 * model is there, and beside it the wrong one that a careless rule would take
 * (gpt-4 beside gpt-4-1106-preview, kimi-k2.7-code beside its highspeed twin).
 * Three kinds of tests: spellings and the model behind each; all parts of some
 * ids; and properties that hold for any bytes at all.
 */

#include "test.h"

#include "catalog/model_id.h"

/* ---- the table -------------------------------------------------------- */

static const struct entry {
    enum id_table table;
    const char *key, *value;
} entries[] = {
    {ID_PROVIDER, "aihubmix", "aihubmix"},
    {ID_PROVIDER, "alibaba", "alibaba"},
    {ID_PROVIDER, "amazon-bedrock", "amazon-bedrock"},
    {ID_PROVIDER, "anthropic", "anthropic"},
    {ID_PROVIDER, "atomic-chat", "atomic-chat"},
    {ID_PROVIDER, "auriko", "auriko"},
    {ID_PROVIDER, "aws", "amazon-bedrock"},
    {ID_PROVIDER, "azure", "azure"},
    {ID_PROVIDER, "azure_openai", "azure"},
    {ID_PROVIDER, "baseten", "baseten"},
    {ID_PROVIDER, "bedrock", "amazon-bedrock"},
    {ID_PROVIDER, "bedrock_converse", "amazon-bedrock"},
    {ID_PROVIDER, "cerebras", "cerebras"},
    {ID_PROVIDER, "chatgpt", "chatgpt"},
    {ID_PROVIDER, "chutes", "chutes"},
    {ID_PROVIDER, "clarifai", "clarifai"},
    {ID_PROVIDER, "claude", "anthropic"},
    {ID_PROVIDER, "cloudflare", "cloudflare-workers-ai"},
    {ID_PROVIDER, "cloudflare-ai-gateway", "cloudflare-ai-gateway"},
    {ID_PROVIDER, "cloudflare-workers-ai", "cloudflare-workers-ai"},
    {ID_PROVIDER, "cohere", "cohere"},
    {ID_PROVIDER, "cortecs", "cortecs"},
    {ID_PROVIDER, "databricks", "databricks"},
    {ID_PROVIDER, "deepseek", "deepseek"},
    {ID_PROVIDER, "digitalocean", "digitalocean"},
    {ID_PROVIDER, "evroc", "evroc"},
    {ID_PROVIDER, "fastrouter", "fastrouter"},
    {ID_PROVIDER, "fireworks", "fireworks-ai"},
    {ID_PROVIDER, "fireworks-ai", "fireworks-ai"},
    {ID_PROVIDER, "fireworks_ai", "fireworks-ai"},
    {ID_PROVIDER, "gemini", "google"},
    {ID_PROVIDER, "github-models", "github-models"},
    {ID_PROVIDER, "github_copilot", "github-copilot"},
    {ID_PROVIDER, "gitlab", "gitlab"},
    {ID_PROVIDER, "gmi", "gmicloud"},
    {ID_PROVIDER, "google", "google"},
    {ID_PROVIDER, "google-vertex", "google-vertex"},
    {ID_PROVIDER, "google-vertex-anthropic", "google-vertex"},
    {ID_PROVIDER, "gpt", "openai"},
    {ID_PROVIDER, "grok", "xai"},
    {ID_PROVIDER, "groq", "groq"},
    {ID_PROVIDER, "helicone", "helicone"},
    {ID_PROVIDER, "heroku", "heroku"},
    {ID_PROVIDER, "huggingface", "huggingface"},
    {ID_PROVIDER, "jiekou", "jiekou"},
    {ID_PROVIDER, "kilo", "kilo"},
    {ID_PROVIDER, "kimi", "moonshotai"},
    {ID_PROVIDER, "kimi-for-coding", "kimi-for-coding"},
    {ID_PROVIDER, "llama", "llama"},
    {ID_PROVIDER, "llmgateway", "llmgateway"},
    {ID_PROVIDER, "merge-gateway", "merge-gateway"},
    {ID_PROVIDER, "meta", "llama"},
    {ID_PROVIDER, "minimax", "minimax"},
    {ID_PROVIDER, "mistral", "mistral"},
    {ID_PROVIDER, "moonshotai", "moonshotai"},
    {ID_PROVIDER, "nano-gpt", "nano-gpt"},
    {ID_PROVIDER, "nvidia", "nvidia"},
    {ID_PROVIDER, "ollama", "ollama"},
    {ID_PROVIDER, "ollama-cloud", "ollama-cloud"},
    {ID_PROVIDER, "openai", "openai"},
    {ID_PROVIDER, "openrouter", "openrouter"},
    {ID_PROVIDER, "orcarouter", "orcarouter"},
    {ID_PROVIDER, "ovhcloud", "ovhcloud"},
    {ID_PROVIDER, "perplexity", "perplexity"},
    {ID_PROVIDER, "perplexity-agent", "perplexity-agent"},
    {ID_PROVIDER, "poe", "poe"},
    {ID_PROVIDER, "qiniu-ai", "qiniu-ai"},
    {ID_PROVIDER, "qwen", "alibaba"},
    {ID_PROVIDER, "routing-run", "routing-run"},
    {ID_PROVIDER, "sap-ai-core", "sap-ai-core"},
    {ID_PROVIDER, "scaleway", "scaleway"},
    {ID_PROVIDER, "snowflake", "snowflake-cortex"},
    {ID_PROVIDER, "snowflake-cortex", "snowflake-cortex"},
    {ID_PROVIDER, "stackit", "stackit"},
    {ID_PROVIDER, "stepfun-ai", "stepfun-ai"},
    {ID_PROVIDER, "synthetic", "synthetic"},
    {ID_PROVIDER, "tinfoil", "tinfoil"},
    {ID_PROVIDER, "together", "togetherai"},
    {ID_PROVIDER, "together-ai", "togetherai"},
    {ID_PROVIDER, "together_ai", "togetherai"},
    {ID_PROVIDER, "togetherai", "togetherai"},
    {ID_PROVIDER, "umans", "umans-ai"},
    {ID_PROVIDER, "umans-ai", "umans-ai"},
    {ID_PROVIDER, "upstage", "upstage"},
    {ID_PROVIDER, "venice", "venice"},
    {ID_PROVIDER, "vercel", "vercel"},
    {ID_PROVIDER, "vertex_ai", "google-vertex"},
    {ID_PROVIDER, "vertex_ai-deepseek_models", "google-vertex"},
    {ID_PROVIDER, "vertex_ai-mistral_models", "google-vertex"},
    {ID_PROVIDER, "volcengine", "volcengine"},
    {ID_PROVIDER, "wandb", "wandb"},
    {ID_PROVIDER, "workers-ai", "cloudflare-workers-ai"},
    {ID_PROVIDER, "x-ai", "xai"},
    {ID_PROVIDER, "xai", "xai"},
    {ID_PROVIDER, "xiaomi", "xiaomi"},
    {ID_PROVIDER, "xpersona", "xpersona"},
    {ID_PROVIDER, "z-ai", "zai"},
    {ID_PROVIDER, "zai", "zai"},
    {ID_PROVIDER, "zenmux", "zenmux"},
    {ID_LAB, "alibaba", "alibaba"},
    {ID_LAB, "amazon", "amazon"},
    {ID_LAB, "anthropic", "anthropic"},
    {ID_LAB, "bytedance", "bytedance"},
    {ID_LAB, "cohere", "cohere"},
    {ID_LAB, "deepseek", "deepseek"},
    {ID_LAB, "deepseek-ai", "deepseek"},
    {ID_LAB, "google", "google"},
    {ID_LAB, "meta", "meta"},
    {ID_LAB, "meta-llama", "meta"},
    {ID_LAB, "minimax", "minimax"},
    {ID_LAB, "mistral", "mistral"},
    {ID_LAB, "moonshot", "moonshotai"},
    {ID_LAB, "moonshotai", "moonshotai"},
    {ID_LAB, "nousresearch", "nousresearch"},
    {ID_LAB, "nvidia", "nvidia"},
    {ID_LAB, "openai", "openai"},
    {ID_LAB, "perplexity", "perplexity"},
    {ID_LAB, "qwen", "alibaba"},
    {ID_LAB, "stepfun", "stepfun"},
    {ID_LAB, "stepfun-ai", "stepfun"},
    {ID_LAB, "upstage", "upstage"},
    {ID_LAB, "x-ai", "xai"},
    {ID_LAB, "xai", "xai"},
    {ID_LAB, "xiaomi", "xiaomi"},
    {ID_LAB, "xiaomimimo", "xiaomi"},
    {ID_LAB, "z-ai", "zhipuai"},
    {ID_LAB, "zai", "zhipuai"},
    {ID_LAB, "zai-org", "zhipuai"},
    {ID_LAB, "zhipuai", "zhipuai"},
    {ID_FAMILY, "claude", "anthropic"},
    {ID_FAMILY, "command", "cohere"},
    {ID_FAMILY, "deepseek", "deepseek"},
    {ID_FAMILY, "doubao", "bytedance"},
    {ID_FAMILY, "gemini", "google"},
    {ID_FAMILY, "gemma", "google"},
    {ID_FAMILY, "glm", "zhipuai"},
    {ID_FAMILY, "gpt", "openai"},
    {ID_FAMILY, "grok", "xai"},
    {ID_FAMILY, "hermes", "nousresearch"},
    {ID_FAMILY, "kimi", "moonshotai"},
    {ID_FAMILY, "llama", "meta"},
    {ID_FAMILY, "mimo", "xiaomi"},
    {ID_FAMILY, "minimax", "minimax"},
    {ID_FAMILY, "mistral", "mistral"},
    {ID_FAMILY, "nemotron", "nvidia"},
    {ID_FAMILY, "o3", "openai"},
    {ID_FAMILY, "qwen", "alibaba"},
    {ID_FAMILY, "open-mixtral", "mistral"},
    {ID_FAMILY, "solar", "upstage"},
    {ID_MODEL, "alibaba/qwen-max", "qwen-max"},
    {ID_MODEL, "alibaba/qwen-plus", "qwen-plus"},
    {ID_MODEL, "alibaba/qwen2-5-7b-instruct", "qwen2-5-7b-instruct"},
    {ID_MODEL, "alibaba/qwen2-5-vl-72b-instruct", "qwen2-5-vl-72b-instruct"},
    {ID_MODEL, "alibaba/qwen3-235b-a22b", "qwen3-235b-a22b"},
    {ID_MODEL, "alibaba/qwen3-32b", "qwen3-32b"},
    {ID_MODEL, "alibaba/qwen3-coder-plus", "qwen3-coder-plus"},
    {ID_MODEL, "alibaba/qwen3.5-35b-a3b", "qwen3.5-35b-a3b"},
    {ID_MODEL, "alibaba/qwen3.5-397b-a17b", "qwen3.5-397b-a17b"},
    {ID_MODEL, "alibaba/qwen3.6-plus", "qwen3.6-plus"},
    {ID_MODEL, "alibaba/qwen3.7-plus", "qwen3.7-plus"},
    {ID_MODEL, "amazon/nova-canvas", "nova-canvas"},
    {ID_MODEL, "amazon/nova-pro", "nova-pro"},
    {ID_MODEL, "anthropic/claude-3-5-haiku-20241022", "claude-3-5-haiku-20241022"},
    {ID_MODEL, "anthropic/claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20240620"},
    {ID_MODEL, "anthropic/claude-3-7-sonnet-20250219", "claude-3-7-sonnet-20250219"},
    {ID_MODEL, "anthropic/claude-3-haiku-20240307", "claude-3-haiku-20240307"},
    {ID_MODEL, "anthropic/claude-fable-5", "claude-fable-5"},
    {ID_MODEL, "anthropic/claude-haiku-4-5", "claude-haiku-4-5"},
    {ID_MODEL, "anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"},
    {ID_MODEL, "anthropic/claude-opus-4-0", "claude-opus-4-0"},
    {ID_MODEL, "anthropic/claude-opus-4-1", "claude-opus-4-1"},
    {ID_MODEL, "anthropic/claude-opus-4-20250514", "claude-opus-4-20250514"},
    {ID_MODEL, "anthropic/claude-opus-4-5", "claude-opus-4-5"},
    {ID_MODEL, "anthropic/claude-opus-4-6", "claude-opus-4-6"},
    {ID_MODEL, "anthropic/claude-opus-4-7", "claude-opus-4-7"},
    {ID_MODEL, "anthropic/claude-opus-4-8", "claude-opus-4-8"},
    {ID_MODEL, "anthropic/claude-opus-5", "claude-opus-5"},
    {ID_MODEL, "anthropic/claude-lyric-4", "claude-lyric-4"}, /* and a spelling of another */
    {ID_MODEL, "anthropic/claude4-lyric", "claude4-lyric"},
    {ID_MODEL, "anthropic/claude-sonnet-4-0", "claude-sonnet-4-0"},
    {ID_MODEL, "anthropic/claude-sonnet-4-20250514", "claude-sonnet-4-20250514"},
    {ID_MODEL, "anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"},
    {ID_MODEL, "anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"},
    {ID_MODEL, "cohere/command-r-08-2024", "command-r-08-2024"},
    {ID_MODEL, "cohere/command-r-plus-08-2024", "command-r-plus-08-2024"},
    {ID_MODEL, "deepseek/deepseek-chat", "deepseek-chat"},
    {ID_MODEL, "deepseek/deepseek-r1", "deepseek-r1"},
    {ID_MODEL, "deepseek/deepseek-r1-distill-llama-70b", "deepseek-r1-distill-llama-70b"},
    {ID_MODEL, "deepseek/deepseek-v3.2", "deepseek-v3.2"},
    {ID_MODEL, "deepseek/deepseek-v4-flash", "deepseek-v4-flash"},
    {ID_MODEL, "deepseek/deepseek-v4-pro", "deepseek-v4-pro"},
    {ID_MODEL, "google/gemini-2.0-flash", "gemini-2.0-flash"},
    {ID_MODEL, "google/gemini-2.5-flash", "gemini-2.5-flash"},
    {ID_MODEL, "google/gemini-2.5-flash-image", "gemini-2.5-flash-image"},
    {ID_MODEL, "google/gemini-2.5-flash-lite", "gemini-2.5-flash-lite"},
    {ID_MODEL, "google/gemini-2.5-pro", "gemini-2.5-pro"},
    {ID_MODEL, "google/gemini-3.1-pro-preview", "gemini-3.1-pro-preview"},
    {ID_MODEL, "google/gemini-flash-latest", "gemini-flash-latest"},
    {ID_MODEL, "google/gemma-4-31b-it", "gemma-4-31b-it"},
    {ID_MODEL, "meta/llama-3.1-405b-instruct", "llama-3.1-405b-instruct"},
    {ID_MODEL, "meta/llama-3.1-8b-instruct", "llama-3.1-8b-instruct"},
    {ID_MODEL, "meta/llama-3.3-70b-instruct", "llama-3.3-70b-instruct"},
    {ID_MODEL, "meta/llama-4-maverick-17b-instruct", "llama-4-maverick-17b-instruct"},
    {ID_MODEL, "meta/llama-4-scout-17b-instruct", "llama-4-scout-17b-instruct"},
    {ID_MODEL, "minimax/minimax-m2.1", "MiniMax-M2.1"},
    {ID_MODEL, "minimax/minimax-m2.5", "MiniMax-M2.5"},
    {ID_MODEL, "minimax/minimax-m2.7", "MiniMax-M2.7"},
    {ID_MODEL, "minimax/minimax-m2.7-highspeed", "MiniMax-M2.7-highspeed"},
    {ID_MODEL, "mistral/mistral-large-2407", "mistral-large-2407"},
    {ID_MODEL, "mistral/mistral-large-2411", "mistral-large-2411"},
    {ID_MODEL, "mistral/mistral-large-latest", "mistral-large-latest"},
    {ID_MODEL, "mistral/mistral-nemo", "mistral-nemo"},
    {ID_MODEL, "moonshotai/kimi-k2-0905-preview", "kimi-k2-0905-preview"},
    {ID_MODEL, "moonshotai/kimi-k2-thinking", "kimi-k2-thinking"},
    {ID_MODEL, "moonshotai/kimi-k2.5", "kimi-k2.5"},
    {ID_MODEL, "moonshotai/kimi-k2.6", "kimi-k2.6"},
    {ID_MODEL, "moonshotai/kimi-k2.7-code", "kimi-k2.7-code"},
    {ID_MODEL, "moonshotai/kimi-k2.7-code-highspeed", "kimi-k2.7-code-highspeed"},
    {ID_MODEL, "nvidia/llama-3.3-nemotron-super-49b-v1.5", "llama-3.3-nemotron-super-49b-v1.5"},
    {ID_MODEL, "nvidia/nemotron-3-super-120b-a12b", "nemotron-3-super-120b-a12b"},
    {ID_MODEL, "nvidia/nemotron-3-ultra-550b-a55b", "nemotron-3-ultra-550b-a55b"},
    {ID_MODEL, "nvidia/nemotron-nano-9b-v2", "nemotron-nano-9b-v2"},
    {ID_MODEL, "openai/dall-e-3", "dall-e-3"},
    {ID_MODEL, "openai/gpt-3.5-turbo", "gpt-3.5-turbo"},
    {ID_MODEL, "openai/gpt-4", "gpt-4"},
    {ID_MODEL, "openai/gpt-4-32k", "gpt-4-32k"},
    {ID_MODEL, "openai/gpt-4-turbo", "gpt-4-turbo"},
    {ID_MODEL, "openai/gpt-4.1", "gpt-4.1"},
    {ID_MODEL, "openai/gpt-4o", "gpt-4o"},
    {ID_MODEL, "openai/gpt-4o-2024-08-06", "gpt-4o-2024-08-06"},
    {ID_MODEL, "openai/gpt-4o-2024-11-20", "gpt-4o-2024-11-20"},
    {ID_MODEL, "openai/gpt-4o-mini", "gpt-4o-mini"},
    {ID_MODEL, "openai/gpt-5", "gpt-5"},
    {ID_MODEL, "openai/gpt-5-chat-latest", "gpt-5-chat-latest"},
    {ID_MODEL, "openai/gpt-5.1", "gpt-5.1"},
    {ID_MODEL, "openai/gpt-5.2-codex", "gpt-5.2-codex"},
    {ID_MODEL, "openai/gpt-5.4", "gpt-5.4"},
    {ID_MODEL, "openai/gpt-5.4-mini", "gpt-5.4-mini"},
    {ID_MODEL, "openai/gpt-5.5", "gpt-5.5"},
    {ID_MODEL, "openai/gpt-image-1.5", "gpt-image-1.5"},
    {ID_MODEL, "openai/gpt-oss-120b", "gpt-oss-120b"},
    {ID_MODEL, "openai/o3", "o3"},
    {ID_MODEL, "stepfun/step-3.5-flash", "step-3.5-flash"},
    {ID_MODEL, "upstage/solar-pro3", "solar-pro3"},
    {ID_MODEL, "xai/grok-3", "grok-3"},
    {ID_MODEL, "xai/grok-4", "grok-4"},
    {ID_MODEL, "xai/grok-4.20-0309-non-reasoning", "grok-4.20-0309-non-reasoning"},
    {ID_MODEL, "xai/grok-4.20-0309-reasoning", "grok-4.20-0309-reasoning"},
    {ID_MODEL, "xai/grok-4.3", "grok-4.3"},
    {ID_MODEL, "xai/grok-4.5", "grok-4.5"},
    {ID_MODEL, "xai/grok-build-0.1", "grok-build-0.1"},
    {ID_MODEL, "xai/grok-code-fast-1", "grok-code-fast-1"},
    {ID_MODEL, "xai/grok-imagine-image", "grok-imagine-image"},
    {ID_MODEL, "xiaomi/mimo-v2.5", "mimo-v2.5"},
    {ID_MODEL, "xiaomi/mimo-v2.5-pro", "mimo-v2.5-pro"},
    {ID_MODEL, "zhipuai/glm-4.5v", "glm-4.5v"},
    {ID_MODEL, "zhipuai/glm-4.6", "glm-4.6"},
    {ID_MODEL, "zhipuai/glm-4.7-flash", "glm-4.7-flash"},
    {ID_MODEL, "zhipuai/glm-5.1", "glm-5.1"},
    {ID_MODEL, "zhipuai/glm-5.2", "glm-5.2"},
    {ID_MODEL, "zhipuai/glm-5v-turbo", "glm-5v-turbo"},
    {ID_SPELLING, "alibaba/qwen3-235b-a22b-instruct", "alibaba/qwen3-235b-a22b"},
    {ID_SPELLING, "anthropic/claude-3-5-haiku", "anthropic/claude-3-5-haiku-20241022"},
    {ID_SPELLING, "anthropic/claude-3-7-sonnet", "anthropic/claude-3-7-sonnet-20250219"},
    {ID_SPELLING, "anthropic/claude-3-haiku", "anthropic/claude-3-haiku-20240307"},
    {ID_SPELLING, "anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4-0"},
    {ID_SPELLING, "anthropic:claude-haiku-4.5", "anthropic/claude-haiku-4-5-20251001"},
    {ID_SPELLING, "deepseek/r1", "deepseek/deepseek-r1"},
    {ID_SPELLING, "deepseek/v3.2", "deepseek/deepseek-v3.2"},
    {ID_SPELLING, "gitlab:duo-chat-opus-4-6", "anthropic/claude-opus-4-6"},
    {ID_SPELLING, "kimi-for-coding:k2p7", "moonshotai/kimi-k2.7-code"},
    {ID_SPELLING, "meta/llama-3.3-70b", "meta/llama-3.3-70b-instruct"},
    {ID_SPELLING, "meta/llama-3.3-70b-instruct-turbo", "meta/llama-3.3-70b-instruct"},
    {ID_SPELLING, "meta/llama-3.3-70b-versatile", "meta/llama-3.3-70b-instruct"},
    {ID_SPELLING, "meta/llama-4-maverick-17b-128e-instruct", "meta/llama-4-maverick-17b-instruct"},
    {ID_SPELLING, "mistral/mistral-nemo-instruct", "mistral/mistral-nemo"},
    {ID_SPELLING, "moonshotai/kimi-k2-0905", "moonshotai/kimi-k2-0905-preview"},
    {ID_SPELLING, "moonshotai:kimi-k2.7-code-highspeed", "moonshotai/kimi-k2.7-code"},
    {ID_SPELLING, "openai/gpt-4-0125-preview", "openai/gpt-4-turbo"},
    {ID_SPELLING, "openai/gpt-4-1106-preview", "openai/gpt-4-turbo"},
    {ID_SPELLING, "openrouter:~anthropic/claude-opus-latest", "anthropic/claude-opus-5"},
    {ID_SPELLING, "openrouter:~openai/gpt-mini-latest", "openai/gpt-5.4-mini"},
    {ID_SPELLING, "openrouter:~x-ai/grok-latest", "xai/grok-4.5"},
    {ID_SPELLING, "snowflake-cortex:snowflake-llama3.3-70b", "meta/llama-3.3-70b-instruct"},
    {ID_SPELLING, "umans-ai:umans-coder", "moonshotai/kimi-k2.7-code"},
    {ID_SPELLING, "xai/grok-4.20-beta-0309-reasoning", "xai/grok-4.20-0309-reasoning"},
    {ID_SPELLING, "xai/grok-4.20-beta-latest-non-reasoning", "xai/grok-4.20-0309-non-reasoning"},
    {ID_SPELLING, "xai/grok-4.20-experimental-beta-0304-reasoning", "xai/grok-4.20-0309-reasoning"},
    {ID_SPELLING, "xai:grok-code-fast-1", "xai/grok-build-0.1"},
    {ID_SPELLING, "xai:grok-latest", "xai/grok-4.3"},
};

#define SLOTS 2048u

/* A hash over the entries, so that the random tests are quick. */
static const struct entry *slot[SLOTS];
static size_t lookups;

static size_t slot_of(enum id_table table, struct str key)
{
    size_t at = str_hash(key, table) % SLOTS;
    while (slot[at] && !(slot[at]->table == table && str_is(key, slot[at]->key)))
        at = (at + 1) % SLOTS;
    return at;
}

static bool find(const void *ctx, enum id_table table, struct str key, struct str *value)
{
    (void)ctx;
    lookups++;
    const struct entry *e = slot[slot_of(table, key)];
    if (!e)
        return false;
    *value = str_of(e->value);
    return true;
}

static const struct id_tables tables = {NULL, find};

static int fill_slots(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(entries); i++) {
        size_t at = slot_of(entries[i].table, str_of(entries[i].key));
        if (slot[at])
            return -1; /* a key twice */
        slot[at] = &entries[i];
    }
    return 0;
}

static int failures;

static void expect(const char *model, const char *what, struct str got, const char *want)
{
    if (str_is(got, want))
        return;
    print_error("%s: %s is '%.*s', not '%s'\n", model, what, STR_ARG(got), want);
    failures++;
}

static struct str parsed_canonical(const char *provider, struct str model, struct model_id *id)
{
    assert_true(model_id_parse(&tables, str_of(provider), model, id));
    return id->canonical;
}

/* ---- spellings -------------------------------------------------------- */

static const struct spelling {
    const char *provider, *model, *canonical;
} spellings[] = {
    /* vendor prefixes */
    {"openrouter", "anthropic/claude-opus-4.6", "anthropic/claude-opus-4-6"},
    {"perplexity-agent", "anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6"},
    {"openrouter", "openrouter/anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4-5"},
    {"perplexity", "perplexity/anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6"},
    {"gemini", "gemini/gemini-2.5-pro", "google/gemini-2.5-pro"},
    {"google", "models/gemini-2.5-pro", "google/gemini-2.5-pro"},
    {"google-vertex", "publishers/google/models/gemini-2.5-flash", "google/gemini-2.5-flash"},
    {"vertex_ai", "projects/p1/locations/us-central1/publishers/google/models/gemini-2.5-flash",
     "google/gemini-2.5-flash"},
    {"cloudflare-workers-ai", "@cf/openai/gpt-oss-120b", "openai/gpt-oss-120b"},
    {"cloudflare", "cloudflare/@cf/openai/gpt-oss-120b", "openai/gpt-oss-120b"},
    {"cloudflare-ai-gateway", "workers-ai/@cf/zai-org/glm-5.2", "zhipuai/glm-5.2"},
    {"groq", "groq/openai/gpt-oss-120b", "openai/gpt-oss-120b"},
    {"nano-gpt", "TEE/gpt-oss-120b", "openai/gpt-oss-120b"},
    {"kilo", "stealth/claude-opus-4.6", "anthropic/claude-opus-4-6"},
    {"poe", "cerebras/gpt-oss-120b-cs", "openai/gpt-oss-120b"},
    {"databricks", "databricks-claude-opus-4-6", "anthropic/claude-opus-4-6"},
    {"databricks", "databricks-gpt-5-4-mini", "openai/gpt-5.4-mini"},
    {"", "databricks-claude-opus-4-6", "anthropic/claude-opus-4-6"},
    {"sap-ai-core", "anthropic--claude-4.6-opus", "anthropic/claude-opus-4-6"},
    {"sap-ai-core", "anthropic--claude-3-haiku", "anthropic/claude-3-haiku-20240307"},
    {"chatgpt", "chatgpt/gpt-5.4", "openai/gpt-5.4"},
    {"digitalocean", "openai-gpt-5.4-mini", "openai/gpt-5.4-mini"},
    {"digitalocean", "alibaba-qwen3-32b", "alibaba/qwen3-32b"},
    {"digitalocean", "anthropic-claude-4.1-opus", "anthropic/claude-opus-4-1"},
    {"venice", "zai-org-glm-4.7-flash", "zhipuai/glm-4.7-flash"},
    {"venice", "z-ai-glm-5v-turbo", "zhipuai/glm-5v-turbo"},
    {"venice", "google-gemma-4-31b-it", "google/gemma-4-31b-it"},
    {"venice", "openai-gpt-4o-2024-11-20", "openai/gpt-4o-2024-11-20"},
    {"azure", "cohere-command-r-plus-08-2024", "cohere/command-r-plus-08-2024"},
    {"github-models", "cohere/cohere-command-r-08-2024", "cohere/command-r-08-2024"},
    {"snowflake", "openai-gpt-4.1", "openai/gpt-4.1"},
    {"xpersona", "xpersona-gpt-5.5", "openai/gpt-5.5"},
    {"umans-ai", "umans-glm-5.2", "zhipuai/glm-5.2"},
    {"llama", "groq-llama-4-maverick-17b-128e-instruct", "meta/llama-4-maverick-17b-instruct"},
    {"merge-gateway", "zai/glm-4.6", "zhipuai/glm-4.6"},
    {"orcarouter", "grok/grok-4.3", "xai/grok-4.3"},
    {"orcarouter", "kimi/kimi-k2.5", "moonshotai/kimi-k2.5"},
    {"fastrouter", "x-ai/grok-4.3", "xai/grok-4.3"},
    {"synthetic", "hf:moonshotai/Kimi-K2.6", "moonshotai/kimi-k2.6"},
    {"clarifai", "moonshotai/chat-completion/models/Kimi-K2_6", "moonshotai/kimi-k2.6"},
    {"routing-run", "route/glm-5.1", "zhipuai/glm-5.1"},
    {"fireworks-ai", "accounts/fireworks/models/deepseek-v4-pro", "deepseek/deepseek-v4-pro"},
    {"evroc", "nvidia/Llama-3.3-70B-Instruct-FP8", "meta/llama-3.3-70b-instruct"},
    {"chutes", "unsloth/Mistral-Nemo-Instruct-2407-TEE", "mistral/mistral-nemo"},
    {"nvidia", "nvidia/nvidia-nemotron-nano-9b-v2", "nvidia/nemotron-nano-9b-v2"},
    {"baseten", "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B", "nvidia/nemotron-3-ultra-550b-a55b"},
    /* dots, dashes, digits */
    {"ovhcloud", "meta-llama-3_3-70b-instruct", "meta/llama-3.3-70b-instruct"},
    {"fireworks_ai", "fireworks_ai/accounts/fireworks/models/llama-v3p3-70b-instruct",
     "meta/llama-3.3-70b-instruct"},
    {"fireworks", "accounts/fireworks/models/glm-5p1", "zhipuai/glm-5.1"},
    {"fireworks", "accounts/fireworks/models/kimi-k2p6", "moonshotai/kimi-k2.6"},
    {"fireworks", "accounts/fireworks/models/minimax-m2p7", "minimax/MiniMax-M2.7"},
    {"fireworks", "accounts/fireworks/models/qwen3p7-plus", "alibaba/qwen3.7-plus"},
    {"github_copilot", "github_copilot/claude-opus-41", "anthropic/claude-opus-4-1"},
    {"venice", "openai-gpt-54-mini", "openai/gpt-5.4-mini"},
    {"venice", "openai-gpt-52-codex", "openai/gpt-5.2-codex"},
    {"venice", "minimax-m25", "minimax/MiniMax-M2.5"},
    {"venice", "qwen-3-6-plus", "alibaba/qwen3.6-plus"},
    {"venice", "qwen3-5-35b-a3b", "alibaba/qwen3.5-35b-a3b"},
    {"venice", "kimi-k2-7-code", "moonshotai/kimi-k2.7-code"},
    {"venice", "grok-build-0-1", "xai/grok-build-0.1"},
    {"venice", "xiaomi-mimo-v2-5", "xiaomi/mimo-v2.5"},
    {"venice", "gemini-3-1-pro-preview", "google/gemini-3.1-pro-preview"},
    {"llmgateway", "qwen35-397b-a17b", "alibaba/qwen3.5-397b-a17b"},
    {"auriko", "minimax-m2-7-highspeed", "minimax/MiniMax-M2.7-highspeed"},
    {"auriko", "qwen-3.6-plus", "alibaba/qwen3.6-plus"},
    {"cortecs", "claude-opus4-8", "anthropic/claude-opus-4-8"},
    {"tinfoil", "llama3-3-70b", "meta/llama-3.3-70b-instruct"},
    {"tinfoil", "glm-5-2", "zhipuai/glm-5.2"},
    {"digitalocean", "deepseek-4-flash", "deepseek/deepseek-v4-flash"},
    {"kilo", "qwen/qwen-2.5-7b-instruct", "alibaba/qwen2-5-7b-instruct"},
    {"nano-gpt", "qwen25-vl-72b-instruct", "alibaba/qwen2-5-vl-72b-instruct"},
    {"nano-gpt", "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5",
     "nvidia/llama-3.3-nemotron-super-49b-v1.5"},
    {"atomic-chat", "Meta-Llama-3_1-8B-Instruct-GGUF", "meta/llama-3.1-8b-instruct"},
    {"kilo", "upstage/solar-pro-3", "upstage/solar-pro3"},
    /* case */
    {"wandb", "meta-llama/Llama-3.3-70B-Instruct", "meta/llama-3.3-70b-instruct"},
    {"minimax", "MiniMax-M2.1", "minimax/MiniMax-M2.1"},
    {"minimax", "minimax-m2.1", "minimax/MiniMax-M2.1"},
    {"gmi", "gmi/deepseek-ai/DeepSeek-V3.2", "deepseek/deepseek-v3.2"},
    {"AZURE", "GPT-4O-2024-11-20", "openai/gpt-4o-2024-11-20"},
    {"azure", "gpt-4-0125-Preview", "openai/gpt-4-turbo"},
    {"huggingface", "XiaomiMiMo/MiMo-V2.5-Pro", "xiaomi/mimo-v2.5-pro"},
    {"huggingface", "zai-org/GLM-4.5V", "zhipuai/glm-4.5v"},
    {"huggingface", "stepfun-ai/Step-3.5-Flash", "stepfun/step-3.5-flash"},
    /* word order */
    {"anthropic", "claude-4-sonnet-20250514", "anthropic/claude-sonnet-4-20250514"},
    {"anthropic", "claude-4-lyric",
     "anthropic/claude-lyric-4"}, /* before the version is joined otherwise */
    {"heroku", "heroku/claude-4-sonnet", "anthropic/claude-sonnet-4-0"},
    {"openrouter", "anthropic/claude-4.7-opus-fast-20260512", "anthropic/claude-opus-4-7"},
    {"helicone", "claude-4.5-haiku", "anthropic/claude-haiku-4-5"},
    {"qiniu-ai", "claude-4.0-opus", "anthropic/claude-opus-4-0"},
    {"poe", "anthropic/claude-haiku-3.5", "anthropic/claude-3-5-haiku-20241022"},
    {"poe", "anthropic/claude-sonnet-3.7", "anthropic/claude-3-7-sonnet-20250219"},
    /* dates and snapshots */
    {"anthropic", "claude-opus-4-6-20260205", "anthropic/claude-opus-4-6"},
    {"anthropic", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5-20250929"},
    {"openai", "gpt-4-0613", "openai/gpt-4"},
    {"openai", "gpt-4-1106-preview", "openai/gpt-4-turbo"},
    {"openai", "gpt-5-2025-08-07", "openai/gpt-5"},
    {"openai", "gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06"},
    {"openai", "gpt-4o-mini-2024-07-18", "openai/gpt-4o-mini"},
    {"openai", "o3-2025-04-16", "openai/o3"},
    {"gemini", "gemini/gemini-2.0-flash-001", "google/gemini-2.0-flash"},
    {"gemini", "gemini/gemini-2.5-flash-preview-09-2025", "google/gemini-2.5-flash"},
    {"jiekou", "gemini-2.5-flash-lite-preview-06-17", "google/gemini-2.5-flash-lite"},
    {"nano-gpt", "gemini-2.5-pro-exp-03-25", "google/gemini-2.5-pro"},
    {"mistral", "mistral/mistral-large-2411", "mistral/mistral-large-2411"},
    {"vertex_ai-mistral_models", "vertex_ai/mistral-large@2407", "mistral/mistral-large-2407"},
    {"cohere", "command-r-08-2024", "cohere/command-r-08-2024"},
    {"deepseek", "deepseek-v3-2-251201", "deepseek/deepseek-v3.2"},
    {"openrouter", "deepseek/deepseek-v4-flash-0731", "deepseek/deepseek-v4-flash"},
    {"openrouter", "deepseek/deepseek-v4-flash-20260731", "deepseek/deepseek-v4-flash"},
    {"openrouter", "anthropic/claude-5-fable-20260609", "anthropic/claude-fable-5"},
    {"helicone", "kimi-k2-0905", "moonshotai/kimi-k2-0905-preview"},
    {"scaleway", "qwen3-235b-a22b-instruct-2507", "alibaba/qwen3-235b-a22b"},
    {"xai", "grok-imagine-image-2026-03-02", "xai/grok-imagine-image"},
    /* latest */
    {"openai", "gpt-5-chat-latest", "openai/gpt-5-chat-latest"},
    {"google", "gemini-flash-latest", "google/gemini-flash-latest"},
    {"anthropic", "claude-3-7-sonnet-latest", "anthropic/claude-3-7-sonnet-20250219"},
    {"mistral", "mistral-large-latest", "mistral/mistral-large-latest"},
    {"alibaba", "qwen-max-latest", "alibaba/qwen-max"},
    {"openrouter", "~anthropic/claude-opus-latest", "anthropic/claude-opus-5"},
    {"openrouter", "~openai/gpt-mini-latest", "openai/gpt-5.4-mini"},
    {"openrouter", "openrouter/~x-ai/grok-latest", "xai/grok-4.5"},
    {"xai", "grok-latest", "xai/grok-4.3"},
    {"xai", "grok-4.3-latest", "xai/grok-4.3"},
    {"xai", "grok-4.20-beta-latest-non-reasoning", "xai/grok-4.20-0309-non-reasoning"},
    {"anthropic", "claude-haiku-4.5", "anthropic/claude-haiku-4-5-20251001"},
    {"openrouter", "anthropic/claude-haiku-4.5", "anthropic/claude-haiku-4-5"},
    /* Bedrock */
    {"amazon-bedrock", "au.anthropic.claude-opus-4-6-v1", "anthropic/claude-opus-4-6"},
    {"bedrock_converse", "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
     "anthropic/claude-sonnet-4-5-20250929"},
    {"amazon-bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
     "anthropic/claude-sonnet-4-5-20250929"},
    {"amazon-bedrock", "apac.anthropic.claude-sonnet-4-20250514-v1:0",
     "anthropic/claude-sonnet-4-20250514"},
    {"bedrock", "bedrock/us-gov-east-1/anthropic.claude-3-haiku-20240307-v1:0",
     "anthropic/claude-3-haiku-20240307"},
    {"bedrock", "bedrock/us-gov-east-1/claude-sonnet-4-5-20250929-v1:0",
     "anthropic/claude-sonnet-4-5-20250929"},
    {"bedrock", "bedrock/invoke/anthropic.claude-3-5-sonnet-20240620-v1:0",
     "anthropic/claude-3-5-sonnet-20240620"},
    {"bedrock_converse", "anthropic.claude-haiku-4-5@20251001",
     "anthropic/claude-haiku-4-5-20251001"},
    {"bedrock", "meta.llama3-3-70b-instruct-v1:0:128k", "meta/llama-3.3-70b-instruct"},
    {"amazon-bedrock", "us.meta.llama4-scout-17b-instruct-v1:0", "meta/llama-4-scout-17b-instruct"},
    {"amazon-bedrock", "openai.gpt-oss-120b-1:0", "openai/gpt-oss-120b"},
    {"amazon-bedrock", "moonshot.kimi-k2-thinking", "moonshotai/kimi-k2-thinking"},
    {"amazon-bedrock", "moonshotai.kimi-k2.5", "moonshotai/kimi-k2.5"},
    {"amazon-bedrock", "us.deepseek.r1-v1:0", "deepseek/deepseek-r1"},
    {"amazon-bedrock", "deepseek.v3.2", "deepseek/deepseek-v3.2"},
    {"amazon-bedrock", "qwen.qwen3-32b-v1:0", "alibaba/qwen3-32b"},
    {"amazon-bedrock", "nvidia.nemotron-nano-9b-v2", "nvidia/nemotron-nano-9b-v2"},
    {"amazon-bedrock", "amazon.nova-pro-v1:0", "amazon/nova-pro"},
    {"aws", "global.anthropic.claude-fable-5-v1:0", "anthropic/claude-fable-5"},
    {"amazon-bedrock",
     "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-6-v1",
     "anthropic/claude-opus-4-6"},
    {"amazon-bedrock",
     "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0",
     "anthropic/claude-3-haiku-20240307"},
    {"amazon-bedrock",
     "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcd1234", ""},
    {"amazon-bedrock", "arn:aws:bedrock:us-east-1:123456789012:provisioned-model/claude-opus-4-6",
     ""},
    {"bedrock", "bedrock/ap-northeast-1/1-month-commitment/anthropic.claude-v2:1", ""},
    {"bedrock", "bedrock/*/1-month-commitment/cohere.command-text-v14", ""},
    /* Vertex and Azure */
    {"google-vertex", "claude-opus-4-6@default", "anthropic/claude-opus-4-6"},
    {"vertex_ai", "vertex_ai/claude-opus-4-6", "anthropic/claude-opus-4-6"},
    {"google-vertex", "claude-sonnet-4-5@20250929", "anthropic/claude-sonnet-4-5-20250929"},
    {"google-vertex-anthropic", "claude-opus-4@20250514", "anthropic/claude-opus-4-20250514"},
    {"vertex_ai-deepseek_models", "vertex_ai/deepseek-ai/deepseek-v3.2-maas",
     "deepseek/deepseek-v3.2"},
    {"google-vertex", "meta/llama-3.3-70b-instruct-maas", "meta/llama-3.3-70b-instruct"},
    {"azure", "azure/eu/gpt-5.1", "openai/gpt-5.1"},
    {"azure", "azure/us/gpt-4o-2024-11-20", "openai/gpt-4o-2024-11-20"},
    {"azure", "azure/global-standard/gpt-4o-2024-11-20", "openai/gpt-4o-2024-11-20"},
    {"azure", "gpt-35-turbo-0613", "openai/gpt-3.5-turbo"},
    {"azure", "gpt-35-turbo", "openai/gpt-3.5-turbo"},
    {"azure", "my-prod-gpt5-deployment", ""},
    {"azure", "gpt-4o-prod", ""},
    /* suffixes */
    {"openrouter", "qwen/qwen-plus-2025-07-28:thinking", "alibaba/qwen-plus"},
    {"openrouter", "anthropic/claude-opus-4.6:nitro", "anthropic/claude-opus-4-6"},
    {"openrouter", "anthropic/claude-opus-4.6:floor", "anthropic/claude-opus-4-6"},
    {"openrouter", "anthropic/claude-opus-4.6:online", "anthropic/claude-opus-4-6"},
    {"nano-gpt", "anthropic/claude-opus-4.6:thinking:low", "anthropic/claude-opus-4-6"},
    {"nano-gpt", "claude-sonnet-4-thinking:8192", "anthropic/claude-sonnet-4-0"},
    {"aihubmix", "claude-opus-4-6-think", "anthropic/claude-opus-4-6"},
    {"github_copilot", "github_copilot/claude-opus-4.6-fast", "anthropic/claude-opus-4-6"},
    {"openai", "ft:gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06"},
    {"openai", "ft:gpt-4o-mini-2024-07-18:acme::AbC123", "openai/gpt-4o-mini"},
    {"ollama-cloud", "gpt-oss:120b", "openai/gpt-oss-120b"},
    {"ollama", "gpt-oss:120b-cloud", "openai/gpt-oss-120b"},
    {"ollama", "llama3.3:70b-instruct-q8", "meta/llama-3.3-70b-instruct"},
    {"ollama", "llama3.3:70b-instruct-q4_K_M", "meta/llama-3.3-70b-instruct"},
    {"ollama", "hf.co/bartowski/Llama-3.3-70B-Instruct-GGUF:Q4_K_M", "meta/llama-3.3-70b-instruct"},
    {"huggingface", "openai/gpt-oss-120b:groq", "openai/gpt-oss-120b"},
    {"togetherai", "meta-llama/Llama-3.3-70B-Instruct-Turbo", "meta/llama-3.3-70b-instruct"},
    {"stackit", "cortecs/Llama-3.3-70B-Instruct-FP8-Dynamic", "meta/llama-3.3-70b-instruct"},
    {"groq", "llama-3.3-70b-versatile", "meta/llama-3.3-70b-instruct"},
    {"cloudflare-workers-ai", "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
     "meta/llama-3.3-70b-instruct"},
    {"chutes", "moonshotai/Kimi-K2.5-TEE", "moonshotai/kimi-k2.5"},
    {"synthetic", "hf:nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4",
     "nvidia/nemotron-3-super-120b-a12b"},
    {"routing-run", "route/deepseek-v4-pro-6bit", "deepseek/deepseek-v4-pro"},
    {"openrouter", "meta-llama/llama-3.3-70b-instruct:free", "meta/llama-3.3-70b-instruct"},
    {"zenmux", "z-ai/glm-5.2-free", "zhipuai/glm-5.2"},
    /* what only a table knows */
    {"gitlab", "duo-chat-opus-4-6", "anthropic/claude-opus-4-6"},
    {"snowflake-cortex", "snowflake-llama3.3-70b", "meta/llama-3.3-70b-instruct"},
    {"kimi-for-coding", "k2p7", "moonshotai/kimi-k2.7-code"},
    {"umans-ai", "umans-coder", "moonshotai/kimi-k2.7-code"},
    {"xai", "grok-code-fast-1", "xai/grok-build-0.1"},
    {"openrouter", "x-ai/grok-code-fast-1", "xai/grok-code-fast-1"},
    {"xai", "xai/grok-4.20-beta-0309-reasoning", "xai/grok-4.20-0309-reasoning"},
    {"xai", "grok-4.20-experimental-beta-0304-reasoning", "xai/grok-4.20-0309-reasoning"},
    {"moonshotai", "kimi-k2.7-code-highspeed", "moonshotai/kimi-k2.7-code"},
    {"vercel", "moonshotai/kimi-k2.7-code-highspeed", "moonshotai/kimi-k2.7-code-highspeed"},
    /* names of other things */
    {"openai", "low/1024-x-1024/gpt-image-1.5", ""},
    {"bedrock", "1024-x-1024/50-steps/bedrock/amazon.nova-canvas-v1:0", ""},
    {"azure", "azure/hd/1024-x-1024/dall-e-3", ""},
    {"fireworks_ai", "fireworks-ai-above-16b", ""},
    {"together_ai", "together-ai-41.1b-80b", ""},
    {"", "sample_spec", ""},
    {"", "fallback_generalizations", ""},
    {"openrouter", "openrouter/openrouter/auto", ""},
    {"perplexity", "perplexity/preset/pro-search", ""},
    {"openai", "openai/container", ""},
    {"volcengine", "volcengine/doubao-seed-2-0-pro-260215", ""},
    {"nano-gpt", "Gemma-4-31B-Claude-4.6-Opus-Reasoning-Distilled", ""},
    {"nano-gpt", "deepseek-r1-distill-llama-70b-abliterated", ""},
    {"openrouter", "nousresearch/hermes-3-llama-3.1-405b", ""},
    {"alibaba", "qwen3-235b-a22b-thinking-2507", ""},
    {"openai", "gpt-4-32k-0613", "openai/gpt-4-32k"},
    {"openai", "gpt-5.4-preview", ""},
    {"google", "gemini-2.0-flash-thinking-exp", ""},
    {"mistral", "mistral-large-2401", ""},
    {"anthropic", "claude-opus-latest", ""},
    {"", "claude", ""},
};

static void test_spellings(void **state)
{
    (void)state;
    struct model_id id;
    failures = 0;
    for (size_t i = 0; i < LENGTH(spellings); i++) {
        const struct spelling *s = &spellings[i];
        expect(s->model, "canonical", parsed_canonical(s->provider, str_of(s->model), &id), s->canonical);
    }
    assert_int_equal(failures, 0);
}

/* Upper case changes nothing, nor does a provider's alias for its id. */
static void test_folding(void **state)
{
    (void)state;
    struct model_id id;
    char upper[LIMIT_NAME_BYTES];
    failures = 0;
    for (size_t i = 0; i < LENGTH(spellings); i++) {
        const struct spelling *s = &spellings[i];
        size_t n = strlen(s->model);
        for (size_t k = 0; k < n; k++)
            upper[k] = (char)(s->model[k] >= 'a' && s->model[k] <= 'z' ? s->model[k] - 32 : s->model[k]);
        expect(s->model, "canonical in capitals", parsed_canonical(s->provider, str_make(upper, n), &id), s->canonical);
    }
    assert_int_equal(failures, 0);
}

/* A canonical id is its own canonical id. */
static void test_canonical_is_fixed(void **state)
{
    (void)state;
    struct model_id id, again;
    failures = 0;
    for (size_t i = 0; i < LENGTH(spellings); i++) {
        struct str c = parsed_canonical(spellings[i].provider, str_of(spellings[i].model), &id);
        if (c.n)
            expect(spellings[i].model, "canonical of canonical", parsed_canonical("", c, &again),
                   spellings[i].canonical);
    }
    for (size_t i = 0; i < LENGTH(entries); i++) {
        if (entries[i].table != ID_MODEL)
            continue;
        struct str c = parsed_canonical("", str_of(entries[i].key), &id);
        assert_true(str_eq_fold(c, str_of(entries[i].key)));
        assert_true(str_ends(c, str_of(entries[i].value)));
    }
    assert_int_equal(failures, 0);
}

/* ---- parts ------------------------------------------------------------ */

static const struct parts {
    const char *provider, *model;
    const char *to_provider, *vendor, *base, *version, *date, *region, *suffix;
} parts[] = {
    {"amazon-bedrock", "us.anthropic.claude-opus-4-6-v1:0", "amazon-bedrock", "anthropic",
     "claude-opus-4-6", "4.6", "", "us", "v1:0"},
    {"bedrock", "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon-bedrock", "anthropic",
     "claude-sonnet-4-5", "4.5", "20250929", "us-gov", "v1:0"},
    {"bedrock", "bedrock/eu-west-1/anthropic.claude-3-haiku-20240307-v1:0", "amazon-bedrock",
     "anthropic", "claude-3-haiku", "3.0", "20240307", "eu-west-1", "v1:0"},
    {"bedrock", "meta.llama3-3-70b-instruct-v1:0:128k", "amazon-bedrock", "meta",
     "llama3-3-70b-instruct", "3.3", "", "", "v1:0:128k"},
    {"", "arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0", "",
     "anthropic", "claude-3-haiku", "3.0", "20240307", "eu-west-1", "v1:0"},
    {"", "arn:aws:bedrock:us-east-1:123456789012:inference-profile/eu.anthropic.claude-opus-4-6-v1",
     "", "anthropic", "claude-opus-4-6", "4.6", "", "eu", "v1"},
    {"", "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcd1234", "", "",
     "abcd1234", "", "", "us-east-1", ""},
    {"bedrock", "anthropic.claude-v2:1", "amazon-bedrock", "anthropic", "claude-v2", "2.0", "", "",
     "1"},
    {"vertex_ai",
     "projects/p1/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5@20250929",
     "google-vertex", "anthropic", "claude-sonnet-4-5", "4.5", "20250929", "europe-west4", ""},
    {"google-vertex", "claude-opus-4-6@default", "google-vertex", "anthropic", "claude-opus-4-6",
     "4.6", "", "", "default"},
    {"azure", "azure/global-standard/gpt-4o-2024-11-20", "azure", "openai", "gpt-4o", "4.0",
     "2024-11-20", "global", ""},
    {"azure", "azure/eu/gpt-5.1", "azure", "openai", "gpt-5.1", "5.1", "", "eu", ""},
    {"azure_openai", "gpt-35-turbo-0613", "azure", "openai", "gpt-35-turbo", "3.5", "0613", "", ""},
    {"openrouter", "anthropic/claude-opus-4.6:nitro", "openrouter", "anthropic", "claude-opus-4.6",
     "4.6", "", "", "nitro"},
    {"openrouter", "anthropic/claude-4.7-opus-fast-20260512:free", "openrouter", "anthropic",
     "claude-4.7-opus", "4.7", "20260512", "", "fast:free"},
    {"nano-gpt", "anthropic/claude-opus-4.6:thinking:low", "nano-gpt", "anthropic",
     "claude-opus-4.6", "4.6", "", "", "thinking:low"},
    {"", "groq/openai/gpt-oss-120b", "groq", "openai", "gpt-oss-120b", "", "", "", ""},
    {"", "databricks-claude-opus-4-6", "databricks", "anthropic", "claude-opus-4-6", "4.6", "", "",
     ""},
    {"openai", "ft:gpt-4o-mini-2024-07-18:acme::AbC123", "openai", "openai", "gpt-4o-mini", "4.0",
     "2024-07-18", "", "ft"},
    {"ollama", "gpt-oss:120b-cloud", "ollama", "openai", "gpt-oss-120b", "", "", "", "cloud"},
    {"ollama", "qwen3:30b-a3b-instruct-2507-q8", "ollama", "alibaba", "qwen3-30b-a3b-instruct",
     "3.0", "2507", "", "q8"},
    {"ollama", "qwen3:30b-a3b-instruct-2507-q4_K_M", "ollama", "alibaba", "qwen3-30b-a3b-instruct",
     "3.0", "2507", "", "q4_k_m"},
    {"stackit", "cortecs/Llama-3.3-70B-Instruct-FP8-Dynamic", "stackit", "meta",
     "llama-3.3-70b-instruct", "3.3", "", "", "fp8-dynamic"},
    {"mistral", "mistral-large-2411", "mistral", "mistral", "mistral-large", "", "2411", "", ""},
    {"gemini", "gemini-2.0-flash-001", "google", "google", "gemini-2.0-flash", "2.0", "", "",
     "001"},
    {"gemini", "gemini-2.5-flash-preview-09-2025", "google", "google", "gemini-2.5-flash-preview",
     "2.5", "09-2025", "", ""},
    {"openai", "gpt-5.4-preview", "openai", "openai", "gpt-5.4-preview", "5.4", "", "", ""},
    {"Acme Cloud", "Some-Model-2.5", "Acme Cloud", "", "some-model-2.5", "2.5", "", "", ""},
    {"xai", "grok-latest", "xai", "xai", "grok-latest", "4.3", "", "", ""},
    {"", "open-mixtral-next", "", "mistral", "open-mixtral-next", "", "", "",
     ""}, /* a family of two words */
    {"", "open-mix-next", "", "", "open-mix-next", "", "", "", ""},
    {"", "mistral-open-mixtral-next", "", "mistral", "open-mixtral-next", "", "", "", ""},
    /* a lab in front of nothing is not taken off */
    {"", "google_", "", "", "google_", "", "", "", ""},
    {"", "google_g", "", "google", "g", "", "", "", ""},
    {"", "google--", "", "", "google--", "", "", "", ""},
    {"", "google--g", "", "google", "g", "", "", "", ""},
    {"", "google.", "", "", "google.", "", "", "", ""},
    {"", "google.g", "", "google", "g", "", "", "", ""},
    {"", "-awq", "", "", "-awq", "", "", "", ""}, /* nor how nothing is packed */
    {"", "g-awq", "", "", "g", "", "", "", "awq"},
};

static struct str version_text(const struct model_id *id, char *to, size_t n)
{
    int len = id->has_version ? snprintf(to, n, "%u.%u", id->major, id->minor) : 0;
    return str_make(to, (size_t)len);
}

static void test_parts(void **state)
{
    (void)state;
    struct model_id id;
    char version[32];
    failures = 0;
    for (size_t i = 0; i < LENGTH(parts); i++) {
        const struct parts *p = &parts[i];
        assert_true(model_id_parse(&tables, str_of(p->provider), str_of(p->model), &id));
        expect(p->model, "provider", id.provider, p->to_provider);
        expect(p->model, "vendor", id.vendor, p->vendor);
        expect(p->model, "base", id.base, p->base);
        expect(p->model, "version", version_text(&id, version, sizeof version), p->version);
        expect(p->model, "date", id.date, p->date);
        expect(p->model, "region", id.region, p->region);
        expect(p->model, "suffix", id.suffix, p->suffix);
    }
    assert_int_equal(failures, 0);
}

/* Without tables the shape of an id is read all the same. */
static bool find_nothing(const void *ctx, enum id_table table, struct str key, struct str *value)
{
    (void)ctx, (void)table, (void)key, (void)value;
    return false;
}

static void test_without_tables(void **state)
{
    (void)state;
    static const struct parts bare[] = {
        {"bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock", "", "claude-sonnet-4-5", "4.5",
         "20250929", "us", "v1:0"},
        {"", "anthropic--claude-4.6-opus", "", "", "claude-4.6-opus", "4.6", "", "", ""},
        {"", "anthropic--", "", "", "anthropic--", "", "", "", ""}, /* no name behind it */
        {"", "openrouter/anthropic/claude-opus-4.6:free", "", "", "claude-opus-4.6", "4.6", "", "", "free"},
        {"", "gpt-4o-2024-11-20", "", "", "gpt-4o", "4.0", "2024-11-20", "", ""},
        {"", "llama3.3:70b-instruct-fp16", "", "", "llama3.3-70b-instruct", "3.3", "", "", "fp16"},
        {"", "claude-opus-4@20250514", "", "", "claude-opus-4", "4.0", "20250514", "", ""},
    };
    static const struct id_tables none = {NULL, find_nothing};
    const struct id_tables *without[] = {NULL, &none};
    struct model_id id;
    char version[32];
    failures = 0;
    for (size_t k = 0; k < LENGTH(without); k++)
        for (size_t i = 0; i < LENGTH(bare); i++) {
            const struct parts *p = &bare[i];
            if (k == 1 && i == 1)
                continue; /* with a table, a vendor must be in it */
            assert_true(model_id_parse(without[k], str_of(p->provider), str_of(p->model), &id));
            expect(p->model, "canonical", id.canonical, "");
            expect(p->model, "vendor", id.vendor, "");
            expect(p->model, "provider", id.provider, p->to_provider);
            expect(p->model, "base", id.base, p->base);
            expect(p->model, "version", version_text(&id, version, sizeof version), p->version);
            expect(p->model, "date", id.date, p->date);
            expect(p->model, "region", id.region, p->region);
            expect(p->model, "suffix", id.suffix, p->suffix);
        }
    assert_int_equal(failures, 0);
}

/* The first and the last day, month and year that digits at the end may name. */
static void test_dates(void **state)
{
    (void)state;
    static const char *const good[] =
        {
            "0101",     "1231",     "0131",       "2001",       "3912",    "200101",  "391231",
            "20200101", "20201231", "2024-01-01", "2024-12-31", "01-2025", "12-2025",
        },
                             *const none[] = {
                                 "0100",     "0132",       "0001",       "1301",     "2000",
                                 "2013",     "4012",       "1912",       "190101",   "400101",
                                 "200001",   "201301",     "19991231",   "20201301", "20200100",
                                 "20200132", "2024-13-01", "2024-00-01", "13-2025",  "00-2025",
                                 "01-1925",  "10101",      "2020010",
                             };
    struct model_id id;
    char name[40];
    for (size_t i = 0; i < LENGTH(good); i++) {
        snprintf(name, sizeof name, "some-%s", good[i]);
        assert_true(model_id_parse(NULL, STR(""), str_of(name), &id));
        assert_str(id.date, good[i]);
        assert_str(id.base, "some");
    }
    for (size_t i = 0; i < LENGTH(none); i++) {
        snprintf(name, sizeof name, "some-%s", none[i]);
        assert_true(model_id_parse(NULL, STR(""), str_of(name), &id));
        assert_str(id.date, "");
    }
    static const char *const trial[] = {"some-preview-01-31", "some-exp-12-01"};
    for (size_t i = 0; i < LENGTH(trial); i++) { /* month and day, behind what is no release */
        assert_true(model_id_parse(NULL, STR(""), str_of(trial[i]), &id));
        assert_str(id.date, trial[i] + strlen(trial[i]) - 5);
    }
    assert_true(model_id_parse(NULL, STR(""), STR("some-preview-13-01"), &id));
    assert_str(id.date, "");
}

/* The steps say what was done, in order. */
static void test_steps(void **state)
{
    (void)state;
    static const struct {
        const char *provider, *model, *steps[6];
    } rows[] = {
        {"openrouter", "anthropic/claude-opus-4.6:nitro", {"vendor prefix", "tag taken off", "dots to dashes"}},
        {"aws", "us.anthropic.claude-opus-4-6-v1:0", {"region prefix", "vendor prefix", "revision taken off"}},
        {"anthropic", "claude-4-sonnet-20250514", {"version before name", "date taken off"}},
        {"groq", "llama-3.3-70b-versatile", {"alias table"}},
        {"azure", "gpt-35-turbo-0613", {"date taken off", "version split"}},
        {"openai", "gpt-5", {NULL}},
    };
    struct model_id id;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_true(model_id_parse(&tables, str_of(rows[i].provider), str_of(rows[i].model), &id));
        size_t n = 0;
        while (rows[i].steps[n])
            n++;
        assert_int_equal(id.n_steps, n);
        for (size_t k = 0; k < n; k++)
            assert_string_equal(id.step[k], rows[i].steps[k]);
    }
}

/* ---- bounds ----------------------------------------------------------- */

static void test_limits(void **state)
{
    (void)state;
    static char text[LIMIT_NAME_BYTES + 1];
    struct model_id id;
    memset(text, 'a', sizeof text);
    assert_true(model_id_parse(&tables, str_make(text, LIMIT_NAME_BYTES), str_make(text, LIMIT_NAME_BYTES), &id));
    assert_int_equal(id.base.n, LIMIT_NAME_BYTES);
    assert_int_equal(id.provider.n, LIMIT_NAME_BYTES);
    assert_false(model_id_parse(&tables, str_make(text, sizeof text), STR("gpt-5"), &id));
    assert_false(model_id_parse(&tables, STR("openai"), str_make(text, sizeof text), &id));
    assert_true(model_id_parse(&tables, STR_NONE, STR_NONE, &id));
    assert_int_equal(id.base.n, 0);
    assert_int_equal(id.canonical.n, 0);

    memset(text, '-', sizeof text); /* many cuts, few steps */
    for (size_t i = 0; i + 5 < LIMIT_NAME_BYTES; i += 5)
        memcpy(text + i, "-free", 5);
    memcpy(text, "claude", 6);
    assert_true(model_id_parse(&tables, STR_NONE, str_make(text, LIMIT_NAME_BYTES - 2), &id));
    assert_true(id.n_steps <= ID_STEPS);
    for (size_t i = 0; i < LIMIT_NAME_BYTES; i += 2)
        memcpy(text + i, "a/", 2);
    assert_true(model_id_parse(&tables, STR("openai"), str_make(text, LIMIT_NAME_BYTES), &id));
    assert_true(id.n_steps <= ID_STEPS);
}

static bool inside(struct str s, const char *from, size_t n)
{
    return s.n == 0 || (s.p >= from && s.p + s.n <= from + n);
}

static uint64_t seed = 20250929;

/* Words and marks of real ids in any order, and plain bytes. */
static size_t random_id(char *to)
{
    static const char *const words[] = {
        "anthropic",  "openai", "claude",      "gpt",        "llama", "opus", "us",   "bedrock",    "arn:aws:bedrock:",
        "ft:",        "4",      "4-6",         "3.5",        "35",    "v3p3", "70b",  "20250929",   "0613",
        "2024-08-06", "001",    "-v1:0",       ":128k",      ":free", "@",    "@cf/", "publishers", "models",
        "/",          "-",      ".",           "--",         ":",     "_",    "fp8",  "latest",     "thinking",
        "preview",    "~",      "accounts/x/", "meta-llama",
    };
    size_t n = 0, pieces = dice(&seed, 9);
    for (size_t i = 0; i < pieces; i++) {
        if (dice(&seed, 8) == 0) {
            to[n++] = (char)dice(&seed, 256);
            continue;
        }
        const char *w = words[dice(&seed, LENGTH(words))];
        memcpy(to + n, w, strlen(w));
        n += strlen(w);
        if (dice(&seed, 2))
            to[n++] = "-/.:"[dice(&seed, 4)];
    }
    return n;
}

static void test_any_bytes(void **state)
{
    (void)state;
    struct model_id id, again;
    for (int round = 0; round < 200000; round++) {
        char text[256];
        size_t n = random_id(text);
        char *exact = test_malloc(n ? n : 1); /* so that a sanitizer sees a step too far */
        memcpy(exact, text, n);
        struct str model = str_make(exact, n);
        struct str provider = dice(&seed, 2) ? STR("bedrock") : dice(&seed, 2) ? STR("openrouter") : STR_NONE;
        lookups = 0;
        assert_true(model_id_parse(dice(&seed, 4) ? &tables : NULL, provider, model, &id));
        assert_true(lookups < 400);
        assert_true(id.used <= sizeof id.room);
        assert_true(id.n_steps <= ID_STEPS);
        assert_true(inside(id.base, id.room, id.used));
        assert_true(inside(id.date, id.room, id.used));
        assert_true(inside(id.region, id.room, id.used));
        assert_true(inside(id.suffix, id.room, id.used));
        for (size_t i = 0; i < id.base.n; i++)
            assert_true(id.base.p[i] == char_fold(id.base.p[i]));
        if (id.canonical.n) {
            assert_true(str_find_char(id.canonical, '/') < id.canonical.n);
            assert_true(str_eq(parsed_canonical("", id.canonical, &again), id.canonical));
        }
        test_free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_canonical_is_fixed),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_without_tables),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, fill_slots, NULL);
}
