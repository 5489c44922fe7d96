"""Runs and judgments of Python's libraries, as files of TREC."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard, Union

Rankings = Union[str, "os.PathLike[str]", Mapping[Any, Mapping[Any, float]], Any]
"""A file, ``{query: {document: number}}``, a frame with columns for query, document and number, an object with `to_dict`
such as those of ranx, or tuples of query, document and number such as those of ir_measures."""

_QUERY = ("qid", "query_id", "q_id", "query", "topic")
_DOCUMENT = ("docno", "doc_id", "docid", "doc", "document")
_SCORE = ("score",)
_LABEL = ("label", "relevance", "rel")


class Packed(NamedTuple):
    """Runs and judgments as the specification of a site names them, and the files that are not on disk, by name."""

    runs: list[str]
    qrels: list[str]
    files: dict[str, bytes]


FOLDER = "<memory>/"
"""Stands for the folder of the files that are not on disk, until they are written."""


def packed(
    runs: Mapping[str, Rankings] | Sequence[str | os.PathLike[str]],
    qrels: Rankings | Sequence[str | os.PathLike[str]],
    name: str,
    synthetic: bool,
) -> Packed:
    """All of them as files.

    Raises
    ------
    ValueError
        For a number that is none, and for texts that files of TREC cannot have.
    KeyError
        If a frame lacks a column.
    """
    files: dict[str, bytes] = {}
    given: list[str] = []
    tag = "SYNTHETIC" if synthetic else "rankduel"
    if isinstance(runs, Mapping):
        for number, (run, ranking) in enumerate(runs.items(), 1):
            if _is_path(ranking):
                given.append(f"{run}={os.fspath(ranking)}")
                continue
            file = f"{_file_name(str(run))}.run"
            if file in files:
                file = f"{number}-{file}"
            lines = (f"{q} Q0 {d} 0 {score!r} {tag}" for q, d, score in _triples(ranking, _SCORE, f"run {run}"))
            files[file] = _text(lines, f"run {run}")
            given.append(f"{run}={FOLDER}{file}")
    elif _is_path(runs):
        given = [os.fspath(runs)]
    else:
        each: list[Any] = [runs] if hasattr(runs, "columns") else list(runs)
        for number, one in enumerate(each, 1):
            if not _is_path(one):
                what = f"a {type(one).__name__}" if number == 1 else f"a {type(one).__name__} in place {number}"
                raise ValueError(f"runs: a run needs a name unless it is a file: pass {{'name': run, ...}}, found {what}")
        given = [os.fspath(path) for path in each]
    if _is_path(qrels):
        return Packed(given, [os.fspath(qrels)], files)
    if isinstance(qrels, (list, tuple)) and all(map(_is_path, qrels)):
        return Packed(given, [os.fspath(path) for path in qrels], files)
    file = _file_name(name)
    lines = (f"{q} 0 {d} {_label(label, q, d)}" for q, d, label in _triples(qrels, _LABEL, "qrels"))
    files[file] = _text(lines, "qrels")
    return Packed(given, [FOLDER + file], files)


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in ".-_ " else "-" for c in name) or "-"


def _is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(value, (str, os.PathLike))


def _label(label: float, query: str, document: str) -> int:
    if not label.is_integer():
        raise ValueError(f"qrels: expected whole labels, found {label} for query {query}, document {document}")
    return int(label)


def _text(lines: Iterable[str], what: str) -> bytes:
    text = "".join(f"{line}\n" for line in lines)
    if not text:
        raise ValueError(f"{what}: there is no document in it")
    return text.encode()


def _triples(ranking: Any, numbers: Sequence[str], what: str) -> Iterator[tuple[str, str, float]]:
    """Query, document and number of each row."""

    def word(value: object, kind: str) -> str:
        text = str(value)
        if not text or text.split() != [text]:
            raise ValueError(f"{what}: expected a {kind} without spaces, found {text!r}")
        if kind == "query" and text.startswith("#"):
            raise ValueError(f"{what}: expected a query that does not begin with #, as comments do, found {text!r}")
        return text

    for query, document, value in _rows(ranking, numbers, what):
        query, document = word(query, "query"), word(document, "document")
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"{what}: expected a number for query {query}, document {document}, found {value!r}")
        yield query, document, number


def _rows(ranking: Any, numbers: Sequence[str], what: str) -> Iterator[tuple[Any, Any, Any]]:
    if hasattr(ranking, "columns"):
        columns = [str(column) for column in ranking.columns]

        def column(names: Sequence[str]) -> Any:
            for name in names:
                if name in columns:
                    return ranking[name]
            raise KeyError(f"{what}: the frame has no column {names[0]!r}; its columns are {', '.join(columns)}")

        yield from zip(column(_QUERY), column(_DOCUMENT), column(numbers))
        return
    if not isinstance(ranking, Mapping) and hasattr(ranking, "to_dict"):
        ranking = ranking.to_dict()
    if isinstance(ranking, Mapping):
        for query, documents in ranking.items():
            if not isinstance(documents, Mapping):
                name = " by the name of each run" if numbers is _SCORE else ""
                raise ValueError(
                    f"{what}: expected {{query: {{document: number}}}}{name}, found {documents!r} for query {query!r}"
                )
            for document, value in documents.items():
                yield query, document, value
        return
    if isinstance(ranking, (int, float)) or not isinstance(ranking, Iterable):
        raise ValueError(f"{what}: expected a file, a dictionary, a frame or tuples, found {ranking!r}")
    for row in ranking:
        if not isinstance(row, tuple) or len(row) < 3:
            raise ValueError(f"{what}: expected tuples of query, document and number, found {row!r}")
        yield row[0], row[1], row[2]
