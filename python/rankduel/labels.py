"""Square tables with the names of their rows and columns: frames, dictionaries, arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankduel import _core
from rankduel.tables import Table, cells, is_lazy, is_table

SAME_ORDER = "rows and columns name the same arms in the same order"
"""The requirement on names; files are refused in these words."""


class Square(NamedTuple):
    """A table of numbers, and the names of its rows and columns."""

    names: list[str] | None
    values: npt.NDArray[np.float64]


def square_of(table: Any) -> Square:
    """A square table of numbers with its names.

    Parameters
    ----------
    table
        A frame of pandas with names as its index and columns; a frame of any library, a dictionary of columns, or rows as
        dictionaries, with names as its columns and in its first column; a dictionary of dictionaries by row and column; or
        an array, which has no names.

    Raises
    ------
    ValueError
        If rows and columns do not name the same in the same order, or a value is no number.
    """
    if isinstance(table, Mapping) and table and all(isinstance(row, Mapping) for row in table.values()):
        return _of_dictionaries(table)
    if isinstance(table, Mapping) or is_table(table) or is_lazy(table) or _is_rows(table):
        return _of_frame(table)
    _core.in_order(table, "a matrix")
    values = np.ascontiguousarray(table, dtype=np.float64)
    if np.ndim(table) != 2:
        raise ValueError(f"a preference matrix has two dimensions, found {np.ndim(table)}")
    return Square(None, values)


def is_square(table: Any) -> bool:
    """Whether a table that may hold anything is a square of numbers: a matrix, not rows of judgements."""
    if isinstance(table, Mapping):
        return bool(table) and all(isinstance(row, Mapping) for row in table.values())
    if hasattr(table, "iloc") and hasattr(table, "columns"):
        rows, columns = table.shape
        # The rows of judgements have numbers, the rows of a matrix have the names of its columns.
        if any(map(_is_text, table.columns)) and not any(map(_is_text, table.index)):
            return False
        return rows == columns > 1 and not any(_is_text(value) for column in range(columns) for value in table.iloc[:, column])
    if is_table(table) or is_lazy(table) or _is_rows(table):
        return False
    return hasattr(table, "__array__") or (isinstance(table, Sequence) and not isinstance(table, str))


def _is_rows(table: Any) -> bool:
    return isinstance(table, Sequence) and not isinstance(table, str) and len(table) > 0 and all(isinstance(row, Mapping) for row in table)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _of_dictionaries(table: Mapping[Any, Mapping[Any, Any]]) -> Square:
    names = list(table)
    for row in names:
        unknown = next((column for column in table[row] if column not in table), None)
        if unknown is not None:
            raise ValueError(f"row {row!r} has {unknown!r}, which is no row; expected a row for each arm: {{arm: {{other: number}}}}")
    columns = [[table[row].get(column, np.nan) for row in names] for column in names]
    values = _numbers(columns, names)
    if np.all(np.isnan(np.diagonal(values))) and not np.all(np.isnan(values) | (values == np.floor(values))):
        # Probabilities are not stated for an arm and itself.
        np.fill_diagonal(values, 0.5)
    return Square([str(name) for name in names], values)


def _of_frame(table: Any) -> Square:
    """With the names of a frame's columns, and of its index or its first column."""
    index: list[Any] | None = None
    if hasattr(table, "iloc"):
        # For its errors.
        Table(table, "matrix")
        header = list(table.columns)
        columns = [table.iloc[:, place].tolist() for place in range(len(header))]
        index = list(table.index)
    else:
        found = cells(table, "matrix")
        header, columns = list(found), list(found.values())
    rows = len(columns[0]) if columns else 0
    if len(header) == rows + 1 or (columns and any(map(_is_text, columns[0]))):
        # `reset_index`, and libraries with frames without an index.
        header, (index, *columns) = header[1:], columns
    if len(header) != rows:
        raise ValueError(f"a preference matrix is square, found {rows} x {len(header)}")
    return Square(_same(index, header), _numbers(columns, header))


def _is_counted(labels: Sequence[Any]) -> bool:
    """Whether labels are the numbers from 0 that libraries give to what has no names."""
    return labels == list(range(len(labels)))


def _same(rows: list[Any] | None, columns: list[Any]) -> list[str] | None:
    """The names of arms by those of rows and of columns."""
    if any(isinstance(label, tuple) for label in (*columns, *(rows or ()))):
        raise ValueError("the matrix has rows or columns of several levels; name each arm by one text")
    if rows is None or (_is_counted(rows) and any(map(_is_text, columns))):
        return [str(name) for name in columns]
    if _is_counted(columns):
        if _is_counted(rows):
            return None
        if all(map(_is_text, rows)):
            return [str(name) for name in rows]
    for place, (row, column) in enumerate(zip(rows, columns)):
        if str(row).strip() != str(column).strip():
            hint = ": frame.loc[frame.columns]" if set(map(str, rows)) == set(map(str, columns)) else ""
            raise ValueError(f"row {place}: expected {str(column)!r}, found {str(row)!r}; {SAME_ORDER}{hint}")
    return [str(name).strip() for name in columns]


def _numbers(columns: Sequence[Sequence[Any]], names: Sequence[Any]) -> npt.NDArray[np.float64]:
    values = np.empty((len(columns), len(columns)))
    for place, (column, name) in enumerate(zip(columns, names)):
        for row, value in enumerate(column):
            # A missing time is no missing number: it is refused, as all times are.
            is_gap = value is None or type(value).__name__ == "NAType"
            try:
                values[row, place] = np.nan if is_gap else float(value)
            except (TypeError, ValueError):
                raise ValueError(f"row {row}: the column {str(name)!r} has {value!r}; expected a number") from None
    return values
