"""A dueling bandit that chooses the next pair for judges: people or models who compare two answers."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional, Union, overload

from rankduel import _core
from rankduel.board import Board
from rankduel.frames import Frame
from rankduel.keywords import BoardSettings, suggesting
from rankduel.notes import RankduelWarning
from rankduel.rankings import listed_of
from rankduel.settings import whole

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Pair(NamedTuple):
    """The pair that a judge sees.

    Attributes
    ----------
    ticket : str
        With which the answer comes back, once.
    first, second : str
        The competitors, in the order in which to show them.
    item : str or None
        The item (prompt, query) on which they are compared, if there are items.
    judge : str or None
        Who was asked, if that was said.
    """

    ticket: str
    first: str
    second: str
    item: Optional[str]
    judge: Optional[str]


class Live:
    """A session with judges: asks for pairs, takes verdicts, and has the standings.

    Any number of pairs may be open at a time; answers may come late, in any order, or never. The same seed and the same answers
    give the same pairs. The file of `save` is that of ``rankduel next``.

    For rankers in a search engine, `Pair.first` and `Pair.second` name the two: mix their lists, and pass the
    result of `Impression.credit` as the verdict.

    Parameters
    ----------
    names
        The competitors (models, prompts, rankers), at least two.
    items
        What they are compared on: each pair goes through all items in an order of its own before one recurs.
    policy
        Who chooses for goal ``best``: ``top-two`` (which is what ``auto`` means), or an algorithm of `algorithms` that plays two arms at
        a time.
    goal
        ``best``: to name the best; ``order``: to rank all; ``uniform``: every pair equally often.
    seed
        From which all random choices follow.
    both
        Ask each pair in both orders on its item. A disagreement is a tie for the policy.
    repeat
        The share of questions that repeat an earlier one, 0 to 0.5, to see whether judges agree with themselves. The policy does
        not learn from them.
    tolerance
        By how much the best may be better than the one that `best` names, as a share of points: with 0.05, one that gets at least 45%
        against each other is good enough. Without, a session between equals never ends.
    horizon
        How many judgements there will be, for policies that must know.
    model
        A model that judges beside people: it answers every question, and lots, drawn by how far it agrees with them, decide which of
        these a person audits. ``pair.judge`` is whom to ask, and what the session says holds for people.
    people
        The people beside the model.
    model_cost
        What an answer of the model costs, in judgements of a person, above 0 and at most 1.

    Raises
    ------
    ValueError
        If a setting is wrong.

    Examples
    --------
    >>> import rankduel as rd
    >>> live = rd.Live(["a", "b", "c"], seed=7)
    >>> for _ in range(30):
    ...     pair = live.ask()
    ...     live.tell(pair.ticket, "first" if pair.first < pair.second else "second")
    >>> live.recommend(), live.counts["answered"]
    ('a', 30)
    """

    @suggesting
    def __init__(
        self,
        names: Sequence[str],
        items: Sequence[str] | None = None,
        policy: str = "auto",
        goal: str = "best",
        seed: int = 0,
        both: bool = False,
        repeat: float = 0.0,
        *,
        tolerance: float = 0.0,
        horizon: int = 0,
        model: Optional[str] = None,
        people: Sequence[str] = (),
        model_cost: float = 0.01,
    ) -> None:
        if not isinstance(policy, str):
            raise TypeError(
                "policy: expected a name; a policy of your own cannot be made again from the file of a session, so that a "
                "session would not go on after a restart"
            )
        if goal not in ("best", "order", "uniform"):
            raise ValueError(f"goal: expected best, order or uniform, found {goal!r}")
        settings = {
            "names": _texts("names", names),
            "items": [] if items is None else _texts("items", items),
            "goal": goal,
            "policy": policy,
            "horizon": whole("horizon", horizon),
            "seed": whole("seed", seed),
            "both": bool(both),
            "repeat": _share(repeat),
            "tolerance": float(tolerance),
        }
        if model is not None:
            settings["model"] = {"name": model, "cost": float(model_cost), "people": _texts("people", people)}
        elif len(people) > 0:
            raise ValueError("people: they audit a model; name it with model=, or leave them out")
        self._begin(_core.Session(json.dumps(settings)))

    def _begin(self, session: _core.Session) -> None:
        settings = json.loads(session.config())
        self._session = session
        self._names: list[str] = settings["names"]
        self._items: list[str] = settings["items"]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Live:
        """Continue the session in a file of `save` or of ``rankduel next``.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        Live
            The session as it was: the next pairs are those that would have come.

        Raises
        ------
        ValueError
            If a line of the file was edited, removed or repeated.
        """
        session, torn = _core.Session.load(path)
        if torn:
            message = f"{os.fspath(path)}: its last line was cut off while it was written, and is dropped"
            warnings.warn(message, RankduelWarning, stacklevel=2)
        live = cls.__new__(cls)
        live._begin(session)
        return live

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to a file: what it lacks is appended, and on the disk when this returns.

        Parameters
        ----------
        path
            The file. One that holds something else, or events that this session does not have, is left alone.

        Raises
        ------
        ValueError
            If the file is not a beginning of this session.
        """
        self._session.save(path)

    @property
    def names(self) -> list[str]:
        """The competitors."""
        return list(self._names)

    @property
    def items(self) -> list[str]:
        """The items."""
        return list(self._items)

    def _pair(self, asked: _core._AskedPair) -> Pair:
        ticket, first, second, item, judge = asked
        return Pair(ticket, self._names[first], self._names[second], None if item is None else self._items[item], judge)

    @overload
    def ask(self, n: Optional[str] = None, *, judge: Optional[str] = None) -> Pair: ...
    @overload
    def ask(self, n: int, *, judge: Optional[str] = None) -> list[Pair]: ...
    def ask(self, n: Union[int, str, None] = None, *, judge: Optional[str] = None) -> Union[Pair, list[Pair]]:
        """Choose the next pair, or the next `n`, which are all open together.

        Parameters
        ----------
        n
            How many; without it, one. A text is the name of the judge.
        judge
            Who is asked. With `both`, the other order of a question goes to who answered the first.

        Returns
        -------
        Pair or list of Pair
            What to show.
        """
        if isinstance(n, str):
            if judge is not None:
                raise TypeError("ask: the judge is named twice")
            n, judge = None, n
        if n is None:
            return self._pair(self._session.ask(judge))
        return [self._pair(asked) for asked in self._session.ask_many(whole("n", n), judge)]

    def tell(self, ticket: str, verdict: str, judge: Optional[str] = None, *, note: Optional[str] = None) -> None:
        """Record the answer to a pair.

        Parameters
        ----------
        ticket
            The ticket of the pair.
        verdict
            ``first``, ``second``, ``tie`` or ``both bad``; what `Impression.credit` returns is one of these.
        judge
            Who answered, if that was not said when the pair was asked.
        note
            What the judge noted beside it, at most 2,000 characters.

        Raises
        ------
        ValueError
            If the ticket is not open, or the word is none of these. Nothing changes then.
        """
        self._session.tell(ticket, verdict, judge, note)

    def forget(self, ticket: str) -> None:
        """Give a pair back: no answer will come. It is asked again later.

        Parameters
        ----------
        ticket
            The ticket of the pair.
        """
        self._session.forget(ticket)

    def take_back(self, ticket: str, judge: Optional[str] = None) -> None:
        """Take back an answer, or that a pair was forgotten: it is open again, and only the last answer counts.

        Parameters
        ----------
        ticket
            The ticket of the pair.
        judge
            Who takes it back; another judge's answer is refused then.

        Raises
        ------
        ValueError
            If the pair is open, another judge answered, or it was asked in the other order since. Nothing changes then.
        """
        self._session.take_back(ticket, judge)

    def undo(self, judge: Optional[str] = None) -> Optional[str]:
        """Take back the last action.

        Parameters
        ----------
        judge
            The judge of the action; any judge if None.

        Returns
        -------
        str or None
            The ticket that is open again; None if there is nothing to take back.
        """
        return self._session.undo(judge)

    @property
    def open(self) -> list[Pair]:
        """The pairs that are open, in the order in which they were asked."""
        return [self._pair(asked) for asked in self._session.open()]

    def judgements(self) -> Frame:
        """Return all answers, in the order in which they came back.

        Returns
        -------
        Frame
            The columns ``first``, ``second``, ``winner`` (``first``, ``second``, ``tie`` or ``both bad``), ``item``, ``judge`` and
            ``ticket``: the table that ``rankduel next --export`` writes.
        """
        return Frame(self._session.judgements())

    def board(self, **settings: Unpack[BoardSettings]) -> Board:
        """Say what all answers so far say: who is best, how sure that is, and what would mislead.

        Parameters
        ----------
        **settings
            ``confidence``, ``clusters``, ``ties``, ``tolerance``, ``advice`` and ``threads`` of `Board`.

        Returns
        -------
        Board
            The board. Its claims hold at every look, so that one may ask for it after each answer and stop when it names the best.

        Raises
        ------
        ValueError
            Before the first answer.
        """
        return Board._of_session(self._session, dict(settings))

    def best(self, confidence: float = 0.95) -> Optional[str]:
        """Name the best, or one within the tolerance of the session, if it is known: then one may stop.

        Parameters
        ----------
        confidence
            The confidence that the name is right, if one asks after every answer and stops at the first.

        Returns
        -------
        str or None
            Its name; None while it is not known.
        """
        return self._session.best(float(confidence))

    def recommend(self) -> Optional[str]:
        """Name the competitor that leads.

        Returns
        -------
        str or None
            Its name; None before the first answer.
        """
        place = self._session.recommend()
        return None if place is None else self._names[place]

    def ranking(self) -> list[tuple[str, float, float]]:
        """Return all competitors from the strongest down.

        Returns
        -------
        list of (str, float, float)
            The name, the strength under a Bradley-Terry model (a logit) and the standard deviation of what is known of it.
        """
        return [(self._names[place], strength, deviation) for place, strength, deviation in self._session.ranking()]

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of pairs asked, answered, forgotten and so on: ``asked = answered + forgotten + open``."""
        return dict(self._session.counts())

    @property
    def status(self) -> str:
        """The progress of the session, in a few sentences."""
        return self._session.status()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(
            "a session with judges is not copied or pickled, since both copies would ask the same questions: save(path) it, and go on "
            "with Live.load(path) in one place"
        )

    def __repr__(self) -> str:
        return f"Live({len(self._names)} competitors, {self.counts['answered']} judgements)"


def _texts(name: str, values: Sequence[str]) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{name}: expected several texts, found one: {values!r}")
    texts = listed_of(values, name)
    for place, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise TypeError(f"{name}: expected texts, found {text!r} in place {place}")
    return [str(text) for text in texts]


def _share(repeat: float) -> float:
    share = float(repeat)
    if not 0.0 <= share <= 0.5:
        raise ValueError(f"repeat: expected a share from 0 to 0.5, found {repeat}")
    return share
