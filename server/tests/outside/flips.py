"""Changes single bits of a store, and looks whether anybody is told something wrong.

    python3 server/tests/outside/flips.py PROGRAM N [--seed S]

A store has two experiments with users, documents and marks. A copy of it gets one bit changed, in a page of the first experiment. Where that
changes what a reader of the file finds, `check` must say so, and a server must say that the experiment is damaged, at the start or at
the first answer that needs what was changed: it never answers otherwise than before. The second experiment is served in any case.
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import random
import shutil
import sqlite3
import sys
import tempfile
from typing import Any, Optional

sys.dont_write_bytecode = True

from common import LISTS, SETTINGS, Server, Table, call, click

UNITS = 60
TABLES = ("events_1", "shown_1", "units_1", "marks_1")


def request(unit: int) -> dict[str, Any]:
    return {"unit": f"unit {unit}", "query": f"query {unit}", "key": f"key {unit}", "lists": LISTS}


def ask(server: Server, experiment: str, unit: int) -> tuple[int, Any]:
    return call(server.port, "POST", f"/v1/experiments/{experiment}/impressions", request(unit))


def pages(data: bytes, root: int, size: int) -> list[int]:
    """The pages of a tree, by the file format of SQLite; pages for long rows among them."""
    found, waiting = [], [root]
    while waiting:
        page = waiting.pop()
        found.append(page)
        begin = (page - 1) * size
        head = begin + (100 if page == 1 else 0)
        kind, cells = data[head], int.from_bytes(data[head + 3 : head + 5], "big")
        if kind in (2, 5):
            waiting.append(int.from_bytes(data[head + 8 : head + 12], "big"))
            for cell in range(cells):
                at = begin + int.from_bytes(data[head + 12 + 2 * cell : head + 14 + 2 * cell], "big")
                waiting.append(int.from_bytes(data[at : at + 4], "big"))
    return found


def content(store: pathlib.Path) -> Optional[list[Any]]:
    """All rows of the first experiment, by reading on and by looking each up; `None` if SQLite cannot read them."""
    rows: list[Any] = []
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro&immutable=1", uri=True)) as file:
            file.text_factory = bytes
            for table in TABLES:
                all_rows = file.execute(f"SELECT * FROM {table}").fetchall()
                rows.append(all_rows)
                key = "hash" if table == "units_1" else "n" if table == "events_1" else "impression"
                rows.append([file.execute(f"SELECT * FROM {table} WHERE {key} = ?", (row[0],)).fetchall() for row in all_rows])
    except (sqlite3.DatabaseError, OverflowError):
        return None
    return rows


class Whole:
    """The store before, and its answers."""

    def __init__(self, program: str, folder: pathlib.Path) -> None:
        self.server = Server(program, folder)
        self.server.start()
        for name in ("first", "second"):
            status, value = call(self.server.port, "POST", "/v1/experiments", {"name": name, **SETTINGS, "window": "1d"})
            assert status == 201, value
        self.answers = {name: [ask(self.server, name, unit)[1] for unit in range(UNITS)] for name in ("first", "second")}
        assert self.server.stop() == 0
        self.data = self.server.store.read_bytes()
        self.size = int.from_bytes(self.data[16:18], "big")
        with contextlib.closing(sqlite3.connect(self.server.store)) as file:
            roots = dict(file.execute("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"))
        # Opening it may have left files beside it.
        self.pages = [page for table in TABLES for page in pages(self.data, roots[table], self.size)]
        self.content = content(self.server.store)


def flipped(program: str, whole: Whole, folder: pathlib.Path, page: int, bit: int) -> tuple[bool, str, str]:
    """Whether all is as it must be, the change, and the findings."""
    folder.mkdir()
    server = Server(program, folder)
    data = bytearray(whole.data)
    at = (page - 1) * whole.size + bit // 8
    data[at] ^= 1 << (bit % 8)
    server.store.write_bytes(bytes(data))
    shutil.copy(f"{whole.server.store}.lock", f"{server.store}.lock")
    found = content(server.store)
    has_changed = found != whole.content
    what = f"page {page}, bit {bit}: " + ("nothing is other" if not has_changed else "cannot be read" if found is None else "rows are other")
    check = server.command("check")
    if has_changed and check.returncode != 1:
        return False, what, f"check: {check.returncode} {check.stdout[-100:]}"
    server.start()
    try:
        for unit in range(UNITS):
            status, answer = ask(server, "second", unit)
            if (status, answer) != (200, whole.answers["second"][unit]):
                return False, what, f"the other experiment: {status} {answer}"
        told = "no answer differs"
        for unit in range(UNITS):
            before = whole.answers["first"][unit]
            status, answer = ask(server, "first", unit)
            if status == 200 and answer == before:
                # Each document that was shown is one that can be clicked.
                events = call(server.port, "POST", "/v1/events", [click(before["id"], shown) for shown in before["shown"]])
                fates = [one["status"] for one in events[1]["results"]] if events[0] == 200 else [events[0]]
                if fates == ["taken"] * len(before["shown"]):
                    continue
                answer = fates
            state = call(server.port, "GET", "/v1/experiments/first")[1].get("state")
            if state != "damaged":
                return False, what, f"unit {unit}, in the state {state}: {status} {answer}"
            told = "damaged, at the start" if unit == 0 else "damaged, at the first read"
            break
        status, answer = ask(server, "second", UNITS)
        if status != 200 or not answer["credited"]:
            return False, what, f"a new user of the other experiment: {status} {answer}"
        return True, what, told
    finally:
        server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("flips", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    table = Table("change", "found")
    chosen = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "whole").mkdir()
        whole = Whole(given.program, folder / "whole")
        for n in range(given.flips):
            page, bit = chosen.choice(whole.pages), chosen.randrange(whole.size * 8)
            table.add(*flipped(given.program, whole, folder / str(n), page, bit))
            shutil.rmtree(folder / str(n))
    others = sum("nothing is other" not in row[1] for row in table.rows)
    table.add(others > given.flips // 4, "changes of content among these", others)
    table.end()


if __name__ == "__main__":
    main()
