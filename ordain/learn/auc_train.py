"""Any classifier as a ranker: trained on pairs of rows, then sorted by what it prefers."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ordain._checks import check_codes, check_weights
from ordain._types import Answers, Order, Pairs, Vector
from ordain.audit import Share, random_triples
from ordain.learn.compared_rows import compared
from ordain.learn.mixed_pairs import evenly, mixed_pairs
from ordain.learn.on_dask import is_spread, scores_spread
from ordain.learn.pair_classifier import answers, direction
from ordain.learn.ranking_spread import rank_spread
from ordain.learn.scorer import Chance, Scorer, calibration, generator
from ordain.preference import batch, pair_features, rounded
from ordain.rank.items import METHODS, sort
from ordain.rank.quicksorts import by_scores
from ordain.rows.record import Rows
from ordain.solve.newton import linear_scores

REFERENCES, CALIBRATED, PROBES = 256, 1024, 256
"""Rows that others are scored against, rows that calibrate the scores, and pairs that show a linear decision."""


class PreferenceRanker(Scorer):
    """A classifier trained to tell the better of two rows, and the order it leads to: AUC-TRAIN [Balcan08]_.

    Every pair of a positive and a negative becomes two examples for the classifier, (u, v) with label 1 and (v, u) with
    label 0. What it learns is made symmetric, h(u, v) = (p(u, v) + 1 - p(v, u)) / 2, and may still go in circles.
    QuickSort then has on average exactly the loss of h [AilonMohri10]_, and DEGREE at most twice that [Balcan08]_.

    Parameters
    ----------
    classifier : scikit-learn classifier, optional
        With `predict_proba`, or `decision_function`, or only `predict`; by default logistic regression.
    features : {"difference", "concatenation", "both"}
        What it sees of a pair: u - v; u beside v; or all three.
    pairs : int or None
        The most pairs to train on, each row as often as any other of its class; None takes all.
    graded : bool
        Labels are grades, larger being better.
    random_state : int, RandomState or None
        Draws the pairs and the reference rows where not all are taken.

    Attributes
    ----------
    classifier_ : fitted classifier
        Of pairs: class 1 if the first is better.
    n_pairs_ : int
        Pairs it was trained on, each in both orders.
    direction_ : array of shape (n_features,) or None
        w, if the classifier is linear: then h(u, v) > ½ exactly where w·u > w·v, and rows are scored, not compared.
    references_, shares_ : arrays of shape (n_references, n_features) and (n_references,)
        Training rows that others are scored against, and what each counts, every class the same in all.
    intercept_ : float
        Such that a score of 0 means probability ½.
    classes_ : array
        The larger of the two is the positive class.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> ranker = PreferenceRanker(DecisionTreeClassifier(random_state=0)).fit(X, [0, 0, 1, 1])
    >>> ranker.preference([[3.0]], [[0.0]])
    array([1.])
    >>> ranker.rank([[0.0], [3.0]])
    array([1, 0])
    """

    def __init__(
        self,
        classifier: Any = None,
        *,
        features: str = "difference",
        pairs: int | None = 100_000,
        graded: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.classifier = classifier
        self.features = features
        self.pairs = pairs
        self.graded = graded
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags, own = super().__sklearn_tags__(), get_tags(self._classifier()).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = own.sparse, own.allow_nan
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> PreferenceRanker:
        """Train the classifier on pairs of rows X with different labels y, within a group where groups are given.

        A pair weighs the product of its rows' weights. Whole weights are the same as repeated rows as long as neither
        the budget of pairs nor that of reference rows leaves any out.
        """
        X, y = self._rows(X, y=y)
        kept, weights = self._weights(sample_weight, len(y))
        groups = None if groups is None else check_codes(groups, len(y), "groups")[kept]
        X, grades = X[kept], np.unique(self._classes(y[kept]), return_inverse=True)[1]
        rng = generator(self.random_state)
        pairs = mixed_pairs(grades, groups, most=self._most(), rng=rng)
        if not len(pairs):
            raise ValueError("a group must have rows of different classes. Got none that has. Are the groups right?")
        self.n_pairs_ = len(pairs)
        self.classifier_ = self._trained(X, pairs, None if sample_weight is None else weights)
        self.direction_ = direction(self.classifier_, X, rng.permutation(pairs)[:PROBES], self.features)
        chosen = evenly(grades, REFERENCES, rng)
        self.references_, self.shares_ = X[chosen], _shares(grades[chosen], weights[chosen])
        self.intercept_ = self._set_probabilities(
            Rows(X, grades, weights), lambda: self._calibrated(X, grades, weights, rng)
        )
        return self

    def fit_pairs(self, X: Any, pairs: Any, answers: Any, sample_weight: Any = None) -> PreferenceRanker:
        """Train the classifier on pairs of rows X that a judge compared: the two stages of [AilonMohri10]_.

        What is learned from some pairs then ranks any rows by :meth:`rank`, whose expected loss is at most twice that
        of the learned preference. There are no classes: scores are the mean preference over the rows asked about.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
        pairs : integer array of shape (m, 2)
            Rows of X that were compared.
        answers : array of shape (m,)
            How surely the first beat the second, from 0 to 1: a fraction counts as that share of both, if the
            classifier takes weights; ½ alone says nothing.
        sample_weight : array of shape (m,), optional
            What each answer counts.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> PreferenceRanker().fit_pairs(X, [[1, 0], [2, 3], [3, 1]], [1, 0, 1]).rank(X)
        array([3, 2, 1, 0])
        """
        X = self._rows(X, reset=True)
        asked = compared(pairs, answers, sample_weight, X.shape[0])
        both = np.concatenate((asked.pairs, asked.pairs[:, ::-1]))
        rows = pair_features(X, np.concatenate((both, both)), self.features)
        wins = np.concatenate((asked.answers, 1 - asked.answers))
        shares = np.concatenate((wins, 1 - wins)) * np.tile(asked.weights, 4)
        self.classifier_ = self._weighed(rows, np.repeat([1, 0], len(both)), shares)
        self.n_pairs_, rng = len(asked.pairs), generator(self.random_state)
        self.direction_ = direction(self.classifier_, X, rng.permutation(asked.pairs)[:PROBES], self.features)
        chosen = rng.permutation(np.unique(asked.pairs))[:REFERENCES]
        self.references_, self.shares_ = X[chosen], np.full(len(chosen), 1 / len(chosen))
        self.classes_, self.chance_, self.intercept_ = np.array([0, 1]), Chance(), 0.0
        self.intercept_ = -float(np.median(self._scores(self.references_)))
        return self

    def _weighed(self, rows: Any, first_is_better: Vector, shares: Vector) -> Any:
        """The classifier, fitted to examples that count so much; without weights those of more than half count."""
        classifier = clone(self._classifier())
        if has_fit_parameter(classifier, "sample_weight"):
            some = shares > 0
            return classifier.fit(rows[some], first_is_better[some], sample_weight=shares[some])
        won, lost = np.split(shares, 2)
        whole = np.concatenate((won > lost, lost > won))
        return classifier.fit(rows[whole], first_is_better[whole])

    def preference(self, U: Any, V: Any) -> Answers:
        """h(u, v) in [0, 1] for each row u of U and the same row v of V: how surely u comes before v.

        h(u, v) + h(v, u) is exactly 1, by preference(U, V) and preference(V, U), for every classifier that answers the
        same when asked the same again.
        """
        check_is_fitted(self)
        U, V = self._rows(U), self._rows(V)
        if U.shape[0] != V.shape[0]:
            raise ValueError(f"U and V must have as many rows. Got {U.shape[0]} and {V.shape[0]}.")
        row = np.arange(U.shape[0])
        return self._answers(_stacked(U, V), np.column_stack((row, row + len(row))))

    def decision_function(self, X: Any) -> Vector:
        """Scores, best highest; above 0 a row is more likely positive than not.

        The mean preference of a row over the reference rows, or w·x if the classifier is linear; both plus a constant.
        They do not depend on the other rows of X. An average, as DEGREE, they are often better than one QuickSort, but
        what is proved of sorting is proved of :meth:`rank`.
        """
        check_is_fitted(self)
        if is_spread(X):
            return scores_spread(self, X)
        return self._scores(self._rows(X)) + self.intercept_

    def rank(self, X: Any, *, method: str = "quicksort", budget: int | None = None, seed: int | None = None) -> Order:
        """The row numbers of X, best first.

        Preferences are rounded at ½ before sorting: as coins they would cost up to twice as much. If the classifier is
        linear all methods lead to the order of w·x, ties by lot, and no pair is asked.

        Parameters
        ----------
        X : array of shape (n_rows, n_features), or an array or frame of Dask, or where Parquet files are
            Rows that are with the workers of a cluster stay there; only numbers and answers come here.
        method : str
            As for :func:`ordain.sort`: ``quicksort`` asks about 2n ln n pairs, ``degree`` all of them, …
        budget : int, optional
            The most pairs to ask, which ``window`` needs.
        seed : int, optional
            The same seed gives the same order.
        """
        check_is_fitted(self)
        if is_spread(X):
            return rank_spread(self, X, method=method, budget=budget, seed=seed)
        if method not in (known := [*METHODS, "window"]):
            raise ValueError(f"method must be one of {', '.join(known)}. Got {method!r}.")
        X = self._rows(X)
        if self.direction_ is not None:
            return by_scores(self._scores(X), np.random.default_rng(seed))
        judge = rounded(lambda pairs: self._answers(X, pairs))
        prefer = batch(lambda first, second: judge(np.column_stack((first, second))))
        rows = np.arange(X.shape[0])
        return np.array(sort(rows, prefer, seed=seed, method=method, budget=budget), dtype=np.intp)

    def cyclicity(self, X: Any, *, triples: int = 1000, seed: int | None = None, level: float = 0.95) -> Share:
        """The share of random triples of rows of X that the preference puts in a circle, with its interval.

        0 for a scorer, ¼ for coins. Triples with a preference of ½ are left out.
        """
        check_is_fitted(self)
        X = self._rows(X)
        if X.shape[0] < 3:
            raise ValueError(f"X must have three rows to go in a circle. Got {X.shape[0]}.")
        pairs = random_triples(X.shape[0], triples, np.random.default_rng(seed))
        h = self._answers(X, pairs)
        winners = np.sort(np.where(h > 0.5, pairs[:, 0], pairs[:, 1]).reshape(-1, 3))
        decided = (h != 0.5).reshape(-1, 3).all(axis=1)
        circles = (np.diff(winners) != 0).all(axis=1)  # each of the three wins once
        return Share(int((circles & decided).sum()), int(decided.sum()), level)

    def _classifier(self) -> Any:
        return LogisticRegression() if self.classifier is None else self.classifier

    def _most(self) -> int | None:
        if self.pairs is not None and not (isinstance(self.pairs, Integral) and self.pairs > 0):
            raise ValueError(f"pairs must be a whole number above 0, or None for all. Got {self.pairs!r}.")
        return self.pairs

    def _rows(self, X: Any, **labels: Any) -> Any:
        """X as numbers, and `y` if given; what the classifier takes is taken."""
        takes = get_tags(self._classifier()).input_tags
        settings = {"accept_sparse": "csr" if takes.sparse else False, "dtype": [np.float64, np.float32]}
        finite = "allow-nan" if takes.allow_nan else True
        return validate_data(self, X, **settings, ensure_all_finite=finite, **labels or {"reset": False})

    def _weights(self, sample_weight: Any, n: int) -> tuple[Vector, Vector]:
        """The rows that have a weight, and their weights."""
        if sample_weight is None:
            return np.arange(n), np.ones(n)
        if not has_fit_parameter(self._classifier(), "sample_weight"):
            name = type(self._classifier()).__name__
            raise ValueError(f"sample_weight must be something the classifier takes. Got {name}. Leave it out.")
        weights = check_weights(sample_weight, n)
        if not weights.any():
            raise ValueError(f"weights must not all be zero. Got {n} of them. Leave them out, or give some.")
        return np.flatnonzero(weights), weights[weights > 0]

    def _trained(self, X: Any, pairs: Pairs, weights: Vector | None) -> Any:
        """The classifier, fitted to every pair in both orders."""
        rows = pair_features(X, np.concatenate((pairs, pairs[:, ::-1])), self.features)
        first_is_better = np.repeat([1, 0], len(pairs))
        weight = {} if weights is None else {"sample_weight": np.tile(weights[pairs].prod(axis=1), 2)}
        return clone(self._classifier()).fit(rows, first_is_better, **weight)

    def _answers(self, X: Any, pairs: Pairs) -> Answers:
        return answers(self.classifier_, X, pairs, self.features)

    def _scores(self, X: Any) -> Vector:
        """w·x, or the mean preference over the reference rows minus ½, some rows at a time."""
        if self.direction_ is not None:
            return linear_scores(X, self.direction_)
        parts = [self._mean_preference(X[start : start + REFERENCES]) for start in range(0, X.shape[0], REFERENCES)]
        return np.concatenate(parts)

    def _mean_preference(self, X: Any) -> Vector:
        n, k = X.shape[0], len(self.shares_)
        pairs = np.column_stack((np.repeat(np.arange(n), k), np.tile(n + np.arange(k), n)))
        h = self._answers(_stacked(X, self.references_), pairs).reshape(n, k)
        return ((h - 0.5) * self.shares_).sum(axis=1)

    def _calibrated(self, X: Any, grades: Vector, weights: Vector, rng: np.random.Generator) -> tuple[float, float]:
        """The slope and shift of logistic regression on the scores of training rows; some, if scoring is slow."""
        chosen = evenly(grades, CALIBRATED if self.direction_ is None else len(grades), rng)
        some = grades[chosen]
        counting = _shares(some, weights[chosen]) * np.bincount(grades, weights)[some]
        return calibration(self._scores(X[chosen]), some == 1, counting)


def _shares(classes: Vector, weights: Vector) -> Vector:
    """Weights that sum to one, every class weighing the same."""
    kinds, codes = np.unique(classes, return_inverse=True)
    return weights / np.bincount(codes, weights)[codes] / len(kinds)


def _stacked(first: Any, second: Any) -> Any:
    """The rows of both, one below the other."""
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.vstack((first, second), format="csr")
    return np.concatenate((first, second))
