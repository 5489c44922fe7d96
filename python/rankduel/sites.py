"""Data, rankers and users."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Union

import numpy as np
import numpy.typing as npt

from rankduel import _core, notes, rankings, trec
from rankduel.arms import HasArms
from rankduel.clicks import Click, ClickModel, answers, taken
from rankduel.findings import Findings
from rankduel.flags import flags
from rankduel.frames import Frame
from rankduel.keywords import StudyFlags, check, suggesting
from rankduel.matrices import STUDY, Algorithm, Matrix, algorithms_of
from rankduel.progress import Progress, reporting
from rankduel.settings import CompareSettings, LiveSettings, cores, count, packed, placed, whole, whole_study
from rankduel.studies import Study
from rankduel.tables import Table, is_table

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

DUELS = ("mergerucb", "rucb", "rmed1", "random")
METHODS = ("team-draft", "probabilistic", "optimized", "sosm", "pairwise-preference")

Features = Union[str, int, Sequence[Union[int, str]]]
_Arrays = tuple[str, bool, list[str], npt.NDArray[np.float32], npt.NDArray[np.float64], Union[list[str], None]]


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
    """What `Site.from_frame` passes to `Site.from_arrays`."""

    name: str
    synthetic: bool


@dataclass(frozen=True)
class Truth:
    """The best ranker, and how far behind it every ranker is.

    Attributes
    ----------
    measure : str
        ``"condorcet"``, or ``"ndcg"`` if no ranker beats all others.
    winner : int
        The best arm, from 0.
    winners : list of int
        All arms with the same lists as the best.
    gaps : list of float
        The regret of one step with each arm alone.
    standard_errors : list of float
        The standard error of each gap.
    z : float or None
        The smallest margin in standard errors; below 3 the winner is not resolved.
    comparisons : int
        Comparisons behind it.
    text : str
        The line of the command line.
    """

    measure: str
    winner: int
    winners: list[int]
    gaps: list[float]
    standard_errors: list[float]
    z: float | None
    comparisons: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Comparison:
    """The same bandits live and on the preference matrix of the same rankers.

    Attributes
    ----------
    live, proxy : Study
        The finished runs of both.
    differences : Frame
        The differences of mean regret, per algorithm and checkpoint: ``differences.csv`` of the command line.
    """

    live: Study
    proxy: Study
    differences: Frame

    def __str__(self) -> str:
        return f"live:\n{self.live}\n\non the matrix:\n{self.proxy}"


_NO_SCORES = frozenset({"rank", "docid", "docno", "doc_id", "document", "qid", "query_id", "query", "text"})
"""Columns of result frames, such as those of PyTerrier, that describe a row instead of scoring it."""


def _is_no_score(name: str, table: Table) -> bool:
    return name in _NO_SCORES or (name.startswith("query_") and np.asarray(table.values(name)).dtype.kind in "OUST")


def _numbers(values: Any, name: str) -> npt.NDArray[np.float64]:
    """A column as numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        for row, value in enumerate(values):
            try:
                float(value)
            except (TypeError, ValueError):
                raise ValueError(f"row {row}: the column {name!r} has {value!r}; expected a number") from None
        raise


