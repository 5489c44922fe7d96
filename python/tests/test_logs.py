"""Click logs in frames say what `click-logs credit` says of files, and what their simulator knows."""

from __future__ import annotations

import decimal
import functools
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rankduel as rd


def click_logs(*arguments: object) -> str:
    words = [sys.executable, "-m", "rankduel.click_logs", *map(str, arguments)]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=3600).stdout


class Simulated:
    """A log in files and as tables, with its truth."""

    def __init__(self, folder: Path, impressions: str, *more: str) -> None:
        self.folder = folder
        click_logs("simulate", "--impressions", impressions, "--quiet", "--out", folder, *more)
        self.files = [folder / "impressions.jsonl", folder / "clicks.jsonl"]
        self.rankers = ["A", "B"]
        self.rules: dict[str, Any] = {"bots": folder / "bots.toml", "rankers": self.rankers, "final": True}

    @functools.cached_property
    def tables(self) -> list[Any]:
        return [pa.Table.from_pylist([json.loads(line) for line in path.read_text().splitlines()]) for path in self.files]

    def truth(self, name: str) -> bytes:
        return (self.folder / "truth" / name).read_bytes()

    def credited(self, *flags: object) -> dict[str, bytes]:
        out = self.folder / f"credited-{len(list(self.folder.iterdir()))}"
        click_logs("credit", "--impressions", self.files[0], "--clicks", self.files[1], "--quiet", "--out", out, *flags)
        return {name: (out / name).read_bytes() for name in ("outcomes.csv", "fates.csv", "pages.csv")}

    @functools.cached_property
    def pages(self) -> tuple[bytes, Any]:
        """The page counts of the command line by the rules above, and the faults of pages."""
        out = decided_folder(self)
        return (out / "pages.csv").read_bytes(), json.loads((out / "summary.json").read_text())["integrity"]


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    return Simulated(tmp_path_factory.mktemp("log"), "3000", "--conflicts", "0.01", "--bots", "0.01")


PAGES = ("--pages", "3", "--pinned", "0.3", "--left-out", "0.1", "--change-version-at", "0.45", "--click", "informational")


@pytest.fixture(scope="session", params=["team-draft", "probabilistic"])
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    folder = tmp_path_factory.mktemp("pages")
    return Simulated(folder, "3000", *PAGES, "--bots", "0.01", "--conflicts", "0.01", "--method", request.param)


def decided_folder(log: Simulated) -> Path:
    """The folder of `click-logs credit` by the rules of the log."""
    out = log.folder / "credited"
    if not out.exists():
        flags = ("--bots", log.folder / "bots.toml", "--rankers", "A,B", "--final", "--quiet", "--out", out)
        click_logs("credit", "--impressions", log.files[0], "--clicks", log.files[1], *flags)
    return out


def decided_by_command(log: Simulated) -> str:
    """The output of `click-logs decide` for the log."""
    return click_logs("decide", decided_folder(log))


def same_as_truth(found: rd.Credited, log: Simulated) -> None:
    """The truth knows no pages: they are as the command line has them."""
    assert found.outcomes.to_csv() == log.truth("outcomes.csv")
    assert found.fates.to_csv() == log.truth("fates.csv")
    assert (found.pages.to_csv(), found.summary["integrity"]) == log.pages
    assert found.synthetic


def test_pages_pins_and_a_change_of_version(pages: Simulated, tmp_path: Path) -> None:
    found = rd.credit_frame(*pages.tables, **pages.rules)
    same_as_truth(found, pages)
    decision = found.decide()
    assert str(decision) == decided_by_command(pages)
    first = str(decision).splitlines()[0]
    assert first.startswith("2 versions of simulated: ")
    assert first.endswith("; they are two experiments, and each is judged alone.")
    assert decision.data["change"] == first
    assert "pairs" not in decision.data
    assert [len(version["pairs"]) for version in decision.data["versions"]] == [1, 1]
    assert list(decision.looks)[0] == "version"
    # `paged` is a number with a point where some rows lack it.
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(table.to_pylist()) for table in pages.tables]
    assert rd.credit_frame(*frames, **pages.rules) == found
    found.save(tmp_path / "saved")
    assert click_logs("decide", tmp_path / "saved") == str(decision)


