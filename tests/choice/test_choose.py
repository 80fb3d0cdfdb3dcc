"""Choosing between models: folds, differences and the rule, against computations by hand."""

import json
import sys
import warnings

import numpy as np
import polars as pl
import pytest
import xgboost
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from ordain.choice.candidates import Candidate, Manner, candidates
from ordain.choice.choose import COMPARED_ROWS, FOLDS, choose, fitted, steps
from ordain.choice.compared import Choice, Difference, Trial
from ordain.choice.fold import Fold
from ordain.choice.goal import Goal, precision
from ordain.commands.fit import print_choice
from ordain.losses import LOSSES, PAIRINGS
from ordain.measure import ndcg
from ordain.model import Model
from ordain.rows.folds import folds
from ordain.rows.record import Rows


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
    "text",
    [
        "",
        "AUC",
        "top",
        "top:0",
        "top:-1",
        "top:1.5",
        "top:101%",
        "top:0%",
        "pauc:0",
        "pauc:2",
        "ndcg",
        "ndcg:0",
        "ndcg:5%",
    ],
)
def test_other_goals_are_refused(text):
    with pytest.raises(ValueError, match="the goal must be auc"):
        Goal.parse(text)


def test_a_goal_may_be_the_ndcg_of_the_first_of_each_group():
    rng = np.random.default_rng(0)
    grades, scores, groups = rng.integers(0, 4, 60), rng.normal(size=60), rng.integers(0, 9, 60)
    goal = Goal.parse("ndcg:3")
    assert str(goal) == "NDCG@3"
    assert goal.of(grades, scores, 999, weights=None, groups=groups, graded=True) == ndcg(
        grades, scores, 3, groups=groups
    )
    assert goal.of(grades > 1, scores, 999, groups=groups, graded=False) == ndcg(grades > 1, scores, 3, groups=groups)
    assert goal.of(grades, scores, 999, graded=True) == ndcg(grades, scores, 3)


def test_rows_drawn_from_one_list_count_as_often_as_they_stand_for_rows():
    rng = np.random.default_rng(0)
    grades, scores, times = rng.integers(0, 4, 60), rng.normal(size=60), rng.integers(1, 9, 60)
    found = Goal.parse("ndcg:10").of(grades, scores, 999, weights=1.5 * times, groups=None, graded=True)
    assert found == pytest.approx(ndcg(np.repeat(grades, times), np.repeat(scores, times), 10))
    uneven = np.where(np.arange(60) < 3, 1e-9, 1e9)
    assert Goal.parse("ndcg:10").of(grades, scores, 999, weights=uneven, graded=True) > 0


