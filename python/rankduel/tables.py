"""Frames of any library as batches that the compiled part reads: the one place that knows the libraries.

None is imported: they are recognised by what their objects can do.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankduel import _core

KINDS = "pandas, polars, pyarrow, duckdb, anything with __arrow_c_stream__, a dictionary of columns"
"""The accepted kinds of frames, for errors."""


class Column(NamedTuple):
    """A column to read."""

    #: Its name in the frame.
    name: str
    #: What it shall hold: ``ids``, ``texts``, ``lists`` of ids, ``numbers``, ``times`` or ``receipts``.
    kind: str


_READ = {
    "ids": ("text", "int", "null"),
    "texts": ("text", "null"),
    "lists": ("lists", "null"),
    "numbers": ("int", "float", "single", "null"),
    # In single precision, seconds since 1970 are two minutes apart.
    "times": ("time", "int", "float", "text", "null"),
    "receipts": ("bytes", "text", "null"),
}
"""The types that the compiled part reads as each kind, in columns of Arrow."""

_OBJECTS = {"ids": "ids", "texts": "ids", "lists": "lists", "numbers": "numbers"}
"""As what it reads each kind, in columns of objects; times and receipts become texts first."""

SINGLE = "expected numbers since 1970 in double precision, found {}, which rounds them; write them anew"
"""The error for times in single precision."""


def is_table(value: object) -> bool:
    """Whether something other than a mapping is a frame."""
    if hasattr(value, "__arrow_c_stream__") or hasattr(value, "iloc"):
        # Single columns have a type.
        return hasattr(value, "columns") or not (hasattr(value, "dtype") or hasattr(value, "type"))
    return is_lazy(value) or (hasattr(value, "to_arrow") and hasattr(value, "columns"))


def is_lazy(value: object) -> bool:
    """Whether it is a query that is not carried out yet, such as polars has."""
    return hasattr(value, "collect") and hasattr(value, "collect_schema") and not hasattr(value, "__arrow_c_stream__")


def _kind_of(value: object) -> str:
    """The description of a value other than a frame, with the remedy."""
    kind = type(value).__name__
    if hasattr(value, "sparkSession"):
        return f"a {kind} of Spark: rankduel.spark.credit counts it where it is"
    if hasattr(value, "dtype") or hasattr(value, "type"):
        return f"a {kind}, which is one column: give a frame, or a dictionary of columns by name"
    return kind


class Table:
    """The columns of a frame.

    Parameters
    ----------
    frame
        A frame, or a mapping of columns.
    what
        What it holds, for errors.

    Raises
    ------
    TypeError
        For what is no frame.
    """

    def __init__(self, frame: Any, what: str) -> None:
        if is_lazy(frame):
            frame = frame.collect()
        if not isinstance(frame, Mapping) and not is_table(frame):
            raise TypeError(f"expected a frame of {what} ({KINDS}), found {_kind_of(frame)}")
        self.what = what
        self._frame = frame
        self._stream: _core.Reader | None = None
        self._cells: dict[str, list[Any]] | None = None
        if isinstance(frame, Mapping):
            names: Iterable[Any] = frame
        elif hasattr(frame, "iloc"):
            names = frame.columns
        elif hasattr(frame, "columns") and hasattr(frame, "select") and hasattr(frame, "__arrow_c_stream__"):
            # pyarrow has columns themselves under this name.
            names = getattr(frame, "column_names", frame.columns)
        elif hasattr(frame, "__arrow_c_stream__"):
            self._stream = _core.Reader(frame)
            names = [name for name, _ in self._stream.columns()]
        elif hasattr(frame, "to_arrow"):
            self._frame = frame.to_arrow()
            names = self._frame.column_names
        else:
            raise TypeError(f"expected a frame of {what} ({KINDS}), found {type(frame).__name__}")
        names = list(names)
        if any(isinstance(name, tuple) for name in names):
            raise ValueError(
                f"the columns of the {what} have several levels, e.g. {next(name for name in names if isinstance(name, tuple))!r}; "
                "give each one name, e.g. frame.columns = frame.columns.map('_'.join)"
            )
        #: The names of its columns; what is not called by a text is left out.
        self.names: list[str] = [name for name in names if isinstance(name, str)]

    def arrow(self, names: Sequence[str]) -> Any:
        """Something with a stream of Arrow that has at least these columns."""
        if self._stream is not None:
            return self._stream
        frame = self._frame
        if isinstance(frame, Mapping):
            raise TypeError("a dictionary of columns is no stream")
        if hasattr(frame, "iloc"):
            return frame[list(names)]
        # Other columns may be of types that cannot leave their library.
        return frame.select(list(names)) if hasattr(frame, "schema") else frame

    def _has_objects(self, column: Column) -> bool:
        """Whether a column holds objects of Python, which the compiled part reads."""
        frame = self._frame
        if isinstance(frame, Mapping):
            return True
        return bool(hasattr(frame, "iloc") and frame[column.name].dtype == object and column.kind in _OBJECTS)

    def objects(self, name: str, kind: str) -> Any:
        """A column as a list or an array of numpy."""
        values = self._frame[name]
        if kind == "times":
            return _times(values, f"the column {name!r}")
        if isinstance(values, (list, tuple)):
            return values
        _core.in_order(values, f"{self.what}: the column {name!r}")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ValueError(f"{self.what}: expected values in the column {name!r}, found {values!r}")
        if hasattr(values, "to_pylist"):
            return values.to_pylist()
        if hasattr(values, "to_list") and not hasattr(values, "iloc"):
            return values.to_list()
        array = values.to_numpy() if hasattr(values, "to_numpy") else values
        if not isinstance(array, np.ndarray) or array.ndim != 1:
            return list(array)
        if array.dtype == object:
            return array
        if kind == "numbers" and array.dtype.kind in "biuf":
            return np.ascontiguousarray(array, dtype=np.float64)
        return array.tolist()

    def values(self, name: str) -> Any:
        """A column as an array of numpy, or as a list."""
        frame = self._frame
        if isinstance(frame, Mapping) or hasattr(frame, "iloc"):
            return self.objects(name, "numbers")
        if hasattr(frame, "get_column"):
            return frame.get_column(name).to_numpy()
        if hasattr(frame, "column") and hasattr(frame, "column_names"):
            return frame.column(name).to_numpy()
        if self._cells is None:
            self._cells = cells(frame, self.what) if self._stream is None else _of_stream(self._stream, self.what)
        return self._cells[name]

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse duplicate columns.

        Raises
        ------
        ValueError
            If two columns have one of these names.
        """
        for name in names:
            if self.names.count(name) > 1:
                raise ValueError(f"the column {name!r} of the {self.what} is there twice; rename one")

    def reader(self, columns: Mapping[str, Column]) -> _core.Reader | None:
        """Its rows in batches.

        Parameters
        ----------
        columns
            The columns to read, by the names that this package has for them.

        Returns
        -------
        Reader or None
            None if some column is of a type that the compiled part does not read as that kind.

        Raises
        ------
        ValueError
            If two columns have one name, or times are periods.
        """
        self.check_names(column.name for column in columns.values())
        if hasattr(self._frame, "iloc") and not len(self._frame):
            # Columns without values have any type.
            return _core.Reader(None)
        for column in columns.values():
            if column.kind == "times" and hasattr(self._frame, "iloc") and str(self._frame[column.name].dtype).startswith("period"):
                # Arrow has their numbers alone, which count in any unit and have no zone.
                raise ValueError(
                    f"the column {column.name!r} cannot be read as times: it holds periods of pandas; "
                    f"expected times: frame[{column.name!r}].dt.to_timestamp()"
                )
        if isinstance(self._frame, Mapping):
            return self.reader_of_objects(columns)
        held = {own: column for own, column in columns.items() if self._has_objects(column)}
        rest = {own: column for own, column in columns.items() if own not in held}
        reader = _core.Reader(None)
        if rest:
            try:
                reader = _core.Reader(self.arrow([column.name for column in rest.values()]))
            except ImportError:
                # pandas needs pyarrow for that.
                return self.reader_of_objects(columns)
            except (TypeError, ValueError, NotImplementedError):
                if not hasattr(self._frame, "iloc"):
                    raise
                # Objects of several types in one column.
                return None
        if rest:
            found = dict(reader.columns())
            if any(found[column.name] not in _READ[column.kind] for column in rest.values()):
                return None
            reader.select([(own, column.name) for own, column in rest.items()])
        return self._added(reader, held)

    def reader_of_objects(self, columns: Mapping[str, Column]) -> _core.Reader | None:
        """The same, from a dictionary of columns or a frame of pandas, as objects of Python."""
        return self._added(_core.Reader(None), columns)

    def _added(self, reader: _core.Reader, held: Mapping[str, Column]) -> _core.Reader | None:
        for own, column in held.items():
            values = self.objects(column.name, column.kind)
            if column.kind in ("lists", "numbers") and begin_with_text(values):
                return None
            if column.kind == "receipts":
                values = [_receipt(value) for value in values]
            reader.add(own, _OBJECTS.get(column.kind, "ids"), values)
        return reader


