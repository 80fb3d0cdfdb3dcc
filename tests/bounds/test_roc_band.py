"""The band of an ROC curve: around the curve, wider at higher levels, the same mirrored, and it holds."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from sklearn.metrics import roc_curve
from strategies import scored_labels

from ordain.bounds.roc_band import roc_band
from ordain.measure.roc import roc

GRID = np.linspace(0, 1, 41)


@given(scored_labels())
def test_the_curve_is_that_of_scikit_learn(case):
    labels, scores = case
    alarms, found, _ = roc_curve(np.asarray(labels) > 0, scores, drop_intermediate=False)
    curve = roc(labels, scores)
    assert_allclose(curve.alarms, alarms)
    assert_allclose(curve.found, found)


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    labels = np.arange(120) % 3 == 0
    return labels, labels + rng.normal(size=120).round(1)


def test_the_band_is_around_the_curve_and_wider_at_a_higher_level(sample):
    narrow, wide = (roc_band(*sample, level=level) for level in (0.8, 0.99))
    for band in (narrow, wide):
        assert (band.lower(GRID) <= band.found(GRID) + 1e-12).all()
        assert (band.upper(GRID) >= band.found(GRID) - 1e-12).all()
        assert (np.diff(band.upper(GRID)) >= -1e-12).all() and (np.diff(band.lower(GRID)) >= -1e-12).all()
    assert (wide.upper(GRID) >= narrow.upper(GRID)).all() and (wide.lower(GRID) <= narrow.lower(GRID)).all()


def test_monotone_scores_change_nothing_and_turning_all_around_mirrors_the_band(sample):
    labels, scores = sample
    band, same = roc_band(labels, scores), roc_band(labels, 2 * scores)
    assert_allclose(band.upper(GRID), same.upper(GRID))
    turned = roc_band(~labels, -scores)  # found and alarms change places: the curve is mirrored in its other diagonal
    middle = (GRID[:-1] + GRID[1:]) / 2 + 1e-4
    for at in middle:
        height = band.upper(at)
        if height < 1:
            assert turned.upper(1 - height + 1e-6) >= 1 - at - 2e-2


@pytest.mark.parametrize("sizes", [(4, 60), (40, 40)])
def test_it_holds_the_whole_true_curve(sizes):
    """Binormal with equal scores for both classes: the true curve is the diagonal."""
    rng, labels, failed = np.random.default_rng(1), np.repeat([True, False], sizes), 0
    fine = np.linspace(0.001, 0.999, 300)
    for _ in range(60):
        band = roc_band(labels, rng.normal(size=sum(sizes)))
        failed += bool((band.upper(fine) < fine).any() or (band.lower(fine) > fine).any())
    assert failed <= 8  # P(more than 8 of 60 at .05) < .01


def test_ties_in_truth_have_straight_edges():
    """Two levels only: the band is above the straight line between its corners, not a stair below it."""
    labels = np.repeat([True, False], 500)
    scores = np.concatenate((np.arange(500) < 400, np.arange(500) < 100)).astype(float)
    band, true = roc_band(labels, scores), np.interp(GRID, [0, 0.2, 1], [0, 0.8, 1])
    assert (band.upper(GRID) >= true - 1e-12).all() and (band.lower(GRID) <= true + 1e-12).all()
    assert (band.upper(GRID) - band.lower(GRID)).max() < 0.4
