"""Boards: whose votes count how often, what is surely above what, and that names, sides and order of rows are free."""

from dataclasses import replace
from itertools import pairwise

import naive
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from ordain.rank.bradley_terry.noise import Noise, expected, fisher
from ordain.rank.bradley_terry.posterior import bradley_terry
from ordain.votes import rank_intervals, sandwich
from ordain.votes.board import board_of, leaderboard
from ordain.votes.cast_votes import Votes
from ordain.votes.linked_parts import centred, parts
from ordain.votes.points import points_of
from ordain.votes.win_chains import beaten_by, chains

COLUMNS = ("rank", "part", "tier", "rank_low", "rank_high", "wins", "losses", "ties", "votes")
FIGURES = ("scores", "standard_errors", "chance")


def votes_on(rng, n=8, m=300, *, judges=0, ballots=False, split=False):
    """Random votes with ties, people, times and worths; with `split` on two sets of items that never meet."""
    strength = 1.5 * rng.standard_normal(n)
    left = rng.integers(n, size=m)
    right = (left + rng.integers(1, n, size=m)) % n
    if split:
        keep = (left < n // 3) == (right < n // 3)
        left, right = left[keep], right[keep]
    m = len(left)
    answers = (rng.random(m) < expit(strength[left] - strength[right] + 0.3)).astype(float)
    answers[rng.random(m) < 0.1] = 0.5
    one = np.ones(m)
    votes = Votes(tuple(f"item {i}" for i in range(n)), left, right, answers, one, one, one)
    if judges:
        clusters = rng.integers(judges, size=m)
        names = None if ballots else tuple(f"judge {i}" for i in range(judges))
        votes = replace(votes, clusters=clusters, judges=names, times=rng.integers(1, 3, size=m).astype(float))
        return replace(votes, people=rng.integers(1, 4, size=judges).astype(float)[clusters])
    return replace(votes, people=rng.integers(1, 4, size=m).astype(float))


KINDS = {
    "alone": {},
    "judges": {"judges": 40},
    "few judges": {"judges": 6},
    "one judge": {"judges": 1},
    "ballots": {"judges": 30, "ballots": True},
    "two parts": {"n": 9, "split": True},
    "two parts, judges": {"n": 9, "split": True, "judges": 25},
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def assert_same_board(one, other, names=None):
    assert [names[item] if names else item for item in one.items] == list(other.items)
    for name in COLUMNS:
        assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in FIGURES:
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-5, atol=1e-6, err_msg=name)


def naive_covariances(votes, fit, shown):
    """The posterior's and the sandwich's covariances, vote by vote."""
    rows = [(row, person) for row in range(len(votes)) for person in range(int(votes.people[row]))]
    row = np.array([row for row, _ in rows for _ in range(int(votes.times[row]))])
    person = [person for row, person in rows for _ in range(int(votes.times[row]))]
    margins = fit.scores[votes.left] - fit.scores[votes.right] + fit.position
    noise = Noise(fit.spread, fit.lapse)
    slopes, weights = expected(margins, votes.answers, noise)[0], fisher(margins, noise)
    clusters = (np.arange(len(votes)) if votes.clusters is None else votes.clusters)[row]
    return naive.sandwich(
        votes.pairs[row], slopes[row], votes.worth[row], person, clusters, fit.information.prior, weights[row], shown
    )


@every_kind
@pytest.mark.parametrize("shown", [True, False], ids=["shown", "not shown"])
def test_the_sandwich_is_that_of_the_definition_vote_by_vote(kind, shown):
    votes = replace(votes_on(np.random.default_rng(1), **KINDS[kind]), shown=shown)
    errors = board_of(votes).errors
    posterior, meaty = naive_covariances(votes, errors.fit, shown)
    if kind == "one judge":
        alone = replace(votes, clusters=np.arange(len(votes)), people=votes.counts, times=np.ones(len(votes)))
        meaty = naive_covariances(alone, errors.fit, shown)[1]
    assert_allclose(errors.covariances[0], posterior[:-1, :-1], rtol=1e-6, atol=1e-8)
    assert_allclose(errors.covariances[1], meaty[:-1, :-1], rtol=1e-6, atol=1e-8)


@every_kind
def test_a_variance_is_the_larger_one_or_has_the_design_effect(kind):
    votes = votes_on(np.random.default_rng(2), **KINDS[kind])
    votes = replace(votes, times=2 * votes.times)
    errors, of = board_of(votes).errors, parts(votes)
    contrasts = centred(np.eye(len(of)), of)  # rows are e_u less the mean of its part
    both = [np.einsum("ui,ij,uj->u", contrasts, matrix, contrasts) for matrix in errors.covariances]
    if kind == "few judges":
        effect = 6 / 5 * both[1].sum() / both[0].sum()
        assert effect > 1.1
        assert_allclose(errors.variances, effect * both[0])
    else:
        assert_allclose(errors.variances, np.maximum(*both))
    for first, second in [(0, 1), (1, 0), (3, 4)]:
        doubt = np.square(errors.doubts[:, first] - errors.doubts[:, second]).sum()
        total = errors.of_differences[first, second] + doubt
        assert_allclose(errors.of_difference(first, second), total, rtol=1e-6)


@every_kind
def test_intervals_of_ranks_are_those_of_all_differences(kind):
    votes = votes_on(np.random.default_rng(3), n=12, m=900, **{k: v for k, v in KINDS[kind].items() if k != "n"})
    board = board_of(votes)
    errors, order = board.errors, board.order
    critical = rank_intervals.critical_difference(order, errors, 0.95, np.random.default_rng(0))
    scores, of = errors.fit.scores, errors.parts
    won = {(a, b) for a, b, y in zip(votes.left, votes.right, votes.answers, strict=True) if y > 0}
    won |= {(b, a) for a, b, y in zip(votes.left, votes.right, votes.answers, strict=True) if y < 1}
    sure = naive.surely_above(scores, errors.of_differences, of, critical) & naive.chains(won)
    found = naive.rank_intervals(sure, of)
    assert sure
    assert_array_equal(np.column_stack((board.rank_low, board.rank_high)), [found[item] for item in order])
    heads = {}
    for item, part, tier in zip(order, board.part, board.tier, strict=True):
        head = heads.setdefault((part, tier), item)
        assert (head, item) not in sure
        if head == item and tier > 1:
            assert (heads[part, tier - 1], item) in sure


def test_the_largest_difference_is_found_among_all():
    rng = np.random.default_rng(4)
    for n, few in [(5, 1), (40, 1), (60, 3)]:
        root = rng.standard_normal((n, n)) * rng.exponential(size=(n, 1)) ** 2
        root[1] = root[0] + 0.01 * rng.standard_normal(n)  # two that go together have a small difference
        variances, of = sandwich.differences(root @ root.T), rng.integers(few, size=n)
        draws = rng.standard_normal((50, n)) @ root.T
        pairs = [(i, j) for i in range(n) for j in range(i) if of[i] == of[j]]
        expected_largest = [max(abs(z[i] - z[j]) / np.sqrt(variances[i, j]) for i, j in pairs) for z in draws]
        assert_allclose(rank_intervals.largest(draws, variances, of), expected_largest)


@every_kind
def test_names_sides_and_order_of_rows_are_free(kind):
    rng = np.random.default_rng(5)
    votes = votes_on(rng, **KINDS[kind])
    board, n = board_of(votes), len(votes.items)
    numbers, rows = rng.permutation(n), rng.permutation(len(votes))
    names = tuple(f"other {np.flatnonzero(numbers == i)[0]}" for i in range(n))
    renamed = replace(votes, items=names, left=numbers[votes.left], right=numbers[votes.right])
    assert_same_board(board, board_of(renamed), {f"item {i}": f"other {i}" for i in range(n)})
    assert_same_board(board, board_of(votes.take(rows)))
    flat = replace(votes, shown=False)
    turned = replace(flat, left=votes.right, right=votes.left, answers=1 - votes.answers)
    assert_same_board(board_of(flat), board_of(turned))
    assert_same_board(board_of(flat), board_of(votes, position=False))


def test_sides_turned_over_turn_the_position_and_nothing_else():
    votes = votes_on(np.random.default_rng(6))
    turned = board_of(replace(votes, left=votes.right, right=votes.left, answers=1 - votes.answers))
    assert_allclose(turned.fit.position, -board_of(votes).fit.position, atol=1e-6)
    assert_same_board(board_of(votes), turned)


@every_kind
def test_a_count_is_so_many_votes(kind):
    votes = votes_on(np.random.default_rng(7), **KINDS[kind])
    again = votes.take(np.repeat(np.arange(len(votes)), votes.times.astype(int)))
    again = replace(again, times=np.ones(len(again)))
    if votes.clusters is None:
        again = again.take(np.repeat(np.arange(len(again)), again.people.astype(int)))
        again = replace(again, people=np.ones(len(again)))
    assert_same_board(board_of(votes), board_of(again))


def test_a_judge_who_repeats_himself_adds_nothing_and_more_people_much():
    """With the noise given, as the fit takes repeated votes for less noise."""
    votes = votes_on(np.random.default_rng(8), n=6, m=400)
    votes = replace(votes, people=np.ones(400), clusters=np.arange(400), judges=tuple(range(400)))

    def errors(votes):
        fit = bradley_terry(votes.pairs, votes.answers, 6, weights=votes.weights, spread=30.0)
        return np.sqrt(sandwich.errors_of(fit, votes, parts(votes)).variances)

    once, often, many = (
        errors(replace(votes, **more)) for more in ({}, {"times": np.full(400, 9.0)}, {"people": np.full(400, 9.0)})
    )
    assert_allclose(often, once, rtol=0.2)
    assert_allclose(many, once / 3, rtol=0.2)


def test_parts_are_never_compared():
    rng = np.random.default_rng(9)
    votes = votes_on(rng, n=9, m=2000, split=True)
    board = board_of(votes)
    assert board.part.tolist() == [1] * 6 + [2] * 3
    assert board.rank.tolist() == [1, 2, 3, 4, 5, 6, 1, 2, 3]
    assert board.rank_high[board.part == 2].max() <= 3
    assert_allclose([board.scores[board.part == part].mean() for part in (1, 2)], 0, atol=1e-6)
    with pytest.raises(ValueError, match="cannot be compared, as no chain of votes links them"):
        board.win_chance(board.items[0], board.items[-1])
    assert "2 parts" in board.notices[0]
    assert "of part 2" in str(board)


def test_what_the_counts_are():
    votes = Votes(
        ("a", "b", "c"),
        np.array([0, 1, 0]),
        np.array([1, 2, 2]),
        np.array([1.0, 0.5, 0.0]),
        np.array([2.0, 1.0, 1.0]),
        np.array([3.0, 1.0, 1.0]),
        np.ones(3),
    )
    found = {row["item"]: [row[name] for name in ("wins", "losses", "ties", "votes")] for row in board_of(votes).rows()}
    assert found == {"a": [6, 1, 0, 7], "b": [0, 6, 1, 7], "c": [1, 0, 1, 2]}


def test_the_chance_to_win_has_an_interval():
    votes = votes_on(np.random.default_rng(10), n=5, m=600)
    board = board_of(votes)
    for a in board.items[:2]:
        for b in board.items[3:]:
            one, other = board.win_chance(a, b), board.win_chance(b, a)
            assert one.low < one.value < one.high
            assert_allclose((one.value, one.low, one.high), (1 - other.value, 1 - other.high, 1 - other.low), atol=1e-9)
    assert str(one).startswith(f"{one.first} beats {one.second} with chance 0.")
    with pytest.raises(ValueError, match="no item 'nobody'"):
        board.win_chance("nobody", "item 1")


def test_who_never_lost_may_win_always():
    one = np.ones(3)
    votes = Votes(("a", "b", "c"), np.array([0, 0, 1]), np.array([1, 2, 2]), one, one, one, one, shown=False)
    board = board_of(votes)
    assert_allclose(board.win_chance("a", "b").high, 1, atol=1e-12)
    assert_allclose(board.win_chance("c", "b").low, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "words"), [("one judge", "One judge gave all votes"), ("few judges", "Only 6 judges"), ("judges", None)]
)
def test_few_judges_are_noticed(kind, words):
    board = board_of(votes_on(np.random.default_rng(11), **KINDS[kind]))
    assert len(board.notices) == bool(words)
    assert not words or words in board.notices[0]
    assert not words or words in str(board)


