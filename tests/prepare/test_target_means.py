"""Means of text columns: as defined and as scikit-learn finds them, without a leak, in batches and in a model file."""

import math
from importlib import import_module

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.preprocessing import TargetEncoder

from ordain.measure import auc
from ordain.model import Model, Seen, load, save
from ordain.model.fitted import Features
from ordain.model.noticed import Noticed
from ordain.prepare import Preparation, target_means
from ordain.prepare.column_kinds import KEPT_VALUES, Text
from ordain.prepare.target_means import FOLDS, MEANT_VALUES, Means, Target
from ordain.rows.record import Rows


def column(values):
    return pl.Series("city", values, pl.String)


@st.composite
def cases(draw):
    """Rows with a text column that has gaps and rare values; labels of two classes or grades, maybe with weights."""
    n = draw(st.integers(8, 40))
    values = draw(st.lists(st.sampled_from(["a", "b", "c", "d", "é", "", None]), min_size=n, max_size=n))
    kinds = st.sampled_from([False, True]) if draw(st.booleans()) else st.sampled_from([1.0, 2.0, 50.0])
    labels = draw(st.lists(kinds, min_size=n, max_size=n).filter(lambda found: len(set(found)) > 1))
    weights = st.sampled_from([0.25, 1.0, 3.0]) if draw(st.booleans()) else st.just(7.0)
    return column(values), np.array(labels), np.array(draw(st.lists(weights, min_size=n, max_size=n)))


@settings(max_examples=60)
@given(cases(), st.integers(0, 3))
def test_a_row_has_the_smoothed_mean_of_the_other_folds(case, seed):
    values, labels, weights = case
    target = Target.of(Rows(None, labels, weights), seed)
    text = Text("city", ("a",), other=True, missing=values.null_count() > 0)
    means, fitted = Means.learn(text, values, target)
    cells, plain = values.to_list(), labels.tolist()
    for found, folds in ((fitted, target.fold.tolist()), (means.codes(values), None)):
        expected = naive.target_means(plain, cells, weights.tolist(), folds)
        gaps = [math.nan if cell is None else mean for cell, mean in zip(cells, map(float, expected), strict=True)]
        assert_allclose(found, gaps, rtol=1e-9, atol=1e-12)
    mean = naive.target_means(plain, [None] * len(plain), weights.tolist())[0]
    assert_allclose(means.codes(column(["never"])), float(mean), rtol=1e-9)


def table(seed=0, n=1500, kinds=60):
    """A number, and a text column whose values differ in how good they are."""
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(1 / 15, n), kinds)
    x = rng.normal(size=n)
    labels = rng.random(n) < 1 / (1 + np.exp(-x - np.sin(codes)))
    return Rows(pl.DataFrame([pl.Series("x", x), column([f"v{k:02}" for k in codes])]), labels)


def prepared(rows, seed=0):
    return Preparation.learn(rows.features, rows.labels).with_means(rows, seed)


def test_all_rows_together_have_the_means_of_scikit_learn():
    rows = table()
    _, found = prepared(rows)[0].columns
    values = rows.features["city"].to_numpy()[:, None]
    encoder = TargetEncoder(target_type="binary", smooth="auto").fit(values, rows.labels)
    expected = dict(zip(encoder.categories_[0].tolist(), encoder.encodings_[0], strict=True))
    assert len(found.values) > KEPT_VALUES // 2
    assert_allclose(found.means, [expected[value] for value in found.values], atol=1e-9)
    assert_allclose(found.mean, encoder.target_mean_, atol=1e-12)


def test_names_drawn_at_random_tell_nothing():
    rng = np.random.default_rng(0)
    labels = rng.random(6000) < 0.3
    rows = Rows(pl.DataFrame([column([f"v{k}" for k in rng.integers(0, 2000, 6000)])]), labels)
    preparation, X = prepared(rows)
    assert abs(auc(labels, X[:, 0]) - 0.5) < 0.02
    assert auc(labels, preparation.matrix(rows.features, "boosted")[:, 0]) > 0.7


@pytest.mark.parametrize("which", ["clusters", "groups"])
def test_rows_of_one_person_do_not_tell_each_other_their_label(which):
    """Every person has a city of their own: within a cluster one label, so that their other rows would give it away."""
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(400), 5)
    labels = (rng.random(400) < 0.5)[person] if which == "clusters" else rng.random(2000) < 0.5
    rows = Rows(pl.DataFrame([column([f"v{k}" for k in person])]), labels, **{which: person})
    fold = Target.of(rows).fold
    assert all(len(set(fold[person == k])) == 1 for k in range(400))
    _, X = prepared(rows)
    assert_allclose(X[:, 0], labels.mean(), rtol=1e-6)


def test_only_the_order_of_grades_counts():
    rows = table()
    grades = np.digitize(rows.features["x"].to_numpy(), [-1, 0, 1])
    found = [prepared(Rows(rows.features, one)) for one in (grades, np.exp(5.0 * grades) - 3)]
    assert found[0][0] == found[1][0]
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_weights_are_relative_and_do_not_overflow():
    rows = table()
    plain, same, huge = (
        prepared(Rows(rows.features, rows.labels, weights))[1]
        for weights in (None, np.full(1500, 4.0), np.full(1500, 1e308))
    )
    np.testing.assert_array_equal(plain, same)
    assert_allclose(plain, huge, rtol=1e-6)


