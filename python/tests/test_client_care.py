"""`rankduel.client` when the server refuses, is away, or is another one; the documents it shows, and the servers it trusts."""

from __future__ import annotations

import json
import logging
import pickle
import shutil
import socket
import ssl
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from live_double import BREAKS, KEY, LISTS, Double, serving, started
from rankduel.client import Client, Problem, click

pytest_plugins = ["client_fixtures"]


def test_problems_have_the_fields_of_the_server(client: Client) -> None:
    with pytest.raises(Problem) as caught:
        client.impression("search", {"bm25": ["d"]}, unit="u")
    problem = caught.value
    assert (problem.status, problem.path, problem.do, problem.tries) == (422, "lists", "send all", 1)
    assert problem.found == "['bm25']" and problem.expected == "['bm25', 'neural']" and not problem.may_have_happened
    assert str(problem) == "422 Refused: lists: expected lists of ['bm25', 'neural']; found ['bm25']; expected ['bm25', 'neural']; send all"
    same = pickle.loads(pickle.dumps(problem))
    assert str(same) == str(problem) and vars(same) == vars(problem)
    with pytest.raises(Problem, match="there is no experiment 'serach'"):
        client.status("serach")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("html", "the answer is not JSON"),
        ("list", "the answer is not one of this server"),
        ("moved", "the server is at another address: http://elsewhere.example/"),
    ],
)
def test_a_server_of_another_kind(fault: str, message: str, double: Double, client: Client) -> None:
    double.faults.append(fault)
    before = len(double.requests)
    with pytest.raises(Problem, match=message):
        client.impression("search", LISTS, unit="u")
    assert len(double.requests) == before + 1


def test_an_experiment_of_other_settings_is_not_taken_for_the_one_that_was_created(double: Double, url: str) -> None:
    with Client(url, KEY, within=5.0) as client:
        client.create("search", ["a", "b"], shown=5)
        with pytest.raises(Problem, match="there is an experiment 'search' already"):
            client.create("search", ["a", "b"], shown=5)
        for other in ({"shown": 6}, {"shown": 5, "policy": "mdb"}, {"shown": 5, "guardrails": {"then": "pause"}}):
            double.faults.append("lost")
            with pytest.raises(Problem, match="there is an experiment 'search' already"):
                client.create("search", ["a", "b"], **other)
        double.faults.append("lost")
        with pytest.raises(Problem, match="there is an experiment 'search' already"):
            client.create("search", {"a": "", "b": "2"}, shown=5)
        # The same as an earlier attempt, in the words of the server.
        double.faults.append("lost")
        settings = {"policy": "rucb:alpha=.6", "depth": 0, "guardrails": {"then": "warn"}, "champion": None}
        made = client.create("made", ["a", "b"], **settings)
        assert made["settings"]["policy"] == "rucb:variant=arxiv:alpha=0.6" and made["settings"]["depth"] == 10
    assert double.recorded["experiments"] == 2


def test_events_are_sent_in_batches(double: Double, client: Client) -> None:
    impression = client.impression("search", LISTS, unit="u")
    assert impression.id is not None
    events = [click(impression.id, f"x{n}") for n in range(1_500)] + [click(impression.id, document) for document in LISTS["bm25"]]
    before = len(double.requests)
    fates = client.events(iter(events))
    assert [fate.status for fate in fates] == ["not-shown"] * 1_500 + ["taken"] * 9
    assert len(double.requests) == before + 2
    long = client.events({**click(impression.id, f"y{n}"), "message": "x" * 200_000} for n in range(5))
    assert [fate.status for fate in long] == ["not-shown"] * 5
    assert all(len(request.body) < 600_000 for request in double.requests)


