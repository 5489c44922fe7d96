"""Data, rankers and users."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from rankduel import _core, notes, rankings, trec
from rankduel.clicks import Click, ClickModel, answers, taken
from rankduel.keywords import check, suggesting
from rankduel.progress import Progress, reporting
from rankduel.settings import cores, count, whole
from rankduel.site_settings import DataSettings, Features, FrameSettings, SiteSettings, paths_of, settings_of, specification
from rankduel.site_studies import HasStudies
from rankduel.tables import Table, is_table

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

_Arrays = tuple[str, bool, list[str], npt.NDArray[np.float32], npt.NDArray[np.float64], Union[list[str], None]]

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


class Site(HasStudies):
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
        spec = specification(
            dataset=paths_of(dataset, "dataset"),
            click=named,
            rankers=rankers,
            without=without,
            scores=paths_of(scores, "scores"),
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
                        # The folder is temporary, and rows are not lines.
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
            A site; all of its results say that the data are synthetic.
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
        spec, seed, own, threads = settings_of("from_arrays", settings, ["names", "name", "synthetic"])
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
            The treatment of retrieved documents without a judgment: ``zero`` (label 0) or ``remove``.
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
        spec, seed, own, threads = settings_of("from_runs", settings, others)
        given = trec.packed(runs, qrels, name, synthetic)
        spec |= {"trec-runs": given.runs, "qrels": given.qrels, "trec-ties": run_ties, "unjudged": unjudged}
        if max_label is not None:
            spec["reading"] = {"max-label": max_label}
        return cls._of(json.dumps(spec), seed, files=given.files, own=own, threads=threads)

    @property
    def description(self) -> dict[str, Any]:
        """The description of the site, with all defaults resolved: ``site`` in ``config.json`` of the command line."""
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


