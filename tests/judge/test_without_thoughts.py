"""What a model thinks aloud has no say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.judge.without_thoughts import without_reasoning


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("A", "A"), ("<think>x</think>A", "A"), ("A <think>x</think>B", "A B"),
        ("<think>x</think>A<thinking>y</thinking>", "A"),
        ("x</think>A", "A"), ("<think>x", ""), ("A<think>x", ""), ("<think>x</think><think>", ""),
        ("a < b > c", "a < b > c"),
        ("<thinks>A", "<thinks>A"), ("<|channel|>analysis<|message|>x<|end|>", ""),
        ("analysis of A", "analysis of A"),
        ("<|channel|>final<|message|>B<|end|><|start|>assistant<|channel|>final<|message|>A", "A"),
    ],
)  # fmt: skip
def test_reasoning_is_left_out(text, left):
    assert without_reasoning(text) == left


@given(
    st.text(alphabet=st.characters(exclude_characters="<[◁")), st.text(alphabet=st.characters(exclude_characters="<[◁"))
)
def test_what_is_thought_has_no_say(thought, said):
    if not said.lstrip().startswith("analysis"):
        assert without_reasoning(f"<think>{thought}</think>{said}") == said
