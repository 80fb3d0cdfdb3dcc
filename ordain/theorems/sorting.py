"""Rows Q: sorting by a preference that may be cyclic or random, exactly for a few items [AilonMohri10]_."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain import measure, rank
from ordain.preference import check_matrix, counted, from_matrix, symmetrised
from ordain.theorems.row import Measured, row
from ordain.theory import calls, luck, regrets, sorting
from ordain.theory.adversary import circle, defeat

VALUES = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
HALF = Fraction(1, 2)


def _preference(rng: Generator, n: int, values: list[Fraction] = VALUES) -> Any:
    """A random preference with entries from `values`."""
    h = np.full((n, n), HALF, dtype=object)
    for u, v in combinations(range(n), 2):
        h[u, v] = values[rng.integers(len(values))]
        h[v, u] = 1 - h[u, v]
    return h


def _transitive(n: int) -> Any:
    return np.triu(np.ones((n, n), dtype=int), 1)


def _one_back_edge(n: int) -> Any:
    """0, 1, …, n - 1 in order, except that the last beats the first."""
    h = _transitive(n)
    h[0, n - 1], h[n - 1, 0] = 0, 1
    return h


def _labellings(n: int) -> list[tuple[int, ...]]:
    return [labels for labels in product([0, 1], repeat=n) if 0 < sum(labels) < n]


def _labels(rng: Generator, n: int) -> tuple[int, ...]:
    every = _labellings(n)
    return every[rng.integers(len(every))]


def _importances(n: int) -> list[Any]:
    """Kemeny's, one that counts the first place only, two classes, all grades by their difference."""
    plain = [measure.kemeny(n), measure.top_heavy(n, 1), measure.bipartite(1, n - 1), measure.bipartite(n - 1, 1)]
    return [omega * Fraction(1) for omega in (*plain, measure.multipartite([1] * n, difference=True))]


def _wrong(h: Any, labels: tuple[int, ...]) -> Fraction:
    """The share of mixed pairs that a preference has wrong, from its definition."""
    pairs = [(u, v) for u, v in permutations(range(len(labels)), 2) if labels[u] > labels[v]]
    return sum((Fraction(h[v, u]) for u, v in pairs), Fraction(0)) / len(pairs)


def _weighed(h: Any, tau: Any) -> Fraction:
    """L(h, τ*), from its definition."""
    n = len(tau)
    return sum((h[u, v] * tau[v, u] for u, v in permutations(range(n), 2)), Fraction(0)) / comb(n, 2)


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
        h = _preference(rng, n)
        judge = from_matrix(h.astype(float))
        seen = Counter(tuple(rank.play(rank.quicksort(n, rng), judge).tolist()) for _ in range(runs))
        law = sorting.output_distribution(h)
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
        h = _preference(rng, n)
        seen: Counter[tuple[int, ...]] = Counter()
        asked = []
        for _ in range(runs):
            judge = counted(from_matrix(h.astype(float)))
            seen[tuple(rank.play(rank.top_k(n, k, rng), judge)[:k].tolist())] += 1
            asked.append(judge.calls)
        law: Counter[tuple[int, ...]] = Counter()
        for order, chance in sorting.output_distribution(h).items():
            law[order[:k]] += chance  # type: ignore[assignment]
        worst = max(worst, *(_errors(seen[prefix], runs, float(chance)) for prefix, chance in law.items()))
        spread = max(float(np.std(asked)) / sqrt(runs), 1e-9)
        worst = max(worst, abs(float(np.mean(asked)) - float(sorting.expected_calls(h, k))) / spread)
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
        for number, omega in enumerate(_importances(n)):
            tau, h = measure.generalised_ranking(truth, omega), _preference(rng, n)
            held &= measure.importance_loss(truth, h, omega) == _weighed(h, tau)
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
        h = _preference(rng, n)
        X: Any = rng.integers(-5, 6, (n, n)).astype(object) * Fraction(1)
        Z = X + X.T
        compared, together = sorting.compared(h), sorting.met_together(h)
        pairs, triples = sorting.over_pairs, sorting.over_triples
        held &= pairs(Z) == pairs(compared * Z) + triples(together * sorting.gamma(h, Z))
        paid = sum(
            chance * sum(X[v, u] for u, v in combinations(order, 2))
            for order, chance in sorting.output_distribution(h).items()
        )
        held &= paid == pairs(compared * sorting.alpha(h, X)) + triples(together * sorting.beta(h, X))
        for number, omega in enumerate(_importances(n)):
            tau = measure.generalised_ranking(rng.permutation(n), omega)
            beta, gamma = sorting.beta(h, tau), sorting.gamma(h, sorting.alpha(h, tau))
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
        h = _preference(rng, n)
        for omega in _importances(n):
            tau = measure.generalised_ranking(rng.permutation(n), omega)
            mean, given = sorting.expected_loss(h, tau), _weighed(h, tau)
            held &= mean <= 2 * given
            largest, cases = max(largest, mean / given if given else largest), cases + 1
    for n in range(3, 8):
        h, tau = _one_back_edge(n), _transitive(n)
        ratio = sorting.expected_loss(h, tau) / _weighed(h, tau)
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
        h = _preference(rng, n)
        before = sorting.precedence(h)
        for labels in _labellings(n):
            worst, cases = max(worst, abs(_wrong(before, labels) - _wrong(h, labels))), cases + 1
        found = regrets.regrets(_outcomes(rng, n), h)
        held &= found.weak_ranking == found.weak_preference and found.strong_ranking <= found.strong_preference
    return Measured(cases, float(worst), "largest difference of the two losses", held and worst == 0)


