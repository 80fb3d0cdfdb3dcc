"""The proof of Theorem 3 as a program: every step of every trace is checked, and fractional DEGREE with it."""

from fractions import Fraction
from itertools import combinations, permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.theorems.exact import compression, tournaments
from ordain.theorems.exact.compression import Compressed, Level


@st.composite
def preferences(draw, most=7):
    """A preference in fractions; few values, so that scores are often equal."""
    n = draw(st.integers(2, most))
    parts = draw(st.sampled_from([1, 2, 3, 7]))
    h = np.full((n, n), Fraction(1, 2), dtype=object)
    for u, v in combinations(range(n), 2):
        h[u, v] = Fraction(draw(st.integers(0, parts)), parts)
        h[v, u] = 1 - h[u, v]
    return h


@st.composite
def sequences(draw):
    """Levels of the scores of a preference, each shared between winners and losers in any fractions."""
    scores = naive.wins(draw(preferences()))
    levels = []
    for degree in sorted({*scores}):
        items = scores.count(degree)
        winners = items * Fraction(draw(st.integers(0, 5)), 5)
        levels.append(Level(degree, winners, items - winners))
    return Compressed(tuple(levels))


def items_of(sequence):
    """The degree of every item."""
    return [level.degree for level in sequence.levels for _ in range(int(level.winners + level.losers))]


@settings(max_examples=200)
@given(sequences())
def test_every_step_of_the_proof(sequence):
    trace = compression.canonised(sequence)
    assert naive.landau(items_of(sequence))
    for old, new in zip(trace.sequences, trace.sequences[1:], strict=False):
        assert sum(a.winners for a in new.levels) == sum(a.winners for a in old.levels)
        assert sum(a.losers for a in new.levels) == sum(a.losers for a in old.levels)
        assert all(min(a.winners, a.losers) >= 0 and (a.winners + a.losers) % 1 == 0 for a in new.levels)
        assert [a.degree for a in new.levels] == sorted({a.degree for a in new.levels})
        assert naive.landau(items_of(new))
        assert new.is_landau
        assert naive.compressed_excess(new.levels) == new.excess >= naive.compressed_excess(old.levels)
        assert not old.is_canonical
    assert trace.end.is_canonical
    assert naive.canonical(trace.end.levels)
    assert sequence.excess == naive.compressed_excess(sequence.levels) <= naive.compressed_excess(trace.end.levels) <= 0
    assert len(trace.steps) < 3 * sum(a.winners + a.losers for a in sequence.levels)


@settings(max_examples=200)
@given(sequences())
def test_what_each_transformation_does(sequence):
    """Its case, what it leaves, and its gain by the formulas of the proof."""
    trace = compression.canonised(sequence)
    names = [step.name for step in trace.steps]
    for number, (old, step) in enumerate(zip(trace.sequences, trace.steps, strict=False)):
        low, high = old.levels[step.at : step.at + 2]
        gained = step.result.excess - old.excess
        a = high.winners + low.losers - 2 * (high.degree - low.degree)
        if step.name == "2":
            assert min(low.winners, low.losers, high.winners, high.losers) > 0 != a
            x = step.result.levels[step.at].winners - low.winners
            assert gained == x * (a - x) > 0
            followed = naive.compressed_size(step.result.levels) == naive.compressed_size(old.levels)
            assert not followed or (2 * x == a and names[number + 1] == "3")
        else:
            assert len(step.result.levels) == len(old.levels) - 1
            assert naive.compressed_size(step.result.levels) < naive.compressed_size(old.levels)
        if step.name == "1a":
            assert low.losers == 0
            assert step.result.degree_mistakes == old.degree_mistakes
        if step.name == "1b":
            assert high.winners == 0 < low.losers
            assert step.result.degree_mistakes == old.degree_mistakes
        if step.name == "3":
            assert a == 0
            items = low.items + high.items
            weighed = low.losers * high.winners * (high.losers + low.winners)
            weighed += high.losers * low.winners * (low.losers + high.winners)
            assert gained == weighed / items > 0


