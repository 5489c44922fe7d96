"""The command line as functions: what it prints, as data."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankduel import _core, program, trec
from rankduel.findings import Findings
from rankduel.flags import flags
from rankduel.keywords import AnalyseFlags, ExperimentFlags, InspectFlags, check, suggesting
from rankduel.matrices import Matrix
from rankduel.notes import warn
from rankduel.progress import Progress, reporting
from rankduel.rankings import Judgements, Rankings
from rankduel.settings import cores

if TYPE_CHECKING:
    from typing_extensions import Unpack


@suggesting
def command(*arguments: str | os.PathLike[str], threads: int | None = None, progress: Progress = None) -> str:
    """Run a command of the command line and return what it prints on standard output.

    Parameters
    ----------
    *arguments
        The words of the command, e.g. ``"datasets", "--json"``. Instead of ``--threads`` pass `threads`.
    threads
        Threads; all cores by default.
    progress
        `True` for bars of tqdm, or a function.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ValueError
        For wrong usage, with the line that the command line prints.
    RuntimeError
        If the command failed.

    Examples
    --------
    >>> import rankduel as rd
    >>> rd.command("cite", "rucb").startswith("@inproceedings{zoghi2014relative")
    True
    """
    words = [os.fspath(argument) for argument in arguments]
    program.announce()
    with reporting(progress) as report:
        return _core.captured(words, cores(threads), report, "--quiet" not in words)


def _found(
    words: Sequence[str | os.PathLike[str]], settings: Mapping[str, Any], threads: int | None, *, notes: bool = True
) -> Findings:
    """Run a command with a results folder, and read what it wrote; its `notes` become warnings."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results"
        every = [*words, *flags(settings), "--quiet", f"--out={out}"]
        text = _core.captured([os.fspath(word) for word in every], cores(threads), None, notes)
        data = json.loads((out / "findings.json").read_text(encoding="utf-8"))
        return Findings._of(text, data, out)


def analyse(
    matrix: Matrix | npt.ArrayLike | str | os.PathLike[str],
    *,
    against: Matrix | npt.ArrayLike | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    **settings: Unpack[AnalyseFlags],
) -> Findings:
    """Analyse a preference matrix: winners, cycles, gaps, regret bounds. The same as ``rankduel analyse``.

    Parameters
    ----------
    matrix
        A matrix, whatever `Matrix` takes, its file, or its registered name.
    against
        Another matrix of the same arms to compare with.
    threads
        Threads; all cores by default.
    **settings
        `AnalyseFlags`: those of the command, e.g. ``comparisons=4000``, ``arms=[0, 5, 109]`` or ``seed=2``.

    Returns
    -------
    Findings
        What was found; ``tables["ranking"]`` has a row per arm.

    Examples
    --------
    >>> import rankduel as rd
    >>> found = rd.analyse(rd.Matrix.problem("arithmetic:k=4"))
    >>> sorted(found.tables)[:2]
    ['bounds', 'cycles']
    """
    check("analyse", settings, AnalyseFlags.__annotations__, ["matrix", "against", "threads"])
    with tempfile.TemporaryDirectory() as folder:

        def file(matrix: Any, beside: str) -> str:
            if isinstance(matrix, (str, os.PathLike)):
                return os.fspath(matrix)
            if isinstance(matrix, Matrix):
                note = matrix._inner.counts_note()
                warn([] if note is None else [note])
            else:
                matrix = Matrix(matrix)
            if beside == "matrix" and matrix.names is not None and "names" not in settings:
                names = Path(folder) / "names.txt"
                names.write_text("".join(f"{name}\n" for name in matrix.names), encoding="utf-8")
                settings["names"] = names
            stem = Path(matrix.name.replace(":", "-").replace("=", "-")).stem
            path = Path(folder) / beside / f"{stem}.npy"
            wins = matrix._inner.win_table()
            if wins is None:
                matrix.save(path)
            else:
                # The analysis needs the pairs that never met.
                path.parent.mkdir(parents=True, exist_ok=True)
                np.save(path, wins)
            return str(path)

        words = ["analyse", "--matrix", file(matrix, "matrix")]
        if against is not None:
            words += ["--against", file(against, "against")]
        # Objects in memory had their warnings; here they would name files that the caller does not have.
        files = any(isinstance(one, (str, os.PathLike)) for one in (matrix, against))
        return _found(words, settings, threads, notes=files)


