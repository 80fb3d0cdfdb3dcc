"""Texts as bins of letters and as points: against a slow count, and the laws of the weights."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ordain.prepare.letter_bins import BINS, hashed
from ordain.prepare.letter_space import SAMPLE, LetterSpace, mean_rarity, weighed

TEXTS = ["The fig is ripe.", "the FIG  is\tripe.", "A plum, a kiwi and a sea", "\u732b\u304c\u597d\u304d", "", "a"]


def bin_of(run):
    """FNV-1a over letters, folded."""
    found = 14695981039346656037
    for letter in run:
        found = ((found ^ ord(letter)) * 1099511628211) % 2**64
    return (found ^ (found >> 32)) % BINS


def counted(text):
    """The runs of a text, one by one: letters of a word with a blank at each end."""
    words = [f" {word} " for word in text.lower().split()]
    runs = [word[k : k + n] for word in words for n in (3, 4, 5) for k in range(len(word) - n + 1)]
    return Counter(map(bin_of, runs))


@given(st.lists(st.text(max_size=30), max_size=4))
def test_bins_are_those_of_runs_counted_one_by_one(texts):
    rows = hashed(texts + TEXTS)
    for row, text in zip(rows, texts + TEXTS, strict=True):
        assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == counted(text)


def test_rows_have_length_one_and_rare_bins_weigh_more():
    counts = hashed(TEXTS)
    rarity = np.log((1 + len(TEXTS)) / (1 + (counts > 0).sum(axis=0).A1)) + 1
    rows = weighed(counts, rarity).toarray()
    assert_allclose((rows**2).sum(axis=1), [1, 1, 1, 1, 0, 1])
    dense = counts.toarray()
    raw = np.where(dense > 0, 1 + np.log(np.maximum(dense, 1)), 0) * rarity
    assert_allclose(rows, raw / np.maximum(np.linalg.norm(raw, axis=1), 1e-9)[:, None])
    means = [np.mean([rarity[k] for k in counted(text)] or [0]) for text in TEXTS]
    assert_allclose(mean_rarity(counts, rarity), means)


def test_many_texts_are_placed_in_parts_as_each_by_itself():
    texts = [f"{['fig', 'plum', 'kiwi', 'sea'][k % 4]} {k}" for k in range(SAMPLE + 50)]
    space = LetterSpace.learn(texts)
    points, rare = space.placed(texts)
    some = [0, SAMPLE - 1, SAMPLE, SAMPLE + 49]
    alone = space.placed([texts[k] for k in some])
    assert_allclose(points[some], alone[0], atol=1e-12)
    assert_allclose(rare[some], alone[1])
    again = LetterSpace.learn(texts)
    assert (again.axes == space.axes).all()
