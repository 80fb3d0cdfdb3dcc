"""`ordain fit`, `score` and `evaluate` on a cluster: the whole journey, with the figures of one machine."""

import json
import time
from collections import Counter

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

distributed = pytest.importorskip("distributed")
pytest.importorskip("xgboost")

import ordain  # noqa: E402
from ordain.choice.drawn_rows import _near  # noqa: E402
from ordain.choice.fitting_spread import fit_on_workers, known_steps, read_spread  # noqa: E402
from ordain.choice.known_columns import known_columns  # noqa: E402
from ordain.choice.piece import Asked, Piece  # noqa: E402
from ordain.choice.search import Search  # noqa: E402
from ordain.cli import main  # noqa: E402
from ordain.rows.draw import hashes  # noqa: E402
from ordain.tables.slices import slices  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


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


@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_the_journey_is_that_of_one_machine(files, address, ran, model):
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


@pytest.mark.parametrize(
    "options", [("--group", "shop"), ("--cluster", "shop"), ("--group", "shop", "--weight", "amount")], ids=" ".join
)
@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_units_are_kept_together_as_on_one_machine(files, address, ran, model, options):
    for path in [files / "all.parquet", *sorted((files / "big").iterdir())]:
        rows = pl.read_parquet(path)
        shop = pl.Series([f"shop {int(abs(x) * 1e6) % 300}" for x in rows["x"]])
        rows.with_columns(shop=shop).write_parquet(path)
    options = ("--label", "y", "--model", model, "--quick", *options, "--json")
    there = json.loads(ran("fit", files / "big", *options, "--dask", address, "--out", files / "there.ordain"))
    here = json.loads(ran("fit", files / "all.parquet", *options, "--out", files / "here.ordain"))
    assert there["comparison"]["picked"] == here["comparison"]["picked"]
    for one, other in zip(there["comparison"]["trials"], here["comparison"]["trials"], strict=True):
        assert one["auc"] == pytest.approx(other["auc"], abs=1e-9)
    table = pl.read_parquet(files / "all.parquet")
    one, other = (ordain.load(files / name).scores(table) for name in ("here.ordain", "there.ordain"))
    assert_allclose(other, one, atol=1e-5)