class Site(HasArms):
    """A data set with rankers and simulated users.

    Every feature of the data set is a ranker: it sorts the documents of a query by its value, highest first. Arms are
    numbered from 0, features from 1, as in data files.

    Parameters
    ----------
    dataset
        The name of a registered data set, the name of a look-alike such as ``"mslr-lookalike:0.03"``, a folder, or files.
    click
        How users click: ``perfect``, ``navigational``, ``informational``, ``almost-random`` or ``random``, which are
        dependent click models; probabilities by grade, ``"0:0.05,1:0.5,2:0.95 stop 0:0.2,1:0.5,2:0.9"``; a position-based
        model, ``"pbm:navigational,eta=1"``; a user browsing model, ``"ubm:navigational,eta=1"``; or a dynamic Bayesian
        network model, ``"dbn:navigational,gamma=0.9"``. Or a `ClickModel` of your own.
    rankers
        The features to use: ``"all"``, numbers or names, a number of random ones, or ``"alphabetical:N"``.
    without
        Features to leave out.
    scores
        Scores of models as further rankers: files with a score per row of the data, or ``NAME=FILE``.
    scores_only
        Whether the scores are the only rankers.
    names
        A file with the names of the features, one per line, or lines of a number, a tab and a name.
    shown
        Documents shown to a user.
    interleave, multileave
        How the lists of two and of several rankers are mixed; ``probabilistic`` and ``sosm`` by default.
    credit_ties
        How tied documents are ordered when probabilistic interleaving credits clicks: ``redrawn`` (the default, as in
        papers) or ``same`` (without its bias against rankers with many ties).
    ties
        How rankers order documents with equal scores: ``random``, drawn for each impression, or ``fixed``.
    fractional_labels
        How fractional labels become grades: ``round``, ``floor`` or ``interpolate``.
    split
        The split of a registered data set: ``train``, ``vali`` or ``test``.
    max_label
        The highest valid label in files; 4 by default.
    null
        What ``NULL`` means in files: ``error``, ``zero`` or ``min``.
    same_qid
        What a query id that recurs means: ``error``, ``separate`` or ``merge``.
    use_cache
        Whether text files are read from, and kept in, the binary cache of the command line.
    seed
        The seed of random rankers and fixed ties; other calls take it as their default.
    threads
        Threads for reading and ranking; all cores by default.
    progress
        `True` for bars of tqdm, or a function.

    Raises
    ------
    ValueError
        For what was asked wrongly, and data that are no data set, with file, line and column.
    FileNotFoundError
        If there are no such data.

    Examples
    --------
    >>> import rankduel as rd
    >>> site = rd.Site("mq2008-lookalike:0.05", click="perfect", rankers=[1, 5, 10])
    >>> site.arms, site.synthetic
    (3, True)
    """

    _inner: _core.Site

    @suggesting
    def __init__(
        self,
        dataset: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        click: Click = "navigational",
        rankers: Features = "all",
        without: Sequence[int | str] = (),
        scores: Sequence[str | os.PathLike[str]] = (),
        scores_only: bool = False,
        names: str | os.PathLike[str] | None = None,
        shown: int = 10,
        interleave: str | None = None,
        multileave: str | None = None,
        credit_ties: str | None = None,
        ties: str = "random",
        fractional_labels: str = "round",
        split: str | None = None,
        max_label: float | None = None,
        null: str | None = None,
        same_qid: str | None = None,
        use_cache: bool = True,
        seed: int = 1,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        named, own = taken(click)
        spec = _specification(
            dataset=_paths(dataset, "dataset"),
            click=named,
            rankers=rankers,
            without=without,
            scores=_paths(scores, "scores"),
            scores_only=scores_only,
            names=None if names is None else os.fspath(names),
            shown=count("shown", shown),
            interleave=interleave,
            multileave=multileave,
            credit_ties=credit_ties,
            ties=ties,
            fractional_labels=fractional_labels,
        )
        reading = {"split": split, "max-label": max_label, "null": null, "same-qid": same_qid}
        spec["reading"] = {name: value for name, value in reading.items() if value is not None} | {"no-cache": not use_cache}
        self._open(json.dumps(spec), seed, None, {}, own, threads, progress)

    def _open(
        self,
        spec: str,
        seed: int,
        arrays: _Arrays | None,
        files: dict[str, bytes],
        own: ClickModel | None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        """Opens what `spec` says; `files` are those that are not on disk, and `own` is the caller's click model."""
        self.seed = whole("seed", seed)
        self._spec, self._arrays, self._files, self._own = spec, arrays, files, own
        asked = None if own is None else answers(own, json.loads(spec).get("shown", 10))
        with reporting(progress) as report:
            if arrays is not None:
                self._inner = _core.Site.from_arrays(spec, self.seed, *arrays, asked, cores(threads), report)
            elif not files:
                self._inner = _core.Site.open(spec, self.seed, asked, cores(threads), report)
            else:
                with tempfile.TemporaryDirectory() as folder:
                    for name, data in files.items():
                        (Path(folder) / name).write_bytes(data)
                    try:
                        written = spec.replace(trec.FOLDER, f"{folder}/")
                        self._inner = _core.Site.open(written, self.seed, asked, cores(threads), report)
                    except ValueError as error:
                        # Nobody knows the folder, and rows are not lines.
                        raise ValueError(trec.of_rows(str(error).replace(f"{folder}/", ""), files)) from None

    @classmethod
    def _of(
        cls,
        spec: str,
        seed: int,
        arrays: _Arrays | None = None,
        files: dict[str, bytes] | None = None,
        own: ClickModel | None = None,
        threads: int | None = None,
    ) -> Site:
        site = cls.__new__(cls)
        site._open(spec, seed, arrays, files or {}, own, threads)
        return site

    @classmethod
    def lookalike(cls, name: str, *, scale: float = 1.0, data_seed: int | None = None, **settings: Unpack[DataSettings]) -> Site:
        """Synthetic data of the shape of a real data set.

        Parameters
        ----------
        name
            ``mslr``, ``ylr1``, ``ylr2``, ``yandex``, ``np2004`` or ``mq2008``.
        scale
            The share of the real number of queries.
        data_seed
            The seed that the data are generated from.
        **settings
            Those of `Site`.

        Returns
        -------
        Site
            A site whose results all say that the data are synthetic.
        """
        check("lookalike", settings, DataSettings.__annotations__, ["name", "scale", "data_seed"])
        full = name if name.endswith("-lookalike") else f"{name}-lookalike"
        full += f":{scale:g}" if data_seed is None else f":{scale:g}:{data_seed}"
        return cls(full, **settings)

    @classmethod
    def from_arrays(
        cls,
        scores: npt.ArrayLike,
        labels: npt.ArrayLike,
        qids: Sequence[object] | npt.NDArray[Any],
        *,
        names: Sequence[str] | None = None,
        name: str = "arrays",
        synthetic: bool = False,
        **settings: Unpack[SiteSettings],
    ) -> Site:
        """Your own rankers: their scores of documents with known relevance.

        Parameters
        ----------
        scores
            One row per document, one column per ranker; higher is better, and equal scores tie. An array, a frame of numbers, or a
            sparse matrix, in which scores that are not stored are 0.
        labels
            The relevance of each document, from 0.
        qids
            The query of each document. Rows of one query follow each other.
        names
            What the rankers are called, in the order of the columns.
        name
            What titles call the data.
        synthetic
            Whether the data were made up: then every result says so.
        **settings
            `SiteSettings`: those arguments of `Site` that are about rankers and users. Rankers are numbered from 1 here too.

        Returns
        -------
        Site
            A site with one arm per ranker.

        Raises
        ------
        ValueError
            If the shapes do not agree, a query comes in two places, or a value is no number.

        Examples
        --------
        >>> import rankduel as rd
        >>> scores = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.6, 0.7]]
        >>> site = rd.Site.from_arrays(scores, [1, 0, 0, 1], ["a", "a", "b", "b"], names=["ours", "theirs"])
        >>> site.arm_name(0)
        'ours'
        """
        spec, seed, own, threads = _settings("from_arrays", settings, ["names", "name", "synthetic"])
        array = np.ascontiguousarray(_dense(_core.in_order(scores, "scores")), dtype=np.float64)
        if array.ndim != 2:
            raise ValueError(f"scores have one row per document and one column per ranker, found {array.ndim} dimensions")
        arrays = (
            name,
            synthetic,
            [str(qid) for qid in rankings.listed_of(qids, "qids")],
            np.ascontiguousarray(_core.in_order(labels, "labels"), dtype=np.float32),
            array,
            None if names is None else [str(ranker) for ranker in rankings.listed_of(names, "names")],
        )
        return cls._of(json.dumps(spec), seed, arrays, own=own, threads=threads)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        rankers: Sequence[str] | None = None,
        qid: str = "qid",
        label: str = "label",
        docno: str = "docno",
        **settings: Unpack[FrameSettings],
    ) -> Site:
        """The same from a frame with one row per document, and one column of scores per ranker.

        Parameters
        ----------
        frame
            A frame of pandas, polars, pyarrow, duckdb or anything else with ``__arrow_c_stream__``, or a dictionary of columns. Rows
            are sorted by query.
        rankers
            The columns with scores; by default all but `qid`, `label` and `docno`, and the columns of PyTerrier that are no
            scores: ``docid``, ``rank`` and ``query``. A column that begins like them, such as ``query_0``, is left out if it
            holds text.
        qid, label, docno
            The columns with queries, relevance, and, if there is one, documents.
        **settings
            Those of `from_arrays`, e.g. `click`.

        Returns
        -------
        Site
            A site with one arm per ranker, called as its column.

        Raises
        ------
        KeyError
            If a column is missing.
        """
        check("from_frame", settings, FrameSettings.__annotations__, ["rankers", "qid", "label", "docno"])
        if rankings.is_path(frame):
            raise TypeError(f"expected a frame, found the path {os.fspath(frame)!r}; Site(path) reads data sets, from_runs TREC runs")
        table = Table(frame, "documents")
        columns = table.names
        for needed in (qid, label, *(rankers or ())):
            if needed not in columns:
                raise KeyError(f"the frame has no column {needed!r}; its columns are {', '.join(map(str, columns))}")
        if rankers is not None:
            chosen = rankings.listed_of(rankers, "rankers")
        else:
            left_out = [name for name in columns if name not in (qid, label, docno) and _is_no_score(name, table)]
            chosen = [name for name in columns if name not in (qid, label, docno, *left_out)]
            if left_out:
                named = ", ".join(map(str, left_out))
                notes.warn([f"left out {named}: not scores of rankers; name the columns that are: rankers={chosen!r}"])
            if not chosen:
                raise ValueError(f"the frame has no column of scores; its columns are {', '.join(map(str, columns))}")
        table.check_names([qid, label, *chosen])
        ids = np.asarray([str(value) for value in table.values(qid)])
        order = np.argsort(ids, kind="stable")
        scores = np.column_stack([_numbers(table.values(name), name)[order] for name in chosen])
        labels = _numbers(table.values(label), label)[order]
        return cls.from_arrays(scores, labels, list(ids[order]), names=chosen, **settings)

    @classmethod
    def from_runs(
        cls,
        runs: Mapping[str, rankings.Rankings] | Sequence[Any] | str | os.PathLike[str],
        qrels: rankings.Judgements | Sequence[str | os.PathLike[str]],
        *,
        run_ties: str = "docno",
        unjudged: str = "zero",
        max_label: float | None = None,
        name: str = "qrels",
        synthetic: bool = False,
        **settings: Unpack[SiteSettings],
    ) -> Site:
        """TREC runs as the rankers, and their judgments as the data.

        A run ranks by score. Documents that it did not retrieve follow everything it did retrieve. The data set has the
        queries that are judged and for which a run retrieved something, and their retrieved documents.

        Parameters
        ----------
        runs
            The runs by name, each any kind of `Rankings`; or files and folders of TREC runs, and objects with a `name`, such as
            ``ranx.Run``.
        qrels
            The judgements, any kind of `Judgements`, or several files.
        run_ties
            How a run orders documents of equal score: ``docno``, as trec_eval does, so that measures agree with it, or
            ``keep``: they stay tied.
        unjudged
            What becomes of retrieved documents without a judgment: ``zero`` (label 0) or ``remove``.
        max_label
            The highest valid label; 4 by default.
        name
            What titles call the data, unless the judgments are files.
        synthetic
            Whether the data were made up: then every result says so.
        **settings
            `SiteSettings`: those arguments of `Site` that are about rankers and users.

        Returns
        -------
        Site
            A site with one arm per run.

        Raises
        ------
        ValueError
            For malformed runs or judgments, with file, line and column.
        FileNotFoundError
            If there is no such file.

        Examples
        --------
        >>> import rankduel as rd
        >>> bm25 = {"q1": {"d1": 12.1, "d2": 9.3}, "q2": {"d3": 4.2, "d4": 4.1}}
        >>> ltr = {"q1": {"d2": 0.9, "d1": 0.2}, "q2": {"d4": 0.7, "d5": 0.3}}
        >>> site = rd.Site.from_runs({"bm25": bm25, "ltr": ltr}, {"q1": {"d2": 1}, "q2": {"d4": 2}})
        >>> [site.arm_name(arm) for arm in range(2)], site.ndcg().round(2).tolist()
        (['bm25', 'ltr'], [0.63, 1.0])
        """
        others = ["run_ties", "unjudged", "max_label", "name", "synthetic"]
        spec, seed, own, threads = _settings("from_runs", settings, others)
        given = trec.packed(runs, qrels, name, synthetic)
        spec |= {"trec-runs": given.runs, "qrels": given.qrels, "trec-ties": run_ties, "unjudged": unjudged}
        if max_label is not None:
            spec["reading"] = {"max-label": max_label}
        return cls._of(json.dumps(spec), seed, files=given.files, own=own, threads=threads)

    @property
    def description(self) -> dict[str, Any]:
        """What the site is made of, with all defaults resolved: ``site`` in ``config.json`` of the command line."""
        description: dict[str, Any] = json.loads(self._inner.description())
        return description

    @property
    def features(self) -> list[int]:
        """The feature of each arm, from 1."""
        features: list[int] = self.description["rankers"]
        return features

    @property
    def synthetic(self) -> bool:
        """Whether the data were generated."""
        return bool(self.description["dataset"]["synthetic"])

    @suggesting
    def ndcg(self, *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """nDCG@10 of every ranker, with exponential gains, in expectation over ties.

        Parameters
        ----------
        threads
            Threads; all cores by default.

        Returns
        -------
        numpy.ndarray
            One value per arm.
        """
        return np.asarray(self._inner.ndcg(cores(threads)), dtype=np.float64)

    @suggesting
    def truth(
        self,
        *,
        seed: int | None = None,
        effort: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Truth:
        """The best ranker, found by simulated comparisons: what regret of live runs is counted from.

        It is estimated once per object, seed and effort.

        Parameters
        ----------
        seed
            The master seed; that of the site by default.
        effort
            Comparisons as a multiple of the default.
        cache
            A folder that keeps it for later processes; that of the command line is ``results/.cache``.
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.

        Returns
        -------
        Truth
            The best ranker, and the gap of each.
        """
        with reporting(progress) as report:
            data, text = self._inner.truth(self._seed(seed), effort, _path(cache), cores(threads), report)
        truth = json.loads(data)
        names = ("measure", "winner", "winners", "gaps", "standard_errors", "z", "comparisons")
        return Truth(**{name: truth[name] for name in names}, text=text)

    @suggesting
    def proxy(
        self,
        *,
        impressions_per_pair: int | float = 4_000,
        seed: int | None = None,
        multileaved: bool = False,
        stratify: bool = False,
        arms: Sequence[int] | None = None,
        until_standard_error: float | None = None,
        name: str = "P",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Matrix:
        """Estimate the preference matrix from simulated impressions: the same as ``rankduel proxy``.

        Parameters
        ----------
        impressions_per_pair
            Impressions per pair.
        seed
            The master seed; that of the site by default.
        multileaved
            Whether all rankers share one list; otherwise each pair is interleaved.
        stratify
            Whether every query is used equally often.
        arms
            Compare only the pairs among these arms.
        until_standard_error
            Then go on with the pairs whose standard error is above this.
        name
            What titles call the matrix.
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.

        Returns
        -------
        Matrix
            The matrix, with its counts and standard errors.
        """
        pairs = "all" if arms is None else "arms:" + ",".join(str(whole("arms", arm)) for arm in _core.in_order(arms, "arms"))
        with reporting(progress) as report:
            core = self._inner.proxy(
                count("impressions_per_pair", impressions_per_pair),
                self._seed(seed),
                multileaved,
                stratify,
                pairs,
                until_standard_error,
                name,
                cores(threads),
                report,
            )
        return Matrix._of(core)

    def live(
        self,
        algorithms: Algorithm | Sequence[Algorithm] = STUDY,
        *,
        steps: int | float = 1_000_000,
        runs: int = 5,
        seed: int | None = None,
        regret: str | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **settings: Unpack[LiveSettings],
    ) -> Study:
        """Play dueling bandits live: every step is an impression, and users decide. The same as ``rankduel`` without a command.

        Parameters
        ----------
        algorithms
            Algorithms by name, with parameters as in ``"rucb:alpha=0.51"``, or classes derived from `Policy`.
        steps
            Steps (impressions) per run, e.g. ``1e6``.
        runs
            Runs per algorithm.
        seed
            The master seed; that of the site by default.
        regret
            What regret measures: ``condorcet`` (the default), ``weak``, ``strong`` or ``ndcg``.
        out
            A results folder for the files of the command line, by default none. It keeps finished runs: the same call
            continues after an interruption, and one for more steps, runs or algorithms plays only what is missing. A
            `Policy` of your own must have a ``version`` then, by which its runs are known.
        replace
            What the folder holds moves aside when the new results are complete.
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.
        **settings
            `LiveSettings`: checkpoints, the look of the figure, evidence, late answers, and the ground truth.

        Returns
        -------
        Study
            The finished runs.
        """
        asked = packed("live", settings, steps=steps, runs=runs, seed=self._seed(seed), regret=regret)
        with reporting(progress) as report:
            where = placed(out, replace)
            return Study(whole_study(self._inner.live(algorithms_of(algorithms), asked, where, cores(threads), report)))

    def compare(
        self,
        matrix: Matrix | None = None,
        algorithms: Algorithm | Sequence[Algorithm] = DUELS,
        *,
        impressions_per_pair: int | float = 20_000,
        steps: int | float = 1_000_000,
        runs: int = 5,
        seed: int | None = None,
        regret: str | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **settings: Unpack[CompareSettings],
    ) -> Comparison:
        """Play the same bandits live and on the preference matrix of the same rankers: the same as ``rankduel compare``.

        Parameters
        ----------
        matrix
            The matrix; estimated by default.
        algorithms
            Dueling algorithms.
        impressions_per_pair
            Impressions per pair of an estimated matrix.
        steps, runs, seed, regret, out, replace, threads, progress
            As for `live`.
        **settings
            `CompareSettings`: checkpoints, the look of the figure, and the ground truth.

        Returns
        -------
        Comparison
            Both studies, and their differences.
        """
        asked = packed("compare", settings, steps=steps, runs=runs, seed=self._seed(seed), regret=regret)
        given = None if matrix is None else matrix._inner
        number = count("impressions_per_pair", impressions_per_pair)
        with reporting(progress) as report:
            where = placed(out, replace)
            compared = _core.compare(
                self._inner, given, number, algorithms_of(algorithms), asked, where, cores(threads), report
            )
        live, proxy, differences = whole_study(compared)
        return Comparison(Study(live), Study(proxy), Frame(differences))

    @suggesting
    def sensitivity(
        self,
        methods: Sequence[str] = METHODS,
        *,
        compared: int | float = 5,
        impressions: int | float = 1_000,
        draws: int | float = 100,
        seed: int | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Frame:
        """How many impressions methods need to order rankers as their nDCG does: the same as ``rankduel sensitivity``.

        Parameters
        ----------
        methods
            Multileaving methods; pairwise interleaving is always among the rows.
        compared
            Rankers per draw.
        impressions
            Impressions per draw.
        draws
            Random draws of rankers.
        seed
            The master seed; that of the site by default.
        out, replace, threads, progress
            As for `live`.

        Returns
        -------
        Frame
            The mean share of wrongly ordered pairs, per method and checkpoint: ``errors.csv`` of the command line.
        """
        found = self.study(
            "sensitivity",
            seed=seed,
            out=out,
            replace=replace,
            threads=threads,
            progress=progress,
            methods=list(_core.in_order(methods, "methods")),
            compared=count("compared", compared),
            impressions_per_draw=count("impressions", impressions),
            draws=count("draws", draws),
        )
        return found.tables["errors"]

    @suggesting
    def distortion(
        self,
        sizes: Sequence[int] | None = None,
        *,
        multileavings: int | float = 3_000,
        sets: int | float = 30,
        seed: int | None = None,
        truth_effort: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Frame:
        """How often multileaving prefers another ranker to the best one: the same as ``rankduel distortion``.

        Parameters
        ----------
        sizes
            Rankers per set, the best one included; 3, 10 and 100 by default, as far as there are enough.
        multileavings
            Multileavings per set.
        sets
            Random sets per size.
        seed, truth_effort, cache, out, replace, threads, progress
            As for `live`.

        Returns
        -------
        Frame
            The share of other rankers that beat the best, over sets; a row per size.
        """
        found = self.study(
            "distortion",
            seed=seed,
            out=out,
            replace=replace,
            threads=threads,
            progress=progress,
            sizes=None if sizes is None else [count("sizes", size) for size in _core.in_order(sizes, "sizes")],
            multileavings=count("multileavings", multileavings),
            sets=count("sets", sets),
            truth_effort=truth_effort,
            cache=_path(cache),
        )
        return found.tables["distortion"]

    def study(
        self,
        name: str,
        *,
        seed: int | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **settings: Unpack[StudyFlags],
    ) -> Findings:
        """Carry out any study of a site by the name of its command, e.g. ``site.study("sensitivity", draws=20)``.

        Parameters
        ----------
        name
            The command.
        seed, out, replace, threads, progress
            As for `live`.
        **settings
            The flags of the command, with underscores instead of dashes.

        Returns
        -------
        Findings
            What the command prints and writes.

        Raises
        ------
        ValueError
            For an unknown study, and for what was asked wrongly.
        """
        check("study", settings, StudyFlags.__annotations__, ["name", "seed", "out", "replace", "threads", "progress"])
        words = [word for word in flags(settings) if not word.endswith("=")]
        with reporting(progress) as report:
            where = placed(out, replace)
            found = _core.study_of_site(self._inner, name, words, self._seed(seed), where, cores(threads), report)
        return Findings._from(whole_study(found))

    def _seed(self, seed: int | None) -> int:
        return self.seed if seed is None else whole("seed", seed)

    def __repr__(self) -> str:
        description = self.description
        dataset = description["dataset"]
        made_up = " (synthetic)" if dataset["synthetic"] else ""
        return (
            f"Site({dataset['name']!r}{made_up}, {self.arms} rankers, {dataset['queries']:,} queries, "
            f"{description['click']['model']} clicks)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Site._of, (self._spec, self.seed, self._arrays, self._files, self._own)


def _dense(scores: Any) -> Any:
    """Scores as an array, which a sparse matrix, a frame of polars and a table of pyarrow become."""
    if hasattr(scores, "toarray"):
        return scores.toarray()
    if not hasattr(scores, "__array__") and is_table(scores):
        table = Table(scores, "scores")
        return np.column_stack([_numbers(table.values(name), name) for name in table.names])
    return scores


def _path(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)


def _paths(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], what: str) -> list[str]:
    """One or several paths or names as texts; `what` says in errors what they are."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in _core.in_order(paths, what)]


def _specification(*, dataset: list[str], rankers: Features = "all", **settings: Any) -> dict[str, Any]:
    """A site as the command line describes it."""
    spec = {name.replace("_", "-"): value for name, value in settings.items() if value is not None}
    spec["without"] = list(spec.get("without", ()))
    if not isinstance(rankers, (str, int)):
        # A list of one is a feature, not a number of random ones.
        rankers = "".join(f'"{name}",' if "," in str(name) else f"{name}," for name in _core.in_order(rankers, "rankers"))
    return {"dataset": dataset, "rankers": str(rankers), **spec}


def _settings(function: str, settings: SiteSettings, own: Sequence[str]) -> tuple[dict[str, Any], int, ClickModel | None, int | None]:
    """The specification of a site without data, its seed, the caller's click model, and its threads."""
    check(function, settings, SiteSettings.__annotations__, own)
    every: dict[str, Any] = dict(settings)
    every["click"], model = taken(every.get("click", "navigational"))
    seed, threads = every.pop("seed", 1), every.pop("threads", None)
    return _specification(dataset=[], **every), seed, model, threads
