"""Which character separates the fields of a text table, found by looking at its first records."""

from __future__ import annotations

import re

MARKS = ",;\t|"
"""The separators that are looked for; where two fit alike, the first."""

NAMES = {"\t": "tabs", ",": "commas", " ": "blanks"}

_RECORDS = 200
_QUOTED = re.compile(rb'"[^"]*(?:"|\Z)')
_SAID = re.compile(rb'"?sep=([^\r\n"])"?\r?\n')


def said(head: bytes) -> tuple[str, int] | None:
    """The separator that a first line such as ``sep=;`` names, as Excel writes it, and the length of the line."""
    found = _SAID.match(head)
    return (found[1].decode("latin-1"), found.end()) if found else None


def separator_of(head: bytes, usual: str) -> str:
    r"""The separator that cuts most records into as many fields as the header has, of those the one with most fields.

    Examples
    --------
    >>> separator_of(b"a;b\n1,5;2\n0,5;3\n", ",")
    ';'
    >>> separator_of(b'a,b\n"x;y",2\n', ",")
    ','
    """
    lines = _records(head)
    best, fit = usual, (0.0, 0)
    for mark in [usual, *MARKS.replace(usual, "")]:
        counts = [line.count(mark.encode()) for line in lines]
        if counts and counts[0] and (found := (_agreeing(counts), counts[0])) > fit:
            best, fit = mark, found
    return best


def _agreeing(counts: list[int]) -> float:
    """The share of records, in tenths, with as many separators as the header."""
    same = sum(count == counts[0] for count in counts)
    return round(10 * same / len(counts)) / 10


def _records(head: bytes) -> list[bytes]:
    """The first records that are whole and not blank, with nothing between quotes."""
    text = _QUOTED.sub(b'""', head).replace(b"\r\n", b"\n")
    lines = text.split(b"\n")
    whole = lines if len(head) < 1 << 16 else lines[:-1]
    return [line for line in whole if line.strip(b",;\t| ")][:_RECORDS]
