"""Plain data as JSON that has one form only: what is read is, byte for byte, what would be written."""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 100
"""Lists within lists go at most so deep."""


def written(value: Any) -> bytes:
    """The JSON of plain data: keys sorted, no blanks, UTF-8, every number finite.

    Examples
    --------
    >>> written({"b": 0.1, "a": ["é", None]}).decode()
    '{"a":["é",null],"b":0.1}'
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def parsed(data: bytes, what: str) -> Any:
    """The value that is written so; all else is refused.

    That leaves no room for keys given twice, NaN, numbers that overflow, half characters, and for two readers who
    understand the same bytes differently. So many brackets that they would fill the memory are refused unread.
    """
    if data.count(b"[") + data.count(b"{") > len(data) // 16 + 1000:
        raise ValueError(f"{what} must not be made of brackets. Got more of them than a model needs.")
    try:
        value = json.loads(data.decode())
        same = written(value) == data and not _deeper(value)
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise ValueError(f"{what} must be JSON as ordain writes it. Got something else. Fit the model again.")
    return value


def _deeper(value: Any) -> bool:
    """Whether lists and dicts are nested too deeply."""
    level = [value]
    for _ in range(DEEPEST):
        holders = [node.values() if type(node) is dict else node for node in level if type(node) in (list, dict)]
        level = [child for holder in holders for child in holder]
    return bool(level)


def record(value: Any, what: str, **kinds: Any) -> dict[str, Any]:
    """A dict with exactly these keys, whose values have exactly these types, or one of several."""
    if type(value) is not dict or value.keys() != kinds.keys():
        got = ", ".join(sorted(map(repr, value)))[:100] if type(value) is dict else type(value).__name__
        raise ValueError(f"{what} must have {', '.join(sorted(kinds))}. Got {got or 'nothing'}. Fit the model again.")
    for key, kind in kinds.items():
        allowed = kind if isinstance(kind, tuple) else (kind,)
        if type(value[key]) not in allowed:
            names = " or ".join(one.__name__ for one in allowed)
            raise ValueError(f"{key} of {what} must be {names}. Got {type(value[key]).__name__}. Fit the model again.")
    return value
