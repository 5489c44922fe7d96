"""Tables, and their way to other libraries."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankduel as rd


@pytest.fixture(scope="module")
def study() -> rd.Study:
    return rd.bandit("btl:k=5", ["rucb", "random"], steps=500, runs=3)


def test_columns_have_kinds(study: rd.Study) -> None:
    curves, runs = study.curves, study.runs
    assert curves["step"].dtype == np.int64 and curves["mean_regret"].dtype == np.float64  # type: ignore[union-attr]
    assert curves["algorithm"][0] == study.algorithms[0]
    assert runs["recommended_is_best"].dtype in (np.bool_, object) or isinstance(runs["recommended_is_best"], list)  # type: ignore[union-attr]
    assert set(curves) == set(curves.columns) and len(curves.to_dict()) == len(curves.columns)
    with pytest.raises(KeyError, match="there is no column 'regrett'; the columns are algorithm, run, "):
        runs["regrett"]


@pytest.mark.parametrize("frame", ["curves", "runs", "every_run"])
def test_all_libraries_read_the_same(study: rd.Study, frame: str) -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    mine = getattr(study, frame)
    arrow = pyarrow.table(mine)
    arrow.validate(full=True)
    assert mine.to_arrow().equals(arrow)
    assert polars.DataFrame(mine).equals(polars.from_arrow(arrow))
    assert mine.to_polars().shape == (len(mine), len(mine.columns))
    frame_of_pandas = mine.to_pandas()
    assert list(frame_of_pandas.columns) == mine.columns
    for name in mine.columns:
        ours, theirs = list(mine[name]), arrow[name].to_pylist()
        assert [None if x != x else x for x in ours] == theirs
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert len(pandas.DataFrame.from_arrow(mine)) == len(mine)


def test_duckdb_reads_it(study: rd.Study) -> None:
    duckdb = pytest.importorskip("duckdb")
    curves = study.curves  # noqa: F841
    assert duckdb.sql("select count(*) from curves").fetchall() == [(len(curves),)]


def test_a_stream_that_nobody_reads_is_released(study: rd.Study) -> None:
    for _ in range(1000):
        study.curves.__arrow_c_stream__()


cells = st.one_of(st.none(), st.integers(-(2**62), 2**62))
numbers = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
texts = st.one_of(st.none(), st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).map(str))


@given(st.lists(st.tuples(cells, numbers, st.one_of(st.none(), st.booleans()), texts), min_size=1, max_size=40))
def test_any_table_survives_the_way(rows: list[tuple[int | None, float | None, bool | None, str | None]]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["step", "regret", "recommended_is_best", "algorithm"])
    for step, regret, best, name in rows:
        writer.writerow(["" if x is None else x for x in (step, regret, None if best is None else str(best).lower(), name)])
    frame = rd.Frame.from_csv(text.getvalue().encode())
    table = pyarrow.table(frame)
    table.validate(full=True)
    assert table["step"].to_pylist() == [row[0] for row in rows]
    assert [x if x is None else float(x) for x in table["regret"].to_pylist()] == [row[1] for row in rows] or all(
        row[1] is None for row in rows
    )
    assert table["algorithm"].to_pylist() == [row[3] for row in rows]
    again = pickle.loads(pickle.dumps(frame))
    assert again == frame and pyarrow.table(again).equals(table)


def test_pictures_and_pages(study: rd.Study) -> None:
    assert study.svg().startswith("<svg") or "<svg" in study.svg()
    assert "<table>" in study.curves._repr_html_() and "10 of" in study.curves._repr_html_()
    assert study.report.splitlines()[0] in study._repr_html_()
    assert 'role="img" aria-label="Regret by step' in study._repr_html_()
    assert repr(study.runs).splitlines()[0].split() == study.runs.columns
    assert repr(study) == "Study(rucb, random; 6 runs of 500 steps, seed 1)"


def test_plot(study: rd.Study) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.colors import to_hex

    ax = study.plot()
    # As in the figure of the command line: colours, dashes, and the legend from the highest end to the lowest.
    colors = {line.get_label(): to_hex(line.get_color()) for line in ax.lines}
    assert list(colors) == study.labels and all(color in study.svg() for color in colors.values())
    assert len(set(colors.values())) == 2
    curves = study.curves.to_dict()
    # Later rows replace earlier ones.
    ends = dict(zip(curves["algorithm"], curves["mean_regret"]))
    last = dict(zip(study.labels, (ends[name] for name in study.algorithms)))
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == sorted(study.labels, key=lambda name: -last[name]) != study.labels
    assert ax.get_xscale() == "log"
    restored = pickle.loads(pickle.dumps(study)).plot()
    assert [list(line.get_ydata()) for line in restored.lines] == [list(line.get_ydata()) for line in ax.lines]
    import matplotlib.pyplot as plt

    other = plt.subplots()[1]
    assert study.plot(other, relabel={"rucb": "RUCB"}) is other
    assert [text.get_text() for text in other.get_legend().get_texts()] == ["random", "RUCB"]
    with pytest.raises(ValueError, match="there is no curve 'rcs', only rucb, random"):
        study.plot(relabel={"rcs": "RCS"})

    plt.close("all")
