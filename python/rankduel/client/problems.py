"""The error of every call: what the server refused, or that it did not answer."""

from __future__ import annotations

import email.utils
import http.client
import json
import time
from email.message import Message
from typing import Any, Optional


class Problem(Exception):
    """The server refused a request, or did not answer it.

    The fields are those of RFC 9457, in which the server describes errors.

    Attributes
    ----------
    status : int or None
        The HTTP status; None if no answer came in time.
    title, detail : str
        The kind of problem, and one sentence on this one.
    found, expected, do, path : str or None
        What was found, what was expected, what to do, and the place in the request, e.g. ``lists.bm25[3]``.
    retry_after : float or None
        How many seconds the server asks to wait before the next attempt.
    tries : int
        How many times the request was sent.
    may_have_happened : bool
        Whether the server may have carried out the request: an attempt was sent, and its answer never came. It is safe to send the same
        request with the same key again.
    """

    def __init__(
        self,
        title: str,
        detail: str,
        *,
        status: Optional[int] = None,
        found: Optional[str] = None,
        expected: Optional[str] = None,
        do: Optional[str] = None,
        path: Optional[str] = None,
        retry_after: Optional[float] = None,
        tries: int = 1,
        may_have_happened: bool = False,
    ) -> None:
        super().__init__(title, detail)
        self.title = title
        self.detail = detail
        self.status = status
        self.found = found
        self.expected = expected
        self.do = do
        self.path = path
        self.retry_after = retry_after
        self.tries = tries
        self.may_have_happened = may_have_happened

    def __str__(self) -> str:
        # The server's sentence has most of this already.
        more = [f"{word} {text}" for word, text in (("found", self.found), ("expected", self.expected)) if text]
        more = [text for text in [*more, self.do or ""] if text not in self.detail]
        number = "" if self.status is None else f"{self.status} "
        place = f"{self.path}: " if self.path and not self.detail.startswith(self.path) else ""
        tries = f" ({self.tries} tries)" if self.tries > 1 else ""
        return f"{number}{self.title}: {place}{'; '.join([self.detail, *more])}{tries}"

    def __reduce__(self) -> Any:
        return _problem, (self.title, self.detail, {k: v for k, v in vars(self).items() if k not in ("title", "detail")})


def _problem(title: str, detail: str, fields: dict[str, Any]) -> Problem:
    return Problem(title, detail, **fields)


def read_problem(status: int, headers: Message, data: bytes, what: str) -> Problem:
    """The problem that an answer describes; one of its own if the answer comes from another kind of server."""
    retry_after = _retry_after(headers.get("Retry-After"))
    reason = http.client.responses.get(status, "Unknown")
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not isinstance(fields.get("detail"), str):
        if 300 <= status < 400:
            detail = f"{what}: the server is at another address: {headers.get('Location', 'it does not say where')}"
            return Problem(reason, detail, status=status, do="use that address in `url`")
        return Problem(reason, f"{what}: the answer has no description", status=status, retry_after=retry_after)

    def text(name: str) -> Optional[str]:
        value = fields.get(name)
        return value if isinstance(value, str) and value else None

    return Problem(
        text("title") or reason,
        fields["detail"],
        status=status,
        found=text("found"),
        expected=text("expected"),
        do=text("do"),
        path=text("path"),
        retry_after=retry_after,
    )


def _retry_after(text: Optional[str]) -> Optional[float]:
    """The seconds in a header that holds seconds or a date."""
    if text is None:
        return None
    try:
        wait = float(text) if text.strip().isdigit() else email.utils.parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return max(0.0, wait)


def unexpected(field: str) -> Problem:
    """The problem of an answer that lacks this field, or has another type there."""
    detail = f"the answer is not one of this server: {field!r} is missing or of another type"
    return Problem("Unexpected answer", detail, do="see that `url` is that of a rankduel-server of this version")
