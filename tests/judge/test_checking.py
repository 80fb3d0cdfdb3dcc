"""People check a model: the pairs are its own, half of them by lot, and the figures are counted right."""

import shutil

import numpy as np
import pytest

from ordain.judge import Item, Run
from ordain.judge.checking import check_of, check_plan, model_answers
from ordain.judge.recorded import InBatches

TEXTS = ["x" * (1 + k % 7) + str(k) for k in range(40)]


def number(item):
    return int(item.text.strip("x"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that a model has judged, to be copied."""
    path = tmp_path_factory.mktemp("finished") / "x.run"
    items = [Item(str(k), text) for k, text in enumerate(TEXTS)]
    with Run.create(path, items, "Which?") as run:
        run.rank(order=lambda some: sorted(some, key=number), who="model")
    return path


@pytest.fixture
def judged(finished, tmp_path):
    with Run.open(shutil.copy(finished, tmp_path)) as run:
        yield run


def checked(run, count, says):
    """What comes of a check in which people answer by `says(first, second)`."""
    plan = run.store.add_plan(check_plan(run, count, 0).settings)
    asked = InBatches(run.store, plan, lambda pairs: [says(*pair) for pair in pairs.tolist()], "Ana")
    run.play(plan, asked)
    return plan, check_of(run, plan, run.outcome().order)


def test_the_pairs_are_the_models_half_by_lot_and_none_twice(judged):
    plan = check_plan(judged, 20, 0)
    audit, others, late = model_answers(judged)
    lot, near = plan.questions[:10], plan.questions[10:]
    assert len({frozenset(pair) for pair in plan.questions}) == 20
    assert {frozenset(pair) for pair in lot} <= {frozenset(pair) for pair in (*audit, *others)}
    assert {frozenset(pair) for pair in near} <= {frozenset(pair) for pair in late}
    in_audit = sum(frozenset(pair) in {frozenset(one) for one in audit} for pair in lot)
    assert in_audit == min(10, len(audit))


def test_one_mind_agrees_always_and_its_opposite_never(judged):
    _, same = checked(judged, 20, lambda a, b: float(a < b))
    assert (same.by_lot.part, same.by_lot.of, same.late.part, same.late.of) == (10, 10, 10, 10)
    assert same.order.value == 1
    assert same.side.of == same.longer.of == 0
    _, other = checked(judged, 18, lambda a, b: float(a > b))
    assert other.by_lot.part == other.late.part == other.order.part == 0
    assert other.side.of == 18


def test_ties_agree_by_half(judged):
    _, check = checked(judged, 12, lambda a, b: 0.5)
    assert check.by_lot.value == check.late.value == 0.5


def test_a_lean_to_longer_texts_and_to_the_left_is_told(judged):
    """People who always take the left one, beside counts by hand."""
    plan, check = checked(judged, 60, lambda a, b: 1.0)
    asked = [pair for pair, _ in judged.store.answered(plan)]
    apart = [pair for pair in asked if pair[0] > pair[1]]  # the model takes the smaller number
    assert (check.side.part, check.side.of) == (len(apart), len(apart))
    assert "lean to the left" in " ".join(check.sentences())
    lengths = [(len(TEXTS[a]), len(TEXTS[b])) for a, b in apart if len(TEXTS[a]) != len(TEXTS[b])]
    assert (check.longer.part, check.longer.of) == (sum(b > a for a, b in lengths), len(lengths))


@pytest.mark.parametrize("longer", [True, False])
def test_a_model_that_takes_the_longer_or_the_shorter_text_is_told_so(tmp_path, longer):
    """People who always say otherwise disagree with it everywhere."""
    items = [Item(str(k), "x" * (1 + k)) for k in range(40)]
    by_length = lambda item: len(item.text) * (-1 if longer else 1)  # noqa: E731
    with Run.create(tmp_path / "x.run", items, "Which?") as run:
        run.rank(order=lambda some: sorted(some, key=by_length), who="model")
        _, check = checked(run, 20, lambda a, b: float((a < b) == longer))
    said = f"the model takes the {'longer' if longer else 'shorter'} text"
    assert said in check.sentences()[-1]
    told = check.as_json()
    assert told["longer"]["value"] == longer and told["longer"]["of"] == told["side"]["of"] == 20
    assert told["by_lot"] == {"value": 0.0, "low": 0.0, "high": pytest.approx(check.by_lot.high), "of": 10}


def test_a_check_without_an_answer_says_so_and_has_no_figures(judged):
    plan = judged.store.add_plan(check_plan(judged, 10, 0).settings)
    check = check_of(judged, plan, judged.outcome().order)
    (said,) = check.sentences()
    assert said == "People have answered no pair drawn by lot yet."
    assert {part["value"] for part in check.as_json().values()} == {None}


def test_the_check_is_no_part_of_the_order(judged):
    before = judged.outcome().order
    checked(judged, 20, lambda a, b: float(a > b))
    assert np.array_equal(judged.outcome().order, before)


def test_a_run_without_answers_has_nothing_to_check(tmp_path):
    with Run.create(tmp_path / "new.run", ["a", "b"], "?") as run, pytest.raises(ValueError, match="must have answers"):
        check_plan(run, 5, 0)
