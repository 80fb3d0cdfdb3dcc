"""How sure the scores of a board are, where votes of one judge belong together and where the model does not fit.

With H the information of the votes plus the prior, the posterior's variances are those of H⁻¹. They take votes for
independent and the model for true. The sandwich takes them as they came: with b the row of a vote in the
model, 1 for its left item, -1 for its right one and 1 for the place shown first,

    H⁻¹ (M + prior) H⁻¹,    M = Σ people · u uᵀ over clusters,    u = Σ times · worth · slope · b over a cluster's rows,

slope being the derivative of a vote's log-likelihood in its margin. A variance is the larger of the two.

The spread fitted to the scores is an estimate too, and strengths need not be normal; a prior that is too narrow pulls
scores together and says it is sure. So the errors are those of a fit whose prior is WIDER times as wide. And two things
that are taken as known stretch all scores: ∂s/∂ε for the lapse rate, with the variance that the votes leave of it, and
∂s/∂log τ = 2 H⁻¹ prior s for the spread, known to a factor of e^½. Their squares are added where a difference or a
score has an interval, but not where only the order counts, as what stretches changes no order.

The sandwich of few judges is wild: below twenty of them the posterior's variances are all multiplied by one design
effect, the ratio of the mean variances, and t on judges - 1 degrees of freedom takes the place of the normal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, ndtri, stdtrit

from ordain._types import Vector
from ordain.rank.bradley_terry.links import DENSE
from ordain.rank.bradley_terry.noise import Noise, won
from ordain.rank.bradley_terry.posterior import BradleyTerry, bradley_terry
from ordain.votes.cast_votes import Votes
from ordain.votes.linked_parts import centred

WIDER = 1.5
"""How much wider than the spread that was fitted the prior is of which the errors are."""

FEW = 20
"""Judges below which their own spread is not trusted item by item."""

LAPSE_SPREAD = 0.1
"""Prior standard deviation of the lapse rate, as far as its error is concerned."""

DRAWS = 64
"""Draws that serve beyond the number of items for which matrices are made."""


@dataclass(frozen=True)
class Errors:
    """Variances of the scores of a fit and of their differences; `fit` is the one with the wider prior.

    `roots` has a row √people · u for each cluster, so that M is its square; `doubts` has a row for each direction in
    which the scores move by one standard error of what was taken as known; `lapse_precision` is how precisely the votes
    tell the lapse rate; `parts` are those of the items; `judges` is how many judges there are, zero where nobody is
    known or one judge is all there is.
    """

    fit: BradleyTerry
    roots: Any
    doubts: Vector
    lapse_precision: float
    parts: Vector
    judges: int = 0

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.parts)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the variances."""
        return self.judges - 1 if 1 < self.judges < FEW else np.inf

    def quantile(self, share: float) -> float:
        """Below which an error in units of its standard error stays with this chance."""
        return float(stdtrit(self.freedom, share) if np.isfinite(self.freedom) else ndtri(share))

    def least_lapse(self, share: float) -> float:
        """The lapse rate that the true one exceeds with this chance, or zero."""
        error = 1 / np.sqrt(max(self.lapse_precision, np.finfo(float).tiny))
        return max(0.0, self.fit.lapse - self.quantile(share) * error)

    @cached_property
    def covariances(self) -> tuple[Vector, Vector]:
        """The posterior's and the sandwich's, of all scores; the means of the parts are still in them."""
        posterior = self.fit.information.covariance()
        meat = (self.roots.T @ self.roots).toarray()
        meat[np.diag_indices_from(meat)] += self.fit.information.prior
        return posterior[:-1, :-1], (posterior @ meat @ posterior)[:-1, :-1]

    @cached_property
    def variances(self) -> Vector:
        """Variances of the scores about the mean of their part, spread and lapses taken as known."""
        return self._larger(*self._both)

    @property
    def standard_errors(self) -> Vector:
        """Standard errors of the scores about the mean of their part."""
        return np.sqrt(self.variances + np.square(centred(self.doubts[:, :-1].T, self.parts)).sum(axis=1))

    @cached_property
    def _both(self) -> tuple[Vector, Vector]:
        """Variances of the scores by the posterior and by the sandwich."""
        if self.n > DENSE:
            return self._drawn()
        posterior, sandwich = (np.diag(centred(centred(of, self.parts).T, self.parts)) for of in self.covariances)
        return np.maximum(posterior, 0.0), np.maximum(sandwich, 0.0)

    @cached_property
    def _effect(self) -> float:
        """The design effect: by how much judges who agree with themselves raise the variances on average."""
        posterior, sandwich = self._both
        total = float(posterior.sum())
        return max(1.0, self.judges / (self.judges - 1) * float(sandwich.sum()) / total) if total > 0 else 1.0

    def _larger(self, posterior: Any, sandwich: Any) -> Any:
        return self._effect * posterior if 1 < self.judges < FEW else np.maximum(posterior, sandwich)

    @cached_property
    def of_differences(self) -> Vector:
        """Variance of s_i - s_j for every two items, spread and lapses taken as known; of no meaning between parts."""
        posterior, sandwich = (differences(of) for of in self.covariances)
        return self._larger(posterior, sandwich)

    def of_difference(self, first: int, second: int) -> float:
        """Variance of s_first - s_second, for any number of items."""
        contrast = np.zeros(self.n + 1)
        contrast[first], contrast[second] = 1.0, -1.0
        influence = self.fit.information.solved(contrast)
        meat = np.square(self.roots @ influence).sum() + (self.fit.information.prior * influence**2).sum()
        more = np.square(self.doubts @ contrast).sum()
        return float(self._larger(contrast @ influence, meat) + more)

    def _drawn(self) -> tuple[Vector, Vector]:
        """Both variances from draws x = H⁻¹ z, where z ~ N(0, M + prior); the posterior's by the fit itself.

        x_u goes with c_u = z_u / H_uu, the variance of which is known, so what the draws say of x_u² is corrected by
        what they say of c_u² times the square of the slope of x_u on c_u. Standard errors are good to 1 % at
        80 votes an item.
        """
        rng, information = np.random.default_rng(0), self.fit.information
        z = np.array([rng.standard_normal(self.roots.shape[0]) @ self.roots for _ in range(DRAWS)])
        z += np.sqrt(information.prior) * rng.standard_normal(z.shape)
        known = (np.asarray(self.roots.power(2).sum(axis=0)).ravel() + information.prior) / information.diagonal**2
        alone = (z / information.diagonal)[:, :-1]
        drawn = centred(self.fit.information.solved(z)[:, :-1].T, self.parts).T
        square = (alone**2).mean(axis=0)
        slope = (drawn * alone).mean(axis=0) / square
        sandwich = (drawn**2).mean(axis=0) + slope**2 * (known[:-1] - square)
        return self.fit.standard_errors**2, np.maximum(sandwich, 0.0)


