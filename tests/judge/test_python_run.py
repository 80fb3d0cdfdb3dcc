"""The Python face of a run: judges of one's own, of every kind, that may fail at any moment; nothing is asked twice."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ordain.judge import Item, Run
from ordain.judge.outcome import outcome_of
from ordain.judge.plan import ranker_of
from ordain.judge.recorded import InBatches
from ordain.judge.run import items_hash
from ordain.judge.wanted import Wanted
from ordain.preference import batch, budgeted, from_scores, positions
from ordain.rank import play, quicksort, top_k


class Judge:
    """Who prefers higher values; every question is kept, and the one with the number in `fails` raises."""

    def __init__(self, values, fails=()):
        self.values, self.fails = values, set(fails)
        self.asked = []

    def value(self, item):
        return self.values[int(item.text)]

    def _note(self, *items):
        self.asked.append(tuple(int(item.text) for item in items))
        if len(self.asked) in self.fails:
            raise ConnectionError("the judge went home")

    def prefer(self, a, b):
        self._note(a, b)
        return 0.5 + np.sign(self.value(a) - self.value(b)) / 2

    def order(self, items):
        self._note(*items)
        return sorted(items, key=self.value, reverse=True)

    async def prefer_async(self, a, b):
        await asyncio.sleep(0)
        return self.prefer(a, b)

    async def order_async(self, items):
        await asyncio.sleep(0)
        return self.order(items)

    def prefer_batch(self, firsts, seconds):
        return [self.prefer(a, b) for a, b in zip(firsts, seconds, strict=True)]

    def order_batch(self, lists):
        return [self.order(items) for items in lists]


def texts(n):
    return [str(number) for number in range(n)]


def ways(judge):
    """Keyword arguments for every way to bring a judge."""
    return {
        "prefer": {"prefer": judge.prefer},
        "prefer_async": {"prefer": judge.prefer_async},
        "prefer_batch": {"prefer": batch(judge.prefer_batch)},
        "order": {"order": judge.order, "size": 5},
        "order_async": {"order": judge.order_async, "size": 5},
        "order_batch": {"order": batch(judge.order_batch), "size": 5},
    }


WAYS = sorted(ways(Judge([])))


@pytest.fixture
def place(tmp_path):
    return tmp_path / "words.run"


def numbers(outcome):
    return [int(one) - 1 for one in outcome.ids]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [2, 3, 14])
def test_every_kind_of_judge_is_asked_and_heard(place, way, n):
    judge = Judge(np.random.default_rng(n).permutation(n))
    with Run.create(place, texts(n), "Which is more?") as run:
        found = run.rank(**ways(judge)[way])
    apart = np.abs(np.argsort(numbers(found)) - np.argsort(np.argsort(-judge.values)))
    assert apart.max() == 0
    asked = len(judge.asked)
    with Run.open(place) as run:
        again = run.rank(**ways(judge)[way])
    assert len(judge.asked) == asked
    assert again.ids == found.ids
    assert_array_equal(again.scores, found.scores)


def test_positions_may_come_back(place):
    with Run.create(place, texts(8), "?") as run:
        order = positions(lambda items: sorted(range(len(items)), key=lambda at: -int(items[at].text)))
        assert numbers(run.rank(order=order)) == list(range(8))[::-1]


@pytest.mark.parametrize("way", WAYS)
def test_a_judge_that_fails_in_the_middle_loses_nothing(place, way):
    """After every failure it goes on where it was; in the end all is as if nothing had failed."""
    n, values = 14, np.random.default_rng(1).permutation(14)
    whole = Judge(values)
    with Run.create(place.with_name("whole.run"), texts(n), "?") as run:
        expected = run.rank(**ways(whole)[way])
    judge, failures = Judge(values, fails=range(3, 10**6, 7)), 0
    Run.create(place, texts(n), "?").close()
    while True:
        with Run.open(place) as run:
            kept = sum(1 for number in range(1, len(run.plans) + 1) for _ in run.store.answered(number))
            try:
                found = run.rank(**ways(judge)[way])
                break
            except ConnectionError:
                failures += 1
                now = sum(1 for number in range(1, len(run.plans) + 1) for _ in run.store.answered(number))
                assert now >= kept
        if way.endswith("batch"):
            judge.fails = set()
    assert failures >= 1
    assert found.ids == expected.ids
    assert_array_equal(found.scores, expected.scores)
    if way in ("prefer", "order"):
        assert failures > 3
        assert Counter(judge.asked) - Counter(whole.asked) <= Counter(whole.asked)
        assert len(judge.asked) - failures == len(whole.asked)


def test_a_run_knows_which_questions_were_begun_and_not_answered(place):
    judge = Judge(np.arange(12), fails=[8])
    with Run.create(place, texts(12), "?") as run:
        with pytest.raises(ConnectionError):
            run.rank(judge.prefer)
        answered = sum(1 for number in (1, 2) for _ in run.store.answered(number))
        assert answered == 7
        assert len(run.store.uncertain) >= 1
        run.rank(judge.prefer)
        assert run.store.uncertain == []


@pytest.mark.parametrize("kind", ["prefer", "prefer_async", "order_async"])
def test_a_run_is_ranked_within_a_loop_that_runs(place, kind):
    """A coroutine of the judge runs in the loop of the caller."""
    judge, loops = Judge(np.arange(12)), set()

    async def wherever(a, b):
        loops.add(asyncio.get_running_loop())
        return await judge.prefer_async(a, b)

    async def main():
        options = {"prefer": wherever} if kind == "prefer_async" else ways(judge)[kind]
        with Run.create(place, texts(12), "?") as run:
            found = await run.rank_async(**options)
        return found, asyncio.get_running_loop()

    found, loop = asyncio.run(main())
    assert np.abs(np.diff([11 - number for number in numbers(found)])).max() <= 4
    assert numbers(found)[0] >= 10
    assert loops == ({loop} if kind == "prefer_async" else set())


@pytest.mark.parametrize("way", ["prefer", "order"])
@pytest.mark.parametrize(
    "other",
    [{"top": 3}, {"budget": 60}, {"budget": 400}, {"guarantee": True}, {"top": 2, "guarantee": True}],
)
def test_what_else_is_wanted_asks_nothing_again(place, way, other):
    n, judge = 20, Judge(np.random.default_rng(3).permutation(20))
    with Run.create(place, texts(n), "?") as run:
        run.rank(**ways(judge)[way], budget=40)
        plans, before = len(run.plans), len(judge.asked)
        run.rank(**ways(judge)[way] | other)
        assert len(run.plans) == plans + 1
        assert [plan.ranker for plan in run.plans].count("audit") == 1
    if way == "prefer":
        pairs = Counter(map(frozenset, judge.asked))
        assert max(pairs.values()) == 1
    assert len(judge.asked) > before or other == {"budget": 60}
    assert not set(judge.asked[:before]) & set(judge.asked[before:])


def test_shorter_lists_and_pairs_ask_nothing_again(place):
    judge = Judge(np.random.default_rng(4).permutation(20))
    with Run.create(place, texts(20), "?") as run:
        asked = [len(judge.asked)]
        for size in (6, 3, 2):
            run.rank(order=judge.order, size=size)
            asked.append(len(judge.asked))
        run.rank(judge.prefer, top=5)
        assert [plan.ranker for plan in run.plans] == ["audit", "list_window", "list_window", "window", "field"]
    parts = [set(judge.asked[start:end]) for start, end in pairwise([*asked, len(judge.asked)])]
    assert not any(one & other for one, other in combinations(parts, 2))
    pairs = Counter(map(frozenset, judge.asked[asked[2] :]))
    assert max(pairs.values()) == 1
    assert len(pairs) >= 100
    asked_as_lists = {frozenset(shown) for shown in judge.asked[: asked[2]] if len(shown) == 2}
    assert not asked_as_lists & set(pairs)


@pytest.mark.parametrize("way", ["prefer", "order"])
@pytest.mark.parametrize("n", [9, 12, 23])
@pytest.mark.parametrize("top", [None, 4])
def test_a_budget_is_never_passed_and_spent_where_there_is_something_to_ask(place, way, n, top):
    judge = Judge(np.random.default_rng(n).permutation(n))
    with Run.create(place, texts(n), "?") as run:
        for budget in (n, n + 30, n + 31):
            run.rank(**ways(judge)[way], budget=budget, top=top)
            assert len(judge.asked) <= budget
            if way == "prefer":
                assert len(judge.asked) >= min(0.9 * budget - 1, 0.8 * comb(n, 2))
            elif n > 9:
                assert len(judge.asked) >= 0.9 * budget - 2
        before = len(judge.asked)
        run.rank(**ways(judge)[way], budget=n, top=top)
        assert len(judge.asked) == before


def test_a_budget_that_cannot_show_every_item_leaves_no_plan(place):
    with Run.create(place, texts(50), "?") as run:
        with pytest.raises(ValueError, match="must be 32 requests or more"):
            run.rank(Judge(np.arange(50)).prefer, budget=20)
        assert run.plans == []
        assert list(run.store.entries) == []


def test_the_audit_is_asked_once_before_all_else_and_is_in_the_order_at_last(place):
    judge = Judge(np.arange(15))
    with Run.create(place, texts(15), "?") as run:
        first = run.rank(judge.prefer, budget=80)
        audit = set(map(frozenset, run.audit_pairs.tolist()))
        assert len(audit) == 16
        assert set(map(frozenset, judge.asked[:16])) == audit
        assert not audit & set(map(frozenset, judge.asked[16:]))
        said = {frozenset(question) for question, _ in first.said}
        assert audit < said
        assert first.shown.sum() == 2 * len(first.said) == 2 * len(judge.asked)
        rankers = list(run.store.answered(2))
        assert np.array_equal(run.order_without_audit(), outcome_of(run.store.items, rankers).order)


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("top", [None, 3])
def test_a_guarantee_is_quicksorts_own_order(place, seed, top):
    """Below ten items there is no audit, and the order is that of the sort with the same generator."""
    n = 9
    values = np.array([3.0, 1, 2, 3, 5, 0, 2, 2, 4])
    judge = Judge(values)
    with Run.create(place, texts(n), "?", seed=seed) as run:
        found = run.rank(judge.prefer, guarantee=True, top=top)
        plan = run.plans[-1]
    rng = np.random.default_rng([seed, 1])
    own = play(quicksort(n, rng) if top is None else top_k(n, top, rng), from_scores(values))
    assert numbers(found) == own.tolist()
    assert np.isnan(found.scores).all()
    assert np.isnan(found.rank_low).all()
    assert plan.seed == seed
    assert found.surely_in(3) is None
    assert found.expected_in(3) is None


def test_a_guarantee_never_asks_what_the_audit_keeps(place):
    judge = Judge(np.arange(30))
    with Run.create(place, texts(30), "?") as run:
        run.rank(judge.prefer, guarantee=True)
        audit = set(map(frozenset, run.audit_pairs.tolist()))
    assert Counter(map(frozenset, judge.asked)).most_common(1)[0][1] == 1
    assert audit <= set(map(frozenset, judge.asked))


def test_a_guarantee_that_is_out_of_questions_goes_on_later(place):
    judge = Judge(np.random.default_rng(0).permutation(25))
    with Run.create(place, texts(25), "?") as run:
        cut = run.rank(judge.prefer, guarantee=True, budget=40)
        assert sorted(cut.ids) == sorted(str(number + 1) for number in range(25))
        assert len(judge.asked) <= 40
        run.rank(judge.prefer, guarantee=True)
    assert max(Counter(map(frozenset, judge.asked)).values()) == 1


def test_both_orders_asks_each_pair_both_ways_round(place):
    """A judge who always takes the first is then no judge at all."""
    asked = []
    wanted = Wanted(size=2, both_orders=True, budget=60)
    with Run.create(place, texts(12), "?") as run:
        for number in run.prepared(wanted):
            first = InBatches(
                run.store, number, lambda pairs: (asked.extend(pairs.tolist()), np.ones(len(pairs)))[1], "j"
            )
            run.play(number, first)
        ordering = [tuple(pair) for pair in asked[len(run.audit_pairs) :]]
        assert {pair[::-1] for pair in ordering} == set(ordering)
        assert len(set(ordering)) == len(ordering) <= 60
        found = outcome_of(run.store.items, list(run.store.answered(2)))  # of the audit each was asked once
        assert found.wins.tolist() == found.losses.tolist()
        assert np.abs(found.scores).max() < 1e-6


def test_the_seed_draws_the_questions(tmp_path):
    asked = []
    for place, seed in (("a", 1), ("b", 1), ("c", 2)):
        judge = Judge(np.arange(20))
        with Run.create(tmp_path / f"{place}.run", texts(20), "?", seed=seed) as run:
            run.rank(judge.prefer)
        asked.append(judge.asked)
    assert asked[0] == asked[1] != asked[2]


def test_a_run_is_looked_at_while_it_goes_on(place):
    seen, judge = [], Judge(np.arange(12))

    def prefer(a, b):
        if len(judge.asked) in (0, 5, 30):
            with Run.look(place) as other:
                seen.append(sum(1 for number in range(1, len(other.plans) + 1) for _ in other.store.answered(number)))
                if len(judge.asked) == 30:
                    assert len(other.outcome().ids) == 12
        return judge.prefer(a, b)

    with Run.create(place, texts(12), "?") as run:
        run.rank(prefer)
    assert seen[0] == 0
    assert seen[1] >= 5
    assert seen[2] >= 30


def test_only_one_process_works_on_a_run(place):
    with Run.create(place, texts(3), "?"), pytest.raises((ValueError, OSError)):
        Run.open(place)
    with Run.open(place) as run:
        assert run.n == 3


def test_a_run_goes_on_only_with_what_it_was_begun_with(place):
    judge = {"model": "m", "temperature": 0.5}
    with Run.create(place, texts(3), "Which?", judge=judge) as run:
        run.check_same(question="Which?", judge=dict(judge), items=items_hash(run.store.items))
        for changed, words in (
            ({"question": "What?"}, "The question changed"),
            ({"items": items_hash([Item("a", "b"), Item("c", "d")])}, "The items changed"),
            ({"judge": {"model": "n", "temperature": 0.5}}, r"The judge \(model\) changed"),
            ({"judge": {"model": "m", "system": "S"}}, r"The judge \(temperature, system\) changed"),
        ):
            with pytest.raises(ValueError, match=words) as refused:
                run.check_same(**changed)
            assert "\n" not in str(refused.value)


def test_items_are_told_apart_by_all_they_hold():
    items = [Item("a", "x", {"n": "1"}), Item("b", "y", {"n": None})]
    hashes = {
        items_hash(other)
        for other in (items, items[::-1], [items[0], Item("b", "y", {})], [items[0], Item("b", "z", {"n": None})])
    }
    assert len(hashes) == 4


def test_ties_everywhere_are_no_order_but_an_outcome(place):
    with Run.create(place, texts(12), "?") as run:
        found = run.rank(lambda a, b: 0.5)
    assert np.abs(found.scores).max() < 1e-6
    assert found.ties.sum() == found.shown.sum()
    assert found.wins.sum() == found.losses.sum() == 0
    assert found.rank_low.tolist() == [1] * 12
    assert found.rank_high.tolist() == [12] * 12
    assert found.surely_in(3) == 0
    assert found.expected_in(3) == pytest.approx(3 * 3 / 12, abs=0.3)


def test_lists_of_ties_are_an_outcome_too(place):
    with Run.create(place, texts(12), "?") as run:
        found = run.rank(order=lambda items: [items], size=4)
    assert np.abs(found.scores).max() < 1e-6
    assert found.wins.sum() == 0


def test_a_run_without_a_plan_has_no_order(place):
    with Run.create(place, texts(3), "?") as run, pytest.raises(ValueError, match="must have a plan"):
        run.outcome()


@pytest.mark.parametrize("options", [{}, {"prefer": max, "order": sorted}])
def test_one_kind_of_judge_is_given(place, options):
    with Run.create(place, texts(3), "?") as run, pytest.raises(ValueError, match="either prefer"):
        run.rank(**options)


def test_one_item_is_no_list(place):
    with pytest.raises(ValueError, match="two items or more"):
        Run.create(place, ["alone"], "?")
    assert not place.exists()


@pytest.mark.parametrize("wrong", [{"top": 0}, {"top": -3}, {"size": 1, "order": sorted}])
def test_what_cannot_be_wanted_leaves_no_plan(place, wrong):
    options = {"prefer": Judge(np.arange(12)).prefer} | wrong
    options = {name: value for name, value in options.items() if not (name == "prefer" and "order" in wrong)}
    with Run.create(place, texts(12), "?") as run:
        with pytest.raises(ValueError, match="must be"):
            run.rank(**options)
        assert run.plans == []


def test_more_of_the_best_than_there_are_is_all_of_them(place):
    judge = Judge(np.arange(5))
    with Run.create(place, texts(5), "?") as run:
        assert numbers(run.rank(judge.prefer, top=9)) == [4, 3, 2, 1, 0]


def test_items_that_were_never_shown_come_last(place):
    """A plan that is out of calls has items of which nothing is known."""
    judge = Judge(np.arange(12))
    wanted = Wanted(size=2)
    with Run.create(place, texts(12), "?") as run:
        number = run.prepared(wanted)[-1]
        asked = InBatches(run.store, number, from_scores(judge.values), "j")
        run.play(number, budgeted(asked, 3))
        found = run.outcome()
    known = {item for question, _ in found.said for item in question}
    assert 3 <= len(known) <= 6
    assert set(numbers(found)[: len(known)]) == known
    assert np.isnan(found.scores[len(known) :]).all()
    assert found.rank_low[len(known) :].tolist() == [1] * (12 - len(known))
    assert found.rank_high.tolist()[len(known) :] == [12] * (12 - len(known))
    rows = found.rows()
    assert rows[-1]["score"] is None
    assert rows[-1]["shown"] == 0
    json.dumps(rows)


def test_sure_ends_early_and_tells_how_sure(place):
    judge = Judge(np.arange(40) * 3.0)
    wanted, told = Wanted(top=2, size=5), []
    with Run.create(place, texts(40), "?") as run:
        for number in run.prepared(wanted):
            asked = InBatches(run.store, number, lambda lists: lists_by(judge.values, lists), "j")
            run.play(number, asked, sure=0.5, tell=lambda asked, given: told.append(len(asked)))
        chance = run.store.decisions[number, "sure"]
        assert chance >= 0.5
        rounds = len(told)
        assert told == list(range(1, rounds + 1))
        before = len(run.store.entries)
        run.play(number, None, sure=0.5)
        assert len(run.store.entries) == before
        ranker = ranker_of(run.plans[-1], {}, run.audit_pairs)
        batches = []
        play(ranker, lambda lists: (batches.append(lists), lists_by(judge.values, lists))[1])
        assert rounds < len(batches)
        assert numbers(run.outcome())[:2] == [39, 38]


def lists_by(values, lists):
    """Places by the values, highest first; of pairs a number."""
    if lists.shape[1] == 2:
        return (values[lists[:, 0]] > values[lists[:, 1]]).astype(float)
    return np.where(lists < 0, np.nan, -values[lists])


def test_sure_counts_ties_known_from_lists_of_two(place):
    """A tie in a list of two is no win of either."""
    from ordain.judge.run import _by_pairs

    asked, given = [np.array([[0, 1], [1, 2]])], [np.array([1.0, 1.0])]
    tied = _by_pairs({(0, 2): (0.0, 0.0)}, asked, given, 3, 1)
    number = _by_pairs({(0, 2): 0.5}, asked, given, 3, 1)
    assert tied == number


def test_pairs_known_before_are_not_asked_by_a_sort(place):
    judge = Judge(np.random.default_rng(8).permutation(9))
    with Run.create(place, texts(9), "?") as run:
        run.rank(judge.prefer)
        assert set(map(frozenset, judge.asked)) == set(map(frozenset, combinations(range(9), 2)))
        asked = len(judge.asked)
        found = run.rank(judge.prefer, guarantee=True)
    assert len(judge.asked) == asked
    assert numbers(found) == np.argsort(-judge.values).tolist()
