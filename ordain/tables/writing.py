"""Tables onto the disk, whole or not at all."""

from __future__ import annotations

import errno
import gzip
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from typing import IO, Any

import polars as pl
import polars.selectors as cs
from polars.io.plugins import register_io_source

from ordain._files import DiskFull, check_place, whole
from ordain.tables.numbers import NUMBER
from ordain.tables.source import FORMATS, table_format

_FORMULA = r"^[=+\-@\t\r]"


def check_writable(path: str | os.PathLike[str], force: bool = False) -> None:
    """Refuse, before any work, a place where :func:`write_table` could not write.

    Parameters
    ----------
    path : path
        `-`, or a name whose extension is a known format, in a folder that exists and may be written to.
    force : bool
        Whether an existing file may be replaced.
    """
    if path == "-":
        return
    if table_format(path)[0] is None:
        raise ValueError(f"{path} must end in {', '.join(FORMATS)}, or that and .gz. Choose one of them.")
    check_place(path, force)


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str], *, force: bool = False, guard: bool = False) -> None:
    """Write a table in the format its name ends in; the file appears whole or not at all. Every cell stays as it is.

    Parameters
    ----------
    frame : polars.DataFrame
        The table.
    path : path
        Where to: .csv, .tsv, .jsonl, .ndjson or .parquet, each also with .gz; `-` is CSV on standard output.
    force : bool
        Whether an existing file may be replaced.
    guard : bool
        Whether text that a spreadsheet would run as a formula gets a leading apostrophe, in CSV and TSV; numbers do
        not.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "ranking.csv")
    ...     write_table(pl.DataFrame({"item": ["=1+1", "-5.3"], "rank": [1, 2]}), file, guard=True)
    ...     print(file.read_text())
    item,rank
    '=1+1,1
    -5.3,2
    <BLANKLINE>
    """
    write_frames([frame], path, force=force, guard=guard)


def write_frames(
    frames: Iterable[pl.DataFrame], path: str | os.PathLike[str], *, force: bool = False, guard: bool = False
) -> None:
    """Write a table that comes in parts, at least one, all with the same columns, as :func:`write_table` does."""
    check_writable(path, force)
    if guard and table_format(path)[0] not in ("jsonl", "parquet"):
        frames = map(_guarded, frames)
    if path == "-":
        _print_text(frames)
        return
    kind, packed = table_format(path)
    with whole(path, force) as file, _packed(file) if packed else nullcontext(file) as stream:
        _WRITERS[kind or "csv"](frames, stream)


def _print_text(frames: Iterable[pl.DataFrame]) -> None:
    """Write CSV to standard output. Polars has its own words for a pipe that is broken."""
    sys.stdout.flush()  # polars may write past the buffer
    try:
        _write_text(frames, sys.stdout.buffer, ",")
        sys.stdout.buffer.flush()
    except OSError as error:
        if "broken pipe" in str(error).lower():
            raise BrokenPipeError(errno.EPIPE, "Broken pipe") from None
        if "no space left" in str(error).lower():
            raise DiskFull("standard output must fit on its disk. It is full. Make room, or choose another.") from None
        raise


def _packed(file: IO[bytes]) -> gzip.GzipFile:
    """A gzip file without name and time in its header, so that the same table gives the same bytes."""
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0)


def _write_text(frames: Iterable[pl.DataFrame], file: IO[bytes], separator: str) -> None:
    """Write CSV or TSV; null becomes an empty cell, quoted where it would else be a blank line."""
    for number, frame in enumerate(frames):
        _refuse(frame, cs.nested() | cs.binary(), "CSV and TSV")
        null = '""' if frame.width == 1 else ""
        frame.write_csv(file, separator=separator, null_value=null, include_header=number == 0)


def _write_lines(frames: Iterable[pl.DataFrame], file: IO[bytes]) -> None:
    """Write JSONL."""
    for frame in frames:
        _refuse(frame, cs.binary(), "JSONL")
        frame.write_ndjson(file)


def _write_parquet(frames: Iterable[pl.DataFrame], file: IO[bytes]) -> None:
    """Write Parquet, part by part."""
    parts = iter(frames)
    first = next(parts)

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        yield first
        yield from parts

    register_io_source(source, schema=first.schema).sink_parquet(file)


def _refuse(frame: pl.DataFrame, kinds: cs.Selector, what: str) -> None:
    """Columns of these types cannot be written as text."""
    for name, kind in frame.select(kinds).schema.items():
        raise ValueError(f"column {name!r} must be of a type that {what} can hold. Got {kind}. Write .parquet instead.")


def _guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with an apostrophe before text, in cells and names, that a spreadsheet would take for a formula."""
    cells = (cs.string() | cs.categorical() | cs.enum()).cast(pl.String)
    harmless = ~cells.str.contains(_FORMULA) | cells.str.contains(f"^(?:{NUMBER})$")
    guarded = frame.with_columns(pl.when(harmless).then(cells).otherwise(pl.lit("'") + cells))
    return guarded.rename(
        lambda name: f"'{name}" if re.match(_FORMULA, name) and not re.fullmatch(NUMBER, name) else name
    )


_WRITERS: dict[str, Callable[[Iterable[pl.DataFrame], Any], object]] = {
    "csv": partial(_write_text, separator=","),
    "tsv": partial(_write_text, separator="\t"),
    "jsonl": _write_lines,
    "parquet": _write_parquet,
}
