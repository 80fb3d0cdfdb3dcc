"""How sure the first K are: against integrals of the posterior written from the definitions, and its invariances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, ndtr
from scipy.stats import multivariate_normal

from ordain.judge import sure
from ordain.judge.sure import Certain, chance_of_top, chance_of_top_by_pairs, errs_for_good
from ordain.rank.bradley_terry import links
from ordain.rank.bradley_terry.mode import Fit
from ordain.rank.bradley_terry.noise import Noise
from ordain.rank.list_model import answers_afresh, list_fit, weighted_pairs


def asked(utilities, texts, size, seed=0):
    """Random lists of some size, ordered by utilities and Gumbel noise, and their places."""
    rng, n = np.random.default_rng(seed), len(utilities)
    lists = [rng.permutation(n)[:size] for _ in range(texts // size)]
    values = [utilities[shown] + rng.gumbel(size=size) for shown in lists]
    return lists, [(of > of[:, None]).sum(axis=1).astype(float) for of in values]


def compared(utilities, count, seed=0):
    """Random pairs and whether the first was preferred."""
    rng, n = np.random.default_rng(seed), len(utilities)
    pairs = np.array([rng.permutation(n)[:2] for _ in range(count)])
    return pairs, (rng.random(count) < expit(utilities[pairs[:, 0]] - utilities[pairs[:, 1]])).astype(float)


def normal_chance(scores, covariance, first, slack):
    """P(s_i - s_j ≥ -slack for all i inside and j outside), by quasi-Monte Carlo integration of the normal law."""
    outside = [item for item in range(len(scores)) if item not in first]
    rows = np.array([np.eye(len(scores))[j] - np.eye(len(scores))[i] for i in first for j in outside])
    law = multivariate_normal(rows @ scores, rows @ covariance @ rows.T, allow_singular=True, seed=0, abseps=1e-3)
    return law.cdf(np.full(len(rows), slack))


def covariance_by_hand(fit):
    """The inverse of Σ w q'² / (q (1 - q)) b bᵀ + prior over pairs, b having 1, -1 and 1; and the doubt."""
    pairs, graph = fit.pairs, fit.pairs.information.graph
    n = len(fit.scores)
    information = np.diag(np.append(np.full(n, pairs.spread**-2.0), pairs.position_spread**-2.0))
    for i, j, weight in zip(graph.first, graph.second, graph.weights, strict=True):
        row = np.zeros(n + 1)
        row[[i, j, n]] = 1, -1, 1
        p = expit(pairs.scores[i] - pairs.scores[j] + pairs.position)
        q = pairs.lapse + (1 - 2 * pairs.lapse) * p
        slope = (1 - 2 * pairs.lapse) * p * (1 - p)
        information += weight * slope**2 / (q * (1 - q)) * np.outer(row, row)
    gains = fit.scale.doubt * fit.scale.gains
    return np.linalg.inv(information)[:n, :n] + np.outer(gains, gains)


@pytest.mark.parametrize(("n", "k", "size"), [(3, 1, 3), (3, 2, 2), (4, 1, 3), (4, 2, 4), (5, 2, 3), (5, 4, 5)])
@pytest.mark.parametrize("slack", [0.0, 0.2, 1.0])
def test_the_chance_is_the_integral_of_the_normal_posterior(n, k, size, slack):
    lists, places = asked(np.linspace(0, 1, n), 60, size, seed=n + k)
    fit, found = list_fit(lists, places, n), chance_of_top(lists, places, n, k, slack=slack)
    assert set(found.first) == set(np.argsort(-fit.scores)[:k].tolist())
    expected = normal_chance(fit.scores, covariance_by_hand(fit), found.first, slack)
    assert 0.02 < expected < 0.999
    assert found.chance == pytest.approx(expected, abs=4 * np.sqrt(0.25 / sure.DRAWS))


