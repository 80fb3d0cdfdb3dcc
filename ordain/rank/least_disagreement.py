"""The order with the least disagreement: minimum feedback arc set in tournaments.

It makes at most twice the mistakes of the preference if the truth has two grades [Balcan08]_, and no order agrees
better with the judge. As :func:`degree` and :func:`greedy` it asks every pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import connected_components

from ordain._types import Vector
from ordain.preference import check_matrix
from ordain.rank.all_pairs import degree, greedy, preference_matrix
from ordain.rank.play import Order, Ranker

__all__ = ["Arrangement", "degree", "feedback_arc_set", "greedy", "minimum_feedback"]

BY_SUBSETS, BY_PROGRAM = 16, 40
"""Largest strong component for dynamic programming and for integer programming."""

CLOSE, NODES, MOVES = 5, 1000, 4000
"""The gap, in largest margins, that integer programming closes at most, its limit of nodes, and kicks times items."""

SLACK, BROKEN = 1e-6, 1e-3
"""The least gain that counts, and how far a triangle must be broken to enter: well above the solver's tolerance."""

MOST_INVERTED = 100_000
"""Beyond so many inverted edges cycles are packed through the heaviest only."""

OPTIMAL, INFEASIBLE = 0, 2
"""What scipy's `milp` says by these numbers."""


def feedback_arc_set(n: int, rng: np.random.Generator) -> Ranker:
    """The order that disagrees least with the preference, see :func:`minimum_feedback`. One batch; ties by lot.

    Examples
    --------
    >>> from ordain.rank import play
    >>> play(feedback_arc_set(3, np.random.default_rng(0)), lambda pairs: pairs[:, 0] > pairs[:, 1])
    array([2, 1, 0])
    """
    h = yield from preference_matrix(n, rng)
    return minimum_feedback(h, rng).order


@dataclass(frozen=True)
class Arrangement:
    """An order, its `weight` Σ h(v, u) over u before v, and a `bound` that the weight of no order is below."""

    order: Order
    weight: float
    bound: float

    @property
    def gap(self) -> float:
        """How far the order may be from the best one; zero where it is proved best."""
        return max(0.0, self.weight - self.bound)

    def __str__(self) -> str:
        if self.gap <= SLACK:
            return f"Disagreement {self.weight:g}, the least possible."
        return f"Disagreement {self.weight:g}, at most {self.gap:.3g} above the least possible."


def minimum_feedback(h: ArrayLike, rng: np.random.Generator) -> Arrangement:
    """The order that disagrees least with a preference matrix: minimum feedback arc set in tournaments.

    Strong components of the majority are arranged one by one, which loses nothing. Those of at most 16 items are solved
    by dynamic programming over subsets. Larger ones start from DEGREE, then items move singly to their best places,
    with random kicks. Up to 40 items a linear relaxation bounds what is left to gain, and integer programming closes a
    gap of at most five answers; beyond, disjoint cycles bound it. The gap that remains is in the result.

    Examples
    --------
    >>> print(minimum_feedback([[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.random.default_rng(0)))
    Disagreement 1, the least possible.
    """
    return fewest_contradicted(check_matrix(h), rng)


def fewest_contradicted(wins: Any, rng: np.random.Generator) -> Arrangement:
    """The order that contradicts least of a square array of wins, any numbers ≥ 0: u before v contradicts wins[v, u].

    As :func:`minimum_feedback`, which is the case wins[u, v] + wins[v, u] = 1. Whole numbers are counted exactly; among
    others what is below a millionth of the largest margin does not count.

    Examples
    --------
    >>> fewest_contradicted(np.array([[0, 3, 1], [2, 0, 5], [4, 1, 0]]), np.random.default_rng(0)).weight
    5.0
    """
    lot = rng.permutation(len(wins))
    matrix = np.asarray(wins, dtype=np.float64)[np.ix_(lot, lot)]
    unit = _unit(matrix - matrix.T)
    parts = _components(matrix)
    arranged = [_arranged(matrix[np.ix_(part, part)] / unit, rng) for part in parts]
    order = np.concatenate([np.empty(0, np.intp), *(p[a.order] for p, a in zip(parts, arranged, strict=True))])
    weight = _weight(matrix, order)
    return Arrangement(lot[order], weight, weight - unit * sum(part.gap for part in arranged))


