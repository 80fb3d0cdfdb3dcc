"""Every method orders all items, from the weighted votes and nothing else; each is held to a slow computation."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ordain.rank.least_disagreement import fewest_contradicted
from ordain.votes.cast_votes import Votes
from ordain.votes.methods import METHODS, majority, named, ranked

every_method = pytest.mark.parametrize("method", METHODS)
seeds = pytest.mark.parametrize("seed", range(8))


def some_votes(seed, n=5, rows=12, worth=1.0):
    """Counted votes, ties and fractions among them, on items none of which is without a vote."""
    rng = np.random.default_rng(seed)
    left = np.append(np.arange(n), rng.integers(0, n, rows))
    right = (left + np.append(np.ones(n, int), rng.integers(1, n, rows))) % n
    answers = rng.choice([0.0, 0.5, 1.0], len(left))
    people, times = rng.integers(1, 5, (2, len(left)))
    names = tuple(f"item {k}" for k in range(n))
    return Votes(names, left, right, answers, people, times, np.full(len(left), worth))


def repeated(votes):
    """The same votes one by one."""
    alone = votes.take(np.repeat(np.arange(len(votes)), votes.counts))
    return replace(alone, people=np.ones(len(alone)), times=np.ones(len(alone)))


def mirrored(votes):
    """The same votes with sides exchanged."""
    return replace(votes, left=votes.right, right=votes.left, answers=1 - votes.answers)


def contradicted(votes, order):
    """The weight of decided votes that an order contradicts, counted one by one."""
    place = {int(item): k for k, item in enumerate(order)}
    return sum(
        Fraction(weight)
        for left, right, answer, weight in zip(
            votes.left.tolist(), votes.right.tolist(), votes.answers, votes.weights, strict=True
        )
        if (answer == 1 and place[left] > place[right]) or (answer == 0 and place[left] < place[right])
    )


@every_method
@seeds
def test_every_method_orders_all_items_the_same_way_for_the_same_seed(method, seed):
    votes = some_votes(seed)
    found = ranked(votes, method, seed=seed)
    assert sorted(found.order) == list(range(5))
    assert found.method == method == named(method).name
    assert_allclose(found.order, ranked(votes, method, seed=seed).order)
    assert_allclose(found.places[found.order], np.arange(5))


@every_method
@seeds
def test_a_count_is_as_many_votes(method, seed):
    votes = some_votes(seed)
    counted, alone = ranked(votes, method, seed=seed), ranked(repeated(votes), method, seed=seed)
    assert_allclose(counted.order, alone.order)
    assert (counted.scores is None) == (alone.scores is None)
    if counted.scores is not None:
        assert_allclose(counted.scores, alone.scores, atol=1e-6)


@every_method
@seeds
def test_sides_do_not_matter_without_a_position(method, seed):
    votes = some_votes(seed)
    assert_allclose(ranked(votes, method, position=False).order, ranked(mirrored(votes), method, position=False).order)


@every_method
def test_what_a_method_assumes_is_one_sentence(method):
    assert METHODS[method].assumes.endswith(".")
    assert METHODS[method].assumes.count(".") == 1
    assert str(METHODS[method]).startswith(f"{method}: ")


@every_method
def test_the_order_follows_the_scores(method):
    found = ranked(some_votes(3), method)
    if found.scores is not None:
        assert (np.diff(found.scores[found.order]) <= 0).all()
    pairs = np.array([[a, b] for a in range(5) for b in range(5)])
    first, second = found.places[pairs.T]
    expected = np.where(first == second, 0.5, first < second)
    if found.scores is not None:
        expected = np.where(found.scores[pairs[:, 0]] == found.scores[pairs[:, 1]], 0.5, expected)
    assert_allclose(found.ahead(pairs), expected)


@seeds
def test_degree_is_the_share_of_wins_in_fractions(seed):
    votes = some_votes(seed, worth=0.25)
    wins, cast = [Fraction(0)] * 5, [Fraction(0)] * 5
    for u, v, y, w in zip(votes.left, votes.right, votes.answers, votes.weights, strict=True):
        wins[u] += Fraction(w) * Fraction(y)
        wins[v] += Fraction(w) * (1 - Fraction(y))
        cast[u] += Fraction(w)
        cast[v] += Fraction(w)
    assert_allclose(ranked(votes, "degree").scores, [float(a / b) for a, b in zip(wins, cast, strict=True)])


def test_level_items_come_by_lot_and_an_item_without_votes_has_won_half():
    one = np.ones(1)
    votes = Votes(("a", "b", "c"), np.array([0]), np.array([1]), 0.5 * one, one, one, one)
    found = [ranked(votes, "degree", seed=seed) for seed in range(40)]
    assert all((one.scores == 0.5).all() for one in found)
    assert len({tuple(one.order) for one in found}) == 6


@pytest.mark.parametrize("worth", [1.0, 3 / 11])
@seeds
def test_feedback_arc_set_contradicts_fewest_votes_of_all_orders(seed, worth):
    votes = some_votes(seed, worth=worth)
    found = ranked(votes, "feedback_arc_set", seed=seed)
    least = min(contradicted(votes, order) for order in permutations(range(5)))
    assert float(contradicted(votes, found.order)) == pytest.approx(float(least))
    digits = 0 if worth == 1 else 1
    decided = votes.weights[votes.answers != 0.5].sum()
    assert found.notice == (
        f"It contradicts {float(least):,.{digits}f} of {decided:,.{digits}f} decided votes, the fewest possible."
    )


def test_an_order_that_is_not_proved_best_says_what_none_can_beat():
    rng = np.random.default_rng(0)
    left, right = np.triu_indices(60, 1)
    ones = np.ones(len(left))
    votes = Votes(tuple(range(60)), left, right, rng.integers(0, 2, len(left)), ones, ones, ones)
    found = ranked(votes, "feedback_arc_set")
    count = int(contradicted(votes, found.order))
    assert found.notice.startswith(f"It contradicts {count} of 1,770 decided votes; whether another order")
    assert 0 < int(found.notice.rstrip(".").split()[-1]) < count


@pytest.mark.parametrize("n", [12, 25])
def test_the_unit_of_wins_does_not_matter(n):
    """Whole, large and fractional wins are the same problem, proved best alike; many components stay in order."""
    wins = np.random.default_rng(n).integers(0, 4, (n, n))
    found = [fewest_contradicted(unit * wins, np.random.default_rng(0)) for unit in (1, 1000, 1 / 7, 1e-9)]
    for unit, one in zip((1, 1000, 1 / 7, 1e-9), found, strict=True):
        assert one.weight == pytest.approx(unit * found[0].weight)
        assert one.gap <= 1e-5 * unit
        assert one.weight == pytest.approx(unit * np.tril(wins[np.ix_(one.order, one.order)], -1).sum())


def test_what_is_left_open_is_in_the_unit_of_the_wins():
    wins = np.random.default_rng(1).integers(0, 2, (45, 45))
    whole, small = (fewest_contradicted(unit * wins, np.random.default_rng(0)) for unit in (1, 1 / 7))
    assert whole.gap > 1
    assert small.gap == pytest.approx(whole.gap / 7)


def test_a_long_chain_is_arranged_at_once():
    n = 300
    shuffled = np.random.default_rng(0).permutation(n)
    wins = np.zeros((n, n))
    wins[shuffled[:-1], shuffled[1:]] = 2.5
    found = fewest_contradicted(wins, np.random.default_rng(1))
    assert_allclose(found.order, shuffled)
    assert found.weight == found.gap == 0


def test_feedback_arc_set_refuses_too_many_items():
    none = np.empty(0, int)
    with pytest.raises(ValueError, match=r"at most 5,000 items. Got 5,001. Use bradley_terry or degree"):
        ranked(Votes(tuple(range(5001)), *[none] * 6), "feedback_arc_set")


@seeds
def test_the_majority_is_that_of_the_votes_counted_one_by_one(seed):
    votes = some_votes(seed, rows=6, worth=3 / 11)
    pairs = np.array([[a, b] for a in range(5) for b in range(5) if a != b])
    found = majority(votes)(pairs)
    for (a, b), answer in zip(pairs.tolist(), found, strict=True):
        there = (votes.left == a) & (votes.right == b)
        back = (votes.left == b) & (votes.right == a)
        margin = (votes.counts * (2 * votes.answers - 1))[there].sum()
        margin -= (votes.counts * (2 * votes.answers - 1))[back].sum()
        assert answer == (1 + np.sign(margin)) / 2


def test_equal_sums_of_fractions_are_no_majority():
    ones = np.ones(3)
    votes = Votes(("a", "b"), np.array([0, 0, 1]), np.array([1, 1, 0]), ones, ones, ones, np.array([0.1, 0.2, 0.3]))
    assert 0.1 + 0.2 != 0.3
    assert majority(votes)(np.array([[0, 1]])) == 0.5


def test_quicksort_sorts_a_transitive_majority_and_tosses_for_what_nobody_compared():
    left, right = np.triu_indices(6, 1)
    ones = np.ones(len(left))
    votes = Votes(tuple("abcdef"), left, right, 0.75 * ones, ones, ones, ones)
    apart = votes.take((left < 3) == (right < 3))
    for seed in range(5):
        assert_allclose(ranked(votes, "quicksort", seed=seed).order, np.arange(6))
    firsts = [ranked(apart, "quicksort", seed=seed).order[0] for seed in range(60)]
    assert {0, 3} <= set(firsts)


def test_chances_have_position_and_lapses_where_there_is_a_fit():
    votes = some_votes(1, rows=40)
    found, pairs = ranked(votes), np.array([[0, 1], [1, 0], [3, 2]])
    fit = found.fit
    d = fit.scores[pairs[:, 0]] - fit.scores[pairs[:, 1]] + fit.position
    assert_allclose(found.chances(pairs), fit.lapse + (1 - 2 * fit.lapse) / (1 + np.exp(-d)))
    assert ranked(votes, position=False).fit.position == 0
    assert ranked(replace(votes, shown=False)).fit.position == 0 != fit.position
    assert ranked(votes, "degree").chances(pairs) is None


def test_an_unknown_method_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"one of bradley_terry, degree, feedback_arc_set, quicksort. Got 'elo'"):
        ranked(some_votes(0), "elo")
