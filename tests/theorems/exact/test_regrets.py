"""Regrets in fractions: against minima over all orders and all tournaments, set by set and over all sets."""

from fractions import Fraction
from itertools import combinations, permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.measure import bipartite, generalised_ranking, kemeny
from ordain.theorems.exact import quicksort_law, regrets

HALF = Fraction(1, 2)
few = settings(max_examples=20)


@st.composite
def cases(draw, n=4):
    """Outcomes over sets of n items, labelled or ordered, and a preference on all of them."""
    outcomes, weights = [], draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    for weight in weights:
        items = sorted(draw(st.sets(st.integers(0, n - 1), min_size=2)))
        outcomes.append(
            (Fraction(weight, sum(weights)), tuple(items), draw(st.sampled_from(naive.labellings(len(items)))))
        )
    h = np.full((n, n), HALF, dtype=object)
    for u, v in combinations(range(n), 2):
        h[u, v] = draw(st.sampled_from([Fraction(0), Fraction(1, 3), HALF, Fraction(1)]))
        h[v, u] = 1 - h[u, v]
    top = max(max(items) for _, items, _ in outcomes) + 1
    return outcomes, h[:top, :top]


@few
@given(cases())
def test_the_four_regrets_from_their_definitions(case):
    outcomes, h = case
    found = regrets.regrets([regrets.labelled(*outcome) for outcome in outcomes], h)
    by_set = [[outcome for outcome in outcomes if outcome[1] == items] for items in {items for _, items, _ in outcomes}]
    ranked = Fraction(0)
    for of_set in by_set:
        inside = np.ix_(of_set[0][1], of_set[0][1])
        placed = h.copy()
        placed[inside] = quicksort_law.precedence(h[inside])
        ranked += naive.loss_on_sets(of_set, placed)
    preferred = naive.loss_on_sets(outcomes, h)
    orders, preferences = list(map(naive.before, naive.orders(len(h)))), list(naive.every_tournament(len(h)))

    def least(part, candidates):
        return min(naive.loss_on_sets(part, candidate) for candidate in candidates)

    assert found.weak_ranking == ranked - sum(least(of_set, orders) for of_set in by_set)
    assert found.weak_preference == preferred - sum(least(of_set, preferences) for of_set in by_set)
    assert found.strong_ranking == ranked - least(outcomes, orders)
    assert found.strong_preference == preferred - least(outcomes, preferences)


@few
@given(cases())
def test_weak_regrets_are_above_strong_ones_and_quicksort_keeps_them(case):
    """(10), and Theorem 2: equal weak regrets, and a strong ranking regret no larger, with no condition on the sets.

    The strong ranking regret may be negative, as a ranking made set by set can beat every order of all items.
    """
    outcomes, h = case
    found = regrets.regrets([regrets.labelled(*outcome) for outcome in outcomes], h)
    assert found.weak_ranking >= max(0, found.strong_ranking)
    assert found.weak_preference >= found.strong_preference >= 0
    assert found.weak_ranking == found.weak_preference
    assert found.strong_ranking <= found.strong_preference


@few
@given(cases())
def test_the_local_optimum(case):
    """(12): no preference, fractional or not, loses less; it breaks ties by number."""
    outcomes, h = case
    for risk in regrets.risks([regrets.labelled(*outcome) for outcome in outcomes]).values():
        best = regrets.local_optimum(risk)
        assert regrets.loss(best, risk) == naive.least_paid_by_preferences(risk) <= regrets.loss(h, risk)
        assert all(best[u, v] + best[v, u] == 1 for u, v in permutations(range(len(risk)), 2))
        assert all(best[v, u] for u, v in combinations(range(len(risk)), 2) if risk[u, v] == risk[v, u])


def test_the_gap_between_weak_and_strong_can_be_open():
    """Three sets of two items whose truths form a circle: no order of all three serves them, a preference does."""
    third = Fraction(1, 3)
    outcomes = [
        regrets.labelled(third, pair, labels) for pair, labels in [((0, 1), (1, 0)), ((1, 2), (1, 0)), ((0, 2), (0, 1))]
    ]
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    found = regrets.regrets(outcomes, cycle)
    assert regrets.irrelevant_alternatives(outcomes) is None
    assert (found.weak_preference, found.strong_preference) == (0, 0)
    assert (found.weak_ranking, found.strong_ranking) == (0, -third)


def test_a_strong_ranking_regret_can_be_negative_only_for_rankings_made_per_set():
    """An order of all items never beats the best order of all items."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        outcomes = [
            regrets.labelled(
                Fraction(1, 3), sorted(rng.choice(4, 3, replace=False).tolist()), (1, 0, int(rng.integers(2)))
            )
            for _ in range(2)
        ] + [regrets.labelled(Fraction(1, 3), range(4), (0, 1, 1, 0))]
        order = rng.permutation(4)
        assert regrets.regrets(outcomes, naive.before(order), lambda part: part).strong_ranking >= 0


def test_pairwise_independence_of_irrelevant_alternatives():
    """Normalised as in (3) a pair weighs by its set, and IIA fails; as in (47) it holds, and closes the gap."""
    sets = [((0, 1), (1, 0)), ((0, 1, 2), (1, 0, 0))]
    normalised = [regrets.labelled(HALF, items, labels) for items, labels in sets]
    counted = [regrets.labelled(HALF, items, labels, normalised=False) for items, labels in sets]
    assert regrets.irrelevant_alternatives(normalised) == (0, 1)
    assert regrets.irrelevant_alternatives(counted) is None
    for h in naive.every_tournament(3):
        found = regrets.regrets(counted, h)
        assert found.weak_preference == found.strong_preference
    against = [*counted[:1], regrets.labelled(HALF, (0, 1, 2), (0, 1, 1), normalised=False)]
    found = regrets.regrets(against, np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    assert regrets.irrelevant_alternatives(against) is not None
    assert found.weak_preference > found.strong_preference


@few
@given(cases())
def test_labels_and_importances_give_the_same_truth(case):
    """τ* of labels is the generalised ranking of any order that puts the positives first, with ω as in (3)."""
    for chance, items, labels in case[0]:
        order = sorted(range(len(items)), key=lambda i: -labels[i])
        omega = bipartite(sum(labels), len(labels) - sum(labels))
        assert (regrets.labelled(chance, items, labels).tau == generalised_ranking(order, omega)).all()


def test_orders_as_truths():
    """Kemeny's importance: the loss of an order is its share of inversions."""
    outcome = regrets.Outcome(Fraction(1), (0, 1, 2), generalised_ranking([2, 0, 1], kemeny(3)))
    risk = regrets.risks([outcome])[0, 1, 2]
    for order in permutations(range(3)):
        inverted = sum(order.index(u) > order.index(v) for u, v in [(2, 0), (2, 1), (0, 1)])
        assert regrets.loss(naive.before(order), risk) == Fraction(inverted, 3)
    assert regrets.best_order(risk) == 0


def test_a_set_without_a_mixed_pair_loses_nothing():
    outcome = regrets.labelled(Fraction(1), (0, 1), (1, 1))
    found = regrets.regrets([outcome], [[0, 1], [0, 0]])
    assert found == regrets.Regrets(Fraction(0), Fraction(0), Fraction(0), Fraction(0))


def test_wrong_preferences_are_refused():
    with pytest.raises(ValueError, match="must be square"):
        regrets.regrets([regrets.labelled(Fraction(1), (0, 1), (1, 0))], [[0, 1]])
