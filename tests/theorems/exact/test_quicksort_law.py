"""QuickSort in fractions: its law against all runs written out, Lemma 1, Theorems 1 and 2, where the paper slips."""

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import comb

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain import measure
from ordain.rank import minimum_feedback
from ordain.theorems import ailon_mohri_limits
from ordain.theorems.exact import adversary, calls, luck
from ordain.theorems.exact import quicksort_law as theory
from ordain.theorems.few_items import one_back_edge, transitive

HALF = Fraction(1, 2)
few = settings(max_examples=25)


@st.composite
def preferences(draw, least=2, most=5, whole=False):
    """A preference in fractions, or a tournament; cycles and ties are common."""
    n = draw(st.integers(least, most))
    values = st.sampled_from([0, 1]) if whole else st.sampled_from([0, Fraction(1, 3), HALF, Fraction(3, 4), 1])
    h = np.full((n, n), HALF, dtype=object)
    for u, v in combinations(range(n), 2):
        h[u, v] = Fraction(draw(values))
        h[v, u] = 1 - h[u, v]
    return h


@few
@given(preferences(most=4))
def test_the_law_is_that_of_all_runs(h):
    n = len(h)
    law, p_uv, p_uvw, calls = {}, {}, {}, 0
    for chance, order, asked, met in naive.quicksort_runs(h, tuple(range(n))):
        law[order] = law.get(order, 0) + chance
        calls += chance * len(asked)
        for pair in asked:
            p_uv[pair] = p_uv.get(pair, 0) + chance
        for pivot, block in met:
            for others in combinations(block - {pivot}, 2):
                triple = frozenset((pivot, *others))
                p_uvw[triple] = p_uvw.get(triple, 0) + chance
    assert theory.output_distribution(h) == law
    assert theory.expected_calls(h) == calls
    compared, together = theory.compared(h), theory.met_together(h)
    assert all(compared[u, v] == p_uv.get(frozenset((u, v)), 0) for u, v in permutations(range(n), 2))
    assert all(together[t] == p_uvw.get(frozenset(t), 0) for t in permutations(range(n), 3))


@few
@given(preferences(most=5))
def test_two_recursions_give_one_law(h):
    """Splits of sets, and intervals of one order."""
    law = theory.output_distribution(h)
    assert sum(law.values()) == 1
    for order in permutations(range(len(h))):
        assert theory.probability(h, order) == law.get(order, 0)


@pytest.mark.parametrize("n", [6, 7])
def test_the_law_is_whole_at_six_and_seven_items(n):
    law = theory.output_distribution(one_back_edge(n))
    assert sum(law.values()) == 1
    assert all(theory.probability(one_back_edge(n), order) == law[order] for order in list(law)[:20])


@few
@given(preferences(most=5))
def test_precedence_sums_the_law(h):
    n = len(h)
    law = theory.output_distribution(h)
    before = theory.precedence(h)
    for u, v in permutations(range(n), 2):
        assert before[u, v] == sum(chance for order, chance in law.items() if order.index(u) < order.index(v))


def importances(n):
    yield measure.kemeny(n)
    yield measure.top_heavy(n, 1)
    yield from (measure.bipartite(positives, n - positives) for positives in range(1, n))
    yield measure.multipartite([1] * n, difference=True)
    if n > 2:
        yield measure.multipartite([1, n - 2, 1])
        yield measure.multipartite([1, n - 2, 1], difference=True)


@few
@given(preferences(), st.randoms(use_true_random=False))
def test_the_decomposition_gives_the_expected_loss(h, random):
    """(18) against the sum over the law, and against the measure of the precedence."""
    n = len(h)
    law = theory.output_distribution(h)
    truth = random.sample(range(n), n)
    for omega in importances(n):
        tau = measure.generalised_ranking(truth, omega * Fraction(1))
        mean = sum(chance * sum(tau[v, u] for u, v in combinations(order, 2)) for order, chance in law.items())
        assert theory.expected_loss(h, tau) == mean / comb(n, 2)
        assert measure.importance_loss(truth, theory.precedence(h), omega * Fraction(1)) == mean / comb(n, 2)


