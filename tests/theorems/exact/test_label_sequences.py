"""Regrets on drawn labels, from the definition over all orders: Theorem 1, Lemmas 1 and 2, and where they end."""

from fractions import Fraction
from itertools import combinations, permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.theorems.exact import examples, tournaments
from ordain.theorems.exact import label_sequences as regrets

few = settings(max_examples=40)


@st.composite
def laws(draw, least=2, most=5):
    """A distribution of label sequences, some perhaps without a mixed pair."""
    n = draw(st.integers(least, most))
    sequences = draw(st.lists(st.tuples(*[st.integers(0, 1)] * n), min_size=1, max_size=5, unique=True))
    weights = [draw(st.integers(1, 6)) for _ in sequences]
    return {labels: Fraction(weight, sum(weights)) for labels, weight in zip(sequences, weights, strict=True)}


@few
@given(laws(most=4))
def test_no_preference_beats_the_order_by_worth(law):
    n = len(next(iter(law)))
    best = regrets.best_order(law).tolist()
    everything = min(naive.drawn_loss(h, law) for h in tournaments.tournaments(n))
    assert naive.drawn_loss(naive.before(best), law) == naive.least_drawn_loss(law) == everything


@few
@given(laws(), st.integers(0, 10**6))
def test_losses_and_regrets_are_those_of_the_definition(law, seed):
    n = len(next(iter(law)))
    h = tournaments.random_tournament(n, np.random.default_rng(seed))
    assert regrets.expected_loss(h, regrets.pair_losses(law)) == naive.drawn_loss(h, law)
    assert regrets.regret(h, law) == naive.drawn_loss(h, law) - naive.least_drawn_loss(law)
    order = np.random.default_rng(seed).permutation(n).tolist()
    lost = naive.drawn_loss(naive.before(order), law)
    assert regrets.regret(regrets.before(order), law) == lost - naive.least_drawn_loss(law)


@few
@given(laws(least=3))
def test_lemmas_1_and_2(law):
    """Regrets of proper pairs add up; an order without regret has no pair with any."""
    n = len(next(iter(law)))
    e = [[naive.drawn_pair_loss(law, u, v) for v in range(n)] for u in range(n)]
    r = [[max(e[u][v] - e[v][u], 0) for v in range(n)] for u in range(n)]
    assert regrets.pair_regrets(law).tolist() == r
    for u, v, w in permutations(range(n), 3):
        if e[u][v] >= e[v][u] and e[v][w] >= e[w][v]:
            assert r[u][w] == r[u][v] + r[v][w]
    least = naive.least_drawn_loss(law)
    for order in permutations(range(n)):
        if naive.drawn_loss(naive.before(order), law) == least:
            assert all(r[u][v] == 0 for u, v in combinations(order, 2))


@few
@given(laws(least=3, most=3))
def test_lemma_1_as_printed_holds_for_three_items(law):
    """l(i, j) - l(j, i) = ½ E[y_i - y_j], the two mixed pairs of every sequence cancelling."""
    chance = [sum((p for labels, p in law.items() if 0 < sum(labels) < 3 and labels[u]), Fraction(0)) for u in range(3)]
    worth = regrets.worths(law)
    assert all(worth[u] - worth[v] == (chance[u] - chance[v]) / 2 for u, v in permutations(range(3), 2))


def test_lemma_1_as_printed_fails_for_four_items():
    """Even the sign of E[y_u - y_v] can be wrong, and the order by E[y_u] has regret; E[(y_u - y_v)/M(y)] is right."""
    law = examples.marginals_mislead()
    chance = [sum(p for labels, p in law.items() if labels[u]) for u in range(4)]
    worth = regrets.worths(law)
    assert chance[0] > chance[3]
    assert worth[0] < worth[3]
    assert naive.drawn_pair_loss(law, 3, 0) - naive.drawn_pair_loss(law, 0, 3) == worth[0] - worth[3]
    orders = sorted(range(4), key=lambda u: -chance[u]), regrets.best_order(law)
    by_chance, best = (naive.drawn_loss(naive.before(order), law) for order in orders)
    assert by_chance > naive.least_drawn_loss(law) == best


@few
@given(laws(), st.integers(0, 10**6))
def test_the_decomposition(law, seed):
    """r_class = Σ f_k r_k, r_AUC = Σ g_k r_k, and g_k ≤ 2 f_k where the order is DEGREE's."""
    n = len(next(iter(law)))
    rng = np.random.default_rng(seed)
    h = tournaments.random_tournament(n, rng)
    least = naive.least_drawn_loss(law)
    for order in (rng.permutation(n).tolist(), *(list(o) for o in tournaments.degree_orders(h.sum(axis=1)))):
        parts = regrets.decomposition(h, order, law)
        assert min(parts.steps) >= 0
        assert parts.classification_regret == naive.drawn_loss(h, law) - least
        assert parts.auc_regret == naive.drawn_loss(naive.before(order), law) - least
    assert all(g <= 2 * f for f, g in zip(parts.pairs, parts.ranks, strict=True))


