"""Holds two servers with one store in PostgreSQL to the simulation: the same choices, also when another one leads every so often.

    python3 server/tests/outside/equal.py PROGRAM [--impressions N] [--every N] [--policies A,B]

Each policy is driven twice: at one server, and at a pair in which the lead changes after every so many impressions. A list of the champion, which users get while
no node leads, is asked for again here, since simulated users all get mixed lists. Exits with 77 where PostgreSQL is not installed, and with 1 if a choice differs.
"""

from __future__ import annotations

import argparse
import http.client
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from common import Table, call
from database import Database, programs
from speed import ended, serve


class Between(http.server.BaseHTTPRequestHandler):
    """Passes requests on to the servers in turn, and has the lead change."""

    protocol_version = "HTTP/1.1"
    # Otherwise the body of an answer waits until its headers are acknowledged: 40 ms each.
    disable_nagle_algorithm = True
    ports: list[int] = []
    every = 0
    count = 0
    connections: dict[int, http.client.HTTPConnection] = {}
    database: Database

    def change(self) -> None:
        """As a server takes over, for the other one; this one hears of it when it commits."""
        Between.database.sql(
            "BEGIN; SELECT epoch FROM rankduel.leader FOR UPDATE;"
            " UPDATE rankduel.leader SET epoch = epoch + 1, node = (SELECT node FROM rankduel.nodes WHERE node <> leader.node AND until > now());"
            " UPDATE rankduel.heads SET epoch = leader.epoch FROM rankduel.leader; COMMIT"
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_page = self.path.endswith("/impressions")
        if is_page and Between.every and Between.count and Between.count % Between.every == 0:
            Between.count += 1
            self.change()
        port = Between.ports[Between.count % len(Between.ports)]
        connection = Between.connections.setdefault(port, http.client.HTTPConnection("127.0.0.1", port, timeout=30))
        try:
            status, value = call(0, self.command, self.path, body or None, connection=connection)
        except OSError:
            connection.close()
            status, value = 503, {}
        if isinstance(value, dict) and value.get("why") == "unavailable":
            status, value = 503, {}
        Between.count += is_page and status == 200
        told = json.dumps(value).encode() if not isinstance(value, bytes) else value
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_PUT = do_POST

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--impressions", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=1_000)
    parser.add_argument("--policies", default="rucb,dts,mergerucb,rmed1,sparring,mdb")
    given = parser.parse_args()
    if programs() is None:
        print("skipped: PostgreSQL is not installed")
        sys.exit(77)
    program = str(pathlib.Path(given.program).resolve())
    table = Table("policy", "servers", "epochs", "lines that a simulation also has")
    with Database() as database, tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        database.make("rankduel")
        Between.database = database
        running: list[subprocess.Popen[bytes]] = []
        try:
            for name in ("one", "two"):
                process, url = serve(program, database.url(), folder / f"{name}.log", "--decision-timeout", "20s")
                running.append(process)
                Between.ports.append(int(url.rsplit(":", 1)[1]))
            compare(program, database, folder, given, table)
        finally:
            ended(running)
    table.end()


def compare(program: str, database: Database, folder: pathlib.Path, given: argparse.Namespace, table: Table) -> None:
    """Drive each policy, and compare what was served with what a simulation plays."""
    between = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Between)
    threading.Thread(target=between.serve_forever, daemon=True).start()
    pair = f"http://127.0.0.1:{between.server_address[1]}"
    alone = f"http://127.0.0.1:{Between.ports[0]}"
    for policy in given.policies.split(","):
        for place, url in (("one", alone), ("two", pair)):
            Between.every, Between.count = (given.every if place == "two" else 0), 0
            name = f"{policy}-{place}"
            began = time.monotonic()
            before = int(database.sql("SELECT epoch FROM rankduel.leader")[0][0])
            run = [program, "drive", "--experiment", name, "--create", policy, "--rankers", "6", "--seed", "7", "--quiet"]
            run += ["--impressions", str(given.impressions)]
            driven = subprocess.run([*run, "--url", url], capture_output=True, text=True)
            if driven.returncode:
                raise SystemExit(driven.stderr)
            expected, served = folder / f"{name}.simulated", folder / f"{name}.served"
            subprocess.run([*run, "--expect", str(expected)], check=True, capture_output=True)
            replay = [program, "replay", name, "--store", database.url(), "--choices", str(served)]
            subprocess.run(replay, check=True, capture_output=True)
            epochs = int(database.sql("SELECT epoch FROM rankduel.leader")[0][0]) - before
            simulated, found = expected.read_text().splitlines(), served.read_text().splitlines()
            same = sum(one == other for one, other in zip(simulated, found))
            holds = simulated == found and len(found) == given.impressions
            holds &= place == "one" or epochs >= given.impressions // given.every - 1
            table.add(holds, policy, place, epochs, f"{same} of {len(simulated)}")
            print(*table.rows[-1], f"{time.monotonic() - began:.0f} s", flush=True)
    check = subprocess.run([program, "check", "--store", database.url()], capture_output=True, text=True)
    table.add(check.returncode == 0, "all", "", "", check.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