@few
@given(preferences(least=3), st.randoms(use_true_random=False))
def test_lemma_1(h, random):
    """Σ Z = Σ p_uv Z + Σ p_uvw γ[Z], and the same with β for what the output pays."""
    n = len(h)
    X = np.array([[Fraction(random.randint(-5, 5)) for _ in range(n)] for _ in range(n)])
    Z = X + X.T
    compared, together = theory.compared(h), theory.met_together(h)
    pairs, triples = theory.over_pairs, theory.over_triples
    assert pairs(Z) == pairs(compared * Z) + triples(together * theory.gamma(h, Z))
    paid = sum(
        chance * sum(X[order[j], order[i]] for i, j in combinations(range(n), 2))
        for order, chance in theory.output_distribution(h).items()
    )
    assert paid == pairs(compared * theory.alpha(h, X)) + triples(together * theory.beta(h, X))


def test_lemma_1_fails_with_gamma_as_printed():
    h = theory.exact(transitive(3))
    Z = np.array([[Fraction(0), 0, 1], [0, 0, 0], [1, 0, 0]])
    compared, together = theory.compared(h), theory.met_together(h)
    direct = theory.over_pairs(compared * Z)
    assert direct + together[0, 1, 2] * theory.gamma(h, Z)[0, 1, 2] == theory.over_pairs(Z) == 1
    assert direct + together[0, 1, 2] * naive.printed_gamma(h, Z, 0, 1, 2) != 1


@few
@given(preferences(least=3), st.randoms(use_true_random=False))
def test_what_a_triple_pays(h, random):
    """(21): β ≤ 2γ for every importance, (22): β = γ if it is bipartite."""
    n = len(h)
    truth = random.sample(range(n), n)
    for omega in importances(n):
        tau = measure.generalised_ranking(truth, omega)
        beta, gamma = theory.beta(h, tau), theory.gamma(h, theory.alpha(h, tau))
        bipartite = len({*omega.ravel().tolist()}) == 2 and any(
            (omega == measure.bipartite(p, n - p)).all() for p in range(1, n)
        )
        for triple in combinations(range(n), 3):
            assert beta[triple] <= 2 * gamma[triple]
            assert beta[triple] == gamma[triple] or not bipartite


def test_the_supremum_of_case_v1_is_zero_not_minus_three_quarters():
    def inner(h2, h3):
        return -1 + h2 + h3 - 4 * h2 * h3

    corners = list(product([0, 1], repeat=2))
    assert max(inner(*corner) for corner in corners) == 0  # linear in each variable: the corners decide
    assert inner(Fraction(1, 4), Fraction(1, 4)) == Fraction(-3, 4)
    excess = [h2 * (h3 - 1) + h1 * inner(h2, h3) for h1, h2, h3 in product([0, 1], repeat=3)]
    assert max(excess) == 0


@few
@given(preferences(), st.randoms(use_true_random=False))
def test_theorem_1(h, random):
    n = len(h)
    truth = random.sample(range(n), n)
    for omega in importances(n):
        tau = measure.generalised_ranking(truth, omega)
        assert theory.expected_loss(h, tau) <= 2 * naive.preference_loss(h, tau)


def test_theorem_1_at_six_items():
    rng = np.random.default_rng(0)
    for _ in range(3):
        upper = np.triu(rng.integers(0, 4, (6, 6)), 1).astype(object) * Fraction(1, 3)
        h = upper + np.tril(1 - upper.T, -1)
        for omega in importances(6):
            tau = measure.generalised_ranking(rng.permutation(6), omega)
            assert theory.expected_loss(h, tau) <= 2 * naive.preference_loss(h, tau)


@pytest.mark.parametrize("n", range(3, 8))
def test_the_factor_two_of_theorem_1_is_tight(n):
    h, tau = one_back_edge(n), transitive(n)
    assert theory.expected_loss(h, tau) == (2 - Fraction(2, n)) * naive.preference_loss(h, tau)


