"""Rows X on sorting: calls for every preference, the top of the list, unlucky runs, and coins."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import isclose, sqrt
from typing import Any, cast

import numpy as np
from numpy.random import Generator

from ordain.preference import from_matrix, rounded, symmetrised
from ordain.rank.play import fairly
from ordain.theorems.exact import calls, luck, quicksort_law, regrets
from ordain.theorems.exact.adversary import circle
from ordain.theorems.few_items import (
    HALF,
    VALUES,
    drawn,
    drawn_labels,
    tournaments,
    transitive,
    wrong,
)
from ordain.theorems.row import Measured, row


@row(
    "X-calls",
    "QuickSort asks at most 2(n+1)H_n - 4n pairs on average for every preference, the best item 2n - 2H_n.",
    "exact",
)
def most_calls(rng: Generator, effort: int) -> Measured:
    """Random preferences, tournaments of four, and transitive ones, which attain both."""
    largest, held, cases = Fraction(0), True, 0
    tried = [drawn(rng, int(rng.integers(2, 7))) for _ in range(10 * effort)]
    for h in (*tried, *tournaments(4)[::3]):
        n = len(h)
        largest = max(largest, quicksort_law.expected_calls(h) / calls.sort_calls(n))
        largest = max(largest, quicksort_law.expected_calls(h, 1) / calls.best_calls(n))
        cases += 1
    for n in range(2, 8):
        held &= quicksort_law.expected_calls(transitive(n)) == calls.sort_calls(n)
        held &= quicksort_law.expected_calls(transitive(n), 1) == calls.best_calls(n)
    return Measured(cases + 6, float(largest), "largest expected calls over the bound", bool(held and largest <= 1))


@row(
    "X-topcalls",
    "The first k take at most 2(n-1) + 4√((k-1)(n-k)) + 2kH_{k-1} - 4(k-1) pairs on average, for every preference.",
    "numeric",
)
def most_top_calls(rng: Generator, effort: int) -> Measured:
    """Random preferences, a circle, orders of up to 100 items, and every k; and each step of the proof, in which the
    figure stands where it cannot be smaller.
    """
    tried = [drawn(rng, int(rng.integers(2, 7))) for _ in range(8 * effort)]
    asked = [(len(h), k, quicksort_law.expected_calls(h, k)) for h in (*tried, circle(7)) for k in range(1, len(h) + 1)]
    asked += [(n, k, calls.in_order_calls(n, k)) for n in (2, 7, 30, 100) for k in range(1, n + 1, 1 + n // 20)]
    held = all(0 <= expected <= calls.top_calls(n, k) + 1e-9 for n, k, expected in asked)
    held &= all(calls.in_order_calls(5, k) == quicksort_law.expected_calls(transitive(5), k) for k in range(1, 6))
    stated = {(n, k): calls.path_calls(k - 1, n - k) + float(calls.sort_calls(k - 1)) for n, k, _ in asked}
    held &= all(
        isclose(calls.top_calls(n, k), min(float(calls.sort_calls(n)), most))
        for (n, k), most in stated.items()
        if k > 1
    )
    held &= all(calls.path_calls(n - 1 - k, k) <= 4 * (n - 1) + 1e-9 for n in (2, 30, 99) for k in range(n))
    room = [_room(a, b) for a in range(1, 40) for b in range(1, 40)]
    room.append(_room(2000, 2000))
    passed = bool(held and min(room) >= 0 and room[-1] < 2e-3)
    return Measured(len(asked) + len(room), room[-1], "least room of the induction at 4,001 items, over n", passed)


def _room(above: int, below: int) -> float:
    """What the induction has left over, over n: the path bound minus a split and the mean of what bounds the rest.

    With d items before it a pivot leaves (a - 1 - d, b) if d < a, and (a, d - 1 - a) if d > a. Both are below the
    tangents of the bound at a and at b, whose larger one is convex in d, so that d = 0 … n - 1 is the worst.
    """
    n, u = above + below + 1, sqrt(below / above)
    whole, before = calls.path_calls(above, below), np.arange(n)
    left = np.array([calls.path_calls(above - 1 - d, below) for d in range(above)])
    right = np.array([calls.path_calls(above, d - 1 - above) for d in range(above + 1, n)])
    over = np.maximum(whole - 2 * (1 + u) * (before + 1), whole - 2 * (1 + 1 / u) * (n - before))
    rest = np.concatenate((left, [0.0], right))
    if (rest > over + 1e-9).any():
        return -1.0
    return float(whole - (n - 1) - over.mean()) / n


@row(
    "X-topk", "Of the first k ≤ m, with N negatives among them, E N(m - k + N) ≤ mn L(h), so E N ≤ √(mn L(h)).", "exact"
)
def negatives_at_top(rng: Generator, effort: int) -> Measured:
    """Random preferences and labels; an order that attains both at k = m."""
    largest, cases = Fraction(0), 0
    for _ in range(10 * effort):
        n = int(rng.integers(2, 6))
        h, labels = drawn(rng, n), drawn_labels(rng, n)
        room = sum(labels) * (n - sum(labels)) * wrong(h, labels)
        for k in range(1, sum(labels) + 1):
            mean, crossing = luck.negatives_at_top(h, labels, k)
            largest = max(largest, crossing / room if room else largest, mean**2 / room if room else largest)
            largest, cases = (largest if room or not crossing else Fraction(2)), cases + 1
    order = (1, 0, 0, 1, 1, 0)  # m = 3, two negatives among the first three, four inverted pairs
    mean, crossing = luck.negatives_at_top(transitive(6), order, 3)
    attained = mean**2 == crossing == 4 == 9 * wrong(transitive(6), order)
    passed = bool(attained and HALF < largest <= 1)
    return Measured(cases + 1, float(largest), "largest E N(m - k + N) over mn L", passed)


@row(
    "X-tail",
    "Var(loss) ≤ L(1 - L), P(loss = 1) ≤ L; at every L = c/n a lone positive has n/(n + 1) times both.",
    "exact",
)
def unlucky_runs(rng: Generator, effort: int) -> Measured:
    """Random preferences and labels; the family, whose law is known."""
    held, largest, cases = True, Fraction(0), 0
    for _ in range(10 * effort):
        n = int(rng.integers(2, 6))
        h, labels = drawn(rng, n), drawn_labels(rng, n)
        law, given = luck.loss_distribution(h, labels), wrong(h, labels)
        variance = sum(chance * (loss - given) ** 2 for loss, chance in law.items())
        held &= variance <= given * (1 - given) and law.get(Fraction(1), Fraction(0)) <= given
        held &= sum(chance * loss for loss, chance in law.items()) == given
    for c, n in combinations(range(1, 7), 2):
        h, alone = luck.lone_positive(n, c)
        law, given = luck.loss_distribution(h, alone), wrong(h, tuple(alone))
        held &= given == Fraction(c, n)
        held &= law == {Fraction(0): Fraction(n - c, n + 1), given: Fraction(1, n + 1), Fraction(1): Fraction(c, n + 1)}
        variance = sum(chance * (loss - given) ** 2 for loss, chance in law.items())
        held &= variance == given * (1 - given) * Fraction(n, n + 1)
        largest, cases = max(largest, variance / (given * (1 - given))), cases + 1
    return Measured(
        cases + 10 * effort, float(largest), "largest variance over L(1 - L)", bool(held and largest > HALF)
    )


@row(
    "X-coin",
    "Shown by lot, or both ways with a coin, a sort has one law; a calibrated h loses 1 to 2 × its rounding.",
    "exact",
)
def coins(rng: Generator, effort: int) -> Measured:
    """Laws of random judges with a position bias; coins with the right chances against the likelier answers."""
    held, largest = True, Fraction(0)
    for _ in range(6 * effort):
        n = int(rng.integers(2, 5))
        answers = np.array([[VALUES[rng.integers(5)] for _ in range(n)] for _ in range(n)], dtype=object)
        by_lot, both = luck.shown_at_random(answers), luck.shown_both_ways(answers)
        held &= quicksort_law.output_distribution(by_lot) == quicksort_law.output_distribution(both)
        held &= _as_shown(answers, by_lot)
        outcomes = [regrets.labelled(Fraction(1, 3), range(n), drawn_labels(rng, n)) for _ in range(3)]
        risk = sum(regrets.risks(outcomes).values())
        fair = regrets.loss(quicksort_law.precedence(luck.calibrated(risk)), risk)
        likelier = regrets.local_optimum(risk).astype(int)
        surely = regrets.loss(quicksort_law.precedence(likelier), risk)
        held &= _rounds_to(luck.calibrated(risk), likelier)
        held &= surely == regrets.best_order(risk) <= fair <= 2 * surely
    for wins in (3, 9, 99):
        chance = Fraction(wins, wins + 1)
        risk = np.array([[0, chance], [1 - chance, 0]], dtype=object)
        fair = regrets.loss(quicksort_law.precedence(luck.calibrated(risk)), risk)
        held &= fair == 2 * chance * (1 - chance)
        largest = max(largest, fair / (1 - chance))
    return Measured(6 * effort + 3, float(largest), "largest loss of coins over that of rounding", bool(held))


class _Bits:
    """In the place of a generator: gives the bits it was made with."""

    def __init__(self, bits: Any) -> None:
        self.bits = bits

    def integers(self, low: int, high: int, size: int, dtype: Any) -> Any:
        return np.full(size, self.bits, dtype=dtype)


def _as_shown(answers: Any, by_lot: Any) -> bool:
    """Whether what rankers ask through, and what asks both ways, make of a judge the preference shown by lot."""
    pairs = np.array(list(permutations(range(len(answers)), 2)))
    judge = from_matrix(answers.astype(float), consistent=False)
    ways = []
    for bit in (False, True):
        asking = fairly(pairs[:, 0], pairs[:, 1], cast("Generator", _Bits(bit)))
        shown = next(asking)
        if shown.tolist() != pairs[:, :: -1 if bit else 1].tolist():
            return False
        try:
            asking.send(judge(shown))
        except StopIteration as finished:
            ways.append(finished.value)
    wanted = by_lot.astype(float)[tuple(pairs.T)]
    return np.allclose(sum(ways) / 2, wanted, atol=1e-12) and np.allclose(symmetrised(judge)(pairs), wanted, atol=1e-12)


def _rounds_to(h: Any, likelier: Any) -> bool:
    """Whether `rounded` turns a preference into its likelier answers, and leaves ties."""
    pairs = np.array(list(permutations(range(len(h)), 2)))
    given = h.astype(float)[tuple(pairs.T)]
    found = rounded(from_matrix(h.astype(float)))(pairs)
    return np.array_equal(found, np.where(given == 0.5, 0.5, likelier[tuple(pairs.T)]))
