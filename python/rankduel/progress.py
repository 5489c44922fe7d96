"""Progress of long calls, shown by tqdm or given to a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

Report = Callable[[str, int, int], None]
"""Called every few milliseconds with what is being done, the units done, and all units."""

Progress = Union[bool, Report, None]
"""`True` for bars of tqdm, a function that is called with what is done, the units done and all units, or `None`."""


class _Bars:
    """One bar of tqdm for each part of the work."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs tqdm: pip install tqdm, or pass a function") from error
        self._make: Callable[..., Any] = tqdm
        self._bar: Any = None
        self._what = ""

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._bar is None or what != self._what or done < self._bar.n:
            self.close()
            self._what = what
            self._bar = self._make(desc=what, total=total, unit_scale=True)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


@contextmanager
def reporting(progress: Progress) -> Iterator[Report | None]:
    """Give the function that is called with progress, and end its bars."""
    if callable(progress):
        yield progress
    elif progress:
        bars = _Bars()
        try:
            yield bars
        finally:
            bars.close()
    else:
        yield None
