"""Judges against boards that were refitted without them, tails against exact fractions, and simulated judges."""

from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit

from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.votes import judge_left_out
from ordain.votes import judge_suspects as suspects
from ordain.votes.cast_votes import Votes
from ordain.votes.judge_left_out import left_out
from ordain.votes.judges_table import judges_table


def cast(seed, n=8, sizes=(40,) * 6, kinds=(), honest=0.2, ties=0.0):
    """Votes of judges of differing sharpness and bias, some of whom are coins or always say left."""
    rng = np.random.default_rng(seed)
    judge = np.repeat(np.arange(len(sizes)), sizes)
    scores, sharp, bias = (rng.standard_normal(count) for count in (n, len(sizes), len(sizes)))
    left = rng.integers(0, n, len(judge))
    right = (left + rng.integers(1, n, len(judge))) % n
    chances = expit(np.exp(honest * sharp[judge]) * (scores[left] - scores[right]) + honest * bias[judge])
    for who, kind in kinds:
        chances[judge == who] = {"coin": 0.5, "left": 1.0}[kind]
    answers = np.where(rng.random(len(judge)) < ties, 0.5, rng.random(len(judge)) < chances)
    one = np.ones(len(judge))
    return Votes(tuple(range(n)), left, right, answers, one, one, one, judge, tuple(range(len(sizes))))


def fitted(votes, **options):
    return bradley_terry(votes.pairs, votes.answers, len(votes.items), weights=votes.weights, **options)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("lapse", [0.0, 0.02])
@pytest.mark.parametrize("position", [True, False])
def test_one_step_is_close_to_a_refit(seed, lapse, position):
    votes = cast(seed, n=4 + seed, sizes=(30, 40, 50, 20, 60, *(60,) * 5))
    fit = fitted(votes, lapse=lapse, position=position)
    board = left_out(votes, votes.clusters, fit, votes.counts)
    for judge in range(5):
        mine = votes.clusters == judge
        again = fitted(votes.take(~mine), spread=fit.spread, lapse=lapse, position=position)
        there = again.scores[votes.left[mine]] - again.scores[votes.right[mine]]
        moved = np.abs(there - (fit.scores[votes.left[mine]] - fit.scores[votes.right[mine]])).max()
        assert np.abs(board.ahead[mine] - there).max() < 0.25 * moved + (0.1 if lapse else 0.02)
        assert_allclose((board.margins - board.ahead)[mine], again.position, atol=0.1)


@pytest.mark.parametrize("position", [True, False])
def test_the_step_solves_newtons_equations_written_out(position):
    votes = cast(3, n=6, sizes=(10, 25, 40))
    fit = fitted(votes, position=position)
    board = left_out(votes, votes.clusters, fit, votes.counts)
    x = np.append(fit.scores, fit.position)
    B = np.zeros((len(votes), 7))
    B[np.arange(len(votes)), votes.left], B[np.arange(len(votes)), votes.right], B[:, -1] = 1, -1, position
    for judge in range(3):
        mine = votes.clusters == judge
        p = expit(B @ x)
        H = (B[~mine].T * (p * (1 - p))[~mine]) @ B[~mine] + np.diag(fit.information.prior)
        g = B[mine].T @ (votes.answers - p)[mine]
        there = x - np.linalg.solve(H, g)
        assert_allclose(board.margins[mine], (B @ there)[mine], atol=1e-8)
        assert_allclose(board.variances[mine], np.diag(B @ np.linalg.solve(H, B.T))[mine], atol=1e-8)
        pull = B[mine].T @ (expit(B @ there) * expit(-B @ there))[mine]
        assert_allclose(board.left_variances[judge], pull @ np.linalg.solve(H, pull), atol=1e-8)