def _outcomes(rng: Generator, n: int) -> list[regrets.Outcome]:
    """Three sets with two labellings each, the first being all items."""
    sizes = [n, *rng.integers(2, n + 1, 2).tolist()]
    sets = [tuple(sorted(rng.choice(n, size, replace=False).tolist())) for size in sizes]
    chances = rng.integers(1, 5, 6).tolist()
    pairs = zip(chances, [items for items in sets for _ in range(2)], strict=True)
    return [regrets.labelled(Fraction(c, sum(chances)), items, _labels(rng, len(items))) for c, items in pairs]


@row("Q-cor12", "E L(Q, σ) ≤ 2 L(h, σ) and E L(h, Q) ≤ 3 L(h, σ), σ nearest to h; 3(n-2)/n is attained.", "exact")
def nearest_order(rng: Generator, effort: int) -> Measured:
    """Random preferences, and a transitive one with a back edge."""
    largest, held, cases = Fraction(0), True, 0
    for number in range(8 * effort + 5):
        back = number >= 8 * effort
        n = number - 8 * effort + 3 if back else int(rng.integers(3, 6))
        h = _one_back_edge(n) * Fraction(1) if back else _preference(rng, n)
        order = rank.minimum_feedback(h.astype(float), rng).order
        tau = measure.generalised_ranking(order, measure.kemeny(n))
        least, before = _weighed(h, tau), sorting.precedence(h)
        held &= (before + before.T == 1).all()
        disagreement = sum((h[u, v] * before[v, u] for u, v in permutations(range(n), 2)), Fraction(0)) / comb(n, 2)
        held &= sorting.expected_loss(h, tau) <= 2 * least and disagreement <= 3 * least
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
        for h in (_preference(rng, n), _transitive(n)):
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
                == _wrong(found.preference, tuple(found.labels.tolist()))
            )
            ratios.append(found.ranking_loss / found.preference_loss)
    h = circle(5) * Fraction(1) + np.eye(5, dtype=int) * HALF
    before = sorting.precedence(h)
    held &= all(_wrong(before, labels) == _wrong(h, labels) for labels in _labellings(5))
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
    found = regrets.regrets(opposed, _preference(rng, 3))
    gap = found.weak_preference - found.strong_preference  # no preference is best for both sets
    for _ in range(8 * effort):
        n = int(rng.integers(3, 5))
        outcomes, h = _outcomes(rng, n), _preference(rng, n)
        found = regrets.regrets(outcomes, h)
        held &= found.weak_ranking >= 0 and found.weak_ranking >= found.strong_ranking
        held &= found.weak_preference >= found.strong_preference >= 0
        gap = max(gap, found.weak_preference - found.strong_preference)
        whole = sum(regrets.risks(outcomes).values())
        held &= regrets.loss(regrets.local_optimum(whole), whole) == min(
            regrets.loss(tournament, whole) for tournament in _tournaments(n)
        )
        unlike = [regrets.labelled(HALF, (0, 1), (1, 0)), regrets.labelled(HALF, range(3), (1, 0, 0))]
        held &= regrets.irrelevant_alternatives(unlike) == (0, 1)  # normalised, a pair counts by the size of its set
        alike = [regrets.labelled(HALF, (0, 1), (1, 0)), regrets.labelled(HALF, range(3), (1, 0, 0), normalised=False)]
        held &= regrets.irrelevant_alternatives(alike) is None
        found = regrets.regrets(alike, h[:3, :3])
        held &= found.weak_preference == found.strong_preference
    return Measured(8 * effort, float(gap), "largest weak minus strong preference regret", bool(held and gap > 0))


def _tournaments(n: int) -> list[Any]:
    found = []
    for bits in product([0, 1], repeat=comb(n, 2)):
        h = np.zeros((n, n), dtype=int)
        h[np.triu_indices(n, 1)] = bits
        found.append(h + np.tril(1 - h.T, -1))
    return found


@row("Q-greedy", "The greedy order has l ≤ ½ + l*/2, l* being the least disagreement with the preference.", "numeric")
def greedy(rng: Generator, effort: int) -> Measured:
    """Random preferences, all orders tried."""
    tightest, cases = np.inf, 20 * effort
    for _ in range(cases):
        n = int(rng.integers(2, 6))
        h = _preference(rng, n)
        share = {
            order: float(sum(h[v, u] for u, v in combinations(order, 2)) / comb(n, 2))
            for order in permutations(range(n))
        }
        order = tuple(rank.play(rank.greedy(n, rng), from_matrix(h.astype(float))).tolist())
        tightest = min(tightest, 0.5 + min(share.values()) / 2 - share[order])
    return Measured(cases, tightest, "smallest room below the bound", tightest >= -1e-12)


