"""Answers that weigh: counted together, fitted as if they were repeated, and what the fit says of its own answers."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ordain.rank.bradley_terry import links, pair_counts
from ordain.rank.bradley_terry.links import Graph, Information
from ordain.rank.bradley_terry.pair_counts import counted
from ordain.rank.bradley_terry.posterior import bradley_terry


@st.composite
def weighed(draw, most=6):
    n = draw(st.integers(2, most))
    pair = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)
    pairs = draw(st.lists(pair, min_size=1, max_size=25))
    answers = draw(st.lists(st.sampled_from([0, 0.5, 1, 0.3]), min_size=len(pairs), max_size=len(pairs)))
    weights = draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs)))
    return np.array(pairs), np.array(answers, dtype=float), np.array(weights), n


def counts(pairs, answers, weights, position):
    """Weights and wins of every question, one answer after the other."""
    found = {}
    for (u, v), y, w in zip(pairs.tolist(), answers.tolist(), weights.tolist(), strict=True):
        if not position and u > v:
            u, v, y = v, u, 1 - y
        total, wins = found.get((u, v), (0.0, 0.0))
        found[u, v] = total + w, wins + w * y
    return {pair: (total, wins / total) for pair, (total, wins) in sorted(found.items()) if total}


@pytest.mark.parametrize("room", [pair_counts.ROOM, 0], ids=["places", "keys"])
@given(case=weighed(), position=st.booleans(), weighs=st.booleans())
def test_equal_questions_are_counted_together(room, case, position, weighs):
    pairs, answers, weights, n = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_counts, "ROOM", room)
        first, second, means, totals = counted(pairs, answers, weights if weighs else None, n, position)
    expected = counts(pairs, answers, weights if weighs else np.ones(len(pairs)), position)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == list(expected)
    assert_allclose(totals, [total for total, _ in expected.values()])
    assert_allclose(means, [mean for _, mean in expected.values()], atol=1e-15)
    assert totals.dtype == means.dtype == np.float64


@given(weighed(), st.booleans(), st.sampled_from([0.0, 0.1, None]), st.sampled_from([1.0, None]))
@settings(max_examples=40)
def test_a_weight_of_w_is_as_w_equal_answers(case, position, lapse, spread):
    pairs, answers, weights, n = case
    fit = bradley_terry(pairs, answers, n, weights=weights, position=position, spread=spread, lapse=lapse)
    rows = np.repeat(np.arange(len(pairs)), weights)
    again = bradley_terry(pairs[rows], answers[rows], n, position=position, spread=spread, lapse=lapse)
    assert (fit.spread, fit.lapse) == (again.spread, again.lapse)
    assert_allclose(fit.scores, again.scores, atol=1e-7)
    assert_allclose(fit.position, again.position, atol=1e-7)
    assert_allclose(fit.standard_errors, again.standard_errors, atol=1e-7)
    assert f" {weights.sum()} answers" in str(fit) and str(fit)[:30] == str(again)[:30]


@given(weighed(), st.sampled_from([0.0, 0.2]))
@settings(max_examples=25)
def test_chances_are_those_of_the_model_without_the_position(case, lapse):
    pairs, answers, weights, n = case
    fit = bradley_terry(pairs, answers, n, weights=weights, spread=2.0, lapse=lapse)
    first, second = pairs.T
    assert_allclose(fit.chances(first, second), naive.chance(fit.scores[first] - fit.scores[second], lapse))
    assert_allclose(fit.chances(first, second) + fit.chances(second, first), 1)
    assert fit.chances(0, 1) == pytest.approx(naive.chance(fit.scores[0] - fit.scores[1], lapse))


@given(weighed(), st.sampled_from([0.0, 0.2]))
@settings(max_examples=25)
def test_slopes_are_the_differences_of_the_log_likelihood(case, lapse):
    pairs, answers, weights, n = case
    fit = bradley_terry(pairs, answers, n, weights=weights, spread=2.0, lapse=lapse)

    def likelihood(d):
        q = naive.chance(d, lapse)
        return answers * np.log(q) + (1 - answers) * np.log(1 - q)

    d = fit.scores[pairs[:, 0]] - fit.scores[pairs[:, 1]] + fit.position
    slopes = fit.slopes(pairs, answers)
    assert_allclose(slopes, (likelihood(d + 1e-5) - likelihood(d - 1e-5)) / 2e-5, atol=1e-8)
    if not lapse:  # at the mode the slopes balance the prior
        won = np.bincount(pairs[:, 0], weights * slopes, n) - np.bincount(pairs[:, 1], weights * slopes, n)
        assert_allclose(won, fit.scores / 4, atol=1e-5)


@pytest.mark.parametrize("dense", [links.DENSE, 0], ids=["root", "iterated"])
@given(case=weighed(), position=st.booleans())
@settings(max_examples=20)
def test_solved_is_the_inverse_of_the_information(dense, case, position):
    pairs, answers, weights, n = case
    information = bradley_terry(pairs, answers, n, weights=weights, spread=1.5, position=position).information
    whole = information(np.eye(n + 1))
    right = np.random.default_rng(0).normal(size=(2, 3, n + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "DENSE", dense)
        left = information.solved(right)
        assert_allclose(information.solved(right[0, 1]), left[0, 1], atol=1e-7)
    assert_allclose(left, right @ np.linalg.inv(whole), atol=1e-7)
    assert_allclose(np.diag(whole)[:n] - information.prior[:n], -(whole - np.diag(np.diag(whole)))[:n, :n].sum(axis=1))


@given(weighed(), st.booleans())
@settings(max_examples=20)
def test_the_covariance_is_the_inverse_of_the_information(case, position):
    pairs, answers, weights, n = case
    fit = bradley_terry(pairs, answers, n, weights=weights, spread=1.5, position=position)
    covariance = fit.information.covariance()
    rows = np.repeat(np.arange(len(pairs)), weights)
    if position:
        x = np.append(fit.scores, fit.position)
        expected = naive.bradley_terry_information(x, pairs[rows], 1.5, place=fit.position_spread)
        assert_allclose(covariance, np.linalg.inv(expected), atol=1e-8)
    assert_array_equal(covariance, covariance.T)
    centre = np.eye(n) - 1 / n
    assert_allclose(np.diag(centre @ covariance[:n, :n] @ centre), fit.standard_errors**2, atol=1e-8)


def test_the_covariance_of_too_many_items_is_refused():
    n = links.DENSE + 1
    graph = Graph(np.array([[0, 1]]), np.ones(1), n, True)
    with pytest.raises(ValueError, match=r"at most 2000 items\. Got 2001"):
        Information(graph, np.ones(1), np.ones(n + 1)).covariance()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "one number per pair"),
        ([1, 2, 3], "one number per pair"),
        ([[1, 2]], "one number per pair"),
        (["a", "b"], "one number per pair"),
        ([1, -2], "finite and not negative. Got -2 at place 1"),
        ([np.nan, 1], "finite and not negative. Got nan at place 0"),
        ([np.inf, 1], "finite and not negative"),
    ],
)
def test_wrong_weights_are_refused_in_one_line(weights, message):
    with pytest.raises(ValueError, match=message) as caught:
        bradley_terry([[0, 1], [1, 2]], [1, 0], weights=weights)
    assert "\n" not in str(caught.value)


def test_answers_without_weight_leave_the_prior():
    fit = bradley_terry([[0, 1], [1, 2]], [1, 0], 3, weights=[0, 0])
    assert_array_equal(fit.scores, 0)
    assert "0 answers" in str(fit)