def test_a_table_of_html_is_escaped():
    votes = votes_on(np.random.default_rng(12), n=3)
    page = board_of(replace(votes, items=("<script>", "a&b", '"')))._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "a&amp;b" in page


def test_beyond_matrices_errors_are_near_and_bands_do_not_overlap(monkeypatch):
    votes = votes_on(np.random.default_rng(13), n=60, m=3000, judges=200)
    exact = board_of(votes)
    for module in (sandwich, rank_intervals):
        monkeypatch.setattr(module, "DENSE", 10)
    drawn = board_of(votes)
    assert_allclose(drawn.standard_errors / exact.standard_errors, 1, atol=0.15)
    half = rank_intervals.critical_band(drawn.errors, 0.95) * np.sqrt(drawn.errors.variances)[drawn.order]
    scores = drawn.errors.fit.scores[drawn.order]
    low, high = scores - half, scores + half
    assert_array_equal(drawn.rank_low, [1 + (low > end).sum() for end in high])
    assert_array_equal(drawn.rank_high, [60 - (high < end).sum() for end in low])
    assert (drawn.rank_low <= exact.rank_low).all() and (drawn.rank_high >= exact.rank_high).all()


def test_a_board_needs_votes():
    none = np.empty(0)
    with pytest.raises(ValueError, match="there must be a vote"):
        board_of(Votes(("a",), none.astype(int), none.astype(int), none, none, none, none))
    with pytest.raises(ValueError, match="level must lie"):
        board_of(votes_on(np.random.default_rng(0)), level=95)


