"""Rows Q: sorting by a preference that may be cyclic or random, exactly for a few items [AilonMohri10]_."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain import measure, rank
from ordain.preference import check_matrix, counted, from_matrix, symmetrised
from ordain.rank.play import Ranker
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


def _refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except ValueError:
        return True
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
    """Losses from their definition, that of two classes being the AUC loss; (4) and (5) on all triples; and of all
    importances with the values 0, 1 and 2 those that break an axiom refused by its name.
    """
    held, cases = True, 0
    named: set[str | None] = set()
    for n in (3, 4, 5):
        truth = rng.permutation(n)
        for number, omega in enumerate(importances_of(n)):
            tau, h = measure.generalised_ranking(truth, omega), drawn(rng, n)
            held &= measure.importance_loss(truth, h, omega) == weighed(h, tau)
            if number in (2, 3):
                positives = 1 if number == 2 else n - 1
                held &= weighed(h, tau) == wrong(h, tuple((np.argsort(truth) < positives).astype(int)))
            for u, v, w in permutations(range(n), 3):
                held &= tau[u, v] <= tau[u, w] + tau[w, v]
                round_trips = tau[u, v] + tau[v, w] + tau[w, u], tau[v, u] + tau[w, v] + tau[u, w]
                held &= (round_trips[0] == round_trips[1]) == (number > 0)  # Kemeny's breaks (5) on every triple
                cases += 1
    for omega in (*_small_importances(3, symmetric=False), *_small_importances(4, symmetric=True)):
        broken, found = _broken_axioms(omega), _named_axiom(omega)
        held &= found in broken if broken else found is None
        named, cases = named | {found}, cases + 1
    return Measured(cases, float(len(named - {None})), "axioms refused by name when broken", bool(held))


def _small_importances(n: int, *, symmetric: bool) -> Iterator[Any]:
    """All importances of n places, nothing on the diagonal, with the values 0, 1 and 2; or the symmetric ones."""
    upper = np.triu_indices(n, 1)
    count = comb(n, 2)
    for values in product((0, 1, 2), repeat=count if symmetric else 2 * count):
        omega = np.zeros((n, n), dtype=int)
        omega[upper], omega.T[upper] = values[:count], values[-count:]
        yield omega


def _broken_axioms(omega: Any) -> set[str]:
    """The axioms that an importance breaks, from their definitions."""
    w, triples = omega.tolist(), list(permutations(range(len(omega)), 3))
    holds = {
        "P1": all(w[i][j] == w[j][i] for i, j in combinations(range(len(w)), 2)),
        "P2": all(w[i][j] <= w[i][k] for i, j, k in triples if i < j < k or i > j > k),
        "P3": all(w[i][j] <= w[i][k] + w[k][j] for i, j, k in triples),
    }
    return {axiom for axiom, held in holds.items() if not held}


def _named_axiom(omega: Any) -> str | None:
    """The axiom that the refusal of an importance names, or None if it is accepted."""
    try:
        measure.check_importance(omega)
    except ValueError as refusal:
        return next((axiom for axiom in ("P1", "P2", "P3") if axiom in str(refusal)), "none")
    return None


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
    """Splits exactly; mean calls of the ranker on an order and on a circle against their exact means, and these over
    n ln n and over n + k ln k.
    """
    held, largest, runs = True, 0.0, 80 * effort
    for n in range(2, 9):
        for h in (drawn(rng, n), transitive(n)):
            mean, square = calls.split_moments(h)
            held &= mean == Fraction(n - 1, 2) and square <= Fraction((n - 1) * (2 * n - 1), 6) < Fraction(n * n, 3)
        held &= square == Fraction((n - 1) * (2 * n - 1), 6)
    sizes = [(31, 4), (31, 31), (101, 10), (101, 101)]
    for n, k in sizes:
        half = n // 2
        judges = (lambda p: p[:, 0] < p[:, 1], lambda p, half=half, n=n: (p[:, 1] - p[:, 0]) % n <= half)
        parts = calls.in_order_calls(half, k) if k < n else 2 * calls.sort_calls(half)  # in order by the first pivot
        for judge, mean in zip(judges, (calls.in_order_calls(n, k), n - 1 + parts), strict=True):
            asked = [_calls(rank.top_k(n, k, rng), judge) for _ in range(runs)]
            held &= bool(abs(np.mean(asked) - float(mean)) < 6 * np.std(asked) / sqrt(runs))  # calls are skewed
    for n, k in (*sizes, (1000, 10), (1000, 1000)):
        most = 4 * n + 2 * k * log(k) if k < n else 2 * n * log(n)
        largest = max(largest, float(calls.top_calls(n, k)) / most)
    return Measured(2 * len(sizes) * runs, largest, "largest calls over 2n ln n, or 4n + 2k ln k", held and largest < 1)


def _calls(ranker: Ranker, judge: Any) -> int:
    """How many pairs the judge is asked."""
    seen = counted(judge)
    rank.play(ranker, seen)
    return seen.calls
