"""Sessions with judges."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankduel as rd


def judged(live: rd.Live, count: int, seed: int = 0, names: str = "abcdefgh") -> list[rd.live.Pair]:
    """Answers of judges who prefer names that come first."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        pair = live.ask()
        ahead = names.index(pair.second) - names.index(pair.first)
        live.tell(pair.ticket, "first" if rng.random() < 1 / (1 + np.exp(-ahead)) else "second")
        pairs.append(pair)
    return pairs


def test_the_best_is_named_soon() -> None:
    right = 0
    for seed in range(10):
        live = rd.Live(list("abcdefgh"), seed=seed)
        judged(live, 150, seed)
        right += live.recommend() == "a" == live.ranking()[0][0]
    assert right >= 9


@pytest.mark.parametrize("settings", [{}, {"policy": "self-sparring"}, {"goal": "order"}, {"goal": "uniform", "both": True}, {"repeat": 0.2}])
def test_a_file_goes_on_where_it_was(tmp_path: Path, settings: dict[str, object]) -> None:
    live = rd.Live(list("abcd"), items=["x", "y\nz"], seed=3, **settings)  # type: ignore[arg-type]
    judged(live, 60, 1)
    open_pairs = live.ask(5, judge="ann")
    path = tmp_path / "judge.jsonl"
    live.save(path)
    first = path.read_bytes()
    again = rd.Live.load(path)
    assert again.open == open_pairs == live.open and again.counts == live.counts and again.status == live.status
    assert again.judgements().to_csv() == live.judgements().to_csv()
    again.tell(open_pairs[2].ticket, "both bad")
    live.tell(open_pairs[2].ticket, "both bad")
    assert judged(again, 30, 2) == judged(live, 30, 2)
    again.save(path)
    assert path.read_bytes().startswith(first) and len(path.read_bytes()) > len(first)
    # The other one has the same events: there is nothing to add.
    live.save(path)
    live.ask()
    live.save(path)
    again.forget(again.ask(judge="bob").ticket)
    with pytest.raises(ValueError, match="holds something else, or events that this session does not have"):
        again.save(path)