@pytest.mark.parametrize("utilities", [np.array([0.3, 0.2, 0.0]), np.array([0.0, 0.5, 0.6])])
def test_the_chance_is_near_that_of_the_exact_posterior(utilities):
    """The posterior at the fitted noise on a grid of two differences and what the first place is worth."""
    pairs, answers = compared(utilities, 300)
    fit = sure._fitted(sure.WeightedPairs(pairs, answers, np.ones(300)), 3)
    found = sure._certain(replace(fit, scale=fit.scale._replace(doubt=0.0)), k=1, seed=0, slack=0.2)
    axis, lapse = np.linspace(-2, 2, 81), fit.pairs.lapse
    one, two, place = np.meshgrid(axis, axis, np.linspace(-1, 1, 41), indexing="ij")
    scores = np.stack((np.zeros_like(one), one, two))
    log = -((scores - scores.mean(axis=0)) ** 2).sum(axis=0) / (2 * fit.pairs.spread**2)
    log -= place**2 / (2 * fit.pairs.position_spread**2)
    for (i, j), answer in zip(pairs, answers, strict=True):
        log += np.log(lapse + (1 - 2 * lapse) * expit((2 * answer - 1) * (scores[i] - scores[j] + place)))
    weights = np.exp(log - log.max())
    best, others = found.first[0], [item for item in range(3) if item != found.first[0]]
    exact = (weights * (scores[best] >= scores[others].max(axis=0) - 0.2)).sum() / weights.sum()
    assert 0.3 < exact < 0.995
    assert found.chance == pytest.approx(exact, abs=0.03)


def test_an_item_never_shown_is_as_good_as_the_prior_says():
    """Two items are told apart; the third may be anything, so it decides."""
    pairs, answers = compared(np.array([4.0, 0.0]), 400)
    found = chance_of_top_by_pairs(pairs, answers, n=3, k=1)
    fit = sure._fitted(sure.WeightedPairs(pairs, answers, np.ones(400)), 3)
    covariance = covariance_by_hand(fit)
    error = np.sqrt(covariance[0, 0] + covariance[2, 2] - 2 * covariance[0, 2])
    assert fit.scores[2] == pytest.approx(0, abs=1e-6)
    assert found.first == (0,)
    assert found.chance == pytest.approx(ndtr((fit.scores[0] + 0.2) / error), abs=0.03)
    assert found.chance < chance_of_top_by_pairs(pairs, answers, n=2, k=1).chance


def test_items_far_apart_are_sure_and_alike_ones_are_not():
    apart = np.append(np.full(5, 6.0), np.zeros(25))
    found = chance_of_top(*asked(apart, 3000, 10), n=30, k=5)
    assert sorted(found.first) == [0, 1, 2, 3, 4]
    assert found.chance > 0.99
    assert chance_of_top(*asked(np.zeros(30), 600, 10), n=30, k=5).chance < 0.4


def test_without_answers_nothing_is_sure_but_all_items_together_are():
    assert chance_of_top([], [], n=20, k=5, slack=0.0).chance < 0.01
    lists, places = asked(np.zeros(4), 40, 4)
    everything = chance_of_top(lists, places, n=4, k=4)
    assert everything.chance == 1
    assert sorted(everything.first) == [0, 1, 2, 3]


def test_the_first_have_the_highest_scores_best_first():
    lists, places = asked(np.arange(6.0)[::-1], 600, 3)
    assert chance_of_top(lists, places, n=6, k=4).first == (0, 1, 2, 3)
    turned = chance_of_top(lists, [-of for of in places], n=6, k=2)
    assert turned.first == (5, 4)


def test_more_slack_and_more_answers_make_surer():
    utilities = np.linspace(1.5, 0, 12)
    lists, places = asked(utilities, 6000, 6)
    chances = [chance_of_top(lists, places, n=12, k=4, slack=slack).chance for slack in (0.0, 0.2, 0.5, 2.0)]
    assert chances == sorted(chances)
    assert chances[0] < chances[-1]
    assert chance_of_top(lists[:30], places[:30], n=12, k=4).chance < chances[1]


