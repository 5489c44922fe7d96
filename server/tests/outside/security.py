"""Attacks the server from outside, and prints a table of what it answered.

    python3 server/tests/outside/security.py PROGRAM UNITS

UNITS is how many users one address pretends to be, e.g. 100000. Exits with 1 if anything was answered otherwise than expected.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Optional

# No folder of compiled files beside the sources.
sys.dont_write_bytecode = True

from common import Headers, Server, Table, call, free_port

SCRIPT = "<script>alert(1)</script>"
SQL = "'; DROP TABLE events; --"
HOSTILE = [SCRIPT, SQL, '" OR ""="', "{{7*7}}", "${jndi:ldap://x}", "../../etc/passwd", "\u202eevil", "=cmd|' /C calc'!A0", "%s%n", "\U0001f9e8"]
LISTS = {"bm25": ["d1", "d2", "d3"], "neural": ["d3", "d4", "d1"]}
SETTINGS = {"rankers": ["bm25", "neural"], "window": "30s", "seed": 1}
ARRIVE = 1.0


def bearer(key: str) -> Headers:
    return {"Authorization": f"Bearer {key}"}


def raw(port: int, data: bytes, timeout: float = 5.0) -> bytes:
    """Bytes as they are, and all that comes back until the other side closes or is silent."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as one:
        found = b""
        try:
            one.sendall(data)
            while piece := one.recv(65536):
                found += piece
        except OSError:
            pass
        return found


def status_of(answer: bytes) -> int:
    """The status of the first answer; 0 if the connection was closed without one."""
    parts = answer.split(b" ", 2)
    return int(parts[1]) if answer.startswith(b"HTTP/") and parts[1].isdigit() else 0


def click(id: str, document: str = "d1") -> dict[str, Any]:
    return {"action_name": "click", "query_id": id, "event_attributes": {"object": {"object_id": document}}}


def calls(id: str) -> list[tuple[str, str, Any, str]]:
    """Every call, what a right body is, and the role that it needs."""
    experiment = "/v1/experiments/mine"
    return [
        ("POST", "/v1/experiments", {"name": "new", **SETTINGS}, "admin"),
        ("GET", "/v1/experiments", None, "read"),
        ("GET", experiment, None, "read"),
        ("POST", f"{experiment}/pause", {}, "admin"),
        ("POST", f"{experiment}/resume", {}, "admin"),
        ("POST", f"{experiment}/kill", {}, "admin"),
        ("POST", f"{experiment}/end", {}, "admin"),
        ("POST", f"{experiment}/impressions", {"unit": "u", "lists": LISTS}, "serve"),
        ("POST", f"{experiment}/choose", {"unit": "u"}, "serve"),
        ("POST", f"{experiment}/duels", {}, "serve"),
        ("PUT", f"/v1/impressions/{id}/lists", {"lists": LISTS}, "serve"),
        ("POST", f"/v1/impressions/{id}/next", {"seen": 1}, "serve"),
        ("PUT", f"/v1/impressions/{id}/shown", {"documents": ["d1"]}, "serve"),
        ("POST", f"/v1/impressions/{id}/close", None, "serve"),
        ("POST", f"/v1/duels/{id}", {"winner": "tie"}, "serve"),
        ("POST", "/v1/units/delete", {"unit": "u"}, "admin"),
        ("GET", f"{experiment}/export?what=log", None, "admin"),
    ]


