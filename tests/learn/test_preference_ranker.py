"""Classifiers of pairs as rankers: the pairs, the preference, what sorting by it costs, and when it is a scorer."""

import runpy
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from ordain.learn import pair_classifier
from ordain.learn.auc_train import PreferenceRanker
from ordain.learn.linear import LinearRanker
from ordain.learn.mixed_pairs import evenly, mixed_pairs
from ordain.measure import auc, auc_loss
from ordain.preference import from_matrix
from ordain.rank import degree, play, quicksort
from ordain.theorems.training import auc_train

FEATURES = ["difference", "concatenation", "both"]
TREE = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)


@parametrize_with_checks(
    [
        PreferenceRanker(),
        PreferenceRanker(LinearSVC(dual=False, tol=1e-12), features="both"),
        PreferenceRanker(DecisionTreeClassifier(random_state=0), features="both"),
        PreferenceRanker(GaussianNB(), features="concatenation"),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def rows(n=120, d=4, seed=0):
    return make_classification(n, d, n_informative=3, n_redundant=0, weights=[0.7], flip_y=0.1, random_state=seed)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=25), st.integers(0, 99))
def test_the_pairs_are_those_of_brute_force(items, seed):
    grades, groups = np.array(items).T
    pairs = mixed_pairs(grades, groups, rng=np.random.default_rng(seed))
    assert sorted(pairs.tolist()) == naive.mixed_pairs(grades, groups)
    within_budget = mixed_pairs(grades, groups, most=max(len(pairs), 1), rng=np.random.default_rng(seed))
    assert_array_equal(within_budget, pairs)


@given(st.integers(1, 25), st.integers(1, 25), st.data())
def test_a_budget_uses_every_row_of_a_class_equally_often_and_no_pair_twice(positives, negatives, data):
    most = data.draw(st.integers(1, positives * negatives))
    y = np.random.default_rng(positives).permutation(np.repeat([1, 0], [positives, negatives]))
    pairs = mixed_pairs(y, most=most, rng=np.random.default_rng(data.draw(st.integers(0, 99))))
    assert len({*map(tuple, pairs.tolist())}) == len(pairs) == most
    for column, label in enumerate((1, 0)):
        used = np.bincount(pairs[:, column], minlength=len(y))
        assert not used[y != label].any()
        assert np.ptp(used[y == label]) <= 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=40), st.data())
def test_a_budget_is_shared_out_to_grades_and_groups_by_their_pairs(items, data):
    grades, groups = np.array(items).T
    every = naive.mixed_pairs(grades, groups)
    assume(len(every) > 1)
    most = data.draw(st.integers(1, len(every) - 1))
    pairs = mixed_pairs(grades, groups, most=most, rng=np.random.default_rng(data.draw(st.integers(0, 99))))
    assert len({*map(tuple, pairs.tolist())}) == len(pairs) == most
    assert {*map(tuple, pairs.tolist())} <= {*map(tuple, every)}
    for cell in {*zip(groups.tolist(), grades.tolist(), strict=True)}:
        members = np.flatnonzero((groups == cell[0]) & (grades == cell[1]))
        used = np.bincount(pairs[:, 0], minlength=len(grades))[members]
        assert np.ptp(used) <= 1
        assert abs(used.sum() - most * sum(u in members for u, _ in every) / len(every)) < 1


def test_many_grades_are_all_met():
    """A thousand grades, one row each: the worse rows of the budget are spread over all of them."""
    pairs = mixed_pairs(np.arange(1000), most=2000, rng=np.random.default_rng(0))
    used = np.bincount(pairs.ravel(), minlength=1000)
    assert used.std() < 1.7  # by lot it would be 2, the root of their mean
    assert abs(np.mean(pairs[:, 1] / pairs[:, 0]) - 0.5) < 0.02


def test_rows_are_chosen_evenly_from_the_classes():
    classes = np.repeat([0, 1, 2], [50, 3, 20])
    chosen = evenly(classes, 23, np.random.default_rng(0))
    assert_array_equal(np.bincount(classes[chosen]), [10, 3, 10])
    assert len(np.unique(chosen)) == 23
    assert sorted(evenly(classes, 100, np.random.default_rng(0))) == list(range(73))


