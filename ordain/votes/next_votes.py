"""Which further votes would tell most about the order.

With the posterior N(s, C) of the scores, u is ahead of v with the chance P = Φ(t), t = (s_u - s_v) / √V_uv. Let the
doubt about an order be Σ P (1 - P) over all pairs. A vote on (a, b), whose answer has the information w about
s_a - s_b, will take δ = w (e_uvᵀ C e_ab)² / (1 + w V_ab) from the variance of s_u - s_v, e_uv being 1 at u and -1 at v.
P is then expected to stay what it is and to vary by φ(t)² δ / V_uv, to the first order; so that is what the vote is
expected to take from P (1 - P), and from all the doubt

    w / (1 + w V_ab) · e_abᵀ M e_ab,    M = C Q C,    Q = Σ φ(t_uv)² / V_uv · e_uv e_uvᵀ.

The vote with most of it is taken, C and M are brought up to date, and so on. Each pair is named once, and an item at
most three times, unless there are too few items for that. Beyond 2000 items only those at most five places apart are
looked at, and only the doubt about the pair itself, with V_uv the sum of both variances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csgraph
from scipy.special import ndtr

from ordain._types import Pairs, Vector
from ordain.rank.bradley_terry.links import DENSE
from ordain.rank.bradley_terry.noise import Noise, fisher
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.votes.cast_votes import Votes

EACH, APART = 3, 5
"""How often an item is named, and on large boards how many places apart two may be."""


class NextVote(NamedTuple):
    """A vote to ask for, the item ahead first, and what speaks for it."""

    first: Any
    second: Any
    why: str


def next_votes(votes: Votes, fit: BradleyTerry, *, count: int = 10) -> list[NextVote]:
    """The pairs on which a further vote is expected to take most from the doubt about the order, best first.

    Parameters
    ----------
    votes : Votes
        What was voted so far.
    fit : BradleyTerry
        The fit to these very votes.
    count : int
        How many to name; fewer come back where there are fewer pairs.

    Examples
    --------
    >>> from ordain.rank.bradley_terry.posterior import bradley_terry
    >>> left, right, one = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.ones(4)
    >>> votes = Votes(tuple("abcd"), left, right, np.array([1, 1, 0.5, 1]), one, 9 * one, one)
    >>> fit = bradley_terry(votes.pairs, votes.answers, weights=votes.weights, position=False)
    >>> for vote in next_votes(votes, fit, count=2):
    ...     print(vote.first, vote.second, vote.why)
    c b the first is ahead with a chance of 0.54, after 9 votes between them
    b d the first is ahead with a chance of 0.97, after 0 votes between them
    """
    if count < 1:
        raise ValueError(f"count must be at least 1. Got {count}.")
    most = max(EACH, -(-2 * count // max(len(votes.items) - 1, 1)))
    pairs, sure = _greedy(fit, count, most) if len(votes.items) <= DENSE else _near(fit, count, most)
    return _told(votes, pairs, sure)


def _greedy(fit: BradleyTerry, count: int, most: int) -> tuple[Pairs, Vector]:
    """Pairs, the item ahead first, and the chance that it is ahead indeed; one after the other by the formula above."""
    n, s = len(fit.scores), fit.scores
    d = s[:, None] - s
    w, C = fisher(d, Noise(fit.spread, fit.lapse)), fit.information.covariance()[:n, :n]
    V = _of_differences(C)
    np.fill_diagonal(V, 1.0)
    t = d / np.sqrt(V)
    weights = np.exp(-(t**2)) / V  # φ(t)² / V but for a factor that is the same for all
    np.fill_diagonal(weights, 0.0)
    M = C @ (np.diag(weights.sum(axis=1)) - weights) @ C
    open_pairs, named = np.triu(np.ones((n, n), dtype=bool), 1), np.zeros(n, dtype=np.intp)
    pairs: list[tuple[Any, Any]] = []
    while len(pairs) < count and open_pairs.any():
        gain = np.where(open_pairs, _gains(w, C, M), -np.inf)
        a, b = np.unravel_index(np.argmax(gain), gain.shape)
        pairs.append((a, b) if d[a, b] >= 0 else (b, a))
        C, M = _updated(C, M, int(a), int(b), float(w[a, b]))
        open_pairs[a, b] = False
        named[[a, b]] += 1
        open_pairs[named >= most] = open_pairs[:, named >= most] = False
    found = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return found, ndtr(t[found[:, 0], found[:, 1]])


def _of_differences(C: Vector) -> Vector:
    """e_uvᵀ C e_uv for all pairs."""
    own = np.diag(C)
    return own[:, None] + own - 2 * C


def _gains(w: Vector, C: Vector, M: Vector) -> Vector:
    """What a vote on each pair is expected to take from the doubt."""
    return w / (1 + w * _of_differences(C)) * _of_differences(M)


def _updated(C: Vector, M: Vector, a: int, b: int, w: float) -> tuple[Vector, Vector]:
    """C and M = C Q C after a vote on (a, b): C' = C - c k kᵀ with k = C e and c = w / (1 + w eᵀ C e)."""
    k, h = C[:, a] - C[:, b], M[:, a] - M[:, b]
    c = w / (1 + w * (k[a] - k[b]))
    both = np.outer(k, h)
    return C - c * np.outer(k, k), M - c * (both + both.T) + c**2 * (h[a] - h[b]) * np.outer(k, k)


def _near(fit: BradleyTerry, count: int, most: int) -> tuple[Pairs, Vector]:
    """The same among items a few places apart, each pair by itself."""
    order = np.argsort(-fit.scores, kind="stable")
    pairs = np.concatenate([np.column_stack((order[:-k], order[k:])) for k in range(1, APART + 1)])
    d, V = fit.scores[pairs[:, 0]] - fit.scores[pairs[:, 1]], (fit.standard_errors[pairs] ** 2).sum(axis=1)
    w = fisher(d, Noise(fit.spread, fit.lapse))
    gains = w * V / (1 + w * V) * np.exp(-(d**2) / V)
    named = np.zeros(len(order), dtype=np.intp)
    chosen: list[int] = []
    for at in np.argsort(-gains, kind="stable"):
        if len(chosen) == count:
            break
        if (named[pairs[at]] < most).all():
            named[pairs[at]] += 1
            chosen.append(at)
    return pairs[chosen], ndtr(d[chosen] / np.sqrt(V[chosen]))


def _told(votes: Votes, pairs: Pairs, sure: Vector) -> list[NextVote]:
    """The pairs by name, with what is known of them so far."""
    n = len(votes.items)
    links = coo_array((np.ones(len(votes)), (votes.left, votes.right)), shape=(n, n))
    part = csgraph.connected_components(links, directed=False)[1]
    keys = np.sort(votes.pairs, axis=1) @ (n, 1)
    found = []
    for (a, b), chance in zip(pairs, sure, strict=True):
        between = votes.counts[keys == min(a, b) * n + max(a, b)].sum()
        why = f"the first is ahead with a chance of {chance:.2f}, after {between:g} votes between them"
        if part[a] != part[b]:
            why = "no chain of votes links them"
        found.append(NextVote(votes.items[a], votes.items[b], why))
    return found
