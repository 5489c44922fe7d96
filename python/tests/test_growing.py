"""Logs that grow by frames are those of all frames together; and verdicts on tables of outcomes in any form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_logs import Simulated, click_logs

import rankduel as rd

DAY = 86_400_000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    return Simulated(tmp_path_factory.mktemp("log"), "4000", "--days", "6", "--bots", "0.01")


def by_day(log: Simulated) -> list[tuple[str, list[Any]]]:
    """Until when each part is complete, and its tables."""
    first = min(min(table["time"].to_pylist()) for table in log.tables) // DAY
    parts = []
    for day in range(first, first + 8):
        rows = [[row for row in table.to_pylist() if row["time"] // DAY == day] for table in log.tables]
        parts.append((f"{(day + 1) * DAY - 1}", [pa.Table.from_pylist(of, table.schema) for of, table in zip(rows, log.tables)]))
    return parts


def until(text: str) -> str:
    import datetime

    return datetime.datetime.fromtimestamp(int(text) / 1000, datetime.timezone.utc).isoformat(timespec="milliseconds")


def test_frames_day_by_day_are_all_frames_together(log: Simulated, tmp_path: Path) -> None:
    rules: dict[str, Any] = {"bots": log.folder / "bots.toml", "rankers": log.rankers}
    state = tmp_path / "state"
    taken: list[list[Any]] = [[], []]
    for moment, tables in by_day(log):
        for all_tables, table in zip(taken, tables):
            all_tables.append(table)
        found = rd.credit_frame(*tables, state=state, until=until(moment), **rules)
        expected = rd.credit_frame(*map(pa.concat_tables, taken), until=until(moment), **rules)
        assert (found.outcomes, found.fates, found.pages, found.summary) == (
            expected.outcomes,
            expected.fates,
            expected.pages,
            expected.summary,
        )
        assert found.synthetic
    moment, tables = by_day(log)[5]
    last = until(by_day(log)[-1][0])
    with pytest.raises(ValueError, match="the impressions: its lines were taken by .*state in run 6; leave it out"):
        rd.credit_frame(*tables, state=state, until=last, **rules)
    for more, expected_error in [
        ({"until": until(moment)}, "is before"),
        ({"until": last, "window": "1h"}, "its window is"),
        ({"until": last, "horizon": "5d"}, "has the horizon 3d, not 5d"),
        ({}, "pass until, or final=True"),
    ]:
        with pytest.raises(ValueError, match=expected_error):
            rd.credit_frame([], [], state=state, **rules, **more)
    # Without rows: the same result again.
    assert rd.credit_frame([], [], state=state, until=last, **rules).outcomes == found.outcomes
    # Each program continues the other's work.
    late = tmp_path / "late.jsonl"
    row = {"impression": "late", "time": "2025-12-01T00:00:00Z", "user": "u", "shown": ["a"], "teams": ["A"], "pairs": "chance"}
    late.write_text(json.dumps(row) + "\n")
    (tmp_path / "none.jsonl").write_text("")
    flags = ["--bots", log.folder / "bots.toml", "--rankers", "A,B", "--until", last, "--quiet", "--out", tmp_path / "out"]
    click_logs("credit", "--append", state, "--impressions", late, "--clicks", tmp_path / "none.jsonl", *flags)
    assert (tmp_path / "out" / "outcomes.csv").read_bytes() == found.outcomes.to_csv()
    assert "impression,behind,1," in (tmp_path / "out" / "fates.csv").read_text()


def test_verdicts_on_tables_in_any_form(log: Simulated, tmp_path: Path) -> None:
    credited = rd.credit_frame(*log.tables, **log.rules)
    table = pa.table(credited.outcomes)
    columns = table.to_pydict()
    turned = dict(reversed(columns.items()))
    pq.write_table(table, tmp_path / "outcomes.parquet")
    rows = table.to_pylist()
    (tmp_path / "outcomes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    credited.outcomes.to_csv(tmp_path / "outcomes.csv")
    expected = str(rd.decide(tmp_path / "outcomes.csv"))
    forms: list[Any] = [table, turned, rows, tmp_path / "outcomes.jsonl"]
    forms += [getattr(pytest.importorskip(name), "DataFrame")(columns) for name in ("pandas", "polars")]
    for form in forms:
        assert str(rd.decide(form)) == expected
    help_text = subprocess.run([sys.executable, "-m", "rankduel.click_logs", "decide", tmp_path / "outcomes.parquet"], capture_output=True, text=True)
    # Wheels read Parquet; a build from source need not.
    assert help_text.stdout.strip() == expected.strip() or "--features parquet" in help_text.stderr
    credited.save(tmp_path / "saved")
    decision = rd.decide(tmp_path / "saved")
    assert str(decision) == str(credited.decide()) and decision.data["synthetic"]
    with pytest.raises(ValueError, match="are in line 2 already: a table that is loaded twice"):
        rd.decide(rows + rows)
    with pytest.raises(ValueError, match="no day"):
        rd.decide({"first": ["A"]})
