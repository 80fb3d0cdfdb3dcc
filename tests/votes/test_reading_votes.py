"""Votes from files: every way to say who won, laws of counting, and what is refused."""

import csv
import gzip
import io
import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from votes.odd_votes import ODD

from ordain.tables import Reading, batches
from ordain.votes.outcomes import WORDS
from ordain.votes.reading_votes import read_votes
from ordain.votes.vote_arrays import votes_of
from ordain.votes.vote_notices import always_left


def same(one, other):
    """Whether two records are equal, array by array."""
    for name in one.__dataclass_fields__:
        first, second = getattr(one, name), getattr(other, name)
        if isinstance(first, np.ndarray):
            np.testing.assert_allclose(first, second, err_msg=name, rtol=1e-12)
        else:
            assert first == second, name
    return True


def written(folder, name, content):
    path = folder / name
    path.write_text(content)
    return path


@pytest.mark.parametrize("name", ODD)
def test_what_is_wrong_is_said_in_one_line(name, tmp_path):
    file, content, options, said = ODD[name]
    with pytest.raises(ValueError) as refused:
        read_votes([written(tmp_path, file, content)], **options)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_there_are_thirty_odd_files_at_least():
    assert len(ODD) >= 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("votes")


def naive(text, judge=None, weight=None, group=None):
    """Votes of left, right and winner by csv alone: Counter of (left, right, answer, judge, group)."""
    meaning = {"left": Fraction(1), "right": Fraction(0), "tie": Fraction(1, 2)}
    found = Counter()
    for row in csv.DictReader(io.StringIO(text)):
        answer = meaning.get(row["winner"], Fraction(row["winner"] == row["left"]))
        aside = tuple(row[column] if column else None for column in (judge, group))
        found[row["left"], row["right"], float(answer), *aside] += float(row[weight]) if weight else 1
    return Counter({key: value for key, value in found.items() if value})


def counted(votes):
    """The same of a record."""
    found = Counter()
    for row in range(len(votes)):
        names = votes.items[votes.left[row]], votes.items[votes.right[row]], float(votes.answers[row])
        judge = votes.judges[votes.clusters[row]] if votes.judges else None
        group = votes.group_names[votes.groups[row]] if votes.group_names else None
        found[*names, judge, group] += float(votes.counts[row])
    return found


@st.composite
def files(draw, words=("left", "right", "tie")):
    """The text of a file of votes with all that may be said aside."""
    items = ["x", "y", "model, z", "ü", "4"]
    pairs = draw(st.lists(st.permutations(items).map(lambda order: order[:2]), min_size=1, max_size=30))
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["left", "right", "winner", "who", "n", "board"])
    named = draw(st.booleans())
    for left, right in pairs:
        said = draw(st.sampled_from([left, right, "tie"] if named else list(words)))
        rest = [draw(st.sampled_from(values)) for values in ("jkl", "123", "AB")]
        table.writerow([left, right, said, *rest])
    return out.getvalue()


ASIDES = [{}, {"judge": "who"}, {"weight": "n"}, {"group": "board"}, {"judge": "who", "weight": "n", "group": "board"}]
COLUMNS = {"left": "left", "right": "right", "winner": "winner"}


@pytest.mark.parametrize("aside", ASIDES, ids=str)
@given(text=files())
@settings(max_examples=40)
def test_votes_are_those_a_plain_loop_counts(aside, text, folder):
    path = written(folder, "v.csv", text)
    votes, _ = read_votes([path], **COLUMNS, **aside)
    assert counted(votes) == naive(text, **aside)
    assert len(votes) == len(counted(votes))
    alone = votes.times if "judge" in aside else votes.people
    assert (votes.counts == alone).all()
    assert (votes.worth == 1).all()


