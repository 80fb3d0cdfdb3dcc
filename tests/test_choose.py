"""Choosing between models: folds, differences and the rule, against computations by hand."""

import sys

import numpy as np
import polars as pl
import pytest
import xgboost
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from ordain.learn.candidates import Candidate, candidates
from ordain.learn.choose import FOLDS, Choice, Difference, Rows, Trial, choose, fitted, steps
from ordain.learn.goal import Goal
from ordain.learn.kinds import ranker_class


def table(n=300, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    city = rng.choice(["Oslo", "Rome", "Bonn"], n)
    y = x + (city == "Rome") + noise * rng.logistic(size=n) > 0.5
    return Rows(pl.DataFrame({"x": x, "z": z, "city": city}), y)


def trial(name, goal, seconds=1.0):
    return Trial(Candidate("linear", name), np.array(goal), np.array(goal), None, seconds)


def test_goals_are_read_and_measured():
    labels, scores = np.array([1, 0, 1, 0, 0, 0, 0, 0, 0, 0]) > 0, np.arange(10.0)[::-1]
    assert Goal.parse("auc").of(labels, scores, 10) == pytest.approx(roc_auc_score(labels, scores))
    assert Goal.parse("top:2").of(labels, scores, 10) == 0.5
    assert Goal.parse("top:2").of(labels, scores, 20) == 1.0  # as large a share of these rows as 2 of 20
    assert Goal.parse("top:30%").of(labels, scores, 10) == pytest.approx(2 / 3)
    assert Goal.parse("pauc:1").of(labels, scores, 10) == pytest.approx(roc_auc_score(labels, scores))


@pytest.mark.parametrize(
    "text", ["", "AUC", "top", "top:0", "top:-1", "top:1.5", "top:101%", "top:0%", "pauc:0", "pauc:2"]
)
def test_other_goals_are_refused(text):
    with pytest.raises(ValueError, match="the goal must be auc"):
        Goal.parse(text)


def test_goals_of_a_list_need_one_list():
    rows = table()
    weighted = Rows(rows.features, rows.labels, weights=np.ones(len(rows)))
    with pytest.raises(ValueError, match="needs one unweighted list"):
        choose(weighted, candidates(model="linear"), Goal.parse("top:1%"))


def test_the_top_of_a_list_is_shorter_than_the_list():
    rows = table()
    with pytest.raises(ValueError, match=f"must be fewer than the rows. Got a table of {len(rows)}"):
        choose(rows, candidates(model="linear"), Goal.parse(f"top:{len(rows)}"))


def test_differences_have_the_interval_of_overlapping_training_rows():
    a, b = [0.8, 0.7, 0.9, 0.75, 0.85], [0.7, 0.7, 0.8, 0.7, 0.7]
    apart = np.subtract(a, b)
    found = Difference.between(trial("pairwise", a), trial("pointwise", b))
    assert found.mean == pytest.approx(apart.mean())
    assert found.error == pytest.approx(stats.sem(apart))
    half = stats.t.ppf(0.975, 4) * apart.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert (found.low, found.high) == pytest.approx((apart.mean() - half, apart.mean() + half))


def test_the_simplest_that_is_not_beaten_by_a_standard_error_is_picked():
    best = trial("pairwise", [0.80, 0.82, 0.84, 0.86])
    level = trial("balanced", [0.83, 0.80, 0.85, 0.82])  # 0.005 below on average, standard error 0.0155
    beaten = trial("pointwise", [0.79, 0.80, 0.82, 0.84])
    choice = Choice(Goal("auc"), [beaten, level, best], 100)
    assert choice.best is best
    assert choice.picked is level
    assert "balanced is the simplest that it does not beat" in str(choice)
    assert Choice(Goal("auc"), [beaten, best], 100).picked is best
    assert "every simpler one is beaten" in str(Choice(Goal("auc"), [beaten, best], 100))


def test_folds_are_the_same_for_all_and_figures_are_of_rows_not_fitted_to():
    rows, seen = table(), []
    tried = candidates(model="linear", reduction="pointwise") * 2
    choice = choose(rows, tried, Goal.parse("auc"), seed=3, report=seen.append)
    first, second = choice.trials
    assert (first.goal == second.goal).all()
    assert choice.picked is first
    assert len(seen) == steps(rows, tried) == 2 * len(first.goal)
    assert len(first.goal) == 2 * FOLDS
    assert 0.6 < first.auc.mean() < 0.9


@pytest.mark.parametrize(
    ("rows", "outside", "rounds"), [(400, 200, 2), (5000, 299, 2), (5000, 300, 1), (5000, 4701, 2), (100_000, 500, 2)]
)
def test_folds_are_drawn_twice_where_a_class_is_small(rows, outside, rounds):
    table = Rows(pl.DataFrame({"x": np.arange(rows)}), np.arange(rows) < outside)
    assert steps(table, candidates(model="linear", reduction="pointwise")) == rounds * FOLDS


def test_training_rows_alone_are_not_what_is_measured():
    """Labels drawn by lot: rows that were fitted to would look better than chance."""
    rng = np.random.default_rng(0)
    rows = Rows(pl.DataFrame({f"x{k}": rng.normal(size=200) for k in range(40)}), rng.random(200) < 0.5)
    tried = candidates(model="linear", reduction="pointwise") * 2
    assert abs(choose(rows, tried, Goal.parse("auc")).best.auc.mean() - 0.5) < 0.08


ODDS = {
    "linear": lambda X: 1.2 * X[:, 0] + X[:, 1] - X[:, 2],
    "boosted": lambda X: 2.5 * np.sign(X[:, 0] * X[:, 1]) + 0.5 * X[:, 2],
}


@pytest.mark.parametrize("model", ODDS)
def test_what_is_picked_is_of_the_right_kind_and_ranks_as_well_as_four_classifiers(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5600, 8))
    y = ODDS[model](X) + rng.logistic(size=5600) > 0
    rows = Rows(pl.DataFrame(X[:600], [f"x{k}" for k in range(8)], orient="row"), y[:600])
    picked = choose(rows, candidates(reduction="balanced"), Goal.parse("auc")).picked.candidate
    assert picked.model == model
    preparation, ranker = fitted(picked, rows, 0)
    fresh = preparation.matrix(pl.DataFrame(X[600:], rows.features.columns, orient="row"), picked.model)
    found = roc_auc_score(y[600:], ranker.decision_function(fresh))
    trees = HistGradientBoostingClassifier(random_state=0), xgboost.XGBClassifier(n_jobs=1)
    for other in (LogisticRegression(), LogisticRegression(class_weight="balanced"), *trees):
        assert found >= roc_auc_score(y[600:], other.fit(X[:600], y[:600]).predict_proba(X[600:])[:, 1]) - 0.005


