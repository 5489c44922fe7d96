"""Checks arguments before anything is sent, and the fields of answers."""

from __future__ import annotations

import json
import math
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, TypeVar, Union

from rankduel import _core
from rankduel.client.problems import Problem, unexpected
from rankduel.client.transport import Answer

Ranked = Union[Sequence[str], Sequence[tuple[str, float]], Mapping[str, float], Any]
"""A list of documents: texts from the first to the last; or pairs of document and score, or scores by document, where equal
scores tie. Or a frame or another kind of `rankduel.rankings.Rankings` with one query."""

T = TypeVar("T")

# The most events of a request; its size stays far below the server's limit of 1 MB.
_MOST_EVENTS = 1_000
_MOST_BYTES = 500_000


def given(**fields: Any) -> dict[str, Any]:
    """Those fields that are given."""
    return {name: value for name, value in fields.items() if value is not None}


def quoted(text: str) -> str:
    """A text as part of a path."""
    return urllib.parse.quote(text, safe="")


def text_of(name: str, value: object, *, empty: bool = False) -> str:
    """The value, if it is a text that can be sent."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, found {value!r}")
    if not value and not empty:
        raise ValueError(f"{name}: expected a text, found an empty one")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: expected Unicode, found half of a pair of surrogates") from None
    return str(value)


def names_of(name: str, values: Iterable[str], *, ordered: bool = True) -> list[str]:
    """The values, if they are texts; in an order, unless they need none."""
    if isinstance(values, str):
        raise TypeError(f"{name}: expected several texts, found one: {values!r}")
    if ordered:
        _core.in_order(values, name)
    return [text_of(f"{name}[{place}]", value) for place, value in enumerate(values)]


def whole_of(name: str, value: object) -> int:
    """The value, if it is a whole number."""
    try:
        number = value.__index__()  # type: ignore[attr-defined]
    except AttributeError:
        raise TypeError(f"{name}: expected a whole number, found {value!r}") from None
    if isinstance(value, bool):
        raise ValueError(f"{name}: expected a whole number, found {value!r}")
    return int(number)


def count_of(name: str, value: object, least: int) -> int:
    """The value, if it is a whole number from `least` up."""
    if isinstance(value, bool) or whole_of(name, value) < least:
        raise ValueError(f"{name}: expected a whole number from {least}, found {value!r}")
    return whole_of(name, value)


def lists_of(lists: Mapping[str, Ranked]) -> dict[str, list[Any]]:
    """The lists of rankers as the server reads them."""
    if not isinstance(lists, Mapping):
        raise TypeError(f"lists: expected a list by ranker, found {type(lists).__name__}")
    return {text_of("lists", ranker): ranked_of(f"lists.{ranker}", ranked) for ranker, ranked in lists.items()}


def ranked_of(name: str, ranked: Ranked) -> list[Any]:
    """A list as the server reads it: texts, or objects of a text and a score."""
    if isinstance(ranked, str):
        raise TypeError(f"{name}: expected documents, found one text: {ranked!r}")
    _core.in_order(ranked, name)
    if not _is_plain(ranked):
        # Few pages have their lists in frames: what reads them is loaded then.
        from rankduel.rankings import ranking_of

        ranked = ranking_of(ranked, None, name)
    if isinstance(ranked, Mapping):
        scored = [_scored(f"{name}[{document!r}]", document, score) for document, score in ranked.items()]
        return sorted(scored, key=lambda entry: -entry["score"])
    entries: list[Any] = []
    for place, entry in enumerate(ranked):
        if isinstance(entry, str):
            entries.append(text_of(f"{name}[{place}]", entry))
        elif isinstance(entry, tuple) and len(entry) == 2:
            entries.append(_scored(f"{name}[{place}]", entry[0], entry[1]))
        else:
            raise TypeError(f"{name}[{place}]: expected a document, or a pair of document and score, found {entry!r}")
    if len({type(entry) for entry in entries}) > 1:
        raise TypeError(f"{name}: expected scores for all documents or for none")
    return entries


def _is_plain(ranked: Any) -> bool:
    """Whether it is a list of documents or pairs, or has scores by document."""
    if isinstance(ranked, Mapping):
        return not any(isinstance(value, (Mapping, list, tuple)) or hasattr(value, "dtype") and hasattr(value, "__len__") for value in ranked.values())
    return isinstance(ranked, (list, tuple)) and not any(
        hasattr(entry, "tocoo") or (isinstance(entry, tuple) and len(entry) > 2) for entry in ranked[:1]
    )


def documents_of(ranked: Ranked) -> list[str]:
    """The documents of a list, from the first to the last."""
    return [entry if isinstance(entry, str) else entry["id"] for entry in ranked_of("list", ranked)]


def _scored(name: str, document: object, score: object) -> dict[str, Any]:
    try:
        number = float(score)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name}: expected a finite score, found {score!r}")
    return {"id": text_of(name, document), "score": number}


def encoded(body: Any) -> bytes:
    """The body of a request."""
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise ValueError("expected Unicode, found half of a pair of surrogates") from None


def batches(events: Iterable[Mapping[str, Any]]) -> Iterator[list[bytes]]:
    """Events as JSON, as many as a request holds."""
    if isinstance(events, Mapping):
        raise TypeError("events: expected several events, found one")
    batch: list[bytes] = []
    size = 0
    for event in events:
        data = encoded(event)
        if batch and (len(batch) == _MOST_EVENTS or size + len(data) > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(data)
        size += len(data) + 1
    if batch:
        yield batch


def json_of(data: bytes) -> Any:
    """The value of an answer."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        # Outside of this block, lest the answer stays attached to the error.
        pass
    raise Problem("Unexpected answer", "the answer is not JSON", do="see that `url` is that of a rankduel-server")


def parsed(answer: Answer) -> dict[str, Any]:
    """The object of an answer."""
    value = json_of(answer.body)
    if not isinstance(value, dict):
        raise unexpected("object")
    return value


def field(answer: Any, name: str, kind: type[T]) -> T:
    """A field of an answer, if it has this type."""
    value = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise unexpected(name)
    return value


def optional(answer: Mapping[str, Any], name: str) -> Optional[str]:
    """A text of an answer that may be missing."""
    value = answer.get(name)
    if value is not None and not isinstance(value, str):
        raise unexpected(name)
    return value


def texts(answer: Any, name: str) -> list[str]:
    """A list of texts of an answer."""
    values = field(answer, name, list)
    if not all(isinstance(value, str) for value in values):
        raise unexpected(name)
    return list(values)
