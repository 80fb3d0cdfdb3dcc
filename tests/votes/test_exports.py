"""Every export of votes that is known, as people have it, is read without options."""

import json
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.votes.reading_votes import read_votes


def cast(votes):
    """The votes as a Counter of (left, right, answer, judge), ballots' pairs at their worth."""
    judges = votes.judges or {}
    found = Counter()
    for row in range(len(votes)):
        judge = judges[votes.clusters[row]] if judges else None
        left, right = (votes.items[side[row]] for side in (votes.left, votes.right))
        found[left, right, round(float(votes.answers[row]), 6), judge] += round(float(votes.weights[row]), 9)
    return found


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def game(score):
    return {"user_prompt": "?", "judgment": "...", "score": score}


def annotation(selected, who, **more):
    return {"id": 1, "completed_by": who, "result": [{"type": "pairwise", "value": {"selected": selected}}]} | more


def response(user, ranks, names, status="submitted"):
    return {"user_id": user, "value": {"rank": ranks, "value": names}, "status": status}


def answered(order, shown, p_left=None, judge="m"):
    return {"order": order, "judge": judge, "shown": shown, "weight": 1, "p_left": p_left}


PREFLIB = """# FILE NAME: 00001-00000001.toc
# TITLE: Fruit
# NUMBER ALTERNATIVES: 3
# ALTERNATIVE NAME 1: fig
# ALTERNATIVE NAME 2: kiwi, g
# ALTERNATIVE NAME 3: plum
5: 1,2,3
2: 3,{1,2}
"""

