#!/usr/bin/env python3
"""The relays of `server/relays` pass signed messages on to Slack and by mail, once, and say when they could not.

    relay.py

Both receivers are played here: a web server as Slack's, and a few lines of SMTP.
"""

import hashlib
import hmac
import json
import socketserver
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

RELAY = Path(__file__).parents[2] / "relays" / "relay.py"
KEY = b"a key of more than sixteen bytes"
MESSAGE = {
    "experiment": "search\nX: y",
    "time": "2026-11-26T12:00:00.000Z",
    "kind": "decided",
    "sentence": "search: new beats old.",
    "advice": "Ship new.",
    "ranker": "new",
    "page": "/e/search",
}


def post(port, number, signature=None, message=MESSAGE):
    body = json.dumps(message).encode()
    right = hmac.new(KEY, str(number).encode() + b"." + body, hashlib.sha256).hexdigest()
    headers = {"rankduel-delivery": str(number), "rankduel-signature": f"sha256={signature or right}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def relay(folder, *flags):
    (folder / "key").write_bytes(KEY + b"\n")
    words = [sys.executable, str(RELAY), "--listen", "127.0.0.1:0", "--key", str(folder / "key"), *map(str, flags)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline().rsplit(":", 1)[1])


def slack(folder):
    taken, status = [], [200]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            taken.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(status[0])
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (folder / "url").write_text(f"http://127.0.0.1:{server.server_address[1]}/services/x\n")
    process, port = relay(folder, "--slack", folder / "url")
    try:
        assert post(port, 1, "0" * 64) == 403
        status[0] = 500
        assert post(port, 1) == 502
        status[0] = 200
        assert [post(port, 1), post(port, 1), post(port, 2)] == [204, 204, 204]
        assert taken == 3 * [{"text": "search: new beats old.\nShip new."}], taken
    finally:
        process.kill()
        server.shutdown()


def mail(folder):
    taken = []

    class Smtp(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline():
                word = line[:4].upper().strip()
                if word == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    text = []
                    while (part := self.rfile.readline()) != b".\r\n":
                        text.append(part.decode())
                    taken.append("".join(text))
                self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Smtp)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    smtp = f"127.0.0.1:{server.server_address[1]}"
    process, port = relay(folder, "--mail", "team@shop.example", "--from", "rankduel@shop.example", "--smtp", smtp)
    try:
        assert [post(port, 7), post(port, 7)] == [204, 204]
        [text] = taken
        head, _, body = text.partition("\r\n\r\n")
        assert "Subject: search X: y: decided" in head and "\nX: y" not in head, head
        assert "To: team@shop.example" in head and body.startswith("search: new beats old.\r\nShip new."), text
    finally:
        process.kill()
        server.shutdown()


def main():
    for check in (slack, mail):
        with tempfile.TemporaryDirectory() as folder:
            check(Path(folder))
    print("both relays pass messages on once, and refuse those that are not signed")


if __name__ == "__main__":
    main()