@few
@given(preferences())
def test_theorem_2_is_an_equality(h):
    before = theory.precedence(h)
    for labels in naive.labellings(len(h)):
        assert measure.auc_loss(labels, before) == measure.auc_loss(labels, h)


def test_theorem_2_holds_for_all_tournaments_of_four():
    for h in naive.every_tournament(4):
        before = theory.precedence(h)
        for labels in naive.labellings(4):
            assert measure.auc_loss(labels, before) == naive.auc_loss(labels, h.tolist())


@st.composite
def labelled_sets(draw, n=4):
    """A distribution over sets of items and, for each, over their labels."""
    sets = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=2), min_size=1, max_size=3))
    weights = [draw(st.integers(1, 4)) for _ in sets]
    drawn = []
    for items, weight in zip(sets, weights, strict=True):
        kinds = draw(st.lists(st.sampled_from(naive.labellings(len(items))), min_size=1, max_size=4, unique=True))
        shares = [draw(st.integers(1, 4)) for _ in kinds]
        chances = {kind: Fraction(share, sum(shares)) for kind, share in zip(kinds, shares, strict=True)}
        drawn.append((sorted(items), Fraction(weight, sum(weights)), chances))
    return drawn


@settings(max_examples=20)
@given(preferences(least=4, most=4), labelled_sets())
def test_weak_regrets_are_equal_and_strong_ones_ordered(h, drawn):
    """R'_rank = R'_class and R_rank ≤ R_class ≤ R'_class, with no condition on the sets."""
    n = len(h)
    ranked = classified = weak_order = weak_preference = Fraction(0)
    everywhere = np.full((n, n), Fraction(0), dtype=object)
    for items, weight, chances in drawn:
        e, inside = naive.pair_costs(items, chances, n), np.ix_(items, items)
        ranked += weight * naive.paid(theory.precedence(h[inside]), e[inside])
        classified += weight * naive.paid(h, e)
        weak_order += weight * naive.least_paid_by_orders(e)
        weak_preference += weight * naive.least_paid_by_preferences(e)
        everywhere = everywhere + weight * e
    assert ranked == classified
    assert ranked - weak_order == classified - weak_preference
    strong_order = naive.least_paid_by_orders(everywhere)
    strong_preference = naive.least_paid_by_preferences(everywhere)
    assert ranked - strong_order <= classified - strong_preference <= classified - weak_preference


@few
@given(preferences(least=3))
def test_corollaries_1_and_2(h):
    """E L(Q, σ) ≤ 2 L(h, σ) and E L(h, Q) ≤ 3 L(h, σ), σ being the order that disagrees least with h."""
    n = len(h)
    best = minimum_feedback(h, np.random.default_rng(0))
    tau = measure.generalised_ranking(best.order, measure.kemeny(n))
    least = naive.preference_loss(h, tau)
    assert least == min(
        naive.preference_loss(h, measure.generalised_ranking(order, measure.kemeny(n)))
        for order in permutations(range(n))
    )
    assert theory.expected_loss(h, tau) <= 2 * least
    assert naive.preference_loss(h, theory.precedence(h)) <= 3 * least


@pytest.mark.parametrize("n", range(3, 8))
def test_the_factor_of_corollary_2_comes_as_near_to_three_as_it_is_said(n):
    h = one_back_edge(n)
    least = naive.preference_loss(h, transitive(n))
    assert minimum_feedback(h, np.random.default_rng(0)).weight == comb(n, 2) * least == 1
    assert naive.preference_loss(h, theory.precedence(h)) == Fraction(3 * (n - 2), n) * least


@pytest.mark.parametrize("n", range(2, 8))
def test_expected_calls_on_a_clean_judge(n):
    assert theory.expected_calls(transitive(n)) == naive.quicksort_calls(n, False)
    assert theory.expected_calls(transitive(n), 1) == naive.quicksort_calls(n, True)
    assert theory.expected_calls(transitive(n), n) == naive.quicksort_calls(n, False)
    assert theory.expected_calls(transitive(n), n - 1) <= naive.quicksort_calls(n, False)


