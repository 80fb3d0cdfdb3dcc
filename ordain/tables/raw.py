"""Bytes of a text table → blocks of whole records in UTF-8, with line feeds for line ends.

A double quote toggles between outside and inside, and a doubled one toggles twice. So a byte lies inside quotes exactly
if the number of quotes up to it is odd, and line feeds and separators count only outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ordain._types import Mask, Vector
from ordain.tables.encodings import title
from ordain.tables.source import Source

BLOCK = 1 << 19
"""How many bytes are read at a time."""

RECORD = 1 << 26
"""How many bytes one record may have; a longer one is a quote left open."""

_FEED, _RETURN, _QUOTE = b'\n\r"'


@dataclass(frozen=True)
class Block:
    """Whole records, each ended by a line feed, and where in its file the first one stands; the header is row 0."""

    name: str
    data: bytes
    row: int
    line: int
    quoted: bool

    @cached_property
    def array(self) -> Vector:
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def has_quotes(self) -> bool:
        return self.quoted and b'"' in self.data

    @cached_property
    def outside(self) -> Mask:
        """True where an even number of quotes came so far."""
        return ~np.bitwise_xor.accumulate(self.array == _QUOTE)

    @property
    def records(self) -> int:
        return len(self.ends) if self.has_quotes else self.data.count(b"\n")

    @cached_property
    def ends(self) -> Vector:
        """Offsets of the line feeds that end a record."""
        return self.offsets(_FEED)

    def offsets(self, *values: int) -> Vector:
        """Sorted offsets of these bytes outside quotes."""
        found = self.array == values[0]
        for value in values[1:]:
            found |= self.array == value
        if self.has_quotes:
            found &= self.outside
        return np.flatnonzero(found)

    def where(self, record: int) -> str:
        """The place of a record of this block, for messages: its row, and its line where that is another number."""
        row = self.row + record
        if not self.quoted:
            return f"{self.name}, row {row}"
        start = int(self.ends[record - 1]) + 1 if record else 0
        line = self.line + self.data.count(b"\n", 0, start)
        return f"{self.name}, row {row} (line {line})" if row else f"{self.name}, header (line {line})"

    def fault(self, offset: int, text: str) -> ValueError:
        """What is wrong with the record around `offset`."""
        return ValueError(f"{self.where(int(np.searchsorted(self.ends, offset)))}: {text}")


def blocks(source: Source, *, quoted: bool) -> Iterator[Block]:
    """The records of a text table in blocks of about `BLOCK` bytes of valid UTF-8, with line feeds for line ends.

    Blank lines at the very end are dropped, and the last record gets the line feed it may lack.
    """
    row, line = 0 if quoted else 1, 1
    encoding = None if quoted and source.reading.encoding is None else "utf-8"
    for data in _pieces(source, quoted):
        block, encoding = _decoded(Block(source.name, data, row, line, quoted), encoding)
        block = _without_returns(block)
        yield block
        row, line = row + block.records, line + data.count(b"\n")
    if encoding == "cp1252":
        source.reading.note("encoding", title(encoding))
    if line == 1:
        raise ValueError(f"{source.name} must be a table. The file holds blank lines only. Is it the right one?")


def split_header(first: Block, separator: str) -> tuple[Block, Block]:
    """The header of the first block, which is the first record that is not blank, and the records under it."""
    ends = [int(end) + 1 for end in first.ends] or [len(first.data)]
    start, end = 0, ends[0]
    for after in ends[1:]:
        if first.data[start:end].strip(separator.encode() + b" \n"):
            break
        start, end = end, after
    line = 1 + first.data.count(b"\n", 0, start)
    header = replace(first, data=first.data[start:end], line=line)
    return header, replace(first, data=first.data[end:], row=1, line=line + header.data.count(b"\n"))


def _pieces(source: Source, quoted: bool) -> Iterator[bytes]:
    """Bytes cut where records end; a cut never stands before a blank line, as that may be one at the end."""
    rest, size, line = b"", BLOCK, 1
    while new := source.stream.read(size):
        data = rest + new
        cut = _cut(data, quoted)
        if cut:
            yield data[:cut]
        elif len(data) > RECORD:
            raise ValueError(
                f"{source.name}: the record at line {line} must be shorter than {RECORD >> 20} MB. "
                "Is a quote left open there, or a line end missing?"
            )
        size = BLOCK if cut else 2 * size  # so that a long record is not looked at again and again
        rest, line = data[cut:], line + data.count(b"\n", 0, cut)
    if rest.strip(b"\r\n"):
        yield rest + b"\n"


def _cut(data: bytes, quoted: bool) -> int:
    """The offset after the last record that is whole and not blank; 0 if there is none."""
    end = _after_last_end(data, quoted)
    body = len(data[:end].rstrip(b"\r\n"))
    return data.index(b"\n", body) + 1 if body else 0


def _after_last_end(data: bytes, quoted: bool) -> int:
    """The offset after the last line feed outside quotes, found from the end; 0 if there is none."""
    inside = quoted and data.count(b'"') % 2 == 1
    end = len(data)
    while (feed := data.rfind(b"\n", 0, end)) >= 0:
        inside ^= quoted and data.count(b'"', feed, end) % 2 == 1
        if not inside:
            return feed + 1
        end = feed
    return 0


def _decoded(block: Block, encoding: str | None) -> tuple[Block, str | None]:
    """The block as UTF-8, and the encoding known from now on: the first letter beyond ASCII tells UTF-8 or not."""
    if (at := block.data.find(b"\0")) >= 0:
        raise block.fault(at, "must be text. Got a NUL byte. Is it the right file? Name its --encoding if it is text.")
    if block.data.isascii():
        return block, encoding
    if encoding == "cp1252":
        return _from_windows(block), encoding
    try:
        block.data.decode()
        return block, "utf-8"
    except UnicodeDecodeError as error:
        if encoding is None and block.data[: error.start].isascii():
            return _from_windows(block), "cp1252"
        byte = f"0x{block.data[error.start]:02x}"
        hint = "Save the file as UTF-8, or name its --encoding; it may be windows-1252."
        raise block.fault(error.start, f"must be UTF-8 text. Got the byte {byte}. {hint}") from None


def _from_windows(block: Block) -> Block:
    """The block as UTF-8, if every byte means something in Windows-1252."""
    try:
        return replace(block, data=block.data.decode("cp1252").encode())
    except UnicodeDecodeError as error:
        byte = f"0x{block.data[error.start]:02x}"
        hint = "Save the file as UTF-8, or name its --encoding."
        raise block.fault(error.start, f"must be text. Got the byte {byte}, of no usual encoding. {hint}") from None


def _without_returns(block: Block) -> Block:
    """The block with CRLF line ends made LF; a carriage return on its own may stand only inside quotes."""
    if b"\r" not in block.data:
        return block
    returns = block.offsets(_RETURN)
    alone = block.array[returns + 1] != _FEED  # the last byte of a block is a line feed
    if alone.any():
        at = int(returns[np.argmax(alone)])
        raise block.fault(at, "must not hold a lone carriage return. Save the file with LF or CRLF line ends.")
    return replace(block, data=np.delete(block.array, returns).tobytes())
