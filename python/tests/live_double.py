"""A server in this process that plays the live server: strict with requests, and out of order on demand."""

from __future__ import annotations

import contextlib
import http.server
import json
import socket
import ssl
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import openapi
from rankduel.client import Client

KEY = "rd_0123456789abcdef0123456789abcdef"
ROLES = {KEY: "admin"}

# The requests of the client's tests.
LISTS = {"bm25": [f"b{n}" for n in range(9)], "neural": [f"n{n}" for n in range(9)]}

# The sentence for an open verdict.
OUTLOOK = {"winner": None, "action": "wait", "advice": "Wait."}

# Where a connection can break, and whether the request was carried out before.
BREAKS = {"unread": False, "read": False, "reset": False, "lost": True, "garbage": True, "status": True, "headers": True, "body": True}


class Refused(Exception):
    def __init__(self, status: int, detail: str, **more: str) -> None:
        super().__init__(detail)
        self.status, self.detail, self.more = status, detail, more


class Request(NamedTuple):
    method: str
    path: str
    body: bytes
    authorization: str | None
    time: float


class Double:
    """The records of the server, and the next faults."""

    def __init__(self, keys: bool = True) -> None:
        self.keys = keys
        self.lock = threading.RLock()
        self.faults: deque[str] = deque()
        self.wrong: list[str] = []
        self.requests: list[Request] = []
        self.recorded: Counter[str] = Counter()
        self.connections = 0
        self.open: set[socket.socket] = set()
        self.templates: set[str] = set()
        self.experiments: dict[str, dict[str, Any]] = {}
        self.by_key: dict[tuple[str, str], tuple[Any, dict[str, Any]]] = {}
        self.impressions: dict[str, dict[str, Any]] = {}
        self.clicks: set[tuple[str, str]] = set()
        self.outcomes: set[tuple[Any, ...]] = set()
        self.shipped: dict[str, str] = {}
        self.shares: dict[str, float] = {}
        self.export = [{"impression": n} for n in range(5)]

    def next_fault(self) -> str | None:
        with self.lock:
            return self.faults.popleft() if self.faults else None

    def answer(self, method: str, path: str, content_type: str | None, data: bytes, authorization: str | None) -> tuple[int, str, bytes]:
        path, _, query = path.partition("?")
        called: dict[str, Any] | None = None
        try:
            template, called, values = openapi.operation(method, path)
            self.templates.add(f"{method} {template}")
            body = openapi.check_request(called, content_type, data)
            if self.keys and called["security"] and authorization != f"Bearer {KEY}":
                raise Refused(401, "this call needs a key", do="send the header Authorization")
            if called["operationId"] == "exportLog":
                openapi.check(query.removeprefix("what="), called["parameters"][0]["schema"], "what")
                text = "".join(json.dumps(line) + "\n" for line in self.export)
                openapi.check_answer(called, 200, "application/x-ndjson", text)
                return 200, "application/x-ndjson", text.encode()
            with self.lock:
                status, value = 200, getattr(self, called["operationId"])(values, body)
            status = 201 if called["operationId"] == "createExperiment" else status
            kind = "application/json"
        except Refused as refused:
            status, kind = refused.status, "application/problem+json"
            value = {"type": "about:blank", "title": "Refused", "status": status, "detail": refused.detail, **refused.more}
        except openapi.Wrong as wrong:
            self.wrong.append(f"{method} {path}: {wrong}")
            status, kind = 422, "application/problem+json"
            value = {"type": "about:blank", "title": "Wrong", "status": 422, "detail": str(wrong)}
        if called is not None:
            try:
                openapi.check_answer(called, status, kind, value)
            except openapi.Wrong as wrong:
                self.wrong.append(f"answer to {method} {path}: {wrong}")
        return status, kind, json.dumps(value).encode()

    # Operations, by their ids in the document.

    def createExperiment(self, values: Any, body: Any) -> Any:
        if body["name"] in self.experiments:
            raise Refused(409, f"there is an experiment {body['name']!r} already")
        rankers = [{"name": r, "version": ""} if isinstance(r, str) else {"version": "", **r} for r in body["rankers"]]
        made = {"experiment": body["name"], "version": body["name"] + "@0123456789abcdef", "state": "running"}
        has = {"shown": 10, "window": "30m", "policy": "fixed", **body, "rankers": rankers}
        has["depth"] = has.get("depth") or has["shown"]
        has["champion"] = has.get("champion") or rankers[0]["name"]
        has["guardrails"] = {"no_click": 0.1, "then": "warn", **has.get("guardrails", {})}
        has["policy"] = has["policy"].replace("rucb:alpha=.6", "rucb:variant=arxiv:alpha=0.6")
        made["settings"] = has
        self.experiments[body["name"]] = made
        self.recorded["experiments"] += 1
        return made

    def found(self, values: dict[str, str]) -> dict[str, Any]:
        if values["experiment"] not in self.experiments:
            raise Refused(404, f"there is no experiment {values['experiment']!r}")
        return self.experiments[values["experiment"]]

    def listExperiments(self, values: Any, body: Any) -> Any:
        stands = {"standing": "undecided", "warnings": []}
        lines = [{k: e[k] for k in ("experiment", "version", "state")} for e in self.experiments.values()]
        return {"experiments": [{**line, "since": 1, "impressions": 0, "headline": "undecided", "trusted": True, **OUTLOOK, **stands} for line in lines], "next": None}

    def experimentStatus(self, values: Any, body: Any) -> Any:
        names = ("taken", "duplicate", "late", "not-shown", "near-id", "ignored", "malformed", "noisy")
        clicks = dict.fromkeys(names, 0)
        pages = {"trusted": True, "faults": [], "tested": ""}
        counts = {"impressions": {}, "clicks": clicks, "units": {}, "open": 0, "pairs": [], "report": [], "guardrails": []}
        return {**self.found(values), **OUTLOOK, "fallback": self.shipped.get(values["experiment"], "bm25"), "since": 1, "time": 2, "headline": "undecided", "standing": "undecided", "changes": [], "policy": {"name": "fixed"}, "share": {"now": self.shares.get(values["experiment"], 0.05), "next": None, "raises": []}, "ends": None, "waits_for": None, **pages, **counts}

    def changed(self, values: Any, body: Any, state: str) -> Any:
        experiment = self.found(values)
        if experiment["state"] in (state, "ended", "killed"):
            raise Refused(409, f"the experiment is {experiment['state']}")
        experiment["state"] = state
        self.recorded["changes"] += 1
        return {"experiment": experiment["experiment"], "state": state}

    def pause(self, values: Any, body: Any) -> Any:
        return self.changed(values, body, "paused")

    def resume(self, values: Any, body: Any) -> Any:
        return self.changed(values, body, "running")

    def kill(self, values: Any, body: Any) -> Any:
        return self.changed(values, body, "killed")

    def end(self, values: Any, body: Any) -> Any:
        return self.changed(values, body, "ended")

    def raiseShare(self, values: Any, body: Any) -> Any:
        experiment = self.found(values)
        share = self.shares.get(experiment["experiment"], 0.05)
        if body["share"] < share:
            raise Refused(409, f"the share is {share} and is only raised")
        self.shares[experiment["experiment"]] = body["share"]
        return {"experiment": experiment["experiment"], "share": body["share"]}

    def ship(self, values: Any, body: Any) -> Any:
        experiment = self.found(values)
        if self.shipped.get(experiment["experiment"]) == body["ranker"]:
            raise Refused(409, "it was shipped already")
        self.shipped[experiment["experiment"]] = body["ranker"]
        experiment["state"] = "shipped"
        self.recorded["changes"] += 1
        return {"experiment": experiment["experiment"], "state": "shipped", "ranker": body["ranker"]}

    @staticmethod
    def page(experiment: dict[str, Any]) -> int:
        return int(experiment["settings"]["shown"])

    def once(self, kind: str, body: Any, make: Any) -> dict[str, Any]:
        """The answer of the same key; another body with it is refused."""
        at = (kind, body["key"])
        if at not in self.by_key:
            self.by_key[at] = (body, make())
            self.recorded[kind] += 1
        before, made = self.by_key[at]
        if before != body:
            raise Refused(422, "this key came with another body", path="key")
        return made

    def new_id(self) -> str:
        return f"i{len(self.by_key):05}_-"

    def newImpression(self, values: Any, body: Any) -> Any:
        experiment = self.found(values)
        names = [r["name"] for r in experiment["settings"]["rankers"]]
        if sorted(body["lists"]) != sorted(names):
            raise Refused(422, f"expected lists of {names}", path="lists", found=str(list(body["lists"])), expected=str(names), do="send all")
        lists = [[d if isinstance(d, str) else d["id"] for d in body["lists"][name]] for name in names]
        if experiment["state"] != "running":
            return {"shown": lists[0][: self.page(experiment)], "credited": False, "why": experiment["state"]}

        def make() -> dict[str, Any]:
            mixed = list(dict.fromkeys(d for pair in zip(*lists) for d in pair))
            made = {"id": self.new_id(), "shown": mixed[: self.page(experiment)], "credited": True}
            self.impressions[made["id"]] = {"unit": body["unit"], "mixed": mixed, "page": self.page(experiment), "closed": False}
            return made

        return self.once("impressions", body, make)

    def chooseRankers(self, values: Any, body: Any) -> Any:
        experiment = self.found(values)
        names = [r["name"] for r in experiment["settings"]["rankers"]]

        def make() -> dict[str, Any]:
            made = {"id": self.new_id(), "rankers": names[:2], "credited": True}
            self.impressions[made["id"]] = {"rankers": names[:2], "page": self.page(experiment), "closed": False}
            return made

        return self.once("impressions", body, make)

    def impression(self, values: Any) -> dict[str, Any]:
        if values["id"] not in self.impressions:
            raise Refused(404, "there is no such impression")
        return self.impressions[values["id"]]

    def putLists(self, values: Any, body: Any) -> Any:
        impression = self.impression(values)
        if sorted(body["lists"]) != sorted(impression["rankers"]):
            raise Refused(422, "expected lists of all that were chosen", path="lists")
        if "lists" in impression and impression["lists"] != body["lists"]:
            raise Refused(409, "other lists came before")
        if "lists" not in impression:
            self.recorded["lists"] += 1
            impression["lists"] = body["lists"]
            impression["mixed"] = [d if isinstance(d, str) else d["id"] for d in body["lists"][impression["rankers"][0]]]
        return {"id": values["id"], "shown": impression["mixed"][: impression["page"]], "credited": True}

    def nextPage(self, values: Any, body: Any) -> Any:
        impression = self.impression(values)
        seen = body["seen"] if body else impression["page"]
        impression["seen"] = seen
        return {"shown": impression["mixed"][seen : seen + impression["page"]]}

    def putShown(self, values: Any, body: Any) -> Any:
        self.impression(values)["displayed"] = body["documents"]
        return {"places": len(body["documents"]) - len(body.get("pinned", []))}

    def closeImpression(self, values: Any, body: Any) -> Any:
        impression = self.impression(values)
        closed, impression["closed"] = not impression["closed"], True
        self.recorded["closed"] += closed
        return {"closed": closed}

    def newDuel(self, values: Any, body: Any) -> Any:
        names = [r["name"] for r in self.found(values)["settings"]["rankers"]]

        def make() -> dict[str, Any]:
            made = {"id": self.new_id(), "first": names[0], "second": names[1]}
            self.impressions[made["id"]] = {"closed": False}
            return made

        return self.once("duels", body, make)

    def judgeDuel(self, values: Any, body: Any) -> Any:
        duel = self.impression(values)
        taken, duel["closed"] = not duel["closed"], True
        self.recorded["judged"] += taken
        return {"taken": taken}

    def sendEvents(self, values: Any, body: Any) -> Any:
        results = [self.event(event) for event in (body if isinstance(body, list) else [body])]
        return {"results": results, "taken": sum(r["status"] == "taken" for r in results)}

    def event(self, event: Any) -> dict[str, str]:
        # The server answers others as malformed; the client sends none.
        openapi.check(event, openapi.DOCUMENT["components"]["schemas"]["UbiEvent"], "event")
        impression = self.impressions.get(event.get("query_id"))
        counting = [made["settings"] for made in self.experiments.values()]
        if any(event["action_name"] in (made.get("outcomes") or {}) for made in counting):
            return self.outcome(event)
        if event["action_name"] != "click":
            return {"status": "ignored", "why": "other action"}
        if impression is None:
            return {"status": "unknown", "why": "no such impression"}
        document = event["event_attributes"]["object"]["object_id"]
        if document not in impression["mixed"]:
            return {"status": "not-shown", "why": "the page did not show it"}
        if (event["query_id"], document) in self.clicks:
            return {"status": "duplicate", "why": "it counts already"}
        self.clicks.add((event["query_id"], document))
        self.recorded["clicks"] += 1
        return {"status": "taken"}

    def outcome(self, event: Any) -> dict[str, str]:
        page = self.impressions.get(event.get("query_id"))
        pages = [page] if page else [one for one in self.impressions.values() if one.get("unit") == event.get("unit")]
        document = event["event_attributes"]["object"]["object_id"]
        if not pages:
            return {"status": "unknown-unit", "why": "no such unit"}
        if not any(document in one.get("mixed", []) for one in pages):
            return {"status": "not-shown", "why": "no page showed it"}
        line = (pages[0].get("unit"), document, event.get("order_id"), event["action_name"], event.get("value"))
        if line in self.outcomes:
            return {"status": "duplicate", "why": "it counts already"}
        self.outcomes.add(line)
        self.recorded["outcomes"] += 1
        return {"status": "taken"}

    def deleteUnit(self, values: Any, body: Any) -> Any:
        return {"deleted": True, "impressions": 1, "erased": True}

    def deleteExperiment(self, values: Any, body: Any) -> Any:
        made = self.found(values)
        if made["state"] not in ("ended", "shipped"):
            raise Refused(409, f"experiment {values['experiment']!r} is {made['state']}; end it before you delete it")
        del self.experiments[values["experiment"]]
        return {"experiment": values["experiment"], "deleted": True, "erased": True}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    double: Double
    # Head and body of an answer are two writes: a client must not wait for an acknowledgement in between.
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        with self.double.lock:
            self.double.connections += 1
            self.double.open.add(self.connection)

    def finish(self) -> None:
        with self.double.lock:
            self.double.open.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, *_: Any) -> None:
        pass

    def broken(self, reset: bool = False) -> None:
        self.close_connection = True
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    def serve(self) -> None:
        double = self.double
        name, _, number = (double.next_fault() or "").partition(":")
        if name == "unread":
            return self.broken()
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with double.lock:
            double.requests.append(Request(self.command, self.path, data, self.headers.get("Authorization"), time.monotonic()))
        if name in ("read", "reset"):
            return self.broken(reset=name == "reset")
        if name == "wait":
            time.sleep(float(number))
        if name.isdigit() and name != "504":
            title = {"type": "about:blank", "title": "Out of order", "status": int(name), "detail": "try again"}
            return self.send(int(name), "application/problem+json", json.dumps(title).encode(), {"Retry-After": number} if number else {})
        answer = double.answer(self.command, self.path, self.headers.get("Content-Type"), data, self.headers.get("Authorization"))
        if name == "late":
            time.sleep(float(number))
        if name == "504":
            return self.send(504, "text/html", b"<html>")
        if name == "html":
            return self.send(200, "text/html", b"<html>welcome</html>")
        if name == "list":
            return self.send(200, "application/json", b"[]")
        if name == "drip":
            return self.dripped(answer[2], float(number))
        if name in BREAKS:
            return self.cut(name, *answer)
        if name == "moved":
            return self.send(308, "text/plain", b"", {"Location": "http://elsewhere.example/"})
        return self.send(*answer)

    def cut(self, name: str, status: int, kind: str, body: bytes) -> None:
        head = f"HTTP/1.1 {status} OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        sent = {"lost": b"", "garbage": b"\x16\x03\x01 not HTTP\r\n\r\n", "status": head[:9].encode(), "headers": head[:40].encode()}
        self.wfile.write(sent.get(name, (head + "\r\n").encode() + body[: len(body) // 2]))
        self.broken()

    def dripped(self, body: bytes, pause: float) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with contextlib.suppress(OSError):
            for byte in head.encode() + body:
                self.wfile.write(bytes([byte]))
                time.sleep(pause)

    def send(self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = serve


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    # A client that went away while it was answered is what these tests are about.
    def handle_error(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def serving(double: Double, port: int = 0, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address at which the double serves."""
    handler = type("Bound", (Handler,), {"double": double})
    server = Server(("127.0.0.1", port), handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        with double.lock:
            left = list(double.open)
        for connection in left:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        server.server_close()


def started(client: Client) -> None:
    """The experiment of `LISTS`."""
    client.create("search", ["bm25", "neural"], shown=3, depth=9)