@few
@given(preferences())
def test_no_preference_costs_more_calls_than_a_clean_judge(h):
    n = len(h)
    assert theory.expected_calls(h) == theory.over_pairs(theory.compared(h)) <= naive.quicksort_calls(n, False)
    assert theory.expected_calls(h, 1) <= naive.quicksort_calls(n, True)
    steps = [theory.expected_calls(h, k) for k in range(1, n + 1)]
    assert steps == sorted(steps)


@few
@given(preferences(most=4))
def test_the_first_split(h):
    """Lemma 2: v goes left with probability outdeg(v)/n, as it may be the pivot; printed is outdeg(v)/(n - 1)."""
    n = len(h)
    left = [sum(h[v, pivot] for pivot in range(n) if pivot != v) / n for v in range(n)]
    assert theory.goes_left(h).tolist() == left
    assert sum(left) == Fraction(n - 1, 2)
    printed = [chance * n / Fraction(n - 1) for chance in left]
    assert sum(printed) == Fraction(n, 2)


REFUSED = {
    "square": [[0, 1]],
    "Got 1 and 1 for the pair": [[0, 1], [1, 0]],
    "Got 2 and -1 for the pair": [[0, 2], [-1, 0]],
    "Give fractions where floats are not exact": [[0, 0.1], [0.9, 0]],
}


@pytest.mark.parametrize(("message", "h"), REFUSED.items(), ids=REFUSED)
def test_what_is_no_exact_preference_is_refused(message, h):
    with pytest.raises(ValueError, match=message):
        theory.exact(h)


def test_theorem_2_at_six_items():
    rng = np.random.default_rng(1)
    upper = np.triu(rng.integers(0, 8, (6, 6)), 1).astype(object) * Fraction(1, 7)
    h = upper + np.tril(1 - upper.T, -1)
    before = theory.precedence(h)
    for labels in naive.labellings(6):
        assert measure.auc_loss(labels, before) == measure.auc_loss(labels, h)


@few
@given(preferences(most=4))
def test_the_recursion_44(h):
    for k in range(1, len(h) + 1):
        expected = naive.top_k_calls(h, list(range(len(h))), k)
        assert theory.expected_calls(h, k) == expected
        assert expected <= calls.top_calls(len(h), k) + 1e-9
        assert expected <= 4 * (len(h) - 1) + calls.sort_calls(k - 1)


@few
@given(preferences(most=5))
def test_the_moments_of_the_first_split(h):
    """Against all splits; E n_L² ≤ (n - 1)(2n - 1)/6, which is below n²/3 for every n and n²/2.9 for n > 100."""
    n = len(h)
    first = second = Fraction(0)
    for pivot in range(n):
        rest = [item for item in range(n) if item != pivot]
        for sides in product([0, 1], repeat=n - 1):
            chance = Fraction(1, n)
            for item, left in zip(rest, sides, strict=True):
                chance *= h[item, pivot] if left else h[pivot, item]
            first += chance * sum(sides)
            second += chance * sum(sides) ** 2
    assert calls.split_moments(h) == (first, second)
    assert first == Fraction(n - 1, 2)
    assert second <= Fraction((n - 1) * (2 * n - 1), 6) < Fraction(n * n, 3)
    assert calls.split_moments(transitive(n))[1] == Fraction((n - 1) * (2 * n - 1), 6)


def test_what_markov_makes_of_lemma_2():
    """(42) and (43): 1/(0.81 · 2.9) ≤ 0.43, and twice that ≤ 0.9."""
    tail = 1 / (Fraction(81, 100) * Fraction(29, 10))
    assert tail <= Fraction(43, 100) and 2 * tail <= Fraction(9, 10)


