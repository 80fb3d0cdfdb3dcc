"""What a run remembers: as it was written, before it is used, and nothing new once it cannot be written."""

import os
import shutil
import signal
import subprocess
import threading
import time
from contextlib import closing, contextmanager

import numpy as np
import pytest
from disks import small_disk
from hypothesis import given, settings
from hypothesis import strategies as st
from judge.killing import CONCURRENCY, Judging, endpoint, ordain_here, paid_again, replies, rows, wait_for_replies

from ordain.judge import Item
from ordain.judge.recorded import InBatches, PlanJournal
from ordain.judge.run_file import opened
from ordain.judge.store import (
    ANSWER,
    FAULT,
    REFUSED,
    SKIPPED,
    UNREADABLE,
    UNSENT,
    Asked,
    Replied,
    StorageError,
    Store,
    made,
)

ITEMS = [Item("a", "first"), Item("b", "second"), Item("c", "third", {"more": "λ", "none": None})]
KEY = (1, (0, 1), 0)


@pytest.fixture
def store(tmp_path):
    with closing(made(tmp_path / "some.run", ITEMS, {"question": "Which?", "seed": 3})) as found:
        yield found


def reopened(store):
    """The same run as one finds it who opens it now."""
    with closing(Store(store.path, opened(store.path))) as found:
        return found


def asked(store, key=KEY, attempt=0):
    return store.intend(Asked(key, attempt, "judge")).result(10)


@contextmanager
def held(store):
    """What is written meanwhile waits, and then is written together."""
    free, failure = threading.Event(), store._failure
    store._failure = lambda jobs: (free.wait(10), failure(jobs))[1]
    first = store.intend(Asked((9, (2, 1), 0), 0, "judge"))
    while not store._waiting.empty():
        time.sleep(0.001)
    try:
        yield
    finally:
        free.set()
        first.exception(10)
        store._failure = failure


@contextmanager
def full(store):
    """No page more fits into the file: SQLite says what it says of a full disk."""
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    yield
    store._connection.execute("PRAGMA max_page_count = 1000000")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
places = st.one_of(st.just(float("nan")), st.floats(0, 30))
answers = st.one_of(st.floats(0, 1), st.lists(places, min_size=3, max_size=12).map(tuple))
counts = st.integers(0, 10**12)
ends = st.builds(
    Replied,
    st.sampled_from([ANSWER, UNREADABLE, FAULT, UNSENT, REFUSED, SKIPPED]),
    st.none() | answers,
    st.none() | st.tuples(counts, counts),
    st.none() | st.tuples(counts, counts, counts),
    st.none() | texts,
    st.none() | st.floats(0, 1e6),
)
questions = st.lists(st.integers(0, 10**6), min_size=2, max_size=12).map(tuple)
requests = st.tuples(questions, st.integers(0, 5), texts, texts, st.tuples(counts, counts), st.none() | ends, texts)


@settings(max_examples=40)
@given(given=st.lists(requests, max_size=8))
def test_what_was_written_comes_back_equal(tmp_path_factory, given):
    path = tmp_path_factory.mktemp("run") / "some.run"
    with closing(made(path, ITEMS, {"question": "Which?"})) as store:
        for number, (question, plan, who, prompt, reserved, end, raw) in enumerate(given):
            entry = store.intend(Asked((plan, question, number), 0, who, prompt, reserved)).result(10)
            if end is not None:
                store.end(entry, end, raw).result(10)
        before = store
    after = reopened(before)
    assert repr(after.entries) == repr(before.entries)  # by which NaN is NaN
    assert after.items == ITEMS and after.facts == before.facts
    assert [repr(after.answer(entry.asked.key)) for entry in after.entries] == [
        repr(None if end is None else end.answer) for *_, end, _ in given
    ]
    kept = dict(rows(path, "SELECT asked, raw FROM replied"))
    assert list(kept.values()) == [raw for *_, end, raw in given if end is not None]


def test_plans_and_decisions_come_back_and_the_first_decision_counts(store):
    assert [store.add_plan({"ranker": "audit"}), store.add_plan({"ranker": "window"})] == [1, 2]
    assert store.decide(2, "spare", 7) == 7
    assert store.decide(2, "spare", 8) == 7
    after = reopened(store)
    assert after.plans == [{"ranker": "audit"}, {"ranker": "window"}]
    assert after.decisions == {(2, "spare"): 7}


