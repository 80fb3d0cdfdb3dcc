"""Paths of settings, which of them is best, and who is dropped on the way, against computations by hand."""

import json
import threading
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from ordain.choice.candidates import LONGER, Candidate, Manner, candidates
from ordain.choice.choose import choose, fitted
from ordain.choice.clock import Clock
from ordain.choice.contest import Contest, smoothed, walked
from ordain.choice.goal import Goal
from ordain.choice.race import CHANCE, behind, surely_below
from ordain.choice.trials import Comparison, _together
from ordain.choice.workers import workers
from ordain.learn.boosted import TREES, BoostedRanker
from ordain.learn.growth import bins
from ordain.learn.linear import ALPHAS, LinearRanker
from ordain.learn.scorer import Step
from ordain.pairs import PairRisk
from ordain.rows.record import Rows


def always():
    return True


def path(worths):
    return [Step(k, np.array([worth]), worth) for k, worth in enumerate(worths)]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 5), st.integers(1, 8))
def test_a_path_is_walked_until_so_many_steps_did_not_rise(worths, patience, least):
    steps = walked(iter(path(worths)), patience, least, always)
    for end in range(1, len(worths) + 1):
        if end >= least and end - 1 - worths[:end].index(max(worths[:end])) >= patience:
            break
    assert len(steps) == end


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.lists(st.integers(0, 9), max_size=30))
def test_a_path_ends_where_it_is_below_that_of_a_rival_three_times_in_a_row(worths, rival):
    steps = walked(iter(path(worths)), 99, 5, always, path(rival))
    for end in range(1, len(worths) + 1):
        last = [(worths[k], rival[k]) for k in range(max(end - 3, 0), end) if k < len(rival)]
        if end >= 5 and len(last) == 3 and all(mine < theirs for mine, theirs in last):
            break
    assert len(steps) == end


def test_a_path_ends_when_work_should_not_go_on():
    assert len(walked(iter(path(range(9))), 2, 4, lambda: False)) == 1


worths = st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=6), min_size=2, max_size=4)


@given(worths)
def test_the_best_place_has_the_highest_mean_with_its_neighbours_over_folds_that_reach_it(found):
    contest = Contest(Candidate("linear", "pointwise"))
    for fold, of in enumerate(found):
        contest.add(Manner(), fold, path(of), 1.0)
    assert contest.seconds == len(found) and contest.folds == list(range(len(found)))
    length = min(map(len, found))
    means = [sum(of[k] for of in found) / len(found) for k in range(length)]
    near = [means[max(k - 1, 0)] + means[k] + means[min(k + 1, length - 1)] for k in range(length)]
    best = contest.best(range(len(found)))
    assert near[best.place] == pytest.approx(max(near))
    assert best.value == best.place
    for fold, of in enumerate(found):
        assert contest.scores(fold, best) == [of[best.place]]


def test_manners_are_ranked_by_their_best_and_those_that_missed_a_fold_do_not_count():
    contest = Contest(Candidate("boosted", "pointwise"))
    for depth, height in ((6, 0.7), (4, 0.9), (8, 0.8)):
        contest.add(Manner(depth), 0, path([0.5, height, height]), 0.0)
    assert [of.manner.depth for of in contest.ranked([0])] == [4, 8, 6]
    contest.add(Manner(8), 1, path([0.5, 0.6]), 0.0)
    assert [of.manner.depth for of in contest.ranked([0, 1])] == [8]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_smoothing_keeps_what_is_level(values):
    assert smoothed(np.full(len(values), 0.5)) == pytest.approx(0.5)
    assert (
        min(values) - 1e-9 <= smoothed(np.array(values)).min() <= smoothed(np.array(values)).max() <= max(values) + 1e-9
    )


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_behind_is_who_a_paired_test_puts_below_the_best_or_below_a_simpler_one(count, seed):
    figures = np.random.default_rng(seed).normal(np.linspace(0.7, 0.75, count)[:, None], 0.03, (count, 10))
    best = int(np.argmax(figures.mean(axis=1)))
    follows = [bool(k == count - 1 and seed % 2) for k in range(count)]
    for k, leader in enumerate(behind(figures, follows)):
        lost = []
        for other in {best, *range(k)} - {k}:
            chance = CHANCE["followed" if follows[k] else "simpler"] if other < k else CHANCE["other"]
            if stats.ttest_rel(figures[k], figures[other], alternative="less").pvalue < chance:
                lost.append(other)
        assert leader in lost if lost else leader is None
    assert behind(figures, follows)[best] is None or best > 0


