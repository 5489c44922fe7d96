"""Finished runs of bandits."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankduel import _core
from rankduel.findings import Findings, page
from rankduel.flags import flags, quoted
from rankduel.frames import Frame
from rankduel.keywords import SignificanceFlags, check
from rankduel.plots import draw_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Unpack


class Study:
    """Several algorithms, several runs each: what `bandit` and `Site.live` return.

    Print it for the table of the command line. Everything in it is a plain value, so that it can be pickled.

    Attributes
    ----------
    algorithms : list of str
        The algorithms with all their parameters.
    labels : list of str
        The same as short as tables name them.
    steps : int
        Steps per run.
    seed : int
        The master seed.
    truth : str
        A line about the best arm, which regret is measured against.
    winners : list of int
        The arms that count as the best, from 0.
    regret_kind : str
        What regret measures, e.g. ``"condorcet"``.
    synthetic : bool or None
        Whether the data were generated; `None` if unknown.
    report : str
        All that the command line prints.
    """

    def __init__(self, core: _core.Study) -> None:
        self._inner: _core.Study | None = core
        self.algorithms: list[str] = core.algorithms
        self.labels: list[str] = core.labels
        self.steps: int = core.steps
        self.seed: int = core.seed
        self.truth: str = core.truth
        self.winners: list[int] = core.winners
        self.regret_kind: str = core.regret_kind
        self.synthetic: bool | None = core.synthetic
        self.report: str = core.report()

    def _need(self) -> _core.Study:
        assert self._inner is not None, "computed before it was pickled"
        return self._inner

    @cached_property
    def curves(self) -> Frame:
        """Mean regret and its spread over runs, per algorithm and checkpoint: ``curves.csv`` of the command line."""
        return Frame(self._need().curves())

    @cached_property
    def runs(self) -> Frame:
        """Regret and recommended arm at the end of every run: ``runs.csv`` of the command line."""
        return Frame(self._need().runs())

    @cached_property
    def every_run(self) -> Frame:
        """Regret and recommended arm of every run at every checkpoint."""
        return Frame(self._need().every_run())

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """Each algorithm after the last step: ``summary.json`` of the command line."""
        summary: list[dict[str, Any]] = json.loads(self._need().summary())
        return summary

    @cached_property
    def config(self) -> dict[str, Any]:
        """The resolved settings: ``config.json`` of the command line."""
        config: dict[str, Any] = json.loads(self._need().config())
        return config

    def significance(self, **settings: Unpack[SignificanceFlags]) -> Findings:
        """Which algorithms differ in regret, pair by pair: the same as ``rankduel significance``.

        Parameters
        ----------
        **settings
            `SignificanceFlags`: those of the command, e.g. ``correction="bh"`` or ``baseline=study.algorithms[0]``. For a paper:
            ``by_algorithm=True, relabel={"rucb": "RUCB"}, format="latex"``.

        Returns
        -------
        Findings
            ``tables["significance"]`` has a row per pair, or per algorithm; ``text`` has the format asked for.
        """
        check("significance", settings, SignificanceFlags.__annotations__)
        printed = settings.pop("format", "text")
        standalone = ["--standalone"] if settings.pop("standalone", False) else []
        relabel = settings.get("relabel")
        if isinstance(relabel, Mapping):
            settings["relabel"] = quoted(f"{old}={new}" for old, new in relabel.items())
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "study"
            self.save(results)
            words = ["significance", str(results), *flags(settings)]
            asked = ([f"--format={printed}", *standalone], ["--format=json"], ["--format=csv"])
            text, data, csv = (_core.captured([*words, *one], None, None) for one in asked)
        return Findings(text.rstrip("\n"), json.loads(data), {"significance": Frame.from_csv(csv.encode())}, {})

    @cached_property
    def _files(self) -> dict[str, bytes]:
        """All that `save` writes."""
        with tempfile.TemporaryDirectory() as folder:
            self._need().save(Path(folder) / "study")
            return {path.name: path.read_bytes() for path in sorted((Path(folder) / "study").iterdir())}

    @cached_property
    def _svg(self) -> str:
        return self._need().svg()

    @cached_property
    def _figure(self) -> str:
        """The values of the figure, as JSON."""
        return self._need().figure_values()

    def svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """The figure of the command line: curves of mean regret with bands.

        Parameters
        ----------
        path
            A file to write as well.

        Returns
        -------
        str
            The figure as SVG.
        """
        if path is not None:
            Path(path).write_text(self._svg, encoding="utf-8")
        return self._svg

    def plot(self, ax: Axes | None = None, *, relabel: Mapping[str, str] | None = None) -> Axes:
        """Draw the curves of mean regret with matplotlib, as `svg` shows them: colours, dashes, bands and order.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        relabel
            Other names for curves, as in ``{"rucb": "RUCB"}``.

        Raises
        ------
        ValueError
            If there is no curve of such a name.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn.
        """
        return draw_curves(json.loads(self._figure), ax, relabel or {})

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the files of the command line into a new or empty folder: ``config.json``, ``curves.csv``, ``runs.csv``,
        ``summary.json``, ``timings.json`` and the figure.

        ``rankduel significance``, ``rankduel export`` and the like read it, and the command line extends it to more runs, steps or
        algorithms.

        Parameters
        ----------
        folder
            The folder, which is created.

        Raises
        ------
        ValueError
            If the folder is not empty.
        """
        if self._inner is not None:
            self._inner.save(Path(folder))
            return
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ValueError(f"{folder} is not empty; choose another folder")
        for name, data in self._files.items():
            (folder / name).write_bytes(data)

    def __str__(self) -> str:
        return self.report

    def __repr__(self) -> str:
        return f"Study({', '.join(self.labels)}; {len(self.runs)} runs of {self.steps:,} steps, seed {self.seed})"

    def _repr_html_(self) -> str:
        return page(self.report, {"Regret by step, per algorithm": self._svg})

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for name in ("curves", "runs", "every_run", "summary", "config", "_svg", "_figure", "_files"):
            state[name] = getattr(self, name)
        state["_inner"] = None
        return state
