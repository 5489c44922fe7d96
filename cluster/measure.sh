#!/bin/bash
# Measures what shards cost, and prints it as cluster/costs.toml, from which `cargo xtask tidy --fix` writes the tables of
# docs/pages/how-to/run-on-a-cluster.md. All times are of one core, by CPU time. Two minutes; the machine should be idle.
#
#   cluster/measure.sh target/release/rankduel > cluster/costs.toml
set -euo pipefail

sim=$(realpath "${1:?the program rankduel}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export RANKDUEL_CACHE_DIR="$work/caches"
TIMEFORMAT='%U %S'

# The CPU seconds of a command of rankduel.
cpu() {
    local times
    times=$({ time "$sim" "$@" --quiet --threads 1 > out.txt 2> err.txt || { cat err.txt >&2; exit 1; }; } 2>&1)
    awk '{ print $1 + $2 }' <<< "$times"
}
calculate() { awk "BEGIN { printf \"%.3g\", $1 }"; }

site=(--dataset mslr-lookalike:1)
proxy=(proxy "${site[@]}" --rankers all)
study=("${site[@]}" --rankers all --algorithms "rucb,mergerucb,rmed1,random" --runs 1 --truth-effort 0.1)
echo "preparing" >&2
prepare=$(cpu "${proxy[@]}" --impressions-per-pair 64 --out P.npy --shard prepare)
cpu "${study[@]}" --steps 1e4 --out prepared --shard prepare > /dev/null
echo "starting" >&2
# The first shard of more shards than pieces has none.
start=$(cpu "${proxy[@]}" --impressions-per-pair 64 --out P.npy --shard 0/999999)
echo "comparing" >&2
compared=$(cpu "${proxy[@]}" --impressions-per-pair 10000 --out Q.npy)
echo "playing" >&2
played=$(cpu "${study[@]}" --steps 1e7 --out live)
echo "merging" >&2
few=(proxy --dataset ylr1-lookalike:0.01 --rankers all --impressions-per-pair 320)
for shard in {0..15}; do cpu "${few[@]}" --out R.npy --shard "$shard/16" > /dev/null; done
merged=$(cpu merge R.npy)
bytes=$(cat R.npy.shards/*.part | wc -c)
for shard in {0..7}; do cpu "${few[@]}" --out S.npy --shard "$shard/8" > /dev/null; done
half=$(cpu merge S.npy)

cat << TOML
# Written by cluster/measure.sh: seconds are CPU seconds of one core.
processor = "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
# Preparing 136 rankers on a look-alike of the size of MSLR-WEB30K, and starting a shard after that.
prepare-seconds = $(calculate "$prepare")
start-seconds = $(calculate "$start")
# Comparisons of pairs of those rankers, and steps of four algorithms in live runs.
comparisons-per-second = $(calculate "9180 * 10000 / ($compared - $start)")
steps-per-second = $(calculate "4e7 / ($played - $start)")
# 244,650 pairs of 700 rankers, 20 impressions of each per shard: bytes of a part, and the time to merge it.
part-bytes-per-pair = $(calculate "$bytes / 16 / 244650")
merge-nanoseconds-per-pair = $(calculate "($merged - $half) / 8 / 244650 * 1e9")
TOML
