"""The arrays everything passes around."""

from typing import Any

from numpy.typing import ArrayLike, NDArray

Labels = ArrayLike
"""One label per item: 0/1, -1/1, False/True, or any two values with `positive` named."""

Scores = ArrayLike
"""One finite number per item; a higher score means: should come earlier."""

Mask = NDArray[Any]
"""True where the item is positive."""

Vector = NDArray[Any]
"""A one-dimensional array of numbers."""
