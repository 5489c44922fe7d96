"""Judges at a page that is killed at random moments: no answer is lost or counted twice.

    python3 server/tests/outside/judges.py PROGRAM N [--seed S] [--keep FOLDER]

Two scripted judges compare the answers of twelve prompts to twenty questions: they answer, skip, note and undo. The program is killed N times
under way and started again at the same links. What a judge did without hearing what became of it is looked up on the next page. In the
end, the file of the session is read by this script alone, and its last words are compared with what the judges said. Then one judge alone
answers until the page says that enough is known. Exits with 1 if anything does not hold.
"""

from __future__ import annotations

import argparse
import csv
import http.client
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from typing import Optional

# No folder of compiled files beside the sources.
sys.dont_write_bytecode = True

from common import Table, free_port


def same(table: Table, what: str, expected: object, found: object) -> None:
    table.add(found == expected, what, expected, found)


PROMPTS, QUESTIONS = 12, 20
VERDICTS = ("first", "second", "tie", "both bad")


class Page:
    """The program, and its page."""

    def __init__(self, program: str, folder: pathlib.Path, judges: str) -> None:
        self.program, self.folder, self.judges = program, folder, judges
        self.port = free_port()
        self.links: dict[str, str] = {}
        self.process: Optional[subprocess.Popen[str]] = None
        self.alive = threading.Event()

    def start(self) -> None:
        command = [self.program, "judge", "--state", "session.jsonl", "--texts", "answers.csv", "--judges", self.judges]
        listen = f"127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [*command, "--listen", listen], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        links = {}
        for line in self.process.stdout:
            if line.startswith("answers are in"):
                break
            name, url = line.strip().split(": ", 1)
            links[name] = urllib.parse.urlsplit(url).path
        if not links:
            raise SystemExit(f"the page ended with {self.process.wait()}")
        if self.links and self.links != links:
            raise SystemExit(f"links changed: {self.links}, {links}")
        self.links = links
        self.alive.set()

    def kill(self) -> None:
        assert self.process is not None
        self.alive.clear()
        self.process.kill()
        self.process.wait()

    def call(self, method: str, path: str, form: Optional[dict[str, str]] = None) -> tuple[int, str, str]:
        """Status, location, body; OSError or HTTPException if there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            body = urllib.parse.urlencode(form) if form is not None else None
            connection.request(method, path, body, {"Content-Type": "application/x-www-form-urlencoded"})
            answer = connection.getresponse()
            return answer.status, answer.getheader("location") or "", answer.read().decode()
        finally:
            connection.close()


class Judge(threading.Thread):
    """Answers at random, and remembers what it said."""

    def __init__(self, page: Page, name: str, seed: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.page, self.name, self.stop = page, name, stop
        self.draws = random.Random(seed)
        # The last reply by ticket, None for a skip, in the order of replies.
        self.words: dict[str, Optional[tuple[str, str]]] = {}
        self.undone = self.unheard = 0
        self.wrong: list[str] = []

    def look(self) -> str:
        """The ticket that the page shows, once it answers."""
        while True:
            self.page.alive.wait()
            try:
                status, _, body = self.page.call("GET", self.page.links[self.name])
            except (OSError, http.client.HTTPException):
                time.sleep(0.005)
                continue
            if status != 200:
                raise SystemExit(f"{status}: {body}")
            found = re.search(r'name="ticket" value="([^"]+)"', body)
            assert found, body
            return found[1]

    def run(self) -> None:
        path = lambda what: f"{self.page.links[self.name]}/{what}"
        while not self.stop.is_set():
            ticket = self.look()
            if self.words and self.draws.random() < 0.15:
                try:
                    status, location, _ = self.page.call("POST", path("undo"), {})
                except (OSError, http.client.HTTPException):
                    # The page shows whether it was taken back: it shows the last pair, or the same as before.
                    self.unheard += 1
                    last = next(reversed(self.words))
                    shown = self.look()
                    if shown == last:
                        del self.words[last]
                        self.undone += 1
                    elif shown != ticket:
                        self.wrong.append(f"{self.name}: after an undo {shown} is shown, expected {last} or {ticket}")
                    continue
                if status != 303 or not location.endswith("said=undone"):
                    self.wrong.append(f"{self.name}: undo: {status} {location}")
                    continue
                last, _ = self.words.popitem()
                self.undone += 1
                shown = self.look()
                if shown != last:
                    self.wrong.append(f"{self.name}: {shown} is shown after {last} was taken back")
                continue
            skips = self.draws.random() < 0.1
            word = "skip" if skips else self.draws.choice(VERDICTS)
            note = f"note {self.draws.random()}" if not skips and self.draws.random() < 0.2 else ""
            while True:
                try:
                    status, location, body = self.page.call("POST", path("say"), {"ticket": ticket, "verdict": word, "note": note})
                    break
                except (OSError, http.client.HTTPException):
                    # Sent again, as a person does who comes back.
                    self.unheard += 1
                    self.page.alive.wait()
                    time.sleep(0.005)
            if status != 303 or location.endswith("said=refused"):
                self.wrong.append(f"{self.name}: {ticket} {word}: {status} {location} {body}")
                continue
            self.words[ticket] = None if skips else (word, note)


def texts(folder: pathlib.Path) -> list[float]:
    """Writes a table of answers with their quality in the text, and returns the quality of each prompt."""
    draws = random.Random(7)
    # The best is far ahead of the others, which are close.
    quality = [0.2 * place for place in range(PROMPTS - 1)] + [4.0]
    draws.shuffle(quality)
    with open(folder / "answers.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "competitor", "text", "question"])
        for question in range(QUESTIONS):
            for prompt in range(PROMPTS):
                text = f"**An answer** of quality {quality[prompt] + draws.gauss(0, 0.5):.4f}."
                writer.writerow([f"q{question}", f"prompt {prompt}", text, f"What about {question}?"])
    return quality


def last_words(session: pathlib.Path) -> tuple[dict[str, Optional[tuple[str, str]]], dict[int, str]]:
    """The last word of each ticket by number, and who was asked; tickets have their number alone here."""
    words: dict[str, Optional[tuple[str, str]]] = {}
    asked: dict[int, str] = {}
    for line in session.read_text().splitlines():
        event = json.loads(line)
        kind, ticket = event["event"], event.get("ticket")
        if kind == "asked":
            asked[ticket] = event["judge"]
        elif kind == "answered":
            assert ticket not in words, f"{ticket} has two answers"
            words[ticket] = (event["verdict"], event.get("note", ""))
        elif kind == "forgotten":
            assert ticket not in words, f"{ticket} was closed already"
            words[ticket] = None
        elif kind == "taken-back":
            del words[ticket]
    return words, asked


def killed(table: Table, program: str, folder: pathlib.Path, kills: int, seed: int) -> None:
    page = Page(program, folder, "anna,ben")
    page.start()
    stop = threading.Event()
    judges = [Judge(page, name, seed + at, stop) for at, name in enumerate(("anna", "ben"))]
    for judge in judges:
        judge.start()
    draws = random.Random(seed)
    for _ in range(kills):
        time.sleep(draws.uniform(0.05, 0.3))
        page.kill()
        page.start()
    time.sleep(0.2)
    stop.set()
    for judge in judges:
        judge.join(timeout=60)
    page.kill()
    found, asked = last_words(folder / "session.jsonl")
    for judge in judges:
        own = {int(ticket.split("-")[0]): word for ticket, word in judge.words.items()}
        same(table, f"words of {judge.name}", len(own), sum(asked[ticket] == judge.name for ticket in found))
        same(table, f"words of {judge.name} that differ", 0, sum(found.get(ticket, "none") != word for ticket, word in own.items()))
        same(table, f"what was wrong for {judge.name}", [], judge.wrong[:3])
        print(f"{judge.name}: {len(own)} words, {judge.undone} taken back, {judge.unheard} without an answer")


def alone(table: Table, program: str, folder: pathlib.Path, quality: list[float]) -> None:
    """One judge who sees the quality of texts, and errs now and then, answers until enough is known."""
    draws = random.Random(3)
    began = time.monotonic()
    page = Page(program, folder, "carl")
    page.start()
    path = page.links["carl"]
    answers = 0
    while answers < PROMPTS * (PROMPTS - 1) // 2 * QUESTIONS:
        _, _, body = page.call("GET", path)
        if "Enough is known" in body:
            break
        ticket = re.search(r'name="ticket" value="([^"]+)"', body)
        seen = [float(number) for number in re.findall(r"of quality (-?[\d.]+)\.", body)]
        assert ticket and len(seen) == 2, body
        verdict = "first" if draws.random() < 1 / (1 + math.exp(seen[1] - seen[0])) else "second"
        page.call("POST", f"{path}/say", {"ticket": ticket[1], "verdict": verdict})
        answers += 1
    seconds = time.monotonic() - began
    page.kill()
    log = [json.loads(line) for line in (folder / "session.jsonl").read_text().splitlines()]
    asked = {event["ticket"]: event for event in log if event["event"] == "asked"}
    cells = {(event["item"], *sorted((event["first"], event["second"]))) for event in asked.values()}
    same(table, "questions that were asked twice", 0, len(asked) - len(cells))
    wins = {f"prompt {prompt}": 0 for prompt in range(PROMPTS)}
    for event in log:
        if event["event"] == "answered" and event["verdict"] in ("first", "second"):
            wins[asked[event["ticket"]][event["verdict"]]] += 1
    best = max(range(PROMPTS), key=quality.__getitem__)
    print(f"one judge: {answers} answers in {seconds:.1f} s until enough was known")
    same(table, "enough is known", True, "Enough is known" in body)
    same(table, "who won most", f"prompt {best}", max(wins, key=wins.__getitem__))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    table = Table("what", "expected", "found")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or pathlib.Path(temporary)
        for name, work in (("killed", killed), ("alone", alone)):
            place = folder / name
            place.mkdir(parents=True)
            quality = texts(place)
            if work is killed:
                killed(table, program, place, given.kills, given.seed)
            else:
                alone(table, program, place, quality)
    table.end()


if __name__ == "__main__":
    main()
