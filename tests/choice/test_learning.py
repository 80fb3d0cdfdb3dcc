"""Learning from Python: a frame is what a file is, a model goes to a file and back, and so does a ranker of arrays."""

import datetime
import inspect
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import ordain
from ordain._json import parsed, written
from ordain.cli import cli, main
from ordain.model import load as load_model
from ordain.model.archive import packed, unpacked
from ordain.model.either import CATEGORIES
from ordain.tables import frame_of

LINEAR = {"model": "linear", "reduction": "balanced"}
SHORT = ("--model", "linear", "--reduction", "balanced")


def rows(n=160, seed=0):
    """A table with a column of each kind, gaps, and some rows without a label."""
    rng = np.random.default_rng(seed)
    age, city = rng.integers(18, 90, n), rng.choice(["Oslo", "Rome", "Bonn"], n)
    paid = np.round(rng.gamma(2, 500, n), 2)
    churned = np.where((age - 50) / 20 + (city == "Rome") + rng.logistic(size=n) > 0.5, "yes", "no")
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(int(day)) for day in rng.integers(0, 400, n)]
    frame = pl.DataFrame({"age": age, "city": city, "paid": paid, "since": days, "churned": churned})
    gap = pl.Series(rng.random(n) < 0.1)
    return frame.with_columns(
        paid=pl.when(gap).then(None).otherwise("paid"), churned=pl.when(gap).then(None).otherwise("churned")
    )


def pandas_of(frame):
    """The same table in pandas, with an index that is not 0, 1, 2."""
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(frame.to_dict(as_series=False), index=np.arange(frame.height) * 7 + 3)


def arrow_of(frame):
    """The same table in pyarrow, in two chunks."""
    pa = pytest.importorskip("pyarrow")
    return pa.concat_tables([frame[:50].to_arrow(), frame[50:].to_arrow()])


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 0


