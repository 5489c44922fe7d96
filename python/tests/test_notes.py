"""Notes of the command line as warnings, counts as matrices, and what is said of wrong arguments."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import cli

import rankduel as rd

NAN = float("nan")
GOOD = {f"q{q}": {f"d{d}": 10.0 - d for d in range(10)} for q in range(20)}
OTHER = {f"{q}": {f"d{d}": 10.0 - d for d in range(10)} for q in range(20)}
QRELS = {f"q{q}": {"d0": 2, "d1": 1} for q in range(20)}


def noted(work: Any) -> list[str]:
    """The notes of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(warning.filename == __file__ for warning in caught if warning.category is rd.RankduelWarning)
    return [str(warning.message) for warning in caught if warning.category is rd.RankduelWarning]


def test_runs_without_judged_queries_are_told() -> None:
    notes = noted(lambda: rd.Site.from_runs({"good": GOOD, "bad": OTHER}, QRELS))
    assert any("nothing was retrieved by bad for 20 queries" in note for note in notes), notes
    assert any("80% of the retrieved documents are not judged" in note for note in notes), notes
    assert any("left out 20 queries of the runs without judgments" in note for note in notes), notes
    assert issubclass(rd.RankduelWarning, UserWarning)


def test_notes_are_those_of_the_command_line(tmp_path: Path) -> None:
    def lines(run: dict[str, dict[str, float]]) -> str:
        return "".join(f"{q} Q0 {d} 0 {score} t\n" for q, documents in run.items() for d, score in documents.items())

    (tmp_path / "good.run").write_text("# head\n" + lines(GOOD))
    (tmp_path / "bad.run").write_text(lines(OTHER))
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {label}\n" for q, ds in QRELS.items() for d, label in ds.items()))
    runs = [str(tmp_path / "good.run"), str(tmp_path / "bad.run")]
    found = cli("inspect", "--rankings", ",".join(runs), "--qrels", "qrels", "--out", "i", folder=tmp_path)
    printed = [line.removeprefix("note: ") for line in found.stderr.decode().splitlines() if line.startswith("note: ")]
    assert any("skipped 1 comment line" in note for note in printed), printed
    of_runs = noted(lambda: rd.Site.from_runs(runs, str(tmp_path / "qrels"), credit_ties="same"))
    assert of_runs == printed
    inspected = ["inspect", "--rankings", ",".join(runs), "--qrels", str(tmp_path / "qrels"), "--out"]
    assert noted(lambda: rd.command(*inspected, str(tmp_path / "j"))) == printed
    assert noted(lambda: rd.command(*inspected, str(tmp_path / "k"), "--quiet")) == []


@pytest.mark.parametrize("library", ["dict", "pandas", "polars"])
def test_scores_against_the_ranks_of_a_frame_are_noted(library: str) -> None:
    distances = {"q_id": ["1", "1", "1", "2", "2"], "doc_id": list("abcab"), "score": [0.1, 0.2, 0.3, 0.5, 0.6]}
    qrels = {"1": {"a": 1, "b": 0}, "2": {"b": 1, "a": 0}}

    def said(**ranks: list[Any]) -> list[str]:
        columns: Any = {**distances, **ranks}
        frame = columns if library == "dict" else pytest.importorskip(library).DataFrame(columns)
        return [note for note in noted(lambda: rd.inspect(runs={"x": frame, "y": qrels}, qrels=qrels)) if "ranks" in note]

    (note,) = said(rank=[1, 2, 3, 1, 2])
    assert note.startswith("in 2 of 2 queries the scores of x rise with its ranks")
    assert said(rank=[3, 2, 1, 2, 1]) == said(rank=list("vwxyz")) == said() == []