def keys(program: str, folder: pathlib.Path, table: Table) -> None:
    """Who may do what."""
    server = Server(program, folder)
    made: dict[str, str] = {}
    for name, words in {
        "admin": ["admin"],
        "serve": ["serve"],
        "read": ["read"],
        "other": ["serve", "--experiment", "other"],
        "revoked": ["admin", "--label", "gone"],
    }.items():
        done = server.command("keys", "add", *words)
        made[name] = done.stdout.strip().splitlines()[-1] if done.returncode == 0 else ""
        table.add(done.returncode == 0 and len(made[name]) > 40, "keys", f"a key is made for {name}", done.stderr.strip())
    listed = server.command("keys", "list").stdout
    table.add(not any(key in listed for key in made.values()), "keys", "the list of keys shows none", "")
    line = next((line for line in listed.splitlines() if "gone" in line), "0")
    revoked = server.command("keys", "revoke", line.split("\t")[0])
    table.add(revoked.returncode == 0, "keys", "one is revoked", revoked.stderr.strip())
    server.start()
    port = server.port
    for name in ("mine", "other"):
        status, value = call(port, "POST", "/v1/experiments", {"name": name, **SETTINGS}, bearer(made["admin"]))
        table.add(status == 201, "keys", f"admin creates {name}", status if status == 201 else value)
    _, page = call(port, "POST", "/v1/experiments/mine/impressions", {"unit": "u", "lists": LISTS}, bearer(made["serve"]))
    id = page["id"]

    bad: list[tuple[str, Headers]] = [
        ("no key", {}),
        ("a wrong key", bearer(made["admin"][:-1] + ("A" if made["admin"][-1] != "A" else "B"))),
        ("a revoked key", bearer(made["revoked"])),
        ("half a key", bearer(made["admin"][:30])),
        ("an empty key", {"Authorization": "Bearer "}),
        ("another scheme", {"Authorization": f"Basic {base64.b64encode(made['admin'].encode()).decode()}"}),
        ("the key without a scheme", {"Authorization": made["admin"]}),
        ("the key as a cookie", {"Cookie": f"key={made['admin']}"}),
        ("SQL as a key", bearer("' OR 1=1 --")),
        ("a key of 20 kB", bearer("x" * 20_000)),
    ]
    for what, headers in bad:
        wrong = [(m, p, s) for m, p, b, _ in calls(id) if (s := call(port, m, p, b, headers)[0]) != 401]
        table.add(not wrong, "keys", f"{what}: 401 everywhere", wrong[:2] or len(calls(id)))
    in_path = call(port, "GET", f"/v1/experiments?key={made['admin']}&access_token={made['admin']}")[0]
    table.add(in_path == 401, "keys", "a key in the address does not count", in_path)
    two = raw(port, f"GET /v1/experiments HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nAuthorization: Bearer {made['admin']}\r\nConnection: close\r\n\r\n".encode())
    table.add(status_of(two) == 401, "keys", "two headers Authorization", status_of(two))

    for role in ("serve", "read"):
        wrong = [
            (m, p, s)
            for m, p, b, needed in calls(id)
            if needed != role and (s := call(port, m, p, b, bearer(made[role]))[0]) != 403
        ]
        table.add(not wrong, "keys", f"role {role}: 403 for calls of others", wrong[:2] or "")
    for m, p, b, needed in calls(id):
        if needed == "serve":
            status = call(port, m, p, b, bearer(made["other"]))[0]
            table.add(status in (403, 404), "keys", f"key of another experiment: {m} {p.replace(id, '{id}')}", status)
    status, own = call(port, "POST", "/v1/experiments/other/impressions", {"unit": "u", "lists": LISTS}, bearer(made["other"]))
    table.add(status == 200, "keys", "key of another experiment serves its own", status)
    status, value = call(port, "POST", "/v1/events", click(id, page["shown"][0]))
    table.add(status == 200 and value["results"][0]["status"] == "taken", "keys", "an event needs its id alone", value)
    status, value = call(port, "POST", "/v1/events", click(id), bearer("wrong"))
    table.add(status == 401, "keys", "an event with a wrong key", status)
    state = call(port, "GET", "/v1/experiments/mine", None, bearer(made["read"]))[1].get("state")
    table.add(state == "running", "keys", "nothing of all that changed the experiment", state)

    server.stop()
    text = server.log.read_text(errors="replace") + listed
    table.add(not any(key in text for key in made.values()), "keys", "no key is in the log", "")
    data = b"".join(path.read_bytes() for path in folder.glob("store.db*"))
    table.add(not any(key.encode() in data for key in made.values()), "keys", "no key is in the store", f"{len(data):,} bytes")
    table.add("panicked" not in text, "keys", "no panic", "")


