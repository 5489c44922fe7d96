"""Rankings and judgements of any kind: the one place that says what they may be. `rankduel.tables` knows the frames."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, MappingView, Sequence, Set
from itertools import repeat
from typing import Any, NamedTuple, TypeGuard, Union

from rankduel import _core
from rankduel.tables import Column, Table, batches, is_table

Rankings = Union[str, "os.PathLike[str]", Mapping[Any, Any], Any]
"""The ranking of each query, as one of these:

* the path of a TREC run, ``query Q0 document rank score tag``, plain or gzip;
* ``{query: {document: score}}``, as pytrec_eval has it, or ``{query: [document, ...]}``, best first;
* a frame of pandas, polars, pyarrow or duckdb, anything else with ``__arrow_c_stream__``, or a dictionary of columns, with a row
  per document: see the names of columns below;
* a sparse matrix of scipy with a row per query and a column per document, which are called by their places, or the tuple
  ``(matrix, queries, documents)``, which names them. Scores that are not stored are of documents that were not retrieved;
* ``ranx.Run``, or another object with `to_dict`;
* tuples of query, document and score, such as ``ir_measures.ScoredDoc``.

Columns of frames are found by their names: queries by ``qid``, ``query_id``, ``q_id`` or ``topic_id``, else ``query`` or ``topic``;
documents by ``docno``, ``doc_id`` or ``document_id``, else ``docid``, else ``doc`` or ``document``; scores by ``score`` or ``sim``,
else ``rank`` (the lowest is the best). Other columns are not read."""

Judgements = Union[str, "os.PathLike[str]", Mapping[Any, Any], Any]
"""The relevance of documents, from 0: all kinds of `Rankings` but lists of documents. Files are TREC qrels, ``query 0 document
label``; frames have labels in a column ``label``, ``relevance``, ``rel`` or ``grade``; ranx has ``ranx.Qrels``."""

QUERY = (("qid", "query_id", "q_id", "topic_id"), ("query", "topic"))
DOCUMENT = (("docno", "doc_id", "document_id"), ("docid",), ("doc", "document"))
SCORE = (("score", "sim"),)
RANK = (("rank",),)
LABEL = (("label", "relevance", "rel", "grade"),)

FOUND = (
    "a file, {query: {document: score}}, {query: [document, ...]}, a frame, a sparse matrix of scipy, a run of ranx or tuples of "
    "query, document and score"
)
FOUND_JUDGED = (
    "a file, {query: {document: label}}, a frame, a sparse matrix of scipy, qrels of ranx or tuples of query, document and label"
)


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a value names a file."""
    return isinstance(value, (str, os.PathLike))


def column_of(names: Sequence[str], tiers: Sequence[Sequence[str]], what: str, kind: str) -> str | None:
    """The column with one of the names of the first tier that the frame has.

    Raises
    ------
    ValueError
        If the frame has several of one tier.
    """
    for tier in tiers:
        found = [name for name in names if name.lower() in tier]
        if len(found) > 1:
            raise ValueError(f"{what}: the columns {' and '.join(map(repr, found))} may both hold the {kind}; leave out or rename one")
        if found:
            return found[0]
    return None


class _Read(NamedTuple):
    """Rows on their way."""

    reader: _core.Reader
    #: How numbers are meant: ``score``, ``rank`` or ``label``.
    number: str
    #: Whether rows have numbers that a caller knows.
    has_rows: bool


def _of_table(table: Table, labels: bool, what: str, needs_query: bool) -> _Read:
    names = table.names

    def needed(tiers: Sequence[Sequence[str]], kind: str) -> str:
        found = column_of(names, tiers, what, kind)
        if found is None:
            known = " or ".join(repr(name) for tier in tiers for name in tier)
            raise ValueError(f"{what}: the frame has no column of {kind} ({known}); its columns are {', '.join(names) or 'none'}")
        return found

    columns = {}
    if needs_query or column_of(names, QUERY, what, "queries") is not None:
        columns["query"] = Column(needed(QUERY, "queries"), "ids")
    columns["document"] = Column(needed(DOCUMENT, "documents"), "ids")
    number = "label"
    if labels:
        columns["number"] = Column(needed(LABEL, "labels"), "numbers")
    else:
        score = column_of(names, SCORE, what, "scores")
        number = "rank" if score is None else "score"
        columns["number"] = Column(score or needed((*SCORE, *RANK), "scores"), "numbers")
    rank = None if labels or number == "rank" else column_of(names, RANK, what, "ranks")
    reader = None if rank is None else table.reader({**columns, "rank": Column(rank, "numbers")})
    if reader is None:
        reader = table.reader(columns)
    if reader is None:
        found = " and ".join(repr(column.name) for own, column in columns.items() if own != "number")
        raise ValueError(
            f"{what}: expected text or whole numbers in the columns {found}, and numbers in {columns['number'].name!r}; cast them"
        )
    return _Read(reader, number, True)


