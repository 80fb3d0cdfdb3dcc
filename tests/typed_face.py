"""Every public name as a program with strict types uses it; mypy reads this, and nobody runs it."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import ordain


def every_public_name() -> None:
    labels, scores = [1, 0, 1, 0], np.array([3.0, 2.0, 1.0, 0.0])

    # Measures and certificates
    assert_type(ordain.__version__, str)
    assert_type(ordain.auc(labels, scores), float)
    assert_type(ordain.partial_auc(labels, scores, max_fpr=0.5), float)
    assert_type(ordain.ndcg([2, 0, 1, 0], scores, k=2), float)
    assert_type(ordain.top(labels, scores, 2).precision, float)
    assert_type(ordain.measure.auc(labels, scores), float)
    interval = ordain.auc_interval(labels, scores, level=0.9)
    assert_type(interval, ordain.Interval)
    assert_type((interval.value, interval.low, interval.high, interval.level), tuple[float, float, float, float])
    assert_type(ordain.compare_auc(labels, scores, -scores), ordain.Comparison)
    bound = ordain.regret_bound("logistic", loss_regret=0.01, prevalence=0.2)
    assert_type(bound, ordain.RegretBound)
    assert_type(bound.value, float)
    assert_type(
        ordain.bounds.regret_bound(ordain.losses.LOSSES["logistic"], loss_regret=0.1, prevalence=0.5).value, float
    )

    # Learning
    X, y = np.zeros((4, 2)), np.array(labels)
    for ranker in (
        assert_type(ordain.LinearRanker(reduction="pairwise").fit(X, y), ordain.LinearRanker),
        assert_type(ordain.BoostedRanker(n_estimators=5).fit(X, y, groups=[0, 0, 1, 1]), ordain.BoostedRanker),
        assert_type(ordain.PreferenceRanker().fit(X, y), ordain.PreferenceRanker),
    ):
        assert_type(ranker.decision_function(X), NDArray[Any])
    assert_type(ordain.learn.LinearRanker(), ordain.LinearRanker)
    model = ordain.fit("rows.csv", "churned", model="linear")
    assert_type(model, ordain.Model)
    assert_type(model.label, str)
    model.save("m.ordain", force=True)
    ordain.save(model, "m.ordain")
    ordain.load("m.ordain").score("rows.csv", top=3)
    found = ordain.choose(X, y, model="linear")
    assert_type(found, ordain.Choice)
    assert_type(found.picked.candidate.name, str)
    risk = ordain.pairs.PairRisk(y, "logistic")
    assert_type(risk.value_gradient(scores), tuple[float, NDArray[Any]])
    ordain.scorers.auc_scorer()

    # Orders and boards
    assert_type(ordain.sort(["pear", "fig"], lambda a, b: len(a) < len(b), seed=0), list[str])
    assert_type(ordain.top_k([3, 1, 2], lambda a, b: a < b, 1), list[int])
    assert_type(
        ordain.rank.play(ordain.rank.quicksort(3, np.random.default_rng(0)), ordain.preference.from_scores(scores)),
        NDArray[Any],
    )
    board = ordain.leaderboard(["x", "x"], ["y", "y"], ["x", "tie"])
    assert_type(board, ordain.Leaderboard)
    assert_type(board.items, tuple[Any, ...])
    assert_type(board.rows(), list[dict[str, Any]])
    with ordain.judge.Run.create(
        "some.run", [ordain.judge.Item("1", "one"), ordain.judge.Item("2", "two")], "?"
    ) as run:
        run.rank(lambda a, b: a.text < b.text)

    # Whole modules
    assert_type(ordain.tables.Reading(separator=";").separator, str | None)
    print(ordain.audit, ordain.report)
