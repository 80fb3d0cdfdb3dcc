"""Verdicts on lists: every order is read back in every style, and what is no order is not made one."""

import json
import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.judge.list_verdict import read_list
from ordain.judge.prompt import LABELS
from ordain.judge.verdict import Verdict

NAN = math.nan


def numbered(labels, line):
    """A line for each label, with its place."""
    return "\n".join(line.format(n=place, label=label) for place, label in enumerate(labels, 1))


STYLES = {
    "marker": lambda labels: "Order: " + " > ".join(labels),
    "marker in bold": lambda labels: "**Order:** " + " > ".join(f"**{label}**" for label in labels),
    "after prose": lambda labels: "A house burns. I think it is clear.\n\nFinal order: " + " > ".join(labels) + ".",
    "sentence": lambda labels: "The order is " + ", ".join(labels) + ", since fire is bad.",
    "bare chain": " > ".join,
    "tight chain": ">".join,
    "commas": ", ".join,
    "tight commas": ",".join,
    "commas and and": lambda labels: "Ranking: " + ", ".join(labels[:-1]) + ", and " + labels[-1],
    "blanks": " ".join,
    "arrows": " → ".join,
    "ascii arrows": " -> ".join,
    "precedes": " ≻ ".join,
    "small letters": lambda labels: "order: " + " > ".join(labels).lower(),
    "full-width": lambda labels: "Ｏｒｄｅｒ：" + " ＞ ".join(chr(ord(label) + 0xFEE0) for label in labels),
    "escaped": " &gt; ".join,
    "lines": "\n".join,
    "lines with blank ones": "\n\n".join,
    "numbered": lambda labels: numbered(labels, "{n}. {label}"),
    "numbered, reasons": lambda labels: numbered(labels, "{n}) {label} – A fire, I think."),
    "numbered, bold": lambda labels: numbered(labels, "{n}. **Text {label}**: A fire"),
    "numbered in brackets": lambda labels: numbered(labels, "({n}) {label}"),
    "numbered in a row": lambda labels: numbered(labels, "{n}. {label}").replace("\n", " "),
    "ranks": lambda labels: numbered(labels, "Rank {n}: {label}"),
    "table": lambda labels: "|rank|label|\n|---|---|\n" + numbered(labels, "| {n} | {label} |"),
    "bullets": lambda labels: "\n".join(f"- {label}" for label in labels),
    "starred": lambda labels: "\n".join(f"* {label}" for label in labels),
    "headed bullets": lambda labels: "Ranking from best to worst:\n" + numbered(labels, "- {label}: fire"),
    "headed lines": lambda labels: "Order:\n\n" + "\n".join(f"{label} (fire)" for label in labels),
    "headed numbers": lambda labels: "Here is my ranking:\n" + numbered(labels, "{n}. {label}"),
    "JSON": json.dumps,
    "JSON object": lambda labels: json.dumps({"reason": "A > B, I think", "order": labels}),
    "fenced JSON": lambda labels: f"Sure!\n```json\n{json.dumps({'ranking': labels}, indent=1)}\n```",
    "JSON words": lambda labels: json.dumps({"order": " > ".join(labels)}),
    "Python": lambda labels: f"Order: {labels!r}",
    "array of bare letters": lambda labels: f"Order: [{', '.join(labels)}]",
    "named": lambda labels: "Order: " + " > ".join(f"Text {label}" for label in labels),
    "in brackets": lambda labels: "Order: " + " > ".join(f"({label})" for label in labels),
    "remarks": lambda labels: "Order: " + " > ".join(f"{label} (a fire)" for label in labels),
    "boxed": lambda labels: "So $\\boxed{" + " > ".join(labels) + "}$",
    "thought about": lambda labels: f"<think>Order: {' > '.join(labels[::-1])}</think>\nOrder: {' > '.join(labels)}",
    "corrected": lambda labels: f"Order: {' > '.join(labels[::-1])}\nNo. Order: {' > '.join(labels)}",
    "German": lambda labels: f"Das brennt. Reihenfolge: {' > '.join(labels)}",
    "in a sentence": lambda labels: f"I would say {' > '.join(labels)}.",
    "explained after": lambda labels: f"Order: {' > '.join(labels)}\nThe order is based on urgency: {labels[0]} burns.",
    "over lines": " >\n".join,
    "marked blanks": lambda labels: "Order: " + " ".join(labels),
    "from best": lambda labels: "From best to worst: " + ", ".join(labels),
    "quoted": lambda labels: "\n> ".join(labels),
}  # fmt: skip
orders = st.integers(3, 26).flatmap(lambda count: st.permutations(list(LABELS[:count])))


