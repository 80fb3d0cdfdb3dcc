"""`ordain rank` as people use it: votes in, a board out; wrong files get one line."""

import gzip
import json
import math
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ordain
from ordain.cli import cli
from ordain.names import METHODS
from ordain.votes import methods

sys.path.append(str(Path(__file__).parent.parent / "votes"))
from odd_votes import ODD

COLUMNS = ["rank", "item", "part", "tier", "score", "standard_error", "rank_low", "rank_high"]
COLUMNS += ["wins", "losses", "ties", "votes", "chance"]


def votes(n=600, items=8, seed=0):
    """Votes on items of rising strength by 30 judges, some of whom stand on the left more gladly."""
    rng = np.random.default_rng(seed)
    left, right = rng.permuted(np.tile(np.arange(items), (n, 1)), axis=1)[:, :2].T
    margin = (left - right) * 0.7 + 0.4
    words = np.where(rng.random(n) < 0.1, "tie", np.where(rng.random(n) < 1 / (1 + np.exp(-margin)), "a", "b"))
    names = [f"model {k}" for k in range(items)]
    columns = {"model_a": [names[k] for k in left], "model_b": [names[k] for k in right], "winner": words}
    return pl.DataFrame(
        columns | {"voter": [f"v{k}" for k in rng.integers(0, 30, n)], "topic": rng.choice(["x", "y"], n)}
    )


NAMED = ("--left", "model_a", "--right", "model_b", "--winner", "winner")


@pytest.fixture
def board(run):
    votes().write_csv("votes.csv")
    return run


def told(out):
    return json.loads(out)


def test_a_board_says_who_is_better_and_writes_all_columns(board):
    code, out, err = board("rank", "votes.csv", *NAMED, "--judge", "voter", "--out", "board.csv")
    assert (code, err) == (0, "")
    assert "600 votes of 30 judges on 8 items." in out
    assert "model 7" in out.splitlines()[2] and "first" in out.splitlines()[2]
    assert "Further votes that would tell most: " in out
    assert "circular than the model allows" in out
    assert out.endswith("The board is in board.csv.\n")
    written = pl.read_csv("board.csv")
    assert written.columns == COLUMNS
    assert written["item"].to_list()[:1] == ["model 7"] and written["item"].to_list()[-1] == "model 0"
    assert (written["votes"] == written["wins"] + written["losses"] + written["ties"]).all()
    assert written["votes"].sum() == 1200


def test_json_is_one_object_with_everything(board):
    options = ("--judge", "voter", "--judges", "j.csv", "--compare", "--json")
    code, out, err = board("rank", "votes.csv", *NAMED, *options)
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = told(out)
    assert list(found["board"][0]) == COLUMNS
    assert found["votes"] == 600 and found["judges_counted"] == 30
    assert len(found["next_votes"]) == 10 and found["drift"] is None
    assert [one["name"] for one in found["compared"]["methods"]] == list(METHODS)
    judges = pl.read_csv("j.csv")
    assert judges.to_dicts() == found["judges"]
    assert judges["votes"].sum() == 600
    assert found["circularity"]["triples"] == math.comb(8, 3)


def test_the_board_is_that_of_the_function(board):
    table = votes()
    columns = [table[name].to_list() for name in ("model_a", "model_b", "winner")]
    expected = ordain.leaderboard(*columns, judges=table["voter"].to_list()).rows()
    code, out, _ = board("rank", "votes.csv", *NAMED, "--judge", "voter", "--json")
    assert code == 0
    for row, other in zip(told(out)["board"], expected, strict=True):
        assert row == pytest.approx(other)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_its_board(board, method):
    code, out, err = board("rank", "votes.csv", *NAMED, "--method", method, "--out", "board.jsonl")
    assert (code, err) == (0, "")
    assert pl.read_ndjson("board.jsonl").columns == COLUMNS
    assert pl.read_ndjson("board.jsonl")["item"][0] == "model 7"
    assert (str(methods.named(method)) in out) == (method != "bradley_terry")
    assert ("may be first" in out or "is first" in out) == (method == "bradley_terry")


def test_methods_are_those_that_can_be_typed():
    assert tuple(methods.METHODS) == METHODS


