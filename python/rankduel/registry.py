"""Algorithms and data sets by name."""

from __future__ import annotations

import csv
import io
import json
from os import PathLike, fspath
from typing import Any

from rankduel.commands import command
from rankduel.frames import Frame
from rankduel.keywords import suggesting
from rankduel.progress import Progress


def _frame(rows: list[dict[str, Any]]) -> Frame:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: str(value).lower() if isinstance(value, bool) else value for name, value in row.items()})
    return Frame.from_csv(text.getvalue().encode())


def algorithms() -> Frame:
    """All algorithms, as ``rankduel algorithms`` lists them.

    Returns
    -------
    Frame
        Name, summary, when to prefer it, what it chooses at a time, whether it needs no horizon, parameters with their
        defaults, and paper.

    Examples
    --------
    >>> import rankduel as rd
    >>> "rucb" in rd.algorithms()["name"]
    True
    """
    rows = []
    for entry in json.loads(command("algorithms", "--json")):
        paper = entry["paper"] or {}
        parameters = ":".join(f"{parameter['key']}={parameter['default']}" for parameter in entry["parameters"])
        rows.append(
            {
                "name": entry["name"],
                "summary": entry["summary"],
                "prefer": entry["prefer"],
                "chooses": entry["chooses"],
                "anytime": entry["anytime"],
                "parameters": parameters,
                "paper": paper.get("title"),
                "year": paper.get("year"),
                "url": paper.get("url"),
            }
        )
    return _frame(rows)


def datasets() -> Frame:
    """All registered data sets and preference matrices, as ``rankduel datasets`` lists them.

    Returns
    -------
    Frame
        Name, kind, title, whether it is installed, sizes, licence and paper.
    """
    return _frame(json.loads(command("datasets", "--json")))


@suggesting
def fetch_dataset(
    name: str,
    *,
    source: str | PathLike[str] | None = None,
    accept: bool = False,
    progress: Progress = None,
) -> str:
    """Download, check and register a data set or preference matrix. The same as ``rankduel datasets fetch``.

    What is registered already is not downloaded again, and an interrupted download continues with the next call.

    Parameters
    ----------
    name
        Its name, as `datasets` lists it.
    source
        Register the files from here instead: a folder, a file or an archive (zip, tar, tar.gz).
    accept
        Register the files even if they are not as expected.
    progress
        `True` for bars of tqdm, or a function.

    Returns
    -------
    str
        What was found and where it is kept.

    Raises
    ------
    ValueError
        If there is no such data set.
    RuntimeError
        If it cannot be downloaded, is not as expected, or users have to get it themselves: the message says where.
    """
    words = ["datasets", "fetch", name]
    words += [] if source is None else [f"--from={fspath(source)}"]
    words += ["--accept"] if accept else []
    return command(*words, progress=progress)
