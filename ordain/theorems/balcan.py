"""Ordering by wins loses at most twice what the tournament does [Balcan08]_: a row each, in fractions.

What bounds it from below, and other orders, are in :mod:`ordain.theorems.balcan_limits`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from math import comb

import numpy as np
from numpy.random import Generator

from ordain.measure import auc_loss
from ordain.preference import from_matrix
from ordain.rank import degree, play
from ordain.theorems import few_items
from ordain.theorems.exact import compression, examples, tournaments
from ordain.theorems.exact import label_sequences as regrets
from ordain.theorems.exact.compression import Compressed, Level
from ordain.theorems.exact.label_sequences import LabelLaw
from ordain.theorems.row import Measured, row


@row("B-degree", "DEGREE orders by the number of wins; ties are broken by lot, or for the analysis against us", "exact")
def by_wins(rng: Generator, effort: int) -> Measured:
    """Against wins counted pair by pair, and the mistakes of every way to break the ties; of three that tie, every
    order comes out.
    """
    level = from_matrix(np.full((3, 3), 0.5))
    held, worst = len({tuple(play(degree(3, rng), level).tolist()) for _ in range(200)}) == 6, Fraction(0)
    for _ in range(100 * effort):
        n = int(rng.integers(2, 7))
        h, labels, seed = (
            few_items.drawn(rng, n, few_items.parts(4)),
            few_items.some_labels(rng, n),
            int(rng.integers(1 << 30)),
        )
        first, again = (play(degree(n, np.random.default_rng(seed)), from_matrix(h)).tolist() for _ in range(2))
        wins = [sum(h[u, v] for v in range(n) if v != u) for u in range(n)]
        worst = max(worst, *(wins[v] - wins[u] for u, v in combinations(first, 2)))
        mistakes = [few_items.misplaced(order, labels) for order in tournaments.degree_orders(wins)]
        against, favour = (
            few_items.misplaced(tournaments.degree_order(wins, labels, ties=ties), labels)
            for ties in ("against", "for")
        )
        held &= first == again and favour == min(mistakes)
        held &= against == max(mistakes) == tournaments.degree_mistakes(wins, labels)
    return Measured(
        100 * effort, float(worst), "most wins by which an item follows one with fewer", bool(held and not worst)
    )


@row("B-loss", "AUC loss of an order or a preference: the share of mixed pairs it has the wrong way round", "exact")
def loss_of_rankings(rng: Generator, effort: int) -> Measured:
    """Against the count over pairs, and from the places of the positives."""
    held, largest = True, Fraction(0)
    for _ in range(100 * effort):
        n = int(rng.integers(2, 9))
        h, labels, order = (
            few_items.drawn(rng, n, few_items.parts(7)),
            few_items.some_labels(rng, n),
            rng.permutation(n),
        )
        positives = int(labels.sum())
        mixed = positives * (n - positives)
        wrong = sum(h[v, u] for u, v in permutations(range(n), 2) if labels[u] > labels[v])
        places = sum(place for place, item in enumerate(order.tolist()) if labels[item])
        by_places = Fraction(places - comb(positives, 2), mixed)
        held &= by_places == Fraction(few_items.misplaced(order, labels), mixed)
        held &= auc_loss(labels, order) == float(by_places)
        largest = max(largest, abs(auc_loss(labels, h) - wrong / mixed))
    return Measured(100 * effort, float(largest), "largest distance from the count", bool(held and not largest))


@row(
    "B-thm1", "AUC regret of DEGREE ≤ 2 × classification regret on a set; not with one classifier for all sets", "exact"
)
def regret_of_degree(rng: Generator, effort: int) -> Measured:
    """All tournaments to n = 5, ties in the worst way, label laws drawn; least losses over all orders."""
    cases, worst, held = 0, Fraction(0), _one_for_all_sets_fails()
    for law in [examples.marginals_mislead(), *(few_items.law(rng, n) for n in (2, 3, 4, 5) * 2 * effort)]:
        n = len(next(iter(law)))
        losses = regrets.pair_losses(law)
        paid = {order: few_items.order_loss(order, law) for order in permutations(range(n))}
        least = regrets.expected_loss(regrets.before(regrets.best_order(law)), losses)
        held &= least == min(paid.values())
        for h in tournaments.tournaments(n):
            classified = regrets.expected_loss(h, losses) - least
            ranked = max(paid[order] for order in tournaments.degree_orders(tournaments.scores_of(h))) - least
            held &= ranked <= 2 * classified
            worst, cases = max(worst, ranked / classified if classified else worst), cases + 1
    return Measured(cases, float(worst), "largest AUC regret over classification regret", bool(held))


@row("B-decomp", "both regrets are sums over the cuts of the best order, with g_k ≤ 2 f_k; Lemmas 1 and 2", "exact")
def cuts_of_the_best_order(rng: Generator, effort: int) -> Measured:
    """Regrets from the definition, with the least loss over all orders, against the sums over cuts."""
    worst, held = Fraction(0), True
    for _ in range(100 * effort):
        n = int(rng.integers(2, 6))
        law, h = few_items.law(rng, n), tournaments.random_tournament(n, rng)
        order = tournaments.degree_order(tournaments.scores_of(h), regrets.worths(law))
        parts = regrets.decomposition(h, order, law)
        least = min(few_items.order_loss(other, law) for other in permutations(range(n)))
        held &= (
            parts.auc_regret == few_items.order_loss(order, law) - least == regrets.regret(regrets.before(order), law)
        )
        held &= parts.classification_regret == few_items.preference_loss(h, law) - least == regrets.regret(h, law)
        held &= _lemmas_hold(law) and min(parts.steps) >= 0
        held &= all(g <= 2 * f for f, g in zip(parts.pairs, parts.ranks, strict=True))
        worst = max([worst, *(Fraction(g, f) for f, g in zip(parts.pairs, parts.ranks, strict=True) if f)])
    return Measured(100 * effort, float(worst), "largest g_k / f_k", bool(held))


@row("B-thm2", "g ≤ 2 f for every tournament with winners and losers; both depend on the scores only", "exact")
def mistakes_of_degree(rng: Generator, effort: int) -> Measured:
    """All score sequences and labellings to n = 10, mistakes counted in a built tournament too; n = 500 drawn."""
    cases, worst, held = 0, Fraction(0), True
    for n in range(2, 11):
        labels = np.array(few_items.labellings(n))
        for scores in tournaments.score_sequences(n):
            f, g = tournaments.pair_mistakes_by_scores(scores, labels), tournaments.degree_mistakes(scores, labels)
            h = tournaments.with_scores(scores)
            held &= bool((g <= 2 * f).all() and (f == (((1 - labels) @ h) * labels).sum(axis=1)).all())
            cases, at = cases + len(labels), int(np.argmax(g / np.maximum(f, 1)))
            worst = max(worst, Fraction(int(g[at]), max(int(f[at]), 1)))
    for n in [100, 500] * effort:
        h = tournaments.random_tournament(n, rng)
        labels = (np.argsort(np.argsort(h.sum(axis=1))) < rng.integers(1, n)).astype(int)
        held &= 0 < tournaments.degree_mistakes(h.sum(axis=1), labels) <= 2 * tournaments.pair_mistakes(h, labels)
    return Measured(cases + 2 * effort, float(worst), "largest g / f", bool(held))


@row("B-landau", "whole numbers are the scores of a tournament exactly if ⟨0, …, n - 1⟩ majorises them", "exact")
def scores_by_landau(rng: Generator, effort: int) -> Measured:
    """The scores of all tournaments to n = 7 against the condition, and tournaments built from them."""
    cases, held, found = 0, True, 0
    for n in range(1, 8):
        seen = _scores_of_all(n)
        rising = [scores for scores in combinations_with_replacement(range(n), n) if sum(scores) == comb(n, 2)]
        held &= seen == set(tournaments.score_sequences(n)) == set(filter(tournaments.is_landau, rising))
        for scores in seen:
            mixed = rng.permutation(scores)
            h = tournaments.with_scores(mixed)
            held &= bool((h.sum(axis=1) == mixed).all() and (h + h.T == 1 - np.eye(n)).all())
        cases, found = cases + 2 ** comb(n, 2), len(seen)
    return Measured(cases, found, "score sequences of the largest tournaments", held)


@row(
    "B-thm3",
    "the proof of g ≤ 2 f as a program: 1a, 1b, 2, 3 lead to a canonical sequence, g - 2 f never falls",
    "exact",
)
def canonical_sequences(rng: Generator, effort: int) -> Measured:
    """Every step of every trace: the totals, Landau's condition item by item, g - 2f from double sums."""
    held, used, largest = True, set(), -Fraction(10**9)
    for _ in range(400 * effort):
        start = _compressed(rng)
        trace = compression.canonised(start)
        items = [level for level in start.levels for _ in range(int(level.items))]
        g = sum(a.losers * b.winners for a in start.levels for b in start.levels if a.degree >= b.degree)
        losers = sum(level.losers for level in start.levels)
        held &= start.excess == g - sum(2 * a.losers * a.degree for a in start.levels) + losers * (losers - 1)
        excesses = [sequence.excess for sequence in trace.sequences]
        held &= excesses == sorted(excesses) and excesses[-1] <= 0 and trace.end.is_canonical
        held &= all(_same_totals(start, sequence) for sequence in trace.sequences)
        held &= len(trace.steps) < 3 * len(items)
        used |= {step.name for step in trace.steps}
        largest = max(largest, excesses[-1])
    return Measured(400 * effort, float(largest), "largest g - 2 f at the end", held and used == {"1a", "1b", "2", "3"})


