"""Rehearses the loss of a machine: what an outage takes, and what is lost.

    python3 server/tests/outside/standby.py PROGRAM [--seconds S] [--every S]

Workers ask for pages. Meanwhile the store is copied, in two ways: by `backup` every few seconds, and as programs do that copy continuously
(Litestream): one process holds a read transaction nearly all the time, and takes the checkpoints away from the server. Then
the server is killed and its folder removed. The last copy is put in place, and a server started. Printed are the seconds until it is
ready, and how many acknowledged impressions it does not have.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable

sys.dont_write_bytecode = True

from common import LISTS, SETTINGS, Server, Table, call, click, events

WORKERS = 4
ASKED = 3


class Traffic:
    """Workers that ask, and what they were given: the id, the first document, how long it took, and when that was."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.given: list[tuple[str, str, float, float]] = []
        self.late = 0
        self.over = threading.Event()
        self.workers = [threading.Thread(target=self.work, args=(place,)) for place in range(WORKERS)]
        for worker in self.workers:
            worker.start()

    def work(self, place: int) -> None:
        n = 0
        while not self.over.is_set():
            n += 1
            body = {"unit": f"u{place}-{n}", "query": f"q{n}", "lists": LISTS}
            began = time.monotonic()
            try:
                status, page = call(self.server.port, "POST", "/v1/experiments/e/impressions", body, timeout=30.0)
            except OSError:
                continue
            if status == 200 and page.get("credited"):
                now = time.monotonic()
                self.given.append((page["id"], page["shown"][0], now - began, now))
            self.late += status == 200 and page.get("why") == "late"
            time.sleep(0.005)

    def end(self) -> None:
        self.over.set()
        for worker in self.workers:
            worker.join(60)


def number(id: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(id + "=" * (-len(id) % 4))[5:11], "big")


def by_backup(server: Server, copy: pathlib.Path, over: threading.Event, every: float, begun: list[float]) -> None:
    """A complete copy every few seconds; notes when each began that was completed."""
    while not over.wait(every):
        began = time.monotonic()
        fresh = copy.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        if server.command("backup", str(fresh)).returncode == 0:
            fresh.replace(copy)
            begun.append(began)


def continuously(server: Server, copy: pathlib.Path, over: threading.Event, every: float, begun: list[float]) -> None:
    """A read transaction that is hardly ever ended, copies within it, and checkpoints of its own."""
    with contextlib.closing(sqlite3.connect(server.store, timeout=5, isolation_level=None)) as file:
        while not over.is_set():
            file.execute("BEGIN")
            file.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            is_over = over.wait(every)
            file.execute("ROLLBACK")
            if is_over:
                # The machine is gone.
                return
            fresh = copy.with_suffix(".new")
            fresh.unlink(missing_ok=True)
            began = time.monotonic()
            file.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
            file.execute("BEGIN")
            file.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            with contextlib.closing(sqlite3.connect(fresh)) as target:
                file.backup(target)
            fresh.replace(copy)
            begun.append(began)
            file.execute("ROLLBACK")


def rehearsed(program: str, folder: pathlib.Path, name: str, copying: Callable[..., None], every: float, seconds: float, table: Table) -> None:
    (folder / "machine").mkdir()
    server = Server(program, folder / "machine", "--decision-timeout", "2s")
    server.start()
    call(server.port, "POST", "/v1/experiments", {"name": "e", **SETTINGS, "window": "10m"})
    copy = folder / "copy.db"
    over = threading.Event()
    begun: list[float] = []
    copier = threading.Thread(target=copying, args=(server, copy, over, every, begun))
    copier.start()
    traffic = Traffic(server)
    time.sleep(seconds)
    lost_at = time.monotonic()
    server.kill()
    over.set()
    traffic.end()
    copier.join(60)
    shutil.rmtree(folder / "machine")

    (folder / "other").mkdir()
    standby = Server(program, folder / "other", "--accept-loss")
    shutil.copy(copy, standby.store)
    standby.start()
    outage = time.monotonic() - lost_at
    asked = sum(kind == ASKED for _, _, kind, _ in events(standby.store))
    lost = [one for one in traffic.given if number(one[0]) > asked]
    slowest = max(took for _, _, took, _ in traffic.given)
    # A server that waited for who copies would have late pages.
    table.add(bool(traffic.given) and not traffic.late, f"{name}: pages while it is copied", f"{len(traffic.given):,}, the slowest after {1000 * slowest:.0f} ms")
    table.add(outage < 60, f"{name}: outage", f"{outage:.1f} s")
    early = [one for one in lost if one[3] < begun[-1]]
    found = f"{len(lost):,} of {len(traffic.given):,} lost in {seconds:g} s with a copy every {every:g} s, {len(early)} of them from before"
    table.add(not early, f"{name}: what was acknowledged before the last copy began is there", found)

    def fate(id: str, document: str) -> str:
        return str(call(standby.port, "POST", "/v1/events", click(id, document))[1]["results"][0]["status"])

    kept = [one for one in traffic.given if number(one[0]) <= asked]
    fates = {fate(id, document) for id, document, *_ in kept[-50:]}
    table.add(fates == {"taken"}, f"{name}: clicks on what was kept", fates)
    call(standby.port, "POST", "/v1/experiments/e/impressions", {"unit": "new", "lists": LISTS})
    fates = {fate(id, document) for id, document, *_ in lost[:50]}
    table.add(fates <= {"unknown"}, f"{name}: clicks on what was lost", fates or "nothing was")
    table.add(standby.stop() == 0, f"{name}: it ends when it is asked to", "")
    table.add(standby.command("check").returncode == 0, f"{name}: check", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--every", type=float, default=2.0)
    given = parser.parse_args()
    table = Table("what", "found")
    with tempfile.TemporaryDirectory() as temporary:
        for name, copying in (("backups", by_backup), ("continuous copies", continuously)):
            folder = pathlib.Path(temporary) / name.split()[0]
            folder.mkdir()
            rehearsed(given.program, folder, name, copying, given.every, given.seconds, table)
    table.end()


if __name__ == "__main__":
    main()
