"""Score Parquet files on many workers: a part for each slice, in the order of the files, or the first K of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from ordain import tables
from ordain._files import whole_parts
from ordain.engine.spread import gathered
from ordain.model import Model
from ordain.model.listing import best_first, ranked, scored
from ordain.tables.slices import Slice, Where, slices

Report = Callable[[float], None]


def _nobody(share: float) -> None:
    """Hears how far it is, and says nothing."""


def score_parts(
    client: Any, where: Where, model: Model, out: str, *, force: bool = False, report: Report = _nobody
) -> int:
    """Write a folder with one Parquet file for each slice, score and probability in front; how many rows it has.

    The folder appears when all parts are written. Workers must see the place where it goes. `report` is told which
    share of the slices is done.
    """
    parts = slices(where)
    with whole_parts(out, force) as work:
        shared = client.submit(_given, model, pure=False)
        paths = [str(work / f"part-{k:06d}.parquet") for k in range(len(parts))]
        tasks = [client.submit(_write, one, shared, path, pure=False) for one, path in zip(parts, paths, strict=True)]
        return sum(gathered(client, tasks, report))


def first_of_all(
    client: Any, where: Where, model: Model, top: int, *, report: Report = _nobody
) -> tuple[pl.DataFrame, int]:
    """The first K of all rows, with their ranks, and how many rows there are; `report` as above."""
    shared = client.submit(_given, model, pure=False)
    found = gathered(client, [client.submit(_first, one, shared, top, pure=False) for one in slices(where)], report)
    both = pl.concat([frame for frame, _ in found], how="vertical_relaxed")
    return ranked(both[best_first(both["score"].to_numpy())[:top]], 1, model), sum(rows for _, rows in found)


def _given(model: Model) -> Model:
    """The model, as a task that Dask can do again where a worker is lost."""
    return model


def _scored(part: Slice, model: Model) -> pl.DataFrame:
    """The rows of a slice with their scores in a last column."""
    frames = [frame for frame, _ in scored(model, part.frame(), tables.Reading())]
    return pl.concat(frames, how="vertical_relaxed")


def _write(part: Slice, model: Model, path: str) -> int:
    frame = ranked(_scored(part, model), 1, model).drop("rank")
    tables.write_table(frame, path, force=True)
    return frame.height


def _first(part: Slice, model: Model, top: int) -> tuple[pl.DataFrame, int]:
    frame = _scored(part, model)
    return frame[np.sort(best_first(frame["score"].to_numpy())[:top])], frame.height
