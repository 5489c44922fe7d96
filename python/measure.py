"""Measures what calls from Python cost: CPU time, the least of several tries.

python measure.py [path of the program `sim`], with a release build of both.
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import rankduel as rd

TRIES = 5


def least(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The least time of several tries, in seconds."""

    def once() -> float:
        start = clock()
        work()
        return clock() - start

    return min(once() for _ in range(TRIES))


def of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def rucb(sim: str | None) -> None:
    def python() -> object:
        return rd.bandit("cyclic:k=21", "rucb", steps=1e6, runs=20).curves

    def program() -> object:
        with tempfile.TemporaryDirectory() as folder:
            words = ["bandit", "--problem", "cyclic:k=21", "--algorithms", "rucb", "--steps", "1e6", "--runs", "20"]
            return subprocess.run([str(sim), *words, "--quiet", "--out", folder + "/x"], check=True, capture_output=True)

    ours = least(python)
    print(f"20 runs of 10^6 steps of rucb, from Python: {ours:.3f} s of CPU")
    if sim is not None:
        theirs = least(program, of_children)
        print(f"the same on the command line: {theirs:.3f} s; ratio {ours / theirs:.3f} (at most 1.1)")


class Fixed(rd.Policy):
    """Two arms, and nothing else."""

    def choose(self, step: int) -> tuple[int, int]:
        return 0, 1


def policy() -> None:
    steps = 1_000_000

    def body() -> None:
        mine = Fixed(2, None)  # type: ignore[arg-type]
        choose, learn = mine.choose, mine.learn
        for step in range(steps):
            choose(step)
            learn(step, 0, 1)

    played = least(lambda: rd.bandit("arithmetic:k=20", Fixed, steps=steps, runs=1))
    alone = least(body)
    print(f"a step of a policy in Python: {1e6 * played / steps:.3f} microseconds, of which its body {1e6 * alone / steps:.3f};")
    print(f"  the rest {1e6 * (played - alone) / steps:.3f} (at most 1)")


def lists() -> None:
    ours = [f"document-{n}" for n in range(10)]
    theirs = ours[5:] + [f"other-{n}" for n in range(5)]
    pairs = 20_000
    for method in ("team-draft", "balanced", "probabilistic", "optimized", "document-constraints"):

        def mix() -> None:
            for seed in range(pairs):
                impression = rd.interleave(ours, theirs, length=10, method=method, seed=seed)
                impression.credit(["document-5"])

        print(f"interleave and credit, {method}, lists of 10: {1e6 * least(mix) / pairs:.2f} microseconds a pair")


def memory() -> None:
    def resident() -> int:
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

    matrix = rd.Matrix.problem("arithmetic:k=5")

    def calls(count: int) -> None:
        for seed in range(count):
            rd.interleave(["a", "b"], ["b", "c"], seed=seed).credit(["a"])
            if seed % 100 == 0:
                rd.bandit(matrix, ["rucb", Fixed], steps=20, runs=1).curves.to_dict()

    calls(10_000)
    before = resident()
    calls(100_000)
    print(f"memory after 10^5 more calls: {resident() - before:+d} KB of {before} KB")


if __name__ == "__main__":
    rucb(sys.argv[1] if len(sys.argv) > 1 else None)
    policy()
    lists()
    memory()
