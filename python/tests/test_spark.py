"""Click logs in Spark, on a cluster of processes: the same counts for any number of partitions, and with an executor killed."""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed", allow_module_level=True)

from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from test_logs import (  # noqa: E402
    NAMED_RULES,
    OTHER_NAMES,
    OTHER_NAMES_OF_CLICKS,
    PAGES,
    Simulated,
    as_text,
    decided_by_command,
    flat,
    named_rows,
    nested,
    same_as_truth,
)

import rankduel as rd  # noqa: E402
import rankduel.spark  # noqa: E402

IMPRESSIONS = os.environ.get("RANKDUEL_SPARK_IMPRESSIONS", "20000")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    # Executors run the Python of the tests.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("rankduel")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.sql.session.timeZone": "UTC",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        # A lost executor is noticed soon.
        "spark.network.timeout": "60s",
        "spark.executor.heartbeatInterval": "5s",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    return Simulated(tmp_path_factory.mktemp("spark-log"), IMPRESSIONS, "--conflicts", "0.01", "--bots", "0.01")


@pytest.fixture(scope="module")
def frames(spark: Any, log: Simulated) -> list[Any]:
    schemas = [
        "impression string, time string, user string, session string, agent string, shown array<string>, "
        "teams array<string>, rankers array<string>",
        "impression string, document string, time string, dwell double",
    ]
    return [spark.read.schema(schema).json(str(path)) for schema, path in zip(schemas, log.files)]


@pytest.mark.parametrize("partitions", [3, 11, 64])
def test_any_number_of_partitions(frames: list[Any], log: Simulated, partitions: int) -> None:
    same_as_truth(rankduel.spark.credit(*frames, partitions=partitions, **log.rules), log)


@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_pages_pins_and_a_change_of_version(spark: Any, tmp_path: Path, method: str) -> None:
    more = ("--conflicts", "0.01", "--bots", "0.001", "--method", method)
    log = Simulated(tmp_path / "log", IMPRESSIONS, *PAGES, *more)
    schemas = [
        "impression string, time string, user string, session string, agent string, pairs string, shown array<string>, "
        "mixed array<string>, pinned array<string>, paged bigint, experiment string, version string, "
        "teams array<string>, receipt string, rankers array<string>",
        "impression string, document string, time string, dwell double",
    ]
    frames = [spark.read.schema(schema).json(str(path)) for schema, path in zip(schemas, log.files)]
    found = rankduel.spark.credit(*frames, partitions=11, **log.rules)
    same_as_truth(found, log)
    assert str(found.decide()) == decided_by_command(log)
    assert str(found.decide()).startswith("2 versions of simulated: ")
    words = frames[0].withColumn("paged", F.col("paged").cast("string"))
    assert rankduel.spark.credit(words, frames[1], partitions=3, **log.rules) == found


def test_timestamps_of_parquet_and_an_open_log(spark: Any, frames: list[Any], log: Simulated, tmp_path: Path) -> None:
    stored = []
    for number, frame in enumerate(frames):
        frame.withColumn("time", F.expr("timestamp_millis(CAST(time AS BIGINT))")).write.parquet(str(tmp_path / str(number)))
        stored.append(spark.read.parquet(str(tmp_path / str(number))))
    found = rankduel.spark.credit(*stored, partitions=4, bots=log.folder / "bots.toml")
    expected = log.credited("--bots", log.folder / "bots.toml")
    assert found.outcomes.to_csv() == expected["outcomes.csv"]
    assert found.fates.to_csv() == expected["fates.csv"]
    assert found.pages.to_csv() == expected["pages.csv"]


