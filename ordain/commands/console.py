"""What every command prints with: lines and tables for people on a terminal, one JSON object for programs."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape as markup_escape
from rich.table import Table
from rich.text import Text


def print_json(value: Any) -> None:
    """One line of JSON, with escapes where the output is not in UTF-8."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not unicode, allow_nan=False))


def say(*lines: str) -> None:
    """Lines as they are."""
    for line in lines:
        console().print(line, markup=False)


def print_reading(file: str, rows: int, read: str, notices: Sequence[str]) -> None:
    """How a table was read, where that is worth saying, and what was noticed."""
    if read:
        say(f"Read {rows:,} rows of {file}: {read}.")
    say(*notices)


def visible(text: str, most: int | None = None, *, escape: bool = False) -> str:
    r"""A text on one line, as it may be shown on a terminal: what cannot be seen, or turns the line around, is escaped.

    Examples
    --------
    >>> print(visible("red \x1b[31m and \u202eturned", most=24))
    red \u001b[31m and \u20…
    """
    line = "".join(f"\\u{ord(one):04x}" if unicodedata.category(one)[0] in "CZ" and one != " " else one for one in text)
    line = line if most is None or len(line) <= most else f"{line[: most - 1]}…"
    return markup_escape(line) if escape else line


def complain(message: str, code: int) -> int:
    """One line on standard error; the exit code."""
    print("ordain: " + " ".join(message.split()), file=sys.stderr)
    return code


def table_of(columns: list[str], rows: Iterable[list[str]], names: int = 0, *, last_left: bool = False) -> Table:
    """A table whose words stay whole on a narrow terminal: cells take several lines, and columns stand closer.

    The column at `names` holds words, which are kept in one line and stand to the left, and so may the last; the others
    hold numbers.
    """
    cells = list(rows)
    least = [max(map(_longest_word, column)) for column in zip(columns, *cells, strict=True)]
    whole = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    narrow = sum(map(max, least, whole)) + 2 * len(columns) - 2 > console().width
    table = Table(box=None, pad_edge=False, collapse_padding=narrow)
    for index, (heading, width) in enumerate(zip(columns, least, strict=True)):
        table.add_column(
            heading,
            justify="left" if index == names or (last_left and index == len(columns) - 1) else "right",
            min_width=width,
            no_wrap=index == names,
        )
    for row in cells:
        table.add_row(*row)
    return table


def _width(cell: str) -> int:
    """How many places a cell takes."""
    return cell_len(Text.from_markup(cell).plain)


def _longest_word(cell: str) -> int:
    """How many places the longest word of a cell takes."""
    return max(map(_width, cell.split()), default=0)


def console(*, stderr: bool = False) -> Console:
    """Standard output, or standard error, as it is now."""
    return Console(highlight=False, soft_wrap=True, stderr=stderr)
