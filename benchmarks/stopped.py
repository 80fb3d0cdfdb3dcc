"""Every command that writes or takes long, stopped by Ctrl-C and by `kill` at moments drawn at random.

    python benchmarks/stopped.py                      20 moments a command and signal, kept in stopped.csv
    python benchmarks/stopped.py --count 5 fit rank   five, for these two; nothing is kept

A command runs once undisturbed. Then it runs again and again as a process of its own, in an empty folder with its
files, and gets the signal at a moment between the one from which it listens (which `/proc` tells) and its end. It must
end with 130 for Ctrl-C and 143 for `kill`, with one line on standard error and no traceback, leave no file that is
half written or for a while only, neither there nor in the folder for temporary files, and what is there must be what
the undisturbed run wrote. One that had done its work when the signal came is *late* and does not count.

The page on which people judge never ends by itself: undisturbed it gets Ctrl-C once it is there. Stopped while it is
there, it ends with 0 and has written the order so far.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "judge"))

FILE = Path(__file__).with_suffix(".csv")
FIELDS = ["command", "signal", "seconds", "hit", "late", "wrong", "slowest_to_end_s"]
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
SECONDS, ABOUT = 120.0, 0.3
"""In which a command must end at all, and in which one ends that has nothing left to do."""

ASK = ["--ask", "Which is bigger?", "--model", "scripted", "--pairs", "--yes"]


class Command(NamedTuple):
    """Its name, what is typed, the files of the folder that it needs, and the one by which it is known to serve."""

    name: str
    words: list[str]
    needs: list[str]
    serves: str = ""


class Seen(NamedTuple):
    """How a command ended: its code, what it said, the files that are there, those left for a while only."""

    code: int
    said: str
    files: dict[str, bytes]
    left: list[str]
    took: float
    to_end: float
    leaving: bool
    serving: bool = False

    @property
    def late(self) -> bool:
        """Whether it had done its work when the signal came."""
        return self.code == 0 and not self.serving and (self.leaving or self.to_end < ABOUT)


COMMANDS = [
    Command("fit", ["fit", "train.csv", "--label", "y", "--report", "fit.html", "--out", "m.ordain"], ["train.csv"]),
    Command("score", ["score", "new.csv", "--model", "good.ordain", "--out", "ranked.csv"], ["new.csv", "good.ordain"]),
    Command("score top", ["score", "new.csv", "--model", "good.ordain", "--out", "first.parquet", "--top", "9"],
            ["new.csv", "good.ordain"]),
    Command("evaluate", ["evaluate", "scored.csv", "--label", "y", "--report", "scores.html"], ["scored.csv"]),
    Command("compare", ["compare", "scored.csv", "--label", "y", "--score", "score", "--score", "other", "--report",
                        "two.html"], ["scored.csv"]),
    Command("rank", ["rank", "votes.csv", "--judge", "judge", "--judges", "judges.csv", "--matrix", "all.csv",
                     "--report", "board.html", "--out", "board.csv"], ["votes.csv"]),
    Command("report", ["report", "good.ordain", "--out", "model.html"], ["good.ordain"]),
    Command("explain", ["explain", "good.ordain", "new.csv", "--out", "moved.csv"], ["new.csv", "good.ordain"]),
    Command("demo", ["demo"], []),
    Command("theorems", ["theorems", "U"], []),
    Command("judge", ["judge", "ideas.txt", *ASK, "--out", "order.csv", "--llm", "URL"], ["ideas.txt"]),
    Command("people", ["judge", "ideas.txt", "--ask", "Which?", "--no-browser", "--port", "0", "--out", "order.csv"],
            ["ideas.txt"], "ideas.run"),
    Command("status", ["status", "some.run"], ["some.run"]),
    Command("export", ["export", "some.run", "--out", "votes.jsonl"], ["some.run"]),
]  # fmt: skip


def made(folder: Path, rows: int = 20_000) -> None:
    """The files that the commands need."""
    import ordain
    from ordain.judge import Item, Run

    rng = np.random.default_rng(1)
    x, label = rng.normal(size=(rows, 5)).round(3), rng.random(rows) < 0.3
    x[:, 0] += label
    columns = {f"x{place}": x[:, place] for place in range(5)} | {"city": rng.choice(["Oslo", "Rome", "Bonn"], rows)}
    table = pl.DataFrame({"y": label.astype(int), **columns})
    table.head(1_000).write_csv(folder / "train.csv")
    table.write_csv(folder / "new.csv")
    table.select("y", score="x0", other="x1").write_csv(folder / "scored.csv")
    ordain.fit(table.head(600), "y", quick=True).save(folder / "good.ordain")
    names = np.array([f"model {place}" for place in range(30)])
    left, right = rng.integers(0, 30, 3_000), rng.integers(1, 30, 3_000)
    winner = rng.choice(["model_a", "model_b", "tie"], 3_000)
    votes = {"model_a": names[left], "model_b": names[(left + right) % 30], "winner": winner}
    pl.DataFrame({**votes, "judge": rng.integers(0, 20, 3_000)}).write_csv(folder / "votes.csv")
    (folder / "ideas.txt").write_text("".join(f"idea number {number}\n" for number in range(12)))
    with Run.create(folder / "some.run", [Item(str(number), str(number)) for number in range(200)], "?") as run:
        run.rank(lambda a, b: int(a.id) < int(b.id))


def handles(process: subprocess.Popen[str], how: str) -> bool:
    """Whether the process has `kill` caught (SigCgt) or ignored (SigIgn), by what Linux tells."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    mask = next((line.split()[1] for line in status.splitlines() if line.startswith(how)), "0")
    return bool(int(mask, 16) & 1 << (signal.SIGTERM - 1))


