"""Impressions and clicks in tables of Spark, credited where they are.

Needs pyspark 3.5 or later, and this package and pyarrow on driver and executors. Spark reads, sorts, spills, starts again
after failures; what it does with a row is the code of ``click-logs credit``, so that both count the same to the digit,
for any number of partitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rankduel import _core
from rankduel.log_rules import CreditRules, rules_text
from rankduel.log_tables import LISTS, chosen, normal
from rankduel.logs import Credited, checked
from rankduel.tables import SINGLE

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame
    from typing_extensions import Unpack

__all__ = ["credit"]

_OUTCOMES = (
    "kind long, high long, low long, day long, net long, flags long, clicks long, all_clicks long, "
    "shown long, order long, "
    "first string, second string, version string"
)
# For a day and a pair: three numbers of units, three of impressions, the counts of pages, and amounts.
_NUMBERS = [f"n{at}" for at in range(3 + 3 + _core.PAGE_COUNTS + _core.AMOUNTS)]
_COUNTS = f"kind long, day long, {', '.join(f'{name} long' for name in _NUMBERS)}, first string, second string, version string"

_Batches = Iterator["pyarrow.RecordBatch"]


# Where the id of an impression is in an object.
_IDS = {
    "_source": ("$.impression", "$.query_id"),
    "ext": ("$.ubi.query_id",),
    "ubi": ("$.query_id",),
    "ext.ubi": ("$.query_id",),
}


def _column(name: str, here: str, found: Any, kind: str) -> Column | None:
    """A column in the type that both kinds of rows share; None if it is read as text with the rest."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    def check(found: Any) -> None:
        # A number with a point is another text than the number it stands for.
        texts = (T.StringType, T.CharType, T.VarcharType, T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.NullType)
        if not isinstance(found, texts):
            raise ValueError(
                f"the column {here!r} of the {kind} holds {found.simpleString()}; expected text or whole numbers for ids: "
                "cast it to string or bigint"
            )

    column = F.col(f"`{here}`")
    if name == "time":
        if isinstance(found, T.TimestampType):
            return F.expr(f"unix_millis(`{here}`)").alias("time_utc")
        if isinstance(found, T.FloatType):
            raise ValueError(f"the column {here!r} of the {kind} cannot be read as times: {SINGLE.format(found.simpleString())}")
        if isinstance(found, T.NumericType):
            return column.cast("double").alias("time_number")
        # A time without a zone, too: it is read with the zone of the rules, or refused. A day is refused, as in files.
        return column.cast("string").alias("time_text")
    if name == "receipt":
        if isinstance(found, T.StructType):
            return F.to_json(column).alias("receipt_text")
        return column.alias(name) if isinstance(found, T.BinaryType) else column.cast("string").alias("receipt_text")
    if name in LISTS:
        if isinstance(found, T.StringType):
            return None
        if not isinstance(found, T.ArrayType):
            raise ValueError(f"the column {here!r} of the {kind} holds {found.simpleString()}; expected an array")
        check(found.elementType)
        return column.cast("array<string>").alias(name)
    if name in ("dwell", "paged"):
        if isinstance(found, T.StringType):
            return None
        if not isinstance(found, T.NumericType):
            expected = "seconds" if name == "dwell" else "whole numbers"
            raise ValueError(f"the column {here!r} of the {kind} holds {found.simpleString()}; expected {expected}")
        return column.cast("double").alias(name)
    check(found)
    return column.cast("string").alias(name)


