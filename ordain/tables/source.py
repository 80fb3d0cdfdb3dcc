"""What stands behind a path: a stream of bytes, unpacked, and the format of the table in it."""

from __future__ import annotations

import gzip
import io
import os
import re
import select
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from ordain.tables.encodings import Recoded, marked, title
from ordain.tables.reading import Reading
from ordain.tables.separators import NAMES, said, separator_of

FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
"""What is read and written, by the ending of the name."""

WORKBOOKS = {".xlsx": "excel", ".xlsm": "excel", ".xlsb": "excel", ".xls": "excel", ".ods": "excel"}
"""What is only read."""

DOCUMENTS = {".json": "json", ".soc": "preflib", ".soi": "preflib", ".toc": "preflib", ".toi": "preflib"}
"""Text that is only read: one array of JSON, and ballots of PrefLib."""

SEPARATORS = {"csv": ",", "tsv": "\t"}
STRANGERS = {
    b"PAR1": "a Parquet file. Name it .parquet",
    b"PK\x03\x04": "a zip file or an Excel workbook. Unpack it, or name it .xlsx",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook. Name it .xls",
    b"BZh": "packed with bzip2. Unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with Zstandard. Unpack it first",
    b"\xfd7zXZ": "packed with xz. Unpack it first",
}
"""First bytes of files that are no text, and what to do with them."""

_HEAD = 1 << 16


@dataclass(frozen=True)
class Source:
    """An open table. `path` is set only where the file can be read from anywhere in it: regular and not packed."""

    name: str
    format: str
    stream: IO[bytes]
    path: Path | None
    reading: Reading
    separator: str = ","


def table_format(path: str | os.PathLike[str]) -> tuple[str | None, bool]:
    """The format that a file's name promises, None if unknown, and whether the name promises gzip."""
    name = Path(path).name.lower()
    return FORMATS.get(Path(name.removesuffix(".gz")).suffix), name.endswith(".gz")


@contextmanager
def opened(path: str | os.PathLike[str], reading: Reading) -> Iterator[Source]:
    """The table at `path`, unpacked; faults of the file become one line, here and while it is read."""
    name = "standard input" if path == "-" else str(path)
    with _faults(name), _file(path) as file:
        head, stream = _peeked(file)
        packed = head.startswith(b"\x1f\x8b")
        promised, gz = table_format(path)
        if packed:
            head, stream = _peeked(gzip.GzipFile(fileobj=stream))
        elif gz and head:
            raise ValueError(f"{name} must be a gzip file, as its name ends in .gz. Its content is not. Rename it.")
        if not head:
            raise ValueError(f"{name} must be a table. The file is empty. Is it the right one?")
        promised = promised or (WORKBOOKS | DOCUMENTS).get(Path(str(path).lower().removesuffix(".gz")).suffix)
        kind = promised or ("parquet" if head.startswith(b"PAR1") else None)
        whole = path != "-" and not packed and stat.S_ISREG(os.stat(path).st_mode)
        found = Source(name, kind or "text", stream, Path(path).absolute() if whole else None, reading)
        yield found if kind in ("parquet", "excel") else _text(found, head)


def _text(source: Source, head: bytes) -> Source:
    """The table as text in UTF-8, of a known format and separator."""
    for start, what in STRANGERS.items():
        if head.startswith(start):
            raise ValueError(f"{source.name} must be a table as text. By its first bytes it is {what}.")
    head, stream = _in_utf8(source, head)
    if not head:
        raise ValueError(f"{source.name} must be a table. The file is empty. Is it the right one?")
    kind = source.format if source.format in ("csv", "tsv", "jsonl", "preflib") else _seen(head, source.format)
    if kind not in SEPARATORS:
        return replace(source, format=kind, stream=stream)
    separator = source.reading.separator
    if told := said(head):
        stream.read(told[1])
        separator = separator or told[0]
    separator = separator or separator_of(head, SEPARATORS[kind])
    source.reading.separated_by = separator
    if separator != SEPARATORS[kind]:
        source.reading.note("separator", f"separator {NAMES.get(separator, repr(separator))}")
    return replace(source, format=kind, stream=stream, separator=separator)


def _seen(head: bytes, promised: str) -> str:
    """The format that the first bytes of a text are of; a file named .json may hold lines of JSON, or one array."""
    if promised == "json":
        return "json" if head.lstrip().startswith(b"[") else "jsonl"
    if head.lstrip().startswith(b"{"):
        return "jsonl"
    if re.match(rb"\s*\[\s*\{", head):
        return "json"
    if head.startswith(b"# FILE NAME"):
        return "preflib"
    return "tsv" if b"\t" in head.partition(b"\n")[0] else "csv"


def _in_utf8(source: Source, head: bytes) -> tuple[bytes, IO[bytes]]:
    """The first bytes and the stream, without the byte order mark, from whatever encoding it is in."""
    encoding, mark = marked(head)
    source.stream.read(mark)
    encoding = encoding if mark else source.reading.encoding or encoding
    if encoding in (None, "utf-8"):
        return head[mark:], source.stream
    source.reading.note("encoding", title(encoding))
    return _peeked(Recoded(source.stream, encoding, source.name))


@contextmanager
def _faults(name: str) -> Iterator[None]:
    """Say what is wrong with a file in one line, whichever layer found it."""
    try:
        yield
    except FileNotFoundError:
        raise ValueError(f"{name} must be a file. There is none of that name. Check the path.") from None
    except IsADirectoryError:
        raise ValueError(f"{name} must be a file. It is a folder. Name a file in it.") from None
    except PermissionError:
        raise ValueError(f"{name} must be readable. Permission was denied. Change its permissions.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(
            f"{name} must be a whole gzip file. It is damaged or cut off ({error}). Copy it again."
        ) from None
    except OSError as error:
        raise ValueError(f"{name} must be readable. Got: {error.strerror or error}. Check the path.") from None


def _file(path: str | os.PathLike[str]) -> Any:
    """The bytes at `path` as they are; standard input is left open."""
    return nullcontext(io.BufferedReader(_Listening(sys.stdin.buffer))) if path == "-" else open(path, "rb")


class _Listening(io.RawIOBase):
    """Standard input that Ctrl-C can end: polars restarts a read that a signal interrupts, but no wait before it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if os.name == "posix":
            select.select([self._stream], [], [])
        part = self._stream.read1(len(buffer))
        buffer[: len(part)] = part
        return len(part)


class _Peeked(io.RawIOBase):
    """A stream with the bytes that were already taken from it put back."""

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head, self._stream = head, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._head[: len(buffer)] or self._stream.read(len(buffer))
        self._head = self._head[len(part) :]
        buffer[: len(part)] = part
        return len(part)


def _peeked(stream: Any) -> tuple[bytes, IO[bytes]]:
    """The first bytes of a stream, and the stream from its start; it need not be seekable."""
    head = stream.read(_HEAD)
    return head, io.BufferedReader(_Peeked(head, stream), _HEAD)
