"""Keyword arguments as flags of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankduel import _core


def quoted(texts: Iterable[object]) -> list[str]:
    """Texts in quotation marks, which keep commas, as parts of a list."""
    return ['"' + str(text).replace('"', '""') + '"' for text in texts]


def flags(settings: Mapping[str, Any]) -> list[str]:
    """``name=value`` as ``--name=value``; `True` as the flag alone, `False` and `None` as nothing, lists with commas."""
    flags: list[str] = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        _core.in_order(value, name)
        if value is True:
            flags.append(flag)
        elif isinstance(value, (list, tuple, range)):
            flags.append(f"{flag}={','.join(str(part) for part in value)}")
        elif value is not None and value is not False:
            flags.append(f"{flag}={value}")
    return flags
