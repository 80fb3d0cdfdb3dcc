"""How far the scores spread, and how well that is known.

Where earlier answers choose the later lists, far items are compared through chains of near ones, so differences are as
long or short as the spread τ assumed. It is therefore sought more carefully for standard errors than for an order. The
evidence -log P(answers | τ) is Laplace's, with the whole Hessian H and not its diagonal,

    loss + Σ s²/2τ² + n log τ + ½ log det H + (log₁₀ τ)²/2,

and its curvature in log τ tells how well τ is known. That doubt moves all scores together, by ds/dlog τ = 2 S s/τ², S
being their covariance. How often the intervals hold, `benchmarks/lists.py` measures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg

from ordain._types import Vector
from ordain.rank.bradley_terry.noise import Noise, losses
from ordain.rank.bradley_terry.posterior import BradleyTerry
from ordain.rank.list_law import Normal, dense
from ordain.rank.plackett_luce import Curve, Luce, Stages

STEP = np.log(2) / 2
"""From one τ that is tried to the next, in log τ."""

FARTHEST = 12
"""Most steps from the τ at the start."""


DOUBLED, MOST = 2.0, 1.0
"""The doubt is taken twice, as Laplace's formula errs about as much as the answers leave open; and the most it is."""


class Scale(NamedTuple):
    """τ, the standard deviation of log τ, and what the scores gain as log τ does."""

    spread: float
    doubt: float
    gains: Vector


def fitted_spread(cost: Callable[[float], float], start: float) -> tuple[float, float]:
    """The τ of least cost and the doubt about log τ: downhill by steps, then a parabola through three."""
    known = {step: cost(start * np.exp(step * STEP)) for step in (-1, 0, 1)}
    at = 0
    while known[at] > min(known[at - 1], known[at + 1]) and abs(at) < FARTHEST:
        at += 1 if known[at + 1] < known[at - 1] else -1
        known |= {step: cost(start * np.exp(step * STEP)) for step in (at - 1, at + 1) if step not in known}
    low, here, high = known[at - 1], known[at], known[at + 1]
    bend = max(low - 2 * here + high, np.finfo(float).tiny)
    shift = float(np.clip((low - high) / (2 * bend), -1, 1))
    return float(start * np.exp((at + shift) * STEP)), float(min(MOST, DOUBLED * STEP / np.sqrt(bend)))


def scaled(spread: float, doubt: float, law: Normal) -> Scale:
    """The scale with what the scores of a law gain as log τ does, 2 S s/τ²."""
    return Scale(spread, doubt, 2 * law.covariance @ law.mean / spread**2)


def luce_cost(stages: Stages, fit: Luce) -> float:
    """-log P(orders | τ) of a Plackett–Luce fit, the places being as fitted."""
    curve = Curve(stages, stages.utilities(fit.x), fit.noise.lapse)
    return float(curve.loss.sum()) + _cost(curve.hessian, fit.x[: stages.n], fit.noise.spread)


def pairs_cost(fit: BradleyTerry) -> float:
    """-log P(answers | τ) of a Bradley–Terry fit, the position being as fitted."""
    graph, noise = fit.information.graph, Noise(fit.spread, fit.lapse)
    margins = graph.margins(np.append(fit.scores, fit.position))
    hessian = dense(graph, fit.information.weights)
    return float(graph.weights @ losses(margins, graph.answers, noise)) + _cost(hessian, fit.scores, fit.spread)


def _cost(hessian: Vector, scores: Vector, spread: float) -> float:
    """Σ s²/2τ² + n log τ + ½ log det(H + 1/τ²) + (log₁₀ τ)²/2."""
    root = linalg.cholesky(hessian + np.eye(len(scores)) / spread**2, lower=True, check_finite=False)
    prior = (scores @ scores) / (2 * spread**2) + len(scores) * np.log(spread) + np.log10(spread) ** 2 / 2
    return float(prior + np.log(np.diag(root)).sum())
