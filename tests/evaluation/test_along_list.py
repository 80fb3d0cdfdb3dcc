"""The first k rows of a list: the figures of `top`, the intervals of the counts, none across a tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

import ordain
from ordain.bounds.top_share import precision_interval, recall_interval
from ordain.evaluation import along_list


@st.composite
def lists(draw):
    n = draw(st.integers(2, 14))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda rows: len(set(rows)) == 2))
    return np.array(labels), np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), dtype=np.uint8)


@given(lists())
def test_every_k_is_that_of_top_with_the_interval_of_its_counts(case):
    labels, scores = case
    for row in along_list(labels, scores, np.arange(1, len(labels) + 1), level=0.9).first_rows():
        wanted = ordain.top(labels, scores, row.k)
        assert_allclose([row.precision, row.recall, row.lift], [wanted.precision, wanted.recall, wanted.lift])
        falling = np.sort(scores)[::-1]
        if row.k < len(labels) and falling[row.k - 1] == falling[row.k]:
            assert row.precision_low is row.precision_high is row.recall_low is row.recall_high is row.lift_low is None
            continue
        hits, scale = round(row.precision * row.k), len(labels) / row.k
        assert_allclose([row.precision_low, row.precision_high], precision_interval(hits, row.k, 0.9))
        ends = np.array(recall_interval(hits, row.k, labels.sum(), len(labels), 0.9))
        assert_allclose([row.recall_low, row.recall_high, row.lift_low, row.lift_high], [*ends, *ends * scale])


def test_clusters_are_left_out_in_turn():
    """Many hits and misses per cluster: the guard has faded, and the jackknife with Student's t is left."""
    rng = np.random.default_rng(5)
    codes = rng.permutation(np.repeat(np.arange(60), 50))
    labels, k = (rng.random(3000) < rng.random(60)[codes]).astype(int), 1500
    scores = rng.random(3000) + rng.random(60)[codes]
    first = scores >= np.sort(scores)[-k]
    found = along_list(labels, scores, [k], clusters=codes).first_rows()[0]
    for low, high, among in (
        (found.precision_low, found.precision_high, first),
        (found.recall_low, found.recall_high, labels == 1),
    ):
        hits = [((labels == 1) & first & (codes != c)).sum() / (among & (codes != c)).sum() for c in range(60)]
        half = stats.t.ppf(0.975, 59) * np.sqrt(59 / 60 * np.square(hits - np.mean(hits)).sum())
        value = ((labels == 1) & first).sum() / among.sum()
        assert_allclose([low, high], [value - half, value + half], atol=0.12 * half)


def test_one_cluster_alone_has_no_interval():
    found = along_list([1, 1, 0, 0], [4, 3, 2, 1], [2, 4], clusters=[7, 7, 7, 8]).first_rows()
    assert found[0].precision_low is None and found[1].precision_low is not None
    assert found[1].recall_low is None  # all positives are of one cluster


def test_sizes_must_fit_the_list():
    for sizes in ([0], [5], [1.5]):
        with pytest.raises(ValueError, match="whole numbers from 1 to the number of rows, 4"):
            along_list([1, 0, 1, 0], [4, 3, 2, 1], sizes)
