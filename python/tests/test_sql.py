"""The query of `click-logs sql` and `click-logs credit` give the same counts, row by row: in DuckDB, and in PostgreSQL where that is installed."""

from __future__ import annotations

import csv
import io
import json
import os
import pwd
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PROGRAM = os.environ.get("RANKDUEL_CLICK_LOGS")
DIALECTS = ("duckdb", "postgres", "bigquery", "snowflake", "databricks", "redshift")
# All rules with all logs take minutes: a third of them, so that each log and each rule has its turn, unless RANKDUEL_ALL is set.
IS_ALL = bool(os.environ.get("RANKDUEL_ALL"))
SEEDS = 40 if IS_ALL else 15
DAY = 86_400_000
MINUTE = 60_000

Row = dict[str, Any]


def click_logs(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [PROGRAM] if PROGRAM else [sys.executable, "-m", "rankduel.click_logs"]
    return subprocess.run([*words, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)


def printed(*arguments: object) -> str:
    done = click_logs(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


# The columns of the contract: their names in a log, and their types in DuckDB and PostgreSQL.
SHOWN = {
    "impression_id": ("impression", "text"),
    "shown_at": ("time", "bigint"),
    "user_id": ("user", "text"),
    "session_id": ("session", "text"),
    "documents": ("shown", "text[]"),
    "teams": ("teams", "text[]"),
    "rankers": ("rankers", "text[]"),
    "agent": ("agent", "text"),
    "pairs": ("pairs", "text"),
    "version": ("version", "text"),
    "mixed": ("mixed", "text[]"),
    "pinned": ("pinned", "text[]"),
}
CLICKED = {
    "impression_id": ("impression", "text"),
    "document": ("document", "text"),
    "clicked_at": ("time", "bigint"),
    "dwell": ("dwell", "double precision"),
}
OPTIONAL = {"rankers", "agent", "pairs", "version", "mixed", "pinned", "dwell"}


class Log:
    """Lines of impressions and clicks, with only the fields that the columns have."""

    def __init__(self, impressions: list[Row], clicks: list[Row], columns: tuple[str, ...] = ()) -> None:
        def kept(rows: list[Row], contract: dict[str, tuple[str, str]]) -> list[Row]:
            fields = [field for name, (field, _) in contract.items() if name not in OPTIONAL or name in columns]
            return [{field: row[field] for field in fields if row.get(field) is not None} for row in rows]

        self.impressions = kept(impressions, SHOWN)
        self.clicks = kept(clicks, CLICKED)
        self.columns = columns

    def rows(self, clicks: bool) -> list[list[Any]]:
        rows, contract = (self.clicks, CLICKED) if clicks else (self.impressions, SHOWN)
        return [[row.get(field) for field, _ in contract.values()] for row in rows]

    def credited(self, folder: Path, *flags: object) -> tuple[list[list[str]], dict[tuple[str, str], int]]:
        """The rows of outcomes.csv, with its header, and the counts of fates.csv."""
        files = [folder / "impressions.jsonl", folder / "clicks.jsonl"]
        for path, rows in zip(files, (self.impressions, self.clicks)):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        out = folder / "credited"
        printed(
            *("credit", "--impressions", files[0], "--clicks", files[1], "--quiet", "--malformed", "set-aside"),
            *("--replace", "--detail", "--out", out, *flags),
        )
        outcomes = list(csv.reader((out / "outcomes.csv").read_text().splitlines()))
        fates = list(csv.DictReader((out / "fates.csv").read_text().splitlines()))
        return outcomes, {(row["what"], row["fate"]): int(row["count"]) for row in fates}

    def script(self, dialect: str, *flags: object) -> str:
        columns = ("--columns", ",".join(self.columns)) if self.columns else ()
        return printed("sql", "--dialect", dialect, "--milliseconds", *columns, *flags)


class Simulated(Log):
    def __init__(self, folder: Path, *flags: object, columns: tuple[str, ...] = ("rankers", "agent", "pairs", "dwell")) -> None:
        self.folder = folder
        usual = {"--impressions": "1000", "--days": "5", "--bots": "0.01", "--conflicts": "0.01"}
        asked = usual | dict(zip(flags[::2], flags[1::2]))
        printed("simulate", "--quiet", "--out", folder / "log", *(word for flag in asked.items() for word in flag))
        impressions, clicks = (
            [json.loads(line) for line in (folder / "log" / name).read_text().splitlines()]
            for name in ("impressions.jsonl", "clicks.jsonl")
        )
        for row in impressions:
            if "experiment" in row:
                row["version"] = f"{row['experiment']}@{row['version']}"
        super().__init__(impressions, clicks, columns)
        self.bots = folder / "log" / "bots.toml"


class DuckDb:
    """A database in memory that holds a log."""

    def __init__(self, log: Log) -> None:
        duckdb = pytest.importorskip("duckdb")
        pa = pytest.importorskip("pyarrow")
        self.database = duckdb.connect()
        types = {"text": pa.string(), "bigint": pa.int64(), "text[]": pa.list_(pa.string()), "double precision": pa.float64()}
        for name, contract, clicks in (("impressions", SHOWN, False), ("clicks", CLICKED, True)):
            rows = log.rows(clicks)
            arrays = [pa.array([row[at] for row in rows], types[kind]) for at, (_, kind) in enumerate(contract.values())]
            table = pa.table(arrays, names=list(contract))
            self.database.register("given", table)
            self.database.execute(f"create table {name} as select * from given")
            self.database.unregister("given")

    def run(self, script: str) -> None:
        self.database.execute(script)

    def rows(self, query: str) -> list[list[str]]:
        found = self.database.execute(query).fetchall()
        return [["" if value is None else str(value) for value in row] for row in found]


def outcomes_of(database: Any, header: list[str], order: dict[str, int]) -> list[list[str]]:
    """The rows of `daily_pairs` with the columns of outcomes.csv, in its order."""
    columns = ", ".join(f'"{name}"' for name in header)
    rows: list[list[str]] = database.rows(f"select {columns} from click_credit.daily_pairs")
    names = [header.index(name) for name in ("first", "second")]
    day = header.index("day")
    return sorted(rows, key=lambda row: (row[: day + 1], *(order.get(row[at], 99) for at in names), row))


def fates_of(database: Any) -> dict[tuple[str, str], int]:
    rows = database.rows("select what, fate, lines from click_credit.fates")
    return {(what, fate): int(lines) for what, fate, lines in rows}


def same(log: Log, database: Any, dialect: str, folder: Path, *flags: object) -> list[list[str]]:
    """Credits a log in both ways, and compares; returns the rows of outcomes."""
    (header, *expected), fates = log.credited(folder, *flags)
    database.run(log.script(dialect, *flags))
    names = sorted({name for row in expected for name in (row[header.index("first")], row[header.index("second")])})
    named = str(flags[flags.index("--rankers") + 1]).split(",") if "--rankers" in flags else []
    order = {name: at for at, name in enumerate([*named, *(name for name in names if name not in named)])}
    assert fates_of(database) == fates
    assert outcomes_of(database, header, order) == expected
    verified(database, folder)
    return expected


def verified(database: Any, folder: Path) -> None:
    """Every unit has the outcome, the day and the fate that `credit` gives it."""
    columns = ("unit", "version", "day", "first", "second", "net", "fate")
    table = folder / "unit_outcomes.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *database.rows(f"select {', '.join(columns)} from click_credit.unit_outcomes")])
    assert printed("verify", table, folder / "credited").startswith("Equal: ")


SIMULATIONS = {
    "two rankers": ("--days", "6"),
    "three rankers": ("--rankers", "3", "--days", "5"),
    "many doubles": ("--doubles", "0.9", "--conflicts", "0.1"),
    "late, lost, early": ("--late", "0.3", "--lost", "0.2", "--early", "0.2"),
    "not there": ("--unknown", "0.3", "--not-shown", "0.3"),
    "bots": ("--bots", "0.3", "--days", "3"),
    "lists of one document": ("--shown", "1", "--rankers", "3"),
    "informational, in the order of time": ("--click", "informational", "--order", "time", "--quality-gap", "0.5", "--drift", "1"),
    "competitive pairs": ("--method", "team-draft:pairs"),
    "versions": ("--change-version-at", "0.4", "--rankers", "3"),
    "pages": ("--pages", "3", "--pinned", "0.3", "--left-out", "0.1", "--click", "informational"),
}
RULES: dict[str, tuple[object, ...]] = {
    "final": ("--final", "--rankers", "A,B"),
    "open": (),
    "three days": ("--unit-days", "3"),
    "a short window": ("--window", "5m", "--skew", "1s", "--final"),
    "until": ("--until", "2026-01-03T12:00:00Z", "--unit-days", "2"),
    "an offset": ("--timezone", "+05:30", "--unit-days", "2"),
    "dwell": ("--dwell", "30s", "--final"),
    "steered": ("--pairs", "steered"),
    "kept": ("--pairs", "kept", "--unit-days", "3"),
    "sessions": ("--unit", "session", "--final"),
    "impressions": ("--unit", "impression"),
}


def columns_of(simulation: str) -> tuple[str, ...]:
    more = {"versions": ("version",), "pages": ("mixed", "pinned")}
    return ("rankers", "agent", "pairs", "dwell", *more.get(simulation, ()))


@pytest.fixture(scope="module", params=SIMULATIONS)
def simulated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Simulated, DuckDb]:
    log = Simulated(tmp_path_factory.mktemp("log"), *SIMULATIONS[request.param], columns=columns_of(request.param))
    return log, DuckDb(log)


def has_turn(simulation: str, rules: str) -> bool:
    return IS_ALL or (list(SIMULATIONS).index(simulation) + list(RULES).index(rules)) % 3 == 0


@pytest.mark.parametrize("rules", RULES)
def test_simulated_logs(simulated: tuple[Simulated, DuckDb], rules: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    log, database = simulated
    if not has_turn(request.node.callspec.params["simulated"], rules):
        pytest.skip("RANKDUEL_ALL is not set")
    assert same(log, database, "duckdb", tmp_path, "--bots", log.bots, *RULES[rules])


@pytest.mark.parametrize("columns", [(), ("pairs",), ("rankers",)])
@pytest.mark.parametrize("rankers", ["2", "3"])
@pytest.mark.parametrize("rules", ["open", "final", "steered", "three days"])
def test_fewer_columns(columns: tuple[str, ...], rankers: str, rules: str, tmp_path: Path) -> None:
    """Short lists say less of who met, and logs that do not say how pairs were chosen may have been steered."""
    flags = RULES[rules] if rankers == "2" or rules != "final" else ("--final", "--rankers", "A,B,C")
    log = Simulated(tmp_path, "--impressions", "800", "--shown", "2", "--rankers", rankers, "--seed", "3", columns=columns)
    limits = tmp_path / "limits.toml"
    limits.write_text('max_impressions_per_day = 20\nmax_clicks_per_day = 12\nmax_clicks_per_impression = 3\nunits = ["u7"]\nunit_prefixes = ["u3"]\n')
    assert same(log, DuckDb(log), "duckdb", tmp_path, "--bots", limits, *flags)


def hostile(seed: int) -> Log:
    """A log with few ids and users, so that all kinds of trouble happen."""
    chance = random.Random(seed)
    start = 20_780 * DAY
    rankers = ["A", "B"] if chance.random() < 0.5 else ["A", "B", "C"]
    columns = tuple(name for name in ("rankers", "agent", "pairs", "version", "dwell") if chance.random() < 0.5)
    alone = chance.random() < 0.3
    shown: list[Row] = []
    for _ in range(chance.randrange(1, 80)):
        if shown and chance.random() < 0.3:
            again = dict(chance.choice(shown))
            kind = chance.randrange(10)
            if kind < 4:
                again["time"] += chance.choice([0, 1, -40, 7_200_000, -7_200_000])
            elif kind == 4:
                again |= {"shown": [], "teams": chance.choice([None, []]), "time": again["time"] + chance.randrange(-50, 50)}
            elif kind == 5:
                again["user"] = chance.choice(["u1", None, "-"])
            elif kind == 6 and again["teams"] is not None:
                again["teams"] = again["teams"][::-1]
            elif kind == 7:
                again["shown"] = again["shown"][::-1]
            elif kind == 8:
                again["rankers"] = again["rankers"][::-1]
            else:
                again |= {"agent": "crawler", "version": chance.choice([None, "v2"]), "pairs": chance.choice([None, "chance"])}
            shown.append(again)
            continue
        length = chance.randrange(1, 5)
        met = chance.sample(rankers, 1 if alone and chance.random() < 0.3 else chance.randrange(2, len(rankers) + 1))
        teams: list[str | None] | None = [chance.choice([*met, None]) if chance.random() < 0.3 else chance.choice(met) for _ in range(length)]
        documents = [f"d{at}" for at in chance.sample(range(6), length)]
        if chance.random() < 0.05:
            # `credit` gets the rankers of such a line, and counts them when it infers how pairs were chosen, so such lines name no ranker.
            documents, teams = [*documents, documents[0]], None
        if chance.random() < 0.05 and teams:
            teams.append("A")
        shown.append(
            {
                "impression": f"i{chance.randrange(60)}",
                "time": start + chance.randrange(5 * DAY),
                "user": chance.choice(["u1", "u2", "u3", "u4", "u5", None]) if chance.random() < 0.9 else chance.choice(["", "null", "-"]),
                "session": f"s{chance.randrange(9)}",
                "agent": chance.choice(["Browser", None, "Crawler/1"]) if chance.random() < 0.3 else "Browser",
                "pairs": chance.choice([None, "chance", "kept", "steered"]) if chance.random() < 0.1 else chance.choice([None, "chance"]),
                "version": chance.choice([None, "v1"]) if seed % 3 == 0 else "v1",
                "shown": documents,
                "teams": None if chance.random() < 0.08 else teams,
                "rankers": met,
            }
        )
    clicks: list[Row] = []
    for _ in range(chance.randrange(120)):
        of = chance.choice(shown)
        clicks.append(
            {
                "impression": "i99" if chance.random() < 0.1 else of["impression"],
                "document": f"d{chance.randrange(7)}",
                "time": of["time"] + chance.choice([chance.randrange(-20_000, 120 * MINUTE), -5_000, -5_001, 30 * MINUTE, 30 * MINUTE + 1]),
                "dwell": chance.choice([None, chance.randrange(60), 29.9999, 30]),
            }
        )
    return Log(shown, clicks, columns)


def rules_of(seed: int, log: Log, folder: Path) -> list[object]:
    chance = random.Random(1_000 + seed)
    bots = folder / "bots.toml"
    lines = [f"{name} = {chance.randrange(1, 9)}" for name in ("max_impressions_per_day", "max_clicks_per_day", "max_clicks_per_impression") if chance.random() < 0.3]
    if "agent" in log.columns and chance.random() < 0.5:
        lines.append('agents = ["CRAWL"]')
    if chance.random() < 0.2:
        lines.append('units = ["u4"]')
    bots.write_text("\n".join(lines))
    flags: list[object] = ["--bots", bots]
    flags += ["--unit-days", chance.choice([1, 1, 2, 3])]
    flags += ["--timezone", chance.choice(["UTC", "+01:00", "-09:30"])]
    flags += chance.choice([[], ["--final"], ["--until", "2026-11-25T03:04:05.678Z"]])
    flags += chance.choice([[], [], ["--pairs", "chance"], ["--pairs", "kept"], ["--pairs", "steered"]])
    names = {name for row in log.impressions for name in [*(row.get("teams") or []), *(row.get("rankers") or [])] if name}
    if chance.random() < 0.4 and {"A", "B"} <= names:
        flags += ["--rankers", ",".join(sorted(names, reverse=chance.random() < 0.5))]
    if "dwell" in log.columns and chance.random() < 0.4 and any("dwell" in row for row in log.clicks):
        flags += ["--dwell", "30s"]
    return flags


def test_moments_and_the_verdict(tmp_path: Path) -> None:
    """Tables usually have moments. `decide` reads what the SQL exports, and says of it what it says of the folder of `credit`."""
    log = Simulated(tmp_path, "--impressions", "3000", "--quality-gap", "0.8", columns=("rankers", "agent", "pairs"))
    database = DuckDb(log)
    flags = ("--bots", log.bots, "--final", "--rankers", "A,B")
    (header, *expected), fates = log.credited(tmp_path, *flags)
    database.run("alter table impressions alter shown_at type timestamptz using to_timestamp(shown_at / 1000.0)")
    database.run("alter table clicks alter clicked_at type timestamptz using to_timestamp(clicked_at / 1000.0)")
    database.run(printed("sql", "--dialect", "duckdb", "--columns", "rankers,agent,pairs", *flags))
    assert fates_of(database) == fates
    assert outcomes_of(database, header, {}) == expected
    export = tmp_path / "daily_pairs.csv"
    database.run(f"copy click_credit.daily_pairs to '{export}' (header)")
    of_folder, of_export = (printed("decide", path).splitlines() for path in (tmp_path / "credited", export))
    verdict = next(at for at, line in enumerate(of_folder) if line.startswith("B beats A: over 9"))
    # A table does not state its units.
    assert of_export[:4] == [line.replace("user", "unit") for line in of_folder[verdict : verdict + 4]]


PAGE = Path(__file__).parents[2] / "docs/pages/how-to/warehouse.md"
EXPERIMENT = "product-ranker"


def views_of(dialect: str) -> str:
    """The views that the documentation has for the tables of GrowthBook."""
    blocks = re.findall("```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    views: list[str] = [block for block in blocks if "from exposures" in block]
    return views[DIALECTS[1::-1].index(dialect)]


def of_growthbook(log: Log) -> tuple[Log, list[list[Any]], list[list[Any]]]:
    """The log with some places without a ranker, and the same as rows of exposures and events, those of another experiment among them."""
    chance = random.Random(5)
    exposures: list[list[Any]] = []
    impressions = []
    for row in log.impressions:
        is_pair = [chance.random() < 0.7 for _ in row["teams"]]
        items = [
            {"itemId": document, "variation": team, "competitive": competes, "position": place}
            for place, (document, team, competes) in enumerate(zip(row["shown"], row["teams"], is_pair))
        ]
        impressions.append(row | {"teams": [team if competes else None for team, competes in zip(row["teams"], is_pair)]})
        exposures.append([row["user"], row["time"], EXPERIMENT, row["impression"], json.dumps(items)])
    exposures += [[user, time, "another", f"x{id}", items] for user, time, _, id, items in exposures[::7]]
    events = [[row["impression"], row["document"], row["time"]] for row in log.clicks]
    events += [[None, document, time] for _, document, time in events[::9]]
    return Log(impressions, log.clicks), exposures, events


GROWTHBOOK = """
create table given_exposures (user_id text, milliseconds bigint, experiment_id text, ranking_id text, items text);
create table given_events (ranking_id text, item_id text, milliseconds bigint);
"""
OF_MOMENTS = """
create view exposures as select *, to_timestamp(milliseconds / 1000.0) as timestamp from given_exposures;
create view events as select *, to_timestamp(milliseconds / 1000.0) as timestamp from given_events;
"""


def growthbook(log: Log, database: Any, dialect: str, folder: Path) -> None:
    flags = ("--final", "--rankers", "A,B", "--pairs", "chance")
    (header, *expected), fates = log.credited(folder, *flags)
    database.run(OF_MOMENTS + views_of(dialect) + printed("sql", "--dialect", dialect, *flags))
    assert fates_of(database) == fates
    assert outcomes_of(database, header, {}) == expected
    verified(database, folder)


def test_tables_of_growthbook(tmp_path: Path) -> None:
    log, exposures, events = of_growthbook(Simulated(tmp_path, columns=()))
    database = DuckDb(Log([], []))
    database.run("drop table impressions; drop table clicks;" + GROWTHBOOK)
    database.database.executemany("insert into given_exposures values (?, ?, ?, ?, ?)", exposures)
    database.database.executemany("insert into given_events values (?, ?, ?)", events)
    growthbook(log, database, "duckdb", tmp_path)


def test_tables_of_growthbook_in_postgres(postgres: Postgres, tmp_path: Path) -> None:
    log, exposures, events = of_growthbook(Simulated(tmp_path, columns=()))
    script = "drop table if exists impressions cascade; drop table if exists clicks cascade;" + GROWTHBOOK
    for name, rows in (("given_exposures", exposures), ("given_events", events)):
        script += f"copy {name} from stdin;\n" + "".join("\t".join(map(of_copy, row)) + "\n" for row in rows) + "\\.\n"
    postgres.run(script)
    growthbook(log, postgres, "postgres", tmp_path)
    postgres.run("drop table given_exposures cascade; drop table given_events cascade;")


@pytest.mark.parametrize("columns", [(), ("--columns", "rankers,agent,pairs,version,mixed,pinned,dwell", "--dwell", "30s")])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_are_parsed(dialect: str, columns: tuple[str, ...]) -> None:
    """For dialects that no test runs, `sqlglot` parses the text as that dialect."""
    sqlglot = pytest.importorskip("sqlglot")
    script = printed("sql", "--dialect", dialect, *columns)
    parsed = [statement for statement in sqlglot.parse(script, read=dialect, error_level=sqlglot.ErrorLevel.RAISE) if statement]
    tables = [statement for statement in parsed if isinstance(statement, sqlglot.exp.Create) and statement.kind == "TABLE"]
    assert len(tables) == script.count("\ncreate table ") > 20
    assert not [statement for statement in parsed if isinstance(statement, sqlglot.exp.Command)]


class Postgres:
    """A database in a server of its own: in a private folder, on a Unix socket, of a user that is not root."""

    user: dict[str, Any] = {}

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if os.getuid() == 0:
            account = pwd.getpwnam("nobody")
            os.chown(folder, account.pw_uid, account.pw_gid)
            self.user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self.call("initdb", "--pgdata", folder / "data", "--username", "tester", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
        # fsync is off: nothing here outlives the test.
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        self.call("pg_ctl", "--pgdata", folder / "data", "--log", folder / "log", "--options", options, "--wait", "start")

    def call(self, program: str, *arguments: object, given: str = "") -> str:
        words = [found(program), *map(str, arguments)]
        done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=600, check=False, cwd=self.folder, **self.user)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def run(self, script: str) -> str:
        flags = ("--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--host", self.folder, "--username", "tester", "--dbname", "postgres")
        return self.call("psql", *flags, given="set client_min_messages = warning;\n" + script)

    def rows(self, query: str) -> list[list[str]]:
        return list(csv.reader(io.StringIO(self.run(f"copy ({query}) to stdout with (format csv);"))))

    def holds(self, log: Log) -> Postgres:
        """Itself, with this log in the place of any other."""
        script = ""
        for name, contract, clicks in (("impressions", SHOWN, False), ("clicks", CLICKED, True)):
            columns = ", ".join(f"{column} {kind}" for column, (_, kind) in contract.items())
            script += f"drop table if exists {name};\ncreate table {name} ({columns});\ncopy {name} from stdin;\n"
            script += "".join("\t".join(map(of_copy, row)) + "\n" for row in log.rows(clicks)) + "\\.\n"
        self.run(script)
        return self

    def stop(self) -> None:
        self.call("pg_ctl", "--pgdata", self.folder / "data", "--mode", "immediate", "stop")


def of_copy(value: Any) -> str:
    """A value as COPY reads it; ids of tests have nothing that must be escaped."""
    if isinstance(value, list):
        return "{" + ",".join("NULL" if entry is None else f'"{entry}"' for entry in value) + "}"
    return "\\N" if value is None else str(value)


def found(program: str) -> str:
    """Where a program of PostgreSQL is; Debian keeps some away from the path."""
    places = [shutil.which(program), *map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}")))]
    return next((place for place in places if place), "")


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    if not all(map(found, ("initdb", "pg_ctl", "psql"))):
        pytest.skip("PostgreSQL is not installed: its SQL is not run")
    # Not below the folder of the tests, which other users cannot enter; and short, as paths of sockets must be.
    folder = Path(tempfile.mkdtemp(prefix="sql-", dir="/tmp"))
    database = None
    try:
        database = Postgres(folder)
        yield database
    finally:
        if database:
            database.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_simulated_logs_in_postgres(simulation: str, postgres: Postgres, tmp_path: Path) -> None:
    log = Simulated(tmp_path, *SIMULATIONS[simulation], columns=columns_of(simulation))
    postgres.holds(log)
    for rules in filter(lambda rules: has_turn(simulation, rules), RULES):
        assert same(log, postgres, "postgres", tmp_path, "--bots", log.bots, *RULES[rules])


def compared(database: Callable[[Log], Any], dialect: str, folder: Path) -> None:
    """Compares hostile logs; most of them say something, and `credit` refuses those that say nothing."""
    said = 0
    for seed in range(SEEDS):
        log = hostile(seed)
        flags = rules_of(seed, log, folder)
        try:
            log.credited(folder, *flags)
        except AssertionError as error:
            assert "no impression has" in str(error) or "which no impression does" in str(error), error
            continue
        try:
            said += bool(same(log, database(log), dialect, folder, *flags))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {flags} {log.columns}: {error}") from error
    assert said > SEEDS / 2


def test_hostile_logs(tmp_path: Path) -> None:
    compared(DuckDb, "duckdb", tmp_path)


def test_hostile_logs_in_postgres(postgres: Postgres, tmp_path: Path) -> None:
    compared(postgres.holds, "postgres", tmp_path)
