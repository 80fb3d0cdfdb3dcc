"""Rows X on sorting: calls for every preference, the top of the list, unlucky runs, and coins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.random import Generator

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
    "The first k take at most 4(n-1) + 2kH_{k-1} - 4(k-1) pairs on average, for every preference.",
    "exact",
)
def most_top_calls(rng: Generator, effort: int) -> Measured:
    """Random preferences, a circle, orders of up to 100 items, and every k."""
    tried = [drawn(rng, int(rng.integers(2, 7))) for _ in range(8 * effort)]
    asked = [(len(h), k, quicksort_law.expected_calls(h, k)) for h in (*tried, circle(7)) for k in range(1, len(h) + 1)]
    asked += [(n, k, calls.in_order_calls(n, k)) for n in (2, 7, 30, 100) for k in range(1, n + 1, 1 + n // 20)]
    stated = {(n, k): 4 * (n - 1) + 2 * k * calls.harmonic(k - 1) - 4 * (k - 1) for n, k, _ in asked}
    held = all(0 <= expected <= calls.top_calls(n, k) for n, k, expected in asked)
    held &= all(calls.top_calls(n, k) == min(calls.sort_calls(n), most) for (n, k), most in stated.items() if k > 1)
    held &= all(calls.in_order_calls(5, k) == quicksort_law.expected_calls(transitive(5), k) for k in range(1, 6))
    largest = max(expected / stated[n, k] for n, k, expected in asked)
    passed = bool(held and Fraction(7, 10) < largest <= 1)  # 0.73 by half of an order of 100
    return Measured(len(asked), float(largest), "largest expected calls over the bound", passed)


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
    "X-tail", "Var(loss) ≤ L(1 - L) and P(loss = 1) ≤ L; a wrong answer against a lone positive has L/(1 + L).", "exact"
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
    for n in range(2, 7):
        law = luck.loss_distribution(*luck.lone_positive(n))
        held &= law[Fraction(1)] == Fraction(1, n + 1) and law[Fraction(1, n)] == Fraction(1, n + 1)
        held &= law.get(Fraction(0), Fraction(0)) == Fraction(n - 1, n + 1)
        variance = sum(chance * (loss - Fraction(1, n)) ** 2 for loss, chance in law.items())
        largest, cases = max(largest, variance / (Fraction(1, n) * (1 - Fraction(1, n)))), cases + 1
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
        outcomes = [regrets.labelled(Fraction(1, 3), range(n), drawn_labels(rng, n)) for _ in range(3)]
        risk = sum(regrets.risks(outcomes).values())
        fair = regrets.loss(quicksort_law.precedence(luck.calibrated(risk)), risk)
        rounded = regrets.loss(quicksort_law.precedence(regrets.local_optimum(risk).astype(int)), risk)
        held &= rounded == regrets.best_order(risk) <= fair <= 2 * rounded
    for wins in (3, 9, 99):
        chance = Fraction(wins, wins + 1)
        risk = np.array([[0, chance], [1 - chance, 0]], dtype=object)
        fair = regrets.loss(quicksort_law.precedence(luck.calibrated(risk)), risk)
        held &= fair == 2 * chance * (1 - chance)
        largest = max(largest, fair / (1 - chance))
    return Measured(6 * effort + 3, float(largest), "largest loss of coins over that of rounding", bool(held))
