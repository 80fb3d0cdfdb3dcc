"""The optimal scorers of the papers, found numerically, against their closed forms."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from ordain.learn.linear import LinearRanker
from ordain.losses import LOSSES, p_classification
from ordain.pairs import PairRisk
from ordain.theory.scorers import Finite, bipartite_optimum, classification_optimum, pair_optimum


def some(seed, points=5):
    rng = np.random.default_rng(seed)
    return Finite(rng.dirichlet(np.ones(points)), rng.uniform(0.05, 0.95, points))


every_seed = pytest.mark.parametrize("seed", range(4))


def centred(scores):
    return scores - np.mean(scores)


@every_seed
@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared_hinge", "canonical_exponential"])
def test_bipartite_risk_is_the_pair_classification_risk_of_differences(seed, loss):
    """½ E_{P×Q} [ℓ(1, s - s') + ℓ(-1, s' - s)], by the double sum over points."""
    finite, scores = some(seed), np.random.default_rng(seed).normal(size=5)
    weights = np.concatenate([finite.positives, finite.negatives])
    value, _ = PairRisk(finite.labels, loss, weights=weights).value_gradient(np.tile(scores, 2))
    ell = LOSSES[loss].value
    expected = sum(
        finite.positives[x] * finite.negatives[z] / 2 * (ell(1, scores[x] - scores[z]) + ell(-1, scores[z] - scores[x]))
        for x, z in product(range(5), repeat=2)
    )
    assert value == pytest.approx(float(expected), rel=1e-12)


@every_seed
@pytest.mark.parametrize("loss", LOSSES)
def test_classification_optimum_is_the_link_of_eta(seed, loss):
    finite = some(seed)
    found = classification_optimum(finite, loss)
    link = logit if LOSSES[loss].domain != (-np.inf, np.inf) else LOSSES[loss].link
    assert_allclose(found, link(finite.eta), atol=1e-5)


@every_seed
@pytest.mark.parametrize("p", [1, 2, 5])
def test_four_risks_have_one_ranking(seed, p):
    """Pointwise exponential, pairwise exponential, pair scorer and push, equal up to shift and the scale 1/(p + 1)."""
    finite = some(seed)
    pointwise = centred(classification_optimum(finite, "exponential"))
    pairwise = bipartite_optimum(finite, "exponential")
    pushed = bipartite_optimum(finite, "exponential", push=p)
    assert_allclose(pairwise, pointwise, atol=1e-8)
    assert_allclose(pushed, pointwise * 2 / (p + 1), atol=1e-8)
    assert_allclose(pair_optimum(finite, "exponential"), pointwise[:, None] - pointwise, atol=1e-8)
    assert_allclose(centred(classification_optimum(finite, p_classification(p))), pushed, atol=1e-8)


@every_seed
def test_pair_scorer_is_the_numeric_minimiser(seed):
    finite = some(seed)
    P, Q = finite.positives, finite.negatives
    for x, z in product(range(5), repeat=2):
        risk = minimize_scalar(lambda t, x=x, z=z: P[x] * Q[z] * np.exp(-t) + Q[x] * P[z] * np.exp(t), bracket=(-1, 1))
        assert pair_optimum(finite, "exponential")[x, z] == pytest.approx(risk.x, abs=1e-6)


@every_seed
def test_without_a_sigmoid_link_the_bipartite_optimum_is_not_the_link_of_eta(seed):
    """With at least three values of η; it still ranks like η."""
    finite = some(seed)
    found = bipartite_optimum(finite, "canonical_exponential")
    assert np.abs(found - centred(LOSSES["canonical_exponential"].link(finite.eta))).max() > 1e-3
    assert (np.argsort(found) == np.argsort(finite.eta)).all()


@pytest.mark.parametrize("reduction", ["pointwise", "balanced", "pairwise"])
def test_regret_goes_to_nothing_as_samples_grow(reduction):
    """On a class that holds every scorer, here one weight per point, each reduction becomes optimal."""
    rng = np.random.default_rng(0)
    finite = Finite(np.full(8, 1 / 8), expit(np.linspace(-2, 1, 8)))
    regrets = []
    for n in (100, 2_000, 40_000):
        points = rng.choice(8, n, p=finite.mass)
        labels = rng.random(n) < finite.eta[points]
        ranker = LinearRanker(reduction=reduction, alpha=1e-6).fit(np.eye(8)[points], labels)
        regrets.append(finite.ranking_regret(ranker.decision_function(np.eye(8))))
    assert regrets[0] > 10 * regrets[2] >= 0
    assert regrets[2] < 1e-4
