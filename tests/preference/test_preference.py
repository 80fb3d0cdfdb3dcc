"""Preferences and what wraps them: the law of each wrapper, and that a budget is handed on by all of them."""

from fractions import Fraction
from itertools import permutations, product

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import chisquare

from ordain import preference as pref
from ordain.preference import Spent
from ordain.rank import play, quicksort
from ordain.theorems.exact.quicksort_law import output_distribution, precedence

N = 5
ALL = np.array(list(permutations(range(N), 2)))
LEANING = np.array([[0.5 if u == v else ((3 * u + 5 * v) % 11) / 10 for v in range(N)] for u in range(N)])
"""Answers with a position bias: h(u, v) + h(v, u) is not one."""

batches = arrays.arrays(np.intp, st.tuples(st.integers(0, 12), st.just(2)), elements=st.integers(0, N - 1)).map(
    lambda pairs: pairs[pairs[:, 0] != pairs[:, 1]]
)


def judge(pairs):
    return LEANING[pairs[:, 0], pairs[:, 1]]


WRAPPERS = {
    "checked": pref.checked,
    "rounded": pref.rounded,
    "symmetrised": pref.symmetrised,
    "shown_in_random_order": lambda prefer: pref.shown_in_random_order(prefer, np.random.default_rng(0)),
    "remembering": pref.remembering,
    "counted": pref.counted,
    "budgeted": lambda prefer: pref.budgeted(prefer, 1000),
    "with_progress": lambda prefer: pref.with_progress(prefer, lambda asked: None),
    "with_progress_by_two": lambda prefer: pref.with_progress(prefer, lambda asked: None, every=2),
    "remembering_symmetrised": lambda prefer: pref.remembering(pref.symmetrised(prefer)),
}
every_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)


def answers_or_spent(prefer, pairs):
    try:
        return prefer(pairs), False
    except Spent as spent:
        return spent.answers, True


@every_wrapper
@settings(max_examples=40)
@given(pairs=batches, budget=st.integers(0, 30))
def test_every_wrapper_hands_on_the_answers_a_budget_still_paid(wrapper, pairs, budget):
    whole = wrapper(judge)(pairs)
    counted = pref.counted(judge)
    part, spent = answers_or_spent(wrapper(pref.budgeted(counted, budget)), pairs)
    came = ~np.isnan(part)
    assert part.shape == whole.shape
    assert_array_equal(part[came], whole[came])
    assert spent == (not came.all())
    needed = pref.counted(judge)
    wrapper(needed)(pairs)
    assert counted.calls == min(budget, needed.calls)
    if budget >= 2:
        assert not len(pairs) or came[0]


def answered(shown, gaps):
    """Which of the pairs as shown have an answer."""
    return ~gaps[shown[:, 0], shown[:, 1]]


def one_by_one(gaps, error):
    """The judge, last question first, without the answers in the gaps, and then an error."""

    def answers(pairs):
        rows = np.flatnonzero(answered(pairs, gaps))[::-1]
        yield from zip(rows.tolist(), judge(pairs[rows]).tolist(), strict=True)
        if len(rows) < len(pairs):
            raise error

    return answers


def at_once(gaps, error):
    """The judge, that says all it has and is spent."""

    def answers(pairs):
        given = np.where(answered(pairs, gaps), judge(pairs), np.nan)
        if np.isnan(given).any():
            raise Spent(given)
        return given

    return answers


WHICH_COME = {
    **dict.fromkeys(["checked", "rounded", "counted", "budgeted", "with_progress"], answered),
    "symmetrised": lambda pairs, gaps: answered(pairs, gaps | gaps.T),
}


@every_wrapper
@pytest.mark.parametrize("source", [one_by_one, at_once])
@settings(max_examples=40)
@given(pairs=batches, gaps=arrays.arrays(bool, (N, N)))
def test_every_wrapper_hands_on_answers_with_gaps(wrapper, source, pairs, gaps):
    whole = wrapper(judge)(pairs)
    part, spent = answers_or_spent(wrapper(source(gaps, Spent())), pairs)
    came = ~np.isnan(part)
    assert_array_equal(part[came], whole[came])
    assert spent == (not came.all())
    name = next(name for name, known in WRAPPERS.items() if known is wrapper)
    if name in WHICH_COME:
        assert_array_equal(came, WHICH_COME[name](pairs, gaps))


