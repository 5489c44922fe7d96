"""Tables of impressions and clicks as the batches that the compiled part reads. Columns are known by their names alone."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankduel import _core
from rankduel.tables import SINGLE, Column, Table, begin_with_text, cells, is_lazy, is_missing
from rankduel.tables import batches as read

if TYPE_CHECKING:
    import pyarrow

# The types that columns are cast to; a list column holds text.
_TEXTS = (
    "impression", "user", "session", "agent", "pairs", "experiment", "version", "document", "action_name", "time_text", "receipt_text",
    "first", "second", "more",
)
LISTS = ("shown", "mixed", "pinned", "teams", "rankers")
NUMBERS = ("dwell", "paged")
_ROWS = 1 << 16
_ROWS_OF_POLARS = 1 << 14


class Chosen(NamedTuple):
    """Which columns of a table are read."""

    #: One for each field, by our own name for it.
    columns: dict[str, str]
    #: All others: what is nested, and second names of a field.
    other_columns: list[str]


def chosen(found: Sequence[str], kind: str) -> Chosen:
    """Which columns of a table to read.

    Parameters
    ----------
    found
        The names of its columns.
    kind
        ``impressions`` or ``clicks``.

    Returns
    -------
    Chosen
        The columns.
    """
    clicks = kind == "clicks"
    held = {name: field for name in found if (field := _core.log_column(name, clicks)) is not None}
    columns: dict[str, str] = {}
    # Our own name comes before others.
    for name, field in sorted(held.items(), key=lambda item: item[0] != item[1]):
        if field not in ("object", "client") and field not in columns:
            columns[field] = name
    if "user" not in columns:
        client = next((name for name, field in held.items() if field == "client"), None)
        if client is not None:
            columns["user"] = client
    # An event is no impression, which is for the compiled part to say.
    if not clicks:
        columns.pop("action_name", None)
    other_columns = [name for name in held if name not in columns.values()]
    needed = ("impression", "document", "time") if clicks else ("impression", "time", "shown")
    missing = [name for name in needed if name not in columns]
    # Receipts may say what was shown.
    if "receipt" in columns and "shown" in missing:
        missing.remove("shown")
    if missing and not any(held[name] == "object" for name in other_columns):
        raise ValueError(
            f"the {kind} have no column {missing[0]!r}; they have {', '.join(found)}: rename the column that holds it"
        )
    return Chosen(columns, other_columns)


def _is_text(kind: Any, pa: Any) -> bool:
    view = getattr(pa.types, "is_string_view", None)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or (view is not None and view(kind)))


def _element(kind: Any, pa: Any) -> Any:
    """The type of the elements, of lists."""
    for name in ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view"):
        is_it = getattr(pa.types, name, None)
        if is_it is not None and is_it(kind):
            return kind.value_type
    return None


def _check_id(kind: Any, pa: Any) -> None:
    """Refuses what is no id: a number with a point is another text than the number it stands for."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    types = pa.types
    if _is_text(kind, pa) or types.is_integer(kind) or types.is_null(kind):
        return
    if types.is_binary(kind) or types.is_large_binary(kind):
        return
    found = "floating point numbers" if types.is_floating(kind) else str(kind)
    raise ValueError(f"expected text or whole numbers for ids, found {found}; cast the column to text or to whole numbers")


def _cast_text(column: Any, pa: Any) -> Any:
    _check_id(column.type, pa)
    if pa.types.is_dictionary(column.type):
        # Categories of polars and pandas.
        column = column.dictionary_decode()
    return column.cast(pa.string())


def _cast_list(column: Any, pa: Any) -> Any:
    kind = column.type
    element = _element(kind, pa)
    if element is None:
        raise ValueError(f"expected lists of text or whole numbers, found {kind}")
    _check_id(element, pa)
    if pa.types.is_list(kind) and not pa.types.is_dictionary(element):
        return column.cast(pa.list_(pa.string()))
    lists = column.to_pylist()
    texts = [None if entries is None else [None if entry is None else str(entry) for entry in entries] for entries in lists]
    return pa.array(texts, pa.list_(pa.string()))