@row("X-degree", "g ≤ 2 f for DEGREE by sums of fractional answers, whose scores satisfy Landau's condition", "exact")
def mistakes_of_fractional_degree(rng: Generator, effort: int) -> Measured:
    """Scores and mistakes counted pair by pair, and the trace of the proof."""
    worst, held = Fraction(0), True
    for _ in range(200 * effort):
        n, parts = int(rng.integers(2, 8)), int(rng.integers(2, 12))
        h, labels = few_items.drawn(rng, n, few_items.parts(parts)), few_items.some_labels(rng, n)
        scores = [sum(h[u, v] for v in range(n) if v != u) for u in range(n)]
        pairs = [(u, v) for u, v in permutations(range(n), 2) if labels[u] < labels[v]]
        f, g = sum(h[pair] for pair in pairs), sum(1 for u, v in pairs if scores[u] >= scores[v])
        trace = compression.canonised(compression.compressed(scores, labels))
        held &= tournaments.scores_of(h).tolist() == scores and tournaments.is_landau(scores)
        held &= g - 2 * f == compression.fractional_excess(h, labels) == trace.start.excess <= trace.end.excess <= 0
        worst = max(worst, g / f if f else worst)
    return Measured(200 * effort, float(worst), "largest g / f", bool(held))


def _one_for_all_sets_fails() -> bool:
    """Whether a preference without regret over all sets gives DEGREE orders with regret."""
    h, sets = examples.one_for_all_sets()
    losses = regrets.pooled_losses(sets, len(h))
    paid = Fraction(0)
    for chance, items, law in sets:
        scores = tournaments.scores_of(h[np.ix_(items, items)])
        paid += chance * max(few_items.order_loss(order, law) for order in tournaments.degree_orders(scores))
    no_regret = regrets.expected_loss(h, losses) == regrets.least_preference_loss(losses)
    return bool(no_regret and paid - regrets.least_order_loss(losses) == Fraction(1, 8))


