"""The AUC that is lost on rows held out when a column is shuffled among them: what the ranking owes to the column.

The rows are dealt into parts that split no group and no cluster. In each part the column's values are dealt anew among
its rows, and the AUC that is lost there is one figure. Their mean is what is told, with the interval of Student's t
over the parts: rows and the luck of the deal both spread the figures. A column that is independent of label and other
columns loses nothing on average, whatever weight a model gave to it, so its interval holds 0 as often as it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ordain.evaluation.gains import mean_half_width
from ordain.explain.explanation import Explanation, Worth
from ordain.explain.pieces import Pieces
from ordain.prepare import Preparation
from ordain.prepare.column_kinds import Number
from ordain.rows.record import Rows

FEWEST_PARTS, LEAST_ROWS = 3, 3
"""With fewer parts nothing is told; so many rows of the rarer side a part has at least."""

LOOKED_AT, TOLD = 60, 8
"""Columns that are shuffled, at most, those that move the scores most; and those along which the score is told."""

STOPS, FREQUENT = 9, 8
"""Values of a number, and of text, at which the score along a column is taken."""


class HeldOut(NamedTuple):
    """Rows that a model was not fitted to, as a table has them and as the model sees them."""

    rows: Rows
    pieces: Pieces
    preparation: Preparation


def count_of_parts(rows: Rows, most: int) -> int:
    """Into how many parts rows may be dealt, 0 where they are too few."""
    return min(most, rows.units.least // LEAST_ROWS)


def explanation(
    held: Sequence[HeldOut], whole: HeldOut, *, parts: int, deals: int = 1, level: float = 0.95, seed: int = 0
) -> Explanation | None:
    """What models rest on that differ only in the rows they were fitted to; None where rows are too few to say.

    Parameters
    ----------
    held : sequence of HeldOut
        For each model the rows it was not fitted to.
    whole : HeldOut
        The model that is told of, and some rows: the score along the columns is of these.
    parts : int
        Into how many parts the rows of each are dealt, at most.
    deals : int
        How often each column is shuffled.
    level : float
        Confidence of each interval by itself.
    seed : int
        Of the deals.
    """
    figures = [figure for one in held for figure in _figures(one, count_of_parts(one.rows, parts), deals, seed)]
    if len(figures) < FEWEST_PARTS:
        return None
    means, names = whole.pieces.means(), whole.preparation.names
    worths = []
    for number in _moving(whole):
        lost = np.array([lost.get(names[number], 0.0) for _, lost in figures])
        half, mean = mean_half_width(lost, level), float(lost.mean())
        kind = _kind(whole.preparation.columns[number].kind)
        worths.append(Worth(names[number], kind, mean, mean - half, mean + half, mean=float(means[number])))
    worths.sort(key=lambda worth: -worth.lost)
    told = [replace(of, **_along(whole, names.index(of.name))) for of in worths[:TOLD]] + worths[TOLD:]
    rows, area = sum(len(one.rows) for one in held), float(np.mean([area for area, _ in figures]))
    return Explanation(area, tuple(told), rows, len(figures), level, len(names) - len(told))


def _moving(held: HeldOut) -> list[int]:
    """The columns that move the scores most, in the order of the table."""
    return sorted(np.argsort(-held.pieces.spread(), kind="stable")[:LOOKED_AT].tolist())


def _figures(held: HeldOut, parts: int, deals: int, seed: int) -> list[tuple[float, dict[str, float]]]:
    """For each part the AUC, and what is lost of it by column, on average of some deals."""
    if not parts:
        return []
    part, rng = held.rows.units.dealt(parts, seed), np.random.default_rng(seed)
    members = [np.flatnonzero(part == k) for k in range(parts)]
    each = [held.rows.take(some) for some in members]
    areas = np.array([rows.auc(held.pieces.scores[some]) for rows, some in zip(each, members, strict=True)])
    order, lost = np.arange(len(held.rows)), dict[str, list[float]]()
    for number in _moving(held):
        left = np.zeros(parts)
        for _ in range(deals):
            for some in members:
                order[some] = some[rng.permutation(len(some))]
            scores = held.pieces.dealt(number, order)
            left += [rows.auc(scores[some]) for rows, some in zip(each, members, strict=True)]
        lost[held.preparation.names[number]] = (areas - left / deals).tolist()
    return [(float(areas[k]), {name: of[k] for name, of in lost.items()}) for k in range(parts)]


def _kind(kind: str) -> str:
    """Number, date or text: columns of means hold text."""
    return kind if kind in ("number", "date") else "text"


def _along(held: HeldOut, number: int) -> dict[str, Any]:
    """Values of a column, and the mean score of rows that have each instead of their own."""
    column = held.preparation.columns[number]
    values = _stops(held.rows.features[column.name], column)
    return {"values": tuple(map(value_shown, values)), "scores": tuple(held.pieces.set_to(number, values).tolist())}


def _stops(series: pl.Series, column: object) -> pl.Series:
    """Values at which the score is taken: those at even shares of the rows, or the frequent ones of text."""
    if not isinstance(column, Number):
        counts = series.drop_nulls().cast(pl.String).value_counts(name="rows")
        return counts.sort("rows", series.name, descending=[True, False])[series.name].head(FREQUENT).sort()
    numbers = column.read(series)
    order = np.argsort(numbers, kind="stable")[: np.count_nonzero(~np.isnan(numbers))]
    if not len(order):
        return series.head(0)
    at = order[np.unique((np.linspace(0.05, 0.95, STOPS) * (len(order) - 1)).round().astype(int))]
    _, first = np.unique(numbers[at], return_index=True)
    return series[at[first]]


def value_shown(value: object) -> str:
    """A value of a column as it is shown.

    Examples
    --------
    >>> value_shown(0.123456), value_shown(48.0), value_shown("Oslo")
    ('0.1235', '48', 'Oslo')
    """
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def some_rows(rows: Rows, columns: int, most: int, seed: int = 0) -> Rows:
    """So many of the rows that they, times the columns, are no more than so many scores."""
    return rows.some(max(most // max(columns, 1), 10 * FREQUENT), seed)
