#!/bin/bash
# Shards on a real Slurm: killed, requeued, submitted again, merged, and compared with one process.
#
#   cluster/test-slurm.sh SIM [FOLDER]        about a minute
#   NODE_DOWN=1 cluster/test-slurm.sh SIM     also takes a node away, whose tasks wait some 150 s for another
#
# SIM is the program; FOLDER is where the private Slurm of slurm.sh lives. Where its packages cannot be had, says "skipped"
# and ends with code 77.
set -euo pipefail

sim=$(realpath "${1:?the program rankduel}")
scratch=${2:-$(mktemp -d)}
mkdir -p "$scratch"
scratch=$(realpath "$scratch")
export SLURM_HOME="$scratch/slurm" SLURM_MAX_ARRAY=13
mkdir -p "$SLURM_HOME"
# shellcheck source=cluster/slurm.sh
source "$(dirname "${BASH_SOURCE[0]}")/slurm.sh"

if ! slurm_fetch; then
    echo "skipped: the packages of Slurm cannot be had here ($SLURM_HOME/fetch.log)"
    exit 77
fi
trap slurm_stop EXIT
slurm_start 3 2
work="$scratch/work"
rm -rf "$work" && mkdir "$work" && cd "$work"
export RANKDUEL_CACHE_DIR="$work/caches"
say() { printf '%s %s\n' "$(date +%T)" "$*"; }

# Waits until no job is left, at most $1 seconds.
drained() {
    for _ in $(seq "$1"); do
        [ -z "$(squeue --noheader)" ] && return 0
        sleep 1
    done
    squeue
    echo "jobs are left after $1 s" >&2
    return 1
}

# Fails unless the results in out equal those of one process in one, timings apart.
same() {
    diff -r --exclude='*timings*' "$work/one" "$work/out" && say "$1: the bytes of one process"
}

# Sixteen runs of some seconds.
command=(bandit --problem arithmetic:k=40 --steps 1e8 --runs 16 --algorithms random --quiet)
submit=("$sim" submit slurm --shards 16 --partition p --time 10m --limit 6 --max-array-size 13)
say "one process"
"$sim" "${command[@]}" --out one > /dev/null

say "16 shards: an array of more tasks than MaxArraySize, which is cut; four are killed with kill -9"
"${submit[@]}" --go -- "${command[@]}" --out out
killed=0
for _ in $(seq 300); do
    [ "$killed" -ge 4 ] && break
    for pid in $(pgrep -x "$(basename "$sim")" || true); do
        [ "$killed" -ge 4 ] && break
        { tr '\0' ' ' < "/proc/$pid/cmdline"; } 2> /dev/null | grep -q -- "--out out --shard auto" || continue
        { tr '\0' '\n' < "/proc/$pid/environ"; } 2> /dev/null | grep -qx "SLURM_CLUSTER_NAME=private" || continue
        kill -9 "$pid" 2> /dev/null && killed=$((killed + 1))
    done
    sleep 0.2
done
say "killed: $killed"
if [ -n "${NODE_DOWN:-}" ]; then
    for _ in $(seq 100); do
        node=$(squeue --noheader --states=running --format=%N | head -1)
        [ -n "$node" ] && break
        sleep 0.2
    done
    say "node $node loses its power"
    squeue --noheader --nodelist="$node"
    slurm_kill_node "$node"
    drained 400
    say "nodes: $(sinfo --noheader --Node --format='%N %T' | tr '\n' ' ')"
else
    drained 120
fi
[ -e out ] && { echo "merged although shards were killed" >&2; exit 1; }
"$sim" status out
"$sim" merge out 2>&1 && { echo "merged although shards are missing" >&2; exit 1; }

say "--missing: the absent shards, and another merge"
"${submit[@]}" --missing --go -- "${command[@]}" --out out
grep -- --array out.shards/slurm/submit.sh
drained 120
"$sim" status out
same "killed and submitted again"

say "--array=3,7,11 is three of sixteen, not three of three"
rm -rf out out.shards/03-of-16.part out.shards/07-of-16.part out.shards/11-of-16.part
"${submit[@]}" --missing --go -- "${command[@]}" --out out
grep -- --array=3,7,11 out.shards/slurm/submit.sh
drained 120
same "three of sixteen"

say "a shard of a matrix is requeued in its middle: it saves, and goes on"
proxy=(proxy --dataset mslr-lookalike:0.003 --rankers 40 --impressions-per-pair 60000 --quiet)
rm -rf one out out.shards
mkdir one
"$sim" "${proxy[@]}" --out one/P.npy > /dev/null
"$sim" submit slurm --shards 2 --partition p --time 10m --go -- "${proxy[@]}" --out out/P.npy
for _ in $(seq 200); do
    task=$(squeue --noheader --states=running --name=p-npy-shard --format=%i | head -1)
    [ -n "$task" ] && break
    sleep 0.1
done
sleep 1
say "requeue $task"
scontrol requeue "$task"
drained 240
"$sim" status out/P.npy
# What the task said when it was asked to stop.
grep -h stopped out/P.npy.shards/slurm/logs/shard-*.log || true
rm -rf out/P.npy.shards
same "requeued"
say "all equal"
