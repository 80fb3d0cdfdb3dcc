"""Bytes of a text table → blocks of whole records, checked before polars, which forgives too much, sees them.

A double quote toggles between outside and inside, and a doubled one toggles twice. So a byte lies inside quotes exactly
if the number of quotes up to it is odd, and line feeds and separators count only outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ordain._types import Mask, Vector
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
    for data in _pieces(source, quoted):
        block = Block(source.name, data, row, line, quoted)
        _check_text(block)
        block = _without_returns(block)
        yield block
        row, line = row + block.records, line + data.count(b"\n")
    if line == 1:
        raise ValueError(f"{source.name} must be a table. The file holds blank lines only. Is it the right one?")


def split_header(first: Block) -> tuple[Block, Block]:
    """The header of the first block, and the records under it."""
    end = int(first.ends[0]) + 1 if len(first.ends) else len(first.data)
    header = replace(first, data=first.data[:end])
    return header, replace(first, data=first.data[end:], row=1, line=1 + header.data.count(b"\n"))


def check_fields(block: Block, separator: str, width: int | None = None, hint: str = "") -> int:
    """The number of fields that every record of a block has, which must be `width`; quotes must stand where they may.

    With w fields per record, every w-th separator or line feed is a line feed, and no other is.
    """
    if block.has_quotes:
        _check_quotes(block, ord(separator))
    offsets = block.offsets(ord(separator), _FEED)
    at_end = block.array[offsets] == _FEED
    width = width or int(np.argmax(at_end)) + 1
    full, over = divmod(len(offsets), width)
    blank = width == 1 and bool((np.diff(offsets, prepend=-1) == 1).any())
    if over or blank or np.count_nonzero(at_end) != full or not at_end[width - 1 :: width].all():
        raise _ragged(block, offsets, np.flatnonzero(at_end), width, hint)
    return width


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


def _check_text(block: Block) -> None:
    """Every byte belongs to UTF-8 text."""
    if (at := block.data.find(b"\0")) >= 0:
        raise block.fault(
            at, "must be UTF-8 text. Got a NUL byte. Save the file as UTF-8; it may be UTF-16, or no text."
        )
    if block.data.isascii():
        return
    try:
        block.data.decode()
    except UnicodeDecodeError as error:
        byte = f"0x{block.data[error.start]:02x}"
        hint = "Save the file as UTF-8; it may be Latin-1 or Windows-1252."
        raise block.fault(error.start, f"must be UTF-8 text. Got the byte {byte}. {hint}") from None


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


def _check_quotes(block: Block, separator: int) -> None:
    """A quote opens only at the start of a field and closes only at its end; two in a row are one in the text."""
    quotes = np.flatnonzero(block.array == _QUOTE)
    opening, closing = quotes[0::2], quotes[1::2]
    neighbours = np.zeros(256, bool)
    neighbours[[separator, _FEED, _QUOTE]] = True
    # Offset -1 is the line feed at the end of the block: as good as the one before its start.
    stray = np.concatenate(
        [opening[~neighbours[block.array[opening - 1]]], closing[~neighbours[block.array[closing + 1]]]]
    )
    if len(stray):
        hint = 'Put the whole field between quotes and double those inside: "5"" pipe".'
        raise block.fault(int(stray.min()), f"must have quotes only around whole fields. Got one elsewhere. {hint}")
    if len(quotes) % 2:
        raise block.fault(
            int(quotes[-1]), "must close every quote. Got one left open to the end of the file. Close it."
        )


def _ragged(block: Block, offsets: Vector, ends: Vector, width: int, hint: str) -> ValueError:
    """The fault of the first record that is blank or has another number of fields."""
    fields = np.diff(ends, prepend=-1)
    starts = np.concatenate([[0], offsets[ends][:-1] + 1])
    blank = offsets[ends] == starts
    first = int(np.argmax(blank | (fields != width)))
    place = block.where(first)
    if blank[first]:
        return ValueError(f"{place}: must not be blank. Remove the line.")
    count = f"{width} field{'s' * (width > 1)}"
    hint = hint or ("Put text that holds a separator between quotes." if fields[first] > width else "Fill in the row.")
    return ValueError(f"{place}: must have {count}, as the header has. Got {fields[first]}. {hint}")
