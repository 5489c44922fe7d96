"""The transport of requests: connections that stay open, a hard time limit, and attempts that repeat the same bytes."""

from __future__ import annotations

import http.client
import io
import os
import random
import select
import socket
import ssl
import threading
import time
import urllib.parse
import weakref
from collections.abc import Callable, Iterator
from email.message import Message
from typing import Any, NamedTuple, Optional, cast

from rankduel.client.problems import Problem, read_problem

RETRIED = (408, 429, 502, 503, 504)
"""Statuses after which the same request is sent again: either nothing was recorded, or the request's key prevents a second record."""

_FIRST_WAIT = 0.05
_LONGEST_WAIT = 1.0
_LARGEST_ANSWER = 64 << 20


class Answer(NamedTuple):
    """A complete answer, and whether an earlier attempt was sent and never answered."""

    status: int
    body: bytes
    repeated: bool


class Secret:
    """A text that no `repr`, log line or pickle reveals."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text."""
        return self._text

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> Any:
        raise TypeError("a key is not pickled: make a client where it is needed")


class _NoAnswer(Exception):
    """An attempt failed. It replaces the original error, because frames of that hold the request with its key."""

    def __init__(self, why: str, sent: bool, was_kept: bool, is_final: bool) -> None:
        super().__init__(why)
        self.sent = sent
        self.was_kept = was_kept
        self.is_final = is_final


