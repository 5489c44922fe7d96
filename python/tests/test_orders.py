"""What has no order is no list, wherever one is expected."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

import rankduel as rd
from rankduel.client import Client

ROW = {"impression": "i", "time": "2026-03-01T10:00:00Z", "user": "u", "shown": ["a", "b"], "teams": ["A", "B"]}
CLICK = {"impression": "i", "time": "2026-03-01T10:00:01Z", "document": "a"}
JUDGED = {"q1": {"a": 1, "b": 0}}
MADE: list[Callable[[list[str]], Any]] = [
    set,
    frozenset,
    lambda items: dict.fromkeys(items).keys(),
    lambda items: OrderedDict.fromkeys(items).keys(),
    lambda items: {item: item for item in items}.values(),
]


def interleaved(items: Any) -> None:
    rd.interleave(["a", "b"], ["b", "a"], seed=1).displayed(items)


USES: dict[str, Callable[[Any], object]] = {
    "shown, rows": lambda items: rd.credit_frame([{**ROW, "shown": items}], [CLICK], final=True),
    "teams, rows": lambda items: rd.credit_frame([{**ROW, "teams": items}], [CLICK], final=True),
    "shown, columns": lambda items: rd.credit_frame({name: [{**ROW, "shown": items}[name]] for name in ROW}, [CLICK], final=True),
    "shown, nested": lambda items: rd.credit_frame(
        [{"query_id": "i", "client_id": "u", "timestamp": ROW["time"], "query_response_hit_ids": ["a"], "query_attributes": {"teams": items}}], [CLICK]
    ),
    "a column": lambda items: rd.credit_frame({**{name: [value] for name, value in ROW.items()}, "user": items}, [CLICK]),
    "interleave": lambda items: rd.interleave(items, ["b"], seed=1),
    "interleave, by query": lambda items: rd.interleave({"q1": items}, {"q1": ["b"]}, seed=1, query="q1"),
    "interleave, documents": lambda items: rd.interleave(["a"], ["b"], documents=items, seed=1),
    "multileave": lambda items: rd.multileave([["a"], items], seed=1),
    "multileave, rankings": lambda items: rd.multileave(items, seed=1),
    "displayed": interleaved,
    "simulate_clicks": lambda items: rd.simulate_clicks("perfect", items, seed=1),
    "from_runs": lambda items: rd.Site.from_runs({"x": {"q1": items}, "y": {"q1": ["b", "a"]}}, JUDGED),
    "inspect": lambda items: rd.inspect(runs={"x": {"q1": items}}, qrels=JUDGED),
    "inspect, files": lambda items: rd.inspect(items),
    "Site": lambda items: rd.Site(items),
    "Site, rankers": lambda items: rd.Site("mq2008-lookalike:0.05", rankers=items),
    "from_arrays, names": lambda items: rd.Site.from_arrays([[1.0, 2.0]], [1], ["q"], names=items),
    "from_arrays, qids": lambda items: rd.Site.from_arrays([[1.0], [2.0]], [1, 0], items),
    "Live": lambda items: rd.Live(items),
    "Live, items": lambda items: rd.Live(["x", "y"], items=items),
    "Matrix, names": lambda items: rd.Matrix([[0.5, 0.7], [0.3, 0.5]], names=items),
    "Matrix": lambda items: rd.Matrix(items),
    "bandit": lambda items: rd.bandit("arithmetic:k=4", items, steps=10),
    "rankers of a log": lambda items: rd.credit_frame([ROW], [CLICK], rankers=items),
    "client": lambda items: Client("http://127.0.0.1:1").impression("e", {"x": items}, unit="u"),
    "client, documents": lambda items: Client("http://127.0.0.1:1").impression("e", {"x": ["a"]}, unit="u", documents=items),
    "client, rankers": lambda items: Client("http://127.0.0.1:1").create("e", items),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("make", MADE)
def test_sets_and_views_are_no_lists(use: str, make: Callable[[list[str]], Any]) -> None:
    with pytest.raises((TypeError, ValueError), match="a set has no order"):
        USES[use](make(["a", "b"]))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_sets_are_no_lists(library: str) -> None:
    module = pytest.importorskip(library)
    values = [{"a", "b"}]
    columns: dict[str, Any] = {**{name: [value] for name, value in ROW.items()}, "shown": values}
    if library == "polars":
        columns["shown"] = module.Series(values, dtype=module.Object)
    with pytest.raises((TypeError, ValueError), match=r"a set has no order|'shown'"):
        rd.credit_frame(module.DataFrame(columns), [CLICK], final=True)


def test_what_has_an_order_or_needs_none_is_taken() -> None:
    impression = rd.interleave(iter(["a", "b"]), ("b", "a"), seed=1)
    assert impression.credit({"a"}) == impression.credit(["a"])
    assert impression.displayed(["ad", *impression.shown], pinned={"ad"}).shown[0] == "ad"
    outcomes = rd.credit_frame([ROW], [{**CLICK, "action_name": "buy"}], actions={"buy", "click"}, final=True).outcomes
    assert outcomes.to_dict()["unit_wins"] == [1]
