"""Kill the server while orders come, and look for those that it acknowledged.

    python3 server/tests/outside/orders.py PROGRAM N

Workers ask for pages and order what they showed; an order without an answer is sent again until it has one. After N kills, the server must know each
acknowledged order once: as many as the status says, and as duplicates when all are sent once more. `check` must find the store in order.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import tempfile
import threading
import time
from typing import Any

from common import Client, Server, Table, call

SETTINGS = {
    "name": "orders",
    "rankers": ["a", "b"],
    "outcomes": {"order": "value"},
    "currency": "EUR",
    "cap": 20_000,
    "primary": "conversions",
}


class Worker(threading.Thread):
    """Somebody who orders, again and again."""

    def __init__(self, place: int, server: Server, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.place, self.server, self.over = place, server, stop
        self.random = random.Random(place)
        self.client = Client(server, self.random)
        self.orders: list[dict[str, Any]] = []
        self.again = 0
        self.wrong: list[str] = []

    def post(self, path: str, body: Any) -> Any:
        _, value, tries = self.client.until_answered("POST", path, body)
        self.again += tries > 1
        return value

    def run(self) -> None:
        n = 0
        while not self.over.is_set():
            n += 1
            unit = f"u{self.place}-{n // 4}"
            lists = {ranker: self.random.sample([f"d{n}" for n in range(9)], 6) for ranker in "ab"}
            page = self.post("/v1/experiments/orders/impressions", {"unit": unit, "key": f"k{self.place}-{n}", "lists": lists})
            # An order counts for lists that were shown in an earlier millisecond.
            time.sleep(0.003)
            document = {"object": {"object_id": self.random.choice(page["shown"])}}
            order = {"action_name": "order", "unit": unit, "event_attributes": document, "value": 100, "currency": "EUR", "order_id": f"o{n}"}
            (result,) = self.post("/v1/events", order)["results"]
            # A duplicate was taken by an attempt that had no answer.
            if result["status"] in ("taken", "duplicate"):
                self.orders.append(order)
            else:
                self.wrong.append(f"{result} of {order}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("kills", type=int)
    options = parser.parse_args()
    table = Table("", "what must hold", "found")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.program, pathlib.Path(folder))
        server.start()
        assert call(server.port, "POST", "/v1/experiments", SETTINGS)[0] == 201
        over = threading.Event()
        workers = [Worker(place, server, over) for place in range(6)]
        for worker in workers:
            worker.start()
        draws = random.Random(1)
        for _ in range(options.kills):
            time.sleep(draws.uniform(0.2, 0.7))
            server.kill()
            server.start()
        over.set()
        for worker in workers:
            worker.join(70)
        wrong = [one for worker in workers for one in worker.wrong] + [f"worker {worker.place} hangs" for worker in workers if worker.is_alive()]
        orders = [order for worker in workers for order in worker.orders]
        again = sum(worker.again for worker in workers)
        table.add(not wrong and len(orders) > 10 * options.kills, "orders are answered", f"{len(orders)}, {again} requests were sent again; {wrong[:3]}")
        taken = call(server.port, "GET", "/v1/experiments/orders")[1]["outcomes"]["taken"]
        table.add(taken == len(orders), "each is taken once", f"{taken} of {len(orders)}")
        statuses = [result["status"] for at in range(0, len(orders), 500) for result in call(server.port, "POST", "/v1/events", orders[at : at + 500])[1]["results"]]
        table.add(statuses == ["duplicate"] * len(orders), "none is lost", f"{statuses.count('duplicate')} of {len(orders)} are known")
        server.stop()
        checked = server.command("check")
        table.add(checked.returncode == 0, "the store is in order", (checked.stdout + checked.stderr).strip().splitlines()[-1])
    table.end()


if __name__ == "__main__":
    main()
