"""Verdicts on pairs: whatever shape a reply has, what it says is read, and what it does not say is not guessed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.judge.pair_verdict import read_pair
from ordain.judge.verdict import Verdict

SAYS_A = [
    "A", " A\n", "A.", "(A)", "[A]", "**A**", "`A`", '"A"', "“A”", "'A'", "Ａ", "𝐀", "a", "(a)", "A)", "### A",
    "__A__", "> A",
    "Option A", "Text A", "text A.", "Answer A", "Option 1", "1", "1.", "first", "First.", "the first one",
    "The first text",
    "1st", "the first", "A\u200b", "$A$", "\\boxed{A}", "$\\boxed{\\text{A}}$", "[[A]]", "<answer>A</answer>",
    "~~B~~ A",
    "Verdict: A", "verdict: a", "VERDICT: A", "**Verdict:** A", "**Verdict: A**", "Verdict: **A**", "Verdict - A",
    "Verdict – A",
    "Verdict:\nA", "Verdict: (A)", "Verdict: Option A", "Verdict: Text A.", "Verdict: 1", "Verdict: first",
    "Verdict: the first one",
    "Answer: A", "Answer: A.", "Answer = A", "Final answer - A", "Final Answer: A", "The answer is A.",
    "My choice is A.",
    "The winner is A", "The winner is: A", "Winner: A", "Verdict: A > B", "Verdict: A over B", "A > B",
    "Order: A > B",
    "The better answer is A.", "Verdict: A, because B is worse.", "Verdict: A because B is worse",
    "Verdict: A (B is worse)",
    "Verdict: A is more urgent than B", "Verdict: A – B is worse", "Verdict: the first one, because it burns",
    "A is better because B is worse than it. Verdict: A. B was close.",
    "B has merits.\nB is well written.\nStill, the house burns.\nVerdict: A",
    "First, B is dull. Second, B is long.\nVerdict: A\n",
    "**B**\nB is about tea.\n**A**\nA is about fire.\nVerdict: A",
    "The worse answer is B. Verdict: A",
    "Answer: hard to say at first.\n\nFinal answer: A",
    "My first answer: B\nOn reflection that is wrong.\nFinal answer: A",
    "Das Haus brennt, also ist das erste dringender.\nVerdict: A", "火事のほうが緊急です。\nVerdict: A", "答案：A",
    "最终答案：A",
    "Antwort: A", "Respuesta: A", "Réponse : A", "Ответ: A", "Дом горит.\nОтвет: A",
    '{"answer": "A"}', '{"Answer": "a"}', '{"winner": 1}', '{"winner": "1"}', '{"verdict": "first"}',
    '{"verdict": "Text A"}',
    '```json\n{"answer": "A"}\n```',
    'Here it is:\n```json\n{"verdict": "A", "confidence": 0.8}\n```\nI hope this helps.',
    '{"reason": "B is {odd}; the answer is not B", "final_answer": "A"}', '{"reason": "Verdict: B", "verdict": "A"}',
    'B is nice. {"choice": "A"}',
    "A\n\nThe house is on fire, tea can wait.", "A\n\nB is only about tea.", "Both texts matter.\nA",
    "A. The house is on fire", "A) It burns", "A, it burns", "A - it burns", "A – it burns",
    "Here is my verdict: A", "This is the final answer: A", "Here is the answer:\nA",
    "Therefore, the better one is A.", "The better text is **A**.", "The more urgent text is A.",
    "Which is better: A or B? Verdict: A",
    "Verdict: The first text is more urgent", "The correct answer is (A) House", "The answer is: A) House",
    "Verdict: A ✅", "✅ A",
    "A is the clear winner.", "Between A and B, I choose A.", "{'answer': 'A'}", "Verdict: A, the first one",
    "Result: A wins",
    "I choose A.", "I would pick A", "I'd go with A.", "I prefer A to B.", "I prefer A over B.", "I choose A, not B.",
    "A is more urgent.", "A is more urgent than B.", "A is better than B.", "A is the better one.", "A wins.",
    "A, because it burns.",
    "A because it burns.", "Text A is clearly better.", "The first text is more urgent.", "I choose the first one.",
    "Option 1 is better.",
    "<think>B? B! Verdict: B</think>A", "<think>\n</think>\n\nVerdict: A", "so B it is, no wait</think>A",
    "[THINK]B[/THINK]A",
    "<thinking>B</thinking>\nA", "<reasoning>B</reasoning>A", "<THINK>B</THINK>A", "◁think▷B◁/think▷A",
    "<think>use <think> tags</think>A", "<think>x<think>y</think>Verdict: B</think>A",
    "<|channel|>analysis<|message|>B?<|end|><|start|>assistant<|channel|>final<|message|>A<|return|>",
    "<|channel|>final <|constrain|>json<|message|>{\"answer\": \"A\"}", "analysisB is nice.assistantfinalA",
]  # fmt: skip

SAYS_TIE = [
    "tie", "Tie.", "It's a tie.", "a draw", "equal", "Verdict: tie", "Verdict: Tie, both burn.", "Answer: equal",
    "A = B",
    "Verdict: A = B", '{"winner": "tie"}', "Final answer: a draw",
]  # fmt: skip

SAYS_NOTHING = [
    "", " ", "\n", ".", "NaN", "nan", "null", "None", "N/A", "both", "Both.", "neither", "Neither is better.",
    "Verdict: both",
    "Verdict: neither", "Verdict: none", "Verdict:", "Verdict: A or B", "Verdict: A or Verdict: B", "Verdict: A/B",
    "Verdict: A and B",
    "Verdict: A, B", "Verdict: A & B", "Verdict: A. B.", "Verdict: A?", "Verdict: not A", "The answer is not A.",
    "A or B", "A and B", "A, B",
    "A/B", "A B", "AB", "C", "3", "0", "Verdict: C", "Verdict: 3", "Verdict: A < B", "A < B",
    "Verdict: A\nVerdict: B", "Verdict: B. Answer: A",
    "A\nB", "A\n\nVerdict: B", "B\nA\nB", "Final answer: A\nFinal answer: B", "A is better.\nVerdict: neither",
    "Verdict: A\nB",
    "I'm sorry, I can't help with that.", "I'm sorry, but I can't choose.\nA", "As an AI, I cannot judge. A",
    "I cannot choose between A and B.",
    "<html><body><h1>502 Bad Gateway</h1></body></html>", "<!DOCTYPE html><html>A</html>", "<html>Verdict: A</html>",
    "A house is on fire.", "A clear case.", "A better text would say more.", "The answer is a matter of taste.",
    "Verdict: A better text would be needed.", "Answer: First, I look at both.", "a house, a fire", "I",
    "It is a hard question.",
    "A is better. B is better.", "A is worse.", "A is less urgent.", "A is worse than B.", "A is not better.",
    "A isn't better than B.",
    "If A is more urgent, I choose A.", "A might be better.", "A or B is better.", "I choose both A and B.",
    "Is A better?",
    "Both A and B are good.", "A is about fire, B is about tea.", "A: The text is about a fire.", "A: fire\nB: tea",
    "A. fire\nB. tea", "A. fire B. tea",
    "A is the winner: B is dull.", "(A) is the clear winner: B is dull.", "Text A is the better text: B is dull.",
    "A is the better text: B is dull.", "A is my choice: B is dull.", "❌ A",
    "There is no better text: A",
    "Verdict: (A) or (B)", "Verdict: (A) and (B)", "Verdict: [A], [B]", "<<<A 3f9c>>>", '{"verdict":"A",}',
    "Option two",
    "The worse answer is B.", "The wrong choice is A", "Loser: B", "A-levels are hard.", "A, neither burns",
    "Result: 1.5", "Answer: 2 points",
    "Tie-break: needed", "Verdict: tie-break", '{"answer": "both"}', '{"answer": null}', '{"answer": NaN}',
    '{"answer": 0}', '{"answer": true}',
    '{"answer": ["A", "B"]}', '{"answer": "A", "winner": "B"}', '{"answer": "A", "answer": "B"}',
    '{"answer": "A"}\n{"answer": "B"}',
    '{"answer": "A"}\nVerdict: B', '{"reason": "A is better", "ver', '{"answer": "A', '{"A": 0.7, "B": 0.3}', "[]",
    "{}", "[1, 2]",
    "<think>A", "<think>Verdict: A", "A<think>", "<think>A</think>", "A</think>", "[THINK]A",
    "<|channel|>analysis<|message|>A",
    "А", "Б", "left", "right", "The left one", "right, A it is or not",
    "Fire! " * 100 + "I choose A.",
]  # fmt: skip
SWAPPED = str.maketrans("ABab12ＡＢ𝐀𝐁", "BAba21ＢＡ𝐁𝐀")
SWAPS = {"first": "second", "First": "Second", "1st": "2nd"}
SWAPS |= {there: here for here, there in SWAPS.items()}
NAMES = re.compile(
    r"(?<!\w)(?:[AB12ＡＢ𝐀𝐁]|[ab](?! \w)|1st|2nd|[Ff]irst|[Ss]econd)(?!\w|'\w)"
    r"|(?<=assistantfinal)A|(?<=analysis)B|(?<=__)A(?=__)"
)


def mirrored(reply):
    """The reply with the two texts exchanged wherever one is named."""
    return NAMES.sub(lambda name: SWAPS.get(name[0]) or name[0].translate(SWAPPED), reply)


@pytest.mark.parametrize("reply", SAYS_A)
def test_the_first_is_read_in_every_form(reply):
    assert read_pair(reply).answer == 1.0


@pytest.mark.parametrize("reply", SAYS_A)
def test_the_second_is_read_in_every_form(reply):
    assert mirrored(reply) != reply
    assert read_pair(mirrored(reply)).answer == 0.0


@pytest.mark.parametrize("reply", SAYS_TIE)
def test_a_tie_is_one_half_where_it_is_said(reply):
    assert read_pair(reply).answer == 0.5
    assert read_pair(mirrored(reply)).answer == 0.5


@pytest.mark.parametrize("reply", SAYS_NOTHING)
def test_what_is_not_said_is_not_guessed(reply):
    assert read_pair(reply) == Verdict(None)
    assert not read_pair(reply).readable


@given(st.text(max_size=300), st.sampled_from("AB"))
def test_a_verdict_line_is_read_after_any_prose(prose, letter):
    """Whatever comes before it, unless that is a verdict or markup itself."""
    if any(sign in prose for sign in "<[{◁|~\\`&") or read_pair(prose).readable or "final" in prose.lower():
        return
    assert read_pair(f"{prose}\nVerdict: {letter}").answer == (letter == "A")
