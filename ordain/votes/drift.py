"""Votes with a date: whether strengths drift, and how fast old votes should fade.

*Drift.* The last tenth by time is foreseen from all votes before it, and once more in tenths that were shuffled, where
later votes help. Strengths that stay are foreseen as well either way; the difference is taken vote by vote, so that a
tenth of hard pairs is no drift, and only over items whose earlier votes are at least half of all theirs, so that a
newcomer is none either.

*Half-life.* A vote that is a days old weighs 2^(-a/h). For every h on a grid the votes up to five days in the second
half, each after another tenth, foresee the tenth that follows. h is the one with the least mean log loss, if that is
below the loss without fading by more than a standard error of their difference; otherwise votes do not fade.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import ndtri

from ordain._checks import check_share
from ordain._types import Mask, Vector
from ordain.bounds.paired_folds import Difference
from ordain.votes.cast_votes import Votes
from ordain.votes.held_out import linked_by, losses, parted
from ordain.votes.methods import chances_by, fitted

TENTHS = 10
CUTS = np.arange(5, 10) / TENTHS
"""Of all votes, those up to each share foresee the tenth that follows."""

HALF_LIVES = 2.0 ** -np.arange(0, 9)
"""Half-lives that are tried, in spans from the first vote to the last; after two that foresee less, no shorter one."""

FADED = 1e-6
"""Votes that weigh less are left out while half-lives are tried."""


@dataclass(frozen=True)
class Drift:
    """What dates say of votes.

    Parameters
    ----------
    later, shuffled : float
        Log loss on the last tenth by time, foreseen from what was before, and on shuffled tenths.
    apart : Difference
        How much more the last tenth costs if foreseen from before than in shuffled tenths, vote by vote.
    level : float
        Of its interval.
    half_lives, losses : arrays
        Days that were tried, the first without end, and the mean log loss of later votes.
    gain : Difference
        How much less the best of them costs than votes that do not fade.
    half_life : float
        The one chosen, in days; infinite where votes should not fade.
    votes : Votes
        The same votes, those a days older than the last one worth 2^(-a/half_life) of what they were.
    """

    later: float
    shuffled: float
    apart: Difference
    level: float
    half_lives: Vector
    losses: Vector
    gain: Difference
    half_life: float
    votes: Votes = field(repr=False)

    @property
    def drifts(self) -> bool:
        """Whether the interval says that strengths do not stay."""
        return self.apart.low > 0

    def __str__(self) -> str:
        last = f"the last tenth by time is foreseen at a log loss of {self.later:.3f}"
        last += f", shuffled tenths at {self.shuffled:.3f}"
        apart = "no votes can be foreseen both ways"
        if math.isfinite(self.apart.mean):
            apart = f"on the same votes the difference is {self.apart.mean:+.3f}, {self.level * 100:g} % interval "
            apart += f"{self.apart.low:+.3f} to {self.apart.high:+.3f}"
        said = "Strengths drift" if self.drifts else "Strengths are not seen to drift"
        return f"{said}: {last}; {apart}. {self._fading()}"

    def _fading(self) -> str:
        """What held-out later votes say about older ones."""
        if math.isinf(self.half_life):
            return "Later votes are foreseen best, within a standard error, if old ones count in full."
        return (
            f"Later votes are foreseen best if a vote loses half its weight in {_duration(self.half_life)}: "
            f"log loss {self.losses.min():.4f}, and {self.losses[0]:.4f} if old ones count in full."
        )

    def as_json(self) -> dict[str, Any]:
        """Everything but the votes, as plain data; None for a half-life without end."""
        apart = {name: _finite(value) for name, value in asdict(self.apart).items()}
        tried = [
            {"half_life": _finite(days), "log_loss": loss}
            for days, loss in zip(self.half_lives.tolist(), self.losses.tolist(), strict=True)
        ]
        figures = {"later": self.later, "shuffled": self.shuffled, "apart": apart, "level": self.level}
        return figures | {"drifts": self.drifts, "half_life": _finite(self.half_life), "tried": tried}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _duration(days: float) -> str:
    """Days in words that fit."""
    if days >= 730:
        return f"{days / 365.25:.3g} years"
    return f"{days:.3g} days" if days >= 2 else f"{days * 24:.3g} hours"


def drift(votes: Votes, *, level: float = 0.95, position: bool = True, seed: int = 0) -> Drift:
    """Whether strengths drift, and a half-life that held-out later votes choose.

    Parameters
    ----------
    votes : Votes
        With the days they were cast.
    level : float
        Of the interval, in (0, 1).
    position : bool
        Fit what the first place is worth, where the votes say which item was shown first.
    seed : int
        Shuffles the tenths.

    Examples
    --------
    >>> rng, ones = np.random.default_rng(0), np.ones(400)
    >>> days, left = np.arange(400.0), rng.integers(0, 2, 400)
    >>> first_is_better = (days < 200) == (left == 0)
    >>> votes = Votes(("old", "new"), left, 1 - left, 1.0 * first_is_better, ones, ones, ones, days=days)
    >>> found = drift(votes)
    >>> found.drifts, found.half_life < 100
    (True, True)
    """
    check_share(level, "level")
    alone = _one_by_one(votes)
    later, shuffled, apart = _last_tenth(alone, position, level, np.random.default_rng(seed))
    half_lives, figures = _tried(alone, position)
    best = int(np.argmin(figures.mean(axis=1)))
    gain = Difference.of(figures[0] - figures[best], len(CUTS), level)
    chosen = float(half_lives[best]) if gain.mean > gain.error else math.inf
    losses = figures.mean(axis=1)
    return Drift(later, shuffled, apart, level, half_lives, losses, gain, chosen, faded(votes, chosen))


def _one_by_one(votes: Votes) -> Votes:
    """The votes in order of time, dealt one by one whoever cast them; there must be days to cut between."""
    days, cast = len(np.unique(_days(votes))), votes.counts.sum()
    if days < TENTHS or cast < 2 * TENTHS:
        raise ValueError(
            f"drift must have {2 * TENTHS} votes of {TENTHS} days or more. Got {cast:g} votes of {days} days."
        )
    alone = replace(votes, people=votes.counts, times=np.ones(len(votes)), clusters=None, judges=None)
    return alone.take(np.argsort(_days(votes), kind="stable"))


def _days(votes: Votes) -> Vector:
    """When votes were cast."""
    if votes.days is None:
        raise ValueError("votes must have days. Got none. Name the column of dates.")
    return votes.days


def _last_tenth(
    votes: Votes, position: bool, level: float, rng: np.random.Generator
) -> tuple[float, float, Difference]:
    """Log loss on the last tenth and on shuffled ones, and the difference on the same votes."""
    known, last = _cut(votes, _ends(votes, CUTS[-1]), math.inf)
    after, linked = _foreseen(known, last, position)
    costs, shuffled, both = np.zeros(len(last)), 0.0, linked & _mostly_known(known, votes, last)
    numbered = replace(votes, clusters=np.arange(len(votes)))  # each row by people of its own, still
    first = len(votes) - len(last)
    for others, held in parted(numbered, TENTHS, rng):
        found, linked = _foreseen(others, held, position)
        shuffled += float(found @ held.weights)
        row = np.asarray(held.clusters) - first
        costs[row[row >= 0]] += (found * held.people)[row >= 0]
        both[row[row >= 0]] &= linked[row >= 0]
    apart = _paired((after - costs / last.people)[both], last.weights[both], level)
    return float(np.average(after, weights=last.weights)), shuffled / float(votes.weights.sum()), apart


def _foreseen(known: Votes, fresh: Votes, position: bool) -> tuple[Vector, Mask]:
    """The log loss of every fresh vote by strengths fitted to known ones, and whether those link its items."""
    linked = linked_by(known, fresh)
    return losses(chances_by(fitted(known, position), fresh.pairs), fresh, linked), linked


def _mostly_known(known: Votes, votes: Votes, fresh: Votes) -> Vector:
    """For every fresh vote whether the known votes are at least half of all on either item."""
    then, now = (np.bincount(of.pairs.ravel(), np.repeat(of.weights, 2), len(of.items)) for of in (known, votes))
    settled = 2 * then >= now
    return settled[fresh.left] & settled[fresh.right]


def _paired(apart: Vector, weights: Vector, level: float) -> Difference:
    """Mean difference, its standard error and normal interval.

    In shuffled tenths votes of the last one help to foresee each other, vote v by w as much as w by v. With ε_v what
    vote v differs from its chance by, the sum is then Σ ε_v A_vw ε_w, A symmetric. Its variance is 2 Σ A_vw², where
    votes taken for independent show Σ A_vw²: hence the 2.
    """
    if not weights.sum() > 1:
        return Difference(math.nan, math.nan, math.nan, math.nan)
    mean = float(np.average(apart, weights=weights))
    error = math.sqrt(2 * float(weights @ (apart - mean) ** 2) / (float(weights.sum()) - 1) / float(weights.sum()))
    half = float(ndtri((1 + level) / 2)) * error
    return Difference(mean, error, mean - half, mean + half)


def _ends(votes: Votes, share: float) -> float:
    """The last day up to which there is at most this share of the votes, which come in order of time."""
    days, firsts = np.unique(_days(votes), return_index=True)
    before = np.cumsum(votes.weights)[np.append(firsts[1:], len(votes)) - 1]
    at = int(np.searchsorted(before, share * before[-1] * (1 + 1e-12), side="right"))
    return float(days[max(at - 1, 0)])


def _cut(votes: Votes, start: float, end: float) -> tuple[Votes, Votes]:
    """The votes up to the day `start`, and those after it up to `end`."""
    days = _days(votes)
    return votes.take(days <= start), votes.take((days > start) & (days <= end))


def _tried(votes: Votes, position: bool) -> tuple[Vector, Vector]:
    """Half-lives, the first infinite, and of each the log loss on the tenth after every cut."""
    cuts = list(_windows(votes))
    span = float(np.ptp(_days(votes)))
    half_lives, figures = [math.inf], [_after_cuts(cuts, math.inf, position)]
    for half_life in span * HALF_LIVES:
        half_lives.append(float(half_life))
        figures.append(_after_cuts(cuts, float(half_life), position))
        means = [float(of.mean()) for of in figures]
        if len(means) > 3 and min(means[-2:]) > min(means[:-2]):
            break
    return np.array(half_lives), np.array(figures)


def _windows(votes: Votes) -> Iterator[tuple[Votes, Votes]]:
    """The votes up to each cut and those of the tenth that follows; none where a day holds more than that."""
    ends = [*(_ends(votes, share) for share in CUTS), math.inf]
    for start, end in pairwise(ends):
        if start < end:
            yield _cut(votes, start, end)


def _after_cuts(cuts: list[tuple[Votes, Votes]], half_life: float, position: bool) -> Vector:
    """The mean log loss on the votes after every cut, those before it faded."""
    figures = []
    for known, fresh in cuts:
        recent = faded(known, half_life)
        recent = recent.take(recent.worth >= FADED * known.worth)
        figures.append(np.average(_foreseen(recent, fresh, position)[0], weights=fresh.weights))
    return np.array(figures)


def faded(votes: Votes, half_life: float) -> Votes:
    """The votes, worth 2^(-a/h) of what they were if a days older than the last one.

    Examples
    --------
    >>> ones = np.ones(3)
    >>> votes = Votes(("a", "b"), np.zeros(3, int), np.ones(3, int), ones, ones, ones, ones, days=np.array([0, 10, 20]))
    >>> faded(votes, 10).worth
    array([0.25, 0.5 , 1.  ])
    """
    if math.isinf(half_life):
        return votes
    days = _days(votes)
    return replace(votes, worth=votes.worth * np.exp2((days - days.max()) / half_life))