def test_of_several_attempts_the_last_with_an_answer_counts(store):
    for attempt, end in enumerate([Replied(ANSWER, 0.25), Replied(ANSWER, 1.0), Replied(FAULT), None]):
        entry = asked(store, attempt=attempt)
        assert store.uncertain == [entry]
        if end is not None:
            store.end(entry, end).result(10)
            assert store.uncertain == []
    assert store.answer(KEY) == reopened(store).answer(KEY) == 1.0
    assert [entry.number for entry in reopened(store).uncertain] == [4]
    assert store.answer((1, (1, 0), 0)) is None


def test_what_is_told_to_be_written_is_on_the_disk(store):
    """At that moment, as another connection sees it."""
    for number in range(20):
        entry = asked(store, (1, (0, 1), number))
        assert rows(store.path, "SELECT max(number) FROM asked") == [(entry.number,)]
        store.end(entry, Replied(ANSWER, 0.5)).result(10)
        assert rows(store.path, "SELECT max(asked) FROM replied") == [(entry.number,)]


def test_an_answer_is_not_seen_before_it_is_written(store):
    entry = asked(store)
    with held(store):
        done = store.end(entry, Replied(ANSWER, 1.0))
        time.sleep(0.05)
        assert not done.done() and store.answer(KEY) is None
    assert done.result(10) is entry and store.answer(KEY) == 1.0


def test_many_who_write_at_once_are_all_written_with_numbers_of_their_own(store):
    def work(who):
        for time_ in range(25):
            entry = store.intend(Asked((who, (0, 1), time_), 0, str(who))).result(10)
            store.end(entry, Replied(ANSWER, who / 100)).result(10)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = reopened(store)
    assert [entry.number for entry in after.entries] == list(range(1, 301))
    assert all(entry.replied.answer == int(entry.asked.who) / 100 for entry in after.entries)
    assert {entry.asked.key for entry in after.entries} == {
        (who, (0, 1), time_) for who in range(12) for time_ in range(25)
    }


def test_what_waits_is_committed_together(store):
    commits = []
    with held(store):
        failure = store._failure
        store._failure = lambda jobs: (commits.append(len(jobs)), failure(jobs))[1]
        done = [store.intend(Asked((1, (0, 1), number), 0, "judge")) for number in range(200)]
    for one in done:
        one.result(10)
    assert len(commits) == 1 and commits[0] >= 200  # the one that held them may be among them
    assert len(reopened(store).entries) == 201


def test_closing_writes_what_waits(store):
    entries = [asked(store, (1, (0, 1), number)) for number in range(50)]
    for entry in entries:
        store.end(entry, Replied(ANSWER, 1.0))
    store.close()
    assert len(replies(store.path)) == 50


def test_who_waits_may_be_cancelled_what_is_written_may_not(store):
    """As when a second Ctrl-C ends the loop: the others who wait must not suffer."""
    with held(store):
        done = [store.intend(Asked((1, (0, 1), number), 0, "judge")) for number in range(3)]
        assert not done[1].cancel()
    assert [one.result(10).number for one in done] == [2, 3, 4]
    assert asked(store, (2, (0, 1), 0)).number == 5


def test_a_full_disk_ends_the_asking_in_one_line(store):
    entry = asked(store)
    with full(store):
        big = store.intend(Asked((1, (0, 2), 0), 0, "x" * 100_000))
        with pytest.raises(StorageError, match=r"is full\. Nothing more is asked\. Make room") as error:
            big.result(10)
        assert "\n" not in str(error.value)
    with pytest.raises(StorageError, match="Nothing more is asked"):
        asked(store, (1, (0, 2), 1))  # though there is room again: who was told to stop is not to go on by chance
    store.end(entry, Replied(ANSWER, 1.0)).result(10)  # this one is paid
    after = reopened(store)
    assert [(one.number, one.replied.answer) for one in after.entries] == [(1, 1.0)]