def _unit(margins: Any) -> float:
    """What margins are measured in: 1 where all are whole numbers, otherwise the largest."""
    return 1.0 if _whole(margins) else float(margins.max())


def _whole(margins: Any) -> bool:
    """Whether all are whole numbers."""
    return not np.mod(margins, 1).any()


def _weight(h: Any, order: Order) -> float:
    """Σ h(v, u) over u before v."""
    return float(np.tril(h[np.ix_(order, order)], -1).sum())


def _components(h: Any) -> list[Vector]:
    """Strong components of u → v where h(u, v) > h(v, u); none before another is beaten by it.

    Moving an earlier component's items before a later one's never adds disagreement, so some best order keeps them
    in this sequence.
    """
    beats = h > h.T
    count, label = connected_components(sparse.csr_array(beats), directed=True, connection="strong")
    above = np.zeros((count, count), dtype=bool)
    above[tuple(label[np.argwhere(beats).T])] = True
    np.fill_diagonal(above, False)
    waiting, parts = above.sum(axis=0), []
    while len(free := np.flatnonzero(waiting == 0)):
        parts += [np.flatnonzero(label == component) for component in free]
        waiting -= above[free].sum(axis=0)
        waiting[free] = -1
    return parts


def _arranged(h: Any, rng: np.random.Generator) -> Arrangement:
    """The best order of one component, by the method its size allows."""
    if len(h) <= BY_SUBSETS:
        order = _by_subsets(h)
        return Arrangement(order, _weight(h, order), _weight(h, order))
    order = _by_search(h, rng)
    if len(h) <= BY_PROGRAM:
        return _by_program(h, order)
    return Arrangement(order, _weight(h, order), _cycle_bound(h, order))


def _by_subsets(h: Any) -> Order:
    """Dynamic programming: the best order of a set is the best order of a smaller set and one more item."""
    n = len(h)
    masks = np.arange(1 << n)
    behind = np.zeros((n, 1))  # behind[v, S] = Σ h(v, u) over u in S: the cost of v right after S
    for u in range(n):
        behind = np.hstack((behind, behind + h[:, [u]]))
    cost, last = np.where(masks, np.inf, 0.0), np.zeros(1 << n, dtype=np.intp)
    for size in range(n):
        layer = masks[np.bitwise_count(masks) == size]
        for v in range(n):
            before = layer[layer >> v & 1 == 0]
            total = cost[before] + behind[v, before]
            better = total < cost[before | 1 << v]
            grown = before[better] | 1 << v
            cost[grown], last[grown] = total[better], v
    order, mask = np.empty(n, dtype=np.intp), (1 << n) - 1
    for place in range(n - 1, -1, -1):
        order[place] = last[mask]
        mask ^= 1 << int(last[mask])
    return order


