"""Back edges: what orders by minimum feedback arc set, and near-minimum ones, do to winners and losers [Balcan08]_.

A back edge of an order is an edge u → v of the tournament with v before u. The optima are found by dynamic programming
over sets of items, which takes their number's power of two: 16 items or so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordain.theorems.exact.tournaments import pair_mistakes


@dataclass(frozen=True)
class Optima:
    """The fewest back edges of any order, and the fewest and most mistakes among the orders that have them."""

    back_edges: int
    least: int
    most: int


@dataclass(frozen=True, eq=False)
class Blocks:
    """A tournament of blocks: h between the blocks, the size of each and its label; inside, a block is transitive."""

    h: Any
    sizes: Any
    labels: Any

    def expanded(self) -> tuple[Any, Any]:
        """The tournament of the single items, and their labels; items of a block stand side by side."""
        block = np.repeat(np.arange(len(self.sizes)), self.sizes)
        same = block[:, None] == block
        inside = np.triu(np.ones(same.shape, dtype=int), 1)
        return np.where(same, inside, np.asarray(self.h)[np.ix_(block, block)]), np.asarray(self.labels)[block]


def back_edges(h: Any, order: ArrayLike) -> Any:
    """The number of pairs u before v in the order with v → u; for a preference Σ h(v, u).

    Examples
    --------
    >>> back_edges([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [0, 1, 2])
    1
    """
    items = np.asarray(order)
    placed = np.asarray(h)[np.ix_(items, items)]
    total = placed[np.tril_indices(len(placed), -1)].sum()
    return total.item() if isinstance(total, np.generic) else total


def optima(blocks: Blocks) -> Optima:
    """The orders with the fewest back edges: how many these are, and how many mistakes they make.

    Theorem 4: at most 2f, whichever optimum is taken [Balcan08]_. For σ with all winners first, both sides arranged as
    well as possible, has k_W + k_L + f back edges, an optimum π no more, and no fewer than k_W + k_L within the two
    sides: at most f of its back edges join the sides. A pair that π has the wrong way round is one of these, or a
    mistake of the tournament.

    It is enough to look at orders that keep blocks together. Seen from outside, the items of a block differ only by
    their places. If all move to the place of the one that pays least there, first in back edges and then in mistakes
    (or, for `most`, then in mistakes not made), no sum grows.

    Examples
    --------
    >>> optima(single([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [1, 0, 0]))
    Optima(back_edges=1, least=0, most=2)
    """
    pairs = np.outer(blocks.sizes, blocks.sizes)
    winners = np.asarray(blocks.labels)
    back = np.asarray(blocks.h) * pairs
    wrong = np.outer(winners, 1 - winners) * pairs  # a winner placed after a loser
    unit = int(wrong.sum()) + 1
    fewest, least = divmod(_cheapest(back * unit + wrong), unit)
    return Optima(fewest, least, -(_cheapest(back * unit - wrong) - fewest * unit))


def single(h: Any, labels: ArrayLike) -> Blocks:
    """A tournament as blocks of one item each."""
    return Blocks(np.asarray(h), np.ones(len(np.asarray(h)), dtype=int), np.asarray(labels))


def fewest_back_edges(h: Any) -> int:
    """The size of a minimum feedback arc set."""
    return _cheapest(np.asarray(h))


def approximation_bound(h: Any, labels: ArrayLike, back: int) -> Any:
    """2f + (back - OPT): no order with `back` back edges makes more mistakes than this.

    The argument of Theorem 4 with that excess. So an order with at most (1 + ε) OPT makes at most
    (2 + ε) f + ε (k_W + k_L) mistakes, since OPT ≤ k_W + k_L + f: a factor 2 + ε where winners, and losers, beat each
    other without cycles, and no factor at all where f = 0 and ε (k_W + k_L) ≥ 1.
    """
    return 2 * pair_mistakes(h, labels) + back - fewest_back_edges(h)


def inside_back_edges(h: Any, labels: ArrayLike) -> int:
    """k_W + k_L, the fewest back edges among the winners and among the losers."""
    winners = np.asarray(labels, dtype=bool)
    return sum(fewest_back_edges(np.asarray(h)[np.ix_(side, side)]) for side in (winners, ~winners))


def _cheapest(cost: Any) -> int:
    """The least Σ cost(v, u) over u before v in an order: an item comes last in its set, the rest is a smaller set."""
    n = len(cost)
    sets = np.arange(1 << n)
    behind = np.zeros((n, 1), dtype=np.int64)  # behind[v, S] = Σ cost(v, u) over u in S
    for u in range(n):
        behind = np.hstack((behind, behind + cost[:, [u]]))
    total = np.zeros(1 << n, dtype=np.int64)
    for size in range(1, n + 1):
        layer = sets[np.bitwise_count(sets) == size]
        total[layer] = np.iinfo(np.int64).max
        for v in range(n):
            grown = layer[layer >> v & 1 == 1]
            rest = grown ^ 1 << v
            total[grown] = np.minimum(total[grown], total[rest] + behind[v, rest])
    return int(total[-1])