class Kept(ClassifierMixin, BaseEstimator):
    """A classifier that keeps its examples and prefers by a given function of both rows."""

    def __init__(self, prefer=None):
        self.prefer = prefer

    def fit(self, X, y, sample_weight=None):
        self.X_, self.y_, self.weight_, self.classes_ = X, y, sample_weight, np.unique(y)
        return self


class Predicting(Kept):
    def predict(self, X):
        return (self.prefer(*np.hsplit(X, 2)) > 0).astype(int)


class Deciding(Kept):
    def decision_function(self, X):
        return self.prefer(*np.hsplit(X, 2))


class Probable(Kept):
    def predict_proba(self, X):
        chance = expit(self.prefer(*np.hsplit(X, 2)))
        return np.column_stack((1 - chance, chance))


EVERY_KIND = pytest.mark.parametrize("kind", [Predicting, Deciding, Probable])


@pytest.mark.parametrize("features", FEATURES)
def test_every_pair_is_shown_in_both_orders_with_its_weight(features):
    X, y = rows(30)
    weights = np.random.default_rng(0).integers(1, 5, 30).astype(float)
    ranker = PreferenceRanker(Predicting(lambda u, v: u[:, 0]), features=features)
    seen = ranker.fit(X, y, sample_weight=weights).classifier_
    expected = []
    for u, v in np.argwhere(y[:, None] != y):
        row = {"difference": [X[u] - X[v]], "concatenation": [X[u], X[v]], "both": [X[u] - X[v], X[u], X[v]]}[features]
        expected.append([*np.concatenate(row), y[u] > y[v], weights[u] * weights[v]])
    shown = np.column_stack((seen.X_, seen.y_, seen.weight_))
    assert sorted(shown.tolist()) == sorted(np.array(expected).tolist())
    assert ranker.n_pairs_ == (y == 1).sum() * (y == 0).sum()


def test_weights_of_zero_and_two_are_rows_left_out_and_repeated():
    X, y = rows(60)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    repeated = np.repeat(np.arange(60), weights)
    for classifier in (LogisticRegression(), GaussianNB()):
        ranker = PreferenceRanker(classifier, features="both")
        by_weight = ranker.fit(X, y, sample_weight=weights).predict_proba(X)
        assert_allclose(by_weight, ranker.fit(X[repeated], y[repeated]).predict_proba(X), rtol=1e-6)


@EVERY_KIND
def test_a_classifier_that_knows_the_truth_ranks_without_a_fault(kind):
    """B-train: whichever way the classifier answers, and by every way of sorting."""
    y = np.random.default_rng(0).permutation(np.arange(40) % 2)
    X = np.arange(40.0)[:, None]
    knowing = kind(lambda u, v: np.subtract(*(y[z[:, 0].astype(int)] for z in (u, v))).astype(float))
    ranker = PreferenceRanker(knowing, features="concatenation").fit(X, y)
    assert auc(y, ranker.decision_function(X)) == 1
    assert_array_equal(ranker.predict(X), y)
    for method in ("quicksort", "averaged_quicksort", "degree", "greedy"):
        assert auc_loss(y, ranker.rank(X, method=method, seed=1)) == 0
    assert auc_loss(y, ranker.rank(X, method="window", budget=780, seed=1)) == 0


def test_the_row_of_the_table_of_theorems_holds():
    measured = auc_train.check(np.random.default_rng(0), 1)
    assert measured.passed
    assert measured.figure == 1


