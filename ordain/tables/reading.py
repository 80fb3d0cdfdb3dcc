"""How a table is read: as asked, and where nothing was asked as found by looking at it."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field

from ordain.tables.messages import shown

WORDS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|", "space": " "}
"""Words for separators that are hard to type."""

DECIMALS = {"point": ".", "comma": ","}
DATES = ("day-first", "month-first")

_TOPICS = ("sheet", "separator", "spaces", "decimal", "encoding", "dates", "columns", "blank")


@dataclass
class Reading:
    """What was asked about the form of a table, and what was found.

    Parameters
    ----------
    separator : str, optional
        One character, or a word such as ``tab``.
    decimal : {".", ","}, optional
        The mark before the decimals, where a column leaves it open.
    encoding : str, optional
        Any text encoding that Python knows.
    dates : {"day-first", "month-first"}, optional
        How to read 03/04/2025, where a column leaves it open.

    Examples
    --------
    >>> reading = Reading(separator="tab")
    >>> reading.separator
    '\\t'
    >>> reading.note("encoding", "Windows-1252")
    >>> reading.note("separator", "separator ';'")
    >>> print(reading)
    separator ';', Windows-1252
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    dates: str | None = None
    found: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    blank_rows: int = 0
    separated_by: str = ""

    def __post_init__(self) -> None:
        self.separator = WORDS.get((self.separator or "").lower(), self.separator)
        self.decimal = DECIMALS.get((self.decimal or "").lower(), self.decimal)
        if self.separator is not None and (len(self.separator) != 1 or not _separates(self.separator)):
            raise ValueError(
                f"the separator must be one character such as , ; or |, or the word tab. Got {shown(self.separator)}."
            )
        if self.decimal not in (None, *DECIMALS.values()):
            raise ValueError(f"the decimal mark must be . or a comma. Got {shown(self.decimal)}.")
        if self.dates not in (None, *DATES):
            raise ValueError(f"the dates must be {' or '.join(DATES)}. Got {shown(self.dates)}.")
        if self.encoding is not None:
            self.encoding = _known(self.encoding)

    @property
    def asked(self) -> list[str]:
        """The names of what was asked."""
        return [name for name in ("separator", "decimal", "encoding", "dates") if getattr(self, name) is not None]

    def note(self, topic: str, words: str) -> None:
        """Something was found that is worth saying."""
        self.found[topic] = words

    def __str__(self) -> str:
        left = {1: "1 blank row left out"}.get(self.blank_rows, f"{self.blank_rows:,} blank rows left out")
        found = self.found | ({"blank": left} if self.blank_rows else {})
        return ", ".join(found[topic] for topic in _TOPICS if topic in found)


def _separates(mark: str) -> bool:
    """Whether a character may stand between fields."""
    return mark.isascii() and not mark.isalnum() and mark not in "\"\r\n\0.-+_'"


def _known(encoding: str) -> str:
    """The name of a text encoding as Python has it."""
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, UnicodeError):
        hint = "Try utf-8, windows-1252, utf-16 or mac-roman."
        raise ValueError(f"the encoding must be one that Python knows. Got {shown(encoding)}. {hint}") from None
    return found.name
