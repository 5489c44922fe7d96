"""`rankduel.client` against a server that breaks connections at every point, and counts what it recorded."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import openapi
from live_double import BREAKS, KEY, LISTS, Double, started
from rankduel.client import Client, Fate, Problem, click, outcome

pytest_plugins = ["client_fixtures"]


def test_every_call_is_as_the_document_says(double: Double, client: Client, tmp_path: Path) -> None:
    made = client.create("other", ["a", "b"], window="10m", seed=7, level=0.1)
    assert made["state"] == "running" and made["settings"]["window"] == "10m"
    assert [line["experiment"] for line in client.experiments()] == ["search", "other"]
    assert client.status("search")["headline"] == "undecided"
    assert client.pause("search", "the index is rebuilt") == "paused"
    champion = client.impression("search", LISTS, unit="u")
    assert (champion.id, champion.credited, champion.why) == (None, False, "paused")
    assert champion.shown == ["b0", "b1", "b2"] and champion.next_page() == ["b3", "b4", "b5", "b6", "b7", "b8"]
    assert client.resume("search") == "running"

    impression = client.impression("search", LISTS, unit="u", query="red shoes", agent="Firefox", documents=LISTS["bm25"] + LISTS["neural"])
    assert impression.id is not None and impression.credited and impression.shown == ["b0", "n0", "b1"]
    assert impression.next_page() == ["n1", "b2", "n2"] and impression.shown == ["b0", "n0", "b1", "n1", "b2", "n2"]
    assert impression.next_page(3) == ["n1", "b2", "n2"] and len(impression.shown) == 6
    assert impression.displayed(["advert", "b0", "n0"], pinned=["advert"]) == 2
    assert impression.clicked("n0") == Fate("taken") and impression.clicked("n0").status == "duplicate"
    assert impression.clicked(impression.shown[2]).status == "taken" and impression.clicked("zz").status == "not-shown"
    assert impression.close() is True and impression.close() is False
    assert client.impression_by_id(impression.id).clicked("n0").status == "duplicate"

    assert client.create("orders", ["bm25", "neural"], outcomes={"order": "value"}, currency="EUR", cap=20_000)["settings"]["cap"] == 20_000
    bought = outcome("order", "n0", unit="u", value=4_990, currency="EUR", order="o9")
    assert [fate.status for fate in client.events([bought, bought])] == ["taken", "duplicate"]
    assert client.outcome("order", "b0", impression=impression.id, value=100, currency="EUR") == Fate("taken")
    assert client.outcome("order", "b0", impression=impression.id, value=100, currency="EUR").status == "taken", "another order"
    assert client.outcome("order", "n0", unit="u", value=-4_990, currency="EUR", order="o9").status == "taken"
    assert client.outcome("order", "zz", unit="u", value=1).status == "not-shown"
    assert client.outcome("order", "n0", unit="nobody", value=1).status == "unknown-unit"
    with pytest.raises(ValueError, match="order: name the order that comes back"):
        client.outcome("order", "n0", unit="u", value=-1)
    with pytest.raises(ValueError, match="unit: say whose it is"):
        client.outcome("order", "n0", value=1)
    with pytest.raises(TypeError, match="value: expected a whole number, found 12.5"):
        client.outcome("order", "n0", unit="u", value=12.5)  # type: ignore[arg-type]

    chosen = client.choose("search", unit="u2", query="boots")
    assert chosen.rankers == ["bm25", "neural"]
    with pytest.raises(ValueError, match="expected a list of 'neural', found 'bm25'"):
        chosen.lists({"bm25": []})
    assert chosen.lists({**LISTS, "third": ["x"]}).shown == ["b0", "b1", "b2"]

    duel = client.duel("search", unit="judge-3")
    assert (duel.first, duel.second) == ("bm25", "neural") and duel.judge("tie") and not duel.judge("first")
    assert client.delete_unit("u") == 1
    assert [fate.status for fate in client.events([click("none", "d"), {"action_name": "view", "query_id": "none"}])] == ["unknown", "ignored"]
    assert list(client.export("search", "clicks")) == double.export
    assert client.save_export("search", "log", tmp_path / "log.jsonl") == 5
    assert [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()] == double.export
    assert client.raise_share("search", 0.25, why="no harm") == 0.25 and client.raise_share("search", 1) == 1.0
    with pytest.raises(Problem, match="only raised"):
        client.raise_share("search", 0.5)
    assert client.end("search") == "ended" and client.kill("other") == "killed"
    assert client.ship("search", "neural", why="it won") == "shipped" and client.status("search")["fallback"] == "neural"
    with pytest.raises(Problem, match="shipped already"):
        client.ship("search", "neural")
    with pytest.raises(Problem, match="end it before"):
        client.delete("other")
    assert client.delete("search") is True and client.delete("search") is False

    document = {f"{method.upper()} {path}" for path, item in openapi.DOCUMENT["paths"].items() for method in item if method != "parameters"}
    # Answers for browsers and for machines.
    others = {"GET /health", "GET /ready", "GET /metrics", "GET /openapi.json", "GET /v1/nodes", "GET /v1/experiments/{experiment}/stream"}
    assert document - double.templates == others


def test_lists_are_sent_in_all_forms(double: Double, client: Client) -> None:
    lists: dict[str, Any] = {"bm25": {"x": 1.0, "y": 3, "z": 3.0}, "neural": [("p", 0.5), ("q", 0.5)]}
    client.impression("search", lists, unit="ü")
    sent = json.loads(double.requests[-1].body)["lists"]
    assert sent["bm25"] == [{"id": "y", "score": 3.0}, {"id": "z", "score": 3.0}, {"id": "x", "score": 1.0}]
    assert sent["neural"] == [{"id": "p", "score": 0.5}, {"id": "q", "score": 0.5}]


CALLS: dict[str, tuple[str, Callable[[Client], Any], Callable[[Client, Any], Any]]] = {
    # The count, the preparation without faults, the call with them.
    "impression": ("impressions", lambda c: None, lambda c, _: c.impression("search", LISTS, unit="u").shown),
    "choose": ("impressions", lambda c: None, lambda c, _: c.choose("search", unit="u").rankers),
    "lists": ("lists", lambda c: c.choose("search", unit="u"), lambda c, chosen: chosen.lists(LISTS).shown),
    "next": ("impressions", lambda c: c.impression("search", LISTS, unit="u"), lambda c, i: i.next_page()),
    "displayed": ("impressions", lambda c: c.impression("search", LISTS, unit="u"), lambda c, i: i.displayed(["b0"])),
    "clicked": ("clicks", lambda c: c.impression("search", LISTS, unit="u"), lambda c, i: i.clicked("b0").status),
    "close": ("closed", lambda c: c.impression("search", LISTS, unit="u"), lambda c, i: i.close()),
    "duel": ("duels", lambda c: None, lambda c, _: c.duel("search").first),
    "judge": ("judged", lambda c: c.duel("search"), lambda c, duel: duel.judge("first")),
    "create": ("experiments", lambda c: None, lambda c, _: c.create("new", {"a": "1", "b": "2"}, shown=3)["state"]),
    "pause": ("changes", lambda c: None, lambda c, _: c.pause("search")),
    "ship": ("changes", lambda c: None, lambda c, _: c.ship("search", "neural")),
}
# The result of a call after an earlier attempt was carried out but its answer was lost.
AGAIN = {"clicked": "duplicate", "close": False, "judge": False}


@pytest.mark.parametrize("fault", [*BREAKS, "503:0", "503", "429:0", "502", "504", "408", "late:0.2", "wait:0.2"])
@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_recorded_twice(name: str, fault: str, double: Double, url: str) -> None:
    counted, prepare, call = CALLS[name]
    is_slow = fault.startswith(("late", "wait"))
    timeout = 0.1 if is_slow else 10.0
    with Client(url, KEY, timeout=timeout, within=20.0) as client:
        if name != "create":
            started(client)
        expected = call(client, prepare(client))
        again = double.recorded[counted]
    double.__init__()  # type: ignore[misc]
    with Client(url, KEY, timeout=timeout, within=20.0) as client:
        if name != "create":
            started(client)
        prepared = prepare(client)
        double.faults.extend([fault, fault])
        before = len(double.requests)
        found = call(client, prepared)
    is_done_before = BREAKS.get(fault, False) or fault in ("504", "late:0.2", "wait:0.2")
    assert found == (AGAIN.get(name, expected) if is_done_before else expected)
    if fault == "wait:0.2":
        time.sleep(0.2)
    assert double.recorded[counted] == again
    tries = [request for request in double.requests[before:] if request.method != "GET"]
    # On a busy machine more of them may be too slow.
    assert len(tries) == (1 if fault == "unread" else 3) or (is_slow and len(tries) > 3)
    assert len({(t.method, t.path, t.body) for t in tries}) == 1


def test_many_threads_through_a_bad_network_record_each_page_and_click_once(double: Double, url: str) -> None:
    draws = random.Random(20)
    kinds = [*BREAKS, "503:0", "502", "504", "429", "late:0.05"]
    with Client(url, KEY, timeout=2.0, within=60.0, idle=8) as client:
        started(client)
        double.faults.extend(draws.choice(kinds) if draws.random() < 0.4 else "" for _ in range(3_000))
        ids: list[str] = []
        fates: Counter[str] = Counter()
        errors: list[BaseException] = []

        def work(worker: int) -> None:
            try:
                for n in range(40):
                    impression = client.impression("search", LISTS, unit=f"u{worker}", query=f"q{n}")
                    assert impression.id is not None
                    ids.append(impression.id)
                    fates[impression.clicked("b0").status] += 1
                    impression.close()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors, errors
    assert len(set(ids)) == 320
    assert double.recorded["impressions"] == double.recorded["clicks"] == double.recorded["closed"] == 320
    assert len(double.clicks) == 320
    # A click with a lost answer is there already when it is sent again: there were some of each.
    assert set(fates) == {"taken", "duplicate"} and sum(fates.values()) == 320
    assert len(double.requests) > 1_100


def test_connections_are_kept(double: Double, client: Client) -> None:
    for n in range(50):
        client.impression("search", LISTS, unit=f"u{n}")
    assert double.connections == 1


def test_a_connection_that_the_server_closed_while_it_was_idle_costs_nothing(double: Double, client: Client) -> None:
    for connection in list(double.open):
        connection.shutdown(socket.SHUT_RDWR)
    before = len(double.requests)
    client.impression("search", LISTS, unit="u")
    assert double.connections == 2 and len(double.requests) == before + 1


@pytest.mark.parametrize("fault", ["drip:0.02", "late:3", "wait:3"])
def test_a_call_ends_in_its_time(fault: str, double: Double, url: str) -> None:
    with Client(url, KEY, timeout=0.3, within=0.7) as client:
        started(client)
        double.faults.extend([fault] * 10)
        began = time.monotonic()
        with pytest.raises(Problem) as caught:
            client.impression("search", LISTS, unit="u")
        took = time.monotonic() - began
        double.faults.clear()
    # A try that its time cut off may have sent no body.
    double.wrong.clear()
    assert 0.5 < took < 2.0, took
    assert caught.value.status is None and caught.value.may_have_happened and caught.value.tries > 1
    assert "no answer in time" in str(caught.value) and "see that the server runs" in str(caught.value)


def test_a_server_that_accepts_no_one() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        with Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2, within=0.5) as client:
            began = time.monotonic()
            with pytest.raises(Problem, match="no answer in time"):
                client.experiments()
            assert time.monotonic() - began < 3


def test_retry_after_is_respected(double: Double, client: Client) -> None:
    double.faults.append("503:1")
    client.impression("search", LISTS, unit="u")
    first, second = double.requests[-2:]
    assert 0.95 < second.time - first.time < 5 and first.body == second.body
    double.faults.append("429:60")
    began = time.monotonic()
    with pytest.raises(Problem) as caught:
        client.impression("search", LISTS, unit="u")
    assert time.monotonic() - began < 5, "no use in waiting for what comes after the end"
    assert (caught.value.status, caught.value.retry_after, caught.value.tries) == (429, 60.0, 1)


def test_retry_after_may_be_a_date(double: Double, client: Client) -> None:
    from email.utils import formatdate

    double.faults.append(f"503:{formatdate(time.time() + 2, usegmt=True)}")
    began = time.monotonic()
    client.impression("search", LISTS, unit="u")
    assert 0.8 < time.monotonic() - began < 8
