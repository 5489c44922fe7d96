#!/usr/bin/env bash
# The shop and the live server beside it; Ctrl-C ends both. With a file as argument, that is the store; otherwise it is thrown away.
set -euo pipefail
shop=$(cd "$(dirname "$0")" && pwd)
server=${RANKDUEL_SERVER:-rankduel-server}
port=${SHOP_PORT:-8080} live=${LIVE_PORT:-7077}
folder=$(mktemp -d)
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
# Pages of the shop may send clicks to the server.
"$server" serve --create --no-keys --store "${1:-$folder/shop.db}" --listen "127.0.0.1:$live" --origins "http://127.0.0.1:$port" --log-level warn &
started+=($!)
for _ in $(seq 100); do
  python3 -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:$live/ready', timeout=1)" 2>/dev/null && break
  sleep 0.1
done
python3 "$shop/shop.py" --live "http://127.0.0.1:$live" --port "$port" &
started+=($!)
# Whichever ends first ends the other.
wait -n