@given(order=orders)
def test_every_order_is_read_back_in_every_style(order):
    places = tuple(float(order.index(label)) for label in LABELS[: len(order)])
    for name, style in STYLES.items():
        assert read_list(style(order), len(order)) == Verdict(places), name


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_every_order_of_three_is_read_back_in_every_style(style):
    for order in map(list, permutations("ABC")):
        assert read_list(style(order), 3).answer == tuple(float(order.index(label)) for label in "ABC")


TIED_STYLES = {
    "marker": lambda levels: "Order: " + " > ".join(" = ".join(level) for level in levels),
    "wavy": lambda levels: " > ".join(" ~ ".join(level) for level in levels),
    "commas": lambda levels: "Order: " + ", ".join("=".join(level) for level in levels),
    "JSON": lambda levels: json.dumps([level if len(level) > 1 else level[0] for level in levels]),
    "JSON object": lambda levels: json.dumps({"order": levels}),
    "bare arrays": lambda levels: "Order: [" + ", ".join(f"[{', '.join(level)}]" for level in levels) + "]",
    "numbered": lambda levels: "\n".join(f"{n}. {' = '.join(level)}" for n, level in enumerate(levels, 1)),
    "brackets": lambda levels: "Order: " + " > ".join(f"({' = '.join(level)})" for level in levels),
    "same number": lambda levels: "\n".join(f"{n}. {label}" for n, level in enumerate(levels, 1) for label in level),
}


@st.composite
def tied_orders(draw):
    """Two levels or more of three labels or more."""
    count = draw(st.integers(3, 12))
    order = draw(st.permutations(list(LABELS[:count])))
    cuts = sorted(draw(st.sets(st.integers(1, count - 1), min_size=1)))
    return [order[start:end] for start, end in zip([0, *cuts], [*cuts, count], strict=True)]


@given(levels=tied_orders())
def test_ties_are_read_back_in_every_style(levels):
    place = {label: float(number) for number, level in enumerate(levels) for label in level}
    for name, style in TIED_STYLES.items():
        found = read_list(style(levels), len(place))
        assert found == Verdict(tuple(place[label] for label in sorted(place))), name


def same(verdict, expected):
    """Equality in which NaN equals NaN."""
    return str(verdict) == str(expected)


