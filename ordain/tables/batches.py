"""Tables of any format as a stream of polars frames: from here on CSV, TSV, JSONL and Parquet go one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs

from ordain._types import Mask, Vector
from ordain.tables.documents import array_of_objects
from ordain.tables.fields import checked, is_spaced, width_of, without_blanks
from ordain.tables.frames import Table, frame_of, name_of
from ordain.tables.header import BLANKS, choose, named
from ordain.tables.jsonl import check_keys, column, objects
from ordain.tables.loosely import as_text, keys_of, text_column
from ordain.tables.messages import shown
from ordain.tables.parquet_pages import check_pages
from ordain.tables.preflib import COLUMNS as BALLOT
from ordain.tables.preflib import ballot_rows
from ordain.tables.raw import Block, blocks, split_header
from ordain.tables.reading import Reading
from ordain.tables.source import Source, opened
from ordain.tables.workbook import sheet

ROWS = 32768
"""How many rows of a Parquet file are read at a time."""

WAITING = 32
"""So many batches of JSON may wait for a key that is asked for."""


@dataclass(frozen=True)
class Batch:
    """Some rows; `where` names the place of one of them; `text` if numbers and dates may be text, as in CSV."""

    frame: pl.DataFrame
    where: Callable[[int], str]
    text: bool

    def fault(self, index: int, text: str) -> ValueError:
        """What is wrong with one of the rows."""
        return ValueError(f"{self.where(index)}: {text}")

    def take(self, rows: Vector) -> Batch:
        """Some of the rows."""
        where = self.where
        return Batch(self.frame[rows], lambda index: where(int(rows[index])), self.text)


Asked = Sequence[str] | Callable[[Sequence[str]], Sequence[str]] | None
"""The columns that are wanted, or a function that picks them from the names there are; None stands for all."""


def batches(path: Table, columns: Asked, reading: Reading) -> Iterator[Batch]:
    """The table at `path` as checked batches of the asked columns; at least one row must be there.

    A frame is one batch. Its columns of text are looked at as those of a CSV file are.
    """
    yield from _batches(path, columns, reading, _READERS)


def text_batches(path: Table, columns: Asked, reading: Reading) -> Iterator[Batch]:
    """The same, every cell as text: lists and objects as JSON, and what a row of JSON lacks is null."""
    for batch in _batches(path, columns, reading, _LOOSE):
        yield replace(batch, frame=batch.frame.select(map(as_text, batch.frame.iter_columns())), text=True)


def _batches(
    path: Table, columns: Asked, reading: Reading, readers: Mapping[str, Callable[[Source, Asked], Iterator[Batch]]]
) -> Iterator[Batch]:
    """Batches by the reader of the table's format."""
    if (frame := frame_of(path)) is not None:
        chosen = frame.select(cs.by_name(*choose(name_of(path), frame.columns, columns)))
        if not frame.height:
            raise ValueError(f"{name_of(path)} must have at least one row. Got only column names. Is it the right one?")
        yield Batch(chosen, partial(row_of, name_of(path), 0), text=True)
        return
    with opened(path, reading) as source:
        empty = True
        for batch in readers[source.format](source, columns):
            if batch.frame.height:
                empty = False
                yield batch
        if empty:
            raise ValueError(f"{source.name} must have at least one row. Got only column names. Is it the right file?")


def _delimited(source: Source, columns: Asked) -> Iterator[Batch]:
    """Batches of a CSV or TSV file."""
    separator = source.separator
    stream = blocks(source, quoted=True)
    header, body = split_header(next(stream), separator)
    spaced = is_spaced(header, separator) or is_spaced(body, separator)
    header = without_blanks(header, separator) if spaced else header
    width = width_of(header, separator)
    names, made = named(_cells(header, separator).row(0))
    hint = "Check the name, and --separator." if width == 1 else ""
    chosen = choose(source.name, names, columns, hint)
    if spaced:
        source.reading.note("spaces", "blanks after separators")
    in_order = sorted(chosen, key=chosen.__getitem__)  # polars has not always kept another order
    unused = _Unused(made if columns is None else set(), source.reading)
    for block in chain([body], stream):
        if block.data:
            block = without_blanks(block, separator) if spaced else block
            block, blank = checked(block, separator, width)
            frame = _cells(block, separator, [chosen[name] for name in in_order])
            frame.columns = in_order
            yield unused.left_out(_filled(frame.select(cs.by_name(*chosen)), block.where, blank, source.reading))


def _filled(frame: pl.DataFrame, where: Callable[[int], str], blank: Mask, reading: Reading) -> Batch:
    """A batch of text without the blank rows."""
    batch = Batch(frame, where, text=True)
    if not blank.any():
        return batch
    reading.blank_rows += int(np.count_nonzero(blank))
    return batch.take(np.flatnonzero(~blank))


class _Unused:
    """Columns without a name, left out if they hold nothing: the first batch tells, and the others must agree."""

    def __init__(self, unnamed: set[str], reading: Reading) -> None:
        self._unnamed, self._reading = unnamed, reading
        self._empty: list[str] | None = None

    def left_out(self, batch: Batch) -> Batch:
        """The batch without them."""
        if not self._unnamed or not batch.frame.height:
            return batch
        filled = {name: _first_filled(batch.frame[name]) for name in sorted(self._unnamed)}
        if self._empty is None:
            self._empty = [name for name, index in filled.items() if index is None]
            if self._empty:
                count = len(self._empty)
                self._reading.note("columns", f"{count} empty column{'s' * (count > 1)} left out")
        for name in self._empty:
            if (index := filled[name]) is not None:
                raise batch.fault(
                    index, f"{name} must have a name, or be empty. Got {shown(batch.frame[name][index])}."
                )
        return replace(batch, frame=batch.frame.drop(cs.by_name(*self._empty)))


