"""Environments written in Python: who wins a duel is up to you."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt


class Environment:
    """Decides duels: derive a class from it, and play algorithms in it with `rankduel.bandit`.

    Every run gets an object of its own, with random numbers of its own. A simulated judge with a bias for the answer shown first,
    users whose taste drifts, a rating model: anything that can answer "which of two?".

    Attributes
    ----------
    arms
        How many arms there are. A class must state it.
    preferences
        If they are known, the probabilities that the arm of the row beats the arm of the column: regret is measured against them.
        Without, regret is unknown, and results say so.
    rng
        The random numbers of a run. Take all randomness from here: the same seed then gives the same run.

    Examples
    --------
    >>> import rankduel as rd
    >>> class Judge(rd.Environment):
    ...     arms = 3
    ...     quality = [0.9, 0.5, 0.1]
    ...     preferences = [[0.5, 0.7, 0.9], [0.3, 0.5, 0.7], [0.1, 0.3, 0.5]]
    ...     def duel(self, i, j):
    ...         return self.rng.random() < 0.5 + (self.quality[i] - self.quality[j]) / 2
    >>> study = rd.bandit(Judge, "rucb", steps=2_000, runs=2)
    >>> study.winners
    [0]
    """

    arms: ClassVar[int]
    preferences: ClassVar[npt.ArrayLike | None] = None

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def duel(self, i: int, j: int) -> bool | str | None:
        """The winner when arm `i` meets arm `j`, another one.

        Returns
        -------
        bool, str or None
            `True` or ``"first"`` if arm `i` wins, `False` or ``"second"`` if arm `j` does, `None` or ``"tie"`` if neither does.
        """
        raise NotImplementedError

    @classmethod
    def _start(cls, seed: int) -> Environment:
        return cls(np.random.default_rng(seed))

    @classmethod
    def _stated(cls) -> tuple[Any, str, int, npt.NDArray[np.float64] | None]:
        """The class, its name, its arms and its preferences, for the compiled part."""
        arms = getattr(cls, "arms", None)
        if not isinstance(arms, int) or isinstance(arms, bool):
            raise ValueError(f"{cls.__name__}: expected `arms`, a number of arms, found {arms!r}")
        preferences = None if cls.preferences is None else np.asarray(cls.preferences, dtype=np.float64)
        if preferences is not None and preferences.ndim != 2:
            raise ValueError(f"{cls.__name__}: expected preferences with two dimensions, found {preferences.ndim}")
        return cls, cls.__name__, arms, preferences
