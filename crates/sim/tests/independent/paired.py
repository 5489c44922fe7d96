"""Compares `tests.csv` of `rankduel inspect` with scipy, from the values of each query in `measures-per-query.csv`.

python3 paired.py PATH/TO/rankduel
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from scipy import stats

MEASURES = "nDCG@10,AP,RR@10,P@10,R@100"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def holm(p_values: list[float]) -> list[float]:
    """Adjusted p-values: the k-th smallest times what is left, never below the one before."""
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = least
    return adjusted


def main(program: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)

        def run(*words: str) -> None:
            subprocess.run([program, *words, "--quiet"], cwd=here, check=True, capture_output=True)

        run("export", "mq2008-lookalike", "--rankers", "22,25,40", "--out", "runs")
        inspected = ["--rankings", "runs", "--qrels", "runs/qrels.txt", "--measures", MEASURES, "--per-query", "--out", "found"]
        run("inspect", *inspected)
        values: dict[tuple[str, str], list[float]] = {}
        for row in rows(here / "found/measures-per-query.csv"):
            for measure in MEASURES.split(","):
                values.setdefault((row["feature"], measure), []).append(float(row[measure]))
        tests = rows(here / "found/tests.csv")
        assert len(tests) == 15, f"{len(tests)} tests, expected three pairs by five measures"
        p_values, worst = [], 0.0
        for test in tests:
            first, second = (values[test[side], test["measure"]] for side in ("first", "second"))
            assert len(first) == int(test["queries"]), "every query has a value"
            expected = stats.ttest_rel(first, second)
            p_values.append(float(expected.pvalue))
            for found, wanted in [("t", expected.statistic), ("p", expected.pvalue)]:
                worst = max(worst, abs(float(test[found]) / float(wanted) - 1.0))
        run("inspect", *inspected[:-1], "ranks", "--test", "wilcoxon", "--correction", "bh")
        by_ranks, compared = rows(here / "ranks/tests.csv"), len(tests)
        for test in by_ranks:
            first, second = (values[test[side], test["measure"]] for side in ("first", "second"))
            # Fewer differences are counted out here, and scipy does so by another rule.
            if sum(a != b for a, b in zip(first, second)) <= 50:
                continue
            expected = stats.wilcoxon(first, second, method="asymptotic")
            worst = max(worst, abs(float(test["p"]) / float(expected.pvalue) - 1.0))
            assert test["t"] == "", "t is of Student's test alone"
            compared += 1
        for at in range(0, len(by_ranks), 3):
            tests_of_measure = by_ranks[at : at + 3]
            adjusted = stats.false_discovery_control([float(test["p"]) for test in tests_of_measure])
            for test, wanted in zip(tests_of_measure, adjusted):
                worst = max(worst, abs(float(test["p_bh"]) / wanted - 1.0))
        run("inspect", *inspected[:-1], "drawn", "--test", "randomization")
        for test in rows(here / "drawn/tests.csv"):
            differences = [a - b for a, b in zip(*(values[test[side], test["measure"]] for side in ("first", "second")))]
            drawn = stats.permutation_test(
                (differences,), lambda sample, axis: sample.sum(axis), permutation_type="samples", vectorized=True, random_state=1
            )
            expected = float(drawn.pvalue)
            # Five standard errors of the difference of two shares of 10,000 draws.
            bound = 5.0 * (2.0 * expected * (1.0 - expected) / 10_000) ** 0.5 + 1e-3
            assert abs(float(test["p"]) - expected) < bound, f"{test}, scipy {expected}"
        # Each measure has a correction of its own.
        for at in range(0, len(tests), 3):
            for test, wanted in zip(tests[at : at + 3], holm(p_values[at : at + 3])):
                worst = max(worst, abs(float(test["p_holm"]) / wanted - 1.0))
        assert worst < 1e-9, f"relative difference of {worst}"
        print(f"{compared} paired tests differ from scipy by a relative {worst:.1e} at most")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()))
