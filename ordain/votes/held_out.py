"""Methods compared on votes held out: how many they foresee, and how surely.

People are dealt to folds by lot, as many to each: a row of a thousand people is not held out as one. Where votes belong
together, whole judges and whole ballots are dealt. Each method is fitted to the other folds and meets the votes of this
one: *agreement* is the share of decided votes whose winner it puts first, *log loss* the mean of -log q over votes, q
being the chance it gave to the answer that came, and a tie half of each answer. Where no chain of other votes links two
items, a method knows nothing: that counts as a coin, half agreement and log 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import xlogy

from ordain._checks import check_share
from ordain._types import Answers, Mask, Vector
from ordain.bounds.paired_folds import Difference, best_elsewhere
from ordain.votes.cast_votes import Votes
from ordain.votes.methods import METHODS, Ranked, named

DEALT_EVENLY = 10**9
"""Below so many people folds are of equal size; beyond, everybody draws a fold."""


@dataclass(frozen=True)
class HeldOut:
    """A method's figures on each fold; log loss only where it gives chances."""

    method: str
    agreement: Vector
    log_loss: Vector | None


@dataclass(frozen=True)
class MethodsCompared:
    """What methods foresee of votes held out.

    Parameters
    ----------
    found : tuple of HeldOut
        A method each, with its figures on every fold.
    votes : int
        Votes that were held out once each.
    together : str
        What was dealt to the folds: votes, ballots or judges.
    level : float
        Of the intervals.
    notice : str, optional
        What must be said of the folds.
    """

    found: tuple[HeldOut, ...]
    votes: float
    together: str
    level: float
    notice: str | None = None

    @property
    def folds(self) -> int:
        """How many folds there were."""
        return len(self.found[0].agreement)

    def below(self, one: HeldOut) -> Difference:
        """How far the agreement of a method is below that of the method which is best on the other folds."""
        return self._apart([of.agreement for of in self.found], one.agreement)

    def above(self, one: HeldOut) -> Difference | None:
        """How far its log loss is above that of the best on the other folds; None where nothing is beside it."""
        given = [-of.log_loss for of in self.found if of.log_loss is not None]
        return None if one.log_loss is None or len(given) < 2 else self._apart(given, -one.log_loss)

    def _apart(self, figures: Sequence[Vector], own: Vector) -> Difference:
        reference = best_elsewhere(np.array(figures), np.zeros(self.folds, np.intp))
        return Difference.of(reference - own, self.folds, self.level)

    def __str__(self) -> str:
        level = f"{self.level * 100:g} %"
        lines = [f"{'method':<18}{'agreement':>10}  {'below the best (' + level + ')':<32}{'log loss':>8}"]
        for one in self.found:
            apart = self.below(one)
            below = f"{apart.mean:.4f} ({apart.low:.4f} to {apart.high:.4f})"
            loss = "" if one.log_loss is None else f"{one.log_loss.mean():.4f}"
            lines.append(f"{one.method:<18}{one.agreement.mean():>10.4f}  {below:<32}{loss:>8}".rstrip())
        whole = "" if self.together == "votes" else f" of whole {self.together}"
        lines.append(f"{self.votes:,.0f} votes were held out in {self.folds} folds{whole}.")
        return "\n".join(lines if self.notice is None else [*lines, self.notice])

    def as_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        about = {"votes": self.votes, "folds": self.folds, "together": self.together, "level": self.level}
        return about | {"notice": self.notice, "methods": [self._described(one) for one in self.found]}

    def _described(self, one: HeldOut) -> dict[str, Any]:
        """A method's means, and how far from the best."""
        loss = None if one.log_loss is None else float(one.log_loss.mean())
        figures = {"name": one.method, "agreement": float(one.agreement.mean()), "log_loss": loss}
        apart = {"agreement_below_best": self.below(one), "log_loss_above_best": self.above(one)}
        return figures | {name: None if of is None else _as_json(of) for name, of in apart.items()}


def _as_json(apart: Difference) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in asdict(apart).items()}


def compare_methods(
    votes: Votes,
    *,
    methods: Sequence[str] = tuple(METHODS),
    folds: int = 5,
    seed: int = 0,
    level: float = 0.95,
    position: bool = True,
) -> MethodsCompared:
    """What each method foresees of votes it has not seen.

    Parameters
    ----------
    votes : Votes
        What was voted. With clusters, whole judges or ballots are held out.
    methods : sequence of str
        Names of METHODS.
    folds : int
        So many parts are held out, one after the other; fewer where there are fewer judges.
    seed : int
        Deals the votes, and draws the order of what they leave level.
    level : float
        Of the intervals, in (0, 1).
    position : bool
        Fit what the first place is worth, where the votes say which item was shown first.

    Examples
    --------
    >>> ones = np.ones(4)
    >>> left, right = np.array([0, 1, 0, 2]), np.array([1, 2, 2, 0])
    >>> votes = Votes(("ant", "bee", "cat"), left, right, ones, np.array([60, 60, 80, 20]), ones, ones)
    >>> found = compare_methods(votes, methods=["degree", "feedback_arc_set"])
    >>> [round(float(one.agreement.mean()), 3) for one in found.found]
    [0.909, 0.909]
    """
    check_share(level, "level")
    chosen = [named(method) for method in methods]
    dealt, together, notice = _units(votes)
    count = _folds(dealt, folds, together)
    notice = f"{count} {together} make {count} folds, not {folds}." if count < folds else notice
    rows: list[list[tuple[float, float | None]]] = [[] for _ in chosen]
    for known, fresh in parted(dealt, count, np.random.default_rng(seed)):
        linked = linked_by(known, fresh)
        for figures, method in zip(rows, chosen, strict=True):
            made = method.ranked(known, position, np.random.default_rng(seed))
            figures.append((agreement(made, fresh, linked), log_loss(made, fresh, linked)))
    found = tuple(_held_out(method.name, figures) for method, figures in zip(chosen, rows, strict=True))
    return MethodsCompared(found, float(votes.counts.sum()), together, level, notice)


