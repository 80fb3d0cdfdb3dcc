"""How long a board of a million votes takes and what memory, beside evalica and arena-rank, in one run.

    python benchmarks/votes_speed.py    some five minutes

The others run in the environment `votes` of peers.toml, which is made on first use, unless --peers names a Python.

Every figure is of a process of its own, which makes the votes, as arrays of item numbers or what the program asks for,
and calls the program; seconds are those of the best call. Ours are the fit and its standard errors, once with spread
and lapses given, once with both fitted, and the position term always. evalica gives scores alone. arena-rank gives
sandwich intervals; it compiles in the first call, so the second counts. Counting equal votes is part of ours and of
evalica's, and timed apart too; arena-rank's is left out of its figure. The ratio is of processor seconds, to evalica
with as many items or, where it gives none, with 5,000. No process may take more than 16 GB. *Ranks and tiers* is what
the board takes beyond the first fit, errors that hold included. Last is the command on 10⁵, 10⁶ and 10⁷ votes on 200
items from Parquet, all it prints and writes included. Written to votes_speed.csv.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from peers import python_of

FILE = Path(__file__).with_suffix(".csv")
FIELDS = [
    "items",
    "votes",
    "program",
    "seconds",
    "processor_s",
    "counting_s",
    "peak_mb",
    "of_evalica",
    "of_evalica_5000",
]
ITEMS, VOTES, MOST_MEMORY, LONGEST = (200, 5000, 100_000), 1_000_000, 16 << 30, 600
COMMANDS = (10**5, 10**6, 10**7)
"""Votes that the command reads."""


def votes(items: int, count: int) -> tuple[Any, Any]:
    """Random pairs of items whose strengths are normal, and which of the two won."""
    rng = np.random.default_rng(items)
    strengths, first = rng.normal(size=items), rng.integers(0, items, count)
    second = (first + rng.integers(1, items, count)) % items
    won = rng.random(count) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    return np.column_stack((first, second)), won


def timed(work: Callable[[], Any], times: int) -> tuple[float, float]:
    """Seconds and processor seconds of the best of several calls."""
    spent = []
    for _ in range(times):
        start, processor = time.perf_counter(), time.process_time()
        work()
        spent.append((time.perf_counter() - start, time.process_time() - processor))
    return min(seconds for seconds, _ in spent), min(seconds for _, seconds in spent)


def ordain(pairs: Any, won: Any, items: int, **noise: Any) -> dict[str, float]:
    from ordain.rank import bradley_terry
    from ordain.rank.bradley_terry.pair_counts import counted

    answers = won.astype(float)
    counting, _ = timed(lambda: counted(pairs, answers, None, items, True), 3)
    seconds, processor = timed(lambda: bradley_terry(pairs, won, items, **noise).standard_errors, 3)
    return {"seconds": seconds, "processor_s": processor, "counting_s": counting}


def board(pairs: Any, won: Any, items: int) -> dict[str, float]:
    from ordain.votes import board as boards
    from ordain.votes.cast_votes import Votes

    one = np.ones(len(won))
    votes = Votes(tuple(range(items)), pairs[:, 0], pairs[:, 1], won.astype(float), one, one, one)
    whole, processor = timed(lambda: boards.board_of(votes), 1)
    fit, fit_processor = timed(lambda: boards.ranked(votes).fit, 1)
    return {"seconds": whole - fit, "processor_s": processor - fit_processor, "counting_s": 0.0}


def command(items: int, count: int) -> dict[str, float]:
    """The whole command, started by a small process: the memory of who starts it would count as its own."""
    import polars as pl

    pairs, won = votes(items, count)
    names = np.array([f"item {number}" for number in range(items)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes.parquet")
        columns = {"model_a": names[pairs[:, 0]], "model_b": names[pairs[:, 1]]}
        pl.DataFrame(columns | {"winner": np.where(won, "model_a", "model_b")}).write_parquet(path)
        words = [sys.executable, __file__, "--ranked", str(path)]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return dict(json.loads(told))


def ranked(path: str) -> dict[str, float]:
    """What `ordain rank` takes for a file."""
    words = [sys.executable, "-m", "ordain", "rank", path, "--out", path + ".csv"]
    start = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {"seconds": seconds, "processor_s": used.ru_utime + used.ru_stime, "counting_s": 0.0}
    return found | {"peak_mb": used.ru_maxrss / 1024}


def evalica(pairs: Any, won: Any, items: int) -> dict[str, float]:
    from evalica import Winner, bradley_terry, indexing, matrices

    first, second = pairs[:, 0].tolist(), pairs[:, 1].tolist()
    winners = [Winner.X if left else Winner.Y for left in won.tolist()]
    first_codes, second_codes, index = indexing(first, second)
    counting, _ = timed(lambda: matrices(first_codes, second_codes, winners, index), 1)
    seconds, processor = timed(lambda: bradley_terry(first, second, winners, index=index), 3)
    return {"seconds": seconds, "processor_s": processor, "counting_s": counting}


def arena_rank(pairs: Any, won: Any, items: int) -> dict[str, float]:
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    names = np.array([f"item {number}" for number in range(items)])
    frame = pd.DataFrame({"model_a": names[pairs[:, 0]], "model_b": names[pairs[:, 1]]})
    frame["winner"] = np.where(won, "model_a", "model_b")
    start = time.perf_counter()
    data = PairDataset.from_pandas(frame)
    counting = time.perf_counter() - start
    seconds, processor = timed(lambda: _arrays(BradleyTerry(items).compute_ratings_and_cis(data)), 2)
    return {"seconds": seconds, "processor_s": processor, "counting_s": counting}


def _arrays(result: dict[str, Any]) -> list[Any]:
    """All that was computed: jax goes on while its results are not looked at."""
    return [np.asarray(values) for values in result.values()]


PROGRAMS: dict[str, Callable[[Any, Any, int], dict[str, float]]] = {
    "evalica": evalica,
    "arena-rank": arena_rank,
    "ordain, noise given": lambda pairs, won, items: ordain(pairs, won, items, spread=1.0, lapse=0.0),
    "ordain, noise fitted": lambda pairs, won, items: ordain(pairs, won, items, lapse=None),
    "ordain, ranks and tiers": board,
}


def one(program: str, items: int, count: int) -> dict[str, float]:
    """What one program takes, in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    found = PROGRAMS[program](*votes(items, count), items)
    return found | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def apart(python: str, program: str, items: int, count: int) -> dict[str, float] | None:
    """The same in a process of its own; None where it fails or takes too long."""
    command = [python, __file__, "--one", program, "--items", str(items), "--votes", str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST)
    except subprocess.CalledProcessError:
        print(f"{program} on {items} items: died", flush=True)
        return None
    except subprocess.TimeoutExpired:
        print(f"{program} on {items} items: more than {LONGEST} s", flush=True)
        return None
    return dict(json.loads(done.stdout.splitlines()[-1]))


