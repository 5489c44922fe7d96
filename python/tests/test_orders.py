"""Orders credited by SQL that was written from the page *Decide by orders and money* alone, in DuckDB: equal to `click-logs`, row by row."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = os.environ.get("RANKDUEL_CLICK_LOGS")
# The number of impressions: 1e5 users take some 450,000.
IMPRESSIONS = os.environ.get("RANKDUEL_ORDERS", "6000")

SQL = """
create table lists as
select impression, "user" as unit, coalesce(version, '') as version, least(rankers[1], rankers[2]) as first,
  greatest(rankers[1], rankers[2]) as second, min(time) as time, any_value(shown) as shown, any_value(teams) as teams
from impressions
where impression in (select impression from detail where fate = 'credited')
group by all;

create table counted as
select *, least_time // 86400000 + {unit_days} - 1 as last_day
from (select *, min(time) over (partition by unit, version, first, second) as least_time from lists)
where time // 86400000 <= least_time // 86400000 + {unit_days} - 1;

create table bots as
select unit, min(date_diff('day', date '1970-01-01', cast(day as date))) as bot_from from detail where fate = 'bot' group by unit;

create table units as
select distinct unit, version, first, second, last_day, last_day + {days} as closing
from counted left join bots using (unit)
where bot_from is null or bot_from > last_day;

create table places as
select unit, version, first, second, time, unnest(shown) as document, unnest(teams) as owner from counted;

create table lines as
select "user" as unit, document, "order", value, min(time) as time
from conversions
where action = 'order' and currency = 'EUR' and "user" is not null
group by "user", document, "order", value, case when "order" is null then time end;

-- What is left of each line for each unit that it may count for.
create table kept as
select u.unit, u.version, u.first, u.second, u.closing, l.document, l."order", l.time, l.value,
  sum(case when l.value < 0 then -l.value else 0 end) over later as taken,
  row_number() over (partition by u.unit, u.version, u.first, u.second, l.document, l."order" order by l.time, l.value < 0, l.value) as place
from units as u join lines as l on l.unit = u.unit and l.time // 86400000 <= u.closing
window later as (partition by u.unit, u.version, u.first, u.second, l.document, l."order" order by l.time, l.value < 0, l.value
  rows between 1 following and unbounded following);

create table sold as
select * exclude (taken), value - least(value, coalesce(taken, 0)) as left_over
from kept where value >= 0 and not (value > 0 and value <= coalesce(taken, 0));

create table before as
select s.*, p.time as shown_at, p.owner,
  max(p.time) over (partition by s.unit, s.version, s.first, s.second, s.document, s."order", s.place) as newest
from sold as s join places as p
  on (p.unit, p.version, p.first, p.second, p.document) = (s.unit, s.version, s.first, s.second, s.document)
  and p.time - 5000 <= s.time
where {window};

create table credited as
select unit, version, first, second, document, "order", place, any_value(left_over) as left_over,
  count(*) filter ({counts}) as k,
  count(*) filter ({counts} and owner = first) as a,
  count(*) filter ({counts} and owner = second) as b
from before group by unit, version, first, second, document, "order", place;

create table sums as
select unit, version, first, second, {numbers}
from credited group by unit, version, first, second;

select u.unit, u.version, strftime(make_date(cast(u.closing as integer)), '%Y-%m-%d'), u.first, u.second,
  coalesce(first_conversions, 0), coalesce(second_conversions, 0), coalesce(first_value, 0), coalesce(second_value, 0)
from units as u left join sums as s
  on (s.unit, s.version, s.first, s.second) = (u.unit, u.version, u.first, u.second)
order by all;
"""

WHOLE = """
  sum(cast({a} as integer)) as first_conversions, sum(cast({b} as integer)) as second_conversions,
  sum(case when {a} then left_over else 0 end) as first_value, sum(case when {b} then left_over else 0 end) as second_value
