"""Impressions and clicks in data frames: credited once, and who won."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from rankduel import _core, notes
from rankduel.findings import page
from rankduel.frames import Frame
from rankduel.keywords import check
from rankduel.log_tables import batches
from rankduel.settings import whole
from rankduel.tables import time_text

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
    malformed: str


def _rules(rules: Mapping[str, Any], function: str) -> str:
    """The rules in JSON, checked as far as Python must."""
    check(function, rules, CreditRules.__annotations__, ["partitions"] if function == "credit" else [])
    asked = dict(rules)
    malformed = asked.pop("malformed", "refuse")
    if malformed not in ("refuse", "set-aside"):
        raise ValueError(f"malformed: expected 'refuse' or 'set-aside', found {malformed!r}")
    for name in ("window", "skew", "dwell"):
        if asked.get(name) is not None:
            asked[name] = _duration(name, asked[name])
    if asked.get("timezone") is not None:
        asked["timezone"] = _zone(asked["timezone"])
    if asked.get("until") is not None:
        asked["until"] = _moment(asked["until"])
    if asked.get("unit_days") is not None:
        asked["unit_days"] = whole("unit_days", asked["unit_days"])
    for name in ("unit", "pairs"):
        if asked.get(name) is not None and not isinstance(asked[name], str):
            raise TypeError(f"{name}: expected a text, found {asked[name]!r}")
    asked["set_malformed_aside"] = malformed == "set-aside"
    asked["final"] = bool(asked.get("final", False))
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


def _duration(name: str, value: Any) -> str:
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
    # Those of zoneinfo and of pytz have names, those of datetime an offset.
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


class Credited:
    """What a log says: outcomes by day and pair of rankers, and what became of every row.

    Attributes
    ----------
    outcomes : Frame
        One row per version, day and pair, with the columns of the file ``outcomes.csv`` that ``click-logs credit`` writes: wins,
        losses and ties of the `first` ranker, by units on the day on which they closed, and by impressions on the day on
        which they were shown. The column ``version`` is there if some impression names the version of its experiment: each is an
        experiment of its own.
    fates : Frame
        What became of every row: `what` (impression, click, unit), `fate`, `count`, `meaning`. Fates of impressions add up to
        their rows, and so do those of clicks.
    rankers : list of str
        The rankers, in the order of results.
    unit : str
        What counted once.
    synthetic : bool
        Whether simulated users are among those of the log.
    rules : dict
        What was asked for.
    summary : dict
        The same, the times of the first and the last impression, and the numbers of rows.
    """

    def __init__(
        self, outcomes: bytes, fates: bytes, summary: str, rules: str, command: str = "rankduel.credit_frame"
    ) -> None:
        self.outcomes = Frame.from_csv(outcomes)
        self.fates = Frame.from_csv(fates)
        self.summary: dict[str, Any] = json.loads(summary)
        self.rules: dict[str, Any] = json.loads(rules)
        self.rankers: list[str] = self.summary["rankers"]
        self.unit: str = self.summary["unit"]
        self.synthetic: bool = self.summary["synthetic"]
        self._command = command

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Credited):
            return NotImplemented
        return (self.outcomes, self.fates, self.summary) == (other.outcomes, other.fates, other.summary)

    __hash__ = None  # type: ignore[assignment]

    def fate(self, what: str, fate: str) -> int:
        """How many rows had a fate.

        Parameters
        ----------
        what
            ``impression``, ``click`` or ``unit``.
        fate
            The fate, e.g. ``credited``.

        Returns
        -------
        int
            The count.
        """
        for kind, name, count in zip(self.fates["what"], self.fates["fate"], self.fates["count"]):
            if (kind, name) == (what, fate):
                return int(count)
        raise KeyError(f"there is no fate {fate!r} of {what!r}; see `fates`")

    def decide(self, confidence: float = 0.95, *, by: str = "units") -> Decision:
        """Who won, since when and how sure that is. Verdicts hold however often you look.

        Parameters
        ----------
        confidence
            How sure all verdicts together shall be.
        by
            What is counted as independent: ``units``, as credited, or ``impressions``, which finds differences between equal
            rankers where users differ.

        Returns
        -------
        Decision
            The verdicts, as ``click-logs decide`` prints them.
        """
        if by not in ("units", "impressions"):
            raise ValueError(f"by: expected 'units' or 'impressions', found {by!r}")
        table = self.outcomes.to_csv().decode()
        text, data, looks, figure = _core.decided(table, json.dumps(self.summary), confidence, by == "impressions")
        return Decision(text, json.loads(data), Frame.from_csv(looks.encode()), figure)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a folder that ``click-logs decide`` reads: ``outcomes.csv``, ``fates.csv``, ``summary.json``, ``config.json``.

        Parameters
        ----------
        folder
            The folder; it is made if it is not there.
        """
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        self.outcomes.to_csv(path / "outcomes.csv")
        self.fates.to_csv(path / "fates.csv")
        # The last file says that all are there.
        config = {"command": self._command, "rules": self.rules}
        table = (path / "outcomes.csv").read_bytes().decode()
        summary = json.loads(_core.sealed_summary(json.dumps(self.summary), table))
        for name, data in (("summary.json", summary), ("config.json", config)):
            (path / name).write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8")

    def __repr__(self) -> str:
        counted = self.fate("impression", "credited")
        return f"Credited({counted} of {self.summary['lines']['impressions']} impressions; rankers {', '.join(self.rankers)})"

    def _repr_html_(self) -> str:
        return self.outcomes._repr_html_() + self.fates._repr_html_()


