"""Puts the real nginx in front of a server.

    python3 server/tests/outside/proxy.py PROGRAM

Without nginx it says so and exits with 77.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from common import LISTS, SETTINGS, SKIPPED, Server, Table, call, free_port, nginx_config


class Proxy:
    """An nginx in front of a server."""

    def __init__(self, nginx: str, folder: pathlib.Path, server: Server, more: str) -> None:
        folder.mkdir()
        self.port = free_port()
        config = folder / "nginx.conf"
        passed = f"location / {{ proxy_pass http://127.0.0.1:{server.port}; {more} }}"
        config.write_text(nginx_config(folder, f"server {{ listen 127.0.0.1:{self.port}; {passed} }}"))
        self.process = subprocess.Popen([nginx, "-e", str(folder / "nginx.log"), "-c", str(config)])
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                call(self.port, "GET", "/health", timeout=1.0)
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("nginx does not answer")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    given = parser.parse_args()
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        print("no nginx: proxies are skipped")
        sys.exit(SKIPPED)
    table = Table("what", "found")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "open").mkdir()
        server = Server(given.program, folder / "open")
        server.start()
        proxy = Proxy(nginx, folder / "plain", server, "")
        for method, path, body in [("GET", "/v1/experiments", None), ("GET", "/", None), ("POST", "/v1/experiments", {"name": "e", **SETTINGS}), ("POST", "/v1/events", [])]:
            status, value = call(proxy.port, method, path, body)
            table.add(status == 403, f"without keys, nginx as it comes: {method} {path}", status)
        table.add(call(proxy.port, "GET", "/health")[0] == 200, "but a check of the server's life", "")
        table.add(call(server.port, "GET", "/v1/experiments")[1]["experiments"] == [], "nothing was made", "")
        proxy.stop()
        server.stop()

        (folder / "keys").mkdir()
        server = Server(given.program, folder / "keys", "--trusted-proxy", "127.0.0.1", "--address-rate", "30")
        key = {"Authorization": f"Bearer {server.command('keys', 'add', 'admin', '--create').stdout.strip()}"}
        server.start()
        more = "proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
        proxy = Proxy(nginx, folder / "told", server, more)
        status, value = call(proxy.port, "POST", "/v1/experiments", {"name": "e", **SETTINGS}, key)
        table.add(status == 201, "with keys, an experiment through the proxy", status)
        status, value = call(proxy.port, "POST", "/v1/experiments/e/impressions", {"unit": "u", "lists": LISTS}, key)
        table.add(status == 200 and value["credited"], "and an impression", status)
        time.sleep(1.1)
        limited = [call(proxy.port, "GET", "/v1/experiments", None, key)[0] for _ in range(60)].count(429)
        table.add(limited >= 20, "its address has a rate", limited)
        proxy.stop()
        server.stop()
    table.end()


if __name__ == "__main__":
    main()
