"""The audit against sums from the definitions, its intervals by enumeration, and judges that must be named rightly."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ordain import audit
from ordain.audit import circles
from ordain.preference import Spent, budgeted, by_wins, from_scores
from ordain.rank import list_window, play, quicksort

N = 6
ALL = list(permutations(range(N), 2))
logs = st.lists(st.tuples(st.sampled_from(ALL), st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=40)
orders = st.permutations(range(N))


def arrays(log):
    return np.array([pair for pair, _ in log]), np.array([answer for _, answer in log])


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("n", range(2, 10))
def test_held_back_are_different_pairs_and_reach_all(n):
    pairs = audit.held_back(n, n * (n - 1) // 2, rng())
    assert {frozenset(pair) for pair in pairs.tolist()} == set(map(frozenset, combinations(range(n), 2)))
    assert pairs.shape == (n * (n - 1) // 2, 2)


def test_every_pair_in_either_order_is_equally_likely():
    drawn = [tuple(pair) for seed in range(2000) for pair in audit.held_back(4, 3, rng(seed)).tolist()]
    counts = np.array([drawn.count(pair) for pair in permutations(range(4), 2)])
    assert np.abs(counts - 500).max() < 4 * np.sqrt(500)


def test_random_triples_are_triangles():
    shown = audit.random_triples(5, 300, rng()).reshape(-1, 3, 2)
    assert {frozenset(t.ravel().tolist()) for t in shown} == set(map(frozenset, combinations(range(5), 3)))
    assert all(len(set(map(frozenset, triple.tolist()))) == 3 for triple in shown)


@given(asked=st.lists(st.sampled_from(ALL), min_size=1, max_size=15), budget=st.integers(0, 15))
def test_withheld_pairs_are_never_asked_and_the_budget_is_handed_on(asked, budget):
    log, kept, pairs = [], {frozenset((0, 1)), frozenset((2, 3))}, np.array(asked)
    judge = audit.withheld(budgeted(naive.logged(lambda p: p[:, 0] > p[:, 1], log), budget), np.array([[1, 0], [2, 3]]))
    expected = np.array([0.5 if frozenset(pair) in kept else float(pair[0] > pair[1]) for pair in asked])
    free = np.flatnonzero(expected != 0.5)
    try:
        assert_array_equal(judge(pairs), expected)
        assert len(free) <= budget
    except Spent as spent:
        expected[free[budget:]] = np.nan
        assert_array_equal(spent.answers, expected)
        assert len(free) > budget
    assert all(frozenset(pair) not in kept for batch, _ in log for pair in batch.tolist())


@pytest.mark.parametrize("m", [1, 2, 7, 20])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_interval_and_p_value_solve_the_binomial_tails(m, level):
    for s in range(m + 1):
        share = audit.Share(s, m, level)
        assert s == 0 or float(naive.binomial_tail(s, m, share.low)) == pytest.approx((1 - level) / 2)
        assert s == m or float(naive.binomial_tail(m - s, m, 1 - share.high)) == pytest.approx((1 - level) / 2)
        assert (share.low == 0) == (s == 0) and (share.high == 1) == (s == m)
        assert share.p_value == pytest.approx(min(1, 2 * float(naive.binomial_tail(max(s, m - s), m, Fraction(1, 2)))))


@pytest.mark.parametrize("values", [(0, 1, 1), (0, 0.5, 1), (0, 0.75, 1), (0.1, 0.6, 0.9)])
@pytest.mark.parametrize("m", [1, 4, 11])
def test_interval_covers_and_the_sign_test_holds_by_enumeration(values, m):
    level, steps = 0.9, np.linspace(0, 1, 11)
    counts = np.array([(i, j, m - i - j) for i in range(m + 1) for j in range(m + 1 - i)])
    ways = np.array([comb(m, i) * comb(m - i, j) for i, j, _ in counts.tolist()])
    shares = [audit.Share(float(part), m, level) for part in counts @ values]
    low, high, p_values = np.array([(share.low, share.high, share.p_value) for share in shares]).T
    for a, b in product(steps, steps):
        if a + b <= 1:
            chances = np.array([a, b, max(1 - a - b, 0)])
            likely, mean = ways * np.prod(chances**counts, axis=1), chances @ values
            assert likely[(low <= mean + 1e-12) & (mean <= high + 1e-12)].sum() >= level
            if abs(mean - 0.5) < 1e-9:
                assert all(likely[p_values <= alpha].sum() <= alpha + 1e-12 for alpha in (0.01, 0.05, 0.2))


@given(log=logs, first=orders, second=orders)
def test_agreement_and_verdict_equal_the_sums(log, first, second):
    pairs, answers = arrays(log)

    def right(order):
        return sum(answer if order.index(u) < order.index(v) else 1 - answer for (u, v), answer in log)

    differ = [
        (first.index(u) < first.index(v), a)
        for (u, v), a in log
        if (first.index(u) < first.index(v)) != (second.index(u) < second.index(v))
    ]
    verdict = audit.better(first, second, pairs, answers)
    assert_allclose(audit.agreement(first, pairs, answers).part, right(first))
    assert_allclose(verdict.difference * len(log), right(first) - right(second), atol=1e-9)
    assert verdict.first.of == len(differ)
    assert_allclose(verdict.first.part, sum(a if mine else 1 - a for mine, a in differ))
    assert verdict.pick == {1: 0, 0: None, -1: 1}[int(np.sign(round(right(first) - right(second), 9)))]
    assert ("first order" in str(verdict)) == (verdict.shown and verdict.pick == 0)
    assert ("second order" in str(verdict)) == (verdict.shown and verdict.pick == 1)


@pytest.mark.parametrize(("level", "shown"), [(0.95, False), (0.9, True)])
def test_a_difference_is_shown_at_its_level(level, shown):
    """All of five pairs: a coin does as much with a chance of 2/32 = 0.0625."""
    pairs, forward, back = np.array(list(combinations(range(N), 2))[:5]), range(N), range(N)[::-1]
    for first, second, name in ((forward, back, "The first order"), (back, forward, "The second order")):
        verdict = audit.better(first, second, pairs, np.ones(5), level=level)
        assert verdict.shown == shown and verdict.pairs == verdict.first.of == 5
        assert str(verdict).startswith(name if shown else "The audit cannot tell")


def test_the_better_order_is_picked_nine_times_in_ten_when_clear():
    """Clear: agreements .05 apart or more, and the orders differ on at most m Δ²/1.64 of all pairs."""
    picks, n, m, draw = [], 100, 200, rng(1)
    pairs = np.column_stack(np.triu_indices(n, 1))
    for _ in range(1500):
        judge = np.triu(draw.random((n, n)) < 0.9, 1)
        judge = judge | np.tril(~judge.T, -1)
        first, second = (np.argsort(np.arange(n) + draw.normal(0, sigma, n)) for sigma in draw.uniform(1, 30, 2))
        overall = audit.better(first, second, pairs, judge[tuple(pairs.T)])
        if abs(overall.difference) >= 0.05 and overall.first.of / len(pairs) <= m * overall.difference**2 / 1.64:
            shown = audit.held_back(n, m, draw)
            picks.append(audit.better(first, second, shown, judge[tuple(shown.T)]).pick == overall.pick)
    assert len(picks) >= 400 and np.mean(picks) >= 0.9


@settings(max_examples=200)
@given(log=logs | st.permutations(ALL).flatmap(lambda all: st.just([(p, float(hash(p) % 3 > 0)) for p in all])))
def test_cyclicity_equals_the_count_over_triples(log):
    beats = naive.majority(log, N)
    asked = [t for t in combinations(range(N), 3) if sum(p in beats for p in permutations(t, 2)) == 3]
    cyclic = [t for t in asked if all(sum((u, v) in beats for v in t) == 1 for u in t)]
    found = audit.cyclicity(*arrays(log), rng())
    assert found.exact
    assert_allclose((found.cyclic, found.triples), (len(cyclic), len(asked)))


@pytest.mark.parametrize("dropped", [0, 1, 3])
def test_cycles_of_coins_have_the_stated_mean_and_deviation(dropped):
    """Over all answers to the pairs of five items, the degree formula and the paths; Var = N · 3/16 exactly."""
    pairs = np.array(list(combinations(range(5), 2))[dropped:])
    found = [audit.cyclicity(pairs, answers, rng()).beyond_chance for answers in product((0, 1), repeat=len(pairs))]
    assert_allclose((np.mean(found), np.var(found)), (0, 1), atol=1e-9)


def test_drawn_paths_estimate_the_share(monkeypatch):
    pairs = audit.held_back(60, 900, rng())
    answers = rng(1).random(900) < np.where(pairs[:, 0] < pairs[:, 1], 0.9, 0.1)
    exact = audit.cyclicity(pairs, answers, rng())
    monkeypatch.setattr(circles, "PATHS", 5000)
    drawn = audit.cyclicity(pairs, answers, rng(2))
    assert exact.exact and not drawn.exact and 0.02 < exact.value < 0.2
    assert abs(drawn.value - exact.value) < 0.03


def test_a_sort_sees_no_cycles_whatever_the_judge():
    log, h = [], np.triu(rng().random((40, 40)) < 0.5, 1)
    h = h | np.tril(~h.T, -1)
    play(quicksort(40, rng(1)), naive.logged(lambda pairs: h[tuple(pairs.T)].astype(float), log))
    found = audit.cyclicity(np.concatenate([p for p, _ in log]), np.concatenate([a for _, a in log]), rng())
    assert found.triples > 20 and found.cyclic == 0


@given(log=logs)
def test_contradictions_and_first_shown_equal_the_counts(log):
    lean = {pair: sum(a - 0.5 for p, a in log if p == pair) for pair in ALL}
    both = [(lean[u, v] > 0) == (lean[v, u] > 0) for u, v in combinations(range(N), 2) if lean[u, v] and lean[v, u]]
    found, first = audit.contradictions(*arrays(log)), audit.first_shown(*arrays(log))
    assert (found.part, found.of) == (sum(both), len(both))
    assert (first.part, first.of) == (sum(a > 0.5 for _, a in log), sum(a != 0.5 for _, a in log))


CIRCLE = [[0, 1], [1, 2], [2, 0]]
JUDGES = {
    "The judge always says ½": lambda p: np.full(len(p), 0.5),
    "The judge always says first": lambda p: np.ones(len(p)),
    "The judge always says second": lambda p: np.zeros(len(p)),
    "The answers look random": lambda p: rng(3).integers(0, 2, len(p)),
    "The judge is more cyclic than coins": lambda p: (p[:, 1] - p[:, 0]) % 31 <= 15,
    None: lambda p: rng(4).random(len(p)) < np.where(p[:, 0] < p[:, 1], 0.8, 0.2),
}


@pytest.mark.parametrize("name", JUDGES)
def test_judges_are_named(name):
    shown = audit.held_back(31, 465, rng())
    for pairs in (shown, np.concatenate((shown, shown[:, ::-1])), audit.random_triples(31, 2000, rng())):
        report = audit.judge_report(pairs, JUDGES[name](pairs), rng())
        assert report.character == name
        assert str(report).startswith(name or "The first shown won")


@pytest.mark.parametrize(("count", "name"), [(7, None), (8, "The judge always says first")])
def test_a_few_answers_alike_are_no_character(count, name):
    """Coins all fall alike with a chance of 2/128 for seven of them, 2/256 for eight."""
    assert audit.judge_report(audit.held_back(5, count, rng()), np.ones(count), rng()).character == name


def test_what_cannot_be_audited_is_refused():
    for order, pairs, answers, said in [
        ([0, 1, 1], CIRCLE, [1, 1, 1], "every item"),
        ([0, 1], CIRCLE, [1, 1, 1], "every item"),
        ([0, 1, 2], [[0, 0]], [1], "two different"),
        ([0, 1, 2], [0, 1], [1], "rows of two"),
        ([0, 1, 2], CIRCLE, [1, 1, np.nan], "from 0 to 1"),
    ]:
        with pytest.raises(ValueError, match=said):
            audit.agreement(order, np.array(pairs), answers)
    with pytest.raises(ValueError, match="count must be"):
        audit.held_back(3, 4, rng())


def test_an_order_from_lists_is_audited_by_pairs_that_are_asked_as_pairs():
    draws, scores = rng(), rng(1).normal(size=60)
    judge, kept = from_scores(scores), audit.held_back(60, 300, draws)
    order = play(list_window(60, draws, 720), audit.withheld(by_wins(judge), kept))
    assert audit.agreement(order, kept, judge(kept)).value > 0.97
    assert audit.agreement(order[::-1], kept, judge(kept)).value < 0.03
