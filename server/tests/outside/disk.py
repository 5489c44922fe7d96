"""A server on a disk that holds, fails or is full, and with a clock that jumps: nothing that was acknowledged is lost, and nothing
closes early.

    python3 server/tests/outside/disk.py PROGRAM [--seconds S]

A preloaded library (faults.c, compiled with `cc`) is the disk and the clock. Without a C compiler, or where the program cannot preload,
it says so and exits with 77.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any, Optional

sys.dont_write_bytecode = True

import common
from common import LISTS, SETTINGS, SKIPPED, Server, Table, call, click
from kills import ASKED, CLICKED, CLOSED, number

DAY = 86_400
# Shorter than the window of the experiment.
MINUTES = 590


class Faults:
    """The faults that are on, as files in a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        folder.mkdir()

    @contextlib.contextmanager
    def on(self, name: str) -> Iterator[None]:
        (self.folder / name).touch()
        try:
            yield
        finally:
            (self.folder / name).unlink()

    def shift(self, seconds: int) -> None:
        """Set the wall clock ahead, or back."""
        aside = self.folder / "shift.new"
        aside.write_text(str(seconds))
        aside.rename(self.folder / "shift")


def library(folder: pathlib.Path) -> pathlib.Path:
    """The library, or the end of the process where there can be none."""
    built = folder / "faults.so"
    source = pathlib.Path(__file__).with_name("faults.c")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        print("no C compiler, or not Linux: faults of the disk and the clock are skipped")
        sys.exit(SKIPPED)
    subprocess.run([compiler, "-O1", "-Wall", "-shared", "-fPIC", "-o", str(built), str(source), "-ldl"], check=True)
    return built


def impression(port: int, key: str, timeout: float = 10.0) -> tuple[int, Any]:
    body = {"unit": f"unit {key}", "query": "q", "key": key, "lists": LISTS}
    return call(port, "POST", "/v1/experiments/e/impressions", body, timeout=timeout)


def events(server: Server, kind: int) -> list[int]:
    """The impressions of all events of a kind, read by SQLite alone."""
    return [impression or 0 for _, _, found, impression in common.events(server.store) if found == kind]


def held(server: Server, faults: Faults, table: Table) -> None:
    """While a flush is held, no byte of an answer leaves."""
    answers: list[tuple[int, Any]] = []
    asking = threading.Thread(target=lambda: answers.append(impression(server.port, "held", 30.0)))
    with faults.on("hold"):
        asking.start()
        time.sleep(1.0)
        waits = asking.is_alive() and not answers
    table.add(waits, "flush held", "no answer within a second", len(answers))
    asking.join(30)
    table.add(bool(answers) and answers[0][0] == 200, "flush held", "answered once it is on the disk", [status for status, _ in answers])