def test_what_is_wrong_is_one_line_and_nothing_is_written(files, address, ran):
    out = files / "m.ordain"
    fit = ("fit", files / "big", "--out", out, "--dask", address, "--label")
    cases = {
        "both keep rows together": (*fit, "y", "--group", "city", "--cluster", "x"),
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


def test_scored_parts_replace_parts_only(files, address, ran):
    ordain.fit(files / "all.parquet", "y", model="linear", quick=True).save(files / "m.ordain")
    out = files / "parts"
    score = ("score", files / "big", "--model", files / "m.ordain", "--dask", address, "--out")
    ran(*score, out)
    before = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    assert "exists" in ran(*score, out, code=2)
    assert {path.name: path.stat().st_mtime_ns for path in out.iterdir()} == before
    (files / "big" / "2.parquet").unlink()
    assert ran(*score, out, "--force").startswith("2,500 rows")
    assert sorted(path.name for path in out.iterdir()) == ["part-000000.parquet", "part-000001.parquet"]
    (out / "notes.txt").write_text("mine")
    assert "It has 'notes.txt' too" in ran(*score, out, "--force", code=2)
    assert (out / "notes.txt").read_text() == "mine"

    cases = {
        "must be a folder with --dask": (*score, "-"),
        "existing folder": (*score, files / "nowhere" / "parts"),
        "--top must be 1 or more": (*score, files / "first.csv", "--top", 0),
        "Found none at": ("score", files / "nothing", *score[2:], files / "other"),
    }
    for words, command in cases.items():
        found = ran(*command, code=2)
        assert words in found and len(found.strip().splitlines()) == 1, found
    rows = pl.read_parquet(files / "big" / "0.parquet").drop("x")
    for name in ("0", "1"):
        rows.write_parquet(files / "big" / f"{name}.parquet")
    found = ran(*score, files / "other", code=2)
    assert "'x'" in found and len(found.strip().splitlines()) == 1, found
    assert sorted(path.name for path in files.iterdir()) == ["all.parquet", "big", "m.ordain", "parts"]


def test_a_third_label_in_one_file_is_refused(files, address, ran):
    rows = pl.read_parquet(files / "big" / "2.parquet")
    rows.with_columns(
        y=pl.when(pl.int_range(rows.height) == 5).then(7).otherwise(pl.col("y")).cast(pl.Int64)
    ).write_parquet(files / "big" / "2.parquet")
    found = ran("fit", files / "big", "--label", "y", "--out", files / "m.ordain", "--dask", address, code=2)
    assert "must have two values" in found
    assert not (files / "m.ordain").exists()


@pytest.mark.parametrize("options", [(), ("--weight", "amount"), ("--group", "shop"), ("--graded",)], ids=" ".join)
def test_the_rows_that_are_compared_are_those_one_machine_draws(files, address, ran, monkeypatch, options):
    for module in ("choose", "drawn_rows"):
        monkeypatch.setattr(f"ordain.choice.{module}.COMPARED_ROWS", 500)
    monkeypatch.setattr("ordain.rows.draw.KINDS", 4)  # so that grades are one class to draw from
    for path in [files / "all.parquet", *sorted((files / "big").iterdir())]:
        rows = pl.read_parquet(path)
        shop = pl.Series([f"shop {int(abs(x) * 1e6) % 300}" for x in rows["x"]])
        label = (2 * rows["x"]).round() if options == ("--graded",) else rows["y"]
        rows.with_columns(shop=shop, y=label).write_parquet(path)
    options = ("--label", "y", "--model", "linear", *options, "--json")
    there = json.loads(ran("fit", files / "big", *options, "--dask", address, "--out", files / "there.ordain"))
    here = json.loads(ran("fit", files / "all.parquet", *options, "--out", files / "here.ordain"))
    assert 400 < there["comparison"]["rows"] <= 500
    for said in (there, here):
        for trial in said["comparison"]["trials"]:
            del trial["seconds"]
    assert there["comparison"] == here["comparison"]
    names = ("rows", "positives", "seed", "label", "positive", "notices")
    assert [there[name] for name in names] == [here[name] for name in names]


def test_what_is_suspicious_about_columns_is_told_of_all_rows(files, address, ran, monkeypatch):
    """Columns that look otherwise among the 500 rows that are compared than among all."""
    for module in ("choose", "drawn_rows"):
        monkeypatch.setattr(f"ordain.choice.{module}.COMPARED_ROWS", 500)
    rows, n = pl.read_parquet(files / "all.parquet"), np.arange(3000)
    rows = rows.with_columns(
        number=20 * n, seldom=(n % 1499 == 7).astype(int), customer_id=n // 2,
        mostly=pl.Series([None] * 2990 + [1.0] * 10),
        code=pl.Series([f"code {k % 500}" for k in n]), name=pl.Series([f"name {k}" for k in n]),
    )  # fmt: skip
    rows.write_parquet(files / "all.parquet")
    for name, part in {"0": rows[:700], "1": rows[700:2500], "2": rows[2500:]}.items():
        part.write_parquet(files / "big" / f"{name}.parquet")
    options = ("--label", "y", "--model", "linear", "--quick", "--json")
    there = json.loads(ran("fit", files / "big", *options, "--dask", address, "--out", files / "there.ordain"))
    here = json.loads(ran("fit", files / "all.parquet", *options, "--out", files / "here.ordain"))
    assert there["notices"] == here["notices"]
    assert any("'number' is not used: like an id" in said for said in here["notices"])
    one, other = ordain.load(files / "here.ordain"), ordain.load(files / "there.ordain")
    assert one.preparation.names == other.preparation.names
    assert {"seldom", "mostly", "code", "customer_id"} <= set(one.preparation.names)
    assert_allclose(other.scores(rows), one.scores(rows), atol=1e-5)


def test_texts_with_more_values_than_are_counted_at_once_are_counted_in_a_second_look(tmp_path, four):
    rng, n = np.random.default_rng(2), 36_000
    town = np.where(rng.random(n) < 0.5, rng.integers(0, 50, n), rng.integers(0, 30_000, n)).astype(str)
    table = pl.DataFrame({"town": town, "kind": rng.choice(["a", "b"], n), "y": rng.integers(0, 2, n)})
    for number in range(3):
        table[12_000 * number :][:12_000].write_parquet(tmp_path / f"{number}.parquet")
    pieces = [four.submit(Piece, one, Asked("y"), pure=False) for one in slices(str(tmp_path))]
    steps = []
    towns, kinds = known_columns(four, pieces, steps.append)
    true = Counter(town.tolist())
    assert len(true) > 10_000 == len(towns.frequent.rows) and towns.uncounted == kinds.uncounted == []
    assert towns.frequent.rows == {value: true[value] for value in towns.frequent.rows}
    assert {str(value) for value in range(50)} <= towns.frequent.rows.keys()
    assert kinds.frequent.rows == Counter(table["kind"])
    assert steps == sorted(steps) and steps[-1] == 1


def test_patterns_that_the_shell_expands_and_those_it_leaves_are_the_same(files, address, ran, monkeypatch):
    """As a user types it, unquoted: fit, score and evaluate are given several files."""
    monkeypatch.chdir(files)
    big, there = sorted(str(path.relative_to(files)) for path in (files / "big").iterdir()), ("--dask", address)
    ran("fit", *big, "--label", "y", "--model", "linear", "--quick", "--dask", "local:2", "--out", "m.ordain")
    ran(
        "fit", "big/*.parquet", "--label", "y", "--model", "linear", "--quick", "--dask", address
    )  # named by their folder
    table = pl.read_parquet(files / "all.parquet")
    one, other = (ordain.load(files / name).scores(table) for name in ("m.ordain", "big.ordain"))
    assert_allclose(one, other, rtol=1e-9)
    ran("score", *big, "--model", "m.ordain", *there, "--out", "scored")
    scored = sorted(str(path) for path in (files / "scored").iterdir())
    there = json.loads(ran("evaluate", *scored, "--label", "y", *there, "--json"))
    here = json.loads(ran("evaluate", "scored/*.parquet", "--label", "y", "--json"))
    assert (there["file"], here["file"]) == (f"{scored[0]} and 2 more", "scored/*.parquet")
    assert there["rows"] == 3000 and there["auc"] == here["auc"] > 0.7


def test_formulas_are_guarded_as_on_one_machine(files, address, ran):
    ordain.fit(files / "all.parquet", "y", model="linear", quick=True).save(files / "m.ordain")
    for path in [files / "all.parquet", *(files / "big").iterdir()]:
        rows = pl.read_parquet(path)
        rows.with_columns(note=pl.lit("=1+1")).write_parquet(path)
    for guard in ([], ["--guard-formulas"]):
        options = ("--model", files / "m.ordain", "--top", 9, "--force", *guard, "--out")
        ran("score", files / "big", *options, files / "there.csv", "--dask", address)
        ran("score", files / "all.parquet", *options, files / "here.csv")
        there, here = (pl.read_csv(files / name) for name in ("there.csv", "here.csv"))
        assert there["note"].to_list() == here["note"].to_list() == ["'" * len(guard) + "=1+1"] * 9


def test_several_files_without_workers_are_told_in_one_line(files, ran):
    big = sorted((files / "big").iterdir())
    model = ("--model", files / "m.ordain", "--out", files / "out.csv")
    for command in (("fit", *big, "--label", "y"), ("score", *big, *model), ("evaluate", *big, "--label", "y")):
        found = ran(*command, code=2)
        assert "FILE must be one, unless --dask" in found and len(found.strip().splitlines()) == 1, found


def test_how_text_is_written_needs_no_saying_of_parquet_files(files, ran):
    model = ("--model", files / "m.ordain", "--out", files / "out.csv")
    for name, value in {"separator": ";", "decimal": ".", "encoding": "utf-8", "dates": "day-first"}.items():
        for command in (("fit", files, "--label", "y"), ("score", files, *model), ("evaluate", files, "--label", "y")):
            found = ran(*command, f"--{name}", value, "--dask", "local:2", code=2)
            assert f"--{name} is for tables of text" in found and len(found.strip().splitlines()) == 1, found
    assert "--dates is for" in ran("evaluate", files / "big", "--label", "y", "--dates", "day-first", code=2)


def test_workers_that_are_started_for_a_command_say_nothing_of_their_own(files, capfd):
    """What goes wrong with them is one line too, on the very terminal: no traceback of theirs stands before it."""
    for name in ("0", "1", "2"):
        path = files / "big" / f"{name}.parquet"
        rows = pl.read_parquet(path)
        rows.with_columns(x=pl.lit(np.inf), one=pl.lit("yes"), few=pl.lit("some")).write_parquet(path)
    cases = {
        "column 'x' must be finite or missing": ("fit", files / "big", "--label", "y", "--out", files / "m.ordain"),
        "must have the column 'gone'": ("evaluate", files / "big", "--label", "y", "--score", "gone"),
        "must contain both classes. Got positives only": (
            "evaluate",
            files / "big",
            "--label",
            "one",
            "--score",
            "gap",
        ),
        "must be finite numbers. Got 'some'.": (
            "evaluate",
            files / "big",
            "--label",
            "few",
            "--score",
            "gap",
            "--graded",
        ),
    }
    for words, command in cases.items():
        workers = 2 if command[0] == "fit" else 1
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in (*command, "--dask", f"local:{workers}")])
        said = [line for line in capfd.readouterr().err.splitlines() if line.strip()]
        assert ended.value.code == 2 and words in said[-1] and not said[:-1], said
    assert not (files / "m.ordain").exists()