def test_what_is_paid_is_kept_even_if_what_waited_with_it_cannot_be(store):
    entries = [asked(store, (1, (0, 1), number)) for number in range(3)]
    with full(store):
        with held(store):
            ends = [
                store.end(entry, Replied(ANSWER, 0.75), raw="x" * 100_000 * (entry.number == 2)) for entry in entries
            ]
            begun = store.intend(Asked((1, (1, 2), 0), 0, "judge"))
        assert isinstance(begun.exception(10), StorageError)
        assert [end.exception(10) is None for end in ends] == [True, False, True]
    assert replies(store.path) == {1: "0.75", 3: "0.75"}
    assert [one.replied is None for one in entries] == [False, True, False]


def test_what_no_file_takes_does_not_stop_the_writer(store):
    entry, other = asked(store), asked(store, (1, (0, 2), 0))
    with pytest.raises(StorageError):
        store.end(entry, Replied(ANSWER, 1.0), raw="half a character: \ud800").result(10)
    store.end(other, Replied(ANSWER, 0.0)).result(10)
    assert replies(store.path) == {2: "0.0"}


def test_a_plan_that_could_not_be_written_is_none(store):
    with full(store), pytest.raises(StorageError):
        store.add_plan({"wanted": "x" * 100_000})
    with pytest.raises(StorageError):
        store.decide(1, "spare", 3)
    assert store.plans == [] and store.decisions == {}


@pytest.mark.parametrize("name", ["some.run", "some.run-wal"])
@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_file_that_is_gone_takes_nothing_more(store, tmp_path, name, how):
    entry, place = asked(store), tmp_path / name
    os.rename(place, tmp_path / "aside")
    if how == "replaced":
        shutil.copy(tmp_path / "aside", place)
    for done in (store.intend(Asked((1, (0, 2), 0), 0, "judge")), store.end(entry, Replied(ANSWER, 1.0))):
        with pytest.raises(StorageError, match=r"must stay where it is\. .* Put it back"):
            done.result(10)
    place.unlink(missing_ok=True)
    os.rename(tmp_path / "aside", place)
    store.close()
    assert [one.number for one in reopened(store).entries] == [1]


def test_a_judge_of_ones_own_who_fails_keeps_what_he_said(tmp_path):
    """What came is there, also in another process, and only the rest is asked."""
    heard = []

    def prefer(pairs):
        for row, (first, second) in enumerate(pairs.tolist()):
            if len(heard) == 3:
                raise RuntimeError("tired")
            heard.append((first, second))
            yield row, float(first < second)

    batch = np.array([[0, 1], [2, 1], [0, 2], [1, 2], [2, 0], [0, 1]])
    with closing(made(tmp_path / "some.run", ITEMS, {})) as store, pytest.raises(RuntimeError):
        InBatches(store, 1, prefer, "me")(batch)
    with closing(Store(store.path, opened(store.path))) as store:
        journal = PlanJournal(store, 1)
        assert dict(journal) == {((0, 1), 0): 1.0, ((2, 1), 0): 0.0, ((0, 2), 0): 1.0} and len(journal) == 3
        assert len(store.uncertain) == 3
        given = InBatches(store, 1, lambda pairs: pairs[:, 0] < pairs[:, 1], "me")(batch[3:])
        assert given.tolist() == [1.0, 0.0, 1.0]
        assert journal[(0, 1), 1] == 1.0  # the second time
        assert store.uncertain == []
    assert [entry.asked.attempt for entry in reopened(store).entries] == [0] * 6 + [1] * 3


def test_a_judge_who_answers_all_at_once_is_written_in_few_commits(tmp_path):
    pairs = np.array([(a, b) for a in range(40) for b in range(40) if a != b])
    items = [Item(str(number), "text") for number in range(40)]
    with closing(made(tmp_path / "some.run", items, {})) as store:
        commits, failure = [], store._failure
        store._failure = lambda jobs: (commits.append(len(jobs)), failure(jobs))[1]
        InBatches(store, 1, lambda batch: batch[:, 0] < batch[:, 1], "me")(pairs)
    assert len(replies(store.path)) == len(pairs) == sum(commits) / 2
    assert len(commits) < 200


