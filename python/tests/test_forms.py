"""The same odd input through every form in which a log comes: one answer, one sentence.

An input is one line of `ODD`: what it changes in the rows of a plain log, and what is said of it, or `SAME` if it must count as the
plain log does. Forms that cannot hold an input, such as a set in JSON, pass it by, visibly.
"""

from __future__ import annotations

import csv
import dataclasses
import datetime
import json
import math
import os
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
import zoneinfo
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rankduel as rd
from rankduel.client import Client
from rankduel.log_rules import rules_text
from rankduel.spark import credit as spark_credit

SAME = ""
# The rules of a call that names none.
FINAL: dict[str, Any] = {"final": True}
FIRST = datetime.datetime(2026, 3, 1, 10, tzinfo=datetime.timezone.utc)
Rows = list[dict[str, Any]]


def plain() -> tuple[Rows, Rows]:
    """Four users; three of them click what A shows, one what B shows."""
    impressions: Rows = []
    clicks: Rows = []
    for place in range(4):
        time = FIRST + datetime.timedelta(hours=place)
        row = {"impression": f"i{place}", "time": time.isoformat(), "user": f"u{place}", "shown": ["11", "12"], "teams": ["A", "B"]}
        impressions.append(row)
        after = time + datetime.timedelta(seconds=9)
        clicks.append({"impression": f"i{place}", "time": after.isoformat(), "document": "12" if place == 3 else "11", "dwell": 9.0})
    return impressions, clicks


def changed(**fields: Callable[[dict[str, Any]], Any]) -> Callable[[Rows, Rows], None]:
    """Changes fields in all rows that have them."""

    def change(impressions: Rows, clicks: Rows) -> None:
        for row in (*impressions, *clicks):
            for name, value in fields.items():
                if name in row:
                    row[name] = value(row)

    return change


def moment(row: dict[str, Any]) -> datetime.datetime:
    return datetime.datetime.fromisoformat(row["time"])


def columns_reversed(impressions: Rows, clicks: Rows) -> None:
    for rows in (impressions, clicks):
        rows[:] = [dict(reversed(row.items())) for row in rows]


class Odd(NamedTuple):
    """The change by an input, and the message about it."""

    change: Callable[[Rows, Rows], None]
    said: str