@pytest.mark.parametrize("aside", ASIDES, ids=str)
@given(text=files(), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_the_order_of_rows_batches_and_files_does_not_matter(aside, text, seed, folder):
    header, *rows = text.splitlines(keepends=True)
    votes, _ = read_votes([written(folder, "v.csv", text)], **COLUMNS, **aside)
    random.Random(seed).shuffle(rows)
    shuffled = written(folder, "s.csv", header + "".join(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ordain.tables.raw.BLOCK", 64)
        assert same(read_votes([shuffled], **COLUMNS, **aside)[0], votes)
        patch.setattr(batches, "ROWS", 3)
        patch.setattr("ordain.votes.counted_votes._FIRST", 2)
        pl.read_csv(folder / "v.csv", infer_schema=False).write_parquet(folder / "v.parquet")
        assert same(read_votes([folder / "v.parquet"], **COLUMNS, **aside)[0], votes)
    cut = seed % len(rows)
    if "judge" in aside and cut:
        parts = [written(folder, f"{n}.csv", header + "".join(part)) for n, part in enumerate((rows[:cut], rows[cut:]))]
        assert same(read_votes(parts, **COLUMNS, **aside)[0], votes)


@given(text=files())
@settings(max_examples=20)
def test_a_weight_is_as_many_rows(text, folder):
    header, *rows = text.splitlines(keepends=True)
    often = [row for row in rows for _ in range(int(next(csv.reader([row]))[4]))]
    for aside in ({}, {"judge": "who"}):
        once = read_votes([written(folder, "v.csv", text)], **COLUMNS, **aside, weight="n")[0]
        assert same(read_votes([written(folder, "w.csv", header + "".join(often))], **COLUMNS, **aside)[0], once)


@given(text=files())
@settings(max_examples=20)
def test_every_format_gives_the_same_votes(text, folder):
    frame = pl.read_csv(io.StringIO(text), infer_schema=False)
    path = written(folder, "v.csv", text)
    (folder / "v.csv.gz").write_bytes(gzip.compress(text.encode()))
    frame.write_csv(folder / "v.tsv", separator="\t")
    frame.write_ndjson(folder / "v.jsonl")
    (folder / "v.json").write_text(json.dumps(frame.rows(named=True), indent=1))
    (folder / "lines.json").write_text((folder / "v.jsonl").read_text())
    votes, _ = read_votes([path], **COLUMNS, judge="who")
    names = ("v.csv.gz", "v.tsv", "v.jsonl", "v.json", "lines.json")
    for table in (
        *(folder / name for name in names),
        frame,
        pd.DataFrame(frame.to_dict(as_series=False)),
        frame.cast(pl.Categorical),
    ):
        assert same(read_votes([table], **COLUMNS, judge="who")[0], votes)


def test_the_first_sheet_of_a_workbook_holds_votes_too(tmp_path):
    frame = pl.DataFrame({"left": ["x", "y"], "right": ["y", "x"], "winner": ["left", "tie"]})
    frame.write_excel(tmp_path / "v.xlsx")
    assert same(read_votes([tmp_path / "v.xlsx"])[0], read_votes([frame])[0])


@pytest.mark.parametrize(
    "content", ["left,right,winner\nx,y,left\n", '[{"left": "x", "right": "y", "winner": "left"}]']
)
def test_votes_come_from_standard_input(content, monkeypatch):
    class Piped:
        buffer = io.BytesIO(content.encode())

    monkeypatch.setattr("ordain.tables.source._Listening", lambda stream: stream)
    monkeypatch.setattr("sys.stdin", Piped)
    votes, _ = read_votes(["-"])
    assert counted(votes) == {("x", "y", 1, None, None): 1}


def pairs_of(ballot):
    """(left, right, answer) → worth of one ballot, by the definition: all pairs at 3/(k + 1)."""
    k = sum(map(len, ballot))
    found = Counter()
    for (one, level), (two, other) in combinations([(item, n) for n, some in enumerate(ballot) for item in some], 2):
        first, second = sorted((one, two)) if level == other else (one, two)
        found[first, second, 0.5 if level == other else 1.0] += Fraction(3, k + 1)
    return found


ballots = st.permutations(list("abcdef")).flatmap(
    lambda order: st.lists(st.booleans(), min_size=6, max_size=6).flatmap(
        lambda marks: st.integers(2, 6).map(lambda k: levels_of(order[:k], marks))
    )
)


def levels_of(order, marks):
    """An order with some items level with the one before."""
    levels = []
    for item, level in zip(order, marks, strict=False):
        if level and levels:
            levels[-1].append(item)
        else:
            levels.append([item])
    return levels


@given(cast=st.lists(st.tuples(ballots, st.sampled_from("jk"), st.booleans()), min_size=1, max_size=8))
@settings(max_examples=40)
def test_a_ballot_is_its_pairs_in_one_cluster(cast, folder):
    """Written either way; equal ballots are one cluster of as many people, a judge's ballots one of one person."""
    lines = []
    for ballot, judge, as_json in cast:
        nested = [level[0] if len(level) == 1 else level for level in ballot]
        text = nested if as_json else " > ".join("=".join(level) for level in ballot)
        lines.append(json.dumps({"o": text if as_json or ">" in text or "=" in text else nested, "j": judge}))
    path = written(folder, "v.jsonl", "\n".join(lines))
    votes, _ = read_votes([path], order="o")
    signed, _ = read_votes([path], order="o", judge="j")
    assert not votes.shown
    assert votes.judges is None
    expected, by_judge = Counter(), Counter()
    for ballot, judge, _ in cast:
        expected += pairs_of(ballot)
        by_judge += Counter({(*key, judge): worth for key, worth in pairs_of(ballot).items()})
    assert {key[:3]: Fraction(value).limit_denominator(1000) for key, value in weighed(votes).items()} == expected
    assert {key: Fraction(value).limit_denominator(1000) for key, value in weighed(signed).items()} == by_judge
    different = Counter(tuple(tuple(sorted(level)) for level in ballot) for ballot, _, _ in cast)
    clusters = [votes.take(votes.clusters == number) for number in range(votes.clusters.max() + 1)]
    assert sorted(cluster.people[0] for cluster in clusters) == sorted(different.values())
    assert all(len(set(cluster.people)) == 1 and (cluster.times == 1).all() for cluster in clusters)
    assert (signed.people == 1).all()
    assert same(votes_of(orders=[ballot for ballot, _, _ in cast]), votes)
    assert same(votes_of(orders=[ballot for ballot, _, _ in cast], judges=[judge for _, judge, _ in cast]), signed)


def weighed(votes):
    """(left, right, answer, judge) → independent answers."""
    found = Counter()
    for row in range(len(votes)):
        judge = votes.judges[votes.clusters[row]] if votes.judges else None
        names = votes.items[votes.left[row]], votes.items[votes.right[row]]
        found[*names, float(votes.answers[row]), judge] += float(votes.weights[row])
    return found


ALONE = {word for word, answer in WORDS.items() if answer in (0, 0.5, 1)}


@pytest.mark.parametrize("word", sorted(ALONE))
def test_every_word_is_read_in_any_case(word, tmp_path):
    for text in (word, word.upper(), f" {word.title()} "):
        frame = pl.DataFrame({"l": ["one"], "r": ["two"], "w": [text]})
        votes, sentences = read_votes([frame], left="l", right="r", winner="w")
        assert votes.answers.tolist() == [WORDS[word]]
        assert repr(text) in sentences[0]


def won(rows, **options):
    """The answers to rows of left, right, winner, and the sentences."""
    frame = pl.DataFrame(rows, schema=["l", "r", "w"], orient="row")
    votes, sentences = read_votes([frame], left="l", right="r", winner="w", **options)
    return {
        (votes.items[a], votes.items[b]): y for (a, b), y in zip(votes.pairs, votes.answers, strict=True)
    }, sentences


def test_a_names_the_first_of_a_and_b_and_the_one_away():
    assert won([("x", "y", "A"), ("y", "x", "B")])[0] == {("x", "y"): 1, ("y", "x"): 0}
    assert won([("x", "y", "A"), ("y", "x", "H")])[0] == {("x", "y"): 0, ("y", "x"): 1}


def test_items_come_before_words():
    answers, sentences = won([("b", "a", "a"), ("b", "c", "b"), ("tie", "a", "tie")])
    assert answers == {("b", "a"): 0, ("b", "c"): 1, ("tie", "a"): 1}
    assert "'a', 'b', 'tie' taken for the item of that name" in sentences[0]


def test_more_words_for_ties_may_be_named():
    answers, sentences = won([("x", "y", "0"), ("y", "x", "2")], ties=["0"])
    assert answers == {("x", "y"): 0.5, ("y", "x"): 0}
    assert "1 '0' as ties" in sentences[0]


def test_names_that_differ_by_case_or_spaces_stay_apart_and_are_noticed():
    answers, sentences = won([("GPT 4", "gpt4", "left"), ("gpt4", "x", "right")])
    assert len(answers) == 2
    assert sentences[1] == "'GPT 4', 'gpt4' differ only by case or spaces and are different items."


def test_files_in_which_the_left_one_always_wins_are_flagged():
    frame = pl.DataFrame({"l": ["x", "y", "z"] * 3, "r": ["y", "z", "x"] * 3, "w": ["left"] * 8 + ["tie"]})
    votes, sentences = read_votes([frame], left="l", right="r", winner="w")
    assert always_left(votes)
    assert "won all 8 votes" in sentences[1]
    assert "--no-position" in sentences[1]
    assert not always_left(read_votes([frame], winner="l", loser="r")[0])
    assert not always_left(read_votes([frame.head(2)], left="l", right="r", winner="w")[0])


def test_points_decide(tmp_path):
    path = written(tmp_path, "v.csv", "h,a,p,q\nx,y,10,9\ny,x,0,0\nx,z,1.5,2\n")
    votes, _ = read_votes([path], left="h", right="a", left_score="p", right_score="q")
    expected = {("x", "y", 1, None, None): 1, ("y", "x", 0.5, None, None): 1, ("x", "z", 0, None, None): 1}
    assert counted(votes) == expected


def test_files_are_the_judges_where_nobody_else_is(tmp_path):
    text = "left,right,winner,judge\nx,y,left,j\ny,z,tie,k\n"
    paths = [written(tmp_path, name, text) for name in ("ann.csv", "ben.csv")]
    votes, sentences = read_votes(paths, **COLUMNS)
    assert votes.judges == ("ann", "ben")
    assert sentences[0].endswith("all by ann")
    assert read_votes(paths[:1], **COLUMNS)[0].judges is None
    assert read_votes(paths, **COLUMNS, judge="judge")[0].judges == ("j", "k")
    assert read_votes(paths)[0].judges == ("j", "k")
    (tmp_path / "more").mkdir()
    again = written(tmp_path / "more", "ann.csv", text)
    assert read_votes([paths[0], again], **COLUMNS)[0].judges == tuple(sorted((str(paths[0]), str(again))))


def test_results_and_ballots_of_several_files_have_no_judge(tmp_path):
    text = "HomeTeam,AwayTeam,FTR\nx,y,H\n"
    games = [written(tmp_path, name, text) for name in ("2023.csv", "2024.csv")]
    votes, _ = read_votes(games)
    assert votes.judges is None
    assert votes.people.tolist() == [2]


def test_pairs_and_ballots_may_stand_side_by_side(tmp_path):
    pairs = written(tmp_path, "v.csv", "HomeTeam,AwayTeam,FTR\nx,y,H\nx,y,H\n")
    orders = written(tmp_path, "v.soc", "# ALTERNATIVE NAME 1: x\n# ALTERNATIVE NAME 2: z\n7: 2,1\n")
    votes, sentences = read_votes([pairs, orders])
    assert weighed(votes) == {("x", "y", 1, None): 2, ("z", "x", 1, None): 7}
    assert sorted(votes.clusters) == [0, 1]
    assert not votes.shown
    assert sentences[-1].startswith("Some files do not tell which item was shown first")


@pytest.mark.parametrize(
    ("cells", "days", "dates"),
    [
        (["2024-03-31", "1970-01-02 17:05"], [19813, 1], None),
        (["31/03/24", "01/02/70"], [19813, 31], None),
        (["03/31/24", "02/01/70"], [19813, 31], None),
        (["01/02/70", "02/02/70"], [31, 32], "day-first"),
        (["01/02/70", "02/02/70"], [1, 32], "month-first"),
        (["20240331", "19700102"], [19813, 1], None),
        (["1711843200.5", "864000000.25"], [19813, 10000], None),
        (["1711843200000", "171184320000"], [19813, 1981], None),
    ],
)
def test_dates_are_days(cells, days, dates, tmp_path):
    text = "left,right,winner,when\n" + "".join(
        f"x,{name},left,{cell}\n" for name, cell in zip("yz", cells, strict=True)
    )
    votes, _ = read_votes([written(tmp_path, "v.csv", text)], date="when", reading=Reading(dates=dates))
    assert votes.days.tolist() == days


def test_dates_of_types_and_of_football(tmp_path):
    frame = pl.DataFrame({"left": ["x"], "right": ["y"], "winner": ["x"], "d": [86400 * 3]})
    for kind in (pl.Date, pl.Datetime("us"), pl.Datetime("us", "Asia/Tokyo")):
        moment = pl.col("d").cast(pl.Datetime("ms")) if kind != pl.Date else pl.lit(0).cast(pl.Date)
        typed = frame.with_columns(d=pl.from_epoch("d") if kind != pl.Date else moment)
        typed = typed.with_columns(pl.col("d").cast(kind) if kind != pl.Datetime("us", "Asia/Tokyo") else pl.col("d"))
        assert read_votes([typed], date="d")[0].days.tolist() == [0 if kind == pl.Date else 3]
    path = written(tmp_path, "E0.csv", "Date,HomeTeam,AwayTeam,FTR\n03/02/70,x,y,H\n")
    assert read_votes([path], date="Date")[0].days.tolist() == [33]


def test_numbers_may_be_names(tmp_path):
    frame = pl.DataFrame({"left": [1, 2], "right": [2, 3], "winner": [2, 3]})
    frame.write_parquet(tmp_path / "v.parquet")
    for table in (frame, frame.cast(pl.Float64), tmp_path / "v.parquet"):
        assert counted(read_votes([table])[0]) == {("1", "2", 0, None, None): 1, ("2", "3", 0, None, None): 1}


def test_label_studio_takes_the_fields_that_are_named(tmp_path):
    task = {
        "data": {"p": "x", "q": "y"},
        "annotations": [{"completed_by": 1, "result": [{"value": {"selected": "left"}}]}],
    }
    path = written(tmp_path, "v.json", json.dumps([task]))
    assert counted(read_votes([path], left="q", right="p")[0]) == {("y", "x", 1, "1", None): 1}
    short = {"p": "x", "q": "y", "pairwise": "left", "annotator": 1, "lead_time": 2.5}
    path = written(tmp_path, "w.json", json.dumps([short]))
    assert counted(read_votes([path], left="q", right="p")[0]) == {("y", "x", 1, "1", None): 1}


def test_a_column_of_weights_is_not_taken_for_one_silently():
    frame = pl.DataFrame({"left": ["x"], "right": ["y"], "winner": ["x"], "weight": [3]})
    votes, sentences = read_votes([frame])
    assert votes.people.tolist() == [1]
    assert "weight left aside (--weight weight would count it)" in sentences[0]
    votes, sentences = read_votes([frame], weight="weight")
    assert votes.people.tolist() == [3]
    assert "--weight" not in sentences[0]


def test_rows_of_weight_zero_are_dropped_and_counted():
    frame = pl.DataFrame({"left": ["x", "x"], "right": ["y", "z"], "winner": ["x", "z"], "n": [2.5, 0]})
    votes, sentences = read_votes([frame], weight="n")
    assert counted(votes) == {("x", "y", 1, None, None): 2.5}
    assert votes.items == ("x", "y")
    assert "dropped rows of weight 0: 1" in sentences[0]


def test_frames_of_pandas_may_hold_lists():
    frame = pd.DataFrame({"o": [["x", ["y", "z"]], np.array(["z", "y"])]})
    votes, _ = read_votes([frame], order="o")
    assert same(votes, votes_of(orders=[["x", ["y", "z"]], ["z", "y"]]))


def test_tables_of_pyarrow_hold_votes_and_ballots():
    table = pa.table({"left": ["x", "x"], "right": ["y", "z"], "winner": ["x", "tie"]})
    assert same(read_votes([table])[0], votes_of(*map(table.column, table.column_names)))
    orders = pa.table({"o": [["x", "y", "z"], ["z", "y"]]})
    votes, _ = read_votes([orders], order="o")
    assert same(votes, votes_of(orders=orders.column("o")))
    assert same(votes, votes_of(orders=[["x", "y", "z"], ["z", "y"]]))
    with pytest.raises(ValueError, match="right, row 2: must hold a name"):
        votes_of(table.column("left"), pa.array(["y", None]), table.column("winner"))


def test_a_fault_is_named_by_its_first_row(tmp_path, monkeypatch):
    rows = [("x", "y", "left")] * 9 + [("x", "y", "nobody knows")] * 3
    frame = pl.DataFrame(rows, schema=["left", "right", "winner"], orient="row")
    frame.write_parquet(tmp_path / "v.parquet")
    frame.write_csv(tmp_path / "v.csv")
    for size in (4, 100):
        monkeypatch.setattr(batches, "ROWS", size)
        monkeypatch.setattr("ordain.tables.raw.BLOCK", 16 * size)
        for name in ("v.parquet", "v.csv"):
            with pytest.raises(ValueError, match=r"row 10[ :]"):
                read_votes([tmp_path / name])


def test_keys_may_come_late_in_a_log(tmp_path, monkeypatch):
    """FastChat's log: lines of chat come before the first vote."""
    monkeypatch.setattr("ordain.tables.raw.BLOCK", 64)
    chat, vote = {"type": "chat", "model": "x", "text": "." * 60}, {"type": "leftvote", "models": ["x", "y"]}
    path = written(tmp_path, "v.jsonl", "\n".join(map(json.dumps, [chat] * 5 + [vote] * 3)))
    votes, sentences = read_votes([path])
    assert counted(votes) == {("x", "y", 1, None, None): 3}
    assert sentences[0].endswith("dropped lines of type 'chat': 5")
    monkeypatch.setattr(batches, "WAITING", 2)
    with pytest.raises(ValueError, match="must hold votes in a form that is known"):
        read_votes([path])


def test_a_log_that_ends_before_a_column_that_was_asked_for_is_refused(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"left": "x", "right": "y"}\n' * 3)
    with pytest.raises(ValueError, match=r"rows\.jsonl must have .*'who'"):
        read_votes([path], left="left", right="right", winner="who")


def test_no_file_is_refused():
    with pytest.raises(ValueError, match="at least one file"):
        read_votes([])


KINDS = {
    "list": list,
    "numpy": np.array,
    "objects": lambda values: np.array(values, object),
    "pandas": pd.Series,
    "pandas category": lambda values: pd.Series(values).astype("category"),
    "pyarrow": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "pyarrow array": pa.array,
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "polars": pl.Series,
    "polars category": lambda values: pl.Series(values).cast(pl.Categorical),
}


@given(text=files())
@settings(max_examples=15)
def test_columns_of_any_kind_are_the_file(text, folder):
    path = written(folder, "v.csv", text)
    asides = {}, {"judge": "who"}, {"judge": "who", "weight": "n"}
    plain, judged, weighted = (read_votes([path], **COLUMNS, **aside)[0] for aside in asides)
    frame = pl.read_csv(path, infer_schema=False)
    weights = frame["n"].cast(pl.Float64).to_numpy()
    for kind, made in KINDS.items():
        note(kind)
        *columns, judges = (made(frame[name].to_list()) for name in ("left", "right", "winner", "who"))
        assert same(votes_of(*columns), plain)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ordain.votes.vote_arrays.CELLS", 0)
            assert same(votes_of(*columns, judges=judges), judged)
            assert same(votes_of(*columns, judges=judges, weights=weights), weighted)
            patch.setattr("ordain.votes.vote_arrays.LARGEST", 0)
            assert same(votes_of(*columns), plain)


def test_names_may_be_any_hashables():
    one, two = ("a", 1), frozenset("b")
    votes = votes_of([one, two, one], [two, one, two], [one, one, "tie"])
    assert votes.items == (one, two)
    assert weighed(votes) == {(one, two, 1, None): 1, (two, one, 0, None): 1, (one, two, 0.5, None): 1}
    far = votes_of(np.array([10**12, 5]), np.array([5, -3]), np.array([5, -3]))
    assert far.items == (-3, 5, 10**12)
    assert far.answers.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (((["x"], ["y"], ["z"]), {}), "winner, row 1: must be an item of its row"),
        (((["x"], ["x"], ["x"]), {}), "left and right, row 1: two items must be compared. Got 'x' twice."),
        (((["x", None], ["y", "y"], ["x", "y"]), {}), "left, row 2: must hold a name. Got null."),
        (((["x"], ["y"], [None]), {}), "winner, row 1: must say who won."),
        (
            ((["x"], ["y", "z"], ["x"]), {}),
            "all columns must have as many rows. Got 1 of left, 2 of right, 1 of winner.",
        ),
        (((["x"], ["y"], ["x"]), {"weights": [-1]}), "weights, row 1: must be finite and not negative. Got -1.0."),
        (((["x"], ["y"], ["x"]), {"weights": [1, 2]}), "weights must be one number per vote."),
        (((["x"], ["y"], ["x"]), {"weights": [0]}), "there must be a vote."),
        (((["x"], ["y"], ["x"]), {"orders": [["x", "y"]]}), "Got both."),
        (((["x"], ["y"]), {}), "Got neither."),
        (((), {"orders": [["x", "y"], ["x", "x"]]}), "orders, row 2: must have every item once. Got 'x' twice."),
        (((), {"orders": [["x"]]}), "orders must hold a ballot of two items or more."),
        (((["x"], ["y"], ["x"]), {"judges": [float("nan")]}), "judges, row 1: must hold a name."),
    ],
)
def test_wrong_columns_are_refused_in_one_line(given, said):
    with pytest.raises(ValueError) as refused:
        votes_of(*given[0], **given[1])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