def tried(command: Command, given: Path, url: str, number: int | None = None, wait: float = 0.0) -> Seen:
    """Run the command in an empty folder; send the signal a while after it listens, unless there is none."""
    with tempfile.TemporaryDirectory() as top:
        here, temporary = Path(top, "here"), Path(top, "temporary")
        here.mkdir()
        temporary.mkdir()
        for name in command.needs:
            shutil.copy(given / name, here)
        words = [url if word == "URL" else word for word in command.words]
        known = os.environ | {"TMPDIR": str(temporary), "PYTHONPATH": str(Path(__file__).parents[1])}
        with subprocess.Popen(
            [sys.executable, "-m", "ordain", *words], cwd=here, env=known, text=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:  # fmt: skip
            try:
                while process.poll() is None and not handles(process, "SigCgt"):
                    time.sleep(0.001)
                start = sent = time.perf_counter()
                leaving = False
                if command.serves and number is None:
                    number, wait = signal.SIGINT, _until(here / command.serves)
                if number is not None:
                    time.sleep(wait)
                    sent = time.perf_counter()
                    leaving = process.poll() is not None or handles(process, "SigIgn")
                    process.send_signal(number)
                said = process.communicate(timeout=SECONDS)[1]
            finally:
                process.kill()
        end = time.perf_counter()
        files = {file.name: file.read_bytes() for file in here.iterdir() if file.name not in command.needs}
        took = sent - start if command.serves else end - start
        serving = bool(command.serves)
        return Seen(process.returncode, said, files, os.listdir(temporary), took, end - sent, leaving, serving)


def _until(file: Path) -> float:
    """Wait for a file; seconds to wait on, so that who made it serves."""
    end = time.perf_counter() + SECONDS
    while not file.exists() and time.perf_counter() < end:
        time.sleep(0.01)
    return 1.0


def fault(seen: Seen, calm: Seen, number: int) -> str:
    """What is wrong with how a command was stopped, or nothing."""
    lines = [line for line in seen.said.splitlines() if line and not line.startswith("Waiting for the requests")]
    served = seen.serving and seen.code == 0
    if not served and seen.code != CODES[signal.Signals(number)]:
        return f"ended with {seen.code}: {seen.said[-500:]}"
    if lines if served else len(lines) != 1 or not lines[0].startswith("ordain: stopped."):
        return f"not one line: {seen.said[-500:]}"
    if served and seen.files.keys() != calm.files.keys():
        return f"wrote {sorted(seen.files)} and not {sorted(calm.files)}"
    if seen.left:
        return f"left in the folder for temporary files: {seen.left}"
    for name, data in seen.files.items():
        if name not in calm.files:
            return f"left {name}"
        if not name.endswith(".run") and data != calm.files[name]:
            return f"{name} is not what an undisturbed run writes"
    return ""


def moments(command: Command, given: Path, url: str, count: int) -> Iterator[dict[str, Any]]:
    """A line for each signal."""
    calm = min((tried(command, given, url) for _ in range(2)), key=lambda seen: seen.took)  # the machine may be busy
    assert calm.code == 0 and not calm.left, f"{command.name} must end well undisturbed: {calm.said} {calm.left}"
    draw = random.Random(command.name)
    for number in CODES:
        found, wrong = [], 0
        for _ in range(count):
            wait = draw.random() * calm.took
            found.append(tried(command, given, url, number, wait))
            if not found[-1].late and (how := fault(found[-1], calm, number)):
                wrong += 1
                print(f"{command.name} {number.name} after {wait:.3f} s: {' '.join(how.split())}", flush=True)
        hit = [seen for seen in found if not seen.late]
        yield {
            "command": command.name, "signal": number.name, "seconds": f"{calm.took:.1f}", "hit": len(hit),
            "late": len(found) - len(hit), "wrong": wrong,
            "slowest_to_end_s": f"{max((seen.to_end for seen in hit), default=0):.2f}",
        }  # fmt: skip


def main() -> None:
    """Every command, or those named."""
    from killing import endpoint

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=20)
    chosen = parser.parse_args()
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        made(folder)
        url, _ = stack.enter_context(endpoint(folder, 0.1))
        for command in COMMANDS:
            if not chosen.names or command.name in chosen.names:
                for row in moments(command, folder, url, chosen.count):
                    rows.append(row)
                    print(row, flush=True)
    if not chosen.names:
        with FILE.open("w", newline="") as file:
            table = csv.DictWriter(file, FIELDS)
            table.writeheader()
            table.writerows(rows)


if __name__ == "__main__":
    main()
