"""Lists of two or more rankers mixed for one user, and the credit that clicks give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Union

from rankduel import _core
from rankduel.keywords import suggesting
from rankduel.rankings import Rankings, listed_of, ranking_of
from rankduel.settings import whole

Ranking = Union[Sequence[str], Mapping[str, float], Sequence[int], Mapping[int, float], Rankings]
"""Documents, best first; or scores by document (equal ones tie). Documents are texts or whole numbers. Or any kind of
`Rankings`, with the query in `query`."""


def _of_query(rankings: Iterable[Ranking], query: object, names: Sequence[str] = ()) -> list[object]:
    """The rankings of one query."""
    found: list[object] = []
    for place, ranking in enumerate(_core.in_order(rankings, "rankings")):
        # Most are plain lists, for users who wait.
        if query is None and type(ranking) is list and ranking and type(ranking[0]) is str:
            found.append(ranking)
        else:
            found.append(ranking_of(ranking, query, names[place] if place < len(names) else f"ranking {place}"))
    return found


def _asked(
    length: int, depth: int | None, seed: int | str, version: str | None, propensity: float | None
) -> tuple[int, int | None, int, str | None, float | None]:
    return (
        whole("length", length),
        None if depth is None else whole("depth", depth),
        _core.seed_of(seed) if isinstance(seed, str) else whole("seed", seed),
        version,
        propensity,
    )


def _pages(grown: Sequence[Sequence[Ranking]], depth: int | None, rankers: int) -> Sequence[Sequence[Ranking]]:
    if grown and depth is not None:
        raise ValueError("depth mixes all pages in one draw, grown mixes them one by one: give one of them")
    for page, lists in enumerate(_core.in_order(grown, "grown"), start=1):
        if len(lists) != rankers:
            raise ValueError(f"grown: expected {rankers} lists for page {page} (from 0), found {len(lists)}")
    return grown


@suggesting
def interleave(
    first: Ranking,
    second: Ranking,
    *,
    length: int = 10,
    method: str = "team-draft",
    seed: int | str,
    query: object | None = None,
    depth: int | None = None,
    grown: Sequence[tuple[Ranking, Ranking]] = (),
    documents: Iterable[str] | Iterable[int] | None = None,
    version: str | None = None,
    propensity: float | None = None,
) -> _core.Impression:
    """Mix the lists of two rankers into the one that a user sees.

    Parameters
    ----------
    first, second
        Documents, best first, or scores by document: equal scores tie, and ties are broken at random. Or any kind of
        `Rankings`: files, frames, matrices.
    length
        The most documents of a page.
    method
        ``balanced``, ``team-draft``, ``probabilistic``, ``document-constraints`` or ``optimized``, with settings as in
        ``probabilistic:tau=1``.
    seed
        The seed of this impression: take another one for each. A text, e.g. the impression's id, is a seed, too.
    query
        The query, where rankings are those of several.
    depth
        How many documents to mix, for users who turn pages: e.g. 30 for three pages of ten. See `Impression.next_page`.
    grown
        Where rankers fetch more for later pages: the longer lists of each further page. `first` and `second` must be their
        beginnings, with whole groups of ties. All pages so far are mixed and displayed; call with the same seed and one pair
        more for the next page. Probabilistic and optimized methods refuse it.
    documents
        The order in which documents are numbered, by which ties are drawn; by default, that in which the lists name them.
    version
        The version of the experiment: `experiment_version`.
    propensity
        The probability of the choice that led to this list, kept for estimates off policy.

    Returns
    -------
    Impression
        What to show, and what credit needs.

    Raises
    ------
    ValueError
        For a document twice in one list, a score that is not a number, an unknown method, or a method that serves one page
        and is asked for several.

    Examples
    --------
    >>> import rankduel as rd
    >>> impression = rd.interleave(["a", "b", "c"], ["d", "a", "e"], length=4, seed=7)
    >>> kept = impression.to_bytes()
    >>> rd.Impression.from_bytes(kept).credit(clicked=["d"])
    'second'
    """
    rankings = _of_query((first, second), query, ("first", "second"))
    if grown:
        rankings.extend(_of_query((ranking for pair in _pages(grown, depth, 2) for ranking in pair), query, ()))
    asked = _asked(length, depth, seed, version, propensity)
    return _core.interleave(rankings, method, asked, None if documents is None else listed_of(documents, "documents"))


@suggesting
def multileave(
    rankings: Sequence[Ranking],
    *,
    length: int = 10,
    method: str = "sosm",
    seed: int | str,
    query: object | None = None,
    depth: int | None = None,
    grown: Sequence[Sequence[Ranking]] = (),
    documents: Iterable[str] | Iterable[int] | None = None,
    version: str | None = None,
    propensity: float | None = None,
) -> _core.Impression:
    """Mix the lists of any number of rankers into the one that a user sees.

    Parameters
    ----------
    rankings
        For each ranker, documents, best first, or scores by document, or any kind of `Rankings`.
    length
        The most documents of a page.
    method
        ``sosm``, ``team-draft``, ``probabilistic``, ``optimized`` or ``pairwise-preference``, with settings as in
        ``probabilistic:sampled=1000``.
    seed, query, depth, grown, documents, version, propensity
        As for `interleave`.

    Returns
    -------
    Impression
        What to show, and what credit needs: `Impression.credit_all`.

    Examples
    --------
    >>> import rankduel as rd
    >>> impression = rd.multileave([["a", "b"], ["b", "a"], ["c", "a"]], length=3, seed=1)
    >>> preferences, scores = impression.credit_all(clicked=["c"])
    >>> preferences[2][0]
    1
    """
    every = _of_query(rankings, query)
    rankers = len(every)
    if grown:
        every.extend(_of_query((ranking for lists in _pages(grown, depth, rankers) for ranking in lists), query))
    asked = _asked(length, depth, seed, version, propensity)
    return _core.multileave(every, rankers, method, asked, None if documents is None else listed_of(documents, "documents"))
