/*
 * import_local.c - what a server on one's own machine says of itself.
 *
 *     vLLM         GET /v1/models       max_model_len: the window that it was started with
 *     LM Studio    GET /api/v0/models   type, max_context_length, loaded_context_length
 *                  GET /api/v1/models   the same in other words, and vision
 *     Ollama       GET /api/tags        which models there are
 *                  POST /api/show       capabilities, context_length, num_ctx
 *     llama.cpp    GET /v1/models       meta.n_ctx
 *                  GET /props           n_ctx of a slot, modalities
 *
 * Nobody knows better what runs there, so it wins over every catalog for the offering on that
 * server. A file may have one reply, or a list of several. Their traps: n_ctx_train and
 * max_context_length are what a model was made for, and not what the server has memory for where
 * it says that too; what was loaded counts. A reply of /api/show does not name its model but in a
 * comment of its Modelfile. Who asks LM Studio or vLLM for tools gets them for any model, more or
 * less well, so that silence is no "no"; Ollama refuses what it does not list.
 */
#include "claim.h"

/* -- vLLM, LM Studio, llama.cpp: a list of models ------------------------------------- */

/* The first of these that is a number above 0 is the window. */
static void say_window(struct import *im, const struct json *m, const char *const *keys, size_t n)
{
    uint64_t tokens;
    for (size_t i = 0; i < n; i++)
        if (json_uint(json_get(m, keys[i]), &tokens) && tokens) {
            say(im, F_context_window, m, keys[i]);
            return;
        }
}

static void say_type(struct import *im, struct str type)
{
    if (str_is(type, "vlm"))
        say_support(im, F_input_image, true);
    if (str_is(type, "llm"))
        say_support(im, F_input_image, false);
    if (str_is(type, "embeddings") || str_is(type, "embedding"))
        say_support(im, F_embeddings, true);
}

static const struct fact_key listed_words[] = {
    {"tool_use", F_tool_calling},
    {"vision", F_input_image},
};

static void listed_model(struct import *im, const struct json *m, struct str at)
{
    static const char *const windows[] = {"loaded_context_length", "max_model_len",
                                          "max_context_length"};
    if (!record_begin(im, import_own(im), import_text(m, "id"), at, false))
        return;
    say_window(im, m, windows, COUNT_OF(windows));
    say(im, F_context_window, m, "meta/n_ctx");
    say_type(im, import_text(m, "type"));
    SAY_WORDS(im, import_list(m, "capabilities"), listed_words);
}

/* The newer list of LM Studio: what is loaded has a window of its own. */
static void keyed_model(struct import *im, const struct json *m, struct str at)
{
    static const char *const windows[] = {"context_length"};
    if (!record_begin(im, import_own(im), import_text(m, "key"), at, false))
        return;
    const struct json *loaded = import_list(m, "loaded_instances"), *can;
    say(im, F_display_name, m, "display_name");
    if (loaded->n)
        say_window(im, json_get(&loaded->item[0], "config"), windows, 1);
    else
        say(im, F_context_window, m, "max_context_length");
    if (str_is(import_text(m, "type"), "embedding"))
        say_support(im, F_embeddings, true);
    can = json_get(m, "capabilities");
    say(im, F_input_image, can, "vision");
    if (json_is_true(json_get(can, "trained_for_tool_use")))
        say_support(im, F_tool_calling, true);
}

/* -- Ollama --------------------------------------------------------------------------------- */

static const struct fact_key refused[] = {
    {"tools", F_tool_calling},
    {"vision", F_input_image},
    {"thinking", F_reasoning},
    {"embedding", F_embeddings},
};

/* What it lists it does, and what it does not list it refuses. */
static void say_capabilities(struct import *im, const struct json *list)
{
    if (!list->n)
        return;
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        say_support(im, refused[i].field, import_has_word(list, str_of(refused[i].path)));
    say_support(im, F_output_text, import_has_word(list, STR("completion")));
}

static void tag_model(struct import *im, const struct json *m, struct str at)
{
    struct str id = import_text(m, "model");
    if (!record_begin(im, import_own(im), id.n ? id : import_text(m, "name"), at, false))
        return;
    say(im, F_model_family, m, "details/family");
    say_capabilities(im, import_list(m, "capabilities"));
}

/* The rest of the line that begins so, or an empty text. */
static struct str line_after(struct str text, struct str head)
{
    while (text.n) {
        struct str line = str_head(text, str_find_char(text, '\n'));
        if (str_starts(line, head)) {
            line = str_from(line, head.n);
            while (line.n && line.p[0] == ' ')
                line = str_from(line, 1);
            while (line.n && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\r'))
                line.n--;
            return line;
        }
        text = str_from(text, line.n + 1);
    }
    return STR("");
}

/* Members of model_info are called after the architecture: "llama.context_length". */
static void say_trained(struct import *im, const struct json *info)
{
    struct str arch = import_text(info, "general.architecture");
    struct str key = str_printf(im->ar, "%.*s.context_length", STR_ARG(arch));
    if (arch.n && key.p)
        say_value(im, F_context_window, key, json_member(info, key));
}

/* "num_ctx                        4096": what it runs with, unless a request asks for more. */
static bool say_num_ctx(struct import *im, struct str parameters)
{
    struct str number = line_after(parameters, STR("num_ctx "));
    struct json v = {.kind = JSON_NUMBER, .text = number};
    uint64_t tokens;
    if (!number.n || !json_uint(&v, &tokens) || !tokens)
        return false;
    say_value(im, F_context_window, STR("num_ctx"), &v);
    return true;
}

static void shown_model(struct import *im, const struct json *m, struct str at)
{
    struct str id = import_text(m, "model");
    if (!id.n)
        id = line_after(import_text(m, "modelfile"), STR("# FROM "));
    if (!record_begin(im, import_own(im), id, at, false))
        return;
    say(im, F_model_family, m, "details/family");
    if (!say_num_ctx(im, import_text(m, "parameters")))
        say_trained(im, json_get(m, "model_info"));
    say_capabilities(im, import_list(m, "capabilities"));
}

/* -- llama.cpp -------------------------------------------------------------------------------- */

static const struct fact_key props_keys[] = {
    {"default_generation_settings/n_ctx", F_context_window},
    {"modalities/vision", F_input_image},
    {"modalities/audio", F_input_audio},
};

static void props_model(struct import *im, const struct json *m, struct str at)
{
    struct str id = import_text(m, "model_alias");
    if (record_begin(im, import_own(im), id.n ? id : import_text(m, "model_path"), at, false))
        SAY_KEYS(im, m, props_keys);
}

/* -- a reply, whosever ------------------------------------------------------------------------ */

static void read_reply(struct import *im, const struct json *m, struct str at)
{
    const struct json *models = json_get(m, "models"), *data = json_get(m, "data");
    if (data) {
        import_models(im, m, at, "data", listed_model);
    } else if (models) {
        bool keyed = models->kind == JSON_ARRAY && models->n && json_get(&models->item[0], "key");
        import_models(im, m, at, "models", keyed ? keyed_model : tag_model);
    } else if (json_get(m, "default_generation_settings")) {
        props_model(im, m, at);
    } else {
        shown_model(im, m, at);
    }
}

void import_local(struct import *im, const struct json *root)
{
    if (root->kind == JSON_ARRAY)
        import_each(im, root, JSON_ARRAY, STR(""), "no reply", read_reply);
    else
        read_reply(im, root, STR(""));
}