CLASSIFIERS = {
    "logistic": LogisticRegression(),
    "svm": SVC(kernel="rbf"),
    "forest": RandomForestClassifier(5, random_state=0),
    "bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(3),
    "boosted": HistGradientBoostingClassifier(max_iter=5),
}


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_preferences_of_both_orders_sum_to_one_exactly(name, features, monkeypatch):
    X, y = rows(40)
    ranker = PreferenceRanker(CLASSIFIERS[name], features=features).fit(X, y)
    U, V = X[::2], X[1::2]
    h, mirrored = ranker.preference(U, V), ranker.preference(V, U)
    assert all(Fraction(a) + Fraction(b) == 1 for a, b in zip(h.tolist(), mirrored.tolist(), strict=True))
    assert_array_equal(ranker.preference(U, U), np.full(20, 0.5))

    def chance(first, second):
        parts = {"difference": [first - second], "concatenation": [first, second]}
        seen = np.hstack(parts.get(features, [first - second, first, second]))
        model = ranker.classifier_
        return model.predict_proba(seen)[:, 1] if name != "svm" else expit(model.decision_function(seen))

    assert_allclose(h, (chance(U, V) + 1 - chance(V, U)) / 2, atol=1e-15)
    monkeypatch.setattr(pair_classifier, "CELLS", 100)
    assert_allclose(ranker.preference(U, V), h, atol=1e-15)


@EVERY_KIND
@given(st.lists(st.floats(-60, 60), min_size=2, max_size=8))
def test_preferences_are_exact_for_answers_of_any_size(kind, decisions):
    """h(u, v) + h(v, u) = 1 as fractions, and inside [0, 1], also where p is tiny or rounds to one."""
    table = np.resize(decisions, (9, 9))
    classifier = kind(lambda u, v: table[u[:, 0].astype(int), v[:, 0].astype(int)])
    X = np.arange(9.0)[:, None]
    ranker = PreferenceRanker(classifier, features="concatenation").fit(X, np.arange(9) % 2)
    u, v = (X[places.ravel()] for places in np.indices((9, 9)))
    h = ranker.preference(u, v).reshape(9, 9)
    assert ((h >= 0) & (h <= 1)).all()
    assert all(Fraction(h[i, j]) + Fraction(h[j, i]) == 1 for i, j in np.ndindex(9, 9))


def test_scores_are_the_mean_preference_over_both_classes_whatever_the_batch():
    X, y = rows(60)
    ranker = PreferenceRanker(TREE, features="both").fit(X, y)
    h = np.array([ranker.preference(X, np.tile(row, (60, 1))) for row in X]).T
    mean = (h[:, y == 1].mean(axis=1) + h[:, y == 0].mean(axis=1)) / 2
    scores = ranker.decision_function(X)
    assert_allclose(scores - ranker.intercept_, mean - 0.5, atol=1e-14)
    assert_array_equal(np.concatenate([ranker.decision_function(row[None]) for row in X]), scores)
    assert_array_equal(ranker.predict(X), (ranker.predict_proba(X)[:, 1] > 0.5).astype(int))


def test_many_rows_are_scored_against_some_of_each_class():
    X, y = rows(900)
    ranker = PreferenceRanker(TREE, features="both", pairs=2000).fit(X, y)
    assert len(ranker.references_) == 256
    known = {tuple(row): label for row, label in zip(X, y, strict=True)}
    classes = np.array([known[tuple(row)] for row in ranker.references_])
    assert_array_equal(np.bincount(classes), [128, 128])
    assert_allclose(ranker.shares_, 1 / 256)


def test_probabilities_are_calibrated_to_the_share_of_positives(monkeypatch):
    """Also where they are fitted to some rows, evenly drawn from classes that are not equally large."""
    X, y = rows(900)
    monkeypatch.setattr("ordain.learn.auc_train.CALIBRATED", 300)
    for classifier in (LogisticRegression(), TREE):
        chance = PreferenceRanker(classifier, features="both", pairs=5000).fit(X, y).predict_proba(X)[:, 1]
        assert chance.mean() == pytest.approx(y.mean(), abs=0.02)


@cache
def german_credit():
    table = pl.read_csv(files("ordain") / "data" / "german_credit.csv")
    X = table.drop("bad_risk").to_dummies(pl.selectors.string()).to_numpy().astype(float)
    return StandardScaler().fit_transform(X), table["bad_risk"].to_numpy()


