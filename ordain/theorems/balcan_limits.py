"""Other orders than DEGREE, what attains its factor 2, and what no order can promise [Balcan08]_: a row each, exact."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product
from math import isclose
from typing import Any

import numpy as np
from numpy.random import Generator

from ordain.measure import auc
from ordain.pairs import PairRisk
from ordain.preference import from_scores
from ordain.rank import by_scores, degree, minimum_feedback, play
from ordain.theorems import few_items
from ordain.theorems.exact import examples, feedback, tournaments
from ordain.theorems.exact import label_sequences as regrets
from ordain.theorems.exact.quicksort_law import precedence
from ordain.theorems.row import Measured, row


@row("B-thm4", "every minimum feedback arc set order makes at most twice the mistakes of the tournament", "exact")
def mistakes_of_the_optimum(rng: Generator, effort: int) -> Measured:
    """Tournaments up to their names to n = 6, all orders counted, all labellings."""
    cases, worst, held = 0, Fraction(0), True
    for n in range(2, 7):
        orders = np.array(list(permutations(range(n))))
        labels = np.array(few_items.labellings(n))
        for h in tournaments.tournament_classes(n):
            back = _back(h, orders)
            best = orders[back == back.min()]
            held &= minimum_feedback(h, rng).weight == back.min() == feedback.fewest_back_edges(h)
            f = np.array([tournaments.pair_mistakes(h, row) for row in labels])
            g = _mistakes(best, labels)
            held &= bool((g <= 2 * f).all())
            worst, cases = max(worst, _largest(g.max(axis=0), f)), cases + g.size
            for at in rng.choice(len(labels), min(effort, len(labels)), replace=False):
                found = feedback.optima(feedback.single(h, labels[at]))
                held &= (found.least, found.most) == (g[:, at].min(), g[:, at].max())
    return Measured(cases, float(worst), "largest mistakes over those of the tournament", bool(held))


@row("B-approx", "DEGREE has ≤ 5 × the fewest back edges; yet no approximation factor bounds the mistakes", "exact")
def near_optimal_orders(rng: Generator, effort: int) -> Measured:
    """All orders, n ≤ 6: at most (2 + ε) f + ε (k_W + k_L) mistakes with (1 + ε) × the fewest back edges."""
    cases, worst, held = 0, Fraction(0), all(_errs_although_near(cycles) for cycles in range(1, 5))
    for n in range(2, 7):
        orders = np.array(list(permutations(range(n))))
        labels = np.array(few_items.labellings(n))[:: 1 if n < 6 else max(1, 4 // effort)]
        for h in tournaments.tournament_classes(n):
            back = _back(h, orders)
            by_degree = _back(h, np.array(list(tournaments.degree_orders(h.sum(axis=1)))))
            held &= bool((by_degree <= 5 * back.min()).all())
            worst = max(worst, _largest(by_degree, np.full(len(by_degree), back.min())))
            g, optimum = _mistakes(orders, labels), int(back.min())
            for at, winners in enumerate(labels):
                f, inside = tournaments.pair_mistakes(h, winners), feedback.inside_back_edges(h, winners)
                bound = feedback.approximation_bound(h, winners, 0) + back
                excess = back - optimum  # ε · OPT
                held &= bool((g[:, at] <= bound).all())
                held &= bool((bound * optimum <= (2 * optimum + excess) * f + excess * inside).all())
            cases += g.size
    return Measured(cases, float(worst), "most back edges of DEGREE over the fewest", bool(held))


@row(
    "B-ex1",
    "regular tournaments: g = 2 f with ties against us; for even n g = (2 - 4/(n + 2)) f with ties for us",
    "exact",
)
def regular_tournaments(rng: Generator, effort: int) -> Measured:
    """Every n to 101, mistakes counted in the tournament and in the order."""
    held, ratio = True, Fraction(0)
    for n in range(2, 102):
        example = examples.regular(n)
        scores, winners = example.h.sum(axis=1), example.labels == 1
        f, losers = int(example.h[np.ix_(~winners, winners)].sum()), int((~winners).sum())
        against, favour = (
            few_items.misplaced(tournaments.degree_order(scores, example.labels, ties=ties), example.labels)
            for ties in ("against", "for")
        )
        held &= against == losers * (n - losers) == tournaments.degree_mistakes(scores, example.labels)
        if n % 2:
            held &= against == 2 * f and favour == 0 and len(set(scores.tolist())) == 1
        else:
            ratio = Fraction(favour, max(f, 1))
            held &= ratio == 2 - Fraction(4, n + 2)
    return Measured(100, float(ratio), "g / f at n = 100 with ties for us", bool(held))


@row(
    "B-ex2",
    "three components, f = (1 + δ) n³: V₃, V₁, V₂ is optimal iff δn ≥ 1, all optima have g = (2 + δ) n³ iff δn > 1",
    "exact",
)
def three_components(rng: Generator, effort: int) -> Measured:
    """Closed forms against the built graph; optima of blocks, at n = 2 of the whole graph."""
    cases, ratio, held = 0, Fraction(0), _whole_graph_agrees(2)
    for n in range(1, min(7, 5 + effort)):
        for first in range(2 * n + 1):
            blocks = examples.three_components(n, first)
            h, labels = blocks.expanded()
            f, g = tournaments.pair_mistakes(h, labels), few_items.misplaced(range(len(labels)), labels)
            back, found = feedback.back_edges(h, np.arange(len(labels))), feedback.optima(blocks)
            held &= (back, f, g) == (n**3, n**3 + n * first, 2 * n**3 + n * first)
            held &= found.back_edges == min(n**3, n**3 - n**2 + n * first)
            held &= (found.back_edges == back) == (first >= n)
            held &= (found.back_edges == back and found.least == found.most == g) == (first > n)
            ratio, cases = max(ratio, Fraction(found.least, f)), cases + 1
    return Measured(cases, float(ratio), "largest g / f of all optima", bool(held))


@row("B-pointwise", "pointwise regret r can cost AUC regret n r: one positive among n - 1 negatives", "exact")
def lone_positives(rng: Generator, effort: int) -> Measured:
    """Both regrets from the definition."""
    held, ratio = True, Fraction(0)
    for n in range(2, 31):
        for chance in (Fraction(1), Fraction(int(rng.integers(6, 10)), 10)):
            law, last = examples.lone_positive(n, chance), (*range(1, n), 0)
            pointwise = examples.pointwise_regret([0] * n, law)
            ranked = few_items.order_loss(last, law) - few_items.order_loss(range(n), law)
            held &= ranked == regrets.regret(regrets.before(last), law) == chance >= n * pointwise
            held &= pointwise == (2 * chance - 1) / n
            ratio = ranked / pointwise if chance == 1 else ratio
    return Measured(
        58, float(ratio), "AUC regret over pointwise regret at n = 30, no noise", bool(held and ratio == 30)
    )


@row(
    "B-scorer", "if the preference is a scorer, sorting its n scores is DEGREE, and loses what the scorer does", "exact"
)
def scorers(rng: Generator, effort: int) -> Measured:
    """The orders against the sorted scores, mistakes on average over all ways to break the ties."""
    held, largest = True, Fraction(0)
    for _ in range(100 * effort):
        n = int(rng.integers(2, 7))
        scores, labels = rng.integers(0, 5, n), few_items.some_labels(rng, n)
        pairs = np.array(list(permutations(range(n), 2)))
        h = np.full((n, n), Fraction(1, 2), dtype=object)
        h[tuple(pairs.T)] = [Fraction(answer) for answer in from_scores(scores)(pairs).tolist()]
        for order in (by_scores(scores, rng), play(degree(n, rng), from_scores(scores))):
            held &= scores[order].tolist() == sorted(scores.tolist(), reverse=True)
        orders = list(tournaments.degree_orders(scores))
        mean = Fraction(sum(few_items.misplaced(falling, labels) for falling in orders), len(orders))
        largest = max(largest, abs(mean - tournaments.pair_mistakes(h, labels)))
    return Measured(
        100 * effort, float(largest), "largest difference of mistakes, ties by lot", bool(held and not largest)
    )


@row(
    "B-multi",
    "grades: factor 2 if pairs weigh their difference; weighing one, DEGREE reaches 3 at n = 3, 10/3 at 5",
    "exact",
)
def grades(rng: Generator, effort: int) -> Measured:
    """All tournaments up to their names and all gradings to n = 5; QuickSort to n = 3."""
    cases, held, reached = 0, True, {n: Fraction(0) for n in (2, 3, 4, 5)}
    for n in reached:
        gradings = [g for g in product(range(n), repeat=n) if len({*g}) > 1 and {*g} == {*range(max(g) + 1)}]
        for h, grade in product(tournaments.tournament_classes(n), gradings):
            order = tournaments.degree_order(h.sum(axis=1), grade)
            paid, lost = few_items.misplaced(order, grade), tournaments.pair_mistakes(h, grade)
            held &= paid == 0 or lost > 0
            reached[n] = max(reached[n], Fraction(paid, max(lost, 1)))
            weighed = sum(grade[v] - grade[u] for u, v in combinations(order, 2) if grade[v] > grade[u])
            held &= weighed <= 2 * tournaments.pair_mistakes(h, grade, difference=True)
            held &= n > 3 or _sorting_keeps_grades(h, grade)
            cases += 1
    held &= reached == {2: 1, 3: 3, 4: 3, 5: Fraction(10, 3)}
    return Measured(cases, float(max(reached.values())), "DEGREE's largest factor, pairs weighing one", bool(held))


@row(
    "B-sets",
    "sets drawn from a distribution: only pairs within a set count, and the factor 2 holds on average",
    "exact",
)
def drawn_sets(rng: Generator, effort: int) -> Measured:
    """Pairs counted within groups; regrets set by set for one preference on all items."""
    held, worst = True, Fraction(0)
    for _ in range(40 * effort):
        n = 6
        groups, scores = np.append(0, rng.integers(0, 3, n - 1)), rng.integers(0, 4, n)
        labels = np.array([1, 0, *rng.integers(0, 2, n - 2)])
        groups[1] = 0
        pairs = [(u, v) for u, v in permutations(range(n), 2) if labels[u] > labels[v] and groups[u] == groups[v]]
        won = sum(Fraction(1 + int(np.sign(scores[u] - scores[v])), 2) for u, v in pairs)
        held &= auc(labels, scores, groups=groups) == float(won / len(pairs))
        risk, _ = PairRisk(labels, "squared", groups=groups).value_gradient(scores.astype(float))
        held &= isclose(risk, sum((1 - int(scores[u] - scores[v])) ** 2 for u, v in pairs) / len(pairs), abs_tol=1e-12)
        h, classified, ranked = tournaments.random_tournament(n, rng), Fraction(0), Fraction(0)
        for size in (3, 4):
            items = rng.choice(n, size, replace=False)
            law, part = few_items.law(rng, size), h[np.ix_(items, items)]
            orders = {order: few_items.order_loss(order, law) for order in permutations(range(size))}
            least = min(orders.values())
            ranked += max(orders[order] for order in tournaments.degree_orders(part.sum(axis=1))) - least
            classified += few_items.preference_loss(part, law) - least
            held &= regrets.regret(part, law) == few_items.preference_loss(part, law) - least
        held &= ranked <= 2 * classified
        worst = max(worst, ranked / classified if classified else worst)
    return Measured(40 * effort, float(worst), "largest AUC regret over classification regret", bool(held))


def _back(h: Any, orders: Any) -> Any:
    """The back edges of each order, by counting."""
    n = len(h)
    return sum(h[orders[:, j], orders[:, i]] for i, j in combinations(range(n), 2))


def _mistakes(orders: Any, labels: Any) -> Any:
    """Pairs with a loser first, for each order and labelling."""
    n = orders.shape[1]
    placed = labels[:, orders].swapaxes(0, 1)  # order, labelling, place
    return sum((1 - placed[:, :, i]) * placed[:, :, j] for i, j in combinations(range(n), 2))


def _largest(paid: Any, owed: Any) -> Fraction:
    """The largest paid / owed where anything is owed."""
    return max((Fraction(int(a), int(b)) for a, b in zip(paid, owed, strict=True) if b), default=Fraction(0))


def _errs_although_near(cycles: int) -> bool:
    """One mistake of an order with one back edge more than the fewest, where the preference makes none."""
    example = examples.near_optimal(cycles)
    back, fewest = feedback.back_edges(example.h, example.order), feedback.fewest_back_edges(example.h)
    none = tournaments.pair_mistakes(example.h, example.labels)
    return (back, fewest, none, few_items.misplaced(example.order, example.labels)) == (cycles + 1, cycles, 0, 1)


def _whole_graph_agrees(n: int) -> bool:
    """Whether blocks give the optima of the whole graph; without V₁ it needs n³ - n² back edges, not n³."""
    sizes = range(2 * n)
    whole = [feedback.optima(feedback.single(*examples.three_components(n, first).expanded())) for first in sizes]
    parts = [feedback.optima(examples.three_components(n, first)) for first in sizes]
    return whole == parts and whole[0].back_edges == n**3 - n**2


def _sorting_keeps_grades(h: Any, grade: Any) -> bool:
    """QuickSort: the expected loss is that of the preference if pairs weigh their difference, else at most twice it."""
    mean = precedence(h)
    weighed, counted = (
        [tournaments.pair_mistakes(ranking, grade, difference=difference) for ranking in (mean, h)]
        for difference in (True, False)
    )
    return bool(weighed[0] == weighed[1] and counted[0] <= 2 * counted[1])
