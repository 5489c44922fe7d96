"""Scores of competitors on the same items, as judgements of pairs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from rankduel import notes
from rankduel.keywords import suggesting
from rankduel.tables import cells, is_lazy, is_missing, is_table

COMPETITOR = ("competitor", "model")
ITEM = ("item", "id", "sample_id")
#: Beside the item: the same id is another item in another task, and in another epoch.
PARTS = ("task", "task_name", "epoch")
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partially correct, incorrect and no answer, as inspect_ai has them."""
#: Why promptfoo gave no points: the provider failed, so that there was nothing to score.
PROVIDER_FAILED = 2


class _Score(NamedTuple):
    competitor: str
    item: Any
    #: None where there is none.
    score: float | None


@suggesting
def duels_from_scores(scores: Any, *, score: str | None = None) -> list[dict[str, Any]]:
    """Judgements from scores: on each item, the higher score wins against each lower one.

    What has no score (None, NaN) is left out, and so are answers that a provider did not give; a `RankduelWarning` says how many.

    Parameters
    ----------
    scores
        One of these:

        * rows of competitor, item and score;
        * the frame of ``inspect_ai.analysis.samples_df``, or any frame or rows as dictionaries with the columns ``model`` or
          ``competitor``, ``id``, ``sample_id`` or ``item``, and a score. Columns ``task``, ``task_name`` and ``epoch`` belong to the item.
          Letters count as inspect_ai counts them: C is 1, P 1/2, I and N are 0;
        * what ``promptfoo eval -o results.json`` writes, as `json.load` reads it: each prompt of each provider on each test.
    score
        The column of scores of a frame; by default ``score``, or the only one that begins with ``score_``.

    Returns
    -------
    list of dict
        Rows ``first``, ``second``, ``winner``, ``item`` for `Board`, which takes ``order_unknown=True`` (scores have no order on a screen)
        and ``clusters="item"`` (the pairs of an item share its scores).

    Raises
    ------
    ValueError
        If a competitor has two scores on an item, a score is no number, or no item compares two competitors.

    Examples
    --------
    >>> import rankduel as rd
    >>> rd.duels_from_scores([("a", "q1", 0.9), ("b", "q1", 0.4)])
    [{'first': 'a', 'second': 'b', 'winner': 'first', 'item': 'q1'}]
    """
    failed = 0
    rows: Iterable[_Score]
    if isinstance(scores, Mapping) and "results" in scores:
        answers = scores["results"]
        answers = answers["results"] if isinstance(answers, Mapping) else answers
        answered = [answer for answer in answers if not _has_failed(answer)]
        failed = len(answers) - len(answered)
        rows = _of_promptfoo(answered)
    elif isinstance(scores, Mapping) or is_table(scores) or is_lazy(scores) or _are_dictionaries(scores):
        rows = _of_frame(scores, score)
    else:
        rows = _of_rows(scores)
    items: dict[Any, dict[str, float]] = {}
    seen: dict[tuple[Any, str], int] = {}
    missing = 0
    for row, (competitor, item, number) in enumerate(rows):
        if (item, competitor) in seen:
            raise ValueError(
                f"rows {seen[item, competitor]} and {row}: {competitor!r} has two scores on item {item!r}; say what tells them apart by a "
                "column `task` or `epoch`, or average them"
            )
        seen[item, competitor] = row
        if number is None:
            missing += 1
        else:
            items.setdefault(item, {})[competitor] = number
    found = [
        {"first": one, "second": other, "winner": _winner(scored[one] - scored[other]), "item": item}
        for item, scored in items.items()
        for one, other in combinations(sorted(scored), 2)
    ]
    if not found:
        raise ValueError("no item has scores of two competitors, so there is nothing to compare")
    left_out = [f"{missing} without a score"] if missing else []
    left_out += [f"{failed} that a provider did not answer"] if failed else []
    if left_out:
        notes.warn([f"left out {' and '.join(left_out)}, of {len(seen) + failed} rows"])
    return found


def _winner(difference: float) -> str:
    return "tie" if difference == 0 else "first" if difference > 0 else "second"


def _number(value: Any, row: int) -> float | None:
    """A score, or None where there is none."""
    if is_missing(value):
        return None
    value = LETTERS.get(value, value) if isinstance(value, str) else value
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"row {row}: found the score {value!r}, expected a number, or C, P, I or N") from None
    if math.isinf(number):
        raise ValueError(f"row {row}: found the score {number}, expected a finite number")
    return None if math.isnan(number) else number


def _named(value: Any, row: int, what: str) -> Any:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(f"row {row}: it has no {what}")
    return value


def _are_dictionaries(scores: Any) -> bool:
    return isinstance(scores, Sequence) and not isinstance(scores, str) and len(scores) > 0 and all(isinstance(row, Mapping) for row in scores)


def _of_rows(scores: Iterable[Any]) -> Iterator[_Score]:
    for row, found in enumerate(scores):
        try:
            competitor, item, value = found
        except (TypeError, ValueError):
            raise ValueError(f"row {row}: expected a competitor, an item and a score, found {found!r}") from None
        yield _Score(str(_named(competitor, row, "competitor")), _named(item, row, "item"), _number(value, row))


def _of_frame(frame: Any, score: str | None) -> Iterator[_Score]:
    columns = cells(frame, "scores")
    listed = ", ".join(columns) or "none"

    def needed(names: Sequence[str], what: str) -> str:
        found = next((name for name in names if name in columns), None)
        if found is None:
            raise ValueError(f"the scores have no column of {what} ({' or '.join(map(repr, names))}); their columns are {listed}")
        return found

    if score is None:
        found = ["score"] if "score" in columns else [name for name in columns if name.startswith("score_")]
        if len(found) > 1:
            raise ValueError(f"the scores have the columns {', '.join(found)}; say which: score={found[0]!r}")
        score = found[0] if found else "score"
    parts = [name for name in PARTS if name in columns] + [needed(ITEM, "items")]
    held = [columns[name] for name in parts]
    named, given = columns[needed(COMPETITOR, "competitors")], columns[needed([score], "scores")]
    for row, (competitor, value, *item) in enumerate(zip(named, given, *held)):
        whole = tuple(_named(part, row, name) for part, name in zip(item, parts))
        yield _Score(str(_named(competitor, row, "competitor")), whole if len(whole) > 1 else whole[0], _number(value, row))


def _has_failed(answer: Mapping[str, Any]) -> bool:
    """Whether a provider gave no answer. An answer that fails its assertions has an error as well."""
    reason = answer.get("failureReason")
    if reason is not None:
        return bool(reason == PROVIDER_FAILED)
    return bool(answer.get("error")) and not answer.get("gradingResult")


def _of_promptfoo(answers: Iterable[Mapping[str, Any]]) -> Iterator[_Score]:
    for row, answer in enumerate(answers):
        provider = answer.get("provider")
        if isinstance(provider, Mapping):
            provider = provider.get("label") or provider.get("id")
        prompt = answer.get("promptIdx", answer.get("promptId"))
        test = answer.get("testIdx")
        if test is None:
            # Older files number neither tests nor prompts.
            test = json.dumps(answer["vars"], sort_keys=True) if answer.get("vars") is not None else None
        item = _named(test, row, "testIdx")
        item = (item, answer["repeatIndex"]) if answer.get("repeatIndex") else item
        name = str(_named(provider, row, "provider"))
        yield _Score(name if prompt is None else f"{name}, prompt {prompt}", item, _number(answer.get("score"), row))
