"""The settings of studies, and their way to the compiled part."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import Any, Optional, TypedDict, TypeVar

from rankduel import _core
from rankduel.flags import flags
from rankduel.keywords import check
from rankduel.progress import Progress


class ExploreSettings(TypedDict, total=False):
    """Arguments of `explore` beside its own.

    Attributes
    ----------
    axes : str
        The axes of the figure: ``linear``, ``log-x`` (the default of live studies) or ``log`` (that of studies on matrices).
    delay : int, str or path
        How many impressions late outcomes come: a number, ``geometric:MEAN``, or a file with one delay per line.
    batch : int
        Outcomes come together, after every so many impressions.
    lost : float
        The probability that an outcome never comes.
    """

    axes: str
    delay: int | str | os.PathLike[str] | None
    batch: int | None
    lost: float | None


class StudySettings(ExploreSettings, total=False):
    """Arguments of studies beside steps, runs and seed, and beside `ExploreSettings`.

    Attributes
    ----------
    checkpoints : int
        Checkpoints per decade of steps; 10 by default.
    spread : str or None
        The spread over runs in table and figure: ``se``, ``sd`` or ``range``; by default ``se``, with fewer than five runs
        ``range``.
    evidence : float
        Say at the end in which runs the outcomes prove which arm is the best, with this confidence, e.g. 0.95. Of algorithms
        that show sets on a site, they prove which ranker wins in multileaved lists (``proven_by`` in tables).
    stop_when : float
        The same, and end a run once they prove it: the arm is shown alone from then on.
    tolerance : float
        With evidence: state an arm that is no worse than any other by more than this share of the decided impressions.
    give_up : bool
        With `stop_when`: also end a run whose remaining steps cannot be expected to prove anything.
    """

    checkpoints: int
    spread: str | None
    evidence: float | None
    stop_when: float | None
    tolerance: float | None
    give_up: bool


class BanditSettings(StudySettings, total=False):
    """All keywords of `bandit`."""

    steps: int | float
    runs: int
    seed: int
    regret: str | None
    out: str | os.PathLike[str] | None
    replace: bool
    threads: int | None
    progress: Progress


class CompareSettings(TypedDict, total=False):
    """Arguments of `Site.compare` beside its own.

    Attributes
    ----------
    checkpoints, axes, spread
        As in `StudySettings`.
    streams : str
        Where impressions are drawn from: ``sequential`` (the default), from the generators of their run, or ``keyed``, each
        from its own, so that all algorithms meet the same queries and users.
    truth_effort : float
        Comparisons behind the ground truth, as a multiple of the default.
    cache : str or path
        A folder that keeps ground truths for later processes.
    """

    checkpoints: int
    axes: str
    spread: str | None
    streams: str
    truth_effort: float
    cache: str | os.PathLike[str] | None


class LiveSettings(StudySettings, total=False):
    """Arguments of live studies beside those of `StudySettings`.

    Attributes
    ----------
    streams, truth_effort, cache
        As in `CompareSettings`.
    """

    streams: str
    truth_effort: float
    cache: str | os.PathLike[str] | None


Placed = tuple[Optional[str], bool, Optional[str]]
"""A results folder, whether what it holds moves aside, and a share of the work."""

SHARE: ContextVar[str | None] = ContextVar("share", default=None)
"""The share of the work that studies do; set by `rankduel.shards`."""

_Found = TypeVar("_Found")


class PartDoneError(Exception):
    """A study did only a share of its work, and so found nothing to return."""


def placed(out: str | os.PathLike[str] | None, replace: bool) -> Placed:
    """Where results go, and how much of the work is done.

    Raises
    ------
    ValueError
        If `replace` has nothing to replace, or a share has no folder.
    """
    share = SHARE.get()
    if out is None:
        if replace:
            raise ValueError('replace belongs to a results folder; add out="results/..."')
        if share is not None:
            raise ValueError('a shard writes its part beside the results; add out="results/..."')
    return None if out is None else os.fspath(out), bool(replace), share


def whole_study(found: _Found | None) -> _Found:
    """The findings of a study.

    Raises
    ------
    PartDoneError
        If it did only a share of its work.
    """
    if found is None:
        raise PartDoneError
    return found


def whole(name: str, value: Any) -> int:
    """A count as an `int`: 1e6 is one, too."""
    try:
        number = operator.index(value)
    except TypeError:
        if not isinstance(value, float) or not value.is_integer():
            raise ValueError(f"{name}: expected a whole number, found {value!r}") from None
        number = int(value)
    if not 0 <= number < 2**64:
        raise ValueError(f"{name}: expected a number from 0 to 2^64 - 1, found {number}")
    return number


def count(name: str, value: Any) -> int:
    """A count of at least 1."""
    number = whole(name, value)
    if number < 1:
        raise ValueError(f"{name}: expected at least 1, found {value!r}")
    return number


def cores(threads: Any) -> int | None:
    """A number of threads; `None` for all cores."""
    try:
        return None if threads is None else count("threads", threads)
    except ValueError:
        raise ValueError(f"threads: expected a number from 1, or None for all cores, found {threads!r}") from None


def packed(function: str, settings: Mapping[str, Any], **named: Any) -> list[str]:
    """All settings of a call of `function` as flags; those that are `None` are left out.

    Raises
    ------
    TypeError
        For a setting that the function does not have.
    ValueError
        For a value that is neither a number nor text, nor a list of them.
    """
    known = dict(_core.keywords(function))
    others = [*named, "out", "replace", "progress", "threads"]
    check(function, settings, [name for name in known if name not in named], others)
    return flags({name: _plain(name, value, known.get(name, False)) for name, value in {**named, **settings}.items()})


def _plain(name: str, value: Any, switch: bool) -> Any:
    """A value as `flags` writes it."""
    if value is None or switch:
        return bool(value)
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return [_number(part) for part in _core.in_order(value, name)]
    return _number(value)


def _number(value: Any) -> str:
    """A number without the `.0` of one that is whole."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
