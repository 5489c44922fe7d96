"""Two servers with one store in PostgreSQL, under load: killed, stopped and continued, cut off; PostgreSQL killed. What the clients were told is
counted against SQL.

    python3 server/tests/outside/nodes.py PROGRAM [--kills N] [--stops N] [--between N] [--databases N] [--cuts N] [--drains N] [--seed S]

Each server reaches PostgreSQL through a proxy of its own, which can hold, cut and delay. `--between` stops the leader exactly between its
fence and its commit: the proxy keeps the fence's answer until the process is stopped. Afterwards, by SQL alone: every acknowledged impression and click is there
once, no number twice, no gap in a log; and `check` folds the log that several leaders wrote to the same choices. Exits with 77 where PostgreSQL is not
installed, and with 1 if anything does not hold.
"""

from __future__ import annotations

import argparse
import base64
import collections
import http.client
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Optional

sys.dont_write_bytecode = True

from common import Table, call, free_port
from database import Database, programs

RANKERS = ("a", "b", "c")
ASKED, CLICKED = 3, 5
# The bytes of an id: see kills.py.
IMPRESSION_BYTES = slice(5, 11)
# The longest time without a leader, after a lease that must end, and after one that is given back.
BY_LEASE, BY_DRAIN = 15.0, 1.0


def number(id: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(id + "=" * (-len(id) % 4))[IMPRESSION_BYTES], "big")


