#!/usr/bin/env python3
"""A small shop with its search as an experiment: all that an engine must do to be evaluated live, and nothing more.

    rankduel-server serve --create --no-keys --store shop.db &
    python3 shop.py

The products are in SQLite, the rankers are three ways to order what matches, and the page has an advertisement in its third
place. Half of the users meet the experiment on its first day; phones are a segment of their own; what users buy is credited
to the rankers that showed it. Only the standard library is needed.
"""

import argparse
import html
import http.server
import itertools
import json
import secrets
import sqlite3
import sys
import urllib.error
import urllib.parse
import urllib.request

PAGE, PAGES = 5, 3
ADVERT = ("advert", "Gift card", "For whoever has everything")

KINDS = {"shoes": "for walking", "boots": "for rain and mud", "jacket": "for wind", "shirt": "for every day",
         "bag": "for the city", "hat": "for sun", "gloves": "for snow"}
COLOURS = ["red", "blue", "green", "black", "white", "grey"]
STUFFS = {"leather": 90, "wool": 60, "cotton": 30, "linen": 40}

SETTINGS = {
    # Every page compares two rankers, each pair as often as any other.
    "policy": "fixed",
    # Half of the users on the first day, then all.
    "ramp": [[50, "1d"], [100]],
    "segments": ["phone", "desktop"],
    # Orders count beside clicks; of a difference between two rankers, 200 euros at most.
    "outcomes": {"order": "value"}, "currency": "EUR", "cap": 20000, "primary": "clicks",
}

# The order of each ranker. `bm25` is smaller for better matches; its weights are for title and text.
RANKERS = {
    "title": "bm25(products, 0, 10, 1)",
    "text": "bm25(products, 0, 1, 5)",
    "popular": "-popularity",
}


def catalogue():
    """All products, in memory."""
    store = sqlite3.connect(":memory:", check_same_thread=False)
    store.execute("CREATE VIRTUAL TABLE products USING fts5(id UNINDEXED, title, text, price UNINDEXED, popularity UNINDEXED)")
    for n, (kind, colour, stuff) in enumerate(itertools.product(KINDS, COLOURS, STUFFS)):
        text = f"{kind} of {stuff} {KINDS[kind]}; goes with {COLOURS[n % 5]} and {COLOURS[(n + 2) % 6]}"
        store.execute("INSERT INTO products VALUES (?, ?, ?, ?, ?)",
                      (f"p{n}", f"{colour.title()} {stuff} {kind}", text, STUFFS[stuff] + n % 7, (37 * n) % 101))
    return store