def test_groups_have_boards_of_their_own_and_all_together_is_last(board):
    code, out, _ = board("rank", "votes.csv", *NAMED, "--group", "topic", "--out", "board.parquet")
    assert code == 0
    written = pl.read_parquet("board.parquet")
    assert written["group"].unique(maintain_order=True).to_list() == ["x", "y", ""]
    assert written["rank"].to_list() == [*range(1, 9)] * 3
    cast = written.group_by("group").agg(pl.col("votes").sum() / 2)
    by_hand = dict(votes().group_by("topic").len().rows()) | {"": 600}
    assert dict(cast.rows()) == by_hand
    assert "\nx: " in out and "\ny: " in out


def test_points_are_scores_in_other_units(board):
    plain = told(board("rank", "votes.csv", *NAMED, "--json")[1])["board"]
    elo = told(board("rank", "votes.csv", *NAMED, "--json", "--scale", "400", "--anchor", "model 3=1000")[1])["board"]
    at = {row["item"]: row["score"] for row in plain}["model 3"]
    for row, other in zip(elo, plain, strict=True):
        assert row["score"] == pytest.approx(1000 + 400 * (other["score"] - at) / math.log(10))
        assert row["standard_error"] == pytest.approx(400 * other["standard_error"] / math.log(10))
        assert row["rank_low"] == other["rank_low"]


def test_chances_of_all_pairs(board):
    code, _, _ = board("rank", "votes.csv", *NAMED, "--matrix", "chances.csv")
    assert code == 0
    table = pl.read_csv("chances.csv")
    names, chances = table["item"].to_list(), table.drop("item").to_numpy()
    assert table.columns == ["item", *names]
    assert np.isnan(np.diag(chances)).all()
    assert np.nanmax(np.abs(chances + chances.T - 1)) < 1e-12
    assert (chances[np.triu_indices(8, 1)] >= 0.5).all()


def test_winners_and_losers_have_no_sides(board):
    table = votes().filter(pl.col("winner") != "tie")
    won = pl.when(pl.col("winner") == "a")
    sides = {"w": won.then("model_a").otherwise("model_b"), "l": won.then("model_b").otherwise("model_a")}
    table.select(**sides).write_csv("games.csv")
    code, out, _ = board("rank", "games.csv", "--winner", "w", "--loser", "l", "--json")
    assert code == 0
    table.write_csv("shown.csv")
    plain = told(board("rank", "shown.csv", *NAMED, "--no-position", "--json")[1])["board"]
    assert [row["score"] for row in told(out)["board"]] == pytest.approx([row["score"] for row in plain])
    assert plain != told(board("rank", "shown.csv", *NAMED, "--json")[1])["board"]


def test_ballots_by_the_order_that_contradicts_fewest(run):
    Path("b.jsonl").write_text(
        '{"b": ["x", "y", "z"]}\n' * 3 + '{"b": ["y", "z", "x"]}\n' * 2 + '{"b": ["z", ["x", "y"]]}\n'
    )
    code, out, _ = run("rank", "b.jsonl", "--order", "b", "--method", "feedback_arc_set", "--json")
    assert code == 0
    assert [row["item"] for row in told(out)["board"]] == ["x", "y", "z"]
    assert any("contradicts" in sentence for sentence in told(out)["sentences"])


def test_several_files_are_several_judges_and_standard_input_is_one(run, monkeypatch):
    for name, seed in (("ana", 1), ("ben", 2)):
        votes(100, seed=seed).drop("voter").write_csv(f"{name}.csv")
    code, out, _ = run("rank", "ana.csv", "ben.csv", *NAMED, "--json")
    assert code == 0
    assert told(out)["judges_counted"] == 2
    assert any("Only 2 judges" in sentence for sentence in told(out)["sentences"])


def test_dates_say_whether_strengths_drift_and_half_lives_weigh(run):
    rng, n = np.random.default_rng(0), 1500
    day = np.sort(rng.integers(0, 900, n))
    left, right = rng.permuted(np.tile(np.arange(6), (n, 1)), axis=1)[:, :2].T
    strength = np.where(day[:, None] < 450, np.arange(6), np.arange(6)[::-1])
    margin = np.take_along_axis(strength, left[:, None], 1) - np.take_along_axis(strength, right[:, None], 1)
    won = np.where(rng.random(n) < 1 / (1 + np.exp(-margin[:, 0])), "left", "right")
    start = np.datetime64("2020-01-01")
    frame = {"left": [f"t{k}" for k in left], "right": [f"t{k}" for k in right], "winner": won}
    pl.DataFrame(frame | {"day": [str(start + np.timedelta64(int(of), "D")) for of in day]}).write_csv("m.csv")
    found = {
        life: told(run("rank", "m.csv", "--date", "day", *life, "--json")[1])
        for life in ((), ("--half-life", "auto"), ("--half-life", "50"))
    }
    assert all(one["drift"]["drifts"] for one in found.values())
    tops = {life: one["board"][0]["item"] for life, one in found.items()}
    assert tops[("--half-life", "auto")] == tops[("--half-life", "50")] == "t0"
    assert found[()]["board"][0]["score"] < found[("--half-life", "50")]["board"][0]["score"]


