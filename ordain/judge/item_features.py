"""What is known of the items of a run before anyone is asked: their columns, texts, embeddings, a starting score.

It is made from the items that the run holds, and from a file of embeddings where one was named, so that a run that goes
on knows the same. Pictures are never looked at; where the items are files of a folder of them, nor are their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ordain.judge.judged_items import Item
from ordain.judge.known_beforehand import Learning
from ordain.prepare import Preparation
from ordain.prepare.column_kinds import Number, is_numbers
from ordain.prepare.letter_space import LetterSpace
from ordain.prepare.text_blocks import LETTERS, SURFACE, text_blocks
from ordain.rank.blended.known_features import Features, in_blocks
from ordain.tables import Forms, Reading
from ordain.tables.forms import typed
from ordain.tables.messages import listed
from ordain.tables.vectors import digest_of, read_vectors

START, COLUMNS, EMBEDDINGS = "starting score", "columns", "embeddings"
"""What the blocks beside those of the text are called."""


@dataclass(frozen=True)
class ItemFeatures:
    """The features, and how each block came to be; `dropped` are sentences on columns that are not used."""

    features: Features
    space: LetterSpace | None = None
    start: Number | None = None
    columns: Preparation | None = None
    forms: Forms = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = {
            name: part.stop - part.start for name, part in zip(self.features.names, self.features.parts(), strict=True)
        }
        named = [self._named(name, count) for name, count in parts.items()]
        return f"Learned from {'; '.join(named) if named else 'nothing: all items look the same'}."

    def _named(self, name: str, count: int) -> str:
        """A block in words."""
        if name == COLUMNS and self.columns is not None:
            return f"the column{'s'[: len(self.columns.names) > 1]} {listed(self.columns.names, 6)}"
        if name == START and self.start is not None:
            return f"the starting score {self.start.name!r}"
        return {SURFACE: f"{count} {SURFACE}", LETTERS: f"its {LETTERS} in {count} dimensions"}.get(
            name, f"{name} of {count} numbers"
        )


def features_of(items: Sequence[Item], learning: Learning) -> ItemFeatures:
    """The features of the items.

    Examples
    --------
    >>> items = [Item(str(k), "fig " * k + "plum", {"price": str(k), "kind": "ab"[k % 2]}) for k in range(1, 9)]
    >>> print(features_of(items, Learning()))
    Learned from the columns 'price', 'kind'; 20 counts of the text; its letters in 8 dimensions.
    """
    space, of_texts = text_blocks([item.text for item in items]) if learning.texts else (None, {})
    start, frame, forms = columns_of(items, learning.start)
    blocks: dict[str, Any] = {}
    if start is not None:
        blocks[START] = np.column_stack([values for _, values in start.slots(frame[start.name])])
        frame = frame.drop(start.name)
    columns, dropped = _prepared(frame)
    if columns is not None:
        X = columns.matrix(frame, "linear")
        blocks[COLUMNS] = X.toarray() if hasattr(X, "toarray") else X
    blocks |= of_texts
    if learning.embeddings is not None:
        blocks[EMBEDDINGS] = _embedded(items, learning)
    return ItemFeatures(in_blocks(blocks, each=[SURFACE]), space, start, columns, forms, dropped)


def columns_of(items: Sequence[Item], start: str | None) -> tuple[Number | None, pl.DataFrame, Forms]:
    """The column of the starting score, and all columns as numbers, dates and text, with their forms."""
    names = list(dict.fromkeys(name for item in items for name in item.rest))
    if start is not None and start not in names:
        got = listed(names, 8) or "none"
        raise ValueError(f"--start must name a column beside the text. Got {start!r}; the columns are {got}.")
    frame = pl.DataFrame(
        {name: [item.rest.get(name) for item in items] for name in names}, dict.fromkeys(names, pl.String)
    )
    try:
        frame, forms = typed(frame, Reading(), "the items")
    except ValueError:  # a column that may be read in two ways is read as categories
        forms = {}
    if start is None:
        return None, frame, forms
    if not is_numbers(frame[start].dtype) or frame[start].null_count() == frame.height:
        raise ValueError(f"--start must name a column of numbers. Got text in {start!r}. Write numbers there.")
    return Number.learn(frame[start]), frame, forms


def _prepared(frame: pl.DataFrame) -> tuple[Preparation | None, tuple[str, ...]]:
    """How the columns become features, if any is of use, and sentences on those that are not."""
    if not frame.width:
        return None, ()
    try:
        found = Preparation.learn(frame, np.zeros(frame.height, dtype=bool))
    except ValueError:
        return None, ("No column beside the text is of use.",)
    return found, found.notices


def _embedded(items: Sequence[Item], learning: Learning) -> Any:
    """The rows of the file of embeddings, which must be there, and as it was."""
    if not Path(str(learning.embeddings)).is_file():
        raise ValueError(
            f"{learning.embeddings} must be there, as the run learns from it. There is no file of that name. Put it "
            "back, or type the command in the folder where the run began."
        )
    if learning.digest != digest_of(str(learning.embeddings)):
        raise ValueError(
            f"{learning.embeddings} must be as it was when the run began. It changed. Put the old one back."
        )
    return read_vectors(str(learning.embeddings), [item.id for item in items])
