"""What there is, by name: algorithms and data sets."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from rankduel.commands import command
from rankduel.frames import Frame


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
