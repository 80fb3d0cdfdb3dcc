"""Parts of Parquet files, for workers that read some each: a file, a folder or a pattern becomes a list of slices."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl
import polars.selectors as cs

from ordain.tables.batches import Batch, row_of
from ordain.tables.columns import Columns, Gathered
from ordain.tables.forms import stripped
from ordain.tables.header import choose
from ordain.tables.parquet_pages import check_pages
from ordain.tables.reading import Reading

SLICE = 1 << 18
"""Rows of a slice, at most."""

Where = str | Sequence[str]
"""A file, a folder or a pattern; or several of them."""


class Slice(NamedTuple):
    """Some rows of a Parquet file."""

    path: str
    start: int
    rows: int

    @property
    def schema(self) -> pl.Schema:
        """The columns of the file, and their types."""
        return pl.scan_parquet(self.path, glob=False, hive_partitioning=False).collect_schema()

    def is_whole(self, column: str) -> bool:
        """Whether a column is of integers, that int64 holds."""
        schema = self.schema
        return column in schema and schema[column].is_integer() and schema[column] != pl.UInt64

    def frame(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows; some columns of them, where these are named."""
        with _whole(self.path):
            scanned = pl.scan_parquet(self.path, glob=False, hive_partitioning=False, low_memory=True)
            chosen = choose(self.path, scanned.collect_schema().names(), columns)
            return scanned.select(cs.by_name(*chosen)).slice(self.start, self.rows).collect()


@contextmanager
def _whole(path: str) -> Iterator[None]:
    """What polars cannot read in a file, in one line."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as wrong:
        got = " ".join(str(wrong).split())[:100]
        raise ValueError(f"{path} must be a whole Parquet file. Got: {got}. Write it again.") from None


def is_pattern(where: str) -> bool:
    """Whether it names a folder, or several files by one pattern, and not a file."""
    return os.path.isdir(where) or (glob.has_magic(where) and not os.path.exists(where))


def named(where: Where) -> str:
    """What to call it.

    Examples
    --------
    >>> named(["big/0.parquet", "big/1.parquet", "big/2.parquet"])
    'big/0.parquet and 2 more'
    """
    places = [where] if isinstance(where, str) else where
    return places[0] if len(places) == 1 else f"{places[0]} and {len(places) - 1:,} more"


def row_count(path: str) -> int:
    """The rows of a Parquet file; 0 for what is none."""
    try:
        return int(pl.scan_parquet(path, glob=False, hive_partitioning=False).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return 0


def slices(where: Where) -> list[Slice]:
    """The slices of all files that paths, folders or patterns name, in the order of the names of the files."""
    found, first = [], None
    for path in sorted({path for place in ([where] if isinstance(where, str) else where) for path in _files(place)}):
        path = os.path.abspath(path)
        if os.path.isdir(path):
            raise ValueError(f"{path} must be a Parquet file. It is a folder. Name its files: {path}/*.parquet.")
        check_pages(Path(path), path)
        with _whole(path):
            scanned = pl.scan_parquet(path, glob=False, hive_partitioning=False)
            schema, rows = scanned.collect_schema(), scanned.select(pl.len()).collect().item()
        first = first or schema
        if schema != first:
            apart = next((name for name in {**first, **schema} if schema.get(name) != first.get(name)), "their order")
            raise ValueError(
                f"all files must have the same columns. Got {path}, where {apart!r} differs. Write it again."
            )
        found += [Slice(path, start, min(SLICE, rows - start)) for start in range(0, rows, SLICE)]
    if not found:
        raise ValueError(f"{named(where)} must have at least one row. Got none. Is it the right place?")
    return found


def _files(where: str) -> list[str]:
    """The files that one of them names."""
    if os.path.isfile(where):  # also one whose name looks like a pattern
        return [where]
    paths = glob.glob(os.path.join(glob.escape(where), "*.parquet")) if os.path.isdir(where) else glob.glob(where)
    if not paths:
        raise ValueError(f"Parquet files must be there. Found none at {where!r}. Name a file, a folder or a pattern.")
    return paths


def read_slice(
    part: Slice,
    *,
    label: str,
    numbers: Sequence[str] = (),
    categories: Sequence[str] = (),
    drop: Sequence[str] = (),
    only: bool = False,
) -> tuple[Columns, pl.DataFrame]:
    """The labelled rows of a slice: some columns, and all others but `drop` as features, unless `only` those."""
    taken = list(dict.fromkeys([label, *numbers, *categories]))
    frame = part.frame(taken if only else None)
    choose(part.path, frame.columns, [*taken, *drop])
    gathered = Gathered(numbers, categories, label=label, reading=Reading())
    batch = gathered.add(Batch(frame, partial(row_of, part.path, part.start), text=False))
    features = batch.frame.drop(cs.by_name(*taken, *drop)).with_columns(pl.col(pl.String).pipe(stripped))
    return gathered.columns_so_far, features