@every_wrapper
@settings(max_examples=40)
@given(pairs=batches, gaps=arrays.arrays(bool, (N, N)))
def test_what_came_before_an_error_has_passed_every_wrapper(wrapper, pairs, gaps):
    journal = {}
    part, _ = answers_or_spent(wrapper(one_by_one(gaps, Spent())), pairs)
    failed = False
    try:
        pref.journalled(wrapper(one_by_one(gaps, ConnectionError())), journal)(pairs)
    except ConnectionError:
        failed = True
    assert failed == np.isnan(part).any()
    assert len(journal) == np.count_nonzero(~np.isnan(part))
    times = [sum(np.array_equal(pair, other) for other in pairs[:row]) for row, pair in enumerate(pairs)]
    kept = {(*pair, time): answer for (pair, time), answer in journal.items()}
    expected = {(*pair, time): answer for pair, time, answer in zip(pairs.tolist(), times, part, strict=True)}
    assert kept == {key: answer for key, answer in expected.items() if not np.isnan(answer)}


@every_wrapper
@settings(max_examples=40)
@given(pairs=batches, bad=st.sampled_from([-0.1, 1.1, np.nan, np.inf]))
def test_every_wrapper_refuses_what_is_no_preference_with_the_pair(wrapper, pairs, bad):
    if len(pairs):
        u, v = pairs[-1].tolist()
        with pytest.raises(ValueError, match=rf"number from 0 to 1. Got {bad} for the pair \((\d), (\d)\)") as refused:
            wrapper(lambda asked: np.where((np.sort(asked) == sorted((u, v))).all(axis=1), bad, 0.5))(pairs)
        assert {f"({u}, {v})", f"({v}, {u})"} & {str(refused.value).split("pair ")[1].split(". ")[0]}


REFUSED = {
    "one answer per pair. Got shape (1,) for 2 pairs": [0.5],
    "one answer per pair. Got shape (2, 1) for 2 pairs": [[0.5], [0.5]],
    "Got None for the pair (2, 3). If the judge could not tell, answer 0.5": [0.5, None],
    "Got 'yes' for the pair (0, 1)": ["yes", "no"],
    "Got nan for the pair (2, 3)": [0, np.nan],
    "Got 2 for the pair (0, 1)": [2, 1],
}


@pytest.mark.parametrize(("message", "answers"), REFUSED.items(), ids=REFUSED)
def test_answers_that_are_none_are_refused_in_one_line(message, answers):
    with pytest.raises(ValueError) as refused:
        pref.check_answers(np.array([[0, 1], [2, 3]]), answers)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("answers", [[True, False], [1, 0], [np.True_, 0.0], [Fraction(1), Fraction(0)]])
def test_truth_values_numbers_and_fractions_are_answers(answers):
    cleaned = pref.check_answers(np.array([[0, 1], [2, 3]]), answers)
    assert_array_equal(cleaned, [1.0, 0.0])
    assert cleaned.dtype == np.float64


def test_a_matrix_answers_by_its_entries_and_must_be_consistent():
    consistent = (LEANING + 1 - LEANING.T) / 2
    assert_array_equal(pref.from_matrix(consistent)(ALL), consistent[ALL[:, 0], ALL[:, 1]])
    assert_array_equal(pref.from_matrix(LEANING, consistent=False)(ALL), judge(ALL))
    broken = consistent.copy()
    broken[1, 3] += 1e-6
    with pytest.raises(ValueError, match=r"must be 1. Got 0\.\d+ \+ 0\.\d+ for the pair \(1, 3\)"):
        pref.from_matrix(broken)
    broken[1, 3] = np.nan
    with pytest.raises(ValueError, match=r"Got nan for the pair \(1, 3\)"):
        pref.from_matrix(broken)
    with pytest.raises(ValueError, match="square"):
        pref.from_matrix(LEANING[:3])


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6))
def test_scores_are_a_consistent_preference_and_ties_at_least_are_not(scores):
    n = len(scores)
    pairs = np.array(list(product(range(n), repeat=2)))
    h = pref.from_scores(scores)(pairs).reshape(n, n)
    for u, v in permutations(range(n), 2):
        assert h[u, v] == (scores[u] > scores[v]) + (scores[u] == scores[v]) / 2
    pref.from_matrix(h)
    printed = np.greater_equal.outer(scores, scores).astype(float)
    if len(set(scores)) < n:
        with pytest.raises(ValueError, match=r"Got 1 \+ 1 for the pair"):
            pref.from_matrix(printed)


def test_unsigned_scores_do_not_wrap_around():
    assert_array_equal(pref.from_scores(np.array([1, 2], dtype=np.uint8))(np.array([[0, 1], [1, 0]])), [0, 1])


class Taster:
    @pref.batch
    def prefer(self, firsts, seconds):
        return [first > second for first, second in zip(firsts, seconds, strict=True)]