@pytest.mark.parametrize(
    ("reply", "count", "expected"),
    [
        ("Order: C > A", 3, Verdict((1.0, NAN, 0.0), missing=1)),
        ("Order: C > A > C > B", 3, Verdict((1.0, 2.0, 0.0), repeated=1)),
        ("Order: C > Z > A > B", 3, Verdict((1.0, 2.0, 0.0), invented=1)),
        ("Order: C > A > A > Q > C", 4, Verdict((1.0, NAN, 0.0, NAN), missing=2, repeated=2, invented=1)),
        ('["C", "A", "the last one"]', 3, Verdict((1.0, NAN, 0.0), missing=1, invented=1)),
        ('["C", "A", 3, null]', 3, Verdict((1.0, NAN, 0.0), missing=1, invented=2)),
        ("1. C\n2. A\n3. C\n4. X", 3, Verdict((1.0, NAN, 0.0), missing=1, repeated=1, invented=1)),
        ("Order: C > A = B", 3, Verdict((1.0, 1.0, 0.0))),
        ("Order: A = B = C", 3, Verdict((0.0, 0.0, 0.0))),
        ("1. A\n1. C\n3. B", 3, Verdict((0.0, 1.0, 0.0))),
        ("Order: C > A > the other", 3, Verdict((1.0, NAN, 0.0), missing=1)),
        ("C > A. The order: C > A > B", 3, Verdict((1.0, 2.0, 0.0))),
        ("C > A\nC > A > B", 3, Verdict((1.0, 2.0, 0.0))),
        ("C > A > B\nC > A > B", 3, Verdict((1.0, 2.0, 0.0))),
        ("1. C\nA fire, I say.\n2. A\nIt is a pity.\n3. B", 3, Verdict((1.0, 2.0, 0.0))),
        ("Order: I > A > B > C > D > E > F > G > H", 9, Verdict((1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0))),
        ("Order: B > A", 2, Verdict((1.0, 0.0))),
        ("Ranking from best to worst: C, A, B", 3, Verdict((1.0, 2.0, 0.0))),
        ("Order: C, B, A because of the fire", 3, Verdict((2.0, 1.0, 0.0))),
        ("The order is C, B, a clear case", 3, Verdict((NAN, 1.0, 0.0), missing=1)),
    ],
)  # fmt: skip
def test_labels_missing_repeated_and_invented_are_counted(reply, count, expected):
    assert same(read_list(reply, count), expected)


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        ("", 3), ("A", 3), ("NaN", 3), ("Order:", 3), ("Order: none", 3), ("Order: C", 3), ("Order: C > A", 5),
        ("1. C", 3), ('["C"]', 3),
        ("C > A > B\nB > A > C", 3), ("1. C\n2. A\n3. B\n\n1. A\n2. B\n3. C", 3), ("C, A, B\n[B, A, C]", 3),
        ("Order: X > Y > Z", 3), ("A and B and C", 3), ("All of A, B and C are good.", 3),
        ("A, B and C are good.", 3),
        ("I think a fire is bad. A house burns. I, A, B.", 3), ("A fire, a tea, I say", 9),
        ("C is best, then come the others.", 3),
        ("1. A house on fire\n2. A cup of tea\n3. I am late", 9), ("A house on fire > A cup of tea", 3),
        ('["A house", "A tea", "A cat"]', 3),
        ("A: a house\nB: a tea\nC: a cat", 3), ("- A: a house\n- B: a tea\n- C: a cat", 3),
        ("A\nis a house\nB\nis a tea\nC\nis a cat", 3),
        ("1. C\n1. A\n1. B", 3), ("3. C\n2. A\n1. B", 3), ("1. A, B\n2. C", 3), ("Order: C > A, B > D", 4),
        ("Order: A < B < C", 3), ("A < B < C", 3),
        ("Order from worst to best: A > B > C", 3), ("From least urgent to most urgent: C, A, B", 3),
        ("Worst first: A, B, C", 3),
        ("It is not C > A > B", 3), ("CAB", 3), ("[3, 1, 2]", 3), ('{"A": 2, "B": 1, "C": 3}', 3),
        ('{"order": [2, 0, 1]}', 3), ('[["C", "A", "B"]]', 3),
        ("I'm sorry, I can't rank these.", 3), ("<html><body>C > A > B</body></html>", 3),
        ("<think>Order: C > A > B", 3), ("{}", 3), ("[]", 3),
        ("both", 3), ("Verdict: A", 3), ("The answer is C, obviously", 3), ("Order: c", 3), ("[[[[", 3), ("]]]]", 3),
        ("A, B", 4 + 1),
    ],
)  # fmt: skip
def test_prose_and_contradictions_are_no_order(reply, count):
    assert read_list(reply, count).answer is None


@pytest.mark.parametrize("count", [-1, 0, 1, 27])
def test_a_list_has_two_to_twenty_six_labels(count):
    with pytest.raises(ValueError, match=r"^a list must have 2 to 26 texts\. Got"):
        read_list("A > B", count)


@pytest.mark.parametrize("needed", [2, 3, 4, 5, 6, 7, 10, 26])
def test_half_of_the_labels_must_have_a_place(needed):
    """Fewer than half, or than two, is no order; from there on it is one."""
    least = max(2, math.ceil(needed / 2))
    assert read_list("Order: " + " > ".join(LABELS[:least]), needed).readable
    assert not read_list("Order: " + " > ".join(LABELS[: least - 1] + "ZZ"[: needed < 26]), needed).readable
