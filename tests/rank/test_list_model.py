"""What lists say: weights and likelihoods against the definitions, fits against plain optimisation."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize

from ordain.rank import list_model
from ordain.rank.bradley_terry.mode import Fit
from ordain.rank.bradley_terry.noise import Noise
from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.rank.list_law import luce_law
from ordain.rank.list_model import answers_afresh, at_most_one, list_fit, luce_fit, pairs_fit, weighted_pairs
from ordain.rank.list_scale import fitted_spread, luce_cost, pairs_cost, scaled
from ordain.rank.plackett_luce import Bend, Curve, Luce, Stages, ascended, likeliest_order, unlikelihood

lapses = st.sampled_from([0.0, 0.05, 0.3])


@st.composite
def ordered_lists(draw, most=6):
    """Lists of up to `most` items with places that may tie or be missing, and the number of items."""
    n = draw(st.integers(2, most))
    lists, places = [], []
    for _ in range(draw(st.integers(1, 6))):
        shown = draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=n, unique=True))
        place = st.sampled_from([0.0, 1.0, 2.5, 7.0, np.nan])
        lists.append(np.array(shown))
        places.append(np.array(draw(st.lists(place, min_size=len(shown), max_size=len(shown)))))
    return lists, places, n


def unknowns(n, stages, seed=0):
    return np.random.default_rng(seed).normal(size=n + stages.size)


@given(ordered_lists())
def test_every_ranked_pair_counts_three_over_k_plus_one(case):
    lists, places, _ = case
    pairs, answers, weights = weighted_pairs(lists, places)
    found = [(*pair, *row) for pair, *row in zip(pairs.tolist(), answers.tolist(), weights.tolist(), strict=True)]
    expected = sorted(naive.list_pairs(lists, places))
    assert_allclose(sorted(found) or np.empty((0, 4)), expected or np.empty((0, 4)))


def test_a_list_of_two_is_a_pair():
    pairs, answers, weights = weighted_pairs([np.array([3, 1]), np.array([1, 3])], [np.array([0, 1]), np.array([2, 2])])
    assert_array_equal(pairs, [[3, 1], [1, 3]])
    assert_array_equal(answers, [1, 0.5])
    assert_array_equal(weights, [1, 1])


@given(ordered_lists())
def test_no_pair_counts_more_than_one(case):
    lists, places, n = case
    said = weighted_pairs(lists, places)
    capped = at_most_one(said, n)
    for pair in {frozenset(pair) for pair in said.pairs.tolist()}:
        rows = [row for row, other in enumerate(said.pairs.tolist()) if set(other) == pair]
        assert capped.weights[rows].sum() == pytest.approx(min(1.0, said.weights[rows].sum()))


@given(ordered_lists(), lapses)
@settings(max_examples=50)
def test_the_loss_is_that_of_the_product_over_stages(case, lapse):
    lists, places, n = case
    stages = Stages(lists, places, n)
    x = unknowns(n, stages)
    found = Curve(stages, stages.utilities(x), lapse).loss.sum()
    assert_allclose(found, naive.plackett_luce_loss(x, lists, places, n, lapse), atol=1e-12)


@given(ordered_lists(), lapses)
@settings(max_examples=30)
def test_slope_and_curvature_are_derivatives_of_the_loss(case, lapse):
    lists, places, n = case
    stages = Stages(lists, places, n)
    x = unknowns(n, stages)

    def slope(x):
        return -stages.gathered(Curve(stages, stages.utilities(x), lapse).slope)

    assert_allclose(
        slope(x), approx_fprime(x, lambda x: naive.plackett_luce_loss(x, lists, places, n, lapse)), atol=1e-5
    )
    curve, step = Curve(stages, stages.utilities(x), lapse), 1e-5
    numeric = np.array([(slope(x + step * e) - slope(x - step * e)) / (2 * step) for e in np.eye(len(x))])
    if lapse == 0:
        applied = np.array([Bend(curve, np.zeros(len(x)))(e) for e in np.eye(len(x))])
        assert_allclose(applied, numeric, atol=1e-7)
        assert_allclose(np.diag(applied)[:n], stages.gathered(curve.complete)[:n], atol=1e-12)
    assert_allclose(stages.gathered(curve.observed)[:n], np.diag(numeric)[:n], atol=1e-7)


@given(ordered_lists(), st.sampled_from([0.3, 1.0, 5.0]))
@settings(max_examples=20)
def test_the_fit_is_the_minimum_of_the_penalised_loss(case, spread):
    lists, places, n = case
    stages = Stages(lists, places, n)
    start = Luce(np.zeros(n + stages.size), Noise(spread, 0.0), 0.5)
    prior = stages.prior(start)
    found = minimize(
        lambda x: naive.plackett_luce_loss(x, lists, places, n) + (prior * x * x).sum() / 2, start.x, tol=1e-10
    )
    assert_allclose(ascended(stages, start, 1e-12).x, found.x, atol=2e-4 * max(1, spread))


@given(ordered_lists(), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_other_numbers_for_the_items_give_the_same_scores(case, random):
    lists, places, n = case
    new = np.array(random.sample(range(n), n))
    renamed = [new[shown] for shown in lists]
    assert_allclose(pairs_fit(renamed, places, n).fit.scores[new], pairs_fit(lists, places, n).fit.scores, atol=1e-6)
    stages, again = Stages(lists, places, n), Stages(renamed, places, n)
    here, there = (likeliest_order(found, Luce(np.zeros(n + found.size))) for found in (stages, again))
    assert here.noise == there.noise
    assert_allclose(there.x[:n][new], here.x[:n], atol=1e-6)
    assert_allclose(unlikelihood(again, there), unlikelihood(stages, here), atol=1e-6)


@given(ordered_lists())
@settings(max_examples=20)
def test_only_the_order_of_the_places_counts(case):
    lists, places, n = case
    other = [np.exp(said) + 3 for said in places]
    assert_array_equal(list_fit(lists, places, n).scores, list_fit(lists, other, n).scores)


def gumbel_lists(n, size, count, seed, spread=2.0):
    """Lists that a Plackett–Luce judge orders, and the scores it has."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=spread, size=n)
    lists = [rng.choice(n, size, replace=False) for _ in range(count)]
    places = [np.argsort(np.argsort(-(scores[shown] + rng.gumbel(size=size)))).astype(float) for shown in lists]
    return lists, places, scores


