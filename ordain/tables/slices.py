"""Parts of Parquet files, for workers that read some each: a file, a folder or a pattern becomes a list of slices."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import polars as pl
import polars.selectors as cs

from ordain.tables.batches import Batch, row_of
from ordain.tables.columns import Columns, Gathered
from ordain.tables.forms import stripped
from ordain.tables.header import choose
from ordain.tables.reading import Reading

SLICE = 1 << 18
"""Rows of a slice, at most."""


class Slice(NamedTuple):
    """Some rows of a Parquet file."""

    path: str
    start: int
    rows: int

    def frame(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows; some columns of them, where these are named."""
        scanned = pl.scan_parquet(self.path, glob=False, hive_partitioning=False, low_memory=True)
        chosen = choose(self.path, scanned.collect_schema().names(), columns)
        return scanned.select(cs.by_name(*chosen)).slice(self.start, self.rows).collect()


def slices(where: str) -> list[Slice]:
    """The slices of all files that a path, a folder or a pattern names, in the order of their names."""
    paths = sorted(glob.glob(os.path.join(where, "*.parquet")) if os.path.isdir(where) else glob.glob(where))
    if not paths:
        raise ValueError(f"--dask needs Parquet files. Found none at {where!r}. Name a file, a folder or a pattern.")
    found, first = [], None
    for path in paths:
        path = os.path.abspath(path)
        try:
            scanned = pl.scan_parquet(path, glob=False, hive_partitioning=False)
            schema, rows = scanned.collect_schema(), scanned.select(pl.len()).collect().item()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as wrong:
            got = " ".join(str(wrong).split())[:100]
            raise ValueError(f"{path} must be a whole Parquet file. Got: {got}. Write it again.") from None
        first = first or schema
        if schema != first:
            apart = next((name for name in {**first, **schema} if schema.get(name) != first.get(name)), "their order")
            raise ValueError(
                f"all files must have the same columns. Got {path}, where {apart!r} differs. Write it again."
            )
        found += [Slice(path, start, min(SLICE, rows - start)) for start in range(0, rows, SLICE)]
    if not found:
        raise ValueError(f"{where} must have at least one row. Got none. Is it the right place?")
    return found


def read_slice(
    part: Slice, *, label: str, numbers: Sequence[str] = (), drop: Sequence[str] = (), only: bool = False
) -> tuple[Columns, pl.DataFrame]:
    """The labelled rows of a slice: some columns, and all others but `drop` as features, unless `only` those."""
    taken = list(dict.fromkeys([label, *numbers]))
    frame = part.frame(taken if only else None)
    choose(part.path, frame.columns, [*taken, *drop])
    gathered = Gathered(numbers, [], label=label, reading=Reading())
    batch = gathered.add(Batch(frame, partial(row_of, part.path, part.start), text=False))
    features = batch.frame.drop(cs.by_name(*taken, *drop)).with_columns(pl.col(pl.String).pipe(stripped))
    return gathered.columns_so_far, features
