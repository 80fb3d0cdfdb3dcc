"""Weights of any size: only their ratios count, to the last bit."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from ordain import PreferenceRanker, auc, auc_interval
from ordain._checks import EXTREME, check_weights
from ordain.learn.boosted import BoostedRanker
from ordain.learn.linear import LinearRanker
from ordain.pairs import PairRisk

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = X[:, 0] + RNG.logistic(size=200) > 0
W = RNG.uniform(0.5, 1, 200) * (RNG.random(200) < 0.9)
REDUCTIONS = ["pairwise", "balanced", "pointwise"]


def linear(reduction):
    return lambda w: LinearRanker(reduction=reduction, alpha="auto").fit(X, Y, w).predict_proba(X)


def boosted(reduction):
    ranker = BoostedRanker(reduction=reduction, n_estimators=5, early_stopping=2, random_state=0)
    return lambda w: ranker.fit(X, Y, w).predict_proba(X)


WEIGHTED = {
    **{f"linear {reduction}": linear(reduction) for reduction in REDUCTIONS},
    **{f"boosted {reduction}": boosted(reduction) for reduction in REDUCTIONS},
    "preference": lambda w: PreferenceRanker(pairs=500).fit(X, Y, w).decision_function(X),
    "pairs": lambda w: PairRisk(Y, "logistic", weights=w).value_gradient(X[:, 0])[1],
    "auc": lambda w: auc(Y, X[:, 0], weights=w),
    "graded auc": lambda w: auc(Y + 2 * (X[:, 1] > 0), X[:, 0], weights=w, graded=True, groups=np.arange(200) // 50),
    "interval": lambda w: auc_interval(Y, X[:, 0], weights=w, method="delong").high,
}


@cache
def ordinary(name):
    return WEIGHTED[name](W)


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("power", [1000, 130, -130, -664, -1000])
def test_extreme_weights_are_as_good_as_ordinary_ones(name, power):
    """2^1000 is about 1e301, 2^-664 about 1e-200; 2^130 no longer fits into a float32."""
    assert_array_equal(WEIGHTED[name](np.ldexp(W, power)), ordinary(name))


@given(st.lists(st.floats(0, 1e308), min_size=1, max_size=20))
def test_weights_are_scaled_by_a_power_of_two_and_only_if_they_must(weights):
    given_ = np.array(weights)
    found = check_weights(weights, len(weights))
    assert found.max() <= 2.0**EXTREME and (found.max() == 0 or found.max() >= 2.0 ** -(EXTREME + 1))
    if given_.max() == 0 or 2.0**-EXTREME <= given_.max() <= 2.0 ** (EXTREME - 1):
        assert_array_equal(found, given_)
    kept = found > 1e-290  # what is lost is 10⁻²⁹⁰ of the largest
    (digits, powers), (found_digits, found_powers) = np.frexp(given_[kept]), np.frexp(found[kept])
    assert_array_equal(digits, found_digits)
    assert len(set(powers - found_powers)) <= 1


def test_weights_of_all_sizes_in_one_table():
    mixed = np.where(np.arange(200) % 2, 1e300, 1e-200)
    alone = np.where(np.arange(200) % 2, 1.0, 0.0)
    for name in ("linear pairwise", "linear pointwise", "pairs", "auc"):
        assert np.allclose(WEIGHTED[name](mixed), WEIGHTED[name](alone), atol=1e-6)
