"""Pairs that people are handed: who gets which, what becomes of corrections, and what a killed server loses: nothing.

The long form, with fifty people and ten thousand votes, is benchmarks/judge_people.py.
"""

import asyncio
import csv
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from judge.simulated_people import Habits, Server, Tab, found_in, judged

from ordain.judge import people as module
from ordain.judge.checking import check_of
from ordain.judge.exported import votes_in
from ordain.judge.for_people import PEOPLE, shown_of, work_of
from ordain.judge.judged_items import Item
from ordain.judge.people import People
from ordain.judge.people_summary import PeopleSummary, median_of
from ordain.judge.person import LEASE
from ordain.judge.preparing import Typed
from ordain.judge.run import Run
from ordain.judge.shown_state import state_of
from ordain.judge.spending import Spending
from ordain.judge.wanted import PAIRS, Wanted

NAMES = ["ANA", "BEN", "CLEO"]


@contextmanager
def team(folder, n=14, names=NAMES, overlap=0.0, budget=None):
    """People around a run in a folder, begun or gone on with."""
    path = folder / "items.run"
    with Run.open(path) if path.exists() else Run.create(path, [f"item {k}" for k in range(n)], "Which?") as run:
        *audit, number = run.prepared(Wanted(None, PAIRS, budget=budget or 6 * n))
        people = People(run, number, audit[0] if audit else None, names, overlap).start()
        try:
            yield people
        finally:
            people.stop()
        assert people.ranker.failed is None


def larger(key):
    """What an honest person says."""
    return "left" if key[1][0] > key[1][1] else "right"


def next_of(people, name):
    """The next pair, waited for while the ranker thinks; None when nothing comes."""
    end = time.monotonic() + 300
    while (key := people.next(name)) is None and people.ranker.thinking and time.monotonic() < end:
        time.sleep(0.002)
    return key


def work(people, names=None, *, say=larger, most=10_000):
    """Let people answer in turn until nothing is left for them; what each was shown."""
    shown, names = Counter(), names or list(people.people)
    waiting = 0
    while waiting < len(names) and shown.total() < most:
        for name in names:
            key = next_of(people, name)
            waiting = waiting + 1 if key is None else 0
            if key is not None and shown.total() < most:
                shown[name, frozenset(key[1])] += 1
                people.vote(name, key, say(key), 1.0)
    return shown


def judges_of(people):
    """The judges of each pair, by what is in the run."""
    found = {}
    for entry in people.run.store.entries:
        if entry.replied and entry.replied.outcome == "answer":
            found.setdefault(frozenset(entry.asked.key[1]), set()).add(entry.asked.who)
    return found


@pytest.mark.parametrize("names", [["ANA"], NAMES], ids=["one", "three"])
@pytest.mark.parametrize("overlap", [0.0, 0.3])
def test_everything_is_asked_once_and_the_progress_adds_up(tmp_path, names, overlap):
    with team(tmp_path, names=names, overlap=overlap) as people:
        shown = work(people)
        judges = judges_of(people)
        assert max(shown.values()) == 1  # nobody sees a pair twice
        assert people.done
        assert all(people.ready(name) for name in names)
        assert people.answered == people.total == len(people.run.store.entries) == shown.total()
        least = 84 if len(names) == 1 else 76  # what is asked ahead may save a few
        assert least <= len(judges) <= 84 < 14 * 13 / 2  # 6 n, and not all pairs
        twice = sum(len(of) == 2 for of in judges.values())
        if overlap and len(names) > 1:
            assert 5 <= twice <= 40
        else:
            assert twice == 0
        assert people.run.outcome().ids[0] == "14"


def test_a_share_of_the_pairs_is_judged_by_two_and_none_by_three(tmp_path):
    with team(tmp_path, n=100, overlap=0.1) as people:
        work(people)
        many = Counter(map(len, judges_of(people).values()))
        assert many.keys() == {1, 2}
        share = many[2] / many.total()
        assert 0.1 - 4 * (0.09 / 600) ** 0.5 < share < 0.1 + 4 * (0.09 / 600) ** 0.5
        assert people.answered == people.total
    with team(tmp_path, n=100, overlap=0.1) as people:  # the lot falls the same again: nothing is left
        assert work(people) == {}
        assert people.done