def test_the_steps_of_the_bounds_on_calls():
    """q and p solve their recursions, are convex and increasing; max(x, n - 1 - x) is at most 3n/4 - 1/2 on average."""
    q, p = [calls.sort_calls(n) for n in range(40)], [calls.best_calls(n) for n in range(40)]
    for n in range(1, 40):
        assert q[n] == n - 1 + 2 * sum(q[:n]) / Fraction(n)
        assert p[n] == n - 1 + sum(p[:n]) / Fraction(n)
        assert Fraction(sum(max(x, n - 1 - x) for x in range(n)), n) <= Fraction(3 * n, 4) - HALF
    for values in (q, p):
        steps = [b - a for a, b in pairwise(values)]
        assert min(steps) >= 0 and steps == sorted(steps)
    assert all(q[a] + q[b] <= q[a + b] for a, b in product(range(20), repeat=2))


def test_what_an_order_costs():
    """The closed form solves (44) with n_L uniform on 0 … n - 1, and is what enumeration gives."""

    def cost(n, k):
        return calls.in_order_calls(n, k) if min(n, k) else 0

    for n in range(1, 16):
        for k in range(1, n + 1):
            parts = sum(cost(x, min(k, x)) + cost(n - 1 - x, max(0, k - 1 - x)) for x in range(n))
            assert cost(n, k) == n - 1 + Fraction(parts) / n <= calls.top_calls(n, k) + 1e-9
    for n in range(2, 8):
        assert all(theory.expected_calls(transitive(n), k) == cost(n, k) for k in range(1, n + 1))


def test_sequences_of_losses_are_majorised_and_convex_sums_bounded():
    """Landau and Karamata on all tournaments of five."""
    for h in naive.every_tournament(5):
        losses = h.sum(axis=0).tolist()
        assert naive.landau(losses)
        assert sum(calls.sort_calls(d) for d in losses) <= sum(calls.sort_calls(d) for d in range(5))


def order_above_coins(upper, lower):
    """Items in order, above others among which every answer is a coin."""
    h = transitive(upper + lower) * Fraction(1)
    h[upper:, upper:] = HALF
    return h


def test_an_order_is_not_the_worst_for_the_first_k():
    """The bound of the whole sort does not extend to 1 < k < n: coins below an order cost more than an order."""
    mixed, ordered = theory.expected_calls(order_above_coins(5, 5), 4), theory.expected_calls(transitive(10), 4)
    assert Fraction(1, 200) < mixed - ordered < Fraction(1, 100)
    assert mixed <= calls.top_calls(10, 4)
    assert theory.expected_calls(order_above_coins(5, 5)) <= calls.sort_calls(10)


