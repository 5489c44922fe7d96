"""Every function that takes rankings takes every kind of them, with the same result to the bit."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rankduel.client.wire import lists_of

import rankduel as rd

Lists = dict[str, dict[str, float]]


def made_up() -> tuple[Lists, Lists, dict[str, dict[str, int]]]:
    """Two runs without ties, best first, and judgements."""
    rng = np.random.default_rng(7)
    judged = {f"q{q}": {f"d{d:02}": int(rng.integers(0, 3)) for d in range(12)} for q in range(15)}
    runs: list[Lists] = []
    for noise in (2.0, 0.5):
        run = {}
        for query, labels in judged.items():
            scored = {document: label + float(rng.normal(0, noise)) for document, label in labels.items() if rng.random() < 0.8}
            run[query] = dict(sorted(scored.items(), key=lambda item: -item[1]))
        runs.append(run)
    return runs[0], runs[1], judged


FIRST, SECOND, JUDGED = made_up()


class Streamed:
    """Whatever there may be with the stream of Arrow and nothing else."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def columns(lists: Any, names: tuple[str, str, str]) -> dict[str, list[Any]]:
    rows = [(query, document, value) for query, documents in lists.items() for document, value in documents.items()]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def frame(lists: Any, labels: bool) -> dict[str, list[Any]]:
    """With all that frames of PyTerrier have."""
    found = columns(lists, ("qid", "docno", "label" if labels else "score"))
    if not labels:
        found["docid"] = [int(document[1:]) for document in found["docno"]]
        found["query"] = [f"text of {query}" for query in found["qid"]]
        found["rank"] = [rank for documents in lists.values() for rank in range(len(documents))]
    return found


def as_file(lists: Any, labels: bool, folder: Path, packed: bool = False) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.{'qrels' if labels else 'run'}{'.gz' if packed else ''}"
    line = "{} 0 {} {}\n" if labels else "{} Q0 {} 0 {!r} tag\n"
    text = "".join(line.format(query, document, value) for query, ds in lists.items() for document, value in ds.items())
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    return path


