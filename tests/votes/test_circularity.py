"""Circles against a count over all triples, and boards that follow the model or do not."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit

from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.votes import circularity as module
from ordain.votes.cast_votes import Votes
from ordain.votes.circularity import circularity


def drawn(seed, n, m, ties=0.0):
    """m votes on random pairs of n items by the model."""
    rng = np.random.default_rng(seed)
    scores, left = rng.standard_normal(n), rng.integers(0, n, m)
    right = (left + rng.integers(1, n, m)) % n
    won = np.where(rng.random(m) < ties, 0.5, rng.random(m) < expit(scores[left] - scores[right] + 0.2))
    return Votes(tuple(range(n)), left, right, won, *np.ones((3, m)))


def fitted(votes):
    return bradley_terry(votes.pairs, votes.answers, len(votes.items), weights=votes.weights, spread=1.0)


def counted(votes):
    """Circles and decided triples, straight from the definition."""
    lean = np.zeros((len(votes.items),) * 2)
    for u, v, y, w in zip(votes.left, votes.right, votes.answers, votes.weights, strict=True):
        lean[u, v] += w * (y - 0.5)
        lean[v, u] -= w * (y - 0.5)
    circles = triples = 0
    for a, b, c in combinations(range(len(votes.items)), 3):
        sides = np.sign([lean[a, b], lean[b, c], lean[c, a]])
        triples += (sides != 0).all()
        circles += abs(sides.sum()) == 3
    return circles, triples


@pytest.mark.parametrize("seed", range(12))
def test_circles_are_those_of_all_triples(seed):
    votes = drawn(seed, 3 + seed, 15 + 8 * seed, ties=0.1 * (seed % 3))
    found = circularity(votes, fitted(votes), draws=3)
    assert (found.observed, found.triples) == counted(votes)
    assert found.exact


def test_votes_weigh_what_they_are_worth():
    left, right, won = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 2]), np.ones(4)
    people, times, worth = np.array([1, 1, 1, 2]), np.array([1, 1, 3, 1]), np.array([1, 1, 0.5, 1])
    votes = Votes(("a", "b", "c"), left, right, won, people, times, worth)  # 1.5 for c over a, 2 for a over c
    assert circularity(votes, fitted(votes), draws=3).observed == 0
    votes = replace(votes, worth=np.array([1, 1, 0.9, 1]))
    assert circularity(votes, fitted(votes), draws=3).observed == 1


def test_names_and_order_of_rows_do_not_matter():
    votes = drawn(3, 12, 150, ties=0.1)
    rng = np.random.default_rng(0)
    items, rows = rng.permutation(12), rng.permutation(150)
    other = replace(votes, left=items[votes.left], right=items[votes.right]).take(rows)
    known, found = (circularity(each, fitted(each), draws=20) for each in (votes, other))
    assert (known.observed, known.triples) == (found.observed, found.triples)
    assert abs(known.expected - found.expected) < 0.15 * known.expected


def test_the_same_seed_gives_the_same_and_equal_votes_may_be_counted_together():
    votes = drawn(3, 8, 300)
    rows, times = np.unique(np.column_stack((votes.pairs, votes.answers)), axis=0, return_counts=True)
    one, (left, right) = np.ones(len(rows)), rows[:, :2].astype(int).T
    short = Votes(votes.items, left, right, rows[:, 2], one, times, one)
    assert circularity(votes, fitted(votes)) == circularity(votes, fitted(votes))
    found, known = circularity(short, fitted(votes)), circularity(votes, fitted(votes))
    assert found == known


def test_boards_of_the_model_are_seldom_too_circular():
    p_values = [circularity(votes := drawn(seed, 10, 120, 0.2), fitted(votes), draws=59).p_value for seed in range(60)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.1
    assert 0.3 < np.mean(p_values) < 0.8


def test_circular_tastes_are_noticed():
    """Item u beats the half of the circle that follows it, three times in four."""
    rng, m = np.random.default_rng(0), 2000
    left = rng.integers(0, 15, m)
    ahead = rng.integers(1, 15, m)
    won = rng.random(m) < np.where(ahead <= 7, 0.75, 0.25)
    votes = Votes(tuple(range(15)), left, (left + ahead) % 15, won.astype(float), *np.ones((3, m)))
    found = circularity(votes, fitted(votes))
    assert found.p_value < 0.01 and found.observed > 1.2 * found.expected and "are more circular" in str(found)


def test_expected_circles_of_coins_are_a_quarter():
    left, right = np.triu_indices(12, k=1)
    votes = Votes(tuple(range(12)), left, right, np.ones(66), *np.ones((3, 66)))
    coins = bradley_terry(np.tile(votes.pairs, (2, 1)), np.repeat([0.0, 1.0], 66), 12, spread=0.01, position=False)
    assert abs(circularity(votes, coins).expected / 220 - 0.25) < 0.02


def test_triples_drawn_by_lot_are_like_all(monkeypatch):
    votes = drawn(1, 40, 1500)
    every = circularity(votes, fitted(votes), draws=20)
    monkeypatch.setattr(module, "WEDGES", 5000)
    monkeypatch.setattr(module, "TRIPLES", 2000)
    some = circularity(votes, fitted(votes), draws=20)
    assert every.exact and not some.exact and some.triples <= 2000 and "drawn by lot" in str(some)
    assert abs(some.observed / some.triples - every.observed / every.triples) < 0.03


@pytest.mark.parametrize("pairs", [np.empty((0, 2), dtype=int), np.array([[0, 1]]), np.array([[0, 1], [1, 2]])])
def test_without_a_triangle_nothing_is_known(pairs):
    votes = Votes(("a", "b", "c"), *pairs.T, np.ones(len(pairs)), *np.ones((3, len(pairs))))
    found = circularity(votes, fitted(votes))
    assert found.triples == found.observed == 0 and found.p_value == 1 and "nothing is known" in str(found)


def test_draws_must_be_some():
    votes = drawn(0, 4, 10)
    with pytest.raises(ValueError, match="draws must be at least 1"):
        circularity(votes, fitted(votes), draws=0)
