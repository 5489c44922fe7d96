"""Fixtures of the client's tests: a double, its address, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from live_double import KEY, Double, serving
from rankduel.client import Client


@pytest.fixture
def double() -> Double:
    return Double()


@pytest.fixture
def url(double: Double) -> Iterator[str]:
    with serving(double) as address:
        yield address
    assert not double.wrong, double.wrong


@pytest.fixture
def client(double: Double, url: str) -> Iterator[Client]:
    with Client(url, KEY, timeout=2.0, within=10.0) as made:
        made.create("search", {"bm25": "1.2", "neural": "7"}, shown=3, depth=9)
        yield made
