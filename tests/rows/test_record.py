"""The record of rows: what is taken, what stands for all, and what is held out."""

import numpy as np
import pytest
from naive import auc
from numpy.testing import assert_array_equal

from ordain.rows.draw import drawn
from ordain.rows.record import Rows, parted

N = 60
RNG = np.random.default_rng(0)
COLUMNS = {
    "weights": RNG.integers(1, 5, N).astype(float),
    "groups": np.array(list("abcd"))[np.arange(N) % 4],
    "clusters": np.arange(N) // 3,
}
LABELS, FEATURES = np.arange(N) % 3 == 0, np.arange(2.0 * N).reshape(N, 2)


def record(*names, **options):
    return Rows(FEATURES, LABELS, **{name: COLUMNS[name] for name in names}, **options)


@pytest.mark.parametrize("names", [(), ("weights",), ("groups",), ("clusters",), tuple(COLUMNS)])
def test_rows_are_taken_with_all_that_belongs_to_them(names):
    at = np.array([7, 3, 3, 50])
    some = record(*names, graded=True).take(at)
    assert len(some) == 4 and some.graded
    assert_array_equal(some.features, FEATURES[at])
    assert_array_equal(some.labels, LABELS[at])
    for name, column in COLUMNS.items():
        assert (getattr(some, name) is None) == (name not in names)
        assert name not in names or (getattr(some, name) == column[at]).all()


def test_few_rows_stand_for_themselves():
    rows = record("weights")
    assert rows.some(N) is rows
    assert len(rows.some(N - 1)) == N - 1


@pytest.mark.parametrize("names", [(), ("weights",)])
def test_rows_drawn_weigh_what_they_stand_for_times_their_own(names):
    some, (at, weights) = record(*names).some(24, seed=3), drawn(LABELS, 24, 3)
    assert_array_equal(some.features, FEATURES[at])
    assert_array_equal(some.weights, weights * COLUMNS["weights"][at] if names else weights)


def test_whole_groups_are_drawn():
    some = record("groups").some(30)
    assert some.weights is None and len(set(some.groups)) == 2
    assert all(np.count_nonzero(some.groups == group) == N // 4 for group in set(some.groups))


def test_a_list_is_of_two_classes_in_one_group_without_weights():
    assert record().is_list and record("clusters").is_list
    assert not any(of.is_list for of in (record("weights"), record("groups"), record(graded=True)))


@pytest.mark.parametrize("names", [(), ("weights",), ("groups",), ("weights", "groups")])
def test_the_auc_is_that_of_all_columns(names):
    scores = RNG.integers(0, 9, N)
    expected = auc(LABELS, scores, **{name: COLUMNS[name].tolist() for name in names})
    assert record(*names).auc(scores) == pytest.approx(float(expected), abs=1e-14)
    grades = Rows(FEATURES, np.arange(N) % 4, graded=True)
    assert grades.auc(scores) == float(auc(grades.labels, scores))


@pytest.mark.parametrize("name", ["groups", "clusters"])
def test_a_part_is_held_out_that_splits_no_unit(name):
    learned, held = parted(record(name), 0.25, np.random.RandomState(0))
    assert len(learned) + len(held) == N and len(held) == pytest.approx(0.25 * N, abs=6)
    assert not set(getattr(learned, name)) & set(getattr(held, name))
    assert_array_equal(np.sort(np.concatenate((learned.features, held.features)), axis=0), FEATURES)


def test_nothing_is_held_out_where_a_part_would_have_no_pair():
    rows = Rows(FEATURES, np.arange(N) == 3)
    assert parted(rows, 0.25, np.random.RandomState(0)) == (rows, None)
