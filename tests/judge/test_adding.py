"""New items into an old order: everyone's answers stay, and few new ones are asked."""

import numpy as np
import pytest

from ordain.judge import Item, Run
from ordain.judge.adding import add, with_added
from ordain.judge.recorded import InBatches


def value(item):
    return int(item.text)


@pytest.fixture
def ranked(tmp_path):
    """A run of 30 numbers in order."""
    items = [Item(f"old {k}", str(k)) for k in range(0, 300, 10)]
    with Run.create(tmp_path / "numbers.run", items, "Which is larger?") as run:
        run.rank(order=lambda some: sorted(some, key=value, reverse=True))
    return tmp_path / "numbers.run"


def judge_of(run, asked):
    def judge(pairs):
        asked.extend(map(tuple, pairs.tolist()))
        return [value(run.store.items[a]) > value(run.store.items[b]) for a, b in pairs]

    return judge


NEW = [Item("n 1", "55"), Item("n 2", "201"), Item("n 3", "-5")]


def test_new_items_stand_where_they_belong_after_a_few_questions(ranked):
    asked = []
    with Run.open(ranked) as run:
        before = len(run.store.entries)
        number = add(run, with_added(run, NEW))
        run.play(number, InBatches(run.store, number, judge_of(run, asked), "me"))
        outcome = run.outcome()
        values = [value(run.store.items[item]) for item in outcome.order]
        away = [abs(values.index(new) - sorted(values, reverse=True).index(new)) for new in (55, 201, -5)]
        assert max(away) <= 1
        assert len(run.store.entries) == before + len(asked)
        assert len(asked) <= 3 * 2 * np.ceil(np.log2(31))
        assert all((pair[0] >= 30) != (pair[1] >= 30) for pair in asked)


def test_the_same_wish_again_asks_nothing_and_a_further_one_adds(ranked):
    asked = []
    with Run.open(ranked) as run:
        for wish, count in ((NEW, 33), (NEW, 33), ([*NEW, Item("n 4", "77")], 34)):
            number = add(run, with_added(run, wish))
            already = len(asked)
            run.play(number, InBatches(run.store, number, judge_of(run, asked), "me"))
            assert run.n == count
            assert (len(asked) > already) == (wish is not NEW or already == 0)
    with Run.open(ranked) as run:
        assert [item.id for item in run.store.items[30:]] == ["n 1", "n 2", "n 3", "n 4"]


def test_items_that_a_crash_left_without_a_plan_are_placed(ranked):
    with Run.open(ranked) as run:
        run.store.add_items(NEW[:1])  # and then the power failed
    with Run.open(ranked) as run:
        number = add(run, with_added(run, NEW))
        assert run.plans[number - 1].new == 3
        assert run.n == 33


def test_what_cannot_be_added(ranked, tmp_path):
    with Run.open(ranked) as run:
        with pytest.raises(ValueError, match=r"'old 0' with another text"):
            with_added(run, [Item("old 0", "other")])
        with pytest.raises(ValueError, match="none that are new"):
            add(run, with_added(run, [run.store.items[0]]))
    with (
        Run.create(tmp_path / "new.run", ["1", "2"], "?") as run,
        pytest.raises(ValueError, match="must have an order"),
    ):
        add(run, with_added(run, NEW))
