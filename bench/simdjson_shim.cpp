// simdjson_shim.cpp - the two parsers that preflight is measured against, behind C names.
#include <jansson.h>
#include <simdjson.h>

extern "C" {
const char *shim_simdjson_kernel(const char *wanted);
void *shim_simdjson_new(void);
void shim_simdjson_free(void *parser);
int shim_simdjson_parse(void *parser, const char *text, size_t len);
int shim_jansson_parse(const char *text, size_t len);
}

// Takes that kernel (haswell, icelake, ...) for all parsers to come, and returns its name;
// without a name the one that simdjson itself takes. NULL: this processor cannot run it.
const char *shim_simdjson_kernel(const char *wanted)
{
    static std::string name;
    if (wanted) {
        const simdjson::implementation *kernel = simdjson::get_available_implementations()[wanted];
        if (!kernel || !kernel->supported_by_runtime_system())
            return nullptr;
        simdjson::get_active_implementation() = kernel;
    }
    name = simdjson::get_active_implementation()->name();
    return name.c_str();
}

void *shim_simdjson_new(void)
{
    return new simdjson::dom::parser;
}

void shim_simdjson_free(void *parser)
{
    delete static_cast<simdjson::dom::parser *>(parser);
}

// `text` must have SIMDJSON_PADDING bytes behind it, so that no copy is made.
int shim_simdjson_parse(void *parser, const char *text, size_t len)
{
    simdjson::dom::element root;
    return static_cast<simdjson::dom::parser *>(parser)->parse(text, len, false).get(root) == simdjson::SUCCESS;
}

int shim_jansson_parse(const char *text, size_t len)
{
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, nullptr);
    json_decref(root);
    return root != nullptr;
}
