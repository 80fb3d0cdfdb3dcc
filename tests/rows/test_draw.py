"""Drawing rows and folds by hashes of their numbers, against sorting whole numbers in plain Python."""

from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ordain.learn.boosted import BoostedRanker
from ordain.learn.linear import LinearRanker
from ordain.measure import auc
from ordain.rows.draw import drawn, drawn_groups, hashes, strata, strata_counts, worth_of
from ordain.rows.folds import LEAST, Units, folds, has_pair

WORD = 2**64


def test_hashes_are_the_numbers_of_the_generator():
    """From seed 0 its first three are 0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F (rosettacode.org)."""
    assert hashes(np.arange(3)).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    expected = [naive.split_mix(row * 0x9E3779B97F4A7C15 % WORD) for row in range(100)]
    assert hashes(np.arange(100)).tolist() == expected
    assert len(set(hashes(np.arange(100), 1).tolist()) | set(expected)) == 200


@given(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=2, max_size=60), st.integers(2, 70), st.integers(-3, 3))
def test_rows_with_the_smallest_hashes_of_each_class_are_drawn(classes, most, seed):
    expected = naive.rows_drawn(classes, most, lambda row: int(hashes(np.array([row]), seed)[0]))
    for labels in (np.array(classes), np.array(classes) == 1):
        rows, weights = drawn(labels, most, seed)
        assert_array_equal(rows, [row for row, _ in expected])
        assert_allclose(weights, [weight for _, weight in expected])
        assert_allclose(np.bincount(labels[rows], weights), np.bincount(labels))


def test_rows_on_many_machines_are_drawn_as_on_one():
    """The smallest hashes of the smallest of each part are the smallest of all."""
    classes = np.random.default_rng(0).random(20_000) < 0.1
    rows, _ = drawn(classes, 1000, 7)
    kept = []
    for part in np.array_split(np.arange(20_000), 13):
        for side in (True, False):
            own = part[classes[part] == side]
            kept.append(own[np.argsort(hashes(own, 7))[:500]])
    merged = np.concatenate(kept)
    for side in (True, False):
        own = merged[classes[merged] == side]
        assert_array_equal(np.sort(own[np.argsort(hashes(own, 7))[:500]]), rows[classes[rows] == side])


@pytest.mark.parametrize("period", [2, 5, 10, 12, 16])
def test_what_comes_in_steps_is_drawn_evenly(period):
    """Every step has its share, up to four standard deviations."""
    rows, _ = drawn(np.zeros(60_000, bool), 6000)
    share = np.bincount(rows % period) / 6000
    assert np.abs(share - 1 / period).max() < 4 * np.sqrt(1 / period / 6000)


def test_many_different_grades_are_one_stratum():
    grades = np.random.default_rng(0).normal(size=1000)
    rows, weights = drawn(grades, 100)
    assert_array_equal(rows, np.sort(np.argsort(hashes(np.arange(1000)))[:100]))
    assert (weights == 10).all()
    assert worth_of(np.bincount(strata(grades)), 100) == 10


@pytest.mark.parametrize(("kinds", "rows", "told"), [(32, 320, 1), (33, 999, 0), (5, 50, 1), (5, 49, 0), (2, 3, 1)])
def test_up_to_32_labels_of_ten_rows_each_are_told_apart_and_two_always(kinds, rows, told):
    labels = np.arange(rows) % kinds
    assert_array_equal(strata(labels), labels * told)
    assert_array_equal(strata_counts(*np.unique(labels, return_counts=True)), np.bincount(strata(labels)))


@pytest.mark.parametrize("share", [0.5, 0.1, 0.004])
def test_what_rows_are_worth_is_how_much_less_a_mean_over_pairs_varies(share):
    """The variance of a difference of class means is in proportion to 1/m + 1/n; here in exact fractions."""
    classes = np.arange(10_000) < share * 10_000
    rows, _ = drawn(classes, 500)
    some, whole = (sum(Fraction(1, int((of == side).sum())) for side in (0, 1)) for of in (classes[rows], classes))
    assert worth_of(np.bincount(classes), 500) == pytest.approx(float(some / whole))