def test_linear_learners_and_other_columns_see_no_difference():
    rows = table()
    before = Preparation.learn(rows.features, rows.labels)
    after, X = before.with_means(rows)
    assert (before.many_valued, before.categorical, after.many_valued, after.categorical) == (["city"], [1], [], [])
    assert Features.of(after).sizes == [0, 0]
    assert after.features("linear") == before.features("linear")
    ours, theirs = (one.matrix(rows.features, "linear") for one in (after, before))
    assert sparse.issparse(ours)
    assert (ours != theirs).nnz == 0
    np.testing.assert_array_equal(X[:, 0], before.matrix(rows.features, "boosted")[:, 0])
    assert (after.names, after.numeric, after.notices) == (before.names, before.numeric, before.notices)


def test_without_many_values_nothing_changes():
    rows = table(kinds=20)
    before = Preparation.learn(rows.features, rows.labels)
    after, X = before.with_means(rows)
    assert before.many_valued == []
    assert after == before
    np.testing.assert_array_equal(X, before.matrix(rows.features, "boosted"))


def test_folds_are_drawn_by_the_seed():
    rows = table()
    again, other = prepared(rows)[1], prepared(rows, seed=1)[1]
    np.testing.assert_array_equal(prepared(rows)[1], again)
    assert (again != other).any()
    assert len(set(Target.of(rows).fold)) == FOLDS


@given(st.lists(st.integers(0, 1499), max_size=20))
def test_a_batch_has_the_means_it_has_in_the_whole(places):
    whole = PREPARATION.matrix(ROWS.features, "boosted")
    part = PREPARATION.matrix(ROWS.features[places], "boosted")
    assert part.tobytes() == whole[places].tobytes()


ROWS = table()
PREPARATION, FITTED = prepared(ROWS)


def test_missing_is_a_gap_where_training_had_gaps():
    some = Rows(ROWS.features.with_columns(city=column([None] * 9 + ROWS.features["city"].to_list()[9:])), ROWS.labels)
    new = pl.DataFrame([pl.Series("x", [0.0, 0.0]), column([None, "never"])])
    mean = np.float32(ROWS.labels.mean())
    preparation, X = prepared(some)
    np.testing.assert_array_equal(preparation.matrix(new, "boosted")[:, 1], [np.nan, mean])
    np.testing.assert_array_equal(PREPARATION.matrix(new, "boosted")[:, 1], [mean, mean])
    assert np.isnan(X[:9, 1]).all()
    assert not np.isnan(X[9:, 1]).any()


def test_the_values_with_the_most_rows_have_means(monkeypatch):
    monkeypatch.setattr(target_means, "MEANT_VALUES", 3)
    values = column([name for name, count in zip("dabce", (4, 2, 3, 3, 1), strict=True) for _ in range(count)])
    means, _ = Means.learn(Text("city", ("a",), True, False), values, Target.of(Rows(None, np.arange(13) % 2 == 0)))
    assert means.values == ("b", "c", "d")


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("xgboost")
    ranker = import_module("ordain.learn.boosted").BoostedRanker(
        reduction="pointwise", n_estimators=10, categorical=PREPARATION.categorical, n_jobs=1, random_state=0
    )
    seen = Seen.learn(PREPARATION, ROWS.features, 0)
    return Model(PREPARATION, ranker.fit(FITTED, ROWS.labels), "y", positive="1", seen=seen)


def test_a_model_file_has_the_means(model, tmp_path):
    save(model, tmp_path / "means.ordain")
    same = load(tmp_path / "means.ordain")
    assert same.preparation == PREPARATION
    new = table(1).features
    assert same.scores(new).tobytes() == model.scores(new).tobytes()


def test_values_without_a_mean_are_counted(model):
    noticed = Noticed(model)
    noticed.add(["x", "city"], ROWS.features)
    assert noticed.trained_on == pytest.approx(1)
    strange = ROWS.features.head(4).with_columns(city=column(["never", None, "v01", "v60"]))
    noticed.add(["x", "city"], strange)
    rare = ROWS.features["city"].is_unique().sum()
    assert noticed.unseen == {"city": rare + 1}
    assert f"Column 'city': {rare + 1} of 1,504 rows have a value never or rarely seen" in noticed.notices[0]


BROKEN = {
    "a mean too few": lambda plain: plain["means"].pop(),
    "a mean too many": lambda plain: plain["means"].append(0.5),
    "a mean of text": lambda plain: plain["means"].__setitem__(0, "0.5"),
    "a whole mean": lambda plain: plain["means"].__setitem__(0, 1),
    "a mean above one": lambda plain: plain["means"].__setitem__(0, 1.5),
    "no number": lambda plain: plain["means"].__setitem__(0, math.nan),
    "an infinite mean": lambda plain: plain.update(mean=math.inf),
    "no mean": lambda plain: plain.pop("mean"),
    "no values": lambda plain: plain.update(values=[], means=[]),
    "values out of order": lambda plain: plain["values"].reverse(),
    "values twice": lambda plain: plain["values"].__setitem__(1, plain["values"][0]),
    "values of numbers": lambda plain: plain["values"].__setitem__(0, 1),
    "too many values": lambda plain: plain.update(
        values=[f"{k:05}" for k in range(MEANT_VALUES + 1)], means=[0.5] * (MEANT_VALUES + 1)
    ),
    "a text of numbers": lambda plain: plain["text"].update(kind="number"),
    "a text that is none": lambda plain: plain.update(text="city"),
    "an extra field": lambda plain: plain.update(run="import os"),
}


@pytest.mark.parametrize("breaking", BROKEN.values(), ids=BROKEN)
def test_broken_plain_data_is_refused_in_one_line(breaking):
    plain = PREPARATION.as_json()
    assert Preparation.from_json(plain) == PREPARATION
    breaking(plain["columns"][1])
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Preparation.from_json(plain)
