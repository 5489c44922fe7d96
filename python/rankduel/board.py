"""Boards of judgements."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankduel import _core
from rankduel.findings import page
from rankduel.flags import flags, quoted
from rankduel.frames import Frame
from rankduel.keywords import BoardSettings, check, suggesting
from rankduel.labels import is_square, square_of
from rankduel.matrices import Matrix
from rankduel.notes import RankduelWarning
from rankduel.plots import draw_forest
from rankduel.settings import cores
from rankduel.tables import cells, is_missing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Asked = tuple[list[str], bool]
"""The request for a board: flags, and whether to estimate the further judgements needed."""


class Board:
    """The best in a table of judgements, with its uncertainty and warnings. The same as ``rankduel board``.

    One row is one judgement of two answers by a person or a model. The columns are ``first``, ``second`` and ``winner``, and
    optionally ``item`` (prompt, query), ``judge`` and ``weight``; the usual headers of other tools are found. Rows may be in any order.

    Parameters
    ----------
    table
        A file (CSV, JSON Lines, JSON, a matrix of wins); a frame of pandas, polars, pyarrow or duckdb, a `Frame`, or anything else
        with ``__arrow_c_stream__``; a dictionary of columns, or a list of dictionaries. Or a matrix of wins of the row over the
        column: a frame of pandas with names as index and columns, an array, a dictionary of dictionaries, or a `Matrix` of counts.
    columns
        Columns by name where the usual headers do not find them, e.g. ``{"first": "base", "second": "new", "winner": "preferred"}``.
        Several that name the item together are joined by ``+``: ``{"item": "question_id+turn"}``.
    winner_is
        What the column of winners holds: ``"name"``, ``"side"``, ``"score"`` (of the first, from 0 to 1), or ``"index"`` (0 or 1). By
        default as its values say; what can be read in two ways is refused.
    winner_values
        What values in the column of winners mean that are not names, sides or scores: ``"first"``, ``"second"``, ``"tie"``,
        ``"both-bad"``, ``"skip"`` (not judged), or the share of the point that goes to the first, e.g. ``{1: "first", 2: "second", 3: "tie"}``.
    order_unknown
        The columns of competitors are not the order in which judges saw the answers.
    confidence
        The confidence of ranks, and of saying who is best.
    clusters
        What is independent: ``"item"``, ``"judge"``, ``"both"`` (judgements that share neither), or ``"units"`` (a pair on an item by one
        judge). By default items and judges, each if there are at least five: what is known then holds for items and judges in general.
    ties
        How the model accounts for ties: ``"davidson"`` (proportional to the geometric mean of both chances), or ``"rao-kupper"`` (a
        difference below a threshold that judges do not notice).
    gold
        The judges that are people, by name, if all other judges are a model (an LLM as a judge) that judged all questions, pairs on items,
        and people some of them, drawn by lot. Strengths and claims then hold for people: the model sharpens them, corrected where both judged.
        ``data["model"]`` says how much it counts, how well it agrees with people, and whom it favours. If questions were not chosen with equal
        probability, the weights of people's rows are 1 over theirs. Not together with `covariates`, `by` or `discrimination`.
    looks
        What the claims hold for: ``"once"``, if verdicts chose neither pairs nor the end; ``"every"``, if the table grows and is looked at
        again, or a policy chose the pairs.
    tolerance
        By how much the best may be better than the one that is named, as a share of points: with 0.05, one that gets at least 45%
        against each other is good enough.
    covariates
        What to adjust strengths for, e.g. ``["length"]``: how answers differ otherwise. For ``length`` its numbers are found in the column
        ``length`` (first minus second), or in ``length_first`` and ``length_second``, ``length_a`` and ``length_b``, and so on. A dictionary
        names other columns: ``{"length": ("words_a", "words_b"), "headers": "more_headers"}``.
    by
        A column of categories. There is a board for each of them (`categories`), at a confidence that holds for all of these together, and the
        board itself is that of all judgements.
    mix
        The shares of the categories in the board of all, e.g. ``{"coding": 0.3, "chat": 0.7}``. By default those of the table.
    discrimination
        Fit how well each judge distinguishes competitors (`judges`), and weigh judges by it.
    advice
        Whether to estimate how many more judgements are needed.
    threads
        Threads; all cores by default. Results do not depend on it.

    Raises
    ------
    ValueError
        For a table that cannot be read for sure, with its row, or about which nothing can be said.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import rankduel as rd
    >>> rows = [("a", "b", "a"), ("b", "a", "a"), ("b", "c", "tie"), ("c", "a", "a"), ("c", "b", "b")] * 20
    >>> board = rd.Board([dict(zip(("first", "second", "winner"), row)) for row in rows])
    >>> board.sentence.split(":")[0]
    'a is best among 3'
    """

    @suggesting
    def __init__(
        self,
        table: Any,
        *,
        columns: Mapping[str, str] | None = None,
        winner_is: str = "auto",
        winner_values: Mapping[Any, str | float] | None = None,
        order_unknown: bool = False,
        confidence: float = 0.95,
        clusters: str = "auto",
        ties: str = "davidson",
        gold: str | Sequence[str] | None = None,
        looks: str = "once",
        tolerance: float = 0.0,
        covariates: Sequence[str] | Mapping[str, str | tuple[str, str]] | None = None,
        by: str | None = None,
        mix: Mapping[str, float] | None = None,
        discrimination: bool = False,
        advice: bool = True,
        threads: int | None = None,
    ) -> None:
        asked = _request(
            advice,
            columns=_marked(f"{what}={column}" for what, column in (columns or {}).items()),
            winner_is=winner_is,
            winner_values=_marked(f"{value}={meaning}" for value, meaning in (winner_values or {}).items()),
            order_unknown=order_unknown,
            confidence=confidence,
            clusters=clusters,
            ties=ties,
            gold=_marked([gold] if isinstance(gold, str) else gold or []),
            looks=looks,
            tolerance=tolerance,
            covariates=_covariates(covariates),
            by=by,
            mix=_marked(f"{category}={share}" for category, share in (mix or {}).items()),
            discrimination=discrimination,
        )
        if isinstance(table, (str, os.PathLike)):
            self._inner = _core.Board.open(Path(table), asked, cores(threads))
        else:
            header, cells = _cells(table)
            self._inner = _core.Board.of_columns(header, cells, asked, cores(threads))
        self._hold(asked)

    def _hold(self, asked: _Asked) -> None:
        self._asked = asked
        self._data: dict[str, Any] = json.loads(self._inner.json())

    @classmethod
    def _of_session(cls, session: _core.Session, settings: dict[str, Any]) -> Board:
        board = cls.__new__(cls)
        check("board", settings, BoardSettings.__annotations__)
        threads = cores(settings.pop("threads", None))
        asked = _request(settings.pop("advice", True), looks="every", **settings)
        board._inner = session.board(asked, threads)
        board._hold(asked)
        return board

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return str(self._data["sentence"])

    @property
    def best(self) -> str | None:
        """The best competitor, or one within the tolerance of the best, if it is known with the requested confidence."""
        conclusion = self._data["conclusion"]
        return str(conclusion["name"]) if conclusion["kind"] in ("best", "within-tolerance") else None

    @property
    def table(self) -> Frame:
        """All competitors, best first: strengths, counts, P(best) (a posterior), ranks at one look and at every look, and the claim. With
        ``by``, those of the board of all come first (``category`` is ``(all)``), then those of each category."""
        return Frame(self._inner.table())

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Warnings: each with its ``kind``, its numbers and its ``sentence``."""
        return list(self._data["findings"])

    @property
    def effects(self) -> list[dict[str, Any]]:
        """The effects of the covariates that strengths are adjusted for: each with its ``name``, its ``coefficient`` (``value`` and
        ``error``) for so much more of it (``per``), and the ``share`` of points that makes of two equally strong ones."""
        return list(self._data.get("effects", []))

    @property
    def judges(self) -> list[dict[str, Any]]:
        """How well judges distinguish competitors, with ``discrimination``: each with its ``judge``, its ``slope`` (1 is the average judge, 0
        guesses) and the ends of a 95% ``interval``. Empty without."""
        return list(self._data.get("discrimination", {}).get("judges", []))

    @property
    def categories(self) -> dict[str, dict[str, Any]]:
        """With ``by``, the result of each category: the numbers of a board as in `data`, beside its ``share`` of the mix and
        its ``judgements``. Empty without."""
        found = self._data.get("by", {}).get("categories", [])
        return {one["name"]: {**one["board"], "share": one["share"], "judgements": one["judgements"]} for one in found}

    @property
    def dependent(self) -> list[dict[str, Any]]:
        """With ``by``, the competitors with a rank that is known to depend on the category: their ranks in two that exclude each other."""
        return list(self._data.get("by", {}).get("dependent", []))

    @property
    def advice(self) -> dict[str, Any] | None:
        """The further judgements needed; `None` if nothing is left to decide, or it was not asked for."""
        return self._data["advice"]  # type: ignore[no-any-return]

    @property
    def data(self) -> dict[str, Any]:
        """All numbers: what ``rankduel board --json`` prints."""
        return self._data

    def matrix(self) -> Matrix:
        """The fit as a preference matrix, to play bandits on. Its arms are the competitors, best first.

        Returns
        -------
        Matrix
            The probability that one beats another plus half of the probability of a tie, without the effect of the order.

        Raises
        ------
        ValueError
            If judgements do not connect all competitors, or names cannot be told from the order shown.
        """
        found = self._inner.preferences()
        if found is None:
            raise ValueError(f"there is no fit of all competitors: {self.sentence}")
        names, values = found
        return Matrix(np.array(values).reshape(len(names), len(names)), name="fit of a board")

    def to_markdown(self) -> str:
        """The sentence, what would mislead, and the table, in Markdown."""
        return self._inner.markdown()

    def to_latex(self, *, standalone: bool = False) -> str:
        """The table in LaTeX, with the rules of booktabs; `standalone`: a whole document."""
        return self._inner.latex(standalone)

    def svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """The figure: strengths with their intervals and ranks.

        Parameters
        ----------
        path
            A file to write as well.
        """
        svg = self._inner.svg()
        if path is not None:
            Path(path).write_text(svg, encoding="utf-8")
        return svg

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the strengths with matplotlib, as `svg` shows them: best first, with the intervals of one look and the ranks.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn.
        """
        return draw_forest(json.loads(self._inner.figure_values()), ax)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write ``board.txt``, ``.md``, ``.tex``, ``.csv``, ``.json``, ``.png`` and ``.svg`` into a new or empty folder.

        Raises
        ------
        ValueError
            If the folder is not empty.
        """
        folder = Path(folder)
        if folder.exists() and any(folder.iterdir()):
            raise ValueError(f"{folder} is not empty; choose another folder")
        self._inner.save(folder)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._inner.source(), self._asked)

    def __str__(self) -> str:
        return self._inner.text()

    def __repr__(self) -> str:
        return f"Board({self.sentence!r})"

    def _repr_html_(self) -> str:
        return page(str(self), {"Strengths of the competitors, with their intervals": self.svg()})


