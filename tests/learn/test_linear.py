"""The linear ranker: scikit-learn's own checks, and the optimum against scipy's."""

from itertools import cycle

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ordain.learn import table_risk
from ordain.learn.linear import ALPHAS, FOLDS, LinearRanker
from ordain.learn.scorer import calibration
from ordain.losses import LOSSES, PAIRINGS, get_loss
from ordain.losses.row_risk import on_the_line
from ordain.measure import auc
from ordain.pairs import PairRisk
from ordain.rows.folds import Units


@parametrize_with_checks([LinearRanker(), LinearRanker(reduction="balanced"), LinearRanker(reduction="pointwise")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def rows(n=200, d=4, seed=0):
    X, y = make_classification(n, d, n_informative=3, n_redundant=0, weights=[0.7], flip_y=0.2, random_state=seed)
    return X, y


@pytest.mark.parametrize("loss", [name for name in PAIRINGS if name != "hinge"])
@pytest.mark.parametrize("push", [1, 2])
def test_pairwise_optimum_is_scipys(loss, push):
    X, y = rows(60)
    phi = LOSSES[loss].phi

    def objective(w):
        scores = X @ w
        pairs = phi(scores[y == 1][:, None] - scores[y == 0])
        return (pairs.mean(axis=0) ** push).mean() + 0.05 * w @ w

    fitted = LinearRanker(loss, push=push, alpha=0.1, tol=1e-11).fit(X, y)
    assert objective(fitted.coef_[0]) <= objective(naive.numeric_optimum(objective, 4)) + 1e-13
    assert_allclose(fitted.coef_[0], naive.numeric_optimum(objective, 4), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("reduction", ["pointwise", "balanced"])
def test_pointwise_optimum_is_scipys(loss, reduction):
    X, y = rows(60)
    sign = np.where(y == 1, 1, -1)
    share = (
        np.full(60, 1 / 60)
        if reduction == "pointwise"
        else np.where(y == 1, 0.5 / (y == 1).sum(), 0.5 / (y == 0).sum())
    )
    line = on_the_line(get_loss(loss))

    def objective(w):
        return share @ line.value(sign, X @ w[:4] + w[4]) + 0.05 * w[:4] @ w[:4]

    fitted = LinearRanker(loss, reduction=reduction, alpha=0.1, tol=1e-11).fit(X, y)
    best = naive.numeric_optimum(objective, 5)
    assert_allclose(fitted.coef_[0], best[:4], atol=2e-6)
    chance = fitted.predict_proba(X)[:, 1]
    assert ((chance > 0.5) == (fitted.decision_function(X) > 0)).all()
    if reduction == "pointwise":
        assert_allclose(chance, line.inverse(X @ best[:4] + best[4]), atol=5e-6)


def test_pointwise_logistic_is_scikit_learns_logistic_regression():
    X, y = rows(300)
    theirs = LogisticRegression(C=1 / (0.01 * 300), tol=1e-10).fit(X, y)
    ours = LinearRanker(reduction="pointwise", alpha=0.01).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_balanced_logistic_is_the_balanced_one_with_true_probabilities():
    X, y = rows(300)
    theirs = LogisticRegression(C=1 / (0.01 * 300), tol=1e-10, class_weight="balanced").fit(X, y)
    ours = LinearRanker(reduction="balanced", alpha=0.01).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5)
    odds = ours.decision_function(X) - theirs.decision_function(X)
    assert_allclose(odds, np.log(y.mean() / (1 - y.mean())), rtol=1e-4)


@pytest.mark.parametrize("reduction", ["pairwise", "balanced", "pointwise"])
def test_dense_sparse_single_and_double_agree(reduction):
    X, y = rows(300)
    X = np.where(np.abs(X) < 0.5, 0, X)
    exact = LinearRanker(reduction=reduction).fit(X, y)
    for other in (sparse.csr_matrix(X), X.astype(np.float32), sparse.csr_matrix(X.astype(np.float32))):
        assert_allclose(LinearRanker(reduction=reduction).fit(other, y).coef_, exact.coef_, rtol=1e-3)
    assert_allclose(
        LinearRanker(reduction=reduction).fit(sparse.csr_matrix(X), y).decision_function(X),
        exact.decision_function(X),
        atol=1e-6,
    )


def test_wide_tables_use_the_diagonal_and_still_converge():
    X, y = make_classification(300, 400, n_informative=20, random_state=0)
    fitted = LinearRanker(alpha=0.01, tol=1e-7).fit(X, y)
    assert auc(y, fitted.decision_function(X)) > 0.99


def test_groups_and_grades_are_learned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    groups = np.arange(400) // 8
    grades = np.digitize(X @ [1, -1, 0.5] + 5 * rng.normal(size=50)[groups] + 0.3 * rng.normal(size=400), [-2, 0, 2])
    ranker = LinearRanker(graded=True).fit(X, grades, groups=groups)
    assert auc(grades, ranker.decision_function(X), graded=True, groups=groups) > 0.9
    with pytest.raises(ValueError, match="predict needs two classes"):
        ranker.predict(X)


TUNED = [{"loss": loss, **more} for loss in ("logistic", "exponential") for more in ({}, {"push": 3})]
TUNED += [{"loss": loss, "reduction": "balanced"} for loss in ("logistic", "exponential", "spherical")]


@pytest.mark.parametrize(("options", "informative"), [*zip(TUNED, cycle([3, 20]), strict=False)], ids=str)
def test_automatic_penalty_has_the_least_loss_over_pairs_held_out(options, informative):
    """With each loss and reduction, of few columns that tell or many in turn."""
    X, y = make_classification(150, 60, n_informative=informative, flip_y=0.3, random_state=1)
    phi = (lambda u: np.exp(-u)) if options["loss"] == "exponential" else (lambda u: np.logaddexp(0, -u))
    options = {"tol": 1e-5, "max_iter": 300, **options}

    def risk(ranker, X, y):
        scores = ranker.decision_function(X)
        pairs = phi(scores[y == 1][:, None] - scores[y == 0])
        return (pairs.mean(axis=0) ** options.get("push", 1)).mean()

    folds = PredefinedSplit(Units.make(y).dealt(5))
    path = [cross_val_score(LinearRanker(alpha=a, **options), X, y, cv=folds, scoring=risk).mean() for a in ALPHAS]
    chosen = LinearRanker(alpha="auto", **options).fit(X, y).alpha_
    assert path[list(ALPHAS).index(chosen)] == pytest.approx(min(path), rel=1e-3)


FEW = {
    "two of each": ([0, 0, 1, 1], {}, True),
    "one positive": ([0] * 29 + [1], {}, True),
    "three of each": ([0, 1] * 3, {}, False),
    "six positives": ([0] * 54 + [1] * 6, {}, False),
    "two groups": ([0, 1] * 10, {"groups": np.arange(20) // 10}, True),
    "three groups": ([0, 1] * 15, {"groups": np.arange(30) // 10}, False),
    "two persons": ([0, 1] * 10, {"clusters": np.arange(20) // 10}, True),
    "two that weigh": ([0, 1] * 10, {"sample_weight": np.arange(20) < 4}, True),
}


@pytest.mark.parametrize(("reduction", "made"), [("pairwise", 2 * FOLDS + 1), ("balanced", FOLDS)])
def test_every_fold_makes_its_risks_once(reduction, made, monkeypatch):
    """For all penalties: that of the rows it learns from, that of the rows held out, and at last that of all rows."""
    risks = []
    monkeypatch.setattr(
        table_risk, "PairRisk", lambda *rows, **options: risks.append(PairRisk(*rows, **options)) or risks[-1]
    )
    LinearRanker(reduction=reduction, alpha="auto").fit(*rows())
    assert len(risks) == made


@pytest.mark.parametrize(
    ("name", "reduction"),
    [(name, "pairwise") for name in FEW]
    + [(name, reduction) for name in FEW if "groups" not in name for reduction in ("balanced", "pointwise")],
)
def test_few_rows_have_an_automatic_penalty(name, reduction):
    y, options, too_few = FEW[name]
    X = np.random.default_rng(0).normal(size=(len(y), 2)) + np.array(y)[:, None]
    fitted = LinearRanker(reduction=reduction, alpha="auto", tol=1e-6).fit(X, y, **options)
    assert fitted.alpha_ == 1 / len(y) if too_few else fitted.alpha_ in ALPHAS
    assert np.isfinite(fitted.predict_proba(X)).all()


@pytest.mark.parametrize("step", [0.5, 1e-9])
def test_real_valued_grades_are_ranked(step):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    stars = np.round((X @ [1, -1] + 0.1 * rng.normal(size=30)) / step) * step
    ranker = LinearRanker(graded=True, alpha="auto").fit(X, stars)
    assert auc(stars, ranker.decision_function(X), graded=True) > 0.9


def test_rows_of_one_person_stay_in_one_fold():
    """Rows that are there five times would tell on each other; kept together they ask for what one of each asks for."""
    X, y = make_classification(80, 20, n_informative=3, flip_y=0.3, random_state=0)
    ranker = LinearRanker(alpha="auto", tol=1e-6)
    once = ranker.fit(X, y).alpha_
    X, y, persons = (np.repeat(of, 5, axis=0) for of in (X, y, [f"p{k:02}" for k in range(80)]))
    assert ranker.fit(X, y, clusters=persons).alpha_ > once / 4
    assert ranker.fit(X, y).alpha_ < once / 5


def test_a_loss_that_overflows_where_it_is_held_out_counts_as_the_worst():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = X.sum(axis=1) + rng.logistic(size=100) > 0
    X[np.flatnonzero(~y)[0], 0] = 1e5
    assert LinearRanker("exponential", alpha="auto", tol=1e-5).fit(X, y).alpha_ == ALPHAS[0]


def test_works_where_scikit_learn_estimators_do():
    X, y = rows(200)
    pipeline = make_pipeline(StandardScaler(), LinearRanker())
    assert cross_val_score(pipeline, X, y, scoring="roc_auc").mean() > 0.6
    search = GridSearchCV(
        LinearRanker(), {"alpha": [1e-3, 1], "reduction": ["pairwise", "pointwise"]}, scoring="roc_auc"
    )
    assert search.fit(X, y).best_score_ > 0.6


def rare(n=2000, seed=0):
    """2 % positives that only the first of many columns tells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 12))
    return X, X[:, 0] + 0.5 * rng.normal(size=n) > np.quantile(X[:, 0], 0.98) + 0.3


def test_searches_compare_aucs():
    """By accuracy every one of these would have .98, and the search would pick the first."""
    X, y = rare()
    search = GridSearchCV(LinearRanker(), {"alpha": [1e4, 1e-2], "loss": ["squared_hinge", "logistic"]}).fit(X, y)
    byname = GridSearchCV(LinearRanker(), search.param_grid, scoring="roc_auc").fit(X, y)
    assert_allclose(search.cv_results_["mean_test_score"], byname.cv_results_["mean_test_score"], rtol=1e-12)
    best = search.best_estimator_
    assert_allclose(search.score(X, y), auc(y, best.decision_function(X)), rtol=1e-12)
    assert (best.predict(X) == y).mean() != search.score(X, y)


@pytest.mark.parametrize("labels", [("b", "a"), (1, 2), (True, False)])
def test_score_is_the_auc_of_the_larger_class(labels):
    X, y = rows(80)
    named = np.where(y, *labels)
    fitted = LinearRanker().fit(X, named)
    assert fitted.score(X, named) == auc(named, fitted.decision_function(X), positive=max(labels))
    with pytest.raises(ValueError, match=r"labels must be .* as in training. Got"):
        fitted.score(X, np.full(80, "c"))


def test_score_counts_weights_groups_and_grades():
    X, y = rows(120)
    rng = np.random.default_rng(0)
    weights, groups = rng.integers(1, 4, 120), rng.integers(0, 6, 120)
    fitted = LinearRanker().fit(X, y)
    found, scores = fitted.score(X, y, sample_weight=weights, groups=groups), fitted.decision_function(X)
    assert found == auc(y, scores, weights=weights, groups=groups) != fitted.score(X, y)
    grades = np.digitize(X[:, 0] + rng.normal(size=120), [-1, 0, 1])
    graded = LinearRanker(graded=True).fit(X, grades, groups=groups)
    expected = auc(grades, graded.decision_function(X), groups=groups, graded=True)
    assert graded.score(X, grades, groups=groups) == expected


def test_a_head_start_on_some_rows_does_not_change_the_fit(monkeypatch):
    X, y = rows(2000)
    plain = LinearRanker().fit(X, y)
    monkeypatch.setattr("ordain.learn.linear.LARGE_TABLE", 1000)
    assert_allclose(LinearRanker().fit(X, y).coef_, plain.coef_, rtol=1e-4)


def test_calibration_recovers_the_link():
    rng = np.random.default_rng(0)
    scores = 100 + 3 * rng.normal(size=20_000)
    positive = rng.random(20_000) < 1 / (1 + np.exp(-(0.7 * (scores - 99))))
    slope, shift = calibration(scores, positive, None)
    assert slope == pytest.approx(0.7, rel=0.05)
    assert -shift / slope == pytest.approx(99, abs=0.1)


@pytest.mark.parametrize(
    ("share", "n"), [(0.5, 40_000), (0.01, 40_000), (0.0005, 40_000), (0.01, 400_000), (0.0005, 400_000)]
)
def test_calibration_of_a_rare_class_is_not_flattened(share, n):
    """Scores that are log odds up to a shift: the slope is 1, and the mean is the share, of all rows or those drawn."""
    rng = np.random.default_rng(1)
    scores = 1.5 * rng.normal(size=n)
    odds = np.log(share / (1 - share)) + scores - 1.5**2 / 2
    positive = rng.random(n) < 1 / (1 + np.exp(-odds))
    slope, shift = calibration(scores, positive, None)
    error = 1 / np.sqrt(positive.sum())
    assert slope == pytest.approx(1, abs=4 * error + 0.02)
    chance = 1 / (1 + np.exp(-slope * scores - shift))
    assert chance.mean() == pytest.approx(positive.mean(), rel=0.03)


WRONG = {
    "reduction must be one of": {"reduction": "listwise"},
    "need reduction='pairwise'": {"reduction": "pointwise", "push": 2},
    "alpha must be a number above 0": {"alpha": 0},
    "push must be a number": {"push": 0},
    "needs a margin loss": {"loss": "spherical"},
}


@pytest.mark.parametrize(("message", "options"), WRONG.items(), ids=WRONG)
def test_wrong_settings_get_one_line(message, options):
    with pytest.raises(ValueError, match=message):
        LinearRanker(**options).fit(*rows(30))


@pytest.mark.parametrize("X", [[["a"], ["b"], ["c"]], np.array([[1.0], ["b"], [2.0]], object)])
def test_text_gets_one_line(X):
    with pytest.raises(ValueError, match=r"X must hold numbers. Got text such as '[ab]'. Make it") as caught:
        LinearRanker().fit(X, [0, 1, 0])
    assert "\n" not in str(caught.value)


def test_not_converging_warns():
    with pytest.warns(UserWarning, match="the solver must reach"):
        LinearRanker(max_iter=1).fit(*rows(50))
