"""Win rates of interleaving against all cases, counted one by one.

The cases are written down here from the papers' definitions, in another way than the package computes them: all coins, all
lists, all clicks. Balanced: T. Joachims, "Evaluating retrieval performance using clickthrough data", 2003. Team draft:
F. Radlinski, M. Kurup, T. Joachims, CIKM 2008, https://doi.org/10.1145/1458082.1458092. Probabilistic: K. Hofmann,
S. Whiteson, M. de Rijke, CIKM 2011, https://doi.org/10.1145/2063576.2063618.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

import rankduel as rd

FIRST = ["a", "b", "c", "d"]
SECOND = ["b", "d", "a", "e"]
LENGTH = 4
CLICKS = {"a": 0.2, "b": 0.5, "c": 0.1, "d": 0.7, "e": 0.4}
"""The probability of a click on each document, wherever it is shown."""

Case = tuple[float, tuple[str, ...], tuple[int, ...]]
"""Its probability, the list, and who contributed each document: 0 or 1."""


def team_draft() -> Iterator[Case]:
    def go(probability: float, shown: tuple[str, ...], teams: tuple[int, ...]) -> Iterator[Case]:
        left = [[document for document in ranking if document not in shown] for ranking in (FIRST, SECOND)]
        if len(shown) == LENGTH or not (left[0] or left[1]):
            yield probability, shown, teams
            return
        picks = [teams.count(0), teams.count(1)]
        able = [team for team in (0, 1) if left[team]]
        turn = [team for team in able if picks[team] == min(picks[other] for other in able)]
        for team in turn:
            yield from go(probability / len(turn), (*shown, left[team][0]), (*teams, team))

    return go(1.0, (), ())


def probability_of(ranking: list[str], document: str, shown: tuple[str, ...]) -> float:
    """That a ranker draws the document, by the cube of the reciprocal rank among those left."""
    weights = {name: (place + 1) ** -3.0 for place, name in enumerate(ranking) if name not in shown}
    return weights.get(document, 0.0) / sum(weights.values()) if weights else 0.0


def probabilistic() -> Iterator[Case]:
    def go(probability: float, shown: tuple[str, ...], teams: tuple[int, ...]) -> Iterator[Case]:
        if len(shown) == LENGTH:
            yield probability, shown, teams
            return
        for team, ranking in enumerate((FIRST, SECOND)):
            for document in ranking:
                share = probability_of(ranking, document, shown)
                if share > 0:
                    yield from go(probability * share / 2, (*shown, document), (*teams, team))

    return go(1.0, (), ())


def subsets(shown: tuple[str, ...]) -> Iterator[tuple[float, frozenset[str]]]:
    """All clicks on a list, with their probabilities."""
    for clicked in itertools.product((False, True), repeat=len(shown)):
        each = (CLICKS[name] if click else 1 - CLICKS[name] for name, click in zip(shown, clicked))
        yield math.prod(each), frozenset(itertools.compress(shown, clicked))


def sign(difference: float) -> str:
    return "tie" if abs(difference) < 1e-12 else "first" if difference > 0 else "second"


def by_owners(cases: Iterator[Case]) -> dict[str, float]:
    """The ranker that contributed more of the clicked documents wins."""
    rates: dict[str, float] = defaultdict(float)
    for probability, shown, teams in cases:
        for share, clicked in subsets(shown):
            balance = sum((1 - 2 * team) for name, team in zip(shown, teams) if name in clicked)
            rates[sign(balance)] += probability * share
    return rates


def by_expectation(cases: Iterator[Case]) -> dict[str, float]:
    """The sign of the expectation, over all who may have contributed what, of who has more clicked documents."""
    ways: dict[tuple[str, ...], list[tuple[float, tuple[int, ...]]]] = defaultdict(list)
    for probability, shown, teams in cases:
        ways[shown].append((probability, teams))
    rates: dict[str, float] = defaultdict(float)
    for shown, assignments in ways.items():
        total = sum(probability for probability, _ in assignments)
        for share, clicked in subsets(shown):
            balance = sum(
                probability * np.sign(sum((1 - 2 * team) for name, team in zip(shown, teams) if name in clicked))
                for probability, teams in assignments
            )
            rates[sign(balance / total)] += total * share
    return rates


def balanced() -> dict[str, float]:
    rates: dict[str, float] = defaultdict(float)
    for starts in (0, 1):
        lists, ends, shown = (FIRST, SECOND), [0, 0], []
        while len(shown) < LENGTH:
            turn = 0 if ends[0] < ends[1] or (ends[0] == ends[1] and starts == 0) else 1
            document = lists[turn][ends[turn]]
            ends[turn] += 1
            if document not in shown:
                shown.append(document)
        for share, clicked in subsets(tuple(shown)):
            balance = 0
            if clicked:
                # Both lists down to the depth from which the lowest click was shown.
                lowest = max(shown.index(name) for name in clicked)
                depth = min(
                    ranking.index(shown[lowest]) + 1 for ranking in lists if shown[lowest] in ranking
                )
                balance = sum(name in FIRST[:depth] for name in clicked) - sum(name in SECOND[:depth] for name in clicked)
            rates[sign(balance)] += share / 2
    return rates


RATES = {
    "balanced": balanced,
    "team-draft": lambda: by_owners(team_draft()),
    "probabilistic": lambda: by_expectation(probabilistic()),
    "probabilistic:expected": lambda: by_expectation(probabilistic()),
    "probabilistic:assignment": lambda: by_owners(probabilistic()),
}


@pytest.mark.parametrize("method", RATES)
def test_win_rates(method: str) -> None:
    expected = RATES[method]()
    assert sum(expected.values()) == pytest.approx(1)
    impressions = 30_000
    rng = np.random.default_rng(3)
    counts: dict[str, int] = defaultdict(int)
    for seed in range(impressions):
        impression = rd.interleave(FIRST, SECOND, length=LENGTH, method=method, seed=seed)
        clicked = [name for name in impression.shown if rng.random() < CLICKS[name]]
        counts[impression.credit(clicked)] += 1
    for outcome in ("first", "second", "tie"):
        share = expected[outcome]
        # 4.5 standard errors: by chance once in 50,000 tests.
        bound = 4.5 * math.sqrt(share * (1 - share) / impressions)
        assert abs(counts[outcome] / impressions - share) <= bound + 1e-9, (outcome, dict(counts), dict(expected))


@pytest.mark.parametrize(("method", "cases"), [("team-draft", team_draft), ("probabilistic", probabilistic)])
def test_lists(method: str, cases: object) -> None:
    expected: dict[tuple[str, ...], float] = defaultdict(float)
    for probability, shown, _ in cases():  # type: ignore[operator]
        expected[shown] += probability
    impressions = 30_000
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for seed in range(impressions):
        counts[tuple(rd.interleave(FIRST, SECOND, length=LENGTH, method=method, seed=seed).shown)] += 1
    assert set(counts) <= set(expected)
    # Rare lists together: a chi-squared of this many degrees of freedom is above this once in a million tests.
    common = {shown: share for shown, share in expected.items() if share * impressions >= 5}
    squares = sum((counts[shown] - share * impressions) ** 2 / (share * impressions) for shown, share in common.items())
    degrees = len(common)
    assert squares < degrees + 4.75 * math.sqrt(2 * degrees) + 4.75**2, (squares, degrees)
