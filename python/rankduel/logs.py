"""Impressions and clicks in data frames: credited once, and who won."""

from __future__ import annotations

import csv
import datetime
import html
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankduel import _core, notes
from rankduel.findings import page
from rankduel.frames import Frame
from rankduel.log_rules import CreditRules, duration, rules_text
from rankduel.log_tables import batches
from rankduel.tables import cells

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with the pages of a log, or seems to be: said before every verdict.

    Attributes
    ----------
    kind : str
        What it is about: ``lead`` (one ranker comes first too often), ``places`` (one owns too many places), ``near-ids`` (clicks
        are on what was shown but for how its id is written), ``not-shown``, ``unknown-impressions`` (clicks on these),
        ``far-times`` (impressions long after the log's end), ``lists-of-one`` (pages with documents of one ranker alone),
        ``identical-lists``, or ``form-unsaid`` (coins cannot be tested before `CreditRules` says which pages are logged).
    version : str or None
        The version of the experiment, if only one of several has it.
    sentence : str
        What was found, and what is probably the mistake.
    trusted : bool
        Whether a verdict can be trusted all the same.
    """

    kind: str
    version: str | None
    sentence: str
    trusted: bool

    def __str__(self) -> str:
        return self.sentence if self.version is None else f"{self.version}: {self.sentence}"


class Credited:
    """The credit of a log: outcomes by day and pair of rankers, the fate of every row, and the faults of its pages.

    Attributes
    ----------
    trusted : bool
        Whether verdicts can be trusted as far as pages show: False if one of the `faults` says otherwise.
    faults : list of Fault
        What is wrong with pages, or seems to be; first what makes verdicts untrusted. Empty for a healthy log.
    outcomes : Frame
        One row per version, day and pair, with the columns of the file ``outcomes.csv`` that ``click-logs credit`` writes: wins,
        losses and ties of the `first` ranker, by units on the day on which they closed, and by impressions on the day on
        which they were shown. Where impressions say who owns each document, columns from ``amount_units`` to
        ``clicked_products`` have sums over the units that closed: impressions, clicks and impressions with a click on documents
        of each ranker, squares and products. The column ``version`` is there if some impression names the version of its experiment: each is an
        experiment of its own.
    fates : Frame
        The fate of every row: `what` (impression, click, unit), `fate`, `count`, `meaning`. Fates of impressions add up to
        their rows, and so do those of clicks.
    pages : Frame
        Counts of pages, their coins and lost clicks, by version, day and pair, with the columns of ``pages.csv``:
        `faults` follow from these counts.
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
        self, outcomes: bytes, fates: bytes, pages: bytes, summary: str, rules: str, command: str = "rankduel.credit_frame"
    ) -> None:
        self.outcomes = Frame.from_csv(outcomes)
        self.fates = Frame.from_csv(fates)
        self.pages = Frame.from_csv(pages)
        self.summary: dict[str, Any] = json.loads(summary)
        self.rules: dict[str, Any] = json.loads(rules)
        self.rankers: list[str] = self.summary["rankers"]
        self.unit: str = self.summary["unit"]
        self.synthetic: bool = self.summary["synthetic"]
        found = self.summary["integrity"]["faults"]
        self.faults = [Fault(fault["kind"], fault.get("version"), fault["sentence"], fault["trusted"]) for fault in found]
        self.trusted = all(fault.trusted for fault in self.faults)
        self._command = command

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Credited):
            return NotImplemented
        own, others = ((of.outcomes, of.fates, of.pages, of.summary) for of in (self, other))
        return own == others

    __hash__ = None  # type: ignore[assignment]

    def fate(self, what: str, fate: str) -> int:
        """The number of rows with a fate.

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
        """The winner, since when, and how sure that is. Verdicts hold however often you look.

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
        text, data, looks, figure, distrust = _core.decided(table, json.dumps(self.summary), confidence, by == "impressions")
        return Decision(text, json.loads(data), Frame.from_csv(looks.encode()), figure, distrust)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a folder that ``click-logs decide`` reads, with the files that ``click-logs credit`` writes.

        Parameters
        ----------
        folder
            The folder; it is made if it is not there.
        """
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        self.outcomes.to_csv(path / "outcomes.csv")
        self.fates.to_csv(path / "fates.csv")
        self.pages.to_csv(path / "pages.csv")
        # The last file marks that all are there.
        config = {"command": self._command, "rules": self.rules}
        table = (path / "outcomes.csv").read_bytes().decode()
        summary = json.loads(_core.sealed_summary(json.dumps(self.summary), table))
        for name, data in (("summary.json", summary), ("config.json", config)):
            (path / name).write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8")

    def __repr__(self) -> str:
        counted = self.fate("impression", "credited")
        trusted = "" if self.trusted else "; not trusted"
        of_all = f"{counted} of {self.summary['lines']['impressions']} impressions"
        return f"Credited({of_all}; rankers {', '.join(self.rankers)}{trusted})"

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.faults), repr(self)])

    def _repr_html_(self) -> str:
        return _alert(self.faults) + self.outcomes._repr_html_() + self.fates._repr_html_()


def _alert(sentences: Sequence[object]) -> str:
    """The first lines in a notebook."""
    paragraphs = "".join(f"<p>{html.escape(str(sentence))}</p>" for sentence in sentences)
    return f'<div role="alert">{paragraphs}</div>' if paragraphs else ""


class Decision:
    """The verdict. Print it for the words of ``click-logs decide``.

    Attributes
    ----------
    data : dict
        The verdicts, as in ``decision.json``; ``effect`` of a pair says by how many clicks. If the experiment changed, ``data["versions"]`` has them by version.
    trusted : bool or None
        Whether the verdicts can be trusted as far as pages show (`Credited.faults`); None if that is not known.
    headline : str
        The verdict in one sentence; if it is not trusted, what is wrong. Of several versions, that of the one which began last.
    winner : str or None
        The ranker that won, once that is sure and can be trusted.
    action : str
        What to do: ``ship`` the winner, ``choose`` by who beats whom, ``check`` what changed, ``wait``, or ``repair`` the pages.
    advice : str
        The same in a sentence, with the chances of a decision while it is open.
    looks : Frame
        The share of wins after each day with its confidence sequence, as in ``win-rate.csv``.
    """

    def __init__(self, text: str, data: dict[str, Any], looks: Frame, figure: str | None, distrust: list[str]) -> None:
        self._text = text
        self._distrust = distrust
        self.data = data
        self.trusted: bool | None = data["trusted"]
        self.headline: str = data["headline"]
        self.winner: str | None = data["winner"]
        self.action: str = data["action"]
        self.advice: str = data["advice"]
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
        figures = {"Share of wins, day by day": self._figure} if self._figure else {}
        return _alert(self._distrust) + page(self._text, figures)


def checked(credited: Credited, grows: bool = False) -> Credited:
    """Refuse results that say nothing because a rule does not fit the log; one that grows may meet a ranker later."""
    rows = credited.summary["lines"]["impressions"]
    if rows == 0:
        raise ValueError("there are no impressions; pass the lists that were shown")
    if credited.fate("impression", "no-unit") == rows:
        other = "session" if credited.unit == "user" else "user"
        raise ValueError(f"no impression has a {credited.unit}; choose another unit: unit={other!r}")
    not_mixed = credited.fate("impression", "not-mixed")
    never_met = credited.summary.get("rankers_never_met")
    if never_met and rows > not_mixed and not grows:
        known = ", ".join(name for name in credited.rankers if name not in never_met)
        raise ValueError(f"rankers names {never_met[0]}, which no impression does; the log has {known}")
    # Doubles of lists that were not mixed do not change that.
    if not_mixed > 0 and not_mixed + credited.fate("impression", "duplicate") == rows:
        raise ValueError(
            "no impression has teams or a receipt, so that no click can be credited to a ranker; log how lists were mixed"
        )
    fates = zip(credited.fates["what"], credited.fates["fate"], credited.fates["count"])
    others = sum(int(count) for what, fate, count in fates if what == "click" and fate in ("other-action", "malformed", "behind"))
    clicks = credited.summary["lines"]["clicks"] - others
    if clicks > 0 and credited.summary.get("clicks_without_dwell") == clicks:
        raise ValueError(
            f"dwell={credited.rules['dwell']!r}, but no click has a `dwell`, so none would count; "
            "add the column (seconds), or leave out the rule"
        )
    notes.warn(credited.summary["warnings"])
    return credited


def credit_frame(
    impressions: Any,
    clicks: Any,
    *,
    state: str | os.PathLike[str] | None = None,
    horizon: str | datetime.timedelta | None = None,
    **rules: Unpack[CreditRules],
) -> Credited:
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
        something else than what was mixed; ``experiment`` and ``version``: outcomes of different versions are
        never added up. The names of UBI 1.3 are understood as well, flat with dots (``query_attributes.teams``) or nested:
        as structs, maps or JSON text. Lists may be text in brackets, as pandas writes them to CSV. Other columns are not
        read.
    clicks
        Likewise: ``impression``, ``document``, ``time``; optional: ``dwell`` (seconds), ``action_name``.
    state
        A folder with the state of a log that grows, as ``click-logs credit --append`` has it: the frames are those that are new, and
        the result is that of all frames together. Needs ``until`` (or ``final``), ``rankers``, and ``pairs`` unless the log says it.
        Frames that were taken before are refused, as long as none of their rows is behind; without rows, they give the result of
        before again.
    horizon
        How late rows may come to a log that grows; later ones have the fate ``behind``. By default three days, or that of the state.
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
    >>> for name in ("day", "first", "second", "unit_losses", "unit_ties", "second_clicks"):
    ...     print(name, credited.outcomes[name][0])
    day 2026-01-01
    first A
    second B
    unit_losses 1
    unit_ties 1
    second_clicks 1
    """
    asked = rules_text(rules, "credit_frame")
    if horizon is not None and state is None:
        raise ValueError("horizon: only a log that grows has one; give its state")
    log = _core.Log(asked, state, None if horizon is None else duration("horizon", horizon))
    count = 0
    for batch in batches(impressions, "impressions"):
        log.impressions(batch, count)
        count += len(batch)
    count = 0
    for batch in batches(clicks, "clicks"):
        log.clicks(batch, count)
        count += len(batch)
    credited = checked(Credited(*log.credited(), asked), grows=state is not None)
    log.keep()
    return credited