def _of_columns(queries: Any, documents: Any, numbers: Any, number: str, has_rows: bool) -> _Read:
    reader = _core.Reader(None)
    for name, kind, values in (("query", "ids", queries), ("document", "ids", documents), ("number", "numbers", numbers)):
        reader.add(name, kind, values)
    return _Read(reader, number, has_rows)


def _has_columns(value: Mapping[Any, Any], labels: bool) -> bool:
    """Whether a mapping is one of columns, and not one of rankings by query."""
    names = {name.lower() for name in value if isinstance(name, str)}

    def has(tiers: Iterable[Sequence[str]]) -> bool:
        return any(name in names for tier in tiers for name in tier)

    is_frame = has(DOCUMENT) and (has(QUERY) or has(LABEL if labels else (*SCORE, *RANK)))
    return is_frame and not any(isinstance(values, Mapping) for values in value.values())


def _of_queries(value: Mapping[Any, Any], labels: bool, what: str) -> _Read:
    """By query: scores or labels by document, or documents in order."""
    queries: list[Any] = []
    documents: list[Any] = []
    numbers: list[Any] = []
    forms = set()
    for query, ranked in value.items():
        if isinstance(ranked, Mapping):
            documents.extend(ranked.keys())
            numbers.extend(ranked.values())
        elif labels or isinstance(ranked, (str, bytes)) or not isinstance(ranked, Iterable):
            form = "{query: {document: label}}" if labels else "{query: {document: score}} or {query: [document, ...]}"
            hint = "" if labels else " by the name of each run"
            raise ValueError(f"{what}: expected {form}{hint}, found {ranked!r} for query {query!r}")
        else:
            listed = listed_of(ranked, f"{what}: query {query!r}")
            documents.extend(listed)
            numbers.extend(range(1, len(listed) + 1))
        forms.add(isinstance(ranked, Mapping))
        queries.extend(repeat(query, len(documents) - len(queries)))
    if len(forms) > 1:
        raise ValueError(f"{what}: expected scores for all queries or lists for all, found both")
    return _of_columns(queries, documents, numbers, "label" if labels else "rank" if forms == {False} else "score", False)


def listed_of(documents: Iterable[Any], what: str) -> list[Any]:
    """Values in order, as objects of Python.

    Parameters
    ----------
    documents
        Any list.
    what
        What errors call it.

    Raises
    ------
    TypeError
        For a set, which has no order.
    """
    _core.in_order(documents, what)
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(documents, name):
            found: list[Any] = getattr(documents, name)()
            return found
    return list(documents)


def _is_sparse(value: object) -> bool:
    return hasattr(value, "tocoo") and hasattr(value, "shape")


def _of_sparse(matrix: Any, names: Sequence[Any] | None, labels: bool, what: str) -> _Read:
    """The numbers that a sparse matrix stores, those that are 0 included."""
    if len(matrix.shape) != 2:
        raise ValueError(f"{what}: expected a matrix with a row per query, found {len(matrix.shape)} dimensions")
    stored = matrix.tocoo()
    ids: list[Any] = []
    for axis, (kind, places) in enumerate((("queries", stored.row), ("documents", stored.col))):
        if names is None:
            ids.append(places.tolist())
            continue
        called = listed_of(names[axis], f"{what}: names of {kind}")
        if len(called) != matrix.shape[axis]:
            raise ValueError(f"{what}: the matrix has {matrix.shape[axis]} {kind}, but {len(called)} of them have names")
        ids.append([called[place] for place in places.tolist()])
    return _of_columns(ids[0], ids[1], stored.data.astype("float64"), "label" if labels else "score", False)


def _of_tuples(value: Iterable[Any], labels: bool, what: str) -> _Read:
    rows = list(value)
    for row in rows:
        if not isinstance(row, tuple) or len(row) < 3:
            expected = FOUND_JUDGED if labels else FOUND
            shown = repr(row)
            raise ValueError(f"{what}: expected {expected}, found {shown if len(shown) < 80 else shown[:79] + '…'}")
    queries, documents, numbers = ([row[place] for row in rows] for place in range(3))
    return _of_columns(queries, documents, numbers, "label" if labels else "score", True)