class Shop(http.server.BaseHTTPRequestHandler):
    """One page: the search, its results, and links to further pages."""

    store = catalogue()
    live = ""
    # By the id of an impression: what its page has displayed so far.
    displayed = {}

    def ranked(self, query):
        """The lists of all rankers."""
        words = " OR ".join(f'"{word}"' for word in query.replace('"', " ").split())
        if not words:
            return {name: [] for name in RANKERS}
        order = "SELECT id FROM products WHERE products MATCH ? ORDER BY {}, id LIMIT ?"
        found = {name: self.store.execute(order.format(by), (words, PAGE * PAGES)) for name, by in RANKERS.items()}
        return {name: [row[0] for row in rows] for name, rows in found.items()}

    def call(self, method, path, body):
        """Asks the live server; `None` if it does not answer in time."""
        request = urllib.request.Request(self.live + path, json.dumps(body).encode(), {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=0.3) as answer:
                return json.load(answer)
        except (OSError, ValueError) as error:
            print(f"live server: {error}", file=sys.stderr)
            return None

    def first_page(self, user, query):
        """The id of the impression, if there is one, and what to show."""
        lists = self.ranked(query)
        if not lists["title"]:
            return None, []
        segment = "phone" if "Mobile" in self.headers.get("User-Agent", "") else "desktop"
        request = {"unit": user, "query": query, "segment": segment, "lists": lists}
        answer = self.call("POST", "/v1/experiments/shop/impressions", request)
        if answer is None or "shown" not in answer:
            # A search never waits for its evaluation.
            return None, lists["title"][:PAGE]
        return answer.get("id"), answer["shown"]

    def show(self, id, documents, is_first):
        """The displayed documents, with the advertisement in its place; reports them to the live server."""
        if is_first and len(documents) >= 2:
            documents = [*documents[:2], ADVERT[0], *documents[2:]]
        if id is not None:
            before = self.displayed.get(id, [])
            self.displayed[id] = before + [document for document in documents if document not in before]
            self.call("PUT", f"/v1/impressions/{id}/shown", {"documents": self.displayed[id], "pinned": [name for name in self.displayed[id] if name == ADVERT[0]]})
        return documents

    def do_GET(self):
        """The page."""
        address = urllib.parse.urlsplit(self.path)
        if address.path != "/":
            self.send_error(404)
            return
        asked = dict(urllib.parse.parse_qsl(address.query))
        query, id, seen = asked.get("q", ""), asked.get("id"), asked.get("seen", "")
        user = self.user() or secrets.token_hex(8)
        # A page that is none of ours is a search like any other.
        if id in self.displayed and seen.isdecimal():
            answer = self.call("POST", f"/v1/impressions/{id}/next", {"seen": int(seen)})
            documents = self.show(id, answer["shown"], False) if answer else []
        else:
            id, documents, seen = *self.first_page(user, query), "0"
            documents = self.show(id, documents, True)
        self.send_page(query, id, int(seen), documents, user)

    def user(self):
        """The user, from the cookie; empty for a new one."""
        return self.headers.get("Cookie", "").partition("user=")[2].partition(";")[0]

    def do_POST(self):
        """An order of one product. The shop reports it to the live server, which credits the rankers that showed it to this user."""
        address = urllib.parse.urlsplit(self.path)
        document = dict(urllib.parse.parse_qsl(address.query)).get("document", "")
        found = self.store.execute("SELECT price FROM products WHERE id = ?", (document,)).fetchone()
        if address.path != "/buy" or found is None or not self.user():
            self.send_error(404)
            return
        order = {"action_name": "order", "unit": self.user(), "order_id": secrets.token_hex(8), "value": 100 * found[0],
                 "currency": SETTINGS["currency"], "event_attributes": {"object": {"object_id": document}}}
        self.call("POST", "/v1/events", order)
        self.send_response(204)
        self.end_headers()

    def send_page(self, query, id, seen, documents, user):
        """The page as HTML. Clicks go from the browser to the live server, by the id alone."""
        more = seen + sum(document != ADVERT[0] for document in documents)
        rows = "".join(self.row(document) for document in documents)
        href = urllib.parse.urlencode({"q": query, "id": id or "", "seen": more})
        next_page = f'<p><a id="next" href="/?{html.escape(href)}">More</a></p>' if id and more < PAGE * PAGES and documents else ""
        body = f"""<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}}li{{margin:.75rem 0}}small{{color:#555}}</style>
<main><h1>Shop</h1><form><label>Search <input name="q" value="{html.escape(query)}" autofocus></label> <button>Search</button></form>
<ul id="results">{rows}</ul>{next_page}</main>
<script>
document.getElementById("results").addEventListener("click", (event) => {{
  const button = event.target.closest("button");
  if (button) fetch("/buy?document=" + button.value, {{method: "POST"}}).then(() => button.textContent = "Ordered");
  const link = event.target.closest("a[data-id]");
  if (!link || link.dataset.id === "{ADVERT[0]}") return;
  const click = {{action_name: "click", query_id: {json.dumps(id)}, event_attributes: {{object: {{object_id: link.dataset.id}}}}}};
  if (click.query_id) navigator.sendBeacon("{self.live}/v1/events", JSON.stringify(click));
}});
</script></html>"""
        data = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Set-Cookie", f"user={user}; HttpOnly; SameSite=Lax; Max-Age=2592000")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def row(self, document):
        """A product, or the advertisement."""
        product = self.store.execute("SELECT title, text || ' · ' || price || ' €' FROM products WHERE id = ?", (document,)).fetchone()
        title, text = product or ADVERT[1:]
        buy = f' <button value="{document}">Buy</button>' if product else ""
        return f'<li><a href="#{document}" data-id="{document}">{html.escape(title)}</a>{buy}<br><small>{html.escape(text)}</small></li>'

    def log_message(self, *_):
        """Nothing: what happens is in the experiment."""


def main():
    """Makes the experiment, if it is not there, and serves the shop."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--live", default="http://127.0.0.1:7077", help="the live server (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8080, help="where the shop is (default: %(default)s)")
    options = parser.parse_args()
    Shop.live = options.live.rstrip("/")
    settings = {"name": "shop", "rankers": list(RANKERS), "shown": PAGE, "depth": PAGE * PAGES, **SETTINGS}
    request = urllib.request.Request(f"{Shop.live}/v1/experiments", json.dumps(settings).encode(), {"Content-Type": "application/json"})
    try:
        urllib.request.urlopen(request, timeout=5).close()
    except urllib.error.HTTPError as error:
        if error.code != 409:  # It is there already.
            sys.exit(f"the live server refuses the experiment: {json.load(error)['detail']}")
    except OSError as error:
        sys.exit(f"no live server at {Shop.live} ({error}); start it with: rankduel-server serve --create --no-keys --store shop.db --origins http://127.0.0.1:{options.port}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Shop)
    print(f"shop: http://127.0.0.1:{server.server_port}  live page: {Shop.live}/e/shop", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