@cache
def tournament():
    """Labels of 100 applicants, and what a tree trained on 400 others prefers among them: a cyclic tournament."""
    X, y = german_credit()
    chosen = np.random.default_rng(0).permutation(len(y))
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    ranker = PreferenceRanker(tree, features="both", pairs=5000).fit(X[chosen[:400]], y[chosen[:400]])
    test = chosen[400:500]
    first, second = np.indices((100, 100)).reshape(2, -1)
    h = ranker.preference(X[test][first], X[test][second]).reshape(100, 100)
    return ranker, X[test], y[test], 0.5 * (h > 0.5) + 0.5 * (h >= 0.5)


def test_quicksort_has_on_average_exactly_the_loss_of_the_preference():
    """Q-thm2 on real data and a preference that goes in circles."""
    ranker, X, y, h = tournament()
    assert ranker.cyclicity(X, seed=0).low > 0.01
    losses = [auc_loss(y, play(quicksort(100, np.random.default_rng(seed)), from_matrix(h))) for seed in range(400)]
    error = np.std(losses) / 20
    assert abs(np.mean(losses) - auc_loss(y, h)) < 3 * error < 0.02
    for seed in range(3):  # the same sort by the ranker itself
        assert auc_loss(y, ranker.rank(X, seed=seed)) == losses[seed]


def test_degree_loses_at_most_twice_as_much_as_the_preference():
    """B-thm1 on real data, and where a random forest is as wrong as it is when trained on noise."""
    ranker, X, y, h = tournament()
    order = ranker.rank(X, method="degree", seed=0)
    assert auc_loss(y, order) <= 2 * auc_loss(y, h)
    assert_array_equal(order, play(degree(100, np.random.default_rng(0)), from_matrix(h)))


def test_probabilities_are_rounded_before_sorting():
    """Answers of 0.6 that agree with an order are that order, not coins."""
    X = np.arange(30.0)[:, None]
    slight = Probable(lambda u, v: 0.4 * np.sign(u - v)[:, 0])
    ranker = PreferenceRanker(slight, features="concatenation").fit(X, np.arange(30) > 14)
    for seed in range(5):
        assert_array_equal(ranker.rank(X, seed=seed), np.arange(30)[::-1])


def test_a_budget_of_comparisons_is_kept():
    ranker, X, _, _ = tournament()
    order = ranker.rank(X, budget=50, seed=0)
    assert sorted(order) == list(range(100))
    assert_array_equal(order, ranker.rank(X, budget=50, seed=0))


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize(
    "classifier", [LogisticRegression(), LinearSVC(), RidgeClassifier(), SVC(kernel="linear"), LinearRanker()], ids=str
)
def test_a_linear_classifier_is_a_scorer_and_asks_for_no_comparison(classifier, features, monkeypatch):
    """B-scorer: the order of DEGREE, from one score per row."""
    X, y = rows(60)
    ranker = PreferenceRanker(classifier, features=features).fit(X, y)
    first, second = np.indices((60, 60)).reshape(2, -1)
    h = ranker.preference(X[first], X[second]).reshape(60, 60)
    wins = (h > 0.5).sum(axis=1)
    assert sorted(wins) == list(range(60))
    monkeypatch.setattr("ordain.learn.auc_train.answers", None)
    for method in ("quicksort", "degree"):
        assert_array_equal(ranker.rank(X, method=method), np.argsort(-wins))
    assert_array_equal(np.argsort(-ranker.decision_function(X)), np.argsort(-wins))


class Curved(Kept):
    """Claims to be linear and is not."""

    def decision_function(self, X):
        self.coef_, self.intercept_ = np.ones((1, X.shape[1])), np.zeros(1)
        return X.sum(axis=1) ** 3


class Contrary(Curved):
    """Decides linearly, but gives the higher probability to the other class."""

    def decision_function(self, X):
        return np.cbrt(super().decision_function(X))

    def predict_proba(self, X):
        chance = expit(self.decision_function(X))
        return np.column_stack((chance, 1 - chance))


