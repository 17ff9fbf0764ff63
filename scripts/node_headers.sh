#!/bin/sh
# node_headers.sh - prints the folder of node_api.h: beside the node that is run, or Debian's. Ends with 1 if there is none.
node=$(readlink -f "$(command -v node)" 2>/dev/null)
for folder in "${node%/*}/../include/node" /usr/include/node /usr/include/nodejs/src; do
    [ -e "$folder/node_api.h" ] && echo "$folder" && exit 0
done
exit 1
