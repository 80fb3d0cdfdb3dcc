"""Lines of JSON → objects → columns, the values of each all of one kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from ordain.tables.messages import shown
from ordain.tables.raw import Block

_KINDS: dict[type, str] = {int: "numbers", float: "numbers", bool: "true or false", str: "text"}
_ABSENT = object()


def objects(block: Block) -> list[dict[str, Any]]:
    """The objects in the lines of a block; each line must hold one, its keys all different."""
    decode = json.JSONDecoder(object_pairs_hook=distinct).decode
    rows: list[dict[str, Any]] = []
    for text in block.data.decode().split("\n")[:-1]:
        try:
            row = decode(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{block.where(len(rows))}: {_not_json(text, error)}") from None
        if type(row) is not dict:
            place = block.where(len(rows))
            raise ValueError(f"{place}: must be a JSON object. Got {shown(row)}. Write an object in each line.")
        rows.append(row)
    return rows


def column(name: str, rows: Sequence[dict[str, Any]], kinds: dict[str, str], where: Callable[[int], str]) -> pl.Series:
    """The values of one key, of the kind that `kinds` remembers from the rows before; null may stand anywhere."""
    values = [row.get(name, _ABSENT) for row in rows]
    for index, value in enumerate(values):
        if value is not None and (complaint := _complaint(name, value, kinds)):
            raise ValueError(f"{where(index)}: {complaint}")
    try:
        return pl.Series(name, values, _type(values, kinds.get(name)))
    except UnicodeEncodeError as error:
        place = where(values.index(error.object))
        raise ValueError(f"{place}: column {name!r} must be text. Got half a surrogate pair. Mend the cell.") from None


def check_keys(rows: Sequence[dict[str, Any]], names: Sequence[str], where: Callable[[int], str]) -> None:
    """No row has a key that the first row of the file lacks."""
    known = set(names)
    for index, row in enumerate(rows):
        if extra := row.keys() - known:
            hint = "Add it to every row, or remove it."
            raise ValueError(f"{where(index)}: must have the keys of row 1 only. Got also {shown(min(extra))}. {hint}")


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ."""
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"must have different keys. Got {shown(twice)} twice. Rename or remove one.")
    return row


def _not_json(text: str, error: Exception) -> str:
    """What is wrong with a line that could not be decoded."""
    if not text.strip():
        return "must not be blank. Remove the line."
    if isinstance(error, json.JSONDecodeError):
        return f"must be JSON, an object in each line. Got: {error.msg} at character {error.pos + 1}. Mend the line."
    return str(error) if isinstance(error, ValueError) else "must not be nested this deep. Flatten it."


def _complaint(name: str, value: Any, kinds: dict[str, str]) -> str:
    """What is wrong with a value other than null; empty if nothing."""
    if value is _ABSENT:
        return f"must have the key {name!r}. Got none. Add it to the row."
    kind = _KINDS.get(type(value))
    if kind is None:
        return f"column {name!r} must hold single values. Got {shown(value)}. Flatten it."
    if kind != kinds.setdefault(name, kind):
        return f"column {name!r} must be all {kinds[name]}, as in the rows before. Got {shown(value)}. Convert it."
    if type(value) is int and not -(2**63) <= value < 2**63:
        hint = "Write it as text if it is a name, with a decimal point if it is a number."
        return f"column {name!r} must hold integers of at most 64 bits. Got {shown(value)}. {hint}"
    return ""


def _type(values: list[Any], kind: str | None) -> Any:
    """The polars type for checked values of a kind."""
    if kind == "numbers":
        return pl.Float64 if float in map(type, values) else pl.Int64
    return {"text": pl.String, "true or false": pl.Boolean, None: pl.Null}[kind]
