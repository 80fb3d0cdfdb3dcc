"""Tournaments against enumeration: their kinds, Landau's condition, and Theorem 2 by counting."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordain.preference import from_matrix
from ordain.rank import degree, play
from ordain.theorems.exact import examples, tournaments
from ordain.theorems.exact.quicksort_law import precedence

# Tournaments with n labelled vertices up to isomorphism, and their score sequences: OEIS A000568 and A000571.
KINDS = {1: 1, 2: 1, 3: 2, 4: 4, 5: 12, 6: 56}
SEQUENCES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 9, 6: 22, 7: 59, 8: 167, 9: 490, 10: 1486}


@st.composite
def whole(draw, most=7):
    """A tournament."""
    n = draw(st.integers(2, most))
    h = np.zeros((n, n), dtype=int)
    for u, v in combinations(range(n), 2):
        h[u, v] = draw(st.integers(0, 1))
        h[v, u] = 1 - h[u, v]
    return h


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_tournaments_are_there_once(n):
    found = {h.tobytes() for h in tournaments.tournaments(n)}
    assert len(found) == 2 ** comb(n, 2)
    assert all((h + h.T == 1 - np.eye(n)).all() for h in tournaments.tournaments(n))


@pytest.mark.parametrize(("n", "count"), KINDS.items())
def test_there_are_as_many_kinds_as_known(n, count):
    assert len(tournaments.tournament_classes(n)) == count


@pytest.mark.parametrize("n", [3, 4, 5])
def test_every_tournament_is_of_one_kind(n):
    """The names of each kind permuted give every tournament, and each only once."""
    seen = {}
    for kind, h in enumerate(tournaments.tournament_classes(n)):
        for names in permutations(range(n)):
            seen.setdefault(h[np.ix_(names, names)].tobytes(), set()).add(kind)
    assert len(seen) == 2 ** comb(n, 2)
    assert all(len(kinds) == 1 for kinds in seen.values())


@pytest.mark.parametrize(("n", "count"), SEQUENCES.items())
def test_there_are_as_many_score_sequences_as_known(n, count):
    sequences = list(tournaments.score_sequences(n))
    assert len({*sequences}) == len(sequences) == count
    assert all(list(scores) == sorted(scores) for scores in sequences)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_landau_holds_for_the_scores_of_tournaments_and_no_others(n):
    """n = 6 and 7 are in the row B-landau."""
    seen = {tuple(sorted(h.sum(axis=1).tolist())) for h in tournaments.tournaments(n)}
    assert seen == {*tournaments.score_sequences(n)}
    rising = combinations_with_replacement(range(n), n)
    assert seen == {scores for scores in rising if tournaments.is_landau(scores)}


@given(whole(most=12), st.randoms(use_true_random=False))
def test_a_tournament_is_built_from_scores_in_any_order(h, random):
    scores = random.sample(h.sum(axis=1).tolist(), len(h))
    built = tournaments.with_scores(scores)
    assert built.sum(axis=1).tolist() == scores
    assert (built + built.T == 1 - np.eye(len(h))).all()


@pytest.mark.parametrize("scores", [[0, 0, 3], [1, 1, 2], [0, 3, 3, 0], [0.5, 0.5]])
def test_what_are_no_scores_is_refused(scores):
    with pytest.raises(ValueError, match="scores of a tournament must be whole numbers"):
        tournaments.with_scores(scores)


@given(whole(), st.data())
def test_mistakes_are_counted(h, data):
    """f from the tournament and from the scores, g from the scores and from the worst order by wins."""
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(h), max_size=len(h)))
    scores = h.sum(axis=1)
    f, g = (
        naive.preference_mistakes(h, labels),
        sum(1 for u, v in permutations(range(len(h)), 2) if labels[u] < labels[v] and scores[u] >= scores[v]),
    )
    assert tournaments.pair_mistakes(h, labels) == tournaments.pair_mistakes_by_scores(scores, labels) == f
    assert tournaments.degree_mistakes(scores, labels) == g <= 2 * f
    against = tournaments.degree_order(scores, labels)
    assert naive.order_mistakes(against, labels) == tournaments.order_mistakes(against, labels) == g


@given(whole(most=5), st.data())
def test_ties_against_us_and_for_us_are_the_worst_and_the_best(h, data):
    grades = data.draw(st.lists(st.integers(0, 3), min_size=len(h), max_size=len(h)))
    wins = h.sum(axis=1).tolist()
    falling = [order for order in permutations(range(len(h))) if [wins[u] for u in order] == sorted(wins)[::-1]]
    assert sorted(tournaments.degree_orders(wins)) == falling
    mistakes = [naive.order_mistakes(order, grades) for order in falling]
    assert naive.order_mistakes(tournaments.degree_order(wins, grades), grades) == max(mistakes)
    assert naive.order_mistakes(tournaments.degree_order(wins, grades, ties="for"), grades) == min(mistakes)
    assert tuple(play(degree(len(h), np.random.default_rng(0)), from_matrix(h)).tolist()) in falling


@pytest.mark.parametrize("n", range(2, 9))
def test_theorem_2_for_all_score_sequences(n):
    """n = 9 and 10 are in the row B-thm2; equality occurs from n = 3 on."""
    labels = np.array(naive.labellings(n))
    largest = 0
    for scores in tournaments.score_sequences(n):
        h = tournaments.with_scores(scores)
        f = (((1 - labels) @ h) * labels).sum(axis=1)
        outranks = np.array([[a >= b for b in scores] for a in scores]).astype(int)
        g = (((1 - labels) @ outranks) * labels).sum(axis=1)
        assert (f == tournaments.pair_mistakes_by_scores(scores, labels)).all()
        assert (g == tournaments.degree_mistakes(scores, labels)).all()
        assert (g <= 2 * f).all()
        largest = max(largest, (g / np.maximum(f, 1)).max())
    assert largest == (2 if n > 2 else 1)


@pytest.mark.parametrize("n", [50, 200, 500])
def test_theorem_2_for_large_random_tournaments(n):
    rng = np.random.default_rng(n)
    h = tournaments.random_tournament(n, rng)
    assert (h + h.T == 1 - np.eye(n, dtype=int)).all()
    wins = h.sum(axis=1)
    by_wins = np.argsort(np.argsort(wins))
    for winners in (by_wins < n // 2, by_wins < n // 10, rng.random(n) < 0.5):
        f = int(h[np.ix_(~winners, winners)].sum())
        g = int((wins[~winners][:, None] >= wins[winners]).sum())
        assert tournaments.degree_mistakes(wins, winners.astype(int)) == g <= 2 * f
        assert tournaments.pair_mistakes(h, winners.astype(int)) == f


@pytest.mark.parametrize("n", range(3, 102, 2))
def test_example_1(n):
    """g = 2f with every score the same, and f = (n² - 1)/8."""
    example = examples.regular(n)
    winners = example.labels.astype(bool)
    assert (example.h + example.h.T == 1 - np.eye(n)).all()
    assert {*example.h.sum(axis=1).tolist()} == {(n - 1) // 2}
    assert winners.sum() == (n - 1) // 2
    f = example.h[~winners][:, winners].sum()
    order = tournaments.degree_order(example.h.sum(axis=1), example.labels)
    assert naive.order_mistakes(order.tolist(), example.labels.tolist()) == 2 * f == (n * n - 1) // 4


@pytest.mark.parametrize("n", range(2, 102, 2))
def test_no_breaking_of_ties_helps_in_example_1_with_even_n(n):
    example = examples.regular(n)
    winners = example.labels.astype(bool)
    scores = example.h.sum(axis=1)
    assert (example.h + example.h.T == 1 - np.eye(n)).all()
    assert scores[~winners].min() > scores[winners].max()
    g, f = int((~winners).sum() * winners.sum()), int(example.h[~winners][:, winners].sum())
    assert Fraction(g, f) == 2 - Fraction(4, n + 2)


def test_grades_that_weigh_one_break_the_factor_two():
    """The largest factor of DEGREE over all tournaments and gradings is 3 for n = 3 and 10/3 for n = 5."""
    reached = {}
    for n in (2, 3, 4, 5):
        ratios = []
        for h, grades in product(tournaments.tournament_classes(n), naive.gradings(n)):
            order = tournaments.degree_order(h.sum(axis=1), grades)
            paid, owed = naive.order_mistakes(order, grades), naive.preference_mistakes(h, grades)
            assert tournaments.order_mistakes(order, grades) == paid
            assert tournaments.pair_mistakes(h, grades) == owed
            assert owed or not paid
            ratios += [Fraction(paid, int(owed))] if owed else []
        reached[n] = max(ratios)
    assert (reached[2], reached[3], reached[5]) == (1, 3, Fraction(10, 3))
    assert reached[4] < reached[5]


@pytest.mark.parametrize("n", [3, 5, 7, 21])
def test_the_graded_cycle(n):
    example = examples.graded_cycle(n)
    assert naive.order_mistakes(example.order, example.labels) == comb(n, 2)
    assert naive.preference_mistakes(example.h, example.labels) == (n * n - 1) // 8
    assert tournaments.degree_order(example.h.sum(axis=1), example.labels).tolist() == example.order.tolist()


@settings(max_examples=50)
@given(whole(most=6), st.data())
def test_grades_that_weigh_their_difference_keep_the_factor_two(h, data):
    grades = data.draw(st.lists(st.integers(0, 4), min_size=len(h), max_size=len(h)))
    order = tournaments.degree_order(h.sum(axis=1), grades)
    paid = naive.order_mistakes(order, grades, lambda d: d)
    owed = naive.preference_mistakes(h, grades, lambda d: d)
    assert tournaments.order_mistakes(order, grades, difference=True) == paid <= 2 * owed
    assert tournaments.pair_mistakes(h, grades, difference=True) == owed


def test_grades_reduce_to_winners_and_losers():
    for h, labels in product(tournaments.tournament_classes(4), naive.labellings(4)):
        assert tournaments.pair_mistakes(h, labels, difference=True) == tournaments.pair_mistakes(h, labels)
        assert tournaments.pair_mistakes(h, labels) == tournaments.pair_mistakes_by_scores(h.sum(axis=1), labels)


@pytest.mark.parametrize("n", [3, 4])
def test_quicksort_on_grades(n):
    """Equality for differences, and at most a factor 2 where every pair weighs one."""
    for h in tournaments.tournament_classes(n):
        before = precedence(h)
        for grades in naive.gradings(n):
            assert naive.preference_mistakes(before, grades, lambda d: d) == naive.preference_mistakes(
                h, grades, lambda d: d
            )
            assert naive.preference_mistakes(before, grades) <= 2 * naive.preference_mistakes(h, grades)


def test_scores_with_ties_are_no_tournament_with_at_least():
    """1(s ≥ s'), as printed, lets both of two equal items win; a coin is a preference, and > with lots a tournament."""
    scores = np.array([2, 1, 1])
    printed = np.greater_equal.outer(scores, scores).astype(int)
    assert (printed + printed.T)[1, 2] == 2
    coin = (printed + np.greater.outer(scores, scores)) * Fraction(1, 2)
    assert (coin + coin.T == 1).all()
    assert not tournaments.is_landau(tournaments.scores_of(printed))
    assert tournaments.is_landau(tournaments.scores_of(coin))
