"""The return values of a client: impressions, the rankers of one, duels, and the fates of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from rankduel.client.problems import Problem
from rankduel.client.wire import Ranked, count_of, field, given, lists_of, names_of, quoted, text_of, texts, whole_of

if TYPE_CHECKING:
    from rankduel.client.main import Client


class Fate(NamedTuple):
    """The fate of an event.

    Attributes
    ----------
    status : str
        ``taken``; ``duplicate`` (the document counts already, perhaps from an earlier attempt); ``late`` (the window is over);
        ``unknown`` (no such impression); ``not-shown``; ``ignored`` (not a click, nor an outcome of an experiment); ``malformed``. Of an
        outcome also ``unknown-unit``, ``other-currency``, ``bot`` and ``limited`` (more than a user has). If the client has a fallback, also
        ``lost`` (no answer came) and ``not-recorded`` (the server does not know this page).
    why : str or None
        The reason in words, unless it was taken.
    """

    status: str
    why: Optional[str] = None


def click(impression: str, document: str) -> dict[str, Any]:
    """A click as an event of User Behavior Insights 1.3, for `Client.events`.

    Parameters
    ----------
    impression
        The id of the impression.
    document
        Which document was clicked.

    Returns
    -------
    dict
        The event.

    Examples
    --------
    >>> click("AQAB", "d9")["event_attributes"]
    {'object': {'object_id': 'd9'}}
    """
    attributes = {"object": {"object_id": text_of("document", document)}}
    return {"action_name": "click", "query_id": text_of("impression", impression), "event_attributes": attributes}


def outcome(
    action: str,
    document: str,
    *,
    unit: Optional[str] = None,
    impression: Optional[str] = None,
    value: Optional[int] = None,
    currency: Optional[str] = None,
    order: Optional[str] = None,
) -> dict[str, Any]:
    """A later action of a user, such as an order, as an event for `Client.events`.

    Parameters
    ----------
    action
        What was done, as the settings of the experiment name it in ``outcomes``.
    document
        With which document.
    unit
        The user or session, as impressions name it.
    impression
        The id of a page of the user instead; an event that a browser sends itself, without a key, must have it.
    value
        What it is worth, in minor units: 1250 for 12.50. Negative if something comes back.
    currency
        The currency of the value.
    order
        What lines of one basket share; what comes back names its order, and the same line sent twice counts once.

    Returns
    -------
    dict
        The event.

    Examples
    --------
    >>> outcome("order", "d9", unit="user-17", value=4990, currency="EUR", order="o9")["value"]
    4990
    """
    if unit is None and impression is None:
        raise ValueError("unit: say whose it is, or give the id of one of the user's pages as impression")
    attributes = {"object": {"object_id": text_of("document", document)}}
    return given(
        action_name=text_of("action", action),
        unit=None if unit is None else text_of("unit", unit),
        query_id=None if impression is None else text_of("impression", impression),
        event_attributes=attributes,
        value=None if value is None else whole_of("value", value),
        currency=None if currency is None else text_of("currency", currency),
        order_id=None if order is None else text_of("order", order),
    )


class Impression:
    """One page for one user.

    Attributes
    ----------
    id : str or None
        Its id, which permits sending its events, also from the page itself; None if the server recorded nothing.
    shown : list of str
        What to show, all pages so far.
    credited : bool
        Whether clicks compare rankers. If not, `shown` is the list of a single ranker.
    why : str or None
        The reason, if it is not credited.
    """

    def __init__(
        self, client: Client, id: Optional[str], shown: Sequence[str], credited: bool, why: Optional[str], rest: Sequence[str] = ()
    ) -> None:
        self._client = client
        self._rest = list(rest)
        self.id = id
        self.shown = list(shown)
        self.credited = credited
        self.why = why

    def next_page(self, seen: Optional[int] = None) -> list[str]:
        """Return the next page of the same draw.

        Parameters
        ----------
        seen
            How many places the user has seen; by default all of `shown`.

        Returns
        -------
        list of str
            The documents of the page, which are added to `shown`; empty at the end.
        """
        seen = len(self.shown) if seen is None else count_of("seen", seen, 1)
        if self.id is None:
            return self._page_of_rest(seen)
        path = f"/v1/impressions/{quoted(self.id)}/next"
        try:
            answer = self._client._json("POST", path, "POST /v1/impressions/{id}/next", {"seen": seen})
        except Problem as problem:
            self._client._excused(problem)
            return self._page_of_rest(seen)
        page = texts(answer, "shown")
        self.shown = self.shown[:seen] + page
        return page

    def _page_of_rest(self, seen: int) -> list[str]:
        everything = self.shown + self._rest
        page = everything[seen : seen + self._client.page]
        self.shown, self._rest = everything[: seen + len(page)], everything[seen + len(page) :]
        return page

    def displayed(self, documents: Iterable[str], pinned: Iterable[str] = ()) -> int:
        """Say what the page really displayed, where that is not `shown`.

        Parameters
        ----------
        documents
            From the first place to the last.
        pinned
            The documents that were not part of the mixed list: advertisements, curated answers.

        Returns
        -------
        int
            How many places can be credited.
        """
        if self.id is None:
            return 0
        body = {"documents": names_of("documents", documents), "pinned": names_of("pinned", pinned, ordered=False)}
        path = f"/v1/impressions/{quoted(self.id)}/shown"
        try:
            answer = self._client._json("PUT", path, "PUT /v1/impressions/{id}/shown", body)
        except Problem as problem:
            self._client._excused(problem)
            return 0
        return field(answer, "places", int)

    def clicked(self, document: str) -> Fate:
        """Send a click. A document counts once, however often it is sent.

        Parameters
        ----------
        document
            Which document was clicked.

        Returns
        -------
        Fate
            What the server did with it.
        """
        event = click(self.id or "none", document)
        if self.id is None:
            return Fate("not-recorded", self.why)
        try:
            return self._client.events([event])[0]
        except Problem as problem:
            self._client._excused(problem)
            return Fate("lost", str(problem))

    def close(self) -> bool:
        """Credit the impression now instead of at the end of its window.

        Returns
        -------
        bool
            Whether it was open; False if it was closed before, perhaps by an earlier attempt of this call.
        """
        if self.id is None:
            return False
        path = f"/v1/impressions/{quoted(self.id)}/close"
        try:
            return field(self._client._json("POST", path, "POST /v1/impressions/{id}/close"), "closed", bool)
        except Problem as problem:
            self._client._excused(problem)
            return False

    def __repr__(self) -> str:
        return f"Impression({len(self.shown)} documents, {'credited' if self.credited else f'not credited: {self.why}'})"


class Chosen:
    """The rankers that meet on one page; fetch their lists.

    Attributes
    ----------
    id : str or None
        The impression's; None if the server recorded nothing.
    rankers : list of str
        Their names; a single one if nothing is mixed.
    credited : bool
        Whether clicks will compare rankers.
    why : str or None
        The reason, if not.
    """

    def __init__(self, client: Client, id: Optional[str], rankers: Sequence[str], credited: bool, why: Optional[str]) -> None:
        self._client = client
        self.id = id
        self.rankers = list(rankers)
        self.credited = credited
        self.why = why

    def lists(self, lists: Mapping[str, Ranked], *, documents: Optional[Iterable[str]] = None) -> Impression:
        """Mix their lists.

        Parameters
        ----------
        lists
            A list for each of `rankers`; it may be empty. Other lists are not sent.
        documents
            The order in which documents are numbered, by which ties are drawn.

        Returns
        -------
        Impression
            What to show.

        Raises
        ------
        ValueError
            If a list is missing.
        """
        missing = [name for name in self.rankers if name not in lists]
        if missing:
            raise ValueError(f"lists: expected a list of {' and '.join(map(repr, missing))}, found {', '.join(map(repr, lists))}")
        met = {name: lists[name] for name in self.rankers}
        body = {"lists": lists_of(met), **given(documents=None if documents is None else names_of("documents", documents))}
        first = self.rankers[0]
        if self.id is None:
            return self._client._shown_of(met[first], self.why or "not credited")
        path = f"/v1/impressions/{quoted(self.id)}/lists"
        try:
            answer = self._client._json("PUT", path, "PUT /v1/impressions/{id}/lists", body)
            return self._client._impression(answer, met)
        except Problem as problem:
            self._client._excused(problem)
            name = self._client.fallback
            return self._client._shown_of(met[name if name in met and name is not None else first], str(problem))

    def __repr__(self) -> str:
        return f"Chosen({', '.join(self.rankers)}{'' if self.credited else f'; not credited: {self.why}'})"


class Duel:
    """Two rankers for a judge.

    Attributes
    ----------
    id : str or None
        Its name; None if the server recorded nothing.
    first, second : str
        The rankers, in the order in which to show their answers.
    """

    def __init__(self, client: Client, id: Optional[str], first: str, second: str) -> None:
        self._client = client
        self.id = id
        self.first = first
        self.second = second

    def judge(self, winner: str) -> bool:
        """Say who won: `Client.judge`."""
        if self.id is None:
            raise ValueError("the server did not record this duel: its experiment does not run")
        return self._client.judge(self.id, winner)

    def __repr__(self) -> str:
        return f"Duel({self.first!r}, {self.second!r})"