class Proxy:
    """Passes connections on to PostgreSQL, and does to them what a network does."""

    def __init__(self, to: int) -> None:
        self.to, self.port = to, free_port()
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.lock = threading.Lock()
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        # What to do with the next transaction, once: see `fault`.
        self.mode = ""
        self.delay = 0.0
        self.refuses = False
        self.reached, self.release = threading.Event(), threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            if self.refuses:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.to), timeout=5)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.pairs.append((client, server))
            state = {"fence": False, "silent": False}
            threading.Thread(target=self.pump, args=(client, server, state, True), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, state, False), daemon=True).start()

    def pump(self, source: socket.socket, target: socket.socket, state: dict[str, bool], from_client: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                if self.delay:
                    time.sleep(self.delay)
                if from_client:
                    if b"BEGIN\0" in data:
                        state["fence"] = True
                    if b"COMMIT\0" in data and self.mode in ("before-commit", "half-commit", "after-commit"):
                        mode, self.mode = self.mode, ""
                        if mode == "half-commit":
                            target.sendall(data[: len(data) // 2])
                        if mode == "after-commit":
                            state["silent"] = True
                            target.sendall(data)
                            time.sleep(0.2)
                        self.reached.set()
                        break
                elif state["fence"]:
                    state["fence"] = False
                    if self.mode == "fence":
                        self.mode = ""
                        self.reached.set()
                        self.release.wait(30)
                elif state["silent"]:
                    continue
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def fault(self, mode: str) -> None:
        """Have the next transaction meet it."""
        self.reached.clear()
        self.release.clear()
        self.mode = mode

    def cut(self) -> None:
        """Sever all connections."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class Node:
    """The program, with its proxy."""

    def __init__(self, program: str, database: Database, folder: pathlib.Path, name: str) -> None:
        self.program, self.name = str(pathlib.Path(program).resolve()), name
        self.proxy = Proxy(database.port)
        self.url = database.url(port=self.proxy.port)
        self.port = free_port()
        self.log = folder / f"{name}.log"
        self.process: Optional[subprocess.Popen[bytes]] = None

    def start(self) -> None:
        command = [self.program, "serve", "--create", "--no-keys", "--store", self.url, "--listen", f"127.0.0.1:{self.port}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*command, "--decision-timeout", "2s"], stdout=log, stderr=log)
        self.until(lambda: self.get("/health") is not None, 30, "it does not start")

    def get(self, path: str) -> Any:
        try:
            status, value = call(self.port, "GET", path, timeout=2)
            return value if status == 200 else None
        except OSError:
            return None

    def leads(self) -> bool:
        found = self.get("/v1/nodes")
        return found is not None and found["role"] == "leads"

    def until(self, holds: Callable[[], Any], within: float, why: str) -> float:
        began = time.monotonic()
        while time.monotonic() < began + within:
            if holds():
                return time.monotonic() - began
            time.sleep(0.02)
        raise SystemExit(f"{self.name}: {why}\n" + self.log.read_text(errors="replace")[-3000:])

    def send(self, what: int) -> None:
        assert self.process is not None
        self.process.send_signal(what)


class Log:
    """The answers to the clients."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_key: dict[str, set[str]] = collections.defaultdict(set)
        self.clicks: dict[str, set[str]] = collections.defaultdict(set)
        self.sent: dict[str, set[str]] = collections.defaultdict(set)
        self.champions: collections.Counter[str] = collections.Counter()
        self.credited = 0
        self.last_credited = 0.0
        self.refused = 0
        self.wrong: list[str] = []


class Client(threading.Thread):
    """Asks any node, and the other one if that does not answer."""

    def __init__(self, place: int, nodes: list[Node], log: Log, over: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self.place, self.nodes, self.log, self.over = place, nodes, log, over
        self.random = random.Random(f"{seed}-{place}")
        self.connections: dict[int, http.client.HTTPConnection] = {}

    def ask(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """Send a request until one of the nodes answers."""
        while not self.over.is_set():
            node = self.random.choice(self.nodes)
            connection = self.connections.setdefault(node.port, http.client.HTTPConnection("127.0.0.1", node.port, timeout=4))
            try:
                status, value = call(0, method, path, body, connection=connection)
                if status < 500 and status != 429:
                    return status, value
                with self.log.lock:
                    self.log.refused += 1
            except OSError:
                connection.close()
            time.sleep(self.random.uniform(0.005, 0.03))
        return 0, None

    def run(self) -> None:
        try:
            n = 0
            while not self.over.is_set():
                n += 1
                self.page(n)
        except Exception as error:
            with self.log.lock:
                self.log.wrong.append(f"client {self.place}: {error!r}")

    def page(self, n: int) -> None:
        documents = [f"d{number}" for number in range(12)]
        lists = {ranker: self.random.sample(documents, 8) for ranker in RANKERS}
        key = f"k{self.place}-{n}"
        body = {"unit": f"u{self.place}-{n // 3}", "query": f"q{n}", "key": key, "lists": lists}
        for _ in range(2 if self.random.random() < 0.2 else 1):
            status, told = self.ask("POST", "/v1/experiments/nodes/impressions", body)
            if status == 0:
                return
            with self.log.lock:
                if status != 200:
                    self.log.wrong.append(f"impression: {status} {told}")
                    return
                if "id" not in told:
                    self.log.champions[told.get("why", "?")] += 1
                    if told["credited"] or not told["shown"]:
                        self.log.wrong.append(f"champion: {told}")
                    time.sleep(0.01)
                    return
                self.log.by_key[key].add(told["id"])
                self.log.credited += 1
                self.log.last_credited = time.monotonic()
        id = told["id"]
        for document in self.random.sample(told["shown"], self.random.randrange(0, 4)):
            with self.log.lock:
                self.log.sent[id].add(document)
            event = {"action_name": "click", "query_id": id, "event_attributes": {"object": {"object_id": document}}}
            status, told = self.ask("POST", "/v1/events", event)
            if status == 0:
                return
            fate = told["results"][0]["status"] if status == 200 else str(status)
            with self.log.lock:
                if fate in ("taken", "duplicate"):
                    self.log.clicks[id].add(document)
                elif fate != "late":
                    self.log.wrong.append(f"click: {fate} of {id}")


class Rehearsal:
    def __init__(self, program: str, database: Database, folder: pathlib.Path, seed: int) -> None:
        self.database = database
        self.nodes = [Node(program, database, folder, name) for name in ("one", "two")]
        for node in self.nodes:
            node.start()
        self.random = random.Random(seed)
        self.log, self.over = Log(), threading.Event()
        self.gaps: dict[str, list[float]] = collections.defaultdict(list)
        settings = {"name": "nodes", "rankers": list(RANKERS), "window": "60s", "seed": 1, "shown": 6}
        self.settle()
        status, told = call(self.nodes[1].port, "POST", "/v1/experiments", settings)
        assert status == 201, (status, told)
        time.sleep(1.5)
        self.clients = [Client(place, self.nodes, self.log, self.over, seed) for place in range(8)]
        for client in self.clients:
            client.start()

    def leader(self) -> Node:
        """The node that leads; waits until one does."""
        end = time.monotonic() + 40
        while time.monotonic() < end:
            found = [node for node in self.nodes if node.process is not None and node.process.poll() is None and node.leads()]
            if found:
                return found[0]
            time.sleep(0.05)
        raise SystemExit("nobody leads\n" + "\n".join(node.log.read_text(errors="replace")[-2000:] for node in self.nodes))

    def settle(self) -> tuple[Node, Node]:
        """The leader and the other node, once all is well."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            leader = self.leader()
            other = next(node for node in self.nodes if node is not leader)
            if other.process is None or other.process.poll() is not None:
                other.start()
            if (other.get("/v1/nodes") or {}).get("role") == "follows":
                return leader, other
            time.sleep(0.05)
        raise SystemExit("it is not settled who leads\n" + "\n".join(node.log.read_text(errors="replace")[-2000:] for node in self.nodes))

    def gap(self, kind: str, began: float, most: float) -> None:
        """Wait until impressions are credited again."""
        end = time.monotonic() + 60
        while self.log.last_credited <= began + 0.05:
            if time.monotonic() > end:
                state = self.database.sql("SELECT leader.epoch, leader.node, heads.n, heads.epoch, max(events.n) FROM rankduel.leader, rankduel.heads JOIN rankduel.events USING (experiment) GROUP BY 1, 2, 3, 4")
                raise SystemExit(f"{kind}: no impression is credited any more: epoch, leader, head, its epoch and last event are {state}\n" + "\n".join(node.log.read_text(errors="replace")[-2500:] for node in self.nodes))
            time.sleep(0.02)
        self.gaps[kind].append(self.log.last_credited - began)
        done = sum(map(len, self.gaps.values()))
        print(f"{done}: {kind}, {self.gaps[kind][-1]:.2f} s", flush=True)

    def kill(self) -> None:
        leader, other = self.settle()
        time.sleep(self.random.uniform(0.2, 1.0))
        began = time.monotonic()
        leader.send(signal.SIGKILL)
        leader.process.wait()
        other.until(other.leads, 25, "it does not take over")
        self.gap("kill", began, BY_LEASE)
        leader.start()

    def stop(self) -> None:
        leader, other = self.settle()
        time.sleep(self.random.uniform(0.2, 1.0))
        began = time.monotonic()
        leader.send(signal.SIGSTOP)
        other.until(other.leads, 25, "it does not take over")
        self.gap("stop", began, BY_LEASE)
        leader.send(signal.SIGCONT)
        leader.until(lambda: not leader.leads(), 10, "it still says that it leads")

    def between(self) -> None:
        leader, other = self.settle()
        leader.proxy.fault("fence")
        if not leader.proxy.reached.wait(10):
            raise SystemExit("no fence within ten seconds")
        began = time.monotonic()
        leader.send(signal.SIGSTOP)
        leader.proxy.release.set()
        other.until(other.leads, 25, "it does not take over")
        self.gap("between", began, BY_LEASE)
        leader.send(signal.SIGCONT)
        leader.until(lambda: not leader.leads(), 10, "it still says that it leads")

    def kill_database(self) -> None:
        self.settle()
        time.sleep(self.random.uniform(0.2, 1.0))
        before = sum(self.log.champions.values())
        self.database.kill()
        end = time.monotonic() + 10
        while sum(self.log.champions.values()) < before + 5 and time.monotonic() < end:
            time.sleep(0.05)
        if sum(self.log.champions.values()) < before + 5:
            self.log.wrong.append("no list of the champion while PostgreSQL was away")
        began = time.monotonic()
        self.database.start()
        self.gap("database", began, BY_LEASE)

    def cut(self, mode: str) -> None:
        leader, _ = self.settle()
        began = time.monotonic()
        if mode == "all":
            leader.proxy.cut()
        else:
            leader.proxy.fault(mode)
            if not leader.proxy.reached.wait(10):
                raise SystemExit(f"{mode}: no commit within ten seconds")
        self.gap("cut", began, BY_LEASE)

    def sever(self) -> None:
        """The leader reaches PostgreSQL no more for longer than its lease."""
        leader, other = self.settle()
        began = time.monotonic()
        leader.proxy.refuses = True
        leader.proxy.cut()
        other.until(other.leads, 25, "it does not take over")
        self.gap("severed", began, BY_LEASE)
        leader.proxy.refuses = False

    def drain(self) -> None:
        leader, other = self.settle()
        time.sleep(self.random.uniform(0.2, 1.0))
        leader.send(signal.SIGTERM)
        began = time.monotonic()
        other.until(other.leads, 25, "it does not take over")
        self.gap("drain", began, BY_DRAIN)
        leader.process.wait(20)
        leader.start()

    def end(self) -> None:
        self.settle()
        time.sleep(1)
        self.over.set()
        for client in self.clients:
            client.join(20)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    for name, usual in (("kills", 2), ("stops", 2), ("between", 2), ("databases", 2), ("cuts", 4), ("drains", 2), ("severed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if programs() is None:
        print("skipped: PostgreSQL is not installed")
        sys.exit(77)
    with Database() as database, tempfile.TemporaryDirectory() as folder:
        database.make("rankduel")
        rehearsal = Rehearsal(given.program, database, pathlib.Path(folder), given.seed)
        try:
            modes = ("all", "before-commit", "half-commit", "after-commit")
            steps: list[Callable[[], None]] = []
            steps += [rehearsal.kill] * given.kills + [rehearsal.stop] * given.stops + [rehearsal.between] * given.between
            steps += [rehearsal.kill_database] * given.databases + [rehearsal.drain] * given.drains + [rehearsal.sever] * given.severed
            steps += [lambda mode=modes[n % len(modes)]: rehearsal.cut(mode) for n in range(given.cuts)]
            rehearsal.random.shuffle(steps)
            for step in steps:
                step()
            rehearsal.end()
            report(rehearsal, given)
        finally:
            for node in rehearsal.nodes:
                if node.process is not None and node.process.poll() is None:
                    node.send(signal.SIGCONT)
                    node.process.kill()


def report(rehearsal: Rehearsal, given: argparse.Namespace) -> None:
    log, database = rehearsal.log, rehearsal.database
    leader = rehearsal.leader()
    check = subprocess.run([leader.program, "check", "--store", database.url()], capture_output=True, text=True)
    replay = subprocess.run([leader.program, "replay", "--store", database.url()], capture_output=True, text=True)
    sql = database.sql
    table = Table("what", "expected", "found")
    asked = collections.Counter(int(row[0]) for row in sql(f"SELECT impression FROM rankduel.events WHERE kind = {ASKED}"))
    clicked = collections.Counter(int(row[0]) for row in sql(f"SELECT impression FROM rankduel.events WHERE kind = {CLICKED}"))
    ids = {id for found in log.by_key.values() for id in found}
    several = [key for key, found in log.by_key.items() if len(found) != 1]
    table.add(bool(ids), "impressions that were acknowledged", "some", len(ids))
    table.add(not several, "keys with more than one impression", 0, len(several))
    missing = [id for id in ids if asked[number(id)] != 1]
    table.add(not missing, "acknowledged impressions that are not there once", 0, len(missing))
    table.add(len({number(id) for id in ids}) == len(ids), "impressions with a number of another", 0, len(ids) - len({number(id) for id in ids}))
    lost = sum(len(documents) > clicked[number(id)] for id, documents in log.clicks.items())
    table.add(lost == 0, "impressions that lack an acknowledged click", 0, lost)
    known = {number(id): len(documents) for id, documents in log.sent.items()}
    extra = sum(count > known.get(impression, 0) for impression, count in clicked.items())
    table.add(extra == 0, "impressions with more clicks than were sent", 0, extra)
    gaps = sql("SELECT count(*) - max(events.n), heads.n - max(events.n) FROM rankduel.events JOIN rankduel.heads USING (experiment) GROUP BY heads.n")
    table.add(gaps == [["0", "0"]], "events that are missing in the log, and that its head has more", "0 0", " ".join(gaps[0]))
    table.add(check.returncode == 0, "check", "ok", check.stdout.strip().splitlines()[-1] + check.stderr[-200:])
    table.add(replay.returncode == 0, "replay", "exit code 0", replay.stdout.splitlines()[0] if replay.stdout else replay.stderr[-200:])
    epochs = int(sql("SELECT epoch FROM rankduel.leader")[0][0])
    least = 1 + given.kills + given.stops + given.between + given.drains + given.severed
    table.add(epochs >= least, "epochs", f"{least} or more", epochs)
    table.add(not log.wrong, "answers that should not be", 0, f"{len(log.wrong)} {log.wrong[:3]}")
    for kind, times in sorted(rehearsal.gaps.items()):
        most = BY_DRAIN if kind == "drain" else BY_LEASE
        table.add(max(times) < most, f"{kind}: the longest of {len(times)} times without a credited list", f"under {most:g} s", f"{max(times):.2f} s")
    print(f"{log.credited} credited lists, {sum(map(len, log.clicks.values()))} clicks, {dict(log.champions)} lists of the champion, {log.refused} requests sent again")
    table.end()


if __name__ == "__main__":
    main()
