"""How far a scorer can be from the best ranking, given how far its loss is from the least: numbers in, certificate out.

Write ρ for the ranking regret, r for the loss regret, p for the share of positives and λ for the strength of the loss.

==========================  =========================================  ====================================
function                    bound                                      holds for
==========================  =========================================  ====================================
:func:`regret_bound`        √(2r/3λ) / p(1-p)                          every strongly proper loss
:func:`prevalence_bound`    √(2r/3w) / p(1-p),  w = -H''(p)            logistic, exponential, squared costs
:func:`balanced_bound`      √(32r/3λ), r with both classes at ½        every strongly proper loss
:func:`low_noise_bound`     C 2^(1+α) (2r/λ)^((1+α)/2) / p(1-p)        P(\\|η(X) - η(x)\\| ≤ t) ≤ C t^α
:func:`plug_in_bound`       ‖η̂ - η‖ / p(1-p), or less                  every estimate of η
:func:`pair_bound`          F_ℓ⁻¹(r), r over pairs                     every proper loss with ψ(½) = 0
==========================  =========================================  ====================================

`.needed(ranking_regret)` of each result turns the bound round. The proofs of what goes beyond [Agarwal14]_ are in
``docs/proofs.md``. All bounds hold for a scorer f and the estimate η̂ = ψ⁻¹∘f, also where ψ⁻¹ clips: only
η̂(x) > η̂(z) ⇒ f(x) > f(z) is used, so squared losses need not have their scores cut to [-1, 1].
"""

from __future__ import annotations

import math

from ordain._checks import check_share
from ordain.bounds.records import (
    PRINTED_BALANCED,
    BalancedBound,
    LowNoiseBound,
    PairBound,
    PlugInBound,
    PrevalenceBound,
    RegretBound,
)
from ordain.losses import Loss, get_loss

AT_PREVALENCE = (
    "logistic",
    "exponential",
    "canonical_exponential",
    "squared",
    "squared_hinge",
    "canonical_squared",
)
"""Losses for which the weight at the prevalence is proved to take the place of λ."""


def regret_bound(loss: str | Loss, *, loss_regret: float, prevalence: float, sharp: bool = True) -> RegretBound:
    """The ranking regret of a scorer from its loss regret: ρ ≤ √(2r/3λ) / (p (1 - p)).

    With e = η̂ - η for the estimate η̂ = ψ⁻¹∘f, and U, V the mid-ranks of f and of η,

        p (1 - p) ρ = E[η(V - U)] ≤ -E[e(V - U)] ≤ ‖e‖ ‖V - U‖ ≤ √(2r/λ) · √(1/3),

    where E[η̂(V - U)] ≤ 0 because no ranks go better with η̂ than its own, and the variance of a mid-rank is at most
    1/12. The constant cannot be smaller: η uniform around p and η̂ almost constant, ranking backwards, attain it with
    the squared loss (`docs/proofs.md`, 2).

    Parameters
    ----------
    loss : str or Loss
        A strongly proper loss.
    loss_regret : float
        Mean loss minus the least possible mean loss, the Bayes risk.
    prevalence : float
        p, the share of positives.
    sharp : bool
        False gives Theorem 13 as printed in [Agarwal14]_, √3 times as much.

    Examples
    --------
    >>> round(regret_bound("logistic", loss_regret=0.01, prevalence=0.2).value, 4)
    0.2552
    >>> round(regret_bound("logistic", loss_regret=0.01, prevalence=0.2, sharp=False).value, 4)
    0.4419
    """
    loss = _strong(loss)
    return RegretBound(
        loss.name, _amount(loss_regret), check_share(prevalence, "prevalence"), float(loss.strength), sharp
    )


def prevalence_bound(loss: str | Loss, *, loss_regret: float, prevalence: float) -> PrevalenceBound:
    """Theorem 13 with -H''(p), the weight of the loss at the share of positives, in the place of λ, its least value.

        logistic     ρ ≤ √(2r / 3p(1-p))
        exponential  ρ ≤ √(4r / 3√(p(1-p)))
        squared      ρ ≤ √(r/12) / (p(1-p)), as before

    At p = ½ this is :func:`regret_bound`; at p = 0.01 it is 5 times smaller for logistic, 11 times for exponential. It
    is sharp at every p: η uniform close around p, ranked backwards, attains it in the limit (`docs/proofs.md`, 3). The
    link does not matter, so the canonical losses of the same costs are served too. For other losses nothing is proved.

    Parameters
    ----------
    loss : str or Loss
        logistic, exponential, canonical_exponential, squared, squared_hinge or canonical_squared.
    loss_regret, prevalence : float
        As for :func:`regret_bound`.

    Examples
    --------
    >>> round(prevalence_bound("logistic", loss_regret=0.001, prevalence=0.01).value, 4)
    0.2595
    >>> round(regret_bound("logistic", loss_regret=0.001, prevalence=0.01).value, 4)
    1.304
    """
    loss = get_loss(loss)
    if loss.name not in AT_PREVALENCE:
        raise ValueError(f"loss must be one of {', '.join(AT_PREVALENCE)}. Got {loss.name}. Use regret_bound.")
    prevalence = check_share(prevalence, "prevalence")
    return PrevalenceBound(loss.name, _amount(loss_regret), prevalence, float(loss.weight(prevalence)))


