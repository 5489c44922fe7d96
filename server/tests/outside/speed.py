"""The speed of a store in PostgreSQL beside one in a file, and the cost of asking the server that does not lead.

    python3 server/tests/outside/speed.py PROGRAM [--impressions N] [--workers W] [--rounds R]

A closed loop of simulated users (`drive`), in turn against a file, the server that leads and the one that follows, R times; medians. Database, servers and users
share this machine. Exits with 77 where PostgreSQL is not installed. It measures, and fails at nothing.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from common import call, free_port
from database import Database, programs


def serve(program: str, store: str, log: pathlib.Path, *more: str) -> tuple[subprocess.Popen[bytes], str]:
    port = free_port()
    command = [program, "serve", "--create", "--no-keys", "--store", store, "--listen", f"127.0.0.1:{port}", "--log-level", "warn", *more]
    process = subprocess.Popen(command, stdout=open(log, "ab"), stderr=subprocess.STDOUT)
    for _ in range(300):
        try:
            if call(port, "GET", "/ready", timeout=1)[0] == 200:
                return process, f"http://127.0.0.1:{port}"
        except OSError:
            pass
        time.sleep(0.1)
    raise SystemExit(log.read_text())


def ended(running: list[subprocess.Popen[bytes]]) -> None:
    """End them all."""
    for process in running:
        process.terminate()
    for process in running:
        process.wait(20)


def drive(program: str, url: str, name: str, impressions: int, workers: int) -> tuple[float, float, float]:
    """Impressions a second, and the p50 and p99 of a request for one, in ms."""
    run = [program, "drive", "--url", url, "--experiment", name, "--create", "rucb", "--rankers", "6", "--impressions", str(impressions)]
    told = subprocess.run([*run, "--workers", str(workers), "--seed", "7", "--quiet"], capture_output=True, text=True)
    if told.returncode:
        raise SystemExit(told.stderr)
    rate = re.search(r"\((\d[\d,]*) per second\)", told.stdout)
    times = re.search(r"impressions: p50 ([\d.]+) ms, p99 ([\d.]+) ms", told.stdout)
    assert rate and times, told.stdout
    return float(rate[1].replace(",", "")), float(times[1]), float(times[2])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--impressions", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if programs() is None:
        print("skipped: PostgreSQL is not installed")
        sys.exit(77)
    program = str(pathlib.Path(given.program).resolve())
    with Database() as database, tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        database.make("rankduel")
        places: dict[str, str] = {}
        running: list[subprocess.Popen[bytes]] = []
        try:
            for place, store in (("file", str(folder / "store.db")), ("leader", database.url()), ("follower", database.url())):
                process, places[place] = serve(program, store, folder / f"{place}.log")
                running.append(process)
            measure(program, places, given)
        finally:
            ended(running)


def measure(program: str, places: dict[str, str], given: argparse.Namespace) -> None:
    found: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    for round in range(given.rounds):
        for place, url in places.items():
            for workers in (1, given.workers):
                count = given.impressions if workers > 1 else max(500, given.impressions // 10)
                one = drive(program, url, f"{place}-{workers}-{round}", count, workers)
                found.setdefault((place, workers), []).append(one)
    print("store     workers  per second  p50 ms  p99 ms")
    for (place, workers), times in found.items():
        rate, half, most = (statistics.median(column) for column in zip(*times))
        print(f"{place:9} {workers:7}  {rate:10,.0f}  {half:6.2f}  {most:6.2f}")


if __name__ == "__main__":
    main()
