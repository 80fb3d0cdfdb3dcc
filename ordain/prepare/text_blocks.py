"""Texts as two blocks of features: what can be counted in them, and their words as points."""

from __future__ import annotations

from collections.abc import Sequence

from ordain._types import Vector
from ordain.prepare.text_counts import text_counts
from ordain.prepare.word_space import WordSpace

WORDS, SURFACE = "words", "counts of the text"
"""What the blocks are called."""


def text_blocks(texts: Sequence[str]) -> dict[str, Vector]:
    """The blocks by name; blanks around a text do not count.

    Examples
    --------
    >>> [block.shape for block in text_blocks(["a fig", "a plum", "a kiwi, please"]).values()]
    [(3, 14), (3, 3)]
    """
    bare = [text.strip() for text in texts]
    return {SURFACE: text_counts(bare), WORDS: WordSpace.learn(bare)[1]}
