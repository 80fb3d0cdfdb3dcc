"""What a ranking rests on: useless columns hold 0, useful ones are in order, and the parts of a score add up to it."""

import json

import numpy as np
import polars as pl
import pytest
from naive import auc as naive_auc
from numpy.testing import assert_allclose

import ordain
from ordain.cli import cli
from ordain.explain.explanation import BOTH, DOWN, UP, Explanation, Worth
from ordain.explain.on_table import explained_on, moved
from ordain.explain.pieces import pieces
from ordain.prepare import Preparation
from ordain.rows.record import Rows


def table(n=1500, seed=0):
    """Columns of known worth: `first` over `second` over `third`, a city, a date, and three that say nothing."""
    rng = np.random.default_rng(seed)
    first, second, third, *useless = rng.normal(size=(6, n))
    city, days = rng.integers(0, 3, n), rng.integers(0, 1000, n)
    scores = 2 * first - 1.2 * second + 0.6 * third + np.array([-0.5, 0.0, 0.5])[city]
    columns = {"first": first, "second": second, "third": np.where(rng.random(n) < 0.1, np.nan, third)}
    columns |= {"city": np.array(["Bonn", "Oslo", "Rome"])[city], "day": pl.Series(days).cast(pl.Date)}
    columns |= {f"useless {k}": values for k, values in enumerate(useless)}
    return pl.DataFrame(columns | {"good": (scores + rng.logistic(size=n) > 1).astype(int)})


@pytest.fixture(scope="module", params=["linear", "boosted"])
def model(request):
    return ordain.fit(table(), "good", model=request.param, quick=True)


def test_useful_columns_are_in_order_and_useless_ones_hold_zero(model):
    found = model.rests_on
    worth = {of.name: of for of in found.columns}
    assert [of.name for of in found.columns[:2]] == ["first", "second"]
    assert worth["first"].counts and worth["second"].counts
    assert worth["first"].direction == UP and worth["second"].direction == DOWN
    for name in ("useless 0", "useless 1", "useless 2", "day"):
        assert worth[name].low <= 0 <= worth[name].high
    assert [of.lost for of in found.columns] == sorted((of.lost for of in found.columns), reverse=True)
    assert set(worth) == set(table().columns) - {"good"}  # no feature of a column has a line of its own


def test_parts_of_a_score_add_up_to_it(model):
    rows = table(seed=1)
    found = moved(model, rows)
    close = 1e-9 if model.learner == "linear" else 1e-4
    assert_allclose(found.base + found.added.sum(axis=1), model.scores(rows), atol=close)
    best = found.strongest(0, 20)
    assert [abs(by) for _, by in best] == sorted((abs(by) for _, by in best), reverse=True)
    assert_allclose(found.frame().drop("score").sum_horizontal().to_numpy(), found.scores, atol=close)


def test_shuffling_and_setting_a_column_are_what_they_say(model):
    rows = table(40, seed=2)
    seen = pieces(model.preparation, model.ranker, rows)
    order = np.random.default_rng(0).permutation(40)
    dealt = rows.with_columns(rows["second"][order])
    number = model.preparation.names.index("second")
    assert_allclose(seen.dealt(number, order), model.scores(dealt), atol=1e-9)
    means = [model.scores(rows.with_columns(pl.lit(at).alias("second"))).mean() for at in (-1.0, 1.0)]
    assert_allclose(seen.set_to(number, pl.Series([-1.0, 1.0])), means, atol=1e-6)


def test_the_worth_of_a_column_is_the_auc_that_is_lost():
    """One part, and a column that alone makes the score: shuffled, the AUC is that of a coin on average."""
    rows = table(600, seed=3).select("first", "good")
    model = ordain.fit(rows, "good", model="linear", reduction="balanced")
    fresh = table(600, seed=4)
    labels = fresh["good"].to_numpy() > 0
    found = explained_on(model, Rows(fresh, labels))
    parts = Rows(fresh, labels).units.dealt(10, 0)
    scores = model.scores(fresh)
    areas = [naive_auc(labels[parts == k], scores[parts == k]) for k in range(10)]
    assert found.auc == pytest.approx(np.mean(areas))
    assert found.columns[0].lost == pytest.approx(np.mean(areas) - 0.5, abs=0.03)


