#include "evidence.h"

#include "vocab.h"

bool evidence_rejects(struct str word)
{
    static const char *const weak[] = {"catalog", "contested", "inferred"};
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        if (str_is(word, weak[i]))
            return false;
    return true;
}

/* Snapshots have the order: new ones go to the end. */
static const uint16_t agreed_fields[] = {
    F_tool_calling, F_parallel_tool_calls, F_tool_choice,       F_structured_output,
    F_json_mode,    F_reasoning,           F_temperature,       F_input_text,
    F_input_image,  F_input_audio,         F_input_video,       F_input_pdf,
    F_output_text,  F_output_image,        F_output_audio,      F_model_kind,
    F_embeddings,   F_system_message,      F_assistant_prefill, F_context_window,
    F_max_input,    F_max_output,          F_reasoning_efforts,
};
_Static_assert(sizeof agreed_fields / sizeof *agreed_fields <= AGREED_BITS, "flags of a rule");

uint32_t agreed_bit(unsigned field)
{
    for (unsigned i = 0; i < sizeof agreed_fields / sizeof *agreed_fields; i++)
        if (agreed_fields[i] == field)
            return UINT32_C(1) << i;
    return 0;
}
