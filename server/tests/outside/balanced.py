"""Two servers with one store in PostgreSQL behind the real nginx, as server/examples/two-nodes has it: one is killed, then the other, then one is asked to end.

    python3 server/tests/outside/balanced.py PROGRAM [--clients N]

Clients send a request again, with its key, until it counts. What they see meanwhile is counted: a request that was under way to the server that ended may fail
(502), one for each client; after that, pages get a list at once, and clicks wait for a leader (503). Exits with 77 where nginx or PostgreSQL is not installed.
"""

from __future__ import annotations

import argparse
import collections
import http.client
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Optional

sys.dont_write_bytecode = True

from common import LISTS, SETTINGS, SKIPPED, Table, call, click, free_port, nginx_config
from database import Database, programs

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "two-nodes" / "nginx.conf"


class Node:
    """A server."""

    def __init__(self, program: str, store: str, folder: pathlib.Path, name: str) -> None:
        self.port, self.log = free_port(), folder / f"{name}.log"
        # A busy machine may take longer than a page waits by default: here, only a missing leader leads to the champion's list.
        self.command = [program, "serve", "--store", store, "--listen", f"127.0.0.1:{self.port}", "--trusted-proxy", "127.0.0.1",
                        "--decision-timeout", "5s"]
        self.process: Optional[subprocess.Popen[bytes]] = None

    def start(self) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        self.until(lambda: self.get("/ready", {})[0] == 200)

    def get(self, path: str, key: dict[str, str]) -> tuple[int, Any]:
        try:
            return call(self.port, "GET", path, headers=key, timeout=2)
        except OSError:
            return 0, None

    def role(self, key: dict[str, str]) -> str:
        status, told = self.get("/v1/nodes", key)
        return told["role"] if status == 200 else ""

    def until(self, holds: Any) -> None:
        end = time.monotonic() + 30
        while not holds():
            if time.monotonic() > end:
                raise SystemExit(self.log.read_text(errors="replace")[-2_000:])
            time.sleep(0.05)

    def end(self, how: int) -> None:
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(30)


