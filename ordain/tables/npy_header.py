"""What the header of a `.npy` file says, if it is one of plain numbers or text and the rest is as long as it says."""

from __future__ import annotations

import io
import math
import warnings
from tokenize import TokenError
from typing import Any

import numpy as np

LONGEST = 1000
"""A header has at most so many characters."""


def npy_header(data: bytes, size: int | None = None) -> tuple[tuple[int, ...], Any]:
    """Shape and type of the array in a file that begins so; a ValueError if it is no whole array that numpy saved.

    Parameters
    ----------
    data : bytes
        The file, or its beginning.
    size : int, optional
        How long all of it is, where that is more.

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> np.save(stream, np.zeros((2, 3)))
    >>> npy_header(stream.getvalue())
    ((2, 3), dtype('float64'))
    """
    stream, size = io.BytesIO(data), len(data) if size is None else size
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("a version beside 1.0")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shape, _, kind = np.lib.format.read_array_header_1_0(stream, max_header_size=LONGEST)
    except (TypeError, SyntaxError, TokenError, RecursionError, Warning):  # numpy evaluates the header as Python
        raise ValueError("a header that is none") from None
    if kind.kind not in "biufU":
        raise ValueError(f"values of type {kind}")
    if stream.tell() + math.prod(shape) * kind.itemsize != size or min(shape, default=0) < 0:
        raise ValueError(f"{size:,} bytes, not as many as {kind} of shape {shape} has")
    return shape, kind
