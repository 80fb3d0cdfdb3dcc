"""The scores that a fitted estimator gives to rows, as scikit-learn's displays ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordain._types import Vector


def scores_of(estimator: Any, X: Any) -> Vector:
    """Its `decision_function`, or the probability of the second class, or what it predicts.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> scores_of(GaussianNB().fit([[0.0], [1], [2], [3]], [0, 0, 1, 1]), [[0.0], [3]]).round(1)
    array([0., 1.])
    """
    for name in ("decision_function", "predict_proba", "predict"):
        if hasattr(estimator, name):
            found = np.asarray(getattr(estimator, name)(X))
            return found[:, 1] if name == "predict_proba" else found
    raise ValueError(f"an estimator must have decision_function, predict_proba or predict. Got {type(estimator)}.")