def test_the_audit_is_spread_over_the_answers(tmp_path):
    with team(tmp_path, n=60, names=["ANA"]) as people:
        work(people)
        plans = [entry.asked.key[0] for entry in people.run.store.entries]
        places = np.flatnonzero(np.array(plans) == 1) / len(plans)
        assert len(places) == 20
        assert places.min() < 0.3 < 0.6 < places.max()


def test_what_one_looks_at_no_other_gets_until_the_tab_is_closed_or_silent(tmp_path, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    with team(tmp_path, names=["ANA", "BEN"]) as people:
        deadline = time.time() + 300
        while (first := people.next("ANA")) is None and time.time() < deadline:
            time.sleep(0.01)
        seen = {people.next("BEN")}
        assert first not in seen
        assert people.next("ANA") == first  # it is still hers
        people.leave("ANA")
        got = _all_offered(people, "BEN")
        assert frozenset(first[1]) in got
        people.vote("ANA", first, "left", 1.0)
        key = people.next("ANA")
        clock[0] += LEASE - 1
        people.here("ANA")
        clock[0] += LEASE - 1
        assert frozenset(key[1]) not in _all_offered(people, "BEN")
        clock[0] += 2
        assert frozenset(key[1]) in _all_offered(people, "BEN")


def _all_offered(people, name):
    """Every pair that someone is offered, if they skip them all, and nothing is written."""
    person, found = people.people[name], set()
    before, kept = set(person.skipped), people._pass_over
    people._pass_over, person.lease = lambda person: None, None
    while (key := people.next(name)) is not None and len(found) < 200:
        found.add(frozenset(key[1]))
        person.skipped.add(frozenset(key[1]))
        person.lease = None
    person.skipped, people._pass_over = before, kept
    return found


def test_a_late_vote_is_kept_beside_the_other_and_counts_once(tmp_path):
    with team(tmp_path, names=["ANA", "BEN"]) as people:
        key = next_of(people, "ANA")
        people.leave("ANA")
        while next_of(people, "BEN") != key:
            people.vote("BEN", people.next("BEN"), "left", 1.0)
        people.vote("BEN", key, "left", 1.0)
        for _ in range(3):
            people.vote("ANA", key, "right", 1.0)  # sent again and again
        assert judges_of(people)[frozenset(key[1])] == {"ANA", "BEN"}
        assert people.given("BEN", key) == 1.0
        mine = [one for one in people.run.store.entries if one.asked.who == "ANA"]
        assert [(one.asked.key[1], one.replied.answer) for one in mine] == [(key[1], 0.0)]
        people.vote("ANA", key, "tie", 1.0)  # and corrects hers, not his
        assert people.given("BEN", key) == 1.0
        assert [one.replied.answer for one in people.run.store.entries if one.asked.who == "ANA"] == [0.0, 0.5]


def test_corrections_of_any_pair_in_several_steps(tmp_path):
    with team(tmp_path, names=["ANA", "BEN"], overlap=0.3) as people:
        wrong = lambda key: {"left": "right", "right": "left"}[larger(key)]  # noqa: E731
        work(people, say=wrong, most=70)
        assert people.run.outcome().ids[0] != "14"
        for name in people.people:
            key, steps = None, 0
            while (key := people.before(name, key)) is not None:
                people.vote(name, key, larger(key), 1.0)
                people.vote(name, key, larger(key), 1.0)  # resent
                steps += 1
            assert steps == len(people.people[name].answered) == 35
        assert people.answered == 70
        assert len(people.run.store.entries) == 140
        work(people)
        assert people.done
        assert people.answered == people.total
        order = [int(one) for one in people.run.outcome().ids]
        assert sum(later > first for first, later in combinations(order, 2)) <= 3  # pairs of the audit tell nothing
        kinds = {people.run.plans[one.asked.key[0] - 1].ranker for one in people.run.store.entries if one.asked.attempt}
        assert {"window", "audit", "overlap"} <= kinds


def test_a_correction_after_the_end_reruns_the_ranker_and_asks_no_more_than_the_budget(tmp_path):
    with team(tmp_path, n=20, names=["ANA"], budget=60) as people:
        work(people)
        assert people.done
        key = next(key for key in people.people["ANA"].answered if key[0] == people.number)
        for answer in ("left", "right", "tie"):
            people.look_back("ANA")
            assert not people.done  # it is waited for
            people.vote("ANA", key, answer, 1.0)
        assert people.given("ANA", key) == 0.5
        work(people)
        deadline = time.monotonic() + 300
        while not people.done and time.monotonic() < deadline:
            time.sleep(0.01)
        assert people.done
        assert people.answered == people.total == 60
        assert dict(people.run.store.answered(people.number))[key[1]] == 0.5
    with team(tmp_path, n=20, names=["ANA"], budget=60) as people:
        assert work(people) == {}
        assert people.given("ANA", key) == 0.5


def test_answers_that_a_corrected_ranker_no_longer_asks_stay_in_the_fit(tmp_path):
    with team(tmp_path, n=40, names=["ANA"]) as people:
        work(people, most=150)
        for key in list(people.people["ANA"].answered)[:25]:
            people.vote("ANA", key, "right" if people.given("ANA", key) else "left", 1.0)
        shown = work(people)
        assert max(shown.values()) == 1
        assert people.answered == people.total == 240
        said = [question for question, _ in people.run.outcome().said]
        mine = [key[1] for key in people.people["ANA"].answered if key[0] == people.number]
        assert len(mine) == 240 - 20  # all but the audit
        assert set(mine) <= set(said)  # asked for still or not


def test_a_skip_shows_another_and_what_all_skip_is_given_up(tmp_path):
    with team(tmp_path, names=["ANA", "BEN"]) as people:
        skipped = next_of(people, "ANA")
        people.next("BEN")
        people.skip("ANA", skipped)
        assert people.next("ANA") != skipped
        assert people.run.store.answer(skipped) is None  # BEN may judge it
        people.skip("BEN", skipped)
        deadline = time.monotonic() + 300
        while people.run.store.answer(skipped) is None and time.monotonic() < deadline:
            time.sleep(0.01)
        work(people)
        assert people.done
        assert frozenset(skipped[1]) not in judges_of(people)
        assert people.answered == people.total
        assert all(frozenset(question) != frozenset(skipped[1]) for question, _ in people.run.outcome().said)
        people.vote("ANA", skipped, "tie", 1.0)  # after all
        assert judges_of(people)[frozenset(skipped[1])] == {"ANA"}


def test_what_all_pass_over_is_counted_and_who_was_not_timed_has_no_median(tmp_path):
    with team(tmp_path, names=["ANA", "BEN"]) as people:
        skipped = next_of(people, "ANA")
        people.next("BEN")
        people.skip("ANA", skipped)
        people.skip("BEN", skipped)
        while (key := next_of(people, "ANA")) is not None:
            people.vote("ANA", key, larger(key), None)
        run = people.run
        summary = PeopleSummary(run, run.outcome(), Spending().recall(run.store.entries))
        assert summary.passed == 1
        said = summary.sentences()
        assert "1 pair was passed over by everybody." in said
        (ana,) = summary.judges
        assert ana.seconds is None
        assert summary.as_json()["people"][0]["seconds"] is None
        assert not any("median" in sentence for sentence in said)


def test_twenty_people_are_named_and_more_are_counted(tmp_path):
    names = [f"P{number:02}" for number in range(22)]
    with team(tmp_path, names=names) as people:
        work(people)
        run = people.run
        summary = PeopleSummary(run, run.outcome(), Spending().recall(run.store.entries))
        said = summary.sentences()
        assert "2 more people judged; --json tells of all." in said
        assert [name for name in names if any(sentence.startswith(f"{name}: ") for sentence in said)] == names[:20]
        assert len(summary.as_json()["people"]) == 22


def test_the_answers_of_a_model_that_people_check_are_not_counted_as_theirs(tmp_path):
    items = [Item(str(k), f"item {k}") for k in range(20)]
    with Run.create(tmp_path / "m.run", items, "Which?") as run:
        run.rank(order=lambda some: sorted(some, key=lambda item: -int(item.id)), who="model")
    typed = Typed(run=str(tmp_path / "m.run"), check_count=6)
    for before in (0, 6):  # the same command goes on with the same pairs
        given = work_of(typed, shown_of(typed))
        with given.run as run:
            people = People(run, given.number, given.audit, ["ANA"], 0.0).start()
            assert (people.answered, people.total) == (before, 6)
            work(people)
            people.stop()
            check = check_of(run, given.number, run.outcome().order)
            assert (check.by_lot.of + check.late.of, check.by_lot.value) == (6, 1)


def test_people_put_new_items_into_an_order_and_a_refusal_lets_go_of_the_run(tmp_path):
    with team(tmp_path, n=20, names=["ANA"]) as people:
        work(people)
    (tmp_path / "more.txt").write_text("item 30\nitem 31")
    typed = Typed(run=str(tmp_path / "items.run"), items=str(tmp_path / "more.txt"), add=True)
    shown = shown_of(typed)
    clashing = replace(shown, items=[Item("3", "item 30")])
    with pytest.raises(ValueError, match="'3'"):
        work_of(typed, clashing)
    items = [Item(f"new {one.id}", one.text) for one in shown.items]
    new = replace(shown, items=items, pictures={1: (b"", "image/png")})
    given = work_of(typed, new)
    with given.run as run:
        assert given.pictures == {21: (b"", "image/png")}
        people = People(run, given.number, given.audit, ["ANA"], 0.0).start()
        work(people)
        people.stop()
        assert sorted(run.outcome().ids[:2]) == ["new 1", "new 2"]


def test_with_one_person_everything_can_be_skipped(tmp_path):
    with team(tmp_path, names=["ANA"]) as people:
        while (key := next_of(people, "ANA")) is not None:
            people.skip("ANA", key)
        assert people.done
        assert judges_of(people) == {}


def test_a_person_who_never_comes_keeps_nobody_waiting(tmp_path):
    with team(tmp_path, names=["ANA", "BEN"]) as people:
        key = next_of(people, "ANA")
        people.skip("ANA", key)
        work(people, ["ANA"])
        assert people.done


def test_stopping_ends_ones_part_and_with_the_last_the_whole(tmp_path):
    with team(tmp_path, names=["ANA", "BEN"]) as people:
        next_of(people, "ANA")
        people.people["ANA"].stopped = True
        assert state_of(people, "ANA", None, frozenset())["phase"] == "stopped"
        assert not people.done
        assert state_of(people, "BEN", None, frozenset())["phase"] == "judging"
        people.people["BEN"].stopped = True
        assert people.done


def test_the_summary_tells_of_people(tmp_path):
    draw, names = random.Random(0), [*NAMES, "DAN", "EVE"]
    with team(tmp_path, n=40, names=names, overlap=0.2) as people:
        while any(next_of(people, name) is not None for name in names):
            for name in names:
                if (key := people.next(name)) is not None:
                    said = larger(key) if name != "CLEO" else draw.choice(["left", "right"])
                    people.vote(name, key, said, 0.1 if name == "BEN" else 2.5)
        run = people.run
        summary = PeopleSummary(run, run.outcome(), Spending().recall(run.store.entries))
        told = {one.name: one for one in summary.judges}
        assert [told[name].answers for name in names] == [len(people.people[name].answered) for name in names]
        assert min(told[name].agreement.value for name in names if name != "CLEO") > told["CLEO"].agreement.value
        assert (told["BEN"].fast, told["ANA"].fast) == (told["BEN"].answers, 0)
        assert told["ANA"].seconds.value == 2.5
        mine = [one.replied.answer for one in run.store.entries if one.asked.who == "CLEO"]
        assert told["CLEO"].left.value == np.mean(mine)
        assert summary.two_people.of == sum(len(of) == 2 for of in judges_of(people).values())
        assert summary.two_people.value == pytest.approx(_agreement(run))
        said = " ".join(summary.sentences())
        assert "request" not in said
        assert f"{len(run.store.entries)} answers by 5 people" in said
        assert "(window)" in said
        data = json.loads(json.dumps(summary.as_json()))
        assert data["answers"] == len(run.store.entries)
        assert {one["judge"] for one in data["people"]} == set(names) == {vote["judge"] for vote in votes_in(run.store)}


def _agreement(run):
    """How often the two who judged a pair said the same, from the entries alone."""
    found = {}
    for entry in run.store.entries:
        pair = tuple(sorted(entry.asked.key[1]))
        won = entry.asked.key[1][0 if entry.replied.answer == 1 else 1]
        found.setdefault(pair, []).append(won)
    both = [won for won in found.values() if len(won) == 2]
    return sum(first == second for first, second in both) / len(both)


@pytest.mark.parametrize("many", [5, 6, 25, 100])
def test_the_median_lies_in_its_interval_as_often_as_it_says(many):
    rng = np.random.default_rng(many)
    found = [median_of(rng.exponential(size=many).tolist()) for _ in range(2000)]
    held = [one.low is None or one.low <= np.log(2) <= one.high for one in found]
    assert np.mean(held) > 0.935
    assert (found[0].low is None) == (many == 5)


def test_a_kill_loses_nothing_and_counts_nothing_twice(tmp_path):
    habits = Habits(thought=0.05, leave=0.03, vanish=0.03, cut=0.05, resend=0.1, skip=0.01, correct=0.01, away=0.2)
    server = Server(tmp_path, 50, [f"P{number}" for number in range(8)])
    try:
        people = asyncio.run(judged(server, habits, kills=(120,)))
        said, code = server.ended(90)
    finally:
        server.close()
    found = found_in(server.run, people)
    assert (found.lost, found.double) == (0, 0)
    assert found.votes >= 290
    assert found.kept == found.votes - sum(one.corrected for one in people)
    assert max(one.state["progress"]["answered"] for one in people) >= found.kept
    assert code == 0, said
    assert "answers by 8 people" in said
    with open(tmp_path / "order.csv", newline="") as file:
        ranks = [int(row["id"]) for row in csv.DictReader(file)]
    wrong = sum(later > first for first, later in combinations(ranks, 2))
    assert wrong < 0.2 * 50 * 49 / 2


def test_control_c_writes_the_result_and_the_links_stay_the_same(tmp_path):
    server = Server(tmp_path, 12, ["ANA", "BEN"])
    try:
        links = server.start()
        people = asyncio.run(_some_votes(links, 5))
        server.process.send_signal(signal.SIGINT)
        said, code = server.ended()
        assert code == 0
        assert "5 answers by 1 people" in said or "5 answers" in said
        assert "Traceback" not in said
        assert (tmp_path / "order.csv").exists()
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", server.port))
            taken.listen()
            refused = subprocess.run(server.command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert refused.returncode == 2
        assert len(refused.stderr.strip().splitlines()) == 1
        assert "--port" in refused.stderr
        assert server.start() == links
        again = asyncio.run(_resent(links["ANA"], people))
        assert again["progress"]["answered"] == 5  # what is sent again counts once, also after a restart
        stopped = [asyncio.run(_stop(link)) for link in links.values()]
        assert [state["phase"] for state in stopped] == ["stopped", "stopped"]
        assert server.ended()[1] == 0
    finally:
        server.close()


def test_a_full_disk_is_told_on_the_page_and_ends_the_command_in_one_line(tmp_path, monkeypatch):
    """A limit on the size of files does as a full disk does; what is kept before is in the order."""
    resource = pytest.importorskip("resource")
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # the limit holds for figures of coverage too
    server = Server(tmp_path, 12, ["ANA", "BEN"])
    try:
        links = server.start()
        room = (tmp_path / "ideas.run-wal").stat().st_size + 40_000
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (room, room))
        kept, status, data = asyncio.run(_votes_until_refused(links["ANA"]))
        assert status == 507
        assert b"must be writable" in data and b"start the command again" in data
        assert [asyncio.run(_stop(link))["phase"] for link in links.values()] == ["stopped", "stopped"]
        said, code = server.ended()
        assert code == 1
        assert said.splitlines()[-1].startswith("ordain: the run ideas.run must be writable.")
        assert "Traceback" not in said
        with open(tmp_path / "order.csv", newline="") as file:
            assert sum(int(row["wins"]) for row in csv.DictReader(file)) == kept > 0
        assert asyncio.run(_answered(server.start()["ANA"])) == kept
    finally:
        server.close()


async def _votes_until_refused(link):
    """How many votes were kept, and what is answered to the first that was not."""
    tab, kept = await _joined(link), 0
    status, _, data = await tab.request("GET", "/api/state")
    while status == 200:
        key = json.loads(data)["pair"]["key"]
        status, _, data = await tab.request("POST", "/api/vote", {"key": key, "answer": "left", "seconds": 1.0})
        kept += status == 200
    tab.close()
    return kept, status, data


async def _answered(link):
    tab = await _joined(link)
    found = json.loads((await tab.request("GET", "/api/state"))[2])["progress"]["answered"]
    tab.close()
    return found


REFUSED = {
    "names that are the same": (["--ask", "Which?", "--share", "ANA,BEN,ANA"], "--share must be different names"),
    "no name": (["--ask", "Which?", "--share", "ANA,"], "--share must be different names"),
    "every address": (["--ask", "Which?", "--host", "0.0.0.0"], "--host must be one address of this machine"),
    "another machine": (["--ask", "Which?", "--host", "192.0.2.1"], "192.0.2.1"),
    "more than all": (["--ask", "Which?", "--share", "ANA,BEN", "--overlap", "1.1"], "--overlap must be a share"),
    "no question": ([], "--ask must say what to judge by"),
    "no pairs": (["--run", "made.run", "--check", "0"], "--check must be the number of pairs to show, 1 or more"),
    "no answers": (["--run", "made.run", "--check", "5"], "the run made.run must have answers to check"),
    "another question": (["--run", "made.run", "--ask", "Which not?"], "The question changed"),
}


@pytest.mark.parametrize(("options", "says"), REFUSED.values(), ids=REFUSED)
def test_what_people_cannot_be_asked_is_refused_in_one_line(run, tmp_path, options, says):
    (tmp_path / "ideas.txt").write_text("one\ntwo\nthree")
    items = [Item(str(k), text) for k, text in enumerate(["one", "two", "three"], 1)]
    Run.create("made.run", items, "Which?", judge=PEOPLE).close()
    code, _, err = run("judge", "ideas.txt", "--no-browser", *options)
    assert code == 2
    assert says in err
    assert err.count("\n") == 1
    assert not (tmp_path / "made.run-lock").exists()  # nobody holds it any more


def test_where_one_person_judges_the_page_opens_in_their_browser(tmp_path):
    (tmp_path / "browser").write_text('#!/bin/sh\necho "$1" > opened.part\nmv opened.part opened\n')
    (tmp_path / "browser").chmod(0o700)
    (tmp_path / "ideas.txt").write_text("one\ntwo\nthree")
    command = [sys.executable, "-u", "-m", "ordain", "judge", "ideas.txt", "--ask", "Which?", "--host", "localhost"]
    known = os.environ | {"BROWSER": f"{tmp_path}/browser %s"}
    with subprocess.Popen(command, cwd=tmp_path, env=known, stdout=subprocess.PIPE, text=True) as process:
        link = next(line for line in process.stdout if line.startswith("Judge at ")).split()[-1]
        while not (tmp_path / "opened").exists():
            assert process.poll() is None
            time.sleep(0.01)
        assert asyncio.run(_stop(link))["phase"] == "stopped"
        process.communicate(timeout=300)
    assert process.returncode == 0
    assert (tmp_path / "opened").read_text() == f"{link}\n"
    assert link.startswith("http://localhost:")


def test_a_page_that_others_reach_says_that_all_can_read_it(tmp_path):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # sends nothing, and tells by which address one would
        except OSError:
            pytest.skip("this machine has no address by which others reach it")
        address = asking.getsockname()[0]
    server = Server(tmp_path, 12, ["ANA"], ("--host", address))
    with subprocess.Popen(server.command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        _, warned, told, _ = (process.stdout.readline() for _ in range(4))
        assert asyncio.run(_stop(told.split()[-1]))["phase"] == "stopped"
        process.communicate(timeout=300)
    assert process.returncode == 0
    assert warned.startswith(f"{address} is reached by others, over plain HTTP: ")
    assert told.startswith(f"Judge at http://{address}:{server.port}/join/")


async def _joined(link):
    tab = Tab(link)
    tab.cookie = (await tab.request("GET", "/" + tab.path))[1]["set-cookie"].partition(";")[0]
    return tab


async def _some_votes(links, many):
    """ANA votes; the bodies that were sent, and one more pair that she was shown."""
    tab, sent = await _joined(links["ANA"]), []
    state = json.loads((await tab.request("GET", "/api/state"))[2])
    for _ in range(many):
        sent.append({"key": state["pair"]["key"], "answer": "left", "seconds": 1.0})
        state = json.loads((await tab.request("POST", "/api/vote", sent[-1]))[2])
    tab.close()
    return sent


async def _resent(link, sent):
    tab = await _joined(link)
    for body in sent:
        status, _, data = await tab.request("POST", "/api/vote", body)
        assert status == 200
    tab.close()
    return json.loads(data)


async def _stop(link):
    tab = await _joined(link)
    found = json.loads((await tab.request("POST", "/api/stop", {}))[2])
    tab.close()
    return found