def test_all_transformations_occur():
    rng = np.random.default_rng(0)
    used = set()
    for _ in range(60):
        h = tournaments.random_tournament(7, rng)
        trace = compression.canonised(compression.compressed(h.sum(axis=1), rng.integers(0, 2, 7)))
        used |= {step.name for step in trace.steps}
    assert used == {"1a", "1b", "2", "3"}


@given(preferences(), st.data())
def test_a_compressed_sequence_counts_as_its_items_do(h, data):
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(h), max_size=len(h)))
    sequence = compression.compressed(naive.wins(h), labels)
    assert sequence.degree_mistakes == tournaments.degree_mistakes(np.array(naive.wins(h)), labels)
    assert sequence.pair_mistakes == sum(
        (h[u, v] for u, v in permutations(range(len(h)), 2) if labels[u] < labels[v]), Fraction(0)
    )


@settings(max_examples=200)
@given(preferences(), st.data())
def test_fractional_degree_keeps_the_factor_two(h, data):
    """Step by step: Landau's condition for real scores, f from the scores, g by levels, g ≤ 2f."""
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(h), max_size=len(h)))
    scores = naive.wins(h)
    assert tournaments.scores_of(h).tolist() == scores
    assert all(sum(scores[u] for u in some) >= len(some) * (len(some) - 1) // 2 for some in naive.subsets(len(h)))
    assert tournaments.is_landau(scores)
    pairs = [(u, v) for u, v in permutations(range(len(h)), 2) if labels[u] < labels[v]]
    f, g = sum((h[pair] for pair in pairs), Fraction(0)), sum(1 for u, v in pairs if scores[u] >= scores[v])
    losers = [u for u in range(len(h)) if not labels[u]]
    assert f == sum((scores[u] for u in losers), Fraction(0)) - len(losers) * (len(losers) - 1) // 2
    assert compression.fractional_excess(h, labels) == g - 2 * f <= 0
    assert compression.canonised(compression.compressed(scores, labels)).start.excess == g - 2 * f


@settings(max_examples=100)
@given(preferences(), st.data())
def test_fractional_degree_by_rounded_scores(h, data):
    """An order by scores that are off by ε makes at most 2f + 4ε|L| mistakes."""
    n, epsilon = len(h), Fraction(data.draw(st.integers(1, 20)), 40)
    labels = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    rounded = [score + epsilon * Fraction(data.draw(st.integers(-4, 4)), 4) for score in naive.wins(h)]
    order = tournaments.degree_order(rounded, labels)
    f = tournaments.pair_mistakes(h, labels)
    assert tournaments.order_mistakes(order, labels) <= 2 * f + 4 * epsilon * labels.count(0)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_a_preference_that_never_decides_has_twice_its_mistakes(n):
    h = np.full((n, n), Fraction(1, 2), dtype=object)
    for winners in range(1, n):
        labels = [1] * winners + [0] * (n - winners)
        assert compression.fractional_excess(h, labels) == 0
        assert tournaments.pair_mistakes(h, labels) * 2 == winners * (n - winners)


REFUSED = {
    "degrees of a compressed sequence must rise": [(1, 1, 0), (1, 0, 1), (1, 1, 0)],
    "must sum to a whole number": [(0, Fraction(1, 2), 0), (Fraction(1, 2), 1, Fraction(1, 2))],
    "must satisfy Landau's condition": [(0, 1, 1), (3, 1, 0)],
}


@pytest.mark.parametrize(("message", "levels"), REFUSED.items(), ids=REFUSED)
def test_what_theorem_3_does_not_speak_of_is_refused(message, levels):
    sequence = Compressed(tuple(Level(*map(Fraction, level)) for level in levels))
    with pytest.raises(ValueError, match=message):
        compression.canonised(sequence)
