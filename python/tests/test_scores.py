"""Scores as judgements: items, what is missing, and the files of other tools."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rankduel as rd


def samples(library: str, **columns: list[Any]) -> Any:
    return pytest.importorskip(library).DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_epochs_and_tasks_belong_to_the_item(library: str) -> None:
    # The better of two models is unlucky in the last epoch.
    rows = [(task, epoch, model) for task in ("t", "u") for epoch in (1, 2, 3) for model in ("m", "n")]
    won = [float((model == "n") == (epoch < 3)) for _, epoch, model in rows]
    frame = samples(
        library,
        model=[row[2] for row in rows],
        id=["s"] * len(rows),
        task=[row[0] for row in rows],
        epoch=[row[1] for row in rows],
        score_accuracy=won,
    )
    found = rd.duels_from_scores(frame)
    assert [row["winner"] for row in found] == ["second", "second", "first"] * 2
    assert [row["item"] for row in found][:2] == [("t", 1, "s"), ("t", 2, "s")]
    without = frame.drop(columns="epoch") if library == "pandas" else frame.drop("epoch")
    with pytest.raises(ValueError, match=r"rows 0 and 2: 'm' has two scores on item \('t', 's'\)"):
        rd.duels_from_scores(without)


@pytest.mark.parametrize("missing", [None, math.nan])
@pytest.mark.parametrize("who", ["a", "b"])
def test_what_has_no_score_is_left_out_and_counted(missing: float | None, who: str) -> None:
    rows = [(name, item, missing if name == who and item % 2 else 1.0) for item in range(4) for name in ("a", "b")]
    with pytest.warns(rd.RankduelWarning, match="left out 2 without a score, of 8 rows"):
        found = rd.duels_from_scores(rows)
    assert [(row["item"], row["winner"]) for row in found] == [(0, "tie"), (2, "tie")]


def test_letters_are_those_of_inspect() -> None:
    rows = [{"model": name, "id": 1, "score_choice": letter} for name, letter in zip("abcd", "CPIN")]
    assert [row["winner"] for row in rd.duels_from_scores(rows)] == ["first"] * 5 + ["tie"]


def answer(provider: Any, test: int, score: float | None, **more: Any) -> dict[str, Any]:
    return {"provider": provider, "promptIdx": 0, "testIdx": test, "score": score, **more}


@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("provider", [lambda name: name, lambda name: {"id": name}])
def test_errors_of_a_provider_are_no_losses(wrapped: bool, provider: Any) -> None:
    rows = [answer(provider("a"), test, 1.0) for test in range(4)]
    rows += [answer(provider("b"), 0, 0.0, error="429 Too Many Requests", failureReason=2), answer(provider("b"), 1, None)]
    # An answer that fails its assertions lost.
    rows += [answer(provider("b"), 2, 0.0, error="Expected 7", failureReason=1), answer(provider("b"), 3, 0.0, error="timeout")]
    results: Any = {"results": {"results": rows}} if wrapped else {"results": rows}
    with pytest.warns(rd.RankduelWarning, match="left out 1 without a score and 2 that a provider did not answer, of 8 rows"):
        found = rd.duels_from_scores(results)
    assert found == [{"first": "a, prompt 0", "second": "b, prompt 0", "winner": "first", "item": 2}]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([("a", "q", 1), ("a", "q", 2)], "rows 0 and 1: 'a' has two scores on item 'q'"),
        ([("a", "q", "good"), ("b", "q", 2)], "row 0: found the score 'good', expected a number"),
        ([("a", "q", math.inf), ("b", "q", 2)], "row 0: found the score inf"),
        ([("a", "q", 1), ("b", "r", 2)], "no item has scores of two competitors"),
        ([("a", None, 1)], "row 0: it has no item"),
        ([("a", "q")], "row 0: expected a competitor, an item and a score"),
        ([{"model": "a", "id": 1}], "the scores have no column of scores"),
        ([{"model": "a", "id": 1, "score_f1": 1, "score_em": 1}], "say which: score='score_f1'"),
    ],
)
def test_refusals(scores: Any, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        rd.duels_from_scores(scores)
    assert message in str(raised.value)
