"""Measures what calls from Python cost: CPU time, the least of several tries, with the goal beside each number.

python benches/calls.py [path of the program `rankduel`], with a release build of both, on a machine that does nothing else.
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

import rankduel as rd

TRIES = 5


def least(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """The least time of several tries, in seconds."""

    def once() -> float:
        start = clock()
        work()
        return clock() - start

    return min(once() for _ in range(TRIES))


ROWS: list[tuple[str, str, str, str]] = []


def row(what: str, found: float, unit: str, goal: float | None) -> None:
    """A line of the table; a goal is a limit."""
    if goal is None:
        ROWS.append((what, f"{found:,.3g} {unit}", "", ""))
    else:
        ROWS.append((what, f"{found:,.3g} {unit}", f"at most {goal:g}", "met" if found <= goal else "MISSED"))


def of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


PROBLEM = "btl:k=200"


def rucb(sim: str | None) -> None:
    def python() -> object:
        return rd.bandit(PROBLEM, "rucb", steps=1e6, runs=20).curves

    def program() -> object:
        with tempfile.TemporaryDirectory() as folder:
            words = ["bandit", "--problem", PROBLEM, "--algorithms", "rucb", "--steps", "1e6", "--runs", "20"]
            return subprocess.run([str(sim), *words, "--quiet", "--out", folder + "/x"], check=True, capture_output=True)

    ours = least(python)
    row(f"20 runs of 10^6 steps of rucb on {PROBLEM}, from Python", ours, "s", None)
    if sim is None:
        print("pass the program `rankduel` to compare with it", file=sys.stderr)
        return
    theirs = least(program, of_children)
    row("the same on the command line", theirs, "s", None)
    row("  ratio", ours / theirs, "", 1.1)


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
    row("a step of a policy in Python, with its body", 1e6 * played / steps, "us", None)
    row("  without its body", 1e6 * (played - alone) / steps, "us", 1)


def lists() -> None:
    ours = [f"document-{n}" for n in range(10)]
    theirs = ours[5:] + [f"other-{n}" for n in range(5)]
    pairs = 20_000
    for method in ("team-draft", "balanced", "probabilistic", "optimized", "document-constraints"):

        def mix() -> None:
            for seed in range(pairs):
                impression = rd.interleave(ours, theirs, length=10, method=method, seed=seed)
                impression.credit(["document-5"])

        row(f"interleave and credit a pair of lists of 10, {method}", 1e6 * least(mix) / pairs, "us", 5)


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
    row(f"memory after 10^5 more calls, beside {before} KB", resident() - before, "KB", 1000)


def frames() -> None:
    rows = 200_000

    def credited(what: str, shown: Sequence[Sequence[str]], mixed: Mapping[str, Sequence[object]]) -> None:
        ids = [f"impression-{n}" for n in range(rows)]
        times = [1_700_000_000 + n for n in range(rows)]
        users = [f"user-{n // 5}" for n in range(rows)]
        impressions = pa.table({"impression": ids, "time": times, "user": users, "shown": shown, **mixed})
        clicked = [documents[n % 10] for n, documents in enumerate(shown)]
        clicks = pa.table({"impression": ids, "document": clicked, "time": [time + 1 for time in times]})
        spent = least(lambda: rd.credit_frame(impressions, clicks, final=True))
        row(what, 1e6 * spent / rows, "us", None)

    first, second = ([f"d{n}" for n in range(start, start + 10)] for start in (0, 3))
    credited("credit_frame, an impression with its click", [first] * rows, {"teams": [["A", "B"] * 5] * rows})
    drawn = [rd.interleave(first, second, length=10, method="probabilistic", seed=n) for n in range(rows)]
    receipts = {"receipt": [one.to_bytes() for one in drawn], "rankers": [["A", "B"]] * rows}
    credited("the same with a receipt of probabilistic interleaving", [one.shown for one in drawn], receipts)


def table() -> str:
    widths = [max(map(len, column)) for column in zip(*ROWS)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in ROWS)


if __name__ == "__main__":
    rucb(sys.argv[1] if len(sys.argv) > 1 else None)
    policy()
    lists()
    memory()
    frames()
    print(table())
    sys.exit(any(cells[-1] == "MISSED" for cells in ROWS))