def differences(covariance: Vector) -> Vector:
    """Variances of all differences: V_ii + V_jj - 2 V_ij."""
    variances = np.diag(covariance)
    return np.maximum(variances[:, None] + variances - 2 * covariance, 0.0)


def errors_of(fit: BradleyTerry, votes: Votes, parts: Vector) -> Errors:
    """What the votes that were fitted say of the errors of the fit."""
    fit = bradley_terry(
        votes.pairs,
        votes.answers,
        len(parts),
        weights=votes.weights,
        position=bool(fit.information.graph.shown),
        spread=WIDER * fit.spread,
        lapse=fit.lapse,
    )
    judges = 0 if votes.clusters is None or votes.judges is None else len(np.unique(votes.clusters))
    alone = judges == 1
    people, times = (votes.counts, np.ones(len(votes))) if alone else (votes.people, votes.times)
    clusters = np.arange(len(votes)) if alone or votes.clusters is None else votes.clusters
    slopes = times * votes.worth * fit.slopes(votes.pairs, votes.answers) * np.sqrt(people)
    entries = (slopes, -slopes, slopes * bool(fit.information.graph.shown))
    columns = (votes.left, votes.right, np.full(len(votes), len(parts)))
    shape = (int(clusters.max(initial=-1)) + 1, len(parts) + 1)
    roots = sparse.coo_array(
        (np.concatenate(entries), (np.tile(clusters, 3), np.concatenate(columns))), shape=shape
    ).tocsr()
    told, along_lapse = lapse_told(fit, votes, roots)
    return Errors(fit, roots, stretches(fit, told, along_lapse), told, parts, 0 if alone else judges)


def lapse_told(fit: BradleyTerry, votes: Votes, roots: Any) -> tuple[float, Vector]:
    """How precisely the votes tell the lapse rate ε, and -∂x/∂ε, x being the scores and the position.

    With information I_εε of the votes about ε and I_xε about both, ∂x/∂ε = -H⁻¹ I_xε and the precision of ε is
    I_εε - I_εx H⁻¹ I_xε, divided by how much larger the trace of M is than it would be were votes independent.
    """
    shown, n = bool(fit.information.graph.shown), len(fit.scores)
    margins = fit.scores[votes.left] - fit.scores[votes.right] + fit.position
    p, q = expit(margins), won(margins, Noise(fit.spread, fit.lapse))
    in_margin, in_lapse = (1 - 2 * fit.lapse) * p * (1 - p), 1 - 2 * p
    weights = votes.weights / np.maximum(
        q * (1 - q), np.finfo(float).eps
    )  # below it a vote is sure, and sums stay finite
    both, alone = weights * in_margin * in_lapse, float((weights * in_lapse**2).sum())
    mixed = np.append(np.bincount(votes.left, both, n) - np.bincount(votes.right, both, n), shown * both.sum())
    along = fit.information.solved(mixed)
    slopes = fit.slopes(votes.pairs, votes.answers)
    independent = (2 + shown) * float((votes.weights * slopes**2).sum())
    together = max(float(roots.power(2).sum()), np.finfo(float).tiny)
    return max(alone - float(mixed @ along), 0.0) * min(1.0, independent / together), along


def stretches(fit: BradleyTerry, told: float, along_lapse: Vector) -> Vector:
    """By how much x moves with one standard error of ε, and with half a unit of log τ."""
    unknowns = np.append(fit.scores, fit.position * bool(fit.information.graph.shown))
    along_spread = fit.information.solved(fit.information.prior * unknowns)
    return np.array([along_lapse / np.sqrt(told + LAPSE_SPREAD**-2.0), along_spread])
