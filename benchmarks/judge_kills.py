"""What `kill -9` does to judging runs: nothing that was acknowledged is lost, and nothing answered is paid again.

    python benchmarks/judge_kills.py [--quick]

`ordain judge` runs as a process against a server that is one too, and is killed at random: after a number of answers
drawn anew each time, and a pause of up to 50 ms. An answer is *acknowledged* if its reply is committed, as another
process reads it just before the kill; each life has one or more. It is *lost* if it is not there afterwards, or another
one. *uncertain* are the requests of this life of which no end is known: at most as many as may be out at a time, and
`ordain status` lists them. *paid_again* is how many requests the server got, by its log, beyond one for every question
and one for every attempt whose end is not known. Then the run is let come to its end, and its order must be that of a
run that was never disturbed.

Three ways of asking: QuickSort, pairs, and lists. A row of judge_kills.csv is a kill; the last of each way, which has
no kill, is the end. --quick kills each three times and writes nothing. It takes some 15 minutes.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "judge"))

from killing import CONCURRENCY, Judging, endpoint, killed, paid_again, replies

TABLE = Path(__file__).with_suffix(".csv")
FIELDS = ["way", "kill", "before", "acknowledged", "lost", "uncertain", "listed", "in_flight", "paid_again",
          "same_order"]  # fmt: skip
DELAY, PAUSE = 0.01, 0.05
"""Seconds that the server takes for an answer, and the longest pause before a kill."""


class Way(NamedTuple):
    """How it is asked, about how many items, how often it is killed, and after how many answers at most."""

    name: str
    options: tuple[str, ...]
    items: int
    kills: int
    most: int


WAYS = [
    Way("quicksort", ("--guarantee",), 600, 110, 80),
    Way("pairs", ("--pairs",), 600, 66, 80),
    Way("lists", ("--list", "10"), 1200, 30, 60),
]
QUICK = [Way(name, options, 30, 3, 4) for name, options, *_ in WAYS]


def killed_again_and_again(way: Way, folder: Path) -> Iterator[dict[str, Any]]:
    """A row for every kill, and one for the end."""
    draw = random.Random(way.name)
    places = [folder / way.name / name for name in ("killed", "calm")]
    for place in places:
        place.mkdir(parents=True)
    with endpoint(folder / way.name, DELAY) as (url, log):
        judging, undisturbed = (Judging(place, url, way.items, way.options) for place in places)
        for number in range(1, way.kills + 1):
            kill = killed(judging, draw.randint(1, way.most), draw.random() * PAUSE)
            yield asdict(kill) | {"way": way.name, "kill": number, "paid_again": paid_again(judging.run, log)}
        before = len(replies(judging.run))
        judging.ended().check_returncode()
        end = {"before": before, "paid_again": paid_again(judging.run, log)}
        undisturbed.ended().check_returncode()
        end["acknowledged"] = len(replies(judging.run)) - before
        yield end | {"way": way.name, "kill": 0, "same_order": judging.order() == undisturbed.order()}


def complete(row: dict[str, Any]) -> bool:
    """Whether all holds that must, of a kill or of the end."""
    if row["paid_again"]:
        return False
    if not row["kill"]:
        return bool(row["same_order"])
    return not row["lost"] and row["acknowledged"] >= 1 and row["uncertain"] <= CONCURRENCY and bool(row["listed"])


def main() -> None:
    parser = argparse.ArgumentParser(description="What kill -9 does to judging runs.")
    parser.add_argument("--quick", action="store_true", help="three kills of each, and no table")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for way in QUICK if options.quick else WAYS:
            for row in killed_again_and_again(way, Path(folder)):
                rows.append(row | {"in_flight": CONCURRENCY})
                print({**row}, "" if complete(row) else "FAILED", flush=True)
    answers, kills = sum(row["acknowledged"] for row in rows), sum(1 for row in rows if row["kill"])
    failed = sum(1 for row in rows if not complete(row))
    print(f"{kills} kills over {answers:,} answers; {failed} times something did not hold.")
    if not options.quick:
        with open(TABLE, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
