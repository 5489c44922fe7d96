"""Kills the server at random moments under load, starts it again, and counts what is in its file.

    python3 server/tests/outside/kills.py PROGRAM N [--seed S] [--workers W] [--keep FOLDER]

Workers ask for pages, click and close; a request without an answer is sent again, with the same key, until it has one. After N kills,
a file of SQLite is read by SQLite alone and compared with the log of the workers: what was acknowledged is there, no number was given
twice, and each impression is closed once. Exits with 1 if anything does not hold, and prints what was counted.
"""

from __future__ import annotations

import argparse
import base64
import collections
import pathlib
import random
import sqlite3
import sys
import tempfile
import threading
import time
from typing import Any, Optional

# No folder of compiled files beside the sources.
sys.dont_write_bytecode = True

from common import Client, Server, Table, call, events

EXPERIMENT = "killed"
WINDOW = 4.0
RANKERS = ("a", "b", "c")
# The numbers of the kinds of events, as the format of the store has them.
ASKED, CLICKED, CLOSED = 3, 5, 8
# The bytes of an id: the number of its secret, the experiment, the impression, and when it expires.
IMPRESSION_BYTES = slice(5, 11)


def number(id: str) -> int:
    """The number of an impression in its id."""
    return int.from_bytes(base64.urlsafe_b64decode(id + "=" * (-len(id) % 4))[IMPRESSION_BYTES], "big")