def balanced_bound(loss: str | Loss, *, balanced_regret: float, sharp: bool = True) -> BalancedBound:
    """The ranking regret from the regret of the loss in which both classes weigh one half: ρ ≤ √(32r/3λ).

    Ranking does not see how frequent the classes are, so this is :func:`regret_bound` at p = ½. For λ = 4 it is
    √(8/3) √r, below 2 √r and 3/√2 · √r, which `sharp=False` gives for logistic and exponential (equations 29 and 30 in
    [Agarwal14]_).

    Examples
    --------
    >>> round(balanced_bound("exponential", balanced_regret=0.01).value, 4)
    0.1633
    """
    loss = _strong(loss)
    if not sharp and loss.name not in PRINTED_BALANCED:
        raise ValueError(f"sharp=False needs loss logistic or exponential. Got {loss.name}. Leave it out.")
    return BalancedBound(loss.name, _amount(balanced_regret), float(loss.strength), sharp)


def low_noise_bound(
    loss: str | Loss, *, loss_regret: float, prevalence: float, alpha: float, scale: float, sharp: bool = True
) -> LowNoiseBound:
    """The ranking regret if few pairs are hard: P(|η(X) - η(x)| ≤ t) ≤ C t^α for all x and t in [0, 1].

    A misranked pair has |η - η'| ≤ |e| + |e'| ≤ 2 max(|e|, |e'|). Whichever error is the larger, fix its point and use
    the assumption for the other one:

        p (1 - p) ρ ≤ E[2|e| · C (2|e|)^α] = C 2^(1+α) E|e|^(1+α) ≤ C 2^(1+α) (2r/λ)^((1+α)/2)

    (`docs/proofs.md`, 4). The exponent is 1 at α = 1, where Theorem 15 of [Agarwal14]_ has 2/3. The assumption speaks
    of a continuous η: a single value of η with positive mass forces α = 0, so no sample can show it.

    Parameters
    ----------
    loss, loss_regret, prevalence
        As for :func:`regret_bound`.
    alpha, scale : float
        α in [0, 1] and C. As t = 1 takes in all points, C is at least 1; η uniform on a width w has C = (2/w)^α.
    sharp : bool
        False gives the exponent (1+α)/(2+α) of Theorem 15, for α < 1, with the constant that this proof makes explicit.

    Examples
    --------
    >>> round(low_noise_bound("squared", loss_regret=1e-4, prevalence=0.5, alpha=1, scale=2).value, 9)
    0.0008
    """
    loss = _strong(loss)
    if not 0 <= alpha <= 1 or (alpha == 1 and not sharp):
        raise ValueError(f"alpha must lie in [0, 1], below 1 for sharp=False. Got {alpha}. 0 assumes nothing.")
    if not scale >= 1 or math.isinf(scale):
        raise ValueError(f"scale must be at least 1, as t = 1 takes in all points. Got {scale}. Give C.")
    prevalence = check_share(prevalence, "prevalence")
    return LowNoiseBound(
        loss.name, _amount(loss_regret), prevalence, float(loss.strength), float(alpha), float(scale), sharp
    )


def plug_in_bound(*, error: float, prevalence: float, power: float = 1.0) -> PlugInBound:
    """The ranking regret of an estimate η̂ from its error: ρ ≤ (1+r)^(-1/r) ‖η̂ - η‖_q / (p (1 - p)), 1/q + 1/r = 1.

    q = 1 has the factor 1, Corollary 12 of [Agarwal14]_; q = 2 has 1/√3 and gives :func:`regret_bound`; q = ∞ has ½. No
    factor can be smaller (`docs/proofs.md`, 2). Ties count one half and are charged in full.

    Parameters
    ----------
    error : float
        (E|η̂ - η|^q)^(1/q); for q = ∞ the largest |η̂ - η|.
    prevalence : float
        p, the share of positives.
    power : float
        q ≥ 1.

    Examples
    --------
    >>> round(plug_in_bound(error=0.02, prevalence=0.3).value, 4)
    0.0952
    """
    if not power >= 1:
        raise ValueError(f"power must be at least 1. Got {power}. 1 is the mean absolute error.")
    return PlugInBound(_amount(error, "error"), check_share(prevalence, "prevalence"), float(power))


def pair_bound(loss: str | Loss, *, pair_regret: float) -> PairBound:
    """The ranking regret from the regret over pairs: ρ ≤ F_ℓ⁻¹(r) [MenonWilliamson14]_.

    F_ℓ is :func:`~ordain.bounds.calibration.calibration`; for exponential it is 1 - √(1 - θ²). The pair regret compares
    with the best function of a pair, which is a difference of scores only if ψ⁻¹ is a sigmoid.

    Examples
    --------
    >>> round(pair_bound("exponential", pair_regret=0.02).value, 6)
    0.198997
    """
    bound = PairBound(get_loss(loss), _amount(pair_regret, "pair_regret"))
    bound.needed(0.0)  # refuses a loss that is not calibrated
    return bound


def _strong(loss: str | Loss) -> Loss:
    loss = get_loss(loss)
    if not loss.strength > 0:
        raise ValueError(f"the loss must be strongly proper, λ > 0. Got {loss.name} with λ = {loss.strength:g}.")
    return loss


def _amount(value: float, name: str = "loss_regret") -> float:
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a finite number of at least 0. Got {value}. It is what exceeds the least.")
    return float(value)