def as_pandas(lists: Any, labels: bool, _: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(frame(lists, labels))


def as_objects(lists: Any, labels: bool, folder: Path) -> Any:
    table = as_pandas(lists, labels, folder)
    return table.astype({name: object for name in table.columns})


def as_categories(lists: Any, labels: bool, folder: Path) -> Any:
    return as_pandas(lists, labels, folder).astype({"qid": "category", "docno": "category"})


def as_other_names(lists: Any, labels: bool, _: Path) -> Any:
    names = ("query_id", "doc_id", "relevance" if labels else "score")
    return pytest.importorskip("pandas").DataFrame(columns(lists, names))


def as_polars(lists: Any, labels: bool, _: Path) -> Any:
    return pytest.importorskip("polars").DataFrame(frame(lists, labels))


def as_lazy(lists: Any, labels: bool, folder: Path) -> Any:
    return as_polars(lists, labels, folder).lazy()


def as_pyarrow(lists: Any, labels: bool, _: Path) -> Any:
    return pytest.importorskip("pyarrow").table(frame(lists, labels))


def as_chunks(lists: Any, labels: bool, folder: Path) -> Any:
    table = as_pyarrow(lists, labels, folder)
    return pytest.importorskip("pyarrow").concat_tables([table.slice(0, 11), table.slice(11, 20), table.slice(31)])


def as_stream(lists: Any, labels: bool, folder: Path) -> Any:
    return Streamed(as_pyarrow(lists, labels, folder))


def as_duckdb(lists: Any, labels: bool, folder: Path) -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.from_arrow(as_pyarrow(lists, labels, folder))


def as_sparse(lists: Any, labels: bool, _: Path) -> Any:
    sparse = pytest.importorskip("scipy.sparse")
    queries = list(lists)
    documents = sorted({document for ds in lists.values() for document in ds})
    rows = [queries.index(query) for query, ds in lists.items() for _ in ds]
    places = [documents.index(document) for ds in lists.values() for document in ds]
    values = [float(value) for ds in lists.values() for value in ds.values()]
    return sparse.coo_array((values, (rows, places)), shape=(len(queries), len(documents))), queries, documents


def imported_ranx() -> Any:
    # It compiles itself when it is first used, which takes a minute or two.
    if not os.environ.get("RANKDUEL_ALL"):
        pytest.skip("RANKDUEL_ALL is not set")
    return pytest.importorskip("ranx")


def as_ranx(lists: Any, labels: bool, _: Path) -> Any:
    ranx = imported_ranx()
    return ranx.Qrels(lists) if labels else ranx.Run(lists, name="a run")


def as_tuples(lists: Any, labels: bool, _: Path) -> Any:
    measures = pytest.importorskip("ir_measures")
    kind = measures.Qrel if labels else measures.ScoredDoc
    return [kind(query, document, value) for query, ds in lists.items() for document, value in ds.items()]


Form = Callable[[Any, bool, Path], Any]
FORMS: dict[str, Form] = {
    "file": as_file,
    "gzip": lambda lists, labels, folder: as_file(lists, labels, folder, True),
    "dictionary": lambda lists, labels, _: lists,
    "lists": lambda lists, labels, _: lists if labels else {query: list(ds) for query, ds in lists.items()},
    "columns": lambda lists, labels, _: frame(lists, labels),
    "arrays": lambda lists, labels, _: {name: np.array(values) for name, values in frame(lists, labels).items()},
    "ranks": lambda lists, labels, _: {name: column for name, column in frame(lists, labels).items() if name != "score"},
    "pandas": as_pandas,
    "pandas objects": as_objects,
    "pandas categories": as_categories,
    "pandas, names of ir_measures": as_other_names,
    "polars": as_polars,
    "polars, lazy": as_lazy,
    "pyarrow": as_pyarrow,
    "pyarrow, chunks": as_chunks,
    "stream of Arrow": as_stream,
    "duckdb": as_duckdb,
    "scipy": as_sparse,
    "ranx": as_ranx,
    "tuples of ir_measures": as_tuples,
}


def from_runs(make: Form, folder: Path) -> bytes:
    runs = {name: make(lists, False, folder) for name, lists in (("first", FIRST), ("second", SECOND))}
    site = rd.Site.from_runs(runs, make(JUDGED, True, folder), click="perfect")
    study = site.live(["rucb", "random"], steps=300, runs=2)
    description = site.description
    # The file of judgements has the name of the data.
    description["dataset"].pop("name")
    return json.dumps(description).encode() + site.ndcg().tobytes() + study.curves.to_csv() + study.runs.to_csv()


def inspect(make: Form, folder: Path) -> bytes:
    runs = {name: make(lists, False, folder) for name, lists in (("first", FIRST), ("second", SECOND))}
    found = rd.inspect(runs=runs, qrels=make(JUDGED, True, folder), measures="nDCG@10,AP", per_query=True)
    return b"".join(table.to_csv() for table in found.tables.values())


def interleave(make: Form, folder: Path) -> bytes:
    shown = []
    for seed, method in enumerate(["team-draft", "balanced", "probabilistic", "optimized"]):
        first, second = make(FIRST, False, folder), make(SECOND, False, folder)
        shown.append(rd.interleave(first, second, query="q3", length=6, method=method, seed=seed, documents=sorted(JUDGED["q3"])))
    return b"".join(impression.to_bytes() for impression in shown)


def grown(make: Form, folder: Path) -> bytes:
    first, second = ({"q3": dict(list(lists["q3"].items())[:4])} for lists in (FIRST, SECOND))
    pages = [(make(FIRST, False, folder), make(SECOND, False, folder))]
    lists = make(first, False, folder), make(second, False, folder)
    numbered = sorted(JUDGED["q3"])
    return rd.interleave(*lists, query="q3", length=3, grown=pages, seed=5, documents=numbered).to_bytes()


def multileave(make: Form, folder: Path) -> bytes:
    three = [make(lists, False, folder) for lists in (FIRST, SECOND, FIRST)]
    return rd.multileave(three, query="q7", length=8, seed=3, documents=sorted(JUDGED["q7"])).to_bytes()


def only(make: Form, folder: Path) -> bytes:
    """Rankings of one query, which needs no name then."""
    first, second = (make({"q5": lists["q5"]}, False, folder) for lists in (FIRST, SECOND))
    return rd.interleave(first, second, length=5, seed=1, documents=sorted(JUDGED["q5"])).to_bytes()


def client(make: Form, folder: Path) -> bytes:
    """The lists sent to a live server."""
    sent = lists_of({"bm25": make({"q5": FIRST["q5"]}, False, folder)})["bm25"]
    return json.dumps([entry if isinstance(entry, str) else entry["id"] for entry in sent]).encode()


FUNCTIONS: dict[str, Callable[[Form, Path], bytes]] = {
    "from_runs": from_runs,
    "inspect": inspect,
    "interleave": interleave,
    "grown": grown,
    "multileave": multileave,
    "only": only,
    "client": client,
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return {name: call(FORMS["dictionary"], tmp_path_factory.mktemp("expected")) for name, call in FUNCTIONS.items()}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_all_kinds_are_the_same(form: str, function: str, expected: dict[str, bytes], tmp_path: Path) -> None:
    assert FUNCTIONS[function](FORMS[form], tmp_path) == expected[function]


def test_numbers_as_ids_and_places_of_a_matrix() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    polars = pytest.importorskip("polars")
    matrix = sparse.csr_array(np.array([[0.0, 2.5, 1.5], [3.0, 0.0, 1.0]]))
    by_place = {0: {1: 2.5, 2: 1.5}, 1: {0: 3.0, 2: 1.0}}
    table = polars.DataFrame({"qid": [0, 0, 1, 1], "docid": [1, 2, 0, 2], "score": [2.5, 1.5, 3.0, 1.0]})
    other, qrels = {0: {2: 1.0, 0: 0.5}, 1: {1: 2.0}}, {0: {1: 1}, 1: {0: 2}}
    sites = [rd.Site.from_runs({"a": run, "b": other}, qrels) for run in (matrix, by_place, table)]
    assert len({site.ndcg().tobytes() for site in sites}) == 1
    # Documents come back as the numbers that they were.
    shown = [rd.interleave(run, {1: [2, 0]}, query=1, length=3, seed=4, documents=[0, 1, 2]) for run in (matrix, by_place, table)]
    assert shown[0] == shown[1] == shown[2] and set(shown[0].shown) == {0, 2}
    stored = sparse.coo_array(([0.0, 1.0], ([0, 0], [0, 1])), shape=(1, 3))
    assert set(rd.interleave(stored, [5], length=9, seed=1).shown) == {0, 1, 5}


def test_ties_stay() -> None:
    polars = pytest.importorskip("polars")
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 0.0}}
    table = polars.DataFrame(columns(tied, ("qid", "docno", "score")))
    tops = [{rd.interleave(run, run, query="q", length=1, seed=seed).shown[0] for seed in range(50)} for run in (tied, table)]
    assert tops == [{"a", "b"}] * 2


