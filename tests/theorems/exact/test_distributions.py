"""Finite distributions against the definitions, in fractions."""

from fractions import Fraction
from itertools import product

import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ordain.losses import LOSSES, balanced
from ordain.theorems.exact.distributions import (
    Finite,
    crossing,
    random_estimate,
    random_exact,
    random_finite,
    reversal,
)

HALF = Fraction(1, 2)


@st.composite
def exact(draw, most=4):
    """A distribution in fractions, with certain labels and equal η among its points, and whole scores with ties."""
    k = draw(st.integers(2, most))
    weights = draw(st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any))
    eta = draw(st.lists(st.integers(0, 4), min_size=k, max_size=k))
    mass = np.array([Fraction(weight, sum(weights)) for weight in weights])
    chances = np.array([Fraction(chance, 4) for chance in eta])
    assume(0 < mass @ chances < 1)
    return Finite(mass, chances), np.array(draw(st.lists(st.integers(0, 2), min_size=k, max_size=k)))


@given(exact())
def test_ranking_error_is_one_minus_auc(case):
    finite, scores = case
    assert finite.ranking_error(scores) == naive.ranking_error(finite.mass, finite.eta, scores)
    assert isinstance(finite.ranking_error(scores), Fraction)


@settings(max_examples=40)
@given(exact(most=3))
def test_bayes_error_is_the_least_of_all_orders_and_regret_the_rest(case):
    finite, _ = case
    k = len(finite.mass)
    errors = {scores: naive.ranking_error(finite.mass, finite.eta, scores) for scores in product(range(k), repeat=k)}
    assert finite.bayes_ranking_error == min(errors.values())
    for scores, value in errors.items():
        assert finite.ranking_regret(np.array(scores)) == value - min(errors.values())


@given(exact())
def test_pairs_are_two_draws_with_different_labels(case):
    """(15) to (17) and (22) to (24): by enumerating labelled pairs; a tie is guessed negative."""
    finite, scores = case
    k, pairs = len(finite.mass), finite.pairs
    chance = {(x, y): finite.mass[x] * (finite.eta[x] if y else 1 - finite.eta[x]) for x in range(k) for y in (0, 1)}
    either = sum(chance[x, 0] * chance[z, 1] * 2 for x, z in product(range(k), repeat=2))
    guessed_wrong = Fraction(0)
    for x, z in product(range(k), repeat=2):
        first, second = chance[x, 1] * chance[z, 0] / either, chance[x, 0] * chance[z, 1] / either
        assert pairs.mass[k * x + z] == first + second
        assert pairs.mass[k * x + z] * pairs.eta[k * x + z] == first
        guessed_wrong += second if scores[x] > scores[z] else first
    assert pairs.prevalence == HALF
    assert finite.ranking_error(scores) == guessed_wrong
    assert pairs.zero_one_regret((scores[:, None] > scores).ravel()) == finite.ranking_regret(scores)
    assert pairs.mass @ np.minimum(pairs.eta, 1 - pairs.eta) == finite.bayes_ranking_error


@given(exact())
def test_evened_keeps_the_classes(case):
    finite, scores = case
    even = finite.evened
    assert even.prevalence == HALF
    assert (even.positives == finite.positives).all()
    assert (even.negatives == finite.negatives).all()
    assert even.ranking_regret(scores) == finite.ranking_regret(scores)


@pytest.mark.parametrize("name", LOSSES)
def test_loss_regrets_are_means_of_conditional_ones(name):
    rng, loss = np.random.default_rng(2), LOSSES[name]
    for _ in range(5):
        finite = random_finite(rng, 4)
        guess = random_estimate(rng, finite)
        scores = loss.link(guess)
        risk = sum(
            m * (e * loss.value(1, s) + (1 - e) * loss.value(-1, s))
            for m, e, s in zip(finite.mass, finite.eta, scores, strict=True)
        )
        assert finite.risk(name, scores) == pytest.approx(float(risk), rel=1e-12)
        best = sum(m * loss.risk(e, e) for m, e in zip(finite.mass, finite.eta, strict=True))
        assert finite.bayes_risk(loss) == pytest.approx(float(best), rel=1e-12)
        assert finite.regret(name, scores) == pytest.approx(float(risk - best), abs=1e-12)
        even = balanced(name, float(finite.prevalence))
        assert finite.evened.regret(name, scores) == pytest.approx(finite.regret(even, scores), rel=1e-9, abs=1e-12)


def test_certain_labels_cost_nothing_where_they_are_foreseen():
    """0 · ∞ is 0: η = 0 with score -∞, and a point of no mass with an infinite loss."""
    finite = Finite(np.array([0.5, 0.5, 0.0]), np.array([0.0, 1.0, 1.0]))
    assert finite.regret("logistic", np.array([-np.inf, np.inf, -np.inf])) == 0
    assert finite.regret("exponential", np.array([np.inf, np.inf, 0.0])) == np.inf


def test_random_distributions_are_what_they_say():
    rng = np.random.default_rng(0)
    for k in (2, 5):
        assert sum(random_exact(rng, k).mass) == 1
        assert isinstance(random_exact(rng, k).prevalence, Fraction)
        finite = random_finite(rng, k)
        for _ in range(20):
            guess = random_estimate(rng, finite)
            assert np.all((guess > 0) & (guess < 1))


def test_reversal_ranks_backwards():
    finite, guess = reversal(0.3, 0.2, 50, power=1.5)
    assert_allclose(finite.prevalence, 0.3)
    assert_allclose([finite.eta.min(), finite.eta.max()], [0.2, 0.4], atol=5e-3)
    assert (np.argsort(guess) == np.argsort(-finite.eta)).all()
    assert np.abs(guess - 0.3).max() < 1e-6
    finite, guess = reversal(0.5, 1.0, 40, blocks=4)
    for block in range(4):
        part = slice(10 * block, 10 * block + 10)
        assert (np.diff(guess[part]) < 0).all()
        assert_allclose(guess[part], finite.eta[part].mean(), atol=1e-6)
    assert_allclose(finite.ranking_regret(guess), 4 * (1 / 6 / 16) * (1 - 1 / 100), rtol=1e-9)


def test_a_small_point_crosses_the_rest():
    for mass in (Fraction(1, 3), Fraction(1, 1000)):
        finite, guess = crossing(mass, Fraction(1, 4), Fraction(1, 10**6))
        error = finite.mass @ abs(guess - finite.eta)
        bound = error / (finite.prevalence * (1 - finite.prevalence))
        share = finite.ranking_regret(guess) / bound
        assert share == (1 - mass) * Fraction(1, 4) / (Fraction(1, 4) + Fraction(1, 10**6))


@pytest.mark.parametrize(
    ("mass", "eta", "message"),
    [
        ([0.5, 0.5], [0.1], "one number per point. Got shapes"),
        ([0.5, 0.6], [0.1, 0.2], "sum to 1. Got a sum of 1.1"),
        ([1.5, -0.5], [0.1, 0.2], "masses must be at least 0"),
        ([0.5, 0.5], [0.1, 1.2], r"eta must lie in \[0, 1\]. Got 0.1 to 1.2"),
        ([0.5, 0.5], [0.0, 0.0], "both classes must be possible. Got a share of positives of 0"),
    ],
)
def test_refusals(mass, eta, message):
    with pytest.raises(ValueError, match=message):
        Finite(np.array(mass), np.array(eta))
