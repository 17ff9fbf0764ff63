// simdjson_shim.cpp - the two parsers that preflight is measured against, behind C names.
#include <jansson.h>
#include <simdjson.h>

extern "C" {
void *shim_simdjson_new(void);
void shim_simdjson_free(void *parser);
int shim_simdjson_parse(void *parser, const char *text, size_t len);
int shim_jansson_parse(const char *text, size_t len);
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
