"""A row of numbers for each item, as an embedding is: a `.npy` file in the order of the items, or Parquet by id."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from ordain._types import Vector
from ordain.tables.messages import listed, shown
from ordain.tables.npy_header import npy_header
from ordain.tables.parquet_pages import check_pages

HEAD = 1 << 16
"""So many bytes hold the header of an array."""


def read_vectors(path: str, ids: Sequence[str]) -> Vector:
    """The rows of a file in the order of the ids.

    A Parquet file has a column called id and one of lists, or several of numbers; items that are not asked for are left
    out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = f"{folder}/vectors.parquet"
    ...     pl.DataFrame({"id": ["b", "a"], "vector": [[1.0, 2.0], [3.0, 4.0]]}).write_parquet(file)
    ...     read_vectors(file, ["a", "b"])
    array([[3., 4.],
           [1., 2.]])
    """
    ending = Path(path).suffix.lower()
    if ending not in (".npy", ".parquet"):
        raise ValueError(f"{path} must be .npy or .parquet. Got {ending or 'no ending'}. Write it so.")
    if not Path(path).is_file():
        raise ValueError(f"{path} must be a file of numbers. There is none of that name. Check the path.")
    rows = _array(path, len(ids)) if ending == ".npy" else _by_id(path, ids)
    if not np.isfinite(rows).all():
        item = ids[int(np.argmin(np.isfinite(rows).all(axis=1)))]
        raise ValueError(f"{path} must hold finite numbers. Got nan or inf for {shown(item)}. Make it anew.")
    return rows


def digest_of(path: str) -> str:
    """What tells the content of a file from another."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _array(path: str, n: int) -> Vector:
    """The rows of a `.npy` file; nothing in it is ever run."""
    try:
        with open(path, "rb") as file:
            shape, kind = npy_header(file.read(HEAD), os.path.getsize(path))
    except ValueError as wrong:
        raise ValueError(f"{path} must be an array of numbers that numpy saved. Got: {wrong!s:.80}.") from None
    if len(shape) != 2 or shape[0] != n or not shape[1] or kind.kind not in "fiub":
        got = f"{kind} of shape {shape}"
        raise ValueError(f"{path} must have a row of numbers for each of the {n:,} items, in their order. Got {got}.")
    return np.load(path, allow_pickle=False).astype(np.float64)


def _by_id(path: str, ids: Sequence[str]) -> Vector:
    """The rows of a Parquet file, by its column of ids."""
    check_pages(Path(path), path)
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as wrong:
        raise ValueError(f"{path} must be a Parquet file. Got: {wrong!s:.80}.") from None
    if "id" not in frame.columns:
        raise ValueError(f"{path} must have a column called 'id'. Got {listed(frame.columns, 8)}. Rename one.")
    found = [str(one) for one in frame["id"].to_list()]
    where = {one: place for place, one in enumerate(found)}
    lacking = [one for one in ids if one not in where]
    if lacking:
        raise ValueError(f"{path} must have every id of the items. It lacks {len(lacking):,}, as {shown(lacking[0])}.")
    often = Counter(found)
    if twice := [one for one in ids if often[one] > 1]:
        raise ValueError(f"{path} must have every id once. Got {shown(twice[0])} {often[twice[0]]} times. Keep one.")
    return _numbers(path, frame.drop("id"))[[where[one] for one in ids]]


def _numbers(path: str, frame: pl.DataFrame) -> Vector:
    """The columns of numbers, or the one of lists, as rows."""
    nested = [name for name, kind in frame.schema.items() if isinstance(kind, (pl.List, pl.Array))]
    try:
        found = frame[nested[0]].to_list() if nested else frame.select(pl.all().cast(pl.Float64)).to_numpy()
        rows = np.array(found, dtype=np.float64)
        if rows.ndim != 2 or not rows.shape[1]:
            raise ValueError("no row of numbers each")
        return rows
    except (ValueError, TypeError, pl.exceptions.PolarsError):
        must = "one column of lists of equal length, or columns of numbers, beside the ids"
        raise ValueError(f"{path} must have {must}. Got otherwise. Make it anew.") from None
