"""Votes in columns of any kind: lists, numpy, pandas, polars, pyarrow, names of any hashable type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.messages import shown
from ordain.votes.ballots import Ballot, ballot_of, in_order, written_ballot
from ordain.votes.cast_votes import Votes
from ordain.votes.counted_votes import NOBODY, CountedVotes, recorded, together
from ordain.votes.outcomes import EITHER, Words

CELLS = 1 << 24
"""Up to so many combinations are counted in an array, more of them by sorting them."""

LARGEST = 2**62
"""Up to so many have a number."""


def votes_of(
    left: Any = None,
    right: Any = None,
    winner: Any = None,
    *,
    orders: Any = None,
    weights: Any = None,
    judges: Any = None,
) -> Votes:
    """Votes given as columns.

    Parameters
    ----------
    left, right, winner, orders, weights, judges
        As for :func:`ordain.leaderboard`.

    Examples
    --------
    >>> votes = votes_of(["x", "x", "y"], ["y", "y", "z"], ["x", "left", "tie"])
    >>> votes.items, votes.pairs.tolist(), votes.answers.tolist(), votes.people.tolist()
    (('x', 'y', 'z'), [[0, 1], [1, 2]], [1.0, 0.5], [2.0, 1.0])
    >>> votes_of(orders=[[3, 1, 2]]).worth
    array([0.75, 0.75, 0.75])
    """
    if orders is not None:
        if any(column is not None for column in (left, right, winner)):
            raise ValueError("votes must be given by left, right and winner, or by orders. Got both. Leave one out.")
        return _of_orders(orders, weights, judges)
    if any(column is None for column in (left, right, winner)):
        raise ValueError("votes must be given by left, right and winner, or by orders. Got neither. Give all three.")
    return _of_pairs(left, right, winner, weights, judges)


def _of_pairs(left: Any, right: Any, winner: Any, weights: Any, judges: Any) -> Votes:
    """Votes on pairs."""
    names = {"left": left, "right": right, "winner": winner} | ({} if judges is None else {"judges": judges})
    coded = {name: _coded(column) for name, column in names.items()}
    size = _same_length({name: len(codes) for name, (codes, _) in coded.items()})
    counts = _weights(weights, size)
    items, sides = _numbered(coded, "left", "right")
    voters, judge = _numbered(coded, "judges") if judges is not None else ((), [np.zeros(size, np.int64)])
    _check_different(sides, items)
    answers = _answers((sides[0], sides[1]), coded["winner"], items, counts)
    key, count = _counted([*sides, (2 * answers).astype(np.int64), judge[0]], [len(items), len(items), 3], counts)
    if not len(count):
        raise ValueError("there must be a vote. Got none. Give at least one row of a weight above 0.")
    first, second, twice, who = key
    rows = pl.DataFrame({"left": first, "right": second, "answer": twice / 2, "judge": who, "count": count})
    nobody = pl.lit(NOBODY, pl.Int64)
    rows = rows.with_columns(worth=pl.lit(1.0), ballot=nobody, judge="judge" if voters else nobody)
    return recorded(rows, tuple(items), tuple(voters))


def _counted(columns: list[Vector], sizes: list[int], counts: Vector) -> tuple[list[Vector], Vector]:
    """Rows of numbers that differ, in order, and the sum of the counts of each; sizes are of all columns but the last.

    The columns become one number, key = ((c₁ s₂ + c₂) s₃ + c₃) s₄ + c₄.
    """
    sizes = [*sizes, int(columns[-1].max(initial=0)) + 1]
    if (counts != 1).any() or math.prod(sizes) > LARGEST:
        rows = pl.DataFrame([pl.Series(str(place), column) for place, column in enumerate(columns)])
        rows = together(rows.with_columns(count=counts).filter(pl.col("count") > 0)).sort(rows.columns)
        return [rows[name].to_numpy() for name in rows.columns[:-1]], rows["count"].to_numpy()
    key = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        key = key * size + column
    if math.prod(sizes) <= CELLS:
        total = np.bincount(key)
        found = np.flatnonzero(total)
        total = total[found]
    else:
        key = np.sort(key)
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        found, total = key[starts], np.diff(starts, append=len(key))
    parts: list[Vector] = []
    for size in reversed(sizes[1:]):
        found, part = np.divmod(found, size)
        parts.insert(0, part)
    return [found, *parts], total.astype(np.float64)


def _of_orders(orders: Any, weights: Any, judges: Any) -> Votes:
    """Ballots; those of fewer than two items say nothing."""
    ballots = [_ballot(row, order) for row, order in enumerate(_listed(orders), 1)]
    counted = CountedVotes()
    coded = {} if judges is None else {"judges": _coded(judges)}
    size = _same_length({"orders": len(ballots)} | {name: len(codes) for name, (codes, _) in coded.items()})
    voters, judge = _numbered(coded, "judges") if judges is not None else ([], [np.full(size, NOBODY)])
    for name in voters:
        counted.judges.number(name)
    numbers = [counted.orders.number(ballot) if sum(map(len, ballot)) > 1 else NOBODY for ballot in ballots]
    for name in (name for ballot in counted.orders.known for level in ballot for name in level):
        counted.items.number(name)
    rows = pl.DataFrame({"ballot": numbers, "judge": judge[0], "count": _weights(weights, size)})
    rows = rows.filter(pl.col("ballot") != NOBODY, pl.col("count") > 0)
    if not rows.height:
        raise ValueError("orders must hold a ballot of two items or more. Got none. Give one.")
    counted.ballots.add(together(rows).with_columns(group=pl.lit(NOBODY), day=pl.lit(float("nan"))))
    return counted.votes(dated=False, shown=False)


def _ballot(row: int, order: Any) -> Ballot:
    """One ballot, checked."""
    try:
        return written_ballot(order) if isinstance(order, str) else ballot_of(_listed(order))
    except ValueError as error:
        raise ValueError(f"orders, row {row}: {error}.") from None


def _listed(values: Any) -> Sequence[Any]:
    """Values of any kind of column as a list."""
    if hasattr(values, "to_list"):
        return list(values.to_list())
    if hasattr(values, "to_pylist"):  # pyarrow's
        return list(values.to_pylist())
    return list(values.tolist() if isinstance(values, np.ndarray) else values)


def _coded(column: Any) -> tuple[Vector, Sequence[Any]]:
    """Codes, and the values they stand for."""
    if hasattr(column, "to_pylist"):  # pyarrow's
        column = pl.Series(column)
    if isinstance(column, pl.Series):
        different = column.unique()
        places = column.replace_strict(different, np.arange(len(different)), return_dtype=pl.Int64)
        return places.to_numpy(), different.to_list()
    if hasattr(column, "factorize"):
        codes, values = column.factorize(use_na_sentinel=False)
        return codes, _listed(values)
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu" and column.ndim == 1 and len(column):
        return _coded_integers(column)
    known: dict[Any, int] = {}
    codes = np.array([known.setdefault(value, len(known)) for value in _listed(column)], np.int64)
    return codes, list(known)


def _coded_integers(column: Vector) -> tuple[Vector, Sequence[Any]]:
    """Integers by the order of their sizes; where they are small, by counting them."""
    if column.min() >= 0 and column.max() < 4 * len(column) + 1024:
        seen = np.bincount(column) > 0
        return (np.cumsum(seen) - 1)[column], np.flatnonzero(seen).tolist()
    values, codes = np.unique(column, return_inverse=True)
    return codes, values.tolist()


def _numbered(coded: dict[str, tuple[Vector, Sequence[Any]]], *names: str) -> tuple[list[Any], list[Vector]]:
    """The names in some columns, in their order, none missing; and each column by their numbers."""
    for name in names:
        _check_names(name, *coded[name])
    known = in_order(dict.fromkeys(value for name in names for value in coded[name][1]))
    number = {name: place for place, name in enumerate(known)}
    return known, [
        np.array([number[value] for value in values], np.int64)[codes] for codes, values in _of(coded, names)
    ]


def _of(coded: dict[str, tuple[Vector, Sequence[Any]]], names: Sequence[str]) -> list[tuple[Vector, Sequence[Any]]]:
    return [coded[name] for name in names]


def _check_names(name: str, codes: Vector, values: Sequence[Any]) -> None:
    """No name is missing."""
    for place, value in enumerate(values):
        if value is None or value != value or (isinstance(value, str) and not value.strip()):
            row = int((codes == place).argmax()) + 1
            raise ValueError(f"{name}, row {row}: must hold a name. Got {shown(value)}. Fill it in, or leave it out.")


def _same_length(lengths: dict[str, int]) -> int:
    """How many rows there are."""
    if len(set(lengths.values())) > 1:
        got = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"all columns must have as many rows. Got {got}. Give one value per vote.")
    return next(iter(lengths.values()))


def _weights(weights: Any, size: int) -> Vector:
    """How many votes each row stands for."""
    if weights is None:
        return np.ones(size)
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (size,):
        raise ValueError(f"weights must be one number per vote. Got shape {values.shape} for {size} votes.")
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"weights, row {row + 1}: must be finite and not negative. Got {values[row]}. Mend it.")
    return values


def _check_different(sides: list[Vector], names: list[Any]) -> None:
    """No item is compared with itself."""
    same = sides[0] == sides[1]
    if same.any():
        row = int(same.argmax())
        got = f"Got {shown(names[sides[0][row]])} twice"
        raise ValueError(f"left and right, row {row + 1}: two items must be compared. {got}. Leave the row out.")


def _answers(
    sides: tuple[Vector, Vector], winner: tuple[Vector, Sequence[Any]], items: Sequence[Any], counts: Vector
) -> Vector:
    """Who won, by name or by word."""
    codes, values = winner
    number, words = {name: place for place, name in enumerate(items)}, Words(hint="Write tie for ties")
    named = np.array([number.get(value, NOBODY) for value in values], np.int64)
    answers = words.answers(sides, codes, values, named, counts, lambda row: f"winner, row {row + 1}:")
    words.settle({str(name) for name in items})
    return np.where(answers == EITHER, words.away("winner"), answers) if words.used else answers