@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_every_part_of_a_fit_says_how_far_it_is(files, four, model):
    """Reading, looking at columns and drawing rise to 1; trees are counted to the last, steps one by one."""
    shares, numbers, search = [], [], Search(model=model, quick=True)
    spread = read_spread(four, str(files / "big"), label="y", report=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1
    for low, high in ((0, 0.6), (0.6, 0.9), (0.9, 1)):
        assert any(low < share <= high for share in shares)
    said = []
    choice = search.choose(spread.rows, said.append)
    assert len(said) == search.steps(spread.rows)
    fit_on_workers(four, spread, search, choice, report=numbers.append)
    wait_for(lambda: len(numbers) >= (known_steps(choice.picked) or 1))
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) == (known_steps(choice.picked) or len(numbers))


def wait_for(what, seconds=300):
    """What workers say comes on its own way."""
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)


def test_what_is_brought_here_does_not_grow_with_the_rows():
    """Of n rows about 2k + 64 hashes are sent where k are drawn, whatever n is, and the k smallest are among them."""
    for wanted in (1, 10, 1000):
        for rows in (20_000, 200_000):
            near = [int(np.count_nonzero(hashes(np.arange(rows), seed) <= _near(wanted, rows))) for seed in range(20)]
            assert wanted <= min(near) and max(near) <= 2 * wanted + 64 + 8 * (2 * wanted + 64) ** 0.5
