"""The numba loop over the letters of texts: how often each bin is hit by the runs of letters of each text."""

# Numba finds the types of the loops by itself.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ordain._compiled import compiled

BLANK = 32
"""The letter between words."""

SHORTEST, LONGEST = 3, 5
"""Letters in a run, blanks at the ends of a word included."""

SEED, FACTOR = 14695981039346656037, 1099511628211
"""Those of the hash FNV-1a in 64 bits, here taken over letters, of which it keeps the upper half's bits too."""


@compiled()
def runs_hit(letters, starts, bins):
    """Bins and counts of all texts one after the other, and where each text ends.

    Text k is letters[starts[k]:starts[k + 1]]. A run is 3 to 5 letters one after the other, no blank inside.
    """
    texts = len(starts) - 1
    hit = np.empty(len(letters) * (LONGEST - SHORTEST + 1), dtype=np.int32)
    times, ends = np.empty(len(hit), dtype=np.float64), np.zeros(texts + 1, dtype=np.int64)
    counts, size = np.zeros(bins, dtype=np.int64), 0
    for text in range(texts):
        first = size
        for start in range(starts[text], starts[text + 1]):
            found = np.uint64(SEED)
            for place in range(start, min(start + LONGEST, starts[text + 1])):
                found = (found ^ np.uint64(letters[place])) * np.uint64(FACTOR)
                if place - start >= SHORTEST - 1:
                    one = np.int64((found ^ (found >> np.uint64(32))) % np.uint64(bins))
                    if counts[one] == 0:
                        hit[size] = one
                        size += 1
                    counts[one] += 1
                if place > start and letters[place] == BLANK:
                    break
        for here in range(first, size):
            times[here] = counts[hit[here]]
            counts[hit[here]] = 0
        ends[text + 1] = size
    return hit[:size].copy(), times[:size].copy(), ends
