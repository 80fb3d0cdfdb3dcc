"""What can be counted in a text without reading it: lengths of words and sentences, syllables, marks, capitals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import normalize

import numpy as np

from ordain._types import Vector

COUNTS = (
    "characters", "words", "mean word length", "spread of word lengths", "share of short words", "share of long words",
    "syllables per word", "share of words with many syllables", "words per sentence", "spread of sentence lengths",
    "longest sentence", "different words", "commas", "quotation marks", "exclamation and question marks", "digits",
    "capitals", "lines", "brackets",
)  # fmt: skip
"""What the columns of :func:`text_counts` are: lengths of texts and sentences are logarithms."""

SHORT, LONG, MANY = 3, 6, 2
"""Words with no more letters are short, with more are long; more syllables than the last are many."""

REMEMBERED = 1 << 16
"""Words whose syllables are kept."""

_WORD, _END = re.compile(r"[^\W\d_]+"), re.compile(r"[.!?\u2026\u3002]+")
_VOWELS = re.compile("[aeiouyæœøı]+|[αεηιουω]+|[аеиоуыэюяєі]+")
_DIGITS = re.compile(r"\d")
_ACCENTS = re.compile("[\u0300-\u036f]")

_COMMAS, _QUOTES, _MARKS, _BRACKETS = ",;:", '"\u201c\u201d\u2018\u2019\u00ab\u00bb', "!?", "()[]"


def text_counts(texts: Sequence[str]) -> Vector:
    """A row per text, a column for each of COUNTS; marks are per word.

    Syllables are runs of vowels, accents aside, of the Latin, Greek and Cyrillic scripts; others have none.

    Examples
    --------
    >>> text_counts(["Stop! It is 5 o'clock.", ""])[:, [2, 6, 14, 15]].round(2)
    array([[2.8, 1. , 0.2, 0.2],
           [0. , 0. , 0. , 0. ]])
    """
    return np.array([_counted(text) for text in texts]).reshape(-1, len(COUNTS))


def _counted(text: str) -> list[float]:
    """The counts of one text."""
    sentences = [_WORD.findall(part) for part in _END.split(text)]
    words = [word for sentence in sentences for word in sentence]
    n, capitals = max(len(words), 1), sum(word[0].isupper() for word in words)
    marks = (_times(text, of) / n for of in (_COMMAS, _QUOTES, _MARKS))
    different = len({word.lower() for word in words}) / n**0.5
    return [
        np.log1p(len(text)), np.log1p(len(words)), *_of_words(words), *_of_sentences(sentences, n), different, *marks,
        len(_DIGITS.findall(text)) / n, capitals / n, text.count("\n") / n, _times(text, _BRACKETS) / n,
    ]  # fmt: skip


def _times(text: str, marks: str) -> int:
    """How often any of these marks is in a text."""
    return sum(map(text.count, marks))


def _of_words(words: Sequence[str]) -> list[float]:
    """How long the words are, in letters and in syllables."""
    if not words:
        return [0.0] * 6
    lengths, syllables = np.array([*map(len, words)]), np.array([*map(_syllables, words)])
    return [
        lengths.mean(), lengths.std(), (lengths <= SHORT).mean(), (lengths > LONG).mean(),
        syllables.mean(), (syllables > MANY).mean(),
    ]  # fmt: skip


@lru_cache(REMEMBERED)
def _syllables(word: str) -> int:
    """Runs of vowels; most words of a text stood in one before."""
    return len(_VOWELS.findall(_ACCENTS.sub("", normalize("NFD", word.lower()))))


def _of_sentences(sentences: Sequence[Sequence[str]], n: int) -> list[float]:
    """How long the sentences are, of n words; what follows the last mark is none if it has no word."""
    lengths = np.array([*filter(None, map(len, sentences))] or [0])
    return [np.log(n / max(len(sentences) - 1, 1)), np.log1p(lengths.std()), np.log1p(lengths.max())]