def test_columns_of_any_kind_make_the_same_board():
    rng = np.random.default_rng(14)
    votes = votes_on(rng, n=5, m=200)
    names = np.array(votes.items)
    columns = [
        names[votes.left],
        names[votes.right],
        np.array(["right", "tie", "left"])[(2 * votes.answers).astype(int)],
    ]
    judges = [f"judge {i}" for i in rng.integers(30, size=200)]
    board = leaderboard(*columns, judges=judges)
    for kind in (list, pd.Series, pl.Series):
        assert_same_board(board, leaderboard(*map(kind, columns), judges=kind(judges)))
    numbered = leaderboard(votes.left, votes.right, columns[2], judges=judges)
    assert_same_board(board, numbered, {name: number for number, name in enumerate(votes.items)})
    weighed = leaderboard(*columns, weights=np.full(200, 3))
    assert_same_board(weighed, leaderboard(*(np.repeat(column, 3) for column in columns)))


def test_ballots_make_a_board():
    rng = np.random.default_rng(15)
    orders = [list(np.argsort(np.arange(4) + rng.gumbel(size=4))) for _ in range(60)]
    board = leaderboard(orders=[["abcd"[i] for i in order] for order in orders])
    assert board.items == ("a", "b", "c", "d")
    assert board.votes.tolist() == [180] * 4
    assert board.fit.position == 0


