"""Learning a preference from pairs that a judge compared."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import ordain

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3))
TRUTH = X @ [2.0, -1.0, 0.0]
PAIRS = np.array([RNG.permutation(100)[:2] for _ in range(400)])
ANSWERS = (RNG.random(400) < expit(TRUTH[PAIRS[:, 0]] - TRUTH[PAIRS[:, 1]])).astype(float)


@pytest.mark.parametrize("classifier", [None, RandomForestClassifier(30, random_state=0), KNeighborsClassifier(15)])
def test_rows_never_compared_are_ranked_by_the_learned_preference(classifier):
    ranker = ordain.PreferenceRanker(classifier).fit_pairs(X, PAIRS, ANSWERS)
    order = ranker.rank(X[100:], seed=0)
    assert np.corrcoef(-np.argsort(order), TRUTH[100:])[0, 1] > 0.75
    assert np.corrcoef(ranker.decision_function(X[100:]), TRUTH[100:])[0, 1] > 0.75
    assert (ranker.preference(X[:9], X[9:18]) + ranker.preference(X[9:18], X[:9]) == 1).all()


def test_it_is_logistic_regression_without_a_constant_on_differences():
    plain = LogisticRegression(fit_intercept=False).fit(X[PAIRS[:, 0]] - X[PAIRS[:, 1]], ANSWERS)
    found = ordain.PreferenceRanker(LogisticRegression(C=0.5)).fit_pairs(X, PAIRS, ANSWERS)  # each pair counts twice
    cosine = plain.coef_[0] @ found.direction_ / np.linalg.norm(plain.coef_) / np.linalg.norm(found.direction_)
    assert cosine == pytest.approx(1, abs=1e-4)


def test_weights_repeat_and_fractions_are_shares_of_both():
    twice = ordain.PreferenceRanker().fit_pairs(X, np.repeat(PAIRS, 2, axis=0), np.repeat(ANSWERS, 2))
    weighed = ordain.PreferenceRanker().fit_pairs(X, PAIRS, ANSWERS, np.full(400, 2.0))
    np.testing.assert_allclose(weighed.direction_, twice.direction_, rtol=1e-3)
    sure = ordain.PreferenceRanker().fit_pairs(X, PAIRS, ANSWERS).direction_
    doubtful = ordain.PreferenceRanker().fit_pairs(X, PAIRS, 0.5 + 0.2 * (ANSWERS - 0.5)).direction_
    assert np.linalg.norm(doubtful) < np.linalg.norm(sure)


def test_a_ranker_of_pairs_is_saved_and_loaded(tmp_path):
    ranker = ordain.PreferenceRanker().fit_pairs(X, PAIRS, ANSWERS)
    ordain.save(ranker, tmp_path / "r.ordain")
    np.testing.assert_array_equal(ordain.load(tmp_path / "r.ordain").decision_function(X), ranker.decision_function(X))


@pytest.mark.parametrize(
    ("pairs", "answers", "message"),
    [
        ([[0, 200]], [1], "two rows from 0 to 199"),
        ([[0, 0]], [1], "two rows from 0 to 199"),
        ([[0.5, 1]], [1], "row numbers"),
        ([[0, 1]], [0.5], "ties only"),
    ],
)
def test_what_is_no_comparison_is_refused(pairs, answers, message):
    with pytest.raises(ValueError, match=message):
        ordain.PreferenceRanker().fit_pairs(X, pairs, answers)