@pytest.mark.parametrize("name", ailon_mohri_limits.DETERMINISTIC)
@pytest.mark.parametrize(("size", "below"), [(3, 0), (5, 0), (3, 7)])
def test_the_adversary_beats_every_ranker_with_its_seed_fixed(name, size, below):
    for seed in range(3):
        found = adversary.defeat(ailon_mohri_limits.DETERMINISTIC[name], seed, size=size, below=below)
        again = adversary.defeat(ailon_mohri_limits.DETERMINISTIC[name], seed, size=size, below=below)
        assert found.order.tolist() == again.order.tolist()
        positive = int(np.flatnonzero(found.labels)[0])
        wrong = sum(int(found.preference[u, positive]) for u in range(size + below) if u != positive)
        above = found.order.tolist().index(positive)
        assert found.preference_loss == Fraction(wrong, size + below - 1) == Fraction((size - 1) // 2, size + below - 1)
        assert found.ranking_loss == Fraction(above, size + below - 1) >= 2 * found.preference_loss


@pytest.mark.parametrize(("size", "below"), [(3, 0), (3, 3), (5, 0)])
def test_the_adversary_does_not_beat_quicksort_before_its_seed_is_drawn(size, below):
    h = adversary.circle(size, below)
    before = theory.precedence(h)
    for labels in naive.labellings(size + below):
        assert measure.auc_loss(labels, before) == measure.auc_loss(labels, h * Fraction(1))


def test_a_circle_is_regular_and_above_the_rest():
    for size, below in [(3, 0), (5, 2), (7, 1)]:
        h = adversary.circle(size, below)
        assert (h + h.T == 1 - np.eye(size + below)).all()
        assert (h[:size, :size].sum(axis=1) == size // 2).all() and (h[:size, size:] == 1).all()
    with pytest.raises(ValueError, match=r"odd number of items, 3 or more\. Got 4"):
        adversary.circle(4)


@few
@given(preferences(least=3), st.data())
def test_the_law_of_the_loss_and_the_negatives_at_the_top(h, data):
    labels = data.draw(st.sampled_from(naive.labellings(len(h))))
    m, n = sum(labels), len(labels) - sum(labels)
    given_loss = measure.auc_loss(labels, h)
    law = luck.loss_distribution(h, labels)
    assert sum(law.values()) == 1 and sum(loss * chance for loss, chance in law.items()) == given_loss
    variance = sum(chance * (loss - given_loss) ** 2 for loss, chance in law.items())
    assert variance <= given_loss * (1 - given_loss)
    for t in law:
        assert t * sum(chance for loss, chance in law.items() if loss >= t) <= given_loss
    for k in range(1, m + 1):
        mean, crossing = luck.negatives_at_top(h, labels, k)
        counts = {o: sum(1 - labels[item] for item in o[:k]) for o in theory.output_distribution(h)}
        assert mean == sum(theory.probability(h, order) * count for order, count in counts.items())
        assert mean**2 <= crossing <= m * n * given_loss


@pytest.mark.parametrize("n", range(2, 7))
def test_one_run_can_be_as_unlucky_as_markov_allows(n):
    h, labels = luck.lone_positive(n)
    law, loss = luck.loss_distribution(h, labels), Fraction(1, n)
    assert measure.auc_loss(labels, h * Fraction(1)) == loss
    assert law[Fraction(1)] == loss / (1 + loss)
    variance = sum(chance * (value - loss) ** 2 for value, chance in law.items())
    assert variance == loss * (1 - loss) / (1 + loss)


@pytest.mark.parametrize(("m", "n", "j"), [(2, 2, 1), (3, 3, 2), (3, 2, 2), (2, 4, 2)])
def test_negatives_at_the_top_attain_their_bound(m, n, j):
    labels = [1] * (m - j) + [0] * j + [1] * j + [0] * (n - j)
    mean, crossing = luck.negatives_at_top(transitive(m + n), labels, m)
    assert mean**2 == crossing == j * j == m * n * measure.auc_loss(labels, transitive(m + n) * Fraction(1))
    with pytest.raises(ValueError, match="k must be from 1 to the number of positives"):
        luck.negatives_at_top(transitive(m + n), labels, m + 1)


@few
@given(st.lists(st.sampled_from([0, Fraction(1, 3), HALF, 1]), min_size=9, max_size=9))
def test_two_ways_of_showing_have_one_law(answers):
    """A coin for the order, or a coin for disagreement, by enumeration of what the judge says."""
    a = np.array(answers, dtype=object).reshape(3, 3)
    by_lot, both = luck.shown_at_random(a), luck.shown_both_ways(a)
    for u, v in permutations(range(3), 2):
        said = {
            (x, y): (a[u, v] if x else 1 - a[u, v]) * (1 - a[v, u] if y else a[v, u]) for x in (0, 1) for y in (0, 1)
        }
        assert both[u, v] == said[1, 1] + (said[1, 0] + said[0, 1]) / Fraction(2)
        assert by_lot[u, v] == (a[u, v] + 1 - a[v, u]) / Fraction(2)
    assert theory.output_distribution(by_lot) == theory.output_distribution(both)


@pytest.mark.parametrize("wins", [1, 3, 9, 99])
def test_calibrated_coins_lose_up_to_twice_what_rounding_loses(wins):
    """Two items, the first better with chance p: coins lose 2p(1 - p), the likelier answer 1 - p."""
    p = Fraction(wins, wins + 1)
    risk = np.array([[0, p], [1 - p, 0]], dtype=object)
    h = luck.calibrated(risk)
    before = theory.precedence(h)
    assert h[0, 1] == p
    assert before[0, 1] * risk[1, 0] + before[1, 0] * risk[0, 1] == 2 * p * (1 - p) <= 2 * (1 - p)
