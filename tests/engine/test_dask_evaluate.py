"""`ordain evaluate` of many files, on a cluster and here: every figure is that of one table."""

import json

import numpy as np
import polars as pl
import pytest

distributed = pytest.importorskip("distributed")
pytest.importorskip("xgboost")

from ordain.cli import main  # noqa: E402
from ordain.tables.slices import slices  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

KINDS = {
    "one list": (),
    "weights": ("--weight", "w"),
    "groups": ("--group", "query"),
    "clusters": ("--cluster", "person"),
    "exact": ("--ci", "exact", "--level", ".9"),
    "delong": ("--ci", "delong", "--level", ".8"),
    "clusters by delong": ("--cluster", "person", "--ci", "delong"),
    "grades": ("--graded",),
    "grades in groups": ("--graded", "--group", "query"),
    "weighted grades in groups": ("--graded", "--group", "query", "--weight", "w"),
}


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A scored table in one file, and the same rows in a folder of four, one class or no label in some of them."""
    folder = tmp_path_factory.mktemp("scored")
    rng = np.random.default_rng(0)
    n = 2400
    y, noise = (np.arange(n) >= 1900).astype(int), rng.normal(size=n)
    person = rng.integers(0, 40, n)
    table = pl.DataFrame({
        "grade": y * rng.integers(1, 4, n) - 1, "y": y, "whole": np.round(2 * noise + 2 * y).astype(int) + 2**60,
        "fine": noise + y + 0.3 * rng.normal(size=40)[person], "tied": np.round(noise + y, 1),
        "w": rng.integers(0, 5, n) * 0.3, "query": [f"q {k}" for k in rng.integers(0, 60, n)], "person": person,
    })  # fmt: skip
    lacking = table[:5].with_columns(y=pl.lit(None, pl.Int64), grade=pl.lit(None, pl.Int64))
    table = pl.concat([table, lacking])
    (folder / "parts").mkdir()
    table.write_parquet(folder / "all.parquet")
    for k, (start, end) in enumerate([(0, 700), (700, 1950), (1950, 2400), (2400, 2405)]):
        table[start:end].write_parquet(folder / "parts" / f"{k}.parquet")
    return folder


def figures(said):
    return {name: of for name, of in json.loads(said).items() if name not in ("file", "read", "report")}


WRONG = {
    "column 'y' must hold labels. Got none. Is it the right one?": ({"y": [None, None]}, ()),
    "graded labels must contain two different grades. Got only 1.": ({"y": [1, 1]}, ("--graded",)),
    "weights must not be negative. Got -1 in": ({"y": [0, 1], "w": [-1.0, 2.0]}, ("--weight", "w")),
    "a group with both classes": ({"y": [0, 1], "q": ["f", "g"]}, ("--graded", "--group", "q")),
}


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize("said", WRONG)
def test_what_is_wrong_in_many_files_is_one_line(tmp_path, address, capsys, said, here):
    columns, options = WRONG[said]
    for name in "ab":
        (tmp_path / "parts").mkdir(exist_ok=True)
        table = pl.DataFrame({"s": [1.0, 2.0], **columns}).with_columns(pl.col("y").cast(pl.Int64))
        table.write_parquet(tmp_path / "parts" / f"{name}.parquet")
    options = (*options, *(() if here else ("--dask", address)))
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", str(tmp_path / "parts"), "--label", "y", "--score", "s", *options])
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    assert told.err.startswith(f"ordain: {said}") and told.err.count("\n") == 1


@pytest.mark.parametrize("score", ["fine", "tied", "whole"])
@pytest.mark.parametrize("kind", KINDS)
def test_figures_are_those_of_one_table(scored, address, ran, kind, score):
    options = ("--score", score, "--label", "grade" if "grade" in kind else "y", *KINDS[kind], "--json")
    here = figures(ran("evaluate", scored / "all.parquet", *options))
    for where in ((scored / "parts", "--dask", address), (scored / "parts" / "*.parquet",)):
        there = figures(ran("evaluate", *where, *options))
        same(there, here)
        if "w" not in "".join(KINDS[kind]):
            assert there["auc"] == here["auc"]


def same(there, here):
    """Equal to 1e-12, lists and all."""
    if isinstance(here, dict):
        assert there.keys() == here.keys()
        for name in here:
            same(there[name], here[name])
    elif isinstance(here, list):
        assert len(there) == len(here)
        for one, other in zip(there, here, strict=True):
            same(one, other)
    else:
        assert there == (pytest.approx(here, rel=1e-12, abs=1e-13) if isinstance(here, float) else here)


@pytest.mark.parametrize("method", ["effective", "exact", "delong", "guaranteed"])
@pytest.mark.parametrize("score", ["fine", "tied", "whole"])
def test_a_long_file_is_told_of_as_a_short_one(scored, ran, monkeypatch, score, method):
    """Read slice by slice, and at once: every word, figure and curve printed is the same."""
    monkeypatch.setattr("ordain.commands.sparkline._is_shown", lambda found: bool(found.top))
    options = ("evaluate", scored / "all.parquet", "--score", score, "--label", "y", "--ci", method)
    short = ran(*options), json.loads(ran(*options, "--json"))
    assert "ROC  ▁" in short[0] or "ROC  ▂" in short[0]
    read = []
    monkeypatch.setattr("ordain.commands.evaluate.LONG", 2405)
    monkeypatch.setattr("ordain.evaluation.figures_spread.slices", lambda where: read.append(where) or slices(where))
    assert ran(*options) == short[0]
    same(json.loads(ran(*options, "--json")), short[1])
    assert bool(read) == (method != "guaranteed")
    monkeypatch.setattr("ordain.commands.evaluate.LONG", 2406)
    read.clear()
    assert ran(*options) == short[0] and not read