def test_versions_keep_their_names() -> None:
    shown = {"impression": ["1", "2"], "time": [1.7e9, 1.7e9], "user": ["u", "v"], "shown": [["a", "b"]] * 2, "teams": [["A", "B"]] * 2}
    clicks = {"impression": ["1"], "document": ["a"], "time": [1.7e9]}
    found = rd.credit_frame({**shown, "version": ["007", "1e3"]}, clicks, final=True)
    assert list(found.outcomes["version"]) == ["007", "1e3"]
    assert "007 until 2023-11-14, 1e3 since 2023-11-14" in str(found.decide()).splitlines()[0]
    with pytest.raises(ValueError, match=r"row 1 of the impressions .*`paged` is 3, but 2 documents were shown"):
        rd.credit_frame({**shown, "paged": [None, 3]}, clicks, final=True)
    with pytest.raises(ValueError, match=r"row 0 of the impressions .*`paged` is the number 1.5; expected a whole number"):
        rd.credit_frame({**shown, "paged": [1.5, 2]}, clicks, final=True)


def test_pyarrow_and_dictionaries(log: Simulated) -> None:
    found = rd.credit_frame(*log.tables, **log.rules)
    same_as_truth(found, log)
    again = rd.credit_frame(*[table.to_pydict() for table in log.tables], **log.rules)
    assert again == found == pickle.loads(pickle.dumps(found))
    assert "impressions" in repr(found) and "<table>" in found._repr_html_()


def test_other_orders_and_batches(log: Simulated) -> None:
    generator = np.random.default_rng(3)
    tables = [table.take(generator.permutation(len(table))) for table in log.tables]
    same_as_truth(rd.credit_frame(*tables, **log.rules), log)
    # Slices: batches that begin in the middle of their buffers.
    pieces = [pa.concat_tables([table.slice(700), table.slice(0, 700)]) for table in log.tables]
    same_as_truth(rd.credit_frame(*pieces, **log.rules), log)


def not_aligned(array: pa.Array) -> pa.Array:
    """The same values in buffers that begin at odd addresses, as they may."""
    if pa.types.is_list(array.type):
        valid, ends, *_ = array.buffers()
        return pa.Array.from_buffers(array.type, len(array), [moved(valid), moved(ends)], children=[not_aligned(array.values)])
    return pa.Array.from_buffers(array.type, len(array), [moved(buffer) for buffer in array.buffers()])


def moved(buffer: pa.Buffer | None) -> pa.Buffer | None:
    return buffer and pa.py_buffer(b" " + buffer.to_pybytes()).slice(1)


def test_buffers_need_no_alignment(log: Simulated) -> None:
    tables = [pa.table({name: not_aligned(table[name].combine_chunks()) for name in table.column_names}) for table in log.tables]
    assert any(buffer.address % 2 for buffer in tables[0]["time"].chunk(0).buffers() if buffer)
    assert rd.credit_frame(*tables, **log.rules) == rd.credit_frame(*log.tables, **log.rules)


def test_pandas(log: Simulated) -> None:
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(table.to_pylist()) for table in log.tables]
    same_as_truth(rd.credit_frame(*frames, **log.rules), log)
    for frame in frames:
        frame["time"] = pandas.to_datetime(frame["time"], unit="ms", utc=True)
        frame["impression"] = frame["impression"].astype("category")
    same_as_truth(rd.credit_frame(*frames, **log.rules), log)


def test_polars(log: Simulated) -> None:
    polars = pytest.importorskip("polars")
    frames = [polars.DataFrame(table) for table in log.tables]
    same_as_truth(rd.credit_frame(*frames, **log.rules), log)


def test_an_open_log_is_as_the_command_line_has_it(log: Simulated) -> None:
    found = rd.credit_frame(*log.tables, bots=log.folder / "bots.toml", window="10m", unit_days=2, timezone="+02:00")
    expected = log.credited("--bots", log.folder / "bots.toml", "--window", "10m", "--unit-days", "2", "--timezone", "+02:00")
    assert found.outcomes.to_csv() == expected["outcomes.csv"]
    assert found.fates.to_csv() == expected["fates.csv"]
    assert found.pages.to_csv() == expected["pages.csv"]
    assert found.fate("impression", "open") > 0


