"""Notes on data and settings, to be read before results."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

_HERE = str(Path(__file__).parent)


class RankduelWarning(UserWarning):
    """A note that the command line prints: what was left out of the data or filled in, and what results depend on.

    Silence all of them with ``warnings.simplefilter("ignore", rankduel.RankduelWarning)``.
    """


def warn(notes: Iterable[str]) -> None:
    """Warn of all `notes`, at the line outside this package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    for note in notes:
        warnings.warn(note, RankduelWarning, stacklevel=level)