def _marked(texts: Iterable[str]) -> list[str] | None:
    """Texts as parts of a list; `None` of none."""
    return quoted(texts) or None


def _covariates(covariates: Sequence[str] | Mapping[str, str | tuple[str, str]] | None) -> list[str] | None:
    """Covariates as their flag has them."""
    if isinstance(covariates, str):
        raise TypeError(f"covariates is a list of names, as in [{covariates!r}]")
    if not isinstance(covariates, Mapping):
        return _marked(covariates or ())
    named = ((name, (columns,) if isinstance(columns, str) else columns) for name, columns in covariates.items())
    return _marked(f"{name}={':'.join(columns)}" for name, columns in named)


def _request(advice: bool, **settings: Any) -> _Asked:
    return flags(settings), bool(advice)


def _made(source: tuple[str, str, bytes], asked: _Asked) -> Board:
    board = Board.__new__(Board)
    # The warnings were given when the board was made.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankduelWarning)
        board._inner = _core.Board.of_source(source, asked, None)
    board._hold(asked)
    return board


def _cells(table: Any) -> tuple[list[str], list[list[str]]]:
    """The header of a table and its columns as text."""
    if isinstance(table, Matrix):
        wins = table._inner.win_table()
        if wins is None:
            raise TypeError("expected counts of wins, found a matrix of probabilities; give the counts that it was made of")
        table = wins if table.names is None else dict(zip(table.names, (dict(zip(table.names, row)) for row in wins)))
    if is_square(table):
        names, values = square_of(table)
        names = [str(arm) for arm in range(len(values))] if names is None else names
        return ["", *names], [names, *([_text(value) for value in column] for column in values.T)]
    columns = cells(table, "judgements")
    return list(columns), [[_text(value) for value in values] for values in columns.values()]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if is_missing(value) or (isinstance(value, (float, np.floating)) and math.isnan(value)):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    # Identifiers that a gap has turned into floats.
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