@pytest.mark.parametrize("dense", [29, 5])
def test_what_large_boards_are_spared_is_close_to_all_of_it(monkeypatch, dense):
    votes = cast(1, n=30, sizes=(20,) * 60)
    fit = fitted(votes)
    exact = left_out(votes, votes.clusters, fit, votes.counts)
    monkeypatch.setattr(judge_left_out, "DENSE", dense)
    monkeypatch.setattr(judge_left_out, "ENTRIES", dense**2)
    near = left_out(votes, votes.clusters, fit, votes.counts)
    assert np.abs(near.ahead - exact.ahead).max() < (0.1 if dense == 29 else 1e-3)
    assert np.corrcoef(near.variances, exact.variances)[0, 1] > 0.8
    assert_allclose(near.order_variances, exact.order_variances, rtol=1.0)


def test_figures_are_sums_over_votes():
    votes = cast(5, sizes=(30, 60, 12, 9), ties=0.2)
    table = judges_table(votes, fitted(votes))
    board = left_out(votes, votes.clusters, fitted(votes), votes.counts)
    for row in table:
        rows = [r for r in np.flatnonzero(votes.clusters == row.judge) if votes.answers[r] != 0.5]
        agreed = [float(votes.answers[r] == (board.ahead[r] > 0)) for r in rows]
        assert row.votes == np.count_nonzero(votes.clusters == row.judge)
        assert_allclose(row.agreement.value, np.mean(agreed))
        assert_allclose(row.left.value, votes.answers[rows].mean())
        assert row.agreement.low < row.agreement.value <= row.agreement.high
        assert row.agreement.of == len(rows)


def test_names_and_order_of_rows_do_not_matter():
    votes = cast(2, n=6, sizes=(30,) * 8, kinds=[(3, "left")])
    rng = np.random.default_rng(0)
    items, judges, rows = rng.permutation(6), rng.permutation(8), rng.permutation(len(votes))
    other = replace(votes, left=items[votes.left], right=items[votes.right], clusters=judges[votes.clusters]).take(rows)
    known, found = (list(judges_table(each, fitted(each, spread=1.0))) for each in (votes, other))
    for j, row in enumerate(known):
        twin = found[judges[j]]
        assert twin.agreement == row.agreement and twin.left == row.left and twin.suspect == row.suspect
        assert_allclose(twin.p_value, row.p_value, rtol=1e-4)


def test_swapping_sides_mirrors_the_left_share():
    votes = cast(4, sizes=(30,) * 7)
    other = replace(votes, left=votes.right, right=votes.left, answers=1 - votes.answers)
    for row, twin in zip(*(judges_table(each, fitted(each)) for each in (votes, other)), strict=True):
        assert_allclose(row.left.value, 1 - twin.left.value)
        assert_allclose(row.expected_left, 1 - twin.expected_left, atol=1e-5)
        assert_allclose(row.agreement.value, twin.agreement.value)


def test_equal_votes_may_be_counted_together():
    votes = cast(6, n=4, sizes=(50,) * 6, kinds=[(1, "coin")])
    rows, times = np.unique(
        np.column_stack((votes.left, votes.right, votes.answers, votes.clusters)), axis=0, return_counts=True
    )
    one, (left, right, judge) = np.ones(len(rows)), rows[:, [0, 1, 3]].astype(int).T
    short = Votes(votes.items, left, right, rows[:, 2], one, times, one, judge, votes.judges)
    for row, twin in zip(*(judges_table(each, fitted(each, spread=1.0)) for each in (votes, short)), strict=True):
        assert_allclose(row.agreement.part, twin.agreement.part)
        assert_allclose(row.p_value, twin.p_value, rtol=1e-4)


@pytest.mark.parametrize(("kind", "what"), [("coin", "agreed"), ("left", "answered left")])
@pytest.mark.parametrize("seed", range(5))
def test_a_dishonest_judge_of_a_thousand_votes_is_found(kind, what, seed):
    votes = cast(seed, n=12, sizes=(1000, *(200,) * 20), kinds=[(0, kind)])
    found = judges_table(votes, fitted(votes, spread=1.0)).suspects[0]
    assert found.judge == 0 and what in found.why


