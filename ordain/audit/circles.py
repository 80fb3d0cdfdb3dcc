"""How often three items beat each other in a circle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Answers, Pairs, Vector
from ordain.audit.drawn import check_asked, pair_keys
from ordain.audit.share import TIE

PATHS = 10**6
"""Paths of two wins that are looked at for cycles; beyond, as many are drawn."""


@dataclass(frozen=True)
class Cyclicity:
    """`cyclic` of `triples` go in a circle, ¼ if answers are coins; estimated from drawn paths if not `exact`."""

    cyclic: float
    triples: float
    exact: bool

    @property
    def value(self) -> float:
        """The share, nan of nothing."""
        return self.cyclic / self.triples if self.triples else float("nan")

    @property
    def beyond_chance(self) -> float:
        """(share - ¼) / √(3 / 16N), standard deviations from coins: triples with a common pair are uncorrelated."""
        return (self.value - 0.25) / np.sqrt(3 / 16 / self.triples) if self.triples else float("nan")


def cyclicity(pairs: Pairs, answers: ArrayLike, rng: np.random.Generator) -> Cyclicity:
    """How many of the triples whose three pairs were all decided go in a circle.

    Answers to a pair are averaged and the majority wins. If all n items were compared with each other, and x_i is the
    number of wins, the cyclic ones are C(n, 3) - Σ x_i (x_i - 1)/2. Otherwise paths u → v → w are followed, of which a
    cyclic triple holds three and another one; all up to a million, else a million drawn with `rng`.

    Take pairs drawn by lot, as of :func:`random_triples`. Those of a sort tell nothing: two items on one side of a
    pivot are in no circle with it, so that QuickSort sees no cycles whatever the judge, unless it tosses coins.
    """
    keys, forward, backward = leans(*check_asked(pairs, answers))
    decided = np.abs(lean := forward + backward) > TIE
    items, ends = np.unique((keys >> 32, keys & (1 << 32) - 1), return_inverse=True)
    winner, loser = np.where(lean > 0, ends, ends[::-1])[:, decided]
    n = len(items)
    if len(winner) == n * (n - 1) // 2:
        wins, triples = np.bincount(winner, minlength=n), n * (n - 1) * (n - 2) // 6
        return Cyclicity(triples - int((wins * (wins - 1)).sum()) // 2, triples, True)
    return _along_paths(winner, loser, n, rng)


def leans(pairs: Pairs, answers: Answers) -> tuple[Vector, Vector, Vector]:
    """The key of each pair, and how far its smaller number was preferred when shown first and when shown second."""
    keys, pair = np.unique(pair_keys(pairs), return_inverse=True)
    forward = pairs[:, 0] < pairs[:, 1]
    return (
        keys,
        np.bincount(pair[forward], answers[forward] - 0.5, len(keys)),
        np.bincount(pair[~forward], 0.5 - answers[~forward], len(keys)),
    )


def _along_paths(winner: Vector, loser: Vector, n: int, rng: np.random.Generator) -> Cyclicity:
    """Cycles among the triples met on paths u → v → w; path number p is the in-edge and out-edge of its middle v."""
    wins, losses = np.bincount(winner, minlength=n), np.bincount(loser, minlength=n)
    ends = np.cumsum(wins * losses)
    exact = bool(ends[-1] <= PATHS)
    path = np.arange(ends[-1]) if exact else rng.integers(0, ends[-1], PATHS)
    v = np.searchsorted(ends, path, side="right")
    before, after = np.divmod(path - (ends - wins * losses)[v], wins[v])
    u = winner[np.argsort(loser)][(np.cumsum(losses) - losses)[v] + before]
    w = loser[np.argsort(winner)][(np.cumsum(wins) - wins)[v] + after]
    cyclic = np.count_nonzero(np.isin(w * n + u, winner * n + loser)) / 3
    return Cyclicity(cyclic, cyclic + np.count_nonzero(np.isin(u * n + w, winner * n + loser)), exact)
