"""How a regret over pairs bounds the ranking regret: the transform F_ℓ of a loss, and its inverse."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordain.losses import Loss, get_loss
from ordain.losses.base import Array


def calibration(loss: str | Loss, theta: ArrayLike) -> Array:
    """F_ℓ(θ) = H(½) - ½ [H((1+θ)/2) + H((1-θ)/2)] for 0 ≤ θ ≤ 1 [MenonWilliamson14]_.

    For every scorer, F_ℓ(ranking regret) ≤ pair regret, if the best score has the sign of η - ½. The pair regret is
    that of s(x) - s(z) under the loss on pairs of different labels, against the best of all functions of a pair.

    *Proof.* A pair (x, z) with η̃ ≥ ½ has the 0-1 regret θ = 2η̃ - 1 if it is ranked wrongly, θ/2 if tied. The loss then
    stands for a probability q ≤ ½, and as a proper risk grows away from η̃, its regret is at least
    R(η̃) = H(½) + (η̃ - ½) H'(½) - H(η̃). The mirrored pair (z, x) is as frequent, has 1 - η̃, and is wrong too. The slopes
    cancel in the mean of both, which is F_ℓ(θ) ≥ F_ℓ(0-1 regret). H is concave, so F_ℓ is convex; take means (Jensen).

    For losses that treat both classes alike this is H(½) - H((1+θ)/2), the transform of Bartlett, Jordan and McAuliffe,
    given in [Agarwal14]_. If -H'' ≥ λ, then F_ℓ(θ) ≥ λθ²/8, so g(z) ≤ √(2z) for λ = 4.

    Examples
    --------
    >>> calibration("exponential", 0.6).round(12)  # 1 - √(1 - θ²)
    np.float64(0.2)
    """
    loss = _calibrated(loss)
    theta = np.asarray(theta, dtype=float)
    if not ((theta >= 0) & (theta <= 1)).all():
        raise ValueError(f"a ranking regret must lie in [0, 1]. Got {np.ravel(theta)[0]:g}. Give it as a share.")
    ends = loss.entropy((1 + theta) / 2) + loss.entropy((1 - theta) / 2)
    return np.maximum(loss.entropy(0.5) - ends / 2, 0.0)[()]


def inverse_calibration(loss: str | Loss, pair_regret: float) -> float:
    """The largest θ ≤ 1 with F_ℓ(θ) ≤ pair regret: no ranking regret is above it.

    Examples
    --------
    >>> round(inverse_calibration("exponential", 0.2), 9)
    0.6
    """
    loss = _calibrated(loss)
    target = pair_regret + 4e-16 * float(loss.entropy(0.5))  # what F may have lost by rounding
    if calibration(loss, 1.0) <= target:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if calibration(loss, middle) <= target else (low, middle)
    by_strength = np.sqrt(8 * pair_regret / loss.strength) if loss.strength > 0 else 1.0
    return float(min(high, by_strength))


def balanced_to_pairs(loss: str | Loss, balanced_regret: float) -> float:
    """What the pair regret of a scorer is at most, given its balanced regret r: 2r (logistic), r(2 + r) (exponential).

    Balanced, both classes weigh one half. Kotłowski, Dembczyński and Hüllermeier print 9/4 r for the exponential loss
    and every scorer, which holds for r ≤ ¼ only: where P = Q, scores ±k have the ratio 1 + cosh k.

    *Proof of r(2 + r).* Let A = E_P e^-f, B = E_Q e^f and h = Σ√(PQ) ≤ 1. The pair regret is AB - h², the balanced one
    r = (A + B)/2 - h, and AB ≤ ((A + B)/2)² = (r + h)². So it is at most r(r + 2h). The logistic loss is
    treated in their paper; see [Agarwal14]_.
    """
    loss = get_loss(loss)
    if loss.name == "logistic":
        return 2 * balanced_regret
    if loss.name == "exponential":
        return balanced_regret * (2 + balanced_regret)
    raise ValueError(
        f"from balanced to pairs is known for the logistic and the exponential loss. Got {loss.name}. "
        "balanced_bound takes every strongly proper loss."
    )


def _calibrated(loss: str | Loss) -> Loss:
    loss = get_loss(loss)
    if not loss.is_calibrated:
        raise ValueError(
            f"pairs need a loss whose best score has the sign of η - ½. Got {loss.name}. through_logit of it does."
        )
    return loss