def test_whole_groups_are_drawn_those_with_pairs_first():
    groups = np.random.default_rng(0).integers(0, 50, 1000)
    informative = np.arange(50) % 5 == 0
    rows = drawn_groups(groups, informative, 150, 3)
    chosen = np.unique(groups[rows])
    assert_array_equal(rows, np.flatnonzero(np.isin(groups, chosen)))
    assert len(rows) <= 150 and informative[chosen].all()
    order = sorted(np.flatnonzero(informative), key=lambda g: int(hashes(np.array([g]), 3)[0]))
    assert set(chosen) == set(order[: len(chosen)])
    assert len(rows) + np.count_nonzero(groups == order[len(chosen)]) > 150
    assert len(np.unique(groups[drawn_groups(groups, informative, 1)])) == 1
    assert set(np.flatnonzero(informative)) < set(groups[drawn_groups(groups, informative, 500)])


tables = st.integers(1, 80).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=n, max_size=n),
        st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=n, max_size=n),
        st.lists(st.integers(0, 12), min_size=n, max_size=n),
        st.lists(st.integers(0, 20), min_size=n, max_size=n),
    )
)


def coded(values):
    return np.unique(values, return_inverse=True)[1]


@given(tables, st.sampled_from(["", "w", "g", "c", "gc", "wg", "wc", "wgc"]), st.integers(2, 6), st.integers(0, 3))
def test_every_fold_has_a_pair_and_nothing_is_split(table, given_, count, seed):
    classes, weights, groups, clusters = np.array(table[0]), np.array(table[1]), coded(table[2]), coded(table[3])
    weights, groups, clusters = (
        of if letter in given_ else None for letter, of in zip("wgc", (weights, groups, clusters), strict=True)
    )
    found = folds(Units.make(classes, weights, groups, clusters), count, seed)
    assert len(found) == 0 or LEAST <= len(found) <= count
    everything = np.sort(np.concatenate([test for _, test in found])) if found else []
    assert_array_equal(everything, np.arange(len(classes)) if found else [])
    for train, test in found:
        assert_array_equal(np.sort(np.append(train, test)), np.arange(len(classes)))
        assert naive.has_pair(classes, weights, groups, train) and naive.has_pair(classes, weights, groups, test)
        for units in (groups, clusters):
            assert units is None or not set(units[train]) & set(units[test])


@given(st.integers(0, 40), st.integers(0, 40), st.integers(2, 6), st.integers(0, 3))
def test_folds_are_as_many_as_the_rarer_class_has_rows_and_share_it_out(positives, negatives, count, seed):
    classes = np.random.default_rng(seed).permutation(np.arange(positives + negatives) < positives)
    found = [] if not len(classes) else folds(Units.make(classes), count, seed)
    rarer = min(positives, negatives)
    assert len(found) == (min(count, rarer) if min(count, rarer) >= LEAST else 0)
    for side in (True, False):
        inside = [np.count_nonzero(classes[test] == side) for _, test in found]
        assert max(inside, default=0) - min(inside, default=0) <= 1


@given(tables, st.booleans(), st.integers(2, 6))
def test_labels_are_cut_where_the_smaller_side_is_largest(table, weighted, count):
    classes, weights = np.array(table[0]), np.array(table[1]) if weighted else None
    counted = [label for label, weight in zip(*table[:2], strict=True) if weight > 0 or not weighted]
    units = Units.make(classes, weights)
    assert units.least == max(min(sum(x <= cut for x in counted), sum(x > cut for x in counted)) for cut in table[0])
    assert len(folds(units, count)) == (min(count, units.least) if min(count, units.least) >= LEAST else 0)


def test_groups_with_pairs_and_clusters_with_positives_are_dealt_evenly():
    rng = np.random.default_rng(0)
    units, positive = np.repeat(np.arange(60), 6), np.zeros(360, bool)
    positive[units % 6 == 0] = rng.permutation(60) % 6 == 0  # ten units may have positives, one in six rows of these
    with_pairs = np.flatnonzero(has_pair(units, positive))
    assert_array_equal(with_pairs, np.unique(units[positive]))
    for kind in ("groups", "clusters"):
        found = folds(Units.make(positive, **{kind: units}), 5)
        inside = [len(np.intersect1d(units[test], with_pairs)) for _, test in found]
        assert max(inside) - min(inside) <= 1 and sum(inside) == len(with_pairs)


def test_clusters_of_all_sizes_share_out_the_positives():
    """Their number varies less from fold to fold than if whole clusters were shuffled and dealt."""
    sizes = np.random.default_rng(0).geometric(0.1, 400)
    clusters = np.repeat(np.arange(400), sizes)
    positive = (clusters % 4 == 0) & (np.random.default_rng(1).random(len(clusters)) < 0.5)
    units = Units.make(positive, clusters=clusters)
    dealt = [np.bincount(units.dealt(5, seed)[positive]) for seed in range(50)]
    shuffled = [np.random.default_rng(seed).permutation(400) % 5 for seed in range(50)]
    by_lot = [np.bincount(fold[clusters[positive]]) for fold in shuffled]
    assert np.std(dealt) < 0.6 * np.std(by_lot)