def test_win_counts_are_read_and_noted(tmp_path: Path) -> None:
    wins = np.array([[NAN, 6, NAN, 4], [4, 0, NAN, 3], [NAN, NAN, NAN, 9], [2, 1, 3, NAN]])
    made: list[rd.Matrix] = []
    (note,) = noted(lambda: made.append(rd.Matrix(wins, name="wins")))
    assert "wins holds win counts of 32 comparisons" in note and "2 of 6 pairs were never compared" in note
    (matrix,) = made
    assert matrix.values[0].tolist() == [0.5, 0.6, 0.5, 4 / 6]
    assert matrix.winner.startswith("2 of 6 pairs were never compared and count as 1/2; ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rd.RankduelWarning)
        found = rd.analyse(matrix, samples=0)
        again = pickle.loads(pickle.dumps(matrix))
        study = rd.bandit(matrix, "random", steps=100, runs=1)
    assert found.data["never_compared"] == {"pairs": 2, "of": 6}
    assert found.text.index("never compared") < found.text.index("Condorcet winner")
    assert study.truth.startswith("2 of 6 pairs were never compared")
    assert (again.winner, again.name) == (matrix.winner, "wins")
    # By its name, and once: the command would name a file that the caller does not have.
    assert [text for text in noted(lambda: rd.analyse(matrix, samples=0)) if "win counts" in text] == [note]
    assert noted(lambda: rd.analyse([[0, 3], [1, 0]], samples=0)) == noted(lambda: rd.Matrix([[0, 3], [1, 0]]))
    assert matrix.subset([0, 1, 3]).winner.startswith("Condorcet winner")
    file = tmp_path / "wins.csv"
    file.write_text(";a;b\na;;3,5\nb;1,5;\n")
    assert any("win counts of 5 comparisons" in note for note in noted(lambda: rd.Matrix.open(file)))
    assert noted(lambda: rd.Matrix([[50, 70], [30, 50]])) == ["matrix holds percentages: pairs sum to 100"]
    assert noted(lambda: rd.Matrix([[0.5, 0.7], [0.3, NAN]])) == []


def test_frames_of_data_are_counts() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[None, 3], [1, None]], index=["a", "b"], columns=["a", "b"])
    with pytest.warns(rd.RankduelWarning, match="win counts of 4 comparisons"):
        assert rd.Matrix(frame).values.tolist() == [[0.5, 0.75], [0.25, 0.5]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[0, 3], [1, 2]], "an arm cannot win 2 times against itself"),
        ([[0.5, NAN], [NAN, 0.5]], "expected a probability, found nothing"),
        ([[0, 3], [1.5, 0]], "are not a whole number of comparisons"),
        ([[0.5, 0.7], [0.4, 0.5]], "sum to"),
    ],
)
def test_what_is_no_matrix_is_a_value_error(values: Any, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=expected):
        rd.Matrix(values)
    np.save(tmp_path / "P.npy", np.array(values, dtype=float))
    for wrong in (lambda: rd.Matrix.open(tmp_path / "P.npy"), lambda: rd.analyse(tmp_path / "P.npy")):
        with pytest.raises(ValueError, match=expected):
            wrong()


def test_columns_of_pyterrier_are_no_rankers() -> None:
    frame = {
        "qid": ["1", "1", "2", "2"],
        "docid": [11, 12, 13, 14],
        "docno": ["a", "b", "c", "d"],
        "rank": [0, 1, 0, 1],
        "score": [2.0, 1.0, 4.0, 3.0],
        "query": ["x", "x", "y", "y"],
        "query_0": ["x", "x", "y", "y"],
        "ours": [1.0, 2.0, 3.0, 4.0],
        "label": [1, 0, 0, 1],
    }
    sites: list[rd.Site] = []
    notes = noted(lambda: sites.append(rd.Site.from_frame(frame, credit_ties="same")))
    assert [sites[0].arm_name(arm) for arm in range(sites[0].arms)] == ["score", "ours"]
    assert any(note.startswith("left out docid, rank, query, query_0: not scores of rankers") for note in notes)
    named = rd.Site.from_frame(frame, rankers=["rank", "score"])
    assert [named.arm_name(arm) for arm in range(2)] == ["rank", "score"]


