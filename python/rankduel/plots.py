"""The figures of the command line drawn with matplotlib: the same colours, dashes and order."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MUTED = "#606060"
"""The color of subtitles and notes."""


def draw_curves(figure: dict[str, Any], ax: Axes | None, relabel: Mapping[str, str]) -> Axes:
    """Draw mean curves with their bands.

    Parameters
    ----------
    figure
        What ``figure_values`` of a study says.
    ax
        Where to draw, with the names of curves where they cover least; by default a new figure, with the names beside it.
    relabel
        Other names for curves.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    import matplotlib.pyplot as plt

    alone = ax is None
    if ax is None:
        ax = plt.subplots(figsize=(9, 5), layout="constrained")[1]
    curves = figure["curves"]
    for name in relabel:
        if name not in (known := [curve["name"] for curve in curves]):
            raise ValueError(f"relabel: there is no curve {name!r}, only {', '.join(known)}")
    lines = []
    for place, curve in enumerate(curves):
        (line,) = ax.plot(curve["x"], curve["mean"], label=relabel.get(curve["name"], curve["name"]), color=curve["color"])
        if curve["dashes"]:
            line.set_dashes(curve["dashes"])
        if len(curve["x"]) == 1:
            line.set_marker("o")
        # The first curve is the most important one and lies on top.
        line.set_zorder(3 - place / len(curves))
        lines.append(line)
        ax.fill_between(curve["x"], curve["low"], curve["high"], color=curve["color"], alpha=0.18, linewidth=0, zorder=1)
    if figure["x_log"]:
        ax.set_xscale("log")
    if figure["y_log"]:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.set_ylabel(figure["y_label"])
    shown = [lines[at] for at in figure["legend"]]
    # Long enough for every pattern of dashes.
    legend_options: dict[str, Any] = {"handles": shown, "frameon": False, "handlelength": 4}
    if alone:
        legend_options |= {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    ax.legend(**legend_options)
    _frame(figure, ax, alone)
    return ax


def draw_forest(figure: dict[str, Any], ax: Axes | None) -> Axes:
    """Draw estimates with their intervals, one row each, the first on top.

    Parameters
    ----------
    figure
        What ``figure_values`` of a board says.
    ax
        Where to draw; by default a new figure as high as its rows need.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    import matplotlib.pyplot as plt

    rows = figure["rows"]
    alone = ax is None
    if ax is None:
        ax = plt.subplots(figsize=(9, 2 + 0.3 * len(rows)), layout="constrained")[1]
    ends = [end for row in rows for interval in (row["inner"], row["outer"] or ()) for end in interval if end is not None]
    least, most = min([row["value"] for row in rows] + ends), max([row["value"] for row in rows] + ends)
    dark, light = figure["colors"]
    for place, row in enumerate(rows):
        for interval, color, width in ((row["outer"], light, 1.2), (row["inner"], dark, 3)):
            if interval is not None:
                low, high = interval
                ax.plot((least if low is None else low, most if high is None else high), (place, place), color=color, linewidth=width)
                # An open interval goes on beyond the axis.
                for end, edge, arrow in ((low, least, "<"), (high, most, ">")):
                    if end is None:
                        ax.plot(edge, place, marker=arrow, color=color)
        ax.plot(row["value"], place, marker="o", markersize=6, color=dark)
    ax.set_yticks(range(len(rows)), [row["name"] for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    texts = ax.secondary_yaxis("right")
    texts.set_yticks(range(len(rows)), [row["text"] for row in rows], color=MUTED)
    for side in (ax.yaxis, texts.yaxis):
        side.set_tick_params(length=0)
    texts.spines["right"].set_visible(False)
    _frame(figure, ax, alone)
    ax.grid(axis="y", visible=False)
    ax.spines["left"].set_visible(False)
    return ax


def _frame(figure: dict[str, Any], ax: Axes, alone: bool) -> None:
    """Titles, with the note below them, where no margin cuts it off; the label of the x axis; a faint grid."""
    ax.set_xlabel(figure["x_label"])
    ax.grid(color="#e8e8e8", zorder=0)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    sheet = ax.get_figure(root=True)
    assert sheet is not None, "axes are part of a figure"
    sheet.draw_without_rendering()
    box = ax.get_window_extent()
    left, room, texts = 0.0, box.width, [figure["note"]]
    if alone:
        # Titles begin where the sheet does, and say how it is read; among the plots of others, a caption does.
        edge = 0.05 * sheet.dpi
        left, room, texts = (edge - box.x0) / box.width, sheet.get_window_extent().x1 - 2 * edge, [figure["subtitle"], figure["note"]]
    ax.set_ylabel(_wrapped(ax.get_ylabel(), box.height / sheet.dpi, 6))
    under = "\n".join(_wrapped(text, room / sheet.dpi, 4.9) for text in texts if text)
    # Lines of 9 points are some 11 points high.
    pad = 6 + 11 * len(under.splitlines())
    ax.set_title(_wrapped(figure["title"], room / sheet.dpi, 8.5), loc="left", x=left, fontweight="bold", pad=pad)
    if under:
        ax.annotate(under, (left, 1), (0, 5), xycoords="axes fraction", textcoords="offset points", fontsize=9, color=MUTED)


def _wrapped(text: str, inches: float, points: float) -> str:
    """`text` in lines of this length, if letters are so wide."""
    return textwrap.fill(text, max(20, int(72 * inches / points)))
