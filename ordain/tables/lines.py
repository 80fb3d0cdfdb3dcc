"""Text that is no table: the whole of a file in whichever encoding it is, its lines, and the objects in lines of JSON.

What a line is, is said here once: a line ends at LF, CRLF or CR, and nowhere else, and one that shows nothing is blank.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import zlib
from pathlib import Path

import polars as pl

from ordain.tables.batches import Batch
from ordain.tables.encodings import marked, title
from ordain.tables.jsonl import objects
from ordain.tables.loosely import keys_of, text_column
from ordain.tables.raw import Block
from ordain.tables.reading import Reading
from ordain.tables.source import STRANGERS

_END = re.compile(r"\r\n|\n|\r")
_BLANK = re.compile(r"[\s\u200b-\u200d\u2060\ufeff]*")


def is_blank(text: str) -> bool:
    r"""Whether a text shows nothing.

    Examples
    --------
    >>> [is_blank(text) for text in ("", " \u00a0\t\n", "\u200b", " .")]
    [True, True, True, False]
    """
    return _BLANK.fullmatch(text) is not None


def lines_of(text: str) -> list[str]:
    r"""The lines of a text without their ends; what follows the last end is a line only if it is not empty.

    Examples
    --------
    >>> lines_of("a\r\n\nb\u2028c\n")
    ['a', '', 'b\u2028c']
    """
    lines = _END.split(text)
    return lines if lines[-1] else lines[:-1]


def text_of(path: str | os.PathLike[str], reading: Reading) -> str:
    """The whole text of a file, unpacked; `-` is standard input.

    As for tables: a byte order mark tells the encoding, then `reading` does; else it is UTF-8, or Windows-1252 if the
    first letter beyond ASCII cannot be UTF-8. What was found is noted in `reading`.
    """
    name = "standard input" if path == "-" else str(path)
    data = _unpacked(_bytes(path, name), name)
    for start, what in STRANGERS.items():
        if data.startswith(start):
            raise ValueError(f"{name} must be text. By its first bytes it is {what}.")
    encoding, mark = marked(data)
    text = _decoded(data[mark:], encoding if mark else reading.encoding or encoding, name, reading)
    if "\0" in text:
        number = len(_END.findall(text, 0, text.index("\0"))) + 1
        hint = "Is it the right file? Name its --encoding if it is text."
        raise ValueError(f"{name}, line {number}: must be text. Got a NUL. {hint}")
    return text


def objects_in(text: str, name: str) -> Batch:
    """The objects in the lines of a JSONL text, all of their values as text; what an object lacks is null.

    Unlike a table read in batches, the text is whole, so that a key which only comes late is a column too.
    """
    if is_blank(text):
        raise ValueError(f"{name} must have an object in each line. It is empty. Is it the right file?")
    data = "\n".join(_END.split(text.rstrip())) + "\n"
    block = Block(name, data.encode(), row=1, line=1, quoted=False)
    rows = objects(block)
    return Batch(pl.DataFrame([text_column(key, rows, block.where) for key in keys_of(rows)]), block.where, text=True)


def _bytes(path: str | os.PathLike[str], name: str) -> bytes:
    """The bytes of a file as they are."""
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{name} must be a file that can be read. Got: {error.strerror}. Check the path.") from None


def _unpacked(data: bytes, name: str) -> bytes:
    """The bytes without gzip around them."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(
            f"{name} must be a whole gzip file. It is damaged or cut off ({error}). Copy it again."
        ) from None


def _decoded(data: bytes, encoding: str | None, name: str, reading: Reading) -> str:
    """The text in a known encoding; if None, in UTF-8 or Windows-1252."""
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding is None and data[: error.start].isascii():
            return _decoded(data, "cp1252", name, reading)
        number = len(_END.findall(data[: error.start].decode(encoding or "utf-8"))) + 1
        must = f"{name}, line {number}: must be text in {title(encoding or 'utf-8')}"
        raise ValueError(f"{must}. Got the byte 0x{data[error.start]:02x}. Name its --encoding.") from None
    if encoding not in (None, "utf-8"):
        reading.note("encoding", title(encoding))
    return text
