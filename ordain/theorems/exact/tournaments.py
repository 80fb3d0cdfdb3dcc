"""Tournaments: all of them, Landau's condition on their scores, the mistakes of DEGREE and their own [Balcan08]_.

A tournament is a square array h of 0 and 1 in which h[u, v] = 1 says that u beats v; with fractions in [0, 1] and
h[u, v] + h[v, u] = 1 it is a preference, and most of what is here holds as well. The score of an item, its degree, is
the number of its wins. Labels are 1 for winners, which should come first, and 0 for losers; or grades, larger being
better. Everything is counted in whole numbers or fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, permutations, product
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Vector


def tournaments(n: int) -> Iterator[Any]:
    """Every tournament on the items 0 … n - 1, 2^C(n, 2) of them."""
    upper = np.triu_indices(n, 1)
    for outcomes in product((1, 0), repeat=comb(n, 2)):
        yield _completed(n, upper, outcomes)


def tournament_classes(n: int) -> list[Any]:
    """One tournament of every kind, that is, up to the names of the items.

    Each arises from one with an item less; two are of one kind if, over all orders by score, their arrays have the
    same least form.

    Examples
    --------
    >>> [len(tournament_classes(n)) for n in range(1, 6)]
    [1, 1, 2, 4, 12]
    """
    kinds = [np.zeros((min(n, 1), min(n, 1)), dtype=int)]
    for size in range(1, n):
        found = {}
        for smaller, wins in product(kinds, product((0, 1), repeat=size)):
            h = np.zeros((size + 1, size + 1), dtype=int)
            h[:size, :size], h[size, :size], h[:size, size] = smaller, wins, 1 - np.array(wins)
            found[_least_form(h)] = h
        kinds = list(found.values())
    return kinds


def random_tournament(n: int, rng: np.random.Generator) -> Any:
    """A tournament in which every game is a fair coin."""
    return _completed(n, np.triu_indices(n, 1), rng.integers(0, 2, comb(n, 2)))


def scores_of(h: Any) -> Vector:
    """The wins of every item, Σ_v h(u, v)."""
    h = np.asarray(h)
    return np.asarray(np.where(np.eye(len(h), dtype=bool), 0, h).sum(axis=1))


def is_landau(scores: Any) -> bool:
    """Landau's condition: the k lowest scores sum to at least C(k, 2) for every k, and all of them to C(n, 2).

    That is, ⟨0, …, n - 1⟩ majorises the scores. Whole numbers are the scores of a tournament exactly if it holds
    [Balcan08]_, see :func:`with_scores`. It holds for the scores of every preference too: k items win C(k, 2) games
    among themselves, fractions summed.

    Examples
    --------
    >>> is_landau([1, 1, 1]), is_landau([0, 0, 3])
    (True, False)
    """
    total, held = 0, True
    ordered = sorted(np.asarray(scores).tolist())
    for k, score in enumerate(ordered, start=1):
        total += score
        held = held and total >= comb(k, 2)
    return held and total == comb(len(ordered), 2)


def score_sequences(n: int) -> Iterator[tuple[int, ...]]:
    """Every rising sequence of n whole numbers that satisfies Landau's condition.

    Examples
    --------
    >>> list(score_sequences(3))
    [(0, 1, 2), (1, 1, 1)]
    """
    total = comb(n, 2)

    def longer(start: tuple[int, ...], reached: int) -> Iterator[tuple[int, ...]]:
        left = n - len(start)
        if not left:
            yield start
            return
        least = max(start[-1] if start else 0, comb(len(start) + 1, 2) - reached)
        most = (total - reached) // left
        for score in range(least, most + 1):
            yield from longer((*start, score), reached + score)

    return longer((), 0)


def with_scores(scores: Any) -> Any:
    """A tournament with the given scores, item by item; refused if there is none.

    The item x with the most wins left beats those with the fewest, and the rest is a smaller tournament. Among those
    with these scores some let x win so: if x beats y and loses to z, and y has at least the score of z, then y beats z
    or an item that beats z, and turning the cycle x, y, …, z round leaves every score as it is.

    Examples
    --------
    >>> with_scores([1, 1, 1]).tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """
    wins = [int(score) for score in np.asarray(scores).tolist()]
    if wins != np.asarray(scores).tolist() or not is_landau(wins):
        raise ValueError(
            f"scores of a tournament must be whole numbers, the k lowest summing to at least k(k - 1)/2 and all to "
            f"{comb(len(wins), 2)}. Got {sorted(np.asarray(scores).tolist())[:12]}."
        )
    h = np.zeros((len(wins), len(wins)), dtype=int)
    rest = list(range(len(wins)))
    while rest:
        rest.sort(key=wins.__getitem__)
        top = rest.pop()
        for place, other in enumerate(rest):
            if place < wins[top]:
                h[top, other] = 1
            else:
                h[other, top] = 1
                wins[other] -= 1
    return h


def pair_mistakes(h: Any, labels: ArrayLike, *, difference: bool = False) -> Any:
    """f, the mistakes of the preference itself: Σ h(v, u) over the pairs in which u has the better label.

    With `difference` a pair weighs the difference of its grades instead of one.

    Examples
    --------
    >>> pair_mistakes([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [1, 0, 0])
    1
    """
    return _plain((np.asarray(h).T * _gain(labels, difference)).sum())


def pair_mistakes_by_scores(scores: Any, labels: ArrayLike) -> Any:
    """f from the scores alone: Σ of the losers' scores - C(number of losers, 2), what losers win of each other.

    Winners and losers only; many labellings at once if `labels` has shape (…, n).
    """
    losers = 1 - np.asarray(labels)
    count = losers.sum(axis=-1)
    return _plain(losers @ np.asarray(scores) - count * (count - 1) // 2)


def degree_mistakes(scores: Any, labels: ArrayLike) -> Any:
    """g, the mistakes of DEGREE with ties against us: pairs in which the loser's score is at least the winner's.

    Theorem 2: g ≤ 2f for every tournament and every choice of the winners [Balcan08]_; see
    :mod:`ordain.theorems.exact.compression` for its proof as a program. Many labellings at once if `labels` has
    shape (…, n).

    Examples
    --------
    >>> degree_mistakes([1, 1, 1], [1, 0, 0]), pair_mistakes_by_scores([1, 1, 1], [1, 0, 0])
    (2, 1)
    """
    scores, winners = np.asarray(scores), np.asarray(labels)
    outranks = np.greater_equal.outer(scores, scores).astype(int)
    return _plain((((1 - winners) @ outranks) * winners).sum(axis=-1))


def order_mistakes(order: ArrayLike, labels: ArrayLike, *, difference: bool = False) -> Any:
    """Pairs with different labels that an order has the wrong way round, weighing one or the difference of grades."""
    place = np.argsort(np.asarray(order))
    return pair_mistakes((place[:, None] < place).astype(int), labels, difference=difference)


def degree_order(scores: Any, labels: ArrayLike, *, ties: Literal["against", "for"] = "against") -> Vector:
    """The order of DEGREE if whoever breaks the ties knows the labels and is against us, or for us.

    Examples
    --------
    >>> degree_order([1, 1, 1], [1, 0, 0]).tolist(), degree_order([1, 1, 1], [1, 0, 0], ties="for").tolist()
    ([1, 2, 0], [0, 1, 2])
    """
    sign = {"against": 1, "for": -1}[ties]
    wins, grades = np.asarray(scores).tolist(), np.asarray(labels).tolist()
    return np.array(sorted(range(len(wins)), key=lambda u: (-wins[u], sign * grades[u])), dtype=np.intp)


def degree_orders(scores: Any) -> Iterator[tuple[int, ...]]:
    """Every order that DEGREE can give, ties broken in all ways."""
    wins = np.asarray(scores).tolist()
    falling = sorted(range(len(wins)), key=lambda u: -wins[u])
    ties = [list(group) for _, group in groupby(falling, key=wins.__getitem__)]
    for parts in product(*map(permutations, ties)):
        yield tuple(item for part in parts for item in part)


def _completed(n: int, upper: Any, outcomes: Any) -> Any:
    """The tournament with the given outcomes above the diagonal."""
    h = np.zeros((n, n), dtype=int)
    h[upper] = outcomes
    return h + np.tril(1 - h.T, -1)


def _least_form(h: Any) -> bytes:
    """The least array over the orders by score: the same for two tournaments exactly if they are of one kind."""
    return min(h[np.ix_(order, order)].tobytes() for order in degree_orders(scores_of(h)))


def _gain(labels: ArrayLike, difference: bool) -> Any:
    """How much the pair (u, v) counts, u having the better label."""
    grades = np.asarray(labels)
    gain = np.maximum(np.subtract.outer(grades, grades), 0)
    return gain if difference else (gain > 0).astype(int)


def _plain(value: Any) -> Any:
    """A numpy number as a Python one; fractions and arrays stay."""
    return value.item() if isinstance(value, np.generic) else value
