"""How values look in messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def shown(value: Any) -> str:
    """A value on one line, short, with control characters escaped."""
    if value is None:
        return "null"
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…")
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def listed(values: Sequence[Any], most: int) -> str:
    """The first values, and how many there are if some are left out."""
    more = f", … ({len(values)} in all)" if len(values) > most else ""
    return ", ".join(map(shown, values[:most])) + more
