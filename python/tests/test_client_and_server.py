"""The client and the program that RANKDUEL_SERVER names, with a network between them that loses answers; its file is counted."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankduel.client import Client, Problem, click

PROGRAM = os.environ.get("RANKDUEL_SERVER")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no RANKDUEL_SERVER")
ASKED, LISTED, CLICKED, CLOSED, CHANGED = 3, 4, 5, 8, 10


class Network:
    """Passes bytes on between a client and a server, and breaks connections at points that are drawn."""

    def __init__(self, target: int, seed: int) -> None:
        self.target, self.random = target, random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.broken: Counter[str] = Counter()
        self.is_bad = True
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client, socket.create_connection(("127.0.0.1", self.target)) as server:
            while request := message(client):
                where = self.random.choice(["before", "after", "middle"]) if self.is_bad and self.random.random() < 0.3 else ""
                self.broken[where] += 1
                if where == "before":
                    return
                server.sendall(request)
                answer = message(server)
                if where == "middle":
                    answer = answer[: self.random.randrange(1, len(answer))]
                client.sendall(b"" if where == "after" else answer)
                if where:
                    return


def message(side: socket.socket) -> bytes:
    """A whole request or answer; nothing at the end of the connection."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
        if end and len(body) >= (int(length[1]) if length else 0):
            return data
        piece = side.recv(1 << 16)
        if not piece:
            return b""
        data += piece


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    assert PROGRAM is not None
    command = [PROGRAM, "serve", "--create", "--no-keys", "--store", str(tmp_path / "s.db"), "--listen", f"127.0.0.1:{port}", "--log-level", "warn"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline().startswith("serving")
        made = Network(port, 1)
        yield made
        made.listener.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_nothing_is_lost_or_recorded_twice(network: Network, tmp_path: Path) -> None:
    lists = {name: [f"{name}{n}" for n in range(12)] for name in ("a", "b", "c")}
    workers, pages = 4, 25
    fates: Counter[str] = Counter()
    errors: list[BaseException] = []
    with Client(f"http://127.0.0.1:{network.port}", timeout=5.0, within=60.0) as client:
        created = client.create("search", ["a", "b", "c"], policy="rucb", depth=12, shown=5)
        assert created["settings"]["policy"].startswith("rucb:")
        client.create("answers", ["a", "b"], ask="duels")
        assert client.pause("search", "a moment") == "paused" and client.resume("search") == "running"

        def work(worker: int) -> None:
            try:
                for n in range(pages):
                    unit, query = f"u{worker}-{n}", f"q{n}"
                    if n % 2:
                        page = client.impression("search", lists, unit=unit, query=query)
                    else:
                        page = client.choose("search", unit=unit, query=query).lists(lists)
                    assert page.id is not None and len(page.shown) == 5
                    shown = page.shown[:2]
                    assert len(page.next_page()) in (5, 7)
                    fates.update(fate.status for fate in client.events(click(page.id, document) for document in shown))
                    page.displayed(page.shown)
                    page.close()
                    client.duel("answers", unit=unit).judge("first")
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors, errors
        assert client.end("search") == "ended"
        network.is_bad = False
        status = client.status("search")
    assert min(network.broken[where] for where in ("before", "after", "middle")) > 20, network.broken
    total = workers * pages
    assert set(fates) == {"taken", "duplicate"} and sum(fates.values()) == 2 * total
    assert status["impressions"]["asked"] == total and status["impressions"]["missing"] == 0
    file = sqlite3.connect(f"file:{tmp_path / 's.db'}?mode=ro", uri=True)
    kinds = {experiment: Counter[int]() for experiment in (1, 2)}
    for experiment, found in kinds.items():
        found.update(dict(file.execute(f"SELECT kind, count(*) FROM events_{experiment} GROUP BY kind")))
    file.close()
    assert kinds[1][ASKED] == kinds[1][CLOSED] == total and kinds[1][CLICKED] == 2 * total
    assert kinds[1][LISTED] == workers * len(range(0, pages, 2))
    assert kinds[1][CHANGED] == 3, "paused, resumed, ended"
    assert kinds[2][ASKED] == kinds[2][CLOSED] == total


def test_a_refusal_has_the_fields_of_the_server(network: Network) -> None:
    network.is_bad = False
    with Client(f"http://127.0.0.1:{network.port}") as client:
        client.create("search", ["a", "b"])
        with pytest.raises(Problem) as caught:
            client.impression("search", {"a": ["x", "x"], "b": []}, unit="u")
        problem = caught.value
        assert (problem.status, problem.path) == (422, "lists.a[1]") and problem.found is not None and problem.do is not None
        # Nothing is there twice.
        assert str(problem).count(problem.found) == 1 and str(problem).count(problem.do) == 1
