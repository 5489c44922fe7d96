#!/usr/bin/env bash
# Starts the shop beside the server at this path, uses it as a person does, and asks the server what it counted.
set -euo pipefail
shop=$(cd "$(dirname "$0")" && pwd)
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
export RANKDUEL_SERVER=$1 SHOP_PORT LIVE_PORT
SHOP_PORT=$(free) LIVE_PORT=$(free)
log=$(mktemp)
# A group of its own: the shop and the server end together.
setsid bash "$shop/start.sh" >"$log" 2>&1 &
started=$!
trap 'kill -TERM -- "-$started" 2>/dev/null || true; rm -f "$log"' EXIT
for _ in $(seq 200); do
  grep -q '^shop: ' "$log" && break
  sleep 0.1
done
grep -q '^shop: ' "$log" || { cat "$log"; exit 1; }
# With a folder as second argument, pictures of the pages are left there.
node "$shop/click.mjs" "http://127.0.0.1:$SHOP_PORT" "http://127.0.0.1:$LIVE_PORT" ${2:+"$2"}
