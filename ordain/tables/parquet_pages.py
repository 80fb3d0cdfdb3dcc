"""The pages of a Parquet file, looked at before polars reads them: sizes that cannot be make it end the process.

A file is pages and a footer, which says where those of each column begin, how many values they hold and how long they
are; every page begins with a header that says the same of itself. Both are in Thrift's compact protocol.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SPARE = 100
"""Bytes by which some writers counted the pages of a column too short."""


def check_pages(file: Path | bytes, name: str) -> None:
    """Refuse a file in which a page of a column does not fit to what the footer says of it."""
    if isinstance(file, bytes) or not file.stat().st_size:
        _check(file if isinstance(file, bytes) else b"", name)
        return
    with open(file, "rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _check(data, name)


def _check(data: bytes | mmap.mmap, name: str) -> None:
    """The same of its bytes."""
    try:
        wrong = next((column for column in _columns(data) if not _fits(column, data)), None)
        got = "" if wrong is None else f"pages of column {b'.'.join(wrong[3]).decode()!r:.60} that cannot be"
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        got = "a footer or a page that cannot be read"
    if got:
        raise ValueError(f"{name} must be a whole Parquet file. Got: {got}. Copy or write it again.")


def _columns(data: bytes | mmap.mmap) -> Iterator[dict[int, Any]]:
    """What the footer says of each column of each group of rows, by the numbers of ColumnMetaData."""
    if len(data) < 12 or data[-4:] != b"PAR1":
        raise ValueError("not a Parquet file")
    length = int.from_bytes(data[-8:-4], "little")
    footer = _Thrift(data[-8 - length : -8]).struct()
    for group in footer[4]:
        yield from (column[3] for column in group[1])


def _fits(column: dict[int, Any], data: bytes | mmap.mmap) -> bool:
    """Whether the pages lie in their place, none is larger than all, and they hold as many values as is said."""
    at = min((place for place in (column.get(11), column[9]) if place), default=0)  # a dictionary may come first
    end, values = min(at + column[7] + SPARE, len(data)), 0
    while values < column[5]:
        thrift = _Thrift(data, at)
        header = thrift.struct()
        of_data = header.get(5) or header.get(8) or {1: 0}
        levels = (of_data.get(5, 0), of_data.get(6, 0)) if 8 in header else ()
        at = thrift.at + header[3]
        values += of_data[1]
        if min(header[3], of_data[1], *levels, 0) < 0 or not sum(levels) <= header[2] <= column[6] or at > end:
            return False
    return bool(values == column[5])


class _Thrift:
    """Values that stand one after the other; a struct becomes a dict by the numbers of its fields."""

    def __init__(self, data: bytes | mmap.mmap, at: int = 0) -> None:
        self.data, self.at = data, at

    def struct(self) -> dict[int, Any]:
        """Fields until the one that ends it."""
        found, number = {}, 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            found[number] = head & 15 == 1 if head & 15 < 3 else self._value(head & 15)
        return found

    def _value(self, kind: int) -> Any:
        """A value of a kind: within a list, truth takes a byte."""
        match kind:
            case 1 | 2 | 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._signed()
            case 7 | 8:
                return self._bytes(8 if kind == 7 else self._number())
            case 9 | 10:
                head = self._byte()
                size = head >> 4 if head >> 4 < 15 else self._number()
                return [self._value(head & 15) for _ in range(size)]
            case 12:
                return self.struct()
        raise ValueError("no kind of value")

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _bytes(self, size: int) -> bytes:
        found = self.data[self.at : self.at + size]
        self.at += size
        if len(found) < size:
            raise ValueError("not there")
        return found

    def _number(self) -> int:
        """Seven bits a byte, the lowest first."""
        found = shift = 0
        while (byte := self._byte()) & 128:
            found |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("no number")
        return found | byte << shift

    def _signed(self) -> int:
        """0, -1, 1, -2 and so on are written as 0, 1, 2, 3."""
        found = self._number()
        return found >> 1 ^ -(found & 1)
