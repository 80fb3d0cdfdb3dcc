"""Score Parquet files on many workers: a part for each slice, in the order of the files, or the first K of all."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ordain import tables
from ordain._files import check_place
from ordain.model import Model
from ordain.model.listing import best_first, ranked, scored
from ordain.tables.slices import Slice, slices


def score_parts(client: Any, where: str, model: Model, out: str, *, force: bool = False) -> int:
    """Write a folder with one Parquet file for each slice, score and probability in front; how many rows it has.

    The folder appears when all parts are written. Workers must see the place where it goes.
    """
    check_place(out, force)
    folder = Path(os.path.abspath(out))
    work = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}")
    work.mkdir(parents=True)
    try:
        parts = slices(where)
        shared = client.scatter(model, broadcast=True)
        tasks = [
            client.submit(_write, one, shared, str(work / f"part-{k:06d}.parquet"), pure=False)
            for k, one in enumerate(parts)
        ]
        rows = sum(client.gather(tasks))
        if folder.is_dir():
            shutil.rmtree(folder)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return rows


def first_of_all(client: Any, where: str, model: Model, top: int) -> tuple[pl.DataFrame, int]:
    """The first K of all rows, with their ranks, and how many rows there are."""
    shared = client.scatter(model, broadcast=True)
    found = client.gather([client.submit(_first, one, shared, top, pure=False) for one in slices(where)])
    both = pl.concat([frame for frame, _ in found], how="vertical_relaxed")
    return ranked(both[best_first(both["score"].to_numpy())[:top]], 1, model), sum(rows for _, rows in found)


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
