"""The next votes against the formula written out pair by pair, and against pairs by lot in a simulation."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import norm

from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.votes import next_votes as module
from ordain.votes.cast_votes import Votes
from ordain.votes.next_votes import next_votes


def some_pairs(rng, n, m):
    left = rng.integers(0, n, m)
    return np.column_stack((left, (left + rng.integers(1, n, m)) % n))


def answered(rng, scores, pairs):
    return (rng.random(len(pairs)) < expit(scores[pairs[:, 0]] - scores[pairs[:, 1]])).astype(float)


def as_votes(pairs, answers, n):
    return Votes(tuple(range(n)), *pairs.T, answers, *np.ones((3, len(pairs))))


def drawn(seed, n=7, m=30):
    rng = np.random.default_rng(seed)
    pairs = some_pairs(rng, n, m)
    return as_votes(pairs, answered(rng, rng.standard_normal(n), pairs), n)


def fitted(votes, **options):
    return bradley_terry(votes.pairs, votes.answers, len(votes.items), spread=1.0, position=False, **options)


def doubt_taken(fit, C, a, b):
    """The expected change of Σ P (1 - P) by a vote on (a, b), the weights of the pairs as fitted."""
    n, s, first = len(fit.scores), fit.scores, fit.information.covariance()

    def e(u, v):
        return np.eye(n)[u] - np.eye(n)[v]

    p = fit.lapse + (1 - 2 * fit.lapse) * expit(s[a] - s[b])
    slope = (1 - 2 * fit.lapse) * expit(s[a] - s[b]) * expit(s[b] - s[a])
    w, total = slope**2 / (p * (1 - p)), 0.0
    for u, v in combinations(range(n), 2):
        V = e(u, v) @ first[:n, :n] @ e(u, v)
        change = w * (e(u, v) @ C @ e(a, b)) ** 2 / (1 + w * e(a, b) @ C @ e(a, b))
        total += norm.pdf((s[u] - s[v]) / np.sqrt(V)) ** 2 / V * change
    return w, total


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lapse", [0.0, 0.1])
def test_each_next_vote_takes_most_from_the_doubt(seed, lapse):
    votes = drawn(seed)
    fit = fitted(votes, lapse=lapse)
    C, free, named = fit.information.covariance()[:7, :7], set(combinations(range(7), 2)), Counter()
    for first, second, _ in next_votes(votes, fit, count=4):
        gains = {pair: doubt_taken(fit, C, *pair)[1] for pair in free if max(named[item] for item in pair) < 3}
        pair = tuple(sorted((first, second)))
        assert fit.scores[first] >= fit.scores[second]
        assert_allclose(gains[pair], max(gains.values()), rtol=1e-9)
        e = np.eye(7)[first] - np.eye(7)[second]
        C = np.linalg.inv(np.linalg.inv(C) + doubt_taken(fit, C, *pair)[0] * np.outer(e, e))
        free.remove(pair)
        named.update(pair)


def test_the_formula_is_the_expected_change_of_the_doubt():
    """By quadrature over where a small piece of information about s_a - s_b will move the means."""
    votes = drawn(1)
    fit = fitted(votes)
    C, s = fit.information.covariance()[:7, :7], fit.scores
    e = np.eye(7)[2] - np.eye(7)[5]
    w, taken = doubt_taken(fit, C, 2, 5)
    small = 1e-4
    k, c = C @ e, small / (1 + small * e @ C @ e)
    after, (nodes, shares) = C - c * np.outer(k, k), np.polynomial.hermite_e.hermegauss(12)

    def doubt(mean, cov):
        i, j = np.triu_indices(7, 1)
        P = norm.cdf((mean[i] - mean[j]) / np.sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j]))
        return (P * (1 - P)).sum()

    later = sum(share * doubt(s + node * np.sqrt(c) * k, after) for node, share in zip(nodes, shares, strict=True))
    exact = doubt(s, C) - later / shares.sum()
    assert_allclose(exact / c, taken * (1 + w * e @ C @ e) / w, rtol=1e-3)


def test_names_do_not_matter():
    votes = drawn(2)
    items = np.random.default_rng(0).permutation(7)
    other = replace(votes, left=items[votes.left], right=items[votes.right])
    known, found = (next_votes(each, fitted(each), count=6) for each in (votes, other))
    assert [(items[vote.first], items[vote.second], vote.why) for vote in known] == found


def error(seed, planned, n=15):
    """The share of pairs in the wrong order after 120 votes planned or by lot, on top of 30."""
    rng = np.random.default_rng(seed)
    scores, pairs = rng.standard_normal(n), some_pairs(rng, n, 2 * n)
    answers = answered(rng, scores, pairs)
    for _ in range(12):
        votes = as_votes(pairs, answers, n)
        more = some_pairs(rng, n, 10)
        if planned:
            more = np.array([vote[:2] for vote in next_votes(votes, fitted(votes), count=10)])
        pairs, answers = np.vstack((pairs, more)), np.append(answers, answered(rng, scores, more))
    found, (i, j) = fitted(as_votes(pairs, answers, n)).scores, np.triu_indices(n, 1)
    return np.mean((found[i] - found[j]) * (scores[i] - scores[j]) < 0)


def test_planned_votes_beat_votes_by_lot():
    gains = np.array([error(seed, False) - error(seed, True) for seed in range(60)])
    assert gains.mean() > 2 * gains.std() / np.sqrt(len(gains))


def test_parts_are_linked_first():
    left, right, one = np.array([0, 0, 1, 3, 3, 4]), np.array([1, 2, 2, 4, 5, 5]), np.ones(6)
    votes = Votes(tuple("abcdef"), left, right, np.array([1, 0, 1, 0, 1, 1.0]), one, 30 * one, one)
    fit = bradley_terry(votes.pairs, votes.answers, weights=votes.weights, position=False, spread=1.0)
    vote = next_votes(votes, fit, count=1)[0]
    assert (vote.first in "abc") != (vote.second in "abc") and vote.why == "no chain of votes links them"


@pytest.mark.parametrize("dense", [2000, 5])
def test_each_pair_once_and_no_item_too_often(monkeypatch, dense):
    monkeypatch.setattr(module, "DENSE", dense)
    votes = drawn(3, n=20, m=100)
    found = next_votes(votes, fitted(votes), count=12)
    assert len({frozenset(vote[:2]) for vote in found}) == len(found) == 12
    assert max(Counter(item for vote in found for item in vote[:2]).values()) <= 3


@pytest.mark.parametrize("dense", [2000, 1])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_items_have_few_pairs(monkeypatch, n, dense):
    monkeypatch.setattr(module, "DENSE", dense)
    votes = drawn(0, n=n, m=9)
    assert len(next_votes(votes, fitted(votes), count=100)) == n * (n - 1) // 2


def test_large_boards_ask_for_neighbours_in_doubt(monkeypatch):
    monkeypatch.setattr(module, "DENSE", 5)
    votes = drawn(4, n=40, m=600)
    fit = fitted(votes)
    places = np.argsort(np.argsort(-fit.scores))
    for vote in next_votes(votes, fit):
        assert 0 < places[vote.second] - places[vote.first] <= 5
        t = (fit.scores[vote.first] - fit.scores[vote.second]) / fit.standard_errors[[vote.first, vote.second]].max()
        assert t < 1


def test_one_item_has_nothing_to_be_compared_with():
    votes = Votes(("a",), *np.empty((2, 0), dtype=int), *np.empty((4, 0)))
    assert next_votes(votes, bradley_terry(votes.pairs, votes.answers, 1)) == []


def test_count_must_be_some():
    with pytest.raises(ValueError, match="count must be at least 1"):
        next_votes(votes := drawn(0), fitted(votes), count=0)


def test_what_is_brought_up_to_date_is_what_would_be_computed_anew():
    """C' is the inverse of C⁻¹ + w e eᵀ, and M' = C' Q C', whatever Q."""
    rng = np.random.default_rng(4)
    root, doubt = rng.normal(size=(2, 6, 6))
    C, Q, w, e = root @ root.T + np.eye(6), doubt @ doubt.T, 0.7, np.array([0, 1, 0, 0, -1, 0])
    moved, product = module._updated(C, C @ Q @ C, 1, 4, w)
    expected = np.linalg.inv(np.linalg.inv(C) + w * np.outer(e, e))
    assert_allclose(moved, expected, rtol=1e-9)
    assert_allclose(product, expected @ Q @ expected, rtol=1e-8, atol=1e-9)