@pytest.mark.parametrize("method", ["degree", "feedback_arc_set", "quicksort"])
def test_other_methods_leave_empty_what_they_do_not_know(method):
    votes = votes_on(np.random.default_rng(16), n=9, split=True)
    board = board_of(votes, method=method)
    assert all(row[name] is None for row in board.rows() for name in ("standard_error", "rank_low", "tier", "chance"))
    assert (board.rows()[0]["score"] is None) == (method != "degree")
    assert board.part.tolist() == [1] * 6 + [2] * 3
    assert board.rank.tolist() == [1, 2, 3, 4, 5, 6, 1, 2, 3]
    assert board.items[0] in str(board) and board.items[0] in board._repr_html_()
    with pytest.raises(ValueError, match="gives no chances"):
        board.win_chance(board.items[0], board.items[1])


def test_points_without_an_anchor_have_so_many_for_odds_of_ten_to_one():
    board = board_of(votes_on(np.random.default_rng(16), n=9))
    points = points_of(board, 400.0, None)
    rows = board.rows()
    told = [points.of_row(row) for row in rows]
    assert_allclose(np.mean([row["score"] for row in told]), 0, atol=1e-9)
    for first, second in pairwise(told):
        chance = board.win_chance(first["item"], second["item"]).value
        assert 10 ** ((first["score"] - second["score"]) / 400) == pytest.approx(chance / (1 - chance))
    ratio = [row["standard_error"] / plain["standard_error"] for row, plain in zip(told, rows, strict=True)]
    assert_allclose(ratio, 400 / np.log(10))


