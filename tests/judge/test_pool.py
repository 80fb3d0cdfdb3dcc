"""Questions asked side by side: no more than so many at a time, and what is out when something fails is kept."""

import asyncio
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordain.judge.pool import Pool, Stopped
from ordain.preference import Spent
from ordain.preference.awaited import Loop


@pytest.fixture(scope="module")
def loop():
    with Loop() as awaited:
        yield awaited.started()


class Judge:
    """Answers n with 10 n after a while; counts how many are in at once, and what was begun and answered."""

    def __init__(self, seconds=lambda _: 0.0, wrong=()):
        self.seconds, self.wrong = seconds, dict(wrong)
        self.inside = self.most = 0
        self.begun, self.answered = [], []

    async def __call__(self, key):
        self.begun.append(key)
        self.inside += 1
        self.most = max(self.most, self.inside)
        await asyncio.sleep(self.seconds(key))
        self.inside -= 1
        if key in self.wrong:
            raise self.wrong[key]
        self.answered.append(key)
        return 10 * key


@given(width=st.integers(1, 9), slow=st.lists(st.sampled_from([0.0, 0.001, 0.003]), max_size=20))
def test_every_question_is_answered_once_and_no_more_are_out_than_may_be(loop, width, slow):
    judge = Judge(slow.__getitem__)
    came = list(Pool(loop, width).answers(judge, range(len(slow))))
    assert sorted(came) == [(place, 10 * place) for place in range(len(slow))]
    assert sorted(judge.begun) == list(range(len(slow)))
    assert judge.most <= width


@pytest.mark.parametrize("width", [1, 2, 7])
def test_as_many_are_out_as_may_be(loop, width):
    judge = Judge(lambda key: 0.3)
    list(Pool(loop, width).answers(judge, range(width)))
    assert judge.most == width


def test_answers_come_as_they_arrive(loop):
    judge = Judge([0.2, 0.0, 0.05].__getitem__)
    assert [place for place, _ in Pool(loop, 3).answers(judge, range(3))] == [1, 2, 0]


@pytest.mark.parametrize("wrong", [0, 3, 7])
def test_one_error_lets_those_that_are_out_finish_and_begins_no_more(loop, wrong):
    judge = Judge(lambda key: 0.3 if key == wrong else 0.6, {wrong: OSError("broken")})
    came = []
    with pytest.raises(OSError, match="broken"):
        for one in Pool(loop, 8).answers(judge, range(100)):
            came.append(one)
    assert judge.begun == list(range(8))
    assert sorted(came) == [(key, 10 * key) for key in range(8) if key != wrong]


def test_the_end_of_the_budget_does_not_hide_a_fault_that_came_after_it(loop):
    judge = Judge([0.3, 0.6].__getitem__, {0: Spent(), 1: OSError("the disk is full")})
    with pytest.raises(OSError, match="full"):
        list(Pool(loop, 2).answers(judge, range(2)))


def waiting(pool, seconds, errors):
    """A judge of whom question 0 fails and the others wait to be asked again."""

    async def ask(key):
        if key == 0:
            await asyncio.sleep(0.3)
            raise errors
        await pool.pause(seconds)
        return key

    return ask


@pytest.mark.parametrize("error", [Stopped("401"), Spent()], ids=["refused", "spent"])
def test_who_waits_an_hour_to_ask_again_does_not_hold_up_an_error_of_another(loop, error):
    pool = Pool(loop, 4)
    begun = time.monotonic()
    with pytest.raises(type(error)) as raised:
        list(pool.answers(waiting(pool, 3600, error), range(9)))
    assert raised.value is error
    assert time.monotonic() - begun < 1800


def test_a_pool_can_be_asked_again_after_an_error(loop):
    pool = Pool(loop, 2)
    with pytest.raises(Spent):
        list(pool.answers(Judge(wrong={1: Spent()}), range(4)))
    assert len(list(pool.answers(Judge(), range(4)))) == 4


def test_nothing_is_asked_again_once_it_stops(loop):
    """Also where there is nothing to wait for: a reply that could not be read is not asked for anew."""
    pool = Pool(loop, 2)
    asked = []

    async def ask(key):
        await asyncio.sleep(0.3 + 0.3 * key)
        if key == 0:
            raise Stopped("no")
        await pool.pause(0)
        asked.append(key)

    with pytest.raises(Stopped, match=r"^no$"):
        list(pool.answers(ask, range(2)))
    assert asked == []


def test_a_pause_lasts_as_long_as_it_should(loop):
    pool = Pool(loop, 1)
    begun = time.monotonic()
    asyncio.run_coroutine_threadsafe(pool.pause(0.45), loop).result()
    assert time.monotonic() - begun >= 0.45
    asyncio.run_coroutine_threadsafe(pool.pause(-1), loop).result()


def interrupted_by(where, pool, judge):
    """Ctrl-C comes while an answer is waited for, or while one is worked on."""
    with pytest.raises(KeyboardInterrupt), pool:
        for _ in pool.answers(judge, range(50)):
            if where == "working":
                raise KeyboardInterrupt


def test_an_interruption_outside_waits_for_what_is_out(loop):
    """The one who works on an answer is interrupted, and nobody has closed the generator yet."""
    told = []
    judge = Judge(lambda key: 0.3 if key == 0 else 0.6)
    interrupted_by("working", Pool(loop, 4, lambda: told.append(len(judge.answered))), judge)
    assert sorted(judge.answered) == sorted(judge.begun) and 4 <= len(judge.begun) <= 5
    assert told and told[0] < len(judge.answered)


def test_a_second_interruption_leaves_at_once(loop, monkeypatch):
    judge = Judge(lambda key: 3600.0)
    calls = []

    def wait(workers, seconds):
        calls.append(len(workers))
        raise KeyboardInterrupt

    monkeypatch.setattr("ordain.judge.pool._next", lambda came: wait((), 0))
    monkeypatch.setattr("ordain.judge.pool.wait", wait)
    interrupted_by("waiting", Pool(loop, 4), judge)
    assert calls == [0, 4]

    async def left():
        return asyncio.all_tasks() - {asyncio.current_task()}

    while asyncio.run_coroutine_threadsafe(left(), loop).result():
        time.sleep(0.01)
    assert judge.answered == []  # what was out is given up, not answered into the void


def test_a_generator_that_is_given_up_leaves_nothing_out(loop):
    before = threading.active_count()
    judge = Judge(lambda key: 0.3 if key == 0 else 0.6)
    answers = Pool(loop, 3).answers(judge, range(30))
    next(answers)
    answers.close()
    assert sorted(judge.answered) == sorted(judge.begun)
    assert len(judge.begun) <= 4
    assert threading.active_count() <= before + 3
