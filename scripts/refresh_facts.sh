#!/usr/bin/env bash
# refresh_facts.sh CANDO FOLDER - writes catalog/facts/ anew from files of the sources.
#
# FOLDER has the files as their sources serve them, under the names below; one that is missing is left out. Each may have
# a file FOLDER/<name>.day with the day it is of; else it is the day of the file. Where a source keeps one file a provider, they
# are put together first: catwalk.json is `jq -s .` over its files, mastra.json its registry with a member `capabilities` of those
# of that folder, by provider. Look at the difference before you keep it:
# `cando lint catalog`, `cando conflicts`, `git diff --stat`.
set -eu
cando=$1 folder=$2
cd "$(dirname "$0")/.."

# Who is in the built-in catalog: labs' own APIs, the clouds, OpenRouter, the large hosts. Everybody else can be had with
# `cando update` or an overlay; the program would grow too large.
providers=ai21,alibaba,alibaba-cn,amazon-bedrock,anthropic,assemblyai,azure,baseten
providers+=,black-forest-labs,cerebras,chutes,cloudflare-workers-ai,cohere,databricks,deepgram
providers+=,deepinfra,deepseek,elevenlabs,fal,fireworks-ai,github-copilot,github-models,google
providers+=,google-vertex,groq,huggingface,inception,jina,llama,minimax,minimax-cn,mistral
providers+=,moonshotai,moonshotai-cn,morph,nebius,nova,novita-ai,nvidia,ollama-cloud,openai,opencode
providers+=,openrouter,ovhcloud,perplexity,poolside,requesty,sakana,sambanova,sarvam,scaleway
providers+=,siliconflow,snowflake-cortex,stability,stepfun,togetherai,upstage,v0,venice,vercel
providers+=,volcengine,voyage,wandb,watsonx,xai,xiaomi,zai,zhipuai

args=()
add() { # source, file
    local file=$folder/$2 day
    [ -e "$file" ] || return 0
    if [ -e "$file.day" ]; then day=$(cat "$file.day"); else day=$(date -u -r "$file" +%F); fi
    args+=(--source "$1@$day=$file")
}
add models.dev models.dev.api.json
add litellm litellm.model_prices_and_context_window.json
add genai-prices genai-prices.data.json
add ruby_llm ruby_llm.models.json
add openrouter openrouter.json
add anthropic anthropic.json
add google google.json
add openai openai.json
add xai xai.json
add catwalk catwalk.json
add mastra mastra.json
[ ${#args[@]} -gt 0 ] || { echo "no file of a source in $folder" >&2; exit 2; }

trap 'rm -rf catalog/facts.new' EXIT
rm -rf catalog/facts.new
mkdir catalog/facts.new
"$cando" import --rules catalog/providers.toml --out catalog/facts.new --current --provider "$providers" "${args[@]}"
rm -rf catalog/facts
mv catalog/facts.new catalog/facts
