"""The command line as functions: what it prints, as data."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankduel import _core
from rankduel.frames import Frame
from rankduel.matrices import Matrix
from rankduel.progress import Progress, reporting


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
    with reporting(progress) as report:
        return _core.captured([os.fspath(argument) for argument in arguments], threads, report)


@dataclass(frozen=True)
class Findings:
    """What a command found.

    Attributes
    ----------
    text : str
        What the command line prints.
    data : dict
        All numbers: what ``--json`` prints.
    tables : dict of Frame
        The CSV files by name, e.g. ``tables["ranking"]``.
    figures : dict of str
        The figures as SVG, by name.
    """

    text: str
    data: Any
    tables: Mapping[str, Frame]
    figures: Mapping[str, str]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.text)}</pre>" + "".join(self.figures.values())


def _flags(settings: Mapping[str, Any]) -> list[str]:
    flags: list[str] = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif isinstance(value, (list, tuple, range)):
            flags.append(f"{flag}={','.join(str(part) for part in value)}")
        elif value is not None and value is not False:
            flags.append(f"{flag}={value}")
    return flags


def _found(words: Sequence[str | os.PathLike[str]], settings: Mapping[str, Any], threads: int | None) -> Findings:
    """Run a command with a results folder, and read what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results"
        every = [*words, *_flags(settings), "--quiet", f"--out={out}"]
        text = command(*every, threads=threads)
        data = json.loads((out / "findings.json").read_text(encoding="utf-8"))
        tables = {path.stem: Frame.from_csv(path.read_bytes()) for path in sorted(out.glob("*.csv"))}
        figures = {path.stem: path.read_text(encoding="utf-8") for path in sorted(out.glob("*.svg"))}
    return Findings(text.rstrip("\n"), data, tables, figures)


def analyse(
    matrix: Matrix | str | os.PathLike[str], *, against: Matrix | None = None, threads: int | None = None, **settings: Any
) -> Findings:
    """Analyse a preference matrix: winners, cycles, gaps, regret bounds. The same as ``sim analyse``.

    Parameters
    ----------
    matrix
        A matrix, its file, or its registered name.
    against
        Another matrix of the same arms to compare with.
    threads
        Threads; all cores by default.
    **settings
        The flags of the command, e.g. ``comparisons=4000``, ``arms=[0, 5, 109]`` or ``seed=2``.

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
    with tempfile.TemporaryDirectory() as folder:

        def file(matrix: Matrix | str | os.PathLike[str], beside: str) -> str:
            if not isinstance(matrix, Matrix):
                return os.fspath(matrix)
            stem = Path(matrix.name.replace(":", "-").replace("=", "-")).stem
            path = Path(folder) / beside / f"{stem}.npy"
            matrix.save(path)
            return str(path)

        words = ["analyse", "--matrix", file(matrix, "matrix")]
        if against is not None:
            words += ["--against", file(against, "against")]
        return _found(words, settings, threads)


def inspect(
    dataset: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, threads: int | None = None, **settings: Any
) -> Findings:
    """Describe a data set: queries, labels, and the quality of each feature as a ranker. The same as ``sim inspect``.

    Parameters
    ----------
    dataset
        As for `Site`.
    threads
        Threads; all cores by default.
    **settings
        The flags of the command, e.g. ``split="test"``.

    Returns
    -------
    Findings
        What was found; ``data["ndcg"]`` has an entry per feature.
    """
    one = isinstance(dataset, (str, os.PathLike))
    parts = [os.fspath(dataset)] if one else [os.fspath(part) for part in dataset]  # type: ignore[arg-type,union-attr]
    return _found(["inspect", "--dataset", ",".join(parts)], settings, threads)


def experiment(
    file: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    scale: float = 1.0,
    threads: int | None = None,
    progress: Progress = None,
    **settings: Any,
) -> dict[str, Findings]:
    """Run the figures and tables of a paper from an experiment file. The same as ``sim experiment``.

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
        Further flags of the command, e.g. ``data_dir="data"``.

    Returns
    -------
    dict of Findings
        One entry per experiment: its claims and numbers (``summary.json``), tables, and figures.
    """
    out = Path(out)
    settings.setdefault("cache", out / ".cache")
    words = ["experiment", os.fspath(file), f"--scale={scale:g}", f"--out={out}", "--quiet", *_flags(settings)]
    text = command(*words, threads=threads, progress=progress)
    found = {}
    for summary in sorted(out.glob("*/summary.json")):
        folder = summary.parent
        tables = {path.stem: Frame.from_csv(path.read_bytes()) for path in sorted(folder.glob("*.csv"))}
        figures = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.svg"))}
        found[folder.name] = Findings(text.rstrip("\n"), json.loads(summary.read_text(encoding="utf-8")), tables, figures)
    return found
