"""The arguments of a site, as the command line has them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypedDict, Union

from rankduel import _core
from rankduel.clicks import Click, ClickModel, taken
from rankduel.keywords import check
from rankduel.progress import Progress

Features = Union[str, int, Sequence[Union[int, str]]]


class UserSettings(TypedDict, total=False):
    """The arguments of `Site` about users and the lists that they see."""

    click: Click
    without: Sequence[int | str]
    shown: int
    interleave: str | None
    multileave: str | None
    credit_ties: str | None
    ties: str
    fractional_labels: str
    seed: int
    threads: int | None


class SiteSettings(UserSettings, total=False):
    """The arguments of `Site` about rankers and users, which sites of your own rankers have too."""

    rankers: Features


class DataSettings(SiteSettings, total=False):
    """All keywords of `Site`: those of `SiteSettings`, and those about reading data."""

    scores: Sequence[str | os.PathLike[str]]
    scores_only: bool
    names: str | os.PathLike[str] | None
    split: str | None
    max_label: float | None
    null: str | None
    same_qid: str | None
    use_cache: bool
    progress: Progress


class FrameSettings(UserSettings, total=False):
    """The arguments that `Site.from_frame` passes to `Site.from_arrays`."""

    name: str
    synthetic: bool


def paths_of(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], what: str) -> list[str]:
    """One or several paths or names as texts; `what` says in errors what they are."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in _core.in_order(paths, what)]


def specification(*, dataset: list[str], rankers: Features = "all", **settings: Any) -> dict[str, Any]:
    """A site as the command line describes it."""
    spec = {name.replace("_", "-"): value for name, value in settings.items() if value is not None}
    spec["without"] = list(spec.get("without", ()))
    if not isinstance(rankers, (str, int)):
        # A list of one is a feature, not a number of random ones.
        rankers = "".join(f'"{name}",' if "," in str(name) else f"{name}," for name in _core.in_order(rankers, "rankers"))
    return {"dataset": dataset, "rankers": str(rankers), **spec}


def settings_of(function: str, settings: SiteSettings, own: Sequence[str]) -> tuple[dict[str, Any], int, ClickModel | None, int | None]:
    """The specification of a site without data, its seed, the caller's click model, and its threads."""
    check(function, settings, SiteSettings.__annotations__, own)
    every: dict[str, Any] = dict(settings)
    every["click"], model = taken(every.get("click", "navigational"))
    seed, threads = every.pop("seed", 1), every.pop("threads", None)
    return specification(dataset=[], **every), seed, model, threads
