#!/usr/bin/env bash
# What takes longer than `ci.sh` may: kills, faults and attacks in full number, 100,000 impressions that a simulation also plays, and a
# million with a thousand of them open, as one simulation plays them and by eight workers. With a number, everything is that many times smaller.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}
export CARGO_TERM_COLOR=never
smaller=${1:-1}

step() { printf '\n== [%d s] server: %s\n' "$SECONDS" "$*"; }

cargo build --locked --release
server=$CARGO_TARGET_DIR/release/rankduel-server
# A disk that waits for nothing: speed is measured elsewhere.
out=$(mktemp -d -p "$([ -d /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
serving=
trap '[ -z "$serving" ] || kill "$serving"; rm -rf "$out"' EXIT

step "$((100 / smaller)) kills under load"
python3 -B tests/outside/kills.py "$server" $((100 / smaller))
# 77: skipped, which it says.
python3 -B tests/outside/days.py "$server" $((40 / smaller)) || [ $? = 77 ]
step "$((20 / smaller)) kills and $((20 / smaller)) stops of two servers with one store in PostgreSQL"
# 77: skipped, which it says.
python3 -B tests/outside/nodes.py "$server" --kills $((20 / smaller)) --stops $((20 / smaller)) --between $((5 / smaller)) \
  --databases $((5 / smaller)) --cuts $((12 / smaller)) --drains $((5 / smaller)) --severed $((2 / smaller)) || [ $? = 77 ]
step "$((10000 / smaller)) impressions that a simulation also plays, by two servers that take turns"
python3 -B tests/outside/equal.py "$server" --impressions $((10000 / smaller)) --every $((1000 / smaller)) || [ $? = 77 ]
step "$((100000 / smaller)) units from one address, and all other attacks"
python3 -B tests/outside/security.py "$server" $((100000 / smaller))
step 'a disk that holds, fails or is full; a clock that jumps'
python3 -B tests/outside/disk.py "$server" --seconds $((60 / smaller)) || [ $? = 77 ]

url=http://127.0.0.1:7079
"$server" serve --store "$out/store.db" --listen "${url#http://}" >"$out/log" 2>&1 &
serving=$!
for _ in $(seq 100); do
  "$server" drive --url "$url" --experiment ready --create fixed --impressions 1 --quiet >"$out/ready" 2>&1 && break
  sleep 0.1
done

n=$((100000 / smaller))
for policy in rucb dts mergerucb rmed1 sparring mdb; do
  step "$policy: $n impressions that a simulation also plays"
  run=(--experiment "$policy" --create "$policy" --rankers 6 --impressions "$n" --seed 7 --quiet)
  "$server" drive --url "$url" "${run[@]}"
  "$server" drive "${run[@]}" --expect "$out/$policy.simulated"
  "$server" replay "$policy" --store "$out/store.db" --choices "$out/$policy.served"
  cmp "$out/$policy.simulated" "$out/$policy.served"
  echo "equal: $(wc -l <"$out/$policy.served") lines"
done

n=$((1000000 / smaller))
step "rucb: $n impressions with a thousand of them open, that a simulation with late answers also plays"
run=(--experiment late --create rucb --rankers 6 --impressions "$n" --seed 7 --open 1000 --quiet)
"$server" drive --url "$url" "${run[@]}"
"$server" drive "${run[@]}" --expect "$out/late.simulated"
"$server" replay late --store "$out/store.db" --choices "$out/late.served"
cmp "$out/late.simulated" "$out/late.served"
echo "equal: $(wc -l <"$out/late.served") lines"

step "$n impressions, a thousand of them open"
"$server" drive --url "$url" --experiment million --create rucb --rankers 6 --impressions "$n" --workers 8 --open 1000 --users 50000 --quiet
kill "$serving"
wait "$serving" || true
serving=
if command -v schemathesis >/dev/null; then
  step "schemathesis, $((600 / smaller)) s"
  key=$("$server" keys add admin --create --store "$out/schema.db" 2>/dev/null | tail -1)
  "$server" serve --store "$out/schema.db" --listen "${url#http://}" >"$out/log" 2>&1 &
  serving=$!
  sleep 1
  # Schemas know nothing of other calls: rankers that the experiment does not have are refused with 422, as they should be.
  schemathesis run "$url/openapi.json" -H "Authorization: Bearer $key" --max-time $((600 / smaller)) --seed 1 -n 100000 \
    --exclude-checks positive_data_acceptance
  kill "$serving"
  wait "$serving" || true
  serving=
else
  step 'no schemathesis (pip install schemathesis): skipped'
fi
step 'false alarms over HTTP'
cargo test --locked --release --test server -- --ignored
step 'the store is whole, and its logs fold to the same'
"$server" check --store "$out/store.db"
"$server" replay million --store "$out/store.db"
step 'all checks passed'
