#!/usr/bin/env bash
# npm.sh - installs the clients that the tests use, one at a time, and prints their folder.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p build
exec 9>build/clients.lock
flock 9
tests/npm.sh build/clients openai@7.53.0 @anthropic-ai/sdk@1.8.0 @google/genai@2.32.0 ai@7.0.169 @ai-sdk/openai@4.0.114 \
    @ai-sdk/anthropic@4.0.102 @ai-sdk/google@4.0.118 @aws-sdk/client-bedrock-runtime@3.1162.0 @smithy/node-http-handler@4.14.2 \
    @mistralai/mistralai@2.7.0 ollama@0.6.4 zod@4.6.7 typescript@7.0.2 node@24.21.0 >&2 9>&-
echo "$PWD/build/clients"