def queries(rows, **more):
    return Rows(rows.features, rows.labels, groups=np.arange(len(rows)) // 10, **more)


def test_models_are_chosen_by_ndcg():
    rows = queries(table())
    choice = choose(rows, candidates(model="linear", grouped=True), Goal.parse("ndcg:5"))
    assert choice.as_json()["goal"] == "NDCG@5"
    assert 0.5 < choice.best.goal.mean() < 1
    assert choice.best.goal.mean() != choice.best.auc.mean()


def test_ndcg_needs_grades_or_groups_and_no_weights():
    rows, goal = table(), Goal.parse("ndcg:10")
    with pytest.raises(ValueError, match=r"^NDCG@10 needs grades or groups\. Got one list of two classes\. Use top:10"):
        choose(rows, candidates(model="linear"), goal)
    for graded in (True, False):
        with pytest.raises(ValueError, match=r"^NDCG@10 needs rows that weigh the same\. Got weights\. Use auc\.$"):
            goal.check(300, graded=graded, parted=True, weighted=True)
    weights = np.ones(len(rows))
    for weighted in (queries(rows, weights=weights), Rows(rows.features, rows.labels, weights=weights)):
        with pytest.raises(ValueError, match="needs rows that weigh the same"):
            choose(weighted, candidates(model="linear", grouped=True), goal)
    goal.check(300, graded=True, parted=False)
    goal.check(300, graded=False, parted=True)


def test_a_mistyped_ndcg_is_understood():
    with pytest.raises(ValueError, match=r"or ndcg:10, numbers as you like\. Got 'ndgc:7'.*ndcg:7"):
        Goal.parse("ndgc:7")


def test_goals_of_a_list_need_one_list():
    rows = table()
    weighted = Rows(rows.features, rows.labels, weights=np.ones(len(rows)))
    with pytest.raises(ValueError, match="needs one unweighted list"):
        choose(weighted, candidates(model="linear"), Goal.parse("top:1%"))


def test_the_top_of_a_list_is_shorter_than_the_list():
    rows = table()
    with pytest.raises(ValueError, match=f"must be fewer than the rows. Got a table of {len(rows)}"):
        choose(rows, candidates(model="linear"), Goal.parse(f"top:{len(rows)}"))


def test_differences_have_the_standard_error_and_interval_of_overlapping_training_rows():
    apart = np.array([0.1, 0.0, 0.1, 0.05, 0.15, 0.02])
    found = Difference.of(apart, folds=3)
    assert found.mean == pytest.approx(apart.mean())
    assert found.error == pytest.approx(apart.std(ddof=1) * np.sqrt(1 / 6 + 1 / 2))
    low, high = stats.t.interval(0.95, 5, apart.mean(), found.error)
    assert (found.low, found.high) == pytest.approx((low, high))


def choice(*goals, rounds=1):
    """Made-up figures, the simplest first."""
    names = ["balanced", "pointwise", "pairwise", "push"]
    trials = [trial(name, goal) for name, goal in zip(names, goals, strict=False)]
    return Choice(Goal("auc"), trials, 100, np.repeat(np.arange(rounds), len(goals[0]) // rounds))


figures = st.builds(
    lambda count, seed: np.random.default_rng(seed).normal(0.8, 0.1, (count, 6)),
    st.integers(2, 4),
    st.integers(0, 10**9),
)


@given(figures, st.sampled_from([1, 2]))
def test_below_the_best_is_below_what_the_other_folds_of_the_round_prefer(goals, rounds):
    found, size = choice(*goals, rounds=rounds), 6 // rounds
    reference = []
    for k in range(6):
        others = [j for j in range(6) if j != k and j // size == k // size]
        means = [sum(goal[j] for j in others) for goal in goals]
        reference.append(goals[means.index(max(means))][k])
    for of, goal in zip(found.trials, goals, strict=True):
        apart = np.subtract(reference, goal)
        assert found.above(of).mean == pytest.approx(apart.mean(), abs=1e-9)
        assert found.above(of).error == pytest.approx(apart.std(ddof=1) * np.sqrt(1 / 6 + 1 / (size - 1)))


@given(figures, st.sampled_from([1, 2]))
def test_a_pick_is_never_outscored_by_a_simpler_one_and_the_sentence_has_the_figures_of_the_interval(goals, rounds):
    found = choice(*goals, rounds=rounds)
    place, means = found.trials.index(found.picked), [np.mean(goal) for goal in goals]
    assert means[place] > max(means[:place], default=0)
    for simpler in found.trials[:place]:  # below by more than half a standard error, or outscored
        apart, before = found.above(simpler), means[: found.trials.index(simpler)]
        assert apart.mean > apart.error / 2 or max(before) >= np.mean(simpler.goal)
    apart = found.above(found.picked)
    if found.picked is not found.best:
        assert apart.mean <= apart.error / 2
        assert f"({apart.mean:.4f}, standard error {apart.error:.4f})" in str(found)
    assert "beat" not in str(found)


def test_the_simplest_within_half_a_standard_error_is_picked():
    best = np.array([0.80, 0.82, 0.84, 0.86, 0.82])
    level = best - [0.02, 0.02, -0.02, 0, 0.005]  # 0.005 below on average, standard error 0.011
    below = best - [0.01, 0.01, 0.01, 0.01, 0.02]
    found = choice(below, level, best)
    assert found.best is found.trials[2]
    assert found.picked is found.trials[1]
    assert "pointwise is the simplest that is below by at most half a standard error" in str(found)
    found = choice(below, best)
    assert found.picked is found.best is found.trials[1]
    assert "each simpler one is below by more than half a standard error" in str(found)
    assert "is the simplest: it is picked" in str(choice(best, below))


def test_one_that_a_simpler_one_outscores_is_passed_over():
    """The simplest is below the best with a tiny standard error, the next one with a large: it is still worse."""
    simplest, best = np.full(6, 0.7063) + 1e-4 * np.arange(6), np.full(6, 0.71)
    worse = 0.7028 + 0.03 * np.array([1, -1, 1, -1, 1, -1])
    found = choice(simplest, worse, best)
    assert found.above(found.trials[1]).mean <= found.above(found.trials[1]).error / 2
    assert found.picked is found.best


def test_below_the_best_is_unbiased_where_the_best_is_by_luck():
    """Eight candidates of the same worth: the best is ahead by luck alone, and the figure says so."""
    rng, ahead, naive = np.random.default_rng(0), [], []
    for _ in range(400):
        trials = [trial(f"c{k}", rng.normal(size=10)) for k in range(8)]
        found = Choice(Goal("auc"), trials, 100, np.repeat([0, 1], 5))
        ahead.append(np.mean([found.above(of).mean for of in trials]))
        naive.append(np.mean([found.best.goal.mean() - of.goal.mean() for of in trials]))
    assert abs(np.mean(ahead)) < 3 * stats.sem(ahead)
    assert np.mean(naive) > 0.3


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
    ("rows", "outside", "rounds"), [(400, 200, 2), (5000, 299, 2), (5000, 300, 1), (5000, 4701, 2), (100_000, 299, 2)]
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
    picked = choose(rows, candidates(reduction="balanced"), Goal.parse("auc")).picked
    assert picked.candidate.model == model
    preparation, ranker = fitted(picked, rows, 0)
    fresh = preparation.matrix(pl.DataFrame(X[600:], rows.features.columns, orient="row"), model)
    found = roc_auc_score(y[600:], ranker.decision_function(fresh))
    trees = HistGradientBoostingClassifier(random_state=0), xgboost.XGBClassifier(n_jobs=1)
    for other in (LogisticRegression(), LogisticRegression(class_weight="balanced"), *trees):
        assert found >= roc_auc_score(y[600:], other.fit(X[:600], y[:600]).predict_proba(X[600:])[:, 1]) - 0.005


@pytest.mark.parametrize("unit", ["groups", "clusters"])
def test_groups_and_clusters_stay_together(unit, monkeypatch):
    seen = []

    class Seen(Fold):
        def __init__(self, rows, train, test):
            seen.append(tuple(set(getattr(rows, unit)[part].tolist()) for part in (train, test)))
            super().__init__(rows, train, test)

    monkeypatch.setattr("ordain.choice.trials.Fold", Seen)
    rng = np.random.default_rng(0)
    of = rng.permutation(np.repeat(np.arange(40), 5))
    rows = Rows(pl.DataFrame({"x": rng.normal(size=200)}), rng.random(200) < 0.5, **{unit: of})
    choice = choose(rows, candidates(model="linear", grouped=unit == "groups", push=1), Goal.parse("auc"))
    assert len(seen) == len(choice.best.goal) >= FOLDS
    assert all(train | test == set(range(40)) and not train & test for train, test in seen)


def test_what_is_tried_follows_from_the_settings():
    def names(**options):
        return [candidate.name for candidate in candidates(**options)]

    assert names(model="linear") == ["linear balanced", "linear pointwise", "linear pairwise"]
    assert names(model="linear", at_top=True) == [*names(model="linear"), "linear push 4"]
    assert names(model="boosted", reduction="balanced") == ["boosted balanced"]
    assert names(model="linear", push=2) == ["linear push 2"]
    assert names(model="linear", graded=True) == ["linear pairwise"]
    assert names(model="linear", grouped=True, loss="exponential", quick=True) == ["linear pairwise, exponential"]
    assert names()[:3] == names(model="linear")
    assert names()[3:] == ["boosted pointwise", "boosted pairwise"]
    assert names(at_top=True)[4:] == ["boosted pointwise", "boosted pairwise", "boosted push 4"]
    assert names(quick=True) == ["linear balanced", "boosted pointwise"]
    assert names(model="boosted", push=3) == ["boosted push 3"]
    assert names(model="linear", grouped=True) == ["linear pairwise", "linear pairwise across groups"]
    with pytest.raises(ValueError, match="need pairs"):
        candidates(reduction="pointwise", graded=True)


@pytest.mark.parametrize("loss", sorted({*LOSSES, *PAIRINGS}))
@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_a_loss_is_tried_where_it_can_be(loss, model):
    """What is left out is what the ranker refuses."""
    tried = {candidate.reduction for candidate in candidates(model=model, loss=loss)}
    tried |= {"balanced"} if "pointwise" in tried else set()  # of trees only where asked for
    X, y = np.arange(8.0)[:, None], np.arange(8) % 3 == 0
    for reduction in ("pairwise", "balanced", "pointwise"):
        ranker = Candidate(model, reduction, loss).ranker((8, 1), [], 0, Manner(6))
        if reduction in tried:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                assert np.isfinite(ranker.fit(X, y).decision_function(X)).all()
        else:
            with pytest.raises(ValueError, match=r"loss must be|needs a margin loss"):
                ranker.fit(X, y)
            with pytest.raises(ValueError, match=f"the {loss} loss is for"):
                candidates(model=model, loss=loss, reduction=reduction)


def test_a_loss_that_only_some_reductions_have_is_compared_among_these():
    found = choose(table(60), candidates(loss="hinge", push=1), Goal.parse("auc"))
    assert [of.candidate.name for of in found.trials] == ["linear pairwise, hinge", "boosted pairwise, hinge"]
    with pytest.raises(ValueError, match="the spherical loss is for rows, not for pairs"):
        candidates(loss="spherical", grouped=True)


@pytest.mark.parametrize(
    ("loss", "guess"), [("logistc", "logistic"), ("Hinge", "hinge"), ("exponentail", "exponential")]
)
def test_a_loss_that_does_not_exist_is_one_line_with_a_guess(loss, guess):
    with pytest.raises(ValueError, match=rf"loss must be one of .* Got '{loss}'\. Did you mean '{guess}'") as caught:
        candidates(loss=loss)
    assert "\n" not in str(caught.value)


def test_the_preparation_is_learned_from_the_same_rows():
    rows = table(50)
    preparation, ranker = fitted(Trial(Candidate("boosted", "pairwise"), manner=Manner(6)), rows, 0)
    assert preparation.names == ["x", "z", "city"]
    assert ranker.categorical == [2]
    assert ranker.decision_function(preparation.matrix(rows.features, "boosted")).shape == (50,)


def test_without_xgboost_only_linear_models_are_tried(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    monkeypatch.setattr("ordain.choice.candidates.find_spec", lambda name: None)
    assert [candidate.model for candidate in candidates()] == ["linear"] * 3
    with pytest.raises(ValueError, match=r"needs XGBoost.*pip install"):
        candidates(model="boosted")


def few(positives, negatives, seed=0, **more):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(positives + negatives) < positives)
    x, z = rng.normal(size=(2, len(y)))
    return Rows(pl.DataFrame({"x": x + y, "z": z, "city": rng.choice(["Oslo", "Rome"], len(y))}), y, **more)


FEW_POSITIVES = [(3, 3), (4, 4), (5, 5), (6, 5), (24, 5)]


@pytest.mark.parametrize(
    ("positives", "count", "model"),
    [*((*few, "linear") for few in FEW_POSITIVES), *((*few, "boosted") for few in FEW_POSITIVES[::2])],
)
def test_folds_never_outnumber_the_rarer_class(positives, count, model):
    rows = few(positives, 24)
    tried, seen = candidates(model=model, reduction="pairwise"), []
    found = choose(rows, tried, Goal.parse("auc"), report=seen.append)
    assert found.folds == count and len(found.rounds) == 2 * count == len(found.best.goal)
    assert len(seen) == steps(rows, tried)


HALVES = np.round(4 * np.random.default_rng(0).normal(size=30)) / 2
TABLES = {
    "half stars": {"labels": HALVES, "graded": True},
    "real grades": {"labels": np.random.default_rng(1).normal(size=30), "graded": True},
    "three groups": {"labels": np.arange(30) % 3 == 0, "groups": np.arange(30) // 10},
    "three groups of grades": {"labels": HALVES, "groups": np.arange(30) // 10, "graded": True},
    "five persons": {"labels": np.arange(30) % 3 == 0, "clusters": np.repeat(list("abcde"), 6)},
    "persons in groups": {
        "labels": np.arange(30) % 3 == 0,
        "groups": np.arange(30) // 5,
        "clusters": np.arange(30) // 10,
    },
    "weights of nothing": {"labels": np.arange(30) % 3 == 0, "weights": (np.arange(30) % 2).astype(float)},
}


@pytest.mark.parametrize("name", TABLES)
def test_few_rows_groups_persons_and_real_grades_are_compared(name):
    options = TABLES[name]
    rng = np.random.default_rng(2)
    rows = Rows(pl.DataFrame({"x": rng.normal(size=30) + options["labels"], "z": rng.normal(size=30)}), **options)
    tried = candidates(graded=rows.graded, grouped=rows.groups is not None)
    found = choose(rows, tried, Goal.parse("auc"))
    assert found.folds == (3 if "three" in name or "in groups" in name else 5)
    assert found.best.auc.mean() > 0.5
    for train, test in folds(rows.units, 5):
        assert rows.clusters is None or not set(rows.clusters[train]) & set(rows.clusters[test])
    fitted(found.picked, rows, 0)


NOTHING = {
    "two of each class": few(2, 2),
    "one positive": few(1, 40),
    "two positives": few(2, 40),
    "two groups": few(10, 20, groups=np.arange(30) // 15),
    "two persons": few(10, 20, clusters=np.arange(30) // 15),
    "two that weigh": few(10, 20, weights=np.eye(30)[:3].sum(axis=0)),
    "four grades": Rows(pl.DataFrame({"x": [1.0, 3.0, 2.0, 4.0]}), np.array([0.5, 1.5, 2.5, 3.0]), graded=True),
    "ids in every fold": Rows(pl.DataFrame({"t": list("aaabbbccc")}), np.arange(9) % 3 == 0),
}


@pytest.mark.parametrize("name", NOTHING)
@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_where_nothing_can_be_compared_the_simplest_is_picked_and_said_so(name, model):
    rows, seen = NOTHING[name], []
    tried = candidates(model=model, graded=rows.graded, grouped=rows.groups is not None)
    found = choose(rows, tried, Goal.parse("auc"), report=seen.append)
    assert not found.compared and seen == [] and steps(rows, tried) == 0
    assert found.picked.candidate == tried[0]
    assert str(found).startswith("Nothing could be compared") and f"{tried[0].name} is the simplest" in str(found)
    plain = {"goal": "AUC", "rows": len(rows), "picked": tried[0].name, "trials": []}
    plain |= {"folds": 0, "folds_left_out": 0}
    assert json.loads(json.dumps(found.as_json())) == plain
    preparation, ranker = fitted(found.picked, rows, 0)
    assert np.isfinite(ranker.decision_function(preparation.matrix(rows.features, model))).all()
    if model == "linear" and "ids" not in name:
        assert ranker.alpha_ == 1 / len(rows)


def test_nothing_compared_is_printed_as_one_sentence(capsys):
    rows = few(2, 2)
    found = choose(rows, candidates(), Goal.parse("auc"))
    preparation, ranker = fitted(found.picked, rows, 0)
    print_choice(found, Model(preparation, ranker, "y", "1", None, "auc", {}))
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1] == str(found) and len(printed) == 1 + len(preparation.notices)
    found = choose(table(60), candidates(model="linear"), Goal.parse("auc"))
    print_choice(found, Model(preparation, ranker, "y", "1", None, "auc", {}))
    printed = capsys.readouterr().out
    assert "Means over 10 folds of 60 rows" in printed and "standard error of Nadeau and Bengio" in printed


@pytest.mark.parametrize("goal", ["auc", "top:1%"])
def test_thirty_positives_of_very_many_rows_all_take_part(goal):
    rng = np.random.default_rng(0)
    y = np.isin(np.arange(95_156), rng.choice(95_156, 30, replace=False))
    rows = Rows(pl.DataFrame({"x": rng.normal(size=95_156) + 2 * y}), y)
    part = rows.some(COMPARED_ROWS, 0)
    assert part.labels.sum() == 30 and len(part) == COMPARED_ROWS
    assert part.weights.sum() == pytest.approx(95_156)
    found = choose(rows, candidates(model="linear", reduction="pointwise"), Goal.parse(goal))
    assert found.best.auc.mean() == pytest.approx(roc_auc_score(y, rows.features["x"]), abs=0.05)
    all_rows = Goal.parse("top:1%").of(y, rows.features["x"].to_numpy(), len(y))
    assert found.best.top.mean() == pytest.approx(all_rows, rel=0.2)


def test_groups_are_drawn_whole():
    groups = np.arange(120_000) // 12
    rows = Rows(pl.DataFrame({"x": np.arange(120_000.0)}), np.arange(120_000) % 24 == 5, groups=groups)
    part = rows.some(COMPARED_ROWS, 0)
    assert COMPARED_ROWS - 12 < len(part) <= COMPARED_ROWS
    assert (np.unique(part.groups, return_counts=True)[1] == 12).all()
    assert (np.unique(part.groups) % 2 == 0).mean() == 1  # the odd ones have no positive


@given(st.integers(1, 30), st.floats(0.01, 1), st.integers(0, 99))
def test_precision_of_weighted_rows_is_that_of_repeated_ones(n, share, seed):
    rng = np.random.default_rng(seed)
    labels, scores, times = rng.random(n) < 0.5, rng.integers(0, 6, n).astype(float), rng.integers(1, 4, n)
    many = np.repeat(np.arange(n), times)
    room = max(1.0, share * len(many))
    counts = [(labels[many][scores[many] == s].sum(), (scores[many] == s).sum()) for s in np.unique(scores)[::-1]]
    hits, left = 0.0, room
    for good, size in counts:
        hits += good * min(left, size) / size
        left -= min(left, size)
    assert precision(labels, scores, share, times.astype(float)) == pytest.approx(hits / room)
