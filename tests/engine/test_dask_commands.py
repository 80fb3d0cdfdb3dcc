"""`ordain fit`, `score` and `evaluate` on a cluster: the whole journey, with the figures of one machine."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

distributed = pytest.importorskip("distributed")
pytest.importorskip("xgboost")

import ordain  # noqa: E402
from ordain.cli import main  # noqa: E402
from ordain.engine.cluster import cluster  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def address():
    with cluster("local:2") as client:
        yield client.scheduler.address


@pytest.fixture
def files(tmp_path):
    """A table in one file, and the same rows in a folder of three."""
    rng = np.random.default_rng(0)
    n = 3000
    x, gap = rng.normal(size=n), rng.normal(size=n)
    table = pl.DataFrame({
        "amount": rng.lognormal(size=n), "x": x, "city": np.array(["Oslo", "Rome", "Bonn"])[rng.integers(0, 3, n)],
        "day": pl.Series(rng.integers(10_000, 20_000, n)).cast(pl.Date),
        "gap": pl.Series(gap).set(pl.Series(rng.random(n) < 0.1), None),
        "y": (x + rng.logistic(size=n) > 1.5).astype(int),
    })  # fmt: skip
    (tmp_path / "big").mkdir()
    table.write_parquet(tmp_path / "all.parquet")
    for name, rows in {"0": table[:700], "1": table[700:2500], "2": table[2500:]}.items():
        rows.write_parquet(tmp_path / "big" / f"{name}.parquet")
    return tmp_path


def ran(*words, code=0):
    """What a command prints."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert (ended.value.code or 0) == code, out.getvalue()
    return out.getvalue()


@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_the_journey_is_that_of_one_machine(files, address, model):
    there, here = files / "there.ordain", files / "here.ordain"
    options = ("--label", "y", "--model", model, "--quick")
    said = json.loads(ran("fit", files / "big", *options, "--dask", address, "--out", there, "--json"))
    ran("fit", files / "all.parquet", *options, "--out", here)
    one, other = ordain.load(here), ordain.load(there)
    assert said["rows"] == 3000
    assert one.preparation.names == other.preparation.names
    table = pl.read_parquet(files / "all.parquet")
    assert_allclose(other.scores(table), one.scores(table), atol=1e-5)

    ran("score", files / "big", "--model", there, "--dask", address, "--out", files / "parts")
    parts = pl.concat([pl.read_parquet(path) for path in sorted((files / "parts").glob("*.parquet"))])
    assert parts.height == 3000 and parts.columns[:2] == ["score", "probability"]
    assert_allclose(parts["score"].to_numpy(), other.scores(table))
    ran("score", files / "big", "--model", there, "--dask", address, "--out", files / "first.csv", "--top", 7)
    assert pl.read_csv(files / "first.csv")["rank"].to_list() == list(range(1, 8))
    assert_allclose(pl.read_csv(files / "first.csv")["score"], np.sort(parts["score"].to_numpy())[::-1][:7])

    figures = json.loads(ran("evaluate", files / "parts", "--label", "y", "--dask", address, "--json"))
    interval = ordain.auc_interval(parts["y"].to_numpy(), parts["score"].to_numpy())
    assert figures["auc"] == interval.value
    assert_allclose([figures["low"], figures["high"]], [interval.low, interval.high], rtol=1e-12)


def test_what_is_wrong_is_one_line_and_nothing_is_written(files, address):
    out = files / "m.ordain"
    fit = ("fit", files / "big", "--out", out, "--dask", address, "--label")
    cases = {
        "--group and --cluster": (*fit, "y", "--group", "city"),
        "must have two values": (*fit, "city"),
        "Found none at": ("fit", files / "nothing", "--label", "y", "--out", out, "--dask", address),
        "address of a Dask scheduler": ("fit", files / "big", "--label", "y", "--out", out, "--dask", "nowhere"),
    }
    for words, command in cases.items():
        found = ran(*command, code=2)
        assert words in found and len(found.strip().splitlines()) == 1, found
    pl.DataFrame({"x": [1.0], "other": [2]}).write_parquet(files / "big" / "3.parquet")
    assert "all files must have the same columns" in ran(*fit, "y", code=2)
    assert not out.exists()


def test_a_third_label_in_one_file_is_refused(files, address):
    rows = pl.read_parquet(files / "big" / "2.parquet")
    rows.with_columns(
        y=pl.when(pl.int_range(rows.height) == 5).then(7).otherwise(pl.col("y")).cast(pl.Int64)
    ).write_parquet(files / "big" / "2.parquet")
    found = ran("fit", files / "big", "--label", "y", "--out", files / "m.ordain", "--dask", address, code=2)
    assert "must have two values" in found
    assert not (files / "m.ordain").exists()
