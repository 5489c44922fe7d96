"""Preference matrices, and bandits that duel on them by coin flips."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from rankduel import _core
from rankduel.arms import HasArms
from rankduel.environments import Environment
from rankduel.findings import Findings
from rankduel.frames import Frame
from rankduel.labels import square_of
from rankduel.notes import RankduelWarning
from rankduel.policy import Policy
from rankduel.progress import Progress, reporting
from rankduel.rankings import listed_of
from rankduel.settings import BanditSettings, ExploreSettings, StudySettings, cores, packed, placed, whole_study
from rankduel.studies import Study

if TYPE_CHECKING:
    from typing_extensions import Unpack

Algorithm = Union[str, type[Policy]]
"""An algorithm by name, with parameters as in ``"rucb:alpha=0.51"``, or a class of your own."""

STUDY = ("mergerucb", "rucb", "rmed1", "mdb", "random")
"""The algorithms of a study unless others are named."""

EXPECTED_ALGORITHMS = "algorithms: expected names, e.g. 'rucb', or subclasses of rd.Policy"


def algorithms_of(algorithms: Algorithm | Sequence[Algorithm]) -> list[Algorithm]:
    """A list of algorithms; one may stand alone, and a text may name several."""
    if isinstance(algorithms, str):
        return list(algorithms.split(","))
    if isinstance(algorithms, type):
        return [algorithms]
    if algorithms is None:
        raise TypeError(f"{EXPECTED_ALGORITHMS}, found None; leave it out for those of a study")
    if not isinstance(algorithms, Iterable):
        raise TypeError(f"{EXPECTED_ALGORITHMS}, found {algorithms!r}")
    listed = list(_core.in_order(algorithms, "algorithms"))
    for algorithm in listed:
        if isinstance(algorithm, Policy):
            name = type(algorithm).__name__
            raise TypeError(
                f"algorithms: found an object of the class {name}; give the class, of which every run makes an object of its own. "
                f"For other settings derive another class, e.g. class {name}2({name}): ..."
            )
        if not isinstance(algorithm, str) and not (isinstance(algorithm, type) and issubclass(algorithm, Policy)):
            raise TypeError(f"{EXPECTED_ALGORITHMS}, found {algorithm!r}")
    return listed


class Matrix(HasArms):
    """Probabilities with which arms beat each other: entry (i, j) is P(i beats j).

    ``np.asarray(matrix)`` is the array. Matrices that were estimated, by `Site.proxy` or the command line, also know their
    counts and standard errors.

    Parameters
    ----------
    values
        A square array with 1/2 on the diagonal and entries (i, j) and (j, i) that add up to 1. Counts of wins will do as well:
        0 or NaN on the diagonal, halves where ties count half for both, and 0 or NaN twice for a pair that never met; and so
        will percentages with 50 on the diagonal. Whatever is not probabilities is read with a `RankduelWarning`. Or a frame of
        any library, with the names of arms as its columns and, in the same order, as its index or its first column; or a
        dictionary of dictionaries, ``{i: {j: P(i beats j)}}``.
    name
        What titles call it.
    names
        The names of arms; by default those of a frame or a dictionary.

    Raises
    ------
    ValueError
        If the array is no preference matrix, or rows and columns do not name the same arms in the same order.

    Examples
    --------
    >>> import rankduel as rd
    >>> matrix = rd.Matrix([[0.5, 0.7], [0.3, 0.5]])
    >>> matrix.arms, matrix.condorcet_winner
    (2, 0)
    """

    _inner: _core.Matrix
    _counts: dict[str, npt.NDArray[Any]] | None
    # The description beside an opened matrix, as read; the matrix and the arms that a subset was taken from.
    _account: bytes | None = None
    _whole: tuple[Matrix, list[int]] | None = None
    # The line about the winner, of a matrix that was estimated before it was pickled.
    _winner: str | None = None

    def __init__(self, values: Any, *, name: str = "matrix", names: Sequence[str] | None = None) -> None:
        square = square_of(values)
        called = square.names if names is None else [str(arm) for arm in listed_of(names, "names")]
        if called is not None and len(called) != len(square.values):
            raise ValueError(f"names: expected {len(square.values)} names of arms, found {len(called)}")
        self._inner = _core.Matrix.from_array(square.values, name, called)
        self._counts = None

    @classmethod
    def _of(cls, core: _core.Matrix, counts: dict[str, npt.NDArray[Any]] | None = None) -> Matrix:
        matrix = cls.__new__(cls)
        matrix._inner = core
        matrix._counts = counts
        return matrix

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Matrix:
        """Read a matrix from a file, or a registered one by name.

        Parameters
        ----------
        path
            Text, ``.npy`` or ``.npz``; with ``P.json`` and ``P.counts.npz`` beside it, as the command line writes them, its
            rankers and counts are known too.

        Returns
        -------
        Matrix
            The matrix.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        """
        return cls._open(Path(path), None)

    @classmethod
    def _open(cls, path: Path, names: list[str] | None) -> Matrix:
        core = _core.Matrix.open(path, names)
        stem = path.name.removesuffix(".npz").removesuffix(".counts").removesuffix(path.suffix)
        beside = path.with_name(f"{stem}.counts.npz")
        counts = None
        if beside.is_file():
            with np.load(beside) as arrays:
                counts = {name: arrays[name] for name in arrays.files}
            if not np.array_equal(counts.get("preferences", np.empty(0)), core.values()):
                counts = None
        matrix = cls._of(core, counts)
        matrix._account = core.description()
        return matrix

    @classmethod
    def problem(cls, name: str) -> Matrix:
        """A test problem by name.

        Parameters
        ----------
        name
            ``arithmetic``, ``cyclic``, ``btl``, ``upset``, ``tournament`` or ``normal`` with parameters, e.g.
            ``"btl:k=50:ratio=0.95"``, or a set of utilities such as ``"1good5poor"``.

        Returns
        -------
        Matrix
            The matrix. Problems of utilities have none, and can only be played on.

        Raises
        ------
        ValueError
            For an unknown name, with the nearest known one.
        """
        return cls._of(_core.Matrix.problem(name))

    @property
    def name(self) -> str:
        """Its name in titles."""
        return self._inner.name

    @property
    def names(self) -> list[str] | None:
        """The names of the arms, if they have names."""
        return self._inner.names()

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """All probabilities, as a copy."""
        return self._inner.values()

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("the array of a matrix is always a copy")
        values = self._inner.values()
        return values if dtype is None else values.astype(dtype)

    def _count(self, name: str) -> npt.NDArray[Any]:
        if self._counts is not None:
            return self._counts[name]
        counts: npt.NDArray[Any] = getattr(self._inner, name)()
        return counts

    @property
    def wins(self) -> npt.NDArray[np.uint64]:
        """The wins of i over j, in estimated matrices."""
        return self._count("wins")

    @property
    def ties(self) -> npt.NDArray[np.uint64]:
        """The ties of i and j, in estimated matrices."""
        return self._count("ties")

    @property
    def comparisons(self) -> npt.NDArray[np.uint64]:
        """The comparisons of i and j, in estimated matrices."""
        return self._count("comparisons")

    @property
    def standard_errors(self) -> npt.NDArray[np.float64]:
        """The standard error of each entry, of estimated matrices: infinite for pairs that were never compared."""
        return self._count("standard_errors")

    @property
    def how(self) -> dict[str, Any]:
        """The provenance of an estimated matrix: ``P.json`` of the command line."""
        described = self._account if self._inner.described else None
        how: dict[str, Any] = json.loads(described or self._inner.how())
        how.pop("seal", None)
        return how

    @property
    def winner(self) -> str:
        """A line about the best arm, and how certain it is: that of ``rankduel proxy`` for a matrix that was estimated here, of
        ``rankduel bandit`` for others.
        """
        return self._winner or self._inner.winner_line()

    @property
    def condorcet_winner(self) -> int | None:
        """The arm that beats all others, if there is one."""
        return self._inner.condorcet_winner()

    @property
    def checksum(self) -> str:
        """The checksum by which results know the matrix."""
        return self._inner.checksum()

    @property
    def synthetic(self) -> bool | None:
        """Whether it was estimated from generated data; `None` if unknown."""
        return self._inner.synthetic

    def subset(self, arms: Sequence[int]) -> Matrix:
        """The matrix of some arms, which keep their names.

        Parameters
        ----------
        arms
            Arms, from 0, in the order of the new matrix.

        Returns
        -------
        Matrix
            A matrix without counts.
        """
        matrix = Matrix._of(self._inner.subset(list(_core.in_order(arms, "arms"))))
        matrix._whole = (self, list(arms))
        return matrix

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> list[Path]:
        """Write the files of ``rankduel proxy``: the matrix as ``.npy`` and ``.txt`` and, if it was estimated here, its counts, how it
        was made, and a state that ``rankduel proxy --more`` continues from.

        Parameters
        ----------
        path
            A name that ends in ``.npy`` or ``.txt``.
        replace
            Whether files that exist are replaced; otherwise they are an error.

        Returns
        -------
        list of Path
            The files.

        Raises
        ------
        ValueError
            If a file exists.
        """
        return self._inner.save(Path(path), replace)

    def bandit(self, algorithms: Algorithm | Sequence[Algorithm] = STUDY, **settings: Unpack[BanditSettings]) -> Study:
        """Play algorithms on it: the same as `rankduel.bandit`.

        Parameters
        ----------
        algorithms
            Algorithms by name, or classes of your own.
        **settings
            Those of `rankduel.bandit`.

        Returns
        -------
        Study
            The finished runs.
        """
        return bandit(self, algorithms, **settings)

    def __repr__(self) -> str:
        return f"Matrix({self.name!r}, {self.arms} arms)"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._inner.has_utilities:
            return Matrix.problem, (self.name,)
        if self._whole is not None:
            return Matrix.subset, self._whole
        if (wins := self._inner.win_table()) is not None:
            return _of_wins, (wins, self.name, self.names)
        with tempfile.TemporaryDirectory() as folder:
            stem = Path(self.name).stem or "matrix"
            files = self.save(Path(folder) / f"{stem}.npy")
            files_of = {file.name: file.read_bytes() for file in files if file.suffix != ".txt"}
        if self._account is not None:
            files_of[f"{stem}.json"] = self._account
        winner = self.winner if self._inner.has_counts else self._winner
        return _unpacked, (f"{stem}.npy", files_of, self._counts, self.name, winner, self.names)


def _of_wins(wins: npt.NDArray[np.float64], name: str, names: list[str] | None) -> Matrix:
    # The warnings were given when the matrix was made.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankduelWarning)
        return Matrix(wins, name=name, names=names)


def _unpacked(
    main: str,
    files: dict[str, bytes],
    counts: dict[str, npt.NDArray[Any]] | None,
    name: str,
    winner: str | None,
    names: list[str] | None,
) -> Matrix:
    with tempfile.TemporaryDirectory() as folder:
        for file, data in files.items():
            (Path(folder) / file).write_bytes(data)
        if len(files) == 1 and counts is None and not name.endswith((".npy", ".txt", ".npz")):
            return Matrix(np.load(Path(folder) / main), name=name, names=names)
        # The warnings were given when the matrix was opened.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankduelWarning)
            matrix = Matrix._open(Path(folder) / main, names)
    matrix._counts = matrix._counts or counts
    matrix._winner = winner
    return matrix


def bandit(
    environment: Matrix | npt.ArrayLike | str | os.PathLike[str] | type[Environment],
    algorithms: Algorithm | Sequence[Algorithm] = STUDY,
    *,
    steps: int | float = 1_000_000,
    runs: int = 5,
    seed: int = 1,
    regret: str | None = None,
    out: str | os.PathLike[str] | None = None,
    replace: bool = False,
    threads: int | None = None,
    progress: Progress = None,
    **settings: Unpack[StudySettings],
) -> Study:
    """Play dueling bandits on a preference matrix: coin flips instead of users. The same as ``rankduel bandit``.

    Parameters
    ----------
    environment
        A matrix, an array, the file or the registered name of a matrix, the name of a problem such as ``"arithmetic:k=20"``, or a
        class derived from `Environment`: its method ``duel(i, j)`` decides.
    algorithms
        Algorithms by name, with parameters as in ``"rucb:alpha=0.51"``, or classes derived from `Policy`.
    steps
        Steps per run, e.g. ``1e6``.
    runs
        Runs per algorithm.
    seed
        The master seed.
    regret
        What regret measures: ``condorcet``, ``weak``, ``strong``, ``copeland``, ``borda`` or ``von-neumann``. By default
        ``condorcet``, and ``copeland`` for a matrix without a Condorcet winner.
    out
        A results folder for the files of the command line, by default none. It keeps finished runs: the same call
        continues after an interruption, and one for more steps, runs or algorithms plays only what is missing. A
        `Policy` of your own must have a ``version`` then, by which its runs are known.
    replace
        What the folder holds moves aside when the new results are complete.
    threads
        Threads; all cores by default. Results do not depend on it.
    progress
        `True` for bars of tqdm, or a function of what is done, the units done, and all units.
    **settings
        `StudySettings`: checkpoints, the look of the figure, evidence, and late answers.

    Returns
    -------
    Study
        The finished runs.

    Raises
    ------
    ValueError
        For what was asked wrongly.
    FileNotFoundError
        If there is no such matrix.

    Examples
    --------
    >>> import rankduel as rd
    >>> study = rd.bandit("arithmetic:k=5", ["rucb", "random"], steps=1_000, runs=2, seed=1)
    >>> study.winners
    [0]

    A run may end once its outcomes prove which arm is the best:

    >>> sure = rd.bandit("arithmetic:k=5", "rucb", steps=20_000, runs=2, stop_when=0.95)
    >>> "stated_arm" in sure.runs.columns
    True
    """
    asked = packed("bandit", settings, steps=steps, runs=runs, seed=seed, regret=regret)
    if isinstance(environment, type) and issubclass(environment, Environment):
        with reporting(progress) as report:
            stated, name, arms, preferences = environment._stated()
            where = placed(out, replace)
            chosen = algorithms_of(algorithms)
            played = _core.bandit_in(stated, name, arms, preferences, chosen, asked, where, cores(threads), report)
            return Study(whole_study(played))
    matrix = _environment(environment)
    with reporting(progress) as report:
        where = placed(out, replace)
        return Study(whole_study(matrix._inner.bandit(algorithms_of(algorithms), asked, where, cores(threads), report)))


def explore(
    environment: Matrix | npt.ArrayLike | str | os.PathLike[str],
    algorithms: Algorithm | Sequence[Algorithm] = STUDY,
    *,
    horizons: Sequence[int | float] = (100, 1_000, 10_000, 100_000, 1_000_000),
    runs: int = 5,
    seed: int = 1,
    regret: str | None = None,
    out: str | os.PathLike[str] | None = None,
    replace: bool = False,
    threads: int | None = None,
    progress: Progress = None,
    **settings: Unpack[ExploreSettings],
) -> Findings:
    """How often the recommended arm is the best after exploring until a horizon, and what exploration cost.

    The same as ``rankduel bandit --setting explore-then-exploit``. Algorithms that use the horizon run again for each.

    Parameters
    ----------
    environment, algorithms, runs, seed, regret, out, replace, threads, progress
        As for `bandit`.
    horizons
        Steps of exploration.
    **settings
        `ExploreSettings`: the axes of the figure, and late answers.

    Returns
    -------
    Findings
        ``tables["horizons"]`` has a row per algorithm and horizon, with accuracy and regret; ``tables["runs"]`` one per run.

    Examples
    --------
    >>> import rankduel as rd
    >>> found = rd.explore("arithmetic:k=5", ["rucb", "random"], horizons=[100, 1_000], runs=4)
    >>> [int(horizon) for horizon in found.tables["horizons"]["horizon"]]
    [100, 1000, 100, 1000]
    """
    matrix = _environment(environment)
    asked = packed("explore", settings, horizons=horizons, runs=runs, seed=seed, regret=regret)
    asked.append("--setting=explore-then-exploit")
    with reporting(progress) as report:
        where = placed(out, replace)
        found = matrix._inner.explore(algorithms_of(algorithms), asked, where, cores(threads), report)
    return Findings._from(whole_study(found))


def _environment(environment: Matrix | npt.ArrayLike | str | os.PathLike[str] | type[Environment]) -> Matrix:
    if isinstance(environment, Matrix):
        return environment
    if isinstance(environment, Environment):
        raise TypeError(f"give the class {type(environment).__name__}, not an object of it: every run gets an object of its own")
    if isinstance(environment, type):
        raise TypeError(f"{environment.__name__}: expected a class derived from rankduel.Environment, e.g. for bandit()")
    if isinstance(environment, HasArms):
        raise TypeError(
            "users decide on a site: play there with site.live(...), or estimate its matrix first, "
            "bandit(site.proxy(), ...)"
        )
    if isinstance(environment, os.PathLike):
        return Matrix.open(environment)
    if isinstance(environment, str):
        if Path(environment).exists() or environment.endswith((".npy", ".npz", ".txt")):
            return Matrix.open(environment)
        try:
            return Matrix.problem(environment)
        except ValueError as error:
            try:
                return Matrix.open(environment)
            except (FileNotFoundError, OSError):
                raise error from None
    return Matrix(environment)
