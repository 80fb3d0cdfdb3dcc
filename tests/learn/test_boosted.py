"""The boosted ranker: scikit-learn's own checks, and its trees against stumps grown in numpy from the definitions."""

import pickle
import re
import sys
from functools import cache

import naive
import numba
import numpy as np
import polars as pl
import pytest
import xgboost
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from ordain.learn import slopes as tree_slopes
from ordain.learn.boosted import OWN, BoostedRanker
from ordain.losses import LOSSES, get_loss
from ordain.losses.row_risk import on_the_line
from ordain.measure import auc
from ordain.rows.record import Rows, parted

PAIRS = ["logistic", "exponential", "squared", "squared_hinge", "hinge", "canonical_squared", "canonical_exponential"]
FREE = {"min_child_weight": 0, "reg_lambda": 0}


@parametrize_with_checks(
    [
        BoostedRanker(n_estimators=40, n_jobs=1),
        BoostedRanker(reduction="balanced", n_estimators=40, n_jobs=1),
        BoostedRanker(reduction="pointwise", n_estimators=40, n_jobs=1),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def rows(n=200, d=4, seed=0):
    """Features, labels, and weights that all differ, so that no two splits are equally good."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.logistic(size=n) > 0.7).astype(int)
    return X, y, rng.uniform(0.5, 2, n)


def ranker(*args, **options):
    return BoostedRanker(*args, **{"n_estimators": 10, "n_jobs": 1, **options})


def hinge():
    return (lambda u: np.maximum(0, 1 - u)), (lambda u: -1.0 * (u < 1)), (lambda u: 0 * u)


def margin(loss):
    """φ, φ', φ''."""
    return hinge() if loss == "hinge" else (LOSSES[loss].phi, LOSSES[loss].phi_slope, LOSSES[loss].phi_curvature)


def raw(fitted, X):
    return fitted.decision_function(X) - fitted.intercept_


STUMPS = {"n_estimators": 6, "max_depth": 1, "learning_rate": 0.5}


@pytest.mark.parametrize("loss", PAIRS)
def test_stumps_of_all_pairs_are_those_of_the_definition(loss):
    X, y, w = rows(50, 3)
    expected = naive.stump_scores(X, naive.pair_slopes(margin(loss), y, w), 0.0, 6, 0.5)
    assert_allclose(raw(ranker(loss, **STUMPS).fit(X, y, w), X), expected, atol=2e-5)


@pytest.mark.parametrize("loss", ["logistic", "exponential", "hinge"])
def test_groups_and_grades_too(loss):
    X, y, w = rows(50, 3)
    groups = np.arange(50) % 7
    y[groups == 3] = 0  # no partner
    expected = naive.stump_scores(X, naive.pair_slopes(margin(loss), y, w, groups), 0.0, 6, 0.5)
    assert_allclose(raw(ranker(loss, **STUMPS).fit(X, y, w, groups), X), expected, atol=2e-5)
    grades = y + (X[:, 0] > 0)
    expected = naive.stump_scores(X, naive.pair_slopes(margin(loss), grades, w, groups), 0.0, 6, 0.5)
    fitted = ranker(loss, graded=True, **STUMPS).fit(X, grades, w, groups)
    assert_allclose(fitted.decision_function(X), expected, atol=2e-5)
    with pytest.raises(ValueError, match="predict needs two classes"):
        fitted.predict(X)


@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared"])
@pytest.mark.parametrize("push", [1.5, 4])
def test_the_push_is_minimised_as_its_root(loss, push):
    X, y, w = rows(50, 3)
    expected = naive.stump_scores(X, naive.push_slopes(margin(loss), y, w, push), 0.0, 6, 0.5)
    assert_allclose(raw(ranker(loss, push=push, **STUMPS).fit(X, y, w), X), expected, atol=5e-5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("reduction", ["pointwise", "balanced"])
def test_stumps_of_rows_are_those_of_the_definition(loss, reduction):
    X, y, w = rows(50, 3)
    slopes, start = naive.point_slopes(on_the_line(get_loss(loss)), y, w, reduction == "balanced")
    fitted = ranker(loss, reduction=reduction, **STUMPS).fit(X, y, w)
    assert_allclose(raw(fitted, X), naive.stump_scores(X, slopes, start, 6, 0.5), atol=2e-5)
    chance = fitted.predict_proba(X)[:, 1]
    assert_array_equal(chance > 0.5, fitted.decision_function(X) > 0)
    even, odds = on_the_line(get_loss(loss)).inverse(raw(fitted, X)), w[y == 1].sum() / w[y == 0].sum()
    truth = even * odds / (even * odds + 1 - even) if reduction == "balanced" else even
    assert_allclose(chance, truth, atol=1e-9)


def test_pointwise_logistic_is_xgboosts_own():
    X, y, w = rows(500)
    w /= 3
    parameters = {"objective": "binary:logistic", "base_score": w @ y / w.sum(), "max_depth": 4, "eta": 0.1}
    parameters["max_bin"] = 500  # every value is a bin: of fewer, each takes its own quantiles
    theirs = xgboost.train(parameters, xgboost.QuantileDMatrix(X, y, weight=w, max_bin=500), 15)
    ours = ranker(reduction="pointwise", n_estimators=15, max_depth=4, settings={"max_bin": 500}).fit(X, y, w)
    assert_allclose(ours.predict_proba(X)[:, 1], theirs.inplace_predict(X), atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"reduction": "balanced"}, {"loss": "hinge"}, {"graded": True}])
def test_weights_are_repetitions(options):
    X, y, _ = rows(150)
    y = y + (X[:, 0] > 0) if options.get("graded") else y
    times = np.random.default_rng(1).integers(0, 4, 150)
    weighted = ranker(**options).fit(X, y, sample_weight=times)
    repeated = ranker(**options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_allclose(raw(weighted, X), raw(repeated, X), rtol=1e-7)
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-5)


def test_pairwise_and_balanced_start_alike():
    X, y, w = rows(100)
    first, second = (ranker(reduction=each, n_estimators=1).fit(X, y, w) for each in ("pairwise", "balanced"))
    assert_allclose(raw(first, X), raw(second, X), rtol=1e-5)


def levels(n=60, seed=3):
    """Two features of few levels, with labels that no stumps can separate."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    return X, (X @ [0.5, 0.3] + 1.5 * rng.logistic(size=n) > 1.6).astype(int)


def indicators(X):
    return np.column_stack([column >= cut for column in X.T for cut in np.unique(column)[1:]]).astype(float)


@cache
def limit(reduction):
    """Exponential stumps after many rounds, nothing penalised."""
    X, y = levels()
    options = {"reduction": reduction, "n_estimators": 800, "learning_rate": 0.5, "max_depth": 1, "settings": FREE}
    return raw(ranker("exponential", **options).fit(X, y), X)


def test_rankboost_reaches_the_least_exponential_risk_of_pairs():
    X, y = levels()
    S = indicators(X)

    def risk(scores):
        return np.exp(-(scores[y == 1][:, None] - scores[y == 0])).mean()

    least = minimize(lambda c: risk(S @ c), np.zeros(S.shape[1]), method="BFGS", options={"gtol": 1e-9}).fun
    assert least < 0.95
    assert risk(limit("pairwise")) == pytest.approx(least, rel=1e-6)


def test_adaboost_reaches_the_least_exponential_risk_of_rows():
    X, y = levels()
    S, sign = np.column_stack([indicators(X), np.ones(len(y))]), 2 * y - 1
    least = minimize(lambda c: np.exp(-sign * (S @ c)).mean(), np.zeros(S.shape[1]), method="BFGS").fun
    assert np.exp(-sign * limit("pointwise")).mean() == pytest.approx(least, rel=1e-6)


def test_adaboost_orders_as_rankboost_does():
    """Where both classes weigh the same, F₊ = F₋, the least F₊ + F₋ is the least F₊ F₋."""
    _, y = levels()
    points, pairs = limit("pointwise"), limit("pairwise")
    above, below = np.exp(-points[y == 1]).sum(), np.exp(points[y == 0]).sum()
    assert above == pytest.approx(below, rel=1e-4)
    assert_allclose(points - points.mean(), pairs - pairs.mean(), atol=3e-3)
    assert_array_equal(np.sign(np.round(points[:, None] - points, 2)), np.sign(np.round(pairs[:, None] - pairs, 2)))


@pytest.mark.parametrize("options", [{}, {"push": 3}, {"reduction": "pointwise"}])
def test_the_exponential_loss_never_overflows(options):
    X, y, w = rows(300)
    settings = {"learning_rate": 1.0, "n_estimators": 300, "max_depth": 8, "settings": FREE}
    fitted = ranker("exponential", **settings, **options).fit(X, y, w)
    assert np.isfinite(fitted.decision_function(X)).all()
    slopes = fitted._slopes(Rows(X, y == 1, w, None))[0]
    for size in (40.0, 400.0, 1e4, 1e30):
        slope, curvature = slopes(np.where(y == 1, -size, size).astype(np.float32))
        assert np.isfinite(slope).all() and np.isfinite(curvature).all() and (curvature > 0).all()
        assert_array_equal(np.sign(slope), np.where(y == 1, -1, 1))


@pytest.mark.parametrize("loss", ["canonical_exponential", "hinge", "spherical", "canonical_spherical", "squared"])
def test_curvature_limits_the_step(loss):
    X, y, w = rows(100)
    reduction = "pairwise" if loss in PAIRS else "pointwise"
    slope, curvature = ranker(loss, reduction=reduction)._slopes(Rows(X, y == 1, w, None))[0](np.linspace(-50, 50, 100))
    assert (curvature >= np.abs(slope) / 8.001).all()


@pytest.mark.parametrize("reduction", ["pointwise", "balanced"])
@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_slopes_in_one_pass_are_those_of_the_loss(weighted, reduction):
    X, y, w = rows(200)
    slopes = ranker(reduction=reduction)._slopes(Rows(X, y == 1, w if weighted else None, None))[0]
    plain = tree_slopes.Slopes(slopes.risk, 200, slopes.weights)
    for scores in (np.linspace(-800, 800, 200), 3 * X[:, 0], np.zeros(200)):
        scores = scores.astype(np.float32)
        assert type(slopes) is not type(plain) and slopes.size == plain.size
        assert_allclose(slopes(scores), plain(scores), rtol=2**-19, atol=1e-38)


@pytest.mark.parametrize("reduction", ["pairwise", "pointwise"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_are_shortened_as_few_are(weighted, reduction, monkeypatch):
    X, y, w = rows(70_000)
    slopes = ranker(reduction=reduction)._slopes(Rows(X, y == 1, w if weighted else None, None))[0]
    scores = X[:, 0].astype(np.float32)
    few = slopes(scores).copy()
    monkeypatch.setattr(tree_slopes, "ALONE", 0)
    assert_array_equal(slopes(scores), few)


def given_of(rows):
    """What `fit` is given of a record."""
    return rows.features, rows.labels, rows.weights, rows.groups


def watched(X, y, w, groups, seed, trees, **options):
    """The AUCs of the rows held out after 1, 2, … trees, grown on the rest alone."""
    train, test = parted(Rows(X, y, w, groups), 0.2, np.random.RandomState(seed))
    fitted = ranker(n_estimators=trees, **options).fit(*given_of(train))
    staged = (fitted.booster_.inplace_predict(test.features, iteration_range=(0, k)) for k in range(1, trees + 1))
    return [auc(test.labels, s, weights=test.weights, groups=test.groups, graded=fitted.graded) for s in staged]


@pytest.mark.parametrize("kind", ["plain", "pointwise", "groups", "grades"])
def test_early_stopping_keeps_the_trees_with_the_best_auc(kind):
    X, y, w = rows(400)
    groups = np.arange(400) // 10 if kind == "groups" else None
    y = y + (X[:, 0] > 1) if kind == "grades" else y == 1
    options = {"reduction": "pointwise"} if kind == "pointwise" else {"graded": kind == "grades"}
    found = watched(X, y, w, groups, 5, 60, **options)
    stop = next((k for k in range(60) if k - np.argmax(found[: k + 1]) == 8), 59)
    fitted = ranker(n_estimators=60, early_stopping=8, random_state=5, **options).fit(X, y, w, groups)
    assert fitted.n_iter_ == np.argmax(found[: stop + 1]) + 1 == fitted.booster_.num_boosted_rounds()


@given(st.lists(st.booleans(), min_size=4, max_size=40), st.floats(0.05, 0.95), st.booleans(), st.integers(0, 9))
def test_rows_held_out_are_of_every_class_or_whole_groups(classes, share, grouped, seed):
    classes = np.array(classes)
    n = len(classes)
    groups = np.random.default_rng(seed).integers(0, 5, n) if grouped else None
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1]
    train, test = parted(Rows(np.arange(n)[:, None], classes, None, codes), share, np.random.RandomState(seed))
    units = classes if codes is None else np.array([len(set(classes[codes == g])) > 1 for g in range(codes.max() + 1)])
    least = units.sum() if grouped else min(units.sum(), (~units).sum())
    if least < 2:
        assert test is None and len(train.labels) == n
        return
    assert_array_equal(np.sort(np.concatenate([train.features, test.features])[:, 0]), np.arange(n))
    for kind in [True] if grouped else [True, False]:
        inside = [(units[np.unique(part.groups)] if grouped else part.labels == kind).sum() for part in (train, test)]
        assert min(inside) >= 1 and sum(inside) == (units == kind).sum()
    assert not grouped or not set(train.groups) & set(test.groups)
    if not grouped:
        assert abs(test.labels.sum() - share * classes.sum()) <= 1


@pytest.mark.parametrize("groups", [None, np.arange(200) // 10])
def test_clusters_are_held_out_whole(groups):
    X, y, w = rows()
    clusters = np.arange(200) // 5
    train, test = parted(Rows(X, y, w, groups, clusters=clusters), 0.2, np.random.RandomState(0))
    assert not set(train.clusters) & set(test.clusters)
    assert 0.1 < len(test.labels) / 200 < 0.3
    for seed in range(3):
        stopping = ranker(n_estimators=30, early_stopping=3, random_state=seed)
        train, test = parted(Rows(X, y, w, groups, clusters=clusters), 0.2, np.random.RandomState(seed))
        found = stopping.fit(X, y, w, groups, clusters=clusters).booster_.inplace_predict(test.features)
        best = auc(test.labels, found, weights=test.weights, groups=test.groups)
        grown = ranker(n_estimators=30).fit(*given_of(train)).booster_
        staged = (grown.inplace_predict(test.features, iteration_range=(0, k)) for k in range(1, stopping.n_iter_ + 3))
        assert best == max(auc(test.labels, s, weights=test.weights, groups=test.groups) for s in staged)


def table(n=300):
    rng = np.random.default_rng(2)
    codes, number = rng.integers(0, 12, n), rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-3 * np.isin(codes, [1, 4, 7, 9]) - number + 1))
    number[::7] = np.nan
    return codes, number, y


def test_categories_of_arrays_pandas_polars_and_pyarrow_agree():
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")  # XGBoost reads polars through it
    codes, number, y = table()
    names = np.array([f"level {k:02d}" for k in range(12)])
    X = np.column_stack([number, codes])
    pandas = pd.DataFrame({"x": number, "kind [a<b]": pd.Categorical(names[codes], names)})
    polars = pl.DataFrame({"x": number, "kind [a<b]": pl.Series(names[codes], dtype=pl.Enum(names))})
    kinds = pa.DictionaryArray.from_arrays(codes, names)
    plain = ranker(categorical=[1]).fit(X, y)
    assert any("c" in each for each in plain.booster_.feature_types)
    by_coming = polars.cast({"kind [a<b]": pl.Categorical})
    for frame in (pandas, polars, by_coming, pa.table({"x": number, "kind [a<b]": kinds})):
        fitted = ranker().fit(frame, y)
        assert_allclose(fitted.decision_function(frame), plain.decision_function(X), atol=1e-6)
        assert_array_equal(fitted.feature_names_in_, ["x", "kind [a<b]"])
        assert_allclose(fitted.feature_importances_, plain.feature_importances_, rtol=1e-4)
        stopped = ranker(early_stopping=3, random_state=0).fit(frame, y)
        assert_array_equal(stopped.decision_function(frame), clone(stopped).fit(frame, y).decision_function(frame))
    other = pandas.assign(**{"kind [a<b]": pd.Categorical(names[codes], names[::-1])})
    fitted = ranker().fit(pandas, y)
    assert_array_equal(fitted.decision_function(other), fitted.decision_function(pandas))
    unknown = pandas.assign(**{"kind [a<b]": pd.Categorical(["new"] * len(y))})
    with pytest.raises(ValueError, match="XGBoost must accept"):
        fitted.decision_function(unknown)


def test_importance_is_the_mean_gain_of_a_split():
    X, y, _ = rows(300)
    X[:, 3] = 0
    fitted = ranker().fit(X, y)
    splits = re.findall(r"\[f(\d)<.*gain=([^,]*)", "".join(fitted.booster_.get_dump(with_stats=True)))
    gains = np.array([np.mean([float(gain) for k, gain in splits if int(k) == j] or [0]) for j in range(4)])
    assert_allclose(fitted.feature_importances_, gains / gains.sum(), rtol=1e-4)
    assert ranker().fit(X[:, 3:], y).feature_importances_ == [0]


@pytest.mark.parametrize("options", [{}, {"reduction": "balanced"}, {"early_stopping": 3}])
def test_the_same_seed_gives_the_same_bits(options):
    X, y, w = rows(2000)
    one = ranker(settings={"subsample": 0.5}, random_state=7, n_jobs=2, **options)
    books = [clone(one).fit(X, y, w).booster_.save_raw("json") for _ in range(2)]
    assert books[0] == books[1]
    assert books[0] != clone(one).set_params(random_state=8).fit(X, y, w).booster_.save_raw("json")


def test_probabilities_have_the_right_mean_and_are_not_too_sure():
    X, y, w = rows(600)
    fresh, truth, _ = rows(5000, seed=1)
    for loss in ("logistic", "exponential"):
        fitted = ranker(loss, n_estimators=60).fit(X, y, w)
        assert w @ fitted.predict_proba(X)[:, 1] / w.sum() == pytest.approx(w @ y / w.sum(), abs=1e-6)
        chance = fitted.predict_proba(fresh)[:, 1]
        same = ranker(loss, n_estimators=60, reduction="pointwise").fit(X, y, w).predict_proba(fresh)[:, 1]
        assert (
            -np.log(np.where(truth, chance, 1 - chance)).mean() < 1.1 * -np.log(np.where(truth, same, 1 - same)).mean()
        )
    stopped = ranker(n_estimators=200, early_stopping=10, random_state=0).fit(X, y, w)
    chance = stopped.predict_proba(fresh)[:, 1]
    assert -np.log(np.where(truth, chance, 1 - chance)).mean() < 0.7


def test_a_large_group_needs_no_pairs():
    X, y, _ = rows(30_000)
    fitted = ranker(n_estimators=3).fit(X, y, groups=np.zeros(30_000))
    assert_array_equal(fitted.decision_function(X), ranker(n_estimators=3).fit(X, y).decision_function(X))


def test_works_where_scikit_learn_estimators_do():
    X, y, _ = rows(200)
    search = GridSearchCV(ranker(), {"max_depth": [1, 3], "settings": [None, {"gamma": 1}]}, scoring="roc_auc")
    assert search.fit(X, y).best_score_ > 0.6
    fitted = ranker().fit(np.asfortranarray(X), y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(copy.decision_function(X), fitted.decision_function(np.ascontiguousarray(X)))


WRONG = {
    "reduction must be one of": {"reduction": "listwise"},
    "need reduction='pairwise'": {"reduction": "pointwise", "push": 2},
    "n_estimators must be 1 or more": {"n_estimators": 0},
    "early_stopping 1 or more": {"early_stopping": 0},
    "validation_fraction must lie": {"early_stopping": 1, "validation_fraction": 1.0},
    "categorical must be columns": {"categorical": [4]},
    "needs a margin loss": {"loss": "spherical"},
    "XGBoost must accept table and settings": {"learning_rate": -1},
    "value -1 for Parameter max_depth": {"max_depth": -1},
}


@pytest.mark.parametrize(("message", "options"), WRONG.items(), ids=WRONG)
def test_wrong_settings_get_one_line(message, options):
    with pytest.raises(ValueError, match=message) as caught:
        ranker(**options).fit(*rows(30)[:2])
    assert "\n" not in str(caught.value)


def test_wrong_tables_get_one_line():
    pd = pytest.importorskip("pandas")
    for X in (np.array([[0.0], [1.0], [1e39], [3.0]]), pd.DataFrame({"x": [0.0, 1.0, np.inf, 3.0]})):
        with pytest.raises(ValueError, match=r"XGBoost must accept .*inf") as caught:
            ranker().fit(X, [0, 1, 0, 1])
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ranker().fit(pd.DataFrame({"x": [0.0, 1.0, 2.0]}), [0, 1, 0, 1])


@pytest.mark.parametrize("reduction", ["pairwise", "balanced", "pointwise"])
@pytest.mark.parametrize("positives", [1, 2, 3])
def test_a_class_of_one_row_stops_nothing_early(reduction, positives):
    X, _, _ = rows(20)
    y = np.arange(20) < positives
    fitted = ranker(reduction=reduction, early_stopping=2, random_state=0).fit(X, y)
    assert np.isfinite(fitted.predict_proba(X)).all()
    if positives == 1:  # none can be held out, so all trees are kept, and they are those without early stopping
        assert fitted.n_iter_ == 10
        plain = ranker(reduction=reduction, random_state=0).fit(X, y)
        assert_allclose(raw(fitted, X), raw(plain, X), rtol=1e-6)


TEXT = {
    "array": lambda pd: np.array([["a"], ["b"], ["c"], ["d"]]),
    "objects": lambda pd: np.array([[1.0, "a"], [2.0, "b"], [3.0, "c"], [4.0, "d"]], object),
    "list": lambda pd: [["a"], ["b"], ["c"], ["d"]],
    "pandas": lambda pd: pd.DataFrame({"x": [1.0, 2, 3, 4], "city": list("abcd")}),
    "pandas objects": lambda pd: pd.DataFrame({"city": pd.Series([1, "a", None, 2.0], dtype=object)}),
    "pandas strings": lambda pd: pd.DataFrame({"city": pd.Series(list("abcd"), dtype="string")}),
    "pandas dates": lambda pd: pd.DataFrame({"city": pd.date_range("2024-01-01", periods=4)}),
    "polars": lambda pd: pl.DataFrame({"city": list("abcd")}),
    "pyarrow": lambda pd: pl.DataFrame({"x": [1.0, 2, 3, 4], "city": list("abcd")}).to_arrow(),
    "polars dates": lambda pd: pl.DataFrame({"city": ["2024-01-01"] * 4}).select(pl.col("city").str.to_date()),
}


@pytest.mark.parametrize("kind", TEXT)
def test_text_gets_one_line(kind):
    X = TEXT[kind](pytest.importorskip("pandas"))
    expected = "column 'city' must hold numbers or categories" if hasattr(X, "columns") else "Got text such as 'a'"
    fitted = ranker(n_estimators=1).fit(np.arange(8.0).reshape(4, 2)[:, : np.shape(X)[1]], [0, 1, 0, 1])
    for given_text in (lambda: ranker().fit(X, [0, 1, 0, 1]), lambda: fitted.decision_function(X)):
        with pytest.raises(ValueError, match=expected) as caught:
            given_text()
        assert "\n" not in str(caught.value)


def test_without_xgboost_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ImportError) as caught:
        ranker().fit(*rows(30)[:2])
    assert str(caught.value) == 'BoostedRanker needs XGBoost. Install it: pip install "ordain[boost]"'


@pytest.mark.parametrize("name", ["max_depth", "eta", "learning_rate", "n_estimators", "nthread", "seed", "base_score"])
def test_settings_that_the_ranker_would_win_over_are_refused(name):
    with pytest.raises(ValueError, match=f"settings must not name .* Got '{name}', which is its {OWN[name]}") as caught:
        ranker(settings={"gamma": 1, name: 1}).fit(*rows(30)[:2])
    assert "\n" not in str(caught.value)
    assert {*OWN.values()} - {"intercept_"} <= ranker().get_params().keys()


def test_risk_threads_are_given_back():
    before = numba.config.NUMBA_NUM_THREADS
    numba.set_num_threads(before)
    ranker(n_jobs=1).fit(*rows(50)[:2])
    assert numba.get_num_threads() == before