EXPORTS = {
    "LMArena": (
        "arena.jsonl",
        lines(
            {
                "id": "q",
                "model_a": "x",
                "model_b": "y",
                "winner": "model_a",
                "evaluation_session_id": "s1",
                "evaluation_order": 1,
                "conv_metadata": {"sum_assistant_a_tokens": 3, "bold_count_a": {"**": 1}},
                "category_tag": {"math_v0.1": {"math": False}},
                "full_conversation": [{"role": "user"}],
            },
            {"id": "r", "model_a": "x", "model_b": "z", "winner": "both_bad", "evaluation_session_id": "s2"},
            {"id": "t", "model_a": "x", "model_b": "z", "winner": "tie", "evaluation_session_id": "s2"},
        ),
        {("x", "y", 1, "s1"): 1, ("x", "z", 0.5, "s2"): 2},
        "model_a, model_b, winner: an arena's votes; 1 'model_a' for the left one, 1 'both_bad' as ties, 1 'tie' as "
        "ties, evaluation_session_id says who voted",
    ),
    "Chatbot Arena": (
        "arena33k.json",
        json.dumps(
            [
                {"question_id": "1", "model_a": "x", "model_b": "y", "winner": winner, "judge": "arena_user_1"}
                | {"conversation_a": [{"content": "a"}], "language": "English", "tstamp": 1682351591.1322}
                for winner in ("model_b", "tie (bothbad)", "tie")
            ]
        ),
        {("x", "y", 0, "arena_user_1"): 1, ("x", "y", 0.5, "arena_user_1"): 2},
        "'tie (bothbad)' as ties",
    ),
    "Kaggle": (
        "train.csv",
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        '1,x,y,"[""hi""]",a,b,1,0,0\n2,x,y,q,a,b,0,1,0\n3,y,x,q,a,b,0,0,1\n',
        {("x", "y", 1, None): 1, ("x", "y", 0, None): 1, ("y", "x", 0.5, None): 1},
        "an arena's votes",
    ),
    "FastChat": (
        "conv.jsonl",
        lines(
            {"tstamp": 1.0, "type": "chat", "model": "x", "state": {"offset": 0}},
            {"tstamp": 2.0, "type": "leftvote", "models": ["x", "y"], "states": [{"offset": 0}], "ip": "1"},
            {"tstamp": 3.0, "type": "rightvote", "models": ["x", "y"]},
            {"tstamp": 4.0, "type": "tievote", "models": ["x", "y"]},
            {"tstamp": 5.0, "type": "bothbad_vote", "models": ["y", "x"]},
        ),
        {("x", "y", 1, None): 1, ("x", "y", 0, None): 1, ("x", "y", 0.5, None): 1, ("y", "x", 0.5, None): 1},
        "dropped lines of type 'chat': 1",
    ),
    "MT-Bench, people": (
        "human.jsonl",
        lines(
            {"question_id": 81, "model_a": "x", "model_b": "y", "winner": "model_b", "judge": "author_2", "turn": 1},
            {"question_id": 81, "model_a": "x", "model_b": "y", "winner": "tie (inconsistent)", "judge": "e"},
        ),
        {("x", "y", 0, "author_2"): 1, ("x", "y", 0.5, "e"): 1},
        "judge says who voted",
    ),
    "MT-Bench, games": (
        "pair.jsonl",
        lines(
            {"model_1": "x", "model_2": "y", "g1_winner": "model_1", "g2_winner": "model_2", "judge": ["gpt-4", "v2"]},
            {"model_1": "x", "model_2": "y", "g1_winner": "tie", "g2_winner": "error", "judge": ["gpt-4", "v2"]},
        ),
        {
            ("x", "y", 1, '["gpt-4", "v2"]'): 1,
            ("y", "x", 1, '["gpt-4", "v2"]'): 1,
            ("x", "y", 0.5, '["gpt-4", "v2"]'): 1,
        },
        "1 'error' dropped",
    ),
    "arena-hard": (
        "o1.jsonl",
        lines(
            {"uid": "u", "judge": "g", "model": "m", "baseline": "b", "games": [game("A>>B"), game("A>B")]},
            {"uid": "v", "judge": "g", "model": "m", "baseline": "b", "games": [game("B>A"), game("A=B")]},
            {"uid": "w", "judge": "g", "model": "m", "baseline": "b", "games": [game(None), game("B>>A")]},
        ),
        {("b", "m", 1, "g"): 1, ("m", "b", 1, "g"): 1, ("b", "m", 0, "g"): 1, ("m", "b", 0.5, "g"): 1}
        | {("m", "b", 0, "g"): 1},
        "a clear win (>>) counted as a win",
    ),
    "alpaca_eval": (
        "annotations.json",
        '[{"generator_1": "x", "generator_2": "y", "annotator": "g", "preference": 1, "output_1": "q"},'
        '{"generator_1": "x", "generator_2": "y", "annotator": "g", "preference": 2.0},'
        '{"generator_1": "x", "generator_2": "y", "annotator": "g", "preference": 1.5},'
        '{"generator_1": "x", "generator_2": "y", "annotator": "g", "preference": 0},'
        '{"generator_1": "x", "generator_2": "y", "annotator": "g", "preference": 1.25},'
        '{"generator_1": "x", "generator_2": "y", "annotator": "g", "preference": NaN},'
        '{"generator_1": "x", "generator_2": "z", "annotator": "g", "preference": null}]',
        {("x", "y", 1, "g"): 1, ("x", "y", 0, "g"): 1, ("x", "y", 0.5, "g"): 2, ("x", "y", 0.75, "g"): 1},
        "dropped rows without a preference: 2",
    ),
    "compar:IA": (
        "votes.tsv",
        "model_a_name\tmodel_b_name\tchosen_model_name\tboth_equal\tvisitor_id\nx\ty\ty\tfalse\tv\nx\ty\t\ttrue\tv\n",
        {("x", "y", 0, "v"): 1, ("x", "y", 0.5, "v"): 1},
        "compar:IA's votes",
    ),
    "compar:IA, names only": (
        "votes.csv",
        "model_a_name,model_b_name,chosen_model_name\nx,y,y\ny,x,y\n",
        {("x", "y", 0, None): 1, ("y", "x", 1, None): 1},
        "compar:IA's votes",
    ),
    "DPO": (
        "dpo.jsonl",
        lines({"prompt": "p", "chosen": [{"role": "user"}], "chosen_model": "x", "rejected_model": "y"}),
        {("x", "y", 1, None): 1},
        "chosen_model, rejected_model: chosen and rejected",
    ),
    "evalica": (
        "food.csv",
        "left,right,winner\nPizza,Sushi,left\nSushi,Pizza,tie\nPizza,Sushi,right\n",
        {("Pizza", "Sushi", 1, None): 1, ("Sushi", "Pizza", 0.5, None): 1, ("Pizza", "Sushi", 0, None): 1},
        "left, right, winner",
    ),
    "Label Studio": (
        "project.json",
        json.dumps(
            [
                {
                    "id": 1,
                    "data": {"prompt": "q", "model_1": "x", "model_2": "y", "text1": "..", "text2": "."},
                    "annotations": [
                        annotation("left", 7),
                        annotation("right", {"id": 3, "email": "e@x"}),
                        annotation("left", 9, was_cancelled=True),
                        {"completed_by": 7, "result": []},
                    ],
                }
            ]
        ),
        {("x", "y", 1, "7"): 1, ("x", "y", 0, "e@x"): 1},
        "dropped annotations without a choice: 2",
    ),
    "Label Studio, JSON-MIN": (
        "min.json",
        json.dumps(
            [
                {"id": 1, "text1": "x", "text2": "y", "pairwise": choice, "annotator": 4, "annotation_id": 2}
                for choice in ("left", {"selected": "right"}, [{"selected": "right"}])
            ]
        ),
        {("x", "y", 1, "4"): 1, ("x", "y", 0, "4"): 2},
        "annotator says who voted",
    ),
    "argilla": (
        "argilla.jsonl",
        lines(
            {"prompt": "p", "preference": [response("u", [1, 2], ["x", "y"]), response("w", [1, 1], ["x", "y"])]},
            {"prompt": "p", "preference": [response("u", [2, 1, 2], ["x", "y", "z"])]},
            {"prompt": "p", "preference": [response("u", [2, 1], ["x", "y"], "discarded")]},
            {"prompt": "p", "preference": []},
        ),
        {("x", "y", 1, "u"): 1, ("x", "y", 0.5, "w"): 1, ("y", "x", 1, "u"): 0.75, ("y", "z", 1, "u"): 0.75}
        | {("x", "z", 0.5, "u"): 0.75},
        "dropped responses 'discarded': 1",
    ),
    "allourideas": (
        "wiki.csv",
        "Vote ID,Session ID,Wikisurvey ID,Winner ID,Winner Text,Loser ID,Loser Text,Valid\n"
        "1,s1,9,1,x,2,y,TRUE\n2,s1,9,2,y,1,x,FALSE\n3,s2,9,2,y,1,x,TRUE\n",
        {("x", "y", 1, "s1"): 1, ("y", "x", 1, "s2"): 1},
        "dropped invalid votes: 1",
    ),
    "No More Marking": (
        "judgements.csv",
        "judgeId,chosen,notChosen,timeTaken\nj,s1,s2,12\nk,s2,s1,9\n",
        {("s1", "s2", 1, "j"): 1, ("s2", "s1", 1, "k"): 1},
        "No More Marking's judgements",
    ),
    "football-data": (
        "E0.csv",
        "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,Referee\nE0,13/08/05,x,y,1,0,H,r\nE0,14/08/05,y,x,2,2,D,r\n"
        "E0,15/08/05,y,z,0,2,A,q\n",
        {("x", "y", 1, None): 1, ("y", "x", 0.5, None): 1, ("y", "z", 0, None): 1},
        "HomeTeam, AwayTeam, FTR: football results; 1 'H' for the left one, 1 'A' for the right one, 1 'D' as ties",
    ),
    "football-data, goals": (
        "E1.csv",
        "Date,HomeTeam,AwayTeam,FTHG,FTAG\n13/08/05,x,y,1,0\n14/08/05,y,x,2,2\n15/08/05,y,z,0,2\n",
        {("x", "y", 1, None): 1, ("y", "x", 0.5, None): 1, ("y", "z", 0, None): 1},
        "football results",
    ),
    "football-data, others": (
        "ARG.csv",
        "Country,Date,Home,Away,HG,AG,Res\nA,03/08/2012,x,y,1,0,H\nA,04/08/2012,z,y,0,1,A\n",
        {("x", "y", 1, None): 1, ("z", "y", 0, None): 1},
        "football results",
    ),
    "tennis": (
        "atp.csv",
        "tourney_date,surface,winner_name,loser_name\n20240101,Hard,x,y\n20240108,Clay,y,x\n",
        {("x", "y", 1, None): 1, ("y", "x", 1, None): 1},
        "results, winners first",
    ),
    "tennis, bets": ("2024.csv", "Winner,Loser,Wsets\nx,y,2\n", {("x", "y", 1, None): 1}, "results, winners first"),
    "chess": (
        "games.csv",
        "White,Black,Result\nx,y,1-0\nx,y,0-1\ny,x,1/2-1/2\ny,z,*\n",
        {("x", "y", 1, None): 1, ("x", "y", 0, None): 1, ("y", "x", 0.5, None): 1},
        "1 '*' dropped",
    ),
    "chess, lichess": (
        "games.csv",
        "id,rated,winner,white_id,black_id\n1,TRUE,white,x,y\n2,TRUE,black,x,y\n3,TRUE,draw,y,x\n",
        {("x", "y", 1, None): 1, ("x", "y", 0, None): 1, ("y", "x", 0.5, None): 1},
        "games of chess",
    ),
    "a judging run": (
        "run.jsonl",
        lines(
            answered(["z", "x", "y"], ["x", "y", "z"]),
            answered(["x", ["y", "z"]], ["z", "x", "y", "w"]),
            answered(["y", "x"], ["x", "y"], p_left=0.3),
            answered(["x", "z"], ["z", "x"]),
        ),
        {("z", "x", 1, "m"): 0.75, ("z", "y", 1, "m"): 0.75, ("x", "y", 1, "m"): 1.5, ("x", "z", 1, "m"): 0.75}
        | {("y", "z", 0.5, "m"): 0.75, ("x", "y", 0.3, "m"): 1, ("z", "x", 0, "m"): 1},
        "order, shown: a judging run's answers; judge says who voted",
    ),
    "a judging run on pairs": (
        "pairs.jsonl",
        lines(
            answered(["x", "y"], ["x", "y"]),
            answered(["x", "y"], ["y", "x"]),
            answered(["z", "y"], ["z", "y"], p_left=0.875),
            answered([["x", "z"]], ["z", "x"], judge="n"),
        ),
        {("x", "y", 1, "m"): 1, ("y", "x", 0, "m"): 1, ("z", "y", 0.875, "m"): 1, ("z", "x", 0.5, "n"): 1},
        "order, shown: a judging run's answers; judge says who voted",
    ),
    "PrefLib": (
        "00001-00000001.toc",
        PREFLIB,
        {("fig", "kiwi, g", 1, None): 3.75, ("fig", "plum", 1, None): 3.75, ("kiwi, g", "plum", 1, None): 3.75}
        | {("plum", "fig", 1, None): 1.5, ("plum", "kiwi, g", 1, None): 1.5, ("fig", "kiwi, g", 0.5, None): 1.5},
        "PrefLib's ballots",
    ),
}  # fmt: skip
NOT_SHOWN = {"DPO", "argilla", "allourideas", "No More Marking", "tennis", "tennis, bets", "PrefLib", "a judging run"}

