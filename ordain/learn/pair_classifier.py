"""What a fitted classifier of pairs says: a preference that is consistent to the last bit, or a scorer in disguise."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from ordain._types import Answers, Pairs, Vector
from ordain.preference import pair_features

CELLS = 1 << 22
"""Numbers in the features of the pairs that are predicted at once, which bounds the memory."""

GRID = 2.0**53
"""Multiples of its inverse in [0, 1] are all floating-point numbers, so that ½ + d and ½ - d are exact for them."""

SLACK = 1e-6
"""How far from its linear function, as a part of its largest value, a decision may be by rounding."""


def answers(classifier: Any, X: Any, pairs: Pairs, features: str) -> Answers:
    """h(u, v) = (p(u, v) + 1 - p(v, u)) / 2, p(u, v) being the chance the classifier gives to *u is better*.

    As ½ + d with d = (p(u, v) - p(v, u)) / 2 on a grid of 2⁻⁵³, so that h(u, v) + h(v, u) = 1 without rounding.
    """
    rows = max(1, CELLS // (3 * X.shape[1]))
    parts = [np.empty(0)]
    for start in range(0, len(pairs), rows):
        asked = pairs[start : start + rows]
        ahead, back = (chances(classifier, pair_features(X, way, features)) for way in (asked, asked[:, ::-1]))
        parts.append(np.rint((ahead - back) / 2 * GRID) / GRID)
    return 0.5 + np.concatenate(parts)


def chances(classifier: Any, rows: Any) -> Answers:
    """The chance of class 1, by `predict_proba`; else 1/(1 + exp(-decision)); else 0 or 1 as predicted."""
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(rows), dtype=np.float64)[:, 1]
    if hasattr(classifier, "decision_function"):
        return expit(np.asarray(classifier.decision_function(rows), dtype=np.float64))
    return (np.asarray(classifier.predict(rows)) == 1).astype(np.float64)


def direction(classifier: Any, X: Any, pairs: Pairs, features: str) -> Vector | None:
    """w such that h(u, v) > ½ exactly where w·u > w·v, or None where the classifier is not known to be so.

    A decision f that is linear in the features has (f(u, v) - f(v, u)) / 2 = w·u - w·v: the preference is a scorer
    [Balcan08]_. Taken as linear is what has one row of `coef_` and decides by it on the given pairs.
    """
    given: Any = getattr(classifier, "coef_", ())
    asked = pair_features(X, pairs, features)
    coef = given.toarray() if sparse.issparse(given) else np.atleast_2d(given)
    if coef.shape != (1, asked.shape[1]) or not hasattr(classifier, "decision_function"):
        return None
    decisions = asked @ coef[0] + np.ravel(classifier.intercept_)
    slack = SLACK * (1 + np.abs(decisions).max())
    if np.abs(classifier.decision_function(asked) - decisions).max() > slack:
        return None
    w = _halved(coef[0].astype(np.float64), X.shape[1], features)
    apart = X[pairs[:, 0]] @ w - X[pairs[:, 1]] @ w
    agree = (answers(classifier, X, pairs, features) - 0.5) * apart >= 0
    return w if (agree | (np.abs(apart) <= slack)).all() else None


def _halved(coef: Vector, width: int, features: str) -> Vector:
    """From the weights of the pair features to the weight of u in (f(u, v) - f(v, u)) / 2."""
    if features == "difference":
        return coef
    apart, first, second = np.split(np.append(np.zeros(3 * width - len(coef)), coef), 3)
    return apart + (first - second) / 2
