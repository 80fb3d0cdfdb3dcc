"""How good a ranking is, as scikit-learn's tools ask for it: `scoring=` in searches and cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.metrics import make_scorer

from ordain.measure import auc, ndcg

ROUTING = "Call sklearn.set_config(enable_metadata_routing=True) first."


def auc_scorer(*, graded: bool = False, groups: bool = False, sample_weight: bool = False) -> Any:
    """A scorer for ``scoring=``: the AUC, or the share of pairs of different grades in right order.

    The rankers of ordain have it as their `score`. It is for other estimators, and where groups or weights must reach
    the figure: scikit-learn's metadata routing then hands them on.

    Parameters
    ----------
    graded : bool
        Labels are grades, larger being better. Otherwise the larger of two classes is the positive one.
    groups : bool
        Only pairs within a group count. Give ``groups=…`` in the `params` of `cross_validate`, or to a search's `fit`.
    sample_weight : bool
        A pair weighs the product of the weights of its rows; give ``sample_weight=…`` likewise.

    Examples
    --------
    >>> import sklearn
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> X = np.arange(24.0)[:, None]
    >>> grades, queries = np.tile([0, 1, 2], 8), np.repeat(np.arange(8), 3)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = auc_scorer(graded=True, groups=True)
    ...     cross_val_score(
    ...         LinearRegression(), X, grades, scoring=scorer, cv=GroupKFold(4), params={"groups": queries}
    ...     )
    array([1., 1., 1., 1.])
    """
    return _scorer(_auc, {"groups": groups, "sample_weight": sample_weight}, graded=graded)


def ndcg_scorer(k: int | None = None, *, groups: bool = False) -> Any:
    """A scorer for ``scoring=``: the NDCG of the first k places, the mean over groups or that of one list.

    Numbers are grades, larger being better; of two classes that are text the larger counts 1 and the other 0.

    Parameters
    ----------
    k : int, optional
        How many places count; all of them by default.
    groups : bool
        Rows are ranked within groups. Give ``groups=…`` in the `params` of `cross_validate`, or to a search's `fit`.

    Examples
    --------
    >>> import sklearn
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> X = np.arange(24.0)[:, None]
    >>> grades, queries = np.tile([0, 1, 2], 8), np.repeat(np.arange(8), 3)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = ndcg_scorer(k=2, groups=True)
    ...     cross_val_score(
    ...         LinearRegression(), X, grades, scoring=scorer, cv=GroupKFold(4), params={"groups": queries}
    ...     )
    array([1., 1., 1., 1.])
    """
    return _scorer(_ndcg, {"groups": groups}, k=k)


def _scorer(figure: Any, asked: dict[str, bool], **options: Any) -> Any:
    """A scorer of scikit-learn that is handed what is asked for."""
    scorer = make_scorer(figure, response_method=("decision_function", "predict_proba", "predict"), **options)
    if not any(asked.values()):
        return scorer
    if not get_config()["enable_metadata_routing"]:
        names = " and ".join(name for name, wanted in asked.items() if wanted)
        raise ValueError(f"{names} need scikit-learn's metadata routing, which is off. {ROUTING}")
    return scorer.set_score_request(**asked)


def _auc(y: Any, scores: Any, *, graded: bool, groups: Any = None, sample_weight: Any = None) -> float:
    """The AUC of scores; of two classes the larger is positive."""
    labels = y if graded else _two(np.asarray(y))
    return auc(labels, scores, weights=sample_weight, groups=groups, graded=graded)


def _ndcg(y: Any, scores: Any, *, k: int | None, groups: Any = None) -> float:
    """The NDCG of scores; of two classes of text the larger is better."""
    labels = np.asarray(y)
    return ndcg(labels if labels.dtype.kind in "fiub" else _two(labels), scores, k, groups=groups)


def _two(y: Any) -> Any:
    classes, codes = np.unique(y, return_inverse=True)
    return codes if len(classes) <= 2 else y
