"""The rows of a table with their rank, score and probability, best first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from ordain import tables
from ordain._types import Vector
from ordain.tables.frames import Table, is_arrow, is_pandas, name_of

ADDED = ("rank", "score", "probability")
"""The columns that are put before those of the table."""


def scored(model: Any, table: Table, reading: tables.Reading) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Batches of the rows with their scores in a last column, and of the features the scores rest on."""
    kinds = {column.name: column.kind for column in model.preparation.columns}
    for frame, features in tables.feature_batches(table, kinds, model.forms, reading):
        clash = [name for name in ADDED if name in frame.columns]
        if clash:
            name = name_of(table)
            raise ValueError(f"{name} must not have a column {clash[0]!r}, since one is added. Rename or drop it.")
        yield frame.with_columns(pl.Series("score", model.scores(features))), features


def best_first(scores: Vector) -> Vector:
    """The row numbers, the highest score first; equal ones stay in their order."""
    return np.argsort(-scores, kind="stable")


def ranked(frame: pl.DataFrame, first: int, model: Any) -> pl.DataFrame:
    """Rows in order, the rank of the first of them given, with rank, score and probability in front."""
    scores = frame["score"]
    return frame.drop("score").select(*map(pl.Series, *_added(scores.to_numpy(), first, model)), pl.all())


def listed(model: Any, table: Table, reading: tables.Reading, top: int | None = None) -> Any:
    """The whole table in order, of pandas or pyarrow where it is, else of polars."""
    if top is not None and top < 1:
        raise ValueError(f"--top must be 1 or more. Got {top}.")
    frame = pl.concat([rows for rows, _ in scored(model, table, reading)], how="vertical_relaxed")
    scores = frame["score"].to_numpy()
    order = best_first(scores)[:top]
    if not (is_pandas(table) or is_arrow(table)):
        return ranked(frame[order], 1, model)
    rows = table.take(order) if is_arrow(table) else table.iloc[order].reset_index(drop=True)
    for place, (name, values) in enumerate(zip(*_added(scores[order], 1, model), strict=True)):
        if is_arrow(table):
            rows = rows.add_column(place, name, [values])
        else:
            rows.insert(place, name, values)
    return rows


def _added(scores: Vector, first: int, model: Any) -> tuple[list[str], list[Vector]]:
    """The names of the columns in front, and what they hold."""
    values = [np.arange(first, first + len(scores)), scores]
    if model.chance is not None:
        values.append(model.chance(scores))
    return list(ADDED[: len(values)]), values