def hosts(server: Server, table: Table) -> None:
    """Pages of other sites, in a browser on this machine."""
    port = server.port
    for host, expected in [
        (f"127.0.0.1:{port}", 200), (f"localhost:{port}", 200), ("evil.example", 403), (f"evil.example:{port}", 403),
        ("localhost.evil.example", 403), ("127.0.0.1.evil.example", 403), ("evil@localhost", 403), ("0.0.0.0", 403), ("", None),
    ]:
        found = status_of(raw(port, f"GET /v1/experiments HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()))
        holds = found in (400, 403) if expected is None else found == expected
        table.add(holds, "hosts", f"Host: {host}", found)
    for name, head in [("no Host", ""), ("two Hosts", f"Host: localhost\r\nHost: evil.example\r\n")]:
        found = status_of(raw(port, f"GET /v1/experiments HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode()))
        table.add(found in (400, 403), "hosts", name, found)
    absolute = raw(port, b"GET http://evil.example/v1/experiments HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    table.add(status_of(absolute) in (400, 403), "hosts", "another host in an absolute address", status_of(absolute))
    for origin in ("https://evil.example", "null", "http://localhost.evil.example", f"http://127.0.0.1:{port + 1}"):
        found, value = call(port, "POST", "/v1/experiments", {"name": "by-origin", **SETTINGS}, {"Origin": origin})
        table.add(found == 403, "hosts", f"Origin: {origin}", found)
        body = json.dumps(click("x")).encode()
        found = call(port, "POST", "/v1/events", body, {"Origin": origin, "Content-Type": "text/plain"})[0]
        table.add(found == 403, "hosts", f"Origin: {origin}, as a beacon", found)
    answer = raw(port, b"OPTIONS /v1/experiments HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n")
    table.add(b"access-control-allow-origin" not in answer.lower(), "hosts", "a preflight of another origin", status_of(answer))
    names = [line["experiment"] for line in call(port, "GET", "/v1/experiments")[1]["experiments"]]
    table.add("by-origin" not in names, "hosts", "nothing was created by them", names)


def public_without_keys(program: str, folder: pathlib.Path, table: Table) -> None:
    server = Server(program, folder)
    server.options = ("--listen", f"0.0.0.0:{free_port()}")
    command = [server.program, "serve", "--store", str(server.store), *server.options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        message = done.stderr.strip().splitlines()[-1:] or [""]
        table.add(done.returncode in (1, 2) and "key" in message[0], "hosts", "without keys, only this machine is served", message[0])
    except subprocess.TimeoutExpired:
        table.add(False, "hosts", "without keys, only this machine is served", "it serves everybody")


def ids(server: Server, other: str, table: Table) -> None:
    """Ids that were not given out, or for something else."""
    port = server.port
    impressions = "/v1/experiments/plain/impressions"
    page = call(port, "POST", impressions, {"unit": "ids", "query": "q", "lists": LISTS})[1]
    id: str = page["id"]
    table.add(len(id) <= 44 and id.isascii(), "ids", "an id", f"{len(id)} letters")

    def fate(text: str) -> str:
        status, value = call(port, "POST", "/v1/events", click(text, page["shown"][0]))
        return value["results"][0]["status"] if status == 200 else str(status)

    forged = [id[:at] + ("A" if id[at] != "A" else "B") + id[at + 1 :] for at in range(len(id))]
    wrong = [text for text in forged if fate(text) != "unknown"]
    table.add(not wrong, "ids", "one letter changed, at every place", wrong[:2] or f"{len(forged)} unknown")
    plain = base64.urlsafe_b64decode(id + "=" * (-len(id) % 4))
    later = plain[:11] + b"\xff\xff\xff\xff" + plain[15:]
    next_one = plain[:5] + (int.from_bytes(plain[5:11], "big") + 1).to_bytes(6, "big") + plain[11:]
    zero = plain[:15] + bytes(len(plain) - 15)
    for what, data in [("a later expiry", later), ("the next number", next_one), ("no signature", zero), ("cut", plain[:15]), ("longer", plain + b"x")]:
        found = fate(base64.urlsafe_b64encode(data).decode().rstrip("="))
        table.add(found == "unknown", "ids", what, found)
    for what, text in [("empty", ""), ("padded", id + "="), ("spaces", f" {id}"), ("long", "A" * 100_000), ("of another store", other), ("SQL", SQL), ("NUL", "\0" * 42)]:
        found = fate(text)
        table.add(found in ("unknown", "malformed"), "ids", what, found)
    for what, path in [("forged", forged[3]), ("of another store", other), ("dots", ".."), ("SQL", "%27%20OR%201%3D1")]:
        found = call(port, "POST", f"/v1/impressions/{path}/close")[0]
        table.add(found in (400, 404), "ids", f"in a path: {what}", found)
    fates = [fate(id), fate(id)]
    table.add(fates == ["taken", "duplicate"], "ids", "the same click twice", fates)
    many = call(port, "POST", "/v1/events", [click(id, page["shown"][1])] * 5)[1]["results"]
    table.add([one["status"] for one in many].count("taken") == 1, "ids", "five times in one request", [one["status"] for one in many])
    closed = [call(port, "POST", f"/v1/impressions/{id}/close")[1].get("closed") for _ in range(2)]
    table.add(closed == [True, False], "ids", "closed twice", closed)
    table.add(fate(id) == "late", "ids", "replayed after it was closed", fate(id))
    duel = call(port, "POST", f"/v1/duels/{id}", {"winner": "first"})[0]
    table.add(duel in (404, 409, 410, 422), "ids", "an impression judged as a duel", duel)
    body = {"unit": "ids", "key": "once", "lists": LISTS}
    first = call(port, "POST", impressions, body)[1]
    again = call(port, "POST", impressions, body)[1]
    table.add(first.get("id") == again.get("id") and first["shown"] == again["shown"], "ids", "the same key again", "the same answer")
    status = call(port, "POST", impressions, {**body, "unit": "another"})[0]
    table.add(status == 422, "ids", "the same key with another body", status)


def races(server: Server, table: Table) -> None:
    """The same request from many connections in the same moment."""
    workers = 32

    def together(method: str, path: str, body: Any) -> list[tuple[int, Any]]:
        barrier, answers = threading.Barrier(workers), []

        def work() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.connect()
            barrier.wait()
            answers.append(call(0, method, path, body, connection=connection))
            connection.close()

        threads = [threading.Thread(target=work) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    path = "/v1/experiments/plain/impressions"
    with_key = together("POST", path, {"unit": "race", "key": "race", "lists": LISTS})
    answers = {json.dumps(value, sort_keys=True) for status, value in with_key}
    table.add(len(answers) == 1 and "id" in with_key[0][1], "races", f"one key, {workers} times", f"{len(answers)} answers")
    reloads = {json.dumps(value, sort_keys=True) for _, value in together("POST", path, {"unit": "race", "query": "q", "lists": LISTS})}
    table.add(len(reloads) == 1, "races", f"one unit and query, {workers} times", f"{len(reloads)} answers")
    id, document = with_key[0][1]["id"], with_key[0][1]["shown"][0]
    fates = sorted(value["results"][0]["status"] for _, value in together("POST", "/v1/events", click(id, document)))
    table.add(fates == ["duplicate"] * (workers - 1) + ["taken"], "races", f"one click, {workers} times", f"{fates.count('taken')} taken")
    closed = [value["closed"] for _, value in together("POST", f"/v1/impressions/{id}/close", None)]
    table.add(closed.count(True) == 1, "races", f"closed, {workers} times", f"{closed.count(True)} closed it")
    created = sorted(status for status, _ in together("POST", "/v1/experiments", {"name": "race", **SETTINGS}))
    table.add(created == [201] + [409] * (workers - 1), "races", f"created, {workers} times", f"{created.count(201)} created it")
    ended = sorted(status for status, _ in together("POST", "/v1/experiments/race/end", {}))
    table.add(ended == [200] + [409] * (workers - 1), "races", f"ended, {workers} times", f"{ended.count(200)} ended it")


def bodies(server: Server, table: Table) -> None:
    port = server.port
    path = "/v1/experiments/plain/impressions"
    huge = json.dumps({"unit": "u", "lists": {"bm25": ["x" * (1 << 20)], "neural": []}}).encode()

    def post(data: bytes, headers: Optional[Headers] = None) -> int:
        try:
            return call(port, "POST", path, data, headers)[0]
        except OSError:
            return 0

    def chunked(data: bytes) -> int:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (data[at : at + 60_000] for at in range(0, len(data), 60_000)))
        return status_of(raw(port, head.encode() + chunks + b"0\r\n\r\n"))

    right = json.dumps({"unit": "u", "lists": LISTS}).encode()
    table.add(post(right) == 200 and chunked(right) == 200, "bodies", "a right one, whole and in chunks", 200)
    for what, found in [("over 1 MB", post(huge)), ("over 1 MB in chunks", chunked(huge))]:
        # Some of it may still be on its way when the answer comes.
        table.add(found in (413, 0), "bodies", what, found)
    announced = raw(port, f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n".encode())
    table.add(status_of(announced) == 413, "bodies", "100 GB announced", status_of(announced))
    for depth in (33, 1_000, 100_000):
        for what, text in [("arrays", "[" * depth + "]" * depth), ("objects", '{"a":' * depth + "1" + "}" * depth)]:
            found = post(text.encode())
            table.add(found == 400, "bodies", f"{depth:,} nested {what}", found)
    lists = lambda **more: json.dumps({"unit": "u", "lists": {**LISTS, **more}}).encode()
    odd: list[tuple[str, bytes, Any]] = [
        ("nothing", b"", (400, 422)), ("not JSON", b"{", 400), ("two values", right + b"{}", 400), ("invalid UTF-8", right.replace(b'"u"', b'"\xff"'), 400),
        ("half a surrogate", right.replace(b'"u"', b'"\\ud800"'), (400, 422)), ("NaN as a score", lists(bm25=[{"id": "d", "score": float("nan")}]), 400),
        ("a score of 1e999", right.replace(b'["d1", "d2", "d3"]', b'[{"id": "d1", "score": 1e999}]'), (400, 422)),
        ("a field twice", b'{"unit":"a","unit":"b","lists":{"bm25":[],"neural":[]}}', (400, 422)),
        ("a ranker twice", b'{"unit":"a","lists":{"bm25":["x"],"neural":[],"bm25":["y"]}}', (400, 422)),
        ("an unknown field", json.dumps({"unit": "u", "lists": LISTS, "admin": True}).encode(), (400, 422)),
        ("an array", b"[]", (400, 422)), ("null", b"null", (400, 422)), ("a unit of another type", json.dumps({"unit": 7, "lists": LISTS}).encode(), (400, 422)),
        ("an empty unit", json.dumps({"unit": "", "lists": LISTS}).encode(), (400, 422)), ("a unit of 257 bytes", json.dumps({"unit": "u" * 257, "lists": LISTS}).encode(), (400, 422)),
        ("an unknown ranker", lists(third=["d"]), 422), ("a document twice", lists(bm25=["d", "d"]), 422), ("a document of 300 bytes", lists(bm25=["d" * 300]), (400, 422)),
        ("10,001 documents", lists(bm25=[f"d{n}" for n in range(10_001)]), 422), ("10,000 documents", lists(bm25=[f"d{n}" for n in range(10_000)]), 200),
        ("2,000 rankers", lists(**{f"r{n}": [] for n in range(2_000)}), 422), ("control characters", lists(bm25=["a\u0000b"]), (200, 400, 422)),
    ]
    for what, data, expected in odd:
        found = post(data)
        table.add(found in (expected if isinstance(expected, tuple) else (expected,)), "bodies", what, found)
    for what, headers in [("text/html", {"Content-Type": "text/html"}), ("a form", {"Content-Type": "application/x-www-form-urlencoded"}), ("gzip", {"Content-Encoding": "gzip"}), ("a beacon's type", {"Content-Type": "text/plain"})]:
        found = post(right, headers)
        table.add(found == 415, "bodies", f"sent as {what}", found)
    lines = (json.dumps(click("x")) + "\n") * 3
    for kind in ("application/x-ndjson", "text/plain"):
        status, value = call(port, "POST", "/v1/events", (lines + "{broken\n").encode(), {"Content-Type": kind})
        found = [one["status"] for one in value["results"]] if status == 200 else status
        table.add(found == ["unknown"] * 3 + ["malformed"], "bodies", f"a broken line among events, {kind}", found)
    status, value = call(port, "POST", "/v1/events", [1, None, {"action_name": 7}, {"query_id": []}, {"action_name": "click", "query_id": "x", "event_attributes": []}, click("x")])
    found = [one["status"] for one in value["results"]] if status == 200 else status
    table.add(isinstance(found, list) and found[:2] == ["malformed"] * 2 and found[-1] == "unknown", "bodies", "events of other shapes", found)


def requests(server: Server, table: Table) -> None:
    """Paths, and requests that two programs would read differently."""
    port = server.port
    for path in ["/..", "/../../etc/passwd", "/v1/../metrics", "//v1/experiments", "/v1/experiments/", "/v1//experiments", "/v1/experiments/%2e%2e", "/v1/experiments/..%2f..%2fetc",
                 "/v1/experiments/%00", "/v1/experiments/plain%20", "/v1/experiments/PLAIN", "/v1/experiments/plain/export?what=../../etc/passwd", "/v1/experiments/plain/export", "/v1/experiments/%ff",
                 "/v1/experiments/plain;x=1", "/V1/experiments", "/.git/config", "/admin"]:
        status, value = call(port, "GET", path)
        is_problem = isinstance(value, dict) and value.get("status") == status
        table.add(status in (400, 404, 422) and is_problem, "paths", path, f"{status} {'a problem' if is_problem else value[:40]}")
    long = raw(port, b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    table.add(status_of(long) in (0, 400, 414, 431), "paths", "200 kB", status_of(long))
    many = raw(port, b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(2_000)) + b"\r\n")
    table.add(status_of(many) in (0, 400, 431), "paths", "2,000 headers", status_of(many))
    for method in ("DELETE", "PATCH", "TRACE", "CONNECT", "FOO"):
        answer = raw(port, f"{method} /v1/experiments HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        table.add(status_of(answer) in (400, 404, 405), "paths", method, status_of(answer))
    body = b'{"name":"smuggled","rankers":["a","b"]}'
    head = b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    inner = b"POST /v1/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    for what, data in [
        ("two lengths", head + b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner),
        ("a length and chunks", head + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" % (5 + len(inner)) + inner),
        ("a negative length", head + b"Content-Length: -1\r\n\r\n"),
        ("a length with a sign", head + b"Content-Length: +5\r\n\r\nhello"),
        ("an odd coding", head + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        ("a space before the colon", b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n"),
        ("a folded header", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n"),
        ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100)),
        ("HTTP/0.9", b"GET /health\r\n\r\n"),
        ("HTTP/9.9", b"GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n"),
    ]:
        answer = raw(port, data, timeout=ARRIVE + 2)
        table.add(status_of(answer) in (0, 400, 404, 405, 411, 501, 505), "requests", what, status_of(answer))
    names = [line["experiment"] for line in call(port, "GET", "/v1/experiments")[1]["experiments"]]
    table.add("smuggled" not in names, "requests", "nothing was smuggled", names)


def slow(server: Server, table: Table) -> None:
    """Clients that send or read a byte at a time, and those that do nothing."""
    port = server.port

    def seconds_until_closed(data: bytes, more: bytes, pause: float = 0.2, most: float = 8.0) -> float:
        with socket.create_connection(("127.0.0.1", port), timeout=0.01) as one:
            began = time.monotonic()
            one.sendall(data)
            while time.monotonic() - began < most:
                try:
                    one.sendall(more)
                    time.sleep(pause)
                    # An answer (408, say) may come first.
                    if one.recv(4096) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            return time.monotonic() - began

    head = b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    for what, data, more in [("headers", b"GET /health HTTP/1.1\r\nX: ", b"a"), ("a body", head, b" "), ("nothing", b"", b"")]:
        took = seconds_until_closed(data, more)
        table.add(0.5 * ARRIVE < took < ARRIVE + 3, "slow", f"a client that sends {what} slowly is cut off", f"{took:.1f} s")
    idle = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(200)]
    try:
        began = time.monotonic()
        status = call(port, "GET", "/health")[0]
        table.add(status == 200 and time.monotonic() - began < 1, "slow", "200 idle connections stop nobody", f"{1000 * (time.monotonic() - began):.0f} ms")
    finally:
        for one in idle:
            one.close()
    # A client that asks and asks, and reads nothing.
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(0.5)
        deaf.connect(("127.0.0.1", port))
        began, sent = time.monotonic(), 0
        try:
            while time.monotonic() - began < 10:
                sent += deaf.send(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        except OSError:
            pass
        status = call(port, "GET", "/health")[0]
        table.add(status == 200 and sent < 50_000_000, "slow", "a client that reads nothing stops nobody", f"{sent:,} bytes were taken")


def memory(server: Server) -> int:
    """Resident bytes of the server."""
    assert server.process is not None
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def units(server: Server, count: int, table: Table) -> None:
    """One address that pretends to be many."""
    port, before = server.port, memory(server)
    statuses: dict[object, int] = {}
    lock = threading.Lock()
    began = time.monotonic()

    def work(worker: int, workers: int = 4) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        own: dict[object, int] = {}
        for n in range(worker, count, workers):
            status, value = call(port, "POST", "/v1/experiments/plain/impressions", {"unit": f"user {n}", "lists": LISTS}, connection=connection)
            what: object = (status, value.get("credited"), value.get("why")) if isinstance(value, dict) else status
            own[what] = own.get(what, 0) + 1
        connection.close()
        with lock:
            for what, times in own.items():
                statuses[what] = statuses.get(what, 0) + times

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    grown = memory(server) - before
    table.add(all(isinstance(what, tuple) and what[0] == 200 for what in statuses), "units", f"{count:,} units of one address", f"{took:.0f} s, {statuses}")
    table.add(grown < 20_000_000 + 5_000 * count, "units", "memory", f"{grown / max(1, count):.0f} bytes each")
    began = time.monotonic()
    status, value = call(port, "GET", "/v1/experiments/plain", timeout=30)
    table.add(status == 200 and time.monotonic() - began < 5, "units", "the status comes all the same", f"{1000 * (time.monotonic() - began):.0f} ms")


def limits(program: str, folder: pathlib.Path, table: Table) -> None:
    server = Server(program, folder, "--address-rate", "50", "--open-impressions", "20", "--connections", "30")
    server.start()
    port = server.port
    call(port, "POST", "/v1/experiments", {"name": "plain", **SETTINGS})
    found = [call(port, "POST", "/v1/experiments/plain/impressions", {"unit": f"u{n}", "lists": LISTS}) for n in range(40)]
    credited = sum(status == 200 and value["credited"] for status, value in found)
    why = {value.get("why") for status, value in found if status == 200 and not value["credited"]}
    table.add(1 <= credited <= 20 and len(why) == 1, "limits", "open impressions end at 20", f"{credited} credited, others {why}")
    time.sleep(1.1)
    statuses = [call(port, "GET", "/health")[0] for _ in range(200)]
    table.add(statuses.count(429) >= 50, "limits", "50 requests a second", f"{statuses.count(200)} answered, {statuses.count(429)} refused")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    after = None
    for _ in range(200):
        connection.request("GET", "/health")
        response = connection.getresponse()
        response.read()
        after = response.getheader("Retry-After") if response.status == 429 else after
    table.add(after is not None and after.isdigit(), "limits", "refused with Retry-After", after)
    connection.close()
    time.sleep(1.1)
    many = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(60)]
    busy = 0
    for one in many[30:]:
        try:
            one.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            busy += status_of(one.recv(4096)) in (503, 0)
        except OSError:
            busy += 1
    table.add(busy >= 25, "limits", "connections end at 30", f"{busy} of 30 more were refused")
    for one in many:
        one.close()
    time.sleep(0.3)
    table.add(call(port, "GET", "/health")[0] == 200, "limits", "and are free again", "")
    server.stop()
    table.add("panicked" not in server.tail(), "limits", "no panic", "")


def names(server: Server, table: Table) -> None:
    """SQL and script wherever there is a name."""
    port = server.port
    wrong: list[object] = []
    for text in HOSTILE:
        status, value = call(port, "POST", "/v1/experiments", {"name": text, **SETTINGS})
        if status not in (400, 422):
            wrong.append((text, status))
    table.add(not wrong, "names", "as the name of an experiment: refused", wrong or len(HOSTILE))
    made = []
    for n, text in enumerate(HOSTILE):
        other = f"{text} 2"
        status, value = call(port, "POST", "/v1/experiments", {"name": f"hostile-{n}", "rankers": [{"name": text, "version": text}, other], "window": "30s"})
        if status == 201:
            made.append((f"hostile-{n}", text, other))
        elif status not in (400, 422):
            wrong.append((text, status, value))
    table.add(not wrong, "names", "as a ranker: taken or refused", wrong or f"{len(made)} taken")
    table.add(len(made) >= 4, "names", "most are taken, as data", len(made))
    for name, text, other in made:
        lists = {text: [text, "x"], other: ["y", text]}
        status, value = call(port, "POST", f"/v1/experiments/{name}/impressions", {"unit": text, "agent": text, "query": text, "key": text, "lists": lists, "documents": [text, "x", "y"]})
        if status != 200 or sorted(value["shown"]) != sorted([text, "x", "y"]):
            wrong.append((name, status, value))
            continue
        results = call(port, "POST", "/v1/events", [click(value["id"], text), {**click(value["id"], "x"), "action_name": text}, click(text, text)])
        fates = [one["status"] for one in results[1]["results"]]
        if fates[0] != "taken" or fates[1] != "ignored" or fates[2] not in ("unknown", "malformed"):
            wrong.append((name, fates))
        for verb in ("pause", "resume"):
            status, value = call(port, "POST", f"/v1/experiments/{name}/{verb}", {"why": text})
            if status != 200:
                wrong.append((name, verb, status, value))
        status, value = call(port, "GET", f"/v1/experiments/{name}")
        if status != 200 or value["settings"]["rankers"][0]["name"] != text or value["changes"][-1]["why"] != text:
            wrong.append((name, status, value))
        status, value = call(port, "POST", "/v1/units/delete", {"unit": text})
        if status != 200:
            wrong.append((name, "delete", status, value))
    table.add(not wrong, "names", "as ranker, version, unit, agent, query, key, document, action, reason", wrong[:1] or len(made))
    answer = raw(port, f"GET /v1/experiments/{made[0][0]} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = {line.split(b":")[0].lower(): line for line in head.split(b"\r\n")[1:]}
    table.add(b"application/json" in lines.get(b"content-type", b""), "names", "answers are JSON", lines.get(b"content-type"))
    table.add(b"nosniff" in lines.get(b"x-content-type-options", b""), "names", "and nothing else", lines.get(b"x-content-type-options"))
    table.add(b"content-security-policy" in lines, "names", "a content security policy", lines.get(b"content-security-policy"))
    shown = call(port, "GET", f"/v1/experiments/{'%3Cscript%3E'}")
    table.add(shown[0] in (400, 404), "names", "in a path that is not there", shown[0])


def privacy(server: Server, table: Table) -> None:
    """What nobody needs to know is in no file."""
    port = server.port
    secret = {"unit": "anna-7f3a-unit", "query": "confidential-query-8c1d", "agent": "Confidential-Agent/9e2b", "key": "confidential-key-5a4f"}
    page = call(port, "POST", "/v1/experiments/plain/impressions", {**secret, "lists": LISTS})[1]
    # Faults, which a log might quote.
    call(port, "POST", "/v1/experiments/plain/impressions", {**secret, "lists": {"bm25": ["d", "d"], "neural": []}})
    call(port, "GET", f"/v1/experiments/plain/{secret['query']}")
    call(port, "POST", "/v1/events", click(page["id"], page["shown"][0]))
    time.sleep(0.2)
    data = b"".join(path.read_bytes() for path in server.store.parent.glob("store.db*"))
    found = [name for name, text in secret.items() if text.encode() in data]
    table.add(not found, "privacy", "unit, query, agent and key are not in the store", found or f"{len(data):,} bytes")
    text = server.log.read_text(errors="replace")
    found = [name for name, value in {**secret, "id": page["id"]}.items() if value in text]
    table.add(not found, "privacy", "nor in the log at its most talkative", found or f"{len(text):,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("units", type=int)
    given = parser.parse_args()
    table = Table("of", "what", "found")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name in ("keys", "other", "public", "limits", "plain"):
            (folder / name).mkdir()
        keys(given.program, folder / "keys", table)
        stranger = Server(given.program, folder / "other")
        stranger.start()
        call(stranger.port, "POST", "/v1/experiments", {"name": "plain", **SETTINGS})
        other = call(stranger.port, "POST", "/v1/experiments/plain/impressions", {"unit": "u", "lists": LISTS})[1]["id"]
        stranger.stop()
        public_without_keys(given.program, folder / "public", table)
        limits(given.program, folder / "limits", table)

        server = Server(given.program, folder / "plain", "--log-level", "trace", "--arrive-within", f"{ARRIVE:g}s")
        server.start()
        status, value = call(server.port, "POST", "/v1/experiments", {"name": "plain", **SETTINGS})
        table.add(status == 201, "plain", "an experiment", value if status != 201 else status)
        hosts(server, table)
        ids(server, other, table)
        races(server, table)
        bodies(server, table)
        requests(server, table)
        names(server, table)
        privacy(server, table)
        slow(server, table)
        units(server, given.units, table)
        alive = server.process is not None and server.process.poll() is None
        table.add(alive and server.starts == 1, "after all", "the server still runs", "")
        table.add(server.stop() == 0, "after all", "and ends when it is asked to", "")
        check = server.command("check")
        table.add(check.returncode == 0, "after all", "check", (check.stdout or check.stderr).strip().splitlines()[-1])
        table.add("panicked" not in server.log.read_text(errors="replace"), "after all", "no panic", "")
    table.end()


if __name__ == "__main__":
    main()