def test_runs_with_names_of_their_own() -> None:
    ranx = imported_ranx()
    runs = [ranx.Run(lists, name=name) for name, lists in (("first", FIRST), ("second", SECOND))]
    site = rd.Site.from_runs(runs, ranx.Qrels(JUDGED))
    assert [site.arm_name(arm) for arm in range(2)] == ["first", "second"]


GOOD = {"qid": ["q", "q"], "docno": ["d", "e"], "score": [2.0, 1.0]}


@pytest.mark.parametrize("library", ["columns", "pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": [1.0, float("nan")]}, "run a: row 1: expected a number for query q, document e, found n"),
        ({"score": [1.0, float("inf")]}, "run a: row 1: expected a number for query q, document e, found inf"),
        ({"score": [1.0, None]}, "run a: row 1: expected a number for query q, document e, found n"),
        ({"qid": ["q", None]}, "run a: row 1: it has no query"),
        ({"docno": ["d", None]}, "run a: row 1: it has no document"),
        ({"docno": ["d", "d"]}, "run a: row 1: document `d` recurs in query q; it occurs first in row 0"),
        ({"docno": ["d", "e e"]}, 'run a: row 1: expected a document without spaces, found "e e"'),
        ({"qid": ["q", "#q"]}, "run a: row 1: expected a query that does not begin with #"),
        ({"qid": [], "docno": [], "score": []}, "run a: there is no document in it"),
        ({"query_id": ["q", "q"]}, "run a: the columns 'qid' and 'query_id' may both hold the queries; leave out or rename one"),
        ({"doc_id": ["d", "e"]}, "run a: the columns 'docno' and 'doc_id' may both hold the documents"),
        ({"sim": [2.0, 1.0]}, "run a: the columns 'score' and 'sim' may both hold the scores"),
        ({"score": ["high", "low"]}, "number"),
        ({"docno": [1.5, 2.5]}, "text or"),
    ],
)
def test_faults_have_their_row(library: str, change: dict[str, Any], message: str) -> None:
    table: Any = {**GOOD, **change}
    if library != "columns":
        module = pytest.importorskip(library)
        table = module.table(table) if library == "pyarrow" else module.DataFrame(table)
    with pytest.raises(ValueError) as raised:
        rd.Site.from_runs({"a": table, "b": {"q": {"d": 1}}}, {"q": {"d": 1}})
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ({"qid": ["q"], "docno": ["d"]}, ValueError, "run a: the frame has no column of scores ('score' or 'sim' or 'rank'); its columns are qid, docno"),
        ({"qid": ["q", "q"], "docno": ["d", 1], "score": [1, 2]}, ValueError, "row 1: the column \"document\" has 1; expected text, as in"),
        ({"q": {"d": 1.0, 2: 0.5}}, ValueError, "has 2; expected text, as in the rows before"),
        ({"q": {True: 1.0}}, ValueError, "has True; expected text or a whole number"),
        ({"q": {"d": 1.0}, "p": ["d"]}, ValueError, "run a: expected scores for all queries or lists for all, found both"),
        ({"q": "d"}, ValueError, "run a: expected {query: {document: score}} or {query: [document, ...]} by the name of each run, found 'd'"),
        ({"q": {"d": "1.0"}}, ValueError, "has '1.0'; expected a number"),
        (3, ValueError, "run a: expected a file, {query: {document: score}}, {query: [document, ...]}, a frame"),
    ],
)
def test_refusals(run: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        rd.Site.from_runs({"a": run, "b": {"q": {"d": 1}}}, {"q": {"d": 1}})
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_frames_that_lack_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"qid": ["q"], "title": ["d"], "score": [1.0]})
    with pytest.raises(ValueError, match="run a: the frame has no column of documents .*; its columns are qid, title, score"):
        rd.Site.from_runs({"a": table, "b": table}, {"q": {"d": 1}})
    twice = pandas.DataFrame([["q", "d", "e", 1.0]], columns=["qid", "docno", "docno", "score"])
    with pytest.raises(ValueError, match="'docno' and 'docno' may both hold the documents"):
        rd.Site.from_runs({"a": twice, "b": twice}, {"q": {"d": 1}})