@pytest.mark.parametrize("classifier", [TREE, SVC(), KNeighborsClassifier(), Curved(), Contrary()], ids=str)
def test_what_is_not_linear_is_not_taken_for_a_scorer(classifier):
    X, y = rows(60)
    if isinstance(classifier, Curved):
        classifier.coef_, classifier.intercept_ = np.ones((1, 4)), np.zeros(1)
        assert (
            pair_classifier.direction(classifier, X, mixed_pairs(y, rng=np.random.default_rng(0)), FEATURES[0]) is None
        )
    else:
        assert PreferenceRanker(classifier, features="both").fit(X, y).direction_ is None
        assert PreferenceRanker(classifier).fit(X[:, :1], y).direction_ is None


def test_equal_scores_are_ordered_by_lot():
    X, y = np.arange(40.0)[:, None] // 20, np.arange(40) % 4 > 1
    ranker = PreferenceRanker().fit(X + 0.1 * y[:, None], y)
    orders = {tuple(ranker.rank(np.zeros((5, 1)), seed=seed)) for seed in range(20)}
    assert len(orders) > 5
    assert_array_equal(ranker.rank(X, seed=3), ranker.rank(X, seed=3))


def test_the_share_of_circles_is_that_of_all_triples():
    ranker, X, _, h = tournament()
    found = ranker.cyclicity(X[:40], triples=4000, seed=0)
    assert found.low < naive.circles(h[:40, :40]) < found.high
    assert found.high - found.low < 0.04


def test_stone_paper_and_scissors_go_in_a_circle_and_a_scorer_does_not():
    X, y = np.arange(3.0)[:, None], [0, 1, 1]
    game = Deciding(lambda u, v: np.where((u - v) % 3 == 1, 1.0, np.where(u == v, 0, -1))[:, 0])
    found = PreferenceRanker(game, features="concatenation").fit(X, y).cyclicity(X, triples=10, seed=0)
    assert (found.part, found.of) == (10, 10)
    X, y = rows(60)
    assert PreferenceRanker().fit(X, y).cyclicity(X, triples=100, seed=0).part == 0
    with pytest.raises(ValueError, match="three rows"):
        PreferenceRanker().fit(X, y).cyclicity(X[:2])


def test_groups_and_grades_are_learned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    groups = np.arange(200) // 8
    grades = np.digitize(X @ [1, -1, 0.5] + 5 * rng.normal(size=25)[groups] + 0.3 * rng.normal(size=200), [-2, 0, 2])
    ranker = PreferenceRanker(graded=True).fit(X, grades, groups=groups)
    assert ranker.n_pairs_ == len(naive.mixed_pairs(grades, groups))
    assert auc(grades, ranker.decision_function(X), graded=True, groups=groups) > 0.9
    with pytest.raises(ValueError, match="predict needs two classes"):
        ranker.predict(X)


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("classifier", [LogisticRegression(tol=1e-9, max_iter=1000), TREE], ids=str)
def test_sparse_tables_give_what_dense_ones_give(classifier, features):
    X, y = rows(60)
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense, thin = (PreferenceRanker(classifier, features=features).fit(Z, y) for Z in (X, sparse.csr_array(X)))
    assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), rtol=1e-6)
    assert_allclose(thin.preference(X[:9], sparse.csr_array(X[9:18])), dense.preference(X[:9], X[9:18]), rtol=1e-6)
    assert_array_equal(thin.rank(sparse.csr_array(X), seed=0), dense.rank(X, seed=0))


def test_missing_values_are_for_the_classifier_to_take():
    X, y = rows(100)
    X[::7, 0] = np.nan
    boosted = PreferenceRanker(HistGradientBoostingClassifier(max_iter=20), features="both").fit(X, y)
    assert auc(y, boosted.decision_function(X)) > 0.8
    with pytest.raises(ValueError, match="contains NaN"):
        PreferenceRanker().fit(X, y)


def test_works_where_scikit_learn_estimators_do():
    X, y = rows(100)
    pipeline = make_pipeline(StandardScaler(), PreferenceRanker(TREE, features="both", pairs=500))
    assert cross_val_score(pipeline, X, y, scoring="roc_auc", cv=3).mean() > 0.6
    grid = {"classifier__C": [0.01, 1], "features": ["difference", "both"]}
    search = GridSearchCV(PreferenceRanker(LogisticRegression()), grid, scoring="roc_auc", cv=3)
    assert search.fit(X, y).best_score_ > 0.6


