/*
 * limits.h - every bound on untrusted input, in one place.
 *
 * All input is hostile: rule files, requests, snapshots, names. A limit that
 * is hit is an error with its place and its name, never a truncation.
 */
#ifndef CANDO_LIMITS_H
#define CANDO_LIMITS_H

#define LIMIT_TOML_BYTES (32u << 20)  /* one rule file                        */
#define LIMIT_TOML_DEPTH 64u          /* nesting of arrays and inline tables  */
#define LIMIT_TOML_KEY_PARTS 64u      /* a.b.c...                             */
#define LIMIT_JSON_BYTES (256u << 20) /* one JSON text                        */
#define LIMIT_JSON_DEPTH 512u
#define LIMIT_LINE_BYTES (64u << 20) /* one line of `cando batch`            */
#define LIMIT_NAME_BYTES 512u        /* a provider name or a model id        */
#define LIMIT_URL_BYTES 8192u        /* the address of a request             */
#define LIMIT_PATTERN_BYTES 512u     /* one pattern of a rule                */
#define LIMIT_PATTERNS_PER_RULE 4096u
#define LIMIT_RULES 1000000u  /* rules of all sources together        */
#define LIMIT_ALIASES 100000u /* other names for models, all together */
#define LIMIT_POLICIES 4096u  /* patterns of allow and deny lists     */
#define LIMIT_PROVIDERS 4096u
#define LIMIT_FAMILY_DEPTH 16u                 /* providers that one walk may visit    */
#define LIMIT_LIST_ITEMS 1024u                 /* words of one list value              */
#define LIMIT_PRICE_RATES 256u                 /* rates of one price list              */
#define LIMIT_NUMBER ((UINT64_C(1) << 53) - 1) /* so that JSON readers agree   */
#define LIMIT_SNAPSHOT_BYTES (1u << 30)
#define LIMIT_FINDINGS 10000u         /* after these, one says how many more  */
#define LIMIT_REQUEST_APIS 64u        /* dialects of requests                 */
#define LIMIT_REQUEST_RULES 8192u     /* request rules of all dialects        */
#define LIMIT_REQUEST_WORDS 1024u     /* words of bits of all dialects        */
#define LIMIT_REQUEST_NODES 1000000u  /* steps of all paths and shapes        */
#define LIMIT_REQUEST_SLOTS 32768u    /* tests of all rules                   */
#define LIMIT_REQUEST_FINDINGS 96u    /* after these, one says how many more  */
#define LIMIT_REQUEST_PATH 24u        /* steps of one path                    */
#define LIMIT_HISTORY_FINDINGS 1000u  /* after these, one says how many more  */
#define LIMIT_FILES 10000u            /* files below one folder               */
#define LIMIT_EVENT_NAMES 256u        /* capabilities or codes of one event   */
#define LIMIT_EVENT_BYTES (64u << 10) /* the text of one event                */
#define LIMIT_SESSION_BYTES 128u      /* the id of a session                  */
#define LIMIT_EVIDENCE_BYTES 400u     /* what a provider said, as evidence    */
#define LIMIT_SUBSCRIBERS 1024u
#define LIMIT_EMIT_DEPTH 8u /* subscribers that emit, in each other */
#define LIMIT_OBSERVATIONS 20000u
#define LIMIT_REPLY_BYTES (1u << 20)      /* an error reply                       */
#define LIMIT_STAND_IN_BYTES (32u << 20)  /* what stands in for a reply        */
#define LIMIT_STAND_IN_CHOICES 128u       /* answers in it                        */
#define LIMIT_INSTANCE_BYTES (256u << 10) /* an instance of a JSON Schema     */
#define LIMIT_INSTANCE_DEPTH 48u
#define LIMIT_INSTANCE_STEPS 50000u /* on the way to it                     */
#define LIMIT_LEARNT 64u            /* fields learnt from one reply         */

#endif