def test_all_ties_are_a_level_board():
    votes = replace(votes_on(np.random.default_rng(17)), answers=np.full(300, 0.5))
    board = board_of(votes)
    assert_allclose(board.scores, 0, atol=1e-6)
    assert (board.rank_low == 1).all() and (board.rank_high == 8).all() and (board.tier == 1).all()


def test_a_chain_of_wins_is_needed_to_be_surely_above():
    """a beat x, and k beat j, a hundred times each; that j beat x once says nothing of a and j."""
    votes = Votes(
        tuple("axjk"), np.array([0, 3, 2]), np.array([1, 2, 1]), np.ones(3), np.array([100.0, 100, 1]), *np.ones((2, 3))
    )
    assert beaten_by(votes, 0).tolist() == [True, True, False, False]
    assert chains(votes).tolist() == [beaten_by(votes, item).tolist() for item in range(4)]
    assert_allclose(board_of(votes).win_chance("a", "j").low, 0, atol=1e-12)


def test_chains_of_wins_are_those_of_the_definition():
    rng = np.random.default_rng(18)
    for m in (3, 8, 15, 40):
        votes = votes_on(rng, n=8, m=m)
        rows = list(zip(votes.left.tolist(), votes.right.tolist(), votes.answers, strict=True))
        won = {(a, b) for a, b, y in rows if y > 0} | {(b, a) for a, b, y in rows if y < 1}
        found = naive.chains(won) | {(i, i) for i in range(8)}
        assert {(i, j) for i, j in zip(*np.nonzero(chains(votes)), strict=True)} == found


def test_the_sentences_say_whom_the_top_is_ahead_of_and_what_the_left_side_is_worth():
    rng, n = np.random.default_rng(0), 4000
    left, right = rng.permuted(np.tile(np.arange(8), (n, 1)), axis=1)[:, :2].T
    strength = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.05])
    won = np.where(rng.random(n) < 1 / (1 + np.exp(strength[right] - strength[left] - 0.8)), "left", "right")
    board = leaderboard(left.tolist(), right.tolist(), won.tolist())
    behind = sum(low > 1 for low in board.rank_low)
    top = next(sentence for sentence in board.sentences() if "on top" in sentence)
    assert behind == 6
    assert top == f"{board.items[0]}, on top, is surely ahead of 6 of 7 others."
    side = next(sentence for sentence in board.sentences() if "left one wins" in sentence)
    assert side.startswith("Of two items alike the left one wins 68 times in 100")  # 1 / (1 + exp(-0.8)) = 0.69


def test_millions_of_votes_are_shown_in_full():
    board = leaderboard(["a", "b"], ["b", "a"], ["a", "b"], weights=[3_000_000, 1_234_567])
    assert "3,000,000" in str(board) and "1,234,567" in str(board)
