"""What is counted in a text, against counts taken by hand."""

import numpy as np
import pytest

from ordain.prepare.text_counts import COUNTS, text_counts

TEXT = "The elephant sat. Beautiful animals, (they) remember everything!\nOh?"


def counted(text, name):
    return text_counts([text])[0, COUNTS.index(name)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("characters", np.log1p(len(TEXT))),
        ("words", np.log(10)),
        ("mean word length", (3 + 8 + 3 + 9 + 7 + 4 + 8 + 10 + 2) / 9),
        ("spread of word lengths", np.std([3, 8, 3, 9, 7, 4, 8, 10, 2])),
        ("share of short words", 3 / 9),
        ("share of long words", 5 / 9),
        ("syllables per word", (1 + 3 + 1 + 3 + 3 + 1 + 3 + 4 + 1) / 9),
        ("share of words with many syllables", 5 / 9),
        ("words per sentence", np.log(9 / 3)),
        ("spread of sentence lengths", np.log1p(np.std([3, 5, 1]))),
        ("longest sentence", np.log1p(5)),
        ("different words", 9 / 3),
        ("commas", 1 / 9),
        ("quotation marks", 0),
        ("exclamation and question marks", 2 / 9),
        ("digits", 0),
        ("capitals", 3 / 9),
        ("lines", 1 / 9),
        ("brackets", 2 / 9),
    ],
)
def test_each_count_is_the_one_by_hand(name, value):
    assert counted(TEXT, name) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "syllables"),
    [("Äpfel", 2), ("éléphant", 3), ("мама мыла", 2), ("μήτηρ", 2), ("rhythm", 1), ("漢字", 0), ("", 0), ("5 + 5", 0)],
)
def test_syllables_are_runs_of_vowels_whatever_their_accents(text, syllables):
    assert counted(text, "syllables per word") == pytest.approx(syllables)


def test_texts_of_any_kind_have_finite_counts():
    texts = ["", " ", "...", "!?", "\n\n", "5", "漢字。", "\ud800", "a" * 10_000, "no end"]
    assert np.isfinite(text_counts(texts)).all()
