"""Data, rankers and users."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from rankduel import _core
from rankduel.frames import Frame
from rankduel.matrices import STUDY, Algorithm, Matrix, algorithms_of
from rankduel.progress import Progress, reporting
from rankduel.studies import Study

if TYPE_CHECKING:
    import pandas

DUELS = ("mergerucb", "rucb", "rmed1", "random")
METHODS = ("team-draft", "probabilistic", "optimized", "sosm", "pairwise-preference")

Features = Union[str, int, Sequence[int]]
_Arrays = tuple[str, bool, list[str], npt.NDArray[np.float32], npt.NDArray[np.float64], Union[list[str], None]]


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


class Site:
    """A data set with rankers and simulated users.

    Every feature of the data set is a ranker: it sorts the documents of a query by its value, highest first. Arms are
    numbered from 0, features from 1, as in data files.

    Parameters
    ----------
    dataset
        The name of a registered data set, the name of a look-alike such as ``"mslr-lookalike:0.03"``, a folder, or files.
    click
        How users click: ``perfect``, ``navigational``, ``informational``, ``almost-random`` or ``random``; probabilities by
        grade, ``"0:0.05,1:0.5,2:0.95 stop 0:0.2,1:0.5,2:0.9"``; or ``"pbm:navigational,eta=1"``, a position-based model.
    rankers
        The features to use: ``"all"``, feature numbers, a number of random ones, or ``"alphabetical:N"``.
    without
        Features to leave out.
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

    def __init__(
        self,
        dataset: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        click: str = "navigational",
        rankers: Features = "all",
        without: Sequence[int] = (),
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
        one = isinstance(dataset, (str, os.PathLike))
        spec = _specification(
            dataset=[os.fspath(dataset)] if one else [os.fspath(part) for part in dataset],  # type: ignore[arg-type,union-attr]
            click=click,
            rankers=rankers,
            without=without,
            shown=shown,
            interleave=interleave,
            multileave=multileave,
            credit_ties=credit_ties,
            ties=ties,
            fractional_labels=fractional_labels,
        )
        reading = {"split": split, "max-label": max_label, "null": null, "same-qid": same_qid}
        spec["reading"] = {name: value for name, value in reading.items() if value is not None} | {"no-cache": not use_cache}
        self.seed = seed
        self._spec = json.dumps(spec)
        self._arrays: _Arrays | None = None
        with reporting(progress) as report:
            self._inner = _core.Site.open(self._spec, seed, threads, report)

    @classmethod
    def _of(cls, spec: str, seed: int, arrays: _Arrays | None, threads: int | None = None) -> Site:
        site = cls.__new__(cls)
        site.seed, site._spec, site._arrays = seed, spec, arrays
        if arrays is None:
            site._inner = _core.Site.open(spec, seed, threads, None)
        else:
            site._inner = _core.Site.from_arrays(spec, seed, *arrays, threads, None)
        return site

    @classmethod
    def lookalike(cls, name: str, *, scale: float = 1.0, data_seed: int | None = None, **settings: Any) -> Site:
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
        click: str = "navigational",
        rankers: Features = "all",
        without: Sequence[int] = (),
        shown: int = 10,
        interleave: str | None = None,
        multileave: str | None = None,
        credit_ties: str | None = None,
        ties: str = "random",
        fractional_labels: str = "round",
        seed: int = 1,
        threads: int | None = None,
    ) -> Site:
        """Your own rankers: their scores of documents with known relevance.

        Parameters
        ----------
        scores
            One row per document, one column per ranker; higher is better, and equal scores tie.
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
        click, rankers, without, shown, interleave, multileave, credit_ties, ties, fractional_labels, seed, threads
            As for `Site`; rankers are numbered from 1 here too.

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
        spec = _specification(
            dataset=[],
            click=click,
            rankers=rankers,
            without=without,
            shown=shown,
            interleave=interleave,
            multileave=multileave,
            credit_ties=credit_ties,
            ties=ties,
            fractional_labels=fractional_labels,
        )
        array = np.ascontiguousarray(scores, dtype=np.float64)
        if array.ndim != 2:
            raise ValueError(f"scores have one row per document and one column per ranker, found {array.ndim} dimensions")
        arrays = (
            name,
            synthetic,
            [str(qid) for qid in qids],
            np.ascontiguousarray(labels, dtype=np.float32),
            array,
            None if names is None else [str(ranker) for ranker in names],
        )
        return cls._of(json.dumps(spec), seed, arrays, threads)

    @classmethod
    def from_frame(
        cls,
        frame: pandas.DataFrame | Mapping[str, Any],
        *,
        rankers: Sequence[str] | None = None,
        qid: str = "qid",
        label: str = "label",
        docno: str = "docno",
        **settings: Any,
    ) -> Site:
        """The same from a frame with one row per document, and one column of scores per ranker.

        Parameters
        ----------
        frame
            A ``pandas.DataFrame``, a ``polars.DataFrame`` or a dictionary of columns. Rows are sorted by query.
        rankers
            The columns with scores; by default all but `qid`, `label` and `docno`.
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
        columns = list(frame.keys() if isinstance(frame, Mapping) else frame.columns)
        for needed in (qid, label, *(rankers or ())):
            if needed not in columns:
                raise KeyError(f"the frame has no column {needed!r}; its columns are {', '.join(map(str, columns))}")
        chosen = list(rankers) if rankers is not None else [name for name in columns if name not in (qid, label, docno)]
        ids = np.asarray([str(value) for value in frame[qid]])
        order = np.argsort(ids, kind="stable")
        scores = np.column_stack([np.asarray(frame[name], dtype=np.float64)[order] for name in chosen])
        labels = np.asarray(frame[label], dtype=np.float32)[order]
        return cls.from_arrays(scores, labels, list(ids[order]), names=chosen, **settings)

    @property
    def description(self) -> dict[str, Any]:
        """What the site is made of, with all defaults resolved: ``site`` in ``config.json`` of the command line."""
        description: dict[str, Any] = json.loads(self._inner.description())
        return description

    @property
    def arms(self) -> int:
        """The number of rankers."""
        return self._inner.arms

    @property
    def features(self) -> list[int]:
        """The feature of each arm, from 1."""
        features: list[int] = self.description["rankers"]
        return features

    @property
    def synthetic(self) -> bool:
        """Whether the data were generated."""
        return bool(self.description["dataset"]["synthetic"])

    def arm_name(self, arm: int) -> str:
        """What an arm is called, e.g. ``feature 110 (arm 109)``.

        Parameters
        ----------
        arm
            An arm, from 0.

        Returns
        -------
        str
            Its name.
        """
        return self._inner.arm_name(arm)

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
        return np.asarray(self._inner.ndcg(threads), dtype=np.float64)

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
            data, text = self._inner.truth(self._seed(seed), effort, _path(cache), threads, report)
        truth = json.loads(data)
        names = ("measure", "winner", "winners", "gaps", "standard_errors", "z", "comparisons")
        return Truth(**{name: truth[name] for name in names}, text=text)

    def proxy(
        self,
        *,
        interleavings: int = 4_000,
        seed: int | None = None,
        multileaved: bool = False,
        stratify: bool = False,
        arms: Sequence[int] | None = None,
        until_standard_error: float | None = None,
        name: str = "P",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Matrix:
        """Estimate the preference matrix from simulated impressions: the same as ``sim proxy``.

        Parameters
        ----------
        interleavings
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
        pairs = "all" if arms is None else "arms:" + ",".join(str(arm) for arm in arms)
        with reporting(progress) as report:
            core = self._inner.proxy(
                interleavings, self._seed(seed), multileaved, stratify, pairs, until_standard_error, name, threads, report
            )
        return Matrix._of(core)

    def live(
        self,
        algorithms: Algorithm | Sequence[Algorithm] = STUDY,
        *,
        steps: int = 1_000_000,
        runs: int = 5,
        seed: int | None = None,
        checkpoints: int = 10,
        regret: str | None = None,
        axes: str = "log-x",
        spread: str | None = None,
        streams: str = "sequential",
        truth_effort: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Study:
        """Play dueling bandits live: every step is an impression, and users decide. The same as ``sim`` without a command.

        Parameters
        ----------
        algorithms
            Algorithms by name, with parameters as in ``"rucb:alpha=0.51"``, or classes derived from `Policy`.
        steps
            Steps (impressions) per run.
        runs
            Runs per algorithm.
        seed
            The master seed; that of the site by default.
        checkpoints
            Checkpoints per decade of steps.
        regret
            What regret measures: ``condorcet`` (the default), ``weak``, ``strong`` or ``ndcg``.
        axes
            The axes of the figure: ``linear``, ``log-x`` or ``log``.
        spread
            The spread over runs in table and figure: ``se``, ``sd`` or ``range``.
        streams
            Where impressions are drawn from: ``sequential``, from the generators of their run, or ``keyed``, each from its
            own, so that all algorithms meet the same queries and users.
        truth_effort
            Comparisons behind the ground truth, as a multiple of the default.
        cache
            A folder that keeps ground truths for later processes.
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.

        Returns
        -------
        Study
            The finished runs.
        """
        with reporting(progress) as report:
            return Study(
                self._inner.live(
                    algorithms_of(algorithms),
                    steps,
                    runs,
                    checkpoints,
                    self._seed(seed),
                    regret,
                    axes,
                    spread,
                    streams,
                    truth_effort,
                    _path(cache),
                    threads,
                    report,
                )
            )

    def compare(
        self,
        matrix: Matrix | None = None,
        algorithms: Algorithm | Sequence[Algorithm] = DUELS,
        *,
        interleavings: int = 20_000,
        steps: int = 1_000_000,
        runs: int = 5,
        seed: int | None = None,
        checkpoints: int = 10,
        regret: str | None = None,
        axes: str = "log-x",
        spread: str | None = None,
        streams: str = "sequential",
        truth_effort: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Comparison:
        """Play the same bandits live and on the preference matrix of the same rankers: the same as ``sim compare``.

        Parameters
        ----------
        matrix
            The matrix; estimated by default.
        algorithms
            Dueling algorithms.
        interleavings
            Impressions per pair of an estimated matrix.
        steps, runs, seed, checkpoints, regret, axes, spread, streams, truth_effort, cache, threads, progress
            As for `live`.

        Returns
        -------
        Comparison
            Both studies, and their differences.
        """
        if matrix is None:
            matrix = self.proxy(interleavings=interleavings, seed=seed, threads=threads, progress=progress)
        with reporting(progress) as report:
            live, proxy, differences = self._inner.compare(
                matrix._inner,
                algorithms_of(algorithms),
                steps,
                runs,
                checkpoints,
                self._seed(seed),
                regret,
                axes,
                spread,
                streams,
                truth_effort,
                _path(cache),
                threads,
                report,
            )
        return Comparison(Study(live), Study(proxy), Frame(differences))

    def sensitivity(
        self,
        methods: Sequence[str] = METHODS,
        *,
        compared: int = 5,
        impressions: int = 1_000,
        draws: int = 100,
        seed: int | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Frame:
        """How many impressions methods need to order rankers as their nDCG does: the same as ``sim sensitivity``.

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
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.

        Returns
        -------
        Frame
            The mean share of wrongly ordered pairs, per method and checkpoint: ``errors.csv`` of the command line.
        """
        with reporting(progress) as report:
            return Frame(
                self._inner.sensitivity(list(methods), compared, impressions, draws, self._seed(seed), threads, report)
            )

    def distortion(
        self,
        sizes: Sequence[int] | None = None,
        *,
        multileavings: int = 3_000,
        sets: int = 30,
        seed: int | None = None,
        truth_effort: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Frame:
        """How often multileaving prefers another ranker to the best one: the same as ``sim distortion``.

        Parameters
        ----------
        sizes
            Rankers per set, the best one included; 3, 10 and 100 by default, as far as there are enough.
        multileavings
            Multileavings per set.
        sets
            Random sets per size.
        seed, truth_effort, cache, threads, progress
            As for `live`.

        Returns
        -------
        Frame
            The share of other rankers that beat the best, over sets; a row per size.
        """
        with reporting(progress) as report:
            return Frame(
                self._inner.distortion(
                    None if sizes is None else list(sizes),
                    multileavings,
                    sets,
                    self._seed(seed),
                    truth_effort,
                    _path(cache),
                    threads,
                    report,
                )
            )

    def _seed(self, seed: int | None) -> int:
        return self.seed if seed is None else seed

    def __repr__(self) -> str:
        description = self.description
        dataset = description["dataset"]
        made_up = " (synthetic)" if dataset["synthetic"] else ""
        return (
            f"Site({dataset['name']!r}{made_up}, {self.arms} rankers, {dataset['queries']:,} queries, "
            f"{description['click']['model']} clicks)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Site._of, (self._spec, self.seed, self._arrays)


def _path(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)


def _specification(*, dataset: list[str], rankers: Features, **settings: Any) -> dict[str, Any]:
    """A site as the command line describes it."""
    spec = {name.replace("_", "-"): value for name, value in settings.items() if value is not None}
    spec["without"] = list(spec["without"])
    chosen = rankers if isinstance(rankers, (str, int)) else ",".join(str(feature) for feature in rankers) + ","
    return {"dataset": dataset, "rankers": str(chosen), **spec}
