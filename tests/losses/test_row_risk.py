"""The mean loss over rows against the sum of its definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ordain.losses import LINE, LOSSES, balanced
from ordain.losses.row_risk import PointRisk, class_shares, on_the_line

POSITIVE = np.array([True, False, False, True, False])
WEIGHTS = np.array([0.3, 0.1, 0.2, 0.15, 0.25])
SCORES, V = np.array([0.4, -1.3, 0.7, -0.2, 2.1]), np.array([1.0, -2.0, 0.5, 3.0, -1.0])


@pytest.mark.parametrize("name", LOSSES)
def test_the_risk_is_the_weighted_sum_and_its_derivatives_are_those_of_the_sum(name):
    loss, h = on_the_line(LOSSES[name]), 1e-5
    risk = PointRisk(POSITIVE, loss, WEIGHTS)
    value, gradient = risk.value_gradient(SCORES)
    signs = [1 if positive else -1 for positive in POSITIVE]
    terms = [w * loss.value(y, s) for w, y, s in zip(WEIGHTS, signs, SCORES, strict=True)]
    (above, up), (below, down) = (risk.value_gradient(SCORES + step * V) for step in (h, -h))
    assert value == pytest.approx(sum(terms))
    assert gradient @ V == pytest.approx((above - below) / (2 * h), rel=1e-6)
    assert_allclose(risk.hessp(SCORES, V), (up - down) / (2 * h), rtol=1e-6, atol=1e-9)
    assert_allclose(risk.hessian_diagonal(SCORES) * V, risk.hessp(SCORES, V))


def test_a_coarse_hessian_is_never_negative():
    """The exact one may be: the squared loss behind the logit link is not convex."""
    risk = PointRisk(POSITIVE, on_the_line(LOSSES["spherical"]), WEIGHTS)
    h, near = risk.hessian_diagonal(SCORES), risk.coarse_hessian(SCORES)
    assert h.min() < 0
    assert_array_equal(near.diagonal, [abs(x) for x in h])
    assert near.cells is None


def test_losses_that_do_not_take_every_score_go_behind_the_logit():
    for loss in (*LOSSES.values(), balanced("spherical", 0.2)):
        found = on_the_line(loss)
        assert found.domain == LINE
        assert (found is loss) == (loss.domain == LINE)
        assert_allclose(found.cost(1, [0.1, 0.6]), loss.cost(1, [0.1, 0.6]))


def test_a_loss_that_overflows_is_refused():
    with pytest.raises(OverflowError, match="Scale the features down"):
        PointRisk(POSITIVE, LOSSES["exponential"], WEIGHTS).value_gradient(1000 * SCORES)


@pytest.mark.parametrize("weights", [None, WEIGHTS * 8])
def test_shares_sum_to_one_and_balanced_to_one_half_in_each_class(weights):
    plain, even = (class_shares(POSITIVE, weights, balanced=balanced) for balanced in (False, True))
    given = np.ones(5) if weights is None else weights
    assert_allclose(plain, given / sum(given))
    assert_allclose([even[POSITIVE].sum(), even[~POSITIVE].sum()], 0.5)
    for side in (POSITIVE, ~POSITIVE):
        assert_allclose(even[side] / even[side][0], given[side] / given[side][0])


def test_a_class_without_weight_cannot_be_balanced():
    with pytest.raises(ValueError, match="Got weights of 0 and 3"):
        class_shares(POSITIVE, np.where(POSITIVE, 0.0, 1.0), balanced=True)
    assert_allclose(class_shares(POSITIVE, np.where(POSITIVE, 0.0, 1.0), balanced=False), ~POSITIVE / 3)