class Decision:
    """Who won. Print it for the words of ``click-logs decide``.

    Attributes
    ----------
    data : dict
        The verdicts, as in ``decision.json``. If the experiment changed, ``data["versions"]`` has them by version.
    looks : Frame
        The share of wins after each day with its confidence sequence, as in ``win-rate.csv``.
    """

    def __init__(self, text: str, data: dict[str, Any], looks: Frame, figure: str | None) -> None:
        self._text = text
        self.data = data
        self.looks = looks
        self._figure = figure

    def svg(self) -> str | None:
        """The share of wins over time as a figure.

        Returns
        -------
        str or None
            SVG; `None` if nothing was decided on any day.
        """
        return self._figure

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return page(self._text, {"Share of wins, day by day": self._figure} if self._figure else {})


def checked(credited: Credited) -> Credited:
    """Refuse results that say nothing because a rule does not fit the log."""
    rows = credited.summary["lines"]["impressions"]
    if rows == 0:
        raise ValueError("there are no impressions; pass the lists that were shown")
    if credited.fate("impression", "no-unit") == rows:
        other = "session" if credited.unit == "user" else "user"
        raise ValueError(f"no impression has a {credited.unit}; choose another unit: unit={other!r}")
    not_mixed = credited.fate("impression", "not-mixed")
    never_met = credited.summary.get("rankers_never_met")
    if never_met and rows > not_mixed:
        known = ", ".join(name for name in credited.rankers if name not in never_met)
        raise ValueError(f"rankers names {never_met[0]}, which no impression does; the log has {known}")
    # Doubles of lists that were not mixed do not change that.
    if not_mixed > 0 and not_mixed + credited.fate("impression", "duplicate") == rows:
        raise ValueError(
            "no impression has teams or a receipt, so that no click can be credited to a ranker; log how lists were mixed"
        )
    others = sum(credited.fate("click", fate) for fate in ("other-action", "malformed"))
    clicks = credited.summary["lines"]["clicks"] - others
    if clicks > 0 and credited.summary.get("clicks_without_dwell") == clicks:
        raise ValueError(
            f"dwell={credited.rules['dwell']!r}, but no click has a `dwell`, so none would count; "
            "add the column (seconds), or leave out the rule"
        )
    notes.warn(credited.summary["warnings"])
    return credited


def credit_frame(impressions: Any, clicks: Any, **rules: Unpack[CreditRules]) -> Credited:
    """Join clicks to the lists that were shown, and credit each impression once: ``click-logs credit`` for data frames.

    No count depends on the order of rows. The log must fit into memory; for files that do not, there is ``click-logs
    credit``, and for tables in Spark `rankduel.spark.credit`: all three count the same.

    Parameters
    ----------
    impressions
        A frame of pandas, polars, pyarrow, duckdb or anything else with ``__arrow_c_stream__``, a dictionary of columns, or a list
        of dictionaries. Columns: ``impression`` (its id), ``time``, ``user`` or
        ``session``, ``shown`` (lists of documents, top down), and how the list was mixed: ``teams`` (for each document the
        ranker that owns it, or None) or ``receipt`` (`Impression.to_bytes`, or JSON). Optional: ``rankers`` (all that took
        part), ``agent``, ``pairs`` (how they were chosen; see `CreditRules`); ``mixed`` (lists of all documents that were drawn),
        ``pinned`` (documents that others placed on the page) and ``paged`` (how many places the user saw), where pages displayed
        something else than what was mixed; ``experiment`` and ``version``, whose outcomes are never added up with those of
        another version. The names of UBI 1.3 are understood as well, flat with dots (``query_attributes.teams``) or nested:
        as structs, maps or JSON text. Lists may be text in brackets, as pandas writes them to CSV. Other columns are not
        read.
    clicks
        Likewise: ``impression``, ``document``, ``time``; optional: ``dwell`` (seconds), ``action_name``.
    **rules
        See `CreditRules`.

    Returns
    -------
    Credited
        Outcomes, and what became of every row.

    Raises
    ------
    ValueError
        For a row that cannot be read, by its number from 0, unless such rows are set aside.

    Examples
    --------
    >>> import rankduel as rd
    >>> impressions = {
    ...     "impression": ["i1", "i2"],
    ...     "time": ["2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"],
    ...     "user": ["anna", "ben"],
    ...     "shown": [["d1", "d2"], ["d2", "d3"]],
    ...     "teams": [["A", "B"], ["B", "A"]],
    ... }
    >>> clicks = {"impression": ["i1"], "document": ["d2"], "time": ["2026-01-01T10:01:00Z"]}
    >>> credited = rd.credit_frame(impressions, clicks, final=True)
    >>> print(credited.outcomes)
    day         first  second  unit_wins  unit_losses  unit_ties  impression_wins  impression_losses  impression_ties
    2026-01-01  A      B       0          1            1          0                1                  1
    """
    asked = _rules(rules, "credit_frame")
    log = _core.Log(asked)
    count = 0
    for batch in batches(impressions, "impressions"):
        log.impressions(batch, count)
        count += len(batch)
    count = 0
    for batch in batches(clicks, "clicks"):
        log.clicks(batch, count)
        count += len(batch)
    return checked(Credited(*log.credited(), asked))
