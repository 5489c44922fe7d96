"""Click models of your own, for the same sites, studies and tables as all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Union

import numpy as np
import numpy.typing as npt

from rankduel import _core
from rankduel.keywords import suggesting
from rankduel.rankings import listed_of
from rankduel.settings import whole

Row = tuple[float, tuple[float, float], tuple[Union[int, None], Union[int, None]]]
"""P(click); P(leave) and the next state, each without and with a click."""

MOST_STATES = 10_000
#: Of a model, for pairs of a state and a grade.
MOST_ANSWERS = 1_000_000


class ClickModel:
    """A click model of your own: derive a class, and pass it, or an object of it, as ``click``.

    A user examines a list from the top. At every document, `click` gives the probability of a click, and `leave` that the
    user examines nothing below it. A user who stays keeps the return value of `remember`: a *state*, which the methods get at
    the next document. All chance is left to the package, so that the same seed gives the same clicks.

    The methods are asked once per site, for every state that a user can be in; what they return is kept as a table. Studies
    therefore run as fast as with the click models of the package, on all cores. All numbers of the table are part of seeds and
    cache keys: another model never meets what this one computed.

    Attributes
    ----------
    name : str or None
        What tables call it; the name of the class by default.
    version : str or None
        Part of the name, if you number your models.

    Examples
    --------
    Users who click on what is relevant until they have clicked twice:

    >>> import rankduel as rd
    >>> class Two(rd.ClickModel):
    ...     def users(self):
    ...         return {"nothing yet": 1.0}
    ...     def click(self, grade, rank, state):
    ...         return 0.9 if grade > 0 else 0.1
    ...     def leave(self, grade, rank, state, clicked):
    ...         return 1.0 if clicked and state == "one click" else 0.0
    ...     def remember(self, grade, rank, state, clicked):
    ...         return "one click" if clicked else state
    >>> int(rd.simulate_clicks(Two, [1, 1, 1, 1], users=10_000, seed=1).sum(axis=1).max())
    2
    >>> site = rd.Site("mq2008-lookalike:0.05", click=Two, rankers=[1, 5, 10])
    >>> site.description["click"]["model"]
    'python-Two'
    """

    name: ClassVar[str | None] = None
    version: ClassVar[str | None] = None

    def prepare(self, highest: int) -> None:
        """Hear the highest grade of the data, before anything is asked; nothing by default.

        Parameters
        ----------
        highest
            The highest grade.
        """

    def users(self) -> Mapping[Any, float]:
        """The states that users start in, with the share of such users: several for a population of several kinds.

        Returns
        -------
        dict
            Shares that add up to 1, by state; by default one kind of user, in the state `None`.
        """
        return {None: 1.0}

    def click(self, grade: int, rank: int, state: Any) -> float:
        """The probability of a click on the document that a user has come to.

        Parameters
        ----------
        grade
            The relevance of the document, from 0.
        rank
            Its rank in the list, from 1.
        state
            What the user remembers of the documents above.

        Returns
        -------
        float
            P(click | grade, rank, state).
        """
        raise NotImplementedError("click(self, grade, rank, state) returns a probability")

    def leave(self, grade: int, rank: int, state: Any, clicked: bool) -> float:
        """The probability that a user examines nothing below this document; 0 by default.

        Parameters
        ----------
        grade, rank
            As for `click`.
        state
            What the user remembers of the documents above.
        clicked
            Whether the user clicked on it.

        Returns
        -------
        float
            P(leave | grade, rank, state, clicked).
        """
        return 0.0

    def remember(self, grade: int, rank: int, state: Any, clicked: bool) -> Any:
        """The state of a user who stays, at the next document; by default unchanged.

        Parameters
        ----------
        grade, rank
            As for `click`.
        state
            What the user remembers of the documents above.
        clicked
            Whether the user clicked on this document.

        Returns
        -------
        hashable
            The next state: e.g. ``rank if clicked else state`` for the rank of the last click.
        """
        return state


Click = Union[str, ClickModel, type[ClickModel]]
"""How users click: a model by name, or one of your own."""

Own = Callable[[int], tuple[str, list[tuple[int, float]], list[Row]]]


@suggesting
def simulate_clicks(
    click: Click,
    labels: Sequence[float] | npt.NDArray[Any],
    *,
    users: int = 10_000,
    fractional_labels: str = "round",
    seed: int = 1,
) -> npt.NDArray[np.uint8]:
    """The clicks of simulated users in one list: a look at a click model, yours or another.

    Parameters
    ----------
    click
        A click model by name, as for `Site`, or a `ClickModel` of your own.
    labels
        The relevance of the documents, from the top. The highest is the highest grade of the data.
    users
        How many users read the list, each on their own.
    fractional_labels
        How fractional labels become grades: ``round``, ``floor`` or ``interpolate``.
    seed
        The seed of the users.

    Returns
    -------
    numpy.ndarray
        A row per user and a column per document, with 1 for a click; ``.mean(axis=0)`` is the share of users who click.

    Raises
    ------
    ValueError
        For an unknown click model, and for probabilities and labels that are none.

    Examples
    --------
    >>> import rankduel as rd
    >>> rd.simulate_clicks("perfect", [0, 2, 1], users=10_000, seed=1).mean(axis=0).round(1).tolist()
    [0.0, 1.0, 0.5]
    """
    named, own = taken(click)
    listed = [float(label) for label in listed_of(labels, "labels")]
    asked = None if own is None else answers(own, len(listed))
    return _core.simulate_clicks(named, asked, listed, fractional_labels, whole("users", users), whole("seed", seed))


def taken(click: Click) -> tuple[str, ClickModel | None]:
    """The name of a click model of the package, or a model of the caller's."""
    if isinstance(click, str):
        return click, None
    model = click() if isinstance(click, type) and issubclass(click, ClickModel) else click
    if not isinstance(model, ClickModel):
        raise TypeError(f'click: expected a name such as "navigational" or a ClickModel of your own, found {click!r}')
    return "navigational", model


