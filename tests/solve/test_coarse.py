"""The coarse Hessian: against the exact one, pair by pair."""

from functools import cache

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from ordain.losses import get_loss
from ordain.losses.row_risk import PointRisk, class_shares
from ordain.pairs import PairRisk
from ordain.solve.coarse import in_one_cell
from ordain.solve.newton import Linear, WithHessian


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, X[:, 0] + rng.logistic(size=n) > 1, rng


@cache
def exact_hessian(loss, weighted):
    """By pairs, with the weights and the direction."""
    X, positive, rng = rows()
    weights = rng.integers(0, 3, len(X)).astype(float) if weighted else np.ones(len(X))
    w = np.array([1.5, -1.0, 0.5, 0.0])
    return naive.pair_hessian(get_loss(loss).phi_curvature, positive, X, X @ w, weights), weights, w


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize(("loss", "apart"), [("squared", 1e-6), ("logistic", 0.02), ("canonical_exponential", 0.02)])
@pytest.mark.parametrize("weighted", [False, True])
def test_cells_are_close_to_the_pairs(loss, apart, weighted, kind):
    X, positive, _ = rows()
    exact, weights, w = exact_hessian(loss, weighted)
    model = Linear(PairRisk(positive, loss, weights=weights), kind(X), 0.0)
    assert np.abs(model.near_hessian(w) - exact).max() < apart * np.abs(exact).max()


@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared_hinge"])
@pytest.mark.parametrize("scale", [0.0, 1e-8, 1.0, 50.0])
def test_it_is_positive_and_sees_no_shift(loss, scale):
    X, positive, _ = rows()
    X = np.column_stack([X, np.ones(len(X))])
    near = Linear(PairRisk(positive, loss), X, 0.0).near_hessian(scale * np.array([1.0, 0.3, 0.0, -0.2, 0.0]))
    assert np.linalg.eigvalsh(near).min() > -1e-10 * np.trace(near)
    assert_allclose(near[-1], 0.0, atol=1e-10 * np.trace(near))


def test_scores_of_any_size_have_a_cell():
    risk = PairRisk([1, 0, 1, 0, 1, 0], "logistic")
    near = risk.coarse_hessian(np.array([1e308, -1e308, 0.0, 1.0, 2.0, 3.0]))
    assert np.isfinite(near.diagonal).all()
    assert_allclose(
        near.diagonal.sum() / 2, near.mass @ (near.coupling[near.cells[:, None], near.cells] @ near.mass) / 2
    )


@pytest.mark.parametrize("options", [{"push": 3}, {"groups": np.arange(400) % 7}])
def test_where_there_are_no_cells_rows_are_coupled_by_their_curvature(options):
    X, positive, _ = rows()
    risk, scores = PairRisk(positive, "logistic", **options), X[:, 0]
    near, h = risk.coarse_hessian(scores), risk.hessian_diagonal(scores)
    assert_allclose(
        np.diag(near.diagonal) - np.outer(near.mass, near.mass) * near.coupling, np.diag(h) - np.outer(h, h) / h.sum()
    )
    assert in_one_cell(h).coupling == near.coupling


def test_the_point_risk_has_its_own_hessian():
    X, positive, _ = rows()
    model = Linear(
        PointRisk(positive, get_loss("logistic"), class_shares(positive, None, balanced=True)), X, 0.1, intercept=True
    )
    w = np.array([1.0, -1.0, 0.5, 0.2, 0.3])
    exact = np.column_stack([model.hessp(w, unit) for unit in np.eye(5)])
    assert_allclose(model.near_hessian(w), exact, atol=1e-12)


def test_a_mended_hessian_takes_the_last_step_to_the_change_of_the_gradient():
    X, positive, rng = rows()
    model = Linear(PairRisk(positive, "logistic"), X, 0.1)
    mended = WithHessian(model, np.eye(4))
    places = rng.normal(size=(3, 4))
    gradients = [mended.value_gradient(place)[1] for place in places]
    assert_allclose(mended.hessp(places[2], places[2] - places[1]), gradients[2] - gradients[1], rtol=1e-10)
    assert np.linalg.eigvalsh(mended.matrix).min() > 0