def test_times_of_every_kind(log: Simulated) -> None:
    expected = rd.credit_frame(*log.tables, **log.rules)
    times = [table["time"].to_numpy().astype("datetime64[ms]") for table in log.tables]
    kinds: list[tuple[Any, dict[str, Any]]] = [
        (lambda time: pa.array(time.astype("datetime64[us]")).cast(pa.timestamp("us", "UTC")), {}),
        (lambda time: pa.array(time.astype("datetime64[ms]").astype("int64")), {}),
        (lambda time: pa.array(time.astype("datetime64[us]").astype("int64")), {}),
        (lambda time: pa.array(time.astype("datetime64[ms]").astype("int64") / 1e3), {}),
        (lambda time: pa.array(time), {"timezone": "UTC"}),
    ]
    for cast, rules in kinds:
        tables = [
            table.set_column(table.schema.get_field_index("time"), "time", cast(time))
            for table, time in zip(log.tables, times)
        ]
        assert rd.credit_frame(*tables, **log.rules, **rules).outcomes == expected.outcomes
    with pytest.raises(ValueError, match="has no zone"):
        rd.credit_frame(*tables, **log.rules)


def test_receipts_of_our_own() -> None:
    rows: dict[str, list[Any]] = {"impression": [], "time": [], "user": [], "shown": [], "receipt": []}
    clicks: dict[str, list[Any]] = {"impression": [], "time": [], "document": []}
    wins = {"first": 0, "second": 0, "tie": 0}
    texts = []
    for number in range(200):
        method = ["team-draft", "balanced", "probabilistic", "optimized"][number % 4]
        impression = rd.interleave(["a", "b", "c", "d"], ["d", "c", "e", "a"], length=3, method=method, seed=number)
        clicked = impression.shown[number % 3]
        wins[impression.credit([clicked])] += 1
        rows["impression"].append(str(number))
        rows["time"].append(1_700_000_000 + number)
        rows["user"].append(str(number))
        rows["shown"].append(impression.shown)
        rows["receipt"].append(impression.to_bytes())
        texts.append(impression.to_json())
        clicks["impression"].append(str(number))
        clicks["time"].append(1_700_000_000 + number)
        clicks["document"].append(clicked)
    found = rd.credit_frame(rows, clicks, final=True).outcomes
    assert rd.credit_frame({**rows, "receipt": texts}, clicks, final=True).outcomes == found
    sums = [int(np.sum(found[f"impression_{name}"])) for name in ("wins", "losses", "ties")]
    assert sums == [wins["first"], wins["second"], wins["tie"]] and min(sums[:2]) > 0


def test_decisions_are_those_of_the_command_line(log: Simulated, tmp_path: Path) -> None:
    found = rd.credit_frame(*log.tables, **log.rules)
    found.save(tmp_path / "credited")
    decision = found.decide(0.9)
    printed = click_logs("decide", tmp_path / "credited", "--confidence", "0.9", "--format", "json")
    assert decision.data.items() <= json.loads(printed).items()
    text = click_logs("decide", tmp_path / "credited", "--confidence", "0.9", "--out", tmp_path / "decided")
    assert len(decision.looks) > 0 and decision.svg() == (tmp_path / "decided/win-rate.svg").read_text(encoding="utf-8")
    assert str(decision).splitlines()[0] == text.splitlines()[0]


def test_rules_are_the_flags_of_the_command_line() -> None:
    files = {"impressions", "clicks", "list-separator", "set-aside", "detail", "out", "replace", "help", "quiet"}
    # Arguments of `credit_frame` alone.
    means = {"memory", "order", "scratch", "disk", "threads", "append", "horizon"}
    # Orders are credited from files alone.
    orders = {"outcomes", "attribution", "outcome-days", "outcome-actions", "currency", "cap", "primary", "draft-covariate"}
    flags = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", click_logs("credit", "--help"), re.MULTILINE))
    assert {name.replace("_", "-") for name in rd.CreditRules.__annotations__} == flags - files - means - orders


ROW = {"impression": ["i"], "time": [1.7e9], "user": ["u"], "shown": [["a", "b"]], "teams": [["A", "B"]]}
CLICK: dict[str, list[Any]] = {"impression": ["i"], "time": [1.7e9], "document": ["a"]}


