"""The keywords that several functions share, each group defined once, and what becomes of misspelt ones."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")
    R = TypeVar("R")


def hint(name: str, known: Iterable[str]) -> str:
    """The end of an error about a name that is not known."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def check(function: str, given: Iterable[str], known: Iterable[str], others: Iterable[str] = ()) -> None:
    """Refuse keywords that a function does not have.

    Parameters
    ----------
    function
        Its name.
    given
        The keywords of a call.
    known
        Those of its group.
    others
        Its own, which Python checks, for suggestions.

    Raises
    ------
    TypeError
        For the first that is not known, with the nearest.
    """
    known = list(known)
    for name in given:
        if name not in known:
            raise TypeError(f"{function}() has no argument {name!r}{hint(name, [*known, *others])}")


def suggesting(function: Callable[P, R]) -> Callable[P, R]:
    """Make the error about an unknown keyword name the nearest: Python does so only from 3.13 on, and misses many."""
    known = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            found = re.search(r"^(.* got an unexpected keyword argument '(\w+)')", str(error))
            # Not one that was raised further in.
            if found is None or found[2] not in kwargs or found[2] in known:
                raise
            raise TypeError(f"{found[1]}{hint(found[2], known)}") from None

    return called


class BoardSettings(TypedDict, total=False):
    """The arguments of `Live.board`: those of `Board` that are not about reading tables."""

    confidence: float
    clusters: str
    ties: str
    tolerance: float
    discrimination: bool
    advice: bool
    threads: int | None


class SignificanceFlags(TypedDict, total=False):
    """The flags of ``rankduel significance``."""

    test: str
    correction: str
    confidence: float
    baseline: str
    metric: str
    at: int
    by_algorithm: bool
    relabel: Mapping[str, str] | str | Sequence[str]
    format: str
    standalone: bool


class AnalyseFlags(TypedDict, total=False):
    """The flags of ``rankduel analyse``."""

    lexicographic: bool
    arms: str | Sequence[int | str]
    names: str | os.PathLike[str]
    condorcet: Any
    against_lexicographic: bool
    comparisons: int
    confidence: float
    samples: int
    alpha: float
    delta: float
    batch: int
    seed: int


class InspectFlags(TypedDict, total=False):
    """The flags of ``rankduel inspect``."""

    measures: str | Sequence[str]
    per_query: bool
    baseline: str
    test: str
    correction: str
    format: str
    standalone: bool
    trec_ties: str
    unjudged: str
    scores: str | Sequence[str]
    scores_only: bool
    split: str
    max_label: float
    null: str
    same_qid: str
    names: str | os.PathLike[str]
    no_cache: bool
    seed: int


class ExperimentFlags(TypedDict, total=False):
    """Further flags of ``rankduel experiment``."""

    all: bool
    only: str | Sequence[str]
    data_dir: str | os.PathLike[str]
    replace: bool
    dry_run: bool
    time: bool
    cache: str | os.PathLike[str]


class StudyFlags(TypedDict, total=False):
    """The flags of the studies of `Site.study`."""

    methods: str | Sequence[str]
    compared: int
    impressions: int
    impressions_per_draw: int
    draws: int
    sizes: str | Sequence[int] | None
    multileavings: int
    sets: int
    truth_effort: float
    cache: str | os.PathLike[str] | None
