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
from typing import Any

# No folder of compiled files beside the sources.
sys.dont_write_bytecode = True

import limits
from common import LISTS, SETTINGS, Headers, Server, Table, call, click, free_port, raw, status_of

SCRIPT = "<script>alert(1)</script>"
SQL = "'; DROP TABLE events; --"
HOSTILE = [SCRIPT, SQL, '" OR ""="', "{{7*7}}", "${jndi:ldap://x}", "../../etc/passwd", "\u202eevil", "=cmd|' /C calc'!A0", "%s%n", "\U0001f9e8"]


def bearer(key: str) -> Headers:
    return {"Authorization": f"Bearer {key}"}


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
    """Permissions."""
    server = Server(program, folder)
    made: dict[str, str] = {}
    for name, words in {
        "admin": ["admin", "--create"],
        "serve": ["serve"],
        "read": ["read"],
        "revoked": ["admin", "--label", "gone"],
        "expired": ["admin", "--expires", "1ms"],
        "other": ["serve", "--experiment", "other"],
    }.items():
        if name == "other":
            server.start()
            for experiment in ("mine", "other"):
                status, value = call(server.port, "POST", "/v1/experiments", {"name": experiment, **SETTINGS}, bearer(made["admin"]))
                table.add(status == 201, "keys", f"admin creates {experiment}", status if status == 201 else value)
        done = server.command("keys", "add", *words)
        made[name] = done.stdout.strip().splitlines()[-1] if done.returncode == 0 else ""
        table.add(done.returncode == 0 and len(made[name]) > 40, "keys", f"a key is made for {name}", done.stderr.strip())
    listed = server.command("keys", "list").stdout
    table.add(not any(key in listed for key in made.values()), "keys", "the list of keys shows none", "")
    line = next((line for line in listed.splitlines() if "gone" in line), "0")
    revoked = server.command("keys", "revoke", line.split("\t")[0])
    table.add(revoked.returncode == 0, "keys", "one is revoked", revoked.stderr.strip())
    typo = server.command("keys", "add", "serve", "--experiment", "othre")
    table.add(typo.returncode == 2 and "mine, other" in typo.stderr, "keys", "a key for an experiment that is not there", typo.stderr.strip())
    port = server.port
    # Keys of other processes are known within a second.
    time.sleep(1.5)
    _, page = call(port, "POST", "/v1/experiments/mine/impressions", {"unit": "u", "lists": LISTS}, bearer(made["serve"]))
    id = page["id"]

    bad: list[tuple[str, Headers]] = [
        ("no key", {}),
        ("a wrong key", bearer(made["admin"][:-1] + ("A" if made["admin"][-1] != "A" else "B"))),
        ("a revoked key", bearer(made["revoked"])),
        ("an expired key", bearer(made["expired"])),
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
    for name, head in [("no Host", ""), ("two Hosts", "Host: localhost\r\nHost: evil.example\r\n")]:
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
    command = [server.program, "serve", "--create", "--no-keys", "--store", str(server.store), *server.options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        message = done.stderr.strip().splitlines()[-1:] or [""]
        table.add(done.returncode in (1, 2) and "key" in message[0], "hosts", "without keys, only this machine is served", message[0])
    except subprocess.TimeoutExpired:
        table.add(False, "hosts", "without keys, only this machine is served", "it serves everybody")


def doors(program: str, folder: pathlib.Path, table: Table) -> None:
    """A store without keys is for this machine alone, and none is made by mistake."""
    server = Server(program, folder)
    command = [server.program, "serve", "--store", str(server.store), "--listen", f"127.0.0.1:{free_port()}"]
    for what in ("missing", "empty"):
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        table.add(done.returncode == 1 and "--create" in done.stderr, "doors", f"a store that is {what}", done.stderr.strip()[-90:])
        server.store.touch()
    listen = f"127.0.0.1:{server.port}"
    with subprocess.Popen([*command[:4], "--listen", listen, "--create"], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        lines = [first.stdout.readline().strip() for _ in range(3)]
        table.add(lines[1].startswith("rankduel_"), "doors", "a new store has a key, which is printed", lines[0])
        table.add(call(server.port, "GET", "/v1/experiments")[0] == 401, "doors", "and is open to nobody without", "")
        table.add(call(server.port, "GET", "/v1/experiments", None, bearer(lines[1]))[0] == 200, "doors", "but to who has it", "")
        first.terminate()
    server.store.unlink()
    server.start()
    for header in ("X-Forwarded-For: 1.2.3.4", "Forwarded: for=1.2.3.4", "Via: 1.1 shop", "X-Real-IP: 1.2.3.4", "X-Forwarded-Host: shop", "X-Forwarded-Proto: https"):
        answer = raw(server.port, f"GET /v1/experiments HTTP/1.1\r\nHost: localhost\r\n{header}\r\nConnection: close\r\n\r\n".encode())
        table.add(status_of(answer) == 403, "doors", f"without keys, {header}", status_of(answer))
    answer = raw(server.port, f"GET /v1/experiments HTTP/1.0\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
    table.add(status_of(answer) == 403, "doors", "without keys, as a proxy asks that adds nothing", status_of(answer))
    mode = server.store.stat().st_mode & 0o777
    table.add(mode == 0o600, "doors", "a store is for its owner alone", oct(mode))
    server.stop()


def browsers(program: str, folder: pathlib.Path, table: Table) -> None:
    """Events from callers without a key on `/v1/events`, where keys are needed for the rest."""
    server = Server(program, folder, "--trusted-proxy", "127.0.0.1", "--address-rate", "20", "--impression-rate", "5")
    key = server.command("keys", "add", "admin", "--create").stdout.strip()
    server.start()
    port = server.port
    call(port, "POST", "/v1/experiments", {"name": "e", **SETTINGS}, bearer(key))
    page = call(port, "POST", "/v1/experiments/e/impressions", {"unit": "u", "lists": LISTS}, bearer(key))[1]
    event = click(page["id"], page["shown"][0])
    for count, expected in ((100, 200), (101, 413)):
        status = call(port, "POST", "/v1/events", [click("x")] * count)[0]
        table.add(status == expected, "browsers", f"{count} events", status)
    status = call(port, "POST", "/v1/events", [click("x")] * 101, bearer(key))[0]
    table.add(status == 200, "browsers", "101 with a key", status)
    bad = b"[" + b"7," * 90 + b"7]"
    answer = raw(port, b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(bad) + bad)
    body = answer.partition(b"\r\n\r\n")[2]
    table.add(status_of(answer) == 200 and b"why" not in body and len(body) < 30 * 91, "browsers", "nothing is explained to them", f"{len(bad)} bytes sent, {len(body)} come back")
    large = json.dumps([click("x" * 200, "d" * 250)] * 100 + [{"pad": "x" * 100_000}]).encode()
    status = call(port, "POST", "/v1/events", large, {"Content-Type": "application/json"})[0]
    table.add(status == 413, "browsers", f"a body of {len(large):,} bytes", status)
    time.sleep(1.1)
    fates = [one["status"] for one in call(port, "POST", "/v1/events", [event] * 20)[1]["results"]]
    table.add(fates[0] == "taken" and fates.count("duplicate") == 4 and fates.count("limited") == 15, "browsers", "20 events of an impression in a second", fates.count("limited"))
    time.sleep(1.1)
    mixed = call(port, "POST", "/v1/events", [event, {"action_name": 7}, 7, {"query_id": page["id"]}, event])[1]["results"]
    table.add([one["status"] for one in mixed] == ["duplicate", *["malformed"] * 3, "duplicate"], "browsers", "one that is wrong stops no other", [one["status"] for one in mixed])
    time.sleep(1.1)
    of = lambda address: [call(port, "POST", "/v1/events", [click("x")], {"X-Forwarded-For": address})[0] for _ in range(40)].count(429)
    limited = {address: of(address) for address in ("9.9.9.9", "8.8.8.8", "1.1.1.1, 7.7.7.7")}
    table.add(all(count >= 10 for count in limited.values()), "browsers", "each address that a trusted proxy names has a rate", limited)
    time.sleep(1.1)
    spread = [call(port, "POST", "/v1/events", [click("x")], {"X-Forwarded-For": f"2001:db8::{n:x}"})[0] for n in range(1, 41)].count(429)
    table.add(spread >= 10, "browsers", "a network of IPv6 has one", spread)
    time.sleep(1.1)
    spoofed = [call(port, "POST", "/v1/events", [click("x")], {"X-Forwarded-For": f"10.0.0.{n}, 6.6.6.6"})[0] for n in range(40)].count(429)
    table.add(spoofed >= 10, "browsers", "what a visitor says of itself before the proxy does not count", spoofed)
    # Bodies that never end; each claims to be large.
    head = b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 5.5.5.%d\r\nContent-Type: application/json\r\nContent-Length: 131072\r\n\r\n"
    held = []
    assert server.process is not None
    before = memory(server.process.pid)
    for n in range(600):
        one = socket.create_connection(("127.0.0.1", port), timeout=5)
        one.sendall(head % (n % 250) + b" " * 131_000)
        held.append(one)
    time.sleep(0.5)
    grown = memory(server.process.pid) - before
    began = time.monotonic()
    status, value = call(port, "POST", "/v1/experiments/e/impressions", {"unit": "v", "lists": LISTS}, bearer(key))
    took = time.monotonic() - began
    table.add(grown < 64 << 20 and status == 200, "browsers", "600 bodies that never end", f"{grown >> 20} MiB, a page after {1000 * took:.0f} ms")
    for one in held:
        one.close()
    server.stop()
    rows = server.command("audit").stdout
    table.add("key made" in rows, "browsers", "the audit has what commands did", len(rows.splitlines()) - 1)


def memory(process: int) -> int:
    """The memory of a process in bytes; 0 where that is not told."""
    status = pathlib.Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:")), 0)


def ids(server: Server, other: str, table: Table) -> None:
    """Ids that were not given out, or for something else."""
    port = server.port
    impressions = "/v1/experiments/plain/impressions"
    page = call(port, "POST", impressions, {"unit": "ids", "query": "q", "lists": LISTS})[1]
    id: str = page["id"]
    table.add(len(id) == 52 and id.isascii(), "ids", "an id", f"{len(id)} letters")

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
    for what, text in [("empty", ""), ("padded", id + "="), ("spaces", f" {id}"), ("long", "A" * 100_000), ("of another store", other), ("SQL", SQL), ("NUL", "\0" * 52)]:
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
    shown = call(port, "GET", "/v1/experiments/%3Cscript%3E")
    table.add(shown[0] in (400, 404), "names", "in a path that is not there", shown[0])


def privacy(server: Server, table: Table) -> None:
    """Units, queries, agents and keys are in no file."""
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
        for name in ("keys", "other", "public", "doors", "browsers", "limits", "plain"):
            (folder / name).mkdir()
        keys(given.program, folder / "keys", table)
        stranger = Server(given.program, folder / "other")
        stranger.start()
        call(stranger.port, "POST", "/v1/experiments", {"name": "plain", **SETTINGS})
        other = call(stranger.port, "POST", "/v1/experiments/plain/impressions", {"unit": "u", "lists": LISTS})[1]["id"]
        stranger.stop()
        public_without_keys(given.program, folder / "public", table)
        doors(given.program, folder / "doors", table)
        browsers(given.program, folder / "browsers", table)
        limits.limits(given.program, folder / "limits", table)

        server = Server(given.program, folder / "plain", "--log-level", "trace", "--request-timeout", f"{limits.ARRIVE:g}s")
        server.start()
        status, value = call(server.port, "POST", "/v1/experiments", {"name": "plain", **SETTINGS})
        table.add(status == 201, "plain", "an experiment", value if status != 201 else status)
        hosts(server, table)
        ids(server, other, table)
        races(server, table)
        limits.bodies(server, table)
        limits.requests(server, table)
        names(server, table)
        privacy(server, table)
        limits.slow(server, table)
        limits.units(server, given.units, table)
        alive = server.process is not None and server.process.poll() is None
        table.add(alive and server.starts == 1, "after all", "the server still runs", "")
        table.add(server.stop() == 0, "after all", "and ends when it is asked to", "")
        check = server.command("check")
        table.add(check.returncode == 0, "after all", "check", (check.stdout or check.stderr).strip().splitlines()[-1])
        table.add("panicked" not in server.log.read_text(errors="replace"), "after all", "no panic", "")
    table.end()


if __name__ == "__main__":
    main()
