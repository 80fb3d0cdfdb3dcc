"""Tables of any format as a stream of polars frames: from here on CSV, TSV, JSONL and Parquet go one way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import polars as pl

from ordain.tables.header import choose, other_separator
from ordain.tables.jsonl import check_keys, column, objects
from ordain.tables.raw import Block, blocks, check_fields, split_header
from ordain.tables.source import SEPARATORS, Source, opened

ROWS = 32768
"""How many rows of a Parquet file are read at a time."""


@dataclass(frozen=True)
class Batch:
    """Some rows; `where` names the place of one of them; `text` if every cell is text still, as in CSV."""

    frame: pl.DataFrame
    where: Callable[[int], str]
    text: bool

    def fault(self, index: int, text: str) -> ValueError:
        """What is wrong with one of the rows."""
        return ValueError(f"{self.where(index)}: {text}")


def read_batches(
    path: str | os.PathLike[str], columns: Sequence[str] | None = None, *, batch_rows: int = 1 << 16
) -> Iterator[pl.DataFrame]:
    """Frames of at most `batch_rows` rows that together make the table, which is never held whole.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSONL or Parquet file, packed with gzip or not; `-` is standard input.
    columns : sequence of str, optional
        The columns to read, in this order; all of them by default.
    batch_rows : int
        The most rows of a frame.

    Yields
    ------
    frame : polars.DataFrame
        All columns are text for CSV and TSV, where an empty cell is empty text; JSONL and Parquet keep their types.
    """
    for batch in batches(path, columns):
        yield from batch.frame.iter_slices(batch_rows)


def batches(path: str | os.PathLike[str], columns: Sequence[str] | None) -> Iterator[Batch]:
    """The table at `path` as checked batches of the asked columns; at least one row must be there."""
    with opened(path) as source:
        empty = True
        for batch in _READERS[source.format](source, columns):
            empty = False
            yield batch
        if empty:
            raise ValueError(f"{source.name} must have at least one row. Got only column names. Is it the right file?")


def _delimited(source: Source, columns: Sequence[str] | None) -> Iterator[Batch]:
    """Batches of a CSV or TSV file."""
    separator = SEPARATORS[source.format]
    stream = blocks(source, quoted=True)
    header, body = split_header(next(stream))
    width = check_fields(header, separator)
    names = _cells(header, separator).row(0)
    hint = other_separator(names, separator)
    chosen = choose(source.name, names, columns, hint)
    in_order = sorted(chosen, key=chosen.__getitem__)  # polars has not always kept another order
    for block in chain([body], stream):
        if block.data:
            check_fields(block, separator, width, hint)
            frame = _cells(block, separator, [chosen[name] for name in in_order])
            frame.columns = in_order
            yield Batch(frame.select(*chosen), block.where, text=True)


def _cells(block: Block, separator: str, places: list[int] | None = None) -> pl.DataFrame:
    """The cells of a checked block, just as they stand; only the columns at some places, in rising order, if given."""
    return pl.read_csv(
        block.data,
        columns=places,
        separator=separator,
        has_header=False,
        infer_schema=False,
        empty_string_is_null=False,
        quote_char='"' if block.has_quotes else None,
    )


def _objects(source: Source, columns: Sequence[str] | None) -> Iterator[Batch]:
    """Batches of a JSONL file: an object in each line."""
    chosen: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for block in blocks(source, quoted=False):
        rows = objects(block)
        chosen = chosen or choose(source.name, tuple(rows[0]), columns)
        if columns is None:
            check_keys(rows, tuple(chosen), block.where)
        frame = pl.DataFrame([column(name, rows, kinds, block.where) for name in chosen])
        yield Batch(frame, block.where, text=False)


def _parquet(source: Source, columns: Sequence[str] | None) -> Iterator[Batch]:
    """Batches of a Parquet file."""
    try:
        table = pl.scan_parquet(
            source.path or source.stream.read(), glob=False, hive_partitioning=False, low_memory=True
        )
        chosen = choose(source.name, table.collect_schema().names(), columns)
        asked = table.select(*chosen)
        for start in range(0, table.select(pl.len()).collect().item(), ROWS):
            yield Batch(asked.slice(start, ROWS).collect(), partial(_parquet_row, source.name, start), text=False)
    except pl.exceptions.DuplicateError as error:
        raise ValueError(
            f"{source.name} must have different column names. Got: {_first_line(error)}. Rename one."
        ) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ValueError(
            f"{source.name} must be a whole Parquet file. Got: {_first_line(error)}. Copy or write it again."
        ) from None


def _parquet_row(name: str, start: int, index: int) -> str:
    """The place of a row of the batch that starts after so many rows."""
    return f"{name}, row {start + index + 1}"


def _first_line(error: BaseException) -> str:
    """What polars said, without its context and advice."""
    return str(error).partition("\n")[0].rstrip(".")[:160]


_READERS = {"csv": _delimited, "tsv": _delimited, "jsonl": _objects, "parquet": _parquet}