def test_names_of_items_do_not_matter():
    lists, places = asked(np.linspace(0, 2, 8), 400, 4)
    names = np.random.default_rng(1).permutation(8)
    plain = chance_of_top(lists, places, n=8, k=3)
    renamed = chance_of_top([names[shown] for shown in lists], places, n=8, k=3)
    assert renamed.first == tuple(names[list(plain.first)].tolist())
    assert renamed.chance == pytest.approx(plain.chance, abs=1e-3)


def test_the_order_of_the_lists_does_not_matter():
    lists, places = asked(np.linspace(0, 2, 8), 400, 4)
    plain, back = chance_of_top(lists, places, n=8, k=3), chance_of_top(lists[::-1], places[::-1], n=8, k=3)
    assert back.first == plain.first
    assert back.chance == pytest.approx(plain.chance, abs=1e-3)


def test_the_same_seed_gives_the_same_and_another_nearly_so():
    lists, places = asked(np.linspace(0, 2, 8), 400, 4)
    plain, again, other = (chance_of_top(lists, places, n=8, k=3, seed=seed) for seed in (0, 0, 1))
    assert plain == again
    assert other.chance != plain.chance
    assert other.chance == pytest.approx(plain.chance, abs=0.04)


def test_pairs_may_come_as_lists_of_two():
    pairs, answers = compared(np.array([1.0, 0.5, 0.0, 0.0]), 200)
    by_lists = chance_of_top(list(pairs), list(np.column_stack((1 - answers, answers))), n=4, k=1)
    by_pairs = chance_of_top_by_pairs(pairs, answers, n=4, k=1)
    assert by_pairs.first == by_lists.first
    assert by_pairs.chance == pytest.approx(by_lists.chance, abs=0.02)


def test_what_was_not_answered_says_nothing():
    pairs, answers = compared(np.array([1.0, 0.0, 0.0]), 60)
    more = np.append(pairs, [[1, 0]] * 20, axis=0)
    found = chance_of_top_by_pairs(more, np.append(answers, np.full(20, np.nan)), n=3, k=1)
    assert found == chance_of_top_by_pairs(pairs, answers, n=3, k=1)


def test_repeating_an_answer_makes_no_surer():
    """The judge never contradicts itself, so a pair counts once."""
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    once = chance_of_top_by_pairs(pairs, np.ones(3), n=3, k=1)
    often = chance_of_top_by_pairs(np.tile(pairs, (50, 1)), np.ones(150), n=3, k=1)
    assert often.chance == pytest.approx(once.chance, abs=0.02)
    assert often.chance < 0.95


def test_errors_for_good_make_every_pair_count_once():
    """Each pair has a coin that was thrown once, and a list is ordered by the wins in it; beside it one who answers
    afresh."""
    rng, n = np.random.default_rng(3), 30
    better = expit(np.subtract.outer(np.linspace(3, 0, n), np.linspace(3, 0, n)))
    coins = np.triu(rng.random((n, n)) < better, 1)
    wins = coins + np.tril(~coins.T, -1)
    lists = [rng.permutation(n)[:8] for _ in range(600)]
    places = [-wins[np.ix_(shown, shown)].sum(axis=1).astype(float) for shown in lists]
    said, fit = weighted_pairs(lists, places), list_fit(lists, places, n)
    assert answers_afresh(said, Fit(np.append(fit.pairs.scores, 0.0), Noise(fit.pairs.spread, fit.pairs.lapse)))
    assert errs_for_good(said, fit.pairs)
    once = sure._once(fit, said)
    assert once.pairs.information.graph.weights.sum() <= n * (n - 1) / 2 + 1e-9
    assert (once.standard_errors > 1.5 * fit.standard_errors).all()
    assert_array_equal(once.scores, fit.scores)
    assert chance_of_top(lists, places, n, 5) == sure._certain(once, 5, 0, 0.2)


@pytest.mark.parametrize("seed", range(5))
def test_who_answers_afresh_is_left_alone(seed):
    lists, places = asked(np.linspace(3, 0, 30), 4800, 8, seed)
    said, fit = weighted_pairs(lists, places), list_fit(lists, places, 30)
    assert not errs_for_good(said, fit.pairs)
    assert sure._once(fit, said) is fit


