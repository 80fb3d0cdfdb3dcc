"""Texts as counts of bins: runs of three to five letters within words, hashed, so that no list of them is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ordain.prepare._letter_kernels import runs_hit

BINS = 1 << 14
"""Bins of runs."""


def hashed(texts: Sequence[str]) -> Any:
    """How often each bin is hit, a sparse row per text; small and capital letters, and all blanks, are the same.

    Examples
    --------
    >>> hashed(["a fig", "A  FIG", "figs"]).sum(axis=1).ravel().tolist()
    [[7.0, 7.0, 9.0]]
    """
    plain = [f" {' '.join(text.lower().split())} " for text in texts]
    letters = np.frombuffer("".join(plain).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.cumsum([0, *map(len, plain)])
    hit, times, ends = runs_hit(letters, starts, BINS)
    return sparse.csr_matrix((times, hit, ends), shape=(len(plain), BINS))
