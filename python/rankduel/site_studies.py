"""Studies on a site, its ground truth, and preference matrices."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankduel import _core
from rankduel.arms import HasArms
from rankduel.findings import Findings
from rankduel.flags import flags
from rankduel.frames import Frame
from rankduel.keywords import StudyFlags, check, suggesting
from rankduel.matrices import STUDY, Algorithm, Matrix, algorithms_of
from rankduel.progress import Progress, reporting
from rankduel.settings import CompareSettings, LiveSettings, cores, count, packed, placed, whole, whole_study
from rankduel.studies import Study

if TYPE_CHECKING:
    from typing_extensions import Unpack

DUELS = ("mergerucb", "rucb", "rmed1", "random")
METHODS = ("team-draft", "probabilistic", "optimized", "sosm", "pairwise-preference")


@dataclass(frozen=True)
class Truth:
    """The best ranker, and how far behind it every ranker is.

    Attributes
    ----------
    measure : str
        ``"condorcet"``, or ``"ndcg"`` if no ranker beats all others.
    winner : int
        The best arm, from 0.
    winners : list of int
        All arms with the same lists as the best.
    gaps : list of float
        The regret of one step with each arm alone.
    standard_errors : list of float
        The standard error of each gap.
    z : float or None
        The smallest margin in standard errors; below 3 the winner is not resolved.
    comparisons : int
        Comparisons behind it.
    text : str
        The line of the command line.
    """

    measure: str
    winner: int
    winners: list[int]
    gaps: list[float]
    standard_errors: list[float]
    z: float | None
    comparisons: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Comparison:
    """The same bandits live and on the preference matrix of the same rankers.

    Attributes
    ----------
    live, proxy : Study
        The finished runs of both.
    differences : Frame
        The differences of mean regret, per algorithm and checkpoint: ``differences.csv`` of the command line.
    """

    live: Study
    proxy: Study
    differences: Frame

    def __str__(self) -> str:
        return f"live:\n{self.live}\n\non the matrix:\n{self.proxy}"


class HasStudies(HasArms):
    """Rankers and users on whom studies are made."""

    _inner: _core.Site
    seed: int

    @suggesting
    def ndcg(self, *, threads: int | None = None) -> npt.NDArray[np.float64]:
        """nDCG@10 of every ranker, with exponential gains, in expectation over ties.

        Parameters
        ----------
        threads
            Threads; all cores by default.

        Returns
        -------
        numpy.ndarray
            One value per arm.
        """
        return np.asarray(self._inner.ndcg(cores(threads)), dtype=np.float64)

    @suggesting
    def truth(
        self,
        *,
        seed: int | None = None,
        effort: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Truth:
        """The best ranker, found by simulated comparisons: what regret of live runs is counted from.

        It is estimated once per object, seed and effort.

        Parameters
        ----------
        seed
            The master seed; that of the site by default.
        effort
            Comparisons as a multiple of the default.
        cache
            A folder that keeps it for later processes; that of the command line is ``results/.cache``.
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.

        Returns
        -------
        Truth
            The best ranker, and the gap of each.
        """
        with reporting(progress) as report:
            data, text = self._inner.truth(self._seed(seed), effort, _path(cache), cores(threads), report)
        truth = json.loads(data)
        names = ("measure", "winner", "winners", "gaps", "standard_errors", "z", "comparisons")
        return Truth(**{name: truth[name] for name in names}, text=text)

    @suggesting
    def proxy(
        self,
        *,
        impressions_per_pair: int | float = 4_000,
        seed: int | None = None,
        multileaved: bool = False,
        stratify: bool = False,
        arms: Sequence[int] | None = None,
        until_standard_error: float | None = None,
        name: str = "P",
        threads: int | None = None,
        progress: Progress = None,
    ) -> Matrix:
        """Estimate the preference matrix from simulated impressions: the same as ``rankduel proxy``.

        Parameters
        ----------
        impressions_per_pair
            Impressions per pair.
        seed
            The master seed; that of the site by default.
        multileaved
            Whether all rankers share one list; otherwise each pair is interleaved.
        stratify
            Whether every query is used equally often.
        arms
            Compare only the pairs among these arms.
        until_standard_error
            Then go on with the pairs that have a standard error above this.
        name
            What titles call the matrix.
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.

        Returns
        -------
        Matrix
            The matrix, with its counts and standard errors.
        """
        pairs = "all" if arms is None else "arms:" + ",".join(str(whole("arms", arm)) for arm in _core.in_order(arms, "arms"))
        with reporting(progress) as report:
            core = self._inner.proxy(
                count("impressions_per_pair", impressions_per_pair),
                self._seed(seed),
                multileaved,
                stratify,
                pairs,
                until_standard_error,
                name,
                cores(threads),
                report,
            )
        return Matrix._of(core)

    def live(
        self,
        algorithms: Algorithm | Sequence[Algorithm] = STUDY,
        *,
        steps: int | float = 1_000_000,
        runs: int = 5,
        seed: int | None = None,
        regret: str | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **settings: Unpack[LiveSettings],
    ) -> Study:
        """Play dueling bandits live: every step is an impression, and users decide. The same as ``rankduel`` without a command.

        Parameters
        ----------
        algorithms
            Algorithms by name, with parameters as in ``"rucb:alpha=0.51"``, or classes derived from `Policy`.
        steps
            Steps (impressions) per run, e.g. ``1e6``.
        runs
            Runs per algorithm.
        seed
            The master seed; that of the site by default.
        regret
            What regret measures: ``condorcet`` (the default), ``weak``, ``strong`` or ``ndcg``.
        out
            A results folder for the files of the command line, by default none. It keeps finished runs: the same call
            continues after an interruption, and one for more steps, runs or algorithms plays only what is missing. A
            `Policy` of your own must have a ``version`` then, by which its runs are known.
        replace
            What the folder holds moves aside when the new results are complete.
        threads
            Threads; all cores by default.
        progress
            `True` for bars of tqdm, or a function.
        **settings
            `LiveSettings`: checkpoints, the look of the figure, evidence, late answers, and the ground truth.

        Returns
        -------
        Study
            The finished runs.
        """
        asked = packed("live", settings, steps=steps, runs=runs, seed=self._seed(seed), regret=regret)
        with reporting(progress) as report:
            where = placed(out, replace)
            return Study(whole_study(self._inner.live(algorithms_of(algorithms), asked, where, cores(threads), report)))

    def compare(
        self,
        matrix: Matrix | None = None,
        algorithms: Algorithm | Sequence[Algorithm] = DUELS,
        *,
        impressions_per_pair: int | float = 20_000,
        steps: int | float = 1_000_000,
        runs: int = 5,
        seed: int | None = None,
        regret: str | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **settings: Unpack[CompareSettings],
    ) -> Comparison:
        """Play the same bandits live and on the preference matrix of the same rankers: the same as ``rankduel compare``.

        Parameters
        ----------
        matrix
            The matrix; estimated by default.
        algorithms
            Dueling algorithms.
        impressions_per_pair
            Impressions per pair of an estimated matrix.
        steps, runs, seed, regret, out, replace, threads, progress
            As for `live`.
        **settings
            `CompareSettings`: checkpoints, the look of the figure, and the ground truth.

        Returns
        -------
        Comparison
            Both studies, and their differences.
        """
        asked = packed("compare", settings, steps=steps, runs=runs, seed=self._seed(seed), regret=regret)
        given = None if matrix is None else matrix._inner
        number = count("impressions_per_pair", impressions_per_pair)
        with reporting(progress) as report:
            where = placed(out, replace)
            compared = _core.compare(
                self._inner, given, number, algorithms_of(algorithms), asked, where, cores(threads), report
            )
        live, proxy, differences = whole_study(compared)
        return Comparison(Study(live), Study(proxy), Frame(differences))

    @suggesting
    def sensitivity(
        self,
        methods: Sequence[str] = METHODS,
        *,
        compared: int | float = 5,
        impressions: int | float = 1_000,
        draws: int | float = 100,
        seed: int | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Frame:
        """The impressions that methods need to order rankers as their nDCG does: the same as ``rankduel sensitivity``.

        Parameters
        ----------
        methods
            Multileaving methods; pairwise interleaving is always among the rows.
        compared
            Rankers per draw.
        impressions
            Impressions per draw.
        draws
            Random draws of rankers.
        seed
            The master seed; that of the site by default.
        out, replace, threads, progress
            As for `live`.

        Returns
        -------
        Frame
            The mean share of wrongly ordered pairs, per method and checkpoint: ``errors.csv`` of the command line.
        """
        found = self.study(
            "sensitivity",
            seed=seed,
            out=out,
            replace=replace,
            threads=threads,
            progress=progress,
            methods=list(_core.in_order(methods, "methods")),
            compared=count("compared", compared),
            impressions_per_draw=count("impressions", impressions),
            draws=count("draws", draws),
        )
        return found.tables["errors"]

    @suggesting
    def distortion(
        self,
        sizes: Sequence[int] | None = None,
        *,
        multileavings: int | float = 3_000,
        sets: int | float = 30,
        seed: int | None = None,
        truth_effort: float = 1.0,
        cache: str | os.PathLike[str] | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Frame:
        """How often multileaving prefers another ranker to the best one: the same as ``rankduel distortion``.

        Parameters
        ----------
        sizes
            Rankers per set, the best one included; 3, 10 and 100 by default, as far as there are enough.
        multileavings
            Multileavings per set.
        sets
            Random sets per size.
        seed, truth_effort, cache, out, replace, threads, progress
            As for `live`.

        Returns
        -------
        Frame
            The share of other rankers that beat the best, over sets; a row per size.
        """
        found = self.study(
            "distortion",
            seed=seed,
            out=out,
            replace=replace,
            threads=threads,
            progress=progress,
            sizes=None if sizes is None else [count("sizes", size) for size in _core.in_order(sizes, "sizes")],
            multileavings=count("multileavings", multileavings),
            sets=count("sets", sets),
            truth_effort=truth_effort,
            cache=_path(cache),
        )
        return found.tables["distortion"]

    def study(
        self,
        name: str,
        *,
        seed: int | None = None,
        out: str | os.PathLike[str] | None = None,
        replace: bool = False,
        threads: int | None = None,
        progress: Progress = None,
        **settings: Unpack[StudyFlags],
    ) -> Findings:
        """Carry out any study of a site by the name of its command, e.g. ``site.study("sensitivity", draws=20)``.

        Parameters
        ----------
        name
            The command.
        seed, out, replace, threads, progress
            As for `live`.
        **settings
            The flags of the command, with underscores instead of dashes.

        Returns
        -------
        Findings
            What the command prints and writes.

        Raises
        ------
        ValueError
            For an unknown study, and for what was asked wrongly.
        """
        check("study", settings, StudyFlags.__annotations__, ["name", "seed", "out", "replace", "threads", "progress"])
        words = [word for word in flags(settings) if not word.endswith("=")]
        with reporting(progress) as report:
            where = placed(out, replace)
            found = _core.study_of_site(self._inner, name, words, self._seed(seed), where, cores(threads), report)
        return Findings._from(whole_study(found))

    def _seed(self, seed: int | None) -> int:
        return self.seed if seed is None else whole("seed", seed)


def _path(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)
