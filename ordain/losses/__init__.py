"""Losses: an entropy H and a link ψ each, and what follows from them. Table 1 of [Agarwal14]_ and ways to make more."""

from ordain.losses.base import LINE, Loss, MarginLoss
from ordain.losses.bayes import from_bayes_risk
from ordain.losses.derived import balanced, p_classification, through_logit
from ordain.losses.pairing import Form, Pairing
from ordain.losses.proper import is_proper, is_regular, is_strictly_proper, mixture_cost, numeric_strength
from ordain.losses.zoo import (
    LOSSES,
    PAIRINGS,
    CanonicalExponential,
    CanonicalSpherical,
    CanonicalSquared,
    Exponential,
    Logistic,
    Spherical,
    Squared,
    SquaredHinge,
    get_loss,
    get_pairing,
)

__all__ = [
    "LINE",
    "LOSSES",
    "PAIRINGS",
    "CanonicalExponential",
    "CanonicalSpherical",
    "CanonicalSquared",
    "Exponential",
    "Form",
    "Logistic",
    "Loss",
    "MarginLoss",
    "Pairing",
    "Spherical",
    "Squared",
    "SquaredHinge",
    "balanced",
    "from_bayes_risk",
    "get_loss",
    "get_pairing",
    "is_proper",
    "is_regular",
    "is_strictly_proper",
    "mixture_cost",
    "numeric_strength",
    "p_classification",
    "through_logit",
]
