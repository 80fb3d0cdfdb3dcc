"""Fifty people judge at once on the page, tabs are closed, votes sent again, and the server is killed twice.

    python benchmarks/judge_people.py [--quick]

`ordain judge` serves 1,700 items to 50 people over HTTP on this machine; the people are another process. Each thinks
0.4 seconds on average, ten times as fast as people do, closes the tab (*leave*), goes without a word (*vanish*), cuts
the line while a vote is on its way (*cut*, and sends it again), or sends a vote again that was acknowledged (*resend*).
After a third and two thirds of 10,000 votes the server is killed by SIGKILL and started again. A vote is *lost* if it
was acknowledged and is not in the run, or another one; *double* is what is there twice of a person, or was never sent.
*by_two* is how many pairs two people judged: by lot, a share of `overlap`, or because a tab was closed or the server
killed while it showed one. Times are of a vote, from sending to the next pair, which comes when the vote is on the
disk; those that met a dead server are not among them.

Every pair of 1,700 items is one of a budget of 10,200 answers. The machine had two cores and other work on both, so the
table was made with a priority before that of others (chrt -r 1). --quick is shorter and writes nothing. It takes some
four minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "judge"))

from simulated_people import Habits, Server, found_in, judged

TABLE = Path(__file__).with_suffix(".csv")
SIZES = {"whole": (1700, 50, 10_000), "quick": (200, 10, 600)}
"""Items, people and votes."""
OVERLAPS = (0.0, 0.1)


def measured(overlap: float, items: int, people: int, votes: int, folder: Path) -> dict[str, Any]:
    """One row of the table."""
    server = Server(folder, items, [f"P{number}" for number in range(people)], ("--overlap", str(overlap)))
    kills = (votes // 3, 2 * votes // 3)
    begun = time.monotonic()
    try:
        team = asyncio.run(judged(server, Habits(thought=0.4), kills=kills, enough=votes))
        lasted = time.monotonic() - begun
    finally:
        server.close()
    found, events = found_in(server.run, team), sum((one.events for one in team), Counter[str]())
    times = 1000 * np.quantile([second for one in team for second in one.seconds], [0.5, 0.95, 0.99, 1])
    row = {"overlap": overlap, "items": items, "people": people, "votes": found.votes, "kills": len(kills)}
    row |= {name: events[name] for name in ("leave", "vanish", "cut", "resend")}
    row |= {
        "lost": found.lost,
        "double": found.double,
        "by_two": found.shared,
        "per_second": round(found.votes / lasted),
    }
    names = ("p50_ms", "p95_ms", "p99_ms", "max_ms")
    return row | {name: round(float(of), 1) for name, of in zip(names, times, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Fifty people on a page whose server is killed.")
    parser.add_argument("--quick", action="store_true", help="few people, few votes, and no table")
    quick = parser.parse_args().quick
    rows = []
    for overlap in OVERLAPS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measured(overlap, *SIZES["quick" if quick else "whole"], Path(folder)))
            print(rows[-1], flush=True)
    if not quick:
        with open(TABLE, "w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    sys.exit(any(row["lost"] or row["double"] for row in rows))


if __name__ == "__main__":
    main()