def test_honest_tables_seldom_name_anybody():
    named = 0
    for seed in range(60):
        votes = cast(100 + seed, n=10, sizes=np.random.default_rng(seed).integers(10, 300, 12), honest=0.3)
        named += bool(judges_table(votes, fitted(votes, spread=1.0)).suspects)
    assert named <= 5


def test_nobody_is_named_for_few_votes_or_among_few_judges():
    few = cast(0, sizes=(9, *(200,) * 20), kinds=[(0, "left")])
    assert not judges_table(few, fitted(few)).judges[0].suspect
    for judges in range(1, 5):
        table = cast(0, sizes=(500,) * judges, kinds=[(0, "left")])
        assert not judges_table(table, fitted(table)).suspects


def test_sides_are_not_judged_where_none_were_shown():
    votes = replace(cast(0, sizes=(200,) * 12, kinds=[(2, "left")]), shown=False)
    for row in judges_table(votes, fitted(votes, position=False)):
        assert row.left is None and row.row()["left"] is None and "left" not in row.why


def test_only_ties_are_no_share():
    votes = cast(0, sizes=(20,) * 6)
    votes = replace(votes, answers=np.where(votes.clusters == 1, 0.5, votes.answers))
    row = judges_table(votes, fitted(votes)).judges[1]
    assert row.votes == 20 and row.agreement.of == 0 and row.row()["agreement"] is None and not row.suspect


def test_votes_must_have_judges():
    votes = replace(cast(0), judges=None)
    with pytest.raises(ValueError, match="must say who cast them"):
        judges_table(votes, fitted(votes))


@given(st.lists(st.integers(0, 100), min_size=1, max_size=12))
def test_holm_is_its_definition(hundredths):
    p_values = np.array(hundredths) / 100
    found, order = suspects.holm(p_values), np.argsort(p_values, kind="stable")
    most = 0.0
    for i, at in enumerate(order):
        most = min(1.0, max(most, (len(order) - i) * p_values[at]))
        assert_allclose(found[at], most)


@pytest.mark.parametrize(("m", "a", "b"), [(1, 1, 1), (7, 2, 3), (12, 5, 1)])
def test_tails_are_those_of_polyas_urn(m, a, b):
    """k of m draws from an urn of a and b balls, each put back with another of its kind."""

    def rising(start, steps):
        return np.prod([Fraction(start + i) for i in range(steps)], initial=Fraction(1))

    total = Fraction(0)
    for k in range(m + 1):
        total += comb(m, k) * rising(a, k) * rising(b, m - k) / rising(a + b, m)
        assert_allclose(suspects._lower_tail(m, k, a, b), float(total))


def test_without_spread_the_tails_are_binomial():
    shares = suspects.Shares(*(np.array([value]) for value in (20.0, 0.25, 0.5, 0.25 / 20)))
    low, high = suspects.tails(shares, suspects.Spread(0.0, 0.0, np.zeros(1)))
    exact = sum(comb(20, k) for k in range(6)) / 2**20
    assert_allclose(low, exact, rtol=1e-3)
    assert_allclose(high, 1 - exact + comb(20, 5) / 2**20, rtol=1e-3)


@pytest.mark.parametrize("rho", [0.0, 0.01, 0.1])
def test_the_spread_between_judges_is_found_whatever_a_few_of_them_do(rho):
    rng, m = np.random.default_rng(0), np.full(4000, 100.0)
    chance = rng.beta(0.7 * (1 / rho - 1), 0.3 * (1 / rho - 1), 4000) if rho else np.full(4000, 0.7)
    seen = rng.binomial(100, chance) / 100
    seen[:200] = 0.5
    shares = suspects.Shares(m, seen, np.full(4000, 0.65), np.full(4000, 0.21 / 100))
    spread = suspects.spread_between(shares)
    assert_allclose(spread.shift, 0.05, atol=0.011)
    assert rho <= np.median(spread.between) <= 1.6 * rho + 0.004
