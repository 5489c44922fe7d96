"""The compiled part of `rankduel`."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "AMOUNTS",
    "Batch",
    "Board",
    "Columns",
    "Counting",
    "EventGathering",
    "Impression",
    "Log",
    "Matrix",
    "QueryRanking",
    "PAGE_COUNTS",
    "Reader",
    "Rows",
    "Session",
    "Site",
    "Study",
    "TrecText",
    "__version__",
    "credit_counts",
    "bandit_in",
    "set_program_path",
    "captured",
    "click_logs",
    "compare",
    "decided",
    "experiment_version",
    "in_order",
    "interleave",
    "keywords",
    "log_column",
    "main",
    "multileave",
    "outcomes_of",
    "sealed_summary",
    "seed_of",
    "simulate_clicks",
    "study_of_site",
    "merge_surveys",
    "trec_query",
]

__version__: str
PAGE_COUNTS: int
AMOUNTS: int

_Value = TypeVar("_Value")
_Report = Callable[[str, int, int], object] | None
_Placed = tuple[str | None, bool, str | None]
_Asked = tuple[int, int | None, int, str | None, float | None]
_Found = tuple[str, str, list[tuple[str, "Columns"]], list[tuple[str, str]]]
_Answers = Callable[
    [int],
    tuple[
        str,
        list[tuple[int, float]],
        list[tuple[float, tuple[float, float], tuple[int | None, int | None]]],
    ],
]

def set_program_path(program: str | os.PathLike[str]) -> None: ...
def main(arguments: Sequence[str | os.PathLike[str]]) -> int: ...
def click_logs(arguments: Sequence[str | os.PathLike[str]]) -> int: ...
def merge_surveys(parts: Sequence[str]) -> str: ...
def credit_counts(
    settings_json: str, survey_json: str, counts: Sequence[tuple[int, str | None, int, str, str, Sequence[int]]]
) -> tuple[bytes, bytes, bytes, str]: ...
def sealed_summary(summary: str, table: str) -> str: ...
def decided(
    outcomes: str, summary: str, confidence: float, by_impressions: bool, conversions: str | None = None
) -> tuple[str, str, str, str | None, list[str]]: ...
def outcomes_of(path: str | os.PathLike[str]) -> tuple[str, str, str | None]: ...
def log_column(name: str, clicks: bool) -> str | None: ...
def captured(
    arguments: Sequence[str | os.PathLike[str]],
    threads: int | None = None,
    report: _Report = None,
    notes: bool = True,
) -> str: ...
def in_order(value: _Value, what: str) -> _Value: ...
def interleave(
    rankings: Sequence[object], method: str, asked: _Asked, documents: Sequence[object] | None
) -> Impression: ...
def seed_of(id: str) -> int: ...
def experiment_version(experiment: str, rankers: Sequence[tuple[str, str]], method: str, length: int) -> str: ...
def simulate_clicks(
    click: str,
    own: _Answers | None,
    labels: Sequence[float],
    fractional_labels: str,
    users: int,
    seed: int,
) -> npt.NDArray[np.uint8]: ...
def study_of_site(
    site: Site,
    name: str,
    settings: Sequence[str],
    seed: int,
    placed: _Placed,
    threads: int | None,
    report: _Report,
) -> _Found | None: ...
def compare(
    site: Site,
    matrix: Matrix | None,
    impressions_per_pair: int,
    algorithms: Sequence[object],
    settings: Sequence[str],
    placed: _Placed,
    threads: int | None,
    report: _Report,
) -> tuple[Study, Study, Columns] | None: ...
def multileave(
    rankings: Sequence[object], rankers: int, method: str, asked: _Asked, documents: Sequence[object] | None
) -> Impression: ...
@final
class Rows:
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Batch:
    def __len__(self) -> int: ...

@final
class Reader:
    def __new__(cls, stream: object | None) -> Reader: ...
    def columns(self) -> list[tuple[str, str | None]]: ...
    def select(self, columns: Sequence[tuple[str, str]]) -> None: ...
    def add(self, name: str, read_as: str, values: object) -> None: ...
    def next(self) -> Batch | None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class TrecText:
    def __new__(cls, what: str, number: str, tag: str, has_rows: bool) -> TrecText: ...
    def add(self, batch: Batch) -> None: ...
    def bytes(self) -> bytes: ...

@final
class QueryRanking:
    def __new__(cls, what: str, number: str, query: str | None, has_rows: bool) -> QueryRanking: ...
    def add(self, batch: Batch) -> None: ...
    def scores(self) -> dict[Any, float]: ...

def trec_query(path: str | os.PathLike[str], query: str | None) -> dict[Any, float]: ...
@final
class Log:
    def __new__(cls, rules: str, state: str | os.PathLike[str] | None = None, horizon: str | None = None) -> Log: ...
    def keep(self) -> None: ...
    def impressions(self, batch: object, first: int) -> None: ...
    def clicks(self, batch: object, first: int) -> None: ...
    def credited(self) -> tuple[bytes, bytes, bytes, str]: ...

@final
class EventGathering:
    def __new__(cls, settings_json: str, survey_json: str | None = None) -> EventGathering: ...
    def look(self, batch: object) -> None: ...
    def survey(self) -> str: ...
    def take(self, batch: object) -> Rows | None: ...
    def end(self) -> Rows: ...

@final
class Counting:
    def __new__(cls, settings_json: str, survey_json: str) -> Counting: ...
    def take(self, batch: object) -> None: ...
    def end(self) -> Rows: ...

@final
class Columns:
    @staticmethod
    def from_csv(csv: bytes, texts: bool = False) -> Columns: ...
    @property
    def names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def values(self, name: str) -> npt.NDArray[Any] | list[Any]: ...
    def csv(self) -> bytes: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Impression:
    """A list shown to one user, and the receipt with which its clicks are credited later: what `interleave` and `multileave` return.

    A plain value, which can be compared and pickled, and kept as bytes or JSON.
    """

    @property
    def shown(self) -> list[Any]:
        """The documents displayed, top down: all pages so far, with what is pinned."""
    @property
    def on_page(self) -> list[Any]:
        """The documents that the last page adds: those of `next_page` that called for it, or all."""
    @property
    def mixed(self) -> list[Any]:
        """All documents mixed, displayed or not."""
    @property
    def method(self) -> str:
        """The method that mixed the list, with its settings."""
    @property
    def version(self) -> str | None:
        """The version of the experiment, if it is known."""
    @property
    def propensity(self) -> float | None:
        """The probability of the choice that led to the list, if it is known."""
    @property
    def teams(self) -> list[int | None] | None:
        """For each document displayed the ranker that owns it, counted from 0; None if it has no owner.

        None, if the method has no owners: only ``team-draft``, ``team-draft:pairs`` and ``probabilistic:assignment`` have.
        """
    def next_page(self, length: int = 10) -> Impression:
        """The same impression with the next page displayed.

        Keep it in place of this one: clicks on any of its pages are credited through it.

        Parameters
        ----------
        length
            The most documents of the page.

        Returns
        -------
        Impression
            With more documents in `shown`, and the new ones in `on_page`: none, if all that was mixed is displayed.

        Examples
        --------
        >>> import rankduel as rd
        >>> ours, theirs = list("abcdefgh"), list("hgfedcba")
        >>> first = rd.interleave(ours, theirs, length=3, depth=9, seed="impression-17")
        >>> second = first.next_page(3)
        >>> second.shown == first.shown + second.on_page, len(second.on_page)
        (True, 3)
        """
    def displayed(
        self, documents: Iterable[str] | Iterable[int], pinned: Iterable[str] | Iterable[int] | None = None
    ) -> Impression:
        """The same impression as a page really displayed it.

        Documents that were mixed and are not among those displayed are taken out before credit; those that are pinned, e.g. an
        advertisement, have no ranker, and clicks on them are not credited.

        Parameters
        ----------
        documents
            All documents displayed, top down, on all pages.
        pinned
            Those among them that the mixed list did not put there.

        Returns
        -------
        Impression
            With `documents` in `shown`.

        Raises
        ------
        ValueError
            If documents of the mixed list are in another order, or some were neither mixed nor pinned.

        Examples
        --------
        >>> import rankduel as rd
        >>> impression = rd.interleave(["a", "b", "c"], ["b", "c", "a"], length=3, seed=2)
        >>> page = impression.displayed(["advert", *impression.shown], pinned=["advert"])
        >>> page.credit(["advert"])
        'tie'
        """
    def truncated(self, length: int) -> Impression:
        """The same impression for a user who saw the first places and went no further.

        Parameters
        ----------
        length
            How many places of `shown` the user saw.

        Returns
        -------
        Impression
            With the first places in `shown`.
        """
    def credit(
        self, clicked: Iterable[str] | Iterable[int] | None = None, *, positions: Iterable[int] | None = None
    ) -> str:
        """The winner of two rankers.

        Parameters
        ----------
        clicked
            The documents that were clicked, in any order.
        positions
            Their places in `shown` instead, counted from 0.

        Returns
        -------
        str
            ``"first"``, ``"second"`` or ``"tie"``.

        Raises
        ------
        ValueError
            If a document was not shown, or the impression is of several rankers.
        """
    def credit_all(
        self, clicked: Iterable[str] | Iterable[int] | None = None, *, positions: Iterable[int] | None = None
    ) -> tuple[list[list[int]], list[int] | None]:
        """The winner of each pair of rankers, and the score of each.

        Parameters
        ----------
        clicked
            The documents that were clicked, in any order.
        positions
            Their places in `shown` instead, counted from 0.

        Returns
        -------
        preferences : list of list of int
            For rankers i and j, 1 if i won, -1 if j won, 0 for a tie.
        scores : list of int or None
            A score per ranker, for methods that have scores; only their order means anything.

        Raises
        ------
        ValueError
            If a document was not shown.
        """
    def to_bytes(self) -> bytes:
        """The impression as bytes.

        Returns
        -------
        bytes
            Some tens of bytes beside the documents.
        """
    @staticmethod
    def from_bytes(data: bytes, whole: bool = False) -> Impression:
        """The impression that `to_bytes` wrote.

        Parameters
        ----------
        data
            The bytes.
        whole
            Whether documents are whole numbers; bytes have them as text.

        Returns
        -------
        Impression
            The same.

        Raises
        ------
        ValueError
            For other bytes.
        """
    def to_json(self) -> str:
        """The impression as JSON.

        Returns
        -------
        str
            One line.
        """
    @staticmethod
    def from_json(text: str, whole: bool = False) -> Impression:
        """The impression that `to_json` wrote.

        Parameters
        ----------
        text
            The line.
        whole
            Whether documents are whole numbers; JSON has them as text.

        Returns
        -------
        Impression
            The same.

        Raises
        ------
        ValueError
            For other text.
        """
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Board:
    @staticmethod
    def open(path: str | os.PathLike[str], asked: tuple[list[str], bool], threads: int | None) -> Board: ...
    @staticmethod
    def of_columns(header: Sequence[str], columns: Sequence[Sequence[str]], asked: tuple[list[str], bool], threads: int | None) -> Board: ...
    @staticmethod
    def of_source(source: tuple[str, str, bytes], asked: tuple[list[str], bool], threads: int | None) -> Board: ...
    def source(self) -> tuple[str, str, bytes]: ...
    def text(self) -> str: ...
    def markdown(self) -> str: ...
    def latex(self, standalone: bool) -> str: ...
    def json(self) -> str: ...
    def table(self) -> Columns: ...
    def svg(self) -> str: ...
    def figure_values(self) -> str: ...
    def save(self, folder: str | os.PathLike[str]) -> None: ...
    def preferences(self) -> tuple[list[str], list[float]] | None: ...

def keywords(function: str) -> list[tuple[str, bool]]: ...
def bandit_in(
    class_: type[object],
    name: str,
    arms: int,
    preferences: npt.NDArray[np.float64] | None,
    algorithms: Sequence[object],
    settings: Sequence[str],
    placed: _Placed,
    threads: int | None,
    report: _Report,
) -> Study | None: ...

@final
class Matrix:
    @staticmethod
    def from_array(values: npt.NDArray[np.float64], name: str, names: Sequence[str] | None) -> Matrix: ...
    @staticmethod
    def open(path: str | os.PathLike[str], names: Sequence[str] | None = None) -> Matrix: ...
    @staticmethod
    def problem(text: str) -> Matrix: ...
    @property
    def name(self) -> str: ...
    @property
    def arms(self) -> int: ...
    @property
    def pairs(self) -> int: ...
    @property
    def has_utilities(self) -> bool: ...
    @property
    def has_counts(self) -> bool: ...
    def win_table(self) -> npt.NDArray[np.float64] | None: ...
    def counts_note(self) -> str | None: ...
    @property
    def synthetic(self) -> bool | None: ...
    def values(self) -> npt.NDArray[np.float64]: ...
    def utilities(self) -> npt.NDArray[np.float64]: ...
    def wins(self) -> npt.NDArray[np.uint64]: ...
    def ties(self) -> npt.NDArray[np.uint64]: ...
    def comparisons(self) -> npt.NDArray[np.uint64]: ...
    def standard_errors(self) -> npt.NDArray[np.float64]: ...
    @property
    def described(self) -> bool: ...
    def description(self) -> bytes | None: ...
    def how(self) -> str: ...
    def winner_line(self) -> str: ...
    def condorcet_winner(self) -> int | None: ...
    def checksum(self) -> str: ...
    def names(self) -> list[str] | None: ...
    def arm_name(self, arm: int) -> str: ...
    def subset(self, arms: Sequence[int]) -> Matrix: ...
    def bandit(
        self,
        algorithms: Sequence[object],
        settings: Sequence[str],
        placed: _Placed,
        threads: int | None,
        report: _Report,
    ) -> Study | None: ...
    def explore(
        self,
        algorithms: Sequence[object],
        settings: Sequence[str],
        placed: _Placed,
        threads: int | None,
        report: _Report,
    ) -> _Found | None: ...
    def save(self, path: str | os.PathLike[str], replace: bool) -> list[Path]: ...

@final
class Site:
    @staticmethod
    def open(spec: str, seed: int, own: _Answers | None, threads: int | None, report: _Report) -> Site: ...
    @staticmethod
    def from_arrays(
        spec: str,
        seed: int,
        name: str,
        synthetic: bool,
        qids: Sequence[str],
        labels: npt.NDArray[np.float32],
        scores: npt.NDArray[np.float64],
        names: Sequence[str] | None,
        own: _Answers | None,
        threads: int | None,
        report: _Report,
    ) -> Site: ...
    def description(self) -> str: ...
    @property
    def arms(self) -> int: ...
    @property
    def note(self) -> str | None: ...
    def arm_name(self, arm: int) -> str: ...
    def ndcg(self, threads: int | None) -> list[float]: ...
    def truth(
        self,
        seed: int,
        effort: float,
        cache: str | os.PathLike[str] | None,
        threads: int | None,
        report: _Report,
    ) -> tuple[str, str]: ...
    def live(
        self,
        algorithms: Sequence[object],
        settings: Sequence[str],
        placed: _Placed,
        threads: int | None,
        report: _Report,
    ) -> Study | None: ...
    def proxy(
        self,
        impressions_per_pair: int,
        seed: int,
        multileaved: bool,
        stratify: bool,
        pairs: str,
        until_standard_error: float | None,
        name: str,
        threads: int | None,
        report: _Report,
    ) -> Matrix: ...

@final
class Study:
    def curves(self) -> Columns: ...
    def runs(self) -> Columns: ...
    def every_run(self) -> Columns: ...
    def summary(self) -> str: ...
    def report(self) -> str: ...
    @property
    def algorithms(self) -> list[str]: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def steps(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def truth(self) -> str: ...
    @property
    def winners(self) -> list[int]: ...
    @property
    def regret_kind(self) -> str: ...
    @property
    def synthetic(self) -> bool | None: ...
    def config(self) -> str: ...
    def svg(self) -> str: ...
    def figure_values(self) -> str: ...
    def save(self, folder: str | os.PathLike[str]) -> None: ...

_AskedPair = tuple[str, int, int, int | None, str | None]

@final
class Session:
    def board(self, asked: tuple[list[str], bool], threads: int | None) -> Board: ...
    def __new__(cls, config: str) -> Session: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> tuple[Session, int]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def config(self) -> str: ...
    def ask(self, judge: str | None) -> _AskedPair: ...
    def ask_many(self, count: int, judge: str | None) -> list[_AskedPair]: ...
    def tell(self, ticket: str, verdict: str, judge: str | None, note: str | None) -> None: ...
    def forget(self, ticket: str) -> None: ...
    def take_back(self, ticket: str, judge: str | None) -> None: ...
    def undo(self, judge: str | None) -> str | None: ...
    def open(self) -> list[_AskedPair]: ...
    def judgements(self) -> Columns: ...
    def recommend(self) -> int | None: ...
    def best(self, confidence: float) -> str | None: ...
    def ranking(self) -> list[tuple[int, float, float]]: ...
    def status(self) -> str: ...
    def counts(self) -> list[tuple[str, int]]: ...
