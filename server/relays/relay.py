#!/usr/bin/env python3
"""Passes messages of `rankduel-server serve --notify` on to Slack, or by mail.

    relay.py --listen 127.0.0.1:9000 --key KEY-FILE --slack URL-FILE
    relay.py --listen 127.0.0.1:9000 --key KEY-FILE --mail team@shop.example --from rankduel@shop.example --smtp localhost:25

The server speaks plain HTTP to this process on the same machine; the way outside has TLS. Slack's URL is a secret, so it stands in a
file. A message that cannot be passed on is answered with 502, and the server sends it again later; one that came before is answered
with 204 and not passed on twice. Needs Python 3.10 and nothing else.
"""

import argparse
import hashlib
import hmac
import json
import smtplib
import sys
import urllib.request
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MOST_BYTES = 1 << 16


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def text_of(message):
    lines = [message["sentence"]]
    if message.get("advice"):
        lines.append(message["advice"])
    return "\n".join(lines)


class Slack:
    def __init__(self, path):
        self.url = Path(path).read_text().strip()

    def send(self, message):
        body = json.dumps({"text": text_of(message)}).encode()
        request = urllib.request.Request(self.url, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=8):
            pass


class Mail:
    def __init__(self, to, sender, smtp):
        self.to, self.sender, self.smtp = to, sender, address(smtp)

    def send(self, message):
        mail = EmailMessage()
        # A header has no line breaks, whatever the message says.
        mail["Subject"] = " ".join(f"{message['experiment']}: {message['kind']}".split())
        mail["From"], mail["To"] = self.sender, self.to
        mail.set_content(f"{text_of(message)}\n\n{message['time']}\n")
        with smtplib.SMTP(*self.smtp, timeout=8) as server:
            server.send_message(mail)


def handler(target, key):
    seen = set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            number = self.headers.get("rankduel-delivery", "")
            body = self.rfile.read(min(int(self.headers.get("content-length", 0)), MOST_BYTES))
            expected = "sha256=" + hmac.new(key, number.encode() + b"." + body, hashlib.sha256).hexdigest()
            if not hmac.compare_digest(expected, self.headers.get("rankduel-signature", "")):
                return self.answer(403)
            if number not in seen:
                try:
                    target.send(json.loads(body))
                except Exception as error:  # whatever failed, the server tries again
                    print(f"message {number} is not passed on yet: {error}", file=sys.stderr)
                    return self.answer(502)
                seen.add(number)
            return self.answer(204)

        def answer(self, status):
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", default="127.0.0.1:9000", type=address, metavar="HOST:PORT")
    parser.add_argument("--key", required=True, metavar="FILE", help="the file of --notify-key")
    parser.add_argument("--slack", metavar="FILE", help="a file with the URL of an incoming webhook")
    parser.add_argument("--mail", metavar="ADDRESS")
    parser.add_argument("--from", dest="sender", metavar="ADDRESS")
    parser.add_argument("--smtp", default="localhost:25", metavar="HOST:PORT")
    asked = parser.parse_args()
    if bool(asked.slack) == bool(asked.mail) or bool(asked.mail) != bool(asked.sender):
        parser.error("expected --slack FILE, or --mail ADDRESS --from ADDRESS")
    target = Slack(asked.slack) if asked.slack else Mail(asked.mail, asked.sender, asked.smtp)
    key = Path(asked.key).read_bytes().strip()
    server = ThreadingHTTPServer(asked.listen, handler(target, key))
    print(f"listening at {server.server_address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
