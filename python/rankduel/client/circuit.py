"""Pages that go on without the server: when they no longer ask it, and what is counted and logged of them."""

from __future__ import annotations

import logging
import threading
import time
from typing import Optional

from rankduel.client.problems import Problem

_log = logging.getLogger("rankduel.client")
# After so many calls without an answer in a row, pages no longer wait; once in so many seconds one call tries again.
_PATIENCE = 5
_PAUSE = 1.0


class Circuit:
    """Counts the calls of a client that has a fallback, and says when not to ask the server."""

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
        """Pages that were asked for, those that got the fallback, and other calls that were lost."""
        with self._lock:
            return dict(self._counts)

    def began(self, may_fall_back: bool) -> Optional[Problem]:
        """A page is to be asked for: a reason not to, if there is one."""
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
        """The server answered the call for a page, or there was a problem."""
        with self._lock:
            if problem is None or (problem.status is not None and problem.status < 500):
                self._failures = 0
            else:
                self._failures += 1
                self._next_try = time.monotonic() + _PAUSE

    def fell_back(self, problem: Problem) -> None:
        """A page shows the list of the fallback."""
        self._tell("fallbacks", "the page shows the list of the fallback", problem)

    def lost(self, problem: Problem) -> None:
        """Another call of a page failed."""
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
