"""The table of mistakes in "On a real results page": each is made, and its numbers are those of the page."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Callable

import pytest

import rankduel as rd

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "pages" / "how-to" / "real-page.md"
IMPRESSIONS = 6_000
DOCUMENTS = [f"d{n}" for n in range(20)]


class World:
    """Queries of twenty documents, five of them relevant; two rankers, equally good unless one is better."""

    def __init__(self, seed: int, first: float = 1.0, second: float = 1.0) -> None:
        self.random = random.Random(seed)
        self.worth = (first, second)
        self.relevant: set[str] = set()

    def lists(self) -> tuple[list[str], list[str]]:
        self.relevant = set(self.random.sample(DOCUMENTS, 5))
        return self.ranked(self.worth[0]), self.ranked(self.worth[1])

    def ranked(self, worth: float) -> list[str]:
        score = {d: worth * (d in self.relevant) + self.random.gauss(0, 1) for d in DOCUMENTS}
        return sorted(DOCUMENTS, key=lambda d: -score[d])

    def clicks(self, shown: list[str]) -> list[str]:
        """A user looks at the nth place with probability 1/n, and clicks on what is relevant, or by accident."""
        looked = [d for place, d in enumerate(shown, start=1) if self.random.random() < 1 / place]
        return [d for d in looked if self.random.random() < (0.7 if d in self.relevant else 0.1)]

    def seed(self) -> int:
        return self.random.getrandbits(63)


def share(winners: list[str]) -> tuple[float, int]:
    """The first ranker's share of the decided impressions, and how many these are."""
    decided = [winner for winner in winners if winner != "tie"]
    return sum(winner == "first" for winner in decided) / len(decided), len(decided)


def played(world: World, once: Callable[[World], str], impressions: int = IMPRESSIONS) -> tuple[float, int]:
    return share([once(world) for _ in range(impressions)])


def right(world: World) -> str:
    first, second = world.lists()
    impression = rd.interleave(first, second, length=10, seed=world.seed())
    return impression.credit(world.clicks(impression.shown))


def one_seed(world: World) -> str:
    first, second = world.lists()
    impression = rd.interleave(first, second, length=10, seed=1)
    return impression.credit(world.clicks(impression.shown))


def advertisement_credited(world: World) -> str:
    first, second = world.lists()
    impression = rd.interleave(first, second, length=10, seed=world.seed())
    clicked = world.clicks(["advert", *impression.shown])
    # By the place that was clicked on the page, as if the first place were not taken.
    places = [["advert", *impression.shown].index(d) for d in clicked]
    return impression.credit(positions=[place for place in places if place < 10])


def filtered_after(world: World) -> str:
    first, second = world.lists()
    # Documents that the user may not see; the first ranker is newer and was trained without permissions.
    secret = set(world.random.sample(DOCUMENTS, 6))
    second.sort(key=lambda d: d in secret)
    impression = rd.interleave(first, second, length=10, seed=world.seed())
    shown = [d for d in impression.shown if d not in secret]
    return impression.credit(world.clicks(shown))


def filtered_before(world: World) -> str:
    first, second = world.lists()
    secret = set(world.random.sample(DOCUMENTS, 6))
    lists = [[d for d in ranking if d not in secret] for ranking in (first, second)]
    impression = rd.interleave(lists[0], lists[1], length=10, seed=world.seed())
    return impression.credit(world.clicks(impression.shown))


def sorted_by_price(world: World) -> str:
    first, second = world.lists()
    impression = rd.interleave(first, second, length=10, seed=world.seed())
    return impression.credit(world.clicks(sorted(impression.shown)))


def drawn_again(world: World) -> str:
    first, second = world.lists()
    shown = rd.interleave(first, second, length=10, seed=world.seed())
    again = rd.interleave(first, second, length=10, seed=world.seed())
    return again.credit([d for d in world.clicks(shown.shown) if d in again.shown])


def second_page_drawn_alone(world: World) -> str:
    first, second = world.lists()
    impression = rd.interleave(first, second, length=5, seed=world.seed())
    rest = [[d for d in ranking[5:] if d not in impression.shown] for ranking in (first, second)]
    page = rd.interleave(rest[0], rest[1], length=5, seed=world.seed())
    return page.credit(world.clicks(page.shown))


def slow_ranker_left_out(world: World) -> str:
    first, second = world.lists()
    # The second ranker has not answered in time for a fifth of the queries, and the page goes on without it.
    late = world.random.random() < 0.2
    impression = rd.interleave(first, [] if late else second, length=10, seed=world.seed())
    return impression.credit(world.clicks(impression.shown))


def shorter_list(world: World) -> str:
    first, second = world.lists()
    impression = rd.interleave(first, second[:4], length=10, seed=world.seed())
    return impression.credit(world.clicks(impression.shown))


def rows() -> dict[str, str]:
    """The table's numbers, by row."""

    def line(world: World, once: Callable[[World], str]) -> str:
        value, decided = played(world, once)
        return f"{100 * value:.1f}% of {decided:,}"

    better = {"first": 1.25, "second": 1.0}
    found = {
        "as it should be": line(World(1), right),
        "one seed for all impressions": line(World(2), one_seed),
        "the first place is an advertisement, places are credited": line(World(3, **better), advertisement_credited),
        "filtered after mixing": line(World(4), filtered_after),
        "filtered before mixing": line(World(5), filtered_before),
        "the user sorts by price": line(World(6, **better), sorted_by_price),
        "a reload draws again, the new receipt is kept": line(World(7, **better), drawn_again),
        "page 2 is mixed by itself": line(World(8, **better), second_page_drawn_alone),
        "a slow ranker is left out": line(World(9), slow_ranker_left_out),
        "one list ends after four": line(World(10), shorter_list),
        "the better ranker, as it should be": line(World(11, **better), right),
    }
    one, other = World(12, 1.4, 1.0), World(13, 1.0, 1.4)
    both = [right(one) for _ in range(IMPRESSIONS // 2)] + [right(other) for _ in range(IMPRESSIONS // 2)]
    value, decided = share(both)
    found["two versions are added up"] = f"{100 * value:.1f}% of {decided:,}"
    return found


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not beside the tests")
def test_the_page_has_these_numbers() -> None:
    text = PAGE.read_text(encoding="utf-8")
    missing = [f"| {row} | {numbers} |" for row, numbers in rows().items() if f"| {row} | {numbers} |" not in text]
    assert not missing, missing