class _Timed(io.RawIOBase):
    """Reads from a socket until a moment, however slowly bytes come."""

    def __init__(self, connection: Connection, made: socket.socket) -> None:
        self._connection = connection
        self._socket = made
        # Keeps the socket open while an answer is read after `http.client` has closed its connection.
        self._raw = made.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._socket.settimeout(self._connection.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class Connection(http.client.HTTPConnection):
    """A connection with a deadline for every step: `ends`, a moment of `time.monotonic`."""

    def __init__(self, host: str, port: int, tls: Optional[ssl.SSLContext]) -> None:
        super().__init__(host, port)
        self.ends = 0.0
        self._tls = tls
        self._socket: Optional[socket.socket] = None

    def left(self) -> float:
        """Seconds until the end."""
        left = self.ends - time.monotonic()
        if left <= 0:
            raise TimeoutError("no time is left")
        return left

    def connect(self) -> None:
        """Open the connection."""
        made = socket.create_connection((self.host, self.port), timeout=self.left())
        try:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                made.settimeout(self.left())
                made = self._tls.wrap_socket(made, server_hostname=self.host)
        except BaseException:
            made.close()
            raise
        self._socket = made
        # The part of a socket that `http.client` uses.
        self.sock = cast("socket.socket", self)

    def makefile(self, mode: str) -> io.BufferedReader:
        """The stream that answers are read from."""
        assert self._socket is not None
        return io.BufferedReader(_Timed(self, self._socket))

    def sendall(self, data: Any) -> None:
        """Send all of it."""
        assert self._socket is not None
        self._socket.settimeout(self.left())
        self._socket.sendall(data)

    def close(self) -> None:
        """Close the connection."""
        made, self._socket = self._socket, None
        # `http.client` closes its socket, which is this object, in here.
        self.sock = cast("socket.socket", None)
        super().close()
        if made is not None:
            made.close()

    def is_quiet(self) -> bool:
        """Whether the other side neither closed the connection nor sent anything."""
        if self._socket is None:
            return False
        try:
            if hasattr(select, "poll"):
                poll = select.poll()
                poll.register(self._socket, select.POLLIN)
                return not poll.poll(0)
            return not select.select([self._socket], [], [], 0)[0]
        except (OSError, ValueError):
            return False


_pools: weakref.WeakSet[Transport] = weakref.WeakSet()


def _forked() -> None:
    """In the child of a fork: connections belong to the parent, and a lock may be held by a thread that is not here."""
    for pool in list(_pools):
        # This closes only the copies of the child.
        for connection in pool._idle:
            connection.close()
        pool._begin()
        if pool.after_fork is not None:
            pool.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Transport:
    """Sends requests to one server, from any number of threads."""

    def __init__(
        self, url: str, key: Optional[str], timeout: float, within: float, idle: int, tls: Optional[ssl.SSLContext]
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.username is not None or parts.password is not None:
            raise ValueError("url: expected no name or password in it; the key belongs in the argument `key`")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"url: expected http://host:port or https://host:port, found {url!r}")
        if key is not None and not (isinstance(key, str) and key and key.isascii() and key.isprintable() and " " not in key):
            raise ValueError("key: expected the text that `rankduel-server keys add` printed, without spaces or line ends")
        secure = parts.scheme == "https"
        self.url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        self._host, self._port = parts.hostname, parts.port or (443 if secure else 80)
        self._base = urllib.parse.quote(parts.path.rstrip("/"), safe="/%")
        self._tls = (tls or ssl.create_default_context()) if secure else None
        self._has_own_tls = tls is not None
        self._secret = None if key is None else Secret(key)
        self.timeout = seconds("timeout", timeout)
        self.within = seconds("within", within)
        self._most_idle = idle
        # Not the generator of the module: the caller owns its seed.
        self._random = random.Random()
        self.after_fork: Optional[Callable[[], None]] = None
        self._begin()
        _pools.add(self)

    @property
    def has_key(self) -> bool:
        """Whether requests carry a key."""
        return self._secret is not None

    def settings(self) -> tuple[str, float, float, int]:
        """The URL, the time limits and the number of idle connections, to make another one.

        Raises
        ------
        TypeError
            If it has a key or certificates of its own.
        """
        if self._secret is not None:
            raise TypeError("a client with a key is not pickled or copied: make one where it is needed")
        if self._has_own_tls:
            raise TypeError("a client with certificates of its own is not pickled or copied: make one where it is needed")
        return self.url, self.timeout, self.within, self._most_idle

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._random.seed()

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _taken(self) -> tuple[Connection, bool]:
        """A connection, and whether it was used before."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return Connection(self._host, self._port, self._tls), False
            if connection.is_quiet():
                return connection, True
            connection.close()

    def _returned(self, connection: Connection) -> None:
        with self._lock:
            if len(self._idle) < self._most_idle:
                self._idle.append(connection)
                return
        connection.close()

    def _opened(
        self, connection: Connection, method: str, path: str, body: Optional[bytes], content_type: str
    ) -> http.client.HTTPResponse:
        """Send the request and read the head of the answer."""
        connection.putrequest(method, self._base + path, skip_accept_encoding=True)
        connection.putheader("Accept", "application/json, application/problem+json, application/x-ndjson")
        connection.putheader("User-Agent", "rankduel-client")
        if self._secret is not None:
            connection.putheader("Authorization", f"Bearer {self._secret.reveal()}")
        if body is not None:
            connection.putheader("Content-Type", content_type)
        if body is not None or method != "GET":
            connection.putheader("Content-Length", str(len(body or b"")))
        try:
            connection.endheaders(body)
        except ConnectionError:
            # A server that refuses a request answers before it has read all of it.
            try:
                return connection.getresponse()
            except Exception:
                pass
            raise
        return connection.getresponse()

    def _try(
        self, method: str, path: str, body: Optional[bytes], content_type: str, ends: float
    ) -> tuple[int, Message, bytes]:
        """Send the request once."""
        connection, was_used = self._taken()
        connection.ends = ends
        is_sent = was_used
        try:
            if not was_used:
                connection.connect()
                is_sent = True
            response = self._opened(connection, method, path, body, content_type)
            data = _whole(response)
            response.close()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            # A certificate does not become trusted by asking again.
            why, is_final = _why(error), isinstance(error, ssl.SSLCertVerificationError)
        except BaseException:
            connection.close()
            raise
        else:
            if response.will_close:
                connection.close()
            else:
                self._returned(connection)
            return response.status, response.headers, data
        raise _NoAnswer(why, is_sent, was_used, is_final)

    def call(
        self,
        method: str,
        path: str,
        what: str,
        body: Optional[bytes] = None,
        content_type: str = "application/json",
        within: Optional[float] = None,
    ) -> Answer:
        """Send a request until the answer is not one of `RETRIED`, or the time is over.

        Parameters
        ----------
        method, path, body, content_type
            The request, which must be safe to send twice.
        what
            The request in error messages: the path without ids, which are permissions.
        within
            Seconds for all attempts together.

        Returns
        -------
        Answer
            An answer with a status below 300.

        Raises
        ------
        Problem
            For any other answer, or none.
        """
        began = time.monotonic()
        end = began + (self.within if within is None else seconds("within", within))
        tries, unanswered = 0, False
        failure: Optional[str]
        while True:
            tries += 1
            wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(tries - 1, 10)) * self._random.uniform(0.5, 1.0)
            try:
                status, headers, data = self._try(method, path, body, content_type, min(end, time.monotonic() + self.timeout))
            except _NoAnswer as error:
                failure, sent = str(error), error.sent
                # The server may have closed a connection that was idle: another one may serve at once.
                wait = float("inf") if error.is_final else 0.0 if error.was_kept else wait
            else:
                if status < 300:
                    return Answer(status, data, unanswered)
                problem = read_problem(status, headers, data, what)
                if status not in RETRIED:
                    problem.tries, problem.may_have_happened = tries, unanswered
                    raise problem
                failure, sent = None, status in (502, 504)
                wait = max(wait, problem.retry_after or 0.0)
            unanswered |= sent
            if time.monotonic() + wait < end:
                time.sleep(wait)
                continue
            if failure is not None:
                took = time.monotonic() - began
                problem = Problem("No answer", f"{what} at {self.url}: {failure}, after {took:.1f} s")
                problem.do = "see that the server runs and can be reached"
            problem.tries, problem.may_have_happened = tries, unanswered
            raise problem

    def lines(self, path: str, what: str) -> Iterator[bytes]:
        """Yield the lines of a long answer; each may take `timeout` seconds.

        Raises
        ------
        Problem
            If the answer is an error or ends too early.
        """
        # Not one that was idle, which the server may have closed: this is not tried twice.
        connection = Connection(self._host, self._port, self._tls)
        connection.ends = time.monotonic() + self.timeout
        is_over, held = False, b""
        why: Optional[str] = None
        try:
            response = self._opened(connection, "GET", path, None, "")
            if response.status >= 300:
                raise read_problem(response.status, response.headers, response.read(1 << 20), what)
            for data in _pieces(response):
                *whole, held = (held + data).split(b"\n")
                yield from whole
                connection.ends = time.monotonic() + self.timeout
            response.close()
            is_over = not response.will_close
        except (OSError, http.client.HTTPException) as error:
            why = _why(error)
        finally:
            if is_over:
                self._returned(connection)
            else:
                connection.close()
        if why is not None:
            raise Problem("No answer", f"{what} at {self.url}: {why}; what came until then is not complete")
        if held:
            yield held


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body, piece by piece. It is an error if it ends too early."""
    if response.length is None and not response.chunked:
        raise http.client.HTTPException("the answer does not say how long it is")
    while data := response.read1(1 << 16):
        yield data
    # Given a number, `read1` does not complain.
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)


def _whole(response: http.client.HTTPResponse) -> bytes:
    pieces, size = [], 0
    for data in _pieces(response):
        size += len(data)
        if size > _LARGEST_ANSWER:
            raise http.client.HTTPException(f"the answer has more than {_LARGEST_ANSWER} bytes")
        pieces.append(data)
    return b"".join(pieces)


def seconds(name: str, value: float) -> float:
    """The value, if it is a positive number of seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise ValueError(f"{name}: expected seconds above 0, found {value!r}")
    return float(value)


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, http.client.RemoteDisconnected):
        return "the connection was closed without an answer"
    if isinstance(error, http.client.IncompleteRead):
        return "the connection was closed in the middle of the answer"
    if isinstance(error, http.client.BadStatusLine):
        return "the answer is not HTTP"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, (socket.gaierror, ssl.SSLError)) or (isinstance(error, OSError) and error.strerror):
        return str(error.strerror or error)
    return str(error) or type(error).__name__
