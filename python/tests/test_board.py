"""Boards of judgements."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankduel as rd

STRENGTHS = {"plain": 0.0, "polite": 0.8, "terse": -0.6, "long": 0.3}


def judgements(rows: int, seed: int) -> list[dict[str, Any]]:
    """Synthetic judgements of four prompts by ten judges on fifty items."""
    rng = np.random.default_rng(seed)
    names = list(STRENGTHS)
    made = []
    for _ in range(rows):
        first, second = rng.choice(4, size=2, replace=False)
        ahead = STRENGTHS[names[first]] - STRENGTHS[names[second]]
        draw = rng.random()
        tie = 0.2
        winner = "tie" if draw < tie else "first" if draw < tie + (1 - tie) / (1 + np.exp(-ahead)) else "second"
        made.append(
            {
                "first": names[first],
                "second": names[second],
                "winner": winner,
                "item": int(rng.integers(50)),
                "judge": f"j{rng.integers(10)}",
            }
        )
    return made


ROWS = judgements(3_000, 1)


def test_the_best_is_named_and_every_form_says_the_same(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    frame = pandas.DataFrame(ROWS)
    frame.to_csv(tmp_path / "votes.csv", index=False)
    (tmp_path / "votes.jsonl").write_text("\n".join(json.dumps(row) for row in ROWS))
    board = rd.Board(ROWS)
    assert board.best == "polite"
    assert board.sentence.startswith("polite is best among 4: known to be stronger than every other ")
    assert board.table["name"] == ["polite", "long", "plain", "terse"]
    assert board.table["claim"] == ["best", "behind", "behind", "behind"]
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    for same in (
        frame,
        polars.DataFrame(ROWS),
        polars.DataFrame(ROWS).to_arrow(),
        columns,
        tmp_path / "votes.csv",
        str(tmp_path / "votes.jsonl"),
    ):
        assert rd.Board(same).table == board.table
    assert rd.Board(ROWS, threads=1).data == board.data


def test_strengths_are_those_that_made_the_judgements() -> None:
    board = rd.Board(ROWS, advice=False)
    mean = np.mean(list(STRENGTHS.values()))
    for name, strength, error in zip(board.table["name"], board.table["strength"], board.table["standard_error"]):
        # Four standard errors; ties of the making are not Davidson's, which shrinks nothing here.
        assert abs(strength - (STRENGTHS[str(name)] - mean)) < 4 * float(error) + 0.1
    matrix = board.matrix()
    assert matrix.arms == 4 and matrix.condorcet_winner == 0
    assert rd.bandit(matrix, "rucb", steps=100, runs=1).winners == [0]


def test_ties_by_rao_and_kupper_are_another_fit() -> None:
    fits = {ties: rd.Board(ROWS, advice=False, ties=ties).data["groups"][0] for ties in ("davidson", "rao-kupper")}
    assert all(group["ties"] == ties and group["tie"] > 0 for ties, group in fits.items())
    assert fits["davidson"]["tie"] != fits["rao-kupper"]["tie"]
    matrix = rd.Board(ROWS, advice=False, ties="rao-kupper").matrix()
    assert matrix.arms == 4 and matrix.condorcet_winner == 0
    with pytest.raises(ValueError, match="ties: expected davidson or rao-kupper, found elo"):
        rd.Board(ROWS, ties="elo")


def test_it_is_written_in_all_formats(tmp_path: Path) -> None:
    board = rd.Board(ROWS)
    board.save(tmp_path / "board")
    names = {path.name for path in (tmp_path / "board").iterdir()}
    assert names == {f"board.{ending}" for ending in ("txt", "md", "tex", "csv", "json", "png", "svg")}
    assert (tmp_path / "board/board.txt").read_text().splitlines()[0] == board.sentence
    assert board.to_markdown().startswith("**polite is best")
    assert board.to_latex().startswith("% needs") and board.to_latex(standalone=True).startswith("\\documentclass")
    assert "polite" in board.svg() and "polite" in board._repr_html_()
    with pytest.raises(ValueError, match="is not empty"):
        board.save(tmp_path / "board")


def test_claims_say_what_they_hold_for_and_of_whom() -> None:
    once, every = (rd.Board(ROWS, advice=False, looks=looks) for looks in ("once", "every"))
    assert (once.data["looks"], every.data["looks"]) == ("once", "every")
    assert "one look" in once.sentence and "every look" in every.sentence
    kinds = {one["kind"]: one for one in once.data["groups"][0]["populations"]}
    assert kinds["judge"]["count"] == 10 and kinds["item"]["count"] == 50 and kinds["judge"]["general"]
    assert 1 <= kinds["judge"]["effective"] <= 10
    assert once.data["groups"][0]["known_always"] <= once.data["groups"][0]["known_once"]


def test_a_session_stops_when_the_best_is_known() -> None:
    live = rd.Live(["a", "b", "c"], tolerance=0.1, seed=3)
    assert live.best() is None
    while live.best() is None:
        assert live.counts["answered"] < 1_000
        pair = live.ask()
        live.tell(pair.ticket, "first" if pair.first < pair.second else "second")
    assert live.best() == "a" and live.board().best == "a"
    with pytest.raises(ValueError, match="tolerance"):
        rd.Live(["a", "b"], tolerance=0.7)


def test_codes_of_winners_are_explained() -> None:
    codes, words = [1, 2, 3, 1, 9], ["x", "y", "tie", "x", "skip"]
    rows = [{"first": "x", "second": "y", "item": str(item), "winner": code} for item, code in enumerate(codes)]
    meanings = {1: "first", 2: "second", 3: "tie", 9: "skip"}
    coded = rd.Board(rows, winner_values=meanings)
    worded = rd.Board([{**row, "winner": word} for row, word in zip(rows, words, strict=True)])
    assert coded.sentence == worded.sentence and str(coded) == str(worded)
    with pytest.raises(ValueError, match="winner_values=1=left: expected a value and first"):
        rd.Board(rows, winner_values={1: "left"})


def test_faults_have_their_row_and_what_to_do() -> None:
    row = {"first": "x", "second": "y", "winner": "x"}
    with pytest.raises(ValueError, match=r"row 2: winner: found `z`, expected `x`, `y`"):
        rd.Board([row, {**row, "winner": "z"}])
    with pytest.raises(ValueError, match="found no columns of competitors"):
        rd.Board([{"one": "x", "two": "y", "winner": "x"}])
    with pytest.raises(ValueError, match="winner_is: expected auto, name"):
        rd.Board([row], winner_is="who")
    with pytest.raises(ValueError, match="clusters: expected auto, units"):
        rd.Board([row], clusters="users")
    with pytest.raises(ValueError, match="looks: expected once or every, found twice"):
        rd.Board([row], looks="twice")
    with pytest.raises(ValueError, match="tolerance: expected a share from 0 to below 0.5"):
        rd.Board([row], tolerance=0.5)
    with pytest.raises(ValueError, match="confidence: expected a confidence between 0 and 1"):
        rd.Board([row], confidence=95)
    with pytest.raises(ValueError, match="columns loser=second: expected e.g. first=base"):
        rd.Board([row], columns={"loser": "second"})
    with pytest.raises(ValueError, match="no column `win, ner`"):
        rd.Board([row], columns={"winner": "win, ner"})
    with pytest.raises(TypeError, match="expected a frame of judgements"):
        rd.Board(7)
    with pytest.raises(FileNotFoundError):
        rd.Board("no-such-file.csv")
    assert len(rd.Board([row, {**row, "winner": None}, row]).data["notes"]) == 1


def test_columns_that_name_the_item_together() -> None:
    pairs = [("a", "b", "a"), ("b", "a", "a"), ("b", "a", "b"), ("a", "b", "b")] * 10
    rows = [
        {"first": first, "second": second, "winner": winner, "q": str(n // 2), "part": str(n % 2)}
        for n, (first, second, winner) in enumerate(pairs)
    ]
    # Two judgements of each `q`, in both orders, and one of each `q` with its part.
    asked = [rd.Board(rows, columns={"item": item}).data["both_orders"]["asked"] for item in ("q", "q+part")]
    assert asked == [20, 0]


def test_a_model_beside_people() -> None:
    rng = np.random.default_rng(3)
    rows = []
    for item in range(200):
        for one, other in (("plain", "polite"), ("terse", "polite"), ("long", "plain"), ("long", "terse")):
            first, second = (one, other) if rng.random() < 0.5 else (other, one)
            ahead = STRENGTHS[first] - STRENGTHS[second]
            noise = rng.logistic()
            question = {"first": first, "second": second, "item": item}
            rows.append({**question, "judge": "gpt, 5", "winner": first if ahead + noise + (first == "long") > 0 else second})
            if rng.random() < 0.2:
                rows.append({**question, "judge": "ann" if item % 2 else "ben", "winner": first if ahead + noise > 0 else second})
    board = rd.Board(rows, gold=["ann", "ben"])
    model = board.data["model"]
    assert model["models"] == ["gpt, 5"] and sorted(model["people"]) == ["ann", "ben"]
    assert 0 < model["lambda"] <= 1 and model["width"] < 1
    assert board.advice is None and np.isnan(board.table["rank_best_every_look"]).all()
    assert {"model_minus_people", "model_minus_people_error"} <= set(board.table)
    assert "says the same in" in str(board) and board.to_markdown().count("says the same in") == 1
    # A single judge may be given as a text.
    only = [row for row in rows if row["judge"] != "ben"]
    assert rd.Board(only, gold="ann").data["model"]["people"] == ["ann"]
    copied = pickle.loads(pickle.dumps(board))
    assert copied.data == board.data
    with pytest.raises(ValueError, match="no judge of the table is called"):
        rd.Board(rows, gold=["gpt"])
    with pytest.raises(ValueError, match="one look"):
        rd.Board(rows, gold=["ann", "ben"], looks="every")
    assert "model" not in rd.Board(rows).data
    for refused in ({"covariates": ["length"]}, {"by": "item"}, {"discrimination": True}):
        with pytest.raises(ValueError, match=f"gold and {next(iter(refused))} exclude each other"):
            rd.Board(rows, gold=["ann", "ben"], **refused)  # type: ignore[arg-type]


def wordy() -> list[dict[str, Any]]:
    """Judgements in which longer answers are liked, and `long` writes more; two kinds of questions, six judges."""
    rng = np.random.default_rng(5)
    names = ["long", "short", "odd"]
    made = []
    for row in range(900):
        first, second = rng.choice(3, size=2, replace=False)
        words = [int(100 * (names[k] == "long") + rng.integers(300)) for k in (first, second)]
        ahead = (words[0] - words[1]) / 100
        winner = "first" if rng.random() < 1 / (1 + np.exp(-ahead)) else "second"
        kind = "code, hard" if row % 3 == 0 else "chat"
        judged = {"first": names[first], "second": names[second], "winner": winner, "kind": kind, "judge": f"j{row % 6}"}
        made.append(judged | {"words, of one": words[0], "words_b": words[1], "length": words[0] - words[1]})
    return made


def test_covariates_are_taken_out_of_strengths() -> None:
    rows = wordy()
    plain, adjusted = rd.Board(rows, advice=False), rd.Board(rows, covariates=["length"], advice=False)
    assert plain.best == "long" and plain.effects == [] and "plain_strength" not in plain.table.to_dict()
    assert adjusted.best is None and adjusted.sentence.endswith("Strengths are adjusted for length.")
    (effect,) = adjusted.effects
    assert effect["per"] == 100 and abs(effect["coefficient"]["value"] - 1) < 4 * effect["coefficient"]["error"]
    before = dict(zip(plain.table.to_dict()["name"], plain.table.to_dict()["strength"]))
    assert before == pytest.approx(dict(zip(adjusted.table.to_dict()["name"], adjusted.table.to_dict()["plain_strength"])))
    named = rd.Board(rows, covariates={"length": ("words, of one", "words_b")}, advice=False)
    assert named.data == adjusted.data
    assert pickle.loads(pickle.dumps(named)).data == named.data
    with pytest.raises(TypeError, match="a list of names"):
        rd.Board(rows, covariates="length")
    with pytest.raises(ValueError, match="found no column of the covariate `bold`.*covariates bold=DIFFERENCE"):
        rd.Board(rows, covariates=["bold"])


def test_categories_have_boards_of_their_own() -> None:
    rows = wordy()
    board = rd.Board(rows, by="kind", mix={"code, hard": 0.5, "chat": 0.5}, advice=False)
    assert list(board.categories) == ["code, hard", "chat"]
    assert [board.categories[name]["judgements"] for name in board.categories] == [300, 600]
    assert board.categories["chat"]["level"] == pytest.approx(0.975) and board.data["level"] == 0.95
    assert board.table.to_dict()["category"] == ["(all)"] * 3 + ["code, hard"] * 3 + ["chat"] * 3
    assert board.dependent == [] and rd.Board(rows, advice=False).categories == {}
    with pytest.raises(ValueError, match="chat has no share"):
        rd.Board(rows, by="kind", mix={"code, hard": 1})
    with pytest.raises(ValueError, match="mix weighs the categories of by"):
        rd.Board(rows, mix={"chat": 1})


def test_judges_have_slopes() -> None:
    board = rd.Board(ROWS, discrimination=True, advice=False)
    assert sorted(one["judge"] for one in board.judges) == sorted(f"j{k}" for k in range(10))
    assert all(low < one["slope"] < high for one in board.judges for low, high in [one["interval"]])
    assert rd.Board(ROWS, advice=False).judges == []


def test_strengths_are_drawn() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    board = rd.Board(ROWS, advice=False)
    ax = board.plot()
    rows = board.table.to_dict()
    assert [label.get_text() for label in ax.get_yticklabels()] == rows["name"]
    assert " ".join(ax.get_title(loc="left").split()) == board.sentence
    # The intervals of the figure, and its ranks.
    spans = [sorted(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2]
    for strength, error in zip(rows["strength"], rows["standard_error"]):
        ends = [strength - 1.96 * error, strength + 1.96 * error]
        assert any(span == pytest.approx(ends, abs=1e-3) for span in spans)
    assert len(ax.child_axes[0].get_yticklabels()) == len(rows["strength"])
    import matplotlib.pyplot as plt

    other = plt.subplots()[1]
    assert board.plot(other) is other
    plt.close("all")
