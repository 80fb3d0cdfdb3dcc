"""What ordain's Bradley–Terry model, evalica and choix foresee of votes held out: log loss and accuracy, same folds.

    python benchmarks/votes_held_out.py --data ../shared/data

The others run in the environment `votes` of peers.toml, which is made on first use, unless --peers names a Python.

Five folds of votes, dealt three times, or once beyond 20,000 votes; the same of whole judges or ballots where a set
names several; and where it has dates the tenths after five cuts in time, each foreseen from all votes before it.
`above_best_peer` is the log loss less that of the best peer, with the standard error of figures on folds that share
what they were fitted to; within one of them the two are level. Every method has ½ for items that no vote of the other
folds links, and where it gives no number. choix has its penalty tuned inside, evalica is as it comes, Elo goes through
the votes in time or by lot. What is found is in votes_held_out.csv.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from peers import python_of

from ordain.bounds.paired_folds import Difference
from ordain.votes.cast_votes import Votes
from ordain.votes.drift import CUTS, _ends, drift
from ordain.votes.held_out import linked_by, losses, parted
from ordain.votes.methods import Ranked, ranked

FILE = Path(__file__).with_suffix(".csv")
FOLDS, ROUNDS, MANY = 5, 3, 20_000
COLUMNS = [
    "data",
    "held_out",
    "votes",
    "items",
    "method",
    "log_loss",
    "accuracy",
    "seconds",
    "above_best_peer",
    "error",
    "verdict",
]
Folds = list[tuple[Any, Any]]
ANSWERS = {"left": 1.0, "right": 0.0, "tie": 0.5}


def read(path: Path) -> Votes:
    """The votes of a set; an item against itself says nothing."""
    table = pl.read_parquet(path).filter(pl.col("left") != pl.col("right"))
    names, numbers = np.unique(table.select("left", "right").to_numpy(), return_inverse=True)
    left, right = numbers.reshape(-1, 2).T
    judges, clusters = np.unique(table["judge"].to_numpy(), return_inverse=True)
    answers = np.array([ANSWERS[winner] for winner in table["winner"]])
    ones, people = np.ones(len(table)), table["weight"].to_numpy().astype(np.int64)
    days = table["date"].str.to_date().to_physical().to_numpy() if "date" in table.columns else None
    votes = Votes(tuple(names), left, right, answers, people, ones, ones, days=days)
    return votes if len(judges) == 1 else replace(votes, clusters=clusters)


def folds(votes: Votes) -> Folds:
    """For every fold of every round the people of each row that are known, and that are held out."""
    numbered = replace(votes, days=np.arange(len(votes)))
    rounds = 1 if votes.counts.sum() > MANY else ROUNDS
    dealt = [parted(numbered, FOLDS, np.random.default_rng(seed)) for seed in range(rounds)]
    return [(_people(known, len(votes)), _people(fresh, len(votes))) for parts in dealt for known, fresh in parts]


def cuts(votes: Votes) -> Folds:
    """The same for the tenths after five cuts in time."""
    ends = [*(_ends(votes, share) for share in CUTS), np.inf]
    held = [(votes.days > start) & (votes.days <= end) for start, end in pairwise(ends)]
    return [(votes.people * (votes.days <= start), votes.people * of) for start, of in zip(ends, held, strict=False)]


def _people(part: Votes, rows: int) -> Any:
    people = np.zeros(rows, np.int64)
    people[part.days] = part.people
    return people


def by_ordain(votes: Votes, dealt: Folds, fading: bool) -> dict[str, list[Any]]:
    """The chances of the votes held out in each fold."""
    ways = {"ordain": _full, "ordain without position": partial(_full, position=False)}
    found: dict[str, list[Any]] = {}
    for name, way in (ways | ({"ordain, old votes faded": _faded} if fading else {})).items():
        for known, fresh in dealt:
            start = time.process_time()
            chances = way(replace(votes, people=known).take(known > 0)).chances(votes.pairs[fresh > 0])
            found.setdefault(name, []).append((chances, time.process_time() - start))
    return found


def _full(known: Votes, position: bool = True) -> Ranked:
    return ranked(known, position=position)


def _faded(known: Votes) -> Ranked:
    return ranked(drift(known).votes)


def by_peers(votes: Votes, dealt: Folds, python: str) -> dict[str, list[Any]]:
    """The same by evalica and choix, in their environment."""
    script = Path(__file__).with_name("votes_held_out_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "votes.npz"), Path(folder, "chances.npz")
        known, held = zip(*dealt, strict=True)
        arrays = {"left": votes.left, "right": votes.right, "answers": votes.answers, "n": len(votes.items)}
        arrays["dated"] = votes.days is not None
        np.savez(source, **arrays, known=np.array(known), held=np.array(held))
        subprocess.run([python, script, source, target], check=True)
        chances = np.load(target)
        found: dict[str, list[Any]] = {}
        for key in chances:
            found.setdefault(key.split("/")[0], []).append((chances[key][:-1], chances[key][-1]))
    return found


def figures(votes: Votes, dealt: Folds, found: list[Any]) -> tuple[Any, Any, float]:
    """Log loss and accuracy on every fold, and the seconds of all."""
    rows = []
    for (known, held), (chances, _) in zip(dealt, found, strict=True):
        fresh = replace(votes, people=held).take(held > 0)
        linked = linked_by(replace(votes, people=known).take(known > 0), fresh)
        q = np.where(linked, chances, 0.5)
        decided = np.where(fresh.answers == 0.5, 0, fresh.weights)
        right = (1 + np.sign((q - 0.5) * (fresh.answers - 0.5))) / 2
        rows.append((np.average(losses(q, fresh, linked), weights=fresh.weights), np.average(right, weights=decided)))
    loss, accuracy = np.array(rows).T
    return loss, accuracy, sum(seconds for _, seconds in found)


def verdict(apart: Difference) -> str:
    """Within one standard error two methods are level."""
    return "level" if abs(apart.mean) <= apart.error else "worse" if apart.mean > 0 else "better"


def compared(votes: Votes, dealt: Folds, python: str, fading: bool) -> Iterator[list[Any]]:
    """A row for every method."""
    peers = by_peers(votes, dealt, python)
    found = {who: figures(votes, dealt, of) for who, of in (by_ordain(votes, dealt, fading) | peers).items()}
    best = min(peers, key=lambda who: found[who][0].mean())
    for who, (loss, accuracy, seconds) in found.items():
        apart = Difference.of(loss - found[best][0], FOLDS)
        said = [f"{apart.mean:+.5f}", f"{apart.error:.5f}", "best peer" if who == best else verdict(apart)]
        yield [who, f"{loss.mean():.5f}", f"{accuracy.mean():.4f}", f"{seconds:.2f}", *said]


def dealings(votes: Votes) -> Iterator[tuple[str, Votes, Folds]]:
    """What is held out, the votes, and how."""
    alone = replace(votes, clusters=None)
    yield "votes", alone, folds(alone)
    if votes.clusters is not None:
        yield "judges", votes, folds(votes)
    if votes.days is not None:
        yield "later", alone, cuts(alone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with pairs/*.parquet")
    parser.add_argument("--peers", help="a Python that has evalica and choix")
    options = parser.parse_args()
    peers = options.peers or python_of("votes")
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for path in sorted((options.data / "pairs").glob("*.parquet"), key=lambda path: path.stat().st_size):
            for held, votes, dealt in dealings(read(path)):
                about = [path.stem, held, int(votes.counts.sum()), len(votes.items)]
                for row in compared(votes, dealt, peers, held == "later"):
                    writer.writerow([*about, *row])
                    print(*about, *row, sep="  ", flush=True)
                file.flush()


if __name__ == "__main__":
    main()