@pytest.mark.parametrize(
    ("row", "click", "rules", "error", "message"),
    [
        ({**ROW, "impression": [None]}, CLICK, {}, ValueError, "row 0 of the impressions: no `impression`"),
        ({**ROW, "teams": [["A"]]}, CLICK, {}, ValueError, "1 teams for 2 documents"),
        ({**ROW, "shown": [["a", None]]}, CLICK, {}, ValueError, "`shown` has an entry without a value"),
        ({**ROW, "shown": [["a", "a"]]}, CLICK, {}, ValueError, "is shown twice"),
        ({**ROW, "shown": ["a b"]}, CLICK, {}, ValueError, "`shown` is `a b`, which is text; expected a list"),
        ({**ROW, "teams": [[1.0, 2.0]]}, CLICK, {}, ValueError, "has [1.0, 2.0]; expected a list of text or a whole number"),
        ({**ROW, "shown": [7]}, CLICK, {}, ValueError, "has 7; expected a list of text or whole numbers"),
        ({**ROW, "impression": [1.5]}, CLICK, {}, ValueError, "row 0: the column \"impression\" has 1.5; expected text or"),
        ({**ROW, "impression": [decimal.Decimal("1.0")]}, CLICK, {}, ValueError, "has Decimal('1.0'); expected text or a whole"),
        ({**ROW, "user": [True]}, CLICK, {}, ValueError, "has True; expected text or a whole number"),
        ({**ROW, "time": np.float32([1.7e9])}, CLICK, {}, ValueError, "the column 'time' cannot be read as times: expected numbers"),
        ({**ROW, "shown": [[1, "b"]]}, CLICK, {}, ValueError, "has [1, 'b']; expected a list of a whole number, as in the rows"),
        ({**ROW, "query_id": ["j"]}, CLICK, {}, ValueError, "`impression` is `i`, but `query_id`, which stands for the same,"),
        (ROW, {**CLICK, "event_attributes": ["b"]}, {}, ValueError, "`event_attributes` is the text `b`; expected an object"),
        (ROW, {**CLICK, "event_attributes": [{"dwell_time": [1]}]}, {}, ValueError, "`event_attributes.dwell_time` is a list"),
        (ROW, CLICK, {"dwell": "30s"}, ValueError, "dwell='30s', but no click has a `dwell`"),
        ({**ROW, "time": ["yesterday"]}, CLICK, {}, ValueError, "cannot be read"),
        ({**ROW, "receipt": [b"\x09"], "teams": [None]}, CLICK, {}, ValueError, "not a receipt: its first byte is 0x09"),
        (ROW, {**CLICK, "time": [None]}, {}, ValueError, "row 0 of the clicks (impression \"i\"): no `time`"),
        (ROW, {**CLICK, "dwell": [-1.0]}, {}, ValueError, "dwell time"),
        ({"impression": ["i"]}, CLICK, {}, ValueError, "the impressions have no column 'time'"),
        (ROW, {"impression": ["i"]}, {}, ValueError, "the clicks have no column 'document'"),
        ({**ROW, "user": [None]}, CLICK, {}, ValueError, "no impression has a user; choose another unit: unit='session'"),
        ({**ROW, "teams": [None]}, CLICK, {}, ValueError, "no impression has teams or a receipt, so that no click"),
        ({name: ([None] if name == "teams" else value) * 2 for name, value in ROW.items()}, CLICK, {}, ValueError, "teams or a receipt"),
        ({name: [] for name in ROW}, CLICK, {}, ValueError, "there are no impressions"),
        (ROW, CLICK, {"unit": "day"}, ValueError, "expected the unit user, session or impression"),
        (ROW, CLICK, {"coin": "day"}, ValueError, "coin: expected user, session or impression, found \"day\""),
        (ROW, CLICK, {"logged": "all"}, ValueError, "logged: expected every or clicked, found \"all\""),
        (ROW, CLICK, {"other_page": True}, TypeError, "no argument 'other_page'; did you mean 'other_pages'?"),
        (ROW, CLICK, {"window": "soon"}, ValueError, "window: expected a length of time"),
        (ROW, CLICK, {"until": "2026-01-01T00:00Z", "final": True}, ValueError, "exclude each other"),
        (ROW, CLICK, {"bots": {"agent": 1}}, ValueError, "unknown field `agent`"),
        (ROW, CLICK, {"rankers": "A,B"}, TypeError, "expected a list of names"),
        (ROW, CLICK, {"rankers": ["A", "A"]}, ValueError, "named twice"),
        (ROW, CLICK, {"windows": "1h"}, TypeError, "credit_frame() has no argument 'windows'; did you mean 'window'?"),
        (7, CLICK, {}, TypeError, "expected a frame of impressions"),
    ],
)
def test_refusals(row: Any, click: Any, rules: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        rd.credit_frame(row, click, **rules)
    assert message in str(raised.value)


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_times_in_single_precision_are_refused(library: str) -> None:
    module = pytest.importorskip(library)
    clicks = {**CLICK, "time": np.float32([1.7e9])}
    frame = (module.table if library == "pyarrow" else module.DataFrame)(clicks)
    with pytest.raises(ValueError, match="'time' cannot be read as times: expected numbers since 1970 in double precision"):
        rd.credit_frame(ROW, frame)
    # For other numbers, single precision is enough.
    dwell = (module.table if library == "pyarrow" else module.DataFrame)({**CLICK, "dwell": np.float32([40.5])})
    assert rd.credit_frame(ROW, dwell, dwell="30s", final=True).fate("click", "credited") == 1


def test_types_of_a_library_alone_are_refused_by_column() -> None:
    polars = pytest.importorskip("polars")
    users = polars.Series([1], dtype=polars.Int128)
    frame = polars.DataFrame({**ROW, "user": users})
    with pytest.raises(ValueError, match="the column 'user' of the impressions has a type that Arrow does not know"):
        rd.credit_frame(frame, CLICK)


def test_clicks_on_nothing_have_a_fate() -> None:
    clicks = {"impression": ["i", "", None], "document": [None, "a", "a"], "time": [1.7e9] * 3}
    found = rd.credit_frame(ROW, clicks, final=True)
    assert (found.fate("click", "not-shown"), found.fate("click", "unknown")) == (1, 2)


def nested(rows: list[dict[str, Any]], own: str, name: str) -> list[dict[str, Any]]:
    """Rows with another name for a field, as objects in objects."""
    found = []
    for row in rows:
        row = json.loads(json.dumps(row))
        value = row.pop(own)
        if name.endswith("hits"):
            value = [{"_id": document, "_search_configuration": team} for document, team in zip(row["shown"], value)][::-1]
        if name.endswith("docs"):
            value = [{"id": document, "[interleaving]": team} for document, team in zip(row["shown"], value)][::-1]
        *path, last = name.split(".")
        place = row
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
        found.append(row)
    return found


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the paths of its fields as column names."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        found.update({f"{name}.{key}": inner for key, inner in flat(value).items()} if isinstance(value, dict) else {name: value})
    return found


def as_text(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its objects as JSON text."""
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in row.items()}


# The name of each field in the README of `click-logs`.
OTHER_NAMES = [
    ("impression", ["query_id", "ext.ubi.query_id", "ubi.query_id"]),
    ("time", ["timestamp"]),
    ("user", ["user_id", "client_id", "query_attributes.user_id"]),
    ("session", ["session_id", "query_attributes.session_id"]),
    ("agent", ["query_attributes.agent"]),
    ("shown", ["query_response_hit_ids", "query_response_object_ids"]),
    ("teams", ["query_attributes.teams", "response.hits.hits", "response.response.docs"]),
    ("rankers", ["query_attributes.rankers"]),
]
OTHER_NAMES_OF_CLICKS = [
    ("impression", ["query_id"]),
    ("document", ["event_attributes.object.object_id", "object_id"]),
    ("time", ["timestamp"]),
    ("dwell", ["event_attributes.dwell_time", "event_attributes.dwell"]),
]


def named_rows() -> list[list[dict[str, Any]]]:
    """Impressions and clicks with our own names, one of a bot by its agent."""
    impressions = [
        {
            "impression": f"i{number}",
            "time": 1_700_000_000_000 + number,
            "user": f"u{number // 2}",
            "session": f"s{number // 3}",
            "agent": "Crawler/1" if number == 7 else "Browser/1",
            "shown": ["a", "b"],
            "teams": ["B", None] if number == 5 else ["A", "B"],
            "rankers": ["A", "B"],
        }
        for number in range(12)
    ]
    clicks = [
        {
            "impression": f"i{number}",
            "document": "a" if number % 3 == 0 else "b",
            "time": 1_700_000_040_000,
            "dwell": 10.5 + number,
        }
        for number in range(11)
    ]
    return [impressions, clicks]


NAMED_RULES: dict[str, Any] = {"final": True, "dwell": "13s", "bots": {"agents": ["crawler"]}}


@pytest.mark.parametrize("unit", ["user", "session"])
def test_every_name_is_read(unit: str) -> None:
    both = named_rows()
    rules = {**NAMED_RULES, "unit": unit}
    expected = rd.credit_frame(*map(pa.Table.from_pylist, both), **rules)
    assert expected.fate("impression", "bot") > 0 and expected.fate("click", "unsatisfied") > 0
    for kind, names in enumerate((OTHER_NAMES, OTHER_NAMES_OF_CLICKS)):
        for own, others in names:
            for name in others:
                rows = nested(both[kind], own, name)
                for form in (rows, [flat(row) for row in rows], [as_text(row) for row in rows]):
                    frames = [*both]
                    frames[kind] = form
                    assert rd.credit_frame(*map(pa.Table.from_pylist, frames), **rules) == expected, (name, form[0])


def test_maps_and_text_of_lists() -> None:
    both = named_rows()
    expected = rd.credit_frame(*map(pa.Table.from_pylist, both), **NAMED_RULES)
    impressions, clicks = map(pa.Table.from_pylist, both)
    attributes = pa.array([[("agent", row["agent"])] for row in both[0]], pa.map_(pa.string(), pa.string()))
    mapped = impressions.drop_columns(["agent"]).append_column("query_attributes", attributes)
    assert rd.credit_frame(mapped, clicks, **NAMED_RULES) == expected
    for write in (str, json.dumps, lambda entries: "{" + ",".join(entry or "NULL" for entry in entries) + "}"):
        texts = {name: [write(row[name]) for row in both[0]] for name in ("shown", "teams", "rankers")}
        frame = {**impressions.to_pydict(), **texts}
        assert rd.credit_frame(frame, clicks, **NAMED_RULES) == expected
    text = {**clicks.to_pydict(), "dwell": [str(row["dwell"]) for row in both[1]]}
    assert rd.credit_frame(impressions, text, **NAMED_RULES) == expected


def test_objects_of_other_types_from_row_to_row() -> None:
    pandas = pytest.importorskip("pandas")
    attributes = [
        {"object": {"object_id": "a"}, "position": 1},
        {"object": {"object_id": 7}, "position": {"ordinal": 2}, "dwell_time": float("nan")},
        None,
    ]
    clicks = {"query_id": ["i"] * 3, "timestamp": [1.7e9] * 3, "event_attributes": attributes}
    row = {**ROW, "shown": [["a", "7"]]}
    for frame in (clicks, pandas.DataFrame(clicks)):
        found = rd.credit_frame(row, frame, final=True)
        assert (found.fate("click", "credited"), found.fate("click", "not-shown")) == (2, 1)


def test_categories_are_text_and_other_columns_do_not_matter() -> None:
    both = named_rows()
    expected = rd.credit_frame(*map(pa.Table.from_pylist, both), **NAMED_RULES)
    tables = [pa.Table.from_pylist(rows) for rows in both]
    encoded = [
        pa.table({name: column.dictionary_encode() if column.type == pa.string() else column for name, column in zip(table.column_names, table.columns)})
        for table in tables
    ]
    assert rd.credit_frame(*encoded, **NAMED_RULES) == expected
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(rows) for rows in both]
    for frame in frames:
        frame["impression"] = frame["impression"].astype("category")
        frame["title"] = [1, "x", {"y": 2}, *[b"z"] * (len(frame) - 3)]
    assert rd.credit_frame(*frames, **NAMED_RULES) == expected
    frames[0] = frames[0].rename(columns={"title": "user"})
    with pytest.raises(ValueError, match="the column .user. of the impressions is there twice"):
        rd.credit_frame(*frames, **NAMED_RULES)


def test_categories_of_polars() -> None:
    polars = pytest.importorskip("polars")
    both = named_rows()
    expected = rd.credit_frame(*map(pa.Table.from_pylist, both), **NAMED_RULES)
    frames = [polars.DataFrame(rows) for rows in both]
    frames[0] = frames[0].with_columns(
        polars.col("user").cast(polars.Categorical),
        polars.col("agent").cast(polars.Enum(["Browser/1", "Crawler/1"])),
        polars.col("teams").cast(polars.List(polars.Enum(["A", "B"]))),
        polars.col("shown").cast(polars.List(polars.Categorical)),
        title=polars.Series([object() for _ in both[0]], dtype=polars.Object),
    )
    frames[1] = frames[1].with_columns(polars.col("impression").cast(polars.Categorical))
    assert rd.credit_frame(*frames, **NAMED_RULES) == expected
    with pytest.raises(ValueError, match="expected text or whole numbers for ids, found floating point numbers"):
        rd.credit_frame(frames[0].with_columns(impression=polars.lit(1.0)), frames[1])


def test_rows_that_cannot_be_read_are_set_aside() -> None:
    row = {name: values * 2 for name, values in ROW.items()}
    row["impression"] = ["i", ""]
    found = rd.credit_frame(row, CLICK, malformed="set-aside", final=True)
    assert (found.fate("impression", "malformed"), found.fate("impression", "credited")) == (1, 1)


@pytest.mark.parametrize(
    ("offsets", "text", "message"),
    [
        ([0, 7, 3], b"i1i2xyz", "row 1 goes from 7 to 3; expected ascending offsets from 0"),
        ([0, 2, 4], b"i1\xff\xfe", "has a text in row 1 that is not valid UTF-8"),
        ([0, 1, 2], "ä".encode(), "has a text in row 0 that is not valid UTF-8"),
    ],
)
def test_columns_of_wrong_producers_are_refused(log: Simulated, offsets: list[int], text: bytes, message: str) -> None:
    buffers = [None, pa.py_buffer(np.array(offsets, np.int32)), pa.py_buffer(text)]
    wrong = pa.Array.from_buffers(pa.string(), 2, buffers)
    impressions, clicks = log.tables
    table = impressions.slice(0, 2)
    place = table.schema.get_field_index("impression")
    table = table.set_column(place, "impression", pa.chunked_array([wrong]))
    with pytest.raises(ValueError, match=message):
        rd.credit_frame(table, clicks, **log.rules)


def test_clicks_are_those_of_each_side() -> None:
    count = 40
    impressions = {
        "impression": [f"i{n}" for n in range(count)],
        "time": ["2026-01-01T10:00:00Z"] * count,
        "user": [f"u{n // 2}" for n in range(count)],
        "shown": [["d1", "d2", "d3"]] * count,
        "teams": [["A", "B", "A"]] * count,
    }
    # One of the user's two lists has clicks on both documents of A, the other on that of B.
    clicks = [(f"i{n}", document) for n in range(count) for document in (("d1", "d3") if n % 2 else ("d2",))]
    found = {
        "impression": [impression for impression, _ in clicks],
        "document": [document for _, document in clicks],
        "time": ["2026-01-01T10:01:00Z"] * len(clicks),
    }
    credited = rd.credit_frame(impressions, found, final=True, logged="clicked")
    row = {name: int(credited.outcomes[name][0]) for name in credited.outcomes.columns[9:]}
    assert (row["amount_units"], row["amount_impressions"], row["amount_impression_squares"]) == (20, 40, 80)
    assert (row["first_clicks"], row["second_clicks"], row["click_squares"], row["click_products"]) == (40, 20, 20, 40)
    assert (row["first_clicked"], row["second_clicked"], row["clicked_squares"]) == (20, 20, 0)
    effect = credited.decide().data["pairs"][0]["effect"]
    assert effect["clicks_per_impression"]["difference"] == 0.5
    assert effect["clicks_per_impression"]["confidence_sequence"] is None and effect["units"] == effect["of_units"] == 20