@few
@given(laws(most=4), st.data())
def test_the_decomposition_of_a_fractional_preference(law, data):
    """Theorem 1 for DEGREE by sums of fractional answers."""
    n = len(next(iter(law)))
    h = np.full((n, n), Fraction(1, 2), dtype=object)
    for u, v in combinations(range(n), 2):
        h[u, v] = Fraction(data.draw(st.integers(0, 6)), 6)
        h[v, u] = 1 - h[u, v]
    order = tournaments.degree_order(tournaments.scores_of(h), regrets.worths(law)).tolist()
    parts = regrets.decomposition(h, order, law)
    least = naive.least_drawn_loss(law)
    assert parts.classification_regret == naive.drawn_loss(h, law) - least
    assert all(g <= 2 * f for f, g in zip(parts.pairs, parts.ranks, strict=True))
    assert naive.drawn_loss(naive.before(order), law) - least <= 2 * (naive.drawn_loss(h, law) - least)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_theorem_1_for_all_tournaments(n):
    """All 2^C(n, 2), ties in the worst way, for laws drawn at random."""
    rng = np.random.default_rng(n)
    for _ in range(3):
        sequences = {tuple(rng.integers(0, 2, n).tolist()) for _ in range(4)} | {(1,) + (0,) * (n - 1)}
        weights = rng.integers(1, 9, len(sequences)).tolist()
        law = {labels: Fraction(w, sum(weights)) for labels, w in zip(sorted(sequences), weights, strict=True)}
        paid = {order: naive.drawn_loss(naive.before(order), law) for order in permutations(range(n))}
        least = min(paid.values())
        e = [[naive.drawn_pair_loss(law, u, v) for v in range(n)] for u in range(n)]
        for h in tournaments.tournaments(n):
            ranked = max(paid[order] for order in tournaments.degree_orders(h.sum(axis=1))) - least
            classified = sum((e[u][v] for u, v in zip(*np.nonzero(h), strict=True)), Fraction(0)) - least
            assert ranked <= 2 * classified


def test_theorem_1_fails_with_one_preference_for_all_sets():
    """No regret among all preferences fixed for all sets; DEGREE, ties against us, loses ⅛ more than one order."""
    h, sets = examples.one_for_all_sets()
    assert sum(chance for chance, _, _ in sets) == 1

    def total(rankings):
        return sum(
            chance * naive.drawn_loss(ranking, law) for ranking, (chance, _, law) in zip(rankings, sets, strict=True)
        )

    def restricted(preference):
        return [np.asarray(preference)[np.ix_(items, items)] for _, items, _ in sets]

    assert total(restricted(h)) == min(total(restricted(other)) for other in tournaments.tournaments(3))
    least = min(total(restricted(naive.before(order))) for order in permutations(range(3)))
    ranked = sum(
        chance
        * max(naive.drawn_loss(naive.before(order), law) for order in tournaments.degree_orders(part.sum(axis=1)))
        for part, (chance, _, law) in zip(restricted(h), sets, strict=True)
    )
    assert ranked - least == Fraction(1, 8)
    losses = regrets.pooled_losses(sets, 3)
    assert regrets.expected_loss(h, losses) == regrets.least_preference_loss(losses) == total(restricted(h))
    assert regrets.least_order_loss(losses) == least
    weak = [regrets.regret(part, law) for part, (_, _, law) in zip(restricted(h), sets, strict=True)]
    assert sum(chance * r for r, (chance, _, _) in zip(weak, sets, strict=True)) > 0


@pytest.mark.parametrize("chance", [Fraction(1), Fraction(3, 4), Fraction(51, 100)])
@pytest.mark.parametrize("n", [2, 5, 12])
def test_pointwise_predictions_are_not_robust(n, chance):
    """AUC regret ≥ n × pointwise regret, equal without noise; pairs could not do this with such a regret."""
    law = examples.lone_positive(n, chance)
    wrong = sum(p * Fraction(sum(labels), n) for labels, p in law.items())
    right = sum(
        p * Fraction(sum(map(lambda a, b: a != b, labels, (1,) + (0,) * (n - 1))), n) for labels, p in law.items()
    )
    assert examples.pointwise_regret([0] * n, law) == wrong - right
    assert examples.pointwise_regret((1,) + (0,) * (n - 1), law) == 0
    last = [*range(1, n), 0]
    ranked = naive.drawn_loss(naive.before(last), law) - naive.drawn_loss(naive.before(list(range(n))), law)
    assert ranked == regrets.regret(regrets.before(last), law) == chance
    assert ranked >= n * (wrong - right)
    assert ranked == n * (wrong - right) or chance < 1