def row(
    program: str, items: int, count: int, found: dict[str, float] | None, peers: dict[int, float]
) -> dict[str, Any]:
    """A line of the table; figures are empty where a program gave none."""
    line: dict[str, Any] = {"items": items, "votes": count, "program": program}
    if found:
        line |= {name: round(found[name], 3) for name in ("seconds", "processor_s", "counting_s")}
        line |= {"peak_mb": round(found["peak_mb"])}
        for name, size in (("of_evalica", items), ("of_evalica_5000", 5000)):
            line[name] = round(found["processor_s"] / peers[size], 3) if size in peers else ""
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="a Python that has evalica and arena-rank")
    parser.add_argument("--votes", type=int, default=VOTES)
    parser.add_argument("--items", type=int, nargs="+", default=ITEMS)
    parser.add_argument("--one", choices=PROGRAMS, help="this program alone, in this process")
    parser.add_argument("--ranked", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ranked:
        print(json.dumps(ranked(given.ranked)))
        return
    if given.one:
        print(json.dumps(one(given.one, given.items[0], given.votes)))
        return
    peers: dict[int, float] = {}
    theirs = given.peers or python_of("votes")
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for items in given.items:
            for program in PROGRAMS:
                python = sys.executable if program.startswith("ordain") else theirs
                found = apart(python, program, items, given.votes)
                if program == "evalica" and found:
                    peers[items] = found["processor_s"]
                writer.writerow(line := row(program, items, given.votes, found, peers))
                file.flush()
                print(line, flush=True)
        for count in COMMANDS:
            writer.writerow(line := row("ordain rank", ITEMS[0], count, command(ITEMS[0], count), {}))
            print(line, flush=True)


if __name__ == "__main__":
    main()
