"""What can be counted in a text without reading it: lengths of words and sentences, marks, digits, capitals."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ordain._types import Vector

COUNTS = (
    "characters", "words", "mean word length", "spread of word lengths", "share of long words", "words per sentence",
    "different words", "commas", "quotation marks", "exclamation and question marks", "digits", "capitals", "lines",
    "brackets",
)  # fmt: skip
"""What the columns of :func:`text_counts` are: the first two and the sixth are logarithms."""

LONG = 6
"""Words with more letters are long."""

_WORD, _END = re.compile(r"[^\W\d_]+"), re.compile(r"[.!?\u2026\u3002]+")
_COMMAS, _QUOTES, _MARKS = (
    re.compile(r"[,;:]"),
    re.compile('["\u201c\u201d\u2018\u2019\u00ab\u00bb]'),
    re.compile(r"[!?]"),
)
_DIGITS, _BRACKETS = re.compile(r"\d"), re.compile(r"[()\[\]]")


def text_counts(texts: Sequence[str]) -> Vector:
    """A row per text, a column for each of COUNTS; marks are per word.

    Examples
    --------
    >>> text_counts(["Stop! It is 5 o'clock.", ""])[:, [2, 9, 10]].round(2)
    array([[2.8, 0.2, 0.2],
           [0. , 0. , 0. ]])
    """
    return np.array([_counted(text) for text in texts]).reshape(-1, len(COUNTS))


def _counted(text: str) -> list[float]:
    """The counts of one text."""
    words = _WORD.findall(text)
    n, lengths = max(len(words), 1), np.array([len(word) for word in words] or [0])
    marks = (len(of.findall(text)) / n for of in (_COMMAS, _QUOTES, _MARKS, _DIGITS))
    capitals = sum(1 for word in words if word[0].isupper()) / n
    different = len({word.lower() for word in words}) / n**0.5
    sentences = max(len(_END.findall(text)), 1)
    return [
        np.log1p(len(text)), np.log1p(len(words)), lengths.mean(), lengths.std(), (lengths > LONG).mean(),
        np.log(n / sentences), different, *marks, capitals, text.count("\n") / n, len(_BRACKETS.findall(text)) / n,
    ]  # fmt: skip