@row(
    "X-calls",
    "QuickSort asks at most 2(n+1)H_n - 4n pairs on average for every preference, the best item 2n - 2H_n.",
    "exact",
)
def most_calls(rng: Generator, effort: int) -> Measured:
    """Random preferences, tournaments of four, and transitive ones, which attain both."""
    largest, held, cases = Fraction(0), True, 0
    tried = [_preference(rng, int(rng.integers(2, 7))) for _ in range(10 * effort)]
    for h in (*tried, *_tournaments(4)[::3]):
        n = len(h)
        largest = max(largest, sorting.expected_calls(h) / calls.sort_calls(n))
        largest = max(largest, sorting.expected_calls(h, 1) / calls.best_calls(n))
        cases += 1
    for n in range(2, 8):
        held &= sorting.expected_calls(_transitive(n)) == calls.sort_calls(n)
        held &= sorting.expected_calls(_transitive(n), 1) == calls.best_calls(n)
    return Measured(cases + 6, float(largest), "largest expected calls over the bound", bool(held and largest <= 1))


@row(
    "X-topcalls",
    "The first k take at most 4(n-1) + 2kH_{k-1} - 4(k-1) pairs on average, for every preference.",
    "exact",
)
def most_top_calls(rng: Generator, effort: int) -> Measured:
    """Random preferences, a circle, orders of up to 100 items, and every k."""
    tried = [_preference(rng, int(rng.integers(2, 7))) for _ in range(8 * effort)]
    asked = [(len(h), k, sorting.expected_calls(h, k)) for h in (*tried, circle(7)) for k in range(1, len(h) + 1)]
    asked += [(n, k, calls.in_order_calls(n, k)) for n in (2, 7, 30, 100) for k in range(1, n + 1, 1 + n // 20)]
    held = all(0 <= expected <= calls.top_calls(n, k) for n, k, expected in asked)
    held &= all(calls.in_order_calls(5, k) == sorting.expected_calls(_transitive(5), k) for k in range(1, 6))
    largest = max(expected / (4 * (n - 1) + calls.sort_calls(k - 1)) for n, k, expected in asked)
    return Measured(len(asked), float(largest), "largest expected calls over the bound", bool(held and largest <= 1))


@row(
    "X-topk", "Of the first k ≤ m, with N negatives among them, E N(m - k + N) ≤ mn L(h), so E N ≤ √(mn L(h)).", "exact"
)
def negatives_at_top(rng: Generator, effort: int) -> Measured:
    """Random preferences and labels; an order that attains both at k = m."""
    largest, cases = Fraction(0), 0
    for _ in range(10 * effort):
        n = int(rng.integers(2, 6))
        h, labels = _preference(rng, n), _labels(rng, n)
        room = sum(labels) * (n - sum(labels)) * _wrong(h, labels)
        for k in range(1, sum(labels) + 1):
            mean, crossing = luck.negatives_at_top(h, labels, k)
            largest = max(largest, crossing / room if room else largest, mean**2 / room if room else largest)
            largest, cases = (largest if room or not crossing else Fraction(2)), cases + 1
    order = (1, 0, 0, 1, 1, 0)  # m = 3, two negatives among the first three, four inverted pairs
    mean, crossing = luck.negatives_at_top(_transitive(6), order, 3)
    attained = mean**2 == crossing == 4 == 9 * _wrong(_transitive(6), order)
    return Measured(cases + 1, float(largest), "largest E N(m - k + N) over mn L", bool(attained and largest <= 1))


@row(
    "X-tail", "Var(loss) ≤ L(1 - L) and P(loss = 1) ≤ L; a wrong answer against a lone positive has L/(1 + L).", "exact"
)
def unlucky_runs(rng: Generator, effort: int) -> Measured:
    """Random preferences and labels; the family, whose law is known."""
    held, largest, cases = True, Fraction(0), 0
    for _ in range(10 * effort):
        n = int(rng.integers(2, 6))
        h, labels = _preference(rng, n), _labels(rng, n)
        law, given = luck.loss_distribution(h, labels), _wrong(h, labels)
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
        held &= sorting.output_distribution(by_lot) == sorting.output_distribution(both)
        outcomes = [regrets.labelled(Fraction(1, 3), range(n), _labels(rng, n)) for _ in range(3)]
        risk = sum(regrets.risks(outcomes).values())
        fair = regrets.loss(sorting.precedence(luck.calibrated(risk)), risk)
        rounded = regrets.loss(sorting.precedence(regrets.local_optimum(risk).astype(int)), risk)
        held &= rounded == regrets.best_order(risk) <= fair <= 2 * rounded
    for wins in (3, 9, 99):
        chance = Fraction(wins, wins + 1)
        risk = np.array([[0, chance], [1 - chance, 0]], dtype=object)
        fair = regrets.loss(sorting.precedence(luck.calibrated(risk)), risk)
        held &= fair == 2 * chance * (1 - chance)
        largest = max(largest, fair / (1 - chance))
    return Measured(6 * effort + 3, float(largest), "largest loss of coins over that of rounding", bool(held))