class Stops:
    """One line on standard error, no request after it, and the same command goes on, paying for nothing twice."""

    def __init__(self, folder, url, log):
        self.judging, self.log = Judging(folder, url, 24), log

    @property
    def requests(self):
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def check_stopped(self, code, said, expected):
        assert code in (1, 2)
        (line,) = said.splitlines()
        assert line.startswith("ordain: ") and expected in line
        assert "failed" not in line
        seen = self.requests
        time.sleep(0.2)
        assert self.requests == seen

    def check_goes_on(self):
        kept = replies(self.judging.run)
        ended = self.judging.ended_here()
        assert ended.returncode == 0, ended.stderr
        assert kept.items() <= replies(self.judging.run).items()
        assert paid_again(self.judging.run, self.log) == 0


@pytest.fixture
def stops(tmp_path):
    with endpoint(tmp_path, 0.03) as (url, log):
        yield Stops(tmp_path, url, log)


def test_a_disk_that_takes_no_more_stops_the_command_before_the_next_request(stops, monkeypatch):
    """A limit on the size of files does as a full disk does, and needs no rights."""
    resource = pytest.importorskip("resource")
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # the limit holds for figures of coverage too
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))}
    with stops.judging.started(**limit) as process:
        said = process.communicate(timeout=300)[1]
    stops.check_stopped(process.returncode, said, "must be writable")
    (intended,) = rows(stops.judging.run, "SELECT count(*) FROM asked")[0]
    assert 0 < stops.requests <= intended
    stops.check_goes_on()


def test_a_disk_without_room_for_a_new_run_stops_the_command_and_leaves_nothing(stops, tmp_path, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
    before = sorted(tmp_path.iterdir())
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))}
    with stops.judging.started(**limit) as process:
        said = process.communicate(timeout=300)[1]
    stops.check_stopped(process.returncode, said, "must be writable")
    assert stops.requests == 0 and sorted(tmp_path.iterdir()) == before
    stops.check_goes_on()


def test_a_full_disk_stops_the_command_and_room_lets_it_go_on(stops, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 260):
        stops.judging = Judging(disk, stops.judging.url, 24)
        with stops.judging.started() as process:
            said = process.communicate(timeout=300)[1]
        stops.check_stopped(process.returncode, said, "is full. Nothing more is asked. Make room")
        subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
        stops.check_goes_on()


def test_a_disk_that_became_read_only_stops_the_command_before_any_request(stops, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 4000):
        stops.judging = Judging(disk, stops.judging.url, 12)
        assert stops.judging.ended_here().returncode == 0
        before = stops.requests
        more = [*stops.judging.arguments, "--top", "3", "--out", tmp_path / "order.csv"]
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        ended = ordain_here(*more, folder=disk)
        stops.check_stopped(ended.returncode, ended.stderr, "must be a file that can be written")
        assert stops.requests == before
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        stops.check_goes_on()


@pytest.mark.parametrize("place", ["/proc/some.run", "none/some.run", "ideas.txt/some.run"])
def test_a_place_that_takes_no_run_stops_the_command_before_any_request(stops, place):
    ended = stops.judging.ended_here("--run", place)
    stops.check_stopped(ended.returncode, ended.stderr, "must be a file that can be written")
    assert stops.requests == 0


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
def test_a_run_that_is_gone_stops_the_command_and_put_back_goes_on(stops, replaced):
    run, aside = stops.judging.run, stops.judging.folder / "aside"
    with stops.judging.started() as process:
        kept = wait_for_replies(stops.judging, process, 5)
        os.rename(run, aside)
        out = stops.requests
        if replaced:
            run.write_text("another")
        said = process.communicate(timeout=300)[1]
    stops.check_stopped(process.returncode, said, "must stay where it is")
    assert stops.requests - out <= CONCURRENCY
    os.replace(aside, run)
    assert kept.items() <= replies(run).items()
    stops.check_goes_on()


def test_a_second_process_is_refused_before_any_request_and_the_first_goes_on(stops):
    with stops.judging.started() as process:
        wait_for_replies(stops.judging, process, 1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        before = stops.requests
        second = stops.judging.ended_here()
        assert stops.requests == before
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=300)
    stops.check_stopped(second.returncode, second.stderr, "one process at a time")
    assert process.returncode == 0
    assert stops.requests == len(replies(stops.judging.run))