def test_other_seeds_give_other_folds():
    units = Units.make(np.arange(100) % 3 == 0)
    assert_array_equal(units.dealt(5, 1), units.dealt(5, 1))
    assert (units.dealt(5, 1) != units.dealt(5, 2)).mean() > 0.5


@given(tables, st.sampled_from(["", "g", "c"]), st.floats(0.05, 0.95), st.integers(0, 3))
def test_rows_held_out_leave_a_pair_on_either_side(table, given_, share, seed):
    classes, groups, clusters = np.array(table[0]), coded(table[2]), coded(table[3])
    groups, clusters = groups if given_ == "g" else None, clusters if given_ == "c" else None
    units = Units.make(classes, None, groups, clusters)
    held = units.held(share, seed)
    enough = [any(np.count_nonzero(side & (units.kind == kind)) > 1 for kind in units.kind) for side in units[1:3]]
    if held is None:
        assert not all(enough)
        return
    for side in (held, ~held):
        assert naive.has_pair(classes, None, groups, np.flatnonzero(side))
    together = groups if given_ == "g" else clusters
    assert together is None or not set(together[held]) & set(together[~held])
    for kind in set(units.kind):
        members, out = np.count_nonzero(units.kind == kind), len(set(units.of[held & (units.kind[units.of] == kind)]))
        assert (members == 1 and out == 0) or (0 < out < members and abs(out - share * members) <= 1)


def panel():
    """5,000 customers over 12 months each, one after the other; some leave, all of them in the last month."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 2))
    return X, (np.arange(60_000) % 12 == 11) & (rng.random(60_000) < 1 / (1 + np.exp(-X[:, 0])))


def alternating():
    """The first row of every two is positive."""
    y = np.arange(60_000) % 2 == 0
    return y[:, None] + np.random.default_rng(1).normal(size=(60_000, 2)), y


def rare():
    """30 positives in 95,156 rows."""
    rng = np.random.default_rng(2)
    y = np.zeros(95_156, bool)
    y[rng.choice(95_156, 30, replace=False)] = True
    return 1.5 * y[:, None] + rng.normal(size=(95_156, 2)), y


RANKERS = {
    "linear": lambda reduction: LinearRanker(reduction=reduction, alpha="auto", tol=1e-6),
    "boosted": lambda reduction: BoostedRanker(
        reduction=reduction, n_estimators=20, max_depth=2, learning_rate=0.3, early_stopping=5, random_state=0
    ),
}


@pytest.mark.parametrize("table", [panel, alternating, rare])
@pytest.mark.parametrize("reduction", ["pairwise", "balanced", "pointwise"])
@pytest.mark.parametrize("model", RANKERS)
def test_probabilities_of_tables_in_steps_have_the_right_mean(table, reduction, model):
    X, y = table()
    fitted = RANKERS[model](reduction).fit(X, y)
    overfitted = table is rare and (model, reduction) == ("boosted", "balanced")
    assert fitted.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), rel=0.6 if overfitted else 0.15)
    assert auc(y, fitted.decision_function(X)) > auc(y, X[:, 0]) - 0.02


@pytest.mark.parametrize("reduction", ["pairwise", "balanced"])
def test_all_rows_of_a_rare_class_choose_the_penalty(reduction, monkeypatch):
    """Ten times the negatives, with the same positives, ask for about the same penalty."""
    y = np.arange(100_000) < 100
    X = np.where(y[:, None], 0.4, 0.0) + np.random.default_rng(3).normal(size=(100_000, 20))
    whole, seen = LinearRanker._pairs, []
    monkeypatch.setattr(LinearRanker, "_pairs", lambda self, of: seen.append(of.labels.sum()) or whole(self, of))
    ranker = LinearRanker(reduction=reduction, alpha="auto", tol=1e-6)
    many = ranker.fit(X, y).alpha_
    assert seen[:10].count(20) == 5 if reduction == "pairwise" else set(seen) == {20}  # of 100, in five folds
    few = np.append(np.arange(100), np.arange(100, 100_000, 10))
    assert 0.2 < many / ranker.fit(X[few], y[few]).alpha_ < 5
