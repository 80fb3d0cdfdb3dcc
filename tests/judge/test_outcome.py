"""The outcome of a run: against the board of the same votes, a naive count, and draws from the same posterior."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

import ordain
from ordain.judge import Item
from ordain.judge.outcome import outcome_of
from ordain.judge.top_so_far import top_so_far
from ordain.rank.list_model import list_fit

nan = float("nan")


def items_of(n):
    return [Item(f"i{number}", f"text {number}") for number in range(n)]


def compared(n, count, seed=0, spread=1.5):
    """Random pairs of items with utilities, and whether the first won."""
    rng = np.random.default_rng(seed)
    utilities = rng.normal(size=n) * spread
    pairs = np.array([rng.permutation(n)[:2] for _ in range(count)])
    won = rng.random(count) < expit(utilities[pairs[:, 0]] - utilities[pairs[:, 1]])
    return [(tuple(pair), float(answer)) for pair, answer in zip(pairs.tolist(), won, strict=True)]


def ordered(n, count, size, seed=0, spread=1.5):
    """Random lists, ordered by utilities and noise."""
    rng = np.random.default_rng(seed)
    utilities, said = rng.normal(size=n) * spread, []
    for _ in range(count):
        shown = rng.permutation(n)[:size]
        values = utilities[shown] + rng.gumbel(size=size)
        said.append((tuple(shown.tolist()), tuple(float((values > value).sum()) for value in values)))
    return said


def words(answer):
    return {1.0: "left", 0.0: "right", 0.5: "tie"}[answer]


@pytest.mark.parametrize(("n", "count", "seed"), [(6, 40, 0), (15, 120, 1), (30, 150, 2)])
def test_of_pairs_alone_it_is_the_board_of_the_same_votes(n, count, seed):
    said = compared(n, count, seed)
    said[::7] = [(question, 0.5) for question, _ in said[::7]]
    found = outcome_of(items_of(n), said)
    board = ordain.leaderboard(
        [f"i{first}" for (first, _), _ in said],
        [f"i{second}" for (_, second), _ in said],
        [words(answer) for _, answer in said],
    )
    assert len(set(board.part)) == 1
    places = [found.ids.index(item) for item in board.items]
    assert_allclose(found.scores[places], board.scores, atol=1e-7)
    assert_allclose(found.standard_errors[places], board.standard_errors, rtol=1e-6)
    assert_array_equal(found.rank_low[places], board.rank_low)
    assert_array_equal(found.rank_high[places], board.rank_high)
    for name in ("wins", "losses", "ties"):
        assert_array_equal(getattr(found, name)[places], getattr(board, name))
    assert found.ids == list(board.items)
    assert_array_equal(found.tier, board.tier)


@given(st.integers(2, 9), st.data())
@settings(max_examples=25)
def test_whatever_is_said_ranks_lie_within_their_intervals_and_counts_are_right(n, data):
    question = st.integers(2, min(n, 4)).flatmap(
        lambda size: st.permutations(range(n)).map(lambda of: tuple(of[:size]))
    )
    places = st.sampled_from([0.0, 1.0, 2.0, nan])
    said = []
    for shown in data.draw(st.lists(question, max_size=12)):
        if len(shown) == 2 and data.draw(st.booleans()):
            said.append((shown, data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))))
        else:
            said.append((shown, tuple(data.draw(places) for _ in shown)))
    found = outcome_of(items_of(n), said)
    assert sorted(found.order.tolist()) == list(range(n))
    if found.errors is not None:
        place = np.arange(1, n + 1)
        assert ((found.rank_low >= 1) & (found.rank_low <= place)).all()
        assert ((place <= found.rank_high) & (found.rank_high <= n)).all()
        known = ~np.isnan(found.scores)
        assert (np.diff(found.scores[known]) <= 1e-12).all()
        assert known[: known.sum()].all()
    wins, losses, ties, shown = naive(said)
    for row in found.rows():
        number = int(row["id"][1:])
        counts = wins[number], losses[number], ties[number], shown[number]
        assert (row["wins"], row["losses"], row["ties"], row["shown"]) == counts


def naive(said):
    """Pairs won, lost and tied, and showings, counted one by one."""
    wins, losses, ties, shown = Counter(), Counter(), Counter(), Counter()
    for question, answer in said:
        shown.update(question)
        places = answer if isinstance(answer, tuple) else (1 - answer, answer)
        for (one, at), (other, below) in combinations(zip(question, places, strict=True), 2):
            if at < below or at > below:
                better, worse = (one, other) if at < below else (other, one)
                wins[better] += 1
                losses[worse] += 1
            elif at == below:
                ties[one] += 1
                ties[other] += 1
    return wins, losses, ties, shown


def test_of_lists_the_scores_are_those_of_the_model_of_lists():
    said = ordered(20, 60, 5)
    found = outcome_of(items_of(20), said)
    fit = list_fit([np.array(shown) for shown, _ in said], [np.array(places) for _, places in said], 20)
    assert_allclose(found.scores, fit.scores[found.order])
    assert_allclose(found.standard_errors, fit.standard_errors[found.order])
    assert (np.diff(found.scores) <= 0).all()


def test_pairs_and_lists_count_together():
    said = [*ordered(8, 10, 4), ((0, 1), 0.0), ((1, 0), 0.9), ((3, 2), (0.0, 1.0))]
    found = outcome_of(items_of(8), said)
    alone = outcome_of(items_of(8), said[:10])
    assert found.ids.index("i1") <= alone.ids.index("i1")
    assert found.shown.sum() == 46
    assert not np.allclose(np.sort(found.scores), np.sort(alone.scores))


def test_better_is_first():
    """A sign that flips anywhere would turn this around."""
    lists = [((0, 1, 2, 3, 4), (0.0, 1.0, 2.0, 3.0, 4.0)), ((4, 3, 2, 1, 0), (4.0, 3.0, 2.0, 1.0, 0.0))]
    pairs = [((better, worse), 1.0) for better, worse in combinations(range(5), 2)]
    turned = [((worse, better), 0.0) for better, worse in combinations(range(5), 2)]
    for said in (lists, pairs, turned):
        found = outcome_of(items_of(5), said)
        assert found.ids == [f"i{number}" for number in range(5)]
        assert found.wins[0] > found.losses[0]
        assert found.scores[0] > 0 > found.scores[-1]


def test_what_no_chain_links_may_have_any_rank():
    said = compared(6, 60, 3) + [((6, 7), 1.0)] * 5
    found = outcome_of(items_of(9), said)
    linked = [place for place, one in enumerate(found.ids) if int(one[1:]) < 6]
    apart = [place for place in range(9) if place not in linked]
    assert found.ids[-1] == "i8"
    assert np.isnan(found.scores[-1])
    assert not np.isnan(found.scores[:-1]).any()
    assert found.rank_low[apart].tolist() == [1, 1, 1]
    assert found.rank_high[apart].tolist() == [9, 9, 9]
    assert np.isnan(found.tier[apart]).all()
    alone = outcome_of(items_of(6), said[:60])
    for place in linked:
        own = alone.ids.index(found.ids[place])
        assert found.rank_low[place] == min(alone.rank_low[own], place + 1)
        assert found.rank_high[place] == alone.rank_high[own] + 3


def test_nothing_said_is_no_order_but_an_outcome():
    for said in ([], [((0, 1, 2), (nan, nan, nan))], [((0, 1, 2), (nan, 1.0, nan))]):
        found = outcome_of(items_of(3), said)
        assert found.ids == ["i0", "i1", "i2"]
        assert np.isnan(found.scores).all()
        assert found.wins.tolist() == [0, 0, 0]
        assert found.shown.sum() == 3 * len(said)
        assert found.rows()[0]["score"] is None
        assert found.expected_in(1) is None


def test_a_sort_has_its_own_order_and_counts():
    said = [((0, 1), 1.0), ((2, 1), 0.0), ((0, 2), 0.5)]
    found = outcome_of(items_of(3), said, np.array([1, 2, 0]))
    assert found.ids == ["i1", "i2", "i0"]
    assert found.wins.tolist() == [1, 0, 1]
    assert found.losses.tolist() == [1, 1, 0]
    assert found.ties.tolist() == [0, 1, 1]
    assert {row["score"] for row in found.rows()} == {row["rank_low"] for row in found.rows()} == {None}


@pytest.mark.parametrize("k", [1, 3, 8, 12])
def test_how_many_belong_among_the_first_is_that_of_the_posterior(k):
    """By draws one after the other, and ranks of each."""
    n = 12
    found = outcome_of(items_of(n), compared(n, 80, 4))
    assert found.surely_in(k) == sum(1 for high in found.rank_high[:k] if high <= k)
    rng = np.random.default_rng(9)
    drawn = rng.multivariate_normal(found.errors.fit.scores, found.errors.covariances[0], 6000)
    first = set(found.order[:k].tolist())
    expected = np.mean([len(first & set(np.argsort(-one)[:k].tolist())) for one in drawn])
    assert found.expected_in(k) == pytest.approx(expected, abs=0.08)
    assert found.surely_in(k) <= found.expected_in(k) + 0.3


def test_all_of_them_belong_among_all():
    found = outcome_of(items_of(7), compared(7, 40, 5))
    assert found.expected_in(7) == found.expected_in(20) == 7
    assert found.surely_in(7) == 7
    said = [((better, worse), 1.0) for better, worse in combinations(range(4), 2)] * 150
    sure = outcome_of(items_of(4), said + [(question[::-1], 0.0) for question, _ in said])
    assert sure.surely_in(2) == 2
    assert sure.expected_in(2) == pytest.approx(2, abs=0.01)


def test_a_higher_level_leaves_more_ranks():
    said = compared(10, 200, 6)
    low, high = (outcome_of(items_of(10), said, level=level) for level in (0.5, 0.99))
    assert (low.rank_low >= high.rank_low).all()
    assert (low.rank_high <= high.rank_high).all()
    assert (high.rank_high - high.rank_low).sum() > (low.rank_high - low.rank_low).sum()


def test_answers_to_one_list_belong_together():
    """Five pairs of one list tell less than five of five people; three items in a list of three are worth 9/4."""
    lists = [((0, 1, 2), (0.0, 1.0, 2.0)), ((2, 1, 0), (1.0, 0.0, 2.0))] * 10
    found = outcome_of(items_of(3), lists)
    assert found.errors.roots.shape[0] == len(lists)
    assert found.wins.sum() == 60


def test_columns_that_have_our_names_are_kept_under_others():
    rest = {"rank": "7", "rank_": "8", "score": None, "colour": "red", "text_": "own"}
    found = outcome_of([Item("a", "x", rest), Item("b", "y", {"rank": "9"})], [((0, 1), 1.0)])
    first, second = found.rows()
    assert first["rank"] == 1
    assert sorted(
        str(value) for name, value in first.items() if name.startswith("rank_") and name[5:].strip("_") == ""
    ) == ["7", "8"]
    assert first["score_"] is None
    assert (first["colour"], first["text_"], first["text"]) == ("red", "own", "x")
    assert second["rank"] == 2
    assert "9" in second.values()
    assert first["rank_"] == "8"
    assert first["rank__"] == "7"


def test_beyond_two_thousand_items_there_still_are_ranks():
    n, rng = 2100, np.random.default_rng(0)
    said = []
    for _ in range(3):
        shown = rng.permutation(n).reshape(-1, 10)
        said += [(tuple(row.tolist()), tuple(np.argsort(np.argsort(row)).astype(float).tolist())) for row in shown]
    found = outcome_of(items_of(n), said)
    assert sorted(found.order.tolist()) == list(range(n))
    place = np.arange(1, n + 1)
    assert ((found.rank_low <= place) & (place <= found.rank_high)).all()
    assert np.corrcoef(found.order, place)[0, 1] > 0.8
    assert found.expected_in(10) is None
    assert isinstance(found.surely_in(10), int)


@pytest.mark.parametrize("lists", [False, True])
def test_a_judge_that_never_errs_makes_no_warning(lists):
    n = 40
    said = [((better, worse), 1.0) for better, worse in combinations(range(n), 2)] * 3
    said[::2] = [(question[::-1], 0.0) for question, _ in said[::2]]
    if lists:
        rng = np.random.default_rng(1)
        rows = [rng.permutation(n)[:10] for _ in range(60)]
        said = [(tuple(row.tolist()), tuple(np.argsort(np.argsort(row)).astype(float).tolist())) for row in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = outcome_of(items_of(n), said)
        assert np.isfinite(found.standard_errors).all()
    assert found.ids[0] == "i0"


def test_answers_of_a_judge_belong_together_where_there_are_many():
    """Ten who say one thing and ten who say the opposite are less sure than two hundred who are each of either mind."""
    minds = [[((better, worse), mind) for better, worse in combinations(range(5), 2)] for mind in (1.0, 0.0)]
    said, judges = minds[0] * 10 + minds[1] * 10, [f"judge {k}" for k in range(20) for _ in range(10)]
    apart, together = outcome_of(items_of(5), said), outcome_of(items_of(5), said, judges=judges)
    assert together.standard_errors.sum() > apart.standard_errors.sum()
    assert together.errors.judges == 20
    few = outcome_of(items_of(5), said, judges=[judges[k // 100 * 100] for k in range(200)])
    assert np.array_equal(few.standard_errors, apart.standard_errors)  # the order of these two is what it is


def test_the_top_so_far_is_that_of_all_batches():
    lists = np.array([[3, 1, 2, -1], [0, 1, 2, 3]])
    pairs = np.array([[3, 0], [1, 2]])
    answers = np.array([[0.0, 1.0, 2.0, nan], [1.0, 2.0, 3.0, 0.0]])
    assert top_so_far([lists, pairs], [answers, np.array([1.0, 1.0])], 5, 3) == [3, 0, 1]
    assert top_so_far([pairs], [np.array([0.0, 0.0])], 4, 9)[:1] in ([0], [2])


def test_the_board_of_a_judge_that_never_errs_makes_no_warning():
    rng = np.random.default_rng(2)
    pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in combinations(range(40), 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        board = ordain.leaderboard(*zip(*pairs, strict=True), [min(pair) for pair in pairs])
    assert board.items == tuple(range(40))
    assert np.isfinite(board.standard_errors).all()
