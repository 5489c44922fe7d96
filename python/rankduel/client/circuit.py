"""The circuit breaker of a client with a fallback: while the server is down, pause calls, count, and log."""

from __future__ import annotations

import logging
import threading
import time
from typing import Optional

from rankduel.client.problems import Problem

_log = logging.getLogger("rankduel.client")
# After this many unanswered calls in a row, pages no longer wait; one call per pause (in seconds) tries again.
_PATIENCE = 5
_PAUSE = 1.0


class Circuit:
    """Counts the calls for pages, and decides when not to ask the server."""

    def __init__(self) -> None:
        self.forked()
        self._counts = {"impressions": 0, "fallbacks": 0, "lost": 0}
        self._failures = 0
        self._next_try = 0.0
        self._next_line = 0.0

    def forked(self) -> None:
        """In the child of a fork: the lock may be held by a thread that is not here."""
        self._lock = threading.Lock()

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of pages asked for, of those that got the fallback, and of other calls that were lost."""
        with self._lock:
            return dict(self._counts)

    def began(self, may_fall_back: bool) -> Optional[Problem]:
        """Count a call for a page; return why it must not be sent, or None."""
        with self._lock:
            self._counts["impressions"] += 1
            if not may_fall_back or self._failures < _PATIENCE:
                return None
            now = time.monotonic()
            if now >= self._next_try:
                self._next_try = now + _PAUSE
                return None
            return Problem("No answer", f"the last {self._failures} calls had none; this one was not sent", tries=0)

    def ended(self, problem: Optional[Problem]) -> None:
        """Note whether the server answered a call for a page."""
        with self._lock:
            if problem is None or (problem.status is not None and problem.status < 500):
                self._failures = 0
            else:
                self._failures += 1
                self._next_try = time.monotonic() + _PAUSE

    def fell_back(self, problem: Problem) -> None:
        """Note that a page shows the fallback."""
        self._tell("fallbacks", "the page shows the list of the fallback", problem)

    def lost(self, problem: Problem) -> None:
        """Note that a click or another message got lost."""
        self._tell("lost", "a click or another message of a page is lost", problem)

    def _tell(self, count: str, what: str, problem: Problem) -> None:
        """Count it, and log at most one line a second."""
        with self._lock:
            self._counts[count] += 1
            now = time.monotonic()
            if now < self._next_line:
                return
            self._next_line = now + 1.0
            counts = dict(self._counts)
        is_refusal = problem.status is not None and problem.status < 500 and problem.status != 429
        so_far = f"so far {counts['fallbacks']} of {counts['impressions']} pages and {counts['lost']} other calls"
        _log.log(logging.ERROR if is_refusal else logging.WARNING, "%s: %s (%s)", what, problem, so_far)