def _lemmas_hold(law: LabelLaw) -> bool:
    """Regrets add up along proper pairs; in the best order no pair has any; both from the losses of the pairs."""
    losses, regret = regrets.pair_losses(law), regrets.pair_regrets(law)
    items = range(len(losses))
    paid = {(u, v): max(losses[v, u] - losses[u, v], 0) for u, v in permutations(items, 2)}  # u comes before v
    added = all(
        paid[u, w] == paid[u, v] + paid[v, w]
        for u, v, w in permutations(items, 3)
        if losses[v, u] >= losses[u, v] and losses[w, v] >= losses[v, w]
    )
    free = all(paid[int(u), int(v)] == 0 for u, v in combinations(regrets.best_order(law), 2))
    return added and free and all(regret[pair] == value for pair, value in paid.items())


def _scores_of_all(n: int) -> set[tuple[int, ...]]:
    """The rising scores of all 2^C(n, 2) tournaments, a bit for each game."""
    codes = np.arange(1 << comb(n, 2))
    scores = np.zeros((len(codes), n), dtype=np.int8)
    for game, (u, v) in enumerate(combinations(range(n), 2)):
        won = (codes >> game & 1).astype(np.int8)
        scores[:, u] += won
        scores[:, v] += 1 - won
    scores.sort(axis=1)
    number = scores @ n ** np.arange(n)
    return {tuple(row) for row in scores[np.unique(number, return_index=True)[1]].tolist()}


def _compressed(rng: Generator) -> Compressed:
    """Scores of a preference with few values, so that some are equal, shared between winners and losers at will."""
    n = int(rng.integers(2, 9))
    scores = tournaments.scores_of(few_items.drawn(rng, n, few_items.parts(int(rng.integers(1, 4)))))
    levels = []
    for level in compression.compressed(scores, np.ones(n, dtype=int)).levels:
        share = level.items * Fraction(int(rng.integers(5)), 4)
        levels.append(Level(level.degree, share, level.items - share))
    return Compressed(tuple(levels))


def _same_totals(start: Compressed, other: Compressed) -> bool:
    """Whether winners, losers and Landau's condition stayed; the condition over single items, one by one."""
    totals = [
        (sum(a.winners for a in sequence.levels), sum(a.losers for a in sequence.levels)) for sequence in (start, other)
    ]
    single = [level.degree for level in other.levels for _ in range(int(level.items))]
    whole = all(level.items % 1 == 0 for level in other.levels)
    return totals[0] == totals[1] and whole and tournaments.is_landau(single)
