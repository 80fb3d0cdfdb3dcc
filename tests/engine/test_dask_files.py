"""Rankers fitted to Parquet files that workers read: the same as here, and scores in the order of the rows."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

distributed = pytest.importorskip("distributed")
pytest.importorskip("xgboost")

from ordain import BoostedRanker, LinearRanker  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

FEATURES = ["a", "many", "b", "on"]


def rows(n=900):
    rng = np.random.default_rng(6)
    a, b, many = rng.normal(size=n), rng.normal(size=n), rng.integers(0, 9, n)
    y = a - b + many / 4 + rng.logistic(size=n) > 2
    return pl.DataFrame({
        "a": a, "y": y.astype(int), "many": many.astype(np.int16), "b": b.astype(np.float32), "on": rng.random(n) < 0.5,
        "w": rng.integers(1, 4, n), "g": pl.Series([f"group {k % 70}" for k in range(n)]),
    })  # fmt: skip


def written(folder, table, ends=(0, 500, 501, 900)):
    """The table in a folder of files, whose names are in the order of its rows."""
    folder.mkdir(exist_ok=True)
    for k, (start, end) in enumerate(pairwise(ends)):
        table[start:end].write_parquet(folder / f"{k}.parquet")
    return folder


def matrix(table):
    return table.select(pl.col(FEATURES).cast(pl.Float64)).to_numpy()


PLACES = {"folder": lambda folder: folder, "pattern": lambda folder: f"{folder}/*.parquet", "text": str}


@pytest.mark.parametrize("place", PLACES)
def test_weights_are_those_of_one_machine(four, tmp_path, place):
    table = rows().drop("w", "g")
    where = PLACES[place](written(tmp_path / "big", table))
    here = LinearRanker(tol=1e-12).fit(matrix(table), table["y"].to_numpy())
    there = LinearRanker(tol=1e-12).fit(where, "y")
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    assert there.feature_names_in_.tolist() == FEATURES
    assert_array_equal(there.classes_, [0, 1])
    scores = there.decision_function(where)
    assert_allclose(scores, here.decision_function(matrix(table)), rtol=0, atol=1e-8)
    assert_array_equal(there.predict(where), here.predict(matrix(table)))
    assert_allclose(there.predict_proba(where), here.predict_proba(matrix(table)), rtol=0, atol=1e-8)


def test_weights_groups_and_clusters_are_columns(four, tmp_path):
    table, where = rows(), written(tmp_path / "big", rows())
    X, y, w, g = matrix(table), *(table[name].to_numpy() for name in ("y", "w", "g"))
    here = LinearRanker(tol=1e-12).fit(X, y, w, groups=g)
    there = LinearRanker(tol=1e-12).fit(where, "y", "w", groups="g")
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    here = LinearRanker(tol=1e-12, alpha="auto").fit(X, y, w, clusters=g)
    there = LinearRanker(tol=1e-12, alpha="auto").fit(where, "y", "w", clusters="g")
    assert there.alpha_ == here.alpha_
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)


def test_trees_are_those_of_one_machine(four, tmp_path):
    table = rows().drop("w", "g").with_columns(pl.when(pl.col("a") < 1.5).then("a"))
    where = written(tmp_path / "big", table)
    options = {"n_estimators": 10, "random_state": 3, "n_jobs": 1}
    here = BoostedRanker(**options).fit(matrix(table), table["y"].to_numpy())
    there = BoostedRanker(**options).fit(where, "y")
    assert_allclose(there.decision_function(where), here.decision_function(matrix(table)), rtol=0, atol=1e-6)
    assert_allclose(there.decision_function(table[FEATURES]), here.decision_function(matrix(table)), rtol=0, atol=1e-6)


def test_labels_that_are_true_grades_or_missing(four, tmp_path):
    table = rows().drop("w", "g")
    known = pl.int_range(900, eager=True) % 7 > 0
    where = written(tmp_path / "bool", table.with_columns(y=pl.when(known).then(pl.col("y") == 1)))
    here = LinearRanker(tol=1e-12).fit(matrix(table.filter(known)), table.filter(known)["y"].to_numpy())
    there = LinearRanker(tol=1e-12).fit(where, "y")
    assert_allclose(there.coef_, here.coef_, rtol=0, atol=1e-9)
    assert there.classes_.tolist() == [False, True]
    assert len(there.decision_function(where)) == 900
    grades = table["y"] + (table["a"] > 1).cast(int)
    where = written(tmp_path / "grades", table.with_columns(y=grades))
    here = LinearRanker(tol=1e-12, graded=True).fit(matrix(table), grades.to_numpy())
    assert_allclose(LinearRanker(tol=1e-12, graded=True).fit(where, "y").coef_, here.coef_, rtol=0, atol=1e-9)


def test_scores_take_columns_by_name_in_any_order(four, tmp_path):
    table = rows()
    there = LinearRanker().fit(written(tmp_path / "big", table.drop("w", "g")), "y")
    other = written(tmp_path / "other", table.select("w", "on", "b", "many", "a", "g"))
    assert_allclose(there.decision_function(other), there.decision_function(table[FEATURES]))
    nameless = LinearRanker().fit(matrix(table), table["y"].to_numpy())
    only = written(tmp_path / "only", table[FEATURES])
    assert_allclose(nameless.decision_function(only), nameless.decision_function(matrix(table)))
    with pytest.raises(ValueError, match=r"must have the 4 columns of training\. Got 6 in .*other, for a ranker"):
        nameless.decision_function(other)


WRONG = {
    r"Parquet files must be there\. Found none at '.*nothing'": lambda at: LinearRanker().fit(at / "nothing", "y"),
    r"'z'": lambda at: LinearRanker().fit(at / "big", "z"),
    r"'weight'": lambda at: LinearRanker().fit(at / "big", "y", "weight"),
    r"column 'g' of .*big must hold numbers\. Got String\.": lambda at: BoostedRanker().fit(at / "big", "y"),
    r"must be names of columns where X is a path\. Got ndarray": lambda at: LinearRanker().fit(at / "big", np.ones(9)),
    r"must be names of columns where X is a path\. Got NoneType": lambda at: LinearRanker().fit(at / "big", None),
    r"labels must have two values\. Got 0, 1, 7, the third in .*third.1\.parquet\.": lambda at: LinearRanker().fit(
        at / "third", "y"
    ),
    r"on a cluster\. Got 'group 0' in .*big.0\.parquet\.": lambda at: LinearRanker().fit(at / "big", "g"),
    r"X must be finite\. Got otherwise\. .* in .*gaps.1\.parquet\.": lambda at: LinearRanker().fit(at / "gaps", "y"),
    r"must be a whole Parquet file": lambda at: LinearRanker().fit(Path(__file__), "y"),
    r"columns to learn from beside those named\. Got none": lambda at: LinearRanker().fit(at / "bare", "y"),
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_is_one_line(four, tmp_path, words):
    table = rows()
    written(tmp_path / "big", table)
    written(tmp_path / "bare", table[["y"]])
    gaps = pl.when(pl.int_range(pl.len()) != 500).then("a")
    written(tmp_path / "gaps", table.drop("g").with_columns(a=gaps))
    seven = pl.when(pl.int_range(pl.len()) == 500).then(7).otherwise("y")
    written(tmp_path / "third", table.drop("g").with_columns(y=seven))
    with pytest.raises(ValueError, match=words) as found:
        WRONG[words](tmp_path)
    assert "\n" not in str(found.value)


def test_what_is_wrong_about_rows_to_score_is_one_line(four, tmp_path):
    table = rows()
    ranker = LinearRanker().fit(written(tmp_path / "big", table.drop("w", "g")), "y")
    gaps = table.with_columns(a=pl.when(pl.int_range(pl.len()) != 500).then("a"))
    wrong = {
        r"Found none at": tmp_path / "nothing",
        r"'many'": written(tmp_path / "less", table.drop("many")),
        r"column 'b' of .* must hold numbers\. Got String": written(
            tmp_path / "t", table.with_columns(pl.col("b").cast(str))
        ),
        r"X must be finite\. .* It is in .*1\.parquet\.": written(tmp_path / "gaps", gaps),
    }
    for words, where in wrong.items():
        with pytest.raises(ValueError, match=words) as found:
            ranker.decision_function(where)
        assert "\n" not in str(found.value)


ALONE = """
from ordain import LinearRanker
try:
    LinearRanker().fit("big", "y")
except ValueError as wrong:
    print(wrong)
"""


def test_paths_need_a_client():
    said = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True).stdout
    assert "paths of files need a client of a cluster. Got none. Make one first" in said
    assert len(said.splitlines()) == 1