def test_plackett_luce_is_believed_from_the_top_only():
    lists, places, scores = gumbel_lists(30, 8, 120, seed=1)
    assert luce_fit(lists, places, 30) is not None
    assert luce_fit(lists, [-said for said in places], 30) is None
    fit = list_fit(lists, places, 30)
    assert np.corrcoef(fit.scores, scores)[0, 1] > 0.95
    assert abs(fit.scores.sum()) < 1e-9
    assert str(fit).startswith("Plackett–Luce: Scores of 30 items")
    assert fit.places.shape == (8,)
    assert list_fit(lists, [-said for said in places], 30).places is None


def test_beyond_matrices_scores_and_errors_are_near_those_of_the_dense_fit(monkeypatch):
    lists, places, _ = gumbel_lists(30, 8, 240, seed=1)
    for said in (places, [-of for of in places]):
        dense = list_fit(lists, said, 30)
        with monkeypatch.context() as patch:
            patch.setattr(list_model, "DENSE", 29)
            plain = list_fit(lists, said, 30)
        assert (plain.places is None) == (dense.places is None)
        assert abs(plain.scores.sum()) < 1e-9 and np.corrcoef(plain.scores, dense.scores)[0, 1] > 0.999
        slope = plain.scores @ dense.scores / (dense.scores @ dense.scores)
        assert 0.9 < slope < 1.1
        assert_allclose(plain.standard_errors, dense.standard_errors, rtol=0.3)


@pytest.mark.parametrize(("lists", "places"), [([], []), ([np.array([0, 2, 1])], [np.full(3, np.nan)])])
def test_nothing_said_leaves_all_scores_open(lists, places):
    fit = list_fit(lists, places, 4)
    assert_array_equal(fit.scores, np.zeros(4))
    assert (fit.standard_errors > 0.5).all()
    assert luce_fit(lists, places, 4) is None


def test_the_spread_is_found():
    lists, places, _ = gumbel_lists(60, 8, 200, seed=2, spread=3.0)
    stages = Stages(lists, places, 60)
    fit = likeliest_order(stages, Luce(np.zeros(60 + stages.size)))
    assert 1.7 < fit.noise.spread < 6
    assert fit.noise.lapse == 0
    assert fit.places < 0.3


