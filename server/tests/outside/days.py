"""Kills the server while days close, snapshots are written and old days are forgotten, and counts what is in its file.

    python3 server/tests/outside/days.py PROGRAM N [--seed S] [--day SECONDS]

A preloaded library (faults.c, compiled with `cc`) makes a day pass in some seconds. Workers ask for pages and click; every second kill
waits for the moment at which a snapshot is written or a day forgotten. After N kills, the file is read by SQLite alone: what was
acknowledged and is not forgotten is there, and no number was given twice. Exits with 1 if anything does not hold, and with 77 where
nothing can be preloaded.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from common import LISTS, Client, Ended, Server, Table, call, click, events
from disk import DAY, Faults, library
from kills import ASKED, CLOSED, number

EXPERIMENT = "years"
# Seconds between two steps of the clock.
STEP = 0.02


class Clock(threading.Thread):
    """Makes the wall clock go faster, for the server alone."""

    def __init__(self, faults: Faults, day: float) -> None:
        super().__init__(daemon=True)
        self.faults, self.day, self.began = faults, day, time.monotonic()

    def run(self) -> None:
        while True:
            self.faults.shift(int((time.monotonic() - self.began) * DAY / self.day))
            time.sleep(STEP)


class Worker(threading.Thread):
    """Asks for pages and clicks; a request without an answer is sent again, with the same key."""

    def __init__(self, place: int, server: Server, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.place, self.server, self.over = place, server, over
        self.client = Client(server, random.Random(place), over)
        self.acknowledged: dict[str, set[int]] = {}
        self.fates: collections.Counter[str] = collections.Counter()

    def run(self) -> None:
        with contextlib.suppress(Ended):
            self.work()
        self.fates += self.client.unanswered

    def work(self) -> None:
        n = 0
        while not self.over.is_set():
            n += 1
            key = f"{self.place}-{n}"
            body = {"unit": f"unit {self.place} {n // 3}", "query": f"q{n}", "key": key, "lists": LISTS}
            status, page, _ = self.client.until_answered("POST", f"/v1/experiments/{EXPERIMENT}/impressions", body)
            has_id = status == 200 and "id" in page
            self.fates[str(status) if status != 200 or has_id else f"champion: {page.get('why')}"] += 1
            if has_id:
                self.acknowledged.setdefault(key, set()).add(number(page["id"]))
                self.client.until_answered("POST", "/v1/events", click(page["id"], page["shown"][0]))


def upkeep(server: Server) -> bool:
    """Whether the server writes a snapshot or forgets a day now."""
    try:
        _, text = call(server.port, "GET", "/metrics", timeout=2)
    except OSError:
        return False
    lines = bytes(text).decode().splitlines()
    return any(line.startswith("rankduel_upkeep ") and float(line.split()[1]) > 0 for line in lines)


def wait_for_upkeep(server: Server, seconds: float, wanted: bool = True) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if upkeep(server) == wanted:
            return True
        time.sleep(0.002)
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--day", type=float, default=3.0, help="seconds in which a day passes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        faults = Faults(folder / "faults")
        os.environ["FAULTS"] = str(faults.folder)
        preloaded = str(library(folder))
        server = Server(options.program, folder, "--accept-time")
        os.environ["LD_PRELOAD"] = preloaded
        faults.shift(0)
        played(server, faults, options)


def played(server: Server, faults: Faults, options: argparse.Namespace) -> None:
    table, over, draws = Table("what must hold", "counted"), threading.Event(), random.Random(options.seed)
    clock = Clock(faults, options.day)
    clock.start()
    server.start()
    settings = {"name": EXPERIMENT, "rankers": list(LISTS), "policy": "rucb", "window": "2h", "retain": "2d", "seed": 3}
    status, value = call(server.port, "POST", "/v1/experiments", settings)
    if status != 201:
        raise SystemExit(f"the experiment was not created: {status} {value}")
    workers = [Worker(place, server, over) for place in range(4)]
    for worker in workers:
        worker.start()
    began, during, slowest = time.monotonic(), 0, 0.0
    # The first day is forgotten after it, two that are kept, and some.
    time.sleep(3.2 * options.day)
    for kill in range(options.kills):
        if kill % 2 == 0 and wait_for_upkeep(server, 2 * options.day):
            time.sleep(draws.uniform(0.0, 0.03))
            during += 1
        else:
            time.sleep(draws.uniform(0.05, options.day / 4))
        server.kill()
        at = time.monotonic()
        server.start()
        slowest = max(slowest, time.monotonic() - at)
    took = time.monotonic() - began
    # Interrupted work is written by then.
    time.sleep(options.day)
    over.set()
    for worker in workers:
        worker.join(30)
    table.add(wait_for_upkeep(server, 10 * options.day, wanted=False), "what is due is done", "no snapshot is being written")
    status, served = call(server.port, "GET", f"/v1/experiments/{EXPERIMENT}")
    forgotten = served["forgotten"]
    table.add(status == 200 and bool(forgotten), "days were forgotten", forgotten)
    server.kill()

    rows = [row[1:] for row in events(server.store)]
    numbers = [n for n, _, _ in rows]
    table.add(numbers == list(range(numbers[0], numbers[-1] + 1)) and numbers[0] > 1, "kept events have no gap", f"{numbers[0]:,} to {numbers[-1]:,}")
    asked = [impression for _, kind, impression in rows if kind == ASKED and impression]
    acknowledged = {key: found for worker in workers for key, found in worker.acknowledged.items()}
    # A key is known for an hour, which passes in a moment here: some have several impressions.
    keys = collections.Counter(impression for found in acknowledged.values() for impression in found)
    table.add(max(keys.values()) == 1, "a number has one key", f"{len(keys):,} numbers")
    kept, there = [impression for impression in keys if impression >= asked[0]], set(asked)
    missing = [impression for impression in kept if impression not in there]
    table.add(bool(kept) and not missing, "acknowledged and not forgotten impressions are in the file", f"{len(kept):,}, {len(missing)} missing")
    closed = collections.Counter(impression for _, kind, impression in rows if kind == CLOSED)
    table.add(max(closed.values()) == 1, "no impression is closed twice", f"{len(closed):,} closed")
    check = server.command("check")
    table.add(check.returncode == 0, "check", (check.stdout or check.stderr).strip().splitlines()[-1])
    replays = [server.command("replay") for _ in range(2)]
    same = replays[0].stdout == replays[1].stdout and replays[0].returncode == 0
    table.add(same, "replay, twice the same", (replays[0].stdout or replays[0].stderr).strip().splitlines()[-1:])
    # Few kills may all miss these moments on a busy machine.
    table.add(during > 0 or options.kills < 10, "kills", f"{options.kills} in {took:.0f} s, {during} of them during upkeep, slowest start {slowest:.2f} s")
    table.add(True, "days", f"{(time.monotonic() - clock.began) / options.day:.0f}")
    table.add(True, "answers", dict(sorted(sum((worker.fates for worker in workers), collections.Counter()).items())))
    table.end()


if __name__ == "__main__":
    main()
