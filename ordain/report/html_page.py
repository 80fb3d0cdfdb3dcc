"""One page of HTML: the answer first, then pictures with a sentence each, tables, and the words explained.

It loads nothing and runs nothing: its policy allows only the one style sheet in it. Every name from a file is escaped,
set apart from the direction of the text around it, and cut where it is long.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from ordain import __version__
from ordain._files import check_place, whole

LONGEST = 300
"""Characters of a cell or a word from a file that are shown."""

GLOSSARY = {
    "AUC": (
        "Take one row that should come first and one that should not, by lot: the AUC is how often the list has them "
        "in the right order. A coin has 0.5, a perfect list 1. It is the area under the ROC curve."
    ),
    "Confidence interval": (
        "Other rows would have given another figure. The interval says where the true one may lie: made so again and "
        "again on new rows, it misses the truth 5 times in 100 at 95%."
    ),
    "Band": "An interval for every point of a curve that holds for all points at once.",
    "Precision": "The share of the first rows of the list that are positive.",
    "Recall": "The share of all positive rows that are among the first rows of the list.",
    "Lift": "How many times more positives the first rows hold than as many rows drawn by lot.",
    "ROC curve": "How many of the positives are found while a growing share of the negatives is let in.",
    "Calibration": "Whether rows to which a probability of 30% was given are positive 30 times in 100.",
    "Shuffling a column": (
        "The values of the column are dealt anew among the rows, so that it says nothing any more; what the AUC loses "
        "by that is what the ranking owes to the column."
    ),
    "Folds": "Parts of the rows, held out one after the other: a model is measured on rows it was not fitted to.",
    "Score of an item": "Its strength: the larger the difference of two scores, the more surely one beats the other.",
    "Ranks an item may have": "Intervals of all ranks of the list, which hold together.",
    "Circle": "Three items of which the first beats the second, the second the third, and the third the first.",
    "Audit": "Pairs drawn by lot and kept back from the ranking, to see how far the order agrees with the judge.",
}
"""Words that pages use, for somebody who never heard of them."""


@dataclass(frozen=True)
class Table:
    """Heads and rows of text; `text` are columns that hold words, `strong` rows that stand out."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    text: Sequence[int] = (0,)
    strong: Sequence[int] = ()


@dataclass(frozen=True)
class Section:
    """A part of the page: words, a picture with what to see in it, tables, points and notes."""

    title: str
    words: Sequence[str] = ()
    figure: str = ""
    see: str = ""
    shape: str = "wide"
    tables: Sequence[Table] = ()
    points: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    """A page: what kind it is, its title, the answer in three sentences, sections, and which words are explained."""

    kind: str
    title: str
    answer: Sequence[str]
    sections: Sequence[Section]
    words: Sequence[str]

    @property
    def glossary(self) -> list[tuple[str, str]]:
        """The words that are explained."""
        return [(word, GLOSSARY[word]) for word in self.words]

    def html(self) -> str:
        """The whole page."""
        try:
            from jinja2 import Environment
            from markupsafe import Markup
        except ImportError:
            raise ValueError('a report needs jinja2. There is none. Install it: pip install "ordain[report]"') from None
        here = files("ordain.report")
        style = here.joinpath("page.css").read_text(encoding="utf-8")
        environment = Environment(autoescape=True, finalize=lambda value: _cut(value, Markup))
        seal = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        drawn = [_with_markup(section, Markup) for section in self.sections]
        return environment.from_string(here.joinpath("page.html").read_text(encoding="utf-8")).render(
            page=Page(self.kind, self.title, self.answer, drawn, self.words),
            style=Markup(style),
            style_hash=f"sha256-{seal}",
            version=__version__,
        )


def check_report(path: str | os.PathLike[str] | None, force: bool) -> None:
    """Refuse, before any work, a page that could not be made or written."""
    if path is None:
        return
    check_place(path, force)
    if not can_draw():
        raise ValueError(
            'a report needs matplotlib and jinja2. One is missing. Install it: pip install "ordain[report]"'
        )


def can_draw() -> bool:
    """Whether all that a page needs is there."""
    return all(find_spec(name) is not None for name in ("matplotlib", "jinja2"))


def write_page(page: Page, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a page, whole or not at all."""
    with whole(path, force) as file:
        file.write(page.html().encode(errors="backslashreplace"))  # names of files may be no text


def shortened(name: Any, most: int = 60) -> str:
    """A name from a file, on one line and cut where it is long.

    Examples
    --------
    >>> shortened("a\\nb" + "c" * 100, 6)
    'a bcc…'
    """
    text = " ".join(str(name).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _cut(value: Any, markup: Any) -> Any:
    """Text that is too long is cut; what is HTML already is not."""
    long = isinstance(value, str) and not isinstance(value, markup) and len(value) > 4 * LONGEST
    return value[: 4 * LONGEST] + "…" if long else value


def _with_markup(section: Section, markup: Any) -> Any:
    """The section with its picture as HTML."""
    return replace(section, figure=markup(section.figure))
