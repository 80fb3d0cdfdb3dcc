"""Scores from comparisons: the Bradley–Terry model with a position term, lapses, and a prior that fits the noise.

A pair (u, v) is shown u first. With probability 2ε the judge lapses and tosses a coin; otherwise it prefers u with
log-odds d = s_u - s_v + b, b being what the first place is worth:

    P(u wins) = q(d) = ε + (1 - 2ε) σ(d),    s ~ N(0, τ²),    b ~ N(0, ρ²).

The scores are the mode of the posterior. They are finite where an item always wins, always loses or is never compared.
An answer between 0 and 1 counts as that share of a win and the rest of a loss, so a tie is half of each.

The spread τ and the lapse rate ε, where not given, are fitted, see :mod:`ordain.rank.bradley_terry.mode`. So a noisy
judge shrinks the scores by itself, and one who errs on easy pairs as often as on hard ones is seen to lapse. The
spread ρ of the position term is always fitted: where few answers say nothing of it, b is close to zero.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ordain._types import Answers, Pairs, Vector
from ordain.preference import check_answers
from ordain.rank.bradley_terry.links import Graph, Information
from ordain.rank.bradley_terry.mode import FINE, ROUGH, Fit, improved, information, likeliest, placed
from ordain.rank.bradley_terry.noise import LAPSES, SPREADS, Noise, expected, won

MANY = 200
"""For so many items a fit may promise to gain one more in log-likelihood while τ and ε are sought."""


@dataclass(frozen=True)
class BradleyTerry:
    """Scores, the higher the better, their mean being zero; what the first place is worth; and the noise assumed.

    `position` is in log-odds, zero if not fitted. `spread` is τ, `lapse` is ε and `position_spread` is ρ. `converged`
    says whether the fit reached its tolerance.
    """

    scores: Vector
    position: float
    spread: float
    lapse: float
    position_spread: float
    converged: bool
    information: Information = field(repr=False, compare=False)

    @cached_property
    def standard_errors(self) -> Vector:
        """Standard deviations of the scores about their mean, in the normal approximation of the posterior.

        The inverse of the Fisher information plus the prior gives them, less the variance τ²/n of the common mean, of
        which comparisons say nothing. Beyond 2000 items they are estimated from 16 to 64 draws, until they are good to
        2 % in the mean over items: an item's variance is 1/H_uu plus the variance of its conditional mean, and only the
        second, mostly smaller, is subject to chance.
        """
        return np.sqrt(self._variances[:-1])

    @property
    def position_error(self) -> float:
        """Standard deviation of the position term."""
        return float(np.sqrt(self._variances[-1])) if self.information.graph.shown else 0.0

    def chances(self, first: ArrayLike, second: ArrayLike) -> Vector:
        """How likely each item of `first` is preferred to that of `second`, shown either way: q(s_first - s_second).

        Examples
        --------
        >>> bradley_terry([[0, 1], [1, 2]], [1, 1], spread=1.0, position=False).chances([0, 0], [1, 2]).round(2)
        array([0.6 , 0.69])
        """
        return won(self.scores[np.asarray(first)] - self.scores[np.asarray(second)], self._noise)

    def slopes(self, pairs: ArrayLike, answers: ArrayLike) -> Vector:
        """Derivative of each answer's log-likelihood in its margin s_first - s_second + b; y - σ(d) without lapses.

        Examples
        --------
        >>> fit = bradley_terry([[0, 1], [1, 0]], [1, 0], spread=1.0)
        >>> fit.slopes([[0, 1], [1, 0]], [1, 0]).round(2)
        array([ 0.26, -0.26])
        """
        shown, given, _ = _checked(pairs, answers, len(self.scores))
        d = self.scores[shown[:, 0]] - self.scores[shown[:, 1]] + self.position
        return expected(d, given, self._noise)[0]

    @property
    def _noise(self) -> Noise:
        return Noise(self.spread, self.lapse)

    @cached_property
    def _variances(self) -> Vector:
        return self.information.variances()

    def __str__(self) -> str:
        text = f"Scores of {len(self.scores)} items from {self.information.graph.weights.sum():.10g} answers"
        text += f", spread {self.spread:.3g}, lapses {self.lapse:.3g}"
        if self.information.graph.shown:
            text += f"; log-odds of the first place {self.position:+.3g} ± {self.position_error:.2g}"
        return text + "."


def bradley_terry(
    pairs: ArrayLike,
    answers: ArrayLike,
    n: int | None = None,
    *,
    weights: ArrayLike | None = None,
    position: bool = True,
    spread: float | None = None,
    lapse: float | None = 0.0,
) -> BradleyTerry:
    """Scores of the items from compared pairs, with their standard errors.

    Minimises -Σ w [y log q(d) + (1 - y) log q(-d)] + Σ s²/2τ² + b²/2ρ², see the module. Without lapses this is convex
    and the minimum is found to rounding; with lapses it is a local one.

    Parameters
    ----------
    pairs : integer array of shape (m, 2)
        Item numbers 0 … n - 1, in the order shown.
    answers : array of shape (m,)
        How surely the first beat the second: 1, 0, ½ for a tie, or between.
    n : int, optional
        Number of items; the largest in `pairs` plus one if not given.
    weights : array of shape (m,), optional
        What each answer counts, finite and not negative: w is as w equal answers. One each if not given.
    position : bool
        Fit what the first place is worth. Say False if the pairs are not in the order shown: where winners are listed
        first, a judge who always says *first* would explain everything.
    spread : float, optional
        τ, the prior standard deviation of the scores. Fitted if not given.
    lapse : float, optional
        ε, from 0 to below ½. Zero is the usual model; None fits it.

    Examples
    --------
    >>> fit = bradley_terry([[0, 1], [2, 1], [1, 2], [2, 0]], [1, 0.5, 1, 0], spread=1.0)
    >>> print(fit.scores.round(2), fit.standard_errors.round(2))
    [ 0.59 -0.05 -0.54] [0.64 0.58 0.58]
    >>> print(fit)
    Scores of 3 items from 4 answers, spread 1, lapses 0; log-odds of the first place +0.146 ± 0.5.
    """
    shown, given, items = _checked(pairs, answers, n)
    if spread is not None and not 0 < spread < np.inf:
        raise ValueError(f"spread must be a positive number. Got {spread}. Leave it out to have it fitted.")
    if lapse is not None and not 0 <= lapse < 0.5:
        raise ValueError(f"lapse must lie from 0 to below ½. Got {lapse}. Give None to have it fitted.")
    weighed = None if weights is None else _weights(weights, len(shown))
    graph, fit = Graph(shown, given, items, position, weighed), Fit(np.zeros(items + 1))
    grid = Noise(SPREADS if spread is None else [spread], LAPSES if lapse is None else [lapse])
    fit = improved(graph, likeliest(graph, grid, fit, max(ROUGH, items / MANY)), ROUGH)
    fit = improved(graph, placed(graph, fit), FINE)
    if not fit.converged:
        warnings.warn("the Bradley-Terry fit did not converge. Try a smaller spread or lapse.", stacklevel=2)
    return BradleyTerry(fit.scores, float(fit.x[-1]), *fit.noise, fit.converged, information(graph, fit))


def _checked(pairs: ArrayLike, answers: ArrayLike, n: int | None) -> tuple[Pairs, Answers, int]:
    """Pairs of different items below n, and an answer to each."""
    shown = np.asarray(pairs)
    if shown.size == 0:
        shown = np.empty((0, 2), dtype=np.intp)
    if shown.ndim != 2 or shown.shape[1] != 2 or shown.dtype.kind not in "iu":
        raise ValueError(f"pairs must be an (m, 2) array of item numbers. Got {shown.dtype} of shape {shown.shape}.")
    items = int(shown.max(initial=-1)) + 1 if n is None else n
    if items < 1:
        raise ValueError(f"there must be an item to score. Got n = {items} and {len(shown)} pairs. Give n.")
    first, second = shown[:, 0], shown[:, 1]
    if shown.min(initial=0) < 0 or shown.max(initial=0) >= items or (first == second).any():
        at = int(np.argmax((shown < 0).any(axis=1) | (shown >= items).any(axis=1) | (first == second)))
        raise ValueError(
            f"a pair must be two items from 0 to {items - 1}. Got {tuple(shown[at].tolist())} at place {at}."
        )
    return shown.astype(np.intp, copy=False), check_answers(shown, answers), items


def _weights(weights: ArrayLike, length: int) -> Vector:
    """A finite number, at least zero, for each pair."""
    array = np.asarray(weights)
    if array.shape != (length,) or array.dtype.kind not in "fiub":
        raise ValueError(f"weights must be one number per pair. Got {array.dtype} of shape {array.shape} for {length}.")
    if not (array.min(initial=0) >= 0 and array.max(initial=0) < np.inf):
        at = int(np.argmin((array >= 0) & (array < np.inf)))
        raise ValueError(f"weights must be finite and not negative. Got {array[at]} at place {at}. Drop such answers.")
    return array.astype(np.float64, copy=False)