def test_beyond_the_dense_it_is_the_same(monkeypatch):
    """The same block of the covariance by conjugate gradients."""
    lists, places = asked(np.linspace(0, 4, 40), 2000, 5)
    information = list_fit(lists, places, 40).pairs.information
    items = np.arange(39, 0, -1)
    dense = sure._covariance(information, items)
    monkeypatch.setattr(sure, "DENSE", 10)
    monkeypatch.setattr(links, "DENSE", 10)
    assert_allclose(sure._covariance(information, items), dense, atol=1e-6)


def test_pairs_of_many_items_are_as_sure_as_those_of_few(monkeypatch):
    rng, truth = np.random.default_rng(0), np.r_[4.0, 3.95, 3.9, np.linspace(2.8, 0, 57)]
    pairs = np.array([rng.permutation(60)[:2] for _ in range(1500)])
    answers = (rng.random(1500) < expit(truth[pairs[:, 0]] - truth[pairs[:, 1]])).astype(float)
    few = chance_of_top_by_pairs(pairs, answers, 60, 3)
    monkeypatch.setattr(sure, "DENSE", 10)
    monkeypatch.setattr(links, "DENSE", 10)
    many = chance_of_top_by_pairs(pairs, answers, 60, 3)
    assert many.first == few.first and set(many.first) == {0, 1, 2}
    assert 0.5 < few.chance < 0.99 and many.chance == pytest.approx(few.chance, abs=0.03)


def test_leaving_out_hopeless_items_changes_nothing(monkeypatch):
    lists, places = asked(np.linspace(12, 0, 60), 6000, 10)
    everyone = chance_of_top(lists, places, n=60, k=5)
    monkeypatch.setattr(sure, "CONTENDERS", 20)
    assert chance_of_top(lists, places, n=60, k=5).chance == pytest.approx(everyone.chance, abs=0.03)


def test_an_item_never_shown_is_no_hopeless_one(monkeypatch):
    """Its score is in the middle, but it may be the best, and is drawn before many with higher scores."""
    lists, places = asked(np.linspace(12, 0, 40), 4000, 10)
    everyone = chance_of_top(lists, places, n=41, k=3)
    assert everyone.chance < chance_of_top(lists, places, n=40, k=3).chance - 0.02
    monkeypatch.setattr(sure, "CONTENDERS", 8)
    assert chance_of_top(lists, places, n=41, k=3).chance == pytest.approx(everyone.chance, abs=0.02)


def test_many_items_are_drawn_without_their_whole_covariance():
    n = 2100
    lists, places = asked(np.append(np.full(3, 8.0), np.zeros(n - 3)), 4 * n, 10)
    most = np.random.default_rng(1).permutation(n - 3)[:100] + 3
    lists += [np.array([0, 1, 2, *most[start : start + 7]]) for start in range(0, 91, 7)]
    places += [np.arange(10.0)] * (len(lists) - len(places))
    found = chance_of_top(lists, places, n=n, k=3)
    assert sorted(found.first) == [0, 1, 2]
    assert 0 < found.chance <= 1


@pytest.mark.parametrize(("options", "message"), [
    ({"k": 0}, "k must lie from 1 to the 3 items. Got 0."),
    ({"k": 4}, "k must lie from 1 to the 3 items. Got 4."),
    ({"k": 1, "slack": -0.1}, "slack must be zero or more"),
    ({"k": 1, "slack": np.nan}, "slack must be zero or more"),
])  # fmt: skip
def test_wrong_wishes_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        chance_of_top([np.array([0, 1])], [np.array([0, 1])], n=3, **options)
    with pytest.raises(ValueError, match=message):
        chance_of_top_by_pairs(np.array([[0, 1]]), np.ones(1), n=3, **options)


def test_it_says_what_it_is_sure_of_and_never_rounds_up():
    assert "chance of 94%" in str(Certain(0.9499, (1, 2)))
    assert "first 2" in str(Certain(0.9499, (1, 2)))
    assert "60 times in 100" in str(Certain(0.9, (1,), slack=np.log(1.5)))
