"""The rules by which a log is credited: checked as far as Python must, and written as JSON for the compiled part."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from rankduel import _core
from rankduel.keywords import check
from rankduel.settings import whole
from rankduel.tables import time_text


class CreditRules(TypedDict, total=False):
    """The rules of `credit_frame` and `rankduel.spark.credit`: those of ``click-logs credit``, with its defaults.

    Attributes
    ----------
    unit : str
        What counts once: ``user`` (the default), ``session`` or ``impression``. Impressions only if no user sees two, or
        users do not differ.
    unit_days : int
        A unit's impressions count on the day of its first and on the days after it, N in all; then it closes.
    window : str or timedelta
        How long after an impression its clicks count, e.g. ``30m``, the default.
    skew : str or timedelta
        How much a click may precede its impression, because clocks differ; ``5s`` by default.
    dwell : str or timedelta
        Count only clicks after which the user stayed so long, by the column ``dwell`` (seconds).
    timezone : str or tzinfo
        Where days begin, and the zone of times without one: ``UTC``, an offset such as ``+01:00``, or a name such as
        ``Europe/Berlin`` (also as a `ZoneInfo`), with its summer time.
    until : str or datetime
        The log is complete until then; by default, until its last impression. What is open then is not credited.
    final : bool
        Nothing will be added to the log: all impressions and units are closed.
    bots : mapping or path
        Rules for bots, as in the TOML file of ``click-logs credit --bots``, or such a file.
    actions : sequence of str
        The values of ``action_name`` that are clicks; ``click`` and ``click_through`` by default.
    pairs : str
        How the rankers of impressions were chosen: ``chance`` (never by outcomes), ``kept`` (by outcomes, but a unit keeps its
        first pair for life) or ``steered`` (by outcomes, e.g. by a bandit: of a unit only its very first impression counts). By
        default as the column ``pairs`` says; without it ``chance`` if all impressions mix the same rankers, else ``steered``.
    rankers : sequence of str
        The rankers, in the order in which results name them; by default those of the log, by name.
    logged : str
        Which pages the log keeps, for the check of their coins (`Credited.faults`): ``every`` or ``clicked``, those with a click,
        which say nothing about coins. By default it is not known: then coins are not tested if every page has a click.
    coin : str
        How often a list is drawn, for the same check: once for each ``user`` (the default), ``session`` or ``impression``.
    other_pages : bool
        The clicks include those of pages outside the experiment, so that unknown impressions are expected.
    malformed : str
        What to do with rows that cannot be read: ``refuse`` (the default) or ``set-aside``.
    """

    unit: str
    unit_days: int | None
    window: str | datetime.timedelta | None
    skew: str | datetime.timedelta | None
    dwell: str | datetime.timedelta | None
    timezone: str | datetime.tzinfo | None
    until: str | datetime.datetime | None
    final: bool
    bots: Mapping[str, Any] | str | os.PathLike[str] | None
    actions: Sequence[str] | None
    pairs: str | None
    rankers: Sequence[str] | None
    logged: str | None
    coin: str | None
    other_pages: bool
    malformed: str


def rules_text(rules: Mapping[str, Any], function: str) -> str:
    """The rules in JSON, checked as far as Python must."""
    check(function, rules, CreditRules.__annotations__, ["partitions"] if function == "credit" else [])
    asked = dict(rules)
    malformed = asked.pop("malformed", "refuse")
    if malformed not in ("refuse", "set-aside"):
        raise ValueError(f"malformed: expected 'refuse' or 'set-aside', found {malformed!r}")
    for name in ("window", "skew", "dwell"):
        if asked.get(name) is not None:
            asked[name] = duration(name, asked[name])
    if asked.get("timezone") is not None:
        asked["timezone"] = _zone(asked["timezone"])
    if asked.get("until") is not None:
        asked["until"] = _moment(asked["until"])
    if asked.get("unit_days") is not None:
        asked["unit_days"] = whole("unit_days", asked["unit_days"])
    for name in ("unit", "pairs", "logged", "coin"):
        if asked.get(name) is not None and not isinstance(asked[name], str):
            raise TypeError(f"{name}: expected a text, found {asked[name]!r}")
    asked["set_malformed_aside"] = malformed == "set-aside"
    for name in ("final", "other_pages"):
        asked[name] = bool(asked.get(name, False))
    bots = asked.pop("bots", None)
    if isinstance(bots, Mapping):
        asked["bots"] = dict(bots)
    elif bots is not None:
        asked["bots_toml"] = Path(bots).read_text(encoding="utf-8")
    for name in ("actions", "rankers"):
        value = asked.get(name)
        if isinstance(value, str):
            raise TypeError(f"{name}: expected a list of names, found {value!r}")
        if value is not None:
            # Actions have no order.
            asked[name] = sorted(value) if name == "actions" and isinstance(value, Set) else list(_core.in_order(value, name))
    return json.dumps(asked)


def duration(name: str, value: Any) -> str:
    """A length of time as text."""
    if isinstance(value, np.timedelta64):
        value = value.astype("timedelta64[us]").item()
    if isinstance(value, datetime.timedelta):
        return f"{value / datetime.timedelta(milliseconds=1):.0f}ms"
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a length of time with its unit, such as '30m' or timedelta(minutes=30), found {value!r}")
    return value


def _zone(value: Any) -> str:
    """A zone by its name or offset."""
    if isinstance(value, str):
        return value
    # Zones of zoneinfo and of pytz have names, those of datetime an offset.
    name = getattr(value, "key", None) or getattr(value, "zone", None)
    if isinstance(name, str):
        return name
    offset = value.utcoffset(None) if isinstance(value, datetime.tzinfo) else None
    if offset is None:
        raise TypeError(f"timezone: expected a name such as 'UTC', an offset such as '+01:00', or a ZoneInfo, found {value!r}")
    minutes = offset // datetime.timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _moment(value: Any) -> str:
    """A time as text, as in columns of times."""
    text = time_text(value)
    if not isinstance(text, str):
        raise TypeError(f"until: expected a time such as '2026-11-22T15:04:05Z' or a datetime, found {value!r}")
    return text