ODD = {
    "plain": Odd(changed(), SAME),
    "columns in another order": Odd(columns_reversed, SAME),
    "documents that are numbers": Odd(changed(shown=lambda row: [11, 12], document=lambda row: int(row["document"])), SAME),
    "times that are seconds": Odd(changed(time=lambda row: moment(row).timestamp()), SAME),
    "times that are milliseconds": Odd(changed(time=lambda row: int(moment(row).timestamp() * 1000)), SAME),
    "times of another zone": Odd(changed(time=lambda row: moment(row).astimezone(datetime.timezone(datetime.timedelta(hours=5))).isoformat()), SAME),
    "times as objects": Odd(changed(time=moment), SAME),
    "further columns": Odd(changed(user=lambda row: row.setdefault("weather", "rain") and row["user"]), SAME),
    "no dwell time": Odd(changed(dwell=lambda row: None), SAME),
    "a dwell time that is NaN": Odd(changed(dwell=lambda row: math.nan), SAME),
    "a set": Odd(changed(shown=lambda row: set(row["shown"])), "a set has no order"),
    "a document without a name": Odd(changed(shown=lambda row: ["11", ""]), "has an entry without a value"),
    "a document of blanks": Odd(changed(shown=lambda row: [" ", "11"]), "has an entry without a value"),
    "a document twice": Odd(changed(shown=lambda row: ["11", "11"]), "is shown twice"),
    "one team too few": Odd(changed(teams=lambda row: ["A"]), "1 teams for 2 documents"),
    "a day without a time": Odd(changed(time=lambda row: "2026-03-01"), "cannot be read"),
    "a day as an object": Odd(changed(time=lambda row: moment(row).date()), "cannot be read"),
    "no time": Odd(changed(time=lambda row: None), "no `time`"),
    "no zone": Odd(changed(time=lambda row: row["time"][:19]), "has no zone"),
    "seconds in thousands": Odd(changed(time=lambda row: moment(row).timestamp() // 1000), "2000"),
    "a time of 0": Odd(changed(time=lambda row: 0), "2000"),
    "a day in 1970 as an object": Odd(changed(time=lambda row: moment(row).replace(year=1970)), "2000"),
    "an hour in digits": Odd(changed(time=lambda row: int(moment(row).strftime("%Y%m%d%H"))), "may be a date and its hour"),
    "an hour in digits as text": Odd(changed(time=lambda row: moment(row).strftime("%Y%m%d%H")), "may be a date and its hour"),
    "no user in particular": Odd(changed(user=lambda row: ""), "no impression has a user"),
    "a blank user": Odd(changed(user=lambda row: " "), "no impression has a user"),
    "no user": Odd(changed(user=lambda row: None), "no impression has a user"),
    "no impression": Odd(changed(impression=lambda row: None), "no `impression`"),
    "a dwell time below 0": Odd(changed(dwell=lambda row: -1.0), "dwell time"),
}


def as_text(value: Any) -> Any:
    """A value in JSON; objects of `datetime` as text."""
    if isinstance(value, set):
        pytest.skip("JSON has no sets")
    return value.isoformat()


@dataclasses.dataclass(frozen=True)
class Found:
    """The report on a form of a log: the same for all forms."""

    outcomes: str
    fates: str
    pages: str
    faults: list[dict[str, Any]]
    decide: Callable[[], tuple[str, Any]] = dataclasses.field(compare=False)
    """The verdict in words, and as ``decision.json`` has it."""


def click_logs(*words: object) -> str:
    done = subprocess.run([sys.executable, "-m", "rankduel.click_logs", *map(str, words)], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise ValueError(done.stderr)
    return done.stdout


def by_command(folder: Path, files: list[Path], rules: dict[str, Any]) -> Found:
    flags: list[object] = []
    for name, value in rules.items():
        flags += [f"--{name.replace('_', '-')}"] * (value is not False) + [value] * (not isinstance(value, bool))
    click_logs("credit", "--impressions", files[0], "--clicks", files[1], "--out", folder / "out", "--quiet", *flags)
    tables = [(folder / "out" / f"{name}.csv").read_text() for name in ("outcomes", "fates", "pages")]
    faults = json.loads((folder / "out/summary.json").read_text())["integrity"]["faults"]
    decide = lambda: (click_logs("decide", folder / "out"), json.loads(click_logs("decide", folder / "out", "--format", "json")))  # noqa: E731
    return Found(*tables, faults, decide)


def by_package(credited: rd.Credited) -> Found:
    assert credited.trusted == all(fault.trusted for fault in credited.faults)
    faults = [{name: value for name, value in dataclasses.asdict(fault).items() if value is not None} for fault in credited.faults]
    tables = [table.to_csv().decode() for table in (credited.outcomes, credited.fates, credited.pages)]

    def decide() -> tuple[str, Any]:
        decision = credited.decide()
        assert decision.trusted is decision.data["trusted"]
        return str(decision), decision.data

    return Found(*tables, faults, decide)


def by_lines(folder: Path, *tables: Rows, **rules: Any) -> Found:
    files = [folder / name for name in ("i.jsonl", "c.jsonl")]
    for file, rows in zip(files, tables):
        file.write_text("".join(json.dumps(row, default=as_text) + "\n" for row in rows))
    return by_command(folder, files, rules or FINAL)


def by_csv(folder: Path, *tables: Rows, **rules: Any) -> Found:
    files = [folder / name for name in ("i.csv", "c.csv")]
    for file, rows in zip(files, tables):
        with open(file, "w", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows([{name: "nan" if value is math.nan else value for name, value in row.items()} for row in rows])
    return by_command(folder, files, rules or FINAL)


def by_frame(make: Callable[[Rows], Any]) -> Callable[..., Found]:
    def credit(folder: Path, *tables: Rows, **rules: Any) -> Found:
        return by_package(rd.credit_frame(*map(make, tables), **(rules or FINAL)))

    return credit


def columns_of(rows: Rows) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def in_pandas(rows: Rows) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def in_polars(rows: Rows) -> Any:
    if any(isinstance(value, set) for value in rows[0].values()):
        pytest.skip("polars has no columns of sets")
    return pytest.importorskip("polars").DataFrame(rows)


def in_arrow(rows: Rows) -> Any:
    if any(isinstance(value, set) for value in rows[0].values()):
        pytest.skip("Arrow has no sets")
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


def by_spark(folder: Path, *tables: Rows, **rules: Any) -> Found:
    spark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    spark = spark_sql.SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    frames = [spark.createDataFrame(in_arrow(rows).to_pandas()) for rows in tables]
    return by_package(spark_credit(*frames, partitions=2, **(rules or FINAL)))


FORMS: dict[str, Callable[..., Found]] = {
    "JSON Lines": by_lines,
    "CSV": by_csv,
    "rows": by_frame(list),
    "columns": by_frame(columns_of),
    "pandas": by_frame(in_pandas),
    "polars": by_frame(in_polars),
    "Arrow": by_frame(in_arrow),
    "Spark": by_spark,
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    found = by_lines(tmp_path_factory.mktemp("plain"), *plain())
    assert "A,B,3,1,0" in found.outcomes and found.faults == []
    yield found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("odd", ODD)
def test_one_answer_in_every_form(odd: str, form: str, expected: Any, tmp_path: Path) -> None:
    tables = plain()
    ODD[odd].change(*tables)
    if ODD[odd].said == SAME:
        assert FORMS[form](tmp_path, *tables) == expected
        return
    with pytest.raises((ValueError, TypeError)) as raised:
        FORMS[form](tmp_path, *tables)
    assert ODD[odd].said in str(raised.value)


@pytest.mark.parametrize("make", [list, columns_of])
def test_dictionaries_need_no_other_library(make: Callable[[Rows], Any], expected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    assert by_frame(make)(tmp_path, *plain()) == expected
    nested = [
        {"query_id": row["impression"], "timestamp": row["time"], "client_id": row["user"], "query_response_hit_ids": row["shown"],
         "query_attributes": {"teams": row["teams"]}}
        for row in plain()[0]
    ]  # fmt: skip
    credited = rd.credit_frame(make(nested), make(plain()[1]), final=True)
    assert credited.outcomes.to_csv().decode() == expected.outcomes


@pytest.mark.parametrize("empty", [[], {}, (), "pandas", "polars", "pyarrow"])
def test_no_clicks_are_no_clicks(empty: Any) -> None:
    impressions, _ = plain()
    if isinstance(empty, str):
        module = pytest.importorskip(empty)
        empty = module.table({}) if empty == "pyarrow" else module.DataFrame()
    credited = rd.credit_frame(impressions, empty, final=True)
    assert credited.outcomes.to_dict()["unit_ties"] == [4] and credited.summary["lines"]["clicks"] == 0
    with pytest.raises(ValueError, match="there are no impressions"):
        rd.credit_frame(empty, [], final=True)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"window": datetime.timedelta(minutes=30)}, {"window": "30m"}),
        ({"skew": datetime.timedelta(milliseconds=1500)}, {"skew": "1500ms"}),
        ({"dwell": datetime.timedelta(seconds=5)}, {"dwell": "5s"}),
        ({"until": FIRST + datetime.timedelta(hours=2), "final": False}, {"until": "2026-03-01T12:00:00Z", "final": False}),
        ({"timezone": datetime.timezone(datetime.timedelta(hours=-5, minutes=-30))}, {"timezone": "-05:30"}),
        ({"timezone": datetime.timezone.utc}, {"timezone": "UTC"}),
        ({"timezone": zoneinfo.ZoneInfo("UTC")}, {"timezone": "UTC"}),
        ({"unit_days": 7.0}, {"unit_days": 7}),
    ],
)
def test_rules_of_other_types(given: Any, text: Any) -> None:
    found, expected = (rd.credit_frame(*plain(), **{"final": True, **rules}) for rules in (given, text))
    assert found == expected


def test_a_zone_is_passed_on_by_its_name() -> None:
    assert json.loads(rules_text({"timezone": zoneinfo.ZoneInfo("Europe/Berlin")}, "credit_frame"))["timezone"] == "Europe/Berlin"


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"window": 30}, "window: expected a length of time with its unit, such as '30m' or timedelta(minutes=30), found 30"),
        ({"timezone": 1}, "timezone: expected a name such as 'UTC'"),
        ({"until": True}, "until: expected a time"),
        ({"unit": 3}, "unit: expected a text, found 3"),
        ({"logged": True}, "logged: expected a text, found True"),
        ({"coin": 1}, "coin: expected a text, found 1"),
    ],
)
def test_rules_that_are_none(rules: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        rd.credit_frame(*plain(), **rules)
    assert message in str(raised.value)


def test_periods_of_pandas_are_no_times() -> None:
    pandas = pytest.importorskip("pandas")
    impressions, clicks = plain()
    times = pandas.to_datetime([row["time"][:19] for row in impressions]).to_period("s")
    with pytest.raises(ValueError, match=r"the column 'time' cannot be read as times: it holds periods of pandas; .*to_timestamp"):
        rd.credit_frame(pandas.DataFrame(impressions).assign(time=times), clicks)


def test_what_is_no_frame() -> None:
    pandas = pytest.importorskip("pandas")
    impressions, clicks = plain()
    for wrong in (pandas.Series([1]), pytest.importorskip("polars").Series([1]), pytest.importorskip("pyarrow").array([1])):
        with pytest.raises(TypeError, match="expected a frame of impressions .*, which is one column"):
            rd.credit_frame(wrong, clicks)
    with pytest.raises(TypeError, match=r"impressions: expected a DataFrame of Spark, found a DataFrame of pandas; rankduel.credit_frame"):
        spark_credit(pandas.DataFrame(impressions), pandas.DataFrame(clicks))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server with an experiment of two rankers."""
    program = os.environ.get("RANKDUEL_SERVER")
    if program is None:
        pytest.skip("no RANKDUEL_SERVER")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    store = tmp_path_factory.mktemp("shop") / "s.db"
    command = [program, "serve", "--create", "--no-keys", "--store", str(store), "--listen", f"127.0.0.1:{port}", "--log-level", "warn"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline().startswith("serving")
        with Client(f"http://127.0.0.1:{port}", timeout=5.0) as client:
            client.create("shop", ["A", "B"])
            yield client
        process.terminate()
        assert process.wait(30) == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"shown": [11, 12]}, SAME),
        ({"shown": [11, "12"]}, SAME),
        ({"user": 7}, SAME),
        ({"user": "u\u00e9"}, SAME),
        ({"user": ""}, "user"),
        ({"user": " "}, "user"),
        ({"user": True}, "text or a whole number"),
        ({"user": 1.5}, "text or a whole number"),
        ({"shown": ["11", "11"]}, "11"),
        ({"shown": ["11", 1.5]}, "text or "),
        ({"shown": ["11", True]}, "text or "),
        ({"shown": ["11", None]}, "shown"),
        ({"shown": ["11", ""]}, "shown"),
        ({"shown": ["11", " "]}, "shown"),
        ({"shown": "11"}, "shown"),
        ({"shown": {"11": 1, "12": 2}}, "shown"),
    ],
)
def test_an_impression_says_the_same_in_a_file_and_over_http(change: dict[str, Any], said: str, shop: Client, tmp_path: Path) -> None:
    impressions, clicks = plain()
    # A user counts once.
    impressions, clicks = impressions[: 1 if "user" in change else 4], clicks[: 1 if "user" in change else 4]
    for row in impressions:
        row.update(change)
    lists = change.get("shown", ["11", "12"])
    asked = {"unit": change.get("user", f"user of {change}"), "query": "q", "lists": {"A": lists, "B": lists}}
    url = f"{shop._transport.url}/v1/experiments/shop/impressions"
    request = urllib.request.Request(url, json.dumps(asked).encode(), {"content-type": "application/json"})
    if said == SAME:
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert sorted(json.load(answer)["shown"]) == ["11", "12"]
        counted = "A,B,1,0,0" if "user" in change else "A,B,3,1,0"
        assert counted in by_lines(tmp_path, impressions, clicks).outcomes
        return
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    with pytest.raises(ValueError) as raised:
        by_lines(tmp_path, impressions, clicks)
    # Over HTTP a user is a unit, and the shown documents come as lists.
    over_http = said.replace("shown", "lists").replace("user", "unit")
    assert over_http in json.load(refused.value)["detail"] and said in str(raised.value)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("11", SAME),
        (11, SAME),
        (1.5, "text or a whole number"),
        (True, "text or a whole number"),
        (["11"], "text or a whole number"),
    ],
)
def test_a_click_says_the_same_in_a_file_and_over_http(document: Any, said: str, shop: Client, expected: Any, tmp_path: Path) -> None:
    page = shop.impression("shop", {"A": ["11", "12"], "B": ["12", "11"]}, unit=f"user of {document}")
    event = {"action_name": "click", "query_id": page.id, "event_attributes": {"object": {"object_id": document}}}
    [fate] = shop.events([event])
    impressions, clicks = plain()
    if said == SAME:
        assert fate.status == "taken"
        changed(document=lambda row: type(document)(row["document"]))(impressions, clicks)
        assert by_lines(tmp_path, impressions, clicks) == expected
        return
    assert fate.status == "malformed" and fate.why is not None and said in fate.why
    changed(document=lambda row: document)(impressions, clicks)
    with pytest.raises(ValueError, match="document") as raised:
        by_lines(tmp_path, impressions, clicks)
    assert said in str(raised.value)