UNTYPED = {"PrefLib", "Label Studio", "Label Studio, JSON-MIN", "a judging run", "a judging run on pairs"}
"""No table, and columns of several types."""


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_without_options(name, tmp_path):
    file, text, expected, said = EXPORTS[name]
    path = tmp_path / file
    path.write_text(text)
    votes, sentences = read_votes([path])
    assert cast(votes) == expected
    assert said in sentences[0]
    assert len(sentences) == 1
    assert votes.shown == (name not in NOT_SHOWN)


@pytest.mark.parametrize("name", [name for name in EXPORTS if name not in UNTYPED])
def test_an_export_may_be_stored_as_parquet_or_a_frame(name, tmp_path):
    """Nested columns keep their types there, and what a row lacks is null."""
    file, text, expected, _ = EXPORTS[name]
    path = tmp_path / file
    path.write_text(text)
    if path.suffix in (".csv", ".tsv"):
        frame = pl.read_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    else:
        rows = json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
        frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    frame.write_parquet(tmp_path / "stored.parquet")
    for table in (frame, tmp_path / "stored.parquet"):
        votes, _ = read_votes([table])
        assert _without_quotes(cast(votes)) == _without_quotes(expected)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(0, 2)
    | st.floats()
    | st.sampled_from(["", "x", "left", "A>B", "submitted"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["value", "selected", "result", "score", "rank", "status", "user_id", "completed_by", "a1", "a2"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("odd")


@pytest.mark.parametrize("name", [name for name, entry in EXPORTS.items() if "json" in entry[0]])
@given(data=st.data())
@settings(max_examples=60)
def test_whatever_stands_in_an_export_is_read_or_refused_in_one_line(name, data, folder):
    file, text, _, _ = EXPORTS[name]
    rows = json.loads(text) if file.endswith(".json") else [json.loads(line) for line in text.splitlines()]
    key = data.draw(st.sampled_from(sorted(set().union(*rows))))
    rows[data.draw(st.integers(0, len(rows) - 1))][key] = data.draw(anything)
    path = folder / "odd.json"
    path.write_text(json.dumps(rows))
    try:
        votes, _ = read_votes([path])
        assert ((votes.answers >= 0) & (votes.answers <= 1)).all()
    except ValueError as refused:
        assert "\n" not in str(refused)
        assert str(refused).startswith(str(path))


def _without_quotes(found):
    """Judges of polars' own types may be written with other quotes."""
    return {(*key[:3], str(key[3])): value for key, value in found.items()}


@pytest.mark.parametrize("p_left", [-0.1, 1.5, "high", [0.5]])
def test_a_chance_that_is_none_is_refused_with_its_line(p_left, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(lines(answered(["x", "y"], ["x", "y"]), answered(["x", "y"], ["x", "y"], p_left=p_left)))
    with pytest.raises(ValueError, match="column 'p_left' must be") as refused:
        read_votes([path])
    assert "line 2" in str(refused.value) or "row 2" in str(refused.value)
    assert "\n" not in str(refused.value)


ARENA = "model_a,model_b,winner_model_a,winner_model_b,winner_tie,Winner_Tie (bothbad)\n"


def test_an_arena_in_which_both_were_bad_has_a_tie(tmp_path):
    path = tmp_path / "arena.csv"
    path.write_text(ARENA + "x,y,1,0,0,0\nx,y,0,0,0,1\nx,z,0,0,1,0\nx,z,0,1,0,0\n")
    assert cast(read_votes([path])[0]) == {
        ("x", "y", 1, None): 1, ("x", "y", 0.5, None): 1, ("x", "z", 0.5, None): 1, ("x", "z", 0, None): 1
    }  # fmt: skip
    path.write_text(ARENA + "x,y,1,0,0,0\nx,y,0,0,1,1\n")
    with pytest.raises(ValueError, match=r"row 2 .*exactly one of .*Winner_Tie \(bothbad\) must be 1\. Got 2 of them"):
        read_votes([path])


def ranked(*parts):
    return lines({"preference": [{"user_id": "u", "status": "submitted", "value": list(parts)}]})


def test_ranks_may_stand_one_by_one_in_argilla_and_each_must_have_its_value(tmp_path):
    path = tmp_path / "argilla.jsonl"
    path.write_text(ranked({"rank": 2, "value": "x"}, {"rank": 1, "value": "y"}))
    assert cast(read_votes([path])[0]) == {("y", "x", 1, "u"): 1}
    for wrong in ({"value": "z"}, {"rank": "first", "value": "z"}, 3, None):
        path.write_text(ranked({"rank": 2, "value": "x"}, {"rank": 1, "value": "y"}, wrong))
        with pytest.raises(ValueError, match=r"'preference' must have a rank for every value\. Got others"):
            read_votes([path])


def test_a_label_studio_table_that_leaves_open_which_column_is_the_choice_must_be_told(tmp_path):
    row = {"text_a": "x", "text_b": "y", "annotator": 1, "lead_time": 2.5}
    path = tmp_path / "short.json"
    for more in ({"mood": "left", "side": "right"}, {"choice": "left", "answer": "right"}, {}):
        path.write_text(json.dumps([row | more]))
        with pytest.raises(ValueError, match="must hold votes in a form that is known"):
            read_votes([path])
    path.write_text(json.dumps([row | {"choice": "left", "mood": "right"}]))
    assert cast(read_votes([path])[0]) == {("x", "y", 1, "1"): 1}


def test_a_file_of_which_every_vote_is_dropped_is_refused_with_what_was_dropped(tmp_path):
    path = tmp_path / "arena.csv"
    path.write_text("model_a,model_b,winner\nx,y,error\nx,z,error\n")
    with pytest.raises(ValueError, match=r"arena\.csv must hold a vote\. .*2 'error' dropped"):
        read_votes([path])


def test_of_two_that_were_shown_one_alone_is_no_tie(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(lines(answered(["x"], ["x", "y"]), answered(["y", "x"], ["x", "y"])))
    votes, sentences = read_votes([path])
    assert cast(votes) == {("x", "y", 0, "m"): 1}
    assert "dropped ballots of one item: 1" in sentences[0]


def test_answers_that_count_more_than_once_do(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(lines(answered(["x", "y"], ["x", "y"]) | {"weight": 3}, answered(["x", "y", "z"], ["z", "y", "x"])))
    votes, _ = read_votes([path])
    assert cast(votes) == {("x", "y", 1, "m"): 3.75, ("x", "z", 1, "m"): 0.75, ("y", "z", 1, "m"): 0.75}


def test_a_board_of_one_column_of_a_judging_run_may_still_be_named(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(lines(answered(["x", "y", "z"], ["z", "y", "x"]), answered(["y", "x"], ["x", "y"])))
    votes, _ = read_votes([path], order="order")
    assert sum(cast(votes).values()) == pytest.approx(3 * 0.75 + 1)
    assert not votes.shown
