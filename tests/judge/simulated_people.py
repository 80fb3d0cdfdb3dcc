"""People who judge on the page of a server that is killed: they close tabs, vanish, send votes again and look back.

The server is `ordain judge` as a process; the people are here, over plain sockets, and know what was acknowledged. What
is in the run afterwards is read by plain SQL.
"""

import asyncio
import json
import math
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 300.0
"""Seconds in which the server must answer, again after a kill."""

VALUE = {"left": 1.0, "right": 0.0, "tie": 0.5}


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@dataclass
class Server:
    """`ordain judge` for some people in a folder, to be started, killed and started again at the same port."""

    folder: Path
    items: int
    names: list[str]
    how: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    def __post_init__(self):
        (self.folder / "ideas.txt").write_text("\n".join(f"idea number {k}" for k in range(self.items)) + "\n")

    @property
    def run(self):
        return self.folder / "ideas.run"

    @property
    def command(self):
        asked = ["judge", "ideas.txt", "--ask", "Which is bigger?", "--no-browser", "--out", "order.csv", "--force"]
        shared = ["--share", ",".join(self.names)] if len(self.names) > 1 else []
        return [sys.executable, "-u", "-m", "ordain", *asked, *shared, "--port", str(self.port), *self.how]

    def start(self):
        """Start it; the links of all people, by name, once it listens."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.process = subprocess.Popen(self.command, cwd=self.folder, **pipes)
        links, said = {}, []
        while len(links) < len(self.names):
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"the server did not start: {''.join(said)}")
            said.append(line)
            if found := re.search(r"(\S+) (http://\S+)", line):
                links[found[1].rstrip(":") if len(self.names) > 1 else self.names[0]] = found[2]
        return links

    def kill(self):
        """End it as a loss of power would."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def ended(self, seconds=PATIENCE):
        """What it says at its end, and its exit code."""
        said = self.process.communicate(timeout=seconds)[0]
        return said, self.process.returncode

    def close(self):
        """Leave nothing running."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process is not None and not self.process.stdout.closed:
            self.process.stdout.close()


class Tab:
    """A tab of a browser: one line to the server, and the cookie of a link."""

    def __init__(self, link):
        _, _, self.host, self.path = link.split("/", 3)
        self.cookie, self.reader, self.writer = "", None, None

    async def request(self, method, path, body=None):
        """The status, the headers and the body of what is answered."""
        if self.writer is None:
            name, port = self.host.rsplit(":", 1)
            self.reader, self.writer = await asyncio.open_connection(name, int(port))
        self.writer.write(self._written(method, path, body))
        await self.writer.drain()
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        data = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return int(head[0].split()[1]), headers, data

    def _written(self, method, path, body):
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", f"Origin: http://{self.host}"]
        lines += [f"Cookie: {self.cookie}"] if self.cookie else []
        lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"] if method == "POST" else []
        return "\r\n".join([*lines, "", ""]).encode() + data

    async def send_only(self, path, body):
        """Send, and be gone before an answer comes."""
        if self.writer is not None:
            self.writer.write(self._written("POST", path, body))
            await self.writer.drain()
        self.close()

    def close(self):
        """Cut the line."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


@dataclass(frozen=True)
class Habits:
    """How people are: seconds of thought, how often they err, and the chance at each pair of a number of things."""

    thought: float = 0.05
    error: float = 0.1
    resend: float = 0.03
    leave: float = 0.01
    vanish: float = 0.01
    cut: float = 0.01
    skip: float = 0.0
    correct: float = 0.0
    away: float = 0.3