@pytest.mark.parametrize(
    "options", [{"graded": True}, {"group": "unit"}, {"weight": "w"}, {"cluster": "unit"}], ids=str
)
def test_grades_groups_weights_and_clusters_are_explained_too(options):
    rows = table(400).with_columns(w=pl.Series(np.arange(400) % 3 + 1.0), unit=pl.Series(np.arange(400) % 90))
    found = ordain.fit(rows, "good", model="linear", quick=True, drop=["day"], **options).rests_on
    assert found.columns[0].name == "first" and found.columns[0].counts


def test_a_model_file_keeps_it_and_an_older_one_says_it_has_none(tmp_path, invoke):
    model = ordain.fit(table(300), "good", model="linear", quick=True)
    model.save(tmp_path / "m.ordain")
    assert ordain.load(tmp_path / "m.ordain").rests_on == model.rests_on
    out = invoke("explain", tmp_path / "m.ordain")
    assert str(model.rests_on) in out and "first" in out
    model = ordain.fit(table(300), "good", model="linear", quick=True, seconds=60)
    model.save(tmp_path / "none.ordain")
    assert "does not say what it rests on" in invoke("explain", tmp_path / "none.ordain")


def test_the_command_tells_what_moved_rows(tmp_path, invoke):
    model = ordain.fit(table(300), "good", model="linear", quick=True)
    model.save(tmp_path / "m.ordain")
    fresh = table(200, seed=5)
    fresh.write_csv(tmp_path / "new.csv")
    out = tmp_path / "moved.csv"
    told = json.loads(
        invoke("explain", tmp_path / "m.ordain", tmp_path / "new.csv", "--rows", 2, "--json", "--out", out)
    )
    expected = explained_on(model, Rows(fresh, fresh["good"].to_numpy() > 0))
    assert told["rests_on"]["columns"][0]["lost"] == pytest.approx(expected.columns[0].lost)
    best = model.scores(fresh).max()
    assert told["rows"][0]["score"] == pytest.approx(best)
    assert told["base"] + sum(told["rows"][0]["moved"].values()) == pytest.approx(best, abs=1e-9)
    assert_allclose(pl.read_csv(out)["score"].to_numpy(), model.scores(fresh))
    assert "what moved the first" in invoke("explain", tmp_path / "m.ordain", tmp_path / "new.csv")


@pytest.fixture(scope="module")
def wide():
    """A model of more columns than are shown, and new rows for it."""
    rng = np.random.default_rng(0)
    rows = [
        table(n, seed).with_columns(**{f"more {k}": rng.normal(size=n) for k in range(20)})
        for n, seed in ((300, 0), (60, 1))
    ]
    return ordain.fit(rows[0], "good", model="linear", quick=True), rows[1]


def test_rows_without_labels_are_told_by_what_the_model_says_of_itself(tmp_path, invoke, wide):
    model, rows = wide
    model.save(tmp_path / "m.ordain")
    gaps = rows.with_columns(good=pl.when(pl.int_range(60) > 2).then("good"))
    for name, frame in {"bare": rows.drop("good"), "gaps": gaps}.items():
        frame.write_csv(tmp_path / f"{name}.csv")
        out = invoke("explain", tmp_path / "m.ordain", tmp_path / f"{name}.csv", "--rows", 2)
        assert "has no usable column 'good', so what columns are worth is that of training." in " ".join(out.split())
        assert str(model.rests_on) in " ".join(out.split())
        assert f"… and {len(model.rests_on.columns) - 20} more." in out
        told = json.loads(invoke("explain", tmp_path / "m.ordain", tmp_path / f"{name}.csv", "--json"))
        assert told["rests_on"] is None and len(told["rows"]) == 3


