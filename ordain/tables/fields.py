"""Records → fields: every record has as many as the header, quotes stand where they may, blank records are known.

All is checked before polars, which forgives too much, sees the records. What spreadsheets add is taken away: blank
lines, empty fields beyond the last column, and blanks after separators. Lines keep their numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ordain._types import Mask
from ordain.tables.raw import Block

_FEED, _QUOTE, _BLANK = b'\n" '


def checked(block: Block, separator: str, width: int, hint: str = "") -> tuple[Block, Mask]:
    """The block, each record of as many fields as the header has, and which of them are blank.

    With w fields per record, every w-th separator or line feed is a line feed, and no other is.
    """
    if block.has_quotes:
        _check_quotes(block, ord(separator))
    blank = _blank(block, separator)
    if not _is_even(block, separator, width):
        block = _evened(block, separator, width, blank, hint)
    return block, blank


def width_of(header: Block, separator: str) -> int:
    """The number of fields of a header."""
    if header.has_quotes:
        _check_quotes(header, ord(separator))
    return len(header.offsets(ord(separator))) + 1


def _is_even(block: Block, separator: str, width: int) -> bool:
    """Whether every record has so many fields, and none is an empty line."""
    offsets = block.offsets(ord(separator), _FEED)
    at_end = block.array[offsets] == _FEED
    full, over = divmod(len(offsets), width)
    if over or (width == 1 and (np.diff(offsets, prepend=-1) == 1).any()):
        return False
    return bool(np.count_nonzero(at_end) == full and at_end[width - 1 :: width].all())


def _evened(block: Block, separator: str, width: int, blank: Mask, hint: str) -> Block:
    """The block with blank records of full width, and without empty fields beyond it; all else is a fault."""
    full = separator.encode() * (width - 1) if width > 1 else b'""'
    places = block.offsets(ord(separator))
    records, start = [], 0
    for number, end in enumerate(block.ends):
        record = block.data[start:end]
        own = places[np.searchsorted(places, start) : np.searchsorted(places, end)]
        if blank[number]:
            record = full
        elif len(own) >= width and not block.data[own[width - 1] : end].strip(separator.encode() + b" "):
            record = block.data[start : own[width - 1]]
        elif len(own) + 1 != width:
            raise ValueError(f"{block.where(number)}: {_ragged(len(own) + 1, width, hint)}")
        records.append(record + b"\n")
        start = end + 1
    return replace(block, data=b"".join(records))


def is_spaced(block: Block, separator: str) -> bool:
    """Whether a blank follows every separator of the first record."""
    end = int(block.ends[0]) if len(block.ends) else len(block.data)
    first = replace(block, data=block.data[: end + 1])
    places = first.offsets(ord(separator))
    return bool(len(places) and (first.array[places + 1] == _BLANK).all())


def without_blanks(block: Block, separator: str) -> Block:
    """The block without the blanks that stand after separators, outside quotes."""
    gone = np.zeros(len(block.data), bool)
    after = block.offsets(ord(separator)) + 1
    while len(after := after[block.array[after] == _BLANK]):
        gone[after] = True
        after = after + 1
    return replace(block, data=block.array[~gone].tobytes()) if gone.any() else block


def _blank(block: Block, separator: str) -> Mask:
    """Which records hold nothing but separators and blanks."""
    filled = np.ones(256, bool)
    filled[[ord(separator), _BLANK, _FEED]] = False
    starts = np.concatenate([[0], block.ends[:-1] + 1])
    if filled[block.array[starts]].all():  # none begins as a blank one would
        return np.zeros(len(starts), bool)
    return np.add.reduceat(filled[block.array], starts) == 0


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


def _ragged(found: int, width: int, hint: str) -> str:
    """What is wrong with a record of another number of fields."""
    count = f"{width} field{'s' * (width > 1)}"
    hint = hint or ("Put text that holds a separator between quotes." if found > width else "Fill in the row.")
    return f"must have {count}, as the header has. Got {found}. {hint}"
