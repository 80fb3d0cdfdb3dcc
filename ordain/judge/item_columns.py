"""Which columns of a table make its items: the id, the text, and the rest.

The text is a column, or a template over several such as ``{title}: {body}``. Its places are found once, in the template
itself: braces that a cell brings along are text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from ordain._near import did_you_mean
from ordain.tables.header import choose
from ordain.tables.lines import is_blank
from ordain.tables.messages import listed, shown

_PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class ItemColumns:
    """What each column is for.

    Parameters
    ----------
    id : str or None
        The column of the ids; None if they are the numbers of the rows.
    places : tuple of str
        The columns that the text is made of, as often as it names them.
    between : tuple of str
        What stands before, between and after them: one more than there are places.
    rest : tuple of str
        The columns that are kept beside the text.
    """

    id: str | None
    places: tuple[str, ...]
    between: tuple[str, ...]
    rest: tuple[str, ...]

    def ids(self, frame: pl.DataFrame) -> list[str]:
        """The id of each row, empty where there is none."""
        if self.id is None:
            return [str(number) for number in range(1, frame.height + 1)]
        return frame[self.id].fill_null("").to_list()

    def texts(self, frame: pl.DataFrame) -> list[str]:
        """The text of each row, empty if all of its places are."""
        columns = (frame[place].fill_null("").to_list() for place in self.places)
        return [self._text(cells) for cells in zip(*columns, strict=True)]

    def others(self, frame: pl.DataFrame) -> list[dict[str, str | None]]:
        """The rest of each row, None where a cell is empty."""
        if not self.rest:
            return [{} for _ in range(frame.height)]
        columns = ([None if is_blank(cell or "") else cell for cell in frame[name]] for name in self.rest)
        return [dict(zip(self.rest, cells, strict=True)) for cells in zip(*columns, strict=True)]

    def lacking(self, frame: pl.DataFrame) -> int:
        """How many rows leave a place of the template empty."""
        columns = [frame[place].fill_null("").to_list() for place in self.places]
        return sum(any(map(is_blank, cells)) for cells in zip(*columns, strict=True))

    def _text(self, cells: Sequence[str]) -> str:
        """The text with these cells in its places."""
        if all(map(is_blank, cells)):
            return ""
        filled = (cell + after for cell, after in zip(cells, self.between[1:], strict=True))
        return self.between[0] + "".join(filled)

    def __str__(self) -> str:
        ids = "the numbers of the rows" if self.id is None else f"the column {self.id!r}"
        columns = dict.fromkeys(map(repr, self.places))
        return f"ids are {ids}, texts the column{'s' * (len(columns) > 1)} {', '.join(columns)}"


def item_columns(source: str, names: Sequence[str], *, id_column: str | None, text: str | None) -> ItemColumns:
    """The columns of a table as asked, or by their names.

    Examples
    --------
    >>> columns = item_columns("a.csv", ["ID", "title", "body"], id_column=None, text="{title}: {body}")
    >>> print(columns)
    ids are the column 'ID', texts the columns 'title', 'body'
    >>> columns.texts(pl.DataFrame({"title": ["Tea", "{body}"], "body": ["hot", "{title}"]}))
    ['Tea: hot', '{body}: {title}']
    """
    if id_column is None:
        id_column = _called("id", names, source, option="--id")
    else:
        choose(source, names, [id_column])
    others = [name for name in names if name != id_column]
    text = _usual_text(source, others) if text is None else text
    if text in names or not (places := _PLACE.findall(text)):
        choose(source, names, [text])
        return ItemColumns(id_column, (text,), ("", ""), tuple(name for name in others if name != text))
    found = tuple(_place(place.strip(), names, source) for place in places)
    return ItemColumns(id_column, found, tuple(_PLACE.split(text)[::2]), tuple(others))


def _called(word: str, names: Sequence[str], source: str, *, option: str) -> str | None:
    """The column of that name, else the one of that name in other letters; None if there is none."""
    alike = [word] if word in names else [name for name in names if name.lower() == word]
    if len(alike) > 1:
        must = f"{source} must have one column called {word!r}"
        raise ValueError(f"{must}. Got {listed(alike, 8)}. Add {option} COL to say which.")
    return alike[0] if alike else None


def _usual_text(source: str, others: Sequence[str]) -> str:
    """The column that is called text, or the only one beside the id."""
    if (name := _called("text", others, source, option="--text")) is not None:
        return name
    if len(others) != 1:
        hint = "Add --text COL, or --text '{a}: {b}' for a text made of the columns a and b."
        raise ValueError(f"{source} must have a column of texts. Got {listed(others, 8) or 'only ids'}. {hint}")
    return others[0]


def _place(place: str, names: Sequence[str], source: str) -> str:
    """The name in a pair of braces, if there is such a column."""
    if place not in names:
        must = f"--text must have columns of {source} in its braces, which are {listed(names, 8)}"
        raise ValueError(f"{must}. Got {shown(place)}.{did_you_mean(place, names)} Check the name.")
    return place