def begin_with_text(values: Iterable[Any]) -> bool:
    """Whether the first value is text: lists in brackets, such as pandas writes to CSV, or numbers in quotation marks."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return bool(values.dtype.kind == "U")
    return isinstance(next((value for value in values if not (value is None or isinstance(value, float))), None), str)


def _times(values: Any, what: str) -> list[Any]:
    """Times as texts, as files have them: also of objects of `datetime`, and of numpy."""
    if str(getattr(values, "dtype", "")).lower() in ("float16", "float32"):
        raise ValueError(f"{what} cannot be read as times: {SINGLE.format(values.dtype)}")
    for name in ("to_list", "to_pylist"):
        # Series keep the zone, their arrays do not.
        if hasattr(values, name):
            return _times(getattr(values, name)(), what)
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        return [None if text == "NaT" else text for text in np.datetime_as_string(values, unit="ms").tolist()]
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ValueError(f"{what}: expected times, found {values!r}")
    return [time_text(value) for value in values]


def is_missing(value: Any) -> bool:
    """Whether a value of a table is none: `None`, or the missing value of pandas, also for times."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def time_text(value: Any) -> Any:
    """A time as text, as files have it; what is none as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)) or is_missing(value):
        return value
    if isinstance(value, float):
        # Not with an exponent.
        return None if value != value else str(int(value)) if value.is_integer() else repr(float(value))
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)
    return str(value.__index__()) if hasattr(value, "__index__") else value


def _receipt(value: Any) -> Any:
    """A receipt as text."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    return json.dumps(value) if isinstance(value, Mapping) else value