@dataclass
class Simulated:
    """A person: what was acknowledged of their votes, the last for each pair as (smaller, larger), and how long each
    took."""

    name: str
    link: str
    habits: Habits
    seed: int
    said: dict = field(default_factory=dict)
    sent: int = 0
    corrected: int = 0
    seconds: list = field(default_factory=list)
    state: dict | None = None
    events: Counter = field(default_factory=Counter)

    def __post_init__(self):
        self.draw, self.tab = random.Random(f"{self.seed} {self.name}"), Tab(self.link)

    async def judge(self, enough=lambda: False):
        """Judge until all is done, or it is enough."""
        await self.insist("GET", "/" + self.tab.path)
        self.state = await self.asked("GET", "/api/state")
        while self.state["phase"] not in ("done", "stopped") and not enough():
            if self.state["pair"] is None:
                await asyncio.sleep(0.05)
                self.state = await self.asked("GET", "/api/state")
            else:
                await self.one()
        self.tab.close()

    async def one(self):
        """Think, do one of the odd things perhaps, and vote."""
        habits, luck = self.habits, self.draw.random
        await asyncio.sleep(self.draw.expovariate(1) * habits.thought)
        if luck() < habits.leave:
            await self.away("leave")
        elif luck() < habits.vanish:
            await self.away("vanish")
        elif luck() < habits.skip:
            self.events["skip"] += 1
            self.state = await self.asked("POST", "/api/skip", {"key": self.state["pair"]["key"]})
        elif luck() < habits.correct and self.state["can_go_back"]:
            await self.correct()
        else:
            await self.vote(self.state["pair"], self.choice(self.state["pair"]))

    def choice(self, pair):
        """What they think: the larger number, but for errors."""
        left, right = (int(pair[side]["text"].split()[-1]) for side in ("left", "right"))
        if self.draw.random() < 0.02:
            return "tie"
        return "left" if (left > right) != (self.draw.random() < self.habits.error) else "right"

    async def vote(self, pair, answer):
        """Vote until it is acknowledged; sometimes the line is cut before, sometimes it is sent again after."""
        body = {"key": pair["key"], "answer": answer, "seconds": round(self.draw.uniform(0.2, 4), 2)}
        if self.draw.random() < self.habits.cut:
            self.events["cut"] += 1
            with suppress(OSError):
                await self.tab.send_only("/api/vote", body)
        again = self.draw.random() < self.habits.resend
        self.state = await self.asked("POST", "/api/vote", body, timed=True)
        self.acknowledged(pair, answer)
        if again:
            self.events["resend"] += 1
            self.state = await self.asked("POST", "/api/vote", body)

    def acknowledged(self, pair, answer):
        """Remember it, whichever way round it was shown."""
        left, right = (int(pair[side]["text"].split()[-1]) for side in ("left", "right"))
        value = VALUE[answer] if left < right else 1 - VALUE[answer]
        self.sent += 1
        self.corrected += (min(left, right), max(left, right)) in self.said
        self.said[min(left, right), max(left, right)] = value

    async def correct(self):
        """Go back some steps, and say something else."""
        after = None
        for _ in range(self.draw.randint(1, 4)):
            back = await self.asked("POST", "/api/back", {"from": after})
            after = back["pair"]["key"]
        self.events["correct"] += 1
        others = [answer for answer in VALUE if answer != back["pair"]["given"]]
        await self.vote(back["pair"], self.draw.choice(others))

    async def away(self, how):
        """Close the tab, politely or not, and come back after a while."""
        self.events[how] += 1
        if how == "leave":
            await self.insist("POST", "/api/leave", {})
        self.tab.close()
        await asyncio.sleep(self.draw.expovariate(1) * self.habits.away)
        self.state = await self.asked("GET", "/api/state")

    async def asked(self, method, path, body=None, *, timed=False):
        """The state that is answered."""
        status, _, data = await self.insist(method, path, body, timed=timed)
        assert status == 200, (status, data)
        return json.loads(data)

    async def insist(self, method, path, body=None, *, timed=False):
        """Ask until there is an answer; while the server is down, again and again."""
        end = time.monotonic() + PATIENCE
        while True:
            begun = time.perf_counter()
            try:
                found = await self.tab.request(method, path, body)
            except (OSError, asyncio.IncompleteReadError):
                self.tab.close()
                self.events["down"] += 1
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.1)
                continue
            if timed:
                self.seconds.append(time.perf_counter() - begun)
            if cookie := found[1].get("set-cookie"):
                self.tab.cookie = cookie.partition(";")[0]
            return found


async def judged(server, habits, *, kills=(), seed=0, enough=math.inf):
    """Let all people of a server judge; it is killed after so many votes each time, and started again."""
    links = server.start()
    people = [Simulated(name, link, habits, seed) for name, link in links.items()]
    voted = lambda: sum(one.sent for one in people)  # noqa: E731
    work = asyncio.gather(*(one.judge(lambda: voted() >= enough) for one in people))
    try:
        for many in kills:
            while voted() < many and not work.done():
                await asyncio.sleep(0.005)
            server.kill()
            assert await asyncio.to_thread(server.start) == links
        await work
    finally:
        work.cancel()
    return people


@dataclass(frozen=True)
class Found:
    """What is in a run beside what people know: votes acknowledged and kept, lost, kept twice, and judged by two."""

    votes: int
    kept: int
    lost: int
    double: int
    twice: int
    shared: int


def found_in(run, people):
    """Compare a run with what was acknowledged to people."""
    with closing(sqlite3.connect(f"file:{run}?mode=ro", uri=True, timeout=10)) as reader:
        rows = reader.execute(
            "SELECT who, shown, plan, time, answer, outcome FROM asked JOIN replied ON replied.asked = number "
            "ORDER BY number"
        ).fetchall()
    said, places, repeated = {}, {}, 0
    for who, shown, plan, times, answer, outcome in rows:
        if outcome != "answer":
            continue
        left, right = map(int, shown.split(","))
        pair, value = (min(left, right), max(left, right)), float(answer) if left < right else 1 - float(answer)
        repeated += said.get((who, pair)) == value
        said[who, pair] = value
        places.setdefault((who, pair), set()).add((plan, shown, times))
    known = {(one.name, pair): value for one in people for pair, value in one.said.items()}
    judges = Counter(pair for _, pair in said)
    return Found(
        votes=sum(one.sent for one in people),
        kept=len(said),
        lost=sum(said.get(vote) != value for vote, value in known.items()),
        double=repeated + sum(len(of) - 1 for of in places.values()) + len(said.keys() - known.keys()),
        twice=sum(many == 2 for many in judges.values()),
        shared=sum(many > 1 for many in judges.values()),
    )
