"""The judges of a board: how many votes each cast, how far it agrees with the others, and who is a suspect.

A judge's agreement is the share of its decided votes that go to the item ahead on the board made without it; where two
are level there, half. What the fit expects of an honest judge is the mean, over the same votes, of the chance

    q(κ d),    κ = 1 / √(1 + π v / 8),

of a margin d known with variance v. Agreement that is too low and a share of left answers that is too far either way
make a suspect, see :mod:`ordain.votes.judge_suspects`, by Holm's procedure over all tests of the table at 5 %. A judge
with fewer than 10 decided votes is never one, nor is any where fewer than 5 have so many: how far honest ones differ
could not be known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from ordain._checks import check_share
from ordain._types import Vector
from ordain.audit.share import TIE, Share
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.votes.cast_votes import Votes
from ordain.votes.judge_left_out import LeftOut, left_out
from ordain.votes.judge_suspects import Shares, holm, spread_between, tails

FEWEST, JUDGES, ERROR = 10, 5, 0.05
"""Decided votes and such judges below which nobody is a suspect; how often honest tables may name anybody."""


@dataclass(frozen=True)
class JudgeRow:
    """One judge; `left` is None where votes do not say what was shown left, `why` is empty unless it is a suspect."""

    judge: Any
    votes: float
    agreement: Share
    expected_agreement: float
    left: Share | None
    expected_left: float | None
    p_value: float
    why: str

    @property
    def suspect(self) -> bool:
        """Whether it is one."""
        return bool(self.why)

    def row(self) -> dict[str, Any]:
        """The columns of the table of judges."""
        found = {"judge": self.judge, "votes": self.votes, **_columns("agreement", self.agreement)}
        found |= {"expected_agreement": self.expected_agreement, **_columns("left", self.left)}
        return found | {"expected_left": self.expected_left, "suspect": self.suspect, "why": self.why}


@dataclass(frozen=True)
class JudgesTable:
    """All judges, in the order of their numbers."""

    judges: tuple[JudgeRow, ...]

    def __iter__(self) -> Iterator[JudgeRow]:
        return iter(self.judges)

    def __len__(self) -> int:
        return len(self.judges)

    @property
    def suspects(self) -> tuple[JudgeRow, ...]:
        """Those who are, the surest first."""
        return tuple(sorted((row for row in self.judges if row.suspect), key=lambda row: row.p_value))

    def rows(self) -> list[dict[str, Any]]:
        """One dict of columns for each judge."""
        return [row.row() for row in self.judges]

    def __str__(self) -> str:
        if not self.suspects:
            return f"None of {len(self)} judges is a suspect (an honest table names anybody at most 5 times in 100)."
        reasons = "; ".join(f"{row.judge} {row.why}" for row in self.suspects)
        many = f"{len(self.suspects)} {'is a suspect' if len(self.suspects) == 1 else 'are suspects'}"
        return f"Of {len(self)} judges {many}: {reasons}."


def judges_table(votes: Votes, fit: BradleyTerry, *, level: float = 0.95) -> JudgesTable:
    """The judges' votes, their agreement with the board made without them, and their share of left answers.

    Parameters
    ----------
    votes : Votes
        With judges.
    fit : BradleyTerry
        The fit to these very votes.
    level : float
        Confidence of the intervals, by Clopper and Pearson; pairs of a ballot count as what they are worth.

    Examples
    --------
    >>> from ordain.rank.bradley_terry.posterior import bradley_terry
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.permuted(np.tile(np.arange(8), (1600, 1)), axis=1)[:, :2].T
    >>> judge, one = np.arange(1600) // 200, np.ones(1600)
    >>> won = np.where(judge == 5, 1.0, rng.random(1600) < expit((left - right) / 2))
    >>> votes = Votes(tuple("abcdefgh"), left, right, won, one, one, one, judge, tuple("ABCDEFGH"))
    >>> print(judges_table(votes, bradley_terry(votes.pairs, won)))
    Of 8 judges 1 is a suspect: F agreed with the board made without it on 0.51 of 200 decided votes, where 0.79 was
    expected, and answered left on 1.00 of 200 decided votes, where 0.49 was expected.
    """
    check_share(level, "level")
    if votes.judges is None or votes.clusters is None:
        raise ValueError("votes must say who cast them. Got none that do. Name the judge's column.")
    counts = votes.counts * (np.abs(votes.answers - 0.5) > TIE)
    board = left_out(votes, votes.clusters, fit, counts)
    agreement, left = _shares(votes, fit, board, counts)
    p_values = _tested(agreement, left if votes.shown else None)
    cast = np.bincount(votes.clusters, votes.counts, len(votes.judges))
    rows = []
    for j, name in enumerate(votes.judges):
        seen, side = (_share(shares, j, level) for shares in (agreement, left))
        known = float(left.expected[j]) if votes.shown else None
        why = _why(agreement, left, p_values[:, j], j)
        expected, shown = float(agreement.expected[j]), side if votes.shown else None
        rows.append(JudgeRow(name, float(cast[j]), seen, expected, shown, known, float(p_values[:, j].min()), why))
    return JudgesTable(tuple(rows))


def _shares(votes: Votes, fit: BradleyTerry, board: LeftOut, counts: Vector) -> tuple[Shares, Shares]:
    """Of each judge the votes for the item ahead, and those for the left one, seen and expected."""
    q = fit.lapse + (1 - 2 * fit.lapse) * expit(board.margins / np.sqrt(1 + np.pi * board.variances / 8))
    clusters, ahead, judges = np.asarray(votes.clusters), np.sign(board.ahead), len(votes.judges or ())

    def summed(numbers: Vector) -> Vector:
        return np.bincount(clusters, numbers, judges)

    decided, worth = summed(counts), np.rint(summed(counts * votes.worth))
    each = np.maximum(decided, 1)
    independent = summed(counts * q * (1 - q)) / each / np.maximum(worth, 1)

    def share(seen: Vector, expected: Vector, unsure: Vector) -> Shares:
        return Shares(worth, summed(counts * seen) / each, summed(counts * expected) / each, unsure / each**2)

    pulled = share(0.5 + ahead * (votes.answers - 0.5), 0.5 + ahead * (q - 0.5), board.order_variances)
    sided = share(votes.answers, q, board.left_variances)
    return _with(pulled, independent), _with(sided, independent)


def _with(shares: Shares, independent: Vector) -> Shares:
    """The shares with the variances of independent votes added."""
    return shares._replace(variances=shares.variances + independent)


def _tested(agreement: Shares, left: Shares | None) -> Vector:
    """Holm's p-values of both shares, in two lines; 1 where nothing is tested."""
    p_values = np.ones((2, len(agreement.votes)))
    tested = np.flatnonzero(agreement.votes >= FEWEST)
    if len(tested) < JUDGES:
        return p_values
    low, _ = _tails(agreement, tested)
    found = [low]
    if left is not None:
        found.append(np.minimum(1.0, 2 * np.minimum(*_tails(left, tested))))
    p_values[: len(found), tested] = holm(np.concatenate(found)).reshape(len(found), -1)
    return p_values


def _tails(shares: Shares, tested: Vector) -> tuple[Vector, Vector]:
    some = Shares(*(of[tested] for of in shares))
    return tails(some, spread_between(some))


def _share(shares: Shares, j: int, level: float) -> Share:
    """The share of one judge with its interval; its votes are counted as what they are worth."""
    worth = int(shares.votes[j])
    return Share(float(shares.seen[j]) * worth, worth, level)


def _why(agreement: Shares, left: Shares, p_values: Vector, j: int) -> str:
    """What is wrong with a judge, in words; nothing if nothing is."""
    said = ("agreed with the board made without it", "answered left")
    return ", and ".join(
        f"{what} on {of.seen[j]:.2f} of {of.votes[j]:.0f} decided votes, where {of.expected[j]:.2f} was expected"
        for what, of, p_value in zip(said, (agreement, left), p_values, strict=True)
        if p_value <= ERROR
    )


def _columns(name: str, share: Share | None) -> dict[str, float | None]:
    """A share and the ends of its interval; nothing of no votes."""
    empty = share is None or share.of == 0
    values = (None, None, None) if share is None or empty else (share.value, share.low, share.high)
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))
