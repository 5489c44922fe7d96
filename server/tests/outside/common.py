"""Shared by the scripts of this folder: a server as a process, plain requests, and the table of results.

They know the program from outside alone: HTTP, its commands, and its file by SQLite. Nothing of the code under test is used.
"""

from __future__ import annotations

import collections
import contextlib
import http.client
import json
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from typing import Any, Optional

Headers = dict[str, str]

# Two rankers, and the settings of an experiment with them.
LISTS = {"bm25": ["d1", "d2", "d3"], "neural": ["d3", "d4", "d1"]}
SETTINGS = {"rankers": ["bm25", "neural"], "window": "30s", "seed": 1}

# The exit code of scripts if the machine lacks a requirement.
SKIPPED = 77


def nginx_config(folder: pathlib.Path, http: str) -> str:
    """A configuration of nginx that writes to `folder` alone; `http` is what its block of that name has."""
    paths = "".join(f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return f"""daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1;
events {{ worker_connections 512; }}
http {{
  access_log off;
{paths}  {http}
}}
"""


class Server:
    """The program with a store, at a port of this machine."""

    def __init__(self, program: str, folder: pathlib.Path, *options: str) -> None:
        self.program = str(pathlib.Path(program).resolve())
        self.store = folder / "store.db"
        self.log = folder / "server.log"
        self.options = options
        self.port = free_port()
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.starts = 0

    def start(self, wait: bool = True) -> None:
        listen = f"127.0.0.1:{self.port}"
        command = [self.program, "serve", "--create", "--no-keys", "--store", str(self.store), "--listen", listen, *self.options]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        self.starts += 1
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self, within: float = 30.0) -> None:
        end = time.monotonic() + within
        while time.monotonic() < end:
            if self.process is not None and self.process.poll() is not None:
                raise SystemExit(f"the server ended with {self.process.returncode}: {self.tail()}")
            try:
                if call(self.port, "GET", "/ready", timeout=2.0)[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.01)
        raise SystemExit(f"the server is not ready after {within} s: {self.tail()}")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.program, *words, "--store", str(self.store)], capture_output=True, text=True, timeout=300)

    def tail(self) -> str:
        return self.log.read_text(errors="replace")[-2_000:] if self.log.exists() else ""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def call(
    port: int,
    method: str,
    path: str,
    body: Any = None,
    headers: Optional[Headers] = None,
    timeout: float = 10.0,
    connection: Optional[http.client.HTTPConnection] = None,
) -> tuple[int, Any]:
    """One request, never repeated; the status, and the value of the answer."""
    is_single_use = connection is None
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        content_type = {"Content-Type": "application/json"} if data is not None else {}
        connection.request(method, path, data, {**content_type, **(headers or {})})
        response = connection.getresponse()
        text = response.read()
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text
    except http.client.HTTPException as error:
        raise ConnectionError(str(error) or type(error).__name__) from None
    finally:
        if is_single_use:
            connection.close()


class Ended(Exception):
    """The rehearsal ended before a request had an answer."""


class Client:
    """Sends a request until it has an answer, over one connection at a time."""

    def __init__(self, server: Server, pauses: random.Random, over: Optional[threading.Event] = None) -> None:
        self.server, self.pauses, self.over = server, pauses, over
        self.connection: Optional[http.client.HTTPConnection] = None
        # The attempts that had no answer, by what came instead.
        self.unanswered: collections.Counter[str] = collections.Counter()

    def until_answered(self, method: str, path: str, body: Any = None) -> tuple[int, Any, int]:
        """The status and the value of the answer, and how often the request was sent."""
        tries = 0
        end = time.monotonic() + 60
        while time.monotonic() < end:
            tries += 1
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=5)
            try:
                status, value = call(0, method, path, body, connection=self.connection)
                if status not in (429, 503):
                    return status, value, tries
                self.unanswered[str(status)] += 1
            except OSError:
                self.unanswered["no answer"] += 1
                self.connection.close()
                self.connection = None
            if self.over is not None and self.over.is_set():
                raise Ended
            time.sleep(self.pauses.uniform(0.002, 0.02))
        raise RuntimeError(f"no answer to {method} {path.split('/')[-1]} within a minute; the server's log: {self.server.tail()}")


def events(store: pathlib.Path) -> list[tuple[int, int, int, Optional[int]]]:
    """Every event of a store, read by SQLite alone: experiment, number, kind and impression."""
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as file:
        ids = [row[0] for row in file.execute("SELECT id FROM experiments ORDER BY id")]
        return [(id, *row) for id in ids for row in file.execute(f"SELECT n, kind, impression FROM events_{id} ORDER BY n")]


class Table:
    """The attempts, the expectations, and the findings."""

    def __init__(self, *heads: str) -> None:
        self.heads = heads
        self.rows: list[tuple[str, ...]] = []
        self.failures = 0

    def add(self, holds: bool, *cells: object) -> bool:
        self.rows.append(("ok" if holds else "FAILED", *(str(cell) for cell in cells)))
        self.failures += not holds
        return holds

    def end(self) -> None:
        """Print it, and end the process: with 1 if something failed."""
        rows = [("", *self.heads), *self.rows]
        widths = [min(100, max(len(row[column]) if column < len(row) else 0 for row in rows)) for column in range(len(rows[0]))]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        print(f"{len(self.rows)} rows, {self.failures} failed")
        sys.exit(1 if self.failures else 0)


def raw(port: int, data: bytes, timeout: float = 5.0) -> bytes:
    """Bytes as they are, and all that comes back until the other side closes or is silent."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        answer = b""
        try:
            connection.sendall(data)
            while piece := connection.recv(65536):
                answer += piece
        except OSError:
            pass
        return answer


def status_of(answer: bytes) -> int:
    """The status of the first answer; 0 if the connection was closed without one."""
    parts = answer.split(b" ", 2)
    return int(parts[1]) if answer.startswith(b"HTTP/") and parts[1].isdigit() else 0


def click(id: str, document: str = "d1") -> dict[str, Any]:
    """An event of UBI."""
    return {"action_name": "click", "query_id": id, "event_attributes": {"object": {"object_id": document}}}
