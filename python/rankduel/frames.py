"""Tables of results."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankduel import _core

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_WHOLE = 40
"""Tables of at most this many rows are shown whole: what matters may be in any of them."""
_SHOWN = 10
"""The first rows that are shown of longer ones."""


class Frame:
    """A table of results, one row per observation.

    It gives itself to other libraries without a copy, through the Arrow PyCapsule interface: ``polars.DataFrame(frame)``,
    ``pyarrow.table(frame)``, ``duckdb.sql("select * from frame")``, ``pandas.DataFrame.from_arrow(frame)``. Its rows are those
    of the CSV file that the command line writes, to the last digit.

    Parameters
    ----------
    columns
        The columns, from a result.

    Examples
    --------
    >>> import rankduel as rd
    >>> frame = rd.bandit("arithmetic:k=4", ["random"], steps=100, runs=2).curves
    >>> len(frame), int(frame["step"][-1])
    (18, 100)
    """

    def __init__(self, columns: _core.Columns) -> None:
        self._columns = columns

    @classmethod
    def from_csv(cls, data: bytes) -> Frame:
        """Read the bytes of a CSV file with a header, such as ``curves.csv``.

        Parameters
        ----------
        data
            The content of the file.

        Returns
        -------
        Frame
            The table.
        """
        return cls(_core.Columns.from_csv(data))

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return self._columns.names

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> npt.NDArray[Any] | list[Any]:
        """The values of a column: an array of numbers or truth values, or a list of texts; gaps are NaN or None."""
        if name not in self.columns:
            raise KeyError(f"there is no column {name!r}; the columns are {', '.join(self.columns)}")
        return self._columns.values(name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        return self.to_csv() == other.to_csv()

    __hash__ = None  # type: ignore[assignment]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as an ``ArrowArrayStream`` (Arrow PyCapsule interface)."""
        return self._columns.__arrow_c_stream__(requested_schema)

    def to_dict(self) -> dict[str, npt.NDArray[Any] | list[Any]]:
        """All columns by name.

        Returns
        -------
        dict
            Arrays of numbers and truth values, lists of texts.
        """
        return {name: self[name] for name in self.columns}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a ``pandas.DataFrame``.

        Returns
        -------
        pandas.DataFrame
            A copy.
        """
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self) -> polars.DataFrame:
        """The table as a ``polars.DataFrame``.

        Returns
        -------
        polars.DataFrame
            The same memory.
        """
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """The table as a ``pyarrow.Table``.

        Returns
        -------
        pyarrow.Table
            The same memory.
        """
        import pyarrow

        return pyarrow.table(self)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The table as CSV, with the bytes that the command line writes.

        Parameters
        ----------
        path
            A file to write as well.

        Returns
        -------
        bytes
            The content.
        """
        data = self._columns.csv()
        if path is not None:
            Path(path).write_bytes(data)
        return data

    def _texts(self, rows: range) -> list[list[str]]:
        def text(value: object) -> str:
            if value is None or (isinstance(value, float) and np.isnan(value)):
                return ""
            return f"{value:.6g}" if isinstance(value, float) else str(value)

        columns = [self[name] for name in self.columns]
        return [[text(column[row]) for column in columns] for row in rows]

    def _shown(self) -> int:
        return len(self) if len(self) <= _WHOLE else _SHOWN

    def __repr__(self) -> str:
        rows = self._texts(range(self._shown()))
        widths = [max(map(len, column)) for column in zip(self.columns, *rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [self.columns, *rows]]
        more = [] if len(self) == len(rows) else [f"... the first {len(rows)} of {len(self)} rows"]
        return "\n".join(lines + more)

    def _repr_html_(self) -> str:
        def row(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        rows = self._texts(range(self._shown()))
        head = row(self.columns, "th")
        more = "" if len(self) == len(rows) else f"<p>the first {len(rows)} of {len(self)} rows</p>"
        return f"<table><thead>{head}</thead><tbody>{''.join(row(cells, 'td') for cells in rows)}</tbody></table>{more}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Frame, (self._columns,)