def _cast_time(column: Any, pa: Any) -> tuple[str, Any]:
    """The name under which a time is passed on, and its values."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        name = "time_local" if kind.tz is None else "time_utc"
        whole = column.cast(pa.timestamp("ms", kind.tz), safe=False)
        return name, whole.cast(pa.int64())
    if pa.types.is_floating(kind) and kind != pa.float64():
        raise ValueError(SINGLE.format(kind))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "time_number", column.cast(pa.float64(), safe=False)
    if pa.types.is_date(kind):
        # As in files, a day is no time.
        return "time_text", column.cast(pa.string())
    if not (_is_text(kind, pa) or pa.types.is_dictionary(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        raise ValueError(f"expected timestamps, text or numbers since 1970, found {kind}")
    return "time_text", _cast_text(column, pa)


def _cast(name: str, column: Any, pa: Any) -> tuple[str, Any]:
    """The name under which a column is passed on, and its values."""
    if name == "time":
        return _cast_time(column, pa)
    if name in _TEXTS:
        return name, _cast_text(column, pa)
    if name in LISTS:
        return name, _cast_list(column, pa)
    if name in NUMBERS:
        return name, column.cast(pa.float64(), safe=False)
    if name == "kind":
        return name, column.cast(pa.int64())
    if name == "receipt" and _is_text(column.type, pa):
        return "receipt_text", column.cast(pa.string())
    if name == "receipt":
        return name, column.cast(pa.binary())
    return name, column


def normal(batch: pyarrow.RecordBatch, columns: Mapping[str, str]) -> pyarrow.RecordBatch:
    """A batch with the columns that the compiled part reads, in its types.

    Parameters
    ----------
    batch
        Any batch.
    columns
        Its columns by the names that this package has for them.

    Returns
    -------
    pyarrow.RecordBatch
        The same rows.
    """
    import pyarrow as pa

    names, values = [], []
    for name, here in columns.items():
        column = batch.column(batch.schema.get_field_index(here))
        if pa.types.is_null(column.type):
            continue
        try:
            name, column = _cast(name, column, pa)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
            reason = str(error).split("\n", maxsplit=1)[0]
            raise ValueError(f"the column {here!r} cannot be read as {_columns_of(name)}: {reason}") from None
        names.append(name)
        values.append(column)
    return pa.RecordBatch.from_arrays(values, names=names)


def _columns_of(name: str) -> str:
    """The expected content of a column, for errors."""
    if name in LISTS:
        return "lists of text"
    if name.startswith("time"):
        return "times"
    return {"dwell": "seconds", "paged": "whole numbers", "receipt": "receipts"}.get(name, "text")


def _plain(value: Any, kind: Any, pa: Any) -> Any:
    """A value of a column as JSON has it; what is not known is None."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return {field.name: _plain(value[field.name], field.type, pa) for field in fields}
    if pa.types.is_map(kind):
        return {str(key): _plain(item, kind.item_type, pa) for key, item in value}
    element = _element(kind, pa)
    if element is not None:
        return [_plain(item, element, pa) for item in value]
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (str, bool, int)):
        return value
    if pa.types.is_decimal(kind):
        return float(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _as_json(name: str, value: Any) -> Any:
    """An object of Python as JSON has it; what is not known is None. `name` is its column, for errors."""
    if isinstance(value, Mapping):
        return {str(key): _as_json(name, item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        # Arrays and numbers of numpy.
        return _as_json(name, value.tolist())
    if isinstance(value, (list, tuple)):
        return [_as_json(name, item) for item in value]
    _core.in_order(value, f"the column {name!r}")
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if is_missing(value):
        return None
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (str, bool, int)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _other_columns_as_json(batch: pyarrow.RecordBatch, names: Sequence[str]) -> Any:
    """Some columns, as the text of one JSON object for each row."""
    import pyarrow as pa

    columns = [batch.column(batch.schema.get_field_index(name)) for name in names]
    rows = []
    for values in zip(*(column.to_pylist() for column in columns)):
        plain = [_plain(value, column.type, pa) for value, column in zip(values, columns)]
        said = {name: value for name, value in zip(names, plain) if value is not None}
        rows.append(json.dumps(said) if said else None)
    return pa.array(rows, pa.string())


def _kind(name: str) -> str:
    """The kind of a column, by our name for it."""
    if name in LISTS:
        return "lists"
    if name in NUMBERS:
        return "numbers"
    return {"time": "times", "receipt": "receipts"}.get(name, "texts")


def _reader_of_objects(table: Table, columns: Mapping[str, str], other_columns: Sequence[str]) -> _core.Reader:
    """The rows of a dictionary of columns, or of a frame of pandas with objects that Arrow does not take."""
    asked = {own: Column(name, _kind(own)) for own, name in columns.items()}
    other_columns = list(other_columns)
    # Text that stands for something else is read with the rest.
    for own, column in list(asked.items()):
        if column.kind in ("lists", "numbers") and begin_with_text(table.objects(column.name, column.kind)):
            other_columns.append(asked.pop(own).name)
    reader = table.reader_of_objects(asked)
    assert reader is not None
    if other_columns:
        rows = []
        for values in zip(*(table.objects(name, "texts") for name in other_columns)):
            said = {name: _as_json(name, value) for name, value in zip(other_columns, values)}
            said = {name: value for name, value in said.items() if value is not None}
            rows.append(json.dumps(said) if said else None)
        reader.add("more", "ids", rows)
    return reader


def _read(reader: _core.Reader, kind: str) -> Iterator[_core.Batch]:
    """All batches of a reader; errors name their table."""
    try:
        yield from read(reader)
    except ValueError as error:
        raise ValueError(f"{kind}: {error}") from None


def _cast_batches(
    source: Iterator[pyarrow.RecordBatch], columns: dict[str, str], other_columns: list[str], schema: pyarrow.Schema
) -> Iterator[pyarrow.RecordBatch]:
    """Batches of any types with the columns that the compiled part reads, in its types."""
    import pyarrow as pa

    # Text that stands for something else is read with the rest.
    for name, here in list(columns.items()):
        if name in (*LISTS, *NUMBERS) and _is_text(schema.field(here).type, pa):
            other_columns.append(columns.pop(name))
    for whole in source:
        for first in range(0, len(whole), _ROWS):
            batch = whole.slice(first, _ROWS)
            rows = normal(batch, columns)
            if other_columns:
                said = _other_columns_as_json(batch, other_columns)
                rows = pa.RecordBatch.from_arrays([*rows.columns, said], names=[*rows.schema.names, "more"])
            yield rows


def batches(frame: Any, kind: str) -> Iterator[_core.Batch | pyarrow.RecordBatch]:
    """The rows of any frame in batches that the compiled part reads.

    Parameters
    ----------
    frame
        A frame of any library, a dictionary of columns, or rows as dictionaries.
    kind
        ``impressions`` or ``clicks``.

    Yields
    ------
    Batch or pyarrow.RecordBatch
        Rows.
    """
    if isinstance(frame, Sequence) and not isinstance(frame, str) and all(isinstance(row, Mapping) for row in frame):
        frame = cells(frame, kind)
    if hasattr(frame, "__len__") and not len(frame) and not len(getattr(frame, "columns", ())):
        # Nothing was logged, in whatever form.
        return
    if is_lazy(frame):
        frame = frame.collect()
    if hasattr(frame, "get_column") and len(frame) > _ROWS_OF_POLARS:
        # polars joins several chunks before it hands them out: a copy of all rows, unless there are few.
        for first in range(0, len(frame), _ROWS_OF_POLARS):
            yield from batches(frame.slice(first, _ROWS_OF_POLARS), kind)
        return
    table = Table(frame, kind)
    table.check_names(name for name in table.names if _core.log_column(name, kind == "clicks"))
    columns, other_columns = chosen(table.names, kind)
    if not other_columns:
        asked = {own: Column(name, _kind(own)) for own, name in columns.items()}
        reader = table.reader(asked)
        if reader is not None:
            yield from _read(reader, kind)
            return
    if isinstance(frame, Mapping) or hasattr(frame, "iloc"):
        yield from _read(_reader_of_objects(table, columns, other_columns), kind)
        return
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(f"such {kind} are read through pyarrow: pip install pyarrow") from None
    source = _stream(table, [*columns.values(), *other_columns], kind, pa)
    yield from _cast_batches(source, columns, other_columns, source.schema)


def _stream(table: Table, names: Sequence[str], kind: str, pa: Any) -> Any:
    """Columns of a frame as a stream of pyarrow."""
    try:
        return pa.RecordBatchReader.from_stream(table.arrow(names))
    except pa.ArrowInvalid as error:
        # A type of this library alone, such as whole numbers of 128 bits.
        if len(names) > 1:
            for name in names:
                _stream(table, [name], kind, pa)
        reason = str(error).split("\n", maxsplit=1)[0]
        raise ValueError(
            f"the column {names[0]!r} of the {kind} has a type that Arrow does not know ({reason}); cast it, e.g. to text"
        ) from None
