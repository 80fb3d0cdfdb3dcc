"""Reasons: what stands beside the verdict, on one line, and only where it is asked for."""

import pytest

from ordain.judge.list_verdict import read_list
from ordain.judge.pair_verdict import read_pair
from ordain.judge.reasons import WHY, why_of
from ordain.judge.verdict import Verdict


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("It burns.\nVerdict: A", "It burns."), ("**Reason:** It\nburns.\n\n**Verdict:** A", "It burns."),
        ("It burns. Verdict: A", "It burns."),
        ("Verdict: A\nReason: It burns.", "It burns."), ("A\n\nIt burns.", "It burns."), ("Verdict: A", None),
        ("A", None), ("", None),
        ('{"reason": "It burns.", "verdict": "A"}', "It burns."),
        ("<think>hm</think>It burns.\nVerdict: A", "It burns."),
        ("It burns.\nOrder: C > A > B", "It burns."), ("It burns.\nC > A > B", "It burns."),
        ("1. C\n2. A\n3. B", None), ('{"reason": 3, "verdict": "A"}', None),
        ("The answer: fire is hot. It burns.\nVerdict: A", "The answer: fire is hot. It burns."),
    ],
)  # fmt: skip
def test_the_reason_stands_beside_the_verdict(text, why):
    assert why_of(text) == why


def test_the_reason_is_kept_where_asked_for():
    assert read_pair("It burns.\nVerdict: A", why=True) == Verdict(1.0, why="It burns.")
    assert read_pair("It burns.\nVerdict: A").why is None
    assert read_list("It burns.\nOrder: B > A > C", 3, why=True) == Verdict((1.0, 0.0, 2.0), why="It burns.")


def test_a_long_reason_is_cut_visibly():
    why = why_of("fire " * 1000 + "\nVerdict: A")
    assert why.startswith("fire fire") and why.endswith("[…cut]") and len(why) <= WHY