def decide(outcomes: Any, confidence: float = 0.95, *, by: str = "units") -> Decision:
    """The verdict on a table of outcomes: ``click-logs decide`` for files and data frames.

    Parameters
    ----------
    outcomes
        A file in CSV, JSON Lines or Parquet, a folder that ``click-logs credit`` or `Credited.save` wrote (what was named there to
        decide, such as orders, does), or a frame of pandas,
        polars, pyarrow or duckdb. Its columns, in any order: ``day``, ``first``, ``second``, ``unit_wins``, ``unit_losses``,
        ``unit_ties``; optional: ``impression_wins``, ``impression_losses``, ``impression_ties``, ``version``, and those of amounts that
        ``click-logs credit`` writes.
    confidence
        How sure all verdicts together shall be.
    by
        What is counted as independent: ``units`` or ``impressions``.

    Returns
    -------
    Decision
        The verdicts.

    Raises
    ------
    ValueError
        If it is no such table, with what is wrong.

    Examples
    --------
    >>> import rankduel as rd
    >>> days = {"day": ["2026-11-22"], "first": ["A"], "second": ["B"], "unit_wins": [90], "unit_losses": [3], "unit_ties": [3]}
    >>> rd.decide(days).data["pairs"][0]["winner"]
    'A'
    """
    if by not in ("units", "impressions"):
        raise ValueError(f"by: expected 'units' or 'impressions', found {by!r}")
    if isinstance(outcomes, (str, os.PathLike)):
        table, summary, conversions = _core.outcomes_of(outcomes)
    else:
        columns = {name: [_cell(value) for value in values] for name, values in cells(outcomes, "outcomes").items()}
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
        table, summary, conversions = text.getvalue(), "{}", None
    text_of, data, looks, figure, distrust = _core.decided(table, summary, confidence, by == "impressions", conversions)
    return Decision(text_of, json.loads(data), Frame.from_csv(looks.encode()), figure, distrust)


def _cell(value: Any) -> str:
    """A value of a table as the text of CSV."""
    if value is None or value != value:
        return ""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat()
    # Whole numbers that a gap has turned into floats.
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