class Traffic:
    """Workers that ask and click, each request once, and note what was acknowledged."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.given: list[str] = []
        self.clicked: list[str] = []
        self.statuses: dict[int, int] = {}
        self.workers = [threading.Thread(target=self.work, args=(place,)) for place in range(4)]

    def work(self, place: int) -> None:
        n = 0
        while not self.over.is_set():
            n += 1
            try:
                status, page = impression(self.server.port, f"{self.name}-{place}-{n}")
                taken = None
                if status == 200 and "id" in page:
                    taken = call(self.server.port, "POST", "/v1/events", click(page["id"], page["shown"][0]))
            except OSError:
                status, page, taken = 0, None, None
            with self.lock:
                self.statuses[status] = self.statuses.get(status, 0) + 1
                if status == 200 and "id" in page:
                    self.given.append(page["id"])
                    if taken is not None and taken[0] == 200 and taken[1]["taken"] == 1:
                        self.clicked.append(page["id"])
            time.sleep(0.002)

    def during(self, faults: Faults, fault: str, seconds: float) -> None:
        """Run while the fault comes and goes."""
        for worker in self.workers:
            worker.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.2)
            with faults.on(fault):
                time.sleep(0.15)
        time.sleep(0.3)
        self.over.set()
        for worker in self.workers:
            worker.join(60)


def broken(server: Server, faults: Faults, table: Table, fault: str, seconds: float) -> None:
    """Acknowledged requests are in the file, and the server goes on by itself."""
    what = {"fail": "flush fails", "full": "disk full"}[fault]
    with faults.on(fault):
        status, _ = impression(server.port, f"{fault}-alone")
        table.add(status == 503, what, "a request is answered with 503", status)
        status, _ = call(server.port, "GET", "/ready")
        table.add(status == 503, what, "the server is not ready", status)
    server.wait_until_ready()
    status, _ = impression(server.port, f"{fault}-alone")
    table.add(status == 200, what, "the same request again is answered", status)
    traffic = Traffic(server, fault)
    traffic.during(faults, fault, seconds)
    server.wait_until_ready()
    asked = len(events(server, ASKED))
    lost = [id for id in traffic.given if not 1 <= number(id) <= asked]
    twice = len(traffic.given) - len(set(traffic.given))
    table.add(len(traffic.given) > 20 and not lost and not twice, what, "acknowledged impressions are in the file", f"{len(traffic.given)} of {asked}, {len(lost)} lost, {twice} twice")
    clicks = set(events(server, CLICKED))
    lost = [id for id in traffic.clicked if number(id) not in clicks]
    table.add(len(traffic.clicked) > 20 and not lost, what, "acknowledged clicks are in the file", f"{len(traffic.clicked)}, {len(lost)} lost")
    others = {status: times for status, times in traffic.statuses.items() if status not in (200, 503)}
    table.add(traffic.statuses.get(503, 0) > 0 and not others, what, "every answer is 200 or 503", traffic.statuses)
    check = server.command("check")
    table.add(check.returncode == 0, what, "check", (check.stdout or check.stderr).strip().splitlines()[-1])


def jumps(server: Server, faults: Faults, table: Table) -> None:
    """A wall clock that jumps closes nothing early; one that is a day away at a start is asked about."""
    status, page = impression(server.port, "clock")
    open_one = number(page["id"]) if status == 200 else 0
    for shift in (DAY, -DAY, 0):
        faults.shift(shift)
        time.sleep(2.5)
        closed = open_one in events(server, CLOSED)
        table.add(not closed, "clock", f"{shift:+,} s while the server runs: the impression stays open", "closed" if closed else "open")
    server.stop()
    faults.shift(MINUTES)
    server.start()
    time.sleep(2.5)
    closed = open_one in events(server, CLOSED)
    table.add(not closed, "clock", f"{MINUTES:+,} s at a start, where the window has 600 s: it is longer by that", "closed" if closed else "open")
    status, answer = call(server.port, "POST", "/v1/events", click(page["id"], page["shown"][0]))
    table.add(status == 200 and answer["taken"] == 1, "clock", "a click is taken", answer)
    server.stop()
    for shift in (4 * DAY, -4 * DAY):
        faults.shift(shift)
        refused = server.refused()
        table.add(refused.returncode == 1 and "--accept-time" in refused.stderr, "clock", f"{shift:+,} s at a start: asked about", refused.stderr.strip()[-160:])
    faults.shift(MINUTES)
    server.start()
    status, _ = impression(server.port, "after")
    table.add(status == 200, "clock", "a clock that is right again is not", status)


def main(arguments: Optional[list[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each fault of the disk comes and goes")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        faults = Faults(folder / "faults")
        # Only the server: what reads its file meanwhile has a disk that works.
        os.environ["FAULTS"] = str(faults.folder)
        server = Preloaded(given.program, folder, library(folder))
        table = Table("fault", "what must hold", "found")
        server.start()
        created = call(server.port, "POST", "/v1/experiments", {**SETTINGS, "name": "e", "window": "10m", "policy": "rucb"})
        table.add(created[0] == 201, "none", "the experiment is created", created[0])
        held(server, faults, table)
        for fault in ("fail", "full"):
            broken(server, faults, table, fault, given.seconds)
        jumps(server, faults, table)
        server.stop()
        replays = [server.command("replay") for _ in range(2)]
        same = replays[0].stdout == replays[1].stdout
        table.add(same and replays[0].returncode == 0, "none", "replay, twice the same", replays[0].stdout.strip().splitlines()[-1:])
        table.end()


class Preloaded(Server):
    """A server that preloads the faults. It waits long before it answers without the store."""

    def __init__(self, program: str, folder: pathlib.Path, preload: pathlib.Path) -> None:
        super().__init__(program, folder, "--decision-timeout", "20s")
        self.preload = str(preload)

    def start(self, wait: bool = True) -> None:
        with self.preloading():
            super().start(wait)

    def refused(self) -> subprocess.CompletedProcess[str]:
        """Start it where it should end at once."""
        command = [self.program, "serve", "--store", str(self.store), "--listen", f"127.0.0.1:{self.port}"]
        try:
            with self.preloading():
                return subprocess.run(command, capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 0, "", "it serves")

    @contextlib.contextmanager
    def preloading(self) -> Iterator[None]:
        os.environ["LD_PRELOAD"] = self.preload
        try:
            yield
        finally:
            del os.environ["LD_PRELOAD"]


if __name__ == "__main__":
    main()
