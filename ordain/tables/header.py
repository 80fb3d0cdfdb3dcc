"""The columns that were asked for, found among those a table has."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence

from ordain.tables.messages import listed, shown


def choose(source: str, names: Sequence[str], asked: Sequence[str] | None, hint: str = "") -> dict[str, int]:
    """Asked name → its place among the names of the table, which must differ; every name if `asked` is None."""
    if asked is not None and not asked:
        raise ValueError(f"at least one column of {source} must be asked for. Got none. Name one.")
    if not names:
        raise ValueError(f"{source} must have columns. Got none in the first row. Is it the right file?")
    for name, count in Counter(names).items():
        if count > 1 and (name or asked is None):
            raise ValueError(f"{source} must have different column names. Got {name!r} {count} times. Rename one.")
    places = {name: place for place, name in enumerate(names)}
    for name in names if asked is None else asked:
        if name not in places or (not name and asked is not None):
            raise ValueError(_missing(source, names, name, hint))
    return places if asked is None else {name: places[name] for name in asked}


def other_separator(names: Sequence[str], separator: str) -> str:
    """What to do about a header that seems to use another separator; empty if it does not."""
    others = [other for other in ";\t|," if other != separator and other in names[0]]
    if len(names) > 1 or not others:
        return ""
    words = {"\t": "tabs", ",": "commas"}
    rename = {"\t": " or name it .tsv", ",": " or name it .csv"}.get(others[0], "")
    looks = words.get(others[0], repr(others[0]))
    return f"The file looks separated by {looks}: save it with {words[separator]}{rename}."


def _missing(source: str, names: Sequence[str], name: str, hint: str) -> str:
    """One line about a column that is not there, with those it may have been meant to be."""
    if not name:
        return (
            f"a column of {source} must be asked for by a name that is not empty. Got ''. Name the column in the file."
        )
    folded = {other.strip().lower(): other for other in names}
    near = [folded[key] for key in difflib.get_close_matches(name.strip().lower(), folded, n=3)]
    guess = f" Did you mean {' or '.join(map(shown, near))}?" if near else ""
    return f"{source} must have the column {name!r}. Got {listed(names, 8)}.{guess} {hint or 'Check the name.'}"
