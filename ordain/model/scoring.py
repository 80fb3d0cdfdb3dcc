"""Score the rows of a table and put them in order, best first, in little memory.

More rows than a chunk holds spill to temporary files as they come, and only the score and the rank of each are kept.
Then the files are dealt out into one pile per chunk of ranks, and each pile is put in order. Of the first K, only those
are kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from ordain import tables
from ordain._types import Vector
from ordain.model import Model
from ordain.model.listing import best_first, ranked, scored
from ordain.model.noticed import Noticed

CHUNK = 1 << 18
"""Rows held in memory at a time."""


def score(
    file: str,
    model: Model,
    *,
    top: int | None = None,
    noticed: Noticed | None = None,
    report: Callable[[int], None] | None = None,
    reading: tables.Reading | None = None,
) -> Iterator[pl.DataFrame]:
    """The rows of a file with their rank, score and probability, best first, a frame at a time.

    Equal scores stay in the order of the file. `noticed` sees all rows; `report` is told how many more are scored.
    """
    if top is not None and top < 1:
        raise ValueError(f"--top must be 1 or more. Got {top}.")
    batches = _scored(file, model, noticed, report, reading or tables.Reading())
    if top is not None:
        yield ranked(_first(batches, top), 1, model)
        return
    with tempfile.TemporaryDirectory(prefix="ordain-") as folder:
        for first, frame in _in_order(batches, Path(folder)):
            yield ranked(frame, first, model)


def _scored(
    file: str,
    model: Model,
    noticed: Noticed | None,
    report: Callable[[int], None] | None,
    reading: tables.Reading,
) -> Iterator[pl.DataFrame]:
    """Batches of the rows with their scores."""
    for frame, features in scored(model, file, reading):
        yield frame
        if noticed:
            noticed.add(frame.columns[:-1], features)
        if report:
            report(frame.height)


def _first(batches: Iterator[pl.DataFrame], count: int) -> pl.DataFrame:
    """The best rows so far, and never more than them and one batch."""
    best: pl.DataFrame | None = None
    for batch in batches:
        both = batch if best is None else pl.concat([best, batch], how="vertical_relaxed")
        best = both[best_first(both["score"].to_numpy())[:count]]
    assert best is not None
    return best


def _in_order(batches: Iterator[pl.DataFrame], folder: Path) -> Iterator[tuple[int, pl.DataFrame]]:
    """The rows best first, a chunk at a time, and the rank of the first of them."""
    scores = [_spill(frame, folder / f"{number}.arrow") for number, frame in enumerate(_chunks(batches))]
    order = best_first(np.concatenate(scores))
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    del order
    starts = np.cumsum([0, *map(len, scores)])
    piles: list[list[Path]] = [[] for _ in range(0, len(ranks), CHUNK)]
    for number, start in enumerate(starts[:-1]):
        frame = _taken(folder / f"{number}.arrow").with_columns(rank=ranks[start : starts[number + 1]])
        for (pile,), part in frame.group_by(pl.col("rank") // CHUNK):
            piles[pile].append(folder / f"{number}-{pile}.arrow")
            part.write_ipc(piles[pile][-1])
    for number, paths in enumerate(piles):
        yield number * CHUNK + 1, pl.concat(map(_taken, paths)).sort("rank").drop("rank")


def _chunks(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same rows in frames of about a chunk."""
    held: list[pl.DataFrame] = []
    for frame in frames:
        held.append(frame)
        if sum(part.height for part in held) >= CHUNK:
            yield pl.concat(held, how="vertical_relaxed")
            held = []
    if held:
        yield pl.concat(held, how="vertical_relaxed")


def _spill(frame: pl.DataFrame, path: Path) -> Vector:
    """Put the rows aside; their scores."""
    frame.write_ipc(path)
    return frame["score"].to_numpy()


def _taken(path: Path) -> pl.DataFrame:
    """The rows put aside there, which are then there no more."""
    frame = pl.read_ipc(path)
    path.unlink()
    return frame
