"""Rows of the CSV files beside this one, and figures as the pages write them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
Row = dict[str, str]


@cache
def read(name: str) -> list[Row]:
    """All rows of a CSV file."""
    with (HERE / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def rows(name: str, **wanted: object) -> list[Row]:
    """The rows that have these values in these columns."""
    return [row for row in read(name) if all(row[column] == str(value) for column, value in wanted.items())]


def row(name: str, **wanted: object) -> Row:
    """The only row that has them."""
    [found] = rows(name, **wanted)
    return found


def numbers(found: Iterable[Row], column: str) -> list[float]:
    """A column of some rows, without what is missing."""
    return [float(one[column]) for one in found if one[column] not in ("", "nan")]


def share(value: float | str, digits: int = 3) -> str:
    """A share of one as .951, and 1 as 1.000; a sign only where it is negative."""
    text = f"{float(value):.{digits}f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def signed(value: float | str, digits: int = 4) -> str:
    """A difference as +.0015 or -.0171; .0000 where no digit tells the sign."""
    text = share(abs(float(value)), digits)
    return text if not float(text) else ("-" if float(value) < 0 else "+") + text


def short(value: float | str) -> str:
    """Two or three digits: 0.059 as 0.06, 6.29 as 6.3, 510.2 as 510, 10420 as 10,420."""
    number = float(value)
    if number >= 10:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 2 else f"{number:.2f}"


def grid(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    told = ["| " + " | ".join(line) + " |" for line in (head, *lines)]
    return [told[0], "|" + "---|" * len(head), *told[1:]]