@pytest.mark.filterwarnings("ignore:the solver must reach")  # where the hinge bends there is no gradient of zero
@pytest.mark.parametrize(("loss", "power", "apart"), [("squared_hinge", 2, 1e-12), ("hinge", 1, 1e-5)])
def test_the_linear_ranker_with_hinges_is_ranksvm(loss, power, apart):
    """Σ over examples of C ℓ + ½‖w‖² is, over 2C times the pairs, the mean of ℓ and α/2 ‖w‖² with α = 1/(2C pairs)."""
    X, y = rows(60)
    pairs = int((y == 1).sum() * (y == 0).sum())
    svm = LinearSVC(loss=loss, C=1 / (2 * 0.1 * pairs), fit_intercept=False, tol=1e-8, max_iter=10**6)
    theirs = PreferenceRanker(svm.set_params(dual=loss == "hinge")).fit(X, y).direction_
    ours = LinearRanker(loss, alpha=0.1, tol=1e-9).fit(X, y).coef_[0]

    def objective(w):
        margins = (X[y == 1] @ w)[:, None] - X[y == 0] @ w
        return (np.maximum(1 - margins, 0) ** power).mean() + 0.05 * w @ w

    assert objective(ours) == pytest.approx(objective(theirs), abs=apart)
    assert_allclose(ours, theirs, atol=np.sqrt(10 * apart))  # the objective is 0.1-strongly convex


def test_plug_in_ranking_is_the_order_of_the_class_probabilities():
    X, y = german_credit()
    theirs = LogisticRegression(C=1 / (0.01 * len(y)), tol=1e-10, max_iter=1000).fit(X, y)
    ours = LinearRanker(reduction="pointwise", alpha=0.01).fit(X, y)
    assert_array_equal(np.argsort(ours.decision_function(X)), np.argsort(theirs.predict_proba(X)[:, 1]))


WRONG = {
    "features must be": PreferenceRanker(features="sum"),
    "pairs must be a whole number": PreferenceRanker(pairs=0),
}


@pytest.mark.parametrize(("message", "ranker"), WRONG.items(), ids=WRONG)
def test_wrong_settings_get_one_line(message, ranker):
    with pytest.raises(ValueError, match=message):
        ranker.fit(*rows(30))


def test_what_cannot_be_done_is_said():
    X, y = rows(30)
    with pytest.raises(ValueError, match=r"something the classifier takes. Got KNeighborsClassifier"):
        PreferenceRanker(KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(30))
    with pytest.raises(ValueError, match="a group must have rows of different classes"):
        PreferenceRanker().fit(X, y, groups=y)
    ranker = PreferenceRanker().fit(X, y)
    with pytest.raises(ValueError, match="U and V must have as many rows"):
        ranker.preference(X[:3], X[:2])
    with pytest.raises(ValueError, match="method must be one of"):
        ranker.rank(X, method="bubble")


def test_the_example_runs(capsys):
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "auc_train.py"), run_name="__main__")
    assert "of QuickSort, 100 times: 0.2" in capsys.readouterr().out


def test_the_random_state_is_what_scikit_learn_takes():
    X, y = rows(400)
    few = {"pairs": 50}
    first = PreferenceRanker(TREE, random_state=1, **few).fit(X, y).decision_function(X)
    assert_array_equal(first, PreferenceRanker(TREE, random_state=1, **few).fit(X, y).decision_function(X))
    for other in (2, np.random.RandomState(1), None):
        drawn = PreferenceRanker(TREE, random_state=other, **few).fit(X, y).decision_function(X)
        assert not np.array_equal(first, drawn)
    with pytest.raises(ValueError, match="cannot be used to seed"):
        PreferenceRanker(TREE, random_state="dice", **few).fit(X, y)
    with pytest.raises(TypeError, match="seed"):
        PreferenceRanker(TREE, seed=1)
