"""Texts as two blocks of features: what can be counted in them, and their runs of letters as points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordain._types import Vector
from ordain.prepare.letter_space import LetterSpace
from ordain.prepare.text_counts import text_counts

LETTERS, SURFACE = "letters", "counts of the text"
"""What the blocks are called."""


def text_blocks(texts: Sequence[str]) -> tuple[LetterSpace, dict[str, Vector]]:
    """The space of the letters, and the blocks by name; blanks around a text do not count.

    How rare a text is stands last among its counts.

    Examples
    --------
    >>> _, blocks = text_blocks(["a fig", "a plum", "a kiwi, please"])
    >>> [block.shape for block in blocks.values()]
    [(3, 20), (3, 3)]
    """
    bare = [text.strip() for text in texts]
    space = LetterSpace.learn(bare)
    points, rare = space.placed(bare)
    return space, {SURFACE: np.column_stack((text_counts(bare), rare)), LETTERS: points}
