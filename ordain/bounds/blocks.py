"""A guaranteed end of an AUC that grows narrow with the variance, where one class is much larger than the other.

Give each of the m rows of the smaller class a block of b = ⌊n/m⌋ rows of the larger one, by lot. The shares B_i of
won comparisons in the blocks are independent, lie in [0, 1] and have the mean A. For λ ≥ 0 and a > 0, with λ' the
smaller of λ and 1/a,

    e_λ(a) = Π (1 + λ' (B_i - a))

is never negative and has a mean of at most 1 if A ≤ a, as a bet on B_i > a that is not favourable; so has any average
of such numbers, over some λ and over several lots. By Markov's inequality it is 1/α or more with probability ≤ α, and
it falls in a: the a where it is 1/α lies above A with probability ≤ α. The proof is spelled out in ``docs/proofs.md``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Mask, Vector

LOTS = 4  # each is also taken mirrored, so that reversed scores have the mirrored interval
SEED = 1956
LEAST_BLOCK = 4  # smaller blocks gain too little for what they cost
VARIANCES = (1 / 10, 1 / 40, 1 / 160, 1 / 640)  # of a block; each has the λ that is best for it


def block_means(mask: Mask, scores: Vector) -> Any:
    """Shares of won comparisons, a line per lot and a column per row of the smaller class; None if blocks were small.

    The lots are drawn for the sorted classes, so the order of the rows does not matter.
    """
    ranks = np.unique(scores, return_inverse=True)[1]
    positives, negatives = ranks[mask], ranks[~mask]
    small, large = (positives, negatives) if len(positives) <= len(negatives) else (-negatives, -positives)
    small, large = np.sort(small), np.sort(large)
    m, n = len(small), len(large)
    if n < LEAST_BLOCK * m:
        return None
    rng, lots = np.random.default_rng(SEED), []
    for _ in range(LOTS):
        lot = rng.permutation(n)[: n // m * m].reshape(m, -1)
        lots += [_won(lot, small, large), _won(n - 1 - lot[::-1], small, large)]
    return np.array(lots)


def _won(lot: Any, small: Vector, large: Vector) -> Vector:
    """Share of each block that lies below the row it was given to, ties counting one half."""
    chosen = large[lot]
    return ((chosen < small[:, None]).mean(1) + (chosen <= small[:, None]).mean(1)) / 2


def block_low(blocks: Any, tail: float, least: float) -> float:
    """The a at which the average of e_λ(a) is 1/α, α being the tail; `least` if it lies below."""
    low, high = least, float(blocks.mean())
    bets = np.sqrt(2 * np.log(1 / tail) / (blocks.shape[1] * np.array(VARIANCES)))
    if high <= least or _log_bets(blocks, low, bets) < -np.log(tail):
        return least
    while high - low > 1e-9:
        middle = (low + high) / 2
        enough = _log_bets(blocks, middle, bets) >= -np.log(tail)
        low, high = (middle, high) if enough else (low, middle)
    return low


def _log_bets(blocks: Any, a: float, bets: Vector) -> float:
    """log of the average of e_λ(a) over the bets and the lots."""
    with np.errstate(divide="ignore"):  # a bet may lose everything
        each = np.array([np.log1p(np.minimum(bet, 1 / a) * (blocks - a)).sum(1) for bet in bets])
    most = each.max()
    return float(most + np.log(np.exp(each - most).mean())) if np.isfinite(most) else -np.inf