@given(st.integers(2, 12), st.integers(0, 10**6), st.sampled_from(list(CHANCE.values())))
def test_below_is_what_a_test_of_one_sample_puts_below_nothing(count, seed, chance):
    apart = np.random.default_rng(seed).normal(-0.005, 0.01, count)
    assert surely_below(apart, chance) == (stats.ttest_1samp(apart, 0, alternative="less").pvalue < chance)


def test_equal_candidates_are_behind_nobody():
    assert behind(np.full((3, 5), 0.8)) == [None] * 3


def made(n, seed=0, curved=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    odds = 2 * X[:, 0] * X[:, 1] if curved else X @ [1.0, -1.0, 0.5, 0.0]
    return Rows(pl.DataFrame(X, list("abcd"), orient="row"), odds + rng.logistic(size=n) > 0)


def test_a_race_drops_what_is_clearly_behind_and_picks_the_same():
    rows = made(2000)
    raced, full = (choose(rows, candidates(), Goal.parse("auc"), race=race) for race in (True, False))
    lines = [of for of in raced.trials if of.candidate.model == "linear"]
    assert lines and all(of.dropped and len(of.goal) < 5 for of in lines)
    assert any("below boosted" in of.dropped for of in lines)
    assert all(of.dropped is None and len(of.goal) == 5 for of in full.trials)
    assert raced.picked.candidate.model == full.picked.candidate.model == "boosted"
    same = next(of for of in full.trials if of.candidate == raced.picked.candidate)
    assert raced.picked.goal == pytest.approx(same.goal)
    assert raced.picked.setting == same.setting and same.goal.mean() > full.picked.goal.mean() - 0.005
    shown = {of["name"]: of for of in raced.as_json()["trials"]}
    assert shown["linear balanced"]["dropped"] == lines[0].dropped
    assert shown[raced.picked.candidate.name]["dropped"] is None


def test_the_figure_on_a_fold_is_of_the_setting_that_is_best_on_the_others():
    """Labels by lot: the best of a long path on the same fold would look better than chance."""
    rng, found = np.random.default_rng(0), []
    for _ in range(12):
        rows = Rows(pl.DataFrame({f"x{k}": rng.normal(size=90) for k in range(6)}), rng.random(90) < 0.5)
        found.append(
            choose(rows, candidates(model="boosted", reduction="pointwise"), Goal.parse("auc")).best.auc.mean()
        )
    assert abs(np.mean(found) - 0.5) < 4 * stats.sem(found)


def test_a_path_of_penalties_is_that_of_fits_and_its_worth_the_risk_of_pairs():
    rows = made(300, curved=False)
    X = rows.features.to_numpy()
    train, test = (Rows(X[part], rows.labels[part]) for part in (slice(0, 200), slice(200, 300)))
    for reduction in ("pairwise", "balanced", "pointwise"):
        steps = list(LinearRanker(reduction=reduction).path(train, test))
        assert [step.setting for step in steps] == ALPHAS.tolist()
        for step in steps[::4]:
            ranker = LinearRanker(reduction=reduction, alpha=step.setting).fit(train.features, train.labels)
            scores = ranker.decision_function(test.features)
            assert np.ptp(step.scores - scores) < 0.02  # but for a shift, and as near as choosing needs
            risk = PairRisk(test.labels, "logistic").value_gradient(step.scores)[0]
            assert step.worth == pytest.approx(-risk)


@pytest.mark.parametrize(
    ("reduction", "share", "apart"), [("pairwise", 0.8, 1e-5), ("balanced", 0.8, 1e-5), ("pointwise", 1.0, 1e-3)]
)
def test_a_path_of_trees_is_that_of_fits_and_its_worth_the_auc(reduction, share, apart):
    """Row by row it is XGBoost's own, which draws other rows and rounds otherwise."""
    rows = made(400)
    X = rows.features.to_numpy().astype(np.float32)
    y = rows.labels
    options = {"reduction": reduction, "random_state": 3, "n_jobs": 1, "settings": {"subsample": share}}
    known = bins(X[:300], labels=y[:300])
    both = Rows(known, y[:300]), Rows(bins(X[300:], like=known), y[300:])
    steps = list(BoostedRanker(n_estimators=60, **options).path(*both))
    assert [step.setting for step in steps] == TREES[TREES <= 60].tolist()
    for step in steps:
        ranker = BoostedRanker(n_estimators=step.setting, **options).fit(X[:300], y[:300])
        assert step.scores == pytest.approx(ranker.decision_function(X[300:]) - ranker.intercept_, abs=apart)
        assert step.worth == pytest.approx(roc_auc_score(y[300:], step.scores))


@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_probabilities_of_pairs_are_those_of_rows_held_out(model):
    """Trees rank rows they have seen too well; with noisy labels the truth is far from that."""
    rows, fresh = made(1500), made(20_000, seed=1)
    found = choose(rows, candidates(model=model, reduction="pairwise", push=1), Goal.parse("auc"))
    preparation, ranker = fitted(found.picked, rows, 0)
    chance = ranker.predict_proba(preparation.matrix(fresh.features, model))[:, 1]
    assert chance.mean() == pytest.approx(fresh.labels.mean(), abs=0.03)
    order = np.argsort(chance)
    for part in np.array_split(order, 5):
        assert chance[part].mean() == pytest.approx(fresh.labels[part].mean(), abs=0.06)


def test_more_rows_than_are_compared_get_weaker_penalties_and_more_trees(monkeypatch):
    rows = made(3000)
    few = {}
    for most in (600, 3000):
        monkeypatch.setattr("ordain.choice.choose.COMPARED_ROWS", most)
        for model in ("linear", "boosted"):
            found = choose(rows, candidates(model=model, reduction="pointwise"), Goal.parse("auc")).picked
            few[model, most] = found.setting
            assert found.candidate.described(found.manner, found.setting)
    assert any(few["linear", 600] * 5 == pytest.approx(alpha, rel=0.05) for alpha in ALPHAS)
    assert few["linear", 3000] in ALPHAS
    grown = np.round(TREES * 7.5**1.15 * np.sqrt(1.25 * 5))  # they learn 7.5 times slower at last
    assert np.abs(grown - few["boosted", 600]).min() <= 2


def test_workers_give_results_in_the_order_of_tasks_and_stop_when_left():
    began, ended = threading.Event(), []

    def slow(task, threads):
        began.set()
        while threads.going():
            time.sleep(0.01)
        ended.append(task)

    with workers() as threads:
        assert list(threads.map(lambda task: (time.sleep(0.02 * (3 - task)), task)[1], range(3))) == [
            (0, 0), (1, 1), (2, 2),
        ]  # fmt: skip
    if threads.pool is None:
        return
    with pytest.raises(KeyboardInterrupt), workers() as threads:
        threads.pool.submit(slow, 1, threads)
        began.wait()
        raise KeyboardInterrupt
    assert ended == [1]


def test_one_thread_or_many_give_the_same(monkeypatch):
    rows, found = made(400), []
    for count in (1, 3):
        monkeypatch.setattr("ordain.choice.workers.cores", lambda count=count: count)
        found.append([of.goal.tolist() for of in choose(rows, candidates(), Goal.parse("auc")).trials])
    assert found[0] == found[1]


def test_a_limit_of_seconds_leaves_out_folds_and_candidates_and_says_so():
    rows = made(3000)

    class Short(Clock):
        """Time runs out after so many looks at it."""

        def __init__(self, looks):
            super().__init__(60)
            self.looks = looks

        @property
        def left(self):
            self.looks -= 1
            return 60.0 if self.looks > 0 else -1.0

    full = choose(rows, candidates(), Goal.parse("auc"), race=False)
    for looks in (1, 60, 150):
        found = choose(rows, candidates(), Goal.parse("auc"), race=False, clock=Short(looks))
        told = found.as_json()
        assert told["folds"] + told["folds_left_out"] == 5 and told["folds"] >= 2
        assert found.left_out > 0 or any(of.dropped for of in found.trials)
        for of, shown in zip(found.trials, told["trials"], strict=True):
            assert (of.dropped is None) == (len(of.goal) == told["folds"])
            assert shown["dropped"] == of.dropped and (shown["goal"] is None) == (not len(of.goal))
        preparation, ranker = fitted(found.picked, rows, 0)
        assert ranker.decision_function(preparation.matrix(rows.features, found.picked.candidate.model)).shape == (
            3000,
        )
    assert full.left_out == 0 and not any(of.dropped for of in full.trials)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_limit_must_be_above_nothing(seconds):
    with pytest.raises(ValueError, match="seconds must be a number above 0"):
        Clock(seconds)


def test_means_of_many_values_are_tried_where_a_column_has_them():
    """Their effects are in the order of no code, and each value has few rows."""
    rng = np.random.default_rng(0)
    good, town = rng.normal(size=500), rng.integers(0, 500, 3000)
    y = 1.5 * good[town] + rng.logistic(size=3000) > 0
    rows = Rows(pl.DataFrame({"town": [f"town {k}" for k in town], "x": rng.normal(size=3000)}), y)
    found = choose(rows, candidates(model="boosted", reduction="pointwise"), Goal.parse("auc")).picked
    preparation, ranker = fitted(found, rows, 0)
    assert found.manner.means and preparation.categorical == ranker.categorical == []
    assert found.candidate.described(found.manner, found.setting)["means"]


def tried(monkeypatch, rows):
    """The manners that are tried on the first fold, wave by wave, and the candidate that tries them."""
    waves, fit = [], Comparison._fit

    def noting(self, threads, wanted):
        waves.append([walk for walk in wanted if walk.contest.candidate.model == "boosted" and walk.fold == 0])
        fit(self, threads, wanted)

    with monkeypatch.context() as changed:
        changed.setattr(Comparison, "_fit", noting)
        choose(rows, candidates(model="boosted", reduction="pointwise"), Goal.parse("auc"))
    return [[walk.manner for walk in walks] for walks in waves if walks], waves[0][0].contest


def test_trees_that_split_the_best_leaf_next_are_tried_where_rows_are_few(monkeypatch):
    """They take twice as long; what helped is tried together."""
    rows = made(1500)
    (usual, ways, *further), scout = tried(monkeypatch, rows)
    (found,) = (of for of in ways if of.leafwise)
    best = found._replace(leafwise=False)
    assert best in usual and {of for of in ways if of.depth == best.depth} == {best._replace(whole=True), found}
    ranked = [of.manner for of in scout.ranked([0])]
    helped = [of for of in ranked[: ranked.index(best)] if of.depth == best.depth and of in ways]
    assert any(_together(best, helped) in manners for manners in further) == (len(helped) > 1)
    monkeypatch.setattr("ordain.choice.trials.SOME_ROWS", 1500)
    assert not any(of.leafwise for manners in tried(monkeypatch, rows)[0] for of in manners)


def test_what_helped_is_tried_together():
    best = Manner(4)
    ways = [best._replace(whole=True), best._replace(means=True), best._replace(leafwise=True)]
    assert _together(best, ways) == best._replace(whole=True, means=True, leafwise=True)
    assert _together(best, [ways[2], best._replace(depth=8)]) == best._replace(depth=8, leafwise=True)


def test_trees_that_split_the_best_leaf_next_are_deeper_and_have_as_many_leaves():
    """Of a curve in one corner of the rows."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 3))
    rows = Rows(X, np.sin(200 * X[:, 0] ** 4) + 0.1 * rng.normal(size=3000) > 0)
    depths = {}
    for manner in (Manner(3, whole=True), Manner(3, whole=True, leafwise=True)):
        ranker = Candidate("boosted", "pointwise").ranker(X.shape, [], 0, manner, 20).fit_rows(rows)
        trees = json.loads(ranker.booster_.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
        assert len(trees) == 20
        assert max(tree["left_children"].count(-1) for tree in trees) == 8
        depths[manner.leafwise] = max(depth_of(tree) for tree in trees)
    assert depths[False] == 3 < depths[True] <= 3 + LONGER


def depth_of(tree, node=0):
    left, right = tree["left_children"][node], tree["right_children"][node]
    return 0 if left == -1 else 1 + max(depth_of(tree, left), depth_of(tree, right))


def test_trees_that_follow_others_grow_as_these_are_best_and_as_far_while_others_go_on(monkeypatch):
    waves, fit = [], Comparison._fit

    def noting(self, threads, wanted):
        waves.append(wanted)
        fit(self, threads, wanted)

    monkeypatch.setattr(Comparison, "_fit", noting)
    choose(made(1500), candidates(), Goal.parse("auc"))
    together = next(walks for walks in waves if any(of.contest.candidate.name == "boosted pairwise" for of in walks))
    pairs = [walk for walk in together if walk.contest.candidate.name == "boosted pairwise"]
    rows = [walk for walk in together if walk.contest.candidate.name == "boosted pointwise"]
    scout = rows[0].contest
    best = scout.best([0, 1]).manner
    assert [walk.fold for walk in pairs] == [0, 1] and {walk.manner for walk in pairs} == {best}
    assert all(walk.most is not None and walk.most <= len(TREES) for walk in pairs)
    assert scout.folds == [0, 1, 2, 3, 4] and {walk.fold for walk in rows} <= {2, 3, 4}
    assert not [walk for walks in waves[waves.index(together) + 1 :] for walk in walks if walk.contest is scout]


def test_trees_that_follow_dropped_ones_are_left_out():
    found = choose(made(8000, curved=False), candidates(), Goal.parse("auc"))
    scout, follower = found.trials[-2:]
    assert "below linear" in scout.dropped and follower.dropped == "as boosted pointwise, which it follows"
    assert 2 <= len(scout.goal) < 5 and not len(follower.goal)
    assert found.picked.candidate.model == "linear" and len(found.picked.goal) == 5