def inspect(
    dataset: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    *,
    runs: Mapping[str, Rankings] | Sequence[Any] | str | os.PathLike[str] | None = None,
    qrels: Judgements | Sequence[str | os.PathLike[str]] | None = None,
    judged: Judgements | Sequence[str | os.PathLike[str]] | None = None,
    threads: int | None = None,
    **settings: Unpack[InspectFlags],
) -> Findings:
    """Describe a data set: queries, labels, and the quality of each feature as a ranker. The same as ``rankduel inspect``.

    Parameters
    ----------
    dataset
        As for `Site`.
    runs, qrels
        Instead: rankings and their judgements, as for `Site.from_runs`. Then the first sentence says which run is better.
    judged
        A model's judgements (an LLM's, say) of all documents, in the forms of ``qrels``, which are then people's judgements of a random sample of
        them: measures by the model are corrected by people's. ``data["measures"]["judged"]`` has the model's values, people's alone, and errors.
    threads
        Threads; all cores by default.
    **settings
        `InspectFlags`: those of the command, e.g. ``split="test"``, or ``measures="nDCG@10,AP"``. With ``format="latex"``, ``text`` is
        the table of a paper.

    Returns
    -------
    Findings
        What was found; ``data["ndcg"]`` has an entry per feature.

    Examples
    --------
    >>> import rankduel as rd
    >>> runs = {"bm25": {"q1": ["d1", "d2"], "q2": ["d3", "d4"]}, "ltr": {"q1": ["d2", "d1"], "q2": ["d4", "d5"]}}
    >>> found = rd.inspect(runs=runs, qrels={"q1": {"d2": 1}, "q2": {"d4": 2}})
    >>> len(found.data["ndcg"])
    2
    """
    check("inspect", settings, InspectFlags.__annotations__, ["dataset", "runs", "qrels", "judged", "threads"])
    if dataset is not None:
        if runs is not None or qrels is not None:
            raise ValueError("inspect: expected a data set, or runs and qrels, found both")
        if judged is not None:
            raise ValueError("inspect: judged belongs to runs and qrels, found a data set")
        one = isinstance(dataset, (str, os.PathLike))
        parts = [os.fspath(dataset)] if one else [os.fspath(part) for part in _core.in_order(dataset, "dataset")]  # type: ignore[arg-type,union-attr]
        return _found(["inspect", "--dataset", ",".join(parts)], settings, threads)
    if runs is None or qrels is None:
        raise ValueError("inspect: expected a data set, or runs and qrels")
    given = trec.packed(runs, qrels, "qrels", False)
    models: list[str] = []
    if judged is not None:
        models, more = trec.packed_labels(judged, trec.JUDGED, "judged")
        given.files.update(more)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in given.files.items():
            (Path(folder) / name).write_bytes(data)
        every = [",".join(names).replace(trec.FOLDER, f"{folder}/") for names in (given.runs, given.qrels, models)]
        by_model = ["--judged", every[2]] if models else []
        try:
            found = _found(["inspect", "--rankings", every[0], "--qrels", every[1], *by_model], settings, threads)
        except ValueError as error:
            raise ValueError(trec.of_rows(str(error).replace(f"{folder}/", ""), given.files)) from None
        # The files are gone, and were never the caller's.
        text = found.text
        for name in given.files:
            text = text.replace(f"{folder}/{name}", f"{trec.file_text(name)}, in memory")
    return dataclasses.replace(found, text=text)


def experiment(
    file: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    scale: float = 1.0,
    threads: int | None = None,
    progress: Progress = None,
    **settings: Unpack[ExperimentFlags],
) -> dict[str, Findings]:
    """Run the figures and tables of a paper from an experiment file. The same as ``rankduel experiment``.

    Parameters
    ----------
    file
        A TOML file; `experiments/README.md` of the project documents its keys.
    out
        The results folder. Finished runs are kept there, so that an interrupted call continues.
    scale
        The share of the paper's steps, runs and data.
    threads
        Threads; all cores by default.
    progress
        `True` for bars of tqdm, or a function.
    **settings
        `ExperimentFlags`: further flags of the command, e.g. ``data_dir="data"``.

    Returns
    -------
    dict of Findings
        One entry per experiment: its claims and numbers (``summary.json``), tables, and figures.
    """
    check("experiment", settings, ExperimentFlags.__annotations__, ["file", "out", "scale", "threads", "progress"])
    out = Path(out)
    settings.setdefault("cache", out / ".cache")
    words = ["experiment", os.fspath(file), f"--scale={scale:g}", f"--out={out}", "--quiet", *flags(settings)]
    text = command(*words, threads=threads, progress=progress)
    summaries = sorted(out.glob("*/summary.json"))
    return {
        path.parent.name: Findings._of(text, json.loads(path.read_text(encoding="utf-8")), path.parent)
        for path in summaries
    }
