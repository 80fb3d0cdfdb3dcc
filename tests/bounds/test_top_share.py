"""Precision and recall of the first k: exact coverage for coins of different chances, and the equations they solve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ordain.bounds.top_share import precision_interval, recall_interval

LEVELS = [0.3, 0.5, 0.8, 0.95, 0.99]


def hits_law(chances):
    """Chance of each number of hits of independent coins, one coin after the other."""
    law = np.ones(1)
    for p in chances:
        law = np.append(law * (1 - p), 0) + np.append(0, law * p)
    return law


@pytest.mark.parametrize("level", LEVELS)
@given(chances=st.lists(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)), min_size=1, max_size=12))
def test_precision_covers_whatever_the_chances(level, chances):
    k = len(chances)
    low, high = precision_interval(np.arange(k + 1), k, level)
    covered = (low <= np.mean(chances) + 1e-12) & (np.mean(chances) <= high + 1e-12)
    assert hits_law(chances) @ covered >= level - 1e-9


def test_clopper_pearson_alone_would_not():
    """All rows sure but one: of k - 1 hits the mean chance is a shade above the plain end in nearly every sample."""
    k, level = 10, 0.95
    plain = stats.binomtest(k - 1, k).proportion_ci(level).high
    law = hits_law([1.0] * (k - 1) + [k * (plain + 1e-9) - (k - 1)])
    assert law[k - 1] > 0.024  # missed by this on the high side, and the low side spends up to as much again
    _, high = precision_interval(np.arange(k + 1), k, level)
    assert high[k - 1] == pytest.approx(1 - 0.025 / k) and high[k - 1] > plain


@given(st.integers(1, 40), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_precision_is_clopper_pearson_elsewhere(k, data, level):
    hits = data.draw(st.integers(0, k))
    low, high = precision_interval(hits, k, level)
    plain = stats.binomtest(hits, k).proportion_ci(level)
    if hits != 1:
        assert_allclose(low, plain.low, atol=1e-12)
    if hits != k - 1:
        assert_allclose(high, plain.high, atol=1e-12)
    assert 0 <= low <= hits / k <= high <= 1


@given(st.integers(1, 30), st.integers(1, 30), st.data(), st.sampled_from(LEVELS))
def test_recall_solves_its_equation(k, rest, data, level):
    s, t = data.draw(st.integers(0, k)), data.draw(st.integers(0, rest))
    if s + t == 0:
        return
    low, high = recall_interval(s, k, s + t, k + rest, level)
    (s_low, s_high), (t_low, t_high) = (np.multiply(precision_interval(a, b, level), b) for a, b in ((s, k), (t, rest)))
    assert 0 <= low <= s / (s + t) <= high <= 1
    # (1-R)s - Rt = √((1-R)²A² + R²B²) at the low end, and its mirror image at the high end.
    assert_allclose((1 - low) * s - low * t, np.hypot((1 - low) * (s - s_low), low * (t_high - t)), atol=1e-9)
    assert_allclose(high * t - (1 - high) * s, np.hypot(high * (t - t_low), (1 - high) * (s_high - s)), atol=1e-9)


def test_recall_at_its_ends():
    assert_allclose(recall_interval(7, 20, 7, 20), [1, 1])  # all rows hold all positives
    low, high = recall_interval([0, 3], 3, 3, [9, 9])
    assert low[0] == 0 and high[1] == 1 and high[0] < 1 and low[1] > 0


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    "first, rest",
    [([0.5] * 20, [0.05] * 60), ([0.9] * 8, [0.02] * 50), ([1.0] * 9 + [0.5], [0.3] * 12), ([0.2] * 12, [0.2] * 12)],
)
def test_coverage_of_recall(first, rest, level):
    """Exactly, over both numbers of hits."""
    s, t = np.meshgrid(np.arange(len(first) + 1), np.arange(len(rest) + 1), indexing="ij")
    mass = np.outer(hits_law(first), hits_law(rest))
    low, high = recall_interval(s, len(first), s + t, len(first) + len(rest), level)
    truth = sum(first) / (sum(first) + sum(rest))
    assert mass[(low > truth) | (truth > high)].sum() <= 1 - level
