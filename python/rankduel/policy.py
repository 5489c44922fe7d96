"""Policies of your own, played in the same loops and tables as all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy as np


class Policy:
    """A dueling bandit of your own: derive a class, and pass the class where algorithms are named.

    In every step, `choose` names two arms, users decide, and `learn` hears who won. Each run has an object of its own.
    Python runs one call at a time, while the algorithms of the package play on all cores.

    Parameters
    ----------
    arms
        The number of arms, which are numbered from 0.
    rng
        The random numbers of the run: use no others, and the same seed gives the same run.

    Attributes
    ----------
    arms : int
        The number of arms.
    rng : numpy.random.Generator
        The random numbers of the run.
    name : str or None
        What tables call it; the name of the class by default. It is part of every seed.
    version : str or None
        Change it when the choices of the class change: it is part of every seed. A results folder refuses another class with the
        version of one that it holds. What a class without a version computed is never kept or used again.

    Examples
    --------
    >>> import rankduel as rd
    >>> class Uniform(rd.Policy):
    ...     def choose(self, step):
    ...         return int(self.rng.integers(self.arms)), int(self.rng.integers(self.arms))
    >>> study = rd.bandit("arithmetic:k=4", [Uniform, "rucb"], steps=500, runs=2)
    >>> study.labels
    ['Uniform', 'rucb']
    """

    name: ClassVar[str | None] = None
    version: ClassVar[str | None] = None

    def __init__(self, arms: int, rng: np.random.Generator) -> None:
        self.arms = arms
        self.rng = rng

    def choose(self, step: int) -> tuple[int, int]:
        """Choose the two arms of a step.

        Parameters
        ----------
        step
            The step, from 1.

        Returns
        -------
        tuple of int
            Two arms. They may be the same arm: it then wins against itself.
        """
        raise NotImplementedError("choose(self, step) returns a pair of arms")

    def learn(self, step: int, winner: int, loser: int) -> None:
        """Learn who won the step; nothing by default.

        Parameters
        ----------
        step
            The step that was chosen for.
        winner
            The arm that won; ties are broken by a fair coin.
        loser
            The other arm.
        """

    def recommend(self) -> int | None:
        """The arm it would recommend if stopped now, asked at checkpoints; none by default.

        Returns
        -------
        int or None
            An arm.
        """
        return None

    @classmethod
    def _name(cls) -> str:
        name = f"python-{cls.name or cls.__name__}"
        return name if cls.version is None else f"{name}:version={cls.version}"

    @classmethod
    def _revision(cls) -> int:
        """A number that differs where the code differs, comments and spaces aside; 1 if the code is not known."""
        import hashlib
        import inspect
        import textwrap
        import tokenize
        from io import StringIO

        digest = hashlib.sha256()
        for part in cls.__mro__:
            if part is Policy:
                break
            try:
                source = textwrap.dedent(inspect.getsource(part))
                tokens = list(tokenize.generate_tokens(StringIO(source).readline))
            except (OSError, TypeError, SyntaxError, tokenize.TokenError):
                return 1
            for token in tokens:
                if token.type not in (tokenize.COMMENT, tokenize.NL):
                    digest.update(f"{tokenize.tok_name[token.type]} {token.string.strip()}\n".encode())
        # Another number than the one for unknown code.
        return 2 + int.from_bytes(digest.digest()[:4], "big") % (2**32 - 2)

    @classmethod
    def _start(cls, arms: int, seed: int) -> Policy:
        import numpy as np

        policy = cls(arms, np.random.default_rng(seed))
        if not hasattr(policy, "rng") or not hasattr(policy, "arms"):
            raise TypeError(f"{cls.__name__}.__init__ must call super().__init__(arms, rng)")
        return policy
