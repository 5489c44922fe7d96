"""The findings of commands and analyses."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankduel.frames import Frame

if TYPE_CHECKING:
    from rankduel._core import Columns


def page(text: str, figures: Mapping[str, str]) -> str:
    """The HTML for notebooks: a table of text, and figures no wider than the page, by what they show."""
    style = "font-family: monospace; line-height: 1.35; white-space: pre; overflow-x: auto"
    shown = "".join(
        f'<div role="img" aria-label="{html.escape(name)}" style="max-width: 50rem; overflow-x: auto">{figure}</div>'
        for name, figure in figures.items()
    )
    return f'<div><pre style="{style}">{html.escape(text)}</pre>{shown}</div>'


@dataclass(frozen=True, repr=False)
class Findings:
    """The findings of a command.

    Attributes
    ----------
    text : str
        What the command line prints.
    data : dict or list
        All numbers: what ``--json`` prints.
    tables : dict of Frame
        The CSV files by name, e.g. ``tables["ranking"]``.
    figures : dict of str
        The figures as SVG, by name.
    """

    text: str
    data: Any
    tables: Mapping[str, Frame]
    figures: Mapping[str, str]

    @classmethod
    def _of(cls, text: str, data: Any, folder: Path) -> Findings:
        """With the tables and figures that a command wrote into `folder`."""
        tables = {path.stem: Frame.from_csv(path.read_bytes()) for path in sorted(folder.glob("*.csv"))}
        figures = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.svg"))}
        return cls(text.rstrip("\n"), data, tables, figures)

    @classmethod
    def _from(cls, found: tuple[str, str, list[tuple[str, Columns]], list[tuple[str, str]]]) -> Findings:
        """From the result of the compiled part."""
        text, data, tables, figures = found
        return cls(text, json.loads(data), {name: Frame(columns) for name, columns in tables}, dict(figures))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        first = self.text.strip().partition("\n")[0]
        shown = first if len(first) <= 72 else f"{first[:71]}…"
        return f"Findings({shown!r}; tables: {', '.join(self.tables) or 'none'}; figures: {', '.join(self.figures) or 'none'})"

    def _repr_html_(self) -> str:
        return page(self.text, self.figures)
