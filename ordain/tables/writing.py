"""Tables onto the disk, whole or not at all."""

from __future__ import annotations

import gzip
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, Any

import polars as pl
import polars.selectors as cs

from ordain.tables.columns import NUMBER
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
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise ValueError(f"{path} must be a file. It is a folder. Name a file in it.")
    if os.path.exists(target) and not os.path.isfile(target):
        raise ValueError(f"{path} must be a regular file. It is a device or a pipe. Choose another name.")
    if os.path.exists(target) and not force:
        raise ValueError(f"{path} exists. Add --force to replace it, or choose another name.")
    if not os.path.isdir(folder):
        raise ValueError(f"{path} must lie in an existing folder. There is no {folder}. Make it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(f"{path} must lie in a folder that may be written to. {folder} may not. Choose another.")


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a table in the format its name ends in; the file appears whole or not at all.

    In CSV and TSV, text that a spreadsheet would run as a formula gets a leading apostrophe; numbers stay as they are.

    Parameters
    ----------
    frame : polars.DataFrame
        The table.
    path : path
        Where to: .csv, .tsv, .jsonl, .ndjson or .parquet, each also with .gz; `-` is CSV on standard output.
    force : bool
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "ranking.csv")
    ...     write_table(pl.DataFrame({"item": ["=1+1", "-5.3"], "rank": [1, 2]}), file)
    ...     print(file.read_text())
    item,rank
    '=1+1,1
    -5.3,2
    <BLANKLINE>
    """
    check_writable(path, force)
    if path == "-":
        sys.stdout.flush()  # polars may write past the buffer
        _write_text(frame, sys.stdout.buffer, ",")
        sys.stdout.buffer.flush()
        return
    kind, packed = table_format(path)
    with _whole(Path(os.path.realpath(path))) as file, _packed(file) if packed else nullcontext(file) as stream:
        _WRITERS[kind or "csv"](frame, stream)


@contextmanager
def _whole(target: Path) -> Iterator[IO[bytes]]:
    """A new file beside `target` that takes its place at the end; nothing is left behind if that is not reached."""
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            yield file
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _packed(file: IO[bytes]) -> gzip.GzipFile:
    """A gzip file without name and time in its header, so that the same table gives the same bytes."""
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0)


def _write_text(frame: pl.DataFrame, file: IO[bytes], separator: str) -> None:
    """Write CSV or TSV; null becomes an empty cell, quoted where it would else be a blank line."""
    _refuse(frame, cs.nested() | cs.binary(), "CSV and TSV")
    _guarded(frame).write_csv(file, separator=separator, null_value='""' if frame.width == 1 else "")


def _write_lines(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write JSONL."""
    _refuse(frame, cs.binary(), "JSONL")
    frame.write_ndjson(file)


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


_WRITERS: dict[str, Callable[[pl.DataFrame, Any], object]] = {
    "csv": partial(_write_text, separator=","),
    "tsv": partial(_write_text, separator="\t"),
    "jsonl": _write_lines,
    "parquet": pl.DataFrame.write_parquet,
}
