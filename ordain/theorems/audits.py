"""Rows X of the audit: what it says of the run at hand, and evidence that may be looked at at any time."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.random import Generator

from ordain import audit
from ordain.theorems.few_items import drawn, labellings, transitive, wrong
from ordain.theorems.row import Measured, row


@row(
    "X-run",
    "loss(order) ≤ loss(judge) + D/2p(1-p) for one run; with probability 1 - δ an audit's limit is above D.",
    "exact",
)
def this_run(rng: Generator, effort: int) -> Measured:
    """Random preferences, orders and all labels in fractions; the limit over all audits of three of six pairs."""
    largest, held, missed = Fraction(0), True, 0.0
    for _ in range(8 * effort):
        n = int(rng.integers(2, 6))
        h, order = drawn(rng, n), rng.permutation(n).tolist()
        before = transitive(n)[np.ix_(np.argsort(order), np.argsort(order))]
        differ = sum((h[v, u] for u, v in combinations(order, 2)), Fraction(0)) / comb(n, 2)
        for labels in labellings(n):
            p = Fraction(sum(labels), n)
            most = wrong(h, labels) + differ / (2 * p * (1 - p))
            held &= wrong(before, labels) <= wrong(h, labels) + differ * comb(n, 2) / (p * (1 - p) * n * n) <= most
            largest = max(largest, wrong(before, labels) / most if most else largest)
    backwards = wrong(transitive(6)[::-1, ::-1], (1, 1, 1, 0, 0, 0))  # a faultless judge and the order turned round
    held &= backwards == 1 and largest > Fraction(1, 2)
    for _ in range(3 * effort):
        missed = max(missed, _missed(rng, 0.8))
    return Measured(11 * effort, missed, "how often the limit fails at 80%", bool(held and missed <= 0.2))


def _missed(rng: Generator, level: float) -> float:
    """The chance, over all audits of three of six pairs and coins for answers, that D is above the limit found."""
    chances, asked = rng.integers(0, 5, 6) / 4, np.array(list(combinations(range(4), 2)))[:3]
    apart, lost = float(np.mean(1 - chances)), 0.0
    found = [
        audit.certificate(np.arange(4), asked, np.arange(3) < agreed, prevalence=0.2, level=level)
        for agreed in range(4)  # of three pairs, whichever they are
    ]
    limits = [one.disagreement for one in found]
    for some, said in product(combinations(range(6), 3), product((0, 1), repeat=3)):
        likely = np.prod([chances[i] if y else 1 - chances[i] for i, y in zip(some, said, strict=True)]) / 20
        lost += float(likely) * (limits[sum(said)] < apart)
    stated = all(abs(one.excess * 2 * 0.2 * 0.8 - most) < 1e-12 for one, most in zip(found, limits, strict=True))
    return lost if stated else 1.0


@row(
    "X-anytime",
    "2^m B(s+½, m-s+½)/B(½,½) is a supermartingale under mean ½: ever to see 1/α has a chance of at most α.",
    "numeric",
)
def any_time(rng: Generator, effort: int) -> Measured:
    """Steps of coins and of fractional answers; the chance that coins are ever refuted; an interval at all times."""
    held, grown = True, 0.0
    for _ in range(40 * effort):
        m = int(rng.integers(1, 30))
        answers = rng.choice([0, 0.25, 0.5, 1], m)
        now = _evidence(answers)
        for low, high in ((0.0, 1.0), (0.25, 1.0), (0.0, 0.75)):
            chance = (0.5 - low) / (high - low)
            later = chance * _evidence(np.append(answers, high)) + (1 - chance) * _evidence(np.append(answers, low))
            grown = max(grown, later / now)
    ever = _ever(60, lambda s, m: _evidence(np.arange(m) < s) >= 10)
    order = np.array([0, 1])
    missed = _ever(
        12, lambda s, m: not _within(audit.agreement_so_far(order, _asked(m), np.arange(m) < s, level=0.8), 0.5)
    )
    held &= bool(0.3 < 10 * ever <= 1 and 0 < missed <= 0.2 and abs(grown - 1) < 1e-9)
    shown = audit.better_so_far(order, order[::-1], _asked(9), np.ones(9), level=0.9)
    held &= shown.shown == (shown.evidence >= 10)
    return Measured(120 * effort + 2, ever, "chance that coins are ever called unequal at α = 0.1", held)


def _asked(m: int) -> np.ndarray:
    return np.tile([0, 1], (m, 1))


def _evidence(answers: np.ndarray) -> float:
    """E of the order 0, 1 against 1, 0."""
    return audit.better_so_far(np.array([0, 1]), np.array([1, 0]), _asked(len(answers)), answers).evidence


def _within(found: audit.SoFar, mean: float) -> bool:
    return found.low <= mean <= found.high


def _ever(steps: int, refutes: Callable[[int, int], bool]) -> float:
    """The chance that fair coins are refuted at some time, by the law of those not refuted yet."""
    alive, lost = np.array([1.0]), 0.0
    for m in range(1, steps + 1):
        alive = (np.append(alive, 0.0) + np.append(0.0, alive)) / 2
        gone = np.array([refutes(s, m) for s in range(m + 1)])
        lost, alive = lost + float(alive[gone].sum()), np.where(gone, 0.0, alive)
    return lost
