"""Click logs in Spark, on a cluster of processes: the same counts for any number of partitions, and with an executor killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is not installed", allow_module_level=True)

from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from test_logs import Simulated, same_as_truth  # noqa: E402

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


def test_timestamps_of_parquet_and_an_open_log(spark: Any, frames: list[Any], log: Simulated, tmp_path: Path) -> None:
    stored = []
    for number, frame in enumerate(frames):
        frame.withColumn("time", F.expr("timestamp_millis(CAST(time AS BIGINT))")).write.parquet(str(tmp_path / str(number)))
        stored.append(spark.read.parquet(str(tmp_path / str(number))))
    found = rankduel.spark.credit(*stored, partitions=4, bots=log.folder / "bots.toml")
    expected = log.credited("--bots", log.folder / "bots.toml")
    assert found.outcomes.to_csv() == expected["outcomes.csv"]
    assert found.fates.to_csv() == expected["fates.csv"]


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
    with pytest.raises(ValueError, match=r"^row \d+ of the impressions \(impression .*1 teams for 2 documents"):
        rankduel.spark.credit(broken, clicks, partitions=3)
    with pytest.raises(ValueError, match="the clicks have no column 'document'"):
        rankduel.spark.credit(shown, clicks.drop("document"))
    with pytest.raises(ValueError, match="expected an array"):
        rankduel.spark.credit(shown.withColumn("shown", F.lit("a b")), clicks)
    assert rd.credit_frame(shown.toPandas(), clicks.toPandas(), final=True).outcomes == found.outcomes