def _first_filled(series: pl.Series) -> int | None:
    """The first cell that is not empty."""
    filled = (series.cast(pl.String).str.strip_chars(BLANKS) != "").fill_null(value=False)
    return int(filled.arg_max() or 0) if filled.any() else None


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


def _objects(source: Source, columns: Asked) -> Iterator[Batch]:
    """Batches of JSON objects, the values of each key all of one kind."""
    chosen: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for rows, where in _rows(source):
        chosen = chosen or choose(source.name, tuple(rows[0]), columns)
        if columns is None:
            check_keys(rows, tuple(chosen), where)
        yield Batch(pl.DataFrame([column(name, rows, kinds, where) for name in chosen]), where, text=False)


def _loose_objects(source: Source, columns: Asked) -> Iterator[Batch]:
    """Batches of JSON objects whatever they hold, all values as text; they wait until all asked keys have been seen."""
    chosen: dict[str, int] = {}
    keys: tuple[str, ...] = ()
    waiting: list[tuple[list[dict[str, Any]], Callable[[int], str]]] = []
    for rows, where in _rows(source):
        waiting.append((rows, where))
        if not chosen:
            keys = tuple(dict.fromkeys((*keys, *keys_of(rows))))
            with nullcontext() if len(waiting) >= WAITING else suppress(ValueError):
                chosen = choose(source.name, keys, columns)
        if chosen:
            yield from (_text_batch(chosen, *part) for part in waiting)
            waiting = []
    if waiting:
        chosen = choose(source.name, keys, columns)
        yield from (_text_batch(chosen, *part) for part in waiting)


def _text_batch(names: Iterable[str], rows: list[dict[str, Any]], where: Callable[[int], str]) -> Batch:
    """Some keys of some objects as text."""
    return Batch(pl.DataFrame([text_column(name, rows, where) for name in names]), where, text=True)


def _rows(source: Source) -> Iterator[tuple[list[dict[str, Any]], Callable[[int], str]]]:
    """The objects of a JSON file in parts, and the place of each: one in every line, or all in one array."""
    if source.format == "jsonl":
        yield from ((objects(block), block.where) for block in blocks(source, quoted=False))
        return
    rows = array_of_objects(source)
    for start in range(0, len(rows), ROWS):
        yield rows[start : start + ROWS], partial(row_of, source.name, start)


def _ballots(source: Source, columns: Asked) -> Iterator[Batch]:
    """The ballots of a PrefLib file, in one batch."""
    chosen = choose(source.name, BALLOT, columns)
    rows = list(ballot_rows(source))
    frame = pl.DataFrame([row[1:] for row in rows], schema=dict.fromkeys(BALLOT, pl.String), orient="row")
    yield Batch(frame.select(cs.by_name(*chosen)), lambda index: rows[index][0], text=True)


def _workbook(source: Source, columns: Asked) -> Iterator[Batch]:
    """The first sheet of a workbook, in one batch."""
    cells, frame = sheet(source)
    names, made = named(cells)
    chosen = choose(source.name, names, columns)
    frame.columns = names
    filled = pl.any_horizontal(pl.all().is_not_null() & (pl.all().cast(pl.String).str.strip_chars(BLANKS) != ""))
    blank = ~frame.select(filled.fill_null(value=False)).to_series().to_numpy() if frame.height else np.zeros(0, bool)
    rows = partial(row_of, source.name, 0)
    unused = _Unused(made if columns is None else set(), source.reading)
    yield unused.left_out(_filled(frame.select(cs.by_name(*chosen)), rows, blank, source.reading))


def _parquet(source: Source, columns: Asked) -> Iterator[Batch]:
    """Batches of a Parquet file."""
    whole = source.path or source.stream.read()
    check_pages(whole, source.name)
    try:
        table = pl.scan_parquet(whole, glob=False, hive_partitioning=False, low_memory=True)
        chosen = choose(source.name, table.collect_schema().names(), columns)
        asked = table.select(cs.by_name(*chosen))
        for start in range(0, table.select(pl.len()).collect().item(), ROWS):
            yield Batch(asked.slice(start, ROWS).collect(), partial(row_of, source.name, start), text=False)
    except pl.exceptions.DuplicateError as error:
        raise ValueError(
            f"{source.name} must have different column names. Got: {_first_line(error)}. Rename one."
        ) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ValueError(
            f"{source.name} must be a whole Parquet file. Got: {_first_line(error)}. Copy or write it again."
        ) from None


def row_of(name: str, start: int, index: int) -> str:
    """The place of a row of the batch that starts after so many rows."""
    return f"{name}, row {start + index + 1}"


def _first_line(error: BaseException) -> str:
    """What polars said, without its context and advice."""
    return str(error).partition("\n")[0].rstrip(".")[:160]


_READERS: dict[str, Callable[[Source, Asked], Iterator[Batch]]] = {
    "csv": _delimited,
    "tsv": _delimited,
    "jsonl": _objects,
    "json": _objects,
    "parquet": _parquet,
    "excel": _workbook,
    "preflib": _ballots,
}
_LOOSE = _READERS | {"jsonl": _loose_objects, "json": _loose_objects}
