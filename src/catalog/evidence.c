#include "evidence.h"

#include "vocab.h"

bool evidence_rejects(struct str word)
{
    static const char *const weak[] = {"catalog", "contested", "inferred"};
    for (size_t i = 0; i < COUNT_OF(weak); i++)
        if (str_is(word, weak[i]))
            return false;
    return true;
}

/* The bit of a field, counted from 1. Snapshots have the order: new ones go to the end. */
static const uint8_t agreed_fields[FIELD_COUNT] = {
    [F_tool_calling] = 1,       [F_parallel_tool_calls] = 2, [F_tool_choice] = 3,
    [F_structured_output] = 4,  [F_json_mode] = 5,           [F_reasoning] = 6,
    [F_temperature] = 7,        [F_input_text] = 8,          [F_input_image] = 9,
    [F_input_audio] = 10,       [F_input_video] = 11,        [F_input_pdf] = 12,
    [F_output_text] = 13,       [F_output_image] = 14,       [F_output_audio] = 15,
    [F_model_kind] = 16,        [F_embeddings] = 17,         [F_system_message] = 18,
    [F_assistant_prefill] = 19, [F_context_window] = 20,     [F_max_input] = 21,
    [F_max_output] = 22,        [F_reasoning_efforts] = 23,
};
_Static_assert(23 <= AGREED_BITS, "flags of a rule");

uint32_t agreed_bit(unsigned field)
{
    uint8_t at = field < FIELD_COUNT ? agreed_fields[field] : 0;
    return at ? UINT32_C(1) << (at - 1) : 0;
}