class Log:
    """The acknowledgements that workers got from the server."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.by_key: dict[str, set[tuple[str, tuple[str, ...]]]] = collections.defaultdict(set)
        self.clicks: dict[str, set[str]] = collections.defaultdict(set)
        self.sent: dict[str, set[str]] = collections.defaultdict(set)
        self.closed: set[str] = set()
        self.fates: collections.Counter[str] = collections.Counter()
        self.again = 0
        self.wrong: list[str] = []


class Worker(threading.Thread):
    def __init__(self, place: int, server: Server, log: Log, stop: threading.Event, seed: int) -> None:
        super().__init__(daemon=True)
        self.place, self.server, self.log, self.over = place, server, log, stop
        self.random = random.Random(f"{seed}-{place}")
        self.client = Client(server, self.random)

    def lists(self) -> dict[str, list[str]]:
        documents = [f"d{n}" for n in range(20)]
        return {ranker: self.random.sample(documents, 12) for ranker in RANKERS}

    def run(self) -> None:
        try:
            self.work()
        except Exception as error:
            with self.log.lock:
                self.log.wrong.append(f"worker {self.place}: {error}")

    def work(self) -> None:
        n = 0
        while not self.over.is_set():
            n += 1
            asker = {"unit": f"u{self.place}-{n // 3}", "query": f"q{n}", "key": f"k{self.place}-{n}"}
            page = self.chosen(asker) if self.random.random() < 0.3 else self.mixed(asker)
            if page is None:
                continue
            id, shown, began = page
            if self.random.random() < 0.3:
                path, body = f"/v1/impressions/{id}/next", {"seen": len(shown)}
                pages = [self.call("next", "POST", path, body, began) for _ in range(2)]
                if None not in pages and pages[0]["shown"] != pages[1]["shown"]:
                    self.wrong(f"next: {pages}")
            if self.random.random() < 0.2:
                page_of = {"documents": ["advert", *shown], "pinned": ["advert"]}
                self.call("shown", "PUT", f"/v1/impressions/{id}/shown", page_of, began)
            for document in self.random.sample(shown, self.random.randrange(0, min(4, len(shown) + 1))):
                self.click(id, document)
            if self.random.random() < 0.3 and self.call("close", "POST", f"/v1/impressions/{id}/close", None, began):
                with self.log.lock:
                    self.log.closed.add(id)

    def wrong(self, what: str) -> None:
        with self.log.lock:
            self.log.wrong.append(what)

    def call(self, what: str, method: str, path: str, body: Any, began: float) -> Optional[dict[str, Any]]:
        """The answer; None if the window of the impression may be over, and it is refused for that."""
        status, value, tries = self.client.until_answered(method, path, body)
        is_over = status in (409, 410) and time.monotonic() - began > 0.8 * WINDOW
        with self.log.lock:
            self.log.again += tries - 1
            self.log.fates[what if status == 200 else f"{what}: {status}"] += 1
            if status != 200 and not is_over:
                self.log.wrong.append(f"{what}: {status} {value}, sent {tries} times")
        return value if status == 200 else None

    def mixed(self, asker: dict[str, str]) -> Optional[tuple[str, list[str], float]]:
        """A page of lists that are sent with the request; sometimes sent again although it was answered."""
        began = time.monotonic()
        body, path = {**asker, "lists": self.lists()}, f"/v1/experiments/{EXPERIMENT}/impressions"
        answers = [self.call("impression", "POST", path, body, began) for _ in range(1 + (self.random.random() < 0.3))]
        return self.noted(asker["key"], answers, began)

    def chosen(self, asker: dict[str, str]) -> Optional[tuple[str, list[str], float]]:
        """A page of the lists of those that meet."""
        began = time.monotonic()
        chosen = [self.call("choose", "POST", f"/v1/experiments/{EXPERIMENT}/choose", asker, began) for _ in range(2)]
        if chosen[0] is None or "id" not in chosen[0]:
            return None
        if chosen[1] not in (None, chosen[0]):
            self.wrong(f"choose, twice: {chosen}")
        body = {"lists": {ranker: ranked for ranker, ranked in self.lists().items() if ranker in chosen[0]["rankers"]}}
        path = f"/v1/impressions/{chosen[0]['id']}/lists"
        answers = [self.call("lists", "PUT", path, body, began) for _ in range(1 + (self.random.random() < 0.3))]
        return self.noted(asker["key"], answers, began)

    def noted(self, key: str, answers: list[Optional[dict[str, Any]]], began: float) -> Optional[tuple[str, list[str], float]]:
        """Write down what the server acknowledged of a page."""
        pages = [answer for answer in answers if answer is not None]
        with self.log.lock:
            for page in pages:
                if "id" in page:
                    self.log.by_key[key].add((page["id"], tuple(page["shown"])))
                else:
                    self.log.fates[f"champion: {page.get('why')}"] += 1
        if not pages or "id" not in pages[0]:
            return None
        return pages[0]["id"], pages[0]["shown"], began

    def click(self, id: str, document: str) -> None:
        event = {"action_name": "click", "query_id": id, "event_attributes": {"object": {"object_id": document}}}
        with self.log.lock:
            self.log.sent[id].add(document)
        status, value, tries = self.client.until_answered("POST", "/v1/events", event)
        with self.log.lock:
            self.log.again += tries - 1
            fate = value["results"][0]["status"] if status == 200 else str(status)
            self.log.fates[f"click: {fate}"] += 1
            if fate in ("taken", "duplicate"):
                self.log.clicks[id].add(document)
            elif fate != "late":
                self.log.wrong.append(f"click: {status} {value}")


def count(server: Server, log: Log, table: Table) -> None:
    """Compare the file with the log of the workers."""
    rows = [row[1:] for row in events(server.store)]
    file = sqlite3.connect(f"file:{server.store}?mode=ro", uri=True)
    integrity = file.execute("PRAGMA integrity_check").fetchall()
    file.close()
    table.add(integrity == [("ok",)], "the file is whole", integrity[0][0])
    numbers = [n for n, _, _ in rows]
    table.add(numbers == list(range(1, len(rows) + 1)), "events are numbered without gaps", f"{len(rows):,} events")
    asked = sum(kind == ASKED for _, kind, _ in rows)
    clicked = collections.Counter(impression for _, kind, impression in rows if kind == CLICKED)
    closed = collections.Counter(impression for _, kind, impression in rows if kind == CLOSED)

    ids = {key: {id for id, _ in answers} for key, answers in log.by_key.items()}
    one = [key for key, found in ids.items() if len(found) != 1]
    table.add(not one, "a key has one impression", f"{len(ids):,} keys, {len(one)} with several")
    lists = [key for key, answers in log.by_key.items() if len(answers) != 1]
    table.add(not lists, "the same key shows the same list", f"{len(lists)} with several")
    given = collections.Counter(number(id) for found in ids.values() for id in found)
    twice = [impression for impression, times in given.items() if times > 1]
    table.add(not twice, "a number has one key", f"{len(given):,} numbers, {len(twice)} with several")
    missing = [impression for impression in given if not 1 <= impression <= asked]
    table.add(not missing, "acknowledged impressions are in the file", f"{len(given):,} of {asked:,} asked, {len(missing)} missing")
    acknowledged = sum(len(documents) for documents in log.clicks.values())
    lost = [id for id, documents in log.clicks.items() if clicked[number(id)] < len(documents)]
    table.add(not lost, "acknowledged clicks are in the file", f"{acknowledged:,} of {sum(clicked.values()):,}, {len(lost)} impressions lack some")
    more = [id for id, documents in log.sent.items() if clicked[number(id)] > len(documents)]
    table.add(acknowledged > 0 and bool(log.closed), "there were clicks and closings", f"{acknowledged:,} and {len(log.closed):,}")
    table.add(not more, "no click counts twice", f"{len(more)} impressions have more than were sent")
    table.add(max(closed.values(), default=0) <= 1, "no impression is closed twice", f"{sum(closed.values()):,} closed")
    never = [impression for impression in range(1, asked + 1) if closed[impression] != 1]
    table.add(not never, "every impression is closed once", f"{asked:,} asked, {len(never)} not")
    not_closed = [id for id in log.closed if closed[number(id)] != 1]
    table.add(not not_closed, "acknowledged closings are in the file", f"{len(log.closed):,}, {len(not_closed)} missing")


def ship(server: Server, kills: int, table: Table, draws: random.Random) -> None:
    """Ship rankers in turn while the server is killed: all users get the last one acknowledged."""
    path = "/v1/experiments/shipped"
    call(server.port, "POST", "/v1/experiments", {"name": "shipped", "rankers": list(RANKERS)})
    now, wrong, acknowledged = None, 0, 0
    for number_of_kill in range(kills):
        ranker, answers = RANKERS[number_of_kill % len(RANKERS)], list[int]()

        def asked(ranker: str = ranker, answers: list[int] = answers) -> None:
            try:
                answers.append(call(server.port, "POST", f"{path}/ship", {"ranker": ranker})[0])
            except OSError:
                pass

        asking = threading.Thread(target=asked)
        asking.start()
        time.sleep(draws.uniform(0.0, 0.004))
        server.kill()
        asking.join()
        server.start()
        _, status = call(server.port, "GET", path)
        found = status["fallback"] if status["state"] == "shipped" else None
        acknowledged += answers == [200]
        wrong += found != ranker if answers == [200] else found not in (now, ranker)
        now = found
    table.add(wrong == 0 and acknowledged > 0, "what was shipped stays shipped", f"{acknowledged} of {kills} acknowledged, {wrong} wrong")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--keep", help="a folder for the store and the server's log; a temporary one otherwise")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(given.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        played(Server(given.program, folder), given)


def played(server: Server, given: argparse.Namespace) -> None:
    table, log, over = Table("what must hold", "counted"), Log(), threading.Event()
    draws = random.Random(given.seed)
    server.start()
    settings = {"name": EXPERIMENT, "rankers": list(RANKERS), "policy": "rucb", "window": f"{WINDOW:g}s", "depth": 18, "seed": 3}
    status, value = call(server.port, "POST", "/v1/experiments", settings)
    if status != 201:
        raise SystemExit(f"the experiment was not created: {status} {value}")
    workers = [Worker(place, server, log, over, given.seed) for place in range(given.workers)]
    for worker in workers:
        worker.start()
    began = time.monotonic()
    slowest = 0.0
    for _ in range(given.kills):
        # From the first moments of a start to well into a busy second.
        time.sleep(draws.choice([draws.uniform(0.0, 0.05), draws.uniform(0.05, 0.6)]))
        server.kill()
        at = time.monotonic()
        early = draws.random() < 0.2
        server.start(wait=not early)
        if early:
            time.sleep(draws.uniform(0.0, 0.03))
            continue
        slowest = max(slowest, time.monotonic() - at)
    server.wait_until_ready()
    over.set()
    for worker in workers:
        worker.join(90)
    took = time.monotonic() - began
    table.add(not any(worker.is_alive() for worker in workers), "every worker ended", f"{log.again:,} requests were sent again")
    table.add(not log.wrong, "no answer was an error", log.wrong[0] if log.wrong else f"{sum(log.fates.values()):,} answers")
    time.sleep(WINDOW + 2.5)
    server.kill()
    server.start()
    time.sleep(1.5)
    status, served = call(server.port, "GET", f"/v1/experiments/{EXPERIMENT}")
    table.add(status == 200, "the status is there after the last kill", status)
    server.kill()
    count(server, log, table)
    server.start()
    ship(server, max(10, given.kills // 2), table, draws)
    server.kill()

    check = server.command("check")
    table.add(check.returncode == 0, "check", (check.stdout or check.stderr).strip().splitlines()[-1])
    replays = [server.command("replay") for _ in range(2)]
    same = replays[0].stdout == replays[1].stdout
    table.add(same and all(replay.returncode == 0 for replay in replays), "replay, twice the same", replays[0].stdout.strip().splitlines()[-1:])
    table.add(True, "kills", f"{given.kills} in {took:.0f} s, slowest start {slowest:.2f} s")
    table.add(True, "answers", dict(sorted(log.fates.items())))
    table.end()


if __name__ == "__main__":
    main()