"""
DIVIDED = """
  sum(a) as first_conversions, sum(b) as second_conversions,
  sum(left_over * a // k) as first_value, sum(left_over * b // k) as second_value
"""
# By attribution: the conditions on earlier lists and on those that count, and their credit.
RULES = {
    "last": ("true", "where shown_at = newest", WHOLE.format(a="a = k", b="b = k")),
    "most-drafted": ("true", "where true", WHOLE.format(a="a > b", b="b > a")),
    "all": ("true", "where true", DIVIDED),
    "window=2d": ("s.time - p.time <= 2 * 86400000", "where true", DIVIDED),
}


def click_logs(*arguments: object) -> None:
    words = [PROGRAM] if PROGRAM else [sys.executable, "-m", "rankduel.click_logs"]
    done = subprocess.run([*words, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop") / "log"
    click_logs(
        *("simulate", "--quiet", "--impressions", IMPRESSIONS, "--orders", "0.3", "--doubles", "0.2", "--conflicts", "0.01"),
        *("--change-version-at", "0.5", "--out", folder),
    )
    return folder


@pytest.mark.parametrize(("attribution", "days", "unit_days"), [("last", 7, 1), ("most-drafted", 3, 2), ("all", 5, 3), ("window=2d", 4, 3)])
def test_sql_of_the_documentation_gives_every_unit_the_same(
    shop: Path, tmp_path: Path, attribution: str, days: int, unit_days: int
) -> None:
    duckdb = pytest.importorskip("duckdb")
    out = tmp_path / "credited"
    click_logs(
        *("credit", "--quiet", "--impressions", shop / "impressions.jsonl", "--clicks", shop / "clicks.jsonl", "--final", "--detail"),
        *("--bots", shop / "bots.toml", "--outcomes", shop / "conversions.jsonl", "--attribution", attribution),
        *("--outcome-days", days, "--outcome-actions", "order", "--currency", "EUR", "--unit-days", unit_days, "--out", out),
    )
    database = duckdb.connect()

    def load(name: str, query: str, *files: Path) -> None:
        database.execute(f"create table {name} as {query}", [str(path) for path in files])

    fields = "{impression: 'varchar', user: 'varchar', time: 'bigint', shown: 'varchar[]', teams: 'varchar[]', rankers: 'varchar[]',"
    fields += " experiment: 'varchar', version: 'varchar'}"
    load(
        "impressions",
        "select * replace (experiment || '@' || version as version) "
        f"from read_json(?, format = 'newline_delimited', columns = {fields})",
        shop / "impressions.jsonl",
    )
    fields = "{user: 'varchar', document: 'varchar', time: 'bigint', action: 'varchar', value: 'bigint', currency: 'varchar', "
    fields += "\"order\": 'varchar'}"
    load("conversions", f"select * from read_json(?, format = 'newline_delimited', columns = {fields})", shop / "conversions.jsonl")
    load("detail", "select * from read_csv(?, all_varchar = true)", out / "detail-impressions.csv")
    window, counts, numbers = RULES[attribution]
    script = SQL.format(unit_days=unit_days, days=days, window=window, counts=counts, numbers=numbers)
    found: list[tuple[Any, ...]] = database.execute(script).fetchall()
    columns = ["first_conversions", "second_conversions", "first_value", "second_value"]
    units = rows(out / "detail-conversion-units.csv")
    expected = sorted(
        (row["unit"], row["version"], row["day"], row["first"], row["second"], *(int(row[column]) for column in columns))
        for row in units
        if row["fate"] == "counted"
    )
    assert sorted(found) == expected
    assert sum(sum(row[5:7]) for row in expected) > 200
    # And they add up.
    totals = [sum(row[at] for row in expected) for at in range(5, 9)]
    table = rows(out / "conversions.csv")
    assert totals == [sum(int(row[column]) for row in table) for column in columns]
    assert len(expected) == sum(int(row[f"unit_{kind}"]) for row in table for kind in ("wins", "losses", "ties"))


def test_python_decides_by_what_was_named(shop: Path, tmp_path: Path) -> None:
    rd = pytest.importorskip("rankduel")
    for primary in ("clicks", "conversions", "value"):
        out = tmp_path / primary
        click_logs(
            *("credit", "--quiet", "--impressions", shop / "impressions.jsonl", "--clicks", shop / "clicks.jsonl", "--final"),
            *("--outcomes", shop / "conversions.jsonl", "--currency", "EUR", "--cap", "20000", "--primary", primary, "--out", out),
        )
        words = [PROGRAM] if PROGRAM else [sys.executable, "-m", "rankduel.click_logs"]
        done = subprocess.run([*words, "decide", str(out)], capture_output=True, text=True, timeout=600, check=True)
        decision = rd.decide(out)
        assert str(decision).rstrip("\n") == done.stdout.rstrip("\n"), primary
        assert decision.data["decided_by"] == primary and len(decision.data["beside"]) == 2
