"""Verdicts: no reply breaks the reading, and none takes long."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.judge.list_verdict import read_list
from ordain.judge.pair_verdict import read_pair
from ordain.judge.reasons import WHY

PIECES = [
    "A", "B", "C", "I", " ", "\n", ", ", " > ", " = ", "Verdict: ", "Order: ", "is better", "the ", "first", "1. ",
    "2) ", "- ",
    "{", "}", '"', "[", "]", "[[", '{"answer": ', '{"order": ', "<think>", "</think>", "not ", "because ", "**",
    "```json\n",
    "and ", "<|channel|>final", "<|message|>", "\\boxed{", "(", ")", "~~", "&gt;", "\x00", "\ud800", "ﷺ", "7", "both",
]  # fmt: skip
HEAVY = [
    "<think>", "[", "[[", "{", '{"a":', "A, ", "A > ", "order: ", "verdict: A ", " ", "\n", "1. A\n", "1. A ", "(",
    "~~", "ﷺ",
    "\\boxed{", "<|channel|>final", "A (", "not A ", "I choose A ", "A\n", "order is ", "final ", "&gt", "\\text{",
    "[A, ",
    "text ", "'", "A = ", "```", "\t\n", "more x one ", "of A and B ", "best to worst ", "{}", '{"order":["A","B"]}',
    "(A = ",
]  # fmt: skip
babble = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.one_of(st.text(), babble), st.integers(2, 26), st.booleans())
def test_no_text_breaks_the_reading(text, count, why):
    pair, order = read_pair(text, why=why), read_list(text, count, why=why)
    assert pair.answer in (None, 0.0, 0.5, 1.0)
    if isinstance(order.answer, tuple):
        places = [place for place in order.answer if not math.isnan(place)]
        assert len(order.answer) == count and len(places) == count - order.missing >= max(2, math.ceil(count / 2))
        assert set(places) == set(range(len(set(places))))
    else:
        assert order.answer is None
    assert pair.why is None or (why and 0 < len(pair.why) <= WHY and "\n" not in pair.why)


@pytest.mark.parametrize("piece", HEAVY)
def test_no_reply_takes_long(piece):
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    read_pair(text, why=True)
    read_list(text, 26, why=True)
    assert time.process_time() - start < 5