class Seen:
    """The observations of clients, and the longest time without a page that counted."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.counts: collections.Counter[str] = collections.Counter()
        self.last, self.longest = time.monotonic(), 0.0
        self.impressions: dict[str, set[str]] = collections.defaultdict(set)

    def count(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1

    def page(self, key: str, id: str) -> None:
        with self.lock:
            self.impressions[key].add(id)
            self.longest = max(self.longest, time.monotonic() - self.last)
            self.last = time.monotonic()

    def take(self) -> tuple[collections.Counter[str], float]:
        with self.lock:
            found = self.counts, self.longest
            self.counts, self.last, self.longest = collections.Counter(), time.monotonic(), 0.0
            return found


def client(port: int, place: int, key: dict[str, str], seen: Seen, over: threading.Event) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def ask(what: str, path: str, body: Any) -> tuple[int, Any]:
        try:
            status, told = call(0, "POST", path, body, key, connection=connection)
        except OSError:
            connection.close()
            status, told = 0, None
        if status != 200:
            seen.count(f"{what} {status}")
        return status, told

    n = 0
    while not over.is_set():
        n += 1
        name = f"k{place}-{n}"
        body = {"unit": f"u{place}-{n}", "key": name, "lists": LISTS}
        while not over.is_set():
            status, told = ask("page", "/v1/experiments/e/impressions", body)
            if status == 200 and told["credited"]:
                seen.page(name, told["id"])
                break
            if status == 200:
                seen.count("champion")
            time.sleep(0.05)
        while not over.is_set() and ask("click", "/v1/events", click(told["id"], told["shown"][0]))[0] != 200:
            time.sleep(0.05)
        seen.count("done")


def nginx_in_front(nginx: str, folder: pathlib.Path, nodes: list[Node]) -> tuple[subprocess.Popen[bytes], int]:
    """The configuration of the example, with other addresses."""
    port = free_port()
    text = EXAMPLE.read_text()
    for name, address in [("one:7077", nodes[0].port), ("two:7077", nodes[1].port), ("listen 7077", port)]:
        assert text.count(name) == 1, name
        text = text.replace(name, f"{'listen ' if name.startswith('listen') else ''}127.0.0.1:{address}")
    (folder / "two-nodes.conf").write_text(text)
    (folder / "nginx.conf").write_text(nginx_config(folder, f"include {folder}/two-nodes.conf;"))
    process = subprocess.Popen([nginx, "-e", str(folder / "nginx.log"), "-c", str(folder / "nginx.conf")])
    for _ in range(200):
        try:
            if call(port, "GET", "/health", timeout=1)[0] == 200:
                return process, port
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit("nginx does not answer")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--clients", type=int, default=8)
    given = parser.parse_args()
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None or programs() is None:
        print("skipped: nginx or PostgreSQL is not installed")
        sys.exit(SKIPPED)
    program = str(pathlib.Path(given.program).resolve())
    table = Table("what", "expected", "found")
    running: list[subprocess.Popen[bytes]] = []
    with Database() as database, tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        database.make("rankduel")
        made = subprocess.run([program, "keys", "add", "admin", "--create", "--store", database.url()], capture_output=True, text=True, check=True)
        key = {"Authorization": f"Bearer {made.stdout.strip()}"}
        nodes = [Node(program, database.url(), folder, name) for name in ("one", "two")]
        try:
            for node in nodes:
                node.start()
            front, port = nginx_in_front(nginx, folder, nodes)
            running.append(front)
            rehearse(port, nodes, key, given.clients, table)
        finally:
            # One that is killed leaves its workers behind.
            running += [node.process for node in nodes if node.process is not None]
            for process in running:
                process.terminate()
            for process in running:
                process.wait(30)
    table.end()


def rehearse(port: int, nodes: list[Node], key: dict[str, str], clients: int, table: Table) -> None:
    # Either may answer: until the other one has heard of it, it is asked again.
    assert call(port, "POST", "/v1/experiments", {"name": "e", **SETTINGS}, key)[0] == 201
    nodes[0].until(lambda: all(node.get("/v1/experiments/e", key)[0] == 200 for node in nodes))
    seen, over = Seen(), threading.Event()
    threads = [threading.Thread(target=client, args=(port, place, key, seen, over), daemon=True) for place in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    counts, _ = seen.take()
    table.add(set(counts) == {"done"}, "both are there: what clients see", "all is done", dict(counts))
    for what, role, how, most in (
        ("the one that follows is killed", "follows", signal.SIGKILL, 2.0),
        ("the one that leads is killed", "leads", signal.SIGKILL, 15.0),
        ("the one that leads is asked to end", "leads", signal.SIGTERM, 1.0),
    ):
        nodes[0].until(lambda: sorted(node.role(key) for node in nodes) == ["follows", "leads"])
        node = next(node for node in nodes if node.role(key) == role)
        seen.take()
        node.end(how)
        other = next(other for other in nodes if other is not node)
        other.until(lambda: other.role(key) == "leads")
        time.sleep(3)
        counts, longest = seen.take()
        broken = counts["page 502"] + counts["click 502"]
        table.add(broken <= clients, f"{what}: requests that were under way to it", f"at most {clients}", broken)
        # Without a leader, clicks are to be sent again.
        allowed = {"done", "page 502", "click 502", *(("champion", "click 503") if role == "leads" else ())}
        table.add(set(counts) <= allowed, f"{what}: what else clients see", "nothing else", dict(counts))
        table.add(longest < most, f"{what}: the longest time without a page that counts", f"under {most:g} s", f"{longest:.2f} s")
        node.start()
    over.set()
    for thread in threads:
        thread.join(20)
    several = [name for name, ids in seen.impressions.items() if len(ids) != 1]
    table.add(not several, f"of {len(seen.impressions)} keys, those with more than one impression", 0, len(several))


if __name__ == "__main__":
    main()
