"""Lists of two or more rankers mixed for one user, and the credit that clicks give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Union

from rankduel import _core
from rankduel.settings import whole

Ranking = Union[Sequence[str], Mapping[str, float]]
"""Documents, best first; or scores by document, of which equal ones tie."""


def interleave(
    first: Ranking, second: Ranking, *, length: int = 10, method: str = "team-draft", seed: int
) -> _core.Impression:
    """Mix the lists of two rankers into the one that a user sees.

    Parameters
    ----------
    first, second
        Documents, best first, or scores by document: equal scores tie, and ties are broken at random.
    length
        The most documents to show.
    method
        ``balanced``, ``team-draft``, ``probabilistic``, ``document-constraints`` or ``optimized``, with settings as in
        ``probabilistic:tau=1``.
    seed
        The seed of this impression: take another one for each.

    Returns
    -------
    Impression
        What to show, and what credit needs.

    Raises
    ------
    ValueError
        For a document twice in one list, a score that is not a number, or an unknown method.

    Examples
    --------
    >>> import rankduel as rd
    >>> impression = rd.interleave(["a", "b", "c"], ["d", "a", "e"], length=4, seed=7)
    >>> kept = impression.to_bytes()
    >>> rd.Impression.from_bytes(kept).credit(clicked=["d"])
    'second'
    """
    return _core.interleave(first, second, whole("length", length), method, whole("seed", seed))


def multileave(
    rankings: Sequence[Ranking], *, length: int = 10, method: str = "sosm", seed: int
) -> _core.Impression:
    """Mix the lists of any number of rankers into the one that a user sees.

    Parameters
    ----------
    rankings
        For each ranker, documents, best first, or scores by document.
    length
        The most documents to show.
    method
        ``sosm``, ``team-draft``, ``probabilistic``, ``optimized`` or ``pairwise-preference``, with settings as in
        ``probabilistic:sampled=1000``.
    seed
        The seed of this impression: take another one for each.

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
    return _core.multileave(list(rankings), whole("length", length), method, whole("seed", seed))