@pytest.mark.parametrize("items", [[3, 1, 4, 1, 5], np.array([3, 1, 4, 1, 5])], ids=["list", "array"])
def test_a_function_answers_the_same_pair_by_pair_and_in_batches(items):
    one_by_one = pref.from_function(items, lambda a, b: a > b)(ALL)
    assert_array_equal(one_by_one, [items[u] > items[v] for u, v in ALL])
    assert_array_equal(pref.from_function(items, Taster().prefer)(ALL), one_by_one)
    together = pref.batch(lambda firsts, seconds: np.asarray(firsts) > np.asarray(seconds))
    assert_array_equal(pref.from_function(items, together)(ALL), one_by_one)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("features", "row"),
    [
        ("difference", lambda a, b: [*(a - b)]),
        ("concatenation", lambda a, b: [*a, *b]),
        ("both", lambda a, b: [*(a - b), *a, *b]),
    ],
)
def test_features_of_pairs_are_differences_items_side_by_side_or_both(form, features, row):
    X = np.random.default_rng(0).normal(size=(N, 3))
    found = pref.pair_features(form(X), ALL, features)
    assert_array_equal(found.toarray() if form is sparse.csr_array else found, [row(X[u], X[v]) for u, v in ALL])


def test_features_that_are_none_are_refused():
    with pytest.raises(ValueError, match=r"features must be 'difference', 'concatenation' or 'both'. Got 'sum'"):
        pref.pair_features(np.eye(N), ALL, "sum")


@given(batches)
def test_rounding_keeps_only_the_likelier_answer(pairs):
    expected = [1 if answer > 0.5 else 0 if answer < 0.5 else 0.5 for answer in judge(pairs)]
    assert_array_equal(pref.rounded(judge)(pairs), expected)


@given(batches)
def test_symmetrising_averages_both_orders(pairs):
    h = pref.symmetrised(judge)
    assert_allclose(h(pairs), (judge(pairs) + 1 - judge(pairs[:, ::-1])) / 2, atol=1e-15)
    assert_array_equal(h(pairs) + h(pairs[:, ::-1]), np.ones(len(pairs)))


def test_claimed_consistency_is_checked_in_both_orders():
    with pytest.raises(ValueError, match=r"h\(u, v\) \+ h\(v, u\) must be 1. Got 0.5 \+ 0.3 for the pair \(0, 1\)"):
        pref.checked(judge, consistent=True)(ALL)
    consistent = pref.symmetrised(judge)
    assert_array_equal(pref.checked(consistent, consistent=True)(ALL), consistent(ALL))


@given(st.lists(batches, max_size=5))
def test_no_pair_is_asked_twice_nor_its_mirror(history):
    asked = []

    def noting(pairs):
        asked.extend(map(frozenset, pairs.tolist()))
        return judge(pairs)

    first = {}
    remembering = pref.remembering(noting)
    for pairs in history:
        for u, v in pairs.tolist():
            if (v, u) not in first:
                first.setdefault((u, v), LEANING[u, v])
        expected = [first[u, v] if (u, v) in first else 1 - first[v, u] for u, v in pairs.tolist()]
        assert_array_equal(remembering(pairs), expected)
    assert len(asked) == len(set(asked)) == len(first)


def test_memory_can_be_kept_and_given_again():
    known = {}
    answers = pref.remembering(judge, known)(ALL)
    assert_array_equal(pref.remembering(pref.budgeted(judge, 0), known)(ALL), answers)


def test_memory_keeps_what_was_answered_before_a_judge_failed():
    def failing(a, b):
        if (a, b) == (2, 3):
            raise ConnectionError
        return a < b

    known = {}
    with pytest.raises(ConnectionError):
        pref.remembering(pref.from_function(range(N), failing), known)(ALL)
    assert known == {(u, v): float(u < v) for u, v in ALL.tolist() if u < v and u < 2}
    asked = pref.counted(lambda pairs: pairs[:, 0] < pairs[:, 1])
    assert_array_equal(pref.remembering(asked, known)(ALL), ALL[:, 0] < ALL[:, 1])
    assert asked.calls == N * (N - 1) // 2 - 7


def test_gaps_that_are_a_prefix_are_refused():
    def judge(pairs):
        raise Spent([1.0])

    with pytest.raises(ValueError, match=r"one answer per question, NaN where none came. Got shape \(1,\)"):
        pref.ask(judge, ALL)


def test_a_budget_must_be_a_number_of_calls():
    for budget in (-1, 1.5):
        with pytest.raises(ValueError, match="whole number of calls, 0 or more"):
            pref.budgeted(judge, budget)


def test_what_stands_inside_is_what_a_budget_counts():
    for wrapped, count in [
        (pref.symmetrised(pref.budgeted(judge, 7)), 3),
        (pref.budgeted(pref.symmetrised(judge), 7), 7),
    ]:
        answers = answers_or_spent(wrapped, ALL)[0]
        assert not np.isnan(answers[:count]).any() and np.isnan(answers[count:]).all()


def test_counting_counts_answers_and_batches():
    counted = pref.counted(pref.budgeted(judge, 25))
    for _ in range(2):
        answers_or_spent(counted, ALL)
    assert (counted.calls, counted.batches) == (25, 2)


