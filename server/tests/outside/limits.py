"""Too much, too slow, too long, and what is not a request at all: a part of `security.py`."""

from __future__ import annotations

import http.client
import json
import pathlib
import socket
import threading
import time
from typing import Any, Optional

from common import LISTS, SETTINGS, Headers, Server, Table, call, click, raw, status_of

# The time a request may take to arrive, in seconds.
ARRIVE = 1.0


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
        ("an array", b"[]", (400, 422)), ("null", b"null", (400, 422)), ("a unit of another type", json.dumps({"unit": [7], "lists": LISTS}).encode(), (400, 422)),
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
                    # An answer (such as 408) may come first.
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
    statuses = [call(port, "GET", "/v1/experiments")[0] for _ in range(200)]
    table.add(statuses.count(429) >= 50, "limits", "50 requests a second", f"{statuses.count(200)} answered, {statuses.count(429)} refused")
    statuses = [call(port, "GET", path)[0] for path in ("/health", "/ready", "/metrics") for _ in range(40)]
    table.add(set(statuses) == {200}, "limits", "but not of who looks whether it lives", statuses.count(200))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    after = None
    for _ in range(200):
        connection.request("GET", "/v1/experiments")
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
            one.sendall(b"GET /v1/experiments HTTP/1.1\r\nHost: localhost\r\n\r\n")
            busy += status_of(one.recv(4096)) in (503, 0)
        except OSError:
            busy += 1
    table.add(busy >= 25, "limits", "connections end at 30", f"{busy} of 30 more were refused")
    for one in many[30:]:
        one.close()
    table.add(call(port, "GET", "/health")[0] == 200, "limits", "but not for who looks whether it lives", "")
    for one in many:
        one.close()
    time.sleep(0.3)
    table.add(call(port, "GET", "/health")[0] == 200, "limits", "and are free again", "")
    server.stop()
    table.add("panicked" not in server.tail(), "limits", "no panic", "")
