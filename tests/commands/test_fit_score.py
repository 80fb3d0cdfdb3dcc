"""`ordain fit` and `ordain score` as people use them."""

import gzip
import json
import shlex
import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning

import ordain
from ordain import tables
from ordain.cli import main
from ordain.learn.linear import LinearRanker
from ordain.model import load, scoring
from ordain.tables.batches import batches


def rows(n=240, seed=0):
    rng = np.random.default_rng(seed)
    age, city = rng.integers(18, 90, n), rng.choice(["Oslo", "Rome", "Bonn"], n)
    churned = (age - 50) / 20 + (city == "Rome") + rng.logistic(size=n) > 0.5
    return pl.DataFrame(
        {"id": [f"c{k:04}" for k in range(n)], "age": age, "city": city, "churned": np.where(churned, "yes", "no")}
    )


FIT = ("fit", "train.csv", "--label", "churned", "--out", "m.ordain", "--model", "linear", "--reduction", "pairwise")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The bytes of a model file."""
    folder = tmp_path_factory.mktemp("model")
    rows().write_csv(folder / "train.csv")
    with pytest.raises(SystemExit) as ended:
        main(["fit", str(folder / "train.csv"), *FIT[2:5], str(folder / "m.ordain"), *FIT[6:]])
    assert ended.value.code == 0
    return (folder / "m.ordain").read_bytes()


@pytest.fixture
def files(run, fitted):
    rows().write_csv("train.csv")
    rows(seed=1).write_csv("new.csv")
    Path("m.ordain").write_bytes(fitted)
    return run


def test_rows_come_back_best_first_with_all_their_columns(files):
    code, _, err = files("score", "new.csv", "--model", "m.ordain", "--out", "ranked.csv")
    assert (code, err) == (0, "")
    ranked, new = pl.read_csv("ranked.csv"), rows(seed=1)
    assert ranked.columns == ["rank", "score", "probability", "id", "age", "city", "churned"]
    assert ranked["rank"].to_list() == list(range(1, 241))
    assert (ranked["score"].diff().drop_nulls() <= 0).all()
    assert ranked.sort("id").select(new.columns).equals(new)
    assert ordain.auc(ranked["churned"] == "yes", ranked["score"]) > 0.7
    assert (ranked["probability"].to_numpy() > 0.5).tolist() == (ranked["score"].to_numpy() > 0).tolist()


def test_scores_are_those_of_the_model_whatever_the_columns_are_called_around(files):
    new = rows(seed=1)
    new.select("city", pl.lit(1).alias("more"), "id", "age").write_parquet("other.parquet")
    assert files("score", "other.parquet", "--model", "m.ordain", "--out", "ranked.jsonl")[0] == 0
    ranked = pl.read_ndjson("ranked.jsonl").sort("id")
    np.testing.assert_array_equal(ranked["score"], load("m.ordain").scores(new))


SIGNS = {
    "-a": [str(k) for k in range(80)],
    "=b": ["+x", "-x", "=x", "@x"] * 20,
    "y": ["+" if k * 7 % 10 < k / 8 else "-" for k in range(80)],
}


@pytest.mark.parametrize("out", ["ranked.csv", "ranked.tsv", "ranked.jsonl", "ranked.parquet"])
def test_cells_and_names_go_out_as_they_came_in(run, out):
    """Labels + and - and a column -a survive score, and evaluate reads them."""
    table = pl.DataFrame(SIGNS)
    table.write_csv("signs.csv")
    options = ("--label", "y", "--positive", "+", "--model", "linear", "--reduction", "balanced")
    assert run("fit", "signs.csv", *options, "--out", "m.ordain")[0] == 0
    assert run("score", "signs.csv", "--model", "m.ordain", "--out", out)[0] == 0
    ranked = pl.concat([batch.frame for batch in batches(out, None, tables.Reading())]).select(table.columns)
    assert sorted(ranked.rows()) == sorted(table.rows())
    code, found, err = run("evaluate", out, "--label", "y", "--positive", "+", "--json")
    assert (code, err) == (0, "")
    assert json.loads(found)["positive"] == "+"
    assert run("score", "signs.csv", "--model", "m.ordain", "--out", out, "--force", "--guard-formulas")[0] == 0
    guarded = pl.concat([batch.frame for batch in batches(out, None, tables.Reading())])
    text = out in ("ranked.csv", "ranked.tsv")
    assert guarded.columns[-3:] == (["'-a", "'=b", "y"] if text else ["-a", "=b", "y"])
    assert set(guarded["y"]) == ({"'+", "'-"} if text else {"+", "-"})


def test_fit_without_xgboost_tries_linear_models_and_says_how_to_get_trees(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    rows().write_csv("train.csv")
    code, out, err = run(*FIT[:6])
    assert (code, err) == (0, "")
    assert 'Only linear models are tried; for trees too: pip install "ordain[boost]"' in " ".join(out.split())
    assert "linear pairwise" in out and "boosted" not in out


def test_score_says_what_it_did_and_what_to_type_next(files):
    scored = ("score", "new.csv", "--model", "m.ordain", "--out")
    assert files(*scored, "ranked.csv")[1].splitlines() == [
        "240 rows of new.csv, ranked by m.ordain, are in ranked.csv.",
        "How well they are ranked: ordain evaluate ranked.csv --label churned",
    ]
    assert files(*scored, "top.csv", "--top", "7")[1].splitlines() == [
        "The first 7 of 240 rows of new.csv, ranked by m.ordain, are in top.csv."
    ]
    code, out, err = files(*scored, "-")
    assert (code, err) == (0, "240 rows of new.csv, ranked by m.ordain, are on standard output.\n")
    assert out == Path("ranked.csv").read_text()
    rows(seed=1).drop("churned").write_csv("unlabelled.csv")
    out = files("score", "unlabelled.csv", *scored[2:], "plain.csv")[1]
    assert out == "240 rows of unlabelled.csv, ranked by m.ordain, are in plain.csv.\n"


def test_score_tells_programs_the_same(files):
    rows(seed=1).with_columns(city=pl.lit("Paris")).write_csv("new.csv")
    found = json.loads(files("score", "new.csv", "--model", "m.ordain", "--out", "r.csv", "--top", "9", "--json")[1])
    notice = "Column 'city': 240 of 240 rows have a value never seen in training."
    assert found == {
        "file": "new.csv", "read": "", "model": "m.ordain", "out": "r.csv", "rows": 240, "written": 9,
        "trained_on": None, "unseen": {"city": 240}, "notices": [notice], "evaluate": None,
    }  # fmt: skip
    assert notice in files("score", "new.csv", "--model", "m.ordain", "--out", "s.csv")[1]


def test_rows_that_were_trained_on_are_told(run):
    """Here the rows differ, so that the model keeps a sketch; elsewhere in this file they repeat, and it does not."""
    train, new = (rows(seed=seed).with_columns(x=pl.Series(np.random.default_rng(seed).random(240))) for seed in (0, 1))
    kinds = {"train.csv": train, "new.csv": new, "half.csv": pl.concat([train[:100], new[:100]])}
    for name, table in kinds.items():
        table.write_csv(name)
    assert run(*FIT)[0] == 0
    for name, share in {"train.csv": 1, "half.csv": 0.5, "new.csv": 0}.items():
        scored = ("score", name, "--model", "m.ordain", "--out", "r.csv", "--force")
        assert json.loads(run(*scored, "--json")[1])["trained_on"] == share
        said = f"About {share:.0%} of these rows were trained on: what ordain evaluate says of them is too good.\n"
        assert (said in run(*scored)[1]) == bool(share)


UNITS = {
    "named": ("--positive", "no"),
    "weighted": ("--weight", "my weight"),
    "grouped": ("--group", "query"),
    "clustered": ("--cluster", "query"),
    "graded": ("--graded", "--group", "query", "--drop", "churned"),
}


@pytest.mark.parametrize("options", UNITS.values(), ids=UNITS)
def test_the_commands_to_type_next_work(run, options):
    table = rows().with_columns(
        pl.Series("my weight", 1 + np.arange(240) % 3),
        stars=pl.Series(np.arange(240) * 7 % 4),
        query=pl.Series(np.arange(240) // 12),
    )
    table.write_csv("train.csv")
    label = "stars" if "--graded" in options else "churned"
    fit = ("fit", "train.csv", "--label", label, "--out", "my model.ordain", "--model", "linear")
    code, out, _ = run(*fit, "--reduction", "pairwise", *options)
    assert code == 0
    score, evaluate = (shlex.split(line.removeprefix("  ordain ")) for line in out.splitlines()[-2:])
    assert score == ["score", "NEW.csv", "--model", "my model.ordain", "--out", "ranked.csv"]
    out = run("score", "train.csv", *score[2:])[1]
    command = shlex.split(out.splitlines()[-1].partition("ordain ")[2])
    assert command == evaluate
    code, found, err = run(*command, "--json")
    assert (code, err) == (0, "")
    assert command[2:] == ["--label", label, *(option for option in options if option not in ("--drop", "churned"))]
    ranked = pl.read_csv("ranked.csv")
    units = {"weights": ranked["my weight"]} if "--weight" in options else {}
    units |= {"groups": ranked["query"], "graded": label == "stars"} if "--group" in options else {}
    labels = ranked["stars"] if label == "stars" else ranked["churned"] == ("no" if "no" in options else "yes")
    assert json.loads(found)["auc"] == ordain.auc(labels, ranked["score"], **units)


@pytest.mark.parametrize(
    ("table", "model", "ending"),
    [
        ("train.csv", "train.ordain", ".csv"),
        ("a.b.tsv", "a.b.ordain", ".tsv"),
        ("x.csv.gz", "x.ordain", ".csv.gz"),
        ("sub/y.csv", "y.ordain", ".csv"),
    ],
)
def test_without_a_name_the_model_has_that_of_the_table(run, table, model, ending):
    Path("sub").mkdir()
    tables.write_table(rows(60), table)
    fit = ("fit", table, "--label", "churned", "--model", "linear", "--reduction", "balanced")
    code, out, _ = run(*fit)
    assert code == 0
    assert f"is in {model}." in out
    assert load(model).label == "churned"
    assert f"ordain score NEW{ending} --model {model} " in out
    assert f"{model} exists" in run(*fit)[2]
    assert json.loads(run(*fit, "--force", "--json")[1])["next"] == [line[2:] for line in out.splitlines()[-2:]]


def test_an_id_is_noticed_and_not_used(run):
    rows().write_csv("train.csv")
    code, out, _ = run(*FIT)
    assert code == 0
    assert "Column 'id' is not used" in out
    assert load("m.ordain").preparation.names == ["age", "city"]


@pytest.mark.parametrize("out", ["ranked.csv", "ranked.tsv.gz", "ranked.parquet", "ranked.jsonl"])
def test_many_rows_spill_to_disk_and_come_back_in_order(files, monkeypatch, out):
    big = pl.concat([rows(seed=k).with_columns(part=pl.lit(k)) for k in range(6)])
    big.write_parquet("big.parquet")
    assert files("score", "big.parquet", "--model", "m.ordain", "--out", f"whole-{out}")[0] == 0
    monkeypatch.setattr(scoring, "CHUNK", 100)
    monkeypatch.setattr("ordain.tables.batches.ROWS", 64)
    assert files("score", "big.parquet", "--model", "m.ordain", "--out", out)[0] == 0
    assert sorted(Path().iterdir()) == sorted(
        map(Path, ["train.csv", "new.csv", "m.ordain", "big.parquet", f"whole-{out}", out])
    )
    if out == "ranked.parquet":
        assert pl.read_parquet(out).equals(pl.read_parquet(f"whole-{out}"))
    else:
        opened = gzip.open if out.endswith(".gz") else open
        with opened(out, "rb") as parts, opened(f"whole-{out}", "rb") as whole:
            assert parts.read() == whole.read()


def test_the_first_rows_alone_are_the_first_of_all(files, monkeypatch):
    monkeypatch.setattr("ordain.tables.batches.ROWS", 50)
    rows(seed=1).write_parquet("new.parquet")
    files("score", "new.parquet", "--model", "m.ordain", "--out", "all.csv")
    files("score", "new.parquet", "--model", "m.ordain", "--out", "first.csv", "--top", "17")
    assert pl.read_csv("first.csv").equals(pl.read_csv("all.csv").head(17))


def test_the_same_seed_gives_the_same_file(run):
    rows(120).write_csv("train.csv")
    for name in ("a", "b"):
        assert run(*FIT[:5], f"{name}.ordain", "--model", "linear", "--seed", "7")[0] == 0
        assert run(*FIT[:5], f"{name}2.ordain", "--model", "boosted", "--reduction", "pairwise", "--seed", "7")[0] == 0
    assert Path("a.ordain").read_bytes() == Path("b.ordain").read_bytes()
    assert Path("a2.ordain").read_bytes() == Path("b2.ordain").read_bytes()


def test_a_warning_is_one_line(run, monkeypatch):
    rows().write_csv("train.csv")
    monkeypatch.setattr("ordain.learn.linear.LinearRanker._solution", warned(LinearRanker._solution))
    code, _, err = run(*FIT)
    assert (code, err) == (0, "ordain: it stopped early\n")


def warned(method):
    """The method, which warns whenever it is called."""

    def called(*arguments):
        warnings.warn("it stopped early", ConvergenceWarning, stacklevel=2)
        return method(*arguments)

    return called


def test_json_tells_the_comparison(run):
    rows().write_csv("train.csv")
    code, out, _ = run(*FIT[:6], "--model", "linear", "--goal", "top:10%", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["positive"] == "yes"
    assert found["rows"] == 240
    assert found["comparison"]["trials"][0]["name"] == "linear balanced"
    assert found["comparison"]["picked"] in [trial["name"] for trial in found["comparison"]["trials"]]
    assert any("'id'" in notice for notice in found["notices"])


def test_every_candidate_but_the_best_is_said_to_be_below_it(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    rows(60).write_csv("train.csv")
    fit = (*FIT[:6], "--model", "linear", "--force")
    trials = json.loads(run(*fit, "--json")[1])["comparison"]["trials"]
    out = run(*fit)[1]
    lines, tops = out.splitlines(), trials[0]["top"] is not None
    assert (out.count(" first 1%"), out.count("; first 1%:")) == (2 * tops, tops)
    for trial in trials:
        [line] = [line for line in lines if line.startswith(f"{trial['name']}  ")]
        assert f" {trial['auc']:.3f} " in line
        assert ("[" in line) == (trial["goal"] < max(other["goal"] for other in trials))


def test_grades_groups_weights_and_dropped_columns(run):
    table = rows().with_columns(
        stars=pl.Series(np.arange(240) % 4),
        query=pl.Series(np.arange(240) // 12),
        weight=pl.Series(1 + np.arange(240) % 3),
    )
    table.write_csv("train.csv")
    options = ("--graded", "--group", "query", "--weight", "weight", "--drop", "churned", "--drop", "id")
    code, _, err = run("fit", "train.csv", "--label", "stars", "--out", "g.ordain", "--model", "linear", *options)
    assert (code, err) == (0, "")
    model = load("g.ordain")
    assert model.grades == (0, 1, 2, 3)
    assert model.preparation.names == ["age", "city"]
    assert run("score", "train.csv", "--model", "g.ordain", "--out", "ranked.csv")[0] == 0
    assert "probability" not in pl.read_csv("ranked.csv").columns


FAULTS = {
    "no such file": (("fit", "none.csv", "--label", "churned", "--out", "x.ordain"), "none.csv"),
    "no name for the model": (("fit", "-", "--label", "churned"), "--out must be given"),
    "no such label": (("fit", "train.csv", "--label", "left", "--out", "x.ordain"), "'left'"),
    "no such column to drop": ((*FIT[:5], "x.ordain", "--drop", "nothing"), "'nothing'"),
    "the model exists": (FIT, "m.ordain"),
    "a strange goal": ((*FIT[:5], "x.ordain", "--goal", "top:lots"), "the goal must be auc"),
    "a strange loss": ((*FIT[:5], "x.ordain", "--loss", "cubic"), "cubic"),
    "points and a push": ((*FIT[:5], "x.ordain", "--reduction", "balanced", "--push", "3"), "need pairs"),
    "a column the model needs": (("score", "lacking.csv", "--model", "m.ordain", "--out", "x.csv"), "'age'"),
    "text for a number": (("score", "wrong.csv", "--model", "m.ordain", "--out", "x.csv"), "row 2"),
    "not a model": (("score", "new.csv", "--model", "new.csv", "--out", "x.csv"), "new.csv"),
    "an extension that is no table": (("score", "new.csv", "--model", "m.ordain", "--out", "x.txt"), "x.txt"),
    "no rows wanted": (("score", "new.csv", "--model", "m.ordain", "--out", "x.csv", "--top", "0"), "--top"),
    "JSON and rows on one output": (
        ("score", "new.csv", "--model", "m.ordain", "--out", "-", "--json"),
        "--json must stand without",
    ),
    "a score column already": (("score", "scored.csv", "--model", "m.ordain", "--out", "x.csv"), "'score'"),
}


@pytest.mark.parametrize(("arguments", "named"), FAULTS.values(), ids=FAULTS)
def test_wrong_input_gets_one_line_and_leaves_nothing_behind(files, arguments, named):
    rows().drop("age").write_csv("lacking.csv")
    Path("wrong.csv").write_text("age,city\n30,Oslo\nold,Rome\n")
    rows().with_columns(score=pl.lit(1)).write_csv("scored.csv")
    before = sorted(Path().iterdir())
    code, out, err = files(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert named in err
    assert sorted(Path().iterdir()) == before


def test_models_are_fitted_by_the_ndcg_of_groups(run):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 240)).round(3)
    grades = np.digitize(x + rng.normal(size=240), [0, 1, 2])
    table = {"x": x, "z": z, "grade": grades, "query": [f"q{k // 8}" for k in range(240)], "w": 1 + rng.random(240)}
    pl.DataFrame(table).write_csv("queries.csv")
    words = ("fit", "queries.csv", "--label", "grade", "--graded", "--drop", "w", "--model", "linear", "--force")
    code, out, _ = run(*words, "--group", "query", "--goal", "ndcg:3", "--json")
    found = json.loads(out)["comparison"]
    assert (code, found["goal"]) == (0, "NDCG@3")
    assert all(0.5 < trial["goal"] < 1 for trial in found["trials"])
    assert "NDCG@3" in run(*words, "--group", "query", "--goal", "ndcg:3")[1]
    assert run(*words, "--goal", "ndcg:3")[0] == 0  # one list
    weighted = run(*words[:5], "--model", "linear", "--group", "query", "--weight", "w", "--goal", "ndcg:3", "--force")
    assert weighted[0] == 2
    assert weighted[2].endswith("NDCG@3 needs rows that weigh the same. Got weights. Use auc.\n")
