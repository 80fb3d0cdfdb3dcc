"""The columns that were asked for, found among those a table has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ordain._near import did_you_mean
from ordain.tables.messages import listed

BLANKS = " \t\u00a0\u2007\u2009\u202f\ufeff"
"""What may stand around a name or a value without meaning anything."""


def choose(
    source: str,
    names: Sequence[str],
    asked: Sequence[str] | Callable[[Sequence[str]], Sequence[str]] | None,
    hint: str = "",
) -> dict[str, int]:
    """Asked name → its place among the names of the table, which must differ; every name if `asked` is None.

    What is asked may be a function that picks from the names.
    """
    asked = asked(names) if callable(asked) else asked
    if asked is not None and not asked:
        raise ValueError(f"at least one column of {source} must be asked for. Got none. Name one.")
    if not names:
        raise ValueError(f"{source} must have columns. Got none in the first row. Is it the right file?")
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{source} must have different column names. Got {name!r} {count} times. Rename one.")
    places = {name: place for place, name in enumerate(names)}
    for name in names if asked is None else asked:
        if name not in places:
            raise ValueError(_missing(source, names, name, hint))
    return places if asked is None else {name: places[name] for name in asked}


def named(cells: Sequence[str]) -> tuple[list[str], set[str]]:
    """The names of the columns without the blanks around them, and those made up for the ones that have none."""
    names = [cell.strip(BLANKS) for cell in cells]
    made = {place: f"column {place + 1}" for place, name in enumerate(names) if not name}
    return [made.get(place, name) for place, name in enumerate(names)], set(made.values())


def _missing(source: str, names: Sequence[str], name: str, hint: str) -> str:
    """One line about a column that is not there, with those it may have been meant to be."""
    must = f"{source} must have the column {name!r}. Got {listed(names, 8)}."
    return f"{must}{did_you_mean(name, names)} {hint or 'Check the name.'}"