@pytest.mark.parametrize("fault", ["body", "headers", "lost"])
def test_an_export_that_is_cut_off_is_an_error(fault: str, double: Double, client: Client, tmp_path: Path) -> None:
    double.faults.append(fault)
    with pytest.raises(Problem):
        list(client.export("search"))
    double.faults.append(fault)
    (tmp_path / "clicks.jsonl").write_text("before")
    with pytest.raises(Problem):
        client.save_export("search", "clicks", tmp_path / "clicks.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["clicks.jsonl"] and (tmp_path / "clicks.jsonl").read_text() == "before"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_a_page_goes_on_without_the_server_and_comes_back(double: Double, caplog: pytest.LogCaptureFixture) -> None:
    port = free_port()
    with Client(f"http://127.0.0.1:{port}", KEY, timeout=0.1, within=0.2, fallback="bm25", page=4) as client:
        with caplog.at_level(logging.WARNING, "rankduel.client"):
            page = client.impression("search", LISTS, unit="u")
        assert (page.id, page.credited, page.shown) == (None, False, ["b0", "b1", "b2", "b3"])
        assert page.why is not None and "nothing listens there" in page.why
        assert page.next_page() == ["b4", "b5", "b6", "b7"] and page.next_page() == ["b8"] and page.next_page() == []
        assert page.clicked("b1").status == "not-recorded" and page.displayed(["b0"]) == 0 and page.close() is False
        assert [record.levelname for record in caplog.records] == ["WARNING"] and "nothing listens there" in caplog.text
        chosen = client.choose("search", unit="u")
        assert chosen.rankers == ["bm25"] and chosen.lists(LISTS).shown == ["b0", "b1", "b2", "b3"]
        for _ in range(10):
            client.impression("search", LISTS, unit="u")
        began = time.monotonic()
        for _ in range(100):
            assert client.impression("search", LISTS, unit="u").shown == ["b0", "b1", "b2", "b3"]
        assert time.monotonic() - began < 5, "after some calls without an answer, pages do not wait"
        assert client.counts == {"impressions": 112, "fallbacks": 112, "lost": 0}
        with serving(double, port) as url:
            with Client(url, KEY) as other:
                started(other)
            deadline = time.monotonic() + 5
            while not (page := client.impression("search", LISTS, unit="u")).credited:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert client.impression("search", LISTS, unit="u").credited
        assert page.clicked("b0").status == "lost" and client.counts["lost"] == 1
        assert page.next_page() == ["b2", "b3", "b4", "b5"], "what the fallback ranks and page 1 did not show"
    assert not double.wrong


def test_what_the_server_refuses_reaches_the_log_and_not_the_page(double: Double, url: str, caplog: pytest.LogCaptureFixture) -> None:
    with Client(url, "another-key", within=1.0, fallback="neural") as client, caplog.at_level(logging.WARNING, "rankduel.client"):
        page = client.impression("search", LISTS, unit="u")
    assert page.shown == LISTS["neural"] and "401" in str(page.why)
    assert [record.levelname for record in caplog.records] == ["ERROR"] and "another-key" not in caplog.text
    with pytest.raises(ValueError, match="expected a list of the fallback 'other'"):
        Client(url, KEY, fallback="other").impression("search", LISTS, unit="u")


def values_of(error: BaseException) -> Iterator[str]:
    """All that a reporter of errors would send: the error, what led to it, and the variables of every frame outside this test."""
    seen: list[BaseException] = []
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        queue += [one.__cause__, one.__context__]
        yield repr(one) + str(one)
        for frame, _ in traceback.walk_tb(one.__traceback__):
            if frame.f_code.co_filename != __file__:
                yield repr(frame.f_locals)


@pytest.mark.parametrize("fault", ["", *BREAKS, "503", "html", "late:1", "drip:0.05"])
def test_no_error_shows_the_key(fault: str, double: Double, url: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        client = Client(url, KEY, timeout=0.2, within=0.3)
        double.faults.extend([fault] * 20)
        with pytest.raises(Problem) as caught:
            client.status("search")
        client.close()
    shown = [*values_of(caught.value), repr(client), str(client), repr(vars(client)), repr(vars(client._transport)), caplog.text]
    assert len(shown) > 6 and not [text for text in shown if KEY in text or KEY[4:20] in text]
    assert repr(client) == f"Client({url!r}, key=***, fallback=None)"
    with pytest.raises(TypeError):
        pickle.dumps(client)


@pytest.mark.parametrize("key", ["with space", "line\nend", "ümlaut", ""])
def test_a_key_that_cannot_be_one_is_not_shown(key: str) -> None:
    with pytest.raises(ValueError, match="^key: expected") as caught:
        Client("http://127.0.0.1:1", key)
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host", "http://", "http://host?x=1", "http://anna:secret@host"])
def test_a_url_that_cannot_be_one(url: str) -> None:
    with pytest.raises(ValueError, match="^url: expected") as caught:
        Client(url)
    assert "secret" not in str(caught.value)


WRONG: list[tuple[Callable[[Client], Any], type[Exception], str]] = [
    (lambda c: c.impression("search", LISTS, unit=""), ValueError, "unit: expected a text"),
    (lambda c: c.impression("search", LISTS, unit=7), TypeError, "unit: expected a text, found 7"),  # type: ignore[arg-type]
    (lambda c: c.impression("", LISTS, unit="u"), ValueError, "experiment: expected"),
    (lambda c: c.impression("search", ["d"], unit="u"), TypeError, "lists: expected a list by ranker"),  # type: ignore[arg-type]
    (lambda c: c.impression("search", {"a": "d1"}, unit="u"), TypeError, "lists.a: expected documents, found one text"),
    (lambda c: c.impression("search", {"a": [1]}, unit="u"), TypeError, r"lists.a\[0\]: expected a document"),  # type: ignore[list-item]
    (lambda c: c.impression("search", {"a": [("d", float("nan"))]}, unit="u"), ValueError, r"lists.a\[0\]: expected a finite score"),
    (lambda c: c.impression("search", {"a": {"d": float("inf")}}, unit="u"), ValueError, "expected a finite score, found inf"),
    (lambda c: c.impression("search", {"a": ["d", ("e", 1.0)]}, unit="u"), TypeError, "scores for all documents or for none"),  # type: ignore[list-item]
    (lambda c: c.impression("search", LISTS, unit="\ud800"), ValueError, "unit: expected Unicode"),
    (lambda c: c.impression("search", LISTS, unit="u", within=0), ValueError, "within: expected seconds above 0"),
    (lambda c: c.impression("search", LISTS, unit="u", documents="d"), TypeError, "documents: expected several texts"),
    (lambda c: c.judge("i", "draw"), ValueError, "winner: expected first, second or tie, found 'draw'"),
    (lambda c: c.impression_by_id("i").clicked(""), ValueError, "document: expected a text, found an empty one"),
    # A place is not sent: some pages count from 0.
    (lambda c: c.impression_by_id("i").clicked(1), TypeError, "document: expected a text, found 1"),  # type: ignore[arg-type]
    (lambda c: c.events(click("i", "d")), TypeError, "expected several events"),  # type: ignore[arg-type]
    (lambda c: c.create("search", "ab"), TypeError, "rankers: expected several texts"),
    (lambda c: Client("http://h", timeout=-1), ValueError, "timeout: expected seconds above 0"),
    (lambda c: Client("http://h", page=0), ValueError, "page: expected a whole number from 1"),
]


# Calls with a fallback, which excuses none of these errors.
WITH_FALLBACK = [(place, "bm25") for place, (_, _, message) in enumerate(WRONG) if message.startswith(("unit", "experiment", "within"))]


@pytest.mark.parametrize(("place", "fallback"), [*((place, None) for place in range(len(WRONG))), *WITH_FALLBACK])
def test_what_is_wrong_in_itself_is_not_sent(place: int, fallback: str | None) -> None:
    call, kind, message = WRONG[place]
    with pytest.raises(kind, match=message):
        call(Client(f"http://127.0.0.1:{free_port()}", within=0.1, fallback=fallback))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate")
def test_tls(double: Double, tmp_path: Path) -> None:
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem"
    subprocess.run(["openssl", *words.split()], cwd=tmp_path, check=True, capture_output=True)
    of_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    of_server.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    with serving(double, tls=of_server) as url:
        with Client(url, KEY, tls=trusting, timeout=5.0, within=20.0) as client:
            started(client)
            double.faults.extend(["lost", "", "body", "headers"])
            for n in range(20):
                assert client.impression("search", LISTS, unit=f"u{n}").credited
            assert double.recorded["impressions"] == 20 and double.connections <= 5
            double.faults.extend(["drip:0.02"] * 9)
            began = time.monotonic()
            with pytest.raises(Problem, match="no answer in time"):
                client.impression("search", LISTS, unit="slow", within=0.6)
            assert time.monotonic() - began < 3
        double.faults.clear()
        before = len(double.requests)
        with Client(url, KEY, timeout=10.0, within=20.0) as client, pytest.raises(Problem, match="certificate is not trusted") as caught:
            client.experiments()
        assert caught.value.tries == 1 and not caught.value.may_have_happened
        assert len(double.requests) == before, "nothing is sent to a server that is not trusted"


FORKS = """
import os, sys
from rankduel.client import Client
lists = {"bm25": ["a", "b"], "neural": ["c", "d"]}
client = Client(sys.argv[1], sys.argv[2])
client.impression("search", lists, unit="before")
children = []
for n in range(4):
    child = os.fork()
    if child == 0:
        for m in range(20):
            assert client.impression("search", lists, unit=f"child-{n}-{m}").credited
        os._exit(0)
    children.append(child)
for m in range(20):
    assert client.impression("search", lists, unit=f"parent-{m}").credited
assert all(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no forks")
def test_children_of_a_fork_have_connections_of_their_own(double: Double, client: Client, url: str) -> None:
    done = subprocess.run([sys.executable, "-c", FORKS, url, KEY], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert double.recorded["impressions"] == 101


def test_the_client_is_part_of_the_package_and_loaded_when_it_is_used() -> None:
    code = "import sys, rankduel as rd; assert 'rankduel.client' not in sys.modules; rd.client.Client; assert 'rankduel.client' in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    import rankduel

    with pytest.raises(AttributeError, match="has no attribute 'clients'"):
        rankduel.clients  # type: ignore[attr-defined]


def test_the_double_refuses_what_the_document_does_not_have(double: Double) -> None:
    def status(method: str, path: str, value: Any, kind: str = "application/json") -> int:
        return double.answer(method, path, kind, json.dumps(value).encode(), f"Bearer {KEY}")[0]

    assert status("POST", "/v1/experiments", {"name": "search", "rankers": ["a", "b"]}) == 201
    wrong = [
        ("POST", "/v1/experiments", {"name": "Search", "rankers": ["a", "b"]}, "application/json"),
        ("POST", "/v1/experiments", {"name": "s", "rankers": ["a"]}, "application/json"),
        ("POST", "/v1/experiments", {"name": "s", "rankers": ["a", "b"], "depht": 3}, "application/json"),
        ("POST", "/v1/experiments", {"name": "s", "rankers": ["a", "b"]}, "text/plain"),
        ("PUT", "/v1/experiments", {"name": "s", "rankers": ["a", "b"]}, "application/json"),
        ("POST", "/v1/experiments/search/impressions", {"unit": "u"}, "application/json"),
        ("POST", "/v1/experiments/search/impressions", {"unit": "u", "lists": {"a": [{"id": "d"}]}}, "application/json"),
        ("POST", "/v1/experiments/search/impressions", {"unit": "u", "lists": {"a": ["d", {"id": "d", "score": 1}]}}, "application/json"),
        ("POST", "/v1/duels/i1", {"winner": "nobody"}, "application/json"),
        ("POST", "/v1/duels/i.1", {"winner": "tie"}, "application/json"),
    ]
    for case in wrong:
        assert status(*case) == 422, case
    assert len(double.wrong) == len(wrong)
