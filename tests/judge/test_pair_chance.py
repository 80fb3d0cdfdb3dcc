"""Chances: those of A and B where the verdict stands, never 0 or 1, and none where they cannot be told."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.judge.pair_chance import pair_chance


def entry(token, top):
    """A token of a reply with what could have stood in its place."""
    top = {token: -0.1} if top is None else top
    listed = [{"token": other, "logprob": logprob, "bytes": None} for other, logprob in top.items()]
    return {"token": token, "logprob": top.get(token, -3.0), "top_logprobs": listed}


def reply(*tokens, **tops):
    """The tokens, the one that is marked by * with these alternatives."""
    return [entry(token.strip("*"), tops["top"] if token.startswith("*") else None) for token in tokens]


chances = st.floats(1e-6, 1)


@given(chances, chances)
def test_the_chance_is_that_of_a_among_both_letters(first, second):
    first, second = first / 2, second / 2
    top = {"A": math.log(first), "B": math.log(second), "C": -5.0}
    said = "A" if first >= second else "B"
    assert pair_chance([entry(said, top)]) == pytest.approx(first / (first + second))
    mirror = {"B": math.log(first), "A": math.log(second), "C": -5.0}
    assert pair_chance([entry("B" if said == "A" else "A", mirror)]) == pytest.approx(second / (first + second))


def test_spellings_are_summed():
    top = {
        "A": math.log(0.3),
        " A": math.log(0.2),
        "(A": math.log(0.1),
        "**B": math.log(0.2),
        "ĠB": math.log(0.05),
        "a": math.log(0.05),
    }
    assert pair_chance([entry("A", top)]) == pytest.approx(0.6 / 0.85)


TOP = {"A": math.log(0.9), "B": math.log(0.1)}


@pytest.mark.parametrize(
    "tokens",
    [
        ["*A"], ["*A", "."], ["Verdict", ":", " ", "*A"],
        ["A", " beats", " B", ".", " Verdict", ":", "*A", ".", " B", " was", " close", " to", " A"],
        ["<think>", "A", "B", "</think>", "*A"], ["Verdict", ": ", "*A", "\n", "A", " is", " better"],
        ['{"', "answer", '":"', "*A", '"}'],
        ["I choose ", "*A"], ["**", "*A", "**"],
    ],
)  # fmt: skip
def test_the_chance_is_taken_where_the_verdict_stands(tokens):
    assert pair_chance(reply(*tokens, top=TOP)) == pytest.approx(0.9)


def test_a_verdict_against_the_odds_keeps_them():
    assert pair_chance([entry("B", TOP)]) == pytest.approx(0.9)


def test_a_token_that_is_not_among_the_likeliest_counts_itself():
    top = {"A": math.log(0.9), "C": math.log(0.05)}
    assert pair_chance(
        [{"token": "B", "logprob": math.log(0.01), "top_logprobs": entry("A", top)["top_logprobs"]}]
    ) == pytest.approx(0.9 / 0.91)


@pytest.mark.parametrize(
    ("top", "other"),
    [
        ({"A": 0.9, "C": 0.06, "D": 0.02}, 0.02),  # as likely as the last that is listed
        ({"A": 0.6, "C": 0.2, "D": 0.195}, 0.005),  # no likelier than what is left
        ({"A": 0.99}, 0.01),
    ],
)
def test_a_letter_that_is_not_listed_is_as_likely_as_it_can_be(top, other):
    logs = {token: math.log(chance) for token, chance in top.items()}
    assert pair_chance([entry("A", logs)]) == pytest.approx(top["A"] / (top["A"] + other))
    swapped = {token.replace("A", "B"): logprob for token, logprob in logs.items()}
    assert pair_chance([entry("B", swapped)]) == pytest.approx(other / (top["A"] + other))


@pytest.mark.parametrize(
    "top", [{"A": 0.0}, {"A": 0.0, "B": -9999.0}, {"A": 0.0, "B": -math.inf}, {"A": 1e-7, "C": -9999.0}]
)
def test_no_chance_is_zero_or_one(top):
    assert 0.999 < pair_chance([entry("A", top)]) < 1
    assert (
        0
        < pair_chance([entry("B", {{"A": "B", "B": "A"}.get(token, token): log for token, log in top.items()})])
        < 0.001
    )


@pytest.mark.parametrize(
    "logprobs",
    [
        None, [], {}, "A", 3, [None], [3], ["A"], [{}], {"content": None}, {"content": []},
        {"tokens": ["A"], "token_logprobs": [-0.1]},
        [{"token": "A"}], [{"token": "A", "logprob": -0.1}], [{"token": "A", "top_logprobs": None}],
        [{"token": "A", "top_logprobs": []}],
        [{"token": "A", "top_logprobs": {"A": -0.1, "B": -2}}], [{"token": "A", "top_logprobs": [None]}],
        [{"token": "A", "top_logprobs": [{}]}],
        [{"token": None, "top_logprobs": [{"token": "A", "logprob": -0.1}]}],
        [{"token": "A", "logprob": "x", "top_logprobs": [{"token": "A", "logprob": "x"}]}],
        [entry("A", {"A": math.nan})], [entry("A", {"A": 5.0})], [entry("A", {"A": True})],
        [entry("A", {"A": -9999.0})],
        [entry("both", {"A": -1.0, "B": -1.0})], [entry("tie", {"A": -1.0, "B": -1.0})],
        [entry("1", {"1": -1.0, "2": -1.0})],
        [entry("A", TOP), entry("\n", None), entry("B", TOP)], [entry("token_id:32", {"token_id:32": -0.1})],
    ],
)  # fmt: skip
def test_what_has_no_chances_gives_none(logprobs):
    assert pair_chance(logprobs) is None


def test_the_record_around_the_tokens_is_taken_too():
    assert pair_chance({"content": [entry("A", TOP)], "refusal": None}) == pytest.approx(0.9)


values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["A", "B", " A", "x", "Verdict: "])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["token", "logprob", "top_logprobs", "content"]), inner, max_size=4),
    ),
)


@given(values)
def test_no_record_breaks_the_chance(logprobs):
    chance = pair_chance(logprobs)
    assert chance is None or 0 < chance < 1
