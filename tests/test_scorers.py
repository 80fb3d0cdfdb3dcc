"""Scorers for scikit-learn's tools: grades and groups reach the figure by metadata routing."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

import ordain
from ordain.scorers import auc_scorer, ndcg_scorer


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def queries(n=240, seed=0):
    """Rows of queries whose level says nothing of the order within them."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(n // 8), 8)
    X = rng.normal(size=(n, 3))
    truth = X[:, 0] + 5 * rng.normal(size=n // 8)[query] + rng.normal(size=n)
    return X, np.digitize(truth, [-3, 0, 3]), query


def test_two_classes_need_no_routing():
    X, grades, _ = queries()
    for estimator, labels in ((LogisticRegression(), np.where(grades > 1, "b", "a")), (GaussianNB(), grades > 1)):
        found = cross_val_score(estimator, X, labels, scoring=auc_scorer(), cv=3)
        assert_allclose(found, cross_val_score(estimator, X, labels, scoring="roc_auc", cv=3), rtol=1e-12)


def by_hand(estimator, X, grades, query, folds, **fit):
    found = []
    for train, test in folds.split(X, grades, query):
        scores = estimator.fit(X[train], grades[train], **({"groups": query[train]} if fit else {}))
        score = getattr(scores, "decision_function", scores.predict)(X[test])
        found.append(ordain.auc(grades[test], score, groups=query[test], graded=True))
    return found


def test_groups_and_grades_reach_the_figure(routing):
    X, grades, query = queries()
    scorer = auc_scorer(graded=True, groups=True)
    found = cross_val_score(
        LinearRegression(), X, grades, scoring=scorer, cv=GroupKFold(4), params={"groups": query}
    )  # fmt: skip
    assert_allclose(found, by_hand(LinearRegression(), X, grades, query, GroupKFold(4)), rtol=1e-12)
    pooled = cross_val_score(LinearRegression(), X, grades, scoring=auc_scorer(graded=True), cv=4)
    assert np.abs(found.mean() - pooled.mean()) > 0.05  # else the groups would not have mattered


def test_searches_fit_and_score_within_groups(routing):
    X, grades, query = queries()
    ranker = ordain.LinearRanker(graded=True).set_fit_request(groups=True).set_score_request(groups=True)
    search = GridSearchCV(ranker, {"alpha": [1e-3, 1.0]}, cv=GroupKFold(4)).fit(X, grades, groups=query)
    scored = GridSearchCV(ranker, search.param_grid, cv=GroupKFold(4), scoring=auc_scorer(graded=True, groups=True))
    scored.fit(X, grades, groups=query)
    assert_allclose(search.cv_results_["mean_test_score"], scored.cv_results_["mean_test_score"], rtol=1e-12)
    hand = [
        np.mean(by_hand(ordain.LinearRanker(graded=True, alpha=alpha), X, grades, query, GroupKFold(4), fit=True))
        for alpha in (1e-3, 1.0)
    ]
    assert_allclose(search.cv_results_["mean_test_score"], hand, rtol=1e-12)


def test_weights_reach_the_figure(routing):
    X, grades, _ = queries()
    y, weights = grades > 1, np.random.default_rng(0).integers(1, 9, len(grades))
    fitted = LogisticRegression().fit(X, y)
    found = auc_scorer(sample_weight=True)(fitted, X, y, sample_weight=weights)
    assert found == ordain.auc(y, fitted.decision_function(X), weights=weights) != ordain.auc(y, X[:, 0])


def test_ndcg_is_taken_within_groups(routing):
    X, grades, query = queries()
    fitted = LinearRegression().fit(X, grades)
    found = ndcg_scorer(3, groups=True)(fitted, X, grades, groups=query)
    assert found == ordain.ndcg(grades, fitted.predict(X), 3, groups=query) != ordain.ndcg(grades, fitted.predict(X), 3)
    scorer = ndcg_scorer(3, groups=True)
    folds = cross_val_score(LinearRegression(), X, grades, scoring=scorer, cv=GroupKFold(4), params={"groups": query})
    assert folds.mean() == pytest.approx(found, abs=0.05)


def test_ndcg_of_one_list_needs_no_routing():
    X, grades, _ = queries()
    for estimator, labels in ((LogisticRegression(), np.where(grades > 1, "b", "a")), (GaussianNB(), grades > 1)):
        fitted = estimator.fit(X, labels)
        chance = fitted.predict_proba(X)[:, 1]
        assert ndcg_scorer(20)(fitted, X, labels) == pytest.approx(ordain.ndcg(grades > 1, chance, 20))
    with pytest.raises(ValueError, match=r"^groups need .* Call sklearn\.set_config"):
        ndcg_scorer(groups=True)


def test_without_routing_one_line_says_what_to_call():
    with pytest.raises(ValueError, match=r"^groups need .* Call sklearn\.set_config\(enable_metadata_routing=True\)"):
        auc_scorer(groups=True)
