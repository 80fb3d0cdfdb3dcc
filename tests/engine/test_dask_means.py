"""Columns of text as mean labels, of rows that workers hold: those of one machine, and no row tells its own label."""

import json

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

distributed = pytest.importorskip("distributed")
pytest.importorskip("xgboost")

import ordain  # noqa: E402
from ordain.choice.fitting_spread import read_spread  # noqa: E402
from ordain.choice.spread_means import with_means  # noqa: E402
from ordain.prepare import Preparation  # noqa: E402
from ordain.prepare.target_means import FOLDS, Means  # noqa: E402
from ordain.rows.record import Rows  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows of shops that differ, in three files, one with few of them."""
    folder, rng, n = tmp_path_factory.mktemp("shops"), np.random.default_rng(0), 4000
    shop, noise = rng.integers(0, 150, n), rng.logistic(size=n)
    worth = 2 * rng.normal(size=150)[shop] + noise
    table = pl.DataFrame({
        "shop": pl.Series([f"shop {k}" for k in shop]).set(pl.Series(rng.random(n) < 0.05), None),
        "x": rng.normal(size=n), "y": (worth > 1).astype(int), "grade": np.clip(np.round(worth), -2, 3),
        "w": rng.integers(1, 5, n) * 0.5, "person": [f"p {k}" for k in rng.integers(0, 500, n)],
    })  # fmt: skip
    (folder / "big").mkdir()
    table.write_parquet(folder / "all.parquet")
    for name, rows in {"0": table[:60], "1": table[60:2500], "2": table[2500:]}.items():
        rows.write_parquet(folder / "big" / f"{name}.parquet")
    return folder


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"weight": "w"},
        {"cluster": "person"},
        {"group": "person"},
        {"label": "grade", "graded": True, "weight": "w"},
    ],
    ids=["plain", "weights", "clusters", "groups", "grades"],
)
def test_means_are_those_of_one_machine_and_fitted_by_other_folds(folder, four, asked):
    asked = {"label": "y", "drop": ["grade", "y", "w", "person"], **asked}
    asked["drop"] = [name for name in asked["drop"] if name not in asked.values()]
    spread = read_spread(four, str(folder / "big"), **asked)
    drawn = spread.rows.drawn
    preparation = Preparation.told(spread.columns, drawn.features, drawn.labels)
    there, future = with_means(four, spread, preparation)

    table = pl.read_parquet(folder / "all.parquet")
    labels = table[asked["label"]].to_numpy() if asked.get("graded") else table["y"].to_numpy() == 1
    weights = table["w"].to_numpy() if asked.get("weight") else None
    here, _ = Preparation.learn(table[["shop", "x"]], labels).with_means(Rows(table, labels, weights, graded=True))
    one, other = there.columns[0], here.columns[0]
    assert isinstance(one, Means) and (one.values, one.text) == (other.values, other.text)
    assert_allclose(one.means, other.means, rtol=1e-12, atol=1e-13)
    assert one.mean == pytest.approx(other.mean, rel=1e-12)

    told, found, folds = future.result(), [], []
    for piece, place in zip(four.gather(spread.pieces), spread.places, strict=True):
        found.append(told.of_others(there, piece, place)["shop"])
        folds.append(told.meant.target(piece, place).fold)
    found, folds = np.concatenate(found), np.concatenate(folds)
    assert np.bincount(folds, minlength=FOLDS).min() > 400
    if unit := asked.get("cluster") or asked.get("group"):
        assert table.with_columns(fold=folds).group_by(unit).agg(pl.col("fold").n_unique())["fold"].max() == 1
    assert_array_equal(np.isnan(found), table["shop"].is_null().to_numpy())
    for fold in range(FOLDS):
        sums = np.delete(told.sums["shop"], fold, 0).sum(0)
        expected = dict(zip(one.values, told.meant.target(piece, place).smoothed(sums), strict=False))
        own = (folds == fold) & ~np.isnan(found)
        assert_allclose(found[own], [expected[name] for name in table["shop"].filter(pl.Series(own))])


def test_the_model_that_is_saved_is_the_one_that_was_compared(folder, address, ran):
    options = ("--label", "y", "--drop", "grade", "--drop", "w", "--drop", "person", "--model", "boosted", "--quick")
    said = json.loads(
        ran("fit", folder / "big", *options, "--dask", address, "--out", folder / "there.ordain", "--json")
    )
    ran("fit", folder / "all.parquet", *options, "--out", folder / "here.ordain")
    assert said["comparison"]["trials"][0]["means"]
    one, other = (ordain.load(folder / name) for name in ("there.ordain", "here.ordain"))
    assert isinstance(one.preparation.columns[0], Means)
    table = pl.read_parquet(folder / "all.parquet")
    assert np.corrcoef(one.scores(table), other.scores(table))[0, 1] > 0.98