@pytest.mark.parametrize(("every", "reports"), [(None, [20, 3]), (8, [8, 8, 4, 3])])
def test_progress_is_reported_as_answers_come(every, reports):
    seen = []
    prefer = pref.with_progress(judge, seen.append, every=every)
    prefer(ALL)
    prefer(ALL[:3])
    assert seen == reports


def test_progress_counts_the_answers_before_a_judge_failed():
    def failing(a, b):
        if (a, b) == (1, 2):
            raise ConnectionError
        return a < b

    seen = []
    with pytest.raises(ConnectionError):
        pref.with_progress(pref.from_function(range(N), failing), seen.append, every=4)(ALL)
    assert seen == [4, 1]


def test_showing_in_random_order_sees_the_position_bias():
    pairs = np.tile(ALL, (500, 1))
    seen = []

    def noting(shown):
        seen.append(judge(shown))
        return judge(shown)

    shown = pref.shown_in_random_order(noting, np.random.default_rng(1))
    means = shown(pairs).reshape(500, -1).mean(axis=0)
    assert_allclose(means, pref.symmetrised(judge)(ALL), atol=0.08)
    assert shown.position.shown == len(pairs)
    assert_allclose(shown.position.share, np.mean(seen), rtol=1e-12)
    assert_allclose(shown.position.error, np.std(seen) / np.sqrt(len(pairs)), rtol=1e-9)


def test_a_judge_who_says_first_is_seen_and_becomes_a_coin():
    shown = pref.shown_in_random_order(lambda pairs: np.ones(len(pairs)), np.random.default_rng(0))
    assert str(shown.position) == "The first shown won 50.0% of 0 answers (standard error inf%)."
    wins = shown(np.tile([0, 1], (1000, 1)))
    assert 400 < wins.sum() < 600
    assert str(shown.position) == "The first shown won 100.0% of 1,000 answers (standard error 0.0%)."


def in_fractions(h):
    return np.array([[Fraction(round(20 * value), 20) for value in row] for row in h])


def sampled(prefer, n, runs, seed):
    """How often QuickSort returned each order."""
    rng = np.random.default_rng(seed)
    orders = [tuple(play(quicksort(n, rng), prefer).tolist()) for _ in range(runs)]
    return {order: orders.count(order) for order in permutations(range(n))}


def agrees(counts, law, level=1e-3):
    runs = sum(counts.values())
    if any(count for order, count in counts.items() if not law.get(order)):
        return False
    expected = [float(law[order]) * runs for order in law]
    return chisquare([counts[order] for order in law], expected).pvalue > level


def both_orders_with_a_coin(prefer, rng):
    """Two sampled answers; where they disagree, a coin."""

    def answers(pairs):
        first = rng.random(len(pairs)) < prefer(pairs)
        second = rng.random(len(pairs)) >= prefer(pairs[:, ::-1])
        return np.where(first == second, first, rng.random(len(pairs)) < 0.5)

    return answers


def test_random_order_and_both_orders_give_quicksort_one_law():
    h = LEANING[:3, :3]
    leaning = pref.from_matrix(h, consistent=False)
    exact = in_fractions(h)
    law = output_distribution((exact + 1 - exact.T) / 2)
    shown = pref.shown_in_random_order(leaning, np.random.default_rng(2))
    assert agrees(sampled(shown, 3, 1500, 3), law)
    assert agrees(sampled(both_orders_with_a_coin(leaning, np.random.default_rng(4)), 3, 1500, 5), law)
    one_sided = np.triu(exact, 1) + np.tril(1 - exact.T, -1)
    assert not agrees(sampled(shown, 3, 1500, 3), output_distribution(one_sided))


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3))
def test_sorting_by_calibrated_coins_pays_at_most_twice_what_rounding_pays(chances):
    p = [Fraction(chance, 20) for chance in chances]
    h = np.array([[Fraction(1, 2), p[0], p[1]], [1 - p[0], Fraction(1, 2), p[2]], [1 - p[1], 1 - p[2], Fraction(1, 2)]])
    likelier = np.where(h == Fraction(1, 2), h, (h > Fraction(1, 2)).astype(int))
    assert naive.preference_loss(likelier, h) <= naive.preference_loss(h, h) <= 2 * naive.preference_loss(likelier, h)


def test_the_factor_two_of_coins_is_approached():
    for p in (Fraction(3, 4), Fraction(99, 100)):
        h = np.array([[Fraction(1, 2), p], [1 - p, Fraction(1, 2)]])
        by_coins, by_rounding = (naive.preference_loss(precedence(of), h) for of in (h, [[0, 1], [0, 0]]))
        assert by_coins / by_rounding == 2 * p
