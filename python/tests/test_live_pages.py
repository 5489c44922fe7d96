"""The code of "Run it live" does what the page says: against the double, and the program that RANKDUEL_SERVER names."""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from live_double import Double, serving

PAGE = Path(__file__).parents[2] / "docs" / "pages" / "how-to" / "run-live.md"
PROGRAM = os.environ.get("RANKDUEL_SERVER")
ADDRESS = "http://127.0.0.1:7077"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not beside the tests")


def request(url: str, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"} if body is not None else {})
        response = connection.getresponse()
        data = response.read()
        return response.status, json.loads(data) if data.startswith((b"{", b"[")) else data
    finally:
        connection.close()


@pytest.fixture(params=["double", pytest.param("program", marks=pytest.mark.skipif(PROGRAM is None, reason="no RANKDUEL_SERVER"))])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "double":
        double = Double(keys=False)
        with serving(double) as address:
            yield address
        assert not double.wrong, double.wrong
        return
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{one.getsockname()[1]}"
    assert PROGRAM is not None
    command = [PROGRAM, "serve", "--create", "--no-keys", "--store", str(tmp_path / "rankduel.db"), "--listen", listen]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == f"serving http://{listen}\n"
        yield f"http://{listen}"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_page(url: str) -> None:
    answers = []
    for block in blocks("sh"):
        words = shlex.split(block, comments=True)
        starts = [at for at, word in enumerate(words) if word == "curl"]
        for at, end in zip(starts, [*starts[1:], len(words)]):
            call = words[at + 1 : end]
            (target,) = [word for word in call if word.startswith(ADDRESS)]
            body = call[call.index("-d") + 1].encode() if "-d" in call else None
            method = call[call.index("-X") + 1] if "-X" in call else "POST" if body is not None else "GET"
            # An order counts for lists that were shown in an earlier millisecond.
            time.sleep(0.005)
            answers.append(request(url, method, target.removeprefix(ADDRESS), body))
    assert [status for status, _ in answers] == [201, 201, 200, 200, 200, 200, 200, 201, 200, 200], answers
    created, careful, raised, page, status, killed, shipped, selling, _, ordered = (answer for _, answer in answers)
    assert selling["experiment"] == "orders" and ordered == {"results": [{"status": "taken"}], "taken": 1}
    assert created["state"] == "running" and status["experiment"] == "search" and killed["state"] == "killed"
    assert careful["experiment"] == "careful" and raised == {"experiment": "careful", "share": 0.25}
    assert shipped == {"experiment": "search", "state": "shipped", "ranker": "neural"}
    # The answer that the page shows has the same documents, in some order.
    (example,) = map(json.loads, blocks("json"))
    assert page["credited"] == example["credited"] and set(page) == set(example)
    assert sorted(page["shown"]) == sorted(example["shown"])
    status_of_event, events = request(url, "POST", "/v1/events", json.dumps(beacon(page["id"], "d3")).encode())
    assert status_of_event == 200 and events["results"] == [{"status": "taken"}]


def beacon(id: str, document: str) -> Any:
    """The object of the page's script, with these values."""
    (script,) = blocks("js")
    (text,) = re.findall(r"const click = (\{.*?\});\n", script)
    text = re.sub(r"(\w+): ", r'"\1": ', text.replace('"d3"', json.dumps(document)).replace("query_id: id", f"query_id: {json.dumps(id)}"))
    return json.loads(text)


def test_the_python_of_the_page(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    began = time.monotonic()
    for block in blocks("python"):
        # Tests run side by side: a click that is answered too late is lost, which the page mentions and this does not test.
        patient = block.replace("timeout=0.3, within=0.6", "timeout=20, within=20")
        exec(compile(patient.replace(ADDRESS, url), str(PAGE), "exec"), names)
    assert time.monotonic() - began < 60
    client = names["client"]
    assert client.counts["fallbacks"] == client.counts["lost"] == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 2, printed
    assert len((tmp_path / "impressions.jsonl").read_text().splitlines()) > 0
    if client.status("shop")["pairs"]:
        # The draws of the program follow from the seed of the settings; the day is today's.
        (example,) = blocks("text")
        assert re.sub("since .*", "", printed[0]) == re.sub("since .*", "", example.strip())
        assert client.status("shop")["winner"] == "neural"
    client.close()


@pytest.mark.skipif(PROGRAM is None, reason="no RANKDUEL_SERVER")
def test_the_commands_for_operating_it(tmp_path: Path) -> None:
    assert PROGRAM is not None
    text = PAGE.with_name("operate-the-server.md").read_text(encoding="utf-8")
    commands = [line for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
    ran = 0
    for command in commands:
        words = shlex.split(command, comments=True)
        if words[0] != "rankduel-server":
            continue
        done = subprocess.run([PROGRAM, *words[1:]], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (command, done.stderr)
        ran += 1
    assert ran == 11 and (tmp_path / "backup.db").exists()
    # Flags and defaults of the table are those that the program has.
    table = dict(re.findall(r"^\| `--([a-z-]+)[^|]*\| *([^|]*?) *\|", text, re.MULTILINE))
    config = subprocess.run([PROGRAM, "serve", "--store", "s.db", "--print-config"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    has = dict(re.findall(r"^(\w+) = (.*)$", config.stdout, re.MULTILINE))
    assert {name.replace("-", "_") for name in table} | {"log_level"} == set(has)
    for name, default in table.items():
        value = has[name.replace("-", "_")].strip('"')
        if default.startswith("`"):
            assert default.split("`")[1] == value, name
        elif default.replace(",", "").isdigit():
            assert default.replace(",", "") == value, name