def test_the_packed_votes_are_an_arenas(run):
    Path("v.csv.gz").write_bytes((files("ordain") / "data" / "llm_votes.csv.gz").read_bytes())
    code, out, err = run("rank", "v.csv.gz")
    assert (code, err) == (0, "")
    assert "model_a, model_b, winner: an arena's votes" in out
    assert "8,931 votes of 124 judges on 59 items." in out
    assert "… and 39 more." in out


def test_the_board_on_standard_output_leaves_the_words_to_standard_error(board):
    code, out, err = board("rank", "votes.csv", *NAMED, "--out", "-")
    assert code == 0
    assert pl.read_csv(out.encode()).columns == COLUMNS
    assert "600 votes on 8 items." in err


@pytest.mark.parametrize(("name", "content", "options", "message"), ODD.values(), ids=ODD)
def test_odd_files_get_one_line_and_nothing_is_written(run, name, content, options, message):
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    words = []
    for option, value in options.items():
        flag = {"ties": "--tie"}.get(option, "--" + option.replace("_", "-"))
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [flag, one]
    code, out, err = run("rank", name, *words, "--out", "board.csv")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and message in err
    assert not Path("board.csv").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.csv"], "There is none of that name"),
        (["votes.csv", "--left", "model_a"], "--right"),
        (["votes.csv", *NAMED, "--half-life", "9"], "--half-life needs --date"),
        (["votes.csv", *NAMED, "--anchor", "model 3=1000"], "--scale must be a number above 0"),
        (["votes.csv", *NAMED, "--scale", "0"], "--scale must be a number above 0"),
        (["votes.csv", *NAMED, "--scale", "400", "--anchor", "model3=1"], "Did you mean 'model 3'"),
        (["votes.csv", *NAMED, "--scale", "400", "--anchor", "model 3=x"], "--anchor must be an item of the board"),
        (["votes.csv", *NAMED, "--scale", "400", "--method", "degree"], "--scale is for scores that are odds"),
        (["votes.csv", *NAMED, "--matrix", "m.csv", "--method", "degree"], "--matrix is for bradley_terry"),
        (["votes.csv", *NAMED, "--judges", "j.csv"], "--judges needs votes that say who cast them"),
        (
            ["votes.csv", *NAMED, "--judges", "j.csv", "--judge", "voter", "--method", "degree"],
            "--judges is for bradley",
        ),
        (["votes.csv", *NAMED, "--level", "1.5"], "level must lie strictly between 0 and 1"),
        (["votes.csv", *NAMED, "--method", "degre"], "Did you mean 'degree'"),
        (["votes.csv", *NAMED, "--out", "board.xls"], "must end in"),
        (["votes.csv", *NAMED, "--out", "votes.csv"], "exists"),
    ],
)
def test_wrong_use_gets_one_line(board, words, message):
    code, out, err = board("rank", *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and message in err
    assert sorted(path.name for path in Path().iterdir()) == ["votes.csv"]


def test_items_may_be_called_anything(run):
    odd = ["[bold]x[/bold]", "=1+1", "item", "</script>", "نص", "a\u202eb"]
    pairs = [(a, b, a) for k, a in enumerate(odd) for b in odd[k + 1 :]]
    pl.DataFrame(pairs, ["left", "right", "winner"], orient="row").write_csv("v.csv")
    code, out, err = run("rank", "v.csv", "--out", "b.csv", "--matrix", "m.csv", "--no-position")
    assert (code, err) == (0, "")
    assert "[bold]x[/bold]" in out
    assert pl.read_csv("b.csv")["item"].to_list() == odd
    assert pl.read_csv("m.csv").columns == ["item_", *odd]


def test_votes_packed_with_gzip(run):
    Path("v.csv.gz").write_bytes(gzip.compress(votes().write_csv().encode()))
    assert run("rank", "v.csv.gz", *NAMED)[0] == 0


def test_help_has_examples():
    assert "ordain rank votes.csv" in cli.commands["rank"].help