def _columns(frame: DataFrame, kind: str) -> list[Column]:
    """The columns to read, in the types that both kinds of rows share."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    named, more = chosen(frame.columns, kind)
    columns, ids = [], []
    for name, here in named.items():
        # A column of nothing but nulls says what no column says.
        if name != "impression" and isinstance(frame.schema[here].dataType, T.NullType):
            continue
        column = _column(name, here, frame.schema[here].dataType, kind)
        if column is None:
            more.append(here)
        elif name == "impression":
            ids.append(column)
        else:
            columns.append(column)
    # Rows of an impression are brought together by its id, wherever that is.
    for here in more:
        column, found = F.col(f"`{here}`"), frame.schema[here].dataType
        if _core.log_column(here, kind == "clicks") == "impression":
            known = _column("impression", here, found, kind)
            ids.extend([] if known is None else [known])
        elif here in _IDS:
            text = column if isinstance(found, T.StringType) else F.to_json(column)
            ids.extend(F.get_json_object(text, path) for path in _IDS[here])
    if not ids:
        raise ValueError(f"the {kind} have no column 'impression'; they have {', '.join(frame.columns)}: rename the one that holds it")
    said = [F.when(known != "", known) for known in ids]
    columns.append((F.coalesce(*said) if len(said) > 1 else ids[0]).alias("impression"))
    if more:
        columns.append(F.to_json(F.struct(*[F.col(f"`{here}`").alias(here) for here in more])).alias("more"))
    return columns


def _plain_batch(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    return normal(batch, {name: name for name in batch.schema.names})


def _renamed_batch(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """A batch of outcomes, with column names of our own: text as `string`, however Spark is set."""
    import pyarrow as pa

    whole = [column if pa.types.is_integer(column.type) else column.cast(pa.string()) for column in batch.columns]
    return pa.RecordBatch.from_arrays(whole, names=batch.schema.names)


def _surveyor(rules: str) -> Callable[[_Batches], _Batches]:
    """The survey of a part of the impressions."""

    def survey(batches: _Batches) -> _Batches:
        import pyarrow as pa

        step = _core.EventGathering(rules)
        for batch in batches:
            step.look(_plain_batch(batch))
        yield pa.RecordBatch.from_pydict({"survey": [step.survey()]})

    return survey


def _gatherer(rules: str, survey: str) -> Callable[[_Batches], _Batches]:
    """Rows sorted by impression to outcomes."""

    def gather(batches: _Batches) -> _Batches:
        import pyarrow as pa

        step = _core.EventGathering(rules, survey)
        for batch in batches:
            outcomes = step.take(_plain_batch(batch))
            if outcomes is not None:
                yield from pa.table(outcomes).to_batches(max_chunksize=1 << 16)
        yield from pa.table(step.end()).to_batches(max_chunksize=1 << 16)

    return gather


def _counter(rules: str, survey: str) -> Callable[[_Batches], _Batches]:
    """Outcomes sorted by unit to counts."""

    def count(batches: _Batches) -> _Batches:
        import pyarrow as pa

        step = _core.Counting(rules, survey)
        for batch in batches:
            step.take(_renamed_batch(batch))
        yield from pa.table(step.end()).to_batches()

    return count


def _collected(frame: DataFrame) -> list[Any]:
    """All rows; an error of ours as it would be without Spark."""
    try:
        rows: list[Any] = frame.collect()
    except Exception as error:
        found = re.findall(r"^ValueError: (.*)$", str(error), re.MULTILINE)
        missing = re.search(r"No module named '(rankduel|pyarrow|numpy)[.']", str(error))
        if missing:
            raise RuntimeError(
                f"the workers of Spark have no package {missing[1]}: install rankduel and pyarrow there as on the driver"
            ) from None
        if not found:
            raise
        raise ValueError(found[-1].strip()) from None
    return rows


def credit(
    impressions: DataFrame, clicks: DataFrame, *, partitions: int | None = None, **rules: Unpack[CreditRules]
) -> Credited:
    """Join clicks to the lists that were shown, and credit each impression once, in Spark.

    Three jobs: one looks for rankers and times in the impressions, one brings the rows of each impression together and
    credits them (`mapInArrow`), and one does so with users. Each row counts once, whatever is tried again. If impressions are
    costly to compute, cache them: they are read twice.

    Parameters
    ----------
    impressions, clicks
        With the columns that `rankduel.credit_frame` describes. Times are timestamps, numbers since 1970, or text.
    partitions
        Partitions of both shuffles; by default ``spark.sql.shuffle.partitions``. No count depends on them.
    **rules
        See `rankduel.CreditRules`.

    Returns
    -------
    Credited
        Outcomes by day and pair, and what became of every row: on the driver, since there are few.

    Raises
    ------
    ValueError
        For a row that cannot be read, with its impression, unless such rows are set aside.
    """
    for frame, kind in ((impressions, "impressions"), (clicks, "clicks")):
        if not hasattr(frame, "sparkSession"):
            raise TypeError(
                f"{kind}: expected a DataFrame of Spark, found a {type(frame).__name__} of {type(frame).__module__.partition('.')[0]}; "
                "rankduel.credit_frame credits it, or make it one: spark.createDataFrame(frame)"
            )
    from pyspark.sql import functions as F

    asked = rules_text(rules, "credit")
    spark = impressions.sparkSession
    number = partitions or int(spark.conf.get("spark.sql.shuffle.partitions") or 200)
    shown = impressions.select(*_columns(impressions, "impressions"))
    clicked = clicks.select(*_columns(clicks, "clicks"))
    parts = _collected(shown.mapInArrow(_surveyor(asked), "survey string"))
    survey = _core.merge_surveys([part["survey"] for part in parts])
    kinds = [frame.withColumn("kind", F.lit(kind).cast("long")) for kind, frame in enumerate((shown, clicked))]
    both = kinds[0].unionByName(kinds[1], allowMissingColumns=True)
    by_impression = both.repartition(number, "impression").sortWithinPartitions("impression", "kind")
    outcomes = by_impression.mapInArrow(_gatherer(asked, survey), _OUTCOMES)
    by_unit = outcomes.repartition(number, "high", "low").sortWithinPartitions("high", "low")
    counts = by_unit.mapInArrow(_counter(asked, survey), _COUNTS)
    sums = [F.sum(name).alias(name) for name in _NUMBERS]
    added = counts.groupBy("kind", "version", "day", "first", "second").agg(*sums, F.max("n0").alias("most"))
    rows = []
    for row in _collected(added):
        n = [row[name] for name in _NUMBERS]
        if row["second"] == "busiest" and row["kind"] == 1:
            n[0] = row["most"]
        rows.append((row["kind"], row["version"], row["day"], row["first"], row["second"], n))
    return checked(Credited(*_core.credit_counts(asked, survey, rows), asked, "rankduel.spark.credit"))
