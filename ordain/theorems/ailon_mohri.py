"""Rows Q: sorting by a preference that may be cyclic or random, exactly for a few items [AilonMohri10]_."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain import measure, rank
from ordain.preference import check_matrix, counted, from_matrix, symmetrised
from ordain.theorems.exact import calls, quicksort_law, regrets
from ordain.theorems.few_items import (
    drawn,
    drawn_outcomes,
    importances_of,
    labellings,
    one_back_edge,
    transitive,
    weighed,
    wrong,
)
from ordain.theorems.row import Measured, row


@row(
    "Q-pref",
    "A preference has h(u, v) + h(v, u) = 1; what has not is refused, or made so by asking both ways.",
    "numeric",
)
def preferences(rng: Generator, effort: int) -> Measured:
    """Random answers: consistent ones pass, others are refused, and their symmetric part is consistent."""
    worst, held = 0.0, True
    for _ in range(20 * effort):
        n = int(rng.integers(2, 8))
        answers = rng.random((n, n))
        pairs = np.array(list(permutations(range(n), 2)))
        both = symmetrised(from_matrix(answers, consistent=False))
        given = (answers - answers.T)[tuple(pairs.T)] / 2 + 0.5
        worst = max(worst, float(np.abs(both(pairs) - given).max()))
        worst = max(worst, float(np.abs(both(pairs) + both(pairs[:, ::-1]) - 1).max()))
        held &= _refused(lambda answers=answers: check_matrix(answers))  # type: ignore[misc]
        held &= np.allclose(check_matrix(np.triu(answers, 1) + np.tril(1 - answers.T, -1)).diagonal(), 0.5)
    return Measured(20 * effort, worst, "largest deviation from the symmetric part", held and worst < 1e-12)


def _refused(call: Callable[[], Any], *words: str) -> bool:
    try:
        call()
    except ValueError as refusal:
        return all(word in str(refusal) for word in words)
    return False


@row("Q-sort", "QuickSort by a preference has the law that the splits of each set give.", "sampled")
def sampled_law(rng: Generator, effort: int) -> Measured:
    """Orders of the ranker against the exact law, in standard errors."""
    worst, runs = 0.0, 400 * effort
    for n in (3, 4):
        h = drawn(rng, n)
        judge = from_matrix(h.astype(float))
        seen = Counter(tuple(rank.play(rank.quicksort(n, rng), judge).tolist()) for _ in range(runs))
        law = quicksort_law.output_distribution(h)
        worst = max(worst, *(_errors(seen[order], runs, float(chance)) for order, chance in law.items()))
        worst = worst if seen.keys() <= law.keys() else np.inf
    return Measured(2 * runs, worst, "largest deviation of a frequency, in standard errors", worst < 4.5)


def _errors(count: int, runs: int, chance: float) -> float:
    return abs(count - runs * chance) / max(1.0, sqrt(runs * chance * (1 - chance)))


@row("Q-topk", "The first k of k-QuickSort have the law of the first k of QuickSort.", "sampled")
def sampled_prefix(rng: Generator, effort: int) -> Measured:
    """Prefixes of the ranker against the exact law, and its calls against their exact mean."""
    worst, runs, n = 0.0, 400 * effort, 4
    for k in (1, 2):
        h = drawn(rng, n)
        seen: Counter[tuple[int, ...]] = Counter()
        asked = []
        for _ in range(runs):
            judge = counted(from_matrix(h.astype(float)))
            seen[tuple(rank.play(rank.top_k(n, k, rng), judge)[:k].tolist())] += 1
            asked.append(judge.calls)
        law: Counter[tuple[int, ...]] = Counter()
        for order, chance in quicksort_law.output_distribution(h).items():
            law[order[:k]] += chance  # type: ignore[assignment]
        worst = max(worst, *(_errors(seen[prefix], runs, float(chance)) for prefix, chance in law.items()))
        spread = max(float(np.std(asked)) / sqrt(runs), 1e-9)
        worst = max(worst, abs(float(np.mean(asked)) - float(quicksort_law.expected_calls(h, k))) / spread)
    return Measured(2 * runs, worst, "largest deviation, in standard errors", worst < 4.5)


@row(
    "Q-omega",
    "L_ω needs symmetry, monotonicity and the triangle inequality; (4) holds, and (5) for two classes.",
    "exact",
)
def importances(rng: Generator, effort: int) -> Measured:
    """Losses from their definition, (4) and (5) on all triples, and what breaks an axiom refused by its name."""
    held, cases = True, 0
    for n in (3, 4, 5):
        truth = rng.permutation(n)
        for number, omega in enumerate(importances_of(n)):
            tau, h = measure.generalised_ranking(truth, omega), drawn(rng, n)
            held &= measure.importance_loss(truth, h, omega) == weighed(h, tau)
            for u, v, w in permutations(range(n), 3):
                held &= tau[u, v] <= tau[u, w] + tau[w, v]
                if number in (2, 3):
                    held &= tau[u, v] + tau[v, w] + tau[w, u] == tau[v, u] + tau[w, v] + tau[u, w]
                cases += 1
    broken = {"P1": [[0, 1, 1], [2, 0, 1], [1, 1, 0]], "P2": [[0, 2, 1], [2, 0, 1], [1, 1, 0]]}
    broken["P3"] = [[0, 1, 3], [1, 0, 1], [3, 1, 0]]
    held &= all(_refused(lambda w=w: measure.check_importance(np.array(w)), axiom) for axiom, w in broken.items())  # type: ignore[misc]
    return Measured(cases, float(len(broken)), "axioms refused by name when broken", bool(held))


@row(
    "Q-lemma1",
    "Σ Z = Σ p_uv Z_uv + Σ p_uvw γ[Z], the same with β for what is paid, and β ≤ 2γ, = γ for two classes.",
    "exact",
)
def decomposition(rng: Generator, effort: int) -> Measured:
    """Random Z and X on random preferences; γ with Z_uw for the pivot v, not Z_uv as printed."""
    held, largest = True, 0.0
    for _ in range(6 * effort):
        n = int(rng.integers(3, 6))
        h = drawn(rng, n)
        X: Any = rng.integers(-5, 6, (n, n)).astype(object) * Fraction(1)
        Z = X + X.T
        compared, together = quicksort_law.compared(h), quicksort_law.met_together(h)
        pairs, triples = quicksort_law.over_pairs, quicksort_law.over_triples
        held &= pairs(Z) == pairs(compared * Z) + triples(together * quicksort_law.gamma(h, Z))
        paid = sum(
            chance * sum(X[v, u] for u, v in combinations(order, 2))
            for order, chance in quicksort_law.output_distribution(h).items()
        )
        held &= paid == pairs(compared * quicksort_law.alpha(h, X)) + triples(together * quicksort_law.beta(h, X))
        for number, omega in enumerate(importances_of(n)):
            tau = measure.generalised_ranking(rng.permutation(n), omega)
            beta, gamma = quicksort_law.beta(h, tau), quicksort_law.gamma(h, quicksort_law.alpha(h, tau))
            for triple in combinations(range(n), 3):
                held &= beta[triple] == gamma[triple] if number in (2, 3) else beta[triple] <= 2 * gamma[triple]
                largest = max(largest, float(beta[triple] / gamma[triple]) if gamma[triple] else 0.0)
    return Measured(6 * effort, largest, "largest β/γ", bool(held))


@row("Q-thm1", "E L(QuickSort, τ*) ≤ 2 L(h, τ*) for every importance; a back edge attains 2 - 2/n.", "exact")
def factor_two(rng: Generator, effort: int) -> Measured:
    """Random preferences and importances, and the family."""
    largest, held, cases = Fraction(0), True, 0
    for _ in range(8 * effort):
        n = int(rng.integers(2, 6))
        h = drawn(rng, n)
        for omega in importances_of(n):
            tau = measure.generalised_ranking(rng.permutation(n), omega)
            mean, given = quicksort_law.expected_loss(h, tau), weighed(h, tau)
            held &= mean <= 2 * given
            largest, cases = max(largest, mean / given if given else largest), cases + 1
    for n in range(3, 8):
        h, tau = one_back_edge(n), transitive(n)
        ratio = quicksort_law.expected_loss(h, tau) / weighed(h, tau)
        held &= ratio == 2 - Fraction(2, n)
        largest, cases = max(largest, ratio), cases + 1
    return Measured(cases, float(largest), "largest loss of QuickSort over that of the preference", bool(held))


@row(
    "Q-thm2",
    "For two classes E loss = preference loss; weak regrets are equal; strong rank regret ≤ class regret.",
    "exact",
)
def equality(rng: Generator, effort: int) -> Measured:
    """All labels of random preferences, and random distributions over sets and labels."""
    held, worst, cases = True, Fraction(0), 0
    for _ in range(6 * effort):
        n = int(rng.integers(2, 6))
        h = drawn(rng, n)
        before = quicksort_law.precedence(h)
        for labels in labellings(n):
            worst, cases = max(worst, abs(wrong(before, labels) - wrong(h, labels))), cases + 1
        found = regrets.regrets(drawn_outcomes(rng, n), h)
        held &= found.weak_ranking == found.weak_preference and found.strong_ranking <= found.strong_preference
    return Measured(cases, float(worst), "largest difference of the two losses", held and worst == 0)


@row("Q-cor12", "E L(Q, σ) ≤ 2 L(h, σ) and E L(h, Q) ≤ 3 L(h, σ), σ nearest to h; 3(n-2)/n is attained.", "exact")
def nearest_order(rng: Generator, effort: int) -> Measured:
    """Random preferences, and a transitive one with a back edge."""
    largest, held, cases = Fraction(0), True, 0
    for number in range(8 * effort + 5):
        back = number >= 8 * effort
        n = number - 8 * effort + 3 if back else int(rng.integers(3, 6))
        h = one_back_edge(n) * Fraction(1) if back else drawn(rng, n)
        order = rank.minimum_feedback(h.astype(float), rng).order
        tau = measure.generalised_ranking(order, measure.kemeny(n))
        least, before = weighed(h, tau), quicksort_law.precedence(h)
        held &= (before + before.T == 1).all()
        disagreement = sum((h[u, v] * before[v, u] for u, v in permutations(range(n), 2)), Fraction(0)) / comb(n, 2)
        held &= quicksort_law.expected_loss(h, tau) <= 2 * least and disagreement <= 3 * least
        held &= not back or disagreement == Fraction(3 * (n - 2), n) * least
        largest, cases = max(largest, disagreement / least if least else largest), cases + 1
    return Measured(cases, float(largest), "largest E L(h, Q) over L(h, σ)", bool(held))


@row(
    "Q-thm3",
    "QuickSort asks O(n log n) pairs, the first k O(n + k log k); E n_L = (n-1)/2, E n_L² ≤ n²/2.9.",
    "sampled",
)
def measured_calls(rng: Generator, effort: int) -> Measured:
    """Splits exactly; calls of the ranker on an order and on a circle, over n ln n and over n + k ln k."""
    held, largest, cases = True, 0.0, 0
    for n in range(2, 9):
        for h in (drawn(rng, n), transitive(n)):
            mean, square = calls.split_moments(h)
            held &= mean == Fraction(n - 1, 2) and square <= Fraction((n - 1) * (2 * n - 1), 6) < Fraction(n * n, 3)
        held &= square == Fraction((n - 1) * (2 * n - 1), 6)
    for n in (100, 1000, 10_000 * effort):
        half = n // 2
        judges = (lambda p: p[:, 0] < p[:, 1], lambda p, half=half, n=n: (p[:, 1] - p[:, 0]) % n <= half)
        for judge in judges:
            for k in (10, n):
                seen = counted(judge)
                rank.play(rank.top_k(n, k, rng), seen)
                most = 4 * n + 2 * k * np.log(k) if k < n else 2 * n * np.log(n)
                largest, cases = max(largest, float(seen.calls / most)), cases + 1
    return Measured(cases, largest, "largest calls over 2n ln n, or 4n + 2k ln k", bool(held and largest < 1.5))
