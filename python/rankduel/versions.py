"""Versions of experiments."""

from __future__ import annotations

from collections.abc import Mapping

from rankduel import _core
from rankduel.keywords import suggesting
from rankduel.settings import whole


@suggesting
def experiment_version(experiment: str, rankers: Mapping[str, str], *, method: str, length: int = 10) -> str:
    """The version of an experiment: a hash of what must not change during it.

    Receipts of two versions are never added up: they are two experiments, reported apart.

    Parameters
    ----------
    experiment
        The experiment's name.
    rankers
        The version of each ranker as you state it, e.g. a commit or a date, in the order of their lists.
    method
        The method that mixes their lists, with its settings.
    length
        The documents of a page.

    Returns
    -------
    str
        The name, ``@`` and sixteen hexadecimal digits.

    Raises
    ------
    ValueError
        For an unknown method.

    Examples
    --------
    >>> import rankduel as rd
    >>> rd.experiment_version("search", {"bm25": "1.2", "neural": "7"}, method="team-draft")
    'search@8d4e0a56ba4b9acf'
    """
    return _core.experiment_version(experiment, list(rankers.items()), method, whole("length", length))