def test_no_rows_may_be_asked_for_but_not_fewer_nor_a_file_of_none(tmp_path, invoke, wide):
    model, rows = wide
    model.save(tmp_path / "m.ordain")
    rows.write_csv(tmp_path / "new.csv")
    out = invoke("explain", tmp_path / "m.ordain", tmp_path / "new.csv", "--rows", 0)
    assert "among 60 rows held out" in " ".join(out.split()) and "what moved" not in out
    told = json.loads(invoke("explain", tmp_path / "m.ordain", tmp_path / "new.csv", "--rows", 0, "--json"))
    assert told["rows"] == [] and told["base"] == pytest.approx(moved(model, rows).base)
    for wrong in ([tmp_path / "new.csv", "--rows", -1], ["--out", tmp_path / "moved.csv"]):
        with pytest.raises(ValueError, match="--rows must be 0 or more, and --out needs a FILE"):
            invoke("explain", tmp_path / "m.ordain", *wrong)
    assert not (tmp_path / "moved.csv").exists()


def test_a_graded_model_is_explained_on_graded_rows_and_in_json_without_any(tmp_path, invoke):
    rows = table(300).with_columns(good=pl.col("first").round().cast(pl.Int64))
    model = ordain.fit(rows, "good", model="linear", quick=True, graded=True)
    model.save(tmp_path / "m.ordain")
    rows[:100].write_csv(tmp_path / "new.csv")
    told = json.loads(invoke("explain", tmp_path / "m.ordain", tmp_path / "new.csv", "--json"))
    expected = explained_on(model, Rows(rows[:100], rows["good"].to_numpy()[:100].astype(float), graded=True))
    assert told["rests_on"]["auc"] == pytest.approx(expected.auc)
    alone = json.loads(invoke("explain", tmp_path / "m.ordain", "--json"))
    assert alone["rests_on"]["auc"] == model.rests_on.auc
    assert alone["rests_on"]["columns"][0]["name"] == "first"
    assert alone["rests_on"]["columns"][0]["direction"] == UP


def test_a_column_without_a_value_among_new_rows_has_no_values_to_go_along(tmp_path, invoke, wide):
    model, rows = wide
    model.save(tmp_path / "m.ordain")
    rows.with_columns(first=pl.lit(None, pl.Float64)).write_csv(tmp_path / "gaps.csv")
    told = json.loads(invoke("explain", tmp_path / "m.ordain", tmp_path / "gaps.csv", "--json"))
    first = next(of for of in told["rests_on"]["columns"] if of["name"] == "first")
    assert (first["values"], first["scores"]) == ([], [])
    assert first["lost"] == pytest.approx(0, abs=1e-12)


def test_a_score_that_stays_along_a_column_does_not_change_with_it():
    flat = Worth("age", "number", 0.0, -0.1, 0.1, ("1", "2", "3"), (0.5, 0.5, 0.5))
    assert flat.way == "the score does not change with it" and not flat.counts
    assert str(flat).endswith("; the score does not change with it.")


def test_what_a_ranker_of_pairs_rests_on_is_refused_in_one_line():
    frame = table(60)
    preparation = Preparation.learn(frame.drop("good"), frame["good"].to_numpy() == 1)
    X = preparation.matrix(frame.drop("good"), "linear")
    ranker = ordain.PreferenceRanker(pairs=50).fit(X, frame["good"].to_numpy())
    with pytest.raises(ValueError, match=r"is known of linear and boosted models\. Got a PreferenceRanker\.$"):
        pieces(preparation, ranker, frame.drop("good"))


def test_directions_and_damaged_records():
    assert Worth("x", "number", 0, 0, 0, ("1", "2", "3"), (0.0, 2.0, 0.0)).direction == BOTH
    assert Worth("x", "text", 0, 0, 0, ("a", "b"), (0.0, 2.0)).direction == "highest for b, lowest for a"
    assert Worth("x", "number", 0, 0, 0).direction == ""
    found = Explanation(0.7, (Worth("x", "number", 0.1, 0.0, 0.2, ("1",), (0.5,)),), 90, 10)
    assert Explanation.from_json(found.as_json()) == found
    plain = found.as_json()
    plain["columns"][0]["scores"] = [float("nan")]
    with pytest.raises(ValueError, match="must be numbers"):
        Explanation.from_json(plain)


@pytest.fixture
def invoke(capsys):
    def call(*words):
        cli.main([str(word) for word in words], standalone_mode=False)
        return capsys.readouterr().out

    return call
