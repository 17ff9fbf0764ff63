/*
 * replies.h - two replies of about 1 KB, as they come from their providers.
 */
#ifndef BENCH_REPLIES_H
#define BENCH_REPLIES_H

static const char openai_reply[] =
    "{\n"
    "  \"id\": \"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\n"
    "  \"object\": \"chat.completion\",\n"
    "  \"created\": 1741569952,\n"
    "  \"model\": \"gpt-4o-2024-08-06\",\n"
    "  \"choices\": [\n"
    "    {\n"
    "      \"index\": 0,\n"
    "      \"message\": {\n"
    "        \"role\": \"assistant\",\n"
    "        \"content\": \"Here is the plan:\\n\\n1. Read the table once and keep the rows that "
    "match.\\n2. Sort them by the day they were checked; the newest wins.\\n3. Write "
    "\\\"unknown\\\" where nobody said anything \\u2014 never a zero.\",\n"
    "        \"refusal\": null,\n"
    "        \"annotations\": []\n"
    "      },\n"
    "      \"logprobs\": null,\n"
    "      \"finish_reason\": \"stop\"\n"
    "    }\n"
    "  ],\n"
    "  \"usage\": {\n"
    "    \"prompt_tokens\": 1117,\n"
    "    \"completion_tokens\": 346,\n"
    "    \"total_tokens\": 1463,\n"
    "    \"prompt_tokens_details\": {\n"
    "      \"cached_tokens\": 1024,\n"
    "      \"audio_tokens\": 0\n"
    "    },\n"
    "    \"completion_tokens_details\": {\n"
    "      \"reasoning_tokens\": 0,\n"
    "      \"audio_tokens\": 0,\n"
    "      \"accepted_prediction_tokens\": 0,\n"
    "      \"rejected_prediction_tokens\": 0\n"
    "    }\n"
    "  },\n"
    "  \"service_tier\": \"default\",\n"
    "  \"system_fingerprint\": \"fp_fc9f1d7035\"\n"
    "}\n";

static const char anthropic_reply[] =
    "{\"id\":\"msg_01XFDUDYJgAACzvnptvVoYEL\",\"type\":\"message\",\"role\":\"assistant\",\"mod"
    "el\":\"claude-opus-4-5-20251101\",\"content\":[{\"type\":\"text\",\"text\":\"I looked at b"
    "oth files. The first one reads every row and keeps those whose key matches, which is what "
    "the test wants.\\n\\nThe second one stops at the first match, so that a later row never ov"
    "errides an earlier one: that is the mistake. I'd change the loop to go on to the end and k"
    "eep the last row it saw, and add a case with two rows of the same key to the tests.\"},{\""
    "type\":\"tool_use\",\"id\":\"toolu_01A09q90qw90lq917835lq9\",\"name\":\"edit_file\",\"inpu"
    "t\":{\"path\":\"src/table.c\",\"line\":118,\"text\":\"        last = row;\"}}],\"stop_reas"
    "on\":\"tool_use\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":412,\"cache_creation_"
    "input_tokens\":188,\"cache_read_input_tokens\":9216,\"cache_creation\":{\"ephemeral_5m_inp"
    "ut_tokens\":188,\"ephemeral_1h_input_tokens\":0},\"output_tokens\":203,\"service_tier\":\""
    "standard\"}}";

#endif