def test_warnings_of_parameters_and_delays_are_notes(tmp_path: Path) -> None:
    words = ["--steps", "1000", "--runs", "1", "--out", "o"]
    printed = cli("bandit", "--problem", "arithmetic:k=4", "--algorithms", "rucb:alpha=0.3", *words, folder=tmp_path)
    (warning,) = [line.removeprefix("warning: ") for line in printed.stderr.decode().splitlines() if "warning: " in line]
    assert noted(lambda: rd.bandit("arithmetic:k=4", "rucb:alpha=0.3", steps=1_000, runs=1)) == [warning]
    notes = noted(lambda: rd.bandit("arithmetic:k=4", "btm", steps=1_000, runs=1, delay=10))
    assert any("waits for each answer pair by pair" in note for note in notes), notes


def test_whole_floats_are_counts_everywhere(site: rd.Site) -> None:
    matrix = site.proxy(impressions_per_pair=1e2)
    assert matrix.comparisons[0, 1] == 100
    assert np.array_equal(matrix.values, site.proxy(impressions_per_pair=100).values)
    site.sensitivity(["sosm"], compared=3.0, impressions=1e1, draws=2.0)
    assert rd.interleave(["a", "b"], ["b", "a"], length=2.0, seed=3.0).shown  # type: ignore[arg-type]
    for wrong in (1.5, 0, -3, "many"):
        with pytest.raises(ValueError, match="impressions_per_pair: expected"):
            site.proxy(impressions_per_pair=wrong)  # type: ignore[arg-type]


def test_wrong_arguments_are_named(site: rd.Site) -> None:
    for threads in (-1, 0, 1.5):
        with pytest.raises(ValueError, match="threads: expected a number from 1, or None for all cores"):
            rd.bandit("arithmetic:k=4", "random", steps=10, runs=1, threads=threads)  # type: ignore[arg-type]
    for wrong in (None, 3, [None], [3, "rucb"], [int]):
        with pytest.raises(TypeError, match="algorithms: expected names, e.g. 'rucb', or subclasses of rd.Policy, found "):
            rd.bandit("arithmetic:k=4", wrong, steps=10, runs=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed: expected a number from 0 to 2\\^64 - 1, found -5"):
        rd.interleave(["a"], ["b"], seed=-5)
    with pytest.raises(TypeError, match=r"play there with site\.live"):
        rd.bandit(site, "random")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a run needs a name unless it is a file"):
        rd.Site.from_runs([GOOD], QRELS)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="by the name of each run"):
        rd.Site.from_runs(GOOD, QRELS)
    with pytest.raises(ValueError, match="does not begin with #"):
        rd.Site.from_runs({"a": {"#1": {"d": 1.0}}}, QRELS)


def test_names_results_and_tables_are_short(matrix: rd.Matrix) -> None:
    assert not [name for name in dir(rd) if name in {"trec", "flags", "notes", "settings", "commands"}]
    assert set(rd.__all__) == set(dir(rd))
    found = rd.analyse(matrix)
    assert len(repr(found)) < 300 and "ranking" in repr(found)
    study = rd.bandit("arithmetic:k=4", ["rucb", "random"], steps=1_000, runs=2)
    for frame in (study.curves, study.runs, study.every_run):
        assert frame.columns[0] == "algorithm" and frame.columns[-1] == "label"
        pairs = set(zip(frame["algorithm"], frame["label"]))
        assert pairs == set(zip(study.algorithms, study.labels)) and "rucb" in frame["label"]
    # Every row of a table such as the fates of a log, in which any may matter.
    fates = rd.Frame.from_csv(("fate,count\n" + "".join(f"fate-{row},{row}\n" for row in range(24))).encode())
    assert all(f"fate-{row}" in str(fates) and f"fate-{row}" in fates._repr_html_() for row in range(24))
    assert str(study.every_run).endswith(f"... the first 10 of {len(study.every_run)} rows")


def test_multileaved_proofs_are_called_that(site: rd.Site) -> None:
    study = site.live(["rucb", "mdb"], steps=2_000, runs=1, stop_when=0.95, truth_effort=0.05)
    assert study.runs["proven_by"] == ["pairs", "multileaving by sosm"]
    assert [one["evidence"]["proven_by"] for one in study.summary] == ["pairs", "multileaving by sosm"]
    assert "mdb*" in study.report
