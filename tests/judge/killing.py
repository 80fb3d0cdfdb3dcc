"""A judging run that is killed again and again, and what must hold of it: `ordain judge` as a process, by SIGKILL.

What is in the run is read here by plain SQL, and what was paid for from the log of the server, which is a process too.
"""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from ordain.cli import main
from ordain.commands import status

SERVER = Path(__file__).with_name("scripted_endpoint.py")
CONCURRENCY = 8
PATIENCE = 300.0
"""Seconds in which a process must do what it is waited for."""


@contextmanager
def endpoint(folder, delay):
    """A server in a process of its own; its address, and the file that gets what every request shows.

    While there is a file `hold` in the folder it gives no answer.
    """
    log = Path(folder) / "requests.jsonl"
    command = [
        sys.executable,
        str(SERVER),
        "--delay",
        str(delay),
        "--log",
        str(log),
        "--hold",
        str(log.parent / "hold"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip(), log
        finally:
            server.terminate()


def ordain(*arguments, folder, **options):
    """`ordain` as a process that has ended."""
    command = [sys.executable, "-m", "ordain", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False, **options)


def ordain_here(*arguments, folder):
    """`ordain` in this process, without a terminal, as it ended: as good where nothing kills it, and much faster."""
    said, wrong = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(wrong):
        patch.chdir(folder)
        patch.setattr(sys, "stdin", StringIO())
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, arguments)))
    return subprocess.CompletedProcess(arguments, ended.value.code, said.getvalue(), wrong.getvalue())


def at_terminal(typed, *arguments, folder):
    """The exit code of `ordain` on a terminal where this is typed, and all that the terminal shows."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ordain", *map(str, arguments)]
    as_known = os.environ | {"TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen(command, cwd=folder, env=as_known, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        said = b""
        with suppress(OSError):  # nobody has the other end any more
            while part := os.read(ours, 65536):
                said += part
    os.close(ours)
    return process.returncode, said.decode()


@dataclass(frozen=True)
class Judging:
    """The command of a run in a folder: how it asks, and how many items there are."""

    folder: Path
    url: str
    items: int
    how: tuple[str, ...] = ("--guarantee",)

    def __post_init__(self):
        lines = [f"idea number {number}" for number in range(self.items)]
        (self.folder / "ideas.txt").write_text("\n".join(lines) + "\n")

    @property
    def run(self):
        return self.folder / "ideas.run"

    @property
    def arguments(self):
        asked = ["judge", "ideas.txt", "--ask", "Which is bigger?", "--llm", self.url, "--model", "scripted", "--yes"]
        return [*asked, "--out", "order.csv", "--force", *self.how]

    @contextmanager
    def started(self, **options):
        """The process, while it works; killed at the end if it still does."""
        command = [sys.executable, "-m", "ordain", *self.arguments]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        environment = os.environ | {"PYTHONFAULTHANDLER": "1"}
        with subprocess.Popen(command, cwd=self.folder, env=environment, **pipes, **options) as process:
            try:
                yield process
            finally:
                process.kill()

    def ended(self):
        """Run the command to its end, in a process of its own."""
        return ordain(*self.arguments, folder=self.folder)

    def ended_here(self, *options):
        """Run the command to its end, with more options."""
        return ordain_here(*self.arguments, *options, folder=self.folder)

    def status(self):
        """What `ordain status` says."""
        with redirect_stdout(StringIO()) as said:
            status.run(str(self.run), as_json=True)
        return json.loads(said.getvalue())

    def order(self):
        """The ids of the result, best first."""
        with open(self.folder / "order.csv", newline="") as file:
            return [row["id"] for row in csv.DictReader(file)]


def rows(run, query):
    """What a query finds in a run, of which nothing is changed."""
    with closing(sqlite3.connect(f"file:{run}?mode=ro", uri=True, timeout=10)) as reader:
        return reader.execute(query).fetchall()


def replies(run):
    """Number → answer of every request that was acknowledged: its reply is committed."""
    return dict(rows(run, "SELECT asked, answer FROM replied")) if Path(run).exists() else {}


def unanswered(run):
    """Numbers of all requests without a reply, repeated since or not."""
    return {one for (one,) in rows(run, "SELECT number FROM asked WHERE number NOT IN (SELECT asked FROM replied)")}


def wait_for_replies(judging, process, many):
    """The replies once there are so many; how a process ended that did not get there is told."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if judging.run.exists() and rows(judging.run, "SELECT count(*) FROM replied")[0][0] >= many:
            return replies(judging.run)
        if process.poll() is not None:
            raise AssertionError(f"it ended before {many} answers came: {process.stderr.read()}")
        time.sleep(0.002)
    process.send_signal(signal.SIGABRT)  # which makes it say where it is
    raise AssertionError(f"{many} answers did not come: {process.communicate()[1]}")


def wait_until_all_are_out(judging, process):
    """Hold answers back, once the first has come, until as many requests are out as may be; the file to remove."""
    wait_for_replies(judging, process, 1)
    hold = judging.folder / "hold"
    hold.touch()
    while len(unanswered(judging.run)) < CONCURRENCY:
        assert process.poll() is None, f"it ended before {CONCURRENCY} were out"
        time.sleep(0.002)
    return hold


@dataclass(frozen=True)
class Kill:
    """What one kill did: answers in the run before this life, acknowledged in it, lost by it, and left uncertain."""

    before: int
    acknowledged: int
    lost: int
    uncertain: int
    listed: bool


def killed(judging, more, pause):
    """Start the command, kill it a moment after so many more answers were acknowledged, and see what is left."""
    before = replies(judging.run)
    open_before = unanswered(judging.run) if before else set()
    with judging.started() as process:
        wait_for_replies(judging, process, len(before) + more)
        time.sleep(pause)
        acknowledged = replies(judging.run)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    after = replies(judging.run)
    lost = sum(1 for number, answer in acknowledged.items() if after.get(number) != answer)
    left = unanswered(judging.run) - open_before
    listed = len(judging.status()["uncertain"]) == _uncertain(judging.run)
    return Kill(len(before), len(acknowledged) - len(before), lost, len(left), listed)


def _uncertain(run):
    """How many questions there are whose last attempt has no reply."""
    last = rows(run, "SELECT max(number) FROM asked GROUP BY plan, shown, time")
    return len({number for (number,) in last} & unanswered(run))


def paid_again(run, log):
    """How many requests the server got beyond one for each question and one for each attempt without a reply.

    Of the journal it counts attempts that follow one with an answer: there must be none either.
    """
    number_of = {text: number for number, text in rows(run, "SELECT number, text FROM items")}
    lines = map(json.loads, log.read_text().splitlines())
    got = Counter(tuple(number_of[text] for text in shown) for shown in lines)
    asked = rows(run, "SELECT shown, time, plan, number IN (SELECT asked FROM replied) FROM asked")
    allowed, answered = Counter(), Counter()
    for shown, time_, plan, replied in asked:
        question = tuple(map(int, shown.split(",")))
        allowed[question] += not replied
        if replied:
            answered[question, time_, plan] += 1
    allowed.update(question for question, _, _ in answered)
    again = sum(count - 1 for count in answered.values())
    return sum((got - allowed).values()) + again