def executors() -> list[int]:
    """The processes of executors that this process's cluster has started."""
    listed = subprocess.run(["ps", "-eww", "-o", "pid,ppid,args"], check=True, capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    parents = {int(pid): int(parent) for pid, parent, _ in rows}

    def is_ours(pid: int) -> bool:
        while pid in parents:
            if pid == os.getpid():
                return True
            pid = parents[pid]
        return False

    return [int(pid) for pid, _, words in rows if "CoarseGrainedExecutorBackend" in words and is_ours(int(pid))]


def test_an_executor_is_killed(spark: Any, frames: list[Any], log: Simulated) -> None:
    assert executors(), "no executor runs"
    killed: list[int] = []

    def kill() -> None:
        # In the second job at the earliest, while rows are exchanged.
        tracker = spark.sparkContext.statusTracker()
        until = time.monotonic() + 3600
        while time.monotonic() < until and not killed:
            for stage in tracker.getActiveStageIds():
                info = tracker.getStageInfo(stage)
                if info is not None and info.numTasks >= 11 and info.numCompletedTasks >= 3:
                    killed.append(executors()[0])
                    os.kill(killed[0], signal.SIGKILL)
                    return
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    found = rankduel.spark.credit(*frames, partitions=11, **log.rules)
    thread.join()
    assert killed, "the job was over before an executor could be killed"
    same_as_truth(found, log)


def test_a_hot_impression_and_a_row_that_cannot_be_read(spark: Any) -> None:
    shown = spark.createDataFrame(
        [("hot", 1.7e9, "u", ["a", "b"], ["A", "B"]), ("cold", 1.7e9, "v", ["a", "b"], ["B", "A"])],
        "impression string, time double, user string, shown array<string>, teams array<string>",
    )
    clicks = spark.range(200_000).select(
        F.lit("hot").alias("impression"), F.lit("b").alias("document"), F.lit(1.7e9).alias("time")
    )
    found = rankduel.spark.credit(shown, clicks, partitions=3, final=True)
    assert (found.fate("click", "credited"), found.fate("click", "repeated")) == (1, 199_999)
    assert [int(found.outcomes[name][0]) for name in ("unit_wins", "unit_losses", "unit_ties")] == [0, 1, 1]
    broken = shown.withColumn("teams", F.expr("slice(teams, 1, 1)"))
    with pytest.raises(ValueError, match=r"^a row of the impressions \(impression .*1 teams for 2 documents"):
        rankduel.spark.credit(broken, clicks, partitions=3)
    with pytest.raises(ValueError, match="the clicks have no column 'document'"):
        rankduel.spark.credit(shown, clicks.drop("document"))
    with pytest.raises(ValueError, match="which is text; expected a list"):
        rankduel.spark.credit(shown.withColumn("shown", F.lit("a b")), clicks)
    with pytest.raises(ValueError, match="holds int; expected an array"):
        rankduel.spark.credit(shown.withColumn("shown", F.lit(7)), clicks)
    assert rd.credit_frame(shown.toPandas(), clicks.toPandas(), final=True).outcomes == found.outcomes


@pytest.mark.parametrize("kind", ["double", "float", "decimal(10,1)", "boolean"])
def test_ids_that_are_no_text_are_refused(spark: Any, kind: str) -> None:
    shown = spark.createDataFrame(
        [("10", 1.7e9, "1", ["1", "2"], ["A", "B"])],
        "impression string, time double, user string, shown array<string>, teams array<string>",
    )
    clicks = spark.createDataFrame([("10", "2", 1.7e9)], "impression string, document string, time double")
    whole = shown.withColumn("impression", F.col("impression").cast("bigint"))
    assert rankduel.spark.credit(whole, clicks, partitions=2, final=True).fate("click", "credited") == 1
    for name in ("impression", "user"):
        with pytest.raises(ValueError, match=rf"the column '{name}' of the impressions holds .*cast it to string or bigint"):
            rankduel.spark.credit(shown.withColumn(name, F.col(name).cast(kind)), clicks)
    for name in ("impression", "document"):
        with pytest.raises(ValueError, match=rf"the column '{name}' of the clicks holds .*cast it to string or bigint"):
            rankduel.spark.credit(shown, clicks.withColumn(name, F.col(name).cast(kind)))
    with pytest.raises(ValueError, match="the column 'shown' of the impressions holds .*cast it to string or bigint"):
        rankduel.spark.credit(shown.withColumn("shown", F.col("shown").cast(f"array<{kind}>")), clicks)


def test_times_in_single_precision_are_refused(spark: Any) -> None:
    shown = spark.createDataFrame(
        [("10", 1.7e9, "1", ["1", "2"], ["A", "B"])],
        "impression string, time float, user string, shown array<string>, teams array<string>",
    )
    with pytest.raises(ValueError, match="'time' of the impressions cannot be read as times: expected numbers since 1970 in double precision, found float"):
        rankduel.spark.credit(shown, shown, final=True)


def test_every_name_is_read(spark: Any) -> None:
    both = named_rows()
    expected = rd.credit_frame(*map(pa.Table.from_pylist, both), **NAMED_RULES)

    def table(rows: list[dict[str, Any]]) -> Any:
        return spark.read.json(spark.sparkContext.parallelize([json.dumps(row) for row in rows], 2))

    plain = [table(rows) for rows in both]
    # All fields have another name, the first, second or third of each: every frame is a few jobs.
    for turn in range(3):
        renamed = both
        for kind, names in enumerate((OTHER_NAMES, OTHER_NAMES_OF_CLICKS)):
            rows = renamed[kind]
            # The owners in a response belong to documents, so these keep their name until then.
            for own, others in reversed(names):
                rows = nested(rows, own, others[turn % len(others)])
            renamed = [rows, renamed[1]] if kind == 0 else [renamed[0], rows]
        for change in (dict, flat, as_text):
            frames = [table([change(row) for row in rows]) for rows in renamed]
            assert rankduel.spark.credit(*frames, partitions=2, **NAMED_RULES) == expected, (turn, change)
    # Lists in brackets, dwell times as text; and an id under two names; one may be empty.
    texts = [plain[0].withColumn("shown", F.to_json("shown")), plain[1].withColumn("dwell", F.col("dwell").cast("string"))]
    assert rankduel.spark.credit(*texts, partitions=2, **NAMED_RULES) == expected
    one = F.when(F.col("impression") != "i3", F.col("impression"))
    texts = [plain[0].withColumn("query_id", F.col("impression")).withColumn("impression", one), plain[1]]
    assert rankduel.spark.credit(*texts, partitions=3, **NAMED_RULES) == expected
    with pytest.raises(ValueError, match=r"^a row of the impressions .*`impression` is `i\d+`, but `query_id`"):
        rankduel.spark.credit(plain[0].withColumn("query_id", F.lit("other")), plain[1], partitions=2)
    with pytest.raises(ValueError, match="dwell='13s', but no click has a `dwell`"):
        rankduel.spark.credit(plain[0], plain[1].drop("dwell"), partitions=2, **NAMED_RULES)


def test_what_is_saved_names_its_command(spark: Any, tmp_path: Path) -> None:
    frames = [spark.createDataFrame(pa.Table.from_pylist(rows).to_pandas()) for rows in named_rows()]
    rankduel.spark.credit(*frames, partitions=2, **NAMED_RULES).save(tmp_path / "credited")
    config = json.loads((tmp_path / "credited/config.json").read_text())
    assert config["command"] == "rankduel.spark.credit"


def test_some_days_of_a_table_are_overwritten(spark: Any) -> None:
    """As the documentation has it: the days that are credited again are replaced, and others stay."""
    page = Path(__file__).parents[2] / "docs/pages/how-to/spark.md"
    found = re.search(r"```python\n(spark\.conf\.set.*?)```", page.read_text(), re.DOTALL)
    assert found is not None
    spark.sql("CREATE DATABASE IF NOT EXISTS search")

    def write(days: dict[str, int]) -> None:
        credited = types.SimpleNamespace(outcomes=pa.table({"day": list(days), "unit_wins": list(days.values())}))
        exec(found[1], {"spark": spark, "credited": credited})

    def table() -> dict[str, int]:
        return {row["day"]: row["unit_wins"] for row in spark.table("search.outcomes").collect()}

    write({"2026-11-01": 1, "2026-11-02": 2})
    assert table() == {"2026-11-01": 1, "2026-11-02": 2}
    write({"2026-11-02": 20, "2026-11-03": 30})
    assert table() == {"2026-11-01": 1, "2026-11-02": 20, "2026-11-03": 30}
    write({"2026-11-02": 20, "2026-11-03": 30})
    assert table() == {"2026-11-01": 1, "2026-11-02": 20, "2026-11-03": 30}


def test_a_stream_counts_each_batch_once(spark: Any, tmp_path: Path) -> None:
    """The code of "From a stream", with a batch that Spark repeats, because it does not see its end."""
    page = Path(__file__).parents[2] / "docs" / "pages" / "how-to" / "every-day.md"
    if not page.exists():
        pytest.skip("the documentation is not beside the tests")
    section = page.read_text(encoding="utf-8").split("### From a stream\n")[1]
    code = re.search(r"^```text\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert code is not None
    log = Simulated(tmp_path / "log", "2000", "--bots", "0.01")
    impressions, clicks = (table.to_pylist() for table in log.tables)
    rows = [{**row, "kind": "page"} for row in impressions] + [{**row, "kind": "click"} for row in clicks]
    rows.sort(key=lambda row: int(row["time"]))
    source = tmp_path / "source"
    source.mkdir()
    batches = 4
    ends = []
    for number in range(batches):
        part = rows[len(rows) * number // batches : len(rows) * (number + 1) // batches]
        ends.append(int(part[-1]["time"]))
        (source / f"{number}.json").write_text("".join(json.dumps(row) + "\n" for row in part))
        # The order of files is the order of their times.
        os.utime(source / f"{number}.json", (number + 1, number + 1))
    schema = (
        "kind string, impression string, time bigint, user string, agent string, shown array<string>, "
        "teams array<string>, document string"
    )
    rules = {"bots": log.folder / "bots.toml", "rankers": log.rankers, "pairs": "chance"}
    # Four batches for two weeks: rows of a repeated one must not be too late.
    names: dict[str, Any] = {"spark": spark, "state": tmp_path / "state", "rules": {**rules, "horizon": "30d"}}
    setup = code[1].split("\nquery = ")[0].replace('"user", "shown"', '"user", "agent", "shown"')
    exec(compile(setup, str(page), "exec"), names)
    hour = datetime.timedelta(hours=1)
    taken: list[int] = []

    def take(batch: Any, number: int) -> None:
        names["now"] = lambda: datetime.datetime.fromtimestamp(ends[number] / 1000, datetime.timezone.utc) + hour
        names["take"](batch, number)
        taken.append(number)
        if taken == [0, 1]:
            raise RuntimeError("the driver is lost")

    def run() -> None:
        stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(source))
        writer = stream.writeStream.foreachBatch(take).option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    with pytest.raises(Exception, match="the driver is lost"):
        run()
    run()
    assert taken == [0, 1, 1, 2, 3]
    nothing = [table.slice(0, 0) for table in log.tables]
    found = rd.credit_frame(*nothing, state=names["state"], final=True, **rules)
    for name in ("outcomes", "fates", "pages"):
        whole = rd.credit_frame(*log.tables, final=True, **rules)
        assert getattr(found, name).to_csv() == getattr(whole, name).to_csv(), name
    assert found.outcomes.to_csv() == log.truth("outcomes.csv")
    assert spark.table("outcomes").count() > 0
