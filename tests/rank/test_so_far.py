"""By which model the next questions are chosen, while features help and while they do not."""

import numpy as np
from scipy.special import expit

from ordain.rank.blended.blend import Asked, blended
from ordain.rank.blended.known_features import given_features, in_blocks, nothing_known
from ordain.rank.blended.so_far import SoFar

N = 60


def answered(scores, count, seed):
    """Random pairs, and a coin's answers to them."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.permutation(N)[:2] for _ in range(count)])
    return pairs, (rng.random(count) < expit(scores[pairs[:, 0]] - scores[pairs[:, 1]])).astype(float)


def test_features_that_explain_the_answers_choose_the_questions():
    x = np.random.default_rng(1).standard_normal(N)
    so_far = SoFar(given_features(x, N))
    model = so_far.learn(*answered(3 * x, 80, 2))
    assert model is so_far.both and so_far.believed
    assert np.corrcoef(model.scores, x)[0, 1] > 0.9


def test_features_that_explain_nothing_do_not():
    rng = np.random.default_rng(3)
    scores, blocks = 3 * rng.standard_normal(N), {name: rng.standard_normal((N, 20)) for name in "abcd"}
    so_far, (pairs, answers) = SoFar(in_blocks(blocks)), answered(scores, 300, 4)
    model = so_far.learn(pairs, answers)
    assert model is so_far.alone and not so_far.believed
    items = nothing_known(N)
    alone = blended(Asked.of(pairs, answers, items), items)
    assert np.corrcoef(model.scores, alone.scores)[0, 1] > 0.99
    assert not so_far.learned(pairs, answers).helped


def test_once_believed_items_alone_are_fitted_only_in_the_end():
    x = np.random.default_rng(5).standard_normal(N)
    so_far, (pairs, answers) = SoFar(given_features(x, N)), answered(3 * x, 160, 6)
    so_far.learn(pairs[:80], answers[:80])
    before = so_far.alone
    so_far.learn(pairs, answers)
    assert so_far.alone is before
    found = so_far.learned(pairs, answers)
    assert found.helped and found.alone.asked.graph.weights.sum() == len(pairs)
