"""The same experiment simulated, served, and credited from its export by `click-logs` and by Spark: the same numbers, to the row.

    python3 server/tests/outside/one_set.py SERVER CLICK-LOGS [--impressions N] [--spark PYTHON]

PYTHON is an interpreter with the packages `rankduel` and `pyspark`; without it, Spark is left out, which the table says.
"""

from __future__ import annotations

import argparse
import collections
import csv
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

sys.dont_write_bytecode = True

from common import Server, Table, call

EXPERIMENT = "one"
# Rows by pair: wins, losses and ties of the first.
Rows = dict[tuple[str, str], tuple[int, ...]]

SPARK = """
import json, pathlib, sys
from pyspark.sql import SparkSession
import rankduel.spark
folder, flags = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
read = lambda name: [json.loads(line) for line in (folder / name).read_text().splitlines()]
impressions = [{**row, "receipt": json.dumps(row["receipt"])} for row in read("impressions.jsonl")]
credited = rankduel.spark.credit(spark.createDataFrame(impressions), spark.createDataFrame(read("clicks.jsonl")), partitions=4, **flags)
print(json.dumps(credited.outcomes.to_pandas().to_dict("records"), default=str))
"""


def added(rows: Iterable[tuple[str, str, list[int]]]) -> Rows:
    """Rows added up over days, the pair in the order of names."""
    sums: dict[tuple[str, str], list[int]] = collections.defaultdict(lambda: [0, 0, 0])
    for first, second, (wins, losses, ties) in rows:
        if first > second:
            first, second, wins, losses = second, first, losses, wins
        for place, count in enumerate((wins, losses, ties)):
            sums[first, second][place] += count
    return {pair: tuple(counts) for pair, counts in sums.items() if any(counts)}


def added_rows(rows: list[dict[str, Any]]) -> Rows:
    """The counts of impressions in rows of `outcomes.csv`: they follow those of units."""
    counts = [name for name in rows[0] if name not in ("day", "version", "first", "second")]
    return added((row["first"], row["second"], [int(row[name]) for name in counts[3:]]) for row in rows)


def run(*command: str, **more: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)[:300]} ended with {done.returncode}: {done.stderr[-3000:]}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("server")
    parser.add_argument("click_logs")
    parser.add_argument("--impressions", type=int, default=5_000)
    parser.add_argument("--spark", metavar="PYTHON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        compared(given, pathlib.Path(temporary))


def compared(given: argparse.Namespace, folder: pathlib.Path) -> None:
    server = Server(given.server, folder)
    server.start()
    plan = ["--experiment", EXPERIMENT, "--create", "rucb", "--rankers", "4", "--impressions", str(given.impressions), "--seed", "5", "--quiet"]
    run(server.program, "drive", "--url", f"http://127.0.0.1:{server.port}", *plan)
    counts = folder / "counts.csv"
    run(server.program, "drive", *plan, "--expect-counts", str(counts))
    with open(counts, newline="") as file:
        simulated = added((row["first"], row["second"], [int(row[name]) for name in ("wins", "losses", "ties")]) for row in csv.DictReader(file))

    call(server.port, "POST", f"/v1/experiments/{EXPERIMENT}/end", {"why": "all impressions are there"})
    # Days close within a second of the end.
    time.sleep(2.5)
    names = [ranker["name"] if isinstance(ranker, dict) else ranker for ranker in call(server.port, "GET", f"/v1/experiments/{EXPERIMENT}")[1]["settings"]["rankers"]]
    exported = folder / "exported"
    run(server.program, "export", EXPERIMENT, str(exported), "--store", str(server.store))
    rules = call(server.port, "GET", f"/v1/experiments/{EXPERIMENT}/export?what=rules")[1]
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", f"/v1/experiments/{EXPERIMENT}/export?what=log")
    log = [json.loads(line) for line in connection.getresponse().read().splitlines()]
    days = [row for event in log if event["event"] == "day" for row in event["rows"]]
    served = added((names[row["pair"][0]], names[row["pair"][1]], row["impressions"]) for row in days)
    server.stop()

    programs = folder / "programs"
    programs.mkdir()
    (programs / "click-logs").symlink_to(pathlib.Path(given.click_logs).resolve())
    run("sh", str(exported / "credit.sh"), env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
    with open(exported / "credited" / "outcomes.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    credited = added_rows(rows)

    table = Table("numbers", "pairs", "impressions that count")
    total = lambda rows: f"{sum(map(sum, rows.values())):,}"
    table.add(len(simulated) == 6 and sum(map(sum, simulated.values())) > 0.5 * given.impressions, "simulated", len(simulated), total(simulated))
    table.add(served == simulated, "served", len(served), total(served))
    table.add(credited == simulated, "click-logs, from the export", len(credited), total(credited))
    if given.spark is None:
        table.add(True, "Spark", "left out", "no --spark PYTHON")
    else:
        flags = spark_flags(rules["flags"])
        # Its workers are this Python too.
        told = run(given.spark, "-c", SPARK, str(exported), json.dumps(flags), env={**os.environ, "PYSPARK_PYTHON": given.spark})
        found = json.loads(told.strip().splitlines()[-1])
        spark = added_rows(found)
        table.add(spark == simulated, "Spark, from the export", len(spark), total(spark))
    for pair, numbers in sorted(simulated.items()):
        table.add(True, " against ".join(pair), "wins, losses, ties", ", ".join(f"{count:,}" for count in numbers))
    table.end()


def spark_flags(flags: list[str]) -> dict[str, Any]:
    """The flags of `click-logs credit` as arguments of `rankduel.spark.credit`."""
    found: dict[str, Any] = {}
    for word in flags:
        flag, _, value = word.removeprefix("--").partition("=")
        name = flag.replace("-", "_")
        if name == "final":
            found[name] = True
        elif name == "rankers":
            [found[name]] = csv.reader([value])
        else:
            found[name] = int(value) if name == "unit_days" else value
    return found


if __name__ == "__main__":
    main()
