"""Deletes users, and tries to prove with all secrets of the store who asked what.

    python3 server/tests/outside/forget.py PROGRAM N

The hashes of the server are written down here a second time. With every value that the store keeps as a secret they are computed for
each deleted user, query, key and request, and looked for in every file of the folder. Before the deletion, they are found.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import hmac
import json
import pathlib
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

sys.dont_write_bytecode = True

from common import LISTS, SETTINGS, Server, Table, call


def request(unit: str) -> dict[str, Any]:
    return {"key": f"key of {unit}", "lists": LISTS, "query": f"query of {unit}", "unit": unit}


def hashes(secret: bytes, unit: str) -> Iterator[tuple[str, bytes]]:
    """All hashes of a user's request, as the server cuts them."""
    body = json.dumps(request(unit), separators=(",", ":"), sort_keys=True)
    forms = {
        b"u": [unit],
        b"q": [unit, f"query of {unit}"],
        b"k": [f"key of {unit}"],
        b"r": ["impression", body],
    }
    for kind, parts in forms.items():
        data = kind + (1).to_bytes(4, "big")
        for part in parts:
            data += len(part.encode()).to_bytes(8, "big") + part.encode()
        yield kind.decode(), hmac.new(secret, data, hashlib.sha256).digest()[:8]


def secrets(store: pathlib.Path) -> list[bytes]:
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as file:
        values = [row[0] for row in file.execute("SELECT value FROM meta")]
    return [value[:32] for value in values if len(value) >= 32]


def found(folder: pathlib.Path, store: pathlib.Path, units: list[str]) -> dict[str, int]:
    """The number of these users with a hash of each kind in the store."""
    data = b"\0".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix != ".log")
    counts = {"u": 0, "q": 0, "k": 0, "r": 0}
    for unit in units:
        for secret in secrets(store):
            for kind, digest in hashes(secret, unit):
                # In the order of bytes of SQLite, of postcard, and as text.
                counts[kind] += any(form in data for form in (digest, digest[::-1], digest.hex().encode()))
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("deletions", type=int)
    given = parser.parse_args()
    table = Table("what", "expected", "found")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        server = Server(given.program, folder)
        server.start()
        status, value = call(server.port, "POST", "/v1/experiments", {"name": "e", **SETTINGS, "window": "1h"})
        table.add(status == 201, "an experiment", 201, status)
        units = [f"user {n}" for n in range(2 * given.deletions)]
        for unit in units:
            status, value = call(server.port, "POST", "/v1/experiments/e/impressions", request(unit))
            assert status == 200 and value["credited"], value
        gone, others = units[::2], units[1::2]
        counts = found(folder, server.store, gone)
        table.add(all(count == len(gone) for count in counts.values()), "before: hashes of users, queries, keys, requests", len(gone), counts)
        erased = [call(server.port, "POST", "/v1/units/delete", {"unit": unit})[1] for unit in gone]
        table.add(all(one == {"deleted": True, "impressions": 1, "erased": True} for one in erased), "deletions", len(gone), len(erased))
        counts = found(folder, server.store, gone)
        table.add(not any(counts.values()), "after, while it runs", 0, counts)
        counts = found(folder, server.store, others)
        table.add(all(count == len(others) for count in counts.values()), "of the others", len(others), counts)
        again = [call(server.port, "POST", "/v1/experiments/e/impressions", request(unit)) for unit in gone[:10]]
        table.add(all(status == 200 and value["credited"] for status, value in again), "who was deleted and searches again gets a list", 10, len(again))
        for unit in gone[:10]:
            call(server.port, "POST", "/v1/units/delete", {"unit": unit})
        table.add(server.stop() == 0, "the server ends", 0, 0)
        counts = found(folder, server.store, gone)
        table.add(not any(counts.values()), "after, when it has ended", 0, counts)
        done = server.command("audit")
        rows = [line for line in done.stdout.splitlines() if "\tdeletion\t" in line]
        names = [unit for unit in units if unit in done.stdout]
        table.add(len(rows) == len(gone) + 10 and not names, "rows of the audit, without names", len(gone) + 10, len(rows))
    table.end()


if __name__ == "__main__":
    main()
