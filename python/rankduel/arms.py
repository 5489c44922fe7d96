"""Arms with names, common to sites and matrices."""

from __future__ import annotations

from typing import Protocol


class _Named(Protocol):
    @property
    def arms(self) -> int: ...
    def arm_name(self, arm: int) -> str: ...


class HasArms:
    """Something with arms, numbered from 0."""

    _inner: _Named

    @property
    def arms(self) -> int:
        """The number of arms."""
        return self._inner.arms

    def arm_name(self, arm: int) -> str:
        """The name of an arm, e.g. ``feature 110 (arm 109)``.

        Parameters
        ----------
        arm
            An arm, from 0.

        Returns
        -------
        str
            Its name.

        Raises
        ------
        ValueError
            If there is no such arm.
        """
        return self._inner.arm_name(arm)