def _held_out(name: str, figures: list[tuple[float, float | None]]) -> HeldOut:
    """Figures fold by fold as two rows."""
    agreements, losses = zip(*figures, strict=True)
    return HeldOut(name, np.array(agreements), None if None in losses else np.array(losses))


def _units(votes: Votes) -> tuple[Votes, str, str | None]:
    """The votes with the clusters that stay together, what those are, and what must be said of it."""
    if votes.clusters is None:
        return votes, "votes", None
    if votes.judges is None:
        return votes, "ballots", None
    if len(np.unique(votes.clusters)) > 1:
        return votes, "judges", None
    alone = replace(votes, clusters=None, judges=None, people=votes.counts, times=np.ones(len(votes)))
    return alone, "votes", "All votes are of one judge: they are held out one by one, as if independent."


def _folds(votes: Votes, folds: int, together: str) -> int:
    """How many folds there can be."""
    people = int(_people(votes)[0].sum())
    if folds < 2 or people < 2:
        raise ValueError(
            f"votes must be held out in two folds or more. Got {folds} folds and {people} {together}. "
            "Votes of more people are needed, or more folds."
        )
    return min(folds, people)


def _people(votes: Votes) -> tuple[Vector, Vector]:
    """How many people each cluster is, each row without clusters, and the number of it for every row."""
    if votes.clusters is None:
        return votes.people, np.arange(len(votes))
    _, firsts, unit = np.unique(votes.clusters, return_index=True, return_inverse=True)
    return votes.people[firsts], unit


def parted(votes: Votes, folds: int, rng: np.random.Generator) -> Iterator[tuple[Votes, Votes]]:
    """For every fold the votes of the others and its own, people dealt by lot.

    Examples
    --------
    >>> one = np.ones(1)
    >>> votes = Votes(("a", "b"), np.array([0]), np.array([1]), one, 10 * one, one, one)
    >>> [(known.people.tolist(), fresh.people.tolist()) for known, fresh in parted(votes, 2, np.random.default_rng(0))]
    [([5.0], [5.0]), ([5.0], [5.0])]
    """
    people, unit = _people(votes)
    for held in _dealt(people, folds, rng):
        yield _with_people(votes, (people - held)[unit]), _with_people(votes, held[unit])


def _with_people(votes: Votes, people: Vector) -> Votes:
    """The rows that somebody is left of."""
    return replace(votes, people=people).take(people > 0)


def _dealt(people: Vector, folds: int, rng: np.random.Generator) -> Iterator[Vector]:
    """How many people of each unit are in every fold; what is left of a person by a fractional count is in any."""
    left = np.floor(people).astype(np.int64)
    part, fold_of_part = people - left, rng.integers(0, folds, len(people))
    for fold in range(folds):
        remaining = folds - fold
        if left.sum() < DEALT_EVENLY:
            # Numbers of each kind in a handful of all: hypergeometric in many colours.
            held = rng.multivariate_hypergeometric(left, int(left.sum()) // remaining, method="marginals")
        else:
            held = rng.binomial(left, 1 / remaining)
        left = left - held
        yield held + part * (fold_of_part == fold)


def linked_by(known: Votes, fresh: Votes) -> Mask:
    """For every fresh vote, whether a chain of known ones links its two items."""
    n = len(known.items)
    links = sparse.coo_array((np.ones(len(known)), (known.left, known.right)), shape=(n, n))
    part = connected_components(links, directed=False)[1]
    return part[fresh.left] == part[fresh.right]


def agreement(made: Ranked, fresh: Votes, linked: Mask) -> float:
    """The share of decided votes whose winner is put first; items that are level, or not linked, count half."""
    weights = np.where(fresh.answers == 0.5, 0.0, fresh.weights)
    ahead = np.where(linked, made.ahead(fresh.pairs), 0.5)
    right = np.where(fresh.answers > 0.5, ahead, 1 - ahead)
    return float(np.average(right, weights=weights)) if weights.any() else 0.5


def log_loss(made: Ranked, fresh: Votes, linked: Mask) -> float | None:
    """The mean of -y log q - (1 - y) log(1 - q), or None where the method gives no chances."""
    chances = made.chances(fresh.pairs)
    return None if chances is None else float(np.average(losses(chances, fresh, linked), weights=fresh.weights))


def losses(chances: Answers, fresh: Votes, linked: Mask) -> Vector:
    """-y log q - (1 - y) log(1 - q) of every vote, q = ½ where the items are not linked."""
    q = np.where(linked, chances, 0.5)
    return -xlogy(fresh.answers, q) - xlogy(1 - fresh.answers, 1 - q)
