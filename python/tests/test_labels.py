"""Matrices with names: in frames, dictionaries and arrays, for `Matrix`, `analyse` and `Board`."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rankduel as rd
from rankduel.client import Client

pandas = pytest.importorskip("pandas")
NAMES = ["ann", "bob", "cat"]
WINS = [[0, 40, 35], [10, 0, 30], [15, 20, 0]]
FRAME = pandas.DataFrame(WINS, index=NAMES, columns=NAMES)


def forms() -> dict[str, Any]:
    columns = {name: [row[place] for row in WINS] for place, name in enumerate(NAMES)}
    found = {
        "index": FRAME,
        "reset_index": FRAME.reset_index(),
        "dictionaries": {name: dict(zip(NAMES, row)) for name, row in zip(NAMES, WINS)},
        # Keys have no order of their own.
        "other order within": {name: dict(reversed([*zip(NAMES, row)])) for name, row in zip(NAMES, WINS)},
        "columns": {"name": NAMES, **columns},
        "rows": [{"name": name, **dict(zip(NAMES, row))} for name, row in zip(NAMES, WINS)],
    }
    for library in ("polars", "pyarrow"):
        module = pytest.importorskip(library)
        make = module.DataFrame if library == "polars" else module.table
        found[library] = make({"name": NAMES, **columns})
    return found


@pytest.mark.filterwarnings("ignore::rankduel.RankduelWarning")
@pytest.mark.parametrize("form", forms())
def test_names_are_kept(form: str) -> None:
    matrix = rd.Matrix(forms()[form])
    assert matrix.names == NAMES and matrix.arm_name(1) == "bob"
    assert matrix.values[0, 1] == 0.8 and matrix.condorcet_winner == 0
    assert pickle.loads(pickle.dumps(matrix)).names == copy.deepcopy(matrix).names == NAMES
    assert rd.analyse(forms()[form]).tables["ranking"].to_dict()["name"] == NAMES
    assert rd.Board(matrix).sentence == rd.Board(FRAME).sentence


def test_rows_and_columns_in_other_orders_are_refused_as_in_files(tmp_path: Any) -> None:
    moved = FRAME[["cat", "ann", "bob"]]
    moved.to_csv(tmp_path / "moved.csv")
    words = "rows and columns name the same arms in the same order"
    others = FRAME.set_axis(["x", "y", "z"], axis=1)
    for read in (
        lambda: rd.Matrix(moved),
        lambda: rd.Matrix(moved.reset_index()),
        lambda: rd.Matrix(others),
        lambda: rd.Board(moved),
        lambda: rd.Board(others),
        lambda: rd.Matrix.open(tmp_path / "moved.csv"),
        lambda: rd.Matrix(pandas.DataFrame(WINS, index=[2, 0, 1], columns=[0, 1, 2])),
    ):
        with pytest.raises(ValueError, match=words):
            read()


@pytest.mark.filterwarnings("ignore::rankduel.RankduelWarning")
def test_what_has_no_names_has_numbers() -> None:
    for values in (WINS, np.array(WINS), pandas.DataFrame(WINS)):
        assert rd.Matrix(values).names is None
    assert rd.Matrix(pandas.DataFrame(WINS, index=NAMES)).names == rd.Matrix(pandas.DataFrame(WINS, columns=NAMES)).names == NAMES
    probabilities = rd.Matrix({"a": {"b": 0.75}, "b": {"a": 0.25}})
    assert probabilities.values.tolist() == [[0.5, 0.75], [0.25, 0.5]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pandas.concat([FRAME, FRAME], axis=1), "3 x 6"),
        (FRAME.astype(object).replace({40: "many"}), "row 0: the column 'bob' has 'many'; expected a number"),
        ({"a": {"b": 1}, "b": {"c": 1}}, "row 'b' has 'c', which is no row"),
        (pandas.DataFrame(WINS, columns=pandas.MultiIndex.from_product([["x"], NAMES])), "several levels"),
        ([1, 2], "two dimensions, found 1"),
    ],
)
def test_refusals(table: Any, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        rd.Matrix(table)
    assert message in str(raised.value)


def test_as_many_judgements_as_columns_are_no_matrix() -> None:
    votes = pandas.DataFrame({"first": [1, 2, 2], "second": [2, 1, 1], "winner": [1, 1, 1]})
    for table in (votes, votes.set_axis([5, 7, 9])):
        assert sorted(rd.Board(table, winner_is="name").table.to_dict()["name"]) == ["1", "2"]


def test_few_counts_are_for_a_board() -> None:
    with pytest.warns(rd.RankduelWarning, match=r"`rankduel.Board` of these counts fits all pairs together"):
        rd.Matrix([[0, 3], [1, 0]])
    assert "of 2" in (text := rd.Board([[0, 3], [1, 0]]).sentence) or "among 2" in text
    with pytest.raises(TypeError, match="algorithms: expected names, e.g. "):
        rd.bandit("arithmetic:k=4", None)  # type: ignore[arg-type]


def test_columns_that_are_there_twice_or_have_levels() -> None:
    votes = pandas.DataFrame({"first": ["x"], "second": ["y"], "winner": ["first"]})
    with pytest.raises(ValueError, match="the column 'first' of the judgements is there twice; rename one"):
        rd.Board(pandas.concat([votes, votes], axis=1))
    with pytest.raises(ValueError, match=r"several levels, e.g. \('a', 'first'\)"):
        rd.Board(votes.set_axis(pandas.MultiIndex.from_product([["a"], votes.columns]), axis=1))


def test_boards_are_copied_and_sessions_say_why_not(tmp_path: Any) -> None:
    votes = [{"first": "x", "second": "y", "winner": "x"}, {"first": "y", "second": "x", "winner": "tie"}] * 9
    path = tmp_path / "votes.csv"
    path.write_text("first,second,winner\n" + "".join(f"{row['first']},{row['second']},{row['winner']}\n" for row in votes))
    live = rd.Live(["x", "y", "z"], seed=1)
    for pair in live.ask(12):
        live.tell(pair.ticket, "first" if pair.first < pair.second else "second")
    for board in (rd.Board(votes, confidence=0.9), rd.Board(path), live.board(clusters="units")):
        for other in (pickle.loads(pickle.dumps(board)), copy.deepcopy(board)):
            assert str(other) == str(board) and other.data == board.data
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"both copies would ask the same questions: save\(path\) it"):
            copied(live)  # type: ignore[operator]


def test_clients_are_copied_without_connections_and_keys() -> None:
    client = Client("http://127.0.0.1:7077", fallback="bm25", timeout=0.2, within=0.5, page=5, idle=3)
    for other in (pickle.loads(pickle.dumps(client)), copy.deepcopy(client)):
        assert repr(other) == repr(client) and other.page == 5
        assert other._transport.settings() == client._transport.settings()
    with pytest.raises(TypeError, match="a client with a key is not pickled or copied"):
        pickle.dumps(Client("http://127.0.0.1:7077", "secret"))
