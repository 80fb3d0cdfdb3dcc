"""`ordain explain`: what the ranking of a model rests on, and what moved the rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from rich.markup import escape

from ordain import tables
from ordain._memory import check_memory
from ordain.commands.console import console, print_json, say, table_of, visible
from ordain.commands.progress import working
from ordain.commands.suggested import asked_of
from ordain.explain.explanation import Explanation
from ordain.explain.on_table import Moved, explained_on, moved
from ordain.explain.shuffled import value_shown
from ordain.model import Model, load
from ordain.rows.record import Rows

SHOWN, NAMED, WIDE = 20, 5, 28
"""Columns that are listed, columns that are named for a row, and characters of a value."""


def run(
    model_file: str,
    file: str | None = None,
    *,
    rows: int = 3,
    out: str | None = None,
    force: bool = False,
    as_json: bool = False,
    reading: tables.Reading | None = None,
) -> None:
    """Load, look at the rows where there are some, write and tell."""
    if out is not None:
        tables.check_writable(out, force)
    if rows < 0 or (out is not None and file is None):
        raise ValueError("--rows must be 0 or more, and --out needs a FILE with rows. Got otherwise. Add FILE.")
    model = load(model_file)
    check_memory(file, 1, "Explain a part of its rows.")
    if file is None:
        _tell(model_file, model.rests_on, as_json)
        return
    with working(f"Reading {file}"):
        frame, features = _read(file, model, reading or tables.Reading())
    with working("Shuffling columns"):
        found = _measured(file, model, frame, features, reading)
    best = np.argsort(-model.scores(features), kind="stable")
    order, first = best[:rows], moved(model, features[best[: max(rows, 1)]])
    if out is not None:
        tables.write_table(moved(model, features).frame(), out, force=force)
    if as_json:
        told = [_row(first, place, int(row)) for place, row in enumerate(order)]
        print_json({"model": model_file, "file": file, "out": out, **_plain(found), "base": first.base, "rows": told})
        return
    if found is None:
        say(f"{file} has no usable column {visible(model.label)!r}, so what columns are worth is that of training.")
    print_explanation(found or model.rests_on, model_file)
    print_moved(first, features[order], [int(row) for row in order])
    if out is not None:
        say(f"What moved each row is in {out}.")


def _tell(model_file: str, found: Explanation | None, as_json: bool) -> None:
    if as_json:
        print_json({"model": model_file, **_plain(found)})
    else:
        print_explanation(found, model_file)


def _plain(found: Explanation | None) -> dict[str, Any]:
    """The figures as plain data, with the directions."""
    if found is None:
        return {"rests_on": None}
    plain = found.as_json()
    for column, of in zip(plain["columns"], found.columns, strict=True):
        column["direction"] = of.direction
    return {"rests_on": plain}


def _read(file: str, model: Model, reading: tables.Reading) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows as they stand, and as the model takes them."""
    kinds = {column.name: column.kind for column in model.preparation.columns}
    found = list(tables.feature_batches(file, kinds, model.forms, reading))
    frame, features = (pl.concat(of, how="vertical_relaxed") for of in zip(*found, strict=True))
    return frame, features


def _measured(
    file: str, model: Model, frame: pl.DataFrame, features: pl.DataFrame, reading: tables.Reading | None
) -> Explanation | None:
    """What columns are worth on these rows; None where they have no labels for it."""
    if file == "-" or model.label not in frame.columns:
        return None
    columns = tables.read_columns(file, label=model.label, reading=reading)
    if columns.unlabelled or columns.rows != features.height:
        return None
    column, positive = columns.categories[model.label], asked_of(model).get("positive")
    if model.positive is None:
        labels = tables.grades(column, reading)
    else:
        labels, _ = tables.labels(column, positive if isinstance(positive, str) else None)
    return explained_on(model, Rows(features, labels, graded=model.positive is None))


def _row(which: Moved, place: int, row: int) -> dict[str, Any]:
    """What moved the row at a place, as plain data."""
    everything = dict(which.strongest(place, len(which.names)))
    return {"row": row + 1, "score": float(which.scores[place]), "moved": everything}


def print_explanation(found: Explanation | None, model_file: str) -> None:
    """The columns from the one that is worth most on."""
    shown = console()
    if found is None:
        shown.print(
            f"{model_file} does not say what it rests on: it is of an earlier version, of too few rows, or was fitted "
            "with --seconds. Fit it again, or give a FILE with labels.",
            markup=False,
        )
        return
    shown.print(visible(str(found)), markup=False)
    rows = [
        [visible(of.name, WIDE, escape=True), f"{of.lost:.4f}", escape(f"{of.low:+.4f} to {of.high:+.4f}"),
         visible(of.direction, 2 * WIDE, escape=True)]
        for of in found.columns[:SHOWN]
    ]  # fmt: skip
    ends = f"at {found.level * 100:g}%"
    shown.print(table_of(["column", "AUC lost", ends, "score goes"], rows, last_left=True))
    if len(found.columns) > SHOWN:
        shown.print(f"… and {len(found.columns) - SHOWN:,} more.")
    shown.print(found.about, markup=False)


def print_moved(which: Moved, features: pl.DataFrame, rows: list[int]) -> None:
    """What moved some rows, whose numbers in the file are given; the column that moved each most comes first."""
    if rows:
        say(f"Scores begin from {which.base:+.3f}; what moved the first:")
    for place, row in enumerate(rows):
        parts = [
            f"{visible(name, WIDE)} = {visible(value_shown(features[name][place]), WIDE)} {by:+.3f}"
            for name, by in which.strongest(place, NAMED)
        ]
        say(f"  {place + 1}. row {row + 1:,}, score {which.scores[place]:+.3f}: {'; '.join(parts)}")
