"""NDCG of scored rows: what the commands print is what the library says, and the interval covers."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import ordain
from ordain.cli import main
from ordain.evaluation import Gains, gains, gains_in_words
from ordain.evaluation.scored import Scored
from ordain.measure import group_ndcg
from ordain.rows.record import Rows


def scored(n=40, seed=0, spread=1.0):
    """Rows of queries with 3 to 20 documents, some queries harder than others."""
    rng = np.random.default_rng(seed)
    queries = np.repeat(np.arange(n), rng.integers(3, 21, n))
    grades = rng.choice(4, len(queries), p=[0.6, 0.2, 0.15, 0.05])
    noise = spread * rng.exponential(size=n)[queries] * rng.normal(size=len(queries))
    return Scored(Rows((grades + noise)[:, None], grades, groups=queries, graded=True), None)


def two_classes(table, **more):
    return Scored(replace(table.rows, labels=table.rows.labels > 1, graded=False, **more), "good")


def test_the_interval_is_students_over_the_groups_that_gain():
    table = scored()
    each = group_ndcg(table.rows.labels, table.scores[0], 10, groups=table.rows.groups)
    counted = each[~np.isnan(each)]
    found = gains(table, table.scores[0], level=0.9)
    low, high = stats.t.interval(0.9, len(counted) - 1, counted.mean(), stats.sem(counted))
    assert (found.value, found.low, found.high) == pytest.approx((counted.mean(), low, high))
    assert (found.groups, found.without) == (len(counted), len(each) - len(counted))
    assert found.without > 0
    assert f"{found.groups} groups drawn independently; {found.without} without a gain left out)." in str(found)


def test_the_interval_covers_as_often_as_it_says():
    many = scored(40_000, seed=1000)
    truth = gains(many, many.scores[0]).value
    found = [gains(table, table.scores[0]) for table in (scored(30, seed) for seed in range(400))]
    covered = np.mean([of.low <= truth <= of.high for of in found])
    assert 0.92 <= covered <= 0.98


def test_there_is_no_interval_without_enough_independent_groups_that_differ():
    few, table = scored(8), scored()
    assert gains(few, few.scores[0]).low is None
    assert str(gains(few, few.scores[0])).endswith("groups).") or "left out" in str(gains(few, few.scores[0]))
    assert gains(table, table.rows.labels).high is None  # all have 1
    clustered = two_classes(table, clusters=table.rows.groups // 2)
    assert gains(clustered, table.scores[0]).low is None
    assert gains(two_classes(table), table.scores[0]).low is not None


def test_ends_stay_between_none_and_all():
    table = scored(20, seed=3, spread=0.5)
    found = gains(table, table.scores[0], level=0.9999)
    assert 0 <= found.low < found.value < found.high == 1


def test_one_list_of_two_classes_and_weights_have_none():
    table = scored()
    assert gains(two_classes(table, groups=None), table.scores[0]) is None
    assert gains(two_classes(table, weights=np.ones(len(table.rows.labels))), table.scores[0]) is None
    one = gains(Scored(replace(table.rows, groups=None), None), table.scores[0])
    assert one == Gains(ordain.ndcg(table.rows.labels, table.scores[0], 10))
    assert str(one) == f"NDCG@10 {one.value:.4f}."


SHARES = {0.612: "61%", 0.996: "99.6%", 0.004: "0.4%", 0.99999: "99.999%", 1.0: "100%", 0.0: "0%"}


@pytest.mark.parametrize(("value", "share"), SHARES.items())
def test_a_share_is_never_rounded_to_all_or_nothing(value, share):
    assert f"The first 10 rows hold {share} of " in gains_in_words(Gains(value))


@pytest.fixture
def evaluated(capsys, tmp_path, monkeypatch):
    """What `ordain evaluate` prints of the rows, with some options."""
    monkeypatch.chdir(tmp_path)
    table = scored()
    lines = zip(table.rows.labels, table.rows.labels > 1, table.scores[0], table.rows.groups, strict=True)
    text = "".join(f"{grade},{int(good)},{float(score)!r},q{query}\n" for grade, good, score, query in lines)
    Path("results.csv").write_text("grade,good,score,query\n" + text)

    def said(*options):
        with pytest.raises(SystemExit) as ended:
            main(["evaluate", "results.csv", *options])
        assert ended.value.code == 0
        return capsys.readouterr().out

    return table, said


def test_evaluate_prints_ndcg_beside_the_concordance(evaluated):
    table, said = evaluated
    found = gains(table, table.scores[0])
    lines = said("--label", "grade", "--graded", "--group", "query").splitlines()
    assert str(found) in lines
    assert lines.index(str(found)) == 3
    assert lines[4].startswith(f"The first 10 of a query hold {found.value:.0%} of what")
    assert str(gains(two_classes(table), table.scores[0])) in said("--label", "good", "--group", "query")
    assert f"NDCG@10 {ordain.ndcg(table.rows.labels, table.scores[0], 10):.4f}." in said("--label", "grade", "--graded")
    assert "NDCG" not in said("--label", "good")
    assert "NDCG" not in said("--label", "grade", "--graded", "--weight", "good")


def test_evaluate_has_ndcg_in_json(evaluated):
    table, said = evaluated
    names = ("ndcg", "ndcg_low", "ndcg_high", "ndcg_groups", "ndcg_places")
    found = gains(table, table.scores[0], level=0.8)
    json_of = json.loads(said("--label", "grade", "--graded", "--group", "query", "--level", "0.8", "--json"))
    assert [json_of[name] for name in names] == [found.value, found.low, found.high, found.groups, 10]
    one = json.loads(said("--label", "grade", "--graded", "--json"))
    expected = [ordain.ndcg(table.rows.labels, table.scores[0], 10), None, None, None, 10]
    assert [one[name] for name in names] == expected
    assert [json.loads(said("--label", "good", "--json"))[name] for name in names[:4]] == [None] * 4
