"""Ballots: an order of some items, ties allowed, and the pairs it stands for.

A ballot of k items has k(k - 1)/2 pairs, which one person answered in one go, each worth 3/(k + 1) independent answers,
see :mod:`ordain.preference.list_pairs`.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.preference import list_pairs
from ordain.tables.loosely import json_text
from ordain.tables.messages import shown

Ballot = tuple[tuple[Hashable, ...], ...]
"""Levels from the best to the worst, each a tuple of the items on it, in the order of their names."""


def written_ballot(text: str) -> Ballot:
    """The ballot in a cell: a JSON list, whose lists are ties, or names with > and = between them.

    Examples
    --------
    >>> written_ballot('["x", ["z", "y"]]')
    (('x',), ('y', 'z'))
    >>> written_ballot("x > y = z")
    (('x',), ('y', 'z'))
    """
    if text.lstrip().startswith("["):
        try:
            levels = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"must be a JSON list. Got {shown(text)}. Mend the cell") from None
        return ballot_of(levels, _json_name)
    if ">" not in text and "=" not in text:
        hint = "Names that hold these signs need JSON"
        raise ValueError(f"must be a JSON list, or names with > and = between. Got {shown(text)}. {hint}")
    return ballot_of([[name.strip() for name in level.split("=")] for level in text.split(">")], _json_name)


def ballot_of(levels: Sequence[Any], name_of: Any = None) -> Ballot:
    """A list of items, the best first; lists in it are items that are level. Every item stands there once.

    Examples
    --------
    >>> ballot_of([3, [2, 1]])
    ((3,), (1, 2))
    """
    found = [
        tuple(name_of(name) if name_of else name for name in (level if _is_tie(level) else [level])) for level in levels
    ]
    seen: set[Hashable] = set()
    for name in (name for level in found for name in level):
        if name in seen:
            raise ValueError(f"must have every item once. Got {shown(name)} twice. Mend the ballot")
        seen.add(name)
    return tuple(tuple(in_order(level)) for level in found if level)


def _is_tie(level: Any) -> bool:
    return isinstance(level, (list, set, frozenset, np.ndarray))


def _json_name(name: Any) -> str:
    """An item of a JSON list, as text."""
    if isinstance(name, (list, dict)):
        raise ValueError(f"must be a list of names, and lists of names that are level. Got {shown(name)} in it")
    text = json_text(name)
    if text is None or not text.strip():
        raise ValueError("must name every item. Got an empty name. Mend the ballot")
    return text


def in_order(names: Any) -> list[Any]:
    """Names sorted where they can be, else as they came."""
    try:
        return sorted(names)
    except TypeError:
        return list(names)


def ballot_pairs(ballots: Sequence[Ballot], numbers: dict[Any, int]) -> pl.DataFrame:
    """The pairs of all ballots, better item left: left, right, answer, worth, and the number of the ballot.

    Examples
    --------
    >>> ballot_pairs([((30,), (10, 20))], {10: 0, 20: 1, 30: 2}).rows()
    [(2, 0, 1.0, 0.75, 0), (2, 1, 1.0, 0.75, 0), (0, 1, 0.5, 0.75, 0)]
    """
    sizes = np.array([sum(map(len, ballot)) for ballot in ballots])
    parts = [_pairs_of_size(int(k), np.flatnonzero(sizes == k), ballots, numbers) for k in np.unique(sizes)]
    return pl.concat(parts).sort("ballot", maintain_order=True)


def _pairs_of_size(k: int, which: Vector, ballots: Sequence[Ballot], numbers: dict[Any, int]) -> pl.DataFrame:
    """The pairs of the ballots of k items."""
    items = np.array([[numbers[name] for level in ballots[b] for name in level] for b in which], np.int64)
    levels = np.array([[place for place, level in enumerate(ballots[b]) for _ in level] for b in which], np.float64)
    pairs, answers, worth = list_pairs(items, levels)
    ballot = np.repeat(which, k * (k - 1) // 2)
    columns = {"left": pairs[:, 0], "right": pairs[:, 1], "answer": answers, "worth": worth, "ballot": ballot}
    return pl.DataFrame(columns)