def batches(reader: _core.Reader) -> Iterator[_core.Batch]:
    """All batches of a reader."""
    while (batch := reader.next()) is not None:
        yield batch


def cells(frame: Any, what: str) -> dict[str, list[Any]]:
    """All values of a frame by column, as objects of Python."""
    if isinstance(frame, Sequence) and not isinstance(frame, str) and all(isinstance(row, Mapping) for row in frame):
        header = list(dict.fromkeys(name for row in frame for name in row))
        return {name: [row.get(name) for row in frame] for name in header}
    table = Table(frame, what)
    table.check_names(table.names)
    if isinstance(frame, Mapping) or hasattr(frame, "iloc"):
        columns = {name: table.objects(name, "ids") for name in table.names}
        return {name: values.tolist() if isinstance(values, np.ndarray) else list(values) for name, values in columns.items()}
    if hasattr(frame, "to_pydict"):
        found: dict[str, list[Any]] = frame.to_pydict()
        return found
    if hasattr(frame, "get_column"):
        return {name: frame.get_column(name).to_list() for name in table.names}
    if hasattr(frame, "fetchall"):
        rows = frame.fetchall()
        return {name: [row[place] for row in rows] for place, name in enumerate(table.names)}
    return _of_stream(table.arrow(table.names), what)


def _of_stream(stream: Any, what: str) -> dict[str, list[Any]]:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"such a frame of {what} is read through pyarrow: pip install pyarrow") from None
    found: dict[str, list[Any]] = pyarrow.table(stream).to_pydict()
    return found