def test_groups_stay_together():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 5)
    shared = rng.normal(size=40)[groups]  # tells the group; its label means nothing elsewhere
    rows = Rows(pl.DataFrame({"shared": shared, "x": rng.normal(size=200)}), rng.random(200) < 0.5, groups=groups)
    tried = candidates(model="linear", grouped=True, push=1) * 2
    choice = choose(rows, tried, Goal.parse("auc"))
    assert np.isfinite(choice.best.goal).all()


def test_what_is_tried_follows_from_the_settings():
    def names(**options):
        return [candidate.name for candidate in candidates(**options)]

    assert names(model="linear") == ["linear balanced", "linear pointwise", "linear pairwise", "linear push 4"]
    assert names(model="boosted", reduction="balanced") == ["boosted balanced"]
    assert names(model="linear", push=2) == ["linear push 2"]
    assert names(model="linear", graded=True) == ["linear pairwise"]
    assert names(model="linear", grouped=True, loss="exponential") == ["linear pairwise, exponential"]
    assert names()[:4] == names(model="linear")
    assert names()[4:6] == ["boosted pointwise", "boosted balanced"]
    assert len(names()) == 8
    with pytest.raises(ValueError, match="need pairs"):
        candidates(reduction="pointwise", graded=True)


def test_the_preparation_is_learned_from_the_same_rows():
    rows = table(50)
    preparation, ranker = fitted(Candidate("boosted", "pairwise"), rows, 0)
    assert preparation.names == ["x", "z", "city"]
    assert ranker.categorical == [2]
    assert ranker.decision_function(preparation.matrix(rows.features, "boosted")).shape == (50,)


def test_without_xgboost_only_linear_models_are_tried(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    monkeypatch.setattr("ordain.learn.candidates.find_spec", lambda name: None)
    assert [candidate.model for candidate in candidates()] == ["linear"] * 4
    with pytest.raises(ValueError, match=r"needs XGBoost.*pip install"):
        candidates(model="boosted")


def test_a_ranker_that_is_not_installed_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "ordain.learn.boosted", None)
    with pytest.raises(ValueError, match=r"ordain\.learn\.boosted"):
        ranker_class("BoostedRanker")
