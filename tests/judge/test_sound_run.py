"""Runs whose file is whole and whose contents are not: each is refused by name, by whoever opens it."""

import json
import sqlite3
from contextlib import closing

import pytest

from ordain.judge import Item, Run
from ordain.judge.known_beforehand import Learning
from ordain.judge.plan import Plan
from ordain.judge.run_file import looked_at
from ordain.judge.sound_run import check_run
from ordain.judge.store import ANSWER, Asked, Replied, Store

ITEMS = [Item(str(k), f"text {k}", {"size": str(k), "none": None}) for k in range(12)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of pairs, of lists and of a sort, with an audit, of which something was learned."""
    path = tmp_path_factory.mktemp("whole") / "some.run"
    with Run.create(path, ITEMS, "Which?", seed=3) as run:
        run.rank(lambda a, b: int(a.id) < int(b.id), top=3, budget=30, learn=Learning("size"))
        run.rank(order=lambda some: sorted(some, key=lambda one: int(one.id)), size=4)
        run.rank(lambda a, b: int(a.id) < int(b.id), guarantee=True)
    return path


@pytest.fixture
def with_statement(whole, tmp_path):
    """The run after a statement of SQL."""

    def changed(statement, *values):
        path = tmp_path / "some.run"
        path.write_bytes(whole.read_bytes())
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(statement, values).rowcount == 1
        return path

    return changed


def refusal(path):
    """What is said, in one line, by those who look and those who go on."""
    said = set()
    for opener in (Run.look, Run.open):
        with pytest.raises(ValueError, match=r"must be a whole run\. It is damaged") as refused:
            opener(path)
        said.add(str(refused.value))
    (only,) = said
    assert "\n" not in only
    return only


def test_a_run_with_all_that_one_can_hold_is_opened(whole):
    with Run.look(whole) as run:
        assert {plan.ranker for plan in run.plans} == {"audit", "field", "list_window", "quicksort"}
        assert run.plans[1].learn and sorted(run.outcome().order) == list(range(12))


FACTS = {
    "question": [3, None, "half \ud800"], "judge": ["m", ["m"], {"model": float("nan")}], "items": [1],
    "secret": ["x", "AB" * 32], "seed": [-1, 1.5, True, "3"],
}  # fmt: skip
PLANS = {
    "ranker": ["sort", 3], "n": [1, 13, 2.0, "12"], "seed": [-1, None], "budget": [-1, 2**60, 1.5], "top": [0, "3"],
    "size": ["all", 1, 2.5], "both_orders": [1], "spare": ["yes"], "wanted": [[], {"by_lot": "x"}],
    "questions": [[[0]], [[0, 0]], [[0, 12]], [3], "x", [[0, True]]], "new": [0, 11], "shorter": [1],
    "learn": [{"start": 3}, {"more": None}], "unheard": [1],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in FACTS.items() for value in values])
def test_facts_are_of_their_kind(with_statement, name, value):
    refusal(with_statement("UPDATE facts SET value = ? WHERE name = ?", json.dumps(value), name))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in PLANS.items() for value in values])
def test_plans_want_what_there_can_be(with_statement, name, value):
    path = with_statement("UPDATE plans SET settings = json_set(settings, ?, json(?)) WHERE number = 2",
                          f"$.{name}", json.dumps(value))  # fmt: skip
    assert "plan 2 cannot" in refusal(path)


@pytest.mark.parametrize(
    ("statement", "value", "what"),
    [
        ("DELETE FROM facts WHERE name = ?", "seed", "its seed"),
        ("DELETE FROM items WHERE id = ?", "3", "items are lacking"),
        ("UPDATE plans SET number = ? WHERE number = 4", 5, "plans are lacking"),
        ("UPDATE asked SET number = ? WHERE number = 5", 2**63 - 1, f"request {2**63 - 1}"),
        ("UPDATE items SET text = ? WHERE number = 4", b"text", "the item '4'"),
        ("UPDATE items SET rest = ? WHERE number = 4", '{"size": 4}', "the item '4'"),
        ("UPDATE items SET rest = ? WHERE number = 4", '["size"]', "the item '4'"),
        ("UPDATE items SET rest = ? WHERE number = 4", "[" * 100_000, "damaged"),
        ("UPDATE plans SET settings = json_set(settings, '$.n', ?) WHERE number = 3", 5, "the order of its plans"),
        ("UPDATE plans SET settings = json_set(settings, '$.budget', ?) WHERE number = 1", 67, "plan 1"),
        ("INSERT INTO decisions VALUES (2, 'size', ?)", "3", "what plan 2 settled"),
        ("INSERT INTO decisions VALUES (4, 'sure', ?)", '"surely"', "what plan 4 settled"),
        ("UPDATE asked SET plan = ? WHERE number = 5", 9, "request 5"),
        ("UPDATE asked SET plan = ? WHERE number = 5", "first", "request 5"),
        ("UPDATE asked SET shown = ? WHERE number = 5", "0,0", "request 5"),
        ("UPDATE asked SET shown = ? WHERE number = 5", "0,12", "request 5"),
        ("UPDATE asked SET shown = ? WHERE number = 5", "-1,0", "request 5"),
        ("UPDATE asked SET shown = ? WHERE number = 5", b"0,1", "a question must be text"),
        ("UPDATE asked SET time = ? WHERE number = 5", -1, "request 5"),
        ("UPDATE asked SET attempt = ? WHERE number = 5", "x", "request 5"),
        ("UPDATE asked SET who = ? WHERE number = 5", b"me", "request 5"),
        ("UPDATE asked SET reserved = ? WHERE number = 5", "[1]", "request 5"),
        ("UPDATE asked SET reserved = ? WHERE number = 5", f"[1, {10**400}]", "request 5"),
        ("UPDATE asked SET at = ? WHERE number = 5", "now", "request 5"),
        ("UPDATE asked SET at = ? WHERE number = 5", float("inf"), "request 5"),
        ("UPDATE replied SET outcome = ? WHERE asked = 5", "well", "the end of request 5"),
        ("UPDATE replied SET answer = ? WHERE asked = 5", "1.5", "the end of request 5"),
        ("UPDATE replied SET answer = ? WHERE asked = 5", "NaN", "the end of request 5"),
        ("UPDATE replied SET answer = ? WHERE asked = 5", "[0, 1, 2]", "the end of request 5"),
        ("UPDATE replied SET answer = ? WHERE asked = 5", "[0, 2]", "the end of request 5"),
        ("UPDATE replied SET answer = ? WHERE asked = 5", '[0, "1"]', "the end of request 5"),
        ("UPDATE replied SET tokens = ? WHERE asked = 5", "[1, -1]", "the end of request 5"),
        ("UPDATE replied SET noted = ? WHERE asked = 5", "[0, 0]", "the end of request 5"),
        ("UPDATE replied SET why = ? WHERE asked = 5", b"so", "the end of request 5"),
        ("UPDATE replied SET seconds = ? WHERE asked = 5", -3.0, "the end of request 5"),
    ],
)
def test_rows_hold_what_ordain_writes(with_statement, statement, value, what):
    assert what in refusal(with_statement(statement, value))


def test_a_list_must_have_a_place_for_each_of_its_items(with_statement):
    longer = "(SELECT number FROM asked WHERE shown LIKE '%,%,%' LIMIT 1)"
    refusal(with_statement(f"UPDATE replied SET answer = ? WHERE asked = {longer}", "1.0"))
    with Run.look(with_statement(f"UPDATE replied SET answer = ? WHERE asked = {longer}", "[0, null, 1.5, 1]")) as run:
        assert run.outcome()


def test_other_columns_of_an_item_are_text_from_the_start(tmp_path):
    with pytest.raises(ValueError, match=r"'size' of the item 'a' must be text or None\. Got 3"):
        Run.create(tmp_path / "some.run", [Item("a", "x", {"size": 3}), Item("b", "y")], "Which?")
    assert list(tmp_path.iterdir()) == []


def test_who_looks_while_another_adds_sees_the_run_as_it_was_at_one_moment(tmp_path):
    """Items, a plan of them and a question about them that come between two looks are no damage."""
    with Run.create(tmp_path / "some.run", ITEMS[:4], "Which?") as run, closing(looked_at(run.store.path)) as looks:

        def meanwhile(statement):
            if "FROM decisions" in statement and run.n == 4:
                run.store.add_items(ITEMS[4:6])
                run.store.add_plan(Plan("again", 6, 0).settings)
                run.store.record(Asked((1, (0, 5), 0), 0, "judge"), Replied(ANSWER, 1.0)).result()

        looks.set_trace_callback(meanwhile)
        found = Store(run.store.path, looks)
        check_run(found)
        assert (run.n, len(found.items), found.plans, found.entries) == (6, 4, [], [])
