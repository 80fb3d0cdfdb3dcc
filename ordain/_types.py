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

Pairs = NDArray[Any]
"""An (m, 2) array of item numbers 0 … n - 1."""

Answers = NDArray[Any]
"""m numbers in [0, 1]: how surely the first of each pair beats the second."""

Order = NDArray[Any]
"""Item numbers, best first."""
