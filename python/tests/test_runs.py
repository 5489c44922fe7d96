"""TREC runs and judgments as rankers and data."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_parity import SMALL, ran

import rankduel as rd

Lists = dict[str, dict[str, float]]


class Scored(NamedTuple):
    """As ir_measures has them."""

    query_id: str
    doc_id: str
    score: float


class Ranx:
    """A run as ranx has it, as far as it matters here."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists

    def to_dict(self) -> Lists:
        return self.lists


def made_up() -> tuple[dict[str, Lists], dict[str, dict[str, int]]]:
    rng = np.random.default_rng(1)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(8)} for q in range(20)}
    runs = {
        name: {
            query: {document: label + float(rng.normal(0, noise)) for document, label in judged.items() if rng.random() < 0.9}
            for query, judged in qrels.items()
        }
        for name, noise in (("bm25", 2.0), ("ltr", 0.5))
    }
    return runs, qrels


def frame(lists: Lists, names: tuple[str, str, str]) -> Any:
    pandas = pytest.importorskip("pandas")
    rows = [(query, document, value) for query, documents in lists.items() for document, value in documents.items()]
    return pandas.DataFrame(rows, columns=list(names))


FORMS: dict[str, Callable[[Lists], Any]] = {
    "dictionaries": lambda lists: lists,
    "tuples": lambda lists: [Scored(q, d, value) for q, documents in lists.items() for d, value in documents.items()],
    "ranx": Ranx,
    "PyTerrier": lambda lists: frame(lists, ("qid", "docno", "score")),
    "ir_measures": lambda lists: frame(lists, ("query_id", "doc_id", "score")),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_are_the_same_site_as_files(form: str, tmp_path: Path) -> None:
    runs, qrels = made_up()
    for name, lists in runs.items():
        lines = (f"{q} Q0 {d} 0 {score!r} tag" for q, documents in lists.items() for d, score in documents.items())
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {label}\n" for q, ds in qrels.items() for d, label in ds.items()))
    files = rd.Site.from_runs([tmp_path / "bm25.run", tmp_path / "ltr.run"], tmp_path / "qrels")
    make = FORMS[form]
    judged = make(qrels)  # type: ignore[arg-type]
    if hasattr(judged, "rename"):
        judged = judged.rename(columns={"score": "relevance" if form == "ir_measures" else "label"})
    site = rd.Site.from_runs({name: make(lists) for name, lists in runs.items()}, judged)
    assert site.description == files.description
    assert [site.arm_name(arm) for arm in range(site.arms)] == ["bm25", "ltr"]
    study = site.live(["rucb", "random"], steps=3000, runs=2)
    words = ("--rankings", "bm25.run,ltr.run", "--qrels", "qrels", "--algorithms", "rucb,random", "--quiet", "--out", "o")
    assert ran(*words, *SMALL, folder=tmp_path) == str(study) + "\n"
    again = pickle.loads(pickle.dumps(site))
    assert again.description == site.description and again.live("rucb", steps=100, runs=1).runs == site.live(
        "rucb", steps=100, runs=1
    ).runs


def test_options() -> None:
    runs = {"a": {"q": {"x": 1.0, "y": 1.0}}, "b": {"q": {"y": 2.0, "z": 1.0}}}
    qrels = {"q": {"x": 1, "y": 0}}
    by_number = rd.Site.from_runs(runs, qrels)
    tied = rd.Site.from_runs(runs, qrels, run_ties="keep", click="perfect", shown=5)
    assert by_number.ndcg()[0] < tied.ndcg()[0] and tied.description["shown"] == 5
    assert rd.Site.from_runs(runs, qrels, unjudged="remove").description["dataset"]["documents"] == 2
    assert not by_number.synthetic
    note = rd.Site.from_runs(runs, qrels, synthetic=True, name="made up").live("random", steps=10, runs=1)
    assert "synthetic data: made up is generated" in str(note)


@pytest.mark.parametrize(
    ("runs", "qrels", "error", "message"),
    [
        ({"a": {"q": {"d": float("nan")}}}, {"q": {"d": 1}}, ValueError, "run a: expected a number for query q, document d"),
        ({"a": {"q": {"d d": 1}}}, {"q": {"d": 1}}, ValueError, 'run a: expected a document without spaces, found "d d"'),
        ({"a": {}}, {"q": {"d": 1}}, ValueError, "run a: there is no document in it"),
        ({"a": {"q": {"d": 1}}}, {"q": {"d": 0.5}}, ValueError, "qrels: expected whole labels, found 0.5"),
        ({"a": {"q": {"d": 1}}}, {"q": {"d": 9}}, ValueError, "qrels: row 0: label `9` is out of range"),
        ({"a": [("q", "d", 1), ("q", "d", 2)]}, {"q": {"d": 1}}, ValueError, "run a: row 1: document `d` recurs in query q; it occurs first in row 0: keep one of the rows"),
        ({"a": {"q": {"d": 1}}}, {"z": {"d": 1}}, ValueError, "no query in common"),
        ({"a": {"q": {"d": 1}}}, {"q": {"d": 1}}, ValueError, "two rankers"),
        ({"a": [3]}, {"q": {"d": 1}}, ValueError, "or tuples of query, document and score, found 3"),
        (["nosuch.run"], "nosuch", FileNotFoundError, "nosuch.run"),
    ],
)
def test_refusals(runs: Any, qrels: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        rd.Site.from_runs(runs, qrels)
    assert message in str(raised.value) and "\n" not in str(raised.value) and "/tmp" not in str(raised.value)


def test_unknown_arguments() -> None:
    with pytest.raises(TypeError, match=r"from_runs\(\) has no argument 'klick'; did you mean 'click'\?"):
        rd.Site.from_runs({"a": {"q": {"d": 1}}}, {"q": {"d": 1}}, klick="perfect")  # type: ignore[call-arg]


def test_scores_and_names_beside_data(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("2 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:3\n")
    (tmp_path / "model.txt").write_text("0.1\n0.9\n")
    (tmp_path / "names.txt").write_text("bm25\nage\n")
    site = rd.Site(tmp_path / "data.txt", scores=[f"ltr={tmp_path}/model.txt"], use_cache=False)
    assert site.arms == 3 and site.arm_name(2) == "ltr"
    named = rd.Site(tmp_path / "data.txt", names=tmp_path / "names.txt", rankers=["age", "bm25"], use_cache=False)
    assert [named.arm_name(arm) for arm in range(2)] == ["age", "bm25"]


def test_labels_of_a_model_are_corrected_by_those_of_people(tmp_path: Path) -> None:
    runs, people = made_up()
    rng = np.random.default_rng(2)
    # The model is too kind; people label half of its documents, by lot.
    judged = {query: {d: min(label + 1, 2) for d, label in documents.items()} for query, documents in people.items()}
    some = {
        query: {str(d): documents[str(d)] for d in rng.permutation(sorted(documents))[:4]} for query, documents in people.items()
    }
    found = rd.inspect(runs=runs, qrels=some, judged=judged, measures="P(rel=2)@5")
    corrected = found.data["measures"]["judged"]["measures"][0]
    whole = rd.inspect(runs=runs, qrels=people, measures="P(rel=2)@5").data["measures"]["rankers"]
    for run, truth in zip(corrected["runs"], whole):
        low, high = run["interval"]
        assert low < truth["values"][0] < high, (run, truth)
    # As files, and from the command line.
    texts = {"people.txt": some, "model.txt": judged}
    for name, labels in texts.items():
        rows = [f"{query} 0 {document} {label}\n" for query, documents in labels.items() for document, label in documents.items()]
        (tmp_path / name).write_text("".join(rows))
    again = rd.inspect(runs=runs, qrels=[tmp_path / "people.txt"], judged=[tmp_path / "model.txt"], measures="P(rel=2)@5")
    assert again.data["measures"]["judged"] == found.data["measures"]["judged"]
    with pytest.raises(ValueError, match="judged belongs to runs and qrels"):
        rd.inspect("x.txt", judged=judged)
    with pytest.raises(RuntimeError, match="expected 5 or more"):
        rd.inspect(runs=runs, qrels=some, judged=judged, measures="nDCG@10")
