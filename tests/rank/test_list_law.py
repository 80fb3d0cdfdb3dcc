"""The normal law closest to what lists leave open: against plain optimisation, and what it mends."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose

from ordain.preference.questions import lists_in, padded
from ordain.rank import list_law
from ordain.rank.bradley_terry.noise import Noise
from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.rank.list_law import luce_law, over, pairs_law
from ordain.rank.list_model import list_fit, weighted_pairs
from ordain.rank.lists import list_field
from ordain.rank.plackett_luce import Luce, Stages, ascended
from ordain.rank.play import play


def orders(n, size, count, seed):
    """Lists with places by lot, so that fits stay small, and one item that always comes last."""
    rng = np.random.default_rng(seed)
    lists = [rng.choice(n, size, replace=False) for _ in range(count)]
    return lists, [np.where(shown == 0, size, rng.permutation(size)).astype(float) for shown in lists]


@pytest.mark.parametrize(("seed", "spread"), [(0, 0.5), (1, 2.0), (2, 6.0)])
def test_the_law_of_pairs_has_the_least_divergence(seed, spread):
    lists, places = orders(3, 2, 5, seed)
    fit = bradley_terry(np.array(lists), [float(said[0] < said[1]) for said in places], 3, spread=spread)
    x = np.append(fit.position / 2, -fit.position / 2)
    mean, covariance = naive.closest_normal(
        lambda s: naive.plackett_luce_loss(np.append(s, x), lists, places, 3), 3, spread, nodes=4
    )
    law = pairs_law(fit)
    assert_allclose(law.mean, mean, atol=0.1 * spread)
    assert_allclose(law.covariance, covariance, atol=0.1 * spread**2)


@pytest.mark.parametrize(("seed", "spread"), [(0, 0.5), (1, 2.0), (2, 6.0)])
def test_the_law_of_lists_has_the_least_divergence(seed, spread):
    lists, places = orders(3, 3, 2, seed)
    stages = Stages(lists, places, 3)
    fit = ascended(stages, Luce(np.zeros(6), Noise(spread, 0.0), 0.3), 1e-9)
    mean, covariance = naive.closest_normal(
        lambda s: naive.plackett_luce_loss(np.append(s, fit.x[3:]), lists, places, 3), 3, spread, nodes=4
    )
    law = luce_law(stages, fit)
    assert_allclose(law.mean, mean, atol=0.1 * spread)
    assert_allclose(law.covariance, covariance, atol=0.1 * spread**2)


def test_pairs_and_lists_of_two_have_the_same_law():
    lists, places = orders(9, 2, 60, seed=1)
    fit = bradley_terry(np.array(lists), [float(said[0] < said[1]) for said in places], 9, spread=3.0, position=False)
    luce = ascended(Stages(lists, places, 9), Luce(np.zeros(11), Noise(3.0, 0.0), 1e-6), 1e-12)
    pairs, stages = pairs_law(fit), luce_law(Stages(lists, places, 9), luce)
    assert_allclose(stages.mean, pairs.mean, atol=0.05)
    assert_allclose(stages.covariance, pairs.covariance, atol=0.1)
    assert_allclose(np.diag(over(fit, pairs).covariance())[:9], np.diag(pairs.covariance), rtol=0.05)


def test_who_always_lost_is_expected_below_the_mode():
    lists, places = orders(30, 5, 60, seed=2)
    fit = ascended(Stages(lists, places, 30), Luce(np.zeros(35), Noise(4.0, 0.0), 0.1), 1e-9)
    law = luce_law(Stages(lists, places, 30), fit)
    assert law.mean[0] < fit.x[0] - 0.5
    assert abs(law.mean.sum()) < 1e-9


@pytest.mark.parametrize("lapse", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("spread", [5.0, 30.0, 100.0])
def test_a_judge_who_never_errs_sends_nobody_far_beyond_the_prior(spread, lapse):
    """Where a mean over wide laws is rough, steps must not run away."""
    rng = np.random.default_rng(4)
    for n, size, count in ((12, 4, 15), (19, 3, 15), (22, 3, 3), (25, 10, 20)):
        lists = [rng.choice(n, size, replace=False) for _ in range(count)]
        places = [np.argsort(np.argsort(shown)).astype(float) for shown in lists]
        fit = ascended(Stages(lists, places, n), Luce(np.zeros(n + size), Noise(spread, lapse), 0.1), 1e-6)
        pairs, answers, weights = weighted_pairs(lists, places)
        laws = (
            luce_law(Stages(lists, places, n), fit),
            pairs_law(bradley_terry(pairs, answers, n, weights=weights, spread=spread, lapse=lapse)),
        )
        for law in laws:
            assert np.abs(law.mean).max() < 4 * spread
            assert (np.diag(law.covariance) > 0).all()
            assert np.corrcoef(law.mean, -np.arange(n))[0, 1] > 0


@pytest.mark.parametrize("length", [1, 7])
def test_lists_in_parts_have_the_same_law(monkeypatch, length):
    lists, places = orders(12, 4, 30, seed=3)
    fit = ascended(Stages(lists, places, 12), Luce(np.zeros(16), Noise(2.0, 0.0), 0.1), 1e-9)
    whole = luce_law(Stages(lists, places, 12), fit)
    monkeypatch.setattr(list_law, "BLOCK", length)
    parts = luce_law(Stages(lists, places, 12), fit)
    assert_allclose(parts.mean, whole.mean, atol=1e-9)
    assert_allclose(parts.covariance, whole.covariance, atol=1e-9)


def test_scores_of_who_left_the_field_are_not_drawn_in():
    """Lists of five, a field that halves, utilities far apart: modes are too near to each other by a quarter."""
    n, held, slopes = 150, [], []
    first, second = np.triu_indices(n, 1)
    for seed in range(6):
        rng, lists, places = np.random.default_rng(seed), [], []
        utility = rng.normal(scale=6, size=n)
        utility -= utility.mean()

        def judge(batch, rng=rng, utility=utility, lists=lists, places=places):
            shown = lists_in(batch)
            said = [np.argsort(np.argsort(-utility[of] - rng.gumbel(size=len(of)))).astype(float) for of in shown]
            lists += shown
            places += said
            return padded(said, batch.shape[1])

        play(list_field(n, 5, rng, 8 * n, 5), judge)
        fit = list_fit(lists, places, n)
        off = fit.scores[first] - fit.scores[second] - (utility[first] - utility[second])
        held.append(np.mean(np.abs(off) <= 1.96 * fit.difference_errors(first, second)))
        slopes.append(utility @ fit.scores / (fit.scores @ fit.scores))
    assert np.mean(held) >= 0.93
    assert np.mean(slopes) < 1.2
