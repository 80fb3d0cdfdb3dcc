"""Rows Q: what no ranker can do, what regrets mean, and the greedy order [AilonMohri10]_."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain import rank
from ordain.preference import from_matrix
from ordain.theorems.exact import quicksort_law, regrets
from ordain.theorems.exact.adversary import circle, defeat
from ordain.theorems.few_items import (
    HALF,
    drawn,
    drawn_outcomes,
    labellings,
    tournaments,
    wrong,
)
from ordain.theorems.row import Measured, row

DETERMINISTIC: dict[str, Callable[[int, Generator], Any]] = {
    "quicksort": rank.quicksort,
    "top_k": lambda n, rng: rank.top_k(n, n, rng),
    "averaged_quicksort": rank.averaged_quicksort,
    "degree": rank.degree,
    "greedy": rank.greedy,
    "feedback_arc_set": rank.feedback_arc_set,
    "window": lambda n, rng: rank.window(n, rng, 4 * n),
    "field": lambda n, rng: rank.field(n, max(1, n // 2), rng, 4 * n),
}
"""Every ranker here; with its seed fixed it is deterministic."""


@row("Q-thm4", "Every deterministic ranker loses twice as much as its preference on some input.", "exact")
def lower_bound(rng: Generator, effort: int) -> Measured:
    """The adversary against every ranker with its seed fixed; QuickSort with its seed to be drawn keeps equal."""
    ratios, held = [], True
    for ranker, seed in product(DETERMINISTIC.values(), range(2 * effort)):
        for size, below in ((3, 0), (3, 4), (5, 0)):
            found = defeat(ranker, seed, size=size, below=below)
            held &= (
                found.preference_loss
                == Fraction((size - 1) // 2, size - 1 + below)
                == wrong(found.preference, tuple(found.labels.tolist()))
            )
            ratios.append(found.ranking_loss / found.preference_loss)
    h = circle(5) * Fraction(1) + np.eye(5, dtype=int) * HALF
    before = quicksort_law.precedence(h)
    held &= all(wrong(before, labels) == wrong(h, labels) for labels in labellings(5))
    return Measured(
        len(ratios), float(min(ratios)), "smallest ranking loss over preference loss", held and min(ratios) >= 2
    )


@row(
    "Q-regrets",
    "Weak regrets are at least the strong ones; (12) is the best preference; IIA closes the gap for it.",
    "exact",
)
def weak_and_strong(rng: Generator, effort: int) -> Measured:
    """Random distributions over sets; all tournaments tried for (12); sets of which the pairs agree."""
    held = True
    opposed = [regrets.labelled(HALF, (0, 1), (1, 0)), regrets.labelled(HALF, range(3), (0, 1, 1))]
    found = regrets.regrets(opposed, drawn(rng, 3))
    gap = found.weak_preference - found.strong_preference  # no preference is best for both sets
    for _ in range(8 * effort):
        n = int(rng.integers(3, 5))
        outcomes, h = drawn_outcomes(rng, n), drawn(rng, n)
        found = regrets.regrets(outcomes, h)
        held &= found.weak_ranking >= 0 and found.weak_ranking >= found.strong_ranking
        held &= found.weak_preference >= found.strong_preference >= 0
        gap = max(gap, found.weak_preference - found.strong_preference)
        whole = sum(regrets.risks(outcomes).values())
        held &= regrets.loss(regrets.local_optimum(whole), whole) == min(
            regrets.loss(tournament, whole) for tournament in tournaments(n)
        )
        unlike = [regrets.labelled(HALF, (0, 1), (1, 0)), regrets.labelled(HALF, range(3), (1, 0, 0))]
        held &= regrets.irrelevant_alternatives(unlike) == (0, 1)  # normalised, a pair counts by the size of its set
        alike = [regrets.labelled(HALF, (0, 1), (1, 0)), regrets.labelled(HALF, range(3), (1, 0, 0), normalised=False)]
        held &= regrets.irrelevant_alternatives(alike) is None
        often = [replace(alike[0], chance=Fraction(1, 3)), replace(alike[1], chance=Fraction(2, 3))]
        held &= regrets.irrelevant_alternatives(often) is None  # a mean is over the draws of its set alone
        found = regrets.regrets(alike, h[:3, :3])
        held &= found.weak_preference == found.strong_preference
    return Measured(8 * effort, float(gap), "largest weak minus strong preference regret", bool(held and gap > 0))


@row("Q-greedy", "The greedy order has l ≤ ½ + l*/2, l* being the least disagreement with the preference.", "numeric")
def greedy(rng: Generator, effort: int) -> Measured:
    """Random preferences, all orders tried; the item that comes next has the most wins over those left."""
    tightest, cases, held = np.inf, 20 * effort, True
    for _ in range(cases):
        n = int(rng.integers(2, 6))
        h = drawn(rng, n)
        share = {
            order: float(sum(h[v, u] for u, v in combinations(order, 2)) / comb(n, 2))
            for order in permutations(range(n))
        }
        order = tuple(rank.play(rank.greedy(n, rng), from_matrix(h.astype(float))).tolist())
        for place, chosen in enumerate(order):
            wins = {u: sum(h[u, v] for v in order[place:] if v != u) for u in order[place:]}
            held &= wins[chosen] == max(wins.values())
        tightest = min(tightest, 0.5 + min(share.values()) / 2 - share[order])
    return Measured(cases, tightest, "smallest room below the bound", held and tightest >= -1e-12)