def answers(model: ClickModel, shown: int) -> Own:
    """The function by which the compiled part asks `model`, with the highest grade of the data."""
    return partial(_answers, model, shown)


def _answers(model: ClickModel, shown: int, highest: int) -> tuple[str, list[tuple[int, float]], list[Row]]:
    """The name, the states that users start in, and a row per state and grade."""
    table = _Table(model)
    if highest >= MOST_ANSWERS:
        raise ValueError(f"the highest grade is {highest:,}; expected one below {MOST_ANSWERS:,}, since models are asked for all")
    model.prepare(highest)
    starts = [(table.number(1, state, "users"), table.probability(share, "users", state)) for state, share in _users(model)]
    rows: list[Row] = []
    # The list grows while states are found.
    for rank, state in table.states:
        if len(rows) + highest >= MOST_ANSWERS:
            raise ValueError(
                f"{table.what}: more than {MOST_ANSWERS:,} pairs of a state and a grade; "
                "let users remember less, show fewer documents, or use fewer grades"
            )
        for grade in range(highest + 1):
            rows.append(table.row(grade, rank, state, rank < shown))
    grades = highest + 1
    alike = all(row[:2] == rows[at % grades][:2] for at, row in enumerate(rows))
    if alike and len(starts) == 1:
        # Neither rank nor memory matters: such users may be shared between comparisons, like the package's.
        starts, rows = [(0, 1.0)], [(click, leave, (0, 0)) for click, leave, _ in rows[:grades]]
    name = f"python-{model.name or type(model).__name__}"
    return name if model.version is None else f"{name}:version={model.version}", starts, rows


def _users(model: ClickModel) -> list[tuple[Any, float]]:
    users = model.users()
    if not isinstance(users, Mapping) or not users:
        raise TypeError(
            f"{type(model).__name__}.users() returned {users!r}; expected the share of users by state, e.g. {{None: 1.0}}"
        )
    return list(users.items())


class _Table:
    """The states of a model as they are found, each with its rank."""

    def __init__(self, model: ClickModel) -> None:
        self.model = model
        self.what = type(model).__name__
        self.states: list[tuple[int, Any]] = []
        self.numbers: dict[tuple[int, Any], int] = {}

    def number(self, rank: int, state: Any, method: str) -> int:
        """The number of a state that `method` returned."""
        try:
            number = self.numbers.setdefault((rank, state), len(self.states))
        except TypeError:
            raise TypeError(
                f"{self.what}.{method}() returned the state {state!r}; expected something hashable, e.g. a tuple"
            ) from None
        if number == len(self.states):
            if number == MOST_STATES:
                raise ValueError(
                    f"{self.what}: users can be in more than {MOST_STATES:,} states, counted for each rank; "
                    f"at rank {rank}, the last was {state!r}; let them remember less, or show fewer documents"
                )
            self.states.append((rank, state))
        return number

    def probability(self, value: Any, method: str, *asked: object) -> float:
        """The value that `method` returned for `asked`."""
        try:
            probability = float(value)
        except (TypeError, ValueError):
            probability = None
        if probability is not None and 0.0 <= probability <= 1.0:
            return probability
        words = ", ".join(repr(word) for word in asked)
        error = TypeError if probability is None else ValueError
        found = f"the share {value!r} for {words}" if method == "users" else f"{value!r}"
        call = f"{self.what}.{method}({'' if method == 'users' else words})"
        raise error(f"{call} returned {found}; expected a probability from 0 to 1")

    def row(self, grade: int, rank: int, state: Any, goes_on: bool) -> Row:
        """The probabilities of users in a state at a document; `goes_on`: there can be another below it."""
        click = self.probability(self.model.click(grade, rank, state), "click", grade, rank, state)

        def leaves(clicked: bool) -> float:
            value = self.model.leave(grade, rank, state, clicked)
            return self.probability(value, "leave", grade, rank, state, clicked)

        leave = leaves(False), leaves(True)

        def following(clicked: bool) -> int | None:
            possible = click > 0.0 if clicked else click < 1.0
            if not (goes_on and possible and leave[clicked] < 1.0):
                return None
            return self.number(rank + 1, self.model.remember(grade, rank, state, clicked), "remember")

        return click, leave, (following(False), following(True))
