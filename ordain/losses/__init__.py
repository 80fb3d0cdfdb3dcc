"""Losses: an entropy H and a link ψ each, and what follows from them. Table 1 of [Agarwal14]_ and ways to make more."""

from ordain.losses.base import LINE, Loss, MarginLoss
from ordain.losses.bayes import from_bayes_risk
from ordain.losses.derived import balanced, p_classification, through_logit
from ordain.losses.proper import is_proper, is_regular, is_strictly_proper, mixture_cost, numeric_strength
from ordain.losses.zoo import (
    LOSSES,
    CanonicalExponential,
    CanonicalSpherical,
    CanonicalSquared,
    Exponential,
    Logistic,
    Spherical,
    Squared,
    SquaredHinge,
    did_you_mean,
    get_loss,
)

__all__ = [
    "LINE",
    "LOSSES",
    "CanonicalExponential",
    "CanonicalSpherical",
    "CanonicalSquared",
    "Exponential",
    "Logistic",
    "Loss",
    "MarginLoss",
    "Spherical",
    "Squared",
    "SquaredHinge",
    "balanced",
    "did_you_mean",
    "from_bayes_risk",
    "get_loss",
    "is_proper",
    "is_regular",
    "is_strictly_proper",
    "mixture_cost",
    "numeric_strength",
    "p_classification",
    "through_logit",
]