def _read(value: Any, labels: bool, what: str, needs_query: bool = True) -> _Read:
    """The rows of any rankings or judgements that are not in a file."""
    if isinstance(value, tuple) and len(value) == 3 and _is_sparse(value[0]):
        return _of_sparse(value[0], value[1:], labels, what)
    if _is_sparse(value):
        return _of_sparse(value, None, labels, what)
    if not isinstance(value, Mapping) and is_table(value):
        return _of_table(Table(value, what), labels, what, needs_query)
    if not isinstance(value, Mapping) and hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, Mapping):
        if _has_columns(value, labels):
            return _of_table(Table(value, what), labels, what, needs_query)
        return _of_queries(value, labels, what)
    if isinstance(value, (int, float, bytes)) or not isinstance(value, Iterable):
        raise ValueError(f"{what}: expected {FOUND_JUDGED if labels else FOUND}, found {value!r}")
    return _of_tuples(value, labels, what)


def trec_text(value: Rankings, *, labels: bool, what: str, tag: str) -> bytes:
    """Rankings or judgements as the text of a file of TREC.

    Parameters
    ----------
    value
        Anything but a path.
    labels
        Whether they are judgements.
    what
        What errors call them.
    tag
        What the lines of a run are tagged with.

    Raises
    ------
    ValueError
        For a number that is none, ids that files of TREC cannot have, and frames with ambiguous columns.
    """
    read = _read(value, labels, what)
    text = _core.TrecText(what, read.number, tag, read.has_rows)
    for batch in batches(read.reader):
        text.add(batch)
    return text.bytes()


def _one(value: Any, query: Any, what: str) -> dict[Any, float]:
    if is_path(value):
        return _core.trec_query(os.fspath(value), None if query is None else str(query))
    read = _read(value, False, what, needs_query=False)
    found = _core.QueryRanking(what, read.number, None if query is None else str(query), read.has_rows)
    for batch in batches(read.reader):
        found.add(batch)
    return found.scores()


def ranking_of(value: Any, query: Any, what: str) -> Any:
    """The ranking of one query as the compiled part takes it: documents in order, or scores by document.

    Parameters
    ----------
    value
        Rankings of one or more queries, or the ranking of one.
    query
        Which query; None if there is one.
    what
        What errors call it.
    """
    kind = type(value)
    if kind is str and not os.path.exists(value):
        # A document in place of a list, which the compiled part refuses.
        return value
    if kind is list or kind is tuple:
        # Documents, unless it is a matrix with names, or rows of several queries.
        if not value or not isinstance(value[0], tuple) and not _is_sparse(value[0]):
            return _without_query(value, query, what)
    elif isinstance(value, Mapping):
        first = next(iter(value.values()), None)
        if isinstance(first, (float, int)):
            return _without_query(value if kind is dict else dict(value), query, what)
        if not isinstance(first, (Mapping, list, tuple, Set, MappingView)) and not _has_columns(value, False):
            return _without_query(value if kind is dict else dict(value), query, what)
        if not _has_columns(value, False):
            return _chosen(value, query, what)
    elif not (is_path(value) or _is_sparse(value) or is_table(value)):
        if hasattr(value, "to_dict") and not hasattr(value, "dtype"):
            return ranking_of(value.to_dict(), query, what)
        return value if not hasattr(value, "to_pylist") else value.to_pylist()
    return _one(value, query, what)


def _without_query(value: Any, query: Any, what: str) -> Any:
    if query is not None:
        raise ValueError(f"{what}: it is the ranking of one query, so leave out query={query!r}")
    return value


def _chosen(value: Mapping[Any, Any], query: Any, what: str) -> Any:
    """The ranking of one of the queries of a mapping."""
    if query is None:
        if len(value) != 1:
            raise ValueError(f"{what}: found rankings of {_several(list(value))}; say which: query={next(iter(value), 'q1')!r}")
        return next(iter(value.values()))
    if query in value:
        return value[query]
    for name, ranked in value.items():
        if str(name) == str(query):
            return ranked
    raise ValueError(f"{what}: there is no ranking of query {query!r}; it has {_several(list(value))}")


def _several(queries: Sequence[Any]) -> str:
    shown = ", ".join(repr(query) for query in queries[:3])
    return f"{len(queries)} queries ({shown}{', …' if len(queries) > 3 else ''})" if queries else "no query"
