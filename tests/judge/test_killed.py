"""`kill -9` and Ctrl-C: what was acknowledged is there, what was answered is not paid again, and the order is the same.

The long form, with more than 200 kills, is benchmarks/judge_kills.py.
"""

import random
import signal
import time

import pytest
from judge.killing import (
    CONCURRENCY,
    Judging,
    at_terminal,
    endpoint,
    killed,
    ordain_here,
    paid_again,
    replies,
    rows,
    unanswered,
    wait_until_all_are_out,
)


@pytest.mark.parametrize("how", [("--guarantee",), ("--list", "4")], ids=["pairs", "lists"])
def test_nothing_acknowledged_is_lost_nor_paid_again_by_kills(tmp_path, how):
    draw = random.Random(len(how))
    folder, calm = tmp_path / "killed", tmp_path / "calm"
    folder.mkdir()
    calm.mkdir()
    with endpoint(tmp_path, 0.02) as (url, log):
        judging = Judging(folder, url, 40, how)
        kills = [killed(judging, draw.randint(1, 25), draw.random() / 20) for _ in range(3)]
        ended = judging.ended_here()
        assert ended.returncode == 0, ended.stderr
        assert paid_again(judging.run, log) == 0
        many = len(log.read_text().splitlines())
        undisturbed = Judging(calm, url, 40, how)
        assert undisturbed.ended_here().returncode == 0
        assert len(log.read_text().splitlines()) - many == len(replies(undisturbed.run)) == len(replies(judging.run))
    for kill in kills:
        assert kill.acknowledged >= 1
        assert kill.lost == 0
        assert kill.uncertain <= CONCURRENCY
        assert kill.listed
    assert sum(kill.uncertain for kill in kills) > 0
    assert judging.order() == undisturbed.order()
    assert rows(judging.run, "SELECT number FROM asked GROUP BY plan, shown, time HAVING count(*) > 4") == []


def test_status_lists_what_is_uncertain_and_skip_makes_it_ties(tmp_path):
    with endpoint(tmp_path, 0.02) as (url, log):
        judging = Judging(tmp_path, url, 24)
        with judging.started() as process:
            hold = wait_until_all_are_out(judging, process)
            process.kill()
            process.wait()
        hold.unlink()
        told = ordain_here("status", "ideas.run", folder=tmp_path).stdout
        assert f"{CONCURRENCY} requests were sent and are not answered" in told
        assert told.count("attempt 0") == CONCURRENCY
        left = unanswered(judging.run)
        assert judging.ended_here("--on-uncertain", "skip").returncode == 0
        ends = dict(rows(judging.run, "SELECT asked, outcome || answer FROM replied"))
        assert {ends[number] for number in left} == {"skipped0.5"}
        assert paid_again(judging.run, log) == 0


def test_who_is_asked_about_what_is_uncertain_needs_a_terminal_and_may_say_no(tmp_path):
    with endpoint(tmp_path, 0.02) as (url, log):
        judging = Judging(tmp_path, url, 12)
        with judging.started() as process:
            hold = wait_until_all_are_out(judging, process)
            process.kill()
            process.wait()
        hold.unlink()
        many = len(unanswered(judging.run))
        told = ordain_here("judge", "--run", "ideas.run", folder=tmp_path).stdout
        assert f"{many} requests were sent and never answered, as far as is known." in told
        ask = (*judging.arguments, "--on-uncertain", "ask")
        ended = ordain_here(*ask, folder=tmp_path)
        assert ended.returncode == 2
        assert "--on-uncertain ask needs a terminal. There is none. Say retry or skip." in ended.stderr
        assert len(unanswered(judging.run)) == many
        code, said = at_terminal("n\n", *ask, folder=tmp_path)
        assert code == 0
        assert f"{many} requests were sent and never answered. Ask them again?" in said
        assert rows(judging.run, "SELECT count(*) FROM replied WHERE outcome = 'skipped'") == [(many,)]
        assert paid_again(judging.run, log) == 0


def test_control_c_keeps_what_is_out_and_the_same_command_goes_on(tmp_path):
    with endpoint(tmp_path, 0.02) as (url, log):
        judging = Judging(tmp_path, url, 24)
        with judging.started() as process:
            hold = wait_until_all_are_out(judging, process)
            process.send_signal(signal.SIGINT)
            hold.unlink()
            said = process.communicate(timeout=300)[1]
        assert process.returncode == 130
        assert "the same command goes on" in said.splitlines()[-1]
        assert "Traceback" not in said
        assert unanswered(judging.run) == set()  # those that were out were awaited
        assert len(log.read_text().splitlines()) == len(replies(judging.run)) > 1
        assert not judging.run.with_name("ideas.run-lock").exists()
        assert judging.ended_here().returncode == 0
        assert paid_again(judging.run, log) == 0
        assert len(log.read_text().splitlines()) == len(replies(judging.run))


def test_a_second_control_c_leaves_at_once(tmp_path):
    with endpoint(tmp_path, 3600.0) as (url, log):
        judging = Judging(tmp_path, url, 30)
        with judging.started() as process:
            while not log.exists() or len(log.read_text().splitlines()) < CONCURRENCY:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=300)[1]
        assert process.returncode == 130
        assert "Traceback" not in said
        assert len(unanswered(judging.run)) == judging.status()["requests"] == CONCURRENCY