def test_matrices_with_wrong_names() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(np.ones((2, 3)))
    with pytest.raises(ValueError, match="run a: the matrix has 3 documents, but 2 of them have names"):
        rd.Site.from_runs({"a": (matrix, ["q", "p"], ["d", "e"]), "b": {"q": {"d": 1}}}, {"q": {"d": 1}})
    twice = sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 2))
    with pytest.raises(ValueError, match="document `1` recurs in query 0"):
        rd.Site.from_runs({"a": twice, "b": {0: {1: 1}}}, {0: {1: 1}})


@pytest.mark.parametrize(
    ("ranking", "query", "message"),
    [
        (FIRST, None, r"first: found rankings of 15 queries \('q0', 'q1', 'q2', …\); say which: query='q0'"),
        (FIRST, "nosuch", r"first: there is no ranking of query 'nosuch'; it has 15 queries"),
        (frame(FIRST, False), None, r"first: found rankings of the queries \"q0\" and \"q1\"; say which"),
        (frame(FIRST, False), "nosuch", r"first: there is no ranking of query \"nosuch\""),
        (["d", "e"], "q", r"first: it is the ranking of one query, so leave out query='q'"),
        ({"docno": ["d", "d"], "score": [2, 1]}, None, r"first: row 1: the document \"d\" is there twice"),
        ({"docno": ["d"], "score": [2]}, "q", r"first: it has no column of queries, so leave out query=\"q\""),
    ],
)
def test_which_query(ranking: Any, query: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rd.interleave(ranking, {"q": ["d"], "nosuch": ["d"]} if query else ["d"], query=query, seed=1)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nosuch.run"):
        rd.interleave(tmp_path / "nosuch.run", ["d"], seed=1)
    path = as_file(FIRST, False, tmp_path)
    with pytest.raises(ValueError, match="the run has 15 queries, expected one: say which, e.g. q0"):
        rd.interleave(path, ["d"], seed=1)


WIDE = {"qid": ["q", "q", "p", "p"], "label": [1, 0, 0, 2], "docno": ["d", "e", "d", "e"], "bm25": [2.0, 1.0, 0.5, 1.5], "ltr": [1.0, 2.0, 3.0, 4.0]}


@pytest.mark.parametrize("library", ["columns", "pandas", "polars", "lazy", "pyarrow", "duckdb", "stream"])
def test_wide_frames_and_arrays(library: str) -> None:
    expected = rd.Site.from_frame(WIDE)
    table: Any = WIDE
    if library in ("pandas", "polars", "lazy"):
        table = pytest.importorskip("polars" if library == "lazy" else library).DataFrame(WIDE)
        table = table.lazy() if library == "lazy" else table
    elif library != "columns":
        table = pytest.importorskip("pyarrow").table(WIDE)
        if library == "duckdb":
            table = pytest.importorskip("duckdb").from_arrow(table)
        elif library == "stream":
            table = Streamed(table)
    site = rd.Site.from_frame(table)
    assert site.description == expected.description and site.ndcg().tobytes() == expected.ndcg().tobytes()
    if library in ("pandas", "polars", "pyarrow"):
        scores = table[["bm25", "ltr"]] if library != "pyarrow" else table.select(["bm25", "ltr"])
        arrays = rd.Site.from_arrays(scores, table["label"], table["qid"], names=["bm25", "ltr"])
        assert arrays.ndcg().tobytes() == expected.ndcg().tobytes()
    with pytest.raises(KeyError, match="the frame has no column 'nosuch'"):
        rd.Site.from_frame(WIDE, rankers=["nosuch"])
    with pytest.raises(ValueError, match="row 1: the column 'bm25' has 'x'; expected a number"):
        rd.Site.from_frame({**WIDE, "bm25": [1.0, "x", 2.0, 3.0]}, rankers=["bm25", "ltr"])


def test_sparse_scores_are_arrays() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    scores = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    sites = [rd.Site.from_arrays(kind, [1, 0, 2], ["q", "q", "p"]) for kind in (scores, sparse.csr_array(scores))]
    assert sites[0].ndcg().tobytes() == sites[1].ndcg().tobytes()


JUDGEMENTS = {"first": ["a", "b", "c"] * 8, "second": ["b", "c", "a"] * 8, "winner": ["a", "tie", "a"] * 8, "judge": ["x", "y"] * 12}


@pytest.mark.parametrize("library", ["rows", "pandas", "polars", "lazy", "pyarrow", "duckdb", "stream"])
def test_boards_of_every_kind(library: str) -> None:
    expected = rd.Board(JUDGEMENTS)
    table: Any = [dict(zip(JUDGEMENTS, row)) for row in zip(*JUDGEMENTS.values())]
    if library in ("pandas", "polars", "lazy"):
        table = pytest.importorskip("polars" if library == "lazy" else library).DataFrame(JUDGEMENTS)
        table = table.lazy() if library == "lazy" else table
    elif library != "rows":
        table = pytest.importorskip("pyarrow").table(JUDGEMENTS)
        if library == "duckdb":
            table = pytest.importorskip("duckdb").from_arrow(table)
        elif library == "stream":
            table = Streamed(table)
    assert rd.Board(table).data == expected.data


SHOWN = {
    "impression": ["i", "j"],
    "time": [1.7e9, 1.7e9 + 9],
    "user": ["u", "v"],
    "shown": [["a", "b"], ["b", "c"]],
    "teams": [["A", "B"], ["B", None]],
}
CLICKS = {"impression": ["i"], "time": [1.7e9 + 1], "document": ["b"]}


@pytest.mark.parametrize("library", ["rows", "pandas", "arrays", "polars", "lazy", "pyarrow", "duckdb", "stream", "batches"])
def test_logs_of_every_kind(library: str) -> None:
    expected = rd.credit_frame(SHOWN, CLICKS, final=True)
    tables: list[Any] = []
    for columns in (SHOWN, CLICKS):
        table: Any = [dict(zip(columns, row)) for row in zip(*columns.values())]
        if library in ("pandas", "polars", "lazy"):
            table = pytest.importorskip("polars" if library == "lazy" else library).DataFrame(columns)
            table = table.lazy() if library == "lazy" else table
        elif library != "rows":
            pyarrow = pytest.importorskip("pyarrow")
            table = pyarrow.table(columns)
            if library == "arrays":
                pytest.importorskip("pandas")
                table = table.to_pandas()
            elif library == "duckdb":
                table = pytest.importorskip("duckdb").from_arrow(table)
            elif library == "stream":
                table = Streamed(table)
            elif library == "batches":
                table = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches())
        tables.append(table)
    assert rd.credit_frame(*tables, final=True) == expected


class Told:
    """A number that runs code when it is asked for."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __index__(self) -> int:
        self.array.resize(100_000, refcheck=False)
        return 7


def test_arrays_that_change_while_they_are_read() -> None:
    array = np.empty(3, dtype=object)
    array[:] = ["a", Told(array), "b"]
    with pytest.raises(ValueError, match="row 1: the column \"document\" has .* expected text, as in the rows before"):
        rd.Site.from_runs({"a": {"qid": ["q"] * 3, "docno": array, "score": [3, 2, 1]}}, {"q": {"a": 1}})


def test_names_of_any_sequence() -> None:
    names = ["a", "b", "c"]
    for kind in (np.array(names), *(pytest.importorskip(name).Series(names) for name in ("pandas", "polars")), pytest.importorskip("pyarrow").array(names), pytest.importorskip("pyarrow").chunked_array([names])):
        assert rd.Live(kind, seed=1).names == names
        assert rd.interleave(kind, ["c", "d"], seed=3) == rd.interleave(names, ["c", "d"], seed=3)
