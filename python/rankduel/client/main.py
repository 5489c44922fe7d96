"""The client: a method per call of the server."""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from rankduel.client.circuit import Circuit
from rankduel.client.experiments import Experiments
from rankduel.client.pages import Chosen, Duel, Fate, Impression, outcome
from rankduel.client.problems import Problem, unexpected
from rankduel.client.transport import Transport
from rankduel.client.wire import (
    Ranked,
    batches,
    count_of,
    documents_of,
    encoded,
    field,
    given,
    lists_of,
    names_of,
    optional,
    parsed,
    quoted,
    text_of,
    texts,
)


class Client(Experiments):
    """A client of one live server.

    **Retries.** A call is repeated with growing pauses if the connection fails, no answer comes, or the status is 408, 429, 502, 503 or 504;
    ``Retry-After`` is respected. Calls that create something carry the same idempotency key in every attempt, so that a lost answer
    creates nothing twice. All attempts together end after `within` seconds.

    **Fallback.** With `fallback`, `impression` and `choose` never raise `Problem`: if the server refuses, is slow or does not answer, the
    page shows the list of that ranker, uncredited. Clicks and the other calls of impressions do not raise either; such a click is ``lost``.
    After five unanswered calls in a row, pages show the fallback without waiting, and one call per second checks whether the server is back.
    `counts` counts these cases, and the logger ``rankduel.client`` logs them at most once a second: as errors if the server refused the
    request, as warnings otherwise. Invalid arguments still raise `ValueError` or `TypeError`.

    No `repr`, log line or error reveals the key.

    Parameters
    ----------
    url
        Where the server is: ``http://host:port``, or ``https://`` with the path under which a proxy serves it.
    key
        The key that ``rankduel-server keys add`` printed, with the role ``serve`` for pages, ``admin`` for settings and exports, ``read``
        for status. None for a server without keys on this machine.
    timeout
        Seconds for one attempt, from connecting to the last byte. (The system's look-up of a host name is not limited.)
    within
        Seconds for a call with all of its attempts.
    fallback
        The ranker to show when the server cannot be used: usually the champion.
    page
        How many documents a page of the fallback shows: `shown` of the experiment.
    idle
        How many idle connections to keep.
    tls
        For ``https``: the context; by default, the certificates that the system trusts.

    Raises
    ------
    ValueError
        If the URL has another form, holds a name or password, or the key has spaces.
    """

    def __init__(
        self,
        url: str,
        key: Optional[str] = None,
        *,
        timeout: float = 1.0,
        within: float = 5.0,
        fallback: Optional[str] = None,
        page: int = 10,
        idle: int = 16,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        super().__init__(Transport(url, key, timeout, within, count_of("idle", idle, 0), tls))
        self.fallback = None if fallback is None else text_of("fallback", fallback)
        self.page = count_of("page", page, 1)
        self._circuit = Circuit()
        self._transport.after_fork = self._circuit.forked

    def __reduce__(self) -> tuple[Any, ...]:
        # Connections, and counts of calls, stay where they are.
        return _made, (*self._transport.settings(), self.fallback, self.page)

    def __repr__(self) -> str:
        key = "***" if self._transport.has_key else None
        return f"Client({self._transport.url!r}, key={key}, fallback={self.fallback!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. A later call opens others."""
        self._transport.close()

    @property
    def counts(self) -> dict[str, int]:
        """How many ``impressions`` were asked for, how many of them were ``fallbacks``, and how many other calls were ``lost``."""
        return self._circuit.counts

    def impression(
        self,
        experiment: str,
        lists: Mapping[str, Ranked],
        *,
        unit: str,
        query: Optional[str] = None,
        agent: Optional[str] = None,
        key: Optional[str] = None,
        segment: Optional[str] = None,
        documents: Optional[Iterable[str]] = None,
        within: Optional[float] = None,
    ) -> Impression:
        """Mix the lists of all rankers for one page.

        Parameters
        ----------
        experiment
            Its name.
        lists
            A list of every ranker.
        unit
            Who sees the page: a user or a session. The server stores only a keyed hash.
        query
            The query. The same unit and query get the same list while the impression is open.
        agent
            The user agent, for rules that find bots.
        key
            An idempotency key; by default a random one. Pass your own (say, the id of the request) if your callers repeat requests.
        segment
            The label of the page, such as ``"mobile"``: one of the experiment's ``segments``. It counts for the unit's first page.
        documents
            The order in which documents are numbered, by which ties are drawn.
        within
            Seconds for this call, instead of the client's.

        Returns
        -------
        Impression
            What to show.

        Raises
        ------
        Problem
            If the server refuses or does not answer, and the client has no fallback.
        """
        if self.fallback is not None and self.fallback not in lists:
            raise ValueError(f"lists: expected a list of the fallback {self.fallback!r}, found {', '.join(map(repr, lists))}")
        body = self._request(unit, query, agent, key, segment)
        body["lists"] = lists_of(lists)
        if documents is not None:
            body["documents"] = names_of("documents", documents)
        path = f"{self._path(experiment)}/impressions"
        try:
            return self._impression(self._page(path, "POST /v1/experiments/{experiment}/impressions", body, within), lists)
        except Problem as problem:
            if self.fallback is None:
                raise
            self._circuit.fell_back(problem)
            why = str(problem)
        return self._shown_of(lists[self.fallback], why)

    def choose(
        self,
        experiment: str,
        *,
        unit: str,
        query: Optional[str] = None,
        agent: Optional[str] = None,
        key: Optional[str] = None,
        segment: Optional[str] = None,
        within: Optional[float] = None,
    ) -> Chosen:
        """Choose the rankers of one page, for engines that run only those; then call `Chosen.lists`.

        Parameters
        ----------
        experiment, unit, query, agent, key, segment, within
            As for `impression`.

        Returns
        -------
        Chosen
            The rankers whose lists to fetch.
        """
        body = self._request(unit, query, agent, key, segment)
        path = f"{self._path(experiment)}/choose"
        try:
            answer = self._page(path, "POST /v1/experiments/{experiment}/choose", body, within)
            rankers = texts(answer, "rankers")
            if not rankers:
                raise unexpected("rankers")
            return Chosen(self, optional(answer, "id"), rankers, field(answer, "credited", bool), optional(answer, "why"))
        except Problem as problem:
            if self.fallback is None:
                raise
            self._circuit.fell_back(problem)
            why = str(problem)
        return Chosen(self, None, [self.fallback], False, why)

    def impression_by_id(self, id: str, shown: Sequence[str] = ()) -> Impression:
        """Return the impression with this id, for clicks that arrive in another process than the page's. Sends nothing.

        Parameters
        ----------
        id
            `Impression.id`.
        shown
            The documents that were shown, for `Impression.next_page`.

        Returns
        -------
        Impression
            The impression, for its events.
        """
        return Impression(self, text_of("id", id), shown, True, None)

    def duel(
        self, experiment: str, *, unit: Optional[str] = None, key: Optional[str] = None, segment: Optional[str] = None
    ) -> Duel:
        """Choose two rankers for a judge.

        Parameters
        ----------
        experiment
            Its name.
        unit
            Who judges.
        key
            An idempotency key; by default a random one.
        segment
            The label of the question, as for `impression`.

        Returns
        -------
        Duel
            The two rankers.
        """
        body: dict[str, Any] = {"key": secrets.token_urlsafe(16) if key is None else text_of("key", key)}
        if unit is not None:
            body["unit"] = text_of("unit", unit)
        if segment is not None:
            body["segment"] = text_of("segment", segment)
        answer = self._json("POST", f"{self._path(experiment)}/duels", "POST /v1/experiments/{experiment}/duels", body)
        return Duel(self, optional(answer, "id"), field(answer, "first", str), field(answer, "second", str))

    def judge(self, id: str, winner: str) -> bool:
        """Say who won a duel.

        Parameters
        ----------
        id
            `Duel.id`.
        winner
            ``first``, ``second`` or ``tie``.

        Returns
        -------
        bool
            Whether this verdict was recorded; False if the duel was judged before, perhaps by an earlier attempt of this call.
        """
        if winner not in ("first", "second", "tie"):
            raise ValueError(f"winner: expected first, second or tie, found {winner!r}")
        answer = self._json("POST", f"/v1/duels/{quoted(text_of('id', id))}", "POST /v1/duels/{id}", {"winner": winner})
        return field(answer, "taken", bool)

    def events(self, events: Iterable[Mapping[str, Any]]) -> list[Fate]:
        """Send many events, in as many requests as needed. It is safe to send them again.

        Parameters
        ----------
        events
            Events of User Behavior Insights 1.3: see `click`.

        Returns
        -------
        list of Fate
            What the server did with each, in the same order.

        Raises
        ------
        Problem
            If a request fails. Earlier events were taken; send all of them again.
        """
        fates: list[Fate] = []
        for batch in batches(events):
            fates += self._sent(batch)
        return fates

    def outcome(
        self,
        action: str,
        document: str,
        *,
        unit: Optional[str] = None,
        impression: Optional[str] = None,
        value: Optional[int] = None,
        currency: Optional[str] = None,
        order: Optional[str] = None,
    ) -> Fate:
        """Send what a user did later, such as an order.

        Parameters
        ----------
        action, document, unit, impression, value, currency
            As for `rankduel.client.outcome`.
        order
            What lines of one basket share; what comes back names its order. By default a random one, so that a repeated attempt counts once.

        Returns
        -------
        Fate
            What the server did with it.

        Raises
        ------
        Problem
            If the request fails: send it again, with the same order.
        """
        if order is None:
            if value is not None and value < 0:
                raise ValueError("order: name the order that comes back")
            order = secrets.token_urlsafe(16)
        event = outcome(action, document, unit=unit, impression=impression, value=value, currency=currency, order=order)
        return self.events([event])[0]

    def _sent(self, batch: Sequence[bytes]) -> list[Fate]:
        answer = parsed(self._transport.call("POST", "/v1/events", "POST /v1/events", b"[" + b",".join(batch) + b"]"))
        results: list[Any] = field(answer, "results", list)
        if len(results) != len(batch):
            raise unexpected("results")
        return [Fate(field(result, "status", str), optional(result, "why")) for result in results]

    @staticmethod
    def _request(
        unit: str, query: Optional[str], agent: Optional[str], key: Optional[str], segment: Optional[str]
    ) -> dict[str, Any]:
        return given(
            unit=text_of("unit", unit),
            query=None if query is None else text_of("query", query, empty=True),
            agent=None if agent is None else text_of("agent", agent, empty=True),
            key=secrets.token_urlsafe(16) if key is None else text_of("key", key),
            segment=None if segment is None else text_of("segment", segment),
        )

    def _page(self, path: str, what: str, body: Any, within: Optional[float]) -> dict[str, Any]:
        """Ask for a page, unless there is a fallback and the server did not answer for some time."""
        data = encoded(body)
        problem = self._circuit.began(self.fallback is not None)
        if problem is not None:
            raise problem
        try:
            answer = parsed(self._transport.call("POST", path, what, data, within=within))
        except Problem as problem:
            self._circuit.ended(problem)
            raise
        self._circuit.ended(None)
        return answer

    def _impression(self, answer: dict[str, Any], lists: Mapping[str, Ranked]) -> Impression:
        shown = texts(answer, "shown")
        rest = self._rest(lists, shown)
        return Impression(self, optional(answer, "id"), shown, field(answer, "credited", bool), optional(answer, "why"), rest)

    def _rest(self, lists: Mapping[str, Ranked], shown: Sequence[str]) -> list[str]:
        """The documents of later pages if the server cannot be used: the rest of the fallback's list, or of the list that begins with `shown`."""
        if self.fallback is not None and self.fallback in lists:
            documents = documents_of(lists[self.fallback])
        else:
            every = map(documents_of, lists.values())
            documents = next((ranked for ranked in every if ranked[: len(shown)] == list(shown)), [])
        is_shown = set(shown)
        return [document for document in documents if document not in is_shown]

    def _shown_of(self, ranked: Ranked, why: str) -> Impression:
        documents = documents_of(ranked)
        return Impression(self, None, documents[: self.page], False, why, documents[self.page :])

    def _excused(self, problem: Problem) -> None:
        """Count a failure, or raise it if there is no fallback."""
        if self.fallback is None:
            raise problem
        self._circuit.lost(problem)


def _made(url: str, timeout: float, within: float, idle: int, fallback: Optional[str], page: int) -> Client:
    return Client(url, timeout=timeout, within=within, idle=idle, fallback=fallback, page=page)