def _by_search(h: Any, rng: np.random.Generator) -> Order:
    """DEGREE improved by insertion, then again after random kicks that exchange two neighbouring stretches."""
    best = _by_insertion(h, _by_wins(h))
    for _ in range(MOVES // len(h)):
        start, middle, end = np.sort(rng.integers(0, len(h) + 1, 3))
        kicked = np.concatenate((best[:start], best[middle:end], best[start:middle], best[end:]))
        best = min(_by_insertion(h, kicked), best, key=lambda order: _weight(h, order))
    return best


def _by_insertion(h: Any, order: Order) -> Order:
    """Move single items to their best places until none gains."""
    loss, moved = h - h.T, True
    while moved:
        moved = False
        for item in order.copy():
            now = int(np.flatnonzero(order == item)[0])
            rest = np.delete(order, now)
            cost = np.append(0.0, np.cumsum(loss[item, rest]))
            if cost.min() < cost[now] - SLACK:
                order, moved = np.insert(rest, int(np.argmin(cost)), item), True
    return order


def _by_program(h: Any, order: Order) -> Arrangement:
    """A good order bounded by linear programming and, if little is left, made best by integer programming.

    x(u, v) says that u comes before v, u < v, which costs h(v, u) - h(u, v) more than v before u. The integer program
    looks only for orders better than the one at hand; if there is none, that one is best.
    """
    u, v = np.triu_indices(len(h), 1)
    cost, fixed = h[v, u] - h[u, v], float(h[u, v].sum())
    whole, close = _whole(cost), CLOSE * float(np.abs(cost).max())
    triangles: list[LinearConstraint] = []
    relaxed, before = _without_cycles(cost, len(h), triangles, integral=False)
    order = min(order, _by_insertion(h, _by_wins(before)), key=lambda candidate: _weight(h, candidate))
    weight, bound = _weight(h, order), fixed + float(np.ceil(relaxed.fun - SLACK) if whole else relaxed.fun)
    if not SLACK < weight - bound <= close:
        return Arrangement(order, weight, min(weight, bound))
    better = LinearConstraint(cost, -np.inf, weight - fixed - (1 if whole else SLACK))
    found, before = _without_cycles(cost, len(h), [*triangles, better], integral=True)
    if found.status == OPTIMAL:
        order = _by_wins(before)
        return Arrangement(order, _weight(h, order), _weight(h, order))
    return Arrangement(order, weight, weight if found.status == INFEASIBLE else bound)


def _by_wins(h: Any) -> Order:
    """Items by Σ_v h(u, v) - h(v, u)."""
    return np.argsort(h.sum(axis=0) - h.sum(axis=1), kind="stable")


def _without_cycles(cost: Vector, n: int, constraints: list[LinearConstraint], integral: bool) -> Any:
    """The cheapest x and its matrix; triangles 0 ≤ x(u, v) + x(v, w) - x(u, w) ≤ 1 are added where it breaks them."""
    u, v = np.triu_indices(n, 1)
    integrality, options = (
        np.full(len(cost), int(integral)),
        {"node_limit": NODES, "mip_rel_gap": 0.0} if integral else {},
    )
    while True:
        result = milp(cost, integrality=integrality, bounds=Bounds(0, 1), constraints=constraints, options=options)
        if result.status != OPTIMAL:
            return result, None
        before = np.zeros((n, n))
        before[u, v], before[v, u] = result.x, 1 - result.x
        broken = _broken_triangles(before)
        if not len(broken):
            return result, before
        constraints.append(LinearConstraint(_triangle_rows(broken, n), 0, 1))


def _broken_triangles(before: Any) -> Any:
    """Triples u < v < w with x(u, v) + x(v, w) - x(u, w) outside [0, 1]."""
    total = before[:, :, None] + before[None, :, :] - before[:, None, :]
    u, v, w = np.nonzero((total < -BROKEN) | (total > 1 + BROKEN))
    return np.column_stack((u, v, w))[(u < v) & (v < w)]


def _triangle_rows(triples: Any, n: int) -> Any:
    """One row of coefficients per triple."""
    number = np.zeros((n, n), dtype=np.intp)
    number[np.triu_indices(n, 1)] = np.arange(n * (n - 1) // 2)
    u, v, w = triples.T
    columns = np.concatenate((number[u, v], number[v, w], number[u, w]))
    values = np.repeat([1.0, 1.0, -1.0], len(triples))
    places = np.tile(np.arange(len(triples)), 3)
    return sparse.csr_array((values, (places, columns)), shape=(len(triples), n * (n - 1) // 2))


def _cycle_bound(h: Any, order: Order) -> float:
    """Σ min(h(u, v), h(v, u)) and, for every cycle of three in a packing, what breaking it costs at least.

    Margins |h(u, v) - h(v, u)| are shared out to cycles, no more than there is of each; any order inverts one edge of
    each cycle and pays its share. Only cycles through an inverted edge of `order` can exist.
    """
    margin = np.maximum(h - h.T, 0.0)
    bound = float(np.minimum(h, h.T)[np.triu_indices(len(h), 1)].sum())
    place = np.argsort(order)
    inverted = np.argwhere((margin > 0) & (place[:, None] > place))
    if len(inverted) > MOST_INVERTED:
        inverted = inverted[np.argsort(-margin[tuple(inverted.T)], kind="stable")[:MOST_INVERTED]]
    for u, v in inverted:
        share = np.minimum(margin[v], margin[:, u])
        shared = np.diff(np.minimum(np.append(0.0, np.cumsum(share)), margin[u, v]))
        margin[v] -= shared
        margin[:, u] -= shared
        margin[u, v] -= shared.sum()
        bound += float(shared.sum())
    return bound