def test_the_command_line_reads_and_writes_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    live = rd.Live(["a", "b", "c"], items=["x", "y"], seed=5)
    pair = live.ask()
    live.save(path)

    def call(*words: str) -> str:
        command = [sys.executable, "-m", "rankduel", "next", "--state", str(path), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    shown = json.loads(call("--answer", f"{pair.ticket}=first", "--judge", "ann"))
    live.tell(pair.ticket, "first", "ann")
    ours = live.ask("ann")
    assert [shown[key] for key in ("ticket", "first", "second", "item")] == [ours.ticket, ours.first, ours.second, ours.item]
    live.save(path)
    # Then the leader so far.
    assert call("--status").startswith(rd.Live.load(path).status)
    call("--export", str(tmp_path / "votes.csv"))
    assert (tmp_path / "votes.csv").read_bytes() == live.judgements().to_csv()


def test_judgements_are_a_table_of_texts() -> None:
    live = rd.Live(["1", "2"], seed=1)
    for verdict in ("first", "second", "tie", "both bad"):
        live.tell(live.ask().ticket, verdict)
    frame = live.judgements()
    assert frame.columns == ["first", "second", "winner", "item", "judge", "ticket"]
    assert set(frame["first"]) | set(frame["second"]) == {"1", "2"}
    assert list(frame["winner"]) == ["first", "second", "tie", "both bad"] and list(frame["judge"]) == [None] * 4
    again = pickle.loads(pickle.dumps(frame))
    assert list(again["first"]) == list(frame["first"]) and again.to_csv() == frame.to_csv()
    assert live.counts["ties"] == 2 and live.counts["both_bad"] == 1


def test_clicks_on_mixed_lists_are_verdicts() -> None:
    lists = {"good": ["a", "b", "c"], "bad": ["c", "d", "e"], "worse": ["e", "f", "g"]}
    live = rd.Live(list(lists), seed=2)
    for impression in range(80):
        pair = live.ask()
        mixed = rd.interleave(lists[pair.first], lists[pair.second], length=4, seed=impression)
        live.tell(pair.ticket, mixed.credit(clicked=[document for document in mixed.shown if document in "ab"]))
    assert live.recommend() == "good"


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    class Own(rd.Policy):
        pass

    for arguments, error, message in [
        ({"names": ["a"]}, ValueError, "names: expected 2 to 2000 competitors, found 1"),
        ({"names": ["a", "a"]}, ValueError, "names 1 and 2 are both `a`"),
        ({"names": "ab"}, TypeError, "names: expected several texts"),
        ({"names": ["a", 1]}, TypeError, "found 1 in place 2"),
        ({"names": ["a", "b"], "items": ["x", "x"]}, ValueError, "items 1 and 2 are the same"),
        ({"names": ["a", "b"], "policy": "rubc"}, ValueError, "did you mean `rucb`"),
        ({"names": ["a", "b"], "policy": Own}, TypeError, "a policy of your own cannot be made again"),
        ({"names": ["a", "b"], "goal": "worst"}, ValueError, "goal: expected best, order or uniform"),
        ({"names": ["a", "b"], "repeat": float("nan")}, ValueError, "repeat: expected a share"),
        ({"names": ["a", "b"], "repeat": 0.9}, ValueError, "repeat: expected a share"),
        ({"names": ["a", "b"], "seed": 1.5}, ValueError, "seed: expected a whole number, found 1.5"),
    ]:
        with pytest.raises(error, match=message):
            rd.Live(**arguments)  # type: ignore[arg-type]
    live = rd.Live(["a", "b"])
    pair = live.ask(judge="ann")
    for ticket, verdict, judge, message in [
        (pair.ticket, "third", None, "expected the verdict first, second, tie or both bad"),
        (pair.ticket, "tie", "bob", "was given to judge `ann`"),
        ("7", "tie", None, "expected a ticket"),
        ("9-00000000", "tie", None, "was never given out"),
    ]:
        with pytest.raises(ValueError, match=message):
            live.tell(ticket, verdict, judge)
    with pytest.raises(TypeError, match="named twice"):
        live.ask("ann", judge="ann")
    assert live.counts["answered"] == 0 and live.recommend() is None
    live.tell(pair.ticket, "tie")
    with pytest.raises(ValueError, match="already answered `tie`"):
        live.forget(pair.ticket)
    with pytest.raises(FileNotFoundError):
        rd.Live.load(tmp_path / "none.jsonl")


def test_mistakes_are_taken_back(tmp_path: Path) -> None:
    live = rd.Live(["a", "b"], items=["x", "y"], seed=1)
    assert live.undo() is None
    first = live.ask(judge="ann")
    live.tell(first.ticket, "first", note="the\nother lies")
    assert live.judgements().to_dict()["note"] == ["the\nother lies"]
    with pytest.raises(ValueError, match="was given to judge `ann`"):
        live.take_back(first.ticket, judge="bob")
    assert live.undo("bob") is None and live.undo("ann") == first.ticket and live.open == [first]
    with pytest.raises(ValueError, match="nothing to take back"):
        live.take_back(first.ticket)
    live.tell(first.ticket, "tie")
    assert "note" not in live.judgements().to_dict() and live.counts["answered"] == live.counts["ties"] == 1
    live.forget(live.ask(judge="ann").ticket)
    live.undo("ann")
    live.save(tmp_path / "judge.jsonl")
    assert rd.Live.load(tmp_path / "judge.jsonl").open == live.open
    with pytest.raises(ValueError, match="at most 2,000 characters, found 0"):
        live.tell(live.open[0].ticket, "tie", note="")


def test_a_pair_says_whom_to_ask(tmp_path: Path) -> None:
    live = rd.Live(["a", "b", "c"], model="gpt", people=["ann", "ben"], model_cost=0.02, seed=3)
    rng = np.random.default_rng(1)
    asked = {"gpt": 0, "ann": 0, "ben": 0}
    while live.best() is None and sum(asked.values()) < 2_000:
        pair = live.ask()
        asked[pair.judge] += 1
        ahead = "first" if pair.first < pair.second else "second"
        live.tell(pair.ticket, ahead if pair.judge != "gpt" or rng.random() < 0.9 else "tie")
    assert live.best() == "a" and asked["ann"] + asked["ben"] < asked["gpt"], asked
    assert "gpt answered" in live.status and "said the same in" in live.status
    live.save(tmp_path / "both.jsonl")
    again = rd.Live.load(tmp_path / "both.jsonl")
    assert again.best() == "a" and again.ask().judge == live.ask().judge
    assert "model's answers are corrected" in str(again.board(advice=False))
    with pytest.raises(ValueError, match="`eve` is neither the model `gpt` nor one of its people"):
        live.ask(judge="eve")
    with pytest.raises(ValueError, match="people: they audit a model"):
        rd.Live(["a", "b"], people=["ann"])
    with pytest.raises(ValueError, match="model_cost: expected what an answer costs"):
        rd.Live(["a", "b"], model="gpt", people=["ann"], model_cost=2)


def test_damaged_files_are_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    live = rd.Live(list("abc"), seed=1)
    judged(live, 5)
    live.save(path)
    good = path.read_text()
    path.write_text(good.replace('"ticket":3,"verdict":"', '"ticket":3,"verdict":"both bad', 1))
    with pytest.raises(ValueError, match="judge.jsonl: line 7: "):
        rd.Live.load(path)
    path.write_text(good[:-10])
    with pytest.warns(rd.RankduelWarning, match="its last line was cut off"):
        torn = rd.Live.load(path)
    assert torn.counts["answered"] == 4 and torn.counts["open"] == 1
    # Saved again, the line is whole.
    live.save(path)
    assert path.read_text() == good
    path.write_text("first,second,winner\na,b,a")
    with pytest.raises(ValueError, match="line 1: expected the event `created`"):
        rd.Live.load(path)
    with pytest.raises(ValueError, match="holds something else"):
        live.save(path)
    assert path.read_text() == "first,second,winner\na,b,a"


def test_the_board_of_a_session() -> None:
    live = rd.Live(["a", "b", "c"], goal="uniform", seed=3)
    with pytest.raises(ValueError, match="the table has 0 judgements"):
        live.board()
    for pair in live.ask(150):
        live.tell(pair.ticket, "first" if pair.first < pair.second else "second")
    board = live.board(advice=False)
    assert board.sentence.startswith("a is best among 3") and board.best == "a"
    assert board.data["notes"] == []
    chosen = rd.Live(["a", "b"], seed=3)
    pair = chosen.ask()
    chosen.ask()
    chosen.tell(pair.ticket, "tie")
    notes = chosen.board().data["notes"]
    assert len(notes) == 2 and notes[0].startswith("Earlier verdicts chose the later pairs") and notes[1].startswith("1 of ")
    with pytest.raises(TypeError, match="no argument 'columns'"):
        live.board(columns={})
