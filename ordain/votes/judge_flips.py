"""Two judges side by side: on how many of the pairs that both decided they say the opposite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordain.audit.share import TIE, Share
from ordain.votes.cast_votes import Votes


@dataclass(frozen=True)
class Flips:
    """`apart` is the share of pairs both decided on which they differ.

    Examples
    --------
    >>> print(Flips("small", "large", Share(3, 60)))
    small and large differ on 3 of 60 pairs that both decided: 0.05 of 60, 95% confidence interval 0.01 to 0.14.
    """

    first: Any
    second: Any
    apart: Share

    def __str__(self) -> str:
        part = f"{self.apart.part:.0f} of {self.apart.of:,} pairs that both decided"
        return f"{self.first} and {self.second} differ on {part}: {self.apart}."

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        ends = {"low": self.apart.low, "high": self.apart.high}
        return {"judges": [str(self.first), str(self.second)], "flips": self.apart.part, "of": self.apart.of, **ends}


def flips(votes: Votes, *, level: float = 0.95) -> Flips | None:
    """How two judges differ; None unless two judges cast all votes and decided a pair both.

    A judge's answers to a pair are taken together, those in lists too, and the majority decides.

    Examples
    --------
    >>> one = np.ones(4)
    >>> left, right = np.array([0, 1, 0, 1]), np.array([1, 2, 1, 2])
    >>> both = Votes(("a", "b", "c"), left, right, np.array([1.0, 1.0, 1.0, 0.0]), one, one, one,
    ...              clusters=np.array([0, 0, 1, 1]), judges=("Ana", "Ben"))
    >>> found = flips(both)
    >>> found.apart.part, found.apart.of
    (1, 2)
    """
    if votes.judges is None or votes.clusters is None or len(votes.judges) != 2 or None in votes.judges:
        return None
    n = len(votes.items)
    turned = votes.left > votes.right
    pairs = np.minimum(votes.left, votes.right) * n + np.maximum(votes.left, votes.right)
    keys, which = np.unique(pairs, return_inverse=True)
    leaning = votes.counts * np.where(turned, 0.5 - votes.answers, votes.answers - 0.5)
    by = [np.bincount(which, leaning * (votes.clusters == judge), len(keys)) for judge in (0, 1)]
    decided = (np.abs(by[0]) > TIE) & (np.abs(by[1]) > TIE)
    if not decided.any():
        return None
    apart = int(np.count_nonzero(decided & (by[0] * by[1] < 0)))
    return Flips(*votes.judges, Share(apart, int(np.count_nonzero(decided)), level))
