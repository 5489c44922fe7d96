"""Runs and judgements in memory as files of TREC."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rankduel import _core
from rankduel.rankings import Judgements, Rankings, is_path, trec_text
from rankduel.tables import is_table


class Packed(NamedTuple):
    """Runs and judgements as the specification of a site names them, and the files that are not on disk, by name."""

    runs: list[str]
    qrels: list[str]
    files: dict[str, bytes]


FOLDER = "<memory>/"
"""Stands for the folder of the files that are not on disk, until they are written."""


JUDGED = "judged"
"""The file of a model's judgements that are not on disk."""


def packed(
    runs: Mapping[str, Rankings] | Sequence[Any] | str | os.PathLike[str],
    qrels: Judgements | Sequence[str | os.PathLike[str]],
    name: str,
    synthetic: bool,
) -> Packed:
    """All of them as files.

    Raises
    ------
    ValueError
        As `rankduel.rankings.trec_text`, and for a run without a name.
    """
    files: dict[str, bytes] = {}
    given: list[str] = []
    tag = "SYNTHETIC" if synthetic else "rankduel"
    for number, (run, ranking) in enumerate(_named(runs), 1):
        if is_path(ranking):
            path = os.fspath(ranking)
            given.append(path if run is None else f"{run}={path}")
            continue
        file = f"{_file_name(str(run))}.run"
        if file in files:
            file = f"{number}-{file}"
        files[file] = trec_text(ranking, labels=False, what=f"run {run}", tag=tag)
        given.append(f"{run}={FOLDER}{file}")
    labels, more = packed_labels(qrels, _file_name(name), "qrels", tag)
    return Packed(given, labels, {**files, **more})


def packed_labels(
    qrels: Judgements | Sequence[str | os.PathLike[str]], file: str, what: str, tag: str = "rankduel"
) -> tuple[list[str], dict[str, bytes]]:
    """The files of judgements, and `file`, which is not on disk, if they are none; errors call them `what`.

    Raises
    ------
    ValueError
        As `rankduel.rankings.trec_text`.
    """
    if is_path(qrels):
        return [os.fspath(qrels)], {}
    if isinstance(qrels, (list, tuple)) and qrels and all(map(is_path, qrels)):
        return [os.fspath(path) for path in qrels], {}
    return [FOLDER + file], {file: trec_text(qrels, labels=True, what=what, tag=tag)}


def _named(runs: Any) -> Iterable[tuple[str | None, Any]]:
    """Runs by name; files may be without one."""
    if isinstance(runs, Mapping):
        return runs.items()
    if is_path(runs):
        return [(None, runs)]
    _core.in_order(runs, "runs")
    found: list[tuple[str | None, Any]] = []
    for number, one in enumerate([runs] if is_table(runs) or hasattr(runs, "to_dict") else runs, 1):
        run = getattr(one, "name", None) if hasattr(one, "to_dict") and not is_table(one) else None
        if not is_path(one) and not isinstance(run, str):
            what = f"a {type(one).__name__}" if number == 1 else f"a {type(one).__name__} in place {number}"
            raise ValueError(f"runs: a run needs a name unless it is a file: pass {{'name': run, ...}}, found {what}")
        found.append((run, one))
    return found


def of_rows(message: str, files: Iterable[str]) -> str:
    """The error about a line of a file that is not on disk, as an error about a row."""
    for file in files:
        found = re.match(rf"{re.escape(file)}:(\d+):\d+: ", message)
        if found:
            rest = re.sub(r"on line (\d+)", lambda line: f"in row {int(line[1]) - 1}", message[found.end() :])
            return f"{file_text(file)}: row {int(found[1]) - 1}: {rest.replace('one of the lines', 'one of the rows')}"
    return message


def file_text(file: str) -> str:
    """The content of a file that is not on disk, in words."""
    if file.endswith(".run"):
        return f"run {file.removesuffix('.run')}"
    return "judged" if file == JUDGED else "qrels"


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in ".-_ " else "-" for c in name) or "-"