def test_a_bonus_for_the_first_place_is_found():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=40)
    lists = [rng.choice(40, 6, replace=False) for _ in range(200)]
    bonus = np.array([2.0, 0, 0, 0, 0, 0])
    places = [np.argsort(np.argsort(-(scores[shown] + bonus + rng.gumbel(size=6)))).astype(float) for shown in lists]
    stages = Stages(lists, places, 40)
    x = likeliest_order(stages, Luce(np.zeros(46))).x
    assert 1.5 < x[40] - x[41:].mean() < 2.5


def test_who_repeats_itself_is_told_from_who_answers_afresh():
    rng = np.random.default_rng(4)
    lists = [rng.choice(12, 4, replace=False) for _ in range(150)]
    fresh = [rng.permutation(4).astype(float) for _ in lists]
    fixed = rng.random((12, 12))
    fixed = fixed < fixed.T
    pairs = [np.array(pair) for pair in rng.integers(0, 12, (400, 2)) if pair[0] != pair[1]]
    once = [np.array([0.0, 1.0]) if fixed[u, v] else np.array([1.0, 0.0]) for u, v in pairs]
    flat = Fit(np.zeros(13))
    assert answers_afresh(weighted_pairs(lists, fresh), flat)
    assert not answers_afresh(weighted_pairs(pairs, once), flat)
    assert not answers_afresh(weighted_pairs(lists[:3], fresh[:3]), flat)
    most = pairs_fit(pairs, once, 12).graph
    assert (sum(most.sums(most.weights)) <= 11 + 1e-9).all()


@pytest.mark.parametrize("size", [5, 10])
def test_intervals_of_differences_cover(size):
    held = []
    for seed in range(6):
        lists, places, scores = gumbel_lists(40, size, 400 // size, seed)
        fit = list_fit(lists, places, 40)
        first, second = np.triu_indices(40, 1)
        error = fit.difference_errors(first, second)
        off = (fit.scores[first] - fit.scores[second]) - (scores[first] - scores[second])
        held.append(np.mean(np.abs(off) <= 1.96 * error))
    assert np.mean(held) >= 0.93


@given(ordered_lists(), st.sampled_from([0.5, 2.0]))
@settings(max_examples=20)
def test_the_cost_of_a_spread_has_the_whole_hessian(case, spread):
    lists, places, n = case
    stages = Stages(lists, places, n)
    fit = Luce(unknowns(n, stages), Noise(spread, 0.0))
    curve = Curve(stages, stages.utilities(fit.x), 0.0)
    hessian = np.array([Bend(curve, stages.prior(fit))(e)[:n] for e in np.eye(n + stages.size)[:n]])
    s = fit.x[:n]
    prior = s @ s / (2 * spread**2) + n * np.log(spread) + np.log10(spread) ** 2 / 2
    expected = curve.loss.sum() + prior + np.linalg.slogdet(hessian)[1] / 2
    assert_allclose(luce_cost(stages, fit), expected, atol=1e-9)


def test_pairs_and_lists_of_two_have_the_same_cost():
    rng = np.random.default_rng(6)
    pairs = np.array([rng.choice(9, 2, replace=False) for _ in range(60)])
    answers = rng.integers(0, 2, 60).astype(float)
    fit = bradley_terry(pairs, answers, 9, spread=1.5, position=False)
    places = np.column_stack((1 - answers, answers))
    stages = Stages(list(pairs), list(places), 9)
    luce = ascended(stages, Luce(np.zeros(11), Noise(1.5, 0.0), 1e-6), 1e-12)
    assert_allclose(luce.x[:9], fit.scores, atol=1e-6)
    assert_allclose(luce_cost(stages, luce), pairs_cost(fit), atol=1e-6)


def test_the_spread_is_where_the_cost_is_least():
    spread, doubt = fitted_spread(lambda spread: np.log(spread / 7) ** 2 / (2 * 0.1**2), 1.0)
    assert spread == pytest.approx(7)
    assert doubt == pytest.approx(0.2)


def test_scores_gain_with_the_spread_as_a_fit_with_a_wider_prior_does():
    lists, places, _ = gumbel_lists(12, 4, 30, seed=7)
    stages, step = Stages(lists, places, 12), 0.05
    here, wider = (
        luce_law(stages, ascended(stages, Luce(np.zeros(16), Noise(spread, 0.0), 0.01), 1e-12))
        for spread in (2.0, 2.0 * np.exp(step))
    )
    assert_allclose(scaled(2.0, 0.1, here).gains, (wider.mean - here.mean) / step, rtol=0.35, atol=0.1)