KINDS = {
    "polars": lambda frame, path: frame,
    "pandas": lambda frame, path: pandas_of(frame),
    "pyarrow": lambda frame, path: arrow_of(frame),
    "path": lambda _, p: p,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_gives_the_model_and_the_list_that_the_commands_give(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows().write_csv("train.csv")
    rows(seed=1).write_csv("new.csv")
    run("fit", "train.csv", "--label", "churned", "--out", "m.ordain", "--seed", 3, *SHORT)
    run("score", "new.csv", "--model", "m.ordain", "--out", "ranked.csv")
    model = ordain.fit(KINDS[kind](rows(), Path("train.csv")), "churned", seed=3, **LINEAR)
    listed = model.score(KINDS[kind](rows(seed=1), Path("new.csv")))
    written_by = pl.read_csv("ranked.csv", infer_schema=False)
    names = listed.column_names if kind == "pyarrow" else list(listed.columns)
    assert names == written_by.columns == ["rank", "score", "probability", *rows().columns]
    for name in ("rank", "score", "probability"):
        assert_array_equal(np.asarray(listed[name], float), written_by[name].cast(pl.Float64).to_numpy())
    assert [str(age) for age in listed["age"]] == written_by["age"].to_list()
    found, theirs = model.choice.as_json(), load_model("m.ordain").summary["comparison"]
    assert [one["auc"] for one in found["trials"]] == [one["auc"] for one in theirs["trials"]]
    unlabelled = rows()["churned"].null_count()
    assert model.notices[0] == f"{unlabelled} rows without a label were left out."


def test_the_choice_of_all_candidates_is_the_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows(90).write_csv("train.csv")
    run("fit", "train.csv", "--label", "churned", "--out", "m.ordain")
    model = ordain.fit(rows(90), "churned")
    same = ordain.load("m.ordain")
    assert model.summary == same.summary
    assert len(model.choice.trials) > 4
    assert model.choice.picked.candidate.name == same.summary["comparison"]["picked"]
    new = rows(40, seed=1)
    assert model.score(new).equals(same.score(new))


def test_fit_has_the_options_of_the_command_with_its_defaults():
    mine = {name: one.default for name, one in inspect.signature(ordain.fit).parameters.items()}
    command = {option.name: option.default for option in cli.commands["fit"].params if option.opts[0].startswith("--")}
    others = {"label", "out", "force", "as_json", "report", "dask"}
    assert set(mine) - {"table", "label"} == set(command) - others
    for name in ("goal", "model", "reduction", "loss", "seed"):
        assert mine[name] == command[name]
    with pytest.raises(TypeError, match="goals"):
        ordain.fit(rows(), "churned", goals="auc")


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_the_list_is_of_the_same_kind_with_every_column_as_it_was(kind):
    model = ordain.fit(rows(), "churned", **LINEAR)
    given = KINDS[kind](rows(seed=1), None)
    listed = model.score(given)
    assert type(listed) is type(given)
    order = np.argsort(-model.scores(rows(seed=1)), kind="stable")
    if kind == "pandas":
        import pandas as pd

        pd.testing.assert_frame_equal(listed.iloc[:, 3:], given.iloc[order].reset_index(drop=True))
        assert list(listed.index) == list(range(len(given)))
        assert list(given.columns) == rows().columns  # what was given is as it was
    elif kind == "pyarrow":
        assert listed.select(given.column_names).equals(given.take(order))
    else:
        assert listed[:, 3:].equals(given[order])
    assert_array_equal(listed["rank"], np.arange(1, len(given) + 1))
    first = model.score(given, top=5)
    assert len(first) == 5
    assert first.equals(listed.slice(0, 5) if kind == "pyarrow" else listed.head(5))


def test_text_in_a_frame_is_read_as_in_a_file():
    frame = rows().with_columns(
        paid=pl.col("paid").map_elements(lambda x: f"{x:.2f}".replace(".", ","), pl.String),
        since=pl.col("since").dt.strftime("%d.%m.%Y"),
        age=pl.format(" {} ", "age"),
    )
    model, plain = ordain.fit(frame, "churned", **LINEAR), ordain.fit(rows(), "churned", **LINEAR)
    assert [column.kind for column in model.preparation.columns] == ["number", "text", "number", "date"]
    assert str(model.forms["paid"].decimal) == ","
    np.testing.assert_allclose(model.score(frame)["score"], plain.score(rows())["score"], rtol=1e-9)


def test_weights_groups_clusters_grades_and_drops_are_columns_of_the_frame():
    rng = np.random.default_rng(0)
    frame = rows(300).drop("churned").with_columns(
        stars=pl.Series(rng.integers(1, 4, 300)), query=pl.Series(rng.choice(["a", "b", "c", "d", "e"], 300)),
        w=pl.Series(rng.integers(1, 4, 300)),
    )  # fmt: skip
    model = ordain.fit(
        frame,
        "stars",
        graded=True,
        group="query",
        weight="w",
        drop="city",
        model="linear",
        push=1,
        reduction="pairwise",
    )
    assert set(model.preparation.names) == {"age", "paid", "since"}
    assert model.grades == (1.0, 2.0, 3.0)
    assert model.score(frame).columns[:3] == ["rank", "score", "age"]
    person = ordain.fit(rows(), "churned", cluster="city", drop=["since"], **LINEAR)
    assert set(person.preparation.names) == {"age", "paid"}


PANDAS = {
    "numbers": ([1, 2], None, pl.Int64, [1, 2]),
    "small numbers": ([1.5, 2.5], "float16", pl.Float32, [1.5, 2.5]),
    "gaps": ([1.0, None], None, pl.Float64, [1.0, np.nan]),
    "whole with gaps": ([1, None], "Int64", pl.Int64, [1, None]),
    "truth": ([True, False], None, pl.Boolean, [True, False]),
    "truth with gaps": ([True, None], "boolean", pl.Boolean, [True, None]),
    "text": (["a", None], None, pl.String, ["a", None]),
    "strings": (["a", None], "string", pl.String, ["a", None]),
    "categories": ([2, 1], "category", pl.Categorical, ["2", "1"]),
    "text and numbers": (["a", 1], object, pl.String, ["a", "1"]),
    "numbers as objects": ([1, 2.5], object, pl.Float64, [1.0, 2.5]),
    "decimals": ([Decimal("1.5"), None], object, pl.Float64, [1.5, None]),
    "days": ([datetime.date(2024, 1, 2), None], object, pl.Date, [datetime.date(2024, 1, 2), None]),
    "lists": ([[], None], object, pl.Struct({"list": pl.String}), [{"list": "[]"}, None]),
    "nothing": ([None, None], object, pl.Null, [None, None]),
}


@pytest.mark.parametrize("kind", PANDAS)
def test_columns_of_pandas_keep_what_they_are(kind):
    pd = pytest.importorskip("pandas")
    values, dtype, expected, cells = PANDAS[kind]
    found = frame_of(pd.DataFrame({"x": pd.Series(values, dtype=dtype)}))["x"]
    assert found.dtype == expected
    assert str(found.to_list()) == str(cells)


def test_moments_of_pandas_are_those_of_greenwich():
    pd = pytest.importorskip("pandas")
    day = pd.Series(pd.to_datetime(["2024-03-31 12:00", None]))
    frame = frame_of(pd.DataFrame({"plain": day, "ahead": day.dt.tz_localize("Europe/Berlin"), 3: day.dt.as_unit("s")}))
    noon = datetime.datetime(2024, 3, 31, 12)
    assert frame["plain"].to_list() == frame["3"].to_list() == [noon, None]
    assert frame["ahead"].to_list() == [noon - datetime.timedelta(hours=2), None]


def test_pyarrows_moments_of_pandas_are_those_of_greenwich():
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    day = pd.Series(pd.to_datetime(["2024-03-31 12:00", None]).tz_localize("Europe/Berlin"))
    plain = day.dt.tz_localize(None)
    frame = frame_of(
        pd.DataFrame(
            {
                "ahead": day.astype("timestamp[us, tz=Europe/Berlin][pyarrow]"),
                "plain": plain.astype("timestamp[ns][pyarrow]"),
                "day": plain.astype("date32[pyarrow]"),
            }
        )
    )
    assert frame["ahead"].to_list() == [datetime.datetime(2024, 3, 31, 10), None]
    assert frame["plain"].to_list() == [datetime.datetime(2024, 3, 31, 12), None]
    assert frame["day"].to_list() == [datetime.date(2024, 3, 31), None]


def test_a_column_of_lists_may_stand_where_it_is_not_used():
    pd = pytest.importorskip("pandas")
    table = pandas_of(rows()).assign(tags=pd.Series([["a"]] * 160, dtype=object).to_numpy())
    model = ordain.fit(table, "churned", drop="tags", **LINEAR)
    assert "tags" in model.score(table).columns
    with pytest.raises(ValueError, match="column 'tags' must hold numbers, text, dates"):
        ordain.fit(table, "churned", **LINEAR)


def test_pandas_needs_no_pyarrow(tmp_path):
    pytest.importorskip("pandas")
    code = """
import sys

class Nowhere:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Nowhere())
import pandas as pd, ordain
table = pd.DataFrame({"x": range(40), "city": ["a", None] * 20, "y": [k % 3 > 0 for k in range(40)]})
model = ordain.fit(table, "y", model="linear", reduction="balanced")
print(type(model.score(table)).__module__.split(".")[0], len(model.score(table)))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert out.stdout == "pandas 40\n"


def labelled(**columns):
    return pl.DataFrame({"x": [1.0, 2, 3, 4], "y": ["a", "b", "a", "b"], **columns})


WRONG = {
    "Add positive= with one of them": lambda: ordain.fit(labelled(), "y"),
    "the table must have the column 'z'. Got 'x', 'y'": lambda: ordain.fit(labelled(), "z"),
    "must be a frame of pandas, polars or pyarrow, or a path. Got list": lambda: ordain.fit([[1, 2]], "y"),
    "must be a frame of pandas, polars or pyarrow, or a path. Got numpy.ndarray": lambda: ordain.fit(
        np.ones((2, 2)), "y"
    ),
    "separator is for files": lambda: ordain.fit(labelled(), "y", separator=";"),
    "graded=True must stand without positive=": lambda: ordain.fit(labelled(), "y", graded=True, positive="a"),
    "model must be one of auto, linear, boosted. Got 'liner'. Did you mean 'linear'": lambda: ordain.fit(
        labelled(), "y", positive="a", model="liner"
    ),
    "reduction must be one of": lambda: ordain.fit(labelled(), "y", positive="a", reduction="listwise"),
    "the table must have at least one row": lambda: ordain.fit(labelled().head(0), "y"),
    "must not have a column 'rank'": lambda: ordain.fit(rows(), "churned", **LINEAR).score(
        rows().with_columns(rank=pl.lit(1))
    ),
    "the table must have the column 'age'": lambda: ordain.fit(rows(), "churned", **LINEAR).score(labelled()),
    "top= must be 1 or more": lambda: ordain.fit(rows(), "churned", **LINEAR).score(rows(), top=0),
    "There is none of that name": lambda: ordain.load("nowhere.ordain"),
    "X and y must have as many rows. Got 3 and 2": lambda: ordain.choose(np.ones((3, 1)), [0, 1]),
    "X must have rows and columns of numbers": lambda: ordain.choose(np.array([["a"], ["b"]]), [0, 1]),
    "X must be finite, or nan": lambda: ordain.choose(np.array([[0.0], [np.inf]]), [0, 1]),
    "csr_array of shape (2, 2)": lambda: ordain.choose(sparse.csr_array(np.eye(2)), [0, 1]),
    "column 'z' must hold numbers, text, dates, or true and false": lambda: ordain.fit(
        labelled(z=[[1], [2], [3], [4]]), "y", positive="a"
    ),
    "what is saved must be a Model or a fitted": lambda: ordain.save(LogisticRegression(), "nowhere.ordain"),
    "a fitted LinearRanker, BoostedRanker, PreferenceRanker. Got LinearRanker. Fit": lambda: ordain.save(
        ordain.LinearRanker(), "nowhere.ordain"
    ),
}


@pytest.mark.parametrize(("message", "wrong"), WRONG.items(), ids=WRONG)
def test_what_is_wrong_is_one_line_in_the_words_of_python(message, wrong):
    with pytest.raises(ValueError) as caught:
        wrong()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)


def test_two_columns_of_pandas_of_one_name_are_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"different column names. Got 'x' 2 times"):
        ordain.fit(pd.DataFrame([[1, 2, 0]], columns=["x", "x", "y"]), "y")


def test_two_columns_of_pyarrow_of_one_name_are_refused():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=r"different column names. Got 'x' 2 times"):
        ordain.fit(pa.Table.from_arrays([[1], [2], [0]], names=["x", "x", "y"]), "y")


def test_every_type_of_pyarrow_is_a_feature_as_in_polars_or_refused_in_one_line():
    pa = pytest.importorskip("pyarrow")
    y = rows()["churned"].to_list()
    tens = [Decimal(k % 9) / 10 for k in range(160)]
    kinds = {
        "dictionary": pa.array(["a", "b"] * 80).dictionary_encode(),
        "decimal": pa.array(tens),
        "half": pa.array((np.arange(160) % 7 + 0.5).astype(np.float16)),
        "moment": pa.array(range(160), pa.timestamp("s", tz="Europe/Berlin")),
        "view": pa.array(["a", "b"] * 80, pa.string_view()),
    }
    model = ordain.fit(pa.table({**kinds, "churned": y}), "churned", **LINEAR)
    assert set(model.preparation.names) == set(kinds)
    for wrong in (pa.array([[1]] * 160), pa.array([[("a", 1)]] * 160, pa.map_(pa.string(), pa.int64()))):
        with pytest.raises(ValueError, match="column 'z' must hold numbers, text, dates, or true and false"):
            ordain.fit(pa.table({"z": wrong, "churned": y}), "churned", **LINEAR)


def test_choose_takes_a_table_of_pyarrow_for_what_it_is():
    features = rows().drop("churned", "city")
    y = np.arange(160) % 3 == 0
    found, expected = (ordain.choose(of, y, **LINEAR).as_json()["trials"] for of in (arrow_of(features), features))
    assert [one["auc"] for one in found] == [one["auc"] for one in expected]


def test_a_model_goes_to_a_file_and_back(tmp_path):
    model = ordain.fit(rows(), "churned", **LINEAR)
    model.save(tmp_path / "m.ordain")
    with pytest.raises(ValueError, match=r"exists\. Add force=True to replace it"):
        model.save(tmp_path / "m.ordain")
    ordain.save(model, tmp_path / "m.ordain", force=True)
    same = ordain.load(tmp_path / "m.ordain")
    assert same.choice is None
    assert same.summary == model.summary
    assert same.score(rows(seed=1)).equals(model.score(rows(seed=1)))


def arrays(n=150):
    X, y = make_classification(n, 5, n_informative=3, weights=[0.7], random_state=0)
    return X, y, np.round(X[:, :1] * 2) % 4


RANKERS = {
    "linear": lambda X, y: ordain.LinearRanker().fit(X, y),
    "linear graded": lambda X, y: ordain.LinearRanker(graded=True).fit(X, np.digitize(X[:, 0], [-1, 0, 1])),
    "linear names": lambda X, y: ordain.LinearRanker().fit(X, np.where(y, "good", "bad")),
    "boosted": lambda X, y: ordain.BoostedRanker(n_estimators=5, n_jobs=1, random_state=0).fit(X, y),
    "boosted categories": lambda X, y: ordain.BoostedRanker(
        n_estimators=5, n_jobs=1, random_state=0, categorical=[5], settings={"max_cat_to_onehot": 1}
    ).fit(X, X[:, 5] > 1),
    "preference": lambda X, y: ordain.PreferenceRanker(pairs=200).fit(X, y),
}


@pytest.mark.parametrize("name", RANKERS)
def test_a_ranker_of_arrays_goes_to_a_file_and_back(name, tmp_path):
    pytest.importorskip({"b": "xgboost", "p": "skops"}.get(name[0], "numpy"))
    X, y, codes = arrays()
    X = np.hstack([X, codes])
    ranker = RANKERS[name](X, y)
    ordain.save(ranker, tmp_path / "r.ordain")
    same = ordain.load(tmp_path / "r.ordain")
    assert type(same) is type(ranker)
    assert_array_equal(same.decision_function(X), ranker.decision_function(X))
    assert_array_equal(same.classes_, ranker.classes_)
    assert same.get_params(deep=False).keys() == ranker.get_params(deep=False).keys()
    if not ranker.graded:
        assert_array_equal(same.predict_proba(X), ranker.predict_proba(X))
    ordain.save(same, tmp_path / "again.ordain")
    assert (tmp_path / "again.ordain").read_bytes() == (tmp_path / "r.ordain").read_bytes()
    with pytest.raises(ValueError, match=r"Got a ranker of arrays\. Load it in Python: ordain.load"):
        load_model(tmp_path / "r.ordain")


@pytest.mark.parametrize("kind", ["LinearRanker", "BoostedRanker"])
def test_the_names_of_columns_are_kept(kind, tmp_path):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"a": np.arange(30), "b": np.arange(30.0) % 7})
    ranker = getattr(ordain, kind)().fit(X, np.arange(30) > 11)
    ordain.save(ranker, tmp_path / "r.ordain")
    same = ordain.load(tmp_path / "r.ordain")
    assert same.feature_names_in_.tolist() == ["a", "b"]
    assert_array_equal(same.decision_function(X), ranker.decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        same.decision_function(X.rename(columns={"a": "c"}))


FORGED = {
    "a newer format": {"format": 2},
    "no columns": {"sizes": []},
    "more columns": {"sizes": [0] * 7},
    "too many categories": {"sizes": [0] * 5 + [CATEGORIES + 1]},
    "a negative count": {"sizes": [0] * 5 + [-1]},
    "half a name": {"names": ["a"]},
    "numbers for names": {"names": [1] * 6},
    "one more key": {"code": "import os"},
    "other entries": {"entries": {}},
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_a_ranker_that_ordain_did_not_write_is_refused(change, tmp_path):
    X, y, codes = arrays()
    ordain.save(RANKERS["linear"](np.hstack([X, codes]), y), tmp_path / "r.ordain")
    entries = unpacked((tmp_path / "r.ordain").read_bytes(), "the file")
    about = parsed(entries["estimator.json"], "estimator.json")
    (tmp_path / "same.ordain").write_bytes(packed({**entries, "estimator.json": written(about)}))
    ordain.load(tmp_path / "same.ordain")
    (tmp_path / "f.ordain").write_bytes(packed({**entries, "estimator.json": written(about | change)}))
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        ordain.load(tmp_path / "f.ordain")


def test_score_of_the_command_refuses_a_ranker_of_arrays(tmp_path, capsys):
    X, y, _ = arrays()
    ordain.save(ordain.LinearRanker().fit(X, y), tmp_path / "r.ordain")
    rows().write_csv(tmp_path / "new.csv")
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "score",
                str(tmp_path / "new.csv"),
                "--model",
                str(tmp_path / "r.ordain"),
                "--out",
                str(tmp_path / "o.csv"),
            ]
        )
    assert ended.value.code == 2
    assert "Got a ranker of arrays" in capsys.readouterr().err


def test_choose_compares_arrays_as_fit_compares_the_table_of_them():
    X, y, _ = arrays()
    found = ordain.choose(X, y, model="linear", seed=2)
    table = pl.DataFrame({f"x{k}": X[:, k] for k in range(5)}).with_columns(y=y)
    model = ordain.fit(table, "y", model="linear", seed=2)
    same = [{key: of[key] for key in of if key != "seconds"} for of in found.as_json()["trials"]]
    assert same == [{key: of[key] for key in of if key != "seconds"} for of in model.choice.as_json()["trials"]]
    assert str(found) == str(model.choice)
    json.dumps(found.as_json())


def test_choose_takes_weights_groups_grades_and_names():
    X, y, _ = arrays()
    rng = np.random.default_rng(0)
    groups, weights = rng.integers(0, 6, 150), rng.integers(1, 5, 150)
    options = {"model": "linear", "reduction": "pairwise", "push": 1}
    plain = ordain.choose(X, y, **options).picked.auc
    named = ordain.choose(X, np.where(y, "good", "bad"), positive="good", **options).picked.auc
    assert_array_equal(plain, named)
    for more in ({"weights": weights}, {"groups": groups}, {"clusters": groups}):
        assert not np.array_equal(plain, ordain.choose(X, y, **options, **more).picked.auc)
    graded = ordain.choose(X, np.digitize(X[:, 0], [-1, 0, 1]), graded=True, **options)
    assert graded.picked.auc.mean() > 0.7
    frame = pl.DataFrame({"x": X[:, 0].astype(str), "city": np.where(y, "Oslo", rng.choice(["Oslo", "Rome"], 150))})
    assert ordain.choose(frame, y, **options).picked.auc.mean() > 0.7
