"""What judging with a language model costs beside the model: a part for each claim.

    python benchmarks/judge.py overhead [--answers N]

**overhead**: the time that journal and client add to an answer. A server that is a process of its own answers pairs at
once. *bare* is a loop over httpx that sends the same request and reads the verdict, so many at a time; *ours* asks the
same number of questions through `ModelJudge`, each request committed before it is sent and each reply before it is
used, with synchronous=FULL. Both are wall time for an answer, in blocks that take turns, so that whatever else the
machine does meets both; the overhead is the median over the blocks of their difference. *processor* is the same of the
time that the process itself computes, which a busy machine changes less. *fsync* is the median time of
writing a page and an fsync in the same folder, measured between the blocks. The goal is 5 ms, or 2.5 fsyncs if that is
more. *memory* is what the process has resident after a tenth of the answers and after all, and the difference for an
answer: what the journal keeps in memory; raw replies stay on the disk. It is the first case that tells: the others are
given what the one before has left.

A row of judge.csv is a part, a case, a measure and its value. A part that runs replaces its rows.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, permutations
from pathlib import Path
from typing import Any, NamedTuple

import httpx

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "judge"))

from killing import endpoint

from ordain.judge import Run
from ordain.judge.endpoint import Endpoint
from ordain.judge.llm import Client, request_body
from ordain.judge.model_judge import ModelJudge
from ordain.judge.pool import Pool
from ordain.judge.prompt import Prompt
from ordain.judge.spending import Spending
from ordain.preference.awaited import Loop

TABLE = Path(__file__).with_suffix(".csv")
FIELDS = ["part", "case", "measure", "value"]
ITEMS, BLOCKS, AT_A_TIME, ANSWERS = 200, 10, (1, 8, 64), 20_000
GOAL, FSYNCS = 5.0, 2.5
"""Milliseconds, and fsyncs, of which the larger is the most that an answer may cost."""


class Row(NamedTuple):
    """A measure of a case."""

    case: str
    measure: str
    value: float


def overhead(answers: int) -> Iterator[Row]:
    """Time and memory for an answer, at each number of requests out at a time."""
    for width in AT_A_TIME:
        with (
            tempfile.TemporaryDirectory() as folder,
            endpoint(folder, 0) as (url, _),
            _asking(folder, url, width) as ask,
        ):
            yield from _taking_turns(Path(folder), url, width, answers, ask)


def _taking_turns(folder: Path, url: str, width: int, answers: int, ask: Callable[[int], None]) -> Iterator[Row]:
    """The rows of one width, from blocks of ours and of the bare loop, one after the other."""
    case, size = f"{width} at a time", answers // BLOCKS
    bare, ours, disk, resident = [], [], [], []
    for _ in range(BLOCKS):
        bare.append(_timed(lambda: asyncio.run(_bare(url, width, size)), size))
        disk.append(_fsync(folder))
        ours.append(_timed(lambda: ask(size), size))
        resident.append(_resident())
    for name, clock in (("", 0), (" of the processor", 1)):
        pairs = [(mine[clock], theirs[clock]) for mine, theirs in zip(ours, bare, strict=True)]
        yield Row(case, f"bare{name}, ms", statistics.median(theirs for _, theirs in pairs))
        yield Row(case, f"ours{name}, ms", statistics.median(mine for mine, _ in pairs))
        yield Row(case, f"overhead{name}, ms", statistics.median(mine - theirs for mine, theirs in pairs))
    yield Row(case, "fsync, ms", statistics.median(disk))
    yield Row(case, "goal, ms", max(GOAL, FSYNCS * statistics.median(disk)))
    yield Row(case, "answers", size * BLOCKS)
    yield Row(case, "resident after a tenth, MB", resident[0] / 1e6)
    yield Row(case, "resident after all, MB", resident[-1] / 1e6)
    yield Row(case, "memory an answer, bytes", (resident[-1] - resident[0]) / (size * (BLOCKS - 1)))


@contextmanager
def _asking(folder: str, url: str, width: int) -> Iterator[Callable[[int], None]]:
    """A function that asks so many more questions of a run."""
    where, texts = Endpoint(url, "scripted", logprobs=False), [f"idea number {number}" for number in range(ITEMS)]
    keys = ((1, pair, 0) for pair in permutations(range(ITEMS), 2))
    client = Client(where, concurrency=width)
    with Run.create(f"{folder}/some.run", texts, "Which is bigger?") as run, Loop() as loop:
        asyncio.run_coroutine_threadsafe(client.__aenter__(), loop.started()).result()
        pool = Pool(loop.started(), width)
        prompt = Prompt("Which is bigger?", None, None, False)
        judge = ModelJudge(run.store, client, prompt, texts, spending=Spending(), pool=pool, logprobs=False)

        def ask(many: int) -> None:
            for _ in pool.answers(judge, list(islice(keys, many))):
                pass

        yield ask
        asyncio.run_coroutine_threadsafe(client.__aexit__(), loop.started()).result()


def _timed(work: Callable[[], None], many: int) -> tuple[float, float]:
    """Milliseconds for each of many, on the wall and of the processor."""
    wall, own = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) * 1000 / many, (time.process_time() - own) * 1000 / many


async def _bare(url: str, width: int, many: int) -> None:
    """A loop that does nothing but send, wait and read the verdict."""
    prompt = Prompt("Which is bigger?", None, None, False)
    messages = prompt.messages(["idea number 1", "idea number 2"], "0" * 32)
    body = request_body(Endpoint(url, "scripted"), messages, logprobs=False)
    limits = httpx.Limits(max_connections=width, max_keepalive_connections=width)
    left = iter(range(many))

    async def work(client: httpx.AsyncClient) -> None:
        for _ in left:
            reply = await client.post(f"{url}/chat/completions", content=json.dumps(body))
            assert reply.json()["choices"][0]["message"]["content"] == "B"

    async with httpx.AsyncClient(limits=limits, trust_env=False, timeout=60) as client:
        await asyncio.gather(*(work(client) for _ in range(width)))


def _fsync(folder: Path, times: int = 50) -> float:
    """The median of the milliseconds that a page takes until it is on the disk."""
    taken = []
    with open(folder / "page", "wb") as file:
        for _ in range(times):
            begun = time.perf_counter()
            file.write(os.urandom(4096))
            file.flush()
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def _resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


PARTS: dict[str, Callable[[int], Iterator[Row]]] = {"overhead": overhead}


def kept(part: str) -> list[dict[str, Any]]:
    """The rows of the other parts."""
    if not TABLE.exists():
        return []
    with open(TABLE, newline="") as file:
        return [row for row in csv.DictReader(file) if row["part"] != part]


def main() -> None:
    parser = argparse.ArgumentParser(description="What judging with a language model costs beside the model.")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--answers", type=int, default=ANSWERS, help="of each case; fewer than the usual write nothing")
    options = parser.parse_args()
    rows = []
    for row in PARTS[options.part](options.answers):
        rows.append({"part": options.part, **row._asdict(), "value": f"{row.value:.6g}"})
        print(f"{row.case:16} {row.measure:26} {row.value:.4g}", flush=True)
    if options.answers >= ANSWERS:
        before = kept(options.part)
        with open(TABLE, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows([*before, *rows])


if __name__ == "__main__":
    main()
